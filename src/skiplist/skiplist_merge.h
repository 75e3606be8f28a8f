/* skiplist/skiplist_merge.h - merges a chunk's right neighbour into it. Included by skiplist.h. */

/* Both chunks are latched, header and right_header are their headers from before, and the pairs fit. On return the left
 * chunk is unlatched and the right one is a zombie. */
PORT_FN void merge_bottom(map_thread map, uint32_t left_id, uint64_t header, uint32_t right_id, uint64_t right_header)
{
    map_node *left = node_at(map, left_id), *right = node_at(map, right_id);
    unsigned count = header_count(header), more = header_count(right_header);
    for (unsigned i = 0; i < more; i++) pair_store(left, count + i, pair_load(right, i));
    uint64_t between = header_next(header, count + more);
    /* The pairs must count in the left chunk before readers are led past the right one. */
    port_store_release(&left->word[HEADER_WORD], between | HEADER_LATCHED);
    map_pair link = pair_load(right, NODE_LINK_SLOT);
    port_publish_fence();
    pair_store(left, NODE_LINK_SLOT, link);
    port_publish_fence(); /* no reader is sent back to the left chunk before it can find everything there */
    pair_store(right, NODE_LINK_SLOT, link_to(0, left_id));
    unlatch(right, header_with_state(header_next(right_header, 0), CHUNK_ZOMBIE));
    unlatch(left, header_next(between, count + more));
}

/* The same for upper levels. All slots of the zombie name the left chunk before its pairs can be removed there. */
PORT_FN void merge_upper(map_thread map, uint32_t left_id, uint64_t header, uint32_t right_id, uint64_t right_header)
{
    map_node *left = node_at(map, left_id), *right = node_at(map, right_id);
    unsigned count = header_count(header), more = header_count(right_header);
    map_pair link = pair_load(right, NODE_LINK_SLOT); /* or a copy of the last pair */
    for (unsigned i = 0; i < more; i++) pair_store(left, count + i, pair_load(right, i));
    slots_pad(left, count + more, link);
    port_publish_fence();
    slots_pad(right, 0, link_to(0, left_id));
    unlatch(right, header_with_state(header_next(right_header, 0), CHUNK_ZOMBIE));
    unlatch(left, header_next(header, count + more));
}

/* Returns true if two neighbours can be merged. If one of them is empty, that cannot make the other too full. */
PORT_FN bool pairs_fit(uint64_t header, uint64_t right_header)
{
    unsigned count = header_count(header), more = header_count(right_header);
    return count == 0 || more == 0 || count + more <= CHUNK_MUCH;
}

/* Merges `right` into the chunk under the cursor, which covers the key just below `right`'s low key. This thread has
 * made `right` RAISING, and its pair above has been removed. Returns DONE if it was merged and retired; the two had
 * *pairs pairs. Returns REFUSED if they have too many by now or the participant's bag is full; `right` is then
 * unchanged. */
PORT_FN level_step merge_here(map_thread map, level_cursor *cursor, uint32_t right_id, unsigned *pairs)
{
    uint64_t header;
    map_pair link;
    level_step step = latch_covering(map, cursor, &header, &link);
    if (step != STEP_DONE) return step;
    map_node *left = node_at(map, cursor->node), *right = node_at(map, right_id);
    uint64_t *word = &right->word[HEADER_WORD], right_header = port_load(word);
    if (right_header & HEADER_LATCHED || !port_latch(word, right_header, right_header | HEADER_LATCHED)) {
        unlatch(left, header);
        return STEP_AGAIN;
    }
    *pairs = header_count(header) + header_count(right_header);
    if (!pairs_fit(header, right_header) || !epoch_retire(map.agent, right_id)) {
        unlatch(right, right_header);
        unlatch(left, header);
        return STEP_REFUSED;
    }
    if (chunk_level(header) == 0)
        merge_bottom(map, cursor->node, header, right_id, right_header);
    else
        merge_upper(map, cursor->node, header, right_id, right_header);
    return STEP_DONE;
}

/* Tests whether chunk `id` can merge with its right neighbour. Returns DONE if the neighbour was made RAISING: *right
 * is the link to it, and *raised tells whether it has a pair above. Returns AGAIN if another thread is working on one
 * of them, and REFUSED if they cannot merge. */
PORT_FN level_step merge_look(map_thread map, uint32_t id, map_pair *right, bool *raised)
{
    uint64_t header = node_end(node_at(map, id), right);
    if (header & HEADER_LATCHED) return STEP_AGAIN;
    if (!pair_is_link(*right)) return STEP_REFUSED;
    if (leads_back(header, *right)) return STEP_REFUSED; /* else its left neighbour would be put where it ends */
    uint64_t *word = &node_at(map, pair_node(*right))->word[HEADER_WORD], there = port_load(word);
    unsigned state = chunk_state(there);
    *raised = state == CHUNK_RAISED;
    if (!pairs_fit(header, there)) return STEP_REFUSED;
    if (there & HEADER_LATCHED || (state != CHUNK_RAISED && state != CHUNK_LOW)) return STEP_AGAIN;
    bool claimed = port_latch(word, there, header_with_state(there, CHUNK_RAISING) + HEADER_VERSION_ONE);
    return claimed ? STEP_DONE : STEP_AGAIN;
}
