/* batch/batch_cuda.h - launchers of a batch's stages. All pointers are device memory. All launchers only enqueue work
 * on the stream and do not synchronize it; sizes stay in device memory. */
#ifndef PLEACH_BATCH_CUDA_H
#define PLEACH_BATCH_CUDA_H

#include "batch_sizes.h"
#include "../blink/blink_cuda.h"
#include "../cuda/sort_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batch_on_gpu {
    map_ref map;
    bool keeps; /* a snapshot is live */
    batch_request r;
    uint32_t edit_room;
    char *scratch;      /* as many bytes as layout returns */
    void *sort_scratch; /* for sort_cuda_pairs_by */
    size_t sort_bytes;
    sort_bits all_bits; /* at least the bits in which the keys of selected operations differ */
    bool ordered;       /* the keys ascend, so they need not be sorted */
    bool sorts_reads;   /* reads are executed in the order of read_bits of their keys */
    sort_bits read_bits;
    void *read_sort_scratch;
    size_t read_sort_bytes;
    uint32_t patience;  /* of queries */
    batch_live live;    /* levels is 0 unless it is built or about to be built */
    batch_sizes *sizes; /* in scratch */
} batch_on_gpu;

/* The streams on which operations that are not selected are sorted, chunk by chunk, and executed. */
typedef struct read_streams {
    cudaStream_t sorting, reading;
    cudaEvent_t sorted; /* orders the two streams */
} read_streams;

/* Counts that are too wide to be walked: all sizes->wide of them together. Scratch memory: */
typedef struct wide_on_gpu {
    uint32_t n;         /* number of counts */
    void *wide;         /* wide_bytes per count */
    uint32_t *place[2]; /* one element per selected operation, here and below */
    int8_t *change[2];
    uint32_t *zeros; /* one element more */
    int32_t *zero_sum;
    uint64_t *packed;
    void *scan_scratch; /* for sort_cuda_scan */
    size_t scan_bytes;
    /* All leaves with keys, in order: */
    uint32_t leaves;
    const void *first_keys;
    const uint32_t *leaf_ids;
    const uint64_t *before; /* keys in the leaves before it */
} wide_on_gpu;

/* Implemented by batch.cu, which is compiled once per key width: arrays of keys and values have elements of that
 * width. */
typedef struct batch_launchers {
    /* Returns the bytes of scratch memory for a batch of r.n operations and edit_room edits. If scratch is set, also
     * sets `sizes`. */
    size_t (*layout)(batch_on_gpu *batch);
    /* Finds out what the batch contains (sizes->seen) and selects operations (sizes->ops). */
    cudaError_t (*list)(const batch_on_gpu *batch, cudaStream_t stream);
    /* Executes the operations that are not selected. */
    cudaError_t (*read)(const batch_on_gpu *batch, const read_streams *on);
    /* For the `ops` selected operations: sort, combine, lookup and resolve. Then `query` runs those that concern
     * several keys; it only counts the pairs of ranges. */
    cudaError_t (*answer)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    cudaError_t (*query)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    /* Retries the `tired` queries that have given up, with more patience. sizes->tired is then the number of those that
     * still give up. With `second` it retries these, for which `live` must have been built. */
    cudaError_t (*again)(const batch_on_gpu *batch, uint32_t tired, bool second, cudaStream_t stream);
    /* Builds batch->live, whose arrays must have been laid out. */
    cudaError_t (*live)(const batch_on_gpu *batch, uint32_t ops, uint32_t keys, cudaStream_t stream);
    size_t wide_bytes;
    cudaError_t (*wide)(const batch_on_gpu *batch, const wide_on_gpu *wide, uint32_t ops, cudaStream_t stream);
    /* Writes the pairs of ranges, at batch->r.offsets. */
    cudaError_t (*fill)(const batch_on_gpu *batch, cudaStream_t stream);
    /* `plan` builds the new nodes of all levels, and copies for snapshots. `commit` changes the map, once no query
     * reads the old map any more. */
    cudaError_t (*plan)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    cudaError_t (*commit)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
    /* Merges underfull nodes. */
    cudaError_t (*tidy)(const batch_on_gpu *batch, uint32_t ops, cudaStream_t stream);
} batch_launchers;

extern const batch_launchers batch_cuda_32, batch_cuda_64;

/* Returns the bytes of memory that `live` needs for r.n operations on `keys` keys. If memory is not NULL, also sets its
 * arrays; then it can be built. */
size_t batch_cuda_live_layout(batch_on_gpu *batch, uint32_t keys, char *memory);

/* Enqueues: counted[i] = pairs of operation i, 0 if it is not a range; counted[n] = 0. */
cudaError_t batch_cuda_count_pairs(const batch_on_gpu *batch, uint64_t *counted, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
