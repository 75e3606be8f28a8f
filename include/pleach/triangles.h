/* pleach/triangles.h - triangles of an undirected graph: counting all of them, or only those that an update changes.
 *
 * A triangle is three vertices with an edge between each pair of them. Counting all costs time by the size of the
 * graph. Counting the changes of an update costs time by the number of changed edges and the degrees of their ends, or
 * by the size of the graph if that is less.
 *
 * ordering       all calls are synchronous.
 * concurrency    all calls are exclusive.
 */
#ifndef PLEACH_TRIANGLES_H
#define PLEACH_TRIANGLES_H

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Counts all triangles. by_vertex (may be NULL) has room for `capacity` vertices; element i is set to the number of
 * triangles that vertex i is part of.
 * errors         SPACE if a vertex id is not below capacity; ARGUMENT for a directed graph. */
PLEACH_API pleach_status pleach_graph_triangles(pleach_graph *graph, size_t capacity, uint64_t *by_vertex,
                                                uint64_t *total);

/* Clustering coefficients of vertices 0 .. n-1: twice the triangles of a vertex over the (ordered) pairs of its
 * neighbours; 0 with fewer than two neighbours. *average (may be NULL) is taken over the vertices present. */
PLEACH_API pleach_status pleach_graph_clustering(pleach_graph *graph, size_t n, double *coefficients, double *average);

/* As pleach_graph_insert_edges and _erase_edges, but exclusive and synchronous, and reports how many triangles were
 * added or removed. An added triangle is counted once, at the last of its edges that this call inserted; a removed one
 * at the first of its edges that this call erased. In by_vertex (NULL, or `capacity` elements) the counts of these
 * triangles are added to, or subtracted from, the elements of their vertices below `capacity`. After FULL, *change
 * counts what was applied. */
PLEACH_API pleach_status pleach_graph_insert_counting(pleach_graph *graph, size_t n, const uint32_t *from,
                                                      const uint32_t *to, const uint32_t *values, uint8_t *outcomes,
                                                      size_t capacity, uint64_t *by_vertex, uint64_t *change);
PLEACH_API pleach_status pleach_graph_erase_counting(pleach_graph *graph, size_t n, const uint32_t *from,
                                                     const uint32_t *to, uint8_t *outcomes, size_t capacity,
                                                     uint64_t *by_vertex, uint64_t *change);

#ifdef __cplusplus
}
#endif
#endif
