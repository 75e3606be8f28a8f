/* test_graph_triangles.c - triangles: counted whole against known answers and a brute force, and kept up to date by
 * insert_counting and erase_counting against a recount. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "graph/triangles/triangles_method.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

/* ---- known answers ----------------------------------------------------------------------------------------------- */

static void put(pleach_graph *graph, const graph_kind *kind, uint32_t one, uint32_t two)
{
    put_edge(graph, kind, one, two, 1);
}

static void assert_triangles(pleach_graph *graph, uint64_t expected)
{
    uint64_t total = UINT64_MAX;
    assert_ok(pleach_graph_triangles(graph, 0, NULL, &total));
    assert_int_equal(total, expected);
    assert_sound(graph);
    graph_checked(1);
}

static uint64_t pairs_of(uint64_t n) { return n * (n - 1) / 2; }
static uint64_t triples_of(uint64_t n) { return n < 3 ? 0 : n * (n - 1) * (n - 2) / 6; }

static void put_clique(pleach_graph *graph, const graph_kind *kind, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            put(graph, kind, first + i, first + j);
}

static void complete_graphs(const graph_kind *kind)
{
    for (uint32_t n = 0; n <= 60; n += n < 6 ? 1 : 9) {
        AT_END(end_graph) pleach_graph *graph = graph_open(kind);
        uint64_t by_vertex[64], total;
        double coefficients[64], average = -1;
        put_clique(graph, kind, 0, n);
        assert_triangles(graph, triples_of(n));
        assert_ok(pleach_graph_triangles(graph, 64, by_vertex, &total));
        assert_ok(pleach_graph_clustering(graph, 64, coefficients, &average));
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(by_vertex[i], i < n && n >= 3 ? pairs_of(n - 1) : 0);
            assert_true(coefficients[i] == (i < n && n >= 3 ? 1 : 0));
        }
        assert_true(average == (n >= 3 ? 1 : 0));
    }
}

static void graphs_without_triangles(const graph_kind *kind)
{
    enum { SIDE = 40 };
    AT_END(end_graph) pleach_graph *bipartite = graph_open(kind), *grid = graph_open(kind);
    AT_END(end_graph) pleach_graph *petersen = graph_open(kind);
    for (uint32_t i = 0; i < SIDE; i++)
        for (uint32_t j = 0; j < SIDE; j++) {
            put(bipartite, kind, i, SIDE + j);
            if (i + 1 < SIDE)
                put(grid, kind, i * SIDE + j, (i + 1) * SIDE + j);
            if (j + 1 < SIDE)
                put(grid, kind, i * SIDE + j, i * SIDE + j + 1);
        }
    for (uint32_t i = 0; i < 5; i++) {
        put(petersen, kind, i, (i + 1) % 5);
        put(petersen, kind, i, i + 5);
        put(petersen, kind, i + 5, (i + 2) % 5 + 5);
    }
    assert_graph_size(petersen, 10, 15);
    assert_triangles(bipartite, 0);
    assert_triangles(grid, 0);
    assert_triangles(petersen, 0);
}

/* A hub and a ring around it: as many triangles as the ring has vertices. */
static void wheels(const graph_kind *kind)
{
    for (uint32_t n = 4; n <= 2000; n = n * 5 + 1) {
        AT_END(end_graph) pleach_graph *graph = graph_open(kind);
        for (uint32_t i = 0; i < n; i++) {
            put(graph, kind, 1 + i, 1 + (i + 1) % n);
            put(graph, kind, 0, 1 + i);
        }
        FREED uint64_t *by_vertex = must_alloc(n + 1, sizeof *by_vertex);
        uint64_t total;
        assert_triangles(graph, n);
        assert_ok(pleach_graph_triangles(graph, n + 1, by_vertex, &total));
        assert_int_equal(by_vertex[0], n);
        for (uint32_t i = 1; i <= n; i++)
            assert_int_equal(by_vertex[i], 2);
    }
}

/* Turan: n vertices in r classes, an edge between each two of different classes. */
static void turan_graphs(const graph_kind *kind)
{
    for (uint32_t r = 2; r <= 6; r++) {
        enum { N = 36 };
        AT_END(end_graph) pleach_graph *graph = graph_open(kind);
        uint64_t expected = 0;
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = 0; j < i; j++)
                if (i % r != j % r)
                    put(graph, kind, i, j);
        for (uint32_t a = 0; a < r; a++)
            for (uint32_t b = 0; b < a; b++)
                for (uint32_t c = 0; c < b; c++)
                    expected += (uint64_t)((N - a + r - 1) / r) * ((N - b + r - 1) / r) * ((N - c + r - 1) / r);
        assert_triangles(graph, expected);
    }
}

static void two_cliques_that_share_an_edge(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    uint64_t by_vertex[28], total, change = 0;
    const uint32_t one = 10, two = 11;
    put_clique(graph, kind, 0, 12);
    put_clique(graph, kind, 10, 18);
    assert_triangles(graph, triples_of(12) + triples_of(18));
    assert_ok(pleach_graph_triangles(graph, 28, by_vertex, &total));
    assert_int_equal(by_vertex[10], pairs_of(11) + pairs_of(17));
    assert_int_equal(by_vertex[27], pairs_of(17));
    assert_ok(pleach_graph_erase_counting(graph, 1, &one, &two, NULL, 28, by_vertex, &change));
    assert_int_equal(change, 10 + 16);
    assert_int_equal(by_vertex[10], pairs_of(11) + pairs_of(17) - 26);
    assert_int_equal(by_vertex[0], pairs_of(11) - 1);
    assert_triangles(graph, triples_of(12) + triples_of(18) - 26);
}

static void a_larger_id_does_not_fit(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    uint64_t by_vertex[10], total = 0;
    put_clique(graph, kind, 7, 3);
    memset(by_vertex, UNTOUCHED, sizeof by_vertex);
    assert_int_equal(pleach_graph_triangles(graph, 9, by_vertex, &total), PLEACH_E_SPACE);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(by_vertex[i], 0xa5a5a5a5a5a5a5a5u);
    assert_ok(pleach_graph_triangles(graph, 10, by_vertex, &total));
    assert_true(total == 1 && by_vertex[9] == 1 && by_vertex[0] == 0);
    graph_checked(2);
}

static long most_kilobytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* Arrays by id would be of 34 GB; and half a gigabyte is more than a few vertices anywhere need. */
static void few_and_large_ids(const graph_kind *kind)
{
    const pleach_adjacency adjacencies[] = {PLEACH_ADJACENCY_HASH, PLEACH_ADJACENCY_ORDERED};
    for (size_t i = 0; i < COUNT_OF(adjacencies); i++) {
        pleach_graph_config config = graph_config_of(kind);
        config.max_bytes = (uint64_t)64 << 20;
        config.adjacency = adjacencies[i];
        pleach_graph *graph;
        assert_ok(pleach_graph_create(&graph, &config));
        put_clique(graph, kind, 0, 5);
        put_clique(graph, kind, 1u << 31, 6);
        put_clique(graph, kind, PLEACH_NO_VERTEX - 40, 40);
        put(graph, kind, 3, PLEACH_NO_VERTEX - 1);
        put(graph, kind, 4, PLEACH_NO_VERTEX - 1);
        long before = most_kilobytes();
        assert_triangles(graph, triples_of(5) + triples_of(6) + triples_of(40) + 1);
        double coefficients[5], average = 0, last = (pairs_of(39) + 1.0) / (double)pairs_of(41);
        assert_ok(pleach_graph_clustering(graph, 5, coefficients, &average));
        for (size_t k = 0; k < 5; k++)
            assert_true(fabs(coefficients[k] - (k < 3 ? 1 : 0.7)) < 1e-12);
        assert_true(fabs(average - (3 + 2 * 0.7 + 6 + 39 + last) / 51) < 1e-12);
        assert_ok(pleach_graph_clustering(graph, 0, NULL, NULL));
        assert_true(most_kilobytes() - before < 512 * 1024);
        graph_close(graph);
    }
}

/* ---- against the brute force ------------------------------------------------------------------------------------- */

static void assert_as_brute_force(pleach_graph *graph, const graph_matrix *m, const uint64_t *kept, uint64_t sum)
{
    FREED uint64_t *expected = must_alloc(m->n, 8), *by_vertex = must_alloc(m->ids[m->n - 1] + 1, 8);
    uint64_t total = 0;
    FREED double *coefficients = must_alloc(m->n, sizeof *coefficients);
    double average = 0, sum_of_all = 0;
    uint64_t triangles = matrix_triangles(m, expected);
    assert_ok(pleach_graph_triangles(graph, m->ids[m->n - 1] + 1, by_vertex, &total));
    assert_int_equal(total, triangles);
    assert_ok(pleach_graph_clustering(graph, m->n, coefficients, &average));
    if (kept)
        assert_int_equal(sum, triangles);
    for (uint32_t i = 0; i < m->n; i++) {
        assert_int_equal(m->ids[i], i); /* coefficients are by id */
        assert_int_equal(by_vertex[i], expected[i]);
        if (kept)
            assert_int_equal(kept[i], expected[i]);
        double degree = matrix_degree(m, i);
        double coefficient = degree < 2 ? 0 : 2 * (double)expected[i] / (degree * (degree - 1));
        assert_true(fabs(coefficient - coefficients[i]) < 1e-12);
        sum_of_all += coefficient;
    }
    assert_true(fabs(average - (m->vertices ? sum_of_all / (double)m->vertices : 0)) < 1e-9);
    graph_checked(2 * (size_t)m->n);
}

enum { MOST_VERTICES = 90, MOST_EDGES = 900 };

static void random_graphs(const graph_kind *kind)
{
    uint32_t ids[MOST_VERTICES];
    rng r = rng_for(test_seed(), 5);
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(MOST_EDGES);
    for (uint32_t i = 0; i < MOST_VERTICES; i++)
        ids[i] = i;
    for (size_t round = 0; round < scaled(60); round++) {
        uint32_t n = 2 + (uint32_t)rng_below(&r, MOST_VERTICES - 2);
        AT_END(matrix_close) graph_matrix m = matrix_open(kind, n, ids);
        AT_END(end_graph) pleach_graph *graph = graph_open(kind);
        edge_batch_fill(&b, 1 + rng_below(&r, MOST_EDGES), &m, 0, &r);
        assert_ok(pleach_graph_build(graph, b.n, b.from, b.to, values_or_null(kind, b.values)));
        for (size_t i = 0; i < b.n; i++)
            matrix_put(&m, b.from_place[i], b.to_place[i], 0);
        assert_as_brute_force(graph, &m, NULL, 0);
    }
}

/* ---- kept up to date --------------------------------------------------------------------------------------------- */

/* Edges come and go in calls of all sizes, so that two or three of a triangle often come, or go, together. */
static void keep_up(const graph_kind *kind, uint32_t n, size_t most_in_call, size_t calls)
{
    FREED uint32_t *ids = must_alloc(n, sizeof *ids);
    for (uint32_t i = 0; i < n; i++)
        ids[i] = i;
    AT_END(matrix_close) graph_matrix m = matrix_open(kind, n, ids);
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(most_in_call);
    FREED uint64_t *kept = must_alloc(n, sizeof *kept);
    uint64_t sum = 0;
    rng r = rng_for(test_seed(), 100 + n);
    uint32_t value = 0;
    for (size_t call = 0; call < calls; call++) {
        uint64_t change = UINT64_MAX;
        bool coming = rng_percent(&r, call / 20 % 2 ? 35 : 65);
        edge_batch_fill(&b, rng_below(&r, most_in_call + 1), &m, value, &r);
        value += (uint32_t)b.n;
        if (coming) {
            assert_ok(pleach_graph_insert_counting(graph, b.n, b.from, b.to, values_or_null(kind, b.values), b.outcomes,
                                                   n, kept, &change));
            matrix_follow_insert(&m, graph, &b);
        } else {
            assert_ok(pleach_graph_erase_counting(graph, b.n, b.from, b.to, b.outcomes, n, kept, &change));
            matrix_follow_erase(&m, &b);
        }
        sum = coming ? sum + change : sum - change;
        assert_int_equal(sum, matrix_triangles(&m, NULL));
        if (call % 5 == 0)
            assert_as_brute_force(graph, &m, kept, sum);
    }
    assert_as_brute_force(graph, &m, kept, sum);
    assert_same_graph(graph, &m, true);
}

static void few_vertices_kept_up_to_date(const graph_kind *kind)
{
    keep_up(kind, 7, 12, scaled_calls(kind, 600));
}

static void more_vertices_kept_up_to_date(const graph_kind *kind)
{
    keep_up(kind, 60, 400, scaled_calls(kind, 200));
}

static void single_edges_kept_up_to_date(const graph_kind *kind)
{
    keep_up(kind, 16, 1, scaled_calls(kind, 1000));
}

/* Triangles whole, in one call: each is counted once, whichever of its edges are new. */
static void triangles_that_come_and_go_at_once(const graph_kind *kind)
{
    const uint32_t from[] = {1, 3, 2, 2, 3}, to[] = {2, 1, 3, 1, 3}, values[] = {1, 2, 3, 4, 5};
    for (size_t there = 0; there <= 3; there++) {
        pleach_graph *graph = graph_open(kind);
        uint64_t kept[4] = {0}, change = 9;
        for (size_t i = 0; i < there; i++)
            put(graph, kind, from[i], to[i]);
        assert_ok(pleach_graph_insert_counting(graph, 5, from, to, values_or_null(kind, values), NULL, 4, kept,
                                               &change));
        assert_int_equal(change, there < 3);
        assert_true(kept[0] == 0 && kept[1] == change && kept[2] == change && kept[3] == change);
        for (size_t i = 0; i < 4; i++)
            kept[i] = 1;
        assert_ok(pleach_graph_erase_counting(graph, 5 - there, from, to, NULL, 3, kept, &change));
        assert_int_equal(change, 1);
        assert_true(kept[0] == 1 && kept[1] == 0 && kept[2] == 0);
        assert_int_equal(kept[3], 1); /* beyond the capacity */
        assert_triangles(graph, 0);
        graph_close(graph);
        graph_checked(10 - there);
    }
}

static void empty_calls_change_nothing(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t loop = 4;
    uint64_t change = 9;
    put_clique(graph, kind, 0, 5);
    assert_ok(pleach_graph_insert_counting(graph, 0, NULL, NULL, NULL, NULL, 0, NULL, &change));
    assert_int_equal(change, 0);
    change = 9;
    assert_ok(pleach_graph_erase_counting(graph, 0, NULL, NULL, NULL, 0, NULL, &change));
    assert_int_equal(change, 0);
    change = 9;
    assert_ok(pleach_graph_erase_counting(graph, 1, &loop, &loop, NULL, 0, NULL, &change));
    assert_int_equal(change, 0);
    assert_triangles(graph, 10);
}

/* What can be applied is, and counted. */
static void an_id_that_is_not_usable(const graph_kind *kind)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    const uint32_t from[] = {0, 1, PLEACH_NO_VERTEX, 2}, to[] = {1, 2, 0, 0}, values[4] = {0};
    uint64_t change = 9;
    uint8_t outcomes[4];
    assert_int_equal(pleach_graph_insert_counting(graph, 4, from, to, values_or_null(kind, values), outcomes, 0, NULL,
                                                  &change), PLEACH_E_VERTEX);
    assert_int_equal(change, 1);
    assert_true(outcomes[2] == PLEACH_EDGE_NOT_APPLIED && outcomes[3] == PLEACH_EDGE_NEW);
    assert_int_equal(pleach_graph_erase_counting(graph, 4, from, to, outcomes, 0, NULL, &change), PLEACH_E_VERTEX);
    assert_int_equal(change, 1);
    assert_true(outcomes[2] == PLEACH_EDGE_NOT_APPLIED && outcomes[3] == PLEACH_EDGE_ERASED);
    assert_triangles(graph, 0);
}

/* ---- by wedges, and by rows -------------------------------------------------------------------------------------- */

static const triangle_method ways[] = {TRIANGLES_BY_WEDGE, TRIANGLES_BY_ROW, TRIANGLES_LEAST_WORK}; /* the last is as it was */

static void each_way_keeps_up(const graph_kind *kind)
{
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        graph_cpu_force_method(ways[i]);
        keep_up(kind, 7, 12, scaled_calls(kind, 200));
        keep_up(kind, 60, 400, scaled_calls(kind, 60));
        triangles_that_come_and_go_at_once(kind);
        empty_calls_change_nothing(kind);
        an_id_that_is_not_usable(kind);
    }
}

/* Large enough for a choice by work. The same calls in each way change the same, also by vertex, of which not all are
 * charged. */
static void each_way_changes_the_same(const graph_kind *kind)
{
    enum { N = 1500, CAPACITY = 1200, CALLS = 4 };
    FREED uint32_t *ids = must_alloc(N, sizeof *ids);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i;
    graph_matrix m = matrix_open(kind, N, ids); /* for its ids */
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(40000);
    uint64_t *kept[COUNT_OF(ways)], change[COUNT_OF(ways)], total = 0;
    pleach_graph *graphs[COUNT_OF(ways)];
    rng r = rng_for(test_seed(), 77);
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        kept[i] = must_alloc(CAPACITY, sizeof *kept[i]);
        graphs[i] = graph_open(kind);
    }
    for (size_t call = 0; call < CALLS; call++) {
        edge_batch_fill(&b, call == 1 ? 300 : 40000, &m, 0, &r);
        for (size_t i = 0; i < COUNT_OF(ways); i++) {
            graph_cpu_force_method(ways[i]);
            if (call < 2)
                assert_ok(pleach_graph_insert_counting(graphs[i], b.n, b.from, b.to, values_or_null(kind, b.values),
                                                       NULL, CAPACITY, kept[i], &change[i]));
            else
                assert_ok(pleach_graph_erase_counting(graphs[i], b.n, b.from, b.to, NULL, CAPACITY, kept[i],
                                                      &change[i]));
            assert_int_equal(change[i], change[0]);
            assert_memory_equal(kept[i], kept[0], CAPACITY * sizeof *kept[i]);
        }
        total = call < 2 ? total + change[0] : total - change[0];
        assert_triangles(graphs[0], total);
        graph_checked(3 * b.n);
    }
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        free(kept[i]);
        graph_close(graphs[i]);
    }
    matrix_close(&m);
}

/* Rows are by place then; vertices beyond the capacity are not charged. */
static void few_and_large_ids_by_rows(const graph_kind *kind)
{
    const uint32_t last = PLEACH_NO_VERTEX - 1, from[] = {1, 2, last, last}, to[] = {2, last, 1, 5}, values[4] = {0};
    pleach_graph *graph = graph_open(kind);
    uint64_t kept[3] = {0}, change = 9;
    graph_cpu_force_method(TRIANGLES_BY_ROW);
    assert_ok(pleach_graph_insert_counting(graph, 4, from, to, values_or_null(kind, values), NULL, 3, kept, &change));
    assert_true(change == 1 && kept[0] == 0 && kept[1] == 1 && kept[2] == 1);
    assert_ok(pleach_graph_erase_counting(graph, 1, from, to, NULL, 3, kept, &change));
    assert_true(change == 1 && kept[0] == 0 && kept[1] == 0 && kept[2] == 0);
    graph_cpu_force_method(TRIANGLES_LEAST_WORK);
    graph_close(graph);
    graph_checked(5);
}

/* Where rows find no memory there are the wedges; and where these have none, nothing is done. */
static void rows_without_memory(const graph_kind *kind)
{
    enum { N = 40, EDGES = 300 };
    uint32_t ids[N];
    if (kind->device != PLEACH_CPU) return; /* there one way is all there is */
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i;
    AT_END(matrix_close) graph_matrix m = matrix_open(kind, N, ids);
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    uint64_t kept[N] = {0}, counted[N], sum = 0, total;
    size_t fallen_back = 0;
    rng r = rng_for(test_seed(), 78);
    graph_cpu_force_method(TRIANGLES_BY_ROW);
    for (unsigned erases = 0; erases < 2; erases++)
        for (long nth = 1, asked = 1; asked >= nth - 1; nth++) {
            uint64_t change = 9;
            edge_batch_fill(&b, EDGES, &m, 0, &r);
            base_fail_nth_allocation(nth);
            pleach_status status =
                erases ? pleach_graph_erase_counting(graph, b.n, b.from, b.to, NULL, N, kept, &change)
                       : pleach_graph_insert_counting(graph, b.n, b.from, b.to, values_or_null(kind, b.values), NULL,
                                                      N, kept, &change);
            asked = base_fail_nth_allocation(0);
            assert_true(status == PLEACH_OK || (status == PLEACH_E_MEMORY && change == 0));
            fallen_back += status == PLEACH_OK && asked >= nth;
            sum = erases ? sum - change : sum + change;
            assert_ok(pleach_graph_triangles(graph, N, counted, &total));
            assert_int_equal(total, sum);
            assert_memory_equal(counted, kept, sizeof kept);
            graph_checked(b.n);
        }
    assert_true(fallen_back >= 10);
    graph_cpu_force_method(TRIANGLES_LEAST_WORK);
}

static const graph_case cases[] = {
    UNDIRECTED_CASE(complete_graphs),
    UNDIRECTED_CASE(graphs_without_triangles),
    UNDIRECTED_CASE(wheels),
    UNDIRECTED_CASE(turan_graphs),
    UNDIRECTED_CASE(two_cliques_that_share_an_edge),
    UNDIRECTED_CASE(a_larger_id_does_not_fit),
    UNDIRECTED_CASE(few_and_large_ids),
    UNDIRECTED_CASE(random_graphs),
    UNDIRECTED_CASE(few_vertices_kept_up_to_date),
    UNDIRECTED_CASE(more_vertices_kept_up_to_date),
    UNDIRECTED_CASE(single_edges_kept_up_to_date),
    UNDIRECTED_CASE(triangles_that_come_and_go_at_once),
    UNDIRECTED_CASE(empty_calls_change_nothing),
    UNDIRECTED_CASE(an_id_that_is_not_usable),
    UNDIRECTED_CASE(each_way_keeps_up),
    UNDIRECTED_CASE(each_way_changes_the_same),
    UNDIRECTED_CASE(few_and_large_ids_by_rows),
    UNDIRECTED_CASE(rows_without_memory),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_triangles", argc, argv, cases, COUNT_OF(cases));
}
