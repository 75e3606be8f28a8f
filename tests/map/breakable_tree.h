/* breakable_tree.h - a small B-link tree whose nodes a test can change, for test_blink_check: a description of the tree,
 * and access to pairs, counts, levels and links. */
#ifndef BREAKABLE_TREE_H
#define BREAKABLE_TREE_H

#include <stdlib.h>
#include <string.h>

#include "blink/blink_cpu.h"
#include "node/node_sizes.h"
#include "testkit/buffers.h"
#include "testkit/nodes/node_access.h"

/* ---- a tree to break --------------------------------------------------------------------------------------------
 *
 * 500 keys in nodes of 10: leaves 1 .. 50, inner nodes 51 .. 55 above them, root 56. No node is full, so that inner
 * nodes have pads; keys are STEP apart, so that one can be moved without meeting its neighbour.
 */
enum {
    KEYS = 500,
    PER_NODE = 10,
    FIRST_LEAF = 1,
    LEAF = 25, /* somewhere in the middle, in the middle of its parent too */
    LAST_LEAF = 50,
    FIRST_INNER = 51,
    INNER = 53, /* the parent of LEAF */
    LAST_INNER = 55,
    ROOT = 56,
    LEAF_SLOT = (LEAF - FIRST_LEAF) % PER_NODE, /* of LEAF in INNER */
    ROOT_LEVEL = 2,
    ROOT_COUNT = 5,
    STEP = 20,
    ROOM = 64 /* nodes */
};

typedef struct tree {
    unsigned key_bits;
    const node_access *access;
    size_t bytes; /* of nodes */
    void *nodes;
    blink_tree shared;
    void *kept_nodes; /* the sound tree */
    blink_tree kept_shared;
} tree;

static inline void fill_keys(unsigned key_bits, size_t n, void *keys, void *values)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t key = STEP / 2 + STEP * i;
        if (key_bits == 32) {
            ((uint32_t *)keys)[i] = (uint32_t)key;
            ((uint32_t *)values)[i] = (uint32_t)(key + 1);
        } else {
            ((uint64_t *)keys)[i] = key;
            ((uint64_t *)values)[i] = key + 1;
        }
    }
}

/* As the CPU map does it. */
static inline tree *tree_build(unsigned key_bits, size_t n, double fill)
{
    build_plan plan;
    build_plan_make(&plan, n, fill);
    size_t room = 1 + plan.nodes > ROOM ? 1 + plan.nodes : ROOM;
    tree *t = must_alloc(1, sizeof *t);
    *t = (tree){.key_bits = key_bits, .access = node_access_of(key_bits), .bytes = room * node_bytes_of(key_bits)};
    t->nodes = must_alloc(1, t->bytes);
    t->kept_nodes = must_alloc(1, t->bytes);
    void *keys = must_alloc(n, key_bits / 8), *values = must_alloc(n, key_bits / 8);
    fill_keys(key_bits, n, keys, values);
    const blink_run_ops *ops = key_bits == 32 ? &blink_run_32_plain : &blink_run_64_plain;
    for (uint32_t level = 0; level < plan.levels; level++)
        ops->build(&plan, t->nodes, keys, values, level, 0, plan.count[level]);
    t->shared.pool.capacity = room;
    t->shared.pool.next = 1 + plan.nodes;
    t->shared.root = plan.root;
    t->shared.stripe[0].size = n;
    free(keys);
    free(values);
    memcpy(t->kept_nodes, t->nodes, t->bytes);
    t->kept_shared = t->shared;
    return t;
}

static inline void tree_restore(tree *t)
{
    memcpy(t->nodes, t->kept_nodes, t->bytes);
    t->shared = t->kept_shared;
}

static inline void tree_free(tree *t)
{
    free(t->nodes);
    free(t->kept_nodes);
    free(t);
}

static inline void *node_of(const tree *t, uint32_t id)
{
    return pool_address(t->nodes, id, node_bytes_of(t->key_bits));
}

static inline entry get(const tree *t, uint32_t id, unsigned slot)
{
    return t->access->load(node_of(t, id), slot);
}

static inline void set(tree *t, uint32_t id, unsigned slot, uint64_t key, uint64_t value)
{
    t->access->store(node_of(t, id), slot, (entry){key, value});
}

static inline void set_key(tree *t, uint32_t id, unsigned slot, uint64_t key)
{
    set(t, id, slot, key, get(t, id, slot).value);
}

static inline void set_value(tree *t, uint32_t id, unsigned slot, uint64_t value)
{
    set(t, id, slot, get(t, id, slot).key, value);
}

static inline uint64_t *header_of(const tree *t, uint32_t id)
{
    return t->access->header(node_of(t, id));
}

static inline unsigned count_of(const tree *t, uint32_t id)
{
    return header_count(*header_of(t, id));
}

static inline void set_count(tree *t, uint32_t id, unsigned count)
{
    *header_of(t, id) = header_next(*header_of(t, id), count);
}

static inline void set_level(tree *t, uint32_t id, unsigned level)
{
    *header_of(t, id) = header_first(level, count_of(t, id));
}

static inline void set_root(tree *t, unsigned level, uint32_t id)
{
    t->shared.root = (uint64_t)level << 32 | id;
}

static inline uint64_t high_of(const tree *t, uint32_t id)
{
    return get(t, id, NODE_LINK_SLOT).key;
}

/* A link, and in an inner node the pads that repeat it. */
static inline void set_link(tree *t, uint32_t id, uint64_t high, uint32_t right)
{
    bool inner = header_level(*header_of(t, id)) > 0;
    for (unsigned slot = inner ? count_of(t, id) : NODE_LINK_SLOT; slot <= NODE_LINK_SLOT; slot++)
        set(t, id, slot, high, (uint64_t)right | NODE_LINK);
}

static inline void empty_leaf(tree *t, uint32_t id)
{
    t->shared.stripe[0].size -= count_of(t, id);
    set_count(t, id, 0);
}

/* Takes a pair out of an inner node that has a right neighbour, correctly. */
static inline void remove_pair(tree *t, uint32_t id, unsigned slot)
{
    for (unsigned i = slot; i < NODE_LINK_SLOT; i++) {
        entry next = get(t, id, i + 1);
        set(t, id, i, next.key, next.value);
    }
    set_count(t, id, count_of(t, id) - 1);
}

/* Has the left neighbour cover what LEAF covered, and nothing lead to LEAF any more: correct, but for LEAF itself. */
static inline void cut_out_leaf(tree *t)
{
    empty_leaf(t, LEAF);
    set_link(t, LEAF - 1, high_of(t, LEAF), LEAF + 1);
    remove_pair(t, INNER, LEAF_SLOT);
}

#endif
