/* graph_baseline.h - BASELINES, for comparison only: what one would write without a dynamic graph structure.
 *
 * Triangles are counted on a static graph that is built for the purpose; edges are inserted into one growing array for
 * each vertex. Both are plain code with threads; no structure of pleach is in them.
 *
 * Vertex ids are below `vertices`, and memory is proportional to it: edge_list_compact first where ids are sparse.
 */
#ifndef PLEACH_BENCH_GRAPH_BASELINE_H
#define PLEACH_BENCH_GRAPH_BASELINE_H

#include "tools/common/crew.h"
#include "tools/edges/edge_list.h"

/* ---- triangles on sorted, oriented adjacency ---- */

struct baseline_triangles {
    uint64_t triangles;
    uint64_t edges; /* of the simple graph */
    /* Seconds of the phases. */
    double rank;  /* numbering the vertices anew, by degree */
    double build; /* putting the edges, from the lower rank to the higher, in rows of one array */
    double sort;  /* the rows, without duplicates */
    double count; /* merging rows */
};

/* Counts the triangles of the list as a simple undirected graph. per_vertex, if not NULL, has room for `vertices`
 * numbers: the triangles that each vertex is in. False when memory is lacking. */
bool baseline_count_triangles(struct crew *crew, const struct edge_list *list, uint64_t vertices, uint64_t *per_vertex,
                              struct baseline_triangles *result);

/* ---- one growing array for each vertex ---- */

struct baseline_vectors;

/* NULL when memory is lacking. The crew stays the caller's, and is needed until the end. */
struct baseline_vectors *baseline_vectors_create(struct crew *crew, uint64_t vertices);
void baseline_vectors_destroy(struct baseline_vectors *graph);

/* Inserts directed edges, self loops included, as a set: appends each to its vertex, then sorts what is new there and
 * merges it with what was there. False when memory is lacking; then some of the edges may be missing. */
bool baseline_vectors_insert(struct baseline_vectors *graph, size_t count, const uint32_t *from, const uint32_t *to);

/* One caller, while none inserts. */
uint64_t baseline_vectors_edges(const struct baseline_vectors *graph);
bool baseline_vectors_has(const struct baseline_vectors *graph, uint32_t from, uint32_t to);
const uint32_t *baseline_vectors_neighbours(const struct baseline_vectors *graph, uint32_t vertex, size_t *count);

#endif
