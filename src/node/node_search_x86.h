/* node/node_search_x86.h - node_route and node_lookup, built on slots_at_or_below and slots_equal. x86 does not reorder
 * loads with loads, so validation needs only a compiler barrier, which is what port_validate_fence is there. */

PORT_FN uint64_t node_end(const map_node *node, map_pair *link)
{
    uint64_t header = port_load_acquire(&node->word[HEADER_WORD]);
    *link = pair_load(node, NODE_LINK_SLOT);
    return header;
}

PORT_FN bool node_route(const map_node *node, map_key key, map_pair *pair)
{
    unsigned below = slots_at_or_below(node, key);
    /* Bit 0 is set because slot 0 holds the node's low key. The trailing ones are counted, not all ones, so that a slot
     * that is read between two stores of a shift cannot carry the search past it. */
    unsigned slot = (unsigned)__builtin_ctz(~(below | 1)) - 1;
    *pair = pair_load(node, slot);
    return pair->key <= key; /* false if the slot was shifted between the two loads */
}

PORT_FN node_answer node_lookup(const map_node *node, map_key key, map_pair *pair)
{
    uint64_t header = port_load_acquire(&node->word[HEADER_WORD]);
    unsigned valid = (1u << header_count(header)) - 1;
    unsigned equal = slots_equal(node, key) & valid;
    if (equal) {
        if (NODE_HIT_WAITS && (header & HEADER_LATCHED)) return NODE_CHANGED;
        *pair = pair_load(node, (unsigned)__builtin_ctz(equal));
        port_validate_fence(); /* this thread's later operations see no older state than this one did */
        return pair->key == key ? NODE_FOUND : NODE_CHANGED; /* found: linearized at the header's load, or later */
    }
    *pair = pair_load(node, NODE_LINK_SLOT);
    if (pair_is_link(*pair) && key >= pair->key) return NODE_RIGHT; /* a link stays valid forever */
    port_validate_fence();
    bool unchanged = !(header & HEADER_LATCHED) && header_load(node) == header;
    return unchanged ? NODE_ABSENT : NODE_CHANGED; /* absent: linearized between the two loads of the header */
}

PORT_FN uint64_t node_last(const map_node *node, map_pair *link)
{
    port_validate_fence();
    *link = pair_load(node, NODE_LINK_SLOT);
    port_validate_fence();
    return header_load(node);
}

PORT_FN unsigned node_scan(const map_node *node, unsigned count, map_key key, map_pair *pair)
{
    unsigned equal = slots_equal(node, key) & ((1u << count) - 1);
    for (; equal; equal &= equal - 1) {
        unsigned slot = (unsigned)__builtin_ctz(equal);
        *pair = pair_load(node, slot);
        if (pair->key == key) return slot; /* otherwise it was moved between the two loads */
    }
    return NODE_SLOTS;
}

#include "node_image.h"
#include "node_sink.h"
