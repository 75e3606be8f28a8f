/* graph/graph_cpu_triangles.c - counts triangles of a graph in host memory. Exclusive. Its tables become rows, in
 * the order in which they are visited, and graph/triangles/triangles.c counts the rows: all triangles, or those with
 * edges that a call inserts or erases. If ids are few and large, rows and their members are positions among existing
 * vertices. */
#include <string.h>

#include "../base/memory.h"
#include "ids/compact_ids.h"
#include "triangles/triangles.h"
#include "graph_cpu.h"

enum { CHUNK = 256 };

typedef struct table_rows {
    cpu_graph *graph;
    const triangle_change *change; /* its edges are marked; NULL if all are */
    uint64_t n, entries;
    bool by_place;
    uint32_t *ids; /* by position: of the rows' vertices, ascending */
    uint64_t *offsets, *marked;
    uint32_t *targets;
} table_rows;

static uint32_t id_of(const table_rows *rows, uint64_t row) { return rows->by_place ? rows->ids[row] : (uint32_t)row; }

/* ---- filling ---- */

typedef struct row_filler {
    const triangle_change *change;
    uint32_t id, *at;
} row_filler;

static bool append(void *context, graph_target target)
{
    row_filler *row = context;
    if (row->change) change_prefetch(row->change, row->id, target.id);
    *row->at++ = target.id;
    return true;
}

/* Moves marked neighbours to the end of the row. Returns where they begin. */
static uint32_t *part_row(const triangle_change *change, uint32_t id, uint32_t *at, uint32_t *end)
{
    while (at < end) {
        uint32_t target = *at;
        if (!change_has(change, id, target)) {
            at++;
            continue;
        }
        *at = *--end;
        *end = target;
    }
    return at;
}

static void fill_part(void *context, size_t begin, size_t end)
{
    table_rows *rows = context;
    graph_ref place = graph_place_of(rows->graph);
    for (uint64_t number = begin; number < end; number++) {
        uint32_t id = id_of(rows, number), *first = rows->targets + rows->offsets[number];
        uint32_t *last = rows->targets + rows->offsets[number + 1];
        row_filler row = {rows->change, id, first};
        if (first < last) rows->graph->ops->visit(&place, graph_vertex(&place, id), append, &row);
        if (rows->change) rows->marked[number] = (uint64_t)(part_row(rows->change, id, first, last) - rows->targets);
        for (; rows->by_place && first < last; first++) *first = place_of_id(rows->ids, rows->n, *first);
    }
}

static void fill_rows(table_rows *rows)
{
    graph_ref place = graph_place_of(rows->graph);
    uint64_t vertices;
    if (rows->by_place) graph_cpu_list_vertices(rows->graph, rows->n, rows->ids, &vertices);
    for (uint64_t row = 0; row < rows->n; row++) {
        const slab_table *vertex = graph_vertex(&place, id_of(rows, row));
        rows->offsets[row + 1] = rows->offsets[row] + (vertex ? slab_load(vertex->load) : 0);
    }
    workers_run(rows->graph->workers, rows->n, CHUNK, fill_part, rows);
}

/* ---- counting ---- */

/* Returns how many rows there are, by id or, if the caller allows it, by position. */
static uint64_t measure(table_rows *rows, bool may_be_by_place)
{
    graph_rows sizes = {0};
    uint64_t vertices;
    graph_cpu_export_rows(rows->graph, &sizes);
    graph_exec_cpu.size(rows->graph, &vertices, NULL);
    rows->entries = sizes.entries;
    rows->by_place = may_be_by_place && places_worthwhile(sizes.rows, vertices);
    rows->n = rows->by_place ? vertices : sizes.rows;
    return sizes.rows;
}

static bool rows_open(table_rows *rows)
{
    if (rows->by_place) rows->ids = base_alloc(rows->n, sizeof *rows->ids);
    if (rows->change) rows->marked = base_alloc(rows->n, sizeof *rows->marked);
    rows->offsets = base_alloc(rows->n + 1, sizeof *rows->offsets);
    rows->targets = base_alloc(rows->entries + 1, sizeof *rows->targets);
    return rows->offsets && rows->targets && (rows->ids || !rows->by_place) && (rows->marked || !rows->change);
}

static void rows_close(table_rows *rows)
{
    base_free(rows->ids);
    base_free(rows->marked);
    base_free(rows->offsets);
    base_free(rows->targets);
}

/* by_row may be NULL. */
static pleach_status count(table_rows *rows, uint64_t *by_row, uint64_t *total)
{
    pleach_status status = PLEACH_E_MEMORY;
    if (rows_open(rows)) {
        fill_rows(rows);
        triangle_rows found = {rows->n, rows->offsets, rows->targets, rows->marked};
        status = triangles_count(rows->graph->workers, rows->graph->threads, &found, by_row, total);
    }
    return status;
}

pleach_status graph_cpu_triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    table_rows rows = {.graph = exec};
    uint64_t n = measure(&rows, !by_vertex);
    if (by_vertex && n > capacity) return PLEACH_E_SPACE;
    if (by_vertex) memset(by_vertex, 0, capacity * sizeof *by_vertex);
    pleach_status status = count(&rows, by_vertex, total);
    rows_close(&rows);
    return status;
}

bool graph_cpu_triangles_of(cpu_graph *graph, triangle_change *change)
{
    table_rows rows = {.graph = graph, .change = change};
    measure(&rows, true);
    uint64_t total, *by_row = change->by_vertex ? base_alloc(rows.n + 1, sizeof *by_row) : NULL;
    bool counted = (by_row || !change->by_vertex) && count(&rows, by_row, &total) == PLEACH_OK;
    if (counted) {
        for (uint64_t row = 0; by_row && row < rows.n; row++) change_charge(change, id_of(&rows, row), by_row[row]);
        atomic_fetch_add(&change->change, total);
    }
    rows_close(&rows);
    base_free(by_row);
    return counted;
}
