/* test_map_points.c - put, add, erase, find, contains, succ, pred, min and max: every operation and every outcome, as
 * array calls and as single calls. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

/* Enough for several levels of nodes, and so is the least. */
enum { MANY = 2500, LEAST_MANY = 400 };

static void assert_put_one(const wide *w, uint64_t key, uint64_t value, pleach_outcome expected,
                           uint64_t expected_old)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t old = UNTOUCHED;
    assert_ok(pleach_map_put_one(w->map, key, value, &outcome, &old));
    assert_int_equal(outcome, expected);
    assert_int_equal(old, expected == PLEACH_INSERTED ? UNTOUCHED : expected_old);
    count_checked(1);
}

static void assert_add_one(const wide *w, uint64_t key, uint64_t value, pleach_outcome expected,
                           uint64_t expected_old)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t old = UNTOUCHED;
    assert_ok(pleach_map_add_one(w->map, key, value, &outcome, &old));
    assert_int_equal(outcome, expected);
    assert_int_equal(old, expected == PLEACH_INSERTED ? UNTOUCHED : expected_old);
    count_checked(1);
}

static void assert_erase_one(const wide *w, uint64_t key, pleach_outcome expected, uint64_t expected_old)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t old = UNTOUCHED;
    assert_ok(pleach_map_erase_one(w->map, key, &outcome, &old));
    assert_int_equal(outcome, expected);
    assert_int_equal(old, expected == PLEACH_ABSENT ? UNTOUCHED : expected_old);
    count_checked(1);
}

static void assert_found(const wide *w, uint64_t key, uint64_t expected)
{
    int found = -1, contained = -1;
    uint64_t value = UNTOUCHED;
    assert_ok(pleach_map_find_one(w->map, key, &found, &value));
    assert_ok(pleach_map_contains_one(w->map, key, &contained));
    assert_int_equal(found, 1);
    assert_int_equal(contained, 1);
    assert_int_equal(value, expected);
    count_checked(2);
}

static void assert_not_found(const wide *w, uint64_t key)
{
    int found = -1, contained = -1;
    uint64_t value = UNTOUCHED;
    assert_ok(pleach_map_find_one(w->map, key, &found, &value));
    assert_ok(pleach_map_contains_one(w->map, key, &contained));
    assert_int_equal(found, 0);
    assert_int_equal(contained, 0);
    assert_int_equal(value, UNTOUCHED);
    count_checked(2);
}

static void assert_succ_one(const wide *w, uint64_t key, int expected, uint64_t expected_key)
{
    int found = -1;
    uint64_t out_key = UNTOUCHED;
    assert_ok(pleach_map_succ_one(w->map, key, &found, &out_key, NULL));
    assert_int_equal(found, expected);
    assert_int_equal(out_key, expected ? expected_key : UNTOUCHED);
    count_checked(1);
}

static void assert_pred_one(const wide *w, uint64_t key, int expected, uint64_t expected_key)
{
    int found = -1;
    uint64_t out_key = UNTOUCHED;
    assert_ok(pleach_map_pred_one(w->map, key, &found, &out_key, NULL));
    assert_int_equal(found, expected);
    assert_int_equal(out_key, expected ? expected_key : UNTOUCHED);
    count_checked(1);
}

static void assert_no_min_max(const wide *w)
{
    int found = -1;
    uint64_t key = UNTOUCHED, value = UNTOUCHED;
    assert_ok(pleach_map_min(w->map, &found, &key, &value));
    assert_int_equal(found, 0);
    found = -1;
    assert_ok(pleach_map_max(w->map, &found, &key, &value));
    assert_int_equal(found, 0);
    assert_int_equal(key, UNTOUCHED);
    assert_int_equal(value, UNTOUCHED);
    count_checked(2);
}

/* ---- cases ----------------------------------------------------------------------------------------------------- */

static void empty_map_holds_nothing(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t keys[] = {0, 1, w.top / 2, w.top - 1, w.top};
    AT_END(end_oracle) oracle *nothing = oracle_create(COUNT_OF(keys), keys);
    assert_same(&w, nothing);
    assert_no_min_max(&w);
    erase_both(&w, nothing, COUNT_OF(keys), keys);
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        assert_not_found(&w, keys[i]);
        assert_erase_one(&w, keys[i], PLEACH_ABSENT, 0);
        assert_succ_one(&w, keys[i], 0, 0);
        assert_pred_one(&w, keys[i], 0, 0);
    }
}

static void check_alone(const wide *w, uint64_t key)
{
    const uint64_t value = value_for(key, w->top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(1, &key);
    put_both(w, o, 1, &key, &value);
    assert_same(w, o);
    assert_succ_one(w, key, 0, 0);
    assert_pred_one(w, key, 0, 0);
    if (key > 0)
        assert_succ_one(w, key - 1, 1, key);
    if (key < w->top)
        assert_pred_one(w, key + 1, 1, key);
    erase_both(w, o, 1, &key);
    assert_same(w, o);
}

static void one_key_alone(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t keys[] = {0, 1, 2, w.top / 2, w.top / 2 + 1, w.top - 2, w.top - 1, w.top};
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        check_alone(&w, keys[i]);
}

static void put_replaces_and_reports_old(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    assert_put_one(&w, 7, 70, PLEACH_INSERTED, 0);
    assert_found(&w, 7, 70);
    assert_put_one(&w, 7, 71, PLEACH_REPLACED, 70);
    assert_put_one(&w, 7, 71, PLEACH_REPLACED, 71);
    assert_put_one(&w, 7, 72, PLEACH_REPLACED, 71);
    assert_found(&w, 7, 72);
    assert_not_found(&w, 6);
    assert_not_found(&w, 8);
}

static void add_keeps_and_reports_value(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    assert_add_one(&w, 7, 70, PLEACH_INSERTED, 0);
    assert_add_one(&w, 7, 71, PLEACH_EXISTS, 70);
    assert_add_one(&w, 7, 72, PLEACH_EXISTS, 70);
    assert_found(&w, 7, 70);
    assert_erase_one(&w, 7, PLEACH_ERASED, 70);
    assert_add_one(&w, 7, 73, PLEACH_INSERTED, 0);
    assert_found(&w, 7, 73);
}

static void erase_reports_old_then_absent(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    assert_put_one(&w, 7, 70, PLEACH_INSERTED, 0);
    assert_put_one(&w, 9, 90, PLEACH_INSERTED, 0);
    assert_erase_one(&w, 8, PLEACH_ABSENT, 0);
    assert_erase_one(&w, 7, PLEACH_ERASED, 70);
    assert_erase_one(&w, 7, PLEACH_ABSENT, 0);
    assert_not_found(&w, 7);
    assert_found(&w, 9, 90);
    assert_put_one(&w, 7, 71, PLEACH_INSERTED, 0);
    assert_erase_one(&w, 7, PLEACH_ERASED, 71);
}

/* No key and no value may stand for "nothing": each extreme key with each extreme value. */
static void no_key_or_value_is_reserved(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t extremes[] = {0, 1, w.top / 2, w.top / 2 + 1, w.top - 1, w.top};
    for (size_t k = 0; k < COUNT_OF(extremes); k++) {
        assert_put_one(&w, extremes[k], 0, PLEACH_INSERTED, 0);
        for (size_t v = 0; v < COUNT_OF(extremes); v++) {
            uint64_t before = v ? extremes[v - 1] : 0;
            assert_put_one(&w, extremes[k], extremes[v], PLEACH_REPLACED, before);
            assert_found(&w, extremes[k], extremes[v]);
            assert_add_one(&w, extremes[k], 5, PLEACH_EXISTS, extremes[v]);
        }
    }
    for (size_t k = 0; k < COUNT_OF(extremes); k++)
        assert_erase_one(&w, extremes[k], PLEACH_ERASED, w.top);
    assert_no_min_max(&w);
}

/* The life of a set of keys: insert in the given order, replace, try to add, erase half, add again, erase all. */
static void live_through(const wide *w, size_t n, const uint64_t *keys)
{
    FREED uint64_t *first = values_for(n, keys, w->top, 1), *second = values_for(n, keys, w->top, 2);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    put_both(w, o, n, keys, first);
    assert_same(w, o);
    put_both(w, o, n, keys, second);
    add_both(w, o, n, keys, first);
    assert_same_content(w, o);
    erase_both(w, o, n / 2, keys);
    assert_same(w, o);
    add_both(w, o, n, keys, first);
    assert_same_content(w, o);
    erase_both(w, o, n, keys);
    erase_both(w, o, n, keys);
    assert_same(w, o);
}

static void every_order_of_keys_by_array_calls(const setting *where)
{
    rng r = rng_for(test_seed(), 1);
    const size_t sizes[] = {2, 13, 14, 15, 16, 17, 64, 197, shrunk(MANY, LEAST_MANY)};
    for (pattern p = 0; p < PATTERNS; p++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            AT_END(wide_close) wide w = wide_open(where);
            FREED uint64_t *keys = pattern_keys(p, sizes[s], w.top, &r);
            live_through(&w, sizes[s], keys);
        }
}

static void put_each(const wide *w, oracle *o, size_t n, const uint64_t *keys, uint64_t salt)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t old = 0, value = value_for(keys[i], w->top, salt);
        pleach_outcome expected = oracle_put(o, keys[i], value, &old);
        assert_put_one(w, keys[i], value, expected, old);
    }
}

static void erase_each(const wide *w, oracle *o, size_t n, const uint64_t *keys)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t old = 0;
        pleach_outcome expected = oracle_erase(o, keys[i], &old);
        assert_erase_one(w, keys[i], expected, old);
    }
}

static void every_order_of_keys_by_single_calls(const setting *where)
{
    rng r = rng_for(test_seed(), 2);
    size_t n = where->device == PLEACH_CUDA ? 200 : shrunk(MANY, LEAST_MANY);
    for (pattern p = 0; p < PATTERNS; p++) {
        AT_END(wide_close) wide w = wide_open(where);
        FREED uint64_t *keys = pattern_keys(p, n, w.top, &r);
        AT_END(end_oracle) oracle *o = oracle_create(n, keys);
        put_each(&w, o, n, keys, 1);
        assert_same(&w, o);
        put_each(&w, o, n, keys, 2);
        erase_each(&w, o, n / 3, keys);
        assert_same(&w, o);
        put_each(&w, o, n, keys, 3);
        erase_each(&w, o, n, keys);
        assert_same(&w, o);
    }
}

static void large_map_agrees_with_oracle(const setting *where)
{
    rng r = rng_for(test_seed(), 3);
    AT_END(wide_close) wide w = wide_open(where);
    size_t n = scaled(120000);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r), *values = values_for(n, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    put_both(&w, o, n, keys, values);
    assert_same(&w, o);
    shuffle(&r, n, keys);
    erase_both(&w, o, n - n / 8, keys);
    assert_same_content(&w, o);
    check_find(&w, o, n, keys);
}

/* ---- equal keys within one call -------------------------------------------------------------------------------- */

/* Values are 1 .. n, so that old values name the put that was before. Each put but the first replaced another one's
 * value, each value was replaced at most once, and the one never replaced is in the map. */
static void assert_puts_form_a_chain(const wide *w, uint64_t key, size_t n, const uint8_t *outcomes,
                                     const uint64_t *olds, uint64_t initial)
{
    FREED uint64_t *next = must_alloc(n + 2, sizeof *next);
    uint64_t at = initial, final = 0;
    uint8_t found = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t old = outcomes[i] == PLEACH_REPLACED ? olds[i] : 0;
        assert_true(old <= n + 1);
        assert_int_equal(next[old], 0);
        next[old] = i + 1;
    }
    size_t length = 0;
    while (next[at]) {
        at = next[at];
        length++;
    }
    assert_int_equal(length, n);
    assert_ok(wide_find(w, 1, &key, &final, &found));
    assert_int_equal(found, 1);
    assert_int_equal(final, at);
}

static void equal_puts(const wide *w, uint64_t key, size_t n, bool present_before)
{
    FREED uint64_t *keys = must_alloc(n, sizeof *keys), *values = must_alloc(n, sizeof *values);
    FREED uint64_t *olds = untouched_words(n, w->top);
    FREED uint8_t *outcomes = untouched_bytes(n);
    for (size_t i = 0; i < n; i++) {
        keys[i] = key;
        values[i] = i + 1;
    }
    if (present_before)
        assert_put_one(w, key, n + 1, PLEACH_INSERTED, 0);
    assert_ok(wide_put(w, n, keys, values, outcomes, olds));
    assert_int_equal(count_bytes(n, outcomes, PLEACH_INSERTED), present_before ? 0 : 1);
    assert_int_equal(count_bytes(n, outcomes, PLEACH_REPLACED), present_before ? n : n - 1);
    assert_puts_form_a_chain(w, key, n, outcomes, olds, present_before ? n + 1 : 0);
}

static void equal_keys_in_one_put(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    static const size_t sizes[] = {2, 3, 32, 1000, 20000};
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        equal_puts(&w, 10 * s, sizes[s], false);
        equal_puts(&w, 10 * s + 5, sizes[s], true);
    }
}

/* Of the adds of one key, the one that was first is INSERTED, and all others report its value. */
static void assert_adds_agree(size_t n, const uint64_t *keys, const uint64_t *values, const uint8_t *outcomes,
                              const uint64_t *olds, uint64_t key)
{
    uint64_t winner = 0;
    size_t inserted = 0;
    for (size_t i = 0; i < n; i++)
        if (keys[i] == key && outcomes[i] == PLEACH_INSERTED) {
            winner = values[i];
            inserted++;
        }
    assert_int_equal(inserted, 1);
    for (size_t i = 0; i < n; i++)
        if (keys[i] == key && outcomes[i] != PLEACH_INSERTED) {
            assert_int_equal(outcomes[i], PLEACH_EXISTS);
            assert_int_equal(olds[i], winner);
        }
}

static void equal_keys_in_one_add(const setting *where)
{
    enum { KEYS = 40, N = 8000 };
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = must_alloc(N, sizeof *keys), *values = must_alloc(N, sizeof *values);
    FREED uint64_t *olds = untouched_words(N, w.top);
    FREED uint8_t *outcomes = untouched_bytes(N);
    for (size_t i = 0; i < N; i++) {
        keys[i] = w.top - i % KEYS;
        values[i] = i;
    }
    assert_ok(wide_add(&w, N, keys, values, outcomes, olds));
    assert_int_equal(count_bytes(N, outcomes, PLEACH_INSERTED), KEYS);
    for (uint64_t key = 0; key < KEYS; key++)
        assert_adds_agree(N, keys, values, outcomes, olds, w.top - key);
}

static void equal_keys_in_one_erase(const setting *where)
{
    enum { KEYS = 40, N = 8000 };
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = must_alloc(N, sizeof *keys), *olds = untouched_words(N, w.top);
    uint64_t total = 0;
    FREED uint8_t *outcomes = untouched_bytes(N);
    for (size_t i = 0; i < N; i++)
        keys[i] = i % KEYS;
    for (uint64_t key = 0; key < KEYS; key++)
        assert_put_one(&w, key, key + 1000, PLEACH_INSERTED, 0);
    assert_ok(wide_erase(&w, N, keys, outcomes, olds));
    assert_int_equal(count_bytes(N, outcomes, PLEACH_ERASED), KEYS);
    assert_int_equal(count_bytes(N, outcomes, PLEACH_ABSENT), N - KEYS);
    for (size_t i = 0; i < N; i++)
        if (outcomes[i] == PLEACH_ERASED) {
            assert_int_equal(olds[i], keys[i] + 1000);
            total += keys[i];
        }
    assert_int_equal(total, KEYS * (KEYS - 1) / 2); /* each key once */
    assert_no_min_max(&w);
}

/* ---- arguments ------------------------------------------------------------------------------------------------- */

static void results_may_be_left_out_of_array_calls(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t keys[] = {3, 1, 2}, values[] = {30, 10, 20}, changed[] = {31, 11, 21};
    uint64_t olds[3] = {0}, out[3] = {0};
    uint8_t bytes[3] = {0};
    assert_ok(wide_put(&w, 3, keys, values, NULL, NULL));
    assert_ok(wide_put(&w, 3, keys, changed, NULL, olds));
    assert_words_equal("old_values without outcomes", 3, olds, values);
    assert_ok(wide_add(&w, 3, keys, values, NULL, NULL));
    assert_ok(wide_add(&w, 3, keys, values, bytes, NULL));
    assert_int_equal(count_bytes(3, bytes, PLEACH_EXISTS), 3);
    assert_ok(wide_find(&w, 3, keys, out, NULL));
    assert_words_equal("values without found", 3, out, changed);
    assert_ok(wide_find(&w, 3, keys, NULL, bytes));
    assert_int_equal(bytes[0] + bytes[1] + bytes[2], 3);
    assert_ok(wide_find(&w, 3, keys, NULL, NULL));
    assert_ok(wide_succ(&w, 1, keys + 1, out, NULL, NULL));
    assert_int_equal(out[0], 2);
    assert_ok(wide_pred(&w, 1, keys, NULL, out, NULL));
    assert_int_equal(out[0], 21);
    assert_ok(wide_succ(&w, 3, keys, NULL, NULL, bytes));
    assert_int_equal(bytes[0] + 2 * bytes[1] + 4 * bytes[2], 6);
    assert_ok(wide_pred(&w, 3, keys, NULL, NULL, NULL));
    assert_ok(wide_erase(&w, 2, keys, NULL, NULL));
    assert_ok(wide_erase(&w, 1, keys + 2, NULL, olds));
    assert_int_equal(olds[0], 21);
    assert_no_min_max(&w);
}

static void results_may_be_left_out_of_single_calls(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    uint64_t value = 0;
    assert_ok(pleach_map_put_one(w.map, 1, 10, NULL, NULL));
    assert_ok(pleach_map_put_one(w.map, 1, 11, NULL, &value));
    assert_int_equal(value, 10);
    assert_ok(pleach_map_add_one(w.map, 2, 20, NULL, NULL));
    assert_ok(pleach_map_find_one(w.map, 1, NULL, NULL));
    assert_ok(pleach_map_find_one(w.map, 1, NULL, &value));
    assert_int_equal(value, 11);
    assert_ok(pleach_map_contains_one(w.map, 1, NULL));
    assert_ok(pleach_map_succ_one(w.map, 1, NULL, NULL, &value));
    assert_int_equal(value, 20);
    assert_ok(pleach_map_pred_one(w.map, 2, NULL, &value, NULL));
    assert_int_equal(value, 1);
    assert_ok(pleach_map_min(w.map, NULL, NULL, NULL));
    assert_ok(pleach_map_max(w.map, NULL, NULL, NULL));
    assert_ok(pleach_map_erase_one(w.map, 1, NULL, NULL));
    assert_ok(pleach_map_erase_one(w.map, 2, NULL, &value));
    assert_int_equal(value, 20);
    assert_no_min_max(&w);
}

static void zero_elements_are_success_and_touch_nothing(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    assert_put_one(&w, 5, 50, PLEACH_INSERTED, 0);
    assert_ok(wide_put(&w, 0, NULL, NULL, NULL, NULL));
    assert_ok(wide_add(&w, 0, NULL, NULL, NULL, NULL));
    assert_ok(wide_erase(&w, 0, NULL, NULL, NULL));
    assert_ok(wide_find(&w, 0, NULL, NULL, NULL));
    assert_ok(wide_contains(&w, 0, NULL, NULL));
    assert_ok(wide_succ(&w, 0, NULL, NULL, NULL, NULL));
    assert_ok(wide_pred(&w, 0, NULL, NULL, NULL, NULL));
    assert_map_size(w.map, 1);
    assert_found(&w, 5, 50);
}

static void old_values_may_be_the_values_array(const setting *where)
{
    rng r = rng_for(test_seed(), 4);
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, MANY, w.top, &r);
    FREED uint64_t *first = values_for(MANY, keys, w.top, 1), *second = values_for(MANY, keys, w.top, 2);
    FREED uint64_t *exchanged = values_for(MANY, keys, w.top, 2);
    AT_END(end_oracle) oracle *o = oracle_create(MANY, keys);
    put_both(&w, o, MANY, keys, first);
    assert_ok(wide_put(&w, MANY, keys, exchanged, NULL, exchanged));
    assert_words_equal("exchanged values", MANY, exchanged, first);
    for (size_t i = 0; i < MANY; i++)
        oracle_put(o, keys[i], second[i], &exchanged[i]);
    assert_same_content(&w, o);
}

/* ---- order ----------------------------------------------------------------------------------------------------- */

static void succ_and_pred_are_strict_at_both_ends(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t keys[] = {0, 1, w.top - 1, w.top}, values[] = {4, 3, 2, 1};
    AT_END(end_oracle) oracle *o = oracle_create(4, keys);
    put_both(&w, o, 4, keys, values);
    assert_same(&w, o);
    assert_pred_one(&w, 0, 0, 0);
    assert_pred_one(&w, 1, 1, 0);
    assert_pred_one(&w, w.top - 1, 1, 1);
    assert_pred_one(&w, w.top, 1, w.top - 1);
    assert_succ_one(&w, w.top, 0, 0);
    assert_succ_one(&w, w.top - 1, 1, w.top);
    assert_succ_one(&w, 1, 1, w.top - 1);
    assert_succ_one(&w, 0, 1, 1);
}

/* Erasing leaves empty leaves behind; neighbours must be found across any number of them. */
static void succ_and_pred_cross_emptied_leaves(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    uint64_t keys[MANY];
    const size_t n = shrunk(MANY, LEAST_MANY), last = n - 1;
    for (size_t i = 0; i < n; i++)
        keys[i] = 10 + 3 * i;
    FREED uint64_t *values = values_for(n, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    put_both(&w, o, n, keys, values);
    erase_both(&w, o, n - 2, keys + 1);
    assert_same(&w, o);
    assert_succ_one(&w, keys[0], 1, keys[last]);
    assert_pred_one(&w, keys[last], 1, keys[0]);
    erase_both(&w, o, 1, keys);
    assert_pred_one(&w, keys[last], 0, 0);
    assert_succ_one(&w, 0, 1, keys[last]);
    assert_same(&w, o);
    add_both(&w, o, 1, keys, values);
    erase_both(&w, o, 1, keys + last);
    assert_succ_one(&w, keys[0], 0, 0);
    assert_pred_one(&w, w.top, 1, keys[0]);
    assert_same(&w, o);
}

/* Takes the smallest and the largest key out by turns until nothing is left. */
static void min_and_max_follow_erasing(const setting *where)
{
    rng r = rng_for(test_seed(), 5);
    AT_END(wide_close) wide w = wide_open(where);
    size_t n = where->device == PLEACH_CUDA ? 100 : 1000;
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r), *values = values_for(n, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    put_both(&w, o, n, keys, values);
    while (o->size) {
        uint64_t key, value;
        check_min_max(&w, o);
        assert_true(o->size % 2 ? oracle_min(o, &key, &value) : oracle_max(o, &key, &value));
        assert_erase_one(&w, key, PLEACH_ERASED, value);
        oracle_erase(o, key, &value);
    }
    assert_no_min_max(&w);
}

/* ---- single calls against array calls -------------------------------------------------------------------------- */

/* An array call of one element, as map_answer. */
static pleach_status array_answer(const wide *w, pleach_operation operation, uint64_t key, uint64_t value,
                                  pleach_answer *a)
{
    switch (operation) {
    case PLEACH_OP_PUT: return wide_put(w, 1, &key, &value, &a->flag, &a->value);
    case PLEACH_OP_ADD: return wide_add(w, 1, &key, &value, &a->flag, &a->value);
    case PLEACH_OP_ERASE: return wide_erase(w, 1, &key, &a->flag, &a->value);
    case PLEACH_OP_SUCC: return wide_succ(w, 1, &key, &a->key, &a->value, &a->flag);
    case PLEACH_OP_PRED: return wide_pred(w, 1, &key, &a->key, &a->value, &a->flag);
    default: return PLEACH_E_ARGUMENT;
    }
}

static void compare_calls(const wide *singles, const wide *arrays, pleach_operation operation, uint64_t key,
                          uint64_t value)
{
    pleach_answer single = {.flag = 9, .value = 1}, array = single;
    assert_ok(map_answer(singles->map, operation, key, value, &single));
    assert_ok(array_answer(arrays, operation, key, value, &array));
    assert_true(same_answer(&single, &array));
}

static void single_calls_agree_with_array_calls(const setting *where)
{
    rng r = rng_for(test_seed(), 6);
    AT_END(wide_close) wide singles = wide_open(where);
    AT_END(wide_close) wide arrays = wide_open(where);
    size_t operations = scaled_single_calls(where, 20000);
    for (size_t i = 0; i < operations; i++) {
        uint64_t key = rng_below(&r, 300), value = rng_next(&r) & singles.top;
        compare_calls(&singles, &arrays, (pleach_operation)rng_below(&r, 3), key, value);
        compare_calls(&singles, &arrays, PLEACH_OP_SUCC, key, value);
        compare_calls(&singles, &arrays, PLEACH_OP_PRED, key, value);
    }
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(empty_map_holds_nothing),
        CASE(one_key_alone),
        CASE(put_replaces_and_reports_old),
        CASE(add_keeps_and_reports_value),
        CASE(erase_reports_old_then_absent),
        CASE(no_key_or_value_is_reserved),
        CASE(every_order_of_keys_by_array_calls),
        CASE(every_order_of_keys_by_single_calls),
        CASE(large_map_agrees_with_oracle),
        CASE(equal_keys_in_one_put),
        CASE(equal_keys_in_one_add),
        CASE(equal_keys_in_one_erase),
        CASE(results_may_be_left_out_of_array_calls),
        CASE(results_may_be_left_out_of_single_calls),
        CASE(zero_elements_are_success_and_touch_nothing),
        CASE(old_values_may_be_the_values_array),
        CASE(succ_and_pred_are_strict_at_both_ends),
        CASE(succ_and_pred_cross_emptied_leaves),
        CASE(min_and_max_follow_erasing),
        CASE(single_calls_agree_with_array_calls),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
