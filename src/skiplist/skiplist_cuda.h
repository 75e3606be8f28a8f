/* skiplist/skiplist_cuda.h - launchers of the skiplist's kernels, for one size of chunks and one key width each:
 * what blink_cuda.h has for the B-link tree. */
#ifndef PLEACH_SKIPLIST_CUDA_H
#define PLEACH_SKIPLIST_CUDA_H

#include "../blink/blink_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skiplist_launchers {
    call_launchers calls;
    node_launchers nodes;
    /* Returns all chunks that nobody can look at to the pool; alone in the map. With `forget`: empties all rings. */
    cudaError_t (*settle)(blink_on_gpu map, bool forget, cudaStream_t stream);
} skiplist_launchers;

extern const skiplist_launchers skiplist16_cuda_32, skiplist16_cuda_64, skiplist32_cuda_32, skiplist32_cuda_64;

#ifdef __cplusplus
}
#endif
#endif
