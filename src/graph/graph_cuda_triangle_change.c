/* graph/graph_cuda_triangle_change.c - counts how many triangles of a graph in GPU memory some edges add or remove.
 *
 * Either in the neighbourhoods of these edges (wedges), or as the difference of two counts of all triangles. The first
 * of these is usually known, because nothing has changed since the last count.
 */
#include "graph_cuda.h"

/* ---- the result of the last count ---- */

void graph_cuda_remember_triangles(cuda_graph *graph, uint64_t triangles)
{
    graph->triangles = triangles;
    atomic_store_explicit(&graph->triangles_known, true, memory_order_relaxed);
}

void graph_cuda_forget_triangles(cuda_graph *graph)
{
    atomic_store_explicit(&graph->triangles_known, false, memory_order_relaxed);
}

/* ---- by wedges ---- */

typedef struct counting {
    graph_request staged;
    uint8_t *counts; /* whether an element changes the graph */
    numbered_places numbers;
    uint64_t *by_vertex, *change;
    size_t capacity;
} counting;

static pleach_status open_counting(staging *s, const graph_request *r, size_t capacity, uint64_t *by_vertex,
                                   counting *c)
{
    uint64_t places = 16;
    while (places < 2 * r->n) places *= 2;
    c->capacity = capacity;
    c->numbers.mask = places - 1;
    pleach_status status = graph_cuda_stage(r, s, &c->staged);
    if (status == PLEACH_OK && !c->staged.flags) status = staging_scratch(s, r->n, (void **)&c->staged.flags);
    if (status == PLEACH_OK) status = staging_scratch(s, r->n, (void **)&c->counts);
    if (status == PLEACH_OK) status = staging_scratch(s, places * sizeof(uint64_t), (void **)&c->numbers.names);
    if (status == PLEACH_OK) status = staging_scratch(s, places * sizeof(uint32_t), (void **)&c->numbers.elements);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *c->change, (void **)&c->change);
    if (status == PLEACH_OK)
        status = staging_output(s, by_vertex, capacity * sizeof *by_vertex, true, (void **)&c->by_vertex);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(c->numbers.names, 0, places * sizeof(uint64_t), s->stream));
    CUDA_TRY(cudaMemsetAsync(c->change, 0, sizeof *c->change, s->stream));
    return PLEACH_OK;
}

/* counts[] has been filled, and all inserted edges are present, or all erased ones still are. */
static pleach_status count_wedges(const cuda_graph *graph, staging *s, const counting *c, bool coming, uint64_t *change)
{
    const graph_request *r = &c->staged;
    CUDA_TRY(graph->kernels->number(r->n, r->from, r->to, c->counts, c->numbers, s->stream));
    CUDA_TRY(graph->kernels->wedges(graph_on(graph), r->n, r->from, r->to, c->counts, c->numbers, coming, c->capacity,
                               c->by_vertex, c->change, s->stream));
    CUDA_TRY(cudaMemcpyAsync(change, c->change, sizeof *change, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

static pleach_status insert_counting(cuda_graph *graph, staging *s, counting *c, graph_result *result, uint64_t *change)
{
    slabs_make_room(&graph->slabs, c->staged.n / 2 + 4096);
    pleach_status status = graph_cuda_insert_staged(graph, s, &c->staged, result);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(c->counts, c->staged.flags, c->staged.n, cudaMemcpyDeviceToDevice, s->stream));
    CUDA_TRY(edges_cuda_where(c->staged.n, c->counts, PLEACH_EDGE_NEW, s->stream));
    return count_wedges(graph, s, c, true, change);
}

static pleach_status erase_counting(cuda_graph *graph, staging *s, counting *c, graph_result *result, uint64_t *change)
{
    graph_request find = c->staged;
    graph_result *there;
    find.kind = GRAPH_FIND_EDGES;
    find.flags = c->counts;
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    CUDA_TRY(graph->kernels->run(graph_on(graph), &find, false, (slow_list){NULL, NULL}, there, s->stream));
    status = count_wedges(graph, s, c, false, change);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(graph->kernels->run(graph_on(graph), &c->staged, false, slow_list_create(s, c->staged.n), there,
                                 s->stream));
    CUDA_TRY(cudaMemcpyAsync(result, there, sizeof *result, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

/* ---- by counting all ---- */

/* Nanoseconds, measured on an H200: for 1,024 neighbours that wedges look up; for 1,024 entries of rows in a count of
 * all; and for the launches and waits of such a count. */
enum { COST_WEDGE = 165, COST_ENTRY = 205, COST_COUNT = 600000, FEW_EDGES = 1 << 14 };

/* Estimates from some of the edges whether counting all is less work. */
static pleach_status counting_all_is_less(const cuda_graph *graph, staging *s, const counting *c, bool *less)
{
    const graph_request *r = &c->staged;
    uint64_t *there, members = 0, edges;
    *less = false;
    if (r->n < FEW_EDGES || graph->sparse) return PLEACH_OK;
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status == PLEACH_OK) status = graph_cuda_size_of(graph, NULL, &edges);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    CUDA_TRY(graph->kernels->sample_wedges(graph_on(graph), r->n, r->from, r->to, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&members, there, sizeof members, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    double wedges = (double)members / EDGES_SAMPLE * (double)r->n;
    double all = COST_COUNT + COST_ENTRY / 1024.0 * 2 * (double)edges;
    bool known = !c->by_vertex && atomic_load_explicit(&graph->triangles_known, memory_order_relaxed);
    *less = COST_WEDGE / 1024.0 * wedges > (known ? 1 : 2) * all;
    return *less ? graph_cuda_has_rows(graph, s, less) : PLEACH_OK;
}

/* Triangles by vertex, for as many vertices as the graph has rows. In GPU memory. */
typedef struct tally {
    uint64_t *counts, rows, total;
} tally;

static pleach_status count_all(cuda_graph *graph, staging *s, bool by_vertex, tally *t)
{
    t->counts = NULL;
    t->total = 0;
    pleach_status status = by_vertex ? graph_cuda_count_rows(graph, s, &t->rows) : PLEACH_OK;
    if (status == PLEACH_OK && by_vertex)
        status = staging_scratch(s, (t->rows + 1) * sizeof *t->counts, (void **)&t->counts);
    return status == PLEACH_OK ? graph_cuda_triangles(graph, t->rows, t->counts, &t->total) : status;
}

/* Ensures that there is memory for a count, because what has been applied must be counted. The memory pool keeps it
 * after it is freed. */
static pleach_status have_memory_for_count(cuda_graph *graph)
{
    uint64_t vertices, edges;
    void *there;
    pleach_status status = graph_cuda_size_of(graph, &vertices, &edges);
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    if (status == PLEACH_OK) status = staging_scratch(&s, 48 * vertices + 32 * edges + 4096, &there);
    return graph_cuda_end(&s, status);
}

static pleach_status apply(cuda_graph *graph, staging *s, counting *c, graph_result *result)
{
    if (c->staged.kind == GRAPH_INSERT_EDGES) {
        slabs_make_room(&graph->slabs, c->staged.n / 2 + 4096);
        return graph_cuda_insert_staged(graph, s, &c->staged, result);
    }
    graph_result *there;
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    CUDA_TRY(graph->kernels->run(graph_on(graph), &c->staged, false, slow_list_create(s, c->staged.n), there,
                                 s->stream));
    CUDA_TRY(cudaMemcpyAsync(result, there, sizeof *result, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

static pleach_status change_of_counts(cuda_graph *graph, staging *s, counting *c, graph_result *result,
                                      uint64_t *change)
{
    bool coming = c->staged.kind == GRAPH_INSERT_EDGES;
    tally before = {NULL, 0, graph->triangles}, after = {NULL, 0, 0};
    pleach_status status = have_memory_for_count(graph);
    if (status == PLEACH_OK && (c->by_vertex || !atomic_load_explicit(&graph->triangles_known, memory_order_relaxed)))
        status = count_all(graph, s, c->by_vertex, &before);
    if (status != PLEACH_OK) return status;
    graph_cuda_forget_triangles(graph);
    status = apply(graph, s, c, result);
    if (status == PLEACH_OK) status = count_all(graph, s, c->by_vertex, &after);
    if (status != PLEACH_OK) return status;
    if (c->by_vertex)
        CUDA_TRY(edges_cuda_add_difference(c->capacity, c->by_vertex, before.rows, before.counts, after.rows,
                                           after.counts, s->stream));
    *change = coming ? after.total - before.total : before.total - after.total;
    return PLEACH_OK;
}

/* ---- choosing the method ---- */

static pleach_status change_of_wedges(cuda_graph *graph, staging *s, counting *c, graph_result *result,
                                      uint64_t *change)
{
    bool coming = c->staged.kind == GRAPH_INSERT_EDGES;
    bool known = atomic_load_explicit(&graph->triangles_known, memory_order_relaxed);
    graph_cuda_forget_triangles(graph);
    pleach_status status = coming ? insert_counting(graph, s, c, result, change)
                                  : erase_counting(graph, s, c, result, change);
    if (status == PLEACH_OK && known)
        graph_cuda_remember_triangles(graph, coming ? graph->triangles + *change : graph->triangles - *change);
    return status;
}

pleach_status graph_cuda_count_change(cuda_graph *graph, const graph_request *r, size_t capacity, uint64_t *by_vertex,
                                      uint64_t *change)
{
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    counting c = {.capacity = 0};
    graph_result result = {0, 0, 0, 0};
    bool all = false;
    pleach_status status = open_counting(&s, r, capacity, by_vertex, &c);
    if (status == PLEACH_OK) status = counting_all_is_less(graph, &s, &c, &all);
    if (status == PLEACH_OK)
        status = (all ? change_of_counts : change_of_wedges)(graph, &s, &c, &result, change);
    if (status == PLEACH_OK) status = staging_return_results(&s);
    status = graph_cuda_end(&s, status);
    if (status != PLEACH_OK) return status;
    return result.not_applied ? PLEACH_E_FULL : result.no_vertex ? PLEACH_E_VERTEX : PLEACH_OK;
}
