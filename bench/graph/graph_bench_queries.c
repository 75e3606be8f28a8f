/* graph_bench_queries.c - edges looked for, degrees, and neighbours, of graphs that do not change meanwhile. */
#define _DEFAULT_SOURCE 1
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/clock.h"
#include "graph_baseline.h"
#include "graph_bench.h"
#include "tools/common/mix.h"

enum { HIT_SEED = 79, MISS_SEED = 80, ORDER_SEED = 43 };

struct queries {
    struct graph_bench *bench;
    const struct graph_input *input;
    pleach_graph *graph;
    struct baseline_vectors *vectors; /* the same graph; NULL on a GPU */
    struct edge_array edges;          /* looked for */
    struct edge_array vertices;       /* all, shuffled; degrees in `to` */
    uint64_t *offsets;
    uint32_t *neighbours;
    size_t total;
    atomic_size_t found; /* by the baseline */
};

/* ---- edges ---- */

static void find_slice(void *context, size_t begin, size_t end)
{
    struct queries *const q = context;
    size_t found = 0;
    for (size_t i = begin; i < end; i++) {
        q->edges.flags[i] = baseline_vectors_has(q->vectors, q->edges.from[i], q->edges.to[i]);
        found += q->edges.flags[i];
    }
    atomic_fetch_add(&q->found, found);
}

static double find_baseline(struct queries *q)
{
    atomic_store(&q->found, 0);
    const double start = clock_seconds();
    crew_share(q->bench->crew, q->edges.count, find_slice, q);
    return millions_per_second(q->edges.count, clock_seconds() - start);
}

/* `hits` of them, or as many as the baseline has found, are there. */
static double find_ours(struct queries *q, size_t hits)
{
    double seconds = 0;
    struct edge_call find = {.graph = q->graph, .edges = &q->edges, .count = q->edges.count};
    if (!edge_array_send(q->bench, &q->edges) || !graph_time(q->bench, "find_edges", call_find, &find, &seconds) ||
        !edge_array_fetch(q->bench, &q->edges))
        return 0;
    if (count_flags(&q->edges, 1) != hits) graph_wrong(q->bench, "edges found do not add up");
    return millions_per_second(q->edges.count, seconds);
}

/* Edges that random pairs happen to be, counted without either structure. */
static bool count_hits(struct queries *q, size_t *hits)
{
    uint64_t together = 0, apart = 0;
    const struct edge_array none = {0};
    if (!count_different(&q->edges, &q->input->once, false, &together) ||
        !count_different(&q->edges, &none, false, &apart))
        return graph_no_memory(q->bench);
    *hits = (size_t)(apart + q->input->once.count - together);
    return true;
}

/* So that what is found can be counted, each pair is asked for once at most: others go. */
static void keep_different(struct edge_array *edges, uint64_t vertices)
{
    /* Pair number i of a one-to-one order of all ordered pairs is not another's, but for its mirror. */
    const uint64_t pairs = vertices * vertices;
    const struct mix_order order = mix_order_make(pairs, MISS_SEED);
    size_t kept = 0;
    for (uint64_t i = 0; i < pairs && kept < edges->count; i++) {
        const uint64_t pair = mix_order_at(&order, i);
        const uint32_t from = (uint32_t)(pair / vertices), to = (uint32_t)(pair % vertices);
        if (from >= to) continue;
        edges->from[kept] = from;
        edges->to[kept++] = to;
    }
    edges->count = kept;
}

/* `hit`: how many of the edges there are, in words. */
static void measure_find(struct queries *q, const char *hit, size_t hits)
{
    char own_name[40], baseline_name[40];
    struct figure ours = {0}, baseline = {0};
    for (size_t run = 0; run < q->bench->runs && graph_goes_on(q->bench); run++) {
        if (q->vectors != NULL) figure_add(&baseline, find_baseline(q));
        if (q->vectors != NULL && atomic_load(&q->found) != hits) graph_wrong(q->bench, "the baseline's edges found");
        figure_add(&ours, find_ours(q, hits));
    }
    if (!graph_goes_on(q->bench)) return;
    snprintf(own_name, sizeof own_name, "pleach, find, %s", hit);
    snprintf(baseline_name, sizeof baseline_name, "vectors, search, %s", hit);
    struct graph_row row = {.experiment = "queries", .graph = q->input->name, .batch = q->edges.count,
                            .what = baseline_name, .unit = "MEdge/s", .figure = &baseline};
    if (q->vectors != NULL) graph_report_add(q->bench->report, &row);
    row.what = own_name;
    row.figure = &ours;
    row.limit = graph_limit(q->bench, bench_need_graph_find());
    row.peer = q->vectors != NULL ? &baseline : NULL;
    graph_report_add(q->bench->report, &row);
}

static void find_edges(struct queries *q)
{
    size_t hits = 0;
    make_present_edges(&q->edges, &q->input->once, HIT_SEED);
    measure_find(q, "all hit", q->edges.count);
    keep_different(&q->edges, q->input->vertices);
    if (graph_goes_on(q->bench) && count_hits(q, &hits)) measure_find(q, "few hit", hits);
}

/* ---- vertices ---- */

static pleach_status call_degrees(void *context, pleach_stream stream)
{
    struct queries *const q = context;
    return pleach_graph_degrees(q->graph, q->vertices.count, q->vertices.device_from, q->vertices.device_to, stream);
}

static pleach_status call_neighbours(void *context, pleach_stream stream)
{
    struct queries *const q = context;
    (void)stream; /* it is synchronous */
    return pleach_graph_neighbours(q->graph, q->vertices.count, q->vertices.device_from, q->input->both.count,
                                   q->neighbours, NULL, q->offsets, &q->total);
}

/* Offsets and the lists, against the degrees counted here, and against the edges themselves by a sum that no other list
 * is likely to have. */
static bool right_neighbours(struct queries *q)
{
    uint64_t expected = 0, found = 0;
    if (q->total != q->input->both.count) return graph_wrong(q->bench, "the number of all neighbours");
    for (size_t i = 0; i < q->input->both.count; i++)
        expected += mix64((uint64_t)q->input->both.from[i] << 32 | q->input->both.to[i]);
    for (size_t i = 0; i < q->vertices.count; i++)
        for (uint64_t k = q->offsets[i]; k < q->offsets[i + 1]; k++)
            found += mix64((uint64_t)q->vertices.from[i] << 32 | q->neighbours[k]);
    return found == expected || graph_wrong(q->bench, "neighbours");
}

static bool right_degrees(struct queries *q)
{
    const size_t bytes = q->vertices.count * sizeof(uint32_t);
    uint32_t *const degrees = calloc(q->input->vertices, sizeof degrees[0]);
    bool right = degrees != NULL;
    if (!graph_on_cpu(q->bench) && !q->bench->device->copy_out(q->vertices.to, q->vertices.device_to, bytes))
        right = graph_stop(q->bench, "copying degrees back", PLEACH_E_CUDA);
    for (size_t i = 0; right && i < q->input->both.count; i++) degrees[q->input->both.from[i]]++;
    for (size_t i = 0; right && i < q->vertices.count; i++) right = degrees[q->vertices.from[i]] == q->vertices.to[i];
    free(degrees);
    return right || graph_wrong(q->bench, "degrees");
}

static void add_vertex_row(const struct queries *q, const char *what, const char *unit, const struct figure *figure,
                           struct bench_need need)
{
    const struct graph_row row = {.experiment = "queries", .graph = q->input->name, .batch = q->vertices.count,
                                  .what = what, .unit = unit, .figure = figure, .limit = graph_limit(q->bench, need)};
    if (graph_goes_on(q->bench)) graph_report_add(q->bench->report, &row);
}

static void ask_vertices(struct queries *q)
{
    struct figure degrees = {0}, neighbours = {0};
    const struct mix_order order = mix_order_make(q->vertices.count, ORDER_SEED);
    double seconds = 0;
    for (size_t i = 0; i < q->vertices.count; i++) q->vertices.from[i] = (uint32_t)mix_order_at(&order, i);
    memset(q->vertices.to, 0xa5, q->vertices.count * sizeof q->vertices.to[0]);
    bool good = edge_array_send(q->bench, &q->vertices);
    for (size_t run = 0; good && run < q->bench->runs; run++) {
        good = graph_time(q->bench, "degrees", call_degrees, q, &seconds) && right_degrees(q);
        figure_add(&degrees, millions_per_second(q->vertices.count, seconds));
        good = good && graph_time(q->bench, "neighbours", call_neighbours, q, &seconds) && right_neighbours(q);
        figure_add(&neighbours, millions_per_second(q->total, seconds));
    }
    const double vertices_an_entry = (double)q->vertices.count / (double)q->input->both.count;
    add_vertex_row(q, "pleach, degrees", "MVertex/s", &degrees, bench_need_graph_find());
    add_vertex_row(q, "pleach, neighbours", "MEntry/s", &neighbours, bench_need_graph_neighbour(vertices_an_entry));
}

/* ---- all of a graph ---- */

static bool begin(struct queries *q)
{
    struct graph_bench *const bench = q->bench;
    const struct edge_array *const both = &q->input->both;
    double unused;
    q->offsets = malloc((q->input->vertices + 1) * sizeof q->offsets[0]);
    q->neighbours = malloc((both->count + 1) * sizeof q->neighbours[0]);
    if (q->offsets == NULL || q->neighbours == NULL) return graph_no_memory(bench);
    if (graph_on_cpu(bench)) {
        q->vectors = baseline_vectors_create(bench->crew, q->input->vertices);
        if (q->vectors == NULL || !baseline_vectors_insert(q->vectors, both->count, both->from, both->to))
            return graph_no_memory(bench);
    }
    struct edge_call build = {.edges = &q->input->once, .count = q->input->once.count};
    if (!graph_bench_open(bench, false, 0, &q->graph)) return false;
    build.graph = q->graph;
    return graph_time(bench, "building the graph", call_build, &build, &unused) &&
           edge_array_make(bench, &q->edges, (size_t)1 << largest_batch(bench, 20)) &&
           edge_array_make(bench, &q->vertices, (size_t)q->input->vertices);
}

void graph_bench_queries(struct graph_bench *bench)
{
    for (size_t class = 0; class < GRAPH_CLASSES && graph_goes_on(bench); class++) {
        struct queries q = {.bench = bench, .input = &bench->inputs[class]};
        if (begin(&q)) find_edges(&q);
        if (graph_goes_on(bench)) ask_vertices(&q);
        edge_array_free(bench, &q.edges);
        edge_array_free(bench, &q.vertices);
        baseline_vectors_destroy(q.vectors);
        pleach_graph_destroy(q.graph);
        free(q.offsets);
        free(q.neighbours);
    }
}
