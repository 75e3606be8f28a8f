/* batch/batch_live.cu - the parts of a batch on the GPU that are the same for all key widths: memory for the structure
 * by which tired queries skip keys (batch_live.h), and the pairs that its ranges have counted. */
#include "../blink/blink_launch.h"

#include "batch_cuda.h"

/* Returns the next piece of `memory`. Without memory, only counts the bytes. */
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

static __global__ void pairs_kernel(batch_request r, uint64_t *counted)
{
    size_t i = (size_t)blockIdx.x * BLOCK_THREADS + threadIdx.x;
    if (i <= r.n) counted[i] = i < r.n && r.kinds[i] == OP_RANGE ? r.counts[i] : 0;
}

cudaError_t batch_cuda_count_pairs(const batch_on_gpu *batch, uint64_t *counted, cudaStream_t stream)
{
    cudaGetLastError();
    pairs_kernel<<<blocks_for((uint64_t)batch->r.n + 1), BLOCK_THREADS, 0, stream>>>(batch->r, counted);
    return cudaGetLastError();
}
