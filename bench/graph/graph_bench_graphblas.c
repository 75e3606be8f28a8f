/* graph_bench_graphblas.c - triangles as SuiteSparse:GraphBLAS counts them. Nothing unless it was found when this
 * command was configured (PLEACH_HAVE_GRAPHBLAS). */
#define _DEFAULT_SOURCE 1
#include "graph_bench.h"

#ifdef PLEACH_HAVE_GRAPHBLAS

#include <GraphBLAS.h>
#include <stdlib.h>

#include "tools/common/clock.h"
#include "tools/edges/edge_sort.h"

bool graphblas_start(unsigned threads)
{
    return GrB_init(GrB_NONBLOCKING) == GrB_SUCCESS && GxB_Global_Option_set(GxB_NTHREADS, (int)threads) == GrB_SUCCESS;
}

void graphblas_finish(void) { GrB_finalize(); }

/* By degree, the highest first: then the rows of L have no more entries than the root of twice the edges. */
static bool rank_by_degree(const struct edge_array *once, uint64_t vertices, uint32_t *ranks)
{
    uint64_t *const words = calloc(2 * vertices + 1, sizeof words[0]);
    if (words == NULL) return false;
    for (uint64_t i = 0; i < vertices; i++) words[i] = edge_pack(UINT32_MAX, (uint32_t)i);
    for (size_t i = 0; i < once->count; i++) {
        words[once->from[i]] -= edge_pack(1, 0);
        words[once->to[i]] -= edge_pack(1, 0);
    }
    edge_sort_words(words, words + vertices, vertices);
    for (uint64_t i = 0; i < vertices; i++) ranks[(uint32_t)words[i]] = (uint32_t)i;
    free(words);
    return true;
}

/* L: an entry for each edge, in the row of the later end. */
static bool build_lower(const struct edge_array *once, uint64_t vertices, const uint32_t *ranks, GrB_Index *rows,
                        GrB_Index *columns, GrB_Matrix *lower)
{
    GrB_Scalar one = NULL;
    for (size_t i = 0; i < once->count; i++) {
        const uint32_t from = ranks[once->from[i]], to = ranks[once->to[i]];
        rows[i] = from < to ? to : from;
        columns[i] = from < to ? from : to;
    }
    const bool good = GrB_Scalar_new(&one, GrB_BOOL) == GrB_SUCCESS &&
                      GrB_Scalar_setElement_BOOL(one, true) == GrB_SUCCESS &&
                      GrB_Matrix_new(lower, GrB_BOOL, vertices, vertices) == GrB_SUCCESS &&
                      GxB_Matrix_build_Scalar(*lower, rows, columns, one, once->count) == GrB_SUCCESS &&
                      GrB_Matrix_wait(*lower, GrB_MATERIALIZE) == GrB_SUCCESS;
    GrB_Scalar_free(&one);
    return good;
}

static bool multiply(GrB_Matrix lower, uint64_t vertices, uint64_t *triangles)
{
    GrB_Matrix closed = NULL;
    int64_t sum = 0;
    const bool good =
        GrB_Matrix_new(&closed, GrB_INT64, vertices, vertices) == GrB_SUCCESS &&
        GrB_mxm(closed, lower, NULL, GxB_PLUS_PAIR_INT64, lower, lower, GrB_DESC_S) == GrB_SUCCESS &&
        GrB_Matrix_reduce_INT64(&sum, NULL, GrB_PLUS_MONOID_INT64, closed, NULL) == GrB_SUCCESS;
    GrB_Matrix_free(&closed);
    *triangles = (uint64_t)sum;
    return good;
}

bool graphblas_triangles(const struct edge_array *once, uint64_t vertices, struct graphblas_count *count)
{
    GrB_Matrix lower = NULL;
    const double start = clock_seconds();
    uint32_t *const ranks = malloc((vertices + 1) * sizeof ranks[0]);
    GrB_Index *const rows = malloc((once->count + 1) * sizeof rows[0]);
    GrB_Index *const columns = malloc((once->count + 1) * sizeof columns[0]);
    bool good = ranks != NULL && rows != NULL && columns != NULL && rank_by_degree(once, vertices, ranks) &&
                build_lower(once, vertices, ranks, rows, columns, &lower);
    const double built = clock_seconds();
    good = good && multiply(lower, vertices, &count->triangles);
    count->product = clock_seconds() - built;
    count->build = built - start;
    GrB_Matrix_free(&lower);
    free(ranks);
    free(rows);
    free(columns);
    return good;
}

#endif
