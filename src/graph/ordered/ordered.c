/* graph/ordered/ordered.c - ordered graphs: graph_exec_ops on top of a map, which is on the graph's device; life and
 * snapshots. */
#include "ordered.h"

#include "../../base/memory.h"

static ordered_view now(void *exec) { return (ordered_view){exec, NULL}; }
static ordered_view then(void *exec, void *snapshot) { return (ordered_view){exec, snapshot}; }

/* ---- calls ---- */

static pleach_status run(void *exec, const graph_request *request, pleach_stream stream)
{
    (void)stream; /* the API layer accepts none for an ordered graph */
    switch (request->kind) {
    case GRAPH_INSERT_EDGES: return ordered_insert_edges(exec, request);
    case GRAPH_ERASE_EDGES: return ordered_erase_edges(exec, request);
    case GRAPH_INSERT_VERTICES: return ordered_insert_vertices(exec, request);
    case GRAPH_FIND_EDGES:
    case GRAPH_FIND_VERTICES:
    case GRAPH_DEGREES: return ordered_ask(now(exec), request);
    }
    return PLEACH_E_ARGUMENT;
}

static pleach_status neighbours(void *exec, size_t n, const uint32_t *vertices, size_t capacity, uint32_t *out,
                                uint32_t *values, uint64_t *offsets, size_t *total)
{
    return ordered_list(now(exec), n, vertices, capacity, out, values, offsets, total);
}

static pleach_status size(void *exec, uint64_t *vertices, uint64_t *edges)
{
    ordered_sizes(now(exec), vertices, edges);
    return PLEACH_OK;
}

static pleach_status quiesce(void *exec)
{
    (void)exec; /* every call is synchronous */
    return PLEACH_OK;
}

static pleach_status export_rows(void *exec, graph_rows *rows) { return ordered_rows(now(exec), rows); }

static pleach_status export_edges(void *exec, size_t capacity, uint32_t *from, uint32_t *to, uint32_t *values,
                                  uint64_t *edges)
{
    return ordered_edges(now(exec), capacity, from, to, values, edges);
}

static pleach_status clear(void *exec)
{
    ordered_graph *graph = exec;
    pleach_status status = pleach_map_clear(graph->map);
    if (status != PLEACH_OK) return status;
    atomic_store(&graph->vertices, 0);
    atomic_store(&graph->edges, 0);
    graph->lowest_free = 0;
    return PLEACH_OK;
}

static pleach_status triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    return ordered_triangles(now(exec), capacity, by_vertex, total);
}

/* ---- life ---- */

/* The map registers for forks itself, and `changing` is free while no thread is inside the graph. */
static void after_fork(void *exec) { workers_after_fork(((ordered_graph *)exec)->workers); }

static void destroy(void *exec)
{
    ordered_graph *graph = exec;
    if (graph->workers) workers_destroy(graph->workers);
    pleach_map_destroy(graph->map);
    pthread_mutex_destroy(&graph->changing);
    base_free(graph);
}

static pleach_status create(void **exec, const pleach_graph_config *config)
{
    ordered_graph *graph = base_alloc(1, sizeof *graph);
    if (!graph) return PLEACH_E_MEMORY;
    if (pthread_mutex_init(&graph->changing, NULL)) {
        base_free(graph);
        return PLEACH_E_MEMORY;
    }
    graph->directed = config->directed;
    graph->values = config->values;
    graph->on_cpu = config->device != PLEACH_CUDA;
    graph->threads = config->threads;
    graph->workers = workers_create(config->threads);
    pleach_map_config of_map = {.device = config->device, .key_bits = 64, .threads = config->threads,
                                .gpu = config->gpu, .max_bytes = config->max_bytes, .versioned = config->snapshots};
    pleach_status status = graph->workers ? pleach_map_create(&graph->map, &of_map) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK)
        *exec = graph;
    else
        destroy(graph);
    return status;
}

/* ---- snapshots ---- */

static pleach_status take(void *exec, void **out)
{
    ordered_graph *graph = exec;
    ordered_snapshot *snapshot = base_alloc(1, sizeof *snapshot);
    if (!snapshot) return PLEACH_E_MEMORY;
    pthread_mutex_lock(&graph->changing);
    pleach_status status = pleach_snapshot_take(graph->map, &snapshot->of_map, PLEACH_SYNC);
    snapshot->vertices = atomic_load(&graph->vertices);
    snapshot->edges = atomic_load(&graph->edges);
    pthread_mutex_unlock(&graph->changing);
    if (status == PLEACH_OK)
        *out = snapshot;
    else
        base_free(snapshot);
    return status;
}

static void release(void *exec, void *snapshot)
{
    (void)exec;
    pleach_snapshot_release(((ordered_snapshot *)snapshot)->of_map);
    base_free(snapshot);
}

static void size_then(void *exec, void *snapshot, uint64_t *vertices, uint64_t *edges)
{
    ordered_sizes(then(exec, snapshot), vertices, edges);
}

static pleach_status run_then(void *exec, void *snapshot, const graph_request *request)
{
    return ordered_ask(then(exec, snapshot), request);
}

static pleach_status neighbours_then(void *exec, void *snapshot, size_t n, const uint32_t *vertices, size_t capacity,
                                     uint32_t *out, uint32_t *values, uint64_t *offsets, size_t *total)
{
    return ordered_list(then(exec, snapshot), n, vertices, capacity, out, values, offsets, total);
}

static pleach_status export_edges_then(void *exec, void *snapshot, size_t capacity, uint32_t *from, uint32_t *to,
                                       uint32_t *values, uint64_t *edges)
{
    return ordered_edges(then(exec, snapshot), capacity, from, to, values, edges);
}

static pleach_status triangles_then(void *exec, void *snapshot, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    return ordered_triangles(then(exec, snapshot), capacity, by_vertex, total);
}

static const graph_snapshot_ops snapshot_ops = {
    .take = take,
    .release = release,
    .size = size_then,
    .run = run_then,
    .neighbours = neighbours_then,
    .export_edges = export_edges_then,
    .triangles = triangles_then,
};

const graph_exec_ops graph_exec_ordered = {
    .host_only = true,
    .snapshots = &snapshot_ops,
    .create = create,
    .destroy = destroy,
    .after_fork = after_fork,
    .run = run,
    .neighbours = neighbours,
    .size = size,
    .quiesce = quiesce,
    .build = ordered_build,
    .new_vertices = ordered_new_vertices,
    .erase_vertices = ordered_erase_vertices,
    .export_rows = export_rows,
    .export_edges = export_edges,
    .list_vertices = ordered_list_vertices,
    .clear = clear,
    .stats = ordered_stats,
    .validate = ordered_validate,
    .triangles = triangles,
    .run_counting = ordered_run_counting,
};
