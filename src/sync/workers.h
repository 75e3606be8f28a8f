/* sync/workers.h - threads that share the elements of one array call. */
#ifndef PLEACH_WORKERS_H
#define PLEACH_WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct workers workers;

/* Works on elements begin .. end-1; called on several threads at once, each time with another part. */
typedef void work_fn(void *context, size_t begin, size_t end);

/* `threads` counts the caller of workers_run too, so threads - 1 are started, at the first call that needs them.
 * NULL if there is no memory. */
workers *workers_create(unsigned threads);
void workers_destroy(workers *w);

/* In the child of a fork, which has none of the threads: they start again at the next call that needs them. */
void workers_after_fork(workers *w);

/* Hands out 0 .. n-1 in parts of at most `grain` and returns when all are done. The caller works too; if the threads
 * are busy with another caller's elements, or there are none, it does all of its own at once. */
void workers_run(workers *w, size_t n, size_t grain, work_fn *work, void *context);

/* A grain for n operations: parts large enough to keep many of them in flight, and small enough that nobody waits long
 * for the last one. */
static inline size_t workers_grain(unsigned threads, size_t n)
{
    size_t grain = n / (8 * (size_t)threads);
    return grain < 256 ? 256 : grain > 16384 ? 16384 : grain;
}

/* A team: threads that go through the same stages together, and meet between them. */
typedef struct team {
    unsigned members;
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
} team;

typedef void team_fn(void *context, team *team, unsigned member);

/* Runs `work` on up to `most` threads at once, the caller included, and returns when all have come to its end. */
void workers_team(workers *w, unsigned most, team_fn *work, void *context);

/* Waits until all members have come here. What one has stored before is there for all after it. */
void team_barrier(team *team);

#endif
