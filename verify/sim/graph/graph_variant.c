/* verify/sim/graph/graph_variant.c - the operations of graphs, compiled for the simulator: with values and without,
 * once per machine. The object with values has the dictionary of both. */
#include "graph_sim.h"
#include "../hash/slab_sim.h"

#define graph_internal_id VARIANT_NAME(graph_internal_id)
#define graph_vertex_named VARIANT_NAME(graph_vertex_named)
#define graph_remove_id VARIANT_NAME(graph_remove_id)
#define graph_forget_unused VARIANT_NAME(graph_forget_unused)

#include "../../../src/graph/graph_vertex.h"
#include "../../../src/graph/graph_run_kind.h"
#if SLAB_VALUES
#include "../../../src/graph/ids/dictionary_kind.h"
#endif
#include "../hash/slab_sim_kind.h"

static slab_table *vertex_of(const graph_ref *g, uint32_t id) { return graph_vertex(g, id); }
static slab_table *table_of(const graph_ref *g, uint32_t number) { return graph_table(g, number); }
static uint32_t id_of(const graph_ref *g, uint32_t number) { return graph_id(g, number); }

static void come_and_go(const graph_ref *g, const uint32_t *ids, unsigned count)
{
    for (unsigned i = 0; i < count; i++) (void)graph_vertex_or_create(g, ids[i]);
    while (count-- > 0) graph_remove_id(g, ids[count]); /* so that a number is not in the slot of its own name */
}

static const graph_run_ops ops = {SLAB_SLOTS, run_elements,  list_targets, visit_targets,     erase_half,
                                     open_vertex,    drop_vertex, graph_find, slab_check};

static uint32_t sim_hash_of(const slab_ref *place, uint32_t key) { return slab_hash(place, key); }

static uint8_t sim_put_vertex(slab_table *vertex)
{
    return graph_vertex_put(vertex) ? HISTORY_INSERTED : HISTORY_EXISTS;
}

/* The vertices that come with an edge. */
static void sim_put_ends(const graph_ref *g, const graph_edge *e, graph_op *op)
{
    bool from_is_home = g->directed || e->from < e->to;
    if (e->kind != OP_PUT) return;
    op->new_from = sim_put_vertex(from_is_home ? e->home : e->other);
    op->new_to = sim_put_vertex(from_is_home ? e->other : e->home);
}

static void sim_end(const graph_edge *e, graph_op *op)
{
    bool had = e->outcome == PLEACH_REPLACED || e->outcome == PLEACH_ERASED;
    op->outcome = (uint8_t)e->outcome;
    op->old = had ? e->old : 0;
}

static graph_edge sim_edge(const graph_op *op)
{
    return (graph_edge){.kind = (op_kind)op->kind, .from = op->from, .to = op->to,
                        .value = SLAB_VALUES ? op->value : 0};
}

/* What a GPU's first kernel tries, of some operations. */
static bool sim_update_fast_path(const graph_ref *g, graph_edge *e)
{
    slab_step step = SLAB_AGAIN;
#ifdef PLEACH_NODE_ISA_cuda
    for (unsigned left = SLAB_BRIEF_TRIES; left && step == SLAB_AGAIN && (e->from ^ e->to) & 1; left--)
        step = edge_update_fast_path(g, e);
    e->brief = false;
#else
    (void)g, (void)e;
#endif
    return step == SLAB_DONE;
}

/* As update in graph/graph_run_kind.h, which has no use for old values, nor for which vertex is new. */
static void sim_update(const graph_ref *g, graph_op *op)
{
    graph_edge e = sim_edge(op);
    if (edge_begin(g, &e)) {
        sim_put_ends(g, &e, op);
        if (sim_update_fast_path(g, &e)) {
            sim_end(&e, op);
            return;
        }
        for (unsigned attempt = 0; edge_update(g, &e) != SLAB_DONE;) slab_update_pause(attempt++);
        if (e.helps_home) help_blocking(&g->slabs, e.home);
        if (e.helps_other) help_blocking(&g->slabs, e.other);
    }
    sim_end(&e, op);
}

static void sim_run(const graph_ref *g, graph_op *op, graph_target *targets, uint64_t room)
{
    slab_table *vertex;
    bool found;
    op->invoked = sim_operation_begin();
    switch (op->kind) {
    case GRAPH_OP_FIND:
        found = graph_find(g, op->from, op->to, &op->old);
        op->outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        break;
    case GRAPH_OP_LIST: op->target_count = (uint32_t)list_targets(g, op->from, targets, room); break;
    case GRAPH_OP_PUT_VERTEX:
        vertex = graph_vertex_or_create(g, op->from);
        op->outcome = vertex ? sim_put_vertex(vertex) : HISTORY_NOT_APPLIED;
        break;
    case GRAPH_OP_FIND_VERTEX:
        found = graph_vertex_is_there(graph_vertex(g, op->from));
        op->outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        break;
    case GRAPH_OP_DEGREE:
        vertex = graph_vertex(g, op->from);
        op->old = vertex ? slab_load(port_load(&vertex->load)) : 0;
        break;
    default: sim_update(g, op);
    }
    op->returned = sim_operation_end(1);
}

static bool sim_by_itself(const graph_ref *g, graph_op *op)
{
    graph_edge e = sim_edge(op);
    bool done = !edge_begin(g, &e);
    if (!done) sim_put_ends(g, &e, op);
    for (unsigned step = 0; !done && step < MOST_STEPS_ALONE; step++) done = edge_update(g, &e) == SLAB_DONE;
    sim_end(&e, op);
    return done;
}

#if SLAB_VALUES
const sim_dictionary VARIANT_NAME(sim_dictionary) = {&ops, sim_finish};
#endif

const graph_variant VARIANT_NAME(SLAB_EXPORT(sim_graph)) = {
    .values = SLAB_VALUES,
    .segment_log = GRAPH_SEGMENT_LOG,
    .vertex = vertex_of,
    .table = table_of,
    .id = id_of,
    .come_and_go = come_and_go,
    .dictionary = &VARIANT_NAME(sim_dictionary),
    .hash = sim_hash_of,
    .run = sim_run,
    .alone = sim_by_itself,
    .recycle = sim_recycle,
    .finish = sim_finish,
    .ops = &ops,
};
