/* map/map_cuda_batch.c - batches on a map in GPU memory. The gate is held exclusively, and no work is left on streams.
 * */
#include <string.h>

#include "../base/memory.h"
#include "../batch/batch_cuda.h"
#include "map_cuda.h"
#include "../cuda/sort_cuda.h"

typedef struct applying {
    cuda_map *map;
    staging *s;
    pleach_batch *batch;
    uint32_t kind; /* of all operations, if the batch has no array of kinds */
    batch_on_gpu g;
    batch_sizes *sizes; /* host copy of the GPU's */
    bool beside;        /* there may be work on the streams map->beside, */
    bool reading;       /* and map->joined is recorded after all of it */
} applying;

/* ---- arrays ---- */

static pleach_status stage_arrays(applying *a)
{
    const pleach_batch *batch = a->batch;
    size_t n = batch->n, array = n * a->map->key_bytes;
    batch_request *r = &a->g.r;
    const void *kinds = NULL;
    r->n = (uint32_t)n;
    r->kind = a->kind;
    r->limit = batch->limit;
    pleach_status status = staging_input(a->s, batch->kinds, n, &kinds);
    r->kinds = kinds;
    if (status == PLEACH_OK) status = staging_input(a->s, batch->keys, array, &r->keys);
    if (status == PLEACH_OK) status = staging_input(a->s, batch->values, array, &r->values);
    if (status == PLEACH_OK) status = staging_output(a->s, batch->flags, n, true, (void **)&r->flags);
    if (status == PLEACH_OK) status = staging_output(a->s, batch->out_keys, array, true, &r->out_keys);
    if (status == PLEACH_OK) status = staging_output(a->s, batch->out_values, array, true, &r->out_values);
    if (status == PLEACH_OK)
        status = staging_output(a->s, batch->counts, n * sizeof *r->counts, true, (void **)&r->counts);
    if (status == PLEACH_OK && batch->offsets && !r->counts)
        status = staging_scratch(a->s, n * sizeof *r->counts, (void **)&r->counts);
    return status;
}

/* Returns the capacity of the edit arrays. Two levels may have one edit per operation each. Above them new nodes come
 * only from full ones, of which there are few, or from many edits. */
static uint32_t edit_room(const cuda_map *map, size_t n)
{
    uint64_t above = map->used_bound / 8 + n, room = 2 * n + (above < 10 * n ? above : 10 * n) + BATCH_LEVELS;
    return room < UINT32_MAX ? (uint32_t)room : UINT32_MAX; /* greater than n in any case */
}

/* From about this many reads on, reading in key order saves more time than the sort costs. The highest of the bits that
 * differ are enough for that (docs/performance.md). These bits are known from the previous batch; a wrong guess costs
 * time only. */
enum { SORTED_READS = 1 << 19, READ_BITS = 16 };

static void guess_bits(applying *a)
{
    int high = a->map->batch_bits ? a->map->batch_bits : (int)a->map->key_bits;
    a->g.sorts_reads = a->batch->n >= SORTED_READS && !a->map->batch_ordered;
    a->g.read_bits = (sort_bits){high > READ_BITS ? high - READ_BITS : 0, high};
}

static int bits_of(uint64_t differ)
{
    int bits = 1;
    while (bits < 64 && differ >> bits) bits++;
    return bits;
}

void cuda_batch_free_memory(cuda_map *map)
{
    if (map->batch_memory) cudaFreeAsync(map->batch_memory, map->sync_stream[0]);
    map->batch_memory = NULL;
    map->batch_bytes = 0;
}

static pleach_status have_memory(cuda_map *map, size_t bytes)
{
    if (bytes <= map->batch_bytes) return PLEACH_OK;
    cuda_batch_free_memory(map);
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMallocFromPoolAsync(&map->batch_memory, bytes, map->scratch, map->sync_stream[0]));
    map->batch_bytes = bytes;
    return PLEACH_OK;
}

static pleach_status stage_scratch(applying *a)
{
    size_t n = a->batch->n;
    guess_bits(a);
    a->g.map = a->map->ref;
    a->g.keeps = a->map->pins > 0;
    a->g.patience = BATCH_PATIENCE;
    a->g.edit_room = edit_room(a->map, n);
    CUDA_TRY(sort_cuda_pairs(NULL, &a->g.sort_bytes, a->map->key_bits, 32, NULL, NULL, NULL, NULL, n, a->s->stream));
    size_t bytes = a->map->batch->layout(&a->g), sort_bytes = (a->g.sort_bytes + 255) / 256 * 256;
    pleach_status status = have_memory(a->map, bytes + 2 * sort_bytes);
    if (status != PLEACH_OK) return status;
    a->g.scratch = a->map->batch_memory;
    a->g.sort_scratch = a->g.scratch + bytes;
    a->g.read_sort_scratch = a->g.scratch + bytes + sort_bytes;
    a->g.read_sort_bytes = a->g.sort_bytes;
    a->map->batch->layout(&a->g);
    return PLEACH_OK;
}

/* ---- stages ---- */

/* Computes the offsets of the ranges' pairs, and writes the pairs. */
static pleach_status fill_ranges(applying *a)
{
    pleach_batch *batch = a->batch;
    size_t n = batch->n, scan_bytes = 0, numbers = (n + 1) * sizeof(uint64_t);
    uint64_t total, *offsets, *counted;
    void *scan_scratch;
    pleach_status status = staging_output(a->s, batch->offsets, numbers, false, (void **)&offsets);
    if (status == PLEACH_OK) status = staging_scratch(a->s, numbers, (void **)&counted);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(sort_cuda_scan(NULL, &scan_bytes, counted, offsets, n + 1, a->s->stream));
    status = staging_scratch(a->s, scan_bytes, &scan_scratch);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(batch_cuda_count_pairs(&a->g, counted, a->s->stream));
    CUDA_TRY(sort_cuda_scan(scan_scratch, &scan_bytes, counted, offsets, n + 1, a->s->stream));
    CUDA_TRY(cudaMemcpyAsync(&total, offsets + n, sizeof total, cudaMemcpyDeviceToHost, a->s->stream));
    CUDA_TRY(cudaStreamSynchronize(a->s->stream));
    batch->total = (size_t)total;
    if (total == 0 || (!batch->range_keys && !batch->range_values)) return PLEACH_OK;
    if (total > batch->capacity) return PLEACH_E_SPACE;
    size_t bytes = total * a->map->key_bytes;
    a->g.r.offsets = offsets;
    status = staging_output(a->s, batch->range_keys, bytes, false, &a->g.r.range_keys);
    if (status == PLEACH_OK) status = staging_output(a->s, batch->range_values, bytes, false, &a->g.r.range_values);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(a->map->batch->fill(&a->g, a->s->stream));
    return PLEACH_OK;
}

/* Executes the operations that are not selected, on streams of their own. */
static pleach_status read_beside(applying *a)
{
    read_streams on = {a->map->beside[0], a->map->beside[1], a->map->sorted};
    a->beside = true;
    CUDA_TRY(cudaStreamWaitEvent(on.sorting, a->map->forked, 0));
    CUDA_TRY(cudaStreamWaitEvent(on.reading, a->map->forked, 0));
    CUDA_TRY(a->map->batch->read(&a->g, &on));
    CUDA_TRY(cudaEventRecord(a->map->joined, on.reading));
    a->reading = true;
    return PLEACH_OK;
}

/* Selects operations. If the last batch consisted mostly of reads, this one is expected to do so too, and reads start
 * at once. */
static pleach_status list_operations(applying *a)
{
    pleach_status status = PLEACH_OK;
    CUDA_TRY(a->map->batch->list(&a->g, a->s->stream));
    CUDA_TRY(cudaEventRecord(a->map->forked, a->s->stream));
    CUDA_TRY(cudaMemcpyAsync(a->sizes, a->g.sizes, sizeof *a->sizes, cudaMemcpyDeviceToHost, a->s->stream));
    if (a->map->batch_reads && a->batch->kinds) status = read_beside(a);
    CUDA_TRY(cudaStreamSynchronize(a->s->stream));
    if (status == PLEACH_OK && !a->reading && a->sizes->ops < a->batch->n) status = read_beside(a);
    a->map->batch_reads = a->sizes->ops < a->batch->n / 2;
    if (status != PLEACH_OK) return status;
    a->map->batch_bits = bits_of(a->sizes->differ);
    a->map->batch_ordered = !(a->sizes->seen & BATCH_UNORDERED);
    a->g.all_bits = (sort_bits){0, a->map->batch_bits};
    a->g.ordered = a->map->batch_ordered;
    bool values_missing = (a->sizes->seen & BATCH_HAS_VALUES) && !a->batch->values;
    return (a->sizes->seen & BATCH_HAS_WRONG) || values_missing ? PLEACH_E_ARGUMENT : PLEACH_OK;
}

/* Computes the counts that were not walked, if there are any. */
static pleach_status count_wide(applying *a)
{
    size_t ops = a->sizes->ops;
    wide_on_gpu w = {.n = a->sizes->wide};
    leaf_order order;
    if (w.n == 0) return PLEACH_OK;
    pleach_status status = cuda_bulk_order(a->map, a->s, &order);
    if (status == PLEACH_OK) status = staging_scratch(a->s, w.n * a->map->batch->wide_bytes, &w.wide);
    for (unsigned i = 0; i < 2 && status == PLEACH_OK; i++) {
        status = staging_scratch(a->s, ops * sizeof *w.place[i], (void **)&w.place[i]);
        if (status == PLEACH_OK) status = staging_scratch(a->s, ops * sizeof *w.change[i], (void **)&w.change[i]);
    }
    if (status == PLEACH_OK) status = staging_scratch(a->s, (ops + 1) * sizeof *w.zeros, (void **)&w.zeros);
    if (status == PLEACH_OK) status = staging_scratch(a->s, (ops + 1) * sizeof *w.zero_sum, (void **)&w.zero_sum);
    if (status == PLEACH_OK) status = staging_scratch(a->s, (ops + 1) * sizeof *w.packed, (void **)&w.packed);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(sort_cuda_scan(NULL, &w.scan_bytes, w.packed, w.packed, ops + 1, a->s->stream));
    status = staging_scratch(a->s, w.scan_bytes, &w.scan_scratch);
    if (status != PLEACH_OK) return status;
    w.leaves = (uint32_t)order.leaves;
    w.first_keys = order.first_keys;
    w.leaf_ids = order.ids;
    w.before = order.offsets;
    CUDA_TRY(a->map->batch->wide(&a->g, &w, (uint32_t)ops, a->s->stream));
    return PLEACH_OK;
}

/* Builds the structure by which queries that are still tired skip keys. */
static pleach_status build_live(applying *a)
{
    uint32_t keys = a->sizes->keys;
    void *memory;
    pleach_status status = staging_scratch(a->s, batch_cuda_live_layout(&a->g, keys, NULL), &memory);
    if (status != PLEACH_OK) return status;
    batch_cuda_live_layout(&a->g, keys, memory);
    CUDA_TRY(a->map->batch->live(&a->g, a->sizes->ops, keys, a->s->stream));
    return PLEACH_OK;
}

static pleach_status read_sizes(applying *a)
{
    CUDA_TRY(cudaMemcpyAsync(a->sizes, a->g.sizes, sizeof *a->sizes, cudaMemcpyDeviceToHost, a->s->stream));
    CUDA_TRY(cudaStreamSynchronize(a->s->stream));
    return PLEACH_OK;
}

/* Retries the queries that have given up, if there are any. The host must read the sizes to know. */
static pleach_status ask_tired(applying *a)
{
    pleach_status status = read_sizes(a);
    if (status != PLEACH_OK || a->sizes->tired == 0) return status;
    a->g.patience = batch_more_patience(a->sizes->ops, a->sizes->tired);
    CUDA_TRY(a->map->batch->again(&a->g, a->sizes->tired, false, a->s->stream));
    status = read_sizes(a);
    if (status != PLEACH_OK || a->sizes->tired == 0) return status;
    status = build_live(a);
    if (status == PLEACH_OK) CUDA_TRY(a->map->batch->again(&a->g, a->sizes->tired, true, a->s->stream));
    return status;
}

static pleach_status apply_listed(applying *a)
{
    uint32_t ops = a->sizes->ops;
    pleach_status status = PLEACH_OK;
    if (ops) CUDA_TRY(a->map->batch->answer(&a->g, ops, a->s->stream));
    if (a->sizes->seen & BATCH_HAS_QUERIES) CUDA_TRY(a->map->batch->query(&a->g, ops, a->s->stream));
    if (a->sizes->seen & BATCH_HAS_QUERIES) status = ask_tired(a);
    if (status == PLEACH_OK && (a->sizes->seen & BATCH_HAS_COUNTS)) status = count_wide(a);
    if (status == PLEACH_OK && a->batch->offsets) status = fill_ranges(a);
    if (status != PLEACH_OK || ops == 0) return status;
    CUDA_TRY(a->map->batch->plan(&a->g, ops, a->s->stream));
    if (a->reading) CUDA_TRY(cudaStreamWaitEvent(a->s->stream, a->map->joined, 0)); /* commit must follow the reads */
    CUDA_TRY(a->map->batch->commit(&a->g, ops, a->s->stream));
    if ((a->sizes->seen & BATCH_HAS_ERASES) && !a->g.keeps) CUDA_TRY(a->map->batch->tidy(&a->g, ops, a->s->stream));
    CUDA_TRY(cudaMemcpyAsync(a->sizes, a->g.sizes, sizeof *a->sizes, cudaMemcpyDeviceToHost, a->s->stream));
    return PLEACH_OK;
}

static pleach_status apply_staged(applying *a)
{
    pleach_status status = stage_arrays(a);
    if (status == PLEACH_OK) status = stage_scratch(a);
    if (status == PLEACH_OK) status = list_operations(a);
    if (status == PLEACH_OK) status = apply_listed(a);
    if (a->reading) CUDA_TRY(cudaStreamWaitEvent(a->s->stream, a->map->joined, 0)); /* results return after the reads */
    return status != PLEACH_OK ? status : staging_return_results(a->s);
}

/* After a failure, the streams map->beside may still read the map, the caller's arrays and scratch memory, and the main
 * stream may not have been made to wait for them. Waits for them; their own failures no longer matter. */
static void quiet_beside(const applying *a)
{
    if (!a->beside) return;
    for (unsigned i = 0; i < 2; i++) cudaStreamSynchronize(a->map->beside[i]);
    cudaGetLastError();
}

/* No other call runs, so the nodes in use now are those from before plus those of the batch. */
static void note_used(cuda_map *map, const batch_sizes *sizes)
{
    pthread_mutex_lock(&map->mutex);
    map->used_bound = sizes->next;
    pthread_mutex_unlock(&map->mutex);
}

/* One attempt. If it returns FULL, the map is unchanged. */
static pleach_status try_batch(cuda_map *map, pleach_batch *batch, uint32_t kind)
{
    staging s = staging_on(map, map->sync_stream[0]);
    applying a = {.map = map, .s = &s, .batch = batch, .kind = kind, .sizes = map->batch_sizes};
    pleach_status status = apply_staged(&a);
    if (status != PLEACH_OK) quiet_beside(&a);
    staging_free(&s);
    pleach_status finished = cuda_status(cudaStreamSynchronize(s.stream));
    if (status == PLEACH_OK) status = finished;
    if (status == PLEACH_OK && a.sizes->full) return PLEACH_E_FULL;
    if (batch->times) batch->times->steps = a.sizes->steps;
    if (status != PLEACH_OK || a.sizes->ops == 0) return status;
    note_used(map, a.sizes);
    bool emptied = a.sizes->tidied && (a.sizes->seen & BATCH_HAS_ERASES) && a.sizes->size == 0;
    if (emptied && !a.g.keeps) cuda_bulk_reset(map); /* otherwise the map has empty nodes, which is also valid */
    return PLEACH_OK;
}

/* Most batches find the nodes that they need. If one does not, memory is allocated for as many nodes as any batch of
 * this size could need, and it is tried once more. */
static pleach_status apply_batch(cuda_map *map, pleach_batch *batch, uint32_t kind)
{
    if (!map->batch_sizes) {
        if (base_allocation_fails()) return PLEACH_E_MEMORY;
        CUDA_TRY(cudaMallocHost((void **)&map->batch_sizes, sizeof *map->batch_sizes));
    }
    pleach_status status = try_batch(map, batch, kind);
    if (status != PLEACH_E_FULL) return status;
    if (map->versioned) /* first reclaim old versions that no snapshot needs any more */
        CUDA_TRY(map->versioned->release(map->ref, NULL, map->sync_stream[0]));
    room room = cuda_reserve_nodes(map, batch->n, true);
    status = try_batch(map, batch, kind);
    cuda_release_reservation(map, room);
    return status;
}

pleach_status cuda_apply_batch(cuda_map *map, pleach_batch *batch) { return apply_batch(map, batch, 0); }

pleach_status cuda_apply_updates(cuda_map *map, const request *r)
{
    uint32_t kind = r->kind;
    pleach_batch batch = {.n = r->n, .keys = r->keys, .flags = r->flags, .out_values = r->out_values};
    if (kind != OP_ERASE) batch.values = r->values;
    return apply_batch(map, &batch, kind);
}
