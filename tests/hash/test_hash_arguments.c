/* test_hash_arguments.c - the api layer of hash tables by itself: what it refuses never reaches the executor, and what
 * it takes reaches the executor as it was given. As test_map_arguments.c: the layer is compiled into this program, with
 * counterfeits behind it, and scripts/coverage --check counts the branches.
 */
#include <stdlib.h>
#include <string.h>

#include "testkit/mock/mock_host.h"
#include "testkit/units.h"

#define gate_init mock_gate_init
#define sysconf mock_sysconf
#define any_device_pointer mock_device_pointer
#include "hash/hash.c"
#undef gate_init
#undef sysconf
#undef any_device_pointer

#include "testkit/mock/mock_hash.h"

static counterfeit behind; /* the table of the case at hand */

static pleach_hash *open_hash(pleach_device device, unsigned key_bits, bool set)
{
    behind = (counterfeit){.answer = PLEACH_OK, .quiesce_answer = PLEACH_OK};
    gpu_pointer = &behind; /* somewhere that no argument is */
    pleach_hash *hash = base_alloc(1, sizeof *hash);
    assert_non_null(hash);
    hash->ops = &mock_ops;
    hash->exec = &behind;
    hash->device = device;
    hash->key_bits = key_bits;
    hash->set = set;
    assert_true(gate_init(&hash->gate));
    return hash;
}

typedef struct hash_case {
    void (*run)(pleach_hash *hash);
} hash_case;

#define EVERY_HASH(function) UNIT_WITH(#function, with_every_hash, &(const hash_case){function})

/* Runs the case with a table of each kind. */
static void with_every_hash(const void *argument)
{
    const hash_case *what = argument;
    for (unsigned bits = 32; bits <= 64; bits *= 2)
        for (int set = 0; set < 2; set++)
            for (int device = PLEACH_CPU; device <= PLEACH_CUDA; device++) {
                pleach_hash *hash = open_hash((pleach_device)device, bits, set);
                what->run(hash);
                pleach_hash_destroy(hash);
                assert_int_equal(behind.destroyed, 1);
            }
}

/* ---- creation ---- */

static void assert_creation(pleach_status expected, const pleach_hash_config *config)
{
    pleach_hash *hash = (pleach_hash *)(uintptr_t)64;
    assert_int_equal(pleach_hash_create(&hash, config), expected);
    assert_int_equal(hash != NULL, expected == PLEACH_OK);
    if (hash) assert_int_equal(pleach_hash_key_bits(hash), config && config->key_bits ? config->key_bits : 64);
    pleach_hash_destroy(hash);
}

static void creation_takes_options_up_to_their_limits(void)
{
    assert_creation(PLEACH_OK, NULL);
    for (unsigned bits = 0; bits <= 64; bits += 32) {
        assert_creation(PLEACH_OK, &(pleach_hash_config){.key_bits = bits});
        assert_creation(PLEACH_OK, &(pleach_hash_config){.key_bits = bits, .set = 1});
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.key_bits = bits, .set = 2});
        assert_creation(PLEACH_OK, &(pleach_hash_config){.key_bits = bits, .threads = 1024});
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.key_bits = bits, .threads = 1025});
        assert_creation(PLEACH_OK, &(pleach_hash_config){.key_bits = bits, .fixed_seed = 1});
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.key_bits = bits, .fixed_seed = 2});
        assert_creation(PLEACH_OK, &(pleach_hash_config){.key_bits = bits, .max_bytes = LEAST_BYTES});
        assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.key_bits = bits, .max_bytes = LEAST_BYTES - 1});
        assert_creation(PLEACH_OK, &(pleach_hash_config){.key_bits = bits, .max_bytes = UINT64_MAX});
        assert_creation(PLEACH_E_FULL, &(pleach_hash_config){.key_bits = bits, .reserve_keys = MOST_KEYS + 1});
        assert_creation(PLEACH_E_FULL, &(pleach_hash_config){.max_bytes = LEAST_BYTES, .reserve_keys = MOST_KEYS});
        assert_creation(PLEACH_E_NO_CUDA, &(pleach_hash_config){.key_bits = bits, .device = PLEACH_CUDA});
    }
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.key_bits = 33});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.key_bits = 128});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.device = (pleach_device)2});
    assert_creation(PLEACH_E_ARGUMENT, &(pleach_hash_config){.device = (pleach_device)-1});
    assert_int_equal(pleach_hash_create(NULL, NULL), PLEACH_E_ARGUMENT);
    pleach_hash_destroy(NULL);
}

static void there_are_as_many_workers_as_cpus(void)
{
    static const long online[] = {-1, 0, 1, 3, 1024, 1025};
    static const unsigned expected[] = {1, 1, 1, 3, 1024, 1024};
    for (size_t i = 0; i < COUNT_OF(online); i++) {
        pleach_hash_config config = {0};
        cpus_online = online[i];
        assert_int_equal(complete_config(&config), PLEACH_OK);
        assert_int_equal(config.threads, expected[i]);
    }
    cpus_online = 2;
}

static void creation_that_fails_leaves_nothing(void)
{
    const long held = base_held();
    gate_cannot_begin = true;
    assert_creation(PLEACH_E_MEMORY, NULL);
    gate_cannot_begin = false;
    for (long nth = 1; nth <= 3; nth++) {
        base_fail_nth_allocation(nth);
        assert_creation(PLEACH_E_MEMORY, NULL);
        base_fail_nth_allocation(0);
        assert_int_equal(base_held(), held);
    }
}

/* ---- array calls ---- */

static uint64_t keys[4], values[4], olds[4];
static uint8_t flags[4];

static void without_a_table(void)
{
    uint64_t word;
    size_t n;
    pleach_hash_stats stats;
    int found;
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_put(NULL, 1, keys, values, flags, olds, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_add(NULL, 0, keys, values, flags, olds, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_erase(NULL, 1, keys, flags, olds, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_find(NULL, 1, keys, values, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_contains(NULL, 1, keys, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_put_one(NULL, 1, 1, NULL, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_add_one(NULL, 1, 1, NULL, &word));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_erase_one(NULL, 1, NULL, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_find_one(NULL, 1, &found, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_size(NULL, &word));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_reserve(NULL, 1));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_compact(NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_export(NULL, 0, NULL, NULL, &n));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_clear(NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_get_stats(NULL, &stats));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_validate(NULL, NULL, 0));
    assert_int_equal(pleach_hash_key_bits(NULL), 0);
}

static void array_calls_refuse_what_they_must(pleach_hash *h)
{
    const uint64_t *v = h->set ? NULL : values;
    const size_t too_many = (size_t)MOST_ELEMENTS + 1;
    pleach_status streamed = h->device == PLEACH_CPU ? PLEACH_E_STREAM : PLEACH_OK;
    assert_calls(streamed == PLEACH_OK, streamed, pleach_hash_put(h, 1, keys, v, NULL, NULL, SOME_STREAM));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_put(h, 1, NULL, v, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_add(h, 1, NULL, v, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_erase(h, 1, NULL, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_find(h, 1, NULL, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_contains(h, 1, NULL, flags, PLEACH_SYNC));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_contains(h, 1, keys, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_SIZE, pleach_hash_put(h, too_many, keys, v, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_SIZE, pleach_hash_find(h, too_many, keys, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_E_SIZE, pleach_hash_find(h, SIZE_MAX, keys, NULL, NULL, PLEACH_SYNC));
    assert_taken(PLEACH_OK, pleach_hash_find(h, too_many - 1, keys, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_OK, pleach_hash_put(h, 0, NULL, NULL, NULL, NULL, PLEACH_SYNC));
    assert_refused(PLEACH_OK, pleach_hash_contains(h, 0, NULL, NULL, PLEACH_SYNC));
}

static void values_are_for_maps_only(pleach_hash *h)
{
    pleach_status given = h->set ? PLEACH_E_ARGUMENT : PLEACH_OK, missing = h->set ? PLEACH_OK : PLEACH_E_ARGUMENT;
    size_t taken = !h->set;
    const uint64_t *v = h->set ? NULL : values;
    assert_calls(taken, given, pleach_hash_put(h, 1, keys, values, NULL, NULL, PLEACH_SYNC));
    assert_calls(!taken, missing, pleach_hash_add(h, 1, keys, NULL, NULL, NULL, PLEACH_SYNC));
    assert_calls(taken, given, pleach_hash_put(h, 1, keys, v, NULL, olds, PLEACH_SYNC));
    assert_calls(taken, given, pleach_hash_erase(h, 1, keys, NULL, olds, PLEACH_SYNC));
    assert_calls(taken, given, pleach_hash_find(h, 1, keys, values, NULL, PLEACH_SYNC));
    assert_refused(given, pleach_hash_find(h, 0, keys, values, NULL, PLEACH_SYNC));
}

/* Each array in turn is a GPU's. A GPU table's executor looks for itself. */
static void foreign_arrays_are_refused(pleach_hash *h)
{
    const void *arrays[] = {keys, values, olds, flags};
    pleach_status expected = h->device == PLEACH_CPU ? PLEACH_E_POINTER : PLEACH_OK;
    size_t taken = h->device != PLEACH_CPU, n;
    for (size_t i = 0; i < COUNT_OF(arrays); i++) {
        bool of_values = arrays[i] == values || arrays[i] == olds;
        if (h->set && of_values) continue;
        gpu_pointer = arrays[i];
        const void *v = h->set ? NULL : values;
        assert_calls(taken, expected, pleach_hash_put(h, 1, keys, v, flags, h->set ? NULL : olds, PLEACH_SYNC));
    }
    gpu_pointer = keys;
    assert_calls(taken, expected, pleach_hash_export(h, 1, keys, NULL, &n));
    gpu_pointer = values;
    if (!h->set) assert_calls(taken, expected, pleach_hash_export(h, 1, keys, values, &n));
    if (!h->set) assert_calls(taken, expected, pleach_hash_export(h, 1, NULL, values, &n));
}

static void assert_request(op_kind kind, const void *values_in, const void *out)
{
    assert_int_equal(behind.request.kind, kind);
    assert_int_equal(behind.request.n, 4);
    assert_true(behind.request.keys == keys && behind.request.values == values_in);
    assert_true(behind.request.out_values == out && behind.request.flags == flags);
}

static void requests_arrive_as_they_were_given(pleach_hash *h)
{
    const void *v = h->set ? NULL : values;
    void *o = h->set ? NULL : olds;
    assert_taken(PLEACH_OK, pleach_hash_put(h, 4, keys, v, flags, o, PLEACH_SYNC));
    assert_request(OP_PUT, v, o);
    assert_taken(PLEACH_OK, pleach_hash_add(h, 4, keys, v, flags, o, PLEACH_SYNC));
    assert_request(OP_ADD, v, o);
    assert_taken(PLEACH_OK, pleach_hash_erase(h, 4, keys, flags, o, PLEACH_SYNC));
    assert_request(OP_ERASE, NULL, o);
    assert_taken(PLEACH_OK, pleach_hash_find(h, 4, keys, o, flags, PLEACH_SYNC));
    assert_request(OP_FIND, NULL, o);
    assert_taken(PLEACH_OK, pleach_hash_contains(h, 4, keys, flags, PLEACH_SYNC));
    assert_request(OP_FIND, NULL, NULL);
    behind.answer = PLEACH_E_FULL;
    assert_taken(PLEACH_E_FULL, pleach_hash_put(h, 4, keys, v, flags, o, PLEACH_SYNC));
    behind.answer = PLEACH_OK;
}

/* ---- single calls ---- */

static void single_calls(pleach_hash *h)
{
    static const pleach_outcome outcomes[] = {PLEACH_NOT_APPLIED, PLEACH_INSERTED, PLEACH_REPLACED,
                                              PLEACH_EXISTS,      PLEACH_ERASED,   PLEACH_ABSENT};
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        bool had = i >= 2 && i <= 4;
        pleach_outcome outcome = PLEACH_NOT_APPLIED;
        uint64_t old = 1;
        behind.flag = (uint8_t)outcomes[i];
        assert_taken(PLEACH_OK, pleach_hash_put_one(h, 1, 2, &outcome, &old));
        assert_int_equal(outcome, outcomes[i]);
        assert_int_equal(old, had ? COUNTERFEIT_VALUE : 1);
        assert_taken(PLEACH_OK, pleach_hash_add_one(h, 1, 2, NULL, NULL));
        assert_taken(PLEACH_OK, pleach_hash_erase_one(h, 1, &outcome, NULL));
        assert_int_equal(behind.request.n, 1);
    }
    behind.answer = PLEACH_E_FULL;
    assert_taken(PLEACH_E_FULL, pleach_hash_put_one(h, 1, 2, NULL, NULL));
    behind.answer = PLEACH_OK;
}

static void single_finds(pleach_hash *h)
{
    for (uint8_t flag = 0; flag < 2; flag++) {
        uint64_t value = 1;
        int found = -1;
        behind.flag = flag;
        assert_taken(PLEACH_OK, pleach_hash_find_one(h, 5, &found, &value));
        assert_int_equal(found, flag);
        assert_int_equal(value, flag ? COUNTERFEIT_VALUE : 1);
        assert_taken(PLEACH_OK, pleach_hash_find_one(h, 5, NULL, NULL));
        behind.answer = PLEACH_E_CUDA;
        found = -1;
        assert_taken(PLEACH_E_CUDA, pleach_hash_find_one(h, 5, &found, &value));
        assert_int_equal(found, -1);
        behind.answer = PLEACH_OK;
    }
}

/* A set's value is ignored, however wide. */
static void single_widths(pleach_hash *h)
{
    const uint64_t wide = (uint64_t)UINT32_MAX + 1;
    bool narrow = h->key_bits == 32;
    pleach_status key = narrow ? PLEACH_E_WIDTH : PLEACH_OK, value = narrow && !h->set ? PLEACH_E_WIDTH : PLEACH_OK;
    assert_calls(!narrow, key, pleach_hash_put_one(h, wide, 0, NULL, NULL));
    assert_calls(!narrow, key, pleach_hash_erase_one(h, wide, NULL, NULL));
    assert_calls(!narrow, key, pleach_hash_find_one(h, wide, NULL, NULL));
    assert_calls(value == PLEACH_OK, value, pleach_hash_add_one(h, 0, wide, NULL, NULL));
    assert_taken(PLEACH_OK, pleach_hash_put_one(h, wide - 1, wide - 1, NULL, NULL));
}

static void single_calls_are_arrays_of_one(void)
{
    with_every_hash(&(const hash_case){single_calls});
    with_every_hash(&(const hash_case){single_finds});
    with_every_hash(&(const hash_case){single_widths});
}

/* ---- the whole table ---- */

static void missing_results(pleach_hash *h)
{
    size_t n;
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_size(h, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_get_stats(h, NULL));
    assert_refused(PLEACH_E_ARGUMENT, pleach_hash_export(h, 1, keys, NULL, NULL));
    assert_calls(!h->set, h->set ? PLEACH_E_ARGUMENT : PLEACH_OK, pleach_hash_export(h, 1, keys, values, &n));
    assert_refused(PLEACH_E_FULL, pleach_hash_reserve(h, MOST_KEYS + 1));
    assert_taken(PLEACH_OK, pleach_hash_reserve(h, MOST_KEYS));
    assert_int_equal(behind.reserved, MOST_KEYS);
    assert_taken(PLEACH_OK, pleach_hash_compact(h));
    assert_int_equal(behind.reserved, 0);
}

typedef pleach_status alone_call(pleach_hash *h);

static pleach_status call_reserve(pleach_hash *h) { return pleach_hash_reserve(h, 1); }
static pleach_status call_validate(pleach_hash *h) { return pleach_hash_validate(h, NULL, 0); }
static pleach_status call_validate_shortly(pleach_hash *h)
{
    char message[4] = "xyz";
    pleach_status status = pleach_hash_validate(h, message, 0);
    assert_string_equal(message, "xyz");
    return status;
}

static pleach_status call_export(pleach_hash *h)
{
    size_t n = 0;
    return pleach_hash_export(h, 1, keys, NULL, &n);
}

static pleach_status call_stats(pleach_hash *h)
{
    pleach_hash_stats stats;
    memset(&stats, 1, sizeof stats);
    pleach_status status = pleach_hash_get_stats(h, &stats);
    if (status == PLEACH_OK) assert_true(stats.keys == COUNTERFEIT_VALUE && stats.buckets == 0);
    return status;
}

/* All wait for work under way, and are refused while somebody they cannot see is inside. */
static void alone(pleach_hash *h)
{
    static alone_call *const calls[] = {call_reserve, pleach_hash_compact, call_export,  pleach_hash_clear,
                                        call_stats,   call_validate,       call_validate_shortly};
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        size_t quiesced = behind.quiesced;
        assert_taken(PLEACH_OK, calls[i](h));
        assert_int_equal(behind.quiesced, quiesced + 1);
        behind.answer = PLEACH_E_MEMORY;
        assert_taken(PLEACH_E_MEMORY, calls[i](h));
        behind.answer = PLEACH_OK;
        behind.quiesce_answer = PLEACH_E_CUDA;
        assert_refused(PLEACH_E_CUDA, calls[i](h));
        behind.quiesce_answer = PLEACH_OK;
        gate_view_open(&h->gate);
        assert_refused(PLEACH_E_BUSY, calls[i](h));
        assert_true(gate_view_close(&h->gate));
        assert_taken(PLEACH_OK, calls[i](h)); /* the gate is open again after each of these */
    }
}

static void messages(pleach_hash *h)
{
    char message[8] = "before";
    uint64_t size = 0;
    behind.answer = PLEACH_E_CORRUPT;
    assert_taken(PLEACH_E_CORRUPT, pleach_hash_validate(h, message, sizeof message));
    assert_string_equal(message, "H");
    behind.answer = PLEACH_OK;
    assert_taken(PLEACH_OK, pleach_hash_size(h, &size));
    assert_int_equal(size, COUNTERFEIT_VALUE);
}

static void calls_for_the_whole_table(void)
{
    with_every_hash(&(const hash_case){missing_results});
    with_every_hash(&(const hash_case){alone});
    with_every_hash(&(const hash_case){messages});
}

/* ---- views ---- */

static void open_and_close_views(pleach_hash *h)
{
    pleach_hash_view none = {.seed = {1}};
    behind.answer = PLEACH_E_CUDA;
    assert_taken(PLEACH_E_CUDA, pleach_hash_view_open(h, &none));
    assert_int_equal(none.seed[0], 0);
    behind.answer = PLEACH_OK;
    CHECK_VIEWS(h, pleach_hash_view, pleach_hash_view_open, pleach_hash_view_close, pleach_hash_clear, state,
                view.state == &behind && view.key_bits == 32 && view.set == 1 && view.seed[0] == COUNTERFEIT_VALUE);
}

static void views(void)
{
    with_every_hash(&(const hash_case){open_and_close_views});
    pleach_hash *real;
    pleach_hash_view view = {.state = keys};
    assert_int_equal(pleach_hash_create(&real, NULL), PLEACH_OK);
    assert_int_equal(pleach_hash_view_open(real, &view), PLEACH_E_ARGUMENT); /* it is a CPU table */
    assert_null(view.state);
    assert_int_equal(pleach_hash_clear(real), PLEACH_OK);
    pleach_hash_destroy(real);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(creation_takes_options_up_to_their_limits),
        UNIT(there_are_as_many_workers_as_cpus),
        UNIT(creation_that_fails_leaves_nothing),
        UNIT(views),
        UNIT(without_a_table),
        EVERY_HASH(array_calls_refuse_what_they_must),
        EVERY_HASH(values_are_for_maps_only),
        EVERY_HASH(foreign_arrays_are_refused),
        EVERY_HASH(requests_arrive_as_they_were_given),
        UNIT(single_calls_are_arrays_of_one),
        UNIT(calls_for_the_whole_table),
    };
    return run_units("test_hash_arguments", argc, argv, cases, COUNT_OF(cases));
}
