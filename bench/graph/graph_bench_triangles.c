/* graph_bench_triangles.c - all triangles of a graph that does not change.
 *
 * pleach counts on the dynamic graph as it is; the others on a structure that is built for the purpose, with and
 * without the time that takes. Everybody's answer must be the same.
 */
#include <stdio.h>

#include "graph_baseline.h"
#include "graph_bench.h"

/* Tables 5.7 and 5.8, milliseconds: the count, and the sort that the structures beside it needed first. */
static const struct {
    const char *name;
    double count, sort;
} seed_counts[GRAPH_CLASSES] = {{"road_usa", 66.20, 10875},
                                {"delaunay_n20", 6.43, 503.29},
                                {"rgg_n_2_20_s0", 23.24, 496.85},
                                {"soc-LiveJournal1", 1526, 2226}};

struct counts {
    uint64_t triangles;
    struct figure ours, ours_built;      /* the count; building the graph as well */
    struct figure merge, rows;           /* the baseline's merging; all of its phases */
    struct figure rank, fill, sort;      /* these phases */
    struct figure product, graphblas;    /* GraphBLAS's product; building its matrix as well */
    struct graph_limit limit, limit_built; /* of the first two */
};

static bool count_ours(struct graph_bench *bench, const struct graph_input *input, struct counts *counts)
{
    double build = 0, count = 0;
    struct edge_call call = {.edges = &input->once, .count = input->once.count};
    if (!graph_bench_open(bench, false, 0, &call.graph)) return false;
    bool good = graph_time(bench, "building the graph", call_build, &call, &build) &&
                graph_time(bench, "counting triangles", call_triangles, &call, &count);
    pleach_graph_destroy(call.graph);
    if (good && call.result != counts->triangles) good = graph_wrong(bench, "pleach's triangles");
    figure_add(&counts->ours, 1e3 * count);
    figure_add(&counts->ours_built, 1e3 * (build + count));
    return good;
}

/* The baseline's count, which sees each edge once, is what the others are checked against. */
static bool count_rows(struct graph_bench *bench, const struct graph_input *input, struct counts *counts)
{
    struct baseline_triangles result;
    const struct edge_list list = {.count = input->once.count, .from = input->once.from, .to = input->once.to,
                                   .declared = input->vertices, .undirected = true};
    if (!baseline_count_triangles(bench->crew, &list, input->vertices, NULL, &result)) return graph_no_memory(bench);
    counts->triangles = result.triangles;
    figure_add(&counts->rank, 1e3 * result.rank);
    figure_add(&counts->fill, 1e3 * result.build);
    figure_add(&counts->sort, 1e3 * result.sort);
    figure_add(&counts->merge, 1e3 * result.count);
    figure_add(&counts->rows, 1e3 * (result.rank + result.build + result.sort + result.count));
    return result.edges == input->once.count || graph_wrong(bench, "the baseline's edges");
}

static bool count_graphblas(struct graph_bench *bench, const struct graph_input *input, struct counts *counts)
{
#ifdef PLEACH_HAVE_GRAPHBLAS
    struct graphblas_count result;
    if (!graphblas_triangles(&input->once, input->vertices, &result)) return graph_wrong(bench, "GraphBLAS has failed");
    figure_add(&counts->product, 1e3 * result.product);
    figure_add(&counts->graphblas, 1e3 * (result.build + result.product));
    return result.triangles == counts->triangles || graph_wrong(bench, "GraphBLAS's triangles");
#else
    (void)bench, (void)input, (void)counts;
    return true;
#endif
}

static bool find_limits(struct graph_bench *bench, const struct graph_input *input, struct counts *counts)
{
    struct graph_lists lists;
    const struct edge_array *const arrays[] = {&input->once};
    if (!graph_count_lists(bench, input->vertices, arrays, 1, &lists)) return false;
    struct bench_need need = bench_need_graph_lists(lists.all);
    counts->limit = graph_limit(bench, need);
    bench_need_add(&need, 1, graph_need_build(bench, input, false));
    counts->limit_built = graph_limit(bench, need);
    return true;
}

static void add_row(const struct graph_bench *bench, const char *graph, const char *what, const struct figure *figure,
                    const char *note)
{
    const struct graph_row row = {.experiment = "triangles", .graph = graph, .what = what, .unit = "ms",
                                  .figure = figure, .note = note};
    if (figure->runs > 0) graph_report_add(bench->report, &row);
}

static void add_own_rows(const struct graph_bench *bench, const char *graph, const struct counts *c, const char *note)
{
    const bool product = c->product.runs > 0;
    struct graph_row row = {.experiment = "triangles", .graph = graph, .what = "pleach", .unit = "ms",
                            .figure = &c->ours, .limit = c->limit, .peer = product ? &c->product : &c->merge,
                            .note = note};
    graph_report_add(bench->report, &row);
    row.what = "pleach, with building";
    row.figure = &c->ours_built;
    row.limit = c->limit_built;
    row.peer = product ? &c->graphblas : &c->rows;
    row.note = NULL;
    graph_report_add(bench->report, &row);
}

/* "x peer" is beside who counts on a structure that is there, and beside who builds it. */
static void add_rows(const struct graph_bench *bench, size_t class, const struct counts *c)
{
    const struct graph_input *const input = &bench->inputs[class];
    char phases[120], seed[120];
    snprintf(phases, sizeof phases, "rank %.2f, build %.2f, sort %.2f, count %.2f", figure_median(&c->rank),
             figure_median(&c->fill), figure_median(&c->sort), figure_median(&c->merge));
    snprintf(seed, sizeof seed, "%.0f triangles; TITAN V: %.2f ms of %s, and sort %.0f", (double)c->triangles,
             seed_counts[class].count, seed_counts[class].name, seed_counts[class].sort);
    add_row(bench, input->name, "merged rows, count only", &c->merge, NULL);
    add_row(bench, input->name, "merged rows", &c->rows, phases);
    add_row(bench, input->name, "GraphBLAS, product only", &c->product, NULL);
    add_row(bench, input->name, "GraphBLAS, with matrix", &c->graphblas, NULL);
    add_own_rows(bench, input->name, c, seed);
}

static void count_class(struct graph_bench *bench, size_t class)
{
    struct counts counts = {0};
    bool good = find_limits(bench, &bench->inputs[class], &counts);
    for (size_t run = 0; good && run < bench->runs; run++)
        good = count_rows(bench, &bench->inputs[class], &counts) &&
               count_graphblas(bench, &bench->inputs[class], &counts) &&
               count_ours(bench, &bench->inputs[class], &counts);
    if (good) add_rows(bench, class, &counts);
}

void graph_bench_triangles(struct graph_bench *bench)
{
#ifdef PLEACH_HAVE_GRAPHBLAS
    if (!graphblas_start(bench->threads)) {
        graph_wrong(bench, "GraphBLAS does not start");
        return;
    }
#endif
    for (size_t class = 0; class < GRAPH_CLASSES && graph_goes_on(bench); class++) count_class(bench, class);
#ifdef PLEACH_HAVE_GRAPHBLAS
    graphblas_finish();
#endif
}

/* ---- the dissertation's tables ---- */

static double seed_count(const struct seed_graph *graph) { return graph->count; }
static double seed_sort(const struct seed_graph *graph) { return graph->sort_csr; }

static void note_count(const struct seed_graph *graph, char *text, size_t size)
{
    snprintf(text, size, "as %s; TITAN V: %.2f ms, Hornet %.2f, faimGraph %.2f", graph->name, graph->count,
             graph->count_hornet, graph->count_faimgraph);
}

static void note_sort(const struct seed_graph *graph, char *text, size_t size)
{
    snprintf(text, size, "as %s; TITAN V: CSR %.2f ms, faimGraph %.2f", graph->name, graph->sort_csr,
             graph->sort_faimgraph);
}

/* What is sorted are the baseline's rows, on the host: pleach sorts nothing. */
void paper_triangles(struct graph_bench *bench)
{
    struct paper_times count = {0}, sort = {0};
    for (size_t class = 0; class < GRAPH_CLASSES && graph_goes_on(bench); class++) {
        struct counts counts = {0};
        find_limits(bench, &bench->inputs[class], &counts);
        for (size_t run = 0; run < bench->runs && graph_goes_on(bench); run++)
            if (count_rows(bench, &bench->inputs[class], &counts)) count_ours(bench, &bench->inputs[class], &counts);
        count.milliseconds[class] = counts.ours;
        count.limit[class] = counts.limit;
        sort.milliseconds[class] = counts.sort;
    }
    if (!graph_goes_on(bench)) return;
    paper_add_graphs(bench, "table-5.7", "pleach", 2, &count, seed_count, note_count);
    paper_add_graphs(bench, "table-5.8", "rows sorted, host", 1, &sort, seed_sort, note_sort);
}
