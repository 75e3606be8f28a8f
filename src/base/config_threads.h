/* base/config_threads.h - the option `threads` of every structure. */
#ifndef PLEACH_CONFIG_THREADS_H
#define PLEACH_CONFIG_THREADS_H

#include <stdbool.h>
#include <unistd.h>

/* Replaces 0 by the number of online CPUs. Returns false if there are too many threads. */
static inline bool config_threads(unsigned *threads)
{
    enum { MOST_THREADS = 1024 };
    if (*threads == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        *threads = online < 1 ? 1 : online > MOST_THREADS ? MOST_THREADS : (unsigned)online;
    }
    return *threads <= MOST_THREADS;
}

#endif
