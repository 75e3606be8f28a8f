/* pleach/versioned_device.cuh - a map with versions from inside your own kernels: updates, finds, and snapshots.
 *
 * Open a view on the host (pleach_versioned_view_open), pass it to the kernel by value (best as a __grid_constant__:
 * then these functions do not make copies of it), and call these functions from any number of threads, beside array
 * calls, single calls and other kernels on the same map. Not together with pleach/map_device.cuh in one file: that is
 * for maps without versions.
 *
 * SNAPSHOTS are taken by a warp or by a block, which is then an agent, and last until it says so:
 *
 *     __shared__ pleach_versioned_agent agent;
 *     uint64_t at = pleach_versioned_snapshot_begin(view, &agent, blockDim.x);
 *     n = pleach_versioned32_range_at(view, at, lo, hi, limit, keys, values);
 *     pleach_versioned_snapshot_end(view, &agent, at);
 *
 * All threads of the block (with `lanes` = blockDim.x), or all 32 of a warp (with 32), make the first and the last call
 * together; in between each asks what it likes. Every query at one timestamp sees the same contents. An agent that
 * stays inside for long holds back memory, nothing else. There are 16,384 slots for snapshots, more than today's GPUs
 * can have warps at a time; were they all taken, beginning would wait for one.
 *
 * UPDATES while snapshots are live keep old images, and use those again that nobody needs any more. An agent makes that
 * fast, because it does so without memory that others write to:
 *
 *     __shared__ pleach_versioned_agent agent;
 *     pleach_versioned_updates_begin(view, &agent, blockDim.x);
 *     outcome = pleach_versioned32_put(view, &agent, key, value, NULL);        any number, by any of its threads
 *     pleach_versioned_updates_end(view, &agent);
 *
 * With NULL in place of the agent updates are as right, and slower. One agent is for one of the two uses at a time.
 * A kernel cannot get memory: an update that finds none answers PLEACH_NOT_APPLIED. Opening a view gets some; an update
 * may take a node for its copy, so pleach_map_reserve more before the launch where many will be made.
 *
 * For K = 32 or 64, with keys and values of that width (the map's, else the behaviour is undefined); `agent` may be
 * NULL, and so may pointers for results:
 *   pleach_outcome pleach_versionedK_put(view, agent, key, value, *old)          insert or assign
 *   pleach_outcome pleach_versionedK_add(view, agent, key, value, *old)          insert if absent
 *   pleach_outcome pleach_versionedK_erase(view, agent, key, *old)
 *   bool pleach_versionedK_find(view, key, *value)                               at the newest
 *   bool pleach_versionedK_find_at(view, at, key, *value)                        at a snapshot, as all that follow
 *   bool pleach_versionedK_succ_at(view, at, key, *out_key, *out_value)          strict
 *   bool pleach_versionedK_pred_at(view, at, key, *out_key, *out_value)
 *   uint64_t pleach_versionedK_count_at(view, at, lo, hi)                        closed interval
 *   uint32_t pleach_versionedK_range_at(view, at, lo, hi, limit, *keys, *values)     the first `limit` pairs
 *   uint32_t pleach_versionedK_warp_range_at(view, at, lo, hi, limit, *keys, *values)
 *       the same, faster: all 32 lanes of a warp call it together, each with a query of its own (lo > hi: none), and
 *       with outputs in global or shared memory, because lanes write each other's
 */
#ifndef PLEACH_VERSIONED_DEVICE_CUH
#define PLEACH_VERSIONED_DEVICE_CUH

#include "snapshot.h"

#include "detail/blink/blink_tree.h"
#include "detail/version/version.h"

typedef epoch_agent pleach_versioned_agent;

PORT_FN const versions *pleach_versioned_versions(const pleach_versioned_view &view)
{
    return (const versions *)view.versions;
}

/* The answer is the snapshot's timestamp, for the queries' `at`. */
PORT_FN uint64_t pleach_versioned_snapshot_begin(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                                 uint32_t lanes)
{
    return version_begin_instant(pleach_versioned_versions(view), agent, lanes, blockIdx.x + (threadIdx.x / lanes));
}

PORT_FN void pleach_versioned_snapshot_end(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                           uint64_t at)
{
    version_end_instant(pleach_versioned_versions(view), agent, at, VERSION_TURN, EPOCH_ALL);
}

PORT_FN void pleach_versioned_updates_begin(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                            uint32_t lanes)
{
    version_open(pleach_versioned_versions(view), agent, lanes, blockIdx.x + (threadIdx.x / lanes));
}

PORT_FN void pleach_versioned_updates_end(const pleach_versioned_view &view, pleach_versioned_agent *agent)
{
    version_close(pleach_versioned_versions(view), agent, blockIdx.x);
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
