/* exec/cuda/batch_cuda.h - launchers of a batch's stages. All pointers are device memory; all work is put on the stream
 * and not waited for, sizes stay on the device. C functions in front of batch_cuda.cu. */
#ifndef PLEACH_BATCH_CUDA_H
#define PLEACH_BATCH_CUDA_H

#include "../../batch/batch_sizes.h"
#include "blink_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batch_on_gpu {
    unsigned key_bits;
    blink_tree *tree;
    void *nodes;
    batch_request r;
    uint32_t edit_room;
    char *scratch;      /* batch_cuda_layout's bytes */
    void *sort_scratch; /* sort_cuda_pairs's */
    size_t sort_bytes;
    batch_sizes *sizes; /* in scratch */
} batch_on_gpu;

/* Answers the bytes of scratch memory for so many operations and edits. With scratch set, also sets `sizes`. */
size_t batch_cuda_layout(batch_on_gpu *batch);

/* What is asked for: sizes->seen. */
cudaError_t batch_cuda_survey(const batch_on_gpu *batch, cudaStream_t stream);

/* Sort, combine, look, answer, query, edit; range pairs are only counted. */
cudaError_t batch_cuda_answer(const batch_on_gpu *batch, cudaStream_t stream);

/* counted[i] = pairs of operation i, 0 if it is no range; counted[n] = 0. */
cudaError_t batch_cuda_count_pairs(const batch_on_gpu *batch, uint64_t *counted, cudaStream_t stream);

/* The pairs of ranges, to batch->r.offsets. */
cudaError_t batch_cuda_fill(const batch_on_gpu *batch, cudaStream_t stream);

/* All levels, and commit. */
cudaError_t batch_cuda_change(const batch_on_gpu *batch, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
