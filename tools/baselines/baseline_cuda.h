/* baseline_cuda.h - kernels and merges of the baselines on the GPU, as C functions. All pointers are device memory. */
#ifndef PLEACH_TOOLS_BASELINE_CUDA_H
#define PLEACH_TOOLS_BASELINE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "baseline_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds what the steps answer to *total, unless that is NULL. */
cudaError_t baseline_cuda_each(const baseline_work *work, uint64_t *total, cudaStream_t stream);

/* As in CUB: with scratch = NULL they only answer the scratch bytes that they need. Of equal keys those of the older
 * run come first. */
cudaError_t baseline_cuda_merge(void *scratch, size_t *bytes, unsigned bits, const baseline_run *older,
                                const baseline_run *newer, const baseline_run *to, cudaStream_t stream);

/* Runs with tombstones; places has room for all pairs, of which there are fewer than 2^32. */
cudaError_t baseline_cuda_merge_dead(void *scratch, size_t *bytes, unsigned bits, const baseline_run *older,
                                     const baseline_run *newer, const baseline_run *to, uint32_t *places,
                                     cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
