/* pleach/snapshot.h - a map as it was at one instant, while updates go on.
 *
 * A map made with `versioned = 1` in its pleach_map_config lets you take snapshots. A snapshot shows the whole map at
 * the instant when it was taken: every query of it, on any number of keys and leaves, is linearizable as a whole,
 * whatever is done to the map meanwhile. Taking one costs some memory accesses; it copies nothing. Afterwards an update
 * of a leaf that a live snapshot may still ask for keeps a copy of that leaf, once per snapshot and leaf.
 *
 * Any number may be live, taken and asked and released by any threads, on any streams, in any order, beside all other
 * calls but those that run alone; all must be released before the map is destroyed. While one is live, pleach_map_load,
 * load_file, compact and clear answer PLEACH_E_BUSY, and an erase may need memory: it can be NOT_APPLIED, as other
 * updates can. A snapshot can be saved to a file (pleach/file.h).
 *
 * A batch (pleach/batch.h) is one version: a snapshot shows all of it or nothing. Snapshots are asked while it runs;
 * taking and releasing them waits until it is over. A batch copies the leaves that it changes and a live snapshot may
 * ask for, and is refused as a whole (FULL) if there is no memory for that. Nodes are not put together meanwhile.
 *
 * CAVEATS  Each live snapshot keeps up to one copy of every leaf that was changed between it and the next one. What no
 * live snapshot needs is used again at the next update of its leaf, but some copies stay with their leaf until older
 * snapshots are released, and on a GPU until kernels have ended that ran when they were made. See docs/limits.md.
 *
 * Ranges and range counts of a versioned map itself are linearizable too, each query as a whole: the library takes a
 * snapshot for them, which lasts as long as the query.
 *
 * Kernels of yours take snapshots of a versioned GPU map by themselves: pleach/versioned_device.cuh.
 */
#ifndef PLEACH_SNAPSHOT_H
#define PLEACH_SNAPSHOT_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_snapshot pleach_snapshot;

/* With PLEACH_SYNC the snapshot is taken inside the call: what returned before it is shown, what is called after it is
 * not. With a stream (of a GPU map) it is taken in stream order, beside whatever runs on others: what comes before it
 * on that stream is shown, what comes after is not. It can be used at once; queries wait for it.
 * Errors: ARGUMENT (map or out NULL, or the map is not versioned), STREAM (a stream for a CPU map), MEMORY, CUDA. On
 * error *out is NULL. */
PLEACH_API pleach_status pleach_snapshot_take(pleach_map *map, pleach_snapshot **out, pleach_stream stream);

/* Lets go of what only this snapshot needed; NULL is allowed. Waits for queries of it on streams; no other may be
 * running or come later. */
PLEACH_API void pleach_snapshot_release(pleach_snapshot *snapshot);

/* ---- queries -------------------------------------------------------------------------------------------------------
 * Arguments, results and errors as of the function of the same name for a map (map.h). All queries of one snapshot see
 * the same contents. */

PLEACH_API pleach_status pleach_snapshot_find(pleach_snapshot *snapshot, size_t n, const void *keys, void *values,
                                              uint8_t *found, pleach_stream stream);
PLEACH_API pleach_status pleach_snapshot_succ(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                              void *out_values, uint8_t *found, pleach_stream stream);
PLEACH_API pleach_status pleach_snapshot_pred(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                              void *out_values, uint8_t *found, pleach_stream stream);
PLEACH_API pleach_status pleach_snapshot_range_count(pleach_snapshot *snapshot, size_t n, const void *lo,
                                                     const void *hi, uint64_t *counts, pleach_stream stream);
PLEACH_API pleach_status pleach_snapshot_range_limit(pleach_snapshot *snapshot, size_t n, const void *lo,
                                                     const void *hi, uint32_t limit, void *out_keys, void *out_values,
                                                     uint32_t *counts, pleach_stream stream);

/* Synchronous, as all that follow. */
PLEACH_API pleach_status pleach_snapshot_range(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi,
                                               uint32_t limit, size_t capacity, void *out_keys, void *out_values,
                                               uint64_t *offsets, size_t *total);

/* Number of keys. Counts them: takes as long as reading all leaves. */
PLEACH_API pleach_status pleach_snapshot_size(pleach_snapshot *snapshot, uint64_t *size);

/* All pairs in ascending order; as pleach_map_export, but beside everything else. */
PLEACH_API pleach_status pleach_snapshot_export(pleach_snapshot *snapshot, size_t capacity, void *out_keys,
                                                void *out_values, size_t *n);

/* ---- device views --------------------------------------------------------------------------------------------------
 * As of a map without versions (map.h), for kernels that use pleach/versioned_device.cuh. ARGUMENT for a map of the
 * other kind. */
typedef struct pleach_versioned_view {
    void *tree, *nodes;
    uint64_t versions[9]; /* the snapshots' side of it */
    unsigned key_bits;
} pleach_versioned_view;

PLEACH_API pleach_status pleach_versioned_view_open(pleach_map *map, pleach_versioned_view *view);
PLEACH_API pleach_status pleach_versioned_view_close(pleach_map *map, pleach_versioned_view *view);

#ifdef __cplusplus
}
#endif
#endif
