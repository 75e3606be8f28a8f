/* test_wide_keys.c - maps with keys and values of 16 bytes: batches, array calls and the rest against a model.
 * test_wide_keys_threads.c has several threads. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/buffers.h"
#include "testkit/folder.h"
#include "testkit/harness.h"
#include "testkit/model.h"
#include "testkit/wide.h"

_Static_assert(sizeof(pleach_key128) == sizeof(number), "two ways to write the same array");

static void assert_numbers_equal(const char *what, size_t n, const number *got, const number *expected)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != expected[i])
            fail_msg("%s[%zu]: %016llx%016llx, expected %016llx%016llx", what, i, (unsigned long long)(got[i] >> 64),
                     (unsigned long long)got[i], (unsigned long long)(expected[i] >> 64),
                     (unsigned long long)expected[i]);
}

static number *untouched_numbers(size_t n)
{
    number *numbers = must_alloc(n + 1, sizeof *numbers);
    memset(numbers, UNTOUCHED, (n + 1) * sizeof *numbers);
    return numbers;
}

static void assert_same_content(pleach_map *map, const model *m)
{
    number *keys[2] = {untouched_numbers(m->rows), untouched_numbers(m->rows)};
    number *values[2] = {untouched_numbers(m->rows), untouched_numbers(m->rows)};
    size_t n = 0;
    assert_valid_map(map);
    assert_ok(pleach_map_export(map, m->rows, keys[0], values[0], &n));
    assert_int_equal(n, m->size);
    assert_int_equal(model_range(m, 0, NUMBER_MAX, 0, keys[1], values[1]), n);
    assert_numbers_equal("exported keys", n, keys[0], keys[1]);
    assert_numbers_equal("exported values", n, values[0], values[1]);
    for (unsigned i = 0; i < 2; i++) {
        free(keys[i]);
        free(values[i]);
    }
}

/* ---- batches ---- */

enum { OPERATIONS = PLEACH_OP_RANGE + 1 };

typedef enum choice { UNIFORM, ASCENDING, HOT, SKEWED, CHOICES } choice;

typedef struct plan {
    size_t n;
    choice keys;
    unsigned weight[OPERATIONS];
    size_t widest; /* rows that a range spans */
    uint32_t limit;
} plan;

/* A batch with its results. */
typedef struct trial {
    pleach_batch batch;
    uint8_t *kinds;
    number *keys, *values;
} trial;

static size_t random_row(rng *r, const model *m, const plan *p, size_t i)
{
    size_t rows = m->rows;
    if (p->keys == ASCENDING) return (size_t)((double)i / (double)p->n * (double)rows);
    if (p->keys == HOT && rng_percent(r, 90)) return rows / 3;
    while (p->keys == SKEWED && rows > 8 && rng_percent(r, 80)) rows = rows / 5 + 1;
    return (size_t)rng_below(r, rows);
}

static uint8_t random_kind(rng *r, const plan *p)
{
    unsigned sum = 0;
    for (unsigned k = 0; k < OPERATIONS; k++) sum += p->weight[k];
    unsigned at = (unsigned)rng_below(r, sum);
    uint8_t kind = 0;
    while (at >= p->weight[kind]) at -= p->weight[kind++];
    return kind;
}

static void make_operation(trial *t, size_t i, const model *m, rng *r, const plan *p)
{
    size_t row = random_row(r, m, p, i);
    uint8_t kind = t->kinds[i] = random_kind(r, p);
    t->keys[i] = m->keys[row];
    t->values[i] = random_number(r);
    if (kind >= PLEACH_OP_ERASE && rng_percent(r, 20)) t->keys[i] += (number)rng_below(r, 3) - 1;
    if (kind < PLEACH_OP_COUNT) return;
    size_t end = row + (size_t)rng_below(r, p->widest + 1);
    t->values[i] = end < m->rows ? m->keys[end] : NUMBER_MAX;
    if (rng_percent(r, 3)) t->values[i] = t->keys[i] / 2; /* backwards */
}

/* Around a row there may be its neighbours. */
static size_t room_for(const plan *p) { return p->n * (p->limit ? p->limit : 4 * p->widest + 8); }

static void make_results(pleach_batch *b, const plan *p)
{
    b->flags = untouched_bytes(b->n);
    b->out_keys = untouched_numbers(b->n);
    b->out_values = untouched_numbers(b->n);
    b->counts = untouched_words(b->n, UINT64_MAX);
    b->offsets = untouched_words(b->n + 1, UINT64_MAX);
    b->limit = p->limit;
    b->capacity = room_for(p);
    b->range_keys = untouched_numbers(b->capacity);
    b->range_values = untouched_numbers(b->capacity);
}

static void free_results(pleach_batch *b)
{
    void *all[] = {b->flags, b->out_keys, b->out_values, b->counts, b->offsets, b->range_keys, b->range_values};
    for (size_t i = 0; i < COUNT_OF(all); i++) free(all[i]);
}

static trial make_trial(const model *m, rng *r, const plan *p)
{
    trial t = {.kinds = must_alloc(p->n, 1), .keys = must_alloc(p->n, sizeof(number)),
               .values = must_alloc(p->n, sizeof(number))};
    for (size_t i = 0; i < p->n; i++) make_operation(&t, i, m, r, p);
    t.batch = (pleach_batch){.n = p->n, .kinds = t.kinds, .keys = t.keys, .values = t.values};
    make_results(&t.batch, p);
    return t;
}

static void free_trial(trial *t)
{
    free_results(&t->batch);
    free(t->kinds);
    free(t->keys);
    free(t->values);
}

static void model_apply_one(model *m, const trial *t, pleach_batch *b, size_t i)
{
    number key = t->keys[i], value = t->values[i];
    number *out_key = (number *)b->out_keys + i, *out_value = (number *)b->out_values + i;
    b->offsets[i] = b->total;
    switch (t->kinds[i]) {
    case PLEACH_OP_FIND: b->flags[i] = model_find(m, key, out_value); break;
    case PLEACH_OP_CONTAINS: b->flags[i] = model_find(m, key, &value); break;
    case PLEACH_OP_SUCC: b->flags[i] = model_succ(m, key, out_key, out_value); break;
    case PLEACH_OP_PRED: b->flags[i] = model_pred(m, key, out_key, out_value); break;
    case PLEACH_OP_COUNT: b->counts[i] = model_range(m, key, value, 0, NULL, NULL); break;
    case PLEACH_OP_RANGE:
        b->counts[i] = model_range(m, key, value, b->limit, (number *)b->range_keys + b->total,
                                   (number *)b->range_values + b->total);
        b->total += b->counts[i];
        break;
    default: b->flags[i] = (uint8_t)model_update(m, (pleach_operation)t->kinds[i], key, value, out_value); break;
    }
}

static void assert_same_results(const pleach_batch *got, const pleach_batch *expected)
{
    size_t n = got->n;
    assert_memory_equal(got->flags, expected->flags, n);
    assert_numbers_equal("out_keys", n, got->out_keys, expected->out_keys);
    assert_numbers_equal("out_values", n, got->out_values, expected->out_values);
    assert_memory_equal(got->counts, expected->counts, n * sizeof *got->counts);
    assert_int_equal(got->total, expected->total);
    assert_memory_equal(got->offsets, expected->offsets, (n + 1) * sizeof *got->offsets);
    assert_numbers_equal("range_keys", got->total, got->range_keys, expected->range_keys);
    assert_numbers_equal("range_values", got->total, got->range_values, expected->range_values);
}

/* One random batch to map and model. */
static void batch_both(pleach_map *map, model *m, rng *r, const plan *p)
{
    trial t = make_trial(m, r, p);
    pleach_batch expected = t.batch;
    make_results(&expected, p);
    expected.total = 0;
    for (size_t i = 0; i < p->n; i++) model_apply_one(m, &t, &expected, i);
    expected.offsets[p->n] = expected.total;
    assert_ok(pleach_map_apply(map, &t.batch));
    assert_same_results(&t.batch, &expected);
    assert_same_content(map, m);
    count_checked(p->n);
    free_results(&expected);
    free_trial(&t);
}

static plan random_plan(rng *r, size_t most, int growth)
{
    plan p = {.n = 1 + (size_t)rng_below(r, most), .keys = (choice)rng_below(r, CHOICES),
              .widest = (size_t)1 << rng_below(r, 8), .limit = (uint32_t)rng_below(r, 20)};
    if (rng_percent(r, 20)) p.n = 1 + (size_t)rng_below(r, 20);
    for (unsigned k = 0; k < OPERATIONS; k++) p.weight[k] = 1 + (unsigned)rng_below(r, 10);
    p.weight[growth > 0 ? PLEACH_OP_PUT : PLEACH_OP_ERASE] += 40;
    return p;
}

static void random_batches(const setting *where, universe which, size_t rows, size_t most, size_t operations)
{
    rng r = rng_for(test_seed(), 100 * (uint64_t)which + where->threads);
    AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
    AT_END(end_model) model *m = model_create(which, rows, &r);
    for (size_t done = 0, batches = 0; done < operations; batches++) {
        plan p = random_plan(&r, most, batches % 8 < 5 ? 1 : -1);
        batch_both(map, m, &r, &p);
        done += p.n;
    }
}

static void small_batches(const setting *where)
{
    for (universe u = 0; u < UNIVERSES; u++) random_batches(where, u, 300, 60, scaled(10000));
}

static void batches_on_few_keys(const setting *where)
{
    for (universe u = 0; u < UNIVERSES; u++) random_batches(where, u, 40, 3000, scaled(30000));
}

static void batches_on_many_keys(const setting *where)
{
    for (universe u = 0; u < UNIVERSES; u++) random_batches(where, u, shrunk(30000, 5000), 20000, scaled(100000));
}

/* The largest, into an empty map; then everything goes, and comes again. */
static void whole_maps_in_one_batch(const setting *where)
{
    for (universe u = 0; u < UNIVERSES; u++) {
        rng r = rng_for(test_seed(), 7 + u);
        AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
        size_t n = shrunk(100000, 5000);
        AT_END(end_model) model *m = model_create(u, n / 2, &r);
        plan put = {.n = n, .weight = {[PLEACH_OP_PUT] = 9, [PLEACH_OP_FIND] = 1, [PLEACH_OP_COUNT] = 1}, .widest = 20};
        plan erase = {.n = m->rows, .keys = ASCENDING, .weight = {[PLEACH_OP_ERASE] = 1}, .widest = 1};
        for (unsigned round = 0; round < 2; round++) {
            batch_both(map, m, &r, &put);
            batch_both(map, m, &r, &erase); /* nearly all: some name the keys beside theirs */
            FREED number *all = must_alloc(m->rows, sizeof *all);
            size_t left = model_range(m, 0, NUMBER_MAX, 0, all, NULL);
            assert_ok(pleach_map_erase(map, left, all, NULL, NULL, PLEACH_SYNC));
            memset(m->present, 0, m->rows);
            m->size = 0;
            assert_same_content(map, m);
        }
    }
}

/* Counts that span the whole map go another way than narrow ones. */
static void wide_counts(const setting *where)
{
    for (universe u = 0; u < UNIVERSES; u++) {
        rng r = rng_for(test_seed(), 20 + u);
        AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
        AT_END(end_model) model *m = model_create(u, 4000, &r);
        for (size_t i = 0; i < 3; i++) {
            plan p = {.n = 1 + (size_t)rng_below(&r, scaled(6000)), .keys = (choice)(i % CHOICES), .widest = 4000,
                      .limit = 3};
            for (unsigned k = 0; k < OPERATIONS; k++) p.weight[k] = k == PLEACH_OP_COUNT ? 12 : 3;
            batch_both(map, m, &r, &p);
        }
    }
}

static uint64_t shape_after(const setting *where, unsigned threads)
{
    setting with = *where;
    with.threads = threads;
    rng r = rng_for(test_seed(), 77);
    AT_END(end_model_map) pleach_map *map = model_map_open(&with, 0);
    AT_END(end_model) model *m = model_create(ANYWHERE, 5000, &r);
    for (size_t i = 0; i < 6; i++) {
        plan p = random_plan(&r, 20000, i % 6 < 4 ? 1 : -1);
        batch_both(map, m, &r, &p);
    }
    pleach_map_stats stats = stats_of(map);
    assert_int_equal(stats.key_bits, 128);
    assert_int_equal(stats.keys, m->size);
    assert_int_equal(stats.node_bytes, 512 * (stats.leaves + stats.inner));
    return stats.shape;
}

static void the_same_batches_make_the_same_tree(const setting *where)
{
    assert_true(shape_after(where, where->threads) == shape_after(where, 1 + where->threads % 4));
}

/* The digest of a tree looks at both halves of keys and of values. */
static void shapes_tell_halves_apart(const setting *where)
{
    static const number pairs[][2] = {{1, 1}, {2, 1}, {NUMBER(1, 1), 1}, {1, NUMBER(1, 1)}, {1, 2}};
    uint64_t shapes[COUNT_OF(pairs)];
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
        assert_ok(pleach_map_put(map, 1, &pairs[i][0], &pairs[i][1], NULL, NULL, PLEACH_SYNC));
        pleach_map_stats stats = stats_of(map);
        shapes[i] = stats.shape;
        for (size_t k = 0; k < i; k++) assert_true(shapes[k] != shapes[i]);
    }
}

static pleach_status batch_try(pleach_map *map, const model *m, rng *r, const plan *p)
{
    trial t = make_trial(m, r, p);
    pleach_status status = pleach_map_apply(map, &t.batch);
    if (status != PLEACH_OK) assert_same_content(map, m);
    free_trial(&t);
    return status;
}

static void batches_beyond_the_limit_change_nothing(const setting *where)
{
    size_t refused = 0;
    rng r = rng_for(test_seed(), 5);
    AT_END(end_model_map) pleach_map *map = model_map_open(where, (uint64_t)400 << 10);
    AT_END(end_model) model *m = model_create(ANYWHERE, 20000, &r);
    plan p = {.n = 2000, .weight = {[PLEACH_OP_PUT] = 1}, .widest = 1};
    batch_both(map, m, &r, &p);
    for (size_t i = 0; i < scaled(20); i++) {
        p.n = 15000 + 500 * i;
        pleach_status status = batch_try(map, m, &r, &p);
        assert_int_equal(status, PLEACH_E_FULL);
        refused++;
    }
    assert_true(refused > 0);
    p = (plan){.n = 1000, .weight = {[PLEACH_OP_ERASE] = 1, [PLEACH_OP_FIND] = 1}, .widest = 1};
    batch_both(map, m, &r, &p);
}

static void batches_without_memory_change_nothing(const setting *where)
{
    rng r = rng_for(test_seed(), 6);
    AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
    AT_END(end_model) model *m = model_create(ANYWHERE, 5000, &r);
    plan p = {.n = 4000, .widest = 4, .weight = {[PLEACH_OP_PUT] = 5, [PLEACH_OP_FIND] = 1, [PLEACH_OP_RANGE] = 1}};
    batch_both(map, m, &r, &p);
    pleach_status status = PLEACH_E_MEMORY;
    for (long nth = 1; status != PLEACH_OK; nth++) {
        p.n += 4000; /* more than there is memory for from before */
        base_fail_nth_allocation(nth);
        status = batch_try(map, m, &r, &p);
        base_fail_nth_allocation(0);
        assert_true(status == PLEACH_OK || status == PLEACH_E_MEMORY);
        assert_true(nth < 100);
    }
}

/* ---- array calls ---- */

/* Distinct keys of the universe. */
static void draw_keys(const model *m, rng *r, size_t n, number *keys)
{
    size_t step = m->rows / n, first = (size_t)rng_below(r, m->rows), to = 0;
    for (size_t i = 0; i < n; i++) keys[to++] = m->keys[(first + i * step) % m->rows];
    for (size_t i = n; i > 1; i--) {
        size_t other = (size_t)rng_below(r, i);
        number kept = keys[i - 1];
        keys[i - 1] = keys[other];
        keys[other] = kept;
    }
}

typedef pleach_status update_call(pleach_map *, size_t, const void *, const void *, uint8_t *, void *, pleach_stream);

static void update_both(pleach_map *map, model *m, pleach_operation kind, size_t n, const number *keys,
                        const number *values)
{
    FREED uint8_t *got = untouched_bytes(n), *expected = untouched_bytes(n);
    FREED number *got_old = untouched_numbers(n), *expected_old = untouched_numbers(n);
    for (size_t i = 0; i < n; i++)
        expected[i] = (uint8_t)model_update(m, kind, keys[i], values[i], &expected_old[i]);
    if (kind == PLEACH_OP_PUT)
        assert_ok(pleach_map_put(map, n, keys, values, got, got_old, PLEACH_SYNC));
    else if (kind == PLEACH_OP_ADD)
        assert_ok(pleach_map_add(map, n, keys, values, got, got_old, PLEACH_SYNC));
    else
        assert_ok(pleach_map_erase(map, n, keys, got, got_old, PLEACH_SYNC));
    assert_memory_equal(got, expected, n);
    assert_numbers_equal("old values", n, got_old, expected_old);
    count_checked(n);
}

static void points_both(pleach_map *map, const model *m, size_t n, const number *keys)
{
    FREED uint8_t *found = untouched_bytes(n), *there = untouched_bytes(n);
    FREED number *values = untouched_numbers(n), *near_keys = untouched_numbers(n), *near = untouched_numbers(n);
    assert_ok(pleach_map_find(map, n, keys, values, found, PLEACH_SYNC));
    assert_ok(pleach_map_contains(map, n, keys, there, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        number value = 0;
        assert_int_equal(found[i], model_find(m, keys[i], &value));
        assert_int_equal(found[i], there[i]);
        if (found[i]) assert_true(values[i] == value);
    }
    for (unsigned up = 0; up < 2; up++) {
        if (up)
            assert_ok(pleach_map_succ(map, n, keys, near_keys, near, found, PLEACH_SYNC));
        else
            assert_ok(pleach_map_pred(map, n, keys, near_keys, near, found, PLEACH_SYNC));
        for (size_t i = 0; i < n; i++) {
            number key = 0, value = 0;
            bool any = up ? model_succ(m, keys[i], &key, &value) : model_pred(m, keys[i], &key, &value);
            assert_int_equal(found[i], any);
            if (any) assert_true(near_keys[i] == key && near[i] == value);
        }
    }
    count_checked(4 * n);
}

static void ranges_both(pleach_map *map, const model *m, rng *r)
{
    enum { N = 200, WIDEST = 60, LIMIT = 7 };
    number lo[N], hi[N], *keys = untouched_numbers(N * WIDEST), *values = untouched_numbers(N * WIDEST);
    number expected_keys[WIDEST], expected_values[WIDEST];
    uint64_t counts[N], offsets[N + 1];
    uint32_t short_counts[N];
    size_t total = 0;
    for (size_t i = 0; i < N; i++) {
        size_t row = (size_t)rng_below(r, m->rows), end = row + (size_t)rng_below(r, WIDEST - 1);
        lo[i] = m->keys[row];
        if (row > 0 && row + 1 < m->rows) lo[i] += (number)rng_below(r, 3) - 1;
        hi[i] = end < m->rows ? m->keys[end] : NUMBER_MAX;
        if (i % 20 == 0) lo[i] = hi[i] / 2 + 1, hi[i] = lo[i] - 1; /* backwards */
    }
    assert_ok(pleach_map_range_count(map, N, lo, hi, counts, PLEACH_SYNC));
    assert_ok(pleach_map_range(map, N, lo, hi, 0, N * WIDEST, keys, values, offsets, &total));
    assert_int_equal(total, offsets[N]);
    for (size_t i = 0; i < N; i++) {
        size_t n = model_range(m, lo[i], hi[i], WIDEST, expected_keys, expected_values);
        assert_int_equal(counts[i], n);
        assert_int_equal(offsets[i + 1] - offsets[i], n);
        assert_numbers_equal("range keys", n, keys + offsets[i], expected_keys);
        assert_numbers_equal("range values", n, values + offsets[i], expected_values);
    }
    assert_ok(pleach_map_range_limit(map, N, lo, hi, LIMIT, keys, values, short_counts, PLEACH_SYNC));
    for (size_t i = 0; i < N; i++) {
        size_t n = model_range(m, lo[i], hi[i], LIMIT, expected_keys, expected_values);
        assert_int_equal(short_counts[i], n);
        assert_numbers_equal("limited keys", n, keys + i * LIMIT, expected_keys);
        assert_numbers_equal("limited values", n, values + i * LIMIT, expected_values);
    }
    count_checked(3 * N);
    free(keys);
    free(values);
}

static void array_calls(const setting *where)
{
    for (universe u = 0; u < UNIVERSES; u++) {
        rng r = rng_for(test_seed(), 30 + u);
        AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
        AT_END(end_model) model *m = model_create(u, shrunk(20000, 3000), &r);
        size_t most = m->rows < 5000 ? m->rows : 5000;
        FREED number *keys = must_alloc(m->rows, sizeof *keys), *values = must_alloc(m->rows, sizeof *values);
        for (size_t round = 0; round < scaled(20); round++) {
            size_t n = round % 4 ? 1 + (size_t)rng_below(&r, most) : round % 8 ? m->rows : 1;
            pleach_operation kind = round % 3 == 0 ? PLEACH_OP_PUT : round % 3 == 1 ? PLEACH_OP_ADD : PLEACH_OP_ERASE;
            draw_keys(m, &r, n, keys);
            for (size_t i = 0; i < n; i++) values[i] = random_number(&r);
            update_both(map, m, kind, n, keys, values);
            for (size_t i = 0; i < n; i += 3) keys[i] += (number)rng_below(&r, 3) - 1;
            points_both(map, m, n < 500 ? n : 500, keys);
            ranges_both(map, m, &r);
            assert_same_content(map, m);
        }
    }
}

/* Results need no better alignment than uint64_t has. */
static void arrays_of_two_words(const setting *where)
{
    enum { N = 1000 };
    AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
    FREED uint64_t *words = must_alloc(4 * N + 4, sizeof *words);
    pleach_key128 *keys = (pleach_key128 *)(words + 1), *values = keys + N, low = {.low = 5};
    uint8_t found[N];
    for (uint64_t i = 0; i < N; i++) {
        keys[i] = (pleach_key128){.high = i / 10, .low = UINT64_MAX - i % 10};
        values[i] = (pleach_key128){.high = i, .low = ~i};
    }
    assert_ok(pleach_map_put(map, N, keys, values, NULL, NULL, PLEACH_SYNC));
    memset(values, 0, N * sizeof *values);
    assert_ok(pleach_map_find(map, N, keys, values, found, PLEACH_SYNC));
    for (uint64_t i = 0; i < N; i++) assert_true(found[i] && values[i].high == i && values[i].low == ~i);
    assert_ok(pleach_map_succ(map, 1, &low, keys + 1, NULL, found, PLEACH_SYNC));
    assert_true(found[0] && keys[1].high == 0 && keys[1].low == UINT64_MAX - 9);
    count_checked(2 * N + 1);
}

/* ---- whole maps ---- */

static void whole_maps(const setting *where)
{
    for (universe u = 0; u < UNIVERSES; u++) {
        rng r = rng_for(test_seed(), 40 + u);
        AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
        AT_END(end_model) model *m = model_create(u, shrunk(20000, 3000), &r);
        size_t n = 2 * m->rows;
        FREED number *keys = must_alloc(n, sizeof *keys), *values = must_alloc(n, sizeof *values);
        number old;
        for (size_t i = 0; i < n; i++) {
            keys[i] = m->keys[rng_below(&r, m->rows)];
            values[i] = random_number(&r);
            model_update(m, PLEACH_OP_PUT, keys[i], values[i], &old); /* of equal keys the last stays */
        }
        assert_ok(pleach_map_load(map, n, keys, values, 0));
        assert_same_content(map, m);
        assert_int_equal(pleach_map_load(map, n, keys, values, 0), PLEACH_E_NOT_EMPTY);
        for (size_t i = 0; i < m->rows; i += 2) model_update(m, PLEACH_OP_ERASE, m->keys[i], 0, &old);
        for (size_t i = 0; i < m->rows; i += 2)
            assert_ok(pleach_map_erase(map, 1, &m->keys[i], NULL, NULL, PLEACH_SYNC));
        assert_ok(pleach_map_compact(map, 1));
        assert_same_content(map, m);
        assert_map_size(map, m->size);
        assert_ok(pleach_map_clear(map));
        size_t left = 1;
        assert_ok(pleach_map_export(map, 0, NULL, NULL, &left));
        assert_int_equal(left, 0);
        assert_ok(pleach_map_load(map, m->rows, m->keys, m->keys, 1)); /* in order: taken as it is */
        assert_ok(pleach_map_reserve(map, 2 * m->rows));
        count_checked(2 * n);
    }
}

static void single_calls(const setting *where)
{
    AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
    const number big = NUMBER(1, 0), big_value = NUMBER(7, 8);
    uint64_t key = 1, value = 1, old = 1;
    int found = 0;
    pleach_outcome outcome;
    number none = 3;
    assert_ok(pleach_map_max_pair(map, &found, &none, &none));
    assert_true(!found && none == 3);
    assert_ok(pleach_map_put_one(map, UINT64_MAX, UINT64_MAX, &outcome, NULL));
    assert_int_equal(outcome, PLEACH_INSERTED);
    assert_ok(pleach_map_find_one(map, UINT64_MAX, &found, &value));
    assert_true(found && value == UINT64_MAX);
    assert_ok(pleach_map_max(map, &found, &key, NULL));
    assert_true(found && key == UINT64_MAX);
    assert_ok(pleach_map_put(map, 1, &big, &big_value, NULL, NULL, PLEACH_SYNC));
    assert_int_equal(pleach_map_max(map, &found, &key, NULL), PLEACH_E_WIDTH);
    number end[2] = {0, 0};
    assert_ok(pleach_map_max_pair(map, &found, &end[0], &end[1]));
    assert_true(found && end[0] == big && end[1] == big_value);
    assert_ok(pleach_map_min_pair(map, &found, &end[0], NULL));
    number least_value = 0;
    assert_ok(pleach_map_min_pair(map, NULL, NULL, &least_value));
    assert_true(least_value == UINT64_MAX);
    assert_int_equal(pleach_map_min_pair(NULL, &found, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_map_max_pair(NULL, &found, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_true(found && end[0] == UINT64_MAX && end[1] == big_value);
    assert_int_equal(pleach_map_succ_one(map, UINT64_MAX, &found, &key, NULL), PLEACH_E_WIDTH);
    assert_ok(pleach_map_succ_one(map, UINT64_MAX, &found, NULL, NULL));
    assert_true(found);
    assert_ok(pleach_map_min(map, &found, &key, &value));
    assert_true(found && key == UINT64_MAX && value == UINT64_MAX);
    assert_ok(pleach_map_pred_one(map, UINT64_MAX, &found, &key, &value));
    assert_false(found);
    const number small = 9;
    assert_ok(pleach_map_put(map, 1, &small, &big_value, NULL, NULL, PLEACH_SYNC));
    assert_int_equal(pleach_map_find_one(map, 9, &found, &value), PLEACH_E_WIDTH);
    assert_ok(pleach_map_contains_one(map, 9, &found));
    assert_true(found);
    old = 77;
    assert_int_equal(pleach_map_add_one(map, 9, 1, &outcome, &old), PLEACH_E_WIDTH);
    assert_int_equal(outcome, PLEACH_EXISTS);
    assert_int_equal(pleach_map_put_one(map, 9, 1, &outcome, &old), PLEACH_E_WIDTH);
    assert_int_equal(outcome, PLEACH_REPLACED);
    assert_int_equal(old, 77);
    assert_ok(pleach_map_erase_one(map, 9, &outcome, &old));
    assert_true(outcome == PLEACH_ERASED && old == 1);
    count_checked(14);
}

static void what_there_is_not(const setting *where)
{
    AT_END(end_model_map) pleach_map *map = model_map_open(where, 0);
    pleach_map *none;
    pleach_queue *queue;
    assert_int_equal(pleach_queue_create(&queue, map, NULL), PLEACH_E_WIDTH);
    assert_null(queue);
    pleach_map_config config = {.device = PLEACH_CUDA, .key_bits = 128};
    assert_int_equal(pleach_map_create(&none, &config), PLEACH_E_ARGUMENT);
    assert_null(none);
    config = (pleach_map_config){.key_bits = 128, .max_bytes = 8 * 512 - 1};
    assert_int_equal(pleach_map_create(&none, &config), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_map_key_bits(NULL), 0);
}

/* ---- snapshots and files ---- */

static void snapshots_and_files(const setting *where)
{
    rng r = rng_for(test_seed(), 50);
    pleach_map_config config = {.key_bits = 128, .threads = where->threads, .versioned = 1};
    pleach_map *map;
    pleach_snapshot *then;
    AT_END(end_model) model *m = model_create(ANYWHERE, 20000, &r);
    assert_ok(pleach_map_create(&map, &config));
    plan p = {.n = 15000, .weight = {[PLEACH_OP_PUT] = 1}, .widest = 1};
    batch_both(map, m, &r, &p);
    assert_ok(pleach_snapshot_take(map, &then, PLEACH_SYNC));
    assert_ok(pleach_map_erase(map, m->rows / 2, m->keys, NULL, NULL, PLEACH_SYNC));
    uint64_t size;
    assert_ok(pleach_snapshot_size(then, &size));
    assert_int_equal(size, m->size);
    FREED number *keys = untouched_numbers(m->rows), *values = untouched_numbers(m->rows);
    FREED number *expected = must_alloc(m->rows, sizeof *expected);
    size_t n = 0;
    assert_ok(pleach_snapshot_export(then, m->rows, keys, values, &n));
    assert_int_equal(n, model_range(m, 0, NUMBER_MAX, 0, expected, NULL));
    assert_numbers_equal("keys of the snapshot", n, keys, expected);
    folder f = folder_open();
    pleach_status status = pleach_snapshot_save(then, f.path);
    pleach_snapshot_release(then);
    if (status != PLEACH_E_NO_FILES) {
        pleach_file_info info;
        assert_ok(status);
        assert_ok(pleach_file_get_info(f.path, &info));
        assert_true(info.key_bits == 128 && info.pairs == m->size);
        assert_ok(pleach_map_load_file(map, f.path, 0));
        assert_same_content(map, m);
        pleach_map *narrow;
        assert_ok(pleach_map_create(&narrow, NULL));
        assert_int_equal(pleach_map_load_file(narrow, f.path, 0), PLEACH_E_WIDTH);
        pleach_map_destroy(narrow);
    }
    count_checked(2 * n);
    folder_close(&f);
    model_map_close(map);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(small_batches),
        CASE(batches_on_few_keys),
        CASE(batches_on_many_keys),
        CASE(whole_maps_in_one_batch),
        CASE(wide_counts),
        CASE(the_same_batches_make_the_same_tree),
        CASE(shapes_tell_halves_apart),
        CASE(batches_beyond_the_limit_change_nothing),
        CASE(batches_without_memory_change_nothing),
        CASE(array_calls),
        CASE(arrays_of_two_words),
        CASE(whole_maps),
        CASE(single_calls),
        CASE(what_there_is_not),
        CASE(snapshots_and_files),
    };
    return run_cases_with_widest_keys(argc, argv, cases, COUNT_OF(cases));
}
