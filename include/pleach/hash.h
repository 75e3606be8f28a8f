/* pleach/hash.h - the slab hash: a concurrent hash table (map or set), for use where order does not matter.
 *
 * A table holds unique unsigned keys of 32 or 64 bits, each with a value of the same width (a map) or without one (a
 * set). The full range of both is usable; no key or value is reserved. A table grows by itself, concurrently with
 * readers and writers.
 *
 * WHAT IS LINEARIZABLE
 *   put, add, erase, find, contains   yes: each element takes effect at one instant between call and return. The
 *                                     elements of one array call take effect one after another in an unspecified
 *                                     order, as if from many threads. This includes equal keys in one call.
 *   size                              exact while no update is running; otherwise it may miss some updates. It is never
 *                                     negative.
 *   reserve, compact, export, clear,  exclusive: they wait until all other calls are done, and block new calls.
 *   validate, get_stats
 *
 * There are array calls, single calls, and calls from user kernels (pleach/hash_device.cuh); all may be made
 * concurrently. Arguments, pointers, streams and the meaning of "may be NULL" are as in pleach/map.h.
 *
 * WHEN MEMORY RUNS OUT
 *
 * An update that needs memory when the pool is at its limit is not applied: its outcome is PLEACH_NOT_APPLIED, and the
 * call returns PLEACH_E_FULL. Everything else in the call is applied. A table that cannot allocate the memory to grow
 * gets longer chains instead, for as long as there is any memory.
 *
 * MEMORY
 *
 * 128 bytes per slab. A slab has 14 slots (32-bit map, 64-bit set), 28 (32-bit set) or 7 (64-bit map); between growths
 * 0.36 to 0.74 of the slots are used. Growth leaves about as much free memory as the slabs occupy (docs/hash.md lists
 * bytes per key). Slots of erased keys and emptied slabs are reused; pleach_hash_compact returns memory to the system.
 *
 * CAVEATS
 *
 * - Keys chosen by an adversary can collide. Each table draws the seed of its hash function at random when it is
 *   created, so keys that were chosen without knowing the seed share buckets no more often than random keys. With the
 *   seed known, keys can be chosen that all share one bucket; each operation then reads all of them. Remedy: set `seed`
 *   or fixed_seed only if runs must be reproducible (the order of pleach_hash_export depends on the seed) and the keys
 *   come from a trusted source.
 * - The hash function is not cryptographic: a caller that can time single operations may learn which keys share a
 *   bucket. Remedy: the ordered map (pleach/map.h), which treats all keys alike.
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
    unsigned threads;      /* CPU: worker threads for array calls, at most 1024; 0 means one per online CPU */
    int gpu;               /* CUDA: device ordinal */
    uint32_t seed;         /* of the hash function; 0 means a random one, unless fixed_seed is 1 */
    uint64_t max_bytes;    /* limit on memory; 0 means no limit but the machine's (docs/limits.md, "Many structures") */
    uint64_t reserve_keys; /* start with enough buckets for this many keys */
    unsigned fixed_seed;   /* 1: `seed` is used as it is, even if it is 0 */
} pleach_hash_config;

typedef struct pleach_hash_stats {
    uint64_t keys;
    uint64_t buckets;
    uint64_t slabs;          /* first slabs of buckets, and those chained to them */
    uint64_t overflow_slabs; /* slabs that are not the first of their bucket */
    uint64_t longest_chain;  /* slabs of the longest bucket */
    uint64_t moved_buckets;  /* buckets already moved while the table grows; 0 if it is not growing */
    uint64_t slab_bytes;     /* 128 * slabs */
    uint64_t free_bytes;     /* allocated from the system, and free */
    double utilisation;      /* keys / slots */
} pleach_hash_stats;

/* Creates an empty table.
 * errors         ARGUMENT, MEMORY, FULL (reserve_keys need more than max_bytes); with device = PLEACH_CUDA also
 *                NO_CUDA, NO_GPU, CUDA. */
PLEACH_API pleach_status pleach_hash_create(pleach_hash **hash, const pleach_hash_config *config);

/* Frees the table and its memory; NULL is a no-op.
 * concurrency    No other call may be in progress or start later. */
PLEACH_API void pleach_hash_destroy(pleach_hash *hash);

/* ---- array calls -----------------------------------------------------------------------------------------------
 * memory         as in pleach/map.h. For a set, `values` and results that are values must be NULL.
 * ordering       synchronous, or on the stream.
 * concurrency    with every call; exclusive calls wait.
 * linearization  insert: the store of the slab's mask with the key's bit, or of the link to its slab; erase: the store
 *                of the mask without it; new value: the store of its word; find: a load (docs/hash.md has all cases).
 * progress       find takes no latch and never waits. An update latches one bucket (some tens of keys) while it changes
 *                it.
 * errors         ARGUMENT, SIZE, POINTER, STREAM, FULL, MEMORY, CUDA.
 */

/* Inserts or assigns. outcomes (pleach_outcome as bytes) and old_values may each be NULL. */
PLEACH_API pleach_status pleach_hash_put(pleach_hash *hash, size_t n, const void *keys, const void *values,
                                         uint8_t *outcomes, void *old_values, pleach_stream stream);
/* Inserts if absent. */
PLEACH_API pleach_status pleach_hash_add(pleach_hash *hash, size_t n, const void *keys, const void *values,
                                         uint8_t *outcomes, void *old_values, pleach_stream stream);
PLEACH_API pleach_status pleach_hash_erase(pleach_hash *hash, size_t n, const void *keys, uint8_t *outcomes,
                                           void *old_values, pleach_stream stream);
/* values[i] is written if keys[i] is found. values and found may each be NULL. */
PLEACH_API pleach_status pleach_hash_find(pleach_hash *hash, size_t n, const void *keys, void *values, uint8_t *found,
                                          pleach_stream stream);
PLEACH_API pleach_status pleach_hash_contains(pleach_hash *hash, size_t n, const void *keys, uint8_t *found,
                                              pleach_stream stream);

/* ---- single calls, from any thread; synchronous. A set ignores `value` and reports 0 as old values. ---- */
PLEACH_API pleach_status pleach_hash_put_one(pleach_hash *hash, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                             uint64_t *old_value);
PLEACH_API pleach_status pleach_hash_add_one(pleach_hash *hash, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                             uint64_t *old_value);
PLEACH_API pleach_status pleach_hash_erase_one(pleach_hash *hash, uint64_t key, pleach_outcome *outcome,
                                               uint64_t *old_value);
PLEACH_API pleach_status pleach_hash_find_one(pleach_hash *hash, uint64_t key, int *found, uint64_t *value);

/* ---- the whole table; exclusive, except key_bits and size ---- */

PLEACH_API unsigned pleach_hash_key_bits(const pleach_hash *hash); /* 0 for NULL */
PLEACH_API pleach_status pleach_hash_size(pleach_hash *hash, uint64_t *size);

/* Makes at least as many buckets as `keys` keys need, so that they can be inserted without growth.
 * errors         FULL if max_bytes does not allow it, or for more than 2^35 keys; MEMORY if the machine does not have
 *                that much. The table is then unchanged. */
PLEACH_API pleach_status pleach_hash_reserve(pleach_hash *hash, uint64_t keys);

/* Reduces the table to as few buckets as its keys need, and returns memory to the system. Never makes the table larger.
 * Needs memory for a copy while it runs; after FULL or MEMORY the table is unchanged. */
PLEACH_API pleach_status pleach_hash_compact(pleach_hash *hash);

/* All keys, in no particular order, and their values. out_keys and out_values may each be NULL; if both are, the call
 * only counts. *n (required) is the number of keys.
 * errors         SPACE if *n > capacity: *n is set, and nothing else is written. */
PLEACH_API pleach_status pleach_hash_export(pleach_hash *hash, size_t capacity, void *out_keys, void *out_values,
                                            size_t *n);

/* Removes everything and returns the memory to the system. */
PLEACH_API pleach_status pleach_hash_clear(pleach_hash *hash);

PLEACH_API pleach_status pleach_hash_get_stats(pleach_hash *hash, pleach_hash_stats *stats);

/* Checks every invariant of docs/hash.md that can be checked while no call is running.
 * errors         CORRUPT: the message (may be NULL) names the first invariant that fails, and the slab. Otherwise the
 *                message is empty. */
PLEACH_API pleach_status pleach_hash_validate(pleach_hash *hash, char *message, size_t message_size);

/* ---- device views ----------------------------------------------------------------------------------------------
 * What a kernel needs to work on a table; pass it by value. Open a view, launch kernels that use
 * pleach/hash_device.cuh, wait for them, close the view. Any number of views may be open; while one is, exclusive calls
 * return BUSY. Kernels cannot allocate memory: call pleach_hash_reserve before opening the view, and check outcomes. */
typedef struct pleach_hash_view {
    void *state;       /* the table and its counters, device memory */
    void *slabs;       /* the slabs' base address */
    uint32_t key_bits;
    uint32_t set;      /* 1: keys without values */
    uint64_t seed[3];  /* of the hash function, as the algorithm uses it */
} pleach_hash_view;

/* errors         ARGUMENT for a CPU table. */
PLEACH_API pleach_status pleach_hash_view_open(pleach_hash *hash, pleach_hash_view *view);
PLEACH_API pleach_status pleach_hash_view_close(pleach_hash *hash, pleach_hash_view *view);

#ifdef __cplusplus
}
#endif
#endif
