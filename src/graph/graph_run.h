/* graph/graph_run.h - operations of graphs on CPU threads: one function table for edges with values, and one for edges
 * without. */
#ifndef PLEACH_GRAPH_RUN_H
#define PLEACH_GRAPH_RUN_H

#include "base/graph_format.h"
#include "base/graph_backend.h"
#include "../hash/hash_run.h"

/* A neighbour. */
typedef struct graph_target { uint32_t id, value; } graph_target;

typedef bool graph_take(void *context, graph_target target);

typedef struct graph_run_ops {
    unsigned slots;
    void (*run)(const graph_ref *g, const graph_request *request, size_t begin, size_t end, graph_result *result);
    /* Lists up to `room` neighbours of a vertex. Returns how many it has. May run concurrently with updates. */
    uint64_t (*list)(const graph_ref *g, uint32_t vertex, graph_target *targets, uint64_t room);
    /* Calls `take` for each neighbour of a vertex until it returns false. The caller has exclusive access to this
     * vertex. */
    void (*visit)(const graph_ref *g, const slab_table *vertex, graph_take *take, void *context);
    /* Erases one half of an edge. May run concurrently with anything but changes of this edge. */
    void (*erase_half)(const graph_ref *g, slab_table *vertex, uint32_t target);
    /* Creates 2^log buckets for an empty table that no other thread uses. Returns false if memory is lacking. */
    bool (*open)(const graph_ref *g, slab_table *vertex, unsigned log);
    /* Frees all slabs of a vertex. The caller has exclusive access to this vertex. */
    void (*drop)(const graph_ref *g, slab_table *vertex);
    bool (*find)(const graph_ref *g, uint32_t from, uint32_t to, uint32_t *value);
    bool (*check)(const slab_ref *place, const slab_table *table, uint64_t *seen, hash_counts *counts, char *message,
                  size_t message_size);
} graph_run_ops;

/* graph_run.c, compiled once per kind: edges with values, and edges without. */
extern const graph_run_ops graph_run_map32, graph_run_set32;

#endif
