/* verify/sim/map/map_calls.h - what the variants of the ordered map share, trees and skiplists: building, queries,
 * array calls, and all pairs. Included once, after the structure's own headers and LEVEL_BLOCKING; with WITH_ARRAYS
 * after blink/blink_loop_cpu.h too. */

#include "../../../src/level/level_thread.h"

static void sim_build(const build_plan *plan, void *nodes, const uint64_t *keys, const uint64_t *values)
{
    map_key narrow_keys[512], narrow_values[512];
    for (uint64_t i = 0; i < plan->keys; i++) {
        narrow_keys[i] = (map_key)keys[i];
        narrow_values[i] = (map_key)values[i];
    }
    for (uint32_t level = 0; level < plan->levels; level++)
        for (uint64_t index = 0; index < plan->count[level]; index++)
            for (unsigned slot = 0; slot < NODE_SLOTS; slot++)
                build_slot(plan, nodes, narrow_keys, narrow_values, level, index, slot);
}

static void call_find(map_thread map, history_op *op)
{
    find_op find = {.found = false};
    find_start(map, &find, (map_key)op->key);
    LEVEL_BLOCKING(find_step(map, &find));
    op->outcome = find.found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_value = find.found ? find.value : 0;
}

static void call_seek(map_thread map, history_op *op)
{
    seek_op seek = {.found = false};
    seek_start(map, &seek, (map_key)op->key, op->kind == HISTORY_CEIL);
    LEVEL_BLOCKING(seek_step(map, &seek));
    op->outcome = seek.found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_key = seek.found ? seek.answer.key : 0;
    op->out_value = seek.found ? seek.answer.value : 0;
}

static void keep_pairs(history_op *op, history_pair *pairs, const map_key *keys, const map_key *values, uint64_t count)
{
    op->pair_count = (uint32_t)count;
    op->limited = count == MAP_RANGE_ROOM;
    for (uint64_t i = 0; i < count; i++) pairs[i] = (history_pair){keys[i], values[i]};
}

/* A range writes no element past its result. */
static void check_rest(const map_key *keys, const map_key *values, uint64_t count)
{
    for (uint64_t i = count; i < MAP_RANGE_ROOM; i++)
        if (keys[i] != (map_key)-1 || values[i] != (map_key)-1)
            sim_fail("a range of %u pairs has written past them", (unsigned)count);
}

static void call_range(map_thread map, history_op *op, history_pair *pairs)
{
    map_key keys[MAP_RANGE_ROOM], values[MAP_RANGE_ROOM];
    range_op range;
    for (unsigned i = 0; i < MAP_RANGE_ROOM; i++) keys[i] = values[i] = (map_key)-1;
    range_start(map, &range, (map_key)op->key, (map_key)op->high, MAP_RANGE_ROOM, MAP_RANGE_ROOM, keys, values);
    LEVEL_BLOCKING(range_step(map, &range));
    check_rest(keys, values, range.count);
    keep_pairs(op, pairs, keys, values, range.count);
}

static size_t sim_export(map_ref place, history_pair *pairs, size_t room)
{
    map_thread map = map_thread_of(&place, 0);
    level_cursor cursor;
    size_t count = 0;
    cursor_start(map, &cursor, 0);
    while (cursor.level > 0) cursor_descend(map, &cursor);
    for (uint32_t id = cursor.node; id != NODE_NONE;) {
        const map_node *leaf = node_at(map, id);
        map_pair link = pair_load(leaf, NODE_LINK_SLOT);
        unsigned in_leaf = header_count(header_load(leaf));
        for (unsigned i = 0; i < in_leaf; i++, count++) {
            map_pair pair = pair_load(leaf, i);
            if (count < room) pairs[count] = (history_pair){pair.key, pair.value};
        }
        id = pair_is_link(link) ? pair_node(link) : NODE_NONE;
    }
    return count;
}

#ifdef WITH_ARRAYS

enum { MOST_IN_ARRAY = 16 };

/* The arrays of one call, as a user would have them. */
typedef struct array_call {
    map_key keys[MOST_IN_ARRAY], values[MOST_IN_ARRAY], out_keys[MOST_IN_ARRAY * MAP_RANGE_ROOM],
        out_values[MOST_IN_ARRAY * MAP_RANGE_ROOM];
    uint8_t flags[MOST_IN_ARRAY];
    uint32_t counts[MOST_IN_ARRAY];
} array_call;

static request request_of(history_op *ops, unsigned count, array_call *call)
{
    static const op_kind kinds[] = {[HISTORY_PUT] = OP_PUT,      [HISTORY_ADD] = OP_ADD,
                                         [HISTORY_ERASE] = OP_ERASE,  [HISTORY_FIND] = OP_FIND,
                                         [HISTORY_CEIL] = OP_CEILING, [HISTORY_FLOOR] = OP_FLOOR,
                                         [HISTORY_RANGE] = OP_RANGE};
    request r = {.kind = kinds[ops[0].kind], .n = count, .keys = call->keys, .values = call->values,
                 .out_keys = call->out_keys, .out_values = call->out_values, .flags = call->flags};
    bool range = ops[0].kind == HISTORY_RANGE;
    if (range) r.limit = MAP_RANGE_ROOM, r.counts = call->counts;
    for (unsigned i = 0; i < count; i++) {
        call->keys[i] = (map_key)ops[i].key;
        call->values[i] = (map_key)(range ? ops[i].high : ops[i].value);
        call->out_keys[i] = call->out_values[i] = 0;
    }
    return r;
}

static void answers_of(const array_call *call, history_op *op, unsigned i, history_pair *pairs)
{
    if (op->kind == HISTORY_RANGE) {
        keep_pairs(op, pairs, call->out_keys + i * MAP_RANGE_ROOM, call->out_values + i * MAP_RANGE_ROOM,
                   call->counts[i]);
        return;
    }
    bool query = op->kind >= HISTORY_FIND;
    op->outcome = !query ? call->flags[i] : call->flags[i] ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_key = call->out_keys[i];
    op->out_value = call->out_values[i];
}

static void sim_run_array(map_ref place, unsigned stripe, history_op *ops, unsigned count, history_pair *pairs)
{
    array_call call;
    request r = request_of(ops, count, &call);
    run_result result = {0, 0, NULL};
    uint64_t invoked = sim_operation_begin();
    RUN_NAME.run(place, stripe, &r, 0, count, &result);
    if (result.size_change)
        port_fetch_add(&place.tree->stripe[stripe % BLINK_STRIPES].size, (uint64_t)result.size_change);
    uint64_t returned = sim_operation_end(count);
    for (unsigned i = 0; i < count; i++) {
        ops[i].invoked = invoked;
        ops[i].returned = returned;
        answers_of(&call, &ops[i], i, pairs + i * MAP_RANGE_ROOM);
    }
}

#endif
