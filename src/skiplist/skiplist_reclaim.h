/* skiplist/skiplist_reclaim.h - entering and leaving a skiplist, and reclaiming chunks. For participants of the epoch
 * module: a CPU thread, or a block of GPU threads, all of which call these functions together.
 *
 *     skiplist_register     claims a slot; waits for one if all are taken
 *     skiplist_begin        enters a critical section, for as few operations as is affordable: the longer the sections,
 *                           the more zombies exist at a time
 *     skiplist_end          leaves the critical section
 *     skiplist_unregister   releases the slot
 *
 * PROGRESS   A participant that waits for a slot waits for running participants, which wait for no other while inside.
 */
#ifndef PLEACH_SKIPLIST_RECLAIM_H
#define PLEACH_SKIPLIST_RECLAIM_H

#include "skiplist_format.h"
#include "../level/map_ref.h"

/* A skiplist as participants of any key width see it. */
typedef struct skiplist_ref {
    blink_tree *tree;
    void *nodes;
    struct epoch epoch;
    uint32_t node_bytes;
} skiplist_ref;

HEADER_FN skiplist_ref skiplist_of(const map_ref *ref, uint32_t node_bytes)
{
    skiplist_ref place = {ref->tree, ref->nodes, ref->versions.epoch, node_bytes};
    return place;
}

PORT_FN void skiplist_register(const skiplist_ref *place, epoch_participant *a, uint32_t lanes, uint32_t wish)
{
    epoch_participant_begin(a, lanes);
    for (unsigned attempt = 0; !epoch_register(place->epoch, a, wish % place->epoch.slots);) port_pause(attempt++);
}

PORT_FN void skiplist_unregister(const skiplist_ref *place, epoch_participant *a) { epoch_unregister(place->epoch, a); }

PORT_FN uint32_t skiplist_entry(const skiplist_ref *place, const epoch_participant *a, uint64_t at)
{
    return (uint32_t)port_load(&epoch_entry(place->epoch, a->slot, at)->id);
}

/* Makes a chunk a free node, before `next` in a list of free nodes. */
PORT_FN void skiplist_free(const skiplist_ref *place, uint32_t id, uint32_t next)
{
    uint64_t *chunk = (uint64_t *)pool_address(place->nodes, id, place->node_bytes);
    port_store(&chunk[place->node_bytes / NODE_SLOTS * NODE_HEADER_SLOT / sizeof *chunk], 0);
    port_store(chunk, next);
}

/* Returns the free chunks at the front of the participant's ring to the pool, as one list. Not while inside. */
PORT_FN void skiplist_return(const skiplist_ref *place, epoch_participant *a)
{
    uint32_t ids = epoch_free_ids(place->epoch, a);
    if (ids == 0) return;
    epoch_home *home = &place->epoch.home[a->slot];
    uint64_t head = port_load(&home->head);
    for (uint32_t i = port_lane(a->lanes); i < ids; i += a->lanes)
        skiplist_free(place, skiplist_entry(place, a, head + i),
                      i + 1 < ids ? skiplist_entry(place, a, head + i + 1) : 0);
    port_group_sync(a->lanes);
    if (port_lane(a->lanes) == 0) {
        pool_free_list(&place->tree->pool, place->nodes, place->node_bytes, a->slot, skiplist_entry(place, a, head),
                      skiplist_entry(place, a, head + ids - 1));
        port_store(&home->head, head + ids);
        port_fetch_add(&place->tree->returned, ids);
        port_fetch_add(&place->tree->reclaimed, ids);
    }
    port_group_sync(a->lanes);
}

PORT_FN void skiplist_begin(const skiplist_ref *place, epoch_participant *a)
{
    skiplist_return(place, a);
    epoch_section_begin(place->epoch, a);
}

/* A participant with chunks in its ring advances the clock. */
PORT_FN void skiplist_end(const skiplist_ref *place, epoch_participant *a)
{
    epoch_section_end(place->epoch, a);
    if (a->waiting) epoch_scan(place->epoch, a, EPOCH_ALL, true);
}

#endif
