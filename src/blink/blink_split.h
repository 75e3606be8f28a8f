/* blink/blink_split.h - splits a full node into two. Included by blink.h. */
#include "../level/level_slots.h"

/* Nodes reserved for posting separators: leaves stop splitting slightly before the pool is empty. */
PORT_FN uint64_t blink_spare_nodes(const pool_state *pool) { return port_load(&pool->capacity) / 64; }

/* Writes the right part, 15 - left_count pairs, to a node not yet reachable. Returns its first key, the separator. */
PORT_FN map_key write_right(map_node *fresh, const map_node *node, unsigned level, map_pair old_link, unsigned at,
                            map_pair pair, unsigned left_count)
{
    unsigned right_count = NODE_CAPACITY + 1 - left_count;
    map_pair moved[HALF + 1];
    PORT_UNROLL for (unsigned i = 0; i <= HALF; i++)
        moved[i] = slot_with(node, at, pair, i < right_count ? left_count + i : NODE_CAPACITY);
    PORT_UNROLL for (unsigned i = 0; i <= HALF; i++)
        if (i < right_count) pair_store(fresh, i, moved[i]);
    bool last = !pair_is_link(old_link);
    if (level)
        slots_pad(fresh, right_count, last ? slot_with(node, at, pair, NODE_CAPACITY) : old_link);
    else
        pair_store(fresh, NODE_LINK_SLOT, old_link);
    port_store(&fresh->word[HEADER_WORD], header_first(level, right_count));
    return moved[0].key;
}

/* Splits a full node, with `pair` inserted at slot `at`, and releases its latch. The caller holds the latch; `header`
 * is the header from before. Returns (separator, new node), which must be posted one level up. If the pool is empty,
 * the returned value is NODE_NONE, nothing is changed, and the latch is released too. */
PORT_COLD map_pair split(map_thread map, uint32_t id, uint64_t header, unsigned at, map_pair pair)
{
    map_node *node = node_at(map, id);
    unsigned level = header_level(header);
    uint32_t right = pool_alloc(&map.tree->pool, map.nodes, sizeof(map_node), map.stripe,
                               level ? 0 : blink_spare_nodes(&map.tree->pool));
    if (right == NODE_NONE) {
        /* A new version although the node is unchanged: with snapshots its record may have changed, and a reader that
         * loaded half of it before must not combine that with the new half. */
        unlatch(node, header_next(header, header_count(header)));
        return pair_of(0, NODE_NONE);
    }
    /* At the end of a level keep the old node full, so that ascending input fills its nodes. */
    map_pair old_link = pair_load(node, NODE_LINK_SLOT);
    bool appending = at == NODE_CAPACITY && !pair_is_link(old_link);
    unsigned left_count = appending ? NODE_CAPACITY : HALF;
    map_key separator = write_right(node_at(map, right), node, level, old_link, at, pair, left_count);
    if (!level) share_version_chain(map, id, right);
    port_publish_fence(); /* the new node is there before anything names it */

    if (at < left_count) {
        slots_open(node, at, left_count - 1);
        pair_store(node, at, pair);
    }
    map_pair link = link_to(separator, right);
    if (level)
        slots_pad(node, left_count, link);
    else
        pair_store(node, NODE_LINK_SLOT, link);
    unlatch(node, header_next(header, left_count));
    return pair_of(separator, right);
}
