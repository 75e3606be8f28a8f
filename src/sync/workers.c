#include "workers.h"

#include <pthread.h>

#include "../base/cancel.h"
#include "../base/memory.h"
#include "gate.h"
#include "../port/port.h"

struct workers {
    pthread_mutex_t mutex;    /* guards the members up to `threads_wanted` */
    pthread_cond_t call;      /* signals a new job, or the end */
    pthread_cond_t finished;  /* the last helper left the job */
    atomic_ulong job_number;  /* this member and the next are also polled without the mutex, by waiting threads */
    atomic_uint helpers_inside;
    unsigned joined;          /* helpers that have joined the team's job so far */
    bool in_use;              /* a caller owns the helpers, until the last of them has left its job */
    bool open;                /* helpers may still join the job */
    bool ending;
    bool started;
    unsigned threads_running;
    unsigned threads_wanted;
    pthread_t *thread;

    /* The job; written before job_number, under the mutex. */
    work_fn *work;
    team_fn *team_work; /* function of a team's job; otherwise NULL */
    team team;
    void *context;
    size_t n, grain;
    _Alignas(64) atomic_size_t next;
};

/* Jobs often follow each other closely, and waking a thread takes tens of microseconds. A waiting thread therefore
 * polls this often, for some tens of microseconds, before it sleeps. In the simulator no thread sleeps. */
#ifdef PLEACH_SIM
enum { LOOKS_BEFORE_SLEEP = 3 };
#else
enum { LOOKS_BEFORE_SLEEP = 1000 };
#endif

/* What the mutex guards needs no memory order of its own. */
static unsigned long jobs_so_far(workers *w) { return atomic_load_explicit(&w->job_number, memory_order_relaxed); }
static unsigned helpers_now(workers *w) { return atomic_load_explicit(&w->helpers_inside, memory_order_relaxed); }

/* The caller holds the mutex, and has filled in the job. */
static void call_helpers(workers *w)
{
    atomic_store_explicit(&w->job_number, jobs_so_far(w) + 1, memory_order_relaxed);
    pthread_cond_broadcast(&w->call);
}

/* The caller holds the mutex. Returns how many helpers are inside afterwards. */
static unsigned count_helper(workers *w, int change)
{
    unsigned now = helpers_now(w) + (unsigned)change;
    atomic_store_explicit(&w->helpers_inside, now, memory_order_relaxed);
    return now;
}

static void look_for_job(workers *w, unsigned long seen)
{
    for (unsigned look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
        if (jobs_so_far(w) != seen) return;
        port_pause(look);
    }
}

/* Waits until all helpers have left the job. */
static void wait_for_helpers(workers *w)
{
    for (unsigned look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
        if (helpers_now(w) == 0) break;
        port_pause(look);
    }
    pthread_mutex_lock(&w->mutex);
    w->open = false;
    while (helpers_now(w) > 0) cancel_free_wait(&w->finished, &w->mutex);
    w->in_use = false; /* not earlier: the next caller's job overwrites this one */
    pthread_mutex_unlock(&w->mutex);
}

static void take_parts(workers *w)
{
    for (;;) {
        size_t begin = atomic_fetch_add_explicit(&w->next, w->grain, memory_order_relaxed);
        if (begin >= w->n) return;
        size_t end = w->n - begin < w->grain ? w->n : begin + w->grain;
        w->work(w->context, begin, end);
    }
}

static void team_helper(workers *w, unsigned member)
{
    w->team_work(w->context, &w->team, member);
    team_barrier(&w->team);
}

static void *helper_main(void *argument)
{
    workers *w = argument;
    unsigned long seen = 0;
    gate_own_no_slot();
    pthread_mutex_lock(&w->mutex);
    for (;;) {
        while (!w->ending && jobs_so_far(w) == seen) pthread_cond_wait(&w->call, &w->mutex);
        if (w->ending) break;
        seen = jobs_so_far(w);
        if (!w->open) continue; /* the job is closed already */
        count_helper(w, 1);
        unsigned member = w->team_work ? ++w->joined : 0;
        if (w->team_work && member + 1 == w->team.members) w->open = false;
        pthread_mutex_unlock(&w->mutex);
        if (member)
            team_helper(w, member);
        else
            take_parts(w);
        pthread_mutex_lock(&w->mutex);
        if (count_helper(w, -1) == 0) pthread_cond_signal(&w->finished);
        if (w->ending || jobs_so_far(w) != seen) continue;
        pthread_mutex_unlock(&w->mutex);
        look_for_job(w, seen);
        pthread_mutex_lock(&w->mutex);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

workers *workers_create(unsigned threads)
{
    workers *w = base_alloc(1, sizeof *w);
    if (!w) return NULL;
    w->thread = base_alloc(threads, sizeof *w->thread);
    if (!w->thread) {
        base_free(w);
        return NULL;
    }
    w->threads_wanted = threads - 1;
    workers_after_fork(w);
    return w;
}

void workers_after_fork(workers *w)
{
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->call, NULL);
    pthread_cond_init(&w->finished, NULL);
    atomic_store_explicit(&w->helpers_inside, 0, memory_order_relaxed);
    w->in_use = w->open = w->started = false;
    w->threads_running = 0;
}

/* If the system refuses a thread, fewer threads run: slower, not wrong. */
static void start_helpers(workers *w)
{
    w->started = true;
    while (w->threads_running < w->threads_wanted && !base_allocation_fails() &&
           pthread_create(&w->thread[w->threads_running], NULL, helper_main, w) == 0)
        w->threads_running++;
}

void workers_run(workers *w, size_t n, size_t grain, work_fn *work, void *context)
{
    if (n == 0) return;
    bool helped = false;
    if (w->threads_wanted > 0 && n > grain) {
        pthread_mutex_lock(&w->mutex);
        helped = !w->in_use;
        if (helped) {
            w->in_use = w->open = true;
            if (!w->started) start_helpers(w);
            w->work = work;
            w->team_work = NULL;
            w->context = context;
            w->n = n;
            w->grain = grain;
            atomic_store_explicit(&w->next, 0, memory_order_relaxed);
            call_helpers(w);
        }
        pthread_mutex_unlock(&w->mutex);
    }
    if (!helped) {
        work(context, 0, n);
        return;
    }
    take_parts(w);
    wait_for_helpers(w);
}

void workers_team(workers *w, unsigned most, team_fn *work, void *context)
{
    team alone = {.members = 1};
    bool helped = false;
    if (w->threads_wanted > 0 && most > 1) {
        pthread_mutex_lock(&w->mutex);
        if (!w->in_use && !w->started) start_helpers(w);
        helped = !w->in_use && w->threads_running > 0;
        if (helped) {
            w->in_use = w->open = true;
            w->team_work = work;
            w->context = context;
            w->joined = 0;
            w->team.members = w->threads_running + 1 < most ? w->threads_running + 1 : most;
            atomic_store_explicit(&w->team.arrived, 0, memory_order_relaxed);
            call_helpers(w);
        }
        pthread_mutex_unlock(&w->mutex);
    }
    if (!helped) {
        work(context, &alone, 0);
        return;
    }
    work(context, &w->team, 0);
    team_barrier(&w->team); /* so all have joined; from here on they only leave */
    wait_for_helpers(w);
}

/* The last member to arrive has acquired, through `arrived`, what all others stored before (acq_rel pairs with
 * acq_rel), and releases it, through `round`, to waiting members (release pairs with acquire). `round` is read before
 * arriving: until then it cannot change. Waiting ends when all have arrived; a stopped member stops the team. */
void team_barrier(team *team)
{
    if (team->members == 1) return;
    unsigned round = atomic_load_explicit(&team->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 == team->members) {
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&team->round, round + 1, memory_order_release);
        return;
    }
    for (unsigned attempt = 0; atomic_load_explicit(&team->round, memory_order_acquire) == round; attempt++)
        port_pause(attempt);
}

void workers_destroy(workers *w)
{
    pthread_mutex_lock(&w->mutex);
    w->ending = true;
    pthread_cond_broadcast(&w->call);
    pthread_mutex_unlock(&w->mutex);
    for (unsigned i = 0; i < w->threads_running; i++) cancel_free_join(w->thread[i]);
    pthread_cond_destroy(&w->finished);
    pthread_cond_destroy(&w->call);
    pthread_mutex_destroy(&w->mutex);
    base_free(w->thread);
    base_free(w);
}
