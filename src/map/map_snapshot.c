/* map/map_snapshot.c - snapshots of a versioned map: the map's own queries, at a timestamp. */
#include "../../include/pleach/snapshot.h"

#include <string.h>

#include "../base/memory.h"
#include "map_object.h"

pleach_status pleach_snapshot_take(pleach_map *map, pleach_snapshot **out, pleach_stream stream)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    if (!map || !map->versioned) return PLEACH_E_ARGUMENT;
    if (map->device == PLEACH_CPU && stream != PLEACH_SYNC) return PLEACH_E_STREAM;
    pleach_snapshot *snapshot = base_alloc(1, sizeof *snapshot);
    if (!snapshot) return PLEACH_E_MEMORY;
    snapshot->map = map;
    gate_enter(&map->gate);
    pleach_status status = map->ops->take(map->exec, &snapshot->place, stream);
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
    map->ops->release(map->exec, &snapshot->place);
    gate_leave(&map->gate);
    base_free(snapshot);
}

/* ---- queries ---- */

static pleach_status run(pleach_snapshot *snapshot, request r, pleach_stream stream)
{
    if (!snapshot) return PLEACH_E_ARGUMENT;
    r.at = snapshot->place.at;
    r.after = snapshot->place.taken;
    return map_run(snapshot->map, &r, stream);
}

pleach_status pleach_snapshot_find(pleach_snapshot *snapshot, size_t n, const void *keys, void *values, uint8_t *found,
                                   pleach_stream stream)
{
    request r = {.kind = OP_FIND, .n = n, .keys = keys, .out_values = values, .flags = found};
    return run(snapshot, r, stream);
}

pleach_status pleach_snapshot_succ(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                   void *out_values, uint8_t *found, pleach_stream stream)
{
    request r = {.kind = OP_SUCC, .n = n, .keys = keys, .out_keys = out_keys, .out_values = out_values,
                 .flags = found};
    return run(snapshot, r, stream);
}

pleach_status pleach_snapshot_pred(pleach_snapshot *snapshot, size_t n, const void *keys, void *out_keys,
                                   void *out_values, uint8_t *found, pleach_stream stream)
{
    request r = {.kind = OP_PRED, .n = n, .keys = keys, .out_keys = out_keys, .out_values = out_values,
                 .flags = found};
    return run(snapshot, r, stream);
}

pleach_status pleach_snapshot_range_count(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi,
                                          uint64_t *counts, pleach_stream stream)
{
    if (n && !counts) return PLEACH_E_ARGUMENT;
    request r = {.kind = OP_COUNT, .n = n, .keys = lo, .values = hi, .long_counts = counts};
    return run(snapshot, r, stream);
}

pleach_status pleach_snapshot_range_limit(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi,
                                          uint32_t limit, void *out_keys, void *out_values, uint32_t *counts,
                                          pleach_stream stream)
{
    if (limit == 0) return PLEACH_E_ARGUMENT;
    if (n > MAP_MOST_ELEMENTS / limit) return PLEACH_E_SIZE;
    request r = {.kind = OP_RANGE, .n = n, .keys = lo, .values = hi, .limit = limit, .out_keys = out_keys,
                 .out_values = out_values, .counts = counts};
    return run(snapshot, r, stream);
}

pleach_status pleach_snapshot_range(pleach_snapshot *snapshot, size_t n, const void *lo, const void *hi, uint32_t limit,
                                    size_t capacity, void *out_keys, void *out_values, uint64_t *offsets,
                                    size_t *total)
{
    if (!snapshot) return PLEACH_E_ARGUMENT;
    request r = {.kind = OP_RANGE, .at = snapshot->place.at, .after = snapshot->place.taken, .n = n, .keys = lo,
                 .values = hi, .limit = limit, .out_keys = out_keys, .out_values = out_values,
                 .long_counts = offsets};
    return map_run_packed(snapshot->map, r, capacity, offsets, total);
}

/* ---- export ---- */

pleach_status pleach_snapshot_size(pleach_snapshot *snapshot, uint64_t *size)
{
    if (!snapshot || !size) return PLEACH_E_ARGUMENT;
    map_cell lo = map_cell_of(snapshot->map, 0), hi = map_cell_of(snapshot->map, map_largest(snapshot->map));
    return pleach_snapshot_range_count(snapshot, 1, &lo, &hi, size, PLEACH_SYNC);
}

pleach_status pleach_snapshot_export(pleach_snapshot *snapshot, size_t capacity, void *out_keys, void *out_values,
                                     size_t *n)
{
    if (!snapshot || !n) return PLEACH_E_ARGUMENT;
    uint64_t offsets[2];
    map_cell lo = map_cell_of(snapshot->map, 0), hi = map_cell_of(snapshot->map, map_largest(snapshot->map));
    return pleach_snapshot_range(snapshot, 1, &lo, &hi, 0, capacity, out_keys, out_values, offsets, n);
}

/* ---- device views ---- */

_Static_assert(sizeof(versions) == sizeof ((pleach_versioned_view *)0)->versions, "a view has all of it");

pleach_status pleach_versioned_view_open(pleach_map *map, pleach_versioned_view *view)
{
    if (!map || !view) return PLEACH_E_ARGUMENT;
    memset(view, 0, sizeof *view);
    map_ref found;
    pleach_status status = map_view_open(map, PLEACH_BLINK, true, &found);
    if (status != PLEACH_OK) return status;
    view->tree = found.tree;
    view->nodes = found.nodes;
    view->key_bits = map->key_bits;
    memcpy(view->versions, &found.versions, sizeof found.versions);
    return PLEACH_OK;
}

pleach_status pleach_versioned_view_close(pleach_map *map, pleach_versioned_view *view)
{
    if (!map || !view || !view->tree) return PLEACH_E_ARGUMENT;
    pleach_status status = map_view_close(map);
    if (status == PLEACH_OK) memset(view, 0, sizeof *view);
    return status;
}
