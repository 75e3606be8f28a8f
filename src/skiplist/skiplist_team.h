/* skiplist/skiplist_team.h - a team of 2 to 32 neighbouring lanes searches for one key, as in the paper: each lane
 * loads its share of a chunk, 16 bytes at a time, and the lanes exchange what they have found. This is not one atomic
 * read: the lanes' loads may be of different instants, as the loads of one thread are, and the arguments of skiplist.h
 * hold for both. CUDA only; all lanes of a team must call these functions together. Include after skiplist.h. */
typedef struct team {
    unsigned lanes, lane;
    unsigned mask; /* the team's lanes within the warp */
} team;

PORT_FN team team_of(unsigned lanes)
{
    team t;
    t.lanes = lanes;
    t.lane = threadIdx.x % lanes;
    t.mask = (lanes == 32 ? 0xffffffffu : (1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
    return t;
}

PORT_FN uint32_t team_word(team t, uint32_t word, unsigned from) { return __shfl_sync(t.mask, word, from, t.lanes); }
PORT_FN uint64_t team_word(team t, uint64_t word, unsigned from) { return __shfl_sync(t.mask, word, from, t.lanes); }

PORT_FN map_pair team_pair(team t, map_pair pair, unsigned from)
{
    return pair_of(team_word(t, pair.key, from), team_word(t, pair.value, from));
}

/* Pairs per load of 16 bytes: slots from load * TEAM_PAIRS on. */
#if PLEACH_KEY_BITS == 32
enum { TEAM_PAIRS = 2 };
PORT_FN void team_split(port_two two, map_pair *pair)
{
    pair[0] = pair_of_word(two.first);
    pair[1] = pair_of_word(two.second);
}
#else
enum { TEAM_PAIRS = 1 };
PORT_FN void team_split(port_two two, map_pair *pair) { pair[0] = pair_of_words(two); }
#endif

/* Returns the last pair of an upper chunk at or below the key, as node_route does. */
PORT_FN map_pair team_route(team t, const map_node *node, map_key key)
{
    map_pair best = pair_of(0, NODE_NONE), pair[TEAM_PAIRS];
    bool any = false;
    for (unsigned load = t.lane; load < NODE_SLOTS / TEAM_PAIRS; load += t.lanes) {
        team_split(port_load_two_cached(&node->word[2 * load]), pair);
        PORT_UNROLL for (unsigned i = 0; i < TEAM_PAIRS; i++) {
            if (load * TEAM_PAIRS + i > NODE_LINK_SLOT || pair[i].key > key) continue;
            if (!any || pair[i].key >= best.key) best = pair[i];
            any = true;
        }
    }
    for (unsigned by = t.lanes / 2; by > 0; by /= 2) {
        map_pair other = pair_of(__shfl_xor_sync(t.mask, best.key, by), __shfl_xor_sync(t.mask, best.value, by));
        bool others = __shfl_xor_sync(t.mask, (int)any, by);
        if (others && (!any || other.key > best.key)) best = other;
        any |= others;
    }
    return team_pair(t, best, 0); /* in case two lanes have seen different pairs under one key */
}

/* Visits one upper chunk: down, or to the right. */
PORT_FN void team_descend(map_thread map, team t, level_cursor *cursor)
{
    cursor_follow(map, cursor, team_route(t, node_at(map, cursor->node), cursor->target));
    cursor->node = team_word(t, cursor->node, 0); /* one load of the root for all lanes */
    cursor->level = team_word(t, cursor->level, 0);
}

PORT_FN void team_start(map_thread map, team t, level_cursor *cursor, map_key key)
{
    cursor_start(map, cursor, key);
    cursor->node = team_word(t, cursor->node, 0);
    cursor->level = team_word(t, cursor->level, 0);
}

/* node_scan by all lanes. Returns to all of them the slot that holds the key, and its pair, or NODE_SLOTS. */
PORT_FN unsigned team_scan(team t, const map_node *node, unsigned count, map_key key, map_pair *found)
{
    map_pair pair[TEAM_PAIRS];
    unsigned slot = NODE_SLOTS;
    for (unsigned load = t.lane; load * TEAM_PAIRS < count; load += t.lanes) {
        team_split(port_load_two(&node->word[2 * load]), pair);
        PORT_UNROLL for (unsigned i = 0; i < TEAM_PAIRS; i++) {
            if (load * TEAM_PAIRS + i >= count || pair[i].key != key) continue;
            *found = pair[i];
            slot = load * TEAM_PAIRS + i;
        }
    }
    unsigned hits = __ballot_sync(t.mask, slot < NODE_SLOTS) & t.mask;
    if (!hits) return NODE_SLOTS;
    unsigned who = (__ffs(hits) - 1) % t.lanes;
    *found = team_pair(t, *found, who);
    return team_word(t, slot, who);
}

/* chunk_look by all lanes; the first lane loads header and link. */
PORT_FN node_answer team_look(team t, const map_node *node, map_key key, map_pair *pair)
{
    uint64_t before = t.lane == 0 ? header_load(node) : 0, after = 0;
    before = team_word(t, before, 0);
    port_validate_fence();
    unsigned slot = team_scan(t, node, header_count(before), key, pair);
    if (slot < NODE_SLOTS) {
        after = t.lane == 0 ? header_load(node) : 0;
        return slot < header_count(team_word(t, after, 0)) ? NODE_FOUND : NODE_CHANGED; /* as in chunk_look */
    }
    map_pair link = pair_of(0, 0);
    __syncwarp(t.mask); /* all lanes have read their slots */
    if (t.lane == 0) after = node_last(node, &link);
    after = team_word(t, after, 0);
    *pair = team_pair(t, link, 0);
    if (pair_is_link(*pair) && key >= pair->key) return NODE_RIGHT;
    return (after ^ before) & ~HEADER_LATCHED ? NODE_CHANGED : NODE_ABSENT;
}

PORT_FN void team_find(map_thread map, team t, find_op *find, map_key key)
{
    map_pair pair;
    team_start(map, t, &find->cursor, key);
    for (;;) {
        while (find->cursor.level > 0) team_descend(map, t, &find->cursor);
        node_answer answer = team_look(t, node_at(map, find->cursor.node), key, &pair);
        find->found = answer == NODE_FOUND;
        find->value = pair.value;
        if (answer == NODE_FOUND || answer == NODE_ABSENT) return;
        if (answer == NODE_RIGHT) cursor_right(map, &find->cursor, pair);
        else if (t.lane == 0) port_fetch_add(&map.tree->restarts, 1);
        find->cursor.node = team_word(t, find->cursor.node, 0);
        find->cursor.level = team_word(t, find->cursor.level, 0);
    }
}

/* The team descends together. Its first lane does the rest and has the result. */
PORT_FN void team_update(map_thread map, team t, update_op *update, op_kind kind, map_key key, map_key value)
{
    update_start(map, update, kind, key, value);
    team_start(map, t, &update->cursor, key);
    while (update->cursor.level > 0) team_descend(map, t, &update->cursor);
    if (t.lane == 0) update_finish(map, update);
    __syncwarp(t.mask);
}
