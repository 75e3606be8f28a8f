/* graph/graph_run.h - operations of graphs on CPU threads: one table of functions for edges with values, and one for
 * edges without. */
#ifndef PLEACH_GRAPH_RUN_H
#define PLEACH_GRAPH_RUN_H

#include "graph_format.h"
#include "graph_backend.h"
#include "../hash/hash_run.h"

/* A neighbour. */
typedef struct graph_target { uint32_t id, value; } graph_target;

typedef bool graph_take(void *context, graph_target target);

typedef struct graph_run_ops {
    unsigned slots;
    void (*run)(const graph_ref *g, const graph_request *request, size_t begin, size_t end, graph_result *result);
    /* The neighbours of a vertex, as many as there is room for; answers how many it has. Beside everything. */
    uint64_t (*list)(const graph_ref *g, uint32_t vertex, graph_target *targets, uint64_t room);
    /* The neighbours of a vertex, one after the other, until `take` answers false. Alone with this vertex. */
    void (*visit)(const graph_ref *g, const slab_table *vertex, graph_take *take, void *context);
    /* One half of an edge. Beside everything but changes of this edge. */
    void (*erase_half)(const graph_ref *g, slab_table *vertex, uint32_t target);
    /* 2^log empty buckets for a table that is empty and nobody else's. False: memory is lacking. */
    bool (*open)(const graph_ref *g, slab_table *vertex, unsigned log);
    /* All slabs of a vertex back to the pool. Alone with this vertex. */
    void (*drop)(const graph_ref *g, slab_table *vertex);
    bool (*find)(const graph_ref *g, uint32_t from, uint32_t to, uint32_t *value);
    bool (*check)(const slab_ref *place, const slab_table *table, uint64_t *seen, hash_counts *counts, char *message,
                  size_t message_size);
} graph_run_ops;

/* graph_run.c, compiled once per kind: edges with values and edges without. */
extern const graph_run_ops graph_run_map32, graph_run_set32;

#endif
