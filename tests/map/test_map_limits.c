/* test_map_limits.c - nodes that are not there: the pool is empty at every place where a split can ask for one. The map
 * is valid, holds what was acknowledged and nothing else, and works again when there is room. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"


/* ---- the pool is empty -----------------------------------------------------------------------------------------
 * With room for k nodes, for every k from the least that is allowed to where all keys fit, keys are put one by one. So
 * the pool runs out at the split of a leaf (the key is refused), at the node above it that the separator needs, and at
 * the root that a split root needs (the key is in the map, a node stays unposted). */

enum { LEAST_NODES = 8, LIMIT_KEYS = 420 };

typedef struct places_hit {
    size_t leaf;      /* refused, and nothing unposted */
    size_t separator; /* of a leaf: the root was full, and there was no node to split it */
    size_t inner;     /* the same in a tree with inner nodes below its root */
    size_t root;      /* the root was split, and there was no node to put above it */
} places_hit;

/* One put; answers whether it was refused, which status and outcome say alike. */
static bool put_refused(const wide *w, oracle *o, uint64_t key, uint64_t value)
{
    pleach_outcome outcome = PLEACH_ABSENT;
    uint64_t old = 1, expected_old = 1;
    pleach_status status = pleach_map_put_one(w->map, key, value, &outcome, &old);
    count_checked(1);
    if (status == PLEACH_OK) {
        assert_int_equal(outcome, oracle_put(o, key, value, &expected_old));
        assert_int_equal(old, expected_old);
        return false;
    }
    assert_int_equal(status, PLEACH_E_FULL);
    assert_int_equal(outcome, PLEACH_NOT_APPLIED);
    assert_false(oracle_find(o, key, NULL));
    return true;
}

/* Every node was used but the spare ones, and what is unposted tells where the pool was found empty. (A chunk of a
 * skiplist that nothing above leads to is as good as one that was not raised, so nothing tells of these.) */
static void note_place(const wide *w, uint64_t nodes, size_t refused, places_hit *hit)
{
    pleach_map_stats stats = stats_of(w->map);
    uint64_t used = stats.leaves + stats.inner, all = nodes_with_heads(nodes), spare = all / 64;
    assert_true(used < all);
    if (refused)
        assert_true(used + spare >= all - 1);
    hit->leaf += refused && !stats.unposted;
    if (tests_skiplist())
        return;
    assert_true(stats.unposted <= 1); /* the next split finds no node for its leaf */
    assert_true(!stats.unposted || used == nodes - 1);
    hit->separator += stats.unposted && stats.inner == 1;
    hit->root += stats.unposted && stats.inner == 2 && stats.height == 2;
    hit->inner += stats.unposted && stats.height > 2;
}

/* What a map without a free node can still do: all but to insert into a full leaf. */
static void use_without_nodes(const wide *w, oracle *o, const uint64_t *keys, const uint64_t *values)
{
    pleach_map_stats before = stats_of(w->map);
    for (size_t i = 0; i < LIMIT_KEYS; i += 3)
        if (oracle_find(o, keys[i], NULL))
            assert_false(put_refused(w, o, keys[i], values[LIMIT_KEYS - 1 - i]));
    assert_same_content(w, o);
    erase_both(w, o, LIMIT_KEYS / 2, keys);
    assert_same_content(w, o);
    assert_true(stats_of(w->map).unposted <= before.unposted); /* less, if a batch has emptied the map */
}

/* Half of the keys are gone: compact makes room for new ones, and posts everything. */
static void recover(const wide *w, oracle *o, const uint64_t *keys, const uint64_t *values)
{
    assert_ok(pleach_map_compact(w->map, 0.7));
    assert_int_equal(stats_of(w->map).unposted, 0);
    assert_same_content(w, o);
    assert_false(put_refused(w, o, keys[0], values[0]));
    assert_false(put_refused(w, o, keys[1], values[1]));
    assert_same_content(w, o);
}

/* Answers whether the limit was noticed. */
static bool run_out_of_nodes(const setting *where, uint64_t nodes, const uint64_t *keys, places_hit *hit)
{
    AT_END(wide_close) wide w = wide_open_limited(where, node_memory(where, nodes));
    FREED uint64_t *values = values_for(LIMIT_KEYS, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(LIMIT_KEYS, keys);
    size_t refused = 0;
    for (size_t i = 0; i < LIMIT_KEYS; i++)
        refused += put_refused(&w, o, keys[i], values[i]);
    bool noticed = refused > 0 || stats_of(w.map).unposted > 0;
    note_place(&w, nodes, refused, hit);
    assert_same(&w, o);
    assert_int_equal(pleach_map_reserve(w.map, leaf_slots() * nodes), PLEACH_E_FULL);
    assert_int_equal(pleach_map_reserve(w.map, 1), PLEACH_OK);
    use_without_nodes(&w, o, keys, values);
    recover(&w, o, keys, values);
    return noticed;
}

/* Every limit is tried; but a GPU map takes long to make, so there, and in short runs, it is every one only up to where
 * all places have been. */
static uint64_t next_limit(const setting *where, uint64_t nodes)
{
    uint64_t stride = where->device == PLEACH_CUDA ? 7 : 100 / shrunk(100, 20);
    return nodes + (nodes < 20 ? 1 : stride);
}

static void run_out_in_order(const setting *where, const void *order)
{
    uint64_t top = where->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    rng r = rng_for(test_seed(), 20);
    FREED uint64_t *keys = pattern_keys(*(const pattern *)order, LIMIT_KEYS, top, &r);
    places_hit hit = {0, 0, 0, 0};
    bool noticed = true;
    for (uint64_t nodes = LEAST_NODES; noticed; nodes = next_limit(where, nodes)) {
        assert_true(nodes < LIMIT_KEYS);
        noticed = run_out_of_nodes(where, nodes, keys, &hit);
    }
    print_message("pool empty at leaf: %zu, its separator: %zu, an inner node's: %zu, new root: %zu\n", hit.leaf,
                  hit.separator, hit.inner, hit.root);
    assert_true(hit.leaf > 0);
    if (!tests_skiplist()) {
        assert_true(hit.separator > 0 && hit.root > 0);
        assert_true(hit.inner > 0 || next_limit(where, 20) > 21);
    }
}

/* ---- what was reserved is there -------------------------------------------------------------------------------- */

/* The most keys that a map with this limit reserves room for. */
static uint64_t most_reserved(const wide *w)
{
    uint64_t keys = 1;
    while (pleach_map_reserve(w->map, keys + 1) == PLEACH_OK)
        keys++;
    assert_int_equal(pleach_map_reserve(w->map, keys), PLEACH_OK);
    assert_int_equal(pleach_map_reserve(w->map, keys + 1), PLEACH_E_FULL);
    return keys;
}

/* So many keys, in orders that need many nodes. With the largest key there first, no leaf that ascending keys split is
 * the last one of its level, so that all are left half full. */
static void insert_reserved(const setting *where, uint64_t nodes, bool descending, bool largest_first)
{
    AT_END(wide_close) wide w = wide_open_limited(where, node_memory(where, nodes));
    uint64_t keys = most_reserved(&w);
    for (uint64_t i = 0; i < keys; i++) {
        uint64_t key = descending ? keys - i : i;
        if (largest_first)
            key = i == 0 ? w.top : i - 1;
        assert_ok(pleach_map_put_one(w.map, key, i, NULL, NULL));
    }
    pleach_map_stats stats = stats_of(w.map);
    assert_int_equal(stats.keys, keys);
    assert_int_equal(stats.unposted, 0);
    count_checked(keys);
}

static void what_was_reserved_can_be_inserted(const setting *where)
{
    size_t most = where->device == PLEACH_CUDA ? 24 : shrunk(200, 70);
    for (uint64_t nodes = LEAST_NODES; nodes <= most; nodes = next_limit(where, nodes)) {
        insert_reserved(where, nodes, false, false);
        insert_reserved(where, nodes, true, false);
        insert_reserved(where, nodes, false, true);
    }
}

/* ---- several threads run out together --------------------------------------------------------------------------
 * Each agent puts keys of its own, neighbours of the others', and writes down what it is told. */

typedef struct crowd {
    wide w;
    size_t keys_each;
    bool in_arrays;
    uint64_t *keys; /* of agent i: keys_each of them from i * keys_each on */
    uint8_t *outcomes;
} crowd;

static void put_singly(agent *a, const crowd *c, size_t from)
{
    for (size_t i = from; i < from + c->keys_each; i++) {
        pleach_outcome outcome = PLEACH_ABSENT;
        pleach_status status = pleach_map_put_one(c->w.map, c->keys[i], c->keys[i], &outcome, NULL);
        EXPECT(a, outcome == (status == PLEACH_E_FULL ? PLEACH_NOT_APPLIED : PLEACH_INSERTED));
        EXPECT(a, status == PLEACH_OK || status == PLEACH_E_FULL);
        c->outcomes[i] = (uint8_t)outcome;
    }
}

static void put_as_array(agent *a, const crowd *c, size_t from)
{
    pleach_status status = wide_put(&c->w, c->keys_each, c->keys + from, c->keys + from, c->outcomes + from, NULL);
    size_t refused = 0;
    for (size_t i = from; i < from + c->keys_each; i++) {
        EXPECT(a, c->outcomes[i] == PLEACH_NOT_APPLIED || c->outcomes[i] == PLEACH_INSERTED);
        refused += c->outcomes[i] == PLEACH_NOT_APPLIED;
    }
    EXPECT(a, status == (refused ? PLEACH_E_FULL : PLEACH_OK));
}

static void put_own(agent *a)
{
    const crowd *c = a->shared;
    if (c->in_arrays)
        put_as_array(a, c, a->index * c->keys_each);
    else
        put_singly(a, c, a->index * c->keys_each);
}

/* What was acknowledged is there, the rest is not; answers how much was refused. */
static size_t compare_crowd(const crowd *c, oracle *o, size_t n)
{
    size_t refused = 0;
    uint64_t ignored;
    for (size_t i = 0; i < n; i++) {
        if (c->outcomes[i] == PLEACH_NOT_APPLIED)
            refused++;
        else
            oracle_put(o, c->keys[i], c->keys[i], &ignored);
    }
    if (o->rows < 1000)
        assert_same(&c->w, o);
    else
        assert_same_content(&c->w, o);
    return refused;
}

/* Answers one of the keys that are gone. */
static uint64_t erase_every_other_key(const wide *w, oracle *o)
{
    FREED uint64_t *keys = must_alloc(o->rows, sizeof *keys);
    uint64_t gone;
    size_t present = 0, n = 0;
    for (size_t row = 0; row < o->rows; row++)
        if (o->present[row] && present++ % 2 == 0)
            keys[n++] = o->keys[row];
    erase_both(w, o, n, keys);
    gone = keys[0];
    return gone;
}

static void crowd_runs_out(const setting *where, uint64_t nodes, size_t agents, bool in_arrays, pattern order,
                           uint64_t round)
{
    rng r = rng_for(test_seed(), 30 + round);
    size_t n = more_than_fit(nodes) / agents * agents;
    crowd c = {wide_open_limited(where, node_memory(where, nodes)), n / agents, in_arrays, NULL, NULL};
    c.keys = pattern_keys(order, n, c.w.top, &r);
    if (order == SORTED)
        shuffle(&r, n, c.keys); /* neighbours go to different agents */
    c.outcomes = untouched_bytes(n);
    AT_END(end_oracle) oracle *o = oracle_create(n, c.keys);
    run_agents(agents, put_own, &c);
    assert_true(compare_crowd(&c, o, n) > 0);
    pleach_map_stats stats = stats_of(c.w.map);
    /* Chunks that a skiplist has merged away are free only after the calls that could still read them. */
    const uint64_t merged = stats.free_bytes / (stats.node_bytes / (stats.leaves + stats.inner)) + stats.zombies;
    uint64_t used = stats.leaves + stats.inner + (tests_skiplist() ? merged : 0), all = nodes_with_heads(nodes);
    assert_true(used < all && used + all / 64 + agents >= all);
    uint64_t gone = erase_every_other_key(&c.w, o);
    assert_ok(pleach_map_compact(c.w.map, 0.7));
    assert_false(put_refused(&c.w, o, gone, 1));
    assert_same_content(&c.w, o);
    free(c.keys);
    free(c.outcomes);
    wide_close(&c.w);
}

static void crowds_run_out(const setting *where, size_t agents, bool in_arrays)
{
    static const uint64_t limits[] = {8, 9, 13, 16, 17, 18, 19, 32, 33, 40, 64, 65, 100, 129, 200};
    size_t rounds = where->device == PLEACH_CUDA ? 1 : scaled(3);
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < COUNT_OF(limits); i += where->device == PLEACH_CUDA ? 3 : 1) {
            crowd_runs_out(where, limits[i], agents, in_arrays, RANDOM, round);
            crowd_runs_out(where, limits[i], agents, in_arrays, SORTED, round);
        }
}

static void threads_run_out_together(const setting *where)
{
    crowds_run_out(where, calling_threads(), false);
}

static void array_calls_run_out_together(const setting *where)
{
    crowds_run_out(where, calling_threads(), true);
}

/* One call, whose elements the map's own workers share. */
static void workers_of_one_call_run_out(const setting *where)
{
    crowds_run_out(where, 1, true);
}

static const test_case cases[] = {
    CASE_WITH(pool_runs_out_at_every_place_ascending, run_out_in_order, &(const pattern){SORTED}),
    CASE_WITH(pool_runs_out_at_every_place_descending, run_out_in_order, &(const pattern){REVERSE}),
    CASE_WITH(pool_runs_out_at_every_place_in_random_order, run_out_in_order, &(const pattern){RANDOM}),
    CASE(what_was_reserved_can_be_inserted),
    CASE(threads_run_out_together),
    CASE(array_calls_run_out_together),
    CASE(workers_of_one_call_run_out),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
