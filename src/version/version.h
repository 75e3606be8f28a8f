/* version/version.h - the old images of nodes that live snapshots can still ask for.
 *
 * LAYOUT
 *
 * Time is the epoch module's clock, which grows by one with every snapshot. A snapshot taken when the clock stood at s
 * has timestamp s: it shows what was done at timestamps up to s. Beside every node, by its id, there is a record:
 *
 *     node 7   since 5   older ---> node 12   since 3   older ---> node 9   since 0   older: none
 *     the newest image              old image, until 5             old image, until 3
 *
 * A node keeps its id and its place; an update that must not lose the old image copies it to a node of its own and puts
 * that behind. Snapshot s is shown by the first image in the row with since <= s.
 *
 * A snapshot is an agent inside an epoch (short: the queries of one call), or a pin (a handle that a user holds).
 *
 * INVARIANTS
 *   V1  Along a row `since` falls strictly, and `until` of an old image is `since` of the image before it in the row.
 *   V2  The last image of a row has since = 0: every snapshot finds an image. So has a record that nobody wrote to yet.
 *   V3  An old image never changes, until no live snapshot is older than its `until`; then it may be used again.
 *   V4  For every live snapshot s: floor <= s, or s is a pin and pins_oldest <= s < pins_end (E1 and E4 of epoch.h).
 *   V5  Every old image is in exactly one place: the bag or the ring of an agent, or a list of kept images.
 * Images that no live snapshot needs are used again, in two ways that version_record.h tells apart.
 *
 * WHO MAY RUN TOGETHER   everything here, by any number of agents. A record's since and older are written under its
 *                        node's latch, or while nobody knows the node.
 *
 * MEMORY ORDERS
 *   An update has its node latched before it reads the clock (port_fence_after_latch), and a snapshot advances the clock
 *   before any of its queries looks at a node (epoch_advance). So either the update sees the new clock, or the query finds
 *   the latch: no snapshot falls between an update's look at the clock and its stores.
 *   An update reads the floor not after the pins (port_load_in_order): E4, and so V4.
 *
 * PROGRESS   Keeping and returning images is lock-free. A snapshot for the time of a call waits for a slot when all are
 *            taken; whoever has one for a snapshot needs nobody else's to finish.
 */
#ifndef PLEACH_VERSION_H
#define PLEACH_VERSION_H

#include "../epoch/epoch_participant.h"
#include "../epoch/epoch_pins.h"
#include "../pool/pool.h"
#include "version_record.h"

enum {
    VERSION_STRIPES = 256,
    VERSION_TURN = 16,    /* one of so many blocks scans */
    VERSION_SPREAD = 4096, /* wishes for slots: no more than can be had at a time, so that scans are short */
    VERSION_LOOK = 256     /* slots that an update looks at to learn whether a snapshot needs an image */
};

typedef struct version_state {
    epoch_state epoch;
    uint64_t swept; /* one more than epoch_oldest when everything was last looked through for free images */
    uint64_t reserved[7];
    struct {
        uint64_t head;     /* id of the first kept image; 0: none */
        uint64_t returned; /* images that went from here to the pool, since the map was made */
        uint64_t reserved[6];
    } kept[VERSION_STRIPES]; /* or as many as versions.stripes says */
} version_state;

/* What agents share about versions, as a part of their handle on a map. */
typedef struct versions {
    version_state *state;
    version_record *record; /* by node id */
    struct epoch epoch;     /* of state->epoch */
    unsigned stripes;
} versions;

/* ---- snapshots ---- */

/* True if updates may have to keep images: a snapshot is live, or was when the floor was last raised. */
PORT_FN bool version_keeps(versions v)
{
    const epoch_state *e = &v.state->epoch;
    uint64_t clock = port_load(&e->clock), floor, pinned;
    port_load_in_order(&e->floor, &floor, &pinned);
    return floor < clock || pinned != UINT64_MAX;
}

/* By the holder of a leaf's latch, which it has settled, about one of the leaf's images: true if a live snapshot may have
 * a timestamp t with since <= t < until. `until` is at most a value of the clock that the caller has loaded.
 *
 * False stays true for old images: a snapshot that was not seen is later than the latch, so its timestamp is at least
 * the leaf's `since`. For the newest image it may not stay true, and need not: such a snapshot's queries wait for the
 * latch and then find the update in place, which takes effect just before the snapshot was taken. No update that ended
 * before this one began can be later than that snapshot: it has read the clock after the snapshot passed it, so this
 * one, which settled after that, would have seen the snapshot.
 *
 * Agents before pins: an agent that was not seen inside may have become a pin, and then it has set the pin before it
 * left (E4). */
PORT_FN bool version_needed(versions v, uint64_t since, uint64_t until)
{
    if (epoch_asks(v.epoch, since, until, VERSION_LOOK)) return true;
    port_validate_fence();
    bool pinned = epoch_pinned(&v.state->epoch, since, until);
    port_validate_fence(); /* a snapshot that has ended has finished its loads before the caller's stores */
    return pinned;
}

/* ---- kept images: those that are in no agent's bag or ring ---- */

PORT_FN void version_push(versions v, unsigned stripe, uint32_t first, uint32_t last)
{
    uint64_t *head = &v.state->kept[stripe % v.stripes].head;
    for (;;) {
        uint64_t old = port_load(head);
        port_store(&v.record[last].next, old);
        if (port_compare_swap(head, old, first)) return;
    }
}

/* Takes a whole list: nobody else returns these images, and no list is mistaken for another (no ABA). */
PORT_FN uint32_t version_pop_all(versions v, unsigned stripe)
{
    uint64_t *head = &v.state->kept[stripe % v.stripes].head;
    for (;;) {
        uint64_t old = port_load_acquire(head);
        if (old == 0 || port_compare_swap(head, old, 0)) return (uint32_t)old;
    }
}

/* Gives an agent a slot and a stock for updates to come, if it looks as if these will keep images. Without, they still
 * can: the agent's slot is then EPOCH_NONE. Some of them scan first, so that the floor rises when nobody else sees to
 * it. */
PORT_COLD void version_writer_begin(const versions *v, epoch_participant *agent, uint32_t lanes, uint32_t wish)
{
    epoch_participant_begin(agent, lanes);
    if (port_lane(lanes) == 0) agent->won = version_keeps(*v);
    if (!epoch_broadcast(agent, &agent->won)) return;
    if (lanes == 1 || wish % VERSION_TURN == 0) epoch_scan(v->epoch, agent, EPOCH_ALL, false);
    epoch_writer_begin(v->epoch, agent, wish);
}

/* An agent is done with updates: its bag goes to its ring, or where there is no room, to a list. */
PORT_COLD void version_writer_end(const versions *v, epoch_participant *agent, unsigned stripe)
{
    port_group_sync(agent->lanes);
    if (agent->slot == EPOCH_NONE) return;
    uint32_t lane = port_lane(agent->lanes);
    if (lane == 0) agent->scan_least = port_load(&v->state->epoch.clock); /* one look for all lanes */
    port_group_sync(agent->lanes);
    uint32_t left = epoch_writer_end(v->epoch, agent, agent->scan_least);
    for (uint32_t i = lane; i + 1 < left; i += agent->lanes)
        port_store(&v->record[agent->bag[i]].next, agent->bag[i + 1]);
    port_group_sync(agent->lanes);
    if (lane == 0 && left > 0) version_push(*v, stripe, agent->bag[0], agent->bag[left - 1]);
    port_group_sync(agent->lanes);
}

/* A snapshot for the time of a call, by an agent of so many lanes; waits for a free slot. Linearized when the clock
 * passes its timestamp, the answer. Lasts until version_snapshot_end, or for ever if it is pinned before. */
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

/* Every `turn`-th looks at the announcements of up to so many slots. */
PORT_COLD void version_snapshot_end(const versions *v, epoch_participant *agent, uint64_t at, uint64_t turn,
                                   uint64_t scan_slots)
{
    port_group_sync(agent->lanes); /* nobody is reading any more */
    if (port_lane(agent->lanes) == 0) epoch_exit_and_release(v->epoch, agent->slot);
    if (at % turn == 0) epoch_scan(v->epoch, agent, scan_slots, false);
    port_group_sync(agent->lanes); /* and the agent may begin anew */
}

#endif
