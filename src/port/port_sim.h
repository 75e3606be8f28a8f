/* port/port_sim.h - the simulator as a third machine. It is not a port of its own: it gives each atomic builtin of
 * port_cpu.h, and each PTX instruction of port_cuda.h, the simulator's meaning (verify/sim/memory.c), and then includes
 * one of the two. So the orders, scopes and fences that are checked are those that CPUs and GPUs run.
 */
#ifndef PLEACH_PORT_SIM_H
#define PLEACH_PORT_SIM_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* Orders are C11's: __ATOMIC_RELAXED and so on. Scopes are PTX's; a CPU's accesses all have the wide scope. */
enum { SIM_cta, SIM_gpu };

uint64_t sim_load(const uint64_t *p, int order, int scope);
void sim_load_two(const uint64_t *p, uint64_t *first, uint64_t *second, int scope);
void sim_store(uint64_t *p, uint64_t v, int order);
void sim_store_two(uint64_t *p, uint64_t first, uint64_t second);
/* Both return the old value. `in_one_go`: all agents see the new value at once, as from a GPU's L2. */
uint64_t sim_fetch_add(uint64_t *p, uint64_t v, int order, bool in_one_go);
uint64_t sim_compare_swap(uint64_t *p, uint64_t expected, uint64_t desired, int order, bool in_one_go);
uint64_t sim_exchange(uint64_t *p, uint64_t v); /* relaxed, seen by all agents at once */
void sim_fence(int order, int scope);
void sim_barrier(void); /* every agent executes a full fence at some instant of the call, like Linux's membarrier */
/* for that fence only: without it a compiler may move stores after what follows them */
void sim_compiler_fence(int order);
void sim_mark(uint64_t *p, uint64_t bits); /* of memory that agents share without the port layer: verify/sim/plain.h */
void sim_pause(void);
void sim_after_branch(void);
void *sim_follow(void *p, uint32_t id);

static inline __attribute__((unused)) void port_mark(uint64_t *p, uint64_t bits) { sim_mark(p, bits); }
static inline __attribute__((unused)) void *port_depends_on(void *p, uint32_t id) { return sim_follow(p, id); }

#ifdef PLEACH_NODE_ISA_cuda

#define PORT_FN static inline __attribute__((unused))
#define PORT_COLD static __attribute__((noinline, unused))
#define PORT_UNROLL
#define PORT_LOOP

enum {
    SIM_relaxed = __ATOMIC_RELAXED,
    SIM_acquire = __ATOMIC_ACQUIRE,
    SIM_release = __ATOMIC_RELEASE,
    SIM_acq_rel = __ATOMIC_ACQ_REL,
    SIM_sc = __ATOMIC_SEQ_CST
};

#define PTX_LOAD(v, order, scope, p) ((v) = sim_load((p), SIM_##order, SIM_##scope))
#define PTX_LOAD_TWO(first, second, order, scope, p) sim_load_two((p), &(first), &(second), SIM_##scope)
/* At CTA scope, a release waits for nothing that other multiprocessors could see, and a read-modify-write is a single
 * access only to threads that share its L1. */
static inline __attribute__((unused)) uint64_t sim_compare_swap_cta(uint64_t *p, uint64_t expected, uint64_t desired)
{
    uint64_t old = sim_load(p, SIM_relaxed, SIM_cta);
    if (old == expected) sim_store(p, desired, SIM_relaxed);
    return old;
}

static inline __attribute__((unused)) uint64_t sim_fetch_add_cta(uint64_t *p, uint64_t v)
{
    uint64_t old = sim_load(p, SIM_relaxed, SIM_cta);
    sim_store(p, old + v, SIM_relaxed);
    return old;
}

/* The caller owns the word: no other agent writes the other half concurrently, so its value is known here. */
static inline __attribute__((unused)) uint32_t sim_exchange_half(uint64_t *p, unsigned high, uint32_t v)
{
    uint64_t other = sim_load(p, SIM_relaxed, SIM_gpu) & (uint64_t)UINT32_MAX << (high ? 0 : 32);
    return (uint32_t)(sim_exchange(p, other | (uint64_t)v << (high ? 32 : 0)) >> (high ? 32 : 0));
}

#define PTX_STORE(order, scope, p, v) sim_store((p), (v), SIM_##scope == SIM_gpu ? SIM_##order : SIM_relaxed)
#define PTX_STORE_TWO(order, scope, p, first, second) sim_store_two((p), (first), (second))
#define PTX_ADD(old, order, scope, p, v)                                                                         \
    ((old) = SIM_##scope == SIM_gpu ? sim_fetch_add((p), (v), SIM_##order, true) : sim_fetch_add_cta((p), (v)))
#define PTX_CAS(old, order, scope, p, expected, desired)                                                         \
    ((old) = SIM_##scope == SIM_gpu ? sim_compare_swap((p), (expected), (desired), SIM_##order, true)                 \
                                   : sim_compare_swap_cta((p), (expected), (desired)))
#define PTX_EXCHANGE(old, order, scope, p, v) ((old) = sim_exchange_##order##_##scope((p), (v)))
#define sim_exchange_relaxed_gpu(p, v) sim_exchange((p), (v)) /* the only order and scope in use */
#define PTX_EXCHANGE_HALF(old, order, scope, p, high, v) ((old) = sim_exchange_half((p), (high), (v)))
#define PTX_FENCE(order, scope) sim_fence(SIM_##order, SIM_##scope)
#define PTX_AFTER_BRANCH() sim_after_branch()
#define __nanosleep(ns) ((void)(ns), sim_pause())
static const struct { unsigned x; } threadIdx = {0};
#include "port_cuda.h"

#else

static inline __attribute__((unused)) bool sim_compare_exchange(uint64_t *p, uint64_t *expected, uint64_t desired,
                                                                int order)
{
    uint64_t old = sim_compare_swap(p, *expected, desired, order, false);
    bool swapped = old == *expected;
    *expected = old;
    return swapped;
}

#define __atomic_load_n(p, order) sim_load((p), (order), SIM_gpu)
#define __atomic_store_n(p, v, order) sim_store((p), (v), (order))
#define __atomic_fetch_add(p, v, order) sim_fetch_add((p), (v), (order), false)
#define __atomic_compare_exchange_n(p, expected, desired, weak, success, failure)                                \
    sim_compare_exchange((p), (expected), (desired), (success))
#define __atomic_thread_fence(order) sim_fence((order), SIM_gpu)
#define __builtin_ia32_pause() sim_pause()
#define sched_yield() sim_pause()
#include "port_cpu.h"

/* What port_cpu.h defines if there is AVX. */
PORT_FN port_two port_load_two(const uint64_t *p)
{
    port_two two;
    sim_load_two(p, &two.first, &two.second, SIM_gpu);
    return two;
}

PORT_FN void port_store_two(uint64_t *p, uint64_t first, uint64_t second) { sim_store_two(p, first, second); }

#endif
#endif
