/* verify/sim/graph_variant_kind.h - graphs with values or without. Included by graph_variant.c with SLAB_VALUES set. */
#include "../../src/graph/graph_run_kind.h"
#include "slab_sim_kind.h"

static const graph_run_ops S(ops) = {SLAB_SLOTS, S(run),  S(list), S(visit),     S(erase_half),
                                     S(open),    S(drop), S(graph_find), S(slab_check)};

static uint32_t S(sim_hash_of)(const slab_place *place, uint32_t key) { return S(slab_hash)(place, key); }

static uint8_t S(sim_put_vertex)(slab_table *vertex)
{
    return graph_vertex_put(vertex) ? HISTORY_INSERTED : HISTORY_EXISTS;
}

/* The vertices that come with an edge. */
static void S(sim_put_ends)(const graph_place *g, const S(graph_edge) *e, graph_op *op)
{
    bool from_is_home = g->directed || e->from < e->to;
    if (e->kind != SLAB_PUT) return;
    op->new_from = S(sim_put_vertex)(from_is_home ? e->home : e->other);
    op->new_to = S(sim_put_vertex)(from_is_home ? e->other : e->home);
}

static void S(sim_end)(const S(graph_edge) *e, graph_op *op)
{
    bool had = e->outcome == SLAB_REPLACED || e->outcome == SLAB_ERASED;
    op->outcome = (uint8_t)e->outcome;
    op->old = had ? e->old : 0;
}

static S(graph_edge) S(sim_edge)(const graph_op *op)
{
    return (S(graph_edge)){.kind = (slab_kind)op->kind, .from = op->from, .to = op->to,
                           .value = SLAB_VALUES ? op->value : 0};
}

/* What a GPU's first kernel tries, of some operations. */
static bool S(sim_update_briefly)(const graph_place *g, S(graph_edge) *e)
{
    slab_step step = SLAB_AGAIN;
#ifdef PLEACH_NODE_ISA_cuda
    for (unsigned left = SLAB_BRIEF_TRIES; left && step == SLAB_AGAIN && (e->from ^ e->to) & 1; left--)
        step = S(edge_update_briefly)(g, e);
    e->brief = false;
#else
    (void)g, (void)e;
#endif
    return step == SLAB_DONE;
}

/* As update in graph/graph_run_kind.h, which has no use for old values, nor for which vertex is new. */
static void S(sim_update)(const graph_place *g, graph_op *op)
{
    S(graph_edge) e = S(sim_edge)(op);
    if (S(edge_begin)(g, &e)) {
        S(sim_put_ends)(g, &e, op);
        if (S(sim_update_briefly)(g, &e)) {
            S(sim_end)(&e, op);
            return;
        }
        for (unsigned attempt = 0; S(edge_update)(g, &e) != SLAB_DONE;) slab_update_pause(attempt++);
        if (e.helps_home) S(help_to_end)(&g->slabs, e.home);
        if (e.helps_other) S(help_to_end)(&g->slabs, e.other);
    }
    S(sim_end)(&e, op);
}

static void S(sim_run)(const graph_place *g, graph_op *op, graph_target *targets, uint64_t room)
{
    slab_table *vertex;
    bool found;
    op->invoked = sim_operation_begin();
    switch (op->kind) {
    case GRAPH_OP_FIND:
        found = S(graph_find)(g, op->from, op->to, &op->old);
        op->outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        break;
    case GRAPH_OP_LIST: op->target_count = (uint32_t)S(list)(g, op->from, targets, room); break;
    case GRAPH_OP_PUT_VERTEX:
        vertex = graph_vertex_made(g, op->from);
        op->outcome = vertex ? S(sim_put_vertex)(vertex) : HISTORY_NOT_APPLIED;
        break;
    case GRAPH_OP_FIND_VERTEX:
        found = graph_vertex_is_there(graph_vertex(g, op->from));
        op->outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        break;
    case GRAPH_OP_DEGREE:
        vertex = graph_vertex(g, op->from);
        op->old = vertex ? slab_load(port_load(&vertex->load)) : 0;
        break;
    default: S(sim_update)(g, op);
    }
    op->returned = sim_operation_end(1);
}

static bool S(sim_alone)(const graph_place *g, graph_op *op)
{
    S(graph_edge) e = S(sim_edge)(op);
    bool done = !S(edge_begin)(g, &e);
    if (!done) S(sim_put_ends)(g, &e, op);
    for (unsigned step = 0; !done && step < MOST_STEPS_ALONE; step++) done = S(edge_update)(g, &e) == SLAB_DONE;
    S(sim_end)(&e, op);
    return done;
}

const graph_variant VARIANT_NAME(S(sim_graph)) = {
    .values = SLAB_VALUES,
    .segment_log = GRAPH_SEGMENT_LOG,
    .vertex = vertex_of,
    .table = table_of,
    .id = id_of,
    .come_and_go = come_and_go,
    .dictionary = &ops_map32,
    .finish_dictionary = sim_finish_map32,
    .hash = S(sim_hash_of),
    .run = S(sim_run),
    .alone = S(sim_alone),
    .recycle = S(sim_recycle),
    .finish = S(sim_finish),
    .ops = &S(ops),
};
