/* test_graph_points.c - what single edges do, by hand: outcomes, both ends, duplicates, loops, ids that are not usable,
 * degrees and neighbours. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

#define LARGEST (PLEACH_NO_VERTEX - 1)

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static void an_empty_graph_has_nothing(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    uint64_t offsets[3] = {9, 9, 9}, rows = 9, entries = 9, edges = 9;
    const uint32_t ids[] = {0, LARGEST};
    size_t total = 9;
    assert_graph_size(graph, 0, 0);
    assert_false(has_edge(graph, 0, 1) || has_vertex(graph, 0) || has_vertex(graph, LARGEST));
    assert_int_equal(degree_of_vertex(graph, 0), 0);
    assert_int_equal(erase_edge(graph, 0, 1), PLEACH_EDGE_ABSENT);
    assert_ok(pleach_graph_neighbours(graph, 2, ids, 0, NULL, NULL, offsets, &total));
    assert_true(total == 0 && offsets[0] == 0 && offsets[1] == 0 && offsets[2] == 0);
    assert_ok(pleach_graph_export_rows(graph, 0, offsets, 0, NULL, NULL, &rows, &entries));
    assert_true(rows == 0 && entries == 0 && offsets[0] == 0);
    assert_ok(pleach_graph_export_edges(graph, 0, NULL, NULL, NULL, &edges));
    assert_int_equal(edges, 0);
    assert_ok(pleach_graph_clear(graph));
    graph_checked(8);
}

static void an_edge_brings_its_ends(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    assert_int_equal(put_edge(graph, kind, 7, 3, 50), PLEACH_EDGE_NEW);
    assert_graph_size(graph, 2, 1);
    assert_true(has_vertex(graph, 7) && has_vertex(graph, 3) && !has_vertex(graph, 5));
    assert_true(has_edge(graph, 7, 3));
    assert_int_equal(has_edge(graph, 3, 7), !kind->directed);
    assert_int_equal(degree_of_vertex(graph, 7), 1);
    assert_int_equal(degree_of_vertex(graph, 3), !kind->directed);
    assert_int_equal(erase_edge(graph, 7, 3), PLEACH_EDGE_ERASED);
    assert_int_equal(erase_edge(graph, 7, 3), PLEACH_EDGE_ABSENT);
    assert_false(has_edge(graph, 7, 3) || has_edge(graph, 3, 7));
    assert_graph_size(graph, 2, 0); /* who came with an edge stays when it goes */
    assert_true(has_vertex(graph, 7) && has_vertex(graph, 3));
    graph_checked(12);
}

static void the_other_direction_is_the_same_edge_or_another(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    assert_int_equal(put_edge(graph, kind, 1, 2, 10), PLEACH_EDGE_NEW);
    assert_int_equal(put_edge(graph, kind, 2, 1, 20), kind->directed ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED);
    assert_graph_size(graph, 2, kind->directed ? 2 : 1);
    if (kind->values) {
        assert_int_equal(value_of_edge(graph, 1, 2), kind->directed ? 10 : 20);
        assert_int_equal(value_of_edge(graph, 2, 1), 20);
    }
    assert_int_equal(erase_edge(graph, 2, 1), PLEACH_EDGE_ERASED);
    assert_int_equal(has_edge(graph, 1, 2), kind->directed);
    assert_int_equal(erase_edge(graph, 1, 2), kind->directed ? PLEACH_EDGE_ERASED : PLEACH_EDGE_ABSENT);
    graph_checked(7);
}

/* The value that was put last is there from both ends: by find and in both lists. */
static void a_value_is_replaced_at_both_ends(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t ids[] = {4, 9};
    uint32_t neighbours[2] = {0}, values[2] = {0};
    uint64_t offsets[3];
    for (uint32_t value = 100; value < 120; value++) {
        bool turned = value % 2 && !kind->directed;
        assert_int_equal(put_edge(graph, kind, turned ? 9 : 4, turned ? 4 : 9, value),
                         value == 100 ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED);
        if (kind->values)
            assert_int_equal(value_of_edge(graph, 4, 9), value);
        assert_ok(pleach_graph_neighbours(graph, 2, ids, 2, neighbours, kind->values ? values : NULL, offsets, NULL));
        assert_true(offsets[1] == 1 && neighbours[0] == 9);
        assert_int_equal(offsets[2], kind->directed ? 1 : 2);
        if (!kind->directed)
            assert_int_equal(neighbours[1], 4);
        if (kind->values)
            assert_true(values[0] == value && (kind->directed || values[1] == value));
        graph_checked(3);
    }
}

static void self_loops_are_not_kept(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    assert_int_equal(put_edge(graph, kind, 5, 5, 1), PLEACH_EDGE_LOOP);
    assert_graph_size(graph, 0, 0);
    assert_false(has_vertex(graph, 5) || has_edge(graph, 5, 5));
    assert_int_equal(erase_edge(graph, 5, 5), PLEACH_EDGE_LOOP);
    put_edge(graph, kind, 5, 6, 1);
    assert_int_equal(put_edge(graph, kind, 5, 5, 1), PLEACH_EDGE_LOOP);
    assert_int_equal(degree_of_vertex(graph, 5), 1);
    assert_false(has_edge(graph, 5, 5));
    assert_graph_size(graph, 2, 1);
    graph_checked(9);
}

/* The outermost ids that are usable, and the one that is not: all else of its call is applied. */
static void ids_of_the_full_range(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t from[] = {0, PLEACH_NO_VERTEX, LARGEST, 1u << 31, 3, PLEACH_NO_VERTEX};
    const uint32_t to[] = {LARGEST, 1, 2, 0, PLEACH_NO_VERTEX, PLEACH_NO_VERTEX}, values[] = {1, 2, 3, 4, 5, 6};
    const bool usable[] = {true, false, true, true, false, false};
    uint8_t outcomes[6], found[6];
    assert_int_equal(pleach_graph_insert_edges(graph, 6, from, to, values_or_null(kind, values), outcomes, PLEACH_SYNC),
                     PLEACH_E_VERTEX);
    assert_ok(pleach_graph_find_edges(graph, 6, from, to, NULL, found, PLEACH_SYNC));
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(outcomes[i], usable[i] ? PLEACH_EDGE_NEW : PLEACH_EDGE_NOT_APPLIED);
        assert_int_equal(found[i], usable[i]);
    }
    assert_graph_size(graph, 4, 3);
    assert_false(has_vertex(graph, PLEACH_NO_VERTEX) || has_vertex(graph, 1) || has_vertex(graph, 3));
    assert_int_equal(degree_of_vertex(graph, PLEACH_NO_VERTEX), 0);
    assert_int_equal(degree_of_vertex(graph, LARGEST), kind->directed ? 1 : 2);
    assert_int_equal(pleach_graph_erase_edges(graph, 6, from, to, outcomes, PLEACH_SYNC), PLEACH_E_VERTEX);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(outcomes[i], usable[i] ? PLEACH_EDGE_ERASED : PLEACH_EDGE_NOT_APPLIED);
    assert_graph_size(graph, 4, 0);
    graph_checked(24);
}

static void outcomes_may_be_left_out(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t from[] = {1, 2, 3}, to[] = {2, 3, 3}, values[] = {7, 8, 9};
    assert_ok(pleach_graph_insert_edges(graph, 3, from, to, values_or_null(kind, values), NULL, PLEACH_SYNC));
    assert_graph_size(graph, 3, 2);
    assert_ok(pleach_graph_find_edges(graph, 3, from, to, NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_erase_edges(graph, 3, from, to, NULL, PLEACH_SYNC));
    assert_graph_size(graph, 3, 0);
    assert_ok(pleach_graph_insert_vertices(graph, 3, from, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_insert_edges(graph, 0, NULL, NULL, NULL, NULL, PLEACH_SYNC));
    graph_checked(13);
}

/* Values of edges that are not there are not written. */
static void only_what_is_found_is_written(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t from[] = {1, 2, 8, 1}, to[] = {2, 8, 8, 2};
    uint32_t values[4] = {77, 77, 77, 77};
    uint8_t found[4];
    put_edge(graph, kind, 1, 2, 5);
    assert_ok(pleach_graph_find_edges(graph, 4, from, to, kind->values ? values : NULL, found, PLEACH_SYNC));
    assert_true(found[0] == 1 && found[1] == 0 && found[2] == 0 && found[3] == 1);
    if (kind->values)
        assert_true(values[0] == 5 && values[1] == 77 && values[2] == 77 && values[3] == 5);
    graph_checked(4);
}

/* ---- duplicates -------------------------------------------------------------------------------------------------- */

/* One edge n times, every second time from its other end if that is the same edge. */
static void equal_edges_of_one_call_are_new_once(const graph_kind *kind)
{
    enum { N = 3000 };
    FREED uint32_t *from = must_alloc(N, 4), *to = must_alloc(N, 4), *values = must_alloc(N, 4);
    FREED uint8_t *outcomes = untouched_bytes(N);
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    for (uint32_t i = 0; i < N; i++) {
        bool turned = i % 2 && !kind->directed;
        from[i] = turned ? 4 : 2;
        to[i] = turned ? 2 : 4;
        values[i] = 1000 + i;
    }
    for (unsigned round = 0; round < 2; round++) {
        size_t news = 0, erased = 0;
        assert_ok(pleach_graph_insert_edges(graph, N, from, to, values_or_null(kind, values), outcomes, PLEACH_SYNC));
        for (size_t i = 0; i < N; i++) {
            assert_true(outcomes[i] == PLEACH_EDGE_NEW || outcomes[i] == PLEACH_EDGE_REPLACED);
            news += outcomes[i] == PLEACH_EDGE_NEW;
        }
        assert_int_equal(news, 1);
        assert_graph_size(graph, 2, 1);
        if (kind->values)
            assert_in_range(value_of_edge(graph, 2, 4), 1000, 1000 + N - 1);
        assert_sound(graph); /* one value at both ends */
        assert_ok(pleach_graph_erase_edges(graph, N, from, to, outcomes, PLEACH_SYNC));
        for (size_t i = 0; i < N; i++) {
            assert_true(outcomes[i] == PLEACH_EDGE_ERASED || outcomes[i] == PLEACH_EDGE_ABSENT);
            erased += outcomes[i] == PLEACH_EDGE_ERASED;
        }
        assert_int_equal(erased, 1);
        assert_graph_size(graph, 2, 0);
        graph_checked(2 * N);
    }
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

/* A star of a size that needs several buckets, its ends put in a mixed order. */
static void fill_star(pleach_graph *graph, const graph_kind *kind, uint32_t n)
{
    FREED uint32_t *from = must_alloc(n, 4), *to = must_alloc(n, 4), *values = must_alloc(n, 4);
    for (uint32_t i = 0; i < n; i++) {
        from[i] = 500;
        to[i] = 1000 + (uint32_t)((uint64_t)i * 7919 % n) * 3;
        values[i] = to[i] + 1;
    }
    assert_ok(pleach_graph_insert_edges(graph, n, from, to, values_or_null(kind, values), NULL, PLEACH_SYNC));
}

static void neighbours_ascend_and_are_packed(const graph_kind *kind)
{
    enum { N = 1000 };
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t asked[] = {500, 999999, 1003, 500, PLEACH_NO_VERTEX};
    FREED uint32_t *neighbours = must_alloc(3 * N, 4), *values = must_alloc(3 * N, 4);
    uint64_t offsets[6];
    size_t total = 0, one = kind->directed ? 0 : 1;
    fill_star(graph, kind, N);
    assert_int_equal(degree_of_vertex(graph, 500), N);
    assert_ok(pleach_graph_neighbours(graph, 5, asked, 3 * N, neighbours, kind->values ? values : NULL, offsets,
                                      &total));
    const uint64_t expected[] = {0, N, N, N + one, 2 * N + one, 2 * N + one};
    assert_memory_equal(offsets, expected, sizeof expected);
    assert_int_equal(total, 2 * N + one);
    for (size_t copy = 0; copy < 2; copy++)
        for (uint32_t i = 0; i < N; i++) {
            size_t at = copy ? N + one + i : i;
            assert_int_equal(neighbours[at], 1000 + 3 * i);
            if (kind->values)
                assert_int_equal(values[at], neighbours[at] + 1);
        }
    if (one)
        assert_int_equal(neighbours[N], 500);
    graph_checked(N + 5);
}

static void neighbours_that_do_not_fit_are_counted(const graph_kind *kind)
{
    enum { N = 100 };
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t asked[] = {500, 1000};
    uint32_t neighbours[N + 1];
    uint64_t offsets[3] = {0};
    size_t total = 0, all = kind->directed ? N : N + 1;
    fill_star(graph, kind, N);
    memset(neighbours, UNTOUCHED, sizeof neighbours);
    assert_int_equal(pleach_graph_neighbours(graph, 2, asked, all - 1, neighbours, NULL, offsets, &total),
                     PLEACH_E_SPACE);
    assert_true(total == all && offsets[0] == 0 && offsets[1] == N && offsets[2] == all);
    for (size_t i = 0; i < COUNT_OF(neighbours); i++)
        assert_int_equal(neighbours[i], 0xa5a5a5a5u);
    assert_ok(pleach_graph_neighbours(graph, 2, asked, all, neighbours, NULL, offsets, NULL));
    assert_int_equal(neighbours[0], 1000);
    assert_ok(pleach_graph_neighbours(graph, 2, asked, 0, NULL, NULL, offsets, &total));
    assert_int_equal(total, all);
    if (kind->values) { /* values alone */
        uint32_t values[N + 1] = {0};
        assert_ok(pleach_graph_neighbours(graph, 2, asked, all, NULL, values, offsets, NULL));
        assert_int_equal(values[1], 1004);
        assert_int_equal(pleach_graph_neighbours(graph, 2, asked, all - 1, NULL, values, offsets, NULL),
                         PLEACH_E_SPACE);
    }
    assert_ok(pleach_graph_neighbours(graph, 0, NULL, 0, NULL, NULL, offsets, &total));
    assert_true(total == 0 && offsets[0] == 0);
    graph_checked(5);
}

/* More vertices than are listed at a time, and more neighbours than there is room for at first. */
static void many_lists_of_one_call(const graph_kind *kind)
{
    enum { N = 3000, DEGREE = 9 };
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    FREED uint32_t *ids = must_alloc(N, 4), *to = must_alloc(N, 4), *values = must_alloc(N, 4);
    FREED uint32_t *neighbours = must_alloc(2 * N * DEGREE, 4);
    FREED uint64_t *offsets = must_alloc(N + 1, 8);
    for (uint32_t step = 1; step <= DEGREE; step++) {
        for (uint32_t i = 0; i < N; i++) {
            ids[i] = i;
            to[i] = (i + step) % N;
        }
        assert_ok(pleach_graph_insert_edges(graph, N, ids, to, values_or_null(kind, values), NULL, PLEACH_SYNC));
    }
    size_t total = 0, each = kind->directed ? DEGREE : 2 * DEGREE;
    assert_ok(pleach_graph_neighbours(graph, N, ids, 2 * N * DEGREE, neighbours, NULL, offsets, &total));
    assert_int_equal(total, each * N);
    for (uint32_t i = 0; i < N; i++) {
        assert_int_equal(offsets[i], each * i);
        for (size_t k = 0; k < each; k++) {
            uint32_t id = neighbours[each * i + k], ahead = (id + N - i) % N;
            assert_true((ahead >= 1 && ahead <= DEGREE) || (!kind->directed && ahead >= N - DEGREE));
            assert_true(k == 0 || neighbours[each * i + k - 1] < id);
        }
    }
    graph_checked(N * DEGREE + N);
}

static const graph_case cases[] = {
    GRAPH_CASE(an_empty_graph_has_nothing),
    GRAPH_CASE(an_edge_brings_its_ends),
    GRAPH_CASE(the_other_direction_is_the_same_edge_or_another),
    GRAPH_CASE(a_value_is_replaced_at_both_ends),
    GRAPH_CASE(self_loops_are_not_kept),
    GRAPH_CASE(ids_of_the_full_range),
    GRAPH_CASE(outcomes_may_be_left_out),
    GRAPH_CASE(only_what_is_found_is_written),
    GRAPH_CASE(equal_edges_of_one_call_are_new_once),
    GRAPH_CASE(neighbours_ascend_and_are_packed),
    GRAPH_CASE(neighbours_that_do_not_fit_are_counted),
    GRAPH_CASE(many_lists_of_one_call),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_points", argc, argv, cases, COUNT_OF(cases));
}
