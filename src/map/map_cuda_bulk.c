/* map/map_cuda_bulk.c - load, replace, export, compact, clear, stats and validate of a GPU map. The gate is held
 * exclusively, and no work is left on streams. Everything here runs on one stream, which is synchronized before a call
 * returns. */
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "../skiplist/skiplist_check.h"
#include "../skiplist/skiplist_plan.h"
#include "map_cuda.h"
#include "../cuda/sort_cuda.h"

void cuda_bulk_plan(const cuda_map *map, build_plan *plan, uint64_t keys, double fill)
{
    if (map->skiplist)
        skiplist_plan_make(plan, keys, fill, map->chunk);
    else
        build_plan_make(plan, keys, fill);
}

static cudaStream_t stream_of(const cuda_map *map) { return map->sync_stream[0]; }

static pleach_status wait_for(const cuda_map *map) { return cuda_status(cudaStreamSynchronize(stream_of(map))); }

static pleach_status read_tree(const cuda_map *map, blink_tree *tree)
{
    CUDA_TRY(cudaMemcpyAsync(tree, map->ref.tree, sizeof *tree, cudaMemcpyDeviceToHost, stream_of(map)));
    return wait_for(map);
}

/* ---- building ---- */

static pleach_status write_tree(cuda_map *map, const build_plan *plan, blink_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    tree->root = plan->root;
    tree->pool.next = 1 + plan->nodes;
    tree->pool.capacity = map->capacity;
    tree->pool.stock = (uint64_t)(uintptr_t)pool_cuda_nodes(map->stock);
    tree->stripe[0].size = plan->keys;
    CUDA_TRY(cudaMemcpyAsync(map->ref.tree, tree, sizeof *tree, cudaMemcpyHostToDevice, stream_of(map)));
    return wait_for(map);
}

/* Nodes that were in use and are free now must read like never-allocated ones. */
static pleach_status zero_nodes(const cuda_map *map, uint64_t from, uint64_t to)
{
    if (from >= to) return PLEACH_OK;
    char *nodes = map->ref.nodes;
    CUDA_TRY(cudaMemsetAsync(nodes + from * map->node_bytes, 0, (to - from) * map->node_bytes, stream_of(map)));
    return PLEACH_OK;
}

static pleach_status replace_nodes(cuda_map *map, const build_plan *plan, const void *keys, const void *values,
                                   bool trim, blink_tree *tree)
{
    uint64_t needed = 1 + plan->nodes, used = 0;
    if (map->used_bound > 0) { /* otherwise the map is being created, and there is no tree to read */
        pleach_status looked = read_tree(map, tree);
        if (looked != PLEACH_OK) return looked;
        used = blink_used_ids(tree);
    }
    CUDA_TRY(map->nodes->build(map->ref, plan, keys, values, stream_of(map)));
    pleach_status status = zero_nodes(map, needed, used);
    if (status == PLEACH_OK && map->ref.versions.state)
        status = cuda_versions_forget(map, used > needed ? used : needed, stream_of(map));
    if (status == PLEACH_OK && map->skiplist)
        status = cuda_status(map->skiplist->settle(map->ref, true, stream_of(map)));
    if (status == PLEACH_OK && trim) {
        cuda_batch_free_memory(map);
        status = wait_for(map);
        cudaMemPoolTrimTo(map->scratch, 0);
        if (status == PLEACH_OK) status = pool_cuda_trim(map->pool, needed * map->node_bytes);
        map->capacity = pool_cuda_mapped(map->pool) / map->node_bytes;
        if (status == PLEACH_OK) status = pool_cuda_trim(map->stock, map->capacity * sizeof(uint32_t));
        if (status == PLEACH_OK && map->records)
            status = pool_cuda_trim(map->records, map->capacity * sizeof(version_record));
    }
    if (status == PLEACH_OK) status = write_tree(map, plan, tree);
    if (status == PLEACH_OK) map->used_bound = needed;
    return status;
}

/* Replaces the map's contents. Everything that can fail for lack of memory comes before the first change. */
static pleach_status build(cuda_map *map, const build_plan *plan, const void *keys, const void *values, bool trim)
{
    blink_tree *tree = base_alloc(1, sizeof *tree);
    if (!tree) return PLEACH_E_MEMORY;
    pthread_mutex_lock(&map->mutex);
    pleach_status status = cuda_reservation_grow(map, 1 + plan->nodes);
    pthread_mutex_unlock(&map->mutex);
    if (status == PLEACH_OK) status = replace_nodes(map, plan, keys, values, trim, tree);
    base_free(tree);
    return status;
}

pleach_status cuda_bulk_reset(cuda_map *map)
{
    build_plan plan;
    cuda_bulk_plan(map, &plan, 0, 1);
    pleach_status status = build(map, &plan, NULL, NULL, false);
    pleach_status finished = wait_for(map);
    return status != PLEACH_OK ? status : finished;
}

pleach_status cuda_bulk_clear(cuda_map *map)
{
    build_plan plan;
    if (map->pins > 0) return PLEACH_E_BUSY;
    cuda_bulk_plan(map, &plan, 0, 1);
    return build(map, &plan, NULL, NULL, true);
}

/* ---- load ---- */

static pleach_status is_ascending(const cuda_map *map, staging *s, const void *keys, size_t n, bool *ascending)
{
    uint64_t *flag_there, flag = 0;
    pleach_status status = staging_scratch(s, sizeof flag, (void **)&flag_there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(flag_there, 0, sizeof flag, s->stream));
    CUDA_TRY(map->blink->check_ascending(keys, n, flag_there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&flag, flag_there, sizeof flag, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    *ascending = flag == 0;
    return PLEACH_OK;
}

/* Sorts the pairs, and keeps the last of equal keys. The pointers and *n are set to the sorted arrays and their
 * length. */
static pleach_status sort_distinct(const cuda_map *map, staging *s, const void **keys, const void **values, size_t *n)
{
    size_t bytes = *n * map->key_bytes;
    unsigned bits = map->key_bits;
    void *sorted[2], *distinct[2];
    uint8_t *keep;
    uint64_t *kept_there, kept;
    pleach_status status = PLEACH_OK;
    for (unsigned i = 0; i < 2 && status == PLEACH_OK; i++) status = staging_scratch(s, bytes, &sorted[i]);
    for (unsigned i = 0; i < 2 && status == PLEACH_OK; i++) status = staging_scratch(s, bytes, &distinct[i]);
    if (status == PLEACH_OK) status = staging_scratch(s, *n, (void **)&keep);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof kept, (void **)&kept_there);
    if (status != PLEACH_OK) return status;
    WITH_SCRATCH(s, sort_cuda_pairs, bits, bits, *keys, sorted[0], *values, sorted[1], *n, s->stream);
    CUDA_TRY(map->blink->mark_last(sorted[0], *n, keep, s->stream));
    WITH_SCRATCH(s, sort_cuda_select, bits, sorted[0], keep, distinct[0], kept_there, *n, s->stream);
    WITH_SCRATCH(s, sort_cuda_select, bits, sorted[1], keep, distinct[1], kept_there, *n, s->stream);
    CUDA_TRY(cudaMemcpyAsync(&kept, kept_there, sizeof kept, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    *keys = distinct[0];
    *values = distinct[1];
    *n = kept;
    return PLEACH_OK;
}

static pleach_status load_staged(cuda_map *map, staging *s, size_t n, const void *keys, const void *values, double fill,
                                 bool trim)
{
    bool ascending = true;
    pleach_status status = staging_input(s, keys, n * map->key_bytes, &keys);
    if (status == PLEACH_OK) status = staging_input(s, values, n * map->key_bytes, &values);
    if (status == PLEACH_OK && n > 1) status = is_ascending(map, s, keys, n, &ascending);
    if (status == PLEACH_OK && !ascending) status = sort_distinct(map, s, &keys, &values, &n);
    if (status != PLEACH_OK) return status;
    build_plan plan;
    cuda_bulk_plan(map, &plan, n, fill);
    return build(map, &plan, keys, values, trim);
}

static pleach_status load_pairs(cuda_map *map, size_t n, const void *keys, const void *values, double fill, bool trim)
{
    staging s = staging_on(map, stream_of(map));
    pleach_status status = load_staged(map, &s, n, keys, values, fill, trim);
    staging_free(&s);
    pleach_status finished = wait_for(map);
    return status != PLEACH_OK ? status : finished;
}

pleach_status cuda_bulk_load(cuda_map *map, size_t n, const void *keys, const void *values, double fill)
{
    blink_tree *tree = base_alloc(1, sizeof *tree);
    if (!tree) return PLEACH_E_MEMORY;
    pleach_status status = read_tree(map, tree);
    if (status == PLEACH_OK && blink_size(tree) != 0) status = PLEACH_E_NOT_EMPTY;
    if (status == PLEACH_OK && map->pins > 0) status = PLEACH_E_BUSY;
    base_free(tree);
    return status == PLEACH_OK ? load_pairs(map, n, keys, values, fill, false) : status;
}

pleach_status cuda_bulk_replace(cuda_map *map, size_t n, const void *keys, const void *values, double fill)
{
    if (map->pins > 0) return PLEACH_E_BUSY;
    return load_pairs(map, n, keys, values, fill, true);
}

/* ---- export: list the leaves, sort them by their first keys, sum their counts, copy ---- */

static pleach_status count_nodes(const cuda_map *map, staging *s, bool shape, uint64_t *used, blink_counts *counts)
{
    blink_tree *tree = base_alloc(1, sizeof *tree);
    if (!tree) return PLEACH_E_MEMORY;
    pleach_status status = read_tree(map, tree);
    *used = blink_used_ids(tree);
    base_free(tree);
    blink_counts *there;
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    CUDA_TRY(map->nodes->count(map->ref, *used, there, s->stream));
    if (shape) CUDA_TRY(map->nodes->shape(map->ref, *used, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(counts, there, sizeof *counts, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

/* Computes the leaves with keys, in key order. All arrays are scratch memory. */
static pleach_status order_leaves(const cuda_map *map, staging *s, uint64_t used, size_t leaves, leaf_order *order)
{
    void *first_keys, *sorted_keys;
    uint32_t *ids, *sorted_ids;
    uint64_t *offsets;
    pleach_status status = staging_scratch(s, leaves * map->key_bytes, &first_keys);
    if (status == PLEACH_OK) status = staging_scratch(s, leaves * map->key_bytes, &sorted_keys);
    if (status == PLEACH_OK) status = staging_scratch(s, leaves * sizeof *ids, (void **)&ids);
    if (status == PLEACH_OK) status = staging_scratch(s, leaves * sizeof *ids, (void **)&sorted_ids);
    if (status == PLEACH_OK) status = staging_scratch(s, (leaves + 1) * sizeof *offsets, (void **)&offsets);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(offsets, 0, sizeof *offsets, s->stream)); /* offsets[0] first counts the leaves */
    CUDA_TRY(map->nodes->list_leaves(map->ref, used, first_keys, ids, offsets, s->stream));
    WITH_SCRATCH(s, sort_cuda_pairs, map->key_bits, 32, first_keys, sorted_keys, ids, sorted_ids, leaves, s->stream);
    CUDA_TRY(map->nodes->leaf_counts(map->ref, sorted_ids, leaves, offsets, s->stream));
    WITH_SCRATCH(s, sort_cuda_scan, offsets, offsets, leaves, s->stream);
    *order = (leaf_order){leaves, sorted_keys, sorted_ids, offsets};
    return PLEACH_OK;
}

pleach_status cuda_bulk_order(const cuda_map *map, staging *s, leaf_order *order)
{
    uint64_t used;
    blink_counts counts;
    *order = (leaf_order){0, NULL, NULL, NULL};
    pleach_status status = count_nodes(map, s, false, &used, &counts);
    if (status != PLEACH_OK || counts.keys == 0) return status;
    return order_leaves(map, s, used, counts.leaves - counts.empty_leaves, order);
}

static pleach_status gather_pairs(const cuda_map *map, staging *s, uint64_t used, size_t leaves, void *out_keys,
                                  void *out_values)
{
    leaf_order order;
    pleach_status status = order_leaves(map, s, used, leaves, &order);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(map->nodes->gather(map->ref, order.ids, leaves, order.offsets, out_keys, out_values, s->stream));
    return PLEACH_OK;
}

static pleach_status export_staged(cuda_map *map, staging *s, size_t capacity, void *out_keys, void *out_values,
                                   size_t *n)
{
    uint64_t used;
    blink_counts counts;
    pleach_status status = count_nodes(map, s, false, &used, &counts);
    if (status != PLEACH_OK) return status;
    *n = counts.keys;
    if ((!out_keys && !out_values) || *n == 0) return PLEACH_OK;
    if (*n > capacity) return PLEACH_E_SPACE;
    void *keys_there, *values_there;
    status = staging_output(s, out_keys, *n * map->key_bytes, false, &keys_there);
    if (status == PLEACH_OK) status = staging_output(s, out_values, *n * map->key_bytes, false, &values_there);
    if (status == PLEACH_OK)
        status = gather_pairs(map, s, used, counts.leaves - counts.empty_leaves, keys_there, values_there);
    return status == PLEACH_OK ? staging_return_results(s) : status;
}

pleach_status cuda_bulk_export(cuda_map *map, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    staging s = staging_to_wait_for(map, stream_of(map));
    pleach_status status = export_staged(map, &s, capacity, out_keys, out_values, n);
    staging_free(&s);
    pleach_status finished = wait_for(map);
    return status != PLEACH_OK ? status : finished;
}

/* ---- compact ---- */

static pleach_status compact_staged(cuda_map *map, staging *s, double fill)
{
    uint64_t used;
    blink_counts counts;
    void *keys, *values;
    pleach_status status = count_nodes(map, s, false, &used, &counts);
    if (status == PLEACH_OK) status = staging_scratch(s, counts.keys * map->key_bytes, &keys);
    if (status == PLEACH_OK) status = staging_scratch(s, counts.keys * map->key_bytes, &values);
    if (status == PLEACH_OK && counts.keys)
        status = gather_pairs(map, s, used, counts.leaves - counts.empty_leaves, keys, values);
    if (status != PLEACH_OK) return status;
    build_plan plan;
    cuda_bulk_plan(map, &plan, counts.keys, fill);
    return build(map, &plan, keys, values, true);
}

pleach_status cuda_bulk_compact(cuda_map *map, double fill)
{
    if (map->pins > 0) return PLEACH_E_BUSY;
    staging s = staging_on(map, stream_of(map));
    pleach_status status = compact_staged(map, &s, fill);
    staging_free(&s);
    pleach_status finished = wait_for(map);
    return status != PLEACH_OK ? status : finished;
}

/* ---- stats, validate ---- */

static void fill_stats(const cuda_map *map, const blink_tree *tree, const blink_counts *counts,
                       pleach_map_stats *stats)
{
    stats->keys = counts->keys;
    stats->leaves = counts->leaves;
    stats->inner = counts->inner;
    stats->empty_leaves = counts->empty_leaves;
    stats->shape = counts->shape;
    stats->unposted = tree->unposted;
    stats->node_bytes = (counts->leaves + counts->inner) * map->node_bytes;
    stats->reserved_bytes = map->capacity * map->node_bytes;
    if (map->skiplist) {
        stats->zombies = counts->images;
        stats->restarts = tree->restarts;
        stats->reclaimed_bytes = tree->reclaimed * map->node_bytes;
    } else {
        stats->old_images = counts->images;
        stats->old_image_bytes = counts->images * map->node_bytes;
    }
    uint64_t in_use = counts->leaves + counts->inner + counts->images;
    stats->free_bytes = (blink_used_ids(tree) - 1 - in_use) * map->node_bytes;
    stats->height = (unsigned)(tree->root >> 32) + 1;
}

pleach_status cuda_bulk_stats(cuda_map *map, pleach_map_stats *stats)
{
    uint64_t used;
    blink_counts counts;
    staging s = staging_on(map, stream_of(map));
    pleach_status status = PLEACH_OK;
    if (map->versioned) status = cuda_status(map->versioned->release(map->ref, NULL, s.stream));
    if (map->skiplist) status = cuda_status(map->skiplist->settle(map->ref, false, s.stream));
    if (status == PLEACH_OK) status = count_nodes(map, &s, true, &used, &counts);
    if (status == PLEACH_OK && map->ref.versions.state) status = cuda_versions_stats(map, used, &s, stats);
    staging_free(&s);
    blink_tree *tree = status == PLEACH_OK ? base_alloc(1, sizeof *tree) : NULL;
    if (status == PLEACH_OK) status = tree ? read_tree(map, tree) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) fill_stats(map, tree, &counts, stats);
    base_free(tree);
    return status;
}

static pleach_status copy_nodes(const cuda_map *map, uint64_t used, void *nodes)
{
    CUDA_TRY(cudaMemcpyAsync(nodes, map->ref.nodes, used * map->node_bytes, cudaMemcpyDeviceToHost,
                             stream_of(map)));
    return wait_for(map);
}

pleach_status cuda_bulk_validate(cuda_map *map, char *message, size_t message_size)
{
    blink_tree *tree = base_alloc(1, sizeof *tree);
    pleach_status status = tree ? read_tree(map, tree) : PLEACH_E_MEMORY;
    void *nodes = NULL;
    if (status == PLEACH_OK) {
        uint64_t used = blink_used_ids(tree);
        nodes = base_alloc(used, map->node_bytes);
        status = nodes ? copy_nodes(map, used, nodes) : PLEACH_E_MEMORY;
    }
    bool valid = true;
    if (status == PLEACH_OK)
        valid = map->skiplist ? skiplist_validate(map->chunk, map->key_bits, tree, nodes, message, message_size)
                              : blink_validate(map->key_bits, tree, nodes, message, message_size);
    if (!valid) status = PLEACH_E_CORRUPT;
    if (status == PLEACH_OK && map->ref.versions.state)
        status = cuda_versions_validate(map, tree, nodes, blink_used_ids(tree), message, message_size);
    base_free(nodes);
    base_free(tree);
    return status;
}
