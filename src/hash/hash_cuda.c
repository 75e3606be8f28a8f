/* hash/hash_cuda.c - hash tables in GPU memory: hash_exec_ops for CUDA.
 *
 * Kernels of array calls do not wait for memory and, as a rule, not for growth: before the host launches one, it makes
 * sure that the table has the buckets, and the pool the slabs, that the call may need. It grows a table as other
 * threads do, concurrently with any operation (slabhash_move.h), but with one thread per bucket.
 */
#include "../base/memory.h"
#include "slabhash_seed.h"
#include "hash_inspect.h"
#include "hash_cuda.h"
#include "slabs_cuda.h"

typedef struct cuda_hash {
    slabs_cuda slabs;
    unsigned key_bits;
    bool values;
    const hash_kernels *kernels;
    const hash_run_ops *ops; /* for a copy in host memory */
    slab_seed seed;
    uint64_t max_bytes;
    /* guarded by slabs.mutex: */
    uint64_t keys_bound; /* at most this many keys will be present when all work so far is complete */
    unsigned log;        /* the table has at least 2^log buckets */
    bool keys_unknown;   /* keys_bound is no bound: user kernels may have put keys since the size was read */
} cuda_hash;

static slabhash_on_gpu on_gpu(const cuda_hash *hash)
{
    return (slabhash_on_gpu){hash->seed, hash->slabs.state, slabs_nodes(&hash->slabs)};
}

static unsigned slots_of(const cuda_hash *hash) { return slabhash_slots(hash->key_bits, hash->values); }
static unsigned log_for(const cuda_hash *hash, uint64_t keys)
{
    return slabhash_log_for(keys, slots_of(hash), SLABHASH_RESERVE_LOAD);
}

/* ---- reservation ---- */

/* Returns an upper bound of the slabs that these inserts take. The next key of a full bucket takes a slab, which then
 * has space for a slab's worth of keys. */
static uint64_t slabs_for(const cuda_hash *hash, uint64_t inserts)
{
    uint64_t full = inserts < hash->slabs.used_bound ? inserts : hash->slabs.used_bound;
    return full + inserts / slots_of(hash) + 64;
}

static pleach_status peek_table(cuda_hash *hash, slab_table *table)
{
    return slabs_peek(&hash->slabs, offsetof(slabhash_state, table), table, sizeof *table);
}

/* Grows once, to at most 2^log buckets. Returns false if the table did not grow. */
static bool grow_once(cuda_hash *hash, unsigned log)
{
    enum { MOST_LOG_STEP = 3 };
    slab_table before, after;
    if (peek_table(hash, &before) != PLEACH_OK) return false;
    hash->log = slab_root_log(before.root);
    if (!before.next && hash->log >= log) return false;
    unsigned to = hash->log + MOST_LOG_STEP < log ? hash->log + MOST_LOG_STEP : log;
    uint64_t buckets = (uint64_t)1 << hash->log, more = before.next ? 0 : (uint64_t)1 << to;
    slabs_make_room(&hash->slabs, more + buckets / 4 + 64);
    hash->slabs.used_bound += more + buckets / 4 + 64;
    slabhash_on_gpu gpu = on_gpu(hash);
    if (!before.next && hash->kernels->start_growth(gpu, to, hash->slabs.control) != cudaSuccess) return false;
    if (hash->kernels->move(gpu, buckets, hash->slabs.control) != cudaSuccess) return false;
    if (peek_table(hash, &after) != PLEACH_OK) return false;
    hash->log = slab_root_log(after.root);
    return after.root != before.root;
}

/* Reads the size, concurrently with any operation. */
static void look_at_keys(cuda_hash *hash)
{
    slabhash_state *state = base_alloc(1, sizeof *state);
    uint64_t pending = slabs_pending(&hash->slabs).updates; /* before the size, as in slabs_cuda.c */
    if (state && slabs_peek(&hash->slabs, 0, state, sizeof *state) == PLEACH_OK) {
        hash->keys_bound = slabhash_size(state) + pending;
        hash->log = slab_root_log(state->table.root);
        hash->keys_unknown = hash->slabs.views > 0;
    }
    base_free(state);
}

/* Estimates from a sample how many keys of a staged request are new: a table should not grow because present keys get
 * new values. If the estimate is too low, the kernel's threads make the table grow. */
static uint64_t new_keys(const cuda_hash *hash, const hash_request *r, staging *s)
{
    uint64_t *there, missing = SLABHASH_SAMPLE;
    if (!hash->keys_bound || r->n < 16 * SLABHASH_SAMPLE) return r->n;
    if (staging_scratch(s, sizeof *there, (void **)&there) != PLEACH_OK) return r->n;
    cudaError_t error = cudaMemsetAsync(there, 0, sizeof *there, s->stream);
    if (error == cudaSuccess) error = hash->kernels->sample(on_gpu(hash), r->n, r->keys, there, s->stream);
    if (error == cudaSuccess)
        error = cudaMemcpyAsync(&missing, there, sizeof missing, cudaMemcpyDeviceToHost, s->stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(s->stream);
    if (error != cudaSuccess) return r->n;
    uint64_t most = missing ? missing + missing / 16 + 8 : 0;
    return most < SLABHASH_SAMPLE ? r->n / SLABHASH_SAMPLE * most : r->n;
}

/* Provides buckets for the keys that a staged request may insert. Mutex held. */
static void room_for_keys(cuda_hash *hash, const hash_request *r, staging *s)
{
    uint64_t more = r->n;
    if (hash->keys_unknown || log_for(hash, hash->keys_bound + more) > hash->log) look_at_keys(hash);
    if (log_for(hash, hash->keys_bound + more) > hash->log) more = new_keys(hash, r, s);
    hash->keys_bound += more;
    unsigned log = log_for(hash, hash->keys_bound);
    while (hash->log < log && grow_once(hash, log)) {}
}

static slabs_room room_for(cuda_hash *hash, const hash_request *r, staging *s)
{
    slabs_room room = {0, 0};
    if (r->kind != OP_PUT && r->kind != OP_ADD) return room;
    pthread_mutex_lock(&hash->slabs.mutex);
    room_for_keys(hash, r, s);
    room.updates = r->n;
    room.slabs = slabs_for(hash, r->n);
    slabs_make_room(&hash->slabs, room.slabs);
    slabs_promise(&hash->slabs, room);
    pthread_mutex_unlock(&hash->slabs.mutex);
    return room;
}

/* ---- array calls ---- */

/* A put may write old values to the array of its new values. Then elements cannot be chained by key, because one reads
 * the new value of another. */
static bool values_may_be_overwritten(const hash_request *r, size_t bytes)
{
    uintptr_t values = (uintptr_t)r->values, old = (uintptr_t)r->out_values;
    return values && old && values < old + bytes && old < values + bytes;
}

static cudaError_t update(cuda_hash *hash, const hash_request *r, staging *s, uint64_t *not_applied)
{
    slow_list later = slow_list_create(s, r->n);
    repeats rows = {0};
    if (later.elements && !values_may_be_overwritten(r, r->n * (hash->key_bits / 8))) rows = duplicates_of(s, r->n);
    return hash->kernels->update(on_gpu(hash), r, later, rows, not_applied, s->stream);
}

static pleach_status launch(cuda_hash *hash, const hash_request *r, staging *s, uint64_t **not_applied,
                            slabs_room *room)
{
    size_t array = r->n * (hash->key_bits / 8);
    hash_request staged = *r;
    pleach_status status = staging_input(s, r->keys, array, &staged.keys);
    if (status == PLEACH_OK) status = staging_input(s, r->values, array, &staged.values);
    if (status == PLEACH_OK) status = staging_output(s, r->out_values, array, true, &staged.out_values);
    if (status == PLEACH_OK) status = staging_output(s, r->flags, r->n, false, (void **)&staged.flags);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof **not_applied, (void **)not_applied);
    if (status != PLEACH_OK) return status;
    *room = room_for(hash, &staged, s);
    CUDA_TRY(cudaMemsetAsync(*not_applied, 0, sizeof **not_applied, s->stream));
    if (r->kind == OP_FIND)
        CUDA_TRY(hash->kernels->find(on_gpu(hash), &staged, s->stream));
    else
        CUDA_TRY(update(hash, &staged, s, *not_applied));
    return staging_return_results(s);
}

static pleach_status run_synchronously(cuda_hash *hash, const hash_request *r)
{
    staging s = slabs_staging(&hash->slabs, slabs_stream(&hash->slabs));
    uint64_t *there, not_applied = 0;
    slabs_room room = {0, 0};
    pleach_status status = launch(hash, r, &s, &there, &room);
    if (status == PLEACH_OK && r->kind != OP_FIND)
        status = cuda_status(cudaMemcpyAsync(&not_applied, there, sizeof not_applied, cudaMemcpyDeviceToHost,
                                             s.stream));
    staging_free(&s);
    pleach_status finished = cuda_status(cudaStreamSynchronize(s.stream));
    if (room.updates) slabs_returned(&hash->slabs, room);
    if (status == PLEACH_OK) status = finished;
    return status != PLEACH_OK ? status : not_applied ? PLEACH_E_FULL : PLEACH_OK;
}

static pleach_status run_on_stream(cuda_hash *hash, const hash_request *r, cudaStream_t stream)
{
    staging s = slabs_staging(&hash->slabs, stream);
    uint64_t *not_applied;
    slabs_room room = {0, 0};
    pleach_status status = launch(hash, r, &s, &not_applied, &room);
    staging_free(&s);
    pleach_status noted = slabs_left_on(&hash->slabs, stream, room);
    if (room.updates) slabs_returned(&hash->slabs, room);
    return status != PLEACH_OK ? status : noted;
}

static pleach_status run(cuda_hash *hash, const hash_request *r, pleach_stream stream)
{
    return stream == PLEACH_SYNC ? run_synchronously(hash, r) : run_on_stream(hash, r, (cudaStream_t)stream);
}

static pleach_status hash_cuda_run(void *exec, const hash_request *r, pleach_stream stream)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, run(hash, r, stream));
}

static pleach_status read_size(const cuda_hash *hash, uint64_t *size)
{
    slabhash_state *state = base_alloc(1, sizeof *state);
    pleach_status status = state ? slabs_read(&hash->slabs, state, sizeof *state) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) *size = slabhash_size(state);
    base_free(state);
    return status;
}

static pleach_status hash_cuda_size(void *exec, uint64_t *size)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, read_size(hash, size));
}

static pleach_status hash_cuda_quiesce(void *exec)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, slabs_quiesce(&hash->slabs));
}

/* ---- views ---- */

/* Provides the slabs that a table of this size chains before it grows. So keys for which space was reserved can be
 * inserted by user kernels. */
static pleach_status room_for_view(cuda_hash *hash)
{
    slab_table table;
    pthread_mutex_lock(&hash->slabs.mutex);
    hash->keys_unknown = true;
    pleach_status status = peek_table(hash, &table);
    uint64_t buckets = status == PLEACH_OK ? (uint64_t)1 << slab_root_log(table.root) : 0;
    if (status == PLEACH_OK) slabs_make_room(&hash->slabs, buckets / SLAB_OVERFLOW_PART + 64);
    pthread_mutex_unlock(&hash->slabs.mutex);
    return status == PLEACH_OK ? slabs_view(&hash->slabs, 1) : status;
}

static pleach_status hash_cuda_view(void *exec, pleach_hash_view *view)
{
    cuda_hash *hash = exec;
    *view = (pleach_hash_view){.state = hash->slabs.state, .slabs = slabs_nodes(&hash->slabs),
                               .key_bits = hash->key_bits, .set = !hash->values,
                               .seed = {hash->seed.by, hash->seed.plus, hash->seed.low}};
    ON_GPU(&hash->slabs, room_for_view(hash));
}

static void hash_cuda_view_closed(void *exec) { slabs_view(&((cuda_hash *)exec)->slabs, -1); }

/* ---- exclusive ---- */

/* Makes the table one of 2^log empty buckets. Its former contents are discarded. */
static pleach_status reset_memory(cuda_hash *hash, unsigned log)
{
    pleach_status status = slabs_reset(&hash->slabs, (uint64_t)1 << log);
    if (status != PLEACH_OK) return status;
    uint64_t root = slab_root_of(1, log);
    slabhash_state *state = hash->slabs.state;
    CUDA_TRY(cudaMemcpyAsync(&state->table.root, &root, sizeof root, cudaMemcpyHostToDevice, hash->slabs.control));
    CUDA_TRY(cudaStreamSynchronize(hash->slabs.control));
    hash->log = log;
    hash->keys_bound = 0;
    return PLEACH_OK;
}

static pleach_status open_hash(cuda_hash *hash, unsigned log)
{
    pleach_status status = slabs_open(&hash->slabs, hash->slabs.gpu, hash->max_bytes, sizeof(slabhash_state));
    return status == PLEACH_OK ? reset_memory(hash, log) : status;
}

/* With SLAB_NEXT_CLAIMED the table does not grow, with 0 it may. */
static pleach_status set_next(const cuda_hash *hash, uint64_t next, cudaStream_t stream)
{
    slabhash_state *state = hash->slabs.state;
    return cuda_status(cudaMemcpyAsync(&state->table.next, &next, sizeof next, cudaMemcpyHostToDevice, stream));
}

/* Copies the pairs to the table `to`, which does not grow while it is filled. */
static pleach_status copy_all(cuda_hash *hash, const slabhash_state *state, cuda_hash *to, uint64_t size)
{
    staging s = slabs_staging(&hash->slabs, slabs_stream(&hash->slabs));
    uint64_t *there, failed = 0;
    pleach_status status = staging_scratch(&s, sizeof *there, (void **)&there);
    if (status == PLEACH_OK) status = cuda_status(cudaMemsetAsync(there, 0, sizeof *there, s.stream));
    uint64_t buckets = (uint64_t)1 << slab_root_log(state->table.root);
    if (status == PLEACH_OK) status = set_next(to, SLAB_NEXT_CLAIMED, s.stream);
    if (status == PLEACH_OK)
        status = cuda_status(hash->kernels->copy(on_gpu(hash), buckets, on_gpu(to), there, s.stream));
    if (status == PLEACH_OK) status = set_next(to, 0, s.stream);
    uint64_t *size_there = &((slabhash_state *)to->slabs.state)->stripe[0].size;
    if (status == PLEACH_OK)
        status = cuda_status(cudaMemcpyAsync(size_there, &size, sizeof size, cudaMemcpyHostToDevice, s.stream));
    if (status == PLEACH_OK)
        status = cuda_status(cudaMemcpyAsync(&failed, there, sizeof failed, cudaMemcpyDeviceToHost, s.stream));
    staging_free(&s);
    pleach_status finished = cuda_status(cudaStreamSynchronize(s.stream));
    if (status == PLEACH_OK) status = finished;
    return status == PLEACH_OK && failed ? PLEACH_E_FULL : status;
}

/* Exchanges the memory of two tables. */
static void swap_memory(cuda_hash *one, cuda_hash *two)
{
    slabs_swap_memory(&one->slabs, &two->slabs);
    uint64_t keys = one->keys_bound;
    unsigned log = one->log;
    one->keys_bound = two->keys_bound, two->keys_bound = keys;
    one->log = two->log, two->log = log;
}

static pleach_status resize(cuda_hash *hash, uint64_t keys)
{
    slabhash_state *state = base_alloc(1, sizeof *state);
    pleach_status status = state ? slabs_read(&hash->slabs, state, sizeof *state) : PLEACH_E_MEMORY;
    if (status != PLEACH_OK) {
        base_free(state);
        return status;
    }
    uint64_t size = slabhash_size(state);
    cuda_hash to = {.slabs.gpu = hash->slabs.gpu, .key_bits = hash->key_bits, .values = hash->values,
                    .kernels = hash->kernels, .seed = hash->seed, .max_bytes = hash->max_bytes};
    status = open_hash(&to, slabhash_log_of_copy(state, keys, slots_of(hash)));
    if (status == PLEACH_OK && size) {
        slabs_make_room(&to.slabs, slabs_for(&to, size));
        to.keys_bound = size;
        status = copy_all(hash, state, &to, size);
        to.slabs.used_bound = to.slabs.capacity; /* unknown: read the counter before the next insert */
    }
    base_free(state);
    if (status == PLEACH_OK) swap_memory(hash, &to);
    slabs_close(&to.slabs);
    return status;
}

static pleach_status hash_cuda_resize(void *exec, uint64_t keys)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, resize(hash, keys));
}

static pleach_status list_pairs(cuda_hash *hash, staging *s, size_t n, void *out_keys, void *out_values)
{
    slab_table table;
    size_t array = n * (hash->key_bits / 8);
    uint64_t *count;
    pleach_status status = peek_table(hash, &table);
    if (status == PLEACH_OK) status = staging_output(s, out_keys, array, false, &out_keys);
    if (status == PLEACH_OK) status = staging_output(s, out_values, array, false, &out_values);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *count, (void **)&count);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(count, 0, sizeof *count, s->stream));
    CUDA_TRY(hash->kernels->list(on_gpu(hash), (uint64_t)1 << slab_root_log(table.root), out_keys, out_values, count,
                                s->stream));
    return staging_return_results(s);
}

static pleach_status export_pairs(cuda_hash *hash, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    uint64_t size;
    pleach_status status = read_size(hash, &size);
    if (status != PLEACH_OK) return status;
    *n = size;
    if (!out_keys && !out_values) return PLEACH_OK;
    if (size > capacity) return PLEACH_E_SPACE;
    if (size == 0) return PLEACH_OK;
    staging s = slabs_staging(&hash->slabs, slabs_stream(&hash->slabs));
    status = list_pairs(hash, &s, size, out_keys, out_values);
    staging_free(&s);
    pleach_status finished = cuda_status(cudaStreamSynchronize(s.stream));
    return status != PLEACH_OK ? status : finished;
}

static pleach_status hash_cuda_export(void *exec, size_t capacity, void *out_keys, void *out_values, size_t *n)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, export_pairs(hash, capacity, out_keys, out_values, n));
}

static pleach_status hash_cuda_clear(void *exec)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, reset_memory(hash, SLABHASH_LEAST_LOG));
}

/* ---- inspection of a copy in host memory ---- */

static pleach_status copy_to_host(const cuda_hash *hash, hash_inspection *sight)
{
    slabhash_state *state = base_alloc(1, sizeof *state);
    sight->state = state;
    if (!state) return PLEACH_E_MEMORY;
    pleach_status status = slabs_read(&hash->slabs, state, sizeof *state);
    if (status != PLEACH_OK) return status;
    uint64_t used = state->pool.next < state->pool.capacity ? state->pool.next : state->pool.capacity;
    void *slabs = base_alloc(used, SLAB_BYTES);
    sight->place = (slab_ref){.runs = {&state->pool, &state->runs, slabs, SLAB_BYTES, 0}, .seed = hash->seed};
    if (!slabs) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMemcpy(slabs, slabs_nodes(&hash->slabs), used * SLAB_BYTES, cudaMemcpyDeviceToHost));
    return PLEACH_OK;
}

static pleach_status look(cuda_hash *hash, pleach_hash_stats *stats, char *message, size_t message_size)
{
    hash_inspection sight = {.ops = hash->ops, .slots = slots_of(hash)};
    pleach_status status = copy_to_host(hash, &sight);
    if (status == PLEACH_OK && stats) hash_inspect_stats(&sight, stats);
    if (status == PLEACH_OK && !stats) status = hash_inspect_validate(&sight, message, message_size);
    base_free(sight.place.runs.nodes);
    base_free((void *)sight.state);
    return status;
}

static pleach_status hash_cuda_stats(void *exec, pleach_hash_stats *stats)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, look(hash, stats, NULL, 0));
}

static pleach_status hash_cuda_validate(void *exec, char *message, size_t message_size)
{
    cuda_hash *hash = exec;
    ON_GPU(&hash->slabs, look(hash, NULL, message, message_size));
}

/* ---- life ---- */

static pleach_status destroy(cuda_hash *hash)
{
    slabs_close(&hash->slabs);
    base_free(hash);
    return PLEACH_OK;
}

static void hash_cuda_destroy(void *exec)
{
    cuda_hash *hash = exec;
    int before = -1;
    cudaGetDevice(&before);
    cudaSetDevice(hash->slabs.gpu);
    destroy(hash);
    if (before >= 0) cudaSetDevice(before);
}

static pleach_status create_on(cuda_hash **out, const pleach_hash_config *config)
{
    pleach_status status = cuda_use(config->gpu);
    if (status != PLEACH_OK) return status;
    cuda_hash *hash = base_alloc(1, sizeof *hash);
    if (!hash) return PLEACH_E_MEMORY;
    hash->slabs.gpu = config->gpu;
    hash->key_bits = config->key_bits;
    hash->values = !config->set;
    hash->kernels = hash_kernels_choose(hash->key_bits, hash->values);
    hash->ops = hash_run_choose(hash->key_bits, hash->values);
    hash->seed = slabhash_seed(config->seed, config->fixed_seed);
    hash->max_bytes = config->max_bytes;
    status = open_hash(hash, log_for(hash, config->reserve_keys));
    if (status != PLEACH_OK) {
        destroy(hash);
        return status;
    }
    *out = hash;
    return PLEACH_OK;
}

static pleach_status hash_cuda_create(void **exec, const pleach_hash_config *config)
{
    int before = -1;
    cudaGetDevice(&before);
    cudaGetLastError();
    cuda_hash *hash = NULL;
    pleach_status status = create_on(&hash, config);
    if (before >= 0) cudaSetDevice(before);
    *exec = hash;
    return status;
}

const hash_exec_ops hash_exec_cuda = {
    .create = hash_cuda_create,
    .destroy = hash_cuda_destroy,
    .run = hash_cuda_run,
    .size = hash_cuda_size,
    .view = hash_cuda_view,
    .view_closed = hash_cuda_view_closed,
    .quiesce = hash_cuda_quiesce,
    .resize = hash_cuda_resize,
    .export_pairs = hash_cuda_export,
    .stats = hash_cuda_stats,
    .clear = hash_cuda_clear,
    .validate = hash_cuda_validate,
};
