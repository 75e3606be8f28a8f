/* test_graph_snapshot_arguments.c - the checks of graph/ordered/ordered_snapshot.c, which is compiled into this program so that a
 * pointer can be a GPU's: what is refused writes nothing. */
#include <string.h>

#include <base/memory.h>

#include "testkit/harness.h"
#include "testkit/units.h"

#include "graph/graph_object.h"

static const void *gpu_pointer;

static pleach_status mock_check(const pleach_graph *graph, const void *const *pointers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pointers[i] && pointers[i] == gpu_pointer)
            return PLEACH_E_POINTER;
    return graph_check_pointers(graph, pointers, n);
}

#define graph_check_pointers mock_check
#include "graph/ordered/ordered_snapshot.c"
#undef graph_check_pointers

static uint32_t from[2] = {1, 2}, to[2] = {2, 3}, got[8];
static uint8_t found[2];
static uint64_t offsets[3], number;

static pleach_graph *open_graph(unsigned directed, unsigned snapshots)
{
    pleach_graph_config config = {.adjacency = PLEACH_ADJACENCY_ORDERED, .directed = directed, .snapshots = snapshots,
                                  .threads = 1};
    pleach_graph *graph = NULL;
    assert_ok(pleach_graph_create(&graph, &config));
    assert_ok(pleach_graph_insert_edges(graph, 2, from, to, NULL, NULL, PLEACH_SYNC));
    return graph;
}

static void a_graph_must_be_made_for_snapshots(void)
{
    AT_END(destroy_graph) pleach_graph *without = open_graph(0, 0);
    AT_END(destroy_graph) pleach_graph *graph = open_graph(0, 1);
    pleach_graph_snapshot *snapshot = (pleach_graph_snapshot *)(uintptr_t)64;
    assert_int_equal(pleach_graph_snapshot_take(graph, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_take(NULL, &snapshot), PLEACH_E_ARGUMENT);
    assert_null(snapshot);
    assert_int_equal(pleach_graph_snapshot_take(without, &snapshot), PLEACH_E_ARGUMENT);
    long held = base_held();
    base_fail_nth_allocation(1);
    assert_int_equal(pleach_graph_snapshot_take(graph, &snapshot), PLEACH_E_MEMORY);
    base_fail_nth_allocation(2);
    assert_int_equal(pleach_graph_snapshot_take(graph, &snapshot), PLEACH_E_MEMORY);
    base_fail_nth_allocation(0);
    assert_null(snapshot);
    assert_int_equal(base_held(), held);
    pleach_graph_snapshot_release(NULL);
}

static void questions_need_a_snapshot(void)
{
    size_t total;
    assert_int_equal(pleach_graph_snapshot_size(NULL, &number, &number), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_find_edges(NULL, 1, from, to, NULL, found), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_neighbours(NULL, 1, from, 8, got, NULL, offsets, &total), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_export_edges(NULL, 8, got, got, NULL, &number), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_triangles(NULL, 0, NULL, &number), PLEACH_E_ARGUMENT);
}

static void arrays_that_are_needed_are_asked_for(void)
{
    AT_END(destroy_graph) pleach_graph *graph = open_graph(0, 1);
    pleach_graph_snapshot *snapshot = NULL;
    size_t total = 9;
    uint64_t triangles[8];
    assert_ok(pleach_graph_snapshot_take(graph, &snapshot));
    assert_int_equal(pleach_graph_snapshot_find_edges(snapshot, 1, NULL, to, NULL, found), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_find_vertices(snapshot, 1, from, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_degrees(snapshot, 1, from, NULL), PLEACH_E_ARGUMENT);
    assert_ok(pleach_graph_snapshot_find_edges(snapshot, 0, NULL, NULL, NULL, NULL));
    assert_ok(pleach_graph_snapshot_find_vertices(snapshot, 0, NULL, NULL));
    assert_ok(pleach_graph_snapshot_degrees(snapshot, 0, NULL, NULL));
    assert_int_equal(pleach_graph_snapshot_neighbours(snapshot, 1, from, 8, got, NULL, NULL, &total),
                     PLEACH_E_ARGUMENT);
    assert_int_equal(total, 9);
    assert_ok(pleach_graph_snapshot_neighbours(snapshot, 0, NULL, 0, NULL, NULL, NULL, &total));
    assert_int_equal(total, 0);
    assert_ok(pleach_graph_snapshot_neighbours(snapshot, 2, from, 8, got, NULL, offsets, NULL));
    assert_ok(pleach_graph_snapshot_neighbours(snapshot, 0, NULL, 0, NULL, NULL, NULL, NULL));
    uint64_t first = 1;
    assert_ok(pleach_graph_snapshot_neighbours(snapshot, 0, NULL, 0, NULL, NULL, &first, NULL));
    assert_int_equal(first, 0);
    assert_ok(pleach_graph_snapshot_neighbours(snapshot, 2, from, 8, got, NULL, offsets, &total));
    assert_true(total == 3 && offsets[2] == 3 && got[0] == 2 && got[1] == 1 && got[2] == 3);
    assert_int_equal(pleach_graph_snapshot_export_edges(snapshot, 8, got, NULL, NULL, &number), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_graph_snapshot_triangles(snapshot, 0, NULL, NULL), PLEACH_E_ARGUMENT);
    gpu_pointer = triangles;
    assert_int_equal(pleach_graph_snapshot_triangles(snapshot, 8, triangles, &number), PLEACH_E_POINTER);
    gpu_pointer = NULL;
    assert_ok(pleach_graph_snapshot_triangles(snapshot, 8, triangles, &number));
    assert_int_equal(number, 0);
    pleach_graph_snapshot_release(snapshot);
}

static void directed_graphs_have_no_triangles(void)
{
    AT_END(destroy_graph) pleach_graph *graph = open_graph(1, 1);
    pleach_graph_snapshot *snapshot = NULL;
    uint64_t vertices = 0;
    uint32_t degrees[2] = {9, 9}, ends[2], starts[2];
    assert_ok(pleach_graph_snapshot_take(graph, &snapshot));
    assert_int_equal(pleach_graph_snapshot_triangles(snapshot, 0, NULL, &number), PLEACH_E_ARGUMENT);
    assert_ok(pleach_graph_snapshot_size(snapshot, &vertices, &number));
    assert_true(vertices == 3 && number == 2);
    assert_ok(pleach_graph_snapshot_degrees(snapshot, 2, to, degrees));
    assert_true(degrees[0] == 1 && degrees[1] == 0);
    assert_ok(pleach_graph_snapshot_find_vertices(snapshot, 2, from, found));
    assert_true(found[0] == 1 && found[1] == 1);
    assert_ok(pleach_graph_snapshot_find_edges(snapshot, 2, from, to, NULL, found));
    assert_true(found[0] == 1 && found[1] == 1);
    assert_ok(pleach_graph_snapshot_export_edges(snapshot, 2, starts, ends, NULL, &number));
    assert_true(number == 2 && !memcmp(starts, from, sizeof from) && !memcmp(ends, to, sizeof to));
    pleach_graph_snapshot_release(snapshot);
}

int main(int argc, char **argv)
{
    static unit_case cases[] = {
        UNIT(a_graph_must_be_made_for_snapshots),
        UNIT(questions_need_a_snapshot),
        UNIT(arrays_that_are_needed_are_asked_for),
        UNIT(directed_graphs_have_no_triangles),
    };
    return run_units("test_graph_snapshot_arguments", argc, argv, cases, COUNT_OF(cases));
}
