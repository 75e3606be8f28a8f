/* sync/doze.h - sleeps until a word changes, without a mutex: a futex, or short timed sleeps where there is none. No
 * cancellation points. The simulator has its own version (verify/sim/gate/gate_sim.h). */
#ifndef PLEACH_GATE_DOZE_H
#define PLEACH_GATE_DOZE_H

#include <stdatomic.h>

#if defined(PLEACH_SIM)

#elif defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns when *word differs from value; everything that was stored before that change is visible. */
static inline void doze_while(atomic_uint *word, unsigned value)
{
    while (atomic_load(word) == value) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

/* Call after changing *word. A thread that has seen the change may have freed it: only its address is used. */
static inline void doze_wake(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

#else
#include "../port/port.h"

static inline void doze_while(atomic_uint *word, unsigned value)
{
    for (unsigned turn = 0; atomic_load(word) == value; turn++) port_pause(turn);
}

static inline void doze_wake(atomic_uint *word) { (void)word; }

#endif
#endif
