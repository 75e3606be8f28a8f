/* node/node_x86_words.h - the wide loads of the x86 backends, split into one load per pair: the simulator runs this in
 * place of AVX2 and AVX-512. The logic on top (node_search_x86.h) is theirs. */
#include "node_x86.h"

PORT_FN unsigned slots_at_or_below(const map_node *node, map_key key)
{
    unsigned below = 0;
    for (unsigned slot = 0; slot <= NODE_LINK_SLOT; slot++)
        below |= (unsigned)(pair_load(node, slot).key <= key) << slot;
    return below;
}

PORT_FN unsigned slots_equal(const map_node *node, map_key key)
{
    unsigned equal = 0;
    for (unsigned slot = 0; slot < NODE_CAPACITY; slot++)
        equal |= (unsigned)(pair_load(node, slot).key == key) << slot;
    return equal;
}

#include "node_search_x86.h"
#include "node_rank.h"
