/* graph/ordered_triangles.c - all triangles of an ordered graph, as it is or at a snapshot, beside which it may change
 * meanwhile: its keys are the rows. */
#include <string.h>

#include "../base/memory.h"
#include "ordered.h"
#include "triangles.h"

static pleach_status count(ordered_view view, graph_rows *rows, uint64_t *by_vertex, uint64_t *total)
{
    pleach_status status = ordered_rows(view, rows);
    if (status != PLEACH_OK) return status;
    triangle_rows found = {rows->rows, rows->offsets, rows->targets};
    return triangles_count(view.graph->workers, view.graph->threads, &found, by_vertex, total);
}

pleach_status ordered_triangles(ordered_view view, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    graph_rows rows = {0};
    pleach_status status = ordered_rows(view, &rows); /* how many there are */
    if (status != PLEACH_OK) return status;
    if (by_vertex && rows.rows > capacity) return PLEACH_E_SPACE;
    if (by_vertex) memset(by_vertex, 0, capacity * sizeof *by_vertex);
    rows.row_capacity = rows.rows;
    rows.entry_capacity = rows.entries;
    rows.offsets = base_alloc(rows.rows + 1, sizeof *rows.offsets);
    rows.targets = base_alloc(rows.entries + 1, sizeof *rows.targets);
    status = rows.offsets && rows.targets ? count(view, &rows, by_vertex, total) : PLEACH_E_MEMORY;
    base_free(rows.offsets);
    base_free(rows.targets);
    return status;
}
