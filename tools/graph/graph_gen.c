/* graph_gen.c - pleach graph gen: makes a graph and writes it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/edges/edge_make.h"
#include "tools/edges/edge_write.h"
#include "graph.h"

static const char command[] = "pleach graph gen";

static const char help[] =
    "usage: pleach graph gen KIND [OPTION...] -o FILE\n"
    "\n"
    "Makes a graph of 2^K vertices, the same on every machine, and writes it: as Matrix Market if FILE ends in .mtx,\n"
    "else as lines 'u v'; - is standard output.\n"
    "\n"
    "  rmat        few vertices have many edges: R-MAT with the chances of Graph500, 0.57, 0.19, 0.19, 0.05;\n"
    "              directed, with self loops and duplicates\n"
    "  rgg         random geometric: points in a square, edges between those that are near\n"
    "  grid        like roads: a connected part of a grid, and some diagonals\n"
    "  delaunay    like a Delaunay triangulation: grid points moved at random; almost 6 neighbours on average\n"
    "\n"
    "  --scale K         vertices: 2^K (default 16; up to 31)\n"
    "  --seed N          another graph of the same kind (default 1)\n"
    "  --edge-factor N   rmat: edges for each vertex (default 16)\n"
    "  --scramble        rmat: give the ids out at random; else low ids have the most edges\n"
    "  --degree D        rgg: neighbours on average (default: radius 0.55 sqrt(ln n / n), as in rgg_n_2_K)\n"
    "                    grid: the same, 2 to 4 (default 2.4)\n"
    "  -o FILE           where to write it\n"
    "\n"
    "Exit status: 0, 2 if the command could not be carried out.\n";

enum kind { RMAT, RGG, GRID, DELAUNAY, NO_KIND };

static const char *const kind_names[] = {"rmat", "rgg", "grid", "delaunay"};

struct order {
    enum kind kind;
    uint64_t scale, seed, edge_factor; /* edge_factor 0: not given */
    double degree;                     /* 0: not given */
    bool scramble;
    const char *file;
};

static void take_kind(struct cli *cli, struct order *order, const char *word)
{
    if (order->kind != NO_KIND) {
        cli_fail(cli, "one KIND at a time: '%s' or '%s'", kind_names[order->kind], word);
        return;
    }
    for (int kind = 0; kind < NO_KIND; kind++)
        if (strcmp(kind_names[kind], word) == 0) order->kind = (enum kind)kind;
    if (order->kind == NO_KIND) cli_fail(cli, "KIND is one of rmat, rgg, grid, delaunay; not '%s'", word);
}

static void check_order(struct cli *cli, const struct order *order)
{
    if (order->kind == NO_KIND)
        cli_fail(cli, "which KIND? One of rmat, rgg, grid, delaunay");
    else if (order->file == NULL)
        cli_fail(cli, "where to? Say -o FILE");
    else if (order->kind != RMAT && (order->scramble || order->edge_factor != 0))
        cli_fail(cli, "--edge-factor and --scramble are for rmat");
    else if (order->degree != 0 && order->kind != RGG && order->kind != GRID)
        cli_fail(cli, "--degree is for rgg and grid");
    else if (order->kind == GRID && order->degree != 0 && (order->degree < 2 || order->degree > 4))
        cli_fail(cli, "--degree of a grid is from 2 to 4");
}

static void read_order(struct cli *cli, struct order *order)
{
    *order = (struct order){.kind = NO_KIND, .scale = 16, .seed = 1};
    while (cli_more(cli)) {
        const char *word = NULL;
        if (cli_set_flag(cli, "--scramble", &order->scramble) ||
            cli_take_number(cli, "--scale", 2, EDGE_MAKE_MOST_SCALE, &order->scale) ||
            cli_take_number(cli, "--seed", 0, UINT64_MAX, &order->seed) ||
            cli_take_number(cli, "--edge-factor", 1, 4096, &order->edge_factor) ||
            cli_take_real(cli, "--degree", 1000, &order->degree) || cli_take_text(cli, "-o", &order->file))
            continue;
        else if (cli_take_word(cli, &word))
            take_kind(cli, order, word);
        else
            cli_reject_option(cli);
    }
    if (cli->status == EXIT_GOOD) check_order(cli, order);
}

static bool make(const struct order *order, struct edge_list *list)
{
    const unsigned scale = (unsigned)order->scale;
    switch (order->kind) {
    case RMAT:
        return edge_make_rmat(list, &(struct edge_rmat){.scale = scale, .seed = order->seed,
                                                        .edge_factor = order->edge_factor > 0 ? order->edge_factor : 16,
                                                        .scramble = order->scramble});
    case RGG:
        return edge_make_rgg(list, &(struct edge_rgg){scale, order->degree, order->seed});
    case GRID:
        return edge_make_grid(list, &(struct edge_grid){scale, order->degree, order->seed});
    case DELAUNAY:
        return edge_make_delaunay(list, &(struct edge_delaunay){scale, order->seed});
    case NO_KIND: break;
    }
    return false;
}

static int make_and_write(const struct order *order)
{
    struct edge_list list;
    struct edge_error error;
    char comment[100];
    if (!make(order, &list)) {
        cli_complain(command, "out of memory; choose a smaller --scale");
        return EXIT_USAGE;
    }
    snprintf(comment, sizeof comment, "pleach graph gen %s --scale %" PRIu64 " --seed %" PRIu64,
             kind_names[order->kind], order->scale, order->seed);
    const bool good = edge_write(order->file, &list, comment, &error);
    edge_list_free(&list);
    return good ? EXIT_GOOD : graph_complain(command, &error);
}

int graph_gen(int argc, char **argv)
{
    struct cli cli;
    struct order order;
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    read_order(&cli, &order);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    return make_and_write(&order);
}
