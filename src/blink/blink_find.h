/* blink/blink_find.h - find and contains. Included by blink.h, once per key width. */

typedef struct W(find) {
    W(cursor) cursor;
    W(key) value;
    bool found;
} W(find);

PORT_FN void W(find_start)(W(blink) map, W(find) *find, W(key) key) { W(cursor_start)(map, &find->cursor, key); }

/* Linearized inside node_lookup. A hit: at the first load of the header, or at the writer's store of the pair if that
 * came later. A miss: at any instant between the two loads of the header. The argument is in blink.h. */
PORT_FN blink_step W(find_step)(W(blink) map, W(find) *find)
{
    if (find->cursor.level > 0) return W(cursor_descend)(map, &find->cursor);
    W(pair) pair;
    switch (W(node_lookup)(W(node_at)(map, find->cursor.node), find->cursor.target, &pair)) {
    case NODE_FOUND:
        find->found = true;
        find->value = pair.value;
        return BLINK_DONE;
    case NODE_ABSENT:
        find->found = false;
        return BLINK_DONE;
    case NODE_RIGHT:
        W(cursor_right)(map, &find->cursor, pair);
        return BLINK_MOVED;
    case NODE_CHANGED:
        break;
    }
    return BLINK_AGAIN;
}
