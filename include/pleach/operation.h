/* pleach/operation.h - the kinds of operations on maps and hash tables, and the outcomes of updates. */
#ifndef PLEACH_OPERATION_H
#define PLEACH_OPERATION_H

/* Inputs -> results of each operation; * marks results that are written only if the key was present (succ, pred: if
 * there is such a key). `flags` holds the outcome of an update (pleach_outcome), and 1 (found) or 0 for a query. */
typedef enum pleach_operation {
    PLEACH_OP_PUT = 0,      /* key, value -> flags, out_values*: the old value */
    PLEACH_OP_ADD = 1,      /* key, value -> flags, out_values* */
    PLEACH_OP_ERASE = 2,    /* key        -> flags, out_values* */
    PLEACH_OP_FIND = 3,     /* key        -> flags, out_values* */
    PLEACH_OP_CONTAINS = 4, /* key        -> flags */
    PLEACH_OP_SUCC = 5,     /* key        -> flags, out_keys*, out_values*: the smallest key above */
    PLEACH_OP_PRED = 6,     /* key        -> flags, out_keys*, out_values*: the largest key below */
    PLEACH_OP_COUNT = 7,    /* lo, hi     -> counts: keys in the closed interval; hi is passed in `values` */
    PLEACH_OP_RANGE = 8     /* lo, hi     -> counts, and the pairs, see below */
} pleach_operation;

/* What happened to one element of an update. */
typedef enum pleach_outcome {
    PLEACH_NOT_APPLIED = 0, /* the pool was full: this element did not change the map */
    PLEACH_INSERTED = 1,    /* the key was absent and is now present */
    PLEACH_REPLACED = 2,    /* put: the key was present; its old value is reported */
    PLEACH_EXISTS = 3,      /* add: the key was present and keeps its value, which is reported as old */
    PLEACH_ERASED = 4,      /* erase: the key was present; its old value is reported */
    PLEACH_ABSENT = 5       /* erase: the key was absent */
} pleach_outcome;

#endif
