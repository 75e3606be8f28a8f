/* sync/thread_number.c - thread numbers, and the barrier that lets low ones enter a gate without locked instructions.
 *
 * A number below GATE_SLOTS belongs to one thread at a time, and is free again when that thread ends. All other
 * threads get numbers from GATE_SLOTS on, which need not differ. Without membarrier (an old kernel, another system,
 * a system call filter) every thread gets such a number. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/fork.h"
#include "gate.h"

#ifdef __linux__
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

_Thread_local unsigned gate_my_number;

static _Atomic uint64_t taken; /* one bit per number below GATE_SLOTS */
static atomic_uint others;     /* threads that were given higher numbers so far */
static atomic_bool have_barrier; /* otherwise no thread owns a slot */
static atomic_bool have_key;     /* `at_end` is valid; otherwise no further thread gets a slot */
static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void begin(void);

enum { MOST_OTHERS = 1 << 30 }; /* so that the numbers never become small again */
_Static_assert(GATE_SLOTS == 64, "numbers are bits of `taken`");

/* ---- the barrier ---- */

#if defined(__linux__) && defined(SYS_membarrier)
static bool call_barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

/* Registers this process only: a child must register again. */
static bool register_barrier(void)
{
    const long can = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return can > 0 && can & MEMBARRIER_CMD_PRIVATE_EXPEDITED && call_barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/* Reads `taken` by a read-modify-write. A thread that is not seen here takes its number by a later one, and then sees
 * everything stored before, including a closed gate. A thread that has ended has left all gates. So this costs no
 * system call in a program with one thread. */
static bool others_own_slots(void)
{
    const uint64_t mine = gate_my_number - 1 < GATE_SLOTS ? (uint64_t)1 << (gate_my_number - 1) : 0;
    return (atomic_fetch_or(&taken, 0) & ~mine) != 0;
}

void gate_barrier(void)
{
    pthread_once(&once, begin); /* so that a thread that gets its number at this moment cannot be missed */
    if (!atomic_load(&have_barrier) || !others_own_slots()) return;
    if (call_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
    /* A process that was restored from a checkpoint is no longer registered. */
    if (register_barrier() && call_barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
    fputs("pleach: the system call membarrier worked before and now fails; allow it in system call filters (seccomp)\n",
          stderr);
    abort(); /* without it a call could change what others are reading */
}
#else
static bool register_barrier(void) { return false; }
void gate_barrier(void) {}
#endif

/* ---- numbers ---- */

static void give_number_back(void *number_plus_one)
{
    /* a destructor that runs later may make calls again, and then gets another number */
    gate_my_number = 0;
    atomic_fetch_and_explicit(&taken, ~((uint64_t)1 << ((uintptr_t)number_plus_one - 1)), memory_order_release);
}

/* The calling thread is the only one, and is inside no gate: all gates have been reset. */
static void begin_in_child(void)
{
    gate_my_number = 0;
    if (atomic_load(&have_key)) pthread_setspecific(at_end, NULL);
    atomic_store(&have_barrier, atomic_load(&have_key) && register_barrier());
    atomic_store(&taken, 0);
}

static void begin(void)
{
    const bool have = pthread_key_create(&at_end, give_number_back) == 0;
    atomic_store(&have_key, have);
    atomic_store(&have_barrier, have && register_barrier());
    fork_set_first_in_child(begin_in_child);
}

/* Returns GATE_SLOTS if no number is free. Acquire: the thread that had the number before has left all gates, and an
 * exclusive caller that has not seen this number (others_own_slots) has closed its gate before. */
static unsigned take_own_number(void)
{
    uint64_t bits = atomic_load_explicit(&taken, memory_order_relaxed);
    while (~bits != 0) { /* ends: the swap fails only if another thread has taken or returned a number */
        const unsigned number = (unsigned)__builtin_ctzll(~bits);
        if (atomic_compare_exchange_weak_explicit(&taken, &bits, bits | (uint64_t)1 << number, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return number;
    }
    return GATE_SLOTS;
}

void gate_own_no_slot(void)
{
    gate_my_number = GATE_SLOTS + atomic_fetch_add_explicit(&others, 1, memory_order_relaxed) % MOST_OTHERS + 1;
}

__attribute__((cold)) unsigned gate_take_number(void)
{
    pthread_once(&once, begin);
    unsigned number = atomic_load(&have_barrier) && atomic_load(&have_key) ? take_own_number() : GATE_SLOTS;
    if (number < GATE_SLOTS && pthread_setspecific(at_end, (void *)(uintptr_t)(number + 1)) != 0) {
        give_number_back((void *)(uintptr_t)(number + 1));
        number = GATE_SLOTS;
    }
    gate_my_number = number + 1;
    if (number == GATE_SLOTS) gate_own_no_slot();
    return gate_my_number - 1;
}

/* An unloaded library must leave no destructor behind that threads would call when they end. Threads that ask for a
 * number from now on get no slot of their own. */
static __attribute__((destructor)) void forget_threads(void)
{
    if (atomic_exchange(&have_key, false)) pthread_key_delete(at_end);
}
