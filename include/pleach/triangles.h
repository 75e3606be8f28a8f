/* pleach/triangles.h - triangles of an undirected graph: counted whole, or kept up to date as edges come and go.
 *
 * A triangle is three vertices with an edge between each two of them. Counting whole costs time by the size of the
 * graph; keeping up to date costs time by the number of changed edges and the degrees of their ends, or by the size of
 * the graph where that is less.
 */
#ifndef PLEACH_TRIANGLES_H
#define PLEACH_TRIANGLES_H

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All triangles. by_vertex (may be NULL) has room for `capacity` vertices, and gets the number of triangles that vertex
 * i is part of; SPACE if a larger id is there. ARGUMENT for a directed graph. Alone. */
PLEACH_API pleach_status pleach_graph_triangles(pleach_graph *graph, size_t capacity, uint64_t *by_vertex,
                                                uint64_t *total);

/* Twice the triangles of a vertex over the pairs of its neighbours, for vertices 0 .. n-1; 0 with fewer than two
 * neighbours. *average (may be NULL) is over the vertices that are there. */
PLEACH_API pleach_status pleach_graph_clustering(pleach_graph *graph, size_t n, double *coefficients, double *average);

/* As pleach_graph_insert_edges and _erase_edges, and tells by how many the triangles have become more, or fewer: each
 * is charged to the last of its edges that came with this call, or to the first that went. by_vertex (may be NULL, else
 * of `capacity` elements) is added to, or subtracted from, for the vertices of these triangles below `capacity`.
 * Alone, and synchronous. After FULL, *change counts what was applied. */
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
