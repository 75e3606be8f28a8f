/* hash/slabhash_find.h - find and contains. Included by slabhash.h. */

/* What was read of a bucket. The result of a lookup may be used only if the bucket is unchanged at its end. */
typedef struct bucket_view {
    const slab_table *table;
    const slab *first;
    uint64_t root, header, link;
    unsigned log; /* of the number of buckets in its run */
} bucket_view;

/* Requests a retry that does not trust what was cached of the table. */
PORT_FN slab_step look_again(void)
{
    port_invalidate_cached();
    return SLAB_AGAIN;
}

/* Returns whether nothing of the bucket but values has changed since the lookup began; or, with only_root, whether it
 * is still a bucket of this table or has moved since. `seen` has a part of every load of the lookup. */
PORT_FN bool bucket_unchanged_after(const bucket_view *look, uint64_t seen, bool only_root)
{
    uint64_t header = look->header, root = port_load(port_order_after(&look->table->root, seen));
    if (!only_root) header = port_load(port_order_after(&look->first->word[SLAB_HEADER], seen));
    if (root != look->root) port_invalidate_cached();
    return !((header ^ look->header) & ~(uint64_t)SLAB_LATCHED) && root == look->root;
}

PORT_FN bool bucket_unchanged(const bucket_view *look)
{
    port_validate_fence();
    return bucket_unchanged_after(look, 0, false);
}

/* Loads the first slab's header and link. Returns its address for loads that must come after these. */
PORT_FN const slab *look_at(bucket_view *look, const slab *first)
{
    port_load_in_order(&first->word[SLAB_HEADER], &look->header, &look->link);
    return (const slab *)port_order_after(first->word, look->header);
}

/* Loads the first slab of the bucket that a hash names now. Returns SLAB_DONE with first == NULL if the table is empty.
 * The root may be stale: it is loaded through a cache, because otherwise all threads of a GPU would request one word of
 * its memory. It is loaded again at the end. */
PORT_FN slab_step look_begin(const slab_ref *place, const slab_table *table, uint32_t hash, bucket_view *look)
{
    look->table = table;
    look->first = NULL;
    look->root = port_load_cached(&table->root);
    if (!slab_root_first(look->root)) look->root = port_load(&table->root);
    look->log = slab_root_log(look->root);
    if (!slab_root_first(look->root)) return SLAB_DONE;
    const slab *first = look_at(look, slab_at(place, slab_bucket(look->root, hash)));
    if (look->header & SLAB_MOVED) {
        /* The thread that marked the bucket as moved had seen the next root. So it is visible here until the root
         * changes. */
        port_validate_fence();
        uint64_t next = slab_target(table, look->root);
        port_validate_fence();
        if (!next || port_load(&table->root) != look->root) return look_again();
        first = look_at(look, slab_at(place, slab_bucket(next, hash)));
        look->log = slab_root_log(next);
    }
    if (look->header & (SLAB_MOVED | SLAB_OTHER)) return look_again();
    look->first = first;
    return SLAB_DONE;
}

/* Searches for a key whose group has its displaced bit set: in the first slab, then in the rest of the chain. */
PORT_FN slab_step find_displaced(const slab_ref *place, const bucket_view *look, slab_key key, bool *found,
                                 slab_slot *pair, uint64_t *seen)
{
    uint32_t mask = slab_mask(look->header), next = (uint32_t)look->link;
    for (const slab *at = look->first;;) {
        *found = slab_search(at, mask, key, pair, seen) < SLAB_SLOTS;
        if (*found || !next) return SLAB_DONE;
        /* links of slabs that are no longer in the chain could form a cycle */
        if (at != look->first && !bucket_unchanged_after(look, *seen, false)) return SLAB_AGAIN;
        uint64_t header, link;
        at = slab_at(place, next);
        port_load_in_order(&at->word[SLAB_HEADER], &header, &link);
        at = (const slab *)port_order_after(at->word, header);
        *seen ^= header;
        mask = slab_mask(header);
        next = (uint32_t)link;
    }
}

PORT_FN slab_step slab_find(const slab_ref *place, const slab_table *table, slab_key key, bool *found,
                            slab_key *value)
{
    bucket_view look;
    slab_slot pair;
    uint32_t hash = slab_hash(place, key);
    unsigned group = slab_group(hash);
    if (look_begin(place, table, hash, &look) != SLAB_DONE) return SLAB_AGAIN;
    *found = false;
    if (!look.first) return SLAB_DONE;
    uint64_t seen = look.header;
    *found = slab_search_group(look.first, slab_mask(look.header), group, key, &pair, &seen) < SLAB_SLOTS;
    bool in_no_slot = !*found && !(look.link & slab_displaced_bit(group));
    if (!*found && !in_no_slot && find_displaced(place, &look, key, found, &pair, &seen) != SLAB_DONE)
        return SLAB_AGAIN;
    if (*found) *value = pair.value;
    return bucket_unchanged_after(&look, seen, in_no_slot) ? SLAB_DONE : SLAB_AGAIN;
}
