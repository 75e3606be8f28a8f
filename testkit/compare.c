#include "compare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"

void assert_words_equal(const char *what, size_t n, const uint64_t *got, const uint64_t *expected)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != expected[i])
            fail_msg("%s[%zu of %zu] is %" PRIu64 " instead of %" PRIu64, what, i, n, got[i], expected[i]);
}

void assert_bytes_equal(const char *what, size_t n, const uint8_t *got, const uint8_t *expected)
{
    for (size_t i = 0; i < n; i++)
        if (got[i] != expected[i])
            fail_msg("%s[%zu of %zu] is %u instead of %u", what, i, n, got[i], expected[i]);
}

/* ---- updates --------------------------------------------------------------------------------------------------- */

void oracle_insert_all(oracle *o, oracle_insert *insert, size_t n, const uint64_t *keys, const uint64_t *values,
                       uint8_t *outcomes, uint64_t *olds)
{
    for (size_t i = 0; i < n; i++)
        outcomes[i] = (uint8_t)insert(o, keys[i], values[i], &olds[i]);
}

void oracle_erase_all(oracle *o, size_t n, const uint64_t *keys, uint8_t *outcomes, uint64_t *olds)
{
    for (size_t i = 0; i < n; i++)
        outcomes[i] = (uint8_t)oracle_erase(o, keys[i], &olds[i]);
}

/* Room for an update's results, of the map and of the oracle. */
typedef struct update_results {
    uint8_t *outcomes, *expected_outcomes;
    uint64_t *olds, *expected_olds;
} update_results;

static update_results update_results_for(const wide *w, size_t n)
{
    return (update_results){untouched_bytes(n), untouched_bytes(n), untouched_words(n, w->top),
                            untouched_words(n, w->top)};
}

static void compare_and_free(size_t n, update_results *r)
{
    assert_bytes_equal("outcomes", n, r->outcomes, r->expected_outcomes);
    assert_words_equal("old_values", n, r->olds, r->expected_olds);
    free(r->outcomes);
    free(r->expected_outcomes);
    free(r->olds);
    free(r->expected_olds);
}

void put_both(const wide *w, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values)
{
    update_results r = update_results_for(w, n);
    assert_ok(wide_put(w, n, keys, values, r.outcomes, r.olds));
    oracle_insert_all(o, oracle_put, n, keys, values, r.expected_outcomes, r.expected_olds);
    compare_and_free(n, &r);
}

void add_both(const wide *w, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values)
{
    update_results r = update_results_for(w, n);
    assert_ok(wide_add(w, n, keys, values, r.outcomes, r.olds));
    oracle_insert_all(o, oracle_add, n, keys, values, r.expected_outcomes, r.expected_olds);
    compare_and_free(n, &r);
}

void erase_both(const wide *w, oracle *o, size_t n, const uint64_t *keys)
{
    update_results r = update_results_for(w, n);
    assert_ok(wide_erase(w, n, keys, r.outcomes, r.olds));
    oracle_erase_all(o, n, keys, r.expected_outcomes, r.expected_olds);
    compare_and_free(n, &r);
}

/* ---- point queries --------------------------------------------------------------------------------------------- */

pleach_status compare_find(const wide *w, const oracle *o, size_t n, const uint64_t *keys)
{
    FREED uint64_t *values = untouched_words(n, w->top), *expected_values = untouched_words(n, w->top);
    FREED uint8_t *found = untouched_bytes(n), *expected = untouched_bytes(n);
    pleach_status status = wide_find(w, n, keys, values, found);
    if (status == PLEACH_OK) {
        for (size_t i = 0; i < n; i++)
            expected[i] = oracle_find(o, keys[i], &expected_values[i]);
        assert_bytes_equal("find: found", n, found, expected);
        assert_words_equal("find: values", n, values, expected_values);
    }
    return status;
}

pleach_status compare_contains(const wide *w, const oracle *o, size_t n, const uint64_t *keys)
{
    FREED uint8_t *found = untouched_bytes(n);
    pleach_status status = wide_contains(w, n, keys, found);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++)
        if (found[i] != oracle_find(o, keys[i], NULL))
            fail_msg("contains: found[%zu of %zu] is %u", i, n, found[i]);
    return status;
}

typedef pleach_status wide_neighbour(const wide *, size_t, const uint64_t *, uint64_t *, uint64_t *, uint8_t *);
typedef bool oracle_neighbour(const oracle *, uint64_t, uint64_t *, uint64_t *);

static pleach_status compare_neighbours(wide_neighbour *ask, oracle_neighbour *expect, const wide *w, const oracle *o,
                                        size_t n, const uint64_t *keys)
{
    FREED uint64_t *out_keys = untouched_words(n, w->top), *expected_keys = untouched_words(n, w->top);
    FREED uint64_t *out_values = untouched_words(n, w->top), *expected_values = untouched_words(n, w->top);
    FREED uint8_t *found = untouched_bytes(n), *expected = untouched_bytes(n);
    pleach_status status = ask(w, n, keys, out_keys, out_values, found);
    if (status == PLEACH_OK) {
        for (size_t i = 0; i < n; i++)
            expected[i] = expect(o, keys[i], &expected_keys[i], &expected_values[i]);
        assert_bytes_equal("neighbour: found", n, found, expected);
        assert_words_equal("neighbour: out_keys", n, out_keys, expected_keys);
        assert_words_equal("neighbour: out_values", n, out_values, expected_values);
    }
    return status;
}

pleach_status compare_succ(const wide *w, const oracle *o, size_t n, const uint64_t *keys)
{
    return compare_neighbours(wide_succ, oracle_succ, w, o, n, keys);
}

pleach_status compare_pred(const wide *w, const oracle *o, size_t n, const uint64_t *keys)
{
    return compare_neighbours(wide_pred, oracle_pred, w, o, n, keys);
}

void check_min_max(const wide *w, const oracle *o)
{
    uint64_t got[4] = {0}, expected[4] = {0};
    int found[2] = {-1, -1};
    assert_ok(pleach_map_min(w->map, &found[0], &got[0], &got[1]));
    assert_ok(pleach_map_max(w->map, &found[1], &got[2], &got[3]));
    assert_int_equal(found[0], oracle_min(o, &expected[0], &expected[1]));
    assert_int_equal(found[1], oracle_max(o, &expected[2], &expected[3]));
    assert_words_equal("min and max", 4, got, expected);
    count_checked(2);
}

/* ---- ranges ---------------------------------------------------------------------------------------------------- */

static size_t expected_total(const oracle *o, size_t n, const uint64_t *lo, const uint64_t *hi, uint32_t limit,
                             uint64_t *offsets)
{
    offsets[0] = 0;
    for (size_t i = 0; i < n; i++)
        offsets[i + 1] = offsets[i] + oracle_range(o, lo[i], hi[i], limit, NULL, NULL);
    return (size_t)offsets[n];
}

pleach_status compare_range(const wide *w, const oracle *o, size_t n, const uint64_t *lo, const uint64_t *hi,
                            uint32_t limit)
{
    FREED uint64_t *offsets = untouched_words(n + 1, UINT64_MAX);
    FREED uint64_t *expected_offsets = untouched_words(n + 1, UINT64_MAX);
    size_t room = expected_total(o, n, lo, hi, limit, expected_offsets), total = 0;
    FREED uint64_t *keys = untouched_words(room, w->top), *values = untouched_words(room, w->top);
    FREED uint64_t *expected_keys = untouched_words(room, w->top), *expected_values = untouched_words(room, w->top);
    pleach_status status = wide_range(w, n, lo, hi, limit, room, keys, values, offsets, &total);
    if (status == PLEACH_OK) {
        assert_int_equal(total, room);
        assert_words_equal("range: offsets", n + 1, offsets, expected_offsets);
        for (size_t i = 0; i < n; i++) {
            size_t at = (size_t)expected_offsets[i];
            oracle_range(o, lo[i], hi[i], limit, expected_keys + at, expected_values + at);
        }
        assert_words_equal("range: keys", room, keys, expected_keys);
        assert_words_equal("range: values", room, values, expected_values);
    }
    return status;
}

static void check_one_limited(const oracle *o, uint64_t lo, uint64_t hi, uint32_t limit, uint32_t count,
                              const uint64_t *keys, const uint64_t *values)
{
    FREED uint64_t *expected_keys = must_alloc(limit, sizeof *keys);
    FREED uint64_t *expected_values = must_alloc(limit, sizeof *values);
    size_t expected = oracle_range(o, lo, hi, limit, expected_keys, expected_values);
    assert_int_equal(count, expected);
    assert_words_equal("range_limit: keys", expected, keys, expected_keys);
    assert_words_equal("range_limit: values", expected, values, expected_values);
}

pleach_status compare_range_limit(const wide *w, const oracle *o, size_t n, const uint64_t *lo, const uint64_t *hi,
                                  uint32_t limit)
{
    FREED uint64_t *keys = must_alloc(n * limit, sizeof *keys), *values = must_alloc(n * limit, sizeof *values);
    FREED uint32_t *counts = must_alloc(n, sizeof *counts);
    memset(counts, UNTOUCHED, n * sizeof *counts);
    pleach_status status = wide_range_limit(w, n, lo, hi, limit, keys, values, counts);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++)
        check_one_limited(o, lo[i], hi[i], limit, counts[i], keys + i * limit, values + i * limit);
    return status;
}

pleach_status compare_range_count(const wide *w, const oracle *o, size_t n, const uint64_t *lo, const uint64_t *hi)
{
    FREED uint64_t *counts = untouched_words(n, UINT64_MAX);
    pleach_status status = wide_range_count(w, n, lo, hi, counts);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) {
        uint64_t expected = oracle_range(o, lo[i], hi[i], 0, NULL, NULL);
        assert_words_equal("range_count: counts", 1, &counts[i], &expected);
    }
    return status;
}

void check_find(const wide *w, const oracle *o, size_t n, const uint64_t *keys)
{
    assert_ok(compare_find(w, o, n, keys));
    assert_ok(compare_contains(w, o, n, keys));
}

/* ---- the whole map --------------------------------------------------------------------------------------------- */

void assert_same_content(const wide *w, const oracle *o)
{
    size_t n = SIZE_MAX;
    FREED uint64_t *keys = untouched_words(o->size, w->top), *values = untouched_words(o->size, w->top);
    FREED uint64_t *expected_keys = must_alloc(o->size, sizeof *keys);
    FREED uint64_t *expected_values = must_alloc(o->size, sizeof *keys);
    assert_map_size(w->map, o->size);
    assert_ok(wide_export(w, o->size, keys, values, &n));
    assert_int_equal(n, o->size);
    oracle_range(o, 0, UINT64_MAX, 0, expected_keys, expected_values);
    assert_words_equal("export: keys", n, keys, expected_keys);
    assert_words_equal("export: values", n, values, expected_values);
    assert_valid(w);
}

/* Every key of the universe, its neighbours, and both ends of the key space; wrapping round is welcome. */
static uint64_t *interesting_keys(const wide *w, const oracle *o, size_t *n)
{
    uint64_t *keys = must_alloc(3 * o->rows + 2, sizeof *keys);
    *n = 0;
    for (size_t row = 0; row < o->rows; row++) {
        keys[(*n)++] = o->keys[row];
        keys[(*n)++] = (o->keys[row] - 1) & w->top;
        keys[(*n)++] = (o->keys[row] + 1) & w->top;
    }
    keys[(*n)++] = 0;
    keys[(*n)++] = w->top;
    return keys;
}

/* From each key to the key some places further on in the array; some of these intervals are empty or backwards. */
static uint64_t *interval_ends(size_t n, const uint64_t *lo, size_t distance)
{
    uint64_t *hi = must_alloc(n, sizeof *hi);
    for (size_t i = 0; i < n; i++)
        hi[i] = lo[(i + distance) % n];
    return hi;
}

static void check_ranges_from(const wide *w, const oracle *o, size_t n, const uint64_t *lo)
{
    enum { DISTANCE = 36 }; /* a dozen keys: from one leaf to the next or the one after */
    FREED uint64_t *hi = interval_ends(n, lo, DISTANCE);
    const uint64_t zero = 0;
    check_range(w, o, n, lo, hi, 0);
    check_range_limit(w, o, n, lo, hi, 5);
    check_range_count(w, o, n, lo, hi);
    check_range(w, o, 1, &zero, &w->top, 0);
    check_range_count(w, o, 1, &zero, &w->top);
}

void assert_same(const wide *w, const oracle *o)
{
    size_t n;
    FREED uint64_t *keys = interesting_keys(w, o, &n);
    assert_same_content(w, o);
    check_min_max(w, o);
    check_find(w, o, n, keys);
    check_succ(w, o, n, keys);
    check_pred(w, o, n, keys);
    check_ranges_from(w, o, n, keys);
}

size_t acknowledge(oracle *o, oracle_insert *insert, size_t n, const uint64_t *keys, const uint64_t *values,
                   const uint8_t *outcomes, const uint64_t *olds)
{
    size_t refused = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t old = olds ? olds[i] : 0;
        if (outcomes[i] == PLEACH_NOT_APPLIED) {
            assert_false(oracle_find(o, keys[i], NULL));
            refused++;
            continue;
        }
        assert_int_equal(outcomes[i], insert(o, keys[i], values[i], &old));
        if (olds)
            assert_int_equal(olds[i], old);
    }
    return refused;
}

filled fill_map(const setting *where, pattern p, size_t n, rng *r)
{
    filled f = {wide_open(where), NULL};
    FREED uint64_t *keys = pattern_keys(p, n, f.w.top, r), *values = values_for(n, keys, f.w.top, 1);
    f.o = oracle_create(n, keys);
    put_both(&f.w, f.o, n, keys, values);
    return f;
}

void filled_close(filled *f)
{
    wide_close(&f->w);
    oracle_destroy(f->o);
}
