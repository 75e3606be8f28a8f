/* skiplist/skiplist.h - the skiplist of chunks (GFSL), written once for CPU threads and GPU threads, for one key
 * width and one size of chunks (PLEACH_KEY_BITS, PLEACH_NODE_SLOTS). docs/skiplist.md has the drawings and the
 * arguments at length.
 *
 * LAYOUT          Every level is a list of chunks, in the format of node/node.h: pairs, a link (high key, right
 *                 neighbour), a header with latch, count, version, level and state (skiplist_format.h). The pairs of
 *                 the bottom level are the map's, in no order within a chunk. Those of the levels above are (low key,
 *                 chunk one level down), in order, and slots from count on repeat the link, or the last pair where
 *                 there is none. A chunk covers the keys from its low key to below its high key; its low key is that of
 *                 the link and of the pair that lead to it. The first chunk of a level, its head, has low key 0.
 *
 * INVARIANTS
 *   S1  The low key and the level of a chunk never change while it is part of the structure; its high key does.
 *   S2  The live chunks of a level, followed by their links from the head, cover all keys without gap or overlap.
 *   S3  The keys of a chunk lie within what it covers, and are distinct; those of upper levels ascend, and the first is
 *       the low key.
 *   S4  A RAISED chunk has exactly one pair in the level above, under its low key; a LOW one has none; of a RAISING one
 *       only the agent that has made it so may put or remove the pair. Heads are RAISED.
 *   S5  Nothing in a live chunk names a zombie. A zombie names the chunk that took its pairs, or a later such one.
 *   S6  No level above the one that searches begin on has more than its head's pair for the head below.
 *   S7  The stripes' sizes add up to the number of keys, when no update is running.
 *   S8  Every chunk that was taken from the pool is in one place: live, in the bag or ring of an agent, or in a free
 *       list.
 *
 * WHO MAY RUN TOGETHER   all operations of this file, by any number of agents that are inside (skiplist_reclaim.h).
 *
 * READING WITHOUT A LATCH
 *   Upper levels are read torn, and on a GPU stale. The one pair that is followed was in the chunk at an instant since
 *   the agent came inside, and its key is at or below the one that is looked for. Live or zombie by now, the chunk it
 *   names is still there (RECLAMATION), and leads to the one that covers the key: by links to the right, or by a
 *   zombie's link to its left neighbour of then, which covers at least what the zombie covered.
 *   Bottom chunks are read fresh, slot by slot, in any order. While one version lasts, latched or not, at most one
 *   update is at work, and of the pairs that the header counts it changes one slot at most: to the pair's new value, or
 *   to a copy of the last pair in place of the pair that it erases. So whoever has seen all of them between two looks
 *   at the same version, and not the key, has seen that the key is not there.
 *
 * LINEARIZATION POINTS
 *   find, contains, hit      the first load of the header, or the store of the pair if that came later: what the header
 *       counts is live, and writers store only live pairs there. Or, where the slot has ceased to count meanwhile and
 *       an insert has stored its pair there, the store of the header that counts it: a hit is one only if its slot
 *       counts in a second look, so that nobody finds the key while others do not yet.
 *   find, contains, miss     between the two looks at the header: with the same version no key was there all the time
 *       and not seen. If an erase of the key is under way and was seen, then after its store.
 *   put, add, that insert    the store of the header that counts the pair.
 *   put that replaces        the store of the pair.
 *   erase                    the store that overwrites the pair, if somebody sees that, else that of the header.
 *   add of a present, erase of an absent key   like find; no latch is taken.
 *   succ, pred, min, max, range, count   as in blink/blink.h.
 *
 * SPLITS AND MERGES
 *   A split writes the new right chunk, then the link to it, then overwrites what has moved; a miss looks at the link
 *   after the slots. So a pair that has gone is looked for behind the link. Nobody updates the new chunk before the old
 *   one is unlatched: updaters go right only through chunks that they have seen unlatched.
 *   A merge first takes the right chunk's pair out of the level above (one latch), then latches both, appends the pairs
 *   to the left one behind its count, then counts them, then links past the right one, and then makes that a zombie;
 *   each of these stores is seen no later than the next. A reader that stands between finds everything in one of the
 *   two, whenever the writer stops: no query ever waits.
 *
 * RECLAMATION
 *   When a chunk becomes a zombie nothing in a live chunk names it (S5): its pair above is gone, and the left chunk
 *   links past it. Its retirement is stamped after that. An upper zombie is overwritten with links before the chunk
 *   that took its pairs is unlatched, so that whoever follows one of its old pairs has loaded it before anybody could
 *   remove that pair from the live chunk, and so before the chunk below could be retired. A zombie's own link names a
 *   chunk that, if at all, was retired later. So an agent that comes in after the stamp cannot come upon it; epoch.h
 *   has the rest. On a GPU cached images of memory must be gone, too, before it is used again: two epochs instead of
 *   one (skiplist_reclaim.h).
 *
 * MEMORY ORDERS  (port/port.h)
 *   port_store_release of a header pairs with the first load of the header in chunk_look: who sees a count sees the
 *       pairs that it counts.
 *   port_latch's (b), and the release that ends an update, pair with node_last's fence before the second look at the
 *       header: who has seen a store of a later version sees that version, or the latch before it.
 *   The fence between a split's link and what it overwrites pairs with node_last, which loads the link after the slots:
 *       who misses a pair that has moved sees the link to it. So do the fences between a merge's count, link and
 *       zombie, with the order of link before header in node_last: who is passed by, or sent back, finds what counts.
 *   port_publish_fence before a link or a pair that names a new chunk pairs with the address dependency of the reader.
 *   epoch_section_end's port_fence_seq_cst before the clock pairs with epoch_enter: who comes in at a later time sees what took a
 *       chunk out. epoch_section_begin's port_invalidate_cached pairs with every port_load_cached of the stay.
 *
 * PROGRESS
 *   find and contains are lock-free (where a pair is one access: everywhere but for 64-bit keys in plain C): a chunk is
 *   read again only if its header has changed, which is somebody's progress, and is counted as a restart.
 *   A step never waits: it answers AGAIN and leaves waiting to the executor. Latches are taken and released within one
 *   step. A merge holds two, left before right, and only tries for the second; so no cycle of waiting can form.
 *
 * DEPARTURES FROM THE PAPER  docs/skiplist.md
 */
#ifndef BLINK_SKIPLIST
#define BLINK_SKIPLIST
#endif
#include "../node/node.h"
#include "skiplist_format.h"

#include "../level/level_cursor.h"
#include "../level/level_latch.h"
#include "../level/level_slots.h"
#include "skiplist_take.h"
#include "skiplist_find.h"
#include "skiplist_split.h"
#include "skiplist_update.h"
#include "skiplist_raise.h"
#include "skiplist_merge.h"
#include "skiplist_restructure.h"
#include "../level/level_seek.h"
#include "../level/level_range.h"
