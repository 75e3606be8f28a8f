/* graph/graph_cuda.h - a graph in GPU memory: declarations shared by the files of this folder. */
#ifndef PLEACH_GRAPH_CUDA_H
#define PLEACH_GRAPH_CUDA_H

#include <stdatomic.h>

#include "graph_edges.h"
#include "graph_sparse_ids.h"
#include "../hash/slabs_cuda.h"

typedef struct cuda_graph {
    slabs_cuda slabs;
    bool directed, values, sparse;
    const graph_kernels *kernels;
    slab_seed seed;
    uint32_t load; /* keys per 1,024 slots */
    uint64_t max_bytes;
    uint64_t *directory;  /* device memory; in a sparse graph followed by that of names */
    uint32_t *marks;      /* a bit per segment; zeros between calls. Used with `inserting` held */
    pthread_mutex_t inserting;
    uint64_t lowest_free; /* no smaller id is free; used with exclusive access only */
    uint64_t triangles;   /* result of the last count, if nothing has changed since; exclusive access only */
    atomic_bool triangles_known;
} cuda_graph;

static inline graph_on_gpu graph_on(const cuda_graph *graph)
{
    return (graph_on_gpu){graph->directed,     graph->load, graph->seed, 0,
                          graph->slabs.state, slabs_nodes(&graph->slabs), graph->directory,
                          graph->sparse ? graph->directory + GRAPH_SEGMENTS : NULL};
}

static inline uint64_t graph_segment_slabs(const cuda_graph *graph)
{
    return ((uint64_t)1 << GRAPH_SEGMENT_SLABS_LOG) + (graph->sparse ? (uint64_t)1 << GRAPH_NAMES_LOG : 0);
}

/* Size of the directory, or of both. */
static inline size_t graph_directory_bytes(const cuda_graph *graph)
{
    return (graph->sparse ? 2 : 1) * GRAPH_SEGMENTS * sizeof(uint64_t);
}

/* graph_cuda.c: runs a request whose arrays are device memory to completion; *result gets its effects. Elements that
 * found no memory are repeated when there is more, so the request must have flags. */
pleach_status graph_cuda_insert_staged(cuda_graph *graph, staging *s, const graph_request *r, graph_result *result);
pleach_status graph_cuda_stage(const graph_request *r, staging *s, graph_request *staged);
pleach_status graph_cuda_size_of(const cuda_graph *graph, uint64_t *vertices, uint64_t *edges);
pleach_status graph_cuda_reset(cuda_graph *graph);
pleach_status graph_cuda_end(staging *s, pleach_status status); /* frees, waits, and returns the first failure */

/* graph_cuda_vertices.c */
pleach_status graph_cuda_build(cuda_graph *graph, size_t n, const uint32_t *from, const uint32_t *to,
                               const uint32_t *values);
pleach_status graph_cuda_new(cuda_graph *graph, size_t n, uint32_t *vertices);
pleach_status graph_cuda_erase(cuda_graph *graph, size_t n, const uint32_t *vertices, uint8_t *outcomes);
pleach_status graph_cuda_segments(const cuda_graph *graph, staging *s, segment_list *list);

/* graph_cuda_sparse_ids.c, for sparse graphs. Assigns numbers to the ids of a request that have none. For lack of
 * memory, notes->left of them get none. The caller holds `inserting`, or has exclusive access. */
pleach_status graph_cuda_name(cuda_graph *graph, const graph_request *r, cudaStream_t stream, name_notes *notes);
pleach_status graph_cuda_name_all(cuda_graph *graph, const graph_request *r, cudaStream_t stream); /* FULL, MEMORY */
pleach_status graph_cuda_new_sparse(cuda_graph *graph, staging *s, size_t n, uint32_t *vertices);
/* Removes the numbers of ids whose vertices were dropped, or do not exist for another reason. Exclusive; the sums must
 * be up to date. */
pleach_status graph_cuda_forget(cuda_graph *graph, staging *s, size_t n, const uint32_t *vertices,
                                const uint8_t *outcomes);

/* graph_cuda_rows.c */
pleach_status graph_cuda_list(cuda_graph *graph, size_t n, const uint32_t *vertices, size_t capacity,
                              uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total);
pleach_status graph_cuda_triangles(cuda_graph *graph, size_t capacity, uint64_t *by_vertex, uint64_t *total);
/* Sets *has to whether rows by id are worth their memory, because ids are not few and large. */
pleach_status graph_cuda_has_rows(const cuda_graph *graph, staging *s, bool *has);
pleach_status graph_cuda_count_rows(const cuda_graph *graph, staging *s, uint64_t *rows);

/* graph_cuda_triangle_change.c. Every function that changes a graph must invalidate the counted triangles. */
pleach_status graph_cuda_count_change(cuda_graph *graph, const graph_request *r, size_t capacity, uint64_t *by_vertex,
                                      uint64_t *change);
void graph_cuda_remember_triangles(cuda_graph *graph, uint64_t triangles);
void graph_cuda_forget_triangles(cuda_graph *graph);

/* graph_cuda_hostcopy.c: calls that use a copy in host memory. */
pleach_status graph_cuda_export_rows(cuda_graph *graph, graph_rows *rows);
pleach_status graph_cuda_export_edges(cuda_graph *graph, size_t capacity, uint32_t *from, uint32_t *to,
                                      uint32_t *values, uint64_t *edges);
pleach_status graph_cuda_export_vertices(cuda_graph *graph, size_t capacity, uint32_t *ids, uint64_t *count);
pleach_status graph_cuda_inspect(cuda_graph *graph, pleach_graph_stats *stats, char *message, size_t message_size);
pleach_status graph_cuda_mirror_triangles(cuda_graph *graph, uint64_t *total);

#endif
