/* hash/slabs_cuda.h - a structure of slabs in GPU memory: the slabs, its counters, streams and scratch memory, and
 * how memory comes before it is needed. What hash tables and graphs there have in common. */
#ifndef PLEACH_SLABS_CUDA_H
#define PLEACH_SLABS_CUDA_H

#include <pthread.h>

#include "slabhash_format.h"
#include "../pool/pool_cuda.h"
#include "../cuda/staging.h"
#include "../cuda/streams.h"

enum { SLABS_STREAMS = 8 };

/* What calls that are under way may come to need, or have done. */
typedef struct slabs_room { uint64_t slabs, updates; } slabs_room;

typedef struct slabs_cuda {
    int gpu;
    size_t state_bytes;
    void *state; /* device memory; begins with pool_state and pool_runs */
    cudaMemPool_t scratch;
    cudaStream_t sync_stream[SLABS_STREAMS]; /* synchronous calls, by thread number */
    cudaStream_t control;                    /* growth and looks at counters */

    pthread_mutex_t mutex; /* guards what follows, and `control` */
    pool_cuda *pool;
    uint64_t capacity;   /* slabs with memory; the state's copy is never larger */
    uint64_t used_bound; /* at most so many ids will have been handed out when all work so far is done */
    slabs_room sync;     /* of calls that have not returned yet */
    int running;         /* kernels that may take slabs, of calls that have not returned yet */
    int views;           /* that are open: kernels of users, who take slabs without telling */
    streams streams;
} slabs_cuda;

static inline staging slabs_staging(const slabs_cuda *slabs, cudaStream_t stream)
{
    return (staging){.pool = slabs->scratch, .stream = stream, .gpu = slabs->gpu};
}

static inline void *slabs_nodes(const slabs_cuda *slabs) { return pool_cuda_nodes(slabs->pool); }
static inline uint64_t slabs_limit(const slabs_cuda *slabs) { return pool_cuda_limit(slabs->pool) / SLAB_BYTES; }

/* The GPU is the current one. On failure slabs_close is called all the same. */
pleach_status slabs_open(slabs_cuda *slabs, int gpu, uint64_t max_bytes, size_t state_bytes);
void slabs_close(slabs_cuda *slabs);

/* A state of zeros, with this many slabs taken from the pool: all of them are zeros too. Alone. */
pleach_status slabs_reset(slabs_cuda *slabs, uint64_t taken);

/* Each has the other's slabs and state. Alone with both, and on the same GPU. */
void slabs_swap_memory(slabs_cuda *one, slabs_cuda *two);

/* The stream of a synchronous call. */
cudaStream_t slabs_stream(const slabs_cuda *slabs);

/* The state, or some of it, on the host. `slabs_peek` looks while kernels run. */
pleach_status slabs_read(const slabs_cuda *slabs, void *state, size_t bytes);
pleach_status slabs_peek(slabs_cuda *slabs, size_t offset, void *to, size_t bytes); /* mutex held */

/* Memory for ids below `slabs_needed`; FULL beyond the limit. Mutex held. */
pleach_status slabs_grow(slabs_cuda *slabs, uint64_t slabs_needed);

/* Memory for `more` slabs beside all that is under way, as far as limits allow. Mutex held. */
void slabs_make_room(slabs_cuda *slabs, uint64_t more);

/* A call that may take so many has been promised them, and has returned; on a stream it hands them to that before. */
void slabs_promise(slabs_cuda *slabs, slabs_room room); /* mutex held */
void slabs_returned(slabs_cuda *slabs, slabs_room room);
pleach_status slabs_left_on(slabs_cuda *slabs, cudaStream_t stream, slabs_room room);
slabs_room slabs_pending(slabs_cuda *slabs); /* mutex held */

pleach_status slabs_quiesce(slabs_cuda *slabs);
pleach_status slabs_view(slabs_cuda *slabs, int opened); /* 1: a view was opened, -1: closed */

#endif
