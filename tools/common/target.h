/* target.h - the structure that a command works on, a map or a hash table, behind one set of calls. */
#ifndef PLEACH_TOOLS_TARGET_H
#define PLEACH_TOOLS_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pleach/hash.h"
#include "pleach/pleach.h"

/* Operations are those of batches, and ranges with a limit. */
enum { OP_RANGE_LIMIT = PLEACH_OP_RANGE + 1, OPS };
enum { RANGE_LIMIT = 8 }; /* of OP_RANGE_LIMIT */

static inline bool op_is_update(unsigned op) { return op <= PLEACH_OP_ERASE; }
static inline bool op_takes_value(unsigned op) { return op <= PLEACH_OP_ADD; }
static inline bool op_is_interval(unsigned op) { return op >= PLEACH_OP_COUNT; }
const char *op_name(unsigned op);

struct target {
    pleach_map *map;   /* NULL if it is a hash table */
    pleach_hash *hash; /* operations up to PLEACH_OP_CONTAINS only */
    bool set;          /* a hash table without values */
};

void target_destroy(struct target *target); /* leaves {0} */

/* The result of one operation. Fields that do not apply are 0. */
struct result {
    pleach_status status;
    uint64_t flag; /* an outcome, or whether the key was found */
    uint64_t key, value;
};

/* Single call of any operation except intervals. */
struct result target_one(const struct target *target, unsigned op, uint64_t key, uint64_t value);

/* Arguments and results of an array call; an operation uses those that it needs. */
struct arrays {
    void *keys, *values; /* or lower and upper ends */
    void *out_keys, *out_values;
    uint64_t *counts; /* PLEACH_OP_COUNT: n counts; PLEACH_OP_RANGE: n + 1 offsets */
    uint32_t *short_counts;
    uint8_t *flags;
};

/* capacity: pairs that out_keys and out_values can hold, for PLEACH_OP_RANGE, which is always synchronous. */
pleach_status target_array(const struct target *target, unsigned op, size_t n, const struct arrays *arrays,
                           size_t capacity, pleach_stream stream);

/* Exclusive calls. target_load fills an empty structure; a hash table has no such call and uses puts. */
pleach_status target_load(const struct target *target, size_t n, const void *keys, const void *values);
pleach_status target_export(const struct target *target, size_t capacity, void *keys, void *values, size_t *n);
pleach_status target_size(const struct target *target, uint64_t *size);
pleach_status target_compact(const struct target *target, double fill);
pleach_status target_clear(const struct target *target);
pleach_status target_validate(const struct target *target, char *message, size_t size);

#endif
