/* blink_damage.c - changes to a tree, by the invariant that they break, and the table of all (blink_damage.h). */
#include "blink_damage.h"

#include "testkit/harness.h"

/* ---- I1: keys in order, within the node's bounds ---- */

void leaf_keys_swapped(tree *t)
{
    entry third = get(t, LEAF, 3), fourth = get(t, LEAF, 4);
    set(t, LEAF, 3, fourth.key, fourth.value);
    set(t, LEAF, 4, third.key, third.value);
}

static void leaf_key_twice(tree *t)
{
    set_key(t, LEAF, PER_NODE - 1, get(t, LEAF, PER_NODE - 2).key);
}

static void last_leaf_keys_out_of_order(tree *t)
{
    set_key(t, LAST_LEAF, 1, get(t, LAST_LEAF, 0).key);
}

static void leaf_key_below_low(tree *t)
{
    set_key(t, LEAF, 0, high_of(t, LEAF - 1) - 1);
}

static void last_leaf_key_below_low(tree *t)
{
    set_key(t, LAST_LEAF, 0, high_of(t, LAST_LEAF - 1) - 1);
}

static void leaf_key_at_high(tree *t)
{
    set_key(t, LEAF, PER_NODE - 1, high_of(t, LEAF));
}

static void leaf_key_above_high(tree *t)
{
    set_key(t, FIRST_LEAF, PER_NODE - 1, high_of(t, FIRST_LEAF) + 1);
}

static void inner_keys_swapped(tree *t)
{
    entry third = get(t, INNER, 3), fourth = get(t, INNER, 4);
    set(t, INNER, 3, fourth.key, fourth.value);
    set(t, INNER, 4, third.key, third.value);
}

static void inner_key_below_low(tree *t)
{
    set_key(t, INNER, 0, high_of(t, INNER - 1) - 1);
}

static void inner_key_at_high(tree *t)
{
    set_key(t, INNER, PER_NODE - 1, high_of(t, INNER));
}

static void root_keys_out_of_order(tree *t)
{
    set_key(t, ROOT, 2, get(t, ROOT, 1).key);
}

static void leaf_count_beyond_capacity(tree *t)
{
    set_count(t, LEAF, NODE_CAPACITY + 1);
}

static void inner_count_beyond_capacity(tree *t)
{
    set_count(t, INNER, 255);
}

/* The slots after the pairs hold the link, whose key is the high key. */
static void leaf_count_one_too_many(tree *t)
{
    set_count(t, LEAF, PER_NODE + 1);
}

static void inner_count_one_too_many(tree *t)
{
    set_count(t, INNER, PER_NODE + 1);
}

static void root_count_one_too_many(tree *t)
{
    set_count(t, ROOT, ROOT_COUNT + 1);
}

/* Covers keys of the right neighbour, which then has keys below its low key. */
static void leaf_high_reaches_into_neighbour(tree *t)
{
    set_link(t, LEAF, high_of(t, LEAF) + 1, LEAF + 1);
}

/* What keeps the walk from going round for ever is that low keys must grow. */
static void links_in_a_circle(tree *t)
{
    set_link(t, LEAF + 3, high_of(t, LEAF + 3), LEAF);
}

static void link_to_itself(tree *t)
{
    set_link(t, LEAF, high_of(t, LEAF), LEAF);
}

static void inner_links_in_a_circle(tree *t)
{
    set_link(t, INNER + 1, high_of(t, INNER + 1), INNER);
}

/* ---- I2: the level covers all keys once ---- */

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

/* All leaves are in this circle, so the walk has met more nodes than there are when it comes round. */
static void last_leaf_linked_to_first(tree *t)
{
    set_link(t, LAST_LEAF, get(t, LAST_LEAF, PER_NODE - 1).key + 1, FIRST_LEAF);
}

/* ---- I3: pairs and links lead to nodes that are there, on their level, with that low key ---- */

static void leaf_level_wrong(tree *t)
{
    set_level(t, LEAF, 1);
}

static void inner_level_too_high(tree *t)
{
    set_level(t, INNER, 2);
}

static void inner_level_too_low(tree *t)
{
    set_level(t, INNER, 0);
}

static void root_node_level_wrong(tree *t)
{
    set_level(t, ROOT, 3);
}

static void root_word_level_too_low(tree *t)
{
    set_root(t, ROOT_LEVEL - 1, ROOT);
}

static void root_word_level_too_high(tree *t)
{
    set_root(t, ROOT_LEVEL + 1, ROOT);
}

/* The header keeps 7 bits of a level. */
static void root_word_level_beyond_header(tree *t)
{
    set_root(t, ROOT_LEVEL + 128, ROOT);
}

static void root_is_no_node(tree *t)
{
    set_root(t, ROOT_LEVEL, NODE_NONE);
}

static void root_does_not_exist(tree *t)
{
    set_root(t, ROOT_LEVEL, ROOT + 1);
}

static void child_is_its_neighbour(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, LEAF + 1);
}

static void child_is_on_the_left(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, LEAF - 1);
}

static void children_swapped(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, LEAF + 1);
    set_value(t, INNER, LEAF_SLOT + 1, LEAF);
}

static void child_does_not_exist(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, ROOT + 1);
}

static void child_beyond_the_pool(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, 0x7fffffff);
}

static void child_is_no_node(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, NODE_NONE);
}

static void child_on_its_own_level(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, INNER + 1);
}

static void first_child_does_not_exist(tree *t)
{
    set_value(t, FIRST_INNER, 0, ROOT + 1);
}

static void first_child_is_no_node(tree *t)
{
    set_value(t, FIRST_INNER, 0, NODE_NONE);
}

static void first_child_on_its_own_level(tree *t)
{
    set_value(t, FIRST_INNER, 0, FIRST_INNER);
}

/* A descent would take the pair for a link and stay on its level. */
static void child_marked_as_link(tree *t)
{
    set_value(t, INNER, LEAF_SLOT, LEAF | NODE_LINK);
}

static void child_of_root_marked_as_link(tree *t)
{
    unsigned slot = ROOT_COUNT - 2; /* the last one is repeated in the pads: they would be wrong, too */
    set_value(t, ROOT, slot, get(t, ROOT, slot).value | NODE_LINK);
}

static void pivot_too_low(tree *t)
{
    set_key(t, INNER, LEAF_SLOT, get(t, INNER, LEAF_SLOT).key - 1);
}

static void pivot_too_high(tree *t)
{
    set_key(t, INNER, LEAF_SLOT, get(t, INNER, LEAF_SLOT).key + 1);
}

static void pivot_in_root_wrong(tree *t)
{
    set_key(t, ROOT, 2, get(t, ROOT, 2).key + 1);
}

/* A gap of one key between the pivot above and what the neighbour on the left says. */
static void leaf_high_too_low(tree *t)
{
    set_link(t, LEAF, high_of(t, LEAF) - 1, LEAF + 1);
}

static void link_skips_a_leaf(tree *t)
{
    set_link(t, LEAF - 1, high_of(t, LEAF), LEAF + 1);
}

static void link_is_gone(tree *t)
{
    set(t, LEAF, NODE_LINK_SLOT, 0, NODE_NONE);
}

static void inner_link_is_gone(tree *t)
{
    entry last = get(t, INNER, PER_NODE - 1);
    for (unsigned slot = PER_NODE; slot <= NODE_LINK_SLOT; slot++)
        set(t, INNER, slot, last.key, last.value);
}

static void link_to_no_node(tree *t)
{
    set_link(t, LEAF, high_of(t, LEAF), NODE_NONE);
}

static void link_does_not_exist(tree *t)
{
    set_link(t, LEAF, high_of(t, LEAF), ROOT + 1);
}

static void last_link_does_not_exist(tree *t)
{
    set_link(t, LAST_LEAF, get(t, LAST_LEAF, PER_NODE - 1).key + 1, ROOT + 1);
}

static void inner_link_does_not_exist(tree *t)
{
    set_link(t, INNER, high_of(t, INNER), ROOT + 1);
}

static void link_to_another_level(tree *t)
{
    set_link(t, LEAF, high_of(t, LEAF), INNER);
}

static void nodes_beyond_those_taken(tree *t)
{
    t->shared.pool.next = ROOT;
}

/* ---- I4: an inner node begins with its low key and is padded ---- */

static void inner_begins_above_low(tree *t)
{
    set_key(t, INNER, 0, get(t, INNER, 0).key + 1);
}

static void first_inner_begins_above_zero(tree *t)
{
    set_key(t, FIRST_INNER, 0, 1);
}

void root_begins_above_zero(tree *t)
{
    set_key(t, ROOT, 0, 1);
}

static void inner_is_empty(tree *t)
{
    set_count(t, INNER, 0);
}

static void root_is_empty(tree *t)
{
    set_count(t, ROOT, 0);
}

static void inner_count_one_too_few(tree *t)
{
    set_count(t, INNER, PER_NODE - 1);
}

static void root_count_one_too_few(tree *t)
{
    set_count(t, ROOT, ROOT_COUNT - 1);
}

static void first_pad_has_wrong_key(tree *t)
{
    set_key(t, INNER, PER_NODE, high_of(t, INNER) + 1);
}

static void first_pad_has_wrong_node(tree *t)
{
    set_value(t, INNER, PER_NODE, get(t, INNER, PER_NODE).value + 1);
}

static void last_pad_has_wrong_key(tree *t)
{
    set_key(t, INNER, NODE_LINK_SLOT - 1, high_of(t, INNER) - 1);
}

static void last_pad_is_no_link(tree *t)
{
    set_value(t, INNER, NODE_LINK_SLOT - 1, INNER + 1);
}

/* The pads of a node without a right neighbour repeat its last pair, and so does slot 14. */
static void pad_of_root_wrong(tree *t)
{
    set_value(t, ROOT, ROOT_COUNT, LAST_INNER - 1);
}

static void link_slot_of_root_has_wrong_key(tree *t)
{
    set_key(t, ROOT, NODE_LINK_SLOT, high_of(t, ROOT) + 1);
}

static void link_slot_of_last_inner_has_wrong_node(tree *t)
{
    set_value(t, LAST_INNER, NODE_LINK_SLOT, LAST_LEAF - 1);
}

/* Also not the leftmost of its level, which I6 asks for; its low key would have to be 0. */
static void root_is_not_leftmost(tree *t)
{
    set_root(t, 1, INNER);
}

/* ---- I5: every node has a pair above it, or is accounted for ---- */

static void leaf_not_posted(tree *t)
{
    remove_pair(t, INNER, LEAF_SLOT);
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

/* ---- I6: the root is an inner node ---- */

void root_is_a_leaf(tree *t)
{
    set_root(t, 0, FIRST_LEAF);
}

/* ---- I7: the counters add up to the number of keys ---- */

void size_one_too_large(tree *t)
{
    t->shared.stripe[0].size++;
}

static void size_one_too_small(tree *t)
{
    t->shared.stripe[0].size--;
}

static void size_wrong_in_last_stripe(tree *t)
{
    t->shared.stripe[BLINK_STRIPES - 1].size = 1;
}

static void size_below_zero(tree *t)
{
    t->shared.stripe[0].size = (uint64_t)-1;
}

/* Without keys a sum below zero must not pass for zero. */
static void size_of_empty_tree_below_zero(tree *t)
{
    for (uint32_t id = FIRST_LEAF; id <= LAST_LEAF; id++)
        empty_leaf(t, id);
    t->shared.stripe[1].size = (uint64_t)-1;
}

static void leaf_count_one_too_few(tree *t)
{
    set_count(t, LEAF, PER_NODE - 1);
}

static void last_leaf_lost_its_keys(tree *t)
{
    set_count(t, LAST_LEAF, 0);
}

/* ---- I8: every node that was taken can be reached ---- */

static void leaf_out_of_reach(tree *t)
{
    cut_out_leaf(t);
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

/* ---- latches ---- */

static void leaf_latched(tree *t)
{
    *header_of(t, LEAF) |= HEADER_LATCHED;
}

static void inner_latched(tree *t)
{
    *header_of(t, INNER) |= HEADER_LATCHED;
}

static void root_node_latched(tree *t)
{
    *header_of(t, ROOT) |= HEADER_LATCHED;
}

static void root_latched(tree *t)
{
    t->shared.root_latch = 1;
}

/* ---- changes that break nothing: what is not noticed above is not noticed because anything would be ---- */

static void nothing(tree *t)
{
    (void)t;
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

/* ---- the table ---- */

#define BREAKS(finding, function) {#function, function, finding}
#define KEEPS(function) {#function, function, NULL}

const damage damages[] = {
    BREAKS("I1: node 25 is not ascending at slot 4", leaf_keys_swapped),
    BREAKS("I1: node 25 is not ascending at slot 9", leaf_key_twice),
    BREAKS("I1: node 50 is not ascending at slot 1", last_leaf_keys_out_of_order),
    BREAKS("I1: node 25 has key", leaf_key_below_low),
    BREAKS("I1: node 50 has key", last_leaf_key_below_low),
    BREAKS("I1: node 25 has key", leaf_key_at_high),
    BREAKS("I1: node 1 has key", leaf_key_above_high),
    BREAKS("I1: node 53 is not ascending at slot 4", inner_keys_swapped),
    BREAKS("I1: node 53 has key", inner_key_below_low),
    BREAKS("I1: node 53 has key", inner_key_at_high),
    BREAKS("I1: node 56 is not ascending at slot 2", root_keys_out_of_order),
    BREAKS("I1: node 25 has count 15", leaf_count_beyond_capacity),
    BREAKS("I1: node 53 has count 255", inner_count_beyond_capacity),
    BREAKS("I1: node 25 has key", leaf_count_one_too_many),
    BREAKS("I1: node 53 has key", inner_count_one_too_many),
    BREAKS("I1: node 56 is not ascending at slot 5", root_count_one_too_many),
    BREAKS("I1: node 26 has key", leaf_high_reaches_into_neighbour),
    BREAKS("I1: node 25 has key", links_in_a_circle),
    BREAKS("I1: node 25 has key", link_to_itself),
    BREAKS("I1: node 53 has key", inner_links_in_a_circle),

    BREAKS("I2: the high key of node 25", high_not_above_low),
    BREAKS("I2: the high key of node 25", high_below_low),
    BREAKS("I2: the high key of node 1 ", first_leaf_covers_nothing),
    BREAKS("I2: the high key of node 25", links_of_empty_leaves_in_a_circle),
    BREAKS("I2: the links of level 0 run in a circle", last_leaf_linked_to_first),

    BREAKS("I3: node 25 is not on level 0", leaf_level_wrong),
    BREAKS("I3: node 53 is not on level 1", inner_level_too_high),
    BREAKS("I3: node 53 is not on level 1", inner_level_too_low),
    BREAKS("I3: node 56 is not on level 2", root_node_level_wrong),
    BREAKS("I3: node 56 is not on level 1", root_word_level_too_low),
    BREAKS("I3: node 56 is not on level 3", root_word_level_too_high),
    BREAKS("I3: node 56 is not on level 130", root_word_level_beyond_header),
    BREAKS("I3: a pair names node 0,", root_is_no_node),
    BREAKS("I3: a pair names node 57,", root_does_not_exist),
    BREAKS("I3: the pivot of node 26", child_is_its_neighbour),
    BREAKS("I3: a pair above level 0 names node 24,", child_is_on_the_left),
    BREAKS("I3: the pivot of node 26", children_swapped),
    BREAKS("I3: a pair above level 0 names node 57,", child_does_not_exist),
    BREAKS("I3: a pair above level 0 names node 2147483647,", child_beyond_the_pool),
    BREAKS("I3: a pair above level 0 names node 0,", child_is_no_node),
    BREAKS("I3: a pair above level 0 names node 54,", child_on_its_own_level),
    BREAKS("I3: a pair names node 57,", first_child_does_not_exist),
    BREAKS("I3: a pair names node 0,", first_child_is_no_node),
    BREAKS("I3: node 51 is not on level 0", first_child_on_its_own_level),
    BREAKS("I3: ", child_marked_as_link),
    BREAKS("I3: ", child_of_root_marked_as_link),
    BREAKS("I3: the pivot of node 25", pivot_too_low),
    BREAKS("I3: the pivot of node 25", pivot_too_high),
    BREAKS("I3: the pivot of node 53", pivot_in_root_wrong),
    BREAKS("I3: the pivot of node 26", leaf_high_too_low),
    BREAKS("I3: a pair above level 0 names node 25,", link_skips_a_leaf),
    BREAKS("I3: a pair above level 0 names node 26,", link_is_gone),
    BREAKS("I3: a pair above level 1 names node 54,", inner_link_is_gone),
    BREAKS("I3: a pair names node 0,", link_to_no_node),
    BREAKS("I3: a pair names node 57,", link_does_not_exist),
    BREAKS("I3: a pair names node 57,", last_link_does_not_exist),
    BREAKS("I3: a pair names node 57,", inner_link_does_not_exist),
    BREAKS("I3: node 53 is not on level 0", link_to_another_level),
    BREAKS("I3: a pair names node 56,", nodes_beyond_those_taken),

    BREAKS("I4: node 53 does not begin with its low key", inner_begins_above_low),
    BREAKS("I4: node 51 does not begin with its low key", first_inner_begins_above_zero),
    BREAKS("I4: node 56 does not begin with its low key", root_begins_above_zero),
    BREAKS("I4: node 53 does not begin with its low key", inner_is_empty),
    BREAKS("I4: node 56 does not begin with its low key", root_is_empty),
    BREAKS("I4: node 53 has a wrong pad in slot 9", inner_count_one_too_few),
    BREAKS("I4: node 56 has a wrong pad in slot 4", root_count_one_too_few),
    BREAKS("I4: node 53 has a wrong pad in slot 10", first_pad_has_wrong_key),
    BREAKS("I4: node 53 has a wrong pad in slot 10", first_pad_has_wrong_node),
    BREAKS("I4: node 53 has a wrong pad in slot 13", last_pad_has_wrong_key),
    BREAKS("I4: node 53 has a wrong pad in slot 13", last_pad_is_no_link),
    BREAKS("I4: node 56 has a wrong pad in slot 5", pad_of_root_wrong),
    BREAKS("I4: node 56 has a wrong pad in slot 14", link_slot_of_root_has_wrong_key),
    BREAKS("I4: node 55 has a wrong pad in slot 14", link_slot_of_last_inner_has_wrong_node),
    BREAKS("I4: node 53 does not begin with its low key", root_is_not_leftmost),

    BREAKS("I5: 1 nodes have no pair above them, 0 are", leaf_not_posted),
    BREAKS("I5: 1 nodes have no pair above them, 0 are", inner_not_posted),
    BREAKS("I5: 2 nodes have no pair above them, 1 are", two_not_posted_one_accounted_for),
    BREAKS("I5: 4 nodes have no pair above them, 0 are", neighbours_of_root_not_posted),

    BREAKS("I6: the root is a leaf", root_is_a_leaf),

    BREAKS("I7: the leaves hold 500 keys, the counters say 501", size_one_too_large),
    BREAKS("I7: the leaves hold 500 keys, the counters say 499", size_one_too_small),
    BREAKS("I7: the leaves hold 500 keys, the counters say 501", size_wrong_in_last_stripe),
    BREAKS("I7: the leaves hold 500 keys, the counters say", size_below_zero),
    BREAKS("I7: the leaves hold 0 keys, the counters say", size_of_empty_tree_below_zero),
    BREAKS("I7: the leaves hold 499 keys, the counters say 500", leaf_count_one_too_few),
    BREAKS("I7: the leaves hold 490 keys, the counters say 500", last_leaf_lost_its_keys),

    BREAKS("I8: 56 nodes are in use, 55 can be reached", leaf_out_of_reach),
    BREAKS("I8: 57 nodes are in use, 56 can be reached", taken_node_in_no_place),
    BREAKS("I8: 56 nodes are in use, 55 can be reached", old_root_out_of_reach),
    BREAKS("I8: 55 nodes are in use, 56 can be reached", reachable_node_never_taken),

    BREAKS("node 25 is latched", leaf_latched),
    BREAKS("node 53 is latched", inner_latched),
    BREAKS("node 56 is latched", root_node_latched),
    BREAKS("the root is latched", root_latched),

    KEEPS(nothing),
    KEEPS(leftovers_in_leaves),
    KEEPS(values_are_anything),
    KEEPS(empty_leaves),
    KEEPS(sizes_in_other_stripes),
    KEEPS(ids_that_were_skipped),
    KEEPS(next_beyond_capacity),
    KEEPS(later_versions),
    KEEPS(unposted_and_accounted_for),
    KEEPS(no_room_for_a_new_root),
};

const size_t damage_count = COUNT_OF(damages);
