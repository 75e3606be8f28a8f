/* skiplist/skiplist.h - the skiplist of chunks (GFSL), written once for CPU threads and GPU threads, for one key width
 * and one chunk size (PLEACH_KEY_BITS, PLEACH_NODE_SLOTS). docs/skiplist.md has the drawings and the full arguments.
 *
 * LAYOUT          Every level is a list of chunks, in the format of node/node.h: pairs, a link (high key, right
 *                 neighbour), and a header with latch, count, version, level and state (skiplist_format.h). The pairs
 *                 of the bottom level are the map's pairs, unordered within a chunk. Those of the levels above are (low
 *                 key, chunk one level down), in ascending order; slots from count on repeat the link, or the last pair
 *                 if there is no link. A chunk covers the keys from its low key to below its high key. Its low key is
 *                 the key of the link and of the pair that lead to it. A level's first chunk, its head, has low key 0.
 *
 * INVARIANTS
 *   S1  The low key and the level of a chunk never change while it is part of the structure; its high key does.
 *   S2  The live chunks of a level, followed by their links from the head, cover all keys without gap or overlap.
 *   S3  The keys of a chunk lie within the range that it covers, and are distinct. Those of upper levels ascend, and
 *       the first is the low key.
 *   S4  A RAISED chunk has exactly one pair in the level above, under its low key; a LOW one has none. While a chunk is
 *       RAISING, only the thread that made it so may insert or remove the pair. Heads are RAISED.
 *   S5  Nothing in a live chunk names a zombie. A zombie names the chunk that took its pairs, or a later such chunk.
 *   S6  Above the level at which searches begin, no level has more than its head's pair for the head below.
 *   S7  The stripes' sizes add up to the number of keys when no update is running.
 *   S8  Every chunk that was allocated from the pool is in exactly one place: live, in the bag or ring of a
 *       participant, or in a free list.
 *
 * CONCURRENCY     All operations of this file, in any number of participants that are inside (skiplist_reclaim.h).
 *
 * READING WITHOUT A LATCH
 *   Readers may see upper levels torn and, on a GPU, stale. The one pair that a reader follows was in the chunk at an
 *   instant since the participant entered, and its key is at or below the key sought. The chunk that it names, live or
 *   a zombie by now, still exists (RECLAMATION) and leads to the chunk that covers the key: by links to the right, or
 *   by a zombie's link to what was its left neighbour, which covers at least what the zombie covered.
 *   Bottom chunks are read fresh, slot by slot, in any order. While one version lasts, latched or not, at most one
 *   update is in progress. Of the pairs that the header counts, the update changes at most one slot: to the pair's new
 *   value, or to a copy of the last pair in place of the pair that it erases. So a reader that has read all of them
 *   between two loads of the same version, without seeing the key, has proved that the key is absent.
 *
 * LINEARIZATION POINTS
 *   find, contains, hit      the first load of the header, or the store of the pair if that came later: what the header
 *       counts is live, and writers store only live pairs there. If the slot has meanwhile ceased to count and an
 *       insert has stored its pair there, the point is the store of the header that counts this pair. A result is a hit
 *       only if its slot counts in a second load of the header, so that no reader finds a key that others still miss.
 *   find, contains, miss     between the two loads of the header. If both show the same version, a key that was present
 *       throughout cannot have been missed. If an erase of the key is in progress and was seen, then after its store.
 *   put, add, that insert    the store of the header that counts the pair.
 *   put that replaces        the store of the pair.
 *   erase                    the store that overwrites the pair, if a reader sees it; otherwise that of the header.
 *   add of a present, erase of an absent key   like find; no latch is taken.
 *   succ, pred, min, max, range, count   as in blink/blink.h.
 *
 * SPLITS AND MERGES
 *   A split writes the new right chunk, then the link to it, and then overwrites the pairs that have moved. A miss
 *   reads the link after the slots, so a pair that has moved is sought behind the link. No thread updates the new chunk
 *   before the old one is unlatched, because updaters move right only through chunks that they have seen unlatched.
 *   A merge first removes the right chunk's pair from the level above (one latch). It then latches both chunks, appends
 *   the pairs to the left one behind its count, updates the count, links past the right chunk, and finally makes that a
 *   zombie. Each of these stores becomes visible no later than the next. A reader in between finds everything in one of
 *   the two chunks, wherever the writer stops, so no query ever waits.
 *
 * RECLAMATION
 *   When a chunk becomes a zombie nothing in a live chunk names it (S5): its pair above has been removed, and the left
 *   chunk links past it. Its retirement is stamped after that. An upper zombie is overwritten with links before the
 *   chunk that took its pairs is unlatched. So a reader that follows one of its old pairs has loaded it before any
 *   thread could remove that pair from the live chunk, and so before the chunk below could be retired. A zombie's own
 *   link names a chunk that, if at all, was retired later. So a participant that enters after the stamp cannot reach
 *   it; epoch.h has the rest. On a GPU, cached images of memory must also be gone before the memory is reused, which
 *   takes two epochs instead of one (skiplist_reclaim.h).
 *
 * MEMORY ORDERS  (port/port.h)
 *   port_store_release of a header pairs with the first load of the header in chunk_look: a reader that sees a count
 *       sees the pairs that it counts.
 *   port_latch's (b), and the release that ends an update, pair with node_last's fence before the second load of the
 *       header: a reader that has seen a store of a later version sees that version, or the latch before it.
 *   The fence between a split's link and the stores that overwrite moved pairs pairs with node_last, which loads the
 *       link after the slots: a reader that misses a pair that has moved sees the link to it. Likewise the fences
 *       between a merge's count, link and zombie pair with the order of link before header in node_last: a reader that
 *       is led past the right chunk, or sent back by it, finds the pairs that count.
 *   port_publish_fence before a link or a pair that names a new chunk pairs with the address dependency of the reader.
 *   epoch_section_end's port_fence_seq_cst before the clock pairs with epoch_enter: a participant that enters at a
 *       later time sees the stores that unlinked a chunk. epoch_section_begin's port_invalidate_cached pairs with every
 *       port_load_cached in the section.
 *
 * PROGRESS
 *   find and contains are lock-free if a pair is one access, which is so everywhere except for 64-bit keys in plain C:
 *   a chunk is read again only if its header has changed, which means that another operation made progress. This is
 *   counted as a restart.
 *   A step never blocks: it returns AGAIN, and the caller backs off and retries. Latches are acquired and released
 *   within one step. A merge holds two, left before right, and only tries for the second, so no cycle of waiting forms.
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
