/* testkit/mock/map_calls.h - the calls of maps as tables, for what is asked of each in turn: a switch instead of a
 * pointer, because their arguments differ. */
#ifndef PLEACH_TESTS_MAP_CALLS_H
#define PLEACH_TESTS_MAP_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pleach/map.h>

/* Every array call, with its arguments as they come. `limit` is used by ranges only, and n * limit is in bounds
 * wherever n is. */
typedef struct arrays {
    const void *keys, *values; /* or the ends of intervals */
    void *out_keys, *out_values;
    void *result; /* outcomes, found, counts or offsets */
} arrays;

enum { PUT, ADD, ERASE, FIND, CONTAINS, SUCC, PRED, COUNT, LIMIT, PACKED, ARRAY_CALLS };

static inline pleach_status call_array(int which, pleach_map *map, size_t n, const arrays *a, pleach_stream stream)
{
    switch (which) {
    case PUT: return pleach_map_put(map, n, a->keys, a->values, a->result, a->out_values, stream);
    case ADD: return pleach_map_add(map, n, a->keys, a->values, a->result, a->out_values, stream);
    case ERASE: return pleach_map_erase(map, n, a->keys, a->result, a->out_values, stream);
    case FIND: return pleach_map_find(map, n, a->keys, a->out_values, a->result, stream);
    case CONTAINS: return pleach_map_contains(map, n, a->keys, a->result, stream);
    case SUCC: return pleach_map_succ(map, n, a->keys, a->out_keys, a->out_values, a->result, stream);
    case PRED: return pleach_map_pred(map, n, a->keys, a->out_keys, a->out_values, a->result, stream);
    case COUNT: return pleach_map_range_count(map, n, a->keys, a->values, a->result, stream);
    case LIMIT:
        return pleach_map_range_limit(map, n, a->keys, a->values, 1, a->out_keys, a->out_values, a->result, stream);
    default: return pleach_map_range(map, n, a->keys, a->values, 0, 9, a->out_keys, a->out_values, a->result, NULL);
    }
}

static inline bool has_second_input(int which) { return which == PUT || which == ADD || which >= COUNT; }
static inline bool needs_result(int which) { return which == CONTAINS || which == COUNT || which == PACKED; }
static inline bool has_out_keys(int which)
{
    return which == SUCC || which == PRED || which == LIMIT || which == PACKED;
}
static inline bool has_out_values(int which) { return which != CONTAINS && which != COUNT; }

/* Every single call. */
enum { ONE_PUT, ONE_ADD, ONE_ERASE, ONE_FIND, ONE_CONTAINS, ONE_SUCC, ONE_PRED, ONE_MIN, ONE_MAX, SINGLE_CALLS };

static inline pleach_status call_one(int which, pleach_map *map, uint64_t key, int *found, uint64_t *out_key,
                                     uint64_t *value)
{
    switch (which) {
    case ONE_PUT: return pleach_map_put_one(map, key, 1, NULL, value);
    case ONE_ADD: return pleach_map_add_one(map, key, 1, NULL, value);
    case ONE_ERASE: return pleach_map_erase_one(map, key, NULL, value);
    case ONE_FIND: return pleach_map_find_one(map, key, found, value);
    case ONE_CONTAINS: return pleach_map_contains_one(map, key, found);
    case ONE_SUCC: return pleach_map_succ_one(map, key, found, out_key, value);
    case ONE_PRED: return pleach_map_pred_one(map, key, found, out_key, value);
    case ONE_MIN: return pleach_map_min(map, found, out_key, value);
    default: return pleach_map_max(map, found, out_key, value);
    }
}

#endif
