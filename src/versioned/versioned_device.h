/* versioned/versioned_device.h - operations of one thread, or one warp, on a map with versions, as the device API
 * provides them. Included by pleach/versioned_device.cuh, in a namespace for each key width. */
#include "versioned.h"

#include "../blink/blink_team.h"
#include "../blink/blink_blocking.h"

#if PLEACH_KEY_BITS == 32
#define PLEACH_VERSIONED(name) pleach_versioned32_##name
#else
#define PLEACH_VERSIONED(name) pleach_versioned64_##name
#endif

PORT_FN map_thread versioned_map(const pleach_versioned_view &view, epoch_participant *agent)
{
    map_thread map;
    map.tree = (blink_tree *)view.tree;
    map.nodes = view.nodes;
    map.stripe = blockIdx.x + (threadIdx.x >> 5);
    map.versions = pleach_versioned_versions(view);
    map.agent = agent;
    return map;
}

/* ---- updates; the participant may be NULL ---- */

PORT_FN pleach_outcome versioned_update(const pleach_versioned_view &view, epoch_participant *agent, op_kind kind,
                                        map_key key, map_key value, map_key *old)
{
    return update_counted(versioned_map(view, agent), kind, key, value, old);
}

PORT_FN pleach_outcome PLEACH_VERSIONED(put)(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                             map_key key, map_key value, map_key *old)
{
    return versioned_update(view, agent, OP_PUT, key, value, old);
}

PORT_FN pleach_outcome PLEACH_VERSIONED(add)(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                             map_key key, map_key value, map_key *old)
{
    return versioned_update(view, agent, OP_ADD, key, value, old);
}

PORT_FN pleach_outcome PLEACH_VERSIONED(erase)(const pleach_versioned_view &view, pleach_versioned_agent *agent,
                                               map_key key, map_key *old)
{
    return versioned_update(view, agent, OP_ERASE, key, 0, old);
}

/* ---- queries of the newest version ---- */

PORT_FN bool PLEACH_VERSIONED(find)(const pleach_versioned_view &view, map_key key, map_key *value)
{
    map_thread map = versioned_map(view, NULL);
    find_op find;
    find_start(map, &find, key);
    LEVEL_BLOCKING(find_step(map, &find));
    if (find.found && value) *value = find.value;
    return find.found;
}

/* ---- queries at a snapshot ---- */

PORT_FN bool versioned_seek(const pleach_versioned_view &view, uint64_t at, map_key from, bool up, bool exact,
                            map_key *out_key, map_key *out_value)
{
    map_thread map = versioned_map(view, NULL);
    snapshot_seek_op seek;
    snapshot_seek_start(map, &seek, at, from, up);
    seek.exact = exact;
    LEVEL_BLOCKING(snapshot_seek_step(map, &seek));
    if (seek.found && out_key) *out_key = seek.answer.key;
    if (seek.found && out_value) *out_value = seek.answer.value;
    return seek.found;
}

PORT_FN bool PLEACH_VERSIONED(find_at)(const pleach_versioned_view &view, uint64_t at, map_key key, map_key *value)
{
    return versioned_seek(view, at, key, true, true, NULL, value);
}

PORT_FN bool PLEACH_VERSIONED(succ_at)(const pleach_versioned_view &view, uint64_t at, map_key key, map_key *out_key,
                                       map_key *out_value)
{
    return key != KEY_MAX && versioned_seek(view, at, key + 1, true, false, out_key, out_value);
}

PORT_FN bool PLEACH_VERSIONED(pred_at)(const pleach_versioned_view &view, uint64_t at, map_key key, map_key *out_key,
                                       map_key *out_value)
{
    return key != 0 && versioned_seek(view, at, key - 1, false, false, out_key, out_value);
}

PORT_FN uint64_t versioned_range(const pleach_versioned_view &view, uint64_t at, map_key lo, map_key hi,
                                 uint64_t limit, map_key *keys, map_key *values)
{
    if (lo > hi || limit == 0) return 0;
    map_thread map = versioned_map(view, NULL);
    snapshot_range_op past;
    past.at = at;
    range_start(map, &past.range, lo, hi, limit, limit, keys, values);
    LEVEL_BLOCKING(snapshot_range_step(map, &past));
    return past.range.count;
}

PORT_FN uint64_t PLEACH_VERSIONED(count_at)(const pleach_versioned_view &view, uint64_t at, map_key lo, map_key hi)
{
    return versioned_range(view, at, lo, hi, UINT64_MAX, NULL, NULL);
}

PORT_FN uint32_t PLEACH_VERSIONED(range_at)(const pleach_versioned_view &view, uint64_t at, map_key lo, map_key hi,
                                            uint32_t limit, map_key *keys, map_key *values)
{
    return (uint32_t)versioned_range(view, at, lo, hi, limit, keys, values);
}

PORT_FN uint32_t PLEACH_VERSIONED(warp_range_at)(const pleach_versioned_view &view, uint64_t at, map_key lo, map_key hi,
                                                 uint32_t limit, map_key *keys, map_key *values)
{
    map_thread map = versioned_map(view, NULL);
    team_query own;
    team_query_set(&own, lo, hi, limit, keys, values);
    if (lo <= hi && limit > 0) team_start(map, &own);
    return (uint32_t)team_run(map, at, &own);
}

#undef PLEACH_VERSIONED
