/* map/map_object.h - what stands behind a pleach_map and a pleach_snapshot, for the layers api and file. */
#ifndef PLEACH_MAP_OBJECT_H
#define PLEACH_MAP_OBJECT_H

#include "../base/key128.h"
#include "map_backend.h"
#include "../sync/gate_fork.h"

#define MAP_MOST_ELEMENTS ((uint64_t)1 << 31)   /* of an array */
#define MAP_MOST_OPERATIONS ((uint64_t)1 << 30) /* of a batch */

struct pleach_map {
    const exec_ops *ops;
    void *exec;
    pleach_device device;
    unsigned key_bits;
    unsigned slots; /* of a node */
    pleach_structure structure;
    bool versioned;
    pleach_engine engine;
    gate gate;
    gate_fork fork;
};

struct pleach_snapshot {
    pleach_map *map;
    snapshot_place place;
};

/* Checks the request, passes the gate, runs it. */
pleach_status map_run(pleach_map *map, const request *r, pleach_stream stream);

/* The same for packed ranges. */
pleach_status map_run_packed(pleach_map *map, request r, size_t capacity, uint64_t *offsets, size_t *total);

/* Passes the gate together with others, and runs a request that has been checked. */
pleach_status map_run_shared(pleach_map *map, const request *r, pleach_stream stream);

/* Array updates that have been checked: passes the gate as the engine needs it. Synchronous. */
pleach_status map_run_updates(pleach_map *map, request r);

/* A view for kernels of maps of this kind. ARGUMENT if the map is of another, or has no views. */
pleach_status map_view_open(pleach_map *map, pleach_structure structure, bool versioned, map_view *view);
pleach_status map_view_close(pleach_map *map);

/* Passes the gate and puts these pairs, whose keys ascend strictly, in the place of all that the map holds; on failure
 * it is as it was. The arguments have been checked. */
pleach_status map_replace(pleach_map *map, size_t n, const void *keys, const void *values, double fill);

/* Whether this is a fill; 0 becomes the default. */
bool map_fill_is_valid(double *fill);

/* One key as the executor reads it. */
typedef union map_cell {
    uint32_t narrow;
    uint64_t wide;
    key128 widest;
} map_cell;

map_cell map_cell_of(const pleach_map *map, key128 number);
key128 map_number_of(const pleach_map *map, map_cell cell);

/* The largest key, and value. */
key128 map_largest(const pleach_map *map);

/* Alone in the map, with nothing left on a stream; OK is followed by map_leave_exclusive. */
pleach_status map_enter_exclusive(pleach_map *map);
pleach_status map_enter_batch(pleach_map *map); /* queries at live snapshots may come meanwhile */
void map_leave_exclusive(pleach_map *map);

#endif
