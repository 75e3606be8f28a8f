#define _DEFAULT_SOURCE 1
#include "text_in.h"

#include <errno.h>
#include <unistd.h>

enum { AT_END = -1, AT_FAILURE = -2 };

void text_in_start(struct text_in *in, int file, void (*before_read)(void *context), void *context)
{
    in->file = file;
    in->at = in->end = 0;
    in->before_read = before_read;
    in->context = context;
}

/* The next byte, AT_END or AT_FAILURE. */
static int next_byte(struct text_in *in)
{
    if (in->at == in->end) {
        ssize_t got;
        in->before_read(in->context);
        do got = read(in->file, in->bytes, sizeof in->bytes);
        while (got < 0 && errno == EINTR);
        if (got <= 0) return got == 0 ? AT_END : AT_FAILURE;
        in->at = 0;
        in->end = (size_t)got;
    }
    return (unsigned char)in->bytes[in->at++];
}

static bool is_blank(int byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r' && byte != '\n'); }

enum text_line text_in_line(struct text_in *in, char *line, size_t *length)
{
    size_t used = 0;
    bool gap = false, any = false, fits = true;
    int byte;
    while ((byte = next_byte(in)) >= 0 && byte != '\n') {
        any = true;
        if (is_blank(byte)) {
            gap = used > 0;
            continue;
        }
        const size_t needed = gap ? 2 : 1;
        fits = fits && used + needed <= TEXT_LINE_BYTES;
        if (fits && gap) line[used++] = ' ';
        if (fits) line[used++] = (char)byte;
        gap = false;
    }
    *length = used;
    if (byte == AT_FAILURE) return TEXT_FAILED;
    if (byte == AT_END && !any) return TEXT_END;
    return fits ? TEXT_LINE : TEXT_LINE_LONG;
}
