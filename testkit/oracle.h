/* testkit/oracle.h - a slow and obvious ordered map to compare with.
 *
 * It is told beforehand every key that may ever be put (the universe) and keeps, in order, one row per such key:
 * present or not, and the value. Questions may be asked about any key.
 */
#ifndef PLEACH_TESTS_ORACLE_H
#define PLEACH_TESTS_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pleach/map.h>
#include <pleach/queue.h>

typedef struct oracle {
    size_t rows;
    uint64_t *keys; /* ascending, each once */
    uint64_t *values;
    uint8_t *present; /* 1 or 0 */
    size_t size;
} oracle;

/* keys[n] in any order, also with repetitions. Ends the program if there is no memory. */
oracle *oracle_create(size_t n, const uint64_t *keys);
void oracle_destroy(oracle *o);
static inline void end_oracle(oracle **o) { oracle_destroy(*o); } /* for AT_END */

/* The key must be in the universe. *old is written as the map's old_values are. */
pleach_outcome oracle_put(oracle *o, uint64_t key, uint64_t value, uint64_t *old);
pleach_outcome oracle_add(oracle *o, uint64_t key, uint64_t value, uint64_t *old);
void oracle_clear(oracle *o);

/* Any key. */
pleach_outcome oracle_erase(oracle *o, uint64_t key, uint64_t *old);
bool oracle_find(const oracle *o, uint64_t key, uint64_t *value);

/* Strict; outputs are written only if there is such a key. */
bool oracle_succ(const oracle *o, uint64_t key, uint64_t *out_key, uint64_t *out_value);
bool oracle_pred(const oracle *o, uint64_t key, uint64_t *out_key, uint64_t *out_value);
bool oracle_min(const oracle *o, uint64_t *out_key, uint64_t *out_value);
bool oracle_max(const oracle *o, uint64_t *out_key, uint64_t *out_value);

/* The first `limit` pairs of [lo, hi] (limit 0: all); out_keys and out_values may be NULL. Answers their number. */
size_t oracle_range(const oracle *o, uint64_t lo, uint64_t hi, size_t limit, uint64_t *out_keys,
                    uint64_t *out_values);

/* One operation of any kind but ranges. Writes the members that the operation gives; like the map, leaves the key and
 * the value alone if there is none. */
void oracle_answer(oracle *o, pleach_operation operation, uint64_t key, uint64_t value, pleach_answer *a);
bool same_answer(const pleach_answer *a, const pleach_answer *b);

#endif
