/* blink/blink_check_width.c - the validator, and counts over all nodes. Compiled once per key width. */
#include "blink_check.h"

#include "../base/check_report.h"
#include "../node/node.h"
#include "blink_shape.h"

#define PLEACH_NUMBER(n) ((unsigned long long)(n)) /* of a 16-byte key, the low half */

/* A walk over the whole tree. */
typedef struct check {
    const blink_tree *tree;
    void *nodes;
    uint64_t used_ids;
    uint64_t visited;
    uint64_t keys;
    uint64_t unposted;
    check_report said;
} check;

static const map_node *checked_node(check *c, uint64_t id)
{
    if (id != 0 && id < c->used_ids) return pool_address(c->nodes, (uint32_t)id, sizeof(map_node));
    complain(&c->said, "I3: a pair names node %llu, which does not exist", PLEACH_NUMBER(id));
    return NULL;
}

/* I1 and I4 for one node with the given low key. */
static void check_contents(check *c, const map_node *node, uint64_t id, map_key low)
{
    uint64_t header = header_load(node);
    unsigned count = header_count(header), level = header_level(header);
    if (header & HEADER_LATCHED) complain(&c->said, "node %llu is latched", PLEACH_NUMBER(id));
    if (count > NODE_CAPACITY) {
        complain(&c->said, "I1: node %llu has count %u", PLEACH_NUMBER(id), count);
        return;
    }
    map_pair link = pair_load(node, NODE_LINK_SLOT);
    bool last = !pair_is_link(link);
    for (unsigned i = 0; i < count; i++) {
        map_key key = pair_load(node, i).key;
        if (key < low)
            complain(&c->said, "I1: node %llu has key %llu below its low key", PLEACH_NUMBER(id), PLEACH_NUMBER(key));
        if (!last && key >= link.key)
            complain(&c->said, "I1: node %llu has key %llu at or above its high key", PLEACH_NUMBER(id),
                     PLEACH_NUMBER(key));
        if (i && key <= pair_load(node, i - 1).key)
            complain(&c->said, "I1: node %llu is not ascending at slot %u", PLEACH_NUMBER(id), i);
    }
    if (level == 0) return;
    if (count == 0 || pair_load(node, 0).key != low)
        complain(&c->said, "I4: node %llu does not begin with its low key", PLEACH_NUMBER(id));
    for (unsigned i = 0; i < count; i++)
        if (pair_is_link(pair_load(node, i)))
            complain(&c->said, "I3: node %llu has a link in slot %u, where a child belongs", PLEACH_NUMBER(id), i);
    map_pair pad = last && count ? pair_load(node, count - 1) : link;
    for (unsigned i = count; i <= NODE_LINK_SLOT; i++) {
        map_pair pair = pair_load(node, i);
        if (pair.key != pad.key || pair.value != pad.value)
            complain(&c->said, "I4: node %llu has a wrong pad in slot %u", PLEACH_NUMBER(id), i);
    }
}

/* Iterates over the pairs of one level from left to right. */
typedef struct pairs_of_level {
    const map_node *node; /* NULL at the end */
    unsigned slot;
} pairs_of_level;

static bool next_pair(check *c, pairs_of_level *at, map_pair *pair)
{
    while (at->node && at->slot >= header_count(header_load(at->node))) {
        map_pair link = pair_load(at->node, NODE_LINK_SLOT);
        at->node = pair_is_link(link) ? checked_node(c, pair_node(link)) : NULL;
        at->slot = 0;
    }
    if (!at->node) return false;
    *pair = pair_load(at->node, at->slot++);
    return true;
}

/* Checks one level: I1, I2 and I4 of its nodes; I3 and I5 against the level above, whose leftmost node is `parent`
 * (NULL for the root). Returns the leftmost node of the level below. */
static uint64_t check_level(check *c, uint64_t first, unsigned level, const map_node *parent)
{
    pairs_of_level above = {parent, 0};
    map_pair posted = {0, 0};
    bool any_posted = parent && next_pair(c, &above, &posted);
    map_key low = 0;
    for (uint64_t id = first; !c->said.made;) {
        const map_node *node = checked_node(c, id);
        if (!node) break;
        if (++c->visited >= c->used_ids) complain(&c->said, "I2: the links of level %u run in a circle", level);
        uint64_t header = header_load(node);
        if (header_level(header) != level)
            complain(&c->said, "I3: node %llu is not on level %u", PLEACH_NUMBER(id), level);
        check_contents(c, node, id, low);
        if (level == 0) c->keys += header_count(header);
        if (any_posted && pair_node(posted) == id) {
            if (posted.key != low)
                complain(&c->said, "I3: the pivot of node %llu is not its low key", PLEACH_NUMBER(id));
            any_posted = next_pair(c, &above, &posted);
        } else if (parent || id != first) { /* the root needs no pair, but its right neighbours do */
            c->unposted++;
        }
        map_pair link = pair_load(node, NODE_LINK_SLOT);
        if (!pair_is_link(link)) break;
        if (link.key <= low)
            complain(&c->said, "I2: the high key of node %llu is not above its low key", PLEACH_NUMBER(id));
        low = link.key;
        id = pair_node(link);
    }
    if (any_posted)
        complain(&c->said, "I3: a pair above level %u names node %llu, which is not there in order", level,
                 PLEACH_NUMBER(pair_node(posted)));
    const map_node *leftmost = level && !c->said.made ? checked_node(c, first) : NULL;
    return leftmost ? pair_node(pair_load(leftmost, 0)) : 0;
}

static void check_tree(check *c)
{
    uint64_t root = port_load(&c->tree->root);
    unsigned level = (unsigned)(root >> 32);
    uint64_t first = (uint32_t)root;
    const map_node *parent = NULL;
    if (level == 0) complain(&c->said, "I6: the root is a leaf");
    if (port_load(&c->tree->root_latch)) complain(&c->said, "the root is latched");
    while (!c->said.made) {
        uint64_t below = check_level(c, first, level, parent);
        if (level-- == 0) break;
        if (c->said.made) break;
        parent = checked_node(c, first);
        first = below;
    }
    if (c->said.made) return;
    if (c->unposted > port_load(&c->tree->unposted))
        complain(&c->said, "I5: %llu nodes have no pair above them, %llu are accounted for", PLEACH_NUMBER(c->unposted),
                 PLEACH_NUMBER(port_load(&c->tree->unposted)));
    if (c->keys != blink_stripes_sum(c->tree))
        complain(&c->said, "I7: the leaves hold %llu keys, the counters say %lld", PLEACH_NUMBER(c->keys),
                 (long long)blink_stripes_sum(c->tree));
    uint64_t taken = 0;
    for (uint64_t id = 1; id < c->used_ids; id++) {
        uint64_t header = header_load(pool_address(c->nodes, (uint32_t)id, sizeof(map_node)));
        taken += header != 0 && header_level(header) != NODE_OLD_IMAGE;
    }
    if (taken != c->visited)
        complain(&c->said, "I8: %llu nodes are in use, %llu can be reached", PLEACH_NUMBER(taken),
                 PLEACH_NUMBER(c->visited));
}

static void count_nodes(const blink_tree *tree, void *nodes, blink_counts *counts)
{
    *counts = (blink_counts){0};
    uint64_t used = blink_used_ids(tree);
    for (uint64_t id = 1; id < used; id++) {
        const map_node *node = pool_address(nodes, (uint32_t)id, sizeof(map_node));
        uint64_t header = header_load(node);
        if (header == 0) continue; /* skipped: P3 */
        if (header_level(header) == NODE_OLD_IMAGE) {
            counts->images++;
            continue;
        }
        counts->shape += node_shape(node);
        if (header_level(header) > 0) {
            counts->inner++;
            continue;
        }
        counts->leaves++;
        counts->keys += header_count(header);
        counts->empty_leaves += header_count(header) == 0;
    }
}

static bool validate(const blink_tree *tree, void *nodes, char *message, size_t message_size)
{
    check c = {.tree = tree, .nodes = nodes, .used_ids = blink_used_ids(tree),
               .said = {.message = message, .message_size = message_size}};
    if (message && message_size) message[0] = 0;
    check_tree(&c);
    return !c.said.made;
}

const blink_checks WIDTH_SYMBOL(blink_checks) = {count_nodes, validate};
