/* test_graph_ordered_faults.c - ordered graphs without memory: every allocation of a script of calls fails in turn, and
 * limits are reached. Whatever fails, the graph is as it was before the call, is valid, and leaves nothing behind. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/buffers.h"
#include "testkit/graph/ordered_graphs.h"

enum { EDGES = 400, IDS = 60, MOST = 4 * EDGES };

/* ---- what is there ---- */

typedef struct contents {
    uint64_t vertices, edges;
    uint32_t from[MOST], to[MOST], values[MOST], ids[MOST];
} contents;

static contents *contents_of(pleach_graph *graph, bool values)
{
    contents *c = must_alloc(1, sizeof *c);
    assert_ok(pleach_graph_export_edges(graph, MOST, c->from, c->to, values ? c->values : NULL, &c->edges));
    assert_ok(pleach_graph_export_vertices(graph, MOST, c->ids, &c->vertices));
    return c;
}

static void assert_unchanged(pleach_graph *graph, bool values, const contents *before)
{
    FREED contents *now = contents_of(graph, values);
    assert_memory_equal(now, before, sizeof *now);
    assert_sound(graph);
}

/* ---- a script ---------------------------------------------------------------------------------------------------- */

typedef struct script {
    pleach_graph *graph;
    bool directed, values;
    uint32_t from[EDGES], to[EDGES], numbers[EDGES];
    uint8_t outcomes[EDGES];
    uint64_t by_vertex[IDS];
} script;

typedef pleach_status step(script *s);

static const uint32_t *values_of(const script *s)
{
    return s->values ? s->numbers : NULL;
}

static pleach_status insert(script *s)
{
    return pleach_graph_insert_edges(s->graph, EDGES / 2, s->from, s->to, values_of(s), s->outcomes, PLEACH_SYNC);
}

static pleach_status insert_more(script *s)
{
    return pleach_graph_insert_edges(s->graph, EDGES, s->from, s->to, values_of(s), s->outcomes, PLEACH_SYNC);
}

static pleach_status insert_counting(script *s)
{
    uint64_t change;
    if (s->directed)
        return PLEACH_OK;
    pleach_status status = pleach_graph_insert_counting(s->graph, EDGES, s->to, s->from, values_of(s), s->outcomes, IDS,
                                                        s->by_vertex, &change);
    assert_true(status == PLEACH_OK || change == 0);
    return status;
}

static pleach_status erase(script *s)
{
    return pleach_graph_erase_edges(s->graph, EDGES / 3, s->from, s->to, s->outcomes, PLEACH_SYNC);
}

static pleach_status erase_counting(script *s)
{
    uint64_t change;
    if (s->directed)
        return PLEACH_OK;
    pleach_status status = pleach_graph_erase_counting(s->graph, EDGES / 2, s->to, s->from, s->outcomes, IDS,
                                                       s->by_vertex, &change);
    assert_true(status == PLEACH_OK || change == 0);
    return status;
}

static pleach_status insert_vertices(script *s)
{
    return pleach_graph_insert_vertices(s->graph, EDGES, s->numbers, s->outcomes, PLEACH_SYNC);
}

static pleach_status new_vertices(script *s)
{
    uint32_t ids[40];
    return pleach_graph_new_vertices(s->graph, 40, ids);
}

static pleach_status erase_vertices(script *s)
{
    return pleach_graph_erase_vertices(s->graph, 9, s->from, s->outcomes);
}

static pleach_status ask(script *s)
{
    uint32_t degrees[EDGES];
    uint8_t found[EDGES];
    uint64_t offsets[EDGES + 1], total;
    pleach_status status = pleach_graph_find_edges(s->graph, EDGES, s->from, s->to, NULL, found, PLEACH_SYNC);
    if (status == PLEACH_OK) status = pleach_graph_degrees(s->graph, EDGES, s->from, degrees, PLEACH_SYNC);
    if (status != PLEACH_OK) return status;
    FREED uint32_t *lists = must_alloc(EDGES * IDS, 4);
    status = pleach_graph_neighbours(s->graph, EDGES, s->from, EDGES * IDS, lists, NULL, offsets, NULL);
    if (status == PLEACH_OK && !s->directed) status = pleach_graph_triangles(s->graph, 0, NULL, &total);
    return status;
}

static pleach_status snapshot(script *s)
{
    pleach_graph_snapshot *taken;
    uint64_t edges;
    FREED uint32_t *from = must_alloc(MOST, 4), *to = must_alloc(MOST, 4);
    pleach_status status = pleach_graph_snapshot_take(s->graph, &taken);
    if (status == PLEACH_OK) {
        status = pleach_graph_snapshot_export_edges(taken, MOST, from, to, NULL, &edges);
        pleach_graph_snapshot_release(taken);
    } else
        assert_null(taken);
    return status;
}

static pleach_status look(script *s)
{
    pleach_graph_stats stats;
    char why[200];
    pleach_status status = pleach_graph_get_stats(s->graph, &stats);
    if (status == PLEACH_OK) status = pleach_graph_validate(s->graph, why, sizeof why);
    assert_int_not_equal(status, PLEACH_E_CORRUPT);
    return status;
}

static pleach_status clear(script *s)
{
    return pleach_graph_clear(s->graph);
}

static pleach_status build(script *s)
{
    return pleach_graph_build(s->graph, EDGES, s->from, s->to, values_of(s));
}

static step *const steps[] = {insert, insert_more, ask, erase, insert_counting, erase_counting, insert_vertices,
                              new_vertices, snapshot, erase_vertices, look, clear, build, ask, insert};

static void fill(script *s, const setting *where, bool directed)
{
    rng r = rng_for(test_seed(), 50);
    s->directed = directed;
    s->values = where->key_bits == 64;
    for (size_t i = 0; i < EDGES; i++) {
        s->from[i] = (uint32_t)rng_below(&r, IDS);
        s->to[i] = (uint32_t)rng_below(&r, IDS);
        s->numbers[i] = (uint32_t)i;
    }
}

/* The step with its n-th allocation failing; the graph is as before, and then the step succeeds. False: there was no
 * such allocation. */
static bool strike(script *s, step *call, long n)
{
    FREED contents *before = contents_of(s->graph, s->values);
    uint64_t by_vertex[IDS];
    memcpy(by_vertex, s->by_vertex, sizeof by_vertex);
    memset(s->outcomes, 0, sizeof s->outcomes); /* also if the step has none */
    base_fail_nth_allocation(n);
    pleach_status status = call(s);
    bool struck = base_fail_nth_allocation(0) >= n;
    if (status != PLEACH_OK) {
        assert_true(struck && (status == PLEACH_E_MEMORY || status == PLEACH_E_FULL));
        for (size_t i = 0; i < EDGES; i++)
            assert_int_equal(s->outcomes[i], PLEACH_EDGE_NOT_APPLIED);
        assert_memory_equal(s->by_vertex, by_vertex, sizeof by_vertex);
        assert_unchanged(s->graph, s->values, before);
    }
    return status != PLEACH_OK || struck;
}

/* Runs the script; in step `where` the n-th allocation fails. */
static bool run_script(const setting *where, bool directed, bool live, size_t which, long n)
{
    FREED script *s = must_alloc(1, sizeof *s);
    long held = base_held();
    bool struck = false;
    pleach_graph_snapshot *kept = NULL;
    fill(s, where, directed);
    s->graph = ordered_open(where, directed, true, 0);
    if (live)
        assert_ok(pleach_graph_snapshot_take(s->graph, &kept));
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        if (live && (steps[i] == clear || steps[i] == build))
            continue;
        if (i == which)
            struck = strike(s, steps[i], n);
        else if (steps[i](s) != PLEACH_OK)
            assert_true(steps[i] == build && i > which); /* the graph was not emptied */
        if (i >= which + 2)
            break;
    }
    pleach_graph_snapshot_release(kept);
    assert_sound(s->graph);
    pleach_graph_destroy(s->graph);
    assert_int_equal(base_held(), held);
    count_checked(1);
    return struck;
}

static void every_allocation_fails(const setting *where)
{
    size_t strikes = 0;
    for (unsigned kind = 0; kind < 4; kind++)
        for (size_t which = 0; which < COUNT_OF(steps); which++) {
            long n = 1;
            while (run_script(where, kind & 1, kind & 2, which, n)) {
                n += where->device == PLEACH_CUDA ? 1 + n : 1; /* a GPU's calls stage their arrays: there are many */
                strikes++;
            }
        }
    assert_true(strikes > COUNT_OF(steps));
}

/* Creating. */
static void creation_fails(const setting *where)
{
    pleach_graph_config config = {.device = where->device, .threads = where->threads, .snapshots = 1,
                                  .adjacency = PLEACH_ADJACENCY_ORDERED};
    pleach_graph *graph = NULL;
    long held = base_held(), n = 1;
    for (;; n++) {
        base_fail_nth_allocation(n);
        pleach_status status = pleach_graph_create(&graph, &config);
        base_fail_nth_allocation(0);
        if (status == PLEACH_OK)
            break;
        assert_true(status == PLEACH_E_MEMORY && !graph);
        assert_int_equal(base_held(), held);
    }
    assert_true(n > 3);
    pleach_graph_destroy(graph);
    assert_int_equal(base_held(), held);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

enum { PART = 300, ROWS = 8000 };

/* Edges until there is no room for more; answers how many there are. The rows of neighbouring vertices have much in
 * common, so that there are triangles. */
static uint64_t fill_to_the_limit(pleach_graph *graph, bool values)
{
    uint32_t from[PART], to[PART];
    uint8_t outcomes[PART];
    uint64_t vertices, edges, before_vertices = 0, before_edges = 0;
    for (uint32_t part = 0;; part++) {
        assert_true(part < 1000);
        for (uint32_t i = 0; i < PART; i++) {
            from[i] = part;
            to[i] = i ? 1000 + (part * 7 + i) % 5000 : part + 1;
        }
        pleach_status status = pleach_graph_insert_edges(graph, PART, from, to, values ? to : NULL, outcomes,
                                                         PLEACH_SYNC);
        assert_ok(pleach_graph_size(graph, &vertices, &edges));
        if (status == PLEACH_OK) {
            before_vertices = vertices;
            before_edges = edges;
            continue;
        }
        assert_int_equal(status, PLEACH_E_FULL);
        for (uint32_t i = 0; i < PART; i++)
            assert_int_equal(outcomes[i], PLEACH_EDGE_NOT_APPLIED);
        assert_true(vertices == before_vertices && edges == before_edges && edges > PART);
        assert_sound(graph);
        return edges;
    }
}

/* With a live snapshot erasing needs memory, for copies. Refused, it takes back what it had counted. */
static void erase_at_the_limit(pleach_graph *graph, uint64_t edges, bool live)
{
    FREED uint32_t *from = must_alloc(edges, 4), *to = must_alloc(edges, 4);
    FREED uint64_t *by_vertex = must_alloc(ROWS, sizeof *by_vertex), *expected = must_alloc(ROWS, sizeof *expected);
    uint64_t triangles, change, left;
    FREED uint8_t *outcomes = must_alloc(edges, 1);
    assert_ok(pleach_graph_export_edges(graph, edges, from, to, NULL, &left));
    assert_ok(pleach_graph_triangles(graph, ROWS, by_vertex, &triangles));
    assert_true(triangles > 0);
    memcpy(expected, by_vertex, ROWS * sizeof *expected);
    assert_int_equal(pleach_graph_erase_counting(graph, edges, from, to, outcomes, ROWS, by_vertex, &change),
                     live ? PLEACH_E_FULL : PLEACH_OK);
    assert_int_equal(change, live ? 0 : triangles);
    for (uint64_t i = 0; i < edges; i++)
        assert_int_equal(outcomes[i], live ? PLEACH_EDGE_NOT_APPLIED : PLEACH_EDGE_ERASED);
    for (size_t i = 0; i < ROWS; i++)
        assert_int_equal(by_vertex[i], live ? expected[i] : 0);
    assert_int_equal(pleach_graph_erase_vertices(graph, edges, from, outcomes), live ? PLEACH_E_FULL : PLEACH_OK);
    assert_ok(pleach_graph_size(graph, NULL, &left));
    assert_int_equal(left, live ? edges : 0);
    assert_sound(graph);
}

static void at_the_limit(const setting *where, bool live)
{
    pleach_graph *graph = ordered_open(where, false, true, 1 << 19);
    pleach_graph_snapshot *kept = NULL;
    uint64_t edges = fill_to_the_limit(graph, where->key_bits == 64);
    if (live)
        assert_ok(pleach_graph_snapshot_take(graph, &kept));
    erase_at_the_limit(graph, edges, live);
    pleach_graph_snapshot_release(kept);
    assert_ok(pleach_graph_clear(graph));
    assert_true(fill_to_the_limit(graph, where->key_bits == 64) == edges);
    pleach_graph_destroy(graph);
    count_checked(3 * edges);
}

static void limits_are_kept(const setting *where)
{
    at_the_limit(where, false);
    at_the_limit(where, true);
}

/* What is too much for the limit leaves the graph empty, and usable. */
static void a_build_that_does_not_fit(const setting *where)
{
    enum { MANY = 100000 };
    pleach_graph *graph = ordered_open(where, true, false, 1 << 19);
    FREED uint32_t *from = must_alloc(MANY, 4), *to = must_alloc(MANY, 4);
    uint64_t vertices, edges;
    for (uint32_t i = 0; i < MANY; i++) {
        from[i] = i;
        to[i] = i + 1;
    }
    const uint32_t *values = where->key_bits == 64 ? to : NULL;
    assert_int_equal(pleach_graph_build(graph, MANY, from, to, values), PLEACH_E_FULL);
    assert_ok(pleach_graph_size(graph, &vertices, &edges));
    assert_true(vertices == 0 && edges == 0);
    assert_ok(pleach_graph_build(graph, 100, from, to, values));
    assert_ok(pleach_graph_size(graph, &vertices, &edges));
    assert_true(vertices == 101 && edges == 100);
    assert_sound(graph);
    pleach_graph_destroy(graph);
    count_checked(MANY);
}

static const test_case cases[] = {
    CASE(every_allocation_fails),
    CASE(creation_fails),
    CASE(limits_are_kept),
    CASE(a_build_that_does_not_fit),
};

int main(int argc, char **argv)
{
    tests_of_trees();
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
