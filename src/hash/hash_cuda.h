/* hash/hash_cuda.h - kernels of hash tables, as C functions. Each puts its work on the stream. */
#ifndef PLEACH_SLABHASH_CUDA_H
#define PLEACH_SLABHASH_CUDA_H

#include <cuda_runtime_api.h>

#include "slabhash_state.h"
#include "hash_backend.h"
#include "../cuda/slow_list.h"
#include "../cuda/duplicates.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How kernels reach a table. */
typedef struct slabhash_on_gpu {
    unsigned key_bits;
    bool values;
    slab_seed seed;
    slabhash_state *state; /* device memory */
    void *slabs;
} slabhash_on_gpu;

/* An array call's; *not_applied is added to. Arrays are device memory. */
cudaError_t slabhash_cuda_find(slabhash_on_gpu hash, const hash_request *r, cudaStream_t stream);
cudaError_t slabhash_cuda_update(slabhash_on_gpu hash, const hash_request *r, later_list later, repeats rows,
                                 uint64_t *not_applied, cudaStream_t stream);

/* How many of some keys out of n, evenly spread, are not there: *missing is added to. */
enum { SLABHASH_SAMPLE = 1024 };
cudaError_t slabhash_cuda_sample(slabhash_on_gpu hash, size_t n, const void *keys, uint64_t *missing,
                                 cudaStream_t stream);

/* Growth to 2^log buckets begins, unless one is under way. */
cudaError_t slabhash_cuda_start_growth(slabhash_on_gpu hash, unsigned log, cudaStream_t stream);

/* Moves those of the first `buckets` buckets that have not moved. */
cudaError_t slabhash_cuda_move(slabhash_on_gpu hash, uint64_t buckets, cudaStream_t stream);

/* Puts all pairs into another table, which nobody else sees; *not_applied is added to. Alone. */
cudaError_t slabhash_cuda_copy(slabhash_on_gpu from, uint64_t buckets, slabhash_on_gpu to, uint64_t *not_applied,
                               cudaStream_t stream);

/* Writes all pairs, in no order, from element *count on, which is added to. Alone. keys and values may be NULL. */
cudaError_t slabhash_cuda_list(slabhash_on_gpu hash, uint64_t buckets, void *keys, void *values, uint64_t *count,
                               cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
