/* graph_bench_load.c - what the load factor does: how full a vertex's table may be before it grows. R-MAT graphs of
 * different degree, undirected, whose edges are inserted in one call into an empty graph, so that tables grow; or, as
 * in the dissertation, directed ones that are built. */
#include <stdio.h>

#include "graph_bench.h"

struct loaded {
    struct figure rate, triangles;
    pleach_graph_stats stats;
};

/* Of an edge and of a count, whatever the load. */
struct load_limits {
    struct graph_limit edge, triangles;
};

static bool find_limits(struct graph_bench *bench, const struct graph_input *input, bool directed,
                        struct load_limits *limits)
{
    const struct edge_array *const arrays[] = {&input->once};
    struct graph_lists lists;
    if (!graph_count_lists(bench, input->vertices, arrays, 1, &lists)) return false;
    limits->edge = graph_limit(bench, graph_need_build(bench, input, directed));
    limits->edge.rate *= (double)(directed ? input->both.count : input->once.count);
    limits->triangles = graph_limit(bench, bench_need_graph_lists(lists.all));
    return true;
}

static bool run_once(struct graph_bench *bench, const struct graph_input *input, double load, bool directed,
                     struct loaded *result)
{
    double seconds = 0, counting = 0;
    struct edge_call call = {.edges = directed ? &input->both : &input->once};
    call.count = call.edges->count;
    if (!graph_bench_open(bench, directed, load, &call.graph)) return false;
    bool good = graph_time(bench, "inserting edges", directed ? call_build : call_insert, &call, &seconds) &&
                (directed || graph_time(bench, "counting triangles", call_triangles, &call, &counting)) &&
                graph_check(bench, call.graph, call.count);
    const pleach_status status = good ? pleach_graph_get_stats(call.graph, &result->stats) : PLEACH_OK;
    if (status != PLEACH_OK) good = graph_stop(bench, "asking for statistics", status);
    pleach_graph_destroy(call.graph);
    figure_add(&result->rate, millions_per_second(call.count, seconds));
    figure_add(&result->triangles, 1e3 * counting);
    return good;
}

static void add_figure(const struct graph_bench *bench, const char *graph, const char *what, const char *unit,
                       double value)
{
    struct figure figure = {0};
    figure_add(&figure, value);
    graph_report_add(bench->report, &(struct graph_row){.experiment = "load", .graph = graph, .what = what,
                                                        .unit = unit, .figure = &figure, .detail = true});
}

/* Slabs of a bucket. */
static double chain_of(const pleach_graph_stats *s)
{
    return (double)s->slabs / (double)(s->slabs > s->overflow_slabs ? s->slabs - s->overflow_slabs : 1);
}

static double bytes_an_edge(const pleach_graph_stats *s)
{
    return (double)(s->slab_bytes + s->dictionary_bytes) / (double)(s->edges > 0 ? s->edges : 1);
}

static double degree_of(const struct graph_input *input)
{
    return 2 * (double)input->once.count / (double)input->vertices;
}

static void add_rows(const struct graph_bench *bench, const struct graph_input *input, double load,
                     const struct loaded *result, const struct load_limits *limits)
{
    char what[40], note[120];
    const pleach_graph_stats *const s = &result->stats;
    const double degree = degree_of(input), chain = chain_of(s), bytes = bytes_an_edge(s);
    snprintf(what, sizeof what, "degree %.1f, load %.2f", degree, load);
    snprintf(note, sizeof note, "utilisation %.2f, %.1f bytes/edge, chain %.2f, triangles %.1f ms", s->utilisation,
             bytes, chain, figure_median(&result->triangles));
    graph_report_add(bench->report, &(struct graph_row){.experiment = "load", .graph = input->name, .what = what,
                                                        .unit = "MEdge/s", .figure = &result->rate,
                                                        .limit = limits->edge, .note = note});
    graph_report_add(bench->report, &(struct graph_row){.experiment = "load", .graph = input->name, .what = what,
                                                        .unit = "ms", .figure = &result->triangles,
                                                        .limit = limits->triangles, .detail = true});
    add_figure(bench, input->name, what, "used", s->utilisation);
    add_figure(bench, input->name, what, "bytes", bytes);
    add_figure(bench, input->name, what, "chain", chain);
}

/* Figure 5.2 has the directed graphs, 5.3 the triangles of the others. */
static void add_figure_row(const struct graph_bench *bench, const struct graph_input *input, double load,
                           const struct loaded *result, const struct load_limits *limits, bool directed)
{
    char what[40], note[120];
    const pleach_graph_stats *const s = &result->stats;
    snprintf(what, sizeof what, "degree %.1f, load %.2f", degree_of(input), load);
    if (directed)
        snprintf(note, sizeof note, "utilisation %.2f, %.1f bytes/edge, chain %.2f; TITAN V: 0.4 times at chain 5",
                 s->utilisation, bytes_an_edge(s), chain_of(s));
    else
        snprintf(note, sizeof note, "chain %.2f; TITAN V: best at load 0.7", chain_of(s));
    graph_report_add(bench->report, &(struct graph_row){.experiment = directed ? "figure-5.2" : "figure-5.3",
                                                        .graph = input->name, .what = what,
                                                        .unit = directed ? "MEdge/s" : "ms",
                                                        .figure = directed ? &result->rate : &result->triangles,
                                                        .limit = directed ? limits->edge : limits->triangles,
                                                        .note = note});
}

static void measure_degree(struct graph_bench *bench, uint64_t edge_factor, bool directed, bool paper)
{
    static const double loads[] = {0.3, 0.5, 0.7, 0.85, 1};
    struct graph_input input;
    struct load_limits limits;
    bool good = graph_input_rmat(bench, &input, edge_factor) && find_limits(bench, &input, directed, &limits);
    for (size_t i = 0; good && i < sizeof loads / sizeof loads[0]; i++) {
        struct loaded result = {0};
        for (bench->run = 0; good && bench->run < bench->runs; bench->run++)
            good = run_once(bench, &input, loads[i], directed, &result);
        if (good && paper) add_figure_row(bench, &input, loads[i], &result, &limits, directed);
        if (good && !paper) add_rows(bench, &input, loads[i], &result, &limits);
    }
    graph_input_free(bench, &input);
}

static const uint64_t edge_factors[] = {2, 8, 32};
enum { FACTORS = sizeof edge_factors / sizeof edge_factors[0] };

void graph_bench_load(struct graph_bench *bench)
{
    for (size_t i = 0; i < FACTORS && graph_goes_on(bench); i++) measure_degree(bench, edge_factors[i], false, false);
}

void paper_load(struct graph_bench *bench)
{
    for (size_t i = 0; i < FACTORS && graph_goes_on(bench); i++) measure_degree(bench, edge_factors[i], true, true);
    for (size_t i = 0; i < FACTORS && graph_goes_on(bench); i++) measure_degree(bench, edge_factors[i], false, true);
}
