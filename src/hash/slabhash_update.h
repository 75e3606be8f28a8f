/* hash/slabhash_update.h - put, add and erase. A lookup in the bucket shows what must change; if nothing, the update is
 * done. Otherwise the bucket is latched in the state in which it was seen. If the lookup was not sufficient, the change
 * is determined under the latch (prepare). Then it is made (commit) or not (abandon). Included by slabhash.h. */

/* An update, and the bucket that it looked up and may have latched. */
typedef struct slab_change {
    op_kind kind;
    slab_slot pair;        /* the key, and the value to put */
    slab_slot old;         /* the slot's previous contents, if the outcome implies some */
    pleach_outcome outcome;
    bool helps;            /* the table is growing: move some buckets afterwards */
    bool only;             /* the bucket is the only one of its table */
    bool known_absent;     /* the caller knows that the key is absent */
    bool brief;            /* fast path only: the caller does not move buckets */
    bool in_first;         /* `at` and `slot` are known: no other slab is changed or needs to be searched */
    uint64_t seen;         /* a part of every load of the lookup: port_order_after */
    slab *first;           /* of the bucket; its header has the latch */
    uint64_t header, link; /* of the first slab, before it was latched */
    uint64_t root, next;   /* of the table; next: where the bucket must move, or 0 */
    unsigned group;        /* of the key */
    slab *at, *before;     /* the slab with the slot, and the one that links to it */
    unsigned slot;
    uint32_t fresh;        /* a new slab for the end of the chain, which is `at`; 0 if none is needed */
} slab_change;

PORT_FN void change_begin(slab_change *c, op_kind kind, slab_key key, slab_key value)
{
    c->kind = kind;
    c->pair.key = key;
    c->pair.value = value;
    c->old.value = 0;
    c->outcome = PLEACH_NOT_APPLIED;
    c->helps = c->known_absent = c->brief = false;
}

/* Copies a change that is latched but not prepared. Member by member, because nvcc 13.0 has miscompiled copies of the
 * whole struct when some members are not set yet. */
PORT_FN void change_copy(slab_change *to, const slab_change *from)
{
    to->kind = from->kind;
    to->pair.key = from->pair.key;
    to->pair.value = from->pair.value;
    to->old.key = 0;
    to->old.value = 0;
    to->outcome = PLEACH_NOT_APPLIED;
    to->helps = from->helps;
    to->only = from->only;
    to->known_absent = from->known_absent;
    to->brief = to->in_first = false;
    to->seen = 0;
    to->first = from->first;
    to->header = from->header;
    to->link = from->link;
    to->root = from->root;
    to->next = from->next;
    to->group = from->group;
    to->at = to->before = NULL;
    to->slot = SLAB_SLOTS;
    to->fresh = 0;
}

/* Finds the slot of the key in its bucket's first slab, or a slot in which it could be put. Returns false if the key
 * may be, or must be put, in another slab. */
PORT_FN bool locate_in_first(slab_change *c)
{
    uint32_t mask = slab_mask(c->header);
    c->at = c->first;
    c->before = NULL;
    c->slot = SLAB_SLOTS;
    if (!c->known_absent) c->slot = slab_search_group(c->first, mask, c->group, c->pair.key, &c->old, &c->seen);
    if (!c->known_absent && c->slot == SLAB_SLOTS && c->link & slab_displaced_bit(c->group)) {
        c->slot = slab_search(c->first, mask & ~group_slots(c->group), c->pair.key, &c->old, &c->seen);
        if (c->slot == SLAB_SLOTS && (uint32_t)c->link) return false;
    }
    if (c->slot < SLAB_SLOTS) {
        c->outcome = c->kind == OP_PUT ? PLEACH_REPLACED : c->kind == OP_ADD ? PLEACH_EXISTS : PLEACH_ERASED;
        return true;
    }
    c->outcome = c->kind == OP_ERASE ? PLEACH_ABSENT : PLEACH_INSERTED;
    if (c->outcome == PLEACH_ABSENT) return true;
    if (mask == SLAB_ALL) return false;
    c->slot = slab_free_slot(mask, c->group);
    return true;
}

/* Looks the key up in its bucket. Returns SLAB_DONE with first == NULL if the table is empty. */
PORT_FN slab_step change_look(const slab_ref *place, slab_table *table, slab_change *c)
{
    bucket_view look;
    uint32_t hash = slab_hash(place, c->pair.key);
    if (look_begin(place, table, hash, &look) != SLAB_DONE) return SLAB_AGAIN;
    if (look.first && look.header & SLAB_LATCHED) return SLAB_AGAIN; /* its slots are not worth a load */
    c->group = slab_group(hash);
    c->first = (slab *)look.first;
    c->only = false;
    c->root = look.root;
    c->next = 0;
    c->fresh = 0;
    c->header = look.first ? look.header : 0;
    c->link = look.first ? look.link : 0;
    c->seen = c->header;
    c->in_first = c->first && locate_in_first(c);
    if (!c->first && c->kind == OP_ERASE) {
        c->in_first = true;
        c->slot = SLAB_SLOTS;
        c->outcome = PLEACH_ABSENT;
    }
    return SLAB_DONE;
}

/* Returns whether the update changes anything, as far as the lookup, or change_prepare, has determined. */
PORT_FN bool change_alters(const slab_change *c)
{
    return c->outcome == PLEACH_INSERTED || c->outcome == PLEACH_ERASED || (c->outcome == PLEACH_REPLACED && SLAB_VALUES);
}

/* For an update that changes nothing: validates what was read, as a find does. */
PORT_FN slab_step change_unaltered(const slab_table *table, const slab_change *c)
{
    bucket_view look;
    look.table = table;
    look.first = c->first;
    look.root = c->root;
    look.header = c->header;
    look.link = c->link;
    bool in_no_slot = c->slot == SLAB_SLOTS && !(c->link & slab_displaced_bit(c->group));
    return bucket_unchanged_after(&look, c->seen, in_no_slot) ? SLAB_DONE : SLAB_AGAIN;
}

/* Latches the bucket as the lookup saw it; only values may have changed since. */
PORT_FN slab_step change_latch(const slab_ref *place, slab_table *table, slab_change *c)
{
    slab *first = c->first;
    if (!first) return SLAB_DONE;
    if (!port_latch(&first->word[SLAB_HEADER], c->header, c->header | SLAB_LATCHED)) return SLAB_AGAIN;
    uint64_t now, target;
    port_load_in_order(&table->root, &now, &target);
    if (now != c->root) { /* the slab belongs to another bucket by now */
        port_store_release(&first->word[SLAB_HEADER], c->header);
        return look_again();
    }
    bool of_root = first == slab_at(place, slab_bucket(c->root, slab_hash(place, c->pair.key)));
    c->only = of_root && slab_root_log(c->root) == 0;
    if (of_root) c->next = slab_target_of(target, c->root);
    if (!of_root) c->helps = true; /* others have not moved yet; without help the last would take long */
    if (SLAB_VALUES && c->in_first && c->outcome == PLEACH_ERASED) c->old = slot_load(first, c->slot);
    return SLAB_DONE;
}

/* For a latched change: returns whether the fast path suffices. */
PORT_FN bool fits_fast_path(const slab_change *c)
{
    return c->first && c->in_first && !c->next && !(c->brief && c->helps);
}

/* After the lookup, in a fast-path attempt: returns true if the update is left to the slow path; nothing is latched. */
PORT_FN bool defer_to_slow_path(slab_change *c)
{
    if (!c->brief || (c->first && c->in_first)) return false;
    c->first = NULL;
    return true;
}

/* Creates the first slab of an empty table. Returns false if there is no memory. */
PORT_COLD bool table_begin(const slab_ref *place, slab_table *table, uint64_t root)
{
    uint32_t id = slab_take(place);
    if (!id) return false;
    slab *first = slab_at(place, id);
    port_store(&first->word[SLAB_LINK], 0);
    /* Latched from the beginning. Otherwise a delayed thread that knows the slab from a former table could latch it,
     * and would restore this header after the slab has been freed (H5). */
    uint64_t header = slab_next_header(port_load(&first->word[SLAB_HEADER]), 0, 0);
    port_store_release(&first->word[SLAB_HEADER], header | SLAB_LATCHED);
    if (port_compare_swap(&table->root, root, slab_root_after(root, slab_root_of(id, 0))))
        port_store_release(&first->word[SLAB_HEADER], header);
    else
        slab_free(place, id);
    return true;
}

PORT_FN bool wants_growth(const slab_ref *place, const slab_table *table, uint64_t root)
{
    uint64_t load = slab_load(port_load(&table->load)), buckets = (uint64_t)1 << slab_root_log(root);
    if (place->load_of_keys) return load * 1024 >= buckets * SLAB_SLOTS * place->load_of_keys;
    return load * SLAB_OVERFLOW_PART >= buckets;
}

/* Finds the slot of a key whose group has its displaced bit set, if the key is present. */
PORT_FN void locate_displaced(const slab_ref *place, slab_change *c)
{
    uint64_t header = c->header, link = c->link;
    for (;;) {
        c->slot = slab_search(c->at, slab_mask(header), c->pair.key, &c->old, &c->seen);
        if (c->slot < SLAB_SLOTS || !(uint32_t)link) return;
        c->before = c->at;
        c->at = slab_at(place, (uint32_t)link);
        port_load_in_order(&c->at->word[SLAB_HEADER], &header, &link);
    }
}

/* Finds a slot for an absent key: in its group, otherwise in the first slab, otherwise in the first slab of the chain
 * that has a free slot. If there is none, slot is SLAB_SLOTS and `at` is the end of the chain. */
PORT_FN void locate_room(const slab_ref *place, slab_change *c)
{
    uint64_t header = c->header, link = c->link;
    c->at = c->first;
    c->slot = SLAB_SLOTS;
    for (;;) {
        if (slab_mask(header) != SLAB_ALL) {
            c->slot = slab_free_slot(slab_mask(header), c->group);
            return;
        }
        if (!(uint32_t)link) return;
        c->at = slab_at(place, (uint32_t)link);
        port_load_in_order(&c->at->word[SLAB_HEADER], &header, &link);
    }
}

/* Finds the key in its bucket, or a slot for it. */
PORT_FN void change_locate(const slab_ref *place, slab_change *c)
{
    c->at = c->first;
    c->before = NULL;
    c->slot = SLAB_SLOTS;
    if (!c->known_absent) {
        c->slot = slab_search_group(c->first, slab_mask(c->header), c->group, c->pair.key, &c->old, &c->seen);
        if (c->slot == SLAB_SLOTS && c->link & slab_displaced_bit(c->group)) locate_displaced(place, c);
    }
    if (c->slot < SLAB_SLOTS) {
        c->outcome = c->kind == OP_PUT ? PLEACH_REPLACED : c->kind == OP_ADD ? PLEACH_EXISTS : PLEACH_ERASED;
        return;
    }
    c->outcome = c->kind == OP_ERASE ? PLEACH_ABSENT : PLEACH_INSERTED;
    if (c->outcome == PLEACH_INSERTED) locate_room(place, c);
}

PORT_FN void change_abandon(const slab_ref *place, slab_change *c)
{
    if (c->fresh) slab_free(place, c->fresh);
    if (c->first) port_store_release(&c->first->word[SLAB_HEADER], c->header);
}

/* Moves a bucket of a table that grows, or whose bucket has no space for the key so that it should grow. Returns
 * SLAB_AGAIN if the bucket has moved, and SLAB_DONE if it could not. */
PORT_FN slab_step change_move(const slab_ref *place, slab_table *table, slab_change *c)
{
    uint64_t root = c->root, next = c->next;
    uint32_t number = slab_bucket(root, slab_hash(place, c->pair.key)) - slab_root_first(root);
    c->helps = true;
    if (!move_bucket(place, table, root, next, number, c->header)) return SLAB_DONE;
    slab_count_moved(place, table, root, next, 1);
    return SLAB_AGAIN;
}

/* For a latched change. Returns SLAB_DONE if c->outcome is what commit will do and commit can do it, or if there is no
 * bucket and nothing to do, or if the outcome is PLEACH_NOT_APPLIED. Returns SLAB_AGAIN if the latch was released. */
PORT_FN slab_step change_prepare(const slab_ref *place, slab_table *table, slab_change *c)
{
    c->fresh = 0;
    if (!c->first) {
        c->outcome = c->kind == OP_ERASE ? PLEACH_ABSENT : PLEACH_NOT_APPLIED;
        return c->kind == OP_ERASE || !table_begin(place, table, c->root) ? SLAB_DONE : SLAB_AGAIN;
    }
    if (c->next && change_move(place, table, c) == SLAB_AGAIN) return SLAB_AGAIN;
    change_locate(place, c);
    if (c->outcome != PLEACH_INSERTED || c->slot < SLAB_SLOTS) return SLAB_DONE;
    uint32_t hash = slab_hash(place, c->pair.key);
    if (c->first == slab_at(place, slab_bucket(c->root, hash)) && wants_growth(place, table, c->root)) {
        slab_start_growth(place, table, slab_root_log(c->root) + 1);
        c->next = slab_target(table, c->root);
        if (c->next && change_move(place, table, c) == SLAB_AGAIN) return SLAB_AGAIN;
        if (place->hopeful && !port_load(&table->next)) {
            c->outcome = PLEACH_NOT_APPLIED;
            return SLAB_DONE;
        }
    }
    c->fresh = slab_take(place);
    if (!c->fresh) c->outcome = PLEACH_NOT_APPLIED;
    return SLAB_DONE;
}

/* Whether a key that is put outside its group needs the displaced bit. A thread that sees the key there, or sees that
 * the bucket has it, must also see the bit, so the bit is stored first. */
PORT_FN bool needs_mark(const slab_change *c)
{
    bool in_group = c->at == c->first && c->slot < SLAB_SLOTS && group_slots(c->group) >> c->slot & 1;
    return !in_group && !(c->link & slab_displaced_bit(c->group));
}

PORT_FN void mark_displaced(slab_change *c)
{
    if (!needs_mark(c)) return;
    c->link |= slab_displaced_bit(c->group);
    port_store(&c->first->word[SLAB_LINK], c->link);
}

/* Stores only a slot and the header. */
PORT_FN void commit_insert_in_first(slab_change *c)
{
    uint32_t mask = slab_mask(c->header) | (uint32_t)1 << c->slot;
    uint64_t was = slot_replace(c->first, c->slot, c->pair);
    port_release_after_exchange(&c->first->word[SLAB_HEADER], slab_next_header(c->header, 0, mask), was);
}

PORT_FN void commit_insert(const slab_ref *place, slab_table *table, slab_change *c)
{
    uint32_t mask = slab_mask(c->header);
    if (!SLAB_VALUES && PLEACH_KEY_BITS == 32 && c->at == c->first && !c->fresh && !needs_mark(c)) {
        commit_insert_in_first(c);
        return;
    }
    mark_displaced(c);
    if (c->fresh) {
        slab *fresh = slab_at(place, c->fresh);
        slot_store(fresh, 0, c->pair);
        port_store(&fresh->word[SLAB_LINK], 0);
        port_store(&fresh->word[SLAB_HEADER], slab_next_header(port_load(&fresh->word[SLAB_HEADER]), SLAB_OTHER, 1));
        port_publish_fence();
        port_store(&c->at->word[SLAB_LINK], c->at == c->first ? slab_relink(c->link, c->fresh) : c->fresh);
        if (!place->load_of_keys) port_fetch_add(&table->load, 1);
    } else {
        slot_store(c->at, c->slot, c->pair);
        if (c->at == c->first) {
            mask |= (uint32_t)1 << c->slot;
        } else {
            uint64_t *header = &c->at->word[SLAB_HEADER];
            uint64_t old = port_load(header);
            port_store_release(header, slab_next_header(old, SLAB_OTHER, slab_mask(old) | (uint32_t)1 << c->slot));
        }
    }
    port_store_release(&c->first->word[SLAB_HEADER], slab_next_header(c->header, 0, mask));
}

/* Unlinks and frees the key's slab if the erase empties it and it is not the first of the bucket. */
PORT_FN void commit_erase(const slab_ref *place, slab_table *table, slab_change *c)
{
    uint32_t mask = slab_mask(c->header), bit = (uint32_t)1 << c->slot, emptied = 0;
    if (c->at == c->first) { /* only the header is stored */
        port_release_after_exchange(&c->first->word[SLAB_HEADER], slab_next_header(c->header, 0, mask & ~bit),
                                    c->old.value);
        return;
    }
    uint64_t *header = &c->at->word[SLAB_HEADER], old = port_load(header);
    port_store(header, slab_next_header(old, SLAB_OTHER, slab_mask(old) & ~bit));
    if (!(slab_mask(old) & ~bit)) {
        uint64_t *link = &c->before->word[SLAB_LINK], to_it = port_load(link);
        emptied = (uint32_t)to_it;
        port_store(link, slab_relink(to_it, (uint32_t)port_load(&c->at->word[SLAB_LINK])));
    }
    port_store_release(&c->first->word[SLAB_HEADER], slab_next_header(c->header, 0, mask));
    if (!emptied) return;
    slab_free(place, emptied);
    if (!place->load_of_keys) port_fetch_add(&table->load, (uint64_t)-1);
}

/* Adds `more` to the number of keys if `load` counts keys. A thread that has latched the only bucket of a table is the
 * only writer of `load`: no bucket that could be counted has moved, and the owner set its bit before any insert. */
PORT_FN void count_key(const slab_ref *place, slab_table *table, const slab_change *c, uint64_t more)
{
    if (!place->load_of_keys) return;
    if (c->only && !PORT_ADD_IS_ASYNC)
        port_store(&table->load, port_load(&table->load) + more);
    else
        port_add(&table->load, more);
}

/* Makes the change and releases the latch. */
PORT_FN void change_commit(const slab_ref *place, slab_table *table, slab_change *c)
{
    if (c->outcome == PLEACH_INSERTED) {
        count_key(place, table, c, 1);
        commit_insert(place, table, c);
    } else if (c->outcome == PLEACH_ERASED) {
        count_key(place, table, c, (uint64_t)-1);
        commit_erase(place, table, c);
    } else if (c->first) {
        if (c->outcome == PLEACH_REPLACED) c->old.value = slot_assign(c->at, c->slot, c->pair);
        port_release_after_exchange(&c->first->word[SLAB_HEADER], c->header, c->seen ^ c->old.value);
    }
}

/* One attempt of an update that touches only the first slab of a bucket that does not move, as most updates do. Returns
 * SLAB_NEEDS_SLOW_PATH if this one needs more; its bucket is then latched, unless first == NULL. */
PORT_FN slab_step update_in_first(const slab_ref *place, slab_table *table, slab_change *c)
{
    if (change_look(place, table, c) != SLAB_DONE) return SLAB_AGAIN;
    if (c->in_first && !change_alters(c)) return change_unaltered(table, c);
    if (defer_to_slow_path(c)) return SLAB_NEEDS_SLOW_PATH;
    if (change_latch(place, table, c) != SLAB_DONE) return SLAB_AGAIN;
    if (!fits_fast_path(c)) return SLAB_NEEDS_SLOW_PATH;
    change_commit(place, table, c);
    return SLAB_DONE;
}

/* One attempt of the fast path only. Returns SLAB_NEEDS_SLOW_PATH if that does not suffice; nothing has changed then,
 * and nothing is latched. */
PORT_FN slab_step slab_update_fast_path(const slab_ref *place, slab_table *table, slab_change *c)
{
    c->brief = true;
    slab_step step = update_in_first(place, table, c);
    if (step == SLAB_NEEDS_SLOW_PATH) change_abandon(place, c);
    return step;
}

PORT_COLD slab_step update_slow_path(const slab_ref *place, slab_table *table, slab_change *c)
{
    if (change_prepare(place, table, c) != SLAB_DONE) return SLAB_AGAIN;
    change_commit(place, table, c);
    return SLAB_DONE;
}

/* One attempt of an update. It keeps its latch for the slow path, because it might not get the latch again for long. */
PORT_FN slab_step slab_update(const slab_ref *place, slab_table *table, slab_change *c)
{
    slab_step step = update_in_first(place, table, c);
    if (step != SLAB_NEEDS_SLOW_PATH) return step;
    /* Copies, because variables whose address is passed to a function are kept in memory, and the fast path should stay
     * in a GPU's registers. */
    slab_ref far = *place;
    slab_change change;
    change_copy(&change, c);
    step = update_slow_path(&far, table, &change);
    c->outcome = change.outcome;
    c->old.value = change.old.value;
    c->helps |= change.helps;
    return step;
}
