/* cuda/duplicates.h - updates of one array call that have the same key.
 *
 * If many elements of a call name one key, as in skewed loads, that many threads want one latch, and most of their time
 * goes by waiting for it. All of them run at the same time, so any order of theirs is right, also one in which they
 * follow each other with nothing between. So those on the list of what is left for later (slow_list.h) are put in rows, one
 * for each key; the first of a row makes the change for all of it, and what the others answer follows from their
 * neighbours in the row: a put has replaced the value of the one before.
 */
#ifndef PLEACH_REPEATS_H
#define PLEACH_REPEATS_H

#include <stdint.h>

#include "staging.h"

#define REPEATS_NONE UINT32_MAX

/* A row: positions on the list, plus one; 0: there is none. In the end `last` is the outcome of the first. */
typedef struct duplicate_chain { uint32_t first, last; } duplicate_chain;

typedef struct repeats {
    uint32_t most;    /* positions from here on are not looked at, and are rows of their own; 0: none is */
    uint32_t mask;    /* of places of rows */
    duplicate_chain *rows;
    uint32_t *row;    /* of each position; NONE: it is alone, no place was found */
    uint32_t *before; /* the position before it in its row; NONE: it is the first */
} repeats;

/* For a list of at most n elements. None if there is no memory for it. */
repeats duplicates_of(staging *s, size_t n);

#endif
