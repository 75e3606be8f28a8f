/* hash/slabhash_blocking.h - one agent runs one operation from its first try to its last. Included after
 * slabhash.h, once per kind of table.
 *
 * Progress: slabhash.h. A latch is taken and released inside one try, so a lane of a GPU that pauses holds none that
 * another lane of its warp may need; port_between_tries sees to it that the compiler leaves it so.
 */
#ifndef PLEACH_SLABHASH_TO_END_H
#define PLEACH_SLABHASH_TO_END_H
/* After an update's try that was not the last. The first few that fail have as a rule made room, by beginning a table
 * or moving a bucket, and need not wait for anybody; a pause would cost more than they did. */
PORT_FN void slab_update_pause(unsigned attempt)
{
    enum { OWN_STEPS = 4 };
    if (attempt >= OWN_STEPS) port_pause_longer(attempt - OWN_STEPS);
}

enum { SLAB_BRIEF_TRIES = 3, SLAB_MANY = 1 << 18 };

/* Brief tries of an element of a large array: several, because the second kernel has its own costs. If the array is
 * small a GPU is not full, and what counts is how long a warp takes: a lane that tries again makes it twice as long. */
PORT_FN unsigned slab_brief_tries(size_t n) { return n > SLAB_MANY ? SLAB_BRIEF_TRIES : 1; }
#endif

PORT_FN bool S(find_to_end)(const slab_place *place, const slab_table *table, S(key) key, S(key) *value)
{
    bool found = false;
    unsigned attempt = 0;
    while (port_between_tries(S(slab_find)(place, table, key, &found, value)) != SLAB_DONE) port_pause(attempt++);
    return found;
}

/* Moves some buckets of a table that is growing. */
PORT_COLD void S(help_to_end)(const slab_place *place, slab_table *table)
{
    S(slab_help) help;
    unsigned attempt = 0;
    if (!S(help_begin)(table, &help)) return;
    while (port_between_tries(S(help_step)(place, table, &help, NULL)) != SLAB_DONE) slab_update_pause(attempt++);
}

PORT_FN void S(update_to_end)(const slab_place *place, slab_table *table, S(slab_change) *c)
{
    unsigned attempt = 0;
    while (port_between_tries(S(slab_update)(place, table, c)) != SLAB_DONE) slab_update_pause(attempt++);
    if (c->helps) S(help_to_end)(place, table);
}

/* A few tries that need no more than the bucket's first slab. False: that was not enough, and nothing is done. */
PORT_FN bool S(update_briefly)(const slab_place *place, slab_table *table, S(slab_change) *c, unsigned tries)
{
    slab_step step = SLAB_AGAIN;
    for (unsigned left = tries; left && step == SLAB_AGAIN; left--)
        step = (slab_step)port_between_tries(S(slab_update_briefly)(place, table, c));
    return step == SLAB_DONE;
}
