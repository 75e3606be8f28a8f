/* graph/ordered/ordered_build.c - builds an empty ordered graph in bulk: it sorts halves of edges, gives each row its
 * marker, and loads the map with ascending keys. */
#include "../../base/memory.h"
#include "../../cpu/sort.h"
#include "ordered.h"

typedef struct sorted_keys {
    uint64_t *keys, *values;
    size_t n;
} sorted_keys;

typedef struct build_input {
    const ordered_graph *graph;
    size_t n;
    const uint32_t *from, *to, *values;
} build_input;

static void close_keys(sorted_keys *s)
{
    base_free(s->keys);
    base_free(s->values);
}

/* If an edge occurs more than once, the last occurrence wins, at both endpoints. */
static pleach_status sort_halves(const build_input *in, size_t edges, sorted_keys *halves)
{
    ordered_batch b; /* the halves, as in a batch */
    void *keys = NULL, *values = NULL;
    pleach_status status = ordered_batch_open(&b, edges * ordered_halves(in->graph));
    if (status == PLEACH_OK) {
        for (size_t i = 0; i < in->n; i++)
            if (ordered_is_edge(in->from[i], in->to[i]))
                ordered_batch_add_edge(in->graph, &b, PLEACH_OP_PUT, in->from[i], in->to[i],
                                       in->values ? in->values[i] : 0);
        halves->n = sort_distinct(64, b.keys, b.values, b.n, &keys, &values);
        if (halves->n == SIZE_MAX) status = PLEACH_E_MEMORY;
    }
    halves->keys = keys;
    halves->values = values;
    ordered_batch_close(&b);
    return status;
}

/* Lists the vertices to which edges lead. In undirected graphs they have rows of their own, so the list is empty. */
static pleach_status sort_targets(const build_input *in, size_t edges, uint32_t **ids, size_t *count)
{
    *ids = NULL;
    *count = 0;
    if (!in->graph->directed) return PLEACH_OK;
    uint32_t *targets = base_alloc(edges + 1, sizeof *targets);
    if (!targets) return PLEACH_E_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < in->n; i++)
        if (ordered_is_edge(in->from[i], in->to[i])) targets[n++] = in->to[i];
    void *sorted = NULL, *same = NULL;
    *count = sort_distinct(32, targets, targets, n, &sorted, &same);
    *ids = sorted;
    base_free(same);
    base_free(targets);
    return *count == SIZE_MAX ? PLEACH_E_MEMORY : PLEACH_OK;
}

/* Merges rows and targets in the order of ids, and adds the marker of each. If out is NULL it only counts. */
static size_t merge(const sorted_keys *halves, const uint32_t *targets, size_t target_count, sorted_keys *out)
{
    size_t half = 0, target = 0, at = 0, vertices = 0;
    while (half < halves->n || target < target_count) {
        uint64_t row = half < halves->n ? halves->keys[half] >> 32 : UINT64_MAX;
        uint64_t id = target < target_count && targets[target] < row ? targets[target] : row;
        if (target < target_count && targets[target] == id) target++;
        for (; half < halves->n && halves->keys[half] >> 32 == id; half++, at++)
            if (out) {
                out->keys[at] = halves->keys[half];
                out->values[at] = halves->values[half];
            }
        if (out) out->keys[at] = ordered_marker((uint32_t)id); /* its value is 0, because memory is zeroed */
        at++;
        vertices++;
    }
    if (out) out->n = at;
    return vertices;
}

static pleach_status load(ordered_graph *graph, const sorted_keys *halves, const uint32_t *targets, size_t target_count)
{
    size_t vertices = merge(halves, targets, target_count, NULL);
    sorted_keys all = {.n = halves->n + vertices};
    all.keys = base_alloc(all.n + 1, sizeof *all.keys);
    all.values = base_alloc(all.n + 1, sizeof *all.values);
    pleach_status status = PLEACH_E_MEMORY;
    if (all.keys && all.values) {
        merge(halves, targets, target_count, &all);
        status = pleach_map_load(graph->map, all.n, all.keys, all.values, 0);
    }
    if (status == PLEACH_OK) {
        atomic_store(&graph->vertices, vertices);
        atomic_store(&graph->edges, halves->n / ordered_halves(graph));
    }
    close_keys(&all);
    return status;
}

pleach_status ordered_build(void *exec, size_t n, const uint32_t *from, const uint32_t *to, const uint32_t *values)
{
    ordered_graph *graph = exec;
    if (atomic_load(&graph->vertices)) return PLEACH_E_NOT_EMPTY;
    build_input in = {graph, n, from, to, values};
    size_t edges = 0, no_vertex = 0, target_count;
    for (size_t i = 0; i < n; i++) {
        edges += ordered_is_edge(from[i], to[i]);
        no_vertex += from[i] == PLEACH_NO_VERTEX || to[i] == PLEACH_NO_VERTEX;
    }
    sorted_keys halves = {0};
    uint32_t *targets = NULL;
    pleach_status status = sort_halves(&in, edges, &halves);
    if (status == PLEACH_OK) status = sort_targets(&in, edges, &targets, &target_count);
    if (status == PLEACH_OK) status = load(graph, &halves, targets, target_count);
    close_keys(&halves);
    base_free(targets);
    return status == PLEACH_OK && no_vertex ? PLEACH_E_VERTEX : status;
}
