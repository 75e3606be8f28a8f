/* blink/blink_shape.h - a digest of one node: its level, its pairs and its high key, but not the ids of nodes.
 * Added up over all nodes of a tree it is the same for trees of the same shape and contents. Include after node.h, once
 * per key width. */
#include "../level/level_digest.h"

PORT_FN uint64_t W(digest_number)(uint64_t digest, W(key) number)
{
#if PLEACH_KEY_BITS == 128
    digest = blink_digest(digest, (uint64_t)(number >> 64));
#endif
    return blink_digest(digest, (uint64_t)number);
}

PORT_FN uint64_t W(node_shape)(const W(node) *node)
{
    uint64_t header = W(header_load)(node);
    unsigned count = header_count(header), level = header_level(header);
    uint64_t digest = blink_digest(level + 1, count);
    for (unsigned i = 0; i < count; i++) {
        W(pair) pair = W(pair_load)(node, i);
        digest = W(digest_number)(digest, pair.key);
        if (level == 0) digest = W(digest_number)(digest, pair.value);
    }
    W(pair) link = W(pair_load)(node, NODE_LINK_SLOT);
    return W(digest_number)(digest, W(pair_is_link)(link) ? link.key : 1);
}
