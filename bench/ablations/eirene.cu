/* eirene.cu - the batches of eirene.h: sorted and combined, then a thread a group, then a thread a request. */
#include "eirene.h"

#include "cuda/sort_cuda.h"

enum { BLOCK = 128 };

static __global__ void __launch_bounds__(BLOCK) run_groups(abl_tree tree, eirene_batch batch)
{
    const size_t group = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    uint64_t nodes = 0, roots = 0, accesses = 0;
    if (group * batch.group < batch.counts[EIRENE_ISSUED]) accesses = eirene_group(tree, &batch, group, &nodes, &roots);
    __syncwarp();
    abl_add_sum(batch.counts + EIRENE_NODES, nodes);
    abl_add_sum(batch.counts + EIRENE_ACCESSES, accesses);
    abl_add_sum(batch.counts + EIRENE_FROM_ROOT, roots);
}

static __global__ void __launch_bounds__(BLOCK) deal_results(eirene_batch batch)
{
    const size_t request = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const uint64_t accesses = request < batch.n ? eirene_deal(&batch, request) : 0;
    __syncwarp();
    abl_add_sum(batch.counts + EIRENE_ACCESSES, accesses);
}

/* The first of equal keys is a head. */
static __global__ void __launch_bounds__(BLOCK) mark_heads(const uint32_t *keys, uint64_t *heads, size_t n)
{
    const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) heads[i] = i == 0 || keys[i] != keys[i - 1];
}

/* before: how many heads are before each. */
static __global__ void __launch_bounds__(BLOCK) combine(eirene_batch batch, const uint32_t *sorted_keys,
                                                        const uint32_t *sorted_numbers, const uint64_t *before)
{
    const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i >= batch.n) return;
    const bool head = i == 0 || sorted_keys[i] != sorted_keys[i - 1];
    const uint64_t own = before[i] + head - 1;
    if (head) batch.keys[own] = sorted_keys[i];
    batch.owner[sorted_numbers[i]] = (uint32_t)own;
    if (i + 1 == batch.n) batch.counts[EIRENE_ISSUED] = own + 1;
}

static unsigned blocks_for(size_t threads) { return (unsigned)((threads + BLOCK - 1) / BLOCK); }

pleach_status eirene_scratch_cuda(size_t n, size_t *bytes)
{
    size_t sorts = 0, scans = 0;
    if (sort_cuda_pairs(NULL, &sorts, 32, 32, NULL, NULL, NULL, NULL, n, 0) != cudaSuccess ||
        sort_cuda_scan(NULL, &scans, NULL, NULL, n, 0) != cudaSuccess)
        return PLEACH_E_CUDA;
    *bytes = sorts > scans ? sorts : scans;
    return PLEACH_OK;
}

static cudaError_t combine_requests(const eirene_batch *batch, const eirene_sort *sort, cudaStream_t stream)
{
    const unsigned blocks = blocks_for(batch->n);
    size_t bytes = sort->scratch_bytes;
    cudaError_t error = sort_cuda_pairs(sort->scratch, &bytes, 32, 32, batch->asked, sort->sorted_keys, sort->numbers,
                                        sort->sorted_numbers, batch->n, stream);
    if (error != cudaSuccess) return error;
    mark_heads<<<blocks, BLOCK, 0, stream>>>(sort->sorted_keys, sort->heads, batch->n);
    bytes = sort->scratch_bytes;
    error = sort_cuda_scan(sort->scratch, &bytes, sort->heads, sort->heads, batch->n, stream);
    if (error != cudaSuccess) return error;
    combine<<<blocks, BLOCK, 0, stream>>>(*batch, sort->sorted_keys, sort->sorted_numbers, sort->heads);
    return cudaGetLastError();
}

/* How many keys are issued is known on the GPU alone: there are threads for as many as requests. */
pleach_status eirene_run_cuda(abl_tree tree, const eirene_batch *batch, const eirene_sort *sort, pleach_stream stream)
{
    const cudaStream_t on = (cudaStream_t)stream;
    const size_t groups = (batch->n + batch->group - 1) / batch->group;
    if (batch->owner != NULL && combine_requests(batch, sort, on) != cudaSuccess) return PLEACH_E_CUDA;
    run_groups<<<blocks_for(groups), BLOCK, 0, on>>>(tree, *batch);
    if (batch->owner != NULL) deal_results<<<blocks_for(batch->n), BLOCK, 0, on>>>(*batch);
    return cudaGetLastError() == cudaSuccess ? PLEACH_OK : PLEACH_E_CUDA;
}
