/* graph_bench_measure.c - what every experiment of pleach-bench graph does: graphs, timing, checks, complaints. */
#include <inttypes.h>
#include <stdio.h>

#include "tools/common/cli.h"
#include "graph_bench.h"

static const char command[] = "pleach-bench graph";

bool graph_stop(struct graph_bench *bench, const char *what, pleach_status status)
{
    const char *const cuda = graph_on_cpu(bench) ? "" : pleach_cuda_error();
    cli_complain(command, "%s on %s: %s%s%s", what, bench->device->name, pleach_strerror(status),
                 cuda[0] != '\0' ? ": " : "", cuda);
    bench->stopped = true;
    return false;
}

bool graph_wrong(struct graph_bench *bench, const char *what)
{
    cli_complain(command, "WRONG: %s", what);
    bench->wrong = true;
    return false;
}

bool graph_no_memory(struct graph_bench *bench)
{
    cli_complain(command, "out of memory; choose a smaller --scale");
    bench->stopped = true;
    return false;
}

bool graph_bench_open(struct graph_bench *bench, bool directed, double load, pleach_graph **graph)
{
    const pleach_graph_config config = {.device = bench->device->kind, .directed = directed, .load = load,
                                        .threads = graph_on_cpu(bench) ? bench->threads : 0,
                                        .adjacency = bench->adjacency, .sparse_ids = bench->sparse, .fixed_seed = 1};
    const pleach_status status = pleach_graph_create(graph, &config);
    return status == PLEACH_OK || graph_stop(bench, "creating a graph", status);
}

bool graph_time(struct graph_bench *bench, const char *what, tool_call *call, void *context, double *seconds)
{
    const pleach_status status = bench->device->time(call, context, seconds);
    return status == PLEACH_OK || graph_stop(bench, what, status);
}

bool graph_check(struct graph_bench *bench, pleach_graph *graph, uint64_t edges)
{
    char message[200], text[300];
    uint64_t found = 0;
    pleach_status status = pleach_graph_size(graph, NULL, &found);
    if (status != PLEACH_OK) return graph_stop(bench, "asking for the size", status);
    if (found != edges) {
        snprintf(text, sizeof text, "%" PRIu64 " edges instead of %" PRIu64, found, edges);
        return graph_wrong(bench, text);
    }
    if (bench->run > 0) return true;
    status = pleach_graph_validate(graph, message, sizeof message);
    return status == PLEACH_OK || graph_wrong(bench, message);
}

/* ---- calls ---- */

pleach_status call_build(void *context, pleach_stream stream)
{
    const struct edge_call *const c = context;
    (void)stream; /* it is synchronous */
    return pleach_graph_build(c->graph, c->count, c->edges->device_from + c->begin, c->edges->device_to + c->begin,
                              NULL);
}

pleach_status call_insert(void *context, pleach_stream stream)
{
    const struct edge_call *const c = context;
    return pleach_graph_insert_edges(c->graph, c->count, c->edges->device_from + c->begin,
                                     c->edges->device_to + c->begin, NULL, c->edges->device_flags + c->begin, stream);
}

pleach_status call_erase(void *context, pleach_stream stream)
{
    const struct edge_call *const c = context;
    return pleach_graph_erase_edges(c->graph, c->count, c->edges->device_from + c->begin,
                                    c->edges->device_to + c->begin, c->edges->device_flags + c->begin, stream);
}

pleach_status call_find(void *context, pleach_stream stream)
{
    const struct edge_call *const c = context;
    return pleach_graph_find_edges(c->graph, c->count, c->edges->device_from + c->begin,
                                   c->edges->device_to + c->begin, NULL, c->edges->device_flags + c->begin, stream);
}

pleach_status call_triangles(void *context, pleach_stream stream)
{
    struct edge_call *const c = context;
    (void)stream;
    return pleach_graph_triangles(c->graph, 0, NULL, &c->result);
}

pleach_status call_insert_counting(void *context, pleach_stream stream)
{
    struct edge_call *const c = context;
    (void)stream; /* it is synchronous */
    return pleach_graph_insert_counting(c->graph, c->count, c->edges->device_from + c->begin,
                                        c->edges->device_to + c->begin, NULL, NULL, 0, NULL, &c->result);
}

size_t count_flags(const struct edge_array *array, uint8_t flag)
{
    size_t count = 0;
    for (size_t i = 0; i < array->count; i++) count += array->flags[i] == flag;
    return count;
}
