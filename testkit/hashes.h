/* testkit/hashes.h - a hash table of any kind (map or set, either key width) behind arrays of uint64_t, so that a case
 * is written once for all four.
 *
 * A set has no values: those that are given here go nowhere, and array calls write no old ones. Nothing here asserts
 * but what says so: the calls may be used from any thread. Every element counts as a checked operation.
 */
#ifndef PLEACH_TESTS_HASHES_H
#define PLEACH_TESTS_HASHES_H

#include <pleach/hash.h>

#include "harness.h"
#include "oracle.h"
#include "random.h"

typedef struct hashed {
    pleach_hash *hash;
    pleach_device device;
    unsigned key_bits;
    bool set;
    uint64_t top;  /* the largest key and the largest value */
    uint32_t seed; /* of its hash function */
} hashed;

/* A case that is run with a map and with a set: IN_MAPS_AND_SETS(name) is the case name_in_maps_and_sets. */
typedef struct map_and_set {
    void (*run)(const setting *where, bool set);
} map_and_set;

void with_map_and_set(const setting *where, const void *what);
#define IN_MAPS_AND_SETS(name) CASE_WITH(name##_in_maps_and_sets, with_map_and_set, &((const map_and_set){name}))

pleach_hash_config hash_config_for(const setting *where, bool set);

/* These fail the test if it cannot be done; hashed_close validates the table first. */
hashed hashed_open(const setting *where, bool set);
hashed hashed_open_as(const pleach_hash_config *config);
void hashed_close(hashed *h);
void assert_valid_hash(const hashed *h);
void assert_hash_size(pleach_hash *hash, uint64_t expected);
pleach_hash_stats hashed_stats(const hashed *h);

/* Bytes that the table has taken, used or free. */
uint64_t hashed_bytes(const hashed *h);

pleach_status hashed_put(const hashed *h, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                         uint64_t *olds);
pleach_status hashed_add(const hashed *h, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                         uint64_t *olds);
pleach_status hashed_erase(const hashed *h, size_t n, const uint64_t *keys, uint8_t *outcomes, uint64_t *olds);
pleach_status hashed_find(const hashed *h, size_t n, const uint64_t *keys, uint64_t *values, uint8_t *found);
pleach_status hashed_contains(const hashed *h, size_t n, const uint64_t *keys, uint8_t *found);
/* In ascending order of the keys; a set's values are 0. */
pleach_status hashed_export(const hashed *h, size_t capacity, uint64_t *keys, uint64_t *values, size_t *n);

/* The value that an oracle of this table has for it: a set's are 0. */
uint64_t kept_value(const hashed *h, uint64_t value);

/* One array call on table and oracle; fails the test where outcomes or old values differ. Distinct keys. */
void hash_put_both(const hashed *h, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values);
void hash_add_both(const hashed *h, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values);
void hash_erase_both(const hashed *h, oracle *o, size_t n, const uint64_t *keys);

/* Fails the test where find and contains differ from the oracle's answers. */
void hash_check_find(const hashed *h, const oracle *o, size_t n, const uint64_t *keys);

/* Size, find of every key of the oracle's universe, export, validate. Fails the test at the first difference. */
void assert_same_hash(const hashed *h, const oracle *o);

/* n keys that share a bucket in every table of up to 2^17 buckets, if the table's seed is fixed; 32-bit keys: of up to
 * 2n buckets. To be freed. */
uint64_t *colliding_keys(const hashed *h, size_t n);

/* n 32-bit keys whose hashes under this seed are the same in these low bits. They are found one after the other, in
 * n << bits steps. To be freed. */
uint64_t *colliding_narrow_keys(uint32_t seed, unsigned bits, size_t n);

#endif
