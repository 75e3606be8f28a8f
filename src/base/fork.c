#include "fork.h"

#include <pthread.h>

#include <stdatomic.h>

#include "device_pointer.h"
#include "memory.h"

static bool watching;
static _Atomic(fork_step *) first_in_child;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the list; held during a fork */
static fork_watch list = {&list, &list, NULL, NULL};      /* a ring; outer structures first */

static void prepare(void)
{
    pthread_mutex_lock(&mutex);
    for (fork_watch *w = list.after; w != &list; w = w->after) w->steps->prepare(w->object);
}

static void in_parent(void)
{
    for (fork_watch *w = list.before; w != &list; w = w->before) w->steps->parent(w->object);
    pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    any_device_pointer_after_fork();
    fork_step *first = atomic_load(&first_in_child);
    if (first) first();
    for (fork_watch *w = list.before; w != &list; w = w->before) w->steps->child(w->object);
    pthread_mutex_unlock(&mutex); /* locked by this thread, or by the one that it is a copy of */
}

/* Registers the handlers when the program starts or loads the library, and never later:
 * - Before a fork, handlers run in reverse order of registration. A handler of the program that takes a lock must run
 *   before `prepare`, because a thread that holds this lock may be inside a call, or about to make one.
 * - C libraries hold the lock of their handler list while they run handlers, so registering there would never return.
 * - In a child all structures are restored before the program's handlers make calls.
 * An allocator may register handlers at its first use, which must come before, because calls allocate. */
static __attribute__((constructor)) void watch_forks(void)
{
    void *volatile first_use = base_alloc(1, 1);
    base_free(first_use);
    watching = pthread_atfork(prepare, in_parent, in_child) == 0;
}

void fork_set_first_in_child(fork_step *step) { atomic_store(&first_in_child, step); }

static void link_after(fork_watch *watch, fork_watch *before)
{
    watch->before = before;
    watch->after = before->after;
    before->after->before = watch;
    before->after = watch;
}

bool fork_watch_add(fork_watch *watch, const fork_steps *steps, void *object)
{
    if (!watching) return false;
    pthread_mutex_lock(&mutex);
    watch->steps = steps;
    watch->object = object;
    link_after(watch, steps->outer ? &list : list.before);
    pthread_mutex_unlock(&mutex);
    return true;
}

void fork_watch_remove(fork_watch *watch)
{
    if (!watch->steps) return;
    pthread_mutex_lock(&mutex);
    watch->before->after = watch->after;
    watch->after->before = watch->before;
    pthread_mutex_unlock(&mutex);
    watch->steps = NULL;
}
