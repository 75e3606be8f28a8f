/* core/slabhash/slabhash_find.h - find and contains. Included by slabhash.h, once per kind of table. */

/* A look at a bucket that is believed only if it still holds at the end. */
typedef struct S(slab_look) {
    const slab_table *table;
    const slab *first;
    uint64_t root, header, link;
    unsigned log; /* of the number of buckets that it is one of */
} S(slab_look);

/* Begin again, and do not trust what was read of the table before. */
PORT_FN slab_step S(look_again)(void)
{
    port_forget_cached();
    return SLAB_AGAIN;
}

/* Nothing of the bucket has changed since the look began, but values. */
PORT_FN bool S(look_holds)(const S(slab_look) *look)
{
    port_validate_fence();
    uint64_t header = port_load(&look->first->word[SLAB_HEADER]), root = port_load(&look->table->root);
    if (root != look->root) port_forget_cached();
    return !((header ^ look->header) & ~(uint64_t)SLAB_LATCHED) && root == look->root;
}

PORT_FN void S(look_at)(S(slab_look) *look, const slab *first)
{
    port_load_in_order(&first->word[SLAB_HEADER], &look->header, &look->link);
    port_validate_fence();
}

/* The first slab of the bucket that a hash names now. DONE with first == NULL: the table is empty.
 * The root may be an old one: all threads of a GPU would ask one place in its memory for it, and it is looked at again
 * in the end. */
PORT_FN slab_step S(look_begin)(const slab_place *place, const slab_table *table, uint32_t hash, S(slab_look) *look)
{
    look->table = table;
    look->first = NULL;
    look->root = port_load_cached(&table->root);
    if (!slab_root_first(look->root)) look->root = port_load(&table->root);
    look->log = slab_root_log(look->root);
    if (!slab_root_first(look->root)) return SLAB_DONE;
    const slab *first = slab_at(place, slab_bucket(look->root, hash));
    slab_expect_group(first, hash);
    S(look_at)(look, first);
    if (look->header & SLAB_MOVED) {
        /* Who marked the bucket had seen the next root, so it is here to be seen, until this root is none any more. */
        uint64_t next = slab_target(table, look->root);
        port_validate_fence();
        if (!next || port_load(&table->root) != look->root) return S(look_again)();
        first = slab_at(place, slab_bucket(next, hash));
        look->log = slab_root_log(next);
        S(look_at)(look, first);
    }
    if (look->header & (SLAB_MOVED | SLAB_OTHER)) return S(look_again)();
    look->first = first;
    return SLAB_DONE;
}

/* A key of a group that has some elsewhere: in the first slab, or in the rest of the chain. */
PORT_FN slab_step S(find_elsewhere)(const slab_place *place, const S(slab_look) *look, S(key) key, bool *found,
                                    S(slot) *pair)
{
    uint32_t mask = slab_mask(look->header), next = (uint32_t)look->link;
    for (const slab *at = look->first;;) {
        *found = S(slab_search)(at, mask, key, pair) < SLAB_SLOTS;
        if (*found || !next) return SLAB_DONE;
        if (at != look->first && !S(look_holds)(look)) return SLAB_AGAIN; /* links of no chain could go in rings */
        uint64_t header, link;
        at = slab_at(place, next);
        port_load_in_order(&at->word[SLAB_HEADER], &header, &link);
        port_validate_fence();
        mask = slab_mask(header);
        next = (uint32_t)link;
    }
}

PORT_FN slab_step S(slab_find)(const slab_place *place, const slab_table *table, S(key) key, bool *found, S(key) *value)
{
    S(slab_look) look;
    S(slot) pair;
    uint32_t hash = S(slab_hash)(place, key);
    unsigned group = slab_group(hash);
    if (S(look_begin)(place, table, hash, &look) != SLAB_DONE) return SLAB_AGAIN;
    *found = false;
    if (!look.first) return SLAB_DONE;
    *found = S(slab_search_group)(look.first, slab_mask(look.header), group, key, &pair) < SLAB_SLOTS;
    if (!*found && look.link & slab_elsewhere(group) &&
        S(find_elsewhere)(place, &look, key, found, &pair) != SLAB_DONE)
        return SLAB_AGAIN;
    if (*found) *value = pair.value;
    return S(look_holds)(&look) ? SLAB_DONE : SLAB_AGAIN;
}
