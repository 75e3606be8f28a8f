/* hash/slabhash_find.h - find and contains. Included by slabhash.h. */

/* A look at a bucket that is believed only if it still holds at the end. */
typedef struct bucket_view {
    const slab_table *table;
    const slab *first;
    uint64_t root, header, link;
    unsigned log; /* of the number of buckets that it is one of */
} bucket_view;

/* Begin again, and do not trust what was read of the table before. */
PORT_FN slab_step look_again(void)
{
    port_invalidate_cached();
    return SLAB_AGAIN;
}

/* Nothing of the bucket has changed since the look began, but values; or, with only_root, it is still a bucket of this
 * table, or has moved since. `seen` has something of every load that was part of the look. */
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

/* The first slab's header and link, and its address for what is to be read after them. */
PORT_FN const slab *look_at(bucket_view *look, const slab *first)
{
    port_load_in_order(&first->word[SLAB_HEADER], &look->header, &look->link);
    return (const slab *)port_order_after(first->word, look->header);
}

/* The first slab of the bucket that a hash names now. DONE with first == NULL: the table is empty.
 * The root may be an old one: all threads of a GPU would ask one place in its memory for it, and it is looked at again
 * in the end. */
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
        /* Who marked the bucket had seen the next root, so it is here to be seen, until this root is none any more. */
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

/* A key of a group that has some elsewhere: in the first slab, or in the rest of the chain. */
PORT_FN slab_step find_displaced(const slab_ref *place, const bucket_view *look, slab_key key, bool *found,
                                 slab_slot *pair, uint64_t *seen)
{
    uint32_t mask = slab_mask(look->header), next = (uint32_t)look->link;
    for (const slab *at = look->first;;) {
        *found = slab_search(at, mask, key, pair, seen) < SLAB_SLOTS;
        if (*found || !next) return SLAB_DONE;
        /* links of no chain could go in rings */
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
