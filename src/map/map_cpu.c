/* map/map_cpu.c - the ordered map in host memory: exec_ops for CPU threads. */
#include "map_cpu.h"

#include <string.h>

#include "../base/memory.h"
#include "../skiplist/skiplist_check.h"
#include "../skiplist/skiplist_plan.h"
#include "../versioned/versioned_check.h"
#include "../sync/gate.h"
#include "map_choose_isa.h"
#include "../node/node_sizes.h"
#include "../cpu/sort.h"

/* ---- building; an empty map is also built ---- */

typedef struct build_level {
    const cpu_map *map;
    const build_plan *plan;
    const void *keys, *values;
    uint32_t level;
} build_level;

static void build_part(void *context, size_t begin, size_t end)
{
    const build_level *b = context;
    b->map->ops->build(b->plan, b->map->ref.nodes, b->keys, b->values, b->level, begin, end);
}

/* Replaces the contents of the map. The plan must fit. */
static void build(cpu_map *map, const build_plan *plan, const void *keys, const void *values)
{
    blink_tree *tree = map->ref.tree;
    uint64_t capacity = tree->pool.capacity, used = blink_used_ids(tree), stock = tree->pool.stock;
    memset(tree, 0, sizeof *tree);
    tree->pool.capacity = capacity;
    tree->pool.stock = stock;
    tree->pool.next = 1 + plan->nodes;
    for (uint32_t level = 0; level < plan->levels; level++) {
        build_level job = {map, plan, keys, values, level};
        workers_run(map->workers, plan->count[level], 4096, build_part, &job);
    }
    tree->root = plan->root;
    tree->stripe[0].size = plan->keys;
    /* Nodes that were in use and are free now must read like never-allocated ones. */
    char *nodes = map->ref.nodes;
    uint64_t next = tree->pool.next;
    if (used > next) memset(nodes + next * map->node_bytes, 0, (used - next) * map->node_bytes);
    if (map->ref.versions.state) cpu_versions_forget(map, used > next ? used : next);
    if (map->chunk) cpu_epoch_forget(map);
}

static void make_plan(const cpu_map *map, build_plan *plan, uint64_t keys, double fill)
{
    if (map->chunk)
        skiplist_plan_make(plan, keys, fill, map->chunk);
    else
        build_plan_make(plan, keys, fill);
}

/* Frees the memory behind the last node in use. */
static void trim(cpu_map *map)
{
    pool_host_trim(&map->memory, map->ref.tree->pool.next * map->node_bytes);
    pool_host_trim(&map->stock, 0);
    if (map->ref.versions.state) pool_host_trim(&map->records, map->ref.tree->pool.next * sizeof(version_record));
    atomic_store(&map->populated, 0);
}

static bool plan_fits(const cpu_map *map, const build_plan *plan)
{
    return 1 + plan->nodes <= map->ref.tree->pool.capacity;
}

void cpu_reset(cpu_map *map)
{
    build_plan plan;
    make_plan(map, &plan, 0, 1);
    build(map, &plan, NULL, NULL);
}

static pleach_status cpu_clear(void *exec)
{
    if (cpu_versions_pinned(exec)) return PLEACH_E_BUSY;
    cpu_reset(exec);
    trim(exec);
    return PLEACH_OK;
}

static pleach_status build_sorted(cpu_map *map, size_t n, const void *keys, const void *values, double fill)
{
    build_plan plan;
    make_plan(map, &plan, n, fill);
    if (!plan_fits(map, &plan)) return PLEACH_E_FULL;
    pool_host_expect(&map->memory, (1 + plan.nodes) * map->node_bytes);
    build(map, &plan, keys, values);
    return PLEACH_OK;
}

static pleach_status cpu_load(void *exec, size_t n, const void *keys, const void *values, double fill)
{
    cpu_map *map = exec;
    if (blink_size(map->ref.tree) != 0) return PLEACH_E_NOT_EMPTY;
    if (cpu_versions_pinned(map)) return PLEACH_E_BUSY;
    if (sort_is_ascending(map->key_bits, keys, n)) return build_sorted(map, n, keys, values, fill);
    void *sorted_keys, *sorted_values;
    size_t distinct = sort_distinct(map->key_bits, keys, values, n, &sorted_keys, &sorted_values);
    if (distinct == SIZE_MAX) return PLEACH_E_MEMORY;
    pleach_status status = build_sorted(map, distinct, sorted_keys, sorted_values, fill);
    base_free(sorted_keys);
    base_free(sorted_values);
    return status;
}

static pleach_status cpu_replace(void *exec, size_t n, const void *keys, const void *values, double fill)
{
    if (cpu_versions_pinned(exec)) return PLEACH_E_BUSY;
    pleach_status status = build_sorted(exec, n, keys, values, fill);
    if (status == PLEACH_OK) trim(exec);
    return status;
}

/* Copies all n pairs to the arrays. The caller must hold the gate exclusively. The threads share many pairs as one
 * packed range. If there are few pairs, or if there is no memory for that, one thread goes through all leaves. */
static void export_all(cpu_map *map, size_t n, void *out_keys, void *out_values)
{
    enum { MANY = 1 << 15 };
    static const uint64_t least[2] = {0, 0}, greatest[2] = {UINT64_MAX, UINT64_MAX}; /* for any key width */
    request all = {.kind = OP_RANGE, .n = 1, .keys = least, .values = greatest, .out_keys = out_keys,
                   .out_values = out_values};
    uint64_t offsets[2];
    size_t found = 0;
    bool shared = n >= MANY && cpu_divides(map);
    if (shared && cpu_range_packed(map, &all, n, offsets, &found) == PLEACH_OK && found == n) return;
    map->ops->export_pairs(map->ref, out_keys, out_values);
}

static pleach_status cpu_compact(void *exec, double fill)
{
    cpu_map *map = exec;
    if (cpu_versions_pinned(map)) return PLEACH_E_BUSY;
    size_t n = blink_size(map->ref.tree), key_bytes = map->key_bits / 8;
    void *keys = base_alloc(n, key_bytes), *values = base_alloc(n, key_bytes);
    pleach_status status = PLEACH_E_MEMORY;
    if (keys && values) {
        export_all(map, n, keys, values);
        status = build_sorted(map, n, keys, values, fill);
        if (status == PLEACH_OK) trim(map);
    }
    base_free(keys);
    base_free(values);
    return status;
}

/* ---- array calls ---- */

typedef struct run_job {
    const cpu_map *map;
    const request *request;
    long_list *longs;
    atomic_uint_fast64_t not_applied;
} run_job;

uint64_t cpu_run_here(const cpu_map *map, const request *request, size_t begin, size_t end, long_list *longs)
{
    unsigned stripe = gate_thread_number();
    run_result result = {0, 0, longs};
    map->ops->run(map->ref, stripe, request, begin, end, &result);
    if (result.size_change)
        port_fetch_add(&map->ref.tree->stripe[stripe % BLINK_STRIPES].size, (uint64_t)result.size_change);
    return result.not_applied;
}

static void run_part(void *context, size_t begin, size_t end)
{
    run_job *job = context;
    uint64_t not_applied = cpu_run_here(job->map, job->request, begin, end, job->longs);
    if (not_applied) atomic_fetch_add(&job->not_applied, not_applied);
}

uint64_t cpu_run_elements(const cpu_map *map, const request *request, long_list *longs)
{
    run_job job = {map, request, longs, 0};
    if (request->n == 1) return cpu_run_here(map, request, 0, 1, longs);
    workers_run(map->workers, request->n, workers_grain(map->threads, request->n), run_part, &job);
    return atomic_load(&job.not_applied);
}

pleach_status cpu_run(void *exec, const request *request, pleach_stream stream)
{
    (void)stream; /* the caller passes none for a CPU map */
    cpu_map *map = exec;
    if (cpu_divides(map) && (request->kind == OP_RANGE || request->kind == OP_COUNT)) {
        cpu_run_ranges(map, request);
        return PLEACH_OK;
    }
    uint64_t not_applied = cpu_run_elements(map, request, NULL);
    if (request->n > 1) pool_host_grown(&map->memory, port_load(&map->ref.tree->pool.next) * map->node_bytes);
    return not_applied ? PLEACH_E_FULL : PLEACH_OK;
}

static pleach_status cpu_run_one(void *exec, op_kind kind, key128 key, key128 value, single_result *result)
{
    const cpu_map *map = exec;
    const unsigned stripe = gate_thread_number();
    const int change = map->ops->run_one(map->ref, stripe, kind, key, value, result);
    if (change) port_fetch_add(&map->ref.tree->stripe[stripe % BLINK_STRIPES].size, (uint64_t)(int64_t)change);
    return op_is_update(kind) && result->flag == PLEACH_NOT_APPLIED ? PLEACH_E_FULL : PLEACH_OK;
}

/* Returns whether keys ascend, judged by a sample. A wrong guess costs time only. */
static bool looks_ordered(const cpu_map *map, const request *r)
{
    enum { SAMPLES = 64 };
    const size_t key_bytes = map->key_bits / 8;
    size_t ascend = 0;
    for (size_t s = 0; s < SAMPLES; s++) {
        size_t i = (r->n - 2) * s / (SAMPLES - 1);
        ascend += sort_is_ascending(map->key_bits, (const char *)r->keys + i * key_bytes, 2);
    }
    return ascend > SAMPLES / 8 * 7;
}

/* Erases, and puts of ascending keys, are a little faster as a batch (docs/performance.md has the figures). Therefore a
 * batch is used only if there are enough elements to occupy all threads; then concurrent calls would not have
 * progressed far anyway. */
static bool cpu_should_batch(void *exec, request *r)
{
    enum { MANY = 1 << 16 };
    return r->n >= MANY && (r->kind == OP_ERASE || looks_ordered(exec, r));
}

/* ---- statistics, streams, life ---- */

static pleach_status cpu_export(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    cpu_map *map = exec;
    *n = blink_size(map->ref.tree);
    if (!out_keys && !out_values) return PLEACH_OK;
    if (*n > capacity) return PLEACH_E_SPACE;
    export_all(map, *n, out_keys, out_values);
    return PLEACH_OK;
}

static pleach_status cpu_size(void *exec, uint64_t *size)
{
    *size = blink_size(((cpu_map *)exec)->ref.tree);
    return PLEACH_OK;
}

static pleach_status cpu_stats(void *exec, pleach_map_stats *stats)
{
    cpu_map *map = exec;
    blink_counts counts;
    if (map->ref.versions.state) cpu_versions_settle(map);
    if (map->chunk) map->ops->return_images(map->ref, 0);
    if (map->chunk)
        skiplist_count_chunks(map->chunk, map->key_bits, map->ref.tree, map->ref.nodes, &counts);
    else
        blink_count_nodes(map->key_bits, map->ref.tree, map->ref.nodes, &counts);
    stats->keys = counts.keys;
    stats->leaves = counts.leaves;
    stats->inner = counts.inner;
    stats->empty_leaves = counts.empty_leaves;
    stats->shape = counts.shape;
    stats->unposted = map->ref.tree->unposted;
    stats->node_bytes = (counts.leaves + counts.inner) * map->node_bytes;
    if (map->chunk) {
        stats->zombies = counts.images;
        stats->restarts = map->ref.tree->restarts;
        stats->reclaimed_bytes = map->ref.tree->reclaimed * map->node_bytes;
    } else {
        stats->old_images = counts.images;
        stats->old_image_bytes = counts.images * map->node_bytes;
    }
    uint64_t in_use = counts.leaves + counts.inner + counts.images;
    stats->free_bytes = (blink_used_ids(map->ref.tree) - 1 - in_use) * map->node_bytes;
    if (map->ref.versions.state) cpu_versions_stats(map, stats);
    uint64_t used_bytes = blink_used_ids(map->ref.tree) * map->node_bytes;
    stats->reserved_bytes = used_bytes > map->populated ? used_bytes : map->populated;
    stats->height = (unsigned)(map->ref.tree->root >> 32) + 1;
    return PLEACH_OK;
}

static pleach_status cpu_reserve(void *exec, uint64_t keys)
{
    cpu_map *map = exec;
    build_plan plan;
    make_plan(map, &plan, keys, 0.5); /* the most nodes that any order of insertion needs */
    uint64_t capacity = map->ref.tree->pool.capacity;
    if (1 + plan.nodes + capacity / 64 > capacity) /* leaves do not use the last 64th */
        return map->memory.by_machine ? PLEACH_E_MEMORY : PLEACH_E_FULL;
    size_t bytes = (1 + plan.nodes) * map->node_bytes, before = atomic_load(&map->populated);
    if (bytes > before && !pool_host_populate(&map->memory, bytes)) return PLEACH_E_MEMORY;
    while (bytes > before && !atomic_compare_exchange_weak(&map->populated, &before, bytes)) {
    }
    return PLEACH_OK;
}

static pleach_status cpu_validate(void *exec, char *message, size_t message_size)
{
    cpu_map *map = exec;
    if (map->chunk)
        return skiplist_validate(map->chunk, map->key_bits, map->ref.tree, map->ref.nodes, message, message_size)
                   ? PLEACH_OK
                   : PLEACH_E_CORRUPT;
    bool valid = blink_validate(map->key_bits, map->ref.tree, map->ref.nodes, message, message_size);
    if (valid && map->ref.versions.state)
        valid = versioned_validate(map->key_bits, map->ref.tree, map->ref.nodes, map->ref.versions, PORT_LINE_WORDS,
                                   message, message_size);
    return valid ? PLEACH_OK : PLEACH_E_CORRUPT;
}

static pleach_status cpu_quiesce(void *exec)
{
    (void)exec; /* a CPU call is complete when it returns */
    return PLEACH_OK;
}

static void cpu_after_fork(void *exec) { workers_after_fork(((cpu_map *)exec)->workers); }

static void cpu_destroy(void *exec)
{
    cpu_map *map = exec;
    if (map->workers) workers_destroy(map->workers);
    cpu_scratch_free(&map->scratch);
    cpu_versions_close(map);
    pool_host_close(&map->memory);
    pool_host_close(&map->stock);
    base_free(map->ref.tree);
    base_free(map);
}

static pleach_status cpu_create(void **exec, const pleach_map_config *config)
{
    cpu_map *map = base_alloc(1, sizeof *map);
    if (!map) return PLEACH_E_MEMORY;
    map->key_bits = config->key_bits;
    map->threads = config->threads;
    map->chunk = config->structure == PLEACH_SKIPLIST ? config->chunk : 0;
    map->ref.raise = (uint64_t)(config->raise * 0x1p32);
    map->node_bytes = node_bytes_with(map->chunk ? map->chunk : NODE_SLOTS, config->key_bits);
    map->ops = map->chunk ? skiplist_run_choose(config->key_bits, map->chunk)
                          : blink_run_choose(config->key_bits, config->versioned);
    map->batch_ops = batch_run_choose(config->key_bits);
    map->ref.tree = base_alloc(1, sizeof *map->ref.tree);
    map->workers = workers_create(config->threads);
    pleach_status status = PLEACH_E_MEMORY;
    if (map->ref.tree && map->workers && pool_host_open(&map->memory, config->max_bytes, map->node_bytes)) {
        map->ref.nodes = map->memory.nodes;
        uint64_t nodes = map->ref.tree->pool.capacity = map->memory.bytes / map->node_bytes;
        bool stocked = pool_host_open_small_pages(&map->stock, nodes * sizeof(uint32_t));
        map->ref.tree->pool.stock = (uint64_t)(uintptr_t)map->stock.nodes;
        bool opened = stocked && (!config->versioned || cpu_versions_open(map));
        if (opened && map->chunk) opened = cpu_epoch_open(map);
        status = opened ? cpu_clear(map) : PLEACH_E_MEMORY;
    }
    if (status == PLEACH_OK && config->reserve_keys) status = cpu_reserve(map, config->reserve_keys);
    if (status != PLEACH_OK) {
        cpu_destroy(map);
        return status;
    }
    *exec = map;
    return PLEACH_OK;
}

const exec_ops exec_cpu = {
    .create = cpu_create,
    .destroy = cpu_destroy,
    .after_fork = cpu_after_fork,
    .run = cpu_run,
    .run_one = cpu_run_one,
    .range_packed = cpu_range_packed,
    .should_batch = cpu_should_batch,
    .reserve = cpu_reserve,
    .size = cpu_size,
    .take = cpu_versions_take,
    .release = cpu_versions_release,
    .quiesce = cpu_quiesce,
    .apply = cpu_apply,
    .update = cpu_update,
    .load = cpu_load,
    .replace = cpu_replace,
    .export_pairs = cpu_export,
    .stats = cpu_stats,
    .compact = cpu_compact,
    .clear = cpu_clear,
    .validate = cpu_validate,
};
