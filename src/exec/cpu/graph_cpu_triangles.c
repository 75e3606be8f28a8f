/* exec/cpu/graph_cpu_triangles.c - all triangles of a graph, by somebody who is alone: its tables become rows, in the
 * order in which they are met, and the rows are counted by graph/triangles.c. */
#include <string.h>

#include "../../base/memory.h"
#include "../../graph/triangles.h"
#include "graph_cpu.h"

enum { CHUNK = 256 };

typedef struct table_rows {
    const cpu_graph *graph;
    uint64_t *offsets;
    uint32_t *targets;
} table_rows;

static bool append(void *context, graph_target target)
{
    uint32_t **at = context;
    *(*at)++ = target.id;
    return true;
}

static void fill_part(void *context, size_t begin, size_t end)
{
    table_rows *rows = context;
    graph_place place = graph_place_of(rows->graph);
    for (uint64_t id = begin; id < end; id++) {
        const slab_table *vertex = graph_vertex(&place, (uint32_t)id);
        uint32_t *at = rows->targets + rows->offsets[id];
        if (vertex) rows->graph->ops->visit(&place, vertex, append, &at);
    }
}

pleach_status graph_cpu_triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    cpu_graph *graph = exec;
    graph_rows sizes = {0};
    graph_cpu_export_rows(exec, &sizes); /* how many there are */
    uint64_t n = sizes.rows;
    if (by_vertex && n > capacity) return PLEACH_E_SPACE;
    if (by_vertex) memset(by_vertex, 0, capacity * sizeof *by_vertex);
    table_rows rows = {graph, base_alloc(n + 1, sizeof *rows.offsets),
                       base_alloc(sizes.entries + 1, sizeof *rows.targets)};
    pleach_status status = PLEACH_E_MEMORY;
    if (rows.offsets && rows.targets) {
        graph_place place = graph_place_of(graph);
        for (uint64_t id = 0; id < n; id++) {
            const slab_table *vertex = graph_vertex(&place, (uint32_t)id);
            rows.offsets[id + 1] = rows.offsets[id] + (vertex ? slab_load(vertex->load) : 0);
        }
        workers_run(graph->workers, n, CHUNK, fill_part, &rows);
        triangle_rows found = {n, rows.offsets, rows.targets};
        status = triangles_count(graph->workers, graph->threads, &found, by_vertex, total);
    }
    base_free(rows.offsets);
    base_free(rows.targets);
    return status;
}
