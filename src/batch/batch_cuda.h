/* batch/batch_cuda.h - launchers of a batch's stages. All pointers are device memory; all work is put on the stream
 * and not waited for, sizes stay on the device. */
#ifndef PLEACH_BATCH_CUDA_H
#define PLEACH_BATCH_CUDA_H

#include "batch_sizes.h"
#include "../blink/blink_cuda.h"
#include "../cuda/sort_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batch_on_gpu {
    blink_tree *tree;
    void *nodes;
    versions versions; /* of a map that has them */
    bool keeps;        /* a snapshot is live */
    batch_request r;
    uint32_t edit_room;
    char *scratch;      /* layout's bytes */
    void *sort_scratch; /* sort_cuda_pairs_by's */
    size_t sort_bytes;
    sort_bits all_bits; /* those in which the keys of listed operations differ, or more */
    bool ordered;       /* their keys ascend: they need not be sorted */
    bool sorts_reads;   /* reads are done in the order of these bits of their keys */
    sort_bits read_bits;
    void *read_sort_scratch;
    size_t read_sort_bytes;
    uint32_t patience;  /* of queries */
    batch_live live;    /* levels is 0 until it is built, or about to be */
    batch_sizes *sizes; /* in scratch */
} batch_on_gpu;

/* Where operations that are not listed are sorted, chunk by chunk, and where they are answered. */
typedef struct read_streams {
    cudaStream_t sorting, reading;
    cudaEvent_t sorted; /* for use between the two */
} read_streams;

/* Counts that are too wide to be walked, sizes->wide of them, all together. Scratch memory: */
typedef struct wide_on_gpu {
    uint32_t n;         /* so many */
    void *wide;         /* wide_bytes each */
    uint32_t *place[2]; /* one for each listed operation, here and below */
    int8_t *change[2];
    uint32_t *zeros; /* and one more */
    int32_t *zero_sum;
    uint64_t *packed;
    void *scan_scratch; /* sort_cuda_scan's */
    size_t scan_bytes;
    /* All leaves with keys, in order: */
    uint32_t leaves;
    const void *first_keys;
    const uint32_t *leaf_ids;
    const uint64_t *before; /* keys in the leaves before it */
} wide_on_gpu;

/* batch.cu, which is compiled once per key width: arrays of keys and values are of that width. */
typedef struct batch_launchers {
    /* Answers the bytes of scratch memory for so many operations and edits. With scratch set, also sets `sizes`. */
    size_t (*layout)(batch_on_gpu *batch);
    /* What is asked for (sizes->seen), and which operations are listed (sizes->ops). */
    cudaError_t (*list)(const batch_on_gpu *batch, cudaStream_t stream);
    /* Answers those that are not. */
    cudaError_t (*read)(const batch_on_gpu *batch, const read_streams *on);
    /* Of the listed operations, `ops` of them: sort, combine, look, answer; then those that concern several keys, where
     * the pairs of ranges are only counted. */
    cudaError_t (*answer)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    cudaError_t (*query)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    /* The sizes->tired queries that have given up, with more patience: how many still do is there in the end. The
     * second time those are tried, for which there is `live`. */
    cudaError_t (*again)(const batch_on_gpu *batch, uint32_t tired, bool second, cudaStream_t stream);
    /* Builds it; it has been laid out. */
    cudaError_t (*live)(const batch_on_gpu *batch, uint32_t ops, uint32_t keys, cudaStream_t stream);
    size_t wide_bytes;
    cudaError_t (*wide)(const batch_on_gpu *batch, const wide_on_gpu *wide, uint32_t ops, cudaStream_t stream);
    /* The pairs of ranges, to batch->r.offsets. */
    cudaError_t (*fill)(const batch_on_gpu *batch, cudaStream_t stream);
    /* New nodes of all levels, and copies for snapshots; and when nobody asks the old map any more, the change. */
    cudaError_t (*plan)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    cudaError_t (*commit)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    /* Puts together what has become small. */
    cudaError_t (*tidy)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
} batch_launchers;

extern const batch_launchers batch_cuda_32, batch_cuda_64;

/* Bytes of memory that `live` needs for r.n operations on so many keys; with memory, also sets its arrays. Then it can
 * be built. */
size_t batch_cuda_live_layout(batch_on_gpu *batch, uint32_t keys, char *memory);

/* counted[i] = pairs of operation i, 0 if it is no range; counted[n] = 0. */
cudaError_t batch_cuda_count_pairs(const batch_on_gpu *batch, uint64_t *counted, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
