/* exec/cpu/graph_run_kind.h - the functions of graph_run.h, for edges with values or without. Included by graph_run.c
 * with SLAB_VALUES set. */
#include "../../graph/graph_edge.h"
#include "../../core/slabhash/slabhash_walk.h"
#include "../../core/slabhash/slabhash_check.h"
#include "../../core/slabhash/slabhash_drop.h"
#include "slab_run.h"

/* ---- edges ---- */

static uint8_t S(update)(const graph_place *g, const graph_request *r, size_t i, graph_result *result)
{
    S(graph_edge) e = {.kind = r->kind == GRAPH_INSERT_EDGES ? SLAB_PUT : SLAB_ERASE,
                       .from = r->from[i], .to = r->to[i], .value = r->values ? r->values[i] : 0};
    bool no_vertex = e.from == GRAPH_NO_VERTEX || e.to == GRAPH_NO_VERTEX;
    result->no_vertex += no_vertex;
    if (no_vertex) return PLEACH_EDGE_NOT_APPLIED;
    if (e.from == e.to) return PLEACH_EDGE_LOOP;
    if (S(edge_begin)(g, &e)) {
        if (e.kind == SLAB_PUT) result->vertices += graph_vertex_put(e.home) + graph_vertex_put(e.other);
        for (unsigned attempt = 0; S(edge_update)(g, &e) != SLAB_DONE;) update_pause(attempt++);
        if (e.helps_home) S(help)(&g->slabs, e.home);
        if (e.helps_other) S(help)(&g->slabs, e.other);
    }
    result->edges += (e.outcome == SLAB_INSERTED) - (e.outcome == SLAB_ERASED);
    result->not_applied += e.outcome == SLAB_NOT_APPLIED;
    return (uint8_t)e.outcome;
}

static bool S(find)(const graph_place *g, uint32_t from, uint32_t to, uint32_t *value)
{
    bool found;
    uint32_t at = 0;
    if (from == to || from == GRAPH_NO_VERTEX || to == GRAPH_NO_VERTEX) return false;
    for (unsigned attempt = 0; S(edge_find)(g, from, to, &found, &at) != SLAB_DONE;) port_pause(attempt++);
    if (found) *value = at;
    return found;
}

/* ---- any element ---- */

static void S(run_one)(const graph_place *g, const graph_request *r, size_t i, graph_result *result)
{
    uint8_t flag = 0;
    slab_table *vertex;
    uint32_t value = 0;
    switch (r->kind) {
    case GRAPH_INSERT_EDGES:
    case GRAPH_ERASE_EDGES: flag = S(update)(g, r, i, result); break;
    case GRAPH_FIND_EDGES:
        flag = S(find)(g, r->from[i], r->to[i], &value);
        if (flag && r->out_values) r->out_values[i] = value;
        break;
    case GRAPH_INSERT_VERTICES:
        result->no_vertex += r->from[i] == GRAPH_NO_VERTEX;
        vertex = r->from[i] == GRAPH_NO_VERTEX ? NULL : graph_vertex_made(g, r->from[i]);
        if (vertex) flag = graph_vertex_put(vertex) ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED;
        result->vertices += flag == PLEACH_EDGE_NEW;
        result->not_applied += flag == PLEACH_EDGE_NOT_APPLIED && r->from[i] != GRAPH_NO_VERTEX;
        break;
    case GRAPH_FIND_VERTICES: flag = graph_vertex_is_there(graph_vertex(g, r->from[i])); break;
    case GRAPH_DEGREES:
        vertex = graph_vertex(g, r->from[i]);
        r->out_values[i] = vertex ? slab_load(port_load(&vertex->load)) : 0;
        return;
    }
    if (r->flags) r->flags[i] = flag;
}

/* What an edge touches first: the two vertices, and then the buckets of their tables. Some edges are asked for ahead. */
static void S(prefetch_bucket)(const graph_place *g, uint32_t from, uint32_t to)
{
    const slab_table *vertex = graph_vertex(g, from);
    uint64_t root = vertex ? port_load(&vertex->root) : 0;
    if (slab_root_first(root)) S(prefetch_slab)(&g->slabs, root, to);
}

static void S(prefetch_vertices)(const graph_place *g, const graph_request *r, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        port_prefetch(graph_vertex(g, r->from[i]));
        if (r->to) port_prefetch(graph_vertex(g, r->to[i]));
    }
}

static void S(prefetch_buckets)(const graph_place *g, const graph_request *r, size_t begin, size_t end)
{
    for (size_t i = begin; r->to && i < end; i++) {
        bool one_half = g->directed || r->kind == GRAPH_FIND_EDGES, swapped = !g->directed && r->to[i] < r->from[i];
        if (!one_half || !swapped) S(prefetch_bucket)(g, r->from[i], r->to[i]);
        if (!one_half || swapped) S(prefetch_bucket)(g, r->to[i], r->from[i]);
    }
}

/* While some elements are worked on, the buckets of the next ones are on their way, and the vertices of those after. */
static void S(run)(const graph_place *g, const graph_request *r, size_t begin, size_t end, graph_result *result)
{
    enum { SOME = 16 };
#define CLAMPED(at) ((at) < end ? (at) : end)
    if (end - begin > 1) {
        S(prefetch_vertices)(g, r, begin, CLAMPED(begin + 2 * SOME));
        S(prefetch_buckets)(g, r, begin, CLAMPED(begin + SOME));
    }
    for (size_t at = begin; at < end; at += SOME) {
        S(prefetch_vertices)(g, r, CLAMPED(at + 2 * SOME), CLAMPED(at + 3 * SOME));
        S(prefetch_buckets)(g, r, CLAMPED(at + SOME), CLAMPED(at + 2 * SOME));
        for (size_t i = at; i < CLAMPED(at + SOME); i++) S(run_one)(g, r, i, result);
    }
#undef CLAMPED
}

/* ---- vertices ---- */

_Static_assert(sizeof(S(slot)) == sizeof(graph_target), "slots are handed out as targets");

static uint64_t S(list)(const graph_place *g, uint32_t id, graph_target *targets, uint64_t room)
{
    const slab_table *vertex = graph_vertex(g, id);
    uint64_t root = vertex ? port_load(&vertex->root) : 0;
    S(slab_sink) sink = {(S(slot) *)targets, 0, room};
    if (!slab_root_first(root)) return 0;
    for (uint32_t group = 0; group >> slab_root_log(root) == 0; group++)
        S(walk_group)(&g->slabs, vertex, group, slab_root_log(root), &sink);
    return sink.count;
}

/* Buckets number, number + step ... of a run. */
static bool S(visit_buckets)(const graph_place *g, uint64_t root, uint32_t number, uint32_t step, graph_take *take,
                             void *context)
{
    for (uint32_t i = number; i >> slab_root_log(root) == 0; i += step)
        for (uint32_t id = slab_root_first(root) + i; id; id = (uint32_t)slab_at(&g->slabs, id)->word[SLAB_LINK]) {
            const slab *at = slab_at(&g->slabs, id);
            for (uint32_t mask = slab_mask(at->word[SLAB_HEADER]); mask; mask &= mask - 1) {
                S(slot) pair = S(slot_load)(at, (unsigned)__builtin_ctz(mask));
                if (!take(context, (graph_target){pair.key, pair.value})) return false;
            }
        }
    return true;
}

static void S(visit)(const graph_place *g, const slab_table *vertex, graph_take *take, void *context)
{
    uint64_t root = vertex->root, next = slab_target(vertex, root);
    uint32_t buckets = slab_root_first(root) ? (uint32_t)1 << slab_root_log(root) : 0;
    bool goes_on = true;
    for (uint32_t number = 0; goes_on && number < buckets; number++) {
        bool moved = slab_at(&g->slabs, slab_root_first(root) + number)->word[SLAB_HEADER] & SLAB_MOVED;
        goes_on = S(visit_buckets)(g, moved ? next : root, number, buckets, take, context);
    }
}

static void S(erase_half)(const graph_place *g, slab_table *vertex, uint32_t target)
{
    S(slab_change) c = {.kind = SLAB_ERASE, .pair = {target, 0}};
    for (unsigned attempt = 0; S(slab_update)(&g->slabs, vertex, &c) != SLAB_DONE;) update_pause(attempt++);
}

static bool S(open)(const graph_place *g, slab_table *vertex, unsigned log)
{
    return S(table_open)(&g->slabs, vertex, log);
}

static void S(drop)(const graph_place *g, slab_table *vertex) { S(table_drop)(&g->slabs, vertex); }
