/* exec/cpu/graph_cpu_triangles.c - all triangles of a graph, by somebody who is alone: its tables become rows, in the
 * order in which they are met, and the rows are counted by graph/triangles.c. Where ids are few and large, rows and
 * their members are places among the vertices that are there. */
#include <string.h>

#include "../../base/memory.h"
#include "../../graph/places.h"
#include "../../graph/triangles.h"
#include "graph_cpu.h"

enum { CHUNK = 256 };

typedef struct table_rows {
    const cpu_graph *graph;
    uint64_t n;
    uint32_t *ids; /* of the rows' vertices, ascending; NULL: row i is vertex i */
    uint64_t *offsets;
    uint32_t *targets;
} table_rows;

static const slab_table *vertex_of(const table_rows *rows, const graph_place *place, uint64_t row)
{
    return graph_vertex(place, rows->ids ? rows->ids[row] : (uint32_t)row);
}

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
    for (uint64_t row = begin; row < end; row++) {
        const slab_table *vertex = vertex_of(rows, &place, row);
        uint32_t *first = rows->targets + rows->offsets[row], *at = first;
        if (vertex) rows->graph->ops->visit(&place, vertex, append, &at);
        for (; rows->ids && first < at; first++) *first = place_of_id(rows->ids, rows->n, *first);
    }
}

static void fill_rows(table_rows *rows)
{
    graph_place place = graph_place_of(rows->graph);
    for (uint64_t row = 0; row < rows->n; row++) {
        const slab_table *vertex = vertex_of(rows, &place, row);
        rows->offsets[row + 1] = rows->offsets[row] + (vertex ? slab_load(vertex->load) : 0);
    }
    workers_run(rows->graph->workers, rows->n, CHUNK, fill_part, rows);
}

pleach_status graph_cpu_triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    cpu_graph *graph = exec;
    graph_rows sizes = {0};
    uint64_t vertices;
    graph_cpu_export_rows(exec, &sizes); /* how many there are */
    graph_exec_cpu.size(exec, &vertices, NULL);
    if (by_vertex && sizes.rows > capacity) return PLEACH_E_SPACE;
    if (by_vertex) memset(by_vertex, 0, capacity * sizeof *by_vertex);
    bool by_place = !by_vertex && places_worthwhile(sizes.rows, vertices);
    table_rows rows = {graph, by_place ? vertices : sizes.rows, NULL, NULL, NULL};
    if (by_place) rows.ids = base_alloc(vertices, sizeof *rows.ids);
    rows.offsets = base_alloc(rows.n + 1, sizeof *rows.offsets);
    rows.targets = base_alloc(sizes.entries + 1, sizeof *rows.targets);
    pleach_status status = PLEACH_E_MEMORY;
    if (rows.offsets && rows.targets && (rows.ids || !by_place)) {
        if (by_place) graph_cpu_list_vertices(exec, rows.n, rows.ids, &vertices);
        fill_rows(&rows);
        triangle_rows found = {rows.n, rows.offsets, rows.targets};
        status = triangles_count(graph->workers, graph->threads, &found, by_vertex, total);
    }
    base_free(rows.ids);
    base_free(rows.offsets);
    base_free(rows.targets);
    return status;
}
