/* graph_bench_rounds.c - table 5.9: all triangles are counted, and after each of four batches of random edges again.
 * Beside it the same with triangles kept up to date, so that only the first round counts all. Times add up from round
 * to round. */
#include <stdio.h>
#include <string.h>

#include "graph_baseline.h"
#include "graph_bench.h"

enum { ROUNDS = 5, POWER = 22, ROUND_SEED = 900 };

/* Milliseconds, as printed there: those of road_usa do not add up. */
static const struct seed_rounds {
    enum graph_class class;
    const char *name;
    struct { double insert, count, total, hornet; } round[ROUNDS];
} seed_rounds[] = {
    {CLASS_ROAD, "road_usa", {{0, 65.5, 64.1, 116.0}, {14.8, 135.8, 129.5, 235.1}, {29.7, 201.7, 195.0, 356.4},
                              {44.5, 267.5, 260.5, 476.2}, {59.4, 333.2, 325.8, 597.8}}},
    {CLASS_SOCIAL, "hollywood-2009", {{0, 11151, 11151, 9893}, {12.4, 22539, 22551, 20056},
                                      {24.9, 33921, 33946, 30323}, {37.3, 45297, 45335, 40781},
                                      {49.8, 56724, 56774, 51403}}},
};

struct rounds {
    struct graph_bench *bench;
    const struct graph_input *input;
    struct edge_array batch[ROUNDS]; /* the first is empty */
    uint64_t edges, triangles;       /* that there must be at the end */
    struct figure anew[ROUNDS], kept[ROUNDS];
    struct graph_limit limit_anew[ROUNDS], limit_kept[ROUNDS];
};

/* What a call takes is added to the sum. */
static bool time_more(struct rounds *r, tool_call *call, struct edge_call *edges, double *sum)
{
    double seconds = 0;
    if (!graph_time(r->bench, "a round", call, edges, &seconds)) return false;
    *sum += 1e3 * seconds;
    return true;
}

static bool run_rounds(struct rounds *r, pleach_graph *anew, pleach_graph *kept)
{
    double time_anew = 0, time_kept = 0;
    uint64_t triangles = 0;
    bool good = true;
    for (size_t i = 0; good && i < ROUNDS; i++) {
        struct edge_call all = {.graph = anew, .edges = &r->batch[i], .count = r->batch[i].count};
        struct edge_call change = {.graph = kept, .edges = &r->batch[i], .count = r->batch[i].count};
        good = (i == 0 || time_more(r, call_insert, &all, &time_anew)) &&
               time_more(r, call_triangles, &all, &time_anew) &&
               time_more(r, i == 0 ? call_triangles : call_insert_counting, &change, &time_kept);
        triangles += change.result;
        if (good && triangles != all.result) good = graph_wrong(r->bench, "triangles kept up are not those counted");
        figure_add(&r->anew[i], time_anew);
        figure_add(&r->kept[i], time_kept);
    }
    return !good || triangles == r->triangles ? good : graph_wrong(r->bench, "triangles after all rounds");
}

/* Edges and triangles at the end, by who has nothing to do with pleach. */
static bool expect(struct rounds *r)
{
    struct baseline_triangles result;
    struct edge_array all = {0};
    size_t at = r->input->once.count, count = at;
    for (size_t i = 1; i < ROUNDS; i++) count += r->batch[i].count;
    if (!edge_array_make(r->bench, &all, count)) return false;
    memcpy(all.from, r->input->once.from, at * sizeof all.from[0]);
    memcpy(all.to, r->input->once.to, at * sizeof all.to[0]);
    for (size_t i = 1; i < ROUNDS; at += r->batch[i++].count) {
        memcpy(all.from + at, r->batch[i].from, r->batch[i].count * sizeof all.from[0]);
        memcpy(all.to + at, r->batch[i].to, r->batch[i].count * sizeof all.to[0]);
    }
    const struct edge_list list = {.count = count, .from = all.from, .to = all.to, .declared = r->input->vertices,
                                   .undirected = true};
    const bool good = baseline_count_triangles(r->bench->crew, &list, r->input->vertices, NULL, &result);
    edge_array_free(r->bench, &all);
    r->edges = result.edges;
    r->triangles = result.triangles;
    return good || graph_no_memory(r->bench);
}

static bool run_once(struct rounds *r)
{
    pleach_graph *anew = NULL, *kept = NULL;
    double unused;
    struct edge_call build = {.edges = &r->input->once, .count = r->input->once.count};
    bool good = graph_bench_open(r->bench, false, 0, &anew) && graph_bench_open(r->bench, false, 0, &kept);
    build.graph = anew;
    good = good && graph_time(r->bench, "building", call_build, &build, &unused);
    build.graph = kept;
    good = good && graph_time(r->bench, "building", call_build, &build, &unused) && run_rounds(r, anew, kept) &&
           graph_check(r->bench, anew, r->edges) && graph_check(r->bench, kept, r->edges);
    pleach_graph_destroy(anew);
    pleach_graph_destroy(kept);
    return good;
}

/* Needs add up from round to round, as times do. */
static bool find_limits(struct rounds *r)
{
    const struct edge_array *arrays[ROUNDS] = {&r->input->once};
    struct bench_need anew = {{0}}, kept = {{0}};
    for (size_t i = 0; i < ROUNDS; i++) {
        const struct bench_need change = bench_need_graph_change(2 * (double)r->batch[i].count);
        struct graph_lists lists;
        if (i > 0) arrays[i] = &r->batch[i];
        if (!graph_count_lists(r->bench, r->input->vertices, arrays, i + 1, &lists)) return false;
        bench_need_add(&anew, 1, change);
        bench_need_add(&anew, 1, bench_need_graph_lists(lists.all));
        bench_need_add(&kept, 1, change);
        bench_need_add(&kept, 1, bench_need_graph_lists(i == 0 ? lists.all : lists.last));
        r->limit_anew[i] = graph_limit(r->bench, anew);
        r->limit_kept[i] = graph_limit(r->bench, kept);
    }
    return true;
}

static void add_rows(const struct rounds *r, const struct seed_rounds *seed)
{
    for (size_t i = 0; i < ROUNDS; i++) {
        char what[40], note[120];
        struct graph_row row = {.experiment = "table-5.9", .graph = r->input->name, .batch = r->batch[i].count,
                                .what = what, .unit = "ms", .figure = &r->anew[i], .seed = seed->round[i].total,
                                .limit = r->limit_anew[i], .note = note};
        snprintf(what, sizeof what, "round %zu, counted", i + 1);
        snprintf(note, sizeof note, "as %s; TITAN V: insert %.1f, count %.1f; Hornet %.1f", seed->name,
                 seed->round[i].insert, seed->round[i].count, seed->round[i].hornet);
        graph_report_add(r->bench->report, &row);
        snprintf(what, sizeof what, "round %zu, kept up", i + 1);
        row.figure = &r->kept[i];
        row.limit = r->limit_kept[i];
        row.seed = 0;
        row.peer = &r->anew[i];
        row.note = NULL;
        graph_report_add(r->bench->report, &row);
    }
}

static void measure(struct graph_bench *bench, const struct seed_rounds *seed)
{
    struct rounds r = {.bench = bench, .input = &bench->inputs[seed->class]};
    const size_t count = (size_t)1 << (POWER - paper_shrink(bench, PAPER_SCALE));
    bool good = true;
    for (size_t i = 1; good && i < ROUNDS; i++) {
        good = edge_array_make(bench, &r.batch[i], count);
        if (good) make_random_edges(&r.batch[i], r.input->vertices, ROUND_SEED + i);
        good = good && edge_array_send(bench, &r.batch[i]);
    }
    good = good && expect(&r) && find_limits(&r);
    for (bench->run = 0; good && bench->run < bench->runs; bench->run++) good = run_once(&r);
    if (good) add_rows(&r, seed);
    for (size_t i = 1; i < ROUNDS; i++) edge_array_free(bench, &r.batch[i]);
}

void paper_rounds(struct graph_bench *bench)
{
    for (size_t i = 0; i < sizeof seed_rounds / sizeof seed_rounds[0] && graph_goes_on(bench); i++)
        measure(bench, &seed_rounds[i]);
}
