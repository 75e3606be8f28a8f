/* graph_bench_vertices.c - vertices erased by batches, with all their edges. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/edges/edge_sort.h"
#include "graph_bench.h"
#include "tools/common/mix.h"

enum { LEAST_POWER = 16, MOST_POWER = 20, ORDER_SEED = 41 };

/* Table 5.4, millions of vertices per second. */
static const double seed_rates[] = {5.35, 9.23, 12.66, 19.21, 26.49};

struct erasing {
    pleach_graph *graph;
    size_t count;
    uint32_t *vertices, *device_vertices; /* different ones, at random */
    uint64_t left;                        /* edges between all others */
    uint64_t halves;                      /* edges that have one end among them */
};

static pleach_status call_erase_vertices(void *context, pleach_stream stream)
{
    const struct erasing *const e = context;
    (void)stream; /* it is synchronous */
    return pleach_graph_erase_vertices(e->graph, e->count, e->device_vertices, NULL);
}

/* Edges that no vertex of the batch is an end of, or one. */
static bool count_left(struct erasing *e, const struct graph_input *input)
{
    uint8_t *const goes = calloc(input->vertices, 1);
    if (goes == NULL) return false;
    for (size_t i = 0; i < e->count; i++) goes[e->vertices[i]] = 1;
    e->left = e->halves = 0;
    for (size_t i = 0; i < input->once.count; i++) {
        const unsigned ends = goes[input->once.from[i]] + goes[input->once.to[i]];
        e->left += ends == 0;
        e->halves += ends == 1;
    }
    free(goes);
    return true;
}

static bool begin_erasing(struct graph_bench *bench, struct erasing *e, const struct graph_input *input)
{
    const struct mix_order order = mix_order_make(input->vertices, ORDER_SEED);
    const size_t bytes = e->count * sizeof(uint32_t);
    e->vertices = malloc(bytes);
    if (e->vertices == NULL) return graph_no_memory(bench);
    for (size_t i = 0; i < e->count; i++) e->vertices[i] = (uint32_t)mix_order_at(&order, i);
    e->device_vertices = graph_on_cpu(bench) ? e->vertices : bench->device->allocate(bytes);
    if (e->device_vertices == NULL || !count_left(e, input)) return graph_no_memory(bench);
    return graph_on_cpu(bench) || bench->device->copy_in(e->device_vertices, e->vertices, bytes) ||
           graph_stop(bench, "copying vertices to the device", PLEACH_E_CUDA);
}

static void end_erasing(struct graph_bench *bench, struct erasing *e)
{
    if (e->device_vertices != e->vertices) bench->device->release(e->device_vertices);
    free(e->vertices);
}

static double erase_once(struct graph_bench *bench, struct erasing *e, const struct graph_input *input)
{
    double seconds = 0, unused;
    if (!graph_bench_open(bench, false, 0, &e->graph)) return 0;
    struct edge_call build = {.graph = e->graph, .edges = &input->once, .count = input->once.count};
    const bool good = graph_time(bench, "building the graph", call_build, &build, &unused) &&
                      graph_time(bench, "erase_vertices", call_erase_vertices, e, &seconds) &&
                      graph_check(bench, e->graph, e->left);
    pleach_graph_destroy(e->graph);
    return good ? millions_per_second(e->count, seconds) : 0;
}

/* Of a vertex; edges with both ends among them have an entry in the lists of two. */
static struct graph_limit limit_of(const struct graph_bench *bench, const struct erasing *e,
                                   const struct graph_input *input)
{
    const double mirrored = (double)e->halves, inside = (double)(input->once.count - e->left - e->halves);
    const double count = (double)e->count;
    return graph_limit(bench, bench_need_graph_erase_vertex((mirrored + 2 * inside) / count, mirrored / count));
}

static void measure_class(struct graph_bench *bench, const struct graph_input *input, size_t count,
                          struct figure *figure, struct graph_limit *limit)
{
    struct erasing e = {.count = count};
    bool good = begin_erasing(bench, &e, input);
    for (bench->run = 0; good && bench->run < bench->runs && graph_goes_on(bench); bench->run++)
        figure_add(figure, erase_once(bench, &e, input));
    if (good) *limit = limit_of(bench, &e, input);
    end_erasing(bench, &e);
}

static void measure_batch(struct graph_bench *bench, const char *name, unsigned power, double seed, const char *note)
{
    struct figure classes[GRAPH_CLASSES] = {0}, mean;
    struct graph_limit limits[GRAPH_CLASSES] = {0};
    struct graph_row row = {.experiment = name, .batch = (uint64_t)1 << power, .what = "pleach",
                            .unit = "MVertex/s"};
    for (size_t i = 0; i < GRAPH_CLASSES && graph_goes_on(bench); i++)
        measure_class(bench, &bench->inputs[i], (size_t)1 << power, &classes[i], &limits[i]);
    if (!graph_goes_on(bench)) return;
    row.detail = true;
    for (size_t i = 0; i < GRAPH_CLASSES; i++) {
        row.graph = bench->inputs[i].name;
        row.figure = &classes[i];
        row.limit = limits[i];
        graph_report_add(bench->report, &row);
    }
    figure_mean(classes, &mean);
    row.detail = false;
    row.graph = "mean";
    row.figure = &mean;
    row.limit = graph_limit_mean(limits);
    row.seed = seed;
    row.note = note;
    graph_report_add(bench->report, &row);
}

/* At most half of the vertices. */
void graph_bench_erase_vertices(struct graph_bench *bench)
{
    const unsigned most = bench->scale - 1 < MOST_POWER ? bench->scale - 1 : MOST_POWER;
    for (unsigned power = most < LEAST_POWER ? most : LEAST_POWER; power <= most && graph_goes_on(bench); power++)
        measure_batch(bench, "erase-vertices", power, power < LEAST_POWER ? 0 : seed_rates[power - LEAST_POWER], NULL);
}

/* The dissertation's four graphs have 2^23 vertices, about: the largest batch is an eighth of them. */
void paper_erase_vertices(struct graph_bench *bench)
{
    static const double faimgraph[] = {0.44, 0.71, 1.12, 1.62, 2.96};
    const unsigned shrink = paper_shrink(bench, 23);
    for (unsigned i = 0; i <= MOST_POWER - LEAST_POWER && graph_goes_on(bench); i++) {
        char note[120];
        if (i + LEAST_POWER < shrink) continue;
        snprintf(note, sizeof note, "as 2^%u; TITAN V: faimGraph %.2f", i + LEAST_POWER, faimgraph[i]);
        measure_batch(bench, "table-5.4", i + LEAST_POWER - shrink, seed_rates[i], note);
    }
}
