/* graph_bench_edges.c - edges inserted and erased by batches, into a graph that is there or from nothing.
 *
 * Batches are as in the dissertation: random edges between the vertices of the graph, or random edges of the graph that
 * are erased; an edge may come more than once. A rate counts the edges that are handed in. Directed edges are one entry
 * each, as in the dissertation; an undirected one is two, so there the baseline is handed each edge in both directions,
 * in arrays that were made before the clock started.
 */
#define _DEFAULT_SOURCE 1
#include <stdio.h>

#include "tools/common/clock.h"
#include "graph_baseline.h"
#include "graph_bench.h"

enum { LEAST_POWER = 16, MOST_POWER = 22, POWERS = MOST_POWER - LEAST_POWER + 1, BATCH_SEED = 77 };

/* One batch size on one graph. */
struct work {
    struct graph_bench *bench;
    const struct graph_input *input;
    bool directed;
    const struct edge_array *base; /* of pleach's graph */
    struct edge_array batch;
    struct edge_array both;  /* the batch in both directions; undirected */
    uint64_t base_edges, expected;
};

/* Millions of edges per second, or 0 after an error message. */
typedef double side(struct work *work);

struct experiment {
    const char *name;
    void (*make)(struct edge_array *batch, const struct graph_input *input, const struct edge_array *base);
    side *ours, *baseline; /* the second one on the CPU only, or NULL */
    const double *seed;    /* by power of two of the batch */
    const double *hornet, *faimgraph; /* likewise, where the dissertation's table is to be shown; 0: nothing */
    bool directed;
    bool erases;
};

/* ---- pleach ---- */

static bool check_batch(struct work *work, pleach_graph *graph, bool erases)
{
    const uint64_t before = work->base_edges, after = work->expected;
    const uint64_t changed = erases ? before - after : after - before;
    if (!edge_array_fetch(work->bench, &work->batch)) return false;
    if (count_flags(&work->batch, erases ? PLEACH_EDGE_ERASED : PLEACH_EDGE_NEW) != changed)
        return graph_wrong(work->bench, "outcomes do not add up");
    if (!graph_check(work->bench, graph, after)) return false;
    struct edge_call find = {.graph = graph, .edges = &work->batch, .count = work->batch.count};
    double unused;
    if (!graph_time(work->bench, "find_edges", call_find, &find, &unused)) return false;
    if (!edge_array_fetch(work->bench, &work->batch)) return false;
    if (count_flags(&work->batch, erases ? 0 : 1) != work->batch.count)
        return graph_wrong(work->bench, "an edge of the batch is there that should not be, or is not");
    return true;
}

static double change_graph(struct work *work, bool erases)
{
    struct graph_bench *const bench = work->bench;
    pleach_graph *graph = NULL;
    double seconds = 0, rate = 0;
    if (!graph_bench_open(bench, work->directed, 0, &graph)) return 0;
    struct edge_call build = {.graph = graph, .edges = work->base, .count = work->base->count};
    struct edge_call change = {.graph = graph, .edges = &work->batch, .count = work->batch.count};
    if (graph_time(bench, "building the graph", call_build, &build, &seconds) &&
        edge_array_send(bench, &work->batch) &&
        graph_time(bench, "the batch", erases ? call_erase : call_insert, &change, &seconds) &&
        check_batch(work, graph, erases))
        rate = millions_per_second(work->batch.count, seconds);
    pleach_graph_destroy(graph);
    return rate;
}

static double insert_ours(struct work *work) { return change_graph(work, false); }
static double erase_ours(struct work *work) { return change_graph(work, true); }

/* From nothing: the graph's own edges, a batch after the other. */
static double incremental_ours(struct work *work)
{
    struct graph_bench *const bench = work->bench;
    pleach_graph *graph = NULL;
    double sum = 0, seconds = 0;
    if (!graph_bench_open(bench, work->directed, 0, &graph)) return 0;
    bool good = true;
    for (size_t at = 0; good && at < work->base->count; at += work->batch.count) {
        const size_t left = work->base->count - at;
        struct edge_call insert = {.graph = graph, .edges = work->base, .begin = at,
                                   .count = left < work->batch.count ? left : work->batch.count};
        good = graph_time(bench, "a batch", call_insert, &insert, &seconds);
        sum += seconds;
    }
    good = good && graph_check(bench, graph, work->base_edges);
    pleach_graph_destroy(graph);
    return good ? millions_per_second(work->base->count, sum) : 0;
}

/* ---- the baseline ---- */

static bool check_baseline(struct work *work, const struct baseline_vectors *graph, uint64_t edges)
{
    const uint64_t entries = work->directed ? edges : 2 * edges;
    return baseline_vectors_edges(graph) == entries || graph_wrong(work->bench, "the baseline's edges do not add up");
}

static double insert_baseline(struct work *work)
{
    const struct edge_array *const base = &work->input->both;
    const struct edge_array *const batch = work->directed ? &work->batch : &work->both;
    struct baseline_vectors *const graph = baseline_vectors_create(work->bench->crew, work->input->vertices);
    bool good = graph != NULL && baseline_vectors_insert(graph, base->count, base->from, base->to);
    const double start = clock_seconds();
    good = good && baseline_vectors_insert(graph, batch->count, batch->from, batch->to);
    const double seconds = clock_seconds() - start;
    if (!good) graph_no_memory(work->bench);
    good = good && check_baseline(work, graph, work->expected);
    baseline_vectors_destroy(graph);
    return good ? millions_per_second(work->batch.count, seconds) : 0;
}

static double incremental_baseline(struct work *work)
{
    const struct edge_array *const all = &work->input->both;
    const size_t step = work->directed ? work->batch.count : 2 * work->batch.count;
    struct baseline_vectors *const graph = baseline_vectors_create(work->bench->crew, work->input->vertices);
    bool good = graph != NULL;
    const double start = clock_seconds();
    for (size_t at = 0; good && at < all->count; at += step)
        good = baseline_vectors_insert(graph, all->count - at < step ? all->count - at : step, all->from + at,
                                       all->to + at);
    const double seconds = clock_seconds() - start;
    if (!good) graph_no_memory(work->bench);
    good = good && check_baseline(work, graph, work->base_edges);
    baseline_vectors_destroy(graph);
    return good ? millions_per_second(work->base->count, seconds) : 0;
}

/* ---- batches ---- */

static void make_new(struct edge_array *batch, const struct graph_input *input, const struct edge_array *base)
{
    (void)base;
    make_random_edges(batch, input->vertices, BATCH_SEED);
}

static void make_old(struct edge_array *batch, const struct graph_input *input, const struct edge_array *base)
{
    (void)input;
    make_present_edges(batch, base, BATCH_SEED);
}

static void make_none(struct edge_array *batch, const struct graph_input *input, const struct edge_array *base)
{
    (void)batch; /* only its size is used */
    (void)input;
    (void)base;
}

static bool begin_work(struct work *work, const struct experiment *what, size_t count)
{
    const struct edge_array none = {0};
    uint64_t different = 0;
    work->directed = what->directed;
    work->base = what->directed ? &work->input->both : &work->input->once;
    work->base_edges = work->base->count;
    if (!edge_array_make(work->bench, &work->batch, count)) return false;
    what->make(&work->batch, work->input, work->base);
    if (what->make == make_none) return true;
    if (!count_different(&work->batch, what->erases ? &none : work->base, what->directed, &different))
        return graph_no_memory(work->bench);
    work->expected = what->erases ? work->base_edges - different : different;
    return what->directed || what->baseline == NULL || edge_array_double(work->bench, &work->both, &work->batch);
}

static void end_work(struct work *work)
{
    edge_array_free(work->bench, &work->batch);
    edge_array_free(work->bench, &work->both);
}

/* ---- rows ---- */

struct sums {
    struct figure ours[GRAPH_CLASSES], baseline[GRAPH_CLASSES];
    struct graph_limit limit[GRAPH_CLASSES];
};

/* Of an edge that is handed in; some come more than once, or are there, and change nothing. */
static struct graph_limit limit_of(const struct work *work, const struct experiment *what)
{
    const double entries = work->directed ? 1 : 2, before = (double)work->base_edges, after = (double)work->expected;
    const double changed = what->make == make_none ? 1 : (what->erases ? before - after : after - before) /
                                                             (double)work->batch.count;
    return graph_limit(work->bench, bench_need_graph_change(entries * changed));
}

/* Both sides in turn, so that a disturbance of the machine meets both. */
static void measure_class(struct graph_bench *bench, const struct experiment *what, size_t count, size_t class,
                          struct sums *sums)
{
    struct work work = {.bench = bench, .input = &bench->inputs[class]};
    bool good = begin_work(&work, what, count);
    for (bench->run = 0; good && bench->run < bench->runs && graph_goes_on(bench); bench->run++) {
        if (what->baseline != NULL && graph_on_cpu(bench)) figure_add(&sums->baseline[class], what->baseline(&work));
        if (graph_goes_on(bench)) figure_add(&sums->ours[class], what->ours(&work));
    }
    if (good) sums->limit[class] = limit_of(&work, what);
    end_work(&work);
}

/* `own` has what pleach's row has beside the baseline's. */
static void add_rows(const struct graph_bench *bench, const struct experiment *what, size_t count,
                     const char *graph, const struct figure *baseline, const struct graph_row *own)
{
    char own_name[40], baseline_name[40];
    const bool compared = baseline->runs > 0;
    snprintf(own_name, sizeof own_name, "pleach, %s", what->directed ? "directed" : "undirected");
    snprintf(baseline_name, sizeof baseline_name, "vectors, %s", what->directed ? "directed" : "undirected");
    struct graph_row row = {.experiment = what->name, .graph = graph, .batch = count, .what = baseline_name,
                            .unit = "MEdge/s", .figure = baseline, .detail = graph[0] != 'm'};
    if (compared) graph_report_add(bench->report, &row);
    row.what = own_name;
    row.figure = own->figure;
    row.seed = row.detail || !what->directed ? 0 : own->seed;
    row.limit = own->limit;
    row.peer = compared ? baseline : NULL;
    row.note = own->note;
    graph_report_add(bench->report, &row);
}

static void measure_batch(struct graph_bench *bench, const struct experiment *what, unsigned power, double seed,
                          const char *note)
{
    const size_t count = (size_t)1 << power;
    struct figure ours, baseline;
    struct sums sums = {0};
    for (size_t class = 0; class < GRAPH_CLASSES && graph_goes_on(bench); class++)
        measure_class(bench, what, count, class, &sums);
    if (!graph_goes_on(bench)) return;
    for (size_t class = 0; class < GRAPH_CLASSES; class++)
        add_rows(bench, what, count, bench->inputs[class].name, &sums.baseline[class],
                 &(struct graph_row){.figure = &sums.ours[class], .limit = sums.limit[class]});
    figure_mean(sums.ours, &ours);
    figure_mean(sums.baseline, &baseline);
    add_rows(bench, what, count, "mean", &baseline,
             &(struct graph_row){.figure = &ours, .limit = graph_limit_mean(sums.limit), .seed = seed, .note = note});
}

/* At a scale that is too small for the least batch of the dissertation, one of the size that fits. */
static void measure_batches(struct graph_bench *bench, const struct experiment *what, unsigned least)
{
    const unsigned most = largest_batch(bench, MOST_POWER);
    for (unsigned power = most < least ? most : least; power <= most && graph_goes_on(bench); power++)
        measure_batch(bench, what, power, power < LEAST_POWER ? 0 : what->seed[power - LEAST_POWER], NULL);
}

/* Tables 5.2, 5.3 and 5.6. */
static const double seed_insert[POWERS] = {501.33, 513.56, 591.06, 641.25, 664.52, 658.09, 646.01};
static const double seed_erase[POWERS] = {640.63, 886.92, 947.60, 939.98, 988.85, 1007.16, 1015.47};
static const double seed_incremental[POWERS] = {0, 0, 0, 0, 841.31, 945.64, 993.82};

void graph_bench_insert(struct graph_bench *bench)
{
    struct experiment what = {.name = "insert", .make = make_new, .ours = insert_ours, .baseline = insert_baseline,
                              .seed = seed_insert, .directed = true};
    measure_batches(bench, &what, LEAST_POWER);
    what.directed = false;
    if (graph_goes_on(bench)) measure_batches(bench, &what, LEAST_POWER);
}

void graph_bench_erase(struct graph_bench *bench)
{
    struct experiment what = {.name = "erase", .make = make_old, .ours = erase_ours, .seed = seed_erase,
                              .directed = true, .erases = true};
    measure_batches(bench, &what, LEAST_POWER);
    what.directed = false;
    if (graph_goes_on(bench)) measure_batches(bench, &what, LEAST_POWER);
}

void graph_bench_incremental(struct graph_bench *bench)
{
    struct experiment what = {.name = "incremental", .make = make_none, .ours = incremental_ours,
                              .baseline = incremental_baseline, .seed = seed_incremental, .directed = true};
    const unsigned most = largest_batch(bench, MOST_POWER), least = most < 20 ? most : 20;
    measure_batches(bench, &what, least);
    what.directed = false;
    if (graph_goes_on(bench)) measure_batches(bench, &what, least);
}

/* ---- the dissertation's tables ---- */

static const double hornet_insert[POWERS] = {33.67, 44.71, 51.43, 70.81, 83.54, 97.41, 110.89};
static const double faimgraph_insert[POWERS] = {92.47, 133.97, 157.15, 188.98};
static const double hornet_erase[POWERS] = {91.73, 159.69, 259.31, 377.79, 537.73, 739.82, 1024.87};
static const double faimgraph_erase[POWERS] = {111.71, 112.96, 171.75, 257.66};
static const double hornet_incremental[POWERS] = {0, 0, 0, 0, 164.44, 176.96, 184.75};
static const double none[POWERS] = {0};

/* Every batch of the table that the scale leaves an edge of. */
static void measure_table(struct graph_bench *bench, const struct experiment *what)
{
    const unsigned shrink = paper_shrink(bench, PAPER_SCALE);
    for (unsigned i = 0; i < POWERS && graph_goes_on(bench); i++) {
        char note[120];
        if (what->seed[i] > 0 && i + LEAST_POWER >= shrink) {
            const int length = snprintf(note, sizeof note, "as 2^%u; TITAN V: Hornet %.2f", i + LEAST_POWER,
                                        what->hornet[i]);
            if (what->faimgraph[i] > 0)
                snprintf(note + length, sizeof note - (size_t)length, ", faimGraph %.2f", what->faimgraph[i]);
            measure_batch(bench, what, i + LEAST_POWER - shrink, what->seed[i], note);
        }
    }
}

void paper_insert(struct graph_bench *bench)
{
    const struct experiment what = {.name = "table-5.2", .make = make_new, .ours = insert_ours, .seed = seed_insert,
                                    .hornet = hornet_insert, .faimgraph = faimgraph_insert, .directed = true};
    measure_table(bench, &what);
}

void paper_erase(struct graph_bench *bench)
{
    const struct experiment what = {.name = "table-5.3", .make = make_old, .ours = erase_ours, .seed = seed_erase,
                                    .hornet = hornet_erase, .faimgraph = faimgraph_erase, .directed = true,
                                    .erases = true};
    measure_table(bench, &what);
}

void paper_incremental(struct graph_bench *bench)
{
    const struct experiment what = {.name = "table-5.6", .make = make_none, .ours = incremental_ours,
                                    .seed = seed_incremental, .hornet = hornet_incremental, .faimgraph = none,
                                    .directed = true};
    measure_table(bench, &what);
}
