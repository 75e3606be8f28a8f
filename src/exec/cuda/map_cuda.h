/* exec/cuda/map_cuda.h - the ordered map in GPU memory, as the files of this folder share it. */
#ifndef PLEACH_MAP_CUDA_H
#define PLEACH_MAP_CUDA_H

#include <pthread.h>

#include "../../core/blink/blink_plan.h"
#include "blink_cuda.h"
#include "pool_cuda.h"
#include "staging.h"
#include "streams.h"

enum { SYNC_STREAMS = 8 };

typedef struct cuda_map {
    int gpu;
    unsigned key_bits;
    size_t key_bytes, node_bytes;
    blink_tree *tree; /* device memory */
    cudaMemPool_t scratch;
    cudaStream_t sync_stream[SYNC_STREAMS]; /* synchronous calls, by thread number */
    cudaStream_t control;                   /* growth and looks at the tree's counters */

    pthread_mutex_t mutex; /* guards what follows, and `control` */
    pool_cuda *pool;
    uint64_t capacity;     /* nodes with memory; the tree's copy is never larger */
    uint64_t used_bound;   /* at most so many ids will have been handed out when all work so far is done */
    uint64_t sync_nodes;   /* that calls which have not returned yet may take */
    int views;             /* open device views */
    streams streams;
} cuda_map;

static inline blink_on_gpu on_gpu(const cuda_map *map)
{
    return (blink_on_gpu){map->key_bits, map->tree, pool_cuda_nodes(map->pool)};
}

static inline staging staging_on(const cuda_map *map, cudaStream_t stream)
{
    return (staging){.pool = map->scratch, .stream = stream, .gpu = map->gpu};
}

/* map_cuda_room.c: nodes for updates to come. `cuda_room_for` makes sure, as far as limits allow, that n inserts find
 * the nodes they may need, and answers their number. cuda_room_done takes it back when the call returns; a call on a
 * stream hands it to streams_note before. */
uint64_t cuda_room_for(cuda_map *map, uint64_t inserts);
void cuda_room_done(cuda_map *map, uint64_t nodes);
void cuda_room_view(cuda_map *map, int opened); /* 1: a view was opened, -1: closed */
pleach_status cuda_room_grow(cuda_map *map, uint64_t nodes); /* mutex held */

/* map_cuda_whole.c: calls that have the map for themselves. */
pleach_status cuda_whole_load(cuda_map *map, size_t n, const void *keys, const void *values, double fill);
pleach_status cuda_whole_replace(cuda_map *map, size_t n, const void *keys, const void *values, double fill);
pleach_status cuda_whole_export(cuda_map *map, size_t capacity, void *out_keys, void *out_values, size_t *n);
pleach_status cuda_whole_stats(cuda_map *map, pleach_map_stats *stats);
pleach_status cuda_whole_compact(cuda_map *map, double fill);
pleach_status cuda_whole_clear(cuda_map *map);
pleach_status cuda_whole_validate(cuda_map *map, char *message, size_t message_size);

/* map_cuda_range.c */
pleach_status cuda_range_packed(cuda_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total,
                                cudaStream_t stream);

#endif
