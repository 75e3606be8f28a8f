/* graph/base/graph_format.h - where vertices are in memory, and the counters of a graph.
 *
 * A vertex is a table of slabs (hash/), which is the set or map of its neighbours, and a bit that says whether the
 * vertex exists. Vertices are in segments of 2^GRAPH_SEGMENT_LOG. A segment is allocated when its first vertex is
 * inserted, and never moves. A directory names the first slab of each segment's memory.
 *
 *     directory   0 | 17 | 0 | 1041 | 0 ...
 *                     |        \__ vertices 3 << LOG and on: table, table, table ...
 *                     \__ vertices 1 << LOG and on
 *
 * Segments are allocated from the fresh end of the pool of slabs, and never freed while other threads may be running:
 * memory that was slabs once must stay slabs (slabhash.h).
 *
 * The position of a vertex in the segments is its number, also called its internal id. In a dense graph that is its id.
 * In a sparse graph, whose ids are few and far apart, numbers are assigned in order of arrival, so that segments are
 * full. A dictionary maps ids to numbers (ids/dictionary.h), and names, which have segments of their own, map numbers
 * to ids:
 *
 *     names   16 | 3 ...    id of the vertex with this number, in the lower half of a word
 *              5 | 9 ...    in the upper half: a stack of free numbers, state->free_numbers of them
 */
#ifndef PLEACH_GRAPH_FORMAT_H
#define PLEACH_GRAPH_FORMAT_H

#include "../../hash/slabhash_table.h"

#ifdef PLEACH_SIM
enum { GRAPH_SEGMENT_LOG = 2 };
#else
enum { GRAPH_SEGMENT_LOG = 12 };
#endif
enum { GRAPH_STRIPES = 64, GRAPH_SEGMENT_SLABS_LOG = GRAPH_SEGMENT_LOG - 2 };
enum { GRAPH_NAMES_LOG = GRAPH_SEGMENT_LOG > 4 ? GRAPH_SEGMENT_LOG - 4 : 0 }; /* one word each, in whole slabs */
#define GRAPH_SEGMENTS ((uint64_t)1 << (32 - GRAPH_SEGMENT_LOG))
#define GRAPH_NO_VERTEX UINT32_MAX

/* Initially zeros, except for the pool. */
typedef struct graph_state {
    pool_state pool;
    pool_runs runs;
    uint64_t segments;     /* from here on, none was ever allocated */
    uint64_t reserved0[7];
    slab_table dictionary; /* sparse: a map from ids to numbers */
    uint64_t numbers;      /* sparse: from here on, none was ever assigned */
    uint64_t free_numbers; /* sparse: how many others are free; only decreases unless access is exclusive */
    uint64_t reserved1[2];
    struct {
        uint64_t edges, vertices;
        uint64_t reserved[6];
    } stripe[GRAPH_STRIPES];
} graph_state;

/* How a thread reaches a graph. */
typedef struct graph_ref {
    slab_ref slabs;
    graph_state *state;
    uint64_t *directory;
    uint64_t *names; /* also a directory; NULL in a dense graph */
    uint32_t directed;
    uint32_t no_segments; /* 1: never allocate segments, because thousands of GPU threads would all do so at once */
} graph_ref;

/* Returns the vertex with this number, or NULL if its segment was never allocated, so it was never inserted. */
PORT_FN slab_table *graph_table(const graph_ref *g, uint32_t number)
{
    const uint64_t *entry = &g->directory[number >> GRAPH_SEGMENT_LOG];
    uint32_t segment = (uint32_t)port_load_cached(entry); /* an entry changes only once, from 0 */
    if (!segment) segment = (uint32_t)port_load(entry);
    if (!segment) return NULL;
    return (slab_table *)slab_at(&g->slabs, segment) + (number & (((uint32_t)1 << GRAPH_SEGMENT_LOG) - 1));
}

/* Returns the word with the name of a number. Its segment must exist. */
PORT_FN uint64_t *graph_external_id(const graph_ref *g, uint32_t number)
{
    uint32_t segment = (uint32_t)port_load(&g->names[number >> GRAPH_SEGMENT_LOG]);
    return (uint64_t *)slab_at(&g->slabs, segment) + (number & (((uint32_t)1 << GRAPH_SEGMENT_LOG) - 1));
}

/* Returns the id of the vertex with this number. Requires exclusive access. Undefined for a free number. */
PORT_FN uint32_t graph_id(const graph_ref *g, uint32_t number)
{
    return g->names ? (uint32_t)port_load(graph_external_id(g, number)) : number;
}

PORT_FN bool graph_vertex_is_there(const slab_table *vertex)
{
    return vertex && (port_load(&vertex->load) & SLAB_OWNERS) != 0;
}

/* Allocates the segment that a directory entry names. Returns false if there is no memory. */
PORT_COLD bool graph_make_run(const graph_ref *g, uint64_t *entry, unsigned log)
{
    uint32_t run = pool_alloc_fresh_run(g->slabs.runs, log);
    if (!run) return port_load(entry) != 0;
    if (!port_compare_swap(entry, 0, run)) pool_free_run(g->slabs.runs, log, run);
    return true;
}

/* Allocates the segment of a number, and that of its name. Returns false if there is no memory. */
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

/* Makes the vertex exist. Returns true if it did not exist before. */
PORT_FN bool graph_vertex_put(slab_table *vertex)
{
    if (port_load_cached(&vertex->load) & SLAB_OWNERS) return false; /* only exclusive calls erase vertices */
    for (;;) {
        uint64_t load = port_load(&vertex->load);
        if (load & SLAB_OWNERS) return false;
        if (port_compare_swap(&vertex->load, load, load | SLAB_OWNERS)) return true;
    }
}

#endif
