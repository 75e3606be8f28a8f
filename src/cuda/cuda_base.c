#include "cuda_base.h"

#include <stdio.h>

static _Thread_local char last_error[256];

const char *cuda_last_error(void) { return last_error; }

pleach_status cuda_status(cudaError_t error)
{
    if (error == cudaSuccess) return PLEACH_OK;
    snprintf(last_error, sizeof last_error, "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
    cudaGetLastError(); /* cleared, so that the user's next call does not find it */
    static const cudaError_t no_gpu[] = {cudaErrorNoDevice,      cudaErrorInsufficientDriver,    cudaErrorInvalidDevice,
                                         cudaErrorStubLibrary,   cudaErrorSystemDriverMismatch,
                                         cudaErrorNoKernelImageForDevice};
    if (error == cudaErrorMemoryAllocation) return PLEACH_E_MEMORY;
    for (size_t i = 0; i < sizeof no_gpu / sizeof no_gpu[0]; i++)
        if (error == no_gpu[i]) return PLEACH_E_NO_GPU;
    return PLEACH_E_CUDA;
}

pleach_status cuda_driver_status(int driver_error)
{
    enum { DRIVER_OUT_OF_MEMORY = 2 };
    if (driver_error == 0) return PLEACH_OK;
    snprintf(last_error, sizeof last_error, "CUDA driver error %d", driver_error);
    return driver_error == DRIVER_OUT_OF_MEMORY ? PLEACH_E_MEMORY : PLEACH_E_CUDA;
}

pleach_status cuda_use(int gpu)
{
    int count = 0;
    CUDA_TRY(cudaGetDeviceCount(&count));
    if (gpu < 0 || gpu >= count) return cuda_status(cudaErrorInvalidDevice);
    CUDA_TRY(cudaSetDevice(gpu));
    return PLEACH_OK;
}

pleach_status cuda_describe(int gpu, char *line, size_t line_size)
{
    int count = 0, driver = 0, runtime = 0, clock = 0, memory_clock = 0;
    struct cudaDeviceProp properties;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && (gpu < 0 || gpu >= count)) error = cudaErrorInvalidDevice;
    if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, gpu);
    if (error != cudaSuccess) {
        cuda_status(error);
        if (line && line_size)
            snprintf(line, line_size, "no usable GPU: %s (built with CUDA %d.%d)",
                     driver ? cudaGetErrorString(error) : "there is no NVIDIA driver", runtime / 1000,
                     runtime % 1000 / 10);
        return PLEACH_E_NO_GPU;
    }
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, gpu); /* in kHz; 0 if it is not reported */
    cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, gpu);
    (void)cudaGetLastError(); /* cleared, so that a later call does not report it */
    if (line && line_size)
        snprintf(line, line_size,
                 "%s, compute capability %d.%d, %d multiprocessors at up to %d MHz, %.0f GiB at %d MHz, "
                 "driver for CUDA %d.%d",
                 properties.name, properties.major, properties.minor, properties.multiProcessorCount, clock / 1000,
                 (double)properties.totalGlobalMem / (1 << 30), memory_clock / 1000, driver / 1000,
                 driver % 1000 / 10);
    return PLEACH_OK;
}
