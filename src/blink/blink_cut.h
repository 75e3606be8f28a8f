/* blink/blink_cut.h - keys that divide a long interval into parts of similar work. Include after the map's header.
 *
 * A cut is found by one walk down from the root. On each level the walk goes to the child at the wanted share of those
 * children that overlap the interval, and the rest of the share decides on the level below. The cut is the low key of
 * the last child, one level above the leaves. Walks for different shares are independent of each other, so that
 * thousands of threads can cut one interval at the same time.
 *
 * Any key of the interval is a correct cut: cuts only decide which thread reads which keys. So nothing that is read
 * here is validated. A torn, stale or changing node costs balance, never a pair. Two walks that see different states of
 * one node may return cuts in the wrong order; the caller corrects this by raising each cut to the greatest one before
 * it. The walk stays on inner nodes, because each child that it follows is one of a true pair (I3 of blink.h; for a
 * skiplist's chunks, READING WITHOUT A LATCH in skiplist.h), and it ends above the leaves.
 */

/* Finds the children of an inner node that overlap the closed interval from low to high: slots `first` to `last`. */
PORT_FN void cut_children(const map_node *node, map_key low, map_key high, unsigned *first, unsigned *last)
{
    const unsigned count = header_count(header_load(node));
    *first = *last = 0;
    PORT_UNROLL for (unsigned i = 1; i < NODE_CAPACITY; i++) {
        const map_key pivot = pair_load(node, i).key;
        *first += i < count && pivot <= low;
        *last += i < count && pivot <= high;
    }
}

/* Checked because a slot may have changed since the pivots of its node were compared. */
PORT_FN bool cut_is_child(map_pair pair) { return !pair_is_link(pair) && pair_node(pair) != NODE_NONE; }

/* Returns a key from low to high. `share` is roughly how much of the interval lies below it, in units of 2^-32.
 * Terminates because each round goes one level down. */
PORT_FN map_key cut_at(map_thread map, map_key low, map_key high, uint32_t share)
{
    const uint64_t root = port_load(&map.tree->root);
    uint32_t id = (uint32_t)root;
    map_key cut = low;
    for (uint32_t level = (uint32_t)(root >> 32); level > 0; level--) {
        const map_node *node = node_at(map, id);
        unsigned first, last;
        cut_children(node, low, high, &first, &last);
        const uint64_t scaled = (uint64_t)share * (last - first + 1);
        const map_pair child = pair_load(node, first + (unsigned)(scaled >> 32));
        if (!cut_is_child(child) || child.key > high) return cut;
        if (child.key > cut) cut = child.key;
        id = pair_node(child);
        share = (uint32_t)scaled;
    }
    return cut;
}

/* Returns the share at which part `part` of `parts` begins. */
PORT_FN uint32_t cut_share(uint32_t part, uint32_t parts) { return (uint32_t)(((uint64_t)part << 32) / parts); }

/* Returns the number of pairs in a subtree of `levels` levels whose nodes are half full; large numbers are capped. */
PORT_FN uint64_t cut_pairs_below(uint32_t levels)
{
    uint64_t pairs = 1;
    while (levels-- > 0 && pairs < (uint64_t)1 << 40) pairs *= NODE_CAPACITY / 2;
    return pairs;
}

/* Returns a key up to which the interval holds its first `limit` pairs, if nodes are half full. A limited query reads
 * no further, unless it lacks pairs: nodes can be emptier, and the caller then reads on to `high`. The key is found
 * where the path down to `low` has enough subtrees on its right, as far down as possible. */
PORT_FN map_key cut_reach(map_thread map, map_key low, map_key high, uint64_t limit)
{
    const uint64_t root = port_load(&map.tree->root);
    uint32_t id = (uint32_t)root;
    map_key reach = high;
    for (uint32_t level = (uint32_t)(root >> 32); level > 0; level--) {
        const map_node *node = node_at(map, id);
        unsigned first, last;
        cut_children(node, low, high, &first, &last);
        const uint64_t whole = limit / cut_pairs_below(level) + 1; /* children needed in addition to the first */
        if (whole < last - first) {
            const map_pair end = pair_load(node, first + (unsigned)whole + 1);
            if (cut_is_child(end) && end.key > low && end.key - 1 < reach) reach = end.key - 1;
        }
        const map_pair child = pair_load(node, first);
        if (!cut_is_child(child)) return reach;
        id = pair_node(child);
    }
    return reach;
}

/* Returns which child of an inner node covers `key`; *count is the number of its children. */
PORT_FN unsigned cut_child(const map_node *node, map_key key, unsigned *count)
{
    unsigned child = 0;
    *count = header_count(header_load(node));
    PORT_UNROLL for (unsigned i = 1; i < NODE_CAPACITY; i++) child += i < *count && pair_load(node, i).key <= key;
    return child;
}

/* Estimates how many leaves an interval has, by two walks down from the root, one to each of its ends. Inner nodes
 * between the walks are assumed to have as many children as those on the walks. Not validated, as above. */
PORT_FN uint64_t cut_leaves(map_thread map, map_key low, map_key high)
{
    const uint64_t root = port_load(&map.tree->root);
    uint32_t left = (uint32_t)root, right = left;
    uint64_t between = 0;
    for (uint32_t level = (uint32_t)(root >> 32); level > 0; level--) {
        const map_node *left_node = node_at(map, left), *right_node = node_at(map, right);
        unsigned left_count, right_count;
        const unsigned first = cut_child(left_node, low, &left_count);
        const unsigned last = cut_child(right_node, high, &right_count);
        between *= (left_count + right_count + 1) / 2;
        if (left != right)
            between += (left_count > first ? left_count - first - 1 : 0) + last;
        else if (last > first)
            between += last - first - 1;
        const map_pair to_left = pair_load(left_node, first), to_right = pair_load(right_node, last);
        if (pair_is_link(to_left) || pair_node(to_left) == NODE_NONE) return between;
        if (pair_is_link(to_right) || pair_node(to_right) == NODE_NONE) return between;
        left = pair_node(to_left);
        right = pair_node(to_right);
    }
    return between + 1 + (left != right);
}
