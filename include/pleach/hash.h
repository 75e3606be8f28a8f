/* pleach/hash.h - the slab hash: a concurrent hash table, map or set, for when order does not matter.
 *
 * A table holds unique unsigned keys of 32 or 64 bits, each with a value as wide as the key (a map) or without (a set).
 * The full range of both is usable; no key or value is reserved. It grows by itself, while others read and write it.
 *
 * WHAT IS LINEARIZABLE
 *   put, add, erase, find, contains   yes: each element takes effect at one instant between call and return. Elements
 *                                     of one array call do so one after the other in an unspecified order, as if from
 *                                     many threads; so do equal keys in one call.
 *   size                              exact when no update is running; else the count of some updates is missing, and
 *                                     never negative.
 *   reserve, compact, export, clear,  run alone: they wait until all other calls are done, and hold newcomers back.
 *   validate, get_stats
 *
 * Calls come in arrays, one by one, and from your own kernels (pleach/hash_device.cuh), all at the same time.
 *
 * Finds take no latch and wait for nobody. Updates latch one bucket, which is some tens of keys, for as long as they
 * change it. Arguments, pointers, streams and the meaning of "may be NULL" are as in pleach/map.h.
 *
 * WHEN MEMORY RUNS OUT   an update that needs memory when the pool is at its limit is not applied, says so in its
 * element's outcome, and the call answers PLEACH_E_FULL. Everything else in the call is applied. A table that cannot
 * get the memory to grow has longer chains instead, for as long as there is any memory at all.
 *
 * MEMORY   128 bytes a slab; a slab has 14 slots (32-bit map, 64-bit set), 28 (32-bit set) or 7 (64-bit map), and
 * between 0.36 and 0.74 of the slots are taken between growths. Growth leaves about as much free memory as the slabs
 * need (docs/hash.md has bytes a key). Slots of erased keys are used again, and so are slabs that become empty;
 * pleach_hash_compact gives memory back to the machine.
 *
 * CHOSEN KEYS   each table draws the seed of its hash function at random when it is created, so keys that were chosen
 * without knowing the seed share buckets no more often than random keys do. Set `seed`, or fixed_seed, only where runs
 * must be the same each time (the order of pleach_hash_export depends on the seed) and keys come from a trusted source:
 * with the seed known, keys can be chosen that all share one bucket, and then each operation reads all of them. The
 * hash function is not a cryptographic one: a caller that can time single operations may learn which keys share a
 * bucket. Where that matters, use the ordered map (pleach/map.h), for which all keys are alike.
 */
#ifndef PLEACH_HASH_H
#define PLEACH_HASH_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_hash pleach_hash;

/* Options. Zero everything, then set what you need: all zeros is a 64-bit map on the CPU. */
typedef struct pleach_hash_config {
    pleach_device device;
    unsigned key_bits;     /* 32 or 64; 0 means 64 */
    unsigned set;          /* 1: keys without values */
    unsigned threads;      /* CPU: worker threads of array calls; 0 means one per online CPU; at most 1024 */
    int gpu;               /* CUDA: device ordinal */
    uint32_t seed;         /* of the hash function; 0 means a random one, unless fixed_seed is 1 */
    uint64_t max_bytes;    /* limit on memory; 0 means no limit but the machine's */
    uint64_t reserve_keys; /* begin with as many buckets as these keys need */
    unsigned fixed_seed;   /* 1: `seed` is used as it is, also if it is 0 */
} pleach_hash_config;

typedef struct pleach_hash_stats {
    uint64_t keys;
    uint64_t buckets;
    uint64_t slabs;          /* of buckets, and of chains */
    uint64_t overflow_slabs; /* of these, the ones that are not the first of their bucket */
    uint64_t longest_chain;  /* slabs of the longest bucket */
    uint64_t moved_buckets;  /* of a table that is growing; 0: it is not */
    uint64_t slab_bytes;     /* 128 * slabs */
    uint64_t free_bytes;     /* taken from the machine, and free */
    double utilisation;      /* keys to slots */
} pleach_hash_stats;

/* Errors: ARGUMENT, MEMORY, FULL (reserve_keys need more than max_bytes); NO_CUDA, NO_GPU, CUDA for device =
 * PLEACH_CUDA. */
PLEACH_API pleach_status pleach_hash_create(pleach_hash **hash, const pleach_hash_config *config);
PLEACH_API void pleach_hash_destroy(pleach_hash *hash);

/* ---- array calls -----------------------------------------------------------------------------------------------
 * Of a set, `values` and the results that are values are left out: they must be NULL. Errors: ARGUMENT, SIZE, POINTER,
 * STREAM, FULL, MEMORY, CUDA. */

/* Inserts, or gives a new value. outcomes[i] (a pleach_outcome) and old_values[i] may be NULL. */
PLEACH_API pleach_status pleach_hash_put(pleach_hash *hash, size_t n, const void *keys, const void *values,
                                         uint8_t *outcomes, void *old_values, pleach_stream stream);
/* Inserts if absent. */
PLEACH_API pleach_status pleach_hash_add(pleach_hash *hash, size_t n, const void *keys, const void *values,
                                         uint8_t *outcomes, void *old_values, pleach_stream stream);
PLEACH_API pleach_status pleach_hash_erase(pleach_hash *hash, size_t n, const void *keys, uint8_t *outcomes,
                                           void *old_values, pleach_stream stream);
/* values[i] is written if found; values and found may be NULL. */
PLEACH_API pleach_status pleach_hash_find(pleach_hash *hash, size_t n, const void *keys, void *values, uint8_t *found,
                                          pleach_stream stream);
PLEACH_API pleach_status pleach_hash_contains(pleach_hash *hash, size_t n, const void *keys, uint8_t *found,
                                              pleach_stream stream);

/* ---- single calls, from any thread. A set ignores `value`, and its old values are 0. ---- */
PLEACH_API pleach_status pleach_hash_put_one(pleach_hash *hash, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                             uint64_t *old_value);
PLEACH_API pleach_status pleach_hash_add_one(pleach_hash *hash, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                             uint64_t *old_value);
PLEACH_API pleach_status pleach_hash_erase_one(pleach_hash *hash, uint64_t key, pleach_outcome *outcome,
                                               uint64_t *old_value);
PLEACH_API pleach_status pleach_hash_find_one(pleach_hash *hash, uint64_t key, int *found, uint64_t *value);

/* ---- the whole table ---- */

PLEACH_API unsigned pleach_hash_key_bits(const pleach_hash *hash); /* 0 for NULL */
PLEACH_API pleach_status pleach_hash_size(pleach_hash *hash, uint64_t *size);

/* Has at least as many buckets as `keys` keys need, so that they come without growth. FULL if max_bytes does not allow
 * it, or for more than 2^35 keys; MEMORY if the machine does not have so much: the table is as it was. */
PLEACH_API pleach_status pleach_hash_reserve(pleach_hash *hash, uint64_t keys);

/* As few buckets as its keys need, and memory back to the machine. Needs memory for a copy meanwhile; on FULL or MEMORY
 * the table is as it was. */
PLEACH_API pleach_status pleach_hash_compact(pleach_hash *hash);

/* All keys, in no order, and their values; out_keys and out_values may each be NULL. *n (required) is the number of
 * keys, also when capacity is less: then SPACE, and nothing is written. With both NULL it only counts. */
PLEACH_API pleach_status pleach_hash_export(pleach_hash *hash, size_t capacity, void *out_keys, void *out_values,
                                            size_t *n);

/* Removes everything and gives the memory back. */
PLEACH_API pleach_status pleach_hash_clear(pleach_hash *hash);

PLEACH_API pleach_status pleach_hash_get_stats(pleach_hash *hash, pleach_hash_stats *stats);

/* Checks every invariant of docs/hash.md that a quiet table shows. On CORRUPT the message (may be NULL) names the first
 * that fails, and the slab; else it is empty. */
PLEACH_API pleach_status pleach_hash_validate(pleach_hash *hash, char *message, size_t message_size);

/* ---- device views ----------------------------------------------------------------------------------------------
 * What a kernel needs to work on a table; pass it by value. Open one, launch kernels that use pleach/hash_device.cuh,
 * wait for them, close it. Any number may be open; while one is, calls that run alone answer BUSY. Kernels cannot get
 * memory: pleach_hash_reserve before the view is opened, and look at outcomes. */
typedef struct pleach_hash_view {
    void *state;       /* the table and its counters, device memory */
    void *slabs;       /* the slabs' base address */
    uint32_t key_bits;
    uint32_t set;      /* 1: keys without values */
    uint64_t seed[3];  /* of the hash function, as the algorithm uses it */
} pleach_hash_view;

/* ARGUMENT for a CPU table. */
PLEACH_API pleach_status pleach_hash_view_open(pleach_hash *hash, pleach_hash_view *view);
PLEACH_API pleach_status pleach_hash_view_close(pleach_hash *hash, pleach_hash_view *view);

#ifdef __cplusplus
}
#endif
#endif
