/* eirene.cu - the batches of eirene.h: a thread a group, then a thread a request. */
#include "eirene.h"

enum { BLOCK = 128 };

/* One sum a warp: all of its threads come here. */
PORT_FN void add_count(uint64_t *sum, uint64_t own)
{
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(~0u, own, distance);
    if (threadIdx.x % 32 == 0) port_add(sum, own);
}

static __global__ void __launch_bounds__(BLOCK) run_groups(abl_tree tree, eirene_batch batch)
{
    const size_t group = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    uint64_t nodes = 0, roots = 0, accesses = 0;
    if (group * batch.group < batch.issued) accesses = eirene_group(tree, &batch, group, &nodes, &roots);
    __syncwarp();
    add_count(batch.counts + EIRENE_NODES, nodes);
    add_count(batch.counts + EIRENE_ACCESSES, accesses);
    add_count(batch.counts + EIRENE_FROM_ROOT, roots);
}

static __global__ void __launch_bounds__(BLOCK) deal_results(eirene_batch batch)
{
    const size_t request = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const uint64_t accesses = request < batch.n ? eirene_deal(&batch, request) : 0;
    __syncwarp();
    add_count(batch.counts + EIRENE_ACCESSES, accesses);
}

static unsigned blocks_for(size_t threads) { return (unsigned)((threads + BLOCK - 1) / BLOCK); }

pleach_status eirene_run_cuda(abl_tree tree, const eirene_batch *batch, pleach_stream stream)
{
    const size_t groups = (batch->issued + batch->group - 1) / batch->group;
    run_groups<<<blocks_for(groups), BLOCK, 0, (cudaStream_t)stream>>>(tree, *batch);
    if (batch->owner != NULL) deal_results<<<blocks_for(batch->n), BLOCK, 0, (cudaStream_t)stream>>>(*batch);
    return cudaGetLastError() == cudaSuccess ? PLEACH_OK : PLEACH_E_CUDA;
}
