/* skiplist/skiplist_device.h - one thread's operation, from start to end, as the device-side API offers it.
 * Included by pleach/skiplist_device.cuh, once per key width. */
#include "skiplist.h"
#include "skiplist_blocking.h"

#if PLEACH_KEY_BITS == 32
#define PLEACH_SKIP(name) pleach_skiplist32_##name
#else
#define PLEACH_SKIP(name) pleach_skiplist64_##name
#endif

PORT_FN W(blink) W(view_map)(const pleach_skiplist_view &view, epoch_agent *agent)
{
    W(blink) map;
    map.tree = (blink_tree *)view.tree;
    map.nodes = view.nodes;
    map.stripe = blockIdx.x;
    map.agent = agent;
    map.raise = view.raise;
    return map;
}

PORT_FN pleach_outcome W(view_update)(const pleach_skiplist_view &view, epoch_agent *agent, blink_kind kind, W(key) key,
                                      W(key) value, W(key) *old)
{
    W(blink) map = W(view_map)(view, agent);
    W(update) update;
    W(update_to_end)(map, &update, kind, key, value);
    uint64_t *size = &map.tree->stripe[map.stripe % BLINK_STRIPES].size;
    if (update.outcome == BLINK_INSERTED) port_fetch_add(size, 1);
    if (update.outcome == BLINK_ERASED) port_fetch_add(size, (uint64_t)-1);
    bool has_old = update.outcome == BLINK_REPLACED || update.outcome == BLINK_EXISTS || update.outcome == BLINK_ERASED;
    if (old && has_old) *old = update.old;
    return (pleach_outcome)update.outcome;
}

PORT_FN bool W(view_seek)(const pleach_skiplist_view &view, epoch_agent *agent, W(key) from, bool up, W(key) *out_key,
                          W(key) *out_value)
{
    W(blink) map = W(view_map)(view, agent);
    W(seek) seek;
    W(seek_start)(map, &seek, from, up);
    BLINK_TO_END(W(seek_step)(map, &seek));
    if (seek.found && out_key) *out_key = seek.answer.key;
    if (seek.found && out_value) *out_value = seek.answer.value;
    return seek.found;
}

PORT_FN uint64_t W(view_range)(const pleach_skiplist_view &view, epoch_agent *agent, W(key) lo, W(key) hi,
                               uint64_t limit, W(key) *keys, W(key) *values)
{
    if (lo > hi || limit == 0) return 0;
    W(blink) map = W(view_map)(view, agent);
    W(range) range;
    W(range_start)(map, &range, lo, hi, limit, limit, keys, values);
    BLINK_TO_END(W(range_step)(map, &range));
    return range.count;
}

PORT_FN pleach_outcome PLEACH_SKIP(put)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) key,
                                        W(key) value, W(key) *old)
{
    return W(view_update)(view, agent, BLINK_PUT, key, value, old);
}

PORT_FN pleach_outcome PLEACH_SKIP(add)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) key,
                                        W(key) value, W(key) *old)
{
    return W(view_update)(view, agent, BLINK_ADD, key, value, old);
}

PORT_FN pleach_outcome PLEACH_SKIP(erase)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) key,
                                          W(key) *old)
{
    return W(view_update)(view, agent, BLINK_ERASE, key, 0, old);
}

PORT_FN bool PLEACH_SKIP(find)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) key,
                               W(key) *value)
{
    W(blink) map = W(view_map)(view, agent);
    W(find) find;
    W(find_start)(map, &find, key);
    BLINK_TO_END(W(find_step)(map, &find));
    if (find.found && value) *value = find.value;
    return find.found;
}

PORT_FN bool PLEACH_SKIP(contains)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) key)
{
    return PLEACH_SKIP(find)(view, agent, key, NULL);
}

PORT_FN bool PLEACH_SKIP(succ)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) key,
                               W(key) *out_key, W(key) *out_value)
{
    return key != KEY_MAX && W(view_seek)(view, agent, key + 1, true, out_key, out_value);
}

PORT_FN bool PLEACH_SKIP(pred)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) key,
                               W(key) *out_key, W(key) *out_value)
{
    return key != 0 && W(view_seek)(view, agent, key - 1, false, out_key, out_value);
}

PORT_FN bool PLEACH_SKIP(min)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) *out_key,
                              W(key) *out_value)
{
    return W(view_seek)(view, agent, 0, true, out_key, out_value);
}

PORT_FN bool PLEACH_SKIP(max)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) *out_key,
                              W(key) *out_value)
{
    return W(view_seek)(view, agent, KEY_MAX, false, out_key, out_value);
}

PORT_FN uint64_t PLEACH_SKIP(range_count)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) lo,
                                          W(key) hi)
{
    return W(view_range)(view, agent, lo, hi, UINT64_MAX, NULL, NULL);
}

PORT_FN uint32_t PLEACH_SKIP(range)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, W(key) lo,
                                    W(key) hi, uint32_t limit, W(key) *keys, W(key) *values)
{
    return (uint32_t)W(view_range)(view, agent, lo, hi, limit, keys, values);
}

#undef PLEACH_SKIP
