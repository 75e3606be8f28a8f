/* graph_bench_dynamic.c - triangles kept up to date while edges come and go, against counting them anew.
 *
 * A batch is of random edges, as in the dissertation, or of the graph's own, which were held back: these close more
 * triangles. First it is inserted, then it is erased again.
 */
#include <stdio.h>
#include <string.h>

#include "graph_bench.h"
#include "tools/common/mix.h"

enum { BATCH_SEED = 78, ORDER_SEED = 31 };

struct dynamic {
    struct graph_bench *bench;
    const struct graph_input *input;
    struct edge_array base, batch;
    struct figure insert_counting, insert_recount, erase_counting, erase_recount; /* milliseconds */
    struct graph_limit kept_up, recount_after, recount_before; /* the last: once the batch has been erased */
};

static pleach_status call_erase_counting(void *context, pleach_stream stream)
{
    struct edge_call *const c = context;
    (void)stream; /* it is synchronous */
    return pleach_graph_erase_counting(c->graph, c->count, c->edges->device_from, c->edges->device_to, NULL, 0, NULL,
                                       &c->result);
}

/* A change and a count of everything: what one does without the calls above. */
static pleach_status call_insert_recount(void *context, pleach_stream stream)
{
    const pleach_status status = call_insert(context, stream);
    return status == PLEACH_OK ? call_triangles(context, stream) : status;
}

static pleach_status call_erase_recount(void *context, pleach_stream stream)
{
    const pleach_status status = call_erase(context, stream);
    return status == PLEACH_OK ? call_triangles(context, stream) : status;
}

static bool time_into(struct dynamic *d, tool_call *call, struct edge_call *edges, struct figure *figure)
{
    double seconds = 0;
    if (!graph_time(d->bench, "a batch with its triangles", call, edges, &seconds)) return false;
    figure_add(figure, 1e3 * seconds);
    return true;
}

/* Counts before, between and after, by who counts everything; the others' changes must lead from one to the next. */
static bool run_once(struct dynamic *d)
{
    double unused;
    uint64_t before = 0, between = 0, more = 0;
    struct edge_call kept = {.edges = &d->batch, .count = d->batch.count}, anew = kept;
    struct edge_call build = {.edges = &d->base, .count = d->base.count};
    bool good = graph_bench_open(d->bench, false, 0, &kept.graph) && graph_bench_open(d->bench, false, 0, &anew.graph);
    build.graph = kept.graph;
    good = good && graph_time(d->bench, "building", call_build, &build, &unused) &&
           graph_time(d->bench, "counting", call_triangles, &build, &unused);
    before = build.result;
    build.graph = anew.graph;
    good = good && graph_time(d->bench, "building", call_build, &build, &unused) &&
           time_into(d, call_insert_recount, &anew, &d->insert_recount) &&
           time_into(d, call_insert_counting, &kept, &d->insert_counting);
    between = anew.result;
    more = kept.result;
    good = good && time_into(d, call_erase_recount, &anew, &d->erase_recount) &&
           time_into(d, call_erase_counting, &kept, &d->erase_counting);
    if (good && (before + more != between || between - kept.result != anew.result))
        good = graph_wrong(d->bench, "triangles kept up to date differ from triangles counted");
    pleach_graph_destroy(kept.graph);
    pleach_graph_destroy(anew.graph);
    return good;
}

/* The batch is the last of the graph's edges in a random order, or random edges. */
static bool make_parts(struct dynamic *d, size_t count, bool own)
{
    const struct edge_array *const all = &d->input->once;
    const struct mix_order order = mix_order_make(all->count, ORDER_SEED);
    const size_t kept = own ? all->count - count : all->count;
    if (!edge_array_make(d->bench, &d->base, kept) || !edge_array_make(d->bench, &d->batch, count)) return false;
    for (size_t i = 0; i < all->count && own; i++) {
        const size_t from = (size_t)mix_order_at(&order, i);
        struct edge_array *const part = i < kept ? &d->base : &d->batch;
        part->from[i < kept ? i : i - kept] = all->from[from];
        part->to[i < kept ? i : i - kept] = all->to[from];
    }
    if (!own) {
        memcpy(d->base.from, all->from, kept * sizeof all->from[0]);
        memcpy(d->base.to, all->to, kept * sizeof all->to[0]);
        make_random_edges(&d->batch, d->input->vertices, BATCH_SEED);
    }
    return edge_array_send(d->bench, &d->base) && edge_array_send(d->bench, &d->batch);
}

/* The batch's edges change in any case. Then all triangles are counted, or those that have an edge of the batch. */
static bool find_limits(struct dynamic *d)
{
    const struct edge_array *const arrays[] = {&d->base, &d->batch};
    const struct bench_need change = bench_need_graph_change(2 * (double)d->batch.count);
    struct graph_lists before, after;
    if (!graph_count_lists(d->bench, d->input->vertices, arrays, 1, &before) ||
        !graph_count_lists(d->bench, d->input->vertices, arrays, 2, &after))
        return false;
    const double entries[] = {after.last, after.all, before.all};
    struct graph_limit *const limits[] = {&d->kept_up, &d->recount_after, &d->recount_before};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct bench_need need = change;
        bench_need_add(&need, 1, bench_need_graph_lists(entries[i]));
        *limits[i] = graph_limit(d->bench, need);
    }
    return true;
}

static void add_pair(const struct dynamic *d, bool inserted, bool own)
{
    char what[40];
    const char *const how = inserted ? "insert" : "erase";
    const struct figure *const recount = inserted ? &d->insert_recount : &d->erase_recount;
    struct graph_row row = {.experiment = "dynamic", .graph = d->input->name, .batch = d->batch.count, .what = what,
                            .unit = "ms", .figure = recount, .limit = inserted ? d->recount_after : d->recount_before};
    snprintf(what, sizeof what, "%s %s, recount", how, own ? "own" : "random");
    graph_report_add(d->bench->report, &row);
    snprintf(what, sizeof what, "%s %s, kept up", how, own ? "own" : "random");
    row.figure = inserted ? &d->insert_counting : &d->erase_counting;
    row.limit = d->kept_up;
    row.peer = recount;
    graph_report_add(d->bench->report, &row);
}

static void measure(struct graph_bench *bench, const struct graph_input *input, size_t count, bool own)
{
    struct dynamic d = {.bench = bench, .input = input};
    bool good = make_parts(&d, count, own) && find_limits(&d);
    for (size_t run = 0; good && run < bench->runs; run++) good = run_once(&d);
    if (good) add_pair(&d, true, own);
    if (good) add_pair(&d, false, own);
    edge_array_free(bench, &d.base);
    edge_array_free(bench, &d.batch);
}

static void measure_graph(struct graph_bench *bench, const struct graph_input *input)
{
    /* The first is for who has few edges at a time; the others are the dissertation's least and largest but two. */
    static const unsigned powers[] = {10, 16, 20};
    size_t done = 0;
    for (size_t i = 0; i < sizeof powers / sizeof powers[0] && graph_goes_on(bench); i++) {
        const size_t count = (size_t)1 << largest_batch(bench, powers[i]);
        if (count == done) continue;
        done = count;
        measure(bench, input, count, false);
        if (graph_goes_on(bench) && 2 * count <= input->once.count) measure(bench, input, count, true);
    }
}

/* The two kinds of graph that the dissertation has: few neighbours each, and some with very many. */
void graph_bench_dynamic(struct graph_bench *bench)
{
    measure_graph(bench, &bench->inputs[CLASS_ROAD]);
    if (graph_goes_on(bench)) measure_graph(bench, &bench->inputs[CLASS_SOCIAL]);
}
