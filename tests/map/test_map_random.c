/* test_map_random.c - random sequences of operations against the oracle: more than ten million operations per key
 * width. The map breathes: phases in which it mostly grows alternate with phases in which it mostly shrinks. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

enum { LONGEST_ARRAY = 3000, PHASE_LENGTH = 4 };

/* Both sides of one random history. */
typedef struct history {
    wide w;
    oracle *o;
    uint64_t *shuffled; /* the universe in random order: any stretch of it is an array of distinct keys */
    rng r;
    bool growing;
} history;

/* Runs of adjacent keys at both ends and in the middle of the key space; collisions are frequent. */
static oracle *narrow_universe(uint64_t top)
{
    enum { KEYS = 4095 };
    uint64_t keys[KEYS];
    for (size_t i = 0; i < KEYS; i += 3) {
        keys[i] = i / 3;
        keys[i + 1] = top - i / 3;
        keys[i + 2] = top / 2 - KEYS / 6 + i / 3;
    }
    return oracle_create(KEYS, keys);
}

static oracle *wide_universe(uint64_t top, rng *r)
{
    size_t n = shrunk(60000, 5000);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, top, r);
    return oracle_create(n, keys);
}

static history begin(const setting *where, bool narrow, uint64_t part)
{
    history h = {.w = wide_open(where), .r = rng_for(test_seed(), 2 * part + where->threads), .growing = true};
    h.o = narrow ? narrow_universe(h.w.top) : wide_universe(h.w.top, &h.r);
    h.shuffled = must_alloc(h.o->rows, sizeof *h.shuffled);
    memcpy(h.shuffled, h.o->keys, h.o->rows * sizeof *h.shuffled);
    shuffle(&h.r, h.o->rows, h.shuffled);
    return h;
}

static void end(history *h)
{
    assert_same(&h->w, h->o);
    wide_close(&h->w);
    oracle_destroy(h->o);
    free(h->shuffled);
}

/* A key of the universe; half of the time one of a few neighbours, so that some leaves are always busy. */
static uint64_t known_key(history *h)
{
    size_t rows = rng_percent(&h->r, 50) ? 100 : h->o->rows;
    return h->o->keys[rng_below(&h->r, rows)];
}

/* For questions: a key of the universe, one beside it, or any key at all. */
static uint64_t any_key(history *h)
{
    uint64_t dice = rng_below(&h->r, 10);
    if (dice == 0)
        return rng_next(&h->r) & h->w.top;
    return (known_key(h) + (dice == 1) - (dice == 2)) & h->w.top;
}

static uint64_t any_value(history *h)
{
    return rng_next(&h->r) & h->w.top;
}

/* hi so that the interval holds some keys of the universe, or is backwards. */
static uint64_t interval_end(history *h, uint64_t lo)
{
    uint64_t step = h->o->keys[1] - h->o->keys[0], length = rng_below(&h->r, 16) * step;
    return rng_percent(&h->r, 5) ? lo / 2 : lo > h->w.top - length ? h->w.top : lo + length;
}

/* ---- single calls ---------------------------------------------------------------------------------------------- */

static void call_one(history *h, pleach_operation operation)
{
    uint64_t key = operation <= PLEACH_OP_ADD ? known_key(h) : any_key(h), value = any_value(h);
    pleach_answer got = {.key = 1, .value = 1}, expected = got;
    assert_ok(map_answer(h->w.map, operation, key, value, &got));
    oracle_answer(h->o, operation, key, value, &expected);
    assert_int_equal(got.flag, expected.flag);
    assert_int_equal(got.key, expected.key);
    assert_int_equal(got.value, expected.value);
    count_checked(1);
}

static void range_one(history *h)
{
    uint64_t lo = any_key(h), hi = interval_end(h, lo);
    if (rng_percent(&h->r, 50))
        check_range_count(&h->w, h->o, 1, &lo, &hi);
    else
        check_range_limit(&h->w, h->o, 1, &lo, &hi, 1 + (uint32_t)rng_below(&h->r, 20));
}

static void random_query(history *h)
{
    uint64_t dice = rng_below(&h->r, 100);
    if (dice < 35)
        call_one(h, PLEACH_OP_FIND);
    else if (dice < 50)
        call_one(h, PLEACH_OP_CONTAINS);
    else if (dice < 70)
        call_one(h, PLEACH_OP_SUCC);
    else if (dice < 90)
        call_one(h, PLEACH_OP_PRED);
    else if (dice < 98)
        range_one(h);
    else
        check_min_max(&h->w, h->o);
}

static void random_single_call(history *h)
{
    uint64_t dice = rng_below(&h->r, 100), grow = h->growing ? 45 : 15;
    if (dice >= 60)
        random_query(h);
    else if (dice >= grow)
        call_one(h, PLEACH_OP_ERASE);
    else
        call_one(h, dice % 3 ? PLEACH_OP_PUT : PLEACH_OP_ADD);
}

static void single_calls(const setting *where, bool narrow, size_t operations, uint64_t part)
{
    history h = begin(where, narrow, part);
    size_t phase = PHASE_LENGTH * h.o->rows;
    for (size_t i = 0; i < operations; i++) {
        random_single_call(&h);
        if (i % phase == phase - 1) {
            assert_same_content(&h.w, h.o);
            h.growing = !h.growing;
        }
    }
    end(&h);
}

/* ---- array calls ----------------------------------------------------------------------------------------------- */

/* Distinct keys: in random order, ascending, or descending. */
static void distinct_keys(history *h, size_t n, uint64_t *keys)
{
    size_t start = (size_t)rng_below(&h->r, h->o->rows - n + 1);
    uint64_t order = rng_below(&h->r, 4);
    for (size_t i = 0; i < n; i++)
        keys[i] = order == 0 ? h->o->keys[start + i] : order == 1 ? h->o->keys[start + n - 1 - i]
                                                                  : h->shuffled[start + i];
}

static void random_array_update(history *h, size_t n)
{
    uint64_t keys[LONGEST_ARRAY], values[LONGEST_ARRAY];
    distinct_keys(h, n, keys);
    for (size_t i = 0; i < n; i++)
        values[i] = any_value(h);
    if (!rng_percent(&h->r, h->growing ? 70 : 30))
        erase_both(&h->w, h->o, n, keys);
    else if (rng_percent(&h->r, 60))
        put_both(&h->w, h->o, n, keys, values);
    else
        add_both(&h->w, h->o, n, keys, values);
}

static void random_array_query(history *h, size_t n)
{
    uint64_t keys[LONGEST_ARRAY], ends[LONGEST_ARRAY];
    uint32_t limit = (uint32_t)rng_below(&h->r, 20);
    for (size_t i = 0; i < n; i++) {
        keys[i] = any_key(h);
        ends[i] = interval_end(h, keys[i]);
    }
    switch (rng_below(&h->r, 6)) {
    case 0: check_find(&h->w, h->o, n, keys); break;
    case 1: check_succ(&h->w, h->o, n, keys); break;
    case 2: check_pred(&h->w, h->o, n, keys); break;
    case 3: check_range(&h->w, h->o, n, keys, ends, limit); break;
    case 4: check_range_limit(&h->w, h->o, n, keys, ends, limit + 1); break;
    default: check_range_count(&h->w, h->o, n, keys, ends);
    }
}

/* Short arrays often, long ones too: the way an array is shared among workers depends on its length. */
static size_t array_length(history *h)
{
    return 1 + (size_t)rng_below(&h->r, rng_percent(&h->r, 50) ? 40 : LONGEST_ARRAY);
}

static void array_calls(const setting *where, bool narrow, size_t operations, uint64_t part)
{
    history h = begin(where, narrow, part);
    size_t phase = PHASE_LENGTH * h.o->rows, until_turn = phase;
    for (size_t done = 0, n; done < operations; done += n) {
        n = array_length(&h);
        if (rng_percent(&h.r, 65))
            random_array_update(&h, n);
        else
            random_array_query(&h, n);
        until_turn = until_turn > n ? until_turn - n : 0;
        if (!until_turn) {
            assert_same_content(&h.w, h.o);
            h.growing = !h.growing;
            until_turn = phase;
        }
    }
    end(&h);
}

/* ---- everything mixed ------------------------------------------------------------------------------------------ */

static double any_fill(history *h)
{
    return (double)rng_below(&h->r, 11) / 10;
}

static void reload(history *h)
{
    size_t n = (size_t)rng_below(&h->r, h->o->rows);
    FREED uint64_t *values = values_for(n, h->shuffled, h->w.top, rng_next(&h->r));
    uint64_t ignored;
    assert_ok(pleach_map_clear(h->w.map));
    oracle_clear(h->o);
    assert_ok(wide_load(&h->w, n, h->shuffled, values, any_fill(h)));
    for (size_t i = 0; i < n; i++)
        oracle_put(h->o, h->shuffled[i], values[i], &ignored);
}

static void random_whole_map_call(history *h)
{
    switch (rng_below(&h->r, 4)) {
    case 0: reload(h); break;
    case 1: assert_ok(pleach_map_reserve(h->w.map, rng_below(&h->r, 20000))); break;
    case 2: assert_same_content(&h->w, h->o); break;
    default: assert_ok(pleach_map_compact(h->w.map, any_fill(h)));
    }
    h->growing = rng_percent(&h->r, 50);
}

static void mixed_calls(const setting *where, size_t operations)
{
    history h = begin(where, true, 50);
    for (size_t i = 0; i < operations; i++) {
        uint64_t dice = rng_below(&h.r, 1000);
        if (dice == 0)
            random_whole_map_call(&h);
        else if (dice < 30)
            random_array_update(&h, 1 + (size_t)rng_below(&h.r, 100));
        else if (dice < 50)
            random_array_query(&h, 1 + (size_t)rng_below(&h.r, 100));
        else
            random_single_call(&h);
    }
    end(&h);
}

/* ---- cases ----------------------------------------------------------------------------------------------------- */

/* Single calls are few on a GPU; array calls make up for them, and for the one setting of worker threads. */
static size_t array_operations(const setting *where, size_t n)
{
    return scaled(where->device == PLEACH_CUDA ? 4 * n : n);
}

static void single_calls_on_few_keys(const setting *where)
{
    single_calls(where, true, scaled_single_calls(where, 1000000), 10);
}

static void single_calls_on_many_keys(const setting *where)
{
    single_calls(where, false, scaled_single_calls(where, 1000000), 20);
}

static void array_calls_on_few_keys(const setting *where)
{
    array_calls(where, true, array_operations(where, 1100000), 30);
}

static void array_calls_on_many_keys(const setting *where)
{
    array_calls(where, false, array_operations(where, 800000), 40);
}

static void all_calls_mixed(const setting *where)
{
    mixed_calls(where, scaled_single_calls(where, 400000));
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(single_calls_on_few_keys),
        CASE(single_calls_on_many_keys),
        CASE(array_calls_on_few_keys),
        CASE(array_calls_on_many_keys),
        CASE(all_calls_mixed),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
