/* versioned/versioned.cu - the kernels of maps with versions: those of the plain map, compiled with versions, and
 * queries at a snapshot. Compiled once per key width. */
#include "../blink/blink_launch.h"

#include "versioned.h"
#include "../blink/blink_kernels.h"
#include "../blink/blink_long_kernels.h"
#include "versioned_kernels.h"

static cudaError_t run_call(map_launch gpu, const request *r, update_notes *notes, cudaStream_t stream)
{
    switch (r->kind) {
    case OP_PUT:
    case OP_ADD:
    case OP_ERASE: LAUNCH(update_kernel, r->n, gpu.map, gpu.keeps, *r, notes);
    case OP_RANGE:
    case OP_COUNT: {
        const unsigned apart = range_apart(r, !r->at);
        LAUNCH(range_kernel, r->n << apart, gpu.map, *r, apart);
    }
    case OP_FIND:
    case OP_CONTAINS:
        if (!r->at) LAUNCH(find_kernel, r->n, gpu.map, *r);
        LAUNCH(snapshot_seek_kernel, r->n, gpu.map, *r);
    case OP_SUCC:
    case OP_PRED:
    case OP_CEILING:
    case OP_FLOOR:
        if (!r->at) LAUNCH(seek_kernel, r->n, gpu.map, *r);
        LAUNCH(snapshot_seek_kernel, r->n, gpu.map, *r);
    }
    return cudaErrorInvalidValue;
}

static cudaError_t launch_return(map_ref map, cudaStream_t stream)
{
    uint64_t places = map.versions.stripes + map.versions.epoch.slots;
    LAUNCH(return_kernel, places, map);
}

static cudaError_t release(map_ref map, const uint64_t *at, cudaStream_t stream)
{
    cudaError_t error = versioned_cuda_unpin(map, at, stream);
    return error == cudaSuccess ? launch_return(map, stream) : error;
}

static cudaError_t count_held(map_ref map, uint64_t used, uint64_t first, uint64_t second, uint64_t *held,
                              cudaStream_t stream)
{
    LAUNCH(held_kernel, used - 1, map, used, first, second, held);
}

const versioned_launchers WIDTH_SYMBOL(versioned_cuda) = {
    .calls = {run_call, run_long, count_parts},
    .release = release,
    .count_held = count_held,
};
