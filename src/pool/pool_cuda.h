/* pool/pool_cuda.h - the memory behind a GPU map's pool: address space for the limit, to which memory is mapped as
 * the pool grows, so that nodes never move. Host side; one caller at a time. */
#ifndef PLEACH_POOL_CUDA_H
#define PLEACH_POOL_CUDA_H

#include <stdint.h>

#include "../cuda/cuda_base.h"

typedef struct pool_cuda pool_cuda;

/* Room for `max_bytes`, or with 0 for as much as the GPU has memory; at most 2^31 nodes. */
pleach_status pool_cuda_open(pool_cuda **pool, int gpu, uint64_t max_bytes, size_t node_bytes);
void pool_cuda_close(pool_cuda *pool);

void *pool_cuda_nodes(const pool_cuda *pool);
uint64_t pool_cuda_limit(const pool_cuda *pool);  /* bytes that fit in all */
pleach_status pool_cuda_beyond(const pool_cuda *pool); /* more than that: FULL; MEMORY if it is all that the GPU has */
uint64_t pool_cuda_mapped(const pool_cuda *pool); /* bytes that have memory, at most the limit */

/* Maps at least `bytes` in all (FULL if the limit is lower, MEMORY if the GPU has no more) and zeroes what is new, on
 * the stream. */
pleach_status pool_cuda_grow(pool_cuda *pool, uint64_t bytes, cudaStream_t stream);

/* Gives back the memory behind the bytes from `keep` on, in the pieces it was mapped in. Nothing may be using it. */
pleach_status pool_cuda_trim(pool_cuda *pool, uint64_t keep);

#endif
