/* blink_damage.c - changes to a tree that break an invariant, or none (blink_damage.h). The table of all of them, with
 * those that are one statement each, is in blink_damages.h; here are the others. */
#include "blink_damage.h"

#include "testkit/harness.h"

void leaf_keys_swapped(tree *t)
{
    entry third = get(t, LEAF, 3), fourth = get(t, LEAF, 4);
    set(t, LEAF, 3, fourth.key, fourth.value);
    set(t, LEAF, 4, third.key, third.value);
}

static void inner_keys_swapped(tree *t)
{
    entry third = get(t, INNER, 3), fourth = get(t, INNER, 4);
    set(t, INNER, 3, fourth.key, fourth.value);
    set(t, INNER, 4, third.key, third.value);
}

static void high_not_above_low(tree *t)
{
    empty_leaf(t, LEAF);
    set_link(t, LEAF, high_of(t, LEAF - 1), LEAF + 1);
}

static void high_below_low(tree *t)
{
    empty_leaf(t, LEAF);
    set_link(t, LEAF, high_of(t, LEAF - 1) - 1, LEAF + 1);
}

static void first_leaf_covers_nothing(tree *t)
{
    empty_leaf(t, FIRST_LEAF);
    set_link(t, FIRST_LEAF, 0, FIRST_LEAF + 1);
}

/* Empty leaves have no key that could be out of bounds. */
static void links_of_empty_leaves_in_a_circle(tree *t)
{
    empty_leaf(t, LEAF);
    empty_leaf(t, LEAF + 1);
    set_link(t, LEAF + 1, high_of(t, LEAF + 1), LEAF);
}

static void children_swapped(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, LEAF + 1);
    set_value(t, INNER, LEAF_SLOT + 1, LEAF);
}

static void child_of_root_marked_as_link(tree *t)
{
    unsigned slot = ROOT_COUNT - 2; /* the last one is repeated in the pads: they would be wrong, too */
    set_value(t, ROOT, slot, get(t, ROOT, slot).value | NODE_LINK);
}

static void inner_link_is_gone(tree *t)
{
    entry last = get(t, INNER, PER_NODE - 1);
    for (unsigned slot = PER_NODE; slot <= NODE_LINK_SLOT; slot++)
        set(t, INNER, slot, last.key, last.value);
}

void root_begins_above_zero(tree *t)
{
    set_key(t, ROOT, 0, 1);
}

static void inner_not_posted(tree *t)
{
    /* The root's own pads repeat its last pair, and so stay right. */
    remove_pair(t, ROOT, 2);
}

static void two_not_posted_one_accounted_for(tree *t)
{
    remove_pair(t, INNER, LEAF_SLOT);
    remove_pair(t, INNER, LEAF_SLOT);
    t->shared.unposted = 1;
}

/* Splits of a root that found no room for a new one count as unposted, too. */
static void neighbours_of_root_not_posted(tree *t)
{
    memset(node_of(t, ROOT), 0, node_bytes_of(t->key_bits));
    set_root(t, 1, FIRST_INNER);
}

void root_is_a_leaf(tree *t)
{
    set_root(t, 0, FIRST_LEAF);
}

void size_one_too_large(tree *t)
{
    t->shared.stripe[0].size++;
}

/* Without keys a sum below zero must not pass for zero. */
static void size_of_empty_tree_below_zero(tree *t)
{
    for (uint32_t id = FIRST_LEAF; id <= LAST_LEAF; id++)
        empty_leaf(t, id);
    t->shared.stripe[1].size = (uint64_t)-1;
}

static void taken_node_in_no_place(tree *t)
{
    t->shared.pool.next++;
    *header_of(t, ROOT + 1) = header_first(0, 0);
}

static void old_root_out_of_reach(tree *t)
{
    set_root(t, 1, FIRST_INNER);
    t->shared.unposted = LAST_INNER - FIRST_INNER;
}

/* A header of 0 says that nobody ever took the node. */
static void reachable_node_never_taken(tree *t)
{
    empty_leaf(t, LEAF);
    *header_of(t, LEAF) = 0;
}

static void leftovers_in_leaves(tree *t)
{
    for (unsigned slot = PER_NODE; slot < NODE_LINK_SLOT; slot++)
        set(t, LEAF, slot, 1, UINT32_MAX);
    set(t, LAST_LEAF, NODE_LINK_SLOT, 1, NODE_NONE); /* without a right neighbour the high key is anything */
}

static void values_are_anything(tree *t)
{
    set_value(t, LEAF, 0, NODE_LINK | ROOT);
    set_value(t, LAST_LEAF, PER_NODE - 1, UINT32_MAX);
}

static void empty_leaves(tree *t)
{
    empty_leaf(t, FIRST_LEAF);
    empty_leaf(t, LEAF);
    empty_leaf(t, LAST_LEAF);
}

static void sizes_in_other_stripes(tree *t)
{
    t->shared.stripe[0].size -= 7;
    t->shared.stripe[5].size = 10;
    t->shared.stripe[BLINK_STRIPES - 1].size = (uint64_t)-3;
}

void ids_that_were_skipped(tree *t)
{
    t->shared.pool.next += 3;
}

void next_beyond_capacity(tree *t)
{
    t->shared.pool.next = t->shared.pool.capacity + 5;
}

static void later_versions(tree *t)
{
    for (uint32_t id = FIRST_LEAF; id <= ROOT; id++)
        *header_of(t, id) += id * HEADER_VERSION_ONE;
}

static void unposted_and_accounted_for(tree *t)
{
    remove_pair(t, INNER, LEAF_SLOT);
    remove_pair(t, ROOT, 2);
    t->shared.unposted = 2;
}

static void no_room_for_a_new_root(tree *t)
{
    neighbours_of_root_not_posted(t);
    t->shared.unposted = LAST_INNER - FIRST_INNER;
}

/* Those of one statement. */
#define BREAKS(finding, name, ...) KEEPS(name, __VA_ARGS__)
#define BREAKS_BY(finding, name)
#define KEEPS(name, ...)                                                                                         \
    static void name(tree *t)                                                                                    \
    {                                                                                                            \
        __VA_ARGS__;                                                                                             \
    }
#define KEEPS_BY(name)
#include "blink_damages.h"
#undef BREAKS
#undef BREAKS_BY
#undef KEEPS
#undef KEEPS_BY

#define BREAKS(finding, name, ...) {#name, name, finding},
#define BREAKS_BY(finding, name) {#name, name, finding},
#define KEEPS(name, ...) {#name, name, NULL},
#define KEEPS_BY(name) {#name, name, NULL},

const damage damages[] = {
#include "blink_damages.h"
};

const size_t damage_count = COUNT_OF(damages);
