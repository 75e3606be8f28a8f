/* port/port.h - shared memory as the algorithms use it: one contract, and one header per machine that implements it.
 *
 * Algorithms never name a memory order or a scope. They call the functions below, which this layer maps to C11 atomics
 * or PTX. docs/memory-model.md argues each pairing.
 *
 * A thread in this contract is a CPU thread, a GPU thread, or a virtual thread of the simulator (its word is agent).
 * The simulator runs these very headers, with its own meaning for each atomic builtin and PTX instruction (port_sim.h).
 *
 * CONTRACT
 *
 * PORT_FN                      prefix of every function that an algorithm runs: inline, or device code on a GPU.
 * PORT_COLD                    prefix of rare paths: out of line, so that they cost the other paths no registers.
 * PORT_UNROLL                  before a loop that a GPU should unroll.
 * port_load(p)                 relaxed and fresh: never from a cache that other threads' stores do not reach (GPU L1).
 * port_load_cached(p)          relaxed, may be stale: a value that the word once held. CPUs have no such cache.
 * port_load_acquire(p)         what the releasing thread wrote before its store is visible to port_load afterwards.
 * port_store(p, v)             relaxed.
 * port_store_release(p, v)     everything stored before is visible to any thread that acquires this value.
 * port_store_after_loads(p, v) loads before it are performed before any thread can see the store.
 * port_latch(p, even, odd)     compare-and-swap. On success (a) no load after it is performed before it, and (b) no
 *                              store after it is visible before it. On failure it orders nothing.
 * port_exchange_owned(p, v)    a relaxed store to a word that no other thread writes now; returns the previous value.
 * port_exchange_owned_half(p, high, v)
 *                              the same for one half of a word; returns a value derived from the previous one.
 * port_release_after_exchange(p, v, old)
 *                              port_store_release, for a thread that since it latched has stored only by
 *                              port_exchange_owned, and has computed `old` from everything that these calls returned
 *                              and everything that it has loaded. A GPU's memory has returned the old values, so the
 *                              stores have been performed; the PTX release would stall the thread for much longer.
 * port_load_two(p), port_load_two_cached(p), port_store_two(p, a, b)
 *                              port_load, port_load_cached and port_store of two words, 16-byte aligned, as a single
 *                              access. Available on GPUs and on x86 with AVX (where no load is cached in this sense).
 * port_fetch_add(p, v)         relaxed; returns the old value.
 * port_add(p, v)               port_fetch_add without a return value. If PORT_ADD_IS_ASYNC, the memory system performs
 *                              it asynchronously and the thread does not wait.
 * port_mark(p, bits)           sets bits of a word; relaxed.
 * port_compare_swap(p, a, b)   acquire and release.
 * port_publish_fence()         stores before it are visible before stores after it.
 * port_validate_fence()        loads before it are performed before loads after it.
 * port_fence_seq_cst()         stores before it are performed before loads after it.
 * port_fence_after_latch()     the same for the swap of a latch that was taken immediately before; cheap.
 * port_fence_loads()           loads before it are performed before loads after it, in the order of all seq_cst fences.
 * port_load_in_order(p, &a, &b) port_load of two words, 16-byte aligned; the second is not loaded before the first.
 * port_invalidate_cached()     after it, port_load_cached returns nothing older than what was visible before it.
 * port_pause(attempt)          a short wait after the attempt-th failure of an operation. On a CPU some attempts yield
 *                              the processor, and after thousands they sleep: the awaited thread may need it.
 * port_pause_longer(attempt)   the same for a word that thousands of GPU threads may wait for: the more often they poll
 *                              it, the longer its owner waits for its own accesses.
 * port_prefetch(p)             a hint.
 *
 * A participant of the epoch module (epoch/) may consist of several GPU threads, its lanes, which share fast memory:
 * port_lane(lanes)             the calling lane's number; 0 where a participant is one thread.
 * port_group_sync(lanes)       waits for all lanes; what one wrote to their fast memory, the others read afterwards.
 * port_lane_add(p, v)          adds to a 32-bit word in that memory and returns the old value.
 * port_lane_min(p, v)          lowers a 64-bit word in that memory to v if it is larger.
 *
 * PORT_LINE_WORDS              words that move together between threads: much-written words should not share a line.
 *
 * port_depends_on(p, id)       returns p, an address that was computed from the loaded value id: what is loaded through
 *                              it is loaded after id. Every machine that this runs on keeps that order, so there is no
 *                              code for it. The simulator keeps it only where it is stated.
 *
 * port_order_after(p, value)   returns p, for an access that must come after the load or swap that `value` is from, and
 *                              after no other access. On a GPU the address is made to depend on the value: a fence
 *                              would do, but stalls all accesses of a multiprocessor for some hundred cycles.
 *
 * port_retry_point(step)       returns step; placed in a loop where every attempt of an operation ends. A GPU's
 *                              compiler may move what a successful attempt does behind the loop, where lanes that have
 *                              left the loop wait for those that have not. If the moved code releases a latch that the
 *                              remaining lanes wait for, they wait forever. Code before this point stays inside the
 *                              loop, because as far as the compiler can tell another attempt may follow.
 *
 * All words are uint64_t, naturally aligned; each function is one single access.
 */
#ifndef PLEACH_PORT_H
#define PLEACH_PORT_H

#include <stdbool.h>
#include <stdint.h>

#if defined(PLEACH_SIM)
#include "port_sim.h"
#elif defined(__CUDA_ARCH__) || defined(__CUDACC__)
#include "port_cuda.h"
#else
#include "port_cpu.h"
#endif

#if defined(PLEACH_SIM) || !defined(__CUDACC__)
#if defined(PLEACH_SIM) && defined(PLEACH_NODE_ISA_cuda)
enum { PORT_ADD_IS_ASYNC = 1 };
#else
enum { PORT_ADD_IS_ASYNC = 0 };
#endif
PORT_FN void port_add(uint64_t *p, uint64_t v) { port_fetch_add(p, v); }
PORT_FN void port_pause_longer(unsigned attempt) { port_pause(attempt); }
#endif

PORT_FN unsigned port_retry_point(unsigned step)
{
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(step));
#endif
    return step;
}

#ifndef PLEACH_SIM
PORT_FN void *port_depends_on(void *p, uint32_t id)
{
    (void)id;
    return p;
}
#endif

#endif
