/* blink/blink_find.h - find and contains. Included by blink.h. */

typedef struct find_op {
    level_cursor cursor;
    map_key value;
    bool found;
} find_op;

PORT_FN void find_start(map_thread map, find_op *find, map_key key) { cursor_start(map, &find->cursor, key); }

/* Linearized inside node_lookup. A hit: at the first load of the header, or at the writer's store of the pair if that
 * came later. A miss: at any instant between the two loads of the header. The argument is in blink.h. */
PORT_FN level_step find_step(map_thread map, find_op *find)
{
    if (find->cursor.level > 0) return cursor_descend(map, &find->cursor);
    map_pair pair;
    switch (node_lookup(node_at(map, find->cursor.node), find->cursor.target, &pair)) {
    case NODE_FOUND:
        find->found = true;
        find->value = pair.value;
        return STEP_DONE;
    case NODE_ABSENT:
        find->found = false;
        return STEP_DONE;
    case NODE_RIGHT:
        cursor_right(map, &find->cursor, pair);
        return STEP_MOVED;
    case NODE_CHANGED:
        break;
    }
    return STEP_AGAIN;
}
