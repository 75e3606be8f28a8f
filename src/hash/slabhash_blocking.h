/* hash/slabhash_blocking.h - one thread runs one operation, from the first attempt to the last. Included after
 * slabhash.h.
 *
 * Progress: slabhash.h. A latch is acquired and released inside one attempt, so a lane of a GPU that pauses holds no
 * latch that another lane of its warp may need. port_retry_point keeps the compiler from changing that.
 */
PORT_FN bool find_blocking(const slab_ref *place, const slab_table *table, slab_key key, slab_key *value)
{
    bool found = false;
    unsigned attempt = 0;
    while (port_retry_point(slab_find(place, table, key, &found, value)) != SLAB_DONE) port_pause(attempt++);
    return found;
}

/* Moves some buckets of a table that is growing. */
PORT_COLD void help_blocking(const slab_ref *place, slab_table *table)
{
    slab_help help;
    unsigned attempt = 0;
    if (!help_begin(table, &help)) return;
    while (port_retry_point(help_step(place, table, &help, NULL)) != SLAB_DONE) slab_update_pause(attempt++);
}

PORT_FN void update_blocking(const slab_ref *place, slab_table *table, slab_change *c)
{
    unsigned attempt = 0;
    while (port_retry_point(slab_update(place, table, c)) != SLAB_DONE) slab_update_pause(attempt++);
    if (c->helps) help_blocking(place, table);
}

/* Makes up to `tries` attempts of the fast path. Returns false if that was not enough; nothing has changed then. */

PORT_FN bool update_fast_path(const slab_ref *place, slab_table *table, slab_change *c, unsigned tries)
{
    slab_step step = SLAB_AGAIN;
    for (unsigned left = tries; left && step == SLAB_AGAIN; left--)
        step = (slab_step)port_retry_point(slab_update_fast_path(place, table, c));
    return step == SLAB_DONE;
}
