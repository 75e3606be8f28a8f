/* verify/sim/gate/gate_sim.h - sync/gate.h under the simulator. gate.c is host code over C11 atomics and a mutex; the
 * names that it uses get the simulator's meaning here, and words instead of their own types. */
#ifndef PLEACH_GATE_SIM_H
#define PLEACH_GATE_SIM_H

#include <pthread.h>
#include <stdatomic.h>

#include "../../../src/port/port_sim.h"
#include "../sim.h"

unsigned sim_gate_thread_number(void);
void sim_gate_barrier(void);

static inline int sim_mutex_lock(uint64_t *mutex)
{
    while (sim_compare_swap(mutex, 0, 1, __ATOMIC_ACQUIRE, false) != 0) sim_pause();
    return 0;
}

static inline int sim_mutex_unlock(uint64_t *mutex)
{
    sim_store(mutex, 0, __ATOMIC_RELEASE);
    return 0;
}

static inline int sim_mutex_init(uint64_t *mutex)
{
    *mutex = 0;
    return 0;
}

/* The calling agent is about to sleep. */
#ifndef SIM_GATE_WAITS
#define SIM_GATE_WAITS() ((void)0)
#endif

/* A futex: an agent sleeps only if the word has the value still, as all agents see it, and then until somebody wakes
 * who sleeps there. Sometimes it is woken without that. */
enum { SIM_DOZE_WORDS = 64 }; /* the words of a gate differ in it */
static _Thread_local uint64_t sim_wakes_of[SIM_DOZE_WORDS];

static inline uint64_t *sim_wakes(const uint64_t *word)
{
    return &sim_wakes_of[(uintptr_t)word / sizeof *word % SIM_DOZE_WORDS];
}

static inline void doze_while(uint64_t *word, uint64_t value)
{
    SIM_GATE_WAITS();
    for (;;) {
        const uint64_t before = *sim_wakes(word);
        sim_fence(__ATOMIC_SEQ_CST, SIM_gpu);
        if (sim_load(word, __ATOMIC_SEQ_CST, SIM_gpu) != value) return;
        const bool for_nothing = sim_draw_chance(10);
        do {
            sim_pause();
        } while (*sim_wakes(word) == before && !for_nothing);
    }
}

static inline void doze_wake(uint64_t *word)
{
    sim_fence(__ATOMIC_SEQ_CST, SIM_gpu);
    ++*sim_wakes(word);
}

#undef atomic_init
#undef atomic_load
#undef atomic_load_explicit
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_fetch_add
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#define atomic_bool uint64_t
#define atomic_uint uint64_t
#define pthread_mutex_t uint64_t
#define atomic_init(p, v) (*(p) = (v))
#define atomic_load_explicit(p, order) sim_load((p), (order), SIM_gpu)
#define atomic_store_explicit(p, v, order) sim_store((p), (v), (order))
#define atomic_fetch_add_explicit(p, v, order) sim_fetch_add((p), (v), (order), false)
#define atomic_fetch_sub_explicit(p, v, order) sim_fetch_add((p), (uint64_t) - (v), (order), false)
#define atomic_load(p) atomic_load_explicit((p), memory_order_seq_cst)
#define atomic_store(p, v) atomic_store_explicit((p), (v), memory_order_seq_cst)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit((p), (v), memory_order_seq_cst)
#undef atomic_signal_fence
#define atomic_signal_fence(order) sim_compiler_fence(order)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_seq_cst)
#define pthread_mutex_init(mutex, attributes) sim_mutex_init(mutex)
#define pthread_mutex_destroy(mutex) ((void)(mutex))
#define pthread_mutex_lock(mutex) sim_mutex_lock(mutex)
#define pthread_mutex_unlock(mutex) sim_mutex_unlock(mutex)

/* The library's own gate is linked too. */
#define gate_init sim_gate_init
#define gate_destroy sim_gate_destroy
#define gate_enter sim_gate_enter
#define gate_leave sim_gate_leave
#define gate_enter_snapshot sim_gate_enter_beside
#define gate_leave_snapshot sim_gate_leave_beside
#define gate_enter_batch sim_gate_enter_batch
#define gate_enter_exclusive sim_gate_enter_exclusive
#define gate_leave_exclusive sim_gate_leave_exclusive
#define gate_view_open sim_gate_view_open
#define gate_view_close sim_gate_view_close
#define gate_thread_number sim_gate_thread_number
#define gate_barrier sim_gate_barrier

#include "../../../src/sync/gate.h"

#endif
