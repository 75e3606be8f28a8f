/* text_out.h - text to a file descriptor, in large writes. After a failed write the rest is dropped. */
#ifndef PLEACH_TOOLS_TEXT_OUT_H
#define PLEACH_TOOLS_TEXT_OUT_H

#include <stddef.h>
#include <stdint.h>

enum { TEXT_OUT_BYTES = 1 << 16 };

struct text_out {
    int file;
    int error; /* errno of the first write that failed, or 0 */
    size_t used;
    char bytes[TEXT_OUT_BYTES];
};

void text_out_start(struct text_out *out, int file);
void text_out_flush(struct text_out *out);
void text_out_bytes(struct text_out *out, const char *bytes, size_t length);
void text_out_string(struct text_out *out, const char *string);
void text_out_char(struct text_out *out, char character);
void text_out_number(struct text_out *out, uint64_t number);

#endif
