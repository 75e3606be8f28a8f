/* test_graph_limits.c - graphs with little memory: what does not fit is refused and says so, all else is applied, the
 * graph stays sound, and there is room again when something goes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "graph/triangles/triangles_method.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

enum { LEAST_BYTES = 1 << 19 };

static pleach_graph *open_limited(const graph_kind *kind, uint64_t bytes)
{
    pleach_graph_config config = graph_config_of(kind);
    config.max_bytes = bytes;
    pleach_graph *graph = NULL;
    assert_ok(pleach_graph_create(&graph, &config));
    return graph;
}

/* Many more edges than fit: a dense part, with growing tables. Ends differ. */
static void fill_crowded(edge_batch *b, size_t n, uint32_t vertices, rng *r)
{
    b->n = n;
    for (size_t i = 0; i < n; i++) {
        b->from[i] = (uint32_t)rng_below(r, vertices);
        b->to[i] = (uint32_t)rng_below(r, vertices - 1);
        b->to[i] += b->to[i] >= b->from[i];
        b->values[i] = (uint32_t)i;
        b->outcomes[i] = UNTOUCHED;
    }
}

/* What is there is what was applied: whoever was refused found no edge, and finds none. */
static void assert_as_told(pleach_graph *graph, const edge_batch *b)
{
    FREED uint8_t *found = untouched_bytes(b->n);
    uint64_t news = 0, edges = 0;
    assert_ok(pleach_graph_find_edges(graph, b->n, b->from, b->to, NULL, found, PLEACH_SYNC));
    for (size_t i = 0; i < b->n; i++) {
        if (b->outcomes[i] != PLEACH_EDGE_NOT_APPLIED)
            assert_true(found[i] == 1 && (b->outcomes[i] == PLEACH_EDGE_NEW || b->outcomes[i] == PLEACH_EDGE_REPLACED));
        news += b->outcomes[i] == PLEACH_EDGE_NEW;
    }
    assert_ok(pleach_graph_size(graph, NULL, &edges));
    assert_int_equal(edges, news);
    assert_sound(graph);
    graph_checked(b->n);
}

static size_t refused_of(const edge_batch *b)
{
    size_t refused = 0;
    for (size_t i = 0; i < b->n; i++)
        refused += b->outcomes[i] == PLEACH_EDGE_NOT_APPLIED;
    return refused;
}

static void what_does_not_fit_is_refused(const graph_kind *kind)
{
    enum { EDGES = 200000, VERTICES = 1500 };
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    rng r = rng_for(test_seed(), 3);
    for (unsigned round = 0; round < 2; round++) {
        AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES + round * 400001);
        fill_crowded(&b, EDGES, VERTICES, &r);
        assert_int_equal(pleach_graph_insert_edges(graph, b.n, b.from, b.to, values_or_null(kind, b.values), b.outcomes,
                                                   PLEACH_SYNC), PLEACH_E_FULL);
        assert_in_range(refused_of(&b), 1, EDGES - 5000);
        assert_as_told(graph, &b);
    }
}

/* VERTEX says that all else was applied, so it is not the answer here; and a build leaves nothing. */
static void what_does_not_fit_beside_an_id_that_is_not_usable(const graph_kind *kind)
{
    enum { EDGES = 100000, VERTICES = 1500 };
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    rng r = rng_for(test_seed(), 8);
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES);
    fill_crowded(&b, EDGES, VERTICES, &r);
    b.from[7] = PLEACH_NO_VERTEX;
    assert_int_equal(pleach_graph_insert_edges(graph, b.n, b.from, b.to, values_or_null(kind, b.values), b.outcomes,
                                               PLEACH_SYNC), PLEACH_E_FULL);
    assert_int_equal(b.outcomes[7], PLEACH_EDGE_NOT_APPLIED);
    assert_as_told(graph, &b);
    assert_ok(pleach_graph_clear(graph));
    assert_int_equal(pleach_graph_build(graph, b.n, b.from, b.to, values_or_null(kind, b.values)), PLEACH_E_FULL);
    assert_graph_size(graph, 0, 0);
}

/* Without duplicates, so that who was refused is not there. Then some of what is there goes, and half of that comes
 * back. */
static void there_is_room_again_after_erasing(const graph_kind *kind)
{
    enum { VERTICES = 700, EDGES = VERTICES * 140 };
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES);
    FREED uint8_t *found = untouched_bytes(EDGES);
    b.n = EDGES;
    for (uint32_t i = 0; i < EDGES; i++) {
        b.from[i] = i % VERTICES;
        b.to[i] = (i % VERTICES + 1 + i / VERTICES) % VERTICES;
        b.values[i] = i;
    }
    assert_int_equal(pleach_graph_insert_edges(graph, b.n, b.from, b.to, values_or_null(kind, b.values), b.outcomes,
                                               PLEACH_SYNC), PLEACH_E_FULL);
    assert_as_told(graph, &b);
    assert_ok(pleach_graph_find_edges(graph, b.n, b.from, b.to, NULL, found, PLEACH_SYNC));
    for (size_t i = 0; i < EDGES; i++)
        assert_int_equal(found[i], b.outcomes[i] == PLEACH_EDGE_NEW);
    uint64_t before = 0, after = 0;
    assert_ok(pleach_graph_size(graph, NULL, &before));
    assert_ok(pleach_graph_erase_edges(graph, EDGES / 2, b.from, b.to, NULL, PLEACH_SYNC));
    assert_sound(graph);
    assert_ok(pleach_graph_size(graph, NULL, &after));
    assert_true(after < before);
    size_t again = (before - after) / 2, done = 0;
    for (size_t i = 0; i < EDGES / 2 && done < again; i++) {
        if (!found[i])
            continue;
        assert_int_equal(put_edge(graph, kind, b.from[i], b.to[i], 1), PLEACH_EDGE_NEW);
        done++;
    }
    assert_int_equal(done, again);
    assert_graph_size(graph, VERTICES, after + again);
}

/* Vertices with ids far apart take the most: a segment each. Not where they are found through a hash table. */
static void vertices_that_do_not_fit(const graph_kind *kind)
{
    enum { MOST = 40000 };
    const uint32_t N = kind->sparse ? MOST : 20, step = 4000000000 / N;
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES);
    FREED uint32_t *ids = must_alloc(N, sizeof *ids);
    uint32_t fresh[4] = {1, 1, 1, 1};
    FREED uint8_t *outcomes = untouched_bytes(N);
    size_t there = 0;
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i * step + 5000;
    assert_int_equal(pleach_graph_insert_vertices(graph, N, ids, outcomes, PLEACH_SYNC), PLEACH_E_FULL);
    for (uint32_t i = 0; i < N; i++) {
        assert_true(outcomes[i] == PLEACH_EDGE_NEW || outcomes[i] == PLEACH_EDGE_NOT_APPLIED);
        assert_int_equal(has_vertex(graph, ids[i]), outcomes[i] == PLEACH_EDGE_NEW);
        there += outcomes[i] == PLEACH_EDGE_NEW;
    }
    assert_in_range(there, kind->sparse ? 4096 : 1, kind->sparse ? LEAST_BYTES / 40 : 4);
    assert_graph_size(graph, there, 0);
    if (!kind->sparse) { /* else some id may still find a place in the hash table */
        assert_int_equal(pleach_graph_new_vertices(graph, 4, fresh), PLEACH_E_FULL);
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(fresh[i], PLEACH_NO_VERTEX);
    }
    uint32_t refused = ids[N - 1], value = 0;
    for (uint32_t i = 0; i < N; i++)
        if (outcomes[i] == PLEACH_EDGE_NOT_APPLIED)
            refused = ids[i];
    assert_int_equal(pleach_graph_insert_edges(graph, 1, &ids[0], &refused, values_or_null(kind, &value), outcomes,
                                               PLEACH_SYNC), PLEACH_E_FULL);
    assert_true(outcomes[0] == PLEACH_EDGE_NOT_APPLIED && !has_vertex(graph, refused));
    assert_ok(pleach_graph_clear(graph));
    assert_ok(pleach_graph_new_vertices(graph, 4, fresh));
    assert_int_equal(fresh[3], 3);
    graph_checked(N + 8);
}

/* The ids that were handed out before memory ran out stay so. */
static void new_vertices_that_fit_in_part(const graph_kind *kind)
{
    enum { N = 40000 };
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES);
    FREED uint32_t *ids = must_alloc(N, sizeof *ids);
    size_t given = 0;
    assert_int_equal(pleach_graph_new_vertices(graph, N, ids), PLEACH_E_FULL);
    while (given < N && ids[given] == given)
        given++;
    assert_in_range(given, 4096, N - 1);
    for (size_t i = given; i < N; i++)
        assert_int_equal(ids[i], PLEACH_NO_VERTEX);
    assert_graph_size(graph, given, 0);
    assert_ok(pleach_graph_erase_vertices(graph, 10, ids + 5, NULL));
    assert_ok(pleach_graph_new_vertices(graph, 10, ids));
    assert_true(ids[0] == 5 && ids[9] == 14);
    graph_checked(given);
}

/* After FULL a build leaves nothing, and the next one finds all of the memory. */
static void a_build_that_does_not_fit(const graph_kind *kind)
{
    enum { EDGES = 200000, VERTICES = 1500, FEW = 2000 };
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    rng r = rng_for(test_seed(), 4);
    AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES);
    for (unsigned round = 0; round < 2; round++) {
        fill_crowded(&b, EDGES, VERTICES, &r);
        assert_int_equal(pleach_graph_build(graph, EDGES, b.from, b.to, values_or_null(kind, b.values)), PLEACH_E_FULL);
        assert_graph_size(graph, 0, 0);
        assert_sound(graph);
        assert_false(has_vertex(graph, b.from[0]) || has_edge(graph, b.from[0], b.to[0]));
        assert_ok(pleach_graph_build(graph, FEW, b.from, b.to, values_or_null(kind, b.values)));
        assert_true(has_edge(graph, b.from[0], b.to[0]));
        assert_ok(pleach_graph_clear(graph));
        graph_checked(EDGES + FEW);
    }
}

/* Also where there is no memory to begin anew with: the promise is an empty graph. Each hub's slots are as many as it
 * has neighbours, so that buckets overflow, for which there is hardly any room: the build stops with many edges put. */
static void a_build_that_does_not_fit_and_cannot_begin_anew(const graph_kind *kind)
{
    enum { SEGMENT_SLABS = 1024, NEIGHBOURS = 3584, SLACK = 20, SLAB_SIZE = 128 };
    const uint32_t slots = kind->values ? 14 : 28, hubs = kind->values ? 12 : 24;
    const uint64_t ids = kind->sparse ? SEGMENT_SLABS / 4 + (3 * NEIGHBOURS / 14 + 1) : 0; /* names and numbers */
    const uint64_t slabs = 1 + SEGMENT_SLABS + ids + hubs * NEIGHBOURS / slots + (kind->directed ? 0 : NEIGHBOURS) +
                           SLACK;
    pleach_graph_config config = graph_config_of(kind);
    config.max_bytes = slabs * SLAB_SIZE;
    config.load = 1;
    AT_END(end_graph) pleach_graph *graph = NULL;
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(hubs * NEIGHBOURS);
    b.n = hubs * NEIGHBOURS;
    for (uint32_t i = 0; i < b.n; i++) {
        b.from[i] = i % hubs;
        b.to[i] = 100 + i / hubs;
    }
    assert_ok(pleach_graph_create(&graph, &config));
    for (unsigned fails = 0; fails < 2; fails++) {
        base_fail_allocations(1, fails ? 100 : 0);
        pleach_status status = pleach_graph_build(graph, b.n, b.from, b.to, values_or_null(kind, b.values));
        base_fail_allocations(0, 0);
        /* A build on a GPU wants some host memory from the beginning. */
        assert_int_equal(status, fails && kind->device == PLEACH_CUDA ? PLEACH_E_MEMORY : PLEACH_E_FULL);
        assert_graph_size(graph, 0, 0);
        assert_sound(graph);
        assert_ok(pleach_graph_build(graph, hubs, b.from, b.to, values_or_null(kind, b.values)));
        assert_graph_size(graph, hubs + 1, hubs);
        assert_ok(pleach_graph_clear(graph));
        graph_checked(b.n + hubs);
    }
}

/* *change counts what was applied, in whichever way. */
static void triangles_of_what_fits(const graph_kind *kind)
{
    enum { EDGES = 30000, VERTICES = 3500 };
    const triangle_method ways[] = {TRIANGLES_BY_WEDGE, TRIANGLES_BY_ROW, TRIANGLES_LEAST_WORK}; /* the last is as it was */
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    rng r = rng_for(test_seed(), 7);
    fill_crowded(&b, EDGES, VERTICES, &r);
    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        AT_END(end_graph) pleach_graph *graph = open_limited(kind, LEAST_BYTES);
        uint64_t change = 0, total = 0;
        FREED uint64_t *kept = must_alloc(VERTICES, 8), *counted = must_alloc(VERTICES, 8);
        graph_cpu_force_method(ways[i]);
        assert_int_equal(pleach_graph_insert_counting(graph, b.n, b.from, b.to, values_or_null(kind, b.values),
                                                      b.outcomes, VERTICES, kept, &change), PLEACH_E_FULL);
        assert_as_told(graph, &b);
        assert_ok(pleach_graph_triangles(graph, VERTICES, counted, &total));
        assert_int_equal(change, total);
        assert_memory_equal(kept, counted, VERTICES * sizeof *kept);
        assert_ok(pleach_graph_erase_counting(graph, b.n, b.from, b.to, b.outcomes, VERTICES, kept, &change));
        assert_int_equal(change, total);
    }
}

/* ---- threads at the limit ---------------------------------------------------------------------------------------- */

enum { CRUSH_VERTICES = 900 };

typedef struct crush {
    const graph_kind *kind;
    pleach_graph *graph;
    size_t calls;
    atomic_long edges, refused;
} crush;

static void push(agent *a)
{
    crush *c = a->shared;
    enum { N = 20 };
    uint32_t from[N], to[N];
    uint8_t outcomes[N];
    for (size_t call = 0; call < c->calls && !stopped(a); call++) {
        bool erases = rng_percent(&a->r, 30);
        for (size_t i = 0; i < N; i++) {
            from[i] = (uint32_t)rng_below(&a->r, CRUSH_VERTICES);
            to[i] = (uint32_t)rng_below(&a->r, CRUSH_VERTICES);
        }
        pleach_status status = erases ? pleach_graph_erase_edges(c->graph, N, from, to, outcomes, PLEACH_SYNC)
                                      : pleach_graph_insert_edges(c->graph, N, from, to, values_or_null(c->kind, to),
                                                                  outcomes, PLEACH_SYNC);
        long refused = 0;
        for (size_t i = 0; i < N; i++) {
            refused += outcomes[i] == PLEACH_EDGE_NOT_APPLIED;
            atomic_fetch_add(&c->edges, (outcomes[i] == PLEACH_EDGE_NEW) - (outcomes[i] == PLEACH_EDGE_ERASED));
        }
        EXPECT(a, status == (refused ? PLEACH_E_FULL : PLEACH_OK) && !(erases && refused));
        atomic_fetch_add(&c->refused, refused);
        graph_checked(N);
    }
}

/* Inserts edges between the vertices of `push` until three calls have found the graph full. Then many tables have no
 * free slot, so that few more edges are enough to have one refused. */
static void fill_to_the_limit(crush *c)
{
    enum { EDGES = 5000, MOST_CALLS = 40 };
    AT_END(edge_batch_close) edge_batch b = edge_batch_open(EDGES);
    rng r = rng_for(test_seed(), 9);
    uint64_t edges = 0;
    unsigned full = 0;
    for (unsigned call = 0; call < MOST_CALLS && full < 3; call++) {
        fill_crowded(&b, EDGES, CRUSH_VERTICES, &r);
        pleach_status status = pleach_graph_insert_edges(c->graph, b.n, b.from, b.to, values_or_null(c->kind, b.values),
                                                         b.outcomes, PLEACH_SYNC);
        assert_int_equal(status, refused_of(&b) ? PLEACH_E_FULL : PLEACH_OK);
        full += status == PLEACH_E_FULL;
    }
    assert_int_equal(full, 3);
    assert_ok(pleach_graph_size(c->graph, NULL, &edges));
    atomic_store(&c->edges, (long)edges);
}

/* The graph is full before they begin, so that the number of calls, of which a GPU makes few, does not matter. */
static void threads_at_the_limit(const graph_kind *kind)
{
    crush c = {.kind = kind, .graph = open_limited(kind, LEAST_BYTES), .calls = scaled_calls(kind, 8000)};
    fill_to_the_limit(&c);
    run_agents(calling_threads(), push, &c);
    uint64_t edges = 0;
    assert_ok(pleach_graph_size(c.graph, NULL, &edges));
    assert_int_equal(edges, atomic_load(&c.edges));
    assert_true(atomic_load(&c.refused) > 0);
    graph_close(c.graph);
}

static const graph_case cases[] = {
    GRAPH_CASE(what_does_not_fit_is_refused),
    GRAPH_CASE(what_does_not_fit_beside_an_id_that_is_not_usable),
    GRAPH_CASE(there_is_room_again_after_erasing),
    GRAPH_CASE(vertices_that_do_not_fit),
    GRAPH_CASE(new_vertices_that_fit_in_part),
    GRAPH_CASE(a_build_that_does_not_fit),
    GRAPH_CASE(a_build_that_does_not_fit_and_cannot_begin_anew),
    UNDIRECTED_CASE(triangles_of_what_fits),
    GRAPH_CASE(threads_at_the_limit),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_limits", argc, argv, cases, COUNT_OF(cases));
}
