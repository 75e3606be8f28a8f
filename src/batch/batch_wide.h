/* batch/batch_wide.h - the wide counts of a batch (batch_count.h), by a team of threads. Included by batch_cpu.c. */

/* A count that needs more steps through keys and leaves than this is wide. The simulator's maps are small. */
#ifdef PLEACH_SIM
enum { WALK_AT_MOST = 8 };
#else
enum { WALK_AT_MOST = 256 };
#endif

/* Returns true if walking was enough to compute the count. */
static bool count_by_walking(batch_worker *w, uint32_t op)
{
    return batch_count_walk(&w->b, op, WALK_AT_MOST);
}

/* ---- keys before each leaf ---- */

/* Returns `sum` plus the keys in the leaves from `leaf` up to but not including `end`, which may be NODE_NONE. If
 * `before` is set, also stores for each leaf the keys before it. */
static uint64_t add_leaves(map_thread map, uint32_t leaf, uint32_t end, uint64_t *before, uint64_t sum)
{
    while (leaf != end && leaf != NODE_NONE) {
        const map_node *node = node_at(map, leaf);
        map_pair link = pair_load(node, NODE_LINK_SLOT);
        uint32_t next = pair_is_link(link) ? pair_node(link) : NODE_NONE;
        if (next != NODE_NONE) prefetch_node(map, next);
        if (before) before[leaf] = sum;
        sum += header_count(header_load(node));
        leaf = next;
    }
    return sum;
}

/* Returns the leaf at which a worker's part of all leaves begins. The parts are equal shares of the root's children, of
 * their children, and so on. */
static uint32_t first_leaf_of(const batch_worker *w, unsigned member)
{
    map_thread map = w->b.map;
    uint32_t id = (uint32_t)w->b.sizes->root, level = (uint32_t)(w->b.sizes->root >> 32);
    double part = (double)member / w->team->members; /* of the current node */
    if (member == w->team->members) return NODE_NONE;
    for (; level > 0; level--) {
        const map_node *node = node_at(map, id);
        unsigned count = header_count(header_load(node)), child = (unsigned)(part * count);
        if (child >= count) child = count - 1;
        part = part * count - child;
        id = pair_node(pair_load(node, child));
    }
    return id;
}

static void rank_leaves(batch_worker *w, const batch_counting *c)
{
    uint32_t first = first_leaf_of(w, w->member), end = first_leaf_of(w, w->member + 1);
    uint64_t sum = 0;
    w->job->parts[w->member].words[0] = add_leaves(w->b.map, first, end, NULL, 0);
    team_barrier(w->team);
    for (unsigned m = 0; m < w->member; m++) sum += w->job->parts[m].words[0];
    team_barrier(w->team);
    add_leaves(w->b.map, first, end, c->before, sum);
}

/* ---- bit by bit ---- */

/* The scan over one bit of the positions; then partitions the operations by it. */
static void divide(batch_worker *w, batch_counting *c, unsigned bit)
{
    uint32_t n = w->b.sizes->ops;
    uint32_t zeros = 0, all_zeros = 0;
    int32_t sum = 0;
    uint32_t begin = part_begin(w->team, w->member, n), end = part_begin(w->team, w->member + 1, n);
    for (uint32_t i = begin; i < end; i++) {
        bool zero = !(c->place[0][i] >> bit & 1);
        zeros += zero;
        sum += zero ? c->change[0][i] : 0;
    }
    w->job->parts[w->member].words[0] = zeros;
    w->job->parts[w->member].words[1] = (uint64_t)(int64_t)sum;
    team_barrier(w->team);
    zeros = 0;
    sum = 0;
    for (unsigned m = 0; m < w->team->members; m++) {
        if (m < w->member) zeros += (uint32_t)w->job->parts[m].words[0];
        if (m < w->member) sum += (int32_t)(int64_t)w->job->parts[m].words[1];
        all_zeros += (uint32_t)w->job->parts[m].words[0];
    }
    for (uint32_t i = begin; i < end; i++) {
        bool zero = !(c->place[0][i] >> bit & 1);
        uint32_t to = zero ? zeros : all_zeros + i - zeros;
        c->zeros[i] = zeros;
        c->zero_sum[i] = sum;
        c->place[1][to] = c->place[0][i];
        c->change[1][to] = c->change[0][i];
        zeros += zero;
        sum += zero ? c->change[0][i] : 0;
    }
    if (end == n && begin < end) {
        c->zeros[n] = zeros;
        c->zero_sum[n] = sum;
    }
    team_barrier(w->team);
}

/* Computes all wide counts; each worker has its own in `wide`. */
static void count_wide(batch_worker *w, batch_counting c, batch_wide *wide, uint32_t n)
{
    uint32_t ops = w->b.sizes->ops;
    unsigned bits = 1;
    while (bits < BATCH_PLACE_BITS && w->job->request.n >> bits) bits++;
    rank_leaves(w, &c);
    FOR_PART(w, op, ops) {
        c.place[0][op] = batch_place(&w->b, op);
        c.change[0][op] = batch_change_of(&w->b, op);
    }
    for (uint32_t i = 0; i < n; i++) wide[i] = batch_wide_start(&w->b, wide[i].op);
    team_barrier(w->team);
    for (unsigned bit = bits; bit-- > 0;) {
        divide(w, &c, bit);
        for (uint32_t i = 0; i < n; i++) batch_wide_step(&w->b, &c, &wide[i], bit);
        uint32_t *place = c.place[0];
        int8_t *change = c.change[0];
        c.place[0] = c.place[1];
        c.place[1] = place;
        c.change[0] = c.change[1];
        c.change[1] = change;
        team_barrier(w->team);
    }
    for (uint32_t i = 0; i < n; i++) batch_wide_end(&w->b, &c, &wide[i]);
}
