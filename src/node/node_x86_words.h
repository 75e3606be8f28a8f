/* node/node_x86_words.h - the verbs of the x86 backends with their wide loads taken apart, one pair at a time: what the
 * simulator runs in place of AVX2 and AVX-512. The logic on top (node_search_x86.h) is theirs. */
#include "node_x86.h"

PORT_FN unsigned W(slots_at_or_below)(const W(node) *node, W(key) key)
{
    unsigned below = 0;
    for (unsigned slot = 0; slot <= NODE_LINK_SLOT; slot++)
        below |= (unsigned)(W(pair_load)(node, slot).key <= key) << slot;
    return below;
}

PORT_FN unsigned W(slots_equal)(const W(node) *node, W(key) key)
{
    unsigned equal = 0;
    for (unsigned slot = 0; slot < NODE_CAPACITY; slot++)
        equal |= (unsigned)(W(pair_load)(node, slot).key == key) << slot;
    return equal;
}

#include "node_search_x86.h"
#include "node_rank.h"
