/* test_batch.c - batches against the oracle, which does one operation after the other. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/batches.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/patterns.h"

static oracle *universe(rng *r, size_t n, uint64_t top, pattern which)
{
    FREED uint64_t *keys = pattern_keys(which, n, top, r);
    return oracle_create(n, keys);
}

/* Batches until so many operations are done; the map grows and shrinks, and is emptied now and then. */
static void random_batches(const setting *where, size_t rows, size_t most, size_t operations, uint64_t part)
{
    rng r = rng_for(test_seed(), 10 * part + where->threads);
    AT_END(wide_close) wide w = wide_open(where);
    AT_END(end_oracle) oracle *o = universe(&r, rows, w.top, (pattern)rng_below(&r, PATTERNS));
    for (size_t done = 0, batches = 0; done < operations; batches++) {
        batch_plan plan = random_plan(&r, most, batches % 16 < 9 ? 1 : batches % 16 < 15 ? -1 : 0);
        batch_both(&w, o, &r, &plan, batches % 8 == 0);
        done += plan.n;
    }
    assert_same(&w, o);
}

static void small_batches(const setting *where) { random_batches(where, 300, 60, scaled(100000), 1); }
static void batches_on_few_keys(const setting *where) { random_batches(where, 40, 3000, scaled(200000), 2); }

static void batches_on_many_keys(const setting *where)
{
    random_batches(where, shrunk(50000, 5000), 20000, scaled(800000), 3);
}

/* A batch into an empty map splits one leaf into as many as there are, and the root into several levels. */
static void one_batch_builds_the_map(const setting *where)
{
    for (pattern which = 0; which < PATTERNS; which++) {
        rng r = rng_for(test_seed(), which);
        AT_END(wide_close) wide w = wide_open(where);
        size_t n = scaled(100000);
        AT_END(end_oracle) oracle *o = universe(&r, n, w.top, which);
        batch_plan plan = {.n = 2 * n, .weight = {[PLEACH_OP_PUT] = 5, [PLEACH_OP_FIND] = 1}, .widest = 1};
        batch_both(&w, o, &r, &plan, true);
        plan.keys = KEYS_ASCENDING;
        batch_both(&w, o, &r, &plan, true);
        plan.weight[PLEACH_OP_PUT] = 0;
        plan.weight[PLEACH_OP_ERASE] = 9;
        batch_both(&w, o, &r, &plan, true);
        batch_both(&w, o, &r, &plan, true);
    }
}

/* ---- counts ---- */

static void wide_counts(const setting *where)
{
    rng r = rng_for(test_seed(), 9);
    AT_END(wide_close) wide w = wide_open(where);
    AT_END(end_oracle) oracle *o = universe(&r, 6000, w.top, RANDOM);
    for (size_t i = 0; i < 4; i++) {
        batch_plan plan = {.n = 1 + (size_t)rng_below(&r, scaled(9000)), .keys = (batch_keys)(i % KEY_CHOICES),
                           .widest = 6000, .limit = 3};
        for (unsigned k = 0; k < OPERATIONS; k++) plan.weight[k] = 3;
        plan.weight[PLEACH_OP_COUNT] = 12;
        batch_both(&w, o, &r, &plan, true);
    }
}

/* Half updates, half counts of the whole map: each must see the updates before it, and none may cost the map. */
static void whole_counts_among_updates(const setting *where)
{
    size_t n = 2 * scaled((size_t)1 << (where->device == PLEACH_CUDA ? 19 : 18)), size = 0;
    rng r = rng_for(test_seed(), 10);
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint8_t *kinds = must_alloc(n, 1), *present = must_alloc(n, 1);
    FREED uint64_t *counts = must_alloc(n, sizeof *counts), *expected = must_alloc(n, sizeof *expected);
    FREED void *keys = must_alloc(n, sizeof(uint64_t)), *highs = must_alloc(n, sizeof(uint64_t));
    memset(present, 0, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = i % 2 ? 0 : 1 + rng_below(&r, n - 1), high = w.top;
        kinds[i] = i % 2 ? PLEACH_OP_COUNT : rng_percent(&r, 60) ? PLEACH_OP_PUT : PLEACH_OP_ERASE;
        if (i % 2 == 0) {
            size -= present[key];
            present[key] = kinds[i] == PLEACH_OP_PUT;
            size += present[key];
        }
        counts[i] = 0;
        expected[i] = i % 2 ? size : 0;
        if (w.key_bits == 32) {
            ((uint32_t *)keys)[i] = (uint32_t)key;
            ((uint32_t *)highs)[i] = (uint32_t)high;
        } else {
            ((uint64_t *)keys)[i] = key;
            ((uint64_t *)highs)[i] = high;
        }
    }
    pleach_batch batch = {.n = n, .kinds = kinds, .keys = keys, .values = highs, .counts = counts};
    assert_ok(pleach_map_apply(w.map, &batch));
    assert_words_equal("counts", n, counts, expected);
    count_checked(n);
}

/* ---- batches and other calls in turn ---- */

/* Distinct keys by concurrent array calls, then a batch of anything, and so on. */
static void batches_alternate_with_other_calls(const setting *where)
{
    enum { ROWS = 600, KEYS = 40 };
    rng r = rng_for(test_seed(), 8 + where->threads);
    AT_END(wide_close) wide w = wide_open(where);
    AT_END(end_oracle) oracle *o = universe(&r, ROWS, w.top, CLUSTERED);
    uint64_t shuffled[ROWS], values[ROWS];
    memcpy(shuffled, o->keys, o->rows * sizeof *shuffled);
    size_t rounds = scaled(where->device == PLEACH_CUDA ? 300 : where->threads > 1 && w.key_bits == 64 ? 10000 : 500);
    for (size_t i = 0; i < rounds; i++) {
        shuffle(&r, o->rows, shuffled);
        for (size_t k = 0; k < KEYS; k++) values[k] = rng_next(&r) & w.top;
        if (i % 3 == 0) erase_both(&w, o, KEYS, shuffled);
        put_both(&w, o, KEYS, shuffled + KEYS, values);
        add_both(&w, o, KEYS, shuffled + 2 * KEYS, values);
        batch_plan plan = random_plan(&r, 200, i % 20 < 10 ? 1 : -1);
        batch_both(&w, o, &r, &plan, true); /* validates, too */
    }
}

/* ---- the same batch makes the same tree ---- */

static uint64_t shape_after(const setting *where, unsigned threads, size_t batches, size_t most)
{
    setting with = *where;
    with.threads = threads;
    rng r = rng_for(test_seed(), 77);
    AT_END(wide_close) wide w = wide_open(&with);
    AT_END(end_oracle) oracle *o = universe(&r, shrunk(30000, 5000), w.top, RANDOM);
    for (size_t i = 0; i < batches; i++) {
        batch_plan plan = random_plan(&r, most, i % 6 < 4 ? 1 : -1);
        batch_both(&w, o, &r, &plan, false);
    }
    pleach_map_stats stats = stats_of(w.map);
    return stats.shape;
}

static void the_same_batches_make_the_same_tree(const setting *where)
{
    uint64_t shape = shape_after(where, 1, 12, 30000);
    assert_true(shape != 0);
    for (unsigned threads = 1; threads <= 5; threads++)
        assert_true(shape_after(where, threads, 12, 30000) == shape);
}

/* Without a query among them operations are applied in one pass (batch/batch_fused.h), with one in stages: so here
 * the same ones both ways, by one thread and by several. */
enum { PASS_MOST = 20000, PASS_KEYS = 60000 };

typedef struct two_ways {
    void *keys, *values, *old[2]; /* words of the map's width */
    uint8_t *kinds, *flags[2];
} two_ways;

static void random_updates(rng *r, const wide *w, two_ways *t, size_t n, size_t round)
{
    uint64_t spread = round % 3 == 0 ? 1 : w->top / PASS_KEYS, few = round % 4 == 1 ? 7 : PASS_KEYS;
    bool ascending = round % 5 == 2;
    for (size_t i = 0; i < n; i++) {
        set_word(w->key_bits, t->keys, i, (ascending ? 1000 * round % PASS_KEYS + i : rng_below(r, few)) * spread);
        set_word(w->key_bits, t->values, i, rng_next(r) & w->top);
        t->kinds[i] = (uint8_t)(round % 6 == 5 ? PLEACH_OP_ERASE : rng_below(r, PLEACH_OP_CONTAINS + 1));
    }
    set_word(w->key_bits, t->keys, n, 0); /* a count of the keys up to 0, after all others */
    set_word(w->key_bits, t->values, n, 0);
    t->kinds[n] = PLEACH_OP_COUNT;
}

static uint64_t apply_one_way(const wide *w, const two_ways *t, size_t n, unsigned way)
{
    pleach_batch batch = {.n = n + way, .kinds = t->kinds, .keys = t->keys, .values = t->values,
                          .flags = t->flags[way], .out_values = t->old[way]};
    memset(t->flags[way], UNTOUCHED, n + 1);
    memset(t->old[way], UNTOUCHED, (n + 1) * w->key_bits / 8);
    assert_ok(pleach_map_apply(w->map, &batch));
    pleach_map_stats stats = stats_of(w->map);
    return stats.shape + stats.keys;
}

static void agree(const setting *where, two_ways *t, unsigned threads)
{
    rng r = rng_for(test_seed(), 90 + threads);
    setting with = *where;
    with.threads = threads;
    wide w[2] = {wide_open(&with), wide_open(where)};
    for (size_t round = 0; round < scaled(60); round++) {
        size_t n = 1 + rng_below(&r, round % 2 ? PASS_MOST : 300);
        random_updates(&r, &w[0], t, n, round);
        assert_true(apply_one_way(&w[0], t, n, 0) == apply_one_way(&w[1], t, n, 1));
        assert_memory_equal(t->flags[0], t->flags[1], n);
        assert_memory_equal(t->old[0], t->old[1], n * w[0].key_bits / 8);
        count_checked(2 * n);
    }
    wide_close(&w[0]);
    wide_close(&w[1]);
}

static void one_pass_and_stages_agree(const setting *where)
{
    enum { N = PASS_MOST + 1, WORD = sizeof(uint64_t) };
    two_ways t = {must_alloc(N, WORD), must_alloc(N, WORD), {must_alloc(N, WORD), must_alloc(N, WORD)},
                  must_alloc(N, 1), {must_alloc(N, 1), must_alloc(N, 1)}};
    for (unsigned threads = 1; threads <= 5; threads++) agree(where, &t, threads);
    void *all[] = {t.keys, t.values, t.old[0], t.old[1], t.kinds, t.flags[0], t.flags[1]};
    for (size_t i = 0; i < COUNT_OF(all); i++) free(all[i]);
}

/* ---- batches that fail ---- */

static void bad_arguments_are_refused(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    uint64_t keys[4] = {1, 2, 3, 4};
    uint8_t kinds[4] = {PLEACH_OP_PUT, PLEACH_OP_ADD, PLEACH_OP_ERASE, PLEACH_OP_FIND}, flags[4];
    pleach_batch batch = {.n = 4, .kinds = kinds, .keys = keys, .values = keys, .flags = flags}, copy = batch;
    assert_int_equal(pleach_map_apply(NULL, &batch), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_map_apply(w.map, NULL), PLEACH_E_ARGUMENT);
    copy.kinds = NULL;
    assert_int_equal(pleach_map_apply(w.map, &copy), PLEACH_E_ARGUMENT);
    copy = batch;
    copy.keys = NULL;
    assert_int_equal(pleach_map_apply(w.map, &copy), PLEACH_E_ARGUMENT);
    copy = batch;
    copy.values = NULL;
    assert_int_equal(pleach_map_apply(w.map, &copy), PLEACH_E_ARGUMENT);
    copy = batch;
    copy.n = ((size_t)1 << 30) + 1;
    assert_int_equal(pleach_map_apply(w.map, &copy), PLEACH_E_SIZE);
    kinds[3] = PLEACH_OP_RANGE + 1;
    assert_int_equal(pleach_map_apply(w.map, &batch), PLEACH_E_ARGUMENT);
    assert_map_size(w.map, 0);
    kinds[3] = PLEACH_OP_FIND;
    copy = batch;
    copy.n = 0;
    assert_ok(pleach_map_apply(w.map, &copy));
    copy = (pleach_batch){.n = 2, .kinds = kinds + 2, .keys = keys}; /* no results, no values */
    assert_ok(pleach_map_apply(w.map, &copy));
    assert_ok(pleach_map_apply(w.map, &batch));
    assert_int_equal(flags[0], PLEACH_INSERTED);
}

static void pairs_without_room_change_nothing(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    uint64_t first[2] = {5, 0}, keys[3] = {1, 5, 0}, values[3] = {7, 7, w.top}, pairs[4], offsets[4];
    uint32_t narrow_keys[3] = {1, 5, 0}, narrow_values[3] = {7, 7, (uint32_t)w.top};
    uint8_t put = PLEACH_OP_PUT, kinds[3] = {PLEACH_OP_PUT, PLEACH_OP_ERASE, PLEACH_OP_RANGE};
    bool wide_keys = w.key_bits == 64;
    uint32_t narrow_first = 5;
    const void *one = wide_keys ? (const void *)first : &narrow_first;
    pleach_batch batch = {.n = 1, .kinds = &put, .keys = one, .values = one};
    assert_ok(pleach_map_apply(w.map, &batch));
    batch = (pleach_batch){.n = 3, .kinds = kinds, .keys = wide_keys ? (const void *)keys : narrow_keys,
                           .values = wide_keys ? (const void *)values : narrow_values, .offsets = offsets,
                           .range_keys = pairs, .capacity = 0};
    assert_int_equal(pleach_map_apply(w.map, &batch), PLEACH_E_SPACE);
    assert_int_equal(batch.total, 1);
    int found = 0;
    assert_ok(pleach_map_contains_one(w.map, 5, &found));
    assert_true(found);
    assert_ok(pleach_map_contains_one(w.map, 1, &found));
    assert_false(found);
    batch.capacity = 1;
    assert_ok(pleach_map_apply(w.map, &batch));
    assert_int_equal(offsets[3], 1);
    uint32_t narrow_pair;
    memcpy(&narrow_pair, pairs, sizeof narrow_pair);
    assert_int_equal(wide_keys ? pairs[0] : narrow_pair, 1);
}

/* ---- what erasing leaves ---- */

/* Array calls that are batches. */
static wide open_by_batches(const setting *where)
{
    pleach_map_config config = config_for(where);
    config.engine = PLEACH_ENGINE_BATCHES;
    wide w = wide_open_as(config);
    return w;
}

static pleach_map_stats valid_stats(const wide *w)
{
    assert_valid(w);
    pleach_map_stats stats = stats_of(w->map);
    return stats;
}

static uint64_t held_bytes(const pleach_map_stats *stats) { return stats->node_bytes + stats->free_bytes; }

/* Puts all keys, and erases all but one in `stride` of them, several times: nodes are put together, and used again. */
static void erase_most(const setting *where, size_t stride)
{
    enum { ROWS = 60000 };
    rng r = rng_for(test_seed(), 30 + stride);
    AT_END(wide_close) wide w = open_by_batches(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, ROWS, w.top, &r), *erased = must_alloc(ROWS, sizeof *erased);
    uint64_t most_bytes = 0;
    FREED uint8_t *found = must_alloc(ROWS, 1);
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++)
        if (i % stride != 0) erased[n++] = keys[i];
    for (unsigned round = 0; round < 6; round++) {
        assert_ok(wide_put(&w, ROWS, keys, keys, NULL, NULL));
        pleach_map_stats full = valid_stats(&w);
        assert_int_equal(full.keys, ROWS);
        assert_ok(wide_erase(&w, n, erased, NULL, NULL));
        pleach_map_stats left = valid_stats(&w);
        assert_int_equal(left.keys, ROWS - n);
        assert_true(left.height <= full.height);
        if (left.fill < 0.25 && left.leaves > full.leaves / 50)
            fail_msg("one in %zu: %llu leaves, %.2f full", stride, (unsigned long long)left.leaves, left.fill);
        assert_int_equal(held_bytes(&left), held_bytes(&full));
        if (round == 2) most_bytes = held_bytes(&full);
        if (round > 2) assert_true(held_bytes(&full) <= most_bytes + most_bytes / 10);
        assert_ok(wide_contains(&w, ROWS, keys, found));
        for (size_t i = 0; i < ROWS; i++) assert_int_equal(found[i], i % stride == 0);
        count_checked(ROWS + n);
    }
}

static void erasing_puts_nodes_together(const setting *where)
{
    const size_t strides[] = {2, 3, 5, 10, 30, 100, 1000};
    for (size_t i = 0; i < COUNT_OF(strides); i++) erase_most(where, strides[i]);
}

/* Array updates after a batch of finds, of which the map may remember something. */
static void array_updates_after_finds(const setting *where)
{
    enum { ROWS = 20000 };
    rng r = rng_for(test_seed(), 40);
    AT_END(wide_close) wide w = open_by_batches(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, ROWS, w.top, &r), *olds = must_alloc(ROWS, sizeof *olds);
    AT_END(end_oracle) oracle *o = oracle_create(ROWS, keys);
    FREED uint8_t *outcomes = must_alloc(ROWS, 1);
    for (unsigned round = 0; round < 4; round++) {
        batch_plan finds = {.n = ROWS, .keys = KEYS_UNIFORM, .weight = {[PLEACH_OP_FIND] = 1}, .widest = 1};
        batch_both(&w, o, &r, &finds, true);
        assert_ok(wide_put(&w, ROWS, keys, keys, outcomes, olds));
        for (size_t i = 0; i < ROWS; i++) {
            uint64_t old = 0;
            assert_int_equal(outcomes[i], oracle_put(o, keys[i], keys[i], &old));
            if (outcomes[i] == PLEACH_REPLACED) assert_true(olds[i] == old);
        }
        batch_both(&w, o, &r, &finds, true);
        assert_ok(wide_erase(&w, ROWS / 2, keys, outcomes, NULL));
        for (size_t i = 0; i < ROWS / 2; i++) {
            uint64_t old = 0;
            assert_int_equal(outcomes[i], oracle_erase(o, keys[i], &old));
        }
        count_checked(ROWS + ROWS / 2);
        assert_same(&w, o);
    }
}

/* A window that moves over ascending keys: memory stays. */
static void a_moving_window_needs_no_more_memory(const setting *where)
{
    enum { WINDOW = 20000, STEP = 1000 };
    AT_END(wide_close) wide w = open_by_batches(where);
    uint64_t most_bytes = 0, keys[STEP], old[STEP];
    for (uint64_t at = 0; at < 100 * STEP; at += STEP) {
        for (uint64_t i = 0; i < STEP; i++) {
            keys[i] = at + i;
            old[i] = at - WINDOW + i;
        }
        assert_ok(wide_put(&w, STEP, keys, keys, NULL, NULL));
        if (at >= WINDOW) assert_ok(wide_erase(&w, STEP, old, NULL, NULL));
        count_checked(at >= WINDOW ? 2 * STEP : STEP);
        pleach_map_stats stats = valid_stats(&w);
        if (at == 2 * WINDOW) most_bytes = held_bytes(&stats);
        if (at > 2 * WINDOW) assert_true(held_bytes(&stats) <= most_bytes + most_bytes / 4);
        assert_int_equal(stats.keys, at < WINDOW ? at + STEP : WINDOW);
    }
}

/* A map near its limit refuses what does not fit as a whole, on whatever level the nodes run out, and goes on. */
static void batches_beyond_the_limit_change_nothing(const setting *where)
{
    /* A GPU's pool has memory in pieces of 2 MiB. */
    bool gpu = where->device == PLEACH_CUDA;
    size_t refused = 0, rows = gpu ? 400000 : 20000, rounds = gpu ? 3 : 200;
    rng r = rng_for(test_seed(), 5);
    AT_END(wide_close) wide w = wide_open_limited(where, gpu ? (uint64_t)2 << 20 : (uint64_t)200 << 10);
    AT_END(end_oracle) oracle *o = universe(&r, rows, w.top, RANDOM);
    size_t least = gpu ? 1 : 20; /* of six rounds it has happened that all fit */
    for (size_t i = 0; i < scaled(rounds) || i < least || (i < rounds && refused == 0); i++) {
        batch_plan plan = random_plan(&r, i % 10 == 0 ? rows : rows / 40, 1);
        assert_ok(pleach_map_clear(w.map));
        oracle_clear(o);
        plan.n = rows / 8;
        plan.weight[PLEACH_OP_PUT] = 1000;
        batch_both(&w, o, &r, &plan, true);
        plan.n = rows;
        pleach_status status = batch_try(&w, o, &r, &plan);
        assert_true(status == PLEACH_OK || status == PLEACH_E_FULL);
        refused += status == PLEACH_E_FULL;
        if (status == PLEACH_OK) {
            assert_ok(pleach_map_clear(w.map));
            oracle_clear(o);
        }
    }
    assert_true(refused > 0);
}

/* Every allocation of a batch fails once. */
static void batches_without_memory_change_nothing(const setting *where)
{
    rng r = rng_for(test_seed(), 6);
    AT_END(wide_close) wide w = wide_open(where);
    AT_END(end_oracle) oracle *o = universe(&r, 5000, w.top, RANDOM);
    batch_plan plan = {.n = 4000, .widest = 4,
                       .weight = {[PLEACH_OP_PUT] = 5, [PLEACH_OP_FIND] = 1, [PLEACH_OP_RANGE] = 1}};
    batch_both(&w, o, &r, &plan, true);
    bool failed = true;
    for (long nth = 1; failed; nth++) {
        rng before = r;
        plan.n += 1000; /* more than there is memory for from before */
        base_fail_nth_allocation(nth);
        pleach_status status = batch_try(&w, o, &r, &plan);
        failed = status != PLEACH_OK;
        assert_true(status == PLEACH_OK || status == PLEACH_E_MEMORY || status == PLEACH_E_FULL);
        base_fail_nth_allocation(0);
        if (failed) {
            r = before;
            batch_both(&w, o, &r, &plan, true);
        }
        assert_true(nth < 100);
    }
}

int main(int argc, char **argv)
{
    tests_of_trees();
    static const test_case cases[] = {
        CASE(small_batches),
        CASE(batches_on_few_keys),
        CASE(batches_on_many_keys),
        CASE(one_batch_builds_the_map),
        CASE(wide_counts),
        CASE(whole_counts_among_updates),
        CASE(batches_alternate_with_other_calls),
        CASE(the_same_batches_make_the_same_tree),
        CASE(erasing_puts_nodes_together),
        CASE(array_updates_after_finds),
        CASE(a_moving_window_needs_no_more_memory),
        CASE(one_pass_and_stages_agree),
        CASE(bad_arguments_are_refused),
        CASE(pairs_without_room_change_nothing),
        CASE(batches_beyond_the_limit_change_nothing),
        CASE(batches_without_memory_change_nothing),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
