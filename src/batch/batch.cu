/* batch/batch.cu - batches on the GPU: the kernels for both key widths, and their launchers. */
#include "../blink/blink_launch.h"

#include "batch_cuda.h"
#include "../cuda/sort_cuda.h"

/* Threads that have more than one index each are enough to fill the GPU. */
static unsigned grid_for(uint64_t n)
{
    enum { MOST_BLOCKS = 132 * 64 };
    unsigned blocks = blocks_for(n ? n : 1);
    return blocks < (unsigned)MOST_BLOCKS ? blocks : (unsigned)MOST_BLOCKS;
}

/* For kernels that end in an access to the same word. */
static unsigned few_blocks_for(uint64_t n)
{
    enum { FEW_BLOCKS = 132 * 8 };
    unsigned blocks = grid_for(n);
    return blocks < (unsigned)FEW_BLOCKS ? blocks : (unsigned)FEW_BLOCKS;
}

/* One bit of the operations' places: how many zeros there are before each, and what those change, in one word. */
static __global__ void zeros_kernel(const __grid_constant__ wide_on_gpu w, uint32_t n, unsigned bit)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) {
        bool zero = i < n && !(w.place[0][i] >> bit & 1);
        w.packed[i] = zero ? ((uint64_t)1 << 32) + (uint64_t)(int64_t)w.change[0][i] : 0;
    }
}

/* After the scan. */
static __global__ void divide_kernel(const __grid_constant__ wide_on_gpu w, uint32_t n, unsigned bit)
{
    int32_t all_sum = (int32_t)(uint32_t)w.packed[n];
    uint32_t all_zeros = (uint32_t)((w.packed[n] - (uint64_t)(int64_t)all_sum) >> 32);
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) {
        int32_t sum = (int32_t)(uint32_t)w.packed[i];
        uint32_t zeros = (uint32_t)((w.packed[i] - (uint64_t)(int64_t)sum) >> 32);
        w.zeros[i] = zeros;
        w.zero_sum[i] = sum;
        if (i == n) break;
        uint32_t to = w.place[0][i] >> bit & 1 ? all_zeros + i - zeros : zeros;
        w.place[1][to] = w.place[0][i];
        w.change[1][to] = w.change[0][i];
    }
}

#define PLEACH_KEY_BITS 32
#include "../blink/blink.h"
#include "batch_kernels.h"
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
#include "../blink/blink.h"
#include "batch_kernels.h"
#undef PLEACH_KEY_BITS

static __global__ void pairs_kernel(batch_request r, uint64_t *counted)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= r.n) counted[i] = i < r.n && r.kinds[i] == BATCH_RANGE ? r.counts[i] : 0;
}

size_t batch_cuda_layout(batch_on_gpu *batch)
{
    if (batch->key_bits == 32) {
        laid_out32 l = lay_out32(batch);
        batch->sizes = l.b.sizes;
        return l.bytes;
    }
    laid_out64 l = lay_out64(batch);
    batch->sizes = l.b.sizes;
    return l.bytes;
}

#define OF_WIDTH(launch, ...) (batch->key_bits == 32 ? launch##32(__VA_ARGS__) : launch##64(__VA_ARGS__))

cudaError_t batch_cuda_list(const batch_on_gpu *batch, cudaStream_t stream)
{
    return OF_WIDTH(launch_list, batch, stream);
}

cudaError_t batch_cuda_read(const batch_on_gpu *batch, const read_streams *on)
{
    return OF_WIDTH(launch_read, batch, on);
}

cudaError_t batch_cuda_answer(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream)
{
    return OF_WIDTH(launch_answer, batch, ops, stream);
}

cudaError_t batch_cuda_query(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream)
{
    return OF_WIDTH(launch_query, batch, ops, stream);
}

cudaError_t batch_cuda_again(const batch_on_gpu *batch, uint32_t tired, bool second, cudaStream_t stream)
{
    return OF_WIDTH(launch_again, batch, tired, second, stream);
}

/* The next piece of `memory`; without that, only how much it would be. */
static void *live_carve(char *memory, size_t *used, size_t bytes)
{
    void *piece = memory ? memory + *used : NULL;
    *used += (bytes + 255) / 256 * 256;
    return piece;
}

size_t batch_cuda_live_layout(batch_on_gpu *batch, uint32_t keys, char *memory)
{
    batch_live live = {};
    size_t n = batch->r.n, used = 0;
    live.levels = batch_live_levels(keys);
    live.groups = batch_live_groups(batch->r.n);
    live.group = (batch_group *)live_carve(memory, &used, (size_t)live.levels * live.groups * sizeof *live.group);
    for (unsigned i = 0; i < 2; i++) {
        live.number[i] = (uint32_t *)live_carve(memory, &used, n * sizeof *live.number[i]);
        live.change[i] = (int8_t *)live_carve(memory, &used, n);
    }
    live.had = (uint32_t *)live_carve(memory, &used, ((size_t)keys + 1) * sizeof *live.had);
    live.gap = (uint32_t *)live_carve(memory, &used, (keys / 32 + 1) * sizeof *live.gap);
    live.gaps = (uint32_t *)live_carve(memory, &used, (keys / 32 + 2) * sizeof *live.gaps);
    if (memory) batch->live = live;
    return used;
}

cudaError_t batch_cuda_live(const batch_on_gpu *batch, uint32_t ops, uint32_t keys, cudaStream_t stream)
{
    return OF_WIDTH(launch_live, batch, ops, keys, stream);
}

cudaError_t batch_cuda_count_pairs(const batch_on_gpu *batch, uint64_t *counted, cudaStream_t stream)
{
    cudaGetLastError();
    pairs_kernel<<<blocks_for((uint64_t)batch->r.n + 1), BLOCK_THREADS, 0, stream>>>(batch->r, counted);
    return cudaGetLastError();
}

cudaError_t batch_cuda_fill(const batch_on_gpu *batch, cudaStream_t stream)
{
    return OF_WIDTH(launch_fill, batch, stream);
}

cudaError_t batch_cuda_plan(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream)
{
    return OF_WIDTH(launch_plan, batch, ops, stream);
}

cudaError_t batch_cuda_commit(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream)
{
    return OF_WIDTH(launch_commit, batch, ops, stream);
}

cudaError_t batch_cuda_tidy(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream)
{
    return OF_WIDTH(launch_tidy, batch, ops, stream);
}

size_t batch_cuda_wide_bytes(unsigned key_bits) { return key_bits == 32 ? sizeof(batch_wide32) : sizeof(batch_wide64); }

cudaError_t batch_cuda_wide(const batch_on_gpu *batch, const wide_on_gpu *wide, uint32_t ops, cudaStream_t stream)
{
    return OF_WIDTH(launch_wide, batch, *wide, ops, stream);
}
