/* node/node_plain.h - the node functions in plain C: the readable specification. ThreadSanitizer runs them, and so do
 * machines without AVX2, and maps with 16-byte keys. Every shared access goes through the port layer. */

#if PLEACH_KEY_BITS == 32
#define PAIR_IS_ATOMIC 1
#else
#define PAIR_IS_ATOMIC 0
#endif

PORT_FN map_pair pair_load(const map_node *node, unsigned slot)
{
    map_pair pair;
#if PLEACH_KEY_BITS == 32
    uint64_t word = port_load(&node->word[slot]);
    pair.key = (uint32_t)word;
    pair.value = (uint32_t)(word >> 32);
#elif PLEACH_KEY_BITS == 64
    pair.key = port_load(&node->word[2 * slot]);
    pair.value = port_load(&node->word[2 * slot + 1]);
#else
    const uint64_t *word = &node->word[4 * slot]; /* low halves first */
    pair.key = (key128)port_load(&word[1]) << 64 | port_load(&word[0]);
    pair.value = (key128)port_load(&word[3]) << 64 | port_load(&word[2]);
#endif
    return pair;
}

PORT_FN void pair_store(map_node *node, unsigned slot, map_pair pair)
{
#if PLEACH_KEY_BITS == 32
    port_store(&node->word[slot], (uint64_t)pair.value << 32 | pair.key);
#elif PLEACH_KEY_BITS == 64
    port_store(&node->word[2 * slot], pair.key);
    port_store(&node->word[2 * slot + 1], pair.value);
#else
    uint64_t *word = &node->word[4 * slot];
    port_store(&word[0], (uint64_t)pair.key);
    port_store(&word[1], (uint64_t)(pair.key >> 64));
    port_store(&word[2], (uint64_t)pair.value);
    port_store(&word[3], (uint64_t)(pair.value >> 64));
#endif
}

#include "node_common.h"

/* Returns true if the header is unchanged: with the fence, no writer changed what was loaded in between. */
PORT_FN bool node_unchanged(const map_node *node, uint64_t header)
{
    port_validate_fence();
    return !(header & HEADER_LATCHED) && header_load(node) == header;
}

PORT_FN uint64_t node_end(const map_node *node, map_pair *link)
{
    uint64_t header = port_load_acquire(&node->word[HEADER_WORD]);
    *link = pair_load(node, NODE_LINK_SLOT);
    /* A link that was read in two halves could name the wrong neighbour, too far to the right. */
    return PAIR_IS_ATOMIC || node_unchanged(node, header) ? header : header | HEADER_LATCHED;
}

#if PLEACH_KEY_BITS == 128
#include "node_search_wide.h"
#else
PORT_FN bool node_route(const map_node *node, map_key key, map_pair *pair)
{
    uint64_t header = port_load_acquire(&node->word[HEADER_WORD]);
    map_pair best = pair_load(node, 0); /* slot 0 holds the node's low key, which is <= key */
    for (unsigned slot = 1; slot <= NODE_LINK_SLOT; slot++) {
        map_pair next = pair_load(node, slot);
        if (next.key > key) break;
        best = next;
    }
    *pair = best;
    /* An atomic pair needs no validation: it was valid when it was written, and stays valid (I3 of blink/). */
    return PAIR_IS_ATOMIC || node_unchanged(node, header);
}

PORT_FN node_answer node_lookup(const map_node *node, map_key key, map_pair *pair)
{
    uint64_t header = port_load_acquire(&node->word[HEADER_WORD]);
    unsigned count = header_count(header);
    for (unsigned slot = 0; slot < count; slot++) {
        *pair = pair_load(node, slot);
        /* A hit concurrent with or after a writer is still a hit: see LINEARIZATION POINTS in blink/blink.h. */
        if (pair->key != key) continue;
        if (NODE_HIT_WAITS && (header & HEADER_LATCHED)) return NODE_CHANGED;
        port_validate_fence(); /* this thread's later operations see no older state than this one did */
        return PAIR_IS_ATOMIC || node_unchanged(node, header) ? NODE_FOUND : NODE_CHANGED;
    }
    *pair = pair_load(node, NODE_LINK_SLOT);
    if (PAIR_IS_ATOMIC && pair_is_link(*pair) && key >= pair->key) return NODE_RIGHT; /* links stay valid */
    if (!node_unchanged(node, header)) return NODE_CHANGED;
    return pair_is_link(*pair) && key >= pair->key ? NODE_RIGHT : NODE_ABSENT; /* absent: linearized here */
}
#endif

PORT_FN unsigned node_scan(const map_node *node, unsigned count, map_key key, map_pair *pair)
{
    for (unsigned slot = 0; slot < count; slot++) {
        *pair = pair_load(node, slot);
        if (pair->key == key) return slot;
    }
    return NODE_SLOTS;
}

PORT_FN uint64_t node_last(const map_node *node, map_pair *link)
{
    port_validate_fence();
    *link = pair_load(node, NODE_LINK_SLOT);
    port_validate_fence();
    return header_load(node);
}

#include "node_image.h"
#include "node_sink.h"
#include "node_rank.h"
