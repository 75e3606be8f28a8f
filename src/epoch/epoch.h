/* epoch/epoch.h - epoch-based reclamation: who may still be looking at something that was taken out of a structure.
 *
 * LAYOUT
 *
 * The clock is a number that only grows. An agent (a CPU thread, or the threads of a GPU block or warp together) claims
 * a slot, and says in it when it goes into a structure and when it has come out:
 *
 *     announce   | free | out | in, 5 | free | at, 7 | out | ...          clock 8
 *                   nobody's    entered when the clock stood at 5, or later; at 7: its stamp is 7
 *
 * Now and then somebody scans the slots, a few at a time (DEBRA), and raises the floor to the least of what it saw.
 * What was taken out of a structure is retired with a stamp, `until`: whoever enters at `until` or later cannot come
 * upon it. So it is free as soon as until <= floor.
 *
 * Whoever wants to stay inside for long does not keep a slot but enters its stamp in a table: a pin (epoch_pins.h).
 * Then until <= the oldest pin is needed too: epoch_oldest has both.
 *
 * INVARIANTS
 *   E1  Every agent that is inside, now or at any later time, has a stamp (epoch_enter's answer) of at least `floor`.
 *   E2  floor <= clock; both only grow.
 *   E3  A slot that is not free belongs to one agent, and so does the home beside it (epoch_participant.h).
 *   E4  Every pin that is or comes into the table has a stamp of at least the floor that stood before it came there.
 *
 * WHY E1. Let a scan read the clock, c, and then the slots; it raises the floor to c or to the least stamp in a slot,
 * whichever is less. An agent that it saw has announced the clock of before it entered, so its own stamp is not less.
 * An agent that it did not see announced itself after the scan looked at its slot, and read the clock, its stamp, after
 * that: later than the scan did, so the stamp is c or more. The same holds for an agent whose slot the scan left out
 * because no slot that high had been claimed when it asked.
 *
 * HOW MANY EPOCHS. Schemes with three bags by epoch number need the third because a bag's epoch says only "about then".
 * Here each thing has its own stamp, and any number of epochs may be in limbo. Who takes something out of a structure
 * and then reads the clock, r, retires it with until = r + 1: an agent that can still come upon it has read the clock
 * before it was taken out, hence a stamp of at most r. The swap that takes it out must be there for all to see before
 * the clock is read: port_fence_after_latch between them. (Versions use until = r, with their own argument.)
 *
 * WHO MAY RUN TOGETHER   everything here.
 * MEMORY ORDERS
 *   Announcing and then reading the clock (port_latch, port_fence_after_latch) pairs with the scan's reading of clock and
 *   then slots (port_fence_loads): E1. Leaving comes after the agent's loads (a release, or port_store_after_loads),
 *   and the scan's look at the slot is an acquire, so what the agent read it has read before anybody sees the new
 *   floor.
 * PROGRESS   Everything is lock-free, and scanning is tried and not waited for: an agent that stops inside, or in the
 *   middle of a scan, delays the floor and nothing else.
 */
#ifndef PLEACH_EPOCH_H
#define PLEACH_EPOCH_H

#include "../port/port.h"

#define EPOCH_NONE UINT32_MAX
enum { EPOCH_FREE, EPOCH_OUT, EPOCH_IN }; /* a slot; EPOCH_IN + a lower limit of the stamp: inside */
#define EPOCH_EXACT (1ull << 63)          /* of a slot whose agent is inside: the limit is the stamp */

/* Zeros to begin with, but for pins_oldest (epoch_begin). The first four words are one sector of a GPU's memory: who
 * updates something reads them all. */
typedef struct epoch_state {
    uint64_t floor;
    uint64_t pins_oldest; /* the smallest stamp of a pin; UINT64_MAX: there is none */
    uint64_t clock;
    uint64_t pins_end;    /* one more than the largest; 0: there is none */
    uint64_t reserved0[4];
    uint64_t claimed; /* slots at and after this one were never claimed */
    uint64_t scan_latch, scan_next, scan_clock, scan_least;
    uint64_t reserved1[3];
    uint64_t pin_latch, pins, pin_room, pin_table; /* epoch_pins.h */
    uint64_t pins_used;
    uint64_t reserved2[3];
} epoch_state;

/* Where the slot's agents leave what they have retired: epoch_participant.h. */
typedef struct epoch_home {
    uint64_t head, tail; /* of the ring; they only grow, and head also counts what was used again */
    uint64_t reserved[2];
} epoch_home;

typedef struct epoch_retired { uint64_t until, id; } epoch_retired;

/* How an agent reaches all of it. */
typedef struct epoch {
    epoch_state *state;
    uint64_t *announce;   /* PORT_LINE_WORDS words a slot; the first one counts */
    epoch_home *home;     /* one a slot */
    epoch_retired *rings; /* `ring` entries a slot */
    uint32_t slots, ring;
    uint32_t visitors; /* slots after these, without a home, for agents that announce themselves as they claim; or 0.
                        * Where there are some, nobody else goes inside, and scans look at these only */
    uint32_t dated;    /* agents that pass the clock (epoch_advance_dated) announce their stamps then */
} epoch;

static inline __attribute__((unused)) void epoch_begin(epoch_state *e) { e->pins_oldest = UINT64_MAX; }

PORT_FN uint64_t *epoch_slot(epoch e, uint32_t slot) { return &e.announce[(uint64_t)slot * PORT_LINE_WORDS]; }

/* Entry number `at` of a slot's ring, counted from its beginning of old. */
PORT_FN epoch_retired *epoch_entry(epoch e, uint32_t slot, uint64_t at)
{
    return &e.rings[(uint64_t)slot * e.ring + at % e.ring];
}

/* Agents that are inside have this slot or a later one. */
PORT_FN uint64_t epoch_first_inside(epoch e) { return e.visitors > 0 ? e.slots : 0; }

/* Before the first word is written to a slot: scans go that far from now on. */
PORT_FN void epoch_widen(epoch e, uint32_t slot)
{
    uint64_t claimed = port_load_cached(&e.state->claimed); /* it only grows: an older value will do */
    while (claimed <= slot) {
        if (port_latch(&e.state->claimed, claimed, (uint64_t)slot + 1)) return;
        claimed = port_load(&e.state->claimed);
    }
}

/* A slot, from `wish` on, which gets `word` (EPOCH_OUT, or EPOCH_IN + a value that the clock had); EPOCH_NONE: all are
 * taken, ask again later. What the slot's last agent left in its home is there to be read. */
PORT_FN uint32_t epoch_claim(epoch e, uint32_t wish, uint64_t word)
{
    bool visitor = word >= EPOCH_IN && e.visitors > 0; /* so that these never wait for those who keep theirs for long */
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

/* The answer is the agent's stamp: it sees everything that was done before the clock reached it. For an agent that only
 * stays inside the slot is enough; but a pin of this stamp, without the fence, would not hold back what the agent came
 * upon by a load from before the clock advanced to it. */
PORT_FN uint64_t epoch_enter(epoch e, uint32_t slot)
{
    port_latch(epoch_slot(e, slot), EPOCH_OUT, EPOCH_IN + port_load(&e.state->clock)); /* ours: it succeeds */
    port_fence_after_latch();
    uint64_t stamp = port_load(&e.state->clock);
    port_validate_fence();
    return stamp;
}

/* For an agent that has announced itself just now: its stamp, which the clock passes at once. What it loads afterwards
 * is loaded later than that. */
PORT_FN uint64_t epoch_advance(epoch e)
{
    port_fence_after_latch();
    uint64_t stamp = port_fetch_add(&e.state->clock, 1);
    port_fence_loads();
    return stamp;
}

/* The same, and then the agent's slot shows the stamp itself. If another agent has raised the limit in the slot since,
 * the stamp may be below it: then the agent takes a later one. */
PORT_FN uint64_t epoch_advance_dated(epoch e, uint32_t slot)
{
    for (;;) {
        uint64_t word = port_load(epoch_slot(e, slot)), stamp = epoch_advance(e);
        if (!e.dated || port_latch(epoch_slot(e, slot), word, EPOCH_EXACT | (EPOCH_IN + stamp))) return stamp;
    }
}

/* The least stamp that the agent of a slot may have; UINT64_MAX if no agent is inside. */
PORT_FN uint64_t epoch_stamp(uint64_t word)
{
    return word >= EPOCH_IN ? (word & ~EPOCH_EXACT) - EPOCH_IN : UINT64_MAX;
}

PORT_FN void epoch_leave(epoch e, uint32_t slot) { port_store_release(epoch_slot(e, slot), EPOCH_OUT); }

/* Out, and the slot is given back: for an agent that has left nothing in its home. */
PORT_FN void epoch_exit_and_release(epoch e, uint32_t slot) { port_store_after_loads(epoch_slot(e, slot), EPOCH_FREE); }

/* How high the floor could be: one look at all slots, for an agent that cannot wait for the scan that all share. */
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

/* Does the agent of a slot ask for a stamp below `to`, and not below `from` if the stamp is known? An agent that has not
 * announced its stamp yet gets a higher limit, so that it takes a stamp of at least `to`: it may have been stopped at
 * that point for long. */
PORT_FN bool epoch_slot_asks(epoch e, uint64_t *slot, uint64_t from, uint64_t to)
{
    uint64_t word = port_load(slot);
    if (epoch_stamp(word) >= to) return false;
    if (word & EPOCH_EXACT) return epoch_stamp(word) >= from;
    if (e.dated && port_compare_swap(slot, word, EPOCH_IN + to)) return false;
    return !e.dated || epoch_stamp(port_load(slot)) < to; /* it has changed: it has a stamp now, or a limit */
}

/* Can an agent that is inside, and was when the caller last settled, have a stamp t with from <= t < to? `to` is at most
 * a value of the clock that the caller has loaded. An agent that was not seen has announced itself after the caller
 * settled, and taken its stamp after that. With more than `most` slots in use the result is true without a look. */
PORT_FN bool epoch_asks(epoch e, uint64_t from, uint64_t to, uint64_t most)
{
    if (to <= port_load(&e.state->floor)) return false; /* E1 */
    uint64_t slot = epoch_first_inside(e), end = port_load(&e.state->claimed);
    if (end > slot + most) return true;
    for (; slot < end; slot++)
        if (epoch_slot_asks(e, epoch_slot(e, (uint32_t)slot), from, to)) return true;
    return false;
}

/* What was retired with a stamp up to this is free. The floor not after the pins: E4. */
PORT_FN uint64_t epoch_oldest(const epoch_state *e)
{
    uint64_t floor, pinned;
    port_load_in_order(&e->floor, &floor, &pinned);
    port_validate_fence(); /* who has left, or let go of a pin, has finished its loads before what we do next */
    return floor < pinned ? floor : pinned;
}

#endif
