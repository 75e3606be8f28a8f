/* test_queue.c - operations through a queue. Callbacks run one at a time and in the order of submission, so an oracle
 * that is asked by the callbacks knows what each answer must be; threads at once are checked by keys with one owner and
 * by values that must add up. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/wide.h"

enum { LONG_AGE = 60 * 1000 * 1000 }; /* microseconds */

static pleach_queue *open_queue(const wide *w, uint32_t batch, uint32_t age_us, uint32_t capacity)
{
    const pleach_queue_config config = {.batch = batch, .age_us = age_us, .capacity = capacity};
    pleach_queue *queue = NULL;
    assert_ok(pleach_queue_create(&queue, w->map, &config));
    assert_non_null(queue);
    return queue;
}

static pleach_queue_stats counts_of(pleach_queue *queue)
{
    pleach_queue_stats stats;
    assert_ok(pleach_queue_get_stats(queue, &stats));
    return stats;
}

/* Statistics must add up whatever the queue has been through. */
static pleach_queue_stats close_queue(pleach_queue *queue)
{
    pleach_queue_close(queue);
    const pleach_queue_stats stats = counts_of(queue);
    uint64_t sum = 0;
    for (size_t b = 0; b < PLEACH_QUEUE_BUCKETS; b++) sum += stats.microseconds[b];
    assert_int_equal(sum, stats.operations);
    assert_int_equal(stats.pending, 0);
    assert_true(stats.failed <= stats.operations && stats.batches <= stats.operations);
    assert_true(pleach_queue_percentile(&stats, 50) <= pleach_queue_percentile(&stats, 99.9));
    assert_true((pleach_queue_percentile(&stats, 0) > 0) == (stats.operations > 0));
    pleach_queue_destroy(queue);
    return stats;
}

/* ---- one thread against the oracle --------------------------------------------------------------------------- */

typedef struct judge {
    wide w;
    oracle *o;
    rng r;
    size_t answered, refused, wrong, out_of_order;
} judge;

typedef struct request {
    judge *by;
    size_t number;
    pleach_operation operation;
    uint64_t key, value;
} request;

static judge judge_of(wide w, size_t rows, uint64_t part)
{
    judge j = {.w = w, .r = rng_for(test_seed(), part)};
    FREED uint64_t *keys = pattern_keys(RANDOM, rows, w.top, &j.r);
    j.o = oracle_create(rows, keys);
    return j;
}

static void judge_close(judge *j)
{
    assert_int_equal(j->wrong, 0);
    assert_int_equal(j->out_of_order, 0);
    assert_same_content(&j->w, j->o);
    oracle_destroy(j->o);
    wide_close(&j->w);
}

/* Only a new key can lack room in the map; anything can lack memory to work with. */
static bool may_be_refused(const request *q, pleach_status status)
{
    uint64_t unused;
    if (status != PLEACH_E_FULL) return status == PLEACH_E_MEMORY;
    return q->operation <= PLEACH_OP_ADD && !oracle_find(q->by->o, q->key, &unused);
}

/* The callback. What was refused has not happened. */
static void judge_answer(void *context, const pleach_answer *answer)
{
    const request *q = context;
    judge *j = q->by;
    j->out_of_order += q->number != j->answered++;
    pleach_answer expected = {.status = answer->status};
    if (answer->status == PLEACH_OK)
        oracle_answer(j->o, q->operation, q->key, q->value, &expected);
    else {
        j->refused++;
        j->wrong += !may_be_refused(q, answer->status);
    }
    j->wrong += !same_answer(answer, &expected);
}

static request random_request(judge *j, size_t number)
{
    request q = {.by = j, .number = number, .value = rng_next(&j->r) & j->w.top};
    q.operation = rng_percent(&j->r, 30) ? PLEACH_OP_PUT : (pleach_operation)rng_below(&j->r, PLEACH_OP_RANGE);
    q.key = j->o->keys[rng_below(&j->r, j->o->rows)];
    if (q.operation >= PLEACH_OP_ERASE && rng_percent(&j->r, 20)) q.key = (q.key + 1) & j->w.top;
    return q;
}

static void single_calls_match_the_oracle(const setting *where)
{
    judge j = judge_of(wide_open(where), 200, 1);
    pleach_queue *queue = open_queue(&j.w, 0, 1, 0);
    const size_t n = scaled_single_calls(where, 4000);
    for (size_t i = 0; i < n; i++) {
        request q = random_request(&j, i);
        pleach_answer answer;
        assert_ok(pleach_queue_call(queue, q.operation, q.key, q.value, &answer));
        judge_answer(&q, &answer);
    }
    assert_int_equal(close_queue(queue).operations, n);
    count_checked(n);
    judge_close(&j);
}

static size_t submit_random(judge *j, pleach_queue *queue, size_t n)
{
    FREED request *all = must_alloc(n, sizeof *all);
    size_t before = j->answered;
    for (size_t i = 0; i < n; i++) {
        all[i] = random_request(j, before + i); /* the generator is this thread's, the oracle the callbacks' */
        assert_ok(pleach_queue_submit(queue, all[i].operation, all[i].key, all[i].value, judge_answer, &all[i]));
        if (rng_percent(&j->r, 1) && rng_percent(&j->r, 5)) assert_ok(pleach_queue_flush(queue));
    }
    assert_ok(pleach_queue_flush(queue));
    assert_int_equal(j->answered, before + n);
    count_checked(n);
    return n;
}

static void pipelined_operations_match_the_oracle(const setting *where)
{
    static const uint32_t batches[][2] = {{1, 1}, {1, 7}, {100, 100}, {64, 1000}, {0, 0}};
    judge j = judge_of(wide_open(where), 500, 2);
    for (size_t b = 0; b < COUNT_OF(batches); b++) {
        pleach_queue *queue = open_queue(&j.w, batches[b][0], 0, batches[b][1]);
        const size_t n = submit_random(&j, queue, scaled_single_calls(where, b < 2 ? 5000 : 50000));
        const pleach_queue_stats stats = close_queue(queue);
        assert_int_equal(stats.operations, n);
        if (batches[b][0]) assert_true(stats.batches >= n / batches[b][0]);
    }
    assert_int_equal(j.refused, 0);
    judge_close(&j);
}

/* ---- many threads -------------------------------------------------------------------------------------------- */

typedef struct crowd {
    wide w;
    pleach_queue *queue;
    size_t rounds;
    atomic_size_t accepted, answered, wrong, refused;
    atomic_uint_fast64_t put_sum, old_sum; /* of values given to the shared keys, and taken from them */
    atomic_bool hold;                      /* callbacks wait while it is set */
    atomic_size_t left;                    /* threads that have been let out */
} crowd;

enum { SHARED_KEYS = 3, OWN_KEYS = 20 };

/* Key 0 .. SHARED_KEYS - 1 are everybody's; behind them neighbours have different owners. */
static uint64_t own_key(const agent *a, size_t i) { return SHARED_KEYS + i * a->count + a->index; }

static void note_shared_put(void *context, const pleach_answer *answer)
{
    crowd *c = context;
    if (answer->status != PLEACH_OK || answer->key || answer->count) atomic_fetch_add(&c->wrong, 1);
    atomic_fetch_add(&c->old_sum, answer->value);
    atomic_fetch_add(&c->answered, 1);
}

static void put_shared(agent *a, crowd *c)
{
    const uint64_t key = rng_below(&a->r, SHARED_KEYS), value = 1 + rng_below(&a->r, 1000);
    EXPECT_OK(a, pleach_queue_submit(c->queue, PLEACH_OP_PUT, key, value, note_shared_put, c));
    atomic_fetch_add(&c->put_sum, value);
    atomic_fetch_add(&c->accepted, 1);
}

static void call_own(agent *a, crowd *c, oracle *mine)
{
    const uint64_t key = own_key(a, (size_t)rng_below(&a->r, OWN_KEYS)), value = rng_next(&a->r) & c->w.top;
    const pleach_operation operation = (pleach_operation)rng_below(&a->r, PLEACH_OP_CONTAINS + 1);
    pleach_answer expected = {.status = PLEACH_OK}, answer;
    oracle_answer(mine, operation, key, value, &expected);
    EXPECT_OK(a, pleach_queue_call(c->queue, operation, key, value, &answer));
    EXPECT(a, same_answer(&answer, &expected));
}

static void work_in_crowd(agent *a)
{
    crowd *c = a->shared;
    uint64_t keys[OWN_KEYS];
    for (size_t i = 0; i < OWN_KEYS; i++) keys[i] = own_key(a, i);
    AT_END(end_oracle) oracle *mine = oracle_create(OWN_KEYS, keys);
    for (size_t i = 0; i < c->rounds && !stopped(a); i++) {
        for (size_t puts = rng_below(&a->r, 20); puts > 0 && !a->failed; puts--) put_shared(a, c);
        if (!a->failed) call_own(a, c, mine);
        if (i % 50 == 0 && pleach_queue_flush(c->queue) != PLEACH_OK) stop_all(a);
    }
    count_checked(10 * c->rounds);
}

static void threads_get_exact_answers(const setting *where)
{
    static const uint32_t sizes[][3] = {{0, 20, 0}, {16, 50, 40}, {1, 1, 2}};
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        crowd c = {.w = wide_open(where), .rounds = scaled_single_calls(where, 400)};
        c.queue = open_queue(&c.w, sizes[s][0], sizes[s][1], sizes[s][2]);
        run_agents(calling_threads(), work_in_crowd, &c);
        assert_ok(pleach_queue_flush(c.queue));
        assert_int_equal(c.answered, c.accepted);
        assert_int_equal(c.wrong, 0);
        uint64_t left = 0;
        for (uint64_t key = 0; key < SHARED_KEYS; key++) {
            pleach_answer answer;
            assert_ok(pleach_queue_call(c.queue, PLEACH_OP_FIND, key, 0, &answer));
            left += answer.value;
        }
        assert_int_equal(c.put_sum, c.old_sum + left);
        assert_int_equal(close_queue(c.queue).refused, 0);
        wide_close(&c.w);
    }
}

/* Each thread counts up a key of its own without ever waiting: every answer must be the number before. */
typedef struct sequence {
    uint64_t next;
    bool wrong;
} sequence;

static void expect_number_before(void *context, const pleach_answer *answer)
{
    sequence *s = context;
    const uint8_t outcome = s->next == 0 ? PLEACH_INSERTED : PLEACH_REPLACED;
    s->wrong |= answer->status != PLEACH_OK || answer->flag != outcome || answer->value != s->next;
    s->next++;
}

static void count_up(agent *a)
{
    crowd *c = a->shared;
    sequence s = {0};
    for (size_t i = 1; i <= c->rounds; i++)
        EXPECT_OK(a, pleach_queue_submit(c->queue, PLEACH_OP_PUT, a->index, i, expect_number_before, &s));
    EXPECT_OK(a, pleach_queue_flush(c->queue));
    EXPECT(a, !s.wrong && s.next == c->rounds);
    count_checked(c->rounds);
}

static void operations_of_a_thread_keep_their_order(const setting *where)
{
    crowd c = {.w = wide_open(where), .rounds = scaled(30000)};
    c.queue = open_queue(&c.w, 500, 0, 1700);
    run_agents(calling_threads(), count_up, &c);
    close_queue(c.queue);
    wide_close(&c.w);
}

/* ---- a full queue -------------------------------------------------------------------------------------------- */

static void note_and_hold(void *context, const pleach_answer *answer)
{
    crowd *c = context;
    if (answer->status != PLEACH_OK) atomic_fetch_add(&c->wrong, 1);
    while (atomic_load(&c->hold)) sched_yield();
    atomic_fetch_add(&c->answered, 1);
}

static void fill_queue(crowd *c)
{
    while (pleach_queue_try_submit(c->queue, PLEACH_OP_PUT, 1, 2, note_and_hold, c) == PLEACH_OK)
        atomic_fetch_add(&c->accepted, 1);
}

static void submit_many_or_release(agent *a)
{
    crowd *c = a->shared;
    if (a->index == 0) { /* let go when the others wait for room */
        pleach_queue_stats stats = {0};
        while (stats.waiting < a->count - 1) EXPECT_OK(a, pleach_queue_get_stats(c->queue, &stats));
        atomic_store(&c->hold, false);
    }
    for (size_t i = 0; i < c->rounds; i++) {
        EXPECT_OK(a, pleach_queue_submit(c->queue, PLEACH_OP_PUT, a->index, i, note_and_hold, c));
        atomic_fetch_add(&c->accepted, 1);
    }
}

static void a_full_queue_holds_back(const setting *where)
{
    crowd c = {.w = wide_open(where), .rounds = scaled_single_calls(where, 2000), .hold = true};
    c.queue = open_queue(&c.w, 2, 1, 5);
    fill_queue(&c);
    assert_int_equal(c.accepted, 5);
    assert_int_equal(pleach_queue_try_submit(c.queue, PLEACH_OP_FIND, 1, 0, NULL, NULL), PLEACH_E_BUSY);
    run_agents(calling_threads(), submit_many_or_release, &c);
    assert_ok(pleach_queue_flush(c.queue));
    assert_int_equal(c.answered, c.accepted);
    assert_int_equal(c.wrong, 0);
    const pleach_queue_stats stats = close_queue(c.queue);
    assert_int_equal(stats.operations, c.accepted);
    assert_int_equal(stats.refused, 2);
    wide_close(&c.w);
}

typedef struct chain {
    pleach_queue *queue;
    size_t left;
    bool wrong;
} chain;

static void submit_next(void *context, const pleach_answer *answer)
{
    chain *next = context;
    pleach_answer unused;
    next->wrong |= answer->status != PLEACH_OK;
    next->wrong |= pleach_queue_call(next->queue, PLEACH_OP_FIND, 1, 0, &unused) != PLEACH_E_BUSY;
    next->wrong |= pleach_queue_flush(next->queue) != PLEACH_E_BUSY;
    if (next->left-- > 1)
        next->wrong |= pleach_queue_submit(next->queue, PLEACH_OP_PUT, next->left, 1, submit_next, next) != PLEACH_OK;
    else {
        pleach_status status = PLEACH_OK; /* this one is still there; the rest is filled, and nobody would make room */
        size_t taken = 0;
        while ((status = pleach_queue_submit(next->queue, PLEACH_OP_FIND, 1, 0, NULL, NULL)) == PLEACH_OK) taken++;
        next->wrong |= status != PLEACH_E_BUSY || taken != 2;
        pleach_queue_close(next->queue);
    }
}

static void callbacks_may_submit_but_not_wait(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    chain c = {.queue = open_queue(&w, 1, 1, 3), .left = 100};
    assert_ok(pleach_queue_submit(c.queue, PLEACH_OP_PUT, 1, 1, submit_next, &c));
    while (counts_of(c.queue).operations < 102) sched_yield();
    assert_int_equal(close_queue(c.queue).operations, 102);
    assert_false(c.wrong);
}

/* ---- the end ------------------------------------------------------------------------------------------------- */

/* Callbacks are held until all who wait for room are out: so they cannot have been let out by room. */
static void hold_until_others_left(void *context, const pleach_answer *answer)
{
    crowd *c = context;
    if (answer->status != PLEACH_OK) atomic_fetch_add(&c->wrong, 1);
    while (atomic_load(&c->left) < calling_threads() - 1) sched_yield();
    atomic_fetch_add(&c->answered, 1);
}

static void wait_for_room_or_destroy(agent *a)
{
    crowd *c = a->shared;
    pleach_answer answer;
    if (a->index == 0) {
        pleach_queue_stats stats = {0};
        while (stats.waiting < a->count - 1) EXPECT_OK(a, pleach_queue_get_stats(c->queue, &stats));
        pleach_queue_destroy(c->queue);
        return;
    }
    if (a->index % 2)
        EXPECT(a, pleach_queue_submit(c->queue, PLEACH_OP_PUT, 7, 7, note_and_hold, c) == PLEACH_E_CLOSED);
    else
        EXPECT(a, pleach_queue_call(c->queue, PLEACH_OP_PUT, 7, 7, &answer) == PLEACH_E_CLOSED);
    atomic_fetch_add(&c->left, 1);
}

static void destroying_lets_those_out_who_wait_for_room(const setting *where)
{
    for (size_t round = 0; round < 20; round++) {
        crowd c = {.w = wide_open(where)};
        c.queue = open_queue(&c.w, 4, 1, 4);
        while (pleach_queue_try_submit(c.queue, PLEACH_OP_PUT, 1, 2, hold_until_others_left, &c) == PLEACH_OK)
            atomic_fetch_add(&c.accepted, 1);
        run_agents(calling_threads(), wait_for_room_or_destroy, &c);
        assert_int_equal(c.accepted, 4);
        assert_int_equal(c.answered, 4);
        assert_int_equal(c.wrong, 0);
        int found = 1;
        assert_ok(pleach_map_contains_one(c.w.map, 7, &found));
        assert_false(found);
        wide_close(&c.w);
    }
}

static void wait_for_answer_or_destroy(agent *a)
{
    crowd *c = a->shared;
    pleach_answer answer;
    if (a->index == 0) {
        pleach_queue_stats stats = {0};
        while (stats.pending < a->count - 1) EXPECT_OK(a, pleach_queue_get_stats(c->queue, &stats));
        pleach_queue_destroy(c->queue);
        return;
    }
    EXPECT_OK(a, pleach_queue_call(c->queue, PLEACH_OP_PUT, a->index, 7, &answer));
    EXPECT(a, answer.flag == PLEACH_INSERTED);
}

static void destroying_answers_those_who_wait(const setting *where)
{
    for (size_t round = 0; round < 20; round++) {
        crowd c = {.w = wide_open(where)};
        c.queue = open_queue(&c.w, 1000, LONG_AGE, 0);
        run_agents(calling_threads(), wait_for_answer_or_destroy, &c);
        assert_map_size(c.w.map, calling_threads() - 1);
        wide_close(&c.w);
    }
}

static void submit_until_closed(agent *a)
{
    crowd *c = a->shared;
    if (a->index == 0) {
        pleach_queue_stats stats = {0};
        while (stats.operations < c->rounds) EXPECT_OK(a, pleach_queue_get_stats(c->queue, &stats));
        pleach_queue_close(c->queue);
        EXPECT_OK(a, pleach_queue_flush(c->queue));
        return;
    }
    pleach_status status = PLEACH_OK;
    while (status == PLEACH_OK || status == PLEACH_E_BUSY) {
        pleach_answer answer = {.status = PLEACH_OK};
        const uint64_t choice = rng_below(&a->r, 100);
        if (choice == 0)
            status = pleach_queue_call(c->queue, PLEACH_OP_FIND, 1, 0, &answer);
        else
            status = (choice % 2 ? pleach_queue_submit : pleach_queue_try_submit)(c->queue, PLEACH_OP_PUT, choice, 1,
                                                                                 note_and_hold, c);
        if (status == PLEACH_OK && choice > 0) atomic_fetch_add(&c->accepted, 1);
    }
    EXPECT(a, status == PLEACH_E_CLOSED);
}

static void closing_while_others_submit_loses_nothing(const setting *where)
{
    for (size_t round = 0; round < 8; round++) {
        crowd c = {.w = wide_open(where), .rounds = scaled_single_calls(where, 2000)};
        c.queue = open_queue(&c.w, 30, 20, 100);
        run_agents(calling_threads(), submit_until_closed, &c);
        assert_int_equal(c.answered, c.accepted);
        assert_int_equal(c.wrong, 0);
        assert_true(close_queue(c.queue).refused >= calling_threads() - 1);
        wide_close(&c.w);
    }
}

static void a_flush_does_not_wait_for_age(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    pleach_queue *queue = open_queue(&w, 0, LONG_AGE, 0);
    assert_ok(pleach_queue_flush(queue));
    for (uint64_t key = 0; key < 10; key++) {
        assert_ok(pleach_queue_submit(queue, PLEACH_OP_PUT, key, 1, NULL, NULL));
        assert_ok(pleach_queue_submit(queue, PLEACH_OP_PUT, key, 2, NULL, NULL));
        assert_ok(pleach_queue_flush(queue));
        uint64_t value = 0;
        assert_ok(pleach_map_find_one(w.map, key, NULL, &value));
        assert_int_equal(value, 2);
    }
    assert_int_equal(close_queue(queue).batches, 10);
}

/* ---- what goes wrong ----------------------------------------------------------------------------------------- */

static void bad_arguments_are_refused(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    pleach_queue *queue = (pleach_queue *)&w;
    const pleach_queue_config bad[] = {{.batch = 10, .capacity = 9}, {.capacity = 8191}, {.batch = (1u << 30) + 1},
                                       {.batch = 1, .capacity = (1u << 31) + 1}};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_int_equal(pleach_queue_create(&queue, w.map, &bad[i]), PLEACH_E_ARGUMENT);
        assert_null(queue);
    }
    assert_int_equal(pleach_queue_create(&queue, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_create(NULL, w.map, NULL), PLEACH_E_ARGUMENT);
    assert_ok(pleach_queue_create(&queue, w.map, NULL));
    pleach_answer answer;
    assert_int_equal(pleach_queue_submit(NULL, PLEACH_OP_PUT, 1, 1, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_try_submit(queue, PLEACH_OP_RANGE, 1, 1, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_submit(queue, (pleach_operation)-1, 1, 1, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_call(queue, PLEACH_OP_PUT, 1, 1, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_call(queue, PLEACH_OP_RANGE, 1, 1, &answer), PLEACH_E_ARGUMENT);
    assert_int_equal(answer.status, PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_flush(NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_get_stats(queue, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_queue_percentile(NULL, 50), 0);
    pleach_queue_close(NULL);
    pleach_queue_destroy(NULL);
    assert_int_equal(close_queue(queue).operations, 0);
}

static void what_does_not_fit_is_refused(const setting *where)
{
    const uint64_t large = (uint64_t)UINT32_MAX + 1;
    AT_END(wide_close) wide w = wide_open(where);
    pleach_queue *queue = open_queue(&w, 0, 1, 0);
    const pleach_status expected = w.key_bits == 64 ? PLEACH_OK : PLEACH_E_WIDTH;
    for (pleach_operation operation = 0; operation < PLEACH_OP_RANGE; operation++) {
        const bool with_value = operation < PLEACH_OP_ERASE || operation == PLEACH_OP_COUNT;
        pleach_answer answer;
        assert_int_equal(pleach_queue_call(queue, operation, large, 1, &answer), expected);
        assert_int_equal(answer.status, expected);
        assert_int_equal(pleach_queue_call(queue, operation, 1, large, &answer), with_value ? expected : PLEACH_OK);
        assert_ok(pleach_queue_call(queue, operation, UINT32_MAX, UINT32_MAX, &answer));
    }
    assert_int_equal(close_queue(queue).failed, 0);
}

/* Fills the map by array calls, so that few operations are left for the queue to refuse. */
static void fill_judged(judge *j)
{
    enum { PIECE = 500 };
    uint8_t outcomes[PIECE];
    pleach_status status = PLEACH_OK;
    for (size_t row = 0; status == PLEACH_OK && row + PIECE <= j->o->rows; row += PIECE) {
        uint64_t keys[PIECE];
        for (size_t i = 0; i < PIECE; i++) keys[i] = j->o->keys[(row + i) * 7919 % j->o->rows];
        status = wide_put(&j->w, PIECE, keys, keys, outcomes, NULL);
        for (size_t i = 0; i < PIECE; i++)
            if (outcomes[i] != PLEACH_NOT_APPLIED) oracle_put(j->o, keys[i], keys[i], NULL);
    }
    assert_int_equal(status, PLEACH_E_FULL);
}

static void a_full_map_refuses_only_what_does_not_fit(const setting *where)
{
    const bool gpu = where->device == PLEACH_CUDA;
    const wide w = wide_open_limited(where, gpu ? (uint64_t)4 << 20 : (uint64_t)200 << 10);
    judge j = judge_of(w, gpu ? 600000 : 30000, 3);
    fill_judged(&j);
    pleach_queue *queue = open_queue(&j.w, 64, 0, 0);
    const size_t n = submit_random(&j, queue, scaled(gpu ? 4000 : 20000));
    const pleach_queue_stats stats = close_queue(queue);
    assert_int_equal(stats.operations, n);
    assert_int_equal(stats.failed, j.refused);
    assert_true(j.refused < n / 2);
    if (n >= 2000 && !gpu) assert_true(j.refused > 0); /* of the many leaves of a GPU map most have room for a few */
    judge_close(&j);
}

/* Allocations fail while batches run: what is not applied is told so. */
static void batches_without_memory_lose_nothing(const setting *where)
{
    for (long first = 1; first <= 12; first++) {
        judge j = judge_of(wide_open(where), 3000, 10 + (uint64_t)first);
        pleach_queue *queue = open_queue(&j.w, 2000, 0, 0);
        base_fail_allocations(first, 1 + first % 4 * 10);
        submit_random(&j, queue, 5000);
        base_fail_allocations(0, 0);
        submit_random(&j, queue, 1000);
        assert_int_equal(close_queue(queue).failed, j.refused);
        judge_close(&j);
    }
}

static void creating_without_memory_leaves_nothing(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    close_queue(open_queue(&w, 100, 0, 0)); /* what the map keeps for itself is there now */
    const long held = base_held();
    pleach_status status = PLEACH_E_MEMORY;
    for (long nth = 1; status != PLEACH_OK; nth++) {
        pleach_queue *queue = (pleach_queue *)&w;
        base_fail_nth_allocation(nth);
        status = pleach_queue_create(&queue, w.map, NULL);
        base_fail_nth_allocation(0);
        assert_true(status == PLEACH_OK || (status == PLEACH_E_MEMORY && queue == NULL));
        assert_true((nth >= 10) || status == PLEACH_E_MEMORY);
        if (status == PLEACH_OK) close_queue(queue);
        assert_int_equal(base_held(), held);
        assert_true(nth < 100);
    }
}

static void note_busy(void *context, const pleach_answer *answer)
{
    crowd *c = context;
    if (answer->status == PLEACH_E_BUSY) atomic_fetch_add(&c->refused, 1);
    atomic_fetch_add(&c->answered, 1);
}

static void snapshots_do_not_make_the_queue_wait(const setting *where)
{
    crowd c = {.w = wide_open_versioned(where)};
    pleach_snapshot *snapshot;
    uint64_t size = 0;
    c.queue = open_queue(&c.w, 10, 1, 100);
    assert_ok(pleach_snapshot_take(c.w.map, &snapshot, PLEACH_SYNC));
    for (uint64_t key = 0; key < 50; key++)
        assert_ok(pleach_queue_submit(c.queue, PLEACH_OP_PUT, key, 1, note_busy, &c));
    assert_ok(pleach_queue_flush(c.queue));
    assert_int_equal(c.answered, 50);
    assert_int_equal(c.refused, 0);
    assert_ok(pleach_snapshot_size(snapshot, &size));
    assert_int_equal(size, 0);
    assert_map_size(c.w.map, 50);
    close_queue(c.queue);
    pleach_snapshot_release(snapshot);
    wide_close(&c.w);
}

int main(int argc, char **argv)
{
    tests_of_trees();
    static const test_case cases[] = {
        CASE(single_calls_match_the_oracle),
        CASE(pipelined_operations_match_the_oracle),
        CASE(threads_get_exact_answers),
        CASE(operations_of_a_thread_keep_their_order),
        CASE(a_full_queue_holds_back),
        CASE(callbacks_may_submit_but_not_wait),
        CASE(destroying_lets_those_out_who_wait_for_room),
        CASE(destroying_answers_those_who_wait),
        CASE(closing_while_others_submit_loses_nothing),
        CASE(a_flush_does_not_wait_for_age),
        CASE(bad_arguments_are_refused),
        CASE(what_does_not_fit_is_refused),
        CASE(a_full_map_refuses_only_what_does_not_fit),
        CASE(batches_without_memory_lose_nothing),
        CASE(creating_without_memory_leaves_nothing),
        CASE(snapshots_do_not_make_the_queue_wait),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
