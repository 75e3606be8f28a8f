/* graph/graph_cuda_rows.c - lists of neighbours, and triangles, of a graph in GPU memory. */
#include "../base/memory.h"
#include "../blink/blink_cuda.h"
#include "graph_cuda.h"
#include "../cuda/sort_cuda.h"
#include "triangles/triangles_cuda.h"

/* ---- neighbours of some vertices, concurrent with updates ---- */

typedef struct lists {
    size_t n;
    const uint32_t *vertices;
    uint64_t *places;     /* n + 1: where the space of each list begins */
    uint64_t *counts;     /* n + 1 */
    uint64_t *neighbours; /* with the index of their list in the upper half */
    uint32_t *values;
    uint64_t room;
} lists;

/* Allocates space for each list, `spare` more than it has now, and fills the lists. *misfits of them were longer. */
static pleach_status fill_rooms(const cuda_graph *graph, staging *s, lists *l, uint64_t spare, uint64_t *misfits)
{
    uint64_t *there;
    pleach_status status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(graph->kernels->list(graph_on(graph), l->n, l->vertices, NULL, NULL, NULL, l->counts, s->stream));
    CUDA_TRY(blink_cuda_add_spare(l->counts, l->places, l->n, spare, s->stream));
    WITH_SCRATCH(s, sort_cuda_scan, l->places, l->places, l->n + 1, s->stream);
    CUDA_TRY(cudaMemcpyAsync(&l->room, l->places + l->n, sizeof l->room, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    status = staging_scratch(s, (l->room + 1) * sizeof *l->neighbours, (void **)&l->neighbours);
    if (status == PLEACH_OK && graph->values)
        status = staging_scratch(s, (l->room + 1) * sizeof *l->values, (void **)&l->values);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    CUDA_TRY(graph->kernels->list(graph_on(graph), l->n, l->vertices, l->places, l->neighbours, l->values, l->counts,
                             s->stream));
    CUDA_TRY(blink_cuda_count_misfits(l->places, l->counts, l->n, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(misfits, there, sizeof *misfits, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

/* Packs the lists one after the other, each in order. */
static pleach_status pack_lists(const cuda_graph *graph, staging *s, const lists *l, uint64_t total,
                                const uint64_t *offsets, uint32_t *neighbours, uint32_t *values)
{
    uint64_t *packed, *sorted;
    uint32_t *packed_values = NULL, *sorted_values = NULL;
    pleach_status status = staging_scratch(s, (total + 1) * sizeof *packed, (void **)&packed);
    if (status == PLEACH_OK) status = staging_scratch(s, (total + 1) * sizeof *sorted, (void **)&sorted);
    if (status == PLEACH_OK) status = staging_scratch(s, (total + 1) * sizeof *values, (void **)&packed_values);
    if (status == PLEACH_OK) status = staging_scratch(s, (total + 1) * sizeof *values, (void **)&sorted_values);
    if (status == PLEACH_OK)
        status = staging_output(s, neighbours, total * sizeof *neighbours, false, (void **)&neighbours);
    if (status == PLEACH_OK) status = staging_output(s, values, total * sizeof *values, false, (void **)&values);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(edges_cuda_pack(l->n, l->places, offsets, l->neighbours, graph->values ? l->values : NULL, packed,
                             packed_values, s->stream));
    WITH_SCRATCH(s, sort_cuda_pairs, 64, 32, packed, sorted, packed_values, sorted_values, total, s->stream);
    if (neighbours) CUDA_TRY(edges_cuda_ids_of(total, sorted, neighbours, s->stream));
    if (values)
        CUDA_TRY(cudaMemcpyAsync(values, sorted_values, total * sizeof *values, cudaMemcpyDeviceToDevice, s->stream));
    return PLEACH_OK;
}

static pleach_status list_staged(cuda_graph *graph, staging *s, size_t n, const uint32_t *vertices, size_t capacity,
                                 uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total)
{
    lists l = {.n = n};
    uint64_t misfits = 1, sum = 0;
    pleach_status status = staging_input(s, vertices, n * sizeof *vertices, (const void **)&l.vertices);
    if (status == PLEACH_OK) status = staging_scratch(s, (n + 1) * sizeof *l.places, (void **)&l.places);
    if (status == PLEACH_OK) status = staging_scratch(s, (n + 1) * sizeof *l.counts, (void **)&l.counts);
    if (status == PLEACH_OK) status = staging_output(s, offsets, (n + 1) * sizeof *offsets, false, (void **)&offsets);
    /* A list that grows while it is written may exceed its space; the next attempt has more to spare. */
    for (uint64_t spare = 8; status == PLEACH_OK && misfits; spare *= 8)
        status = spare > (uint64_t)1 << 24 ? PLEACH_E_MEMORY : fill_rooms(graph, s, &l, spare, &misfits);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(l.counts + n, 0, sizeof *l.counts, s->stream));
    WITH_SCRATCH(s, sort_cuda_scan, l.counts, offsets, n + 1, s->stream);
    CUDA_TRY(cudaMemcpyAsync(&sum, offsets + n, sizeof sum, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    *total = sum;
    bool wanted = neighbours || values;
    if (sum <= capacity && wanted && sum) status = pack_lists(graph, s, &l, sum, offsets, neighbours, values);
    if (status == PLEACH_OK) status = staging_return_results(s);
    return status == PLEACH_OK && wanted && sum > capacity ? PLEACH_E_SPACE : status;
}

pleach_status graph_cuda_list(cuda_graph *graph, size_t n, const uint32_t *vertices, size_t capacity,
                              uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total)
{
    if (n == 0) {
        *total = 0;
        uint64_t zero = 0;
        CUDA_TRY(cudaMemcpy(offsets, &zero, sizeof zero, cudaMemcpyDefault));
        return PLEACH_OK;
    }
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    pleach_status status = list_staged(graph, &s, n, vertices, capacity, neighbours, values, offsets, total);
    pleach_status ended = graph_cuda_end(&s, PLEACH_OK);
    return status != PLEACH_OK ? status : ended;
}

/* ---- all triangles: tables become rows ---- */

pleach_status graph_cuda_count_rows(const cuda_graph *graph, staging *s, uint64_t *rows)
{
    segment_list list;
    uint64_t *there;
    pleach_status status = graph_cuda_segments(graph, s, &list);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *there, (void **)&there);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(there, 0, sizeof *there, s->stream));
    CUDA_TRY(graph->kernels->rows(graph_on(graph), list, there, s->stream));
    CUDA_TRY(cudaMemcpyAsync(rows, there, sizeof *rows, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

static pleach_status count_staged(cuda_graph *graph, staging *s, uint64_t rows, uint64_t entries, size_t capacity,
                                  uint64_t *by_vertex, uint64_t *total)
{
    uint64_t *offsets, *large_count, *counts;
    uint32_t *targets, *large;
    pleach_status status = staging_scratch(s, (rows + 1) * sizeof *offsets, (void **)&offsets);
    if (status == PLEACH_OK) status = staging_scratch(s, rows * sizeof *large, (void **)&large);
    if (status == PLEACH_OK) status = staging_scratch(s, sizeof *large_count, (void **)&large_count);
    if (status == PLEACH_OK) status = staging_scratch(s, (entries + 1) * sizeof *targets, (void **)&targets);
    if (status == PLEACH_OK)
        status = staging_output(s, by_vertex, capacity * sizeof *by_vertex, false, (void **)&counts);
    if (status != PLEACH_OK) return status;
    if (counts) CUDA_TRY(cudaMemsetAsync(counts, 0, capacity * sizeof *counts, s->stream));
    CUDA_TRY(graph->kernels->degrees(graph_on(graph), rows, offsets, s->stream));
    WITH_SCRATCH(s, sort_cuda_scan, offsets, offsets, rows + 1, s->stream);
    CUDA_TRY(graph->kernels->fill(graph_on(graph), rows, offsets, targets, large, large_count, s->stream));
    triangles_on_gpu all = {rows, offsets, targets};
    status = triangles_cuda_count(s, &all, counts, total);
    return status == PLEACH_OK ? staging_return_results(s) : status;
}

/* Returns whether ids are so few and large that arrays by id would take much memory. */
static bool ids_are_scattered(uint64_t rows, uint64_t vertices)
{
    enum { IDS_PER_VERTEX = 64, FEW = 1 << 20 };
    return rows > FEW && rows / IDS_PER_VERTEX > vertices;
}

pleach_status graph_cuda_has_rows(const cuda_graph *graph, staging *s, bool *has)
{
    uint64_t rows = 0, vertices;
    pleach_status status = graph_cuda_size_of(graph, &vertices, NULL);
    if (status == PLEACH_OK) status = graph_cuda_count_rows(graph, s, &rows);
    *has = !ids_are_scattered(rows, vertices);
    return status;
}

pleach_status graph_cuda_triangles(cuda_graph *graph, size_t capacity, uint64_t *by_vertex, uint64_t *total)
{
    uint64_t rows = 0, vertices, edges;
    pleach_status status = graph_cuda_size_of(graph, &vertices, &edges);
    if (status != PLEACH_OK) return status;
    staging s = slabs_staging(&graph->slabs, slabs_stream(&graph->slabs));
    status = graph_cuda_count_rows(graph, &s, &rows);
    if (status == PLEACH_OK && by_vertex && rows > capacity) status = PLEACH_E_SPACE;
    bool sparse = !by_vertex && ids_are_scattered(rows, vertices);
    if (status == PLEACH_OK && !sparse && capacity + rows)
        status = count_staged(graph, &s, rows, 2 * edges, capacity, by_vertex, total);
    pleach_status ended = graph_cuda_end(&s, PLEACH_OK);
    if (status == PLEACH_OK) status = ended;
    if (status == PLEACH_OK && sparse) status = graph_cuda_mirror_triangles(graph, total);
    if (status == PLEACH_OK) graph_cuda_remember_triangles(graph, *total);
    return status;
}
