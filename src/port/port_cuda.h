/* port/port_cuda.h - the port contract on the PTX memory model and on what NVIDIA GPUs do.
 *
 * A device-scope acquire (ld.acquire.gpu, atom.acquire.gpu, fence.acq_rel.gpu) invalidates the whole L1 of the
 * multiprocessor (CCTL.IVALL in its machine code), including the inner nodes of other threads. The fast paths therefore
 * never acquire at device scope. Where the contract requires that later loads are not performed before earlier ones,
 * they use relaxed device-scope accesses and a CTA-scope fence. Such accesses are all performed at L2, the one point
 * that all multiprocessors share; the fence keeps them in order (MEMBAR.CTA: the thread continues only when its earlier
 * accesses are performed; L1 is kept). PTX promises this order only among the threads of one CTA. That accesses
 * performed at L2 in order are seen in order by every thread is a hardware property that these functions rely on.
 */
#ifndef PLEACH_PORT_CUDA_H
#define PLEACH_PORT_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#ifndef PLEACH_SIM
#include "ptx.h"
#define PORT_FN static __device__ __forceinline__
#define PORT_COLD static __device__ __noinline__
#define PORT_UNROLL _Pragma("unroll")
#define PORT_LOOP _Pragma("unroll 1")
#endif

PORT_FN uint64_t port_load(const uint64_t *p)
{
    uint64_t v;
    PTX_LOAD(v, relaxed, gpu, p);
    return v;
}

/* A relaxed load at CTA scope is served by L1: one access, as fresh as the line that L1 holds. */
PORT_FN uint64_t port_load_cached(const uint64_t *p)
{
    uint64_t v;
    PTX_LOAD(v, relaxed, cta, p);
    return v;
}

PORT_FN uint64_t port_load_acquire(const uint64_t *p)
{
    uint64_t v;
    PTX_LOAD(v, acquire, gpu, p);
    return v;
}

PORT_FN void port_store(uint64_t *p, uint64_t v) { PTX_STORE(relaxed, gpu, p, v); }
PORT_FN void port_store_release(uint64_t *p, uint64_t v) { PTX_STORE(release, gpu, p, v); }

typedef struct port_two { uint64_t first, second; } port_two;

PORT_FN port_two port_load_two(const uint64_t *p)
{
    port_two two;
    PTX_LOAD_TWO(two.first, two.second, relaxed, gpu, p);
    return two;
}

PORT_FN port_two port_load_two_cached(const uint64_t *p)
{
    port_two two;
    PTX_LOAD_TWO(two.first, two.second, relaxed, cta, p);
    return two;
}

PORT_FN void port_store_two(uint64_t *p, uint64_t first, uint64_t second)
{
    PTX_STORE_TWO(relaxed, gpu, p, first, second);
}

PORT_FN uint64_t port_fetch_add(uint64_t *p, uint64_t v)
{
    uint64_t old;
    PTX_ADD(old, relaxed, gpu, p, v);
    return old;
}

#ifndef PLEACH_SIM
enum { PORT_ADD_IS_ASYNC = 1 };
PORT_FN void port_add(uint64_t *p, uint64_t v) { PTX_ADD_AWAY(relaxed, gpu, p, v); }
#endif

#ifndef PLEACH_SIM
PORT_FN void port_mark(uint64_t *p, uint64_t bits) { atomicOr((unsigned long long *)p, (unsigned long long)bits); }
#endif

PORT_FN bool port_compare_swap(uint64_t *p, uint64_t expected, uint64_t desired)
{
    uint64_t old;
    PTX_CAS(old, acq_rel, gpu, p, expected, desired);
    return old == expected;
}

PORT_FN void port_publish_fence(void) { PTX_FENCE(release, gpu); }
PORT_FN void port_validate_fence(void) { PTX_FENCE(acq_rel, cta); }
/* Loads have returned when the fence is passed; stores need not be waited for. */
PORT_FN void port_store_after_loads(uint64_t *p, uint64_t v)
{
    PTX_FENCE(acq_rel, cta);
    PTX_STORE(relaxed, gpu, p, v);
}

PORT_FN void port_invalidate_cached(void) { PTX_FENCE(acq_rel, gpu); }
PORT_FN void port_fence_seq_cst(void) { PTX_FENCE(sc, gpu); }
PORT_FN void port_fence_after_latch(void) {} /* port_latch has waited for its swap, which was performed at L2 */

PORT_FN void port_fence_loads(void) { port_validate_fence(); } /* fresh loads are performed at L2, in this order */

PORT_FN void port_load_in_order(const uint64_t *p, uint64_t *first, uint64_t *second)
{
    PTX_LOAD_TWO(*first, *second, relaxed, gpu, p); /* at the same instant */
}

enum { PORT_LINE_WORDS = 4 };

#ifdef PLEACH_SIM /* an agent of the simulator is one thread */
PORT_FN uint32_t port_lane(uint32_t lanes) { return (void)lanes, 0; }
PORT_FN void port_group_sync(uint32_t lanes) { (void)lanes; }
PORT_FN uint32_t port_lane_add(uint32_t *p, uint32_t v) { return (*p += v) - v; }
PORT_FN void port_lane_min(uint64_t *p, uint64_t v)
{
    if (v < *p) *p = v;
}
#else
PORT_FN uint32_t port_lane(uint32_t lanes) { return threadIdx.x % lanes; }
PORT_FN uint32_t port_lane_add(uint32_t *p, uint32_t v) { return atomicAdd(p, v); }
PORT_FN void port_lane_min(uint64_t *p, uint64_t v) { atomicMin((unsigned long long *)p, (unsigned long long)v); }

/* `lanes` is 1 (a thread), 32 (a warp) or a whole block. */
PORT_FN void port_group_sync(uint32_t lanes)
{
    if (lanes == 32)
        __syncwarp();
    else if (lanes > 1)
        __syncthreads();
}
#endif

/* (a) and (b) of the contract: the swap has returned its old value, so it has been performed at L2 before anything
 * after the branch on that value is issued. The fence keeps the compiler and the pipeline from reordering. */
PORT_FN bool port_latch(uint64_t *p, uint64_t even, uint64_t odd)
{
    uint64_t old;
    PTX_CAS(old, relaxed, gpu, p, even, odd);
    if (old != even) return false;
    port_validate_fence();
    return true;
}

/* The address depends on the value, so it is available only once the value is. */
PORT_FN const uint64_t *port_order_after(const uint64_t *p, uint64_t value)
{
#ifdef PLEACH_SIM
    (void)value;
    PTX_AFTER_BRANCH();
    return p;
#else
    uint32_t x = (uint32_t)value, nothing;
    PTX_ZERO_AFTER(nothing, x);
    return p + nothing;
#endif
}

PORT_FN uint64_t port_exchange_owned(uint64_t *p, uint64_t v)
{
    uint64_t old;
    PTX_EXCHANGE(old, relaxed, gpu, p, v);
    return old;
}

PORT_FN uint64_t port_exchange_owned_half(uint64_t *p, unsigned high, uint32_t v)
{
    uint32_t old;
    PTX_EXCHANGE_HALF(old, relaxed, gpu, p, high, v);
    return old;
}

PORT_FN void port_release_after_exchange(uint64_t *p, uint64_t v, uint64_t old)
{
    port_store((uint64_t *)port_order_after(p, old), v);
}

/* Grows from 32 to 512 ns with the number of attempts, and differs between lanes so that they do not retry in step. */
PORT_FN void port_pause(unsigned attempt)
{
    unsigned shift = attempt < 4 ? attempt : 4;
    __nanosleep((32u << shift) + 8u * (threadIdx.x & 31u));
}

#ifndef PLEACH_SIM
/* Up to 32, 64, ... 2,048 ns, at random. */
PORT_FN void port_pause_longer(unsigned attempt)
{
    unsigned most = 32u << (attempt < 6 ? attempt : 6);
    unsigned mixed = (blockIdx.x * blockDim.x + threadIdx.x + attempt) * 0x9e3779b1u;
    __nanosleep(most / 2 + (mixed >> 16) % (most / 2));
}
#endif

#ifdef PLEACH_SIM
PORT_FN void port_prefetch(const void *p) { (void)p; }
#else
PORT_FN void port_prefetch(const void *p) { PTX_PREFETCH(p); }
#endif

#endif
