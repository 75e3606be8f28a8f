/* test_edge_make.c - graphs made to order: what each kind promises, and that they are the same everywhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"
#include "tools/edges/edge_make.h"
#include "tools/edges/edge_sort.h"
#include "tools/edges/edge_summary.h"
#include "bench/graph/graph_baseline.h"

static size_t edges_made;

/* Order counts: two lists with the same edges in another order differ. */
static uint64_t sum_of(const struct edge_list *list)
{
    uint64_t sum = list->count;
    for (size_t i = 0; i < list->count; i++) sum = mix64(sum + edge_pack(list->from[i], list->to[i]));
    edges_made += list->count;
    return sum;
}

static struct edge_summary summary_of(const struct edge_list *list)
{
    struct edge_summary summary;
    assert_true(edge_summarize(list, &summary));
    return summary;
}

/* What all but rmat promise: no self loop, each edge once, from the lower id. */
static struct edge_summary check_simple(const struct edge_list *list, unsigned scale)
{
    const struct edge_summary summary = summary_of(list);
    assert_true(list->undirected);
    assert_int_equal(list->declared, (uint64_t)1 << scale);
    assert_true(edge_list_id_limit(list) <= list->declared);
    assert_int_equal(summary.edges, list->count);
    for (size_t i = 0; i < list->count; i++) assert_true(list->from[i] < list->to[i]);
    return summary;
}

static double mean_degree(const struct edge_list *list) { return 2 * (double)list->count / (double)list->declared; }

static uint64_t make_and_sum(int kind, unsigned scale, uint64_t seed)
{
    struct edge_list list;
    bool good = false;
    if (kind == 0) good = edge_make_rmat(&list, &(struct edge_rmat){.scale = scale, .edge_factor = 4, .seed = seed});
    if (kind == 1)
        good = edge_make_rmat(&list, &(struct edge_rmat){.scale = scale, .edge_factor = 4, .scramble = true,
                                                         .seed = seed});
    if (kind == 2) good = edge_make_rgg(&list, &(struct edge_rgg){.scale = scale, .seed = seed});
    if (kind == 3) good = edge_make_rgg(&list, &(struct edge_rgg){.scale = scale, .degree = 5, .seed = seed});
    if (kind == 4) good = edge_make_grid(&list, &(struct edge_grid){.scale = scale, .seed = seed});
    if (kind == 5) good = edge_make_delaunay(&list, &(struct edge_delaunay){scale, seed});
    assert_true(good);
    const uint64_t sum = sum_of(&list);
    edge_list_free(&list);
    return sum;
}

/* These were made on x86-64 with gcc; any other machine must make the same. */
static const uint64_t known_sums[] = {
    0xae81af3939fc2d4e, 0xeef5fcd484d74181, 0xc998eb44ebe4c581,
    0x1ce500ee9cb978fd, 0x2e996a0ed3e521f4, 0xaf455865126deb5e,
};

static void test_same_everywhere(void)
{
    for (int kind = 0; kind < (int)COUNT_OF(known_sums); kind++) {
        const uint64_t sum = make_and_sum(kind, 11, 5);
        if (sum != known_sums[kind]) fail_msg("kind %d has the sum 0x%llx", kind, (unsigned long long)sum);
        assert_int_equal(make_and_sum(kind, 11, 5), sum);
        assert_int_not_equal(make_and_sum(kind, 11, 6), sum);
    }
}

static uint64_t *degrees_of(const struct edge_list *list)
{
    uint64_t *degrees = must_alloc(2 * list->declared, sizeof degrees[0]);
    for (size_t i = 0; i < list->count; i++) {
        degrees[list->from[i]]++;
        degrees[list->to[i]]++;
    }
    return degrees;
}

static void test_rmat(void)
{
    enum { SCALE = 13, FACTOR = 16, HALF = 1 << (SCALE - 1) };
    struct edge_list list, scrambled;
    double quarters[4] = {0};
    struct edge_rmat what = {.scale = SCALE, .edge_factor = FACTOR, .seed = test_seed()};
    assert_true(edge_make_rmat(&list, &what));
    assert_int_equal(list.count, FACTOR << SCALE);
    assert_false(list.undirected);
    assert_true(edge_list_id_limit(&list) <= list.declared && list.declared == 1 << SCALE);
    for (size_t i = 0; i < list.count; i++)
        quarters[2 * (list.from[i] >= HALF) + (list.to[i] >= HALF)] += 1.0 / (double)list.count;
    const double chances[] = {0.57, 0.19, 0.19, 0.05};
    for (int i = 0; i < 4; i++) assert_true(quarters[i] > chances[i] - 0.01 && quarters[i] < chances[i] + 0.01);

    what.scramble = true;
    assert_true(edge_make_rmat(&scrambled, &what));
    FREED uint64_t *before = degrees_of(&list), *after = degrees_of(&scrambled);
    const size_t vertices = (size_t)list.declared;
    assert_int_not_equal(memcmp(before, after, vertices * sizeof before[0]), 0);
    edge_sort_words(before, before + vertices, vertices);
    edge_sort_words(after, after + vertices, vertices);
    assert_memory_equal(before, after, vertices * sizeof before[0]);
    edges_made += list.count + scrambled.count;
    edge_list_free(&list);
    edge_list_free(&scrambled);
}

static uint64_t triangles_of(const struct edge_list *list)
{
    struct baseline_triangles result;
    struct crew *crew = crew_create(2);
    assert_non_null(crew);
    assert_true(baseline_count_triangles(crew, list, list->declared, NULL, &result));
    crew_destroy(crew);
    return result.triangles;
}

/* In the plane two neighbours of a point are neighbours with the chance 1 - 3 sqrt(3) / (4 pi) = 0.587; a little more
 * at the border. */
static void check_clustering(const struct edge_list *list)
{
    const double triangles = (double)triangles_of(list);
    FREED uint64_t *degrees = degrees_of(list);
    double wedges = 0;
    for (uint64_t i = 0; i < list->declared; i++) wedges += (double)degrees[i] * ((double)degrees[i] - 1) / 2;
    if (!(3 * triangles > 0.575 * wedges && 3 * triangles < 0.61 * wedges))
        fail_msg("%.0f triangles of %.0f wedges", triangles, wedges);
}

static void test_rgg(void)
{
    for (int asked = 0; asked <= 30; asked += 10) {
        struct edge_list list;
        assert_true(edge_make_rgg(&list, &(struct edge_rgg){.scale = 14, .degree = asked, .seed = test_seed()}));
        check_simple(&list, 14);
        const double expected = asked > 0 ? asked : 0.3025 * 3.14159 * 14 * 0.693147;
        const double mean = mean_degree(&list);
        if (!(mean > 0.93 * expected && mean < expected)) fail_msg("%.3f neighbours, not %.3f", mean, expected);
        check_clustering(&list);
        edges_made += list.count;
        edge_list_free(&list);
    }
    struct edge_list tiny; /* everything is near */
    assert_true(edge_make_rgg(&tiny, &(struct edge_rgg){.scale = 3, .degree = 1000, .seed = 1}));
    assert_true(tiny.count > 20 && tiny.count <= 28);
    edge_list_free(&tiny);
}

static uint32_t root_of(uint32_t *parents, uint32_t vertex)
{
    while (parents[vertex] != vertex) vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

static void check_connected(const struct edge_list *list)
{
    FREED uint32_t *parents = must_alloc(list->declared, sizeof parents[0]);
    uint64_t parts = list->declared;
    for (uint32_t i = 0; i < list->declared; i++) parents[i] = i;
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t a = root_of(parents, list->from[i]), b = root_of(parents, list->to[i]);
        parts -= a != b;
        parents[a] = b;
    }
    assert_int_equal(parts, 1);
}

static void test_grid(void)
{
    for (unsigned scale = 2; scale <= 15; scale++) {
        for (double degree = 2.0; degree < 4.1; degree += 0.4) {
            struct edge_list list;
            assert_true(edge_make_grid(&list, &(struct edge_grid){scale, degree, test_seed()}));
            const struct edge_summary summary = check_simple(&list, scale);
            assert_true(summary.max_degree <= 8);
            check_connected(&list);
            const double mean = mean_degree(&list);
            if (scale > 12 && !(mean > 0.98 * degree && mean < 1.02 * degree)) fail_msg("%.3f, not %.1f", mean, degree);
            edges_made += list.count;
            edge_list_free(&list);
        }
    }
}

static void test_delaunay(void)
{
    for (unsigned scale = 2; scale <= 14; scale++) {
        struct edge_list list;
        assert_true(edge_make_delaunay(&list, &(struct edge_delaunay){scale, test_seed()}));
        const uint64_t rows = 1u << scale / 2, columns = 1u << (scale + 1) / 2, cells = (rows - 1) * (columns - 1);
        const struct edge_summary summary = check_simple(&list, scale);
        assert_int_equal(summary.edges, rows * (columns - 1) + columns * (rows - 1) + cells);
        assert_true(summary.max_degree <= 8 && summary.vertices == list.declared);
        assert_true(triangles_of(&list) >= 2 * cells);
        uint64_t falling = 0;
        for (size_t i = 0; i < list.count; i++) falling += list.to[i] - list.from[i] == columns + 1;
        if (scale > 10) assert_true(falling > cells * 4 / 10 && falling < cells * 6 / 10);
        edges_made += list.count;
        edge_list_free(&list);
    }
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT_NAMED("graphs are the same everywhere", test_same_everywhere),
        UNIT_NAMED("rmat", test_rmat),
        UNIT_NAMED("rgg", test_rgg),
        UNIT_NAMED("grid", test_grid),
        UNIT_NAMED("delaunay", test_delaunay),
    };
    const int status = run_units("test_edge_make", argc, argv, cases, COUNT_OF(cases));
    printf("test_edge_make: %zu edges made\n", edges_made);
    return status;
}
