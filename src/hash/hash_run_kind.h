/* hash/hash_run_kind.h - the functions of hash_run.h. Included by hash_run.c, and by the simulator's variant of it. */
#include "slabhash.h"
#include "slabhash_check.h"
#include "slabhash_count.h"
#include "slabhash_pairs.h"
#include "slabhash_blocking.h"
#include "slabhash_prefetch.h"

/* ---- operations ---- */

static void run_find(const slab_ref *place, slab_table *table, const hash_request *r, size_t i)
{
    slab_key value = 0;
    bool found = find_blocking(place, table, ((const slab_key *)r->keys)[i], &value);
    if (found && r->out_values) ((slab_key *)r->out_values)[i] = value;
    if (r->flags) r->flags[i] = found;
}

static void run_update(const slab_ref *place, slab_table *table, const hash_request *r, size_t i,
                       hash_run_result *result)
{
    slab_change c = {.kind = r->kind, .pair = {((const slab_key *)r->keys)[i], 0}};
    if (r->values) c.pair.value = ((const slab_key *)r->values)[i];
    update_blocking(place, table, &c);
    bool had = c.outcome == PLEACH_REPLACED || c.outcome == PLEACH_EXISTS || c.outcome == PLEACH_ERASED;
    if (had && r->out_values) ((slab_key *)r->out_values)[i] = c.old.value;
    if (r->flags) r->flags[i] = (uint8_t)c.outcome;
    result->size_change += (c.outcome == PLEACH_INSERTED) - (c.outcome == PLEACH_ERASED);
    result->not_applied += c.outcome == PLEACH_NOT_APPLIED;
}

static inline void ask_for(const slab_ref *place, slab_table *table, const hash_request *r, size_t i)
{
    uint64_t root = port_load(&table->root);
    if (slab_root_first(root)) prefetch_slab(place, root, ((const slab_key *)r->keys)[i]);
}

/* Nearly every operation touches one slab, which is unlikely to be cached, so slabs are prefetched some operations
 * ahead. */
static void run_elements(const slab_ref *place, slab_table *table, const hash_request *r, size_t begin, size_t end,
                         hash_run_result *result)
{
    enum { AHEAD = 16 };
    for (size_t i = begin + 1; i < end && i < begin + AHEAD; i++) ask_for(place, table, r, i);
    for (size_t i = begin; i < end; i++) {
        if (i + AHEAD < end) ask_for(place, table, r, i + AHEAD);
        if (r->kind == OP_FIND)
            run_find(place, table, r, i);
        else
            run_update(place, table, r, i, result);
    }
}

/* ---- exclusive ---- */

static bool copy_buckets(const slab_ref *from, const slab_table *table, uint64_t begin, uint64_t end,
                         const slab_ref *to, slab_table *copy)
{
    for (uint64_t bucket = begin; bucket < end; bucket++) {
        slab_pairs pairs = pairs_begin(from, table, (uint32_t)bucket);
        slab_change c = {.kind = OP_ADD};
        while (pairs_next(&pairs, &c.pair)) {
            update_blocking(to, copy, &c);
            if (c.outcome == PLEACH_NOT_APPLIED) return false;
        }
    }
    return true;
}

static uint64_t list_pairs(const slab_ref *place, const slab_table *table, uint64_t begin, uint64_t end, void *keys,
                           void *values, uint64_t at)
{
    for (uint64_t bucket = begin; bucket < end; bucket++) {
        slab_pairs pairs = pairs_begin(place, table, (uint32_t)bucket);
        slab_slot pair;
        for (; pairs_next(&pairs, &pair); at++) {
            if (keys) ((slab_key *)keys)[at] = pair.key;
            if (values) ((slab_key *)values)[at] = pair.value;
        }
    }
    return at;
}
