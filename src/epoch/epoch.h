/* epoch/epoch.h - epoch-based reclamation: decides when memory that was unlinked from a structure can no longer be
 * referenced and may be reused.
 *
 * LAYOUT
 *
 * The clock is a number that only grows. A participant (a CPU thread, or all threads of a GPU block or warp together)
 * claims a slot. It announces there when it enters and leaves a structure:
 *
 *     announce   | free | out | in, 5 | free | at, 7 | out | ...          clock 8
 *                   unclaimed     entered when the clock was at least 5; at 7: its stamp is exactly 7
 *
 * From time to time a participant scans the slots, a few at a time (DEBRA), and raises the floor to the smallest stamp
 * that the scan has seen. A node that is unlinked from a structure is retired with a stamp, `until`: a participant that
 * enters at `until` or later cannot reach the node. So the node is free as soon as until <= floor.
 *
 * For a long stay a participant does not keep its slot but enters its stamp in a table: a pin (epoch_pins.h). So until
 * <= the oldest pin is required too; epoch_oldest returns the minimum of both.
 *
 * INVARIANTS
 *   E1  Every participant that is inside, now or at any later time, has a stamp (from epoch_enter) >= `floor`.
 *   E2  floor <= clock; both only grow.
 *   E3  A slot that is not free belongs to exactly one participant, and so does the slot's home (epoch_participant.h).
 *   E4  Every pin, now or later in the table, has a stamp >= the floor as it was before the pin was set.
 *
 * WHY E1 HOLDS. A scan reads the clock, c, and then the slots. It raises the floor to the minimum of c and the smallest
 * stamp found in a slot. A participant that the scan saw has announced a clock value that it read before it entered, so
 * its own stamp is not smaller. A participant that the scan did not see announced itself after the scan had read its
 * slot, and read the clock, which gave its stamp, after that. This was later than the scan's read of the clock, so the
 * stamp is at least c. The same holds if the scan left the slot out because `claimed` was not that high yet.
 *
 * HOW MANY EPOCHS. Schemes with three bags, one per epoch, need the third because a bag's epoch is only an approximate
 * time. Here each retired node has its own stamp, and any number of epochs may be in limbo. A participant that unlinks
 * a node and then reads the clock, r, retires the node with until = r + 1: a participant that can still reach the node
 * has read the clock before the node was unlinked, so its stamp is at most r. The compare-and-swap that unlinks must be
 * visible to all before the clock is read: port_fence_after_latch. (Versions use until = r, with their own argument.)
 *
 * CONCURRENCY   All functions of this file may run concurrently.
 *
 * MEMORY ORDERS
 *   Announcing and then reading the clock (port_latch, port_fence_after_latch) pairs with the scan, which reads the
 *   clock and then the slots (port_fence_loads): E1.
 *   Leaving is ordered after the participant's loads (by a release, or by port_store_after_loads), and the scan's load
 *   of the slot is an acquire. So all loads of the participant are complete before any thread sees the new floor.
 *
 * PROGRESS   All functions are lock-free. A scan is tried, never waited for: a participant that stops inside a
 *            structure, or in the middle of a scan, delays the floor and nothing else.
 */
#ifndef PLEACH_EPOCH_H
#define PLEACH_EPOCH_H

#include "../port/port.h"

#define EPOCH_NONE UINT32_MAX
enum { EPOCH_FREE, EPOCH_OUT, EPOCH_IN }; /* a slot's word; EPOCH_IN + a lower bound of the stamp: inside */
#define EPOCH_EXACT (1ull << 63)          /* set if the participant is inside and the bound is its exact stamp */

/* All zero initially, except pins_oldest (epoch_begin). The first four words share one sector of GPU memory, because
 * every update reads all of them. */
typedef struct epoch_state {
    uint64_t floor;
    uint64_t pins_oldest; /* smallest stamp of a pin; UINT64_MAX if there is none */
    uint64_t clock;
    uint64_t pins_end;    /* largest stamp of a pin, plus one; 0 if there is none */
    uint64_t reserved0[4];
    uint64_t claimed; /* slots from this one on have never been claimed */
    uint64_t scan_latch, scan_next, scan_clock, scan_least;
    uint64_t reserved1[3];
    uint64_t pin_latch, pins, pin_room, pin_table; /* epoch_pins.h */
    uint64_t pins_used;
    uint64_t reserved2[3];
} epoch_state;

/* Per slot: the ring in which its participants leave the ids that they retire (epoch_participant.h). */
typedef struct epoch_home {
    uint64_t head, tail; /* of the ring; they only grow, and head also counts reused ids */
    uint64_t reserved[2];
} epoch_home;

typedef struct epoch_retired { uint64_t until, id; } epoch_retired;

/* Access to all parts of the epoch state, passed by value. */
typedef struct epoch {
    epoch_state *state;
    uint64_t *announce;   /* PORT_LINE_WORDS words per slot, of which only the first is used */
    epoch_home *home;     /* one per slot */
    epoch_retired *rings; /* `ring` entries per slot */
    uint32_t slots, ring;
    uint32_t visitors; /* slots after these, without a home, for participants that announce themselves as they claim; or
                        * 0. If not 0, only participants with these slots go inside, and scans read only these */
    uint32_t dated;    /* participants that advance the clock (epoch_advance_dated) then announce their stamps */
} epoch;

static inline __attribute__((unused)) void epoch_begin(epoch_state *e) { e->pins_oldest = UINT64_MAX; }

PORT_FN uint64_t *epoch_slot(epoch e, uint32_t slot) { return &e.announce[(uint64_t)slot * PORT_LINE_WORDS]; }

/* Entry `at` of a slot's ring; `at` counts from the first entry ever written. */
PORT_FN epoch_retired *epoch_entry(epoch e, uint32_t slot, uint64_t at)
{
    return &e.rings[(uint64_t)slot * e.ring + at % e.ring];
}

/* The lowest slot that a participant which is inside can have. */
PORT_FN uint64_t epoch_first_inside(epoch e) { return e.visitors > 0 ? e.slots : 0; }

/* Makes later scans include this slot. Must be called before the first word is written to the slot. */
PORT_FN void epoch_widen(epoch e, uint32_t slot)
{
    uint64_t claimed = port_load_cached(&e.state->claimed); /* it only grows, so a stale value is safe */
    while (claimed <= slot) {
        if (port_latch(&e.state->claimed, claimed, (uint64_t)slot + 1)) return;
        claimed = port_load(&e.state->claimed);
    }
}

/* Claims a free slot, from `wish` on, and stores `word` in it (EPOCH_OUT, or EPOCH_IN + an earlier value of the clock).
 * Returns EPOCH_NONE if all are taken; retry later. The previous owner's data in the slot's home is readable. */
PORT_FN uint32_t epoch_claim(epoch e, uint32_t wish, uint64_t word)
{
    bool visitor = word >= EPOCH_IN && e.visitors > 0; /* so these never wait for long-term owners of slots */
    uint32_t first = visitor ? e.slots : 0, count = visitor ? e.visitors : e.slots;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = first + (wish + i) % count;
        if (port_load(epoch_slot(e, slot)) != EPOCH_FREE) continue;
        epoch_widen(e, slot);
        if (port_latch(epoch_slot(e, slot), EPOCH_FREE, word)) return slot;
    }
    return EPOCH_NONE;
}

PORT_FN void epoch_unclaim(epoch e, uint32_t slot) { port_store_release(epoch_slot(e, slot), EPOCH_FREE); }

/* Announces that the participant is inside, and returns its stamp: the participant sees everything that was done before
 * the clock reached this value. The announcement alone protects a participant that only stays inside. A pin of this
 * stamp needs the fence too; otherwise it would not protect nodes that the participant reached by a load from before
 * the clock advanced to the stamp. */
PORT_FN uint64_t epoch_enter(epoch e, uint32_t slot)
{
    port_latch(epoch_slot(e, slot), EPOCH_OUT, EPOCH_IN + port_load(&e.state->clock)); /* ours: it succeeds */
    port_fence_after_latch();
    uint64_t stamp = port_load(&e.state->clock);
    port_validate_fence();
    return stamp;
}

/* For a participant that has just announced itself. Advances the clock and returns the previous value, which becomes
 * the participant's stamp. The participant's later loads happen after the clock has advanced. */
PORT_FN uint64_t epoch_advance(epoch e)
{
    port_fence_after_latch();
    uint64_t stamp = port_fetch_add(&e.state->clock, 1);
    port_fence_loads();
    return stamp;
}

/* As epoch_advance, and then publishes the stamp in the participant's slot. If another participant has raised the
 * slot's bound since, the stamp may be below it; a later one is then taken. */
PORT_FN uint64_t epoch_advance_dated(epoch e, uint32_t slot)
{
    for (;;) {
        uint64_t word = port_load(epoch_slot(e, slot)), stamp = epoch_advance(e);
        if (!e.dated || port_latch(epoch_slot(e, slot), word, EPOCH_EXACT | (EPOCH_IN + stamp))) return stamp;
    }
}

/* The smallest stamp that the participant of a slot may have, or UINT64_MAX if it is not inside. */
PORT_FN uint64_t epoch_stamp(uint64_t word)
{
    return word >= EPOCH_IN ? (word & ~EPOCH_EXACT) - EPOCH_IN : UINT64_MAX;
}

PORT_FN void epoch_leave(epoch e, uint32_t slot) { port_store_release(epoch_slot(e, slot), EPOCH_OUT); }

/* Leaves and releases the slot. Only for a participant that has left nothing in its home. */
PORT_FN void epoch_exit_and_release(epoch e, uint32_t slot) { port_store_after_loads(epoch_slot(e, slot), EPOCH_FREE); }

/* The highest possible floor, from one pass over all slots. For a participant that cannot wait for the shared scan. */
PORT_FN uint64_t epoch_look(epoch e)
{
    uint64_t least = port_load(&e.state->clock);
    port_fence_loads(); /* the clock before the slots: E1 */
    uint64_t end = port_load(&e.state->claimed);
    for (uint64_t slot = epoch_first_inside(e); slot < end; slot++) {
        uint64_t stamp = epoch_stamp(port_load(epoch_slot(e, (uint32_t)slot)));
        if (stamp < least) least = stamp;
    }
    port_validate_fence();
    return least;
}

/* Returns true if the participant of a slot may have a stamp below `to`; if its stamp is known, only if the stamp is
 * also at least `from`. If the stamp is not announced yet, raises the slot's bound, so that it will be at least `to`:
 * the participant may have been stopped there for long. */
PORT_FN bool epoch_slot_asks(epoch e, uint64_t *slot, uint64_t from, uint64_t to)
{
    uint64_t word = port_load(slot);
    if (epoch_stamp(word) >= to) return false;
    if (word & EPOCH_EXACT) return epoch_stamp(word) >= from;
    if (e.dated && port_compare_swap(slot, word, EPOCH_IN + to)) return false;
    return !e.dated || epoch_stamp(port_load(slot)) < to; /* the word has changed: it now holds a stamp, or a bound */
}

/* Returns true if a participant that is inside, and already was at the caller's last fence, may have a stamp t with
 * from <= t < to. `to` must not exceed a clock value that the caller has loaded. A participant that is not seen here
 * announced itself after the caller's fence, and took its stamp after that. If more than `most` slots are in use,
 * returns true without reading them. */
PORT_FN bool epoch_asks(epoch e, uint64_t from, uint64_t to, uint64_t most)
{
    if (to <= port_load(&e.state->floor)) return false; /* E1 */
    uint64_t slot = epoch_first_inside(e), end = port_load(&e.state->claimed);
    if (end > slot + most) return true;
    for (; slot < end; slot++)
        if (epoch_slot_asks(e, epoch_slot(e, (uint32_t)slot), from, to)) return true;
    return false;
}

/* Everything retired with a stamp of at most the result is free. The floor must not be read after the pins: E4. */
PORT_FN uint64_t epoch_oldest(const epoch_state *e)
{
    uint64_t floor, pinned;
    port_load_in_order(&e->floor, &floor, &pinned);
    port_validate_fence(); /* loads of those that left or removed a pin are complete before what follows */
    return floor < pinned ? floor : pinned;
}

#endif
