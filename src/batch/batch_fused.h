/* batch/batch_fused.h - a batch of updates and finds in one pass: each worker has a range of the batch's keys, and does
 * combine, lookup, resolve, edit and commit while it goes through them once. Included by batch_cpu.c.
 *
 * A leaf that has enough free slots for all its edits, as most have, is changed in place while it is in the cache. That
 * happens before the rest of the batch has been processed. It is therefore done only if two things are certain: nothing
 * but the pass itself still reads the old map, and there is node memory for the worst case of the batch
 * (pass_is_certain). The edits of all other leaves, those that must be split and those that two workers may share, are
 * left to the stages of batch_level.h. Leaves that are changed here get no new nodes, so the nodes that those stages
 * make, and their ids, are the same as if the stages had all edits.
 */

/* Keys that a worker processes together: while the leaves of one group are loaded from memory, the next group
 * descends. */
enum { PASS_KEYS = 32 };

typedef struct pass_group {
    uint32_t count;
    map_key key[PASS_KEYS];
    uint32_t node[PASS_KEYS];
    uint32_t op[PASS_KEYS + 1]; /* the key's first operation */
} pass_group;

/* The edits of the current leaf, from `begin` on; earlier ones are left to the other stages. */
typedef struct pass_run {
    uint32_t node;   /* NODE_NONE: no leaf yet */
    uint64_t header; /* before its edits: after them, a load would wait until the stores next to it have reached the
                      * cache */
    uint32_t inserts, begin, end;
    bool shared; /* possibly with the worker before */
} pass_run;

typedef struct passing {
    batch_worker *w;
    op_stretch ops;
    pass_run run;
    uint32_t has, had; /* of leaves that were changed here */
} passing;

/* Returns whether the pool has nodes for the worst case. Each level has at most as many new nodes as edits, and a level
 * has at most as many edits as the one below has new nodes. Above the old root they become fewer on every level. */
static bool pass_is_certain(const batch_ref *b, uint32_t ops)
{
    uint64_t levels = (b->sizes->root >> 32) + 3, most = levels * ops + BATCH_LEVELS;
    uint64_t capacity = port_load(&b->map.tree->pool.capacity);
    return !b->keeps && b->sizes->first_id + most <= capacity && most + ops <= b->edit_room;
}

/* ---- descent ---- */

static inline void prefetch_arguments(const batch_worker *w, uint32_t op)
{
    uint32_t place = batch_place(&w->b, op);
    if (w->b.r.values) port_prefetch((const map_key *)w->b.r.values + place);
    if (all_boxes(w) == 1) prefetch_reply(&w->b, place);
}

static void pass_take(passing *p, pass_group *g)
{
    const batch_ref *b = &p->w->b;
    uint32_t at = p->ops.at, end = p->ops.end, count = 0;
    for (; count < PASS_KEYS && at < end; count++) {
        g->key[count] = b->op_key[at];
        g->op[count] = at;
        do prefetch_arguments(p->w, at++);
        while (at < end && b->op_key[at] == g->key[count]);
    }
    g->op[count] = p->ops.at = at;
    g->count = count;
}

/* Returns the child that leads to `key`, following links to the right if necessary. */
static inline uint32_t child_for(map_thread map, uint32_t node, map_key key)
{
    map_pair pair;
    do node_route(node_at(map, node), key, &pair);
    while (pair_is_link(pair) && (node = pair_node(pair)) != NODE_NONE);
    return pair_node(pair);
}

/* Takes all keys of the group down together, level by level. On the first levels, while all of them take the same path,
 * they descend as one. */
static void pass_down(map_thread map, pass_group *g)
{
    uint64_t root = port_load(&map.tree->root);
    uint32_t node = (uint32_t)root, level = (uint32_t)(root >> 32), n = g->count;
    if (n == 0) return;
    for (uint32_t last; level > 0; level--, node = last) {
        last = child_for(map, node, g->key[n - 1]);
        if (n > 1 && child_for(map, node, g->key[0]) != last) break;
    }
    for (uint32_t i = 0; i < n; i++) g->node[i] = node;
    if (level == 0) prefetch_node(map, node);
    for (; level > 0; level--)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t child = child_for(map, g->node[i], g->key[i]);
            if (i == 0 || child != g->node[i - 1]) prefetch_node(map, child);
            g->node[i] = child;
        }
}

/* ---- leaves ---- */

/* Returns the number of pairs of a leaf with keys below this one. */
static inline unsigned leaf_rank(const map_node *leaf, unsigned count, map_key key, bool present)
{
#if defined(PLEACH_NODE_ISA_avx512) || defined(PLEACH_NODE_ISA_avx2)
    return (unsigned)__builtin_popcount(slots_at_or_below(leaf, key) & ((1u << count) - 1)) - present;
#else
    (void)present;
    return slots_rank(leaf, count, key);
#endif
}

/* Move slots from .. count-1 of a leaf up by one, and down by one. */
static inline void leaf_up(map_node *leaf, unsigned from, unsigned count)
{
#if defined(PLEACH_NODE_ISA_avx512)
    slots_up_alone(leaf, from, count);
#else
    for (unsigned slot = count; slot > from; slot--) pair_store(leaf, slot, pair_load(leaf, slot - 1));
#endif
}

static inline void leaf_down(map_node *leaf, unsigned from, unsigned count)
{
#if defined(PLEACH_NODE_ISA_avx512)
    slots_down_alone(leaf, from, count);
#else
    for (unsigned slot = from; slot < count; slot++) pair_store(leaf, slot - 1, pair_load(leaf, slot));
#endif
}

/* Applies one edit to a leaf that has a free slot if the edit needs one. Returns the new count. */
static inline unsigned leaf_edit(const batch_ref *b, map_node *leaf, unsigned count, uint32_t edit)
{
    map_pair pair = pair_of(b->edit_key[edit], b->edit_value[edit]);
    unsigned flags = b->edit_flags[edit], at = leaf_rank(leaf, count, pair.key, flags & BATCH_HAD);
    if (!(flags & BATCH_HAS)) {
        leaf_down(leaf, at + 1, count);
        return count - 1;
    }
    if (!(flags & BATCH_HAD)) leaf_up(leaf, at, count++);
    pair_store(leaf, at, pair);
    return count;
}

/* Called when all edits of the current leaf are known: applies them, or leaves them to the other stages. */
static void pass_close(passing *p, bool shared)
{
    const batch_ref *b = &p->w->b;
    pass_run *run = &p->run;
    if (run->begin == run->end) return;
    if (shared || run->shared || header_count(run->header) + run->inserts > NODE_CAPACITY) {
        run->begin = run->end;
        return;
    }
    map_node *leaf = node_at(b->map, run->node);
    unsigned count = header_count(run->header), before = count;
    for (uint32_t edit = run->begin; edit < run->end; edit++) {
        count = leaf_edit(b, leaf, count, edit);
        p->has += (b->edit_flags[edit] & BATCH_HAS) != 0;
        p->had += (b->edit_flags[edit] & BATCH_HAD) != 0;
    }
    port_store(&leaf->word[HEADER_WORD], header_next(run->header, count));
    if (count < before && count <= BATCH_SMALL) /* as in batch_is_underfull */
        p->w->pass_case[p->w->pass_first + p->w->pass_cases++] = b->edit_key[run->begin];
    run->end = run->begin;
}

static void pass_open(passing *p, uint32_t node)
{
    bool first = p->run.node == NODE_NONE;
    pass_close(p, false);
    p->run.node = node;
    p->run.header = header_load(node_at(p->w->b.map, node));
    p->run.inserts = 0;
    p->run.shared = first && p->w->member > 0;
}

/* Sends the results of a key's operations. Returns the composition of their functions. */
static uint32_t pass_answer(batch_worker *w, uint32_t op, uint32_t end, batch_state old)
{
    const batch_ref *b = &w->b;
    uint32_t function = b->op_function[op];
    send_result(w, op, batch_reply_to(b, op, old));
    while (++op < end) {
        send_result(w, op, batch_reply_to(b, op, batch_apply(b, function, old)));
        function = batch_compose(function, b->op_function[op]);
    }
    return function;
}

/* Resolves a key's operations at its leaf, and adds the key's edit. */
static inline void pass_key(passing *p, map_key key, uint32_t node, uint32_t op, uint32_t end)
{
    const batch_ref *b = &p->w->b;
    map_pair pair;
    node_answer found;
    while ((found = node_lookup(node_at(b->map, node), key, &pair)) == NODE_RIGHT) node = pair_node(pair);
    batch_state old = {.value = found == NODE_FOUND ? pair.value : 0, .present = found == NODE_FOUND};
    if (node != p->run.node) pass_open(p, node);
    uint32_t function = pass_answer(p->w, op, end, old), edit = p->run.end;
    uint8_t flags = batch_flags_of(old, function);
    if (!(flags & BATCH_CHANGED)) return;
    b->edit_key[edit] = key;
    b->edit_value[edit] = batch_apply(b, function, old).value;
    b->edit_node[edit] = node;
    b->edit_flags[edit] = flags;
    p->run.inserts += (flags & (BATCH_HAS | BATCH_HAD)) == BATCH_HAS;
    p->run.end = edit + 1;
}

static void pass_leaves(passing *p, const pass_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) pass_key(p, g->key[i], g->node[i], g->op[i], g->op[i + 1]);
}

/* ---- the pass ---- */

/* Processes this worker's range of operations. Returns how many edits are left to the other stages; until gather_edits
 * these lie behind the arrays' part for level 0, in the worker's own part. */
static uint32_t pass(batch_worker *w, op_stretch ops, double *search, double *modify)
{
    passing p = {.w = w, .ops = ops};
    pass_group group[2];
    uint32_t first = w->ops + ops.at;
    p.run.begin = p.run.end = first;
    group[0].count = 0;
    w->pass_first = ops.at;
    open_mail(w, ops);
    for (unsigned now = 0;; now = !now) {
        pass_take(&p, &group[!now]);
        pass_down(w->b.map, &group[!now]);
        *search += lap(w);
        pass_leaves(&p, &group[now]);
        *modify += lap(w);
        if (group[!now].count == 0) break;
    }
    pass_close(&p, w->member + 1 < w->team->members);
    w->job->parts[w->member].passed = (uint64_t)p.has - p.had;
    return p.run.end - first;
}

/* The edits that are left become edits of level 0, after those of lower-numbered workers. */
static void gather_edits(batch_worker *w, op_stretch ops, uint32_t left)
{
    const batch_ref *b = &w->b;
    uint32_t from = w->ops + ops.at, to = 0;
    w->job->parts[w->member].words[0] = left;
    tell(w);
    for (unsigned m = 0; m < w->member; m++) to += (uint32_t)hear(w, m)->words[0];
    memcpy(b->edit_key + to, b->edit_key + from, left * sizeof *b->edit_key);
    memcpy(b->edit_value + to, b->edit_value + from, left * sizeof *b->edit_value);
    memcpy(b->edit_node + to, b->edit_node + from, left * sizeof *b->edit_node);
    memcpy(b->edit_flags + to, b->edit_flags + from, left * sizeof *b->edit_flags);
    if (w->member + 1 == w->team->members) b->sizes->level[0].edits = to + left;
}
