/* blink/blink.h - the concurrent ordered map: a B-link tree. The algorithm, written once for CPU threads and GPU
 * threads, for keys of one width (base/width.h). docs/blink.md has the drawings.
 *
 * LAYOUT          node/node.h: 14 pairs, a link to the right neighbour with the high key, a header with latch and
 *                 version. A node's low key is the key that leads to it: the pivot of its pair in the parent, or the
 *                 high key of its left neighbour. Leftmost nodes have low key 0. A node covers the keys from low to
 *                 high - 1, or up to the largest key if it has no right neighbour.
 *
 * INVARIANTS
 *   I1  Keys ascend strictly within a node, are at or above its low key, and are below its high key.
 *   I2  The nodes of a level, followed by their links from the leftmost one, cover all keys without gap or overlap.
 *   I3  A pair (pivot, child) of an inner node was true when written and stays true: child exists, is one level below,
 *       and has low key = pivot. The same holds for a link (high, right), on the same level. Pairs stay true because a
 *       node's low key and level never change, and the gate lets no operation run while nodes are removed or reused.
 *   I4  An inner node's slot 0 has the node's low key as pivot; slots at and after count repeat slot 14.
 *   I5  Every node except the leftmost of its level has a pair in the level above. Exceptions are nodes whose splitter
 *       has not posted the pair yet, and those counted in tree->unposted.
 *   I6  The root is the leftmost node of the highest level, and never was a leaf: no leaf turns into an inner node.
 *   I7  The stripes' sizes add up to the number of keys when no update is running.
 *   I8  Every node that was allocated from the pool, and not freed by a batch, is reachable.
 *
 * CONCURRENCY     All operations of this file may run concurrently, in any number of threads.
 *
 * READING WITHOUT A LATCH
 *   Readers may see inner nodes torn and, on a GPU, stale. This is safe: the one pair that a reader follows was loaded
 *   in a single access and its pivot was compared with the key. By I3 it leads to a node whose low key is <= the key,
 *   from which right links reach the node that covers the key. Stale data costs extra steps, never correctness. A
 *   thread that has moved right too often invalidates its caches and descends again.
 *   Leaves are read fresh. Their link is a pair like any other (I3). Their contents are validated as described next.
 *
 * LINEARIZATION POINTS
 *   find, contains, key present    the first load of the header in node_lookup, or the store of the pair if that came
 *       later. Let h be the header loaded first; the pair was in a slot below h's count. If the pair was stored before
 *       h was loaded, it was live when h was loaded. If it was stored later, it was live when it was stored, because
 *       writers store only live pairs. Either instant lies within the operation. So a hit needs no validation and no
 *       waiting, whatever a writer is doing. It needs one guarantee: while a split holds the latch of the old node,
 *       moved pairs are found in both nodes, so no updater may reach the new node. Hence an updater moves right only
 *       through a node that it has seen unlatched (latch_covering).
 *   find, contains, key absent     any instant between the two loads of the header in node_lookup. Both show the same,
 *       unlatched version, so in between the leaf did not change, covered the key and did not hold it.
 *   put, add, that insert          the store that releases the leaf's latch, or, if a concurrent find has seen the new
 *       pair before, the store that it has seen. No reader that must validate can fall between the two.
 *   erase                          the store that releases the leaf's latch; a gap seen before it proves nothing.
 *   put that replaces              the store of the pair.
 *   add of a present, erase of an absent key    any instant while the latch is held.
 *   succ, pred, min, max           see level/level_seek.h: within one leaf like an absent key; across leaves when two
 *       consecutive walks have seen the same versions of the same leaves, or when two leaves were seen at one instant.
 *   range, count                   each leaf by itself, like an absent key. Not linearizable as a whole.
 *
 * MEMORY ORDERS  (port/port.h)
 *   port_store_release of a header pairs with the first load of the header in node_lookup and node_end: a reader that
 *       sees the new version sees the contents that belong to it.
 *   port_latch's (b) pairs with port_validate_fence before the second load of a header: a reader that has seen a store
 *       of the writer also sees the odd header, or a later one, and discards what it has read.
 *   port_publish_fence before a pair that names a new node pairs with the address dependency of the reader that follows
 *       the pair: the new node's contents are visible before its name is. No cache holds an older image of the new
 *       node. Either no thread has read that memory since caches were last invalidated (by the start of a kernel, or by
 *       the CPU's coherence); or the memory held an old version of a leaf (versioned/), never read through a cache.
 *
 * PROGRESS
 *   A step never blocks: it returns AGAIN, and the caller backs off and retries. A latch is acquired and released
 *   within one step, and only one is held at a time (root_latch too is never held with another), so threads cannot wait
 *   in a cycle: a latch holder always finishes its step. A descent ends because levels decrease, and moving right ends
 *   because low keys increase and stay at or below the key.
 *   Updates are deadlock-free but not lock-free: a stopped latch holder blocks the updaters of that leaf and the
 *   readers that must prove absence there. A seek that crosses leaves is done when two walks agree, so an endless
 *   stream of updates of exactly those leaves delays it forever; all other operations make progress.
 *   Sorted input sends all threads to the last leaf, where they find a latch and retry later. A split at the end of a
 *   last leaf leaves the old leaf full, so the level grows by 14 keys per leaf.
 *
 * DEPARTURES FROM THE PAPER (M. A. Awad, Fully Concurrent GPU Data Structures, chapter 3)
 *   - One thread per operation instead of a warp per operation, and inner nodes are read through L1 even during writes.
 *   - No bit of a key or value is reserved: latch, level and count are in a header, next to a version.
 *   - Splits proceed bottom-up (Lehman and Yao, Sagiv) instead of proactively on the way down: the leaf is split and
 *     released, and the separator is then posted one level up as a step of its own. No operation ever holds two
 *     latches, none restarts because a parent is full, and an insert takes effect as soon as its leaf is written.
 *   - Readers of leaves validate by version; the paper reads a node as if that were one access.
 *   - After a failed latch the thread pauses and retries at the same node: nodes stay, so a restart gains nothing.
 */
#include "../node/node.h"
#include "../level/level_tree.h"

#include "../level/level_cursor.h"
#include "blink_find.h"
#include "blink_update.h"
#include "../level/level_seek.h"
#include "../level/level_range.h"
