/* triangles_merge_cuda.h - triangles on the GPU as they are mostly counted: what pleach's count is compared with. */
#ifndef PLEACH_BENCH_TRIANGLES_MERGE_CUDA_H
#define PLEACH_BENCH_TRIANGLES_MERGE_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows as in triangles_cuda.h, in device memory. *seconds = the time on the GPU from rows to *total: numbers by
 * degree, lists of smaller numbers, their sort, and the faster of two merges; memory is had before. 0, or -1 if a call
 * of CUDA's fails or the merges differ. */
int triangles_merge_cuda(uint64_t n, const uint64_t *offsets, const uint32_t *targets, uint64_t *total,
                         double *seconds);

#ifdef __cplusplus
}
#endif
#endif
