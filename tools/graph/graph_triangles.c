/* graph_triangles.c - pleach graph triangles: builds the graph of a file, and counts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph.h"
#include "graph_grow.h"
#include "graph_load.h"

static const char command[] = "pleach graph triangles";

static const char help[] =
    "usage: pleach graph triangles [OPTION...] FILE\n"
    "\n"
    "Reads FILE (- is standard input) as an undirected graph and counts its triangles: three vertices with an edge\n"
    "between each two of them. Self loops and duplicates do not count. The last line is the count alone.\n"
    "\n"
    "  --device NAME   cpu (default) or cuda\n"
    "  --threads N     worker threads on the CPU (default: one for each online CPU)\n"
    "  --adjacency A   how neighbours are kept: hash (default), a table for each vertex; or ordered, one ordered map\n"
    "  --sparse        vertices are found through a hash table, as is good for ids that are few and far apart\n"
    "  --seed N        seed of the hash function, up to 2^32 - 1 (default: random, against chosen ids)\n"
    "  --build WAY     how the graph comes to have its edges: bulk (default), at once; batches, some at a time, in the\n"
    "                  file's order; random, the same in a random order; churn, the same with random edges erased\n"
    "                  in between and put again. The count is the same\n"
    "  --top N         before it, the N vertices that are in most triangles: id, triangles, neighbours\n"
    "  --clustering    before it, the average clustering coefficient\n"
    "  --format NAME   as in pleach graph info\n"
    "  --max-memory N  bytes to take at most for FILE and its graph (default: half of the machine's)\n"
    "\n"
    "Exit status: 0, 1 if the file's contents are wrong, 2 if the command could not be carried out.\n";

struct order {
    const char *file;
    struct edge_read_options read;
    struct graph_where where;
    uint64_t top;
    bool clustering;
};

static void read_order(struct cli *cli, struct order *order)
{
    *order = (struct order){0};
    while (cli_more(cli)) {
        if (cli_set_flag(cli, "--clustering", &order->clustering) || graph_take_format(cli, &order->read) ||
            graph_take_where(cli, &order->where) || graph_take_way(cli, &order->where.way) ||
            cli_take_number(cli, "--top", 1, UINT32_MAX, &order->top))
            continue;
        else
            graph_take_file(cli, &order->file);
    }
    if (cli->status == EXIT_GOOD && order->file == NULL) cli_fail(cli, "which FILE?");
}

/* ---- the vertices in most triangles ---- */

struct ranked {
    uint64_t triangles;
    uint32_t vertex;
};

static int by_triangles(const void *a, const void *b)
{
    const struct ranked *one = a, *two = b;
    if (one->triangles != two->triangles) return one->triangles < two->triangles ? 1 : -1;
    return (one->vertex > two->vertex) - (one->vertex < two->vertex);
}

static pleach_status print_ranked(const struct graph_loaded *loaded, struct ranked *ranked, uint64_t top)
{
    qsort(ranked, loaded->vertices, sizeof *ranked, by_triangles);
    for (size_t i = 0; i < loaded->vertices && i < top; i++) {
        uint32_t degree = 0;
        const pleach_status status = pleach_graph_degrees(loaded->graph, 1, &ranked[i].vertex, &degree, PLEACH_SYNC);
        if (status != PLEACH_OK) return status;
        printf("vertex %" PRIu32 " triangles %" PRIu64 " neighbours %" PRIu32 "\n", loaded->ids[ranked[i].vertex],
               ranked[i].triangles, degree);
    }
    return PLEACH_OK;
}

static pleach_status count_top(const struct graph_loaded *loaded, uint64_t top, uint64_t *total)
{
    uint64_t *by_vertex = calloc(loaded->vertices + 1, sizeof *by_vertex);
    struct ranked *ranked = calloc(loaded->vertices + 1, sizeof *ranked);
    pleach_status status = PLEACH_E_MEMORY;
    if (by_vertex != NULL && ranked != NULL)
        status = pleach_graph_triangles(loaded->graph, loaded->vertices, by_vertex, total);
    if (status == PLEACH_OK) {
        for (size_t i = 0; i < loaded->vertices; i++) ranked[i] = (struct ranked){by_vertex[i], (uint32_t)i};
        status = print_ranked(loaded, ranked, top);
    }
    free(by_vertex);
    free(ranked);
    return status;
}

static pleach_status count(const struct order *order, const struct graph_loaded *loaded)
{
    uint64_t total = 0;
    double average = 0;
    pleach_status status = PLEACH_OK;
    if (order->clustering) status = pleach_graph_clustering(loaded->graph, 0, NULL, &average);
    if (status == PLEACH_OK)
        status = order->top > 0 ? count_top(loaded, order->top, &total)
                                : pleach_graph_triangles(loaded->graph, 0, NULL, &total);
    if (status != PLEACH_OK) return status;
    if (order->clustering) printf("clustering %.6f\n", average);
    printf("%" PRIu64 "\n", total);
    return PLEACH_OK;
}

int graph_triangles(int argc, char **argv)
{
    struct cli cli;
    struct order order;
    struct graph_loaded loaded;
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    read_order(&cli, &order);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    const int status = graph_load(command, order.file, &order.read, &order.where, &loaded);
    if (status != EXIT_GOOD) return status;
    const pleach_status counted = count(&order, &loaded);
    graph_unload(&loaded);
    if (counted == PLEACH_OK) return cli_finish_output(command, EXIT_GOOD);
    cli_complain(command, "%s", pleach_strerror(counted));
    return EXIT_USAGE;
}
