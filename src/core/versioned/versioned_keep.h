/* core/versioned/versioned_keep.h - what an update does to a leaf, which it has latched, before it changes it: if a
 * live snapshot may ask for the image as it is, a copy goes behind it. Included by blink_update.h, once per key width.
 *
 * LINEARIZATION   an update takes effect when it reads the clock here. Nobody sees the leaf unlatched between then and
 * its stores, so nobody can tell the difference: a snapshot s with s >= the clock read is taken later, and its queries
 * find the leaf latched until the update is in it; a snapshot below finds `since` above itself, and the copy.
 * In place: no live snapshot has a timestamp from `since` on (end <= since), or none can have one (since is the clock's
 * value). One that is being taken meanwhile has not advanced the clock before it was read, so it comes after the
 * update and shall see it.
 */

PORT_FN void W(write_copy)(W(blink) map, uint32_t copy, const W(image) *image, unsigned count, W(pair) link)
{
    W(node) *node = W(node_at)(map, copy);
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++)
        if (i < count) W(pair_store)(node, i, image->pair[i]);
    W(pair_store)(node, NODE_LINK_SLOT, link);
    port_store(&node->word[W(HEADER_WORD)], header_first(NODE_OLD_IMAGE, count));
}

/* Returns the old images of one list that no live snapshot can ask for; keeps the others. A future snapshot's timestamp
 * is the clock's value at least, and so is no image's `until` above. */
PORT_COLD void W(return_images)(W(blink) map, unsigned stripe)
{
    versions v = map.versions;
    uint32_t id = version_pop_all(v, stripe), next, first = 0, last = 0;
    /* After the list: who put an image there has seen a clock beyond every snapshot that can ask for it, and so do we
     * now see those that are live (V4). */
    uint64_t oldest = port_load(&v.state->oldest), returned = 0;
    for (; id != NODE_NONE; id = next) {
        next = (uint32_t)port_load(&v.record[id].next);
        if (port_load(&v.record[id].until) <= oldest) {
            port_store(&W(node_at)(map, id)->word[W(HEADER_WORD)], 0); /* not a node any more */
            pool_give(&map.tree->pool, map.nodes, sizeof(W(node)), map.stripe, id);
            returned++;
            continue;
        }
        if (last == NODE_NONE) last = id;
        port_store(&v.record[id].next, first);
        first = id;
    }
    port_fetch_add(&v.state->kept[stripe % VERSION_STRIPES].images, (uint64_t)0 - returned);
    if (first != NODE_NONE) version_push(v, stripe, first, last, 0);
}

PORT_FN uint32_t W(take_for_copy)(W(blink) map)
{
    uint32_t copy = pool_take(&map.tree->pool, map.nodes, sizeof(W(node)), map.stripe, 0);
    for (unsigned stripe = 0; copy == NODE_NONE && stripe < VERSION_STRIPES; stripe++) {
        W(return_images)(map, stripe);
        copy = pool_take(&map.tree->pool, map.nodes, sizeof(W(node)), map.stripe, 0);
    }
    return copy;
}

/* False: an image must be kept and there is no node for it. */
PORT_FN bool W(keep_image)(W(blink) map, uint32_t id, uint64_t header, const W(image) *image, W(pair) link)
{
    versions v = map.versions;
    version_record *record = &v.record[id];
    uint64_t since = port_load(&record->since);
    port_settle_latch(); /* the latch is there for all to see before the clock is read */
    uint64_t now = port_load(&v.state->clock);
    port_validate_fence(); /* whoever takes the copy from its list sees what was entered before the clock stood there */
    if (since >= port_load(&v.state->end) || since == now) return true;
    uint32_t copy = W(take_for_copy)(map);
    if (copy == NODE_NONE) return false;
    W(write_copy)(map, copy, image, header_count(header), link);
    port_store(&v.record[copy].since, since);
    port_store(&v.record[copy].older, port_load(&record->older));
    port_store(&v.record[copy].until, now);
    version_push(v, map.stripe, copy, copy, 1);
    port_store(&record->older, copy);
    port_store(&record->since, now);
    return true;
}

/* The new right part of a split has the same past as the left part: its row leads to images from before the split,
 * which cover its keys too. */
PORT_FN void W(inherit_images)(W(blink) map, uint32_t from, uint32_t to)
{
    version_record *record = map.versions.record;
    port_store(&record[to].since, port_load(&record[from].since));
    port_store(&record[to].older, port_load(&record[from].older));
}
