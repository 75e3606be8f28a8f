/* skiplist/skiplist_cuda.h - launchers of the skiplist's kernels, one table per chunk size and key width: the
 * counterpart of blink_cuda.h. */
#ifndef PLEACH_SKIPLIST_CUDA_H
#define PLEACH_SKIPLIST_CUDA_H

#include "../blink/blink_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skiplist_launchers {
    call_launchers calls;
    node_launchers nodes;
    /* Returns to the pool all chunks that no participant can reach. The caller must have exclusive access to the map.
     * If `forget`, empties all rings instead. */
    cudaError_t (*settle)(map_ref map, bool forget, cudaStream_t stream);
} skiplist_launchers;

extern const skiplist_launchers skiplist16_cuda_32, skiplist16_cuda_64, skiplist32_cuda_32, skiplist32_cuda_64;

#ifdef __cplusplus
}
#endif
#endif
