/* skiplist/skiplist_split.h - splits a full bottom chunk into two. Included by skiplist.h. */

/* Returns the smallest key of the right part of `image` with `pair` inserted: number `left`, from 0, of all keys. */
PORT_FN map_key split_at(const node_image *image, map_pair pair, unsigned left)
{
    map_key separator = pair.key;
    for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        map_key key = image->pair[i].key;
        unsigned rank = pair.key < key;
        PORT_UNROLL for (unsigned j = 0; j < NODE_CAPACITY; j++) rank += image->pair[j].key < key;
        if (rank == left) separator = key;
    }
    return separator;
}

/* Copies the pairs of the right part to a chunk that no other thread can reach. Returns their number. */
PORT_FN unsigned fill_right(map_node *fresh, const node_image *image, map_pair pair, map_key separator)
{
    unsigned count = 0;
    for (unsigned i = 0; i < NODE_CAPACITY; i++)
        if (image->pair[i].key >= separator) pair_store(fresh, count++, image->pair[i]);
    if (pair.key >= separator) pair_store(fresh, count++, pair);
    return count;
}

/* Moves the pairs that stay to the first `left` slots, into the slots of pairs that have moved out. A pair that stays
 * is not overwritten in its old slot, so that a reader that uses the old count finds it there. */
PORT_FN void close_left(map_node *node, const node_image *image, map_pair pair, map_key separator, unsigned left)
{
    unsigned next = left; /* pairs to move down are in this slot or a later one */
    for (unsigned hole = 0; hole < left; hole++) {
        if (image->pair[hole].key < separator) continue;
        while (next < NODE_CAPACITY && image->pair[next].key >= separator) next++;
        pair_store(node, hole, next < NODE_CAPACITY ? image->pair[next] : pair);
        next++;
    }
}

/* Splits a full bottom chunk, inserts `pair`, and releases the latch. The caller holds the latch; `header` is the
 * header from before. Returns (separator, new chunk). If no chunk can be allocated, the returned value is NODE_NONE,
 * nothing is changed, and the latch is released too. */
PORT_COLD map_pair chunk_split(map_thread map, uint32_t id, uint64_t header, map_pair pair)
{
    map_node *node = node_at(map, id);
    uint32_t right = take_chunk(map);
    if (right == NODE_NONE) {
        unlatch(node, header);
        return pair_of(0, NODE_NONE);
    }
    node_image image;
    node_read(node, &image);
    map_pair link = pair_load(node, NODE_LINK_SLOT);
    unsigned below = 0;
    for (unsigned i = 0; i < NODE_CAPACITY; i++) below += image.pair[i].key < pair.key;
    /* At the end of the list keep the old chunk full, so that ascending input fills its chunks. */
    bool appending = below == NODE_CAPACITY && !pair_is_link(link);
    unsigned left = appending ? NODE_CAPACITY : NODE_CAPACITY / 2;
    map_key separator = split_at(&image, pair, left);
    map_node *fresh = node_at(map, right);
    unsigned count = fill_right(fresh, &image, pair, separator);
    pair_store(fresh, NODE_LINK_SLOT, link);
    unsigned state = is_raised(map, right, separator, 0) ? CHUNK_RAISING : CHUNK_LOW;
    port_store(&fresh->word[HEADER_WORD], header_first(chunk_bits(0, state), count));
    port_publish_fence(); /* the new chunk is there before anything names it */
    pair_store(node, NODE_LINK_SLOT, link_to(separator, right));
    port_publish_fence(); /* what moves is found behind the link before it is overwritten here */
    if (!appending) close_left(node, &image, pair, separator, left);
    unlatch(node, header_next(header, left));
    return pair_of(separator, state == CHUNK_RAISING ? right : right | NODE_LINK);
}
