/* test_hash_limits.c - memory that is not there: a pool at its limit, at every size, and allocations that fail. The
 * table is valid, holds what was acknowledged and nothing else, and works again when there is room. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/hashes.h"
#include "testkit/patterns.h"

enum { SLAB = 128, LEAST_SLABS = 8 };

static hashed open_limited(const setting *where, bool set, uint64_t slabs)
{
    pleach_hash_config config = hash_config_for(where, set);
    config.max_bytes = slabs * SLAB;
    return hashed_open_as(&config);
}

/* More than so many slabs have room for. */
static size_t more_keys_than_fit(const hashed *h, uint64_t slabs)
{
    return (size_t)slabs * (h->set ? 2 : 1) * 7 * 64 / h->key_bits + 20;
}

/* ---- at the limit ---- */

/* One put; answers whether it was refused, which status and outcome say alike. */
static bool put_refused(const hashed *h, oracle *o, uint64_t key, uint64_t value)
{
    pleach_outcome outcome = PLEACH_ABSENT;
    uint64_t old = 1, expected_old = 1;
    pleach_status status = pleach_hash_put_one(h->hash, key, value, &outcome, &old);
    count_checked(1);
    if (status == PLEACH_OK) {
        assert_int_equal(outcome, oracle_put(o, key, kept_value(h, value), &expected_old));
        assert_int_equal(old, expected_old);
        return false;
    }
    assert_int_equal(status, PLEACH_E_FULL);
    assert_int_equal(outcome, PLEACH_NOT_APPLIED);
    assert_int_equal(old, 1);
    assert_false(oracle_find(o, key, NULL));
    return true;
}

/* All of them by one array call; answers how many were refused. */
static size_t put_array(const hashed *h, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values)
{
    FREED uint8_t *outcomes = untouched_bytes(n);
    FREED uint64_t *olds = untouched_words(n, h->top);
    size_t refused = 0;
    pleach_status status = hashed_put(h, n, keys, values, outcomes, olds);
    for (size_t i = 0; i < n; i++) {
        uint64_t old = olds[i];
        if (outcomes[i] == PLEACH_NOT_APPLIED) {
            assert_false(oracle_find(o, keys[i], NULL));
            refused++;
            continue;
        }
        assert_int_equal(outcomes[i], oracle_put(o, keys[i], kept_value(h, values[i]), &old));
        assert_true(h->set || olds[i] == old);
    }
    assert_int_equal(status, refused ? PLEACH_E_FULL : PLEACH_OK);
    return refused;
}

/* One after the other; where a single call is a kernel, in arrays of a few. Answers how many were refused. */
static size_t put_in_turn(const hashed *h, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values)
{
    const size_t at_once = h->device == PLEACH_CPU ? 1 : 23;
    size_t refused = 0;
    for (size_t i = 0; i < n; i += at_once) {
        size_t few = n - i < at_once ? n - i : at_once;
        refused += few == 1 ? put_refused(h, o, keys[i], values[i]) : put_array(h, o, few, keys + i, values + i);
    }
    return refused;
}

/* Half of what is there is erased, which always works; some of it fits again. */
static void assert_room_after_erasing(const hashed *h, oracle *o, size_t n, const uint64_t *keys)
{
    size_t erased = 0, back;
    FREED uint64_t *gone = must_alloc(n, sizeof *gone);
    for (size_t i = 0; i < n; i++)
        if (oracle_find(o, keys[i], NULL) && i % 2) gone[erased++] = keys[i];
    hash_erase_both(h, o, erased, gone);
    assert_same_hash(h, o);
    FREED uint64_t *values = values_for(erased, gone, h->top, 2);
    back = erased - put_in_turn(h, o, erased, gone, values);
    assert_true(back >= erased / 2);
    assert_same_hash(h, o);
}

/* What is there can be given new values without any memory. */
static void assert_values_can_change(const hashed *h, oracle *o)
{
    FREED uint64_t *keys = must_alloc(o->size + 1, sizeof *keys), *values = must_alloc(o->size + 1, sizeof *values);
    size_t n = oracle_range(o, 0, UINT64_MAX, 0, keys, values);
    hash_put_both(h, o, n, keys, keys);
    hash_add_both(h, o, n, keys, values);
}

static void fill_and_empty(const hashed *h, uint64_t slabs, bool of_one_bucket, bool by_array, rng *r)
{
    size_t n = more_keys_than_fit(h, slabs), refused;
    FREED uint64_t *keys = of_one_bucket ? colliding_keys(h, n) : pattern_keys(RANDOM, n, h->top, r);
    FREED uint64_t *values = values_for(n, keys, h->top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    refused = (by_array ? put_array : put_in_turn)(h, o, n, keys, values);
    assert_true(refused > 0);
    assert_same_hash(h, o);
    assert_true(hashed_bytes(h) <= slabs * SLAB);
    assert_values_can_change(h, o);
    assert_room_after_erasing(h, o, n, keys);
    assert_ok(pleach_hash_clear(h->hash));
    oracle_clear(o);
    assert_same_hash(h, o);
}

static void at_every_limit(const setting *where, bool set, bool of_one_bucket, bool by_array)
{
    uint64_t step = where->device == PLEACH_CPU ? 1 : 17; /* where a single call is a kernel, not at all of them */
    for (uint64_t slabs = LEAST_SLABS; slabs < shrunk(150, 60); slabs += slabs < 36 ? step : 13 * step) {
        rng r = rng_for(test_seed(), slabs);
        AT_END(hashed_close) hashed h = open_limited(where, set, slabs);
        fill_and_empty(&h, slabs, of_one_bucket, by_array, &r);
        fill_and_empty(&h, slabs, of_one_bucket, !by_array, &r); /* once more, in the memory that it gave back */
    }
}

static void fills_up(const setting *where, bool set)
{
    at_every_limit(where, set, false, false);
    at_every_limit(where, set, false, true);
}

static void fills_up_in_one_bucket(const setting *where, bool set) { at_every_limit(where, set, true, false); }

/* A table of 64 buckets, with memory for 128 more and hardly anything beside: growth begins, and a bucket with a long
 * chain cannot be copied, so it comes to no end. All else works as ever, and so does growth when there is room. */
static bool growth_without_end(const setting *where, bool set, uint64_t slabs)
{
    pleach_hash_config config = hash_config_for(where, set);
    config.max_bytes = slabs * SLAB;
    config.reserve_keys = more_keys_than_fit(&(hashed){.key_bits = where->key_bits, .set = set}, 32);
    AT_END(hashed_close) hashed h = hashed_open_as(&config);
    size_t n = more_keys_than_fit(&h, slabs);
    FREED uint64_t *keys = colliding_keys(&h, n);
    FREED uint64_t *values = values_for(n, keys, h.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    assert_int_equal(hashed_stats(&h).buckets, 64);
    put_in_turn(&h, o, n, keys, values);
    pleach_hash_stats stats = hashed_stats(&h);
    bool growing = stats.slabs > stats.buckets + stats.overflow_slabs;
    assert_same_hash(&h, o);
    assert_room_after_erasing(&h, o, n, keys);
    bool stuck = growing && hashed_stats(&h).buckets == 64;
    hash_erase_both(&h, o, n * 3 / 4, keys);
    assert_ok(pleach_hash_compact(h.hash));
    assert_same_hash(&h, o);
    return stuck;
}

static void growth_that_cannot_be_finished(const setting *where, bool set)
{
    size_t stuck = 0;
    const uint64_t step = where->device == PLEACH_CPU ? 3 : 6;
    for (uint64_t slabs = 196; slabs < 226; slabs += step) stuck += growth_without_end(where, set, slabs);
    assert_true(stuck > 0);
}

/* ---- several threads run out together ---- */

typedef struct crowd {
    hashed h;
    size_t each;
    bool in_arrays;
    uint64_t *keys; /* of agent i: `each` of them from i * each on */
    uint8_t *outcomes;
} crowd;

static void put_own(agent *a)
{
    const crowd *c = a->shared;
    size_t from = a->index * c->each, refused = 0;
    if (c->in_arrays) {
        pleach_status status = hashed_put(&c->h, c->each, c->keys + from, c->keys + from, c->outcomes + from, NULL);
        for (size_t i = from; i < from + c->each; i++) refused += c->outcomes[i] == PLEACH_NOT_APPLIED;
        EXPECT(a, status == (refused ? PLEACH_E_FULL : PLEACH_OK));
        return;
    }
    for (size_t i = from; i < from + c->each; i++) {
        pleach_outcome outcome = PLEACH_ABSENT;
        int found = -1;
        pleach_status status = pleach_hash_put_one(c->h.hash, c->keys[i], c->keys[i], &outcome, NULL);
        EXPECT(a, outcome == (status == PLEACH_OK ? PLEACH_INSERTED : PLEACH_NOT_APPLIED));
        EXPECT(a, status == PLEACH_OK || status == PLEACH_E_FULL);
        c->outcomes[i] = (uint8_t)outcome;
        EXPECT_OK(a, pleach_hash_find_one(c->h.hash, c->keys[i], &found, NULL));
        EXPECT(a, found == (status == PLEACH_OK));
    }
    count_checked(2 * c->each);
}

static void crowd_runs_out(const setting *where, bool set, uint64_t slabs, bool in_arrays, bool of_one_bucket, rng *r)
{
    size_t agents = calling_threads(), refused = 0;
    crowd c = {.h = open_limited(where, set, slabs), .in_arrays = in_arrays};
    c.each = more_keys_than_fit(&c.h, slabs) / agents + 1;
    size_t n = c.each * agents;
    c.keys = of_one_bucket ? colliding_keys(&c.h, n) : pattern_keys(RANDOM, n, c.h.top, r);
    c.outcomes = untouched_bytes(n);
    AT_END(end_oracle) oracle *o = oracle_create(n, c.keys);
    run_agents(agents, put_own, &c);
    for (size_t i = 0; i < n; i++) {
        uint64_t old;
        if (c.outcomes[i] == PLEACH_NOT_APPLIED)
            refused++;
        else
            oracle_put(o, c.keys[i], kept_value(&c.h, c.keys[i]), &old);
    }
    assert_true(refused > 0);
    assert_same_hash(&c.h, o);
    assert_room_after_erasing(&c.h, o, n, c.keys);
    free(c.keys), free(c.outcomes);
    hashed_close(&c.h);
}

static void threads_run_out_together(const setting *where, bool set)
{
    static const uint64_t limits[] = {8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 64, 100, 128, 129, 200};
    rng r = rng_for(test_seed(), 5);
    for (size_t round = 0; round < scaled(4); round++)
        for (size_t i = 0; i < COUNT_OF(limits); i++)
            crowd_runs_out(where, set, limits[i], round % 2, round % 4 == 2, &r);
}

/* ---- allocations that fail ---- */

typedef struct script {
    hashed h;
    oracle *o;
    pleach_hash_config config;
    uint64_t keys[600];
    long asked; /* for memory so far */
} script;

/* Creation, which may fail; then it is tried again, with memory. */
static void begin(script *s, long nth)
{
    base_fail_nth_allocation(nth);
    pleach_status status = pleach_hash_create(&s->h.hash, &s->config);
    if (status == PLEACH_OK) return;
    assert_int_equal(status, PLEACH_E_MEMORY);
    assert_null(s->h.hash);
    s->asked += base_fail_nth_allocation(0);
    assert_ok(pleach_hash_create(&s->h.hash, &s->config));
}

/* Arrays on their way to a GPU need memory of their own. Answers how many of the calls failed. */
static size_t updates_fail(script *s, size_t n)
{
    FREED uint8_t *outcomes = untouched_bytes(n);
    uint64_t old;
    pleach_status put = hashed_put(&s->h, n, s->keys, s->keys, outcomes, NULL);
    for (size_t i = 0; put == PLEACH_OK && i < n; i++)
        assert_int_equal(outcomes[i], oracle_put(s->o, s->keys[i], kept_value(&s->h, s->keys[i]), &old));
    pleach_status erased = hashed_erase(&s->h, n / 2, s->keys, outcomes, NULL);
    for (size_t i = 0; erased == PLEACH_OK && i < n / 2; i++)
        assert_int_equal(outcomes[i], oracle_erase(s->o, s->keys[i], &old));
    assert_true(put == PLEACH_OK || put == PLEACH_E_MEMORY);
    assert_true(erased == PLEACH_OK || erased == PLEACH_E_MEMORY);
    return (put != PLEACH_OK) + (erased != PLEACH_OK);
}

/* Those that cannot be carried out say so, and have changed nothing. Answers how many. */
static size_t call_all(script *s)
{
    pleach_hash_stats stats;
    uint64_t size = 0;
    size_t n = COUNT_OF(s->keys), failures = 0;
    bool on_cpu = s->h.device == PLEACH_CPU;
    if (on_cpu) {
        hash_put_both(&s->h, s->o, n, s->keys, s->keys); /* what these need is the pool's */
        hash_erase_both(&s->h, s->o, n / 2, s->keys);
    } else {
        failures += updates_fail(s, n);
    }
    pleach_status status[] = {pleach_hash_reserve(s->h.hash, 5000), pleach_hash_compact(s->h.hash),
                              pleach_hash_get_stats(s->h.hash, &stats), pleach_hash_validate(s->h.hash, NULL, 0),
                              pleach_hash_size(s->h.hash, &size)};
    assert_true(size == s->o->size || (!on_cpu && status[4] != PLEACH_OK));
    if (on_cpu) hash_check_find(&s->h, s->o, s->o->rows, s->o->keys);
    pleach_status cleared = pleach_hash_clear(s->h.hash);
    if (cleared == PLEACH_OK) oracle_clear(s->o);
    for (size_t i = 0; i < COUNT_OF(status); i++) {
        assert_true(status[i] == PLEACH_OK || status[i] == PLEACH_E_MEMORY);
        failures += status[i] != PLEACH_OK;
    }
    assert_true(cleared == PLEACH_OK || cleared == PLEACH_E_MEMORY);
    return failures + (cleared != PLEACH_OK);
}

/* The n-th allocation of all these calls fails, with 0 none; answers how many there were. */
static long calls_with_a_failure(const setting *where, bool set, long nth)
{
    script s = {.config = hash_config_for(where, set)};
    s.h = (hashed){.device = where->device, .key_bits = where->key_bits, .set = set, .seed = s.config.seed};
    s.h.top = where->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    for (size_t i = 0; i < COUNT_OF(s.keys); i++) s.keys[i] = i * i;
    s.o = oracle_create(COUNT_OF(s.keys), s.keys);
    begin(&s, nth);
    size_t failures = call_all(&s);
    assert_true(failures <= 1 && (nth > 0 || failures == 0));
    s.asked += base_fail_nth_allocation(0);
    assert_same_hash(&s.h, s.o);
    hash_put_both(&s.h, s.o, COUNT_OF(s.keys), s.keys, s.keys);
    assert_same_hash(&s.h, s.o);
    oracle_destroy(s.o);
    hashed_close(&s.h);
    return s.asked;
}

static void allocations_fail_in_turn(const setting *where, bool set)
{
    const long held = base_held(), all = calls_with_a_failure(where, set, 0);
    assert_int_equal(base_held(), held);
    assert_true(all >= 10); /* 4 to create it, 2 each to reserve, compact and clear, 1 each to look at it */
    for (long nth = 1; nth <= all; nth++) {
        calls_with_a_failure(where, set, nth);
        assert_int_equal(base_held(), held);
    }
}

static const test_case cases[] = {
    IN_MAPS_AND_SETS(fills_up),
    IN_MAPS_AND_SETS(fills_up_in_one_bucket),
    IN_MAPS_AND_SETS(growth_that_cannot_be_finished),
    IN_MAPS_AND_SETS(threads_run_out_together),
    IN_MAPS_AND_SETS(allocations_fail_in_turn),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
