/* test_map_whole.c - load, export, size, statistics, reserve, compact, clear, validate, and creation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

static double bytes_per_key(const wide *w)
{
    pleach_map_stats stats = stats_of(w->map);
    return (double)stats.node_bytes / (double)stats.keys;
}

/* What must hold between the figures of any map, at any time. */
static void assert_plausible(const wide *w)
{
    pleach_map_stats stats = stats_of(w->map);
    assert_map_size(w->map, stats.keys);
    assert_int_equal(stats.key_bits, w->key_bits);
    assert_true(stats.leaves >= 1);
    assert_true(stats.height >= 1 && stats.height <= 32);
    assert_true(stats.empty_leaves <= stats.leaves);
    assert_true(stats.fill >= 0 && stats.fill <= 1);
    assert_true((stats.keys == 0) == (stats.fill == 0));
    assert_int_equal(stats.node_bytes % (stats.leaves + stats.inner), 0);
    assert_true(stats.reserved_bytes >= stats.node_bytes);
    assert_int_equal(stats.unposted, 0);
}

/* Keys per leaf slot and leaves give the slots of a leaf, which are the same in every map of this width. */
static double slots_per_leaf(const pleach_map_stats *stats)
{
    return (double)stats->keys / stats->fill / (double)stats->leaves;
}

/* ---- load ------------------------------------------------------------------------------------------------------ */

static void load_and_compare(const setting *where, size_t n, const uint64_t *keys, double filling)
{
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *values = values_for(n, keys, w.top, 1);
    uint64_t ignored;
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    for (size_t i = 0; i < n; i++)
        oracle_put(o, keys[i], values[i], &ignored);
    assert_ok(wide_load(&w, n, keys, values, filling));
    assert_same(&w, o);
    assert_plausible(&w);
}

static void load_takes_any_size(const setting *where)
{
    static const size_t sizes[] = {0, 1, 2, 7, 9, 10, 13, 14, 15, 16, 28, 29, 97, 196, 197, 2744, 2745, 10000};
    rng r = rng_for(test_seed(), 1);
    for (size_t s = 0; s < COUNT_OF(sizes) && sizes[s] <= shrunk(10000, 200); s++) {
        uint64_t top = where->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
        FREED uint64_t *keys = pattern_keys(s % 2 ? SORTED : RANDOM, sizes[s], top, &r);
        load_and_compare(where, sizes[s], keys, 0);
        load_and_compare(where, sizes[s], keys, 1);
    }
}

static void load_takes_any_order(const setting *where)
{
    rng r = rng_for(test_seed(), 2);
    for (pattern p = 0; p < PATTERNS; p++) {
        size_t n = shrunk(3000, 400);
        FREED uint64_t *keys = pattern_keys(p, n, where->key_bits == 32 ? UINT32_MAX : UINT64_MAX, &r);
        load_and_compare(where, n, keys, 0.7);
    }
}

static void load_takes_any_fill(const setting *where)
{
    rng r = rng_for(test_seed(), 3);
    size_t n = shrunk(2000, 400);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, where->key_bits == 32 ? UINT32_MAX : UINT64_MAX, &r);
    static const double fills[] = {0.001, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1};
    for (size_t f = 0; f < COUNT_OF(fills); f++)
        load_and_compare(where, n, keys, fills[f]);
}

static void load_fills_leaves_as_asked(const setting *where)
{
    rng r = rng_for(test_seed(), 4);
    static const double fills[] = {0.3, 0.5, 0.7, 0.9, 1};
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, 30000, w.top, &r);
    for (size_t f = 0; f < COUNT_OF(fills); f++) {
        assert_ok(pleach_map_clear(w.map));
        assert_ok(wide_load(&w, 30000, keys, keys, fills[f]));
        double got = stats_of(w.map).fill;
        assert_true(fabs(got - fills[f]) < 0.08); /* a leaf has whole slots, and the last leaf may be less full */
    }
    assert_true(stats_of(w.map).fill > 0.99);
}

/* Of equal keys the last in the array stays, whether the array is in order or not. */
static void load_keeps_the_last_of_equal_keys(const setting *where)
{
    enum { N = 6000, DISTINCT = 700 };
    rng r = rng_for(test_seed(), 5);
    FREED uint64_t *keys = must_alloc(N, sizeof *keys), *values = must_alloc(N, sizeof *values);
    uint64_t ignored;
    for (int sorted = 0; sorted < 2; sorted++) {
        AT_END(wide_close) wide w = wide_open(where);
        for (size_t i = 0; i < N; i++) {
            keys[i] = w.top - (sorted ? DISTINCT - 1 - i * DISTINCT / N : rng_below(&r, DISTINCT));
            values[i] = i;
        }
        AT_END(end_oracle) oracle *o = oracle_create(N, keys);
        for (size_t i = 0; i < N; i++)
            oracle_put(o, keys[i], values[i], &ignored);
        assert_ok(wide_load(&w, N, keys, values, 0.8));
        assert_same(&w, o);
    }
}

static void load_of_one_key_many_times(const setting *where)
{
    enum { N = 5000 };
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = must_alloc(N, sizeof *keys), *values = must_alloc(N, sizeof *values);
    for (size_t i = 0; i < N; i++) {
        keys[i] = w.top;
        values[i] = i;
    }
    AT_END(end_oracle) oracle *o = oracle_create(1, &w.top);
    uint64_t ignored;
    oracle_put(o, w.top, N - 1, &ignored);
    assert_ok(wide_load(&w, N, keys, values, 0));
    assert_same(&w, o);
}

static void load_needs_an_empty_map(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t keys[] = {5, 6}, values[] = {50, 60}, other = 7;
    AT_END(end_oracle) oracle *o = oracle_create(2, keys);
    put_both(&w, o, 2, keys, values);
    assert_int_equal(wide_load(&w, 1, &other, &other, 0), PLEACH_E_NOT_EMPTY);
    assert_same(&w, o);
    assert_ok(pleach_map_clear(w.map));
    assert_ok(wide_load(&w, 2, keys, values, 0));
    assert_same(&w, o);
    erase_both(&w, o, 2, keys);
    assert_ok(wide_load(&w, 2, keys, values, 0)); /* emptied by erasing is empty too */
    oracle_insert_all(o, oracle_put, 2, keys, values, (uint8_t[2]){0}, (uint64_t[2]){0});
    assert_same(&w, o);
}

static void loaded_map_takes_every_update(const setting *where)
{
    const size_t n = shrunk(4000, 400);
    rng r = rng_for(test_seed(), 6);
    static const double fills[] = {0.1, 0.5, 1};
    for (size_t f = 0; f < COUNT_OF(fills); f++) {
        AT_END(wide_close) wide w = wide_open(where);
        FREED uint64_t *keys = pattern_keys(RANDOM, 2 * n, w.top, &r), *values = values_for(2 * n, keys, w.top, 1);
        uint64_t ignored;
        AT_END(end_oracle) oracle *o = oracle_create(2 * n, keys);
        for (size_t i = 0; i < n; i++)
            oracle_put(o, keys[i], values[i], &ignored);
        assert_ok(wide_load(&w, n, keys, values, fills[f]));
        add_both(&w, o, n, keys + n / 2, values);
        put_both(&w, o, 2 * n, keys, values);
        erase_both(&w, o, n, keys + n / 2);
        assert_same(&w, o);
    }
}

static void load_refuses_impossible_fills(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t key = 1;
    const double fills[] = {-0.1, 1.0001, 2, -1e300, INFINITY, NAN};
    for (size_t f = 0; f < COUNT_OF(fills); f++) {
        assert_int_equal(wide_load(&w, 1, &key, &key, fills[f]), PLEACH_E_ARGUMENT);
        assert_int_equal(pleach_map_compact(w.map, fills[f]), PLEACH_E_ARGUMENT);
    }
    assert_map_size(w.map, 0);
}

/* ---- export and size ------------------------------------------------------------------------------------------- */

static void export_tells_the_space_it_needs(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t keys[] = {30, 10, 20}, values[] = {3, 1, 2};
    static const uint64_t in_order[] = {10, 20, 30}, their_values[] = {1, 2, 3};
    uint64_t out_keys[4], out_values[4];
    size_t n = 9;
    assert_ok(wide_put(&w, 3, keys, values, NULL, NULL));
    for (size_t capacity = 0; capacity < 3; capacity++) {
        for (size_t i = 0; i < 4; i++)
            out_keys[i] = out_values[i] = 77;
        n = 9;
        assert_int_equal(wide_export(&w, capacity, out_keys, out_values, &n), PLEACH_E_SPACE);
        assert_int_equal(n, 3);
        assert_int_equal(out_keys[0], 77);
        assert_int_equal(out_values[0], 77);
    }
    assert_ok(wide_export(&w, 4, out_keys, out_values, &n));
    assert_int_equal(n, 3);
    assert_words_equal("keys", 3, out_keys, in_order);
    assert_words_equal("values", 3, out_values, their_values);
    assert_int_equal(out_keys[3], 77);
}

static void export_may_leave_keys_or_values_out(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t keys[] = {2, 1}, values[] = {20, 10};
    uint64_t out[2] = {0};
    size_t n = 9;
    assert_ok(wide_export(&w, 0, NULL, NULL, &n));
    assert_int_equal(n, 0);
    assert_ok(wide_put(&w, 2, keys, values, NULL, NULL));
    assert_ok(wide_export(&w, 2, out, NULL, &n));
    assert_int_equal(out[0] * 10 + out[1], 12);
    assert_ok(wide_export(&w, 2, NULL, out, &n));
    assert_int_equal(out[0] * 10 + out[1], 120);
    assert_ok(wide_export(&w, 2, NULL, NULL, &n));
    assert_int_equal(n, 2);
}

static void size_counts_keys(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    uint64_t keys[500];
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        keys[i] = i % 250;
    assert_map_size(w.map, 0);
    assert_ok(wide_put(&w, 500, keys, keys, NULL, NULL));
    assert_map_size(w.map, 250);
    assert_ok(wide_add(&w, 500, keys, keys, NULL, NULL));
    assert_ok(wide_erase(&w, 100, keys, NULL, NULL));
    assert_ok(wide_erase(&w, 100, keys, NULL, NULL));
    assert_map_size(w.map, 150);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void figures_fit_together(const setting *where)
{
    rng r = rng_for(test_seed(), 7);
    AT_END(wide_close) wide w = wide_open(where);
    unsigned height_before = 0;
    FREED uint64_t *keys = pattern_keys(RANDOM, 40000, w.top, &r);
    assert_plausible(&w);
    for (size_t n = 10; n <= 40000; n *= 4) {
        assert_ok(wide_put(&w, n, keys, keys, NULL, NULL));
        assert_plausible(&w);
        pleach_map_stats stats = stats_of(w.map);
        double slots = slots_per_leaf(&stats);
        assert_true(slots > 1.5);
        assert_true(stats.height >= height_before);
        if (!tests_skiplist()) /* whose levels are a matter of chance */
            assert_true(stats.height >= (unsigned)floor(log((double)n) / log(slots)));
        assert_true(stats.height <= 2 + (unsigned)ceil(log((double)n) / log(slots / 2)));
        height_before = stats.height;
    }
    assert_true(height_before >= 3);
    assert_ok(wide_erase(&w, 40000, keys, NULL, NULL));
    pleach_map_stats stats = stats_of(w.map);
    assert_int_equal(stats.keys, 0);
    assert_int_equal(stats.empty_leaves, stats.leaves);
}

static void bytes_per_key_are_as_promised(const setting *where)
{
    const size_t n = shrunk(100000, 50000);
    rng r = rng_for(test_seed(), 8);
    AT_END(wide_close) wide inserted = wide_open(where);
    AT_END(wide_close) wide loaded = wide_open(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, inserted.top, &r);
    assert_ok(wide_put(&inserted, n, keys, keys, NULL, NULL));
    assert_ok(wide_load(&loaded, n, keys, keys, 1));
    assert_true(bytes_per_key(&inserted) <= (where->key_bits == 32 ? 15 : 30));
    assert_true(bytes_per_key(&loaded) <= (where->key_bits == 32 ? 10 : 20));
    assert_true(bytes_per_key(&loaded) >= where->key_bits / 4); /* a pair cannot be smaller than itself */
}

/* Keys that need more than the smallest portion of memory that a pool holds: two megabytes on a GPU. */
static size_t more_than_one_portion(const setting *where)
{
    return where->device == PLEACH_CUDA ? 300000 : shrunk(300000, 60000);
}

static void compact_gives_memory_back(const setting *where)
{
    const size_t n = more_than_one_portion(where);
    rng r = rng_for(test_seed(), 9);
    pleach_map_config config = config_for(where);
    config.engine = PLEACH_ENGINE_CALLS; /* batches leave no empty leaves */
    AT_END(wide_close) wide w = wide_open_as(config);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r), *values = values_for(n, keys, w.top, 1);
    assert_ok(wide_put(&w, n, keys, values, NULL, NULL));
    assert_ok(wide_erase(&w, n - n / 20, keys, NULL, NULL));
    pleach_map_stats before = stats_of(w.map);
    if (!tests_skiplist()) /* which merges them */
        assert_true(before.empty_leaves > 0);
    assert_ok(pleach_map_compact(w.map, 1));
    pleach_map_stats after = stats_of(w.map);
    assert_int_equal(after.keys, n / 20);
    assert_int_equal(after.empty_leaves, 0);
    assert_true(after.fill > 0.99);
    assert_true(after.node_bytes < before.node_bytes / (tests_skiplist() ? 1 : 8));
    assert_true(after.reserved_bytes < before.reserved_bytes);
    assert_plausible(&w);
    AT_END(end_oracle) oracle *nothing = oracle_create(0, NULL);
    check_find(&w, nothing, n - n / 20, keys);
}

static void compact_changes_no_answer(const setting *where)
{
    rng r = rng_for(test_seed(), 10);
    static const double fills[] = {0, 0.1, 0.3, 0.5, 0.7, 1};
    const size_t n = shrunk(4000, 400);
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = pattern_keys(CLUSTERED, n, w.top, &r), *values = values_for(n, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    assert_ok(pleach_map_compact(w.map, 0));
    assert_same_content(&w, o);
    for (size_t f = 0; f < COUNT_OF(fills); f++) {
        put_both(&w, o, n * 3 / 4, keys, values);
        erase_both(&w, o, n * 5 / 8, keys + n * f / 20);
        assert_ok(pleach_map_compact(w.map, fills[f]));
        assert_same(&w, o);
    }
    erase_both(&w, o, n, keys);
    assert_ok(pleach_map_compact(w.map, 1));
    assert_same(&w, o);
    put_both(&w, o, n, keys, values);
    assert_same(&w, o);
}

static void clear_removes_everything(const setting *where)
{
    const size_t n = more_than_one_portion(where);
    rng r = rng_for(test_seed(), 11);
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r);
    AT_END(end_oracle) oracle *o = oracle_create(1000, keys);
    assert_ok(pleach_map_clear(w.map));
    assert_same_content(&w, o);
    assert_ok(wide_put(&w, n, keys, keys, NULL, NULL));
    pleach_map_stats before = stats_of(w.map);
    assert_ok(pleach_map_clear(w.map));
    assert_same(&w, o);
    assert_plausible(&w);
    assert_true(stats_of(w.map).node_bytes < before.node_bytes / 100);
    assert_true(stats_of(w.map).reserved_bytes < before.reserved_bytes);
    put_both(&w, o, 1000, keys, keys);
    assert_same(&w, o);
}

/* Memory made ready is enough for the keys it was made ready for, in the worst order of insertion. */
static void insert_reserved(const wide *w, size_t n, pattern order)
{
    rng r = rng_for(test_seed(), 12);
    FREED uint64_t *keys = pattern_keys(order, n, w->top, &r);
    uint64_t ready = stats_of(w->map).reserved_bytes;
    assert_true(ready >= n * w->key_bits / 4);
    assert_ok(wide_put(w, n, keys, keys, NULL, NULL));
    assert_int_equal(stats_of(w->map).reserved_bytes, ready);
    assert_plausible(w);
}

static void reserved_memory_is_enough(const setting *where)
{
    const size_t n = shrunk(200000, 20000);
    static const pattern orders[] = {SORTED, REVERSE, RANDOM};
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        AT_END(wide_close) wide later = wide_open(where);
        AT_END(wide_close) wide at_once = wide_open(where);
        pleach_map_config config = config_for(where);
        config.reserve_keys = n;
        assert_ok(pleach_map_reserve(later.map, n));
        assert_ok(pleach_map_reserve(later.map, 10)); /* asking for less takes nothing away */
        insert_reserved(&later, n, orders[i]);
        pleach_map_destroy(at_once.map);
        assert_ok(pleach_map_create(&at_once.map, &config));
        insert_reserved(&at_once, n, orders[i]);
    }
}

/* ---- creation and validation ----------------------------------------------------------------------------------- */

static void all_zeros_is_a_64_bit_cpu_map(const setting *where)
{
    (void)where;
    const pleach_map_config zeros = {0};
    const pleach_map_config *const configs[] = {NULL, &zeros};
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        AT_END(destroy_map) pleach_map *map = NULL;
        pleach_map_view view;
        assert_ok(pleach_map_create(&map, configs[i]));
        pleach_map_stats stats = stats_of(map);
        assert_int_equal(stats.key_bits, 64);
        assert_ok(pleach_map_put_one(map, UINT64_MAX, UINT64_MAX, NULL, NULL));
        assert_int_equal(pleach_map_view_open(map, &view), PLEACH_E_ARGUMENT); /* it is a CPU map */
    }
    pleach_map_destroy(NULL);
}

static void validate_takes_any_message_buffer(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    char one[1] = {'x'}, text[64] = "something";
    assert_ok(pleach_map_put_one(w.map, 1, 1, NULL, NULL));
    assert_ok(pleach_map_validate(w.map, NULL, 0));
    assert_ok(pleach_map_validate(w.map, one, sizeof one));
    assert_int_equal(one[0], 0);
    assert_ok(pleach_map_validate(w.map, text, sizeof text));
    assert_string_equal(text, "");
}

static void library_describes_itself(const setting *where)
{
    char line[256] = "";
    const char *simd = pleach_simd();
    assert_string_equal(pleach_version(), "0.1.0");
    assert_true(!strcmp(simd, "plain") || !strcmp(simd, "avx2") || !strcmp(simd, "avx512"));
    pleach_status status = pleach_gpu_info(0, line, sizeof line);
    assert_true(status == PLEACH_OK || status == PLEACH_E_NO_CUDA || status == PLEACH_E_NO_GPU);
    assert_true(line[0] != 0);
    if (where->device == PLEACH_CUDA)
        assert_ok(status);
    assert_int_equal(pleach_gpu_info(0, NULL, 0), status);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(load_takes_any_size),
        CASE(load_takes_any_order),
        CASE(load_takes_any_fill),
        CASE(load_fills_leaves_as_asked),
        CASE(load_keeps_the_last_of_equal_keys),
        CASE(load_of_one_key_many_times),
        CASE(load_needs_an_empty_map),
        CASE(loaded_map_takes_every_update),
        CASE(load_refuses_impossible_fills),
        CASE(export_tells_the_space_it_needs),
        CASE(export_may_leave_keys_or_values_out),
        CASE(size_counts_keys),
        CASE(figures_fit_together),
        CASE(bytes_per_key_are_as_promised),
        CASE(compact_gives_memory_back),
        CASE(compact_changes_no_answer),
        CASE(clear_removes_everything),
        CASE(reserved_memory_is_enough),
        CASE(all_zeros_is_a_64_bit_cpu_map),
        CASE(validate_takes_any_message_buffer),
        CASE(library_describes_itself),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
