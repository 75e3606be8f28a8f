/* pleach/graph_snapshot.h - snapshots: a whole graph as it was at one instant, while updates continue.
 *
 * Snapshots can be taken of an ordered graph (adjacency = PLEACH_ADJACENCY_ORDERED) that was created with
 * `snapshots = 1`. All queries of one snapshot see the same vertices, edges and values, whatever updates run
 * concurrently. A snapshot includes all of an array call that inserts or erases edges or vertices, or none of it.
 *
 * Any number of snapshots may be live; any threads may take, query and release them. All must be released before the
 * graph is destroyed. While one is live, pleach_graph_build, _clear and _load_file return PLEACH_E_BUSY, and every
 * update keeps copies of what it changes, so even erasing may return PLEACH_E_FULL.
 */
#ifndef PLEACH_GRAPH_SNAPSHOT_H
#define PLEACH_GRAPH_SNAPSHOT_H

#include "graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pleach_graph_snapshot pleach_graph_snapshot;

/* Takes a snapshot. It includes updates that returned before the call, and none that are called after it.
 * concurrency    waits for a running update or exclusive call.
 * cost           copies nothing.
 * errors         ARGUMENT (a pointer is NULL, or the graph has no snapshots), MEMORY, CUDA. On error *out is NULL. */
PLEACH_API pleach_status pleach_graph_snapshot_take(pleach_graph *graph, pleach_graph_snapshot **out);

/* Releases the snapshot and the memory that only it kept alive; NULL is a no-op.
 * concurrency    No query of this snapshot may be in progress or start later. */
PLEACH_API void pleach_graph_snapshot_release(pleach_graph_snapshot *snapshot);

/* ---- queries -------------------------------------------------------------------------------------------------------
 * memory, errors  as for the function of the same name for a graph (graph.h, triangles.h).
 * concurrency     with every call; only pleach_graph_get_stats and _validate block queries, while they read the nodes.
 * linearization   the instant when the snapshot was taken.
 */

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
