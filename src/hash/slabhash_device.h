/* hash/slabhash_device.h - the functions of pleach/hash_device.cuh: operations on the four kinds of table. */
#ifndef PLEACH_SLABHASH_DEVICE_H
#define PLEACH_SLABHASH_DEVICE_H

#include "slabhash_state.h"

/* Each warp has its own stripe, of free slabs and of the size. */
PORT_FN uint32_t hash_view_stripe(void) { return blockIdx.x + (threadIdx.x >> 5); }

PORT_FN slab_ref hash_view_ref(const pleach_hash_view *view)
{
    slabhash_state *state = (slabhash_state *)view->state;
    slab_ref place;
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

namespace pleach_hash_map32 {
#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#include "slabhash_device_kind.h"
#undef SLAB_VALUES
#undef PLEACH_KEY_BITS
}
namespace pleach_hash_set32 {
#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 0
#include "slabhash_device_kind.h"
#undef SLAB_VALUES
#undef PLEACH_KEY_BITS
}
namespace pleach_hash_map64 {
#define PLEACH_KEY_BITS 64
#define SLAB_VALUES 1
#include "slabhash_device_kind.h"
#undef SLAB_VALUES
#undef PLEACH_KEY_BITS
}
namespace pleach_hash_set64 {
#define PLEACH_KEY_BITS 64
#define SLAB_VALUES 0
#include "slabhash_device_kind.h"
#undef SLAB_VALUES
#undef PLEACH_KEY_BITS
}

/* ---- 32-bit maps ---- */

PORT_FN pleach_outcome pleach_hash_map32_put(pleach_hash_view view, uint32_t key, uint32_t value, uint32_t *old)
{
    return pleach_hash_map32::view_update(&view, OP_PUT, key, value, old);
}

PORT_FN pleach_outcome pleach_hash_map32_add(pleach_hash_view view, uint32_t key, uint32_t value, uint32_t *old)
{
    return pleach_hash_map32::view_update(&view, OP_ADD, key, value, old);
}

PORT_FN pleach_outcome pleach_hash_map32_erase(pleach_hash_view view, uint32_t key, uint32_t *old)
{
    return pleach_hash_map32::view_update(&view, OP_ERASE, key, 0, old);
}

PORT_FN bool pleach_hash_map32_find(pleach_hash_view view, uint32_t key, uint32_t *value)
{
    return pleach_hash_map32::view_find(&view, key, value);
}

PORT_FN bool pleach_hash_map32_contains(pleach_hash_view view, uint32_t key)
{
    return pleach_hash_map32::view_find(&view, key, NULL);
}

/* ---- 32-bit sets ---- */

PORT_FN pleach_outcome pleach_hash_set32_put(pleach_hash_view view, uint32_t key)
{
    return pleach_hash_set32::view_update(&view, OP_PUT, key, 0, NULL);
}

PORT_FN pleach_outcome pleach_hash_set32_add(pleach_hash_view view, uint32_t key)
{
    return pleach_hash_set32::view_update(&view, OP_ADD, key, 0, NULL);
}

PORT_FN pleach_outcome pleach_hash_set32_erase(pleach_hash_view view, uint32_t key)
{
    return pleach_hash_set32::view_update(&view, OP_ERASE, key, 0, NULL);
}

PORT_FN bool pleach_hash_set32_contains(pleach_hash_view view, uint32_t key)
{
    return pleach_hash_set32::view_find(&view, key, NULL);
}

/* ---- 64-bit maps ---- */

PORT_FN pleach_outcome pleach_hash_map64_put(pleach_hash_view view, uint64_t key, uint64_t value, uint64_t *old)
{
    return pleach_hash_map64::view_update(&view, OP_PUT, key, value, old);
}

PORT_FN pleach_outcome pleach_hash_map64_add(pleach_hash_view view, uint64_t key, uint64_t value, uint64_t *old)
{
    return pleach_hash_map64::view_update(&view, OP_ADD, key, value, old);
}

PORT_FN pleach_outcome pleach_hash_map64_erase(pleach_hash_view view, uint64_t key, uint64_t *old)
{
    return pleach_hash_map64::view_update(&view, OP_ERASE, key, 0, old);
}

PORT_FN bool pleach_hash_map64_find(pleach_hash_view view, uint64_t key, uint64_t *value)
{
    return pleach_hash_map64::view_find(&view, key, value);
}

PORT_FN bool pleach_hash_map64_contains(pleach_hash_view view, uint64_t key)
{
    return pleach_hash_map64::view_find(&view, key, NULL);
}

/* ---- 64-bit sets ---- */

PORT_FN pleach_outcome pleach_hash_set64_put(pleach_hash_view view, uint64_t key)
{
    return pleach_hash_set64::view_update(&view, OP_PUT, key, 0, NULL);
}

PORT_FN pleach_outcome pleach_hash_set64_add(pleach_hash_view view, uint64_t key)
{
    return pleach_hash_set64::view_update(&view, OP_ADD, key, 0, NULL);
}

PORT_FN pleach_outcome pleach_hash_set64_erase(pleach_hash_view view, uint64_t key)
{
    return pleach_hash_set64::view_update(&view, OP_ERASE, key, 0, NULL);
}

PORT_FN bool pleach_hash_set64_contains(pleach_hash_view view, uint64_t key)
{
    return pleach_hash_set64::view_find(&view, key, NULL);
}

#undef SLAB_EXPORT

#endif
