/* test_map_long.c - long ranges and counts, which threads share part by part: the results are those of one walk, a key
 * that stays is reported once beside updates, and what has snapshots is read at one instant. */
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

static size_t many_keys(void) { return shrunk(200000, 20000); }

/* A key of the oracle's, or one beside it. */
static uint64_t some_end(const filled *f, rng *r)
{
    return (f->o->keys[rng_below(r, f->o->rows)] + rng_below(r, 3) - 1) & f->w.top;
}

static void long_interval(const filled *f, rng *r, uint64_t *lo, uint64_t *hi)
{
    uint64_t a = some_end(f, r), b = some_end(f, r);
    *lo = a < b ? a : b;
    *hi = a < b ? b : a;
}

/* A limit inside the interval, the number of its pairs, and more. */
static void check_limits(const filled *f, uint64_t lo, uint64_t hi, rng *r)
{
    size_t pairs = oracle_range(f->o, lo, hi, 0, NULL, NULL);
    const size_t limits[] = {1 + (size_t)rng_below(r, pairs + 1), 1 + pairs / 2, pairs, pairs + 1, 2 * pairs + 7};
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        if (limits[i] == 0) continue;
        check_range(&f->w, f->o, 1, &lo, &hi, (uint32_t)limits[i]);
        check_range_limit(&f->w, f->o, 1, &lo, &hi, (uint32_t)limits[i]);
    }
}

static void check_long(const filled *f, rng *r, size_t intervals)
{
    for (size_t i = 0; i <= intervals; i++) {
        uint64_t lo = 0, hi = f->w.top;
        if (i > 0) long_interval(f, r, &lo, &hi);
        check_range_count(&f->w, f->o, 1, &lo, &hi);
        check_range(&f->w, f->o, 1, &lo, &hi, 0);
        check_limits(f, lo, hi, r);
    }
}

/* ---- quiet maps -------------------------------------------------------------------------------------------------- */

static void long_ranges_over_every_pattern(const setting *where)
{
    static const pattern patterns[] = {SORTED, SPREAD, CLUSTERED, RANDOM};
    rng r = rng_for(test_seed(), 1);
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        AT_END(filled_close) filled f = fill_map(where, patterns[i], many_keys(), &r);
        check_long(&f, &r, 2);
    }
}

/* Nearly all keys of long stretches are gone, by single erases, which leave empty leaves behind. */
static void long_ranges_cross_emptied_leaves(const setting *where)
{
    rng r = rng_for(test_seed(), 2);
    const size_t n = many_keys();
    AT_END(filled_close) filled f = fill_map(where, RANDOM, n, &r);
    FREED uint64_t *gone = must_alloc(n, sizeof *gone);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (i % 20000 < 17000 && i % 500 != 0) gone[count++] = f.o->keys[i];
    for (size_t i = 0; i < count; i += 50000) erase_both(&f.w, f.o, count - i < 50000 ? count - i : 50000, gone + i);
    check_long(&f, &r, 3);
}

/* Thousands of short queries, some without keys or backward, with long ones among them. */
static void short_and_long_ranges_in_one_call(const setting *where)
{
    enum { QUERIES = 3000 };
    rng r = rng_for(test_seed(), 3);
    AT_END(filled_close) filled f = fill_map(where, RANDOM, many_keys(), &r);
    FREED uint64_t *lo = must_alloc(QUERIES, sizeof *lo), *hi = must_alloc(QUERIES, sizeof *hi);
    for (size_t i = 0; i < QUERIES; i++) {
        size_t rank = (size_t)rng_below(&r, f.o->rows - 20);
        lo[i] = f.o->keys[rank];
        hi[i] = i % 7 ? f.o->keys[rank + i % 20] : lo[i] - 1;
    }
    for (size_t i = 0; i < 7; i++) {
        static const size_t places[] = {0, 1, 700, 701, 702, 1999, QUERIES - 1};
        long_interval(&f, &r, &lo[places[i]], &hi[places[i]]);
    }
    lo[QUERIES - 1] = 0;
    hi[QUERIES - 1] = f.w.top;
    check_range_count(&f.w, f.o, QUERIES, lo, hi);
    check_range(&f.w, f.o, QUERIES, lo, hi, 0);
    check_range(&f.w, f.o, QUERIES, lo, hi, 5000);
    check_range_limit(&f.w, f.o, 720, lo, hi, 3000);
}

/* More long queries in one call than are divided. */
static void many_long_ranges_in_one_call(const setting *where)
{
    enum { QUERIES = 300 };
    rng r = rng_for(test_seed(), 4);
    AT_END(filled_close) filled f = fill_map(where, SPREAD, many_keys(), &r);
    uint64_t lo[QUERIES], hi[QUERIES];
    for (size_t i = 0; i < QUERIES; i++) {
        size_t rank = (size_t)rng_below(&r, f.o->rows / 2), length = (size_t)rng_below(&r, f.o->rows / 20);
        lo[i] = f.o->keys[rank];
        hi[i] = f.o->keys[rank + length];
    }
    check_range_count(&f.w, f.o, QUERIES, lo, hi);
    check_range(&f.w, f.o, QUERIES, lo, hi, 0);
    check_range(&f.w, f.o, QUERIES, lo, hi, 1500);
    check_range_limit(&f.w, f.o, QUERIES, lo, hi, 1500);
}

static void long_results_may_be_left_out(const setting *where)
{
    rng r = rng_for(test_seed(), 5);
    const size_t n = many_keys();
    AT_END(filled_close) filled f = fill_map(where, RANDOM, n, &r);
    const uint64_t lo = 0, hi = f.w.top;
    FREED uint64_t *keys = untouched_words(n, f.w.top), *values = untouched_words(n, f.w.top);
    uint64_t offsets[2] = {9, 9};
    uint32_t count = 9;
    size_t total = 9;
    assert_ok(wide_range(&f.w, 1, &lo, &hi, 0, n, keys, NULL, offsets, &total));
    assert_words_equal("keys", n, keys, f.o->keys);
    assert_ok(wide_range(&f.w, 1, &lo, &hi, 0, n, NULL, values, offsets, NULL));
    assert_words_equal("values", n, values, f.o->values);
    assert_ok(wide_range(&f.w, 1, &lo, &hi, 0, 0, NULL, NULL, offsets, &total));
    assert_int_equal(offsets[1], n);
    assert_ok(wide_range_limit(&f.w, 1, &lo, &hi, (uint32_t)n - 1, NULL, NULL, &count));
    assert_int_equal(count, n - 1);
    assert_ok(wide_range_limit(&f.w, 1, &lo, &hi, (uint32_t)n - 1, NULL, values, NULL));
    count_checked(5);
}

static void too_small_a_buffer_for_a_long_range(const setting *where)
{
    rng r = rng_for(test_seed(), 6);
    const size_t n = many_keys();
    AT_END(filled_close) filled f = fill_map(where, RANDOM, n, &r);
    const uint64_t lo[] = {0, f.o->keys[5], 0}, hi[] = {f.w.top, f.o->keys[9], f.o->keys[n / 2]};
    FREED uint64_t *keys = untouched_words(n, f.w.top);
    uint64_t offsets[4];
    const uint64_t expected[] = {0, n, n + 5, n + 5 + n / 2 + 1};
    size_t total = 0;
    assert_int_equal(wide_range(&f.w, 3, lo, hi, 0, n, keys, NULL, offsets, &total), PLEACH_E_SPACE);
    assert_int_equal(total, expected[3]);
    assert_words_equal("offsets", 4, offsets, expected);
    for (size_t i = 0; i < n; i++) assert_int_equal(keys[i], UNTOUCHED_WORD(f.w.top));
    count_checked(3);
}

/* ---- beside updates ---------------------------------------------------------------------------------------------- */

/* Keys 0, 4, 8 ... stay; other threads put and erase those in between. */
typedef struct lively {
    const setting *where;
    wide w;
    size_t n; /* that stay */
    size_t rounds;
    pleach_map *versioned;
} lively;

static uint64_t *steady_keys(const lively *l)
{
    uint64_t *keys = must_alloc(l->n, sizeof *keys);
    for (size_t i = 0; i < l->n; i++) keys[i] = 4 * i;
    return keys;
}

static void come_and_go(agent *a)
{
    enum { ARRAY = 300 };
    const lively *l = a->shared;
    uint64_t keys[ARRAY];
    while (!stopped(a)) {
        uint64_t from = rng_below(&a->r, l->n - ARRAY), by = a->index % 3 + 1;
        for (size_t i = 0; i < ARRAY; i++) keys[i] = 4 * (from + i) + by;
        EXPECT_OK(a, wide_put(&l->w, ARRAY, keys, keys, NULL, NULL));
        if (rng_percent(&a->r, 90)) EXPECT_OK(a, wide_erase(&l->w, ARRAY, keys, NULL, NULL));
    }
}

/* All keys that stay from `first` on, in order and once each, until the pairs end. */
static void expect_all(agent *a, const uint64_t *keys, const uint64_t *values, size_t total, uint64_t first,
                       uint64_t *next)
{
    *next = first;
    for (size_t i = 0; i < total; i++) {
        EXPECT(a, values[i] == keys[i]);
        EXPECT(a, keys[i] >= first && (i == 0 || keys[i] > keys[i - 1]));
        EXPECT(a, keys[i] <= *next);
        if (keys[i] == *next) *next += 4;
    }
}

static void ask_lively(agent *a, uint64_t *keys, uint64_t *values, size_t room)
{
    const lively *l = a->shared;
    uint64_t lo = 4 * rng_below(&a->r, l->n / 8), hi = 4 * (l->n - 1), next = 0, count = 0, offsets[2];
    uint64_t most = 3 * (hi - lo) / 16;
    size_t total = 0;
    uint32_t found = 0;
    EXPECT_OK(a, wide_range(&l->w, 1, &lo, &hi, 0, room, keys, values, offsets, &total));
    expect_all(a, keys, values, total, lo, &next);
    EXPECT(a, a->failed || next == hi + 4);
    EXPECT_OK(a, wide_range(&l->w, 1, &lo, &hi, (uint32_t)most, room, keys, values, offsets, &total));
    expect_all(a, keys, values, total, lo, &next);
    EXPECT(a, total == most || next == hi + 4);
    EXPECT_OK(a, wide_range_limit(&l->w, 1, &lo, &hi, (uint32_t)most, keys, values, &found));
    expect_all(a, keys, values, found, lo, &next);
    EXPECT(a, found == most || next == hi + 4);
    EXPECT_OK(a, wide_range_count(&l->w, 1, &lo, &hi, &count));
    EXPECT(a, count >= (hi - lo) / 4 + 1);
    count_checked(total + found + 2);
}

static void ask_or_come_and_go(agent *a)
{
    const lively *l = a->shared;
    if (a->index > 0) {
        come_and_go(a);
        return;
    }
    const size_t room = 4 * l->n;
    FREED uint64_t *keys = must_alloc(room, sizeof *keys), *values = must_alloc(room, sizeof *values);
    for (size_t i = 0; i < l->rounds && !a->failed; i++) ask_lively(a, keys, values, room);
    stop_all(a);
}

static lively begin_lively(const setting *where)
{
    lively l = {where, wide_open(where), shrunk(40000, 10000), scaled(80), NULL};
    FREED uint64_t *keys = steady_keys(&l);
    assert_ok(wide_put(&l.w, l.n, keys, keys, NULL, NULL));
    return l;
}

static void keys_that_stay_are_reported_once(const setting *where)
{
    lively l = begin_lively(where);
    run_agents(3, ask_or_come_and_go, &l);
    wide_close(&l.w);
}

/* ---- one instant ------------------------------------------------------------------------------------------------- */

/* A token goes back and forth between two keys that are far apart: it is put at one before it is erased at the other,
 * so at every instant there are one or two of them. A range whose parts were read one after the other would miss it. */
static void move_token(agent *a)
{
    const lively *l = a->shared;
    const uint64_t ends[2] = {1, 4 * (l->n - 2) + 1};
    for (size_t side = 0; !stopped(a); side ^= 1) {
        EXPECT_OK(a, wide_put(&l->w, 1, &ends[side], &ends[side], NULL, NULL));
        EXPECT_OK(a, wide_erase(&l->w, 1, &ends[side ^ 1], NULL, NULL));
    }
}

static void expect_token(agent *a, uint64_t *keys, size_t room)
{
    const lively *l = a->shared;
    const uint64_t lo[3] = {0, 0, 40}, hi[3] = {l->w.top, 4 * l->n, 80};
    uint64_t offsets[4], counts[3];
    size_t total = 0;
    EXPECT_OK(a, wide_range_count(&l->w, 3, lo, hi, counts));
    EXPECT(a, counts[0] == l->n + 1 || counts[0] == l->n + 2);
    EXPECT(a, counts[1] == l->n + 1 || counts[1] == l->n + 2);
    EXPECT(a, counts[2] == 11);
    EXPECT_OK(a, wide_range(&l->w, 3, lo, hi, 0, room, keys, NULL, offsets, &total));
    for (size_t i = 0; i < 2; i++) {
        uint64_t n = offsets[i + 1] - offsets[i];
        const uint64_t *of = keys + offsets[i];
        EXPECT(a, n == l->n + 1 || n == l->n + 2);
        EXPECT(a, of[1] == 1 || of[n - 2] == 4 * (l->n - 2) + 1);
    }
    count_checked(6);
}

static void ask_or_move(agent *a)
{
    const lively *l = a->shared;
    if (a->index > 0) {
        move_token(a);
        return;
    }
    const size_t room = 3 * (l->n + 8);
    FREED uint64_t *keys = must_alloc(room, sizeof *keys);
    for (size_t i = 0; i < l->rounds && !a->failed; i++) expect_token(a, keys, room);
    stop_all(a);
}

static void long_ranges_are_read_at_one_instant(const setting *where)
{
    lively l = {where, wide_open_versioned(where), shrunk(40000, 10000), scaled(80), NULL};
    FREED uint64_t *keys = steady_keys(&l);
    const uint64_t token = 1;
    assert_ok(wide_put(&l.w, l.n, keys, keys, NULL, NULL));
    assert_ok(wide_put(&l.w, 1, &token, &token, NULL, NULL));
    run_agents(2, ask_or_move, &l);
    wide_close(&l.w);
}

/* A snapshot of the map before other threads change it. */
typedef struct kept {
    lively *l;
    pleach_snapshot *snapshot;
} kept;

static uint64_t word_at(const void *array, unsigned bits, size_t i)
{
    return bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static void ask_snapshot(agent *a, const kept *k, void *keys, void *values)
{
    const lively *l = k->l;
    uint64_t size = 0;
    size_t n = 0;
    EXPECT_OK(a, pleach_snapshot_size(k->snapshot, &size));
    EXPECT(a, size == l->n);
    EXPECT_OK(a, pleach_snapshot_export(k->snapshot, l->n, keys, values, &n));
    EXPECT(a, n == l->n);
    for (size_t i = 0; i < n; i++) {
        EXPECT(a, word_at(keys, l->w.key_bits, i) == 4 * i);
        EXPECT(a, word_at(values, l->w.key_bits, i) == 4 * i);
    }
    count_checked(n + 1);
}

static void ask_snapshot_or_come_and_go(agent *a)
{
    const kept *k = a->shared;
    if (a->index > 0) {
        a->shared = k->l;
        come_and_go(a);
        return;
    }
    FREED void *keys = must_alloc(k->l->n, sizeof(uint64_t)), *values = must_alloc(k->l->n, sizeof(uint64_t));
    for (size_t i = 0; i < k->l->rounds && !a->failed; i++) ask_snapshot(a, k, keys, values);
    stop_all(a);
}

static void snapshots_are_exported_beside_updates(const setting *where)
{
    lively l = {where, wide_open_versioned(where), shrunk(40000, 10000), scaled(80), NULL};
    FREED uint64_t *keys = steady_keys(&l);
    assert_ok(wide_put(&l.w, l.n, keys, keys, NULL, NULL));
    kept k = {&l, NULL};
    assert_ok(pleach_snapshot_take(l.w.map, &k.snapshot, PLEACH_SYNC));
    run_agents(3, ask_snapshot_or_come_and_go, &k);
    pleach_snapshot_release(k.snapshot);
    wide_close(&l.w);
}

/* ---- memory that is lacking -------------------------------------------------------------------------------------- */

/* OK with the right pairs, or MEMORY; and the map is as it was. */
static void fail_in_long_range(const filled *f, uint32_t limit, bool packed, long n, bool *reached)
{
    const uint64_t lo = 1, hi = f->w.top;
    size_t expected = oracle_range(f->o, lo, hi, limit, NULL, NULL), total = 0;
    FREED uint64_t *keys = untouched_words(f->o->rows, f->w.top), *right = must_alloc(f->o->rows, sizeof *right);
    uint64_t offsets[2];
    uint32_t count = 0;
    oracle_range(f->o, lo, hi, limit, right, NULL);
    long held = base_held();
    base_fail_nth_allocation(n);
    pleach_status status = packed ? wide_range(&f->w, 1, &lo, &hi, limit, f->o->rows, keys, NULL, offsets, &total)
                                  : wide_range_limit(&f->w, 1, &lo, &hi, limit, keys, NULL, &count);
    *reached = base_fail_nth_allocation(0) >= n;
    if (!*reached) assert_ok(status);
    if (f->w.key_bits == 64) assert_int_equal(base_held(), held); /* a 32-bit map's arrays are copied around the call */
    assert_true(status == PLEACH_OK || status == PLEACH_E_MEMORY);
    if (status == PLEACH_OK) assert_int_equal(packed ? total : count, expected);
    if (status == PLEACH_OK) assert_words_equal("keys", expected, keys, right);
    count_checked(1);
}

static void allocations_of_long_ranges_fail(const setting *where)
{
    enum { MOST = 100 };
    rng r = rng_for(test_seed(), 7);
    AT_END(filled_close) filled f = fill_map(where, RANDOM, 20000, &r);
    for (unsigned way = 0; way < 3; way++) {
        const uint32_t limit = way == 0 ? 0 : 9000;
        bool reached = true;
        for (long n = 1; reached && n < MOST; n++) fail_in_long_range(&f, limit, way < 2, n, &reached);
        assert_false(reached);
    }
    const uint64_t lo = 0, hi = f.w.top;
    check_range_count(&f.w, f.o, 1, &lo, &hi);
    assert_same_content(&f.w, f.o);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(long_ranges_over_every_pattern),
        CASE(long_ranges_cross_emptied_leaves),
        CASE(short_and_long_ranges_in_one_call),
        CASE(many_long_ranges_in_one_call),
        CASE(long_results_may_be_left_out),
        CASE(too_small_a_buffer_for_a_long_range),
        CASE(keys_that_stay_are_reported_once),
        CASE_OF_TREES(long_ranges_are_read_at_one_instant),
        CASE_OF_TREES(snapshots_are_exported_beside_updates),
        CASE(allocations_of_long_ranges_fail),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
