/* test_skiplist.c - maps that are skiplists: their options, every size of chunks and chance to raise one, waves of inserts
 * and erases that split chunks and merge them, and the memory that is held meanwhile. test_skiplist_threads.c has threads
 * that update the same chunks. What skiplists have in common with trees is tested by the other programs, with
 * PLEACH_TEST_STRUCTURE=skiplist. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/skiplists.h"
#include "testkit/wide.h"

/* ---- what can be asked for ------------------------------------------------------------------------------------- */

static void assert_creation(const setting *where, pleach_status expected, const pleach_map_config *changed)
{
    AT_END(destroy_map) pleach_map *map = (pleach_map *)(uintptr_t)64;
    pleach_map_config config = *changed;
    config.device = where->device;
    config.threads = where->threads;
    config.structure = PLEACH_SKIPLIST;
    assert_int_equal(pleach_map_create(&map, &config), expected);
    assert_int_equal(map != NULL, expected == PLEACH_OK);
}

static void options_of_skiplists(const setting *where)
{
    static const unsigned chunks[] = {1, 8, 14, 15, 17, 24, 31, 33, 64, UINT32_MAX};
    static const unsigned teams[] = {3, 5, 6, 12, 31, 33, 64, UINT32_MAX};
    const double raises[] = {-0.1, -1e-300, 1.0000001, 2, -INFINITY, INFINITY, NAN};
    const unsigned bits = where->key_bits;
    assert_creation(where, PLEACH_OK, &(pleach_map_config){.key_bits = 0});
    for (size_t i = 0; i < SHAPES; i++)
        assert_creation(where, PLEACH_OK,
                        &(pleach_map_config){.key_bits = bits, .chunk = shapes[i].chunk, .raise = shapes[i].raise});
    assert_creation(where, PLEACH_OK, &(pleach_map_config){.key_bits = bits, .raise = 1e-300});
    for (unsigned team = 1; team <= 32; team *= 2)
        assert_creation(where, PLEACH_OK, &(pleach_map_config){.key_bits = bits, .chunk = 32, .team = team});
    for (size_t i = 0; i < COUNT_OF(chunks); i++)
        assert_creation(where, PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = bits, .chunk = chunks[i]});
    for (size_t i = 0; i < COUNT_OF(teams); i++)
        assert_creation(where, PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = bits, .team = teams[i]});
    for (size_t i = 0; i < COUNT_OF(raises); i++)
        assert_creation(where, PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = bits, .raise = raises[i]});
    assert_creation(where, PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = 128});
    assert_creation(where, PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = bits, .versioned = 1});
    assert_creation(where, PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = bits, .engine = PLEACH_ENGINE_BATCHES});
    assert_creation(where, PLEACH_OK, &(pleach_map_config){.key_bits = bits, .engine = PLEACH_ENGINE_CALLS});
    assert_creation(where, PLEACH_E_ARGUMENT, &(pleach_map_config){.key_bits = bits, .max_bytes = 1});
}

/* On a GPU neighbouring lanes search together; elsewhere the option changes nothing. */
static void teams_of_every_size(const setting *where)
{
    enum { N = 700 };
    uint64_t keys[N], values[N], told[N];
    uint8_t outcomes[N];
    for (size_t i = 0; i < N; i++) {
        keys[i] = i * 7919 % N;
        values[i] = keys[i] + 5;
    }
    for (unsigned team = 2; team <= 32; team *= 2) {
        pleach_map_config config = skiplist_config(where, shapes[team % 3]);
        config.team = team;
        AT_END(wide_close) wide w = wide_open_as(config);
        assert_ok(wide_put(&w, N, keys, values, outcomes, told));
        for (size_t i = 0; i < N; i++) assert_int_equal(outcomes[i], PLEACH_INSERTED);
        assert_ok(wide_erase(&w, N / 2, keys, outcomes, told));
        assert_ok(wide_find(&w, N, keys, told, outcomes));
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(outcomes[i], i >= N / 2);
            if (i >= N / 2) assert_int_equal(told[i], values[i]);
        }
        assert_ok(pleach_map_validate(w.map, NULL, 0));
        count_checked(3 * N);
    }
}

static void what_skiplists_have_not(const setting *where)
{
    uint64_t key = 1, value = 2;
    uint8_t kind = PLEACH_OP_PUT;
    pleach_batch batch = {.n = 1, .kinds = &kind, .keys = &key, .values = &value};
    pleach_snapshot *snapshot = (pleach_snapshot *)(uintptr_t)64;
    AT_END(wide_close) wide w = open_shape(where, shapes[0]);
    assert_int_equal(pleach_map_apply(w.map, &batch), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_take(w.map, &snapshot, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    assert_null(snapshot);
    assert_map_size(w.map, 0);
    assert_ok(pleach_map_put_one(w.map, key, value, NULL, NULL));
}

/* ---- one caller ------------------------------------------------------------------------------------------------ */

/* In this order in, in that order out again; compared when it is full, half full and empty. */
static void in_and_out(const setting *where, shape s, pattern in, pattern out, size_t n)
{
    rng r = rng_for(test_seed(), 10 * in + out);
    AT_END(wide_close) wide w = open_shape(where, s);
    FREED uint64_t *keys = pattern_keys(in, n, w.top, &r), *values = values_for(n, keys, w.top, 1);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    put_both(&w, o, n, keys, values);
    assert_same(&w, o);
    FREED uint64_t *leaving = must_alloc(n, sizeof *leaving);
    for (size_t i = 0; i < n; i++)
        leaving[i] = out == REVERSE ? o->keys[n - 1 - i] : o->keys[i];
    if (out == RANDOM)
        shuffle(&r, n, leaving);
    erase_both(&w, o, n / 2, leaving);
    assert_same(&w, o);
    erase_both(&w, o, n - n / 2, leaving + n / 2);
    assert_same(&w, o);
    assert_int_equal(stats_of(w.map).keys, 0);
}

static void orders_of(const setting *where, shape s)
{
    static const pattern outs[] = {SORTED, REVERSE, RANDOM};
    for (pattern in = 0; in < PATTERNS; in++)
        in_and_out(where, s, in, outs[(in + s.chunk / 32) % COUNT_OF(outs)], shrunk(1000, 300));
}

/* The same by single calls, whose keys come one after the other for sure. */
static void one_by_one(const setting *where, shape s)
{
    const size_t n = where->device == PLEACH_CUDA ? 100 : shrunk(3000, 600);
    AT_END(wide_close) wide w = open_shape(where, s);
    for (int downwards = 0; downwards < 2; downwards++) {
        for (size_t i = 0; i < n; i++)
            assert_ok(pleach_map_put_one(w.map, downwards ? w.top - i : i, i, NULL, NULL));
        assert_valid(&w);
        for (size_t i = 0; i < n; i++) {
            pleach_outcome outcome = PLEACH_ABSENT;
            uint64_t key = downwards ? w.top - i : i, old = UINT64_MAX;
            assert_ok(pleach_map_erase_one(w.map, key, &outcome, &old));
            assert_int_equal(outcome, PLEACH_ERASED);
            assert_int_equal(old, i);
        }
        assert_valid(&w);
        assert_int_equal(stats_of(w.map).keys, 0);
        count_checked(2 * n);
    }
}

/* The least and the largest key are keys like others, wherever chunks begin and end: alone, among neighbours that come
 * and go, and as all that is left. */
static void edges_of(const setting *where, shape s)
{
    enum { NEAR = 70, N = 2 * NEAR };
    AT_END(wide_close) wide w = open_shape(where, s);
    uint64_t keys[N], values[N];
    for (size_t i = 0; i < N; i++) {
        keys[i] = i < NEAR ? i : w.top - (N - 1 - i);
        values[i] = i % 2 ? 0 : w.top;
    }
    AT_END(end_oracle) oracle *o = oracle_create(N, keys);
    const uint64_t ends[2] = {0, w.top};
    for (size_t round = 0; round < 4; round++) {
        put_both(&w, o, 2, ends, ends);
        assert_same(&w, o);
        add_both(&w, o, N, keys, values);
        assert_same(&w, o);
        if (round % 2)
            erase_both(&w, o, 2, ends);
        else
            erase_both(&w, o, N - 2, keys + 1);
        assert_same(&w, o);
        erase_both(&w, o, N, keys);
        assert_same(&w, o);
        add_both(&w, o, 1, &ends[round % 2], &ends[1]); /* alone */
        assert_same(&w, o);
        erase_both(&w, o, 2, ends);
    }
}

/* Waves over a small range: mostly inserts, then mostly erases, as array calls whose elements the workers share. */
static void array_waves_of(const setting *where, shape s)
{
    const size_t range = shrunk(1500, 500), waves = shrunk(24, 6);
    rng r = rng_for(test_seed(), 40 + s.chunk);
    AT_END(wide_close) wide w = open_shape(where, s);
    FREED uint64_t *keys = must_alloc(range, sizeof *keys);
    for (size_t i = 0; i < range; i++)
        keys[i] = 3 * i;
    AT_END(end_oracle) oracle *o = oracle_create(range, keys);
    for (size_t wave = 0; wave < waves; wave++) {
        const size_t most = 1 + (size_t)rng_below(&r, range);
        shuffle(&r, range, keys);
        FREED uint64_t *values = values_for(range, keys, w.top, wave);
        if (wave % 4 == 0)
            put_both(&w, o, most, keys, values);
        else if (wave % 4 == 1)
            add_both(&w, o, most, keys, values);
        else
            erase_both(&w, o, wave % 8 == 7 ? range : most, keys);
        assert_same_content(&w, o);
    }
    assert_same(&w, o);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* Bytes of chunks that are in use, wait to be used again, or wait until nobody can look at them any more. */
static uint64_t held_bytes(const wide *w, shape s)
{
    pleach_map_stats stats = stats_of(w->map);
    return stats.node_bytes + stats.free_bytes + stats.zombies * chunk_bytes(w, s);
}

/* Each key with itself. */
static void fill_oracle(oracle *o, size_t n, const uint64_t *keys)
{
    uint64_t ignored;
    for (size_t i = 0; i < n; i++)
        oracle_put(o, keys[i], keys[i], &ignored);
}

/* Mixed operations on a range, half of which is there most of the time. PLEACH_TEST_SCALE=10000 makes it a hundred
 * million on a range of a million. */
typedef struct churn {
    wide w;
    uint64_t range;
    size_t calls; /* of each agent */
} churn;

enum { CHURNED_AT_ONCE = 1000 };

/* As many inserts as erases in each turn, so that the number of keys stays what it is. */
static void churn_on(agent *a)
{
    churn *c = a->shared;
    uint64_t keys[CHURNED_AT_ONCE];
    for (size_t call = 0; call < c->calls && !stopped(a); call++) {
        for (size_t i = 0; i < CHURNED_AT_ONCE; i++)
            keys[i] = rng_below(&a->r, c->range);
        EXPECT_OK(a, wide_add(&c->w, 400, keys, keys, NULL, NULL));
        EXPECT_OK(a, wide_erase(&c->w, 400, keys + 400, NULL, NULL));
        EXPECT_OK(a, wide_find(&c->w, 200, keys + 800, NULL, NULL));
    }
}

/* Every pair is a key with itself. */
static void assert_own_values(const wide *w)
{
    size_t n = 0;
    assert_ok(wide_export(w, 0, NULL, NULL, &n));
    FREED uint64_t *keys = must_alloc(n, sizeof *keys), *values = must_alloc(n, sizeof *values);
    assert_ok(wide_export(w, n, keys, values, &n));
    for (size_t i = 0; i < n; i++)
        assert_true(keys[i] == values[i] && (i == 0 || keys[i] > keys[i - 1]));
}

static void churn_holds_little_memory(const setting *where)
{
    const size_t operations = scaled(where->device == PLEACH_CUDA ? 10000000 : 1500000), agents = calling_threads();
    const shape s = shapes[where->threads > 1];
    churn c = {.w = open_shape(where, s), .range = operations / 10 > 1000000 ? 1000000 : operations / 10};
    c.calls = operations / CHURNED_AT_ONCE / agents + 1;
    run_agents(agents, churn_on, &c);
    assert_valid(&c.w);
    assert_own_values(&c.w);
    const pleach_map_stats stats = stats_of(c.w.map);
    const uint64_t held = held_bytes(&c.w, s);
    print_message("%zu operations: %" PRIu64 " keys, %" PRIu64 " chunks, held %.1f%% more than in use, %" PRIu64
                  " zombies, %" PRIu64 " MiB reclaimed\n",
                  operations, stats.keys, stats.leaves + stats.inner,
                  100 * ((double)held / (double)stats.node_bytes - 1), stats.zombies, stats.reclaimed_bytes >> 20);
    /* A tenth is the promise for a range of a million. Where there are fewer chunks, those that each thread keeps at
     * hand weigh more, and so do those that a thread holds back which the operating system stops inside. */
    const bool few = c.range < 1000000;
    const uint64_t at_hand = few ? 64 * (agents + where->threads) * chunk_bytes(&c.w, s) : 0;
    assert_true(held <= stats.node_bytes + stats.node_bytes / (few ? 4 : 10) + at_hand);
    assert_true(stats.reclaimed_bytes > 0);
    wide_close(&c.w);
}

/* All keys come and go, again and again: what they leave behind is used again. */
typedef struct tide {
    wide w;
    size_t n;
    const uint64_t *keys;
    bool ebb;
} tide;

static void turn_tide(agent *a)
{
    tide *t = a->shared;
    const size_t part = t->n / a->count, from = a->index * part, n = a->index + 1 == a->count ? t->n - from : part;
    if (t->ebb)
        EXPECT_OK(a, wide_erase(&t->w, n, t->keys + from, NULL, NULL));
    else
        EXPECT_OK(a, wide_put(&t->w, n, t->keys + from, t->keys + from, NULL, NULL));
}

static void tides_of(const setting *where, shape s)
{
    const size_t n = shrunk(40000, 10000), agents = calling_threads();
    rng r = rng_for(test_seed(), 60);
    tide t = {.w = open_shape(where, s), .n = n};
    uint64_t *keys = pattern_keys(RANDOM, n, t.w.top, &r), first = 0;
    t.keys = keys;
    AT_END(end_oracle) oracle *o = oracle_create(n, keys), *nothing = oracle_create(0, NULL);
    fill_oracle(o, n, keys);
    for (size_t round = 0; round < 6; round++) {
        t.ebb = false;
        run_agents(agents, turn_tide, &t);
        assert_same_content(&t.w, o);
        const uint64_t held = held_bytes(&t.w, s);
        first = round == 0 ? held : first;
        if (held > first + first / 8)
            fail_msg("round %zu holds %" PRIu64 " bytes, the first held %" PRIu64, round, held, first);
        t.ebb = true;
        run_agents(agents, turn_tide, &t);
        assert_same_content(&t.w, nothing);
        const uint64_t left = stats_of(t.w.map).leaves;
        print_message("%" PRIu64 " chunks are left\n", left);
        assert_true(left <= 1 + n / 100); /* the others were merged away */
        shuffle(&r, n, keys);
    }
    assert_true(stats_of(t.w.map).reclaimed_bytes > 0);
    free(keys);
    wide_close(&t.w);
}

/* At most one chunk in twenty is empty, and a few that threads have just left. */
static void assert_few_are_empty(const wide *w, const char *when)
{
    const pleach_map_stats stats = stats_of(w->map);
    print_message("%s: %" PRIu64 " of %" PRIu64 " chunks are empty\n", when, stats.empty_leaves, stats.leaves);
    if (stats.empty_leaves > 8 + stats.leaves / 20)
        fail_msg("%s: %" PRIu64 " of %" PRIu64 " chunks are empty", when, stats.empty_leaves, stats.leaves);
}

/* Consecutive keys from `first` on, put or erased `at_once`. */
static void pass_keys(wide *w, uint64_t first, size_t n, size_t at_once, bool erase)
{
    uint64_t *keys = must_alloc(n, sizeof *keys);
    for (size_t i = 0; i < n; i++) keys[i] = first + i;
    for (size_t i = 0; i < n; i += at_once) {
        const size_t some = n - i < at_once ? n - i : at_once;
        if (erase)
            assert_ok(wide_erase(w, some, keys + i, NULL, NULL));
        else
            assert_ok(wide_put(w, some, keys + i, keys + i, NULL, NULL));
    }
    free(keys);
    count_checked(n);
}

/* A window of keys moves up: array calls put at its head and erase at its tail. What is erased is used again, so the
 * window needs no more memory than when it was filled. */
static void windows_of(const setting *where, shape s)
{
    static const size_t at_once[] = {4, 64, 4096};
    for (size_t i = 0; i < COUNT_OF(at_once); i++) {
        const size_t step = at_once[i], live = shrunk(20000, 8192), turns = (step < 64 ? live : 4 * live) / 4096;
        if (where->device == PLEACH_CUDA && step < 64) continue;
        wide w = open_shape(where, s);
        pass_keys(&w, 0, live, step, false);
        uint64_t head = live, tail = 0;
        for (size_t turn = 0; turn < turns; turn++) {
            for (size_t moved = 0; moved < 4096; moved += step, head += step, tail += step) {
                pass_keys(&w, head, step, step, false);
                pass_keys(&w, tail, step, step, true);
            }
            assert_few_are_empty(&w, "window");
        }
        assert_valid(&w);
        assert_int_equal(stats_of(w.map).keys, live);
        pass_keys(&w, tail, live, live, true);
        assert_few_are_empty(&w, "all erased");
        wide_close(&w);
    }
}

/* The lowest keys go first, many at a time: threads erase what is left of neighbouring chunks at the same time. */
static void ascending_erases_of(const setting *where, shape s)
{
    static const size_t at_once[] = {64, 40000};
    const size_t n = shrunk(40000, 10000);
    for (size_t i = 0; i < COUNT_OF(at_once); i++) {
        wide w = open_shape(where, s);
        pass_keys(&w, 0, n, 40000, false);
        pass_keys(&w, 0, n / 2, at_once[i], true);
        assert_few_are_empty(&w, "half erased");
        pass_keys(&w, n / 2, n - n / 2, at_once[i], true);
        assert_few_are_empty(&w, "all erased");
        assert_valid(&w);
        assert_int_equal(stats_of(w.map).keys, 0);
        wide_close(&w);
    }
}

/* Every other chunk loses all its keys, and both of its neighbours are full: a merge moves the pairs of one. */
static void gaps_of(const setting *where, shape s)
{
    const size_t slots = s.chunk - 2, n = shrunk(200, 100) * 2 * slots;
    if (where->device == PLEACH_CUDA || where->threads > 1) return; /* chunks do not begin where expected */
    wide w = open_shape(where, s);
    pass_keys(&w, 0, n, 1, false);
    assert_int_equal(stats_of(w.map).leaves, n / slots);
    for (size_t first = 0; first < n; first += 2 * slots) pass_keys(&w, first, slots, 1, true);
    assert_few_are_empty(&w, "gaps");
    assert_valid(&w);
    wide_close(&w);
}

/* All but one key in `kept` are erased, in random order. Chunks that less than a third of the slots are used of merge
 * with a neighbour, so that the rest is not scattered over as many. */
static void thin_out(const setting *where, shape s, size_t kept)
{
    const size_t n = shrunk(30000, 10000), slots = s.chunk - 2;
    rng r = rng_for(test_seed(), 70 + kept);
    AT_END(wide_close) wide w = open_shape(where, s);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r), *leaving = must_alloc(n, sizeof *leaving);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    size_t gone = 0;
    put_both(&w, o, n, keys, keys);
    const pleach_map_stats before = stats_of(w.map);
    for (size_t i = 0; i < n; i++)
        if (i % kept)
            leaving[gone++] = o->keys[i];
    shuffle(&r, gone, leaving);
    erase_both(&w, o, gone, leaving);
    assert_same_content(&w, o);
    const pleach_map_stats after = stats_of(w.map);
    print_message("1 in %zu: %" PRIu64 " chunks become %" PRIu64 ", %.0f%% full\n", kept, before.leaves, after.leaves,
                  100 * after.fill);
    assert_true(after.leaves < before.leaves);
    /* A few find no neighbour that nobody else is about, and nobody comes by later. */
    assert_true(after.leaves <= 8 + before.leaves / 50 + 4 * (n - gone) / slots);
    put_both(&w, o, gone, leaving, leaving);
    assert_same_content(&w, o);
}

static void thinnings_of(const setting *where, shape s)
{
    static const size_t kept[] = {2, 10, 100};
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        thin_out(where, s, kept[i]);
}

/* Levels that have nothing to offer any more are left again, so that ways get short. */
static void sinking_of(const setting *where, shape s)
{
    const size_t n = shrunk(30000, 20000), few = 100;
    rng r = rng_for(test_seed(), 90);
    AT_END(wide_close) wide w = open_shape(where, s);
    const pleach_map_stats empty = stats_of(w.map);
    FREED uint64_t *keys = pattern_keys(REVERSE, n, w.top, &r);
    assert_ok(wide_put(&w, n, keys, keys, NULL, NULL));
    const unsigned high = stats_of(w.map).height;
    for (size_t i = 0; i < n; i += few)
        assert_ok(wide_erase(&w, n - i < few ? n - i : few, keys + i, NULL, NULL));
    assert_valid(&w);
    const pleach_map_stats after = stats_of(w.map);
    print_message("height %u becomes %u\n", high, after.height);
    assert_true(high > 2 || s.raise < 0.5);
    if (where->device == PLEACH_CPU && where->threads == 1) { /* else a few find no neighbour that nobody is about */
        assert_int_equal(after.height, empty.height);
        assert_int_equal(after.inner, empty.inner);
        assert_int_equal(after.leaves, empty.leaves);
    }
}

/* Fewer chunks raised, fewer chunks above; but some, as long as there are many below. */
static void fewer_are_raised_with_less_chance(const setting *where)
{
    const size_t n = shrunk(60000, 30000);
    uint64_t inner[3];
    for (unsigned chunk = 16; chunk <= 32; chunk *= 2) {
        static const double raises[] = {1, 0.5, 0.1};
        for (size_t i = 0; i < COUNT_OF(raises); i++) {
            rng r = rng_for(test_seed(), 80);
            AT_END(wide_close) wide w = open_shape(where, (shape){chunk, raises[i]});
            FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r);
            assert_ok(wide_put(&w, n, keys, keys, NULL, NULL));
            inner[i] = stats_of(w.map).inner;
            assert_true(stats_of(w.map).height > 1 && inner[i] > 0);
        }
        assert_true(inner[1] < inner[0] && inner[2] < inner[1]);
    }
}

/* Whole-map calls leave no zombies, and a map as full as they were asked for. */
static void whole_map_calls_of(const setting *where, shape s)
{
    static const double fills[] = {0.3, 0.7, 1};
    const size_t n = shrunk(20000, 5000);
    rng r = rng_for(test_seed(), 90);
    AT_END(wide_close) wide w = open_shape(where, s);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    for (size_t i = 0; i < COUNT_OF(fills); i++) {
        assert_ok(wide_load(&w, n, keys, keys, fills[i]));
        fill_oracle(o, n, keys);
        assert_same_content(&w, o);
        assert_true(fabs(stats_of(w.map).fill - fills[i]) < 0.08);
        erase_both(&w, o, n / 2, keys);
        assert_ok(pleach_map_compact(w.map, fills[i]));
        assert_same_content(&w, o);
        const pleach_map_stats stats = stats_of(w.map);
        assert_true(fabs(stats.fill - fills[i]) < 0.08);
        assert_true(stats.zombies == 0 && stats.free_bytes == 0 && stats.empty_leaves == 0);
        assert_ok(pleach_map_clear(w.map));
        oracle_clear(o);
        assert_same_content(&w, o);
        assert_true(stats_of(w.map).zombies == 0 && stats_of(w.map).leaves == 1);
    }
}

/* A map that is full says so of each key that it does not take, keeps the others, and has room again when some were
 * erased: what is merged away comes back, without compact. */
static void limits_of(const setting *where, shape s)
{
    enum { CHUNKS = 60, ROUNDS = 4 };
    pleach_map_config config = skiplist_config(where, s);
    config.max_bytes = (uint64_t)CHUNKS * s.chunk * where->key_bits / 4;
    AT_END(wide_close) wide w = wide_open_as(config);
    const size_t n = 2 * (size_t)CHUNKS * s.chunk;
    rng r = rng_for(test_seed(), 95);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r);
    uint64_t ignored;
    FREED uint8_t *outcomes = untouched_bytes(n);
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    size_t held_first = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        assert_int_equal(wide_put(&w, n, keys, keys, outcomes, NULL), PLEACH_E_FULL);
        for (size_t i = 0; i < n; i++) {
            assert_true(outcomes[i] == PLEACH_INSERTED || outcomes[i] == PLEACH_NOT_APPLIED);
            if (outcomes[i] == PLEACH_INSERTED)
                oracle_put(o, keys[i], keys[i], &ignored);
        }
        assert_same(&w, o);
        assert_true(stats_of(w.map).node_bytes <= config.max_bytes);
        held_first = round == 0 ? o->size : held_first;
        assert_true(o->size > held_first / 2 && o->size > 4 * CHUNKS);
        erase_both(&w, o, n, keys);
        assert_same(&w, o);
        stats_of(w.map); /* what threads have retired last is free now, whoever was stopped inside meanwhile */
        shuffle(&r, n, keys);
    }
}

static const test_case cases[] = {
    CASE(options_of_skiplists),
    CASE(teams_of_every_size),
    CASE(what_skiplists_have_not),
    EVERY_SHAPE(every_order_in_and_out, orders_of),
    EVERY_SHAPE(ascending_and_descending_one_by_one, one_by_one),
    EVERY_SHAPE(least_and_largest_key, edges_of),
    EVERY_SHAPE(waves_of_array_calls, array_waves_of),
    CASE(churn_holds_little_memory),
    EVERY_SHAPE(tides_need_no_more_memory, tides_of),
    EVERY_SHAPE(windows_leave_nothing_empty, windows_of),
    EVERY_SHAPE(ascending_erases_leave_nothing_empty, ascending_erases_of),
    EVERY_SHAPE(gaps_leave_nothing_empty, gaps_of),
    EVERY_SHAPE(small_chunks_merge, thinnings_of),
    EVERY_SHAPE(heights_sink_again, sinking_of),
    CASE(fewer_are_raised_with_less_chance),
    EVERY_SHAPE(whole_map_calls, whole_map_calls_of),
    EVERY_SHAPE(a_full_pool_has_room_again, limits_of),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
