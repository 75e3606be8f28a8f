/* core/slabhash/slabhash_find.h - find and contains. Included by slabhash.h, once per kind of table. */

/* A look at a bucket that is believed only if it still holds at the end. */
typedef struct S(slab_look) {
    const slab_table *table;
    const slab *first;
    uint64_t root, header;
    unsigned log; /* of the number of buckets that it is one of */
} S(slab_look);

/* Nothing of the bucket has changed since the look began, but values. */
PORT_FN bool S(look_holds)(const S(slab_look) *look)
{
    port_validate_fence();
    uint64_t header = port_load(&look->first->word[SLAB_HEADER]);
    return !((header ^ look->header) & ~(uint64_t)SLAB_LATCHED) && port_load(&look->table->root) == look->root;
}

/* The first slab of the bucket that a hash names now. DONE with first == NULL: the table is empty. */
PORT_FN slab_step S(look_begin)(const slab_place *place, const slab_table *table, uint32_t hash, S(slab_look) *look)
{
    look->table = table;
    look->first = NULL;
    look->root = port_load(&table->root);
    look->log = slab_root_log(look->root);
    if (!slab_root_first(look->root)) return SLAB_DONE;
    const slab *first = slab_at(place, slab_bucket(look->root, hash));
    look->header = port_load(&first->word[SLAB_HEADER]);
    port_validate_fence();
    if (look->header & SLAB_MOVED) {
        /* Who marked the bucket had seen the next root, so it is here to be seen, until this root is none any more. */
        uint64_t next = slab_target(table, look->root);
        port_validate_fence();
        if (!next || port_load(&table->root) != look->root) return SLAB_AGAIN;
        first = slab_at(place, slab_bucket(next, hash));
        look->log = slab_root_log(next);
        look->header = port_load(&first->word[SLAB_HEADER]);
        port_validate_fence();
    }
    if (look->header & (SLAB_MOVED | SLAB_OTHER)) return SLAB_AGAIN;
    look->first = first;
    return SLAB_DONE;
}

PORT_FN slab_step S(slab_find)(const slab_place *place, const slab_table *table, S(key) key, bool *found, S(key) *value)
{
    S(slab_look) look;
    if (S(look_begin)(place, table, S(slab_hash)(place, key), &look) != SLAB_DONE) return SLAB_AGAIN;
    *found = false;
    if (!look.first) return SLAB_DONE;
    uint32_t mask = slab_mask(look.header);
    for (const slab *at = look.first;;) {
        S(slot) pair;
        *found = S(slab_search)(at, mask, key, &pair) < SLAB_SLOTS;
        if (*found) {
            *value = pair.value;
            break;
        }
        uint32_t next = (uint32_t)port_load(&at->word[SLAB_LINK]);
        if (!next) break;
        if (at != look.first && !S(look_holds)(&look)) return SLAB_AGAIN; /* links that are no chain could go in rings */
        at = slab_at(place, next);
        mask = slab_mask(port_load(&at->word[SLAB_HEADER]));
        port_validate_fence();
    }
    return S(look_holds)(&look) ? SLAB_DONE : SLAB_AGAIN;
}
