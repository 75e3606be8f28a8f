/* test_graph_faults.c - allocations that fail: every one of a script of calls in turn. Whatever fails, the call says
 * so, the graph is sound and as promised, it works afterwards, and nothing is left behind. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

enum { VERTICES = 60, EDGES = 700 };

typedef struct script {
    const graph_kind *kind;
    pleach_graph *graph;
    graph_matrix m;
    edge_batch b;
    rng r;
    uint32_t next_value;
    uint64_t triangles, *kept;
    long asked; /* allocations of the call */
} script;

/* A step makes one call and has the model follow what it did. What it answers is the call's status. */
typedef pleach_status step_call(script *s);

/* The call is over: what the model asks for does not fail. */
static pleach_status over(script *s, pleach_status status)
{
    s->asked = base_fail_nth_allocation(0);
    return status;
}

static void fill(script *s, size_t n)
{
    edge_batch_fill(&s->b, n, &s->m, s->next_value, &s->r);
    s->next_value += (uint32_t)n;
}

static pleach_status build(script *s)
{
    fill(s, EDGES);
    pleach_status status = over(s, pleach_graph_build(s->graph, s->b.n, s->b.from, s->b.to,
                                                      values_or_null(s->kind, s->b.values)));
    for (size_t i = 0; status == PLEACH_OK && i < s->b.n; i++) {
        uint32_t from = s->b.from_place[i], to = s->b.to_place[i], value = 0;
        uint8_t found = 0;
        assert_ok(pleach_graph_find_edges(s->graph, 1, &s->b.from[i], &s->b.to[i], s->kind->values ? &value : NULL,
                                          &found, PLEACH_SYNC));
        assert_int_equal(found, from != to);
        matrix_put(&s->m, from, to, value);
    }
    s->triangles = s->kind->directed ? 0 : matrix_triangles(&s->m, s->kept);
    return status;
}

static pleach_status insert(script *s)
{
    fill(s, EDGES);
    pleach_status status = over(s, pleach_graph_insert_edges(s->graph, s->b.n, s->b.from, s->b.to,
                                                             values_or_null(s->kind, s->b.values), s->b.outcomes,
                                                             PLEACH_SYNC));
    if (status == PLEACH_OK)
        matrix_follow_insert(&s->m, s->graph, &s->b);
    s->triangles = s->kind->directed ? 0 : matrix_triangles(&s->m, s->kept);
    return status;
}

/* Nothing has come, or gone, if memory was lacking. */
static pleach_status insert_counting(script *s)
{
    uint64_t change = 9;
    fill(s, EDGES / 4);
    pleach_status status = over(s, pleach_graph_insert_counting(s->graph, s->b.n, s->b.from, s->b.to,
                                                                values_or_null(s->kind, s->b.values),
                                                                s->next_value % 2 ? s->b.outcomes : NULL, VERTICES,
                                                                s->kept, &change));
    if (status == PLEACH_OK)
        for (size_t i = 0; i < s->b.n; i++)
            matrix_put(&s->m, s->b.from_place[i], s->b.to_place[i],
                       s->kind->values && s->b.from[i] != s->b.to[i]
                           ? value_of_edge(s->graph, s->b.from[i], s->b.to[i]) : 0);
    else
        assert_int_equal(change, 0);
    s->triangles += change;
    return status;
}

static pleach_status erase_counting(script *s)
{
    uint64_t change = 9;
    fill(s, EDGES / 4);
    pleach_status status = pleach_graph_erase_counting(s->graph, s->b.n, s->b.from, s->b.to, NULL, VERTICES, s->kept,
                                                       &change);
    for (size_t i = 0; status == PLEACH_OK && i < s->b.n; i++)
        matrix_erase(&s->m, s->b.from_place[i], s->b.to_place[i]);
    assert_true(status == PLEACH_OK || change == 0);
    s->triangles -= change;
    return status;
}

static pleach_status erase_vertices(script *s)
{
    uint32_t ids[] = {3, 17, 3, 40};
    pleach_status status = pleach_graph_erase_vertices(s->graph, COUNT_OF(ids), ids, NULL);
    for (size_t i = 0; status == PLEACH_OK && i < COUNT_OF(ids); i++)
        matrix_erase_vertex(&s->m, ids[i]);
    s->triangles = s->kind->directed ? 0 : matrix_triangles(&s->m, s->kept);
    return status;
}

static pleach_status count_triangles(script *s)
{
    uint64_t by_vertex[VERTICES], total = 0;
    pleach_status status = pleach_graph_triangles(s->graph, VERTICES, by_vertex, &total);
    if (status == PLEACH_OK) {
        assert_int_equal(total, s->triangles);
        for (uint32_t i = 0; i < VERTICES; i++)
            assert_int_equal(by_vertex[i], s->kept[i]);
    }
    return status;
}

static pleach_status clustering(script *s)
{
    double coefficients[VERTICES], average;
    return pleach_graph_clustering(s->graph, VERTICES, coefficients, &average);
}

static pleach_status neighbours(script *s)
{
    uint32_t neighbours[VERTICES * VERTICES];
    uint64_t offsets[VERTICES + 1];
    size_t total = 0;
    pleach_status status = pleach_graph_neighbours(s->graph, VERTICES, s->m.ids, COUNT_OF(neighbours), neighbours, NULL,
                                                   offsets, &total);
    if (status == PLEACH_OK)
        assert_int_equal(total, s->m.edges * (s->kind->directed ? 1 : 2));
    return status;
}

static pleach_status export_edges(script *s)
{
    uint32_t from[VERTICES * VERTICES], to[VERTICES * VERTICES];
    uint64_t edges = 0;
    pleach_status status = pleach_graph_export_edges(s->graph, COUNT_OF(from), from, to, NULL, &edges);
    assert_int_equal(edges, status == PLEACH_OK || edges ? s->m.edges : 0);
    return status;
}

static pleach_status export_rows(script *s)
{
    uint32_t targets[VERTICES * VERTICES];
    uint64_t offsets[VERTICES + 1], rows, entries;
    return pleach_graph_export_rows(s->graph, VERTICES, offsets, COUNT_OF(targets), targets, NULL, &rows, &entries);
}

static pleach_status stats(script *s)
{
    pleach_graph_stats all;
    pleach_status status = pleach_graph_get_stats(s->graph, &all);
    if (status == PLEACH_OK)
        assert_true(all.vertices == s->m.vertices && all.edges == s->m.edges);
    return status;
}

static pleach_status validate(script *s)
{
    return pleach_graph_validate(s->graph, NULL, 0);
}

static pleach_status clear(script *s)
{
    pleach_status status = pleach_graph_clear(s->graph);
    if (status != PLEACH_OK)
        return status;
    matrix_clear(&s->m);
    memset(s->kept, 0, VERTICES * sizeof *s->kept);
    s->triangles = 0;
    return status;
}

static const struct {
    step_call *call;
    bool undirected; /* there are no triangles in directed graphs */
    bool asks;       /* for memory: one that does not could not fail here */
} steps[] = {
    {build, false, false},          {neighbours, false, true}, {export_edges, false, true}, {export_rows, false, true},
    {count_triangles, true, true},  {clustering, true, true},  {insert_counting, true, true},
    {erase_counting, true, true},   {insert, false, false},    {count_triangles, true, true},
    {erase_vertices, false, true},  {stats, false, true},      {validate, false, true},     {clear, false, true},
};

/* Each allocation of one step in turn, until the step needs no more. */
static void fail_each(script *s, step_call *call, bool asks)
{
    for (long nth = 1;; nth++) {
        base_fail_nth_allocation(nth);
        long held = base_held();
        s->asked = -1;
        pleach_status status = call(s);
        if (s->asked < 0)
            over(s, status);
        assert_sound(s->graph);
        graph_checked(1);
        bool on_gpu = s->kind->device == PLEACH_CUDA; /* there is work that may wait until there is memory */
        if (status == PLEACH_OK && s->asked >= nth && on_gpu)
            continue;
        if (status == PLEACH_OK) {
            assert_true(s->asked < nth);
            assert_true(nth > 1 || !asks || on_gpu); /* which keeps the memory that it has had */
            return;
        }
        assert_int_equal(status, PLEACH_E_MEMORY);
        assert_int_equal(base_held(), held);
        assert_same_graph(s->graph, &s->m, true);
    }
}

/* Worker threads begin with the first long call, and a graph does without those that do not: what fails later is no
 * thread. */
static void start_workers(pleach_graph *graph)
{
    enum { N = 10000 };
    FREED uint32_t *ids = must_alloc(N, sizeof *ids);
    assert_ok(pleach_graph_insert_vertices(graph, N, ids, NULL, PLEACH_SYNC));
    assert_ok(pleach_graph_clear(graph));
}

static void every_allocation_of_every_call(const graph_kind *kind)
{
    uint32_t ids[VERTICES];
    for (uint32_t i = 0; i < VERTICES; i++)
        ids[i] = i;
    long held = base_held();
    script s = {.kind = kind, .graph = graph_open(kind), .m = matrix_open(kind, VERTICES, ids),
                .b = edge_batch_open(EDGES), .r = rng_for(test_seed(), 9), .kept = must_alloc(VERTICES, 8)};
    start_workers(s.graph);
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = 0; i < COUNT_OF(steps); i++) {
            if (steps[i].undirected && kind->directed)
                continue;
            fail_each(&s, steps[i].call, steps[i].asks);
            assert_same_graph(s.graph, &s.m, true);
        }
    matrix_close(&s.m);
    edge_batch_close(&s.b);
    free(s.kept);
    graph_close(s.graph);
    assert_int_equal(base_held(), held);
}

/* A list longer than its first memory, and rows of such. */
static void lists_that_need_more_room(const graph_kind *kind)
{
    enum { N = 6000 };
    FREED uint32_t *from = must_alloc(N, 4), *to = must_alloc(N, 4), *neighbours = must_alloc(N, 4);
    uint64_t offsets[2], edges = 0;
    AT_END(end_graph) pleach_graph *graph = graph_open(kind);
    for (uint32_t i = 0; i < N; i++) {
        from[i] = 1;
        to[i] = 10 + i;
    }
    assert_ok(pleach_graph_build(graph, N, from, to, values_or_null(kind, to)));
    size_t failures = 0;
    for (long nth = 1; nth < 40; nth++) {
        long held = base_held();
        base_fail_nth_allocation(nth);
        pleach_status listed = pleach_graph_neighbours(graph, 1, from, N, neighbours, NULL, offsets, NULL);
        base_fail_nth_allocation(nth);
        pleach_status exported = pleach_graph_export_edges(graph, N, from, to, NULL, &edges);
        base_fail_nth_allocation(0);
        assert_true(listed == PLEACH_OK || listed == PLEACH_E_MEMORY);
        assert_true(exported == PLEACH_OK || exported == PLEACH_E_MEMORY);
        assert_int_equal(base_held(), held);
        failures += (listed != PLEACH_OK) + (exported != PLEACH_OK);
        graph_checked(2);
    }
    assert_true(failures >= 5);
    assert_true(offsets[1] == N && edges == N && neighbours[N - 1] == N + 9 && to[N - 1] == N + 9);
}

static void creation(const graph_kind *kind)
{
    pleach_graph_config config = graph_config_of(kind);
    for (long nth = 1;; nth++) {
        long held = base_held();
        pleach_graph *graph = (pleach_graph *)(uintptr_t)64;
        base_fail_nth_allocation(nth);
        pleach_status status = pleach_graph_create(&graph, &config);
        base_fail_nth_allocation(0);
        graph_checked(1);
        if (status == PLEACH_OK) {
            assert_true(nth > 4);
            graph_close(graph);
            assert_int_equal(base_held(), held);
            return;
        }
        assert_int_equal(status, PLEACH_E_MEMORY);
        assert_null(graph);
        assert_int_equal(base_held(), held);
    }
}

static const graph_case cases[] = {
    GRAPH_CASE(creation),
    GRAPH_CASE(every_allocation_of_every_call),
    GRAPH_CASE(lists_that_need_more_room),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_faults", argc, argv, cases, COUNT_OF(cases));
}
