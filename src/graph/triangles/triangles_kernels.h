/* graph/triangles/triangles_kernels.h - common parts of the kernels that count triangles. Included by .cu files. */
#ifndef PLEACH_TRIANGLES_KERNELS_H
#define PLEACH_TRIANGLES_KERNELS_H

#include <stdbool.h>

#include "triangles_launch.h"

enum { TRIANGLE_THREADS = 256, TRIANGLE_WARPS = TRIANGLE_THREADS / 32 };

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ unsigned lane_of(void) { return threadIdx.x % 32; }
static __device__ __forceinline__ unsigned warp_of(void) { return threadIdx.x / 32; }

/* Returns how many lanes of `votes` come before this one. */
static __device__ __forceinline__ unsigned before_lane(unsigned votes, unsigned lane)
{
    return __popc(votes & ((1u << lane) - 1));
}

/* Sum over the whole warp, in lane 0. */
static __device__ __forceinline__ uint64_t warp_sum(uint64_t value)
{
    for (unsigned step = 16; step > 0; step /= 2) value += __shfl_down_sync(ALL_LANES, value, step);
    return value;
}

/* Returns the first of the next `many` vertices for this warp. */
static __device__ __forceinline__ uint64_t warp_ticket(unsigned long long *ticket, unsigned lane, unsigned many)
{
    unsigned long long first = 0;
    if (lane == 0) first = atomicAdd(ticket, (unsigned long long)many);
    return __shfl_sync(ALL_LANES, first, 0);
}

static __device__ __forceinline__ void charge(const triangle_graph *g, uint32_t number, uint64_t triangles)
{
    if (triangles) atomicAdd((unsigned long long *)&g->by_vertex[g->id[number]], (unsigned long long)triangles);
}

/* Called by all warps at the end of a kernel. */
static __device__ __forceinline__ void add_to_total(const triangle_graph *g, uint64_t triangles)
{
    triangles = warp_sum(triangles);
    if (lane_of() == 0 && triangles) atomicAdd(&g->notes->total, (unsigned long long)triangles);
}

typedef void triangle_kernel(triangle_graph);

/* Computes how many blocks run at once. They take vertices, largest degrees first, until none are left. What their
 * shared memory leaves is L1 cache, so the driver is informed how much they need. */
static cudaError_t blocks_at_once(triangle_kernel *kernel, unsigned *blocks)
{
    int gpu, processors, each, most;
    struct cudaFuncAttributes kernels;
    cudaError_t error = cudaGetDevice(&gpu);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, gpu);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, gpu);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, TRIANGLE_THREADS, 0);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&kernels, kernel);
    if (error != cudaSuccess) return error;
    int needed = each * ((int)kernels.sharedSizeBytes + 1024), percent = (int)((100ll * needed + most - 1) / most);
    *blocks = (unsigned)(processors * (each > 0 ? each : 1));
    return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent < 100 ? percent : 100);
}

static cudaError_t launch_at_once(triangle_kernel *kernel, const triangle_graph *g, cudaStream_t stream)
{
    unsigned blocks = 0;
    triangle_graph argument = *g;
    void *arguments[] = {&argument};
    cudaError_t error = blocks_at_once(kernel, &blocks);
    if (error != cudaSuccess) return error;
    return cudaLaunchKernel(kernel, dim3(blocks), dim3(TRIANGLE_THREADS), arguments, 0, stream);
}

#endif
