/* graph/graph_edges.h - kernels of graphs, as C functions. Each puts its work on the stream. Arrays are device
 * memory. */
#ifndef PLEACH_EDGES_CUDA_H
#define PLEACH_EDGES_CUDA_H

#include <cuda_runtime_api.h>

#include "graph_format.h"
#include "graph_backend.h"
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
    uint64_t *names; /* NULL: the graph is dense */
} graph_on_gpu;

/* All vertices of the segments that were made, by their numbers: the i-th is in the i >> GRAPH_SEGMENT_LOG-th of
 * these. */
typedef struct segment_list {
    const uint32_t *numbers; /* ascending */
    uint64_t count;
    uint64_t ids; /* all ids are below this */
} segment_list;

typedef struct erase_notes { uint64_t dying, edges, lowest; } erase_notes;
typedef struct dying_ids { uint32_t *bits; } dying_ids; /* a bit for each id; NULL: vertices are looked up */

/* Edges of a request, numbered, for triangles that change. */
typedef struct numbered_places {
    uint64_t *names;     /* 0: nothing is here */
    uint32_t *elements;
    uint64_t mask;
} numbered_places;

enum { EDGES_SAMPLE = 4096 };

/* The kernels that depend on what a graph is: one table for each of four sorts. */
typedef struct graph_kernels {
    /* An array call's; *result is added to. Of a call that is made again only elements that were not applied. The list
     * is for edges that come or go. */
    cudaError_t (*run)(graph_on_gpu graph, const graph_request *r, bool again, slow_list later, graph_result *result,
                       cudaStream_t stream);
    /* The neighbours of vertices[i], as many as fit, from places[i] up to places[i + 1]; and how many there are.
     * Without neighbours it only counts. Beside everything. */
    cudaError_t (*list)(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint64_t *places,
                        uint64_t *neighbours, uint32_t *values, uint64_t *counts, cudaStream_t stream);

    /* ---- alone ---- */

    /* Counts, in the loads of vertices, how many halves of edges will come to each. */
    cudaError_t (*count_ends)(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                              cudaStream_t stream);
    /* How many slabs each vertex needs for what its load counts; and tables of that, from slab `first` on. */
    cudaError_t (*sizes)(graph_on_gpu graph, segment_list list, uint64_t *sizes, cudaStream_t stream);
    cudaError_t (*open)(graph_on_gpu graph, segment_list list, const uint64_t *offsets, uint64_t first,
                        cudaStream_t stream);

    /* Erases vertices: those that are there are marked as not being there, and outcomes say which; then the halves of
     * their edges at vertices that stay go, of these vertices one by one, or in a sweep over all vertices; and then
     * their tables. An edge that goes is counted once. large: scratch for as many ids as the segments have. */
    cudaError_t (*mark_dying)(graph_on_gpu graph, size_t n, const uint32_t *vertices, uint8_t *outcomes,
                              dying_ids dying, erase_notes *notes, cudaStream_t stream);
    cudaError_t (*erase_mirrors)(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                                 uint64_t *edges, cudaStream_t stream);
    cudaError_t (*sweep)(graph_on_gpu graph, segment_list list, dying_ids dying, uint32_t *large,
                         uint64_t *large_count, uint64_t *edges, cudaStream_t stream);
    cudaError_t (*drop)(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                        cudaStream_t stream);

    /* One more than the largest id that is there. */
    cudaError_t (*rows)(graph_on_gpu graph, segment_list list, uint64_t *rows, cudaStream_t stream);
    /* Degrees of ids below n, and a 0; and their neighbours from offsets[id] on, in no order. large: n ids of
     * scratch. */
    cudaError_t (*degrees)(graph_on_gpu graph, uint64_t n, uint64_t *degrees, cudaStream_t stream);
    cudaError_t (*fill)(graph_on_gpu graph, uint64_t n, const uint64_t *offsets, uint32_t *targets, uint32_t *large,
                        uint64_t *large_count, cudaStream_t stream);

    /* ---- triangles that change ---- */

    /* counts[i] is 1 for elements that change the graph; it is left at 1 for one of equal edges. */
    cudaError_t (*number)(size_t n, const uint32_t *from, const uint32_t *to, uint8_t *counts, numbered_places numbers,
                          cudaStream_t stream);
    cudaError_t (*wedges)(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                          const uint8_t *counts, numbered_places numbers, bool coming, size_t capacity,
                          uint64_t *by_vertex, uint64_t *change, cudaStream_t stream);
    /* How many neighbours wedges would ask for, of EDGES_SAMPLE of n edges, evenly spread: *members is added to. */
    cudaError_t (*sample_wedges)(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                 uint64_t *members, cudaStream_t stream);
} graph_kernels;

/* graph_edges.cu and graph_edges_sparse.cu, compiled once per kind: edges with values and edges without. */
extern const graph_kernels graph_kernels_map32, graph_kernels_set32;
extern const graph_kernels graph_kernels_sparse_map32, graph_kernels_sparse_set32;

static inline const graph_kernels *graph_kernels_choose(bool values, bool sparse)
{
    if (sparse) return values ? &graph_kernels_sparse_map32 : &graph_kernels_sparse_set32;
    return values ? &graph_kernels_map32 : &graph_kernels_set32;
}

/* ---- the same for all graphs: graph_arrays.cu ---- */

/* Marks the segments of these ids that were not made, a bit each; `to` may be NULL. The graph is dense. */
cudaError_t edges_cuda_mark_segments(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                                     uint32_t *marks, cudaStream_t stream);

/* Makes those that are marked, as far as there is memory, and leaves no mark; *lacking is added to. */
cudaError_t edges_cuda_make_segments(graph_on_gpu graph, uint32_t *marks, uint64_t *lacking, cudaStream_t stream);

/* The n smallest ids of a dense graph from `lowest` on that are free, up to the first segment that was not made: how
 * many there were, and no smaller id than `next` is free any more. Alone. */
typedef struct new_ids { uint64_t count, next; } new_ids;
cudaError_t edges_cuda_new_vertices(graph_on_gpu graph, uint64_t lowest, size_t n, uint32_t *vertices, new_ids *found,
                                    cudaStream_t stream);

/* From neighbours in rooms to neighbours one after the other. */
cudaError_t edges_cuda_pack(size_t n, const uint64_t *places, const uint64_t *offsets, const uint64_t *neighbours,
                            const uint32_t *values, uint64_t *packed, uint32_t *packed_values, cudaStream_t stream);
cudaError_t edges_cuda_ids_of(size_t n, const uint64_t *packed, uint32_t *ids, cudaStream_t stream);

/* by_vertex[i] += after[i] - before[i], where there are none beyond so many rows. */
cudaError_t edges_cuda_add_difference(size_t n, uint64_t *by_vertex, uint64_t before_rows, const uint64_t *before,
                                      uint64_t after_rows, const uint64_t *after, cudaStream_t stream);
cudaError_t edges_cuda_where(size_t n, uint8_t *flags, uint8_t wanted, cudaStream_t stream); /* flags[i] == wanted */

#ifdef __cplusplus
}
#endif
#endif
