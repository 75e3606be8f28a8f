/* batch/batch_fused.h - a batch of updates and finds, by members who each have a stretch of its keys: combine, look,
 * answer, edit and commit in one pass over it. Included by batch_cpu.c, once per key width.
 *
 * A leaf that has room for all its edits, as most have, is changed where it stands, while it is in the cache. That is
 * done before all of the batch has been looked at, and so only where it is certain that the batch can be applied:
 * there is nothing to ask of the old map any more but what the pass itself asks, and node memory for the worst that the
 * batch can come to (pass_is_certain). Edits of all other leaves, those that must be cut and those that two members may
 * share, are left for the stages of batch_level.h. Leaves that are changed here get no new nodes, so the nodes that
 * those stages make, and their ids, are the same as if they had all the edits.
 */

/* Keys that a member has under way together: while the leaves of one group come from memory, the next goes down. */
enum { PASS_KEYS = 32 };

typedef struct W(pass_group) {
    uint32_t count;
    W(key) key[PASS_KEYS];
    uint32_t node[PASS_KEYS];
    uint32_t op[PASS_KEYS + 1]; /* its first operation */
} W(pass_group);

/* The edits of the leaf at hand, from `begin` on; those before are left for the other stages. */
typedef struct W(pass_run) {
    uint32_t node;   /* NODE_NONE: no leaf yet */
    uint64_t header; /* before its edits. After them a load would wait for the stores beside it to come to the cache */
    uint32_t inserts, begin, end;
    bool shared; /* perhaps with the member before */
} W(pass_run);

typedef struct W(passing) {
    W(working) *w;
    W(stretch) ops;
    W(pass_run) run;
    uint32_t has, had; /* of leaves that were changed here */
} W(passing);

/* Each level has at most as many new nodes as edits, and a level no more edits than the one below has new nodes; above
 * the old root they become fewer at every level. */
static bool W(pass_is_certain)(const W(batch) *b, uint32_t ops)
{
    uint64_t levels = (b->sizes->root >> 32) + 3, most = levels * ops + BATCH_LEVELS;
    uint64_t capacity = port_load(&b->map.tree->pool.capacity);
    return !b->keeps && b->sizes->first_id + most <= capacity && most + ops <= b->edit_room;
}

/* ---- down ---- */

static inline void W(prefetch_arguments)(const W(working) *w, uint32_t op)
{
    uint32_t place = W(batch_place)(&w->b, op);
    if (w->b.r.values) port_prefetch((const W(key) *)w->b.r.values + place);
    if (W(all_boxes)(w) == 1) W(prefetch_reply)(&w->b, place);
}

static void W(pass_take)(W(passing) *p, W(pass_group) *g)
{
    const W(batch) *b = &p->w->b;
    uint32_t at = p->ops.at, end = p->ops.end, count = 0;
    for (; count < PASS_KEYS && at < end; count++) {
        g->key[count] = b->op_key[at];
        g->op[count] = at;
        do W(prefetch_arguments)(p->w, at++);
        while (at < end && b->op_key[at] == g->key[count]);
    }
    g->op[count] = p->ops.at = at;
    g->count = count;
}

/* The child that leads on to `key`, and with it to the right if need be. */
static inline uint32_t W(child_for)(W(blink) map, uint32_t node, W(key) key)
{
    W(pair) pair;
    do W(node_route)(W(node_at)(map, node), key, &pair);
    while (W(pair_is_link)(pair) && (node = W(pair_node)(pair)) != NODE_NONE);
    return W(pair_node)(pair);
}

/* All keys of the group together, a level at a time; the first levels, where they go the same way, once for all. */
static void W(pass_down)(W(blink) map, W(pass_group) *g)
{
    uint64_t root = port_load(&map.tree->root);
    uint32_t node = (uint32_t)root, level = (uint32_t)(root >> 32), n = g->count;
    if (n == 0) return;
    for (uint32_t last; level > 0; level--, node = last) {
        last = W(child_for)(map, node, g->key[n - 1]);
        if (n > 1 && W(child_for)(map, node, g->key[0]) != last) break;
    }
    for (uint32_t i = 0; i < n; i++) g->node[i] = node;
    if (level == 0) W(prefetch_node)(map, node);
    for (; level > 0; level--)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t child = W(child_for)(map, g->node[i], g->key[i]);
            if (i == 0 || child != g->node[i - 1]) W(prefetch_node)(map, child);
            g->node[i] = child;
        }
}

/* ---- leaves ---- */

/* Pairs of a leaf with keys below this one. */
static inline unsigned W(leaf_rank)(const W(node) *leaf, unsigned count, W(key) key, bool present)
{
#if defined(PLEACH_NODE_ISA_avx512) || defined(PLEACH_NODE_ISA_avx2)
    return (unsigned)__builtin_popcount(W(slots_at_or_below)(leaf, key) & ((1u << count) - 1)) - present;
#else
    (void)present;
    return W(slots_rank)(leaf, count, key);
#endif
}

/* Slots from .. count-1 of a leaf move up by one; or down. */
static inline void W(leaf_up)(W(node) *leaf, unsigned from, unsigned count)
{
#if defined(PLEACH_NODE_ISA_avx512)
    W(slots_up_alone)(leaf, from, count);
#else
    for (unsigned slot = count; slot > from; slot--) W(pair_store)(leaf, slot, W(pair_load)(leaf, slot - 1));
#endif
}

static inline void W(leaf_down)(W(node) *leaf, unsigned from, unsigned count)
{
#if defined(PLEACH_NODE_ISA_avx512)
    W(slots_down_alone)(leaf, from, count);
#else
    for (unsigned slot = from; slot < count; slot++) W(pair_store)(leaf, slot - 1, W(pair_load)(leaf, slot));
#endif
}

/* One edit of a leaf that has room for it; answers the new count. */
static inline unsigned W(leaf_edit)(const W(batch) *b, W(node) *leaf, unsigned count, uint32_t edit)
{
    W(pair) pair = W(pair_of)(b->edit_key[edit], b->edit_value[edit]);
    unsigned flags = b->edit_flags[edit], at = W(leaf_rank)(leaf, count, pair.key, flags & BATCH_HAD);
    if (!(flags & BATCH_HAS)) {
        W(leaf_down)(leaf, at + 1, count);
        return count - 1;
    }
    if (!(flags & BATCH_HAD)) W(leaf_up)(leaf, at, count++);
    W(pair_store)(leaf, at, pair);
    return count;
}

/* All edits of the leaf at hand are known. */
static void W(pass_close)(W(passing) *p, bool shared)
{
    const W(batch) *b = &p->w->b;
    W(pass_run) *run = &p->run;
    if (run->begin == run->end) return;
    if (shared || run->shared || header_count(run->header) + run->inserts > NODE_CAPACITY) {
        run->begin = run->end;
        return;
    }
    W(node) *leaf = W(node_at)(b->map, run->node);
    unsigned count = header_count(run->header), before = count;
    for (uint32_t edit = run->begin; edit < run->end; edit++) {
        count = W(leaf_edit)(b, leaf, count, edit);
        p->has += (b->edit_flags[edit] & BATCH_HAS) != 0;
        p->had += (b->edit_flags[edit] & BATCH_HAD) != 0;
    }
    port_store(&leaf->word[W(HEADER_WORD)], header_next(run->header, count));
    if (count < before && count <= BATCH_SMALL) /* as in batch_is_small */
        p->w->pass_case[p->w->pass_first + p->w->pass_cases++] = b->edit_key[run->begin];
    run->end = run->begin;
}

static void W(pass_open)(W(passing) *p, uint32_t node)
{
    bool first = p->run.node == NODE_NONE;
    W(pass_close)(p, false);
    p->run.node = node;
    p->run.header = W(header_load)(W(node_at)(p->w->b.map, node));
    p->run.inserts = 0;
    p->run.shared = first && p->w->member > 0;
}

/* The answers of a key's operations, and what they do together. */
static uint32_t W(pass_answer)(W(working) *w, uint32_t op, uint32_t end, W(batch_state) old)
{
    const W(batch) *b = &w->b;
    uint32_t function = b->op_function[op];
    W(post_reply)(w, op, W(batch_reply_to)(b, op, old));
    while (++op < end) {
        W(post_reply)(w, op, W(batch_reply_to)(b, op, W(batch_apply)(b, function, old)));
        function = batch_then(function, b->op_function[op]);
    }
    return function;
}

/* The edits of a key have come to their leaf. */
static inline void W(pass_key)(W(passing) *p, W(key) key, uint32_t node, uint32_t op, uint32_t end)
{
    const W(batch) *b = &p->w->b;
    W(pair) pair;
    node_answer found;
    while ((found = W(node_lookup)(W(node_at)(b->map, node), key, &pair)) == NODE_RIGHT) node = W(pair_node)(pair);
    W(batch_state) old = {.value = found == NODE_FOUND ? pair.value : 0, .present = found == NODE_FOUND};
    if (node != p->run.node) W(pass_open)(p, node);
    uint32_t function = W(pass_answer)(p->w, op, end, old), edit = p->run.end;
    uint8_t flags = W(batch_flags_of)(old, function);
    if (!(flags & BATCH_CHANGED)) return;
    b->edit_key[edit] = key;
    b->edit_value[edit] = W(batch_apply)(b, function, old).value;
    b->edit_node[edit] = node;
    b->edit_flags[edit] = flags;
    p->run.inserts += (flags & (BATCH_HAS | BATCH_HAD)) == BATCH_HAS;
    p->run.end = edit + 1;
}

static void W(pass_leaves)(W(passing) *p, const W(pass_group) *g)
{
    for (uint32_t i = 0; i < g->count; i++) W(pass_key)(p, g->key[i], g->node[i], g->op[i], g->op[i + 1]);
}

/* ---- the pass ---- */

/* The stretch of this member. Answers how many edits are left for the other stages; they lie behind the places of level
 * 0, in the member's own part, until gather_edits. */
static uint32_t W(pass)(W(working) *w, W(stretch) ops, double *search, double *modify)
{
    W(passing) p = {.w = w, .ops = ops};
    W(pass_group) group[2];
    uint32_t first = w->ops + ops.at;
    p.run.begin = p.run.end = first;
    group[0].count = 0;
    w->pass_first = ops.at;
    W(open_mail)(w, ops);
    for (unsigned now = 0;; now = !now) {
        W(pass_take)(&p, &group[!now]);
        W(pass_down)(w->b.map, &group[!now]);
        *search += W(lap)(w);
        W(pass_leaves)(&p, &group[now]);
        *modify += W(lap)(w);
        if (group[!now].count == 0) break;
    }
    W(pass_close)(&p, w->member + 1 < w->team->members);
    w->job->parts[w->member].passed = (uint64_t)p.has - p.had;
    return p.run.end - first;
}

/* The edits that are left become the edits of level 0, behind those of the members before. */
static void W(gather_edits)(W(working) *w, W(stretch) ops, uint32_t left)
{
    const W(batch) *b = &w->b;
    uint32_t from = w->ops + ops.at, to = 0;
    w->job->parts[w->member].words[0] = left;
    W(tell)(w);
    for (unsigned m = 0; m < w->member; m++) to += (uint32_t)W(hear)(w, m)->words[0];
    memcpy(b->edit_key + to, b->edit_key + from, left * sizeof *b->edit_key);
    memcpy(b->edit_value + to, b->edit_value + from, left * sizeof *b->edit_value);
    memcpy(b->edit_node + to, b->edit_node + from, left * sizeof *b->edit_node);
    memcpy(b->edit_flags + to, b->edit_flags + from, left * sizeof *b->edit_flags);
    if (w->member + 1 == w->team->members) b->sizes->level[0].edits = to + left;
}
