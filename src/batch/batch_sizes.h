/* batch/batch_sizes.h - the parts of a batch that do not depend on the width of keys. */
#ifndef PLEACH_BATCH_SIZES_H
#define PLEACH_BATCH_SIZES_H

#include "../level/level_tree.h"

/* The caller's arrays, in the order of the batch, in memory that workers can read and write. NULL: not requested. */
typedef struct batch_request {
    uint32_t n;
    uint32_t limit; /* maximum number of pairs of a range */
    uint32_t kind;        /* kind of all operations, an update; used if there is no array `kinds` */
    const uint8_t *kinds;
    const void *keys, *values;
    uint8_t *flags;
    void *out_keys, *out_values;
    uint64_t *counts;
    const uint64_t *offsets; /* of each operation's pairs in the two arrays below; NULL: they are not written yet */
    void *range_keys, *range_values;
} batch_request;

PORT_FN uint32_t batch_kind_at(const batch_request *r, uint32_t place) { return r->kinds ? r->kinds[place] : r->kind; }

enum { BATCH_HAD = 1, BATCH_HAS = 2, BATCH_CHANGED = 4 }; /* present before, present after, changed */

/* What a batch contains. */
enum {
    BATCH_HAS_WRONG = 1,  /* an unknown operation */
    BATCH_HAS_VALUES = 2, /* one that needs a value */
    BATCH_HAS_QUERIES = 4, /* one that concerns more than its own key */
    BATCH_HAS_UPDATES = 8,
    BATCH_HAS_FINDS = 16, /* or contains */
    BATCH_HAS_ERASES = 32,
    BATCH_HAS_COUNTS = 64,
    BATCH_UNORDERED = 128 /* keys do not ascend; GPU only */
};

PORT_FN uint32_t batch_classify(uint32_t kind)
{
    return (kind >= OP_BATCH_KINDS ? BATCH_HAS_WRONG : 0) |
           (kind <= OP_ADD || kind >= OP_COUNT ? BATCH_HAS_VALUES : 0) |
           (kind > OP_CONTAINS ? BATCH_HAS_QUERIES : 0) | (kind <= OP_ERASE ? BATCH_HAS_UPDATES : 0) |
           (kind == OP_FIND || kind == OP_CONTAINS ? BATCH_HAS_FINDS : 0) |
           (kind == OP_ERASE ? BATCH_HAS_ERASES : 0) | (kind == OP_COUNT ? BATCH_HAS_COUNTS : 0);
}

/* log2 of the filter's bits for n operations: at least four bits each, so that few are selected unnecessarily. Host
 * only. */
static inline __attribute__((unused)) uint32_t batch_filter_bits(uint32_t n)
{
    uint32_t bits = 9;
    while (bits < 31 && ((uint64_t)1 << bits) < 4 * (uint64_t)n) bits++;
    return bits;
}

typedef struct batch_sums { uint32_t runs, has, had; } batch_sums;

PORT_FN batch_sums batch_sums_join(batch_sums a, batch_sums b)
{
    a.runs += b.runs;
    a.has += b.has;
    a.had += b.had;
    return a;
}

typedef struct batch_level {
    uint32_t first_edit, edits;
    uint32_t runs;
    uint32_t first_node, nodes; /* numbers of the new nodes, counted from the first of the batch */
    uint32_t below;             /* the root, if this level will be above it */
} batch_level;

enum { BATCH_LEVELS = BLINK_MAX_LEVEL + 2 };

/* Absent keys that a query steps over before it gives up; steps per operation that the second try has in total; and
 * absent keys after which a query that can skip does so again (batch_query.h). */
#ifdef PLEACH_SIM /* its batches are small */
enum { BATCH_PATIENCE = 1, BATCH_STEPS_EACH = 0, BATCH_SKIP_AFTER = 0 };
#else
enum { BATCH_PATIENCE = 64, BATCH_STEPS_EACH = 4, BATCH_SKIP_AFTER = 8 };
#endif

/* Returns the patience of the second try, for `tired` queries among `ops` operations. Host only. */
static inline __attribute__((unused)) uint32_t batch_more_patience(uint32_t ops, uint32_t tired)
{
    uint64_t patience = BATCH_PATIENCE + (uint64_t)BATCH_STEPS_EACH * ops / tired;
    return patience < UINT32_MAX ? (uint32_t)patience : UINT32_MAX;
}

/* The cost of a query: absent keys that it has stepped over, and twice the levels of batch_live for each skip. */
typedef struct batch_effort {
    uint64_t steps;
    bool tired; /* it has given up, and has no result */
} batch_effort;

PORT_FN batch_effort batch_no_effort(void)
{
    batch_effort none;
    none.steps = 0;
    none.tired = false;
    return none;
}

/* 32 operations of one level of batch_live: which have a 1, and which of those with a 0 make a key appear or
 * disappear. */
typedef struct batch_group {
    uint32_t ones, plus, minus;
    uint32_t zeros; /* zeros in the groups before it, */
    uint32_t sum;   /* and the sum of their changes, modulo 2^32 */
} batch_group;

/* Which keys are present at which position (batch_live.h). */
typedef struct batch_live {
    uint32_t levels;     /* bits of a key's number; 0 while nothing is built */
    uint32_t groups;     /* of each level */
    batch_group *group;  /* level by level */
    uint32_t *number[2]; /* of the operation's key: in the order of a level, and of the next */
    int8_t *change[2];
    uint32_t *had;       /* by key number: keys before it that the old map has; one more element than keys */
    uint32_t *gap;       /* one bit per key number: the old map has keys between it and the next one */
    uint32_t *gaps;      /* set bits in the words before; one more element than words */
} batch_live;

/* Levels for a number of keys, and groups per level for a number of operations; there is always a group that is not
 * full. Host only. */
static inline __attribute__((unused)) uint32_t batch_live_levels(uint32_t keys)
{
    uint32_t levels = 1;
    while (levels < 31 && keys >> levels) levels++;
    return levels;
}

static inline __attribute__((unused)) uint32_t batch_live_groups(uint32_t n) { return n / 32 + 1; }

/* What stages compute for later stages. */
typedef struct batch_sizes {
    uint32_t ops;       /* selected operations */
    uint32_t keys;      /* distinct keys of these */
    uint32_t seen;      /* BATCH_HAS_... */
    uint32_t full;      /* there is no memory for the new nodes */
    uint32_t wide;      /* counts that were not walked; GPU only, as are the next four */
    uint32_t tired;     /* queries that have given up */
    uint32_t gap_words, groups; /* of batch_live */
    uint64_t steps;     /* of those queries */
    uint64_t differ;    /* bits in which keys differ; GPU only */
    uint32_t tree_nodes; /* while snapshots are live: new nodes of the tree, */
    uint32_t copies;     /* and copies of leaves, whose numbers follow these */
    uint32_t tidied;    /* runs that may have left underfull leaves */
    uint32_t cases;     /* of the level that is being rebalanced, */
    batch_sums case_sums; /* and the result of their scan */
    uint64_t stock;     /* ids in the pool's stock before the batch; new nodes use these first, */
    uint32_t first_id;  /* then ids from this one on */
    uint64_t stock_end; /* after the batch: end of the stock, */
    uint64_t next;      /* the first never-allocated id, */
    uint64_t size;      /* and the number of keys, if some were erased */
    uint64_t root;      /* before the batch, and after it */
    uint64_t new_root;
    batch_level level[BATCH_LEVELS];
} batch_sizes;

#endif
