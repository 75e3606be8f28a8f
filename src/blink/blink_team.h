/* blink/blink_team.h - ranges by a whole warp: each thread finds the first leaf of its own query, then teams of a few
 * lanes read the leaves of one query after the other. GPU only; include after blink.h or versioned.h.
 *
 * A range reads whole leaves and writes contiguous results. Neighbouring lanes do both in few memory accesses, where
 * one thread needs a load for every 16 bytes (docs/performance.md compares the two). Leaves are validated as in
 * level/level_range.h: header, pairs, the same header again. No latch is taken, so the lanes may run in lockstep.
 *
 * A team processes its queries one after the other, so their memory latencies add up. To shorten them, each thread
 * first loads the headers of its first leaf and, if the interval continues there, of the next one: all leaves of a warp
 * are then in flight to L2 at the same time, and the header that must be read before the pairs has been read.
 *
 * In a map with versions every range is at a snapshot: the one that the caller named, or one that the block takes for
 * itself. The team then validates the leaf's record together with the leaf, and follows its version chain
 * (versioned/versioned_read.h).
 */
#include "blink_notes.h"

/* The number of lanes that read a leaf together, and what each of them reads. Of 2, 4 and 8 lanes, 8 was fastest. */
enum { TEAM_LANES = 8, LANE_SLOTS = NODE_SLOTS / TEAM_LANES, LINK_IN_LANE = LANE_SLOTS - 2 };
#define TEAM_MASK ((1u << TEAM_LANES) - 1)
#define WHOLE_WARP 0xffffffffu

/* Loads the header, with a hint that the whole node will be needed; compute capability 7.5 has no 256-byte hint. */
PORT_FN uint64_t header_load_ahead(const map_node *node)
{
    uint64_t header;
#if PLEACH_KEY_BITS == 32
    PTX_LOAD_AHEAD(header, relaxed, gpu, 128B, &node->word[15]);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    PTX_LOAD_AHEAD(header, relaxed, gpu, 128B, &node->word[30]);
#else
    PTX_LOAD_AHEAD(header, relaxed, gpu, 256B, &node->word[30]);
#endif
    return header;
}

/* Loads each lane's slots of a node, from lane * LANE_SLOTS on. The last lane has the link; its other slot, the
 * header's, is not a pair. */
PORT_FN void team_read(const map_node *node, unsigned lane, map_pair *pair)
{
#if PLEACH_KEY_BITS == 32
    PORT_UNROLL for (unsigned i = 0; i < LANE_SLOTS; i += 2) {
        port_two both = port_load_two(&node->word[lane * LANE_SLOTS + i]);
        pair[i] = pair_of_word(both.first);
        pair[i + 1] = pair_of_word(both.second);
    }
#else
    PORT_UNROLL for (unsigned i = 0; i < LANE_SLOTS; i++) pair[i] = pair_load(node, lane * LANE_SLOTS + i);
#endif
}

/* One query, known to all lanes of its team. */
typedef struct team_query {
    map_key target, high;
    map_key *keys, *values;
    uint64_t limit, room, count;
    uint64_t header;      /* of `node`, loaded ahead; 0: not loaded */
    uint64_t next_header; /* of node `next`, likewise */
    uint32_t node, next;
    bool active;
} team_query;

#ifdef BLINK_VERSIONED
/* Reads the version of a leaf that snapshot `at` shows, starting at old version `id`. It does not change. */
PORT_FN uint64_t team_read_leaf_at(map_thread map, uint32_t id, uint64_t at, unsigned lane, map_pair *pair)
{
    const version_record *record = map.versions->record;
    port_two row = port_load_two(&record[id].since);
    while (row.first > at) {
        id = (uint32_t)row.second;
        port_validate_fence(); /* as in read_older */
        row = port_load_two(&record[id].since);
    }
    const map_node *node = node_at(map, id);
    team_read(node, lane, pair);
    return header_load(node);
}
#endif

/* Returns the team's sum of two small numbers, in the halves of a word. */
PORT_FN unsigned team_sum(unsigned both)
{
    PORT_UNROLL for (unsigned step = TEAM_LANES / 2; step > 0; step /= 2)
        both += __shfl_xor_sync(WHOLE_WARP, both, step, TEAM_LANES);
    return both;
}

/* Visits one leaf. Lanes of inactive teams take part, because the exchanges below involve the whole warp. */
PORT_FN void team_leaf(map_thread map, uint64_t at, team_query *q)
{
    const unsigned lane = threadIdx.x % TEAM_LANES, team_base = threadIdx.x % 32 - lane, slot = lane * LANE_SLOTS;
    const map_node *node = node_at(map, q->node);
    map_pair pair[LANE_SLOTS], link;
    bool valid = false;
#ifdef BLINK_VERSIONED
    port_two row = {0, 0};
#endif
    uint64_t header = q->header;
    if (q->active && header == 0) header = header_load(node);
    header = __shfl_sync(WHOLE_WARP, header, 0, TEAM_LANES); /* one header for all lanes, loaded before any pair */
    PORT_UNROLL for (unsigned i = 0; i < LANE_SLOTS; i++) pair[i] = pair_of(0, 0);
    if (q->active) {
        team_read(node, lane, pair);
#ifdef BLINK_VERSIONED
        row = port_load_two(&map.versions->record[q->node].since);
#endif
        port_validate_fence();
        valid = !(header & HEADER_LATCHED) && header_load(node) == header;
    }
    /* Each lane has validated its own slots; the image is valid if all lanes agree. */
    valid = (__ballot_sync(WHOLE_WARP, valid) >> team_base & TEAM_MASK) == TEAM_MASK;
    q->header = 0; /* if this leaf is visited again, load a new header */
    link.key = __shfl_sync(WHOLE_WARP, pair[LINK_IN_LANE].key, TEAM_LANES - 1, TEAM_LANES);
    link.value = __shfl_sync(WHOLE_WARP, pair[LINK_IN_LANE].value, TEAM_LANES - 1, TEAM_LANES);
    bool right = valid && belongs_right(link, q->target);
#ifdef BLINK_VERSIONED
    /* One record for all lanes: lane 0's, which it has validated. */
    row.first = __shfl_sync(WHOLE_WARP, row.first, 0, TEAM_LANES);
    row.second = __shfl_sync(WHOLE_WARP, row.second, 0, TEAM_LANES);
    bool past = valid && !right && row.first > at;
    if (__any_sync(WHOLE_WARP, past)) {
        if (past) header = team_read_leaf_at(map, (uint32_t)row.second, at, lane, pair);
        link.key = __shfl_sync(WHOLE_WARP, pair[LINK_IN_LANE].key, TEAM_LANES - 1, TEAM_LANES);
        link.value = __shfl_sync(WHOLE_WARP, pair[LINK_IN_LANE].value, TEAM_LANES - 1, TEAM_LANES);
    }
#else
    (void)at;
#endif
    unsigned count = valid && !right ? header_count(header) : 0;
    unsigned below = 0, not_above = 0; /* the wanted pairs are those in between */
    PORT_UNROLL for (unsigned i = 0; i < LANE_SLOTS; i++) {
        below += slot + i < count && pair[i].key < q->target;
        not_above += slot + i < count && pair[i].key <= q->high;
    }
    unsigned sums = team_sum(below | not_above << 16);
    below = sums & 0xffff;
    not_above = sums >> 16;
    uint64_t room = q->room < q->limit ? q->room : q->limit;
    PORT_UNROLL for (unsigned i = 0; i < LANE_SLOTS; i++) {
        uint64_t place = q->count + (slot + i) - below;
        if (slot + i < below || slot + i >= not_above || place >= room) continue;
        if (q->keys) q->keys[place] = pair[i].key;
        if (q->values) q->values[place] = pair[i].value;
    }
    if (!valid) return; /* visit it again */
    q->node = pair_node(link);
    if (q->node == q->next) q->header = q->next_header;
    if (right) return;
    q->count += not_above - below;
    if (q->count > q->limit) q->count = q->limit;
    q->target = link.key;
    q->active = pair_is_link(link) && link.key <= q->high && q->count < q->limit;
}

PORT_FN void team_look_ahead(map_thread map, team_query *q)
{
    const map_node *node = node_at(map, q->node);
    q->header = header_load_ahead(node);
#ifdef BLINK_VERSIONED
    port_prefetch(&map.versions->record[q->node]);
#endif
    map_pair link = pair_load(node, NODE_LINK_SLOT);
    if (!pair_is_link(link) || link.key > q->high) return;
    q->next = pair_node(link);
#ifdef BLINK_VERSIONED
    port_prefetch(&map.versions->record[q->next]);
#endif
    q->next_header = header_load_ahead(node_at(map, q->next));
}

PORT_FN void team_no_query(team_query *q)
{
    q->active = false;
    q->node = q->next = NODE_NONE;
    q->header = q->next_header = 0;
    q->target = q->high = 0;
    q->limit = q->room = 0;
    q->keys = q->values = NULL;
}

PORT_FN void team_query_set(team_query *q, map_key lo, map_key hi, uint64_t limit, map_key *keys, map_key *values)
{
    team_no_query(q);
    q->target = lo;
    q->high = hi;
    q->limit = q->room = limit;
    q->keys = keys;
    q->values = values;
}

/* Starts the calling thread's query, whose other members are already set. Needs low <= high. */
PORT_FN void team_start(map_thread map, team_query *q)
{
    level_cursor cursor;
    cursor_start(map, &cursor, q->target);
    while (cursor.level > 0) cursor_descend(map, &cursor);
    q->node = cursor.node;
    q->active = true;
    team_look_ahead(map, q);
}

/* Must be called by all lanes of a warp; runs the query of each. Returns the number of pairs that the caller's own
 * query, query i, has found. If that query was *noted instead, the result is meaningless. */
PORT_FN uint64_t team_run_or_note(map_thread map, uint64_t at, const team_query *own, long_notes *notes, uint64_t i,
                                  bool *noted)
{
    uint64_t found = 0;
    *noted = false;
    __syncwarp();
    for (unsigned turn = 0; turn < TEAM_LANES; turn++) {
        team_query q;
        unsigned visits = 0;
        q.target = __shfl_sync(WHOLE_WARP, own->target, turn, TEAM_LANES);
        q.high = __shfl_sync(WHOLE_WARP, own->high, turn, TEAM_LANES);
        q.limit = __shfl_sync(WHOLE_WARP, own->limit, turn, TEAM_LANES);
        q.room = __shfl_sync(WHOLE_WARP, own->room, turn, TEAM_LANES);
        q.node = __shfl_sync(WHOLE_WARP, own->node, turn, TEAM_LANES);
        q.next = __shfl_sync(WHOLE_WARP, own->next, turn, TEAM_LANES);
        q.header = __shfl_sync(WHOLE_WARP, own->header, turn, TEAM_LANES);
        q.next_header = __shfl_sync(WHOLE_WARP, own->next_header, turn, TEAM_LANES);
        q.active = __shfl_sync(WHOLE_WARP, (int)own->active, turn, TEAM_LANES);
        q.keys = (map_key *)__shfl_sync(WHOLE_WARP, (uint64_t)own->keys, turn, TEAM_LANES);
        q.values = (map_key *)__shfl_sync(WHOLE_WARP, (uint64_t)own->values, turn, TEAM_LANES);
        q.count = 0;
        /* Terminates: a team's target grows with every leaf read; a leaf that is being written is visited again. */
        while (__any_sync(WHOLE_WARP, q.active)) {
            team_leaf(map, at, &q);
            if (++visits != LONG_VISITS) continue;
            if (q.active && threadIdx.x % TEAM_LANES == turn) *noted = long_note(notes, i);
            if (__shfl_sync(WHOLE_WARP, (int)*noted, turn, TEAM_LANES)) q.active = false;
        }
        if (threadIdx.x % TEAM_LANES == turn) found = q.count;
    }
    __syncwarp(); /* lanes have written each other's results */
    return found;
}

/* The same without noting queries. */
PORT_FN uint64_t team_run(map_thread map, uint64_t at, const team_query *own)
{
    bool noted;
    return team_run_or_note(map, at, own, NULL, 0, &noted);
}
