/* bench_mixed_versioned.cu - updates beside queries on a map with versions: a block of ranges takes a snapshot, which
 * makes them linearizable; finds need none. */
#include <pleach/versioned_device.cuh>

#define VIEW pleach_versioned_view
#define MIXED_RUN mixed_run_versioned
#define LIST_RUN mixed_list_versioned
#define PUT(bits, view, key, value) pleach_versioned##bits##_put(view, &agent, key, value, NULL)
#define ERASE(bits, view, key) pleach_versioned##bits##_erase(view, &agent, key, NULL)
#define FIND(bits, view, key, value) pleach_versioned##bits##_find(view, key, value)
#define SUCC(bits, view, key, above, value) pleach_versioned##bits##_succ_at(view, at, key, above, value)
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
/* A block of a list has an agent for each use. */
#define LIST_BEGIN(view)                                                                                         \
    __shared__ pleach_versioned_agent agent, watcher;                                                            \
    uint64_t at = pleach_versioned_snapshot_begin(view, &watcher, MIXED_BLOCK);                                  \
    pleach_versioned_updates_begin(view, &agent, MIXED_BLOCK)
#define LIST_END(view)                                                                                           \
    pleach_versioned_updates_end(view, &agent);                                                                  \
    pleach_versioned_snapshot_end(view, &watcher, at)
#include "bench_mixed_kernel.h"
