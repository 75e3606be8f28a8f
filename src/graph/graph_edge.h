/* graph/graph_edge.h - inserting, erasing and finding edges. The algorithm is written once for CPU threads and GPU
 * threads, and compiled for one kind of graph at a time (slabhash_kind.h): with 32-bit values, or without. Include
 * after graph_vertex.h.
 *
 * A directed edge (u, v) is the key v in u's table. An undirected edge is that key, and also the key u in v's table.
 * Its home is the half in the table of the smaller id. That half decides whether the edge exists and what its value is.
 *
 * INVARIANTS
 *   G1  No vertex is its own neighbour.
 *   G2  Undirected: while no update is in progress, either both halves of an edge exist, with the same value, or none.
 *   G3  A thread that changes an undirected edge holds the latches of both buckets, from before the first half changes.
 *   G4  The endpoints of every edge are existing vertices.
 *   G5  A vertex's load counts its neighbours. The stripes add up to the number of edges, and to that of vertices.
 *
 * CONCURRENCY   All functions here may run concurrently. Erasing vertices requires exclusive access.
 * LINEARIZATION POINTS   Those of the hash table, at the edge's home. An update that finds nothing to change only
 *                        searches there. A thread that lists the neighbours of the other endpoint may see the edge
 *                        slightly earlier or later.
 * PROGRESS   No thread waits while it holds a latch: a thread that does not get the second latch releases the first and
 *            retries. A thread that holds both waits for no other thread.
 */
#include "../hash/slabhash.h"
#include "../hash/slabhash_blocking.h"

typedef struct graph_edge {
    op_kind kind;
    uint32_t from, to;
    slab_key value;               /* the value to put */
    slab_key old;                 /* the previous value, if the outcome implies one */
    pleach_outcome outcome;
    slab_table *home, *other;     /* the tables of the endpoints, home first */
    bool helps_home, helps_other; /* these tables are growing: move some buckets */
    bool brief;                   /* fast path only: the caller does not move buckets */
} graph_edge;

/* Finds the tables. Returns false if there is nothing to do; the outcome is then final. */
PORT_FN bool edge_begin(const graph_ref *g, graph_edge *e)
{
    bool swapped = !g->directed && e->to < e->from, erases = e->kind == OP_ERASE;
    uint32_t home = swapped ? e->to : e->from, other = swapped ? e->from : e->to;
    e->home = erases ? graph_vertex(g, home) : graph_vertex_or_create(g, home);
    e->other = erases ? graph_vertex(g, other) : graph_vertex_or_create(g, other);
    e->helps_home = e->helps_other = e->brief = false;
    e->outcome = erases ? PLEACH_ABSENT : PLEACH_NOT_APPLIED;
    return e->home && e->other;
}

PORT_FN void edge_copy(graph_edge *to, const graph_edge *from)
{
    to->kind = from->kind;
    to->from = from->from;
    to->to = from->to;
    to->value = from->value;
    to->old = 0;
    to->outcome = from->outcome;
    to->home = from->home;
    to->other = from->other;
    to->helps_home = from->helps_home;
    to->helps_other = from->helps_other;
    to->brief = false;
}

PORT_FN void edge_half(const graph_ref *g, const graph_edge *e, bool at_home, slab_change *c)
{
    bool from_is_home = g->directed || e->from < e->to;
    change_begin(c, e->kind, at_home == from_is_home ? e->to : e->from, e->value);
    c->brief = e->brief;
}

/* Latches the other half of an undirected edge whose home is latched and prepared. If this returns SLAB_AGAIN or
 * SLAB_NEEDS_SLOW_PATH, nothing is latched any more. */
PORT_FN slab_step edge_latch_other(const graph_ref *g, const graph_edge *e, slab_change *home,
                                   slab_change *other)
{
    edge_half(g, e, false, other);
    other->known_absent = home->outcome == PLEACH_INSERTED; /* both halves change under the latch of the first (G2, G3) */
    slab_step step = change_look(&g->slabs, e->other, other);
    if (step == SLAB_DONE && defer_to_slow_path(other)) step = SLAB_NEEDS_SLOW_PATH;
    if (step == SLAB_DONE) step = change_latch(&g->slabs, e->other, other);
    if (step == SLAB_DONE) return SLAB_DONE;
    change_abandon(&g->slabs, home);
    home->first = NULL;
    return step;
}

/* Commits both halves, which must be prepared. */
PORT_FN slab_step edge_commit(const graph_ref *g, graph_edge *e, slab_change *home, slab_change *other)
{
    change_commit(&g->slabs, e->other, other);
    change_commit(&g->slabs, e->home, home);
    e->outcome = home->outcome;
    e->old = home->old.value;
    return SLAB_DONE;
}

PORT_FN slab_step edge_commit_home(const graph_ref *g, graph_edge *e, slab_change *home)
{
    change_commit(&g->slabs, e->home, home);
    e->outcome = home->outcome;
    e->old = home->old.value;
    return SLAB_DONE;
}

/* The slow path, with both halves latched. */
PORT_COLD slab_step edge_other_slow_path(const graph_ref *g, graph_edge *e, slab_change *home,
                                         slab_change *other)
{
    slab_step step = change_prepare(&g->slabs, e->other, other);
    e->helps_other |= other->helps;
    if (step != SLAB_DONE || other->outcome == PLEACH_NOT_APPLIED) {
        if (step == SLAB_DONE) change_abandon(&g->slabs, other);
        change_abandon(&g->slabs, home);
        e->outcome = PLEACH_NOT_APPLIED;
        return step;
    }
    return edge_commit(g, e, home, other);
}

/* The slow path, with the home latched. */
PORT_COLD slab_step edge_slow_path(const graph_ref *g, graph_edge *e, slab_change *home)
{
    slab_step step = change_prepare(&g->slabs, e->home, home);
    e->helps_home |= home->helps;
    if (step != SLAB_DONE) return SLAB_AGAIN;
    if (!change_alters(home)) return edge_commit_home(g, e, home);
    slab_change other;
    if (edge_latch_other(g, e, home, &other) != SLAB_DONE) return SLAB_AGAIN;
    return edge_other_slow_path(g, e, home, &other);
}

/* One attempt for a directed edge, which is one key of one table. */
PORT_FN slab_step edge_one_way(const graph_ref *g, graph_edge *e)
{
    slab_change c;
    edge_half(g, e, true, &c);
    slab_step step = slab_update(&g->slabs, e->home, &c);
    e->helps_home |= c.helps;
    e->outcome = c.outcome;
    e->old = c.old.value;
    return step;
}

/* One attempt for an undirected edge that touches only the first slabs of two buckets, as most updates do. Returns
 * SLAB_NEEDS_SLOW_PATH if this one needs more. Its home is then latched, unless home->first == NULL; and if *both, so
 * is its other half. */
PORT_FN slab_step edge_in_first(const graph_ref *g, graph_edge *e, slab_change *home, slab_change *other,
                                bool *both)
{
    *both = false;
    edge_half(g, e, true, home);
    if (change_look(&g->slabs, e->home, home) != SLAB_DONE) return SLAB_AGAIN;
    if (home->in_first && !change_alters(home)) {
        e->outcome = home->outcome;
        e->old = home->old.value;
        return change_unaltered(e->home, home);
    }
    if (defer_to_slow_path(home)) return SLAB_NEEDS_SLOW_PATH;
    if (change_latch(&g->slabs, e->home, home) != SLAB_DONE) return SLAB_AGAIN;
    e->helps_home |= home->helps;
    if (!fits_fast_path(home)) return SLAB_NEEDS_SLOW_PATH;
    slab_step step = edge_latch_other(g, e, home, other);
    if (step != SLAB_DONE) return step;
    e->helps_other |= other->helps;
    *both = true;
    return fits_fast_path(other) ? edge_commit(g, e, home, other) : SLAB_NEEDS_SLOW_PATH;
}

/* One attempt. The endpoints must differ. For the reason for a slow path, and for copies, see slab_update. */
PORT_FN slab_step edge_update(const graph_ref *g, graph_edge *e)
{
    if (g->directed) return edge_one_way(g, e);
    slab_change home, other, far_home, far_other;
    bool both;
    slab_step step = edge_in_first(g, e, &home, &other, &both);
    if (step != SLAB_NEEDS_SLOW_PATH) return step;
    graph_ref far = *g;
    graph_edge edge;
    edge_copy(&edge, e);
    change_copy(&far_home, &home);
    if (both) {
        far_home.at = home.at;
        far_home.slot = home.slot;
        far_home.outcome = home.outcome;
        far_home.old.value = home.old.value;
        change_copy(&far_other, &other);
        step = edge_other_slow_path(&far, &edge, &far_home, &far_other);
    } else {
        step = edge_slow_path(&far, &edge, &far_home);
    }
    e->outcome = edge.outcome;
    e->old = edge.old;
    e->helps_home |= edge.helps_home;
    e->helps_other |= edge.helps_other;
    return step;
}

/* One attempt of the fast path only. Returns SLAB_NEEDS_SLOW_PATH if that does not suffice; nothing has changed then,
 * and nothing is latched. */
PORT_FN slab_step edge_update_fast_path(const graph_ref *g, graph_edge *e)
{
    slab_change home, other;
    bool both = false;
    slab_step step;
    e->brief = true;
    if (g->directed) {
        edge_half(g, e, true, &home);
        step = update_in_first(&g->slabs, e->home, &home);
        e->outcome = home.outcome;
        e->old = home.old.value;
    } else {
        step = edge_in_first(g, e, &home, &other, &both);
    }
    if (step != SLAB_NEEDS_SLOW_PATH) return step;
    if (both) change_abandon(&g->slabs, &other);
    change_abandon(&g->slabs, &home);
    return SLAB_NEEDS_SLOW_PATH;
}

PORT_FN slab_step edge_find(const graph_ref *g, uint32_t from, uint32_t to, bool *found, slab_key *value)
{
    bool swapped = !g->directed && to < from;
    const slab_table *home = graph_vertex(g, swapped ? to : from);
    *found = false;
    if (!home) return SLAB_DONE;
    return slab_find(&g->slabs, home, swapped ? from : to, found, value);
}
