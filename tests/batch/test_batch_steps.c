/* test_batch_steps.c - batches whose operations are in each other's way: queries that pass by keys that the batch has
 * erased before them, or inserts after them. Their results are those of the oracle, and their steps n log n.
 *
 * Steps are counted (pleach_batch_times.steps), not seconds. What a query may pass by before it counts is left out. The
 * queue's batches are counted as well: the linker sends its calls of pleach_map_apply here (--wrap, tests.cmake). */
#include <stdlib.h>
#include <string.h>

#include <pleach/queue.h>

#include "testkit/batches.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"

/* In which order the operations of two kinds come. */
typedef enum order { IN_TURN, FIRST_KIND_FIRST, SECOND_KIND_FIRST, ORDERS } order;

static const char *const order_names[ORDERS] = {"in turn", "first kind first", "second kind first"};

typedef struct contest {
    const setting *where;
    size_t rows;
    unsigned first, second; /* kinds */
    order order;
    bool downwards; /* the first kind names keys in descending order */
    size_t spared;  /* every so many rows is named by no operation of the first kind; 0: all are */
} contest;

static uint64_t key_of_row(size_t row) { return 10 + 3 * (uint64_t)row; }

static uint64_t log_of(uint64_t n)
{
    uint64_t log = 1;
    while (n >> log) log++;
    return log;
}

static bool is_update(unsigned kind) { return kind <= PLEACH_OP_ERASE; }

/* One operation: an update or a point query of its own row; what asks for several keys does so over all rows, from the
 * end where most of them are in its way. */
static void set(given_batch *b, size_t i, const contest *c, unsigned kind, size_t row)
{
    uint64_t low = key_of_row(0) - 1, high = key_of_row(c->rows);
    b->kinds[i] = (uint8_t)kind;
    b->keys[i] = key_of_row(row);
    b->values[i] = 7 * (uint64_t)row + kind;
    if (kind == PLEACH_OP_SUCC) b->keys[i] = row % 2 ? low : key_of_row(row / 2);
    if (kind == PLEACH_OP_PRED) b->keys[i] = row % 2 ? high : key_of_row(c->rows - row / 2 - 1);
    if (kind < PLEACH_OP_COUNT) return;
    b->keys[i] = low + row % 5;
    b->values[i] = high - row % 3;
}

static given_batch batch_of(const contest *c)
{
    size_t n = 2 * c->rows;
    given_batch b = {.n = n, .limit = 2, .capacity = 2 * n};
    b.kinds = must_alloc(n, 1);
    b.keys = must_alloc(n, sizeof *b.keys);
    b.values = must_alloc(n, sizeof *b.values);
    for (size_t i = 0; i < c->rows; i++) {
        size_t row = c->downwards ? c->rows - 1 - i : i;
        if (c->spared && row % c->spared == 0) row = row ? row - 1 : 1;
        size_t one = c->order == IN_TURN ? 2 * i : c->order == FIRST_KIND_FIRST ? i : c->rows + i;
        size_t two = c->order == IN_TURN ? 2 * i + 1 : c->order == FIRST_KIND_FIRST ? c->rows + i : i;
        set(&b, one, c, c->first, row);
        set(&b, two, c, c->second, i);
    }
    return b;
}

/* Rows that are there before: all if they are to be erased, none if they are to be inserted, else every other one. */
static void begin_with(const wide *w, oracle *o, const contest *c)
{
    FREED uint64_t *keys = must_alloc(c->rows, sizeof *keys);
    uint64_t old;
    size_t n = 0;
    for (size_t row = 0; row < c->rows; row++) {
        bool erased = c->first == PLEACH_OP_ERASE || (!is_update(c->first) && c->second == PLEACH_OP_ERASE);
        bool inserted = !erased && (is_update(c->first) || is_update(c->second));
        if (c->spared ? row % c->spared == 0 || erased : erased || (!inserted && row % 2)) keys[n++] = key_of_row(row);
    }
    for (size_t i = 0; i < n; i++) oracle_put(o, keys[i], keys[i], &old);
    assert_ok(wide_load(w, n, keys, keys, 0));
}

/* Half of the operations are queries. Each may give up twice, after 64 steps and some, and then skips: up to three
 * times for the two pairs of a range, at two steps a level and some, and again when the pairs are written. */
static uint64_t most_steps(uint64_t n) { return n * (200 + 8 * log_of(n)); }

/* One batch on a map of its own. */
static void hold_by(const contest *c, uint64_t (*apply)(const wide *w, oracle *o, const given_batch *b))
{
    FREED uint64_t *keys = must_alloc(c->rows, sizeof *keys);
    for (size_t row = 0; row < c->rows; row++) keys[row] = key_of_row(row);
    AT_END(end_oracle) oracle *o = oracle_create(c->rows, keys);
    AT_END(wide_close) wide w = wide_open(c->where);
    begin_with(&w, o, c);
    given_batch b = batch_of(c);
    uint64_t steps = apply(&w, o, &b), most = most_steps(b.n);
    if (steps > most)
        fail_msg("kinds %u and %u, %s: %zu operations took %llu steps, %llu at most are right", c->first, c->second,
                 order_names[c->order], b.n, (unsigned long long)steps, (unsigned long long)most);
    assert_same_content(&w, o);
    free(b.kinds);
    free(b.keys);
    free(b.values);
}

/* ---- through the queue ---- */

static uint64_t queue_steps; /* its service thread's, until that has ended */

pleach_status __real_pleach_map_apply(pleach_map *map, pleach_batch *batch);
pleach_status __wrap_pleach_map_apply(pleach_map *map, pleach_batch *batch);

pleach_status __wrap_pleach_map_apply(pleach_map *map, pleach_batch *batch)
{
    pleach_batch_times times = {0};
    if (batch->times) return __real_pleach_map_apply(map, batch);
    batch->times = &times;
    pleach_status status = __real_pleach_map_apply(map, batch);
    batch->times = NULL;
    queue_steps += times.steps;
    return status;
}

static void note_answer(void *context, const pleach_answer *answer) { *(pleach_answer *)context = *answer; }

static uint64_t submit_all(const wide *w, oracle *o, const given_batch *b)
{
    pleach_queue_config config = {.batch = (uint32_t)b->n, .age_us = 1000000};
    FREED pleach_answer *answers = must_alloc(b->n, sizeof *answers);
    pleach_queue *queue = NULL;
    queue_steps = 0;
    assert_ok(pleach_queue_create(&queue, w->map, &config));
    for (size_t i = 0; i < b->n; i++)
        assert_ok(pleach_queue_submit(queue, (pleach_operation)b->kinds[i], b->keys[i], b->values[i], note_answer,
                                      &answers[i]));
    assert_ok(pleach_queue_flush(queue));
    pleach_queue_destroy(queue);
    for (size_t i = 0; i < b->n; i++) {
        pleach_answer expected = {.status = PLEACH_OK}, *got = &answers[i];
        oracle_answer(o, (pleach_operation)b->kinds[i], b->keys[i], b->values[i], &expected);
        assert_int_equal(got->status, PLEACH_OK);
        if (got->flag != expected.flag || got->key != expected.key || got->value != expected.value ||
            got->count != expected.count)
            fail_msg("operation %zu of kind %u has another answer than the oracle's", i, b->kinds[i]);
    }
    count_checked(b->n);
    return queue_steps;
}

/* ---- contests ---- */

static size_t rows_for(const setting *where, size_t most)
{
    return where->device == PLEACH_CPU ? shrunk(most, 300) : shrunk(most, 200);
}

static void every_pair_of_kinds(const setting *where)
{
    contest c = {.where = where, .rows = rows_for(where, 800)};
    for (c.first = 0; c.first < OPERATIONS; c.first++)
        for (c.second = 0; c.second < OPERATIONS; c.second++)
            for (c.order = 0; c.order < ORDERS; c.order++) hold_by(&c, batch_given);
}

static void for_updates_and_queries(contest c)
{
    static const uint8_t updates[] = {PLEACH_OP_ERASE, PLEACH_OP_ADD};
    for (size_t u = 0; u < COUNT_OF(updates); u++)
        for (c.second = PLEACH_OP_SUCC; c.second < OPERATIONS; c.second++) {
            c.first = updates[u];
            c.order = c.first == PLEACH_OP_ERASE ? FIRST_KIND_FIRST : SECOND_KIND_FIRST;
            hold_by(&c, batch_given);
        }
}

static void many_keys_in_the_way(const setting *where)
{
    for_updates_and_queries((contest){.where = where, .rows = rows_for(where, 4000)});
}

/* Old keys between those that are passed by, which the batch does not name. */
static void old_keys_between_them(const setting *where)
{
    static const size_t spared[] = {2, 7, 90, 500};
    for (size_t i = 0; i < COUNT_OF(spared); i++)
        for_updates_and_queries((contest){.where = where, .rows = rows_for(where, 1200), .spared = spared[i],
                                          .downwards = i % 2});
}

static void through_the_queue(const setting *where)
{
    contest c = {.where = where, .rows = rows_for(where, 1500)};
    for (c.second = PLEACH_OP_SUCC; c.second <= PLEACH_OP_COUNT; c.second++)
        for (unsigned erases = 0; erases < 2; erases++) {
            c.first = erases ? PLEACH_OP_ERASE : PLEACH_OP_ADD;
            c.order = erases ? FIRST_KIND_FIRST : SECOND_KIND_FIRST;
            hold_by(&c, submit_all);
        }
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {CASE_OF_TREES(every_pair_of_kinds), CASE_OF_TREES(many_keys_in_the_way),
                                      CASE_OF_TREES(old_keys_between_them), CASE_OF_TREES(through_the_queue)};
    tests_of_trees();
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
