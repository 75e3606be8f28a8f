/* bench_mixed.h - one kernel in which some blocks update a map while others ask it. */
#ifndef PLEACH_TOOLS_BENCH_MIXED_H
#define PLEACH_TOOLS_BENCH_MIXED_H

#include <stdint.h>

#include "pleach/pleach.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All pointers are device memory; arrays of 32- or 64-bit words by the map's keys. */
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

/* Blocks of updates and blocks of queries in turn, in proportion. With versions each block of queries takes a snapshot
 * for itself, and each block of updates has a bag. */
pleach_status mixed_run_plain(pleach_map_view view, const struct mixed_work *work, pleach_stream stream);
pleach_status mixed_run_versioned(pleach_versioned_view view, const struct mixed_work *work, pleach_stream stream);

#ifdef __cplusplus
}
#endif
#endif
