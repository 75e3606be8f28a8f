/* bench_mixed.h - updates and queries of one map at the same time: by blocks or threads of one kernel, or by threads of
 * the CPU that make single calls. */
#ifndef PLEACH_BENCH_MIXED_H
#define PLEACH_BENCH_MIXED_H

#include <stdint.h>

#include "pleach/pleach.h"

#ifdef __CUDACC__
#define MIXED_FN static inline __host__ __device__
#else
#define MIXED_FN static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Updates of one kind, and queries of one kind. All pointers are memory of the map's device; arrays of 32- or 64-bit
 * words by the map's keys. */
struct mixed_work {
    size_t updates, queries;
    bool erases;                /* the updates erase; else they put */
    const void *update_keys, *update_values;
    uint8_t *outcomes;
    const void *lo, *hi;        /* hi NULL: finds of lo */
    uint32_t limit;             /* of a range; pairs are at i * limit */
    void *out_keys, *out_values;
    uint32_t *counts;           /* pairs found; of a find 0 or 1 */
};

/* Operations of all kinds in one list: put, erase, find, range and successor, as pleach_operation has them. */
struct mixed_list {
    size_t n;
    const uint8_t *kinds;
    const void *keys, *values;  /* of a range lo and hi */
    uint8_t *outcomes;          /* of updates */
    uint32_t limit;             /* of a range; what queries find is at i * limit */
    void *out_keys, *out_values;
    uint32_t *counts;           /* pairs found; of a find and a successor 0 or 1 */
};

/* Updates and queries take turns in proportion: number b of all is an update if the count of updates up to and
 * including b grows there. *index is its number among its like. Of a kernel these are blocks, of threads operations. */
MIXED_FN bool mixed_is_update(uint64_t b, uint64_t updates, uint64_t all, uint64_t *index)
{
    uint64_t before = b * updates / all, after = (b + 1) * updates / all;
    *index = after > before ? before : b - before;
    return after > before;
}

/* One kernel. With versions each block of queries takes a snapshot for itself, and each block of updates has a bag;
 * each block of a list has both. */
#if defined(PLEACH_TOOLS_CUDA) || defined(__CUDACC__)
pleach_status mixed_run_plain(pleach_map_view view, const struct mixed_work *work, pleach_stream stream);
pleach_status mixed_run_versioned(pleach_versioned_view view, const struct mixed_work *work, pleach_stream stream);
pleach_status mixed_list_plain(pleach_map_view view, const struct mixed_list *list, pleach_stream stream);
pleach_status mixed_list_versioned(pleach_versioned_view view, const struct mixed_list *list, pleach_stream stream);
#endif

#ifdef __cplusplus
}
#endif
#endif
