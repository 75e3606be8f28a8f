/* skiplist/skiplist_cuda.h - launchers of the skiplist's kernels, for one size of chunks each: what blink_cuda.h is
 * for the B-link tree, whose descriptions hold here. */
#ifndef PLEACH_SKIPLIST_CUDA_H
#define PLEACH_SKIPLIST_CUDA_H

#include "../blink/blink_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skiplist_cuda_ops {
    cudaError_t (*run)(blink_on_gpu map, const request *request, update_notes *notes, cudaStream_t stream);
    cudaError_t (*run_long)(blink_on_gpu map, const request *request, long_work *work, cudaStream_t stream);
    cudaError_t (*count_parts)(blink_on_gpu map, const request *request, long_work *work, bool whole,
                               cudaStream_t stream);
    cudaError_t (*build)(blink_on_gpu map, const build_plan *plan, const void *keys, const void *values,
                         cudaStream_t stream);
    cudaError_t (*count)(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream);
    cudaError_t (*shape)(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream);
    cudaError_t (*list_leaves)(blink_on_gpu map, uint64_t used, void *first_keys, uint32_t *ids, uint64_t *listed,
                               cudaStream_t stream);
    cudaError_t (*leaf_counts)(blink_on_gpu map, const uint32_t *ids, size_t leaves, uint64_t *counts,
                               cudaStream_t stream);
    cudaError_t (*gather)(blink_on_gpu map, const uint32_t *ids, size_t leaves, const uint64_t *offsets,
                          void *out_keys, void *out_values, cudaStream_t stream);
    /* Returns all chunks that nobody can look at to the pool; alone in the map. With `forget`: empties all rings. */
    cudaError_t (*settle)(blink_on_gpu map, bool forget, cudaStream_t stream);
} skiplist_cuda_ops;

extern const skiplist_cuda_ops skiplist16_cuda, skiplist32_cuda;

#ifdef __cplusplus
}
#endif
#endif
