/* hash/slabhash.h - the slab hash: tables of buckets, each a chain of slabs. The algorithm, written once for
 * CPU threads and GPU threads, and compiled for one kind of table (slabhash_kind.h). docs/hash.md has the drawings.
 *
 * LAYOUT   A table is a root, which names a run of 2^log slabs: the buckets' first slabs. A slab is 128 bytes: a header
 *          (slabhash_format.h), a link to the next slab of its bucket, and slots (slabhash_width.h). The header says
 *          which slots are taken, so no key is reserved. Any number of tables share one pool of slabs.
 *
 * INVARIANTS
 *   H1  A key has at most one taken slot in its table, in the bucket that its hash names; if that bucket has moved, in
 *       the bucket of the next root that its hash names.
 *   H2  Who changes a bucket has the latch of its first slab. A bucket that has moved is never changed again.
 *   H3  The key of a taken slot does not change, nor does its slot, until the bucket's version has.
 *   H4  Versions of a slab only grow, also from one use of its memory to the next: nothing but these functions, and
 *       somebody who is alone, ever writes a header. Roots of a table do not come back either.
 *   H5  Slabs of the pool that are not the first of a bucket, or are in no table, have SLAB_OTHER or SLAB_MOVED, or
 *       were never used: nobody can latch them. Who makes such a slab of a bucket's first one has its latch, or is
 *       alone: late agents may latch it as well, and put back the header that they found.
 *   H6  While the table's root is R, the run of R is in nobody else's hands, nor is the run of its next root.
 *   H10 A key that is not in the group of slots that its hash names, in its bucket's first slab, has a mark for its
 *       group in that slab's link, since before it could be seen (docs/hash.md has H7 to H9, of tables that are quiet).
 *
 * MEMORY IS USED AGAIN AT ONCE, without waiting for those who may still be looking at it. A slab stays a slab for as
 *   long as agents are about, so a late reader reads words that mean nothing, and finds out: it looks at the first
 *   slab's header and at the root again before it believes anything, or follows anything but a link of a chain (which
 *   always names some slab). A late writer could latch a first slab that has another owner by now; it then sees that
 *   the root has changed, and lets go. So no epochs are needed, and memory that a table leaves is there for the next.
 *
 * LINEARIZATION POINTS
 *   find, key present   the load of the mask that shows it, or the store of the value that is answered, if that came
 *       later. Both looks at the first slab's header, before and after, show the same version, so the slot's key was
 *       this one since that load (H3), and the same root, so this was the table (H6). An erase of it may be under way,
 *       and have cleared the mask; but a value that was stored came before that.
 *   find, key absent    if its group has no mark: the load of the link, or, if the key was in its group when the header
 *       was read and has been erased since, that erase. If it was in the group, and was not erased, it was in a slot
 *       that the mask named, and in that slot it was when that was read: keys do not change their slots (H3), and a
 *       bucket that moves meanwhile is left as it is until the root changes, which is looked at in the end (H6). The
 *       link is not older than the header, so without the mark it was not elsewhere either (H10). With a mark: the
 *       load of the last mask that could have shown it. Header and root are the same in the end, so the slots of the
 *       first slab hold their keys all the while; a slab further along the chain shows a key as soon as its mask does,
 *       and a key that comes there later comes after that load.
 *   insert              the store of the mask that has its bit, or of the link to the slab that it came with.
 *   erase               the store of the mask without its bit.
 *   assign              the store of the value's word.
 *   what changes nothing   as a find; or, on the long way, any instant while the latch is held.
 *
 * GROWTH   Somebody takes a run for the next root, and enters that in the table. From now on whoever wants to change a
 *   bucket moves it first; and everybody who changes something moves a few more. To move a bucket: latch it, write its
 *   pairs to the buckets of the next root that its hashes name, which are nobody else's, and then mark it as moved.
 *   Its link stays as it was, for who is still reading it; where it has moved to, the table says. Until that store the
 *   old bucket is its keys' home, after it the new ones are. Who moves the last one makes the next root the root, and
 *   gives the old run back.
 *
 * MEMORY ORDERS  (port/port.h)
 *   port_store_release of a header, or port_release_after_exchange, pairs with its load, and port_order_after of that, in the next
 *       latch and in a reader.
 *   port_latch's (b), and port_publish_fence where a slab is filled that came from the pool, pair with
 *       port_order_after in a reader's last looks: who has seen a word of a later use sees the later version.
 *   So does port_publish_fence in slab_free, after the header of the bucket that the slab was in.
 *   port_publish_fence before a link or a root pairs with the address dependency of who follows it.
 *   A latch is taken by swapping the header that the look began with: what was read since was read in that version, or
 *       under the latch. Values alone have no version, and are read again.
 *
 * PROGRESS   finds wait for nobody: one that has to begin again has been overtaken by an update that was done. Updates
 *   wait for the latch of one bucket, whose holder waits for nobody (a graph's edge, of two tables: graph/); those that
 *   alter nothing, and take none, may be overtaken as finds are.
 *
 * WHERE IT DEPARTS from the seed: keys of the full range, by masks; one thread an operation; slots of erased keys are
 *   used again, under the bucket's latch; tables grow; memory is given back; reading is validated instead of relying on
 *   a slab being read in one piece.
 */
#include "slabhash_table.h"

#include "slabhash_kind.h"
#include "slabhash_width.h"
#include "slabhash_search.h"
#include "slabhash_find.h"
#include "slabhash_move.h"
#include "slabhash_update.h"
