/* batch/batch_rebalance.h - after a batch that has erased: merges underfull neighbours, and moves nodes that become
 * free to the pool's stock. Included by batch.h.
 *
 * A worker processes one parent exclusively, with all nodes below it. It goes through the children from left to right
 * and merges as many into one node as fit with some slots to spare. The leftmost of them stays, with its id and its low
 * key, so no other node has to change: the left neighbour's link still leads there, and so does the parent's pair.
 * Where inner nodes were merged, neighbours below them that had different parents now have one, and are checked again.
 * A parent that is now underfull is a case for its own parent, on the next level. A root with one child is replaced by
 * that child.
 *
 * This is one pass upwards, over the nodes that the batch has made underfull; PALM goes through all levels, and
 * rebalances in a second pass. It allocates no memory, so it cannot fail and is done after the commit. While a snapshot
 * is live no nodes are merged, because old versions are found through the leaves that they belong to.
 *
 *     list      the runs that have left their leaf underfull (a scan)
 *     parents   per case: its parent
 *     join      per parent: its children are merged
 *     stock     nodes that are now free go to the stock, in order; parents that are now underfull become the next
 *               level's cases (a scan)
 */

enum { BATCH_SMALL = 3, BATCH_JOINED = 10 }; /* pairs of an underfull node, and of a merged one: at most */

/* ---- list ---- */

/* The scan: its element, which says whether the run is a case, and storing its result. */
PORT_FN uint32_t batch_is_underfull(const batch_ref *b, uint32_t number)
{
    const batch_level *l = &b->sizes->level[0];
    batch_run run;
    batch_run_edits(b, 0, number, &run); /* after the commit, so old_count is what the leaf has now */
    batch_sums sums = batch_sums_before(b, l->first_edit, run.begin, run.end);
    return sums.had > sums.has && run.old_count <= BATCH_SMALL;
}

PORT_FN void batch_store_small(const batch_ref *b, uint32_t number, uint32_t small)
{
    if (number + 1 == b->sizes->tidied) b->sizes->cases = small;
    if (!batch_is_underfull(b, number)) return;
    b->case_keys[0][small - 1] = b->edit_key[b->run_first[number]];
}

/* ---- parents ---- */

PORT_FN void batch_find_parent(const batch_ref *b, uint32_t level, uint32_t at)
{
    b->case_node[at] = batch_node_on(b, level + 1, b->case_keys[level & 1][at]);
}

/* ---- join ---- */

/* Moves all pairs of `right` to its left neighbour, which must have enough free slots. */
PORT_FN void batch_merge_right(const batch_ref *b, uint32_t left_id, uint32_t right_id)
{
    map_node *left = node_at(b->map, left_id), *right = node_at(b->map, right_id);
    uint64_t header = header_load(left);
    unsigned count = header_count(header), more = header_count(header_load(right));
    map_pair link = pair_load(right, NODE_LINK_SLOT), last = pair_of(0, 0);
    if (count) last = pair_load(left, count - 1);
    for (unsigned i = 0; i < more; i++) {
        last = pair_load(right, i);
        pair_store(left, count + i, last);
    }
    if (header_level(header))
        slots_pad(left, count + more, pair_is_link(link) ? link : last); /* I4 */
    else
        pair_store(left, NODE_LINK_SLOT, link);
    port_store(&left->word[HEADER_WORD], header_next(header, count + more));
}

/* Free nodes are linked by their first words. */
PORT_FN void batch_free(const batch_ref *b, uint32_t at, uint32_t id)
{
    map_node *node = node_at(b->map, id);
    port_store(&node->word[0], b->case_first[at]);
    port_store(&node->word[HEADER_WORD], 0);
    b->case_first[at] = id;
    b->case_freed[at]++;
    if (b->record) batch_forget_versions(b, id);
}

/* Merges children of a parent. Bit i of the result is set if child i, in the new order, was made of several
 * children. */
PORT_FN uint32_t batch_join_children(const batch_ref *b, uint32_t at, uint32_t parent_id)
{
    map_node *parent = node_at(b->map, parent_id);
    uint64_t header = header_load(parent);
    unsigned count = header_count(header), kept = 1;
    uint32_t joined = 0;
    map_pair last = pair_load(parent, 0), link = pair_load(parent, NODE_LINK_SLOT);
    for (unsigned i = 1; i < count; i++) {
        map_pair child = pair_load(parent, i);
        const map_node *left = node_at(b->map, pair_node(last)), *right = node_at(b->map, pair_node(child));
        unsigned both = header_count(header_load(left)) + header_count(header_load(right));
        /* A node that the parent does not point to may be between them (I5). */
        bool neighbours = pair_node(pair_load(left, NODE_LINK_SLOT)) == pair_node(child);
        if (neighbours && both <= BATCH_JOINED) {
            batch_merge_right(b, pair_node(last), pair_node(child));
            batch_free(b, at, pair_node(child));
            joined |= (uint32_t)1 << (kept - 1);
        } else {
            pair_store(parent, kept++, child);
            last = child;
        }
    }
    if (kept == count) return 0;
    slots_pad(parent, kept, pair_is_link(link) ? link : last);
    port_store(&parent->word[HEADER_WORD], header_next(header, kept));
    return joined;
}

PORT_FN void batch_join(const batch_ref *b, uint32_t level, uint32_t at)
{
    uint32_t parent = b->case_node[at];
    b->case_first[at] = b->case_freed[at] = 0;
    if (at > 0 && b->case_node[at - 1] == parent) return; /* the parent's first case processes it */
    uint32_t joined = batch_join_children(b, at, parent);
    for (unsigned i = 0; level > 0 && joined >> i; i++)
        if (joined >> i & 1)
            batch_join_children(b, at, pair_node(pair_load(node_at(b->map, parent), i)));
}

/* ---- stock ---- */

/* The scan: cases of the next level, and nodes that have become free. */
PORT_FN batch_sums batch_case_sums(const batch_ref *b, uint32_t level, uint32_t at)
{
    uint32_t parent = b->case_node[at];
    bool first = at == 0 || b->case_node[at - 1] != parent;
    bool has_parent = level + 1 < (uint32_t)(b->sizes->new_root >> 32); /* otherwise the root, or next to it (I5) */
    batch_sums sums = {0, 0, 0};
    sums.runs = first && has_parent && header_count(header_load(node_at(b->map, parent))) <= BATCH_SMALL;
    sums.has = b->case_freed[at];
    return sums;
}

/* Stores the scan's result at a case. */
PORT_FN void batch_store_case(const batch_ref *b, uint32_t level, uint32_t at, batch_sums sums)
{
    batch_sums own = batch_case_sums(b, level, at);
    uint64_t end = b->sizes->stock_end + sums.has; /* after this case's own nodes */
    if (at + 1 == b->sizes->cases) b->sizes->case_sums = sums;
    if (own.runs) /* a node's low key */
        b->case_keys[~level & 1][sums.runs - 1] = pair_load(node_at(b->map, b->case_node[at]), 0).key;
    for (uint32_t id = b->case_first[at], i = 1; id != NODE_NONE; i++) {
        batch_stock(b)[end - i] = id;
        id = (uint32_t)port_load(&node_at(b->map, id)->word[0]);
    }
}

/* After the scan, one worker sets the next level. */
PORT_FN void batch_close_cases(const batch_ref *b)
{
    batch_sizes *s = b->sizes;
    s->stock_end += s->case_sums.has;
    s->cases = s->case_sums.runs;
}

/* One worker calls this at the end. It replaces a root with one child by that child, if the child is an inner node and
 * the only one on its level. */
PORT_FN void batch_rebalance_end(const batch_ref *b)
{
    batch_sizes *s = b->sizes;
    blink_tree *tree = b->map.tree;
    for (;;) {
        uint32_t level = (uint32_t)(s->new_root >> 32), root = (uint32_t)s->new_root;
        map_node *node = node_at(b->map, root);
        map_pair child = pair_load(node, 0);
        bool alone = header_count(header_load(node)) == 1 && !pair_is_link(pair_load(node, NODE_LINK_SLOT));
        if (level <= 1 || !alone) break;
        if (pair_is_link(pair_load(node_at(b->map, pair_node(child)), NODE_LINK_SLOT))) break;
        port_store(&node->word[HEADER_WORD], 0);
        batch_stock(b)[s->stock_end++] = root;
        s->new_root = (uint64_t)(level - 1) << 32 | pair_node(child);
    }
    port_store(&tree->root, s->new_root);
    port_store(&tree->pool.stock_end, s->stock_end);
}
