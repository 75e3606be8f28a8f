/* graph/triangles/triangle_change.h - by how many the triangles change with some edges: what executors share.
 *
 * The edges that come, or go, are numbered. A triangle that comes with several of them is counted at the largest of
 * their numbers, one that goes at the smallest. The executor goes, for each edge, through the neighbours of the end
 * that has fewer, asks for the third edge at the other end, and hands those over that have it; it does so when all
 * edges that come are there, or while all that go are.
 */
#ifndef PLEACH_GRAPH_TRIANGLE_CHANGE_H
#define PLEACH_GRAPH_TRIANGLE_CHANGE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "../../hash/slabhash_format.h"
#include "../graph_backend.h"

/* An edge, by the ids of its ends, and the element that it is; name 0, which is no edge's: nothing. */
typedef struct numbered_edge { uint64_t name, element; } numbered_edge;

typedef struct triangle_change {
    const graph_request *request;
    bool coming;
    bool back;         /* counted triangles are taken back: the edges did not go after all */
    uint8_t *counts;   /* by element: this edge is one of those that change, the only one of its kind */
    numbered_edge *numbers; /* at most half full; an edge is at the place that its hash names, or the next free one */
    uint64_t mask;          /* of places */
    slab_seed seed;         /* random for each call: edges can be chosen to collide under a hash that is known */
    size_t capacity;
    uint64_t *by_vertex;
    atomic_uint_fast64_t change;
} triangle_change;

/* All memory that numbering and counting need: what has been applied must be counted. False: there is none; closed in
 * any case. */
bool change_open(triangle_change *c);
void change_close(triangle_change *c);

/* Numbers the elements whose `counts` are set, and leaves these set for one of equal edges. */
void change_number(triangle_change *c);

/* Whether this edge is one of those that change; and memory that is soon asked for that. */
bool change_has(const triangle_change *c, uint32_t one, uint32_t two);
void change_prefetch(const triangle_change *c, uint32_t one, uint32_t two);

/* The triangle of element `number`'s ends and `third`: whether it is counted here. Then it is charged to `third`. */
bool counted_at_this_edge(const triangle_change *c, uint64_t number, uint32_t third);

/* So many triangles that `id` is part of, as the caller's by_vertex is to have it. Beside others. */
void change_charge(const triangle_change *c, uint32_t id, uint64_t triangles);

/* What element `number` has counted: charged to its ends, and to the sum. Beside other elements. */
void change_add(triangle_change *c, uint64_t number, uint64_t triangles);

#endif
