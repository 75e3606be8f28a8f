/* verify/history/history.h - what agents were told, and whether one map could have told it.
 *
 * A history is a list of operations, each with the instants of its invocation and of its response on one clock, and
 * with what it answered. It is linearizable if every operation can be given an instant between the two so that a map
 * that carries them out one by one, in the order of these instants, answers the same.
 *
 * Where histories come from: the simulator, CPU threads, GPU kernels. The only demand on the clock is that an operation
 * that was invoked after another one had returned has the larger stamp. Equal stamps count as overlapping.
 *
 * WHAT IS CHECKED
 *   form               outcomes that the kind of operation can have; ranges that ascend and stay in their interval.
 *   point operations   key by key: a map is linearizable if each of its keys is (Herlihy and Wing's locality).
 *   loose ranges       HISTORY_RANGE promises no common instant for all keys: it counts as one find per key of its
 *                      interval, each with the range's own two stamps. A range that stopped at its limit says nothing
 *                      about keys above the last one that it reported.
 *   the rest           HISTORY_CEIL, HISTORY_FLOOR and the atomic kinds speak of many keys at one instant. A history
 *                      with any of these is checked key by key first, for what follows for each key, and then as a
 *                      whole, against the sequence of versions of the map.
 *   final contents     one find per key after everything; a key that is not listed is absent.
 *
 * WHAT IT COSTS
 *   A key for which no value is given twice, and without pending operations that anybody saw, takes O(n log n) for n
 *   operations, whatever their overlap: millions of operations of thousands of agents are fine. So give unique values.
 *   Other keys, and histories as a whole, are searched: time and memory grow with the length, and in the worst case
 *   exponentially with the number of operations that overlap. Realistic for a whole history, with CEIL, FLOOR and the
 *   atomic kinds, are 100,000 operations by 8 agents or 10,000 by 16 while it is good, in less than a second, and 1,000
 *   by 8 or 100 by 16 to prove that it is bad, since that takes all orders. Beyond comes HISTORY_UNDECIDED.
 *   40 point operations on 10 keys take some microseconds.
 */
#ifndef PLEACH_HISTORY_H
#define PLEACH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum history_kind {
    HISTORY_PUT,          /* insert or assign */
    HISTORY_ADD,          /* insert if absent */
    HISTORY_ERASE,
    HISTORY_FIND,
    HISTORY_CEIL,         /* the nearest key at or above */
    HISTORY_FLOOR,        /* the nearest key at or below */
    HISTORY_RANGE,        /* pairs of [key, high], each key at an instant of its own */
    HISTORY_RANGE_ATOMIC, /* pairs of [key, high], all at one instant */
    HISTORY_COUNT_ATOMIC  /* number of keys in [key, high] at one instant: in out_value */
} history_kind;

/* Updates answer what the map's updates answer, with the same numbers as pleach_outcome. Queries answer HISTORY_FOUND
 * or HISTORY_NOT_FOUND; ranges and counts have no outcome. */
typedef enum history_outcome {
    HISTORY_NOT_APPLIED = 0, /* the operation is known to have changed nothing */
    HISTORY_INSERTED = 1,
    HISTORY_REPLACED = 2,    /* old value in out_value */
    HISTORY_EXISTS = 3,      /* old value in out_value */
    HISTORY_ERASED = 4,      /* old value in out_value */
    HISTORY_ABSENT = 5,
    HISTORY_FOUND = 6,       /* value in out_value; CEIL and FLOOR: the key in out_key */
    HISTORY_NOT_FOUND = 7
} history_outcome;

/* Stamp of an operation that never returned: it may have taken effect, at any time after its invocation, or not at all.
 * What such an operation answers is not looked at. */
#define HISTORY_PENDING UINT64_MAX

typedef struct history_pair {
    uint64_t key, value;
} history_pair;

typedef struct history_op {
    uint64_t invoked, returned;
    uint64_t key;   /* ranges: the low end */
    uint64_t high;  /* ranges only */
    uint64_t value; /* PUT, ADD: the value given */
    uint64_t out_key, out_value;
    uint32_t pairs, pair_count; /* ranges: what was reported, as a place in the history's pairs */
    uint32_t agent;
    uint8_t kind;
    uint8_t outcome;
    bool limited; /* ranges: stopped at its limit */
} history_op;

typedef struct history {
    const history_pair *initial; /* the map before the first operation, ascending keys */
    size_t initial_count;
    const history_op *ops;       /* in any order */
    size_t count;
    const history_pair *pairs;   /* what ranges reported */
    const history_pair *final;   /* the map after the last operation, ascending keys; NULL: not looked at */
    size_t final_count;
} history;

typedef enum history_verdict {
    HISTORY_GOOD,
    HISTORY_BAD,       /* not linearizable */
    HISTORY_UNDECIDED  /* too many overlapping operations to try all orders within the budget, or out of memory */
} history_verdict;

/* Working memory, kept from one check to the next: small histories are checked without allocating. */
typedef struct history_checker history_checker;
history_checker *history_checker_create(void); /* NULL: no memory */
void history_checker_destroy(history_checker *checker);

history_verdict history_check(history_checker *checker, const history *h);

/* After HISTORY_BAD: says what is wrong in one sentence, and prints a small part of the history that has no explanation
 * even by itself: what the map may have held at the beginning, then one operation a line, in order of invocation, with
 * a drawing of their overlap if they are few. Operations that had not yet returned when the fault was seen are shown as
 * pending. It takes up to ten seconds or so to make a large history small. Where dozens of operations overlap on one
 * key the part may stay large. */
void history_explain(history_checker *checker, const history *h, FILE *out);

/* One line, without the newline: "agent 3  [12, 40]  put 7 = 21 -> replaced 5". */
void history_print_op(const history_op *op, const history_pair *pairs, FILE *out);

#endif
