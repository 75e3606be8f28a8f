#include "graph_grow.h"

#include <stdlib.h>

#include "tools/common/mix.h"

enum { BATCHES = 50, LEAST_BATCH = 1000, SEED = 20 };

bool graph_take_way(struct cli *cli, size_t *way)
{
    static const char *const names[] = {"bulk", "batches", "random", "churn", NULL}; /* as triangle_method */
    return cli_take_choice(cli, "--build", names, way);
}

/* The edges of a list in some order, and room for those of a batch. */
struct growth {
    pleach_graph *graph;
    const struct edge_list *list;
    struct mix_order order;
    bool shuffled;
    size_t batch;
    uint32_t *from, *to;
};

static size_t place(const struct growth *g, size_t i)
{
    return g->shuffled ? (size_t)mix_order_at(&g->order, i) : i;
}

static pleach_status insert_from(struct growth *g, size_t begin)
{
    size_t n = g->list->count - begin < g->batch ? g->list->count - begin : g->batch;
    for (size_t i = 0; i < n; i++) {
        g->from[i] = g->list->from[place(g, begin + i)];
        g->to[i] = g->list->to[place(g, begin + i)];
    }
    return pleach_graph_insert_edges(g->graph, n, g->from, g->to, NULL, NULL, PLEACH_SYNC);
}

/* As many as half a batch, out of those before `end`. */
static pleach_status erase_some(struct growth *g, size_t end)
{
    const size_t n = g->batch / 2;
    for (size_t i = 0; i < n; i++) {
        const size_t at = place(g, (size_t)(mix64(end * 31 + i) % end));
        g->from[i] = g->list->to[at]; /* from the other end: it is the same edge */
        g->to[i] = g->list->from[at];
    }
    return pleach_graph_erase_edges(g->graph, n, g->from, g->to, NULL, PLEACH_SYNC);
}

static pleach_status insert_all(struct growth *g, bool erases)
{
    pleach_status status = PLEACH_OK;
    for (size_t begin = 0; begin < g->list->count && status == PLEACH_OK; begin += g->batch) {
        const size_t end = begin + g->batch < g->list->count ? begin + g->batch : g->list->count;
        status = insert_from(g, begin);
        if (status == PLEACH_OK && erases) status = erase_some(g, end);
    }
    return status;
}

static pleach_status grow(struct growth *g, enum triangle_method way)
{
    pleach_status status = insert_all(g, way == GROW_CHURN);
    if (status != PLEACH_OK || way != GROW_CHURN) return status;
    g->order = mix_order_make(g->list->count, SEED + 1);
    return insert_all(g, false);
}

pleach_status graph_grow(pleach_graph *graph, const struct edge_list *list, enum triangle_method way)
{
    if (way == GROW_BULK || list->count == 0)
        return pleach_graph_build(graph, list->count, list->from, list->to, NULL);
    struct growth g = {.graph = graph, .list = list, .order = mix_order_make(list->count, SEED),
                       .shuffled = way != GROW_BATCHES, .batch = list->count / BATCHES};
    if (g.batch < LEAST_BATCH) g.batch = LEAST_BATCH;
    g.from = malloc(g.batch * sizeof *g.from);
    g.to = malloc(g.batch * sizeof *g.to);
    const pleach_status status = g.from != NULL && g.to != NULL ? grow(&g, way) : PLEACH_E_MEMORY;
    free(g.from);
    free(g.to);
    return status;
}
