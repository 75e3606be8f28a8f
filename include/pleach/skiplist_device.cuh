/* pleach/skiplist_device.cuh - a skiplist map, called from user kernels.
 *
 * Open a view on the host (pleach_skiplist_view_open), pass it to the kernel by value (preferably as a
 * __grid_constant__), and call these functions from any number of blocks, concurrently with array calls, single calls
 * and other kernels on the same map. Before including this header define PLEACH_CHUNK as the map's chunk, 16 or 32; the
 * default is 16. Do not include it together with pleach/map_device.cuh or pleach/versioned_device.cuh in one file.
 *
 * A block is one participant of the epoch scheme: all its threads enter together, work independently, and leave
 * together.
 *
 *     __shared__ pleach_skiplist_agent agent;
 *     pleach_skiplist_enter(view, &agent);
 *     outcome = pleach_skiplist32_put(view, &agent, key, value, NULL);        any number, by any of its threads
 *     pleach_skiplist_leave(view, &agent);
 *
 * While a block is inside, chunks that were merged away cannot be reused. Remedy: leave and enter regularly, for
 * example after one update or four queries per thread; pleach_skiplist_pass does both at once. Entering empties the
 * multiprocessor's L1, so large blocks, of 512 threads, are fastest. The number of threads of a block must be a
 * multiple of 32. There are 4,096 slots for participants; if all are in use, entering waits for one.
 *
 * The guarantees are those of pleach/map.h. A kernel cannot allocate memory: an insert that finds none returns
 * PLEACH_NOT_APPLIED. Remedy: pleach_map_reserve before the launch.
 *
 * For K = 32 or 64, with keys and values of that width. K must be the map's width, otherwise the behaviour is
 * undefined. Pointers for results may be NULL.
 *   pleach_outcome pleach_skiplistK_put(view, agent, key, value, *old)            insert or assign
 *   pleach_outcome pleach_skiplistK_add(view, agent, key, value, *old)            insert if absent
 *   pleach_outcome pleach_skiplistK_erase(view, agent, key, *old)
 *   bool pleach_skiplistK_find(view, agent, key, *value)
 *   bool pleach_skiplistK_contains(view, agent, key)
 *   bool pleach_skiplistK_succ(view, agent, key, *out_key, *out_value)            strict
 *   bool pleach_skiplistK_pred(view, agent, key, *out_key, *out_value)
 *   bool pleach_skiplistK_min(view, agent, *out_key, *out_value)
 *   bool pleach_skiplistK_max(view, agent, *out_key, *out_value)
 *   uint64_t pleach_skiplistK_range_count(view, agent, lo, hi)                    closed interval
 *   uint32_t pleach_skiplistK_range(view, agent, lo, hi, limit, *keys, *values)   the first `limit` pairs
 */
#ifndef PLEACH_SKIPLIST_DEVICE_CUH
#define PLEACH_SKIPLIST_DEVICE_CUH

#include "skiplist.h"

#ifndef PLEACH_CHUNK
#define PLEACH_CHUNK 16
#endif
#define PLEACH_NODE_SLOTS PLEACH_CHUNK

#include "detail/skiplist/skiplist_reclaim.h"

typedef epoch_participant pleach_skiplist_agent;

PORT_FN skiplist_ref pleach_skiplist_place(const pleach_skiplist_view &view)
{
    skiplist_ref place;
    place.tree = (blink_tree *)view.tree;
    place.nodes = view.nodes;
    place.epoch = *(const epoch *)view.epoch;
    place.node_bytes = NODE_SLOTS * view.key_bits / 4;
    return place;
}

PORT_FN void pleach_skiplist_enter(const pleach_skiplist_view &view, pleach_skiplist_agent *agent)
{
    skiplist_ref place = pleach_skiplist_place(view);
    skiplist_register(&place, agent, blockDim.x, blockIdx.x);
    skiplist_begin(&place, agent);
}

PORT_FN void pleach_skiplist_leave(const pleach_skiplist_view &view, pleach_skiplist_agent *agent)
{
    skiplist_ref place = pleach_skiplist_place(view);
    skiplist_end(&place, agent);
    skiplist_unregister(&place, agent);
}

PORT_FN void pleach_skiplist_pass(const pleach_skiplist_view &view, pleach_skiplist_agent *agent)
{
    skiplist_ref place = pleach_skiplist_place(view);
    skiplist_end(&place, agent);
    skiplist_begin(&place, agent);
}

/* What the implementation includes that is the same for both key widths, and then the implementation, once for each. */
#include "detail/level/level_digest.h"
#include "detail/level/level_wait.h"

#define PLEACH_KEY_BITS 32
namespace pleach_w32 {
#include "detail/skiplist/skiplist_device.h"
}
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
namespace pleach_w64 {
#include "detail/skiplist/skiplist_device.h"
}
#undef PLEACH_KEY_BITS

using pleach_w32::pleach_skiplist32_put; using pleach_w64::pleach_skiplist64_put;
using pleach_w32::pleach_skiplist32_add; using pleach_w64::pleach_skiplist64_add;
using pleach_w32::pleach_skiplist32_erase; using pleach_w64::pleach_skiplist64_erase;
using pleach_w32::pleach_skiplist32_find; using pleach_w64::pleach_skiplist64_find;
using pleach_w32::pleach_skiplist32_contains; using pleach_w64::pleach_skiplist64_contains;
using pleach_w32::pleach_skiplist32_succ; using pleach_w64::pleach_skiplist64_succ;
using pleach_w32::pleach_skiplist32_pred; using pleach_w64::pleach_skiplist64_pred;
using pleach_w32::pleach_skiplist32_min; using pleach_w64::pleach_skiplist64_min;
using pleach_w32::pleach_skiplist32_max; using pleach_w64::pleach_skiplist64_max;
using pleach_w32::pleach_skiplist32_range_count; using pleach_w64::pleach_skiplist64_range_count;
using pleach_w32::pleach_skiplist32_range; using pleach_w64::pleach_skiplist64_range;

#undef WIDTH_SYMBOL
#undef KEY_MAX
#undef PAIR_IS_ATOMIC

#endif
