/* map/map_object.h - the objects behind pleach_map and pleach_snapshot, for the public functions and for files. */
#ifndef PLEACH_MAP_OBJECT_H
#define PLEACH_MAP_OBJECT_H

#include "../base/key128.h"
#include "map_backend.h"
#include "../sync/gate_fork.h"

#define MAP_MOST_ELEMENTS ((uint64_t)1 << 31)   /* most elements of an array */
#define MAP_MOST_OPERATIONS ((uint64_t)1 << 30) /* most operations of a batch */

struct pleach_map {
    const exec_ops *ops;
    void *exec;
    pleach_device device;
    unsigned key_bits;
    unsigned slots; /* per node */
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

/* Checks the request, passes the gate and runs it. */
pleach_status map_run(pleach_map *map, const request *r, pleach_stream stream);

/* The same for packed ranges. */
pleach_status map_run_packed(pleach_map *map, request r, size_t capacity, uint64_t *offsets, size_t *total);

/* Passes the gate as a shared caller, and runs a request that has been checked. */
pleach_status map_run_shared(pleach_map *map, const request *r, pleach_stream stream);

/* Runs array updates that have been checked: chooses the engine, and passes the gate as it requires. Synchronous. */
pleach_status map_run_updates(pleach_map *map, request r);

/* Opens a view for kernels of maps of this kind. Returns ARGUMENT if the map is of another kind, or has no views. */
pleach_status map_view_open(pleach_map *map, pleach_structure structure, bool versioned, map_ref *ref);
pleach_status map_view_close(pleach_map *map);

/* Passes the gate and replaces the contents of the map by these pairs, whose keys must ascend strictly. The other
 * arguments must have been checked. On failure the map is unchanged. */
pleach_status map_replace(pleach_map *map, size_t n, const void *keys, const void *values, double fill);

/* Returns whether *fill is valid; replaces 0 by the default. */
bool map_fill_is_valid(double *fill);

/* One key, as backends read it. */
typedef union map_cell {
    uint32_t narrow;
    uint64_t wide;
    key128 widest;
} map_cell;

map_cell map_cell_of(const pleach_map *map, key128 number);

/* Returns the largest key, which is also the largest value, of the map's width. */
key128 map_largest(const pleach_map *map);

/* Enters the gate exclusively and waits for work on streams. If it returns OK, the caller must call
 * map_leave_exclusive. */
pleach_status map_enter_exclusive(pleach_map *map);
pleach_status map_enter_batch(pleach_map *map); /* queries at live snapshots may run concurrently */
void map_leave_exclusive(pleach_map *map);

#endif
