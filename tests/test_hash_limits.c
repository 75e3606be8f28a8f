/* test_hash_limits.c - memory that is not there: a pool at its limit, at every size, and allocations that fail. The
 * table is valid, holds what was acknowledged and nothing else, and works again when there is room. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/agents.h"
#include "support/buffers.h"
#include "support/compare.h"
#include "support/harness.h"
#include "support/hashes.h"
#include "support/patterns.h"

enum { SLAB = 128, LEAST_SLABS = 8 };

static hashed open_limited(const setting *where, bool set, uint64_t slabs)
{
    pleach_hash_config config = hash_config_for(where, set);
    config.max_bytes = slabs * SLAB;
    return hashed_open_as(&config);
}

/* More than so many slabs have room for. */
static size_t more_than_fit(const hashed *h, uint64_t slabs)
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
    uint8_t *outcomes = untouched_bytes(n);
    uint64_t *olds = untouched_words(n, h->top);
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
    free(outcomes), free(olds);
    return refused;
}

/* Half of what is there is erased, which always works; some of it fits again. */
static void assert_room_after_erasing(const hashed *h, oracle *o, size_t n, const uint64_t *keys)
{
    size_t erased = 0, back = 0;
    uint64_t *gone = must_alloc(n, sizeof *gone);
    for (size_t i = 0; i < n; i++)
        if (oracle_find(o, keys[i], NULL) && i % 2) gone[erased++] = keys[i];
    hash_erase_both(h, o, erased, gone);
    assert_same_hash(h, o);
    for (size_t i = 0; i < erased; i++) back += !put_refused(h, o, gone[i], i & h->top);
    assert_true(back >= erased / 2);
    assert_same_hash(h, o);
    free(gone);
}

/* What is there can be given new values without any memory. */
static void assert_values_can_change(const hashed *h, oracle *o)
{
    uint64_t *keys = must_alloc(o->size + 1, sizeof *keys), *values = must_alloc(o->size + 1, sizeof *values);
    size_t n = oracle_range(o, 0, UINT64_MAX, 0, keys, values);
    hash_put_both(h, o, n, keys, keys);
    hash_add_both(h, o, n, keys, values);
    free(keys), free(values);
}

static void fill_and_empty(const hashed *h, uint64_t slabs, bool of_one_bucket, bool by_array, rng *r)
{
    size_t n = more_than_fit(h, slabs), refused = 0;
    uint64_t *keys = of_one_bucket ? colliding_keys(h, n) : pattern_keys(RANDOM, n, h->top, r);
    uint64_t *values = values_for(n, keys, h->top, 1);
    oracle *o = oracle_create(n, keys);
    for (size_t i = 0; i < n && !by_array; i++) refused += put_refused(h, o, keys[i], values[i]);
    if (by_array) refused = put_array(h, o, n, keys, values);
    assert_true(refused > 0);
    assert_same_hash(h, o);
    assert_true(hashed_bytes(h) <= slabs * SLAB);
    assert_values_can_change(h, o);
    assert_room_after_erasing(h, o, n, keys);
    assert_ok(pleach_hash_clear(h->hash));
    oracle_clear(o);
    assert_same_hash(h, o);
    oracle_destroy(o);
    free(keys), free(values);
}

static void at_every_limit(const setting *where, bool set, bool of_one_bucket, bool by_array)
{
    for (uint64_t slabs = LEAST_SLABS; slabs < shrunk(300, 60); slabs += slabs < 80 ? 1 : 17) {
        rng r = rng_for(test_seed(), slabs);
        hashed h = open_limited(where, set, slabs);
        fill_and_empty(&h, slabs, of_one_bucket, by_array, &r);
        fill_and_empty(&h, slabs, of_one_bucket, !by_array, &r); /* once more, in the memory that it gave back */
        hashed_close(&h);
    }
}

static void fills_up(const setting *where, bool set)
{
    at_every_limit(where, set, false, false);
    at_every_limit(where, set, false, true);
}

/* A bucket that takes most of the memory cannot be copied: growth begins, and comes to no end. */
static void fills_up_in_one_bucket(const setting *where, bool set) { at_every_limit(where, set, true, false); }

/* Growth that was not finished for lack of memory is, once there is some. */
static void unfinished_growth_is_finished(const setting *where, bool set)
{
    uint64_t slabs = 64;
    size_t unfinished = 0;
    for (; slabs < 300; slabs += 4) {
        hashed h = open_limited(where, set, slabs);
        size_t n = more_than_fit(&h, slabs);
        uint64_t *keys = colliding_keys(&h, n);
        oracle *o = oracle_create(n, keys);
        for (size_t i = 0; i < n; i++) put_refused(&h, o, keys[i], i & h.top);
        pleach_hash_stats stats = hashed_stats(&h);
        bool growing = stats.slabs > stats.buckets + stats.overflow_slabs;
        unfinished += growing;
        assert_same_hash(&h, o);
        if (growing) {
            hash_erase_both(&h, o, n * 3 / 4, keys);
            assert_ok(pleach_hash_compact(h.hash));
            stats = hashed_stats(&h);
            assert_true(stats.moved_buckets == 0);
            assert_same_hash(&h, o);
        }
        oracle_destroy(o);
        free(keys);
        hashed_close(&h);
    }
    assert_true(unfinished > 0);
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
    c.each = more_than_fit(&c.h, slabs) / agents + 1;
    size_t n = c.each * agents;
    c.keys = of_one_bucket ? colliding_keys(&c.h, n) : pattern_keys(RANDOM, n, c.h.top, r);
    c.outcomes = untouched_bytes(n);
    oracle *o = oracle_create(n, c.keys);
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
    oracle_destroy(o);
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

/* The n-th allocation of all these calls fails; false: there were fewer. Every call that cannot be carried out says so,
 * and has changed nothing. */
static bool calls_with_a_failure(const setting *where, bool set, long nth)
{
    pleach_hash_config config = hash_config_for(where, set);
    hashed h = {NULL, where->key_bits, set, where->key_bits == 32 ? UINT32_MAX : UINT64_MAX, config.seed};
    uint64_t keys[600], size = 0;
    pleach_hash_stats stats;
    pleach_status status[6] = {PLEACH_OK};
    size_t failures = 0;
    for (size_t i = 0; i < COUNT_OF(keys); i++) keys[i] = i * i;
    oracle *o = oracle_create(COUNT_OF(keys), keys);
    base_fail_nth_allocation(nth);
    status[0] = pleach_hash_create(&h.hash, &config);
    if (status[0] != PLEACH_OK) {
        assert_null(h.hash);
        base_fail_nth_allocation(0);
        assert_ok(pleach_hash_create(&h.hash, &config));
    }
    hash_put_both(&h, o, COUNT_OF(keys), keys, keys); /* these need none of this memory, so they cannot fail */
    hash_erase_both(&h, o, COUNT_OF(keys) / 2, keys);
    status[1] = pleach_hash_reserve(h.hash, 5000);
    status[2] = pleach_hash_compact(h.hash);
    status[3] = pleach_hash_get_stats(h.hash, &stats);
    status[4] = pleach_hash_validate(h.hash, NULL, 0);
    assert_ok(pleach_hash_size(h.hash, &size));
    assert_int_equal(size, o->size);
    hash_check_find(&h, o, o->rows, o->keys);
    status[5] = pleach_hash_clear(h.hash);
    base_fail_nth_allocation(0);
    for (size_t i = 0; i < COUNT_OF(status); i++) {
        assert_true(status[i] == PLEACH_OK || status[i] == PLEACH_E_MEMORY);
        failures += status[i] != PLEACH_OK;
    }
    assert_true(failures <= 1);
    if (status[5] == PLEACH_OK) oracle_clear(o);
    assert_same_hash(&h, o);
    hash_put_both(&h, o, COUNT_OF(keys), keys, keys);
    assert_same_hash(&h, o);
    oracle_destroy(o);
    hashed_close(&h);
    return failures > 0;
}

static void allocations_fail_in_turn(const setting *where, bool set)
{
    const long held = base_held();
    long nth = 1;
    while (calls_with_a_failure(where, set, nth)) {
        assert_int_equal(base_held(), held);
        nth++;
    }
    assert_int_equal(base_held(), held);
    assert_true(nth > 10); /* create and the others have so many between them */
}

#define BOTH(name)                                                                                               \
    static void name##_in_maps_and_sets(const setting *where) { with_map_and_set(where, name); }

BOTH(fills_up)
BOTH(fills_up_in_one_bucket)
BOTH(unfinished_growth_is_finished)
BOTH(threads_run_out_together)
BOTH(allocations_fail_in_turn)

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(fills_up_in_maps_and_sets),
        CASE(fills_up_in_one_bucket_in_maps_and_sets),
        CASE(unfinished_growth_is_finished_in_maps_and_sets),
        CASE(threads_run_out_together_in_maps_and_sets),
        CASE(allocations_fail_in_turn_in_maps_and_sets),
    };
    return run_hash_cases(argc, argv, cases, COUNT_OF(cases));
}
