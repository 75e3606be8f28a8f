/* graph/triangles/triangles_cuda.h - all triangles of an undirected graph whose rows are on the GPU, whoever keeps it. */
#ifndef PLEACH_TRIANGLES_CUDA_H
#define PLEACH_TRIANGLES_CUDA_H

#include <stdint.h>

#include "../../cuda/staging.h"

/* The neighbours of vertex i are targets[offsets[i]] .. targets[offsets[i + 1] - 1], in any order, each once; each edge
 * is in the rows of both its ends, and no vertex in its own. Device memory. */
typedef struct triangles_on_gpu {
    uint64_t n;              /* 2^32 - 2 at most */
    const uint64_t *offsets; /* n + 1 */
    const uint32_t *targets;
} triangles_on_gpu;

#ifdef __cplusplus
extern "C" {
#endif

/* *total, in host memory, is there on return. by_vertex may be NULL, else it is device memory of n elements, and is
 * added to. After an error both hold nothing of use. Scratch is 8 bytes per entry of rows and 40 per vertex; it is the
 * caller's to free, with staging_free. */
pleach_status triangles_cuda_count(staging *s, const triangles_on_gpu *rows, uint64_t *by_vertex, uint64_t *total);

#ifdef __cplusplus
}
#endif
#endif
