#include "fork.h"

#include <pthread.h>

#include "foreign_pointer.h"

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
    foreign_pointers_after_fork();
    for (fork_watch *w = list.before; w != &list; w = w->before) w->steps->child(w->object);
    pthread_mutex_unlock(&mutex); /* this thread, or the one that it is a copy of, has locked it */
}

/* Under the mutex. */
static bool watch_forks(void)
{
    static bool watching;
    if (!watching) watching = pthread_atfork(prepare, in_parent, in_child) == 0;
    return watching;
}

static void link_after(fork_watch *watch, fork_watch *before)
{
    watch->before = before;
    watch->after = before->after;
    before->after->before = watch;
    before->after = watch;
}

bool fork_watch_add(fork_watch *watch, const fork_steps *steps, void *object)
{
    pthread_mutex_lock(&mutex);
    const bool watching = watch_forks();
    if (watching) {
        watch->steps = steps;
        watch->object = object;
        link_after(watch, steps->outer ? &list : list.before);
    }
    pthread_mutex_unlock(&mutex);
    return watching;
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
