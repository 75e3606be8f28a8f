/* graph/graph_edges.h - kernels of graphs, as C functions. Each function queues its work on the stream. Arrays are
 * device memory. */
#ifndef PLEACH_EDGES_CUDA_H
#define PLEACH_EDGES_CUDA_H

#include <cuda_runtime_api.h>

#include "base/graph_format.h"
#include "base/graph_backend.h"
#include "../cuda/slow_list.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How kernels reach a graph. */
typedef struct graph_on_gpu {
    uint32_t directed, load;
    slab_seed seed;
    uint32_t hopeful; /* as in slab_ref */
    graph_state *state;
    void *slabs;
    uint64_t *directory;
    uint64_t *names; /* NULL in a dense graph */
} graph_on_gpu;

/* All vertices of the allocated segments, by their numbers: the i-th is in the (i >> GRAPH_SEGMENT_LOG)-th of these. */
typedef struct segment_list {
    const uint32_t *numbers; /* ascending */
    uint64_t count;
    uint64_t ids; /* an upper bound of all ids */
} segment_list;

typedef struct erase_notes { uint64_t dying, edges, lowest; } erase_notes;
typedef struct dying_ids { uint32_t *bits; } dying_ids; /* one bit per id; NULL if vertices are looked up instead */

/* The numbered edges of a request, for counting triangles that change. */
typedef struct numbered_places {
    uint64_t *names;     /* 0 if the place is empty */
    uint32_t *elements;
    uint64_t mask;
} numbered_places;

enum { EDGES_SAMPLE = 4096 };

/* The kernels that depend on the kind of graph: one function table for each of four kinds. */
typedef struct graph_kernels {
    /* The work of an array call. Adds to *result. With `again`, only elements that were not applied are repeated. The
     * list is for edges that are inserted or erased. */
    cudaError_t (*run)(graph_on_gpu graph, const graph_request *r, bool again, slow_list later, graph_result *result,
                       cudaStream_t stream);
    /* Lists the neighbours of vertices[i], as many as fit, from places[i] up to places[i + 1], and counts all of them.
     * If neighbours is NULL it only counts. May run concurrently with updates. */
    cudaError_t (*list)(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint64_t *places,
                        uint64_t *neighbours, uint32_t *values, uint64_t *counts, cudaStream_t stream);

    /* ---- exclusive ---- */

    /* Counts, in the loads of vertices, how many halves of edges each will get. */
    cudaError_t (*count_ends)(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                              cudaStream_t stream);
    /* Computes how many slabs each vertex needs for what its load counts, and creates tables of these sizes, from slab
     * `first` on. */
    cudaError_t (*sizes)(graph_on_gpu graph, segment_list list, uint64_t *sizes, cudaStream_t stream);
    cudaError_t (*open)(graph_on_gpu graph, segment_list list, const uint64_t *offsets, uint64_t first,
                        cudaStream_t stream);

    /* Erases vertices, in three steps. First, existing ones are marked as not existing, and outcomes say which. Then
     * the halves of their edges at remaining vertices are erased, for each vertex in turn or in a sweep over all
     * vertices. Then their tables are freed. An erased edge is counted once. large: scratch for as many ids as the
     * segments have. */
    cudaError_t (*mark_dying)(graph_on_gpu graph, size_t n, const uint32_t *vertices, uint8_t *outcomes,
                              dying_ids dying, erase_notes *notes, cudaStream_t stream);
    cudaError_t (*erase_mirrors)(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                                 uint64_t *edges, cudaStream_t stream);
    cudaError_t (*sweep)(graph_on_gpu graph, segment_list list, dying_ids dying, uint32_t *large,
                         uint64_t *large_count, uint64_t *edges, cudaStream_t stream);
    cudaError_t (*drop)(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                        cudaStream_t stream);

    /* Returns one more than the largest existing id. */
    cudaError_t (*rows)(graph_on_gpu graph, segment_list list, uint64_t *rows, cudaStream_t stream);
    /* Writes degrees of ids below n, followed by a 0; and their neighbours from offsets[id] on, in any order. large:
     * scratch for n ids. */
    cudaError_t (*degrees)(graph_on_gpu graph, uint64_t n, uint64_t *degrees, cudaStream_t stream);
    cudaError_t (*fill)(graph_on_gpu graph, uint64_t n, const uint64_t *offsets, uint32_t *targets, uint32_t *large,
                        uint64_t *large_count, cudaStream_t stream);

    /* ---- changes in triangles ---- */

    /* On entry, counts[i] is 1 for elements that change the graph. Of equal edges, only one keeps its 1. */
    cudaError_t (*number)(size_t n, const uint32_t *from, const uint32_t *to, uint8_t *counts, numbered_places numbers,
                          cudaStream_t stream);
    cudaError_t (*wedges)(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                          const uint8_t *counts, numbered_places numbers, bool coming, size_t capacity,
                          uint64_t *by_vertex, uint64_t *change, cudaStream_t stream);
    /* Adds to *members how many neighbours the wedges of EDGES_SAMPLE of n edges would query; the sample is evenly
     * spread. */
    cudaError_t (*sample_wedges)(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                 uint64_t *members, cudaStream_t stream);
} graph_kernels;

/* graph_edges.cu and graph_edges_sparse.cu, compiled once per kind: edges with values, and edges without. */
extern const graph_kernels graph_kernels_map32, graph_kernels_set32;
extern const graph_kernels graph_kernels_sparse_map32, graph_kernels_sparse_set32;

static inline const graph_kernels *graph_kernels_choose(bool values, bool sparse)
{
    if (sparse) return values ? &graph_kernels_sparse_map32 : &graph_kernels_sparse_set32;
    return values ? &graph_kernels_map32 : &graph_kernels_set32;
}

/* ---- the same for all kinds of graph: graph_arrays.cu ---- */

/* Marks the segments of these ids that were not allocated, one bit each; `to` may be NULL. For dense graphs. */
cudaError_t edges_cuda_mark_segments(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                     uint32_t *marks, cudaStream_t stream);

/* Allocates the marked segments, as far as there is memory, and clears all marks. Adds the others to *lacking. */
cudaError_t edges_cuda_make_segments(graph_on_gpu graph, uint32_t *marks, uint64_t *lacking, cudaStream_t stream);

/* Inserts the n smallest free ids of a dense graph from `lowest` on, up to the first segment that was not allocated.
 * Reports how many there were; afterwards, no id smaller than `next` is free. Exclusive. */
typedef struct new_ids { uint64_t count, next; } new_ids;
cudaError_t edges_cuda_new_vertices(graph_on_gpu graph, uint64_t lowest, size_t n, uint32_t *vertices, new_ids *found,
                                    cudaStream_t stream);

/* Packs lists of neighbours that have gaps between them. */
cudaError_t edges_cuda_pack(size_t n, const uint64_t *places, const uint64_t *offsets, const uint64_t *neighbours,
                            const uint32_t *values, uint64_t *packed, uint32_t *packed_values, cudaStream_t stream);
cudaError_t edges_cuda_ids_of(size_t n, const uint64_t *packed, uint32_t *ids, cudaStream_t stream);

/* by_vertex[i] += after[i] - before[i]; elements beyond before_rows or after_rows count as 0. */
cudaError_t edges_cuda_add_difference(size_t n, uint64_t *by_vertex, uint64_t before_rows, const uint64_t *before,
                                      uint64_t after_rows, const uint64_t *after, cudaStream_t stream);
cudaError_t edges_cuda_where(size_t n, uint8_t *flags, uint8_t wanted, cudaStream_t stream); /* flags[i] == wanted */

#ifdef __cplusplus
}
#endif
#endif
