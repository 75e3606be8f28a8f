/* sync/workers.h - threads that share the elements of one array call. */
#ifndef PLEACH_WORKERS_H
#define PLEACH_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct workers workers;

/* Processes elements begin .. end-1; called on several threads at once, each time with another part. */
typedef void work_fn(void *context, size_t begin, size_t end);

/* `threads` includes the caller of workers_run, so threads - 1 are started, at the first call that needs them. Returns
 * NULL if there is no memory. */
workers *workers_create(unsigned threads);
void workers_destroy(workers *w);

/* For the child of a fork, which has none of the threads: they start again at the next call that needs them. */
void workers_after_fork(workers *w);

/* Processes 0 .. n-1 in parts of up to `grain` elements and returns when all are done. The caller works too. If the
 * threads are busy with another call, or there are none, the caller does everything in one part. */
void workers_run(workers *w, size_t n, size_t grain, work_fn *work, void *context);

/* Returns a grain for n operations: keeps many in flight, but no thread waits long for the last part. */
static inline size_t workers_grain(unsigned threads, size_t n)
{
    size_t grain = n / (8 * (size_t)threads);
    return grain < 256 ? 256 : grain > 16384 ? 16384 : grain;
}

/* A team: threads that go through the same stages together, with a barrier between stages. */
typedef struct team {
    unsigned members;
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
} team;

typedef void team_fn(void *context, team *team, unsigned member);

/* Runs `work` on up to `most` threads at once, including the caller, and returns when all have finished it. */
void workers_team(workers *w, unsigned most, team_fn *work, void *context);

/* Waits until all members have arrived. What any member stored before it is visible to all of them afterwards. */
void team_barrier(team *team);

#endif
