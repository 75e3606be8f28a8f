/* verify/sim/team/team_variant.c - the real source of a batch on CPU threads, compiled for the simulator:
 * batch/batch_cpu.c with the stages of batch/, sync/workers.c with its team, and sync/gate.c. Their atomics and mutexes
 * are words of simulated memory. The workers' order the plain accesses to a batch's memory, which is watched (plain.h);
 * nodes are reached through the port layer, as everywhere. */
#ifdef PLEACH_NODE_ISA_x86
#define VARIANT(name) name##_x86
#else
#define VARIANT(name) name##_plain
#endif

/* Every variant has its own copies of functions that are external elsewhere: after this declaration they are static. */
#define OWN static __attribute__((unused))

/* ---- the gate ---- */

#include "../gate/gate_sim.h"

#undef gate_init
#undef gate_destroy
#undef gate_enter
#undef gate_leave
#undef gate_enter_snapshot
#undef gate_leave_snapshot
#undef gate_enter_batch
#undef gate_enter_exclusive
#undef gate_leave_exclusive
#undef gate_view_open
#undef gate_view_close
#undef gate_thread_number
#undef gate_barrier
#define gate_init team_gate_init
#define gate_destroy team_gate_destroy
#define gate_enter team_gate_enter
#define gate_leave team_gate_leave
#define gate_enter_snapshot team_gate_enter_beside
#define gate_leave_snapshot team_gate_leave_beside
#define gate_enter_batch team_gate_enter_batch
#define gate_enter_exclusive team_gate_enter_exclusive
#define gate_leave_exclusive team_gate_leave_exclusive
#define gate_view_open team_gate_view_open
#define gate_view_close team_gate_view_close
#define gate_thread_number team_gate_thread_number
#define gate_barrier sim_barrier
OWN bool gate_init(gate *g);
OWN void gate_destroy(gate *g);
OWN void gate_enter(gate *g);
OWN void gate_leave(gate *g);
OWN void gate_enter_snapshot(gate *g);
OWN void gate_leave_snapshot(gate *g);
OWN bool gate_enter_batch(gate *g);
OWN bool gate_enter_exclusive(gate *g);
OWN void gate_leave_exclusive(gate *g);
OWN void gate_view_open(gate *g);
OWN bool gate_view_close(gate *g);

static _Thread_local unsigned agent_running; /* set at every entry: agents share the thread */
static unsigned gate_thread_number(void) { return agent_running; }

#include "../../../src/sync/gate.c"

/* ---- workers ---- */

#include "../../../src/base/memory.h"
#include "../plain.h"

static inline int lock_workers(uint64_t *mutex)
{
    while (sim_synced_swap(mutex, 0, 1, __ATOMIC_ACQUIRE) != 0) sim_pause();
    return 0;
}

static inline int unlock_workers(uint64_t *mutex)
{
    sim_synced_store(mutex, 0, __ATOMIC_RELEASE);
    return 0;
}

/* Nobody is woken: all who wait look again. */
static inline int wait_for_workers(uint64_t *mutex)
{
    unlock_workers(mutex);
    sim_pause();
    return lock_workers(mutex);
}

/* The end of a meeting is one of these. */
static inline void store_of_team(uint64_t *p, uint64_t v, int order)
{
    sim_synced_store(p, v, order);
    sim_progress();
}

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef pthread_mutex_lock
#undef pthread_mutex_unlock
#undef pthread_cond_t
#undef pthread_cond_init
#undef pthread_cond_destroy
#undef pthread_cond_wait
#undef pthread_cond_broadcast
#define atomic_size_t uint64_t
#define atomic_ulong uint64_t
#define atomic_load_explicit(p, order) sim_synced_load((p), (order))
#define atomic_store_explicit(p, v, order) store_of_team((p), (v), (order))
#define atomic_fetch_add_explicit(p, v, order) sim_synced_add((p), (v), (order))
#define pthread_t uint64_t
#define pthread_cond_t uint64_t
#define pthread_mutex_lock(mutex) lock_workers(mutex)
#define pthread_mutex_unlock(mutex) unlock_workers(mutex)
#define pthread_cond_init(cond, attributes) ((void)(cond))
#define pthread_cond_destroy(cond) ((void)(cond))
#define pthread_cond_wait(cond, mutex) wait_for_workers(mutex)
#define pthread_cond_signal(cond) ((void)(cond))
#define pthread_cond_broadcast(cond) ((void)(cond))
#define pthread_create(thread, attributes, start, argument) ((void)(thread), 0) /* helpers are agents */
#define pthread_join(thread, result) ((void)(thread))
#define base_alloc(count, size) sim_reserve((count) * (size))
#define base_free(memory) ((void)(memory))
#define base_allocation_fails() false

#define workers_create team_workers_create
#define workers_destroy team_workers_destroy
#define workers_after_fork team_workers_after_fork
#define workers_run team_workers_run
#define workers_team team_workers_team
#define team_barrier team_team_meet
typedef struct workers workers;
typedef struct team team;
typedef void work_fn(void *context, size_t begin, size_t end);
typedef void team_fn(void *context, team *team, unsigned member);
OWN workers *workers_create(unsigned threads);
OWN void workers_destroy(workers *w);
OWN void workers_after_fork(workers *w);
OWN void workers_run(workers *w, size_t n, size_t grain, work_fn *work, void *context);
OWN void workers_team(workers *w, unsigned most, team_fn *work, void *context);
OWN void team_barrier(team *team);

#include "../../../src/sync/workers.c"

/* ---- batches ---- */

#include <string.h>

#define memset sim_plain_set
#define memcpy sim_plain_copy
#include "../../../src/batch/batch_cpu.c"
#undef memset
#undef memcpy

#include "team_sim.h"

static _Thread_local gate *team_gate;
static _Thread_local workers *team_workers;

static void sim_begin(unsigned threads)
{
    team_gate = sim_reserve(sizeof(gate));
    gate_init(team_gate);
    team_workers = workers_create(threads);
}

static void sim_run_alone(batch_job *job)
{
    team alone = {.members = 1};
    RUN_NAME.work(job, &alone, 0);
}

static void sim_run(batch_job *job, unsigned most) { workers_team(team_workers, most, RUN_NAME.work, job); }
static void sim_end(void) { workers_destroy(team_workers); }
static void sim_help(void) { helper_main(team_workers); }

static void sim_enter(unsigned agent)
{
    agent_running = agent;
    gate_enter(team_gate);
}

static void sim_leave(unsigned agent)
{
    agent_running = agent;
    gate_leave(team_gate);
}

static void sim_enter_snapshot(unsigned agent)
{
    agent_running = agent;
    gate_enter_snapshot(team_gate);
}

static void sim_leave_snapshot(unsigned agent)
{
    agent_running = agent;
    gate_leave_snapshot(team_gate);
}

static void sim_enter_alone(void) { gate_enter_batch(team_gate); }
static void sim_leave_alone(void) { gate_leave_exclusive(team_gate); }

#define VARIANT_NAME2(name) VARIANT(name)
const team_variant VARIANT_NAME2(WIDTH_SYMBOL(sim_team)) = {
    PLEACH_KEY_BITS, scratch_bytes, sim_run_alone, sim_begin, sim_run, sim_end, sim_help, sim_enter, sim_leave,
    sim_enter_snapshot, sim_leave_snapshot, sim_enter_alone, sim_leave_alone};
