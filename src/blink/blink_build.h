/* blink/blink_build.h - builds a whole tree from sorted, distinct keys. The set of nodes follows from arithmetic, so
 * each slot of each node can be written independently, by any thread, in any order. Runs exclusively (the gate).
 * Include after blink.h.
 *
 * Level 0 has per_leaf keys per leaf, every level above has per_inner children per node. Node j of level L begins at
 * key j * span[L]; ids ascend from left to right and from the leaves up, starting at 1. In a skiplist the first chunk
 * of a level is its head, which has an id of its own, and every chunk is RAISED.
 */
#include "blink_plan.h"

#include "../base/width.h"

PORT_FN uint32_t build_id(const build_plan *plan, uint32_t level, uint64_t index)
{
#ifdef BLINK_SKIPLIST
    if (index == 0) return skiplist_head(level);
#endif
    return (uint32_t)(plan->first_id[level] + index);
}

PORT_FN unsigned build_bits(uint32_t level)
{
#ifdef BLINK_SKIPLIST
    return chunk_bits(level, CHUNK_RAISED);
#else
    return level;
#endif
}

PORT_FN map_key build_low(const build_plan *plan, const map_key *keys, uint32_t level, uint64_t index)
{
    return index == 0 ? 0 : keys[index * plan->span[level]];
}

/* Returns the pair for slot `slot` of a node, up to the link's slot. Each slot is independent, so that the lanes of a
 * GPU can write a node together. */
PORT_FN map_pair build_pair(const build_plan *plan, const map_key *keys, const map_key *values, uint32_t level,
                            uint64_t index, unsigned slot)
{
    uint64_t per_node = level ? plan->per_inner : plan->per_leaf;
    uint64_t below = level ? plan->count[level - 1] : plan->keys;
    uint64_t first = index * per_node;
    uint64_t count = below - first < per_node ? below - first : per_node;
    bool last = index + 1 == plan->count[level];
    if (slot >= count && !last)
        return link_to(build_low(plan, keys, level, index + 1), build_id(plan, level, index + 1));
    if (slot >= count && !level) return pair_of(0, 0);
    uint64_t at = first + (slot < count ? slot : count - 1); /* I4: without a right neighbour, repeat the last pair */
    if (!level) return pair_of(keys[at], values[at]);
    return pair_of(build_low(plan, keys, level - 1, at), (map_key)build_id(plan, level - 1, at));
}

PORT_FN void build_slot(const build_plan *plan, void *nodes, const map_key *keys, const map_key *values,
                        uint32_t level, uint64_t index, unsigned slot)
{
    map_node *node = (map_node *)pool_address(nodes, build_id(plan, level, index), sizeof(map_node));
    if (slot == NODE_HEADER_SLOT) {
        uint64_t per_node = level ? plan->per_inner : plan->per_leaf;
        uint64_t below = level ? plan->count[level - 1] : plan->keys;
        uint64_t left = below - index * per_node;
        unsigned count = (unsigned)(left < per_node ? left : per_node);
        port_store(&node->word[HEADER_WORD], header_first(build_bits(level), count));
        return;
    }
    pair_store(node, slot, build_pair(plan, keys, values, level, index, slot));
}
