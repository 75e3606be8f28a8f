/* exec/cuda/blink_cuda.h - launchers of the B-link tree's kernels. All pointers are device memory; all work is put on
 * the stream and not waited for. C functions in front of blink_cuda.cu. */
#ifndef PLEACH_BLINK_CUDA_H
#define PLEACH_BLINK_CUDA_H

#include <cuda_runtime_api.h>

#include "../../core/blink/blink_check.h"
#include "../../core/blink/blink_plan.h"
#include "../../version/version.h"
#include "../map_exec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct blink_on_gpu {
    unsigned key_bits;
    blink_tree *tree;
    void *nodes;
    versions versions; /* of a map that has them; of a skiplist its epoch */
    uint64_t raise;    /* of a skiplist, as the next two */
    unsigned team;
    unsigned processors;
    bool small;        /* it had few chunks when last looked at */
    bool keeps;        /* snapshots were taken: updates had better be ready to keep images */
} blink_on_gpu;

/* What a kernel of updates finds out. */
typedef struct update_notes {
    uint64_t not_applied;
    uint64_t declined; /* too many would have waited for the same leaves: nothing was done */
} update_notes;

/* Sets notes->declined if it looks so. */
cudaError_t blink_cuda_look_at_order(blink_on_gpu map, const void *keys, size_t n, update_notes *notes,
                                     cudaStream_t stream);

/* notes->not_applied is added to. With request->may_decline, notes->declined is heeded. */
cudaError_t blink_cuda_run(blink_on_gpu map, const request *request, update_notes *notes, cudaStream_t stream);

/* The same for a map with versions; request->at is device memory too. */
cudaError_t versioned_cuda_run(blink_on_gpu map, const request *request, update_notes *notes, cudaStream_t stream);

/* Takes a snapshot, which is pinned (there is room in the table), and stores its timestamp. */
cudaError_t versioned_cuda_take(blink_on_gpu map, uint64_t *at, cudaStream_t stream);

/* Lets go of the pin, and of the images that nobody needs any more; at = NULL: only that. */
cudaError_t versioned_cuda_release(blink_on_gpu map, const uint64_t *at, cudaStream_t stream);

/* A larger table of pins; the old one is no longer used when the stream is there. */
cudaError_t versioned_cuda_move_pins(blink_on_gpu map, uint64_t *table, uint64_t room, cudaStream_t stream);

/* Empties all lists and rings of old images. */
cudaError_t versioned_cuda_forget(blink_on_gpu map, cudaStream_t stream);

/* *held += old images with first < until <= second. */
cudaError_t versioned_cuda_count_held(blink_on_gpu map, uint64_t used, uint64_t first, uint64_t second, uint64_t *held,
                                      cudaStream_t stream);

/* All levels; the tree's root and counters are the caller's business. */
cudaError_t blink_cuda_build(blink_on_gpu map, const build_plan *plan, const void *keys, const void *values,
                             cudaStream_t stream);

/* Sets *flag to 1 if the keys do not ascend strictly; it was 0. */
cudaError_t blink_cuda_check_ascending(unsigned key_bits, const void *keys, size_t n, uint64_t *flag,
                                       cudaStream_t stream);

/* keep[i] = 1 if key i is the last of its equals (sorted keys). */
cudaError_t blink_cuda_mark_last(unsigned key_bits, const void *keys, size_t n, uint8_t *keep, cudaStream_t stream);

/* Adds up nodes 1 .. used-1 into *counts, which was all zeros; all but `shape`, and that. */
cudaError_t blink_cuda_count(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream);
cudaError_t blink_cuda_shape(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream);

/* First key and id of every leaf that is not empty, in any order; *listed counts them, it was 0. */
cudaError_t blink_cuda_list_leaves(blink_on_gpu map, uint64_t used, void *first_keys, uint32_t *ids, uint64_t *listed,
                                   cudaStream_t stream);

cudaError_t blink_cuda_leaf_counts(blink_on_gpu map, const uint32_t *ids, size_t leaves, uint64_t *counts,
                                   cudaStream_t stream);

/* Copies leaf i's pairs to out_keys and out_values (each may be NULL) from offsets[i] on. */
cudaError_t blink_cuda_gather(blink_on_gpu map, const uint32_t *ids, size_t leaves, const uint64_t *offsets,
                              void *out_keys, void *out_values, cudaStream_t stream);

/* Copies counts[i] elements of the keys' width from from_offsets[i] of `from` to to_offsets[i] of `to`. */
cudaError_t blink_cuda_move(unsigned key_bits, const void *from, void *to, const uint64_t *from_offsets,
                            const uint64_t *to_offsets, const uint64_t *counts, size_t n, cudaStream_t stream);

/* *misfits += queries with found[i] > places[i+1] - places[i]. */
cudaError_t blink_cuda_count_misfits(const uint64_t *places, const uint64_t *found, size_t n, uint64_t *misfits,
                                     cudaStream_t stream);

/* places[i] = found[i] + spare, places[n] = 0. */
cudaError_t blink_cuda_add_spare(const uint64_t *found, uint64_t *places, size_t n, uint64_t spare,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
