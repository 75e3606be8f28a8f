/* skiplist/skiplist_find.h - find and contains: lock-free. Included by skiplist.h. */

/* What an unlatched look at a bottom chunk has found. */
typedef struct chunk_view {
    uint64_t header; /* from before */
    map_pair pair;   /* the key's, if slot < NODE_SLOTS; else the link */
    map_pair last;   /* for an erase */
    unsigned slot;
} chunk_view;

/* FOUND, ABSENT, RIGHT: as node_lookup answers. CHANGED: the chunk has changed meanwhile, or is latched and whoever
 * asks will need the latch; look again. */
PORT_FN node_answer chunk_look(const map_node *node, map_key key, chunk_view *look, bool to_latch)
{
    look->header = port_load_acquire(&node->word[HEADER_WORD]);
    if (to_latch && look->header & HEADER_LATCHED) return NODE_CHANGED; /* many may wait here: they read one word */
    look->slot = node_scan(node, header_count(look->header), key, &look->pair);
    bool hit = look->slot < NODE_SLOTS;
    map_pair link;
    if (PAIR_IS_ATOMIC && hit) {
        port_validate_fence(); /* this thread's later operations see no older state than this one did */
        /* The slot may have ceased to count since, and an insert have put its pair there, which does not count yet:
         * others would still answer that the key is absent. */
        return look->slot < header_count(header_load(node)) ? NODE_FOUND : NODE_CHANGED;
    }
    uint64_t header = node_last(node, &link);
    if (!PAIR_IS_ATOMIC && (header != look->header || header & HEADER_LATCHED)) return NODE_CHANGED;
    if (hit) return NODE_FOUND;
    look->pair = link;
    if (pair_is_link(link) && key >= link.key) return NODE_RIGHT;
    return (header ^ look->header) & ~HEADER_LATCHED ? NODE_CHANGED : NODE_ABSENT;
}

typedef struct find_op {
    level_cursor cursor;
    map_key value;
    bool found;
} find_op;

PORT_FN void find_start(map_ref map, find_op *find, map_key key) { cursor_start(map, &find->cursor, key); }

PORT_FN level_step find_step(map_ref map, find_op *find)
{
    if (find->cursor.level > 0) return cursor_descend(map, &find->cursor);
    chunk_view look;
    switch (chunk_look(node_at(map, find->cursor.node), find->cursor.target, &look, false)) {
    case NODE_FOUND:
        find->found = true;
        find->value = look.pair.value;
        return STEP_DONE;
    case NODE_ABSENT:
        find->found = false;
        return STEP_DONE;
    case NODE_RIGHT:
        cursor_right(map, &find->cursor, look.pair);
        return STEP_MOVED;
    case NODE_CHANGED:
        break;
    }
    if (!PAIR_IS_ATOMIC) return STEP_AGAIN; /* a writer is to be waited for */
    port_fetch_add(&map.tree->restarts, 1);
    return STEP_MOVED; /* somebody got on: no reason to wait */
}
