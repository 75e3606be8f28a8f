/* core/blink/blink_build.h - a whole tree from sorted, distinct keys: which nodes there are is arithmetic, so each node is
 * made by itself, by any agent, in any order. Runs alone (the gate). Include with PLEACH_KEY_BITS set, after blink.h.
 *
 * Level 0 has per_leaf keys a leaf, every level above per_inner children a node. Node j of level L begins at key
 * j * span[L]; ids ascend from left to right and from the leaves up, starting at 1.
 */
#include "blink_plan.h"

#include "../../base/width.h"

PORT_FN W(key) W(build_low)(const build_plan *plan, const W(key) *keys, uint32_t level, uint64_t index)
{
    return index == 0 ? 0 : keys[index * plan->span[level]];
}

PORT_FN void W(build_node)(const build_plan *plan, void *nodes, const W(key) *keys, const W(key) *values, uint32_t level,
                           uint64_t index)
{
    uint64_t per_node = level ? plan->per_inner : plan->per_leaf;
    uint64_t below = level ? plan->count[level - 1] : plan->keys;
    uint64_t first = index * per_node;
    uint64_t count = below - first < per_node ? below - first : per_node;
    bool last = index + 1 == plan->count[level];
    W(image) image;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        if (i >= count) continue;
        if (level)
            image.pair[i] = W(pair_of)(W(build_low)(plan, keys, level - 1, first + i),
                                       (W(key))(plan->first_id[level - 1] + first + i));
        else
            image.pair[i] = W(pair_of)(keys[first + i], values[first + i]);
        if (level) image.link = image.pair[i]; /* I4: the last pair, if there is no right neighbour */
    }
    uint32_t id = (uint32_t)(plan->first_id[level] + index);
    if (!last)
        image.link = W(link_to)(W(build_low)(plan, keys, level, index + 1), id + 1);
    else if (!level)
        image.link = W(pair_of)(0, 0);
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++)
        if (i >= count) image.pair[i] = image.link;
    W(node) *node = (W(node) *)pool_address(nodes, id, sizeof(W(node)));
    W(node_write)(node, &image, 0, NODE_CAPACITY);
    W(pair_store)(node, NODE_LINK_SLOT, image.link);
    port_store(&node->word[W(HEADER_WORD)], header_first(level, (unsigned)count));
}
