/* epoch/epoch_pins.h - long-lived stamps, kept in a table. A holder needs no slot, and any number of pins may exist.
 *
 * A participant that is inside sets a pin with its own stamp. So at no instant is the stamp missing from both the slot
 * and the table, which gives E4: a participant that has read the floor, and then sees no pin of some stamp, has read a
 * floor of at most that stamp.
 *
 * LAYOUT   Entries in the order of their stamps; removed ones stay until the table is compacted. Above the entries
 *          there is a complete binary tree of flags: a flag is 1 if there is a pin below it. The table has
 *          EPOCH_PIN_WORDS words per entry.
 *
 *     flags                1
 *                   1             1
 *                1     0       1     0
 *     entries    5  (6)(8)(9)  12 12           in (): removed
 *
 * Several pins may have the same stamp; each has its own entry.
 *
 * COST   Removing a pin, and testing whether an interval contains one, take O(log n) steps for a table of n entries. So
 *        does setting a pin, apart from moving entries with later stamps that were set earlier, and from compacting
 *        when all entries are used. Compacting is rare if the table is kept at most half full.
 *
 * PROGRESS   The table has a latch, which is held for these steps. Setting and removing return BUSY instead of waiting.
 */
#ifndef PLEACH_EPOCH_PINS_H
#define PLEACH_EPOCH_PINS_H

#include "epoch.h"

enum { EPOCH_PIN_WORDS = 3 };

typedef enum epoch_answer { EPOCH_DONE, EPOCH_BUSY, EPOCH_FULL } epoch_answer;

/* The words of the state that describe the table, read once under the latch. */
typedef struct epoch_pins {
    uint64_t *stamp, *flag; /* entry i has flag[room + i]; flag[n] is the parent of flag[2 n] and flag[2 n + 1] */
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

/* Returns the first pin at entry `at` or later, or `room` if there is none. */
PORT_FN uint64_t epoch_pins_next(epoch_pins p, uint64_t at)
{
    uint64_t i = p.room + at;
    if (at >= p.room) return p.room;
    while (!port_load(&p.flag[i])) {
        while (i & 1) i /= 2; /* this subtree has no further pins: go up to a left child */
        if (i == 0) return p.room;
        i++;
    }
    while (i < p.room) i = 2 * i + (port_load(&p.flag[2 * i]) ? 0 : 1);
    return i - p.room;
}

/* Returns the last pin. The table must not be empty. */
PORT_FN uint64_t epoch_pins_last(epoch_pins p)
{
    uint64_t i = 1;
    while (i < p.room) i = 2 * i + (port_load(&p.flag[2 * i + 1]) ? 1 : 0);
    return i - p.room;
}

/* Returns the first entry, removed or not, whose stamp is at least `stamp`. */
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

/* Moves the pins of one table to the front of another, which may be the same. Returns their number. */
PORT_FN uint64_t epoch_pins_tidy(epoch_pins from, epoch_pins to)
{
    uint64_t used = 0;
    for (uint64_t at = epoch_pins_next(from, 0); at < from.room; at = epoch_pins_next(from, at + 1))
        port_store(&to.stamp[used++], port_load(&from.stamp[at]));
    for (uint64_t i = 1; i < 2 * to.room; i++) port_store(&to.flag[i], 0);
    for (uint64_t at = 0; at < used; at++) epoch_pins_mark(to, at);
    return used;
}

/* The caller must hold the latch, and the participant must have entered with this stamp. The table must have room. */
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

/* Called by a participant that has entered with this stamp and has not left yet. FULL: call epoch_pins_move. */
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

/* Removes a pin. Its holder must not read anything under its protection any more. */
PORT_FN epoch_answer epoch_unpin(epoch_state *e, uint64_t stamp)
{
    if (!port_latch(&e->pin_latch, 0, 1)) return EPOCH_BUSY;
    epoch_pins p = epoch_pins_open(e);
    uint64_t at = epoch_pins_next(p, epoch_pins_search(p, stamp));
    port_publish_fence(); /* the holder's loads are complete before the table and the bounds change */
    epoch_pins_unmark(p, at);
    port_store(&e->pins, port_load(&e->pins) - 1);
    epoch_pin_bounds(e, p);
    port_store_release(&e->pin_latch, 0);
    return EPOCH_DONE;
}

/* Returns true if there is a pin with from <= stamp < to, or if the table is latched by another participant. */
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

/* Moves the pins to a larger table. If the current one is already large enough, nothing is moved. *unused is the table
 * that is not in use afterwards; the caller frees it. */
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
