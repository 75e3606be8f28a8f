/* test_hash_random.c - hash tables against an oracle: random calls of all kinds; growth from nothing to a million keys
 * and back, with the memory that it takes; keys that share a bucket; seeds. */
#include <stdlib.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/hashes.h"
#include "testkit/patterns.h"
#include "testkit/random.h"

enum { MOST_IN_CALL = 600 };

typedef struct trial {
    hashed h;
    oracle *o;
    rng r;
    unsigned erases; /* percent of the updates: changes, so that the table swells and shrinks */
} trial;

/* ---- random calls ---- */

static uint64_t some_key(trial *t) { return t->o->keys[rng_below(&t->r, t->o->rows)]; }

static void update_one(trial *t)
{
    uint64_t key = some_key(t), value = rng_next(&t->r) & t->h.top, old = 7, expected_old = 7;
    uint64_t kept = kept_value(&t->h, value);
    pleach_outcome got = PLEACH_NOT_APPLIED, expected;
    if (rng_percent(&t->r, t->erases)) {
        assert_ok(pleach_hash_erase_one(t->h.hash, key, &got, &old));
        expected = oracle_erase(t->o, key, &expected_old);
    } else if (rng_percent(&t->r, 50)) {
        assert_ok(pleach_hash_put_one(t->h.hash, key, value, &got, &old));
        expected = oracle_put(t->o, key, kept, &expected_old);
    } else {
        assert_ok(pleach_hash_add_one(t->h.hash, key, value, &got, &old));
        expected = oracle_add(t->o, key, kept, &expected_old);
    }
    assert_int_equal(got, expected);
    assert_int_equal(old, expected_old);
}

static void find_one(trial *t)
{
    uint64_t key = rng_percent(&t->r, 90) ? some_key(t) : rng_next(&t->r) & t->h.top, value = 7, expected_value = 7;
    int found = -1;
    assert_ok(pleach_hash_find_one(t->h.hash, key, &found, &value));
    assert_int_equal(found, oracle_find(t->o, key, &expected_value));
    assert_int_equal(value, expected_value);
}

/* Distinct keys: a stretch of the universe, which is no order to a hash table, or every so many of it. */
static size_t some_keys(trial *t, uint64_t *keys, uint64_t *values)
{
    size_t n = 1 + (size_t)rng_below(&t->r, MOST_IN_CALL), rows = t->o->rows;
    size_t step = 1 + (size_t)rng_below(&t->r, rows / n + 1), at = (size_t)rng_below(&t->r, rows);
    if (n > rows / step) n = rows / step;
    for (size_t i = 0; i < n; i++) {
        keys[i] = t->o->keys[(at + i * step) % rows];
        values[i] = rng_next(&t->r) & t->h.top;
    }
    return n;
}

static void call_array(trial *t)
{
    uint64_t keys[MOST_IN_CALL], values[MOST_IN_CALL];
    size_t n = some_keys(t, keys, values);
    if (rng_percent(&t->r, 30))
        hash_check_find(&t->h, t->o, n, keys);
    else if (rng_percent(&t->r, t->erases))
        hash_erase_both(&t->h, t->o, n, keys);
    else if (rng_percent(&t->r, 50))
        hash_put_both(&t->h, t->o, n, keys, values);
    else
        hash_add_both(&t->h, t->o, n, keys, values);
}

static void call_whole(trial *t)
{
    uint64_t dice = rng_below(&t->r, 100);
    if (dice < 30)
        assert_ok(pleach_hash_reserve(t->h.hash, rng_below(&t->r, 4 * t->o->rows)));
    else if (dice < 60)
        assert_ok(pleach_hash_compact(t->h.hash));
    else if (dice < 65) {
        assert_ok(pleach_hash_clear(t->h.hash));
        oracle_clear(t->o);
    } else if (dice < 90)
        assert_valid_hash(&t->h);
    else
        assert_same_hash(&t->h, t->o);
    assert_int_equal(hashed_stats(&t->h).keys, t->o->size);
}

static void call_something(trial *t)
{
    uint64_t dice = rng_below(&t->r, 10000);
    if (dice < 10)
        t->erases = 20 + (unsigned)rng_below(&t->r, 61);
    if (dice < 30)
        call_whole(t);
    else if (dice < 400)
        call_array(t);
    else if (dice < 3000)
        find_one(t);
    else
        update_one(t);
}

static void random_calls(const setting *where, bool set, size_t rows, size_t calls)
{
    trial t = {.h = hashed_open(where, set), .r = rng_for(test_seed(), rows), .erases = 40};
    FREED uint64_t *keys = pattern_keys(rows % 2 ? RANDOM : EXTREMES, rows, t.h.top, &t.r);
    t.o = oracle_create(rows, keys);
    for (size_t i = 0; i < calls; i++) call_something(&t);
    assert_same_hash(&t.h, t.o);
    count_checked(calls);
    oracle_destroy(t.o);
    hashed_close(&t.h);
}

static void random_calls_on_few_keys(const setting *where, bool set)
{
    random_calls(where, set, 40, scaled_single_calls(where, 60000));
}

static void random_calls_on_some_keys(const setting *where, bool set)
{
    random_calls(where, set, 2001, scaled_single_calls(where, 60000));
}

static void random_calls_on_many_keys(const setting *where, bool set)
{
    random_calls(where, set, 30000, scaled_single_calls(where, 40000));
}

/* ---- a million keys, and back ---- */

typedef struct swell {
    hashed h;
    size_t most, portion;
} swell;

static uint64_t nth_key(const hashed *h, size_t i) { return mix64(i) & h->top; } /* not all are distinct */

typedef pleach_status whole_call(const hashed *h, size_t n, const uint64_t *keys, uint8_t *outcomes);

static pleach_status add_all(const hashed *h, size_t n, const uint64_t *keys, uint8_t *outcomes)
{
    return hashed_add(h, n, keys, keys, outcomes, NULL);
}

static pleach_status erase_all(const hashed *h, size_t n, const uint64_t *keys, uint8_t *outcomes)
{
    return hashed_erase(h, n, keys, outcomes, NULL);
}

/* Keys begin .. end-1 by one array call; answers how many of them had the wanted outcome. */
static size_t call_on(const swell *s, whole_call *call, size_t begin, size_t end, uint8_t wanted)
{
    size_t n = end - begin, count = 0;
    FREED uint64_t *keys = must_alloc(n, sizeof *keys);
    FREED uint8_t *outcomes = untouched_bytes(n);
    for (size_t i = 0; i < n; i++) keys[i] = nth_key(&s->h, begin + i);
    assert_ok(call(&s->h, n, keys, outcomes));
    for (size_t i = 0; i < n; i++) count += outcomes[i] == wanted;
    return count;
}

static size_t slots_of(const hashed *h) { return (h->set ? 2u : 1u) * 7 * 64 / h->key_bits; }

/* What the figures must be whatever the keys are. */
static void assert_plausible(const swell *s, uint64_t keys)
{
    pleach_hash_stats stats = hashed_stats(&s->h);
    double slots = (double)(stats.slabs * slots_of(&s->h));
    assert_int_equal(stats.keys, keys);
    assert_true(stats.buckets && (stats.buckets & (stats.buckets - 1)) == 0);
    assert_int_equal(stats.slab_bytes, 128 * stats.slabs);
    assert_true(stats.slabs == stats.buckets + stats.overflow_slabs + (stats.moved_buckets ? 2 * stats.buckets : 0) ||
                (!stats.moved_buckets && stats.slabs == 3 * stats.buckets + stats.overflow_slabs));
    assert_true(stats.moved_buckets < stats.buckets && stats.longest_chain >= 1 && stats.longest_chain < 20);
    assert_true(stats.utilisation * slots > (double)keys - 0.5 && stats.utilisation * slots < (double)keys + 0.5);
}

/* Chains are short, and not much is empty, as long as nothing is erased. */
static void assert_well_filled(const swell *s)
{
    pleach_hash_stats stats = hashed_stats(&s->h);
    if (stats.moved_buckets) return; /* between two sizes it has both */
    assert_true(stats.overflow_slabs <= stats.buckets / 8 + 2);
    assert_true(stats.keys < 1000 || (stats.utilisation > 0.3 && stats.utilisation < 0.9));
}

static uint64_t insert_portions(const swell *s, bool for_the_first_time)
{
    uint64_t keys = 0;
    for (size_t at = 0; at < s->most; at += s->portion) {
        keys += call_on(s, add_all, at, at + s->portion, PLEACH_INSERTED);
        assert_plausible(s, keys);
        if (for_the_first_time) assert_well_filled(s);
    }
    return keys;
}

static void erase_portions(const swell *s, uint64_t keys)
{
    for (size_t at = 0; at < s->most; at += s->portion) {
        keys -= call_on(s, erase_all, at, at + s->portion, PLEACH_ERASED);
        assert_plausible(s, keys);
    }
    assert_int_equal(keys, 0);
}

static void grows_to_a_million_and_back(const setting *where, bool set)
{
    swell s = {.h = hashed_open(where, set), .most = shrunk(where->threads > 1 ? 1000000 : 250000, 20000)};
    s.portion = s.most / 8;
    s.most = 8 * s.portion;
    uint64_t keys = insert_portions(&s, true), bytes = hashed_bytes(&s.h), once_more;
    erase_portions(&s, keys);
    pleach_hash_stats empty = hashed_stats(&s.h);
    assert_int_equal(empty.overflow_slabs, 0); /* slabs of chains that are empty are free again */
    assert_int_equal(hashed_bytes(&s.h), bytes);
    once_more = insert_portions(&s, false);
    assert_int_equal(once_more, keys);
    assert_true(hashed_bytes(&s.h) <= bytes + bytes / 100);
    erase_portions(&s, keys);
    assert_ok(pleach_hash_compact(s.h.hash));
    assert_true(hashed_bytes(&s.h) <= 1024);
    hashed_close(&s.h);
}

/* Half of it erased: compact halves the memory, and clear leaves nothing. */
static void memory_is_given_back(const setting *where, bool set)
{
    swell s = {.h = hashed_open(where, set), .most = shrunk(400000, 20000)};
    uint64_t keys = call_on(&s, add_all, 0, s.most, PLEACH_INSERTED), bytes = hashed_bytes(&s.h);
    keys -= call_on(&s, erase_all, 0, s.most * 3 / 4, PLEACH_ERASED);
    assert_int_equal(hashed_bytes(&s.h), bytes);
    assert_ok(pleach_hash_compact(s.h.hash));
    assert_plausible(&s, keys);
    assert_true(hashed_bytes(&s.h) * 2 <= bytes);
    pleach_hash_stats stats = hashed_stats(&s.h);
    assert_true(stats.utilisation > 0.28 && stats.utilisation <= 0.6);
    assert_ok(pleach_hash_clear(s.h.hash));
    assert_plausible(&s, 0);
    assert_true(hashed_bytes(&s.h) <= 1024);
    hashed_close(&s.h);
}

/* Whatever its size, and however it came to it: as it has grown, in the middle of growing, and once more. */
static void compact_never_makes_it_larger(const setting *where, bool set)
{
    swell s = {.h = hashed_open(where, set), .most = shrunk(200000, 20000)};
    uint64_t keys = 0;
    size_t fuller = 0;
    for (size_t at = 0, end; at < s.most; at = end) {
        end = at + at / 7 + 100;
        keys += call_on(&s, add_all, at, end, PLEACH_INSERTED);
        pleach_hash_stats before = hashed_stats(&s.h);
        uint64_t bytes = hashed_bytes(&s.h);
        fuller += !before.moved_buckets && before.utilisation > 0.55;
        for (size_t again = 0; again < 2; again++) {
            assert_ok(pleach_hash_compact(s.h.hash));
            assert_plausible(&s, keys);
            pleach_hash_stats after = hashed_stats(&s.h);
            assert_true(after.slabs <= before.slabs && after.utilisation >= before.utilisation);
            assert_true(hashed_bytes(&s.h) <= bytes);
            assert_int_equal(after.free_bytes + after.moved_buckets, 0);
            before = after, bytes = hashed_bytes(&s.h);
        }
    }
    assert_true(fuller > 0 || where->device != PLEACH_CPU); /* on a GPU the host has tables grown earlier */
    assert_int_equal(call_on(&s, add_all, 0, s.most, PLEACH_EXISTS), s.most);
    hashed_close(&s.h);
}

/* Nor where growth shortens no chain: a copy does not grow on account of its chains. */
static void compact_makes_one_long_chain_no_larger(const setting *where, bool set)
{
    hashed h = hashed_open(where, set);
    size_t n = shrunk(3000, 1000);
    uint64_t *keys = colliding_keys(&h, n), *values = values_for(n, keys, h.top, 1);
    oracle *o = oracle_create(n, keys);
    for (size_t at = 0; at < n; at += n / 10) {
        hash_put_both(&h, o, n / 10, keys + at, values + at);
        pleach_hash_stats before = hashed_stats(&h);
        assert_ok(pleach_hash_compact(h.hash));
        pleach_hash_stats after = hashed_stats(&h);
        assert_true(after.slabs <= before.slabs);
        assert_int_equal(after.free_bytes + after.moved_buckets, 0);
        assert_same_hash(&h, o);
    }
    oracle_destroy(o);
    free(keys), free(values);
    hashed_close(&h);
}

/* Keys come and go, always other ones, forty times as many as there are at a time: the table may grow once more, by
 * chance, but slots and slabs of those that went are used again. */
static void turnover_needs_no_more_memory(const setting *where, bool set)
{
    swell s = {.h = hashed_open(where, set)};
    size_t alive = shrunk(20000, 5000), rounds = 40;
    call_on(&s, add_all, 0, alive, PLEACH_INSERTED);
    uint64_t settled = 0;
    for (size_t round = 0; round < rounds; round++) {
        call_on(&s, add_all, (round + 1) * alive, (round + 2) * alive, PLEACH_INSERTED);
        call_on(&s, erase_all, round * alive, (round + 1) * alive, PLEACH_ERASED);
        if (round == 2) settled = hashed_bytes(&s.h);
    }
    assert_true(hashed_bytes(&s.h) <= 3 * settled);
    hashed_close(&s.h);
}

static bool is_growing(const pleach_hash_stats *stats) { return stats->slabs > stats->buckets + stats->overflow_slabs; }

/* Each update of a table that grows moves some buckets, so that growth is over when a quarter as many updates as there
 * are buckets have been made: until then finds may have to look at two places. */
static void growth_comes_to_an_end(const setting *where, bool set)
{
    if (where->device != PLEACH_CPU) return; /* there the host has a table grown, and waits for it */
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    size_t updates = 0, growths = 0, n = shrunk(3000, 1500);
    for (size_t i = 0; i < n; i++) {
        assert_ok(pleach_hash_put_one(h.hash, nth_key(&h, i), i & h.top, NULL, NULL));
        pleach_hash_stats stats = hashed_stats(&h);
        growths += is_growing(&stats) && updates == 0;
        updates = is_growing(&stats) ? updates + 1 : 0;
        assert_true(updates <= stats.buckets / 4 + 1);
    }
    assert_true(growths >= 3);
    count_checked(n);
}

/* ---- keys of one bucket, and seeds ---- */

static void keys_of_one_bucket(const setting *where, bool set)
{
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    size_t n = shrunk(3000, 1000);
    FREED uint64_t *keys = colliding_keys(&h, n), *values = values_for(n, keys, h.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    hash_put_both(&h, o, n / 2, keys, values);
    assert_same_hash(&h, o);
    hash_put_both(&h, o, n, keys, values);
    pleach_hash_stats stats = hashed_stats(&h);
    assert_int_equal(stats.longest_chain, (n + slots_of(&h) - 1) / slots_of(&h)); /* all in one, without gaps */
    assert_true(stats.slabs < 40 * stats.longest_chain); /* growth is no help here, and must not go on for ever */
    assert_same_hash(&h, o);
    hash_erase_both(&h, o, n / 3, keys + n / 3);
    assert_same_hash(&h, o);
    hash_add_both(&h, o, n, keys, values);
    assert_same_hash(&h, o);
    assert_ok(pleach_hash_compact(h.hash));
    assert_same_hash(&h, o);
    hash_erase_both(&h, o, n, keys);
    assert_int_equal(hashed_stats(&h).overflow_slabs, 0);
    assert_same_hash(&h, o);
}

/* Random calls, with all keys in one bucket: chains are cut and mended in the middle and at both ends. */
static void random_calls_in_one_bucket(const setting *where, bool set)
{
    trial t = {.h = hashed_open(where, set), .r = rng_for(test_seed(), 9), .erases = 50};
    FREED uint64_t *keys = colliding_keys(&t.h, 120);
    t.o = oracle_create(120, keys);
    for (size_t i = 0; i < scaled_single_calls(where, 40000); i++) call_something(&t);
    assert_same_hash(&t.h, t.o);
    count_checked(scaled_single_calls(where, 40000));
    oracle_destroy(t.o);
    hashed_close(&t.h);
}

/* Keys that share a bucket under one seed do not under others; and each seed works. */
static void seeds_scatter_otherwise(const setting *where, bool set)
{
    static const uint32_t seeds[] = {0, 1, 0x80000000u, UINT32_MAX, 12345};
    pleach_hash_config config = hash_config_for(where, set);
    hashed under_first = {.key_bits = where->key_bits, .seed = seeds[0]};
    size_t n = 1000;
    FREED uint64_t *keys = colliding_keys(&under_first, n);
    for (size_t i = 0; i < COUNT_OF(seeds); i++) {
        config.seed = seeds[i];
        AT_END(hashed_close) hashed h = hashed_open_as(&config);
        AT_END(end_oracle) oracle *o = oracle_create(n, keys);
        hash_put_both(&h, o, n, keys, keys);
        assert_same_hash(&h, o);
        uint64_t longest = hashed_stats(&h).longest_chain;
        assert_true(i == 0 ? longest >= n / slots_of(&h) : longest < 8);
    }
}

static const test_case cases[] = {
    IN_MAPS_AND_SETS(random_calls_on_few_keys),
    IN_MAPS_AND_SETS(random_calls_on_some_keys),
    IN_MAPS_AND_SETS(random_calls_on_many_keys),
    IN_MAPS_AND_SETS(random_calls_in_one_bucket),
    IN_MAPS_AND_SETS(grows_to_a_million_and_back),
    IN_MAPS_AND_SETS(memory_is_given_back),
    IN_MAPS_AND_SETS(compact_never_makes_it_larger),
    IN_MAPS_AND_SETS(compact_makes_one_long_chain_no_larger),
    IN_MAPS_AND_SETS(turnover_needs_no_more_memory),
    IN_MAPS_AND_SETS(growth_comes_to_an_end),
    IN_MAPS_AND_SETS(keys_of_one_bucket),
    IN_MAPS_AND_SETS(seeds_scatter_otherwise),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
