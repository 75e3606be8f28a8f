/* baseline_cuda.h - kernels and merges of the baselines on the GPU, as C functions. All pointers are device memory. */
#ifndef PLEACH_BENCH_BASELINE_CUDA_H
#define PLEACH_BENCH_BASELINE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "baseline_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds what the steps answer to *total, unless that is NULL. */
cudaError_t baseline_cuda_each(const baseline_work *work, uint64_t *total, cudaStream_t stream);

/* Of equal keys those of the older run come first; `to` says of pairs whether they are dead, unless its `dead` is NULL.
 * Scratch memory: so many bytes for n pairs in all, aligned to 8. */
size_t baseline_cuda_merge_bytes(unsigned bits, uint64_t n);
cudaError_t baseline_cuda_merge(void *scratch, unsigned bits, const baseline_run *older, const baseline_run *newer,
                                const baseline_run *to, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
