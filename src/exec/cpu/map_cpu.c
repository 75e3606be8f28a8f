/* exec/cpu/map_cpu.c - the ordered map in host memory: exec_ops for CPU threads. */
#include <stdatomic.h>
#include <string.h>

#include "../../base/memory.h"
#include "../../core/blink/blink_check.h"
#include "../../core/versioned/versioned_check.h"
#include "../../gate/gate.h"
#include "../../node/node_sizes.h"
#include "../../pool/pool_host.h"
#include "blink_run.h"
#include "sort.h"
#include "workers.h"

typedef struct cpu_map {
    unsigned key_bits;
    unsigned threads;
    size_t node_bytes;
    _Atomic size_t populated; /* bytes of node memory made ready by reserve */
    blink_tree *tree;
    pool_host memory;
    versions versions; /* of a map with versions; else NULL */
    pool_host records; /* the memory of versions.record */
    workers *workers;
    const blink_run_ops *ops;
} cpu_map;

static map_place place_of(const cpu_map *map)
{
    return (map_place){map->tree, map->memory.nodes, map->versions};
}

/* ---- building: an empty map is a built one too ---- */

typedef struct build_level {
    const cpu_map *map;
    const build_plan *plan;
    const void *keys, *values;
    uint32_t level;
} build_level;

static void build_part(void *context, size_t begin, size_t end)
{
    const build_level *b = context;
    b->map->ops->build(b->plan, b->map->memory.nodes, b->keys, b->values, b->level, begin, end);
}

/* No snapshot is live: the past of all nodes begins anew. The clock goes on. */
static void forget_versions(cpu_map *map, uint64_t nodes)
{
    version_state *state = map->versions.state;
    memset(map->versions.record, 0, nodes * sizeof map->versions.record[0]);
    memset(state->kept, 0, sizeof state->kept);
}

static bool has_snapshots(const cpu_map *map) { return map->versions.state && map->versions.state->live > 0; }

/* Replaces whatever is there; the plan is known to fit. */
static void build(cpu_map *map, const build_plan *plan, const void *keys, const void *values)
{
    blink_tree *tree = map->tree;
    uint64_t capacity = tree->pool.capacity, used = blink_used_ids(tree);
    memset(tree, 0, sizeof *tree);
    tree->pool.capacity = capacity;
    tree->pool.next = 1 + plan->nodes;
    for (uint32_t level = 0; level < plan->levels; level++) {
        build_level job = {map, plan, keys, values, level};
        workers_run(map->workers, plan->count[level], 4096, build_part, &job);
    }
    tree->root = build_plan_root(plan);
    tree->stripe[0].size = plan->keys;
    /* Nodes that were used and are no longer must read as never used. */
    char *nodes = map->memory.nodes;
    uint64_t next = tree->pool.next;
    if (used > next) memset(nodes + next * map->node_bytes, 0, (used - next) * map->node_bytes);
    if (map->versions.state) forget_versions(map, used > next ? used : next);
}

/* Gives back the memory past the last node in use. */
static void trim(cpu_map *map)
{
    pool_host_trim(&map->memory, map->tree->pool.next * map->node_bytes);
    if (map->versions.state) pool_host_trim(&map->records, map->tree->pool.next * sizeof(version_record));
    atomic_store(&map->populated, 0);
}

static bool plan_fits(const cpu_map *map, const build_plan *plan)
{
    return 1 + plan->nodes <= map->tree->pool.capacity;
}

static pleach_status cpu_clear(void *exec)
{
    build_plan plan;
    if (has_snapshots(exec)) return PLEACH_E_BUSY;
    build_plan_make(&plan, 0, 1);
    build(exec, &plan, NULL, NULL);
    trim(exec);
    return PLEACH_OK;
}

static pleach_status build_sorted(cpu_map *map, size_t n, const void *keys, const void *values, double fill)
{
    build_plan plan;
    build_plan_make(&plan, n, fill);
    if (!plan_fits(map, &plan)) return PLEACH_E_FULL;
    build(map, &plan, keys, values);
    return PLEACH_OK;
}

static pleach_status cpu_load(void *exec, size_t n, const void *keys, const void *values, double fill)
{
    cpu_map *map = exec;
    if (blink_size(map->tree) != 0) return PLEACH_E_NOT_EMPTY;
    if (has_snapshots(map)) return PLEACH_E_BUSY;
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
    if (has_snapshots(exec)) return PLEACH_E_BUSY;
    pleach_status status = build_sorted(exec, n, keys, values, fill);
    if (status == PLEACH_OK) trim(exec);
    return status;
}

static pleach_status cpu_compact(void *exec, double fill)
{
    cpu_map *map = exec;
    if (has_snapshots(map)) return PLEACH_E_BUSY;
    size_t n = blink_size(map->tree), key_bytes = map->key_bits / 8;
    void *keys = base_alloc(n, key_bytes), *values = base_alloc(n, key_bytes);
    pleach_status status = PLEACH_E_MEMORY;
    if (keys && values) {
        map->ops->export_pairs(place_of(map), keys, values);
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
    atomic_uint_fast64_t not_applied;
} run_job;

static void run_part(void *context, size_t begin, size_t end)
{
    run_job *job = context;
    unsigned stripe = gate_thread_number();
    run_result result = {0, 0};
    job->map->ops->run(place_of(job->map), stripe, job->request, begin, end, &result);
    if (result.size_change)
        port_fetch_add(&job->map->tree->stripe[stripe % BLINK_STRIPES].size, (uint64_t)result.size_change);
    if (result.not_applied) atomic_fetch_add(&job->not_applied, result.not_applied);
}

/* Parts large enough to keep many operations in flight, and small enough that nobody waits long for the last one. */
static size_t grain_for(const cpu_map *map, size_t n)
{
    size_t grain = n / (8 * (size_t)map->threads);
    return grain < 256 ? 256 : grain > 16384 ? 16384 : grain;
}

static pleach_status cpu_run(void *exec, const request *request, pleach_stream stream)
{
    (void)stream; /* the api layer takes none for a CPU map */
    cpu_map *map = exec;
    run_job job = {map, request, 0};
    if (request->n == 1)
        run_part(&job, 0, 1);
    else
        workers_run(map->workers, request->n, grain_for(map, request->n), run_part, &job);
    return atomic_load(&job.not_applied) ? PLEACH_E_FULL : PLEACH_OK;
}

/* ---- packed ranges ----
 *
 * Count, add up, fill. Between counting and filling other calls may insert and erase. Gaps that erasing leaves are
 * closed. A query that has become longer than its place is not cut short, for that could lose a key which was there all
 * the time: all are filled again, into places with room to spare, twice as much in every round, until all have fitted.
 */

static size_t offsets_of_counts(uint64_t *offsets, size_t n)
{
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = offsets[i];
        offsets[i] = total;
        total += count;
    }
    offsets[n] = total;
    return total;
}

static void copy_pairs(void *to, const void *from, size_t key_bytes, uint64_t to_place, uint64_t from_place,
                       uint64_t count)
{
    if (!to || (to == from && to_place == from_place)) return;
    memmove((char *)to + to_place * key_bytes, (const char *)from + from_place * key_bytes, count * key_bytes);
}

/* One try. True if every query's pairs fitted; found[i] is how many it had. */
static bool fill_places(cpu_map *map, const request *r, void *keys, void *values, const uint64_t *places,
                        uint64_t *found)
{
    request fill = *r;
    fill.out_keys = keys;
    fill.out_values = values;
    fill.offsets = places;
    fill.long_counts = found;
    cpu_run(map, &fill, PLEACH_SYNC);
    bool fitted = true;
    for (size_t i = 0; i < r->n; i++) fitted &= found[i] <= places[i + 1] - places[i];
    return fitted;
}

/* Moves the pairs together, to the caller's arrays, if they fit there. */
static pleach_status close_gaps(const request *r, size_t key_bytes, const void *keys, const void *values,
                                const uint64_t *places, const uint64_t *found, size_t capacity, uint64_t *offsets,
                                size_t *total)
{
    uint64_t place = 0;
    for (size_t i = 0; i < r->n; i++) place += found[i];
    *total = place;
    bool fits = place <= capacity;
    place = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint64_t from = places[i]; /* places may be offsets */
        if (fits) copy_pairs(r->out_keys, keys, key_bytes, place, from, found[i]);
        if (fits) copy_pairs(r->out_values, values, key_bytes, place, from, found[i]);
        offsets[i] = place;
        place += found[i];
    }
    offsets[r->n] = place;
    return fits ? PLEACH_OK : PLEACH_E_SPACE;
}

static pleach_status fill_with_room_to_spare(cpu_map *map, const request *r, size_t capacity, uint64_t *offsets,
                                             uint64_t *found, size_t *total)
{
    size_t key_bytes = map->key_bits / 8;
    uint64_t *places = base_alloc(r->n + 1, sizeof *places);
    pleach_status status = places ? PLEACH_OK : PLEACH_E_MEMORY;
    bool fitted = false;
    for (unsigned round = 0; status == PLEACH_OK && !fitted; round++) {
        for (size_t i = 0; i < r->n; i++) places[i] = found[i] + ((uint64_t)4 << (round < 20 ? round : 20));
        size_t room = offsets_of_counts(places, r->n);
        void *keys = r->out_keys ? base_alloc(room, key_bytes) : NULL;
        void *values = r->out_values ? base_alloc(room, key_bytes) : NULL;
        if ((r->out_keys && !keys) || (r->out_values && !values))
            status = PLEACH_E_MEMORY;
        else
            fitted = fill_places(map, r, keys, values, places, found);
        if (fitted)
            status = close_gaps(r, key_bytes, keys, values, places, found, capacity, offsets, total);
        base_free(keys);
        base_free(values);
    }
    base_free(places);
    return status;
}

static pleach_status cpu_range_packed(void *exec, const request *r, size_t capacity, uint64_t *offsets, size_t *total)
{
    cpu_map *map = exec;
    uint64_t *found = base_alloc(r->n, sizeof *found);
    if (!found) return PLEACH_E_MEMORY;
    request count = *r;
    count.kind = REQUEST_COUNT;
    count.out_keys = count.out_values = NULL;
    count.long_counts = offsets;
    cpu_run(map, &count, PLEACH_SYNC);
    *total = offsets_of_counts(offsets, r->n);
    pleach_status status = PLEACH_OK;
    if (*total > capacity && (r->out_keys || r->out_values))
        status = PLEACH_E_SPACE;
    else if ((r->out_keys || r->out_values) && fill_places(map, r, r->out_keys, r->out_values, offsets, found))
        status = close_gaps(r, map->key_bits / 8, r->out_keys, r->out_values, offsets, found, capacity, offsets, total);
    else if (r->out_keys || r->out_values)
        status = fill_with_room_to_spare(map, r, capacity, offsets, found, total);
    base_free(found);
    return status;
}

/* ---- the rest ---- */

static pleach_status cpu_export(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    cpu_map *map = exec;
    *n = blink_size(map->tree);
    if (!out_keys && !out_values) return PLEACH_OK;
    if (*n > capacity) return PLEACH_E_SPACE;
    map->ops->export_pairs(place_of(map), out_keys, out_values);
    return PLEACH_OK;
}

static pleach_status cpu_size(void *exec, uint64_t *size)
{
    *size = blink_size(((cpu_map *)exec)->tree);
    return PLEACH_OK;
}

static pleach_status cpu_stats(void *exec, pleach_map_stats *stats)
{
    cpu_map *map = exec;
    blink_counts counts;
    blink_count_nodes(map->key_bits, map->tree, map->memory.nodes, &counts);
    stats->keys = counts.keys;
    stats->leaves = counts.leaves;
    stats->inner = counts.inner;
    stats->empty_leaves = counts.empty_leaves;
    stats->unposted = map->tree->unposted;
    stats->node_bytes = (counts.leaves + counts.inner) * map->node_bytes;
    stats->old_images = counts.images;
    stats->old_image_bytes = counts.images * map->node_bytes;
    if (map->versions.state) stats->snapshots = map->versions.state->live;
    uint64_t used_bytes = blink_used_ids(map->tree) * map->node_bytes;
    stats->reserved_bytes = used_bytes > map->populated ? used_bytes : map->populated;
    stats->height = (unsigned)(map->tree->root >> 32) + 1;
    return PLEACH_OK;
}

/* ---- snapshots. Progress: whoever has the table of snapshots latched waits for nobody ---- */

static pleach_status cpu_take(void *exec, uint64_t *at)
{
    cpu_map *map = exec;
    if (!map->versions.state) return PLEACH_E_ARGUMENT;
    version_answer answer;
    for (unsigned attempt = 0; (answer = version_take(map->versions.state, at)) == VERSION_BUSY;) port_pause(attempt++);
    return answer == VERSION_DONE ? PLEACH_OK : PLEACH_E_FULL;
}

static void cpu_release(void *exec, uint64_t at)
{
    cpu_map *map = exec;
    for (unsigned attempt = 0; version_release(map->versions.state, at) == VERSION_BUSY;) port_pause(attempt++);
    for (unsigned stripe = 0; stripe < VERSION_STRIPES; stripe++) map->ops->return_images(place_of(map), stripe);
}

static pleach_status cpu_reserve(void *exec, uint64_t keys)
{
    cpu_map *map = exec;
    build_plan plan;
    build_plan_make(&plan, keys, 0.5); /* the least that any order of insertion comes to */
    uint64_t capacity = map->tree->pool.capacity;
    if (1 + plan.nodes + capacity / 64 > capacity) return PLEACH_E_FULL; /* leaves leave a 64th untouched */
    size_t bytes = (1 + plan.nodes) * map->node_bytes, before = atomic_load(&map->populated);
    if (bytes > before && !pool_host_populate(&map->memory, bytes)) return PLEACH_E_MEMORY;
    while (bytes > before && !atomic_compare_exchange_weak(&map->populated, &before, bytes)) {
    }
    return PLEACH_OK;
}

static pleach_status cpu_validate(void *exec, char *message, size_t message_size)
{
    cpu_map *map = exec;
    bool valid = blink_validate(map->key_bits, map->tree, map->memory.nodes, message, message_size);
    if (valid && map->versions.state)
        valid = versioned_validate(map->key_bits, map->tree, map->memory.nodes, map->versions, message, message_size);
    return valid ? PLEACH_OK : PLEACH_E_CORRUPT;
}

static pleach_status cpu_quiesce(void *exec)
{
    (void)exec; /* a CPU call is over when it returns */
    return PLEACH_OK;
}

static void cpu_destroy(void *exec)
{
    cpu_map *map = exec;
    if (map->workers) workers_destroy(map->workers);
    pool_host_close(&map->memory);
    pool_host_close(&map->records);
    base_free(map->versions.state);
    base_free(map->tree);
    base_free(map);
}

/* A record for every node that there may ever be; the operating system gives memory to those that are used. */
static bool make_versions(cpu_map *map)
{
    uint64_t nodes = map->tree->pool.capacity;
    map->versions.state = base_alloc(1, sizeof *map->versions.state);
    if (!map->versions.state) return false;
    if (!pool_host_open(&map->records, nodes * sizeof(version_record), sizeof(version_record))) return false;
    map->versions.record = map->records.nodes;
    version_begin(map->versions.state);
    return true;
}

static pleach_status cpu_create(void **exec, const pleach_map_config *config)
{
    cpu_map *map = base_alloc(1, sizeof *map);
    if (!map) return PLEACH_E_MEMORY;
    map->key_bits = config->key_bits;
    map->threads = config->threads;
    map->node_bytes = node_bytes_of(config->key_bits);
    map->ops = blink_run_choose(config->key_bits, config->versioned);
    map->tree = base_alloc(1, sizeof *map->tree);
    map->workers = workers_create(config->threads);
    pleach_status status = PLEACH_E_MEMORY;
    if (map->tree && map->workers && pool_host_open(&map->memory, config->max_bytes, map->node_bytes)) {
        map->tree->pool.capacity = map->memory.bytes / map->node_bytes;
        status = !config->versioned || make_versions(map) ? cpu_clear(map) : PLEACH_E_MEMORY;
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
    .run = cpu_run,
    .range_packed = cpu_range_packed,
    .reserve = cpu_reserve,
    .size = cpu_size,
    .take = cpu_take,
    .release = cpu_release,
    .quiesce = cpu_quiesce,
    .load = cpu_load,
    .replace = cpu_replace,
    .export_pairs = cpu_export,
    .stats = cpu_stats,
    .compact = cpu_compact,
    .clear = cpu_clear,
    .validate = cpu_validate,
};
