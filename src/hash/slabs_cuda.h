/* hash/slabs_cuda.h - a structure of slabs in GPU memory: the slabs, its counters, streams and scratch memory, and how
 * memory is provided before kernels need it. The common part of hash tables and graphs. */
#ifndef PLEACH_SLABS_CUDA_H
#define PLEACH_SLABS_CUDA_H

#include <pthread.h>

#include "slabhash_format.h"
#include "../pool/pool_cuda.h"
#include "../cuda/staging.h"
#include "../cuda/streams.h"

enum { SLABS_STREAMS = 8 };

/* Slabs that calls in progress may need, and updates that they may have made. */
typedef struct slabs_room { uint64_t slabs, updates; } slabs_room;

typedef struct slabs_cuda {
    int gpu;
    size_t state_bytes;
    void *state; /* device memory; begins with pool_state and pool_runs */
    cudaMemPool_t scratch;
    cudaStream_t sync_stream[SLABS_STREAMS]; /* for synchronous calls, by thread number */
    cudaStream_t control;                    /* for growth and for reading counters */

    pthread_mutex_t mutex; /* guards the members below, and `control` */
    pool_cuda *pool;
    uint64_t capacity;   /* slabs with memory; the state's copy is never larger */
    uint64_t used_bound; /* at most this many ids will have been allocated when all work so far is complete */
    slabs_room sync;     /* for synchronous calls in progress */
    int running;         /* calls in progress whose kernels may allocate slabs */
    int views;           /* open views: user kernels allocate slabs without the host's knowledge */
    streams streams;
} slabs_cuda;

static inline staging slabs_staging(const slabs_cuda *slabs, cudaStream_t stream)
{
    return (staging){.pool = slabs->scratch, .stream = stream, .gpu = slabs->gpu};
}

static inline void *slabs_nodes(const slabs_cuda *slabs) { return pool_cuda_nodes(slabs->pool); }
static inline uint64_t slabs_limit(const slabs_cuda *slabs) { return pool_cuda_limit(slabs->pool) / SLAB_BYTES; }

/* The GPU must be the current one. slabs_close must be called even if this fails. */
pleach_status slabs_open(slabs_cuda *slabs, int gpu, uint64_t max_bytes, size_t state_bytes);
void slabs_close(slabs_cuda *slabs);

/* Resets the state to zeros, with `taken` slabs allocated from the pool, which are zeros too. Exclusive. */
pleach_status slabs_reset(slabs_cuda *slabs, uint64_t taken);

/* Exchanges slabs and state of two structures on the same GPU. Exclusive on both. */
void slabs_swap_memory(slabs_cuda *one, slabs_cuda *two);

/* Returns the stream of the calling thread's synchronous calls. */
cudaStream_t slabs_stream(const slabs_cuda *slabs);

/* Copies the state, or a part of it, to the host. `slabs_peek` may be called while kernels run. */
pleach_status slabs_read(const slabs_cuda *slabs, void *state, size_t bytes);
pleach_status slabs_peek(slabs_cuda *slabs, size_t offset, void *to, size_t bytes); /* mutex held */

/* Provides memory for ids below `slabs_needed`. Returns PLEACH_E_FULL beyond the limit. Mutex held. */
pleach_status slabs_grow(slabs_cuda *slabs, uint64_t slabs_needed);

/* Provides memory for `more` slabs in addition to all work in progress, as far as limits allow. Mutex held. */
void slabs_make_room(slabs_cuda *slabs, uint64_t more);

/* `slabs_promise` reserves `room` for a call, and `slabs_returned` ends that when the call returns. A call that leaves
 * work on a stream first passes its reservation to the stream, with slabs_left_on. */
void slabs_promise(slabs_cuda *slabs, slabs_room room); /* mutex held */
void slabs_returned(slabs_cuda *slabs, slabs_room room);
pleach_status slabs_left_on(slabs_cuda *slabs, cudaStream_t stream, slabs_room room);
slabs_room slabs_pending(slabs_cuda *slabs); /* mutex held */

pleach_status slabs_quiesce(slabs_cuda *slabs);
pleach_status slabs_view(slabs_cuda *slabs, int opened); /* 1: a view was opened, -1: closed */

#endif
