/* graph/graph_to_end.h - one element of an array call on a graph, by one agent: a CPU thread or a GPU thread. Include
 * with SLAB_VALUES set. */
#include "graph_edge.h"
#include "../exec/graph_exec.h"

PORT_FN uint8_t S(graph_update)(const graph_place *g, const graph_request *r, size_t i, graph_result *result)
{
    S(graph_edge) e;
    unsigned attempt = 0;
    e.kind = r->kind == GRAPH_INSERT_EDGES ? SLAB_PUT : SLAB_ERASE;
    e.from = r->from[i];
    e.to = r->to[i];
    e.value = r->values ? r->values[i] : 0;
    e.old = 0;
    bool no_vertex = e.from == GRAPH_NO_VERTEX || e.to == GRAPH_NO_VERTEX;
    result->no_vertex += no_vertex;
    if (no_vertex) return PLEACH_EDGE_NOT_APPLIED;
    if (e.from == e.to) return PLEACH_EDGE_LOOP;
    if (S(edge_begin)(g, &e)) {
        if (e.kind == SLAB_PUT) result->vertices += graph_vertex_put(e.home) + graph_vertex_put(e.other);
        while (port_between_tries(S(edge_update)(g, &e)) != SLAB_DONE) slab_update_pause(attempt++);
        if (e.helps_home) S(help_to_end)(&g->slabs, e.home);
        if (e.helps_other) S(help_to_end)(&g->slabs, e.other);
    }
    result->edges += (e.outcome == SLAB_INSERTED) - (e.outcome == SLAB_ERASED);
    result->not_applied += e.outcome == SLAB_NOT_APPLIED;
    return (uint8_t)e.outcome;
}

PORT_FN bool S(graph_find)(const graph_place *g, uint32_t from, uint32_t to, uint32_t *value)
{
    bool found = false;
    S(key) at = 0;
    unsigned attempt = 0;
    if (from == to || from == GRAPH_NO_VERTEX || to == GRAPH_NO_VERTEX) return false;
    while (port_between_tries(S(edge_find)(g, from, to, &found, &at)) != SLAB_DONE) port_pause(attempt++);
    if (found) *value = at;
    return found;
}

PORT_FN uint8_t S(graph_put_vertex)(const graph_place *g, uint32_t id, graph_result *result)
{
    result->no_vertex += id == GRAPH_NO_VERTEX;
    if (id == GRAPH_NO_VERTEX) return PLEACH_EDGE_NOT_APPLIED;
    slab_table *vertex = graph_vertex_made(g, id);
    result->not_applied += !vertex;
    if (!vertex) return PLEACH_EDGE_NOT_APPLIED;
    bool is_new = graph_vertex_put(vertex);
    result->vertices += is_new;
    return is_new ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED;
}

PORT_FN void S(graph_one_vertex)(const graph_place *g, const graph_request *r, size_t i, graph_result *result)
{
    uint8_t flag = 0;
    const slab_table *vertex;
    if (r->kind == GRAPH_DEGREES) {
        vertex = graph_vertex(g, r->from[i]);
        r->out_values[i] = vertex ? slab_load(port_load(&vertex->load)) : 0;
        return;
    }
    if (r->kind == GRAPH_INSERT_VERTICES)
        flag = S(graph_put_vertex)(g, r->from[i], result);
    else
        flag = graph_vertex_is_there(graph_vertex(g, r->from[i]));
    if (r->flags) r->flags[i] = flag;
}

PORT_FN void S(graph_one)(const graph_place *g, const graph_request *r, size_t i, graph_result *result)
{
    uint8_t flag = 0;
    uint32_t value = 0;
    switch (r->kind) {
    case GRAPH_INSERT_EDGES:
    case GRAPH_ERASE_EDGES: flag = S(graph_update)(g, r, i, result); break;
    case GRAPH_FIND_EDGES:
        flag = S(graph_find)(g, r->from[i], r->to[i], &value);
        if (flag && r->out_values) r->out_values[i] = value;
        break;
    default: S(graph_one_vertex)(g, r, i, result); return;
    }
    if (r->flags) r->flags[i] = flag;
}
