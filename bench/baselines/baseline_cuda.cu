/* baseline_cuda.cu - kernels of the baselines. */
#include "baseline_cuda.h"

#include "coupled.h"

#define STEP_BITS 32
#include "baseline_merge.h"
#include "baseline_steps.h"
#undef STEP_BITS
#define STEP_BITS 64
#include "baseline_merge.h"
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

/* By a kernel of its own: a block that first looked for its cuts would have nothing else to do meanwhile. */
#define DEFINE_CUTS(bits)                                                                                        \
    static __global__ void cut_kernel##bits(const __grid_constant__ baseline_run older,                          \
                                            const __grid_constant__ baseline_run newer, uint64_t cuts,           \
                                            uint64_t *to)                                                        \
    {                                                                                                            \
        const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;                                         \
        if (i < cuts) to[i] = merge_cut##bits(&older, &newer, i);                                                \
    }
DEFINE_CUTS(32)
DEFINE_CUTS(64)

/* A block for each tile. With 64 registers a thread four of them are on a multiprocessor: while one merges, others
 * wait for memory. */
#define DEFINE_MERGE(name, bits, has_dead)                                                                       \
    static __global__ void __launch_bounds__(MERGE_THREADS, 4)                                                   \
        name##bits(const __grid_constant__ baseline_run older, const __grid_constant__ baseline_run newer,       \
                   const __grid_constant__ baseline_run to, const uint64_t *cuts)                                \
    {                                                                                                            \
        __shared__ merge_tile##bits tile;                                                                        \
        merge_part##bits part;                                                                                   \
        const merge_span span = merge_span##bits(&older, &newer, cuts + blockIdx.x, blockIdx.x);                 \
        merge_fetch##bits(&older, &newer, &span, has_dead, threadIdx.x, &part);                                  \
        merge_stage##bits(&tile, &span, has_dead, threadIdx.x, &part);                                           \
        __syncthreads();                                                                                         \
        merge_take##bits(&tile, &span, has_dead, threadIdx.x, &part);                                            \
        __syncthreads();                                                                                         \
        merge_lay##bits(&tile, &span, has_dead, threadIdx.x, &part);                                             \
        __syncthreads();                                                                                         \
        merge_write##bits(&to, &tile, &span, has_dead, threadIdx.x);                                             \
    }
DEFINE_MERGE(merge_kernel, 32, false)
DEFINE_MERGE(merge_kernel, 64, false)
DEFINE_MERGE(merge_dead_kernel, 32, true)
DEFINE_MERGE(merge_dead_kernel, 64, true)

static uint64_t tiles_for(unsigned bits, uint64_t n)
{
    const uint64_t tile = bits == 32 ? MERGE_TILE32 : MERGE_TILE64;
    return (n + tile - 1) / tile;
}

size_t baseline_cuda_merge_bytes(unsigned bits, uint64_t n) { return (tiles_for(bits, n) + 1) * sizeof(uint64_t); }

typedef void merge_kernel(const baseline_run older, const baseline_run newer, const baseline_run to,
                          const uint64_t *cuts);

cudaError_t baseline_cuda_merge(void *scratch, unsigned bits, const baseline_run *older, const baseline_run *newer,
                                const baseline_run *to, cudaStream_t stream)
{
    static merge_kernel *const kernels[2][2] = {{merge_kernel32, merge_kernel64},
                                                {merge_dead_kernel32, merge_dead_kernel64}};
    const uint64_t tiles = tiles_for(bits, older->n + newer->n), cuts = tiles + 1;
    const unsigned cut_blocks = (unsigned)((cuts + THREADS - 1) / THREADS);
    uint64_t *const at = (uint64_t *)scratch;
    if (tiles == 0) return cudaSuccess;
    cudaGetLastError(); /* an earlier call's would pass for the launch's */
    if (bits == 32)
        cut_kernel32<<<cut_blocks, THREADS, 0, stream>>>(*older, *newer, cuts, at);
    else
        cut_kernel64<<<cut_blocks, THREADS, 0, stream>>>(*older, *newer, cuts, at);
    kernels[to->dead != NULL][bits == 64]<<<(unsigned)tiles, MERGE_THREADS, 0, stream>>>(*older, *newer, *to, at);
    return cudaGetLastError();
}
