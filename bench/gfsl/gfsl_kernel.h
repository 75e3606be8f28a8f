/* gfsl_kernel.h - the kernel of gfsl_device.h, once for each structure. The file that includes it has
 * defined VIEW, what it is to add, erase and ask for a key of K bits, what surrounds a block's stay in the structure,
 * and GFSL_RUN, the name of the function that launches it. */
#include "gfsl_device.h"

/* A kernel for blocks of any size may use 64 registers a thread; smaller blocks get one that may use more. */
enum { GFSL_SMALL_BLOCK = 256, GFSL_LARGE_BLOCK = 1024 };

/* Threads of a warp have neighbouring operations, of whatever kinds. All threads of a block make the same number of
 * stays, because they enter and leave together. */
#define DEFINE_GFSL(bits, most)                                                                                  \
    static __device__ __forceinline__ uint8_t gfsl_one##bits##_##most(const VIEW &view, const gfsl_work &w,      \
                                                                      uint64_t i AGENT_PARAMETER)                \
    {                                                                                                            \
        const uint##bits##_t key = ((const uint##bits##_t *)w.keys)[i];                                          \
        const uint8_t kind = w.kinds[i];                                                                         \
        if (kind == GFSL_CONTAINS) return CONTAINS(bits, view, key) ? GFSL_YES : GFSL_NO;                        \
        return kind == GFSL_INSERT ? ADD(bits, view, key) : ERASE(bits, view, key);                              \
    }                                                                                                            \
    static __global__ void __launch_bounds__(most)                                                               \
        gfsl##bits##_##most(const __grid_constant__ VIEW view, const __grid_constant__ gfsl_work w)              \
    {                                                                                                            \
        const uint64_t stay = (uint64_t)blockDim.x * w.stay;                                                     \
        AGENT;                                                                                                   \
        for (uint64_t first = blockIdx.x * stay; first < w.n; first += gridDim.x * stay) {                       \
            ENTER(view);                                                                                         \
            for (uint64_t i = first + threadIdx.x; i < first + stay && i < w.n; i += blockDim.x)                 \
                w.answers[i] = gfsl_one##bits##_##most(view, w, i AGENT_ARGUMENT);                               \
            LEAVE(view);                                                                                         \
        }                                                                                                        \
    }

DEFINE_GFSL(32, 256)
DEFINE_GFSL(32, 1024)
DEFINE_GFSL(64, 256)
DEFINE_GFSL(64, 1024)

/* Stays are shorter where there would not be enough of them for the whole GPU. */
static uint32_t gfsl_stay(const struct gfsl_work *work, uint64_t multiprocessors)
{
    enum { THREADS_TO_FILL = 1024 };
    const uint64_t most = work->n / (multiprocessors * THREADS_TO_FILL);
    return most < 1 ? 1 : most < work->stay ? (uint32_t)most : work->stay;
}

pleach_status GFSL_RUN(VIEW view, const struct gfsl_work *work, pleach_stream stream)
{
    int gpu = 0, multiprocessors = 1;
    if (cudaGetDevice(&gpu) != cudaSuccess ||
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu) != cudaSuccess)
        return PLEACH_E_CUDA;
    struct gfsl_work w = *work;
    w.stay = gfsl_stay(work, (uint64_t)multiprocessors);
    const uint64_t each = (uint64_t)w.block * w.stay, stays = (w.n + each - 1) / each;
    const uint64_t at_once = (uint64_t)w.blocks_per_sm * (uint64_t)multiprocessors;
    const unsigned blocks = (unsigned)(at_once > 0 && at_once < stays ? at_once : stays);
    const bool small = w.block <= GFSL_SMALL_BLOCK;
    void (*const kernel)(VIEW, gfsl_work) = w.bits == 32 ? (small ? gfsl32_256 : gfsl32_1024)
                                                         : (small ? gfsl64_256 : gfsl64_1024);
    kernel<<<blocks, w.block, 0, (cudaStream_t)stream>>>(view, w);
    return cudaGetLastError() == cudaSuccess ? PLEACH_OK : PLEACH_E_CUDA;
}
