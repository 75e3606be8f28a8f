/* graph/ids/sparse_ids.h - kernels of sparse graphs' ids, as C functions. Each puts its work on the stream. Arrays are
 * device memory. Nobody else gives ids numbers, or takes them, meanwhile. */
#ifndef PLEACH_NAMES_CUDA_H
#define PLEACH_NAMES_CUDA_H

#include "../graph_edges.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a request's new ids came to. */
typedef struct name_notes {
    uint64_t left;    /* ids that have no number yet */
    uint64_t lacking; /* segments that there was no memory for */
} name_notes;

/* Ids of a request that have no number, in no order, and some of them often; `to` may be NULL. *count is added to. */
cudaError_t sparse_ids_cuda_missing(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                               uint32_t *missing, uint64_t *count, cudaStream_t stream);

/* Of ids that ascend: first[i] is 1 for the first of equal ones. */
cudaError_t sparse_ids_cuda_firsts(size_t n, const uint32_t *sorted, uint8_t *first, cudaStream_t stream);

/* Segments, as far as there is memory. *lacking is added to, and *end becomes the first that is lacking, if it is not
 * smaller. */
typedef struct segment_notes { uint64_t lacking, end; } segment_notes;
cudaError_t sparse_ids_cuda_make_segments(graph_on_gpu graph, uint64_t begin, uint64_t end, segment_notes *notes,
                                     cudaStream_t stream);

/* 2^log buckets for a dictionary that has none, if there is memory. */
cudaError_t sparse_ids_cuda_open(graph_on_gpu graph, unsigned log, cudaStream_t stream);

/* Numbers for ids that have none, each of them once here; the numbers' segments are there. *count is how many were
 * refused, and `refused`, n of them, is scratch. */
cudaError_t sparse_ids_cuda_add(graph_on_gpu graph, size_t n, const uint32_t *ids, uint32_t *refused, uint64_t *count,
                           cudaStream_t stream);

/* Ids of vertices that were erased. Alone. */
cudaError_t sparse_ids_cuda_forget(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                              cudaStream_t stream);

/* Ids with numbers below this one whose vertices are not there. Alone. */
cudaError_t sparse_ids_cuda_forget_unused(graph_on_gpu graph, uint64_t numbers, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
