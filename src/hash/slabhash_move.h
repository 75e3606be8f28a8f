/* hash/slabhash_move.h - growth: a table moves to a longer run, bucket by bucket. Included by slabhash.h. */

/* The chain under construction in one target bucket. */
typedef struct slab_filler {
    slab *first, *at;
    uint32_t mask;       /* of `at` */
    uint32_t first_mask; /* of `first`, if `at` is another */
    uint32_t slabs;      /* after the first */
    uint64_t link;       /* of `first` */
} slab_filler;

PORT_FN void filler_end_slab(slab_filler *f)
{
    if (f->at == f->first) {
        f->first_mask = f->mask;
        return;
    }
    uint64_t *header = &f->at->word[SLAB_HEADER];
    port_store(header, slab_next_header(port_load(header), SLAB_OTHER, f->mask));
}

PORT_FN bool filler_next_slab(const slab_ref *place, slab_filler *f)
{
    uint32_t id = slab_take(place);
    if (!id) return false;
    filler_end_slab(f);
    if (f->at == f->first)
        f->link = slab_relink(f->link, id);
    else
        port_store(&f->at->word[SLAB_LINK], id);
    f->at = slab_at(place, id);
    f->mask = 0;
    f->slabs++;
    port_store(&f->at->word[SLAB_LINK], 0);
    return true;
}

/* Appends a pair. Returns false if a slab is needed and none is free. */
PORT_FN bool filler_put(const slab_ref *place, slab_filler *f, slab_slot pair, unsigned group)
{
    if (f->mask == SLAB_ALL && !filler_next_slab(place, f)) return false;
    unsigned slot = slab_free_slot(f->mask, group);
    if (f->at != f->first || !(group_slots(group) >> slot & 1)) f->link |= slab_displaced_bit(group);
    slot_store(f->at, slot, pair);
    f->mask |= (uint32_t)1 << slot;
    return true;
}

/* Frees the slabs of a chain from `id` on. Returns how many there were. */
PORT_FN uint32_t chain_free(const slab_ref *place, uint32_t id)
{
    uint32_t slabs = 0;
    while (id) {
        uint32_t next = (uint32_t)port_load(&slab_at(place, id)->word[SLAB_LINK]);
        slab_free(place, id);
        id = next;
        slabs++;
    }
    return slabs;
}

/* Copies the pairs of a latched bucket to the targets, selected by the bits of their hashes from `shift` on. Leaves the
 * targets' headers unchanged. Returns false if memory is lacking. */
PORT_FN bool move_pairs(const slab_ref *place, const slab *from, uint64_t header, unsigned shift, uint32_t targets,
                        slab_filler *fillers)
{
    for (uint32_t mask = slab_mask(header);;) {
        for (unsigned slot = 0; slot < SLAB_SLOTS; slot++) {
            if (!(mask >> slot & 1)) continue;
            slab_slot pair = slot_load(from, slot);
            uint32_t hash = slab_hash(place, pair.key);
            if (!filler_put(place, &fillers[hash >> shift & (targets - 1)], pair, slab_group(hash))) return false;
        }
        uint32_t id = (uint32_t)port_load(&from->word[SLAB_LINK]);
        if (!id) return true;
        from = slab_at(place, id);
        mask = slab_mask(port_load(&from->word[SLAB_HEADER]));
    }
}

/* Moves bucket `number` of this root, which the caller has latched. Releases the latch; the caller must count the
 * bucket as moved. Returns false if memory is lacking; the bucket is then unchanged and still latched. */
PORT_COLD bool move_bucket(const slab_ref *place, slab_table *table, uint64_t root, uint64_t next, uint32_t number,
                           uint64_t header)
{
    slab *bucket = slab_at(place, slab_root_first(root) + number);
    unsigned shift = slab_root_log(root);
    uint32_t targets = (uint32_t)1 << (slab_root_log(next) - shift), slabs = 0;
    slab_filler fillers[SLAB_MOST_TARGETS];
    for (uint32_t i = 0; i < targets; i++) {
        slab *target = slab_at(place, slab_root_first(next) + number + (i << shift));
        fillers[i] = (slab_filler){.first = target, .at = target};
    }
    if (!move_pairs(place, bucket, header, shift, targets, fillers)) {
        for (uint32_t i = 0; i < targets; i++)
            chain_free(place, (uint32_t)fillers[i].link);
        return false;
    }
    for (uint32_t i = 0; i < targets; i++) {
        filler_end_slab(&fillers[i]);
        port_store(&fillers[i].first->word[SLAB_LINK], fillers[i].link);
        slabs += fillers[i].slabs;
    }
    port_publish_fence();
    for (uint32_t i = 0; i < targets; i++) {
        uint64_t *first = &fillers[i].first->word[SLAB_HEADER];
        port_store(first, slab_next_header(port_load(first), 0, fillers[i].first_mask));
    }
    /* The link stays, because readers that saw the bucket before it moved follow it. */
    uint32_t chain = (uint32_t)port_load(&bucket->word[SLAB_LINK]);
    port_store_release(&bucket->word[SLAB_HEADER], slab_next_header(header, SLAB_MOVED, 0));
    slabs -= chain_free(place, chain);
    if (!place->load_of_keys && slabs) port_fetch_add(&table->load, (uint64_t)(int64_t)(int32_t)slabs);
    return true;
}

/* Some buckets that one thread has claimed to move. */
typedef struct slab_help { uint32_t bucket, end; } slab_help;

/* Claims some buckets to move. Returns false if there are none. PROGRESS: a thread that retries was overtaken by one
 * that has claimed these buckets, of which there is a limited number, or growth has ended or begun. */
PORT_FN bool help_begin(slab_table *table, slab_help *help)
{
    for (unsigned attempt = 0;; port_pause(attempt++)) {
        uint64_t root = port_load(&table->root), next = slab_target(table, root);
        uint64_t cursor = port_load(&table->cursor), buckets = (uint64_t)1 << slab_root_log(root);
        if (!next || cursor >> 32 != slab_root_first(next) || (uint32_t)cursor >= buckets) return false;
        uint64_t after = (uint32_t)cursor + SLAB_HELP < buckets ? (uint32_t)cursor + SLAB_HELP : buckets;
        if (!port_compare_swap(&table->cursor, cursor, cursor >> 32 << 32 | after)) continue;
        *help = (slab_help){(uint32_t)cursor, (uint32_t)after};
        return true;
    }
}

/* Moves one bucket, and counts it as moved, or adds it to *moved if the caller counts. It applies to the growth in
 * progress now, whichever it was when the bucket was claimed: if that one is over, its buckets have all moved. */
PORT_FN slab_step help_step(const slab_ref *place, slab_table *table, slab_help *help, uint32_t *moved)
{
    if (help->bucket >= help->end) return SLAB_DONE;
    uint64_t root = port_load(&table->root);
    if (help->bucket >> slab_root_log(root)) return SLAB_DONE;
    slab *bucket = slab_at(place, slab_root_first(root) + help->bucket);
    uint64_t *word = &bucket->word[SLAB_HEADER], header = port_load(word);
    if (header & SLAB_LATCHED) return SLAB_AGAIN;
    if (!(header & (SLAB_MOVED | SLAB_OTHER))) {
        if (!port_latch(word, header, header | SLAB_LATCHED)) return SLAB_AGAIN;
        uint64_t next = port_load(&table->root) == root ? slab_target(table, root) : 0;
        if (!next || !move_bucket(place, table, root, next, help->bucket, header))
            port_store_release(word, header);
        else if (moved)
            ++*moved;
        else
            slab_count_moved(place, table, root, next, 1);
    }
    help->bucket++;
    return help->bucket < help->end ? SLAB_AGAIN : SLAB_DONE;
}
