/* graph/ordered/ordered_snapshot.c - public functions for snapshots of graphs: they check the arguments, and call the
 * backend. Queries pass no gate: calls that would remove what a live snapshot needs are refused. */
#include "../../../include/pleach/graph_snapshot.h"

#include "../../base/memory.h"
#include "../graph_object.h"

struct pleach_graph_snapshot {
    pleach_graph *graph;
    void *at;
};

pleach_status pleach_graph_snapshot_take(pleach_graph *graph, pleach_graph_snapshot **out)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    if (!graph || !graph->config.snapshots) return PLEACH_E_ARGUMENT;
    pleach_graph_snapshot *snapshot = base_alloc(1, sizeof *snapshot);
    if (!snapshot) return PLEACH_E_MEMORY;
    snapshot->graph = graph;
    gate_enter(&graph->gate);
    pleach_status status = graph->ops->snapshots->take(graph->exec, &snapshot->at);
    if (status == PLEACH_OK) atomic_fetch_add(&graph->live_snapshots, 1);
    gate_leave(&graph->gate);
    if (status == PLEACH_OK)
        *out = snapshot;
    else
        base_free(snapshot);
    return status;
}

void pleach_graph_snapshot_release(pleach_graph_snapshot *snapshot)
{
    if (!snapshot) return;
    pleach_graph *graph = snapshot->graph;
    gate_enter(&graph->gate); /* so that no fork happens between the two */
    graph->ops->snapshots->release(graph->exec, snapshot->at);
    atomic_fetch_sub(&graph->live_snapshots, 1);
    gate_leave(&graph->gate);
    base_free(snapshot);
}

pleach_status pleach_graph_snapshot_size(pleach_graph_snapshot *snapshot, uint64_t *vertices, uint64_t *edges)
{
    if (!snapshot) return PLEACH_E_ARGUMENT;
    snapshot->graph->ops->snapshots->size(snapshot->graph->exec, snapshot->at, vertices, edges);
    return PLEACH_OK;
}

static pleach_status run(pleach_graph_snapshot *snapshot, const graph_request *r)
{
    if (!snapshot) return PLEACH_E_ARGUMENT;
    pleach_status status = graph_check_request(snapshot->graph, r, PLEACH_SYNC);
    if (status != PLEACH_OK || r->n == 0) return status;
    return snapshot->graph->ops->snapshots->run(snapshot->graph->exec, snapshot->at, r);
}

pleach_status pleach_graph_snapshot_find_edges(pleach_graph_snapshot *snapshot, size_t n, const uint32_t *from,
                                               const uint32_t *to, uint32_t *values, uint8_t *found)
{
    graph_request r = {GRAPH_FIND_EDGES, n, from, to, NULL, values, found};
    return run(snapshot, &r);
}

pleach_status pleach_graph_snapshot_find_vertices(pleach_graph_snapshot *snapshot, size_t n, const uint32_t *vertices,
                                                  uint8_t *found)
{
    if (n && !found) return PLEACH_E_ARGUMENT;
    graph_request r = {GRAPH_FIND_VERTICES, n, vertices, NULL, NULL, NULL, found};
    return run(snapshot, &r);
}

pleach_status pleach_graph_snapshot_degrees(pleach_graph_snapshot *snapshot, size_t n, const uint32_t *vertices,
                                            uint32_t *degrees)
{
    if (n && !degrees) return PLEACH_E_ARGUMENT;
    graph_request r = {GRAPH_DEGREES, n, vertices, NULL, NULL, degrees, NULL};
    return run(snapshot, &r);
}

pleach_status pleach_graph_snapshot_neighbours(pleach_graph_snapshot *snapshot, size_t n, const uint32_t *vertices,
                                               size_t capacity, uint32_t *neighbours, uint32_t *values,
                                               uint64_t *offsets, size_t *total)
{
    pleach_status status = graph_check_lists(snapshot ? snapshot->graph : NULL, n, vertices, neighbours, values,
                                             offsets);
    if (status != PLEACH_OK) return status;
    size_t found = 0;
    if (n == 0 && !offsets) {
        if (total) *total = 0;
        return PLEACH_OK;
    }
    status = snapshot->graph->ops->snapshots->neighbours(snapshot->graph->exec, snapshot->at, n, vertices, capacity,
                                                         neighbours, values, offsets, &found);
    if (total) *total = found;
    return status;
}

pleach_status pleach_graph_snapshot_export_edges(pleach_graph_snapshot *snapshot, size_t capacity, uint32_t *from,
                                                 uint32_t *to, uint32_t *values, uint64_t *edges)
{
    pleach_status status = graph_check_edges_out(snapshot ? snapshot->graph : NULL, from, to, values, edges);
    if (status != PLEACH_OK) return status;
    return snapshot->graph->ops->snapshots->export_edges(snapshot->graph->exec, snapshot->at, capacity, from, to,
                                                         values, edges);
}

pleach_status pleach_graph_snapshot_triangles(pleach_graph_snapshot *snapshot, size_t capacity, uint64_t *by_vertex,
                                              uint64_t *total)
{
    if (!snapshot || !total || snapshot->graph->directed) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {by_vertex};
    pleach_status status = graph_check_pointers(snapshot->graph, pointers, 1);
    if (status != PLEACH_OK) return status;
    *total = 0;
    return snapshot->graph->ops->snapshots->triangles(snapshot->graph->exec, snapshot->at, capacity, by_vertex, total);
}
