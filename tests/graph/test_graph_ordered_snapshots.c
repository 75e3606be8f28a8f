/* test_graph_ordered_snapshots.c - snapshots of ordered graphs, and lists of neighbours, beside threads that update:
 * whatever is seen is the graph after some number of whole calls.
 *
 * Each writer has vertices of its own and goes through calls that are known beforehand, with the graph after each of
 * them. What a reader sees of a writer's vertices must be one of those graphs, and not an older one than the writer had
 * finished before, nor a newer one than it had begun. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/graph/ordered_graphs.h"

enum { WRITERS = 2, READERS = 2, LISTERS = 1, OWN = 24, ALL = WRITERS * OWN, MOST_EDGES = 40, MOST_STATES = 2001 };

typedef enum call_kind { INSERT, ERASE, ERASE_VERTICES } call_kind;

typedef struct call {
    call_kind kind;
    size_t n;
    uint32_t from[MOST_EDGES], to[MOST_EDGES], values[MOST_EDGES];
} call;

/* A writer's part of the graph. */
typedef struct state {
    uint64_t digest; /* of edges with values, both halves */
    uint64_t vertices, halves, triangles;
} state;

typedef struct plan {
    call *calls;
    state *states; /* before call i */
    atomic_size_t begun, done;
} plan;

typedef struct play {
    pleach_graph *graph;
    bool values, directed;
    size_t calls;
    plan plans[WRITERS];
    atomic_uint writing;
    atomic_size_t seen; /* by readers */
} play;

static uint64_t digest_of(uint32_t from, uint32_t to, uint32_t value)
{
    return mix64(mix64((uint64_t)from << 32 | to) + value);
}

/* ---- plans ---- */

static void apply(graph_matrix *m, const call *c, uint32_t base)
{
    for (size_t i = 0; i < c->n; i++) {
        uint32_t from = c->from[i] - base, to = c->to[i] - base;
        switch (c->kind) {
        case INSERT: matrix_put(m, from, to, c->values[i]); break;
        case ERASE: matrix_erase(m, from, to); break;
        case ERASE_VERTICES: matrix_erase_vertex(m, from); break;
        }
    }
}

static state state_of(const graph_matrix *m, uint32_t base)
{
    state s = {.vertices = m->vertices, .triangles = matrix_triangles(m, NULL)};
    for (uint32_t a = 0; a < OWN; a++)
        for (uint32_t b = 0; b < OWN; b++) {
            if (!m->edge[a * OWN + b])
                continue;
            s.halves++;
            s.digest += digest_of(base + a, base + b, m->value[a * OWN + b]);
        }
    return s;
}

static void make_plan(play *p, unsigned writer)
{
    plan *of = &p->plans[writer];
    const graph_kind kind = {.directed = p->directed, .values = p->values};
    AT_END(matrix_close) graph_matrix m = matrix_open(&kind, OWN, NULL);
    rng r = rng_for(test_seed(), writer + 30);
    const uint32_t base = writer * OWN;
    of->calls = must_alloc(p->calls, sizeof *of->calls);
    of->states = must_alloc(p->calls + 1, sizeof *of->states);
    for (size_t i = 0; i < p->calls; i++) {
        call *c = &of->calls[i];
        c->kind = rng_percent(&r, 5) ? ERASE_VERTICES : rng_percent(&r, 55) ? INSERT : ERASE;
        c->n = c->kind == ERASE_VERTICES ? 1 + rng_below(&r, 3) : 2 + rng_below(&r, MOST_EDGES - 1);
        for (size_t k = 0; k < c->n; k++) {
            c->from[k] = base + (uint32_t)rng_below(&r, OWN);
            c->to[k] = base + (uint32_t)rng_below(&r, OWN);
            c->values[k] = (uint32_t)rng_next(&r);
        }
        apply(&m, c, base);
        of->states[i + 1] = state_of(&m, base);
    }
}

/* ---- writers ---- */

static void write_all(agent *a, play *p, plan *of)
{
    for (size_t i = 0; i < p->calls && !stopped(a); i++) {
        const call *c = &of->calls[i];
        while (i == p->calls / 2 && !atomic_load(&p->seen) && !stopped(a))
            sched_yield(); /* so that readers, who wait for nobody, look while there is something to come */
        atomic_store(&of->begun, i + 1);
        if (c->kind == INSERT)
            EXPECT_OK(a, pleach_graph_insert_edges(p->graph, c->n, c->from, c->to, p->values ? c->values : NULL, NULL,
                                                   PLEACH_SYNC));
        else if (c->kind == ERASE)
            EXPECT_OK(a, pleach_graph_erase_edges(p->graph, c->n, c->from, c->to, NULL, PLEACH_SYNC));
        else
            EXPECT_OK(a, pleach_graph_erase_vertices(p->graph, c->n, c->from, NULL));
        atomic_store(&of->done, i + 1);
    }
}

/* ---- readers ---- */

typedef struct sight {
    size_t first[WRITERS], last[WRITERS]; /* states that it may be */
    state parts[WRITERS];
} sight;

static void look_before(play *p, sight *s)
{
    for (unsigned w = 0; w < WRITERS; w++)
        s->first[w] = atomic_load(&p->plans[w].done);
}

static void look_after(play *p, sight *s)
{
    for (unsigned w = 0; w < WRITERS; w++)
        s->last[w] = atomic_load(&p->plans[w].begun);
}

static void add_half(sight *s, uint32_t from, uint32_t to, uint32_t value)
{
    s->parts[from / OWN].halves++;
    s->parts[from / OWN].digest += digest_of(from, to, value);
}

/* Each part is one of the writer's states. With `whole` also the number of vertices, and of triangles in all. */
static void judge(agent *a, play *p, const sight *s, bool whole, uint64_t triangles)
{
    uint64_t expected = 0;
    for (unsigned w = 0; w < WRITERS; w++) {
        size_t i = s->first[w];
        const state *states = p->plans[w].states, *seen = &s->parts[w];
        while (i <= s->last[w] && (states[i].digest != seen->digest || states[i].halves != seen->halves ||
                                   (whole && states[i].vertices != seen->vertices)))
            i++;
        EXPECT(a, i <= s->last[w]);
        expected += states[i].triangles;
    }
    EXPECT(a, !whole || p->directed || triangles == expected);
    atomic_fetch_add(&p->seen, 1);
}

static void ask_snapshot(agent *a, play *p, pleach_graph_snapshot *snapshot, sight *s)
{
    uint32_t ids[ALL], degrees[ALL], from[ALL * OWN], to[ALL * OWN], values[ALL * OWN];
    uint8_t found[ALL * OWN];
    uint64_t vertices, edges, listed, triangles = 0, seen_vertices = 0, halves = 0, sum = 0;
    memset(s->parts, 0, sizeof s->parts);
    for (uint32_t i = 0; i < ALL; i++)
        ids[i] = i;
    EXPECT_OK(a, pleach_graph_snapshot_size(snapshot, &vertices, &edges));
    EXPECT_OK(a, pleach_graph_snapshot_export_edges(snapshot, ALL * OWN, from, to, p->values ? values : NULL, &listed));
    EXPECT(a, edges == listed);
    EXPECT_OK(a, pleach_graph_snapshot_find_edges(snapshot, listed, to, from, NULL, found));
    for (uint64_t i = 0; i < listed; i++) {
        uint32_t value = p->values ? values[i] : 0;
        add_half(s, from[i], to[i], value);
        if (!p->directed)
            add_half(s, to[i], from[i], value);
        EXPECT(a, p->directed || found[i]);
    }
    EXPECT_OK(a, pleach_graph_snapshot_find_vertices(snapshot, ALL, ids, found));
    EXPECT_OK(a, pleach_graph_snapshot_degrees(snapshot, ALL, ids, degrees));
    for (uint32_t i = 0; i < ALL; i++) {
        s->parts[i / OWN].vertices += found[i];
        seen_vertices += found[i];
        sum += degrees[i];
    }
    for (unsigned w = 0; w < WRITERS; w++)
        halves += s->parts[w].halves;
    EXPECT(a, seen_vertices == vertices && sum == halves);
    if (!p->directed)
        EXPECT_OK(a, pleach_graph_snapshot_triangles(snapshot, 0, NULL, &triangles));
    judge(a, p, s, true, triangles);
}

static void read_snapshots(agent *a, play *p)
{
    do { /* at least once: few updates may be over before a reader begins */
        pleach_graph_snapshot *snapshot;
        sight s;
        look_before(p, &s);
        EXPECT_OK(a, pleach_graph_snapshot_take(p->graph, &snapshot));
        look_after(p, &s);
        ask_snapshot(a, p, snapshot, &s);
        state first[WRITERS];
        memcpy(first, s.parts, sizeof first);
        ask_snapshot(a, p, snapshot, &s); /* later: it is what it was */
        EXPECT(a, !memcmp(first, s.parts, sizeof first));
        pleach_graph_snapshot_release(snapshot);
    } while (atomic_load(&p->writing) && !stopped(a));
}

/* Lists of neighbours of the graph itself are of one instant too, all of a call. */
static void read_lists(agent *a, play *p)
{
    uint32_t ids[ALL], targets[ALL * OWN], values[ALL * OWN];
    uint64_t offsets[ALL + 1];
    for (uint32_t i = 0; i < ALL; i++)
        ids[i] = i;
    do {
        sight s = {0};
        look_before(p, &s);
        EXPECT_OK(a, pleach_graph_neighbours(p->graph, ALL, ids, ALL * OWN, targets, p->values ? values : NULL, offsets,
                                             NULL));
        look_after(p, &s);
        for (uint32_t i = 0; i < ALL; i++)
            for (uint64_t k = offsets[i]; k < offsets[i + 1]; k++)
                add_half(&s, i, targets[k], p->values ? values[k] : 0);
        judge(a, p, &s, false, 0);
    } while (atomic_load(&p->writing) && !stopped(a));
}

static void perform(agent *a)
{
    play *p = a->shared;
    if (a->index < WRITERS) {
        write_all(a, p, &p->plans[a->index]);
        atomic_fetch_sub(&p->writing, 1);
    } else if (a->index < WRITERS + READERS)
        read_snapshots(a, p);
    else
        read_lists(a, p);
}

static void updates_beside(const setting *where, bool directed)
{
    FREED play *p = must_alloc(1, sizeof *p);
    p->values = where->key_bits == 64;
    p->directed = directed;
    p->calls = scaled(where->device == PLEACH_CUDA ? 100 : 1000);
    p->calls = p->calls < MOST_STATES ? p->calls : MOST_STATES;
    p->graph = ordered_open(where, directed, true, 0);
    atomic_store(&p->writing, WRITERS);
    for (unsigned w = 0; w < WRITERS; w++)
        make_plan(p, w);
    run_agents(WRITERS + READERS + LISTERS, perform, p);
    assert_true(atomic_load(&p->seen) > 0);
    assert_sound(p->graph);
    count_checked(atomic_load(&p->seen) + WRITERS * p->calls);
    pleach_graph_destroy(p->graph);
    for (unsigned w = 0; w < WRITERS; w++) {
        free(p->plans[w].calls);
        free(p->plans[w].states);
    }
}

static void undirected_updates_beside(const setting *where) { updates_beside(where, false); }
static void directed_updates_beside(const setting *where) { updates_beside(where, true); }

/* ---- many at once ------------------------------------------------------------------------------------------------ */

/* A snapshot after each call; asked when all is over, and erased. */
static void every_call_has_its_snapshot(const setting *where)
{
    enum { CALLS = 60, STEP = 30 };
    pleach_graph *graph = ordered_open(where, false, true, 0);
    pleach_graph_snapshot *snapshots[CALLS];
    uint32_t hub[STEP], to[STEP], all[CALLS * STEP], vertex = 0, degree;
    uint64_t offsets[2], edges, vertices;
    for (uint32_t i = 0; i < CALLS; i++) {
        for (uint32_t k = 0; k < STEP; k++) {
            hub[k] = vertex;
            to[k] = 1 + k * CALLS + i;
        }
        assert_ok(pleach_graph_insert_edges(graph, STEP, hub, to, where->key_bits == 64 ? to : NULL, NULL,
                                            PLEACH_SYNC));
        assert_ok(pleach_graph_snapshot_take(graph, &snapshots[i]));
    }
    assert_int_equal(pleach_graph_build(graph, 0, NULL, NULL, NULL), PLEACH_E_NOT_EMPTY);
    assert_ok(pleach_graph_erase_vertices(graph, 1, &vertex, NULL));
    for (uint32_t i = 0; i < CALLS; i++) {
        uint32_t expected = (i + 1) * STEP;
        assert_ok(pleach_graph_snapshot_size(snapshots[i], &vertices, &edges));
        assert_true(edges == expected && vertices == expected + 1);
        assert_ok(pleach_graph_snapshot_degrees(snapshots[i], 1, &vertex, &degree));
        assert_int_equal(degree, expected);
        assert_int_equal(pleach_graph_snapshot_neighbours(snapshots[i], 1, &vertex, expected - 1, all, NULL, offsets,
                                                          NULL), PLEACH_E_SPACE);
        assert_ok(pleach_graph_snapshot_neighbours(snapshots[i], 1, &vertex, expected, all, NULL, offsets, NULL));
        assert_int_equal(offsets[1], expected);
        for (uint32_t k = 0; k < expected; k++)
            assert_int_equal(all[k], 1 + k / (i + 1) * CALLS + k % (i + 1));
        pleach_graph_snapshot_release(snapshots[i]);
    }
    assert_ok(pleach_graph_size(graph, &vertices, &edges));
    assert_true(edges == 0 && vertices == CALLS * STEP);
    assert_ok(pleach_graph_clear(graph)); /* none is live */
    pleach_graph_destroy(graph);
    count_checked(CALLS * STEP);
}

static const test_case cases[] = {
    CASE(undirected_updates_beside),
    CASE(directed_updates_beside),
    CASE(every_call_has_its_snapshot),
};

int main(int argc, char **argv)
{
    tests_of_trees();
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
