/* node/node_x86.h - pairs on x86 with AVX: a single access each, 16-byte pairs too. */
#define PAIR_IS_ATOMIC 1

PORT_FN map_pair pair_load(const map_node *node, unsigned slot)
{
    map_pair pair;
#if PLEACH_KEY_BITS == 32
    uint64_t word = port_load(&node->word[slot]);
    pair.key = (uint32_t)word;
    pair.value = (uint32_t)(word >> 32);
#else
    port_two both = port_load_two(&node->word[2 * slot]);
    pair.key = both.first;
    pair.value = both.second;
#endif
    return pair;
}

PORT_FN void pair_store(map_node *node, unsigned slot, map_pair pair)
{
#if PLEACH_KEY_BITS == 32
    port_store(&node->word[slot], (uint64_t)pair.value << 32 | pair.key);
#else
    port_store_two(&node->word[2 * slot], pair.key, pair.value);
#endif
}

enum { EVERY_PAIR = (1u << NODE_CAPACITY) - 1, EVERY_SLOT = (1u << (NODE_LINK_SLOT + 1)) - 1 }; /* as bit masks */

#include "node_common.h"
