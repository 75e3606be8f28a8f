/* api/triangles.c - triangles of a graph: check the arguments, pass the gate, hand over to the executor. */
#include "../../include/pleach/triangles.h"

#include <string.h>

#include "../base/memory.h"
#include "../graph/place_rows.h"
#include "../graph/places.h"
#include "../graph/triangles.h"
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

/* ---- clustering: triangles and degrees, at one instant: alone ---- */

static double coefficient_of(uint64_t degree, uint64_t triangles)
{
    return degree < 2 ? 0 : 2 * (double)triangles / ((double)degree * (double)(degree - 1));
}

/* Rows by id. *sum is that of all coefficients. */
static pleach_status clustering_by_id(pleach_graph *graph, graph_rows *rows, size_t n, double *coefficients,
                                      double *sum)
{
    uint64_t *triangles = base_alloc(rows->rows + 1, sizeof *triangles), total;
    pleach_status status = PLEACH_E_MEMORY;
    rows->offsets = base_alloc(rows->rows + 1, sizeof *rows->offsets);
    if (triangles && rows->offsets) {
        rows->row_capacity = rows->rows;
        rows->entry_capacity = rows->entries;
        status = graph->ops->export_rows(graph->exec, rows);
    }
    if (status == PLEACH_OK) status = graph->ops->triangles(graph->exec, rows->rows, triangles, &total);
    for (uint64_t i = 0; status == PLEACH_OK && (i < rows->rows || i < n); i++) {
        bool there = i < rows->rows;
        double coefficient = there ? coefficient_of(rows->offsets[i + 1] - rows->offsets[i], triangles[i]) : 0;
        *sum += coefficient;
        if (i < n) coefficients[i] = coefficient;
    }
    base_free(triangles);
    base_free(rows->offsets);
    return status;
}

/* Where ids are few and large, vertices are known by their places among those that are there. */
static pleach_status clustering_by_place(pleach_graph *graph, uint64_t vertices, size_t n, double *coefficients,
                                         double *sum)
{
    place_rows rows;
    uint64_t *triangles = base_alloc(vertices, sizeof *triangles), total;
    workers *workers = workers_create(graph->config.threads);
    pleach_status status = triangles && workers ? place_rows_open(graph->ops, graph->exec, &rows) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) {
        triangle_rows found = {rows.n, rows.offsets, rows.targets, NULL};
        status = triangles_count(workers, graph->config.threads, &found, triangles, &total);
        if (status == PLEACH_OK && n) memset(coefficients, 0, n * sizeof *coefficients);
        for (uint64_t place = 0; status == PLEACH_OK && place < rows.n; place++) {
            double coefficient = coefficient_of(rows.offsets[place + 1] - rows.offsets[place], triangles[place]);
            *sum += coefficient;
            if (rows.ids[place] < n) coefficients[rows.ids[place]] = coefficient;
        }
        place_rows_close(&rows);
    }
    if (workers) workers_destroy(workers);
    base_free(triangles);
    return status;
}

static pleach_status clustering_alone(pleach_graph *graph, size_t n, double *coefficients, double *average)
{
    graph_rows rows = {0};
    uint64_t vertices = 0;
    double sum = 0;
    pleach_status status = graph->ops->export_rows(graph->exec, &rows);
    if (status == PLEACH_OK) status = graph->ops->size(graph->exec, &vertices, NULL);
    if (status != PLEACH_OK) return status;
    status = vertices && places_worthwhile(rows.rows, vertices)
                 ? clustering_by_place(graph, vertices, n, coefficients, &sum)
                 : clustering_by_id(graph, &rows, n, coefficients, &sum);
    if (status == PLEACH_OK && average) *average = vertices ? sum / (double)vertices : 0;
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
