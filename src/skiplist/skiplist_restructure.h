/* skiplist/skiplist_restructure.h - what an update leaves to do on the levels above: to raise the new chunk of a split,
 * or to merge a chunk that has become small with its neighbour. The update itself has taken effect. Included by
 * skiplist.h.
 *
 *     split  ->  RAISE  ->  MARK  ->  RAISE the new chunk of a split above  ->  ...
 *     small  ->  LOOK   ->  LOWER ->  MERGE  ->  LOOK at the chunk above, if that has become small  ->  ...
 *                LEFT   ->
 *
 * A small chunk takes its right neighbour in (LOOK); if that cannot be, its left neighbour takes it (LEFT). A chunk
 * that cannot be merged after all is raised again, or marked as it was. Nobody waits for others for long: a chunk that
 * stays small harms nobody, and the next erase will try again.
 */
enum { TEND_TRIES = 8 }; /* to find a neighbour that nobody else is about */
typedef enum tend_stage { TEND_RAISE, TEND_MARK, TEND_LOOK, TEND_LEFT, TEND_LOWER, TEND_MERGE } tend_stage;

typedef struct tend_op {
    level_cursor cursor;
    map_pair about;  /* low key and id of a chunk that is RAISING, or, in LOOK and LEFT, that is small */
    map_pair next;   /* MARK: the same of a chunk to raise after it, or NODE_NONE */
    tend_stage stage;
    uint32_t level; /* of that chunk */
    uint32_t left;  /* LOWER, MERGE: its left neighbour of a while ago */
    map_pair small; /* MERGE: the same of the chunk above, if it has become small, else NODE_NONE */
    map_pair left_of; /* after MARK: LEFT of this chunk, which is small, unless NODE_NONE */
    unsigned state;   /* MARK: what it becomes */
    unsigned tries;
    bool raised;     /* MERGE: it had a pair above */
} tend_op;

PORT_FN void tend_raise(map_ref map, tend_op *t, map_pair about, uint32_t level)
{
    t->stage = TEND_RAISE;
    t->about = about;
    t->left_of = pair_of(0, NODE_NONE);
    t->level = level;
    cursor_start(map, &t->cursor, about.key);
}

PORT_FN void tend_mark(tend_op *t, unsigned state, map_pair next)
{
    t->stage = TEND_MARK;
    t->state = state;
    t->next = next;
    t->cursor.node = pair_node(t->about);
}

PORT_FN void tend_look(tend_op *t, map_pair small, uint32_t level)
{
    t->stage = TEND_LOOK;
    t->about = t->left_of = small;
    t->level = level;
    t->tries = 0;
    t->cursor.node = pair_node(small);
}

/* To the left neighbour of a chunk that is small. */
PORT_FN blink_step tend_left(map_ref map, tend_op *t)
{
    map_pair small = t->left_of;
    t->left_of = pair_of(0, NODE_NONE);
    if (small.key == 0) return BLINK_DONE; /* a head; or the low key is not known, after a zombie; or there is none */
    t->stage = TEND_LEFT;
    t->about = small;
    t->tries = 0;
    cursor_start(map, &t->cursor, small.key - 1);
    return BLINK_MOVED;
}

/* After an update that answered TEND. */
PORT_FN void tend_start(map_ref map, tend_op *t, const update_op *update)
{
    if (pair_node(update->separator) == NODE_NONE) {
        tend_look(t, pair_of(update->cursor.low, update->cursor.node), 0);
        return;
    }
    tend_raise(map, t, update->separator, 0);
    if (update->cursor.parent == NODE_NONE) return;
    t->cursor.node = update->cursor.parent; /* its low key is at or below the separator */
    t->cursor.level = 1;
}

PORT_FN blink_step step_raise(map_ref map, tend_op *t)
{
    map_pair made;
    blink_step step = raise_here(map, &t->cursor, t->about, &made);
    if (step != BLINK_DONE && step != BLINK_REFUSED) return step;
    if (pair_is_link(made)) made = pair_of(0, NODE_NONE); /* the new chunk above stays low */
    tend_mark(t, step == BLINK_DONE ? CHUNK_RAISED : CHUNK_LOW, made);
    return BLINK_MOVED;
}

PORT_FN blink_step step_mark(map_ref map, tend_op *t)
{
    if (!set_state(map, pair_node(t->about), t->state)) return BLINK_AGAIN;
    if (pair_node(t->next) == NODE_NONE) return tend_left(map, t);
    tend_raise(map, t, t->next, t->level + 1);
    return BLINK_MOVED;
}

/* To the left neighbour of the chunk. */
PORT_FN void tend_merge(tend_op *t, map_pair small)
{
    t->stage = TEND_MERGE;
    t->small = small;
    t->cursor.target = t->about.key - 1;
    t->cursor.node = t->left;
    t->cursor.level = t->level;
    t->cursor.side_steps = 0;
}

/* Chunk `left` can take its right neighbour in, which is RAISING now. */
PORT_FN blink_step tend_pair(map_ref map, tend_op *t, uint32_t left, map_pair right)
{
    t->left = left;
    t->about = pair_of(right.key, pair_node(right));
    cursor_start(map, &t->cursor, right.key);
    if (t->raised)
        t->stage = TEND_LOWER;
    else
        tend_merge(t, pair_of(0, NODE_NONE));
    return BLINK_MOVED;
}

PORT_FN blink_step step_look(map_ref map, tend_op *t)
{
    map_pair right;
    uint32_t small = pair_node(t->about);
    blink_step step = merge_look(map, small, &right, &t->raised);
    if (step == BLINK_DONE) return tend_pair(map, t, small, right);
    if (step == BLINK_AGAIN && t->tries++ < TEND_TRIES) return BLINK_AGAIN;
    return tend_left(map, t);
}

PORT_FN blink_step step_left(map_ref map, tend_op *t)
{
    map_pair link;
    uint64_t header = node_end(node_at(map, t->cursor.node), &link);
    if (header & HEADER_LATCHED) return t->tries++ < TEND_TRIES ? BLINK_AGAIN : BLINK_DONE;
    if (belongs_right(link, t->cursor.target)) {
        cursor_right(map, &t->cursor, link);
        return BLINK_MOVED;
    }
    if (!pair_is_link(link) || pair_node(link) != pair_node(t->about)) return BLINK_DONE;
    blink_step step = merge_look(map, t->cursor.node, &link, &t->raised);
    if (step == BLINK_DONE) return tend_pair(map, t, t->cursor.node, link);
    return step == BLINK_AGAIN && t->tries++ < TEND_TRIES ? BLINK_AGAIN : BLINK_DONE;
}

PORT_FN blink_step step_lower(map_ref map, tend_op *t)
{
    unsigned left;
    map_key low;
    blink_step step = lower_here(map, &t->cursor, &left, &low);
    if (step == BLINK_REFUSED)
        tend_mark(t, CHUNK_RAISED, pair_of(0, NODE_NONE));
    else if (step == BLINK_DONE)
        tend_merge(t, left < CHUNK_FEW ? pair_of(low, t->cursor.node) : pair_of(0, NODE_NONE));
    else
        return step;
    return BLINK_MOVED;
}

PORT_FN blink_step step_merge(map_ref map, tend_op *t)
{
    blink_step step = merge_here(map, &t->cursor, pair_node(t->about));
    if (step == BLINK_DONE && pair_node(t->small) == NODE_NONE) return BLINK_DONE;
    if (step == BLINK_DONE)
        tend_look(t, t->small, t->level + 1);
    else if (step == BLINK_REFUSED && t->raised)
        tend_raise(map, t, t->about, t->level);
    else if (step == BLINK_REFUSED)
        tend_mark(t, CHUNK_LOW, pair_of(0, NODE_NONE));
    else
        return step;
    return BLINK_MOVED;
}

/* Every other stage works on one level: the chunk's own, or the one above. */
PORT_FN blink_step tend_step(map_ref map, tend_op *t)
{
    if (t->stage == TEND_LOOK) return step_look(map, t);
    if (t->stage == TEND_MARK) return step_mark(map, t);
    bool above = t->stage == TEND_RAISE || t->stage == TEND_LOWER;
    if (!on_level(&t->cursor, above ? t->level + 1 : t->level)) return cursor_descend(map, &t->cursor);
    if (t->stage == TEND_LEFT) return step_left(map, t);
    if (t->stage == TEND_RAISE) return step_raise(map, t);
    return t->stage == TEND_LOWER ? step_lower(map, t) : step_merge(map, t);
}
