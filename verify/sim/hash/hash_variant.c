/* verify/sim/hash/hash_variant.c - the operations of hash tables, compiled for the simulator: once per kind of table
 * and machine. */
#include "hash_sim.h"
#include "slab_sim.h"

#include "../../../src/hash/hash_run_kind.h"
#include "../../../src/hash/slabhash_walk.h"
#include "slab_sim_kind.h"

enum { MOST_WALKED = 64 };

static const hash_run_ops ops = {run_elements, copy_buckets, list_pairs, slab_check, slab_count};

/* As bucket_latch and help_step do. There is no root that names a slab which nobody has had. */
static void haunt(const slab_ref *place, const slab_table *table, uint32_t id)
{
    uint64_t *word = &slab_at(place, id)->word[SLAB_HEADER], header = port_load(word);
    port_validate_fence();
    if (header < SLAB_VERSION) return;
    if ((header & (SLAB_LATCHED | SLAB_MOVED | SLAB_OTHER)) || !port_latch(word, header, header | SLAB_LATCHED)) return;
    (void)port_load(&table->root);
    port_store_release(word, header);
}

static uint32_t sim_hash_of(const slab_ref *place, uint64_t key) { return slab_hash(place, (slab_key)key); }

/* What a GPU's first kernel tries, of some operations. */
static bool sim_do_fast_path(const slab_ref *place, slab_table *table, uint64_t key, history_op *op)
{
#ifdef PLEACH_NODE_ISA_cuda
    slab_change c;
    if (op->kind == HISTORY_FIND || !(key & 1)) return false;
    change_begin(&c, (op_kind)op->kind, (slab_key)key, SLAB_VALUES ? (slab_key)op->value : 0);
    if (!update_fast_path(place, table, &c, SLAB_BRIEF_TRIES)) return false;
    bool had = c.outcome == PLEACH_REPLACED || c.outcome == PLEACH_EXISTS || c.outcome == PLEACH_ERASED;
    op->outcome = (uint8_t)c.outcome;
    op->out_value = had ? c.old.value : 0;
    return true;
#else
    (void)place, (void)table, (void)key, (void)op;
    return false;
#endif
}

static void sim_do(const slab_ref *place, slab_table *table, uint64_t wide_key, history_op *op)
{
    if (sim_do_fast_path(place, table, wide_key, op)) return;
    slab_key key = (slab_key)wide_key, value = (slab_key)op->value, old = 0;
    uint8_t flag = 0;
    hash_run_result result = {0, 0};
    hash_request r = {.kind = (op_kind)op->kind, .n = 1, .keys = &key, .out_values = &old, .flags = &flag};
    if (SLAB_VALUES) r.values = &value;
    ops.run(place, table, &r, 0, 1, &result);
    op->outcome = op->kind != HISTORY_FIND ? flag : flag ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    op->out_value = old;
}

static void sim_run(const slab_ref *place, slab_table *table, uint64_t key, history_op *op)
{
    op->invoked = sim_operation_begin();
    sim_do(place, table, key, op);
    op->returned = sim_operation_end(1);
}

/* As a graph lists the neighbours of a vertex. */
static void sim_walk(const slab_ref *place, const slab_table *table, history_op *op, history_pair *pairs,
                     uint64_t room)
{
    slab_slot slots[MOST_WALKED];
    slab_sink sink = {slots, 0, room};
    op->invoked = sim_operation_begin();
    uint64_t root = port_load(&table->root);
    for (uint32_t group = 0; slab_root_first(root) && group >> slab_root_log(root) == 0; group++)
        walk_group(place, table, group, slab_root_log(root), &sink);
    op->returned = sim_operation_end(1);
    if (sink.count > room) sim_fail("a walk sees %u keys, of %u", (unsigned)sink.count, (unsigned)room);
    op->pair_count = (uint32_t)sink.count;
    for (uint32_t i = 0; i < op->pair_count; i++) pairs[i] = (history_pair){slots[i].key, slots[i].value};
}

static bool sim_by_itself(const slab_ref *place, slab_table *table, uint64_t key, history_op *op)
{
    slab_change c = {.kind = (op_kind)op->kind, .pair = {(slab_key)key, SLAB_VALUES ? (slab_key)op->value : 0}};
    slab_key value = 0;
    bool found = false, finds = op->kind == HISTORY_FIND;
    for (unsigned step = 0; step < MOST_STEPS_ALONE; step++) {
        slab_step done = finds ? slab_find(place, table, (slab_key)key, &found, &value)
                               : slab_update(place, table, &c);
        if (done != SLAB_DONE) continue;
        op->outcome = !finds ? (uint8_t)c.outcome : found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
        op->out_value = finds && found ? value : 0;
        return true;
    }
    return false;
}

const hash_variant VARIANT_NAME(SLAB_EXPORT(sim_hash)) = {
    .key_bits = PLEACH_KEY_BITS,
    .slots = SLAB_SLOTS,
    .values = SLAB_VALUES,
    .hash = sim_hash_of,
    .run = sim_run,
    .walk = sim_walk,
    .alone = sim_by_itself,
    .recycle = sim_recycle,
    .haunt = haunt,
    .finish = sim_finish,
    .take = slab_take,
    .ops = &ops,
};
