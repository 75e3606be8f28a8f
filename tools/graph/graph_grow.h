/* graph_grow.h - the ways in which a graph can come to have the edges of a list: all end with the same graph. */
#ifndef PLEACH_TOOLS_GRAPH_GROW_H
#define PLEACH_TOOLS_GRAPH_GROW_H

#include "tools/common/cli.h"
#include "tools/edges/edge_list.h"
#include "pleach/graph.h"

enum triangle_method {
    GROW_BULK,    /* at once */
    GROW_BATCHES, /* some edges at a time, in the order of the list */
    GROW_RANDOM,  /* the same in a random order */
    GROW_CHURN    /* the same, with random edges erased after each, and put again later */
};

/* --build. Whether the current word was it. */
bool graph_take_way(struct cli *cli, size_t *way);

/* Fills an empty graph without values. */
pleach_status graph_grow(pleach_graph *graph, const struct edge_list *list, enum triangle_method way);

#endif
