/* batches.h - the parts of the scenario `batches`: long random batches, compared with one operation after the other.
 *
 *   scenario_batches.c   rounds and their phases
 *   batch_plan.c         plans a batch, and makes its operations from the plan and their places
 *   batch_check.c        applies the operations to the oracle, one by one, and compares every result
 *
 * Nothing else works on the map while a batch runs. The check goes through the operations in the order of the batch.
 * A table (oracle.h) knows the values; a set of cells (cell_set.h) knows which cell is next and how many there are
 * between two. Both keep their own account of which cells are present.
 */
#ifndef PLEACH_TOOLS_BATCHES_H
#define PLEACH_TOOLS_BATCHES_H

#include "cell_set.h"
#include "stress.h"

enum { BATCH_OPS = PLEACH_OP_RANGE + 1 };

enum batch_phase { PHASE_GROW, PHASE_MIX, PHASE_SHRINK, PHASE_MIX_AGAIN, PHASE_DRAIN, PHASES };

enum batch_distribution { DIST_UNIFORM, DIST_ZIPF, DIST_SELF_SIMILAR, DIST_GAUSSIAN, DIST_ASCENDING, DIST_HOT, DISTS };

/* An operation follows from the plan and its place. */
struct batch_plan {
    size_t n;
    uint64_t seed;
    unsigned weight[BATCH_OPS];
    enum batch_distribution dist;
    bool scattered; /* popular cells are anywhere, not neighbours */
    bool guarded;   /* no successor or predecessor that would have to walk far */
    bool drain;     /* only erases, of cells first .. first + n - 1 */
    size_t first;   /* where ascending cells begin */
    size_t hot;     /* cells that most operations use */
    size_t widest;  /* cells of most ranges and counts */
    uint32_t limit;
    struct mix_order order;
};

struct batches {
    size_t most, pairs; /* operations of a batch, and pairs of its ranges */
    void *memory;       /* of all arrays */
    uint8_t *kinds;
    void *keys, *values;
    pleach_batch batch; /* with results */

    /* the round */
    struct cell_set set;
    uint64_t number;     /* of the batch */
    uint64_t last;       /* operations after which the round ends */
    enum batch_phase phase;
    struct batch_plan plan;

    uint64_t batches, refused, largest, compared, made[BATCH_OPS];
};

/* ---- batch_plan.c ---- */

void batch_plan_random(struct stress *s, enum batch_phase phase);
void batch_plan_small(struct stress *s); /* a few operations of all kinds */
void batch_plan_drain(struct stress *s, size_t first); /* erases of cells from first on, as many as a batch may have */

/* Makes the operations of the plan, with all threads. */
void batch_make(struct stress *s);

/* ---- batch_check.c ---- */

void batch_check(struct stress *s);

#endif
