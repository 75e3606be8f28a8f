/* pleach/graph_snapshot.h - a whole graph as it was at one instant, while updates go on.
 *
 * An ordered graph (adjacency = PLEACH_ADJACENCY_ORDERED) that was made with `snapshots = 1` lets you take snapshots.
 * All questions to one see the same vertices, edges and values, whatever is done to the graph meanwhile. An array call
 * that puts or erases edges or vertices is seen as a whole or not at all. Taking a snapshot copies nothing, and waits
 * for the update, or the call that runs alone, that is running; questions wait for none.
 *
 * Any number may be live, taken and asked and released by any threads; all must be released before the graph is
 * destroyed. While one is live, pleach_graph_build, _clear and _load_file answer PLEACH_E_BUSY, and every update keeps
 * copies of what it changes: erasing too may answer PLEACH_E_FULL then.
 */
#ifndef PLEACH_GRAPH_SNAPSHOT_H
#define PLEACH_GRAPH_SNAPSHOT_H

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_graph_snapshot pleach_graph_snapshot;

/* What returned before the call is shown, what is called after it is not. Errors: ARGUMENT (a pointer is NULL, or the
 * graph is without snapshots), MEMORY, CUDA. On error *out is NULL. */
PLEACH_API pleach_status pleach_graph_snapshot_take(pleach_graph *graph, pleach_graph_snapshot **out);

/* Lets go of what only this snapshot needed; NULL is allowed. No question to it may be running or come later. */
PLEACH_API void pleach_graph_snapshot_release(pleach_graph_snapshot *snapshot);

/* ---- questions -----------------------------------------------------------------------------------------------------
 * Arguments, results and errors as of the function of the same name for a graph (graph.h, triangles.h), but beside
 * everything; only pleach_graph_get_stats and _validate hold them back while they look at the nodes. */

PLEACH_API pleach_status pleach_graph_snapshot_size(pleach_graph_snapshot *snapshot, uint64_t *vertices,
                                                    uint64_t *edges);
PLEACH_API pleach_status pleach_graph_snapshot_find_edges(pleach_graph_snapshot *snapshot, size_t n,
                                                          const uint32_t *from, const uint32_t *to, uint32_t *values,
                                                          uint8_t *found);
PLEACH_API pleach_status pleach_graph_snapshot_find_vertices(pleach_graph_snapshot *snapshot, size_t n,
                                                             const uint32_t *vertices, uint8_t *found);
PLEACH_API pleach_status pleach_graph_snapshot_degrees(pleach_graph_snapshot *snapshot, size_t n,
                                                       const uint32_t *vertices, uint32_t *degrees);
PLEACH_API pleach_status pleach_graph_snapshot_neighbours(pleach_graph_snapshot *snapshot, size_t n,
                                                          const uint32_t *vertices, size_t capacity,
                                                          uint32_t *neighbours, uint32_t *values, uint64_t *offsets,
                                                          size_t *total);
PLEACH_API pleach_status pleach_graph_snapshot_export_edges(pleach_graph_snapshot *snapshot, size_t capacity,
                                                            uint32_t *from, uint32_t *to, uint32_t *values,
                                                            uint64_t *edges);
PLEACH_API pleach_status pleach_graph_snapshot_triangles(pleach_graph_snapshot *snapshot, size_t capacity,
                                                         uint64_t *by_vertex, uint64_t *total);

#ifdef __cplusplus
}
#endif
#endif
