/* coupled.h - a B+ tree with coupled latches, the baseline of M. Awad's dissertation (after O. Rodeh): who goes down
 * latches a child before it lets its parent go, updates exclusively all the way, queries shared. An insert splits every
 * full node that it meets, so that a parent always has room. Erased keys leave their leaf, which may become empty and
 * stays. For threads of the CPU, and for one thread of each warp of the GPU: threads of a warp that waited for each
 * other's latches could wait for ever.
 *
 * LAYOUT  Word 0 of a node is its header: the node to its right (0: none), the number of its slots, whether it is a
 * leaf, whether it is latched exclusively, and how many share it. Slots follow: of 32 bits, key and value in one word;
 * of 64 bits, fifteen keys, then fifteen values. Slots of an inner node are the smallest key below a child, which is
 * not looked at in slot 0, and the child. Node 0 is the root for ever.
 *
 * WHY IT ENDS  Latches are asked for from above to below and from left to right only. So among those who wait, whoever
 * has the lowest latch furthest to the right waits for nobody.
 *
 * HOW MANY NODES  A split leaves two nodes of at most 8 slots, and needs one of 15. So after n inserts there have been
 * at most n/7 splits of leaves, and a seventh of that for the level above, and so on: fewer than n/6 in all; and the
 * root, which makes two nodes each time, has split once per level.
 */
#ifndef PLEACH_BENCH_COUPLED_H
#define PLEACH_BENCH_COUPLED_H

#include "baseline_work.h"
#include "port/port.h"

enum { COUPLED_SLOTS = 15, COUPLED_LEFT = 8, COUPLED_COUNT_SHIFT = 32, COUPLED_SHARE_SHIFT = 44 };
#define COUPLED_LEAF ((uint64_t)1 << 40)
#define COUPLED_EXCLUSIVE ((uint64_t)1 << 41)
#define COUPLED_SHARE ((uint64_t)1 << COUPLED_SHARE_SHIFT)

/* Words of a node, and nodes that n more inserts can need. */
static inline uint64_t coupled_words(uint32_t bits) { return bits == 32 ? 16 : 32; }
static inline uint64_t coupled_nodes_for(uint64_t n) { return n / 6 + 64; }

PORT_FN uint32_t coupled_count(uint64_t header) { return (uint32_t)(header >> COUPLED_COUNT_SHIFT) & 0xff; }

PORT_FN uint64_t coupled_header(uint64_t next, uint32_t count, uint64_t leaf)
{
    return next | (uint64_t)count << COUPLED_COUNT_SHIFT | leaf;
}

PORT_FN uint64_t *coupled_node(const coupled_tree *t, uint64_t id)
{
    return t->nodes + id * (t->bits == 32 ? 16 : 32);
}

PORT_FN uint64_t coupled_key(const coupled_tree *t, const uint64_t *node, uint32_t slot)
{
    const uint64_t word = port_load(node + 1 + slot);
    return t->bits == 32 ? word >> 32 : word;
}

PORT_FN uint64_t coupled_value(const coupled_tree *t, const uint64_t *node, uint32_t slot)
{
    return t->bits == 32 ? (uint32_t)port_load(node + 1 + slot) : port_load(node + 1 + COUPLED_SLOTS + slot);
}

PORT_FN void coupled_set(const coupled_tree *t, uint64_t *node, uint32_t slot, uint64_t key, uint64_t value)
{
    port_store(node + 1 + slot, t->bits == 32 ? key << 32 | value : key);
    if (t->bits != 32) port_store(node + 1 + COUPLED_SLOTS + slot, value);
}

PORT_FN void coupled_move(const coupled_tree *t, uint64_t *to, uint32_t to_slot, const uint64_t *from, uint32_t slot)
{
    coupled_set(t, to, to_slot, coupled_key(t, from, slot), coupled_value(t, from, slot));
}

/* ---- latches ---- */

/* The header without the latch, which is what coupled_release stores again. */
PORT_FN uint64_t coupled_latch(uint64_t *node)
{
    for (unsigned attempt = 0;; attempt = port_retry_point(attempt + 1)) {
        const uint64_t header = port_load(node);
        const bool is_free = header < COUPLED_SHARE && (header & COUPLED_EXCLUSIVE) == 0;
        if (is_free && port_compare_swap(node, header, header | COUPLED_EXCLUSIVE)) return header;
        port_pause_longer(attempt);
    }
}

PORT_FN void coupled_release(uint64_t *node, uint64_t header) { port_store_release(node, header); }

PORT_FN uint64_t coupled_share(uint64_t *node)
{
    for (unsigned attempt = 0;; attempt = port_retry_point(attempt + 1)) {
        const uint64_t header = port_load(node);
        if ((header & COUPLED_EXCLUSIVE) == 0 && port_compare_swap(node, header, header + COUPLED_SHARE)) return header;
        port_pause_longer(attempt);
    }
}

PORT_FN void coupled_unshare(uint64_t *node)
{
    for (unsigned attempt = 0;; attempt = port_retry_point(attempt + 1)) {
        const uint64_t header = port_load(node);
        if (port_compare_swap(node, header, header - COUPLED_SHARE)) return;
        port_pause(attempt);
    }
}

/* ---- updates ---- */

/* The slot of the child that a key belongs to. */
PORT_FN uint32_t coupled_route(const coupled_tree *t, const uint64_t *node, uint32_t count, uint64_t key)
{
    uint32_t slot = 0;
    while (slot + 1 < count && coupled_key(t, node, slot + 1) <= key) slot++;
    return slot;
}

/* How many keys of a leaf are below. */
PORT_FN uint32_t coupled_rank(const coupled_tree *t, const uint64_t *node, uint32_t count, uint64_t key)
{
    uint32_t slot = 0;
    while (slot < count && coupled_key(t, node, slot) < key) slot++;
    return slot;
}

/* Makes room at `slot` of a latched node that is not full; answers its new header. */
PORT_FN uint64_t coupled_insert_at(const coupled_tree *t, uint64_t *node, uint64_t header, uint32_t slot, uint64_t key,
                                   uint64_t value)
{
    for (uint32_t i = coupled_count(header); i > slot; i--) coupled_move(t, node, i, node, i - 1);
    coupled_set(t, node, slot, key, value);
    return header + ((uint64_t)1 << COUPLED_COUNT_SHIFT);
}

/* A new node with the upper slots of a full one; nobody else can reach it yet. */
PORT_FN uint64_t coupled_upper_half(const coupled_tree *t, const uint64_t *node, uint64_t header)
{
    const uint64_t id = port_fetch_add(t->used, 1);
    uint64_t *upper = coupled_node(t, id);
    for (uint32_t i = COUPLED_LEFT; i < COUPLED_SLOTS; i++) coupled_move(t, upper, i - COUPLED_LEFT, node, i);
    port_store(upper, coupled_header((uint32_t)header, COUPLED_SLOTS - COUPLED_LEFT, header & COUPLED_LEAF));
    return id;
}

/* The full root's slots go to two new nodes below it. */
PORT_FN uint64_t coupled_grow(const coupled_tree *t, uint64_t *root, uint64_t header)
{
    const uint64_t right = coupled_upper_half(t, root, header), left = port_fetch_add(t->used, 1);
    uint64_t *node = coupled_node(t, left);
    for (uint32_t i = 0; i < COUPLED_LEFT; i++) coupled_move(t, node, i, root, i);
    port_store(node, coupled_header(right, COUPLED_LEFT, header & COUPLED_LEAF));
    coupled_set(t, root, 1, coupled_key(t, root, COUPLED_LEFT), right);
    coupled_set(t, root, 0, coupled_key(t, root, 0), left);
    return coupled_header(0, 2, 0);
}

/* From a latched inner node that is not full to the latched child for the key, which is not full either. */
PORT_FN uint64_t coupled_descend(const coupled_tree *t, uint64_t **at, uint64_t header, uint64_t key, bool inserts)
{
    uint64_t *node = *at;
    const uint32_t slot = coupled_route(t, node, coupled_count(header), key);
    uint64_t *child = coupled_node(t, coupled_value(t, node, slot)), own = coupled_latch(child);
    if (inserts && coupled_count(own) == COUPLED_SLOTS) {
        const uint64_t upper = coupled_upper_half(t, child, own), bound = coupled_key(t, child, COUPLED_LEFT);
        header = coupled_insert_at(t, node, header, slot + 1, bound, upper);
        own = coupled_header(upper, COUPLED_LEFT, own & COUPLED_LEAF);
        if (key >= bound) { /* who comes to the new node has to come through one of the two that are latched */
            uint64_t *right = coupled_node(t, upper), other = port_load(right);
            port_store(right, other | COUPLED_EXCLUSIVE);
            coupled_release(child, own);
            child = right;
            own = other;
        }
    }
    coupled_release(node, header);
    *at = child;
    return own;
}

PORT_FN void coupled_insert(const coupled_tree *t, uint64_t key, uint64_t value)
{
    uint64_t *node = t->nodes, header = coupled_latch(node);
    if (coupled_count(header) == COUPLED_SLOTS) header = coupled_grow(t, node, header);
    while ((header & COUPLED_LEAF) == 0) header = coupled_descend(t, &node, header, key, true);
    const uint32_t count = coupled_count(header), slot = coupled_rank(t, node, count, key);
    if (slot < count && coupled_key(t, node, slot) == key) {
        coupled_set(t, node, slot, key, value);
    } else {
        header = coupled_insert_at(t, node, header, slot, key, value);
        port_add(t->used + 1, 1);
    }
    coupled_release(node, header);
}

PORT_FN void coupled_erase(const coupled_tree *t, uint64_t key)
{
    uint64_t *node = t->nodes, header = coupled_latch(node);
    while ((header & COUPLED_LEAF) == 0) header = coupled_descend(t, &node, header, key, false);
    const uint32_t count = coupled_count(header), slot = coupled_rank(t, node, count, key);
    if (slot < count && coupled_key(t, node, slot) == key) {
        for (uint32_t i = slot; i + 1 < count; i++) coupled_move(t, node, i, node, i + 1);
        header -= (uint64_t)1 << COUPLED_COUNT_SHIFT;
        port_add(t->used + 1, ~(uint64_t)0);
    }
    coupled_release(node, header);
}

/* ---- queries ---- */

/* The leaf that a key belongs to, shared; *header is its header. */
PORT_FN uint64_t *coupled_leaf(const coupled_tree *t, uint64_t key, uint64_t *header)
{
    uint64_t *node = t->nodes;
    *header = coupled_share(node);
    while ((*header & COUPLED_LEAF) == 0) {
        const uint32_t slot = coupled_route(t, node, coupled_count(*header), key);
        uint64_t *child = coupled_node(t, coupled_value(t, node, slot));
        *header = coupled_share(child);
        coupled_unshare(node);
        node = child;
    }
    return node;
}

PORT_FN bool coupled_find(const coupled_tree *t, uint64_t key, uint64_t *value)
{
    uint64_t header;
    uint64_t *node = coupled_leaf(t, key, &header);
    const uint32_t count = coupled_count(header), slot = coupled_rank(t, node, count, key);
    const bool found = slot < count && coupled_key(t, node, slot) == key;
    if (found) *value = coupled_value(t, node, slot);
    coupled_unshare(node);
    return found;
}

PORT_FN void coupled_write(void *words, uint32_t bits, uint64_t i, uint64_t word)
{
    if (bits == 32)
        ((uint32_t *)words)[i] = (uint32_t)word;
    else
        ((uint64_t *)words)[i] = word;
}

/* Pairs from low to high, at most `limit`, to places from `first` on; answers how many. */
PORT_FN uint32_t coupled_range(const coupled_tree *t, uint64_t low, uint64_t high, uint32_t limit, void *keys,
                               void *values, uint64_t first)
{
    uint64_t header, key = low;
    uint64_t *node = coupled_leaf(t, low, &header);
    uint32_t found = 0, slot = coupled_rank(t, node, coupled_count(header), low);
    for (;;) {
        for (; slot < coupled_count(header) && found < limit; slot++) {
            key = coupled_key(t, node, slot);
            if (key > high) break;
            coupled_write(keys, t->bits, first + found, key);
            coupled_write(values, t->bits, first + found++, coupled_value(t, node, slot));
        }
        if (found == limit || key > high || (uint32_t)header == 0) break;
        uint64_t *next = coupled_node(t, (uint32_t)header);
        header = coupled_share(next);
        coupled_unshare(node);
        node = next;
        slot = 0;
    }
    coupled_unshare(node);
    return found;
}

/* ---- an element of an array ---- */

PORT_FN uint64_t coupled_word(const void *words, uint32_t bits, uint64_t i)
{
    return bits == 32 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

PORT_FN uint64_t coupled_find_step(const baseline_work *w, uint64_t i, uint64_t key)
{
    uint64_t value = 0;
    w->bytes[i] = coupled_find(&w->tree, key, &value);
    if (w->bytes[i]) coupled_write(w->values, w->bits, i, value);
    return w->bytes[i];
}

PORT_FN uint64_t coupled_step(const baseline_work *w, uint64_t i)
{
    const uint64_t most = w->bits == 32 ? UINT32_MAX : UINT64_MAX, key = coupled_word(w->keys, w->bits, i);
    switch ((enum baseline_step)w->step) {
    case BASELINE_COUPLED_INSERT: coupled_insert(&w->tree, key, coupled_word(w->values, w->bits, i)); return 0;
    case BASELINE_COUPLED_ERASE: coupled_erase(&w->tree, key); return 0;
    case BASELINE_COUPLED_FIND: return coupled_find_step(w, i, key);
    case BASELINE_COUPLED_RANGE:
        w->counts[i] = coupled_range(&w->tree, key, coupled_word(w->highs, w->bits, i), w->limit, w->out_keys,
                                     w->values, i * w->limit);
        return w->counts[i];
    case BASELINE_COUPLED_SUCC:
        w->bytes[i] = key < most && coupled_range(&w->tree, key + 1, most, 1, w->out_keys, w->values, i) > 0;
        return w->bytes[i];
    case BASELINE_FIND:
    case BASELINE_RANGE:
    case BASELINE_SUCC:
    case BASELINE_STRIKE:
    case BASELINE_NEW:
    case BASELINE_LAST:
    case BASELINE_LIVE: break; /* baseline_steps.h has these */
    }
    return 0;
}

#endif
