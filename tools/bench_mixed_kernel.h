/* bench_mixed_kernel.h - the kernel of bench_mixed.h, once with versions and once without. The file that includes it
 * has defined VIEW, what it is to put, erase, find and range one element of K bits, and what surrounds a block's
 * work. */
#include "bench_mixed.h"

/* Eight blocks on a multiprocessor instead of six make ranges faster by a fifth, and updates that keep images slower by
 * a third: they spill. */
enum { MIXED_BLOCK = 128 };

/* Which blocks update: number b does if the count of updating blocks up to and including b grows there. */
static __device__ bool mixed_is_update(uint64_t b, uint64_t updating, uint64_t all, uint64_t *index)
{
    uint64_t before = b * updating / all, after = (b + 1) * updating / all;
    *index = after > before ? before : b - before;
    return after > before;
}

#define DEFINE_MIXED(bits, key_type)                                                                             \
    static __device__ void mixed_update##bits(const VIEW &view, const mixed_work &w, uint64_t block)             \
    {                                                                                                            \
        UPDATES_BEGIN(view);                                                                                     \
        uint64_t i = block * MIXED_BLOCK + threadIdx.x;                                                          \
        if (i < w.updates) {                                                                                     \
            key_type key = ((const key_type *)w.update_keys)[i];                                                 \
            w.outcomes[i] = (uint8_t)(w.erases ? ERASE(bits, view, key)                                          \
                                               : PUT(bits, view, key, ((const key_type *)w.update_values)[i]));  \
        }                                                                                                        \
        UPDATES_END(view);                                                                                       \
    }                                                                                                            \
    static __device__ void mixed_query##bits(const VIEW &view, const mixed_work &w, uint64_t block)              \
    {                                                                                                            \
        QUERIES_BEGIN(view);                                                                                     \
        uint64_t i = block * MIXED_BLOCK + threadIdx.x;                                                          \
        bool there = i < w.queries;                                                                              \
        key_type lo = there ? ((const key_type *)w.lo)[i] : 1, hi = 0, value = 0;                                \
        uint32_t count = 0;                                                                                      \
        if (w.hi) {                                                                                              \
            if (there) hi = ((const key_type *)w.hi)[i];                                                         \
            count = RANGE(bits, view, lo, hi, w.limit, (key_type *)w.out_keys + i * w.limit,                     \
                          (key_type *)w.out_values + i * w.limit);                                               \
        } else if (there) {                                                                                      \
            count = FIND(bits, view, lo, &value);                                                                \
            if (count) ((key_type *)w.out_values)[i] = value;                                                    \
        }                                                                                                        \
        if (there) w.counts[i] = count;                                                                          \
        QUERIES_END(view);                                                                                       \
    }                                                                                                            \
    static __global__ void __launch_bounds__(MIXED_BLOCK) mixed##bits(                                 \
        const __grid_constant__ VIEW view, const __grid_constant__ mixed_work w, uint64_t updating)              \
    {                                                                                                            \
        uint64_t index;                                                                                          \
        if (mixed_is_update(blockIdx.x, updating, gridDim.x, &index))                                            \
            mixed_update##bits(view, w, index);                                                                  \
        else                                                                                                     \
            mixed_query##bits(view, w, index);                                                                   \
    }

DEFINE_MIXED(32, uint32_t)
DEFINE_MIXED(64, uint64_t)

pleach_status MIXED_RUN(VIEW view, const struct mixed_work *work, pleach_stream stream)
{
    uint64_t updating = (work->updates + MIXED_BLOCK - 1) / MIXED_BLOCK;
    unsigned blocks = (unsigned)(updating + (work->queries + MIXED_BLOCK - 1) / MIXED_BLOCK);
    if (view.key_bits == 32)
        mixed32<<<blocks, MIXED_BLOCK, 0, (cudaStream_t)stream>>>(view, *work, updating);
    else
        mixed64<<<blocks, MIXED_BLOCK, 0, (cudaStream_t)stream>>>(view, *work, updating);
    return cudaGetLastError() == cudaSuccess ? PLEACH_OK : PLEACH_E_CUDA;
}
