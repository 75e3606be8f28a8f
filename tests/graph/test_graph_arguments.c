/* test_graph_arguments.c - the graph's part of the api layer by itself: what it refuses never reaches the executor, and
 * what it takes reaches the executor as it was given.
 *
 * The layer is compiled into this program, with a counterfeit behind it for everything that it asks, as in
 * test_map_arguments.c. So a GPU graph's checks run here too. scripts/coverage --check counts the branches.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "testkit/mock/mock_host.h"
#include "testkit/units.h"

#define gate_init mock_gate_init
#define sysconf mock_sysconf
#define any_device_pointer mock_device_pointer
#include "graph/graph.c"
#include "graph/graph_triangles.c"
#undef gate_init
#undef sysconf
#undef any_device_pointer

#include "testkit/mock/mock_graph.h"

static mock_graph behind; /* the graph of the case at hand */

static pleach_graph *open_graph(pleach_device device, bool directed, bool values)
{
    behind = (mock_graph){.rows = 2, .vertices = 2};
    gpu_pointer = &behind; /* somewhere that no argument is */
    pleach_graph *graph = base_alloc(1, sizeof *graph);
    assert_non_null(graph);
    *graph = (pleach_graph){.ops = &mock_ops, .exec = &behind, .device = device, .directed = directed,
                            .values = values, .host_only = device == PLEACH_CPU};
    assert_true(gate_init(&graph->gate));
    return graph;
}

typedef struct graph_case {
    void (*run)(pleach_graph *graph);
} graph_case;

#define EVERY_GRAPH(function) UNIT_WITH(#function, with_every_graph, &(const graph_case){function})

static void with_every_graph(const void *argument)
{
    const graph_case *what = argument;
    for (unsigned kind = 0; kind < 8; kind++) {
        AT_END(destroy_graph) pleach_graph *graph = open_graph(kind & 4 ? PLEACH_CUDA : PLEACH_CPU, kind & 2, kind & 1);
        what->run(graph);
    }
}

/* Arguments of all calls. */
static uint32_t from[4], to[4], given[4], got[4];
static uint8_t flags[4];
static uint64_t offsets[8], counts[4], number, other;
static double coefficients[4], average;
static size_t total;

static uint32_t *values_of(const pleach_graph *graph, uint32_t *values) { return graph->values ? values : NULL; }

/* ---- creation -------------------------------------------------------------------------------------------------- */

static void assert_creation(pleach_status expected, const pleach_graph_config *config)
{
    AT_END(destroy_graph) pleach_graph *graph = (pleach_graph *)(uintptr_t)64;
    assert_answers(expected, pleach_graph_create(&graph, config));
    assert_int_equal(graph != NULL, expected == PLEACH_OK);
}

static void creation_takes_options_up_to_their_limits(void)
{
    cpus_online = 2;
    assert_answers(PLEACH_E_ARGUMENT, pleach_graph_create(NULL, NULL));
    assert_creation(PLEACH_OK, NULL);
    assert_creation(PLEACH_OK, &(pleach_graph_config){.directed = 1, .values = 1, .threads = 1024, .load = 1});
    assert_creation(PLEACH_OK, &(pleach_graph_config){.load = 0.1, .max_bytes = 1 << 19});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.device = (pleach_device)7});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.directed = 2});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.values = 2});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.threads = 1025});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.load = 0.09});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.load = 1.01});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.load = -1});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.load = NAN});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.max_bytes = (1 << 19) - 1});
    assert_creation(PLEACH_E_NO_CUDA, &(pleach_graph_config){.device = PLEACH_CUDA});
    pleach_graph_destroy(NULL);
}

static void creation_takes_options_of_ordered_graphs(void)
{
    cpus_online = 2;
    for (unsigned snapshots = 0; snapshots < 3; snapshots++) {
        assert_creation(snapshots < 2 ? PLEACH_OK : PLEACH_E_ARGUMENT,
                        &(pleach_graph_config){.adjacency = PLEACH_ADJACENCY_ORDERED, .snapshots = snapshots});
        assert_creation(snapshots < 1 ? PLEACH_OK : PLEACH_E_ARGUMENT, &(pleach_graph_config){.snapshots = snapshots});
    }
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.adjacency = (pleach_adjacency)2});
    assert_creation(PLEACH_OK, &(pleach_graph_config){.sparse_ids = 1});
    assert_creation(PLEACH_OK, &(pleach_graph_config){.sparse_ids = 1, .adjacency = PLEACH_ADJACENCY_ORDERED});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.sparse_ids = 2});
    assert_creation(PLEACH_OK, &(pleach_graph_config){.fixed_seed = 1});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_graph_config){.fixed_seed = 2});
    /* What becomes of it is for the map to say, which is in GPU memory or cannot be. */
    AT_END(destroy_graph) pleach_graph *graph = NULL;
    pleach_status status = pleach_graph_create(&graph, &(pleach_graph_config){.device = PLEACH_CUDA,
                                                                              .adjacency = PLEACH_ADJACENCY_ORDERED});
    assert_int_equal(status == PLEACH_OK, graph != NULL);
}

static void default_threads_are_the_machines(void)
{
    static const struct { long online; unsigned threads; } table[] = {{-1, 1}, {0, 1}, {1, 1}, {7, 7}, {5000, 1024}};
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        pleach_graph_config config = {0};
        cpus_online = table[i].online;
        assert_answers(PLEACH_OK, complete_config(&config));
        assert_int_equal(config.threads, table[i].threads);
    }
    cpus_online = 2;
}

static void creation_fails_without_memory_or_gate(void)
{
    long held = base_held();
    base_fail_nth_allocation(1);
    assert_creation(PLEACH_E_MEMORY, NULL);
    base_fail_nth_allocation(2);
    assert_creation(PLEACH_E_MEMORY, NULL);
    base_fail_nth_allocation(0);
    gate_cannot_begin = true;
    assert_creation(PLEACH_E_MEMORY, NULL);
    gate_cannot_begin = false;
    assert_int_equal(base_held(), held);
}

/* ---- array calls ----------------------------------------------------------------------------------------------- */

static void arrays_that_are_needed_are_asked_for(pleach_graph *graph)
{
    uint32_t *values = values_of(graph, given), *out = values_of(graph, got);
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_insert_edges(graph, 1, NULL, to, values, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_insert_edges(graph, 1, from, NULL, values, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_erase_edges(graph, 1, from, NULL, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_find_edges(graph, 1, from, NULL, out, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_insert_vertices(graph, 1, NULL, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_find_vertices(graph, 1, from, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_degrees(graph, 1, from, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_erase_vertices(graph, 1, NULL, flags));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_new_vertices(graph, 1, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_build(graph, 1, NULL, to, values));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_neighbours(graph, 1, NULL, 4, got, NULL, offsets, &total));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_neighbours(graph, 1, from, 4, got, NULL, NULL, &total));
    /* Values where there are none, and none where there are. */
    pleach_status without = graph->values ? PLEACH_OK : PLEACH_E_ARGUMENT;
    assert_answers(without, pleach_graph_find_edges(graph, 1, from, to, got, flags, PLEACH_SYNC));
    assert_answers(without, pleach_graph_neighbours(graph, 1, from, 4, NULL, got, offsets, &total));
    assert_answers(without, pleach_graph_export_rows(graph, 4, offsets, 4, got, given, &number, &other));
    assert_answers(without, pleach_graph_export_edges(graph, 4, from, to, got, &number));
    assert_answers(without, pleach_graph_insert_edges(graph, 1, from, to, given, flags, PLEACH_SYNC));
    assert_answers(graph->values ? PLEACH_E_ARGUMENT : PLEACH_OK,
                   pleach_graph_insert_edges(graph, 1, from, to, NULL, flags, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_graph_erase_edges(graph, 1, from, to, NULL, PLEACH_SYNC));
}

static void no_elements_are_no_work(pleach_graph *graph)
{
    assert_refused(PLEACH_OK, pleach_graph_insert_edges(graph, 0, NULL, NULL, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_OK, pleach_graph_find_vertices(graph, 0, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_OK, pleach_graph_degrees(graph, 0, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_OK, pleach_graph_erase_vertices(graph, 0, NULL, NULL));
    assert_taken(PLEACH_OK, pleach_graph_neighbours(graph, 0, NULL, 0, NULL, NULL, offsets, NULL));
    assert_refused(PLEACH_OK, pleach_graph_neighbours(graph, 0, NULL, 0, NULL, NULL, NULL, NULL));
    total = 7;
    assert_refused(PLEACH_OK, pleach_graph_neighbours(graph, 0, NULL, 0, NULL, NULL, NULL, &total));
    assert_int_equal(total, 0);
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_neighbours(graph, 1, from, 0, NULL, NULL, NULL, &total));
    assert_taken(PLEACH_OK, pleach_graph_new_vertices(graph, 0, NULL));
    assert_taken(PLEACH_OK, pleach_graph_build(graph, 0, NULL, NULL, NULL));
}

static void sizes_are_taken_up_to_the_limit(pleach_graph *graph)
{
    size_t most = (size_t)1 << 31;
    uint32_t *values = values_of(graph, given);
    assert_taken(PLEACH_OK, pleach_graph_insert_edges(graph, most, from, to, values, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_SIZE, pleach_graph_insert_edges(graph, most + 1, from, to, values, flags, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_graph_neighbours(graph, most, from, 4, got, NULL, offsets, &total));
    assert_refused(PLEACH_E_SIZE, pleach_graph_neighbours(graph, most + 1, from, 4, got, NULL, offsets, &total));
    assert_refused(PLEACH_E_SIZE, pleach_graph_build(graph, most + 1, from, to, values));
    assert_taken(PLEACH_OK, pleach_graph_new_vertices(graph, most, got));
    assert_refused(PLEACH_E_SIZE, pleach_graph_new_vertices(graph, most + 1, got));
    assert_refused(PLEACH_E_SIZE, pleach_graph_new_vertices(graph, (size_t)1 << 33, got));
}

static void streams_are_for_gpu_graphs(pleach_graph *graph)
{
    pleach_status expected = graph->device == PLEACH_CUDA ? PLEACH_OK : PLEACH_E_STREAM;
    assert_answers(expected, pleach_graph_erase_edges(graph, 2, from, to, flags, SOME_STREAM));
    assert_answers(expected, pleach_graph_degrees(graph, 2, from, got, SOME_STREAM));
    assert_int_equal(behind.calls, graph->device == PLEACH_CUDA ? 2 : 0);
    assert_true(graph->device == PLEACH_CPU || behind.stream == SOME_STREAM);
}

/* Each pointer in turn is a GPU's. */
static void gpu_memory_is_not_for_cpu_graphs(pleach_graph *graph)
{
    pleach_status expected = graph->device == PLEACH_CUDA ? PLEACH_OK : PLEACH_E_POINTER;
    uint32_t *values = values_of(graph, given);
    gpu_pointer = from;
    assert_answers(expected, pleach_graph_insert_edges(graph, 1, from, to, values, flags, PLEACH_SYNC));
    assert_answers(expected, pleach_graph_neighbours(graph, 1, from, 4, got, NULL, offsets, &total));
    assert_answers(expected, pleach_graph_new_vertices(graph, 1, from));
    assert_answers(expected, pleach_graph_erase_vertices(graph, 1, from, flags));
    assert_answers(expected, pleach_graph_export_vertices(graph, 4, from, &number));
    assert_answers(expected, pleach_graph_export_edges(graph, 4, from, to, NULL, &number));
    assert_answers(expected, pleach_graph_build(graph, 1, from, to, values));
    gpu_pointer = to;
    assert_answers(expected, pleach_graph_find_edges(graph, 1, from, to, NULL, flags, PLEACH_SYNC));
    gpu_pointer = flags;
    assert_answers(expected, pleach_graph_erase_edges(graph, 1, from, to, flags, PLEACH_SYNC));
    gpu_pointer = got;
    assert_answers(expected, pleach_graph_degrees(graph, 1, from, got, PLEACH_SYNC));
    assert_answers(expected, pleach_graph_export_rows(graph, 4, offsets, 4, got, NULL, &number, &other));
    if (graph->directed)
        return;
    gpu_pointer = counts;
    assert_answers(expected, pleach_graph_triangles(graph, 4, counts, &number));
    assert_answers(expected, pleach_graph_erase_counting(graph, 1, from, to, flags, 4, counts, &number));
    gpu_pointer = coefficients;
    assert_answers(expected, pleach_graph_clustering(graph, 4, coefficients, &average));
}

static void assert_request(graph_request_kind kind, const void *first, const void *second, const void *third)
{
    const graph_request *r = &behind.request;
    assert_true(r->kind == kind && r->n == 3 && r->from == from);
    assert_ptr_equal(r->to, first);
    assert_ptr_equal(r->out_values, second);
    assert_ptr_equal(r->flags, third);
}

static void executors_get_what_was_given(pleach_graph *graph)
{
    uint32_t *values = values_of(graph, given), *out = values_of(graph, got);
    behind.answer = PLEACH_E_FULL;
    assert_taken(PLEACH_E_FULL, pleach_graph_insert_edges(graph, 3, from, to, values, flags, PLEACH_SYNC));
    assert_request(GRAPH_INSERT_EDGES, to, NULL, flags);
    assert_true(behind.request.values == values);
    assert_taken(PLEACH_E_FULL, pleach_graph_erase_edges(graph, 3, from, to, flags, PLEACH_SYNC));
    assert_request(GRAPH_ERASE_EDGES, to, NULL, flags);
    assert_taken(PLEACH_E_FULL, pleach_graph_find_edges(graph, 3, from, to, out, flags, PLEACH_SYNC));
    assert_request(GRAPH_FIND_EDGES, to, out, flags);
    assert_taken(PLEACH_E_FULL, pleach_graph_insert_vertices(graph, 3, from, flags, PLEACH_SYNC));
    assert_request(GRAPH_INSERT_VERTICES, NULL, NULL, flags);
    assert_taken(PLEACH_E_FULL, pleach_graph_find_vertices(graph, 3, from, flags, PLEACH_SYNC));
    assert_request(GRAPH_FIND_VERTICES, NULL, NULL, flags);
    assert_taken(PLEACH_E_FULL, pleach_graph_degrees(graph, 3, from, got, PLEACH_SYNC));
    assert_request(GRAPH_DEGREES, NULL, got, NULL);
    assert_taken(PLEACH_E_FULL, pleach_graph_neighbours(graph, 3, from, 4, got, NULL, offsets, &total));
    assert_true(total == 11 && behind.capacity == 4);
    assert_taken(PLEACH_E_FULL, pleach_graph_build(graph, 3, from, to, values));
    assert_request((graph_request_kind)0, to, NULL, NULL);
    assert_taken(PLEACH_E_FULL, pleach_graph_erase_vertices(graph, 3, from, flags));
    assert_request((graph_request_kind)0, NULL, NULL, flags);
    assert_taken(PLEACH_E_FULL, pleach_graph_size(graph, &number, &other));
    assert_true(number == 2 && other == 1);
}

/* ---- alone, and without a graph -------------------------------------------------------------------------------- */

typedef pleach_status alone_call(pleach_graph *graph);

static pleach_status do_build(pleach_graph *g) { return pleach_graph_build(g, 0, NULL, NULL, NULL); }
static pleach_status do_new(pleach_graph *g) { return pleach_graph_new_vertices(g, 1, from); }
static pleach_status do_erase(pleach_graph *g) { return pleach_graph_erase_vertices(g, 1, from, NULL); }
static pleach_status do_list(pleach_graph *g) { return pleach_graph_export_vertices(g, 4, from, &number); }
static pleach_status do_edges(pleach_graph *g) { return pleach_graph_export_edges(g, 4, from, to, NULL, &number); }
static pleach_status do_rows(pleach_graph *g)
{
    return pleach_graph_export_rows(g, 4, offsets, 4, got, NULL, &number, NULL);
}
static pleach_status do_rows_only(pleach_graph *g)
{
    return pleach_graph_export_rows(g, 0, NULL, 0, NULL, NULL, NULL, &other);
}
static pleach_status do_clear(pleach_graph *g) { return pleach_graph_clear(g); }
static pleach_status do_stats(pleach_graph *g)
{
    static pleach_graph_stats stats;
    return pleach_graph_get_stats(g, &stats);
}
static pleach_status do_validate(pleach_graph *g) { return pleach_graph_validate(g, NULL, 0); }
static pleach_status do_triangles(pleach_graph *g) { return pleach_graph_triangles(g, 4, counts, &number); }
static pleach_status do_counting(pleach_graph *g)
{
    return pleach_graph_erase_counting(g, 1, from, to, NULL, 0, NULL, &number);
}
static pleach_status do_clustering(pleach_graph *g) { return pleach_graph_clustering(g, 0, NULL, NULL); }

static alone_call *const alone_calls[] = {do_build, do_new, do_erase, do_list, do_edges, do_rows, do_rows_only,
                                          do_clear, do_stats, do_validate, do_triangles, do_counting, do_clustering};

/* Refused while a view is open, and while work on streams cannot be waited for; and the gate is free afterwards. */
static void exclusive_calls_wait_and_are_refused(void)
{
    for (size_t i = 0; i < COUNT_OF(alone_calls); i++) {
        AT_END(destroy_graph) pleach_graph *graph = open_graph(PLEACH_CPU, false, false);
        assert_answers(PLEACH_E_ARGUMENT, alone_calls[i](NULL));
        gate_view_open(&graph->gate);
        assert_refused(PLEACH_E_BUSY, alone_calls[i](graph));
        assert_true(gate_view_close(&graph->gate));
        behind.quiesce_answer = PLEACH_E_CUDA;
        assert_refused(PLEACH_E_CUDA, alone_calls[i](graph));
        behind.quiesce_answer = PLEACH_OK;
        assert_answers(PLEACH_OK, alone_calls[i](graph));
        assert_answers(PLEACH_OK, alone_calls[i](graph));
        assert_int_equal(behind.quiesced, 3);
    }
}

static void open_and_close_views(pleach_graph *graph)
{
    pleach_graph_view none = {.seed = {1}};
    behind.answer = PLEACH_E_CUDA;
    assert_taken(PLEACH_E_CUDA, pleach_graph_view_open(graph, &none));
    assert_int_equal(none.seed[0], 0);
    behind.answer = PLEACH_OK;
    CHECK_VIEWS(graph, pleach_graph_view, pleach_graph_view_open, pleach_graph_view_close, pleach_graph_clear, state,
                view.state == &behind && view.seed[0] == 3 && view.load == 4 && view.directed == 1);
}

/* Of graphs in host memory there are none. */
static void views(void)
{
    with_every_graph(&(const graph_case){open_and_close_views});
    cpus_online = 2;
    for (int ordered = 0; ordered < 2; ordered++) {
        pleach_graph *real;
        pleach_graph_view view = {.state = from};
        pleach_graph_config config = {.adjacency = ordered ? PLEACH_ADJACENCY_ORDERED : PLEACH_ADJACENCY_HASH};
        assert_answers(PLEACH_OK, pleach_graph_create(&real, &config));
        assert_answers(PLEACH_E_ARGUMENT, pleach_graph_view_open(real, &view));
        assert_null(view.state);
        assert_answers(PLEACH_OK, pleach_graph_clear(real));
        pleach_graph_destroy(real);
    }
}

static void calls_need_a_graph_and_a_place_for_the_answer(void)
{
    assert_answers(PLEACH_E_ARGUMENT, pleach_graph_insert_edges(NULL, 1, from, to, NULL, NULL, PLEACH_SYNC));
    assert_answers(PLEACH_E_ARGUMENT, pleach_graph_find_vertices(NULL, 1, from, NULL, PLEACH_SYNC));
    assert_answers(PLEACH_E_ARGUMENT, pleach_graph_degrees(NULL, 1, from, NULL, PLEACH_SYNC));
    assert_answers(PLEACH_E_ARGUMENT, pleach_graph_neighbours(NULL, 1, from, 4, got, NULL, offsets, &total));
    assert_answers(PLEACH_E_ARGUMENT, pleach_graph_size(NULL, &number, &other));
    AT_END(destroy_graph) pleach_graph *graph = open_graph(PLEACH_CPU, false, false);
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_export_vertices(graph, 4, from, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_export_edges(graph, 4, from, to, NULL, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_export_edges(graph, 4, from, NULL, NULL, &number));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_export_edges(graph, 4, NULL, to, NULL, &number));
    assert_taken(PLEACH_OK, pleach_graph_export_edges(graph, 0, NULL, NULL, NULL, &number));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_get_stats(graph, NULL));
    assert_taken(PLEACH_OK, pleach_graph_size(graph, NULL, NULL));
}

static void validate_writes_its_message(void)
{
    AT_END(destroy_graph) pleach_graph *graph = open_graph(PLEACH_CPU, false, false);
    char message[8] = "before";
    behind.answer = PLEACH_E_CORRUPT;
    assert_taken(PLEACH_E_CORRUPT, pleach_graph_validate(graph, message, sizeof message));
    assert_string_equal(message, "G");
    strcpy(message, "before");
    assert_taken(PLEACH_E_CORRUPT, pleach_graph_validate(graph, message, 0));
    assert_string_equal(message, "before");
    assert_taken(PLEACH_E_CORRUPT, pleach_graph_validate(graph, NULL, 8));
}

/* ---- triangles ------------------------------------------------------------------------------------------------- */

static void triangles_are_for_undirected_graphs(pleach_graph *graph)
{
    if (graph->directed) {
        assert_refused(PLEACH_E_ARGUMENT, pleach_graph_triangles(graph, 4, counts, &number));
        assert_refused(PLEACH_E_ARGUMENT, pleach_graph_clustering(graph, 4, coefficients, &average));
        assert_refused(PLEACH_E_ARGUMENT, pleach_graph_erase_counting(graph, 1, from, to, flags, 4, counts, &number));
        return;
    }
    uint32_t *values = values_of(graph, given);
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_triangles(graph, 4, counts, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_clustering(graph, 4, NULL, &average));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_erase_counting(graph, 1, from, to, flags, 4, counts, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_graph_insert_counting(graph, 1, NULL, to, values, flags, 4, counts,
                                                                   &number));
    number = 5;
    assert_refused(PLEACH_OK, pleach_graph_insert_counting(graph, 0, from, to, values, flags, 4, counts, &number));
    assert_int_equal(number, 0);
    assert_taken(PLEACH_OK, pleach_graph_insert_counting(graph, 3, from, to, values, flags, 4, counts, &number));
    assert_request(GRAPH_INSERT_EDGES, to, NULL, flags);
    assert_true(number == 9 && behind.capacity == 4);
    assert_taken(PLEACH_OK, pleach_graph_erase_counting(graph, 3, from, to, flags, 0, NULL, &number));
    assert_request(GRAPH_ERASE_EDGES, to, NULL, flags);
    assert_taken(PLEACH_OK, pleach_graph_triangles(graph, 0, NULL, &number));
    assert_int_equal(number, 8);
}

/* The executor tells of two vertices with three neighbours and one triangle each. */
static void clustering_asks_for_degrees_and_triangles(void)
{
    AT_END(destroy_graph) pleach_graph *graph = open_graph(PLEACH_CPU, false, false);
    long held = base_held();
    for (size_t n = 0; n <= 4; n++) {
        for (size_t i = 0; i < 4; i++)
            coefficients[i] = -1;
        assert_answers(PLEACH_OK, pleach_graph_clustering(graph, n, n ? coefficients : NULL, n % 2 ? NULL : &average));
        for (size_t i = 0; i < 4; i++)
            assert_true(fabs(coefficients[i] - (i >= n ? -1 : i < 2 ? 1.0 / 3 : 0)) < 1e-12);
        assert_true(fabs(average - 1.0 / 3) < 1e-12);
    }
    behind.vertices = 0;
    assert_answers(PLEACH_OK, pleach_graph_clustering(graph, 0, NULL, &average));
    assert_true(average == 0);
    for (size_t ok = 0; ok < 2; ok++) {
        behind.exports = 0;
        behind.fails_after = ok;
        behind.export_answer = PLEACH_E_MEMORY;
        assert_answers(PLEACH_E_MEMORY, pleach_graph_clustering(graph, 4, coefficients, &average));
    }
    behind.export_answer = PLEACH_OK;
    behind.answer = PLEACH_E_MEMORY;
    assert_answers(PLEACH_E_MEMORY, pleach_graph_clustering(graph, 4, coefficients, &average));
    behind.answer = PLEACH_OK;
    for (long nth = 1; nth <= 2; nth++) {
        base_fail_nth_allocation(nth);
        assert_answers(PLEACH_E_MEMORY, pleach_graph_clustering(graph, 4, coefficients, &average));
    }
    base_fail_nth_allocation(0);
    assert_int_equal(base_held(), held);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(creation_takes_options_up_to_their_limits),
        UNIT(creation_takes_options_of_ordered_graphs),
        UNIT(default_threads_are_the_machines),
        UNIT(creation_fails_without_memory_or_gate),
        EVERY_GRAPH(arrays_that_are_needed_are_asked_for),
        EVERY_GRAPH(no_elements_are_no_work),
        EVERY_GRAPH(sizes_are_taken_up_to_the_limit),
        EVERY_GRAPH(streams_are_for_gpu_graphs),
        EVERY_GRAPH(gpu_memory_is_not_for_cpu_graphs),
        EVERY_GRAPH(executors_get_what_was_given),
        UNIT(exclusive_calls_wait_and_are_refused),
        UNIT(views),
        UNIT(calls_need_a_graph_and_a_place_for_the_answer),
        UNIT(validate_writes_its_message),
        EVERY_GRAPH(triangles_are_for_undirected_graphs),
        UNIT(clustering_asks_for_degrees_and_triangles),
    };
    return run_units("test_graph_arguments", argc, argv, cases, COUNT_OF(cases));
}
