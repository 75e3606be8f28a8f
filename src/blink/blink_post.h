/* blink/blink_post.h - posts the separator of a split one level up; if the node there is full too, it is split and its
 * separator posted in turn. The key whose insert caused the split is already in the map. Included by blink.h. */

typedef struct post_op {
    level_cursor cursor; /* target: the separator */
    uint32_t child;
    uint32_t level;   /* on which the pair must be inserted */
} post_op;

/* `parent` is the node of that level through which the update descended, or NODE_NONE. Its low key is at or below the
 * separator, so the node that must take the pair is `parent` or to the right of it. */
PORT_FN void post_start(map_thread map, post_op *post, map_pair separator, uint32_t level, uint32_t parent)
{
    post->child = pair_node(separator);
    post->level = level;
    cursor_start(map, &post->cursor, separator.key);
    if (parent == NODE_NONE) return;
    post->cursor.node = parent;
    post->cursor.level = level;
}

/* Puts a root with two children above the old root. If another thread has done so, descends from that root. */
PORT_FN level_step post_above_root(map_thread map, post_op *post)
{
    if (!port_compare_swap(&map.tree->root_latch, 0, 1)) return STEP_AGAIN;
    uint64_t root = port_load(&map.tree->root);
    if ((root >> 32) >= post->level) {
        port_store_release(&map.tree->root_latch, 0);
        cursor_to_root(&post->cursor, root);
        return STEP_MOVED;
    }
    uint32_t id = pool_alloc(&map.tree->pool, map.nodes, sizeof(map_node), map.stripe, 0);
    if (id != NODE_NONE) {
        map_node *node = node_at(map, id);
        pair_store(node, 0, pair_of(0, (map_key)(uint32_t)root));
        slots_pad(node, 1, pair_of(post->cursor.target, post->child));
        port_store(&node->word[HEADER_WORD], header_first(post->level, 2));
        port_store_release(&map.tree->root, (uint64_t)post->level << 32 | id);
    } else {
        port_fetch_add(&map.tree->unposted, 1);
    }
    port_store_release(&map.tree->root_latch, 0);
    return STEP_DONE;
}

PORT_FN level_step post_here(map_thread map, post_op *post)
{
    uint64_t header;
    map_pair link;
    level_step step = latch_covering(map, &post->cursor, &header, &link);
    if (step != STEP_DONE) return step;
    map_node *node = node_at(map, post->cursor.node);
    unsigned count = header_count(header);
    unsigned at = slots_rank(node, count, post->cursor.target);
    map_pair pair = pair_of(post->cursor.target, post->child);
    if (count < NODE_CAPACITY) {
        slots_open(node, at, count);
        pair_store(node, at, pair);
        if (at == count && !pair_is_link(link)) slots_pad(node, count + 1, pair); /* I4: the new last pair */
        unlatch(node, header_next(header, count + 1));
        return STEP_DONE;
    }
    map_pair separator = split(map, post->cursor.node, header, at, pair);
    if (pair_node(separator) == NODE_NONE) {
        port_fetch_add(&map.tree->unposted, 1); /* I5: still reachable through its left neighbour */
        return STEP_DONE;
    }
    post_start(map, post, separator, post->level + 1, NODE_NONE);
    return STEP_MOVED;
}

PORT_FN level_step post_step(map_thread map, post_op *post)
{
    if (post->cursor.level > post->level) return cursor_descend(map, &post->cursor);
    if (post->cursor.level == post->level) return post_here(map, post);
    return post_above_root(map, post);
}
