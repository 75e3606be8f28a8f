/* test_graph_vertices.c - vertices put, made and erased, and what is done to a whole graph: build, exports, clear,
 * stats; by hand and against a model. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

static void vertices_without_edges(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t ids[] = {5, PLEACH_NO_VERTEX, 70000, 5, 0};
    uint8_t outcomes[5];
    assert_int_equal(pleach_graph_insert_vertices(graph, 5, ids, outcomes, PLEACH_SYNC), PLEACH_E_VERTEX);
    assert_int_equal(outcomes[0] + outcomes[3], PLEACH_EDGE_NEW + PLEACH_EDGE_REPLACED);
    assert_int_equal(outcomes[1], PLEACH_EDGE_NOT_APPLIED);
    assert_true(outcomes[2] == PLEACH_EDGE_NEW && outcomes[4] == PLEACH_EDGE_NEW);
    assert_graph_size(graph, 3, 0);
    assert_true(has_vertex(graph, 0) && has_vertex(graph, 5) && has_vertex(graph, 70000) && !has_vertex(graph, 1));
    assert_ok(pleach_graph_insert_vertices(graph, 1, ids, outcomes, PLEACH_SYNC));
    assert_int_equal(outcomes[0], PLEACH_EDGE_REPLACED);
    graph_checked(10);
}

static void assert_new_ids(pleach_graph *graph, size_t n, const uint32_t *expected)
{
    uint32_t ids[16];
    assert_ok(pleach_graph_new_vertices(graph, n, ids));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(ids[i], expected[i]);
        assert_true(has_vertex(graph, ids[i]));
    }
    graph_checked(n);
}

static void new_vertices_are_the_smallest_free_ids(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    put_edge(graph, kind, 1, 4, 9);
    assert_new_ids(graph, 5, (const uint32_t[]){0, 2, 3, 5, 6});
    assert_new_ids(graph, 0, NULL);
    assert_ok(pleach_graph_new_vertices(graph, 0, NULL));
    const uint32_t erased[] = {6, 1, 3};
    assert_ok(pleach_graph_erase_vertices(graph, 3, erased, NULL));
    assert_false(has_edge(graph, 1, 4) || has_edge(graph, 4, 1));
    assert_new_ids(graph, 2, (const uint32_t[]){1, 3});
    assert_int_equal(degree_of_vertex(graph, 1), 0); /* an id that comes back has nothing of its past */
    put_edge(graph, kind, 6, 7, 9);
    assert_new_ids(graph, 2, (const uint32_t[]){8, 9});
    assert_graph_size(graph, 10, 1);
    assert_ok(pleach_graph_clear(graph));
    assert_new_ids(graph, 3, (const uint32_t[]){0, 1, 2});
}

static void new_vertices_beyond_one_segment(const graph_kind *kind)
{
    enum { N = 10000 };
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    FREED uint32_t *ids = must_alloc(N, sizeof *ids);
    const uint32_t there = 5000;
    assert_ok(pleach_graph_insert_vertices(graph, 1, &there, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_new_vertices(graph, N, ids));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(ids[i], i < there ? i : i + 1);
    assert_graph_size(graph, N + 1, 0);
    graph_checked(N);
}

/* A ring with chords: who is erased is known by no neighbour any more, in neither direction. */
static void erased_vertices_take_their_edges_along(const graph_kind *kind)
{
    enum { N = 60 };
    const uint32_t erased[] = {10, 11, 30, 10, 999, PLEACH_NO_VERTEX, 59, 0};
    const uint8_t expected[] = {4, 4, 4, 5, 5, 5, 4, 4};
    uint32_t ids[N];
    uint8_t outcomes[COUNT_OF(erased)];
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i;
    AT_END(matrix_close) graph_matrix m = matrix_open(kind, N, ids);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t step = 1; step < 20; step += i % 3 + 1) {
            uint32_t to = (i + step) % N; /* 10 and 11, 59 and 0 are neighbours */
            assert_int_equal(put_edge(graph, kind, i, to, i + step), matrix_put(&m, i, to, i + step));
        }
    assert_ok(pleach_graph_erase_vertices(graph, COUNT_OF(erased), erased, outcomes));
    assert_memory_equal(outcomes, expected, sizeof expected);
    for (size_t i = 0; i < COUNT_OF(erased); i++)
        if (erased[i] < N)
            matrix_erase_vertex(&m, erased[i]);
    assert_same_graph(graph, &m, true);
    for (uint32_t i = 0; i < N; i++)
        if (i != 30)
            assert_false(has_edge(graph, i, 30) || has_edge(graph, 30, i));
    assert_int_equal(put_edge(graph, kind, 10, 30, 1), matrix_put(&m, 10, 30, 1));
    assert_same_graph(graph, &m, true);
}

/* More neighbours that go than are noted at a time. */
static void all_neighbours_of_one_vertex_go(const graph_kind *kind)
{
    enum { N = 500 };
    uint32_t ids[N];
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    for (uint32_t i = 0; i < N; i++) {
        ids[i] = 10 + i;
        put_edge(graph, kind, 5, ids[i], i);
        put_edge(graph, kind, ids[i], 6, i);
    }
    assert_ok(pleach_graph_erase_vertices(graph, N, ids, NULL));
    assert_graph_size(graph, 2, 0);
    assert_true(has_vertex(graph, 5) && has_vertex(graph, 6));
    assert_int_equal(degree_of_vertex(graph, 5) + degree_of_vertex(graph, 6), 0);
    assert_ok(pleach_graph_erase_vertices(graph, 0, NULL, NULL));
    graph_checked(3 * N);
}

static void listed_vertices_need_room(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    uint32_t ids[3] = {7, 7, 7};
    uint64_t n = 0;
    put_edge(graph, kind, PLEACH_NO_VERTEX - 1, 2, 1);
    assert_ok(pleach_graph_export_vertices(graph, 0, NULL, &n));
    assert_int_equal(n, 2);
    assert_int_equal(pleach_graph_export_vertices(graph, 1, ids, &n), PLEACH_E_SPACE);
    assert_true(n == 2 && ids[0] == 7);
    assert_ok(pleach_graph_export_vertices(graph, 2, ids, &n));
    assert_true(ids[0] == 2 && ids[1] == PLEACH_NO_VERTEX - 1 && ids[2] == 7);
    graph_checked(3);
}

/* ---- the whole graph --------------------------------------------------------------------------------------------- */

/* Random edges, with loops and duplicates; values follow from the ends, so that duplicates agree. */
static void fill_alike(edge_batch *b, size_t n, const graph_matrix *m, rng *r)
{
    edge_batch_fill(b, n, m, 0, r);
    for (size_t i = 0; i < n; i++)
        b->values[i] = m->kind->directed ? b->from[i] * 31 + b->to[i] : b->from[i] ^ b->to[i];
}

static void build_does_what_inserts_do(const graph_kind *kind)
{
    enum { N = 120, EDGES = 3000 };
    uint32_t ids[N];
    rng r = rng_for(test_seed(), 21);
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i * 67;
    AT_END(matrix_close) graph_matrix m = matrix_open(kind, N, ids);
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    for (unsigned round = 0; round < 4; round++) {
        fill_alike(&b, EDGES, &m, &r);
        assert_ok(pleach_graph_build(graph, b.n, b.from, b.to, values_or_null(kind, b.values)));
        for (size_t i = 0; i < b.n; i++)
            matrix_put(&m, b.from_place[i], b.to_place[i], b.values[i]);
        assert_same_graph(graph, &m, true);
        assert_int_equal(pleach_graph_build(graph, b.n, b.from, b.to, values_or_null(kind, b.values)),
                         PLEACH_E_NOT_EMPTY);
        assert_same_graph(graph, &m, true);
        if (round % 2)
            assert_ok(pleach_graph_clear(graph));
        else
            assert_ok(pleach_graph_erase_vertices(graph, N, ids, NULL));
        matrix_clear(&m);
        assert_same_graph(graph, &m, true);
    }
}

static void build_of_little(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t from[] = {8, PLEACH_NO_VERTEX, 8}, to[] = {8, 8, 9}, values[] = {1, 2, 3};
    assert_ok(pleach_graph_build(graph, 0, NULL, NULL, NULL));
    assert_ok(pleach_graph_build(graph, 1, from, to, values_or_null(kind, values))); /* a loop */
    assert_graph_size(graph, 0, 0);
    assert_int_equal(pleach_graph_build(graph, 3, from, to, values_or_null(kind, values)), PLEACH_E_VERTEX);
    assert_graph_size(graph, 2, 1); /* all else is there */
    assert_true(has_edge(graph, 8, 9));
    assert_ok(pleach_graph_erase_edges(graph, 1, from + 2, to + 2, NULL, PLEACH_SYNC));
    assert_int_equal(pleach_graph_build(graph, 0, NULL, NULL, NULL), PLEACH_E_NOT_EMPTY); /* vertices are enough */
    graph_checked(5);
}

static void exports_need_room(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    uint64_t offsets[8], rows, entries, edges, ends = kind->directed ? 2 : 4;
    uint32_t targets[4] = {77, 77, 77, 77}, from[2] = {77, 77}, to[2] = {77, 77};
    put_edge(graph, kind, 6, 2, 1);
    put_edge(graph, kind, 6, 4, 1);
    assert_ok(pleach_graph_export_rows(graph, 0, NULL, 0, NULL, NULL, &rows, &entries));
    assert_true(rows == 7 && entries == ends);
    assert_int_equal(pleach_graph_export_rows(graph, 6, offsets, 4, targets, NULL, &rows, &entries), PLEACH_E_SPACE);
    assert_int_equal(pleach_graph_export_rows(graph, 7, offsets, ends - 1, targets, NULL, &rows, &entries),
                     PLEACH_E_SPACE);
    assert_true(targets[0] == 77 && rows == 7 && entries == ends);
    assert_ok(pleach_graph_export_rows(graph, 7, offsets, ends, NULL, NULL, NULL, NULL)); /* offsets alone */
    assert_true(offsets[6] == ends - 2 && offsets[7] == ends && targets[0] == 77);
    assert_ok(pleach_graph_export_rows(graph, 7, offsets, ends, targets, NULL, &rows, &entries));
    assert_true(targets[ends - 2] == 2 && targets[ends - 1] == 4);
    assert_ok(pleach_graph_export_edges(graph, 0, NULL, NULL, NULL, &edges));
    assert_int_equal(edges, 2);
    assert_int_equal(pleach_graph_export_edges(graph, 1, from, to, NULL, &edges), PLEACH_E_SPACE);
    assert_true(edges == 2 && from[0] == 77 && to[0] == 77);
    assert_ok(pleach_graph_export_edges(graph, 2, from, to, NULL, &edges));
    assert_true(from[0] == (kind->directed ? 6u : 2u) && to[0] == (kind->directed ? 2u : 6u));
    graph_checked(7);
}

static void clear_empties_a_graph(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    pleach_graph_stats stats;
    for (uint32_t i = 0; i < 500; i++)
        put_edge(graph, kind, i, i + 1 + i % 7, i);
    assert_ok(pleach_graph_clear(graph));
    assert_graph_size(graph, 0, 0);
    assert_false(has_vertex(graph, 3) || has_edge(graph, 0, 1));
    assert_ok(pleach_graph_get_stats(graph, &stats));
    assert_true(stats.vertices == 0 && stats.edges == 0 && stats.slabs == 0 && stats.dictionary_bytes == 0);
    assert_int_equal(put_edge(graph, kind, 0, 1, 5), PLEACH_EDGE_NEW);
    graph_checked(503);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static void stats_add_up(const graph_kind *kind)
{
    enum { N = 300, HUB = 5000 };
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    pleach_graph_stats stats;
    for (uint32_t i = 0; i < N; i++)
        put_edge(graph, kind, 2 * i, 2 * i + 1, i);
    assert_ok(pleach_graph_get_stats(graph, &stats));
    const uint64_t tables = kind->directed ? N : 2 * N, slots = kind->values ? 14 : 28;
    assert_true(stats.vertices == 2 * N && stats.edges == N && stats.max_degree == 1);
    assert_true(stats.tables == tables && stats.single_tables == tables && stats.slabs == tables);
    assert_true(stats.overflow_slabs == 0 && stats.longest_chain == 1);
    assert_true(stats.slab_bytes == tables * 128 && stats.dictionary_bytes >= 2 * N * 32);
    assert_true(stats.utilisation > 0.99 / (double)slots && stats.utilisation < 1.01 / (double)slots);
    for (uint32_t i = 0; i < HUB; i++)
        put_edge(graph, kind, 7, 10000 + i, i);
    assert_ok(pleach_graph_get_stats(graph, &stats));
    assert_int_equal(stats.max_degree, kind->directed ? HUB : HUB + 1);
    assert_true(stats.vertices == 2 * N + HUB && stats.edges == N + HUB);
    assert_true(stats.single_tables == stats.tables - 1 && stats.longest_chain >= 1 && stats.longest_chain < 12);
    assert_in_range(stats.slabs, stats.tables + HUB / slots, stats.tables + 8 * HUB / slots);
    assert_true(stats.overflow_slabs < stats.slabs && stats.slab_bytes == stats.slabs * 128);
    double halves = (double)stats.edges * (kind->directed ? 1 : 2);
    assert_true(stats.utilisation > 0 && stats.utilisation <= 1);
    assert_true((uint64_t)(stats.utilisation * (double)(stats.slabs * slots) + 0.5) == (uint64_t)halves);
    graph_checked(N + HUB);
}

/* Slabs of one vertex with many neighbours, built at once. */
static uint64_t slabs_at_load(const graph_kind *kind, double load)
{
    enum { N = 4000 };
    pleach_graph_config config = graph_config_of(kind);
    config.threads = 1;
    config.load = load;
    AT_END(end_graph) pleach_graph *graph = NULL;
    pleach_graph_stats stats;
    uint32_t from[N], to[N];
    for (uint32_t i = 0; i < N; i++) {
        from[i] = 1;
        to[i] = 10 + i;
    }
    assert_ok(pleach_graph_create(&graph, &config));
    assert_ok(pleach_graph_build(graph, N, from, to, values_or_null(kind, to)));
    assert_ok(pleach_graph_get_stats(graph, &stats));
    graph_checked(N);
    return stats.slabs - stats.tables;
}

static void a_lower_load_takes_more_room(const graph_kind *kind)
{
    assert_true(slabs_at_load(kind, 0.1) > 3 * slabs_at_load(kind, 1));
}

static const graph_case cases[] = {
    GRAPH_CASE(vertices_without_edges),
    GRAPH_CASE(new_vertices_are_the_smallest_free_ids),
    GRAPH_CASE(new_vertices_beyond_one_segment),
    GRAPH_CASE(erased_vertices_take_their_edges_along),
    GRAPH_CASE(all_neighbours_of_one_vertex_go),
    GRAPH_CASE(listed_vertices_need_room),
    GRAPH_CASE(build_does_what_inserts_do),
    GRAPH_CASE(build_of_little),
    GRAPH_CASE(exports_need_room),
    GRAPH_CASE(clear_empties_a_graph),
    GRAPH_CASE(stats_add_up),
    GRAPH_CASE(a_lower_load_takes_more_room),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_vertices", argc, argv, cases, COUNT_OF(cases));
}
