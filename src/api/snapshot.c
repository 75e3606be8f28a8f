/* api/snapshot.c - snapshots of a versioned map: the map's own queries, with a timestamp. */
#include "../../include/pleach/snapshot.h"

#include "../base/memory.h"
#include "map_object.h"

pleach_status pleach_snapshot_take(pleach_map *map, pleach_snapshot **out)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    if (!map || !map->ops->take) return PLEACH_E_ARGUMENT;
    pleach_snapshot *snapshot = base_alloc(1, sizeof *snapshot);
    if (!snapshot) return PLEACH_E_MEMORY;
    snapshot->map = map;
    gate_enter(&map->gate);
    pleach_status status = map->ops->take(map->exec, &snapshot->at);
    gate_leave(&map->gate);
    if (status == PLEACH_OK)
        *out = snapshot;
    else
        base_free(snapshot);
    return status;
}

void pleach_snapshot_release(pleach_snapshot *snapshot)
{
    if (!snapshot) return;
    pleach_map *map = snapshot->map;
    gate_enter(&map->gate);
    map->ops->release(map->exec, snapshot->at);
    gate_leave(&map->gate);
    base_free(snapshot);
}

/* ---- queries ---- */

static pleach_status run(pleach_snapshot *snapshot, request r)
{
    if (!snapshot) return PLEACH_E_ARGUMENT;
    r.at = &snapshot->at;
    return map_run(snapshot->map, &r, PLEACH_SYNC);
}

pleach_status pleach_snapshot_find(pleach_snapshot *snapshot, size_t n, const void *keys, void *values, uint8_t *found)
{
    return run(snapshot, (request){.kind = REQUEST_FIND, .n = n, .keys = keys, .out_values = values, .flags = found});
}

pleach_status pleach_snapshot_succ(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                   void *out_values, uint8_t *found)
{
    return run(snapshot, (request){.kind = REQUEST_SUCC, .n = n, .keys = keys, .out_keys = out_keys,
                                   .out_values = out_values, .flags = found});
}

pleach_status pleach_snapshot_pred(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                   void *out_values, uint8_t *found)
{
    return run(snapshot, (request){.kind = REQUEST_PRED, .n = n, .keys = keys, .out_keys = out_keys,
                                   .out_values = out_values, .flags = found});
}

pleach_status pleach_snapshot_range_count(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi,
                                          uint64_t *counts)
{
    if (n && !counts) return PLEACH_E_ARGUMENT;
    return run(snapshot, (request){.kind = REQUEST_COUNT, .n = n, .keys = lo, .values = hi, .long_counts = counts});
}

pleach_status pleach_snapshot_range(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi, uint32_t limit,
                                    size_t capacity, void *out_keys, void *out_values, uint64_t *offsets,
                                    size_t *total)
{
    if (!snapshot) return PLEACH_E_ARGUMENT;
    request r = {.kind = REQUEST_RANGE, .at = &snapshot->at, .n = n, .keys = lo, .values = hi, .limit = limit,
                 .out_keys = out_keys, .out_values = out_values, .long_counts = offsets};
    return map_run_packed(snapshot->map, r, capacity, offsets, total);
}

/* ---- the whole ---- */

pleach_status pleach_snapshot_size(pleach_snapshot *snapshot, uint64_t *size)
{
    if (!snapshot || !size) return PLEACH_E_ARGUMENT;
    map_cell lo = map_cell_of(snapshot->map, 0), hi = map_cell_of(snapshot->map, UINT64_MAX);
    return pleach_snapshot_range_count(snapshot, 1, &lo, &hi, size);
}

pleach_status pleach_snapshot_export(pleach_snapshot *snapshot, size_t capacity, void *out_keys, void *out_values,
                                     size_t *n)
{
    if (!snapshot || !n) return PLEACH_E_ARGUMENT;
    uint64_t offsets[2];
    map_cell lo = map_cell_of(snapshot->map, 0), hi = map_cell_of(snapshot->map, UINT64_MAX);
    return pleach_snapshot_range(snapshot, 1, &lo, &hi, 0, capacity, out_keys, out_values, offsets, n);
}
