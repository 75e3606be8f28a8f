/* batch/batch_commit.h - commit, the first stage with effects that are visible outside the batch: old nodes are
 * overwritten with their first parts. Included by batch.h. */

/* The caller must hold the leaf's latch. */
PORT_FN void batch_date_leaf(const batch_ref *b, uint32_t number, uint32_t leaf)
{
    uint32_t copy = batch_copy_of(b, number);
    if (copy == NODE_NONE) return;
    port_store(&b->record[leaf].older, copy);
    port_store(&b->record[leaf].since, port_load(&b->versions->epoch.clock));
}

/* Commits a leaf that has enough free slots for all edits, as most have: applies them one after the other to its image,
 * then stores to the leaf what has changed. */
PORT_FN void batch_commit_leaf(const batch_ref *b, batch_run *run, map_node *node)
{
    unsigned count = run->old_count, lowest = NODE_CAPACITY;
    for (uint32_t edit = run->begin; edit < run->end; edit++) {
        map_pair pair = pair_of(b->edit_key[edit], b->edit_value[edit]);
        unsigned flags = b->edit_flags[edit], at = image_rank(&run->old, count, pair.key);
        if (!(flags & BATCH_HAS)) {
            image_remove(&run->old, at, count--);
        } else if (flags & BATCH_HAD) {
            PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++)
                if (i == at) run->old.pair[i] = pair;
        } else {
            image_insert(&run->old, at, count++, pair);
        }
        lowest = at < lowest ? at : lowest;
    }
    node_write(node, &run->old, lowest, count);
    batch_close_node(b, node, header_next(header_load(node), count));
}

PORT_FN void batch_commit(const batch_ref *b, uint32_t level, uint32_t number)
{
    const batch_level *l = &b->sizes->level[level];
    batch_run run;
    batch_run_open(b, level, number, &run);
    if (run.node == NODE_NONE) return; /* all its nodes are new */
    map_node *node = node_at(b->map, run.node);
    batch_open_node(b, node);
    if (level == 0 && b->keeps) batch_date_leaf(b, number, run.node);
    if (level == 0 && run.old_count + (run.end - run.begin) <= NODE_CAPACITY) {
        batch_commit_leaf(b, &run, node);
        return;
    }
    uint32_t before = number ? b->run_new[l->first_edit + number - 1] : 0;
    map_pair link = batch_link_after(b, l->first_edit, &run, 0, l->first_node + before - 1);
    batch_cut cut = {run.begin, 0};
    uint32_t count = batch_part_begin(run.total, run.parts, 1);
    batch_write_part(b, &run, node, level, cut, count, link, header_next(header_load(node), count));
}

/* One worker calls this after all nodes are committed. */
PORT_FN void batch_end(const batch_ref *b)
{
    batch_sizes *s = b->sizes;
    if (s->level[0].edits == 0) return;
    blink_tree *tree = b->map.tree;
    batch_sums sums = b->edit_sums[s->level[0].edits - 1];
    port_store(&tree->stripe[0].size, port_load(&tree->stripe[0].size) + sums.has - sums.had);
    uint64_t nodes = batch_all_nodes(b) + s->copies, stocked = nodes < s->stock ? nodes : s->stock;
    s->stock_end = s->stock - stocked;
    s->next = s->first_id + (nodes - stocked);
    port_store(&tree->pool.stock_end, s->stock_end);
    port_store(&tree->pool.next, s->next);
    s->tidied = s->level[0].runs;
    if (s->copies) port_store(&b->versions->kept[0].head, batch_new_id(b, s->tree_nodes));
    if (b->keeps) port_publish_fence();
    port_store(&tree->root, s->new_root);
}

/* One worker calls this after batch_end. */
PORT_FN void batch_count_keys(const batch_ref *b)
{
    batch_sizes *s = b->sizes;
    s->size = 0;
    for (unsigned i = 0; i < BLINK_STRIPES && (s->seen & BATCH_HAS_ERASES); i++)
        s->size += port_load(&b->map.tree->stripe[i].size);
}

/* Called instead of a commit if memory did not suffice: zeroes node number `at` of those that were built, so that it
 * reads like a never-allocated one. */
PORT_FN void batch_forget(const batch_ref *b, uint32_t at)
{
    map_node *node = node_at(b->map, batch_new_id(b, at));
    for (unsigned i = 0; i < sizeof node->word / sizeof node->word[0]; i++) port_store(&node->word[i], 0);
}
