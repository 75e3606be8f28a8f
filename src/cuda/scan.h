/* cuda/scan.h - device-wide scans whose length only the GPU knows. Included by batch.cu.
 *
 * The elements are split into parts, one per block. The first kernel reduces each part, and its last block scans the
 * sums of the parts; the second kernel scans each part again, starting from the sum of all parts before it. If there is
 * only one block, the first kernel does all of this.
 */

enum { SCAN_THREADS = 256, SCAN_ITEMS = 4, SCAN_TILE = SCAN_THREADS * SCAN_ITEMS, SCAN_MOST_PARTS = SCAN_TILE };

/* Passed from the first kernel to the second. */
typedef struct scan_space {
    uint4 part[SCAN_MOST_PARTS]; /* sum of each part, then of all parts before it */
    unsigned done;               /* blocks that have finished; 0 between scans */
} scan_space;

static unsigned scan_parts(uint64_t n)
{
    uint64_t parts = (n + SCAN_TILE - 1) / SCAN_TILE;
    return parts < 1 ? 1 : parts < (unsigned)SCAN_MOST_PARTS ? (unsigned)parts : (unsigned)SCAN_MOST_PARTS;
}

PORT_FN uint32_t scan_begin(uint32_t n, unsigned part) { return (uint32_t)((uint64_t)n * part / gridDim.x); }

#define SCAN_SHUFFLE_UP(type, x, by)                                                                             \
    do {                                                                                                         \
        uint32_t *words_ = (uint32_t *)&(x);                                                                     \
        PORT_UNROLL for (unsigned w_ = 0; w_ < sizeof(type) / 4; w_++)                                           \
            words_[w_] = __shfl_up_sync(0xffffffffu, words_[w_], by);                                            \
    } while (0)

/* name(x, &all): inclusive prefix sums of a tile; element k * SCAN_THREADS + t is x[k] of thread t. *all: total. */
#define DEFINE_BLOCK_SCAN(name, type, JOIN_TWO)                                                                  \
    PORT_FN type name##_warp(type x)                                                                             \
    {                                                                                                            \
        for (unsigned by = 1; by < 32; by *= 2) {                                                                \
            type before = x;                                                                                     \
            SCAN_SHUFFLE_UP(type, before, by);                                                                   \
            if ((threadIdx.x & 31) >= by) x = JOIN_TWO(before, x);                                               \
        }                                                                                                        \
        return x;                                                                                                \
    }                                                                                                            \
                                                                                                                 \
    PORT_FN void name(type *x, type *all)                                                                        \
    {                                                                                                            \
        enum { WARPS = SCAN_THREADS / 32 };                                                                      \
        __shared__ type warp_sum[SCAN_ITEMS * WARPS];                                                            \
        unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;                                               \
        PORT_UNROLL for (unsigned k = 0; k < SCAN_ITEMS; k++) x[k] = name##_warp(x[k]);                          \
        __syncthreads(); /* the previous call may still be reading warp_sum */                                   \
        PORT_UNROLL for (unsigned k = 0; k < SCAN_ITEMS; k++)                                                    \
            if (lane == 31) warp_sum[k * WARPS + warp] = x[k];                                                   \
        __syncthreads();                                                                                         \
        if (warp == 0) warp_sum[lane] = name##_warp(warp_sum[lane]);                                             \
        __syncthreads();                                                                                         \
        PORT_UNROLL for (unsigned k = 0; k < SCAN_ITEMS; k++)                                                    \
            if (k * WARPS + warp > 0) x[k] = JOIN_TWO(warp_sum[k * WARPS + warp - 1], x[k]);                     \
        *all = warp_sum[SCAN_ITEMS * WARPS - 1];                                                                 \
    }

PORT_FN uint32_t scan_add(uint32_t a, uint32_t b) { return a + b; }

DEFINE_BLOCK_SCAN(scan_block_links, batch_link, batch_link_join)
DEFINE_BLOCK_SCAN(scan_block_adds, uint32_t, scan_add)
DEFINE_BLOCK_SCAN(scan_block_sums, batch_sums, batch_sums_join)

/* Defines the kernels of the scan `name` over n elements. FIRST(b, level, i) returns element i in the first pass, AGAIN
 * in the second. STORE(b, level, i, sum) receives the inclusive prefix sum. FINISH(b, level, sum) is called by one
 * thread with the sum of all elements, after the first pass and before the first STORE. */
#define DEFINE_SCAN(name, type, BLOCK_SCAN, JOIN_TWO, FIRST, AGAIN, STORE, FINISH)                               \
    PORT_FN void name##_tile(type *item, const batch_ref *b, uint32_t level, uint32_t tile, uint32_t end,        \
                             bool again)                                                                         \
    {                                                                                                            \
        PORT_UNROLL for (unsigned k = 0; k < SCAN_ITEMS; k++) {                                                  \
            uint32_t i = tile + k * SCAN_THREADS + threadIdx.x;                                                  \
            item[k] = i >= end ? type() : again ? AGAIN(b, level, i) : FIRST(b, level, i);                       \
        }                                                                                                        \
    }                                                                                                            \
                                                                                                                 \
    PORT_FN type name##_add(const batch_ref *b, uint32_t level, uint32_t begin, uint32_t end)                    \
    {                                                                                                            \
        type sum = type(), all, item[SCAN_ITEMS];                                                                \
        for (uint32_t tile = begin; tile < end; tile += SCAN_TILE) {                                             \
            name##_tile(item, b, level, tile, end, false);                                                       \
            BLOCK_SCAN(item, &all);                                                                              \
            sum = JOIN_TWO(sum, all);                                                                            \
        }                                                                                                        \
        return sum;                                                                                              \
    }                                                                                                            \
                                                                                                                 \
    PORT_FN void name##_store(const batch_ref *b, uint32_t level, uint32_t begin, uint32_t end, type sum)        \
    {                                                                                                            \
        type all, item[SCAN_ITEMS];                                                                              \
        for (uint32_t tile = begin; tile < end; tile += SCAN_TILE) {                                             \
            name##_tile(item, b, level, tile, end, true);                                                        \
            BLOCK_SCAN(item, &all);                                                                              \
            PORT_UNROLL for (unsigned k = 0; k < SCAN_ITEMS; k++) {                                              \
                uint32_t i = tile + k * SCAN_THREADS + threadIdx.x;                                              \
                if (i < end) STORE(b, level, i, JOIN_TWO(sum, item[k]));                                         \
            }                                                                                                    \
            sum = JOIN_TWO(sum, all);                                                                            \
        }                                                                                                        \
    }                                                                                                            \
                                                                                                                 \
    static __global__ void __launch_bounds__(SCAN_THREADS)                                                       \
        name##_add_kernel(const __grid_constant__ batch_ref b, uint32_t level, const uint32_t *count,            \
                          scan_space *space)                                                                     \
    {                                                                                                            \
        __shared__ bool last;                                                                                    \
        uint32_t n = *count;                                                                                     \
        type sum = name##_add(&b, level, scan_begin(n, blockIdx.x), scan_begin(n, blockIdx.x + 1)), all;         \
        if (gridDim.x == 1) {                                                                                    \
            if (threadIdx.x == 0) FINISH(&b, level, sum);                                                        \
            __syncthreads();                                                                                     \
            name##_store(&b, level, 0, n, type());                                                               \
            return;                                                                                              \
        }                                                                                                        \
        if (threadIdx.x == 0) {                                                                                  \
            *(type *)&space->part[blockIdx.x] = sum;                                                             \
            __threadfence();                                                                                     \
            last = atomicAdd(&space->done, 1) == gridDim.x - 1;                                                  \
        }                                                                                                        \
        __syncthreads();                                                                                         \
        if (!last) return;                                                                                       \
        __threadfence();                                                                                         \
        type item[SCAN_ITEMS];                                                                                   \
        PORT_UNROLL for (unsigned k = 0; k < SCAN_ITEMS; k++) {                                                  \
            unsigned part = k * SCAN_THREADS + threadIdx.x;                                                      \
            item[k] = type();                                                                                    \
            PORT_UNROLL for (unsigned w = 0; w < sizeof(type) / 4; w++)                                          \
                if (part < gridDim.x)                                                                            \
                    ((uint32_t *)&item[k])[w] = __ldcg((const unsigned *)&space->part[part] + w);                \
        }                                                                                                        \
        BLOCK_SCAN(item, &all);                                                                                  \
        PORT_UNROLL for (unsigned k = 0; k < SCAN_ITEMS; k++) {                                                  \
            unsigned part = k * SCAN_THREADS + threadIdx.x + 1;                                                  \
            if (part < gridDim.x) *(type *)&space->part[part] = item[k];                                         \
        }                                                                                                        \
        if (threadIdx.x == 0) {                                                                                  \
            *(type *)&space->part[0] = type();                                                                   \
            atomicExch(&space->done, 0u); /* a strong access, like those before it */                            \
            FINISH(&b, level, all);                                                                              \
        }                                                                                                        \
    }                                                                                                            \
                                                                                                                 \
    static __global__ void __launch_bounds__(SCAN_THREADS)                                                       \
        name##_store_kernel(const __grid_constant__ batch_ref b, uint32_t level, const uint32_t *count,          \
                            scan_space *space)                                                                   \
    {                                                                                                            \
        uint32_t n = *count;                                                                                     \
        name##_store(&b, level, scan_begin(n, blockIdx.x), scan_begin(n, blockIdx.x + 1),                        \
                     *(type *)&space->part[blockIdx.x]);                                                         \
    }
