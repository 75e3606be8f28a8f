/* exec/cpu/map_cpu.h - the ordered map in host memory, as the files of this folder share it. */
#ifndef PLEACH_MAP_CPU_H
#define PLEACH_MAP_CPU_H

#include <stdatomic.h>

#include "../../core/blink/blink_check.h"
#include "../../pool/pool_host.h"
#include "batch_run.h"
#include "workers.h"

typedef struct cpu_scratch {
    void *memory;
    size_t bytes;
} cpu_scratch;

typedef struct cpu_map {
    unsigned key_bits;
    unsigned threads;
    unsigned chunk; /* a skiplist's: slots of its chunks; 0: it is a B-link tree */
    uint64_t raise; /* and of 2^32 new chunks, how many are entered on the level above */
    size_t node_bytes;
    _Atomic size_t populated; /* bytes of node memory made ready by reserve */
    blink_tree *tree;
    pool_host memory;
    pool_host stock; /* the memory of tree->pool.stock */
    versions versions; /* of a map with versions; of a skiplist its epoch; else NULL */
    pool_host records; /* the memory of versions.record */
    pool_host rings;   /* and of versions.epoch.rings */
    workers *workers;
    const blink_run_ops *ops;
    const batch_run_ops *batch_ops;
    cpu_scratch scratch; /* of batches */
} cpu_map;

static inline map_place place_of(const cpu_map *map)
{
    return (map_place){map->tree, map->memory.nodes, map->versions, map->raise};
}

/* Elements of an array call. */
pleach_status cpu_run(void *exec, const request *request, pleach_stream stream);

/* An empty tree, in the place of one without keys. No snapshot is live. */
void cpu_begin_anew(cpu_map *map);

/* map_cpu_range.c */
pleach_status cpu_range_packed(void *exec, const request *r, size_t capacity, uint64_t *offsets, size_t *total);

/* map_cpu_batch.c */
pleach_status cpu_apply(void *exec, pleach_batch *batch);
pleach_status cpu_update(void *exec, const request *r);
void cpu_scratch_free(cpu_scratch *scratch);

/* map_cpu_versions.c: what a map with versions has beside its nodes. */
bool cpu_versions_open(cpu_map *map);
void cpu_versions_close(cpu_map *map);
bool cpu_epoch_open(cpu_map *map); /* of a skiplist */
void cpu_versions_forget(cpu_map *map, uint64_t nodes); /* alone in the map, and no snapshot is live */
void cpu_epoch_forget(cpu_map *map);
bool cpu_versions_pinned(const cpu_map *map);           /* some snapshot is live */
void cpu_versions_settle(cpu_map *map);
void cpu_versions_stats(const cpu_map *map, pleach_map_stats *stats);
pleach_status cpu_versions_take(void *exec, snapshot_place *place, pleach_stream stream);
pleach_status cpu_versions_release(void *exec, snapshot_place *place);

#endif
