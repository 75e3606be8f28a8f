/* variants.h - operations on the tree of tree.h with every choice that is measured, by name. */
#ifndef PLEACH_BENCH_ABLATIONS_VARIANTS_H
#define PLEACH_BENCH_ABLATIONS_VARIANTS_H

#include "pleach/pleach.h"
#include "tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* V(name, operation, latching, splitting, fencing, loading) */
#define ABL_VARIANTS(V)                                                                    \
    V(INSERT_ROOT, insert, ABL_FROM_ROOT, ABL_PROACTIVE, ABL_LIGHT, ABL_FRESH)             \
    V(INSERT_PARENT, insert, ABL_FROM_PARENT, ABL_PROACTIVE, ABL_LIGHT, ABL_FRESH)         \
    V(INSERT_SPIN, insert, ABL_SPIN, ABL_PROACTIVE, ABL_LIGHT, ABL_FRESH)                  \
    V(INSERT_BACK_OFF, insert, ABL_BACK_OFF, ABL_PROACTIVE, ABL_LIGHT, ABL_FRESH)          \
    V(INSERT_UP_PATH, insert, ABL_FROM_PARENT, ABL_UP_PATH, ABL_LIGHT, ABL_FRESH)          \
    V(INSERT_UP_SEARCH, insert, ABL_FROM_PARENT, ABL_UP_SEARCH, ABL_LIGHT, ABL_FRESH)      \
    V(INSERT_FENCED, insert, ABL_FROM_PARENT, ABL_PROACTIVE, ABL_FULL, ABL_FRESH)          \
    V(FIND_FENCED, find, ABL_FROM_ROOT, ABL_PROACTIVE, ABL_FULL, ABL_FRESH)                \
    V(FIND_LIGHT, find, ABL_FROM_ROOT, ABL_PROACTIVE, ABL_LIGHT, ABL_FRESH)                \
    V(FIND_BARE, find, ABL_FROM_ROOT, ABL_PROACTIVE, ABL_NO_FENCE, ABL_FRESH)              \
    V(FIND_FENCED_CACHED, find, ABL_FROM_ROOT, ABL_PROACTIVE, ABL_FULL, ABL_CACHED)        \
    V(FIND_LIGHT_CACHED, find, ABL_FROM_ROOT, ABL_PROACTIVE, ABL_LIGHT, ABL_CACHED)        \
    V(FIND_BARE_CACHED, find, ABL_FROM_ROOT, ABL_PROACTIVE, ABL_NO_FENCE, ABL_CACHED)

#define ABL_VARIANT_NUMBER(name, operation, latching, splitting, fencing, loading) ABL_##name,
enum abl_variant { ABL_VARIANTS(ABL_VARIANT_NUMBER) ABL_VARIANT_COUNT };
#undef ABL_VARIANT_NUMBER

/* Pointers are into the memory of the device. */
typedef struct abl_work {
    size_t n;
    const uint32_t *keys;
    uint32_t *answers; /* finds: the value, or ABL_NONE; inserts: an enum abl_answer */
    uint64_t *tally;   /* sums: visited, failures, splits */
} abl_work;

/* The value of a key; never ABL_NONE, because no key is ABL_TOP. */
ABL_FN uint32_t abl_value(uint32_t key) { return ~(~key * 0x9e3779b1u); }

#ifdef __CUDACC__
/* One addition a warp: all of its threads come here. */
PORT_FN void abl_add_sum(uint64_t *sum, uint64_t own)
{
    for (int distance = 16; distance > 0; distance /= 2) own += __shfl_down_sync(~0u, own, distance);
    if (threadIdx.x % 32 == 0) port_add(sum, own);
}
#endif

/* Operations begin .. end-1, by the calling thread. */
void abl_run_part(enum abl_variant variant, abl_tree tree, const abl_work *work, size_t begin, size_t end);

/* All of them, a thread each. */
pleach_status abl_run_cuda(enum abl_variant variant, abl_tree tree, const abl_work *work, pleach_stream stream);

#ifdef __cplusplus
}
#endif
#endif
