/* test_graph_random.c - random calls of every kind against a model, on few vertices and on many; hubs; and memory that
 * is used again. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

/* ---- against the model ------------------------------------------------------------------------------------------- */

enum { MOST_IN_CALL = 300 };

typedef struct play {
    const graph_kind *kind;
    pleach_graph *graph;
    graph_matrix m;
    edge_batch b;
    rng r;
    uint32_t next_value;
    bool rows; /* the ids are small enough for rows */
} play;

static void random_insert(play *p, size_t n)
{
    edge_batch_fill(&p->b, n, &p->m, p->next_value, &p->r);
    p->next_value += (uint32_t)n;
    assert_ok(pleach_graph_insert_edges(p->graph, n, p->b.from, p->b.to, values_or_null(p->kind, p->b.values),
                                        p->b.outcomes, PLEACH_SYNC));
    matrix_follow_insert(&p->m, p->graph, &p->b);
}

static void random_erase(play *p, size_t n)
{
    edge_batch_fill(&p->b, n, &p->m, 0, &p->r);
    assert_ok(pleach_graph_erase_edges(p->graph, n, p->b.from, p->b.to, p->b.outcomes, PLEACH_SYNC));
    matrix_follow_erase(&p->m, &p->b);
}

static void random_find(play *p, size_t n)
{
    uint8_t found[MOST_IN_CALL];
    uint32_t values[MOST_IN_CALL];
    edge_batch_fill(&p->b, n, &p->m, 0, &p->r);
    assert_ok(pleach_graph_find_edges(p->graph, n, p->b.from, p->b.to, p->kind->values ? values : NULL, found,
                                      PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        size_t cell = (size_t)p->b.from_place[i] * p->m.n + p->b.to_place[i];
        assert_int_equal(found[i], p->m.edge[cell]);
        if (found[i] && p->kind->values)
            assert_int_equal(values[i], p->m.value[cell]);
    }
    graph_checked(n);
}

static void random_vertices(play *p, size_t n)
{
    uint8_t outcomes[MOST_IN_CALL];
    size_t fresh = 0, told = 0;
    edge_batch_fill(&p->b, n, &p->m, 0, &p->r);
    assert_ok(pleach_graph_insert_vertices(p->graph, n, p->b.from, outcomes, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        assert_true(outcomes[i] == PLEACH_EDGE_NEW || outcomes[i] == PLEACH_EDGE_REPLACED);
        assert_true(!p->m.there[p->b.from_place[i]] || outcomes[i] == PLEACH_EDGE_REPLACED || fresh > 0);
        told += outcomes[i] == PLEACH_EDGE_NEW;
        fresh += matrix_put_vertex(&p->m, p->b.from_place[i]);
    }
    assert_int_equal(told, fresh);
    graph_checked(n);
}

/* The first of equal ones is the one that is erased. */
static void random_erase_vertices(play *p, size_t n)
{
    uint8_t outcomes[MOST_IN_CALL];
    edge_batch_fill(&p->b, n, &p->m, 0, &p->r);
    assert_ok(pleach_graph_erase_vertices(p->graph, n, p->b.from, outcomes));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(outcomes[i], matrix_erase_vertex(&p->m, p->b.from_place[i]) ? PLEACH_EDGE_ERASED
                                                                                      : PLEACH_EDGE_ABSENT);
    graph_checked(n);
}

static void random_call(play *p, unsigned erases)
{
    size_t n = rng_percent(&p->r, 40) ? 1 : 1 + rng_below(&p->r, MOST_IN_CALL);
    uint64_t dice = rng_below(&p->r, 100);
    if (dice < 20)
        random_find(p, n);
    else if (dice < 23)
        random_vertices(p, n > 5 ? 5 : n);
    else if (dice < 26)
        random_erase_vertices(p, rng_percent(&p->r, 80) ? 1 : n > 10 ? 10 : n);
    else if (rng_percent(&p->r, erases))
        random_erase(p, n);
    else
        random_insert(p, n);
}

/* Phases in which there are more inserts, and such with more erases: the graph grows and shrinks. */
static void perform(const graph_kind *kind, uint32_t n, const uint32_t *ids, bool rows, size_t calls)
{
    play p = {.kind = kind, .graph = graph_open(kind), .m = matrix_open(kind, n, ids),
              .b = edge_batch_open(MOST_IN_CALL), .r = rng_for(test_seed(), n), .rows = rows};
    size_t interval = calls / 6 + 1;
    for (size_t call = 0; call < calls; call++) {
        random_call(&p, call / interval % 2 ? 70 : 25);
        if (call % interval == interval - 1)
            assert_same_graph(p.graph, &p.m, p.rows);
    }
    assert_same_graph(p.graph, &p.m, p.rows);
    assert_ok(pleach_graph_clear(p.graph));
    matrix_clear(&p.m);
    random_insert(&p, MOST_IN_CALL);
    assert_same_graph(p.graph, &p.m, p.rows);
    matrix_close(&p.m);
    edge_batch_close(&p.b);
    graph_close(p.graph);
}

static void few_vertices(const graph_kind *kind)
{
    uint32_t ids[12];
    for (uint32_t i = 0; i < COUNT_OF(ids); i++)
        ids[i] = i;
    perform(kind, COUNT_OF(ids), ids, true, scaled_calls(kind, 1500));
}

static void a_dense_graph(const graph_kind *kind)
{
    uint32_t ids[150];
    for (uint32_t i = 0; i < COUNT_OF(ids); i++)
        ids[i] = 4000 + i; /* in two segments of vertices */
    perform(kind, COUNT_OF(ids), ids, true, scaled_calls(kind, 1500));
}

static void many_vertices_far_apart(const graph_kind *kind)
{
    enum { N = 300 };
    FREED uint32_t *ids = must_alloc(N, sizeof *ids);
    for (uint32_t i = 0; i < N; i++)
        ids[i] = i * 997;
    perform(kind, N, ids, true, scaled_calls(kind, 1000));
}

/* From 0 to the largest id: rows would need room for all ids between. */
static void ids_all_over(const graph_kind *kind)
{
    uint32_t ids[40];
    for (uint32_t i = 0; i < COUNT_OF(ids); i++)
        ids[i] = i * (UINT32_MAX / (COUNT_OF(ids) - 1)) - (i + 1 == COUNT_OF(ids));
    perform(kind, COUNT_OF(ids), ids, false, scaled_calls(kind, 200));
}

/* ---- hubs -------------------------------------------------------------------------------------------------------- */

static uint32_t *numbers_from(uint32_t first, size_t n)
{
    uint32_t *numbers = must_alloc(n, sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = first + (uint32_t)i;
    return numbers;
}

static void assert_hub(pleach_graph *graph, uint32_t hub, size_t n)
{
    FREED uint32_t *neighbours = must_alloc(n, sizeof *neighbours);
    uint64_t offsets[2];
    assert_int_equal(degree_of_vertex(graph, hub), n);
    assert_ok(pleach_graph_neighbours(graph, 1, &hub, n, neighbours, NULL, offsets, NULL));
    assert_int_equal(offsets[1], n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(neighbours[i], i + 10);
    assert_sound(graph);
}

/* Every neighbour by a call of its own; where that is a kernel, by calls with more and more of them. */
static void insert_one_by_one(const graph_kind *kind, pleach_graph *graph, size_t n, const uint32_t *from,
                              const uint32_t *to)
{
    for (size_t i = 0, few = 1; i < n; i += few) {
        if (kind->device != PLEACH_CPU) few = i / 50 + 1 < n - i ? i / 50 + 1 : n - i;
        assert_ok(pleach_graph_insert_edges(graph, few, &from[i], &to[i], values_or_null(kind, &to[i]), NULL,
                                            PLEACH_SYNC));
    }
}

/* One vertex with a million neighbours: put one by one, in one call, and built. Fewer where another kind of graph has
 * shown the same; and in one call on a GPU, where all threads wait for a table that is small as yet. */
static void hubs(const graph_kind *kind)
{
    const bool shown_elsewhere = kind->values == kind->directed || kind->threads == 1;
    const size_t most = shown_elsewhere ? 50000 : shrunk(1000000, 20000);
    const uint32_t hub = 3;
    FREED uint32_t *to = numbers_from(10, most), *from = must_alloc(most, sizeof *from);
    for (size_t i = 0; i < most; i++)
        from[i] = hub;
    for (unsigned way = 0; way < 3; way++) {
        const size_t n = way == 1 && kind->device != PLEACH_CPU ? 20000 : most;
        AT_END(end_graph) pleach_graph *graph = graph_open(kind);
        const uint32_t *values = values_or_null(kind, to);
        if (way == 0)
            insert_one_by_one(kind, graph, n, from, to);
        if (way == 1)
            assert_ok(pleach_graph_insert_edges(graph, n, from, to, values, NULL, PLEACH_SYNC));
        if (way == 2)
            assert_ok(pleach_graph_build(graph, n, from, to, values));
        assert_graph_size(graph, n + 1, n);
        assert_hub(graph, hub, n);
        uint8_t outcome;
        assert_ok(pleach_graph_erase_vertices(graph, 1, &hub, &outcome));
        assert_int_equal(outcome, PLEACH_EDGE_ERASED);
        assert_graph_size(graph, n, 0);
        assert_int_equal(degree_of_vertex(graph, 10) + degree_of_vertex(graph, hub), 0);
        graph_checked(n + 1);
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static uint64_t bytes_of(pleach_graph *graph)
{
    pleach_graph_stats stats;
    assert_ok(pleach_graph_get_stats(graph, &stats));
    return stats.slab_bytes + stats.dictionary_bytes + stats.free_bytes;
}

/* The same graph comes and goes, edge by edge or with its vertices. What the first rounds left is enough for the
 * others: without that every round would take as much as the first. */
static void memory_is_used_again(const graph_kind *kind)
{
    enum { VERTICES = 200, ROUNDS = 12 };
    const size_t n = shrunk(20000, 4000);
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    FREED uint32_t *from = must_alloc(n, 4), *to = must_alloc(n, 4), *all = numbers_from(0, VERTICES);
    rng r = rng_for(test_seed(), 77);
    uint64_t after_some = 0;
    for (size_t i = 0; i < n; i++) {
        from[i] = (uint32_t)rng_below(&r, VERTICES);
        to[i] = (uint32_t)rng_below(&r, VERTICES);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        assert_ok(pleach_graph_insert_edges(graph, n, from, to, values_or_null(kind, to), NULL, PLEACH_SYNC));
        if (round % 2)
            assert_ok(pleach_graph_erase_edges(graph, n, from, to, NULL, PLEACH_SYNC));
        else
            assert_ok(pleach_graph_erase_vertices(graph, VERTICES, all, NULL));
        assert_graph_size(graph, round % 2 ? VERTICES : 0, 0);
        assert_sound(graph);
        if (round == 3)
            after_some = bytes_of(graph);
        graph_checked(2 * n);
    }
    assert_in_range(bytes_of(graph), after_some, after_some + after_some / 2);
}

static const graph_case cases[] = {
    GRAPH_CASE(few_vertices),
    GRAPH_CASE(a_dense_graph),
    GRAPH_CASE(many_vertices_far_apart),
    GRAPH_CASE(ids_all_over),
    GRAPH_CASE(hubs),
    GRAPH_CASE(memory_is_used_again),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_random", argc, argv, cases, COUNT_OF(cases));
}
