/* CUDA C++ as pleach writes it, for an emulated GPU: .cu files come here after launches.py has read them. */
#ifndef PLEACH_CUDA_HOST_RUNTIME_H
#define PLEACH_CUDA_HOST_RUNTIME_H

#include <string.h>

#include <tuple>
#include <type_traits>

#include "hostgpu.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __restrict__ __restrict
#define __launch_bounds__(...)

struct dim3 : hostgpu_size {
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : hostgpu_size{x_, y_, z_} {}
};
struct uint4 { unsigned x, y, z, w; };
struct ulonglong2 { unsigned long long x, y; };
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }

#define threadIdx (hostgpu_now->thread)
#define blockIdx (hostgpu_now->block)
#define blockDim (hostgpu_now->threads)
#define gridDim (hostgpu_now->blocks)
#define warpSize 32

/* ---- launches: launches.py writes kernel<<<...>>>(arguments) as hostgpu_on("kernel", kernel, ...)(arguments) ---- */

template <typename... P> struct hostgpu_call {
    void (*kernel)(P...);
    std::tuple<P...> arguments;
    static void run(void *call) { std::apply(((hostgpu_call *)call)->kernel, ((hostgpu_call *)call)->arguments); }
    static void drop(void *call) { delete (hostgpu_call *)call; }
};

template <typename... P> struct hostgpu_ready {
    void (*kernel)(P...);
    const char *name;
    dim3 blocks, threads;
    cudaStream_t stream;
    bool together;
    cudaError_t operator()(P... arguments) const
    {
        auto *call = new hostgpu_call<P...>{kernel, std::tuple<P...>(arguments...)};
        return hostgpu_launch(blocks, threads, stream, together, name, call->run, call->drop, call);
    }
};

template <typename... P>
static inline hostgpu_ready<P...> hostgpu_on(const char *name, void (*kernel)(P...), dim3 blocks, dim3 threads,
                                                   size_t dynamic_shared = 0, cudaStream_t stream = 0)
{
    (void)dynamic_shared; /* launches.py refuses declarations of it */
    return {kernel, name, blocks, threads, stream, false};
}

/* The arguments by their addresses, as CUDA's two calls for launches have them. */
template <typename... P, size_t... I>
static cudaError_t hostgpu_launch_with(hostgpu_ready<P...> ready, void **arguments, std::index_sequence<I...>)
{
    return ready(*(std::remove_const_t<P> *)arguments[I]...);
}

template <typename... P>
static cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 blocks, dim3 threads, void **arguments, size_t,
                                    cudaStream_t stream)
{
    hostgpu_ready<P...> ready = {kernel, "given to cudaLaunchKernel", blocks, threads, stream, false};
    return hostgpu_launch_with(ready, arguments, std::index_sequence_for<P...>());
}

template <typename... P>
static cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 blocks, dim3 threads, void **arguments,
                                               size_t, cudaStream_t stream)
{
    hostgpu_ready<P...> ready = {kernel, "given to cudaLaunchCooperativeKernel", blocks, threads, stream, true};
    return hostgpu_launch_with(ready, arguments, std::index_sequence_for<P...>());
}

template <typename... P>
static cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(P...), int threads,
                                                                 size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, threads, shared);
}

template <typename... P>
static cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, void (*kernel)(P...))
{
    return cudaFuncGetAttributes(attributes, (const void *)kernel);
}

template <typename... P>
static cudaError_t cudaFuncSetAttribute(void (*kernel)(P...), enum cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}

template <typename T> static cudaError_t cudaMalloc(T **memory, size_t bytes) { return cudaMalloc((void **)memory, bytes); }
template <typename T> static cudaError_t cudaMallocHost(T **memory, size_t bytes)
{
    return cudaMallocHost((void **)memory, bytes);
}
template <typename T> static cudaError_t cudaMallocManaged(T **memory, size_t bytes)
{
    return cudaMallocManaged((void **)memory, bytes, cudaMemAttachGlobal);
}

/* ---- lanes and blocks ---- */

static inline void __syncwarp(unsigned mask = 0xffffffffu) { hostgpu_warp_sync(mask); }
static inline unsigned __ballot_sync(unsigned mask, int yes) { return hostgpu_vote(mask, yes != 0); }
static inline int __any_sync(unsigned mask, int yes) { return hostgpu_vote(mask, yes != 0) != 0; }
static inline int __all_sync(unsigned mask, int yes) { return hostgpu_vote(mask, yes == 0) == 0; }

template <typename T> static inline T hostgpu_take(unsigned mask, T value, unsigned source)
{
    static_assert(sizeof value <= sizeof(uint64_t), "lanes exchange eight bytes at most");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = hostgpu_shuffle(mask, bits, source);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Lanes of a warp are numbered along x: pleach's blocks have one dimension. */
static inline unsigned hostgpu_lane(void) { return threadIdx.x % 32; }

template <typename T> static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32)
{
    return hostgpu_take(mask, value, hostgpu_lane() / width * width + (unsigned)source % width);
}
template <typename T> static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)
{
    unsigned lane = hostgpu_lane(), source = lane ^ (unsigned)bits;
    return hostgpu_take(mask, value, source / width > lane / width ? lane : source);
}
template <typename T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned step, int width = 32)
{
    unsigned lane = hostgpu_lane();
    return hostgpu_take(mask, value, lane % width + step < (unsigned)width ? lane + step : lane);
}
template <typename T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned step, int width = 32)
{
    unsigned lane = hostgpu_lane();
    return hostgpu_take(mask, value, lane % width >= step ? lane - step : lane);
}

static inline void __syncthreads(void)
{
    unsigned all;
    hostgpu_block_sync(false, &all);
}
static inline int __syncthreads_count(int yes)
{
    unsigned all;
    return (int)hostgpu_block_sync(yes != 0, &all);
}
static inline int __syncthreads_or(int yes) { return __syncthreads_count(yes) != 0; }
static inline int __syncthreads_and(int yes)
{
    unsigned all, agreed = hostgpu_block_sync(yes != 0, &all);
    return agreed == all;
}

template <typename T> static inline T &hostgpu_shared_variable(const void *tag)
{
    return *(T *)hostgpu_shared(tag, sizeof(T), alignof(T));
}

static inline void __nanosleep(unsigned nanoseconds) { hostgpu_pause(nanoseconds); }
static inline void __threadfence(void) {}
static inline void __threadfence_block(void) {}

/* ---- atomics: of device scope, and relaxed ---- */

#define HOSTGPU_ATOMIC(name, ...)                                                                                \
    template <typename T, typename V> static inline T name(T *p, V value_)                                       \
    {                                                                                                            \
        T value = (T)value_;                                                                                     \
        hostgpu_touch(p, sizeof(T));                                                                             \
        T old = __atomic_load_n(p, HOSTGPU_LOAD);                                                            \
        while (!__atomic_compare_exchange_n(p, &old, (__VA_ARGS__), false, HOSTGPU_BOTH, HOSTGPU_LOAD)) {}           \
        return old;                                                                                              \
    }
HOSTGPU_ATOMIC(atomicAdd, (T)(old + value))
HOSTGPU_ATOMIC(atomicSub, (T)(old - value))
HOSTGPU_ATOMIC(atomicOr, (T)(old | value))
HOSTGPU_ATOMIC(atomicAnd, (T)(old & value))
HOSTGPU_ATOMIC(atomicExch, value)
HOSTGPU_ATOMIC(atomicMin, old < value ? old : value)
HOSTGPU_ATOMIC(atomicMax, old > value ? old : value)
#undef HOSTGPU_ATOMIC

template <typename T, typename U, typename V> static inline T atomicCAS(T *p, U expected_, V desired_)
{
    T expected = (T)expected_, desired = (T)desired_;
    hostgpu_touch(p, sizeof(T));
    __atomic_compare_exchange_n(p, &expected, desired, false, HOSTGPU_BOTH, HOSTGPU_LOAD);
    return expected;
}

/* ---- arithmetic ---- */

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
template <typename T> static inline T __ldg(const T *p) { return *p; }
template <typename T> static inline T __ldcg(const T *p) { return *p; }
template <typename T> static inline T __ldcs(const T *p) { return *p; }
template <typename T, typename U> static inline void __stcg(T *p, U value) { *p = (T)value; }
template <typename T, typename U> static inline auto min(T a, U b) { return a < b ? a : b; }
template <typename T, typename U> static inline auto max(T a, U b) { return a > b ? a : b; }

#include "hostgpu_ptx.h"

#endif
