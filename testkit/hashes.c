#include "hashes.h"

#include <stdlib.h>
#include <string.h>

#include "hash/slabhash_seed.h"
#include "buffers.h"
#include "compare.h"

void with_map_and_set(const setting *where, const void *what)
{
    const map_and_set *both = what;
    both->run(where, false);
    both->run(where, true);
}

pleach_hash_config hash_config_for(const setting *where, bool set)
{
    return (pleach_hash_config){.device = where->device,
                                .key_bits = where->key_bits,
                                .set = set,
                                .threads = where->threads,
                                .seed = (uint32_t)mix64(test_seed()),
                                .fixed_seed = 1};
}

hashed hashed_open_as(const pleach_hash_config *config)
{
    uint64_t top = config->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    hashed h = {NULL, config->device, config->key_bits, config->set, top, config->seed};
    assert_ok(pleach_hash_create(&h.hash, config));
    assert_non_null(h.hash);
    return h;
}

hashed hashed_open(const setting *where, bool set)
{
    pleach_hash_config config = hash_config_for(where, set);
    return hashed_open_as(&config);
}

void assert_valid_hash(const hashed *h)
{
    char message[256] = "untouched";
    pleach_status status = pleach_hash_validate(h->hash, message, sizeof message);
    if (status != PLEACH_OK) fail_msg("validate: %s: %s", pleach_status_name(status), message);
    assert_string_equal(message, "");
}

void hashed_close(hashed *h)
{
    assert_valid_hash(h);
    pleach_hash_destroy(h->hash);
    h->hash = NULL;
}

void assert_hash_size(pleach_hash *hash, uint64_t expected)
{
    uint64_t size = ~expected;
    assert_ok(pleach_hash_size(hash, &size));
    assert_int_equal(size, expected);
}

pleach_hash_stats hashed_stats(const hashed *h)
{
    pleach_hash_stats stats;
    assert_ok(pleach_hash_get_stats(h->hash, &stats));
    return stats;
}

uint64_t hashed_bytes(const hashed *h)
{
    pleach_hash_stats stats = hashed_stats(h);
    return stats.slab_bytes + stats.free_bytes;
}

uint64_t kept_value(const hashed *h, uint64_t value) { return h->set ? 0 : value; }

/* ---- arrays in the table's width ---- */

typedef pleach_status insert_call(pleach_hash *, size_t, const void *, const void *, uint8_t *, void *, pleach_stream);

static pleach_status insert(insert_call *call, const hashed *h, size_t n, const uint64_t *keys, const uint64_t *values,
                            uint8_t *outcomes, uint64_t *olds)
{
    if (h->set) values = NULL, olds = NULL;
    void *k = narrowed(h->key_bits, n, keys), *v = narrowed(h->key_bits, n, values);
    void *o = narrowed(h->key_bits, n, olds);
    pleach_status status = call(h->hash, n, k, v, outcomes, o, PLEACH_SYNC);
    widened(h->key_bits, n, o, olds);
    widened(h->key_bits, n, v, NULL);
    widened(h->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

pleach_status hashed_put(const hashed *h, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                         uint64_t *olds)
{
    return insert(pleach_hash_put, h, n, keys, values, outcomes, olds);
}

pleach_status hashed_add(const hashed *h, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                         uint64_t *olds)
{
    return insert(pleach_hash_add, h, n, keys, values, outcomes, olds);
}

pleach_status hashed_erase(const hashed *h, size_t n, const uint64_t *keys, uint8_t *outcomes, uint64_t *olds)
{
    if (h->set) olds = NULL;
    void *k = narrowed(h->key_bits, n, keys), *o = narrowed(h->key_bits, n, olds);
    pleach_status status = pleach_hash_erase(h->hash, n, k, outcomes, o, PLEACH_SYNC);
    widened(h->key_bits, n, o, olds);
    widened(h->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

pleach_status hashed_find(const hashed *h, size_t n, const uint64_t *keys, uint64_t *values, uint8_t *found)
{
    if (h->set) values = NULL;
    void *k = narrowed(h->key_bits, n, keys), *v = narrowed(h->key_bits, n, values);
    pleach_status status = pleach_hash_find(h->hash, n, k, v, found, PLEACH_SYNC);
    widened(h->key_bits, n, v, values);
    widened(h->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

pleach_status hashed_contains(const hashed *h, size_t n, const uint64_t *keys, uint8_t *found)
{
    void *k = narrowed(h->key_bits, n, keys);
    pleach_status status = pleach_hash_contains(h->hash, n, k, found, PLEACH_SYNC);
    widened(h->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

typedef struct pair {
    uint64_t key, value;
} pair;

static int compare_pairs(const void *left, const void *right)
{
    const pair *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static void sort_pairs(size_t n, uint64_t *keys, uint64_t *values)
{
    FREED pair *pairs = must_alloc(n + 1, sizeof *pairs);
    for (size_t i = 0; i < n; i++) pairs[i] = (pair){keys[i], values[i]};
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < n; i++) keys[i] = pairs[i].key, values[i] = pairs[i].value;
}

pleach_status hashed_export(const hashed *h, size_t capacity, uint64_t *keys, uint64_t *values, size_t *n)
{
    void *k = narrowed(h->key_bits, capacity, keys), *v = h->set ? NULL : narrowed(h->key_bits, capacity, values);
    pleach_status status = pleach_hash_export(h->hash, capacity, k, v, n);
    widened(h->key_bits, capacity, k, keys);
    if (h->set)
        memset(values, 0, capacity * sizeof *values);
    else
        widened(h->key_bits, capacity, v, values);
    if (status == PLEACH_OK) sort_pairs(*n, keys, values);
    return status;
}

/* ---- with an oracle ---- */

typedef pleach_status hashed_insert(const hashed *, size_t, const uint64_t *, const uint64_t *, uint8_t *, uint64_t *);
typedef pleach_outcome oracle_insert(oracle *, uint64_t, uint64_t, uint64_t *);

static void assert_updates_equal(const hashed *h, size_t n, const uint8_t *outcomes, const uint8_t *expected,
                                 const uint64_t *olds, const uint64_t *expected_olds)
{
    assert_bytes_equal("outcome", n, outcomes, expected);
    if (!h->set) assert_words_equal("old value", n, olds, expected_olds);
}

static void insert_both(hashed_insert *call, oracle_insert *expect, const hashed *h, oracle *o, size_t n,
                        const uint64_t *keys, const uint64_t *values)
{
    FREED uint8_t *outcomes = untouched_bytes(n), *expected = untouched_bytes(n);
    FREED uint64_t *olds = untouched_words(n, h->top), *expected_olds = untouched_words(n, h->top);
    assert_ok(call(h, n, keys, values, outcomes, olds));
    for (size_t i = 0; i < n; i++)
        expected[i] = (uint8_t)expect(o, keys[i], kept_value(h, values[i]), &expected_olds[i]);
    assert_updates_equal(h, n, outcomes, expected, olds, expected_olds);
}

void hash_put_both(const hashed *h, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values)
{
    insert_both(hashed_put, oracle_put, h, o, n, keys, values);
}

void hash_add_both(const hashed *h, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values)
{
    insert_both(hashed_add, oracle_add, h, o, n, keys, values);
}

void hash_erase_both(const hashed *h, oracle *o, size_t n, const uint64_t *keys)
{
    FREED uint8_t *outcomes = untouched_bytes(n), *expected = untouched_bytes(n);
    FREED uint64_t *olds = untouched_words(n, h->top), *expected_olds = untouched_words(n, h->top);
    assert_ok(hashed_erase(h, n, keys, outcomes, olds));
    for (size_t i = 0; i < n; i++) expected[i] = (uint8_t)oracle_erase(o, keys[i], &expected_olds[i]);
    assert_updates_equal(h, n, outcomes, expected, olds, expected_olds);
}

void hash_check_find(const hashed *h, const oracle *o, size_t n, const uint64_t *keys)
{
    FREED uint8_t *found = untouched_bytes(n), *contained = untouched_bytes(n), *expected = untouched_bytes(n);
    FREED uint64_t *values = untouched_words(n, h->top), *expected_values = untouched_words(n, h->top);
    assert_ok(hashed_find(h, n, keys, values, found));
    assert_ok(hashed_contains(h, n, keys, contained));
    for (size_t i = 0; i < n; i++) expected[i] = oracle_find(o, keys[i], &expected_values[i]);
    assert_bytes_equal("found", n, found, expected);
    assert_bytes_equal("contained", n, contained, expected);
    if (!h->set) assert_words_equal("value", n, values, expected_values);
}

void assert_same_hash(const hashed *h, const oracle *o)
{
    FREED uint64_t *keys = must_alloc(o->size + 1, sizeof *keys), *values = must_alloc(o->size + 1, sizeof *values);
    FREED uint64_t *expected = must_alloc(o->size + 1, sizeof *expected);
    FREED uint64_t *expected_values = must_alloc(o->size + 1, sizeof *expected_values);
    size_t n = 0;
    assert_valid_hash(h);
    assert_hash_size(h->hash, o->size);
    assert_ok(hashed_export(h, o->size, keys, values, &n));
    assert_int_equal(n, o->size);
    assert_int_equal(oracle_range(o, 0, UINT64_MAX, 0, expected, expected_values), n);
    assert_words_equal("exported key", n, keys, expected);
    assert_words_equal("exported value", n, values, expected_values);
    if (o->rows) hash_check_find(h, o, o->rows, o->keys);
}

/* ---- keys by their hash ---- */

/* The inverse modulo 2^64; the first guess is right in 3 bits, and each turn doubles that. */
static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (unsigned bits = 3; bits < 64; bits *= 2) inverse *= 2 - odd * inverse;
    return inverse;
}

static uint32_t hash_of_sum(uint32_t sum)
{
    return (uint32_t)(((uint64_t)(sum ^ sum >> 16) * 0x9e3779b97f4a7c15u) >> 32);
}

static uint32_t hash_of_product(const slab_seed *seed, uint64_t product)
{
    return hash_of_sum((uint32_t)((product + seed->plus) >> 32));
}

enum { COLLIDING_BITS = 17, COLLIDING_HASH = 0x1234 };

/* Keys whose high half makes the second factor a multiple of 2^shift, so that few bits of the product are below those
 * that count, and can be tried one by one. The other factor follows by division, and is a key's in one of a few tries. */
/* The keys of this high half whose sum has these bits 32 to 63. */
static size_t solve_wide_keys(const slab_seed *seed, unsigned shift, uint64_t high, uint32_t sum, uint64_t *keys)
{
    size_t found = 0;
    uint64_t factor = seed->by + high, inverse = inverse_of(factor >> shift);
    uint64_t least = ((uint64_t)sum << 32) - seed->plus;
    for (uint64_t try = 0; try < (uint64_t)1 << (32 - shift); try++) {
        uint64_t low = (((least >> shift) + try + 1) * inverse - seed->low - (high << 32)) & UINT64_MAX >> shift;
        uint64_t product = (seed->low + (high << 32 | low)) * factor;
        if (low <= UINT32_MAX && (uint32_t)((product + seed->plus) >> 32) == sum) keys[found++] = high << 32 | low;
    }
    return found;
}

/* Sums whose hashes collide, one after the other. */
static void find_wide_keys(const slab_seed *seed, size_t n, uint64_t *keys)
{
    enum { SHIFTS = 7, ROOM = 1 << SHIFTS };
    uint64_t some[ROOM];
    size_t found = 0;
    for (uint64_t sum = 0; sum <= UINT32_MAX && found < n; sum++) {
        if ((hash_of_sum((uint32_t)sum) ^ COLLIDING_HASH) & ((1u << COLLIDING_BITS) - 1)) continue;
        for (unsigned shift = 31; shift > 31 - SHIFTS && found < n; shift--)
            for (uint32_t odd = 1; odd >> (32 - shift) == 0 && found < n; odd += 2) {
                uint32_t high = (odd << shift) - (uint32_t)seed->by;
                size_t more = solve_wide_keys(seed, shift, high, (uint32_t)sum, some);
                for (size_t i = 0; i < more && found < n; i++) keys[found++] = some[i];
            }
    }
    assert_int_equal(found, n);
}

uint64_t *colliding_narrow_keys(uint32_t of, unsigned bits, size_t n)
{
    uint64_t *keys = must_alloc(n, sizeof *keys);
    slab_seed seed = slabhash_seed_of(of);
    size_t found = 0;
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    for (uint64_t key = 0; key <= UINT32_MAX && found < n; key++)
        if (!((hash_of_product(&seed, seed.by * key) ^ COLLIDING_HASH) & mask)) keys[found++] = key;
    assert_int_equal(found, n);
    return keys;
}

uint64_t *colliding_keys(const hashed *h, size_t n)
{
    if (h->key_bits == 32) {
        unsigned bits = 8;
        while (n >> (bits - 1)) bits++;
        return colliding_narrow_keys(h->seed, bits, n);
    }
    uint64_t *keys = must_alloc(n, sizeof *keys);
    slab_seed seed = slabhash_seed_of(h->seed);
    find_wide_keys(&seed, n, keys);
    return keys;
}
