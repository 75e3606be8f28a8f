/* pleach/index.h - a multi-value index: every key has a set of record ids, on the CPU and on NVIDIA GPUs.
 *
 * INTRODUCTION
 *
 * An index holds pairs (key, id), each at most once. The ids of a key are a set, which may be empty or have millions of
 * members. Databases call this a secondary index; other names are multi-value map and multimap. Keys and ids are
 * unsigned and have the same width, 32 or 64 bits, chosen when the index is created. The full range of both is usable;
 * no key and no id is reserved.
 *
 * It is a thin layer over the ordered map (pleach/map.h): the pair is the map's key, with the id in its lower half. A
 * 32-bit index is a map with 64-bit keys, on the CPU or on a GPU; a 64-bit index is a map with 128-bit keys, on the CPU
 * only. So the ids of a key are adjacent in the tree and are returned in ascending order.
 *
 * WHAT IS LINEARIZABLE
 *
 *   insert, erase, contains   yes: each element takes effect at one instant between call and return.
 *   count, retrieve           per leaf: each leaf of the tree (up to 14 adjacent pairs) is read at one instant,
 *                             different leaves at different instants. A pair that is not updated during the call is
 *                             always reported correctly. Versioned index: yes, each key as a whole.
 *   apply                     as if its operations were called one after another with no other call running; all or
 *                             nothing.
 *   size                      exact while no update is running.
 *
 * The elements of one array call take effect one after another in an unspecified order. All calls are synchronous and
 * may be made from any number of threads. Exclusive calls (apply, validate, and arrays of updates that the map applies
 * as a batch, see pleach_engine in map.h) wait for the others and block new ones.
 *
 * POINTERS
 *
 * Arrays of keys and ids are arrays of uint32_t or uint64_t, according to the width of the index. All arrays are host
 * memory, even for an index on a GPU; device memory gives PLEACH_E_POINTER. n = 0 succeeds and touches nothing.
 *
 * MEMORY
 *
 * A call needs scratch memory for its elements: 2 or 4 times the size of its keys and ids. After MEMORY nothing was
 * applied. An update that needs a node when the limit is reached is not applied: its outcome is PLEACH_NOT_APPLIED, and
 * the call returns PLEACH_E_FULL. The index stays valid and usable. apply then applies nothing.
 */
#ifndef PLEACH_INDEX_H
#define PLEACH_INDEX_H

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_index pleach_index;

/* Options. Zero everything, then set what you need: all zeros is a 64-bit index on the CPU. */
typedef struct pleach_index_config {
    pleach_device device;
    unsigned key_bits;      /* of keys and of ids: 32 or, on the CPU, 64; 0 means 64 */
    unsigned threads;       /* this and the following as in pleach_map_config */
    int gpu;
    uint64_t max_bytes;
    uint64_t reserve_pairs; /* preallocate node memory for this many pairs */
    unsigned versioned;
} pleach_index_config;

/* ---- lifetime --------------------------------------------------------------------------------------------------- */

/* Creates an empty index. config may be NULL (all defaults).
 * errors         ARGUMENT (an option out of range, a GPU index with 64-bit keys, out NULL), MEMORY, FULL (reserve_pairs
 *                beyond the limit), NO_CUDA, NO_GPU, CUDA. On error *out is NULL. */
PLEACH_API pleach_status pleach_index_create(pleach_index **out, const pleach_index_config *config);

/* Frees the index and its memory; NULL is a no-op.
 * concurrency    No other call may be in progress or start later. */
PLEACH_API void pleach_index_destroy(pleach_index *index);

/* Returns the underlying map, which lives as long as the index; NULL for NULL. Use it for map calls that this header
 * does not wrap, such as statistics, reserve, compact, clear, snapshots and files. Its keys are key * 2^key_bits + id;
 * all its values are 0. */
PLEACH_API pleach_map *pleach_index_map(pleach_index *index);

/* ---- arrays of pairs -----------------------------------------------------------------------------------------------
 * memory         reads keys[n] and ids[n]; writes outcomes[n] (pleach_outcome as bytes), which may be NULL.
 * concurrency    with every call; exclusive calls wait.
 * cost           one descent per element, as in pleach_map_put.
 * errors         ARGUMENT (a pointer is NULL), SIZE (n), FULL (see above), POINTER, MEMORY, CUDA.
 */

/* Afterwards each pair is in the index. Outcome: PLEACH_INSERTED, or PLEACH_EXISTS if it was present before. */
PLEACH_API pleach_status pleach_index_insert(pleach_index *index, size_t n, const void *keys, const void *ids,
                                             uint8_t *outcomes);

/* Afterwards no pair is in the index. Outcome: PLEACH_ERASED, or PLEACH_ABSENT if it was absent before. */
PLEACH_API pleach_status pleach_index_erase(pleach_index *index, size_t n, const void *keys, const void *ids,
                                            uint8_t *outcomes);

/* found[i] is 1 or 0. */
PLEACH_API pleach_status pleach_index_contains(pleach_index *index, size_t n, const void *keys, const void *ids,
                                               uint8_t *found);

/* ---- arrays of keys -------------------------------------------------------------------------------------------- */

/* counts[i] = number of ids of keys[i].
 * cost           reads the leaves that hold them. */
PLEACH_API pleach_status pleach_index_count(pleach_index *index, size_t n, const void *keys, uint64_t *counts);

/* All ids of all keys, packed, those of one key ascending. limit = 0 means all, otherwise the smallest `limit` per key.
 * memory         the ids of keys[i] are at offsets[i] .. offsets[i+1]-1 of ids, which has room for `capacity`. ids may
 *                be NULL: then the call only counts and ignores capacity. offsets has n+1 elements and may be NULL only
 *                if n is 0. *total (may be NULL) is the number of ids found.
 * errors         also SPACE (*total > capacity): offsets and *total are correct, ids is unspecified. */
PLEACH_API pleach_status pleach_index_retrieve(pleach_index *index, size_t n, const void *keys, uint32_t limit,
                                               size_t capacity, void *ids, uint64_t *offsets, size_t *total);

/* ---- batches ---------------------------------------------------------------------------------------------------- */

/* Inputs -> results of each operation. */
typedef enum pleach_index_operation {
    PLEACH_INDEX_INSERT = 0,   /* key, id -> flags: the outcome */
    PLEACH_INDEX_ERASE = 1,    /* key, id -> flags: the outcome */
    PLEACH_INDEX_CONTAINS = 2, /* key, id -> flags: 1 or 0 */
    PLEACH_INDEX_COUNT = 3,    /* key     -> counts */
    PLEACH_INDEX_RETRIEVE = 4  /* key     -> counts, and the ids, see below */
} pleach_index_operation;

/* Zero everything, then set what you need. Arrays have n elements. */
typedef struct pleach_index_batch {
    size_t n; /* at most 2^30 */
    const uint8_t *kinds;
    const void *keys;
    const void *ids;  /* may be NULL if no operation needs them */
    uint8_t *flags;   /* results may be NULL */
    uint64_t *counts;

    /* Ids of retrievals, packed: those of operation i are at offsets[i] .. offsets[i+1]-1 of out_ids (may be NULL),
     * which has room for `capacity`. offsets has n+1 elements; if it is NULL, retrievals only count. limit = 0 means
     * all ids, otherwise at most limit per retrieval. */
    uint32_t limit;
    size_t capacity;
    void *out_ids;
    uint64_t *offsets;
    size_t total; /* set by the call: ids of all retrievals */
} pleach_index_batch;

/* Executes the operations. The results and the final index are the same as if they were called one by one in array
 * order with no other call running (pleach_map_apply, pleach/batch.h, whose contract holds).
 * errors         ARGUMENT (index, batch, kinds or keys NULL; an unknown operation, or one whose id is missing), SIZE
 *                (n), POINTER, FULL (the pool is at its limit), SPACE (more than `capacity` ids; `total` is the number
 *                needed), MEMORY, BUSY (a device view of the underlying map is open), CUDA. After an error the index is
 *                unchanged, and the contents of the results are unspecified. */
PLEACH_API pleach_status pleach_index_apply(pleach_index *index, pleach_index_batch *batch);

/* ---- the whole index ------------------------------------------------------------------------------------------- */

/* The number of pairs. */
PLEACH_API pleach_status pleach_index_size(pleach_index *index, uint64_t *size);

/* As pleach_map_validate. */
PLEACH_API pleach_status pleach_index_validate(pleach_index *index, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
