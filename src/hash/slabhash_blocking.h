/* hash/slabhash_blocking.h - one agent runs one operation from its first try to its last. Included after
 * slabhash.h.
 *
 * Progress: slabhash.h. A latch is taken and released inside one try, so a lane of a GPU that pauses holds none that
 * another lane of its warp may need; port_between_tries sees to it that the compiler leaves it so.
 */
PORT_FN bool find_to_end(const slab_place *place, const slab_table *table, slab_key key, slab_key *value)
{
    bool found = false;
    unsigned attempt = 0;
    while (port_between_tries(slab_find(place, table, key, &found, value)) != SLAB_DONE) port_pause(attempt++);
    return found;
}

/* Moves some buckets of a table that is growing. */
PORT_COLD void help_to_end(const slab_place *place, slab_table *table)
{
    slab_help help;
    unsigned attempt = 0;
    if (!help_begin(table, &help)) return;
    while (port_between_tries(help_step(place, table, &help, NULL)) != SLAB_DONE) slab_update_pause(attempt++);
}

PORT_FN void update_to_end(const slab_place *place, slab_table *table, slab_change *c)
{
    unsigned attempt = 0;
    while (port_between_tries(slab_update(place, table, c)) != SLAB_DONE) slab_update_pause(attempt++);
    if (c->helps) help_to_end(place, table);
}

/* A few tries that need no more than the bucket's first slab. False: that was not enough, and nothing is done. */

PORT_FN bool update_briefly(const slab_place *place, slab_table *table, slab_change *c, unsigned tries)
{
    slab_step step = SLAB_AGAIN;
    for (unsigned left = tries; left && step == SLAB_AGAIN; left--)
        step = (slab_step)port_between_tries(slab_update_briefly(place, table, c));
    return step == SLAB_DONE;
}
