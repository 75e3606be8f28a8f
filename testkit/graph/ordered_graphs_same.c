#include <stdlib.h>
#include <string.h>

#include "../buffers.h"
#include "ordered_graphs.h"

static void assert_same_vertices(trio *t)
{
    uint64_t vertices, edges, count;
    uint32_t degrees[PLACES + 1], listed[PLACES];
    uint8_t found[PLACES + 1];
    assert_ok(pleach_graph_size(t->ordered, &vertices, &edges));
    assert_true(vertices == t->vertices && edges == t->edges);
    assert_ok(pleach_graph_find_vertices(t->ordered, PLACES + 1, t->id, found, PLEACH_SYNC));
    assert_ok(pleach_graph_degrees(t->ordered, PLACES + 1, t->id, degrees, PLEACH_SYNC));
    assert_true(found[NOWHERE] == 0 && degrees[NOWHERE] == 0);
    assert_ok(pleach_graph_export_vertices(t->ordered, PLACES, listed, &count));
    assert_int_equal(count, t->vertices);
    for (unsigned i = 0, at = 0; i < PLACES; i++) {
        uint32_t degree = 0;
        for (unsigned other = 0; other < PLACES; other++)
            degree += t->edge[i][other];
        assert_int_equal(found[i], t->there[i]);
        assert_int_equal(degrees[i], degree);
        if (t->there[i])
            assert_int_equal(listed[at++], t->id[i]);
    }
}

/* NOWHERE included. */
static void assert_same_finds(trio *t)
{
    for (unsigned from = 0; from <= PLACES; from++) {
        uint32_t froms[PLACES + 1], values[PLACES + 1];
        uint8_t found[PLACES + 1];
        for (unsigned i = 0; i <= PLACES; i++)
            froms[i] = t->id[from];
        assert_ok(pleach_graph_find_edges(t->ordered, PLACES + 1, froms, t->id, t->values ? values : NULL, found,
                                          PLEACH_SYNC));
        for (unsigned to = 0; to <= PLACES; to++) {
            bool there = from < PLACES && to < PLACES && t->edge[from][to];
            assert_int_equal(found[to], there);
            if (there && t->values)
                assert_int_equal(values[to], t->value[from][to]);
        }
    }
}

static void assert_same_neighbours(trio *t)
{
    enum { MOST = PLACES * PLACES };
    uint32_t *targets = must_alloc(MOST, 4), *values = must_alloc(MOST, 4);
    uint64_t offsets[PLACES + 2];
    size_t total = 0, at = 0, ends = t->directed ? t->edges : 2 * t->edges;
    if (ends)
        assert_int_equal(pleach_graph_neighbours(t->ordered, PLACES + 1, t->id, ends - 1, targets, NULL, offsets,
                                                 &total), PLEACH_E_SPACE);
    assert_int_equal(total, ends);
    assert_ok(pleach_graph_neighbours(t->ordered, PLACES + 1, t->id, ends, targets, t->values ? values : NULL, offsets,
                                      &total));
    assert_int_equal(total, ends);
    for (unsigned from = 0; from < PLACES; from++) {
        assert_int_equal(offsets[from], at);
        for (unsigned to = 0; to < PLACES; to++) {
            if (!t->edge[from][to])
                continue;
            assert_int_equal(targets[at], t->id[to]);
            assert_true(!t->values || values[at] == t->value[from][to]);
            at++;
        }
    }
    assert_true(at == ends && offsets[PLACES] == ends && offsets[PLACES + 1] == ends);
    free(targets);
    free(values);
}

/* Rows, edges and triangles of both graphs are the same; those of the model were compared by neighbours. */
typedef struct exports {
    uint64_t rows, entries, edges, triangles, offsets[4096], by_vertex[4096];
    uint32_t targets[PLACES * PLACES], row_values[PLACES * PLACES];
    uint32_t from[PLACES * PLACES], to[PLACES * PLACES], values[PLACES * PLACES];
} exports;

static exports *export_all(const trio *t, pleach_graph *graph)
{
    exports *e = must_alloc(1, sizeof *e);
    assert_ok(pleach_graph_export_rows(graph, 4095, e->offsets, PLACES * PLACES, e->targets,
                                       t->values ? e->row_values : NULL, &e->rows, &e->entries));
    assert_ok(pleach_graph_export_edges(graph, PLACES * PLACES, e->from, e->to, t->values ? e->values : NULL,
                                        &e->edges));
    if (!t->directed)
        assert_ok(pleach_graph_triangles(graph, 4096, e->by_vertex, &e->triangles));
    return e;
}

static void assert_same_exports(trio *t)
{
    exports *one = export_all(t, t->ordered), *two = export_all(t, t->hash);
    assert_memory_equal(one, two, sizeof *one);
    if (!t->directed) {
        uint64_t by_place[PLACES];
        assert_int_equal(one->triangles, trio_triangles(t, by_place));
        for (unsigned i = 0; i < PLACES; i++)
            assert_int_equal(one->by_vertex[t->id[i]], by_place[i]);
        double first[4096] = {0}, second[4096] = {0}, average[2];
        assert_ok(pleach_graph_clustering(t->ordered, 4096, first, &average[0]));
        assert_ok(pleach_graph_clustering(t->hash, 4096, second, &average[1]));
        assert_memory_equal(first, second, sizeof first);
        assert_true(average[0] == average[1]);
    }
    free(one);
    free(two);
}

void assert_trio_same(trio *t)
{
    assert_ordered_sound(t->ordered);
    assert_same_vertices(t);
    assert_same_finds(t);
    assert_same_neighbours(t);
    assert_same_exports(t);
    count_checked(4 * PLACES * PLACES);
}
