/* graph/graph.c - the graph's public functions: they check the arguments, pass the gate, and call the backend. */
#include "../../include/pleach/graph.h"

#include "../base/device_pointer.h"
#include "../base/memory.h"
#include "../base/config_threads.h"
#include "graph_object.h"

static const uint64_t LEAST_BYTES = (uint64_t)1 << 19, MOST_ELEMENTS = (uint64_t)1 << 31;
static const double DEFAULT_LOAD = 0.7, LEAST_LOAD = 0.1;

/* ---- life ---- */

static pleach_status complete_config(pleach_graph_config *config)
{
    if (config->device != PLEACH_CPU && config->device != PLEACH_CUDA) return PLEACH_E_ARGUMENT;
    if (config->directed > 1 || config->values > 1 || !config_threads(&config->threads)) return PLEACH_E_ARGUMENT;
    if (config->adjacency != PLEACH_ADJACENCY_HASH && config->adjacency != PLEACH_ADJACENCY_ORDERED)
        return PLEACH_E_ARGUMENT;
    if (config->snapshots > (config->adjacency == PLEACH_ADJACENCY_ORDERED)) return PLEACH_E_ARGUMENT;
    if (config->sparse_ids > 1 || config->fixed_seed > 1) return PLEACH_E_ARGUMENT;
    if (config->load == 0) config->load = DEFAULT_LOAD;
    if (!(config->load >= LEAST_LOAD && config->load <= 1)) return PLEACH_E_ARGUMENT; /* rejects NaN too */
    if (config->max_bytes && config->max_bytes < LEAST_BYTES) return PLEACH_E_ARGUMENT;
    return PLEACH_OK;
}

static const graph_exec_ops *ops_of(const pleach_graph_config *config)
{
    if (config->adjacency == PLEACH_ADJACENCY_ORDERED) return &graph_exec_ordered;
    if (config->device == PLEACH_CPU) return &graph_exec_cpu;
#ifdef PLEACH_HAVE_CUDA
    return &graph_exec_cuda;
#else
    return NULL;
#endif
}

static void after_fork(void *object)
{
    pleach_graph *graph = object;
    graph->ops->after_fork(graph->exec);
}

static pleach_status watch_forks(pleach_graph *graph)
{
    const gate_fork_plan plan = {graph->device == PLEACH_CPU, true, after_fork, graph->ops->destroy};
    return gate_fork_watch(&graph->fork, &graph->gate, plan, graph, graph->exec);
}

pleach_status pleach_graph_create(pleach_graph **out, const pleach_graph_config *config)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    pleach_graph_config complete = {0};
    if (config) complete = *config;
    pleach_status status = complete_config(&complete);
    if (status != PLEACH_OK) return status;
    const graph_exec_ops *ops = ops_of(&complete);
    if (!ops) return PLEACH_E_NO_CUDA;

    pleach_graph *graph = base_alloc(1, sizeof *graph);
    if (!graph) return PLEACH_E_MEMORY;
    graph->ops = ops;
    graph->device = complete.device;
    graph->directed = complete.directed;
    graph->values = complete.values;
    graph->config = complete;
    graph->host_only = ops->host_only;
    bool gated = gate_init(&graph->gate);
    status = gated ? graph->ops->create(&graph->exec, &complete) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) status = watch_forks(graph);
    if (status != PLEACH_OK) {
        if (gated) gate_destroy(&graph->gate);
        base_free(graph);
        return status;
    }
    *out = graph;
    return PLEACH_OK;
}

void pleach_graph_destroy(pleach_graph *graph)
{
    if (!graph) return;
    gate_fork_end(&graph->fork);
    graph->ops->quiesce(graph->exec);
    graph->ops->destroy(graph->exec);
    gate_destroy(&graph->gate);
    base_free(graph);
}

/* ---- array calls ---- */

static bool has_ends(graph_request_kind kind)
{
    return kind == GRAPH_INSERT_EDGES || kind == GRAPH_ERASE_EDGES || kind == GRAPH_FIND_EDGES;
}

pleach_status graph_check_pointers(const pleach_graph *graph, const void *const *pointers, size_t n)
{
    if (!graph->host_only) return PLEACH_OK; /* the CUDA backend checks each pointer itself */
    return any_device_pointer(pointers, n) ? PLEACH_E_POINTER : PLEACH_OK;
}

pleach_status graph_check_request(const pleach_graph *graph, const graph_request *r, pleach_stream stream)
{
    if (!graph) return PLEACH_E_ARGUMENT;
    if (graph->host_only && stream != PLEACH_SYNC) return PLEACH_E_STREAM;
    bool out_values = r->out_values && r->kind != GRAPH_DEGREES;
    if (!graph->values && (r->values || out_values)) return PLEACH_E_ARGUMENT;
    if (r->n == 0) return PLEACH_OK;
    if (!r->from || (has_ends(r->kind) && !r->to)) return PLEACH_E_ARGUMENT;
    if (r->kind == GRAPH_INSERT_EDGES && graph->values && !r->values) return PLEACH_E_ARGUMENT;
    if (r->n > MOST_ELEMENTS) return PLEACH_E_SIZE;
    const void *pointers[] = {r->from, r->to, r->values, r->out_values, r->flags};
    return graph_check_pointers(graph, pointers, sizeof pointers / sizeof *pointers);
}

static pleach_status run(pleach_graph *graph, const graph_request *r, pleach_stream stream)
{
    pleach_status status = graph_check_request(graph, r, stream);
    if (status != PLEACH_OK || r->n == 0) return status;
    gate_enter(&graph->gate);
    status = graph->ops->run(graph->exec, r, stream);
    gate_leave(&graph->gate);
    return status;
}

pleach_status pleach_graph_insert_edges(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                        const uint32_t *values, uint8_t *outcomes, pleach_stream stream)
{
    graph_request r = {GRAPH_INSERT_EDGES, n, from, to, values, NULL, outcomes};
    return run(graph, &r, stream);
}

pleach_status pleach_graph_erase_edges(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                       uint8_t *outcomes, pleach_stream stream)
{
    graph_request r = {GRAPH_ERASE_EDGES, n, from, to, NULL, NULL, outcomes};
    return run(graph, &r, stream);
}

pleach_status pleach_graph_find_edges(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                      uint32_t *values, uint8_t *found, pleach_stream stream)
{
    graph_request r = {GRAPH_FIND_EDGES, n, from, to, NULL, values, found};
    return run(graph, &r, stream);
}

pleach_status pleach_graph_insert_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices, uint8_t *outcomes,
                                           pleach_stream stream)
{
    graph_request r = {GRAPH_INSERT_VERTICES, n, vertices, NULL, NULL, NULL, outcomes};
    return run(graph, &r, stream);
}

pleach_status pleach_graph_find_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices, uint8_t *found,
                                         pleach_stream stream)
{
    if (graph && n && !found) return PLEACH_E_ARGUMENT;
    graph_request r = {GRAPH_FIND_VERTICES, n, vertices, NULL, NULL, NULL, found};
    return run(graph, &r, stream);
}

pleach_status pleach_graph_degrees(pleach_graph *graph, size_t n, const uint32_t *vertices, uint32_t *degrees,
                                   pleach_stream stream)
{
    if (graph && n && !degrees) return PLEACH_E_ARGUMENT;
    graph_request r = {GRAPH_DEGREES, n, vertices, NULL, NULL, degrees, NULL};
    return run(graph, &r, stream);
}

pleach_status graph_check_lists(const pleach_graph *graph, size_t n, const uint32_t *vertices,
                                const uint32_t *neighbours, const uint32_t *values, const uint64_t *offsets)
{
    if (!graph || (n && (!vertices || !offsets)) || (values && !graph->values)) return PLEACH_E_ARGUMENT;
    if (n > MOST_ELEMENTS) return PLEACH_E_SIZE;
    const void *pointers[] = {vertices, neighbours, values, offsets};
    return graph_check_pointers(graph, pointers, sizeof pointers / sizeof *pointers);
}

pleach_status pleach_graph_neighbours(pleach_graph *graph, size_t n, const uint32_t *vertices, size_t capacity,
                                      uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total)
{
    pleach_status status = graph_check_lists(graph, n, vertices, neighbours, values, offsets);
    if (status != PLEACH_OK) return status;
    size_t found = 0;
    if (n == 0 && !offsets) {
        if (total) *total = 0;
        return PLEACH_OK;
    }
    gate_enter(&graph->gate);
    status = graph->ops->neighbours(graph->exec, n, vertices, capacity, neighbours, values, offsets, &found);
    gate_leave(&graph->gate);
    if (total) *total = found;
    return status;
}

/* ---- exclusive ---- */

pleach_status graph_enter_exclusive(pleach_graph *graph)
{
    if (!gate_enter_exclusive(&graph->gate)) return PLEACH_E_BUSY;
    pleach_status status = graph->ops->quiesce(graph->exec);
    if (status != PLEACH_OK) gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_size(pleach_graph *graph, uint64_t *vertices, uint64_t *edges)
{
    if (!graph) return PLEACH_E_ARGUMENT;
    gate_enter(&graph->gate);
    pleach_status status = graph->ops->size(graph->exec, vertices, edges);
    gate_leave(&graph->gate);
    return status;
}

pleach_status pleach_graph_build(pleach_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                                 const uint32_t *values)
{
    graph_request r = {GRAPH_INSERT_EDGES, n, from, to, values, NULL, NULL};
    pleach_status status = graph_check_request(graph, &r, PLEACH_SYNC);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->build(graph->exec, n, from, to, values);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_new_vertices(pleach_graph *graph, size_t n, uint32_t *vertices)
{
    if (!graph || (n && !vertices)) return PLEACH_E_ARGUMENT;
    if (n > MOST_ELEMENTS) return PLEACH_E_SIZE;
    const void *pointers[] = {vertices};
    pleach_status status = graph_check_pointers(graph, pointers, 1);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->new_vertices(graph->exec, n, vertices);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_erase_vertices(pleach_graph *graph, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    graph_request r = {GRAPH_FIND_VERTICES, n, vertices, NULL, NULL, NULL, outcomes};
    pleach_status status = graph_check_request(graph, &r, PLEACH_SYNC);
    if (status != PLEACH_OK || n == 0) return status;
    status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->erase_vertices(graph->exec, n, vertices, outcomes);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_export_rows(pleach_graph *graph, size_t row_capacity, uint64_t *offsets,
                                       size_t entry_capacity, uint32_t *targets, uint32_t *values, uint64_t *rows,
                                       uint64_t *entries)
{
    if (!graph || (values && !graph->values)) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {offsets, targets, values};
    pleach_status status = graph_check_pointers(graph, pointers, sizeof pointers / sizeof *pointers);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    graph_rows out = {row_capacity, entry_capacity, offsets, targets, values, 0, 0};
    status = graph->ops->export_rows(graph->exec, &out);
    gate_leave_exclusive(&graph->gate);
    if (rows) *rows = out.rows;
    if (entries) *entries = out.entries;
    return status;
}

pleach_status graph_check_edges_out(const pleach_graph *graph, const uint32_t *from, const uint32_t *to,
                                    const uint32_t *values, const uint64_t *edges)
{
    if (!graph || !edges || (values && !graph->values) || !from != !to) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {from, to, values};
    return graph_check_pointers(graph, pointers, sizeof pointers / sizeof *pointers);
}

pleach_status pleach_graph_export_edges(pleach_graph *graph, size_t capacity, uint32_t *from, uint32_t *to,
                                        uint32_t *values, uint64_t *edges)
{
    pleach_status status = graph_check_edges_out(graph, from, to, values, edges);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->export_edges(graph->exec, capacity, from, to, values, edges);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_export_vertices(pleach_graph *graph, size_t capacity, uint32_t *vertices, uint64_t *n)
{
    if (!graph || !n) return PLEACH_E_ARGUMENT;
    const void *pointers[] = {vertices};
    pleach_status status = graph_check_pointers(graph, pointers, 1);
    if (status == PLEACH_OK) status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->list_vertices(graph->exec, capacity, vertices, n);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_clear(pleach_graph *graph)
{
    if (!graph) return PLEACH_E_ARGUMENT;
    pleach_status status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->clear(graph->exec);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_get_stats(pleach_graph *graph, pleach_graph_stats *stats)
{
    if (!graph || !stats) return PLEACH_E_ARGUMENT;
    pleach_status status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    *stats = (pleach_graph_stats){0};
    status = graph->ops->stats(graph->exec, stats);
    gate_leave_exclusive(&graph->gate);
    return status;
}

pleach_status pleach_graph_validate(pleach_graph *graph, char *message, size_t message_size)
{
    if (!graph) return PLEACH_E_ARGUMENT;
    char unwanted[1];
    if (!message || !message_size) message = unwanted, message_size = sizeof unwanted;
    message[0] = 0;
    pleach_status status = graph_enter_exclusive(graph);
    if (status != PLEACH_OK) return status;
    status = graph->ops->validate(graph->exec, message, message_size);
    gate_leave_exclusive(&graph->gate);
    return status;
}

/* ---- device views ---- */

pleach_status pleach_graph_view_open(pleach_graph *graph, pleach_graph_view *view)
{
    if (!graph || !view) return PLEACH_E_ARGUMENT;
    *view = (pleach_graph_view){0};
    if (!graph->ops->view) return PLEACH_E_ARGUMENT;
    gate_view_open(&graph->gate); /* first, so that no exclusive call is inside or can enter */
    pleach_graph_view found;
    pleach_status status = graph->ops->view(graph->exec, &found);
    if (status == PLEACH_OK)
        *view = found;
    else
        gate_view_close(&graph->gate);
    return status;
}

pleach_status pleach_graph_view_close(pleach_graph *graph, pleach_graph_view *view)
{
    if (!graph || !view || !view->state || !gate_view_close(&graph->gate)) return PLEACH_E_ARGUMENT;
    graph->ops->view_closed(graph->exec);
    *view = (pleach_graph_view){0};
    return PLEACH_OK;
}
