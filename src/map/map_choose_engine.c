/* map/map_choose_engine.c - runs array updates as concurrent operations or as a batch (pleach/batch.h), whichever is
 * expected to be faster. */
#include "map_object.h"

static bool overlap(const void *a, const void *b, size_t bytes)
{
    return a && b && (uintptr_t)a < (uintptr_t)b + bytes && (uintptr_t)b < (uintptr_t)a + bytes;
}

/* A batch still reads keys and values when it writes old values, so these arrays must not overlap. */
static bool can_be_batch(const pleach_map *map, const request *r)
{
    size_t bytes = r->n * (map->key_bits / 8);
    return r->n <= MAP_MOST_OPERATIONS && !overlap(r->values, r->out_values, bytes) &&
           !overlap(r->keys, r->out_values, bytes);
}

/* Runs the updates as a batch. If that is refused (a view is open, or there is not enough memory for all of them), runs
 * them as concurrent operations, which apply what can be applied. */
static pleach_status run_exclusive(pleach_map *map, request *r)
{
    pleach_status status = map_enter_batch(map);
    if (status == PLEACH_OK) {
        status = map->ops->update(map->exec, r);
        map_leave_exclusive(map);
    }
    r->may_redirect = false;
    bool refused = status == PLEACH_E_BUSY || status == PLEACH_E_FULL || status == PLEACH_E_MEMORY;
    return refused ? map_run_shared(map, r, PLEACH_SYNC) : status;
}

pleach_status map_run_updates(pleach_map *map, request r)
{
    if (map->engine == PLEACH_ENGINE_CALLS || !can_be_batch(map, &r)) return map_run_shared(map, &r, PLEACH_SYNC);
    if (map->engine == PLEACH_ENGINE_BATCHES || map->ops->should_batch(map->exec, &r)) return run_exclusive(map, &r);
    bool redirected = false;
    r.redirected = &redirected;
    pleach_status status = map_run_shared(map, &r, PLEACH_SYNC);
    return redirected ? run_exclusive(map, &r) : status;
}
