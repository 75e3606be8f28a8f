#include "graphs.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../buffers.h"
#include "../units.h"

static const graph_kind host_kinds[] = {
    {"undirected/plain/t3", false, false, 3, PLEACH_CPU, false},
    {"undirected/values/t3", false, true, 3, PLEACH_CPU, false},
    {"undirected/plain/t1", false, false, 1, PLEACH_CPU, false},
    {"undirected/values/t1", false, true, 1, PLEACH_CPU, false},
    {"sparse/undirected/plain/t3", false, false, 3, PLEACH_CPU, true},
    {"sparse/undirected/values/t1", false, true, 1, PLEACH_CPU, true},
    {"directed/plain/t3", true, false, 3, PLEACH_CPU, false},
    {"directed/values/t3", true, true, 3, PLEACH_CPU, false},
    {"directed/plain/t1", true, false, 1, PLEACH_CPU, false},
    {"directed/values/t1", true, true, 1, PLEACH_CPU, false},
    {"sparse/directed/plain/t1", true, false, 1, PLEACH_CPU, true},
    {"sparse/directed/values/t3", true, true, 3, PLEACH_CPU, true},
};
static const graph_kind cuda_kinds[] = {
    {"cuda/undirected/plain", false, false, 2, PLEACH_CUDA, false},
    {"cuda/undirected/values", false, true, 2, PLEACH_CUDA, false},
    {"cuda/sparse/undirected/plain", false, false, 2, PLEACH_CUDA, true},
    {"cuda/directed/plain", true, false, 2, PLEACH_CUDA, false},
    {"cuda/directed/values", true, true, 2, PLEACH_CUDA, false},
    {"cuda/sparse/directed/values", true, true, 2, PLEACH_CUDA, true},
};

/* The kinds of one device; the undirected ones come first. */
typedef struct device_kinds {
    const graph_kind *kinds;
    size_t count, undirected;
} device_kinds;
static const device_kinds on_host = {host_kinds, COUNT_OF(host_kinds), 6},
                          on_cuda = {cuda_kinds, COUNT_OF(cuda_kinds), 3};
enum { MOST_NAME = 120 };

/* ---- the runner -------------------------------------------------------------------------------------------------- */

typedef struct graph_run {
    const graph_case *what;
    const graph_kind *kind;
    char name[MOST_NAME];
} graph_run;

static atomic_size_t operations;
static const char *running;

void graph_checked(size_t more)
{
    atomic_fetch_add_explicit(&operations, more, memory_order_relaxed);
}

static void run_one(const void *argument)
{
    const graph_run *run = argument;
    if (run->what->run)
        run->what->run(run->kind);
    else
        run->what->run_with(run->kind, run->what->what);
}

static void all_of_them_were_counted(void)
{
    printf("%s: %zu operations checked with graphs\n", running, atomic_load(&operations));
    assert_true(atomic_load(&operations) > 0);
}

static bool is_over(const graph_case *what, const device_kinds *on, size_t k)
{
    switch (what->over) {
    case EVERY_KIND: return true;
    case UNDIRECTED_KINDS: return k < on->undirected;
    case SPARSE_KINDS: return on->kinds[k].sparse;
    default: return k == 0;
    }
}

int run_graph_cases(const char *program, int argc, char **argv, const graph_case *cases, size_t count)
{
    bool cuda = argc >= 3 && !strcmp(argv[1], "--device") && !strcmp(argv[2], "cuda");
    const device_kinds *on = cuda ? &on_cuda : &on_host;
    FREED graph_run *runs = must_alloc(count * on->count, sizeof *runs);
    FREED unit_case *units = must_alloc(count * on->count + 1, sizeof *units);
    size_t n = 0;
    running = program;
    if (cuda) argc -= 2, argv += 2;
    for (size_t k = 0; k < on->count; k++)
        for (size_t c = 0; c < count; c++) {
            if (!is_over(&cases[c], on, k))
                continue;
            runs[n] = (graph_run){&cases[c], &on->kinds[k], ""};
            snprintf(runs[n].name, sizeof runs[n].name, "%s %s", on->kinds[k].name, cases[c].name);
            units[n] = (unit_case)UNIT_WITH(runs[n].name, run_one, &runs[n]);
            n++;
        }
    units[n++] = (unit_case)UNIT_NAMED("all_of_them_were_counted", all_of_them_were_counted);
    return run_units(program, argc, argv, units, n);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------ */

size_t scaled_calls(const graph_kind *kind, size_t n)
{
    return kind->device == PLEACH_CPU ? scaled(n) : scaled(n / 20 + 1);
}

pleach_graph_config graph_config_of(const graph_kind *kind)
{
    return (pleach_graph_config){.device = kind->device, .directed = kind->directed, .values = kind->values,
                                 .threads = kind->threads, .sparse_ids = kind->sparse, .fixed_seed = 1};
}

pleach_graph *graph_open(const graph_kind *kind)
{
    pleach_graph_config config = graph_config_of(kind);
    config.seed = (uint32_t)test_seed();
    pleach_graph *graph = NULL;
    assert_ok(pleach_graph_create(&graph, &config));
    return graph;
}

void assert_sound(pleach_graph *graph)
{
    char why[256] = "";
    if (pleach_graph_validate(graph, why, sizeof why) != PLEACH_OK)
        fail_msg("the graph is not valid: %s", why);
}

void graph_close(pleach_graph *graph)
{
    assert_sound(graph);
    pleach_graph_destroy(graph);
}

pleach_edge_outcome put_edge(pleach_graph *graph, const graph_kind *kind, uint32_t from, uint32_t to, uint32_t value)
{
    uint8_t outcome = UNTOUCHED;
    assert_ok(pleach_graph_insert_edges(graph, 1, &from, &to, values_or_null(kind, &value), &outcome, PLEACH_SYNC));
    return (pleach_edge_outcome)outcome;
}

pleach_edge_outcome erase_edge(pleach_graph *graph, uint32_t from, uint32_t to)
{
    uint8_t outcome = UNTOUCHED;
    assert_ok(pleach_graph_erase_edges(graph, 1, &from, &to, &outcome, PLEACH_SYNC));
    return (pleach_edge_outcome)outcome;
}

bool has_edge(pleach_graph *graph, uint32_t from, uint32_t to)
{
    uint8_t found = UNTOUCHED;
    assert_ok(pleach_graph_find_edges(graph, 1, &from, &to, NULL, &found, PLEACH_SYNC));
    assert_true(found <= 1);
    return found;
}

uint32_t value_of_edge(pleach_graph *graph, uint32_t from, uint32_t to)
{
    uint8_t found = 0;
    uint32_t value = 0;
    assert_ok(pleach_graph_find_edges(graph, 1, &from, &to, &value, &found, PLEACH_SYNC));
    assert_int_equal(found, 1);
    return value;
}

bool has_vertex(pleach_graph *graph, uint32_t id)
{
    uint8_t found = UNTOUCHED;
    assert_ok(pleach_graph_find_vertices(graph, 1, &id, &found, PLEACH_SYNC));
    assert_true(found <= 1);
    return found;
}

uint32_t degree_of_vertex(pleach_graph *graph, uint32_t id)
{
    uint32_t degree = UINT32_MAX;
    assert_ok(pleach_graph_degrees(graph, 1, &id, &degree, PLEACH_SYNC));
    return degree;
}

void assert_graph_size(pleach_graph *graph, uint64_t vertices, uint64_t edges)
{
    uint64_t has_vertices = UINT64_MAX, has_edges = UINT64_MAX;
    assert_ok(pleach_graph_size(graph, &has_vertices, &has_edges));
    assert_int_equal(has_vertices, vertices);
    assert_int_equal(has_edges, edges);
}
