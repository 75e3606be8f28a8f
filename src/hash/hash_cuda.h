/* hash/hash_cuda.h - kernels of hash tables, as C functions: one function table per kind of table. Each function queues
 * its work on the stream. */
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
    slab_seed seed;
    slabhash_state *state; /* device memory */
    void *slabs;
} slabhash_on_gpu;

enum { SLABHASH_SAMPLE = 1024 };

/* Array arguments are device memory. */
typedef struct hash_kernels {
    /* The work of an array call. Adds to *not_applied. */
    cudaError_t (*find)(slabhash_on_gpu hash, const hash_request *r, cudaStream_t stream);
    cudaError_t (*update)(slabhash_on_gpu hash, const hash_request *r, slow_list later, repeats rows,
                          uint64_t *not_applied, cudaStream_t stream);
    /* Adds to *missing how many of SLABHASH_SAMPLE keys, evenly spread over n, are absent. */
    cudaError_t (*sample)(slabhash_on_gpu hash, size_t n, const void *keys, uint64_t *missing, cudaStream_t stream);
    /* Begins growth to 2^log buckets, unless growth is in progress. */
    cudaError_t (*start_growth)(slabhash_on_gpu hash, unsigned log, cudaStream_t stream);
    /* Moves those of the first `buckets` buckets that have not moved yet. */
    cudaError_t (*move)(slabhash_on_gpu hash, uint64_t buckets, cudaStream_t stream);
    /* Puts all pairs into another table, which nothing else uses. Adds to *not_applied. Exclusive. */
    cudaError_t (*copy)(slabhash_on_gpu from, uint64_t buckets, slabhash_on_gpu to, uint64_t *not_applied,
                        cudaStream_t stream);
    /* Writes all pairs, in any order, from element *count on, and adds their number to it. keys and values may be NULL.
     * Exclusive. */
    cudaError_t (*list)(slabhash_on_gpu hash, uint64_t buckets, void *keys, void *values, uint64_t *count,
                        cudaStream_t stream);
} hash_kernels;

/* hash.cu, compiled once per kind of table. */
extern const hash_kernels hash_kernels_map32, hash_kernels_set32, hash_kernels_map64, hash_kernels_set64;

static inline const hash_kernels *hash_kernels_choose(unsigned key_bits, bool values)
{
    if (key_bits == 32) return values ? &hash_kernels_map32 : &hash_kernels_set32;
    return values ? &hash_kernels_map64 : &hash_kernels_set64;
}

#ifdef __cplusplus
}
#endif
#endif
