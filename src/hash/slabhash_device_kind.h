/* hash/slabhash_device_kind.h - one thread's operation, from the first attempt to the last. Included by
 * slabhash_device.h, in the kind's namespace. */
#include "slabhash.h"
#include "slabhash_blocking.h"

PORT_FN pleach_outcome view_update(const pleach_hash_view *view, op_kind kind, slab_key key, slab_key value,
                                   slab_key *old)
{
    slabhash_state *state = (slabhash_state *)view->state;
    slab_ref place = hash_view_ref(view);
    slab_change c;
    change_begin(&c, kind, key, value);
    update_blocking(&place, &state->table, &c);
    uint64_t *size = &state->stripe[hash_view_stripe() % SLABHASH_STRIPES].size;
    if (c.outcome == PLEACH_INSERTED) port_fetch_add(size, 1);
    if (c.outcome == PLEACH_ERASED) port_fetch_add(size, (uint64_t)-1);
    bool had = c.outcome == PLEACH_REPLACED || c.outcome == PLEACH_EXISTS || c.outcome == PLEACH_ERASED;
    if (had && old) *old = c.old.value;
    return c.outcome;
}

PORT_FN bool view_find(const pleach_hash_view *view, slab_key key, slab_key *value)
{
    slab_ref place = hash_view_ref(view);
    slab_key there = 0;
    bool found = find_blocking(&place, &((const slabhash_state *)view->state)->table, key, &there);
    if (found && value) *value = there;
    return found;
}
