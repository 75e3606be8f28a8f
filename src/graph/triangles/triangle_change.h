/* graph/triangles/triangle_change.h - counts how many triangles some edges add or remove: what backends share.
 *
 * The edges that are inserted, or erased, are numbered. If an added triangle has several of them, it is counted at the
 * largest of their numbers; a removed one is counted at the smallest. For each edge, the backend lists the neighbours
 * of the endpoint that has fewer, looks the third edge up at the other endpoint, and reports the triangles that it
 * finds. It does so while all inserted edges are present, or while all erased edges still are.
 */
#ifndef PLEACH_GRAPH_TRIANGLE_CHANGE_H
#define PLEACH_GRAPH_TRIANGLE_CHANGE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../../hash/slabhash_format.h"
#include "../base/graph_backend.h"

/* An edge, by the ids of its endpoints, and its element. Name 0, which no edge has, means an empty place. */
typedef struct numbered_edge { uint64_t name, element; } numbered_edge;

typedef struct triangle_change {
    const graph_request *request;
    bool coming;
    bool back;         /* subtract counted triangles: the edges were not erased after all */
    uint8_t *counts;   /* by element: whether this edge changes, and is the only one of equal ones */
    numbered_edge *numbers; /* at most half full; open addressing, by hash */
    uint64_t mask;          /* number of places - 1 */
    slab_seed seed;         /* random in each call, because edges could be chosen to collide under a known hash */
    size_t capacity;
    uint64_t *by_vertex;
    atomic_uint_fast64_t change;
} triangle_change;

/* Allocates all memory for numbering and counting beforehand, because what has been applied must be counted. Returns
 * false if there is none. Must be closed in either case. */
bool change_open(triangle_change *c);
void change_close(triangle_change *c);

/* Numbers the elements whose `counts` are set. Of equal edges, only one keeps its `counts` set. */
void change_number(triangle_change *c);

/* change_has returns whether this edge is one of those that change; change_prefetch prefetches what it reads. */
bool change_has(const triangle_change *c, uint32_t one, uint32_t two);
void change_prefetch(const triangle_change *c, uint32_t one, uint32_t two);

/* Returns whether the triangle of element `number`'s endpoints and `third` is counted at this edge. If so, it is added
 * to the count of `third`. */
bool counted_at_this_edge(const triangle_change *c, uint64_t number, uint32_t third);

/* Adds triangles that `id` is part of to the caller's by_vertex. Safe to call concurrently. */
void change_charge(const triangle_change *c, uint32_t id, uint64_t triangles);

/* Adds the triangles counted at element `number` to its endpoints and to the sum. Safe to call concurrently for other
 * elements. */
void change_add(triangle_change *c, uint64_t number, uint64_t triangles);

#endif
