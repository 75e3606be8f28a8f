/* verify/sim/hash/slab_sim_kind.h - tables of one kind in the hands of somebody who is alone. Included after
 * slabhash.h. */

/* What is left of a growth. False: it is not over. */
static bool sim_finish(const slab_ref *place, slab_table *table)
{
    uint64_t root = table->root;
    if (!slab_target(table, root)) return true;
    slab_help all = {0, (uint32_t)1 << slab_root_log(root)};
    for (unsigned step = 0; step < MOST_STEPS_ALONE && help_step(place, table, &all, NULL) != SLAB_DONE;) step++;
    return table->root != root;
}

/* A run of slabs that were in use: taken, given some past, and returned. */
static void sim_recycle(const slab_ref *place, unsigned log, uint64_t version, const uint64_t *keys,
                        unsigned count)
{
    uint32_t id = pool_alloc_run(place->runs, log);
    if (!id) return;
    for (uint32_t i = 0; i < (uint32_t)1 << log; i++) {
        slab *s = slab_at(place, id + i);
        s->word[SLAB_HEADER] = version << SLAB_VERSION_SHIFT | (log ? SLAB_MOVED : SLAB_OTHER);
        for (unsigned slot = 0; slot < SLAB_SLOTS && count; slot++)
            slot_store(s, slot, (slab_slot){(slab_key)keys[(i + slot) % count], 7777777});
    }
    pool_free_run(place->runs, log, id);
}
