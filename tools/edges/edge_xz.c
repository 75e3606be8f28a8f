/* edge_xz.c - files that xz made, through liblzma; also several of them put one behind the other. */
#include "edge_bytes.h"

static const unsigned char magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};

#ifdef PLEACH_HAVE_LZMA
#include <lzma.h>
#include <stdlib.h>

#include "tools/common/memory_limit.h"

/* The highest preset of xz needs 65 MiB to unpack; a damaged header must not ask for any amount. */
static const uint64_t most_memory = (uint64_t)1 << 30;

struct xz_state {
    lzma_stream stream;
    bool ended;
};

static bool start(struct edge_bytes *bytes)
{
    struct xz_state *const state = calloc(1, sizeof *state);
    if (state == NULL) return false;
    state->stream = (lzma_stream)LZMA_STREAM_INIT;
    const uint64_t most = memory_limit() < most_memory ? memory_limit() : most_memory;
    if (lzma_stream_decoder(&state->stream, most, LZMA_CONCATENATED) != LZMA_OK) {
        free(state);
        return false;
    }
    bytes->state = state;
    return true;
}

static ptrdiff_t fail(struct edge_bytes *bytes, lzma_ret code, const lzma_stream *stream)
{
    const bool over_limit = code == LZMA_MEMLIMIT_ERROR && !memory_allows(lzma_memusage(stream));
    bytes->system_failed = code == LZMA_MEM_ERROR || over_limit;
    bytes->why = code == LZMA_MEM_ERROR        ? "out of memory"
                 : over_limit                  ? memory_lack()
                 : code == LZMA_MEMLIMIT_ERROR ? "to unpack the xz data would take more than 1 GiB of memory"
                 : code == LZMA_BUF_ERROR      ? "the xz data ends too early: the file is cut off"
                 : code == LZMA_OPTIONS_ERROR  ? "the xz data uses what this liblzma does not know"
                                               : "the xz data is damaged";
    return -1;
}

static ptrdiff_t read_some(struct edge_bytes *bytes, unsigned char *to, size_t size)
{
    struct xz_state *const state = bytes->state;
    lzma_stream *const stream = &state->stream;
    while (!state->ended) { /* each turn uses up input, or has output, or ends; liblzma answers BUF_ERROR otherwise */
        if (bytes->raw_at == bytes->raw_end && !edge_bytes_fill(bytes)) return -1;
        stream->next_in = bytes->raw + bytes->raw_at;
        stream->avail_in = bytes->raw_end - bytes->raw_at;
        stream->next_out = to;
        stream->avail_out = size;
        const lzma_ret code = lzma_code(stream, bytes->raw_ended ? LZMA_FINISH : LZMA_RUN);
        bytes->raw_at = bytes->raw_end - stream->avail_in;
        bytes->memory = lzma_memusage(stream);
        state->ended = code == LZMA_STREAM_END;
        if (code != LZMA_OK && code != LZMA_STREAM_END) return fail(bytes, code, stream);
        if (stream->avail_out < size) return (ptrdiff_t)(size - stream->avail_out);
    }
    return 0;
}

static void stop(struct edge_bytes *bytes)
{
    struct xz_state *const state = bytes->state;
    lzma_end(&state->stream);
    free(state);
}

const struct edge_codec edge_xz = {"xz", "liblzma-dev", magic, sizeof magic, start, read_some, stop};
#else
const struct edge_codec edge_xz = {"xz", "liblzma-dev", magic, sizeof magic, NULL, NULL, NULL};
#endif
