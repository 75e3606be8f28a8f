/* map/map_cuda.c - the ordered map in GPU memory: exec_ops for CUDA; array calls, creation and destruction. */
#include "map_cuda.h"

#include <string.h>

#include "../base/memory.h"
#include "../sync/gate.h"
#include "../node/node_sizes.h"

/* ---- array calls ---- */

static bool is_insert(const request *r) { return r->kind == OP_PUT || r->kind == OP_ADD; }
static bool is_update(const request *r) { return is_insert(r) || r->kind == OP_ERASE; }

/* Copies the request, with device pointers in place of the caller's. */
static pleach_status stage_request(const cuda_map *map, const request *r, staging *s, request *staged)
{
    size_t n = r->n, array = n * map->key_bytes;
    size_t pairs = r->kind == OP_RANGE ? array * r->limit : array;
    bool two_inputs = is_insert(r) || r->kind == OP_RANGE || r->kind == OP_COUNT;
    *staged = *r;
    pleach_status status = staging_input(s, r->keys, array, &staged->keys);
    if (status == PLEACH_OK && two_inputs) status = staging_input(s, r->values, array, &staged->values);
    if (status == PLEACH_OK) status = staging_output(s, r->out_keys, pairs, true, &staged->out_keys);
    if (status == PLEACH_OK) status = staging_output(s, r->out_values, pairs, true, &staged->out_values);
    if (status == PLEACH_OK) status = staging_output(s, r->flags, n, false, (void **)&staged->flags);
    if (status == PLEACH_OK) status = staging_output(s, r->counts, n * 4, false, (void **)&staged->counts);
    if (status == PLEACH_OK) status = staging_output(s, r->long_counts, n * 8, false, (void **)&staged->long_counts);
    return status;
}

static bool is_range(const request *r) { return r->kind == OP_RANGE || r->kind == OP_COUNT; }

static pleach_status launch_update(cuda_map *map, const request *r, staging *s, update_notes **notes)
{
    pleach_status status = staging_scratch(s, sizeof **notes, (void **)notes);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(*notes, 0, sizeof **notes, s->stream));
    if (r->may_redirect) CUDA_TRY(map->blink->look_at_order(map->ref, r->keys, r->n, *notes, s->stream));
    CUDA_TRY(cuda_run_kernel(map, r, *notes, s->stream));
    return PLEACH_OK;
}

/* For an update, sets *notes, which point to device memory. */
static pleach_status launch(cuda_map *map, const request *r, staging *s, bool synchronous, update_notes **notes)
{
    request staged;
    pleach_status status = stage_request(map, r, s, &staged);
    if (status != PLEACH_OK) return status;
    if (r->after) CUDA_TRY(cudaStreamWaitEvent(s->stream, r->after, 0));
    if (is_range(r) && synchronous) return cuda_long_run_synchronously(map, &staged, s);
    if (is_update(r))
        status = launch_update(map, &staged, s, notes);
    else if (is_range(r))
        status = cuda_long_run_on_stream(map, &staged, s);
    else
        status = cuda_status(cuda_run_kernel(map, &staged, NULL, s->stream));
    return status == PLEACH_OK ? staging_return_results(s) : status;
}

static pleach_status run_synchronously(cuda_map *map, const request *r)
{
    staging s = staging_to_wait_for(map, map->sync_stream[gate_thread_number() % SYNC_STREAMS]);
    update_notes *notes_there, notes = {0, 0};
    pleach_status status = launch(map, r, &s, true, &notes_there);
    if (status == PLEACH_OK && is_update(r))
        status = cuda_status(cudaMemcpyAsync(&notes, notes_there, sizeof notes, cudaMemcpyDeviceToHost, s.stream));
    staging_free(&s);
    pleach_status finished = cuda_status(cudaStreamSynchronize(s.stream));
    if (status == PLEACH_OK) status = finished;
    if (status == PLEACH_OK && notes.declined) *r->redirected = true;
    return status != PLEACH_OK ? status : notes.not_applied ? PLEACH_E_FULL : PLEACH_OK;
}

static pleach_status run_on_stream(cuda_map *map, const request *r, cudaStream_t stream, room room)
{
    staging s = staging_on(map, stream);
    update_notes *notes;
    pleach_status status = launch(map, r, &s, false, &notes);
    staging_free(&s);
    pthread_mutex_lock(&map->mutex);
    pleach_status noted = streams_note(&map->streams, stream, room.nodes, room.updates);
    pthread_mutex_unlock(&map->mutex);
    /* If the work cannot be recorded, wait for it. */
    if (noted != PLEACH_OK) noted = cuda_status(cudaStreamSynchronize(stream));
    return status != PLEACH_OK ? status : noted;
}

static bool takes_snapshots(const cuda_map *map, const request *r)
{
    return map->ref.versions.state && !r->at && is_range(r);
}

static pleach_status run_array(cuda_map *map, const request *r, pleach_stream stream)
{
    room room = {0, 0};
    if (is_update(r)) room = cuda_reserve_nodes(map, r->n, is_insert(r));
    if (takes_snapshots(map, r)) cuda_reserve_for_snapshot(map);
    pleach_status status = stream == PLEACH_SYNC ? run_synchronously(map, r)
                                                 : run_on_stream(map, r, (cudaStream_t)stream, room);
    if (is_update(r)) cuda_release_reservation(map, room);
    return status;
}

static pleach_status cuda_run(void *exec, const request *r, pleach_stream stream)
{
    cuda_map *map = exec;
    ON_GPU(map, run_array(map, r, stream));
}

static pleach_status run_packed(cuda_map *map, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    if (takes_snapshots(map, r)) cuda_reserve_for_snapshot(map);
    return cuda_range_packed(map, r, capacity, offsets, total, map->sync_stream[gate_thread_number() % SYNC_STREAMS]);
}

static pleach_status cuda_range(void *exec, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    cuda_map *map = exec;
    ON_GPU(map, run_packed(map, r, capacity, offsets, total));
}

/* ---- counters, reservations, views ---- */

static pleach_status read_size(cuda_map *map, uint64_t *size)
{
    blink_tree *tree = base_alloc(1, sizeof *tree);
    if (!tree) return PLEACH_E_MEMORY;
    cudaStream_t stream = map->sync_stream[gate_thread_number() % SYNC_STREAMS];
    cudaError_t error = cudaMemcpyAsync(tree, map->ref.tree, sizeof *tree, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    *size = blink_size(tree);
    base_free(tree);
    return cuda_status(error);
}

static pleach_status cuda_size(void *exec, uint64_t *size)
{
    cuda_map *map = exec;
    ON_GPU(map, read_size(map, size));
}

static pleach_status reserve(cuda_map *map, uint64_t keys)
{
    build_plan plan;
    cuda_bulk_plan(map, &plan, keys, 0.5); /* the most nodes that any order of insertion needs */
    uint64_t nodes = 1 + plan.nodes, limit = pool_cuda_limit(map->pool) / map->node_bytes;
    if (nodes + limit / 64 > limit) return pool_cuda_beyond(map->pool);
    nodes += nodes / 60 + 256; /* nodes that splits leave untouched, and what calls reserve beyond the plan */
    pthread_mutex_lock(&map->mutex);
    if (map->skiplist) nodes = cuda_reservation_bound(map, keys) + 256;
    pleach_status status = cuda_reservation_grow(map, nodes < limit ? nodes : limit);
    pthread_mutex_unlock(&map->mutex);
    return status;
}

static pleach_status cuda_reserve(void *exec, uint64_t keys)
{
    cuda_map *map = exec;
    ON_GPU(map, reserve(map, keys));
}

static pleach_status room_for_view(cuda_map *map)
{
    if (map->ref.versions.state) cuda_reserve_for_snapshot(map); /* user kernels may take some */
    cuda_reservation_view(map, 1);
    return PLEACH_OK;
}

static pleach_status cuda_view(void *exec, map_ref *ref)
{
    cuda_map *map = exec;
    *ref = map->ref;
    ON_GPU(map, room_for_view(map));
}

static void cuda_view_closed(void *exec) { cuda_reservation_view(exec, -1); }

static pleach_status cuda_take(void *exec, snapshot_place *place, pleach_stream stream)
{
    cuda_map *map = exec;
    cudaStream_t on = stream == PLEACH_SYNC ? NULL : (cudaStream_t)stream;
    ON_GPU(map, cuda_versions_take(map, place, on));
}

static pleach_status release_on(cuda_map *map, snapshot_place *place)
{
    cuda_versions_release(map, place);
    return PLEACH_OK;
}

static pleach_status cuda_release(void *exec, snapshot_place *place)
{
    cuda_map *map = exec;
    ON_GPU(map, release_on(map, place));
}

static pleach_status quiesce(cuda_map *map)
{
    pthread_mutex_lock(&map->mutex);
    pleach_status status = streams_wait(&map->streams);
    pthread_mutex_unlock(&map->mutex);
    return status;
}

static pleach_status cuda_quiesce(void *exec)
{
    cuda_map *map = exec;
    ON_GPU(map, quiesce(map));
}

/* ---- exclusive calls ---- */

static pleach_status cuda_apply(void *exec, pleach_batch *batch)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_apply_batch(map, batch));
}

static pleach_status cuda_update(void *exec, const request *r)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_apply_updates(map, r));
}

/* As an array of one element. */
static pleach_status cuda_run_one(void *exec, op_kind kind, key128 key, key128 value, single_result *result)
{
    const cuda_map *map = exec;
    uint64_t key_in = (uint64_t)key, value_in = (uint64_t)value, key_out = 0, value_out = 0; /* the low half first */
    const request r = {.kind = kind, .n = 1, .keys = &key_in, .values = &value_in, .out_keys = &key_out,
                       .out_values = &value_out, .flags = &result->flag};
    pleach_status status = cuda_run(exec, &r, PLEACH_SYNC);
    result->key = map->key_bits == 32 ? (uint32_t)key_out : key_out;
    result->value = map->key_bits == 32 ? (uint32_t)value_out : value_out;
    return status;
}

/* From MANY inserts on, sorting them pays off. With fewer it does if neighbours in the array go to the same leaves,
 * which a kernel checks just before the updates; docs/performance.md has the figures. Erases do not wait for each
 * other, and are faster as concurrent operations. */
static bool cuda_should_batch(void *exec, request *r)
{
    enum { MANY = 1 << 22, SOME = 1 << 15 };
    (void)exec;
    r->may_redirect = is_insert(r) && r->n >= SOME;
    return is_insert(r) && r->n >= MANY;
}

static pleach_status cuda_load(void *exec, size_t n, const void *keys, const void *values, double fill)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_bulk_load(map, n, keys, values, fill));
}

static pleach_status cuda_replace(void *exec, size_t n, const void *keys, const void *values, double fill)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_bulk_replace(map, n, keys, values, fill));
}

static pleach_status cuda_export(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_bulk_export(map, capacity, out_keys, out_values, n));
}

static pleach_status cuda_stats(void *exec, pleach_map_stats *stats)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_bulk_stats(map, stats));
}

static pleach_status cuda_compact(void *exec, double fill)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_bulk_compact(map, fill));
}

static pleach_status cuda_clear(void *exec)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_bulk_clear(map));
}

static pleach_status cuda_validate(void *exec, char *message, size_t message_size)
{
    cuda_map *map = exec;
    ON_GPU(map, cuda_bulk_validate(map, message, message_size));
}

/* ---- creation and destruction ---- */

static pleach_status destroy(cuda_map *map)
{
    for (unsigned i = 0; i < SYNC_STREAMS; i++)
        if (map->sync_stream[i]) cudaStreamDestroy(map->sync_stream[i]);
    mailboxes_close(&map->mail);
    transfer_destroy(map->transfer);
    if (map->batch_memory) cudaFree(map->batch_memory);
    if (map->batch_sizes) cudaFreeHost(map->batch_sizes);
    if (map->control) cudaStreamDestroy(map->control);
    for (unsigned i = 0; i < 2; i++)
        if (map->beside[i]) cudaStreamDestroy(map->beside[i]);
    if (map->forked) cudaEventDestroy(map->forked);
    if (map->sorted) cudaEventDestroy(map->sorted);
    if (map->joined) cudaEventDestroy(map->joined);
    streams_free(&map->streams);
    cuda_versions_close(map);
    if (map->pool) pool_cuda_close(map->pool);
    if (map->stock) pool_cuda_close(map->stock);
    if (map->ref.tree) cudaFree(map->ref.tree);
    if (map->scratch) cudaMemPoolDestroy(map->scratch);
    pthread_mutex_destroy(&map->mutex);
    base_free(map);
    return PLEACH_OK;
}

static void cuda_destroy(void *exec)
{
    cuda_map *map = exec;
    int before = map->gpu, gpu = map->gpu;
    cudaGetDevice(&before);
    cudaSetDevice(gpu);
    destroy(map);
    if (before != gpu) cudaSetDevice(before);
}

static pleach_status make_streams(cuda_map *map)
{
    for (unsigned i = 0; i < SYNC_STREAMS; i++) {
        if (base_allocation_fails()) return PLEACH_E_MEMORY;
        CUDA_TRY(cudaStreamCreate(&map->sync_stream[i]));
    }
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaStreamCreateWithFlags(&map->control, cudaStreamNonBlocking));
    for (unsigned i = 0; i < 2; i++) {
        if (base_allocation_fails()) return PLEACH_E_MEMORY;
        CUDA_TRY(cudaStreamCreateWithFlags(&map->beside[i], cudaStreamNonBlocking));
    }
    CUDA_TRY(cudaEventCreateWithFlags(&map->forked, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&map->sorted, cudaEventDisableTiming));
    CUDA_TRY(cudaEventCreateWithFlags(&map->joined, cudaEventDisableTiming));
    return PLEACH_OK;
}

static pleach_status make_parts(cuda_map *map, const pleach_map_config *config)
{
    pleach_status status = make_streams(map);
    if (status == PLEACH_OK) status = mailboxes_open(&map->mail);
    if (status == PLEACH_OK) map->transfer = transfer_create();
    if (status == PLEACH_OK && !map->transfer) status = PLEACH_E_MEMORY;
    if (status == PLEACH_OK) status = staging_open_pool(map->gpu, &map->scratch);
    int processors = 0;
    CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, map->gpu));
    map->processors = (unsigned)processors;
    if (status != PLEACH_OK) return status;
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMalloc((void **)&map->ref.tree, sizeof *map->ref.tree));
    status = pool_cuda_open(&map->pool, map->gpu, config->max_bytes, map->node_bytes);
    if (status == PLEACH_OK) {
        map->ref.nodes = pool_cuda_nodes(map->pool);
        uint64_t nodes = pool_cuda_limit(map->pool) / map->node_bytes;
        status = pool_cuda_open(&map->stock, map->gpu, nodes * sizeof(uint32_t), sizeof(uint32_t));
    }
    if (status == PLEACH_OK && config->versioned) status = cuda_versions_open(map);
    if (status == PLEACH_OK && map->skiplist) status = cuda_epoch_open(map);
    if (status == PLEACH_OK) status = cuda_bulk_clear(map);
    if (status == PLEACH_OK && config->reserve_keys) status = reserve(map, config->reserve_keys);
    return status;
}

/* Sets the launchers of the map's structure and key width. */
static void choose_launchers(cuda_map *map, const pleach_map_config *config)
{
    const bool narrow = config->key_bits == 32;
    map->blink = narrow ? &blink_cuda_32 : &blink_cuda_64;
    map->batch = narrow ? &batch_cuda_32 : &batch_cuda_64;
    map->calls = &map->blink->calls;
    map->nodes = &map->blink->nodes;
    if (config->versioned) {
        map->versioned = narrow ? &versioned_cuda_32 : &versioned_cuda_64;
        map->calls = &map->versioned->calls;
    }
    if (config->structure != PLEACH_SKIPLIST) return;
    if (config->chunk == 16)
        map->skiplist = narrow ? &skiplist16_cuda_32 : &skiplist16_cuda_64;
    else
        map->skiplist = narrow ? &skiplist32_cuda_32 : &skiplist32_cuda_64;
    map->calls = &map->skiplist->calls;
    map->nodes = &map->skiplist->nodes;
}

static pleach_status create_on(cuda_map **out, const pleach_map_config *config)
{
    pleach_status status = cuda_use(config->gpu);
    if (status != PLEACH_OK) return status;
    cuda_map *map = base_alloc(1, sizeof *map);
    if (!map) return PLEACH_E_MEMORY;
    map->gpu = config->gpu;
    map->key_bits = config->key_bits;
    map->key_bytes = config->key_bits / 8;
    choose_launchers(map, config);
    if (config->structure == PLEACH_SKIPLIST) {
        map->chunk = config->chunk;
        map->ref.raise = (uint64_t)(config->raise * 0x1p32);
        map->team = config->team;
    }
    map->node_bytes = node_bytes_with(map->chunk ? map->chunk : NODE_SLOTS, config->key_bits);
    pthread_mutex_init(&map->mutex, NULL);
    status = make_parts(map, config);
    if (status != PLEACH_OK) {
        destroy(map);
        return status;
    }
    *out = map;
    return PLEACH_OK;
}

static pleach_status cuda_create(void **exec, const pleach_map_config *config)
{
    int before = -1;
    cudaGetDevice(&before);
    cudaGetLastError();
    cuda_map *map = NULL;
    pleach_status status = create_on(&map, config);
    if (before >= 0) cudaSetDevice(before);
    *exec = map;
    return status;
}

const exec_ops exec_cuda = {
    .create = cuda_create,
    .destroy = cuda_destroy,
    .run = cuda_run,
    .run_one = cuda_run_one,
    .range_packed = cuda_range,
    .should_batch = cuda_should_batch,
    .reserve = cuda_reserve,
    .size = cuda_size,
    .take = cuda_take,
    .release = cuda_release,
    .view = cuda_view,
    .view_closed = cuda_view_closed,
    .quiesce = cuda_quiesce,
    .apply = cuda_apply,
    .update = cuda_update,
    .load = cuda_load,
    .replace = cuda_replace,
    .export_pairs = cuda_export,
    .stats = cuda_stats,
    .compact = cuda_compact,
    .clear = cuda_clear,
    .validate = cuda_validate,
};
