/* blink/blink_cuda.h - launchers of the B-link tree's kernels. All pointers are device memory; work is queued on the
 * stream, and no call waits for it. */
#ifndef PLEACH_BLINK_CUDA_H
#define PLEACH_BLINK_CUDA_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "blink_check.h"
#include "blink_notes.h"
#include "blink_plan.h"
#include "../level/map_ref.h"
#include "../level/request.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A map, and how the kernels of its array calls are launched. */
typedef struct map_launch {
    map_ref map;
    unsigned team;       /* skiplists: threads per operation */
    unsigned processors; /* multiprocessors of the GPU */
    bool small;          /* a skiplist that had few chunks at the last check */
    bool keeps;          /* snapshots exist or existed: updates should be prepared to preserve versions */
} map_launch;

/* What an update kernel reports. */
typedef struct update_notes {
    uint64_t not_applied;
    uint64_t declined; /* nonzero if too many updates would have waited for the same leaves; nothing was done */
} update_notes;

enum { LONG_PARTS = 1 << 14, LONG_ROUNDS = 4 };

/* Device memory for reading long queries in parts (blink_long_kernels.h). Everything before `reach`, except the notes,
 * must be zero initially. */
typedef struct long_work {
    long_notes notes;
    uint64_t arrived; /* arrivals of blocks at a kernel's barriers */
    uint64_t at;      /* the timestamp at which a call without a snapshot reads a map with versions */
    uint64_t lacking; /* limited queries whose parts have too few pairs and do not extend to their high ends */
    uint64_t changed[LONG_ROUNDS]; /* parts that changed between counting and reading, per round */
    uint64_t reach[LONG_QUERIES];  /* where the last part of each query ends */
    uint64_t low[LONG_PARTS];      /* where parts begin; those of a query are contiguous */
    uint64_t found[LONG_PARTS];    /* pairs of each part */
    uint64_t place[LONG_PARTS];    /* pairs of the preceding parts of the same query */
} long_work;

/* The number of parts into which each of `queries` noted queries is cut. */
HEADER_FN uint64_t long_parts_each(uint64_t queries)
{
    const uint64_t most = LONG_PARTS / 2; /* for one query: a block processes its parts */
    return queries < 2 ? most : LONG_PARTS / queries;
}

/* The queries of a request, with the noted ones replaced by their parts: ends and pairs found of each piece; and in
 * `first`, for each query of the request and one more, its first piece. */
typedef struct long_pieces {
    uint64_t noted; /* number of noted queries, which are cut into parts */
    size_t n;
    void *low, *high;
    uint64_t *found, *first;
} long_pieces;

/* Launchers of array calls. */
typedef struct call_launchers {
    /* Adds to notes->not_applied. With request->may_redirect, notes->declined must be checked. In a map with versions,
     * request->at is device memory too. */
    cudaError_t (*run)(map_launch gpu, const request *request, update_notes *notes, cudaStream_t stream);
    /* Runs the counts, or ranges without offsets, that are noted in `work`. Does nothing if there are none. */
    cudaError_t (*run_long)(map_launch gpu, const request *request, long_work *work, cudaStream_t stream);
    /* Cuts the noted queries into parts and counts the pairs of each: sets work->low, found and reach. If `whole`,
     * limited queries too are cut up to their high ends. In a map with versions, at request->at. */
    cudaError_t (*count_parts)(map_launch gpu, const request *request, long_work *work, bool whole,
                               cudaStream_t stream);
} call_launchers;

/* Launchers for all nodes of a map, or all leaves. */
typedef struct node_launchers {
    /* Builds all levels. The caller sets the tree's root and counters. */
    cudaError_t (*build)(map_ref map, const build_plan *plan, const void *keys, const void *values,
                         cudaStream_t stream);
    /* Adds up nodes 1 .. used-1 into *counts, which must be zero; `count` sets all but `shape`, and `shape` that. */
    cudaError_t (*count)(map_ref map, uint64_t used, blink_counts *counts, cudaStream_t stream);
    cudaError_t (*shape)(map_ref map, uint64_t used, blink_counts *counts, cudaStream_t stream);
    /* Lists the first key and id of every nonempty leaf, in any order, and counts them in *listed, which must be 0. */
    cudaError_t (*list_leaves)(map_ref map, uint64_t used, void *first_keys, uint32_t *ids, uint64_t *listed,
                               cudaStream_t stream);
    cudaError_t (*leaf_counts)(map_ref map, const uint32_t *ids, size_t leaves, uint64_t *counts,
                               cudaStream_t stream);
    /* Copies leaf i's pairs to out_keys and out_values (each may be NULL) from offsets[i] on. */
    cudaError_t (*gather)(map_ref map, const uint32_t *ids, size_t leaves, const uint64_t *offsets,
                          void *out_keys, void *out_values, cudaStream_t stream);
} node_launchers;

/* All launchers of blink.cu, which is compiled once per key width: arrays of keys and values have that width. Those
 * that do not depend on the node format serve every map. */
typedef struct blink_launchers {
    call_launchers calls;
    node_launchers nodes;
    /* Samples the keys, and sets notes->declined if too many updates would wait for the same leaves. */
    cudaError_t (*look_at_order)(map_ref map, const void *keys, size_t n, update_notes *notes,
                                 cudaStream_t stream);
    /* Sets *flag, which must be 0, to 1 if the keys do not ascend strictly. */
    cudaError_t (*check_ascending)(const void *keys, size_t n, uint64_t *flag, cudaStream_t stream);
    /* Sets keep[i] = 1 if key i is the last of its equals. The keys must be sorted. */
    cudaError_t (*mark_last)(const void *keys, size_t n, uint8_t *keep, cudaStream_t stream);
    /* Copies counts[i] elements of the key width from from_offsets[i] of `from` to to_offsets[i] of `to`. */
    cudaError_t (*move)(const void *from, void *to, const uint64_t *from_offsets, const uint64_t *to_offsets,
                        const uint64_t *counts, size_t n, cudaStream_t stream);
    /* Fills low, high and found; `first` must already hold the prefix sums. If query i was not cut, its found is that
     * of request->long_counts. */
    cudaError_t (*make_pieces)(const request *request, const long_work *work, const long_pieces *pieces,
                               cudaStream_t stream);
    /* Limits the pairs of each piece of a limited query to what the limit leaves. Adds to work->lacking. */
    cudaError_t (*limit_pieces)(const request *request, long_work *work, const long_pieces *pieces,
                                cudaStream_t stream);
} blink_launchers;

extern const blink_launchers blink_cuda_32, blink_cuda_64;

/* All launchers of versioned.cu, likewise. For everything else a map with versions uses the B-link tree's launchers. */
typedef struct versioned_launchers {
    call_launchers calls;
    /* Removes the pin and returns the versions that no snapshot needs any more; if at is NULL, only the latter. */
    cudaError_t (*release)(map_ref map, const uint64_t *at, cudaStream_t stream);
    /* Adds to *held the number of old versions with first < until <= second. */
    cudaError_t (*count_held)(map_ref map, uint64_t used, uint64_t first, uint64_t second, uint64_t *held,
                              cudaStream_t stream);
} versioned_launchers;

extern const versioned_launchers versioned_cuda_32, versioned_cuda_64;

/* versioned_pins.cu: takes a snapshot, pins it and stores its timestamp. The table of pins must have room. */
cudaError_t versioned_cuda_take(map_ref map, uint64_t *at, cudaStream_t stream);

/* Removes the pin if `at` is not NULL. */
cudaError_t versioned_cuda_unpin(map_ref map, const uint64_t *at, cudaStream_t stream);

/* Moves the pins to a larger table. The old one is unused once the stream has reached this point. */
cudaError_t versioned_cuda_move_pins(map_ref map, uint64_t *table, uint64_t room, cudaStream_t stream);

/* Empties all lists and rings of old versions. */
cudaError_t versioned_cuda_forget(map_ref map, cudaStream_t stream);

/* blink_places.cu: sets first[i] to the pieces of query i and first[n] to 0; the caller forms prefix sums. */
cudaError_t blink_cuda_count_pieces(const long_work *work, const long_pieces *pieces, size_t n, cudaStream_t stream);

/* to[i] = from[first[i]], for i = 0 .. n. */
cudaError_t blink_cuda_pick(const uint64_t *from, const uint64_t *first, uint64_t *to, size_t n, cudaStream_t stream);

/* Adds to *misfits the number of queries with found[i] > places[i+1] - places[i]. */
cudaError_t blink_cuda_count_misfits(const uint64_t *places, const uint64_t *found, size_t n, uint64_t *misfits,
                                     cudaStream_t stream);

/* places[i] = found[i] + spare, places[n] = 0. */
cudaError_t blink_cuda_add_spare(const uint64_t *found, uint64_t *places, size_t n, uint64_t spare,
                                 cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
