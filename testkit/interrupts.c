#include "interrupts.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "random.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static atomic_uint_fast64_t interrupted;

/* Of the thread whose handler runs. */
static _Thread_local struct {
    timer_t timer;
    volatile sig_atomic_t running;
    uint64_t dice, mean;
} mine;

static uint64_t next_dice(void) { return mine.dice = mix64(mine.dice + 0x9e3779b97f4a7c15u); }

static void arm(uint64_t most)
{
    const uint64_t nanoseconds = 1 + next_dice() % most;
    timer_settime(mine.timer, 0, &(struct itimerspec){.it_value = {.tv_nsec = (long)nanoseconds}}, NULL);
}

/* Nothing but what a signal handler may call. */
static void stop_here(int number)
{
    const int kept = errno;
    (void)number;
    if (!mine.running) return;
    const uint64_t dice = next_dice();
    if (dice % 4 == 0)
        sched_yield();
    else if (dice % 4 == 1)
        for (volatile unsigned turns = dice / 4 % 20000; turns > 0;) turns = turns - 1;
    else
        nanosleep(&(struct timespec){.tv_nsec = (long)(dice / 4 % (dice % 64 == 2 ? 2000000 : 100000))}, NULL);
    atomic_fetch_add_explicit(&interrupted, 1, memory_order_relaxed);
    if (mine.mean) arm(2000 * mine.mean);
    errno = kept;
}

interrupts interrupts_begin(uint64_t seed, unsigned microseconds)
{
    struct sigaction action = {.sa_handler = stop_here, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
    event.sigev_notify_thread_id = (int)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &mine.timer) != 0) return (interrupts){NULL};
    mine.dice = seed;
    mine.mean = microseconds;
    mine.running = 1;
    if (mine.mean) arm(2000 * mine.mean);
    return (interrupts){&mine};
}

void interrupts_once(const interrupts *i, uint64_t nanoseconds)
{
    if (i->timer) arm(nanoseconds);
}

void interrupts_end(interrupts *i)
{
    if (!i->timer) return;
    mine.running = 0;
    timer_delete(mine.timer);
    i->timer = NULL;
}

uint64_t interrupts_count(void) { return atomic_load(&interrupted); }
