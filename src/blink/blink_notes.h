/* blink/blink_notes.h - long queries: a count or range that has visited LONG_VISITS leaves and is not done is noted,
 * and then read in parts by many threads. If a call has more than LONG_QUERIES such queries, the others run to their
 * ends unchanged: there are enough of them to keep the machine busy. */
#ifndef PLEACH_BLINK_NOTES_H
#define PLEACH_BLINK_NOTES_H

#include "../port/port.h"

enum { LONG_VISITS = 64, LONG_QUERIES = 1 << 11 };

typedef struct long_notes {
    uint64_t queries; /* queries noted; may exceed the room; 0 before the call */
    uint64_t query[LONG_QUERIES];
} long_notes;

/* Notes query i. Returns false if it must be run to its end instead; always so if `notes` is NULL. The counter is read
 * before it is incremented, so that thousands of long queries do not contend for it. */
PORT_FN bool long_note(long_notes *notes, uint64_t i)
{
    if (!notes || port_load(&notes->queries) >= LONG_QUERIES) return false;
    const uint64_t number = port_fetch_add(&notes->queries, 1);
    if (number < LONG_QUERIES) notes->query[number] = i;
    return number < LONG_QUERIES;
}

#endif
