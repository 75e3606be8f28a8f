#include "entropy.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

uint64_t entropy_of_process(void)
{
    static atomic_uint_fast64_t calls;
    struct timespec wall, since_boot;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &since_boot);
    const uint64_t parts[] = {(uint64_t)wall.tv_sec,         (uint64_t)wall.tv_nsec,
                              (uint64_t)since_boot.tv_sec,   (uint64_t)since_boot.tv_nsec,
                              (uint64_t)(uintptr_t)&wall,    (uint64_t)(uintptr_t)&calls,
                              (uint64_t)getpid(),            atomic_fetch_add(&calls, 1)};
    uint64_t state = 0;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        state ^= parts[i];
        state = entropy_next(&state);
    }
    return state;
}

uint64_t base_entropy(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number) return number;
    return entropy_of_process();
}
