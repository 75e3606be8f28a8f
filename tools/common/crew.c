#define _DEFAULT_SOURCE 1
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cli.h"

enum { LOOKS_BEFORE_SLEEP = 4000 };

struct member {
    struct crew *crew;
    unsigned index;
    pthread_t thread;
};

/* A waiter counts itself in `sleeping` before it looks at the condition for the last time, and the waker changes the
 * condition before it looks at `sleeping`. Both use sequentially consistent accesses, so at least one of them sees
 * the other; and the waiter holds the lock from counting until it sleeps, so a signal cannot fall in between. */
struct crew {
    unsigned threads;
    unsigned looks;
    unsigned started; /* helpers that run; all but the caller's index */
    crew_part *part;
    void *context;
    atomic_uint job;     /* number of the latest job; helpers wait for it to change */
    atomic_uint pending; /* helpers that have not finished the latest job; the caller waits for 0 */
    atomic_uint sleeping_helpers;
    atomic_uint sleeping_caller;
    atomic_bool leaving;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct member members[];
};

static void look_again(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void wake(struct crew *crew, atomic_uint *sleeping, pthread_cond_t *condition)
{
    if (atomic_load(sleeping) == 0) return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(condition);
    pthread_mutex_unlock(&crew->lock);
}

static unsigned await_job(struct crew *crew, unsigned seen)
{
    for (unsigned look = 0; look < crew->looks; look++) {
        const unsigned job = atomic_load_explicit(&crew->job, memory_order_acquire);
        if (job != seen) return job;
        look_again();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->sleeping_helpers, 1);
    while (atomic_load(&crew->job) == seen) pthread_cond_wait(&crew->work, &crew->lock);
    atomic_fetch_sub(&crew->sleeping_helpers, 1);
    pthread_mutex_unlock(&crew->lock);
    return atomic_load(&crew->job);
}

static void await_helpers(struct crew *crew)
{
    for (unsigned look = 0; look < crew->looks; look++) {
        if (atomic_load_explicit(&crew->pending, memory_order_acquire) == 0) return;
        look_again();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->sleeping_caller, 1);
    while (atomic_load(&crew->pending) != 0) pthread_cond_wait(&crew->done, &crew->lock);
    atomic_fetch_sub(&crew->sleeping_caller, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void *helper_main(void *argument)
{
    struct member *member = argument;
    struct crew *crew = member->crew;
    unsigned seen = 0;
    for (;;) {
        seen = await_job(crew, seen);
        if (atomic_load(&crew->leaving)) return NULL;
        crew->part(crew->context, member->index);
        if (atomic_fetch_sub(&crew->pending, 1) == 1) wake(crew, &crew->sleeping_caller, &crew->done);
    }
}

struct crew *crew_create(unsigned threads)
{
    struct crew *crew = calloc(1, sizeof *crew + threads * sizeof crew->members[0]);
    if (crew == NULL) return NULL;
    crew->threads = threads;
    crew->looks = threads <= cli_online_cpus() ? LOOKS_BEFORE_SLEEP : 0;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->done, NULL);
    for (unsigned i = 1; i < threads; i++) {
        crew->members[i] = (struct member){.crew = crew, .index = i};
        if (pthread_create(&crew->members[i].thread, NULL, helper_main, &crew->members[i]) != 0) {
            crew_destroy(crew);
            return NULL;
        }
        crew->started++;
    }
    return crew;
}

void crew_destroy(struct crew *crew)
{
    if (crew == NULL) return;
    atomic_store(&crew->leaving, true);
    atomic_fetch_add(&crew->job, 1);
    wake(crew, &crew->sleeping_helpers, &crew->work);
    for (unsigned i = 1; i <= crew->started; i++) pthread_join(crew->members[i].thread, NULL);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->work);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

unsigned crew_threads(const struct crew *crew) { return crew->threads; }

void crew_run(struct crew *crew, crew_part *part, void *context)
{
    crew->part = part;
    crew->context = context;
    if (crew->threads > 1) {
        atomic_store(&crew->pending, crew->threads - 1);
        atomic_fetch_add(&crew->job, 1);
        wake(crew, &crew->sleeping_helpers, &crew->work);
    }
    part(context, 0);
    if (crew->threads > 1) await_helpers(crew);
    crew->context = NULL; /* it was the caller's */
}

struct sharing {
    size_t count;
    unsigned threads;
    crew_slice *slice;
    void *context;
};

static void share_part(void *context, unsigned index)
{
    const struct sharing *sharing = context;
    const size_t each = sharing->count / sharing->threads;
    const size_t rest = sharing->count % sharing->threads;
    const size_t begin = index * each + (index < rest ? index : rest);
    const size_t end = begin + each + (index < rest ? 1 : 0);
    if (begin < end) sharing->slice(sharing->context, begin, end);
}

void crew_share(struct crew *crew, size_t count, crew_slice *slice, void *context)
{
    struct sharing sharing = {.count = count, .threads = crew->threads, .slice = slice, .context = context};
    crew_run(crew, share_part, &sharing);
}
