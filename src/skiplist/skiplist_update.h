/* skiplist/skiplist_update.h - put, add, erase: look at the bottom chunk; if there is something to change, latch
 * what was seen and change it. What is left to do after that, above, is tending (skiplist_restructure.h). Included by
 * skiplist.h, once per key width. */

typedef struct W(update) {
    W(cursor) cursor; /* target: the key */
    W(key) value;
    W(key) old;
    W(pair) separator; /* after TEND: of a split, with the new chunk; NODE_NONE: the chunk has become small */
    blink_kind kind;
    blink_outcome outcome;
} W(update);

PORT_FN void W(update_start)(W(blink) map, W(update) *update, blink_kind kind, W(key) key, W(key) value)
{
    update->value = value;
    update->old = 0;
    update->kind = kind;
    update->outcome = BLINK_NOT_APPLIED;
    update->separator = W(pair_of)(0, NODE_NONE);
    W(cursor_start)(map, &update->cursor, key);
}

PORT_FN blink_step W(insert_here)(W(blink) map, W(update) *update, W(node) *node, uint64_t header)
{
    unsigned count = header_count(header);
    W(pair) pair = W(pair_of)(update->cursor.target, update->value);
    if (count < NODE_CAPACITY) {
        W(pair_store)(node, count, pair);
        W(unlatch)(node, header_next(header, count + 1));
        update->outcome = BLINK_INSERTED;
        return BLINK_DONE;
    }
    W(pair) made = W(chunk_split)(map, update->cursor.node, header, pair);
    if (W(pair_node)(made) == NODE_NONE) return BLINK_DONE; /* not applied */
    update->outcome = BLINK_INSERTED;
    if (W(pair_is_link)(made)) return BLINK_DONE; /* the new chunk stays low */
    update->separator = made;
    return BLINK_TEND;
}

PORT_FN blink_step W(erase_here)(W(update) *update, W(node) *node, const W(look) *look)
{
    unsigned last = header_count(look->header) - 1;
    if (look->slot != last) W(pair_store)(node, look->slot, look->last);
    W(unlatch)(node, header_next(look->header, last));
    update->outcome = BLINK_ERASED;
    return last < CHUNK_FEW ? BLINK_TEND : BLINK_DONE;
}

/* The chunk is latched, and is as it was seen: the version has not moved. */
PORT_FN blink_step W(change_here)(W(blink) map, W(update) *update, W(node) *node, const W(look) *look, bool present)
{
    if (!present) return W(insert_here)(map, update, node, look->header);
    update->old = look->pair.value;
    if (update->kind == BLINK_ERASE) return W(erase_here)(update, node, look);
    W(pair_store)(node, look->slot, W(pair_of)(update->cursor.target, update->value));
    W(unlatch)(node, header_next(look->header, header_count(look->header)));
    update->outcome = BLINK_REPLACED;
    return BLINK_DONE;
}

PORT_FN blink_step W(update_bottom)(W(blink) map, W(update) *update)
{
    W(node) *node = W(node_at)(map, update->cursor.node);
    W(look) look;
    node_answer answer = W(chunk_look)(node, update->cursor.target, &look, true);
    bool present = answer == NODE_FOUND;
    if (present && update->kind == BLINK_ADD) {
        update->old = look.pair.value;
        update->outcome = BLINK_EXISTS;
        return BLINK_DONE;
    }
    if (answer == NODE_ABSENT && update->kind == BLINK_ERASE) {
        update->outcome = BLINK_ABSENT;
        return BLINK_DONE;
    }
    if (answer == NODE_CHANGED) return BLINK_AGAIN;
    if (answer == NODE_RIGHT) {
        /* Not while a split of this chunk is unfinished: a find may still hit what has moved here. */
        port_validate_fence();
        if (W(header_load)(node) != look.header) return BLINK_AGAIN;
        W(cursor_right)(map, &update->cursor, look.pair);
        return BLINK_MOVED;
    }
    look.last = look.pair;
    if (update->kind == BLINK_ERASE) look.last = W(pair_load)(node, header_count(look.header) - 1);
    if (!port_latch(&node->word[W(HEADER_WORD)], look.header, look.header | HEADER_LATCHED)) return BLINK_AGAIN;
    return W(change_here)(map, update, node, &look, present);
}

PORT_FN blink_step W(update_step)(W(blink) map, W(update) *update)
{
    if (update->cursor.level > 0) return W(cursor_descend)(map, &update->cursor);
    return W(update_bottom)(map, update);
}
