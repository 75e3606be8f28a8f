/* baseline_work.h - what kernels and threads are handed: a step, its arrays, and the structure it works on. */
#ifndef PLEACH_BENCH_BASELINE_WORK_H
#define PLEACH_BENCH_BASELINE_WORK_H

#include <stdint.h>

/* Pairs in ascending order. Of equal keys, which only merge-tree has, the last one counts. */
typedef struct baseline_run {
    void *keys, *values;
    uint8_t *dead; /* 1: a tombstone. NULL: there is none */
    uint64_t n;
} baseline_run;

/* Nodes of a tree with coupled latches; node 0 is the root. */
typedef struct coupled_tree {
    uint64_t *nodes;
    uint64_t *used; /* used[0]: nodes, used[1]: keys */
    uint32_t bits;
} coupled_tree;

enum { BASELINE_MOST_RUNS = 32 };

/* Which step; what it reads and writes is said in baseline_steps.h. */
enum baseline_step {
    BASELINE_FIND,
    BASELINE_RANGE,
    BASELINE_SUCC,
    BASELINE_STRIKE, /* takes a key out of a keep array */
    BASELINE_NEW,    /* which of a sorted batch are to be merged into the array */
    BASELINE_LAST,   /* which of sorted pairs are the last of their key */
    BASELINE_LIVE,   /* which pairs of a run count */
    BASELINE_COUPLED_INSERT,
    BASELINE_COUPLED_ERASE,
    BASELINE_COUPLED_FIND, /* queries in the order of those above */
    BASELINE_COUPLED_RANGE,
    BASELINE_COUPLED_SUCC
};

typedef struct baseline_work {
    uint32_t step, bits, limit, run_count;
    uint32_t distinct; /* one run at most, without a key twice and without tombstones */
    uint32_t oldest;   /* live: the run whose pairs are asked about */
    uint64_t n;
    const void *keys, *highs;
    void *out_keys, *values;
    uint8_t *bytes;
    uint32_t *counts;
    coupled_tree tree;
    baseline_run runs[BASELINE_MOST_RUNS]; /* the newest first */
} baseline_work;

#endif
