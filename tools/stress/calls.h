/* calls.h - the map's operations under one name each, so that a workload can choose among them at random. */
#ifndef PLEACH_TOOLS_CALLS_H
#define PLEACH_TOOLS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/common/mix.h"
#include "pleach/pleach.h"

enum call_kind {
    CALL_PUT,
    CALL_ADD,
    CALL_ERASE,
    CALL_FIND,
    CALL_CONTAINS,
    CALL_SUCC,
    CALL_PRED,
    CALL_COUNT,
    CALL_RANGE_LIMIT,
    CALL_RANGE,
    CALL_KINDS
};

enum { CALL_LIMIT = 8 }; /* of CALL_RANGE_LIMIT */

static inline bool call_is_update(enum call_kind kind) { return kind <= CALL_ERASE; }
static inline bool call_takes_value(enum call_kind kind) { return kind <= CALL_ADD; }
static inline bool call_is_interval(enum call_kind kind) { return kind >= CALL_COUNT; }

const char *call_kind_name(enum call_kind kind);

/* Draws a kind; percent says how often each one comes, and adds up to 100. */
enum call_kind call_choose(struct mix_random *random, const uint8_t percent[CALL_KINDS]);

/* What an operation answered. Fields that do not apply are 0. */
struct call_answer {
    pleach_status status;
    uint64_t what; /* an outcome, found or not, or how many */
    uint64_t key;  /* of succ and pred; the digest of a range */
    uint64_t value;
};

/* The single call of any kind but an interval. */
struct call_answer call_one(pleach_map *map, enum call_kind kind, uint64_t key, uint64_t value);

/* Arguments and results of an array call; a kind uses those that it needs. */
struct call_arrays {
    void *a, *b;         /* keys, and values or upper ends */
    void *out_a, *out_b; /* keys and values */
    uint8_t *bytes;      /* outcomes, or found */
    uint64_t *counts;    /* CALL_COUNT: n counts; CALL_RANGE: n + 1 offsets */
    uint32_t *short_counts;
};

/* Room for n elements, n + 1 counts, and `pairs` results; 8 bytes for a key or value whatever the width. False when
 * memory is lacking; destroy in any case. */
bool call_arrays_create(struct call_arrays *arrays, size_t n, size_t pairs, void *(*allocate)(size_t bytes));
void call_arrays_destroy(struct call_arrays *arrays, void (*release)(void *memory));

/* capacity: pairs that out_a and out_b have room for, for CALL_RANGE, which is always synchronous. */
pleach_status call_array(pleach_map *map, enum call_kind kind, size_t n, const struct call_arrays *arrays,
                         size_t capacity, pleach_stream stream);

#endif
