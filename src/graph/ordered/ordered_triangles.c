/* graph/ordered/ordered_triangles.c - all triangles of an ordered graph, as it is or at a snapshot, while the graph may
 * change: the keys are the rows. If ids are few and large, vertices are known by their positions among all. */
#include <string.h>

#include "../../base/memory.h"
#include "ordered.h"
#include "../ids/compact_ids.h"
#include "../triangles/triangles.h"

/* ---- rows by id ---- */

static pleach_status count_by_id(ordered_view view, graph_rows *rows, uint64_t *by_vertex, uint64_t *total)
{
    rows->row_capacity = rows->rows;
    rows->entry_capacity = rows->entries;
    rows->offsets = base_alloc(rows->rows + 1, sizeof *rows->offsets);
    rows->targets = base_alloc(rows->entries + 1, sizeof *rows->targets);
    pleach_status status = rows->offsets && rows->targets ? ordered_rows(view, rows) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) {
        triangle_rows found = {rows->rows, rows->offsets, rows->targets, NULL};
        status = triangles_count(view.graph->workers, view.graph->threads, &found, by_vertex, total);
    }
    base_free(rows->offsets);
    base_free(rows->targets);
    return status;
}

/* ---- rows by position ---- */

typedef struct places {
    ordered_keys all;
    uint64_t vertices;
    uint32_t *ids;     /* by position, ascending */
    uint64_t *offsets; /* by position, one more than vertices; in all.keys, not counting earlier markers */
    uint32_t *targets; /* positions */
} places;

/* A row ends with its marker. */
static void find_rows(places *p)
{
    uint64_t place = 0;
    for (size_t i = 0; i < p->all.n; i++) {
        if (!ordered_is_marker(p->all.keys[i])) continue;
        p->ids[place] = (uint32_t)(p->all.keys[i] >> 32);
        p->offsets[place + 1] = i - place;
        place++;
    }
}

static void fill_part(void *context, size_t begin, size_t end)
{
    places *p = context;
    for (uint64_t place = begin; place < end; place++)
        for (uint64_t at = p->offsets[place]; at < p->offsets[place + 1]; at++)
            p->targets[at] = place_of_id(p->ids, p->vertices, (uint32_t)p->all.keys[at + place]); /* skips markers */
}

static pleach_status count_by_place(ordered_view view, uint64_t *total)
{
    places p = {0};
    ordered_sizes(view, &p.vertices, NULL);
    pleach_status status = ordered_keys_open(view, false, &p.all);
    if (status != PLEACH_OK) return status;
    p.ids = base_alloc(p.vertices, sizeof *p.ids);
    p.offsets = base_alloc(p.vertices + 1, sizeof *p.offsets);
    p.targets = base_alloc(p.all.n, sizeof *p.targets);
    status = PLEACH_E_MEMORY;
    if (p.ids && p.offsets && p.targets) {
        find_rows(&p);
        workers_run(view.graph->workers, p.vertices, 256, fill_part, &p);
        triangle_rows found = {p.vertices, p.offsets, p.targets, NULL};
        status = triangles_count(view.graph->workers, view.graph->threads, &found, NULL, total);
    }
    base_free(p.ids);
    base_free(p.offsets);
    base_free(p.targets);
    ordered_keys_close(&p.all);
    return status;
}

pleach_status ordered_triangles(ordered_view view, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    graph_rows rows = {0};
    uint64_t vertices;
    pleach_status status = ordered_rows(view, &rows); /* their number */
    if (status != PLEACH_OK) return status;
    if (by_vertex && rows.rows > capacity) return PLEACH_E_SPACE;
    if (by_vertex) memset(by_vertex, 0, capacity * sizeof *by_vertex);
    ordered_sizes(view, &vertices, NULL);
    if (!by_vertex && places_worthwhile(rows.rows, vertices)) return count_by_place(view, total);
    return count_by_id(view, &rows, by_vertex, total);
}
