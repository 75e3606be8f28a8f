/* blink_damages.h - the changes to a tree, a row each: how the validator's message begins, the name, and what is done
 * to the tree `t`, unless a function of that name does it (BREAKS_BY, KEEPS_BY). No include guard: blink_damage.c
 * includes this twice, for the functions of the others, and for the table. */

/* ---- I1: keys in order, within the node's bounds ---- */

BREAKS_BY("I1: node 25 is not ascending at slot 4", leaf_keys_swapped)
BREAKS("I1: node 25 is not ascending at slot 9", leaf_key_twice,
       set_key(t, LEAF, PER_NODE - 1, get(t, LEAF, PER_NODE - 2).key))
BREAKS("I1: node 50 is not ascending at slot 1", last_leaf_keys_out_of_order,
       set_key(t, LAST_LEAF, 1, get(t, LAST_LEAF, 0).key))
BREAKS("I1: node 25 has key", leaf_key_below_low, set_key(t, LEAF, 0, high_of(t, LEAF - 1) - 1))
BREAKS("I1: node 50 has key", last_leaf_key_below_low, set_key(t, LAST_LEAF, 0, high_of(t, LAST_LEAF - 1) - 1))
BREAKS("I1: node 25 has key", leaf_key_at_high, set_key(t, LEAF, PER_NODE - 1, high_of(t, LEAF)))
BREAKS("I1: node 1 has key", leaf_key_above_high, set_key(t, FIRST_LEAF, PER_NODE - 1, high_of(t, FIRST_LEAF) + 1))
BREAKS_BY("I1: node 53 is not ascending at slot 4", inner_keys_swapped)
BREAKS("I1: node 53 has key", inner_key_below_low, set_key(t, INNER, 0, high_of(t, INNER - 1) - 1))
BREAKS("I1: node 53 has key", inner_key_at_high, set_key(t, INNER, PER_NODE - 1, high_of(t, INNER)))
BREAKS("I1: node 56 is not ascending at slot 2", root_keys_out_of_order, set_key(t, ROOT, 2, get(t, ROOT, 1).key))
BREAKS("I1: node 25 has count 15", leaf_count_beyond_capacity, set_count(t, LEAF, NODE_CAPACITY + 1))
BREAKS("I1: node 53 has count 255", inner_count_beyond_capacity, set_count(t, INNER, 255))
/* The slots after the pairs hold the link, whose key is the high key. */
BREAKS("I1: node 25 has key", leaf_count_one_too_many, set_count(t, LEAF, PER_NODE + 1))
BREAKS("I1: node 53 has key", inner_count_one_too_many, set_count(t, INNER, PER_NODE + 1))
BREAKS("I1: node 56 is not ascending at slot 5", root_count_one_too_many, set_count(t, ROOT, ROOT_COUNT + 1))
/* Covers keys of the right neighbour, which then has keys below its low key. */
BREAKS("I1: node 26 has key", leaf_high_reaches_into_neighbour, set_link(t, LEAF, high_of(t, LEAF) + 1, LEAF + 1))
/* What keeps the walk from going round for ever is that low keys must grow. */
BREAKS("I1: node 25 has key", links_in_a_circle, set_link(t, LEAF + 3, high_of(t, LEAF + 3), LEAF))
BREAKS("I1: node 25 has key", link_to_itself, set_link(t, LEAF, high_of(t, LEAF), LEAF))
BREAKS("I1: node 53 has key", inner_links_in_a_circle, set_link(t, INNER + 1, high_of(t, INNER + 1), INNER))

/* ---- I2: the level covers all keys once ---- */

BREAKS_BY("I2: the high key of node 25", high_not_above_low)
BREAKS_BY("I2: the high key of node 25", high_below_low)
BREAKS_BY("I2: the high key of node 1 ", first_leaf_covers_nothing)
BREAKS_BY("I2: the high key of node 25", links_of_empty_leaves_in_a_circle)
/* All leaves are in this circle, so the walk has met more nodes than there are when it comes round. */
BREAKS("I2: the links of level 0 run in a circle", last_leaf_linked_to_first,
       set_link(t, LAST_LEAF, get(t, LAST_LEAF, PER_NODE - 1).key + 1, FIRST_LEAF))

/* ---- I3: pairs and links lead to nodes that are there, on their level, with that low key ---- */

BREAKS("I3: node 25 is not on level 0", leaf_level_wrong, set_level(t, LEAF, 1))
BREAKS("I3: node 53 is not on level 1", inner_level_too_high, set_level(t, INNER, 2))
BREAKS("I3: node 53 is not on level 1", inner_level_too_low, set_level(t, INNER, 0))
BREAKS("I3: node 56 is not on level 2", root_node_level_wrong, set_level(t, ROOT, 3))
BREAKS("I3: node 56 is not on level 1", root_word_level_too_low, set_root(t, ROOT_LEVEL - 1, ROOT))
BREAKS("I3: node 56 is not on level 3", root_word_level_too_high, set_root(t, ROOT_LEVEL + 1, ROOT))
/* The header keeps 7 bits of a level. */
BREAKS("I3: node 56 is not on level 130", root_word_level_beyond_header, set_root(t, ROOT_LEVEL + 128, ROOT))
BREAKS("I3: a pair names node 0,", root_is_no_node, set_root(t, ROOT_LEVEL, NODE_NONE))
BREAKS("I3: a pair names node 57,", root_does_not_exist, set_root(t, ROOT_LEVEL, ROOT + 1))
BREAKS("I3: the pivot of node 26", child_is_its_neighbour, set_value(t, INNER, LEAF_SLOT, LEAF + 1))
BREAKS("I3: a pair above level 0 names node 24,", child_is_on_the_left, set_value(t, INNER, LEAF_SLOT, LEAF - 1))
BREAKS_BY("I3: the pivot of node 26", children_swapped)
BREAKS("I3: a pair above level 0 names node 57,", child_does_not_exist, set_value(t, INNER, LEAF_SLOT, ROOT + 1))
BREAKS("I3: a pair above level 0 names node 2147483647,", child_beyond_the_pool,
       set_value(t, INNER, LEAF_SLOT, 0x7fffffff))
BREAKS("I3: a pair above level 0 names node 0,", child_is_no_node, set_value(t, INNER, LEAF_SLOT, NODE_NONE))
BREAKS("I3: a pair above level 0 names node 54,", child_on_its_own_level, set_value(t, INNER, LEAF_SLOT, INNER + 1))
BREAKS("I3: a pair names node 57,", first_child_does_not_exist, set_value(t, FIRST_INNER, 0, ROOT + 1))
BREAKS("I3: a pair names node 0,", first_child_is_no_node, set_value(t, FIRST_INNER, 0, NODE_NONE))
BREAKS("I3: node 51 is not on level 0", first_child_on_its_own_level, set_value(t, FIRST_INNER, 0, FIRST_INNER))
/* A descent would take the pair for a link and stay on its level. */
BREAKS("I3: ", child_marked_as_link, set_value(t, INNER, LEAF_SLOT, LEAF | NODE_LINK))
BREAKS_BY("I3: ", child_of_root_marked_as_link)
BREAKS("I3: the pivot of node 25", pivot_too_low, set_key(t, INNER, LEAF_SLOT, get(t, INNER, LEAF_SLOT).key - 1))
BREAKS("I3: the pivot of node 25", pivot_too_high, set_key(t, INNER, LEAF_SLOT, get(t, INNER, LEAF_SLOT).key + 1))
BREAKS("I3: the pivot of node 53", pivot_in_root_wrong, set_key(t, ROOT, 2, get(t, ROOT, 2).key + 1))
/* A gap of one key between the pivot above and what the neighbour on the left says. */
BREAKS("I3: the pivot of node 26", leaf_high_too_low, set_link(t, LEAF, high_of(t, LEAF) - 1, LEAF + 1))
BREAKS("I3: a pair above level 0 names node 25,", link_skips_a_leaf, set_link(t, LEAF - 1, high_of(t, LEAF), LEAF + 1))
BREAKS("I3: a pair above level 0 names node 26,", link_is_gone, set(t, LEAF, NODE_LINK_SLOT, 0, NODE_NONE))
BREAKS_BY("I3: a pair above level 1 names node 54,", inner_link_is_gone)
BREAKS("I3: a pair names node 0,", link_to_no_node, set_link(t, LEAF, high_of(t, LEAF), NODE_NONE))
BREAKS("I3: a pair names node 57,", link_does_not_exist, set_link(t, LEAF, high_of(t, LEAF), ROOT + 1))
BREAKS("I3: a pair names node 57,", last_link_does_not_exist,
       set_link(t, LAST_LEAF, get(t, LAST_LEAF, PER_NODE - 1).key + 1, ROOT + 1))
BREAKS("I3: a pair names node 57,", inner_link_does_not_exist, set_link(t, INNER, high_of(t, INNER), ROOT + 1))
BREAKS("I3: node 53 is not on level 0", link_to_another_level, set_link(t, LEAF, high_of(t, LEAF), INNER))
BREAKS("I3: a pair names node 56,", nodes_beyond_those_taken, t->shared.pool.next = ROOT)

/* ---- I4: an inner node begins with its low key and is padded ---- */

BREAKS("I4: node 53 does not begin with its low key", inner_begins_above_low,
       set_key(t, INNER, 0, get(t, INNER, 0).key + 1))
BREAKS("I4: node 51 does not begin with its low key", first_inner_begins_above_zero, set_key(t, FIRST_INNER, 0, 1))
BREAKS_BY("I4: node 56 does not begin with its low key", root_begins_above_zero)
BREAKS("I4: node 53 does not begin with its low key", inner_is_empty, set_count(t, INNER, 0))
BREAKS("I4: node 56 does not begin with its low key", root_is_empty, set_count(t, ROOT, 0))
BREAKS("I4: node 53 has a wrong pad in slot 9", inner_count_one_too_few, set_count(t, INNER, PER_NODE - 1))
BREAKS("I4: node 56 has a wrong pad in slot 4", root_count_one_too_few, set_count(t, ROOT, ROOT_COUNT - 1))
BREAKS("I4: node 53 has a wrong pad in slot 10", first_pad_has_wrong_key,
       set_key(t, INNER, PER_NODE, high_of(t, INNER) + 1))
BREAKS("I4: node 53 has a wrong pad in slot 10", first_pad_has_wrong_node,
       set_value(t, INNER, PER_NODE, get(t, INNER, PER_NODE).value + 1))
BREAKS("I4: node 53 has a wrong pad in slot 13", last_pad_has_wrong_key,
       set_key(t, INNER, NODE_LINK_SLOT - 1, high_of(t, INNER) - 1))
BREAKS("I4: node 53 has a wrong pad in slot 13", last_pad_is_no_link,
       set_value(t, INNER, NODE_LINK_SLOT - 1, INNER + 1))
/* The pads of a node without a right neighbour repeat its last pair, and so does slot 14. */
BREAKS("I4: node 56 has a wrong pad in slot 5", pad_of_root_wrong, set_value(t, ROOT, ROOT_COUNT, LAST_INNER - 1))
BREAKS("I4: node 56 has a wrong pad in slot 14", link_slot_of_root_has_wrong_key,
       set_key(t, ROOT, NODE_LINK_SLOT, high_of(t, ROOT) + 1))
BREAKS("I4: node 55 has a wrong pad in slot 14", link_slot_of_last_inner_has_wrong_node,
       set_value(t, LAST_INNER, NODE_LINK_SLOT, LAST_LEAF - 1))
/* Also not the leftmost of its level, which I6 asks for; its low key would have to be 0. */
BREAKS("I4: node 53 does not begin with its low key", root_is_not_leftmost, set_root(t, 1, INNER))

/* ---- I5: every node has a pair above it, or is accounted for ---- */

BREAKS("I5: 1 nodes have no pair above them, 0 are", leaf_not_posted, remove_pair(t, INNER, LEAF_SLOT))
BREAKS_BY("I5: 1 nodes have no pair above them, 0 are", inner_not_posted)
BREAKS_BY("I5: 2 nodes have no pair above them, 1 are", two_not_posted_one_accounted_for)
BREAKS_BY("I5: 4 nodes have no pair above them, 0 are", neighbours_of_root_not_posted)

/* ---- I6: the root is an inner node ---- */

BREAKS_BY("I6: the root is a leaf", root_is_a_leaf)

/* ---- I7: the counters add up to the number of keys ---- */

BREAKS_BY("I7: the leaves hold 500 keys, the counters say 501", size_one_too_large)
BREAKS("I7: the leaves hold 500 keys, the counters say 499", size_one_too_small, t->shared.stripe[0].size--)
BREAKS("I7: the leaves hold 500 keys, the counters say 501", size_wrong_in_last_stripe,
       t->shared.stripe[BLINK_STRIPES - 1].size = 1)
BREAKS("I7: the leaves hold 500 keys, the counters say", size_below_zero, t->shared.stripe[0].size = (uint64_t)-1)
BREAKS_BY("I7: the leaves hold 0 keys, the counters say", size_of_empty_tree_below_zero)
BREAKS("I7: the leaves hold 499 keys, the counters say 500", leaf_count_one_too_few, set_count(t, LEAF, PER_NODE - 1))
BREAKS("I7: the leaves hold 490 keys, the counters say 500", last_leaf_lost_its_keys, set_count(t, LAST_LEAF, 0))

/* ---- I8: every node that was taken can be reached ---- */

BREAKS("I8: 56 nodes are in use, 55 can be reached", leaf_out_of_reach, cut_out_leaf(t))
BREAKS_BY("I8: 57 nodes are in use, 56 can be reached", taken_node_in_no_place)
BREAKS_BY("I8: 56 nodes are in use, 55 can be reached", old_root_out_of_reach)
BREAKS_BY("I8: 55 nodes are in use, 56 can be reached", reachable_node_never_taken)

/* ---- latches ---- */

BREAKS("node 25 is latched", leaf_latched, *header_of(t, LEAF) |= HEADER_LATCHED)
BREAKS("node 53 is latched", inner_latched, *header_of(t, INNER) |= HEADER_LATCHED)
BREAKS("node 56 is latched", root_node_latched, *header_of(t, ROOT) |= HEADER_LATCHED)
BREAKS("the root is latched", root_latched, t->shared.root_latch = 1)

/* ---- changes that break nothing: what is not noticed above is not noticed because anything would be ---- */

KEEPS(nothing, (void)t)
KEEPS_BY(leftovers_in_leaves)
KEEPS_BY(values_are_anything)
KEEPS_BY(empty_leaves)
KEEPS_BY(sizes_in_other_stripes)
KEEPS_BY(ids_that_were_skipped)
KEEPS_BY(next_beyond_capacity)
KEEPS_BY(later_versions)
KEEPS_BY(unposted_and_accounted_for)
KEEPS_BY(no_room_for_a_new_root)
