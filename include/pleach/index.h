/* pleach/index.h - a multi-value index: every key has a set of record ids, on the CPU and on NVIDIA GPUs.
 *
 * INTRODUCTION
 *
 * An index holds pairs (key, id), each at most once. The ids of a key are a set, which may be empty or have millions of
 * members: what databases call a secondary index, and others a multi-value map or multimap. Keys and ids are unsigned
 * and have the same width, 32 or 64 bits, chosen when the index is created. The full range of both is usable; no key
 * and no id is reserved.
 *
 * It is a thin layer above the ordered map (pleach/map.h): the pair is the map's key, with the id in its lower half. A
 * 32-bit index is a map with 64-bit keys, on the CPU or on a GPU; a 64-bit index is one with 128-bit keys, on the CPU
 * only. So the ids of a key are neighbours in the tree, and come out in ascending order.
 *
 * WHAT IS LINEARIZABLE
 *
 *   insert, erase, contains   yes: each element takes effect at one instant between call and return.
 *   count, retrieve           each leaf of the tree (up to 14 neighbouring pairs) is read at one instant, different
 *                             leaves at different instants. Pairs that nobody updates during the call are always right.
 *                             Of a versioned index: yes, each key as a whole.
 *   apply                     as if its operations came one after the other, with nobody else there; all or nothing.
 *   size                      exact when no update is running.
 *
 * Elements of one array call take effect one after the other in an unspecified order. All calls may be made from any
 * number of threads; those that run alone (apply, validate, and arrays of updates that the map applies as a batch, see
 * pleach_engine in map.h) wait for the others and hold newcomers back. All are synchronous.
 *
 * POINTERS
 *
 * Arrays of keys and ids are arrays of uint32_t or of uint64_t, by the width of the index. All arrays are host memory,
 * also for an index on a GPU: device memory is answered with PLEACH_E_POINTER. n = 0 is success and touches nothing.
 *
 * MEMORY
 *
 * A call needs scratch memory for its elements: 2 or 4 times what its keys and ids take. On MEMORY nothing was applied.
 * An update that needs a node when the limit is reached is not applied, and says so (PLEACH_NOT_APPLIED); the call
 * answers PLEACH_E_FULL, and the index stays valid and usable. apply then applies nothing.
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
    unsigned threads;       /* these are as in pleach_map_config */
    int gpu;
    uint64_t max_bytes;
    uint64_t reserve_pairs; /* have node memory ready for so many pairs */
    unsigned versioned;
} pleach_index_config;

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* Creates an empty index. config may be NULL (all defaults).
 * Errors: ARGUMENT (an option out of range, a GPU index with 64-bit keys, out NULL), MEMORY, FULL (reserve_pairs beyond
 * the limit), NO_CUDA, NO_GPU, CUDA. On error *out is NULL. */
PLEACH_API pleach_status pleach_index_create(pleach_index **out, const pleach_index_config *config);

/* Frees the index and its memory; NULL is allowed. No other call may be running or come later. */
PLEACH_API void pleach_index_destroy(pleach_index *index);

/* The map underneath, which lives as long as the index; NULL for NULL. For what a map can do and this header does not
 * name, such as statistics, reserve, compact, clear, snapshots and files. Its keys are key * 2^key_bits + id, and its
 * values are all 0. */
PLEACH_API pleach_map *pleach_index_map(pleach_index *index);

/* ---- arrays of pairs -----------------------------------------------------------------------------------------------
 * memory         keys[n] and ids[n] are read; outcomes[n] (pleach_outcome as bytes) is written and may be NULL.
 * concurrency    with every call; those that run alone wait.
 * cost           one descent per element, as in pleach_map_put.
 * errors         ARGUMENT (a pointer is NULL), SIZE (n), FULL (see above), POINTER, MEMORY, CUDA.
 */

/* Each pair is in the index afterwards: PLEACH_INSERTED, or PLEACH_EXISTS if it was before. */
PLEACH_API pleach_status pleach_index_insert(pleach_index *index, size_t n, const void *keys, const void *ids,
                                             uint8_t *outcomes);

/* No pair is in the index afterwards: PLEACH_ERASED, or PLEACH_ABSENT if it was not before. */
PLEACH_API pleach_status pleach_index_erase(pleach_index *index, size_t n, const void *keys, const void *ids,
                                            uint8_t *outcomes);

/* found[i] is 1 or 0. */
PLEACH_API pleach_status pleach_index_contains(pleach_index *index, size_t n, const void *keys, const void *ids,
                                               uint8_t *found);

/* ---- arrays of keys -------------------------------------------------------------------------------------------- */

/* counts[i] = number of ids that keys[i] has. Cost: the leaves that they are in. */
PLEACH_API pleach_status pleach_index_count(pleach_index *index, size_t n, const void *keys, uint64_t *counts);

/* All ids of all keys, packed, those of one key ascending: the ids of keys[i] are at offsets[i] .. offsets[i+1]-1 of
 * ids, which has room for `capacity` and may be NULL: then it only counts, and capacity does not matter. offsets has
 * n+1 elements and may be NULL only if n is 0. *total (may be NULL) is the number of ids found. limit = 0 means all, else at most so
 * many of each key, the smallest ones.
 * SPACE if *total > capacity: then offsets and *total are right, and what ids holds is not specified. */
PLEACH_API pleach_status pleach_index_retrieve(pleach_index *index, size_t n, const void *keys, uint32_t limit,
                                               size_t capacity, void *ids, uint64_t *offsets, size_t *total);

/* ---- batches ---------------------------------------------------------------------------------------------------- */

/* What an operation does, and what it leaves in the arrays of results. */
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

    /* Ids of retrievals, packed: operation i's are at offsets[i] .. offsets[i+1]-1 of out_ids (may be NULL), which has
     * room for `capacity`. offsets has n+1 elements; NULL: retrievals only count. limit = 0 means all ids, else at most
     * so many of each retrieval. */
    uint32_t limit;
    size_t capacity;
    void *out_ids;
    uint64_t *offsets;
    size_t total; /* set by the call: ids of all retrievals */
} pleach_index_batch;

/* Carries out the operations with the same results, and the same index in the end, as if they were called one by one in
 * the order of the array, and nobody else were there (pleach_map_apply, pleach/batch.h).
 * Errors: ARGUMENT (index, batch, kinds or keys NULL, an operation that there is not, or one whose id is missing),
 * SIZE (n), POINTER, FULL (the pool is at its limit), SPACE (more than `capacity` ids; `total` says how many), MEMORY,
 * BUSY (a device view of the map underneath), CUDA. After an error the index is as it was, and what the results hold is
 * not specified. */
PLEACH_API pleach_status pleach_index_apply(pleach_index *index, pleach_index_batch *batch);

/* ---- the whole ------------------------------------------------------------------------------------------------- */

/* Pairs in the index. */
PLEACH_API pleach_status pleach_index_size(pleach_index *index, uint64_t *size);

/* As pleach_map_validate. */
PLEACH_API pleach_status pleach_index_validate(pleach_index *index, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
