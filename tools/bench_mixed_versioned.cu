/* bench_mixed_versioned.cu - updates beside queries on a map with versions: a block of ranges takes a snapshot, which
 * makes them linearizable; finds need none. */
#include <pleach/versioned_device.cuh>

#define VIEW pleach_versioned_view
#define MIXED_RUN mixed_run_versioned
#define PUT(bits, view, key, value) pleach_versioned##bits##_put(view, &agent, key, value, NULL)
#define ERASE(bits, view, key) pleach_versioned##bits##_erase(view, &agent, key, NULL)
#define FIND(bits, view, key, value) pleach_versioned##bits##_find(view, key, value)
#define RANGE(bits, view, lo, hi, limit, keys, values)                                                           \
    pleach_versioned##bits##_warp_range_at(view, at, lo, hi, limit, keys, values)
#define UPDATES_BEGIN(view)                                                                                      \
    __shared__ pleach_versioned_agent agent;                                                                     \
    pleach_versioned_updates_begin(view, &agent, MIXED_BLOCK)
#define UPDATES_END(view) pleach_versioned_updates_end(view, &agent)
#define QUERIES_BEGIN(view)                                                                                      \
    __shared__ pleach_versioned_agent agent;                                                                     \
    uint64_t at = 0;                                                                                             \
    if (w.hi) at = pleach_versioned_snapshot_begin(view, &agent, MIXED_BLOCK)
#define QUERIES_END(view)                                                                                        \
    if (w.hi) pleach_versioned_snapshot_end(view, &agent, at)
#include "bench_mixed_kernel.h"
