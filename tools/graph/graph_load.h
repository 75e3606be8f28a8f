/* graph_load.h - the graph of a file of edges, and the options that say where it is kept. */
#ifndef PLEACH_TOOLS_GRAPH_LOAD_H
#define PLEACH_TOOLS_GRAPH_LOAD_H

#include "tools/common/cli.h"
#include "tools/edges/edge_list.h"
#include "tools/edges/edge_read.h"
#include "pleach/triangles.h"

struct graph_where {
    size_t device;    /* a pleach_device */
    uint64_t threads; /* 0: one for each online CPU */
    size_t adjacency; /* a pleach_adjacency */
    bool sparse;      /* vertices are found through a hash table */
    size_t way;       /* a triangle_method, for who loads a file */
    bool fixed_seed;  /* --seed was given: */
    uint64_t seed;    /* of the hash function */
};

/* --adjacency. Whether the current word was it; also for who has devices of its own. */
bool graph_take_adjacency(struct cli *cli, size_t *adjacency);

/* --sparse, likewise. */
bool graph_take_sparse(struct cli *cli, bool *sparse);

/* --device, --threads, --adjacency, --sparse and --seed. Whether the current word was one of them. */
bool graph_take_where(struct cli *cli, struct graph_where *where);

/* An undirected graph without values; vertices have new numbers, 0 and on, in the order of their ids. */
struct graph_loaded {
    pleach_graph *graph;
    size_t vertices;
    uint32_t *ids; /* by number */
};

/* An empty one. EXIT_GOOD, or the exit status after an error message. */
int graph_open(const char *command, const struct graph_where *where, const struct edge_list *list,
               pleach_graph **graph);

/* The same for the graph of a file. */
int graph_load(const char *command, const char *file, const struct edge_read_options *read,
               const struct graph_where *where, struct graph_loaded *loaded);
void graph_unload(struct graph_loaded *loaded);

#endif
