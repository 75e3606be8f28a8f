/* graph/graph_vertex.h - the vertex with an id, and how one comes to be. Included before SLAB_VALUES is set, because
 * the dictionary of a sparse graph is a map whatever its edges are.
 *
 * INVARIANTS   of a sparse graph
 *   G6  An id has a number if the dictionary says so, and only then; no number has two ids. The number's name is that
 *       id, since before the dictionary said so.
 *   G7  Numbers below state->numbers that no id has are free: each is once among the state->free_numbers.
 *
 * WHO MAY RUN TOGETHER   everything but graph_forget, which only others of its kind run beside: a number that is free
 *                        stays so until somebody who was alone is done. So whoever has a vertex keeps it.
 * LINEARIZATION POINTS   an id comes with the dictionary's; so it does not come twice, and no number is taken in vain:
 *                        it is taken under the latch of the id's bucket.
 */
#ifndef PLEACH_GRAPH_VERTEX_H
#define PLEACH_GRAPH_VERTEX_H

#include "graph_format.h"

#undef PLEACH_KEY_BITS
#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#include "../hash/slabhash_kind.h"
#undef SLAB_VALUES
#undef PLEACH_KEY_BITS

/* GRAPH_NO_VERTEX: the id has none. Out of line, and without the address of what the caller has in registers: dense
 * graphs have no use for it. */
PORT_COLD uint32_t graph_number(void *slabs, slab_seed seed, const slab_table *dictionary, uint32_t id)
{
    slab_place place;
    uint32_t number = 0;
    place.runs.pool = NULL;
    place.runs.runs = NULL;
    place.runs.nodes = slabs;
    place.runs.node_bytes = SLAB_BYTES;
    place.runs.stripe = 0;
    place.seed = seed;
    place.load_of_keys = 0;
    return find_to_end_map32(&place, dictionary, id, &number) ? number : GRAPH_NO_VERTEX;
}

/* NULL: nobody has put it there. */
PORT_FN slab_table *graph_vertex(const graph_place *g, uint32_t id)
{
    uint32_t number = id;
    if (g->names) {
        number = graph_number(g->slabs.runs.nodes, g->slabs.seed, &g->state->dictionary, id);
        if (number == GRAPH_NO_VERTEX) return NULL;
    }
    return graph_table(g, number);
}

/* ---- new ids of a sparse graph ---- */

PORT_FN void graph_store_name(const graph_place *g, uint32_t number, uint32_t id)
{
    uint64_t *name = graph_name(g, number);
    port_store(name, port_load(name) >> 32 << 32 | id);
}

/* A number for this id, with its name. False: there is no memory for it. PROGRESS: a swap that fails has been overtaken
 * by somebody's who has a number now. */
PORT_FN bool graph_take_number(const graph_place *g, uint32_t id, uint32_t *number)
{
    for (;;) {
        uint64_t numbers = port_load(&g->state->numbers), spare = port_load(&g->state->free_numbers);
        *number = (uint32_t)numbers;
        if (spare) {
            *number = (uint32_t)(port_load(graph_name(g, (uint32_t)spare - 1)) >> 32);
            if (!port_compare_swap(&g->state->free_numbers, spare, spare - 1)) continue;
        } else {
            uint64_t segment = numbers >> GRAPH_SEGMENT_LOG;
            if (numbers == GRAPH_NO_VERTEX) return false;
            if ((!port_load(&g->names[segment]) || !port_load(&g->directory[segment])) &&
                !graph_make_segment(g, *number))
                return false;
            if (!port_compare_swap(&g->state->numbers, numbers, numbers + 1)) continue;
        }
        graph_store_name(g, *number, id);
        return true;
    }
}

/* One try. Who has found under the latch that the id is not there takes a number for it. */
PORT_FN slab_step graph_try_id(const graph_place *g, slab_change_map32 *c)
{
    slab_table *dictionary = &g->state->dictionary;
    if (change_look_map32(&g->slabs, dictionary, c) != SLAB_DONE) return SLAB_AGAIN;
    if (c->in_first && !change_alters_map32(c)) return change_unaltered_map32(dictionary, c);
    if (change_latch_map32(&g->slabs, dictionary, c) != SLAB_DONE) return SLAB_AGAIN;
    if (change_prepare_map32(&g->slabs, dictionary, c) != SLAB_DONE) return SLAB_AGAIN;
    if (c->outcome == SLAB_INSERTED && !graph_take_number(g, c->pair.key, &c->pair.value)) {
        change_abandon_map32(&g->slabs, c);
        c->outcome = SLAB_NOT_APPLIED;
        return SLAB_DONE;
    }
    change_commit_map32(&g->slabs, dictionary, c);
    return SLAB_DONE;
}

/* The vertex with an id, which gets a number if it has none. NULL: there is no memory for it. */
PORT_COLD slab_table *graph_vertex_named(const graph_place *g, uint32_t id)
{
    slab_change_map32 c;
    unsigned attempt = 0;
    change_begin_map32(&c, SLAB_ADD, id, 0);
    while (port_between_tries(graph_try_id(g, &c)) != SLAB_DONE) slab_update_pause(attempt++);
    if (c.helps) help_to_end_map32(&g->slabs, &g->state->dictionary);
    if (c.outcome == SLAB_NOT_APPLIED) return NULL;
    return graph_table(g, c.outcome == SLAB_EXISTS ? c.old.value : c.pair.value);
}

/* The vertex, whether it is there or not. NULL: there is no memory for it. */
PORT_FN slab_table *graph_vertex_made(const graph_place *g, uint32_t id)
{
    slab_table *vertex = graph_vertex(g, id);
    if (vertex || g->no_segments) return vertex;
    if (g->names) return graph_vertex_named(g, id);
    return graph_make_segment(g, id) ? graph_vertex(g, id) : NULL;
}

/* ---- ids that go, by somebody who is alone ---- */

/* A number that no id has is free. */
PORT_FN void graph_give_number(const graph_place *g, uint32_t number)
{
    uint64_t spare = port_fetch_add(&g->state->free_numbers, 1);
    uint64_t *slot = graph_name(g, (uint32_t)spare);
    port_store(slot, (uint64_t)number << 32 | (uint32_t)port_load(slot));
}

/* Of a sparse graph: an id whose vertex has nothing any more. It needs no memory. */
PORT_FN void graph_forget(const graph_place *g, uint32_t id)
{
    slab_change_map32 c;
    change_begin_map32(&c, SLAB_ERASE, id, 0);
    update_to_end_map32(&g->slabs, &g->state->dictionary, &c);
    if (c.outcome == SLAB_ERASED) graph_give_number(g, c.old.value);
}

/* Ids that got a number, and for whose vertices there was no memory then. Who goes through all numbers asks of each;
 * afterwards it is free. */
PORT_FN void graph_forget_unused(const graph_place *g, uint32_t number)
{
    uint32_t id = graph_id(g, number);
    bool named = graph_number(g->slabs.runs.nodes, g->slabs.seed, &g->state->dictionary, id) == number;
    if (named && !graph_vertex_is_there(graph_table(g, number))) graph_forget(g, id);
}

#endif
