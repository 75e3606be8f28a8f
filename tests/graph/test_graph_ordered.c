/* test_graph_ordered.c - ordered graphs: random calls beside a graph with hash tables and a model; order inside a call;
 * rows that are longer than a page; arguments; files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testkit/buffers.h"
#include "testkit/graph/ordered_graphs.h"

/* ---- random calls ------------------------------------------------------------------------------------------------ */

static void random_call(trio *t, rng *r, bool shrinks)
{
    places p;
    uint64_t dice = rng_below(r, 100);
    places_fill(&p, rng_percent(r, 30) ? 1 : 1 + rng_below(r, MOST_IN_CALL), rng_percent(r, 10), r);
    if (dice < 5)
        trio_insert_vertices(t, &p);
    else if (dice < 10) {
        p.n = p.n < 5 ? p.n : 5;
        trio_erase_vertices(t, &p);
    } else if (dice < 12)
        trio_rebuild(t, &p);
    else if (dice < 40 && !t->kind.directed)
        trio_count(t, &p, rng_percent(r, shrinks ? 30 : 70));
    else if (rng_percent(r, shrinks ? 70 : 30))
        trio_erase(t, &p);
    else
        trio_insert(t, &p);
}

static void random_calls(const setting *where, bool directed, bool snapshots)
{
    const size_t calls = scaled(where->device == PLEACH_CUDA ? 150 : 600);
    rng r = rng_for(test_seed(), 2u * directed + snapshots);
    trio *t = trio_open(where, directed, snapshots, &r);
    assert_trio_same(t);
    for (size_t i = 0; i < calls; i++) {
        random_call(t, &r, i / 20 % 2);
        if (i % 10 == 9)
            assert_trio_same(t);
    }
    assert_trio_same(t);
    trio_close(t);
}

static void directed_calls(const setting *where)
{
    random_calls(where, true, false);
    random_calls(where, true, true);
}

static void undirected_calls(const setting *where)
{
    random_calls(where, false, false);
    random_calls(where, false, true);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

/* One edge many times in a call, from both its ends: the first is new, the value of the last stays at both. */
static void elements_take_effect_in_order(const setting *where)
{
    enum { TIMES = 5000 };
    FREED uint32_t *from = must_alloc(TIMES, 4), *to = must_alloc(TIMES, 4), *values = must_alloc(TIMES, 4);
    uint32_t found[2];
    FREED uint8_t *outcomes = must_alloc(TIMES, 1);
    uint8_t there[2];
    pleach_graph *graph = ordered_open(where, false, false, 0);
    for (uint32_t i = 0; i < TIMES; i++) {
        from[i] = i % 2 ? 7 : 900;
        to[i] = i % 2 ? 900 : 7;
        values[i] = i * 3;
    }
    bool has_values = where->key_bits == 64;
    assert_ok(pleach_graph_insert_edges(graph, TIMES, from, to, has_values ? values : NULL, outcomes, PLEACH_SYNC));
    assert_ok(pleach_graph_find_edges(graph, 2, from, to, has_values ? found : NULL, there, PLEACH_SYNC));
    assert_true(there[0] == 1 && there[1] == 1);
    for (uint32_t i = 0; i < TIMES; i++)
        assert_int_equal(outcomes[i], i ? PLEACH_EDGE_REPLACED : PLEACH_EDGE_NEW);
    if (has_values)
        assert_true(found[0] == (TIMES - 1) * 3 && found[1] == (TIMES - 1) * 3);
    assert_ok(pleach_graph_erase_edges(graph, TIMES, from, to, outcomes, PLEACH_SYNC));
    for (uint32_t i = 0; i < TIMES; i++)
        assert_int_equal(outcomes[i], i ? PLEACH_EDGE_ABSENT : PLEACH_EDGE_ERASED);
    assert_sound(graph);
    pleach_graph_destroy(graph);
    count_checked(2 * TIMES);
}

/* ---- long rows --------------------------------------------------------------------------------------------------- */

/* Two vertices with many neighbours in common: their edge makes that many triangles. One has some more, and has fewer
 * pages left when the other ends. */
static void rows_longer_than_a_page(const setting *where)
{
    const uint32_t common = 40000, more = 30000, one = 0, two = 1;
    uint32_t n = 2 * common + more;
    FREED uint32_t *from = must_alloc(n, 4), *to = must_alloc(n, 4);
    for (uint32_t i = 0; i < n; i++) {
        from[i] = i < common ? one : two;
        to[i] = 10 + (i < common ? i : i - common);
    }
    pleach_graph *graph = ordered_open(where, false, false, 0);
    const uint32_t *values = where->key_bits == 64 ? to : NULL;
    uint64_t change = 0, by_vertex[2] = {0}, triangles = 0;
    assert_ok(pleach_graph_build(graph, n, from, to, values));
    assert_ok(pleach_graph_insert_counting(graph, 1, &one, &two, values, NULL, 2, by_vertex, &change));
    assert_true(change == common && by_vertex[0] == common && by_vertex[1] == common);
    assert_ok(pleach_graph_triangles(graph, 0, NULL, &triangles));
    assert_int_equal(triangles, common);
    assert_ok(pleach_graph_erase_counting(graph, n, from, to, NULL, 2, by_vertex, &change));
    assert_true(change == common && by_vertex[0] == 0 && by_vertex[1] == 0);
    pleach_graph_stats stats;
    assert_ok(pleach_graph_get_stats(graph, &stats));
    assert_true(stats.edges == 1 && stats.vertices == common + more + 2 && stats.max_degree == 1);
    assert_true(stats.slab_bytes > 0 && stats.tables == 0);
    assert_sound(graph);
    pleach_graph_destroy(graph);
    count_checked(n);
}

/* Ids come back, the smallest first; vertices far apart are found, and cost what they use. */
static void new_ids_are_the_smallest(const setting *where)
{
    pleach_graph *graph = ordered_open(where, true, false, 0);
    uint32_t ids[3000], gone[] = {5, 2000, 17}, far[] = {UINT32_MAX - 1, 3, 1u << 31};
    uint64_t rows = 0;
    assert_ok(pleach_graph_insert_vertices(graph, 3, far, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_new_vertices(graph, 3000, ids));
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(ids[i], i < 3 ? i : i + 1);
    assert_ok(pleach_graph_erase_vertices(graph, 3, gone, NULL));
    assert_ok(pleach_graph_new_vertices(graph, 4, ids));
    assert_true(ids[0] == 5 && ids[1] == 17 && ids[2] == 2000 && ids[3] == 3001);
    assert_ok(pleach_graph_export_rows(graph, 0, NULL, 0, NULL, NULL, &rows, NULL));
    assert_int_equal(rows, UINT32_MAX);
    assert_sound(graph);
    pleach_graph_destroy(graph);
    count_checked(3007);
}

/* All triangles of vertices whose ids are as far apart as can be, with some vertices without edges between. */
static void few_and_large_ids_cost_little(const setting *where)
{
    enum { CLIQUE = 40, EDGES = CLIQUE * (CLIQUE - 1) / 2 };
    pleach_graph *graph = ordered_open(where, false, true, 0);
    pleach_graph_snapshot *snapshot;
    const uint32_t step = UINT32_MAX / CLIQUE;
    uint32_t from[EDGES], to[EDGES], n = 0;
    uint64_t triangles = 0;
    for (uint32_t a = 0; a < CLIQUE; a++) {
        uint32_t alone = a * step + 7;
        assert_ok(pleach_graph_insert_vertices(graph, 1, &alone, NULL, PLEACH_SYNC));
        for (uint32_t b = 0; b < a; b++, n++) {
            from[n] = a * step;
            to[n] = b * step;
        }
    }
    assert_ok(pleach_graph_insert_edges(graph, n, from, to, where->key_bits == 64 ? to : NULL, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_snapshot_take(graph, &snapshot));
    assert_ok(pleach_graph_triangles(graph, 0, NULL, &triangles));
    assert_int_equal(triangles, CLIQUE * (CLIQUE - 1) * (CLIQUE - 2) / 6);
    assert_ok(pleach_graph_erase_vertices(graph, 1, &from[0], NULL));
    assert_ok(pleach_graph_triangles(graph, 0, NULL, &triangles));
    assert_int_equal(triangles, (CLIQUE - 1) * (CLIQUE - 2) * (CLIQUE - 3) / 6);
    assert_ok(pleach_graph_snapshot_triangles(snapshot, 0, NULL, &triangles));
    assert_int_equal(triangles, CLIQUE * (CLIQUE - 1) * (CLIQUE - 2) / 6);
    pleach_graph_snapshot_release(snapshot);
    assert_sound(graph);
    pleach_graph_destroy(graph);
    count_checked(EDGES);
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void bad_arguments_are_refused(const setting *where)
{
    pleach_graph *graph = NULL;
    pleach_graph_config config = {.adjacency = PLEACH_ADJACENCY_HASH, .snapshots = 1};
    assert_int_equal(pleach_graph_create(&graph, &config), PLEACH_E_ARGUMENT); /* only ordered graphs have them */
    config = (pleach_graph_config){.adjacency = (pleach_adjacency)2};
    assert_int_equal(pleach_graph_create(&graph, &config), PLEACH_E_ARGUMENT);
    config = (pleach_graph_config){.adjacency = PLEACH_ADJACENCY_ORDERED, .snapshots = 2};
    assert_int_equal(pleach_graph_create(&graph, &config), PLEACH_E_ARGUMENT);
    assert_null(graph);

    uint32_t id = 1, other = 2;
    pleach_graph_snapshot *snapshot = (pleach_graph_snapshot *)&id;
    graph = ordered_open(where, false, false, 0);
    assert_int_equal(pleach_graph_snapshot_take(graph, &snapshot), PLEACH_E_ARGUMENT);
    assert_null(snapshot);
    assert_int_equal(pleach_graph_snapshot_take(graph, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_take(NULL, &snapshot), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_size(NULL, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_triangles(NULL, 0, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_find_edges(NULL, 1, &id, &other, NULL, NULL), PLEACH_E_ARGUMENT);
    pleach_graph_snapshot_release(NULL);
    assert_int_equal(pleach_graph_find_edges(graph, 1, &id, &other, NULL, NULL, (pleach_stream)1), PLEACH_E_STREAM);
    assert_int_equal(pleach_graph_insert_edges(graph, 1, &id, NULL, NULL, NULL, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    assert_ok(pleach_graph_insert_edges(graph, 0, NULL, NULL, NULL, NULL, PLEACH_SYNC));
    pleach_graph_destroy(graph);
    count_checked(14);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* An ordered graph is saved, and a graph with hash tables loads it, and the other way round. While a snapshot is live
 * nothing takes the graph's place. */
static void files_are_of_both_kinds(const setting *where)
{
    rng r = rng_for(test_seed(), 9);
    trio *t = trio_open(where, false, true, &r);
    char path[] = "/tmp/pleach-ordered-XXXXXX";
    int file = mkstemp(path);
    places p;
    assert_true(file >= 0);
    close(file);
    places_fill(&p, MOST_IN_CALL, false, &r);
    trio_insert(t, &p);
    if (pleach_graph_save(t->ordered, path) != PLEACH_E_NO_FILES) {
        pleach_graph_snapshot *snapshot;
        assert_ok(pleach_graph_clear(t->hash));
        assert_ok(pleach_graph_load_file(t->hash, path));
        assert_trio_same(t);
        assert_ok(pleach_graph_snapshot_take(t->ordered, &snapshot));
        assert_int_equal(pleach_graph_load_file(t->ordered, path), PLEACH_E_BUSY);
        assert_int_equal(pleach_graph_clear(t->ordered), PLEACH_E_BUSY);
        pleach_graph_snapshot_release(snapshot);
        assert_ok(pleach_graph_clear(t->ordered));
        assert_ok(pleach_graph_load_file(t->ordered, path));
        assert_trio_same(t);
    }
    unlink(path);
    trio_close(t);
}

static const test_case cases[] = {
    CASE(directed_calls),
    CASE(undirected_calls),
    CASE(elements_take_effect_in_order),
    CASE(rows_longer_than_a_page),
    CASE(new_ids_are_the_smallest),
    CASE(few_and_large_ids_cost_little),
    CASE(bad_arguments_are_refused),
    CASE(files_are_of_both_kinds),
};

int main(int argc, char **argv)
{
    tests_of_trees();
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
