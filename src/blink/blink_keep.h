/* blink/blink_keep.h - run by an update of a map with versions on the leaf that it has latched, before it changes the
 * leaf: if a live snapshot may read the current version, a copy is added to the version chain. Included by
 * blink_update.h.
 *
 * LINEARIZATION   An update takes effect when it reads the clock here. No thread sees the leaf unlatched between this
 *                 read and the update's stores, so the delay cannot be observed. A snapshot s with s >= the clock value
 *                 read is taken later, and its queries find the leaf latched until the update is complete. A snapshot
 *                 with a smaller timestamp finds `since` above its own timestamp, and reads the copy.
 * In place: an update needs no copy if no snapshot has, or can still get, a timestamp from `since` to below the clock's
 * value. This holds if the two are equal. It also holds if the floor has reached the clock (no participant is inside
 * with a smaller stamp, E1) and every pin is below `since` (E4: a pin set later has a timestamp at or above the floor).
 */

/* Copies a latched node to one that no other thread can reach. */
PORT_FN void write_copy(map_node *copy, const node_image *image, unsigned count, map_pair link)
{
    PORT_UNROLL for (unsigned i = 0; i < NODE_CAPACITY; i++)
        if (i < count) pair_store(copy, i, image->pair[i]);
    pair_store(copy, NODE_LINK_SLOT, link);
    port_store(&copy->word[HEADER_WORD], header_first(NODE_OLD_IMAGE, count));
}

PORT_FN void return_image(map_thread map, uint32_t id)
{
    port_store(&node_at(map, id)->word[HEADER_WORD], 0); /* no longer a node */
    pool_free(&map.tree->pool, map.nodes, sizeof(map_node), map.stripe, id);
}

/* Returns to the pool the versions of one list that no live snapshot can read, and keeps the others. A future
 * snapshot's timestamp is at least the clock's value, and no version's `until` is above it. */
PORT_COLD void return_images(map_thread map, unsigned stripe)
{
    versions v = *map.versions;
    if (port_load(&v.state->kept[stripe % v.stripes].head) == NODE_NONE) return;
    uint32_t id = version_pop_all(v, stripe), next, first = 0, last = 0;
    uint64_t oldest = epoch_oldest(&v.state->epoch), returned = 0;
    for (; id != NODE_NONE; id = next) {
        next = (uint32_t)port_load(&v.record[id].next);
        if (version_claim(&v.record[id], oldest)) {
            return_image(map, id);
            returned++;
            continue;
        }
        if (last == NODE_NONE) last = id;
        port_store(&v.record[id].next, first);
        first = id;
    }
    if (returned) port_fetch_add(&v.state->kept[stripe % v.stripes].returned, returned);
    if (first != NODE_NONE) version_push(v, stripe, first, last);
}

/* Lists a version that came from a ring, where it counts as returned, but that now holds a newer version. */
PORT_FN void list_image(map_thread map, uint32_t id)
{
    versions v = *map.versions;
    version_push(v, map.stripe, id, id);
    port_fetch_add(&v.state->kept[map.stripe % v.stripes].returned, (uint64_t)-1);
}

/* Returns the free versions in the ring of a slot that no participant has at the moment. */
PORT_COLD void return_ring(map_thread map, uint32_t slot)
{
    epoch e = map.versions->epoch;
    epoch_home *home = &e.home[slot];
    if (port_load(epoch_slot(e, slot)) != EPOCH_FREE || !port_latch(epoch_slot(e, slot), EPOCH_FREE, EPOCH_OUT)) return;
    uint64_t head = port_load(&home->head), tail = port_load(&home->tail), oldest = epoch_oldest(e.state);
    for (; head < tail && port_load(&epoch_entry(e, slot, head)->until) <= oldest; head++) {
        uint32_t id = (uint32_t)port_load(&epoch_entry(e, slot, head)->id);
        if (version_claim(&map.versions->record[id], oldest))
            return_image(map, id);
        else
            list_image(map, id);
    }
    port_store(&home->head, head);
    epoch_unclaim(e, slot);
}

/* Returns every free version, wherever it is kept. */
PORT_COLD void return_all(map_thread map)
{
    for (unsigned stripe = 0; stripe < map.versions->stripes; stripe++) return_images(map, stripe);
    uint64_t claimed = port_load(&map.versions->state->epoch.claimed);
    for (uint64_t slot = 0; slot < claimed && slot < map.versions->epoch.slots; slot++)
        return_ring(map, (uint32_t)slot);
}

/* The same for an update that finds no memory, once for each value of epoch_oldest, which decides what is free.
 * Otherwise, with a million versions held by a snapshot, thousands of participants would each search all of them, and
 * none would make progress. */
PORT_COLD void sweep(map_thread map)
{
    uint64_t *swept = &map.versions->state->swept, before = port_load(swept);
    uint64_t oldest = epoch_oldest(&map.versions->state->epoch);
    if (before == oldest + 1 || !port_compare_swap(swept, before, oldest + 1)) return;
    return_all(map);
}

/* Used if there is no node for a copy. Participants that were inside at the first check, or when the floor was last
 * raised, may have left since. Then no copy is needed, unless a pinned snapshot needs one. */
PORT_COLD bool can_update_in_place_slow(map_thread map, uint64_t since, uint64_t now)
{
    if (!version_needed(*map.versions, since, now)) return true;
    if (since < port_load(&map.versions->state->epoch.pins_end)) return false;
    uint64_t floor = epoch_look(map.versions->epoch); /* before the pins: E4 */
    return floor >= now && since >= port_load(&map.versions->state->epoch.pins_end);
}

/* Returns a free version that the participant has retired before, or NODE_NONE. */
PORT_FN uint32_t take_retired(map_thread map)
{
    for (;;) {
        uint32_t id = map.agent ? epoch_reuse(map.agent) : NODE_NONE;
        if (id == NODE_NONE || version_claim(&map.versions->record[id], epoch_oldest(&map.versions->state->epoch)))
            return id;
        list_image(map, id);
    }
}

PORT_FN uint32_t take_for_copy(map_thread map)
{
    uint32_t copy = take_retired(map);
    if (copy != NODE_NONE) return copy;
    copy = pool_alloc(&map.tree->pool, map.nodes, sizeof(map_node), map.stripe, 0);
    if (copy != NODE_NONE) return copy;
    sweep(map);
    return pool_alloc(&map.tree->pool, map.nodes, sizeof(map_node), map.stripe, 0);
}

/* Takes a version of the leaf's own chain that no live snapshot needs, among the first few. The links of the chain are
 * trusted only as long as the versions are the leaf's own and each ends where the one before it begins: a version that
 * is free by age may have been reused for anything, including a newer version of this leaf. */
PORT_FN bool take_from_chain(map_thread map, uint32_t leaf, version_found *found)
{
    version_record *record = map.versions->record;
    uint64_t until = port_load(&record[leaf].since), shared = port_load(&record[leaf].until);
    uint32_t before = NODE_NONE, id = (uint32_t)port_load(&record[leaf].older);
    for (unsigned step = 0; step < VERSION_WALK && id != NODE_NONE && until > shared; step++) {
        uint64_t word = port_load(&record[id].older), since = port_load(&record[id].since);
        if (version_owner(word) != leaf || port_load(&record[id].until) != until) return false;
        if (!version_needed(*map.versions, since, until)) return version_cut(record, leaf, before, id, found);
        before = id;
        until = since;
        id = (uint32_t)word;
    }
    return false;
}

PORT_FN bool copy_version(map_thread map, uint32_t id, const node_image *image, unsigned count, uint64_t since,
                         uint64_t now)
{
    version_record *record = map.versions->record;
    version_found place = {since, NODE_NONE, (uint32_t)port_load(&record[id].older)};
    map_pair link = pair_load(node_at(map, id), NODE_LINK_SLOT);
    bool cut = take_from_chain(map, id, &place);
    if (!cut) place.id = take_for_copy(map);
    uint32_t copy = place.id;
    if (copy == NODE_NONE) return can_update_in_place_slow(map, since, now);
    write_copy(node_at(map, copy), image, count, link);
    port_store(&record[copy].since, place.since);
    port_store(&record[copy].until, now);
    port_store_release(&record[copy].older, version_word(id, place.older)); /* unlocks a version that was cut */
    if (cut)
        port_fetch_add(&map.versions->state->kept[map.stripe % map.versions->stripes].returned, 1);
    else if (!map.agent || !epoch_retire(map.agent, copy))
        version_push(*map.versions, map.stripe, copy, copy);
    port_store(&record[id].older, copy);
    port_store(&record[id].since, now);
    return true;
}

/* Called right after latching. Returns true if no live snapshot is older than what the update will do; the update may
 * then change the leaf in place without reading its record. These loads overlap with those of the leaf. */
PORT_FN bool can_update_in_place(map_thread map)
{
    const epoch_state *e = &map.versions->state->epoch;
    uint64_t floor, pins_oldest;
    port_fence_after_latch(); /* the latch is there for all to see before the clock is read */
    uint64_t now = port_load(&e->clock);
    port_load_in_order(&e->floor, &floor, &pins_oldest);
    return floor >= now && pins_oldest == UINT64_MAX;
}

/* Called if can_update_in_place returned false. Preserves `image`, that of a leaf with `count` pairs, if a snapshot
 * needs it. The clock is read again, which is safe because the leaf is latched. Returns false if no node is free. */
PORT_FN bool preserve_version(map_thread map, uint32_t id, const node_image *image, unsigned count)
{
    const epoch_state *e = &map.versions->state->epoch;
    uint64_t since = port_load(&map.versions->record[id].since), now = port_load(&e->clock);
    if (since == now || !version_needed(*map.versions, since, now)) return true;
    return copy_version(map, id, image, count, since, now);
}

/* The new right half of a split has the same past as the left half: its chain leads to the versions from before the
 * split, which cover its keys too. From now on these versions belong to neither leaf alone. */
PORT_FN void share_version_chain(map_thread map, uint32_t from, uint32_t to)
{
    version_record *record = map.versions->record;
    port_store(&record[to].since, port_load(&record[from].since));
    port_store(&record[to].older, port_load(&record[from].older));
    port_store(&record[to].until, port_load(&record[from].since));
    port_store(&record[from].until, port_load(&record[from].since));
}
