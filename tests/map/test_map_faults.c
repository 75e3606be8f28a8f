/* test_map_faults.c - allocations that fail: every one of a whole script of calls in turn, once or for a while.
 * Whatever fails, the map is valid, holds what was acknowledged and nothing else, works again afterwards, and leaves
 * nothing behind. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

/* ---- a script of calls -----------------------------------------------------------------------------------------
 * A step makes one call, tells the oracle what the call says that it did, and checks the answers of a call that
 * succeeded. What it answers is the call's status. */

typedef struct script {
    const setting *where;
    wide w;
    oracle *o;
    size_t n;
    uint64_t *keys, *values; /* distinct keys in random order */
    uint64_t *sorted;        /* the same keys */
    uint64_t *news;          /* other values for them */
    long first, last;        /* the allocations of the run that are to fail */
    long asked;              /* for so far, while faults were on */
    size_t refusals;         /* calls that answered FULL */
} script;

/* What a test asks between the steps neither fails nor counts. */
static void faults_off(script *s)
{
    s->asked += base_fail_allocations(0, 0);
}

static void faults_on(script *s)
{
    long first = s->first > s->asked ? s->first - s->asked : 1;
    base_fail_allocations(first, s->last < s->asked + first ? 0 : s->last - s->asked - first + 1);
}

static bool struck(const script *s)
{
    return s->asked >= s->first;
}

typedef pleach_status step_call(script *s);

typedef struct step {
    step_call *call;
    bool asks_on_cpu; /* for memory, beyond the map's own; on a GPU every step may do so */
    bool may_run_out; /* FULL where the pool of a GPU map could not grow */
} step;

static script script_begin(const setting *where, size_t n)
{
    rng r = rng_for(test_seed(), 10);
    script s = {.where = where, .n = n};
    s.w = (wide){NULL, where->key_bits, where->key_bits == 32 ? UINT32_MAX : UINT64_MAX};
    s.keys = pattern_keys(RANDOM, n, s.w.top, &r);
    s.values = values_for(n, s.keys, s.w.top, 1);
    s.news = values_for(n, s.keys, s.w.top, 2);
    s.o = oracle_create(n, s.keys);
    s.sorted = must_alloc(n, sizeof *s.sorted);
    memcpy(s.sorted, s.o->keys, n * sizeof *s.sorted);
    return s;
}

static void script_end(script *s)
{
    oracle_destroy(s->o);
    free(s->keys);
    free(s->values);
    free(s->sorted);
    free(s->news);
}

typedef pleach_status insert_call(const wide *w, size_t n, const uint64_t *keys, const uint64_t *values,
                                  uint8_t *outcomes, uint64_t *olds);

static pleach_status insert_some(script *s, insert_call *call, oracle_insert *insert, size_t n, const uint64_t *keys,
                                 const uint64_t *values)
{
    FREED uint8_t *outcomes = untouched_bytes(n);
    FREED uint64_t *olds = untouched_words(n, s->w.top);
    pleach_status status = call(&s->w, n, keys, values, outcomes, olds);
    if (status == PLEACH_OK || status == PLEACH_E_FULL) {
        size_t refused = acknowledge(s->o, insert, n, keys, values, outcomes, olds);
        assert_int_equal(refused > 0, status == PLEACH_E_FULL);
        s->refusals += refused > 0;
    }
    return status;
}

static pleach_status put_half(script *s) { return insert_some(s, wide_put, oracle_put, s->n / 2, s->keys, s->values); }

static pleach_status put_all(script *s) { return insert_some(s, wide_put, oracle_put, s->n, s->keys, s->news); }

static pleach_status add_all(script *s) { return insert_some(s, wide_add, oracle_add, s->n, s->keys, s->values); }

static pleach_status put_one(script *s)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t old = UNTOUCHED_WORD(s->w.top), key = s->keys[s->n - 1], value = s->news[0];
    pleach_status status = pleach_map_put_one(s->w.map, key, value, &outcome, &old);
    uint8_t as_byte = (uint8_t)outcome;
    if (status == PLEACH_OK)
        assert_int_equal(acknowledge(s->o, oracle_put, 1, &key, &value, &as_byte, &old), 0);
    else
        assert_int_equal(outcome, PLEACH_NOT_APPLIED);
    return status;
}

static pleach_status erase_third(script *s)
{
    size_t n = s->n / 3;
    FREED uint8_t *outcomes = untouched_bytes(n);
    FREED uint64_t *olds = untouched_words(n, s->w.top);
    pleach_status status = wide_erase(&s->w, n, s->keys + n, outcomes, olds);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) {
        uint64_t old = UNTOUCHED_WORD(s->w.top);
        assert_int_equal(outcomes[i], oracle_erase(s->o, s->keys[n + i], &old));
        assert_int_equal(olds[i], old);
    }
    return status;
}

static pleach_status find_all(script *s) { return compare_find(&s->w, s->o, s->n, s->keys); }
static pleach_status contains_all(script *s) { return compare_contains(&s->w, s->o, s->n, s->keys); }
static pleach_status succ_all(script *s) { return compare_succ(&s->w, s->o, s->n, s->keys); }
static pleach_status pred_all(script *s) { return compare_pred(&s->w, s->o, s->n, s->keys); }

static pleach_status ask_min(script *s)
{
    uint64_t key = 1, value = 1, expected = 1, expected_value = 1;
    int found = -1;
    pleach_status status = pleach_map_min(s->w.map, &found, &key, &value);
    if (status == PLEACH_OK) {
        assert_int_equal(found, oracle_min(s->o, &expected, &expected_value));
        assert_true(key == expected && value == expected_value);
    }
    return status;
}

/* Intervals of many lengths that begin at the keys. */
static uint64_t *ends_for(const script *s)
{
    uint64_t *ends = must_alloc(s->n, sizeof *ends);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t length = s->w.top >> (i % 12 + 6);
        ends[i] = s->keys[i] > s->w.top - length ? s->w.top : s->keys[i] + length;
    }
    return ends;
}

static pleach_status count_ranges(script *s)
{
    FREED uint64_t *ends = ends_for(s);
    return compare_range_count(&s->w, s->o, s->n, s->keys, ends);
}

enum { LIMIT = 3 };

static pleach_status limited_ranges(script *s)
{
    FREED uint64_t *ends = ends_for(s);
    return compare_range_limit(&s->w, s->o, s->n, s->keys, ends, LIMIT);
}

static pleach_status packed_ranges(script *s)
{
    FREED uint64_t *ends = ends_for(s);
    return compare_range(&s->w, s->o, s->n, s->keys, ends, LIMIT);
}

static pleach_status ask_size(script *s)
{
    uint64_t size = 0;
    pleach_status status = pleach_map_size(s->w.map, &size);
    if (status == PLEACH_OK)
        assert_int_equal(size, s->o->size);
    return status;
}

/* Where the call that should have emptied the map has failed, to be refused is right. */
static pleach_status load(script *s, const uint64_t *keys)
{
    pleach_status status = wide_load(&s->w, s->n, keys, s->values, 0);
    if (status == PLEACH_E_NOT_EMPTY && s->o->size > 0)
        return PLEACH_OK;
    uint64_t ignored;
    for (size_t i = 0; i < s->n && status == PLEACH_OK; i++)
        oracle_put(s->o, keys[i], s->values[i], &ignored);
    return status;
}

static pleach_status load_unsorted(script *s) { return load(s, s->keys); }

static pleach_status load_sorted(script *s) { return load(s, s->sorted); }

static pleach_status export_all(script *s)
{
    FREED uint64_t *keys = untouched_words(s->n, s->w.top), *values = untouched_words(s->n, s->w.top);
    FREED uint64_t *expected = must_alloc(s->n, sizeof *expected);
    FREED uint64_t *expected_values = must_alloc(s->n, sizeof *expected);
    size_t n = 0, held = oracle_range(s->o, 0, s->w.top, 0, expected, expected_values);
    pleach_status status = wide_export(&s->w, s->n, keys, values, &n);
    if (status == PLEACH_OK) {
        assert_int_equal(n, held);
        assert_words_equal("exported keys", n, keys, expected);
        assert_words_equal("exported values", n, values, expected_values);
    }
    return status;
}

static pleach_status ask_stats(script *s)
{
    pleach_map_stats stats;
    pleach_status status = pleach_map_get_stats(s->w.map, &stats);
    if (status == PLEACH_OK)
        assert_true(stats.keys == s->o->size && stats.key_bits == s->w.key_bits);
    return status;
}

static pleach_status validate(script *s)
{
    char message[100] = "untouched";
    pleach_status status = pleach_map_validate(s->w.map, message, sizeof message);
    assert_string_equal(message, "");
    return status;
}

static pleach_status compact_tightly(script *s) { return pleach_map_compact(s->w.map, 1); }

static pleach_status compact_loosely(script *s) { return pleach_map_compact(s->w.map, 0.3); }

static pleach_status clear(script *s)
{
    pleach_status status = pleach_map_clear(s->w.map);
    if (status == PLEACH_OK)
        oracle_clear(s->o);
    return status;
}

static pleach_status reserve_little(script *s) { return pleach_map_reserve(s->w.map, 4 * s->n); }

/* More than the first piece of a GPU map's pool holds. */
static pleach_status reserve_much(script *s) { return pleach_map_reserve(s->w.map, 150000); }

/* ---- steps that only a GPU map can take ---- */

/* So many elements that the pool must grow before the launch, for all that the library knows; but the keys are few and
 * each comes with one value only, so that the result is known, and the map can do without the growth. */
static pleach_status put_repeatedly(script *s)
{
    enum { ELEMENTS = 120000 };
    FREED uint64_t *keys = must_alloc(ELEMENTS, sizeof *keys), *values = must_alloc(ELEMENTS, sizeof *values);
    uint64_t ignored;
    FREED uint8_t *outcomes = untouched_bytes(ELEMENTS);
    for (size_t i = 0; i < ELEMENTS; i++) {
        keys[i] = s->keys[i % s->n];
        values[i] = s->values[i % s->n];
    }
    size_t before = s->o->size, inserted = 0, replaced = 0;
    pleach_status status = wide_put(&s->w, ELEMENTS, keys, values, outcomes, NULL);
    for (size_t i = 0; i < ELEMENTS && status == PLEACH_OK; i++) {
        inserted += outcomes[i] == PLEACH_INSERTED;
        replaced += outcomes[i] == PLEACH_REPLACED;
        oracle_put(s->o, keys[i], values[i], &ignored);
    }
    if (status == PLEACH_OK)
        assert_true(inserted == s->o->size - before && inserted + replaced == ELEMENTS);
    return status;
}

/* The calling thread's default stream, by the number that CUDA gives it (cudaStreamPerThread). */
#define OWN_STREAM ((pleach_stream)2)

static void *as_words(const script *s, size_t n, const uint64_t *numbers)
{
    size_t bytes = s->w.key_bits / 8;
    char *words = must_alloc(n, bytes);
    for (size_t i = 0; i < n; i++)
        memcpy(words + i * bytes, &numbers[i], bytes); /* little-endian: the low half comes first */
    return words;
}

/* A call that waits for the stream, so that the arrays can be read and freed. */
static void pass_stream(script *s)
{
    faults_off(s);
    assert_valid(&s->w);
    faults_on(s);
}

static pleach_status put_on_stream(script *s)
{
    size_t n = s->n / 2;
    FREED void *keys = as_words(s, n, s->keys), *values = as_words(s, n, s->news);
    FREED uint8_t *outcomes = untouched_bytes(n);
    pleach_status status = pleach_map_put(s->w.map, n, keys, values, outcomes, NULL, OWN_STREAM);
    pass_stream(s);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) {
        uint64_t old;
        assert_int_equal(outcomes[i], oracle_put(s->o, s->keys[i], s->news[i], &old));
    }
    return status;
}

static pleach_status erase_on_stream(script *s)
{
    size_t n = s->n / 4;
    FREED void *keys = as_words(s, n, s->keys);
    pleach_status status = pleach_map_erase(s->w.map, n, keys, NULL, NULL, OWN_STREAM);
    pass_stream(s);
    for (size_t i = 0; i < n && status == PLEACH_OK; i++) {
        uint64_t old;
        oracle_erase(s->o, s->keys[i], &old);
    }
    return status;
}

/* Work inside and outside while a view is open; it is closed whatever the others answer. */
static pleach_status work_beside_a_view(script *s)
{
    pleach_map_view view;
    pleach_status status = pleach_map_view_open(s->w.map, &view);
    if (status != PLEACH_OK)
        return status;
    assert_int_equal(pleach_map_validate(s->w.map, NULL, 0), PLEACH_E_BUSY);
    status = put_one(s);
    assert_ok(pleach_map_view_close(s->w.map, &view));
    return status;
}

/* ---- every allocation of a script fails ------------------------------------------------------------------------ */

typedef struct play {
    const step *steps;
    size_t count;
    bool with_creation;   /* the map is made while allocations fail, too */
    long failing;         /* in a row, or LONG_MAX: all, for the next few calls */
} play;

enum { FAILED_CALLS_IN_A_ROW = 4, ALLOCATIONS_AT_MOST = 2000 };

static void create_map(script *s)
{
    pleach_map_config config = config_for(s->where);
    config.max_bytes = 64 << 20;
    config.reserve_keys = 500;
    long held = base_held();
    s->w.map = (pleach_map *)(uintptr_t)64;
    pleach_status status = pleach_map_create(&s->w.map, &config);
    if (status == PLEACH_OK)
        return;
    faults_off(s);
    assert_int_equal(status, PLEACH_E_MEMORY);
    assert_true(struck(s));
    assert_null(s->w.map);
    assert_int_equal(base_held(), held);
    s->last = 0;
    assert_ok(pleach_map_create(&s->w.map, &config));
}

static void assert_documented(const script *s, const step *what, pleach_status status)
{
    bool on_gpu = s->where->device == PLEACH_CUDA;
    if (status == PLEACH_E_FULL)
        assert_true(on_gpu && what->may_run_out);
    else
        assert_true(status == PLEACH_E_MEMORY && (on_gpu || what->asks_on_cpu));
}

/* After a failure the map is as acknowledged. Then allocations go on failing, or the same call works now. */
static void take_failure(script *s, const step *what, pleach_status status, size_t failed_calls)
{
    assert_true(struck(s) && s->last > 0);
    assert_documented(s, what, status);
    assert_same_content(&s->w, s->o);
    if (s->last == LONG_MAX && failed_calls < FAILED_CALLS_IN_A_ROW)
        return;
    s->last = 0;
    assert_ok(what->call(s));
}

/* Answers how many calls failed. */
static size_t take_steps(script *s, const play *p)
{
    size_t failed_calls = 0;
    for (size_t i = 0; i < p->count; i++) {
        long held = base_held();
        pleach_status status = p->steps[i].call(s);
        faults_off(s);
        if (s->where->device == PLEACH_CPU)
            assert_int_equal(base_held(), held); /* no call keeps memory, whether it fails or not */
        if (status != PLEACH_OK)
            take_failure(s, &p->steps[i], status, ++failed_calls);
        faults_on(s);
    }
    return failed_calls;
}

/* One run of the script with its n-th allocation failing; *reached: there was an n-th one. */
static size_t play_once(script *s, const play *p, long n, bool *reached)
{
    long held = base_held();
    oracle_clear(s->o);
    s->asked = 0;
    s->first = n;
    s->last = p->failing > LONG_MAX - n ? LONG_MAX : n + p->failing - 1;
    if (p->with_creation)
        faults_on(s);
    create_map(s);
    bool created_at_once = s->last > 0;
    faults_on(s);
    size_t failed_calls = take_steps(s, p);
    faults_off(s);
    *reached = struck(s);
    assert_same_content(&s->w, s->o);
    wide_close(&s->w);
    assert_int_equal(base_held(), held);
    count_checked(p->count);
    return failed_calls + !created_at_once;
}

/* Some allocations can be done without: a thread fewer, a smaller piece for the pool. Then the script went through and
 * its answers were right; but on a CPU map that is so for helper threads only. */
static void fail_each(script *s, const play *p, long stride)
{
    const setting *where = s->where;
    bool reached = false;
    size_t failures = 0, done_without = 0;
    play_once(s, p, ALLOCATIONS_AT_MOST, &reached); /* as it should be; and the runtime gets what it keeps */
    assert_false(reached);
    size_t free_bytes = gpu_free_bytes(where);
    for (long n = 1;; n += stride) {
        assert_true(n < ALLOCATIONS_AT_MOST);
        size_t failed_calls = play_once(s, p, n, &reached);
        if (!reached)
            break;
        failures += failed_calls > 0;
        done_without += failed_calls == 0;
    }
    assert_true(failures > 0);
    if (where->device == PLEACH_CPU)
        assert_true(done_without < where->threads);
    else
        assert_true(gpu_free_bytes(where) + GPU_ROUNDING >= free_bytes);
}

static const step array_steps[] = {
    {put_half, false, true},       {put_one, false, true},        {add_all, false, true},
    {find_all, false, false},      {contains_all, false, false},  {erase_third, false, false},
    {succ_all, false, false},      {pred_all, false, false},      {count_ranges, false, false},
    {limited_ranges, false, false}, {packed_ranges, true, false}, {ask_min, false, false},
    {put_all, false, true},        {ask_size, false, false},
};

static const step whole_steps[] = {
    {load_unsorted, true, false},   {export_all, false, false}, {erase_third, false, false},
    {compact_tightly, true, false}, {ask_stats, false, false},  {put_all, false, true},
    {compact_loosely, true, false}, {validate, false, false},   {clear, false, false},
    {load_sorted, true, false},     {reserve_much, true, false}, {reserve_little, true, false},
    {clear, false, false},          {put_half, false, true},
};

static const step gpu_steps[] = {
    {put_on_stream, false, false}, {erase_on_stream, false, false}, {put_repeatedly, false, true},
    {put_on_stream, false, false}, {clear, false, false},           {reserve_much, false, false},
    {put_half, false, true},       {work_beside_a_view, false, true},
};

static void play_script(const setting *where, const step *steps, size_t count, bool with_creation, long failing,
                        long stride)
{
    script s = script_begin(where, shrunk(1500, 800));
    play p = {steps, count, with_creation, failing};
    fail_each(&s, &p, stride);
    script_end(&s);
}

static void every_allocation_of_a_life_fails_once(const setting *where)
{
    play_script(where, array_steps, COUNT_OF(array_steps), true, 1, 1);
}

static void every_allocation_of_whole_map_calls_fails_once(const setting *where)
{
    play_script(where, whole_steps, COUNT_OF(whole_steps), false, 1, 1);
}

/* A GPU map asks so often that in this way not every allocation is the first to fail. */
static void allocations_fail_for_a_while(const setting *where)
{
    long stride = where->device == PLEACH_CUDA ? 4 : 1;
    play_script(where, array_steps, COUNT_OF(array_steps), true, LONG_MAX, stride);
    play_script(where, whole_steps, COUNT_OF(whole_steps), false, LONG_MAX, stride);
}

static void allocations_of_streams_and_views_fail(const setting *where)
{
    if (where->device == PLEACH_CPU)
        return; /* a CPU map has neither */
    size_t count = COUNT_OF(gpu_steps) - tests_skiplist(); /* skiplists have no views */
    play_script(where, gpu_steps, count, false, 1, 1);
    play_script(where, gpu_steps, count, false, LONG_MAX, 4);
}

/* More keys than a GPU map has nodes for at first: where the pool cannot grow, elements are refused, one by one, and
 * are accepted later. A CPU map has its memory from the start and refuses none. */
static void pool_that_cannot_grow_refuses_elements(const setting *where)
{
    static const step steps[] = {{put_all, false, true}, {erase_third, false, false}, {add_all, false, true}};
    bool on_gpu = where->device == PLEACH_CUDA, reached;
    size_t many = where->key_bits == 32 ? 400000 : 200000; /* for twice the least piece of GPU memory */
    script s = script_begin(where, on_gpu ? many : shrunk(20000, 2000));
    /* The pool asks for less and less before it does without. */
    for (long failing = 1; failing < 40; failing += on_gpu ? 3 : 40) {
        play p = {steps, COUNT_OF(steps), false, failing};
        size_t failed_calls = play_once(&s, &p, 1, &reached);
        assert_true(on_gpu || failed_calls == 0);
    }
    assert_int_equal(s.refusals > 0, on_gpu);
    script_end(&s);
}

/* ---- packed ranges while others insert -------------------------------------------------------------------------
 * Even keys stay, odd keys come and go. Queries outgrow their places between counting and filling, so the call gets
 * room elsewhere and tries again; each of its allocations fails in turn. */

enum { STEADY = 300, QUERIES = 64, RANGE_ROOM = QUERIES * 2 * STEADY };

/* A call asks for counts, for places, and in each round for an array of keys and one of values. Rounds need not end. */
enum { FIRST_ROUND = 4, MOST_FAILING = 8 };

typedef struct crowded_range {
    const setting *where;
    wide w;
    long most_asked; /* for in one call */
    size_t failures;
} crowded_range;

static uint64_t steady_value(uint64_t key)
{
    return 5 * key + 1;
}

static bool is_memory_failure(const setting *where, pleach_status status)
{
    return where->device == PLEACH_CUDA && status == PLEACH_E_MEMORY;
}

static void come_and_go(agent *a)
{
    crowded_range *c = a->shared;
    uint64_t keys[STEADY];
    for (size_t i = 0; i < STEADY; i++)
        keys[i] = 2 * i + 1;
    while (!stopped(a)) {
        pleach_status added = wide_add(&c->w, STEADY, keys, keys, NULL, NULL);
        pleach_status erased = wide_erase(&c->w, STEADY, keys, NULL, NULL);
        EXPECT(a, added == PLEACH_OK || is_memory_failure(c->where, added));
        EXPECT(a, erased == PLEACH_OK || is_memory_failure(c->where, erased));
    }
}

/* All that stays is there, ascending, among nothing but what comes and goes. */
static void expect_steady(agent *a, size_t n, const uint64_t *keys, const uint64_t *values)
{
    uint64_t next = 0;
    for (size_t i = 0; i < n; i++) {
        EXPECT(a, keys[i] == next || (i > 0 && keys[i] == next - 1 && keys[i] % 2 == 1 && keys[i] > keys[i - 1]));
        EXPECT(a, values[i] == (keys[i] % 2 ? keys[i] : steady_value(keys[i])));
        if (keys[i] == next)
            next += 2;
    }
    EXPECT(a, next == 2 * STEADY);
}

/* One call with its n-th allocation failing; answers for how many it asked. */
static long ask_crowded(agent *a, long n, uint64_t *keys, uint64_t *values)
{
    crowded_range *c = a->shared;
    uint64_t lo[QUERIES] = {0}, hi[QUERIES], offsets[QUERIES + 1];
    size_t total = 0;
    for (size_t i = 0; i < QUERIES; i++)
        hi[i] = c->w.top;
    base_fail_allocations(n, 1);
    pleach_status status = wide_range(&c->w, QUERIES, lo, hi, 0, RANGE_ROOM, keys, values, offsets, &total);
    long asked = base_fail_allocations(0, 0);
    if (status != PLEACH_OK && (status != PLEACH_E_MEMORY || asked < n))
        agent_fail(a, __FILE__, __LINE__, pleach_status_name(status));
    c->failures += status != PLEACH_OK;
    for (size_t i = 0; i < QUERIES && status == PLEACH_OK; i++)
        expect_steady(a, offsets[i + 1] - offsets[i], keys + offsets[i], values + offsets[i]);
    return asked;
}

static void ask_or_come_and_go(agent *a)
{
    crowded_range *c = a->shared;
    if (a->index > 0) {
        come_and_go(a);
        return;
    }
    FREED uint64_t *keys = must_alloc(RANGE_ROOM, sizeof *keys), *values = must_alloc(RANGE_ROOM, sizeof *values);
    bool reached = true;
    for (long n = 1; reached && !stopped(a); n++) {
        size_t tries = n <= FIRST_ROUND ? 5000 : 50; /* later rounds are for luck to bring */
        reached = false;
        for (size_t i = 0; i < tries && !reached && !stopped(a); i++) {
            long asked = ask_crowded(a, n, keys, values);
            reached = asked >= n;
            if (asked > c->most_asked)
                c->most_asked = asked;
        }
        reached &= n < MOST_FAILING;
    }
    stop_all(a);
}

static void every_allocation_of_ranges_beside_growth_fails(const setting *where)
{
    long held = base_held();
    crowded_range c = {where, wide_open(where), 0, 0};
    uint64_t steady[STEADY], values[STEADY], coming[STEADY];
    for (size_t i = 0; i < STEADY; i++) {
        steady[i] = 2 * i;
        values[i] = steady_value(steady[i]);
        coming[i] = 2 * i + 1;
    }
    AT_END(end_oracle) oracle *o = oracle_create(STEADY, steady);
    put_both(&c.w, o, STEADY, steady, values);
    run_agents(3, ask_or_come_and_go, &c);
    /* A range at one timestamp needs no room to spare, and where other threads have all workers it counts alone. */
    assert_true(c.most_asked >= FIRST_ROUND || ranges_see_one_instant(where));
    /* Where threads share long queries, a call that lacks memory for parts goes on without. */
    assert_true(c.failures > 0 || (where->device == PLEACH_CPU && where->threads > 1));
    assert_ok(wide_erase(&c.w, STEADY, coming, NULL, NULL));
    assert_same(&c.w, o);
    wide_close(&c.w);
    assert_int_equal(base_held(), held);
}

int main(int argc, char **argv)
{
    /* Which allocation fails, and which update is refused for it, is known of concurrent operations; test_batch.c has
     * the same for batches. */
    setenv("PLEACH_TEST_ENGINE", "calls", 1);
    static const test_case cases[] = {
        CASE(every_allocation_of_a_life_fails_once),
        CASE(every_allocation_of_whole_map_calls_fails_once),
        CASE(allocations_fail_for_a_while),
        CASE(allocations_of_streams_and_views_fail),
        CASE(pool_that_cannot_grow_refuses_elements),
        CASE(every_allocation_of_ranges_beside_growth_fails),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
