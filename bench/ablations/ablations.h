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

/* How a stage is run; each function gets the stage. */
struct ablation_verbs {
    bool (*restore)(void *stage); /* the state before a run; false: a copy to the device has failed */
    tool_call *call;
    const char *(*check)(void *stage); /* NULL, or what is wrong after a run */
};

/* The rates of a row. The first run on a GPU loads code and does not count. What takes long, as threads that get into
 * each other's way do, is done fewer times, once at least. False after an error message. */
bool ablations_repeat(struct ablations *a, struct bench_row *row, const struct ablation_verbs *verbs, void *stage);

/* A tree in its first state, in host memory, and the tree that the device works on. */
struct ablation_tree {
    abl_tree image, tree;
};

/* The keys are the first multiples of the step. The device's tree has nodes for so many inserts. Returns false if
 * memory is lacking; the caller destroys the image in any case. */
bool ablations_make_tree(const struct ablations *a, struct ablation_tree *t, struct bench_memory *memory, size_t first,
                         uint32_t step, size_t inserts);
size_t ablations_tree_bytes(const struct ablation_tree *t); /* of the image's nodes */
bool ablations_restore_tree(const struct ablations *a, const struct ablation_tree *t);

/* The step is even, so that none of its multiples is odd. */
static inline uint32_t ablations_even_step(size_t first) { return (uint32_t)(UINT32_MAX / (first + 1)) & ~1u; }

/* A build without CUDA has no kernels, and never calls them. */
#ifndef PLEACH_TOOLS_CUDA
#define abl_run_cuda(variant, tree, work, stream) PLEACH_E_NO_CUDA
#define eirene_scratch_cuda(n, bytes) PLEACH_E_NO_CUDA
#define eirene_run_cuda(tree, batch, sort, stream) PLEACH_E_NO_CUDA
#define reclaim_threads_cuda(threads) PLEACH_E_NO_CUDA
#define reclaim_block_cuda() 1
#define reclaim_run_cuda(tree, work, stream) PLEACH_E_NO_CUDA
#endif

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
