/* test_graph_history.c - threads work on few edges, so that they collide, and write down what they are told. Whether
 * some order explains all of it is then judged by verify/history, as for maps: an edge is a key, and an undirected one
 * the same key from whichever end it was asked for.
 *
 * A graph's updates do not tell which value they found, and a history's do. So all that is judged is whether an edge is
 * there: every value is written down as 1, and an insert as an add, which finds the edge there or brings it.
 */
#include <sched.h>
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"
#include "testkit/recorder.h"
#include "testkit/rounds.h"

enum { MOST_IN_CALL = 6, MOST_VERTICES = 40, FILLERS = 200 };

typedef struct habit {
    size_t agents, calls; /* of each agent in a round */
    uint32_t vertices;
    unsigned erases;      /* percent of the updates */
    unsigned lists;       /* percent of the calls: the neighbours of a vertex */
    unsigned fillers;     /* percent of the calls: edges to others, nobody's key, that make tables grow */
    unsigned emptied;     /* percent of the rounds that begin with an empty graph */
    size_t rounds;
} habit;

typedef struct scene {
    rounds all;
    const graph_kind *kind;
    pleach_graph *graph;
    const habit *does;
} scene;

/* ---- calls and what is written down of them ---------------------------------------------------------------------- */

static uint64_t invoke(agent *a)
{
    scene *s = a->shared;
    uint64_t dice = rng_below(&a->r, 100);
    if (dice < 5)
        sched_yield();
    for (volatile uint64_t i = 0; dice < 25 && i < dice * 10; i++) {}
    return recorder_now(s->all.book);
}

/* Never 0; one number for both directions of an undirected edge. */
static uint64_t key_of(const scene *s, uint32_t from, uint32_t to)
{
    bool turned = !s->kind->directed && to < from;
    return turned ? (uint64_t)to << 32 | from : (uint64_t)from << 32 | to;
}

/* Ends that differ. */
static void some_edge(agent *a, uint32_t *from, uint32_t *to)
{
    const scene *s = a->shared;
    *from = 1 + (uint32_t)rng_below(&a->r, s->does->vertices);
    *to = 1 + (uint32_t)rng_below(&a->r, s->does->vertices - 1);
    *to += *to >= *from;
}

/* All that an answer says for certain. Values are 1, for being there. */
static history_op told(history_kind kind, uint8_t outcome, uint64_t key)
{
    history_op op = {.kind = (uint8_t)kind, .key = key, .value = 1, .out_value = 1, .outcome = outcome};
    if (kind == HISTORY_ADD && outcome == PLEACH_EDGE_REPLACED)
        op.outcome = HISTORY_EXISTS;
    if (kind == HISTORY_FIND)
        op.outcome = outcome ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    return op;
}

static bool is_fine(history_kind kind, uint8_t outcome)
{
    if (kind == HISTORY_ADD)
        return outcome == PLEACH_EDGE_NEW || outcome == PLEACH_EDGE_REPLACED;
    if (kind == HISTORY_ERASE)
        return outcome == PLEACH_EDGE_ERASED || outcome == PLEACH_EDGE_ABSENT;
    return outcome <= 1;
}

static pleach_status call_edges(scene *s, history_kind kind, size_t n, const uint32_t *from, const uint32_t *to,
                                uint8_t *outcomes)
{
    if (kind == HISTORY_FIND)
        return pleach_graph_find_edges(s->graph, n, from, to, NULL, outcomes, PLEACH_SYNC);
    if (kind == HISTORY_ERASE)
        return pleach_graph_erase_edges(s->graph, n, from, to, outcomes, PLEACH_SYNC);
    return pleach_graph_insert_edges(s->graph, n, from, to, values_or_null(s->kind, from), outcomes, PLEACH_SYNC);
}

static void call_some(agent *a)
{
    scene *s = a->shared;
    uint32_t from[MOST_IN_CALL], to[MOST_IN_CALL];
    uint8_t outcomes[MOST_IN_CALL];
    size_t n = rng_percent(&a->r, 70) ? 1 : 1 + rng_below(&a->r, MOST_IN_CALL);
    history_kind kind = rng_percent(&a->r, 30)                ? HISTORY_FIND
                        : rng_percent(&a->r, s->does->erases) ? HISTORY_ERASE
                                                              : HISTORY_ADD;
    for (size_t i = 0; i < n; i++) {
        some_edge(a, &from[i], &to[i]);
        outcomes[i] = UNTOUCHED;
    }
    uint64_t invoked = invoke(a);
    EXPECT_OK(a, call_edges(s, kind, n, from, to, outcomes));
    uint64_t returned = recorder_now(s->all.book);
    for (size_t i = 0; i < n; i++) {
        EXPECT(a, is_fine(kind, outcomes[i]));
        history_op op = told(kind, outcomes[i], key_of(s, from[i], to[i]));
        op.invoked = invoked;
        op.returned = returned;
        record(s->all.book, a->index, op);
    }
    graph_checked(n);
}

/* A list says of each edge of its vertex whether it is there, each at an instant of its own; of an undirected edge the
 * list of its smaller end does so exactly, so only that is written down. */
static void call_list(agent *a)
{
    scene *s = a->shared;
    uint32_t neighbours[MOST_VERTICES + FILLERS], id, other;
    bool there[MOST_VERTICES + 1] = {false};
    uint64_t offsets[2] = {0, 0};
    some_edge(a, &id, &other);
    uint64_t invoked = invoke(a);
    EXPECT_OK(a, pleach_graph_neighbours(s->graph, 1, &id, COUNT_OF(neighbours), neighbours, NULL, offsets, NULL));
    uint64_t returned = recorder_now(s->all.book);
    for (uint64_t i = 0; i < offsets[1]; i++)
        if (neighbours[i] <= s->does->vertices)
            there[neighbours[i]] = true;
    for (uint32_t to = s->kind->directed ? 1 : id + 1; to <= s->does->vertices; to++) {
        if (to == id)
            continue;
        history_op op = told(HISTORY_FIND, there[to], key_of(s, id, to));
        op.invoked = invoked;
        op.returned = returned;
        record(s->all.book, a->index, op);
    }
    graph_checked(1);
}

static void call_filler(agent *a)
{
    scene *s = a->shared;
    uint32_t from = 1 + (uint32_t)rng_below(&a->r, s->does->vertices);
    uint32_t to = 1000 + (uint32_t)rng_below(&a->r, FILLERS);
    EXPECT_OK(a, call_edges(s, rng_percent(&a->r, 15) ? HISTORY_ERASE : HISTORY_ADD, 1, &from, &to, NULL));
}

static void call_something(agent *a)
{
    const habit *does = ((scene *)a->shared)->does;
    uint64_t dice = rng_below(&a->r, 100);
    if (dice < does->lists)
        call_list(a);
    else if (dice < does->lists + does->fillers)
        call_filler(a);
    else
        call_some(a);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void write_contents(agent *a)
{
    scene *s = a->shared;
    enum { ROOM = MOST_VERTICES * (MOST_VERTICES + FILLERS) };
    FREED uint32_t *from = must_alloc(ROOM, 4), *to = must_alloc(ROOM, 4);
    FREED uint64_t *keys = must_alloc(ROOM, 8), *ones = must_alloc(ROOM, 8);
    uint64_t edges = 0;
    size_t n = 0;
    pleach_status status = pleach_graph_export_edges(s->graph, ROOM, from, to, NULL, &edges);
    for (size_t i = 0; status == PLEACH_OK && i < edges; i++) {
        if (from[i] > s->does->vertices || to[i] > s->does->vertices)
            continue;
        keys[n] = key_of(s, from[i], to[i]);
        ones[n++] = 1;
    }
    record_final(s->all.book, n, keys, ones);
    EXPECT_OK(a, status);
    EXPECT_OK(a, pleach_graph_validate(s->graph, NULL, 0));
}

static pleach_status empty_graph(agent *a) { return pleach_graph_clear(((scene *)a->shared)->graph); }

static void work(agent *a)
{
    for (size_t call = 0; call < ((scene *)a->shared)->does->calls && !stopped(a); call++)
        call_something(a);
}

static void perform(const graph_kind *kind, const void *what)
{
    const habit *does = what;
    scene s = {.all = {.work = work, .contents = write_contents, .empty = empty_graph, .emptied = does->emptied,
                       .count = scaled(does->rounds)},
               .kind = kind, .graph = graph_open(kind), .does = does};
    run_rounds(does->agents, &s.all);
    graph_close(s.graph);
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static void all_of_them_were_judged(const graph_kind *kind)
{
    (void)kind;
    rounds_were_judged();
}

#define HABIT(title, ...) GRAPH_CASE_WITH(title, perform, &((const habit){__VA_ARGS__}))

static const graph_case cases[] = {
    HABIT(one_edge, .agents = 3, .calls = 30, .vertices = 2, .erases = 50, .rounds = 200),
    HABIT(three_vertices, .agents = 4, .calls = 40, .vertices = 3, .erases = 50, .rounds = 200),
    HABIT(tables_that_grow,
          .agents = 4, .calls = 100, .vertices = 5, .erases = 50, .fillers = 60, .emptied = 60, .rounds = 150),
    HABIT(lists_beside_updates,
          .agents = 4, .calls = 30, .vertices = 4, .erases = 50, .lists = 20, .fillers = 20, .emptied = 20,
          .rounds = 150),
    HABIT(many_edges,
          .agents = 4, .calls = 150, .vertices = MOST_VERTICES, .erases = 35, .emptied = 30, .rounds = 60),
    GRAPH_CASE(all_of_them_were_judged),
};

int main(int argc, char **argv)
{
    return run_graph_cases("test_graph_history", argc, argv, cases, COUNT_OF(cases));
}
