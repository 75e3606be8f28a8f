/* graph/ordered/ordered_rows.c - an ordered graph as a whole: its keys, as rows or as edges. */

#include "../../base/memory.h"
#include "ordered.h"

enum { INTERVALS_A_THREAD = 2048 }; /* enough for the map to use all its threads */

void ordered_sizes(ordered_view view, uint64_t *vertices, uint64_t *edges)
{
    if (vertices) *vertices = view.at ? view.at->vertices : atomic_load(&view.graph->vertices);
    if (edges) *edges = view.at ? view.at->edges : atomic_load(&view.graph->edges);
}

/* ---- all keys ---- */

/* Cuts rows 0 .. rows-1 into intervals with equal numbers of rows. */
static size_t cut(uint64_t rows, size_t most, uint64_t *lo, uint64_t *hi)
{
    size_t n = rows < most ? (size_t)rows : most;
    for (size_t i = 0; i < n; i++) {
        lo[i] = (rows * i / n) << 32;
        hi[i] = ((rows * (i + 1) / n) << 32) - 1;
    }
    return n;
}

static pleach_status read_keys(ordered_view view, ordered_keys *all)
{
    size_t most = INTERVALS_A_THREAD * (size_t)view.graph->threads, expected = all->n;
    uint64_t rows, *words = base_alloc(3 * most + 1, sizeof *words);
    if (!words) return PLEACH_E_MEMORY;
    pleach_status status = ordered_row_count(view, &rows);
    size_t n = status == PLEACH_OK ? cut(rows, most, words, words + most) : 0;
    if (n > 0)
        status = ordered_range(view, n, words, words + most, expected, all->keys, all->values, words + 2 * most,
                               &all->n);
    bool disagrees = status == PLEACH_OK && (n ? all->n : 0) != expected;
    if (disagrees || status == PLEACH_E_SPACE) status = PLEACH_E_CORRUPT; /* the counters are wrong */
    base_free(words);
    return status;
}

pleach_status ordered_keys_open(ordered_view view, bool with_values, ordered_keys *all)
{
    uint64_t vertices, edges;
    ordered_sizes(view, &vertices, &edges);
    *all = (ordered_keys){.n = vertices + edges * ordered_halves(view.graph)};
    all->keys = base_alloc(all->n + 1, sizeof *all->keys);
    if (with_values) all->values = base_alloc(all->n + 1, sizeof *all->values);
    pleach_status status = PLEACH_E_MEMORY;
    if (all->keys && (all->values || !with_values)) status = read_keys(view, all);
    if (status != PLEACH_OK) ordered_keys_close(all);
    return status;
}

void ordered_keys_close(ordered_keys *all)
{
    base_free(all->keys);
    base_free(all->values);
    *all = (ordered_keys){0};
}

/* ---- rows ---- */

static void fill_rows(const ordered_keys *all, graph_rows *out)
{
    uint64_t at = 0, row = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (ordered_is_marker(all->keys[i])) continue;
        for (uint64_t from = all->keys[i] >> 32; row <= from; row++) out->offsets[row] = at;
        if (out->targets) out->targets[at] = (uint32_t)all->keys[i];
        if (out->values) out->values[at] = (uint32_t)all->values[i];
        at++;
    }
    for (; row <= out->rows; row++) out->offsets[row] = at;
}

pleach_status ordered_rows(ordered_view view, graph_rows *out)
{
    uint64_t edges;
    ordered_sizes(view, NULL, &edges);
    pleach_status status = ordered_row_count(view, &out->rows);
    out->entries = edges * ordered_halves(view.graph);
    if (status != PLEACH_OK || !out->offsets) return status;
    if (out->rows > out->row_capacity || out->entries > out->entry_capacity) return PLEACH_E_SPACE;
    ordered_keys all;
    status = ordered_keys_open(view, out->values != NULL, &all);
    if (status == PLEACH_OK) fill_rows(&all, out);
    ordered_keys_close(&all);
    return status;
}

/* ---- vertices ---- */

pleach_status ordered_list_vertices(void *exec, size_t capacity, uint32_t *ids, uint64_t *count)
{
    ordered_view view = {exec, NULL};
    ordered_sizes(view, count, NULL);
    if (!ids) return PLEACH_OK;
    if (*count > capacity) return PLEACH_E_SPACE;
    ordered_keys all;
    pleach_status status = ordered_keys_open(view, false, &all);
    size_t at = 0;
    for (size_t i = 0; i < all.n; i++)
        if (ordered_is_marker(all.keys[i])) ids[at++] = (uint32_t)(all.keys[i] >> 32);
    ordered_keys_close(&all);
    return status;
}

/* ---- edges ---- */

static bool is_home(const ordered_graph *graph, uint64_t key)
{
    return !ordered_is_marker(key) && (graph->directed || (uint32_t)(key >> 32) < (uint32_t)key);
}

pleach_status ordered_edges(ordered_view view, size_t capacity, uint32_t *from, uint32_t *to, uint32_t *values,
                            uint64_t *edges)
{
    ordered_sizes(view, NULL, edges);
    if (!from && !to) return PLEACH_OK;
    if (*edges > capacity) return PLEACH_E_SPACE;
    ordered_keys all;
    pleach_status status = ordered_keys_open(view, values != NULL, &all);
    size_t at = 0;
    for (size_t i = 0; i < all.n; i++) {
        if (!is_home(view.graph, all.keys[i])) continue;
        from[at] = (uint32_t)(all.keys[i] >> 32);
        to[at] = (uint32_t)all.keys[i];
        if (values) values[at] = (uint32_t)all.values[i];
        at++;
    }
    ordered_keys_close(&all);
    return status;
}
