/* graph/graph_triangles.c - public functions for triangles: they check the arguments, pass the gate, and call the
 * backend. */
#include "../../include/pleach/triangles.h"

#include "triangles/clustering.h"
#include "graph_object.h"

pleach_status pleach_graph_triangles(pleach_graph *graph, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    if (!graph || !total || graph->directed) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {by_vertex};
    pleach_status status = graph_check_pointers(graph, pointers, 1);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    *total = 0;
    status = graph->ops->triangles(graph->exec, capacity, by_vertex, total);
    gate_leave_exclusive(&graph->gate);
    return status;
}

static pleach_status run_counting(pleach_graph *graph, const graph_request *r, size_t capacity, uint64_t *by_vertex,
                                  uint64_t *change)
{
    pleach_status status = graph_check_request(graph, r, PLEACH_SYNC);
    if (status != PLEACH_OK) return status;
    if (graph->directed || !change) return PLEACH_E_ARGUMENT;
    *change = 0;
    if (r->n == 0) return PLEACH_OK;
    const void *pointers[] = {by_vertex};
    status = graph_check_pointers(graph, pointers, 1);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->run_counting(graph->exec, r, capacity, by_vertex, change);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_insert_counting(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                           const uint32_t *values, uint8_t *outcomes, size_t capacity,
                                           uint64_t *by_vertex, uint64_t *change)
{
    graph_request r = {GRAPH_INSERT_EDGES, n, from, to, values, NULL, outcomes};
    return run_counting(graph, &r, capacity, by_vertex, change);
}

pleach_status pleach_graph_erase_counting(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                          uint8_t *outcomes, size_t capacity, uint64_t *by_vertex, uint64_t *change)
{
    graph_request r = {GRAPH_ERASE_EDGES, n, from, to, NULL, NULL, outcomes};
    return run_counting(graph, &r, capacity, by_vertex, change);
}

pleach_status pleach_graph_clustering(pleach_graph *graph, size_t n, double *coefficients, double *average)
{
    if (!graph || graph->directed || (n && !coefficients)) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {coefficients};
    pleach_status status = graph_check_pointers(graph, pointers, 1);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = clustering_of(graph->ops, graph->exec, graph->config.threads, n, coefficients, average);
    gate_leave_exclusive(&graph->gate);
    return status;
}
