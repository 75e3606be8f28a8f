/* support/nodes/node_access.c - compiled once per key width (PLEACH_KEY_BITS). */
#include "node_access.h"

#include "node/node.h"

static entry load(const void *node, unsigned slot)
{
    W(pair) pair = W(pair_load)(node, slot);
    return (entry){pair.key, pair.value};
}

static void store(void *node, unsigned slot, entry entry)
{
    W(pair_store)(node, slot, W(pair_of)((W(key))entry.key, (W(key))entry.value));
}

static uint64_t *header(void *node) { return &((W(node) *)node)->word[W(HEADER_WORD)]; }

const node_access WIDTH_SYMBOL(node_access) = {load, store, header};
