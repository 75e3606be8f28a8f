/* blink/blink_device.h - one thread's operation, from start to end, as the device-side API offers it. Included by
 * pleach/map_device.cuh, once per key width. */
#include "blink.h"

#if PLEACH_KEY_BITS == 32
#define PLEACH_MAP(name) pleach_map32_##name
#else
#define PLEACH_MAP(name) pleach_map64_##name
#endif

#include "blink_team.h"
#include "blink_blocking.h"

PORT_FN W(blink) W(view_map)(pleach_map_view view)
{
    W(blink) map;
    map.tree = (blink_tree *)view.tree;
    map.nodes = view.nodes;
    map.stripe = blockIdx.x + (threadIdx.x >> 5);
    return map;
}

PORT_FN pleach_outcome W(view_update)(pleach_map_view view, blink_kind kind, W(key) key, W(key) value, W(key) *old)
{
    return (pleach_outcome)W(update_counted)(W(view_map)(view), kind, key, value, old);
}

PORT_FN bool W(view_seek)(pleach_map_view view, W(key) from, bool up, W(key) *out_key, W(key) *out_value)
{
    W(blink) map = W(view_map)(view);
    W(seek) seek;
    W(seek_start)(map, &seek, from, up);
    BLINK_TO_END(W(seek_step)(map, &seek));
    if (seek.found && out_key) *out_key = seek.answer.key;
    if (seek.found && out_value) *out_value = seek.answer.value;
    return seek.found;
}

PORT_FN uint64_t W(view_range)(pleach_map_view view, W(key) lo, W(key) hi, uint64_t limit, W(key) *keys, W(key) *values)
{
    if (lo > hi || limit == 0) return 0;
    W(blink) map = W(view_map)(view);
    W(range) range;
    W(range_start)(map, &range, lo, hi, limit, limit, keys, values);
    BLINK_TO_END(W(range_step)(map, &range));
    return range.count;
}

PORT_FN pleach_outcome PLEACH_MAP(put)(pleach_map_view view, W(key) key, W(key) value, W(key) *old)
{
    return W(view_update)(view, BLINK_PUT, key, value, old);
}

PORT_FN pleach_outcome PLEACH_MAP(add)(pleach_map_view view, W(key) key, W(key) value, W(key) *old)
{
    return W(view_update)(view, BLINK_ADD, key, value, old);
}

PORT_FN pleach_outcome PLEACH_MAP(erase)(pleach_map_view view, W(key) key, W(key) *old)
{
    return W(view_update)(view, BLINK_ERASE, key, 0, old);
}

PORT_FN bool PLEACH_MAP(find)(pleach_map_view view, W(key) key, W(key) *value)
{
    W(blink) map = W(view_map)(view);
    W(find) find;
    W(find_start)(map, &find, key);
    BLINK_TO_END(W(find_step)(map, &find));
    if (find.found && value) *value = find.value;
    return find.found;
}

PORT_FN bool PLEACH_MAP(contains)(pleach_map_view view, W(key) key) { return PLEACH_MAP(find)(view, key, NULL); }

PORT_FN bool PLEACH_MAP(succ)(pleach_map_view view, W(key) key, W(key) *out_key, W(key) *out_value)
{
    return key != KEY_MAX && W(view_seek)(view, key + 1, true, out_key, out_value);
}

PORT_FN bool PLEACH_MAP(pred)(pleach_map_view view, W(key) key, W(key) *out_key, W(key) *out_value)
{
    return key != 0 && W(view_seek)(view, key - 1, false, out_key, out_value);
}

PORT_FN bool PLEACH_MAP(min)(pleach_map_view view, W(key) *out_key, W(key) *out_value)
{
    return W(view_seek)(view, 0, true, out_key, out_value);
}

PORT_FN bool PLEACH_MAP(max)(pleach_map_view view, W(key) *out_key, W(key) *out_value)
{
    return W(view_seek)(view, KEY_MAX, false, out_key, out_value);
}

PORT_FN uint64_t PLEACH_MAP(range_count)(pleach_map_view view, W(key) lo, W(key) hi)
{
    return W(view_range)(view, lo, hi, UINT64_MAX, NULL, NULL);
}

PORT_FN uint32_t PLEACH_MAP(range)(pleach_map_view view, W(key) lo, W(key) hi, uint32_t limit, W(key) *keys,
                                   W(key) *values)
{
    return (uint32_t)W(view_range)(view, lo, hi, limit, keys, values);
}

PORT_FN uint32_t PLEACH_MAP(warp_range)(pleach_map_view view, W(key) lo, W(key) hi, uint32_t limit, W(key) *keys,
                                        W(key) *values)
{
    W(blink) map = W(view_map)(view);
    W(team_query) own;
    W(team_query_set)(&own, lo, hi, limit, keys, values);
    if (lo <= hi && limit > 0) W(team_start)(map, &own);
    return (uint32_t)W(team_run)(map, 0, &own);
}

#undef PLEACH_MAP
