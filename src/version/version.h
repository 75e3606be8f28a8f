/* version/version.h - the old versions of nodes that live snapshots may still read.
 *
 * LAYOUT
 *
 * Time is the clock of the epoch module, which grows by one with every snapshot. A snapshot taken at clock value s has
 * timestamp s: it shows everything that was done at timestamps up to s. Each node has a record, indexed by its id:
 *
 *     node 7   since 5   older ---> node 12   since 3   older ---> node 9   since 0   older: none
 *     the newest version            old version, until 5           old version, until 3
 *
 * A node keeps its id and its address. An update that must preserve the current version copies it to a new node and
 * links that behind the first one. Snapshot s reads the first version in this chain with since <= s.
 *
 * A snapshot is a participant inside an epoch (short: the queries of one call), or a pin (a handle that a user holds).
 *
 * INVARIANTS
 *   V1  Along a version chain `since` falls strictly, and `until` of an old version is `since` of its predecessor.
 *   V2  The last version of a chain has since = 0, so every snapshot finds a version. So has an unwritten record.
 *   V3  An old version never changes while a live snapshot is older than its `until`; after that it may be reused.
 *   V4  For every live snapshot s: floor <= s, or s is a pin and pins_oldest <= s < pins_end (E1 and E4 of epoch.h).
 *   V5  Every old version is in exactly one place: the bag or the ring of a participant, or a list of kept versions.
 * Old versions that no live snapshot needs are reused, in one of the two ways that version_record.h describes.
 *
 * CONCURRENCY   All functions of this file may run concurrently, in any number of participants. `since` and `older` of
 *               a record are written only under the latch of its node, or while no other thread can reach the node.
 *
 * MEMORY ORDERS
 *   An update latches its node before it reads the clock (port_fence_after_latch), and a snapshot advances the clock
 *   before any of its queries reads a node (epoch_advance). So either the update sees the new clock, or the query finds
 *   the latch: no snapshot falls between an update's read of the clock and its stores.
 *   An update must not read the floor after the pins (port_load_in_order): E4, and so V4.
 *
 * PROGRESS   Keeping and returning old versions is lock-free. A snapshot that lasts for one call waits for a slot if
 *            all are taken; a participant that has such a slot needs no other to finish.
 */
#ifndef PLEACH_VERSION_H
#define PLEACH_VERSION_H

#include "../epoch/epoch_participant.h"
#include "../epoch/epoch_pins.h"
#include "../pool/pool.h"
#include "version_record.h"

enum {
    VERSION_STRIPES = 256,
    VERSION_TURN = 16,     /* one block in this many scans */
    VERSION_SPREAD = 4096, /* range of slot hints: at most the slots in use at a time, so scans are short */
    VERSION_LOOK = 256     /* up to this many slots are read by an update to learn whether a snapshot needs a version */
};

typedef struct version_state {
    epoch_state epoch;
    uint64_t swept; /* epoch_oldest as of the last sweep of all lists for free versions, plus one */
    uint64_t reserved[7];
    struct {
        uint64_t head;     /* id of the first kept version, or 0 */
        uint64_t returned; /* versions moved from this list to the pool since the map was created */
        uint64_t reserved[6];
    } kept[VERSION_STRIPES]; /* or versions.stripes of them */
} version_state;

/* The shared state of versions, as a part of a map's handle. */
typedef struct versions {
    version_state *state;
    version_record *record; /* by node id */
    struct epoch epoch;     /* of state->epoch */
    unsigned stripes;
} versions;

/* ---- snapshots ---- */

/* Returns true if updates may have to preserve versions: a snapshot is live, or was when the floor was last raised. */
PORT_FN bool version_keeps(versions v)
{
    const epoch_state *e = &v.state->epoch;
    uint64_t clock = port_load(&e->clock), floor, pinned;
    port_load_in_order(&e->floor, &floor, &pinned);
    return floor < clock || pinned != UINT64_MAX;
}

/* Returns true if a live snapshot may have a timestamp t with since <= t < until. The caller must hold the latch of the
 * leaf to which the version belongs, with a fence after it (port_fence_after_latch). `until` must not exceed a clock
 * value that the caller has loaded.
 *
 * For old versions, a result of false stays valid: a snapshot that was not seen is later than the latch, so its
 * timestamp is at least the leaf's `since`. For the newest version it may become invalid, which is harmless: the
 * queries of such a snapshot wait for the latch and then find the update in place, which takes effect just before the
 * snapshot was taken. No update that ended before this one began can be later than that snapshot: it would have read
 * the clock after the snapshot advanced it, so this update, whose fence came after that, would have seen the snapshot.
 *
 * Participants are read before pins: a participant that was not seen inside may have become a pin, and then it set the
 * pin before it left (E4).
 */
PORT_FN bool version_needed(versions v, uint64_t since, uint64_t until)
{
    if (epoch_asks(v.epoch, since, until, VERSION_LOOK)) return true;
    port_validate_fence();
    bool pinned = epoch_pinned(&v.state->epoch, since, until);
    port_validate_fence(); /* a snapshot that has ended has finished its loads before the caller's stores */
    return pinned;
}

/* ---- kept versions: those that are in no participant's bag or ring ---- */

PORT_FN void version_push(versions v, unsigned stripe, uint32_t first, uint32_t last)
{
    uint64_t *head = &v.state->kept[stripe % v.stripes].head;
    for (;;) {
        uint64_t old = port_load(head);
        port_store(&v.record[last].next, old);
        if (port_compare_swap(head, old, first)) return;
    }
}

/* Takes a whole list: no other thread returns these versions, and one list cannot be mistaken for another (no ABA). */
PORT_FN uint32_t version_pop_all(versions v, unsigned stripe)
{
    uint64_t *head = &v.state->kept[stripe % v.stripes].head;
    for (;;) {
        uint64_t old = port_load_acquire(head);
        if (old == 0 || port_compare_swap(head, old, 0)) return (uint32_t)old;
    }
}

/* Gives a participant a slot and a stock for its next updates if these are likely to preserve versions. If it gets
 * none, its slot is EPOCH_NONE, and its updates still can preserve versions. Some participants scan first, so that the
 * floor rises even if no other thread scans. */
PORT_COLD void version_writer_begin(const versions *v, epoch_participant *agent, uint32_t lanes, uint32_t wish)
{
    epoch_participant_begin(agent, lanes);
    if (port_lane(lanes) == 0) agent->won = version_keeps(*v);
    if (!epoch_broadcast(agent, &agent->won)) return;
    if (lanes == 1 || wish % VERSION_TURN == 0) epoch_scan(v->epoch, agent, EPOCH_ALL, false);
    epoch_writer_begin(v->epoch, agent, wish);
}

/* Ends a participant's updates. Its bag goes to its ring or, where the ring has no room, to a list of kept versions. */
PORT_COLD void version_writer_end(const versions *v, epoch_participant *agent, unsigned stripe)
{
    port_group_sync(agent->lanes);
    if (agent->slot == EPOCH_NONE) return;
    uint32_t lane = port_lane(agent->lanes);
    if (lane == 0) agent->scan_least = port_load(&v->state->epoch.clock); /* one load for all lanes */
    port_group_sync(agent->lanes);
    uint32_t left = epoch_writer_end(v->epoch, agent, agent->scan_least);
    for (uint32_t i = lane; i + 1 < left; i += agent->lanes)
        port_store(&v->record[agent->bag[i]].next, agent->bag[i + 1]);
    port_group_sync(agent->lanes);
    if (lane == 0 && left > 0) version_push(*v, stripe, agent->bag[0], agent->bag[left - 1]);
    port_group_sync(agent->lanes);
}

/* Takes a snapshot for the duration of a call, by a participant of `lanes` lanes, and returns its timestamp. Waits for
 * a free slot. Linearized when the clock advances past the timestamp. The snapshot lasts until version_snapshot_end, or
 * longer if it is pinned before that. */
PORT_COLD uint64_t version_snapshot_begin(const versions *v, epoch_participant *agent, uint32_t lanes, uint32_t wish)
{
    epoch_participant_begin(agent, lanes);
    if (port_lane(lanes) == 0) {
        uint64_t word = EPOCH_IN + port_load(&v->state->epoch.clock);
        wish %= v->epoch.dated ? VERSION_LOOK / 8 : VERSION_SPREAD;
        for (unsigned attempt = 0; (agent->slot = epoch_claim(v->epoch, wish, word)) == EPOCH_NONE;)
            port_pause(attempt++);
        agent->scan_least = epoch_advance_dated(v->epoch, agent->slot);
    }
    port_group_sync(lanes);
    return agent->scan_least;
}

/* Ends the snapshot. Every `turn`-th call scans up to `scan_slots` announcements. */
PORT_COLD void version_snapshot_end(const versions *v, epoch_participant *agent, uint64_t at, uint64_t turn,
                                   uint64_t scan_slots)
{
    port_group_sync(agent->lanes); /* no lane reads at the snapshot any more */
    if (port_lane(agent->lanes) == 0) epoch_exit_and_release(v->epoch, agent->slot);
    if (at % turn == 0) epoch_scan(v->epoch, agent, scan_slots, false);
    port_group_sync(agent->lanes); /* the participant may be initialized again */
}

#endif
