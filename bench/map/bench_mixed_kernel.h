/* bench_mixed_kernel.h - the kernels of bench_mixed.h, once with versions and once without. The file that includes it
 * has defined VIEW, what it is to put, erase, find, range and look above one element of K bits, and what surrounds a
 * block's work. */
#include <pleach/batch.h>

#include "bench_mixed.h"

/* Eight blocks on a multiprocessor instead of six make ranges faster by a fifth, and updates that keep images slower by
 * a third: they spill. */
enum { MIXED_BLOCK = 128 };

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

/* Threads of a warp have operations of all kinds; ranges they ask together. */
#define DEFINE_LIST(bits, key_type)                                                                              \
    static __global__ void __launch_bounds__(MIXED_BLOCK)                                                        \
        list##bits(const __grid_constant__ VIEW view, const __grid_constant__ mixed_list w)                      \
    {                                                                                                            \
        LIST_BEGIN(view);                                                                                        \
        uint64_t i = (uint64_t)blockIdx.x * MIXED_BLOCK + threadIdx.x;                                           \
        uint8_t kind = i < w.n ? w.kinds[i] : (uint8_t)PLEACH_OP_COUNT; /* which a list has not */               \
        key_type key = i < w.n ? ((const key_type *)w.keys)[i] : 1, above = 0, value = 0;                        \
        key_type other = i < w.n ? ((const key_type *)w.values)[i] : 0;                                          \
        uint32_t count = 0;                                                                                      \
        if (kind == PLEACH_OP_PUT) w.outcomes[i] = (uint8_t)PUT(bits, view, key, other);                         \
        if (kind == PLEACH_OP_ERASE) w.outcomes[i] = (uint8_t)ERASE(bits, view, key);                            \
        if (kind == PLEACH_OP_FIND) count = FIND(bits, view, key, &value);                                       \
        if (kind == PLEACH_OP_SUCC) count = SUCC(bits, view, key, &above, &value);                               \
        if (count) {                                                                                             \
            ((key_type *)w.out_keys)[i * w.limit] = above;                                                       \
            ((key_type *)w.out_values)[i * w.limit] = value;                                                     \
        }                                                                                                        \
        __syncwarp();                                                                                            \
        bool ranges = kind == PLEACH_OP_RANGE;                                                                   \
        uint32_t found = RANGE(bits, view, ranges ? key : 1, ranges ? other : 0, w.limit,                        \
                               (key_type *)w.out_keys + i * w.limit, (key_type *)w.out_values + i * w.limit);    \
        if (i < w.n) w.counts[i] = ranges ? found : count;                                                       \
        LIST_END(view);                                                                                          \
    }

DEFINE_LIST(32, uint32_t)
DEFINE_LIST(64, uint64_t)

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

pleach_status LIST_RUN(VIEW view, const struct mixed_list *list, pleach_stream stream)
{
    unsigned blocks = (unsigned)((list->n + MIXED_BLOCK - 1) / MIXED_BLOCK);
    if (view.key_bits == 32)
        list32<<<blocks, MIXED_BLOCK, 0, (cudaStream_t)stream>>>(view, *list);
    else
        list64<<<blocks, MIXED_BLOCK, 0, (cudaStream_t)stream>>>(view, *list);
    return cudaGetLastError() == cudaSuccess ? PLEACH_OK : PLEACH_E_CUDA;
}
