/* hash/slabhash_device.h - one thread's operation, from start to end, as the device-side API offers it.
 * Included by pleach/hash_device.cuh, once per kind of table. */
#include "slabhash_state.h"
#include "slabhash_kind.h"

#if SLAB_VALUES && PLEACH_KEY_BITS == 32
#define PLEACH_HASH(name) pleach_hash_map32_##name
#elif SLAB_VALUES
#define PLEACH_HASH(name) pleach_hash_map64_##name
#elif PLEACH_KEY_BITS == 32
#define PLEACH_HASH(name) pleach_hash_set32_##name
#else
#define PLEACH_HASH(name) pleach_hash_set64_##name
#endif

#ifndef PLEACH_SLABHASH_DEVICE_H
#define PLEACH_SLABHASH_DEVICE_H

/* Warps have stripes of their own: of free slabs, and of the size. */
PORT_FN uint32_t hash_view_stripe(void) { return blockIdx.x + (threadIdx.x >> 5); }

PORT_FN slab_place hash_view_place(const pleach_hash_view *view)
{
    slabhash_state *state = (slabhash_state *)view->state;
    slab_place place;
    place.runs.pool = &state->pool;
    place.runs.runs = &state->runs;
    place.runs.nodes = view->slabs;
    place.runs.node_bytes = SLAB_BYTES;
    place.runs.stripe = hash_view_stripe();
    place.seed.by = view->seed[0];
    place.seed.plus = view->seed[1];
    place.seed.low = view->seed[2];
    place.load_of_keys = 0;
    place.hopeful = 0;
    return place;
}

#endif

PORT_FN pleach_outcome S(view_update)(const pleach_hash_view *view, slab_kind kind, S(key) key, S(key) value,
                                      S(key) *old)
{
    slabhash_state *state = (slabhash_state *)view->state;
    slab_place place = hash_view_place(view);
    S(slab_change) c;
    S(change_begin)(&c, kind, key, value);
    S(update_to_end)(&place, &state->table, &c);
    uint64_t *size = &state->stripe[hash_view_stripe() % SLABHASH_STRIPES].size;
    if (c.outcome == SLAB_INSERTED) port_fetch_add(size, 1);
    if (c.outcome == SLAB_ERASED) port_fetch_add(size, (uint64_t)-1);
    bool had = c.outcome == SLAB_REPLACED || c.outcome == SLAB_EXISTS || c.outcome == SLAB_ERASED;
    if (had && old) *old = c.old.value;
    return (pleach_outcome)c.outcome;
}

PORT_FN bool S(view_find)(const pleach_hash_view *view, S(key) key, S(key) *value)
{
    slab_place place = hash_view_place(view);
    S(key) there = 0;
    bool found = S(find_to_end)(&place, &((const slabhash_state *)view->state)->table, key, &there);
    if (found && value) *value = there;
    return found;
}

#if SLAB_VALUES
PORT_FN pleach_outcome PLEACH_HASH(put)(pleach_hash_view view, S(key) key, S(key) value, S(key) *old)
{
    return S(view_update)(&view, SLAB_PUT, key, value, old);
}

PORT_FN pleach_outcome PLEACH_HASH(add)(pleach_hash_view view, S(key) key, S(key) value, S(key) *old)
{
    return S(view_update)(&view, SLAB_ADD, key, value, old);
}

PORT_FN pleach_outcome PLEACH_HASH(erase)(pleach_hash_view view, S(key) key, S(key) *old)
{
    return S(view_update)(&view, SLAB_ERASE, key, 0, old);
}

PORT_FN bool PLEACH_HASH(find)(pleach_hash_view view, S(key) key, S(key) *value)
{
    return S(view_find)(&view, key, value);
}
#else
PORT_FN pleach_outcome PLEACH_HASH(put)(pleach_hash_view view, S(key) key)
{
    return S(view_update)(&view, SLAB_PUT, key, 0, NULL);
}

PORT_FN pleach_outcome PLEACH_HASH(add)(pleach_hash_view view, S(key) key)
{
    return S(view_update)(&view, SLAB_ADD, key, 0, NULL);
}

PORT_FN pleach_outcome PLEACH_HASH(erase)(pleach_hash_view view, S(key) key)
{
    return S(view_update)(&view, SLAB_ERASE, key, 0, NULL);
}
#endif

PORT_FN bool PLEACH_HASH(contains)(pleach_hash_view view, S(key) key) { return S(view_find)(&view, key, NULL); }

#undef PLEACH_HASH
