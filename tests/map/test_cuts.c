/* test_cuts.c - where long intervals are cut (blink/blink_cut.h). Any cuts are correct, so no test of ranges
 * notices bad ones; here they are compared with what they are for, in trees whose shape is known: 7 keys to a leaf, 7
 * children to a node, on three levels above the leaves. */
#include <stdlib.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

#define PLEACH_KEY_BITS 32
#include "blink/blink.h"
#include "blink/blink_build.h"
#include "blink/blink_cut.h"

enum { LEAVES = HALF * HALF * HALF, KEYS = HALF * LEAVES, STEP = 10 };

typedef struct tree {
    build_plan plan;
    blink_tree shared;
    uint32_t *keys; /* 0, STEP, ..., so the first child's pivot is the low key of the level, as it must be */
    map_thread map;
} tree;

static tree *tree_build(void)
{
    tree *t = must_alloc(1, sizeof *t);
    build_plan_make(&t->plan, KEYS, 0.5);
    t->keys = must_alloc(KEYS, sizeof *t->keys);
    for (uint32_t i = 0; i < KEYS; i++)
        t->keys[i] = i * STEP;
    t->shared.root = t->plan.root;
    t->map = (map_thread){.tree = &t->shared, .nodes = must_alloc(1 + t->plan.nodes, sizeof(map_node))};
    for (uint32_t level = 0; level < t->plan.levels; level++)
        for (uint64_t j = 0; j < t->plan.count[level]; j++)
            for (unsigned slot = 0; slot < NODE_SLOTS; slot++)
                build_slot(&t->plan, t->map.nodes, t->keys, t->keys, level, j, slot);
    return t;
}

static void tree_free(tree *t)
{
    free(t->map.nodes);
    free(t->keys);
    free(t);
}

static map_node *node_of(tree *t, uint32_t level, uint64_t index)
{
    return node_at(t->map, build_id(&t->plan, level, index));
}

/* Keys of the tree from low to high. */
static uint64_t keys_in(uint32_t low, uint32_t high)
{
    uint64_t below = ((uint64_t)low + STEP - 1) / STEP, upto = (uint64_t)high / STEP + 1;
    return upto > KEYS ? KEYS - below : upto - below;
}

static void trees_are_regular(void)
{
    tree *t = tree_build();
    assert_int_equal(t->plan.levels, 4);
    assert_int_equal(t->plan.count[0], LEAVES);
    assert_int_equal(t->plan.count[3], 1);
    tree_free(t);
}

/* Intervals that begin and end at a child's low key, or one beside it. */
static void children_are_those_that_overlap(void)
{
    tree *t = tree_build();
    enum { NODE = 3 };
    const map_node *node = node_of(t, 1, NODE);
    for (unsigned a = 0; a < HALF; a++) {
        for (unsigned b = a; b < HALF; b++) {
            uint32_t low = STEP * HALF * (NODE * HALF + a), high = STEP * HALF * (NODE * HALF + b);
            unsigned first, last, count;
            cut_children(node, low, high, &first, &last);
            assert_int_equal(first, a);
            assert_int_equal(last, b);
            cut_children(node, low + 1, high + 1, &first, &last);
            assert_int_equal(first, a);
            assert_int_equal(last, b);
            assert_int_equal(cut_child(node, high, &count), b);
            assert_int_equal(cut_child(node, high + STEP * HALF - 1, &count), b);
            assert_int_equal(count, HALF);
        }
    }
    tree_free(t);
}

static void children_of_a_full_node(void)
{
    map_node node = {0};
    for (unsigned slot = 0; slot < NODE_CAPACITY; slot++)
        pair_store(&node, slot, pair_of(STEP * slot, 1 + slot));
    pair_store(&node, NODE_LINK_SLOT, pair_of(STEP * NODE_CAPACITY, 99 | NODE_LINK));
    port_store(&node.word[HEADER_WORD], header_first(1, NODE_CAPACITY));
    unsigned first, last, count;
    cut_children(&node, STEP * NODE_CAPACITY, UINT32_MAX, &first, &last);
    assert_int_equal(first, NODE_CAPACITY - 1);
    assert_int_equal(last, NODE_CAPACITY - 1);
    assert_int_equal(cut_child(&node, UINT32_MAX, &count), NODE_CAPACITY - 1);
    assert_int_equal(count, NODE_CAPACITY);
}

/* Parts of the whole tree are as equal as a leaf allows; those of any interval ascend and lie in it. */
static void cuts_divide_evenly(void)
{
    tree *t = tree_build();
    for (uint32_t parts = 1; parts <= 64; parts++) {
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t cut = cut_at(t->map, 0, UINT32_MAX, cut_share(part, parts));
            uint64_t wanted = (uint64_t)KEYS * part / parts, have = cut / STEP;
            assert_int_equal(cut % (STEP * HALF), 0);
            assert_true(have <= wanted && wanted <= have + HALF);
        }
    }
    tree_free(t);
}

static void cuts_stay_inside(void)
{
    tree *t = tree_build();
    for (uint32_t low = 0; low < STEP * KEYS; low += 997) {
        for (uint32_t high = low; high < STEP * KEYS; high += 1 + 3 * (high - low)) {
            uint32_t before = low;
            for (uint32_t part = 0; part < 16; part++) {
                uint32_t cut = cut_at(t->map, low, high, cut_share(part, 16));
                assert_true(cut >= before && cut <= high);
                before = cut;
            }
        }
    }
    tree_free(t);
}

static void shares_and_sizes(void)
{
    assert_int_equal(cut_share(0, 3), 0);
    assert_int_equal(cut_share(1, 2), 0x80000000u);
    assert_int_equal(cut_share(3, 4), 0xc0000000u);
    assert_int_equal(cut_pairs_below(0), 1);
    assert_int_equal(cut_pairs_below(1), HALF);
    assert_int_equal(cut_pairs_below(3), HALF * HALF * HALF);
    uint64_t most = cut_pairs_below(BLINK_MAX_LEVEL);
    assert_true(most >= (uint64_t)1 << 40 && most < (uint64_t)HALF << 40);
}

/* Up to the cut there are so many pairs, and hardly more: two subtrees of the level where it is found. */
static void reach_has_its_pairs(void)
{
    tree *t = tree_build();
    for (uint32_t low = 0; low < STEP * KEYS; low += 7 * STEP - 1) {
        for (uint64_t limit = 1; limit < KEYS; limit = 3 * limit + 1) {
            uint32_t reach = cut_reach(t->map, low, UINT32_MAX - 1, limit);
            uint64_t some = keys_in(low, reach), left = keys_in(low, UINT32_MAX - 1);
            assert_true(some >= (left < limit ? left : limit));
            if (reach == UINT32_MAX - 1) {
                assert_true(left <= limit + 3 * HALF * HALF * HALF);
                continue;
            }
            assert_int_equal((reach + 1) % (STEP * HALF), 0); /* just below a node's low key */
            unsigned first, last;
            uint32_t leaf = low / (STEP * HALF), parent = leaf / HALF;
            cut_children(node_of(t, 1, parent), low, UINT32_MAX, &first, &last);
            if (limit / HALF + 1 < last - first)
                assert_int_equal(reach, STEP * HALF * (leaf + limit / HALF + 2) - 1);
            else
                assert_true(some <= HALF * HALF * HALF * 2 || limit >= HALF * HALF * HALF);
        }
        assert_int_equal(cut_reach(t->map, low, low, 1), low);
    }
    tree_free(t);
}

static void leaves_are_counted(void)
{
    tree *t = tree_build();
    const uint32_t leaf = STEP * HALF;
    for (uint32_t a = 0; a < LEAVES; a++)
        for (uint32_t b = a; b < LEAVES; b++)
            assert_int_equal(cut_leaves(t->map, a * leaf + a % leaf, b * leaf + leaf - 1), b - a + 1);
    tree_free(t);
}

/* ---- nodes that change while they are read ---- */

enum { CHANGED = 3 }; /* the slot of the root that is no child any more, or not the one that it was */

static void change_slot(tree *t, unsigned slot, uint32_t key, uint32_t value)
{
    pair_store(node_of(t, 3, 0), slot, pair_of(key, value));
}

static void change_root(tree *t, uint32_t key, uint32_t value)
{
    change_slot(t, CHANGED, key, value);
}

/* A link has taken the child's place: nobody follows it. */
static void links_are_not_followed(void)
{
    tree *t = tree_build();
    const uint32_t width = STEP * HALF * HALF * HALF, low = CHANGED * width; /* of a child of the root */
    const uint32_t values[] = {NODE_LINK | build_id(&t->plan, 2, CHANGED), NODE_NONE};
    for (unsigned i = 0; i < COUNT_OF(values); i++) {
        change_root(t, low, values[i]);
        assert_int_equal(cut_at(t->map, low, low + width - 1, cut_share(1, 2)), low);
        assert_int_equal(cut_reach(t->map, low, low + width - 1, 1), low + width - 1);
        /* From the last child of a child on, where the changed slot would be the end. */
        assert_int_equal(cut_reach(t->map, low - width - width / HALF, UINT32_MAX, HALF * HALF), UINT32_MAX);
        assert_int_equal(cut_leaves(t->map, low, low + 1), 0);
        assert_int_equal(cut_leaves(t->map, low, low + width), 0);
        assert_int_equal(cut_leaves(t->map, low - width, low), 0);
    }
    tree_free(t);
}

/* Slots have moved up: the child at the wanted place begins above the interval. */
static void children_above_are_not_followed(void)
{
    tree *t = tree_build();
    const uint32_t width = STEP * HALF * HALF * HALF, low = CHANGED * width;
    unsigned first, last;
    change_root(t, low + width / 2, build_id(&t->plan, 2, CHANGED));
    cut_children(node_of(t, 3, 0), low, low + width / 4, &first, &last);
    assert_int_equal(last, CHANGED - 1); /* as it is read now */
    for (uint32_t high = low; high < low + width; high += width / 16)
        for (uint32_t part = 0; part < 8; part++) {
            uint32_t cut = cut_at(t->map, low, high, cut_share(part, 8));
            assert_true(cut >= low && cut <= high);
        }
    tree_free(t);
}

/* A slot in the middle has a child above the interval: cuts do not rely on the order of pivots. */
static void children_beyond_are_not_followed(void)
{
    tree *t = tree_build();
    const uint32_t width = STEP * HALF * HALF * HALF, low = (CHANGED - 1) * width, high = (CHANGED + 1) * width;
    for (uint32_t beyond = 1; beyond < 4; beyond++) {
        change_root(t, high + beyond, build_id(&t->plan, 2, CHANGED));
        for (uint32_t part = 0; part < 8; part++) {
            uint32_t cut = cut_at(t->map, low, high, cut_share(part, 8));
            assert_true(cut >= low && cut <= high);
        }
        assert_int_equal(cut_at(t->map, low, high, cut_share(1, 2)), low);
    }
    tree_free(t);
}

/* What would be the end of a reach is now a child at or below the interval's beginning. As a pivot it counts among the
 * first ones, so it is one slot further on. */
static void ends_below_are_not_taken(void)
{
    tree *t = tree_build();
    const uint32_t width = STEP * HALF * HALF * HALF, low = CHANGED * width - width - width / HALF;
    for (uint32_t below = 0; below < 3; below++) {
        change_slot(t, CHANGED + 1, low - below, build_id(&t->plan, 2, CHANGED + 1));
        assert_true(cut_reach(t->map, low, UINT32_MAX, HALF * HALF) >= low);
    }
    tree_free(t);
}

/* What would be the end of a reach is now a child above the interval. */
static void ends_above_are_not_taken(void)
{
    tree *t = tree_build();
    const uint32_t width = STEP * HALF * HALF * HALF, low = CHANGED * width - width - width / HALF;
    const uint32_t high = (CHANGED + 2) * width, keys[] = {high + 1, high + 2, UINT32_MAX};
    for (unsigned i = 0; i < COUNT_OF(keys); i++) {
        change_root(t, keys[i], build_id(&t->plan, 2, CHANGED));
        assert_int_equal(cut_reach(t->map, low, high, HALF * HALF), high);
    }
    change_root(t, low + 2, build_id(&t->plan, 2, CHANGED));
    assert_int_equal(cut_reach(t->map, low, high, HALF * HALF), low + 1);
    tree_free(t);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(trees_are_regular),
        UNIT(children_are_those_that_overlap),
        UNIT(children_of_a_full_node),
        UNIT(cuts_divide_evenly),
        UNIT(cuts_stay_inside),
        UNIT(shares_and_sizes),
        UNIT(reach_has_its_pairs),
        UNIT(leaves_are_counted),
        UNIT(links_are_not_followed),
        UNIT(children_above_are_not_followed),
        UNIT(children_beyond_are_not_followed),
        UNIT(ends_below_are_not_taken),
        UNIT(ends_above_are_not_taken),
    };
    return run_units("test_cuts", argc, argv, cases, COUNT_OF(cases));
}
