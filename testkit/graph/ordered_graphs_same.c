#include <stdlib.h>
#include <string.h>

#include "../buffers.h"
#include "ordered_graphs.h"

/* What graphs.h does not ask: an id that is no vertex's, in the same calls as ids of vertices. */
static void assert_nowhere(const trio *t)
{
    uint32_t degrees[PLACES + 1], froms[PLACES + 1], values[PLACES + 1];
    uint8_t found[PLACES + 1];
    assert_ok(pleach_graph_find_vertices(t->ordered, PLACES + 1, t->id, found, PLEACH_SYNC));
    assert_ok(pleach_graph_degrees(t->ordered, PLACES + 1, t->id, degrees, PLEACH_SYNC));
    assert_true(found[NOWHERE] == 0 && degrees[NOWHERE] == 0);
    for (unsigned from = 0; from <= PLACES; from++) {
        for (unsigned i = 0; i <= PLACES; i++)
            froms[i] = t->id[from];
        assert_ok(pleach_graph_find_edges(t->ordered, PLACES + 1, froms, t->id, t->kind.values ? values : NULL, found,
                                          PLEACH_SYNC));
        for (unsigned to = 0; to <= PLACES; to++) {
            size_t at = (size_t)from * PLACES + to;
            bool there = from < PLACES && to < PLACES && t->model.edge[at];
            assert_int_equal(found[to], there);
            if (there && t->kind.values)
                assert_int_equal(values[to], t->model.value[at]);
        }
    }
}

/* Of NOWHERE too, which has none, and with room for all of them but one. */
static void assert_room_for_neighbours(const trio *t)
{
    FREED uint32_t *targets = must_alloc(PLACES * PLACES, 4);
    uint64_t offsets[PLACES + 2];
    size_t total = 0, ends = t->kind.directed ? t->model.edges : 2 * t->model.edges;
    if (ends)
        assert_int_equal(pleach_graph_neighbours(t->ordered, PLACES + 1, t->id, ends - 1, targets, NULL, offsets,
                                                 &total), PLEACH_E_SPACE);
    assert_int_equal(total, ends);
    assert_ok(pleach_graph_neighbours(t->ordered, PLACES + 1, t->id, ends, targets, NULL, offsets, &total));
    assert_true(total == ends && offsets[PLACES] == ends && offsets[PLACES + 1] == ends);
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
                                       t->kind.values ? e->row_values : NULL, &e->rows, &e->entries));
    assert_ok(pleach_graph_export_edges(graph, PLACES * PLACES, e->from, e->to, t->kind.values ? e->values : NULL,
                                        &e->edges));
    if (!t->kind.directed)
        assert_ok(pleach_graph_triangles(graph, 4096, e->by_vertex, &e->triangles));
    return e;
}

static void assert_same_exports(trio *t)
{
    FREED exports *one = export_all(t, t->ordered), *two = export_all(t, t->hash);
    assert_memory_equal(one, two, sizeof *one);
    if (!t->kind.directed) {
        uint64_t by_place[PLACES];
        assert_int_equal(one->triangles, matrix_triangles(&t->model, by_place));
        for (unsigned i = 0; i < PLACES; i++)
            assert_int_equal(one->by_vertex[t->id[i]], by_place[i]);
        double first[4096] = {0}, second[4096] = {0}, average[2];
        assert_ok(pleach_graph_clustering(t->ordered, 4096, first, &average[0]));
        assert_ok(pleach_graph_clustering(t->hash, 4096, second, &average[1]));
        assert_memory_equal(first, second, sizeof first);
        assert_true(average[0] == average[1]);
    }
}

void assert_trio_same(trio *t)
{
    assert_same_graph(t->ordered, &t->model, true);
    assert_nowhere(t);
    assert_room_for_neighbours(t);
    assert_same_exports(t);
    count_checked(4 * PLACES * PLACES);
}
