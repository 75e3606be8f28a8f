/* graph_bench_build.c - a graph built whole from its edges, as they come. Opening an empty graph is counted on both
 * sides; the baseline's edges in both directions were made before. */
#define _DEFAULT_SOURCE 1
#include <stdio.h>

#include "tools/common/clock.h"
#include "graph_baseline.h"
#include "graph_bench.h"

/* Table 5.5, and table 5.1: what it was measured on, and how many entries that has. */
static const struct {
    const char *name;
    double milliseconds, entries;
} seed_builds[GRAPH_CLASSES] = {{"road_usa", 27.910, 57.71e6},
                                {"delaunay_n20", 2.494, 6.3e6},
                                {"rgg_n_2_20_s0", 5.053, 13.8e6},
                                {"soc-LiveJournal1", 26.176, 85.7e6}};

struct opening {
    struct graph_bench *bench;
    struct edge_call build;
};

static pleach_status call_open_and_build(void *context, pleach_stream stream)
{
    struct opening *const o = context;
    if (!graph_bench_open(o->bench, false, 0, &o->build.graph)) return PLEACH_E_MEMORY;
    return call_build(&o->build, stream);
}

static double build_ours(struct graph_bench *bench, const struct graph_input *input)
{
    double seconds = 0;
    struct opening o = {.bench = bench, .build = {.edges = &input->once, .count = input->once.count}};
    const bool good = graph_time(bench, "building the graph", call_open_and_build, &o, &seconds) &&
                      graph_check(bench, o.build.graph, input->once.count);
    pleach_graph_destroy(o.build.graph);
    return good ? 1e3 * seconds : 0;
}

static double build_baseline(struct graph_bench *bench, const struct graph_input *input)
{
    const double start = clock_seconds();
    struct baseline_vectors *const graph = baseline_vectors_create(bench->crew, input->vertices);
    bool good = graph != NULL && baseline_vectors_insert(graph, input->both.count, input->both.from, input->both.to);
    const double seconds = clock_seconds() - start;
    if (!good) graph_no_memory(bench);
    if (good && baseline_vectors_edges(graph) != input->both.count)
        good = graph_wrong(bench, "the baseline's edges do not add up");
    baseline_vectors_destroy(graph);
    return good ? 1e3 * seconds : 0;
}

static void build_class(struct graph_bench *bench, size_t class)
{
    const struct graph_input *const input = &bench->inputs[class];
    struct figure ours = {0}, baseline = {0};
    char note[120];
    for (bench->run = 0; bench->run < bench->runs && graph_goes_on(bench); bench->run++) {
        if (graph_on_cpu(bench)) figure_add(&baseline, build_baseline(bench, input));
        if (graph_goes_on(bench)) figure_add(&ours, build_ours(bench, input));
    }
    if (!graph_goes_on(bench)) return;
    struct graph_row row = {.experiment = "build", .graph = input->name, .what = "vectors", .unit = "ms",
                            .figure = &baseline};
    if (graph_on_cpu(bench)) graph_report_add(bench->report, &row);
    snprintf(note, sizeof note, "%.1f M entries/s of %zu; TITAN V: %.0f of %s", 2e-3 * (double)input->once.count /
             figure_median(&ours), 2 * input->once.count,
             1e-3 * seed_builds[class].entries / seed_builds[class].milliseconds, seed_builds[class].name);
    row.what = "pleach, undirected";
    row.figure = &ours;
    row.limit = graph_limit(bench, graph_need_build(bench, input, false));
    row.peer = graph_on_cpu(bench) ? &baseline : NULL;
    row.note = note;
    graph_report_add(bench->report, &row);
}

void graph_bench_build(struct graph_bench *bench)
{
    for (size_t class = 0; class < GRAPH_CLASSES && graph_goes_on(bench); class++) build_class(bench, class);
}

/* ---- the dissertation's table ---- */

static double seed_build(const struct seed_graph *graph) { return graph->build; }

static void note_build(const struct seed_graph *graph, char *text, size_t size)
{
    const int length = snprintf(text, size, "as %s; TITAN V: %.2f ms", graph->name, graph->build);
    if (graph->build_hornet > 0)
        snprintf(text + length, size - (size_t)length, ", Hornet %.2f", graph->build_hornet);
}

void paper_build(struct graph_bench *bench)
{
    struct paper_times ours = {0};
    for (size_t class = 0; class < GRAPH_CLASSES; class++) {
        for (bench->run = 0; bench->run < bench->runs && graph_goes_on(bench); bench->run++)
            figure_add(&ours.milliseconds[class], build_ours(bench, &bench->inputs[class]));
        ours.limit[class] = graph_limit(bench, graph_need_build(bench, &bench->inputs[class], false));
    }
    if (graph_goes_on(bench)) paper_add_graphs(bench, "table-5.5", "pleach", 2, &ours, seed_build, note_build);
}
