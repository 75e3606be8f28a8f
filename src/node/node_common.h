/* node/node_common.h - what all backends build from pair_load and pair_store. Included once per width by a backend. */

#ifndef IMAGE_SLOTS /* else a backend reads whole lines */
#define IMAGE_SLOTS NODE_CAPACITY
#define IMAGE_ALIGNED
#endif

typedef struct W(image) {
    IMAGE_ALIGNED W(pair) pair[IMAGE_SLOTS];
} W(image);

PORT_FN uint64_t W(header_load)(const W(node) *node) { return port_load(&node->word[W(HEADER_WORD)]); }

PORT_FN bool W(pair_is_link)(W(pair) pair) { return ((uint32_t)pair.value & NODE_LINK) != 0; }
PORT_FN uint32_t W(pair_node)(W(pair) pair) { return (uint32_t)pair.value & ~NODE_LINK; }

PORT_FN W(pair) W(pair_of)(W(key) key, W(key) value)
{
    W(pair) pair;
    pair.key = key;
    pair.value = value;
    return pair;
}

PORT_FN W(pair) W(link_to)(W(key) high, uint32_t right) { return W(pair_of)(high, (W(key))(right | NODE_LINK)); }
