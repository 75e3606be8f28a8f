/* clock.h - seconds on a clock that never goes back. The includer defines _DEFAULT_SOURCE first. */
#ifndef PLEACH_TOOLS_CLOCK_H
#define PLEACH_TOOLS_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
