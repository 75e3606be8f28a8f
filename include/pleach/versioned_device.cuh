/* pleach/versioned_device.cuh - a versioned map, called from user kernels: updates, finds and snapshots.
 *
 * Open a view on the host (pleach_versioned_view_open), pass it to the kernel by value (preferably as a
 * __grid_constant__, so that these functions do not copy it), and call these functions from any number of threads,
 * concurrently with array calls, single calls and other kernels on the same map. Do not include this header together
 * with pleach/map_device.cuh in one file: that one is for maps without versions.
 *
 * SNAPSHOTS are taken by a warp or a block, which is then a participant of the epoch scheme, and last until it ends
 * them:
 *
 *     __shared__ pleach_versioned_agent agent;
 *     uint64_t at = pleach_versioned_snapshot_begin(view, &agent, blockDim.x);
 *     n = pleach_versioned32_range_at(view, at, lo, hi, limit, keys, values);
 *     pleach_versioned_snapshot_end(view, &agent, at);
 *
 * All threads of the block (with `lanes` = blockDim.x), or all 32 of a warp (with 32), make the first and the last call
 * together; in between each thread queries independently. All queries at one timestamp see the same contents. A
 * participant that stays inside for long only delays the reuse of memory. There are 16,384 slots for snapshots, more
 * than today's GPUs can have resident warps; if all were in use, the begin call would wait for one.
 *
 * UPDATES while snapshots are live keep old versions, and reuse those that no snapshot needs any more. An agent makes
 * this fast, because it avoids memory that other participants write to:
 *
 *     __shared__ pleach_versioned_agent agent;
 *     pleach_versioned_updates_begin(view, &agent, blockDim.x);
 *     outcome = pleach_versioned32_put(view, &agent, key, value, NULL);       any number, by any of its threads
 *     pleach_versioned_updates_end(view, &agent);
 *
 * With NULL in place of the agent updates are correct, but slower. An agent serves one of the two purposes at a time. A
 * kernel cannot allocate memory: an update that finds none returns PLEACH_NOT_APPLIED. Opening a view preallocates
 * some, but an update may need a node for its copy. Remedy: before a launch with many updates, pleach_map_reserve more.
 *
 * For K = 32 or 64, with keys and values of that width. K must be the map's width, otherwise the behaviour is
 * undefined. `agent` and pointers for results may be NULL.
 *   pleach_outcome pleach_versionedK_put(view, agent, key, value, *old)          insert or assign
 *   pleach_outcome pleach_versionedK_add(view, agent, key, value, *old)          insert if absent
 *   pleach_outcome pleach_versionedK_erase(view, agent, key, *old)
 *   bool pleach_versionedK_find(view, key, *value)                               the newest state
 *   bool pleach_versionedK_find_at(view, at, key, *value)                        at a snapshot, as are all that follow
 *   bool pleach_versionedK_succ_at(view, at, key, *out_key, *out_value)          strict
 *   bool pleach_versionedK_pred_at(view, at, key, *out_key, *out_value)
 *   uint64_t pleach_versionedK_count_at(view, at, lo, hi)                        closed interval
 *   uint32_t pleach_versionedK_range_at(view, at, lo, hi, limit, *keys, *values)     the first `limit` pairs
 *   uint32_t pleach_versionedK_warp_range_at(view, at, lo, hi, limit, *keys, *values)
 *       the same, faster: all 32 lanes of a warp call it together, each with its own query (lo > hi for none). The
 *       outputs must be in global or shared memory, because lanes write each other's outputs.
 */
#ifndef PLEACH_VERSIONED_DEVICE_CUH
#define PLEACH_VERSIONED_DEVICE_CUH

#include "snapshot.h"

#include "detail/level/level_tree.h"
#include "detail/version/version.h"

typedef epoch_participant pleach_versioned_agent;

PORT_FN const versions *pleach_versioned_versions(const pleach_versioned_view &view)
{
    return (const versions *)view.versions;
}

/* The answer is the snapshot's timestamp, for the queries' `at`. */
PORT_FN uint64_t pleach_versioned_snapshot_begin(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                                 uint32_t lanes)
{
    return version_snapshot_begin(pleach_versioned_versions(view), agent, lanes, blockIdx.x + (threadIdx.x / lanes));
}

PORT_FN void pleach_versioned_snapshot_end(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                           uint64_t at)
{
    version_snapshot_end(pleach_versioned_versions(view), agent, at, VERSION_TURN, EPOCH_ALL);
}

PORT_FN void pleach_versioned_updates_begin(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                            uint32_t lanes)
{
    version_writer_begin(pleach_versioned_versions(view), agent, lanes, blockIdx.x + (threadIdx.x / lanes));
}

PORT_FN void pleach_versioned_updates_end(const pleach_versioned_view &view, pleach_versioned_agent *agent)
{
    version_writer_end(pleach_versioned_versions(view), agent, blockIdx.x);
}

/* What the implementation includes that is the same for both key widths, and then the implementation, once for each. */
#include "detail/blink/blink_notes.h"
#include "detail/level/level_digest.h"
#include "detail/level/level_wait.h"
#include "detail/node/node_format.h"

#define PLEACH_KEY_BITS 32
namespace pleach_w32 {
#include "detail/versioned/versioned_device.h"
}
#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 64
namespace pleach_w64 {
#include "detail/versioned/versioned_device.h"
}
#undef PLEACH_KEY_BITS

using pleach_w32::pleach_versioned32_put; using pleach_w64::pleach_versioned64_put;
using pleach_w32::pleach_versioned32_add; using pleach_w64::pleach_versioned64_add;
using pleach_w32::pleach_versioned32_erase; using pleach_w64::pleach_versioned64_erase;
using pleach_w32::pleach_versioned32_find; using pleach_w64::pleach_versioned64_find;
using pleach_w32::pleach_versioned32_find_at; using pleach_w64::pleach_versioned64_find_at;
using pleach_w32::pleach_versioned32_succ_at; using pleach_w64::pleach_versioned64_succ_at;
using pleach_w32::pleach_versioned32_pred_at; using pleach_w64::pleach_versioned64_pred_at;
using pleach_w32::pleach_versioned32_count_at; using pleach_w64::pleach_versioned64_count_at;
using pleach_w32::pleach_versioned32_range_at; using pleach_w64::pleach_versioned64_range_at;
using pleach_w32::pleach_versioned32_warp_range_at; using pleach_w64::pleach_versioned64_warp_range_at;

#undef WIDTH_SYMBOL
#undef KEY_MAX
#undef PAIR_IS_ATOMIC

#endif
