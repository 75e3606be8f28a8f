/* api/map_object.h - what stands behind a pleach_map, for the files of the api layer. */
#ifndef PLEACH_MAP_OBJECT_H
#define PLEACH_MAP_OBJECT_H

#include "../exec/map_exec.h"
#include "../gate/gate.h"

struct pleach_map {
    const exec_ops *ops;
    void *exec;
    pleach_device device;
    unsigned key_bits;
    gate gate;
};

/* Checks the request, passes the gate, runs it. */
pleach_status map_run(pleach_map *map, const request *r, pleach_stream stream);

/* The same for packed ranges. */
pleach_status map_run_packed(pleach_map *map, request r, size_t capacity, uint64_t *offsets, size_t *total);

/* One key as the executor reads it. */
typedef union map_cell {
    uint32_t narrow;
    uint64_t wide;
} map_cell;

map_cell map_cell_of(const pleach_map *map, uint64_t number);

#endif
