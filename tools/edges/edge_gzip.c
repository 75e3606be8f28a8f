/* edge_gzip.c - files that gzip made, through zlib; also several of them put one behind the other. */
#include "edge_bytes.h"

static const unsigned char magic[] = {0x1f, 0x8b};

#ifdef PLEACH_HAVE_ZLIB
#include <stdlib.h>
#include <zlib.h>

struct gzip_state {
    z_stream stream;
    bool between; /* a member has ended, and the next, if any, has not begun */
};

static bool start(struct edge_bytes *bytes)
{
    enum { GZIP_WITH_ANY_WINDOW = 16 + 15 };
    struct gzip_state *const state = calloc(1, sizeof *state);
    if (state == NULL) return false;
    if (inflateInit2(&state->stream, GZIP_WITH_ANY_WINDOW) != Z_OK) {
        free(state);
        return false;
    }
    bytes->state = state;
    return true;
}

static ptrdiff_t fail(struct edge_bytes *bytes, int code)
{
    bytes->system_failed = code == Z_MEM_ERROR;
    bytes->why = code == Z_MEM_ERROR ? "out of memory" : "the gzip data is damaged";
    return -1;
}

/* Inflates what raw holds; answers how many bytes came out, or -1. */
static ptrdiff_t inflate_raw(struct edge_bytes *bytes, struct gzip_state *state, unsigned char *to, size_t size)
{
    z_stream *const stream = &state->stream;
    if (state->between && inflateReset(stream) != Z_OK) return fail(bytes, Z_DATA_ERROR);
    state->between = false;
    stream->next_in = bytes->raw + bytes->raw_at;
    stream->avail_in = (uInt)(bytes->raw_end - bytes->raw_at);
    stream->next_out = to;
    stream->avail_out = (uInt)size;
    const int code = inflate(stream, Z_NO_FLUSH);
    bytes->raw_at = bytes->raw_end - stream->avail_in;
    state->between = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) return fail(bytes, code);
    return (ptrdiff_t)(size - stream->avail_out);
}

static ptrdiff_t read_some(struct edge_bytes *bytes, unsigned char *to, size_t size)
{
    enum { MOST_AT_ONCE = 1 << 30 }; /* zlib counts in unsigned int */
    struct gzip_state *const state = bytes->state;
    if (size > MOST_AT_ONCE) size = MOST_AT_ONCE;
    for (;;) { /* each turn uses up input, or has output, or ends */
        if (bytes->raw_at == bytes->raw_end && !edge_bytes_fill(bytes)) return -1;
        if (bytes->raw_at == bytes->raw_end) {
            /* A full buffer last time may have left output inside; none comes out once the member has ended. */
            const ptrdiff_t rest = state->between ? 0 : inflate_raw(bytes, state, to, size);
            if (rest != 0 || state->between) return rest;
            bytes->why = "the gzip data ends too early: the file is cut off";
            return -1;
        }
        const ptrdiff_t got = inflate_raw(bytes, state, to, size);
        if (got != 0) return got;
    }
}

static void stop(struct edge_bytes *bytes)
{
    struct gzip_state *const state = bytes->state;
    inflateEnd(&state->stream);
    free(state);
}

const struct edge_codec edge_gzip = {"gzip", "zlib1g-dev", magic, sizeof magic, start, read_some, stop};
#else
const struct edge_codec edge_gzip = {"gzip", "zlib1g-dev", magic, sizeof magic, NULL, NULL, NULL};
#endif
