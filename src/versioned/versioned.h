/* versioned/versioned.h - the ordered map with snapshots: the B-link tree of blink/, whose updates keep the
 * images of leaves that live snapshots may ask for, and queries at a snapshot. Not in one file with
 * blink/ without versions. docs/versioned.md has the drawings.
 *
 * INVARIANTS             I1 to I8 of blink/ hold for the newest images, V1 to V5 of version/version.h for all.
 *                        Only leaves have old images: inner nodes say where leaves are, and a leaf never goes away.
 *   V6  A leaf's row of images covers all keys that the leaf covers, at every time that a live snapshot shows.
 *
 * LINEARIZATION POINTS
 *   put, add, erase that change something   the load of the clock in can_update_in_place, or else the
 *       one in preserve_version, under the leaf's latch.
 *   find, contains, at the newest           as in blink/, but a find that comes upon a latched leaf waits, also for
 *       a hit: the update that has the latch may have taken effect already, and be seen by snapshots.
 *   taking a snapshot                       the addition that advances the clock, in epoch_advance.
 *   range, count, of the map itself         when the snapshot was taken that lasts for the query.
 *   queries at a snapshot                   when it was taken.
 *
 * DEPARTURES FROM THE PAPER (M. A. Awad, Fully Concurrent GPU Data Structures, chapter 4)
 *   - Inner nodes have no versions, so a split copies one node and not three, and the root is like any other.
 *   - Timestamps are final when they are stored. The paper leaves them open and has readers fill them in (vCAS); here
 *     readers wait for the latch, under which the clock is read.
 *   - In place or not is decided by the update itself, from the clock and the live snapshots.
 *   - An old image is returned when no live snapshot is older than its end; the paper retires it at once, which breaks
 *     snapshots that outlive the operation that took them.
 *   - Records are beside the nodes, not in them: finds do not read them, and nodes keep all their slots.
 */
#undef NODE_HIT_WAITS
#define NODE_HIT_WAITS 1
#define BLINK_VERSIONED 1
#include "../version/version.h"

#include "../blink/blink.h"

#include "versioned_read.h"
