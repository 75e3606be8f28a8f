/* test_hash_seeds.c - keys that were chosen to collide: they flood a table whose seed is known, and no other. Chains are
 * counted, not seconds. */
#include <stdlib.h>
#include <string.h>

#include "base/entropy.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/hashes.h"

enum { SHORT_CHAIN = 8 }; /* slabs; of random keys, one bucket in millions has more */

static pleach_hash_config default_config(const setting *where, bool set)
{
    return (pleach_hash_config){.device = where->device, .key_bits = where->key_bits, .set = set,
                                .threads = where->threads};
}

/* How many keys attack: of 32 bits fewer, because they are searched for. */
static size_t attackers(const setting *where) { return scaled(where->key_bits == 32 ? 8000 : 80000); }

/* Made for seed 0, once for each width; kept. */
static const uint64_t *attacking_keys(const setting *where)
{
    static uint64_t *keys[2];
    hashed h = {.key_bits = where->key_bits, .seed = 0};
    uint64_t **kept = &keys[where->key_bits == 64];
    if (!*kept) *kept = colliding_keys(&h, attackers(where));
    return *kept;
}

static void assert_short_chains(const hashed *h)
{
    assert_true(hashed_stats(h).longest_chain <= SHORT_CHAIN);
    assert_valid_hash(h);
}

/* That the keys collide at all; each operation in such a table reads the whole chain, so these are few. */
static void a_known_seed_is_flooded(const setting *where, bool set)
{
    pleach_hash_config config = default_config(where, set);
    config.fixed_seed = 1;
    AT_END(hashed_close) hashed h = hashed_open_as(&config);
    size_t n = shrunk(2000, 200), slots = (h.key_bits == 32 ? 14 : 7) * (set ? 2 : 1);
    FREED uint64_t *keys = colliding_keys(&h, n);
    assert_ok(hashed_put(&h, n, keys, keys, NULL, NULL));
    assert_true(hashed_stats(&h).longest_chain >= n / slots);
}

/* Seed 0, which is the default, is not the seed of a table by default, as it grows, shrinks and is copied. */
static void a_default_table_is_not(const setting *where, bool set)
{
    pleach_hash_config config = default_config(where, set);
    AT_END(hashed_close) hashed h = hashed_open_as(&config);
    size_t n = attackers(where);
    const uint64_t *keys = attacking_keys(where);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    hash_put_both(&h, o, n, keys, keys);
    assert_short_chains(&h);
    assert_same_hash(&h, o);
    hash_erase_both(&h, o, n / 2, keys);
    assert_ok(pleach_hash_compact(h.hash));
    assert_short_chains(&h);
    hash_add_both(&h, o, n, keys, keys);
    assert_short_chains(&h);
    assert_ok(pleach_hash_reserve(h.hash, 2 * n));
    assert_short_chains(&h);
    assert_same_hash(&h, o);
    assert_ok(pleach_hash_clear(h.hash));
    assert_ok(hashed_put(&h, n, keys, keys, NULL, NULL));
    assert_short_chains(&h);
}

/* One seed's collisions are no other's: not of seeds near it, and not of those with one bit more. */
static void no_other_seed_is_flooded(const setting *where, bool set)
{
    pleach_hash_config config = default_config(where, set);
    size_t n = shrunk(attackers(where) / 8, 100);
    const uint64_t *keys = attacking_keys(where);
    for (unsigned i = 0; i < 16; i++) {
        config.seed = i < 8 ? (uint32_t)1 << 4 * i : i;
        AT_END(hashed_close) hashed h = hashed_open_as(&config);
        assert_ok(hashed_put(&h, n, keys, keys, NULL, NULL));
        assert_short_chains(&h);
    }
}

enum { LISTED = 500 };

/* Keys in the order of the buckets, which is the seed's. */
static void list_keys(const pleach_hash_config *config, uint64_t *listed)
{
    AT_END(hashed_close) hashed h = hashed_open_as(config);
    uint64_t keys[LISTED];
    size_t n = 0;
    for (size_t i = 0; i < LISTED; i++) keys[i] = i + 1;
    assert_ok(hashed_put(&h, LISTED, keys, keys, NULL, NULL));
    memset(listed, 0, LISTED * sizeof *listed);
    assert_ok(pleach_hash_export(h.hash, LISTED, listed, NULL, &n));
}

static void seeds_are_drawn_or_fixed(const setting *where, bool set)
{
    uint64_t first[LISTED], second[LISTED];
    pleach_hash_config config = default_config(where, set);
    if (where->threads != 1) config.threads = 1; /* so that slots are filled in one order */
    list_keys(&config, first);
    list_keys(&config, second);
    assert_memory_not_equal(first, second, sizeof first);
    if (where->device != PLEACH_CPU) return; /* a GPU's threads fill them in any order */
    for (unsigned i = 0; i < 4; i++) {
        config.seed = i / 2 * 77;
        config.fixed_seed = i % 2;
        if (!config.seed && !config.fixed_seed) continue;
        list_keys(&config, first);
        list_keys(&config, second);
        assert_memory_equal(first, second, sizeof first);
    }
}

static void without_the_kernel_numbers_differ_too(const setting *where)
{
    (void)where;
    enum { N = 1000 };
    uint64_t drawn[N];
    for (size_t i = 0; i < N; i++) {
        drawn[i] = i % 2 ? entropy_of_process() : base_entropy();
        for (size_t j = 0; j < i; j++) assert_true(drawn[i] != drawn[j]);
    }
}

static void only_0_and_1_fix_it(const setting *where)
{
    pleach_hash *hash = NULL;
    pleach_hash_config config = default_config(where, false);
    config.fixed_seed = 2;
    assert_int_equal(pleach_hash_create(&hash, &config), PLEACH_E_ARGUMENT);
    assert_null(hash);
}

static const test_case cases[] = {
    IN_MAPS_AND_SETS(a_known_seed_is_flooded),
    IN_MAPS_AND_SETS(a_default_table_is_not),
    IN_MAPS_AND_SETS(no_other_seed_is_flooded),
    IN_MAPS_AND_SETS(seeds_are_drawn_or_fixed),
    CASE(without_the_kernel_numbers_differ_too),
    CASE(only_0_and_1_fix_it),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
