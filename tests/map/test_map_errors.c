/* test_map_errors.c - every error has its status, leaves the map valid, and loses nothing that was reported as
 * done. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/mock/map_calls.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

/* A stream that no CPU map takes. It is never used as one. */
#define SOME_STREAM ((pleach_stream)(uintptr_t)64)

static const size_t too_many[] = {((size_t)1 << 31) + 1, (size_t)1 << 40, SIZE_MAX};

static void assert_status(pleach_status got, pleach_status expected, const char *call)
{
    if (got != expected)
        fail_msg("%s answers %s instead of %s", call, pleach_status_name(got), pleach_status_name(expected));
    count_checked(1);
}

#define assert_answers(expected, call) assert_status((call), (expected), #call)

/* ---- status texts ---------------------------------------------------------------------------------------------- */

static void every_status_has_name_and_text(const setting *where)
{
    (void)where;
#define CHECK_STATUS(name, code, text)                                                                           \
    assert_int_equal(name, code);                                                                                \
    assert_string_equal(pleach_status_name(name), #name);                                                        \
    assert_string_equal(pleach_strerror(name), text);
    PLEACH_STATUS_TABLE(CHECK_STATUS)
#undef CHECK_STATUS
}

static void unknown_statuses_have_texts_too(const setting *where)
{
    (void)where;
    static const int unknown[] = {1, 5, -16, -1000, INT_MAX, INT_MIN};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        const char *name = pleach_status_name((pleach_status)unknown[i]);
        const char *text = pleach_strerror((pleach_status)unknown[i]);
        assert_non_null(name);
        assert_non_null(text);
        assert_true(name[0] && text[0]);
        assert_string_not_equal(text, pleach_strerror(PLEACH_OK));
        assert_string_not_equal(name, pleach_status_name(PLEACH_OK));
    }
    assert_non_null(pleach_cuda_error());
}

static void gpu_info_writes_where_there_is_room(const setting *where)
{
    (void)where;
    char line[200] = "old";
    pleach_status status = pleach_gpu_info(0, NULL, sizeof line);
    assert_answers(status, pleach_gpu_info(0, line, 0));
    assert_string_equal(line, "old");
    assert_answers(status, pleach_gpu_info(0, line, sizeof line));
    assert_string_not_equal(line, "old");
    assert_answers(status, pleach_gpu_info(0, line, 2));
    assert_true(strlen(line) <= 1);
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

static void assert_create_fails(const pleach_map_config *config, pleach_status expected)
{
    pleach_map *map = (pleach_map *)(uintptr_t)64;
    assert_answers(expected, pleach_map_create(&map, config));
    assert_null(map);
}

static void creation_refuses_bad_options(const setting *where)
{
    static const unsigned bad_widths[] = {1, 16, 31, 33, 63, 65, 96, 127, 129, UINT_MAX};
    static const int bad_devices[] = {2, 7, -1};
    static const unsigned bad_threads[] = {1025, UINT_MAX};
    for (size_t i = 0; i < COUNT_OF(bad_widths); i++) {
        pleach_map_config config = config_for(where);
        config.key_bits = bad_widths[i];
        assert_create_fails(&config, PLEACH_E_ARGUMENT);
    }
    for (size_t i = 0; i < COUNT_OF(bad_devices); i++) {
        pleach_map_config config = config_for(where);
        config.device = (pleach_device)bad_devices[i];
        assert_create_fails(&config, PLEACH_E_ARGUMENT);
    }
    for (size_t i = 0; i < COUNT_OF(bad_threads); i++) {
        pleach_map_config config = config_for(where);
        config.threads = bad_threads[i];
        assert_create_fails(&config, PLEACH_E_ARGUMENT);
    }
    pleach_map_config config = config_for(where);
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_create(NULL, &config));
    config.max_bytes = 1;
    assert_create_fails(&config, PLEACH_E_ARGUMENT);
}

static void creation_cannot_reserve_the_impossible(const setting *where)
{
    pleach_map_config config = config_for(where);
    pleach_map *map = (pleach_map *)(uintptr_t)64;
    config.reserve_keys = UINT64_MAX;
    pleach_status status = pleach_map_create(&map, &config);
    assert_true(status == PLEACH_E_MEMORY || status == PLEACH_E_SIZE || status == PLEACH_E_FULL);
    assert_null(map);
}

/* Asking for a GPU map answers what pleach_gpu_info answers. */
static void gpu_map_without_gpu(const setting *where)
{
    pleach_map_config config = config_for(where);
    char line[256] = "";
    pleach_status there = pleach_gpu_info(0, line, sizeof line);
    config.device = PLEACH_CUDA;
    if (there != PLEACH_OK) {
        assert_true(there == PLEACH_E_NO_CUDA || there == PLEACH_E_NO_GPU);
        assert_create_fails(&config, there);
    }
    config.gpu = 1000;
    pleach_map *map = (pleach_map *)(uintptr_t)64;
    pleach_status status = pleach_map_create(&map, &config);
    assert_true(status == PLEACH_E_NO_CUDA || status == PLEACH_E_NO_GPU || status == PLEACH_E_ARGUMENT);
    assert_null(map);
}

/* ---- arguments ------------------------------------------------------------------------------------------------- */

static const uint64_t one = 1;
static uint64_t results[2];

/* Arrays of one element, without what may be left out. */
static const arrays least = {.keys = &one, .values = &one, .result = results};

static void null_arrays_are_refused(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    pleach_map *m = w.map;
    for (int which = 0; which < ARRAY_CALLS; which++) {
        const arrays no_keys = {.values = &one, .result = results}, no_values = {.keys = &one, .result = results};
        const arrays no_result = {.keys = &one, .values = &one};
        assert_answers(PLEACH_E_ARGUMENT, call_array(which, m, 1, &no_keys, PLEACH_SYNC));
        if (has_second_input(which))
            assert_answers(PLEACH_E_ARGUMENT, call_array(which, m, 1, &no_values, PLEACH_SYNC));
        if (needs_result(which))
            assert_answers(PLEACH_E_ARGUMENT, call_array(which, m, 1, &no_result, PLEACH_SYNC));
    }
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_range_limit(m, 1, &one, &one, 0, NULL, NULL, NULL, PLEACH_SYNC));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_load(m, 1, NULL, &one, 0));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_load(m, 1, &one, NULL, 0));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_export(m, 0, NULL, NULL, NULL));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_size(m, NULL));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_get_stats(m, NULL));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_view_open(m, NULL));
}

static void null_maps_are_refused(const setting *where)
{
    (void)where;
    uint64_t word = 0;
    size_t n = 0;
    pleach_map_stats stats;
    pleach_map_view view = {0};
    for (int which = 0; which < ARRAY_CALLS; which++)
        assert_answers(PLEACH_E_ARGUMENT, call_array(which, NULL, 1, &least, PLEACH_SYNC));
    for (int which = 0; which < SINGLE_CALLS; which++)
        assert_answers(PLEACH_E_ARGUMENT, call_one(which, NULL, 1, NULL, NULL, NULL));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_load(NULL, 1, &one, &one, 0));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_export(NULL, 0, NULL, NULL, &n));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_size(NULL, &word));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_get_stats(NULL, &stats));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_reserve(NULL, 1));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_compact(NULL, 0));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_clear(NULL));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_validate(NULL, NULL, 0));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_view_open(NULL, &view));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_view_close(NULL, &view));
}

/* The arrays have one element: whoever looks at them before at n reads too far. */
static void too_many_elements_are_refused(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    for (size_t i = 0; i < COUNT_OF(too_many); i++) {
        for (int which = 0; which < ARRAY_CALLS; which++)
            assert_answers(PLEACH_E_SIZE, call_array(which, w.map, too_many[i], &least, PLEACH_SYNC));
        assert_answers(PLEACH_E_SIZE, pleach_map_load(w.map, too_many[i], &one, &one, 0));
    }
}

static void products_that_overflow_are_refused(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    const uint64_t two[2] = {1, 1};
    static const struct {
        size_t n;
        uint32_t limit;
    } products[] = {{2, 1u << 31}, {1, UINT32_MAX}, {3, 1u << 30}, {65537, 65536}, {(size_t)1 << 31, UINT32_MAX},
                    {(size_t)1 << 31, 2}};
    for (size_t i = 0; i < COUNT_OF(products); i++)
        assert_answers(PLEACH_E_SIZE, pleach_map_range_limit(w.map, products[i].n, two, two, products[i].limit, NULL,
                                                             NULL, NULL, PLEACH_SYNC));
    pleach_status status = pleach_map_reserve(w.map, UINT64_MAX);
    assert_true(status == PLEACH_E_FULL || status == PLEACH_E_MEMORY || status == PLEACH_E_SIZE);
    assert_ok(pleach_map_put_one(w.map, 1, 1, NULL, NULL));
}

/* A 64-bit map has no number too wide; a 32-bit map says so and does nothing. */
static void too_wide_numbers_are_refused(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    pleach_status expected = where->key_bits == 32 ? PLEACH_E_WIDTH : PLEACH_OK;
    const uint64_t two_to_32 = (uint64_t)1 << 32;
    const uint64_t wide_numbers[] = {two_to_32, two_to_32 + 1, (uint64_t)1 << 63, UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(wide_numbers); i++) {
        uint64_t number = wide_numbers[i];
        for (int which = ONE_PUT; which <= ONE_PRED; which++)
            assert_answers(expected, call_one(which, w.map, number, NULL, NULL, NULL));
        assert_answers(expected, pleach_map_put_one(w.map, 1, number, NULL, NULL));
        assert_answers(expected, pleach_map_add_one(w.map, 1, number, NULL, NULL));
    }
    assert_map_size(w.map, where->key_bits == 32 ? 0 : 1);
}

static void cpu_map_takes_no_stream(const setting *where)
{
    if (where->device == PLEACH_CUDA)
        return; /* a GPU map takes streams: test_map_cuda.c */
    AT_END(wide_close) wide w = wide_open(where);
    for (int which = 0; which < PACKED; which++)
        assert_answers(PLEACH_E_STREAM, call_array(which, w.map, 1, &least, SOME_STREAM));
    assert_map_size(w.map, 0);
}

static void cpu_map_has_no_views(const setting *where)
{
    if (where->device == PLEACH_CUDA)
        return; /* a GPU map has: test_map_cuda.c */
    AT_END(wide_close) wide w = wide_open(where);
    pleach_map_view view = {0};
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_view_open(w.map, &view));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_view_close(w.map, &view));
    assert_answers(PLEACH_OK, pleach_map_compact(w.map, 0));
}

/* ---- pool limit ------------------------------------------------------------------------------------------------ */

static void assert_within_limit(const wide *w, uint64_t max_bytes)
{
    pleach_map_stats stats;
    assert_ok(pleach_map_get_stats(w->map, &stats));
    assert_true(stats.node_bytes <= max_bytes);
}

/* Puts everything, in array calls of `portion`; answers how many elements were refused. */
static size_t put_until_full(const wide *w, oracle *o, size_t n, const uint64_t *keys, const uint64_t *values,
                             size_t portion)
{
    FREED uint8_t *outcomes = untouched_bytes(n);
    size_t refused = 0;
    for (size_t at = 0; at < n; at += portion) {
        size_t part = n - at < portion ? n - at : portion;
        pleach_status status = wide_put(w, part, keys + at, values + at, outcomes + at, NULL);
        size_t refused_now = acknowledge(o, oracle_put, part, keys + at, values + at, outcomes + at, NULL);
        assert_int_equal(status, refused_now ? PLEACH_E_FULL : PLEACH_OK);
        refused += refused_now;
    }
    return refused;
}

/* What a full map can still do: replace, answer EXISTS, refuse politely, erase. */
static void use_full_map(const wide *w, oracle *o, size_t n, const uint64_t *keys)
{
    FREED uint8_t *outcomes = untouched_bytes(n);
    FREED uint64_t *values = values_for(n, keys, w->top, 2);
    pleach_status status = wide_add(w, n, keys, values, outcomes, NULL);
    size_t refused = acknowledge(o, oracle_add, n, keys, values, outcomes, NULL);
    assert_int_equal(status, refused ? PLEACH_E_FULL : PLEACH_OK);
    assert_same_content(w, o);
    for (size_t i = 0; i < n; i++) {
        uint64_t ignored;
        if (!oracle_find(o, keys[i], NULL))
            continue;
        assert_ok(wide_put(w, 1, &keys[i], &values[i], outcomes, NULL));
        assert_int_equal(outcomes[0], PLEACH_REPLACED);
        oracle_put(o, keys[i], values[i], &ignored);
    }
    assert_same(w, o);
}

/* A refused single call says so twice, and the key is not there. */
static void refuse_one(const wide *w, const oracle *o, size_t n, const uint64_t *keys)
{
    for (size_t i = 0; i < n; i++) {
        pleach_outcome outcome = PLEACH_ABSENT;
        int found = -1;
        if (oracle_find(o, keys[i], NULL))
            continue;
        pleach_status status = pleach_map_put_one(w->map, keys[i], 1, &outcome, NULL);
        if (status == PLEACH_OK) { /* its leaf had room after all: undo */
            assert_int_equal(outcome, PLEACH_INSERTED);
            assert_ok(pleach_map_erase_one(w->map, keys[i], NULL, NULL));
            continue;
        }
        assert_int_equal(status, PLEACH_E_FULL);
        assert_int_equal(outcome, PLEACH_NOT_APPLIED);
        assert_ok(pleach_map_contains_one(w->map, keys[i], &found));
        assert_int_equal(found, 0);
        return;
    }
    fail_msg("%s", "a full map refused no key");
}

/* Moves everything to a map without limit and puts what had been refused: nothing is lost on the way. */
static void move_to_larger_map(const setting *where, const wide *full, oracle *o, size_t n, const uint64_t *keys,
                               const uint64_t *values)
{
    AT_END(wide_close) wide larger = wide_open(where);
    FREED uint64_t *out_keys = must_alloc(n, sizeof *keys), *out_values = must_alloc(n, sizeof *values);
    size_t exported = 0;
    assert_ok(wide_export(full, n, out_keys, out_values, &exported));
    assert_ok(wide_load(&larger, exported, out_keys, out_values, 0));
    add_both(&larger, o, n, keys, values);
    assert_int_equal(o->size, n);
    assert_same(&larger, o);
}

static void reach_limit(const setting *where, uint64_t nodes, pattern order, size_t portion)
{
    rng r = rng_for(test_seed(), nodes);
    size_t n = more_than_fit(nodes);
    AT_END(wide_close) wide w = wide_open_limited(where, node_memory(where, nodes));
    FREED uint64_t *keys = pattern_keys(order, n, w.top, &r), *values = values_for(n, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    size_t refused = put_until_full(&w, o, n, keys, values, portion);
    assert_true(refused > 0);
    assert_true(o->size >= 2 * nodes); /* the pool was used before it was called full */
    assert_same(&w, o);
    assert_within_limit(&w, node_memory(where, nodes));
    refuse_one(&w, o, n, keys);
    use_full_map(&w, o, n, keys);
    erase_both(&w, o, n / 2, keys);
    assert_same(&w, o);
    move_to_larger_map(where, &w, o, n, keys, values);
}

static void pool_limit_is_reached_in_sorted_order(const setting *where)
{
    static const uint64_t nodes[] = {8, 9, 10, 12, 16, 33, 100, 500};
    for (size_t i = 0; i < COUNT_OF(nodes) && nodes[i] <= shrunk(1000, 40); i++) {
        reach_limit(where, nodes[i], SORTED, SIZE_MAX);
        reach_limit(where, nodes[i], REVERSE, 50);
    }
}

static void pool_limit_is_reached_in_random_order(const setting *where)
{
    static const uint64_t nodes[] = {8, 11, 17, 64, 200, 1000};
    for (size_t i = 0; i < COUNT_OF(nodes) && nodes[i] <= shrunk(1000, 40); i++) {
        reach_limit(where, nodes[i], RANDOM, SIZE_MAX);
        reach_limit(where, nodes[i], CLUSTERED, 37);
    }
}

/* After erasing and compacting there is room again. */
static void compact_makes_room_in_a_full_map(const setting *where)
{
    enum { NODES = 100 };
    const size_t n = more_than_fit(NODES);
    rng r = rng_for(test_seed(), 1);
    AT_END(wide_close) wide w = wide_open_limited(where, node_memory(where, NODES));
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r), *values = values_for(n, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    put_until_full(&w, o, n, keys, values, SIZE_MAX);
    size_t at_limit = o->size;
    erase_both(&w, o, n, keys);
    assert_ok(pleach_map_compact(w.map, 0));
    assert_same_content(&w, o);
    put_until_full(&w, o, n, keys, values, SIZE_MAX);
    assert_true(o->size > at_limit / 2);
    assert_same(&w, o);
}

static void load_beyond_the_limit_leaves_an_empty_map(const setting *where)
{
    enum { NODES = 50 };
    const size_t n = more_than_fit(NODES);
    rng r = rng_for(test_seed(), 2);
    AT_END(wide_close) wide w = wide_open_limited(where, node_memory(where, NODES));
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    assert_answers(PLEACH_E_FULL, wide_load(&w, n, keys, keys, 1));
    assert_same(&w, o);
    assert_ok(wide_load(&w, 100, keys, keys, 1));
    oracle_insert_all(o, oracle_put, 100, keys, keys, (uint8_t[100]){0}, (uint64_t[100]){0});
    assert_same(&w, o);
}

static void reserve_beyond_the_limit_is_refused(const setting *where)
{
    enum { NODES = 50 };
    AT_END(wide_close) wide w = wide_open_limited(where, node_memory(where, NODES));
    assert_answers(PLEACH_E_FULL, pleach_map_reserve(w.map, 100 * NODES));
    assert_answers(PLEACH_OK, pleach_map_reserve(w.map, NODES));
    assert_answers(PLEACH_OK, pleach_map_put_one(w.map, 1, 1, NULL, NULL));
}

/* Nothing but the machine sets a limit here, so it is memory that is missing. 2^34 keys are the most that may be asked
 * for; where the machine has room for so many there is nothing to see. */
static void reserve_beyond_the_machine_has_no_memory(const setting *where)
{
    enum { TIMES = 4 };
    const uint64_t pair_bytes = where->key_bits / 4, most = (uint64_t)1 << 34;
    const uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t keys = where->device == PLEACH_CPU ? machine / pair_bytes : most;
    if (keys > most)
        return;
    pleach_map_config config = config_for(where);
    config.reserve_keys = keys;
    pleach_map *map = NULL;
    assert_answers(PLEACH_E_MEMORY, pleach_map_create(&map, &config));
    assert_null(map);
    wide w = wide_open(where);
    assert_answers(PLEACH_E_MEMORY, pleach_map_reserve(w.map, keys));
    assert_answers(PLEACH_OK, pleach_map_put_one(w.map, 1, 1, NULL, NULL));
    wide_close(&w);
    if (where->device != PLEACH_CPU || machine * TIMES > ((uint64_t)1 << 31) * 128)
        return;
    w = wide_open_limited(where, machine * TIMES); /* a limit that the machine is below */
    assert_answers(PLEACH_E_MEMORY, pleach_map_reserve(w.map, keys));
    assert_answers(PLEACH_E_FULL, pleach_map_reserve(w.map, most));
    wide_close(&w);
}

/* ---- BUSY ------------------------------------------------------------------------------------------------------ */

static void assert_busy(const wide *w)
{
    const uint64_t one = 1;
    size_t n = 0;
    pleach_map_stats stats;
    assert_answers(PLEACH_E_BUSY, pleach_map_export(w->map, 0, NULL, NULL, &n));
    assert_answers(PLEACH_E_BUSY, pleach_map_compact(w->map, 0));
    assert_answers(PLEACH_E_BUSY, pleach_map_clear(w->map));
    assert_answers(PLEACH_E_BUSY, pleach_map_load(w->map, 1, &one, &one, 0));
    assert_answers(PLEACH_E_BUSY, pleach_map_validate(w->map, NULL, 0));
    assert_answers(PLEACH_E_BUSY, pleach_map_get_stats(w->map, &stats));
}

static void open_view_keeps_exclusive_calls_out(const setting *where)
{
    if (where->device == PLEACH_CPU || config_for(where).versioned)
        return; /* a CPU map has no views: cpu_map_has_no_views; those of versioned maps: test_versioned_device.cu */
    AT_END(wide_close) wide w = wide_open(where);
    pleach_map_view first, second;
    assert_ok(pleach_map_view_open(w.map, &first));
    assert_int_equal(first.key_bits, where->key_bits);
    assert_non_null(first.tree);
    assert_busy(&w);
    assert_ok(pleach_map_view_open(w.map, &second));
    assert_ok(pleach_map_view_close(w.map, &first));
    assert_busy(&w);
    assert_ok(pleach_map_put_one(w.map, 1, 10, NULL, NULL));
    assert_ok(pleach_map_reserve(w.map, 1000));
    assert_map_size(w.map, 1);
    assert_ok(pleach_map_view_close(w.map, &second));
    assert_ok(pleach_map_compact(w.map, 0));
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(every_status_has_name_and_text),
        CASE(unknown_statuses_have_texts_too),
        CASE(gpu_info_writes_where_there_is_room),
        CASE(creation_refuses_bad_options),
        CASE(creation_cannot_reserve_the_impossible),
        CASE(gpu_map_without_gpu),
        CASE(null_arrays_are_refused),
        CASE(null_maps_are_refused),
        CASE(too_many_elements_are_refused),
        CASE(products_that_overflow_are_refused),
        CASE(too_wide_numbers_are_refused),
        CASE(cpu_map_takes_no_stream),
        CASE(cpu_map_has_no_views),
        CASE(pool_limit_is_reached_in_sorted_order),
        CASE(pool_limit_is_reached_in_random_order),
        CASE(compact_makes_room_in_a_full_map),
        CASE(load_beyond_the_limit_leaves_an_empty_map),
        CASE(reserve_beyond_the_limit_is_refused),
        CASE(reserve_beyond_the_machine_has_no_memory),
        CASE_OF_TREES(open_view_keeps_exclusive_calls_out),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
