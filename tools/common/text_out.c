#define _DEFAULT_SOURCE 1
#include "text_out.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void text_out_start(struct text_out *out, int file)
{
    out->file = file;
    out->error = 0;
    out->used = 0;
}

void text_out_flush(struct text_out *out)
{
    size_t written = 0;
    while (out->error == 0 && written < out->used) {
        const ssize_t now = write(out->file, out->bytes + written, out->used - written);
        if (now >= 0)
            written += (size_t)now;
        else if (errno != EINTR)
            out->error = errno;
    }
    out->used = 0;
}

void text_out_bytes(struct text_out *out, const char *bytes, size_t length)
{
    while (length > 0) {
        if (out->used == sizeof out->bytes) text_out_flush(out);
        const size_t room = sizeof out->bytes - out->used;
        const size_t now = length < room ? length : room;
        memcpy(out->bytes + out->used, bytes, now);
        out->used += now;
        bytes += now;
        length -= now;
    }
}

void text_out_string(struct text_out *out, const char *string) { text_out_bytes(out, string, strlen(string)); }

void text_out_char(struct text_out *out, char character) { text_out_bytes(out, &character, 1); }

void text_out_number(struct text_out *out, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    text_out_bytes(out, digits + at, sizeof digits - at);
}
