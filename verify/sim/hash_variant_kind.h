/* verify/sim/hash_variant_kind.h - maps or sets of one key width. Included by hash_variant.c with SLAB_VALUES set. */
#include "../../src/hash/hash_run_kind.h"
#include "../../src/hash/slabhash_walk.h"
#include "slab_sim_kind.h"

static uint32_t S(sim_hash_of)(const slab_place *place, uint64_t key) { return S(slab_hash)(place, (S(key))key); }

/* What a GPU's first kernel tries, of some operations. */
static bool S(sim_do_briefly)(const slab_place *place, slab_table *table, uint64_t key, history_op *op)
{
#ifdef PLEACH_NODE_ISA_cuda
    S(slab_change) c;
    if (op->kind == HISTORY_FIND || !(key & 1)) return false;
    S(change_begin)(&c, (slab_kind)op->kind, (S(key))key, SLAB_VALUES ? (S(key))op->value : 0);
    if (!S(update_briefly)(place, table, &c, SLAB_BRIEF_TRIES)) return false;
    bool had = c.outcome == SLAB_REPLACED || c.outcome == SLAB_EXISTS || c.outcome == SLAB_ERASED;
    op->outcome = (uint8_t)c.outcome;
    op->out_value = had ? c.old.value : 0;
    return true;
#else
    (void)place, (void)table, (void)key, (void)op;
    return false;
#endif
}

static void S(sim_do)(const slab_place *place, slab_table *table, uint64_t wide_key, history_op *op)
{
    if (S(sim_do_briefly)(place, table, wide_key, op)) return;
    S(key) key = (S(key))wide_key, value = (S(key))op->value, old = 0;
    uint8_t flag = 0;
    hash_run_result result = {0, 0};
    hash_request r = {.kind = (hash_request_kind)op->kind, .n = 1, .keys = &key, .out_values = &old, .flags = &flag};
    if (SLAB_VALUES) r.values = &value;
    S(ops).run(place, table, &r, 0, 1, &result);
    op->outcome = op->kind != HISTORY_FIND ? flag : flag ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_value = old;
}

static void S(sim_run)(const slab_place *place, slab_table *table, uint64_t key, history_op *op)
{
    op->invoked = sim_operation_begin();
    S(sim_do)(place, table, key, op);
    op->returned = sim_operation_end(1);
}

/* As a graph lists the neighbours of a vertex. */
static void S(sim_walk)(const slab_place *place, const slab_table *table, history_op *op, history_pair *pairs,
                        uint64_t room)
{
    S(slot) slots[MOST_WALKED];
    S(slab_sink) sink = {slots, 0, room};
    op->invoked = sim_operation_begin();
    uint64_t root = port_load(&table->root);
    for (uint32_t group = 0; slab_root_first(root) && group >> slab_root_log(root) == 0; group++)
        S(walk_group)(place, table, group, slab_root_log(root), &sink);
    op->returned = sim_operation_end(1);
    if (sink.count > room) sim_fail("a walk sees %u keys, of %u", (unsigned)sink.count, (unsigned)room);
    op->pair_count = (uint32_t)sink.count;
    for (uint32_t i = 0; i < op->pair_count; i++) pairs[i] = (history_pair){slots[i].key, slots[i].value};
}

static bool S(sim_alone)(const slab_place *place, slab_table *table, uint64_t key, history_op *op)
{
    S(slab_change) c = {.kind = (slab_kind)op->kind, .pair = {(S(key))key, SLAB_VALUES ? (S(key))op->value : 0}};
    S(key) value = 0;
    bool found = false, finds = op->kind == HISTORY_FIND;
    for (unsigned step = 0; step < MOST_STEPS_ALONE; step++) {
        slab_step done = finds ? S(slab_find)(place, table, (S(key))key, &found, &value)
                               : S(slab_update)(place, table, &c);
        if (done != SLAB_DONE) continue;
        op->outcome = !finds ? (uint8_t)c.outcome : found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        op->out_value = finds && found ? value : 0;
        return true;
    }
    return false;
}

const hash_variant VARIANT_NAME(S(sim_hash)) = {PLEACH_KEY_BITS, SLAB_SLOTS, SLAB_VALUES, S(sim_hash_of), S(sim_run),
                                                S(sim_walk), S(sim_alone), S(sim_recycle), haunt, S(sim_finish),
                                                slab_take, &S(ops)};
