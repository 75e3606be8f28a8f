/* level/level_range.h - reports or counts the pairs of a closed interval, leaf by leaf. Included by blink.h. Each leaf
 * is read at one instant; see LINEARIZATION POINTS. */

typedef struct range_op {
    level_cursor cursor; /* target: the smallest key not yet reported */
    map_key high;
    pair_sink sink; /* where pairs are reported */
    uint64_t room;  /* report up to this many pairs */
    uint64_t limit; /* count up to this many pairs */
    uint64_t count;
} range_op;

/* Needs low <= high and limit > 0. keys and values may each be NULL and are then not reported. */
PORT_FN void range_start(map_thread map, range_op *range, map_key low, map_key high, uint64_t limit, uint64_t room,
                         map_key *keys, map_key *values)
{
    range->high = high;
    sink_open(&range->sink, keys, values);
    range->room = room;
    range->limit = limit;
    range->count = 0;
    cursor_start(map, &range->cursor, low);
}

#if defined(BLINK_SKIPLIST) && !defined(IMAGE_IN_REGISTERS)
/* The pairs are unordered: the position of each is the number of smaller ones. Branch-free, because no processor could
 * predict the branches. Not used on a GPU, whose sink takes pairs in ascending order only. */
PORT_FN void range_report(range_op *range, const node_image *image, unsigned count)
{
    map_pair pairs[NODE_CAPACITY];
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        pairs[n] = image->pair[i];
        n += pairs[n].key >= range->cursor.target && pairs[n].key <= range->high;
    }
    uint64_t most = range->limit < range->room ? range->limit : range->room;
    for (unsigned i = 0; i < n; i++) {
        unsigned below = 0;
        for (unsigned k = 0; k < n; k++) below += pairs[k].key < pairs[i].key;
        if (range->count + below < most) sink_put(&range->sink, range->count + below, pairs[i]);
    }
    range->count = range->limit - range->count > n ? range->count + n : range->limit;
}
#elif defined(BLINK_SKIPLIST)
/* The pairs are unordered: selects the smallest, then the smallest above that, and so on. */
PORT_FN void range_report(range_op *range, const node_image *image, unsigned count)
{
    map_key from = range->cursor.target;
    for (unsigned n = 0; n < count && range->count < range->limit; n++) {
        map_pair least = pair_of(0, 0);
        bool found = false;
        PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) {
            map_pair pair = image->pair[i];
            bool wanted = i < count && pair.key >= from && pair.key <= range->high;
            if (wanted && (!found || pair.key < least.key)) least = pair;
            found |= wanted;
        }
        if (!found) return;
        if (range->count < range->room) sink_put(&range->sink, range->count, least);
        range->count++;
        from = least.key + 1;
        if (from == 0) return; /* least.key was the largest possible key */
    }
}
#elif !defined(IMAGE_IN_REGISTERS)
/* The pairs in the interval are contiguous. Those for which there is no room are counted. */
PORT_FN void range_report(range_op *range, const node_image *image, unsigned count)
{
    unsigned from = image_rank(image, count, range->cursor.target);
    uint64_t n = image_rank_through(image, count, range->high) - from;
    if (n > range->limit - range->count) n = range->limit - range->count;
    uint64_t room = range->count < range->room ? range->room - range->count : 0;
    sink_run(&range->sink, range->count, image, from, (unsigned)(n < room ? n : room));
    range->count += n;
}
#else
PORT_FN void range_report(range_op *range, const node_image *image, unsigned count)
{
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        map_pair pair = image->pair[i];
        bool wanted = i < count && pair.key >= range->cursor.target && pair.key <= range->high;
        if (!wanted || range->count >= range->limit) continue;
        if (range->count < range->room) sink_put(&range->sink, range->count, pair);
        range->count++;
    }
}
#endif

/* Called after a leaf with this link. If the interval goes on, moves the cursor to the next leaf and returns true. */
PORT_FN bool range_goes_on(range_op *range, map_pair link)
{
    level_cursor *cursor = &range->cursor;
    if (!pair_is_link(link) || link.key > range->high || range->count >= range->limit) {
        sink_close(&range->sink, range->count < range->room ? range->count : range->room);
        return false;
    }
    cursor->target = link.key;
    cursor->low = link.key;
    cursor->node = pair_node(link);
    cursor->side_steps = 0;
    return true;
}

PORT_FN level_step range_leaf(map_thread map, range_op *range)
{
    level_cursor *cursor = &range->cursor;
    const map_node *node = node_at(map, cursor->node);
    node_image image;
    map_pair link;
    uint64_t header = node_end(node, &link);
    if (header & HEADER_LATCHED) return STEP_AGAIN;
    if (belongs_right(link, cursor->target)) {
        cursor_right(map, cursor, link);
        return STEP_MOVED;
    }
    node_read(node, &image);
    port_validate_fence();
    if (header_load(node) != header) return STEP_AGAIN; /* the image may be torn; nothing was reported yet */

    range_report(range, &image, header_count(header));
    return range_goes_on(range, link) ? STEP_MOVED : STEP_DONE;
}

PORT_FN level_step range_step(map_thread map, range_op *range)
{
    if (range->cursor.level > 0) return cursor_descend(map, &range->cursor);
    return range_leaf(map, range);
}
