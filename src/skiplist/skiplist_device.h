/* skiplist/skiplist_device.h - operations of one thread, run to their ends, as the device API provides them. Included
 * by pleach/skiplist_device.cuh, in a namespace for each key width. */
#include "skiplist.h"
#include "skiplist_blocking.h"

#if PLEACH_KEY_BITS == 32
#define PLEACH_SKIP(name) pleach_skiplist32_##name
#else
#define PLEACH_SKIP(name) pleach_skiplist64_##name
#endif

PORT_FN map_thread view_map(const pleach_skiplist_view &view, epoch_participant *agent)
{
    map_thread map;
    map.tree = (blink_tree *)view.tree;
    map.nodes = view.nodes;
    map.stripe = blockIdx.x;
    map.agent = agent;
    map.raise = view.raise;
    return map;
}

PORT_FN pleach_outcome view_update(const pleach_skiplist_view &view, epoch_participant *agent, op_kind kind,
                                   map_key key, map_key value, map_key *old)
{
    map_thread map = view_map(view, agent);
    update_op update;
    update_blocking(map, &update, kind, key, value);
    uint64_t *size = &map.tree->stripe[map.stripe % BLINK_STRIPES].size;
    if (update.outcome == PLEACH_INSERTED) port_fetch_add(size, 1);
    if (update.outcome == PLEACH_ERASED) port_fetch_add(size, (uint64_t)-1);
    bool has_old = update.outcome == PLEACH_REPLACED || update.outcome == PLEACH_EXISTS || update.outcome == PLEACH_ERASED;
    if (old && has_old) *old = update.old;
    return update.outcome;
}

PORT_FN bool view_seek(const pleach_skiplist_view &view, epoch_participant *agent, map_key from, bool up,
                       map_key *out_key, map_key *out_value)
{
    map_thread map = view_map(view, agent);
    seek_op seek;
    seek_start(map, &seek, from, up);
    LEVEL_BLOCKING(seek_step(map, &seek));
    if (seek.found && out_key) *out_key = seek.answer.key;
    if (seek.found && out_value) *out_value = seek.answer.value;
    return seek.found;
}

PORT_FN uint64_t view_range(const pleach_skiplist_view &view, epoch_participant *agent, map_key lo, map_key hi,
                            uint64_t limit, map_key *keys, map_key *values)
{
    if (lo > hi || limit == 0) return 0;
    map_thread map = view_map(view, agent);
    range_op range;
    range_start(map, &range, lo, hi, limit, limit, keys, values);
    LEVEL_BLOCKING(range_step(map, &range));
    return range.count;
}

PORT_FN pleach_outcome PLEACH_SKIP(put)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key key,
                                        map_key value, map_key *old)
{
    return view_update(view, agent, OP_PUT, key, value, old);
}

PORT_FN pleach_outcome PLEACH_SKIP(add)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key key,
                                        map_key value, map_key *old)
{
    return view_update(view, agent, OP_ADD, key, value, old);
}

PORT_FN pleach_outcome PLEACH_SKIP(erase)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key key,
                                          map_key *old)
{
    return view_update(view, agent, OP_ERASE, key, 0, old);
}

PORT_FN bool PLEACH_SKIP(find)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key key,
                               map_key *value)
{
    map_thread map = view_map(view, agent);
    find_op find;
    find_start(map, &find, key);
    LEVEL_BLOCKING(find_step(map, &find));
    if (find.found && value) *value = find.value;
    return find.found;
}

PORT_FN bool PLEACH_SKIP(contains)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key key)
{
    return PLEACH_SKIP(find)(view, agent, key, NULL);
}

PORT_FN bool PLEACH_SKIP(succ)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key key,
                               map_key *out_key, map_key *out_value)
{
    return key != KEY_MAX && view_seek(view, agent, key + 1, true, out_key, out_value);
}

PORT_FN bool PLEACH_SKIP(pred)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key key,
                               map_key *out_key, map_key *out_value)
{
    return key != 0 && view_seek(view, agent, key - 1, false, out_key, out_value);
}

PORT_FN bool PLEACH_SKIP(min)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key *out_key,
                              map_key *out_value)
{
    return view_seek(view, agent, 0, true, out_key, out_value);
}

PORT_FN bool PLEACH_SKIP(max)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key *out_key,
                              map_key *out_value)
{
    return view_seek(view, agent, KEY_MAX, false, out_key, out_value);
}

PORT_FN uint64_t PLEACH_SKIP(range_count)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key lo,
                                          map_key hi)
{
    return view_range(view, agent, lo, hi, UINT64_MAX, NULL, NULL);
}

PORT_FN uint32_t PLEACH_SKIP(range)(const pleach_skiplist_view &view, pleach_skiplist_agent *agent, map_key lo,
                                    map_key hi, uint32_t limit, map_key *keys, map_key *values)
{
    return (uint32_t)view_range(view, agent, lo, hi, limit, keys, values);
}

#undef PLEACH_SKIP
