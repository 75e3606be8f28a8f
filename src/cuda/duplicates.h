/* cuda/duplicates.h - updates of one array call that have the same key.
 *
 * If many elements of a call name one key, as in skewed loads, that many threads compete for one latch and spend most
 * of their time waiting for it. All of them run concurrently, so any order of them is correct, also one in which they
 * follow each other with nothing in between. The elements of the slow list (slow_list.h) are therefore linked into
 * chains, one for each key. The first element of a chain performs one update for the whole chain. The results of the
 * others follow from their predecessors: each put reports the previous put's value as replaced.
 */
#ifndef PLEACH_REPEATS_H
#define PLEACH_REPEATS_H

#include <stdint.h>

#include "staging.h"

#define REPEATS_NONE UINT32_MAX

/* A chain: positions on the slow list plus one; 0 if there is none. At the end `last` is the outcome of the first. */
typedef struct duplicate_chain { uint32_t first, last; } duplicate_chain;

typedef struct repeats {
    uint32_t most;    /* positions from here on are not examined: chains of their own; 0 disables all chains */
    uint32_t mask;    /* of the hash table `rows` of chains */
    duplicate_chain *rows;
    uint32_t *row;    /* chain of each position; NONE if no slot was found: the element is handled by itself */
    uint32_t *before; /* the preceding position in its chain; NONE for the first */
} repeats;

/* Allocates chains for a list of up to n elements. Chains are disabled if there is no memory for them. */
repeats duplicates_of(staging *s, size_t n);

#endif
