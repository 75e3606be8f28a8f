/* port/port.h - shared memory as the algorithms see it. One contract, one header per machine.
 *
 * Algorithms never name a memory order or a scope of their own: they call the verbs below, which this layer turns into
 * C11 atomics or PTX. docs/memory-model.md argues each pairing.
 *
 * An agent is whoever runs an operation: a CPU thread, a GPU thread, or a virtual one of the simulator, which runs the
 * very same headers with a meaning of its own for each atomic and each PTX instruction (port_sim.h).
 *
 * CONTRACT
 *
 * PORT_FN                      prefix of every function that an algorithm runs: inline, or device code on a GPU.
 * PORT_COLD                    the same for rare paths: out of line, so that they cost the others no registers.
 * PORT_UNROLL                  before a loop that a GPU should unroll.
 * port_load(p)                 relaxed and fresh: never from a cache that other agents' stores do not reach (on a
 *                              GPU it bypasses L1).
 * port_load_cached(p)          relaxed, may be stale: an older value that the word once held. CPUs have no such cache.
 * port_load_acquire(p)         what the releasing store's agent wrote before it is visible to port_load afterwards.
 * port_store(p, v)             relaxed.
 * port_store_release(p, v)     everything stored before is visible to whoever acquires this value.
 * port_store_after_loads(p, v) loads before it are taken before anybody sees it.
 * port_latch(p, even, odd)     compare-and-swap. On success (a) loads after it are not taken before it, and (b) no
 *                              store after it is visible before it. On failure it orders nothing.
 * port_exchange_owned(p, v)           a relaxed store to a word that nobody else writes now; returns what was there.
 * port_exchange_owned_half(p, high, v)
 *                              the same for one half of a word; returns something of what was there.
 * port_release_after_exchange(p, v, old)
 *                              port_store_release, for who has stored nothing since it latched but by port_exchange_owned, and
 *                              made `old` of all that was there, and of what it has loaded. A GPU's memory has answered,
 *                              so it has stored; the release of PTX holds up the thread for much longer.
 * port_load_two(p), port_load_two_cached(p), port_store_two(p, a, b)
 *                              port_load, port_load_cached and port_store of two words, 16-byte aligned, as one access.
 *                              On GPUs, and on x86 with AVX (where no load is cached in this sense).
 * port_fetch_add(p, v)         relaxed; returns the old value.
 * port_add(p, v)               the same, and nobody wants to know. PORT_ADD_IS_ASYNC: the machine's memory does it while
 *                              the agent goes on.
 * port_mark(p, bits)           sets bits of a word; relaxed.
 * port_compare_swap(p, a, b)   acquire and release.
 * port_publish_fence()         stores before it are visible before stores after it.
 * port_validate_fence()        loads before it are taken before loads after it.
 * port_fence_seq_cst()                stores before it are performed before loads after it.
 * port_fence_after_latch()          the same for the swap of a latch that was taken just before; cheap.
 * port_fence_loads()          loads before it are performed before loads after it, in the one order of all settles.
 * port_load_in_order(p, &a, &b)  port_load of two words, 16-byte aligned, of which the second is not loaded first.
 * port_invalidate_cached()         after it, port_load_cached returns nothing older than what was visible before it.
 * port_pause(attempt)          a short wait after the attempt-th failure of an operation. On a CPU some give up the
 *                              processor, and after thousands they sleep: the one who is waited for may need it.
 * port_pause_longer(attempt)   the same, where thousands of a GPU's threads may wait for one word: how often they look
 *                              at it is how long its owner waits for his own accesses.
 * port_prefetch(p)             a hint.
 *
 * An agent of the epoch module (epoch/) may be several threads of a GPU together, its lanes, who share fast memory:
 * port_lane(lanes)             the calling lane's number; 0 where an agent is one thread.
 * port_group_sync(lanes)       waits for all lanes; what one has written to their fast memory the others read after it.
 * port_lane_add(p, v)          adds to a 32-bit word there, and returns the old value.
 * port_lane_min(p, v)          lowers a 64-bit word there to v, if it is larger.
 *
 * PORT_LINE_WORDS              words that are moved together between agents: what many write should not share a line.
 *
 * port_depends_on(p, id)           p, an address that was made from the loaded value id: what is loaded through it is
 *                              loaded after id. No machine that this runs on does otherwise, so there is no code for
 *                              it; the simulator, which forgets such order else, must be told.
 *
 * port_order_after(p, value)         p, for an access that is to come after the load, or the swap, that `value` is from, and
 *                              after no others. On a GPU an address that is made from it: a fence would do, but holds
 *                              up all of a multiprocessor's accesses for some hundred cycles.
 *
 * port_retry_point(step)     step, at the point of a loop where every try of an operation ends. A GPU's compiler may
 *                              move what a try does on success behind the loop, where lanes that have left wait for
 *                              those that have not; if that is the releasing of a latch which those wait for, they wait
 *                              for ever. What lies before this point stays inside the loop: for all that the compiler
 *                              knows, another try may follow.
 *
 * All words are uint64_t, naturally aligned; each verb is one single access.
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
