/* batch/batch_query.h - ranges, counts, successors and predecessors in the middle of a batch: the old tree, overlaid
 * with what the batch's earlier operations do to their keys. Included by batch.h.
 *
 * PATIENCE   A query steps over keys of the batch that are not there at its place, one by one. After `patience` of them
 *            it gives up, and is tried again with more patience, so much that all that have given up take a few steps
 *            for each operation of the batch together. If that does not do, batch_live.h is built, and they skip such
 *            keys. So n queries take n log n steps, and log n for each pair that they find, whatever is in the batch.
 */

/* A key of the batch, by number, as it is just before the operation at `place`. */
PORT_FN batch_state batch_state_at(const batch_ref *b, uint32_t key, uint32_t place)
{
    uint32_t first = b->key_first[key], low = first, high = b->key_first[key + 1];
    while (low < high) { /* operations of one key ascend by place */
        uint32_t middle = low + (high - low) / 2;
        if (batch_place(b, middle) < place)
            low = middle + 1;
        else
            high = middle;
    }
    batch_state old = batch_old_state(b, key);
    return low == first ? old : batch_apply(b, b->op_link[low - 1].function, old);
}

/* Upwards through all that is there at one place of the batch. */
typedef struct batch_walk {
    node_image leaf;
    map_pair link;
    unsigned slot, count;
    uint32_t key; /* the next one of the batch's */
    uint32_t place;
    uint32_t patience, passed; /* keys that are not there: so many may be passed by, and have been */
    batch_effort effort;
} batch_walk;

PORT_FN void batch_walk_enter(const batch_ref *b, batch_walk *walk, uint32_t id)
{
    const map_node *node = node_at(b->map, id);
    node_read(node, &walk->leaf);
    walk->link = pair_load(node, NODE_LINK_SLOT);
    walk->count = header_count(header_load(node));
    walk->slot = 0;
}

/* To a key of the batch, by number, or behind it. */
PORT_FN void batch_walk_to(const batch_ref *b, batch_walk *walk, uint32_t key, bool after)
{
    map_key from = batch_key_at(b, key);
    walk->key = key + after;
    batch_walk_enter(b, walk, b->key_node[key]);
    walk->slot = image_rank(&walk->leaf, walk->count, from);
    if (after && walk->slot < walk->count && image_pair(&walk->leaf, walk->slot).key == from) walk->slot++;
}

/* From an operation's key on, or from the next key after it. */
PORT_FN void batch_walk_start(const batch_ref *b, batch_walk *walk, uint32_t op, bool after)
{
    walk->place = batch_place(b, op);
    walk->patience = b->patience;
    walk->passed = 0;
    walk->effort = batch_no_effort();
    batch_walk_to(b, walk, batch_key_of(b, op), after);
}

/* A key that is not there has been passed by. To the next one that is, or to the next gap between keys of the batch
 * that has old ones in it, whichever comes first; false if the query has to give up. */
PORT_COLD bool batch_walk_skip(const batch_ref *b, batch_walk *walk)
{
    walk->effort.steps += walk->passed;
    walk->effort.tired = b->live.levels == 0;
    if (walk->effort.tired) return false;
    uint32_t keys = b->sizes->keys, gap = batch_next_gap(b, walk->key - 1);
    uint32_t live = walk->key < keys ? batch_next_live(b, walk->key, walk->place) : BATCH_NO_KEY;
    walk->effort.steps += 2 * b->live.levels;
    walk->patience = BATCH_SKIP_AFTER;
    walk->passed = 0;
    if (live == BATCH_NO_KEY && gap == BATCH_NO_KEY) return false;
    if (live <= gap)
        batch_walk_to(b, walk, live, false);
    else
        batch_walk_to(b, walk, gap, true);
    return true;
}

/* The next pair up to hi; false: there is none, or the walk has become tired. */
PORT_FN bool batch_walk_next(const batch_ref *b, batch_walk *walk, map_key hi, map_pair *pair)
{
    for (;;) {
        while (walk->slot == walk->count && pair_is_link(walk->link) && walk->link.key <= hi)
            batch_walk_enter(b, walk, pair_node(walk->link));
        bool has_old = walk->slot < walk->count, has_key = walk->key < b->sizes->keys;
        map_pair old = image_pair(&walk->leaf, walk->slot);
        map_key key = has_key ? batch_key_at(b, walk->key) : 0;
        if (has_key && key <= hi && (!has_old || key <= old.key)) {
            batch_state state = batch_state_at(b, walk->key++, walk->place);
            if (has_old && old.key == key) walk->slot++;
            if (!state.present) {
                if (walk->passed++ == walk->patience && !batch_walk_skip(b, walk)) return false;
                continue;
            }
            *pair = pair_of(key, state.value);
            return true;
        }
        if (!has_old || old.key > hi) return false;
        walk->slot++;
        *pair = old;
        return true;
    }
}

PORT_FN batch_effort batch_walk_effort(const batch_walk *walk)
{
    batch_effort effort = walk->effort;
    if (!effort.tired) effort.steps += walk->passed;
    return effort;
}

/* The largest key of the old map up to `from`. */
PORT_FN bool batch_old_floor(const batch_ref *b, map_key from, map_pair *pair)
{
    seek_op seek;
    seek_start(b->map, &seek, from, false);
    while (seek_step(b->map, &seek) != STEP_DONE) {
    }
    *pair = seek.answer;
    return seek.found;
}

/* The predecessor by skipping: the last key of the batch that is there, or the last key of the old map that the batch
 * does not name, whichever is larger. */
PORT_COLD bool batch_pred_skip(const batch_ref *b, uint32_t op, map_pair *pair, batch_effort *effort)
{
    effort->tired = b->live.levels == 0;
    if (effort->tired) return false;
    effort->steps += 2 * b->live.levels;
    uint32_t own = batch_key_of(b, op), place = batch_place(b, op); /* some are below it */
    uint32_t live = batch_last_live(b, own, place), gap = batch_last_gap(b, own - 1);
    map_key end = batch_key_at(b, gap == BATCH_NO_KEY ? 0 : gap + 1);
    bool has_old = end > 0 && batch_old_floor(b, end - 1, pair);
    if (live == BATCH_NO_KEY || (has_old && pair->key > batch_key_at(b, live))) return has_old;
    *pair = pair_of(batch_key_at(b, live), batch_state_at(b, live, place).value);
    return true;
}

PORT_FN bool batch_pred(const batch_ref *b, uint32_t op, map_pair *pair, batch_effort *effort)
{
    uint32_t key = batch_key_of(b, op); /* those below are to be looked at */
    map_pair old;
    if (b->op_key[op] == 0) return false;
    bool has_old = batch_old_floor(b, b->op_key[op] - 1, &old);
    for (; key > 0; key--) {
        map_key candidate = batch_key_at(b, key - 1);
        if (has_old && old.key > candidate) break;
        batch_state state = batch_state_at(b, key - 1, batch_place(b, op));
        *pair = pair_of(candidate, state.value);
        if (state.present) return true;
        if (effort->steps++ == b->patience) return batch_pred_skip(b, op, pair, effort);
        if (has_old && old.key == candidate) has_old = candidate > 0 && batch_old_floor(b, candidate - 1, &old);
    }
    *pair = old;
    return has_old;
}

/* Query: the pairs of a range are only counted, or, when it is known where they go, written. */
PORT_FN batch_effort batch_range(const batch_ref *b, uint32_t op, uint64_t limit, bool write)
{
    uint32_t place = batch_place(b, op);
    map_key hi = ((const map_key *)b->r.values)[place];
    uint64_t count = 0;
    batch_effort effort = batch_no_effort();
    if (hi >= b->op_key[op]) {
        batch_walk walk;
        map_pair pair;
        batch_walk_start(b, &walk, op, false);
        for (; count < limit && batch_walk_next(b, &walk, hi, &pair); count++) {
            if (!write) continue;
            uint64_t to = b->r.offsets[place] + count;
            if (b->r.range_keys) ((map_key *)b->r.range_keys)[to] = pair.key;
            if (b->r.range_values) ((map_key *)b->r.range_values)[to] = pair.value;
        }
        effort = batch_walk_effort(&walk);
    }
    if (!write && b->r.counts) b->r.counts[place] = count;
    return effort;
}

PORT_FN batch_effort batch_seek(const batch_ref *b, uint32_t op, bool up)
{
    uint32_t place = batch_place(b, op);
    map_pair pair = pair_of(0, 0);
    batch_effort effort = batch_no_effort();
    bool found;
    if (up) {
        batch_walk walk;
        batch_walk_start(b, &walk, op, true);
        found = batch_walk_next(b, &walk, KEY_MAX, &pair);
        effort = batch_walk_effort(&walk);
    } else {
        found = batch_pred(b, op, &pair, &effort);
    }
    if (effort.tired) return effort;
    if (b->r.flags) b->r.flags[place] = found;
    if (found && b->r.out_keys) ((map_key *)b->r.out_keys)[place] = pair.key;
    if (found && b->r.out_values) ((map_key *)b->r.out_values)[place] = pair.value;
    return effort;
}

/* Counts are not among these: batch_count.h. A query that is tired is to be asked again. */
PORT_FN batch_effort batch_query(const batch_ref *b, uint32_t op)
{
    uint32_t kind = batch_kind(b, op);
    if (kind == OP_SUCC || kind == OP_PRED) return batch_seek(b, op, kind == OP_SUCC);
    if (kind == OP_RANGE) return batch_range(b, op, b->r.limit ? b->r.limit : UINT64_MAX, false);
    return batch_no_effort();
}

/* When the offsets are known, with the patience that it took to count. */
PORT_FN batch_effort batch_fill_range(const batch_ref *b, uint32_t op)
{
    if (batch_kind(b, op) == OP_RANGE) return batch_range(b, op, b->r.limit ? b->r.limit : UINT64_MAX, true);
    return batch_no_effort();
}
