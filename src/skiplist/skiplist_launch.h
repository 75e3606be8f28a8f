/* skiplist/skiplist_launch.h - the skiplist's kernels and their launchers, for one key width and chunk size. */
#include "../blink/blink_launch.h"
#include "skiplist_cuda.h"

#include "skiplist_reclaim.h"

/* A block is a participant. It keeps its slot, and each of its critical sections is one update per thread, because
 * merged chunks are not reclaimed until all participants inside have left. Queries leave no such chunks and run several
 * per section. Blocks are large, because entering a section invalidates a multiprocessor's L1 (docs/performance.md). */
enum { STAY_THREADS = 512, UPDATE_STAY = 1, QUERY_STAY = 4, BLOCKS_PER_SM = 4 };

/* For arrays of inserts into a small skiplist: see update_all. */
enum { RAMP_FIRST = 256, RAMP_STEP = 8, RAMP_LAST = 1 << 18 };

#include "skiplist.h"
#include "skiplist_kernels.h"
#include "../blink/blink_long_kernels.h"
#include "../blink/blink_bulk_kernels.h"

/* As many blocks as the GPU can hold at a time, or as the work needs. */
static unsigned staying_blocks(const map_launch *gpu, uint64_t threads)
{
    uint64_t most = (uint64_t)gpu->processors * BLOCKS_PER_SM, all = (threads + STAY_THREADS - 1) / STAY_THREADS;
    return (unsigned)(all < most ? all : most);
}

#define LAUNCH_STAYING(kernel, threads, ...)                                                                     \
    do {                                                                                                         \
        if ((threads) == 0) return cudaSuccess;                                                                  \
        cudaGetLastError();                                                                                      \
        kernel<<<staying_blocks(&gpu, threads), STAY_THREADS, 0, stream>>>(__VA_ARGS__);                         \
        return cudaGetLastError();                                                                               \
    } while (0)

static cudaError_t update_part(map_launch gpu, const request *r, size_t first, size_t end, update_notes *notes,
                               cudaStream_t stream)
{
    if (gpu.team > 1)
        LAUNCH_STAYING(team_update_kernel, (end - first) * gpu.team, gpu.map, gpu.team, *r, first, end, notes);
    LAUNCH_STAYING(update_kernel, end - first, gpu.map, *r, first, end, notes);
}

/* Thousands of threads that all need the few chunks of a small skiplist would contend for them. So the first elements
 * of an array are processed by few threads, and the following ones, when there are more chunks, by more. */
static cudaError_t update_all(map_launch gpu, const request *r, update_notes *notes, cudaStream_t stream)
{
    const size_t few = RAMP_FIRST;
    size_t first = 0, end = gpu.small && r->kind != OP_ERASE ? few : r->n;
    cudaError_t error = cudaSuccess;
    while (first < r->n && error == cudaSuccess) {
        if (end > r->n || end > RAMP_LAST) end = r->n;
        error = update_part(gpu, r, first, end, notes, stream);
        first = end;
        end *= RAMP_STEP;
    }
    return error;
}

static cudaError_t skiplist_run(map_launch gpu, const request *r, update_notes *notes, cudaStream_t stream)
{
    switch (r->kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_ERASE: return update_all(gpu, r, notes, stream);
    case OP_FIND:
    case OP_CONTAINS:
        if (gpu.team > 1) LAUNCH_STAYING(team_find_kernel, r->n * gpu.team, gpu.map, gpu.team, *r);
        LAUNCH_STAYING(find_kernel, r->n, gpu.map, *r);
    case OP_SUCC:
    case OP_PRED:
    case OP_CEILING:
    case OP_FLOOR: LAUNCH_STAYING(seek_kernel, r->n, gpu.map, *r);
    case OP_RANGE:
    case OP_COUNT: LAUNCH_STAYING(range_kernel, r->n, gpu.map, *r);
    }
    return cudaErrorInvalidValue;
}

/* One block: completes a scan begun by another participant, advances the clock by two ticks, returns each slot's
 * chunks. */
static __global__ void settle_kernel(const __grid_constant__ map_ref ref, bool forget)
{
    __shared__ epoch_participant agent;
    skiplist_ref place = skiplist_of(&ref, sizeof(map_node));
    if (forget) {
        for (unsigned i = threadIdx.x; i < place.epoch.slots; i += BLOCK_THREADS)
            place.epoch.home[i].tail = place.epoch.home[i].head;
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        epoch_participant_begin(&agent, BLOCK_THREADS);
        epoch_scan(place.epoch, &agent, EPOCH_ALL, true);
    }
    uint64_t claimed = port_load(&place.epoch.state->claimed);
    for (uint32_t slot = 0; slot < claimed; slot++) {
        skiplist_register(&place, &agent, BLOCK_THREADS, slot);
        skiplist_return(&place, &agent);
        skiplist_unregister(&place, &agent);
    }
}

static cudaError_t skiplist_settle(map_ref map, bool forget, cudaStream_t stream)
{
    cudaGetLastError();
    settle_kernel<<<1, BLOCK_THREADS, 0, stream>>>(map, forget);
    return cudaGetLastError();
}

const skiplist_launchers SKIPLIST_CUDA = {
    .calls = {skiplist_run, run_long, count_parts},
    .nodes = {build_levels, count_nodes, add_shapes, list_leaves, leaf_counts, gather},
    .settle = skiplist_settle,
};
