/* skiplist/skiplist_raise.h - inserts the pair that leads to a chunk into the level above, and removes it. Called by
 * the thread that has made the chunk RAISING. Included by skiplist.h. */

/* Changes RAISING to `state`, in one access. Returns false if the chunk is latched at the moment. */
PORT_FN bool set_state(map_thread map, uint32_t id, unsigned state)
{
    uint64_t *word = &node_at(map, id)->word[HEADER_WORD], header = port_load(word);
    if (header & HEADER_LATCHED) return false;
    return port_latch(word, header, header_with_state(header, state) + HEADER_VERSION_ONE);
}

/* Returns true if the cursor is on `level`. Otherwise the caller must continue the descent towards it. */
PORT_FN bool on_level(level_cursor *cursor, uint32_t level)
{
    if (cursor->level < level) { /* searches do not begin that high yet */
        cursor_to_root(cursor, skiplist_root(level));
        return true;
    }
    return cursor->level == level;
}

/* Makes searches begin on this level. The level's head is latched, as it is when the level is found empty, so the two
 * cannot conflict. If the compare-and-swap fails, another thread has raised the root. */
PORT_FN void begin_at(map_thread map, uint32_t level)
{
    for (;;) {
        uint64_t root = port_load(&map.tree->root);
        if (root >> 32 >= level || port_compare_swap(&map.tree->root, root, skiplist_root(level))) return;
    }
}

/* Splits a full upper chunk, as chunk_split does a bottom one. */
PORT_COLD map_pair upper_split(map_thread map, uint32_t id, uint64_t header, unsigned at, map_pair pair)
{
    map_node *node = node_at(map, id);
    uint32_t right = take_chunk(map);
    if (right == NODE_NONE) {
        unlatch(node, header);
        return pair_of(0, NODE_NONE);
    }
    unsigned level = chunk_level(header);
    map_pair link = pair_load(node, NODE_LINK_SLOT);
    bool last = !pair_is_link(link), appending = at == NODE_CAPACITY && last;
    unsigned left = appending ? NODE_CAPACITY : NODE_CAPACITY / 2, count = NODE_CAPACITY + 1 - left;
    map_node *fresh = node_at(map, right);
    for (unsigned i = 0; i < count; i++) pair_store(fresh, i, slot_with(node, at, pair, left + i));
    slots_pad(fresh, count, last ? slot_with(node, at, pair, NODE_CAPACITY) : link);
    map_key separator = slot_with(node, at, pair, left).key;
    unsigned state = is_raised(map, right, separator, level) ? CHUNK_RAISING : CHUNK_LOW;
    port_store(&fresh->word[HEADER_WORD], header_first(chunk_bits(level, state), count));
    port_publish_fence(); /* the new chunk is there before anything names it */
    if (at < left) {
        slots_open(node, at, left - 1);
        pair_store(node, at, pair);
    }
    slots_pad(node, left, link_to(separator, right));
    unlatch(node, header_next(header, left));
    return pair_of(separator, state == CHUNK_RAISING ? right : right | NODE_LINK);
}

/* Inserts `pair` into the upper chunk under the cursor, if that covers its key. DONE: it was inserted, and *made is the
 * separator of a split with the new chunk, or NODE_NONE. REFUSED: no memory for a split. */
PORT_FN level_step raise_here(map_thread map, level_cursor *cursor, map_pair pair, map_pair *made)
{
    uint64_t header;
    map_pair link;
    *made = pair_of(0, NODE_NONE);
    level_step step = latch_covering(map, cursor, &header, &link);
    if (step != STEP_DONE) return step;
    map_node *node = node_at(map, cursor->node);
    unsigned count = header_count(header), at = slots_rank(node, count, pair.key);
    if (count == NODE_CAPACITY) {
        *made = upper_split(map, cursor->node, header, at, pair);
        return pair_node(*made) == NODE_NONE ? STEP_REFUSED : STEP_DONE;
    }
    slots_open(node, at, count);
    pair_store(node, at, pair);
    if (at == count && !pair_is_link(link)) slots_pad(node, count + 1, pair);
    uint32_t level = chunk_level(header);
    if (cursor->node == skiplist_head(level)) begin_at(map, level);
    unlatch(node, header_next(header, count + 1));
    return STEP_DONE;
}

/* Removes the key's pair from the upper chunk under the cursor. Returns DONE if it was removed, and REFUSED if it is the
 * first pair, which a search that comes to this chunk may need. *left is the number of pairs that remain. */
PORT_FN level_step lower_here(map_thread map, level_cursor *cursor, unsigned *left)
{
    uint64_t header;
    map_pair link;
    level_step step = latch_covering(map, cursor, &header, &link);
    if (step != STEP_DONE) return step;
    map_node *node = node_at(map, cursor->node);
    unsigned count = header_count(header), at = slots_rank(node, count, cursor->target);
    if (at == 0) {
        *left = count;
        unlatch(node, header);
        return STEP_REFUSED;
    }
    for (unsigned i = at; i + 1 < count; i++) pair_store(node, i, pair_load(node, i + 1));
    bool last = !pair_is_link(link);
    slots_pad(node, count - 1, last ? pair_load(node, count - 2) : link); /* no copy of it stays */
    *left = count - 1;
    uint32_t level = chunk_level(header);
    if (cursor->node == skiplist_head(level) && *left == 1 && last && level > 1)
        port_compare_swap(&map.tree->root, skiplist_root(level), skiplist_root(level - 1));
    unlatch(node, header_next(header, *left));
    return STEP_DONE;
}
