/* graph_bench.c - pleach-bench graph: options, and the loop over experiments. */
#include "graph_bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/commands.h"
#include "tools/common/cli.h"
#include "tools/graph/graph.h"
#include "tools/graph/graph_load.h"
#include "tools/common/out_file.h"

static const char command[] = "pleach-bench graph";

static const char help[] =
    "usage: pleach-bench graph [OPTION...] [EXPERIMENT...]\n"
    "\n"
    "Runs the named experiments, or all, on four made graphs of 2^S vertices: road (a part of a grid), delaunay, rgg\n"
    "(random geometric) and social (R-MAT, 16 edges a vertex). They are those of Awad, Fully Concurrent GPU Data\n"
    "Structures, chapter 5; its figures, on a TITAN V and graphs of its own, are in the column of that name.\n"
    "\n"
    "  insert          table 5.2: random edges into a graph, by batch size\n"
    "  erase           table 5.3: random edges of a graph\n"
    "  erase-vertices  table 5.4: random vertices of a graph, with their edges\n"
    "  build           table 5.5: a graph from all its edges\n"
    "  incremental     table 5.6: a graph from nothing, batch by batch\n"
    "  triangles       tables 5.7, 5.8: count of all\n"
    "  dynamic         table 5.9: batches with the triangles kept up to date, against counting anew\n"
    "  load            figures 5.2, 5.3: what the load factor of the tables does\n"
    "  queries         edges looked for, degrees, neighbours\n"
    "  paper           only if it is named: these tables and figures one after the other, as the dissertation has\n"
    "                  them, with the figures that it has of others too; graphs and batches are smaller than its own\n"
    "                  by the same factor, so that --scale 20 has its batches\n"
    "\n"
    "  --device cpu|cuda  where pleach's graph is (default cpu)\n"
    "  --threads N        of pleach's graph and of the baselines, on the CPU (default: one per CPU online)\n"
    "  --adjacency A      how pleach keeps neighbours: hash (default) or ordered, which has no load\n"
    "  --sparse           pleach finds vertices through a hash table, though ids here need none\n"
    "  --scale S          4 to 26 (default 16; on a GPU 20)\n"
    "  --runs R           1 to 51 (default 3)\n"
    "  --all              also the figures of each graph where the mean is shown\n"
    "  --json FILE        write the results, with every run, as JSON; - is standard output\n"
    "\n"
    "A figure is the median of the runs; the spread is (highest - lowest) / median. \"x peer\" is how many times as\n"
    "fast as its peer a line is. On the CPU peers are measured in the same run with as many threads: \"vectors\", a\n"
    "sorted array of neighbours for each vertex; \"merged rows\", triangles on sorted rows oriented by degree; and\n"
    "GraphBLAS where this command was built with it. On a GPU edges and vertices lie in GPU memory, and transfers are\n"
    "not counted. Making arguments, and checking the answers, is outside the clock everywhere. The share is that of\n"
    "what memory allows, which is measured first, with the name of the limit that binds; from scale 12 on.\n"
    "\n"
    "Exit status: 0, 1 if an answer was wrong, 2 if the command could not be carried out.\n";

static const struct {
    const char *name;
    graph_experiment *run;
} experiments[] = {
    {"insert", graph_bench_insert},           {"erase", graph_bench_erase},
    {"erase-vertices", graph_bench_erase_vertices}, {"build", graph_bench_build},
    {"incremental", graph_bench_incremental}, {"triangles", graph_bench_triangles},
    {"dynamic", graph_bench_dynamic},         {"load", graph_bench_load},
    {"queries", graph_bench_queries},         {"paper", graph_bench_paper},
};
enum { EXPERIMENTS = sizeof experiments / sizeof experiments[0] };

/* All but those that are the others once more, or that an ordered graph does not have: it has no tables. */
static bool is_one_of_all(size_t i, size_t adjacency)
{
    if (experiments[i].run == graph_bench_paper) return false;
    return adjacency != PLEACH_ADJACENCY_ORDERED || experiments[i].run != graph_bench_load;
}

struct request {
    size_t device, adjacency;
    uint64_t threads, scale, runs; /* scale 0: the default */
    const char *json;
    bool wanted[EXPERIMENTS], any_wanted, all, sparse;
};

static void want(struct cli *cli, struct request *request, const char *name)
{
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        if (strcmp(experiments[i].name, name) != 0) continue;
        request->wanted[i] = request->any_wanted = true;
        return;
    }
    cli_fail(cli, "there is no experiment '%s'", name);
}

static void want_all(struct cli *cli, struct request *request)
{
    for (size_t i = 0; i < EXPERIMENTS; i++) {
        const bool one_of_all = is_one_of_all(i, request->adjacency);
        if (!request->any_wanted) request->wanted[i] = one_of_all;
        if (request->wanted[i] && !one_of_all && experiments[i].run == graph_bench_load)
            cli_fail(cli, "an ordered graph has no load factor");
    }
}

static void read_request(struct cli *cli, struct request *request)
{
    static const char *const devices[] = {"cpu", "cuda", NULL}; /* as pleach_device */
    *request = (struct request){.threads = cli_online_cpus(), .runs = 3};
    while (cli_more(cli)) {
        const char *word = NULL;
        if (cli_set_flag(cli, "--all", &request->all) ||
            cli_take_choice(cli, "--device", devices, &request->device) ||
            cli_take_number(cli, "--threads", 1, 1024, &request->threads) ||
            graph_take_adjacency(cli, &request->adjacency) || graph_take_sparse(cli, &request->sparse) ||
            cli_take_number(cli, "--scale", GRAPH_LEAST_SCALE, GRAPH_MOST_SCALE, &request->scale) ||
            cli_take_number(cli, "--runs", 1, GRAPH_MOST_RUNS, &request->runs) ||
            cli_take_text(cli, "--json", &request->json))
            continue;
        else if (cli_take_word(cli, &word))
            want(cli, request, word);
        else
            cli_reject_option(cli);
    }
    if (cli->status == EXIT_GOOD) want_all(cli, request);
    if (request->scale == 0) request->scale = request->device == 1 ? 20 : 16;
}

/* Before minutes of measuring, not after them. */
static bool can_write(const char *path)
{
    if (path == NULL || out_file_possible(path)) return true;
    cli_complain(command, "cannot write to %s: %s", path, out_file_reason(errno));
    return false;
}

/* Whether graphs can be on this device at all; says why not. */
static bool has_graphs(struct graph_bench *bench)
{
    pleach_graph *graph = NULL;
    const bool has = graph_bench_open(bench, false, 0, &graph);
    pleach_graph_destroy(graph);
    return has;
}

static bool make_inputs(struct graph_bench *bench)
{
    for (size_t i = 0; i < GRAPH_CLASSES; i++)
        if (!graph_input_make(bench, &bench->inputs[i], (enum graph_class)i)) return false;
    return true;
}

static int run_experiments(struct graph_bench *bench, const struct request *request)
{
    bool written = true;
    bench->crew = crew_create(bench->threads);
    bench->report = graph_report_create(bench, request->json != NULL && strcmp(request->json, "-") == 0, request->all);
    if (bench->crew == NULL || bench->report == NULL) graph_no_memory(bench);
    if (graph_goes_on(bench)) graph_measure_limits(bench);
    if (graph_goes_on(bench) && make_inputs(bench))
        for (size_t i = 0; i < EXPERIMENTS && graph_goes_on(bench); i++)
            if (request->wanted[i]) experiments[i].run(bench);
    if (bench->report != NULL && request->json != NULL) written = graph_report_json(bench->report, request->json);
    for (size_t i = 0; i < GRAPH_CLASSES; i++) graph_input_free(bench, &bench->inputs[i]);
    graph_report_destroy(bench->report);
    crew_destroy(bench->crew);
    return bench->wrong ? EXIT_WRONG : bench->stopped || !written ? EXIT_USAGE : EXIT_GOOD;
}

int command_bench_graph(int argc, char **argv)
{
    struct cli cli;
    struct request request;
    const char *why = "";
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    read_request(&cli, &request);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    struct graph_bench bench = {.threads = (unsigned)request.threads, .scale = (unsigned)request.scale,
                                .runs = (size_t)request.runs, .adjacency = (pleach_adjacency)request.adjacency,
                                .sparse = request.sparse};
    bench.device = request.device == 1 ? tool_device_cuda(&why) : tool_device_host();
    if (bench.device == NULL) {
        cli_complain(command, "--device cuda: %s", why);
        return EXIT_USAGE;
    }
    /* Arguments of an ordered graph are host memory, wherever it is; and its calls take no stream. */
    struct tool_device host = *tool_device_host();
    host.name = bench.device->name;
    host.kind = bench.device->kind;
    if (bench.adjacency == PLEACH_ADJACENCY_ORDERED) bench.device = &host;
    if (!can_write(request.json) || !has_graphs(&bench)) return EXIT_USAGE;
    return run_experiments(&bench, &request);
}
