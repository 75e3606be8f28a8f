/* verify/sim/map/map_variant.c - the operations of the ordered map, compiled for the simulator: with the node verbs of
 * plain C, of x86 (wide loads taken apart) or of CUDA, for one key width. An agent of the plain and x86 variants makes
 * array calls too, through the CPU's own loop over many operations; an agent of the CUDA variant is a GPU thread. */
#if defined(PLEACH_NODE_ISA_cuda)
#define VARIANT(name) name##_cuda
#elif defined(PLEACH_NODE_ISA_x86)
#define VARIANT(name) name##_x86
#else
#define VARIANT(name) name##_plain
#endif

#if defined(SIM_VERSIONED)
#include "../../../src/versioned/versioned.h"
#include "../../../src/blink/blink_build.h"
#elif defined(PLEACH_NODE_ISA_cuda)
#include "../../../src/blink/blink.h"
#include "../../../src/blink/blink_build.h"
#else
#define WITH_ARRAYS 1
#include "../../../src/blink/blink_cpu.c"
#endif

#include "../../../src/blink/blink_blocking.h"
#include "map_sim.h"

#define VARIANT_NAME2(name) VARIANT(name)
#ifdef SIM_VERSIONED
#define VARIANT_NAME VARIANT_NAME2(WIDTH_SYMBOL(sim_versioned))
#else
#define VARIANT_NAME VARIANT_NAME2(WIDTH_SYMBOL(sim_map))
#endif

#include "map_calls.h"

static void call_update(map_thread map, history_op *op)
{
    op_kind kind = op->kind == HISTORY_PUT ? OP_PUT : op->kind == HISTORY_ADD ? OP_ADD : OP_ERASE;
    map_key old = 0;
    op->outcome = (uint8_t)update_counted(map, kind, (map_key)op->key, (map_key)op->value, &old);
    op->out_value = old;
}

static void sim_run(map_ref place, unsigned stripe, history_op *op, history_pair *pairs)
{
    map_thread map = map_thread_of(&place, stripe);
    op->invoked = sim_operation_begin();
#ifdef SIM_VERSIONED
    epoch_participant agent;
    version_writer_begin(map.versions, &agent, 1, stripe);
    map.agent = &agent;
#endif
    switch (op->kind) {
    case HISTORY_FIND: call_find(map, op); break;
    case HISTORY_CEIL:
    case HISTORY_FLOOR: call_seek(map, op); break;
    case HISTORY_RANGE: call_range(map, op, pairs); break;
    default: call_update(map, op); break;
    }
#ifdef SIM_VERSIONED
    version_writer_end(map.versions, &agent, stripe);
#endif
    op->returned = sim_operation_end(1);
}

static size_t sim_detours(map_ref place, const history_pair *pairs, size_t count)
{
    map_thread map = map_thread_of(&place, 0);
    size_t detours = 0;
    for (size_t i = 0; i < count; i++) {
        find_op find;
        unsigned steps = 0;
        find_start(map, &find, (map_key)pairs[i].key);
        uint32_t levels = find.cursor.level;
        while (find_step(map, &find) != STEP_DONE && steps <= levels) steps++;
        detours += steps != levels || !find.found || find.value != (map_key)pairs[i].value;
    }
    return detours;
}

#ifdef SIM_VERSIONED

static void ask_snapshot(map_thread map, uint64_t at, history_op *op, history_pair *pairs)
{
    map_key keys[MAP_RANGE_ROOM], values[MAP_RANGE_ROOM];
    if (op->kind != HISTORY_RANGE_ATOMIC) {
        snapshot_seek_op seek = {.found = false};
        snapshot_seek_start(map, &seek, at, (map_key)op->key, op->kind != HISTORY_FLOOR);
        seek.exact = op->kind == HISTORY_FIND;
        LEVEL_BLOCKING(snapshot_seek_step(map, &seek));
        op->outcome = seek.found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        op->out_key = seek.found ? seek.answer.key : 0;
        op->out_value = seek.found ? seek.answer.value : 0;
        return;
    }
    snapshot_range_op past = {.at = at};
    range_start(map, &past.range, (map_key)op->key, (map_key)op->high, MAP_RANGE_ROOM, MAP_RANGE_ROOM, keys, values);
    LEVEL_BLOCKING(snapshot_range_step(map, &past));
    keep_pairs(op, pairs, keys, values, past.range.count);
}

/* A snapshot does not change: whatever it is asked once more it answers as before. */
static void ask_op_again(map_thread map, uint64_t at, const history_op *op, const history_pair *pairs)
{
    history_op again = *op;
    history_pair found[MAP_RANGE_ROOM];
    ask_snapshot(map, at, &again, found);
    bool same = again.outcome == op->outcome && again.out_key == op->out_key && again.out_value == op->out_value &&
                again.pair_count == op->pair_count;
    for (uint32_t i = 0; same && i < op->pair_count; i++)
        same = found[i].key == pairs[i].key && found[i].value == pairs[i].value;
    if (!same) sim_fail("snapshot %llu has changed", (unsigned long long)at);
}

static void ask_all(map_thread map, uint64_t at, history_op *ops, unsigned count, history_pair *pairs, uint64_t invoked,
                    uint64_t returned)
{
    for (unsigned i = 0; i < count; i++) {
        ask_snapshot(map, at, &ops[i], pairs + i * MAP_RANGE_ROOM);
        ops[i].invoked = invoked;
        ops[i].returned = returned;
    }
    for (unsigned i = 0; i < count; i++) ask_op_again(map, at, &ops[i], pairs + i * MAP_RANGE_ROOM);
}

/* A snapshot that lasts as long as its agent is inside; or one that is pinned, and asked after the agent has left. */
static void sim_run_snapshot(map_ref place, unsigned stripe, history_op *ops, unsigned count, history_pair *pairs)
{
    map_thread map = map_thread_of(&place, stripe);
    epoch e = map.versions->epoch;
    epoch_participant agent;
    bool pinned = count % 2 == 0;
    uint64_t invoked = sim_operation_begin();
    uint64_t at = version_snapshot_begin(map.versions, &agent, 1, stripe);
    while (pinned && epoch_pin(e.state, at) != EPOCH_DONE) port_pause(0);
    uint64_t returned = sim_stamp();
    if (!pinned) ask_all(map, at, ops, count, pairs, invoked, returned);
    version_snapshot_end(map.versions, &agent, at, 1, pinned ? EPOCH_ALL : 2); /* taking a handle scans it all */
    sim_operation_end(pinned ? 0 : count);
    if (pinned) {
        sim_operation_begin();
        ask_all(map, at, ops, count, pairs, invoked, returned);
        while (epoch_unpin(e.state, at) == EPOCH_BUSY) port_pause(0);
        sim_operation_end(count);
    }
    if (!pinned) return;
    sim_operation_begin();
    return_all(map);
    sim_operation_end(1);
}

static uint64_t sim_take(map_ref place, unsigned stripe)
{
    epoch_participant agent;
    sim_operation_begin();
    uint64_t at = version_snapshot_begin(&place.versions, &agent, 1, stripe);
    while (epoch_pin(place.versions.epoch.state, at) != EPOCH_DONE) port_pause(0);
    version_snapshot_end(&place.versions, &agent, at, 1, EPOCH_ALL);
    sim_operation_end(1);
    return at;
}

static void sim_ask(map_ref place, uint64_t at, history_op *op, history_pair *pairs)
{
    sim_operation_begin();
    ask_snapshot(map_thread_of(&place, 0), at, op, pairs);
    sim_operation_end(1);
}

static void sim_release(map_ref place, unsigned stripe, uint64_t at)
{
    epoch_participant agent;
    sim_operation_begin();
    while (epoch_unpin(place.versions.epoch.state, at) == EPOCH_BUSY) port_pause(0);
    epoch_participant_begin(&agent, 1);
    epoch_scan(place.versions.epoch, &agent, EPOCH_ALL, false);
    return_all(map_thread_of(&place, stripe));
    sim_operation_end(1);
}

/* Nobody is about: a scan or two, and everything that was kept can go. */
static void sim_return_all(map_ref place)
{
    epoch_participant agent;
    epoch_participant_begin(&agent, 1);
    for (unsigned i = 0; i < 2; i++) epoch_scan(place.versions.epoch, &agent, EPOCH_ALL, false);
    return_all(map_thread_of(&place, 0));
}

const map_variant VARIANT_NAME = {PLEACH_KEY_BITS, true, PORT_LINE_WORDS, sim_build, sim_run, NULL, sim_run_snapshot,
                                  sim_take, sim_ask, sim_release, sim_export, sim_detours, sim_return_all};

#elif !defined(WITH_ARRAYS)

const map_variant VARIANT_NAME = {PLEACH_KEY_BITS, false, PORT_LINE_WORDS, sim_build, sim_run, NULL, NULL, NULL, NULL,
                                  NULL, sim_export, sim_detours, NULL};

#else

const map_variant VARIANT_NAME = {PLEACH_KEY_BITS, false, PORT_LINE_WORDS, sim_build, sim_run, sim_run_array, NULL,
                                  NULL, NULL, NULL, sim_export, sim_detours, NULL};

#endif
