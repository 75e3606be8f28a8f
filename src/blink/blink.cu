/* blink/blink.cu - the kernels of the B-link tree and their launchers. Compiled once per key width. */
#include "blink_launch.h"

enum { ORDER_SAMPLES = 128, CROWD_SAMPLES = 1024, CROWD = 8 };

/* Counts how many threads of a block have each key, of which 32 mixed bits suffice here. There are twice as many
 * entries as threads, so a thread always finds a free one. */
typedef struct key_tally { uint32_t keys[2 * CROWD_SAMPLES], counts[2 * CROWD_SAMPLES]; } key_tally;

PORT_FN void tally_clear(key_tally *tally)
{
    for (unsigned i = threadIdx.x; i < 2 * CROWD_SAMPLES; i += CROWD_SAMPLES) {
        tally->keys[i] = UINT32_MAX;
        tally->counts[i] = 0;
    }
}

PORT_FN uint32_t tally_count(key_tally *tally, uint64_t key)
{
    uint32_t mixed = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (UINT32_MAX - 1);
    for (uint32_t i = mixed % (2 * CROWD_SAMPLES);; i = (i + 1) % (2 * CROWD_SAMPLES)) {
        uint32_t was = atomicCAS(&tally->keys[i], UINT32_MAX, mixed);
        if (was == UINT32_MAX || was == mixed) return atomicAdd(&tally->counts[i], 1u) + 1;
    }
}

#include "blink.h"
#include "blink_kernels.h"
#include "blink_long_kernels.h"
#include "blink_bulk_kernels.h"

static cudaError_t look_at_order(map_ref map, const void *keys, size_t n, update_notes *notes, cudaStream_t stream)
{
    cudaGetLastError();
    order_kernel<<<1, CROWD_SAMPLES, 0, stream>>>(map, (const map_key *)keys, n, notes);
    return cudaGetLastError();
}

static cudaError_t run_call(map_launch gpu, const request *r, update_notes *notes, cudaStream_t stream)
{
    switch (r->kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_ERASE: LAUNCH(update_kernel, r->n, gpu.map, gpu.keeps, *r, notes);
    case OP_FIND:
    case OP_CONTAINS: LAUNCH(find_kernel, r->n, gpu.map, *r);
    case OP_SUCC:
    case OP_PRED:
    case OP_CEILING:
    case OP_FLOOR: LAUNCH(seek_kernel, r->n, gpu.map, *r);
    case OP_RANGE:
    case OP_COUNT: {
        const unsigned apart = range_apart(r, false);
        LAUNCH(range_kernel, r->n << apart, gpu.map, *r, apart);
    }
    }
    return cudaErrorInvalidValue;
}

static cudaError_t check_ascending(const void *keys, size_t n, uint64_t *flag, cudaStream_t stream)
{
    LAUNCH(ascending_kernel, (n + KEYS_AT_ONCE - 1) / KEYS_AT_ONCE, (const map_key *)keys, n, flag);
}

static cudaError_t mark_last(const void *keys, size_t n, uint8_t *keep, cudaStream_t stream)
{
    LAUNCH(mark_last_kernel, n, (const map_key *)keys, n, keep);
}

static cudaError_t move(const void *from, void *to, const uint64_t *from_offsets, const uint64_t *to_offsets,
                        const uint64_t *counts, size_t n, cudaStream_t stream)
{
    LAUNCH(move_kernel, n * MOVE_LANES, (const map_key *)from, (map_key *)to, from_offsets, to_offsets, counts, n);
}

static cudaError_t make_pieces(const request *r, const long_work *work, const long_pieces *pieces, cudaStream_t stream)
{
    LAUNCH(pieces_kernel, r->n > LONG_PARTS ? r->n : (uint64_t)LONG_PARTS, *r, work, *pieces);
}

static cudaError_t limit_pieces(const request *r, long_work *work, const long_pieces *pieces, cudaStream_t stream)
{
    LAUNCH(limit_kernel, pieces->noted * BLOCK_THREADS, *r, work, *pieces);
}

const blink_launchers WIDTH_SYMBOL(blink_cuda) = {
    .calls = {run_call, run_long, count_parts},
    .nodes = {build_levels, count_nodes, add_shapes, list_leaves, leaf_counts, gather},
    .look_at_order = look_at_order,
    .check_ascending = check_ascending,
    .mark_last = mark_last,
    .move = move,
    .make_pieces = make_pieces,
    .limit_pieces = limit_pieces,
};
