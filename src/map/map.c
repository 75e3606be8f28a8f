/* map/map.c - the ordered map's public functions: check the arguments, pass the gate, call the backend. */
#include "../../include/pleach/map.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/device_pointer.h"
#include "../skiplist/skiplist_format.h"
#include "../node/node_sizes.h"
#include "../base/config_threads.h"
#include "map_object.h"

static const uint64_t MOST_KEYS = (uint64_t)1 << 34; /* more than 2^31 half full nodes can hold */
enum { LEAST_NODES = 8, DEFAULT_CHUNK = 16 };
static const double DEFAULT_FILL = 0.7;

/* ---- creation ---- */

/* Checks that the structure supports the configuration, and completes the structure's own parameters. */
static pleach_status complete_structure(pleach_map_config *config)
{
    if (config->structure == PLEACH_BLINK)
        return config->chunk || config->team || config->raise != 0 ? PLEACH_E_ARGUMENT : PLEACH_OK;
    if (config->structure != PLEACH_SKIPLIST || config->key_bits == 128) return PLEACH_E_ARGUMENT;
    if (config->versioned || config->engine == PLEACH_ENGINE_BATCHES) return PLEACH_E_ARGUMENT;
    if (config->chunk == 0) config->chunk = DEFAULT_CHUNK;
    if (config->team == 0) config->team = 1;
    if (config->raise == 0) config->raise = 1;
    if (config->chunk != 16 && config->chunk != 32) return PLEACH_E_ARGUMENT;
    if (config->team > 32 || (config->team & (config->team - 1))) return PLEACH_E_ARGUMENT;
    if (!(config->raise > 0 && config->raise <= 1)) return PLEACH_E_ARGUMENT; /* also rejects a NaN */
    return PLEACH_OK;
}

static pleach_status complete_config(pleach_map_config *config)
{
    if (config->key_bits == 0) config->key_bits = 64;
    if (config->key_bits != 32 && config->key_bits != 64 && config->key_bits != 128) return PLEACH_E_ARGUMENT;
    if (config->device != PLEACH_CPU && config->device != PLEACH_CUDA) return PLEACH_E_ARGUMENT;
    if (config->device == PLEACH_CUDA && config->key_bits == 128) return PLEACH_E_ARGUMENT;
    if (!config_threads(&config->threads)) return PLEACH_E_ARGUMENT;
    if (config->versioned > 1) return PLEACH_E_ARGUMENT;
    if (config->engine > PLEACH_ENGINE_BATCHES) return PLEACH_E_ARGUMENT;
    pleach_status structured = complete_structure(config);
    if (structured != PLEACH_OK) return structured;
    bool skiplist = config->structure == PLEACH_SKIPLIST;
    uint64_t least_bytes = skiplist ? (LEAST_NODES + SKIPLIST_LEVELS) * node_bytes_with(config->chunk, config->key_bits)
                                    : LEAST_NODES * node_bytes_of(config->key_bits);
    if (config->max_bytes && config->max_bytes < least_bytes) return PLEACH_E_ARGUMENT;
    if (config->reserve_keys > MOST_KEYS) return PLEACH_E_FULL;
    return PLEACH_OK;
}

static const exec_ops *ops_of(pleach_device device)
{
    if (device == PLEACH_CPU) return &exec_cpu;
#ifdef PLEACH_HAVE_CUDA
    return &exec_cuda;
#else
    return NULL;
#endif
}

static void after_fork(void *object)
{
    pleach_map *map = object;
    map->ops->after_fork(map->exec);
}

static pleach_status watch_forks(pleach_map *map)
{
    const gate_fork_plan plan = {map->device == PLEACH_CPU, false, after_fork, map->ops->destroy};
    return gate_fork_watch(&map->fork, &map->gate, plan, map, map->exec);
}

pleach_status pleach_map_create(pleach_map **out, const pleach_map_config *config)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    pleach_map_config complete = {0};
    if (config) complete = *config;
    pleach_status status = complete_config(&complete);
    if (status != PLEACH_OK) return status;
    const exec_ops *ops = ops_of(complete.device);
    if (!ops) return PLEACH_E_NO_CUDA;

    pleach_map *map = base_alloc(1, sizeof *map);
    if (!map) return PLEACH_E_MEMORY;
    map->ops = ops;
    map->device = complete.device;
    map->key_bits = complete.key_bits;
    map->slots = complete.structure == PLEACH_SKIPLIST ? complete.chunk : NODE_SLOTS;
    map->structure = complete.structure;
    map->versioned = complete.versioned;
    map->engine = complete.structure == PLEACH_BLINK ? complete.engine : PLEACH_ENGINE_CALLS;
    bool gated = gate_init(&map->gate);
    status = gated ? ops->create(&map->exec, &complete) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) status = watch_forks(map);
    if (status != PLEACH_OK) {
        if (gated) gate_destroy(&map->gate);
        base_free(map);
        return status;
    }
    *out = map;
    return PLEACH_OK;
}

void pleach_map_destroy(pleach_map *map)
{
    if (!map) return;
    gate_fork_end(&map->fork);
    map->ops->quiesce(map->exec);
    map->ops->destroy(map->exec);
    gate_destroy(&map->gate);
    base_free(map);
}

/* ---- array calls ---- */

static pleach_status check_pointers(const pleach_map *map, const request *r)
{
    if (map->device != PLEACH_CPU) return PLEACH_OK; /* the GPU backend checks each pointer itself */
    const void *pointers[] = {r->keys, r->values, r->out_keys, r->out_values, r->flags, r->counts, r->long_counts};
    return any_device_pointer(pointers, sizeof pointers / sizeof *pointers) ? PLEACH_E_POINTER : PLEACH_OK;
}

static pleach_status check_request(const pleach_map *map, const request *r, pleach_stream stream)
{
    if (!map) return PLEACH_E_ARGUMENT;
    if (map->device == PLEACH_CPU && stream != PLEACH_SYNC) return PLEACH_E_STREAM;
    if (r->n == 0) return PLEACH_OK;
    bool two_inputs = r->kind == OP_PUT || r->kind == OP_ADD || r->kind == OP_RANGE ||
                      r->kind == OP_COUNT;
    if (!r->keys || (two_inputs && !r->values)) return PLEACH_E_ARGUMENT;
    if (r->n > MAP_MOST_ELEMENTS) return PLEACH_E_SIZE;
    return check_pointers(map, r);
}

/* Enters the gate for a request. Queries at a snapshot need not wait for a batch. */
static void enter_for(pleach_map *map, const request *r)
{
    if (r->at)
        gate_enter_snapshot(&map->gate);
    else
        gate_enter(&map->gate);
}

static void leave_for(pleach_map *map, const request *r)
{
    if (r->at)
        gate_leave_snapshot(&map->gate);
    else
        gate_leave(&map->gate);
}

pleach_status map_run_shared(pleach_map *map, const request *r, pleach_stream stream)
{
    enter_for(map, r);
    pleach_status status = map->ops->run(map->exec, r, stream);
    leave_for(map, r);
    return status;
}

pleach_status map_run(pleach_map *map, const request *r, pleach_stream stream)
{
    pleach_status status = check_request(map, r, stream);
    if (status != PLEACH_OK || r->n == 0) return status;
    return op_is_update(r->kind) && stream == PLEACH_SYNC ? map_run_updates(map, *r) : map_run_shared(map, r, stream);
}

pleach_status pleach_map_put(pleach_map *map, size_t n, const void *keys, const void *values, uint8_t *outcomes,
                             void *old_values, pleach_stream stream)
{
    request r = {.kind = OP_PUT, .n = n, .keys = keys, .values = values, .flags = outcomes,
                 .out_values = old_values};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_add(pleach_map *map, size_t n, const void *keys, const void *values, uint8_t *outcomes,
                             void *old_values, pleach_stream stream)
{
    request r = {.kind = OP_ADD, .n = n, .keys = keys, .values = values, .flags = outcomes,
                 .out_values = old_values};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_erase(pleach_map *map, size_t n, const void *keys, uint8_t *outcomes, void *old_values,
                               pleach_stream stream)
{
    request r = {.kind = OP_ERASE, .n = n, .keys = keys, .flags = outcomes, .out_values = old_values};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_find(pleach_map *map, size_t n, const void *keys, void *values, uint8_t *found,
                              pleach_stream stream)
{
    request r = {.kind = OP_FIND, .n = n, .keys = keys, .out_values = values, .flags = found};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_contains(pleach_map *map, size_t n, const void *keys, uint8_t *found, pleach_stream stream)
{
    if (map && n && !found) return PLEACH_E_ARGUMENT;
    request r = {.kind = OP_FIND, .n = n, .keys = keys, .flags = found};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_succ(pleach_map *map, size_t n, const void *keys, void *out_keys, void *out_values,
                              uint8_t *found, pleach_stream stream)
{
    request r = {.kind = OP_SUCC, .n = n, .keys = keys, .out_keys = out_keys, .out_values = out_values,
                 .flags = found};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_pred(pleach_map *map, size_t n, const void *keys, void *out_keys, void *out_values,
                              uint8_t *found, pleach_stream stream)
{
    request r = {.kind = OP_PRED, .n = n, .keys = keys, .out_keys = out_keys, .out_values = out_values,
                 .flags = found};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_range_count(pleach_map *map, size_t n, const void *lo, const void *hi, uint64_t *counts,
                                     pleach_stream stream)
{
    if (map && n && !counts) return PLEACH_E_ARGUMENT;
    request r = {.kind = OP_COUNT, .n = n, .keys = lo, .values = hi, .long_counts = counts};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_range_limit(pleach_map *map, size_t n, const void *lo, const void *hi, uint32_t limit,
                                     void *out_keys, void *out_values, uint32_t *counts, pleach_stream stream)
{
    if (limit == 0) return PLEACH_E_ARGUMENT;
    if (n > MAP_MOST_ELEMENTS / limit) return PLEACH_E_SIZE;
    request r = {.kind = OP_RANGE, .n = n, .keys = lo, .values = hi, .limit = limit, .out_keys = out_keys,
                 .out_values = out_values, .counts = counts};
    return map_run(map, &r, stream);
}

pleach_status pleach_map_range(pleach_map *map, size_t n, const void *lo, const void *hi, uint32_t limit,
                               size_t capacity, void *out_keys, void *out_values, uint64_t *offsets, size_t *total)
{
    request r = {.kind = OP_RANGE, .n = n, .keys = lo, .values = hi, .limit = limit, .out_keys = out_keys,
                 .out_values = out_values, .long_counts = offsets};
    return map_run_packed(map, r, capacity, offsets, total);
}

pleach_status map_run_packed(pleach_map *map, request r, size_t capacity, uint64_t *offsets, size_t *total)
{
    pleach_status status = check_request(map, &r, PLEACH_SYNC);
    if (status != PLEACH_OK) return status;
    size_t found = 0;
    if (r.n == 0 && !offsets) {
        if (total) *total = 0;
        return PLEACH_OK;
    }
    if (!offsets) return PLEACH_E_ARGUMENT;
    r.long_counts = NULL;
    enter_for(map, &r);
    status = map->ops->range_packed(map->exec, &r, capacity, offsets, &found);
    leave_for(map, &r);
    if (total) *total = found;
    return status;
}

/* ---- single calls ---- */

map_cell map_cell_of(const pleach_map *map, key128 number)
{
    map_cell c = {.widest = 0};
    if (map->key_bits == 32)
        c.narrow = (uint32_t)number;
    else if (map->key_bits == 64)
        c.wide = (uint64_t)number;
    else
        c.widest = number;
    return c;
}

key128 map_largest(const pleach_map *map) { return ~(key128)0 >> (128 - map->key_bits); }

static pleach_status run_one(pleach_map *map, op_kind kind, key128 key, key128 value, single_result *result)
{
    if (!map) return PLEACH_E_ARGUMENT;
    if (key > map_largest(map) || value > map_largest(map)) return PLEACH_E_WIDTH;
    gate_enter(&map->gate);
    pleach_status status = map->ops->run_one(map->exec, kind, key, value, result);
    gate_leave(&map->gate);
    return status;
}

/* Stores a result if the caller has requested it. Sets *status to WIDTH if it does not fit. */
static void hand_out(key128 number, uint64_t *out, pleach_status *status)
{
    if (!out) return;
    if (number > UINT64_MAX)
        *status = PLEACH_E_WIDTH;
    else
        *out = (uint64_t)number;
}

static pleach_status update_one(pleach_map *map, op_kind kind, uint64_t key, uint64_t value,
                                pleach_outcome *outcome, uint64_t *old_value)
{
    single_result result = {0};
    pleach_status status = run_one(map, kind, key, value, &result);
    if (outcome) *outcome = (pleach_outcome)result.flag;
    bool has_old = result.flag == PLEACH_REPLACED || result.flag == PLEACH_EXISTS || result.flag == PLEACH_ERASED;
    if (has_old) hand_out(result.value, old_value, &status);
    return status;
}

static pleach_status query_one(pleach_map *map, op_kind kind, key128 key, int *found, uint64_t *out_key,
                               uint64_t *out_value)
{
    single_result result = {0};
    pleach_status status = run_one(map, kind, key, 0, &result);
    if (status != PLEACH_OK) return status;
    if (found) *found = result.flag;
    if (result.flag) hand_out(result.key, out_key, &status);
    if (result.flag) hand_out(result.value, out_value, &status);
    return status;
}

pleach_status pleach_map_put_one(pleach_map *map, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                 uint64_t *old_value)
{
    return update_one(map, OP_PUT, key, value, outcome, old_value);
}

pleach_status pleach_map_add_one(pleach_map *map, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                 uint64_t *old_value)
{
    return update_one(map, OP_ADD, key, value, outcome, old_value);
}

pleach_status pleach_map_erase_one(pleach_map *map, uint64_t key, pleach_outcome *outcome, uint64_t *old_value)
{
    return update_one(map, OP_ERASE, key, 0, outcome, old_value);
}

pleach_status pleach_map_find_one(pleach_map *map, uint64_t key, int *found, uint64_t *value)
{
    return query_one(map, OP_FIND, key, found, NULL, value);
}

pleach_status pleach_map_contains_one(pleach_map *map, uint64_t key, int *found)
{
    return query_one(map, OP_FIND, key, found, NULL, NULL);
}

pleach_status pleach_map_succ_one(pleach_map *map, uint64_t key, int *found, uint64_t *out_key, uint64_t *out_value)
{
    return query_one(map, OP_SUCC, key, found, out_key, out_value);
}

pleach_status pleach_map_pred_one(pleach_map *map, uint64_t key, int *found, uint64_t *out_key, uint64_t *out_value)
{
    return query_one(map, OP_PRED, key, found, out_key, out_value);
}

pleach_status pleach_map_min(pleach_map *map, int *found, uint64_t *out_key, uint64_t *out_value)
{
    return query_one(map, OP_CEILING, 0, found, out_key, out_value);
}

pleach_status pleach_map_max(pleach_map *map, int *found, uint64_t *out_key, uint64_t *out_value)
{
    return query_one(map, OP_FLOOR, map ? map_largest(map) : 0, found, out_key, out_value);
}

static pleach_status find_end(pleach_map *map, op_kind kind, key128 from, int *found, void *out_key,
                              void *out_value)
{
    single_result result = {0};
    pleach_status status = run_one(map, kind, from, 0, &result);
    if (status != PLEACH_OK) return status;
    map_cell key = map_cell_of(map, result.key), value = map_cell_of(map, result.value);
    if (found) *found = result.flag;
    if (result.flag && out_key) memcpy(out_key, &key, map->key_bits / 8);
    if (result.flag && out_value) memcpy(out_value, &value, map->key_bits / 8);
    return PLEACH_OK;
}

pleach_status pleach_map_min_pair(pleach_map *map, int *found, void *out_key, void *out_value)
{
    return find_end(map, OP_CEILING, 0, found, out_key, out_value);
}

pleach_status pleach_map_max_pair(pleach_map *map, int *found, void *out_key, void *out_value)
{
    return find_end(map, OP_FLOOR, map ? map_largest(map) : 0, found, out_key, out_value);
}

/* ---- whole-map calls ---- */

/* Completes an exclusive entry by waiting for work on streams. On success the caller must call map_leave_exclusive. */
static pleach_status after_entering(pleach_map *map, bool entered)
{
    if (!entered) return PLEACH_E_BUSY;
    pleach_status status = map->ops->quiesce(map->exec);
    if (status != PLEACH_OK) map_leave_exclusive(map);
    return status;
}

pleach_status map_enter_exclusive(pleach_map *map) { return after_entering(map, gate_enter_exclusive(&map->gate)); }
pleach_status map_enter_batch(pleach_map *map) { return after_entering(map, gate_enter_batch(&map->gate)); }

void map_leave_exclusive(pleach_map *map) { gate_leave_exclusive(&map->gate); }

bool map_fill_is_valid(double *fill)
{
    if (*fill == 0) *fill = DEFAULT_FILL;
    return *fill > 0 && *fill <= 1; /* also false for a NaN */
}

pleach_status pleach_map_load(pleach_map *map, size_t n, const void *keys, const void *values, double fill)
{
    request r = {.kind = OP_PUT, .n = n, .keys = keys, .values = values};
    pleach_status status = check_request(map, &r, PLEACH_SYNC);
    if (status != PLEACH_OK) return status;
    if (!map_fill_is_valid(&fill)) return PLEACH_E_ARGUMENT;
    status = map_enter_exclusive(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->load(map->exec, n, keys, values, fill);
    map_leave_exclusive(map);
    return status;
}

pleach_status map_replace(pleach_map *map, size_t n, const void *keys, const void *values, double fill)
{
    if (map->device != PLEACH_CPU && n > MAP_MOST_ELEMENTS) return PLEACH_E_SIZE;
    pleach_status status = map_enter_exclusive(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->replace(map->exec, n, keys, values, fill);
    map_leave_exclusive(map);
    return status;
}

pleach_status pleach_map_export(pleach_map *map, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    if (!map || !n) return PLEACH_E_ARGUMENT;
    request r = {.out_keys = out_keys, .out_values = out_values};
    pleach_status status = check_pointers(map, &r);
    if (status == PLEACH_OK) status = map_enter_exclusive(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->export_pairs(map->exec, capacity, out_keys, out_values, n);
    map_leave_exclusive(map);
    return status;
}

unsigned pleach_map_key_bits(const pleach_map *map) { return map ? map->key_bits : 0; }

pleach_status pleach_map_size(pleach_map *map, uint64_t *size)
{
    if (!map || !size) return PLEACH_E_ARGUMENT;
    gate_enter(&map->gate);
    pleach_status status = map->ops->size(map->exec, size);
    gate_leave(&map->gate);
    return status;
}

pleach_status pleach_map_get_stats(pleach_map *map, pleach_map_stats *stats)
{
    if (!map || !stats) return PLEACH_E_ARGUMENT;
    memset(stats, 0, sizeof *stats);
    pleach_status status = map_enter_exclusive(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->stats(map->exec, stats);
    map_leave_exclusive(map);
    stats->key_bits = map->key_bits;
    if (stats->leaves) stats->fill = (double)stats->keys / ((double)stats->leaves * (map->slots - 2));
    return status;
}

pleach_status pleach_map_reserve(pleach_map *map, uint64_t keys)
{
    if (!map) return PLEACH_E_ARGUMENT;
    if (keys > MOST_KEYS) return PLEACH_E_FULL;
    gate_enter(&map->gate);
    pleach_status status = map->ops->reserve(map->exec, keys);
    gate_leave(&map->gate);
    return status;
}

pleach_status pleach_map_compact(pleach_map *map, double fill)
{
    if (!map || !map_fill_is_valid(&fill)) return PLEACH_E_ARGUMENT;
    pleach_status status = map_enter_exclusive(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->compact(map->exec, fill);
    map_leave_exclusive(map);
    return status;
}

pleach_status pleach_map_clear(pleach_map *map)
{
    if (!map) return PLEACH_E_ARGUMENT;
    pleach_status status = map_enter_exclusive(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->clear(map->exec);
    map_leave_exclusive(map);
    return status;
}

pleach_status pleach_map_validate(pleach_map *map, char *message, size_t message_size)
{
    if (message && message_size) message[0] = 0;
    if (!map) return PLEACH_E_ARGUMENT;
    pleach_status status = map_enter_exclusive(map);
    if (status != PLEACH_OK) return status;
    status = map->ops->validate(map->exec, message, message_size);
    map_leave_exclusive(map);
    return status;
}

/* ---- device views ---- */

pleach_status map_view_open(pleach_map *map, pleach_structure structure, bool versioned, map_ref *ref)
{
    if (!map->ops->view || map->structure != structure || map->versioned != versioned) return PLEACH_E_ARGUMENT;
    gate_view_open(&map->gate); /* first, so that no exclusive call is inside the gate or can enter it from here on */
    pleach_status status = map->ops->view(map->exec, ref);
    if (status != PLEACH_OK) gate_view_close(&map->gate);
    return status;
}

pleach_status map_view_close(pleach_map *map)
{
    if (!gate_view_close(&map->gate)) return PLEACH_E_ARGUMENT;
    map->ops->view_closed(map->exec);
    return PLEACH_OK;
}

pleach_status pleach_map_view_open(pleach_map *map, pleach_map_view *view)
{
    if (!map || !view) return PLEACH_E_ARGUMENT;
    memset(view, 0, sizeof *view);
    map_ref found;
    pleach_status status = map_view_open(map, PLEACH_BLINK, false, &found);
    if (status == PLEACH_OK)
        *view = (pleach_map_view){.tree = found.tree, .nodes = found.nodes, .key_bits = map->key_bits};
    return status;
}

pleach_status pleach_map_view_close(pleach_map *map, pleach_map_view *view)
{
    if (!map || !view || !view->tree) return PLEACH_E_ARGUMENT;
    pleach_status status = map_view_close(map);
    if (status == PLEACH_OK) memset(view, 0, sizeof *view);
    return status;
}
