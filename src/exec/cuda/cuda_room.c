/* exec/cuda/cuda_room.c - a kernel cannot get memory, so the host sees to it before each launch.
 *
 * How many nodes can n inserts take? Each split needs a full leaf: at most min(n, nodes in use) leaves are full now, and
 * every further split of a leaf needs seven inserts into it. Inner nodes come on top, at most one for seven new nodes.
 * The bound is at most about twice the map, so growing ahead wastes little; and a call that has the bound does not fail.
 * Only where the limit, or the GPU, has less than the bound may a kernel run out, and then elements come back not applied.
 */
#include "cuda_map.h"

static uint64_t most_nodes_for(uint64_t inserts, uint64_t used)
{
    uint64_t leaves = (inserts < used ? inserts : used) + inserts / 7;
    return leaves + leaves / 6 + 64;
}

static pleach_status look_at_used(cuda_map *map, uint64_t *used)
{
    CUDA_TRY(cudaMemcpyAsync(used, &map->tree->pool.next, sizeof *used, cudaMemcpyDeviceToHost, map->control));
    CUDA_TRY(cudaStreamSynchronize(map->control));
    return PLEACH_OK;
}

pleach_status cuda_room_grow(cuda_map *map, uint64_t nodes)
{
    if (nodes <= map->capacity) return PLEACH_OK;
    uint64_t limit = pool_cuda_limit(map->pool) / map->node_bytes;
    if (nodes > limit) return PLEACH_E_FULL;
    pleach_status status = pool_cuda_grow(map->pool, nodes * map->node_bytes, map->control);
    if (status != PLEACH_OK) return status;
    uint64_t capacity = pool_cuda_mapped(map->pool) / map->node_bytes;
    /* The memory is zeroed before kernels hear of it: both are on the control stream, in this order. */
    CUDA_TRY(cudaMemcpyAsync(&map->tree->pool.capacity, &capacity, sizeof capacity, cudaMemcpyHostToDevice,
                             map->control));
    CUDA_TRY(cudaStreamSynchronize(map->control));
    map->capacity = capacity;
    return PLEACH_OK;
}

uint64_t cuda_room_for(cuda_map *map, uint64_t inserts)
{
    pthread_mutex_lock(&map->mutex);
    uint64_t nodes = most_nodes_for(inserts, map->used_bound);
    if (map->used_bound + nodes > map->capacity) {
        uint64_t used, pending = streams_pending_nodes(&map->streams) + map->sync_nodes;
        if (look_at_used(map, &used) == PLEACH_OK) map->used_bound = used + pending;
        nodes = most_nodes_for(inserts, map->used_bound);
        uint64_t wanted = map->used_bound + nodes, limit = pool_cuda_limit(map->pool) / map->node_bytes;
        cuda_room_grow(map, wanted < limit ? wanted : limit);
    }
    map->used_bound += nodes;
    map->sync_nodes += nodes;
    pthread_mutex_unlock(&map->mutex);
    return nodes;
}

void cuda_room_done(cuda_map *map, uint64_t nodes)
{
    pthread_mutex_lock(&map->mutex);
    map->sync_nodes -= nodes;
    pthread_mutex_unlock(&map->mutex);
}
