/* graph/ids/dictionary_kind.h - lookup, insertion and removal of ids. Included after slabhash_blocking.h, for the
 * dictionary's kind: by dictionary.c, by dictionary.h for kernels, and by the simulator's variant. */

/* Returns the number of an id, or GRAPH_NO_VERTEX if it has none. Not inlined, and not passed the address of what the
 * caller has in registers, because dense graphs do not use it. */
GRAPH_IDS_COLD uint32_t graph_internal_id(void *slabs, slab_seed seed, const slab_table *dictionary, uint32_t id)
{
    slab_ref place;
    uint32_t number = 0;
    place.runs.pool = NULL;
    place.runs.runs = NULL;
    place.runs.nodes = slabs;
    place.runs.node_bytes = SLAB_BYTES;
    place.runs.stripe = 0;
    place.seed = seed;
    place.load_of_keys = 0;
    return find_blocking(&place, dictionary, id, &number) ? number : GRAPH_NO_VERTEX;
}

/* One attempt. A thread that finds under the latch that the id is absent allocates a number for it. */
PORT_FN slab_step graph_try_id(const graph_ref *g, slab_change *c)
{
    slab_table *dictionary = &g->state->dictionary;
    if (change_look(&g->slabs, dictionary, c) != SLAB_DONE) return SLAB_AGAIN;
    if (c->in_first && !change_alters(c)) return change_unaltered(dictionary, c);
    if (change_latch(&g->slabs, dictionary, c) != SLAB_DONE) return SLAB_AGAIN;
    if (change_prepare(&g->slabs, dictionary, c) != SLAB_DONE) return SLAB_AGAIN;
    if (c->outcome == PLEACH_INSERTED && !graph_alloc_internal_id(g, c->pair.key, &c->pair.value)) {
        change_abandon(&g->slabs, c);
        c->outcome = PLEACH_NOT_APPLIED;
        return SLAB_DONE;
    }
    change_commit(&g->slabs, dictionary, c);
    return SLAB_DONE;
}

/* Returns the vertex with an id, which is assigned a number if it has none. Returns NULL if there is no memory. */
GRAPH_IDS_COLD slab_table *graph_vertex_named(const graph_ref *g, uint32_t id)
{
    slab_change c;
    unsigned attempt = 0;
    change_begin(&c, OP_ADD, id, 0);
    while (port_retry_point(graph_try_id(g, &c)) != SLAB_DONE) slab_update_pause(attempt++);
    if (c.helps) help_blocking(&g->slabs, &g->state->dictionary);
    if (c.outcome == PLEACH_NOT_APPLIED) return NULL;
    return graph_table(g, c.outcome == PLEACH_EXISTS ? c.old.value : c.pair.value);
}

/* ---- removing ids: exclusive ---- */

/* Removes an id whose vertex has nothing any more. Allocates nothing. */
GRAPH_IDS_FN void graph_remove_id(const graph_ref *g, uint32_t id)
{
    slab_change c;
    change_begin(&c, OP_ERASE, id, 0);
    update_blocking(&g->slabs, &g->state->dictionary, &c);
    if (c.outcome == PLEACH_ERASED) graph_give_number(g, c.old.value);
}

/* Removes the id with this number if it was assigned, but memory was lacking for its vertex. To find all such ids, call
 * it for each number; the number may be free afterwards. */
GRAPH_IDS_FN void graph_forget_unused(const graph_ref *g, uint32_t number)
{
    uint32_t id = graph_id(g, number);
    bool named = graph_internal_id(g->slabs.runs.nodes, g->slabs.seed, &g->state->dictionary, id) == number;
    if (named && !graph_vertex_is_there(graph_table(g, number))) graph_remove_id(g, id);
}
