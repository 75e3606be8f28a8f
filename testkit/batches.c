#include "batches.h"

#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "compare.h"

static const uint64_t UNWRITTEN = 0xa5a5a5a5a5a5a5a5u;

/* Arguments and results, as 64-bit words whatever the map's width. */
typedef struct operations {
    size_t n, capacity;
    uint8_t *kinds;
    uint64_t *keys, *values;
    uint8_t *flags;
    uint64_t *out_keys, *out_values, *counts, *offsets, *range_keys, *range_values;
    size_t total;
} operations;

static uint64_t *words(size_t n, uint64_t value)
{
    uint64_t *w = must_alloc(n + 1, sizeof *w);
    for (size_t i = 0; i < n; i++) w[i] = value;
    return w;
}

static void make_results(operations *ops, size_t capacity, uint64_t top)
{
    ops->capacity = capacity;
    ops->flags = must_alloc(ops->n, 1);
    memset(ops->flags, 0xa5, ops->n);
    ops->out_keys = words(ops->n, UNWRITTEN & top);
    ops->out_values = words(ops->n, UNWRITTEN & top);
    ops->counts = words(ops->n, UNWRITTEN);
    ops->offsets = words(ops->n + 1, UNWRITTEN);
    ops->range_keys = words(capacity, UNWRITTEN & top);
    ops->range_values = words(capacity, UNWRITTEN & top);
}

static void free_results(operations *ops)
{
    void *all[] = {ops->flags,   ops->out_keys,   ops->out_values,  ops->counts,
                   ops->offsets, ops->range_keys, ops->range_values};
    for (size_t i = 0; i < COUNT_OF(all); i++) free(all[i]);
}

/* ---- the oracle's answers ---- */

static void oracle_apply_range(oracle *o, operations *ops, size_t i, uint32_t limit)
{
    uint64_t key = ops->keys[i], value = ops->values[i];
    ops->counts[i] = oracle_range(o, key, value, limit, NULL, NULL);
    if (ops->total + ops->counts[i] <= ops->capacity)
        oracle_range(o, key, value, limit, ops->range_keys + ops->total, ops->range_values + ops->total);
    ops->total += ops->counts[i];
}

static void oracle_apply_one(oracle *o, operations *ops, size_t i, uint32_t limit)
{
    ops->offsets[i] = ops->total;
    if (ops->kinds[i] == PLEACH_OP_RANGE) {
        oracle_apply_range(o, ops, i, limit);
        return;
    }
    pleach_answer a = {.flag = ops->flags[i], .key = ops->out_keys[i], .value = ops->out_values[i],
                       .count = ops->counts[i]};
    oracle_answer(o, (pleach_operation)ops->kinds[i], ops->keys[i], ops->values[i], &a);
    ops->flags[i] = a.flag;
    ops->out_keys[i] = a.key;
    ops->out_values[i] = a.value;
    ops->counts[i] = a.count;
}

/* ---- the map's ---- */

static pleach_status wide_apply(const wide *w, operations *ops, uint32_t limit, pleach_batch_times *times)
{
    void *keys = narrowed(w->key_bits, ops->n, ops->keys), *values = narrowed(w->key_bits, ops->n, ops->values);
    pleach_batch batch = {.n = ops->n, .kinds = ops->kinds, .keys = keys, .values = values, .flags = ops->flags,
                          .counts = ops->counts, .limit = limit, .capacity = ops->capacity, .offsets = ops->offsets,
                          .times = times};
    batch.out_keys = narrowed(w->key_bits, ops->n, ops->out_keys);
    batch.out_values = narrowed(w->key_bits, ops->n, ops->out_values);
    batch.range_keys = narrowed(w->key_bits, ops->capacity, ops->range_keys);
    batch.range_values = narrowed(w->key_bits, ops->capacity, ops->range_values);
    pleach_status status = pleach_map_apply(w->map, &batch);
    ops->total = batch.total;
    widened(w->key_bits, ops->n, batch.out_keys, ops->out_keys);
    widened(w->key_bits, ops->n, batch.out_values, ops->out_values);
    widened(w->key_bits, ops->capacity, batch.range_keys, ops->range_keys);
    widened(w->key_bits, ops->capacity, batch.range_values, ops->range_values);
    widened(w->key_bits, ops->n, keys, NULL);
    widened(w->key_bits, ops->n, values, NULL);
    count_checked(ops->n);
    return status;
}

static void assert_same_results(const operations *got, const operations *expected)
{
    size_t n = got->n;
    assert_bytes_equal("flags", n, got->flags, expected->flags);
    assert_words_equal("out_values", n, got->out_values, expected->out_values);
    assert_words_equal("out_keys", n, got->out_keys, expected->out_keys);
    assert_words_equal("counts", n, got->counts, expected->counts);
    assert_int_equal(got->total, expected->total);
    assert_words_equal("offsets", n + 1, got->offsets, expected->offsets);
    assert_words_equal("range_keys", expected->total, got->range_keys, expected->range_keys);
    assert_words_equal("range_values", expected->total, got->range_values, expected->range_values);
}

/* ---- random batches ---- */

/* A row of the universe. Queries may also go beside it. */
static size_t random_row(rng *r, const oracle *o, const batch_plan *plan, size_t i)
{
    size_t rows = o->rows, row = (size_t)rng_below(r, rows);
    switch (plan->keys) {
    case KEYS_ASCENDING: return (size_t)((double)i / (double)plan->n * (double)rows);
    case KEYS_HOT: return rng_percent(r, 90) ? rows / 3 : row;
    case KEYS_SKEWED: /* 80% in a fifth, of these 80% in a fifth, and so on */
        while (rows > 8 && rng_percent(r, 80)) rows = rows / 5 + 1;
        return (size_t)rng_below(r, rows);
    case KEYS_GAUSSIAN: /* close enough: the mean of four */
        for (unsigned k = 0; k < 3; k++) row += (size_t)rng_below(r, rows);
        return row / 4;
    default: return row;
    }
}

static uint8_t random_kind(rng *r, const batch_plan *plan)
{
    unsigned sum = 0, at;
    for (unsigned k = 0; k < OPERATIONS; k++) sum += plan->weight[k];
    at = (unsigned)rng_below(r, sum);
    uint8_t kind = 0;
    while (at >= plan->weight[kind]) at -= plan->weight[kind++];
    return kind;
}

static void make_operation(operations *ops, size_t i, const wide *w, const oracle *o, rng *r, const batch_plan *plan)
{
    size_t row = random_row(r, o, plan, i);
    uint8_t kind = random_kind(r, plan);
    ops->kinds[i] = kind;
    ops->keys[i] = o->keys[row];
    ops->values[i] = rng_next(r) & w->top;
    if (kind >= PLEACH_OP_ERASE && rng_percent(r, 20)) ops->keys[i] = (ops->keys[i] + rng_below(r, 3) - 1) & w->top;
    if (kind < PLEACH_OP_COUNT) return;
    size_t end = row + (size_t)rng_below(r, plan->widest + 1);
    ops->values[i] = end < o->rows ? o->keys[end] : w->top;
    if (rng_percent(r, 3)) ops->values[i] = ops->keys[i] / 2; /* backwards */
}

batch_plan random_plan(rng *r, size_t most, int growth)
{
    batch_plan plan = {.n = 1 + (size_t)rng_below(r, most), .keys = (batch_keys)rng_below(r, KEY_CHOICES),
                       .widest = (size_t)1 << rng_below(r, 8), .limit = (uint32_t)rng_below(r, 20)};
    if (rng_percent(r, 20)) plan.n = 1 + (size_t)rng_below(r, 20);
    for (unsigned k = 0; k < OPERATIONS; k++) plan.weight[k] = (unsigned)rng_below(r, 10);
    if (rng_percent(r, 30)) /* few kinds */
        for (unsigned k = 0; k < OPERATIONS; k++) plan.weight[k] *= rng_percent(r, 30);
    if (growth > 0) plan.weight[PLEACH_OP_PUT] += 30;
    if (growth < 0) plan.weight[PLEACH_OP_ERASE] += 60;
    plan.weight[PLEACH_OP_FIND]++;
    return plan;
}

static operations make_operations(const wide *w, const oracle *o, rng *r, const batch_plan *plan)
{
    operations ops = {.n = plan->n};
    ops.kinds = must_alloc(plan->n, 1);
    ops.keys = words(plan->n, 0);
    ops.values = words(plan->n, 0);
    for (size_t i = 0; i < plan->n; i++) make_operation(&ops, i, w, o, r, plan);
    return ops;
}

static void free_operations(operations *ops)
{
    free(ops->kinds);
    free(ops->keys);
    free(ops->values);
}

static size_t room_for(const batch_plan *plan) { return plan->n * (plan->limit ? plan->limit : plan->widest + 2); }

pleach_status batch_try(const wide *w, const oracle *o, rng *r, const batch_plan *plan)
{
    operations ops = make_operations(w, o, r, plan);
    make_results(&ops, room_for(plan), w->top);
    pleach_status status = wide_apply(w, &ops, plan->limit, NULL);
    if (status != PLEACH_OK) assert_same_content(w, o);
    free_results(&ops);
    free_operations(&ops);
    return status;
}

/* What the arrays of `got` name, by the oracle and by the map. Answers the steps of queries. */
static uint64_t compare_results(const wide *w, oracle *o, operations got, size_t capacity, uint32_t limit)
{
    operations expected = got;
    pleach_batch_times times = {0};
    make_results(&got, capacity, w->top);
    make_results(&expected, capacity, w->top);
    for (size_t i = 0; i < got.n; i++) oracle_apply_one(o, &expected, i, limit);
    expected.offsets[got.n] = expected.total;
    assert_ok(wide_apply(w, &got, limit, &times));
    assert_same_results(&got, &expected);
    free_results(&got);
    free_results(&expected);
    return times.steps;
}

void batch_both(const wide *w, oracle *o, rng *r, const batch_plan *plan, bool whole)
{
    operations ops = make_operations(w, o, r, plan);
    compare_results(w, o, ops, room_for(plan), plan->limit);
    if (whole) assert_same_content(w, o);
    free_operations(&ops);
}

uint64_t batch_given(const wide *w, oracle *o, const given_batch *given)
{
    operations ops = {.n = given->n, .kinds = given->kinds, .keys = given->keys, .values = given->values};
    return compare_results(w, o, ops, given->capacity, given->limit);
}
