#include "wide.h"

#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "skiplist/skiplist_format.h"

/* PLEACH_TEST_ENGINE=batches, or calls: array updates by that engine in all tests. */
static pleach_engine engine_for_tests(void)
{
    const char *engine = getenv("PLEACH_TEST_ENGINE");
    if (engine && strcmp(engine, "batches") == 0) return PLEACH_ENGINE_BATCHES;
    return engine && strcmp(engine, "calls") == 0 ? PLEACH_ENGINE_CALLS : PLEACH_ENGINE_AUTO;
}

/* PLEACH_TEST_STRUCTURE=skiplist, or skiplist32: all tests with skiplists, of chunks of 16 slots or of 32, but those
 * that need a tree. PLEACH_TEST_RAISE is the chance that a new chunk is entered above. */
static unsigned chunk_for_tests(void)
{
    return tests_skiplist() && strcmp(getenv("PLEACH_TEST_STRUCTURE"), "skiplist32") == 0 ? 32 : 16;
}

static void choose_skiplist(pleach_map_config *config)
{
    const char *raise = getenv("PLEACH_TEST_RAISE");
    config->structure = PLEACH_SKIPLIST;
    config->chunk = chunk_for_tests();
    config->raise = raise ? strtod(raise, NULL) : 0;
}

pleach_map_config tree_config_for(const setting *where)
{
    /* PLEACH_TEST_VERSIONED=1: all tests with maps that can have snapshots, where there are such. */
    const char *versioned = getenv("PLEACH_TEST_VERSIONED");
    return (pleach_map_config){.device = where->device,
                               .key_bits = where->key_bits,
                               .threads = where->threads,
                               .versioned = versioned && versioned[0] == '1',
                               .engine = engine_for_tests()};
}

pleach_map_config config_for(const setting *where)
{
    pleach_map_config config = tree_config_for(where);
    if (tests_skiplist())
        choose_skiplist(&config);
    return config;
}

/* With one thread each part of a call takes a snapshot of its own, and counts and fills at different ones. */
bool ranges_see_one_instant(const setting *where)
{
    return config_for(where).versioned && (where->device == PLEACH_CUDA || where->threads > 1);
}

size_t leaf_slots(void)
{
    return chunk_for_tests() - 2;
}

uint64_t nodes_with_heads(uint64_t nodes)
{
    return nodes + (tests_skiplist() ? SKIPLIST_LEVELS : 0);
}

uint64_t node_memory(const setting *where, uint64_t nodes)
{
    return nodes_with_heads(nodes) * chunk_for_tests() * where->key_bits / 4;
}

size_t more_than_fit(uint64_t nodes)
{
    return (size_t)nodes * leaf_slots() * 10 / 7;
}

wide wide_open_as(pleach_map_config config)
{
    wide w = {NULL, config.key_bits, config.key_bits == 32 ? UINT32_MAX : UINT64_MAX};
    assert_ok(pleach_map_create(&w.map, &config));
    assert_non_null(w.map);
    return w;
}

wide wide_open_limited(const setting *where, uint64_t max_bytes)
{
    pleach_map_config config = config_for(where);
    config.max_bytes = max_bytes;
    return wide_open_as(config);
}

wide wide_open_versioned(const setting *where)
{
    pleach_map_config config = tree_config_for(where);
    config.versioned = 1;
    return wide_open_as(config);
}

wide wide_open(const setting *where)
{
    return wide_open_limited(where, 0);
}

void assert_valid_map(pleach_map *map)
{
    char message[256] = "untouched";
    pleach_status status = pleach_map_validate(map, message, sizeof message);
    if (status != PLEACH_OK)
        fail_msg("validate: %s: %s", pleach_status_name(status), message);
    assert_string_equal(message, "");
}

void assert_valid(const wide *w)
{
    assert_valid_map(w->map);
}

void assert_map_size(pleach_map *map, uint64_t expected)
{
    uint64_t size = ~expected;
    assert_ok(pleach_map_size(map, &size));
    assert_int_equal(size, expected);
}

pleach_map_stats stats_of(pleach_map *map)
{
    pleach_map_stats stats;
    assert_ok(pleach_map_get_stats(map, &stats));
    return stats;
}

void wide_close(wide *w)
{
    assert_valid(w);
    pleach_map_destroy(w->map);
    w->map = NULL;
}

pleach_status map_answer(pleach_map *map, pleach_operation operation, uint64_t key, uint64_t value, pleach_answer *a)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    int found = -1;
    switch (operation) {
    case PLEACH_OP_PUT: a->status = pleach_map_put_one(map, key, value, &outcome, &a->value); break;
    case PLEACH_OP_ADD: a->status = pleach_map_add_one(map, key, value, &outcome, &a->value); break;
    case PLEACH_OP_ERASE: a->status = pleach_map_erase_one(map, key, &outcome, &a->value); break;
    case PLEACH_OP_FIND: a->status = pleach_map_find_one(map, key, &found, &a->value); break;
    case PLEACH_OP_CONTAINS: a->status = pleach_map_contains_one(map, key, &found); break;
    case PLEACH_OP_SUCC: a->status = pleach_map_succ_one(map, key, &found, &a->key, &a->value); break;
    case PLEACH_OP_PRED: a->status = pleach_map_pred_one(map, key, &found, &a->key, &a->value); break;
    case PLEACH_OP_COUNT:
    case PLEACH_OP_RANGE: abort(); /* there are no such single calls */
    }
    a->flag = operation <= PLEACH_OP_ERASE ? (uint8_t)outcome : found == 0 || found == 1 ? (uint8_t)found : UNTOUCHED;
    return a->status;
}

typedef pleach_status update_call(pleach_map *, size_t, const void *, const void *, uint8_t *, void *, pleach_stream);

static pleach_status update(update_call *call, const wide *w, size_t n, const uint64_t *keys, const uint64_t *values,
                            uint8_t *outcomes, uint64_t *olds)
{
    void *k = narrowed(w->key_bits, n, keys), *v = narrowed(w->key_bits, n, values);
    void *o = olds == values ? v : narrowed(w->key_bits, n, olds); /* the same array stays the same array */
    pleach_status status = call(w->map, n, k, v, outcomes, o, PLEACH_SYNC);
    widened(w->key_bits, n, o, olds);
    if (olds != values)
        widened(w->key_bits, n, v, NULL);
    widened(w->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_put(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                       uint64_t *olds)
{
    return update(pleach_map_put, w, n, keys, values, outcomes, olds);
}

pleach_status wide_add(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values, uint8_t *outcomes,
                       uint64_t *olds)
{
    return update(pleach_map_add, w, n, keys, values, outcomes, olds);
}

pleach_status wide_erase(const wide *w, size_t n, const uint64_t *keys, uint8_t *outcomes, uint64_t *olds)
{
    void *k = narrowed(w->key_bits, n, keys), *o = narrowed(w->key_bits, n, olds);
    pleach_status status = pleach_map_erase(w->map, n, k, outcomes, o, PLEACH_SYNC);
    widened(w->key_bits, n, o, olds);
    widened(w->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_find(const wide *w, size_t n, const uint64_t *keys, uint64_t *values, uint8_t *found)
{
    void *k = narrowed(w->key_bits, n, keys), *v = narrowed(w->key_bits, n, values);
    pleach_status status = pleach_map_find(w->map, n, k, v, found, PLEACH_SYNC);
    widened(w->key_bits, n, v, values);
    widened(w->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_contains(const wide *w, size_t n, const uint64_t *keys, uint8_t *found)
{
    void *k = narrowed(w->key_bits, n, keys);
    pleach_status status = pleach_map_contains(w->map, n, k, found, PLEACH_SYNC);
    widened(w->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

typedef pleach_status neighbour_call(pleach_map *, size_t, const void *, void *, void *, uint8_t *, pleach_stream);

static pleach_status neighbour(neighbour_call *call, const wide *w, size_t n, const uint64_t *keys,
                               uint64_t *out_keys, uint64_t *out_values, uint8_t *found)
{
    void *k = narrowed(w->key_bits, n, keys);
    void *ok = narrowed(w->key_bits, n, out_keys), *ov = narrowed(w->key_bits, n, out_values);
    pleach_status status = call(w->map, n, k, ok, ov, found, PLEACH_SYNC);
    widened(w->key_bits, n, ok, out_keys);
    widened(w->key_bits, n, ov, out_values);
    widened(w->key_bits, n, k, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_succ(const wide *w, size_t n, const uint64_t *keys, uint64_t *out_keys, uint64_t *out_values,
                        uint8_t *found)
{
    return neighbour(pleach_map_succ, w, n, keys, out_keys, out_values, found);
}

pleach_status wide_pred(const wide *w, size_t n, const uint64_t *keys, uint64_t *out_keys, uint64_t *out_values,
                        uint8_t *found)
{
    return neighbour(pleach_map_pred, w, n, keys, out_keys, out_values, found);
}

pleach_status wide_range_count(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint64_t *counts)
{
    void *l = narrowed(w->key_bits, n, lo), *h = narrowed(w->key_bits, n, hi);
    pleach_status status = pleach_map_range_count(w->map, n, l, h, counts, PLEACH_SYNC);
    widened(w->key_bits, n, l, NULL);
    widened(w->key_bits, n, h, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_range_limit(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint32_t limit,
                               uint64_t *out_keys, uint64_t *out_values, uint32_t *counts)
{
    void *l = narrowed(w->key_bits, n, lo), *h = narrowed(w->key_bits, n, hi);
    void *ok = narrowed(w->key_bits, n * limit, out_keys), *ov = narrowed(w->key_bits, n * limit, out_values);
    pleach_status status = pleach_map_range_limit(w->map, n, l, h, limit, ok, ov, counts, PLEACH_SYNC);
    widened(w->key_bits, n * limit, ok, out_keys);
    widened(w->key_bits, n * limit, ov, out_values);
    widened(w->key_bits, n, l, NULL);
    widened(w->key_bits, n, h, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_range(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint32_t limit,
                         size_t capacity, uint64_t *out_keys, uint64_t *out_values, uint64_t *offsets,
                         size_t *total)
{
    void *l = narrowed(w->key_bits, n, lo), *h = narrowed(w->key_bits, n, hi);
    void *ok = narrowed(w->key_bits, capacity, out_keys), *ov = narrowed(w->key_bits, capacity, out_values);
    pleach_status status = pleach_map_range(w->map, n, l, h, limit, capacity, ok, ov, offsets, total);
    widened(w->key_bits, capacity, ok, out_keys);
    widened(w->key_bits, capacity, ov, out_values);
    widened(w->key_bits, n, l, NULL);
    widened(w->key_bits, n, h, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_load(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values, double fill)
{
    void *k = narrowed(w->key_bits, n, keys), *v = narrowed(w->key_bits, n, values);
    pleach_status status = pleach_map_load(w->map, n, k, v, fill);
    widened(w->key_bits, n, k, NULL);
    widened(w->key_bits, n, v, NULL);
    count_checked(n);
    return status;
}

pleach_status wide_export(const wide *w, size_t capacity, uint64_t *out_keys, uint64_t *out_values, size_t *n)
{
    void *ok = narrowed(w->key_bits, capacity, out_keys), *ov = narrowed(w->key_bits, capacity, out_values);
    pleach_status status = pleach_map_export(w->map, capacity, ok, ov, n);
    widened(w->key_bits, capacity, ok, out_keys);
    widened(w->key_bits, capacity, ov, out_values);
    count_checked(1);
    return status;
}
