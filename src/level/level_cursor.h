/* level/level_cursor.h - the way down. Included by blink.h. */

/* What a step answers. MOVED: visit the next node. AGAIN: a latch or a writer was in the way; the same node once more,
 * after others had a turn. DONE: the operation has its result. SPLIT: it has, and leaves a separator to post. KEEP, in
 * maps with versions: an update has latched its leaf, and must go on with update_keeping at once. In a skiplist: TEND
 * is what SPLIT is here, and REFUSED, of a part of an operation, that it could not be done. */
typedef enum level_step {
    STEP_MOVED,
    STEP_AGAIN,
    STEP_DONE,
    STEP_SPLIT,
    STEP_COPY,
    STEP_RESTRUCTURE,
    STEP_REFUSED
} level_step;

/* Steps to the right before the first fresh descent. In a skiplist not every chunk can be reached from above. */
#ifdef BLINK_SKIPLIST
enum { BLINK_PATIENCE = 1024 };
#else
enum { BLINK_PATIENCE = 4 };
#endif

/* One agent's handle on a map. */
typedef struct map_ref {
    blink_tree *tree;
    void *nodes;
    unsigned stripe; /* spreads counters and free lists over agents; any number */
#ifdef BLINK_VERSIONED
    const struct versions *versions;
    epoch_participant *agent; /* who acts, for what it retires and reuses; NULL: somebody who has no bag */
#endif
#ifdef BLINK_SKIPLIST
    epoch_participant *agent; /* who acts, for what it retires; NULL: nobody, who never merges chunks */
    uint64_t raise;     /* of 2^32 new chunks, how many are entered on the level above */
#endif
} map_ref;

/* Where an operation stands: it wants the node on its level that covers target. low is the low key of `node`. */
typedef struct level_cursor {
    map_key target;
    map_key low;
    uint32_t node;
    uint32_t level;
    uint32_t parent; /* the inner node that led to this level, or NODE_NONE */
    uint32_t side_steps;
    uint32_t patience;
} level_cursor;

PORT_FN map_node *node_at(map_ref map, uint32_t id)
{
    return (map_node *)pool_address(map.nodes, id, sizeof(map_node));
}

PORT_FN void cursor_to_root(level_cursor *cursor, uint64_t root)
{
    cursor->node = (uint32_t)root;
    cursor->level = (uint32_t)(root >> 32);
    cursor->low = 0;
    cursor->parent = NODE_NONE;
    cursor->side_steps = 0;
}

/* An older root will do: it is the leftmost node of its level, and all of that level is reachable from it. */
PORT_FN void cursor_start(map_ref map, level_cursor *cursor, map_key target)
{
    cursor->target = target;
    cursor->patience = BLINK_PATIENCE;
    cursor_to_root(cursor, port_load_cached(&map.tree->root));
}

/* To the right neighbour. Many steps on one level mean that this agent reads old images, or that splitters have not
 * posted yet: descend again with nothing cached, and be four times as patient then, so that a long row of unposted
 * nodes is walked in the end. */
PORT_FN void cursor_right(map_ref map, level_cursor *cursor, map_pair link)
{
    if (++cursor->side_steps <= cursor->patience) {
        cursor->node = pair_node(link);
        cursor->low = link.key;
        return;
    }
    port_invalidate_cached();
#ifdef BLINK_SKIPLIST
    port_fetch_add(&map.tree->restarts, 1);
#endif
    if (cursor->patience < UINT32_MAX / 4) cursor->patience *= 4;
    cursor_to_root(cursor, port_load(&map.tree->root));
}

/* By a pair of the inner node under the cursor: down, or right. */
PORT_FN void cursor_follow(map_ref map, level_cursor *cursor, map_pair pair)
{
    if (pair_is_link(pair)) {
        cursor_right(map, cursor, pair);
        return;
    }
    cursor->parent = cursor->node;
    cursor->node = pair_node(pair);
    cursor->low = pair.key;
    cursor->level--;
}

/* Visits the inner node under the cursor. */
PORT_FN level_step cursor_descend(map_ref map, level_cursor *cursor)
{
    map_pair pair;
    if (!node_route(node_at(map, cursor->node), cursor->target, &pair)) return STEP_AGAIN;
    cursor_follow(map, cursor, pair);
    return STEP_MOVED;
}

PORT_FN bool belongs_right(map_pair link, map_key key) { return pair_is_link(link) && key >= link.key; }
