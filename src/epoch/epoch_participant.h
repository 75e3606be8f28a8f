/* epoch/epoch_participant.h - an agent: its slot, what it has taken out of a structure, what it can use again, and its part
 * of the scan.
 *
 * An agent keeps two short lists of node ids close by, a CPU thread on its stack and a GPU block in shared memory: the
 * bag, of what it has retired, and the stock, of what is free again. Nobody else sees them. Beside its slot there is a
 * home, in the memory that all share, with a ring of retired ids in the order of their stamps:
 *
 *     home    head -> (until 5, id 12) (until 5, id 40) (until 7, id 9) ... <- tail
 *                     \__ free when the floor is 5 __/
 *
 * epoch_writer_begin copies what is free at the front of the ring to the stock; epoch_writer_end moves the front past what was used
 * of it, and puts the bag at the end. So nothing is lost between kernels: the next agent with this slot finds it. What
 * finds no room in the ring stays in the bag, for the caller to put elsewhere. Readers retire nothing, and only claim a
 * slot and give it back: epoch_register, epoch_unregister.
 *
 * LANES   All lanes of an agent call the functions of this file together, but epoch_retire and epoch_reuse, which any
 *         lane calls by itself.
 */
#ifndef PLEACH_EPOCH_AGENT_H
#define PLEACH_EPOCH_AGENT_H

#include "epoch.h"

#ifdef PLEACH_SIM
enum { EPOCH_BAG = 3 };
#else
enum { EPOCH_BAG = 128 };
#endif
#define EPOCH_ALL UINT32_MAX /* slots, for a scan that goes through to the end */

typedef struct epoch_participant {
    uint32_t stocked, used; /* of the stock: ids put there, and asked for */
    uint32_t bagged;        /* ids that were retired; may count further than the bag has room */
    uint32_t bag_room;
    uint32_t waiting;       /* of stays: ids are in the ring */
    uint32_t slot;
    uint32_t won;           /* between lanes, as the next three */
    uint64_t scan_from, scan_to, scan_least;
    uint32_t lanes;         /* not beside what lane 0 writes while others look at this */
    uint32_t stock[EPOCH_BAG], bag[EPOCH_BAG];
} epoch_participant;

/* An agent that has no slot: it retires and reuses nothing. */
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

/* What lane 0 has put there, for all lanes. When they have it, lane 0 may put something else. */
PORT_FN uint32_t epoch_broadcast(const epoch_participant *a, const uint32_t *word)
{
    port_group_sync(a->lanes);
    uint32_t told = *word;
    port_group_sync(a->lanes);
    return told;
}

/* Claims a slot near `wish`. False: none is free just now. */
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

/* ---- retiring and using again ---- */

/* Claims a slot, and stocks what is free at the front of the ring: stamps ascend along it, so the free ids are the
 * first ones. False: no slot is free just now. */
PORT_FN bool epoch_writer_begin(epoch e, epoch_participant *a, uint32_t wish)
{
    if (!epoch_register(e, a, wish)) return false;
    epoch_home *home = &e.home[a->slot];
    /* One look for all lanes: with a floor that rises between theirs, the free ids would not be the first ones. */
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

/* A free id, or 0. */
PORT_FN uint32_t epoch_reuse(epoch_participant *a)
{
    if (a->used >= a->stocked) return 0;
    uint32_t at = port_lane_add(&a->used, 1);
    return at < a->stocked ? a->stock[at] : 0;
}

/* False: the bag is full, or the agent has no slot to take it to; the id stays the caller's. */
PORT_FN bool epoch_retire(epoch_participant *a, uint32_t id)
{
    if (a->slot == EPOCH_NONE || a->bagged >= a->bag_room) return false;
    uint32_t at = port_lane_add(&a->bagged, 1);
    if (at >= a->bag_room) return false;
    a->bag[at] = id;
    return true;
}

/* The bag goes into the ring, with one stamp for all of it, which all lanes must have the same (stamps ascend along the
 * ring), and the slot back. Answers how many ids found no room: they are bag[0 .. answer-1], and the caller's. */
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

/* ---- stays: for structures that take out what agents inside may be looking at ----
 *
 * An agent with a slot comes in, works, and goes out, over and over. What it retires meanwhile gets one stamp when it
 * goes out, which is two clock's steps away: with a clock that ticks only when all inside have seen it, everybody who
 * is inside when that comes has come in after the last one had left who could come upon the retired thing. So nobody's
 * cache holds an old image of it either, because coming in empties that, and it may become something else.
 */

/* Comes in; what is loaded from now on, also through a cache, is no older. */
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

/* Goes out, and the bag into the ring, which has room for it. */
PORT_FN void epoch_section_end(epoch e, epoch_participant *a)
{
    port_group_sync(a->lanes);
    uint32_t bagged = a->bagged < a->bag_room ? a->bagged : a->bag_room, lane = port_lane(a->lanes);
    if (bagged > 0) {
        epoch_home *home = &e.home[a->slot];
        uint64_t tail = port_load(&home->tail);
        if (lane == 0) {
            port_fence_seq_cst(); /* what took them out is there for all to see before the clock is read */
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

/* The ids at the front of the ring that are free by now: their number, for all lanes. */
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

/* Takes up the scan where it was left; a->won: nobody else is at it. The clock is read before the slots: E1. */
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
    if (a->scan_to < a->scan_from) a->scan_to = a->scan_from; /* nobody was ever inside */
}

/* At the end of the slots the floor rises. With `ticking` the clock advances when everybody inside has seen it: for
 * structures whose operations do not advance it themselves. */
PORT_FN void epoch_scan_end(epoch e, const epoch_participant *a, bool ticking)
{
    epoch_state *s = e.state;
    uint64_t clock = port_load(&s->scan_clock);
    bool over = a->scan_to >= port_load(&s->claimed);
    if (over && a->scan_least > port_load(&s->floor)) port_store_release(&s->floor, a->scan_least);
    if (over && ticking && a->scan_least == clock) {
        port_latch(&s->clock, clock, clock + 1);
        port_fence_after_latch(); /* else epoch_look by this agent could go by a clock that those who enter do not see yet */
    }
    port_store(&s->scan_least, a->scan_least);
    port_store(&s->scan_next, over ? 0 : a->scan_to);
    port_store_release(&s->scan_latch, 0);
}

/* A part of the scan that all agents share: up to `slots` slots. Nothing is done if somebody else is at it. */
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
    port_validate_fence(); /* who was seen outside has finished its loads before the floor rises */
    port_lane_min(&a->scan_least, least);
    port_group_sync(a->lanes);
    if (lane == 0) epoch_scan_end(e, a, ticking);
    port_group_sync(a->lanes);
}

#endif
