/* graph/graph_sparse_ids.h - kernels of sparse graphs' ids, as C functions. Each function queues its work on the
 * stream. Arrays are device memory. While one runs, nothing else may assign or remove numbers. */
#ifndef PLEACH_NAMES_CUDA_H
#define PLEACH_NAMES_CUDA_H

#include "graph_edges.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What remains of the new ids of a request. */
typedef struct name_notes {
    uint64_t left;    /* ids that have no number yet */
    uint64_t lacking; /* segments for which there was no memory */
} name_notes;

/* Lists the ids of a request that have no number, in any order, possibly with duplicates; `to` may be NULL. Adds to
 * *count. */
cudaError_t sparse_ids_cuda_missing(graph_on_gpu graph, size_t n, const uint32_t *from, const uint32_t *to,
                               uint32_t *missing, uint64_t *count, cudaStream_t stream);

/* For ascending ids: sets first[i] to 1 for the first of equal ones. */
cudaError_t sparse_ids_cuda_firsts(size_t n, const uint32_t *sorted, uint8_t *first, cudaStream_t stream);

/* Allocates segments, as far as there is memory. Adds the others to *lacking; *end becomes the minimum of itself and
 * the first of them. */
typedef struct segment_notes { uint64_t lacking, end; } segment_notes;
cudaError_t sparse_ids_cuda_make_segments(graph_on_gpu graph, uint64_t begin, uint64_t end, segment_notes *notes,
                                     cudaStream_t stream);

/* Creates 2^log buckets for a dictionary that has none, if there is memory. */
cudaError_t sparse_ids_cuda_open(graph_on_gpu graph, unsigned log, cudaStream_t stream);

/* Assigns numbers to ids that have none; each must occur once, and the numbers' segments must exist. *count becomes how
 * many were refused; `refused`, with n elements, is scratch. */
cudaError_t sparse_ids_cuda_add(graph_on_gpu graph, size_t n, const uint32_t *ids, uint32_t *refused, uint64_t *count,
                           cudaStream_t stream);

/* Removes the ids of erased vertices. Exclusive. */
cudaError_t sparse_ids_cuda_forget(graph_on_gpu graph, size_t n, const uint32_t *vertices, const uint8_t *outcomes,
                              cudaStream_t stream);

/* Removes ids that have numbers below this one and whose vertices do not exist. Exclusive. */
cudaError_t sparse_ids_cuda_forget_unused(graph_on_gpu graph, uint64_t numbers, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
