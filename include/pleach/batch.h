/* pleach/batch.h - an array of operations of all kinds on an ordered map, as if one after the other.
 *
 * pleach_map_apply carries out the n operations of a batch with the same results, and the same map in the end, as if
 * they were called one by one in the order of the array, and nobody else were there. A find sees the put before it and
 * not the one after it; a range sees what the batch has inserted and erased so far. Any number of operations may name
 * the same key.
 *
 * All or nothing: if the call fails, the map is as it was. Deterministic: the same batch on the same map makes the same
 * tree, whatever the number of threads.
 *
 * A batch of n operations takes n log n steps, and log n for each pair that its ranges find, whatever it names: also
 * where many queries pass by many keys that the same batch has erased, or inserts later.
 *
 * The batch runs alone: it waits until all other calls, and the streams' work on this map, are done, and holds
 * newcomers back while it runs, all but queries at snapshots. While a device view is open it answers PLEACH_E_BUSY.
 *
 * Snapshots of a versioned map (pleach/snapshot.h) show a batch as a whole or not at all. While one is live, a batch
 * needs memory for copies of the leaves that it changes, an erase too. Taking and releasing them waits for batches.
 *
 * After a batch with erases, small neighbouring nodes are put together, unless a snapshot is live, and nodes that
 * become free are used for what is inserted later. A map that a batch leaves empty begins anew.
 */
#ifndef PLEACH_BATCH_H
#define PLEACH_BATCH_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an operation does, and what it leaves in the arrays of results; * marks what is written only if the key was
 * there. `flags` has outcomes (pleach_outcome) of updates, and 1 or 0, found or not, of queries. */
typedef enum pleach_operation {
    PLEACH_OP_PUT = 0,      /* key, value -> flags, out_values*: the old value */
    PLEACH_OP_ADD = 1,      /* key, value -> flags, out_values* */
    PLEACH_OP_ERASE = 2,    /* key        -> flags, out_values* */
    PLEACH_OP_FIND = 3,     /* key        -> flags, out_values* */
    PLEACH_OP_CONTAINS = 4, /* key        -> flags */
    PLEACH_OP_SUCC = 5,     /* key        -> flags, out_keys*, out_values*: the smallest key above */
    PLEACH_OP_PRED = 6,     /* key        -> flags, out_keys*, out_values*: the largest key below */
    PLEACH_OP_COUNT = 7,    /* lo, hi     -> counts: keys in the closed interval; hi stands among the values */
    PLEACH_OP_RANGE = 8     /* lo, hi     -> counts, and the pairs, see below */
} pleach_operation;

/* How long the stages of a batch took, in seconds, as one of its threads saw it: only CPU maps tell. And `steps`. */
typedef struct pleach_batch_times {
    double list;   /* finding out which operations have to do with each other */
    double read;   /* finds that no update concerns */
    double sort;   /* the others, by key */
    double search; /* their keys in the tree, and their answers */
    double query;  /* ranges, counts, successors, predecessors */
    double modify; /* the tree */
    uint64_t steps; /* of queries that passed by many keys that were not there at their places; no time */
} pleach_batch_times;

/* Zero everything, then set what you need. Arrays have n elements. Keys and values are arrays of uint32_t, of uint64_t
 * or of pleach_key128, by the map's key width. A GPU map takes host and device pointers alike, a CPU map host pointers.
 */
typedef struct pleach_batch {
    size_t n; /* at most 2^30 */
    const uint8_t *kinds;
    const void *keys;
    const void *values;  /* may be NULL if no operation needs them */
    uint8_t *flags;      /* results may be NULL */
    void *out_keys;
    void *out_values;
    uint64_t *counts;

    /* Pairs of ranges, packed: operation i's are at offsets[i] .. offsets[i+1]-1 of range_keys and range_values (each
     * may be NULL), which have room for `capacity` pairs. offsets has n+1 elements; NULL: ranges only count. limit = 0
     * means all pairs, else at most so many per range. */
    uint32_t limit;
    size_t capacity;
    void *range_keys;
    void *range_values;
    uint64_t *offsets;
    size_t total; /* set by the call: pairs of all ranges */

    pleach_batch_times *times; /* set by the call, unless NULL */
} pleach_batch;

/* Synchronous.
 * Errors: ARGUMENT (map, batch, kinds or keys NULL, an operation that there is not, or one whose value is missing),
 * SIZE (n), POINTER, FULL (the pool is at its limit), SPACE (more than `capacity` pairs; `total` says how many),
 * MEMORY, BUSY (a device view is open), CUDA. After an error the map is as it was, and what the results hold is not
 * specified. */
PLEACH_API pleach_status pleach_map_apply(pleach_map *map, pleach_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
