/* graph/graph_format.h - the vertex dictionary, and the counters of a graph.
 *
 * A vertex is a table of slabs (core/slabhash), the set or map of its neighbours, and a bit that says that the vertex
 * is there. Vertices lie in segments of 2^GRAPH_SEGMENT_LOG, which are made when the first vertex of them is, and never
 * move; a directory names the first slab of each segment's memory.
 *
 *     directory   0 | 17 | 0 | 1041 | 0 ...
 *                     |        \__ vertices 3 << LOG and on: table, table, table ...
 *                     \__ vertices 1 << LOG and on
 *
 * Segments come off the fresh end of the pool of slabs, and are never given back while agents are about: memory that
 * once was slabs must stay slabs (slabhash.h).
 */
#ifndef PLEACH_GRAPH_FORMAT_H
#define PLEACH_GRAPH_FORMAT_H

#include "../core/slabhash/slabhash_table.h"

#ifdef PLEACH_SIM
enum { GRAPH_SEGMENT_LOG = 2 };
#else
enum { GRAPH_SEGMENT_LOG = 12 };
#endif
enum { GRAPH_STRIPES = 64, GRAPH_SEGMENT_SLABS_LOG = GRAPH_SEGMENT_LOG - 2 };
#define GRAPH_SEGMENTS ((uint64_t)1 << (32 - GRAPH_SEGMENT_LOG))
#define GRAPH_NO_VERTEX UINT32_MAX

/* Zeros to begin with, but for the pool. */
typedef struct graph_state {
    pool_state pool;
    pool_runs runs;
    uint64_t segments; /* those from here on were never made */
    uint64_t reserved[7];
    struct {
        uint64_t edges, vertices;
        uint64_t reserved[6];
    } stripe[GRAPH_STRIPES];
} graph_state;

/* How an agent reaches a graph. */
typedef struct graph_place {
    slab_place slabs;
    graph_state *state;
    uint64_t *directory;
    uint32_t directed;
    uint32_t no_segments; /* 1: who misses one has to do without. Thousands of GPU threads would all make it at once */
} graph_place;

/* NULL: its segment was never made, so nobody has put it there. */
PORT_FN slab_table *graph_vertex(const graph_place *g, uint32_t id)
{
    uint32_t segment = (uint32_t)port_load(&g->directory[id >> GRAPH_SEGMENT_LOG]);
    if (!segment) return NULL;
    return (slab_table *)slab_at(&g->slabs, segment) + (id & (((uint32_t)1 << GRAPH_SEGMENT_LOG) - 1));
}

PORT_FN bool graph_vertex_is_there(const slab_table *vertex)
{
    return vertex && (port_load(&vertex->load) & SLAB_OWNERS) != 0;
}

/* Memory for the segment of a vertex. False: there is none. */
PORT_COLD bool graph_make_segment(const graph_place *g, uint32_t id)
{
    uint64_t number = id >> GRAPH_SEGMENT_LOG, *entry = &g->directory[number];
    uint32_t run = pool_take_fresh_run(g->slabs.runs, GRAPH_SEGMENT_SLABS_LOG);
    if (!run) return port_load(entry) != 0;
    if (!port_compare_swap(entry, 0, run)) pool_give_run(g->slabs.runs, GRAPH_SEGMENT_SLABS_LOG, run);
    for (;;) {
        uint64_t segments = port_load(&g->state->segments);
        if (segments > number || port_compare_swap(&g->state->segments, segments, number + 1)) return true;
    }
}

/* The vertex, whether it is there or not. NULL: there is no memory for it. */
PORT_FN slab_table *graph_vertex_made(const graph_place *g, uint32_t id)
{
    slab_table *vertex = graph_vertex(g, id);
    if (!vertex && !g->no_segments && graph_make_segment(g, id)) vertex = graph_vertex(g, id);
    return vertex;
}

/* The vertex is there from now on; true if it was not before. */
PORT_FN bool graph_vertex_put(slab_table *vertex)
{
    for (;;) {
        uint64_t load = port_load(&vertex->load);
        if (load & SLAB_OWNERS) return false;
        if (port_compare_swap(&vertex->load, load, load | SLAB_OWNERS)) return true;
    }
}

#endif
