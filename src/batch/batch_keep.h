/* batch/batch_keep.h - a batch while snapshots are live: preserves the leaves that the batch changes and that a
 * snapshot may read, by copying them first. Included by batch.h.
 *
 * The batch's timestamp is the clock's value. No live snapshot has that timestamp, because a snapshot gets the value
 * that the clock had before the snapshot was taken. None can be taken before the batch is over. So every later snapshot
 * includes all of the batch, and every earlier one includes nothing of it: one batch is one version.
 *
 * Queries at live snapshots run concurrently with the batch (gate_enter_snapshot). To them the batch looks like an
 * update of versioned/: a node that is being overwritten is latched, and its version grows; a copy, and a new leaf with
 * its record, are complete before any pointer leads to them; the record of a leaf changes under the leaf's latch. No
 * nodes are merged (batch_rebalance.h) while a snapshot is live, so no node is freed.
 *
 *     copies    per run: is a copy needed? (a scan numbers the copies, after the new nodes of the tree)
 *     preserve  per run: the copy
 *     inherit   per new leaf: it shares the version chain of the leaf that it was cut from
 */

/* The same condition as preserve_version of versioned/: no copy is needed if all live snapshots are older than the
 * leaf's newest version. */
PORT_FN uint32_t batch_needs_copy(const batch_ref *b, uint32_t number)
{
    uint32_t leaf = b->edit_node[b->run_first[number]];
    return port_load(&b->record[leaf].since) < port_load(&b->versions->epoch.pins_end);
}

PORT_FN void batch_store_copy(const batch_ref *b, uint32_t number, uint32_t copies)
{
    b->run_copy[number] = copies;
}

/* One worker calls this before the first copy is written. */
PORT_FN void batch_close_copies(const batch_ref *b)
{
    batch_sizes *s = b->sizes;
    s->tree_nodes = batch_all_nodes(b);
    s->copies = s->full || s->level[0].runs == 0 ? 0 : b->run_copy[s->level[0].runs - 1];
    uint64_t ids = s->first_id + (uint64_t)s->tree_nodes + s->copies;
    if (ids <= port_load(&b->map.tree->pool.capacity) + s->stock) return;
    s->full = 1;
    s->copies = 0;
}

/* Returns the node for the copy of a run's leaf, or NODE_NONE if none is needed. */
PORT_FN uint32_t batch_copy_of(const batch_ref *b, uint32_t number)
{
    uint32_t before = number ? b->run_copy[number - 1] : 0;
    return b->run_copy[number] == before ? NODE_NONE : batch_new_id(b, b->sizes->tree_nodes + before);
}

PORT_FN void batch_keep(const batch_ref *b, uint32_t number)
{
    uint32_t copy = batch_copy_of(b, number), leaf = b->edit_node[b->run_first[number]];
    if (copy == NODE_NONE || b->sizes->full) return;
    const map_node *from = node_at(b->map, leaf);
    map_node *to = node_at(b->map, copy);
    unsigned count = header_count(header_load(from));
    for (unsigned i = 0; i < count; i++) pair_store(to, i, pair_load(from, i));
    pair_store(to, NODE_LINK_SLOT, pair_load(from, NODE_LINK_SLOT));
    port_store(&to->word[HEADER_WORD], header_first(NODE_OLD_IMAGE, count));
    uint32_t next = b->run_copy[number];
    version_record *record = &b->record[copy];
    port_store(&record->since, port_load(&b->record[leaf].since));
    port_store(&record->older, port_load(&b->record[leaf].older));
    port_store(&record->until, port_load(&b->versions->epoch.clock));
    port_store(&record->next, next < b->sizes->copies ? batch_new_id(b, b->sizes->tree_nodes + next)
                                                      : port_load(&b->versions->kept[0].head));
}

/* Gives the leaves' new node number `at` its version record. */
PORT_FN void batch_inherit(const batch_ref *b, uint32_t at)
{
    if (b->sizes->full) return;
    uint32_t number = batch_run_of_node(b, 0, at), copy = batch_copy_of(b, number);
    uint32_t leaf = b->edit_node[b->run_first[number]];
    version_record *record = &b->record[batch_new_id(b, at)];
    uint64_t since = port_load(copy ? &b->versions->epoch.clock : &b->record[leaf].since);
    port_store(&record->since, since);
    port_store(&record->older, copy ? copy : port_load(&b->record[leaf].older));
    port_store(&record->until, since);
    /* As after a split, the versions before it now also belong to the new leaf. */
    port_store(&b->record[leaf].until, since);
}
