/* versioned/versioned.cu - the kernels of maps with versions: the plain map's, compiled with versions, queries at
 * a snapshot, and snapshots. */
#include "../blink/blink_launch.h"

#define PLEACH_KEY_BITS 32
#include "versioned.h"
#include "../blink/blink_kernels.h"
#include "../blink/blink_long_kernels.h"
#include "versioned_kernels.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "versioned.h"
#include "../blink/blink_kernels.h"
#include "../blink/blink_long_kernels.h"
#include "versioned_kernels.h"
#undef PLEACH_KEY_BITS

/* Progress: whoever has the table of pins latched is a running thread that waits for nobody. */
static __global__ void take_kernel(const __grid_constant__ versions v, uint64_t *at)
{
    __shared__ epoch_agent agent;
    uint64_t stamp = version_begin_instant(&v, &agent, BLOCK_THREADS, 0);
    if (threadIdx.x == 0) {
        for (unsigned attempt = 0; epoch_pin(v.epoch.state, stamp) == EPOCH_BUSY;) port_pause(attempt++);
        *at = stamp;
    }
    version_end_instant(&v, &agent, stamp, 1, EPOCH_ALL);
}

static __global__ void unpin_kernel(const __grid_constant__ versions v, const uint64_t *at)
{
    __shared__ epoch_agent agent;
    if (at && threadIdx.x == 0)
        for (unsigned attempt = 0; epoch_unpin(v.epoch.state, *at) == EPOCH_BUSY;) port_pause(attempt++);
    epoch_agent_begin(&agent, BLOCK_THREADS);
    epoch_scan(v.epoch, &agent, EPOCH_ALL, false);
    epoch_scan(v.epoch, &agent, EPOCH_ALL, false); /* should the first have ended what another block began */
}

static __global__ void move_pins_kernel(epoch_state *e, uint64_t *table, uint64_t room)
{
    uint64_t *unused;
    for (unsigned attempt = 0; epoch_pins_move(e, table, room, &unused) == EPOCH_BUSY;) port_pause(attempt++);
}

cudaError_t versioned_cuda_run(blink_on_gpu map, const request *r, update_notes *notes, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    switch (r->kind) {
    case REQUEST_PUT:
    case REQUEST_ADD:
    case REQUEST_ERASE: LAUNCH(update_kernel, r->n, (map, *r, notes), (map, *r, notes));
    case REQUEST_RANGE:
    case REQUEST_COUNT: {
        const unsigned apart = range_apart(r, !r->at);
        LAUNCH(range_kernel, r->n << apart, (map, *r, apart), (map, *r, apart));
    }
    case REQUEST_FIND:
        if (!r->at) LAUNCH(find_kernel, r->n, (map, *r), (map, *r));
        LAUNCH(past_seek_kernel, r->n, (map, *r), (map, *r));
    case REQUEST_SUCC:
    case REQUEST_PRED:
    case REQUEST_CEILING:
    case REQUEST_FLOOR:
        if (!r->at) LAUNCH(seek_kernel, r->n, (map, *r), (map, *r));
        LAUNCH(past_seek_kernel, r->n, (map, *r), (map, *r));
    }
    return cudaErrorInvalidValue;
}

cudaError_t versioned_cuda_run_long(blink_on_gpu map, const request *r, long_work *work, cudaStream_t stream)
{
    return map.key_bits == 32 ? launch_long32(&map, r, work, false, false, stream)
                              : launch_long64(&map, r, work, false, false, stream);
}

cudaError_t versioned_cuda_count_parts(blink_on_gpu map, const request *r, long_work *work, bool whole,
                                       cudaStream_t stream)
{
    return map.key_bits == 32 ? launch_long32(&map, r, work, true, whole, stream)
                              : launch_long64(&map, r, work, true, whole, stream);
}

cudaError_t versioned_cuda_take(blink_on_gpu map, uint64_t *at, cudaStream_t stream)
{
    cudaGetLastError();
    take_kernel<<<1, BLOCK_THREADS, 0, stream>>>(map.versions, at);
    return cudaGetLastError();
}

static cudaError_t launch_return(blink_on_gpu map, cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    uint64_t places = map.versions.stripes + map.versions.epoch.slots;
    LAUNCH(return_kernel, places, (map), (map));
}

cudaError_t versioned_cuda_release(blink_on_gpu map, const uint64_t *at, cudaStream_t stream)
{
    cudaGetLastError();
    unpin_kernel<<<1, BLOCK_THREADS, 0, stream>>>(map.versions, at);
    cudaError_t error = cudaGetLastError();
    return error == cudaSuccess ? launch_return(map, stream) : error;
}

cudaError_t versioned_cuda_move_pins(blink_on_gpu map, uint64_t *table, uint64_t room, cudaStream_t stream)
{
    cudaGetLastError();
    move_pins_kernel<<<1, 1, 0, stream>>>(map.versions.epoch.state, table, room);
    return cudaGetLastError();
}

static __global__ void forget_kernel(versions v)
{
    unsigned i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < v.stripes) v.state->kept[i].head = 0;
    if (i < v.epoch.slots) v.epoch.home[i].tail = v.epoch.home[i].head; /* which goes on counting */
}

cudaError_t versioned_cuda_forget(blink_on_gpu map, cudaStream_t stream)
{
    uint64_t most = map.versions.stripes > map.versions.epoch.slots ? map.versions.stripes : map.versions.epoch.slots;
    cudaGetLastError();
    forget_kernel<<<blocks_for(most), BLOCK_THREADS, 0, stream>>>(map.versions);
    return cudaGetLastError();
}

cudaError_t versioned_cuda_count_held(blink_on_gpu map, uint64_t used, uint64_t first, uint64_t second, uint64_t *held,
                                      cudaStream_t stream)
{
    unsigned key_bits = map.key_bits;
    LAUNCH(held_kernel, used - 1, (map, used, first, second, held), (map, used, first, second, held));
}
