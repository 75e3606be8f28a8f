/* blink/blink_notes.h - long queries: a count or range that has visited LONG_VISITS leaves and is not done is noted,
 * and then read in parts by many threads. Of more than LONG_QUERIES such queries of a call the others are read to their
 * ends as they are: they keep the machine busy anyhow. */
#ifndef PLEACH_BLINK_NOTES_H
#define PLEACH_BLINK_NOTES_H

#include "../port/port.h"

enum { LONG_VISITS = 64, LONG_QUERIES = 1 << 11 };

typedef struct long_notes {
    uint64_t queries; /* noted, or more than could be; 0 before the call */
    uint64_t query[LONG_QUERIES];
} long_notes;

/* Notes query i; false: it has to be read to its end. NULL: so has each. The first look keeps thousands of long queries
 * from meeting at the counter. */
PORT_FN bool long_note(long_notes *notes, uint64_t i)
{
    if (!notes || port_load(&notes->queries) >= LONG_QUERIES) return false;
    const uint64_t number = port_fetch_add(&notes->queries, 1);
    if (number < LONG_QUERIES) notes->query[number] = i;
    return number < LONG_QUERIES;
}

#endif
