/* graph.c - pleach graph: finds the subcommand. A new one is a line in the table, in graph.h, and in the help. */
#include "graph.h"

#include <stdio.h>
#include <string.h>

#include "tools/commands.h"

static const char command[] = "pleach graph";

static const char help[] =
    "usage: pleach graph SUBCOMMAND [OPTION...]\n"
    "\n"
    "  info FILE              vertices, edges, self loops and the highest degree of a file of edges\n"
    "  triangles FILE         count the triangles of a graph\n"
    "  stream FILE            replay events 'u v t' in batches, old edges leaving; triangles after each\n"
    "  gen KIND ... -o FILE   make a graph: rmat, rgg, grid, delaunay\n"
    "\n"
    "Files are Matrix Market (.mtx), METIS (.graph, .metis) or lines 'u v'; plain, gzip or xz.\n"
    "'pleach graph SUBCOMMAND --help' tells more.\n"
    "\n"
    "Exit status: 0 all is well, 1 a file's contents or an answer are wrong, 2 the command could not be carried out.\n";

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} subcommands[] = {
    {"info", graph_info},
    {"triangles", graph_triangles},
    {"stream", graph_stream},
    {"gen", graph_gen},
};

int command_graph(int argc, char **argv)
{
    if (argc == 0) {
        fputs(help, stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[0], "--help") == 0) {
        fputs(help, stdout);
        return EXIT_GOOD;
    }
    for (size_t i = 0; i < sizeof subcommands / sizeof subcommands[0]; i++)
        if (strcmp(subcommands[i].name, argv[0]) == 0) return subcommands[i].run(argc - 1, argv + 1);
    if (strcmp(argv[0], "bench") == 0)
        cli_complain(command, "benchmarks of graphs are in a command of their own, 'pleach-bench graph'");
    else
        cli_complain(command, "there is no subcommand '%s'\nTry '%s --help'.", argv[0], command);
    return EXIT_USAGE;
}
