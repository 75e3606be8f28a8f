/* blink/blink.h - the concurrent ordered map: a B-link tree. The algorithm, written once for CPU threads and GPU
 * threads, for keys of one width (base/width.h). docs/blink.md has the drawings.
 *
 * LAYOUT          node/node.h: 14 pairs, a link to the right neighbour with the high key, a header with latch and
 *                 version. A node's low key is the key that leads to it: the pivot of its pair in the parent, or the
 *                 high key of its left neighbour. Leftmost nodes have low key 0. A node covers the keys from low to
 *                 high - 1 (to the largest key, if it has no right neighbour).
 *
 * INVARIANTS
 *   I1  Keys ascend strictly within a node, and lie at or above its low key and below its high key.
 *   I2  The nodes of a level, followed by their links from the leftmost one, cover all keys without gap or overlap.
 *   I3  A pair (pivot, child) of an inner node was true when written and stays true: child exists, is one level below,
 *       and has low key = pivot. So is a link (high, right), on the same level. For ever, because a node's low key and
 *       level never change and nodes are neither removed nor reused while agents are about (the gate sees to it).
 *   I4  An inner node's slot 0 has the node's low key as pivot; slots at and after count repeat slot 14.
 *   I5  Every node but the leftmost of its level has a pair in the level above, save those whose splitter has not
 *       posted it yet, and those counted in tree->unposted.
 *   I6  The root is the leftmost node of the highest level, and an inner node from the start: no node turns from leaf
 *       to inner.
 *   I7  The stripes' sizes add up to the number of keys, when no update is running.
 *   I8  Every node that was taken from the pool, and not given back by a batch, can be reached.
 *
 * WHO MAY RUN TOGETHER   all operations of this file, by any number of agents.
 *
 * READING WITHOUT A LATCH
 *   Inner nodes are read torn, and on a GPU stale. That is harmless: the one pair that is followed comes from one
 *   access and its pivot was compared with the key, so by I3 it leads to a node whose low key is at or below the key;
 *   from there links lead right to the node that covers the key. An old image costs steps, never correctness. An agent
 *   that has walked right too often drops what its cache holds and descends again.
 *   Leaves are read fresh. Their link is a pair like any other (I3); their contents are judged as follows.
 *
 * LINEARIZATION POINTS
 *   find, contains, key present    the first load of the header in node_lookup, or the store of the pair if that came
 *       later. Let h be the header loaded first; the pair was in a slot below h's count. If it was put there before h
 *       was loaded, it was live when h was loaded. If later, it was live when it was put there: writers store only live
 *       pairs. Either instant lies within the operation. So a hit needs no validation and no waiting, whatever a writer
 *       is doing. One thing it needs: while a split has the old node latched, moved pairs are found in both nodes, so
 *       no updater may get at the new one; hence an updater goes right only through a node that it has seen unlatched
 *       (latch_covering).
 *   find, contains, key absent     any instant between the two loads of the header in node_lookup: both show the same,
 *       unlatched version, so the leaf did not change between, covered the key and did not hold it.
 *   put, add, that insert          the store that releases the leaf's latch, or, if a concurrent find has seen the new
 *       pair before, the store it has seen; nobody who must validate can come between the two.
 *   erase                          the store that releases the leaf's latch; a gap seen before it proves nothing.
 *   put that replaces              the store of the pair.
 *   add of a present, erase of an absent key    any instant while the latch is held.
 *   succ, pred, min, max           see seek: within one leaf as an absent key; across leaves when two walks in a row
 *       have seen the same versions of the same leaves, or two leaves were seen at one instant.
 *   range, count                   each leaf by itself, like an absent key. Not linearizable as a whole.
 *
 * MEMORY ORDERS  (port/port.h)
 *   port_store_release of a header pairs with the first load of the header in node_lookup and node_end: who sees the
 *       new version sees the contents that belong to it.
 *   port_latch's (b) pairs with port_validate_fence before the second load of a header: who has seen a store of the
 *       writer also sees the odd header, or a later one, and does not trust what it read.
 *   port_publish_fence before a pair that names a new node pairs with the address dependency of the reader that follows
 *       it: the new node's contents are there before its name is. No cache holds an older image of them: nobody read
 *       that memory since the last time that caches were emptied (a kernel's start, or the CPU's coherence); or, where
 *       it was an old image of a leaf (versioned/), nobody ever read it through a cache.
 *
 * PROGRESS
 *   A step never waits: it answers AGAIN and leaves waiting to the executor. A latch is taken and released within one
 *   step, and only one is held at a time (root_latch too is held alone), so no cycle of waiting can form: whoever holds
 *   a latch finishes its step. A descent ends because levels go down, and walking right ends because low keys grow and
 *   stay at or below the key. Updates are deadlock-free but not lock-free: a stopped latch holder stops the updaters of
 *   that leaf and the readers that must prove absence there. A seek that crosses leaves is done when two walks agree,
 *   so updates of just those leaves, without end, hold it up without end; everybody else goes on.
 *   Sorted input sends all agents to the last leaf. They meet a latch there and come back later; splits of a last leaf
 *   at its end leave the old leaf full, so that the level grows by 14 keys a leaf.
 *
 * DEPARTURES FROM THE PAPER (M. A. Awad, Fully Concurrent GPU Data Structures, chapter 3)
 *   - One thread per operation instead of a warp per operation, and inner nodes read through L1 also beside writers.
 *   - No bit of a key or value is reserved: latch, level and count live in a header, next to a version.
 *   - Splits go bottom-up (Lehman and Yao, Sagiv) instead of proactively on the way down: the leaf is split and
 *     released, then the separator is posted one level up as a step of its own. No operation ever holds two latches,
 *     none restarts because a parent is full, and an insert counts as soon as its leaf is written.
 *   - Readers of leaves validate by version; the paper reads a node as if that were one access.
 *   - A failed latch is tried again at the same node after a pause: nodes stay, so there is nothing to gain in the
 *   parent.
 */
#include "../node/node.h"
#include "blink_tree.h"

#include "../level/level_cursor.h"
#include "blink_find.h"
#include "blink_update.h"
#include "../level/level_seek.h"
#include "../level/level_range.h"
