/* skiplist/skiplist_plan.h - the chunks of a skiplist of n keys that is built in one go. Like a B-link tree's nodes
 * (blink_plan.h), except that heads have ids of their own, and that all levels have heads. Host only. */
#ifndef PLEACH_SKIPLIST_PLAN_H
#define PLEACH_SKIPLIST_PLAN_H

#include "../blink/blink_plan.h"
#include "skiplist_format.h"

/* Chunk `index` of a level, unless it is the head, has id first_id[level] + index. `slots` is per chunk. */
static inline __attribute__((unused)) void skiplist_plan_make(build_plan *plan, uint64_t keys, double fill,
                                                              uint32_t slots)
{
    plan->keys = keys;
    plan->per_leaf = build_pairs_per_node(slots - 2, fill, 1);
    plan->per_inner = build_pairs_per_node(slots - 2, fill, 2);
    plan->levels = SKIPLIST_LEVELS;
    plan->nodes = SKIPLIST_LEVELS;
    plan->root = skiplist_root(1);
    uint64_t count = keys ? (keys + plan->per_leaf - 1) / plan->per_leaf : 1, span = plan->per_leaf;
    for (uint32_t level = 0; level < SKIPLIST_LEVELS; level++) {
        plan->first_id[level] = (uint32_t)plan->nodes;
        plan->count[level] = count;
        plan->span[level] = span;
        plan->nodes += count - 1;
        if (count > 1 && level + 1 < SKIPLIST_LEVELS) plan->root = skiplist_root(level + 1);
        count = (count + plan->per_inner - 1) / plan->per_inner;
        if (span <= UINT64_MAX / plan->per_inner) span *= plan->per_inner;
    }
}

#endif
