#include <stdlib.h>
#include <string.h>

#include "../buffers.h"
#include "graphs.h"

static bool edge_of(const graph_matrix *m, uint32_t from, uint32_t to)
{
    return m->edge[(size_t)from * m->n + to];
}

static uint32_t value_in(const graph_matrix *m, uint32_t from, uint32_t to)
{
    return m->value[(size_t)from * m->n + to];
}

static void assert_same_vertices(pleach_graph *graph, const graph_matrix *m)
{
    FREED uint8_t *found = untouched_bytes(m->n);
    FREED uint32_t *degrees = must_alloc(m->n, sizeof *degrees);
    assert_ok(pleach_graph_find_vertices(graph, m->n, m->ids, found, PLEACH_SYNC));
    assert_ok(pleach_graph_degrees(graph, m->n, m->ids, degrees, PLEACH_SYNC));
    for (uint32_t i = 0; i < m->n; i++) {
        assert_int_equal(found[i], m->there[i]);
        assert_int_equal(degrees[i], matrix_degree(m, i));
    }
    assert_graph_size(graph, m->vertices, m->edges);
    graph_checked(2 * (size_t)m->n);
}

/* Every edge is asked for, one row of the matrix a call. */
static void assert_same_edges(pleach_graph *graph, const graph_matrix *m)
{
    FREED uint8_t *found = untouched_bytes(m->n);
    FREED uint32_t *from = must_alloc(m->n, sizeof *from), *values = must_alloc(m->n, sizeof *values);
    for (uint32_t row = 0; row < m->n; row++) {
        for (uint32_t i = 0; i < m->n; i++)
            from[i] = m->ids[row];
        assert_ok(pleach_graph_find_edges(graph, m->n, from, m->ids, m->kind->values ? values : NULL, found,
                                          PLEACH_SYNC));
        for (uint32_t i = 0; i < m->n; i++) {
            assert_int_equal(found[i], edge_of(m, row, i));
            if (found[i] && m->kind->values)
                assert_int_equal(values[i], value_in(m, row, i));
        }
    }
    graph_checked((size_t)m->n * m->n);
}

/* A row of targets with values is what the model has. */
static void assert_row(const graph_matrix *m, uint32_t row, uint64_t count, const uint32_t *targets,
                       const uint32_t *values)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        if (!edge_of(m, row, i))
            continue;
        assert_true(at < count);
        assert_int_equal(targets[at], m->ids[i]);
        if (m->kind->values)
            assert_int_equal(values[at], value_in(m, row, i));
        at++;
    }
    assert_int_equal(at, count);
}

static void assert_same_neighbours(pleach_graph *graph, const graph_matrix *m, uint64_t ends)
{
    FREED uint32_t *targets = must_alloc(ends + 1, sizeof *targets), *values = must_alloc(ends + 1, sizeof *values);
    FREED uint64_t *offsets = must_alloc(m->n + 1, sizeof *offsets);
    size_t total = SIZE_MAX;
    assert_ok(pleach_graph_neighbours(graph, m->n, m->ids, ends, targets, m->kind->values ? values : NULL, offsets,
                                      &total));
    assert_int_equal(total, ends);
    for (uint32_t i = 0; i < m->n; i++)
        assert_row(m, i, offsets[i + 1] - offsets[i], targets + offsets[i], values + offsets[i]);
    graph_checked(m->n);
}

static void assert_same_export(pleach_graph *graph, const graph_matrix *m)
{
    size_t room = m->edges + 1;
    FREED uint32_t *from = must_alloc(room, 4), *to = must_alloc(room, 4), *values = must_alloc(room, 4);
    uint64_t edges = 0, at = 0;
    assert_ok(pleach_graph_export_edges(graph, m->edges, from, to, m->kind->values ? values : NULL, &edges));
    assert_int_equal(edges, m->edges);
    for (uint32_t a = 0; a < m->n; a++)
        for (uint32_t b = m->kind->directed ? 0 : a; b < m->n; b++) {
            if (!edge_of(m, a, b))
                continue;
            assert_true(from[at] == m->ids[a] && to[at] == m->ids[b]);
            if (m->kind->values)
                assert_int_equal(values[at], value_in(m, a, b));
            at++;
        }
    assert_int_equal(at, edges);
}

static void assert_same_list(pleach_graph *graph, const graph_matrix *m)
{
    FREED uint32_t *ids = must_alloc(m->n, sizeof *ids);
    uint64_t n = UINT64_MAX, at = 0;
    assert_ok(pleach_graph_export_vertices(graph, m->n, ids, &n));
    assert_int_equal(n, m->vertices);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->there[i])
            assert_int_equal(ids[at++], m->ids[i]);
}

static void assert_same_rows(pleach_graph *graph, const graph_matrix *m, uint64_t ends)
{
    uint64_t rows = 0, entries = 0, largest = 0, place = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (m->there[i])
            largest = (uint64_t)m->ids[i] + 1;
    FREED uint64_t *offsets = must_alloc(largest + 1, sizeof *offsets);
    FREED uint32_t *targets = must_alloc(ends + 1, sizeof *targets), *values = must_alloc(ends + 1, sizeof *values);
    assert_ok(pleach_graph_export_rows(graph, largest, offsets, ends, targets, m->kind->values ? values : NULL, &rows,
                                       &entries));
    assert_true(rows == largest && entries == ends);
    for (uint64_t row = 0; row < rows; row++) {
        while (place < m->n && m->ids[place] < row)
            place++;
        uint64_t count = offsets[row + 1] - offsets[row];
        if (place < m->n && m->ids[place] == row)
            assert_row(m, (uint32_t)place, count, targets + offsets[row], values + offsets[row]);
        else
            assert_int_equal(count, 0);
    }
}

void assert_same_graph(pleach_graph *graph, const graph_matrix *m, bool rows)
{
    uint64_t ends = m->kind->directed ? m->edges : 2 * m->edges;
    assert_sound(graph);
    assert_same_vertices(graph, m);
    assert_same_edges(graph, m);
    assert_same_neighbours(graph, m, ends);
    assert_same_export(graph, m);
    assert_same_list(graph, m);
    if (rows)
        assert_same_rows(graph, m, ends);
}
