/* test_batch_snapshots.c - batches while snapshots are live: one batch is one version, and queries run beside it. */
#include <stdlib.h>
#include <string.h>

#include <pleach/snapshot.h>

#include "testkit/agents.h"
#include "testkit/batches.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/pairs.h"
#include "testkit/patterns.h"

enum { MOST_LIVE = 6 };

/* A snapshot, and what it must show for as long as it lives. */
typedef struct shown {
    pleach_snapshot *snapshot;
    pairs content;
} shown;

static void take(const wide *w, shown *s)
{
    s->snapshot = snapshot_of(w);
    s->content = pairs_of_map(w);
}

static void release(shown *s)
{
    pleach_snapshot_release(s->snapshot);
    pairs_free(&s->content);
    s->snapshot = NULL;
}

static void assert_shows(const wide *w, const shown *s)
{
    AT_END(pairs_free) pairs got = pairs_of_snapshot(s->snapshot, w->key_bits);
    assert_int_equal(got.n, s->content.n);
    assert_words_equal("keys", got.n, got.keys, s->content.keys);
    assert_words_equal("values", got.n, got.values, s->content.values);
    count_checked(got.n);
}

/* Snapshots come and go between random batches; every now and then all that are live are looked at. */
static void snapshots_show_whole_batches(const setting *where)
{
    rng r = rng_for(test_seed(), 1 + where->threads);
    AT_END(wide_close) wide w = wide_open_versioned(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, 3000, w.top, &r);
    AT_END(end_oracle) oracle *o = oracle_create(3000, keys);
    shown live[MOST_LIVE] = {{0}};
    for (size_t batches = 0; batches < scaled(150); batches++) {
        shown *s = &live[rng_below(&r, MOST_LIVE)];
        if (s->snapshot) release(s);
        if (rng_below(&r, 3)) take(&w, s);
        batch_plan plan = random_plan(&r, 2000, batches % 16 < 9 ? 1 : batches % 16 < 15 ? -1 : 0);
        batch_both(&w, o, &r, &plan, batches % 4 == 0);
        for (unsigned i = 0; i < MOST_LIVE && batches % 4 == 0; i++)
            if (live[i].snapshot) assert_shows(&w, &live[i]);
        if (batches % 8 == 0) put_both(&w, o, 50, keys, keys); /* beside batches, updates of the other kind */
        if (batches % 4 == 0) assert_valid(&w);
    }
    for (unsigned i = 0; i < MOST_LIVE; i++)
        if (live[i].snapshot) release(&live[i]);
    assert_same(&w, o);
}

/* A snapshot that is renewed before every batch: the copies are used again. */
static void copies_are_used_again(const setting *where)
{
    enum { ROWS = 20000, ROUNDS = 60 };
    rng r = rng_for(test_seed(), 2);
    AT_END(wide_close) wide w = wide_open_versioned(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, ROWS, w.top, &r);
    uint64_t most = 0;
    assert_ok(wide_put(&w, ROWS, keys, keys, NULL, NULL));
    for (unsigned round = 0; round < ROUNDS; round++) {
        pleach_snapshot *snapshot = snapshot_of(&w);
        AT_END(end_oracle) oracle *o = oracle_create(ROWS, keys);
        batch_plan plan = {.n = ROWS, .keys = KEYS_UNIFORM, .weight = {[PLEACH_OP_PUT] = 1}, .widest = 1};
        assert_int_equal(batch_try(&w, o, &r, &plan), PLEACH_OK);
        pleach_snapshot_release(snapshot);
        pleach_map_stats stats = stats_of(w.map);
        uint64_t held = stats.node_bytes + stats.free_bytes + stats.old_image_bytes;
        if (round == 10) most = held;
        if (round > 10) assert_true(held <= most + most / 5);
        count_checked(ROWS);
    }
    assert_valid(&w);
}

/* ---- queries beside batches ---- */

typedef struct beside {
    wide w;
    const setting *where;
    size_t rounds;
    _Atomic size_t queries;
} beside;

enum { KEYS = 4000 };

/* In round k all keys have value k, half of them are not there in odd rounds; a batch is a round. A snapshot shows one
 * round, from beginning to end. */
static void check_round(agent *a, beside *b, pleach_snapshot *snapshot)
{
    uint64_t size = 0, first = UINT64_MAX;
    FREED uint64_t *keys = must_alloc(KEYS, sizeof *keys), *values = must_alloc(KEYS, sizeof *values);
    size_t n = 0;
    bool narrow = b->w.key_bits == 32, right;
    for (unsigned turn = 0; turn < 4; turn++) {
        right = pleach_snapshot_export(snapshot, KEYS, keys, values, &n) == PLEACH_OK &&
                pleach_snapshot_size(snapshot, &size) == PLEACH_OK && size == n;
        for (size_t i = 0; i < n && right; i++) {
            uint64_t value = narrow ? ((uint32_t *)values)[i] : values[i];
            if (first == UINT64_MAX) first = value;
            right = value == first;
        }
        right = right && (n == 0 || n == (first % 2 ? KEYS / 2 : KEYS));
        if (!right) break;
        b->queries++;
    }
    EXPECT(a, right);
}

static void apply_rounds(agent *a, beside *b)
{
    size_t key_bytes = b->w.key_bits / 8;
    uint8_t *kinds = must_alloc(KEYS, 1);
    char *keys = must_alloc(KEYS, key_bytes), *values = must_alloc(KEYS, key_bytes);
    bool right = true;
    for (size_t round = 1; round <= b->rounds && right && !stopped(a); round++) {
        for (uint64_t i = 0; i < KEYS; i++) {
            uint64_t key = i * (b->w.top / KEYS), value = round;
            memcpy(keys + i * key_bytes, &key, key_bytes); /* little-endian, as everywhere here */
            memcpy(values + i * key_bytes, &value, key_bytes);
            kinds[i] = round % 2 && i % 2 ? PLEACH_OP_ERASE : PLEACH_OP_PUT;
        }
        pleach_batch batch = {.n = KEYS, .kinds = kinds, .keys = keys, .values = values};
        right = pleach_map_apply(b->w.map, &batch) == PLEACH_OK;
    }
    free(values);
    free(keys);
    free(kinds);
    stop_all(a);
    EXPECT(a, right);
}

static void apply_or_look(agent *a)
{
    beside *b = a->shared;
    if (a->index == 0) {
        apply_rounds(a, b);
        return;
    }
    while (!stopped(a)) {
        pleach_snapshot *snapshot;
        EXPECT_OK(a, pleach_snapshot_take(b->w.map, &snapshot, PLEACH_SYNC));
        check_round(a, b, snapshot);
        pleach_snapshot_release(snapshot);
    }
}

static void queries_at_snapshots_run_beside_batches(const setting *where)
{
    beside b = {.w = wide_open_versioned(where), .where = where, .rounds = scaled(400)};
    run_agents(4, apply_or_look, &b);
    assert_valid(&b.w);
    count_checked(b.queries * KEYS);
    wide_close(&b.w);
}

/* Without memory for copies, a batch is refused as a whole. */
static void batches_without_room_for_copies_change_nothing(const setting *where)
{
    bool gpu = where->device == PLEACH_CUDA;
    size_t rows = gpu ? 200000 : 4000, refused = 0;
    rng r = rng_for(test_seed(), 3);
    pleach_map_config config = config_for(where);
    config.versioned = 1;
    config.max_bytes = (gpu ? (uint64_t)2 << 20 : (uint64_t)60 << 10) * (where->key_bits / 32);
    AT_END(wide_close) wide w = wide_open_as(config);
    FREED uint64_t *keys = pattern_keys(RANDOM, rows, w.top, &r);
    AT_END(end_oracle) oracle *o = oracle_create(rows, keys);
    batch_plan fill = {.n = rows, .keys = KEYS_UNIFORM, .weight = {[PLEACH_OP_PUT] = 1}, .widest = 1};
    batch_both(&w, o, &r, &fill, true);
    shown before, after;
    take(&w, &before);
    for (unsigned i = 0; i < 8; i++) {
        batch_plan plan = {.n = rows >> i, .keys = KEYS_UNIFORM, .weight = {[PLEACH_OP_PUT] = 1}, .widest = 1};
        pleach_status status = batch_try(&w, o, &r, &plan);
        assert_true(status == PLEACH_OK || status == PLEACH_E_FULL);
        refused += status == PLEACH_E_FULL;
        assert_shows(&w, &before);
        assert_valid(&w);
        if (status == PLEACH_OK) break;
    }
    assert_true(refused > 0);
    take(&w, &after);
    assert_shows(&w, &after);
    release(&before);
    release(&after);
    assert_valid(&w);
}

int main(int argc, char **argv)
{
    tests_of_trees();
    static const test_case cases[] = {
        CASE(snapshots_show_whole_batches),
        CASE(copies_are_used_again),
        CASE(queries_at_snapshots_run_beside_batches),
        CASE(batches_without_room_for_copies_change_nothing),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
