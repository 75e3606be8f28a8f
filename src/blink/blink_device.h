/* blink/blink_device.h - operations of one thread, run to their ends, as the device API provides them. Included by
 * pleach/map_device.cuh, in a namespace for each key width. */
#include "blink.h"

#if PLEACH_KEY_BITS == 32
#define PLEACH_MAP(name) pleach_map32_##name
#else
#define PLEACH_MAP(name) pleach_map64_##name
#endif

#include "blink_team.h"
#include "blink_blocking.h"

PORT_FN map_thread view_map(pleach_map_view view)
{
    map_thread map;
    map.tree = (blink_tree *)view.tree;
    map.nodes = view.nodes;
    map.stripe = blockIdx.x + (threadIdx.x >> 5);
    return map;
}

PORT_FN pleach_outcome view_update(pleach_map_view view, op_kind kind, map_key key, map_key value, map_key *old)
{
    return update_counted(view_map(view), kind, key, value, old);
}

PORT_FN bool view_seek(pleach_map_view view, map_key from, bool up, map_key *out_key, map_key *out_value)
{
    map_thread map = view_map(view);
    seek_op seek;
    seek_start(map, &seek, from, up);
    LEVEL_BLOCKING(seek_step(map, &seek));
    if (seek.found && out_key) *out_key = seek.answer.key;
    if (seek.found && out_value) *out_value = seek.answer.value;
    return seek.found;
}

PORT_FN uint64_t view_range(pleach_map_view view, map_key lo, map_key hi, uint64_t limit, map_key *keys,
                            map_key *values)
{
    if (lo > hi || limit == 0) return 0;
    map_thread map = view_map(view);
    range_op range;
    range_start(map, &range, lo, hi, limit, limit, keys, values);
    LEVEL_BLOCKING(range_step(map, &range));
    return range.count;
}

PORT_FN pleach_outcome PLEACH_MAP(put)(pleach_map_view view, map_key key, map_key value, map_key *old)
{
    return view_update(view, OP_PUT, key, value, old);
}

PORT_FN pleach_outcome PLEACH_MAP(add)(pleach_map_view view, map_key key, map_key value, map_key *old)
{
    return view_update(view, OP_ADD, key, value, old);
}

PORT_FN pleach_outcome PLEACH_MAP(erase)(pleach_map_view view, map_key key, map_key *old)
{
    return view_update(view, OP_ERASE, key, 0, old);
}

PORT_FN bool PLEACH_MAP(find)(pleach_map_view view, map_key key, map_key *value)
{
    map_thread map = view_map(view);
    find_op find;
    find_start(map, &find, key);
    LEVEL_BLOCKING(find_step(map, &find));
    if (find.found && value) *value = find.value;
    return find.found;
}

PORT_FN bool PLEACH_MAP(contains)(pleach_map_view view, map_key key) { return PLEACH_MAP(find)(view, key, NULL); }

PORT_FN bool PLEACH_MAP(succ)(pleach_map_view view, map_key key, map_key *out_key, map_key *out_value)
{
    return key != KEY_MAX && view_seek(view, key + 1, true, out_key, out_value);
}

PORT_FN bool PLEACH_MAP(pred)(pleach_map_view view, map_key key, map_key *out_key, map_key *out_value)
{
    return key != 0 && view_seek(view, key - 1, false, out_key, out_value);
}

PORT_FN bool PLEACH_MAP(min)(pleach_map_view view, map_key *out_key, map_key *out_value)
{
    return view_seek(view, 0, true, out_key, out_value);
}

PORT_FN bool PLEACH_MAP(max)(pleach_map_view view, map_key *out_key, map_key *out_value)
{
    return view_seek(view, KEY_MAX, false, out_key, out_value);
}

PORT_FN uint64_t PLEACH_MAP(range_count)(pleach_map_view view, map_key lo, map_key hi)
{
    return view_range(view, lo, hi, UINT64_MAX, NULL, NULL);
}

PORT_FN uint32_t PLEACH_MAP(range)(pleach_map_view view, map_key lo, map_key hi, uint32_t limit, map_key *keys,
                                   map_key *values)
{
    return (uint32_t)view_range(view, lo, hi, limit, keys, values);
}

PORT_FN uint32_t PLEACH_MAP(warp_range)(pleach_map_view view, map_key lo, map_key hi, uint32_t limit, map_key *keys,
                                        map_key *values)
{
    map_thread map = view_map(view);
    team_query own;
    team_query_set(&own, lo, hi, limit, keys, values);
    if (lo <= hi && limit > 0) team_start(map, &own);
    return (uint32_t)team_run(map, 0, &own);
}

#undef PLEACH_MAP
