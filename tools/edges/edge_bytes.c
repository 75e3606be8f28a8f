#define _DEFAULT_SOURCE 1
#include "edge_bytes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool edge_bytes_fill(struct edge_bytes *bytes)
{
    ssize_t got;
    if (bytes->raw_at == bytes->raw_end) bytes->raw_at = bytes->raw_end = 0;
    if (bytes->raw_ended || bytes->raw_end == sizeof bytes->raw) return true;
    do got = read(bytes->file, bytes->raw + bytes->raw_end, sizeof bytes->raw - bytes->raw_end);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        bytes->why = strerror(errno);
        bytes->system_failed = true;
        return false;
    }
    bytes->raw_ended = got == 0;
    bytes->raw_end += (size_t)got;
    return true;
}

/* Enough of the file for the longest magic, unless it is shorter. */
static bool read_magic(struct edge_bytes *bytes)
{
    while (bytes->raw_end < edge_xz.magic_bytes && !bytes->raw_ended)
        if (!edge_bytes_fill(bytes)) return false;
    return true;
}

static bool has_magic(const struct edge_bytes *bytes, const struct edge_codec *codec)
{
    return bytes->raw_end >= codec->magic_bytes && memcmp(bytes->raw, codec->magic, codec->magic_bytes) == 0;
}

bool edge_bytes_start(struct edge_bytes *bytes, int file)
{
    bytes->file = file;
    bytes->codec = NULL;
    bytes->state = NULL;
    bytes->memory = 0;
    bytes->raw_ended = false;
    bytes->raw_at = bytes->raw_end = 0;
    bytes->why = NULL;
    bytes->lacks_codec = bytes->system_failed = false;
    if (!read_magic(bytes)) return false;
    const struct edge_codec *const codec = has_magic(bytes, &edge_gzip) ? &edge_gzip
                                           : has_magic(bytes, &edge_xz) ? &edge_xz
                                                                        : NULL;
    if (codec == NULL) return true;
    bytes->codec = codec;
    bytes->lacks_codec = codec->start == NULL;
    if (bytes->lacks_codec) return false;
    if (codec->start(bytes)) return true;
    bytes->why = "out of memory";
    bytes->system_failed = true;
    return false;
}

static ptrdiff_t read_plain(struct edge_bytes *bytes, unsigned char *to, size_t size)
{
    if (bytes->raw_at == bytes->raw_end && !edge_bytes_fill(bytes)) return -1;
    const size_t there = bytes->raw_end - bytes->raw_at;
    const size_t now = size < there ? size : there;
    memcpy(to, bytes->raw + bytes->raw_at, now);
    bytes->raw_at += now;
    return (ptrdiff_t)now;
}

ptrdiff_t edge_bytes_read(struct edge_bytes *bytes, unsigned char *to, size_t size)
{
    return bytes->codec != NULL ? bytes->codec->read(bytes, to, size) : read_plain(bytes, to, size);
}

void edge_bytes_stop(struct edge_bytes *bytes)
{
    if (bytes->codec != NULL && bytes->state != NULL) bytes->codec->stop(bytes);
    bytes->state = NULL;
}
