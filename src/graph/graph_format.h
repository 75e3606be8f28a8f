/* graph/graph_format.h - where vertices are, and the counters of a graph.
 *
 * A vertex is a table of slabs (hash/), the set or map of its neighbours, and a bit that says that the vertex
 * is there. Vertices lie in segments of 2^GRAPH_SEGMENT_LOG, which are made when the first vertex of them is, and never
 * move; a directory names the first slab of each segment's memory.
 *
 *     directory   0 | 17 | 0 | 1041 | 0 ...
 *                     |        \__ vertices 3 << LOG and on: table, table, table ...
 *                     \__ vertices 1 << LOG and on
 *
 * Segments come off the fresh end of the pool of slabs, and are never given back while agents are about: memory that
 * once was slabs must stay slabs (slabhash.h).
 *
 * A vertex is in the place of its number. Of a dense graph that is its id. A sparse graph, whose ids are few and far
 * apart, hands out numbers as ids come, so that segments are full; a dictionary says which id has which
 * (ids/dictionary.h), and names, which are in segments of their own, say it the other way round:
 *
 *     names   16 | 3 ...    id of the vertex with this number, in the lower half of a word
 *              5 | 9 ...    in the upper half: numbers that are free, as many as state->free_numbers says
 */
#ifndef PLEACH_GRAPH_FORMAT_H
#define PLEACH_GRAPH_FORMAT_H

#include "../hash/slabhash_table.h"

#ifdef PLEACH_SIM
enum { GRAPH_SEGMENT_LOG = 2 };
#else
enum { GRAPH_SEGMENT_LOG = 12 };
#endif
enum { GRAPH_STRIPES = 64, GRAPH_SEGMENT_SLABS_LOG = GRAPH_SEGMENT_LOG - 2 };
enum { GRAPH_NAMES_LOG = GRAPH_SEGMENT_LOG > 4 ? GRAPH_SEGMENT_LOG - 4 : 0 }; /* a word each, in whole slabs */
#define GRAPH_SEGMENTS ((uint64_t)1 << (32 - GRAPH_SEGMENT_LOG))
#define GRAPH_NO_VERTEX UINT32_MAX

/* Zeros to begin with, but for the pool. */
typedef struct graph_state {
    pool_state pool;
    pool_runs runs;
    uint64_t segments; /* those from here on were never made */
    uint64_t reserved0[7];
    slab_table dictionary; /* sparse: a map from ids to numbers */
    uint64_t numbers;      /* sparse: those from here on were never handed out */
    uint64_t free_numbers; /* sparse: how many of the others are free; only falls while agents are about */
    uint64_t reserved1[2];
    struct {
        uint64_t edges, vertices;
        uint64_t reserved[6];
    } stripe[GRAPH_STRIPES];
} graph_state;

/* How an agent reaches a graph. */
typedef struct graph_ref {
    slab_ref slabs;
    graph_state *state;
    uint64_t *directory;
    uint64_t *names; /* a directory, too; NULL: the graph is dense */
    uint32_t directed;
    uint32_t no_segments; /* 1: who misses one has to do without. Thousands of GPU threads would all make it at once */
} graph_ref;

/* The vertex with this number. NULL: its segment was never made, so nobody has put it there. */
PORT_FN slab_table *graph_table(const graph_ref *g, uint32_t number)
{
    const uint64_t *entry = &g->directory[number >> GRAPH_SEGMENT_LOG];
    uint32_t segment = (uint32_t)port_load_cached(entry); /* an entry changes once: from 0 */
    if (!segment) segment = (uint32_t)port_load(entry);
    if (!segment) return NULL;
    return (slab_table *)slab_at(&g->slabs, segment) + (number & (((uint32_t)1 << GRAPH_SEGMENT_LOG) - 1));
}

/* The word with a number's name; its segment is there. */
PORT_FN uint64_t *graph_external_id(const graph_ref *g, uint32_t number)
{
    uint32_t segment = (uint32_t)port_load(&g->names[number >> GRAPH_SEGMENT_LOG]);
    return (uint64_t *)slab_at(&g->slabs, segment) + (number & (((uint32_t)1 << GRAPH_SEGMENT_LOG) - 1));
}

/* The id of the vertex with this number, for who is alone. Of a free number it says nothing. */
PORT_FN uint32_t graph_id(const graph_ref *g, uint32_t number)
{
    return g->names ? (uint32_t)port_load(graph_external_id(g, number)) : number;
}

PORT_FN bool graph_vertex_is_there(const slab_table *vertex)
{
    return vertex && (port_load(&vertex->load) & SLAB_OWNERS) != 0;
}

/* Memory for a segment that an entry will name. False: there is none. */
PORT_COLD bool graph_make_run(const graph_ref *g, uint64_t *entry, unsigned log)
{
    uint32_t run = pool_alloc_fresh_run(g->slabs.runs, log);
    if (!run) return port_load(entry) != 0;
    if (!port_compare_swap(entry, 0, run)) pool_free_run(g->slabs.runs, log, run);
    return true;
}

/* Memory for the segment of a number, and for that of its name. False: there is none. */
PORT_COLD bool graph_make_segment(const graph_ref *g, uint32_t number)
{
    uint64_t segment = number >> GRAPH_SEGMENT_LOG, *entry = &g->directory[segment];
    if (g->names && !port_load(&g->names[segment]) && !graph_make_run(g, &g->names[segment], GRAPH_NAMES_LOG))
        return false;
    if (!port_load(entry) && !graph_make_run(g, entry, GRAPH_SEGMENT_SLABS_LOG)) return false;
    for (;;) {
        uint64_t segments = port_load(&g->state->segments);
        if (segments > segment || port_compare_swap(&g->state->segments, segments, segment + 1)) return true;
    }
}

/* The vertex is there from now on; true if it was not before. */
PORT_FN bool graph_vertex_put(slab_table *vertex)
{
    if (port_load_cached(&vertex->load) & SLAB_OWNERS) return false; /* it leaves only while nobody else is about */
    for (;;) {
        uint64_t load = port_load(&vertex->load);
        if (load & SLAB_OWNERS) return false;
        if (port_compare_swap(&vertex->load, load, load | SLAB_OWNERS)) return true;
    }
}

#endif
