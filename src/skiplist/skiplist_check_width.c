/* skiplist/skiplist_check_width.c - the validator, and counts over all chunks. Compiled once per key width and chunk
 * size, PLEACH_NODE_SLOTS. */
#include "skiplist_check.h"

#include "../base/check_report.h"
#include "../node/node.h"
#include "../blink/blink_shape.h"
#include "skiplist_format.h"

#define NUMBER(n) ((unsigned long long)(n))

/* A walk over all levels. */
typedef struct check {
    const blink_tree *tree;
    void *nodes;
    uint64_t used_ids, visited, keys;
    check_report said;
} check;

static void count_chunk(void *nodes, uint64_t id, blink_counts *counts)
{
    const map_node *chunk = pool_address(nodes, (uint32_t)id, sizeof(map_node));
    uint64_t header = header_load(chunk);
    if (header == 0) return; /* free, or skipped: P3 */
    if (chunk_state(header) == CHUNK_ZOMBIE) {
        counts->images++;
        return;
    }
    counts->shape += node_shape(chunk);
    if (chunk_level(header) > 0) {
        counts->inner++;
        return;
    }
    counts->leaves++;
    counts->keys += header_count(header);
    counts->empty_leaves += header_count(header) == 0;
}

static const map_node *checked_chunk(check *c, uint64_t id)
{
    if (id != 0 && id < c->used_ids) return pool_address(c->nodes, (uint32_t)id, sizeof(map_node));
    complain(&c->said, "S5: a pair names chunk %llu, which does not exist", NUMBER(id));
    return NULL;
}

/* S3, and the padding of the slots behind the pairs of an upper chunk. */
static void check_upper(check *c, const map_node *chunk, uint64_t id, map_key low, unsigned count, map_pair link)
{
    if (count == 0 || pair_load(chunk, 0).key != low)
        complain(&c->said, "S3: chunk %llu does not begin with its low key", NUMBER(id));
    for (unsigned i = 1; i < count; i++)
        if (pair_load(chunk, i).key <= pair_load(chunk, i - 1).key)
            complain(&c->said, "S3: chunk %llu is not ascending at slot %u", NUMBER(id), i);
    map_pair pad = !pair_is_link(link) && count ? pair_load(chunk, count - 1) : link;
    for (unsigned i = count; i <= NODE_LINK_SLOT; i++) {
        map_pair pair = pair_load(chunk, i);
        if (pair.key != pad.key || pair.value != pad.value)
            complain(&c->said, "S5: chunk %llu has a wrong pad in slot %u", NUMBER(id), i);
    }
}

static void check_chunk(check *c, const map_node *chunk, uint64_t id, map_key low, unsigned level)
{
    uint64_t header = header_load(chunk);
    unsigned count = header_count(header);
    if (header & HEADER_LATCHED) complain(&c->said, "chunk %llu is latched", NUMBER(id));
    if (chunk_state(header) == CHUNK_ZOMBIE) complain(&c->said, "S5: a live chunk links to zombie %llu", NUMBER(id));
    if (chunk_level(header) != level) complain(&c->said, "S1: chunk %llu is not on level %u", NUMBER(id), level);
    if (count > NODE_CAPACITY) complain(&c->said, "S3: chunk %llu has count %u", NUMBER(id), count);
    if (c->said.made) return;
    map_pair link = pair_load(chunk, NODE_LINK_SLOT);
    for (unsigned i = 0; i < count; i++) {
        map_key key = pair_load(chunk, i).key;
        if (key < low || (pair_is_link(link) && key >= link.key))
            complain(&c->said, "S3: chunk %llu does not cover its key %llu", NUMBER(id), NUMBER(key));
        for (unsigned j = 0; j < i; j++)
            if (pair_load(chunk, j).key == key)
                complain(&c->said, "S3: chunk %llu has key %llu twice", NUMBER(id), NUMBER(key));
    }
    if (level > 0) check_upper(c, chunk, id, low, count, link);
}

/* Iterates over the pairs of one level from left to right. */
typedef struct pairs_of_level {
    const map_node *chunk; /* NULL at the end */
    unsigned slot;
} pairs_of_level;

static bool next_pair(check *c, pairs_of_level *at, map_pair *pair)
{
    while (at->chunk && at->slot >= header_count(header_load(at->chunk))) {
        map_pair link = pair_load(at->chunk, NODE_LINK_SLOT);
        at->chunk = pair_is_link(link) ? checked_chunk(c, pair_node(link)) : NULL;
        at->slot = 0;
    }
    if (!at->chunk) return false;
    *pair = pair_load(at->chunk, at->slot++);
    return true;
}

/* S4. `named` is true if the level above has a pair for the chunk. */
static void check_state(check *c, uint64_t id, uint64_t header, bool named)
{
    unsigned state = chunk_state(header);
    if (state == CHUNK_RAISING) complain(&c->said, "S4: nobody is raising chunk %llu any more", NUMBER(id));
    if (state == CHUNK_RAISED && !named)
        complain(&c->said, "S4: chunk %llu is raised and has no pair above", NUMBER(id));
    if (state == CHUNK_LOW && named) complain(&c->said, "S4: chunk %llu is low and has a pair above", NUMBER(id));
}

static void check_level(check *c, unsigned level)
{
    bool top = level + 1 == SKIPLIST_LEVELS;
    pairs_of_level above = {top ? NULL : checked_chunk(c, skiplist_head(level + 1)), 0};
    map_pair pair = {0, 0};
    bool more = next_pair(c, &above, &pair);
    map_key low = 0;
    for (uint64_t id = skiplist_head(level); !c->said.made;) {
        const map_node *chunk = checked_chunk(c, id);
        if (!chunk) return;
        if (++c->visited >= c->used_ids) complain(&c->said, "S2: the links of level %u run in a circle", level);
        check_chunk(c, chunk, id, low, level);
        if (c->said.made) return;
        if (level == 0) c->keys += header_count(header_load(chunk));
        bool named = more && pair_node(pair) == id;
        if (named && pair.key != low)
            complain(&c->said, "S4: the pair of chunk %llu does not have its low key", NUMBER(id));
        check_state(c, id, header_load(chunk), named || (top && low == 0));
        if (named) more = next_pair(c, &above, &pair);
        map_pair link = pair_load(chunk, NODE_LINK_SLOT);
        if (!pair_is_link(link)) break;
        if (link.key <= low) complain(&c->said, "S2: the high key of chunk %llu is not above its low key", NUMBER(id));
        low = link.key;
        id = pair_node(link);
    }
    if (more && !c->said.made)
        complain(&c->said, "S5: a pair above level %u names chunk %llu, which is not there in order", level,
                 NUMBER(pair_node(pair)));
}

/* S6: no level above the one at which searches begin has more than its head's first pair. */
static void check_root(check *c)
{
    uint64_t root = port_load(&c->tree->root);
    uint32_t level = (uint32_t)(root >> 32);
    if (level < 1 || level >= SKIPLIST_LEVELS || root != skiplist_root(level)) {
        complain(&c->said, "S6: searches begin at no head");
        return;
    }
    while (++level < SKIPLIST_LEVELS) {
        const map_node *head = checked_chunk(c, skiplist_head(level));
        if (head && (header_count(header_load(head)) > 1 || pair_is_link(pair_load(head, NODE_LINK_SLOT))))
            complain(&c->said, "S6: searches begin below level %u, which has pairs", level);
    }
}

static void check_skiplist(check *c)
{
    for (unsigned level = SKIPLIST_LEVELS; level-- > 0 && !c->said.made;) check_level(c, level);
    if (!c->said.made) check_root(c);
    if (c->said.made) return;
    uint64_t size = 0, live = 0;
    for (unsigned i = 0; i < BLINK_STRIPES; i++) size += port_load(&c->tree->stripe[i].size);
    if (c->keys != size)
        complain(&c->said, "S7: the chunks hold %llu keys, the counters say %lld", NUMBER(c->keys), (long long)size);
    for (uint64_t id = 1; id < c->used_ids; id++) {
        uint64_t header = header_load(pool_address(c->nodes, (uint32_t)id, sizeof(map_node)));
        live += header != 0 && chunk_state(header) != CHUNK_ZOMBIE;
    }
    if (live != c->visited)
        complain(&c->said, "S8: %llu chunks are live, %llu can be reached", NUMBER(live), NUMBER(c->visited));
}

static void count_chunks(const blink_tree *tree, void *nodes, blink_counts *counts)
{
    *counts = (blink_counts){0};
    uint64_t used = blink_used_ids(tree);
    for (uint64_t id = 1; id < used; id++) count_chunk(nodes, id, counts);
}

static bool validate(const blink_tree *tree, void *nodes, char *message, size_t message_size)
{
    check c = {.tree = tree, .nodes = nodes, .used_ids = blink_used_ids(tree),
               .said = {.message = message, .message_size = message_size}};
    if (message && message_size) message[0] = 0;
    check_skiplist(&c);
    return !c.said.made;
}

#if PLEACH_NODE_SLOTS == 16
const blink_checks WIDTH_SYMBOL(skiplist16_checks) = {count_chunks, validate};
#else
const blink_checks WIDTH_SYMBOL(skiplist32_checks) = {count_chunks, validate};
#endif
