/* cuda/cuda_base.h - CUDA's errors as pleach's, and which GPUs there are. libcuda is not linked: a build with CUDA
 * loads and runs where there is no driver. */
#ifndef PLEACH_CUDA_BASE_H
#define PLEACH_CUDA_BASE_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "../../include/pleach/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Remembers the error's text for pleach_cuda_error() and answers the status that fits it. */
pleach_status cuda_status(cudaError_t error);
pleach_status cuda_driver_status(int driver_error); /* a CUresult */
const char *cuda_last_error(void);

pleach_status cuda_describe(int gpu, char *line, size_t line_size);

/* OK if this GPU can be used; makes it the calling thread's current one. */
pleach_status cuda_use(int gpu);

#ifdef __cplusplus
}
#endif

/* Leaves the enclosing function, which answers a pleach_status, at the first CUDA call that fails. */
#define CUDA_TRY(call)                                                                                           \
    do {                                                                                                         \
        cudaError_t error_ = (call);                                                                             \
        if (error_ != cudaSuccess) return cuda_status(error_);                                                   \
    } while (0)

/* Runs a call with the GPU of an object (its member `gpu`) current, leaves the caller's choice of GPU as it was, and
 * the enclosing function, which answers a pleach_status. The call may free the object. */
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
