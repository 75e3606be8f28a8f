/* skiplist/skiplist_restructure.h - structural work left over from an update: insert a split's new chunk into the level
 * above, or merge an underfull chunk with a neighbour. The update has taken effect. Included by skiplist.h.
 *
 *     split      ->  RAISE  ->  MARK  ->  RAISE the new chunk of a split above  ->  ...
 *     underfull  ->  LOOK   ->  LOWER ->  MERGE  ->  VISIT what can be merged after that  ->  LOOK  ->  ...
 *                    LEFT   ->
 *
 * An underfull chunk merges its right neighbour into itself (LOOK). If that is not possible, it is merged into its left
 * neighbour (LEFT). If a chunk cannot be merged after all, its pair is inserted above again, or its old state is
 * restored. No thread waits for others for long: the next erase in a bottom chunk that still has pairs tries again. No
 * erase comes to an empty one, so an operation must be responsible for it:
 *
 *     a merge that leaves an empty chunk visits that chunk next
 *     a merge of upper chunks visits the boundary at the right one's first pair, where no merge was possible before
 *     a removed pair that leaves an upper chunk underfull: that is visited when the lower level is done
 *     an empty chunk that is the first in its upper chunk: that is visited if it is underfull, and LEFT follows for the
 *         left neighbour if that is empty too
 *     the end of a claim to a chunk that is empty by then visits it, because the erase that emptied it may have given
 *         up after RESTRUCTURE_TRIES tries
 *
 * So if no operation is running, an empty bottom chunk is a head or the first in its upper chunk, unless a chunk could
 * not be retired because a bag was full, or a writer was stopped while it had a neighbour latched. Every visit follows
 * a merge, a removed pair or a changed claim, and LEFT goes to lower keys, so the work ends.
 */
enum { RESTRUCTURE_TRIES = 8 }; /* to find a neighbour that no other thread is working on */

typedef enum restructure_stage {
    RESTRUCTURE_RAISE,
    RESTRUCTURE_MARK,
    RESTRUCTURE_VISIT,
    RESTRUCTURE_LOOK,
    RESTRUCTURE_LEFT,
    RESTRUCTURE_LOWER,
    RESTRUCTURE_MERGE
} restructure_stage;

/* Small, because a CPU thread interleaves many and copies them. */
typedef struct restructure_op {
    level_cursor cursor;
    map_pair about;   /* low key and id of a chunk that is RAISING, or, in LOOK and LEFT, underfull */
    map_pair next;    /* MARK: the same of a chunk to raise after it, or NODE_NONE */
    map_pair left;    /* LOWER, MERGE: the same of the left neighbour that it had earlier */
    map_pair left_of; /* after MARK: continue with LEFT for this underfull chunk, unless NODE_NONE */
    map_key key;      /* VISIT: the chunks on both sides of this low key, or the one that covers it; not 0 */
    restructure_stage stage;
    uint32_t level;   /* of the chunk `about` */
    unsigned state;   /* MARK: the chunk's new state */
    uint32_t pending; /* bits of the levels to be visited */
    uint8_t pairs;    /* LOOK, LEFT: of the underfull chunk; if it has fewer, a later erase is responsible for it */
    uint8_t tries;
    bool raised;      /* MERGE: the chunk had a pair above */
    bool stays;       /* MARK: its pair was the first of the chunk above, which is `left` now */
} restructure_op;

PORT_FN void restructure_raise(map_thread map, restructure_op *t, map_pair about, uint32_t level)
{
    t->stage = RESTRUCTURE_RAISE;
    t->about = about;
    t->left_of = pair_of(0, NODE_NONE);
    t->level = level;
    cursor_start(map, &t->cursor, about.key);
}

PORT_FN void restructure_mark(restructure_op *t, unsigned state, map_pair next)
{
    t->stage = RESTRUCTURE_MARK;
    t->state = state;
    t->next = next;
    t->stays = false;
    t->cursor.node = pair_node(t->about);
}

PORT_FN level_step restructure_visit(map_thread map, restructure_op *t, uint32_t level)
{
    t->stage = RESTRUCTURE_VISIT;
    t->level = level;
    cursor_start(map, &t->cursor, t->key - 1);
    return STEP_MOVED;
}

PORT_FN unsigned pairs_of(map_thread map, map_pair chunk)
{
    return header_count(header_load(node_at(map, pair_node(chunk))));
}

PORT_FN void restructure_look(map_thread map, restructure_op *t, map_pair small, uint32_t level)
{
    t->stage = RESTRUCTURE_LOOK;
    t->about = t->left_of = small;
    t->pairs = (uint8_t)pairs_of(map, small);
    t->level = level;
    t->tries = 0;
    t->cursor.node = pair_node(small);
}

/* The level is to be visited before the work ends. */
PORT_FN void restructure_later(restructure_op *t, map_key key, uint32_t level)
{
    t->key = key;
    t->pending |= (uint32_t)1 << level;
}

/* Continues with the lowest level that is to be visited. */
PORT_FN level_step restructure_next(map_thread map, restructure_op *t)
{
    if (t->pending == 0) return STEP_DONE;
    uint32_t level = 0;
    while (!(t->pending >> level & 1)) level++;
    t->pending &= t->pending - 1;
    return restructure_visit(map, t, level);
}

/* Continues with the left neighbour of an underfull chunk. */
PORT_FN level_step restructure_left(map_thread map, restructure_op *t)
{
    map_pair small = t->left_of;
    t->left_of = pair_of(0, NODE_NONE);
    if (small.key == 0) return restructure_next(map, t); /* a head; or low key unknown, after a zombie; or no chunk */
    t->stage = RESTRUCTURE_LEFT;
    t->about = small;
    t->tries = 0;
    cursor_start(map, &t->cursor, small.key - 1);
    return STEP_MOVED;
}

/* Called after an update that returned RESTRUCTURE. */
PORT_FN void restructure_start(map_thread map, restructure_op *t, const update_op *update)
{
    const level_cursor *at = &update->cursor;
    t->key = at->target;
    t->pending = 0;
    if (pair_node(update->separator) == NODE_NONE) {
        if (at->low == 0 && at->node != skiplist_head(0)) /* low key unknown, after a zombie */
            restructure_visit(map, t, 0);
        else
            restructure_look(map, t, pair_of(at->low, at->node), 0);
        return;
    }
    restructure_raise(map, t, update->separator, 0);
    if (at->parent == NODE_NONE) return;
    t->cursor.node = at->parent; /* its low key is at or below the separator */
    t->cursor.level = 1;
}

PORT_FN level_step step_raise(map_thread map, restructure_op *t)
{
    map_pair made;
    level_step step = raise_here(map, &t->cursor, t->about, &made);
    if (step != STEP_DONE && step != STEP_REFUSED) return step;
    if (pair_is_link(made)) made = pair_of(0, NODE_NONE); /* the new chunk above stays LOW */
    restructure_mark(t, step == STEP_DONE ? CHUNK_RAISED : CHUNK_LOW, made);
    return STEP_MOVED;
}

/* Returns true for a chunk that will not be looked at again unless a thread does it now. */
PORT_FN bool is_left_behind(uint64_t header)
{
    return header_count(header) == (chunk_level(header) > 0);
}

/* Returns false if the chunk is still the first in its upper chunk, or if this participant cannot retire it. */
PORT_FN bool can_be_merged(map_thread map, const restructure_op *t)
{
    if (!epoch_can_retire(map.agent)) return false;
    if (!t->stays) return true;
    port_fence_seq_cst(); /* else the thread that merges the upper chunk may see neither: step_merge */
    return chunk_state(header_load(node_at(map, pair_node(t->left)))) == CHUNK_ZOMBIE;
}

/* State and count are one word: an erase that empties the chunk later finds that it is no longer RAISING. */
PORT_FN level_step step_mark(map_thread map, restructure_op *t)
{
    uint32_t id = pair_node(t->about);
    if (!set_state(map, id, t->state)) return STEP_AGAIN;
    if (is_left_behind(header_load(node_at(map, id))) && can_be_merged(map, t))
        restructure_later(t, t->about.key, t->level);
    if (pair_node(t->next) == NODE_NONE) return restructure_left(map, t);
    restructure_raise(map, t, t->next, t->level + 1);
    return STEP_MOVED;
}

/* A latch holder that leaves one of the chunks underfull will look at it itself. */
PORT_FN level_step step_visit(map_thread map, restructure_op *t)
{
    map_pair link, small = pair_of(t->cursor.low, t->cursor.node);
    unsigned few = t->level == 0 ? 1 : CHUNK_FEW, pairs = header_count(node_end(node_at(map, pair_node(small)), &link));
    if (belongs_right(link, t->cursor.target)) {
        cursor_right(map, &t->cursor, link);
        return STEP_MOVED;
    }
    if (pairs >= few && pair_is_link(link) && link.key == t->key) {
        small = pair_of(link.key, pair_node(link));
        pairs = pairs_of(map, small);
    }
    if (pairs >= few) return restructure_next(map, t);
    restructure_look(map, t, small, t->level);
    return STEP_MOVED;
}

/* Continues with the left neighbour of the chunk. */
PORT_FN void restructure_merge(restructure_op *t)
{
    t->stage = RESTRUCTURE_MERGE;
    t->cursor.target = t->about.key - 1;
    t->cursor.node = pair_node(t->left);
    t->cursor.level = t->level;
    t->cursor.side_steps = 0;
}

/* Chunk `left` can merge its right neighbour, which is now RAISING. */
PORT_FN level_step restructure_pair(map_thread map, restructure_op *t, map_pair left, map_pair right)
{
    t->left = left;
    t->about = pair_of(right.key, pair_node(right));
    cursor_start(map, &t->cursor, right.key);
    if (t->raised)
        t->stage = RESTRUCTURE_LOWER;
    else
        restructure_merge(t);
    return STEP_MOVED;
}

PORT_FN level_step step_look(map_thread map, restructure_op *t)
{
    map_pair right, small = t->about;
    if (pairs_of(map, small) < t->pairs) return restructure_next(map, t);
    level_step step = merge_look(map, pair_node(small), &right, &t->raised);
    if (step == STEP_DONE) return restructure_pair(map, t, small, right);
    if (step == STEP_AGAIN && t->tries++ < RESTRUCTURE_TRIES) return STEP_AGAIN;
    return restructure_left(map, t);
}

PORT_FN level_step step_left(map_thread map, restructure_op *t)
{
    map_pair link, left = pair_of(t->cursor.low, t->cursor.node);
    uint64_t header = node_end(node_at(map, pair_node(left)), &link);
    level_step step = STEP_AGAIN;
    if (pairs_of(map, t->about) < t->pairs) return restructure_next(map, t);
    if (!(header & HEADER_LATCHED)) {
        if (belongs_right(link, t->cursor.target)) {
            cursor_right(map, &t->cursor, link);
            return STEP_MOVED;
        }
        bool neighbours = pair_is_link(link) && pair_node(link) == pair_node(t->about);
        step = neighbours ? merge_look(map, pair_node(left), &link, &t->raised) : STEP_REFUSED;
    }
    if (step == STEP_DONE) return restructure_pair(map, t, left, link);
    if (step == STEP_AGAIN && t->tries++ < RESTRUCTURE_TRIES) return STEP_AGAIN;
    return restructure_next(map, t);
}

/* The chunk's pair is the first of the chunk above. After LOOK, LEFT follows for the chunk that is underfull; after
 * LEFT, `about` is that chunk, and the same is done for its left neighbour. */
PORT_FN void restructure_stay(map_thread map, restructure_op *t, unsigned above)
{
    if (pair_node(t->left_of) == NODE_NONE && is_left_behind(header_load(node_at(map, pair_node(t->about))))) {
        if (above < CHUNK_FEW) restructure_later(t, t->about.key + 1, t->level + 1); /* it begins with this key */
        if (is_left_behind(header_load(node_at(map, pair_node(t->left))))) t->left_of = t->left;
        t->pairs = 0;
    }
    t->left = pair_of(0, t->cursor.node);
    restructure_mark(t, CHUNK_RAISED, pair_of(0, NODE_NONE));
    t->stays = true;
}

PORT_FN level_step step_lower(map_thread map, restructure_op *t)
{
    unsigned above;
    level_step step = lower_here(map, &t->cursor, &above);
    if (step == STEP_REFUSED) {
        restructure_stay(map, t, above);
    } else if (step == STEP_DONE) {
        if (above < CHUNK_FEW) restructure_later(t, t->about.key, t->level + 1);
        restructure_merge(t);
    } else {
        return step;
    }
    return STEP_MOVED;
}

PORT_FN level_step step_merge(map_thread map, restructure_op *t)
{
    unsigned pairs;
    level_step step = merge_here(map, &t->cursor, pair_node(t->about), &pairs);
    if (step == STEP_DONE) {
        if (t->level > 0) {
            port_fence_seq_cst(); /* pairs with can_be_merged: the claim's end is seen here, or the zombie there */
            restructure_later(t, t->about.key, t->level - 1);
        }
        if (pairs == 0) restructure_later(t, t->about.key, 0);
        return restructure_next(map, t);
    }
    if (step == STEP_REFUSED && t->raised)
        restructure_raise(map, t, t->about, t->level);
    else if (step == STEP_REFUSED)
        restructure_mark(t, CHUNK_LOW, pair_of(0, NODE_NONE));
    else
        return step;
    return STEP_MOVED;
}

/* Every other stage works on one level: the chunk's own, or the one above. */
PORT_FN level_step restructure_step(map_thread map, restructure_op *t)
{
    if (t->stage == RESTRUCTURE_LOOK) return step_look(map, t);
    if (t->stage == RESTRUCTURE_MARK) return step_mark(map, t);
    bool above = t->stage == RESTRUCTURE_RAISE || t->stage == RESTRUCTURE_LOWER;
    if (!on_level(&t->cursor, above ? t->level + 1 : t->level)) return cursor_descend(map, &t->cursor);
    if (t->stage == RESTRUCTURE_VISIT) return step_visit(map, t);
    if (t->stage == RESTRUCTURE_LEFT) return step_left(map, t);
    if (t->stage == RESTRUCTURE_RAISE) return step_raise(map, t);
    return t->stage == RESTRUCTURE_LOWER ? step_lower(map, t) : step_merge(map, t);
}
