/* graph/triangles/triangles_cuda.h - counts all triangles of an undirected graph whose rows are on the GPU, independent
 * of the backend. */
#ifndef PLEACH_TRIANGLES_CUDA_H
#define PLEACH_TRIANGLES_CUDA_H

#include <stdint.h>

#include "../../cuda/staging.h"

/* The neighbours of vertex i are targets[offsets[i]] .. targets[offsets[i + 1] - 1], in any order, each once. Each edge
 * is in the rows of both its endpoints, and no vertex is in its own row. Device memory. */
typedef struct triangles_on_gpu {
    uint64_t n;              /* at most 2^32 - 2 */
    const uint64_t *offsets; /* n + 1 */
    const uint32_t *targets;
} triangles_on_gpu;

#ifdef __cplusplus
extern "C" {
#endif

/* *total, in host memory, is set on return. by_vertex may be NULL; otherwise it is device memory with n elements, and
 * is added to. After an error, both are undefined. Scratch is 8 bytes per entry of rows and 40 per vertex; the caller
 * must free it with staging_free. */
pleach_status triangles_cuda_count(staging *s, const triangles_on_gpu *rows, uint64_t *by_vertex, uint64_t *total);

#ifdef __cplusplus
}
#endif
#endif
