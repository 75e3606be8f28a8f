/* pleach/snapshot.h - a map as it was at one instant, while updates go on.
 *
 * A map made with `versioned = 1` in its pleach_map_config lets you take snapshots. A snapshot shows the whole map at
 * the instant when it was taken: every query of it, on any number of keys and leaves, is linearizable as a whole,
 * whatever is done to the map meanwhile. Taking one costs some memory accesses; it copies nothing. Afterwards an update
 * of a leaf that a live snapshot may still ask for keeps a copy of that leaf, once per snapshot and leaf.
 *
 * Any number of threads may take, use and release snapshots beside all other calls; up to 4,096 may be live. They may
 * be released in any order, and must be released before the map is destroyed. While one is live, pleach_map_load,
 * load_file, compact and clear answer PLEACH_E_BUSY, and an erase may need memory: it can be NOT_APPLIED, as other
 * updates can. A snapshot can be saved to a file (pleach/file.h).
 *
 * Versioned maps live on the CPU.
 */
#ifndef PLEACH_SNAPSHOT_H
#define PLEACH_SNAPSHOT_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_snapshot pleach_snapshot;

/* Linearized inside the call: what returned before it is shown, what is called after it is not.
 * Errors: ARGUMENT (map or out NULL, or the map is not versioned), FULL (too many are live), MEMORY. On error *out is
 * NULL. */
PLEACH_API pleach_status pleach_snapshot_take(pleach_map *map, pleach_snapshot **out);

/* Lets go of what only this snapshot needed; NULL is allowed. No query of it may be running or come later. */
PLEACH_API void pleach_snapshot_release(pleach_snapshot *snapshot);

/* ---- queries -------------------------------------------------------------------------------------------------------
 * Arguments, results and errors as of the function of the same name for a map (map.h); synchronous. All queries of one
 * snapshot see the same contents. */

PLEACH_API pleach_status pleach_snapshot_find(pleach_snapshot *snapshot, size_t n, const void *keys, void *values,
                                              uint8_t *found);
PLEACH_API pleach_status pleach_snapshot_succ(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                              void *out_values, uint8_t *found);
PLEACH_API pleach_status pleach_snapshot_pred(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                              void *out_values, uint8_t *found);
PLEACH_API pleach_status pleach_snapshot_range_count(pleach_snapshot *snapshot, size_t n, const void *lo,
                                                     const void *hi, uint64_t *counts);
PLEACH_API pleach_status pleach_snapshot_range(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi,
                                               uint32_t limit, size_t capacity, void *out_keys, void *out_values,
                                               uint64_t *offsets, size_t *total);

/* Number of keys. Counts them: takes as long as reading all leaves. */
PLEACH_API pleach_status pleach_snapshot_size(pleach_snapshot *snapshot, uint64_t *size);

/* All pairs in ascending order; as pleach_map_export, but beside everything else. */
PLEACH_API pleach_status pleach_snapshot_export(pleach_snapshot *snapshot, size_t capacity, void *out_keys,
                                                void *out_values, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
