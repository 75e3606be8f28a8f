/* tool_device_cuda.c - data and timed calls in GPU memory; nothing unless this command is built with CUDA
 * (PLEACH_TOOLS_CUDA). */
#include "tool_device.h"

#ifdef PLEACH_TOOLS_CUDA

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

/* What the timed calls run on; made by tool_device_cuda. */
static cudaStream_t timed_stream;
static cudaEvent_t started, stopped;

static void *cuda_allocate(size_t bytes)
{
    void *memory = NULL;
    if (cudaMalloc(&memory, bytes > 0 ? bytes : 1) == cudaSuccess) return memory; /* of none it gives NULL */
    (void)cudaGetLastError(); /* so that it is not taken for a later call's error */
    return NULL;
}

static void cuda_release(void *memory) { cudaFree(memory); }

static bool cuda_copy_in(void *memory, const void *host, size_t bytes)
{
    return cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess;
}

static bool cuda_copy_out(void *host, const void *memory, size_t bytes)
{
    return cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
}

static bool cuda_fill(void *memory, int byte, size_t bytes)
{
    return cudaMemset(memory, byte, bytes) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}

/* For a profiler that is to see the timed calls and no others, as scripts/profile has it. */
static bool is_profiled(void) { return getenv("PLEACH_PROFILE") != NULL; }

/* A call that only exists as a synchronous one is framed by the events just the same. */
static pleach_status cuda_time(tool_call *call, void *context, double *seconds)
{
    float milliseconds = 0;
    if (is_profiled()) (void)cudaProfilerStart();
    if (cudaEventRecord(started, timed_stream) != cudaSuccess) return PLEACH_E_CUDA;
    const pleach_status status = call(context, timed_stream);
    if (cudaEventRecord(stopped, timed_stream) != cudaSuccess || cudaEventSynchronize(stopped) != cudaSuccess ||
        cudaEventElapsedTime(&milliseconds, started, stopped) != cudaSuccess)
        return PLEACH_E_CUDA;
    if (is_profiled()) (void)cudaProfilerStop();
    *seconds = 1e-3 * milliseconds;
    return status;
}

static bool cuda_open_stream(pleach_stream *stream)
{
    int least = 0, greatest = 0;
    cudaStream_t opened;
    if (cudaDeviceGetStreamPriorityRange(&least, &greatest) != cudaSuccess) return false;
    if (cudaStreamCreateWithPriority(&opened, cudaStreamNonBlocking, greatest) != cudaSuccess) return false;
    *stream = opened;
    return true;
}

static bool cuda_wait_stream(pleach_stream stream) { return cudaStreamSynchronize(stream) == cudaSuccess; }

static void cuda_close_stream(pleach_stream stream) { cudaStreamDestroy(stream); }

static const struct tool_device cuda_device = {
    .name = "cuda",
    .kind = PLEACH_CUDA,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .copy_in = cuda_copy_in,
    .copy_out = cuda_copy_out,
    .fill = cuda_fill,
    .time = cuda_time,
    .open_stream = cuda_open_stream,
    .wait_stream = cuda_wait_stream,
    .close_stream = cuda_close_stream,
};

const struct tool_device *tool_device_cuda(const char **why)
{
    cudaError_t error = cudaSuccess;
    if (timed_stream == NULL) error = cudaStreamCreateWithFlags(&timed_stream, cudaStreamNonBlocking);
    if (error == cudaSuccess && started == NULL) error = cudaEventCreate(&started);
    if (error == cudaSuccess && stopped == NULL) error = cudaEventCreate(&stopped);
    if (error == cudaSuccess) return &cuda_device;
    *why = cudaGetErrorString(error);
    return NULL;
}

#endif
