/* batch/batch_query.h - ranges, counts, successors and predecessors in the middle of a batch: the old tree, overlaid
 * with what the batch's earlier operations do to their keys. Included by batch.h, once per key width. */

/* A key of the batch, by number, as it is just before the operation at `place`. */
PORT_FN W(batch_state) W(batch_state_at)(const W(batch) *b, uint32_t key, uint32_t place)
{
    uint32_t first = b->key_first[key], low = first, high = b->key_first[key + 1];
    while (low < high) { /* operations of one key ascend by place */
        uint32_t middle = low + (high - low) / 2;
        if (W(batch_place)(b, middle) < place)
            low = middle + 1;
        else
            high = middle;
    }
    W(batch_state) old = W(batch_old_state)(b, key);
    return low == first ? old : W(batch_apply)(b, b->op_link[low - 1].function, old);
}

PORT_FN W(key) W(batch_key_at)(const W(batch) *b, uint32_t key) { return b->op_key[b->key_first[key]]; }

/* Upwards through all that is there at one place of the batch. */
typedef struct W(batch_walk) {
    W(image) leaf;
    W(pair) link;
    unsigned slot, count;
    uint32_t key; /* the next one of the batch's */
    uint32_t place;
} W(batch_walk);

PORT_FN void W(batch_walk_enter)(const W(batch) *b, W(batch_walk) *walk, uint32_t id)
{
    const W(node) *node = W(node_at)(b->map, id);
    W(node_read)(node, &walk->leaf);
    walk->link = W(pair_load)(node, NODE_LINK_SLOT);
    walk->count = header_count(W(header_load)(node));
    walk->slot = 0;
}

/* From an operation's key on, or from the next key after it. */
PORT_FN void W(batch_walk_start)(const W(batch) *b, W(batch_walk) *walk, uint32_t op, bool after)
{
    uint32_t own = W(batch_key_of)(b, op);
    W(key) from = b->op_key[op];
    walk->place = W(batch_place)(b, op);
    walk->key = own + after;
    W(batch_walk_enter)(b, walk, b->key_node[own]);
    walk->slot = W(image_rank)(&walk->leaf, walk->count, from);
    if (after && walk->slot < walk->count && W(image_pair)(&walk->leaf, walk->slot).key == from) walk->slot++;
}

/* The next pair up to hi; false: there is none. */
PORT_FN bool W(batch_walk_next)(const W(batch) *b, W(batch_walk) *walk, W(key) hi, W(pair) *pair)
{
    for (;;) {
        while (walk->slot == walk->count && W(pair_is_link)(walk->link) && walk->link.key <= hi)
            W(batch_walk_enter)(b, walk, W(pair_node)(walk->link));
        bool has_old = walk->slot < walk->count, has_key = walk->key < b->sizes->keys;
        W(pair) old = W(image_pair)(&walk->leaf, walk->slot);
        W(key) key = has_key ? W(batch_key_at)(b, walk->key) : 0;
        if (has_key && key <= hi && (!has_old || key <= old.key)) {
            W(batch_state) state = W(batch_state_at)(b, walk->key++, walk->place);
            if (has_old && old.key == key) walk->slot++;
            if (!state.present) continue;
            *pair = W(pair_of)(key, state.value);
            return true;
        }
        if (!has_old || old.key > hi) return false;
        walk->slot++;
        *pair = old;
        return true;
    }
}

/* The largest key of the old map up to `from`. */
PORT_FN bool W(batch_old_floor)(const W(batch) *b, W(key) from, W(pair) *pair)
{
    W(seek) seek;
    W(seek_start)(b->map, &seek, from, false);
    while (W(seek_step)(b->map, &seek) != BLINK_DONE) {
    }
    *pair = seek.answer;
    return seek.found;
}

PORT_FN bool W(batch_pred)(const W(batch) *b, uint32_t op, W(pair) *pair)
{
    uint32_t key = W(batch_key_of)(b, op); /* those below are to be looked at */
    W(pair) old;
    if (b->op_key[op] == 0) return false;
    bool has_old = W(batch_old_floor)(b, b->op_key[op] - 1, &old);
    for (; key > 0; key--) {
        W(key) candidate = W(batch_key_at)(b, key - 1);
        if (has_old && old.key > candidate) break;
        W(batch_state) state = W(batch_state_at)(b, key - 1, W(batch_place)(b, op));
        *pair = W(pair_of)(candidate, state.value);
        if (state.present) return true;
        if (has_old && old.key == candidate) has_old = candidate > 0 && W(batch_old_floor)(b, candidate - 1, &old);
    }
    *pair = old;
    return has_old;
}

/* Query: the pairs of a range are only counted, or, when it is known where they go, written. */
PORT_FN void W(batch_range)(const W(batch) *b, uint32_t op, uint64_t limit, bool write)
{
    uint32_t place = W(batch_place)(b, op);
    W(key) hi = ((const W(key) *)b->r.values)[place];
    uint64_t count = 0;
    if (hi >= b->op_key[op]) {
        W(batch_walk) walk;
        W(pair) pair;
        W(batch_walk_start)(b, &walk, op, false);
        for (; count < limit && W(batch_walk_next)(b, &walk, hi, &pair); count++) {
            if (!write) continue;
            uint64_t to = b->r.offsets[place] + count;
            if (b->r.range_keys) ((W(key) *)b->r.range_keys)[to] = pair.key;
            if (b->r.range_values) ((W(key) *)b->r.range_values)[to] = pair.value;
        }
    }
    if (!write && b->r.counts) b->r.counts[place] = count;
}

PORT_FN void W(batch_seek)(const W(batch) *b, uint32_t op, bool up)
{
    uint32_t place = W(batch_place)(b, op);
    W(pair) pair = W(pair_of)(0, 0);
    bool found;
    if (up) {
        W(batch_walk) walk;
        W(batch_walk_start)(b, &walk, op, true);
        found = W(batch_walk_next)(b, &walk, KEY_MAX, &pair);
    } else {
        found = W(batch_pred)(b, op, &pair);
    }
    if (b->r.flags) b->r.flags[place] = found;
    if (found && b->r.out_keys) ((W(key) *)b->r.out_keys)[place] = pair.key;
    if (found && b->r.out_values) ((W(key) *)b->r.out_values)[place] = pair.value;
}

/* Counts are not among these: batch_count.h. */
PORT_FN void W(batch_query)(const W(batch) *b, uint32_t op)
{
    uint32_t kind = W(batch_kind)(b, op);
    if (kind == BATCH_SUCC || kind == BATCH_PRED) W(batch_seek)(b, op, kind == BATCH_SUCC);
    if (kind == BATCH_RANGE) W(batch_range)(b, op, b->r.limit ? b->r.limit : UINT64_MAX, false);
}

/* When the offsets are known. */
PORT_FN void W(batch_fill_range)(const W(batch) *b, uint32_t op)
{
    if (W(batch_kind)(b, op) == BATCH_RANGE) W(batch_range)(b, op, b->r.limit ? b->r.limit : UINT64_MAX, true);
}
