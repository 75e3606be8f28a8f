/* pleach/map_device.cuh - the ordered map (B-link tree), called from user kernels.
 *
 * Open a view on the host (pleach_map_view_open), pass it to the kernel by value, and call these functions from any
 * number of threads, concurrently with array calls and single calls on the same map. Each thread executes its operation
 * independently: threads of a warp may call different functions, and no thread needs its neighbours.
 *
 * The guarantees are those of pleach/map.h: all functions are linearizable except range and range_count, which are
 * linearizable per leaf. A kernel cannot allocate memory: an insert that finds none returns PLEACH_NOT_APPLIED. Remedy:
 * pleach_map_reserve before the launch.
 *
 * For K = 32 or 64, with keys and values of that width. K must be the map's width, otherwise the behaviour is
 * undefined.
 *   pleach_outcome pleach_mapK_put(view, key, value, *old)            insert or assign;  old may be NULL
 *   pleach_outcome pleach_mapK_add(view, key, value, *old)            insert if absent
 *   pleach_outcome pleach_mapK_erase(view, key, *old)
 *   bool pleach_mapK_find(view, key, *value)                          value may be NULL
 *   bool pleach_mapK_contains(view, key)
 *   bool pleach_mapK_succ(view, key, *out_key, *out_value)            strict; outputs may be NULL
 *   bool pleach_mapK_pred(view, key, *out_key, *out_value)
 *   bool pleach_mapK_min(view, *out_key, *out_value)
 *   bool pleach_mapK_max(view, *out_key, *out_value)
 *   uint64_t pleach_mapK_range_count(view, lo, hi)                    closed interval
 *   uint32_t pleach_mapK_range(view, lo, hi, limit, *keys, *values)   the first `limit` pairs; outputs may be NULL
 *   uint32_t pleach_mapK_warp_range(view, lo, hi, limit, *keys, *values)
 *       the same, faster: all 32 lanes of a warp call it together, each with its own query (lo > hi for none). The
 *       outputs must be in global or shared memory, because lanes write each other's outputs.
 */
#ifndef PLEACH_MAP_DEVICE_CUH
#define PLEACH_MAP_DEVICE_CUH

#include "map.h"

#include "detail/level/level_tree.h"

/* What the implementation includes that is the same for both key widths, and then the implementation, once for each. */
#include "detail/blink/blink_notes.h"
#include "detail/level/level_digest.h"
#include "detail/level/level_wait.h"
#include "detail/node/node_format.h"

#define PLEACH_KEY_BITS 32
namespace pleach_w32 {
#include "detail/blink/blink_device.h"
}
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
namespace pleach_w64 {
#include "detail/blink/blink_device.h"
}
#undef PLEACH_KEY_BITS

using pleach_w32::pleach_map32_put; using pleach_w64::pleach_map64_put;
using pleach_w32::pleach_map32_add; using pleach_w64::pleach_map64_add;
using pleach_w32::pleach_map32_erase; using pleach_w64::pleach_map64_erase;
using pleach_w32::pleach_map32_find; using pleach_w64::pleach_map64_find;
using pleach_w32::pleach_map32_contains; using pleach_w64::pleach_map64_contains;
using pleach_w32::pleach_map32_succ; using pleach_w64::pleach_map64_succ;
using pleach_w32::pleach_map32_pred; using pleach_w64::pleach_map64_pred;
using pleach_w32::pleach_map32_min; using pleach_w64::pleach_map64_min;
using pleach_w32::pleach_map32_max; using pleach_w64::pleach_map64_max;
using pleach_w32::pleach_map32_range_count; using pleach_w64::pleach_map64_range_count;
using pleach_w32::pleach_map32_range; using pleach_w64::pleach_map64_range;
using pleach_w32::pleach_map32_warp_range; using pleach_w64::pleach_map64_warp_range;

#undef WIDTH_SYMBOL
#undef KEY_MAX
#undef PAIR_IS_ATOMIC

#endif
