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

static wide open_as(pleach_map_config config)
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
    return open_as(config);
}

wide wide_open_versioned(const setting *where)
{
    pleach_map_config config = tree_config_for(where);
    config.versioned = 1;
    return open_as(config);
}

wide wide_open(const setting *where)
{
    return wide_open_limited(where, 0);
}

void assert_valid(const wide *w)
{
    char message[256] = "untouched";
    pleach_status status = pleach_map_validate(w->map, message, sizeof message);
    if (status != PLEACH_OK)
        fail_msg("validate: %s: %s", pleach_status_name(status), message);
    assert_string_equal(message, "");
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

/* A narrow copy for a 32-bit map, the array itself for a 64-bit one. */
static void *narrowed(const wide *w, size_t n, const uint64_t *array)
{
    if (!array || w->key_bits == 64)
        return (void *)(uintptr_t)array;
    uint32_t *copy = must_alloc(n, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = (uint32_t)array[i];
    return copy;
}

static void drop(const wide *w, void *narrow)
{
    if (w->key_bits == 32)
        free(narrow);
}

/* Takes results back and drops the narrow copy. */
static void take_back(const wide *w, size_t n, void *narrow, uint64_t *array)
{
    if (!array || w->key_bits == 64)
        return;
    const uint32_t *copy = narrow;
    for (size_t i = 0; i < n; i++)
        array[i] = copy[i];
    drop(w, narrow);
}

typedef pleach_status update_call(pleach_map *, size_t, const void *, const void *, uint8_t *, void *, pleach_stream);

static pleach_status update(update_call *call, const wide *w, size_t n, const uint64_t *keys, const uint64_t *values,
                            uint8_t *outcomes, uint64_t *olds)
{
    void *k = narrowed(w, n, keys), *v = narrowed(w, n, values);
    void *o = olds == values ? v : narrowed(w, n, olds); /* the same array stays the same array */
    pleach_status status = call(w->map, n, k, v, outcomes, o, PLEACH_SYNC);
    take_back(w, n, o, olds);
    if (olds != values)
        drop(w, v);
    drop(w, k);
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
    void *k = narrowed(w, n, keys), *o = narrowed(w, n, olds);
    pleach_status status = pleach_map_erase(w->map, n, k, outcomes, o, PLEACH_SYNC);
    take_back(w, n, o, olds);
    drop(w, k);
    count_checked(n);
    return status;
}

pleach_status wide_find(const wide *w, size_t n, const uint64_t *keys, uint64_t *values, uint8_t *found)
{
    void *k = narrowed(w, n, keys), *v = narrowed(w, n, values);
    pleach_status status = pleach_map_find(w->map, n, k, v, found, PLEACH_SYNC);
    take_back(w, n, v, values);
    drop(w, k);
    count_checked(n);
    return status;
}

pleach_status wide_contains(const wide *w, size_t n, const uint64_t *keys, uint8_t *found)
{
    void *k = narrowed(w, n, keys);
    pleach_status status = pleach_map_contains(w->map, n, k, found, PLEACH_SYNC);
    drop(w, k);
    count_checked(n);
    return status;
}

typedef pleach_status neighbour_call(pleach_map *, size_t, const void *, void *, void *, uint8_t *, pleach_stream);

static pleach_status neighbour(neighbour_call *call, const wide *w, size_t n, const uint64_t *keys,
                               uint64_t *out_keys, uint64_t *out_values, uint8_t *found)
{
    void *k = narrowed(w, n, keys), *ok = narrowed(w, n, out_keys), *ov = narrowed(w, n, out_values);
    pleach_status status = call(w->map, n, k, ok, ov, found, PLEACH_SYNC);
    take_back(w, n, ok, out_keys);
    take_back(w, n, ov, out_values);
    drop(w, k);
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
    void *l = narrowed(w, n, lo), *h = narrowed(w, n, hi);
    pleach_status status = pleach_map_range_count(w->map, n, l, h, counts, PLEACH_SYNC);
    drop(w, l);
    drop(w, h);
    count_checked(n);
    return status;
}

pleach_status wide_range_limit(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint32_t limit,
                               uint64_t *out_keys, uint64_t *out_values, uint32_t *counts)
{
    void *l = narrowed(w, n, lo), *h = narrowed(w, n, hi);
    void *ok = narrowed(w, n * limit, out_keys), *ov = narrowed(w, n * limit, out_values);
    pleach_status status = pleach_map_range_limit(w->map, n, l, h, limit, ok, ov, counts, PLEACH_SYNC);
    take_back(w, n * limit, ok, out_keys);
    take_back(w, n * limit, ov, out_values);
    drop(w, l);
    drop(w, h);
    count_checked(n);
    return status;
}

pleach_status wide_range(const wide *w, size_t n, const uint64_t *lo, const uint64_t *hi, uint32_t limit,
                         size_t capacity, uint64_t *out_keys, uint64_t *out_values, uint64_t *offsets,
                         size_t *total)
{
    void *l = narrowed(w, n, lo), *h = narrowed(w, n, hi);
    void *ok = narrowed(w, capacity, out_keys), *ov = narrowed(w, capacity, out_values);
    pleach_status status = pleach_map_range(w->map, n, l, h, limit, capacity, ok, ov, offsets, total);
    take_back(w, capacity, ok, out_keys);
    take_back(w, capacity, ov, out_values);
    drop(w, l);
    drop(w, h);
    count_checked(n);
    return status;
}

pleach_status wide_load(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values, double fill)
{
    void *k = narrowed(w, n, keys), *v = narrowed(w, n, values);
    pleach_status status = pleach_map_load(w->map, n, k, v, fill);
    drop(w, k);
    drop(w, v);
    count_checked(n);
    return status;
}

pleach_status wide_export(const wide *w, size_t capacity, uint64_t *out_keys, uint64_t *out_values, size_t *n)
{
    void *ok = narrowed(w, capacity, out_keys), *ov = narrowed(w, capacity, out_values);
    pleach_status status = pleach_map_export(w->map, capacity, ok, ov, n);
    take_back(w, capacity, ok, out_keys);
    take_back(w, capacity, ov, out_values);
    count_checked(1);
    return status;
}
