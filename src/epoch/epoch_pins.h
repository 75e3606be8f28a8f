/* epoch/epoch_pins.h - stamps that stay for long, in a table: the holder of one needs no slot, and any number may live.
 *
 * A pin is set by an agent that is inside, and takes its stamp over. So there is no instant at which the stamp is
 * neither in a slot nor in the table, which is E4: an agent that has read the floor, and then sees no pin of some stamp,
 * has read a floor of at most that stamp.
 *
 * LAYOUT   Entries in the order of their stamps, of which removed ones stay until the table is tidied, and above them a
 *          complete binary tree of flags: 1 if there is a pin below. The table is EPOCH_PIN_WORDS words for each entry.
 *
 *     flags                1
 *                   1             1
 *                1     0       1     0
 *     entries    5  (6)(8)(9)  12 12           in (): removed
 *
 * Concurrent pins may have the same stamp; the table has an entry for each.
 *
 * COST   Removing a pin, and asking whether there is one in an interval, take steps in the order of the logarithm of the
 *        table's size. So does setting one, but for moving entries of later stamps that came before it, and for tidying
 *        when all entries are used: rarely, if the table is kept at most half full.
 *
 * PROGRESS   The table has a latch, held for those steps. Setting and removing return BUSY instead of waiting for it.
 */
#ifndef PLEACH_EPOCH_PINS_H
#define PLEACH_EPOCH_PINS_H

#include "epoch.h"

enum { EPOCH_PIN_WORDS = 3 };

typedef enum epoch_answer { EPOCH_DONE, EPOCH_BUSY, EPOCH_FULL } epoch_answer;

/* What is read from the state once, under the latch. */
typedef struct epoch_pins {
    uint64_t *stamp, *flag; /* the entry at i has flag[room + i], and flag[n] is above flag[2 n] and flag[2 n + 1] */
    uint64_t room, used;    /* entries; room is a power of two */
} epoch_pins;

PORT_FN epoch_pins epoch_pins_open(const epoch_state *e)
{
    uint64_t *table = (uint64_t *)(uintptr_t)port_load(&e->pin_table), room = port_load(&e->pin_room);
    return (epoch_pins){table, table + room, room, port_load(&e->pins_used)};
}

PORT_FN void epoch_pins_mark(epoch_pins p, uint64_t at)
{
    for (uint64_t i = p.room + at; i > 0 && !port_load(&p.flag[i]); i /= 2) port_store(&p.flag[i], 1);
}

PORT_FN void epoch_pins_unmark(epoch_pins p, uint64_t at)
{
    uint64_t i = p.room + at;
    port_store(&p.flag[i], 0);
    while ((i /= 2) > 0 && !port_load(&p.flag[2 * i]) && !port_load(&p.flag[2 * i + 1])) port_store(&p.flag[i], 0);
}

/* The first pin at entry `at` or later; room if there is none. */
PORT_FN uint64_t epoch_pins_next(epoch_pins p, uint64_t at)
{
    uint64_t i = p.room + at;
    if (at >= p.room) return p.room;
    while (!port_load(&p.flag[i])) {
        while (i & 1) i /= 2; /* all below this parent is looked at: go up to one that is a left child */
        if (i == 0) return p.room;
        i++;
    }
    while (i < p.room) i = 2 * i + (port_load(&p.flag[2 * i]) ? 0 : 1);
    return i - p.room;
}

/* There is one. */
PORT_FN uint64_t epoch_pins_last(epoch_pins p)
{
    uint64_t i = 1;
    while (i < p.room) i = 2 * i + (port_load(&p.flag[2 * i + 1]) ? 1 : 0);
    return i - p.room;
}

/* The first entry with at least this stamp, removed or not. */
PORT_FN uint64_t epoch_pins_search(epoch_pins p, uint64_t stamp)
{
    uint64_t low = 0, high = p.used;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (port_load(&p.stamp[middle]) < stamp)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Pins of one table, which may be the same, to the front of the other. Returns their number. */
PORT_FN uint64_t epoch_pins_tidy(epoch_pins from, epoch_pins to)
{
    uint64_t used = 0;
    for (uint64_t at = epoch_pins_next(from, 0); at < from.room; at = epoch_pins_next(from, at + 1))
        port_store(&to.stamp[used++], port_load(&from.stamp[at]));
    for (uint64_t i = 1; i < 2 * to.room; i++) port_store(&to.flag[i], 0);
    for (uint64_t at = 0; at < used; at++) epoch_pins_mark(to, at);
    return used;
}

/* Under the latch, by an agent that has entered with this stamp: there is room. */
PORT_FN void epoch_pins_insert(epoch_state *e, uint64_t stamp)
{
    epoch_pins p = epoch_pins_open(e);
    if (p.used == p.room) p.used = epoch_pins_tidy(p, p);
    uint64_t at = p.used;
    for (; at > 0 && port_load(&p.stamp[at - 1]) > stamp; at--) {
        port_store(&p.stamp[at], port_load(&p.stamp[at - 1]));
        if (port_load(&p.flag[p.room + at - 1]))
            epoch_pins_mark(p, at);
        else
            epoch_pins_unmark(p, at);
    }
    port_store(&p.stamp[at], stamp);
    epoch_pins_mark(p, at);
    port_store(&e->pins_used, p.used + 1);
    port_store(&e->pins, port_load(&e->pins) + 1);
    if (stamp >= port_load(&e->pins_end)) port_store(&e->pins_end, stamp + 1);
    if (stamp < port_load(&e->pins_oldest)) port_store(&e->pins_oldest, stamp);
}

/* By an agent that has entered with this stamp and not left yet. FULL: epoch_pins_move to a larger table. */
PORT_FN epoch_answer epoch_pin(epoch_state *e, uint64_t stamp)
{
    if (!port_latch(&e->pin_latch, 0, 1)) return EPOCH_BUSY;
    bool room = port_load(&e->pins) < port_load(&e->pin_room);
    if (room) epoch_pins_insert(e, stamp);
    port_store_release(&e->pin_latch, 0);
    return room ? EPOCH_DONE : EPOCH_FULL;
}

PORT_FN void epoch_pin_bounds(epoch_state *e, epoch_pins p)
{
    bool none = !port_load(&p.flag[1]);
    if (none) port_store(&e->pins_used, 0);
    port_store(&e->pins_end, none ? 0 : port_load(&p.stamp[epoch_pins_last(p)]) + 1);
    port_store(&e->pins_oldest, none ? UINT64_MAX : port_load(&p.stamp[epoch_pins_next(p, 0)]));
}

/* A pin that was set and not removed yet, whose holder does not look at anything any more. */
PORT_FN epoch_answer epoch_unpin(epoch_state *e, uint64_t stamp)
{
    if (!port_latch(&e->pin_latch, 0, 1)) return EPOCH_BUSY;
    epoch_pins p = epoch_pins_open(e);
    uint64_t at = epoch_pins_next(p, epoch_pins_search(p, stamp));
    port_publish_fence(); /* the holder's loads are over before the table and the bounds say so */
    epoch_pins_unmark(p, at);
    port_store(&e->pins, port_load(&e->pins) - 1);
    epoch_pin_bounds(e, p);
    port_store_release(&e->pin_latch, 0);
    return EPOCH_DONE;
}

/* Is there a pin with from <= stamp < to? True also if the table is latched by another agent. */
PORT_FN bool epoch_pinned(epoch_state *e, uint64_t from, uint64_t to)
{
    if (from >= port_load(&e->pins_end) || to <= port_load(&e->pins_oldest)) return false;
    if (!port_latch(&e->pin_latch, 0, 1)) return true;
    epoch_pins p = epoch_pins_open(e);
    uint64_t at = epoch_pins_next(p, epoch_pins_search(p, from));
    bool pinned = at < p.room && port_load(&p.stamp[at]) < to;
    port_store_release(&e->pin_latch, 0);
    return pinned;
}

/* To a larger table; the caller frees the old one. Nothing happens if that is large enough already, and the answer is
 * the table that is not in use. */
PORT_FN epoch_answer epoch_pins_move(epoch_state *e, uint64_t *table, uint64_t room, uint64_t **unused)
{
    if (!port_latch(&e->pin_latch, 0, 1)) return EPOCH_BUSY;
    epoch_pins old = epoch_pins_open(e);
    *unused = table;
    if (room > old.room) {
        port_store(&e->pins_used, epoch_pins_tidy(old, (epoch_pins){table, table + room, room, 0}));
        port_store(&e->pin_table, (uint64_t)(uintptr_t)table);
        port_store(&e->pin_room, room);
        *unused = old.stamp;
    }
    port_store_release(&e->pin_latch, 0);
    return EPOCH_DONE;
}

#endif
