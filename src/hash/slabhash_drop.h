/* hash/slabhash_drop.h - creates a table with a given number of buckets, and frees one. The caller has exclusive
 * access. Included after slabhash.h. */

/* Creates 2^log empty buckets. Returns false if memory is lacking. */
PORT_FN bool table_open(const slab_ref *place, slab_table *table, unsigned log)
{
    uint32_t first = pool_alloc_run(place->runs, log);
    if (!first) return false;
    port_publish_fence();
    for (uint32_t id = first; id - first < (uint32_t)1 << log; id++) {
        slab *s = slab_at(place, id);
        port_store(&s->word[SLAB_LINK], 0);
        port_store(&s->word[SLAB_HEADER], slab_next_header(port_load(&s->word[SLAB_HEADER]), 0, 0));
    }
    port_store_release(&table->root, slab_root_after(table->root, slab_root_of(first, log)));
    return true;
}

/* For buckets number, number + step ... of a run: frees their chains if `used`, and turns their first slabs into slabs
 * that cannot be latched. */
PORT_FN void drop_buckets(const slab_ref *place, uint64_t root, uint32_t number, uint32_t step, bool used)
{
    for (uint32_t i = number; i >> slab_root_log(root) == 0; i += step) {
        slab *s = slab_at(place, slab_root_first(root) + i);
        uint32_t chain = used ? (uint32_t)port_load(&s->word[SLAB_LINK]) : 0;
        port_store_release(&s->word[SLAB_HEADER], slab_next_header(port_load(&s->word[SLAB_HEADER]), SLAB_OTHER, 0));
        chain_free(place, chain);
    }
}

/* Frees all memory of a table and makes it empty. Clears the owner's bit. */
PORT_FN void table_drop(const slab_ref *place, slab_table *table)
{
    uint64_t root = table->root, next = slab_target(table, root);
    if (slab_root_first(root)) {
        uint32_t buckets = (uint32_t)1 << slab_root_log(root);
        for (uint32_t number = 0; number < buckets; number++) {
            bool moved = slab_at(place, slab_root_first(root) + number)->word[SLAB_HEADER] & SLAB_MOVED;
            if (next) drop_buckets(place, next, number, buckets, moved);
            drop_buckets(place, root, number, buckets, !moved);
        }
        port_store_release(&table->root, slab_root_after(root, 0));
        pool_free_run(place->runs, slab_root_log(root), slab_root_first(root));
        if (next) pool_free_run(place->runs, slab_root_log(next), slab_root_first(next));
    }
    table->next = table->cursor = table->load = 0;
}
