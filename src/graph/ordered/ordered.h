/* graph/ordered/ordered.h - a graph whose edges are the keys of one ordered map: declarations shared by ordered_*.c.
 *
 * A directed edge (u, v) is the key u * 2^32 + v, with the edge's value. An undirected edge is that key, and also the
 * key v * 2^32 + u. So a vertex's neighbours are adjacent keys, in order. A vertex u that exists has the key
 * u * 2^32 + PLEACH_NO_VERTEX, its marker, which no edge can have: the last key of its row.
 *
 * Vertices and edges are in one map, so every change is one batch of the map: it is applied as a whole or not at all,
 * and a snapshot shows all of it or none. With two maps, a change would have to be undone in the first if the second
 * had no memory for it; and while a snapshot is live, undoing needs memory as well.
 *
 * INVARIANTS   G1, G2, G4 and G5 of graph_edge.h, after every batch.
 * CONCURRENCY  Whatever the graph's gate admits. Changes are batches, which the map runs one at a time; its queries see
 *              a state between two of them.
 * LINEARIZATION POINTS   Of a change: that of its batch. Of a query: that of the map's query.
 */
#ifndef PLEACH_GRAPH_ORDERED_H
#define PLEACH_GRAPH_ORDERED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "../../../include/pleach/batch.h"
#include "../../../include/pleach/snapshot.h"
#include "../../sync/workers.h"
#include "../base/graph_backend.h"

typedef struct ordered_graph {
    pleach_map *map;
    bool directed, values, on_cpu;
    unsigned threads;
    workers *workers;         /* on the host; they count triangles, whatever the map's device is */
    pthread_mutex_t changing; /* held while a batch changes map and counters, and while a snapshot is taken of both */
    atomic_uint_fast64_t vertices, edges;
    uint64_t lowest_free;     /* no smaller id is free; used with exclusive access only */
} ordered_graph;

/* A snapshot of a graph. */
typedef struct ordered_snapshot {
    pleach_snapshot *of_map;
    uint64_t vertices, edges;
} ordered_snapshot;

/* What a query reads: the current graph or, if `at` is not NULL, a snapshot. */
typedef struct ordered_view {
    const ordered_graph *graph;
    const ordered_snapshot *at;
} ordered_view;

static inline uint64_t ordered_key(uint32_t from, uint32_t to) { return (uint64_t)from << 32 | to; }
static inline uint64_t ordered_marker(uint32_t vertex) { return ordered_key(vertex, PLEACH_NO_VERTEX); }
static inline bool ordered_is_marker(uint64_t key) { return (uint32_t)key == PLEACH_NO_VERTEX; }
static inline bool ordered_is_edge(uint32_t from, uint32_t to)
{
    return from != to && from != PLEACH_NO_VERTEX && to != PLEACH_NO_VERTEX;
}
static inline unsigned ordered_halves(const ordered_graph *graph) { return graph->directed ? 1 : 2; }

/* ---- ordered_batch.c: changes ---- */

typedef struct ordered_batch {
    uint8_t *kinds, *flags;
    uint64_t *keys, *values;
    size_t n, room;
} ordered_batch;

/* Returns PLEACH_E_MEMORY, or PLEACH_E_SIZE if a batch cannot be that long. Must be closed in either case. */
pleach_status ordered_batch_open(ordered_batch *b, size_t room);
void ordered_batch_close(ordered_batch *b);
void ordered_batch_add(ordered_batch *b, pleach_operation kind, uint64_t key, uint64_t value);
/* Adds both halves of an undirected edge, or the one of a directed edge. */
void ordered_batch_add_edge(const ordered_graph *graph, ordered_batch *b, pleach_operation kind, uint32_t from,
                            uint32_t to, uint32_t value);
/* Applies all of it or nothing, and updates the counters with it. */
pleach_status ordered_batch_apply(ordered_graph *graph, ordered_batch *b);

/* ---- ordered_edges.c, ordered_vertices.c ---- */

pleach_status ordered_insert_edges(ordered_graph *graph, const graph_request *r);
pleach_status ordered_erase_edges(ordered_graph *graph, const graph_request *r);
pleach_status ordered_insert_vertices(ordered_graph *graph, const graph_request *r);
pleach_status ordered_new_vertices(void *exec, size_t n, uint32_t *vertices);
pleach_status ordered_erase_vertices(void *exec, size_t n, const uint32_t *vertices, uint8_t *outcomes);

/* ---- ordered_query.c ---- */

/* Finds edges or vertices, or counts degrees. */
pleach_status ordered_ask(ordered_view view, const graph_request *r);
pleach_status ordered_list(ordered_view view, size_t n, const uint32_t *vertices, size_t capacity,
                           uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total);
pleach_status ordered_find_keys(ordered_view view, size_t n, const uint64_t *keys, uint64_t *values, uint8_t *found);
pleach_status ordered_range(ordered_view view, size_t n, const uint64_t *lo, const uint64_t *hi, size_t capacity,
                            uint64_t *keys, uint64_t *values, uint64_t *offsets, size_t *total);
/* Returns one more than the largest existing id. */
pleach_status ordered_row_count(ordered_view view, uint64_t *rows);

/* ---- ordered_rows.c: the whole graph. Exclusive, unless at a snapshot. ---- */

/* All keys in order, including markers, and values if requested. */
typedef struct ordered_keys {
    uint64_t *keys, *values;
    size_t n;
} ordered_keys;

pleach_status ordered_keys_open(ordered_view view, bool with_values, ordered_keys *all);
void ordered_keys_close(ordered_keys *all);
pleach_status ordered_rows(ordered_view view, graph_rows *out);
pleach_status ordered_edges(ordered_view view, size_t capacity, uint32_t *from, uint32_t *to, uint32_t *values,
                            uint64_t *edges);
pleach_status ordered_list_vertices(void *exec, size_t capacity, uint32_t *ids, uint64_t *count);
void ordered_sizes(ordered_view view, uint64_t *vertices, uint64_t *edges);

/* ---- ordered_build.c, ordered_check.c, ordered_triangles.c, ordered_change.c ---- */

pleach_status ordered_build(void *exec, size_t n, const uint32_t *from, const uint32_t *to, const uint32_t *values);
pleach_status ordered_stats(void *exec, pleach_graph_stats *stats);
pleach_status ordered_validate(void *exec, char *message, size_t message_size);
pleach_status ordered_triangles(ordered_view view, size_t capacity, uint64_t *by_vertex, uint64_t *total);
pleach_status ordered_run_counting(void *exec, const graph_request *request, size_t capacity, uint64_t *by_vertex,
                                   uint64_t *change);

#endif
