/* epoch/epoch_pins.h - stamps that stay for long, in a table: whoever holds one needs no slot, and any number may.
 *
 * A pin is set by an agent that is inside, and takes its stamp over. So there is no instant at which the stamp is
 * neither in a slot nor in the table, which is E4: who has read the floor, and after it sees no pin of some stamp, has
 * read a floor of at most that stamp.
 *
 * Concurrent pins may have the same stamp; the table has an entry for each.
 *
 * PROGRESS   The table has a latch, held for a few accesses per entry at most; setting and removing answer BUSY instead
 *            of waiting for it.
 */
#ifndef PLEACH_EPOCH_PINS_H
#define PLEACH_EPOCH_PINS_H

#include "epoch.h"

typedef enum epoch_answer { EPOCH_DONE, EPOCH_BUSY, EPOCH_FULL } epoch_answer;

PORT_FN uint64_t *epoch_pin_table(epoch_state *e) { return (uint64_t *)(uintptr_t)port_load(&e->pin_table); }

/* By an agent that has entered with this stamp and not left yet. FULL: epoch_pins_move to a larger table. */
PORT_FN epoch_answer epoch_pin(epoch_state *e, uint64_t stamp)
{
    if (!port_latch(&e->pin_latch, 0, 1)) return EPOCH_BUSY;
    uint64_t pins = port_load(&e->pins);
    bool room = pins < port_load(&e->pin_room);
    if (room) {
        port_store(&epoch_pin_table(e)[pins], stamp);
        port_store(&e->pins, pins + 1);
        if (stamp >= port_load(&e->pins_end)) port_store(&e->pins_end, stamp + 1);
        if (stamp < port_load(&e->pins_oldest)) port_store(&e->pins_oldest, stamp);
    }
    port_store_release(&e->pin_latch, 0);
    return room ? EPOCH_DONE : EPOCH_FULL;
}

PORT_FN void epoch_pin_bounds(epoch_state *e, uint64_t pins)
{
    uint64_t end = 0, oldest = UINT64_MAX;
    const uint64_t *table = epoch_pin_table(e);
    for (uint64_t i = 0; i < pins; i++) {
        uint64_t stamp = port_load(&table[i]);
        if (stamp >= end) end = stamp + 1;
        if (stamp < oldest) oldest = stamp;
    }
    port_store(&e->pins_end, end);
    port_store(&e->pins_oldest, oldest);
}

/* A pin that was set and not removed yet, whose holder does not look at anything any more. */
PORT_FN epoch_answer epoch_unpin(epoch_state *e, uint64_t stamp)
{
    if (!port_latch(&e->pin_latch, 0, 1)) return EPOCH_BUSY;
    uint64_t *table = epoch_pin_table(e);
    uint64_t last = port_load(&e->pins) - 1, at = 0;
    while (at < last && port_load(&table[at]) != stamp) at++;
    port_store(&table[at], port_load(&table[last]));
    port_store(&e->pins, last);
    bool outermost = stamp == port_load(&e->pins_oldest) || stamp + 1 == port_load(&e->pins_end);
    port_publish_fence(); /* the holder's loads are over before the bounds say so */
    if (outermost) epoch_pin_bounds(e, last);
    port_store_release(&e->pin_latch, 0);
    return EPOCH_DONE;
}

/* To a larger table; the caller frees the old one. Nothing happens if that is large enough already, and the answer is
 * the table that is not in use. */
PORT_FN epoch_answer epoch_pins_move(epoch_state *e, uint64_t *table, uint64_t room, uint64_t **unused)
{
    if (!port_latch(&e->pin_latch, 0, 1)) return EPOCH_BUSY;
    uint64_t *old = epoch_pin_table(e), pins = port_load(&e->pins);
    *unused = table;
    if (room > port_load(&e->pin_room)) {
        for (uint64_t i = 0; i < pins; i++) port_store(&table[i], port_load(&old[i]));
        port_store(&e->pin_table, (uint64_t)(uintptr_t)table);
        port_store(&e->pin_room, room);
        *unused = old;
    }
    port_store_release(&e->pin_latch, 0);
    return EPOCH_DONE;
}

#endif
