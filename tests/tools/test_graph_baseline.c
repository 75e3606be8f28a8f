/* test_graph_baseline.c - the baselines that pleach is compared with, against brute force on small graphs. */
#include <stdio.h>
#include <stdlib.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"
#include "tools/edges/edge_make.h"
#include "tools/edges/edge_sort.h"
#include "tools/edges/edge_summary.h"
#include "bench/graph/graph_baseline.h"

static size_t graphs_counted, pairs_looked_up;

static struct edge_summary summary_of(const struct edge_list *list)
{
    struct edge_summary summary;
    assert_true(edge_summarize(list, &summary));
    return summary;
}

static struct baseline_triangles triangles_of(const struct edge_list *list, unsigned threads, uint64_t *per_vertex)
{
    struct baseline_triangles result;
    struct crew *crew = crew_create(threads);
    assert_non_null(crew);
    assert_true(baseline_count_triangles(crew, list, list->declared, per_vertex, &result));
    crew_destroy(crew);
    graphs_counted++;
    return result;
}

enum { MOST_VERTICES = 60 };

typedef bool matrix[MOST_VERTICES][MOST_VERTICES];

static void make_small(struct edge_list *list, rng *random)
{
    edge_list_start(list, false);
    list->declared = 1 + rng_below(random, MOST_VERTICES);
    const size_t count = rng_below(random, list->declared * list->declared);
    for (size_t i = 0; i < count; i++) {
        const uint32_t from = (uint32_t)rng_below(random, list->declared);
        assert_true(edge_list_append(list, from, (uint32_t)rng_below(random, list->declared), 0));
    }
}

static uint64_t count_by_force(const struct edge_list *list, uint64_t *per_vertex)
{
    matrix near = {{false}};
    uint64_t triangles = 0;
    for (size_t i = 0; i < list->count; i++) near[list->from[i]][list->to[i]] = near[list->to[i]][list->from[i]] = true;
    for (size_t a = 0; a < list->declared; a++)
        for (size_t b = a + 1; b < list->declared; b++)
            for (size_t c = b + 1; c < list->declared; c++)
                if (near[a][b] && near[b][c] && near[a][c])
                    triangles++, per_vertex[a]++, per_vertex[b]++, per_vertex[c]++;
    return triangles;
}

static void test_triangles(void)
{
    for (size_t round = 0; round < scaled(600); round++) {
        rng random = rng_for(test_seed(), round);
        struct edge_list list;
        uint64_t want[MOST_VERTICES] = {0}, got[MOST_VERTICES] = {0};
        make_small(&list, &random);
        const uint64_t triangles = count_by_force(&list, want);
        const struct baseline_triangles result = triangles_of(&list, 1 + (unsigned)round % 4, got);
        assert_int_equal(result.triangles, triangles);
        assert_int_equal(result.edges, summary_of(&list).edges);
        assert_memory_equal(got, want, sizeof got);
        edge_list_free(&list);
    }
}

/* As many threads as there are, the answer is the same. */
static void test_triangles_by_threads(void)
{
    struct edge_list list;
    assert_true(edge_make_rmat(&list, &(struct edge_rmat){.scale = 12, .edge_factor = 16, .seed = test_seed()}));
    FREED uint64_t *per_vertex = must_alloc(list.declared, sizeof per_vertex[0]);
    uint64_t sum = 0;
    const struct baseline_triangles alone = triangles_of(&list, 1, NULL);
    assert_true(alone.triangles > 10000);
    for (unsigned threads = 2; threads <= 5; threads++)
        assert_int_equal(triangles_of(&list, threads, per_vertex).triangles, alone.triangles);
    for (uint64_t i = 0; i < list.declared; i++) sum += per_vertex[i];
    assert_int_equal(sum, 3 * alone.triangles);
    assert_true(alone.rank >= 0 && alone.build >= 0 && alone.sort >= 0 && alone.count > 0);
    edge_list_free(&list);
}

static void check_vectors(const struct baseline_vectors *graph, matrix there, uint32_t vertices)
{
    uint64_t edges = 0;
    for (uint32_t u = 0; u < vertices; u++) {
        size_t count, expected = 0;
        const uint32_t *ids = baseline_vectors_neighbours(graph, u, &count);
        for (uint32_t v = 0; v < vertices; v++) {
            assert_int_equal(baseline_vectors_has(graph, u, v), there[u][v]);
            if (there[u][v]) assert_true(expected < count && ids[expected++] == v);
            pairs_looked_up++;
        }
        assert_int_equal(count, expected);
        edges += count;
    }
    assert_int_equal(baseline_vectors_edges(graph), edges);
}

static void test_vectors(void)
{
    for (size_t round = 0; round < scaled(60); round++) {
        rng random = rng_for(test_seed(), 1000 + round);
        struct crew *crew = crew_create(1 + (unsigned)round % 4);
        assert_non_null(crew);
        struct baseline_vectors *graph = baseline_vectors_create(crew, MOST_VERTICES);
        assert_non_null(graph);
        matrix there = {{false}};
        for (unsigned batch = 0; batch < 8; batch++) {
            struct edge_list list;
            make_small(&list, &random);
            assert_true(baseline_vectors_insert(graph, list.count, list.from, list.to));
            for (size_t i = 0; i < list.count; i++) there[list.from[i]][list.to[i]] = true;
            check_vectors(graph, there, MOST_VERTICES);
            edge_list_free(&list);
        }
        baseline_vectors_destroy(graph);
        crew_destroy(crew);
    }
}

/* Long rows, in several batches: as many edges as there are different ones. */
static void test_long_vectors(void)
{
    struct edge_list list;
    assert_true(edge_make_rmat(&list, &(struct edge_rmat){.scale = 10, .edge_factor = 64, .seed = test_seed()}));
    struct crew *crew = crew_create(3);
    struct baseline_vectors *graph = baseline_vectors_create(crew, list.declared);
    assert_non_null(graph);
    for (size_t at = 0, size = 1; at < list.count; at += size, size *= 3) {
        if (size > list.count - at) size = list.count - at;
        assert_true(baseline_vectors_insert(graph, size, list.from + at, list.to + at));
    }
    for (size_t i = 0; i < list.count; i++) assert_true(baseline_vectors_has(graph, list.from[i], list.to[i]));
    FREED uint64_t *pairs = must_alloc(list.count, sizeof pairs[0]), *scratch = must_alloc(list.count, sizeof pairs[0]);
    for (size_t i = 0; i < list.count; i++) pairs[i] = edge_pack(list.from[i], list.to[i]);
    edge_sort_words(pairs, scratch, list.count);
    assert_int_equal(baseline_vectors_edges(graph), edge_unique_words(pairs, list.count));
    pairs_looked_up += list.count;
    baseline_vectors_destroy(graph);
    crew_destroy(crew);
    edge_list_free(&list);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT_NAMED("triangles against brute force", test_triangles),
        UNIT_NAMED("triangles by many threads", test_triangles_by_threads),
        UNIT_NAMED("vectors against a matrix", test_vectors),
        UNIT_NAMED("long vectors", test_long_vectors),
    };
    const int status = run_units("test_graph_baseline", argc, argv, cases, COUNT_OF(cases));
    printf("test_graph_baseline: %zu graphs counted, %zu pairs looked up\n", graphs_counted, pairs_looked_up);
    return status;
}
