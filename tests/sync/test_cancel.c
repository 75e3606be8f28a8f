/* test_cancel.c - threads that are cancelled while they wait inside calls: the call returns first, nothing stays
 * locked, and the others go on. A test that hangs is ended by an alarm. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <pleach/file.h>
#include <pleach/graph_snapshot.h>
#include <pleach/hash.h>
#include <pleach/queue.h>

#include "map/map_object.h"
#include "testkit/buffers.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"

enum { DEADLINE_SECONDS = 120, WAITERS = 6, KEYS = 3000 };

static void sleep_for(long microseconds)
{
    nanosleep(&(struct timespec){.tv_sec = microseconds / 1000000, .tv_nsec = microseconds % 1000000 * 1000}, NULL);
}

/* ---- one call that waits ---- */

typedef struct waiter {
    void (*call)(struct waiter *w);
    void *of;          /* the map, or the queue */
    atomic_bool begun, returned;
    pleach_status status;
    pthread_t thread;
} waiter;

static void *make_the_call(void *argument)
{
    waiter *w = argument;
    atomic_store(&w->begun, true);
    w->call(w);
    atomic_store(&w->returned, true);
    pthread_testcancel();
    return NULL;
}

static void start_waiter(waiter *w, void (*call)(waiter *w), void *of)
{
    *w = (waiter){.call = call, .of = of, .status = PLEACH_E_ARGUMENT};
    assert_int_equal(pthread_create(&w->thread, NULL, make_the_call, w), 0);
    while (!atomic_load(&w->begun)) sleep_for(100);
}

/* Its call has returned, and then it was cancelled. */
static void join_cancelled(waiter *w, pleach_status expected)
{
    void *result = NULL;
    assert_int_equal(pthread_join(w->thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    assert_true(atomic_load(&w->returned));
    assert_int_equal(w->status, expected);
}

/* ---- at the gate ---- */

static void find_one(waiter *w)
{
    const uint64_t key = 1;
    uint64_t value;
    uint8_t found;
    w->status = pleach_map_find(w->of, 1, &key, &value, &found, PLEACH_SYNC);
}

static void validate(waiter *w) { w->status = pleach_map_validate(w->of, NULL, 0); }

static void apply_batch(waiter *w)
{
    const uint8_t kind = PLEACH_OP_PUT;
    const uint64_t key = 1, value = 2;
    pleach_batch batch = {.n = 1, .kinds = &kind, .keys = &key, .values = &value};
    w->status = pleach_map_apply(w->of, &batch);
}

static pleach_map *make_map(void)
{
    pleach_map *map = NULL;
    assert_ok(pleach_map_create(&map, &(pleach_map_config){.threads = 3, .versioned = 1}));
    return map;
}

static void threads_that_wait_at_the_gate(void)
{
    void (*const calls[])(waiter *) = {find_one, validate, apply_batch};
    AT_END(destroy_map) pleach_map *map = make_map();
    waiter w[WAITERS];
    assert_true(gate_enter_exclusive(&map->gate));
    for (size_t i = 0; i < WAITERS; i++) start_waiter(&w[i], calls[i % 3], map);
    sleep_for(20000);
    for (size_t i = 0; i < WAITERS; i++) assert_int_equal(pthread_cancel(w[i].thread), 0);
    sleep_for(20000);
    gate_leave_exclusive(&map->gate);
    for (size_t i = 0; i < WAITERS; i++) join_cancelled(&w[i], PLEACH_OK);
    waiter after = {.of = map};
    find_one(&after);
    assert_ok(after.status);
    validate(&after);
    assert_ok(after.status);
}

/* One that waits until a shared call has left. */
static void thread_that_closes_the_gate(void)
{
    AT_END(destroy_map) pleach_map *map = make_map();
    waiter w;
    gate_enter(&map->gate);
    start_waiter(&w, validate, map);
    sleep_for(20000);
    assert_int_equal(pthread_cancel(w.thread), 0);
    sleep_for(20000);
    gate_leave(&map->gate);
    join_cancelled(&w, PLEACH_OK);
    assert_ok(pleach_map_validate(map, NULL, 0));
}

/* ---- in a queue ---- */

static void call_queue(waiter *w)
{
    pleach_answer answer;
    w->status = pleach_queue_call(w->of, PLEACH_OP_PUT, 3, 4, &answer);
}

static void submit_to_queue(waiter *w) { w->status = pleach_queue_submit(w->of, PLEACH_OP_PUT, 3, 4, NULL, NULL); }
static void flush_queue(waiter *w) { w->status = pleach_queue_flush(w->of); }

static void close_queue(waiter *w)
{
    pleach_queue_close(w->of);
    w->status = PLEACH_OK;
}

/* The map is held, so nothing is completed, and the queue fills: the first two calls wait for answers, the others, but
 * for flush and close, for room. */
static void cancel_in_queue(void (*const calls[])(waiter *), size_t n, pleach_status at_last)
{
    AT_END(destroy_map) pleach_map *map = make_map();
    pleach_queue *queue = NULL;
    waiter w[WAITERS];
    assert_ok(pleach_queue_create(&queue, map, &(pleach_queue_config){.batch = 2, .capacity = 2}));
    assert_true(gate_enter_exclusive(&map->gate));
    for (size_t i = 0; i < n; i++) {
        start_waiter(&w[i], calls[i], queue);
        sleep_for(10000);
    }
    for (size_t i = 0; i < n; i++) assert_int_equal(pthread_cancel(w[i].thread), 0);
    sleep_for(20000);
    gate_leave_exclusive(&map->gate);
    for (size_t i = 0; i < n; i++) join_cancelled(&w[i], PLEACH_OK);
    pleach_queue_stats stats;
    assert_ok(pleach_queue_get_stats(queue, &stats));
    assert_int_equal(stats.waiting, 0);
    pleach_answer answer;
    assert_int_equal(pleach_queue_call(queue, PLEACH_OP_FIND, 3, 0, &answer), at_last);
    pleach_queue_destroy(queue);
}

static void threads_that_wait_in_a_queue(void)
{
    void (*const calls[])(waiter *) = {call_queue, call_queue, call_queue, submit_to_queue, flush_queue, flush_queue};
    cancel_in_queue(calls, WAITERS, PLEACH_OK);
}

static void thread_that_closes_a_queue(void)
{
    void (*const calls[])(waiter *) = {call_queue, close_queue};
    cancel_in_queue(calls, 2, PLEACH_E_CLOSED);
}

/* ---- everywhere: threads that call all the time are cancelled at any instant ---- */

typedef struct storm {
    pleach_map *map, *versioned;
    pleach_graph *graph;
    pleach_queue *queue;
    folder f;
    uint64_t *keys, *values;
} storm;

enum { BALANCES = 64, AMOUNT = 1000000, FRIENDS = 50 };

/* Each call, a file's included, is between two points of cancellation and has none inside. */
static void move_amount(storm *s, rng *r)
{
    const uint64_t amount = rng_below(r, 1000), keys[2] = {rng_below(r, BALANCES), rng_below(r, BALANCES)};
    const uint64_t values[2] = {0 - amount, amount};
    const uint8_t kinds[2] = {PLEACH_OP_ADD, PLEACH_OP_ADD};
    pleach_batch batch = {.n = 2, .kinds = kinds, .keys = keys, .values = values};
    pleach_map_apply(s->map, &batch);
}

static void save_snapshot(storm *s)
{
    pleach_snapshot *snapshot = NULL;
    if (pleach_snapshot_take(s->versioned, &snapshot, PLEACH_SYNC) != PLEACH_OK) return;
    pleach_snapshot_save(snapshot, s->f.path);
    pleach_snapshot_release(snapshot);
}

static void make_one_call(storm *s, rng *r)
{
    static _Thread_local uint8_t flags[KEYS];
    const uint32_t from = (uint32_t)rng_below(r, FRIENDS), to = (uint32_t)rng_below(r, FRIENDS);
    const uint64_t lo = 0, hi = UINT64_MAX - 1;
    uint64_t count;
    pleach_answer answer;
    switch (rng_below(r, 10)) {
    case 0: pleach_map_contains(s->map, KEYS, s->keys, flags, PLEACH_SYNC); return;
    case 1: pleach_map_put(s->versioned, KEYS, s->keys, s->values, flags, NULL, PLEACH_SYNC); return;
    case 2: pleach_map_range_count(s->versioned, 1, &lo, &hi, &count, PLEACH_SYNC); return;
    case 3: pleach_map_validate(s->map, NULL, 0); return;
    case 4: pleach_graph_insert_edges(s->graph, 1, &from, &to, NULL, NULL, PLEACH_SYNC); return;
    case 5: pleach_graph_erase_vertices(s->graph, 1, &from, NULL); return;
    case 6: pleach_queue_call(s->queue, PLEACH_OP_PUT, BALANCES + from, to, &answer); return;
    case 7: pleach_queue_flush(s->queue); return;
    case 8: save_snapshot(s); return;
    default: move_amount(s, r); return;
    }
}

typedef struct caller {
    storm *storm;
    rng r;
    pthread_t thread;
} caller;

static void *call_until_cancelled(void *argument)
{
    caller *c = argument;
    for (;;) {
        make_one_call(c->storm, &c->r);
        pthread_testcancel();
    }
    return NULL;
}

static void start_caller(caller *c, storm *s, rng *r)
{
    c->storm = s;
    c->r = rng_for(rng_next(r), 0);
    assert_int_equal(pthread_create(&c->thread, NULL, call_until_cancelled, c), 0);
}

static storm *make_storm(void)
{
    const pleach_graph_config ordered = {.threads = 2, .adjacency = PLEACH_ADJACENCY_ORDERED, .snapshots = 1};
    storm *s = must_alloc(1, sizeof *s);
    s->f = folder_open();
    s->keys = must_alloc(KEYS, sizeof *s->keys);
    s->values = must_alloc(KEYS, sizeof *s->values);
    for (uint64_t i = 0; i < KEYS; i++) s->keys[i] = i, s->values[i] = AMOUNT;
    s->map = make_map();
    s->versioned = make_map();
    assert_ok(pleach_map_put(s->map, BALANCES, s->keys, s->values, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_create(&s->graph, &ordered));
    assert_ok(pleach_queue_create(&s->queue, s->map, &(pleach_queue_config){.batch = 4, .capacity = 4}));
    return s;
}

static void end_storm(storm *s)
{
    uint64_t sum = 0;
    for (uint64_t key = 0; key < BALANCES; key++) {
        uint64_t value = 0;
        uint8_t found = 0;
        assert_ok(pleach_map_find(s->map, 1, &key, &value, &found, PLEACH_SYNC));
        sum += value;
    }
    assert_int_equal(sum, (uint64_t)AMOUNT * BALANCES);
    pleach_queue_destroy(s->queue);
    assert_ok(pleach_map_validate(s->map, NULL, 0));
    assert_ok(pleach_map_validate(s->versioned, NULL, 0));
    assert_ok(pleach_graph_validate(s->graph, NULL, 0));
    pleach_map_destroy(s->map);
    pleach_map_destroy(s->versioned);
    pleach_graph_destroy(s->graph);
    assert_true(folder_entries(&s->f) <= 1); /* no file is left half written */
    folder_close(&s->f);
    free(s->keys);
    free(s->values);
    free(s);
}

static void threads_that_call_all_the_time(void)
{
    storm *s = make_storm();
    caller callers[WAITERS];
    rng r = rng_for(test_seed(), 0);
    for (size_t i = 0; i < WAITERS; i++) start_caller(&callers[i], s, &r);
    for (size_t i = 0; i < scaled(150); i++) {
        caller *c = &callers[rng_below(&r, WAITERS)];
        sleep_for((long)rng_below(&r, 3000));
        assert_int_equal(pthread_cancel(c->thread), 0);
        assert_int_equal(pthread_join(c->thread, NULL), 0);
        start_caller(c, s, &r);
    }
    for (size_t i = 0; i < WAITERS; i++) pthread_cancel(callers[i].thread);
    for (size_t i = 0; i < WAITERS; i++) assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
    end_storm(s);
}

/* ---- the runner ---- */

static unit_case cases[] = {
    UNIT(threads_that_wait_at_the_gate),
    UNIT(thread_that_closes_the_gate),
    UNIT(threads_that_wait_in_a_queue),
    UNIT(thread_that_closes_a_queue),
    UNIT(threads_that_call_all_the_time),
};

int main(int argc, char **argv)
{
    alarm(DEADLINE_SECONDS);
    return run_units("test_cancel", argc, argv, cases, COUNT_OF(cases));
}
