/* graph/graph_cuda_hostcopy.c - copies a quiescent graph from the GPU to host memory, where the CPU backend's functions
 * are used on it: for calls that export or inspect the whole graph. */
#include "../base/memory.h"
#include "graph_cpu.h"
#include "graph_cuda.h"

/* ---- the copy ---- */

static void close_mirror(cpu_graph *mirror)
{
    if (mirror->workers) workers_destroy(mirror->workers);
    base_free(mirror->slabs.nodes);
    base_free(mirror->directory.nodes);
    base_free(mirror->state);
}

static pleach_status copy_graph(const cuda_graph *graph, cpu_graph *mirror)
{
    mirror->state = base_alloc(1, sizeof *mirror->state);
    if (!mirror->state) return PLEACH_E_MEMORY;
    pleach_status status = slabs_read(&graph->slabs, mirror->state, sizeof *mirror->state);
    if (status != PLEACH_OK) return status;
    pool_state *pool = &mirror->state->pool;
    uint64_t used = pool->next < pool->capacity ? pool->next : pool->capacity, segments = mirror->state->segments;
    mirror->slabs.bytes = used * SLAB_BYTES;
    mirror->slabs.nodes = base_alloc(used, SLAB_BYTES);
    mirror->directory.nodes = base_alloc(1, graph_directory_bytes(graph));
    if (!mirror->slabs.nodes || !mirror->directory.nodes) return PLEACH_E_MEMORY;
    CUDA_TRY(cudaMemcpy(mirror->slabs.nodes, slabs_nodes(&graph->slabs), used * SLAB_BYTES, cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaMemcpy(mirror->directory.nodes, graph->directory, segments * sizeof(uint64_t),
                        cudaMemcpyDeviceToHost));
    if (graph->sparse) /* names may have one segment more */
        CUDA_TRY(cudaMemcpy((uint64_t *)mirror->directory.nodes + GRAPH_SEGMENTS, graph->directory + GRAPH_SEGMENTS,
                            (segments < GRAPH_SEGMENTS ? segments + 1 : segments) * sizeof(uint64_t),
                            cudaMemcpyDeviceToHost));
    return PLEACH_OK;
}

static pleach_status open_mirror(const cuda_graph *graph, cpu_graph *mirror)
{
    *mirror = (cpu_graph){.threads = 1, .directed = graph->directed, .values = graph->values,
                          .sparse = graph->sparse, .seed = graph->seed, .load = graph->load,
                          .ops = graph->values ? &graph_run_map32 : &graph_run_set32};
    mirror->workers = workers_create(mirror->threads);
    pleach_status status = mirror->workers ? copy_graph(graph, mirror) : PLEACH_E_MEMORY;
    if (status != PLEACH_OK) close_mirror(mirror);
    return status;
}

/* ---- arrays of the caller, in host or device memory ---- */

/* Allocates host memory for the contents of `array`. NULL stays NULL. */
static bool stand_in(const void *array, size_t n, size_t bytes, void **memory)
{
    *memory = array ? base_alloc(n + 1, bytes) : NULL;
    return !array || *memory;
}

static pleach_status deliver(void *array, const void *memory, size_t bytes)
{
    if (!array || !bytes) return PLEACH_OK;
    CUDA_TRY(cudaMemcpy(array, memory, bytes, cudaMemcpyDefault));
    return PLEACH_OK;
}

/* ---- exports ---- */

static pleach_status mirror_rows(cpu_graph *mirror, graph_rows *rows)
{
    graph_rows here = *rows;
    pleach_status status = PLEACH_E_MEMORY;
    if (!rows->offsets) return graph_cpu_export_rows(mirror, rows);
    bool fine = stand_in(rows->offsets, rows->row_capacity + 1, sizeof *here.offsets, (void **)&here.offsets);
    fine &= stand_in(rows->targets, rows->entry_capacity, sizeof *here.targets, (void **)&here.targets);
    fine &= stand_in(rows->values, rows->entry_capacity, sizeof *here.values, (void **)&here.values);
    if (fine) status = graph_cpu_export_rows(mirror, &here);
    rows->rows = here.rows;
    rows->entries = here.entries;
    if (status == PLEACH_OK) status = deliver(rows->offsets, here.offsets, (here.rows + 1) * sizeof *here.offsets);
    if (status == PLEACH_OK) status = deliver(rows->targets, here.targets, here.entries * sizeof *here.targets);
    if (status == PLEACH_OK) status = deliver(rows->values, here.values, here.entries * sizeof *here.values);
    base_free(here.offsets);
    base_free(here.targets);
    base_free(here.values);
    return status;
}

pleach_status graph_cuda_export_rows(cuda_graph *graph, graph_rows *rows)
{
    cpu_graph mirror;
    pleach_status status = open_mirror(graph, &mirror);
    if (status != PLEACH_OK) return status;
    graph_rows sizes = {0};
    graph_cpu_export_rows(&mirror, &sizes); /* to allocate memory for what there is, not for the capacity */
    rows->rows = sizes.rows;
    rows->entries = sizes.entries;
    bool fits = sizes.rows <= rows->row_capacity && sizes.entries <= rows->entry_capacity;
    if (rows->offsets && !fits) {
        status = PLEACH_E_SPACE;
    } else {
        rows->row_capacity = sizes.rows;
        rows->entry_capacity = sizes.entries;
        status = mirror_rows(&mirror, rows);
    }
    close_mirror(&mirror);
    return status;
}

static pleach_status mirror_edges(cpu_graph *mirror, uint32_t *from, uint32_t *to, uint32_t *values, uint64_t *edges)
{
    uint32_t *own_from, *own_to, *own_values;
    pleach_status status = PLEACH_E_MEMORY;
    uint64_t n = *edges;
    bool fine = stand_in(from, n, sizeof *from, (void **)&own_from);
    fine &= stand_in(to, n, sizeof *to, (void **)&own_to);
    fine &= stand_in(values, n, sizeof *values, (void **)&own_values);
    if (fine) status = graph_cpu_export_edges(mirror, n, own_from, own_to, own_values, edges);
    if (status == PLEACH_OK) status = deliver(from, own_from, n * sizeof *from);
    if (status == PLEACH_OK) status = deliver(to, own_to, n * sizeof *to);
    if (status == PLEACH_OK) status = deliver(values, own_values, n * sizeof *values);
    base_free(own_from);
    base_free(own_to);
    base_free(own_values);
    return status;
}

pleach_status graph_cuda_export_edges(cuda_graph *graph, size_t capacity, uint32_t *from, uint32_t *to,
                                      uint32_t *values, uint64_t *edges)
{
    pleach_status status = graph_cuda_size_of(graph, NULL, edges);
    if (status != PLEACH_OK || (!from && !to)) return status;
    if (*edges > capacity) return PLEACH_E_SPACE;
    cpu_graph mirror;
    status = open_mirror(graph, &mirror);
    if (status != PLEACH_OK) return status;
    status = mirror_edges(&mirror, from, to, values, edges);
    close_mirror(&mirror);
    return status;
}

pleach_status graph_cuda_export_vertices(cuda_graph *graph, size_t capacity, uint32_t *ids, uint64_t *count)
{
    pleach_status status = graph_cuda_size_of(graph, count, NULL);
    if (status != PLEACH_OK || !ids) return status;
    if (*count > capacity) return PLEACH_E_SPACE;
    cpu_graph mirror;
    uint32_t *own = base_alloc(*count + 1, sizeof *own);
    if (!own) return PLEACH_E_MEMORY;
    status = open_mirror(graph, &mirror);
    if (status == PLEACH_OK) {
        status = graph_cpu_list_vertices(&mirror, *count, own, count);
        close_mirror(&mirror);
    }
    if (status == PLEACH_OK) status = deliver(ids, own, *count * sizeof *own);
    base_free(own);
    return status;
}

/* ---- inspection ---- */

pleach_status graph_cuda_inspect(cuda_graph *graph, pleach_graph_stats *stats, char *message, size_t message_size)
{
    cpu_graph mirror;
    pleach_status status = open_mirror(graph, &mirror);
    if (status != PLEACH_OK) return status;
    status = stats ? graph_cpu_stats(&mirror, stats) : graph_cpu_validate(&mirror, message, message_size);
    close_mirror(&mirror);
    return status;
}

pleach_status graph_cuda_mirror_triangles(cuda_graph *graph, uint64_t *total)
{
    cpu_graph mirror;
    pleach_status status = open_mirror(graph, &mirror);
    if (status != PLEACH_OK) return status;
    status = graph_cpu_triangles(&mirror, 0, NULL, total);
    close_mirror(&mirror);
    return status;
}
