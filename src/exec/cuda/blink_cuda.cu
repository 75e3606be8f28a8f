/* exec/cuda/blink_cuda.cu - the kernels for both key widths, and their launchers. */
#include "../../core/blink/blink_tree.h"
#include "../../node/node_format.h"
#include "blink_cuda.h"

/* Launch shapes. An update keeps a leaf's image in registers; so many blocks fit on a multiprocessor without spilling
 * much (docs/performance.md). */
enum { BLOCK_THREADS = 128, UPDATE_BLOCKS32 = 8, UPDATE_BLOCKS64 = 5 };

/* Lanes that read a leaf together for a range, and what each of them reads: eight was best of 2, 4 and 8. */
enum { TEAM_LANES = 8, LANE_SLOTS = NODE_SLOTS / TEAM_LANES, LINK_IN_LANE = LANE_SLOTS - 2 };
#define TEAM_MASK ((1u << TEAM_LANES) - 1)
#define WHOLE_WARP 0xffffffffu

/* The map's size changes by what a block's threads have inserted and erased, in one addition per block. */
PORT_FN void count_outcomes(blink_tree *tree, bool inserted, bool erased, bool refused, uint64_t *not_applied)
{
    int grown = __syncthreads_count(inserted), shrunk = __syncthreads_count(erased);
    int missing = __syncthreads_count(refused);
    if (threadIdx.x != 0) return;
    if (grown != shrunk)
        port_fetch_add(&tree->stripe[blockIdx.x % BLINK_STRIPES].size, (uint64_t)(int64_t)(grown - shrunk));
    if (missing) port_fetch_add(not_applied, (uint64_t)missing);
}

__global__ void misfits_kernel(const uint64_t *places, const uint64_t *found, size_t n, uint64_t *misfits)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    int here = __syncthreads_count(i < n && found[i] > places[i + 1] - places[i]);
    if (threadIdx.x == 0 && here) port_fetch_add(misfits, (uint64_t)here);
}

__global__ void spare_kernel(const uint64_t *found, uint64_t *places, size_t n, uint64_t spare)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= n) places[i] = i < n ? found[i] + spare : 0;
}

#define PLEACH_KEY_BITS 32
#include "blink_kernels.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "blink_kernels.h"
#undef PLEACH_KEY_BITS

static unsigned blocks_for(uint64_t threads) { return (unsigned)((threads + BLOCK_THREADS - 1) / BLOCK_THREADS); }

/* Launches the kernel of the map's key width, one thread per element; leaves the enclosing function. An error that an
 * earlier call of the user's has left on this thread is dropped first: it would pass for the launch's. */
#define LAUNCH(kernel, threads, args32, args64)                                                                  \
    do {                                                                                                         \
        if ((threads) == 0) return cudaSuccess;                                                                  \
        cudaGetLastError();                                                                                      \
        if (key_bits == 32)                                                                                      \
            kernel##32<<<blocks_for(threads), BLOCK_THREADS, 0, stream>>> args32;                                \
        else                                                                                                     \
            kernel##64<<<blocks_for(threads), BLOCK_THREADS, 0, stream>>> args64;                                \
        return cudaGetLastError();                                                                               \
    } while (0)

cudaError_t blink_cuda_run(blink_on_gpu map, const request *r, uint64_t *not_applied, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    switch (r->kind) {
    case REQUEST_PUT:
    case REQUEST_ADD:
    case REQUEST_ERASE: LAUNCH(update_kernel, r->n, (map, *r, not_applied), (map, *r, not_applied));
    case REQUEST_FIND: LAUNCH(find_kernel, r->n, (map, *r), (map, *r));
    case REQUEST_SUCC:
    case REQUEST_PRED:
    case REQUEST_CEILING:
    case REQUEST_FLOOR: LAUNCH(seek_kernel, r->n, (map, *r), (map, *r));
    case REQUEST_RANGE:
    case REQUEST_COUNT: LAUNCH(range_kernel, r->n, (map, *r), (map, *r));
    }
    return cudaErrorInvalidValue;
}

static cudaError_t build_one_level(blink_on_gpu map, const build_plan *plan, const void *keys, const void *values,
                                   uint32_t level, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
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
    LAUNCH(ascending_kernel, n, ((const key32 *)keys, n, flag), ((const key64 *)keys, n, flag));
}

cudaError_t blink_cuda_mark_last(unsigned key_bits, const void *keys, size_t n, uint8_t *keep, cudaStream_t stream)
{
    LAUNCH(mark_last_kernel, n, ((const key32 *)keys, n, keep), ((const key64 *)keys, n, keep));
}

cudaError_t blink_cuda_count(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(count_kernel, used - 1, (map, used, counts), (map, used, counts));
}

cudaError_t blink_cuda_list_leaves(blink_on_gpu map, uint64_t used, void *first_keys, uint32_t *ids, uint64_t *listed,
                                   cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(list_kernel, used - 1, (map, used, (key32 *)first_keys, ids, listed),
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
    LAUNCH(gather_kernel, leaves * NODE_SLOTS, (map, ids, leaves, offsets, (key32 *)out_keys, (key32 *)out_values),
           (map, ids, leaves, offsets, (key64 *)out_keys, (key64 *)out_values));
}

cudaError_t blink_cuda_move(unsigned key_bits, const void *from, void *to, const uint64_t *from_offsets,
                            const uint64_t *to_offsets, const uint64_t *counts, size_t n, cudaStream_t stream)
{
    LAUNCH(move_kernel, n, ((const key32 *)from, (key32 *)to, from_offsets, to_offsets, counts, n),
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
