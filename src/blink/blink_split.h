/* blink/blink_split.h - a full node becomes two. Included by blink.h, once per key width. */
#include "../level/level_slots.h"

#ifndef PLEACH_BLINK_SPARE
#define PLEACH_BLINK_SPARE
/* Keep some nodes for posting separators: leaves stop splitting a little before the pool is empty. */
PORT_FN uint64_t blink_spare_nodes(const pool_state *pool) { return port_load(&pool->capacity) / 64; }
#endif

/* The right part, 15 - left_count pairs, to a node that nobody knows yet. Answers its first key, the separator. */
PORT_FN W(key) W(write_right)(W(node) *fresh, const W(node) *node, unsigned level, W(pair) old_link, unsigned at,
                              W(pair) pair, unsigned left_count)
{
    unsigned right_count = NODE_CAPACITY + 1 - left_count;
    W(pair) moved[W(HALF) + 1];
    PORT_UNROLL for (unsigned i = 0; i <= W(HALF); i++)
        moved[i] = W(slot_with)(node, at, pair, i < right_count ? left_count + i : NODE_CAPACITY);
    PORT_UNROLL for (unsigned i = 0; i <= W(HALF); i++)
        if (i < right_count) W(pair_store)(fresh, i, moved[i]);
    bool last = !W(pair_is_link)(old_link);
    if (level)
        W(slots_pad)(fresh, right_count, last ? W(slot_with)(node, at, pair, NODE_CAPACITY) : old_link);
    else
        W(pair_store)(fresh, NODE_LINK_SLOT, old_link);
    port_store(&fresh->word[W(HEADER_WORD)], header_first(level, right_count));
    return moved[0].key;
}

/* Splits a full node, whose latch the caller holds and whose header was `header`, with `pair` put in at slot `at`, and
 * releases the latch. Answers (separator, new node), which is to be posted one level up. If the pool is empty the value
 * of the answer is NODE_NONE, nothing is changed, and the latch is released too. */
PORT_COLD W(pair) W(split)(W(blink) map, uint32_t id, uint64_t header, unsigned at, W(pair) pair)
{
    W(node) *node = W(node_at)(map, id);
    unsigned level = header_level(header);
    uint32_t right = pool_take(&map.tree->pool, map.nodes, sizeof(W(node)), map.stripe,
                               level ? 0 : blink_spare_nodes(&map.tree->pool));
    if (right == NODE_NONE) {
        /* A new version, though the node is as it was: with snapshots its record may have changed, and a reader that
         * has loaded half of it before must not take the rest for its other half. */
        W(unlatch)(node, header_next(header, header_count(header)));
        return W(pair_of)(0, NODE_NONE);
    }
    /* At the end of a level keep the old node full: ascending input then fills its nodes. */
    W(pair) old_link = W(pair_load)(node, NODE_LINK_SLOT);
    bool appending = at == NODE_CAPACITY && !W(pair_is_link)(old_link);
    unsigned left_count = appending ? NODE_CAPACITY : W(HALF);
    W(key) separator = W(write_right)(W(node_at)(map, right), node, level, old_link, at, pair, left_count);
    if (!level) W(inherit_images)(map, id, right);
    port_publish_fence(); /* the new node is there before anything names it */

    if (at < left_count) {
        W(slots_open)(node, at, left_count - 1);
        W(pair_store)(node, at, pair);
    }
    W(pair) link = W(link_to)(separator, right);
    if (level)
        W(slots_pad)(node, left_count, link);
    else
        W(pair_store)(node, NODE_LINK_SLOT, link);
    W(unlatch)(node, header_next(header, left_count));
    return W(pair_of)(separator, right);
}
