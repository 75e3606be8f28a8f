/* cuda/cuda_base.h - translates CUDA's errors to status codes, and selects GPUs. libcuda is not linked: a build with
 * CUDA loads and runs where there is no driver. */
#ifndef PLEACH_CUDA_BASE_H
#define PLEACH_CUDA_BASE_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "../../include/pleach/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stores the error's text for pleach_cuda_error() and returns the matching status. */
pleach_status cuda_status(cudaError_t error);
pleach_status cuda_driver_status(int driver_error); /* a CUresult */
const char *cuda_last_error(void);

pleach_status cuda_describe(int gpu, char *line, size_t line_size);

/* Makes this GPU the calling thread's current one. Returns OK if it can be used. */
pleach_status cuda_use(int gpu);

#ifdef __cplusplus
}
#endif

/* Returns a pleach_status from the enclosing function at the first CUDA call that fails. */
#define CUDA_TRY(call)                                                                                           \
    do {                                                                                                         \
        cudaError_t error_ = (call);                                                                             \
        if (error_ != cudaSuccess) return cuda_status(error_);                                                   \
    } while (0)

/* Runs a call with the GPU of an object (its member `gpu`) current, restores the caller's choice of GPU, and returns
 * the call's pleach_status from the enclosing function. The call may free the object. */
#define ON_GPU(object, call)                                                                                     \
    do {                                                                                                         \
        int gpu_ = (object)->gpu, before_ = gpu_;                                                                \
        cudaGetDevice(&before_);                                                                                 \
        if (before_ != gpu_) CUDA_TRY(cudaSetDevice(gpu_));                                                      \
        pleach_status status_ = (call);                                                                          \
        if (before_ != gpu_) cudaSetDevice(before_);                                                             \
        return status_;                                                                                          \
    } while (0)

#endif
