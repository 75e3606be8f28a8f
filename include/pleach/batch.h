/* pleach/batch.h - an array of operations of all kinds on an ordered map, executed as if one after another.
 *
 * pleach_map_apply executes the n operations of a batch. The results and the final map are the same as if the
 * operations were called one by one in array order, with no other call running. A find sees a put that precedes it in
 * the array, and not one that follows; a range sees what the batch has inserted and erased before it. Any number of
 * operations may name the same key.
 *
 * All or nothing: if the call fails, the map is unchanged. Deterministic: the same batch on the same map makes the same
 * tree, whatever the number of threads.
 *
 * Snapshots of a versioned map (pleach/snapshot.h) include all of a batch or none of it. While one is live, a batch
 * needs memory for copies of the leaves that it changes, even by erasing. Taking and releasing snapshots waits for
 * batches.
 *
 * After a batch with erases, underfull neighbouring nodes are merged, unless a snapshot is live, and freed nodes are
 * reused by later inserts. A map that a batch leaves empty is reset to an empty tree.
 */
#ifndef PLEACH_BATCH_H
#define PLEACH_BATCH_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds that the stages of a batch took, as measured by one of its threads (CPU maps only), and a step count. */
typedef struct pleach_batch_times {
    double list;   /* selecting the operations that interact with others */
    double read;   /* finds that no update affects */
    double sort;   /* the other operations, by key */
    double search; /* their keys in the tree, and their results */
    double query;  /* ranges, counts, successors, predecessors */
    double modify; /* changing the tree */
    uint64_t steps; /* not a time: steps of queries past many keys that are absent at the query's place in the order */
} pleach_batch_times;

/* Zero everything, then set what you need. Arrays have n elements. Keys and values are arrays of uint32_t, uint64_t or
 * pleach_key128, according to the map's key width. A GPU map accepts host and device pointers, a CPU map host pointers.
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

    /* Pairs of ranges, packed: those of operation i are at offsets[i] .. offsets[i+1]-1 of range_keys and range_values
     * (each may be NULL), which have room for `capacity` pairs. offsets has n+1 elements; if it is NULL, ranges only
     * count. limit = 0 means all pairs, otherwise at most limit per range. */
    uint32_t limit;
    size_t capacity;
    void *range_keys;
    void *range_values;
    uint64_t *offsets;
    size_t total; /* set by the call: pairs of all ranges */

    pleach_batch_times *times; /* set by the call, unless NULL */
} pleach_batch;

/* ordering       synchronous; the operations take effect in array order.
 * concurrency    exclusive: waits for all other calls and for the streams' work on this map, and blocks new calls until
 *                it returns. Only snapshot queries may run concurrently.
 * linearization  the whole batch at once, while it runs.
 * cost           n log n steps, and log n for each pair that its ranges find. This also holds if many queries pass many
 *                keys that the same batch has erased before them or inserts after them.
 * errors         ARGUMENT (map, batch, kinds or keys NULL; an unknown operation, or one whose value is missing), SIZE
 *                (n), POINTER, FULL (the pool is at its limit), SPACE (more than `capacity` pairs; `total` is the
 *                number needed), MEMORY, BUSY (a device view is open), CUDA. After an error the map is unchanged, and
 *                the contents of the results are unspecified. */
PLEACH_API pleach_status pleach_map_apply(pleach_map *map, pleach_batch *batch);

#ifdef __cplusplus
}
#endif
#endif
