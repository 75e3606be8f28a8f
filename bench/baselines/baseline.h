/* baseline.h - what pleach's maps are measured against: the structures that M. Awad's dissertation compares with, on
 * the CPU and on the GPU. They are baselines, not structures of pleach's: one call at a time.
 *
 *   sorted      a sorted array; a batch is sorted and merged into a new one
 *   rebuild     a sorted array; a batch is put at its end and all is sorted anew
 *   merge-tree  a log-structured merge tree as in the GPU LSM (Ashkiani and others): runs of b, 2b, 4b ... pairs
 *   coupled     a B+ tree with coupled latches, nodes of 15 pairs
 *
 *   baseline_arrays.c      sorted and rebuild
 *   baseline_merge_tree.c  merge-tree
 *   baseline_coupled.c     coupled; its operations are in coupled.h, for threads of both machines
 *   baseline_steps.h       what is done with one element of an array, for both machines
 *   baseline_merge.h       how two sorted runs are merged by many threads
 *   baseline_buffer.c      memory for pairs, and queries
 *   baseline_cpu.c, baseline_cuda.c, baseline_cuda.cu   the primitives: sort, merge, select, a step for each element
 *
 * All arrays are in the machine's memory. Keys and values have `bits` bits, 32 or 64; none is reserved.
 */
#ifndef PLEACH_BENCH_BASELINE_H
#define PLEACH_BENCH_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "baseline_work.h"
#include "pleach/pleach.h"

struct crew;
struct baseline_primitives;

/* Where baselines live, with the memory that sorts and merges work in. */
struct baseline_machine {
    const struct baseline_primitives *verbs;
    struct crew *crew; /* CPU */
    void *stream;      /* GPU: that calls are made on; NULL: the default one */
    void *scratch;
    size_t scratch_bytes;
    uint64_t *total; /* GPU: of a step, one word */
};

struct baseline_primitives {
    void *(*allocate)(size_t bytes); /* NULL when there is none left */
    void (*release)(void *memory);
    pleach_status (*copy)(struct baseline_machine *m, void *to, const void *from, size_t bytes);
    pleach_status (*fill)(struct baseline_machine *m, void *memory, int byte, size_t bytes);
    pleach_status (*read)(struct baseline_machine *m, void *host, const void *memory, size_t bytes);
    pleach_status (*write)(struct baseline_machine *m, void *memory, const void *host, size_t bytes);
    /* Scratch memory for the three below, with n elements. */
    pleach_status (*prepare)(struct baseline_machine *m, unsigned bits, size_t n);
    /* Stable. */
    pleach_status (*sort)(struct baseline_machine *m, unsigned bits, size_t n, const void *keys, const void *values,
                          void *sorted_keys, void *sorted_values);
    /* Of equal keys those of the older run come first. `to` has room for both, and says of pairs whether they are dead
     * if one of them does. */
    pleach_status (*merge)(struct baseline_machine *m, unsigned bits, const baseline_run *older,
                           const baseline_run *newer, const baseline_run *to);
    /* Elements with keep != 0, in order. */
    pleach_status (*select)(struct baseline_machine *m, unsigned bits, size_t n, const void *from, const uint8_t *keep,
                            void *to, uint64_t *kept);
    /* The step for each of work->n elements; *total, if it is not NULL, becomes the sum of what the steps answer. */
    pleach_status (*each)(struct baseline_machine *m, const baseline_work *work, uint64_t *total);
    pleach_status (*wait)(struct baseline_machine *m); /* until all is done */
};

/* The crew stays the caller's. */
void baseline_machine_cpu(struct baseline_machine *m, struct crew *crew);

/* PLEACH_E_NO_CUDA in a build without it. */
#ifdef PLEACH_TOOLS_CUDA
pleach_status baseline_machine_cuda(struct baseline_machine *m);
#else
static inline pleach_status baseline_machine_cuda(struct baseline_machine *m)
{
    (void)m;
    return PLEACH_E_NO_CUDA;
}
#endif
void baseline_machine_close(struct baseline_machine *m);

struct baseline_needs {
    struct baseline_machine *machine;
    unsigned bits;
    size_t batch; /* merge-tree: pairs in the smallest run, and in a batch at most; larger ones are cut */
};

/* On a GPU calls are done when the machine's stream has passed them: `wait` waits for that. */
struct baseline_verbs {
    const char *name;
    void *(*create)(const struct baseline_needs *needs); /* NULL: no memory */
    void (*destroy)(void *store);                        /* may be NULL */
    pleach_status (*clear)(void *store);                 /* memory stays */
    /* Memory for `keys` pairs in all and batches of `batch`. Without it, calls get memory as they need it. */
    pleach_status (*reserve)(void *store, size_t keys, size_t batch);
    /* Of equal keys in one call the last one counts; in `coupled` any one of them, because threads share them. */
    pleach_status (*insert)(void *store, size_t n, const void *keys, const void *values);
    pleach_status (*erase)(void *store, size_t n, const void *keys);
    /* found[i] is 1 or 0; outputs of what is not found are not written. */
    pleach_status (*find)(void *store, size_t n, const void *keys, void *values, uint8_t *found);
    /* The first `limit` pairs from lows[i] to highs[i], both included, at out_keys[i * limit] and on. */
    pleach_status (*range)(void *store, size_t n, const void *lows, const void *highs, uint32_t limit, void *out_keys,
                           void *out_values, uint32_t *counts);
    /* The smallest key above each, strictly. */
    pleach_status (*succ)(void *store, size_t n, const void *keys, void *out_keys, void *out_values, uint8_t *found);
    pleach_status (*count)(void *store, uint64_t *count);
};

extern const struct baseline_verbs baseline_sorted, baseline_rebuild, baseline_merge_tree, baseline_coupled;

/* ---- baseline_buffer.c ---- */

/* Pairs, and for merge-tree whether each is a tombstone. */
struct baseline_buffer {
    void *keys, *values;
    uint8_t *dead;
    size_t room;
};

/* Room for n pairs. With `filled` > 0 so many stay, else all is lost. */
pleach_status baseline_buffer_room(struct baseline_machine *m, unsigned bits, struct baseline_buffer *buffer, size_t n,
                                   size_t filled);
void baseline_buffer_free(struct baseline_machine *m, struct baseline_buffer *buffer);
baseline_run baseline_buffer_run(const struct baseline_buffer *buffer, size_t n, bool has_dead);

/* What every baseline begins with. */
struct baseline_store {
    struct baseline_machine *machine;
    baseline_work (*work)(const void *store); /* of a find, without its arrays */
};

/* Queries, for the tables of verbs. */
pleach_status baseline_find(void *store, size_t n, const void *keys, void *values, uint8_t *found);
pleach_status baseline_range(void *store, size_t n, const void *lows, const void *highs, uint32_t limit, void *out_keys,
                             void *out_values, uint32_t *counts);
pleach_status baseline_succ(void *store, size_t n, const void *keys, void *out_keys, void *out_values, uint8_t *found);

#endif
