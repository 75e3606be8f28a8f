#include "slabs_cuda.h"

#include "../base/memory.h"
#include "../sync/gate.h"
#include "../pool/pool_runs.h"

/* ---- life ---- */

static pleach_status open_streams(slabs_cuda *slabs)
{
    for (unsigned i = 0; i < SLABS_STREAMS; i++) {
        if (base_allocation_fails()) return PLEACH_E_MEMORY;
        CUDA_TRY(cudaStreamCreate(&slabs->sync_stream[i]));
    }
    if (base_allocation_fails()) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaStreamCreateWithFlags(&slabs->control, cudaStreamNonBlocking));
    return PLEACH_OK;
}

pleach_status slabs_open(slabs_cuda *slabs, int gpu, uint64_t max_bytes, size_t state_bytes)
{
    slabs->gpu = gpu;
    slabs->state_bytes = state_bytes;
    pthread_mutex_init(&slabs->mutex, NULL);
    pleach_status status = open_streams(slabs);
    if (status == PLEACH_OK) status = staging_open_pool(gpu, &slabs->scratch);
    if (status == PLEACH_OK && base_allocation_fails()) status = PLEACH_E_MEMORY;
    if (status == PLEACH_OK) status = cuda_status(cudaMalloc(&slabs->state, state_bytes));
    if (status == PLEACH_OK) status = pool_cuda_open(&slabs->pool, gpu, max_bytes, SLAB_BYTES);
    return status;
}

void slabs_close(slabs_cuda *slabs)
{
    for (unsigned i = 0; i < SLABS_STREAMS; i++)
        if (slabs->sync_stream[i]) cudaStreamDestroy(slabs->sync_stream[i]);
    if (slabs->control) cudaStreamDestroy(slabs->control);
    streams_free(&slabs->streams);
    if (slabs->pool) pool_cuda_close(slabs->pool);
    if (slabs->state) cudaFree(slabs->state);
    if (slabs->scratch) cudaMemPoolDestroy(slabs->scratch);
    pthread_mutex_destroy(&slabs->mutex);
}

/* Keeps about this much of the memory that is already mapped, so that resetting cannot fail, and frees the rest.
 * Returns the number of slabs that have memory afterwards. */
static uint64_t keep_memory(slabs_cuda *slabs, uint64_t needed, pleach_status *status)
{
    uint64_t bytes = needed * SLAB_BYTES;
    *status = pool_cuda_trim(slabs->pool, bytes);
    if (*status == PLEACH_OK && pool_cuda_mapped(slabs->pool) > 2 * bytes + ((uint64_t)4 << 20))
        *status = pool_cuda_trim(slabs->pool, 0);
    uint64_t kept = pool_cuda_mapped(slabs->pool);
    if (*status == PLEACH_OK && kept)
        *status = cuda_status(cudaMemsetAsync(slabs_nodes(slabs), 0, kept, slabs->control));
    return *status == PLEACH_OK ? kept / SLAB_BYTES : 0;
}

pleach_status slabs_reset(slabs_cuda *slabs, uint64_t taken)
{
    enum { LEAST = 1024 };
    uint64_t limit = slabs_limit(slabs), needed = taken + 1 > LEAST ? taken + 1 : LEAST;
    if (taken + 1 > limit) return pool_cuda_beyond(slabs->pool);
    if (needed > limit) needed = limit;
    CUDA_TRY(cudaStreamSynchronize(slabs->control));
    pleach_status status;
    slabs->used_bound = 0;
    slabs->capacity = keep_memory(slabs, needed, &status);
    pool_state pool = {.next = taken + 1, .capacity = slabs->capacity};
    CUDA_TRY(cudaMemsetAsync(slabs->state, 0, slabs->state_bytes, slabs->control));
    CUDA_TRY(cudaMemcpyAsync(slabs->state, &pool, sizeof pool, cudaMemcpyHostToDevice, slabs->control));
    if (status == PLEACH_OK) status = slabs_grow(slabs, needed);
    slabs->used_bound = taken + 1;
    CUDA_TRY(cudaStreamSynchronize(slabs->control));
    return status;
}

void slabs_swap_memory(slabs_cuda *one, slabs_cuda *two)
{
    void *state = one->state;
    pool_cuda *pool = one->pool;
    uint64_t capacity = one->capacity, used_bound = one->used_bound;
    one->state = two->state, two->state = state;
    one->pool = two->pool, two->pool = pool;
    one->capacity = two->capacity, two->capacity = capacity;
    one->used_bound = two->used_bound, two->used_bound = used_bound;
}

/* ---- reading ---- */

cudaStream_t slabs_stream(const slabs_cuda *slabs) { return slabs->sync_stream[gate_thread_number() % SLABS_STREAMS]; }

static pleach_status copy_state(const slabs_cuda *slabs, size_t offset, void *to, size_t bytes, cudaStream_t stream)
{
    CUDA_TRY(cudaMemcpyAsync(to, (char *)slabs->state + offset, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    return PLEACH_OK;
}

pleach_status slabs_read(const slabs_cuda *slabs, void *state, size_t bytes)
{
    return copy_state(slabs, 0, state, bytes, slabs_stream(slabs));
}

pleach_status slabs_peek(slabs_cuda *slabs, size_t offset, void *to, size_t bytes)
{
    return copy_state(slabs, offset, to, bytes, slabs->control);
}

/* ---- reservation ---- */

/* Kernels that ran out of slabs have moved the pool's end past its capacity. If none is running, it is set back, so
 * that these ids are not lost. */
static pleach_status set_end_back(slabs_cuda *slabs)
{
    uint64_t *end = &((pool_state *)slabs->state)->next, next;
    if (slabs->views > 0 || slabs->streams.marks > 0 || slabs->running > 0) return PLEACH_OK;
    CUDA_TRY(cudaMemcpyAsync(&next, end, sizeof next, cudaMemcpyDeviceToHost, slabs->control));
    CUDA_TRY(cudaStreamSynchronize(slabs->control));
    if (slabs->capacity == 0 || next <= slabs->capacity) return PLEACH_OK;
    CUDA_TRY(cudaMemcpyAsync(end, &slabs->capacity, sizeof next, cudaMemcpyHostToDevice, slabs->control));
    return PLEACH_OK;
}

pleach_status slabs_grow(slabs_cuda *slabs, uint64_t slabs_needed)
{
    if (slabs_needed <= slabs->capacity) return PLEACH_OK;
    if (slabs_needed > slabs_limit(slabs)) return PLEACH_E_FULL;
    pleach_status status = set_end_back(slabs);
    if (status == PLEACH_OK) status = pool_cuda_grow(slabs->pool, slabs_needed * SLAB_BYTES, slabs->control);
    if (status != PLEACH_OK) return status;
    uint64_t capacity = pool_cuda_mapped(slabs->pool) / SLAB_BYTES;
    /* The memory is zeroed before kernels see the capacity: both are on the control stream, in this order. */
    CUDA_TRY(cudaMemcpyAsync(&((pool_state *)slabs->state)->capacity, &capacity, sizeof capacity,
                             cudaMemcpyHostToDevice, slabs->control));
    CUDA_TRY(cudaStreamSynchronize(slabs->control));
    slabs->capacity = capacity;
    return PLEACH_OK;
}

/* Provides as many as possible: if the GPU lacks memory for all, it tries half of the increase, and so on. */
static void grow_towards(slabs_cuda *slabs, uint64_t needed)
{
    uint64_t limit = slabs_limit(slabs);
    if (needed > limit) needed = limit;
    while (needed > slabs->capacity && slabs_grow(slabs, needed) == PLEACH_E_MEMORY)
        needed = slabs->capacity + (needed - slabs->capacity) / 2;
}

slabs_room slabs_pending(slabs_cuda *slabs)
{
    slabs_room room = {0, 0};
    room.slabs = streams_pending_nodes(&slabs->streams, &room.updates);
    room.slabs += slabs->sync.slabs;
    room.updates += slabs->sync.updates;
    return room;
}

/* Reads how many are in use, and adds what calls in progress may still allocate. */
static void look_at_used(slabs_cuda *slabs)
{
    uint64_t used, pending = slabs_pending(slabs).slabs; /* first: a call that ends now counts twice, not never */
    if (slabs_peek(slabs, offsetof(pool_state, next), &used, sizeof used) == PLEACH_OK)
        slabs->used_bound = used + pending;
}

void slabs_make_room(slabs_cuda *slabs, uint64_t more)
{
    if (slabs->views > 0) slabs->used_bound = slabs->capacity; /* unknown: read it */
    if (slabs->used_bound + more > slabs->capacity) look_at_used(slabs);
    if (slabs->used_bound + more > slabs->capacity && slabs->streams.marks > 0) {
        /* Calls on streams are counted with their worst case. Before allocating that, find out what they really
         * took. */
        streams_wait(&slabs->streams);
        look_at_used(slabs);
    }
    if (slabs->used_bound + more > slabs->capacity) grow_towards(slabs, slabs->used_bound + more);
}

void slabs_promise(slabs_cuda *slabs, slabs_room room)
{
    slabs->used_bound += room.slabs;
    slabs->sync.slabs += room.slabs;
    slabs->sync.updates += room.updates;
    slabs->running++;
}

void slabs_returned(slabs_cuda *slabs, slabs_room room)
{
    pthread_mutex_lock(&slabs->mutex);
    slabs->sync.slabs -= room.slabs;
    slabs->sync.updates -= room.updates;
    slabs->running--;
    pthread_mutex_unlock(&slabs->mutex);
}

pleach_status slabs_left_on(slabs_cuda *slabs, cudaStream_t stream, slabs_room room)
{
    pthread_mutex_lock(&slabs->mutex);
    pleach_status status = streams_note(&slabs->streams, stream, room.slabs, room.updates);
    pthread_mutex_unlock(&slabs->mutex);
    /* If the work cannot be recorded, wait for it. */
    return status == PLEACH_OK ? status : cuda_status(cudaStreamSynchronize(stream));
}

pleach_status slabs_quiesce(slabs_cuda *slabs)
{
    pthread_mutex_lock(&slabs->mutex);
    pleach_status status = streams_wait(&slabs->streams);
    pthread_mutex_unlock(&slabs->mutex);
    return status;
}

pleach_status slabs_view(slabs_cuda *slabs, int opened)
{
    pthread_mutex_lock(&slabs->mutex);
    slabs->views += opened;
    slabs->used_bound = slabs->capacity; /* unknown: read it before the next update */
    pthread_mutex_unlock(&slabs->mutex);
    return PLEACH_OK;
}
