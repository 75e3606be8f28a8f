/* graph/graph_file.c - graphs in files, in the same format as maps with 64-bit keys (docs/file-format.md). An edge is
 * the key from << 32 | to; an undirected edge is the one with from < to. A vertex from which no stored edge begins is
 * the key of a loop, which no edge has. The last key has endpoints that are no vertices; its value is the kind of the
 * graph. */
#include "graph_object.h"
#include "../base/cancel.h"
#include "../base/memory.h"
#include "../file/file.h"

#ifdef PLEACH_HAVE_XXHASH

#define KIND_KEY UINT64_MAX
#define KIND_MARK UINT64_C(0x6870617267000000) /* "graph" in the upper bytes */

static uint64_t kind_of(const pleach_graph *graph)
{
    return KIND_MARK | (graph->directed ? 1 : 0) | (graph->values ? 2 : 0);
}

static uint64_t key_of(uint32_t from, uint32_t to) { return (uint64_t)from << 32 | to; }

/* ---- saving ---- */

typedef struct listing {
    uint64_t edges, vertices;
    uint32_t *from, *to, *values, *ids;
} listing;

static void free_listing(listing *l)
{
    base_free(l->from);
    base_free(l->to);
    base_free(l->values);
    base_free(l->ids);
}

static pleach_status list_graph(pleach_graph *graph, listing *l)
{
    pleach_status status = graph->ops->export_edges(graph->exec, 0, NULL, NULL, NULL, &l->edges);
    if (status == PLEACH_OK) status = graph->ops->list_vertices(graph->exec, 0, NULL, &l->vertices);
    if (status != PLEACH_OK) return status;
    l->from = base_alloc(l->edges + 1, sizeof *l->from);
    l->to = base_alloc(l->edges + 1, sizeof *l->to);
    l->values = base_alloc(l->edges + 1, sizeof *l->values);
    l->ids = base_alloc(l->vertices + 1, sizeof *l->ids);
    if (!l->from || !l->to || !l->values || !l->ids) return PLEACH_E_MEMORY;
    status = graph->ops->export_edges(graph->exec, l->edges, l->from, l->to, graph->values ? l->values : NULL,
                                      &l->edges);
    return status == PLEACH_OK ? graph->ops->list_vertices(graph->exec, l->vertices, l->ids, &l->vertices) : status;
}

/* Merges vertices from which no edge begins with the edges. Both lists ascend. */
static void merge(const listing *l, file_pairs *pairs)
{
    uint64_t n = 0, e = 0;
    for (uint64_t v = 0; v < l->vertices; v++) {
        bool begins = e < l->edges && l->from[e] == l->ids[v];
        if (!begins) {
            pairs->keys[n] = key_of(l->ids[v], l->ids[v]);
            pairs->values[n++] = 0;
        }
        for (; e < l->edges && l->from[e] == l->ids[v]; e++) {
            pairs->keys[n] = key_of(l->from[e], l->to[e]);
            pairs->values[n++] = l->values[e];
        }
    }
    pairs->count = n;
}

static pleach_status save(pleach_graph *graph, const char *path)
{
    listing l = {0};
    file_pairs pairs = {0};
    pleach_status status = list_graph(graph, &l);
    if (status == PLEACH_OK) {
        pairs.keys = base_alloc(l.edges + l.vertices + 1, sizeof *pairs.keys);
        pairs.values = base_alloc(l.edges + l.vertices + 1, sizeof *pairs.values);
        if (!pairs.keys || !pairs.values) status = PLEACH_E_MEMORY;
    }
    if (status == PLEACH_OK) {
        merge(&l, &pairs);
        pairs.keys[pairs.count] = KIND_KEY;
        pairs.values[pairs.count++] = kind_of(graph);
        status = file_save_pairs(&pairs, path);
    }
    free_listing(&l);
    file_free_pairs(&pairs);
    return status;
}

static pleach_status save_alone(pleach_graph *graph, const char *path)
{
    pleach_status status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = save(graph, path);
    gate_leave_exclusive(&graph->gate);
    return status;
}

/* ---- loading ---- */

/* Pairs with a correct checksum may still not be a graph. */
static pleach_status check_pairs(const pleach_graph *graph, const file_pairs *pairs)
{
    if (pairs->count == 0 || pairs->keys[pairs->count - 1] != KIND_KEY) return PLEACH_E_FORMAT;
    uint64_t kind = pairs->values[pairs->count - 1];
    if ((kind | 3) != (KIND_MARK | 3)) return PLEACH_E_FORMAT;
    for (uint64_t i = 0; i + 1 < pairs->count; i++) {
        uint32_t from = (uint32_t)(pairs->keys[i] >> 32), to = (uint32_t)pairs->keys[i];
        if (from == PLEACH_NO_VERTEX || to == PLEACH_NO_VERTEX || pairs->values[i] > UINT32_MAX) return PLEACH_E_FORMAT;
        if (!(kind & 1) && from > to) return PLEACH_E_FORMAT;
    }
    return kind == kind_of(graph) ? PLEACH_OK : PLEACH_E_WIDTH;
}

/* Builds the graph from pairs, which are edges, or vertices on their own. */
static pleach_status fill(pleach_graph *graph, void *exec, file_pairs *pairs)
{
    uint64_t edges = 0, vertices = 0, n = pairs->count - 1;
    uint32_t *from = base_alloc(n + 1, sizeof *from), *to = base_alloc(n + 1, sizeof *to);
    uint32_t *values = base_alloc(n + 1, sizeof *values), *ids = base_alloc(n + 1, sizeof *ids);
    pleach_status status = from && to && values && ids ? PLEACH_OK : PLEACH_E_MEMORY;
    for (uint64_t i = 0; status == PLEACH_OK && i < n; i++) {
        uint32_t one = (uint32_t)(pairs->keys[i] >> 32), two = (uint32_t)pairs->keys[i];
        if (one == two) {
            ids[vertices++] = one;
            continue;
        }
        from[edges] = one;
        to[edges] = two;
        values[edges++] = (uint32_t)pairs->values[i];
    }
    if (status == PLEACH_OK) status = graph->ops->build(exec, edges, from, to, graph->values ? values : NULL);
    graph_request r = {.kind = GRAPH_INSERT_VERTICES, .n = vertices, .from = ids};
    if (status == PLEACH_OK && vertices) status = graph->ops->run(exec, &r, PLEACH_SYNC);
    base_free(from);
    base_free(to);
    base_free(values);
    base_free(ids);
    return status;
}

/* Fills another graph, and then replaces this one by it. */
static pleach_status replace(pleach_graph *graph, file_pairs *pairs)
{
    void *filled = NULL;
    pleach_status status = graph->ops->create(&filled, &graph->config);
    if (status != PLEACH_OK) return status;
    status = fill(graph, filled, pairs);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status == PLEACH_OK && atomic_load(&graph->live_snapshots)) {
        gate_leave_exclusive(&graph->gate);
        status = PLEACH_E_BUSY;
    }
    if (status != PLEACH_OK) {
        graph->ops->destroy(filled);
        return status;
    }
    void *before = graph->exec;
    graph->exec = filled;
    gate_leave_exclusive(&graph->gate);
    graph->ops->destroy(before);
    return PLEACH_OK;
}

static pleach_status load(pleach_graph *graph, const char *path)
{
    file_pairs pairs;
    pleach_status status = file_load_pairs(&pairs, path);
    if (status != PLEACH_OK) return status;
    status = check_pairs(graph, &pairs);
    if (status == PLEACH_OK) status = replace(graph, &pairs);
    file_free_pairs(&pairs);
    return status;
}

pleach_status pleach_graph_save(pleach_graph *graph, const char *path)
{
    if (!graph || !path) return PLEACH_E_ARGUMENT;
    const int cancel = cancel_disable();
    const pleach_status status = save_alone(graph, path);
    cancel_restore(cancel);
    return status;
}

pleach_status pleach_graph_load_file(pleach_graph *graph, const char *path)
{
    if (!graph || !path) return PLEACH_E_ARGUMENT;
    const int cancel = cancel_disable();
    const pleach_status status = load(graph, path);
    cancel_restore(cancel);
    return status;
}

#else

pleach_status pleach_graph_save(pleach_graph *graph, const char *path)
{
    return graph && path ? PLEACH_E_NO_FILES : PLEACH_E_ARGUMENT;
}

pleach_status pleach_graph_load_file(pleach_graph *graph, const char *path)
{
    return graph && path ? PLEACH_E_NO_FILES : PLEACH_E_ARGUMENT;
}

#endif
