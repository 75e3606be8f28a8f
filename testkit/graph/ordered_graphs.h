/* testkit/ordered_graphs.h - an ordered graph, and beside it what says how it has to be: a graph with hash tables that
 * gets the same elements one by one, and the matrix of graphs.h.
 *
 * The harness' key widths choose whether edges have values: 32 bits without, 64 bits with. */
#ifndef PLEACH_TESTS_ORDERED_GRAPHS_H
#define PLEACH_TESTS_ORDERED_GRAPHS_H

#include "graphs.h"

enum { PLACES = 40, NOWHERE = PLACES, MOST_IN_CALL = 120 }; /* NOWHERE: PLEACH_NO_VERTEX */

typedef struct trio {
    graph_kind kind;
    graph_matrix model;
    pleach_graph *ordered, *hash;
    uint32_t id[PLACES + 1]; /* vertices are known by their places, which ascend with the ids */
} trio;

/* Elements of a call. */
typedef struct places {
    size_t n;
    unsigned from[MOST_IN_CALL], to[MOST_IN_CALL];
    uint32_t values[MOST_IN_CALL];
} places;

pleach_graph *ordered_open(const setting *where, bool directed, bool snapshots, uint64_t max_bytes);

trio *trio_open(const setting *where, bool directed, bool snapshots, rng *r);
void trio_close(trio *t);

/* Random ends, some of them equal, some NOWHERE if `wild`; values are of this call only. */
void places_fill(places *p, size_t n, bool wild, rng *r);

/* Calls of the ordered graph whose answers must be those of the two others. */
void trio_insert(trio *t, const places *p);
void trio_erase(trio *t, const places *p);
void trio_insert_vertices(trio *t, const places *p);
void trio_erase_vertices(trio *t, const places *p);
void trio_count(trio *t, const places *p, bool coming); /* insert_counting or erase_counting; undirected */
void trio_rebuild(trio *t, const places *p);            /* clear, and build */

/* Everything that can be asked is asked. */
void assert_trio_same(trio *t);

#endif
