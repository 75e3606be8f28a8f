/* testkit/wide.h - a map of either key width behind arrays of uint64_t, so that a case is written once for both.
 *
 * For a 32-bit map the arrays are copied to narrow ones around the call, results too, so elements that the library
 * leaves alone are left alone here as well. Nothing here asserts but wide_open and wide_close: the calls may be
 * used from any thread. Every element counts as a checked operation.
 */
#ifndef PLEACH_TESTS_WIDE_H
#define PLEACH_TESTS_WIDE_H

#include <pleach/queue.h>

#include "harness.h"

typedef struct wide {
    pleach_map *map;
    unsigned key_bits;
    uint64_t top; /* the largest key and the largest value */
} wide;

pleach_map_config config_for(const setting *where);

/* The same for a tree, whatever the others are. */
pleach_map_config tree_config_for(const setting *where);

/* Do these maps count and fill a packed range at one timestamp? Then no writer can come between the two. */
bool ranges_see_one_instant(const setting *where);

/* Pairs that a leaf of these maps has room for. */
size_t leaf_slots(void);

/* So many nodes for keys, with those that a map has whatever it holds: a skiplist has the heads of all levels. How many
 * that are, and the memory that they need; and more keys than they can hold. */
uint64_t nodes_with_heads(uint64_t nodes);
uint64_t node_memory(const setting *where, uint64_t nodes);
size_t more_than_fit(uint64_t nodes);

/* Opens an empty map, or fails the test. max_bytes as in pleach_map_config. */
wide wide_open_as(pleach_map_config config);
wide wide_open(const setting *where);
wide wide_open_limited(const setting *where, uint64_t max_bytes);
wide wide_open_versioned(const setting *where); /* always a tree */

/* Validates the map first; so every test ends with a valid map. */
void wide_close(wide *w);
void assert_valid(const wide *w);
void assert_valid_map(pleach_map *map);
void assert_map_size(pleach_map *map, uint64_t expected);
pleach_map_stats stats_of(pleach_map *map);

/* The single call of this name, as oracle_answer. A `found` that the call has not written is UNTOUCHED, which is no
 * oracle's answer. */
pleach_status map_answer(pleach_map *map, pleach_operation operation, uint64_t key, uint64_t value, pleach_answer *a);

pleach_status wide_put(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                       uint64_t *olds);
pleach_status wide_add(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                       uint64_t *olds);
pleach_status wide_erase(const wide *w, size_t n, const uint64_t *keys, uint8_t *outcomes, uint64_t *olds);
pleach_status wide_find(const wide *w, size_t n, const uint64_t *keys, uint64_t *values, uint8_t *found);
pleach_status wide_contains(const wide *w, size_t n, const uint64_t *keys, uint8_t *found);
pleach_status wide_succ(const wide *w, size_t n, const uint64_t *keys, uint64_t *out_keys, uint64_t *out_values,
                        uint8_t *found);
pleach_status wide_pred(const wide *w, size_t n, const uint64_t *keys, uint64_t *out_keys, uint64_t *out_values,
                        uint8_t *found);
pleach_status wide_range_count(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint64_t *counts);
pleach_status wide_range_limit(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint32_t limit,
                               uint64_t *out_keys, uint64_t *out_values, uint32_t *counts);
pleach_status wide_range(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint32_t limit,
                         size_t capacity, uint64_t *out_keys, uint64_t *out_values, uint64_t *offsets,
                         size_t *total);
pleach_status wide_load(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values, double fill);
pleach_status wide_export(const wide *w, size_t capacity, uint64_t *out_keys, uint64_t *out_values, size_t *n);

#endif
