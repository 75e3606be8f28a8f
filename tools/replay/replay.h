/* replay.h - the parts of pleach replay.
 *
 *   replay_parse.c     a line becomes an operation
 *   replay_plan.c      a batch is cut into runs of operations that commute
 *   replay_single.c    a run is carried out by single calls from several threads (CPU)
 *   replay_array.c     a run is carried out by one array call for each kind of operation
 *   replay_batch.c     operations of all kinds are carried out by one call, in their order
 *   replay_snapshot.c  snapshots by name, and files: what only a versioned map has
 *   replay_print.c     an answer becomes a line
 *   replay.c           options, and the loop over batches
 */
#ifndef PLEACH_TOOLS_REPLAY_H
#define PLEACH_TOOLS_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/common/crew.h"
#include "tools/common/target.h"
#include "tools/common/text_in.h"
#include "tools/common/text_out.h"

/* The order matters: the functions below compare kinds. First the operations of batches, with their numbers: updates,
 * reads of one key, reads of an interval. Then reads of the whole structure, of which min and max need an order. Then
 * snapshots and files. */
enum op_kind {
    OP_PUT = PLEACH_OP_PUT,
    OP_ADD = PLEACH_OP_ADD,
    OP_DEL = PLEACH_OP_ERASE,
    OP_GET = PLEACH_OP_FIND,
    OP_HAS = PLEACH_OP_CONTAINS,
    OP_SUCC = PLEACH_OP_SUCC,
    OP_PRED = PLEACH_OP_PRED,
    OP_COUNT = PLEACH_OP_COUNT,
    OP_RANGE = PLEACH_OP_RANGE,
    OP_MIN,
    OP_MAX,
    OP_SIZE,
    OP_VALIDATE,
    OP_SNAP, /* take a snapshot under a name */
    OP_DROP, /* release it */
    OP_AT,   /* `asked` of a snapshot */
    OP_SAVE, /* to a file */
    OP_LOAD, /* in place of all that is there */
    OP_BAD   /* a line that is no operation; error says why */
};

static inline bool op_changes_key(enum op_kind kind) { return kind <= OP_DEL; }
static inline bool op_is_on_key(enum op_kind kind) { return kind <= OP_PRED; }
static inline bool op_is_in_batches(enum op_kind kind) { return kind <= OP_RANGE; }
static inline bool op_is_on_whole(enum op_kind kind) { return kind >= OP_MIN && kind <= OP_VALIDATE; }
static inline bool op_is_ordered(enum op_kind kind) { return kind >= OP_SUCC && kind <= OP_MAX; }

#define REPLAY_NO_LIMIT UINT64_MAX

struct op {
    enum op_kind kind;
    uint64_t a;     /* the key, or the low end of the interval */
    uint64_t b;     /* the value, or the high end of the interval */
    uint64_t limit; /* of a range */
    enum op_kind asked;
    char *name;     /* of a snapshot or a file; allocated */
    char *error;    /* of OP_BAD; allocated; NULL if even that failed */
};

enum answer_form {
    ANSWER_WORD,   /* word */
    ANSWER_NUMBER, /* value */
    ANSWER_PAIR,   /* key:value */
    ANSWER_PAIRS,  /* value pairs in stores[store], from key on */
    ANSWER_FETCH,  /* a range too long to keep: fetched while it is printed */
    ANSWER_TEXT,   /* replay.message */
    ANSWER_ERROR   /* status */
};

struct answer {
    enum answer_form form;
    pleach_status status;
    unsigned store;
    const char *word;
    uint64_t key, value;
};

static inline struct answer answer_error(pleach_status status)
{
    return (struct answer){.form = ANSWER_ERROR, .status = status};
}

static inline struct answer answer_word(const char *word) { return (struct answer){.form = ANSWER_WORD, .word = word}; }

static inline struct answer answer_number(uint64_t number)
{
    return (struct answer){.form = ANSWER_NUMBER, .value = number};
}

/* The answer of an operation on one key. flag, key and value are its results as in pleach_operation. */
struct answer answer_key(enum op_kind kind, unsigned flag, uint64_t key, uint64_t value);

/* ---- replay_parse.c ---- */

/* line is as text_in_line gives it: no blanks at the ends, one between words. */
void replay_parse(const char *line, size_t length, unsigned key_bits, struct op *op);
void replay_parse_long_line(struct op *op);

/* Makes an operation that needs an order a bad one. */
void replay_refuse_ordered(struct op *op);

/* Memory that a parsed operation has of its own. */
void replay_free_op(struct op *op);

/* ---- replay_plan.c ---- */

/* The most intervals that are remembered one by one; beyond that only their hull is. */
enum { SPANS_KEPT = 1024 };

struct span {
    uint64_t lo, hi;
};

struct spans {
    size_t count;
    struct span hull;
    struct span kept[SPANS_KEPT];
};

struct plan_key;

struct plan {
    uint64_t key_max;
    size_t ops;            /* in the current run, bad lines not counted */
    bool barrier;          /* the run is a size or a validate, and stays alone */
    struct plan_key *keys; /* hash set of the keys that the run reads or updates, with open addressing */
    size_t key_mask;
    uint32_t run;        /* entries of other runs count as empty */
    struct spans reads;  /* intervals read */
    struct spans writes; /* keys updated, as intervals of one key */
};

/* A plan for runs of at most most_ops operations; false when memory is lacking. */
bool plan_create(struct plan *plan, size_t most_ops, unsigned key_bits);
void plan_destroy(struct plan *plan);
void plan_start_run(struct plan *plan);

/* Takes the operation into the current run, or answers false: the run ends before it. */
bool plan_admit(struct plan *plan, const struct op *op);

/* ---- the whole ---- */

/* Pairs found by one thread's ranges in the current run: key, value, key, value ... */
struct pair_store {
    uint64_t *words;
    size_t pairs, capacity;
    void *keys, *values; /* where a range call writes, in the map's width */
};

/* Pairs fetched at once, and pairs a store keeps before further ranges are left to the printer. */
enum { RANGE_CHUNK = 4096, STORE_PAIRS = 1 << 20 };

/* Operations that one call carries out. */
struct array_scratch {
    size_t capacity;
    size_t *members;   /* indices of the operations */
    uint8_t *kinds;    /* of a batch */
    struct arrays x;   /* short_counts is not used */
    uint64_t *offsets; /* of a batch */
    void *pair_keys, *pair_values; /* of array calls: room for STORE_PAIRS */
};

/* A low and a high end, as array calls take them. */
struct ends {
    uint64_t lo, hi;
};

struct replay_stats {
    uint64_t ops, batches, runs, longest, together, errors;
};

struct named_snapshot {
    char *name;
    pleach_snapshot *snapshot;
};

struct replay {
    struct target target;
    bool versioned;
    bool skiplist, hashed;
    unsigned chunk;  /* of a skiplist; 0: the library's choice */
    bool by_batches; /* pleach_map_apply, where it can */
    bool by_arrays;  /* array calls, where there are such */
    struct named_snapshot *snapshots; /* live ones, in no order */
    size_t snapshot_count;
    pleach_device device;
    unsigned key_bits;
    unsigned threads;
    struct crew *crew;
    struct plan plan;
    size_t batch;
    size_t count, capacity; /* operations at hand, and room for */
    struct op *ops;
    struct answer *answers;
    struct pair_store *stores; /* one per thread */
    struct array_scratch scratch;
    struct replay_stats stats;
    char message[512]; /* of the last validate; a barrier, so there is one at a time */
    struct text_in in;
    struct text_out out;
};

bool pair_store_create(struct pair_store *store);
void pair_store_destroy(struct pair_store *store);

/* Adds n pairs from element `from` of the arrays on. Returns false if memory is lacking. */
bool pair_store_add(struct pair_store *store, unsigned bits, size_t from, size_t n, const void *keys,
                    const void *values);

/* Adds pairs to the store of thread `index`, and returns the answer that refers to them. */
struct answer answer_pairs(const struct replay *replay, unsigned index, size_t from, size_t n, const void *keys,
                           const void *values);

/* ---- replay_batch.c ---- */

/* All operations must be those of batches, or bad ones. */
void replay_run_batch(struct replay *replay, size_t begin, size_t end);

/* ---- replay_single.c ---- */

void replay_run_single(struct replay *replay, size_t begin, size_t end);

/* Size and validate, and min and max: no array call exists for them. */
struct answer replay_on_whole(struct replay *replay, enum op_kind kind);

/* A range that needs no call: lo > hi, or a limit of 0. */
bool replay_range_is_empty(const struct op *op);

/* The limit as pleach_map_range takes it: 0 for none. */
uint32_t replay_range_limit(uint64_t limit);

struct ends replay_ends(const struct replay *replay, uint64_t lo, uint64_t hi);

/* ---- replay_snapshot.c ---- */

/* As replay_parse, and "snap NAME", "drop NAME", "save FILE", "load FILE", and queries with @NAME, as "get@NAME K". */
void replay_parse_versioned(const char *line, size_t length, unsigned key_bits, struct op *op);
void replay_snapshot(struct replay *replay, const struct op *op, struct answer *answer);
void replay_release_all(struct replay *replay);

/* ---- replay_array.c ---- */

bool array_scratch_create(struct array_scratch *scratch); /* with room for pairs */
void array_scratch_destroy(struct array_scratch *scratch);

/* Allocates arrays for `capacity` operations; their contents may be lost. Returns false if memory is lacking. */
bool array_scratch_reserve(struct array_scratch *scratch, size_t capacity);

/* Makes operation i member n of the call. */
void array_scratch_set(struct replay *replay, size_t n, size_t i);
void replay_run_arrays(struct replay *replay, size_t begin, size_t end);

/* ---- replay_print.c ---- */

void replay_print(struct replay *replay, const struct op *op, const struct answer *answer);

#endif
