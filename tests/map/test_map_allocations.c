/* test_map_allocations.c - each call by itself, with each of its allocations failing. test_map_faults.c has whole scripts
 * of calls.
 *
 * Each call is made again and again on the same map, with its first allocation failing, then its second, until it has
 * run without reaching the failing one. What a call that failed left behind is compared with the oracle every time. */
#include <stdlib.h>

#include <base/memory.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

enum { ALLOCATIONS_AT_MOST = 5000 };

/* Everything that a trial needs: enough keys to need several portions of the pool. */
typedef struct trial {
    wide w;
    oracle *o;
    size_t n;
    uint64_t *keys, *values;
} trial;

typedef pleach_status trial_call(trial *t);

static trial trial_begin(const setting *where, size_t n)
{
    rng r = rng_for(test_seed(), 3);
    trial t = {.w = wide_open(where), .n = n};
    t.keys = pattern_keys(RANDOM, n, t.w.top, &r);
    t.values = values_for(n, t.keys, t.w.top, 1);
    t.o = oracle_create(n, t.keys);
    return t;
}

static void trial_end(trial *t)
{
    wide_close(&t->w);
    oracle_destroy(t->o);
    free(t->keys);
    free(t->values);
}

static bool is_memory_failure(pleach_status status)
{
    return status == PLEACH_E_MEMORY || status == PLEACH_E_FULL;
}

/* Runs the call with its n-th allocation failing; *reached tells whether it made so many. */
static pleach_status with_failing_allocation(trial *t, trial_call *call, long n, bool *reached)
{
    base_fail_nth_allocation(n);
    pleach_status status = call(t);
    *reached = base_fail_nth_allocation(0) >= n;
    return status;
}

/* Before each try `prepare` brings map and oracle to the same start. Some allocations may fail without harm (huge
 * pages, for instance), so a call may succeed although one failed; then it must have done its work. */
static void fail_each_allocation(trial *t, trial_call *prepare, trial_call *call)
{
    bool reached = true;
    for (long n = 1; reached; n++) {
        assert_true(n < ALLOCATIONS_AT_MOST);
        assert_ok(prepare(t));
        pleach_status status = with_failing_allocation(t, call, n, &reached);
        if (status != PLEACH_OK)
            assert_true(reached && is_memory_failure(status));
        assert_same_content(&t->w, t->o);
        count_checked(1);
    }
}

static pleach_status start_empty(trial *t)
{
    oracle_clear(t->o);
    return pleach_map_clear(t->w.map);
}

static pleach_status start_filled(trial *t)
{
    pleach_status status = start_empty(t);
    uint64_t ignored;
    for (size_t i = 0; i < t->n; i++)
        oracle_put(t->o, t->keys[i], t->values[i], &ignored);
    return status == PLEACH_OK ? wide_load(&t->w, t->n, t->keys, t->values, 0.5) : status;
}

static pleach_status start_mostly_erased(trial *t)
{
    pleach_status status = start_filled(t);
    uint64_t ignored;
    for (size_t i = 0; i < t->n - t->n / 10; i++)
        oracle_erase(t->o, t->keys[i], &ignored);
    return status == PLEACH_OK ? wide_erase(&t->w, t->n - t->n / 10, t->keys, NULL, NULL) : status;
}

static pleach_status call_put(trial *t)
{
    FREED uint8_t *outcomes = must_alloc(t->n, sizeof *outcomes);
    pleach_status status = wide_put(&t->w, t->n, t->keys, t->values, outcomes, NULL);
    if (status == PLEACH_OK || status == PLEACH_E_FULL) {
        size_t refused = acknowledge(t->o, oracle_put, t->n, t->keys, t->values, outcomes, NULL);
        assert_int_equal(refused > 0, status == PLEACH_E_FULL);
    }
    return status;
}

static pleach_status call_put_without_outcomes(trial *t)
{
    pleach_status status = wide_put(&t->w, t->n, t->keys, t->values, NULL, NULL);
    uint64_t ignored;
    for (size_t i = 0; i < t->n && status == PLEACH_OK; i++)
        oracle_put(t->o, t->keys[i], t->values[i], &ignored);
    if (status == PLEACH_E_FULL) { /* nobody knows what was applied */
        oracle_clear(t->o);
        assert_ok(pleach_map_clear(t->w.map));
    }
    return status;
}

static pleach_status call_erase(trial *t)
{
    pleach_status status = wide_erase(&t->w, t->n / 2, t->keys, NULL, NULL);
    uint64_t ignored;
    for (size_t i = 0; i < t->n / 2 && status == PLEACH_OK; i++)
        oracle_erase(t->o, t->keys[i], &ignored);
    return status;
}

static pleach_status call_find(trial *t)
{
    FREED uint8_t *found = must_alloc(t->n, sizeof *found);
    pleach_status status = wide_find(&t->w, t->n, t->keys, NULL, found);
    for (size_t i = 0; i < t->n && status == PLEACH_OK; i++)
        assert_int_equal(found[i], 1);
    return status;
}

static pleach_status call_range(trial *t)
{
    const uint64_t lo[] = {0, 5}, hi[] = {t->w.top, t->w.top / 2};
    uint64_t offsets[3] = {0};
    FREED uint64_t *keys = must_alloc(2 * t->n, sizeof *keys);
    size_t total = 0;
    pleach_status status = wide_range(&t->w, 2, lo, hi, 0, 2 * t->n, keys, NULL, offsets, &total);
    if (status == PLEACH_OK)
        assert_int_equal(offsets[1], t->n);
    return status;
}

static pleach_status call_range_limit(trial *t)
{
    FREED uint32_t *counts = must_alloc(t->n, sizeof *counts);
    pleach_status status = wide_range_limit(&t->w, t->n, t->keys, t->keys, 3, NULL, NULL, counts);
    for (size_t i = 0; i < t->n && status == PLEACH_OK; i++)
        assert_int_equal(counts[i], 1);
    return status;
}

static pleach_status call_load(trial *t)
{
    pleach_status status = wide_load(&t->w, t->n, t->keys, t->values, 0.7);
    uint64_t ignored;
    for (size_t i = 0; i < t->n && status == PLEACH_OK; i++)
        oracle_put(t->o, t->keys[i], t->values[i], &ignored);
    return status;
}

static pleach_status call_export(trial *t)
{
    FREED uint64_t *keys = must_alloc(t->n, sizeof *keys);
    size_t n = 0;
    pleach_status status = wide_export(&t->w, t->n, keys, NULL, &n);
    if (status == PLEACH_OK)
        assert_int_equal(n, t->o->size);
    return status;
}

static pleach_status call_compact(trial *t)
{
    return pleach_map_compact(t->w.map, 0.9);
}

static pleach_status call_clear(trial *t)
{
    pleach_status status = pleach_map_clear(t->w.map);
    if (status == PLEACH_OK)
        oracle_clear(t->o);
    return status;
}

static pleach_status call_reserve(trial *t)
{
    return pleach_map_reserve(t->w.map, 50 * t->n);
}

static pleach_status call_validate(trial *t)
{
    return pleach_map_validate(t->w.map, NULL, 0);
}

static pleach_status call_stats(trial *t)
{
    pleach_map_stats stats;
    return pleach_map_get_stats(t->w.map, &stats);
}

static pleach_status call_put_one_by_one(trial *t)
{
    for (size_t i = 0; i < 200; i++) {
        uint64_t old;
        pleach_status status = pleach_map_put_one(t->w.map, t->keys[i], t->values[i], NULL, NULL);
        if (status != PLEACH_OK)
            return status;
        oracle_put(t->o, t->keys[i], t->values[i], &old);
    }
    return PLEACH_OK;
}

static void every_allocation_of_array_calls_fails(const setting *where)
{
    trial t = trial_begin(where, shrunk(20000, 2000));
    fail_each_allocation(&t, start_empty, call_put);
    fail_each_allocation(&t, start_filled, call_put);
    fail_each_allocation(&t, start_empty, call_put_without_outcomes);
    fail_each_allocation(&t, start_empty, call_put_one_by_one);
    fail_each_allocation(&t, start_filled, call_erase);
    fail_each_allocation(&t, start_filled, call_find);
    fail_each_allocation(&t, start_filled, call_range);
    fail_each_allocation(&t, start_filled, call_range_limit);
    trial_end(&t);
}

static void every_allocation_of_whole_map_calls_fails(const setting *where)
{
    trial t = trial_begin(where, shrunk(20000, 2000));
    fail_each_allocation(&t, start_empty, call_load);
    fail_each_allocation(&t, start_filled, call_export);
    fail_each_allocation(&t, start_mostly_erased, call_compact);
    fail_each_allocation(&t, start_filled, call_compact);
    fail_each_allocation(&t, start_filled, call_clear);
    fail_each_allocation(&t, start_empty, call_reserve);
    fail_each_allocation(&t, start_filled, call_reserve);
    fail_each_allocation(&t, start_filled, call_validate);
    fail_each_allocation(&t, start_filled, call_stats);
    trial_end(&t);
}

static void every_allocation_of_creation_fails(const setting *where)
{
    pleach_map_config config = config_for(where);
    config.reserve_keys = 10000;
    size_t failures = 0;
    bool reached = true;
    for (long n = 1; reached; n++) {
        pleach_map *map = (pleach_map *)(uintptr_t)64;
        assert_true(n < ALLOCATIONS_AT_MOST);
        base_fail_nth_allocation(n);
        pleach_status status = pleach_map_create(&map, &config);
        reached = base_fail_nth_allocation(0) >= n;
        assert_true(status == PLEACH_OK || (reached && status == PLEACH_E_MEMORY));
        assert_int_equal(map == NULL, status != PLEACH_OK);
        failures += status != PLEACH_OK;
        pleach_map_destroy(map);
        count_checked(1);
    }
    assert_true(failures > 0); /* a map cannot come from nothing: else the injection does not work */
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(every_allocation_of_array_calls_fails),
        CASE(every_allocation_of_whole_map_calls_fails),
        CASE(every_allocation_of_creation_fails),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
