/* blink/blink.cu - the kernels for both key widths, and their launchers. */
#include "blink_launch.h"

static __global__ void misfits_kernel(const uint64_t *places, const uint64_t *found, size_t n, uint64_t *misfits)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    int here = __syncthreads_count(i < n && found[i] > places[i + 1] - places[i]);
    if (threadIdx.x == 0 && here) port_fetch_add(misfits, (uint64_t)here);
}

static __global__ void spare_kernel(const uint64_t *found, uint64_t *places, size_t n, uint64_t spare)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= n) places[i] = i < n ? found[i] + spare : 0;
}

static __global__ void pick_kernel(const uint64_t *from, const uint64_t *first, uint64_t *to, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= n) to[i] = from[first[i]];
}

static __global__ void ones_kernel(uint64_t *first, size_t n)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= n) first[i] = i < n;
}

static __global__ void parts_kernel(const long_work *work, uint64_t noted, uint64_t each, uint64_t *first)
{
    uint64_t q = (uint64_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (q < noted) first[work->notes.query[q]] = each;
}

enum { ORDER_SAMPLES = 128, CROWD_SAMPLES = 1024, CROWD = 8 };

/* How many of a block's threads have named each key, of which 32 mixed bits are enough here. There are twice as many
 * places as threads: who looks for one finds it. */
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

#define PLEACH_KEY_BITS 32
#include "blink.h"
#include "blink_kernels.h"
#include "blink_long_kernels.h"
#include "blink_bulk_kernels.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "blink.h"
#include "blink_kernels.h"
#include "blink_long_kernels.h"
#include "blink_bulk_kernels.h"
#undef PLEACH_KEY_BITS

cudaError_t blink_cuda_look_at_order(blink_on_gpu map, const void *keys, size_t n, update_notes *notes,
                                     cudaStream_t stream)
{
    cudaGetLastError();
    if (map.key_bits == 32)
        order_kernel32<<<1, CROWD_SAMPLES, 0, stream>>>(map, (const key32 *)keys, n, notes);
    else
        order_kernel64<<<1, CROWD_SAMPLES, 0, stream>>>(map, (const key64 *)keys, n, notes);
    return cudaGetLastError();
}

cudaError_t blink_cuda_run(blink_on_gpu map, const request *r, update_notes *notes, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    switch (r->kind) {
    case REQUEST_PUT:
    case REQUEST_ADD:
    case REQUEST_ERASE: LAUNCH(update_kernel, r->n, (map, *r, notes), (map, *r, notes));
    case REQUEST_FIND: LAUNCH(find_kernel, r->n, (map, *r), (map, *r));
    case REQUEST_SUCC:
    case REQUEST_PRED:
    case REQUEST_CEILING:
    case REQUEST_FLOOR: LAUNCH(seek_kernel, r->n, (map, *r), (map, *r));
    case REQUEST_RANGE:
    case REQUEST_COUNT: {
        const unsigned apart = range_apart(r, false);
        LAUNCH(range_kernel, r->n << apart, (map, *r, apart), (map, *r, apart));
    }
    }
    return cudaErrorInvalidValue;
}

cudaError_t blink_cuda_run_long(blink_on_gpu map, const request *r, long_work *work, cudaStream_t stream)
{
    return map.key_bits == 32 ? launch_long32(&map, r, work, false, false, stream)
                              : launch_long64(&map, r, work, false, false, stream);
}

cudaError_t blink_cuda_count_parts(blink_on_gpu map, const request *r, long_work *work, bool whole,
                                   cudaStream_t stream)
{
    return map.key_bits == 32 ? launch_long32(&map, r, work, true, whole, stream)
                              : launch_long64(&map, r, work, true, whole, stream);
}

static cudaError_t build_one_level(blink_on_gpu map, const build_plan *plan, const void *keys, const void *values,
                                   uint32_t level, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    if (level == 0)
        LAUNCH(leaves_kernel, (plan->count[0] + LEAVES_AT_ONCE - 1) / LEAVES_AT_ONCE * NODE_SLOTS,
               (*plan, map.nodes, (const key32 *)keys, (const key32 *)values),
               (*plan, map.nodes, (const key64 *)keys, (const key64 *)values));
    LAUNCH(build_kernel, plan->count[level] * NODE_SLOTS,
           (*plan, map.nodes, (const key32 *)keys, (const key32 *)values, level),
           (*plan, map.nodes, (const key64 *)keys, (const key64 *)values, level));
}

cudaError_t blink_cuda_build(blink_on_gpu map, const build_plan *plan, const void *keys, const void *values,
                             cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    for (uint32_t level = 0; level < plan->levels && error == cudaSuccess; level++)
        error = build_one_level(map, plan, keys, values, level, stream);
    return error;
}

cudaError_t blink_cuda_check_ascending(unsigned key_bits, const void *keys, size_t n, uint64_t *flag,
                                       cudaStream_t stream)
{
    LAUNCH(ascending_kernel, (n + KEYS_AT_ONCE - 1) / KEYS_AT_ONCE, ((const key32 *)keys, n, flag),
           ((const key64 *)keys, n, flag));
}

cudaError_t blink_cuda_mark_last(unsigned key_bits, const void *keys, size_t n, uint8_t *keep, cudaStream_t stream)
{
    LAUNCH(mark_last_kernel, n, ((const key32 *)keys, n, keep), ((const key64 *)keys, n, keep));
}

cudaError_t blink_cuda_count(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(count_kernel, (used + NODES_AT_ONCE - 2) / NODES_AT_ONCE, (map, used, counts), (map, used, counts));
}

cudaError_t blink_cuda_shape(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(shape_kernel, used - 1, (map, used, counts), (map, used, counts));
}

cudaError_t blink_cuda_list_leaves(blink_on_gpu map, uint64_t used, void *first_keys, uint32_t *ids, uint64_t *listed,
                                   cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(list_kernel, (used + NODES_AT_ONCE - 2) / NODES_AT_ONCE, (map, used, (key32 *)first_keys, ids, listed),
           (map, used, (key64 *)first_keys, ids, listed));
}

cudaError_t blink_cuda_leaf_counts(blink_on_gpu map, const uint32_t *ids, size_t leaves, uint64_t *counts,
                                   cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(leaf_counts_kernel, leaves, (map, ids, leaves, counts), (map, ids, leaves, counts));
}

cudaError_t blink_cuda_gather(blink_on_gpu map, const uint32_t *ids, size_t leaves, const uint64_t *offsets,
                              void *out_keys, void *out_values, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(gather_kernel, (leaves + LEAVES_AT_ONCE - 1) / LEAVES_AT_ONCE * NODE_SLOTS,
           (map, ids, leaves, offsets, (key32 *)out_keys, (key32 *)out_values),
           (map, ids, leaves, offsets, (key64 *)out_keys, (key64 *)out_values));
}

cudaError_t blink_cuda_move(unsigned key_bits, const void *from, void *to, const uint64_t *from_offsets,
                            const uint64_t *to_offsets, const uint64_t *counts, size_t n, cudaStream_t stream)
{
    LAUNCH(move_kernel, n * MOVE_LANES, ((const key32 *)from, (key32 *)to, from_offsets, to_offsets, counts, n),
           ((const key64 *)from, (key64 *)to, from_offsets, to_offsets, counts, n));
}

cudaError_t blink_cuda_count_misfits(const uint64_t *places, const uint64_t *found, size_t n, uint64_t *misfits,
                                     cudaStream_t stream)
{
    cudaGetLastError();
    misfits_kernel<<<blocks_for(n), BLOCK_THREADS, 0, stream>>>(places, found, n, misfits);
    return cudaGetLastError();
}

cudaError_t blink_cuda_add_spare(const uint64_t *found, uint64_t *places, size_t n, uint64_t spare, cudaStream_t stream)
{
    cudaGetLastError();
    spare_kernel<<<blocks_for(n + 1), BLOCK_THREADS, 0, stream>>>(found, places, n, spare);
    return cudaGetLastError();
}

cudaError_t blink_cuda_pick(const uint64_t *from, const uint64_t *first, uint64_t *to, size_t n, cudaStream_t stream)
{
    cudaGetLastError();
    pick_kernel<<<blocks_for(n + 1), BLOCK_THREADS, 0, stream>>>(from, first, to, n);
    return cudaGetLastError();
}

cudaError_t blink_cuda_count_pieces(const long_work *work, const long_pieces *pieces, size_t n, cudaStream_t stream)
{
    cudaGetLastError();
    ones_kernel<<<blocks_for(n + 1), BLOCK_THREADS, 0, stream>>>(pieces->first, n);
    parts_kernel<<<blocks_for(pieces->noted), BLOCK_THREADS, 0, stream>>>(work, pieces->noted,
                                                                         long_parts_each(pieces->noted), pieces->first);
    return cudaGetLastError();
}

cudaError_t blink_cuda_make_pieces(unsigned key_bits, const request *r, const long_work *work,
                                   const long_pieces *pieces, cudaStream_t stream)
{
    const uint64_t threads = r->n > LONG_PARTS ? r->n : (uint64_t)LONG_PARTS;
    LAUNCH(pieces_kernel, threads, (*r, work, *pieces), (*r, work, *pieces));
}

cudaError_t blink_cuda_limit_pieces(unsigned key_bits, const request *r, long_work *work, const long_pieces *pieces,
                                    cudaStream_t stream)
{
    LAUNCH(limit_kernel, pieces->noted * BLOCK_THREADS, (*r, work, *pieces), (*r, work, *pieces));
}
