/* test_blink_check.c - the validator of the B-link tree: a sound tree is valid, and of a tree with one thing broken
 * it names the invariant. Every other test trusts it, so each of its checks is seen to notice something here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blink/blink_check.h"
#include "blink_damage.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

/* ---- what is asked of the validator ---- */

static void assert_sound(const tree *t)
{
    char message[200] = "untouched";
    bool valid = blink_validate(t->key_bits, &t->shared, t->nodes, message, sizeof message);
    if (!valid)
        fail_msg("a sound tree is not valid: %s", message);
    assert_string_equal(message, "");
    assert_true(blink_validate(t->key_bits, &t->shared, t->nodes, NULL, 0));
}

static void assert_unsound(const tree *t, const char *finding)
{
    char message[200] = "untouched";
    if (blink_validate(t->key_bits, &t->shared, t->nodes, message, sizeof message))
        fail_msg("the damage was not noticed; expected: %s", finding);
    if (strncmp(message, finding, strlen(finding)))
        fail_msg("expected: %s, but it says: %s", finding, message);
    assert_false(blink_validate(t->key_bits, &t->shared, t->nodes, NULL, 0));
}

/* ---- cases ---- */

/* The table counts on the tree that the numbers at the head describe. */
static void assert_tree_as_described(const tree *t)
{
    assert_int_equal(t->shared.root, (uint64_t)ROOT_LEVEL << 32 | ROOT);
    assert_int_equal(t->shared.pool.next, ROOT + 1);
    assert_int_equal(get(t, INNER, LEAF_SLOT).value, LEAF);
    assert_int_equal(get(t, LEAF - 1, NODE_LINK_SLOT).value, LEAF | NODE_LINK);
    assert_int_equal(get(t, ROOT, INNER - FIRST_INNER).value, INNER);
    assert_int_equal(count_of(t, LEAF), PER_NODE);
    assert_int_equal(count_of(t, INNER), PER_NODE);
    assert_int_equal(count_of(t, ROOT), ROOT_COUNT);
}

static void damage_is_named(unsigned key_bits, const damage *what)
{
    tree *t = tree_build(key_bits, KEYS, (double)PER_NODE / NODE_CAPACITY);
    assert_tree_as_described(t);
    assert_sound(t);
    what->inflict(t);
    if (what->finding)
        assert_unsound(t, what->finding);
    else
        assert_sound(t);
    tree_restore(t);
    assert_sound(t);
    tree_free(t);
}

/* Whatever its size and filling. */
static void built_trees_are_sound(unsigned key_bits)
{
    static const size_t sizes[] = {0, 1, 2, 13, 14, 15, 27, 28, 29, 195, 196, 197, 500, 2744, 2745, 9999};
    static const double fills[] = {0.05, 0.3, 0.5, 0.7, 1.0};
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t f = 0; f < COUNT_OF(fills); f++) {
            tree *t = tree_build(key_bits, sizes[s], fills[f]);
            assert_sound(t);
            assert_int_equal(blink_size(&t->shared), sizes[s]);
            t->shared.stripe[0].size++;
            assert_unsound(t, "I7");
            tree_free(t);
        }
}

static void nodes_are_counted(unsigned key_bits)
{
    tree *t = tree_build(key_bits, KEYS, (double)PER_NODE / NODE_CAPACITY);
    empty_leaf(t, LEAF);
    ids_that_were_skipped(t);
    blink_counts counts;
    blink_count_nodes(key_bits, &t->shared, t->nodes, &counts);
    assert_int_equal(counts.keys, KEYS - PER_NODE);
    assert_int_equal(counts.leaves, 50);
    assert_int_equal(counts.empty_leaves, 1);
    assert_int_equal(counts.inner, 6);
    assert_int_equal(blink_size(&t->shared), KEYS - PER_NODE);
    assert_int_equal(blink_used_ids(&t->shared), ROOT + 4);
    next_beyond_capacity(t);
    assert_int_equal(blink_used_ids(&t->shared), ROOM);
    tree_free(t);
}

static uint64_t shape_of(const tree *t)
{
    blink_counts counts;
    blink_count_nodes(t->key_bits, &t->shared, t->nodes, &counts);
    return counts.shape;
}

/* The shape depends on every pair of a leaf, and on no slot at or above its count. */
static void shapes_are_of_all_pairs(unsigned key_bits)
{
    tree *t = tree_build(key_bits, KEYS, (double)PER_NODE / NODE_CAPACITY);
    const uint64_t shape = shape_of(t);
    for (unsigned slot = 0; slot < NODE_CAPACITY; slot++)
        for (unsigned of = 0; of < 2; of++) {
            if (of == 0)
                set_key(t, LEAF, slot, get(t, LEAF, slot).key + 1);
            else
                set_value(t, LEAF, slot, get(t, LEAF, slot).value + 1);
            assert_int_equal(shape_of(t) != shape, slot < PER_NODE);
            tree_restore(t);
        }
    set_key(t, INNER, 0, get(t, INNER, 0).key + 1);
    assert_true(shape_of(t) != shape);
    tree_free(t);
}

/* Also into a buffer that is too short for it, of which nothing beyond is written. */
static void message_keeps_to_its_buffer(unsigned key_bits)
{
    tree *t = tree_build(key_bits, KEYS, (double)PER_NODE / NODE_CAPACITY);
    root_is_a_leaf(t);
    for (size_t size = 0; size < 10; size++) {
        char message[16];
        memset(message, '#', sizeof message);
        assert_false(blink_validate(key_bits, &t->shared, t->nodes, message, size));
        if (size)
            assert_int_equal(strlen(message), size - 1);
        assert_memory_equal(message, "I6: the root is a leaf", size ? size - 1 : 0);
        for (size_t i = size; i < sizeof message; i++)
            assert_int_equal(message[i], '#');
    }
    tree_free(t);
}

/* The first report stays, whatever the walk meets after it. */
static void first_complaint_is_kept(unsigned key_bits)
{
    tree *t = tree_build(key_bits, KEYS, (double)PER_NODE / NODE_CAPACITY);
    root_begins_above_zero(t);
    leaf_keys_swapped(t);
    size_one_too_large(t);
    assert_unsound(t, "I4: node 56");
    tree_free(t);
}

/* ---- the runner ---- */

typedef struct run {
    unsigned key_bits;
    const damage *what;         /* or NULL */
    void (*alone)(unsigned key_bits);
    char name[80];
} run;

static void run_one(const void *argument)
{
    const run *r = argument;
    if (r->what)
        damage_is_named(r->key_bits, r->what);
    else
        r->alone(r->key_bits);
}

typedef struct alone {
    const char *name;
    void (*function)(unsigned key_bits);
} alone;

static const alone others[] = {
    {"built_trees_are_sound", built_trees_are_sound},
    {"nodes_are_counted", nodes_are_counted},
    {"shapes_are_of_all_pairs", shapes_are_of_all_pairs},
    {"message_keeps_to_its_buffer", message_keeps_to_its_buffer},
    {"first_complaint_is_kept", first_complaint_is_kept},
};

static size_t make_runs(unsigned key_bits, run *runs)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(others); i++, n++) {
        runs[n] = (run){key_bits, NULL, others[i].function, ""};
        snprintf(runs[n].name, sizeof runs[n].name, "%u %s", key_bits, others[i].name);
    }
    for (size_t i = 0; i < damage_count; i++, n++) {
        runs[n] = (run){key_bits, &damages[i], NULL, ""};
        snprintf(runs[n].name, sizeof runs[n].name, "%u %s", key_bits, damages[i].name);
    }
    return n;
}

int main(int argc, char **argv)
{
    const size_t count = 2 * (damage_count + COUNT_OF(others));
    FREED run *runs = must_alloc(count, sizeof *runs);
    FREED unit_case *cases = must_alloc(count, sizeof *cases);
    size_t half = make_runs(32, runs);
    make_runs(64, runs + half);
    for (size_t i = 0; i < count; i++)
        cases[i] = (unit_case)UNIT_WITH(runs[i].name, run_one, &runs[i]);
    const int status = run_units("test_blink_check", argc, argv, cases, count);
    return status;
}
