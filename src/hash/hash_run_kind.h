/* hash/hash_run_kind.h - the functions of hash_run.h for one kind of table. Included by hash_run.c with
 * PLEACH_KEY_BITS and SLAB_VALUES set. */
#include "slabhash.h"
#include "slabhash_check.h"
#include "slabhash_count.h"
#include "slabhash_pairs.h"
#include "slabhash_blocking.h"
#include "slabhash_prefetch.h"

/* ---- operations ---- */

static void S(run_find)(const slab_place *place, slab_table *table, const hash_request *r, size_t i)
{
    S(key) value = 0;
    bool found = S(find_to_end)(place, table, ((const S(key) *)r->keys)[i], &value);
    if (found && r->out_values) ((S(key) *)r->out_values)[i] = value;
    if (r->flags) r->flags[i] = found;
}

static void S(run_update)(const slab_place *place, slab_table *table, const hash_request *r, size_t i,
                          hash_run_result *result)
{
    S(slab_change) c = {.kind = (slab_kind)r->kind, .pair = {((const S(key) *)r->keys)[i], 0}};
    if (r->values) c.pair.value = ((const S(key) *)r->values)[i];
    S(update_to_end)(place, table, &c);
    bool had = c.outcome == SLAB_REPLACED || c.outcome == SLAB_EXISTS || c.outcome == SLAB_ERASED;
    if (had && r->out_values) ((S(key) *)r->out_values)[i] = c.old.value;
    if (r->flags) r->flags[i] = (uint8_t)c.outcome;
    result->size_change += (c.outcome == SLAB_INSERTED) - (c.outcome == SLAB_ERASED);
    result->not_applied += c.outcome == SLAB_NOT_APPLIED;
}

static inline void S(ask_for)(const slab_place *place, slab_table *table, const hash_request *r, size_t i)
{
    uint64_t root = port_load(&table->root);
    if (slab_root_first(root)) S(prefetch_slab)(place, root, ((const S(key) *)r->keys)[i]);
}

/* Nearly every operation touches one slab, which is nowhere near: so it is asked for some operations ahead. */
static void S(run)(const slab_place *place, slab_table *table, const hash_request *r, size_t begin, size_t end,
                   hash_run_result *result)
{
    enum { AHEAD = 16 };
    for (size_t i = begin + 1; i < end && i < begin + AHEAD; i++) S(ask_for)(place, table, r, i);
    for (size_t i = begin; i < end; i++) {
        if (i + AHEAD < end) S(ask_for)(place, table, r, i + AHEAD);
        if (r->kind == HASH_FIND)
            S(run_find)(place, table, r, i);
        else
            S(run_update)(place, table, r, i, result);
    }
}

/* ---- alone ---- */

static bool S(copy)(const slab_place *from, const slab_table *table, uint64_t begin, uint64_t end, const slab_place *to,
                    slab_table *copy)
{
    for (uint64_t bucket = begin; bucket < end; bucket++) {
        S(pairs) pairs = S(pairs_begin)(from, table, (uint32_t)bucket);
        S(slab_change) c = {.kind = SLAB_ADD};
        while (S(pairs_next)(&pairs, &c.pair)) {
            S(update_to_end)(to, copy, &c);
            if (c.outcome == SLAB_NOT_APPLIED) return false;
        }
    }
    return true;
}

static uint64_t S(list)(const slab_place *place, const slab_table *table, uint64_t begin, uint64_t end, void *keys,
                        void *values, uint64_t at)
{
    for (uint64_t bucket = begin; bucket < end; bucket++) {
        S(pairs) pairs = S(pairs_begin)(place, table, (uint32_t)bucket);
        S(slot) pair;
        for (; S(pairs_next)(&pairs, &pair); at++) {
            if (keys) ((S(key) *)keys)[at] = pair.key;
            if (values) ((S(key) *)values)[at] = pair.value;
        }
    }
    return at;
}

static const hash_run_ops S(ops) = {S(run), S(copy), S(list), S(slab_check), S(slab_count)};
