/* core/blink/blink_shape.h - a digest of one node: its level, its pairs and its high key, but not the ids of nodes.
 * Added up over all nodes of a tree it is the same for trees of the same shape and contents. Include after node.h, once
 * per key width. */

#ifndef PLEACH_BLINK_SHAPE
#define PLEACH_BLINK_SHAPE
PORT_FN uint64_t shape_mix(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * 0x9e3779b97f4a7c15u;
    return digest ^ digest >> 29;
}
#endif

PORT_FN uint64_t W(node_shape)(const W(node) *node)
{
    uint64_t header = W(header_load)(node);
    unsigned count = header_count(header), level = header_level(header);
    uint64_t digest = shape_mix(level + 1, count);
    for (unsigned i = 0; i < count; i++) {
        W(pair) pair = W(pair_load)(node, i);
        digest = shape_mix(digest, pair.key);
        if (level == 0) digest = shape_mix(digest, pair.value);
    }
    W(pair) link = W(pair_load)(node, NODE_LINK_SLOT);
    return shape_mix(digest, W(pair_is_link)(link) ? link.key : 1);
}
