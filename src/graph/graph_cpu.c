/* graph/graph_cpu.c - graphs in host memory: graph_exec_ops for CPU threads. */
#include "graph_cpu.h"

#include <stdatomic.h>

#include "../base/memory.h"
#include "../hash/slabhash_seed.h"
#include "../sync/gate.h"

graph_ref graph_place_of(const cpu_graph *graph)
{
    graph_state *state = graph->state;
    slab_ref slabs = {.runs = {&state->pool, &state->runs, graph->slabs.nodes, SLAB_BYTES, gate_thread_number()},
                        .seed = graph->seed, .load_of_keys = graph->load};
    uint64_t *directory = graph->directory.nodes, *names = graph->sparse ? directory + GRAPH_SEGMENTS : NULL;
    return (graph_ref){slabs, state, directory, names, graph->directed, 0};
}

bool graph_segment(const graph_ref *place, uint64_t number, uint64_t *first, uint64_t *end)
{
    *first = number << GRAPH_SEGMENT_LOG;
    *end = (number + 1) << GRAPH_SEGMENT_LOG;
    return port_load(&place->directory[number]) != 0;
}

/* ---- array calls ---- */

typedef struct run_job {
    const cpu_graph *graph;
    const graph_request *request;
    atomic_uint_fast64_t not_applied, no_vertex;
} run_job;

void graph_count_changes(const cpu_graph *graph, const graph_result *result)
{
    unsigned stripe = gate_thread_number() % GRAPH_STRIPES;
    if (result->edges) port_fetch_add(&graph->state->stripe[stripe].edges, (uint64_t)result->edges);
    if (result->vertices) port_fetch_add(&graph->state->stripe[stripe].vertices, (uint64_t)result->vertices);
}

static void run_part(void *context, size_t begin, size_t end)
{
    run_job *job = context;
    graph_ref place = graph_place_of(job->graph);
    graph_result result = {0};
    job->graph->ops->run(&place, job->request, begin, end, &result);
    graph_count_changes(job->graph, &result);
    if (result.not_applied) atomic_fetch_add(&job->not_applied, result.not_applied);
    if (result.no_vertex) atomic_fetch_add(&job->no_vertex, result.no_vertex);
}

pleach_status graph_cpu_run(void *exec, const graph_request *request, pleach_stream stream)
{
    (void)stream; /* the API layer accepts none for a CPU graph */
    cpu_graph *graph = exec;
    run_job job = {graph, request, 0, 0};
    if (request->n == 1)
        run_part(&job, 0, 1);
    else
        workers_run(graph->workers, request->n, workers_grain(graph->threads, request->n), run_part, &job);
    if (request->n > 1) pool_host_grown(&graph->slabs, port_load(&graph->state->pool.next) * SLAB_BYTES);
    if (atomic_load(&job.not_applied)) return PLEACH_E_FULL; /* PLEACH_E_VERTEX implies that all else was applied */
    return atomic_load(&job.no_vertex) ? PLEACH_E_VERTEX : PLEACH_OK;
}

static pleach_status graph_cpu_size(void *exec, uint64_t *vertices, uint64_t *edges)
{
    const graph_state *state = ((cpu_graph *)exec)->state;
    int64_t vertex_sum = 0, edge_sum = 0;
    for (unsigned i = 0; i < GRAPH_STRIPES; i++) {
        vertex_sum += (int64_t)port_load(&state->stripe[i].vertices);
        edge_sum += (int64_t)port_load(&state->stripe[i].edges);
    }
    if (vertices) *vertices = vertex_sum < 0 ? 0 : (uint64_t)vertex_sum;
    if (edges) *edges = edge_sum < 0 ? 0 : (uint64_t)edge_sum;
    return PLEACH_OK;
}

static pleach_status graph_cpu_quiesce(void *exec)
{
    (void)exec; /* a call on a CPU graph is complete when it returns */
    return PLEACH_OK;
}

/* ---- life ---- */

static void close_memory(cpu_graph *graph)
{
    pool_host_close(&graph->slabs);
    pool_host_close(&graph->directory);
    base_free(graph->state);
    graph->state = NULL;
}

/* `before` is the memory that this one will replace, or NULL. */
static bool open_memory(cpu_graph *graph, const pool_host *before)
{
    uint64_t entries = graph->sparse ? 2 * GRAPH_SEGMENTS : GRAPH_SEGMENTS; /* names need entries as well */
    graph->state = base_alloc(1, sizeof *graph->state);
    if (!graph->state) return false;
    if (!(before ? pool_host_open_like(&graph->slabs, before)
                 : pool_host_open(&graph->slabs, graph->max_bytes, SLAB_BYTES)) ||
        !pool_host_open_small_pages(&graph->directory, entries * sizeof(uint64_t)))
        return false;
    graph->state->pool.capacity = graph->slabs.bytes / SLAB_BYTES;
    graph->state->pool.next = 1;
    graph->lowest_free = 0;
    return true;
}

pleach_status graph_cpu_clear(void *exec)
{
    cpu_graph *graph = exec, before = *graph;
    graph->slabs = graph->directory = (pool_host){0};
    if (!open_memory(graph, &before.slabs)) {
        close_memory(graph);
        *graph = before;
        return PLEACH_E_MEMORY;
    }
    close_memory(&before);
    return PLEACH_OK;
}

static void graph_cpu_after_fork(void *exec) { workers_after_fork(((cpu_graph *)exec)->workers); }

static void graph_cpu_destroy(void *exec)
{
    cpu_graph *graph = exec;
    if (graph->workers) workers_destroy(graph->workers);
    close_memory(graph);
    base_free(graph);
}

static pleach_status graph_cpu_create(void **exec, const pleach_graph_config *config)
{
    cpu_graph *graph = base_alloc(1, sizeof *graph);
    if (!graph) return PLEACH_E_MEMORY;
    graph->threads = config->threads;
    graph->directed = config->directed;
    graph->values = config->values;
    graph->sparse = config->sparse_ids;
    graph->seed = slabhash_seed(config->seed, config->fixed_seed);
    graph->load = (uint32_t)(config->load * 1024);
    graph->max_bytes = config->max_bytes;
    graph->ops = config->values ? &graph_run_map32 : &graph_run_set32;
    graph->workers = workers_create(config->threads);
    if (!graph->workers || !open_memory(graph, NULL)) {
        graph_cpu_destroy(graph);
        return PLEACH_E_MEMORY;
    }
    *exec = graph;
    return PLEACH_OK;
}

const graph_exec_ops graph_exec_cpu = {
    .host_only = true,
    .create = graph_cpu_create,
    .destroy = graph_cpu_destroy,
    .after_fork = graph_cpu_after_fork,
    .run = graph_cpu_run,
    .neighbours = graph_cpu_neighbours,
    .size = graph_cpu_size,
    .quiesce = graph_cpu_quiesce,
    .build = graph_cpu_build,
    .new_vertices = graph_cpu_new_vertices,
    .erase_vertices = graph_cpu_erase_vertices,
    .export_rows = graph_cpu_export_rows,
    .export_edges = graph_cpu_export_edges,
    .list_vertices = graph_cpu_list_vertices,
    .clear = graph_cpu_clear,
    .stats = graph_cpu_stats,
    .validate = graph_cpu_validate,
    .triangles = graph_cpu_triangles,
    .run_counting = graph_cpu_run_counting,
};
