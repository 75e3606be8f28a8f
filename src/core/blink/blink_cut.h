/* core/blink/blink_cut.h - keys that divide a long interval into parts of similar work. Include after blink.h,
 * versioned.h or skiplist.h, once per key width.
 *
 * A cut is found by one walk down from the root. On each level the walk goes to the child that stands at the wanted
 * share of those children that overlap the interval, and the rest of the share decides on the level below. The cut is
 * the low key of the last child, one level above the leaves. Walks for different shares are independent of each other,
 * so that thousands of threads can cut one interval at the same time.
 *
 * Any key of the interval is a correct cut: cuts only decide which thread reads which keys. So nothing that is read
 * here is validated. A torn, stale or changing node costs balance, never a pair. Two walks that see different states of
 * one node may return cuts in the wrong order; the caller puts that right by raising each cut to the greatest one
 * before it.
 */

/* A key from low to high. `share` is how much of the interval, in units of 2^-32, lies below it, roughly. Ends: each
 * round goes one level down. */
PORT_FN W(key) W(cut_at)(W(blink) map, W(key) low, W(key) high, uint32_t share)
{
    const uint64_t root = port_load(&map.tree->root);
    uint32_t id = (uint32_t)root;
    W(key) cut = low;
    for (uint32_t level = (uint32_t)(root >> 32); level > 0; level--) {
        const W(node) *node = W(node_at)(map, id);
        const unsigned count = header_count(W(header_load)(node));
        unsigned first = 0, last = 0; /* of the children that overlap the interval */
        PORT_UNROLL for (unsigned i = 1; i < NODE_CAPACITY; i++) {
            const W(key) pivot = W(pair_load)(node, i).key;
            first += i < count && pivot <= low;
            last += i < count && pivot <= high;
        }
        const uint64_t scaled = (uint64_t)share * (last - first + 1);
        const W(pair) child = W(pair_load)(node, first + (unsigned)(scaled >> 32));
        if (W(pair_is_link)(child) || W(pair_node)(child) == NODE_NONE || child.key > high) return cut;
        if (child.key > cut) cut = child.key;
        id = W(pair_node)(child);
        share = (uint32_t)scaled;
    }
    return cut;
}

/* The share at which part `part` of `parts` begins. */
PORT_FN uint32_t W(cut_share)(uint32_t part, uint32_t parts) { return (uint32_t)(((uint64_t)part << 32) / parts); }
