/* base/op.h - the kinds of operations, for maps, batches, hash tables, kernels and queues alike. The numbers are those of
 * pleach_operation, so kinds that a caller gives in an array need no translation. Outcomes are pleach_outcome. */
#ifndef PLEACH_BASE_OP_H
#define PLEACH_BASE_OP_H

#include <stdbool.h>

#include <pleach/operation.h>

typedef enum op_kind {
    OP_PUT = PLEACH_OP_PUT,
    OP_ADD = PLEACH_OP_ADD,
    OP_ERASE = PLEACH_OP_ERASE,
    OP_FIND = PLEACH_OP_FIND,
    OP_CONTAINS = PLEACH_OP_CONTAINS,
    OP_SUCC = PLEACH_OP_SUCC,
    OP_PRED = PLEACH_OP_PRED,
    OP_COUNT = PLEACH_OP_COUNT,
    OP_RANGE = PLEACH_OP_RANGE,
    OP_CEILING, /* like OP_SUCC, but the key itself counts: min */
    OP_FLOOR    /* like OP_PRED, but the key itself counts: max */
} op_kind;

static inline bool op_is_update(op_kind kind) { return kind <= OP_ERASE; }

enum { OP_BATCH_KINDS = OP_CEILING }; /* a batch may have the kinds before this one */

#endif
