/* test_graph_sparse.c - graphs whose ids are found through a hash table: memory goes with the number of vertices, also
 * when ids come and go, when threads bring the same ones at once, and when there is not enough of it. (All other tests
 * of graphs run with such graphs, too.) */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

enum { LEAST_BYTES = 1 << 19 };

static pleach_graph *open_limited(const graph_kind *kind, uint64_t bytes)
{
    pleach_graph_config config = graph_config_of(kind);
    config.max_bytes = bytes;
    config.seed = (uint32_t)test_seed();
    pleach_graph *graph = NULL;
    assert_ok(pleach_graph_create(&graph, &config));
    return graph;
}

static uint64_t bytes_taken(pleach_graph *graph)
{
    pleach_graph_stats stats;
    assert_ok(pleach_graph_get_stats(graph, &stats));
    return stats.slab_bytes + stats.dictionary_bytes + stats.free_bytes;
}

/* Ids in an order that looks like none: an odd factor makes of all numbers but 0 all but 0. */
static uint32_t scattered(uint32_t i) { return i * 2654435761u - 1; }

static void fill_scattered(uint32_t *ids, size_t n, uint32_t first)
{
    for (size_t i = 0; i < n; i++)
        ids[i] = scattered(first + (uint32_t)i);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Of a dense graph a million of them would touch nearly all of a million segments, 134 GB. Here: 40 bytes a vertex and
 * its name, in whole segments, and a hash table with 8 bytes an id. */
static void a_million_ids_anywhere(const graph_kind *kind)
{
    const size_t n = scaled(1000000);
    FREED uint32_t *ids = must_alloc(n, sizeof *ids), *listed = must_alloc(n, sizeof *listed);
    FREED uint8_t *found = untouched_bytes(n);
    uint64_t count = 0;
    pleach_graph_stats stats;
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, (uint64_t)256 << 20);
    fill_scattered(ids, n, 1);
    assert_ok(pleach_graph_insert_vertices(graph, n, ids, NULL, PLEACH_SYNC));
    assert_graph_size(graph, n, 0);
    assert_ok(pleach_graph_get_stats(graph, &stats));
    assert_true(stats.dictionary_bytes < 72 * n + (1 << 20));
    /* Threads that wait for growth chain slabs meanwhile. */
    assert_true(bytes_taken(graph) < (kind->threads == 1 ? 88 : 128) * n + (1 << 20));
    printf("%zu ids anywhere: %.1f bytes for each, of %.1f that were taken\n", n,
           (double)stats.dictionary_bytes / (double)n, (double)bytes_taken(graph) / (double)n);
    assert_ok(pleach_graph_insert_edges(graph, n / 2, ids, ids + n / 2, values_or_null(kind, ids), NULL, PLEACH_SYNC));
    assert_graph_size(graph, n, n / 2);
    assert_ok(pleach_graph_find_edges(graph, n / 2, ids, ids + n / 2, NULL, found, PLEACH_SYNC));
    for (size_t i = 0; i < n / 2; i++)
        assert_int_equal(found[i], 1);
    assert_ok(pleach_graph_export_vertices(graph, n, listed, &count));
    assert_int_equal(count, n);
    for (size_t i = 1; i < n; i++)
        assert_true(listed[i - 1] < listed[i]);
    graph_checked(3 * n);
}

static void finds_make_nothing(const graph_kind *kind)
{
    enum { N = 5000 };
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    FREED uint32_t *ids = must_alloc(N, sizeof *ids), *degrees = must_alloc(N, sizeof *degrees);
    FREED uint64_t *offsets = must_alloc(N + 1, sizeof *offsets);
    FREED uint8_t *found = untouched_bytes(N);
    fill_scattered(ids, N, 77);
    for (unsigned round = 0; round < 2; round++) {
        uint64_t before = bytes_taken(graph);
        assert_ok(pleach_graph_find_vertices(graph, N, ids, found, PLEACH_SYNC));
        assert_ok(pleach_graph_degrees(graph, N, ids, degrees, PLEACH_SYNC));
        for (size_t i = 0; i < N; i++)
            assert_true(!found[i] && !degrees[i]);
        assert_ok(pleach_graph_find_edges(graph, N - 1, ids, ids + 1, NULL, found, PLEACH_SYNC));
        assert_ok(pleach_graph_erase_edges(graph, N - 1, ids, ids + 1, NULL, PLEACH_SYNC));
        assert_ok(pleach_graph_neighbours(graph, N, ids, 0, NULL, NULL, offsets, NULL));
        assert_int_equal(offsets[N], 0);
        assert_ok(pleach_graph_erase_vertices(graph, N, ids, NULL));
        assert_graph_size(graph, 2 * round, round);
        assert_int_equal(bytes_taken(graph), before);
        assert_int_equal(put_edge(graph, kind, 1, 2, 3), round ? PLEACH_EDGE_REPLACED : PLEACH_EDGE_NEW);
    }
    graph_checked(12 * N);
}

static void the_largest_ids(const graph_kind *kind)
{
    const uint32_t last = PLEACH_NO_VERTEX - 1, ids[] = {0, last, 1u << 31, last - 1, 12345};
    uint32_t listed[5], from[3], to[3];
    uint64_t n = 0, rows = 0, edges = 0;
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    assert_int_equal(put_edge(graph, kind, last, 0, 1), PLEACH_EDGE_NEW);
    assert_int_equal(put_edge(graph, kind, 1u << 31, last, 2), PLEACH_EDGE_NEW);
    assert_int_equal(put_edge(graph, kind, last - 1, 12345, 3), PLEACH_EDGE_NEW);
    for (size_t i = 0; i < COUNT_OF(ids); i++)
        assert_true(has_vertex(graph, ids[i]));
    assert_false(has_vertex(graph, PLEACH_NO_VERTEX) || has_vertex(graph, 1));
    assert_ok(pleach_graph_export_vertices(graph, 5, listed, &n));
    assert_true(n == 5 && listed[0] == 0 && listed[1] == 12345 && listed[4] == last);
    assert_ok(pleach_graph_export_rows(graph, 0, NULL, 0, NULL, NULL, &rows, NULL));
    assert_int_equal(rows, (uint64_t)last + 1);
    assert_ok(pleach_graph_export_edges(graph, 3, from, to, NULL, &edges));
    assert_true(edges == 3 && from[0] < from[1] && from[1] < from[2]);
    assert_ok(pleach_graph_erase_vertices(graph, 1, &last, NULL));
    assert_graph_size(graph, 4, 1);
    assert_ok(pleach_graph_export_rows(graph, 0, NULL, 0, NULL, NULL, &rows, NULL));
    assert_int_equal(rows, last);
    graph_checked(20);
}

static void new_ids_beside_sparse_ones(const graph_kind *kind)
{
    const uint32_t there[] = {1, 3, 5, 70000, PLEACH_NO_VERTEX - 1}, expected[] = {0, 2, 4, 6, 7};
    uint32_t ids[5];
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    assert_ok(pleach_graph_insert_vertices(graph, 5, there, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_new_vertices(graph, 5, ids));
    assert_memory_equal(ids, expected, sizeof expected);
    assert_graph_size(graph, 10, 0);
    graph_checked(10);
}

/* ---- ids that come and go ---------------------------------------------------------------------------------------- */

/* A ring through some ids that were never there before. */
static void come(pleach_graph *graph, const graph_kind *kind, uint32_t *ids, size_t n, uint32_t first)
{
    uint64_t vertices = 0;
    fill_scattered(ids, n, first);
    ids[n] = ids[0];
    assert_ok(pleach_graph_insert_edges(graph, n, ids, ids + 1, values_or_null(kind, ids), NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_size(graph, &vertices, NULL));
    graph_checked(n);
}

/* In memory for few times as many as there are at once: a window over a stream of ids. */
static void ids_that_come_and_go(const graph_kind *kind)
{
    enum { N = 1500, WINDOW = 3 };
    const size_t rounds = kind->device == PLEACH_CPU ? scaled(400) + WINDOW : WINDOW + 60;
    uint32_t *ids[WINDOW];
    uint64_t settled = 0;
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, (uint64_t)3 << 20);
    for (size_t i = 0; i < WINDOW; i++)
        ids[i] = must_alloc(N + 1, sizeof **ids);
    for (size_t round = 0; round < rounds; round++) {
        uint32_t *mine = ids[round % WINDOW];
        if (round >= WINDOW)
            assert_ok(pleach_graph_erase_vertices(graph, N, mine, NULL));
        come(graph, kind, mine, N, 1 + (uint32_t)round * N);
        if (round == rounds / 2)
            settled = bytes_taken(graph);
    }
    assert_graph_size(graph, WINDOW * N, WINDOW * N);
    assert_true(bytes_taken(graph) <= settled + settled / 8);
    for (size_t i = 0; i < WINDOW; i++) {
        assert_ok(pleach_graph_erase_vertices(graph, N, ids[i], NULL));
        free(ids[i]);
    }
    assert_graph_size(graph, 0, 0);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { TOGETHER = 64 }; /* ids of a round */

typedef struct arrival {
    const graph_kind *kind;
    pleach_graph *graph;
    size_t rounds;
    atomic_uint_fast64_t edges, vertices;
} arrival;

/* All threads bring the edges of the same new ids, each beginning elsewhere, and look for them. */
static void arrive(agent *a)
{
    arrival *all = a->shared;
    uint32_t from[TOGETHER], to[TOGETHER];
    uint8_t outcomes[TOGETHER], found[TOGETHER];
    for (size_t round = 0; round < all->rounds && !stopped(a); round++) {
        uint32_t first = 1 + (uint32_t)round * TOGETHER, turn = (uint32_t)rng_below(&a->r, TOGETHER);
        for (uint32_t i = 0; i < TOGETHER; i++) {
            from[i] = scattered(first + (i + turn) % TOGETHER);
            to[i] = scattered(first + (i + turn + 1) % TOGETHER);
        }
        if (round % 3 == 0) {
            EXPECT_OK(a, pleach_graph_insert_vertices(all->graph, TOGETHER, from, outcomes, PLEACH_SYNC));
            for (size_t i = 0; i < TOGETHER; i++)
                atomic_fetch_add(&all->vertices, outcomes[i] == PLEACH_EDGE_NEW);
        }
        EXPECT_OK(a, pleach_graph_find_vertices(all->graph, TOGETHER, from, found, PLEACH_SYNC));
        for (size_t i = 0; i < TOGETHER; i++)
            EXPECT(a, found[i] <= 1 && (found[i] || round % 3));
        EXPECT_OK(a, pleach_graph_insert_edges(all->graph, TOGETHER, from, to, values_or_null(all->kind, to), outcomes,
                                               PLEACH_SYNC));
        for (size_t i = 0; i < TOGETHER; i++) {
            EXPECT(a, outcomes[i] == PLEACH_EDGE_NEW || outcomes[i] == PLEACH_EDGE_REPLACED);
            atomic_fetch_add(&all->edges, outcomes[i] == PLEACH_EDGE_NEW);
        }
        EXPECT_OK(a, pleach_graph_find_edges(all->graph, TOGETHER, from, to, NULL, found, PLEACH_SYNC));
        for (size_t i = 0; i < TOGETHER; i++)
            EXPECT(a, found[i] == 1);
        graph_checked(3 * TOGETHER);
    }
}

static void threads_bring_the_same_ids(const graph_kind *kind)
{
    arrival all = {.kind = kind, .graph = graph_open(kind), .rounds = scaled_calls(kind, 600)};
    run_agents(calling_threads(), arrive, &all);
    assert_graph_size(all.graph, all.rounds * TOGETHER, all.rounds * TOGETHER);
    assert_int_equal(atomic_load(&all.edges), all.rounds * TOGETHER);
    assert_int_equal(atomic_load(&all.vertices), (all.rounds + 2) / 3 * TOGETHER);
    graph_close(all.graph);
}

/* ---- too little memory ------------------------------------------------------------------------------------------- */

/* How many of these vertices fit; who is refused is not there. */
static size_t put_what_fits(pleach_graph *graph, const uint32_t *ids, size_t n, uint8_t *outcomes, uint8_t *found)
{
    size_t there = 0;
    pleach_status status = pleach_graph_insert_vertices(graph, n, ids, outcomes, PLEACH_SYNC);
    assert_true(status == PLEACH_OK || status == PLEACH_E_FULL);
    assert_ok(pleach_graph_find_vertices(graph, n, ids, found, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(outcomes[i], found[i] ? PLEACH_EDGE_NEW : PLEACH_EDGE_NOT_APPLIED);
        there += found[i];
    }
    assert_true((there == n) == (status == PLEACH_OK));
    assert_graph_size(graph, there, 0);
    assert_sound(graph);
    graph_checked(2 * n);
    return there;
}

/* Limits one slab after the other, so that what is lacking is a segment, its names, the dictionary's next buckets or
 * its next slab. What fits once fits again with other ids. */
static void memory_that_ends_anywhere(const graph_kind *kind)
{
    enum { N = 20000, SLAB_SIZE = 128 };
    const size_t limits = kind->device == PLEACH_CPU ? scaled(40) : 1;
    FREED uint32_t *ids = must_alloc(N, sizeof *ids);
    FREED uint8_t *outcomes = untouched_bytes(N), *found = untouched_bytes(N);
    for (size_t i = 0; i < limits; i++) {
        AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES + i * 37 * SLAB_SIZE);
        fill_scattered(ids, N, 1);
        size_t once = put_what_fits(graph, ids, N, outcomes, found);
        assert_in_range(once, kind->device == PLEACH_CPU ? 4096 : 3500, N - 1); /* a GPU's threads race for the last */
        assert_ok(pleach_graph_erase_vertices(graph, N, ids, NULL));
        assert_graph_size(graph, 0, 0);
        fill_scattered(ids, N, 1 + N);
        size_t again = put_what_fits(graph, ids, N, outcomes, found);
        assert_true(again >= once - once / 8);
    }
}

/* Edges whose second end finds no memory may leave a number to the first one. Whoever tries and tries must not use up
 * all numbers by that: there is room again when something goes. */
static void who_is_refused_leaves_nothing(const graph_kind *kind)
{
    enum { N = 30000, TRIES = 3 };
    FREED uint32_t *from = must_alloc(N, sizeof *from), *to = must_alloc(N, sizeof *to);
    FREED uint8_t *outcomes = untouched_bytes(N);
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES);
    uint64_t vertices = 0, edges = 0, news = 0;
    for (uint32_t try = 0; try < TRIES; try++) {
        fill_scattered(from, N, 1 + 2 * try * N);
        fill_scattered(to, N, 1 + (2 * try + 1) * N);
        assert_int_equal(pleach_graph_insert_edges(graph, N, from, to, values_or_null(kind, to), outcomes, PLEACH_SYNC),
                         PLEACH_E_FULL);
        for (size_t i = 0; i < N; i++)
            news += outcomes[i] == PLEACH_EDGE_NEW;
        assert_ok(pleach_graph_size(graph, &vertices, &edges));
        assert_int_equal(edges, news);
        assert_sound(graph);
        graph_checked(N);
    }
    FREED uint32_t *all = must_alloc(vertices, sizeof *all);
    uint64_t listed = 0;
    assert_ok(pleach_graph_export_vertices(graph, vertices, all, &listed));
    assert_int_equal(listed, vertices);
    assert_ok(pleach_graph_erase_vertices(graph, listed, all, NULL));
    assert_graph_size(graph, 0, 0);
    assert_sound(graph);
    assert_ok(pleach_graph_insert_vertices(graph, 4000, from, NULL, PLEACH_SYNC));
    assert_graph_size(graph, 4000, 0);
}

static const graph_case cases[] = {
    SPARSE_CASE(a_million_ids_anywhere),
    SPARSE_CASE(finds_make_nothing),
    SPARSE_CASE(the_largest_ids),
    SPARSE_CASE(new_ids_beside_sparse_ones),
    SPARSE_CASE(ids_that_come_and_go),
    SPARSE_CASE(threads_bring_the_same_ids),
    SPARSE_CASE(memory_that_ends_anywhere),
    SPARSE_CASE(who_is_refused_leaves_nothing),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_sparse", argc, argv, cases, COUNT_OF(cases));
}
