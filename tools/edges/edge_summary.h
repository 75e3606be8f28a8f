/* edge_summary.h - the figures of a list of edges as a simple graph: self loops dropped, duplicates merged. */
#ifndef PLEACH_TOOLS_EDGE_SUMMARY_H
#define PLEACH_TOOLS_EDGE_SUMMARY_H

#include "edge_list.h"

struct edge_summary {
    uint64_t vertices;   /* ids that occur, be it in a self loop only */
    uint64_t edges;      /* pairs {u, v}, whatever their direction */
    uint64_t directed;   /* pairs (u, v); two for each edge of an undirected list */
    uint64_t self_loops; /* as often as they are in the list */
    uint64_t max_degree; /* the most neighbours, whatever the direction */
};

/* False when memory is lacking. */
bool edge_summarize(const struct edge_list *list, struct edge_summary *summary);

#endif
