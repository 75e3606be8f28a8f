/* test_map_arguments.c - the api layer by itself: what it refuses never reaches the executor, and what it takes reaches
 * the executor as it was given.
 *
 * The layer is compiled into this program, with a counterfeit behind it for everything that it asks: the executor,
 * which writes down what it is handed and answers what the case wants; the gate's beginning; the number of CPUs; and
 * whether a pointer is a GPU's. So a GPU map's checks run here too, and errors come when they are wanted.
 * scripts/coverage --check counts the branches: all of the public calls are taken.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/mock/map_calls.h"
#include "testkit/mock/mock_host.h"
#include "testkit/units.h"

#define gate_init mock_gate_init
#define sysconf mock_sysconf
#define any_device_pointer mock_device_pointer
#include "map/map_batch.c"
#include "map/map.c"
#include "map/map_choose_engine.c"
#undef gate_init
#undef sysconf
#undef any_device_pointer

#include "testkit/mock/mock_map.h"

static counterfeit behind; /* the map of the case at hand */

static pleach_map *open_map(pleach_device device, unsigned key_bits)
{
    behind = (counterfeit){.answer = PLEACH_OK, .quiesce_answer = PLEACH_OK};
    gpu_pointer = &behind; /* somewhere that no argument is */
    pleach_map *map = base_alloc(1, sizeof *map);
    assert_non_null(map);
    *map = (pleach_map){.ops = &mock_ops, .exec = &behind, .device = device, .key_bits = key_bits,
                          .slots = NODE_SLOTS};
    assert_true(gate_init(&map->gate));
    return map;
}

/* An argument that is taken if `good`, else refused. */
#define assert_good_if(good, call) assert_calls(good, (good) ? PLEACH_OK : PLEACH_E_ARGUMENT, call)

static const unsigned widths[] = {32, 64, 128};

typedef struct map_case {
    void (*run)(pleach_map *map);
} map_case;

#define EVERY_MAP(function) UNIT_WITH(#function, with_every_map, &(const map_case){function})

/* Runs the case with a map of each kind; a case that opens none does without this. */
static void with_every_map(const void *argument)
{
    const map_case *what = argument;
    for (size_t i = 0; i < COUNT_OF(widths); i++)
        for (int device = PLEACH_CPU; device <= PLEACH_CUDA; device++) {
            AT_END(destroy_map) pleach_map *map = open_map((pleach_device)device, widths[i]);
            what->run(map);
        }
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

static void assert_creation(pleach_status expected, const pleach_map_config *config)
{
    AT_END(destroy_map) pleach_map *map = (pleach_map *)(uintptr_t)64;
    assert_answers(expected, pleach_map_create(&map, config));
    assert_int_equal(map != NULL, expected == PLEACH_OK);
}

static void creation_takes_options_up_to_their_limits(void)
{
    cpus_online = 2;
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        const uint64_t least = LEAST_NODES * node_bytes_of(widths[i]);
        assert_creation(PLEACH_OK, &(pleach_map_config){.key_bits = widths[i]});
        assert_creation(PLEACH_OK, &(pleach_map_config){.key_bits = widths[i], .threads = 1024});
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = widths[i], .threads = 1025});
        assert_creation(PLEACH_OK, &(pleach_map_config){.key_bits = widths[i], .engine = PLEACH_ENGINE_BATCHES});
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = widths[i], .engine = (pleach_engine)3});
        assert_creation(PLEACH_OK, &(pleach_map_config){.key_bits = widths[i], .max_bytes = least});
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = widths[i], .max_bytes = least - 1});
        assert_creation(PLEACH_OK, &(pleach_map_config){.key_bits = widths[i], .max_bytes = UINT64_MAX});
        assert_creation(PLEACH_E_FULL, &(pleach_map_config){.key_bits = widths[i], .reserve_keys = MOST_KEYS + 1});
    }
    assert_creation(PLEACH_OK, NULL);
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = 33});
    for (int device = -1; device <= 2; device += 3)
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.device = (pleach_device)device});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.device = PLEACH_CUDA, .key_bits = 128});
    assert_creation(PLEACH_E_NO_CUDA, &(pleach_map_config){.device = PLEACH_CUDA}); /* this program has no CUDA */
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_create(NULL, NULL));
    pleach_map_destroy(NULL);
}

/* A skiplist with all else as it is here. */
static void assert_skiplist(pleach_status expected, pleach_map_config config)
{
    config.structure = PLEACH_SKIPLIST;
    assert_creation(expected, &config);
}

static void creation_takes_options_of_skiplists(void)
{
    static const unsigned bad_chunks[] = {1, 8, 15, 17, 31, 33, 64, UINT_MAX};
    static const unsigned bad_teams[] = {3, 12, 31, 33, 64, UINT_MAX};
    const double bad_raises[] = {-1e-300, -1, 1.0000001, INFINITY, -INFINITY, NAN};
    cpus_online = 2;
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.structure = (pleach_structure)2});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.structure = (pleach_structure)-1});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.chunk = 16}); /* a tree has none of these */
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.team = 1});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_map_config){.raise = 1});
    for (unsigned bits = 32; bits <= 64; bits *= 2) {
        for (unsigned chunk = 16; chunk <= 32; chunk *= 2) {
            const uint64_t least = (uint64_t)(LEAST_NODES + SKIPLIST_LEVELS) * chunk * bits / 4;
            assert_skiplist(PLEACH_OK, (pleach_map_config){.key_bits = bits, .chunk = chunk});
            assert_skiplist(PLEACH_OK, (pleach_map_config){.key_bits = bits, .chunk = chunk, .max_bytes = least});
            assert_skiplist(PLEACH_E_ARGUMENT,
                            (pleach_map_config){.key_bits = bits, .chunk = chunk, .max_bytes = least - 1});
        }
        for (unsigned team = 1; team <= 32; team *= 2)
            assert_skiplist(PLEACH_OK, (pleach_map_config){.key_bits = bits, .team = team});
        assert_skiplist(PLEACH_OK, (pleach_map_config){.key_bits = bits, .raise = 1});
        assert_skiplist(PLEACH_OK, (pleach_map_config){.key_bits = bits, .raise = 1e-300});
        assert_skiplist(PLEACH_OK, (pleach_map_config){.key_bits = bits, .engine = PLEACH_ENGINE_CALLS});
    }
    for (size_t i = 0; i < COUNT_OF(bad_chunks); i++)
        assert_skiplist(PLEACH_E_ARGUMENT, (pleach_map_config){.chunk = bad_chunks[i]});
    for (size_t i = 0; i < COUNT_OF(bad_teams); i++)
        assert_skiplist(PLEACH_E_ARGUMENT, (pleach_map_config){.team = bad_teams[i]});
    for (size_t i = 0; i < COUNT_OF(bad_raises); i++)
        assert_skiplist(PLEACH_E_ARGUMENT, (pleach_map_config){.raise = bad_raises[i]});
    assert_skiplist(PLEACH_E_ARGUMENT, (pleach_map_config){.key_bits = 128});
    assert_skiplist(PLEACH_E_ARGUMENT, (pleach_map_config){.versioned = 1});
    assert_skiplist(PLEACH_E_ARGUMENT, (pleach_map_config){.engine = PLEACH_ENGINE_BATCHES});
    assert_skiplist(PLEACH_E_FULL, (pleach_map_config){.reserve_keys = MOST_KEYS + 1});
    assert_skiplist(PLEACH_E_NO_CUDA, (pleach_map_config){.device = PLEACH_CUDA}); /* this program has no CUDA */
}

/* Neither by a call of their own nor in the place of array updates. */
static void skiplists_have_no_batches(void)
{
    const pleach_map_config config = {.structure = PLEACH_SKIPLIST, .threads = 1};
    uint64_t keys[2] = {1, 2}, values[2] = {3, 4};
    uint8_t kinds[2] = {PLEACH_OP_PUT, PLEACH_OP_PUT}, outcomes[2];
    pleach_batch batch = {.n = 2, .kinds = kinds, .keys = keys, .values = values};
    AT_END(destroy_map) pleach_map *map = NULL;
    pleach_snapshot *snapshot = (pleach_snapshot *)&config;
    assert_answers(PLEACH_OK, pleach_map_create(&map, &config));
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_apply(map, &batch));
    batch.n = 0;
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_apply(map, &batch));
    assert_answers(PLEACH_E_ARGUMENT, pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
    assert_null(snapshot);
    assert_answers(PLEACH_OK, pleach_map_put(map, 2, keys, values, outcomes, NULL, PLEACH_SYNC));
    assert_true(outcomes[0] == PLEACH_INSERTED && outcomes[1] == PLEACH_INSERTED);
}

/* threads = 0 is one per CPU, within what a map can have. */
static void default_threads_are_the_machines(void)
{
    static const struct { long online; unsigned threads; } machines[] = {{-1, 1}, {0, 1}, {1, 1}, {7, 7}, {1024, 1024}, {1025, 1024}, {LONG_MAX, 1024}};
    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        pleach_map_config config = {0};
        cpus_online = machines[i].online;
        assert_answers(PLEACH_OK, complete_config(&config));
        assert_int_equal(config.threads, machines[i].threads);
        assert_int_equal(config.key_bits, 64);
        config.threads = 3;
        assert_answers(PLEACH_OK, complete_config(&config));
        assert_int_equal(config.threads, 3);
    }
}

static void creation_fails_without_memory_or_gate(void)
{
    pleach_map_config config = {.threads = 1};
    for (long n = 1; n <= 2; n++) { /* the map itself, and the executor's first allocation */
        base_fail_nth_allocation(n);
        assert_creation(PLEACH_E_MEMORY, &config);
        base_fail_nth_allocation(0);
    }
    gate_cannot_begin = true;
    assert_creation(PLEACH_E_MEMORY, &config);
    gate_cannot_begin = false;
    assert_creation(PLEACH_OK, &config);
}

/* ---- array calls ----------------------------------------------------------------------------------------------- */

static uint64_t word_in[2] = {1, 2}, word_in2[2] = {3, 4}, word_out[2], word_out2[2], result[2];
static const arrays complete = {word_in, word_in2, word_out, word_out2, result};

static void arrays_that_are_needed_are_asked_for(pleach_map *map)
{
    for (int which = 0; which < ARRAY_CALLS; which++) {
        arrays a = complete;
        a.keys = NULL;
        assert_refused(PLEACH_E_ARGUMENT, call_array(which, map, 1, &a, PLEACH_SYNC));
        a.values = NULL;
        assert_refused(PLEACH_E_ARGUMENT, call_array(which, map, 1, &a, PLEACH_SYNC));
        a.keys = word_in;
        assert_good_if(!has_second_input(which), call_array(which, map, 1, &a, PLEACH_SYNC));
        a = complete;
        a.result = NULL;
        assert_good_if(!needs_result(which), call_array(which, map, 1, &a, PLEACH_SYNC));
        assert_refused(PLEACH_E_ARGUMENT, call_array(which, NULL, 1, &complete, PLEACH_SYNC));
        assert_refused(PLEACH_E_ARGUMENT, call_array(which, NULL, 1, &a, PLEACH_SYNC));
        assert_refused(PLEACH_E_ARGUMENT, call_array(which, NULL, 0, &a, PLEACH_SYNC));
    }
}

/* n = 0 touches nothing: no pointer is looked at. But for range, whose offsets[0] is written if it has one. */
static void no_elements_are_no_work(pleach_map *map)
{
    const arrays nothing = {0};
    for (int which = 0; which < PACKED; which++) {
        assert_refused(PLEACH_OK, call_array(which, map, 0, &nothing, PLEACH_SYNC));
        gpu_pointer = word_in;
        assert_refused(PLEACH_OK, call_array(which, map, 0, &complete, PLEACH_SYNC));
        gpu_pointer = NULL;
    }
    assert_refused(PLEACH_OK, call_array(PACKED, map, 0, &nothing, PLEACH_SYNC));
    size_t total = 7;
    assert_refused(PLEACH_OK, pleach_map_range(map, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, &total));
    assert_int_equal(total, 0);
    assert_taken(PLEACH_OK, call_array(PACKED, map, 0, &complete, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_map_load(map, 0, NULL, NULL, 0));
}

static void sizes_are_taken_up_to_the_limit(pleach_map *map)
{
    const size_t most = (size_t)1 << 31;
    for (int which = 0; which < ARRAY_CALLS; which++) {
        assert_taken(PLEACH_OK, call_array(which, map, most, &complete, PLEACH_SYNC)); /* nobody reads them here */
        assert_int_equal(behind.request.n, most);
        assert_refused(PLEACH_E_SIZE, call_array(which, map, most + 1, &complete, PLEACH_SYNC));
        assert_refused(PLEACH_E_SIZE, call_array(which, map, SIZE_MAX, &complete, PLEACH_SYNC));
    }
    assert_taken(PLEACH_OK, pleach_map_load(map, most, word_in, word_in, 1));
    assert_refused(PLEACH_E_SIZE, pleach_map_load(map, most + 1, word_in, word_in, 1));
}

/* The product counts, and is never computed where it would overflow. */
static void products_are_taken_up_to_the_limit(pleach_map *map)
{
    static const struct {
        size_t n;
        uint32_t limit;
        pleach_status expected;
    } products[] = {
        {1, 1u << 31, PLEACH_OK}, {1, (1u << 31) + 1, PLEACH_E_SIZE},
        {2, 1u << 30, PLEACH_OK}, {3, 1u << 30, PLEACH_E_SIZE},
        {65536, 32768, PLEACH_OK}, {65537, 32768, PLEACH_E_SIZE},
        {SIZE_MAX, 1, PLEACH_E_SIZE}, {(size_t)1 << 33, UINT32_MAX, PLEACH_E_SIZE},
        {SIZE_MAX / 2 + 1, 2, PLEACH_E_SIZE}, /* times two is 0 in a size_t */
        {1, 0, PLEACH_E_ARGUMENT}, {0, 0, PLEACH_E_ARGUMENT},
    };
    for (size_t i = 0; i < COUNT_OF(products); i++) {
        assert_calls(products[i].expected == PLEACH_OK, products[i].expected,
                     pleach_map_range_limit(map, products[i].n, word_in, word_in2, products[i].limit, NULL, NULL, NULL,
                                            PLEACH_SYNC));
        if (products[i].expected == PLEACH_OK)
            assert_int_equal(behind.request.limit, products[i].limit);
    }
}

/* A CPU map takes no stream, whatever n is; a GPU map's executor gets it. */
static void streams_are_for_gpu_maps(pleach_map *map)
{
    for (int which = 0; which < PACKED; which++) {
        if (map->device == PLEACH_CPU) {
            assert_refused(PLEACH_E_STREAM, call_array(which, map, 1, &complete, SOME_STREAM));
            assert_refused(PLEACH_E_STREAM, call_array(which, map, 0, &complete, SOME_STREAM));
        } else {
            assert_taken(PLEACH_OK, call_array(which, map, 1, &complete, SOME_STREAM));
            assert_ptr_equal(behind.stream, SOME_STREAM);
        }
    }
}

/* GPU memory given to a CPU map, at each argument in turn. */
static void assert_pointer_is_judged(pleach_map *map, int which, const void *pointer)
{
    gpu_pointer = pointer;
    bool taken = map->device == PLEACH_CUDA;
    assert_calls(taken, taken ? PLEACH_OK : PLEACH_E_POINTER, call_array(which, map, 1, &complete, PLEACH_SYNC));
    gpu_pointer = NULL;
}

static void gpu_memory_is_not_for_cpu_maps(pleach_map *map)
{
    size_t n;
    pleach_status expected = map->device == PLEACH_CPU ? PLEACH_E_POINTER : PLEACH_OK;
    for (int which = 0; which < ARRAY_CALLS; which++) {
        assert_pointer_is_judged(map, which, word_in);
        assert_pointer_is_judged(map, which, result);
        if (has_second_input(which))
            assert_pointer_is_judged(map, which, word_in2);
        if (has_out_keys(which))
            assert_pointer_is_judged(map, which, word_out);
        if (has_out_values(which))
            assert_pointer_is_judged(map, which, word_out2);
    }
    gpu_pointer = word_out;
    assert_answers(expected, pleach_map_export(map, 1, word_out, NULL, &n));
    assert_answers(expected, pleach_map_export(map, 1, NULL, word_out, &n));
    assert_answers(PLEACH_OK, pleach_map_export(map, 0, NULL, NULL, &n));
    assert_answers(expected, pleach_map_load(map, 1, word_out, word_in, 0));
    assert_answers(expected, pleach_map_load(map, 1, word_in, word_out, 0));
}

/* What the executor gets is what the caller gave, in the right places. */
static void executors_get_what_was_given(pleach_map *map)
{
    static const op_kind kinds[ARRAY_CALLS] = {OP_PUT,  OP_ADD,   OP_ERASE, OP_FIND,
                                                    OP_FIND, OP_SUCC,  OP_PRED,  OP_COUNT,
                                                    OP_RANGE, OP_RANGE};
    for (int which = 0; which < ARRAY_CALLS; which++) {
        const request *r = &behind.request;
        assert_taken(PLEACH_OK, call_array(which, map, 2, &complete, PLEACH_SYNC));
        assert_int_equal(r->kind, kinds[which]);
        assert_int_equal(r->n, 2);
        assert_ptr_equal(r->keys, word_in);
        assert_ptr_equal(r->values, has_second_input(which) ? word_in2 : NULL);
        assert_ptr_equal(r->out_keys, has_out_keys(which) ? word_out : NULL);
        assert_ptr_equal(r->out_values, has_out_values(which) ? word_out2 : NULL);
        assert_ptr_equal(r->flags, which < COUNT ? (void *)result : NULL);
        assert_ptr_equal(r->counts, which == LIMIT ? (void *)result : NULL);
        assert_ptr_equal(r->long_counts, which == COUNT ? (void *)result : NULL);
        behind.answer = PLEACH_E_CUDA;
        assert_taken(PLEACH_E_CUDA, call_array(which, map, 2, &complete, PLEACH_SYNC));
        behind.answer = PLEACH_OK;
    }
    size_t total = 0;
    assert_taken(PLEACH_OK, pleach_map_range(map, 1, word_in, word_in2, 3, 9, NULL, NULL, result, &total));
    assert_int_equal(total, 9);
    assert_int_equal(behind.request.limit, 3);
}

/* ---- single calls ---------------------------------------------------------------------------------------------- */

static void numbers_fit_the_width(pleach_map *map)
{
    const uint64_t too_wide = (uint64_t)UINT32_MAX + 1;
    for (int which = 0; which < SINGLE_CALLS; which++) {
        assert_refused(PLEACH_E_ARGUMENT, call_one(which, NULL, 1, NULL, NULL, NULL));
        assert_taken(PLEACH_OK, call_one(which, map, UINT32_MAX, NULL, NULL, NULL));
        bool fits = map->key_bits > 32 || which >= ONE_MIN;
        assert_calls(fits, fits ? PLEACH_OK : PLEACH_E_WIDTH, call_one(which, map, too_wide, NULL, NULL, NULL));
    }
    if (map->key_bits == 32) {
        assert_refused(PLEACH_E_WIDTH, pleach_map_put_one(map, 1, too_wide, NULL, NULL));
        assert_refused(PLEACH_E_WIDTH, pleach_map_add_one(map, too_wide, too_wide, NULL, NULL));
    }
}

/* The results that are asked for are written, and only if there is something to write. */
static void single_queries_write_what_they_found(pleach_map *map)
{
    for (uint8_t flag = 0; flag <= 1; flag++) {
        behind.flag = flag;
        for (int which = ONE_FIND; which < SINGLE_CALLS; which++) {
            bool gives_key = which >= ONE_SUCC, gives_value = which != ONE_CONTAINS;
            int found = -1;
            uint64_t key = 77, value = 77;
            assert_answers(PLEACH_OK, call_one(which, map, 1, &found, &key, &value));
            assert_int_equal(found, flag);
            assert_int_equal(key, flag && gives_key ? 5 : 77);
            assert_int_equal(value, flag && gives_value ? 6 : 77);
            assert_answers(PLEACH_OK, call_one(which, map, 1, NULL, NULL, NULL));
        }
    }
    behind.answer = PLEACH_E_CUDA; /* then nothing is known, and nothing written */
    for (int which = ONE_FIND; which < SINGLE_CALLS; which++) {
        int found = -1;
        uint64_t key = 77, value = 77;
        assert_answers(PLEACH_E_CUDA, call_one(which, map, 1, &found, &key, &value));
        assert_int_equal(found, -1);
        assert_int_equal(key + value, 154);
    }
}

static void single_updates_report_outcome_and_old_value(pleach_map *map)
{
    for (uint8_t flag = PLEACH_NOT_APPLIED; flag <= PLEACH_ABSENT; flag++) {
        bool has_old = flag == PLEACH_REPLACED || flag == PLEACH_EXISTS || flag == PLEACH_ERASED;
        pleach_outcome outcome = (pleach_outcome)77;
        uint64_t old = 77;
        behind.flag = flag;
        behind.answer = flag == PLEACH_NOT_APPLIED ? PLEACH_E_FULL : PLEACH_OK;
        assert_answers(behind.answer, pleach_map_put_one(map, 1, 1, &outcome, &old));
        assert_int_equal(outcome, flag);
        assert_int_equal(old, has_old ? 6 : 77);
        assert_answers(behind.answer, pleach_map_add_one(map, 1, 1, &outcome, NULL));
        assert_answers(behind.answer, pleach_map_erase_one(map, 1, NULL, &old));
    }
    pleach_outcome outcome = PLEACH_INSERTED;
    assert_answers(PLEACH_E_ARGUMENT, pleach_map_put_one(NULL, 1, 1, &outcome, NULL));
    assert_int_equal(outcome, PLEACH_NOT_APPLIED);
}

/* ---- whole-map calls ------------------------------------------------------------------------------------------- */

enum { LOAD, REPLACE, EXPORT, STATS, COMPACT, CLEAR, VALIDATE, EXCLUSIVE_CALLS };

static pleach_status call_alone(int which, pleach_map *map)
{
    size_t n;
    pleach_map_stats stats;
    switch (which) {
    case LOAD: return pleach_map_load(map, 1, word_in, word_in, 0);
    case REPLACE: return map ? map_replace(map, 1, word_in, word_in, 1) : PLEACH_E_ARGUMENT; /* not a public one */
    case EXPORT: return pleach_map_export(map, 0, NULL, NULL, &n);
    case STATS: return pleach_map_get_stats(map, &stats);
    case COMPACT: return pleach_map_compact(map, 0);
    case CLEAR: return pleach_map_clear(map);
    default: return pleach_map_validate(map, NULL, 0);
    }
}

/* An exclusive call that fails leaves the gate open: the next call would not return otherwise. */
static void exclusive_calls_wait_and_are_refused_while_a_view_is_open(pleach_map *map)
{
    pleach_map_view view, second;
    for (int which = 0; which < EXCLUSIVE_CALLS; which++) {
        assert_refused(PLEACH_E_ARGUMENT, call_alone(which, NULL));
        assert_taken(PLEACH_OK, call_alone(which, map));
        behind.answer = PLEACH_E_MEMORY;
        assert_taken(PLEACH_E_MEMORY, call_alone(which, map));
        behind.answer = PLEACH_OK;
        behind.quiesce_answer = PLEACH_E_CUDA;
        assert_refused(PLEACH_E_CUDA, call_alone(which, map));
        behind.quiesce_answer = PLEACH_OK;
        assert_taken(PLEACH_OK, pleach_map_view_open(map, &view));
        assert_taken(PLEACH_OK, pleach_map_view_open(map, &second));
        assert_refused(PLEACH_E_BUSY, call_alone(which, map));
        assert_refused(PLEACH_OK, pleach_map_view_close(map, &second));
        assert_refused(PLEACH_E_BUSY, call_alone(which, map));
        assert_taken(PLEACH_OK, pleach_map_put_one(map, 1, 1, NULL, NULL)); /* shared calls go on */
        assert_refused(PLEACH_OK, pleach_map_view_close(map, &view));
        assert_taken(PLEACH_OK, call_alone(which, map));
        assert_taken(PLEACH_OK, pleach_map_put_one(map, 1, 1, NULL, NULL));
    }
}

static void fills_are_above_zero_and_up_to_one(pleach_map *map)
{
    static const double good[] = {1e-300, 0.5, 1}, bad[] = {-1e-300, -1, 1.0000001, 2, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        assert_taken(PLEACH_OK, pleach_map_load(map, 1, word_in, word_in, good[i]));
        assert_true(behind.fill == good[i]);
        assert_taken(PLEACH_OK, pleach_map_compact(map, good[i]));
        assert_true(behind.fill == good[i]);
    }
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_refused(PLEACH_E_ARGUMENT, pleach_map_load(map, 1, word_in, word_in, bad[i]));
        assert_refused(PLEACH_E_ARGUMENT, pleach_map_load(map, 0, NULL, NULL, bad[i]));
        assert_refused(PLEACH_E_ARGUMENT, pleach_map_compact(map, bad[i]));
    }
    behind.fill = 0;
    assert_taken(PLEACH_OK, pleach_map_load(map, 1, word_in, word_in, 0));
    assert_true(behind.fill == 0.7);
    assert_taken(PLEACH_OK, pleach_map_compact(map, -0.0));
    assert_true(behind.fill == 0.7);
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_load(map, 1, NULL, word_in, 1));
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_load(map, 1, word_in, NULL, 1));
}

static void whole_map_calls_need_a_map_and_a_place_for_the_answer(pleach_map *map)
{
    uint64_t size = 0;
    size_t n = 0;
    pleach_map_stats stats;
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_size(map, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_size(NULL, &size));
    assert_taken(PLEACH_OK, pleach_map_size(map, &size));
    assert_int_equal(size, 7);
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_export(map, 0, NULL, NULL, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_export(NULL, 0, NULL, NULL, &n));
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_get_stats(map, NULL));
    bool takes_more = map->device == PLEACH_CPU;
    assert_calls(takes_more, takes_more ? PLEACH_OK : PLEACH_E_SIZE,
                 map_replace(map, (size_t)MAP_MOST_ELEMENTS + 1, word_in, word_in, 1));
    assert_taken(PLEACH_OK, pleach_map_get_stats(map, &stats)); /* no leaves: no division */
    assert_true(stats.fill == 0);
    behind.leaves = 1;
    assert_taken(PLEACH_OK, pleach_map_get_stats(map, &stats));
    assert_true(stats.fill == 0.5);
    assert_int_equal(stats.key_bits, map->key_bits);
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_reserve(NULL, 1));
    assert_taken(PLEACH_OK, pleach_map_reserve(map, MOST_KEYS));
    assert_refused(PLEACH_E_FULL, pleach_map_reserve(map, MOST_KEYS + 1));
    assert_refused(PLEACH_E_FULL, pleach_map_reserve(map, UINT64_MAX));
}

/* The message is empty unless validate says otherwise, and is not touched where there is no room for it. */
static void validate_writes_its_message(pleach_map *map)
{
    char message[4] = "old";
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_validate(NULL, message, 0));
    assert_string_equal(message, "old");
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_validate(NULL, NULL, 4));
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_validate(NULL, message, sizeof message));
    assert_string_equal(message, "");
    behind.answer = PLEACH_E_CORRUPT;
    assert_taken(PLEACH_E_CORRUPT, pleach_map_validate(map, message, sizeof message));
    assert_int_equal(message[0], 'I');
}

/* ---- views, and what is not of one map ------------------------------------------------------------------------- */

enum { TREE, VERSIONED_TREE, SKIPLIST, KINDS };

static void become(pleach_map *map, int kind)
{
    map->versioned = kind == VERSIONED_TREE;
    map->structure = kind == SKIPLIST ? PLEACH_SKIPLIST : PLEACH_BLINK;
    map->slots = kind == SKIPLIST ? 32 : NODE_SLOTS;
}

/* A map has views of its own kind only. */
#define DEFINE_VIEW_CASE(name, kind, view_type, open, close, shows)                                              \
    static void name(pleach_map *map)                                                                            \
    {                                                                                                            \
        view_type wrong = {0};                                                                                   \
        for (int other = 0; other < KINDS; other++) {                                                            \
            become(map, other);                                                                                  \
            if (other != (kind)) assert_refused(PLEACH_E_ARGUMENT, open(map, &wrong));                           \
        }                                                                                                        \
        become(map, kind);                                                                                       \
        CHECK_VIEWS(map, view_type, open, close, pleach_map_clear, tree, shows);                                 \
    }

DEFINE_VIEW_CASE(views_are_opened_and_closed_once, TREE, pleach_map_view, pleach_map_view_open, pleach_map_view_close,
                 view.key_bits == map->key_bits)
DEFINE_VIEW_CASE(versioned_views_are_opened_and_closed_once, VERSIONED_TREE, pleach_versioned_view,
                 pleach_versioned_view_open, pleach_versioned_view_close, view.key_bits == map->key_bits)
DEFINE_VIEW_CASE(skiplist_views_are_opened_and_closed_once, SKIPLIST, pleach_skiplist_view, pleach_skiplist_view_open,
                 pleach_skiplist_view_close, view.key_bits == map->key_bits && view.chunk == 32)

static void a_map_without_versions_has_no_snapshots(pleach_map *map)
{
    pleach_snapshot *snapshot = (pleach_snapshot *)&word_in;
    assert_refused(PLEACH_E_ARGUMENT, pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
    assert_null(snapshot);
}

/* A stream is a GPU map's; a snapshot that cannot be taken leaves no handle. */
static void snapshots_are_taken_on_streams(pleach_map *map)
{
    pleach_snapshot *snapshot = (pleach_snapshot *)&word_in;
    pleach_stream stream = &word_in;
    map->versioned = true;
    if (map->device == PLEACH_CPU) {
        assert_refused(PLEACH_E_STREAM, pleach_snapshot_take(map, &snapshot, stream));
        assert_null(snapshot);
        stream = PLEACH_SYNC;
    }
    behind.answer = PLEACH_E_MEMORY;
    assert_taken(PLEACH_E_MEMORY, pleach_snapshot_take(map, &snapshot, stream));
    assert_null(snapshot);
    behind.answer = PLEACH_OK;
    assert_taken(PLEACH_OK, pleach_snapshot_take(map, &snapshot, stream));
    assert_non_null(snapshot);
    assert_ptr_equal(behind.stream, stream);
    assert_refused(PLEACH_E_ARGUMENT, pleach_snapshot_range_limit(snapshot, 1, word_in, word_in, 0, NULL, NULL, NULL,
                                                                  stream));
    assert_refused(PLEACH_E_SIZE, pleach_snapshot_range_limit(snapshot, ((size_t)1 << 31) / 3 + 1, word_in, word_in, 3,
                                                              NULL, NULL, NULL, stream));
    pleach_snapshot_release(snapshot);
}

static void batches_are_checked(pleach_map *map)
{
    uint64_t words[10];
    uint8_t kinds[1], flags[1];
    pleach_batch_times times = {.sort = 1};
    const pleach_batch whole = {.n = 1, .kinds = kinds, .keys = words, .values = words + 1, .flags = flags,
                                .out_keys = words + 2, .out_values = words + 3, .counts = words + 4,
                                .range_keys = words + 5, .range_values = words + 6, .offsets = words + 7,
                                .times = &times, .total = 9};
    pleach_batch batch = whole;
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_apply(NULL, &batch));
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_apply(map, NULL));
    assert_taken(PLEACH_OK, pleach_map_apply(map, &batch));
    assert_int_equal(batch.total, 3);
    assert_true(times.sort == 0);
    batch.times = NULL;
    assert_taken(PLEACH_OK, pleach_map_apply(map, &batch));
    batch.n = 0;
    assert_refused(PLEACH_OK, pleach_map_apply(map, &batch));
    assert_int_equal(batch.total, 0);
    batch.n = MAP_MOST_OPERATIONS + 1;
    assert_refused(PLEACH_E_SIZE, pleach_map_apply(map, &batch));
    batch.n = MAP_MOST_OPERATIONS;
    assert_taken(PLEACH_OK, pleach_map_apply(map, &batch));
    batch = whole;
    batch.kinds = NULL;
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_apply(map, &batch));
    batch = whole;
    batch.keys = NULL;
    assert_refused(PLEACH_E_ARGUMENT, pleach_map_apply(map, &batch));
    batch = (pleach_batch){.n = 1, .kinds = kinds, .keys = words};
    assert_taken(PLEACH_OK, pleach_map_apply(map, &batch));
    for (size_t i = 1; i < 8; i++) {
        gpu_pointer = words + i;
        batch = whole;
        bool taken = map->device == PLEACH_CUDA;
        assert_calls(taken, taken ? PLEACH_OK : PLEACH_E_POINTER, pleach_map_apply(map, &batch));
    }
    gpu_pointer = &behind;
    behind.quiesce_answer = PLEACH_E_CUDA;
    batch = whole;
    assert_refused(PLEACH_E_CUDA, pleach_map_apply(map, &batch));
}

/* One put; answers the calls that came to the executor as such, and as a batch. */
static void put_once(pleach_map *map, pleach_status expected, size_t n, size_t calls, size_t updates)
{
    uint64_t keys[2] = {1, 2}, values[2] = {3, 4};
    behind.calls = behind.updates = 0;
    assert_answers(expected, pleach_map_put(map, n, keys, values, NULL, NULL, PLEACH_SYNC));
    assert_int_equal(behind.calls, calls);
    assert_int_equal(behind.updates, updates);
}

static void updates_go_by_the_engine(void)
{
    AT_END(destroy_map) pleach_map *map = open_map(PLEACH_CUDA, 64);
    put_once(map, PLEACH_OK, 2, 1, 0);
    behind.declines = true;
    put_once(map, PLEACH_OK, 2, 1, 1); /* it declines, and gets a batch */
    behind.should_batch = true;
    put_once(map, PLEACH_OK, 2, 0, 1);
    const pleach_status refusals[] = {PLEACH_E_BUSY, PLEACH_E_FULL, PLEACH_E_MEMORY};
    for (size_t i = 0; i < COUNT_OF(refusals); i++) { /* what a batch cannot do is done as it was */
        behind.update_answer = refusals[i];
        put_once(map, PLEACH_OK, 2, 1, 1);
        assert_false(behind.request.may_redirect);
    }
    behind.update_answer = PLEACH_E_CUDA;
    put_once(map, PLEACH_E_CUDA, 2, 0, 1);
    behind.update_answer = PLEACH_OK;
    pleach_map_view view;
    assert_ok(pleach_map_view_open(map, &view));
    put_once(map, PLEACH_OK, 2, 1, 0); /* nobody can be alone now */
    assert_ok(pleach_map_view_close(map, &view));
    map->engine = PLEACH_ENGINE_CALLS;
    put_once(map, PLEACH_OK, 2, 1, 0);
    behind.should_batch = false;
    map->engine = PLEACH_ENGINE_BATCHES;
    put_once(map, PLEACH_OK, 2, 0, 1);
}

/* Updates that write old values over their arguments are no batches; nor are arrays that are too long for one. */
static void arguments_that_a_batch_cannot_have(void)
{
    uint64_t words[6] = {0};
    AT_END(destroy_map) pleach_map *map = open_map(PLEACH_CUDA, 64);
    map->engine = PLEACH_ENGINE_BATCHES;
    assert_taken(PLEACH_OK, pleach_map_put(map, 2, words, words + 2, NULL, words + 2, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_map_put(map, 2, words, words + 2, NULL, words + 3, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_map_put(map, 2, words + 2, words, NULL, words + 1, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_map_erase(map, 2, words, NULL, words, PLEACH_SYNC));
    assert_int_equal(behind.updates, 0);
    assert_ok(pleach_map_put(map, 2, words, words + 2, NULL, words + 4, PLEACH_SYNC));
    assert_ok(pleach_map_erase(map, 2, words + 1, NULL, words + 3, PLEACH_SYNC));
    assert_ok(pleach_map_erase(map, MAP_MOST_OPERATIONS, words, NULL, NULL, PLEACH_SYNC));
    assert_int_equal(behind.updates, 3);
    assert_taken(PLEACH_OK, pleach_map_erase(map, MAP_MOST_OPERATIONS + 1, words, NULL, NULL, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_map_erase(map, 2, words, NULL, NULL, (pleach_stream)1));
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(creation_takes_options_up_to_their_limits),
        UNIT(creation_takes_options_of_skiplists),
        UNIT(skiplists_have_no_batches),
        UNIT(default_threads_are_the_machines),
        UNIT(creation_fails_without_memory_or_gate),
        EVERY_MAP(arrays_that_are_needed_are_asked_for),
        EVERY_MAP(no_elements_are_no_work),
        EVERY_MAP(sizes_are_taken_up_to_the_limit),
        EVERY_MAP(products_are_taken_up_to_the_limit),
        EVERY_MAP(streams_are_for_gpu_maps),
        EVERY_MAP(gpu_memory_is_not_for_cpu_maps),
        EVERY_MAP(executors_get_what_was_given),
        EVERY_MAP(numbers_fit_the_width),
        EVERY_MAP(single_queries_write_what_they_found),
        EVERY_MAP(single_updates_report_outcome_and_old_value),
        EVERY_MAP(exclusive_calls_wait_and_are_refused_while_a_view_is_open),
        EVERY_MAP(fills_are_above_zero_and_up_to_one),
        EVERY_MAP(whole_map_calls_need_a_map_and_a_place_for_the_answer),
        EVERY_MAP(validate_writes_its_message),
        EVERY_MAP(a_map_without_versions_has_no_snapshots),
        EVERY_MAP(snapshots_are_taken_on_streams),
        EVERY_MAP(views_are_opened_and_closed_once),
        EVERY_MAP(versioned_views_are_opened_and_closed_once),
        EVERY_MAP(skiplist_views_are_opened_and_closed_once),
        EVERY_MAP(batches_are_checked),
        UNIT(updates_go_by_the_engine),
        UNIT(arguments_that_a_batch_cannot_have),
    };
    return run_units("test_map_arguments", argc, argv, cases, COUNT_OF(cases));
}
