#include <stdlib.h>
#include <string.h>

#include "../buffers.h"
#include "graphs.h"

graph_matrix matrix_open(const graph_kind *kind, uint32_t n, const uint32_t *ids)
{
    size_t cells = (size_t)n * n;
    return (graph_matrix){.kind = kind, .n = n, .ids = ids, .there = must_alloc(n, sizeof(bool)),
                         .edge = must_alloc(cells, sizeof(bool)), .value = must_alloc(cells, sizeof(uint32_t)),
                         .news = must_alloc(cells, sizeof(uint16_t))};
}

void matrix_close(graph_matrix *m)
{
    free(m->there);
    free(m->edge);
    free(m->value);
    free(m->news);
}

static size_t cell(const graph_matrix *m, uint32_t from, uint32_t to)
{
    return (size_t)from * m->n + to;
}

/* The cell that stands for an edge, whichever end it is named from. */
static size_t home_cell(const graph_matrix *m, uint32_t from, uint32_t to)
{
    return m->kind->directed || from < to ? cell(m, from, to) : cell(m, to, from);
}

static void set_edge(graph_matrix *m, uint32_t from, uint32_t to, bool there, uint32_t value)
{
    m->edge[cell(m, from, to)] = there;
    m->value[cell(m, from, to)] = value;
    if (m->kind->directed)
        return;
    m->edge[cell(m, to, from)] = there;
    m->value[cell(m, to, from)] = value;
}

bool matrix_put_vertex(graph_matrix *m, uint32_t place)
{
    bool fresh = !m->there[place];
    m->there[place] = true;
    m->vertices += fresh;
    return fresh;
}

pleach_edge_outcome matrix_put(graph_matrix *m, uint32_t from, uint32_t to, uint32_t value)
{
    if (from == to)
        return PLEACH_EDGE_LOOP;
    bool fresh = !m->edge[cell(m, from, to)];
    matrix_put_vertex(m, from);
    matrix_put_vertex(m, to);
    set_edge(m, from, to, true, m->kind->values ? value : 0);
    m->edges += fresh;
    return fresh ? PLEACH_EDGE_NEW : PLEACH_EDGE_REPLACED;
}

pleach_edge_outcome matrix_erase(graph_matrix *m, uint32_t from, uint32_t to)
{
    if (from == to)
        return PLEACH_EDGE_LOOP;
    if (!m->edge[cell(m, from, to)])
        return PLEACH_EDGE_ABSENT;
    set_edge(m, from, to, false, 0);
    m->edges--;
    return PLEACH_EDGE_ERASED;
}

bool matrix_erase_vertex(graph_matrix *m, uint32_t place)
{
    if (!m->there[place])
        return false;
    for (uint32_t other = 0; other < m->n; other++)
        if (other != place) {
            matrix_erase(m, place, other);
            matrix_erase(m, other, place);
        }
    m->there[place] = false;
    m->vertices--;
    return true;
}

void matrix_clear(graph_matrix *m)
{
    memset(m->there, 0, m->n * sizeof *m->there);
    memset(m->edge, 0, (size_t)m->n * m->n * sizeof *m->edge);
    m->edges = m->vertices = 0;
}

uint32_t matrix_degree(const graph_matrix *m, uint32_t place)
{
    uint32_t degree = 0;
    for (uint32_t other = 0; other < m->n; other++)
        degree += m->edge[cell(m, place, other)];
    return degree;
}

uint64_t matrix_triangles(const graph_matrix *m, uint64_t *by_place)
{
    uint64_t total = 0;
    if (by_place)
        memset(by_place, 0, m->n * sizeof *by_place);
    for (uint32_t a = 0; a < m->n; a++)
        for (uint32_t b = a + 1; b < m->n; b++) {
            if (!m->edge[cell(m, a, b)])
                continue;
            for (uint32_t c = b + 1; c < m->n; c++) {
                if (!m->edge[cell(m, a, c)] || !m->edge[cell(m, b, c)])
                    continue;
                total++;
                if (by_place)
                    by_place[a]++, by_place[b]++, by_place[c]++;
            }
        }
    return total;
}

/* ---- calls of many edges ----------------------------------------------------------------------------------------- */

edge_batch edge_batch_open(size_t room)
{
    return (edge_batch){0, must_alloc(room, 4), must_alloc(room, 4), must_alloc(room, 4), must_alloc(room, 4),
                        must_alloc(room, 4), must_alloc(room, 1)};
}

void edge_batch_close(edge_batch *b)
{
    free(b->from_place);
    free(b->to_place);
    free(b->from);
    free(b->to);
    free(b->values);
    free(b->outcomes);
}

void edge_batch_fill(edge_batch *b, size_t n, const graph_matrix *m, uint32_t first_value, rng *r)
{
    b->n = n;
    for (size_t i = 0; i < n; i++) {
        size_t again = i > 0 && rng_percent(r, 10) ? rng_below(r, i) : i;
        bool turned = again < i && rng_percent(r, 50);
        b->from_place[i] = again == i ? (uint32_t)rng_below(r, m->n) : (turned ? b->to_place : b->from_place)[again];
        b->to_place[i] = again == i ? (uint32_t)rng_below(r, m->n) : (turned ? b->from_place : b->to_place)[again];
        b->from[i] = m->ids[b->from_place[i]];
        b->to[i] = m->ids[b->to_place[i]];
        b->values[i] = first_value + (uint32_t)i;
        b->outcomes[i] = UNTOUCHED;
    }
}

/* How often an edge is NEW, or ERASED, in a call: once, if it was not as the call wants it. */
static void assert_changes_once(graph_matrix *m, const edge_batch *b, uint8_t change, uint8_t no_change, bool absent)
{
    for (size_t i = 0; i < b->n; i++) {
        if (b->from_place[i] == b->to_place[i]) {
            assert_int_equal(b->outcomes[i], PLEACH_EDGE_LOOP);
            continue;
        }
        assert_true(b->outcomes[i] == change || b->outcomes[i] == no_change);
        m->news[home_cell(m, b->from_place[i], b->to_place[i])] += b->outcomes[i] == change;
    }
    for (size_t i = 0; i < b->n; i++) {
        bool was_absent = !m->edge[cell(m, b->from_place[i], b->to_place[i])];
        if (b->from_place[i] != b->to_place[i])
            assert_int_equal(m->news[home_cell(m, b->from_place[i], b->to_place[i])], was_absent == absent);
    }
    for (size_t i = 0; i < b->n; i++)
        m->news[home_cell(m, b->from_place[i], b->to_place[i])] = 0;
    graph_checked(b->n);
}

void matrix_follow_erase(graph_matrix *m, const edge_batch *b)
{
    assert_changes_once(m, b, PLEACH_EDGE_ERASED, PLEACH_EDGE_ABSENT, false);
    for (size_t i = 0; i < b->n; i++)
        matrix_erase(m, b->from_place[i], b->to_place[i]);
}

void matrix_follow_insert(graph_matrix *m, pleach_graph *graph, const edge_batch *b)
{
    FREED uint8_t *found = untouched_bytes(b->n);
    FREED uint32_t *values = must_alloc(b->n, sizeof *values);
    assert_changes_once(m, b, PLEACH_EDGE_NEW, PLEACH_EDGE_REPLACED, true);
    assert_ok(pleach_graph_find_edges(graph, b->n, b->from, b->to, m->kind->values ? values : NULL, found,
                                      PLEACH_SYNC));
    for (size_t i = 0; i < b->n; i++) {
        uint32_t from = b->from_place[i], to = b->to_place[i];
        assert_int_equal(found[i], from != to);
        if (from == to)
            continue;
        size_t giver = values[i] - b->values[0];
        if (m->kind->values) {
            assert_true(giver < b->n);
            assert_int_equal(home_cell(m, b->from_place[giver], b->to_place[giver]), home_cell(m, from, to));
        }
        matrix_put(m, from, to, values[i]);
    }
}
