/* variants.cu - the operations of variants.h by GPU threads, one each. */
#include "variants.h"

#include "tree_insert.h"

enum { BLOCK = 128 };

#define DEFINE_VARIANT(name, operation, latching, splitting, fencing, loading)                                   \
    static __global__ void __launch_bounds__(BLOCK) run_##name(abl_tree tree, abl_work work)                     \
    {                                                                                                            \
        const abl_policy policy = {latching, splitting, fencing, loading};                                       \
        const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;                                               \
        abl_tally tally = {0, 0, 0};                                                                             \
        if (i < work.n) work.answers[i] = abl_run_##operation(tree, policy, work.keys[i], &tally);               \
        __syncwarp();                                                                                            \
        abl_add_sum(work.tally, tally.visited);                                                                  \
        abl_add_sum(work.tally + 1, tally.failures);                                                             \
        abl_add_sum(work.tally + 2, tally.splits);                                                               \
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
