/* test_symmetry.c - an undirected graph is the same from both ends of every edge, also while vertices are deleted.
 * Threads put and erase edges, some among vertices that stay, and so know the results there from both ends; another
 * deletes vertices, and reads all rows: each edge must be in both, with one value. */
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/graph/graphs.h"
#include "testkit/interrupts.h"

/* Vertices 0 .. STAYING-1 stay; edges among them are of owner (lesser end) % OWNERS. The others come and go. */
enum { OWNERS = 2, STAYING = 24, VERTICES = 48, MOST = VERTICES * VERTICES };

typedef struct world {
    const graph_kind *kind;
    pleach_graph *graph;
    size_t calls;
    uint32_t value[STAYING][STAYING]; /* each by its owner; 0: no such edge */
    atomic_int busy;                  /* owners */
    atomic_size_t looks;
} world;

static bool put(const world *w, uint32_t from, uint32_t to, uint32_t value, uint8_t *outcome)
{
    return pleach_graph_insert_edges(w->graph, 1, &from, &to, values_or_null(w->kind, &value), outcome, PLEACH_SYNC) ==
           PLEACH_OK;
}

static bool seen_from(const world *w, uint32_t from, uint32_t to, uint32_t value)
{
    uint32_t got = 0;
    uint8_t found = 2;
    return pleach_graph_find_edges(w->graph, 1, &from, &to, w->kind->values ? &got : NULL, &found, PLEACH_SYNC) ==
               PLEACH_OK &&
           found == (value != 0) && (!value || !w->kind->values || got == value);
}

/* An edge that nobody else touches, from a random end each time. */
static bool own_edge(agent *a, world *w, uint32_t value)
{
    const uint32_t low = OWNERS * (uint32_t)rng_below(&a->r, STAYING / OWNERS - 1) + (uint32_t)a->index;
    const uint32_t high = low + 1 + (uint32_t)rng_below(&a->r, STAYING - low - 1);
    uint32_t *kept = &w->value[low][high], from = rng_percent(&a->r, 50) ? low : high, to = low + high - from;
    uint8_t outcome = PLEACH_EDGE_NOT_APPLIED;
    if (rng_percent(&a->r, 50)) {
        if (!put(w, from, to, value, &outcome)) return false;
        if (outcome != (*kept ? PLEACH_EDGE_REPLACED : PLEACH_EDGE_NEW)) return false;
        *kept = value;
    } else {
        if (pleach_graph_erase_edges(w->graph, 1, &from, &to, &outcome, PLEACH_SYNC) != PLEACH_OK) return false;
        if (outcome != (*kept ? PLEACH_EDGE_ERASED : PLEACH_EDGE_ABSENT)) return false;
        *kept = 0;
    }
    return seen_from(w, low, high, *kept) && seen_from(w, high, low, *kept);
}

static void own(agent *a)
{
    world *w = a->shared;
    interrupts stops = interrupts_begin(test_seed() + a->index, 500);
    for (uint32_t n = 1; n <= w->calls && !stopped(a) && !a->failed; n++) {
        uint8_t outcome;
        const uint32_t from = (uint32_t)rng_below(&a->r, VERTICES);
        const uint32_t to = STAYING + (uint32_t)rng_below(&a->r, VERTICES - STAYING);
        if (n % 2 ? !own_edge(a, w, n) : !put(w, from, to, n, &outcome))
            agent_fail(a, __FILE__, __LINE__, "an edge is not what its owner made it");
    }
    interrupts_end(&stops);
    atomic_fetch_sub(&w->busy, 1);
}

/* ---- the whole graph ---- */

typedef struct rows {
    uint64_t offsets[VERTICES + 1];
    uint32_t to[MOST], values[MOST];
    uint32_t edge[VERTICES][VERTICES]; /* 1 + value; 0: none */
} rows;

/* All rows, of one state. */
static bool is_symmetric(const world *w, rows *r, bool exact)
{
    uint64_t row_count = 0, entries = 0;
    memset(r->edge, 0, sizeof r->edge);
    if (pleach_graph_export_rows(w->graph, VERTICES, r->offsets, MOST, r->to, w->kind->values ? r->values : NULL,
                                 &row_count, &entries) != PLEACH_OK || row_count > VERTICES)
        return false;
    for (uint64_t u = 0; u < row_count; u++)
        for (uint64_t i = r->offsets[u]; i < r->offsets[u + 1]; i++) {
            const uint32_t v = r->to[i];
            if (v >= VERTICES || v == u || r->edge[u][v]) return false; /* the last: twice */
            r->edge[u][v] = 1 + (w->kind->values ? r->values[i] : 0);
        }
    for (unsigned u = 0; u < VERTICES; u++)
        for (unsigned v = 0; v < VERTICES; v++)
            if (r->edge[u][v] != r->edge[v][u]) return false;
    for (unsigned u = 0; exact && u < STAYING; u++)
        for (unsigned v = u + 1; v < STAYING; v++)
            if ((r->edge[u][v] != 0) != (w->value[u][v] != 0)) return false;
    return true;
}

/* Edges to them may come back at once, so that is not looked at. */
static bool delete_some(agent *a, const world *w)
{
    uint32_t gone[4];
    uint8_t outcomes[4] = {0};
    const size_t n = 1 + rng_below(&a->r, 4);
    for (size_t i = 0; i < n; i++) gone[i] = STAYING + (uint32_t)rng_below(&a->r, VERTICES - STAYING);
    if (pleach_graph_erase_vertices(w->graph, n, gone, outcomes) != PLEACH_OK) return false;
    for (size_t i = 0; i < n; i++)
        if (outcomes[i] != PLEACH_EDGE_ERASED && outcomes[i] != PLEACH_EDGE_ABSENT) return false;
    return true;
}

static void erase_vertices(agent *a)
{
    world *w = a->shared;
    size_t looks = 0;
    FREED rows *r = must_alloc(1, sizeof *r);
    for (; atomic_load(&w->busy) > 0 && !stopped(a) && !a->failed; looks++) {
        if (!delete_some(a, w)) agent_fail(a, __FILE__, __LINE__, "vertices are not deleted");
        if (!is_symmetric(w, r, false)) agent_fail(a, __FILE__, __LINE__, "an edge is not the same from both ends");
    }
    atomic_fetch_add(&w->looks, looks);
}

static void take_part(agent *a)
{
    if (a->index < OWNERS)
        own(a);
    else
        erase_vertices(a);
}

static void the_same_from_both_ends(const graph_kind *kind)
{
    FREED world *w = must_alloc(1, sizeof *w);
    FREED rows *r = must_alloc(1, sizeof *r);
    memset(w, 0, sizeof *w);
    w->kind = kind;
    w->calls = scaled_calls(kind, 15000);
    w->graph = graph_open(kind);
    atomic_init(&w->busy, OWNERS);
    run_agents(OWNERS + 1, take_part, w);
    assert_true(is_symmetric(w, r, true));
    graph_checked(OWNERS * w->calls + w->looks);
    graph_close(w->graph);
}

static const graph_case cases[] = {UNDIRECTED_CASE(the_same_from_both_ends)};

int main(int argc, char **argv) { return run_graph_cases("test_symmetry", argc, argv, cases, COUNT_OF(cases)); }
