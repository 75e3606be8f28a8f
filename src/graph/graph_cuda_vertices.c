/* graph/graph_cuda_vertices.c - exclusive operations on vertices of a graph in GPU memory: building, new ids,
 * erasing. */
#include "../base/memory.h"
#include "graph_cuda.h"
#include "../cuda/sort_cuda.h"

pleach_status graph_cuda_segments(const cuda_graph *graph, staging *s, segment_list *list)
{
    uint64_t segments = 0, count = 0;
    const graph_state *state = graph->slabs.state;
    CUDA_TRY(cudaMemcpyAsync(&segments, &state->segments, sizeof segments, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    *list = (segment_list){NULL, 0, 0};
    if (!segments) return PLEACH_OK;
    uint64_t *directory = base_alloc(segments, sizeof *directory);
    uint32_t *numbers = base_alloc(segments, sizeof *numbers), *there;
    pleach_status status = directory && numbers ? staging_scratch(s, segments * sizeof *numbers, (void **)&there)
                                                : PLEACH_E_MEMORY;
    if (status == PLEACH_OK)
        status = cuda_status(cudaMemcpyAsync(directory, graph->directory, segments * sizeof *directory,
                                             cudaMemcpyDeviceToHost, s->stream));
    if (status == PLEACH_OK) status = cuda_status(cudaStreamSynchronize(s->stream));
    for (uint64_t i = 0; status == PLEACH_OK && i < segments; i++)
        if (directory[i]) numbers[count++] = (uint32_t)i;
    if (status == PLEACH_OK && count)
        status = cuda_status(cudaMemcpyAsync(there, numbers, count * sizeof *numbers, cudaMemcpyHostToDevice,
                                             s->stream));
    if (status == PLEACH_OK) status = cuda_status(cudaStreamSynchronize(s->stream));
    base_free(directory);
    base_free(numbers);
    if (status == PLEACH_OK) *list = (segment_list){there, count, segments << GRAPH_SEGMENT_LOG};
    return status;
}

/* ---- building: degrees first ---- */

/* Allocates segments for all ids of a request. The loop terminates: a lacking segment did not fit at the pool's end, so
 * slabs_grow gets more memory, which is limited, or fails. */
static pleach_status make_segments(cuda_graph *graph, staging *s, const graph_request *r)
{
    if (graph->sparse) return graph_cuda_name_all(graph, r, s->stream);
    uint64_t *there, lacking = 1;
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    for (;;) {
        CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
        CUDA_TRY(edges_cuda_mark_segments(graph_on(graph), r->n, r->from, r->to, graph->marks, s->stream));
        CUDA_TRY(edges_cuda_make_segments(graph_on(graph), graph->marks, there, s->stream));
        CUDA_TRY(cudaMemcpyAsync(&lacking, there, sizeof lacking, cudaMemcpyDeviceToHost, s->stream));
        CUDA_TRY(cudaStreamSynchronize(s->stream));
        if (!lacking) return PLEACH_OK;
        uint64_t used, segments = lacking << GRAPH_SEGMENT_SLABS_LOG;
        status = slabs_peek(&graph->slabs, offsetof(pool_state, next), &used, sizeof used);
        if (status == PLEACH_OK) status = slabs_grow(&graph->slabs, used + segments);
        if (status != PLEACH_OK) return status;
    }
}

/* Allocates all tables at once from the pool's end. */
static pleach_status open_tables(cuda_graph *graph, staging *s)
{
    segment_list list;
    uint64_t *sizes, slabs, first;
    graph_state *state = graph->slabs.state;
    pleach_status status = graph_cuda_segments(graph, s, &list);
    if (status != PLEACH_OK || !list.count) return status;
    uint64_t vertices = list.count << GRAPH_SEGMENT_LOG;
    status = staging_scratch(s, (vertices + 1) * sizeof *sizes, (void **)&sizes);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(sizes + vertices, 0, sizeof *sizes, s->stream));
    CUDA_TRY(graph->kernels->sizes(graph_on(graph), list, sizes, s->stream));
    WITH_SCRATCH(s, sort_cuda_scan, sizes, sizes, vertices + 1, s->stream);
    CUDA_TRY(cudaMemcpyAsync(&slabs, sizes + vertices, sizeof slabs, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&first, &state->pool.next, sizeof first, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    status = slabs_grow(&graph->slabs, first + slabs);
    if (status != PLEACH_OK) return status;
    uint64_t next = first + slabs;
    CUDA_TRY(graph->kernels->open(graph_on(graph), list, sizes, first, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&state->pool.next, &next, sizeof next, cudaMemcpyHostToDevice, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    graph->slabs.used_bound = next;
    return PLEACH_OK;
}

static pleach_status build_staged(cuda_graph *graph, staging *s, const graph_request *r, graph_result *result)
{
    graph_request staged;
    pleach_status status = graph_cuda_stage(r, s, &staged);
    if (status == PLEACH_OK) status = staging_scratch(s, r->n, (void **)&staged.flags);
    if (status == PLEACH_OK) status = make_segments(graph, s, &staged);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(graph->kernels->count_ends(graph_on(graph), r->n, staged.from, staged.to, s->stream));
    status = open_tables(graph, s);
    if (status == PLEACH_OK) slabs_make_room(&graph->slabs, r->n / 16 + 1024); /* for buckets that overflow */
    return status == PLEACH_OK ? graph_cuda_insert_staged(graph, s, &staged, result) : status;
}

pleach_status graph_cuda_build(cuda_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                               const uint32_t *values)
{
    uint64_t vertices, edges;
    graph_result result = {0, 0, 0, 0};
    pleach_status status = graph_cuda_size_of(graph, &vertices, &edges);
    if (status != PLEACH_OK) return status;
    if (vertices || edges) return PLEACH_E_NOT_EMPTY;
    if (n == 0) return PLEACH_OK;
    graph_cuda_forget_triangles(graph);
    graph_request r = {.kind = GRAPH_INSERT_EDGES, .n = n, .from = from, .to = to, .values = values};
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    status = graph_cuda_end(&s, build_staged(graph, &s, &r, &result));
    if (status == PLEACH_OK && result.not_applied) status = PLEACH_E_FULL;
    if (status != PLEACH_OK) {
        graph_cuda_reset(graph); /* leaves it empty even if it gets no memory; later calls ask for that */
        return status;
    }
    return result.no_vertex ? PLEACH_E_VERTEX : PLEACH_OK;
}

/* ---- new ids ---- */

/* Allocates segments for the next n ids from `first` on. */
static pleach_status new_segments(cuda_graph *graph, staging *s, uint64_t first, uint64_t n)
{
    uint64_t begin = first >> GRAPH_SEGMENT_LOG, end = ((first + n) >> GRAPH_SEGMENT_LOG) + 1;
    if (end > GRAPH_SEGMENTS) end = GRAPH_SEGMENTS;
    uint32_t *ids = base_alloc(end - begin, sizeof *ids), *there;
    if (!ids) return PLEACH_E_MEMORY;
    for (uint64_t i = begin; i < end; i++) ids[i - begin] = (uint32_t)(i << GRAPH_SEGMENT_LOG);
    pleach_status status = staging_scratch(s, (end - begin) * sizeof *ids, (void **)&there);
    if (status == PLEACH_OK)
        status = cuda_status(cudaMemcpyAsync(there, ids, (end - begin) * sizeof *ids, cudaMemcpyHostToDevice,
                                             s->stream));
    if (status == PLEACH_OK) status = cuda_status(cudaStreamSynchronize(s->stream));
    base_free(ids);
    graph_request r = {.n = end - begin, .from = there};
    return status == PLEACH_OK ? make_segments(graph, s, &r) : status;
}

/* Takes free ids in existing segments; then allocates more segments, in which all ids are free, and takes those. */
static pleach_status new_staged(cuda_graph *graph, staging *s, size_t n, uint32_t *vertices)
{
    uint32_t *ids;
    new_ids *there, found;
    size_t have = 0;
    pleach_status room = PLEACH_OK;
    pleach_status status = staging_output(s, vertices, n * sizeof *ids, false, (void **)&ids);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(ids, 0xff, n * sizeof *ids, s->stream));
    for (;;) {
        CUDA_TRY(edges_cuda_new_vertices(graph_on(graph), graph->lowest_free, n - have, ids + have, there, s->stream));
        CUDA_TRY(cudaMemcpyAsync(&found, there, sizeof found, cudaMemcpyDeviceToHost, s->stream));
        CUDA_TRY(cudaStreamSynchronize(s->stream));
        have += found.count;
        graph->lowest_free = found.next;
        if (have == n || found.next >= GRAPH_NO_VERTEX || room != PLEACH_OK) break;
        room = new_segments(graph, s, found.next, n - have); /* even if this fails, there may be some */
        if (room != PLEACH_OK && room != PLEACH_E_FULL && room != PLEACH_E_MEMORY) return room;
    }
    status = staging_return_results(s);
    return status == PLEACH_OK && have < n ? PLEACH_E_FULL : status;
}

pleach_status graph_cuda_new(cuda_graph *graph, size_t n, uint32_t *vertices)
{
    if (n == 0) return PLEACH_OK;
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    pleach_status status = graph->sparse ? graph_cuda_new_sparse(graph, &s, n, vertices)
                                         : new_staged(graph, &s, n, vertices);
    pleach_status ended = graph_cuda_end(&s, PLEACH_OK);
    return status != PLEACH_OK ? status : ended;
}

/* ---- erasing: takes no memory from the graph ---- */

/* Returns whether to sweep over all vertices. If few of many vertices are erased, visiting their neighbours is less
 * work. */
static bool sweeps(const cuda_graph *graph, segment_list list, size_t n)
{
    enum { MANY = 64 };
    return graph->directed || n >= (list.count << GRAPH_SEGMENT_LOG) / MANY;
}

/* Scratch of a sweep. Ids that are few and far apart are looked up, because a bit per id would take more memory than
 * the vertices. */
typedef struct sweep_scratch {
    dying_ids dying;
    uint32_t *large;
    uint64_t *large_count;
} sweep_scratch;

static pleach_status open_sweep(const cuda_graph *graph, staging *s, segment_list list, sweep_scratch *w)
{
    uint64_t vertices = list.count << GRAPH_SEGMENT_LOG, bytes = list.ids / 8;
    pleach_status status = staging_scratch(s, vertices * sizeof *w->large, (void **)&w->large);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *w->large_count, (void **)&w->large_count);
    if (status != PLEACH_OK || graph->sparse || bytes > vertices) return status;
    status = staging_scratch(s, bytes, (void **)&w->dying.bits);
    return status == PLEACH_OK ? cuda_status(cudaMemsetAsync(w->dying.bits, 0, bytes, s->stream)) : status;
}

static pleach_status add_to_sums(cuda_graph *graph, staging *s, const erase_notes *notes)
{
    uint64_t sums[2];
    graph_state *state = graph->slabs.state;
    CUDA_TRY(cudaMemcpyAsync(sums, &state->stripe[0], sizeof sums, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    sums[0] -= notes->edges;
    sums[1] -= notes->dying;
    CUDA_TRY(cudaMemcpyAsync(&state->stripe[0], sums, sizeof sums, cudaMemcpyHostToDevice, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

static pleach_status no_vertices_erased(staging *s, size_t n, uint8_t *said)
{
    CUDA_TRY(cudaMemsetAsync(said, PLEACH_EDGE_ABSENT, n, s->stream));
    return staging_return_results(s);
}

/* Allocates everything before it erases anything. */
static pleach_status erase_staged(cuda_graph *graph, staging *s, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    const uint32_t *ids;
    uint8_t *said;
    segment_list list;
    erase_notes *there, notes = {0, 0, GRAPH_NO_VERTEX};
    sweep_scratch sweep = {{NULL}, NULL, NULL};
    pleach_status status = staging_input(s, vertices, n * sizeof *ids, (const void **)&ids);
    if (status == PLEACH_OK) status = staging_output(s, outcomes, n, false, (void **)&said);
    if (status == PLEACH_OK && !said) status = staging_scratch(s, n, (void **)&said);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status == PLEACH_OK) status = graph_cuda_segments(graph, s, &list);
    if (status == PLEACH_OK && list.count == 0) status = no_vertices_erased(s, n, said);
    if (status != PLEACH_OK || list.count == 0) return status;
    bool all = sweeps(graph, list, n);
    if (all) status = open_sweep(graph, s, list, &sweep);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemcpyAsync(there, &notes, sizeof notes, cudaMemcpyHostToDevice, s->stream));
    CUDA_TRY(graph->kernels->mark_dying(graph_on(graph), n, ids, said, sweep.dying, there, s->stream));
    if (all)
        CUDA_TRY(graph->kernels->sweep(graph_on(graph), list, sweep.dying, sweep.large, sweep.large_count,
                                       &there->edges, s->stream));
    else
        CUDA_TRY(graph->kernels->erase_mirrors(graph_on(graph), n, ids, said, &there->edges, s->stream));
    CUDA_TRY(graph->kernels->drop(graph_on(graph), n, ids, said, s->stream));
    CUDA_TRY(cudaMemcpyAsync(&notes, there, sizeof notes, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    if (notes.lowest < graph->lowest_free) graph->lowest_free = notes.lowest;
    status = add_to_sums(graph, s, &notes);
    if (status == PLEACH_OK && graph->sparse) status = graph_cuda_forget(graph, s, n, ids, said);
    return status == PLEACH_OK ? staging_return_results(s) : status;
}

pleach_status graph_cuda_erase(cuda_graph *graph, size_t n, const uint32_t *vertices, uint8_t *outcomes)
{
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    graph_cuda_forget_triangles(graph);
    return graph_cuda_end(&s, erase_staged(graph, &s, n, vertices, outcomes));
}
