#include "graph_load.h"

#include <stdlib.h>

#include "graph.h"
#include "graph_grow.h"
#include "tools/common/memory_limit.h"

static const char *const device_names[] = {"cpu", "cuda", NULL};

bool graph_take_adjacency(struct cli *cli, size_t *adjacency)
{
    static const char *const names[] = {"hash", "ordered", NULL}; /* as pleach_adjacency */
    return cli_take_choice(cli, "--adjacency", names, adjacency);
}

bool graph_take_sparse(struct cli *cli, bool *sparse)
{
    return cli_set_flag(cli, "--sparse", sparse);
}

static bool take_seed(struct cli *cli, struct graph_where *where)
{
    const bool taken = cli_take_number(cli, "--seed", 0, UINT32_MAX, &where->seed);
    where->fixed_seed |= taken;
    return taken;
}

bool graph_take_where(struct cli *cli, struct graph_where *where)
{
    return cli_take_choice(cli, "--device", device_names, &where->device) ||
           cli_take_number(cli, "--threads", 1, 1024, &where->threads) ||
           graph_take_adjacency(cli, &where->adjacency) || graph_take_sparse(cli, &where->sparse) ||
           take_seed(cli, where);
}

/* What the limit leaves for a graph besides the list, on the CPU. */
static uint64_t room_for_graph(const struct graph_where *where, const struct edge_list *list)
{
    enum { LEAST = 16 << 20 };
    const uint64_t held = list->capacity * (list->timed ? 16 : 8) + list->other_bytes;
    if (where->device != 0) return 0;
    return memory_limit() > held + LEAST ? memory_limit() - held : LEAST;
}

int graph_open(const char *command, const struct graph_where *where, const struct edge_list *list,
               pleach_graph **graph)
{
    const pleach_graph_config config = {.device = (pleach_device)where->device, .threads = (unsigned)where->threads,
                                        .adjacency = (pleach_adjacency)where->adjacency, .sparse_ids = where->sparse,
                                        .seed = (uint32_t)where->seed, .fixed_seed = where->fixed_seed,
                                        .max_bytes = room_for_graph(where, list)};
    const pleach_status status = pleach_graph_create(graph, &config);
    if (status == PLEACH_OK) return EXIT_GOOD;
    cli_complain(command, "%s", pleach_strerror(status));
    return EXIT_USAGE;
}

static int build(const char *command, const struct graph_where *where, const struct edge_list *list,
                 struct graph_loaded *loaded)
{
    const int opened = graph_open(command, where, list, &loaded->graph);
    if (opened != EXIT_GOOD) return opened;
    const pleach_status status = graph_grow(loaded->graph, list, (enum triangle_method)where->way);
    if (status == PLEACH_OK) return EXIT_GOOD;
    if (status == PLEACH_E_FULL) memory_allows(UINT64_MAX); /* graph_open's limit is this one */
    cli_complain(command, "the graph could not be built: %s",
                 status == PLEACH_E_FULL ? memory_lack() : pleach_strerror(status));
    return EXIT_USAGE;
}

int graph_load(const char *command, const char *file, const struct edge_read_options *read,
               const struct graph_where *where, struct graph_loaded *loaded)
{
    struct edge_list list;
    struct edge_error error;
    *loaded = (struct graph_loaded){0};
    if (!edge_read(file, read, &list, &error)) return graph_complain(command, &error);
    int status = EXIT_USAGE;
    if (edge_list_compact(&list, &loaded->ids, &loaded->vertices))
        status = build(command, where, &list, loaded);
    else
        cli_complain(command, "%zu edges: %s", list.count, memory_lack());
    edge_list_free(&list);
    if (status != EXIT_GOOD) graph_unload(loaded);
    return status;
}

void graph_unload(struct graph_loaded *loaded)
{
    pleach_graph_destroy(loaded->graph);
    free(loaded->ids);
    *loaded = (struct graph_loaded){0};
}
