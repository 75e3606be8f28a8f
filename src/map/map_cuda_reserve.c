/* map/map_cuda_reserve.c - reserves nodes before each launch, because a kernel cannot allocate memory.
 *
 * How many nodes can n inserts need? A split needs a full node. At most min(n, nodes in use) leaves are full now, and
 * every further split of a leaf needs seven inserts into it. Each new leaf may split a full inner node above it, of
 * which there are at most a twelfth of the nodes in use; every further split of an inner node needs seven new nodes
 * below it. The bound is at most a little over twice the map, so growing ahead wastes little; and a call for which the
 * bound is available does not fail. Only if the limit, or the GPU, has less memory than the bound may a kernel run out
 * of nodes; then elements are reported as not applied. Leaves also leave a 64th of the capacity untouched
 * (blink_spare_nodes), which is added.
 *
 * In a versioned map each update may also copy a leaf, but only if a snapshot is live, or is taken, while the update
 * runs. Before the first snapshot is requested no memory is reserved for copies. When it is requested, memory is
 * reserved for the updates in progress, and from then on for all that follow. An update makes at most one copy, and
 * there are rarely more copies at a time than leaves, because the nodes of old versions are reused when their snapshots
 * are gone.
 */
#include "../skiplist/skiplist_format.h"
#include "map_cuda.h"

enum { SMALL = 4096 }; /* nodes; in a smaller map thousands of threads would wait for each other */

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

static uint64_t most_nodes_for(const cuda_map *map, uint64_t inserts, uint64_t used)
{
    uint64_t again = map->skiplist ? map->chunk / 4 : 7; /* inserts until a node of a split or merge is full */
    uint64_t leaves = least_of(inserts, used) + inserts / again;
    uint64_t full_inner = least_of(leaves, used / 12);
    return leaves + leaves / (again - 1) + full_inner + full_inner / (again - 1) + 64;
}

static uint64_t with_spare(uint64_t nodes) { return nodes + nodes / 63 + 1; }

uint64_t cuda_reservation_bound(const cuda_map *map, uint64_t inserts)
{
    return with_spare(SKIPLIST_LEVELS + 1 + most_nodes_for(map, inserts, SKIPLIST_LEVELS + 1));
}

static pleach_status look_at_used(cuda_map *map, uint64_t *used)
{
    CUDA_TRY(cudaMemcpyAsync(used, &map->ref.tree->pool.next, sizeof *used, cudaMemcpyDeviceToHost, map->control));
    CUDA_TRY(cudaStreamSynchronize(map->control));
    return PLEACH_OK;
}

pleach_status cuda_reservation_grow(cuda_map *map, uint64_t nodes)
{
    if (nodes <= map->capacity) return PLEACH_OK;
    uint64_t limit = pool_cuda_limit(map->pool) / map->node_bytes;
    if (nodes > limit) return PLEACH_E_FULL;
    pleach_status status = pool_cuda_grow(map->pool, nodes * map->node_bytes, map->control);
    if (status != PLEACH_OK) return status;
    uint64_t capacity = pool_cuda_mapped(map->pool) / map->node_bytes;
    status = pool_cuda_grow(map->stock, capacity * sizeof(uint32_t), map->control);
    if (status == PLEACH_OK && map->ref.versions.state) status = cuda_versions_grow(map, capacity);
    if (status != PLEACH_OK) return status;
    /* The memory is zeroed before kernels learn of it, because both are on the control stream, in this order. */
    CUDA_TRY(cudaMemcpyAsync(&map->ref.tree->pool.capacity, &capacity, sizeof capacity, cudaMemcpyHostToDevice,
                             map->control));
    CUDA_TRY(cudaStreamSynchronize(map->control));
    map->capacity = capacity;
    return PLEACH_OK;
}

/* Grows towards `nodes`, as far as possible: if the GPU has no memory for all of them, tries half of the increase, and
 * so on. */
static void grow_towards(cuda_map *map, uint64_t nodes)
{
    nodes = least_of(nodes, pool_cuda_limit(map->pool) / map->node_bytes);
    while (nodes > map->capacity && cuda_reservation_grow(map, nodes) == PLEACH_E_MEMORY)
        nodes = map->capacity + (nodes - map->capacity) / 2;
}

/* Reads how many nodes are in use. Returns whether `inserts` then fit within the capacity by the bound. */
static bool look_for_room(cuda_map *map, uint64_t inserts, uint64_t copies, uint64_t *nodes)
{
    uint64_t used, updates, pending = streams_pending_nodes(&map->streams, &updates) + map->sync_nodes;
    if (look_at_used(map, &used) == PLEACH_OK) map->used_bound = used + pending;
    *nodes = (inserts ? most_nodes_for(map, inserts, map->used_bound) : 0) + copies;
    return with_spare(map->used_bound + *nodes) <= map->capacity;
}

/* The mutex must be held. Returns the number of nodes that were reserved. */
static uint64_t make_room(cuda_map *map, uint64_t inserts, uint64_t copies)
{
    uint64_t nodes = (inserts ? most_nodes_for(map, inserts, map->used_bound) : 0) + copies;
    bool room = with_spare(map->used_bound + nodes) <= map->capacity;
    /* User kernels allocate nodes without the host's knowledge, so read the counter on every call while a view is
     * open. */
    if (!room || map->views > 0) room = look_for_room(map, inserts, copies, &nodes);
    if (!room && map->streams.marks > 0) {
        /* Calls on streams have reserved their worst case. Before growing, wait for them and see what they have
         * used. */
        streams_wait(&map->streams);
        room = look_for_room(map, inserts, copies, &nodes);
    }
    if (!room) grow_towards(map, with_spare(map->used_bound + nodes));
    map->used_bound += nodes;
    map->sync_nodes += nodes;
    return nodes;
}

room cuda_reserve_nodes(cuda_map *map, uint64_t updates, bool insert)
{
    pthread_mutex_lock(&map->mutex);
    room room = {0, updates};
    uint64_t copies = map->asked || (map->ref.versions.state && map->views > 0) ? updates : 0;
    map->small = map->used_bound < SMALL;
    if (insert || copies) room.nodes = make_room(map, insert ? updates : 0, copies);
    map->sync_updates += updates;
    pthread_mutex_unlock(&map->mutex);
    return room;
}

void cuda_release_reservation(cuda_map *map, room room)
{
    pthread_mutex_lock(&map->mutex);
    map->sync_nodes -= room.nodes;
    map->sync_updates -= room.updates;
    pthread_mutex_unlock(&map->mutex);
}

void cuda_reserve_for_snapshot(cuda_map *map)
{
    pthread_mutex_lock(&map->mutex);
    if (!map->asked) {
        uint64_t updates;
        map->asked = true;
        streams_pending_nodes(&map->streams, &updates);
        updates += map->sync_updates;
        if (updates) map->sync_nodes -= make_room(map, 0, updates); /* still in used_bound until it is read again */
    }
    pthread_mutex_unlock(&map->mutex);
}

void cuda_reservation_view(cuda_map *map, int opened)
{
    pthread_mutex_lock(&map->mutex);
    map->views += opened;
    map->used_bound = map->capacity; /* unknown, so the next insert reads the counter */
    pthread_mutex_unlock(&map->mutex);
}
