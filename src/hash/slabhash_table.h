/* hash/slabhash_table.h - allocating and freeing slabs, and the root that a table moves to. For all kinds of table. */
#ifndef PLEACH_SLABHASH_TABLE_H
#define PLEACH_SLABHASH_TABLE_H

#include <stddef.h>

#include "slabhash_format.h"

/* Buckets that an update moves in addition to its own; buckets that one bucket can become. */
enum { SLAB_HELP = 4, SLAB_MOST_TARGETS = 8 };

/* Frees a slab that no table uses any more. */
PORT_FN void slab_free(const slab_ref *place, uint32_t id)
{
    port_publish_fence(); /* a thread that sees the slab's next contents must see that its bucket has changed: the
                           * release of that header alone does not keep later stores behind it */
    uint64_t *header = &slab_at(place, id)->word[SLAB_HEADER];
    port_store(header, slab_next_header(port_load(header), SLAB_OTHER, 0));
    pool_free_run(place->runs, 0, id);
}

/* With `hopeful`, an allocation does not search the whole pool before it fails. */
PORT_FN bool slab_gives_up(const slab_ref *place) { return place->hopeful && pool_seems_dry(place->runs); }

/* Allocates a slab for the end of a chain. Returns 0 if there is none. */
PORT_FN uint32_t slab_take(const slab_ref *place)
{
    uint32_t id = slab_gives_up(place) ? 0 : pool_alloc_run(place->runs, 0);
    if (id) port_publish_fence(); /* a thread that sees what is written to it next must see that its last use is over */
    return id;
}

/* Interprets a table's `next` while its root is `root`: returns the root that the table moves to, or 0 if it does not
 * move. */
PORT_FN uint64_t slab_target_of(uint64_t next, uint64_t root)
{
    bool moves = next > SLAB_NEXT_CLAIMED && slab_root_first(next) != slab_root_first(root);
    return moves ? next : 0;
}

/* The same for the table's current `next`. The caller has latched a bucket of this root, or has seen that one has moved
 * and loads the root again afterwards. */
PORT_FN uint64_t slab_target(const slab_table *table, uint64_t root)
{
    return slab_target_of(port_load(&table->next), root);
}

/* Begins growth to 2^log buckets. The caller has latched a bucket, so the root does not change. */
PORT_COLD void slab_start_growth(const slab_ref *place, slab_table *table, unsigned log)
{
    if (port_load(&table->next) || !port_compare_swap(&table->next, 0, SLAB_NEXT_CLAIMED)) return;
    uint32_t run = log < POOL_RUN_LOGS && !slab_gives_up(place) ? pool_alloc_run(place->runs, log) : 0;
    if (run) port_publish_fence();
    port_store(&table->cursor, (uint64_t)run << 32);
    port_store_release(&table->next, run ? slab_root_of(run, log) : 0);
}

/* Counts `count` more buckets as moved. The last one makes the next root the root. The fence before each addition pairs
 * with the one after the last: a thread that has seen all additions has seen what every thread has moved, and so has a
 * thread that sees the root stored after them. */
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

/* ---- how often an update is attempted ---- */

/* Called between two attempts of an update. The first few that fail have usually made progress themselves, by creating
 * a table or moving a bucket, and need not wait for any thread; a pause would cost more than they did. */
PORT_FN void slab_update_pause(unsigned attempt)
{
    enum { OWN_STEPS = 4 };
    if (attempt >= OWN_STEPS) port_pause_longer(attempt - OWN_STEPS);
}

enum { SLAB_BRIEF_TRIES = 3, SLAB_MANY = 1 << 18 };

/* Fast-path attempts per element of an array of n. A large array gets several, because the slow-path kernel has costs
 * of its own. A small one does not fill a GPU, so the duration of a warp counts, and a lane that retries doubles it. */
PORT_FN unsigned slab_fast_path_tries(size_t n) { return n > SLAB_MANY ? SLAB_BRIEF_TRIES : 1; }

#endif
