#include "clustering.h"

#include <string.h>

#include "../../base/memory.h"
#include "../ids/compact_csr.h"
#include "../ids/compact_ids.h"
#include "triangles.h"

static double coefficient_of(uint64_t degree, uint64_t triangles)
{
    return degree < 2 ? 0 : 2 * (double)triangles / ((double)degree * (double)(degree - 1));
}

/* By id. *sum is the sum of all coefficients. */
static pleach_status clustering_by_id(const graph_exec_ops *ops, void *exec, graph_rows *rows, size_t n,
                                      double *coefficients, double *sum)
{
    uint64_t *triangles = base_alloc(rows->rows + 1, sizeof *triangles), total;
    pleach_status status = PLEACH_E_MEMORY;
    rows->offsets = base_alloc(rows->rows + 1, sizeof *rows->offsets);
    if (triangles && rows->offsets) {
        rows->row_capacity = rows->rows;
        rows->entry_capacity = rows->entries;
        status = ops->export_rows(exec, rows);
    }
    if (status == PLEACH_OK) status = ops->triangles(exec, rows->rows, triangles, &total);
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

/* If ids are few and large: by the positions of vertices among those that exist. */
static pleach_status clustering_by_place(const graph_exec_ops *ops, void *exec, unsigned threads, uint64_t vertices,
                                         size_t n, double *coefficients, double *sum)
{
    place_rows rows;
    uint64_t *triangles = base_alloc(vertices, sizeof *triangles), total;
    workers *workers = workers_create(threads);
    pleach_status status = triangles && workers ? place_rows_open(ops, exec, &rows) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) {
        triangle_rows found = {rows.n, rows.offsets, rows.targets, NULL};
        status = triangles_count(workers, threads, &found, triangles, &total);
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

pleach_status clustering_of(const graph_exec_ops *ops, void *exec, unsigned threads, size_t n, double *coefficients,
                            double *average)
{
    graph_rows rows = {0};
    uint64_t vertices = 0;
    double sum = 0;
    pleach_status status = ops->export_rows(exec, &rows);
    if (status == PLEACH_OK) status = ops->size(exec, &vertices, NULL);
    if (status != PLEACH_OK) return status;
    status = vertices && places_worthwhile(rows.rows, vertices)
                 ? clustering_by_place(ops, exec, threads, vertices, n, coefficients, &sum)
                 : clustering_by_id(ops, exec, &rows, n, coefficients, &sum);
    if (status == PLEACH_OK && average) *average = vertices ? sum / (double)vertices : 0;
    return status;
}
