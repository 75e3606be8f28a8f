/* hash/hash.cu - the kernels of hash tables, and their launchers. Compiled once per kind of table
 * (cmake/kinds.cmake). */
#include "hash_cuda.h"
#include "../cuda/warps.h"

enum { BLOCK_THREADS = 128, FIND_BLOCKS = 12, BRIEF_BLOCKS = 10, UPDATE_BLOCKS = 8 };

PORT_FN slab_ref place_of(const slabhash_on_gpu &hash)
{
    slab_ref place;
    place.runs.pool = &hash.state->pool;
    place.runs.runs = &hash.state->runs;
    place.runs.nodes = hash.slabs;
    place.runs.node_bytes = SLAB_BYTES;
    place.runs.stripe = blockIdx.x;
    place.seed = hash.seed;
    place.load_of_keys = 0;
    place.hopeful = 0;
    return place;
}

/* Counts of a thread, or of a warp. */
typedef struct changes { int grown, missing; } changes;

PORT_FN void note_outcome(changes *here, pleach_outcome outcome)
{
    here->grown += (outcome == PLEACH_INSERTED) - (outcome == PLEACH_ERASED);
    here->missing += outcome == PLEACH_NOT_APPLIED;
}

/* Called by all threads of a warp together. */
PORT_FN void add_changes(slabhash_state *state, changes here, uint64_t *not_applied)
{
    int grown = warp_sum(here.grown), missing = warp_sum(here.missing);
    if (threadIdx.x % 32 != 0) return;
    if (grown) port_add(&state->stripe[blockIdx.x % SLABHASH_STRIPES].size, (uint64_t)(int64_t)grown);
    if (missing) port_add(not_applied, (uint64_t)missing);
}

#include "hash_kernels.h"

static unsigned blocks_for(uint64_t threads) { return (unsigned)((threads + BLOCK_THREADS - 1) / BLOCK_THREADS); }

/* Launches a kernel with one thread per element, and returns from the enclosing function. An error that an earlier CUDA
 * call of the user has left on this thread is cleared first; otherwise it would be reported as the launch's. */
#define LAUNCH(kernel, threads, ...)                                                                             \
    do {                                                                                                         \
        if ((threads) == 0) return cudaSuccess;                                                                  \
        cudaGetLastError();                                                                                      \
        kernel<<<blocks_for(threads), BLOCK_THREADS, 0, stream>>>(__VA_ARGS__);                                  \
        return cudaGetLastError();                                                                               \
    } while (0)

static cudaError_t launch_find(slabhash_on_gpu hash, const hash_request *r, cudaStream_t stream)
{
    LAUNCH(find_kernel, r->n, hash, *r);
}

static cudaError_t launch_brief(slabhash_on_gpu hash, const hash_request *r, slow_list later, uint64_t *not_applied,
                                cudaStream_t stream)
{
    LAUNCH(fast_path_kernel, r->n, hash, *r, later, not_applied);
}

static cudaError_t launch_rows(slabhash_on_gpu hash, const hash_request *r, slow_list later, repeats rows,
                               cudaStream_t stream)
{
    LAUNCH(row_kernel, LATER_BLOCKS * BLOCK_THREADS, hash, *r, later, rows);
}

static cudaError_t launch_long(slabhash_on_gpu hash, const hash_request *r, slow_list later, repeats rows,
                               uint64_t *not_applied, cudaStream_t stream)
{
    LAUNCH(update_kernel, later.elements ? LATER_BLOCKS * BLOCK_THREADS : r->n, hash, *r, later, rows, not_applied);
}

static cudaError_t launch_repeats(slabhash_on_gpu hash, const hash_request *r, slow_list later, repeats rows,
                                  uint64_t *not_applied, cudaStream_t stream)
{
    LAUNCH(repeat_kernel, LATER_BLOCKS * BLOCK_THREADS, hash, *r, later, rows, not_applied);
}

static cudaError_t launch_update(slabhash_on_gpu hash, const hash_request *r, slow_list later, repeats rows,
                                 uint64_t *not_applied, cudaStream_t stream)
{
    if (!later.elements) return launch_long(hash, r, later, rows, not_applied, stream);
    cudaError_t error = cudaMemsetAsync(later.count, 0, sizeof *later.count, stream);
    if (error == cudaSuccess) error = launch_brief(hash, r, later, not_applied, stream);
    if (error == cudaSuccess && rows.most) error = launch_rows(hash, r, later, rows, stream);
    if (error == cudaSuccess) error = launch_long(hash, r, later, rows, not_applied, stream);
    if (error == cudaSuccess && rows.most) error = launch_repeats(hash, r, later, rows, not_applied, stream);
    return error;
}

static cudaError_t launch_sample(slabhash_on_gpu hash, size_t n, const void *keys, uint64_t *missing,
                                 cudaStream_t stream)
{
    LAUNCH(sample_kernel, SLABHASH_SAMPLE, hash, n, (const slab_key *)keys, missing);
}

static __global__ void start_kernel(const __grid_constant__ slabhash_on_gpu hash, unsigned log)
{
    slab_ref place = place_of(hash);
    slab_start_growth(&place, &hash.state->table, log);
}

static cudaError_t launch_start(slabhash_on_gpu hash, unsigned log, cudaStream_t stream)
{
    cudaGetLastError();
    start_kernel<<<1, 1, 0, stream>>>(hash, log);
    return cudaGetLastError();
}

static cudaError_t launch_move(slabhash_on_gpu hash, uint64_t buckets, cudaStream_t stream)
{
    LAUNCH(move_kernel, buckets, hash, buckets);
}

static cudaError_t launch_copy(slabhash_on_gpu from, uint64_t buckets, slabhash_on_gpu to, uint64_t *not_applied,
                               cudaStream_t stream)
{
    LAUNCH(copy_kernel, buckets, from, buckets, to, not_applied);
}

static cudaError_t launch_list(slabhash_on_gpu hash, uint64_t buckets, void *keys, void *values, uint64_t *count,
                               cudaStream_t stream)
{
    LAUNCH(list_kernel, buckets, hash, buckets, (slab_key *)keys, (slab_key *)values, count);
}

const hash_kernels SLAB_EXPORT(hash_kernels) = {launch_find, launch_update, launch_sample, launch_start,
                                      launch_move, launch_copy,   launch_list};
