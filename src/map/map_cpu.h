/* map/map_cpu.h - the ordered map in host memory, as the files of this folder share it. */
#ifndef PLEACH_MAP_CPU_H
#define PLEACH_MAP_CPU_H

#include <stdatomic.h>

#include "../blink/blink_check.h"
#include "../pool/pool_host.h"
#include "../batch/batch_cpu.h"
#include "../sync/workers.h"

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

static inline map_memory place_of(const cpu_map *map)
{
    return (map_memory){map->tree, map->memory.nodes, map->versions, map->raise};
}

/* Elements of an array call. */
pleach_status cpu_run(void *exec, const request *request, pleach_stream stream);

/* All of them, shared by the map's threads; or begin .. end-1, on this thread. Queries are handed back to `longs`, or
 * with NULL all run to their end. Answer how many updates were not applied. */
uint64_t cpu_run_elements(const cpu_map *map, const request *request, long_list *longs);
uint64_t cpu_run_here(const cpu_map *map, const request *request, size_t begin, size_t end, long_list *longs);

/* An empty tree, in the place of one without keys. No snapshot is live. */
void cpu_reset(cpu_map *map);

/* map_cpu_long.c: queries that threads have handed back, and what divides them. */

/* Parts of the queries of a list, in their order; those of query q are first[q] .. first[q + 1] - 1. */
typedef struct long_parts {
    unsigned queries;
    size_t first[LONG_MOST + 1];
    size_t n;
    void *lows, *highs;
    uint64_t *counts;          /* pairs in each part */
    bool cut_off[LONG_MOST];   /* the query's last part is empty: what it stands for lies beyond the limit */
} long_parts;

/* An instant for ranges that the whole call reads at, of a map with versions. */
typedef struct cpu_instant {
    epoch_participant agent;
    uint64_t at;
    bool taken;
} cpu_instant;

/* One thread has nobody to share with; and its ranges take instants by themselves. */
static inline bool cpu_divides(const cpu_map *map) { return map->threads > 1; }

void cpu_instant_begin(const cpu_map *map, request *r, cpu_instant *instant);
void cpu_instant_end(const cpu_map *map, cpu_instant *instant);

/* Queries in ascending order of their elements; how many there are. */
unsigned long_list_sort(long_list *longs);

/* Divides what is left of the queries, and counts the pairs of each part. False: there is no memory. */
bool long_divide(const cpu_map *map, const request *r, const long_list *longs, unsigned queries, long_parts *parts);
void long_parts_free(long_parts *parts);

/* Pairs that the query has in all, up to its limit. */
uint64_t long_total(const request *r, const long_list *longs, const long_parts *parts, unsigned query);

/* An interval without keys; and the interval from low to the last key before next. */
void long_set_empty(const cpu_map *map, void *lows, void *highs, size_t i);
void long_set_head(const cpu_map *map, void *lows, void *highs, size_t i, const void *low, const void *next);

/* Where element i of an array of keys is. */
static inline void *cpu_cell(const cpu_map *map, const void *array, size_t i)
{
    return (char *)array + i * (map->key_bits / 8);
}

enum { PARTS_TOGETHER = 4 }; /* that a thread reads at the same time, so that it waits less for memory */

/* Counts and ranges with a limit: arrays of them, with all that takes. */
void cpu_run_ranges(cpu_map *map, const request *r);

/* map_cpu_range.c */

/* Elements of a packing that are parts of one query, which reports `limit` pairs at most. */
typedef struct stretch {
    size_t begin, end;
    uint64_t limit;
    bool cut_off; /* more pairs may follow the last part */
} stretch;

/* Ranges whose pairs are written one behind the other. */
typedef struct packing {
    cpu_map *map;
    request r;         /* with out_keys, out_values, or one of them */
    size_t capacity;
    uint64_t *offsets; /* n + 1; before: counts */
    size_t total;
    bool cut_too_short; /* set by cpu_pack: so many keys have been erased since they were counted that a query which was
                         * cut off needs what is beyond. Read it undivided. Never of ranges at a timestamp. */
    const stretch *stretches;
    unsigned stretch_count;
} packing;

pleach_status cpu_pack(packing *p);

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
