/* epoch/epoch_participant.h - a participant of the epoch scheme: its slot, the ids it has retired, the free ids it can
 * reuse, and its part of the scan.
 *
 * A participant keeps two short private lists of node ids, a CPU thread on its stack and a GPU block in shared memory:
 * the bag (ids that it has retired) and the stock (ids that are free again). Each slot also has a home in shared
 * memory, with a ring of retired ids in the order of their stamps:
 *
 *     home    head -> (until 5, id 12) (until 5, id 40) (until 7, id 9) ... <- tail
 *                     \__ free when the floor is 5 __/
 *
 * epoch_writer_begin copies the free ids at the front of the ring to the stock. epoch_writer_end moves the front past
 * those that were used, and appends the bag. So no id is lost between kernels: the next participant with this slot
 * finds it. Ids for which the ring has no room stay in the bag, and the caller must store them elsewhere. Readers
 * retire nothing; they only claim and release a slot: epoch_register, epoch_unregister.
 *
 * LANES   All lanes call these functions together, except epoch_retire and epoch_reuse, which any lane may call.
 */
#ifndef PLEACH_EPOCH_AGENT_H
#define PLEACH_EPOCH_AGENT_H

#include "epoch.h"

#ifdef PLEACH_SIM
enum { EPOCH_BAG = 3 };
#else
enum { EPOCH_BAG = 128 };
#endif
#define EPOCH_ALL UINT32_MAX /* number of slots, for a scan of all of them */

typedef struct epoch_participant {
    uint32_t stocked, used; /* of the stock: ids stored, and ids requested */
    uint32_t bagged;        /* ids retired; may exceed the room in the bag */
    uint32_t bag_room;
    uint32_t waiting;       /* in critical sections: nonzero if the ring has ids */
    uint32_t slot;
    uint32_t won;           /* shared between lanes, as are the next three */
    uint64_t scan_from, scan_to, scan_least;
    uint32_t lanes;         /* kept apart from the words that lane 0 writes while other lanes read this one */
    uint32_t stock[EPOCH_BAG], bag[EPOCH_BAG];
} epoch_participant;

/* Initializes a participant without a slot, which retires and reuses nothing. */
PORT_FN void epoch_participant_begin(epoch_participant *a, uint32_t lanes)
{
    if (port_lane(lanes) == 0) {
        a->lanes = lanes;
        a->slot = EPOCH_NONE;
        a->stocked = a->used = a->bagged = 0;
        a->bag_room = EPOCH_BAG;
    }
    port_group_sync(lanes);
}

/* Returns to all lanes the word that lane 0 has stored. On return, lane 0 may overwrite it. */
PORT_FN uint32_t epoch_broadcast(const epoch_participant *a, const uint32_t *word)
{
    port_group_sync(a->lanes);
    uint32_t told = *word;
    port_group_sync(a->lanes);
    return told;
}

/* Claims a slot near `wish`. Returns false if none is free at the moment. */
PORT_FN bool epoch_register(epoch e, epoch_participant *a, uint32_t wish)
{
    if (port_lane(a->lanes) == 0) a->slot = epoch_claim(e, wish, EPOCH_OUT);
    return epoch_broadcast(a, &a->slot) != EPOCH_NONE;
}

PORT_FN void epoch_unregister(epoch e, epoch_participant *a)
{
    port_group_sync(a->lanes);
    if (port_lane(a->lanes) == 0) {
        epoch_unclaim(e, a->slot);
        a->slot = EPOCH_NONE;
    }
    port_group_sync(a->lanes);
}

/* ---- retiring and reusing ---- */

/* Claims a slot and fills the stock from the front of the ring. Stamps ascend along the ring, so the free ids come
 * first. Returns false if no slot is free at the moment. */
PORT_FN bool epoch_writer_begin(epoch e, epoch_participant *a, uint32_t wish)
{
    if (!epoch_register(e, a, wish)) return false;
    epoch_home *home = &e.home[a->slot];
    /* One load for all lanes: if the floor rose between loads of two lanes, the free ids would not come first. */
    if (port_lane(a->lanes) == 0) a->scan_least = epoch_oldest(e.state);
    port_group_sync(a->lanes);
    uint64_t oldest = a->scan_least, head = port_load(&home->head), tail = port_load(&home->tail);
    for (uint64_t i = port_lane(a->lanes); i < EPOCH_BAG && head + i < tail; i += a->lanes) {
        if (port_load(&epoch_entry(e, a->slot, head + i)->until) > oldest) break;
        a->stock[i] = (uint32_t)port_load(&epoch_entry(e, a->slot, head + i)->id);
        port_lane_add(&a->stocked, 1);
    }
    port_group_sync(a->lanes);
    return true;
}

/* Returns a free id, or 0 if the stock is empty. */
PORT_FN uint32_t epoch_reuse(epoch_participant *a)
{
    if (a->used >= a->stocked) return 0;
    uint32_t at = port_lane_add(&a->used, 1);
    return at < a->stocked ? a->stock[at] : 0;
}

/* Returns false if the bag is full or the participant has no slot. */
PORT_FN bool epoch_can_retire(const epoch_participant *a) { return a->slot != EPOCH_NONE && a->bagged < a->bag_room; }

/* Returns false if it cannot retire; the id then remains the caller's. */
PORT_FN bool epoch_retire(epoch_participant *a, uint32_t id)
{
    if (!epoch_can_retire(a)) return false;
    uint32_t at = port_lane_add(&a->bagged, 1);
    if (at >= a->bag_room) return false;
    a->bag[at] = id;
    return true;
}

/* Appends the bag to the ring, with one stamp for all ids, and releases the slot. All lanes must pass the same stamp,
 * because stamps ascend along the ring. Returns the number of ids for which the ring had no room: bag[0 .. result-1],
 * which remain the caller's. */
PORT_FN uint32_t epoch_writer_end(epoch e, epoch_participant *a, uint64_t until)
{
    epoch_home *home = &e.home[a->slot];
    uint32_t lane = port_lane(a->lanes);
    uint32_t used = a->used < a->stocked ? a->used : a->stocked, bagged = a->bagged < EPOCH_BAG ? a->bagged : EPOCH_BAG;
    uint64_t head = port_load(&home->head) + used, tail = port_load(&home->tail), room = e.ring - (tail - head);
    uint32_t left = bagged > room ? bagged - (uint32_t)room : 0;
    for (uint32_t i = left + lane; i < bagged; i += a->lanes) {
        port_store(&epoch_entry(e, a->slot, tail + i - left)->until, until);
        port_store(&epoch_entry(e, a->slot, tail + i - left)->id, a->bag[i]);
    }
    port_group_sync(a->lanes);
    if (lane == 0) {
        port_store(&home->head, head);
        port_store(&home->tail, tail + bagged - left);
        a->stocked = a->used = a->bagged = 0;
    }
    epoch_unregister(e, a);
    return left;
}

/* ---- critical sections: for structures that unlink nodes which participants inside may be reading ----
 *
 * A participant with a slot repeatedly enters, works, and leaves. The nodes that it retires in one section get one
 * stamp when it leaves, two clock ticks ahead. The clock ticks only when all participants inside have seen its value.
 * So every participant that is inside when the clock reaches this stamp entered after the last participant that could
 * reach the node had left. Its caches hold no old image of the node either, because entering invalidates them. The node
 * may then be reused for another purpose.
 */

/* Enters. Later loads, including cached ones, return values that are no older than this call. */
PORT_FN void epoch_section_begin(epoch e, epoch_participant *a)
{
    if (port_lane(a->lanes) == 0) {
        a->bagged = 0;
        epoch_enter(e, a->slot);
        port_invalidate_cached();
        epoch_home *home = &e.home[a->slot];
        uint64_t room = e.ring - (port_load(&home->tail) - port_load(&home->head));
        a->bag_room = room < EPOCH_BAG ? (uint32_t)room : EPOCH_BAG;
    }
    port_group_sync(a->lanes);
}

/* Leaves, and appends the bag to the ring, which has room for it. */
PORT_FN void epoch_section_end(epoch e, epoch_participant *a)
{
    port_group_sync(a->lanes);
    uint32_t bagged = a->bagged < a->bag_room ? a->bagged : a->bag_room, lane = port_lane(a->lanes);
    if (bagged > 0) {
        epoch_home *home = &e.home[a->slot];
        uint64_t tail = port_load(&home->tail);
        if (lane == 0) {
            port_fence_seq_cst(); /* the stores that unlinked the nodes are visible before the clock is read */
            a->scan_least = port_load(&e.state->clock) + 2;
        }
        port_group_sync(a->lanes);
        for (uint32_t i = lane; i < bagged; i += a->lanes) {
            port_store(&epoch_entry(e, a->slot, tail + i)->until, a->scan_least);
            port_store(&epoch_entry(e, a->slot, tail + i)->id, a->bag[i]);
        }
        port_group_sync(a->lanes);
        if (lane == 0) port_store(&home->tail, tail + bagged);
    }
    if (lane == 0) {
        a->waiting = port_load(&e.home[a->slot].head) != port_load(&e.home[a->slot].tail);
        epoch_leave(e, a->slot);
    }
    port_group_sync(a->lanes);
}

/* Returns to all lanes the number of ids at the front of the ring that are free now. */
PORT_FN uint32_t epoch_free_ids(epoch e, epoch_participant *a)
{
    epoch_home *home = &e.home[a->slot];
    if (port_lane(a->lanes) == 0) {
        uint64_t head = port_load(&home->head), tail = port_load(&home->tail), free = 0;
        a->won = 0;
        if (head < tail) {
            uint64_t oldest = epoch_oldest(e.state);
            while (head + free < tail && port_load(&epoch_entry(e, a->slot, head + free)->until) <= oldest) free++;
            a->won = (uint32_t)free;
        }
    }
    return epoch_broadcast(a, &a->won);
}

/* ---- scanning ---- */

/* Continues the scan where the previous part ended. Sets a->won to false if another participant is scanning. The clock
 * is read before the slots: E1. */
PORT_FN void epoch_scan_begin(epoch e, epoch_participant *a, uint64_t slots)
{
    epoch_state *s = e.state;
    a->won = port_load(&s->scan_latch) == 0 && port_latch(&s->scan_latch, 0, 1);
    if (!a->won) return;
    a->scan_from = port_load(&s->scan_next);
    if (a->scan_from == 0) {
        uint64_t clock = port_load(&s->clock);
        port_store(&s->scan_clock, clock);
        port_store(&s->scan_least, clock);
        a->scan_from = epoch_first_inside(e);
    }
    a->scan_least = port_load(&s->scan_least);
    port_fence_loads(); /* the clock before the slots: E1 */
    uint64_t end = port_load(&s->claimed);
    a->scan_to = a->scan_from + slots < end ? a->scan_from + slots : end;
    if (a->scan_to < a->scan_from) a->scan_to = a->scan_from; /* no participant was ever inside */
}

/* Raises the floor if the scan has reached the last slot. If `ticking`, also advances the clock if all participants
 * inside have seen it; for structures whose operations do not advance it themselves. */
PORT_FN void epoch_scan_end(epoch e, const epoch_participant *a, bool ticking)
{
    epoch_state *s = e.state;
    uint64_t clock = port_load(&s->scan_clock);
    bool over = a->scan_to >= port_load(&s->claimed);
    if (over && a->scan_least > port_load(&s->floor)) port_store_release(&s->floor, a->scan_least);
    if (over && ticking && a->scan_least == clock) {
        port_latch(&s->clock, clock, clock + 1);
        port_fence_after_latch(); /* else epoch_look could use a clock that entering participants do not see yet */
    }
    port_store(&s->scan_least, a->scan_least);
    port_store(&s->scan_next, over ? 0 : a->scan_to);
    port_store_release(&s->scan_latch, 0);
}

/* One part of the shared scan, of up to `slots` slots. Does nothing if another participant is scanning. */
PORT_FN void epoch_scan(epoch e, epoch_participant *a, uint64_t slots, bool ticking)
{
    uint32_t lane = port_lane(a->lanes);
    if (lane == 0) epoch_scan_begin(e, a, slots);
    if (!epoch_broadcast(a, &a->won)) return;
    uint64_t least = UINT64_MAX;
    for (uint64_t slot = a->scan_from + lane; slot < a->scan_to; slot += a->lanes) {
        uint64_t stamp = epoch_stamp(port_load(epoch_slot(e, (uint32_t)slot)));
        if (stamp < least) least = stamp;
    }
    port_validate_fence(); /* participants seen outside have finished their loads before the floor rises */
    port_lane_min(&a->scan_least, least);
    port_group_sync(a->lanes);
    if (lane == 0) epoch_scan_end(e, a, ticking);
    port_group_sync(a->lanes);
}

#endif
