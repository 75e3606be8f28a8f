/* variants.cu - the operations of variants.h by GPU threads, one each. */
#include "variants.h"

#include "tree_insert.h"

enum { BLOCK = 128 };

PORT_FN uint32_t run_find(abl_tree tree, abl_policy policy, uint32_t key, abl_tally *tally)
{
    const uint64_t pair = abl_find(tree, policy, key, tally);
    return pair == ABL_EMPTY ? ABL_NONE : (uint32_t)pair;
}

PORT_FN uint32_t run_insert(abl_tree tree, abl_policy policy, uint32_t key, abl_tally *tally)
{
    return (uint32_t)abl_insert(tree, policy, key, abl_value(key), tally);
}

/* One sum a warp: all of its threads come here. */
PORT_FN void add_tally(uint64_t *sum, uint64_t own)
{
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(~0u, own, distance);
    if (threadIdx.x % 32 == 0) port_add(sum, own);
}

#define DEFINE_VARIANT(name, operation, latching, splitting, fencing, loading)                                   \
    static __global__ void __launch_bounds__(BLOCK) run_##name(abl_tree tree, abl_work work)                     \
    {                                                                                                            \
        const abl_policy policy = {latching, splitting, fencing, loading};                                       \
        const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;                                               \
        abl_tally tally = {0, 0, 0};                                                                             \
        if (i < work.n) work.answers[i] = run_##operation(tree, policy, work.keys[i], &tally);                   \
        __syncwarp();                                                                                            \
        add_tally(work.tally, tally.visited);                                                                    \
        add_tally(work.tally + 1, tally.failures);                                                               \
        add_tally(work.tally + 2, tally.splits);                                                                 \
    }
ABL_VARIANTS(DEFINE_VARIANT)

pleach_status abl_run_cuda(enum abl_variant variant, abl_tree tree, const abl_work *work, pleach_stream stream)
{
#define VARIANT_KERNEL(name, operation, latching, splitting, fencing, loading) run_##name,
    static void (*const kernels[])(abl_tree, abl_work) = {ABL_VARIANTS(VARIANT_KERNEL)};
    const unsigned blocks = (unsigned)((work->n + BLOCK - 1) / BLOCK);
    kernels[variant]<<<blocks, BLOCK, 0, (cudaStream_t)stream>>>(tree, *work);
    return cudaGetLastError() == cudaSuccess ? PLEACH_OK : PLEACH_E_CUDA;
}
