/* hash/slabhash_update.h - put, add and erase. A look at the bucket tells what is to be done; if that is
 * nothing, it is over. Else the bucket is latched as it was seen, or, if the look was not enough, it is found out under
 * the latch (prepare); and it is done (commit) or not (abandon). Included by slabhash.h. */

/* A change of a latched bucket. */
typedef struct slab_change {
    op_kind kind;
    slab_slot pair;         /* what is put */
    slab_slot old;          /* what was there, if the outcome says so */
    pleach_outcome outcome;
    bool helps;           /* the table is moving */
    bool only;            /* the bucket is the only one of its table */
    bool known_absent;    /* the caller knows that the key is not there */
    bool brief;           /* the caller does not help */
    bool in_first;        /* `at` and `slot` are right: no other slab is needed, nor a look at one */
    uint64_t seen;        /* of every load of the look: port_order_after */
    slab *first;          /* of the bucket; latched */
    uint64_t header, link; /* of the first slab, before it was latched */
    uint64_t root, next;  /* of the table; next: the bucket is to move there */
    unsigned group;       /* the key's */
    slab *at, *before;    /* the slab with the slot, and the one with the link to it */
    unsigned slot;
    uint32_t fresh;       /* a slab from the pool, for the end of the chain, which is `at`; 0: it needs none */
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

/* A change that has been latched, and no more. Member by member: of a struct as a whole, with members that are not set
 * yet, nvcc 13.0 has made something else. */
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

/* The slot of the key in its bucket's first slab, or one where it could be put. False: it may be, or must be put, in
 * another slab. */
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

/* Looks at the key's bucket. DONE with first == NULL: there is no table. */
PORT_FN slab_step change_look(const slab_ref *place, slab_table *table, slab_change *c)
{
    bucket_view look;
    uint32_t hash = slab_hash(place, c->pair.key);
    if (look_begin(place, table, hash, &look) != SLAB_DONE) return SLAB_AGAIN;
    if (look.first && look.header & SLAB_LATCHED) return SLAB_AGAIN; /* its slots are not worth the access */
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

/* Whether anything is to be done, as far as the look, or change_prepare, has told. */
PORT_FN bool change_alters(const slab_change *c)
{
    return c->outcome == PLEACH_INSERTED || c->outcome == PLEACH_ERASED || (c->outcome == PLEACH_REPLACED && SLAB_VALUES);
}

/* Of a change that alters nothing: whether what was seen can be believed, as in a find. */
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

/* Latches the bucket that was looked at, as it was then; values alone may be others by now. */
PORT_FN slab_step change_latch(const slab_ref *place, slab_table *table, slab_change *c)
{
    slab *first = c->first;
    if (!first) return SLAB_DONE;
    if (!port_latch(&first->word[SLAB_HEADER], c->header, c->header | SLAB_LATCHED)) return SLAB_AGAIN;
    uint64_t now, target;
    port_load_in_order(&table->root, &now, &target);
    if (now != c->root) { /* somebody else's bucket, by now */
        port_store_release(&first->word[SLAB_HEADER], c->header);
        return look_again();
    }
    bool of_root = first == slab_at(place, slab_bucket(c->root, slab_hash(place, c->pair.key)));
    c->only = of_root && slab_root_log(c->root) == 0;
    if (of_root) c->next = slab_target_of(target, c->root);
    if (!of_root) c->helps = true; /* the bucket has moved, others have not: else the last ones would take long */
    if (SLAB_VALUES && c->in_first && c->outcome == PLEACH_ERASED) c->old = slot_load(first, c->slot);
    return SLAB_DONE;
}

/* Of a change that is latched: whether the short way is enough. */
PORT_FN bool fits_fast_path(const slab_change *c)
{
    return c->first && c->in_first && !c->next && !(c->brief && c->helps);
}

/* Of a change that was looked at: brief tries leave it as it is, and nothing is latched. */
PORT_FN bool defer_to_slow_path(slab_change *c)
{
    if (!c->brief || (c->first && c->in_first)) return false;
    c->first = NULL;
    return true;
}

/* The first slab of an empty table. False: there is no memory. */
PORT_COLD bool table_begin(const slab_ref *place, slab_table *table, uint64_t root)
{
    uint32_t id = slab_take(place);
    if (!id) return false;
    slab *first = slab_at(place, id);
    port_store(&first->word[SLAB_LINK], 0);
    /* Latched from the beginning: a late agent that knows the slab from a former table could latch it else, and would
     * put this header back when the slab is free again (H5). */
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

/* Where a key of a group that has some elsewhere is, if it is there. */
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

/* Where a key that is not there could be put: in its group, or else in the first slab, or else in the first slab of the
 * chain that has room; with slot == SLAB_SLOTS there is none, and `at` is the chain's end. */
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

/* Where the key is in the bucket, or where it could be put. */
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

/* A bucket of a table that moves, or that has no room for the key and ought to move: it moves. DONE: it could not. */
PORT_FN slab_step change_move(const slab_ref *place, slab_table *table, slab_change *c)
{
    uint64_t root = c->root, next = c->next;
    uint32_t number = slab_bucket(root, slab_hash(place, c->pair.key)) - slab_root_first(root);
    c->helps = true;
    if (!move_bucket(place, table, root, next, number, c->header)) return SLAB_DONE;
    slab_count_moved(place, table, root, next, 1);
    return SLAB_AGAIN;
}

/* Of a change that is latched. DONE: what it will do is in c->outcome, and it can be done. Or there is no bucket, and
 * nothing to do, or NOT_APPLIED. AGAIN: the latch is gone. */
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

/* A key that is put elsewhere than in its group: whoever sees it there, or its bucket as one that has it, must have
 * seen the mark; so that is stored first. */
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

/* A slot and the header are all that is stored. */
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

/* A slab after the first one that becomes empty leaves the chain. */
PORT_FN void commit_erase(const slab_ref *place, slab_table *table, slab_change *c)
{
    uint32_t mask = slab_mask(c->header), bit = (uint32_t)1 << c->slot, emptied = 0;
    if (c->at == c->first) { /* the header is all that is stored */
        port_release_after_exchange(&c->first->word[SLAB_HEADER], slab_next_header(c->header, 0, mask & ~bit), c->old.value);
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

/* A key more, or less, where load counts them. Who has latched the only bucket of a table is the only one to write it:
 * no bucket has moved that could be counted, and the owner has set its bit before the first key came. */
PORT_FN void count_key(const slab_ref *place, slab_table *table, const slab_change *c, uint64_t more)
{
    if (!place->load_of_keys) return;
    if (c->only && !PORT_ADD_IS_ASYNC)
        port_store(&table->load, port_load(&table->load) + more);
    else
        port_add(&table->load, more);
}

/* The latch is gone afterwards. */
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

/* A try of an update that needs no more than the first slab of a bucket that stays where it is, as most do. LONG: this
 * one does, and is latched, unless first == NULL. */
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

/* A try that goes the short way or none. LONG: nothing was done, and nothing is latched. */
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

/* One try of an update. Who has the latch goes the long way with it in its hands: it might not get it again for
 * long. */
PORT_FN slab_step slab_update(const slab_ref *place, slab_table *table, slab_change *c)
{
    slab_step step = update_in_first(place, table, c);
    if (step != SLAB_NEEDS_SLOW_PATH) return step;
    /* Copies: what a function gets by its address is kept in memory, and a GPU has registers for the short way. */
    slab_ref far = *place;
    slab_change change;
    change_copy(&change, c);
    step = update_slow_path(&far, table, &change);
    c->outcome = change.outcome;
    c->old.value = change.old.value;
    c->helps |= change.helps;
    return step;
}
