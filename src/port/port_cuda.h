/* port/port_cuda.h - the port contract on the PTX memory model and on what NVIDIA GPUs do.
 *
 * A device-scope acquire (ld.acquire.gpu, atom.acquire.gpu, fence.acq_rel.gpu) empties the whole L1 of the
 * multiprocessor (CCTL.IVALL in its machine code), and with it every inner node that other threads have there. So the
 * verbs on the fast paths do not acquire at device scope. Where the contract asks that later loads are not taken before
 * earlier ones, they use relaxed device-scope accesses, which are all performed at L2, the one place where all
 * multiprocessors meet, and keep them in order by a CTA-scope fence (MEMBAR.CTA: the thread goes on only when its
 * earlier accesses are performed; L1 stays). PTX promises this order only among threads of one CTA; that accesses
 * performed at L2 in order are seen in order by everybody is a property of the machine, and is what these verbs rest
 * on.
 */
#ifndef PLEACH_PORT_CUDA_H
#define PLEACH_PORT_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#define PORT_FN static __device__ __forceinline__
#define PORT_COLD static __device__ __noinline__
#define PORT_UNROLL _Pragma("unroll")

PORT_FN uint64_t port_load(const uint64_t *p)
{
    uint64_t v;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

/* Relaxed at CTA scope is served by L1: one access, as fresh as the line that L1 holds. */
PORT_FN uint64_t port_load_cached(const uint64_t *p)
{
    uint64_t v;
    asm volatile("ld.relaxed.cta.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

PORT_FN uint64_t port_load_acquire(const uint64_t *p)
{
    uint64_t v;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

PORT_FN void port_store(uint64_t *p, uint64_t v)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
}

PORT_FN void port_store_release(uint64_t *p, uint64_t v)
{
    asm volatile("st.release.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
}

PORT_FN uint64_t port_fetch_add(uint64_t *p, uint64_t v)
{
    uint64_t old;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;" : "=l"(old) : "l"(p), "l"(v) : "memory");
    return old;
}

PORT_FN bool port_compare_swap(uint64_t *p, uint64_t expected, uint64_t desired)
{
    uint64_t old;
    asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old) : "l"(p), "l"(expected), "l"(desired) : "memory");
    return old == expected;
}

PORT_FN void port_publish_fence(void) { asm volatile("fence.release.gpu;" : : : "memory"); }
PORT_FN void port_validate_fence(void) { asm volatile("fence.acq_rel.cta;" : : : "memory"); }
PORT_FN void port_forget_cached(void) { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }

/* (a) and (b) of the contract: the swap has returned its old value, so it has been performed at L2 before anything
 * behind the branch on that value is issued; the fence keeps the compiler's and the pipeline's hands off. */
PORT_FN bool port_latch(uint64_t *p, uint64_t even, uint64_t odd)
{
    uint64_t old;
    asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old) : "l"(p), "l"(even), "l"(odd) : "memory");
    if (old != even) return false;
    port_validate_fence();
    return true;
}

/* Grows from 32 to 512 ns with the attempts, and differs between lanes so that they do not come back together. */
PORT_FN void port_pause(unsigned attempt)
{
    unsigned shift = attempt < 4 ? attempt : 4;
    __nanosleep((32u << shift) + 8u * (threadIdx.x & 31u));
}

PORT_FN void port_prefetch(const void *p) { (void)p; }

#endif
