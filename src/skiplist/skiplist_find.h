/* skiplist/skiplist_find.h - find and contains: lock-free. Included by skiplist.h. */

/* The result of an unlatched lookup in a bottom chunk. */
typedef struct chunk_view {
    uint64_t header; /* as loaded before the slots */
    map_pair pair;   /* the key's pair if slot < NODE_SLOTS, otherwise the link */
    map_pair last;   /* set for an erase */
    unsigned slot;
} chunk_view;

/* Returns FOUND, ABSENT or RIGHT as node_lookup does. Returns CHANGED if the chunk has changed meanwhile, or if it is
 * latched and the caller will need the latch (`to_latch`); the caller must retry. */
PORT_FN node_answer chunk_look(const map_node *node, map_key key, chunk_view *look, bool to_latch)
{
    look->header = port_load_acquire(&node->word[HEADER_WORD]);
    if (to_latch && look->header & HEADER_LATCHED) return NODE_CHANGED; /* many may wait here: read one word only */
    look->slot = node_scan(node, header_count(look->header), key, &look->pair);
    bool hit = look->slot < NODE_SLOTS;
    map_pair link;
    if (PAIR_IS_ATOMIC && hit) {
        port_validate_fence(); /* later operations of this thread see no older state than this one did */
        /* The slot may have ceased to count since, and an insert may have stored its pair there, which does not count
         * yet: other readers would still find the key absent. */
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

PORT_FN void find_start(map_thread map, find_op *find, map_key key) { cursor_start(map, &find->cursor, key); }

PORT_FN level_step find_step(map_thread map, find_op *find)
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
    if (!PAIR_IS_ATOMIC) return STEP_AGAIN; /* wait for a writer */
    port_fetch_add(&map.tree->restarts, 1);
    return STEP_MOVED; /* another operation made progress: no reason to wait */
}
