/* test_map_ranges.c - range, range_limit and range_count on quiet maps. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

/* keys 0, step, 2*step ... (n-1)*step with the key itself as value. */
static filled fill_evenly(const setting *where, size_t n, uint64_t step)
{
    filled f = {wide_open(where), NULL};
    FREED uint64_t *keys = must_alloc(n, sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = i * step;
    f.o = oracle_create(n, keys);
    put_both(&f.w, f.o, n, keys, keys);
    return f;
}

static void check_all_ways(const filled *f, size_t n, const uint64_t *lo, const uint64_t *hi)
{
    static const uint32_t limits[] = {1, 2, 7, 14, 15, 100};
    check_range(&f->w, f->o, n, lo, hi, 0);
    check_range_count(&f->w, f->o, n, lo, hi);
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        check_range(&f->w, f->o, n, lo, hi, limits[i]);
        check_range_limit(&f->w, f->o, n, lo, hi, limits[i]);
    }
    check_range(&f->w, f->o, n, lo, hi, UINT32_MAX);
}

/* ---- cases ----------------------------------------------------------------------------------------------------- */

static void empty_map_has_empty_ranges(const setting *where)
{
    AT_END(filled_close) filled f = fill_evenly(where, 0, 1);
    const uint64_t lo[] = {0, 0, 5, f.w.top, 1}, hi[] = {f.w.top, 0, 3, f.w.top, 9};
    check_all_ways(&f, COUNT_OF(lo), lo, hi);
}

static void bounds_are_closed(const setting *where)
{
    AT_END(filled_close) filled f = fill_evenly(where, 100, 10);
    const uint64_t lo[] = {10, 10, 11, 11, 9, 20, 0, 990, 991, 985, 500};
    const uint64_t hi[] = {20, 10, 19, 20, 10, 29, 0, 990, 995, 1005, 500};
    static const uint64_t expected[] = {2, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1};
    uint64_t counts[COUNT_OF(lo)];
    assert_ok(wide_range_count(&f.w, COUNT_OF(lo), lo, hi, counts));
    assert_words_equal("counts", COUNT_OF(lo), counts, expected);
    check_all_ways(&f, COUNT_OF(lo), lo, hi);
}

static void backward_intervals_are_empty(const setting *where)
{
    AT_END(filled_close) filled f = fill_evenly(where, 100, 10);
    const uint64_t lo[] = {20, f.w.top, 1, 990, 21}, hi[] = {10, 0, 0, 0, 20};
    static const uint64_t nothing[COUNT_OF(lo)] = {0};
    uint64_t counts[COUNT_OF(lo)];
    assert_ok(wide_range_count(&f.w, COUNT_OF(lo), lo, hi, counts));
    assert_words_equal("counts", COUNT_OF(lo), counts, nothing);
    check_all_ways(&f, COUNT_OF(lo), lo, hi);
}

static void extreme_keys_are_inside(const setting *where)
{
    rng r = rng_for(test_seed(), 1);
    AT_END(filled_close) filled f = fill_map(where, EXTREMES, 100, &r);
    const uint64_t top = f.w.top;
    const uint64_t lo[] = {0, 0, top, top - 1, 1, 0, top, top - 200, 49};
    const uint64_t hi[] = {top, 0, top, top, top - 1, top - 1, top, top, top - 50};
    check_all_ways(&f, COUNT_OF(lo), lo, hi);
}

static void ranges_over_every_pattern(const setting *where)
{
    rng r = rng_for(test_seed(), 2);
    for (pattern p = 0; p < PATTERNS; p++) {
        AT_END(filled_close) filled f = fill_map(where, p, 1200, &r);
        uint64_t lo[64], hi[64];
        for (size_t i = 0; i < COUNT_OF(lo); i++) {
            lo[i] = f.o->keys[rng_below(&r, 1200)] + rng_below(&r, 3) - 1;
            hi[i] = f.o->keys[rng_below(&r, 1200)] + rng_below(&r, 3) - 1;
            lo[i] &= f.w.top;
            hi[i] &= f.w.top;
        }
        check_all_ways(&f, COUNT_OF(lo), lo, hi);
    }
}

/* More queries than any one block or chunk holds; short, empty, backward, equal and overlapping ones by turns. */
static void many_queries_are_packed_in_order(const setting *where)
{
    rng r = rng_for(test_seed(), 3);
    enum { QUERIES = 6000 };
    AT_END(filled_close) filled f = fill_evenly(where, 20000, 7);
    FREED uint64_t *lo = must_alloc(QUERIES, sizeof *lo), *hi = must_alloc(QUERIES, sizeof *hi);
    for (size_t i = 0; i < QUERIES; i++) {
        lo[i] = i % 5 == 4 && i ? lo[i - 1] : rng_below(&r, 150000);
        hi[i] = i % 3 ? lo[i] + rng_below(&r, 200) : rng_below(&r, 150000) % (lo[i] + 1);
    }
    check_range(&f.w, f.o, QUERIES, lo, hi, 0);
    check_range(&f.w, f.o, QUERIES, lo, hi, 3);
    check_range_limit(&f.w, f.o, QUERIES, lo, hi, 8);
    check_range_count(&f.w, f.o, QUERIES, lo, hi);
}

/* One query with very many results among many with none. */
static void one_long_range_among_empty_ones(const setting *where)
{
    enum { QUERIES = 700, KEYS = 50000 };
    AT_END(filled_close) filled f = fill_evenly(where, KEYS, 3);
    uint64_t lo[QUERIES], hi[QUERIES];
    for (size_t i = 0; i < QUERIES; i++)
        lo[i] = hi[i] = 3 * i + 1;
    lo[QUERIES / 2] = 0;
    hi[QUERIES / 2] = f.w.top;
    check_range(&f.w, f.o, QUERIES, lo, hi, 0);
    check_range_count(&f.w, f.o, QUERIES, lo, hi);
}

static void ranges_cross_emptied_leaves(const setting *where)
{
    enum { KEYS = 3000 };
    AT_END(filled_close) filled f = fill_evenly(where, KEYS, 2);
    uint64_t gone[KEYS - 200];
    for (size_t i = 0; i < COUNT_OF(gone); i++)
        gone[i] = 2 * (i + 100);
    erase_both(&f.w, f.o, COUNT_OF(gone), gone);
    const uint64_t lo[] = {0, 200, 190, 3000, 5799, 198}, hi[] = {f.w.top, 5799, 5810, 3010, 5801, 198};
    check_all_ways(&f, COUNT_OF(lo), lo, hi);
}

static void assert_no_pair_written(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values)
{
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(keys[i], UNTOUCHED_WORD(w->top));
        assert_int_equal(values[i], UNTOUCHED_WORD(w->top));
    }
}

static void too_small_a_buffer_is_told_what_it_needs(const setting *where)
{
    AT_END(filled_close) filled f = fill_evenly(where, 1000, 1);
    const uint64_t lo[] = {10, 500, 900}, hi[] = {19, 400, 2000};
    static const uint64_t expected_offsets[] = {0, 10, 10, 110};
    static const size_t too_small[] = {0, 1, 10, 109};
    for (size_t i = 0; i < COUNT_OF(too_small); i++) {
        FREED uint64_t *keys = untouched_words(109, f.w.top), *values = untouched_words(109, f.w.top);
        uint64_t offsets[4] = {9, 9, 9, 9};
        size_t total = 0;
        assert_int_equal(wide_range(&f.w, 3, lo, hi, 0, too_small[i], keys, values, offsets, &total),
                         PLEACH_E_SPACE);
        assert_int_equal(total, 110);
        assert_words_equal("offsets", 4, offsets, expected_offsets);
        assert_no_pair_written(&f.w, 109, keys, values);
    }
    check_range(&f.w, f.o, 3, lo, hi, 0); /* gives exactly the room that is needed */
}

/* The first call asks how much room is needed, the second one has it. With nothing to write, OK is as right as
 * SPACE. */
static void space_can_be_asked_for_first(const setting *where)
{
    AT_END(filled_close) filled f = fill_evenly(where, 300, 5);
    const uint64_t lo = 3, hi = 1000;
    uint64_t offsets[2] = {9, 9};
    size_t total = 0;
    pleach_status status = wide_range(&f.w, 1, &lo, &hi, 0, 0, NULL, NULL, offsets, &total);
    assert_true(status == PLEACH_E_SPACE || status == PLEACH_OK);
    assert_int_equal(total, 200);
    assert_int_equal(offsets[1], 200);
    FREED uint64_t *keys = untouched_words(total + 5, f.w.top);
    assert_ok(wide_range(&f.w, 1, &lo, &hi, 0, total + 5, keys, NULL, offsets, &total));
    assert_int_equal(total, 200);
    assert_int_equal(offsets[1], 200);
    assert_int_equal(keys[0], 5);
    assert_int_equal(keys[199], 1000);
    assert_int_equal(keys[200], UNTOUCHED_WORD(f.w.top));
}

static void results_may_be_left_out(const setting *where)
{
    AT_END(filled_close) filled f = fill_evenly(where, 300, 5);
    const uint64_t lo[] = {0, 10}, hi[] = {10, 20};
    uint64_t keys[6] = {0}, values[6] = {0}, offsets[3] = {9, 9, 9};
    uint32_t counts[2] = {9, 9};
    assert_ok(wide_range(&f.w, 2, lo, hi, 0, 6, keys, NULL, offsets, NULL));
    assert_int_equal(keys[5], 20);
    assert_ok(wide_range(&f.w, 2, lo, hi, 0, 6, NULL, values, offsets, NULL));
    assert_int_equal(values[4], 15);
    assert_ok(wide_range(&f.w, 2, lo, hi, 0, 6, NULL, NULL, offsets, NULL));
    assert_int_equal(offsets[2], 6);
    assert_ok(wide_range_limit(&f.w, 2, lo, hi, 2, keys, NULL, NULL));
    assert_int_equal(keys[2], 10);
    assert_ok(wide_range_limit(&f.w, 2, lo, hi, 2, NULL, values, NULL));
    assert_int_equal(values[3], 15);
    assert_ok(wide_range_limit(&f.w, 2, lo, hi, 4, NULL, NULL, counts));
    assert_int_equal(counts[0], 3);
    assert_int_equal(counts[1], 3);
}

static void no_queries_are_success(const setting *where)
{
    AT_END(filled_close) filled f = fill_evenly(where, 10, 1);
    uint64_t offset = 0;
    size_t total = 0;
    assert_ok(wide_range(&f.w, 0, NULL, NULL, 0, 0, NULL, NULL, &offset, &total));
    assert_int_equal(offset, 0);
    assert_int_equal(total, 0);
    assert_ok(wide_range_limit(&f.w, 0, NULL, NULL, 1, NULL, NULL, NULL));
    assert_ok(wide_range_count(&f.w, 0, NULL, NULL, NULL));
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(empty_map_has_empty_ranges),
        CASE(bounds_are_closed),
        CASE(backward_intervals_are_empty),
        CASE(extreme_keys_are_inside),
        CASE(ranges_over_every_pattern),
        CASE(many_queries_are_packed_in_order),
        CASE(one_long_range_among_empty_ones),
        CASE(ranges_cross_emptied_leaves),
        CASE(too_small_a_buffer_is_told_what_it_needs),
        CASE(space_can_be_asked_for_first),
        CASE(results_may_be_left_out),
        CASE(no_queries_are_success),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
