/* pool/pool_cuda.h - the memory behind a GPU map's pool: address space for the limit, to which memory is mapped as the
 * pool grows, so that nodes never move. Host side; callers must not run concurrently. */
#ifndef PLEACH_POOL_CUDA_H
#define PLEACH_POOL_CUDA_H

#include <stdint.h>

#include "../cuda/cuda_base.h"

typedef struct pool_cuda pool_cuda;

/* Reserves address space for `max_bytes`, or with 0 for as much as the GPU has memory; up to 2^31 nodes. */
pleach_status pool_cuda_open(pool_cuda **pool, int gpu, uint64_t max_bytes, size_t node_bytes);
void pool_cuda_close(pool_cuda *pool);

void *pool_cuda_nodes(const pool_cuda *pool);
uint64_t pool_cuda_limit(const pool_cuda *pool);  /* the most bytes that the pool may have */
/* status of a request beyond the limit: FULL, or MEMORY if the limit is the GPU's memory */
pleach_status pool_cuda_beyond(const pool_cuda *pool);
uint64_t pool_cuda_mapped(const pool_cuda *pool); /* bytes that have memory, at most the limit */

/* Maps memory until at least `bytes` in total are mapped, and zeroes the new part, in stream order. Returns FULL if the
 * limit is lower, MEMORY if the GPU has no more. */
pleach_status pool_cuda_grow(pool_cuda *pool, uint64_t bytes, cudaStream_t stream);

/* Frees the memory behind the bytes from `keep` on, in the pieces in which it was mapped. Nothing may be using it. */
pleach_status pool_cuda_trim(pool_cuda *pool, uint64_t keep);

#endif
