#include "ordered_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "../buffers.h"

/* ---- life ---- */

pleach_graph *ordered_open(const setting *where, bool directed, bool snapshots, uint64_t max_bytes)
{
    pleach_graph_config config = {.device = where->device, .directed = directed, .values = where->key_bits == 64,
                                  .threads = where->threads, .adjacency = PLEACH_ADJACENCY_ORDERED,
                                  .snapshots = snapshots, .max_bytes = max_bytes};
    pleach_graph *graph = NULL;
    assert_ok(pleach_graph_create(&graph, &config));
    return graph;
}

trio *trio_open(const setting *where, bool directed, bool snapshots, rng *r)
{
    trio *t = must_alloc(1, sizeof *t);
    pleach_graph_config config = {.directed = directed, .values = where->key_bits == 64, .threads = 1};
    t->kind = (graph_kind){.directed = directed, .values = config.values};
    t->model = matrix_open(&t->kind, PLACES, t->id);
    t->ordered = ordered_open(where, directed, snapshots, 0);
    assert_ok(pleach_graph_create(&t->hash, &config));
    for (unsigned i = 0; i < PLACES; i++)
        t->id[i] = (i ? t->id[i - 1] + 1 : 0) + (uint32_t)rng_below(r, 50);
    t->id[NOWHERE] = PLEACH_NO_VERTEX;
    return t;
}

void trio_close(trio *t)
{
    graph_close(t->ordered);
    pleach_graph_destroy(t->hash);
    matrix_close(&t->model);
    free(t);
}

void places_fill(places *p, size_t n, bool wild, rng *r)
{
    p->n = n;
    for (size_t i = 0; i < n; i++) {
        size_t again = i > 0 && rng_percent(r, 20) ? rng_below(r, i) : i;
        bool turned = rng_percent(r, 50);
        p->from[i] = again == i ? (unsigned)rng_below(r, PLACES + (wild && rng_percent(r, 10)))
                                : (turned ? p->to : p->from)[again];
        p->to[i] = again == i ? (unsigned)rng_below(r, PLACES) : (turned ? p->from : p->to)[again];
        p->values[i] = (uint32_t)rng_next(r);
    }
}

/* ---- the model ---- */

static pleach_edge_outcome trio_put_vertex(trio *t, unsigned place)
{
    if (place == NOWHERE)
        return PLEACH_EDGE_NOT_APPLIED;
    return matrix_put_vertex(&t->model, place) ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED;
}

static pleach_edge_outcome trio_put(trio *t, unsigned from, unsigned to, uint32_t value)
{
    if (from == NOWHERE || to == NOWHERE)
        return PLEACH_EDGE_NOT_APPLIED;
    return matrix_put(&t->model, from, to, value);
}

static pleach_edge_outcome trio_take(trio *t, unsigned from, unsigned to)
{
    if (from == NOWHERE || to == NOWHERE)
        return PLEACH_EDGE_NOT_APPLIED;
    return matrix_erase(&t->model, from, to);
}

static pleach_edge_outcome trio_take_vertex(trio *t, unsigned place)
{
    return place != NOWHERE && matrix_erase_vertex(&t->model, place) ? PLEACH_EDGE_ERASED : PLEACH_EDGE_ABSENT;
}

/* ---- calls ---- */

typedef struct ids {
    uint32_t from[MOST_IN_CALL], to[MOST_IN_CALL];
    const uint32_t *values;
    uint8_t outcomes[MOST_IN_CALL];
    bool nowhere; /* an id is none */
} ids;

static ids ids_of(const trio *t, const places *p, bool edges)
{
    ids of = {.values = t->kind.values ? p->values : NULL};
    memset(of.outcomes, UNTOUCHED, sizeof of.outcomes);
    for (size_t i = 0; i < p->n; i++) {
        of.from[i] = t->id[p->from[i]];
        of.to[i] = t->id[p->to[i]];
        of.nowhere |= p->from[i] == NOWHERE || (edges && p->to[i] == NOWHERE);
    }
    return of;
}

void trio_insert(trio *t, const places *p)
{
    ids of = ids_of(t, p, true);
    assert_int_equal(pleach_graph_insert_edges(t->ordered, p->n, of.from, of.to, of.values, of.outcomes, PLEACH_SYNC),
                     of.nowhere ? PLEACH_E_VERTEX : PLEACH_OK);
    for (size_t i = 0; i < p->n; i++) {
        uint8_t outcome = UNTOUCHED;
        pleach_graph_insert_edges(t->hash, 1, &of.from[i], &of.to[i], of.values ? &of.values[i] : NULL, &outcome,
                                  PLEACH_SYNC);
        assert_int_equal(of.outcomes[i], outcome);
        assert_int_equal(of.outcomes[i], trio_put(t, p->from[i], p->to[i], p->values[i]));
    }
    count_checked(p->n);
}

void trio_erase(trio *t, const places *p)
{
    ids of = ids_of(t, p, true);
    assert_int_equal(pleach_graph_erase_edges(t->ordered, p->n, of.from, of.to, of.outcomes, PLEACH_SYNC),
                     of.nowhere ? PLEACH_E_VERTEX : PLEACH_OK);
    for (size_t i = 0; i < p->n; i++) {
        uint8_t outcome = UNTOUCHED;
        pleach_graph_erase_edges(t->hash, 1, &of.from[i], &of.to[i], &outcome, PLEACH_SYNC);
        assert_int_equal(of.outcomes[i], outcome);
        assert_int_equal(of.outcomes[i], trio_take(t, p->from[i], p->to[i]));
    }
    count_checked(p->n);
}

void trio_insert_vertices(trio *t, const places *p)
{
    ids of = ids_of(t, p, false);
    assert_int_equal(pleach_graph_insert_vertices(t->ordered, p->n, of.from, of.outcomes, PLEACH_SYNC),
                     of.nowhere ? PLEACH_E_VERTEX : PLEACH_OK);
    pleach_graph_insert_vertices(t->hash, p->n, of.from, NULL, PLEACH_SYNC);
    for (size_t i = 0; i < p->n; i++)
        assert_int_equal(of.outcomes[i], trio_put_vertex(t, p->from[i]));
    count_checked(p->n);
}

void trio_erase_vertices(trio *t, const places *p)
{
    ids of = ids_of(t, p, false);
    uint8_t outcomes[MOST_IN_CALL];
    assert_ok(pleach_graph_erase_vertices(t->ordered, p->n, of.from, of.outcomes));
    assert_ok(pleach_graph_erase_vertices(t->hash, p->n, of.from, outcomes));
    assert_memory_equal(of.outcomes, outcomes, p->n);
    for (size_t i = 0; i < p->n; i++)
        assert_int_equal(of.outcomes[i], trio_take_vertex(t, p->from[i]));
    count_checked(p->n);
}

void trio_count(trio *t, const places *p, bool coming)
{
    ids of = ids_of(t, p, true);
    uint64_t before[PLACES], after[PLACES], change = UINT64_MAX, ignored;
    uint64_t total = matrix_triangles(&t->model, before);
    FREED uint64_t *by_vertex = must_alloc(t->id[PLACES - 1], sizeof *by_vertex);
    pleach_status status;
    if (coming)
        status = pleach_graph_insert_counting(t->ordered, p->n, of.from, of.to, of.values, of.outcomes,
                                              t->id[PLACES - 1], by_vertex, &change);
    else
        status = pleach_graph_erase_counting(t->ordered, p->n, of.from, of.to, of.outcomes, t->id[PLACES - 1],
                                             by_vertex, &change);
    assert_int_equal(status, of.nowhere ? PLEACH_E_VERTEX : PLEACH_OK);
    for (size_t i = 0; i < p->n; i++) {
        assert_int_equal(of.outcomes[i], coming ? trio_put(t, p->from[i], p->to[i], p->values[i])
                                                : trio_take(t, p->from[i], p->to[i]));
        if (coming)
            pleach_graph_insert_counting(t->hash, 1, &of.from[i], &of.to[i], of.values ? &of.values[i] : NULL, NULL, 0,
                                         NULL, &ignored);
        else
            pleach_graph_erase_counting(t->hash, 1, &of.from[i], &of.to[i], NULL, 0, NULL, &ignored);
    }
    uint64_t then = matrix_triangles(&t->model, after);
    assert_int_equal(change, coming ? then - total : total - then);
    for (unsigned i = 0; i + 1 < PLACES; i++) /* the last one is beyond the capacity */
        assert_true(by_vertex[t->id[i]] == after[i] - before[i]);
    count_checked(p->n);
}

void trio_rebuild(trio *t, const places *p)
{
    ids of = ids_of(t, p, true);
    assert_ok(pleach_graph_clear(t->ordered));
    assert_ok(pleach_graph_clear(t->hash));
    matrix_clear(&t->model);
    pleach_status expected = of.nowhere ? PLEACH_E_VERTEX : PLEACH_OK;
    assert_int_equal(pleach_graph_build(t->ordered, p->n, of.from, of.to, of.values), expected);
    for (size_t i = 0; i < p->n; i++) {
        pleach_graph_insert_edges(t->hash, 1, &of.from[i], &of.to[i], of.values ? &of.values[i] : NULL, NULL,
                                  PLEACH_SYNC);
        trio_put(t, p->from[i], p->to[i], p->values[i]);
    }
    if (t->model.vertices)
        assert_int_equal(pleach_graph_build(t->ordered, p->n, of.from, of.to, of.values), PLEACH_E_NOT_EMPTY);
}
