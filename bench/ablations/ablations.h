/* ablations.h - the parts of pleach-bench ablations: what each choice of the papers' designs is worth.
 *
 *   ablations.c    options, and the loop over ablations
 *   choices.c      latch, splits, loads: choices of the tree of tree.h
 *   reclaim*       epochs, by whom they are entered
 *   eirene*        batches of finds, with counts of what they access
 *   palm*          sorted batches on a tree of their own, by one CPU thread
 *   tree.h, tree_insert.h     the tree of all others
 *   tree_host.c    made of keys, and checked
 *   variants.c, variants.cu   its operations with each choice
 */
#ifndef PLEACH_BENCH_ABLATIONS_H
#define PLEACH_BENCH_ABLATIONS_H

#include "bench/harness/bench.h"
#include "tree_host.h"

struct ablations {
    const struct tool_device *device;
    struct crew *crew;
    struct bench_report *report;
    unsigned threads; /* CPU */
    size_t repeats;
    bool quick, failed;
};

static inline bool ablations_on_gpu(const struct ablations *a) { return a->device->kind == PLEACH_CUDA; }

/* False, after an error message. */
bool ablations_complain(struct ablations *a, const char *what, const char *why);

/* A row with all but name, rates and counters. */
void ablations_start_row(const struct ablations *a, struct bench_row *row, const char *dist, size_t keys, size_t ops);

/* One run, checked. False after an error message. */
typedef bool ablation_once(void *stage, const char *name, double *seconds);

/* The rates of a row. The first run on a GPU loads code and does not count. What takes long, as threads that get into
 * each other's way do, is done fewer times, once at least. False after an error message. */
bool ablations_repeat(const struct ablations *a, struct bench_row *row, ablation_once *once, void *stage);

/* ---- choices.c ---- */

void ablation_latch(struct ablations *a);
void ablation_splits(struct ablations *a);
void ablation_loads(struct ablations *a);

/* ---- reclaim.c ---- */

void ablation_reclaim(struct ablations *a);

/* ---- eirene.c ---- */

void ablation_eirene(struct ablations *a);

/* ---- palm_measure.c ---- */

void ablation_palm_leaves(struct ablations *a);
void ablation_palm_parents(struct ablations *a);

#endif
