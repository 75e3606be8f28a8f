/* test_graph_graphblas.c - triangles and degrees against SuiteSparse:GraphBLAS, where it was found when this was
 * configured: with L the lower triangle of the adjacency matrix, the sum of C<L> = L * L (plus, pair). Without it there
 * is nothing to compare with, which the one case that is left says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

#ifdef PLEACH_TEST_GRAPHBLAS
#include <GraphBLAS.h>

/* ---- edges ------------------------------------------------------------------------------------------------------- */

typedef struct edge_list {
    size_t n;
    uint32_t vertices;
    uint32_t *from, *to;
} edge_list;

static edge_list open_list(uint32_t vertices, size_t n)
{
    return (edge_list){n, vertices, must_alloc(n, sizeof(uint32_t)), must_alloc(n, sizeof(uint32_t))};
}

static void close_list(edge_list *list)
{
    free(list->from);
    free(list->to);
}

static edge_list uniform_edges(uint32_t vertices, size_t n, rng *r)
{
    edge_list list = open_list(vertices, n);
    for (size_t i = 0; i < n; i++) {
        list.from[i] = (uint32_t)rng_below(r, vertices);
        list.to[i] = (uint32_t)rng_below(r, vertices);
    }
    return list;
}

/* A quarter of the matrix is chosen at every level, the first one with a chance of 57 in 100: few vertices get most of
 * the edges, and many triangles. */
static edge_list skewed_edges(unsigned levels, size_t n, rng *r)
{
    edge_list list = open_list((uint32_t)1 << levels, n);
    for (size_t i = 0; i < n; i++)
        for (unsigned level = 0; level < levels; level++) {
            uint64_t dice = rng_below(r, 100);
            list.from[i] = 2 * list.from[i] + (dice >= 76);
            list.to[i] = 2 * list.to[i] + ((dice >= 57 && dice < 76) || dice >= 95);
        }
    return list;
}

/* ---- what GraphBLAS says ----------------------------------------------------------------------------------------- */

/* A matrix of ones, both ways or only below the diagonal; loops left out, duplicates once. */
static GrB_Matrix matrix_of(const edge_list *list, bool lower)
{
    GrB_Index *rows = must_alloc(2 * list->n, sizeof *rows), *columns = must_alloc(2 * list->n, sizeof *columns);
    FREED uint64_t *ones = must_alloc(2 * list->n, sizeof *ones);
    GrB_Index n = 0;
    for (size_t i = 0; i < list->n; i++)
        for (unsigned turned = 0; turned < 2; turned++) {
            uint32_t row = turned ? list->to[i] : list->from[i], column = turned ? list->from[i] : list->to[i];
            if (row == column || (lower && column > row))
                continue;
            rows[n] = row;
            columns[n] = column;
            ones[n++] = 1;
        }
    GrB_Matrix matrix = NULL;
    assert_int_equal(GrB_Matrix_new(&matrix, GrB_UINT64, list->vertices, list->vertices), GrB_SUCCESS);
    assert_int_equal(GrB_Matrix_build_UINT64(matrix, rows, columns, ones, n, GrB_FIRST_UINT64), GrB_SUCCESS);
    free(rows);
    free(columns);
    return matrix;
}

static uint64_t expected_triangles(const edge_list *list)
{
    GrB_Matrix lower = matrix_of(list, true), product = NULL;
    uint64_t triangles = 0;
    assert_int_equal(GrB_Matrix_new(&product, GrB_UINT64, list->vertices, list->vertices), GrB_SUCCESS);
    assert_int_equal(GrB_mxm(product, lower, NULL, GxB_PLUS_PAIR_UINT64, lower, lower, GrB_DESC_S), GrB_SUCCESS);
    assert_int_equal(GrB_Matrix_reduce_UINT64(&triangles, NULL, GrB_PLUS_MONOID_UINT64, product, NULL), GrB_SUCCESS);
    GrB_Matrix_free(&lower);
    GrB_Matrix_free(&product);
    return triangles;
}

static void assert_degrees(pleach_graph *graph, const edge_list *list)
{
    GrB_Matrix matrix = matrix_of(list, false);
    GrB_Vector sums = NULL;
    assert_int_equal(GrB_Vector_new(&sums, GrB_UINT64, list->vertices), GrB_SUCCESS);
    assert_int_equal(GrB_Matrix_reduce_Monoid(sums, NULL, NULL, GrB_PLUS_MONOID_UINT64, matrix, NULL), GrB_SUCCESS);
    for (uint32_t i = 0; i < list->vertices; i++) {
        uint64_t degree = 0; /* stays so where the vector has no entry */
        GrB_Info info = GrB_Vector_extractElement_UINT64(&degree, sums, i);
        assert_true(info == GrB_SUCCESS || info == GrB_NO_VALUE);
        assert_int_equal(degree_of_vertex(graph, i), degree);
    }
    GrB_Matrix_free(&matrix);
    GrB_Vector_free(&sums);
    graph_checked(list->vertices);
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static void assert_same_answers(const graph_kind *kind, edge_list list)
{
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    uint64_t expected = expected_triangles(&list), total = 0, change = 0;
    const uint32_t *values = values_or_null(kind, list.to);
    assert_ok(pleach_graph_build(graph, list.n, list.from, list.to, values));
    assert_ok(pleach_graph_triangles(graph, 0, NULL, &total));
    assert_int_equal(total, expected);
    assert_degrees(graph, &list);
    size_t half = list.n / 2; /* goes and comes back */
    edge_list first = {half, list.vertices, list.from + half, list.to + half};
    assert_ok(pleach_graph_clear(graph));
    assert_ok(pleach_graph_insert_counting(graph, half, first.from, first.to, values, NULL, 0, NULL, &change));
    assert_int_equal(change, expected_triangles(&first));
    assert_ok(pleach_graph_insert_counting(graph, list.n, list.from, list.to, values, NULL, 0, NULL, &total));
    assert_int_equal(change + total, expected);
    graph_checked(2 * list.n + half);
    close_list(&list);
}

static void uniform_graphs(const graph_kind *kind)
{
    rng r = rng_for(test_seed(), 31);
    for (size_t n = 100; n <= shrunk(10000, 1000); n *= 10) {
        assert_same_answers(kind, uniform_edges(1000, 3 * n, &r));
        assert_same_answers(kind, uniform_edges(100, n, &r));
    }
}

static void skewed_graphs(const graph_kind *kind)
{
    rng r = rng_for(test_seed(), 32);
    assert_same_answers(kind, skewed_edges(8, 3000, &r));
    assert_same_answers(kind, skewed_edges(12, shrunk(30000, 5000), &r));
}

static const graph_case cases[] = {
    UNDIRECTED_CASE(uniform_graphs),
    UNDIRECTED_CASE(skewed_graphs),
};

int main(int argc, char **argv)
{
    if (GrB_init(GrB_NONBLOCKING) != GrB_SUCCESS)
        return 2;
    int status = run_graph_cases("test_graph_graphblas", argc, argv, cases, COUNT_OF(cases));
    GrB_finalize();
    return status;
}

#else

/* Left out, and said so; that a triangle is one keeps this from passing without having looked at anything. */
static void graphblas_is_not_here(const graph_kind *kind)
{
    pleach_graph *graph = graph_open(kind);
    uint64_t total = 0;
    for (uint32_t i = 0; i < 3; i++)
        put_edge(graph, kind, i, (i + 1) % 3, 1);
    assert_ok(pleach_graph_triangles(graph, 0, NULL, &total));
    assert_int_equal(total, 1);
    graph_checked(4);
    graph_close(graph);
    printf("test_graph_graphblas: comparison left out: no GraphBLAS was found when this was configured\n");
}

static const graph_case cases[] = {ONE_CASE(graphblas_is_not_here)};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_graphblas", argc, argv, cases, COUNT_OF(cases));
}

#endif
