/* pleach/snapshot.h - snapshots: a map as it was at one instant, while updates continue.
 *
 * Snapshots can be taken of a map that was created with `versioned = 1` in its pleach_map_config. A snapshot shows the
 * whole map at the instant when it was taken: every query of it, on any number of keys and leaves, is linearizable as a
 * whole, whatever updates run concurrently. Taking a snapshot costs a few memory accesses and copies nothing.
 * Afterwards an update of a leaf that a live snapshot may still read keeps a copy of that leaf, once per snapshot and
 * leaf.
 *
 * Any number of snapshots may be live. Any threads may take, query and release them, on any streams, in any order,
 * concurrently with all calls that are not exclusive. All must be released before the map is destroyed. While a
 * snapshot is live, pleach_map_load, load_file, compact and clear return PLEACH_E_BUSY, and an erase may need memory:
 * like other updates it can be NOT_APPLIED. A snapshot can be saved to a file (pleach/file.h).
 *
 * A batch (pleach/batch.h) is one version: a snapshot includes all of it or none of it. Snapshots can be queried while
 * a batch runs; taking and releasing them waits until it ends. A batch copies the leaves that it changes and that a
 * live snapshot may read; it is refused as a whole (FULL) if memory does not suffice for that. It merges no nodes while
 * a snapshot is live.
 *
 * Ranges and range counts of a versioned map itself are linearizable too, each query as a whole: the library takes a
 * snapshot for the duration of the query. User kernels can take snapshots of a versioned GPU map
 * (pleach/versioned_device.cuh).
 *
 * CAVEATS  Snapshots hold memory: each live one keeps up to one copy of every leaf that was changed between it and the
 * next one. A copy that no live snapshot needs is reused at the next update of its leaf, but some copies stay with
 * their leaf until older snapshots are released and, on a GPU, until the kernels have ended that ran when they were
 * made. Remedy: release the oldest snapshots first; held_back_bytes in pleach_map_stats shows the gain. See
 * docs/limits.md.
 */
#ifndef PLEACH_SNAPSHOT_H
#define PLEACH_SNAPSHOT_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_snapshot pleach_snapshot;

/* Takes a snapshot.
 * ordering       With PLEACH_SYNC it is taken inside the call: it includes updates that returned before the call, and
 *                none that are called after it. With a stream (GPU maps) it is taken in stream order, concurrently with
 *                other streams: it includes what precedes it on that stream, and nothing that follows. The handle can
 *                be used at once; queries wait until the snapshot is taken.
 * concurrency    with every call; exclusive calls, batches included, wait and are waited for.
 * linearization  the fetch-and-add of the clock that yields its timestamp (docs/versioned.md).
 * errors         ARGUMENT (map or out NULL, or the map is not versioned), STREAM (a stream for a CPU map), MEMORY,
 *                CUDA. On error *out is NULL. */
PLEACH_API pleach_status pleach_snapshot_take(pleach_map *map, pleach_snapshot **out, pleach_stream stream);

/* Releases the snapshot and the memory that only it kept alive; NULL is a no-op. Waits for this snapshot's queries on
 * streams and for batches.
 * concurrency    No other query of this snapshot may be in progress or start later. */
PLEACH_API void pleach_snapshot_release(pleach_snapshot *snapshot);

/* ---- queries -------------------------------------------------------------------------------------------------------
 * memory, ordering, cost, errors   as for the function of the same name for a map (map.h).
 * concurrency    with every call and with batches; other exclusive calls wait.
 * linearization  the instant when the snapshot was taken, so all queries of one snapshot see the same contents.
 * progress       a query takes no latch, but waits while a writer is inside a leaf that it reads.
 */

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

/* This and all that follow are synchronous. */
PLEACH_API pleach_status pleach_snapshot_range(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi,
                                               uint32_t limit, size_t capacity, void *out_keys, void *out_values,
                                               uint64_t *offsets, size_t *total);

/* The number of keys.
 * cost           reads all leaves to count them. */
PLEACH_API pleach_status pleach_snapshot_size(pleach_snapshot *snapshot, uint64_t *size);

/* All pairs in ascending order, as pleach_map_export, but not exclusive. */
PLEACH_API pleach_status pleach_snapshot_export(pleach_snapshot *snapshot, size_t capacity, void *out_keys,
                                                void *out_values, size_t *n);

/* ---- device views --------------------------------------------------------------------------------------------------
 * As pleach_map_view (map.h), for kernels that use pleach/versioned_device.cuh.
 * errors         ARGUMENT for a map without versions or on the CPU. */
typedef struct pleach_versioned_view {
    void *tree, *nodes;
    uint64_t versions[9]; /* clock, version chains and snapshots, as the algorithm uses them */
    unsigned key_bits;
} pleach_versioned_view;

PLEACH_API pleach_status pleach_versioned_view_open(pleach_map *map, pleach_versioned_view *view);
PLEACH_API pleach_status pleach_versioned_view_close(pleach_map *map, pleach_versioned_view *view);

#ifdef __cplusplus
}
#endif
#endif
