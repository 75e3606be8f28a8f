/* test_graph_threads.c - threads insert, erase and find edges of few vertices, so that both halves of edges collide and
 * tables grow under them. Afterwards the graph is sound, and every edge is there as often as it came more than it went.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"

enum { MOST_IN_CALL = 12 };

typedef struct crowd {
    const graph_kind *kind;
    pleach_graph *graph;
    uint32_t vertices;
    size_t calls;
    unsigned erases;        /* percent of the updates */
    atomic_int *balance;    /* by edge: how often it was NEW, less how often it was ERASED */
} crowd;

static size_t edge_number(const crowd *c, uint32_t from, uint32_t to)
{
    bool turned = !c->kind->directed && to < from;
    return turned ? (size_t)to * c->vertices + from : (size_t)from * c->vertices + to;
}

static void update_some(agent *a, size_t n)
{
    crowd *c = a->shared;
    uint32_t from[MOST_IN_CALL], to[MOST_IN_CALL], values[MOST_IN_CALL];
    uint8_t outcomes[MOST_IN_CALL];
    bool erases = rng_percent(&a->r, c->erases);
    for (size_t i = 0; i < n; i++) {
        from[i] = (uint32_t)rng_below(&a->r, c->vertices);
        to[i] = (uint32_t)rng_below(&a->r, c->vertices);
        values[i] = (uint32_t)rng_next(&a->r);
        outcomes[i] = UNTOUCHED;
    }
    if (erases)
        EXPECT_OK(a, pleach_graph_erase_edges(c->graph, n, from, to, outcomes, PLEACH_SYNC));
    else
        EXPECT_OK(a, pleach_graph_insert_edges(c->graph, n, from, to, values_or_null(c->kind, values), outcomes,
                                               PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        uint8_t outcome = outcomes[i];
        if (from[i] == to[i])
            EXPECT(a, outcome == PLEACH_EDGE_LOOP);
        else if (erases)
            EXPECT(a, outcome == PLEACH_EDGE_ERASED || outcome == PLEACH_EDGE_ABSENT);
        else
            EXPECT(a, outcome == PLEACH_EDGE_NEW || outcome == PLEACH_EDGE_REPLACED);
        int more = (outcome == PLEACH_EDGE_NEW) - (outcome == PLEACH_EDGE_ERASED);
        atomic_fetch_add_explicit(&c->balance[edge_number(c, from[i], to[i])], more, memory_order_relaxed);
    }
    graph_checked(n);
}

static void find_some(agent *a, size_t n)
{
    crowd *c = a->shared;
    uint32_t from[MOST_IN_CALL], to[MOST_IN_CALL];
    uint8_t found[MOST_IN_CALL];
    for (size_t i = 0; i < n; i++) {
        from[i] = (uint32_t)rng_below(&a->r, c->vertices);
        to[i] = (uint32_t)rng_below(&a->r, c->vertices);
    }
    EXPECT_OK(a, pleach_graph_find_edges(c->graph, n, from, to, NULL, found, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++)
        EXPECT(a, found[i] <= (from[i] != to[i]));
    graph_checked(n);
}

/* Ascending, nobody twice, nobody who is no vertex, and not the vertex itself. */
static void list_some(agent *a)
{
    crowd *c = a->shared;
    FREED uint32_t *neighbours = must_alloc(c->vertices, 4);
    uint32_t id = (uint32_t)rng_below(&a->r, c->vertices);
    uint64_t offsets[2] = {0, 0};
    pleach_status status = pleach_graph_neighbours(c->graph, 1, &id, c->vertices, neighbours, NULL, offsets, NULL);
    bool fine = status == PLEACH_OK && offsets[1] < c->vertices;
    for (size_t i = 0; fine && i < offsets[1]; i++)
        fine = neighbours[i] < c->vertices && neighbours[i] != id && (i == 0 || neighbours[i - 1] < neighbours[i]);
    EXPECT(a, fine);
    graph_checked(1);
}

static void work_in_crowd(agent *a)
{
    crowd *c = a->shared;
    for (size_t call = 0; call < c->calls && !stopped(a); call++) {
        size_t n = rng_percent(&a->r, 60) ? 1 : 1 + rng_below(&a->r, MOST_IN_CALL);
        uint64_t dice = rng_below(&a->r, 100);
        if (dice < 25)
            find_some(a, n);
        else if (dice < 30)
            list_some(a);
        else
            update_some(a, n);
    }
}

static void assert_balance(const crowd *c)
{
    uint64_t edges = 0, has_edges;
    FREED uint32_t *from = must_alloc(c->vertices, 4), *to = must_alloc(c->vertices, 4);
    FREED uint8_t *found = must_alloc(c->vertices, 1);
    for (uint32_t row = 0; row < c->vertices; row++) {
        for (uint32_t i = 0; i < c->vertices; i++) {
            from[i] = row;
            to[i] = i;
        }
        assert_ok(pleach_graph_find_edges(c->graph, c->vertices, from, to, NULL, found, PLEACH_SYNC));
        for (uint32_t i = 0; i < c->vertices; i++) {
            int balance = atomic_load(&c->balance[edge_number(c, row, i)]);
            assert_true(balance == 0 || balance == 1);
            assert_int_equal(found[i], balance);
            edges += balance && (c->kind->directed || row < i);
        }
    }
    assert_ok(pleach_graph_size(c->graph, NULL, &has_edges));
    assert_int_equal(has_edges, edges);
    assert_sound(c->graph);
}

/* Several rounds on fresh graphs: tables begin, and grow, while all are at it. */
static void perform(const graph_kind *kind, uint32_t vertices, unsigned erases, size_t rounds, size_t calls)
{
    crowd c = {.kind = kind, .vertices = vertices, .calls = calls, .erases = erases};
    for (size_t round = 0; round < rounds; round++) {
        c.graph = graph_open(kind);
        c.balance = must_alloc((size_t)vertices * vertices, sizeof *c.balance);
        run_agents(calling_threads(), work_in_crowd, &c);
        assert_balance(&c);
        free(c.balance);
        graph_close(c.graph);
    }
}

static void few_edges(const graph_kind *kind)
{
    perform(kind, 3, 50, 3, scaled_calls(kind, 15000));
}

static void a_dense_crowd(const graph_kind *kind)
{
    perform(kind, 40, 45, 3, scaled_calls(kind, 10000));
}

static void tables_that_grow(const graph_kind *kind)
{
    perform(kind, 300, 10, scaled(kind->device == PLEACH_CPU ? 8 : 3), kind->device == PLEACH_CPU ? 2500 : 250);
}

/* ---- lists beside updates ---------------------------------------------------------------------------------------- */

/* Every neighbour with an even number stays; others come and go, in such numbers that the table grows. */
typedef struct gathering {
    const graph_kind *kind;
    pleach_graph *graph;
    size_t stay, lists;
    uint32_t hub;
    atomic_size_t looking;
} gathering;

static void come_and_go(agent *a)
{
    gathering *g = a->shared;
    uint32_t first = 1 + 2 * (uint32_t)a->index, others = (uint32_t)(4 * g->stay);
    while (!stopped(a) && atomic_load(&g->looking) > 0) {
        for (uint32_t i = first; i < others && !stopped(a); i += 2 * (uint32_t)a->count)
            EXPECT_OK(a, pleach_graph_insert_edges(g->graph, 1, &g->hub, &i, values_or_null(g->kind, &i), NULL,
                                                   PLEACH_SYNC));
        for (uint32_t i = first; i < others && !stopped(a); i += 2 * (uint32_t)a->count)
            EXPECT_OK(a, pleach_graph_erase_edges(g->graph, 1, &g->hub, &i, NULL, PLEACH_SYNC));
        graph_checked(others / a->count);
    }
}

static void check_list(agent *a, uint32_t *neighbours, size_t room)
{
    gathering *g = a->shared;
    uint64_t offsets[2], even = 0;
    EXPECT_OK(a, pleach_graph_neighbours(g->graph, 1, &g->hub, room, neighbours, NULL, offsets, NULL));
    for (uint64_t i = 0; i < offsets[1]; i++) {
        EXPECT(a, i == 0 || neighbours[i - 1] < neighbours[i]);
        if (neighbours[i] % 2)
            continue;
        EXPECT(a, neighbours[i] == 2 * even);
        even++;
    }
    EXPECT(a, even == g->stay);
    graph_checked(even);
}

static void look_or_change(agent *a)
{
    gathering *g = a->shared;
    if (a->index > 1) {
        come_and_go(a);
        return;
    }
    size_t room = 4 * g->stay;
    FREED uint32_t *neighbours = must_alloc(room, sizeof *neighbours);
    for (size_t i = 0; i < g->lists && !stopped(a); i++)
        check_list(a, neighbours, room);
    atomic_fetch_sub(&g->looking, 1);
}

static void who_stays_is_listed_once(const graph_kind *kind)
{
    gathering g = {.kind = kind, .stay = 400, .lists = scaled_calls(kind, 600), .hub = 100000};
    for (unsigned round = 0; round < 3; round++) {
        g.graph = graph_open(kind);
        atomic_init(&g.looking, 2);
        for (uint32_t i = 0; i < g.stay; i++)
            assert_int_equal(put_edge(g.graph, kind, g.hub, 2 * i, i), PLEACH_EDGE_NEW);
        run_agents(calling_threads() < 4 ? 4 : calling_threads(), look_or_change, &g);
        graph_close(g.graph);
    }
}

/* ---- vertices ---------------------------------------------------------------------------------------------------- */

/* Calls that run alone, beside others: everybody gets through, and ids are handed out once. */
static void take_ids(agent *a)
{
    crowd *c = a->shared;
    uint32_t ids[4];
    for (size_t i = 0; i < c->calls && !stopped(a); i++) {
        EXPECT_OK(a, pleach_graph_new_vertices(c->graph, COUNT_OF(ids), ids));
        for (size_t k = 0; k < COUNT_OF(ids); k++)
            EXPECT(a, ids[k] < c->vertices && atomic_fetch_add(&c->balance[ids[k]], 1) == 0);
        EXPECT_OK(a, pleach_graph_insert_edges(c->graph, 3, ids, ids + 1, values_or_null(c->kind, ids), NULL,
                                               PLEACH_SYNC));
        for (size_t k = 0; k < COUNT_OF(ids); k++)
            atomic_fetch_sub(&c->balance[ids[k]], 1);
        EXPECT_OK(a, pleach_graph_erase_vertices(c->graph, COUNT_OF(ids), ids, NULL));
        graph_checked(11);
    }
}

static void ids_are_handed_out_once(const graph_kind *kind)
{
    crowd c = {.kind = kind, .graph = graph_open(kind), .vertices = 4 * (uint32_t)calling_threads(),
               .calls = scaled_calls(kind, 1000)};
    c.balance = must_alloc(c.vertices, sizeof *c.balance);
    run_agents(calling_threads(), take_ids, &c);
    assert_graph_size(c.graph, 0, 0);
    free(c.balance);
    graph_close(c.graph);
}

static const graph_case cases[] = {
    GRAPH_CASE(few_edges),
    GRAPH_CASE(a_dense_crowd),
    GRAPH_CASE(tables_that_grow),
    GRAPH_CASE(who_stays_is_listed_once),
    GRAPH_CASE(ids_are_handed_out_once),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_threads", argc, argv, cases, COUNT_OF(cases));
}
