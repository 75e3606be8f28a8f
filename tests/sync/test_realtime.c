/* test_realtime.c - who waits sleeps: it uses little of its processor, and a thread of high real-time priority lets the
 * thread run that it waits for, on the same processor. Without the right to have such priorities that part is left out,
 * and said so. A test that hangs is ended by an alarm, which needs no processor of its own. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <pleach/queue.h>

#include "map/map_object.h"
#include "sync/workers.h"
#include "port/port.h"
#include "testkit/harness.h"
#include "testkit/units.h"

enum { DEADLINE_SECONDS = 60, MILLISECOND = 1000 * 1000, HELD_MS = 100 };

static void sleep_for(long nanoseconds) { nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL); }

static double milliseconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static pleach_map *make_map(void)
{
    pleach_map *map = NULL;
    assert_ok(pleach_map_create(&map, &(pleach_map_config){.threads = 2}));
    return map;
}

static pthread_t start(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, body, argument), 0);
    return thread;
}

/* ---- how much of its processor a thread uses that waits for HELD_MS ---- */

typedef struct wait {
    void (*wait)(struct wait *w);
    pleach_map *map;
    atomic_bool over;
    double processor_ms, waited_ms;
} wait;

static void wait_for_flag(wait *w)
{
    for (unsigned attempt = 0; !atomic_load(&w->over); attempt++) port_pause(attempt);
}

static void wait_to_be_alone(wait *w) { pleach_map_validate(w->map, NULL, 0); }

static void wait_to_share(wait *w)
{
    uint64_t size;
    pleach_map_size(w->map, &size);
}

static void *measure_wait(void *argument)
{
    wait *w = argument;
    const double processor = milliseconds_of(CLOCK_THREAD_CPUTIME_ID), begin = milliseconds_of(CLOCK_MONOTONIC);
    w->wait(w);
    w->processor_ms = milliseconds_of(CLOCK_THREAD_CPUTIME_ID) - processor;
    w->waited_ms = milliseconds_of(CLOCK_MONOTONIC) - begin;
    return NULL;
}

static void check_wait(void (*how)(wait *), bool held_alone)
{
    wait w = {.wait = how, .map = make_map()};
    if (held_alone)
        assert_true(gate_enter_exclusive(&w.map->gate));
    else
        gate_enter(&w.map->gate);
    pthread_t thread = start(measure_wait, &w);
    sleep_for(HELD_MS * MILLISECOND);
    atomic_store(&w.over, true);
    if (held_alone)
        gate_leave_exclusive(&w.map->gate);
    else
        gate_leave(&w.map->gate);
    pthread_join(thread, NULL);
    assert_true(w.waited_ms >= HELD_MS / 2);
    if (w.processor_ms > w.waited_ms / 4)
        fail_msg("%.1f ms of processor time in a wait of %.1f ms", w.processor_ms, w.waited_ms);
    pleach_map_destroy(w.map);
}

static void waiting_uses_little_of_a_processor(void)
{
    check_wait(wait_for_flag, true);
    check_wait(wait_to_be_alone, false);
    check_wait(wait_to_be_alone, true);
    check_wait(wait_to_share, true);
}

/* The other member of a team is late. */
static void be_late(void *context, team *team, unsigned member)
{
    wait *w = context;
    if (member > 0 || team->members == 1)
        sleep_for(HELD_MS * MILLISECOND);
    else {
        const double processor = milliseconds_of(CLOCK_THREAD_CPUTIME_ID);
        team_barrier(team);
        w->processor_ms = milliseconds_of(CLOCK_THREAD_CPUTIME_ID) - processor;
        return;
    }
    if (team->members > 1) team_barrier(team);
}

static void teams_wait_asleep(void)
{
    wait w = {.processor_ms = 0};
    workers *two = workers_create(2);
    assert_non_null(two);
    workers_team(two, 2, be_late, &w);
    workers_destroy(two);
    assert_true(w.processor_ms < HELD_MS / 4);
}

/* ---- a low and a high priority on one processor ---- */

enum { LOW = 5, HIGH = 10 };

static bool set_priority(pthread_t thread, int priority)
{
    const struct sched_param parameter = {.sched_priority = priority};
    return pthread_setschedparam(thread, priority ? SCHED_FIFO : SCHED_OTHER, &parameter) == 0;
}

static void pin_to_one_processor(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0) return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && CPU_COUNT(&one) == 0) CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

typedef struct contest {
    pleach_map *map;
    pleach_queue *queue;
    void (*low)(struct contest *c);
    void (*high)(struct contest *c);
    atomic_bool begun, over;
    size_t times;
} contest;

static void *run_high(void *argument)
{
    contest *c = argument;
    while (!atomic_load(&c->begun)) sleep_for(MILLISECOND);
    c->high(c);
    atomic_store(&c->over, true);
    return NULL;
}

static void *run_low(void *argument)
{
    contest *c = argument;
    pin_to_one_processor();
    if (!set_priority(pthread_self(), LOW)) return c; /* not allowed */
    pthread_t thread = start(run_high, c);            /* with this one's priority and processor, */
    set_priority(thread, HIGH);                       /* and then with its own */
    atomic_store(&c->begun, true);
    c->low(c);
    pthread_join(thread, NULL);
    return NULL;
}

static void run_contest(void (*low)(contest *), void (*high)(contest *))
{
    void *refused = NULL;
    contest c = {.map = make_map(), .low = low, .high = high, .times = scaled(2000)};
    assert_ok(pleach_queue_create(&c.queue, c.map, NULL));
    pthread_t thread = start(run_low, &c);
    assert_int_equal(pthread_join(thread, &refused), 0);
    if (refused) printf("   left out: this user may not have real-time priorities\n");
    pleach_queue_destroy(c.queue);
    assert_ok(pleach_map_validate(c.map, NULL, 0));
    pleach_map_destroy(c.map);
}

/* It is inside while the other one comes. */
static void stay_inside(contest *c)
{
    gate_enter(&c->map->gate);
    sleep_for(20 * MILLISECOND);
    const double begin = milliseconds_of(CLOCK_MONOTONIC);
    while (milliseconds_of(CLOCK_MONOTONIC) < begin + 5) continue; /* needs its processor */
    gate_leave(&c->map->gate);
}

static void go_alone(contest *c)
{
    sleep_for(10 * MILLISECOND);
    pleach_map_validate(c->map, NULL, 0);
}

static void stay_alone(contest *c)
{
    if (!gate_enter_exclusive(&c->map->gate)) return;
    sleep_for(20 * MILLISECOND);
    gate_leave_exclusive(&c->map->gate);
}

static void put_one(contest *c)
{
    const uint64_t key = 7, value = 1;
    pleach_map_put(c->map, 1, &key, &value, NULL, NULL, PLEACH_SYNC);
}

static void go_shared(contest *c)
{
    sleep_for(10 * MILLISECOND);
    put_one(c);
}

/* Both want the latch of one leaf; the one of low priority is interrupted at any instruction. */
static void put_all_the_time(contest *c)
{
    while (!atomic_load(&c->over)) put_one(c);
}

static void put_now_and_then(contest *c)
{
    for (size_t i = 0; i < c->times; i++) {
        sleep_for(20000);
        put_one(c);
    }
}

static void submit_all_the_time(contest *c)
{
    while (!atomic_load(&c->over)) pleach_queue_submit(c->queue, PLEACH_OP_PUT, 1, 2, NULL, NULL);
}

static void call_now_and_then(contest *c)
{
    pleach_answer answer;
    for (size_t i = 0; i < c->times / 10 + 1; i++) {
        sleep_for(20000);
        pleach_queue_call(c->queue, PLEACH_OP_PUT, 2, 3, &answer);
    }
}

static void high_priority_waits_for_low(void)
{
    run_contest(stay_inside, go_alone);
    run_contest(stay_alone, go_shared);
    run_contest(stay_alone, go_alone);
    run_contest(put_all_the_time, put_now_and_then);
    run_contest(submit_all_the_time, call_now_and_then);
}

static unit_case cases[] = {
    UNIT(waiting_uses_little_of_a_processor),
    UNIT(teams_wait_asleep),
    UNIT(high_priority_waits_for_low),
};

int main(int argc, char **argv)
{
    alarm(DEADLINE_SECONDS);
    return run_units("test_realtime", argc, argv, cases, COUNT_OF(cases));
}
