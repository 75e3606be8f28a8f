/* versioned/versioned_read.h - queries at a snapshot. Include after versioned.h.
 *
 * The descent uses the inner nodes as they are now: they only lead to leaves, which are never removed. It ends at the
 * leaf that covers the key now. The version chain of that leaf contains the version that covered the key at the
 * snapshot's time: a leaf has covered all its keys since it was created, and before that they were covered by the leaf
 * from which it was split, whose versions are in the same chain. High key and link come from that version.
 */

/* A leaf as a snapshot shows it. */
typedef struct snapshot_leaf {
    node_image image;
    map_pair link;
    unsigned count;
} snapshot_leaf;

/* Reads the newest version with since <= at, from old version `id` on. It is constant while the snapshot lives (V3). */
PORT_FN void read_older(map_thread map, uint32_t id, uint64_t at, snapshot_leaf *leaf)
{
    while (port_load(&map.versions->record[id].since) > at) {
        id = (uint32_t)port_load(&map.versions->record[id].older);
        port_validate_fence(); /* a version that was cut may lead to a newer one: read that one completely */
    }
    const map_node *node = node_at(map, id);
    node_read(node, &leaf->image);
    leaf->link = pair_load(node, NODE_LINK_SLOT);
    leaf->count = header_count(header_load(node));
}

/* Reads the leaf under the cursor as snapshot `at` shows it. Returns DONE, or MOVED or AGAIN as in any step. */
PORT_FN level_step read_leaf_at(map_thread map, level_cursor *cursor, uint64_t at, snapshot_leaf *leaf)
{
    const map_node *node = node_at(map, cursor->node);
    const version_record *record = &map.versions->record[cursor->node];
    uint64_t header = node_end(node, &leaf->link);
    if (header & HEADER_LATCHED) return STEP_AGAIN;
    if (belongs_right(leaf->link, cursor->target)) {
        cursor_right(map, cursor, leaf->link);
        return STEP_MOVED;
    }
    uint64_t since = port_load(&record->since);
    uint32_t older = (uint32_t)port_load(&record->older);
    bool newest = since <= at;
    if (newest) node_read(node, &leaf->image);
    leaf->count = header_count(header);
    port_validate_fence();
    if (header_load(node) != header) return STEP_AGAIN; /* record and image belong to this header */
    if (!newest) read_older(map, older, at, leaf);
    return STEP_DONE;
}

/* The pairs of a closed interval at one instant. */
typedef struct snapshot_range_op {
    range_op range; /* started with range_start */
    uint64_t at;
} snapshot_range_op;

PORT_FN level_step snapshot_range_step(map_thread map, snapshot_range_op *past)
{
    range_op *range = &past->range;
    snapshot_leaf leaf;
    if (range->cursor.level > 0) return cursor_descend(map, &range->cursor);
    level_step step = read_leaf_at(map, &range->cursor, past->at, &leaf);
    if (step != STEP_DONE) return step;
    range_report(range, &leaf.image, leaf.count);
    return range_goes_on(range, leaf.link) ? STEP_MOVED : STEP_DONE;
}

/* The nearest key at or above, or at or below, a given key, or that key itself. One walk: the past does not change. */
typedef struct snapshot_seek_op {
    level_cursor cursor;
    map_pair answer;
    uint64_t at;
    bool up, found;
    bool exact; /* a find: only the key itself counts, and only its own leaf can have it */
} snapshot_seek_op;

PORT_FN void snapshot_seek_start(map_thread map, snapshot_seek_op *seek, uint64_t at, map_key from, bool up)
{
    seek->at = at;
    seek->up = up;
    seek->exact = false;
    cursor_start(map, &seek->cursor, from);
}

/* There is no link to the left, so the walk descends again for the key just below the leaf's low key. It may find the
 * same version again, which reached further right at the snapshot's time; the target key has become smaller. */
PORT_FN level_step snapshot_seek_step(map_thread map, snapshot_seek_op *seek)
{
    level_cursor *cursor = &seek->cursor;
    snapshot_leaf leaf;
    if (cursor->level > 0) return cursor_descend(map, cursor);
    level_step step = read_leaf_at(map, cursor, seek->at, &leaf);
    if (step != STEP_DONE) return step;
    seek->found = image_nearest(&leaf.image, leaf.count, cursor->target, seek->up, &seek->answer);
    if (seek->exact) seek->found = seek->found && seek->answer.key == cursor->target;
    bool ends = seek->up ? !pair_is_link(leaf.link) : cursor->low == 0;
    if (seek->found || seek->exact || ends) return STEP_DONE;
    if (seek->up) {
        cursor->target = cursor->low = leaf.link.key;
        cursor->node = pair_node(leaf.link);
        cursor->side_steps = 0;
    } else {
        cursor_start(map, cursor, cursor->low - 1);
    }
    return STEP_MOVED;
}
