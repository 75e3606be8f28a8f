/* graph_info.c - pleach graph info: the figures of a file of edges. */
#include <inttypes.h>
#include <stdio.h>

#include "tools/edges/edge_summary.h"
#include "graph.h"
#include "tools/common/memory_limit.h"

static const char command[] = "pleach graph info";

static const char help[] =
    "usage: pleach graph info [OPTION...] FILE\n"
    "\n"
    "Reads FILE (- is standard input) and prints, one 'name value' a line:\n"
    "\n"
    "  vertices            ids that occur, be it in a self loop only\n"
    "  edges               pairs of neighbours: self loops dropped, duplicates merged, directions ignored\n"
    "  self_loops          lines that join a vertex with itself\n"
    "  max_degree          the most neighbours that a vertex has\n"
    "  declared_vertices   vertices by the file's header, 0 if that does not say\n"
    "  lines               edges as the file lists them; in a METIS file, neighbours\n"
    "  directed_edges      ordered pairs; twice 'edges' where the file says that it is undirected\n"
    "  first_time, last_time   with --temporal and an edge at least\n"
    "\n"
    "  --format NAME   auto (default): by the name, less .gz or .xz; mtx for .mtx, metis for .graph and .metis, else\n"
    "                  snap: lines 'u v' with blanks, tabs or commas between; # and % begin comments\n"
    "  --temporal      lines 'u v t': the third number is a time\n"
    "  --max-memory N  bytes to take at most for what FILE holds, such as 512Mi (default: half of the machine's)\n"
    "\n"
    "Files may be plain, gzip or xz, whatever their name. Vertex ids go up to 2^32 - 2.\n"
    "\n"
    "Exit status: 0, 1 if the file's contents are wrong, 2 if the command could not be carried out.\n";

static void print_figure(const char *name, uint64_t figure) { printf("%s %" PRIu64 "\n", name, figure); }

static void print_times(const struct edge_list *list)
{
    uint64_t first = UINT64_MAX, last = 0;
    if (list->count == 0) return;
    for (size_t i = 0; i < list->count; i++) {
        if (list->time[i] < first) first = list->time[i];
        if (list->time[i] > last) last = list->time[i];
    }
    print_figure("first_time", first);
    print_figure("last_time", last);
}

static void print_summary(const struct edge_list *list, const struct edge_summary *summary)
{
    print_figure("vertices", summary->vertices);
    print_figure("edges", summary->edges);
    print_figure("self_loops", summary->self_loops);
    print_figure("max_degree", summary->max_degree);
    print_figure("declared_vertices", list->declared);
    print_figure("lines", list->count);
    print_figure("directed_edges", summary->directed);
    if (list->timed) print_times(list);
}

static int print_info(const char *file, const struct edge_read_options *options)
{
    struct edge_list list;
    struct edge_error error;
    struct edge_summary summary;
    if (!edge_read(file, options, &list, &error)) return graph_complain(command, &error);
    const bool good = edge_summarize(&list, &summary);
    if (good)
        print_summary(&list, &summary);
    else
        cli_complain(command, "the figures of %zu edges: %s", list.count, memory_lack());
    edge_list_free(&list);
    return good ? EXIT_GOOD : EXIT_USAGE;
}

int graph_info(int argc, char **argv)
{
    struct cli cli;
    struct edge_read_options options = {0};
    const char *file = NULL;
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    while (cli_more(&cli)) {
        if (graph_take_format(&cli, &options)) continue;
        graph_take_file(&cli, &file);
    }
    if (cli.status == EXIT_GOOD && file == NULL) cli_fail(&cli, "which FILE?");
    return cli.status == EXIT_GOOD ? print_info(file, &options) : cli_result(&cli);
}
