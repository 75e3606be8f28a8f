/* graph_stream.c - pleach graph stream: events that come and go, and the triangles after each batch of them. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph.h"
#include "graph_load.h"
#include "tools/common/clock.h"
#include "tools/common/memory_limit.h"
#include "pleach/hash.h"

static const char command[] = "pleach graph stream";

static const char help[] =
    "usage: pleach graph stream [OPTION...] FILE\n"
    "\n"
    "Replays FILE (- is standard input), lines 'u v t' of events between vertices u and v at the time t, as an undirected\n"
    "graph: in batches, oldest first. With a window, edges whose last event is older than that are taken out after each\n"
    "batch. Triangles are kept up to date, not counted anew. Prints a table, which bench/plot.py can draw.\n"
    "\n"
    "  --batch N       events of a batch (default: 1,000)\n"
    "  --window W      how long an edge stays after its last event, in the units of t (default: for ever)\n"
    "  --check         count all triangles after each batch as well, and compare\n"
    "  --device NAME   cpu (default) or cuda\n"
    "  --threads N     worker threads on the CPU (default: one for each online CPU)\n"
    "  --max-memory N  bytes to take at most for FILE and its graph (default: half of the machine's)\n"
    "  --adjacency A   how neighbours are kept: hash (default), a table for each vertex; or ordered, one ordered map\n"
    "  --sparse        vertices are found through a hash table, as is good for ids that are few and far apart\n"
    "  --seed N        seed of the hash function, up to 2^32 - 1 (default: random, against chosen ids)\n"
    "\n"
    "Columns: batch, time of its last event, events so far, edges and triangles there are, edges that came and went with\n"
    "the batch, milliseconds that this took.\n"
    "\n"
    "Exit status: 0, 1 if the file's contents or a checked count are wrong, 2 if the command could not be carried out.\n";

struct order {
    const char *file;
    struct edge_read_options read;
    struct graph_where where;
    uint64_t batch, window;
    bool windowed, check;
};

static void read_order(struct cli *cli, struct order *order)
{
    *order = (struct order){.batch = 1000, .read = {.temporal = true}};
    while (cli_more(cli)) {
        if (cli_take_number(cli, "--window", 0, UINT64_MAX, &order->window))
            order->windowed = true;
        else if (cli_set_flag(cli, "--check", &order->check) || graph_take_format(cli, &order->read) ||
                 graph_take_where(cli, &order->where) ||
                 cli_take_number(cli, "--batch", 1, (uint64_t)1 << 30, &order->batch))
            continue;
        else
            graph_take_file(cli, &order->file);
    }
    if (cli->status == EXIT_GOOD && order->file == NULL) cli_fail(cli, "which FILE?");
}

/* ---- the stream ---- */

struct stream {
    const struct order *order;
    struct edge_list events; /* by time */
    pleach_graph *graph;
    pleach_hash *last;       /* with a window: edge to the time of its last event */
    size_t next, oldest;     /* events: not inserted yet; and those before have been looked at for taking out */
    uint64_t triangles;
    uint32_t *gone_from, *gone_to;
};

static uint64_t name_of(uint32_t one, uint32_t two)
{
    return one < two ? (uint64_t)one << 32 | two : (uint64_t)two << 32 | one;
}

/* Those of a batch, which come in order of time: the last one of an edge stays. */
static pleach_status note_times(struct stream *s, size_t end)
{
    for (size_t i = s->next; i < end; i++) {
        const pleach_status status =
            pleach_hash_put_one(s->last, name_of(s->events.from[i], s->events.to[i]), s->events.time[i], NULL, NULL);
        if (status != PLEACH_OK) return status;
    }
    return PLEACH_OK;
}

/* Edges whose last event is before `since`; an edge is noted once, at the first of its events that is looked at. */
static pleach_status find_gone(struct stream *s, uint64_t since, size_t *gone)
{
    *gone = 0;
    for (; s->oldest < s->next && s->events.time[s->oldest] < since; s->oldest++) {
        const uint32_t from = s->events.from[s->oldest], to = s->events.to[s->oldest];
        uint64_t last = 0;
        int found = 0;
        pleach_status status = pleach_hash_find_one(s->last, name_of(from, to), &found, &last);
        if (status == PLEACH_OK && found && last < since) {
            status = pleach_hash_erase_one(s->last, name_of(from, to), NULL, NULL);
            s->gone_from[*gone] = from;
            s->gone_to[(*gone)++] = to;
        }
        if (status != PLEACH_OK) return status;
    }
    return PLEACH_OK;
}

struct row {
    uint64_t edges_before, came, went, edges;
    double seconds;
};

/* The next batch in, and what is too old by then out. */
static pleach_status step(struct stream *s, struct row *row)
{
    const size_t left = s->events.count - s->next, n = left < s->order->batch ? left : (size_t)s->order->batch;
    const double begin = clock_seconds();
    uint64_t change = 0, came = 0;
    size_t gone = 0;
    pleach_status status = pleach_graph_size(s->graph, NULL, &row->edges_before);
    if (status == PLEACH_OK)
        status = pleach_graph_insert_counting(s->graph, n, s->events.from + s->next, s->events.to + s->next, NULL, NULL,
                                              0, NULL, &change);
    s->triangles += change;
    if (status == PLEACH_OK) status = pleach_graph_size(s->graph, NULL, &came);
    if (status == PLEACH_OK && s->last != NULL) status = note_times(s, s->next + n);
    s->next += n;
    const uint64_t time = s->events.time[s->next - 1];
    if (status == PLEACH_OK && s->last != NULL && time > s->order->window)
        status = find_gone(s, time - s->order->window, &gone);
    if (status == PLEACH_OK && gone > 0) {
        status = pleach_graph_erase_counting(s->graph, gone, s->gone_from, s->gone_to, NULL, 0, NULL, &change);
        s->triangles -= change;
    }
    if (status == PLEACH_OK) status = pleach_graph_size(s->graph, NULL, &row->edges);
    row->came = came - row->edges_before;
    row->went = came - row->edges;
    row->seconds = clock_seconds() - begin;
    return status;
}

/* ---- the table ---- */

static bool is_right(const struct stream *s, pleach_status *status)
{
    uint64_t all = 0;
    *status = pleach_graph_triangles(s->graph, 0, NULL, &all);
    if (*status != PLEACH_OK || all == s->triangles) return *status == PLEACH_OK;
    cli_complain(command, "after %zu events %" PRIu64 " triangles were kept, and %" PRIu64 " are there", s->next,
                 s->triangles, all);
    return false;
}

static int run(struct stream *s)
{
    printf("%8s %16s %12s %12s %14s %10s %10s %9s\n", "batch", "time", "events", "edges", "triangles", "came", "went",
           "ms");
    for (size_t batch = 1; s->next < s->events.count; batch++) {
        struct row row;
        pleach_status status = step(s, &row);
        if (status == PLEACH_OK) {
            printf("%8zu %16" PRIu64 " %12zu %12" PRIu64 " %14" PRIu64 " %10" PRIu64 " %10" PRIu64 " %9.2f\n", batch,
                   s->events.time[s->next - 1], s->next, row.edges, s->triangles, row.came, row.went,
                   row.seconds * 1000);
            if (s->order->check && !is_right(s, &status) && status == PLEACH_OK) return EXIT_WRONG;
        }
        if (status != PLEACH_OK) {
            cli_complain(command, "%s", pleach_strerror(status));
            return EXIT_USAGE;
        }
    }
    return EXIT_GOOD;
}

static int open_and_run(struct stream *s)
{
    int status = graph_open(command, &s->order->where, &s->events, &s->graph);
    if (status != EXIT_GOOD) return status;
    s->gone_from = malloc((s->events.count + 1) * sizeof *s->gone_from);
    s->gone_to = malloc((s->events.count + 1) * sizeof *s->gone_to);
    const pleach_hash_config config = {.key_bits = 64, .seed = (uint32_t)s->order->where.seed,
                                       .fixed_seed = s->order->where.fixed_seed};
    const bool good = s->gone_from != NULL && s->gone_to != NULL &&
                      (!s->order->windowed || pleach_hash_create(&s->last, &config) == PLEACH_OK);
    if (good)
        status = run(s);
    else
        cli_complain(command, "out of memory for %zu events", s->events.count);
    pleach_graph_destroy(s->graph);
    pleach_hash_destroy(s->last);
    free(s->gone_from);
    free(s->gone_to);
    return good ? status : EXIT_USAGE;
}

static int read_and_run(const struct order *order)
{
    struct stream s = {.order = order};
    struct edge_error error;
    uint32_t *ids = NULL;
    size_t vertices;
    if (!edge_read(order->file, &order->read, &s.events, &error)) return graph_complain(command, &error);
    int status = EXIT_USAGE;
    if (edge_list_compact(&s.events, &ids, &vertices) && edge_list_sort_by_time(&s.events))
        status = open_and_run(&s);
    else
        cli_complain(command, "%zu events: %s", s.events.count, memory_lack());
    free(ids);
    edge_list_free(&s.events);
    return status;
}

int graph_stream(int argc, char **argv)
{
    struct cli cli;
    struct order order;
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    read_order(&cli, &order);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    return cli_finish_output(command, read_and_run(&order));
}
