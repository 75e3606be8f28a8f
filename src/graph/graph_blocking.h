/* graph/graph_blocking.h - one element of an array call on a graph, run by one CPU thread or GPU thread to
 * completion. */
#include "graph_edge.h"
#include "base/graph_backend.h"

/* Sets up the edge that an element names, and inserts its endpoints as vertices. Returns false if there is nothing else
 * to do; *said is then the outcome. */
PORT_FN bool edge_of(const graph_ref *g, const graph_request *r, size_t i, graph_edge *e, graph_result *result,
                     uint8_t *said)
{
    e->kind = r->kind == GRAPH_INSERT_EDGES ? OP_PUT : OP_ERASE;
    e->from = r->from[i];
    e->to = r->to[i];
    e->value = r->values ? r->values[i] : 0;
    e->old = 0;
    bool no_vertex = e->from == GRAPH_NO_VERTEX || e->to == GRAPH_NO_VERTEX, loop = e->from == e->to;
    result->no_vertex += no_vertex;
    *said = loop && !no_vertex ? PLEACH_EDGE_LOOP : PLEACH_EDGE_NOT_APPLIED;
    if (no_vertex || loop) return false;
    bool there = edge_begin(g, e);
    *said = (uint8_t)e->outcome;
    result->not_applied += !there && e->kind == OP_PUT;
    if (there && e->kind == OP_PUT) result->vertices += graph_vertex_put(e->home) + graph_vertex_put(e->other);
    return there;
}

PORT_FN uint8_t edge_said(const graph_edge *e, graph_result *result)
{
    result->edges += (e->outcome == PLEACH_INSERTED) - (e->outcome == PLEACH_ERASED);
    result->not_applied += e->outcome == PLEACH_NOT_APPLIED;
    return (uint8_t)e->outcome;
}

/* Creates tables of endpoints that have none before anything is latched, because other threads may wait for one of the
 * endpoints. */
PORT_FN void edge_begin_tables(const graph_ref *g, const graph_edge *e)
{
    uint64_t home = port_load(&e->home->root), other = g->directed ? home : port_load(&e->other->root);
    if (!slab_root_first(home)) table_begin(&g->slabs, e->home, home);
    if (!g->directed && !slab_root_first(other)) table_begin(&g->slabs, e->other, other);
}

PORT_FN uint8_t graph_update(const graph_ref *g, const graph_request *r, size_t i, graph_result *result)
{
    graph_edge e;
    unsigned attempt = 0;
    uint8_t said;
    if (!edge_of(g, r, i, &e, result, &said)) return said;
    if (e.kind == OP_PUT) edge_begin_tables(g, &e);
    while (port_retry_point(edge_update(g, &e)) != SLAB_DONE) slab_update_pause(attempt++);
    if (e.helps_home) help_blocking(&g->slabs, e.home);
    if (e.helps_other) help_blocking(&g->slabs, e.other);
    return edge_said(&e, result);
}

/* As graph_update, but makes only a few attempts of the fast path. Returns false if these were not enough; nothing has
 * changed then, except that the endpoints exist. */
PORT_FN bool graph_update_fast_path(const graph_ref *g, const graph_request *r, size_t i, graph_result *result,
                                  uint8_t *said)
{
    graph_edge e;
    slab_step step = SLAB_AGAIN;
    if (!edge_of(g, r, i, &e, result, said)) return true;
    for (unsigned left = slab_fast_path_tries(r->n); left && step == SLAB_AGAIN; left--)
        step = (slab_step)port_retry_point(edge_update_fast_path(g, &e));
    if (step != SLAB_DONE) return false;
    *said = edge_said(&e, result);
    return true;
}

/* Always inlined, because it is also used by the function table. With two uses the compiler would leave a call in the
 * loop of array calls. */
PORT_FN __attribute__((always_inline)) bool graph_find(const graph_ref *g, uint32_t from, uint32_t to,
                                                       uint32_t *value)
{
    bool found = false;
    slab_key at = 0;
    unsigned attempt = 0;
    if (from == to || from == GRAPH_NO_VERTEX || to == GRAPH_NO_VERTEX) return false;
    while (port_retry_point(edge_find(g, from, to, &found, &at)) != SLAB_DONE) port_pause(attempt++);
    if (found) *value = at;
    return found;
}

PORT_FN uint8_t graph_put_vertex(const graph_ref *g, uint32_t id, graph_result *result)
{
    result->no_vertex += id == GRAPH_NO_VERTEX;
    if (id == GRAPH_NO_VERTEX) return PLEACH_EDGE_NOT_APPLIED;
    slab_table *vertex = graph_vertex_or_create(g, id);
    result->not_applied += !vertex;
    if (!vertex) return PLEACH_EDGE_NOT_APPLIED;
    bool is_new = graph_vertex_put(vertex);
    result->vertices += is_new;
    return is_new ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED;
}

PORT_FN void graph_one_vertex(const graph_ref *g, const graph_request *r, size_t i, graph_result *result)
{
    uint8_t flag = 0;
    const slab_table *vertex;
    if (r->kind == GRAPH_DEGREES) {
        vertex = graph_vertex(g, r->from[i]);
        r->out_values[i] = vertex ? slab_load(port_load(&vertex->load)) : 0;
        return;
    }
    if (r->kind == GRAPH_INSERT_VERTICES)
        flag = graph_put_vertex(g, r->from[i], result);
    else
        flag = graph_vertex_is_there(graph_vertex(g, r->from[i]));
    if (r->flags) r->flags[i] = flag;
}

PORT_FN void graph_one(const graph_ref *g, const graph_request *r, size_t i, graph_result *result)
{
    uint8_t flag = 0;
    uint32_t value = 0;
    switch (r->kind) {
    case GRAPH_INSERT_EDGES:
    case GRAPH_ERASE_EDGES:
        flag = graph_update(g, r, i, result);
        if (r->flags) r->flags[i] = flag;
        return;
    case GRAPH_FIND_EDGES:
        flag = graph_find(g, r->from[i], r->to[i], &value);
        if (flag && r->out_values) r->out_values[i] = value;
        if (r->flags) r->flags[i] = flag;
        return;
    case GRAPH_INSERT_VERTICES:
    case GRAPH_FIND_VERTICES:
    case GRAPH_DEGREES: break;
    }
    graph_one_vertex(g, r, i, result);
}
