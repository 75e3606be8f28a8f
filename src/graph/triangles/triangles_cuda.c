/* graph/triangles/triangles_cuda.c - the stages of counting triangles, one after the other on the stream.
 * triangles_window.cu explains the method, and the reasons for it. */
#include "triangles_cuda.h"

#include <stdbool.h>

#include "../../cuda/sort_cuda.h"
#include "triangles_launch.h"

/* Numbers vertices by decreasing degree, by sorting the ids. */
static pleach_status number_by_degree(staging *s, triangle_graph *g)
{
    const sort_bits by = {0, TRIANGLE_KEY_BITS};
    uint32_t *keys, *sorted, *ids;
    void *scratch;
    size_t bytes = 0;
    pleach_status status = staging_scratch(s, g->n * sizeof *keys, (void **)&keys);
    if (status == PLEACH_OK) status = staging_scratch(s, g->n * sizeof *sorted, (void **)&sorted);
    if (status == PLEACH_OK) status = staging_scratch(s, g->n * sizeof *ids, (void **)&ids);
    if (status == PLEACH_OK) status = staging_scratch(s, g->n * sizeof *g->id, (void **)&g->id);
    if (status == PLEACH_OK) status = staging_scratch(s, g->n * sizeof *g->number, (void **)&g->number);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(sort_cuda_pairs_by(NULL, &bytes, 32, 32, by, keys, sorted, ids, g->id, g->n, s->stream));
    status = staging_scratch(s, bytes, &scratch);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(triangles_launch_keys(g, keys, ids, s->stream));
    CUDA_TRY(sort_cuda_pairs_by(scratch, &bytes, 32, 32, by, keys, sorted, ids, g->id, g->n, s->stream));
    CUDA_TRY(triangles_launch_numbers(g, sorted, s->stream));
    return PLEACH_OK;
}

static pleach_status count(staging *s, triangle_graph *g, uint64_t entries, uint64_t *total)
{
    pleach_status status = staging_scratch(s, sizeof *g->notes, (void **)&g->notes);
    if (status == PLEACH_OK) status = staging_scratch(s, g->n * sizeof *g->list, (void **)&g->list);
    if (status == PLEACH_OK) status = staging_scratch(s, entries * sizeof *g->members, (void **)&g->members);
    if (status == PLEACH_OK) status = staging_scratch(s, entries * sizeof *g->packed, (void **)&g->packed);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(cudaMemsetAsync(g->notes, 0, sizeof *g->notes, s->stream));
    status = number_by_degree(s, g);
    if (status != PLEACH_OK) return status;
    CUDA_TRY(triangles_launch_lists(g, s->stream));
    CUDA_TRY(triangles_launch_window(g, s->stream));
    CUDA_TRY(triangles_launch_rest(g, s->stream));
    CUDA_TRY(cudaMemcpyAsync(total, &g->notes->total, sizeof *total, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return PLEACH_OK;
}

pleach_status triangles_cuda_count(staging *s, const triangles_on_gpu *rows, uint64_t *by_vertex, uint64_t *total)
{
    triangle_graph g = {.n = rows->n, .offsets = rows->offsets, .targets = rows->targets, .by_vertex = by_vertex};
    uint64_t entries = 0;
    *total = 0;
    if (rows->n == 0) return PLEACH_OK;
    if (rows->n > UINT32_MAX - 1) return PLEACH_E_SIZE;
    CUDA_TRY(cudaMemcpyAsync(&entries, rows->offsets + rows->n, sizeof entries, cudaMemcpyDeviceToHost, s->stream));
    CUDA_TRY(cudaStreamSynchronize(s->stream));
    return entries ? count(s, &g, entries, total) : PLEACH_OK;
}
