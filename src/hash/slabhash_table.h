/* hash/slabhash_table.h - slabs from the pool and back, and the root that a table moves to. For all kinds of
 * table. */
#ifndef PLEACH_SLABHASH_TABLE_H
#define PLEACH_SLABHASH_TABLE_H

#include <stddef.h>

#include "slabhash_format.h"

enum { SLAB_HELP = 4, SLAB_MOST_TARGETS = 8 }; /* buckets that an update moves beside its own, and that one becomes */

/* A slab that is in no table any more. */
PORT_FN void slab_free(const slab_ref *place, uint32_t id)
{
    port_publish_fence(); /* whoever sees what becomes of it sees that its bucket has changed: the release of that
                           * header alone does not keep later stores behind it */
    uint64_t *header = &slab_at(place, id)->word[SLAB_HEADER];
    port_store(header, slab_next_header(port_load(header), SLAB_OTHER, 0));
    pool_free_run(place->runs, 0, id);
}

/* Who is hopeful does not look into every corner of the pool. */
PORT_FN bool slab_gives_up(const slab_ref *place) { return place->hopeful && pool_seems_dry(place->runs); }

/* A slab for the end of a chain; 0: there is none. */
PORT_FN uint32_t slab_take(const slab_ref *place)
{
    uint32_t id = slab_gives_up(place) ? 0 : pool_alloc_run(place->runs, 0);
    if (id) port_publish_fence(); /* whoever sees what is written to it next sees that its last use is over */
    return id;
}

/* What a table's `next` means while its root is `root`: the root that it moves to; 0: it does not move. */
PORT_FN uint64_t slab_target_of(uint64_t next, uint64_t root)
{
    bool moves = next > SLAB_NEXT_CLAIMED && slab_root_first(next) != slab_root_first(root);
    return moves ? next : 0;
}

/* For who has latched a bucket of this root, or has seen that one has moved, and looks at the root again. */
PORT_FN uint64_t slab_target(const slab_table *table, uint64_t root)
{
    return slab_target_of(port_load(&table->next), root);
}

/* To 2^log buckets. By who has latched a bucket, so the root stays. */
PORT_COLD void slab_start_growth(const slab_ref *place, slab_table *table, unsigned log)
{
    if (port_load(&table->next) || !port_compare_swap(&table->next, 0, SLAB_NEXT_CLAIMED)) return;
    uint32_t run = log < POOL_RUN_LOGS && !slab_gives_up(place) ? pool_alloc_run(place->runs, log) : 0;
    if (run) port_publish_fence();
    port_store(&table->cursor, (uint64_t)run << 32);
    port_store_release(&table->next, run ? slab_root_of(run, log) : 0);
}

/* So many more buckets have moved. The last one brings the next root. The fence before each addition pairs with the one
 * after the last: who has seen all additions has seen what all have moved, and so has who sees the root after it. */
PORT_FN void slab_count_moved(const slab_ref *place, slab_table *table, uint64_t root, uint64_t next, uint32_t count)
{
    const uint64_t one = (uint64_t)1 << SLAB_MOVED_SHIFT;
    uint64_t buckets = (uint64_t)1 << slab_root_log(root);
    port_publish_fence();
    uint64_t load = port_fetch_add(&table->load, count * one);
    if (slab_moved(load) + count < buckets) return;
    port_invalidate_cached();
    port_fetch_add(&table->load, 0 - buckets * one);
    port_store(&table->cursor, 0);
    port_publish_fence();
    port_store(&table->root, slab_root_after(root, next));
    port_store_release(&table->next, 0);
    pool_free_run(place->runs, slab_root_log(root), slab_root_first(root));
}

/* ---- how often an update is tried ---- */

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
PORT_FN unsigned slab_fast_path_tries(size_t n) { return n > SLAB_MANY ? SLAB_BRIEF_TRIES : 1; }

#endif
