/* baseline_cuda.cu - kernels of the baselines, and merges by CUB: a template library, so that these lines are C++. */
#include "baseline_cuda.h"

#include <cub/device/device_merge.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "coupled.h"

#define STEP_BITS 32
#include "baseline_steps.h"
#undef STEP_BITS
#define STEP_BITS 64
#include "baseline_steps.h"
#undef STEP_BITS

enum { THREADS = 256, MOST_BLOCKS = 1 << 16, COUPLED_BLOCKS_PER_SM = 4, WARP = 32 };

static unsigned blocks_for(uint64_t n)
{
    const uint64_t blocks = (n + THREADS - 1) / THREADS, most = MOST_BLOCKS;
    return (unsigned)(blocks < most ? blocks : most);
}

/* ---- a step for each element ---- */

static __device__ void add_total(uint64_t *total, uint64_t sum)
{
    unsigned long long all = sum;
    for (unsigned step = WARP / 2; step > 0; step /= 2) all += __shfl_down_sync(0xffffffffu, all, step);
    if (threadIdx.x % WARP == 0 && all > 0) atomicAdd((unsigned long long *)total, all);
}

/* One kernel for each step, so that none has the registers of another. */
#define DEFINE_STEP(name, step, bits)                                                                            \
    static __global__ void name##_kernel##bits(const __grid_constant__ baseline_work w, uint64_t *total)         \
    {                                                                                                            \
        uint64_t sum = 0;                                                                                        \
        for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < w.n;                                 \
             i += (uint64_t)gridDim.x * THREADS)                                                                 \
            sum += baseline_step##bits(&w, step, i);                                                             \
        if (total != NULL) add_total(total, sum);                                                                \
    }
#define DEFINE_STEPS(name, step) DEFINE_STEP(name, step, 32) DEFINE_STEP(name, step, 64)

DEFINE_STEPS(find, BASELINE_FIND)
DEFINE_STEPS(range, BASELINE_RANGE)
DEFINE_STEPS(succ, BASELINE_SUCC)
DEFINE_STEPS(strike, BASELINE_STRIKE)
DEFINE_STEPS(new, BASELINE_NEW)
DEFINE_STEPS(last, BASELINE_LAST)
DEFINE_STEPS(live, BASELINE_LIVE)

/* One thread of each warp: see coupled.h. */
static __global__ void coupled_kernel(const __grid_constant__ baseline_work w)
{
    const uint64_t warp = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / WARP;
    const uint64_t warps = (uint64_t)gridDim.x * THREADS / WARP;
    if (threadIdx.x % WARP != 0) return;
    for (uint64_t i = warp; i < w.n; i += warps) coupled_step(&w, i);
}

typedef void step_kernel(const baseline_work w, uint64_t *total);

static step_kernel *kernel_of(const baseline_work *work)
{
    static step_kernel *const kernels[][2] = {
        {find_kernel32, find_kernel64},     {range_kernel32, range_kernel64}, {succ_kernel32, succ_kernel64},
        {strike_kernel32, strike_kernel64}, {new_kernel32, new_kernel64},     {last_kernel32, last_kernel64},
        {live_kernel32, live_kernel64}};
    return kernels[work->step][work->bits == 64];
}

static cudaError_t run_coupled(const baseline_work *work, cudaStream_t stream)
{
    int gpu = 0, multiprocessors = 1;
    cudaError_t error = cudaGetDevice(&gpu);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu);
    if (error != cudaSuccess) return error;
    coupled_kernel<<<(unsigned)multiprocessors * COUPLED_BLOCKS_PER_SM, THREADS, 0, stream>>>(*work);
    return cudaGetLastError();
}

cudaError_t baseline_cuda_each(const baseline_work *work, uint64_t *total, cudaStream_t stream)
{
    if (work->n == 0) return cudaSuccess;
    cudaGetLastError(); /* an earlier call's would pass for the launch's */
    if (work->step >= BASELINE_COUPLED_INSERT) return run_coupled(work, stream);
    kernel_of(work)<<<blocks_for(work->n), THREADS, 0, stream>>>(*work, total);
    return cudaGetLastError();
}

/* ---- merge ---- */

template <typename Word>
static cudaError_t merge_pairs(void *scratch, size_t *bytes, const baseline_run *older, const baseline_run *newer,
                               const baseline_run *to, cudaStream_t stream)
{
    return cub::DeviceMerge::MergePairs(scratch, *bytes, (const Word *)older->keys, (const Word *)older->values,
                                        (int64_t)older->n, (const Word *)newer->keys, (const Word *)newer->values,
                                        (int64_t)newer->n, (Word *)to->keys, (Word *)to->values,
                                        ::cuda::std::less<Word>{}, stream);
}

cudaError_t baseline_cuda_merge(void *scratch, size_t *bytes, unsigned bits, const baseline_run *older,
                                const baseline_run *newer, const baseline_run *to, cudaStream_t stream)
{
    return bits == 32 ? merge_pairs<uint32_t>(scratch, bytes, older, newer, to, stream)
                      : merge_pairs<uint64_t>(scratch, bytes, older, newer, to, stream);
}

/* With tombstones, keys are merged with their places, and the rest is fetched from there. */
template <typename Word>
static cudaError_t merge_places(void *scratch, size_t *bytes, const baseline_run *older, const baseline_run *newer,
                                const baseline_run *to, uint32_t *places, cudaStream_t stream)
{
    return cub::DeviceMerge::MergePairs(scratch, *bytes, (const Word *)older->keys,
                                        thrust::counting_iterator<uint32_t>(0), (int64_t)older->n,
                                        (const Word *)newer->keys,
                                        thrust::counting_iterator<uint32_t>((uint32_t)older->n), (int64_t)newer->n,
                                        (Word *)to->keys, places, ::cuda::std::less<Word>{}, stream);
}

#define DEFINE_FETCH(bits)                                                                                       \
    static __global__ void fetch_kernel##bits(const __grid_constant__ baseline_run older,                        \
                                              const __grid_constant__ baseline_run newer,                        \
                                              const __grid_constant__ baseline_run to, const uint32_t *places)   \
    {                                                                                                            \
        for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < older.n + newer.n;                   \
             i += (uint64_t)gridDim.x * THREADS) {                                                               \
            const bool is_new = places[i] >= older.n;                                                            \
            const uint64_t place = is_new ? places[i] - older.n : places[i];                                     \
            const uint8_t *dead = is_new ? newer.dead : older.dead;                                              \
            ((uint##bits##_t *)to.values)[i] = ((const uint##bits##_t *)(is_new ? newer.values                   \
                                                                                : older.values))[place];         \
            to.dead[i] = dead != NULL && dead[place];                                                            \
        }                                                                                                        \
    }
DEFINE_FETCH(32)
DEFINE_FETCH(64)

cudaError_t baseline_cuda_merge_dead(void *scratch, size_t *bytes, unsigned bits, const baseline_run *older,
                                     const baseline_run *newer, const baseline_run *to, uint32_t *places,
                                     cudaStream_t stream)
{
    const uint64_t n = older->n + newer->n;
    cudaError_t error = bits == 32 ? merge_places<uint32_t>(scratch, bytes, older, newer, to, places, stream)
                                   : merge_places<uint64_t>(scratch, bytes, older, newer, to, places, stream);
    if (error != cudaSuccess || scratch == NULL || n == 0) return error;
    if (bits == 32)
        fetch_kernel32<<<blocks_for(n), THREADS, 0, stream>>>(*older, *newer, *to, places);
    else
        fetch_kernel64<<<blocks_for(n), THREADS, 0, stream>>>(*older, *newer, *to, places);
    return cudaGetLastError();
}
