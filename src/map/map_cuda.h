/* map/map_cuda.h - the ordered map in GPU memory, as the files of this folder share it. */
#ifndef PLEACH_MAP_CUDA_H
#define PLEACH_MAP_CUDA_H

#include <pthread.h>
#include <stdatomic.h>

#include "../batch/batch_cuda.h"
#include "../blink/blink_plan.h"
#include "map_cuda_mailbox.h"
#include "../pool/pool_cuda.h"
#include "../skiplist/skiplist_cuda.h"
#include "../cuda/staging.h"
#include "../cuda/streams.h"

enum { SYNC_STREAMS = 8 };

/* What an update call may come to need. */
typedef struct room { uint64_t nodes, updates; } room;

typedef struct cuda_map {
    int gpu;
    unsigned key_bits;
    size_t key_bytes, node_bytes;
    unsigned chunk; /* a skiplist's: slots of its chunks; 0: it is a B-link tree */
    /* Kernels of the map's structure and key width. */
    const call_launchers *calls;
    const node_launchers *nodes;
    const blink_launchers *blink;
    const versioned_launchers *versioned; /* NULL: it has no versions */
    const skiplist_launchers *skiplist;   /* NULL: it is a B-link tree */
    const batch_launchers *batch;
    uint64_t raise;
    unsigned team, processors;
    atomic_bool small; /* as in blink_on_gpu */
    blink_tree *tree; /* device memory */
    cudaMemPool_t scratch;
    cudaStream_t sync_stream[SYNC_STREAMS]; /* synchronous calls, by thread number */
    mailboxes mail;                         /* for synchronous ranges and counts */
    transfer *transfer;                     /* of large results */
    cudaStream_t control;                   /* growth and looks at the tree's counters */
    cudaStream_t beside[2];                 /* a batch's reads, */
    cudaEvent_t forked, sorted, joined;     /* between the first and the last of these */
    void *batch_memory;                     /* scratch memory of batches, kept from one to the next */
    size_t batch_bytes;
    struct batch_sizes *batch_sizes;        /* host memory that the GPU copies to by itself */
    bool batch_reads;                       /* the last batch was mostly reads */
    bool batch_ordered;                     /* the keys of the last batch ascended */
    int batch_bits;                         /* the lowest bits, in which keys of the last batch differed; 0: unknown */

    pthread_mutex_t mutex; /* guards what follows, and `control` */
    pool_cuda *pool;
    pool_cuda *stock;      /* the memory of tree->pool.stock */
    uint64_t capacity;     /* nodes with memory; the tree's copy is never larger */
    uint64_t used_bound;   /* at most so many ids will have been handed out when all work so far is done */
    uint64_t sync_nodes;   /* that calls which have not returned yet may take */
    uint64_t sync_updates; /* elements of updates among these */
    int views;             /* open device views */
    streams streams;

    /* Of a map with versions; else all zeros. */
    versions versions;   /* device pointers */
    pool_cuda *records;  /* the memory of versions.record */
    uint64_t *pin_table; /* device memory */
    uint64_t pin_room, pins;
    atomic_bool asked;   /* a snapshot was taken: updates may have to keep images from now on */
} cuda_map;

static inline blink_on_gpu on_gpu(const cuda_map *map)
{
    return (blink_on_gpu){map->tree, pool_cuda_nodes(map->pool), map->versions, map->raise, map->team, map->processors,
                          map->small, map->asked};
}

static inline cudaError_t cuda_run_kernel(const cuda_map *map, const request *r, update_notes *notes,
                                          cudaStream_t stream)
{
    return map->calls->run(on_gpu(map), r, notes, stream);
}

static inline cudaError_t cuda_run_long_kernel(const cuda_map *map, const request *r, long_work *work,
                                               cudaStream_t stream)
{
    return map->calls->run_long(on_gpu(map), r, work, stream);
}

static inline cudaError_t cuda_count_parts_kernel(const cuda_map *map, const request *r, long_work *work, bool whole,
                                                  cudaStream_t stream)
{
    return map->calls->count_parts(on_gpu(map), r, work, whole, stream);
}

static inline staging staging_on(const cuda_map *map, cudaStream_t stream)
{
    return (staging){.pool = map->scratch, .stream = stream, .gpu = map->gpu};
}

/* For a call that waits until the stream is done. */
static inline staging staging_to_wait_for(const cuda_map *map, cudaStream_t stream)
{
    return (staging){.pool = map->scratch, .stream = stream, .gpu = map->gpu, .transfer = map->transfer};
}

/* map_cuda_reserve.c: nodes for updates to come. `cuda_reserve_nodes` makes sure, as far as limits allow, that n updates find
 * the nodes they may need. cuda_release_reservation takes it back when the call returns; a call on a stream hands it to
 * streams_note before. */
room cuda_reserve_nodes(cuda_map *map, uint64_t updates, bool insert);
void cuda_release_reservation(cuda_map *map, room room);
void cuda_reserve_for_snapshot(cuda_map *map); /* for the copies that updates under way may make because of it */
void cuda_reservation_view(cuda_map *map, int opened); /* 1: a view was opened, -1: closed */
pleach_status cuda_reservation_grow(cuda_map *map, uint64_t nodes); /* mutex held */
uint64_t cuda_reservation_bound(const cuda_map *map, uint64_t inserts); /* the most that an empty map comes to with these */

/* The leaves with keys in the order of keys: their first keys, ids, and the keys in the leaves before. */
typedef struct leaf_order {
    size_t leaves;
    const void *first_keys;
    const uint32_t *ids;
    const uint64_t *offsets;
} leaf_order;

/* map_cuda_bulk.c: calls that have the map for themselves. */
void cuda_bulk_plan(const cuda_map *map, build_plan *plan, uint64_t keys, double fill);
pleach_status cuda_bulk_load(cuda_map *map, size_t n, const void *keys, const void *values, double fill);
pleach_status cuda_bulk_replace(cuda_map *map, size_t n, const void *keys, const void *values, double fill);
pleach_status cuda_bulk_export(cuda_map *map, size_t capacity, void *out_keys, void *out_values, size_t *n);
pleach_status cuda_bulk_order(const cuda_map *map, staging *s, leaf_order *order);
pleach_status cuda_bulk_stats(cuda_map *map, pleach_map_stats *stats);
pleach_status cuda_bulk_compact(cuda_map *map, double fill);
pleach_status cuda_bulk_clear(cuda_map *map);
pleach_status cuda_bulk_reset(cuda_map *map); /* an empty tree, in the place of one without keys */
pleach_status cuda_bulk_validate(cuda_map *map, char *message, size_t message_size);

/* map_cuda_versions.c */
pleach_status cuda_versions_open(cuda_map *map);
pleach_status cuda_epoch_open(cuda_map *map); /* of a skiplist */
void cuda_versions_close(cuda_map *map);
pleach_status cuda_versions_grow(cuda_map *map, uint64_t nodes); /* records for so many */
pleach_status cuda_versions_forget(cuda_map *map, uint64_t used, cudaStream_t stream); /* alone, no snapshot is live */
pleach_status cuda_versions_take(cuda_map *map, snapshot_place *place, cudaStream_t stream);
void cuda_versions_release(cuda_map *map, snapshot_place *place);
void cuda_versions_let_go(cuda_map *map, snapshot_place *place); /* the same, and no query of it is on a stream */
pleach_status cuda_versions_stats(cuda_map *map, uint64_t used, staging *s, pleach_map_stats *stats);
pleach_status cuda_versions_validate(cuda_map *map, const blink_tree *tree, void *nodes, uint64_t used, char *message,
                                     size_t message_size);

/* map_cuda_batch.c */
pleach_status cuda_apply_batch(cuda_map *map, pleach_batch *batch);
pleach_status cuda_apply_updates(cuda_map *map, const request *r); /* an array call's, as a batch */
void cuda_batch_free_memory(cuda_map *map); /* nothing is running */

/* map_cuda_long.c: long queries (blink_long_kernels.h). */
pleach_status cuda_long_make(staging *s, const long_notes *notes, long_work **work); /* notes are host memory */
pleach_status cuda_long_run_on_stream(cuda_map *map, request *r, staging *s); /* of device pointers */
pleach_status cuda_long_run_synchronously(cuda_map *map, request *r, staging *s); /* and brings results back */

/* map_cuda_range.c */
pleach_status cuda_range_packed(cuda_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total,
                                cudaStream_t stream);

#endif
