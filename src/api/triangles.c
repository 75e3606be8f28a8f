/* api/triangles.c - triangles of a graph: check the arguments, pass the gate, hand over to the executor. */
#include "../../include/pleach/triangles.h"

#include "../base/memory.h"
#include "graph_object.h"

pleach_status pleach_graph_triangles(pleach_graph *graph, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    if (!graph || !total || graph->directed) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {by_vertex};
    pleach_status status = graph_check_pointers(graph, pointers, 1);
    if (status == PLEACH_OK) status = graph_enter_alone(graph);
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
    if (status == PLEACH_OK) status = graph_enter_alone(graph);
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

/* Triangles and degrees, at one instant: alone. */
static pleach_status clustering_alone(pleach_graph *graph, size_t n, double *coefficients, double *average)
{
    graph_rows rows = {0};
    pleach_status status = graph->ops->export_rows(graph->exec, &rows);
    if (status != PLEACH_OK) return status;
    uint64_t vertices = 0, *triangles = base_alloc(rows.rows + 1, sizeof *triangles), total;
    uint64_t *offsets = base_alloc(rows.rows + 1, sizeof *offsets);
    status = PLEACH_E_MEMORY;
    if (triangles && offsets) {
        rows.row_capacity = rows.rows;
        rows.entry_capacity = rows.entries;
        rows.offsets = offsets;
        status = graph->ops->export_rows(graph->exec, &rows);
    }
    if (status == PLEACH_OK) status = graph->ops->triangles(graph->exec, rows.rows, triangles, &total);
    if (status == PLEACH_OK) {
        double sum = 0;
        for (uint64_t i = 0; i < rows.rows || i < n; i++) {
            double degree = i < rows.rows ? (double)(offsets[i + 1] - offsets[i]) : 0;
            double coefficient = degree < 2 ? 0 : 2 * (double)triangles[i] / (degree * (degree - 1));
            sum += coefficient;
            if (i < n) coefficients[i] = coefficient;
        }
        graph->ops->size(graph->exec, &vertices, NULL);
        if (average) *average = vertices ? sum / (double)vertices : 0;
    }
    base_free(triangles);
    base_free(offsets);
    return status;
}

pleach_status pleach_graph_clustering(pleach_graph *graph, size_t n, double *coefficients, double *average)
{
    if (!graph || graph->directed || (n && !coefficients)) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {coefficients};
    pleach_status status = graph_check_pointers(graph, pointers, 1);
    if (status == PLEACH_OK) status = graph_enter_alone(graph);
    if (status != PLEACH_OK) return status;
    status = clustering_alone(graph, n, coefficients, average);
    gate_leave_exclusive(&graph->gate);
    return status;
}
