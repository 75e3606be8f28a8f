/* map/map_cpu.h - the ordered map in host memory: declarations shared by the map_cpu_*.c files. */
#ifndef PLEACH_MAP_CPU_H
#define PLEACH_MAP_CPU_H

#include <stdatomic.h>

#include "../blink/blink_check.h"
#include "../pool/pool_host.h"
#include "../batch/batch_cpu.h"
#include "../sync/workers.h"
#include "map_backend.h"

typedef struct cpu_scratch {
    void *memory;
    size_t bytes;
} cpu_scratch;

typedef struct cpu_map {
    unsigned key_bits;
    unsigned threads;
    unsigned chunk; /* skiplists: slots per chunk; 0: B-link tree */
    size_t node_bytes;
    _Atomic size_t populated; /* bytes of node memory preallocated by reserve */
    map_ref ref;
    pool_host memory;  /* the memory of ref.nodes, */
    pool_host stock;   /* ref.tree->pool.stock, */
    pool_host records; /* ref.versions.record, */
    pool_host slots;   /* and the slots of ref.versions.epoch: rings, announce, home */
    workers *workers;
    const blink_run_ops *ops;
    const batch_run_ops *batch_ops;
    cpu_scratch scratch; /* of batches */
} cpu_map;

/* Runs an array call. */
pleach_status cpu_run(void *exec, const request *request, pleach_stream stream);

/* Run all elements, shared by the map's threads, or elements begin .. end-1 on this thread. Long queries are handed
 * back in `longs`; if that is NULL, all run to their end. Return how many updates were not applied. */
uint64_t cpu_run_elements(const cpu_map *map, const request *request, long_list *longs);
uint64_t cpu_run_here(const cpu_map *map, const request *request, size_t begin, size_t end, long_list *longs);

/* Resets the memory of a map without keys to an empty tree. The caller must hold the gate exclusively, and no snapshot
 * may be live. */
void cpu_reset(cpu_map *map);

/* map_cpu_long.c: long queries that threads have handed back, and their division. */

/* The parts of the queries of a list, in the order of the queries; those of query q are first[q] .. first[q + 1] -
 * 1. */
typedef struct long_parts {
    unsigned queries;
    size_t first[LONG_MOST + 1];
    size_t n;
    void *lows, *highs;
    uint64_t *counts;          /* pairs in each part */
    bool cut_off[LONG_MOST];   /* the query's last part is empty and stands for keys beyond the limit */
} long_parts;

/* A timestamp at which the ranges of one call read a versioned map. */
typedef struct cpu_instant {
    epoch_participant agent;
    uint64_t at;
    bool taken;
} cpu_instant;

/* A single thread has no others to share a query with, and each of its ranges takes its own timestamp. */
static inline bool cpu_divides(const cpu_map *map) { return map->threads > 1; }

void cpu_instant_begin(const cpu_map *map, request *r, cpu_instant *instant);
void cpu_instant_end(const cpu_map *map, cpu_instant *instant);

/* Sorts the queries by their elements; returns how many there are. */
unsigned long_list_sort(long_list *longs);

/* Divides the remainders of the queries, and counts the pairs of each part. Returns false if there is no memory. */
bool long_divide(const cpu_map *map, const request *r, const long_list *longs, unsigned queries, long_parts *parts);
void long_parts_free(long_parts *parts);

/* Returns the total number of pairs of a query, up to its limit. */
uint64_t long_total(const request *r, const long_list *longs, const long_parts *parts, unsigned query);

/* Set interval i to one without keys, and to the keys from low up to, but not including, next. */
void long_set_empty(const cpu_map *map, void *lows, void *highs, size_t i);
void long_set_head(const cpu_map *map, void *lows, void *highs, size_t i, const void *low, const void *next);

/* Returns the address of element i of an array of keys. */
static inline void *cpu_cell(const cpu_map *map, const void *array, size_t i)
{
    return (char *)array + i * (map->key_bits / 8);
}

enum { PARTS_TOGETHER = 4 }; /* per thread; a thread interleaves their reads so that it waits less for memory */

/* Runs arrays of counts, and of ranges with a limit, including the long ones. */
void cpu_run_ranges(cpu_map *map, const request *r);

/* map_cpu_range.c */

/* Elements of a packing that are parts of one query, which reports up to `limit` pairs. */
typedef struct stretch {
    size_t begin, end;
    uint64_t limit;
    bool cut_off; /* more pairs may follow the last part */
} stretch;

/* Ranges whose pairs are written one after the other. */
typedef struct packing {
    cpu_map *map;
    request r;         /* with out_keys, out_values, or both */
    size_t capacity;
    uint64_t *offsets; /* n + 1; on entry: counts */
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

/* map_cpu_versions.c: what a versioned map has in addition to its nodes. */
bool cpu_versions_open(cpu_map *map);
void cpu_versions_close(cpu_map *map);
bool cpu_epoch_open(cpu_map *map); /* for a skiplist */
void cpu_versions_forget(cpu_map *map, uint64_t nodes); /* gate held exclusively, no snapshot is live */
void cpu_epoch_forget(cpu_map *map);
bool cpu_versions_pinned(const cpu_map *map);           /* returns whether a snapshot is live */
void cpu_versions_settle(cpu_map *map);
void cpu_versions_stats(const cpu_map *map, pleach_map_stats *stats);
pleach_status cpu_versions_take(void *exec, snapshot_place *place, pleach_stream stream);
pleach_status cpu_versions_release(void *exec, snapshot_place *place);

#endif
