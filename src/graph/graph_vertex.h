/* graph/graph_vertex.h - finds the vertex with an id, and creates it. For graphs of all kinds. */
#ifndef PLEACH_GRAPH_VERTEX_H
#define PLEACH_GRAPH_VERTEX_H

#include "base/graph_format.h"
#include "ids/dictionary.h"

/* Returns NULL if the vertex was never inserted. */
PORT_FN slab_table *graph_vertex(const graph_ref *g, uint32_t id)
{
    uint32_t number = id;
    if (g->names) {
        number = graph_internal_id(g->slabs.runs.nodes, g->slabs.seed, &g->state->dictionary, id);
        if (number == GRAPH_NO_VERTEX) return NULL;
    }
    return graph_table(g, number);
}

/* Returns the vertex, whether it exists or not, or NULL if there is no memory for it. */
PORT_FN slab_table *graph_vertex_or_create(const graph_ref *g, uint32_t id)
{
    slab_table *vertex = graph_vertex(g, id);
    if (vertex || g->no_segments) return vertex;
    if (g->names) return graph_vertex_named(g, id);
    return graph_make_segment(g, id) ? graph_vertex(g, id) : NULL;
}

#endif
