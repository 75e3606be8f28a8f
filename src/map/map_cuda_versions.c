/* map/map_cuda_versions.c - snapshots of a GPU map. The clock, the blocks' slots, the pins and the records of nodes are
 * in device memory. A small kernel takes or releases a snapshot, in stream order, concurrently with all other kernels.
 *
 * The timestamp of a snapshot handle stays in device memory, where the kernels of its queries read it, so that a
 * snapshot can be taken on a stream without waiting for it. Queries on other streams wait for the event that is
 * recorded after the snapshot was taken. */
#include <string.h>

#include "../base/memory.h"
#include "../versioned/versioned_check.h"
#include "../sync/gate.h"
#include "map_cuda.h"

/* Slots for the blocks that a GPU runs at a time and, for participants without a home slot, for all its warps, so that
 * a snapshot always finds one. */
enum { GPU_LINE_WORDS = 4 /* PORT_LINE_WORDS there */, AGENTS = 4096, VISITORS = 16384, RING = 512, FIRST_PINS = 1024 };

static pleach_status device_zeros(void **memory, size_t bytes)
{
    *memory = NULL;
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMalloc(memory, bytes));
    CUDA_TRY(cudaMemset(*memory, 0, bytes));
    return PLEACH_OK;
}

static pleach_status write_epoch(cuda_map *map)
{
    epoch_state state;
    memset(&state, 0, sizeof state);
    epoch_begin(&state);
    state.pin_table = (uint64_t)(uintptr_t)map->pin_table;
    state.pin_room = map->pin_room;
    CUDA_TRY(cudaMemcpy(map->ref.versions.epoch.state, &state, sizeof state, cudaMemcpyHostToDevice));
    return PLEACH_OK;
}

static pleach_status open_slots(epoch *e, uint32_t visitors)
{
    size_t words = (size_t)(AGENTS + visitors) * GPU_LINE_WORDS;
    e->slots = AGENTS;
    e->visitors = visitors;
    e->ring = RING;
    pleach_status status = device_zeros((void **)&e->announce, words * sizeof *e->announce);
    if (status == PLEACH_OK) status = device_zeros((void **)&e->home, AGENTS * sizeof *e->home);
    if (status == PLEACH_OK) status = device_zeros((void **)&e->rings, AGENTS * RING * sizeof *e->rings);
    return status;
}

/* Opens the part that skiplists use: slots and rings. */
pleach_status cuda_epoch_open(cuda_map *map)
{
    epoch *e = &map->ref.versions.epoch;
    pleach_status status = device_zeros((void **)&e->state, sizeof *e->state);
    if (status == PLEACH_OK) status = write_epoch(map);
    return status == PLEACH_OK ? open_slots(e, 0) : status;
}

pleach_status cuda_versions_open(cuda_map *map)
{
    versions *v = &map->ref.versions;
    uint64_t nodes = pool_cuda_limit(map->pool) / map->node_bytes;
    pleach_status status = device_zeros((void **)&v->state, sizeof *v->state);
    if (status != PLEACH_OK) return status;
    v->stripes = VERSION_STRIPES;
    v->epoch.state = &v->state->epoch; /* the first member: only its address is computed */
    map->pin_room = FIRST_PINS;
    status = open_slots(&v->epoch, VISITORS);
    if (status == PLEACH_OK)
        status = device_zeros((void **)&map->pin_table, FIRST_PINS * EPOCH_PIN_WORDS * sizeof *map->pin_table);
    if (status == PLEACH_OK) status = write_epoch(map);
    if (status == PLEACH_OK)
        status = pool_cuda_open(&map->records, map->gpu, nodes * sizeof(version_record), sizeof(version_record));
    if (status == PLEACH_OK) v->record = pool_cuda_nodes(map->records);
    return status;
}

void cuda_versions_close(cuda_map *map)
{
    versions *v = &map->ref.versions;
    if (map->records) pool_cuda_close(map->records);
    cudaFree(map->pin_table);
    cudaFree(v->epoch.rings);
    cudaFree(v->epoch.home);
    cudaFree(v->epoch.announce);
    cudaFree(v->epoch.state); /* the first member of v->state, if that exists */
}

pleach_status cuda_versions_grow(cuda_map *map, uint64_t nodes)
{
    return pool_cuda_grow(map->records, nodes * sizeof(version_record), map->control);
}

/* Resets the version records of all nodes, which empties their version chains. The clock continues. */
pleach_status cuda_versions_forget(cuda_map *map, uint64_t used, cudaStream_t stream)
{
    version_record *record = map->ref.versions.record;
    uint64_t mapped = pool_cuda_mapped(map->records) / sizeof *record;
    CUDA_TRY(versioned_cuda_forget(map->ref, stream));
    CUDA_TRY(cudaMemsetAsync(record, 0, (used < mapped ? used : mapped) * sizeof *record, stream));
    map->asked = false;
    return PLEACH_OK;
}

/* ---- taking and releasing ---- */

/* Doubles the table of pins. The mutex must be held. */
static pleach_status more_pins(cuda_map *map)
{
    uint64_t *table, room = 2 * map->pin_room;
    pleach_status status = device_zeros((void **)&table, room * EPOCH_PIN_WORDS * sizeof *table);
    if (status == PLEACH_OK)
        status = cuda_status(versioned_cuda_move_pins(map->ref, table, room, map->control));
    if (status == PLEACH_OK) status = cuda_status(cudaStreamSynchronize(map->control));
    if (status != PLEACH_OK) {
        cudaFree(table);
        return status;
    }
    cudaFree(map->pin_table);
    map->pin_table = table;
    map->pin_room = room;
    return PLEACH_OK;
}

/* Counts a pin; every counted pin is sure to find an entry in the table. */
static pleach_status count_pin(cuda_map *map)
{
    pthread_mutex_lock(&map->mutex);
    pleach_status status = map->pins >= map->pin_room / 2 ? more_pins(map) : PLEACH_OK;
    if (status == PLEACH_OK) map->pins++;
    pthread_mutex_unlock(&map->mutex);
    return status;
}

static void uncount_pin(cuda_map *map)
{
    pthread_mutex_lock(&map->mutex);
    map->pins--;
    pthread_mutex_unlock(&map->mutex);
}

static pleach_status launch_take(cuda_map *map, snapshot_place *place, cudaStream_t on, cudaStream_t stream)
{
    uint64_t *at;
    cudaEvent_t event = NULL;
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    if (on) CUDA_TRY(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    cudaError_t error = cudaMallocFromPoolAsync((void **)&at, sizeof *at, map->scratch, stream);
    if (error == cudaSuccess) {
        error = versioned_cuda_take(map->ref, at, stream);
        if (error == cudaSuccess && on) error = cudaEventRecord(event, stream);
        if (error == cudaSuccess && !on) error = cudaStreamSynchronize(stream);
        if (error != cudaSuccess) cudaFreeAsync(at, stream);
    }
    if (error != cudaSuccess && event) cudaEventDestroy(event);
    if (error != cudaSuccess) return cuda_status(error);
    place->at = at;
    place->taken = event;
    return PLEACH_OK;
}

/* If `on`, the caller's stream, is not NULL, the snapshot is taken on it; otherwise the call waits until it is
 * taken. */
pleach_status cuda_versions_take(cuda_map *map, snapshot_place *place, cudaStream_t on)
{
    if (!map->ref.versions.state) return PLEACH_E_ARGUMENT;
    pleach_status status = count_pin(map);
    if (status != PLEACH_OK) return status;
    cuda_reserve_for_snapshot(map);
    status = launch_take(map, place, on, on ? on : map->sync_stream[gate_thread_number() % SYNC_STREAMS]);
    if (status != PLEACH_OK) uncount_pin(map);
    if (status == PLEACH_OK && on) {
        pthread_mutex_lock(&map->mutex);
        pleach_status noted = streams_note(&map->streams, on, 0, 0);
        pthread_mutex_unlock(&map->mutex);
        if (noted != PLEACH_OK) cudaStreamSynchronize(on); /* if the work cannot be recorded, wait for it */
    }
    return status;
}

void cuda_versions_let_go(cuda_map *map, snapshot_place *place)
{
    cudaStream_t stream = map->sync_stream[gate_thread_number() % SYNC_STREAMS];
    if (place->taken) {
        cudaStreamWaitEvent(stream, place->taken, 0);
        cudaEventDestroy(place->taken);
    }
    map->versioned->release(map->ref, place->at, stream);
    cudaFreeAsync((void *)place->at, stream);
    cudaStreamSynchronize(stream);
    uncount_pin(map);
}

/* Waits for queries of the snapshot on streams, and for its release. */
void cuda_versions_release(cuda_map *map, snapshot_place *place)
{
    pthread_mutex_lock(&map->mutex);
    streams_wait(&map->streams);
    pthread_mutex_unlock(&map->mutex);
    cuda_versions_let_go(map, place);
}

/* ---- statistics, validation ---- */

/* Copies of what is in device memory, arranged as a CPU map's versions. */
typedef struct copied {
    versions v;
    uint64_t *pins;
} copied;

static void free_copy(copied *c)
{
    base_free(c->v.state);
    base_free(c->v.epoch.announce);
    base_free(c->v.epoch.home);
    base_free(c->v.epoch.rings);
    base_free(c->v.record);
    base_free(c->pins);
}

static pleach_status copy_array(void **host, const void *device, size_t count, size_t bytes)
{
    *host = base_alloc(count, bytes);
    if (!*host) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMemcpy(*host, device, count * bytes, cudaMemcpyDeviceToHost));
    return PLEACH_OK;
}

static pleach_status copy_small(const cuda_map *map, copied *c)
{
    const versions *v = &map->ref.versions;
    c->v = (versions){.stripes = v->stripes, .epoch = {.slots = AGENTS, .visitors = VISITORS, .ring = RING}};
    pleach_status status = copy_array((void **)&c->v.state, v->state, 1, sizeof *v->state);
    if (status == PLEACH_OK)
        status = copy_array((void **)&c->pins, map->pin_table, map->pin_room, EPOCH_PIN_WORDS * sizeof *c->pins);
    if (status == PLEACH_OK)
        status = copy_array((void **)&c->v.epoch.home, v->epoch.home, AGENTS, sizeof *v->epoch.home);
    if (status != PLEACH_OK) return status;
    c->v.epoch.state = &c->v.state->epoch;
    c->v.epoch.state->pin_table = (uint64_t)(uintptr_t)c->pins;
    return PLEACH_OK;
}

pleach_status cuda_versions_stats(cuda_map *map, uint64_t used, staging *s, pleach_map_stats *stats)
{
    copied c = {.pins = NULL};
    uint64_t *held_there, held = 0, first, second;
    pleach_status status = copy_small(map, &c);
    if (status == PLEACH_OK) {
        versioned_oldest_two(c.v.epoch.state, &first, &second);
        stats->snapshots = c.v.epoch.state->pins;
        stats->reclaimed_bytes = versioned_reclaimed(c.v) * map->node_bytes;
        status = staging_scratch(s, sizeof held, (void **)&held_there);
    }
    free_copy(&c);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(held_there, 0, sizeof held, s->stream));
    CUDA_TRY(map->versioned->count_held(map->ref, used, first, second, held_there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&held, held_there, sizeof held, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    stats->held_back_bytes = held * map->node_bytes;
    return PLEACH_OK;
}

pleach_status cuda_versions_validate(cuda_map *map, const blink_tree *tree, void *nodes, uint64_t used, char *message,
                                     size_t message_size)
{
    const versions *v = &map->ref.versions;
    copied c = {.pins = NULL};
    pleach_status status = copy_small(map, &c);
    if (status == PLEACH_OK)
        status = copy_array((void **)&c.v.epoch.announce, v->epoch.announce,
                            (size_t)(AGENTS + VISITORS) * GPU_LINE_WORDS, sizeof *v->epoch.announce);
    if (status == PLEACH_OK)
        status = copy_array((void **)&c.v.epoch.rings, v->epoch.rings, (size_t)AGENTS * RING, sizeof *v->epoch.rings);
    if (status == PLEACH_OK) status = copy_array((void **)&c.v.record, v->record, used, sizeof *v->record);
    if (status == PLEACH_OK &&
        !versioned_validate(map->key_bits, tree, nodes, c.v, GPU_LINE_WORDS, message, message_size))
        status = PLEACH_E_CORRUPT;
    free_copy(&c);
    return status;
}
