/* skiplist/skiplist_update.h - put, add, erase: find the key's slot in the bottom chunk and, if something must change,
 * latch the chunk as it was seen and change it. Structural work in the levels above may follow
 * (skiplist_restructure.h). Included by skiplist.h. */

#include "../level/level_update.h"

PORT_FN level_step insert_here(map_thread map, update_op *update, map_node *node, uint64_t header)
{
    unsigned count = header_count(header);
    map_pair pair = pair_of(update->cursor.target, update->value);
    if (count < NODE_CAPACITY) {
        pair_store(node, count, pair);
        unlatch(node, header_next(header, count + 1));
        update->outcome = PLEACH_INSERTED;
        return STEP_DONE;
    }
    map_pair made = chunk_split(map, update->cursor.node, header, pair);
    if (pair_node(made) == NODE_NONE) return STEP_DONE; /* not applied */
    update->outcome = PLEACH_INSERTED;
    if (pair_is_link(made)) return STEP_DONE; /* the new chunk stays LOW */
    update->separator = made;
    return STEP_RESTRUCTURE;
}

PORT_FN level_step erase_here(update_op *update, map_node *node, const chunk_view *look)
{
    unsigned last = header_count(look->header) - 1;
    if (look->slot != last) pair_store(node, look->slot, look->last);
    unlatch(node, header_next(look->header, last));
    update->outcome = PLEACH_ERASED;
    return last < CHUNK_FEW ? STEP_RESTRUCTURE : STEP_DONE;
}

/* The chunk is latched and still as it was seen, because its version has not changed. */
PORT_FN level_step change_here(map_thread map, update_op *update, map_node *node, const chunk_view *look, bool present)
{
    if (!present) return insert_here(map, update, node, look->header);
    update->old = look->pair.value;
    if (update->kind == OP_ERASE) return erase_here(update, node, look);
    pair_store(node, look->slot, pair_of(update->cursor.target, update->value));
    unlatch(node, header_next(look->header, header_count(look->header)));
    update->outcome = PLEACH_REPLACED;
    return STEP_DONE;
}

PORT_FN level_step update_bottom(map_thread map, update_op *update)
{
    map_node *node = node_at(map, update->cursor.node);
    chunk_view look;
    node_answer answer = chunk_look(node, update->cursor.target, &look, true);
    bool present = answer == NODE_FOUND;
    if (present && update->kind == OP_ADD) {
        update->old = look.pair.value;
        update->outcome = PLEACH_EXISTS;
        return STEP_DONE;
    }
    if (answer == NODE_ABSENT && update->kind == OP_ERASE) {
        update->outcome = PLEACH_ABSENT;
        return STEP_DONE;
    }
    if (answer == NODE_CHANGED) return STEP_AGAIN;
    if (answer == NODE_RIGHT) {
        /* Not while a split of this chunk is unfinished: a find may still hit pairs here that have moved. */
        port_validate_fence();
        if (header_load(node) != look.header) return STEP_AGAIN;
        cursor_right(map, &update->cursor, look.pair);
        return STEP_MOVED;
    }
    look.last = look.pair;
    if (update->kind == OP_ERASE) look.last = pair_load(node, header_count(look.header) - 1);
    if (!port_latch(&node->word[HEADER_WORD], look.header, look.header | HEADER_LATCHED)) return STEP_AGAIN;
    return change_here(map, update, node, &look, present);
}

PORT_FN level_step update_step(map_thread map, update_op *update)
{
    if (update->cursor.level > 0) return cursor_descend(map, &update->cursor);
    return update_bottom(map, update);
}
