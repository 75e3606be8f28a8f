/* base/cancel.h - prevents the cancellation of a thread inside a call, which would leave locks held and counters
 * raised. Deferred cancellation acts only at certain calls, above all those that wait and those that read and write
 * files. So cancellation is disabled around these, and all other paths pay nothing. */
#ifndef PLEACH_BASE_CANCEL_H
#define PLEACH_BASE_CANCEL_H

#include <pthread.h>

/* Returns the previous state for cancel_restore, which the same thread must call. */
static inline int cancel_disable(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void cancel_restore(int before) { pthread_setcancelstate(before, &before); }

/* Like pthread_cond_wait and pthread_join, but no cancellation points. The simulator cancels no threads. */
#ifdef PLEACH_SIM
#define cancel_free_wait(condition, mutex) pthread_cond_wait((condition), (mutex))
#define cancel_free_join(thread) pthread_join((thread), NULL)
#else
static inline void cancel_free_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    const int before = cancel_disable();
    pthread_cond_wait(condition, mutex);
    cancel_restore(before);
}

static inline void cancel_free_join(pthread_t thread)
{
    const int before = cancel_disable();
    pthread_join(thread, NULL);
    cancel_restore(before);
}
#endif

#endif
