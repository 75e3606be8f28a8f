/* verify/sim/skiplist/skiplist_variant.c - the operations of the skiplist, compiled for the simulator, as map_variant.c
 * compiles those of the tree: machines, key widths, array calls. An agent comes in and goes out as threads and blocks
 * do. */
#include "../../../src/epoch/epoch_participant.h"
#include "../../../src/pool/pool.h"
#include "skiplist_sim.h"

/* The pool tells the simulator what goes back to it; and only the pool may look at a node that may be another's by now:
 * then its swap fails. */
PORT_FN uint32_t watched_take_any(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe)
{
    sim_allocating(true);
    uint32_t id = pool_alloc_any(pool, nodes, node_bytes, stripe);
    sim_allocating(false);
    return id;
}

PORT_FN void watched_give(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe, uint32_t id)
{
    sim_given(id);
    sim_allocating(true);
    pool_free(pool, nodes, node_bytes, stripe, id);
    sim_allocating(false);
}

PORT_FN bool watched_retire(epoch_participant *a, uint32_t id)
{
    bool retired = epoch_retire(a, id);
    if (!retired) skiplist_bag_was_full = true;
    return retired;
}

#define epoch_retire watched_retire
#define pool_alloc_any watched_take_any
#define pool_free watched_give

#if defined(PLEACH_NODE_ISA_cuda)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* it does not see that a slot goes with a pair */
#endif
#define VARIANT(name) name##_cuda
#include "../../../src/skiplist/skiplist.h"
#include "../../../src/blink/blink_build.h"
#include "../../../src/skiplist/skiplist_reclaim.h"
#else
#if defined(PLEACH_NODE_ISA_x86)
#define VARIANT(name) name##_x86
#else
#define VARIANT(name) name##_plain
#endif
#define WITH_ARRAYS 1
#include "../../../src/skiplist/skiplist_cpu.c"
#endif

#define VARIANT_NAME2(name) VARIANT(name)
#if PLEACH_NODE_SLOTS == 16
#define VARIANT_NAME VARIANT_NAME2(WIDTH_SYMBOL(sim_skiplist))
#else
#define VARIANT_NAME VARIANT_NAME2(WIDTH_SYMBOL(sim_skiplist_wide))
#endif

/* While agents run the simulator sees to it that they get on. */
enum { MOST_STEPS_ALONE = 1 << 17 };
static _Thread_local bool stuck;
static _Thread_local level_step last_step;

#define LEVEL_BLOCKING(step_call)                                                                                  \
    do {                                                                                                         \
        unsigned attempts_ = 0, steps_ = 0;                                                                      \
        level_step step_;                                                                                        \
        stuck = false;                                                                                           \
        while ((step_ = (step_call)) == STEP_MOVED || step_ == STEP_AGAIN) {                                   \
            if (step_ == STEP_AGAIN) port_pause(attempts_++);                                                   \
            if ((stuck = steps_++ > MOST_STEPS_ALONE)) break;                                                    \
        }                                                                                                        \
        last_step = step_;                                                                                       \
    } while (0)

#include "../map/map_calls.h"

static void call_update(map_thread map, history_op *op)
{
    op_kind kind = op->kind == HISTORY_PUT ? OP_PUT : op->kind == HISTORY_ADD ? OP_ADD : OP_ERASE;
    update_op update;
    update_start(map, &update, kind, (map_key)op->key, (map_key)op->value);
    LEVEL_BLOCKING(update_step(map, &update));
    if (last_step == STEP_RESTRUCTURE) {
        restructure_op tend = {.stage = RESTRUCTURE_RAISE};
        restructure_start(map, &tend, &update);
        LEVEL_BLOCKING(restructure_step(map, &tend));
    }
    uint64_t *size = &map.tree->stripe[map.stripe % BLINK_STRIPES].size;
    if (update.outcome == PLEACH_INSERTED) port_fetch_add(size, 1);
    if (update.outcome == PLEACH_ERASED) port_fetch_add(size, (uint64_t)-1);
    op->outcome = (uint8_t)update.outcome;
    op->out_value = update.old;
}

static void run_one(map_thread map, history_op *op, history_pair *pairs)
{
    switch (op->kind) {
    case HISTORY_FIND: call_find(map, op); break;
    case HISTORY_CEIL:
    case HISTORY_FLOOR: call_seek(map, op); break;
    case HISTORY_RANGE: call_range(map, op, pairs); break;
    default: call_update(map, op); break;
    }
}

static void wait_for_stage(unsigned stage)
{
    for (unsigned i = 0; skiplist_stage < stage && i < 400; i++) sim_pause();
}

static void make_stage(unsigned stage)
{
    if (skiplist_stage < stage) skiplist_stage = stage;
}

static void do_stay(map_thread map, const skiplist_ref *at, const skiplist_stay *stay, history_op *ops,
                    history_pair *pairs)
{
    wait_for_stage(stay->begins_at);
    uint64_t invoked = stay->as_one ? sim_operation_begin() : 0;
    skiplist_begin(at, map.agent);
    make_stage(stay->makes_in);
    wait_for_stage(stay->works_at);
    for (unsigned i = 0; i < stay->ops; i++) {
        if (!stay->as_one) ops[i].invoked = sim_operation_begin();
        run_one(map, &ops[i], &pairs[i * MAP_RANGE_ROOM]);
        if (!stay->as_one) ops[i].returned = sim_operation_end(1);
    }
    skiplist_end(at, map.agent);
    make_stage(stay->makes_out);
    if (!stay->as_one) return;
    uint64_t returned = sim_operation_end(stay->ops);
    for (unsigned i = 0; i < stay->ops; i++) ops[i].invoked = invoked, ops[i].returned = returned;
}

static void sim_visit(map_ref place, unsigned stripe, const skiplist_stay *stays, unsigned count, history_op *ops,
                      history_pair *pairs)
{
    map_thread map = map_thread_of(&place, stripe);
    skiplist_ref at = skiplist_of(&place, sizeof(map_node));
    epoch_participant agent;
    map.agent = &agent;
    skiplist_register(&at, &agent, 1, stripe);
    for (unsigned i = 0; i < count; i++) {
        do_stay(map, &at, &stays[i], ops, pairs);
        ops += stays[i].ops;
        pairs += stays[i].ops * MAP_RANGE_ROOM;
        if (!stays[i].parts || i + 1 == count) continue;
        skiplist_unregister(&at, &agent);
        skiplist_register(&at, &agent, 1, stripe);
    }
    skiplist_unregister(&at, &agent);
}

static unsigned sim_visit_solo(map_ref place, unsigned stripe, unsigned each, history_op *ops, unsigned count)
{
    map_thread map = map_thread_of(&place, stripe);
    skiplist_ref at = skiplist_of(&place, sizeof(map_node));
    epoch_participant agent;
    unsigned made = 0;
    map.agent = &agent;
    skiplist_register(&at, &agent, 1, stripe);
    while (made < count && !sim_alone()) {
        skiplist_stay finds = {.ops = count - made < each ? count - made : each};
        do_stay(map, &at, &finds, &ops[made], NULL);
        made += finds.ops;
    }
    skiplist_unregister(&at, &agent);
    return made;
}

static bool sim_alone_update(map_ref place, unsigned stripe, history_op *op)
{
    map_thread map = map_thread_of(&place, stripe);
    skiplist_ref at = skiplist_of(&place, sizeof(map_node));
    epoch_participant agent;
    map.agent = &agent;
    skiplist_register(&at, &agent, 1, stripe);
    skiplist_begin(&at, &agent);
    call_update(map, op);
    skiplist_end(&at, &agent);
    skiplist_unregister(&at, &agent);
    return !stuck;
}

static size_t sim_missed(map_ref place, const history_pair *pairs, size_t count)
{
    size_t missed = 0;
    for (size_t i = 0; i < count; i++) {
        history_op op = {.kind = HISTORY_FIND, .key = pairs[i].key};
        call_find(map_thread_of(&place, 0), &op);
        missed += stuck || op.outcome != HISTORY_FOUND || op.out_value != pairs[i].value;
    }
    return missed;
}

/* The rest of a scan that others began, and two steps of the clock; then what is in every slot's ring. */
static void sim_return_all(map_ref place)
{
    skiplist_ref at = skiplist_of(&place, sizeof(map_node));
    epoch_participant agent;
    for (unsigned i = 0; i < 4; i++) {
        epoch_participant_begin(&agent, 1);
        epoch_scan(at.epoch, &agent, EPOCH_ALL, true);
    }
    for (uint32_t slot = 0; slot < at.epoch.slots; slot++) {
        skiplist_register(&at, &agent, 1, slot);
        skiplist_return(&at, &agent);
        skiplist_unregister(&at, &agent);
    }
}

#ifdef WITH_ARRAYS
#define RUN_ARRAY sim_run_array
#else
#define RUN_ARRAY NULL
#endif

const skiplist_variant VARIANT_NAME = {PLEACH_KEY_BITS, NODE_SLOTS, PORT_LINE_WORDS, PAIR_IS_ATOMIC, sim_build,
                                       sim_visit, sim_visit_solo, RUN_ARRAY, sim_alone_update, sim_export, sim_missed,
                                       sim_return_all};
