/* testkit/nodes/node_access.c - compiled once per key width (PLEACH_KEY_BITS). */
#include "node_access.h"

#include "node/node.h"

static entry load(const void *node, unsigned slot)
{
    map_pair pair = pair_load(node, slot);
    return (entry){pair.key, pair.value};
}

static void store(void *node, unsigned slot, entry entry)
{
    pair_store(node, slot, pair_of((map_key)entry.key, (map_key)entry.value));
}

static uint64_t *header(void *node) { return &((map_node *)node)->word[HEADER_WORD]; }

const node_access WIDTH_SYMBOL(node_access) = {load, store, header};
