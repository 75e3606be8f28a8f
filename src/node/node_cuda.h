/* node/node_cuda.h - the node functions for one GPU thread.
 *
 * The cost of a query on a GPU is the number of load instructions: when every lane of a warp reads its own node, a load
 * takes 32 passes through L1 whatever its width. So these functions load 16 bytes at a time, which is two 32-bit pairs
 * or one 64-bit pair, and search by bisection: three or four loads per node, and none for the header of an inner node.
 *
 * Inner nodes are read through L1 and may be stale, each 32-byte sector with another age; leaves are read fresh. The
 * simulator runs these functions too.
 */
#define PAIR_IS_ATOMIC 1
#define IMAGE_IN_REGISTERS 1

#if PLEACH_KEY_BITS == 32
PORT_FN map_pair pair_of_word(uint64_t word)
{
    map_pair pair;
    pair.key = (uint32_t)word;
    pair.value = (uint32_t)(word >> 32);
    return pair;
}
PORT_FN uint64_t pair_word(map_pair pair) { return (uint64_t)pair.value << 32 | pair.key; }

PORT_FN map_pair pair_load(const map_node *node, unsigned slot) { return pair_of_word(port_load(&node->word[slot])); }
PORT_FN void pair_store(map_node *node, unsigned slot, map_pair pair)
{
    port_store(&node->word[slot], pair_word(pair));
}

#include "node_common.h"

PORT_FN uint64_t node_end(const map_node *node, map_pair *link)
{
    port_two end = port_load_two(&node->word[NODE_LINK_SLOT]);
    PTX_AFTER_BRANCH(); /* the branch is the callers', on the header */
    *link = pair_of_word(end.first);
    return end.second;
}

/* Bisection over the blocks of two slots. The last block is link and header, of which only the link is compared. */
PORT_FN bool node_route(const map_node *node, map_key key, map_pair *pair)
{
    port_two best = {0, 0};
    unsigned block = 0;
    PORT_UNROLL for (unsigned half = NODE_SLOTS / 4; half > 0; half /= 2) {
        port_two probe = port_load_two_cached(&node->word[2 * (block + half)]);
        if ((uint32_t)probe.first <= key) {
            best = probe;
            block += half;
        }
    }
    if (block == 0) best = port_load_two_cached(&node->word[0]);
    bool second = block != NODE_SLOTS / 2 - 1 && (uint32_t)best.second <= key;
    *pair = pair_of_word(second ? best.second : best.first);
    return pair->key <= key; /* always: slot 0's pivot is the low key (I4), and no unfinished node is reachable */
}

/* The link and the header come in one access; the header's count bounds the search. A hit needs no fence: the thread's
 * later loads are issued after the branch that found it. */
PORT_FN node_answer node_lookup(const map_node *node, map_key key, map_pair *pair)
{
    port_two end = port_load_two(&node->word[NODE_LINK_SLOT]);
    unsigned count = header_count(end.second);
    PTX_AFTER_BRANCH(); /* on count, before each load below */
    unsigned block = 0;
    port_two best = {0, 0};
    bool probed = false;
    PORT_UNROLL for (unsigned half = NODE_SLOTS / 4; half > 0; half /= 2) {
        if (2 * (block + half) < count) {
            port_two probe = port_load_two(&node->word[2 * (block + half)]);
            if ((uint32_t)probe.first <= key) {
                best = probe;
                block += half;
                probed = true;
            }
        }
    }
    if (!probed && count > 0) best = port_load_two(&node->word[0]);
    PTX_AFTER_BRANCH();
    bool trusted = !NODE_HIT_WAITS || !(end.second & HEADER_LATCHED);
    if (2 * block < count && (uint32_t)best.first == key) {
        *pair = pair_of_word(best.first);
        return trusted ? NODE_FOUND : NODE_CHANGED;
    }
    if (2 * block + 1 < count && (uint32_t)best.second == key) {
        *pair = pair_of_word(best.second);
        return trusted ? NODE_FOUND : NODE_CHANGED;
    }
    *pair = pair_of_word(end.first);
    if (pair_is_link(*pair) && key >= pair->key) return NODE_RIGHT;
    port_validate_fence();
    bool unchanged = !(end.second & HEADER_LATCHED) && header_load(node) == end.second;
    return unchanged ? NODE_ABSENT : NODE_CHANGED; /* absent: linearized between the two loads of the header */
}

/* Bisection for the last block that begins before the wanted position. Upwards, that position is before the first key
 * >= `key`, which may be the first key of the next block; downwards, it is after the last key <= `key`. */
PORT_FN bool node_nearest(const map_node *node, unsigned count, map_key key, bool up, map_pair *nearest)
{
    port_two best = {0, 0};
    unsigned block = 0, before = 0; /* before: number of pairs before the position */
    if (count == 0) return false;
    PORT_UNROLL for (unsigned half = NODE_SLOTS / 4; half > 0; half /= 2) {
        if (2 * (block + half) < count) {
            port_two probe = port_load_two(&node->word[2 * (block + half)]);
            if (up ? (uint32_t)probe.first < key : (uint32_t)probe.first <= key) {
                best = probe;
                block += half;
            }
        }
    }
    if (block == 0) best = port_load_two(&node->word[0]);
    if (up ? (uint32_t)best.first < key : (uint32_t)best.first <= key) before = 2 * block + 1;
    if (before && before < count && (up ? (uint32_t)best.second < key : (uint32_t)best.second <= key)) before++;
    if (up ? before == count : before == 0) return false;
    bool beyond = up && before > 2 * block + 1;
    if (beyond) best.first = port_load(&node->word[before]);
    bool second = !beyond && before == 2 * block + (up ? 1 : 2);
    *nearest = pair_of_word(second ? best.second : best.first);
    return true;
}

/* All loads are issued before the first result is used. */
PORT_FN unsigned node_scan(const map_node *node, unsigned count, map_key key, map_pair *pair)
{
    port_two block[NODE_CAPACITY / 2];
    PORT_UNROLL for (unsigned b = 0; b < NODE_CAPACITY / 2; b++) {
        block[b].first = block[b].second = 0;
        if (2 * b < count) block[b] = port_load_two(&node->word[2 * b]);
    }
    unsigned found = NODE_SLOTS;
    PORT_UNROLL for (unsigned b = 0; b < NODE_CAPACITY / 2; b++) {
        bool first = 2 * b < count && (uint32_t)block[b].first == key;
        bool second = 2 * b + 1 < count && (uint32_t)block[b].second == key;
        if (first || second) *pair = pair_of_word(first ? block[b].first : block[b].second);
        if (first || second) found = first ? 2 * b : 2 * b + 1;
    }
    return found;
}

PORT_FN uint64_t node_last(const map_node *node, map_pair *link)
{
    port_validate_fence();
    port_two end = port_load_two(&node->word[NODE_LINK_SLOT]);
    *link = pair_of_word(end.first);
    return end.second;
}

PORT_FN void node_read(const map_node *node, node_image *image)
{
    PORT_UNROLL for (unsigned block = 0; block < NODE_CAPACITY / 2; block++) {
        port_two both = port_load_two(&node->word[2 * block]);
        image->pair[2 * block] = pair_of_word(both.first);
        image->pair[2 * block + 1] = pair_of_word(both.second);
    }
}

PORT_FN void node_write(map_node *node, const node_image *image, unsigned from, unsigned to)
{
    PORT_UNROLL for (unsigned block = 0; block < NODE_CAPACITY / 2; block++)
        if (2 * block + 1 >= from && 2 * block < to)
            port_store_two(&node->word[2 * block], pair_word(image->pair[2 * block]),
                      pair_word(image->pair[2 * block + 1]));
}

#else

PORT_FN map_pair pair_of_words(port_two both)
{
    map_pair pair;
    pair.key = both.first;
    pair.value = both.second;
    return pair;
}

PORT_FN map_pair pair_load(const map_node *node, unsigned slot)
{
    return pair_of_words(port_load_two(&node->word[2 * slot]));
}
PORT_FN void pair_store(map_node *node, unsigned slot, map_pair pair)
{
    port_store_two(&node->word[2 * slot], pair.key, pair.value);
}

#include "node_common.h"

PORT_FN uint64_t node_end(const map_node *node, map_pair *link)
{
    uint64_t header = header_load(node);
    port_validate_fence();
    *link = pair_load(node, NODE_LINK_SLOT);
    PTX_AFTER_BRANCH(); /* the branch is the callers', on header and link */
    return header;
}

PORT_FN bool node_route(const map_node *node, map_key key, map_pair *pair)
{
    port_two best = {0, 0};
    unsigned slot = 0;
    PORT_UNROLL for (unsigned half = NODE_SLOTS / 2; half > 0; half /= 2) {
        if (slot + half <= NODE_LINK_SLOT) {
            port_two probe = port_load_two_cached(&node->word[2 * (slot + half)]);
            if (probe.first <= key) {
                best = probe;
                slot += half;
            }
        }
    }
    if (slot == 0) best = port_load_two_cached(&node->word[0]);
    *pair = pair_of_words(best);
    return pair->key <= key;
}

/* Load the header first. The GPU does not run ahead of the branch on it, so everything after it is loaded later. */
PORT_FN node_answer node_lookup(const map_node *node, map_key key, map_pair *pair)
{
    uint64_t header = header_load(node);
    unsigned count = header_count(header);
    PTX_AFTER_BRANCH(); /* on count, before each load below */
    unsigned slot = 0;
    port_two best = {0, 0};
    bool probed = false;
    PORT_UNROLL for (unsigned half = NODE_SLOTS / 2; half > 0; half /= 2) {
        if (slot + half < count) {
            port_two probe = port_load_two(&node->word[2 * (slot + half)]);
            if (probe.first <= key) {
                best = probe;
                slot += half;
                probed = true;
            }
        }
    }
    if (!probed && count > 0) best = port_load_two(&node->word[0]);
    *pair = pair_of_words(best);
    PTX_AFTER_BRANCH();
    bool trusted = !NODE_HIT_WAITS || !(header & HEADER_LATCHED);
    if (count > 0 && pair->key == key) return trusted ? NODE_FOUND : NODE_CHANGED;
    port_validate_fence();
    *pair = pair_load(node, NODE_LINK_SLOT);
    if (pair_is_link(*pair) && key >= pair->key) return NODE_RIGHT;
    port_validate_fence();
    bool unchanged = !(header & HEADER_LATCHED) && header_load(node) == header;
    return unchanged ? NODE_ABSENT : NODE_CHANGED; /* absent: linearized between the two loads of the header */
}

PORT_FN bool node_nearest(const map_node *node, unsigned count, map_key key, bool up, map_pair *nearest)
{
    port_two best = {0, 0};
    unsigned slot = 0;
    if (count == 0) return false;
    PORT_UNROLL for (unsigned half = NODE_SLOTS / 2; half > 0; half /= 2) {
        if (slot + half < count) {
            port_two probe = port_load_two(&node->word[2 * (slot + half)]);
            if (up ? probe.first < key : probe.first <= key) {
                best = probe;
                slot += half;
            }
        }
    }
    if (slot == 0) best = port_load_two(&node->word[0]);
    unsigned before = (up ? best.first < key : best.first <= key) ? slot + 1 : 0;
    if (up ? before == count : before == 0) return false;
    if (up && before) best = port_load_two(&node->word[2 * before]);
    *nearest = pair_of_words(best);
    return true;
}

PORT_FN unsigned node_scan(const map_node *node, unsigned count, map_key key, map_pair *pair)
{
    port_two both[NODE_CAPACITY];
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        both[i].first = both[i].second = 0;
        if (i < count) both[i] = port_load_two(&node->word[2 * i]);
    }
    unsigned found = NODE_SLOTS;
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        if (i >= count || both[i].first != key) continue;
        *pair = pair_of_words(both[i]);
        found = i;
    }
    return found;
}

PORT_FN uint64_t node_last(const map_node *node, map_pair *link)
{
    port_validate_fence();
    *link = pair_load(node, NODE_LINK_SLOT);
    port_validate_fence();
    return header_load(node);
}

#include "node_image.h"
#endif

#ifdef PLEACH_SIM
#include "node_sink.h"
#else
#include "node_sink_cuda.h"
#endif
#include "node_rank.h"
