/* level/level_update.h - an update of a tree or a skiplist. */

/* outcome and old are set when the leaf is updated. If that splits the leaf, `separator` is (separator, new node), and
 * the update step returns SPLIT or, in a skiplist, RESTRUCTURE: a post operation, or structural work, must follow. If a
 * skiplist's chunk is underfull, it returns RESTRUCTURE too, and the separator's node is NODE_NONE. */
typedef struct update_op {
    level_cursor cursor; /* target: the key */
    map_key value;
    map_key old;
    map_pair separator;
    op_kind kind;
    pleach_outcome outcome;
#ifdef BLINK_VERSIONED
    uint64_t latched; /* after COPY: the leaf's header from before it was latched */
#endif
} update_op;

PORT_FN void update_start(map_thread map, update_op *update, op_kind kind, map_key key, map_key value)
{
    update->value = value;
    update->old = 0;
    update->kind = kind;
    update->outcome = PLEACH_NOT_APPLIED;
    update->separator = pair_of(0, NODE_NONE);
    cursor_start(map, &update->cursor, key);
}
