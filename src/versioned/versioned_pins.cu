/* versioned/versioned_pins.cu - takes and releases snapshots on the GPU; the same for all key widths. */
#include "../blink/blink_launch.h"

/* Progress: the thread that holds the latch of the pin table is running and waits for no other thread. */
static __global__ void take_kernel(const __grid_constant__ versions v, uint64_t *at)
{
    __shared__ epoch_participant agent;
    uint64_t stamp = version_snapshot_begin(&v, &agent, BLOCK_THREADS, 0);
    if (threadIdx.x == 0) {
        for (unsigned attempt = 0; epoch_pin(v.epoch.state, stamp) == EPOCH_BUSY;) port_pause(attempt++);
        *at = stamp;
    }
    version_snapshot_end(&v, &agent, stamp, 1, EPOCH_ALL);
}

static __global__ void unpin_kernel(const __grid_constant__ versions v, const uint64_t *at)
{
    __shared__ epoch_participant agent;
    if (at && threadIdx.x == 0)
        for (unsigned attempt = 0; epoch_unpin(v.epoch.state, *at) == EPOCH_BUSY;) port_pause(attempt++);
    epoch_participant_begin(&agent, BLOCK_THREADS);
    epoch_scan(v.epoch, &agent, EPOCH_ALL, false);
    epoch_scan(v.epoch, &agent, EPOCH_ALL, false); /* in case the first only finished another block's scan */
}

static __global__ void move_pins_kernel(epoch_state *e, uint64_t *table, uint64_t room)
{
    uint64_t *unused;
    for (unsigned attempt = 0; epoch_pins_move(e, table, room, &unused) == EPOCH_BUSY;) port_pause(attempt++);
}

cudaError_t versioned_cuda_take(map_ref map, uint64_t *at, cudaStream_t stream)
{
    cudaGetLastError();
    take_kernel<<<1, BLOCK_THREADS, 0, stream>>>(map.versions, at);
    return cudaGetLastError();
}

cudaError_t versioned_cuda_unpin(map_ref map, const uint64_t *at, cudaStream_t stream)
{
    cudaGetLastError();
    unpin_kernel<<<1, BLOCK_THREADS, 0, stream>>>(map.versions, at);
    return cudaGetLastError();
}

cudaError_t versioned_cuda_move_pins(map_ref map, uint64_t *table, uint64_t room, cudaStream_t stream)
{
    cudaGetLastError();
    move_pins_kernel<<<1, 1, 0, stream>>>(map.versions.epoch.state, table, room);
    return cudaGetLastError();
}

static __global__ void forget_kernel(versions v)
{
    unsigned i = blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i < v.stripes) v.state->kept[i].head = 0;
    if (i < v.epoch.slots) v.epoch.home[i].tail = v.epoch.home[i].head; /* which keeps counting */
}

cudaError_t versioned_cuda_forget(map_ref map, cudaStream_t stream)
{
    uint64_t most = map.versions.stripes > map.versions.epoch.slots ? map.versions.stripes : map.versions.epoch.slots;
    cudaGetLastError();
    forget_kernel<<<blocks_for(most), BLOCK_THREADS, 0, stream>>>(map.versions);
    return cudaGetLastError();
}
