#include "transfer.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "../base/memory.h"
#include "../sync/workers.h"

enum { SLOTS = 4, SLOT_BYTES = 4 << 20, GRAIN = 1 << 18, MOST_THREADS = 8, LEAST_BYTES = 16 << 20 };

struct transfer {
    pthread_mutex_t mutex; /* held during a transfer */
    workers *threads;
    char *slot[SLOTS];     /* pinned; NULL until the first transfer */
    cudaEvent_t arrived[SLOTS];
};

transfer *transfer_create(void)
{
    transfer *t = base_alloc(1, sizeof *t);
    if (t) pthread_mutex_init(&t->mutex, NULL);
    return t;
}

static void free_parts(transfer *t)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (t->slot[i]) cudaFreeHost(t->slot[i]);
        if (t->arrived[i]) cudaEventDestroy(t->arrived[i]);
        t->slot[i] = NULL;
        t->arrived[i] = NULL;
    }
    if (t->threads) workers_destroy(t->threads);
    t->threads = NULL;
}

void transfer_destroy(transfer *t)
{
    if (!t) return;
    free_parts(t);
    pthread_mutex_destroy(&t->mutex);
    base_free(t);
}

static bool make_slot(transfer *t, unsigned i)
{
    if (base_allocation_fails() ||
        cudaHostAlloc((void **)&t->slot[i], SLOT_BYTES, cudaHostAllocPortable) != cudaSuccess)
        return false;
    return !base_allocation_fails() &&
           cudaEventCreateWithFlags(&t->arrived[i], cudaEventDisableTiming) == cudaSuccess;
}

/* The caller holds the mutex. Allocates buffers and threads at the first call; returns false if there is no memory. */
static bool has_parts(transfer *t)
{
    if (t->threads) return true;
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    bool made = true;
    for (unsigned i = 0; i < SLOTS && made; i++) made = make_slot(t, i);
    if (made) t->threads = workers_create(cpus < 1 ? 1 : cpus < MOST_THREADS ? (unsigned)cpus : MOST_THREADS);
    if (t->threads) return true;
    cudaGetLastError();
    free_parts(t);
    return false;
}

bool transfer_pays(const void *host, size_t bytes)
{
    struct cudaPointerAttributes attributes;
    if (bytes < LEAST_BYTES) return false;
    if (cudaPointerGetAttributes(&attributes, host) == cudaSuccess)
        return attributes.type == cudaMemoryTypeUnregistered;
    cudaGetLastError();
    return true;
}

typedef struct copying { char *to; const char *from; } copying;

static void copy_part(void *context, size_t begin, size_t end)
{
    const copying *c = context;
    memcpy(c->to + begin, c->from + begin, end - begin);
}

typedef struct course { transfer *t; char *host; const char *device; size_t bytes; cudaStream_t stream; } course;

static size_t piece_bytes(const course *c, size_t at)
{
    return c->bytes - at < SLOT_BYTES ? c->bytes - at : SLOT_BYTES;
}

/* Sends the piece at `at`, the number-th one, to its slot. */
static pleach_status send(const course *c, size_t number, size_t at)
{
    unsigned slot = (unsigned)(number % SLOTS);
    CUDA_TRY(cudaMemcpyAsync(c->t->slot[slot], c->device + at, piece_bytes(c, at), cudaMemcpyDeviceToHost, c->stream));
    CUDA_TRY(cudaEventRecord(c->t->arrived[slot], c->stream));
    return PLEACH_OK;
}

static pleach_status receive(const course *c, size_t number, size_t at)
{
    unsigned slot = (unsigned)(number % SLOTS);
    copying copy = {c->host + at, c->t->slot[slot]};
    CUDA_TRY(cudaEventSynchronize(c->t->arrived[slot]));
    workers_run(c->t->threads, piece_bytes(c, at), GRAIN, copy_part, &copy);
    return PLEACH_OK;
}

/* Runs a transfer. A slot is sent to again only after its previous piece has been received. */
static pleach_status go(const course *c)
{
    pleach_status status = PLEACH_OK;
    size_t pieces = (c->bytes + SLOT_BYTES - 1) / SLOT_BYTES;
    for (size_t i = 0; i < pieces + SLOTS && status == PLEACH_OK; i++) {
        if (i >= SLOTS) status = receive(c, i - SLOTS, (i - SLOTS) * SLOT_BYTES);
        if (i < pieces && status == PLEACH_OK) status = send(c, i, i * SLOT_BYTES);
    }
    if (status != PLEACH_OK) cudaStreamSynchronize(c->stream); /* so that no copy to a slot is in flight any more */
    return status;
}

pleach_status transfer_to_host(transfer *t, void *host, const void *device, size_t bytes, cudaStream_t stream)
{
    if (pthread_mutex_trylock(&t->mutex) == 0) {
        course c = {t, host, device, bytes, stream};
        bool can = has_parts(t);
        pleach_status status = can ? go(&c) : PLEACH_OK;
        pthread_mutex_unlock(&t->mutex);
        if (can) return status;
    }
    CUDA_TRY(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream));
    CUDA_TRY(cudaStreamSynchronize(stream));
    return PLEACH_OK;
}
