/* versioned/versioned.h - the ordered map with snapshots: the B-link tree of blink/, whose updates preserve the
 * versions of leaves that live snapshots may read, and queries at a snapshot. A file must not include this together
 * with blink/ without versions. docs/versioned.md has the drawings.
 *
 * INVARIANTS             I1 to I8 of blink/ hold for the newest versions, V1 to V5 of version/version.h for all. Only
 *                        leaves have old versions: inner nodes only lead to leaves, and a leaf is never removed.
 *   V6  A leaf's version chain covers all keys that the leaf covers, at every timestamp that a live snapshot shows.
 *
 * LINEARIZATION POINTS
 *   put, add, erase that change something   the load of the clock in can_update_in_place, or otherwise the one in
 *       preserve_version, under the leaf's latch.
 *   find, contains, newest version          as in blink/, except that a find at a latched leaf waits, even for a hit:
 *       the update that holds the latch may have taken effect already, and snapshots may show it.
 *   taking a snapshot                       the addition that advances the clock, in epoch_advance.
 *   range, count, of the map itself         when the snapshot that lasts for the query was taken.
 *   queries at a snapshot                   when the snapshot was taken.
 *
 * DEPARTURES FROM THE PAPER (M. A. Awad, Fully Concurrent GPU Data Structures, chapter 4)
 *   - Inner nodes have no versions, so a split copies one node instead of three, and the root is not a special case.
 *   - Timestamps are final when they are stored. The paper leaves them open and has readers fill them in (vCAS); here
 *     readers wait for the latch, under which the clock is read.
 *   - The update itself decides whether it changes the leaf in place, from the clock and the live snapshots.
 *   - An old version is returned when no live snapshot is older than its end. The paper retires it at once, which
 *     breaks snapshots that outlive the operation that took them.
 *   - Records are stored apart from the nodes: finds do not read them, and nodes keep all their slots.
 */
#undef NODE_HIT_WAITS
#define NODE_HIT_WAITS 1
#define BLINK_VERSIONED 1
#include "../version/version.h"

#include "../blink/blink.h"

#include "versioned_read.h"
