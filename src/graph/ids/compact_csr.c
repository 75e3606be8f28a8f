#include "compact_csr.h"

#include "../../base/memory.h"
#include "compact_ids.h"

/* Edges, as two arrays of endpoints. */
typedef struct edge_ends {
    uint64_t n;
    uint32_t *from, *to;
} edge_ends;

static pleach_status export_all(const graph_exec_ops *ops, void *exec, place_rows *rows, edge_ends *edges)
{
    pleach_status status = ops->list_vertices(exec, 0, NULL, &rows->n);
    if (status == PLEACH_OK) status = ops->export_edges(exec, 0, NULL, NULL, NULL, &edges->n);
    if (status != PLEACH_OK) return status;
    rows->ids = base_alloc(rows->n + 1, sizeof *rows->ids);
    rows->offsets = base_alloc(rows->n + 2, sizeof *rows->offsets);
    rows->targets = base_alloc(2 * edges->n + 1, sizeof *rows->targets);
    edges->from = base_alloc(edges->n + 1, sizeof *edges->from);
    edges->to = base_alloc(edges->n + 1, sizeof *edges->to);
    if (!rows->ids || !rows->offsets || !rows->targets || !edges->from || !edges->to) return PLEACH_E_MEMORY;
    status = ops->list_vertices(exec, rows->n, rows->ids, &rows->n);
    if (status == PLEACH_OK) status = ops->export_edges(exec, edges->n, edges->from, edges->to, NULL, &edges->n);
    return status;
}

/* First offsets[place + 2] counts. Then offsets[place + 1] is where the next entry of the row goes, so in the end it is
 * where the row ends. */
static void fill(place_rows *rows, const edge_ends *edges)
{
    uint64_t *offsets = rows->offsets;
    for (uint64_t i = 0; i < edges->n; i++) {
        edges->from[i] = place_of_id(rows->ids, rows->n, edges->from[i]);
        edges->to[i] = place_of_id(rows->ids, rows->n, edges->to[i]);
        offsets[edges->from[i] + 2]++;
        offsets[edges->to[i] + 2]++;
    }
    for (uint64_t place = 0; place < rows->n; place++) offsets[place + 2] += offsets[place + 1];
    for (uint64_t i = 0; i < edges->n; i++) {
        rows->targets[offsets[edges->from[i] + 1]++] = edges->to[i];
        rows->targets[offsets[edges->to[i] + 1]++] = edges->from[i];
    }
}

pleach_status place_rows_open(const graph_exec_ops *ops, void *exec, place_rows *rows)
{
    edge_ends edges = {0, NULL, NULL};
    *rows = (place_rows){0, NULL, NULL, NULL};
    pleach_status status = export_all(ops, exec, rows, &edges);
    if (status == PLEACH_OK)
        fill(rows, &edges);
    else
        place_rows_close(rows);
    base_free(edges.from);
    base_free(edges.to);
    return status;
}

void place_rows_close(place_rows *rows)
{
    base_free(rows->ids);
    base_free(rows->offsets);
    base_free(rows->targets);
}
