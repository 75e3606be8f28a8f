/* node/node_common.h - what all backends build from pair_load and pair_store. Included by a backend. */

#ifndef IMAGE_SLOTS /* otherwise the backend reads whole lines */
#define IMAGE_SLOTS NODE_CAPACITY
#define IMAGE_ALIGNED
#endif

typedef struct node_image {
    IMAGE_ALIGNED map_pair pair[IMAGE_SLOTS];
} node_image;

PORT_FN uint64_t header_load(const map_node *node) { return port_load(&node->word[HEADER_WORD]); }

PORT_FN bool pair_is_link(map_pair pair) { return ((uint32_t)pair.value & NODE_LINK) != 0; }
PORT_FN uint32_t pair_node(map_pair pair) { return (uint32_t)pair.value & ~NODE_LINK; }

PORT_FN map_pair pair_of(map_key key, map_key value)
{
    map_pair pair;
    pair.key = key;
    pair.value = value;
    return pair;
}

PORT_FN map_pair link_to(map_key high, uint32_t right) { return pair_of(high, (map_key)(right | NODE_LINK)); }
