/* blink/blink_plan.h - the nodes of a tree of n keys that is built in one go; see blink_build.h. */
#ifndef PLEACH_BLINK_PLAN_H
#define PLEACH_BLINK_PLAN_H

#include "../node/node_format.h"
#include "../level/level_tree.h"

typedef struct build_plan {
    uint64_t keys;
    uint64_t nodes; /* of all levels */
    uint64_t root;  /* as in blink_tree */
    uint32_t levels;
    uint32_t per_leaf, per_inner;
    uint32_t first_id[BLINK_MAX_LEVEL];
    uint64_t count[BLINK_MAX_LEVEL]; /* nodes of this level */
    uint64_t span[BLINK_MAX_LEVEL];  /* keys below one node of this level */
} build_plan;

static inline __attribute__((unused)) uint32_t build_pairs_per_node(uint32_t capacity, double fill, uint32_t least)
{
    uint32_t pairs = (uint32_t)(capacity * fill + 0.5);
    return pairs < least ? least : pairs > capacity ? capacity : pairs;
}

/* Host only. A plan always has at least two levels: I6. */
static inline __attribute__((unused)) void build_plan_make(build_plan *plan, uint64_t keys, double fill)
{
    plan->keys = keys;
    plan->per_leaf = build_pairs_per_node(NODE_CAPACITY, fill, 1);
    plan->per_inner = build_pairs_per_node(NODE_CAPACITY, fill, 2);
    plan->nodes = 0;
    plan->levels = 0;
    uint64_t count = keys ? (keys + plan->per_leaf - 1) / plan->per_leaf : 1;
    uint64_t span = plan->per_leaf;
    for (;;) {
        uint32_t level = plan->levels++;
        plan->first_id[level] = (uint32_t)(1 + plan->nodes);
        plan->count[level] = count;
        plan->span[level] = span;
        plan->nodes += count;
        plan->root = (uint64_t)level << 32 | plan->first_id[level];
        if (level > 0 && count == 1) return;
        count = (count + plan->per_inner - 1) / plan->per_inner;
        span *= plan->per_inner;
    }
}

#endif
