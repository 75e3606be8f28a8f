/* hash/hash_cpu.c - hash tables in host memory: hash_exec_ops for CPU threads. */
#include <stdatomic.h>

#include "../base/memory.h"
#include "slabhash_seed.h"
#include "../sync/gate.h"
#include "../pool/pool_host.h"
#include "hash_inspect.h"
#include "../sync/workers.h"

enum { GRAIN_BUCKETS = 4096 };

/* A table and the slabs that hold it. */
typedef struct hash_memory {
    slabhash_state *state;
    pool_host slabs;
} hash_memory;

typedef struct cpu_hash {
    unsigned key_bits, threads;
    bool values;
    slab_seed seed;
    uint64_t max_bytes;
    hash_memory memory;
    workers *workers;
    const hash_run_ops *ops;
} cpu_hash;

static slab_ref place_of(const cpu_hash *hash, const hash_memory *m, uint32_t stripe)
{
    return (slab_ref){.runs = {&m->state->pool, &m->state->runs, m->slabs.nodes, SLAB_BYTES, stripe},
                        .seed = hash->seed};
}

/* ---- memory ---- */

static void memory_close(hash_memory *m)
{
    pool_host_close(&m->slabs);
    base_free(m->state);
    *m = (hash_memory){0};
}

/* A table that follows another one has the same limit. */
static bool open_slabs(const cpu_hash *hash, pool_host *slabs)
{
    const pool_host *before = &hash->memory.slabs;
    return before->mapping ? pool_host_open_like(slabs, before) : pool_host_open(slabs, hash->max_bytes, SLAB_BYTES);
}

/* Opens a table of 2^log empty buckets. Fresh memory is zeros, which are empty buckets. */
static pleach_status memory_open(const cpu_hash *hash, hash_memory *m, unsigned log)
{
    *m = (hash_memory){0};
    m->state = base_alloc(1, sizeof *m->state);
    if (!m->state || !open_slabs(hash, &m->slabs)) {
        memory_close(m);
        return PLEACH_E_MEMORY;
    }
    pool_state *pool = &m->state->pool;
    pool->capacity = m->slabs.bytes / SLAB_BYTES;
    pool->next = 1;
    pool_host_expect(&m->slabs, (size_t)SLAB_BYTES << log);
    slab_ref place = place_of(hash, m, 0);
    uint32_t first = pool_alloc_fresh_run(place.runs, log);
    if (!first) {
        bool by_machine = m->slabs.by_machine;
        memory_close(m);
        return by_machine ? PLEACH_E_MEMORY : PLEACH_E_FULL;
    }
    m->state->table.root = slab_root_of(first, log);
    return PLEACH_OK;
}

/* ---- array calls ---- */

typedef struct run_job {
    const cpu_hash *hash;
    const hash_request *request;
    atomic_uint_fast64_t not_applied;
} run_job;

static void run_part(void *context, size_t begin, size_t end)
{
    run_job *job = context;
    slabhash_state *state = job->hash->memory.state;
    unsigned stripe = job->request->kind == OP_FIND ? 0 : gate_thread_number(); /* finds allocate nothing */
    hash_run_result result = {0, 0};
    slab_ref place = place_of(job->hash, &job->hash->memory, stripe);
    job->hash->ops->run(&place, &state->table, job->request, begin, end, &result);
    if (result.size_change)
        port_fetch_add(&state->stripe[stripe % SLABHASH_STRIPES].size, (uint64_t)result.size_change);
    if (result.not_applied) atomic_fetch_add(&job->not_applied, result.not_applied);
}

static pleach_status hash_cpu_run(void *exec, const hash_request *request, pleach_stream stream)
{
    (void)stream; /* the API layer accepts none for a CPU table */
    cpu_hash *hash = exec;
    run_job job = {hash, request, 0};
    if (request->n == 1)
        run_part(&job, 0, 1);
    else
        workers_run(hash->workers, request->n, workers_grain(hash->threads, request->n), run_part, &job);
    if (request->n > 1) pool_host_grown(&hash->memory.slabs, port_load(&hash->memory.state->pool.next) * SLAB_BYTES);
    return atomic_load(&job.not_applied) ? PLEACH_E_FULL : PLEACH_OK;
}

static pleach_status hash_cpu_size(void *exec, uint64_t *size)
{
    *size = slabhash_size(((cpu_hash *)exec)->memory.state);
    return PLEACH_OK;
}

/* ---- exclusive ---- */

static pleach_status hash_cpu_quiesce(void *exec)
{
    (void)exec; /* a call on a CPU table is complete when it returns */
    return PLEACH_OK;
}

typedef struct copy_job {
    const cpu_hash *hash;
    hash_memory *to;
    atomic_bool failed;
} copy_job;

static void copy_part(void *context, size_t begin, size_t end)
{
    copy_job *job = context;
    unsigned stripe = gate_thread_number();
    slab_ref from = place_of(job->hash, &job->hash->memory, stripe), to = place_of(job->hash, job->to, stripe);
    if (!job->hash->ops->copy(&from, &job->hash->memory.state->table, begin, end, &to, &job->to->state->table))
        atomic_store(&job->failed, true);
}

static pleach_status hash_cpu_resize(void *exec, uint64_t keys)
{
    cpu_hash *hash = exec;
    uint64_t size = slabhash_size(hash->memory.state);
    hash_memory to;
    unsigned slots = slabhash_slots(hash->key_bits, hash->values);
    pleach_status status = memory_open(hash, &to, slabhash_log_of_copy(hash->memory.state, keys, slots));
    if (status != PLEACH_OK) return status;
    copy_job job = {hash, &to, false};
    uint64_t buckets = (uint64_t)1 << slab_root_log(hash->memory.state->table.root);
    to.state->table.next = SLAB_NEXT_CLAIMED; /* so it does not grow while it is filled */
    workers_run(hash->workers, buckets, GRAIN_BUCKETS, copy_part, &job);
    to.state->table.next = 0;
    if (atomic_load(&job.failed)) {
        memory_close(&to);
        return PLEACH_E_FULL;
    }
    to.state->stripe[0].size = size;
    memory_close(&hash->memory);
    hash->memory = to;
    return PLEACH_OK;
}

static pleach_status hash_cpu_export(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    cpu_hash *hash = exec;
    *n = slabhash_size(hash->memory.state);
    if (!out_keys && !out_values) return PLEACH_OK;
    if (*n > capacity) return PLEACH_E_SPACE;
    slab_ref place = place_of(hash, &hash->memory, 0);
    const slab_table *table = &hash->memory.state->table;
    hash->ops->list(&place, table, 0, (uint64_t)1 << slab_root_log(table->root), out_keys, out_values, 0);
    return PLEACH_OK;
}

static pleach_status hash_cpu_clear(void *exec)
{
    cpu_hash *hash = exec;
    hash_memory to;
    pleach_status status = memory_open(hash, &to, SLABHASH_LEAST_LOG);
    if (status != PLEACH_OK) return status;
    memory_close(&hash->memory);
    hash->memory = to;
    return PLEACH_OK;
}

/* ---- inspection ---- */

static hash_inspection sight_of(const cpu_hash *hash)
{
    return (hash_inspection){hash->ops, slabhash_slots(hash->key_bits, hash->values), place_of(hash, &hash->memory, 0),
                        hash->memory.state};
}

static pleach_status hash_cpu_stats(void *exec, pleach_hash_stats *stats)
{
    hash_inspection sight = sight_of(exec);
    hash_inspect_stats(&sight, stats);
    return PLEACH_OK;
}

static pleach_status hash_cpu_validate(void *exec, char *message, size_t message_size)
{
    hash_inspection sight = sight_of(exec);
    return hash_inspect_validate(&sight, message, message_size);
}

/* ---- life ---- */

static void hash_cpu_after_fork(void *exec) { workers_after_fork(((cpu_hash *)exec)->workers); }

static void hash_cpu_destroy(void *exec)
{
    cpu_hash *hash = exec;
    if (hash->workers) workers_destroy(hash->workers);
    memory_close(&hash->memory);
    base_free(hash);
}

static pleach_status hash_cpu_create(void **exec, const pleach_hash_config *config)
{
    cpu_hash *hash = base_alloc(1, sizeof *hash);
    if (!hash) return PLEACH_E_MEMORY;
    hash->key_bits = config->key_bits;
    hash->values = !config->set;
    hash->threads = config->threads;
    hash->seed = slabhash_seed(config->seed, config->fixed_seed);
    hash->max_bytes = config->max_bytes;
    hash->ops = hash_run_choose(hash->key_bits, hash->values);
    hash->workers = workers_create(hash->threads);
    unsigned slots = slabhash_slots(hash->key_bits, hash->values);
    unsigned log = slabhash_log_for(config->reserve_keys, slots, SLABHASH_RESERVE_LOAD);
    pleach_status status = hash->workers ? memory_open(hash, &hash->memory, log) : PLEACH_E_MEMORY;
    if (status != PLEACH_OK) {
        hash_cpu_destroy(hash);
        return status;
    }
    *exec = hash;
    return PLEACH_OK;
}

const hash_exec_ops hash_exec_cpu = {
    .create = hash_cpu_create,
    .destroy = hash_cpu_destroy,
    .after_fork = hash_cpu_after_fork,
    .run = hash_cpu_run,
    .size = hash_cpu_size,
    .quiesce = hash_cpu_quiesce,
    .resize = hash_cpu_resize,
    .export_pairs = hash_cpu_export,
    .stats = hash_cpu_stats,
    .clear = hash_cpu_clear,
    .validate = hash_cpu_validate,
};
