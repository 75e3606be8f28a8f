/* test_edge_graphs.c - made graphs, the baselines that pleach is compared with, and pleach graph info and gen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/buffers.h"
#include "support/edges/edge_files.h"
#include "support/harness.h"
#include "support/random.h"
#include "support/units.h"
#include "tools/edge_make.h"
#include "tools/edge_sort.h"
#include "tools/edge_summary.h"
#include "tools/graph.h"
#include "tools/graph_baseline.h"

static size_t edges_made, graphs_counted, pairs_looked_up;

/* ---- made graphs ---- */

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

static void test_same_everywhere(const void *argument)
{
    (void)argument;
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

static void test_rmat(const void *argument)
{
    (void)argument;
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
    uint64_t *before = degrees_of(&list), *after = degrees_of(&scrambled);
    const size_t vertices = (size_t)list.declared;
    assert_int_not_equal(memcmp(before, after, vertices * sizeof before[0]), 0);
    edge_sort_words(before, before + vertices, vertices);
    edge_sort_words(after, after + vertices, vertices);
    assert_memory_equal(before, after, vertices * sizeof before[0]);
    free(before);
    free(after);
    edges_made += list.count + scrambled.count;
    edge_list_free(&list);
    edge_list_free(&scrambled);
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

/* In the plane two neighbours of a point are neighbours with the chance 1 - 3 sqrt(3) / (4 pi) = 0.587; a little more
 * at the border. */
static void check_clustering(const struct edge_list *list)
{
    const double triangles = (double)triangles_of(list, 2, NULL).triangles;
    uint64_t *degrees = degrees_of(list);
    double wedges = 0;
    for (uint64_t i = 0; i < list->declared; i++) wedges += (double)degrees[i] * ((double)degrees[i] - 1) / 2;
    free(degrees);
    if (!(3 * triangles > 0.575 * wedges && 3 * triangles < 0.61 * wedges))
        fail_msg("%.0f triangles of %.0f wedges", triangles, wedges);
}

static void test_rgg(const void *argument)
{
    (void)argument;
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
    uint32_t *parents = must_alloc(list->declared, sizeof parents[0]);
    uint64_t parts = list->declared;
    for (uint32_t i = 0; i < list->declared; i++) parents[i] = i;
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t a = root_of(parents, list->from[i]), b = root_of(parents, list->to[i]);
        parts -= a != b;
        parents[a] = b;
    }
    assert_int_equal(parts, 1);
    free(parents);
}

static void test_grid(const void *argument)
{
    (void)argument;
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

static void test_delaunay(const void *argument)
{
    (void)argument;
    for (unsigned scale = 2; scale <= 14; scale++) {
        struct edge_list list;
        assert_true(edge_make_delaunay(&list, &(struct edge_delaunay){scale, test_seed()}));
        const uint64_t rows = 1u << scale / 2, columns = 1u << (scale + 1) / 2, cells = (rows - 1) * (columns - 1);
        const struct edge_summary summary = check_simple(&list, scale);
        assert_int_equal(summary.edges, rows * (columns - 1) + columns * (rows - 1) + cells);
        assert_true(summary.max_degree <= 8 && summary.vertices == list.declared);
        assert_true(triangles_of(&list, 1, NULL).triangles >= 2 * cells);
        uint64_t falling = 0;
        for (size_t i = 0; i < list.count; i++) falling += list.to[i] - list.from[i] == columns + 1;
        if (scale > 10) assert_true(falling > cells * 4 / 10 && falling < cells * 6 / 10);
        edges_made += list.count;
        edge_list_free(&list);
    }
}

/* ---- baselines ---- */

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

static void test_triangles(const void *argument)
{
    (void)argument;
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
static void test_triangles_by_threads(const void *argument)
{
    (void)argument;
    struct edge_list list;
    assert_true(edge_make_rmat(&list, &(struct edge_rmat){.scale = 12, .edge_factor = 16, .seed = test_seed()}));
    uint64_t *per_vertex = must_alloc(list.declared, sizeof per_vertex[0]), sum = 0;
    const struct baseline_triangles alone = triangles_of(&list, 1, NULL);
    assert_true(alone.triangles > 10000);
    for (unsigned threads = 2; threads <= 5; threads++)
        assert_int_equal(triangles_of(&list, threads, per_vertex).triangles, alone.triangles);
    for (uint64_t i = 0; i < list.declared; i++) sum += per_vertex[i];
    assert_int_equal(sum, 3 * alone.triangles);
    assert_true(alone.rank >= 0 && alone.build >= 0 && alone.sort >= 0 && alone.count > 0);
    free(per_vertex);
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

static void test_vectors(const void *argument)
{
    (void)argument;
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
static void test_long_vectors(const void *argument)
{
    (void)argument;
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
    uint64_t *pairs = must_alloc(list.count, sizeof pairs[0]), *scratch = must_alloc(list.count, sizeof pairs[0]);
    for (size_t i = 0; i < list.count; i++) pairs[i] = edge_pack(list.from[i], list.to[i]);
    edge_sort_words(pairs, scratch, list.count);
    assert_int_equal(baseline_vectors_edges(graph), edge_unique_words(pairs, list.count));
    pairs_looked_up += list.count;
    free(pairs);
    free(scratch);
    baseline_vectors_destroy(graph);
    crew_destroy(crew);
    edge_list_free(&list);
}

/* ---- the command ---- */

/* Runs a subcommand with words between blanks; $ is the folder. What it prints, on both streams, goes to `text`. */
static int run_words(const folder *f, int (*run)(int, char **), const char *words, char *text, size_t size)
{
    char buffer[1000], *argv[20], saved[300];
    int argc = 0;
    size_t used = 0;
    for (const char *at = words; *at && used + 1 < sizeof buffer; at++) {
        const int wrote = *at == '$' ? snprintf(buffer + used, sizeof buffer - used, "%s", f->name) : 1;
        if (*at != '$') buffer[used] = *at;
        used += (size_t)wrote;
    }
    buffer[used] = '\0';
    for (char *word = strtok(buffer, " "); word && argc < 19; word = strtok(NULL, " ")) argv[argc++] = word;
    argv[argc] = NULL;
    snprintf(saved, sizeof saved, "%s/printed", f->name);
    fflush(stdout);
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    FILE *printed = fopen(saved, "w+");
    assert_true(printed && dup2(fileno(printed), STDOUT_FILENO) >= 0 && dup2(fileno(printed), STDERR_FILENO) >= 0);
    const int status = run(argc, argv);
    fflush(stdout);
    dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
    close(out), close(err);
    rewind(printed);
    text[fread(text, 1, size - 1, printed)] = '\0';
    fclose(printed);
    return status;
}

static const struct call {
    int (*run)(int argc, char **argv);
    const char *words;
    int status;
    const char *printed; /* a part of it */
} calls[] = {
    {graph_gen, "delaunay --scale 4 -o $/d.mtx", 0, ""},
    {graph_info, "$/d.mtx", 0,
     "vertices 16\nedges 33\nself_loops 0\nmax_degree "},
    {graph_info, "$/d.mtx", 0, "\ndeclared_vertices 16\nlines 33\ndirected_edges 66\n"},
    {graph_gen, "rmat --scale 5 --edge-factor 2 --seed 3 --scramble -o $/r.el", 0, ""},
    {graph_info, "--format snap $/r.el", 0, "declared_vertices 32\nlines 64\n"},
    {graph_info, "--format mtx $/r.el", 1, "r.el:1: a Matrix Market file begins with"},
    {graph_info, "--temporal $/r.el", 1, "r.el:4: the line ends where the time should be"},
    {graph_info, "$/none", 2, "cannot open"},
    {graph_info, "", 2, "which FILE?"},
    {graph_info, "a b", 2, "one FILE at a time"},
    {graph_info, "--loud", 2, "unknown option '--loud'"},
    {graph_info, "--format odd x", 2, "--format takes one of: auto, snap, mtx, metis"},
    {graph_info, "--help", 0, "usage: pleach graph info"},
    {graph_gen, "--help", 0, "usage: pleach graph gen"},
    {graph_gen, "-o x", 2, "which KIND?"},
    {graph_gen, "rgg", 2, "Say -o FILE"},
    {graph_gen, "tree -o x", 2, "not 'tree'"},
    {graph_gen, "rgg grid -o x", 2, "one KIND at a time"},
    {graph_gen, "rgg --scramble -o x", 2, "are for rmat"},
    {graph_gen, "rmat --degree 3 -o x", 2, "--degree is for rgg and grid"},
    {graph_gen, "grid --degree 5 -o x", 2, "from 2 to 4"},
    {graph_gen, "rgg --degree many -o x", 2, "not 'many'"},
    {graph_gen, "rgg --scale 32 -o x", 2, "from 2 to 31"},
    {graph_gen, "grid --scale 4 -o $/g.graph", 2, "METIS files can be read only"},
    {graph_gen, "grid --scale 4 -o $/g.el.gz", 2, "compress it afterwards"},
    {graph_gen, "grid --scale 4 -o $/no/g.el", 2, "cannot write"},
};

static void test_command(const void *argument)
{
    (void)argument;
    folder f = folder_open();
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        char text[4000];
        const int status = run_words(&f, calls[i].run, calls[i].words, text, sizeof text);
        if (status != calls[i].status || strstr(text, calls[i].printed) == NULL)
            fail_msg("'%s': status %d, %s", calls[i].words, status, text);
    }
    folder_close(&f);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        {"graphs are the same everywhere", test_same_everywhere, NULL},
        {"rmat", test_rmat, NULL},
        {"rgg", test_rgg, NULL},
        {"grid", test_grid, NULL},
        {"delaunay", test_delaunay, NULL},
        {"triangles against brute force", test_triangles, NULL},
        {"triangles by many threads", test_triangles_by_threads, NULL},
        {"vectors against a matrix", test_vectors, NULL},
        {"long vectors", test_long_vectors, NULL},
        {"the command", test_command, NULL},
    };
    const int status = run_units("test_edge_graphs", argc, argv, cases, COUNT_OF(cases));
    printf("test_edge_graphs: %zu edges made, %zu graphs counted, %zu pairs looked up\n", edges_made, graphs_counted,
           pairs_looked_up);
    return status;
}
