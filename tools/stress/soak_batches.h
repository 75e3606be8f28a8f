/* soak_batches.h - the scenario `batches` of pleach soak: long random batches, compared with one-by-one execution.
 *
 *   soak_batches.c       rounds, and what is planned for each batch
 *   soak_batch_make.c    the operations of a batch, each from the plan and its place
 *   soak_batch_check.c   the oracle, and every result against it
 *
 * HOW A BATCH IS CHECKED BY ALL THREADS
 *
 * The keys of a round are cells in key order (struct batch_cells). What a batch did is checked in two parts, which run
 * at the same time:
 *
 *   Points   Cells are divided into stretches. Each operation on one key, and each pair that a successor, predecessor
 *            or range has answered, is an item of its cell's stretch. A stable counting sort gives each stretch its
 *            items in the order of the batch; a thread takes a stretch and goes through them, one by one, with an
 *            oracle that is a table. So every flag and every value is compared.
 *   Order    Which cell is the next one, and how many there are between two, depends on all stretches. One thread goes
 *            through the whole batch with a set of cells (cell_set.h) that knows nothing of values, and compares every
 *            key, count and offset that successors, predecessors, counts and ranges have answered.
 *
 * Both keep their own account of which cells are present; sizes are compared after each batch.
 */
#ifndef PLEACH_TOOLS_SOAK_BATCHES_H
#define PLEACH_TOOLS_SOAK_BATCHES_H

#include "cell_set.h"
#include "soak.h"

enum { BATCH_KINDS = 9, BATCH_SPOIL = 0xa5, BATCH_STRETCHES = 1024 };

/* ---- cells and keys ---- */

/* Cell c has key base + c * 2^shift; where they are spread over all keys the last one has the largest. */
struct batch_cells {
    unsigned bits, shift;
    size_t count; /* a power of two */
    uint64_t base;
};

struct batch_cells batch_cells_make(unsigned bits, unsigned log_count, enum soak_layout layout);
uint64_t batch_cell_key(const struct batch_cells *cells, size_t cell);

/* How many cells have a key up to this one, or below it. */
size_t batch_cells_up_to(const struct batch_cells *cells, uint64_t key);
size_t batch_cells_below(const struct batch_cells *cells, uint64_t key);

/* The cell of a key, SOAK_NO_CELL if it is none's. */
size_t batch_cell_of(const struct batch_cells *cells, uint64_t key);

/* ---- a batch ---- */

enum batch_dist { BATCH_UNIFORM, BATCH_ZIPF, BATCH_SELF_SIMILAR, BATCH_GAUSSIAN, BATCH_ASCENDING, BATCH_HOT,
                  BATCH_DISTS };

/* An operation follows from the plan and its place. */
struct batch_plan {
    size_t n;
    uint64_t seed;
    unsigned weight[BATCH_KINDS];
    enum batch_dist dist;
    bool scattered;   /* popular cells are anywhere, not neighbours */
    bool guarded;     /* no successor or predecessor where it would have to walk far */
    bool drain;       /* only erases, of cells first .. first + n - 1 */
    size_t first;     /* where ascending cells begin */
    size_t hot;       /* cells that most operations go to */
    size_t widest;    /* cells of most ranges and counts */
    double wide;      /* the part of counts that are wider, */
    size_t wide_cells; /* up to so many */
    uint32_t limit;
    struct mix_order order;
};

/* An item of a stretch: its cell, and the operation, or with BATCH_PAIR the pair of a range. */
struct batch_item {
    uint32_t cell, at;
};
#define BATCH_PAIR ((uint32_t)1 << 31)

struct soak_batches {
    size_t most, room; /* operations of a batch, and pairs of its ranges */
    uint8_t *kinds;
    void *keys, *values;
    pleach_batch batch; /* with results */
    struct batch_item *items;
    uint32_t *slices; /* by thread and stretch: how many items, then where the next one goes */

    /* the round */
    struct batch_cells cells;
    struct cell_set set;
    size_t stretch_cells, stretches;
    uint64_t number; /* of the batch in the round */
    struct batch_plan plan;

    /* checking */
    size_t stretch_first[BATCH_STRETCHES + 1]; /* items */
    atomic_size_t next_stretch;
    uint64_t made[SOAK_MOST_HANDS][BATCH_KINDS];

    uint64_t batches, refused, largest, compared;
};

/* Parts for crew_run. */
void soak_batch_make(void *context, unsigned index);
void soak_batch_compare(void *context, unsigned index); /* a whole export, which is in soak->out_keys and out_values */

/* Every result of the batch against the oracles, in which its updates take effect. */
void soak_batch_check(struct soak *soak);

/* A thread's part of n things. */
static inline size_t batch_part(const struct soak *soak, unsigned index, size_t n)
{
    return n * index / soak->hand_count;
}

#endif
