/* graph/graph_device_kind.h - one thread's update or query, from the first attempt to the last, for edges with values
 * or without. Included by graph_device.h, in the kind's namespace. */
#include "graph_edge.h"

/* Not inlined, because with two latches and two kinds of graph it would be much code at each call. */
PORT_COLD pleach_edge_outcome graph_view_update(pleach_graph_view view, op_kind kind, uint32_t from, uint32_t to,
                                                uint32_t value)
{
    graph_ref g = graph_view_ref(&view);
    graph_edge e;
    unsigned attempt = 0;
    e.kind = kind;
    e.from = from;
    e.to = to;
    e.value = SLAB_VALUES ? value : 0;
    e.old = 0;
    if (from == GRAPH_NO_VERTEX || to == GRAPH_NO_VERTEX) return PLEACH_EDGE_NOT_APPLIED;
    if (from == to) return PLEACH_EDGE_LOOP;
    if (!edge_begin(&g, &e)) return (pleach_edge_outcome)e.outcome;
    uint64_t vertices = 0, *edges_there = &g.state->stripe[graph_view_stripe() % GRAPH_STRIPES].edges;
    uint64_t *vertices_there = &g.state->stripe[graph_view_stripe() % GRAPH_STRIPES].vertices;
    if (kind == OP_PUT) vertices = (uint64_t)graph_vertex_put(e.home) + (uint64_t)graph_vertex_put(e.other);
    while (port_retry_point(edge_update(&g, &e)) != SLAB_DONE) slab_update_pause(attempt++);
    if (e.helps_home) help_blocking(&g.slabs, e.home);
    if (e.helps_other) help_blocking(&g.slabs, e.other);
    if (vertices) port_fetch_add(vertices_there, vertices);
    if (e.outcome == PLEACH_INSERTED) port_fetch_add(edges_there, 1);
    if (e.outcome == PLEACH_ERASED) port_fetch_add(edges_there, (uint64_t)-1);
    return (pleach_edge_outcome)e.outcome;
}

PORT_FN bool graph_view_find(const pleach_graph_view *view, uint32_t from, uint32_t to, uint32_t *value)
{
    graph_ref g = graph_view_ref(view);
    bool found = false;
    slab_key there = 0;
    unsigned attempt = 0;
    if (from == to || from == GRAPH_NO_VERTEX || to == GRAPH_NO_VERTEX) return false;
    while (port_retry_point(edge_find(&g, from, to, &found, &there)) != SLAB_DONE) port_pause(attempt++);
    if (found && value && SLAB_VALUES) *value = there;
    return found;
}
