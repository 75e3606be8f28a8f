/* test_hash.c - hash tables, call by call: outcomes, old values, extremes, arrays, calls for the whole table. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/hashes.h"
#include "testkit/patterns.h"

/* ---- single calls ---- */

typedef pleach_status single_insert(pleach_hash *, uint64_t, uint64_t, pleach_outcome *, uint64_t *);

static const uint64_t NO_OLD = 77; /* what an old value is before a call that has none to tell */

static void insert_says(const hashed *h, single_insert *call, uint64_t key, uint64_t value, pleach_outcome outcome,
                        uint64_t old)
{
    pleach_outcome got = PLEACH_NOT_APPLIED;
    uint64_t got_old = NO_OLD;
    assert_ok(call(h->hash, key, value, &got, &got_old));
    assert_int_equal(got, outcome);
    assert_int_equal(got_old, outcome == PLEACH_INSERTED ? NO_OLD : kept_value(h, old));
    count_checked(1);
}

static void put_says(const hashed *h, uint64_t key, uint64_t value, pleach_outcome outcome, uint64_t old)
{
    insert_says(h, pleach_hash_put_one, key, value, outcome, old);
}

static void add_says(const hashed *h, uint64_t key, uint64_t value, pleach_outcome outcome, uint64_t old)
{
    insert_says(h, pleach_hash_add_one, key, value, outcome, old);
}

static void erase_says(const hashed *h, uint64_t key, pleach_outcome outcome, uint64_t old)
{
    pleach_outcome got = PLEACH_NOT_APPLIED;
    uint64_t got_old = NO_OLD;
    assert_ok(pleach_hash_erase_one(h->hash, key, &got, &got_old));
    assert_int_equal(got, outcome);
    assert_int_equal(got_old, outcome == PLEACH_ABSENT ? NO_OLD : kept_value(h, old));
    count_checked(1);
}

static void find_says(const hashed *h, uint64_t key, int found, uint64_t value)
{
    int got = -1;
    uint64_t got_value = NO_OLD;
    assert_ok(pleach_hash_find_one(h->hash, key, &got, &got_value));
    assert_int_equal(got, found);
    assert_int_equal(got_value, found ? kept_value(h, value) : NO_OLD);
    count_checked(1);
}

static void size_says(const hashed *h, uint64_t expected)
{
    assert_hash_size(h->hash, expected);
}

static void an_empty_table(const setting *where, bool set)
{
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    size_t n = 5;
    assert_int_equal(pleach_hash_key_bits(h.hash), where->key_bits);
    find_says(&h, 0, 0, 0);
    find_says(&h, h.top, 0, 0);
    erase_says(&h, 0, PLEACH_ABSENT, 0);
    size_says(&h, 0);
    assert_ok(pleach_hash_export(h.hash, 0, NULL, NULL, &n));
    assert_int_equal(n, 0);
    pleach_hash_stats stats = hashed_stats(&h);
    assert_true(stats.keys == 0 && stats.overflow_slabs == 0 && stats.buckets == stats.slabs);
}

/* The life of one key, beside others. */
static void live(const hashed *h, uint64_t key, uint64_t first, uint64_t second)
{
    find_says(h, key, 0, 0);
    put_says(h, key, first, PLEACH_INSERTED, 0);
    find_says(h, key, 1, first);
    add_says(h, key, second, PLEACH_EXISTS, first);
    find_says(h, key, 1, first);
    put_says(h, key, second, PLEACH_REPLACED, first);
    find_says(h, key, 1, second);
    erase_says(h, key, PLEACH_ERASED, second);
    erase_says(h, key, PLEACH_ABSENT, 0);
    find_says(h, key, 0, 0);
    add_says(h, key, first, PLEACH_INSERTED, 0);
    put_says(h, key, first, PLEACH_REPLACED, first);
    find_says(h, key, 1, first);
}

static void extremes_live_as_others_do(const setting *where, bool set)
{
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    const uint64_t keys[] = {0, h.top, 1, h.top - 1, h.top / 2, h.top / 2 + 1, UINT32_MAX, h.seed};
    const uint64_t values[] = {0, h.top, 1, h.top / 2, h.top - 1};
    for (size_t v = 0; v < COUNT_OF(values); v++) {
        assert_ok(pleach_hash_clear(h.hash));
        uint64_t distinct = 0;
        for (size_t k = 0; k < COUNT_OF(keys); k++) {
            bool known = false;
            for (size_t before = 0; before < k; before++) known = known || keys[before] == keys[k];
            if (known) continue;
            live(&h, keys[k], values[v], values[(v + 1) % COUNT_OF(values)]);
            size_says(&h, ++distinct);
        }
        for (size_t k = 0; k < COUNT_OF(keys); k++) find_says(&h, keys[k], 1, values[v]);
        assert_valid_hash(&h);
    }
}

static void results_may_be_left_out(const setting *where, bool set)
{
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    uint64_t keys[] = {4, 5, 6}, values[] = {40, 50, 60}, value = 0;
    uint8_t found[3];
    assert_ok(pleach_hash_put_one(h.hash, 1, 10, NULL, NULL));
    assert_ok(pleach_hash_add_one(h.hash, 2, 20, NULL, NULL));
    assert_ok(pleach_hash_erase_one(h.hash, 1, NULL, NULL));
    assert_ok(pleach_hash_find_one(h.hash, 2, NULL, &value));
    assert_int_equal(value, kept_value(&h, 20));
    assert_ok(pleach_hash_find_one(h.hash, 2, NULL, NULL));
    assert_ok(hashed_put(&h, 3, keys, values, NULL, NULL));
    assert_ok(hashed_add(&h, 3, keys, values, NULL, NULL));
    assert_ok(hashed_find(&h, 3, keys, NULL, found));
    assert_true(found[0] == 1 && found[1] == 1 && found[2] == 1);
    memset(values, 0, sizeof values);
    assert_ok(hashed_find(&h, 3, keys, values, NULL));
    if (!set) assert_true(values[0] == 40 && values[1] == 50 && values[2] == 60);
    assert_ok(hashed_find(&h, 3, keys, NULL, NULL));
    assert_ok(hashed_erase(&h, 3, keys, NULL, NULL));
    size_says(&h, 1);
    assert_ok(pleach_hash_validate(h.hash, NULL, 0));
}

static void a_set_ignores_values(const setting *where)
{
    AT_END(hashed_close) hashed h = hashed_open(where, true);
    uint64_t old = NO_OLD;
    pleach_outcome outcome;
    assert_ok(pleach_hash_put_one(h.hash, 3, UINT64_MAX, &outcome, &old));
    assert_true(outcome == PLEACH_INSERTED && old == NO_OLD);
    assert_ok(pleach_hash_add_one(h.hash, 3, UINT64_MAX, &outcome, &old));
    assert_true(outcome == PLEACH_EXISTS && old == 0);
}

/* ---- array calls ---- */

static void arrays_of_every_length(const setting *where, bool set)
{
    static const size_t lengths[] = {1, 2, 31, 32, 33, 255, 256, 257, 1000, 5000, 70000};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        rng r = rng_for(test_seed(), i);
        AT_END(hashed_close) hashed h = hashed_open(where, set);
        size_t n = lengths[i];
        FREED uint64_t *keys = pattern_keys(i % 2 ? RANDOM : EXTREMES, n, h.top, &r);
        FREED uint64_t *values = values_for(n, keys, h.top, 1), *news = values_for(n, keys, h.top, 2);
        AT_END(end_oracle) oracle *o = oracle_create(n, keys);
        hash_add_both(&h, o, n / 2, keys, values);
        hash_put_both(&h, o, n, keys, news);
        assert_same_hash(&h, o);
        hash_add_both(&h, o, n, keys, values);
        hash_erase_both(&h, o, n / 2, keys);
        hash_erase_both(&h, o, n, keys);
        assert_same_hash(&h, o);
        hash_put_both(&h, o, n, keys, values);
        assert_same_hash(&h, o);
    }
}

/* Of n puts of one key one inserts it, and each other one replaces the value of exactly one: so the values that were
 * replaced and the one that is there at the end are those that were put. */
static void equal_keys_take_turns(const setting *where, bool set)
{
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    size_t n = 4000;
    FREED uint64_t *keys = must_alloc(n, sizeof *keys), *values = must_alloc(n, sizeof *values);
    uint64_t last = 0, sum = 0;
    FREED uint64_t *olds = untouched_words(n, h.top);
    FREED uint8_t *outcomes = untouched_bytes(n);
    int found = 0;
    for (size_t i = 0; i < n; i++) keys[i] = h.top, values[i] = i + 1;
    assert_ok(hashed_put(&h, n, keys, values, outcomes, olds));
    assert_int_equal(count_bytes(n, outcomes, PLEACH_INSERTED), 1);
    assert_int_equal(count_bytes(n, outcomes, PLEACH_REPLACED), n - 1);
    assert_ok(pleach_hash_find_one(h.hash, h.top, &found, &last));
    assert_int_equal(found, 1);
    for (size_t i = 0; i < n; i++) sum += outcomes[i] == PLEACH_REPLACED ? olds[i] : 0;
    if (!set) assert_int_equal(sum + last, n * (n + 1) / 2);
    assert_ok(hashed_add(&h, n, keys, values, outcomes, olds));
    assert_int_equal(count_bytes(n, outcomes, PLEACH_EXISTS), n);
    assert_ok(hashed_erase(&h, n, keys, outcomes, olds));
    assert_int_equal(count_bytes(n, outcomes, PLEACH_ERASED), 1);
    assert_int_equal(count_bytes(n, outcomes, PLEACH_ABSENT), n - 1);
    size_says(&h, 0);
}

static void no_elements_need_no_arrays(const setting *where, bool set)
{
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    assert_ok(pleach_hash_put(h.hash, 0, NULL, NULL, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_hash_add(h.hash, 0, NULL, NULL, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_hash_erase(h.hash, 0, NULL, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_hash_find(h.hash, 0, NULL, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_hash_contains(h.hash, 0, NULL, NULL, PLEACH_SYNC));
    size_says(&h, 0);
}

/* ---- the whole table ---- */

static void export_says_how_much_there_is(const setting *where, bool set)
{
    enum { KEYS = 100 };
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    uint64_t keys[KEYS], values[KEYS], seen = 0;
    size_t n = 0;
    for (uint64_t i = 0; i < KEYS; i++) put_says(&h, i, 2 * i, PLEACH_INSERTED, 0);
    assert_ok(pleach_hash_export(h.hash, 0, NULL, NULL, &n));
    assert_int_equal(n, KEYS);
    memset(keys, UNTOUCHED, sizeof keys);
    assert_int_equal(pleach_hash_export(h.hash, KEYS - 1, keys, NULL, &n), PLEACH_E_SPACE);
    assert_int_equal(n, KEYS);
    for (size_t i = 0; i < KEYS; i++) assert_int_equal(keys[i], UNTOUCHED_WORD(UINT64_MAX));
    assert_ok(hashed_export(&h, KEYS, keys, values, &n));
    for (uint64_t i = 0; i < KEYS; i++) assert_true(keys[i] == i && values[i] == kept_value(&h, 2 * i));
    if (!set) {
        assert_ok(pleach_hash_export(h.hash, KEYS, NULL, values, &n));
        for (size_t i = 0; i < KEYS; i++) seen += h.key_bits == 32 ? ((uint32_t *)values)[i] : values[i];
        assert_int_equal(seen, KEYS * (KEYS - 1));
    }
}

/* After every few keys, so that many exports are made while some buckets have moved to the next root and some have
 * not. */
static void exports_during_growth(const setting *where, bool set)
{
    enum { KEYS = 1500, EVERY = 13 };
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    FREED uint64_t *keys = must_alloc(KEYS, sizeof *keys), *values = must_alloc(KEYS, sizeof *values);
    for (uint64_t n = 1; n <= KEYS; n++) {
        put_says(&h, n - 1, 3 * n, PLEACH_INSERTED, 0);
        if (n % EVERY) continue;
        size_t got = 0;
        assert_int_equal(hashed_stats(&h).keys, n);
        assert_ok(hashed_export(&h, KEYS, keys, values, &got));
        assert_int_equal(got, n);
        for (uint64_t i = 0; i < n; i++) assert_true(keys[i] == i && values[i] == kept_value(&h, 3 * (i + 1)));
    }
}

/* All keys are in one chain. */
static void chains_are_counted(const setting *where, bool set)
{
    pleach_hash_config config = hash_config_for(where, set);
    config.seed = 5;
    config.fixed_seed = 1;
    AT_END(hashed_close) hashed h = hashed_open_as(&config);
    enum { KEYS = 60 };
    const size_t slots = (where->key_bits == 32 ? 14 : 7) * (set ? 2 : 1);
    FREED uint64_t *keys = colliding_keys(&h, KEYS);
    for (size_t n = 1; n <= KEYS; n++) {
        put_says(&h, keys[n - 1], n, PLEACH_INSERTED, 0);
        pleach_hash_stats stats = hashed_stats(&h);
        assert_int_equal(stats.keys, n);
        assert_true(stats.longest_chain >= (n + slots - 1) / slots && stats.longest_chain <= 1 + n / slots);
        assert_int_equal(stats.overflow_slabs, stats.longest_chain - 1);
    }
}

static void reserved_keys_come_without_growth(const setting *where, bool set)
{
    pleach_hash_config config = hash_config_for(where, set);
    size_t n = 20000;
    for (int at_creation = 0; at_creation < 2; at_creation++) {
        rng r = rng_for(test_seed(), 3);
        config.reserve_keys = at_creation ? n : 0;
        AT_END(hashed_close) hashed h = hashed_open_as(&config);
        FREED uint64_t *keys = pattern_keys(RANDOM, n, h.top, &r);
        AT_END(end_oracle) oracle *o = oracle_create(n, keys);
        hash_put_both(&h, o, 1, keys, keys);
        if (!at_creation) assert_ok(pleach_hash_reserve(h.hash, n));
        uint64_t buckets = hashed_stats(&h).buckets;
        hash_put_both(&h, o, n, keys, keys);
        pleach_hash_stats stats = hashed_stats(&h);
        assert_true(stats.buckets == buckets && stats.moved_buckets == 0);
        assert_same_hash(&h, o);
    }
}

/* What does not fit changes nothing. */
static void reserve_beyond_the_limit_changes_nothing(const setting *where, bool set)
{
    pleach_hash_config config = hash_config_for(where, set);
    config.max_bytes = 1 << 20;
    AT_END(hashed_close) hashed h = hashed_open_as(&config);
    uint64_t keys[500];
    for (size_t i = 0; i < COUNT_OF(keys); i++) keys[i] = i;
    AT_END(end_oracle) oracle *o = oracle_create(COUNT_OF(keys), keys);
    hash_put_both(&h, o, COUNT_OF(keys), keys, keys);
    pleach_hash_stats before = hashed_stats(&h);
    assert_int_equal(pleach_hash_reserve(h.hash, 1 << 20), PLEACH_E_FULL);
    assert_int_equal(pleach_hash_reserve(h.hash, UINT64_MAX), PLEACH_E_FULL);
    pleach_hash_stats after = hashed_stats(&h);
    assert_memory_equal(&before, &after, sizeof before);
    assert_same_hash(&h, o);
    config.reserve_keys = 1 << 20;
    pleach_hash *none;
    assert_int_equal(pleach_hash_create(&none, &config), PLEACH_E_FULL);
    assert_null(none);
}

/* Nothing but the machine sets a limit here. The most keys that may be asked for need more than most machines have. */
static void reserve_beyond_the_machine_has_no_memory(const setting *where, bool set)
{
    const uint64_t most = (uint64_t)1 << 35;
    const uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (where->device != PLEACH_CPU || machine > most * (where->key_bits / 8))
        return;
    AT_END(hashed_close) hashed h = hashed_open(where, set);
    uint64_t key = 7;
    assert_ok(hashed_put(&h, 1, &key, &key, NULL, NULL));
    assert_int_equal(pleach_hash_reserve(h.hash, most), PLEACH_E_MEMORY);
    assert_ok(hashed_put(&h, 1, &key, &key, NULL, NULL));
}

static const test_case cases[] = {
    IN_MAPS_AND_SETS(an_empty_table),
    IN_MAPS_AND_SETS(extremes_live_as_others_do),
    IN_MAPS_AND_SETS(results_may_be_left_out),
    CASE(a_set_ignores_values),
    IN_MAPS_AND_SETS(arrays_of_every_length),
    IN_MAPS_AND_SETS(equal_keys_take_turns),
    IN_MAPS_AND_SETS(no_elements_need_no_arrays),
    IN_MAPS_AND_SETS(export_says_how_much_there_is),
    IN_MAPS_AND_SETS(exports_during_growth),
    IN_MAPS_AND_SETS(chains_are_counted),
    IN_MAPS_AND_SETS(reserved_keys_come_without_growth),
    IN_MAPS_AND_SETS(reserve_beyond_the_limit_changes_nothing),
    IN_MAPS_AND_SETS(reserve_beyond_the_machine_has_no_memory),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
