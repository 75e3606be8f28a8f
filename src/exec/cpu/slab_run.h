/* exec/cpu/slab_run.h - what threads that work on slab hashes do beside the algorithm: ask for slabs ahead, wait, and
 * help. Included after slabhash.h, once per kind of table. */
#ifndef PLEACH_SLAB_RUN
#define PLEACH_SLAB_RUN
/* After an update's try that was not the last. The first few that fail have as a rule made room, by beginning a table or
 * moving a bucket, and need not wait for anybody; a pause would cost more than they did. */
static inline void update_pause(unsigned attempt)
{
    enum { OWN_STEPS = 4 };
    if (attempt >= OWN_STEPS) port_pause(attempt);
}
#endif

static void S(prefetch_slab)(const slab_place *place, uint64_t root, S(key) key)
{
    const char *bucket = (const char *)slab_at(place, slab_bucket(root, S(slab_hash)(place, key)));
    port_prefetch(bucket);
    port_prefetch(bucket + SLAB_BYTES / 2);
}

/* Moves some buckets of a table that is growing. */
static void S(help)(const slab_place *place, slab_table *table)
{
    S(slab_help) help;
    if (!S(help_begin)(table, &help)) return;
    for (unsigned attempt = 0; S(help_step)(place, table, &help) != SLAB_DONE;) update_pause(attempt++);
}
