/* blink/blink_cuda.h - launchers of the B-link tree's kernels. All pointers are device memory; all work is put on
 * the stream and not waited for. */
#ifndef PLEACH_BLINK_CUDA_H
#define PLEACH_BLINK_CUDA_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "blink_check.h"
#include "blink_notes.h"
#include "blink_plan.h"
#include "../version/version.h"
#include "../map/map_backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct blink_on_gpu {
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

enum { LONG_PARTS = 1 << 14, LONG_ROUNDS = 4 };

/* Device memory for reading long queries in parts (blink_long_kernels.h). All is zero at first up to `reach`, but for the notes. */
typedef struct long_work {
    long_notes notes;
    uint64_t arrived; /* blocks at the meetings of a kernel */
    uint64_t at;      /* the instant at which a call without a snapshot reads a map with versions */
    uint64_t lacking; /* limited queries with too few pairs in their parts, which do not go to their high ends */
    uint64_t changed[LONG_ROUNDS]; /* parts that changed between counting and reading, in each round */
    uint64_t reach[LONG_QUERIES];  /* where the last part of each query ends */
    uint64_t low[LONG_PARTS];      /* where parts begin; those of a query are neighbours */
    uint64_t found[LONG_PARTS];    /* their pairs */
    uint64_t place[LONG_PARTS];    /* pairs of the parts before, of the same query */
} long_work;

/* The parts that each of so many noted queries is cut into. */
HEADER_FN uint64_t long_parts_each(uint64_t queries)
{
    const uint64_t most = LONG_PARTS / 2; /* of one query: a block goes through its parts */
    return queries < 2 ? most : LONG_PARTS / queries;
}

/* Queries with parts in the place of the noted ones among them: their ends, pairs found, and for each of the request's
 * queries and one more, which of these is its first. */
typedef struct long_pieces {
    uint64_t noted; /* queries, which are cut */
    size_t n;
    void *low, *high;
    uint64_t *found, *first;
} long_pieces;

/* A map's array calls. */
typedef struct call_launchers {
    /* notes->not_applied is added to. With request->may_redirect, notes->declined is heeded. Of a map with versions,
     * request->at is device memory too. */
    cudaError_t (*run)(blink_on_gpu map, const request *request, update_notes *notes, cudaStream_t stream);
    /* Runs the counts, or ranges without offsets, that are noted in `work`; does nothing if there are none. */
    cudaError_t (*run_long)(blink_on_gpu map, const request *request, long_work *work, cudaStream_t stream);
    /* Cuts the noted queries into parts and counts the pairs of each: work->low, found and reach. `whole`: also limited
     * queries all the way to their high ends. Of a map with versions at request->at. */
    cudaError_t (*count_parts)(blink_on_gpu map, const request *request, long_work *work, bool whole,
                               cudaStream_t stream);
} call_launchers;

/* Over all nodes of a map, or all leaves. */
typedef struct node_launchers {
    /* All levels; the tree's root and counters are the caller's business. */
    cudaError_t (*build)(blink_on_gpu map, const build_plan *plan, const void *keys, const void *values,
                         cudaStream_t stream);
    /* Adds up nodes 1 .. used-1 into *counts, which was all zeros; all but `shape`, and that. */
    cudaError_t (*count)(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream);
    cudaError_t (*shape)(blink_on_gpu map, uint64_t used, blink_counts *counts, cudaStream_t stream);
    /* First key and id of every leaf that is not empty, in any order; *listed counts them, it was 0. */
    cudaError_t (*list_leaves)(blink_on_gpu map, uint64_t used, void *first_keys, uint32_t *ids, uint64_t *listed,
                               cudaStream_t stream);
    cudaError_t (*leaf_counts)(blink_on_gpu map, const uint32_t *ids, size_t leaves, uint64_t *counts,
                               cudaStream_t stream);
    /* Copies leaf i's pairs to out_keys and out_values (each may be NULL) from offsets[i] on. */
    cudaError_t (*gather)(blink_on_gpu map, const uint32_t *ids, size_t leaves, const uint64_t *offsets,
                          void *out_keys, void *out_values, cudaStream_t stream);
} node_launchers;

/* All of blink.cu, which is compiled once per key width: arrays of keys and values are of that width. What does not
 * concern nodes serves every map. */
typedef struct blink_launchers {
    call_launchers calls;
    node_launchers nodes;
    /* Sets notes->declined if it looks so. */
    cudaError_t (*look_at_order)(blink_on_gpu map, const void *keys, size_t n, update_notes *notes,
                                 cudaStream_t stream);
    /* Sets *flag to 1 if the keys do not ascend strictly; it was 0. */
    cudaError_t (*check_ascending)(const void *keys, size_t n, uint64_t *flag, cudaStream_t stream);
    /* keep[i] = 1 if key i is the last of its equals (sorted keys). */
    cudaError_t (*mark_last)(const void *keys, size_t n, uint8_t *keep, cudaStream_t stream);
    /* Copies counts[i] elements of the keys' width from from_offsets[i] of `from` to to_offsets[i] of `to`. */
    cudaError_t (*move)(const void *from, void *to, const uint64_t *from_offsets, const uint64_t *to_offsets,
                        const uint64_t *counts, size_t n, cudaStream_t stream);
    /* Fills low, high and found; first has been added up. found[i] is that of request->long_counts where query i is
     * whole. */
    cudaError_t (*make_pieces)(const request *request, const long_work *work, const long_pieces *pieces,
                               cudaStream_t stream);
    /* The pieces of a limited query get no more pairs than the limit leaves; work->lacking is added to. */
    cudaError_t (*limit_pieces)(const request *request, long_work *work, const long_pieces *pieces,
                                cudaStream_t stream);
} blink_launchers;

extern const blink_launchers blink_cuda_32, blink_cuda_64;

/* All of versioned.cu, in the same way. A map with versions uses the B-link tree's launchers for the rest. */
typedef struct versioned_launchers {
    call_launchers calls;
    /* Lets go of the pin, and of the images that nobody needs any more; at = NULL: only that. */
    cudaError_t (*release)(blink_on_gpu map, const uint64_t *at, cudaStream_t stream);
    /* *held += old images with first < until <= second. */
    cudaError_t (*count_held)(blink_on_gpu map, uint64_t used, uint64_t first, uint64_t second, uint64_t *held,
                              cudaStream_t stream);
} versioned_launchers;

extern const versioned_launchers versioned_cuda_32, versioned_cuda_64;

/* versioned_pins.cu: takes a snapshot, which is pinned (there is room in the table), and stores its timestamp. */
cudaError_t versioned_cuda_take(blink_on_gpu map, uint64_t *at, cudaStream_t stream);

/* Lets go of the pin, if `at` is not NULL. */
cudaError_t versioned_cuda_unpin(blink_on_gpu map, const uint64_t *at, cudaStream_t stream);

/* A larger table of pins; the old one is no longer used when the stream is there. */
cudaError_t versioned_cuda_move_pins(blink_on_gpu map, uint64_t *table, uint64_t room, cudaStream_t stream);

/* Empties all lists and rings of old images. */
cudaError_t versioned_cuda_forget(blink_on_gpu map, cudaStream_t stream);

/* blink_places.cu: first[i] = the pieces of query i, first[n] = 0: to be added up. */
cudaError_t blink_cuda_count_pieces(const long_work *work, const long_pieces *pieces, size_t n, cudaStream_t stream);

/* to[i] = from[first[i]], for i = 0 .. n. */
cudaError_t blink_cuda_pick(const uint64_t *from, const uint64_t *first, uint64_t *to, size_t n, cudaStream_t stream);

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
