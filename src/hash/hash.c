/* hash/hash.c - the hash table's public functions: they check the arguments, pass the gate, and call the backend. */
#include "../../include/pleach/hash.h"

#include "../base/device_pointer.h"
#include "../base/memory.h"
#include "hash_backend.h"
#include "../sync/gate_fork.h"
#include "../base/config_threads.h"

static const uint64_t LEAST_BYTES = 1024, MOST_KEYS = (uint64_t)1 << 35, MOST_ELEMENTS = (uint64_t)1 << 31;

struct pleach_hash {
    const hash_exec_ops *ops;
    void *exec;
    pleach_device device;
    unsigned key_bits;
    bool set;
    gate gate;
    gate_fork fork;
};

/* ---- life ---- */

static pleach_status complete_config(pleach_hash_config *config)
{
    if (config->key_bits == 0) config->key_bits = 64;
    if (config->key_bits != 32 && config->key_bits != 64) return PLEACH_E_ARGUMENT;
    if (config->device != PLEACH_CPU && config->device != PLEACH_CUDA) return PLEACH_E_ARGUMENT;
    if (config->set > 1 || config->fixed_seed > 1 || !config_threads(&config->threads)) return PLEACH_E_ARGUMENT;
    if (config->max_bytes && config->max_bytes < LEAST_BYTES) return PLEACH_E_ARGUMENT;
    if (config->reserve_keys > MOST_KEYS) return PLEACH_E_FULL;
    return PLEACH_OK;
}

static const hash_exec_ops *ops_of(pleach_device device)
{
    if (device == PLEACH_CPU) return &hash_exec_cpu;
#ifdef PLEACH_HAVE_CUDA
    return &hash_exec_cuda;
#else
    return NULL;
#endif
}

static void after_fork(void *object)
{
    pleach_hash *hash = object;
    hash->ops->after_fork(hash->exec);
}

static pleach_status watch_forks(pleach_hash *hash)
{
    const gate_fork_plan plan = {hash->device == PLEACH_CPU, false, after_fork, hash->ops->destroy};
    return gate_fork_watch(&hash->fork, &hash->gate, plan, hash, hash->exec);
}

pleach_status pleach_hash_create(pleach_hash **out, const pleach_hash_config *config)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    pleach_hash_config complete = {0};
    if (config) complete = *config;
    pleach_status status = complete_config(&complete);
    if (status != PLEACH_OK) return status;
    const hash_exec_ops *ops = ops_of(complete.device);
    if (!ops) return PLEACH_E_NO_CUDA;

    pleach_hash *hash = base_alloc(1, sizeof *hash);
    if (!hash) return PLEACH_E_MEMORY;
    hash->ops = ops;
    hash->device = complete.device;
    hash->key_bits = complete.key_bits;
    hash->set = complete.set;
    bool gated = gate_init(&hash->gate);
    status = gated ? hash->ops->create(&hash->exec, &complete) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) status = watch_forks(hash);
    if (status != PLEACH_OK) {
        if (gated) gate_destroy(&hash->gate);
        base_free(hash);
        return status;
    }
    *out = hash;
    return PLEACH_OK;
}

void pleach_hash_destroy(pleach_hash *hash)
{
    if (!hash) return;
    gate_fork_end(&hash->fork);
    hash->ops->quiesce(hash->exec);
    hash->ops->destroy(hash->exec);
    gate_destroy(&hash->gate);
    base_free(hash);
}

/* ---- array calls ---- */

static pleach_status check_request(const pleach_hash *hash, const hash_request *r, pleach_stream stream)
{
    if (!hash) return PLEACH_E_ARGUMENT;
    if (hash->device == PLEACH_CPU && stream != PLEACH_SYNC) return PLEACH_E_STREAM;
    if (hash->set && (r->values || r->out_values)) return PLEACH_E_ARGUMENT;
    if (r->n == 0) return PLEACH_OK;
    bool inserts = r->kind == OP_PUT || r->kind == OP_ADD;
    if (!r->keys || (inserts && !hash->set && !r->values)) return PLEACH_E_ARGUMENT;
    if (r->n > MOST_ELEMENTS) return PLEACH_E_SIZE;
    if (hash->device != PLEACH_CPU) return PLEACH_OK; /* the CUDA backend checks each pointer itself */
    const void *pointers[] = {r->keys, r->values, r->out_values, r->flags};
    return any_device_pointer(pointers, sizeof pointers / sizeof *pointers) ? PLEACH_E_POINTER : PLEACH_OK;
}

static pleach_status run_inside(pleach_hash *hash, const hash_request *r, pleach_stream stream)
{
    gate_enter(&hash->gate);
    pleach_status status = hash->ops->run(hash->exec, r, stream);
    gate_leave(&hash->gate);
    return status;
}

static pleach_status run(pleach_hash *hash, const hash_request *r, pleach_stream stream)
{
    pleach_status status = check_request(hash, r, stream);
    return status != PLEACH_OK || r->n == 0 ? status : run_inside(hash, r, stream);
}

pleach_status pleach_hash_put(pleach_hash *hash, size_t n, const void *keys, const void *values, uint8_t *outcomes,
                              void *old_values, pleach_stream stream)
{
    hash_request r = {OP_PUT, n, keys, values, old_values, outcomes};
    return run(hash, &r, stream);
}

pleach_status pleach_hash_add(pleach_hash *hash, size_t n, const void *keys, const void *values, uint8_t *outcomes,
                              void *old_values, pleach_stream stream)
{
    hash_request r = {OP_ADD, n, keys, values, old_values, outcomes};
    return run(hash, &r, stream);
}

pleach_status pleach_hash_erase(pleach_hash *hash, size_t n, const void *keys, uint8_t *outcomes, void *old_values,
                                pleach_stream stream)
{
    hash_request r = {OP_ERASE, n, keys, NULL, old_values, outcomes};
    return run(hash, &r, stream);
}

pleach_status pleach_hash_find(pleach_hash *hash, size_t n, const void *keys, void *values, uint8_t *found,
                               pleach_stream stream)
{
    hash_request r = {OP_FIND, n, keys, NULL, values, found};
    return run(hash, &r, stream);
}

pleach_status pleach_hash_contains(pleach_hash *hash, size_t n, const void *keys, uint8_t *found, pleach_stream stream)
{
    if (hash && n && !found) return PLEACH_E_ARGUMENT;
    return pleach_hash_find(hash, n, keys, NULL, found, stream);
}

/* ---- single calls: arrays of one element ---- */

typedef union cell {
    uint32_t narrow;
    uint64_t wide;
} cell;

static cell cell_of(const pleach_hash *hash, uint64_t number)
{
    cell c = {.wide = 0};
    if (hash->key_bits == 32)
        c.narrow = (uint32_t)number;
    else
        c.wide = number;
    return c;
}

static pleach_status run_one(pleach_hash *hash, op_kind kind, uint64_t key, uint64_t value, uint8_t *flag,
                             uint64_t *out)
{
    if (!hash) return PLEACH_E_ARGUMENT;
    if (hash->set) value = 0;
    if (hash->key_bits == 32 && (key > UINT32_MAX || value > UINT32_MAX)) return PLEACH_E_WIDTH;
    cell key_in = cell_of(hash, key), value_in = cell_of(hash, value), value_out = {.wide = 0};
    hash_request r = {kind, 1, &key_in, hash->set ? NULL : &value_in, &value_out, flag};
    pleach_status status = run_inside(hash, &r, PLEACH_SYNC);
    *out = hash->key_bits == 32 ? value_out.narrow : value_out.wide;
    return status;
}

static pleach_status update_one(pleach_hash *hash, op_kind kind, uint64_t key, uint64_t value,
                                pleach_outcome *outcome, uint64_t *old_value)
{
    uint8_t flag = PLEACH_NOT_APPLIED;
    uint64_t old;
    pleach_status status = run_one(hash, kind, key, value, &flag, &old);
    if (outcome) *outcome = (pleach_outcome)flag;
    bool has_old = flag == PLEACH_REPLACED || flag == PLEACH_EXISTS || flag == PLEACH_ERASED;
    if (has_old && old_value) *old_value = old;
    return status;
}

pleach_status pleach_hash_put_one(pleach_hash *hash, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                  uint64_t *old_value)
{
    return update_one(hash, OP_PUT, key, value, outcome, old_value);
}

pleach_status pleach_hash_add_one(pleach_hash *hash, uint64_t key, uint64_t value, pleach_outcome *outcome,
                                  uint64_t *old_value)
{
    return update_one(hash, OP_ADD, key, value, outcome, old_value);
}

pleach_status pleach_hash_erase_one(pleach_hash *hash, uint64_t key, pleach_outcome *outcome, uint64_t *old_value)
{
    return update_one(hash, OP_ERASE, key, 0, outcome, old_value);
}

pleach_status pleach_hash_find_one(pleach_hash *hash, uint64_t key, int *found, uint64_t *value)
{
    uint8_t flag = 0;
    uint64_t out = 0;
    pleach_status status = run_one(hash, OP_FIND, key, 0, &flag, &out);
    if (status != PLEACH_OK) return status;
    if (found) *found = flag;
    if (flag && value) *value = out;
    return PLEACH_OK;
}

/* ---- the whole table ---- */

unsigned pleach_hash_key_bits(const pleach_hash *hash) { return hash ? hash->key_bits : 0; }

pleach_status pleach_hash_size(pleach_hash *hash, uint64_t *size)
{
    if (!hash || !size) return PLEACH_E_ARGUMENT;
    gate_enter(&hash->gate);
    pleach_status status = hash->ops->size(hash->exec, size);
    gate_leave(&hash->gate);
    return status;
}

/* Enters exclusively. If it returns PLEACH_OK, the caller must call gate_leave_exclusive. */
static pleach_status enter_exclusive(pleach_hash *hash)
{
    if (!gate_enter_exclusive(&hash->gate)) return PLEACH_E_BUSY;
    pleach_status status = hash->ops->quiesce(hash->exec);
    if (status != PLEACH_OK) gate_leave_exclusive(&hash->gate);
    return status;
}

pleach_status pleach_hash_reserve(pleach_hash *hash, uint64_t keys)
{
    if (!hash) return PLEACH_E_ARGUMENT;
    if (keys > MOST_KEYS) return PLEACH_E_FULL;
    pleach_status status = enter_exclusive(hash);
    if (status != PLEACH_OK) return status;
    status = hash->ops->resize(hash->exec, keys);
    gate_leave_exclusive(&hash->gate);
    return status;
}

pleach_status pleach_hash_compact(pleach_hash *hash) { return pleach_hash_reserve(hash, 0); }

pleach_status pleach_hash_export(pleach_hash *hash, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    if (!hash || !n || (hash->set && out_values)) return PLEACH_E_ARGUMENT;
    if (hash->device == PLEACH_CPU && any_device_pointer((const void *[]){out_keys, out_values}, 2))
        return PLEACH_E_POINTER;
    pleach_status status = enter_exclusive(hash);
    if (status != PLEACH_OK) return status;
    status = hash->ops->export_pairs(hash->exec, capacity, out_keys, out_values, n);
    gate_leave_exclusive(&hash->gate);
    return status;
}

pleach_status pleach_hash_clear(pleach_hash *hash)
{
    if (!hash) return PLEACH_E_ARGUMENT;
    pleach_status status = enter_exclusive(hash);
    if (status != PLEACH_OK) return status;
    status = hash->ops->clear(hash->exec);
    gate_leave_exclusive(&hash->gate);
    return status;
}

pleach_status pleach_hash_get_stats(pleach_hash *hash, pleach_hash_stats *stats)
{
    if (!hash || !stats) return PLEACH_E_ARGUMENT;
    pleach_status status = enter_exclusive(hash);
    if (status != PLEACH_OK) return status;
    *stats = (pleach_hash_stats){0};
    status = hash->ops->stats(hash->exec, stats);
    gate_leave_exclusive(&hash->gate);
    return status;
}

pleach_status pleach_hash_validate(pleach_hash *hash, char *message, size_t message_size)
{
    if (!hash) return PLEACH_E_ARGUMENT;
    char unwanted[1];
    if (!message || !message_size) message = unwanted, message_size = sizeof unwanted;
    message[0] = 0;
    pleach_status status = enter_exclusive(hash);
    if (status != PLEACH_OK) return status;
    status = hash->ops->validate(hash->exec, message, message_size);
    gate_leave_exclusive(&hash->gate);
    return status;
}

/* ---- device views ---- */

pleach_status pleach_hash_view_open(pleach_hash *hash, pleach_hash_view *view)
{
    if (!hash || !view) return PLEACH_E_ARGUMENT;
    *view = (pleach_hash_view){0};
    if (!hash->ops->view) return PLEACH_E_ARGUMENT;
    gate_view_open(&hash->gate); /* first, so that no exclusive call is inside or can enter */
    pleach_hash_view found;
    pleach_status status = hash->ops->view(hash->exec, &found);
    if (status == PLEACH_OK)
        *view = found;
    else
        gate_view_close(&hash->gate);
    return status;
}

pleach_status pleach_hash_view_close(pleach_hash *hash, pleach_hash_view *view)
{
    if (!hash || !view || !view->state || !gate_view_close(&hash->gate)) return PLEACH_E_ARGUMENT;
    hash->ops->view_closed(hash->exec);
    *view = (pleach_hash_view){0};
    return PLEACH_OK;
}
