/* level/level_cursor.h - the descent from the root to the node of a level that covers a key. Included by blink.h. */

/* The result of a step. MOVED: visit the next node. AGAIN: a latch holder was in the way; the caller backs off and then
 * retries the same node. DONE: the operation has its result. SPLIT: it has its result, and a separator remains to be
 * posted. COPY, in maps with versions: an update has latched its leaf and must continue with update_keeping at once.
 * RESTRUCTURE takes the place of SPLIT in a skiplist. REFUSED, in a skiplist: a part of an operation cannot be done. */
typedef enum level_step {
    STEP_MOVED,
    STEP_AGAIN,
    STEP_DONE,
    STEP_SPLIT,
    STEP_COPY,
    STEP_RESTRUCTURE,
    STEP_REFUSED
} level_step;

/* Steps to the right on one level before a restart from the root. In a skiplist not all chunks have a pair above. */
#ifdef BLINK_SKIPLIST
enum { BLINK_PATIENCE = 1024 };
#else
enum { BLINK_PATIENCE = 4 };
#endif

/* One thread's handle on a map; see level_thread.h. It holds copies of what its steps read, because a step's stores
 * would make the compiler load them again through a pointer to the map_ref. */
typedef struct map_thread {
    blink_tree *tree;
    void *nodes;
    unsigned stripe; /* spreads counters and free lists over threads; any number */
#ifdef BLINK_VERSIONED
    const struct versions *versions;
    epoch_participant *agent; /* retires and reuses node ids; NULL: the thread has no bag */
#endif
#ifdef BLINK_SKIPLIST
    epoch_participant *agent; /* retires chunks; NULL: the thread never merges chunks */
    uint64_t raise;     /* of 2^32 new chunks, how many get a pair in the level above */
#endif
} map_thread;

/* An operation's position: it needs the node of its level that covers `target`. low is the low key of `node`. */
typedef struct level_cursor {
    map_key target;
    map_key low;
    uint32_t node;
    uint32_t level;
    uint32_t parent; /* the inner node from which the descent came to this level, or NODE_NONE */
    uint32_t side_steps;
    uint32_t patience;
} level_cursor;

PORT_FN map_node *node_at(map_thread map, uint32_t id)
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

/* A stale root is safe: it is the leftmost node of its level, from which the whole level is reachable. */
PORT_FN void cursor_start(map_thread map, level_cursor *cursor, map_key target)
{
    cursor->target = target;
    cursor->patience = BLINK_PATIENCE;
    cursor_to_root(cursor, port_load_cached(&map.tree->root));
}

/* Moves to the right neighbour. Many steps on one level mean that this thread reads stale nodes, or that splits have
 * not posted their separators yet. It then invalidates its cached data and descends again, with four times the
 * patience, so that even a long run of unposted nodes is walked to its end. */
PORT_FN void cursor_right(map_thread map, level_cursor *cursor, map_pair link)
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

/* Follows a pair of the inner node under the cursor: down, or to the right. */
PORT_FN void cursor_follow(map_thread map, level_cursor *cursor, map_pair pair)
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
PORT_FN level_step cursor_descend(map_thread map, level_cursor *cursor)
{
    map_pair pair;
    if (!node_route(node_at(map, cursor->node), cursor->target, &pair)) return STEP_AGAIN;
    cursor_follow(map, cursor, pair);
    return STEP_MOVED;
}

PORT_FN bool belongs_right(map_pair link, map_key key) { return pair_is_link(link) && key >= link.key; }
