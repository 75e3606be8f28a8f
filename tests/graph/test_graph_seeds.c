/* test_graph_seeds.c - neighbours, and ids of vertices, that were chosen to collide: they flood a graph whose seed is
 * known, and no other. Chains are counted, not seconds. */
#include <stdlib.h>

#include "graph/triangles/triangle_change.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"
#include "testkit/hashes.h"

enum { HUB = 5, SHORT_CHAIN = 8 }; /* slabs; of random neighbours, one bucket in millions has more */

static pleach_graph *open_with(const graph_kind *kind, uint32_t seed, unsigned fixed_seed)
{
    pleach_graph_config config = graph_config_of(kind);
    config.seed = seed;
    config.fixed_seed = fixed_seed;
    pleach_graph *graph = NULL;
    assert_ok(pleach_graph_create(&graph, &config));
    return graph;
}

/* Made for seed 0: they share a bucket in the table of one vertex, of 2^bits buckets at most. */
static uint32_t *attacking_ids(size_t n, unsigned bits)
{
    FREED uint64_t *keys = colliding_narrow_keys(0, bits, n + 1);
    uint32_t *ids = must_alloc(n, sizeof *ids);
    for (size_t i = 0, from = 0; i < n; i++, from++) {
        if (keys[from] == HUB) from++;
        ids[i] = (uint32_t)keys[from];
    }
    return ids;
}

static uint64_t longest_chain(pleach_graph *graph)
{
    pleach_graph_stats stats;
    assert_sound(graph);
    assert_ok(pleach_graph_get_stats(graph, &stats));
    return stats.longest_chain;
}

static uint32_t *hubs(size_t n)
{
    uint32_t *from = must_alloc(n, sizeof *from);
    for (size_t i = 0; i < n; i++) from[i] = HUB;
    return from;
}

static void insert_around_hub(pleach_graph *graph, const graph_kind *kind, size_t n, const uint32_t *ids)
{
    FREED uint32_t *from = hubs(n);
    assert_ok(pleach_graph_insert_edges(graph, n, from, ids, values_or_null(kind, ids), NULL, PLEACH_SYNC));
    assert_int_equal(degree_of_vertex(graph, HUB), n);
    graph_checked(n);
}

static void a_known_seed_is_flooded(const graph_kind *kind)
{
    enum { BITS = 8, SLOTS = 28 };
    size_t n = shrunk(1000, 400);
    FREED uint32_t *ids = attacking_ids(n, BITS);
    AT_END(end_graph) pleach_graph *graph = open_with(kind, 0, 1);
    insert_around_hub(graph, kind, n, ids);
    assert_true(longest_chain(graph) >= n / SLOTS);
}

static void a_default_graph_is_not(const graph_kind *kind)
{
    size_t n = kind->sparse ? shrunk(20000, 400) : shrunk(1000, 400); /* dense: a piece of memory for each neighbour */
    FREED uint32_t *ids = attacking_ids(n, kind->sparse ? 11 : 8), *from = hubs(n);
    AT_END(end_graph) pleach_graph *graph = open_with(kind, 0, 0);
    insert_around_hub(graph, kind, n, ids);
    assert_true(longest_chain(graph) <= SHORT_CHAIN);
    assert_ok(pleach_graph_erase_edges(graph, n, from, ids, NULL, PLEACH_SYNC));
    insert_around_hub(graph, kind, n, ids);
    assert_true(longest_chain(graph) <= SHORT_CHAIN);
    assert_ok(pleach_graph_clear(graph));
    assert_ok(pleach_graph_build(graph, n, from, ids, values_or_null(kind, ids)));
    assert_true(longest_chain(graph) <= SHORT_CHAIN);
}

static void no_other_seed_is_flooded(const graph_kind *kind)
{
    size_t n = shrunk(1000, 400);
    FREED uint32_t *ids = attacking_ids(n, 8);
    for (uint32_t seed = 1; seed; seed <<= 8) {
        AT_END(end_graph) pleach_graph *graph = open_with(kind, seed, 0);
        insert_around_hub(graph, kind, n, ids);
        assert_true(longest_chain(graph) <= SHORT_CHAIN);
    }
}

/* The first key, by ascending i, that the inverse of a finalizer of MurmurHash3 takes to a number with so many zeros at
 * its end, and that is the name of an edge: whose lower end is in the upper half. */
static uint64_t colliding_edge(uint64_t *i, unsigned zeros)
{
    for (;;) {
        uint64_t hash = ++*i << zeros, product = hash ^ hash >> 33;
        uint64_t x = product * 0x4f74430c22a54005u; /* the inverse of 0xff51afd7ed558ccd modulo 2^64 */
        uint64_t name = x ^ x >> 33;
        if (name >> 32 && name >> 32 < (uint32_t)name) return name;
    }
}

/* Edges of one call are numbered in a table of its own, for counting triangles. */
static void edges_of_a_call_do_not_flood_it(const graph_kind *kind)
{
    (void)kind;
    enum { ZEROS = 16, LONGEST = 200 };
    size_t n = shrunk(20000, 4000), run = 0, longest = 0;
    FREED uint32_t *from = must_alloc(n, sizeof *from), *to = must_alloc(n, sizeof *to);
    uint64_t i = 0;
    for (size_t e = 0; e < n; e++) {
        uint64_t name = colliding_edge(&i, ZEROS);
        from[e] = (uint32_t)(name >> 32);
        to[e] = (uint32_t)name;
    }
    graph_request request = {.kind = GRAPH_INSERT_EDGES, .n = n, .from = from, .to = to};
    triangle_change change = {.request = &request};
    assert_true(change_open(&change));
    for (size_t e = 0; e < n; e++) change.counts[e] = 1;
    change_number(&change);
    for (uint64_t place = 0; place <= change.mask; place++) {
        run = change.numbers[place].name ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    for (size_t e = 0; e < n; e++) assert_true(change.counts[e] && change_has(&change, to[e], from[e]));
    assert_true(longest <= LONGEST); /* of places taken one after the other */
    graph_checked(n);
    change_close(&change);
}

static void only_0_and_1_fix_it(const graph_kind *kind)
{
    pleach_graph *graph = NULL;
    pleach_graph_config config = graph_config_of(kind);
    config.fixed_seed = 2;
    assert_int_equal(pleach_graph_create(&graph, &config), PLEACH_E_ARGUMENT);
    assert_null(graph);
}

static const graph_case cases[] = {
    GRAPH_CASE(a_known_seed_is_flooded),
    GRAPH_CASE(a_default_graph_is_not),
    GRAPH_CASE(no_other_seed_is_flooded),
    ONE_CASE(only_0_and_1_fix_it),
    ONE_CASE(edges_of_a_call_do_not_flood_it),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_seeds", argc, argv, cases, COUNT_OF(cases));
}
