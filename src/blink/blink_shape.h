/* blink/blink_shape.h - a digest of one node: its level, its pairs and its high key, but not the ids of nodes. The sum
 * over all nodes is equal for trees of the same shape and contents. Include after node.h. */
#include "../level/level_digest.h"

PORT_FN uint64_t digest_number(uint64_t digest, map_key number)
{
#if PLEACH_KEY_BITS == 128
    digest = blink_digest(digest, (uint64_t)(number >> 64));
#endif
    return blink_digest(digest, (uint64_t)number);
}

PORT_FN uint64_t node_shape(const map_node *node)
{
    uint64_t header = header_load(node);
    unsigned count = header_count(header), level = header_level(header);
    uint64_t digest = blink_digest(level + 1, count);
    for (unsigned i = 0; i < count; i++) {
        map_pair pair = pair_load(node, i);
        digest = digest_number(digest, pair.key);
        if (level == 0) digest = digest_number(digest, pair.value);
    }
    map_pair link = pair_load(node, NODE_LINK_SLOT);
    return digest_number(digest, pair_is_link(link) ? link.key : 1);
}
