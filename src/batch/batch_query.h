/* batch/batch_query.h - ranges, counts, successors and predecessors in the middle of a batch: the old tree, overlaid
 * with what the batch's earlier operations do to their keys. Included by batch.h.
 *
 * PATIENCE   A query steps one by one over keys of the batch that are absent at its position. After `patience` of them
 *            it gives up (it is tired). It is then retried with more patience, chosen so that all queries that have
 *            given up take a few steps for each operation of the batch together. If that does not suffice,
 *            batch_live.h is built, and queries skip absent keys. So n queries take n log n steps, and log n for each
 *            pair that they find, whatever the batch contains.
 */

/* Returns the state of a key of the batch, given by its number, just before the operation at `place`. */
PORT_FN batch_state batch_state_at(const batch_ref *b, uint32_t key, uint32_t place)
{
    uint32_t first = b->key_first[key], low = first, high = b->key_first[key + 1];
    while (low < high) { /* operations of one key ascend by position */
        uint32_t middle = low + (high - low) / 2;
        if (batch_place(b, middle) < place)
            low = middle + 1;
        else
            high = middle;
    }
    batch_state old = batch_old_state(b, key);
    return low == first ? old : batch_apply(b, b->op_link[low - 1].function, old);
}

/* Walks upwards through all pairs that are present at one position of the batch. */
typedef struct batch_walk {
    node_image leaf;
    map_pair link;
    unsigned slot, count;
    uint32_t key; /* the next key of the batch */
    uint32_t place;
    uint32_t patience, passed; /* absent keys: how many it may pass, and has passed */
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

/* Moves to a key of the batch, by its number, or just after it. */
PORT_FN void batch_walk_to(const batch_ref *b, batch_walk *walk, uint32_t key, bool after)
{
    map_key from = batch_key_at(b, key);
    walk->key = key + after;
    batch_walk_enter(b, walk, b->key_node[key]);
    walk->slot = image_rank(&walk->leaf, walk->count, from);
    if (after && walk->slot < walk->count && image_pair(&walk->leaf, walk->slot).key == from) walk->slot++;
}

/* Starts at an operation's key, or at the next key after it. */
PORT_FN void batch_walk_start(const batch_ref *b, batch_walk *walk, uint32_t op, bool after)
{
    walk->place = batch_place(b, op);
    walk->patience = b->patience;
    walk->passed = 0;
    walk->effort = batch_no_effort();
    batch_walk_to(b, walk, batch_key_of(b, op), after);
}

/* Called after an absent key was passed. Moves to the next key of the batch that is present, or to the next gap between
 * keys of the batch in which the old map has keys, whichever comes first. Returns false if there is neither, or if the
 * query has to give up. */
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

/* Sets *pair to the next pair up to hi. Returns false if there is none, or if the walk is tired. */
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

/* Sets *pair to the pair of the old map with the largest key <= `from`. Returns false if there is none. */
PORT_FN bool batch_old_floor(const batch_ref *b, map_key from, map_pair *pair)
{
    seek_op seek;
    seek_start(b->map, &seek, from, false);
    while (seek_step(b->map, &seek) != STEP_DONE) {
    }
    *pair = seek.answer;
    return seek.found;
}

/* The predecessor by skipping: the last key of the batch that is present, or the last key of the old map that the batch
 * does not name, whichever is larger. */
PORT_COLD bool batch_pred_skip(const batch_ref *b, uint32_t op, map_pair *pair, batch_effort *effort)
{
    effort->tired = b->live.levels == 0;
    if (effort->tired) return false;
    effort->steps += 2 * b->live.levels;
    uint32_t own = batch_key_of(b, op), place = batch_place(b, op); /* own > 0: some keys are below it */
    uint32_t live = batch_last_live(b, own, place), gap = batch_last_gap(b, own - 1);
    map_key end = batch_key_at(b, gap == BATCH_NO_KEY ? 0 : gap + 1);
    bool has_old = end > 0 && batch_old_floor(b, end - 1, pair);
    if (live == BATCH_NO_KEY || (has_old && pair->key > batch_key_at(b, live))) return has_old;
    *pair = pair_of(batch_key_at(b, live), batch_state_at(b, live, place).value);
    return true;
}

PORT_FN bool batch_pred(const batch_ref *b, uint32_t op, map_pair *pair, batch_effort *effort)
{
    uint32_t key = batch_key_of(b, op); /* the keys below this number are still to be checked */
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

/* Query: counts the pairs of a range or, once their positions in the output are known, writes them. */
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

/* Runs a query of any kind but counts (batch_count.h). A query that reports to be tired has no result and must be
 * retried. */
PORT_FN batch_effort batch_query(const batch_ref *b, uint32_t op)
{
    uint32_t kind = batch_kind(b, op);
    if (kind == OP_SUCC || kind == OP_PRED) return batch_seek(b, op, kind == OP_SUCC);
    if (kind == OP_RANGE) return batch_range(b, op, b->r.limit ? b->r.limit : UINT64_MAX, false);
    return batch_no_effort();
}

/* Writes the pairs of a range. Call it once the offsets are known, with the patience with which they were counted. */
PORT_FN batch_effort batch_fill_range(const batch_ref *b, uint32_t op)
{
    if (batch_kind(b, op) == OP_RANGE) return batch_range(b, op, b->r.limit ? b->r.limit : UINT64_MAX, true);
    return batch_no_effort();
}
