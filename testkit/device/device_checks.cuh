/* testkit/device/device_checks.cuh - for test programs with kernels of their own: counts what was expected, and moves
 * arrays to the GPU and back. main closes with a line "N passed, N failed", made of the two counters. */
#ifndef PLEACH_TEST_DEVICE_CHECKS_CUH
#define PLEACH_TEST_DEVICE_CHECKS_CUH

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <pleach/pleach.h>

static int passed, failed;

static inline bool expect(bool good, unsigned bits, const char *what)
{
    good ? passed++ : failed++;
    printf("%s  %u-bit: %s\n", good ? "ok    " : "FAILED", bits, what);
    fflush(stdout);
    return good;
}

static inline __device__ uint32_t thread_number(void) { return blockIdx.x * blockDim.x + threadIdx.x; }

/* n elements on the GPU: copies, or zeros if there is nothing to copy. Ends the program if there is no memory. */
template <typename T> static T *on_device(size_t n, const T *from)
{
    T *there = NULL;
    cudaError_t error = cudaMalloc(&there, n * sizeof(T));
    if (error == cudaSuccess)
        error = from ? cudaMemcpy(there, from, n * sizeof(T), cudaMemcpyHostToDevice)
                     : cudaMemset(there, 0, n * sizeof(T));
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    if (error == cudaSuccess) return there;
    printf("FAILED  %s\n%d passed, %d failed\n", cudaGetErrorString(error), passed, failed + 1);
    exit(EXIT_FAILURE);
}

/* Copies the elements back, unless `to` is NULL, and frees their memory on the GPU. */
template <typename T> static bool from_device(size_t n, T *there, T *to)
{
    const bool good = !to || cudaMemcpy(to, there, n * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess;
    return cudaFree(there) == cudaSuccess && good;
}

static inline bool kernels_end(unsigned bits, const char *what)
{
    const cudaError_t launched = cudaGetLastError(), ended = cudaDeviceSynchronize();
    if (launched == cudaSuccess && ended == cudaSuccess) return true;
    char text[200];
    snprintf(text, sizeof text, "%s: %s", what, cudaGetErrorString(launched != cudaSuccess ? launched : ended));
    return expect(false, bits, text);
}

static inline void expect_valid(unsigned bits, pleach_map *map)
{
    char message[160] = "";
    const pleach_status status = pleach_map_validate(map, message, sizeof message);
    expect(status == PLEACH_OK, bits, status == PLEACH_OK ? "the map is valid" : message);
}

#endif
