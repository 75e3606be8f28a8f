/* text_in.h - lines from a file descriptor, in bounded memory.
 *
 * Blanks (spaces, tabs, carriage returns and the like) are dropped at both ends of a line and made one space inside,
 * so CRLF files and generous layout need no care later, and only real text counts towards the length of a line.
 */
#ifndef PLEACH_TOOLS_TEXT_IN_H
#define PLEACH_TOOLS_TEXT_IN_H

#include <stdbool.h>
#include <stddef.h>

enum { TEXT_LINE_BYTES = 1024, TEXT_IN_BYTES = 1 << 16 };

enum text_line {
    TEXT_LINE,      /* a line, perhaps empty, perhaps with NUL bytes in it */
    TEXT_LINE_LONG, /* only the first TEXT_LINE_BYTES bytes are given */
    TEXT_END,
    TEXT_FAILED /* errno says why */
};

struct text_in {
    int file;
    size_t at, end;
    /* Called before a read that may have to wait: the moment to show what has been answered so far. */
    void (*before_read)(void *context);
    void *context;
    char bytes[TEXT_IN_BYTES];
};

void text_in_start(struct text_in *in, int file, void (*before_read)(void *context), void *context);

/* The next line, at most TEXT_LINE_BYTES bytes. A last line without a newline counts as a line. */
enum text_line text_in_line(struct text_in *in, char *line, size_t *length);

#endif
