/* batch/batch.cu - batches on the GPU: the kernels and their launchers. Compiled once per key width. */
#include "../blink/blink_launch.h"

#include "batch_cuda.h"
#include "../cuda/sort_cuda.h"

/* Enough blocks to fill the GPU; beyond that, each thread processes several indices. */
static unsigned grid_for(uint64_t n)
{
    enum { MOST_BLOCKS = 132 * 64 };
    unsigned blocks = blocks_for(n ? n : 1);
    return blocks < (unsigned)MOST_BLOCKS ? blocks : (unsigned)MOST_BLOCKS;
}

/* For kernels in which each block ends with an atomic access to the same word. */
static unsigned few_blocks_for(uint64_t n)
{
    enum { FEW_BLOCKS = 132 * 8 };
    unsigned blocks = grid_for(n);
    return blocks < (unsigned)FEW_BLOCKS ? blocks : (unsigned)FEW_BLOCKS;
}

/* One bit of the operations' positions: packs the two numbers that are to be scanned, zeros before each index and the
 * sum of their changes, into one word. */
static __global__ void zeros_kernel(const __grid_constant__ wide_on_gpu w, uint32_t n, unsigned bit)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += gridDim.x * blockDim.x) {
        bool zero = i < n && !(w.place[0][i] >> bit & 1);
        w.packed[i] = zero ? ((uint64_t)1 << 32) + (uint64_t)(int64_t)w.change[0][i] : 0;
    }
}

/* After the scan: unpacks the sums, and partitions the operations by the bit. */
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

#include "../blink/blink.h"
#include "batch_kernels.h"

static size_t layout(batch_on_gpu *batch)
{
    laid_out l = lay_out(batch);
    batch->sizes = l.b.sizes;
    return l.bytes;
}

const batch_launchers WIDTH_SYMBOL(batch_cuda) = {
    .layout = layout,
    .list = launch_list,
    .read = launch_read,
    .answer = launch_answer,
    .query = launch_query,
    .again = launch_again,
    .live = launch_live,
    .wide_bytes = sizeof(batch_wide),
    .wide = launch_wide,
    .fill = launch_fill,
    .plan = launch_plan,
    .commit = launch_commit,
    .tidy = launch_rebalance,
};
