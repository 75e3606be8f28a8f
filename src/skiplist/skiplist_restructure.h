/* skiplist/skiplist_restructure.h - structural work left over from an update: insert a split's new chunk into the level
 * above, or merge an underfull chunk with a neighbour. The update has taken effect. Included by skiplist.h.
 *
 *     split      ->  RAISE  ->  MARK  ->  RAISE the new chunk of a split above  ->  ...
 *     underfull  ->  LOOK   ->  LOWER ->  MERGE  ->  LOOK at the chunk above, if that has become underfull  ->  ...
 *                    LEFT   ->
 *
 * An underfull chunk merges its right neighbour into itself (LOOK). If that is not possible, it is merged into its left
 * neighbour (LEFT). If a chunk cannot be merged after all, its pair is inserted above again, or its old state is
 * restored. No thread waits for others for long: an underfull chunk does no harm, and the next erase will try again.
 */
enum { RESTRUCTURE_TRIES = 8 }; /* to find a neighbour that no other thread is working on */

typedef enum restructure_stage {
    RESTRUCTURE_RAISE,
    RESTRUCTURE_MARK,
    RESTRUCTURE_LOOK,
    RESTRUCTURE_LEFT,
    RESTRUCTURE_LOWER,
    RESTRUCTURE_MERGE
} restructure_stage;

typedef struct restructure_op {
    level_cursor cursor;
    map_pair about;  /* low key and id of a chunk that is RAISING, or, in LOOK and LEFT, underfull */
    map_pair next;   /* MARK: the same of a chunk to raise after it, or NODE_NONE */
    restructure_stage stage;
    uint32_t level; /* of the chunk `about` */
    uint32_t left;  /* LOWER, MERGE: the left neighbour that it had earlier */
    map_pair small; /* MERGE: low key and id of the chunk above if it is underfull, otherwise NODE_NONE */
    map_pair left_of; /* after MARK: continue with LEFT for this underfull chunk, unless NODE_NONE */
    unsigned state;   /* MARK: the chunk's new state */
    unsigned tries;
    bool raised;     /* MERGE: the chunk had a pair above */
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
    t->cursor.node = pair_node(t->about);
}

PORT_FN void restructure_look(restructure_op *t, map_pair small, uint32_t level)
{
    t->stage = RESTRUCTURE_LOOK;
    t->about = t->left_of = small;
    t->level = level;
    t->tries = 0;
    t->cursor.node = pair_node(small);
}

/* Continues with the left neighbour of an underfull chunk. */
PORT_FN level_step restructure_left(map_thread map, restructure_op *t)
{
    map_pair small = t->left_of;
    t->left_of = pair_of(0, NODE_NONE);
    if (small.key == 0) return STEP_DONE; /* a head; or low key unknown, after a zombie; or no such chunk */
    t->stage = RESTRUCTURE_LEFT;
    t->about = small;
    t->tries = 0;
    cursor_start(map, &t->cursor, small.key - 1);
    return STEP_MOVED;
}

/* Called after an update that returned RESTRUCTURE. */
PORT_FN void restructure_start(map_thread map, restructure_op *t, const update_op *update)
{
    if (pair_node(update->separator) == NODE_NONE) {
        restructure_look(t, pair_of(update->cursor.low, update->cursor.node), 0);
        return;
    }
    restructure_raise(map, t, update->separator, 0);
    if (update->cursor.parent == NODE_NONE) return;
    t->cursor.node = update->cursor.parent; /* its low key is at or below the separator */
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

PORT_FN level_step step_mark(map_thread map, restructure_op *t)
{
    if (!set_state(map, pair_node(t->about), t->state)) return STEP_AGAIN;
    if (pair_node(t->next) == NODE_NONE) return restructure_left(map, t);
    restructure_raise(map, t, t->next, t->level + 1);
    return STEP_MOVED;
}

/* Continues with the left neighbour of the chunk. */
PORT_FN void restructure_merge(restructure_op *t, map_pair small)
{
    t->stage = RESTRUCTURE_MERGE;
    t->small = small;
    t->cursor.target = t->about.key - 1;
    t->cursor.node = t->left;
    t->cursor.level = t->level;
    t->cursor.side_steps = 0;
}

/* Chunk `left` can merge its right neighbour, which is now RAISING. */
PORT_FN level_step restructure_pair(map_thread map, restructure_op *t, uint32_t left, map_pair right)
{
    t->left = left;
    t->about = pair_of(right.key, pair_node(right));
    cursor_start(map, &t->cursor, right.key);
    if (t->raised)
        t->stage = RESTRUCTURE_LOWER;
    else
        restructure_merge(t, pair_of(0, NODE_NONE));
    return STEP_MOVED;
}

PORT_FN level_step step_look(map_thread map, restructure_op *t)
{
    map_pair right;
    uint32_t small = pair_node(t->about);
    level_step step = merge_look(map, small, &right, &t->raised);
    if (step == STEP_DONE) return restructure_pair(map, t, small, right);
    if (step == STEP_AGAIN && t->tries++ < RESTRUCTURE_TRIES) return STEP_AGAIN;
    return restructure_left(map, t);
}

PORT_FN level_step step_left(map_thread map, restructure_op *t)
{
    map_pair link;
    uint64_t header = node_end(node_at(map, t->cursor.node), &link);
    if (header & HEADER_LATCHED) return t->tries++ < RESTRUCTURE_TRIES ? STEP_AGAIN : STEP_DONE;
    if (belongs_right(link, t->cursor.target)) {
        cursor_right(map, &t->cursor, link);
        return STEP_MOVED;
    }
    if (!pair_is_link(link) || pair_node(link) != pair_node(t->about)) return STEP_DONE;
    level_step step = merge_look(map, t->cursor.node, &link, &t->raised);
    if (step == STEP_DONE) return restructure_pair(map, t, t->cursor.node, link);
    return step == STEP_AGAIN && t->tries++ < RESTRUCTURE_TRIES ? STEP_AGAIN : STEP_DONE;
}

PORT_FN level_step step_lower(map_thread map, restructure_op *t)
{
    unsigned left;
    map_key low;
    level_step step = lower_here(map, &t->cursor, &left, &low);
    if (step == STEP_REFUSED)
        restructure_mark(t, CHUNK_RAISED, pair_of(0, NODE_NONE));
    else if (step == STEP_DONE)
        restructure_merge(t, left < CHUNK_FEW ? pair_of(low, t->cursor.node) : pair_of(0, NODE_NONE));
    else
        return step;
    return STEP_MOVED;
}

PORT_FN level_step step_merge(map_thread map, restructure_op *t)
{
    level_step step = merge_here(map, &t->cursor, pair_node(t->about));
    if (step == STEP_DONE && pair_node(t->small) == NODE_NONE) return STEP_DONE;
    if (step == STEP_DONE)
        restructure_look(t, t->small, t->level + 1);
    else if (step == STEP_REFUSED && t->raised)
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
    if (t->stage == RESTRUCTURE_LEFT) return step_left(map, t);
    if (t->stage == RESTRUCTURE_RAISE) return step_raise(map, t);
    return t->stage == RESTRUCTURE_LOWER ? step_lower(map, t) : step_merge(map, t);
}
