/* hash/slabhash.h - the slab hash: tables of buckets, each a chain of slabs. The algorithm is written once for CPU
 * threads and GPU threads, and compiled for one kind of table at a time (slabhash_kind.h). docs/hash.md has the
 * drawings.
 *
 * LAYOUT   A table has a root, which names a run of 2^log slabs: the first slabs of its buckets. A slab has 128 bytes:
 *          a header (slabhash_format.h), a link to the next slab of its bucket, and slots (slabhash_width.h). The
 *          header says which slots are taken, so no key is reserved. Any number of tables share one pool of slabs.
 *
 * INVARIANTS
 *   H1  A key has at most one taken slot in its table, in the bucket that its hash names; if that bucket has moved, in
 *       the bucket of the next root that its hash names.
 *   H2  A thread that changes a bucket holds the latch of its first slab. A bucket that has moved is never changed
 *       again.
 *   H3  The key of a taken slot, and the slot of a key, do not change until the bucket's version has changed.
 *   H4  The version of a slab only grows, also from one use of its memory to the next: headers are written only by
 *       these functions and by threads with exclusive access. Roots of a table never recur.
 *   H5  A slab of the pool that is not the first of a bucket, or is in no table, has SLAB_OTHER or SLAB_MOVED, or was
 *       never used, so it cannot be latched. A thread that turns a bucket's first slab into such a slab holds its latch
 *       or has exclusive access. Otherwise a delayed thread could hold the latch, and restore the header that it found.
 *   H6  While the table's root is R, the run of R belongs to no other table or free list; nor does the run of its next
 *       root.
 *   H10 If a key is in its bucket but outside the group of slots in the first slab that its hash names, then the first
 *       slab's link has the displaced bit of that group, stored before the key became visible. (H7 to H9, which hold
 *       for quiescent tables, are in docs/hash.md.)
 *
 * MEMORY IS REUSED AT ONCE, without waiting for threads that may still read it. A slab stays a slab for as long as any
 *   thread may read it, so a delayed reader reads meaningless words, but detects that: before it trusts anything, or
 *   follows anything but a link of a chain (which always names some slab), it loads the first slab's header and the
 *   root again. A delayed writer may latch a first slab that meanwhile belongs to another table. It then sees that its
 *   table's root has changed, and releases the latch without changing anything. So no epochs are needed, and memory
 *   that one table frees is available to the next.
 *
 * LINEARIZATION POINTS
 *   find, key present   the load of the mask that shows the key, or the store of the value that is returned, if that
 *       came later. The first slab's header shows the same version before and after the search, so the slot has had
 *       this key since that load (H3). The root is also the same, so the bucket belonged to this table (H6). An erase
 *       of the key may be in progress and may have cleared its bit, but any value was stored before that.
 *   find, key absent, displaced bit of its group clear   the load of the link; or, if the key was in its group when the
 *       header was read and has been erased since, that erase. If the key was in the group and was not erased, it was
 *       in a slot that the mask named, and was still there when that slot was read: keys do not change their slots
 *       (H3), and a bucket that moves concurrently stays as it is until the root changes, which the find checks at the
 *       end (H6). The link is no older than the header, so a clear displaced bit means that the key was not elsewhere
 *       either (H10).
 *   find, key absent, displaced bit set   the load of the last mask that could have shown the key. Header and root are
 *       unchanged at the end, so the slots of the first slab have held their keys throughout. A slab further along the
 *       chain shows a key as soon as its mask does, and a key that is inserted there later is inserted after that load.
 *   insert              the store of the mask with its bit, or of the link to the slab that was added with it.
 *   erase               the store of the mask without its bit.
 *   new value           the store of the value's word.
 *   updates that change nothing   as a find; in the slow path, any instant while the latch is held.
 *
 * GROWTH   One thread allocates a run for the next root and publishes that in the table. From then on, every update
 *   moves its own bucket before it changes it, and moves a few more. To move a bucket, a thread latches it, writes its
 *   pairs to the buckets of the next root that their hashes name (no other thread writes these), and then marks it as
 *   moved. Its link stays unchanged for concurrent readers; the table says where the bucket has moved to. Until the
 *   mark is stored, the old bucket holds its keys; after it, the new ones do. The thread that moves the last bucket
 *   makes the next root the root, and frees the old run.
 *
 * MEMORY ORDERS  (port/port.h)
 *   port_store_release of a header, or port_release_after_exchange, pairs with its load, and port_order_after of that
 *       load, in the next latch and in a reader.
 *   port_latch's (b), and port_publish_fence where a slab from the pool is filled, pair with port_order_after in a
 *       reader's last loads: a reader that has seen a word of a later use sees the later version.
 *   So does port_publish_fence in slab_free, after the header of the bucket that the slab was in.
 *   port_publish_fence before a link or a root pairs with the address dependency of a thread that follows it.
 *   A latch is acquired by swapping the header with which the lookup began: what was read after that load was read in
 *       that version, or under the latch. Values alone have no version, and are read again.
 *
 * PROGRESS   Finds wait for no other thread: a find that retries was overtaken by an update that has completed. Updates
 *   wait for the latch of one bucket, whose holder waits for no other thread (except that a graph's edge needs latches
 *   in two tables: graph/). Updates that change nothing and take no latch may be overtaken as finds are.
 *
 * DEPARTURES FROM THE PAPER (docs/hash.md): keys of the full range, because of masks; one thread per operation; slots
 *   of erased keys are reused, under the bucket's latch; tables grow; memory is freed; reads are validated, so they do
 *   not rely on a slab being read in one piece.
 */
#include "slabhash_table.h"

#include "slabhash_kind.h"
#include "slabhash_width.h"
#include "slabhash_search.h"
#include "slabhash_find.h"
#include "slabhash_move.h"
#include "slabhash_update.h"
