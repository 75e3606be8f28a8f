/* map/map_cuda.h - the ordered map in GPU memory: declarations shared by the map_cuda_*.c files. */
#ifndef PLEACH_MAP_CUDA_H
#define PLEACH_MAP_CUDA_H

#include <pthread.h>
#include <stdatomic.h>

#include "../batch/batch_cuda.h"
#include "../blink/blink_plan.h"
#include "map_backend.h"
#include "map_cuda_mailbox.h"
#include "../pool/pool_cuda.h"
#include "../skiplist/skiplist_cuda.h"
#include "../cuda/staging.h"
#include "../cuda/streams.h"

enum { SYNC_STREAMS = 8 };

/* The most nodes that an update call may need, and its updates. */
typedef struct room { uint64_t nodes, updates; } room;

typedef struct cuda_map {
    int gpu;
    unsigned key_bits;
    size_t key_bytes, node_bytes;
    unsigned chunk; /* skiplists: slots per chunk; 0: B-link tree */
    /* Kernels of the map's structure and key width. */
    const call_launchers *calls;
    const node_launchers *nodes;
    const blink_launchers *blink;
    const versioned_launchers *versioned; /* NULL: not versioned */
    const skiplist_launchers *skiplist;   /* NULL: B-link tree */
    const batch_launchers *batch;
    map_ref ref;
    unsigned team, processors;
    atomic_bool small; /* as in map_launch */
    cudaMemPool_t scratch;
    cudaStream_t sync_stream[SYNC_STREAMS]; /* for synchronous calls, by thread number */
    mailboxes mail;                         /* for synchronous ranges and counts */
    transfer *transfer;                     /* for large results */
    cudaStream_t control;                   /* for growth, and for reading the tree's counters */
    cudaStream_t beside[2];                 /* for a batch's reads, */
    cudaEvent_t forked, sorted, joined;     /* which run between the first and the last of these */
    void *batch_memory;                     /* scratch memory of batches, kept for the next one */
    size_t batch_bytes;
    struct batch_sizes *batch_sizes;        /* pinned host memory that the GPU copies to asynchronously */
    bool batch_reads;                       /* the last batch was mostly reads */
    bool batch_ordered;                     /* the keys of the last batch ascended */
    int batch_bits;                         /* the bits in which the last batch's keys differed are below; 0: unknown */

    pthread_mutex_t mutex; /* guards the members below, and `control` */
    pool_cuda *pool;       /* the memory of ref.nodes */
    pool_cuda *stock;      /* the memory of ref.tree->pool.stock */
    uint64_t capacity;     /* nodes that have memory; the tree's copy is never larger */
    uint64_t used_bound;   /* upper bound of the ids that are allocated once all work queued so far is done */
    uint64_t sync_nodes;   /* nodes that calls which have not returned yet may allocate */
    uint64_t sync_updates; /* their elements, if they are updates */
    int views;             /* open device views */
    streams streams;

    /* Versioned maps only; otherwise all zeros. */
    pool_cuda *records;  /* the memory of ref.versions.record */
    uint64_t *pin_table; /* device memory */
    uint64_t pin_room, pins;
    atomic_bool asked;   /* a snapshot has been taken: from now on updates may have to preserve versions */
} cuda_map;

static inline map_launch launch_of(const cuda_map *map)
{
    return (map_launch){map->ref, map->team, map->processors, map->small, map->asked};
}

static inline cudaError_t cuda_run_kernel(const cuda_map *map, const request *r, update_notes *notes,
                                          cudaStream_t stream)
{
    return map->calls->run(launch_of(map), r, notes, stream);
}

static inline cudaError_t cuda_run_long_kernel(const cuda_map *map, const request *r, long_work *work,
                                               cudaStream_t stream)
{
    return map->calls->run_long(launch_of(map), r, work, stream);
}

static inline cudaError_t cuda_count_parts_kernel(const cuda_map *map, const request *r, long_work *work, bool whole,
                                                  cudaStream_t stream)
{
    return map->calls->count_parts(launch_of(map), r, work, whole, stream);
}

static inline staging staging_on(const cuda_map *map, cudaStream_t stream)
{
    return (staging){.pool = map->scratch, .stream = stream, .gpu = map->gpu};
}

/* For a call that synchronizes the stream before it returns. */
static inline staging staging_to_wait_for(const cuda_map *map, cudaStream_t stream)
{
    return (staging){.pool = map->scratch, .stream = stream, .gpu = map->gpu, .transfer = map->transfer};
}

/* map_cuda_reserve.c: nodes for future updates. cuda_reserve_nodes makes sure, within the limits, that n updates find
 * the nodes that they may need. The caller calls cuda_release_reservation before it returns; a call on a stream first
 * hands the reservation to streams_note. */
room cuda_reserve_nodes(cuda_map *map, uint64_t updates, bool insert);
void cuda_release_reservation(cuda_map *map, room room);
void cuda_reserve_for_snapshot(cuda_map *map); /* for the copies that updates in progress may make because of it */
void cuda_reservation_view(cuda_map *map, int opened); /* 1: a view was opened, -1: closed */
pleach_status cuda_reservation_grow(cuda_map *map, uint64_t nodes); /* the mutex must be held */
uint64_t cuda_reservation_bound(const cuda_map *map, uint64_t inserts); /* the most that an empty map reaches */

/* The leaves with keys, in key order: their first keys, their ids, and the numbers of keys in the leaves before
 * them. */
typedef struct leaf_order {
    size_t leaves;
    const void *first_keys;
    const uint32_t *ids;
    const uint64_t *offsets;
} leaf_order;

/* map_cuda_bulk.c: calls that hold the gate exclusively. */
void cuda_bulk_plan(const cuda_map *map, build_plan *plan, uint64_t keys, double fill);
pleach_status cuda_bulk_load(cuda_map *map, size_t n, const void *keys, const void *values, double fill);
pleach_status cuda_bulk_replace(cuda_map *map, size_t n, const void *keys, const void *values, double fill);
pleach_status cuda_bulk_export(cuda_map *map, size_t capacity, void *out_keys, void *out_values, size_t *n);
pleach_status cuda_bulk_order(const cuda_map *map, staging *s, leaf_order *order);
pleach_status cuda_bulk_stats(cuda_map *map, pleach_map_stats *stats);
pleach_status cuda_bulk_compact(cuda_map *map, double fill);
pleach_status cuda_bulk_clear(cuda_map *map);
pleach_status cuda_bulk_reset(cuda_map *map); /* makes a map without keys an empty tree */
pleach_status cuda_bulk_validate(cuda_map *map, char *message, size_t message_size);

/* map_cuda_versions.c */
pleach_status cuda_versions_open(cuda_map *map);
pleach_status cuda_epoch_open(cuda_map *map); /* for a skiplist */
void cuda_versions_close(cuda_map *map);
pleach_status cuda_versions_grow(cuda_map *map, uint64_t nodes); /* adds records for the nodes */
pleach_status cuda_versions_forget(cuda_map *map, uint64_t used, cudaStream_t stream); /* exclusive, no snapshot */
pleach_status cuda_versions_take(cuda_map *map, snapshot_place *place, cudaStream_t stream);
void cuda_versions_release(cuda_map *map, snapshot_place *place);
void cuda_versions_let_go(cuda_map *map, snapshot_place *place); /* the same if no query of it is on a stream */
pleach_status cuda_versions_stats(cuda_map *map, uint64_t used, staging *s, pleach_map_stats *stats);
pleach_status cuda_versions_validate(cuda_map *map, const blink_tree *tree, void *nodes, uint64_t used, char *message,
                                     size_t message_size);

/* map_cuda_batch.c */
pleach_status cuda_apply_batch(cuda_map *map, pleach_batch *batch);
pleach_status cuda_apply_updates(cuda_map *map, const request *r); /* runs an array call's updates as a batch */
void cuda_batch_free_memory(cuda_map *map); /* no work may be in progress */

/* map_cuda_long.c: long queries (blink_long_kernels.h). */
pleach_status cuda_long_make(staging *s, const long_notes *notes, long_work **work); /* notes must be host memory */
pleach_status cuda_long_run_on_stream(cuda_map *map, request *r, staging *s); /* r has device pointers */
pleach_status cuda_long_run_synchronously(cuda_map *map, request *r, staging *s); /* copies results to the host */

/* map_cuda_range.c */
pleach_status cuda_range_packed(cuda_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total,
                                cudaStream_t stream);

#endif
