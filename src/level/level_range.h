/* level/level_range.h - the pairs of a closed interval, leaf by leaf; or only their number. Included by blink.h.
 * Each leaf is read at one instant; see LINEARIZATION POINTS. */

typedef struct range_op {
    level_cursor cursor; /* target: the smallest key not yet reported */
    map_key high;
    pair_sink sink; /* where pairs are reported to */
    uint64_t room;  /* pairs to report at most */
    uint64_t limit; /* pairs to count at most */
    uint64_t count;
} range_op;

/* Needs low <= high and limit > 0. keys and values may each be NULL: not reported. */
PORT_FN void range_start(map_ref map, range_op *range, map_key low, map_key high, uint64_t limit, uint64_t room,
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
/* The pairs are in no order: each goes to the place that those below it say. Without branches that no processor could
 * predict; a GPU's sink takes pairs in their order only. */
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
/* The pairs are in no order: the smallest, then the smallest above that, and so on. */
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
        if (from == 0) return; /* that was the largest key of all */
    }
}
#elif !defined(IMAGE_IN_REGISTERS)
/* The pairs that are wanted are neighbours. Those that find no room are counted. */
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

/* After a leaf with this link: puts the cursor on the next one, if the interval reaches there. */
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

PORT_FN level_step range_leaf(map_ref map, range_op *range)
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
    if (header_load(node) != header) return STEP_AGAIN; /* the image may be torn: nothing was reported yet */

    range_report(range, &image, header_count(header));
    return range_goes_on(range, link) ? STEP_MOVED : STEP_DONE;
}

PORT_FN level_step range_step(map_ref map, range_op *range)
{
    if (range->cursor.level > 0) return cursor_descend(map, &range->cursor);
    return range_leaf(map, range);
}
