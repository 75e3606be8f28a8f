/* There is nothing to profile. */
#include <cuda_runtime_api.h>
static inline cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
static inline cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
