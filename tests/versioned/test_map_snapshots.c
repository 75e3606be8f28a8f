/* test_map_snapshots.c - snapshots of versioned maps: each shows the map at one instant, for as long as it lives, and
 * what only it needed goes away with it. */
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/wide.h"

static pleach_map *open_versioned(const setting *where, uint64_t max_bytes)
{
    pleach_map_config config = config_for(where);
    pleach_map *map = NULL;
    config.versioned = 1;
    config.max_bytes = max_bytes;
    assert_ok(pleach_map_create(&map, &config));
    return map;
}

static void close_versioned(pleach_map *map)
{
    assert_valid_map(map);
    pleach_map_stats stats = stats_of(map);
    assert_int_equal(stats.snapshots, 0);
    assert_int_equal(stats.old_images, 0);
    pleach_map_destroy(map);
}

/* ---- contents kept aside ---- */

enum { UNIVERSE = 3000, HELD = 1000, QUESTIONS = 1000 };

typedef struct memory_of {
    pleach_snapshot *snapshot;
    uint64_t values[UNIVERSE]; /* of key 7 * i; 0: absent */
    size_t size;
} memory_of;

static uint64_t key_of(size_t number) { return 7 * (uint64_t)number + 1; }

/* Arrays for a call, of either width. */
enum { MOST_ASKED = 400 };
static uint64_t asked[MOST_ASKED], asked_high[MOST_ASKED], told_keys[MOST_ASKED], told_values[MOST_ASKED],
    told_counts[MOST_ASKED];
static size_t asked_number[MOST_ASKED], asked_end[MOST_ASKED];
static uint8_t told[MOST_ASKED];

static void ask_find(const memory_of *m, unsigned bits, size_t n)
{
    assert_ok(pleach_snapshot_find(m->snapshot, n, asked, told_values, told, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        uint64_t value = m->values[asked_number[i]];
        assert_int_equal(told[i], value != 0);
        if (told[i]) assert_int_equal(get_word(bits, told_values, i), value);
    }
}

static void assert_told(const memory_of *m, unsigned bits, size_t i, size_t number)
{
    assert_int_equal(told[i], number < UNIVERSE);
    if (!told[i]) return;
    assert_int_equal(get_word(bits, told_keys, i), key_of(number));
    assert_int_equal(get_word(bits, told_values, i), m->values[number]);
}

static void ask_neighbours(const memory_of *m, unsigned bits, size_t n)
{
    assert_ok(pleach_snapshot_succ(m->snapshot, n, asked, told_keys, told_values, told, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        size_t up = asked_number[i] + 1;
        while (up < UNIVERSE && m->values[up] == 0) up++;
        assert_told(m, bits, i, up);
    }
    assert_ok(pleach_snapshot_pred(m->snapshot, n, asked, told_keys, told_values, told, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        size_t down = asked_number[i];
        while (down > 0 && m->values[down - 1] == 0) down--;
        assert_told(m, bits, i, down > 0 ? down - 1 : UNIVERSE);
    }
}

static size_t present(const memory_of *m, size_t from, size_t to)
{
    size_t count = 0;
    for (size_t i = from; i <= to; i++) count += m->values[i] != 0;
    return count;
}

static void ask_counts(const memory_of *m, size_t n)
{
    assert_ok(pleach_snapshot_range_count(m->snapshot, n, asked, asked_high, told_counts, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(told_counts[i], present(m, asked_number[i], asked_end[i]));
}

/* The first three pairs of each interval. */
static void ask_limited(const memory_of *m, unsigned bits, size_t n)
{
    enum { LIMIT = 3 };
    static uint64_t keys[LIMIT * MOST_ASKED];
    static uint32_t counts[MOST_ASKED];
    assert_ok(pleach_snapshot_range_limit(m->snapshot, n, asked, asked_high, LIMIT, keys, NULL, counts, PLEACH_SYNC));
    for (size_t i = 0; i < n; i++) {
        size_t expected = 0;
        for (size_t number = asked_number[i]; number <= asked_end[i] && expected < LIMIT; number++)
            if (m->values[number] != 0)
                assert_int_equal(get_word(bits, keys, LIMIT * i + expected++), key_of(number));
        assert_int_equal(counts[i], expected);
    }
}

static void ask_range(const memory_of *m, unsigned bits, size_t from, size_t to)
{
    static uint64_t keys[UNIVERSE], values[UNIVERSE];
    uint64_t lo, hi, offsets[2], count = 0;
    size_t total = 0, expected = 0;
    set_word(bits, &lo, 0, key_of(from));
    set_word(bits, &hi, 0, key_of(to));
    assert_ok(pleach_snapshot_range(m->snapshot, 1, &lo, &hi, 0, UNIVERSE, keys, values, offsets, &total));
    for (size_t i = from; i <= to; i++) {
        if (m->values[i] == 0) continue;
        assert_true(expected < total);
        assert_int_equal(get_word(bits, keys, expected), key_of(i));
        assert_int_equal(get_word(bits, values, expected), m->values[i]);
        expected++;
    }
    assert_int_equal(total, expected);
    assert_ok(pleach_snapshot_range_count(m->snapshot, 1, &lo, &hi, &count, PLEACH_SYNC));
    assert_int_equal(count, expected);
}

static void ask_all(const memory_of *m, unsigned bits)
{
    static uint64_t keys[UNIVERSE], values[UNIVERSE];
    uint64_t size = 0;
    size_t n = 0;
    assert_ok(pleach_snapshot_size(m->snapshot, &size));
    assert_int_equal(size, m->size);
    assert_ok(pleach_snapshot_export(m->snapshot, UNIVERSE, keys, values, &n));
    assert_int_equal(n, m->size);
    size_t at = 0;
    for (size_t i = 0; i < UNIVERSE; i++) {
        if (m->values[i] == 0) continue;
        assert_int_equal(get_word(bits, keys, at), key_of(i));
        assert_int_equal(get_word(bits, values, at++), m->values[i]);
    }
}

/* About so many questions: finds, neighbours, counts and ranges, in arrays. */
static void ask(const memory_of *m, unsigned bits, rng *r, size_t questions)
{
    size_t n = questions * 2 / 5 < MOST_ASKED ? questions * 2 / 5 : MOST_ASKED;
    for (size_t i = 0; i < n; i++) {
        size_t number = (size_t)rng_below(r, UNIVERSE), end = number + (size_t)rng_below(r, 60);
        asked_number[i] = number;
        asked_end[i] = end < UNIVERSE ? end : UNIVERSE - 1;
        set_word(bits, asked, i, key_of(number));
        set_word(bits, asked_high, i, key_of(asked_end[i]));
    }
    ask_find(m, bits, n);
    ask_neighbours(m, bits, n / 4);
    ask_counts(m, n / 2);
    ask_limited(m, bits, n / 2);
    ask_range(m, bits, asked_number[0], asked_end[0]);
    ask_all(m, bits);
    count_checked(n + 2 * (n / 4) + 2 * (n / 2) + 3);
}

/* Changes some keys, each at most once; `values` follows. */
static void change(pleach_map *map, unsigned bits, rng *r, uint64_t *values, size_t *size, size_t times)
{
    static uint64_t put[UNIVERSE], put_values[UNIVERSE], erased[UNIVERSE];
    static uint8_t put_outcome[UNIVERSE], expected_put[UNIVERSE], erase_outcome[UNIVERSE], expected_erase[UNIVERSE];
    size_t puts = 0, erases = 0, start = (size_t)rng_below(r, UNIVERSE);
    if (times > UNIVERSE) times = UNIVERSE;
    for (size_t i = 0; i < times; i++) {
        size_t number = (start + i * 1999) % UNIVERSE; /* 1999 and UNIVERSE have no common divisor */
        bool was = values[number] != 0, erase = rng_percent(r, 35);
        values[number] = erase ? 0 : 1 + rng_below(r, 1000000);
        set_word(bits, erase ? erased : put, erase ? erases : puts, key_of(number));
        if (erase) {
            expected_erase[erases++] = was ? PLEACH_ERASED : PLEACH_ABSENT;
        } else {
            set_word(bits, put_values, puts, values[number]);
            expected_put[puts++] = was ? PLEACH_REPLACED : PLEACH_INSERTED;
        }
        *size += (values[number] != 0) - was;
    }
    assert_ok(pleach_map_put(map, puts, put, put_values, put_outcome, NULL, PLEACH_SYNC));
    assert_memory_equal(put_outcome, expected_put, puts);
    assert_ok(pleach_map_erase(map, erases, erased, erase_outcome, NULL, PLEACH_SYNC));
    assert_memory_equal(erase_outcome, expected_erase, erases);
}

/* A thousand snapshots at once, each asked a thousand times, released in any order. */
static void many_snapshots_live_at_once(const setting *where)
{
    rng r = rng_for(test_seed(), 1);
    /* In full with one setting of each width; the other goes the same way with more threads. */
    size_t size = 0, held = where->threads == 1 ? shrunk(HELD, 40) : 40;
    size_t questions = where->threads == 1 ? shrunk(QUESTIONS, 40) : 40;
    FREED memory_of *all = calloc(held, sizeof all[0]);
    FREED uint64_t *values = calloc(UNIVERSE, sizeof values[0]);
    assert_true(all && values);
    pleach_map *map = open_versioned(where, 0);
    for (size_t i = 0; i < held; i++) {
        change(map, where->key_bits, &r, values, &size, 1 + (size_t)rng_below(&r, 120));
        assert_ok(pleach_snapshot_take(map, &all[i].snapshot, PLEACH_SYNC));
        memcpy(all[i].values, values, sizeof all[i].values);
        all[i].size = size;
    }
    change(map, where->key_bits, &r, values, &size, 3000);
    assert_valid_map(map);
    for (size_t left = held; left > 0; left--) {
        size_t which = (size_t)rng_below(&r, left);
        ask(&all[which], where->key_bits, &r, questions);
        pleach_snapshot_release(all[which].snapshot);
        all[which] = all[left - 1];
        if (left % 16 == 0) change(map, where->key_bits, &r, values, &size, 50);
        if (left % 100 == 0) assert_valid_map(map);
    }
    close_versioned(map);
}

/* Without a live snapshot nothing is kept; with one, each leaf is kept once. */
static void updates_keep_what_is_needed_and_no_more(const setting *where)
{
    rng r = rng_for(test_seed(), 2);
    pleach_map *map = open_versioned(where, 0);
    pleach_snapshot *snapshot = NULL;
    pleach_map_stats before, after;
    static uint64_t values[UNIVERSE];
    memset(values, 0, sizeof values);
    size_t size = 0;
    change(map, where->key_bits, &r, values, &size, 20000);
    assert_ok(pleach_map_get_stats(map, &before));
    assert_int_equal(before.old_images, 0);
    assert_ok(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
    change(map, where->key_bits, &r, values, &size, 20000);
    assert_ok(pleach_map_get_stats(map, &after));
    assert_int_equal(after.snapshots, 1);
    assert_true(after.old_images > 0 && after.old_images <= before.leaves);
    assert_true(after.old_image_bytes >= after.old_images * 128);
    pleach_snapshot_release(snapshot);
    change(map, where->key_bits, &r, values, &size, 1000);
    close_versioned(map);
}

/* Puts the same keys, which are there, with values of the turn: every leaf changes, and none splits. */
static void put_everywhere(pleach_map *map, unsigned bits, uint64_t turn)
{
    static uint64_t keys[UNIVERSE], values[UNIVERSE];
    for (size_t i = 0; i < UNIVERSE; i++) {
        set_word(bits, keys, i, key_of(i));
        set_word(bits, values, i, turn * UNIVERSE + i);
    }
    assert_ok(pleach_map_put(map, UNIVERSE, keys, values, NULL, NULL, PLEACH_SYNC));
    count_checked(UNIVERSE);
}

/* What stats say the oldest snapshot holds back is what goes with it, and is counted as reclaimed when it has gone. */
static void what_is_held_back_goes_with_the_oldest(const setting *where)
{
    enum { LIVE = 5 };
    pleach_map *map = open_versioned(where, 0);
    pleach_snapshot *live[LIVE];
    put_everywhere(map, where->key_bits, 0);
    pleach_map_stats now = stats_of(map);
    assert_int_equal(now.held_back_bytes + now.old_image_bytes + now.reclaimed_bytes, 0);
    const uint64_t layer = now.leaves * (now.node_bytes / (now.leaves + now.inner));
    for (size_t i = 0; i < LIVE; i++) {
        assert_ok(pleach_snapshot_take(map, &live[i], PLEACH_SYNC));
        assert_int_equal(stats_of(map).old_image_bytes, i * layer);
        put_everywhere(map, where->key_bits, 2 * i + 1);
        put_everywhere(map, where->key_bits, 2 * i + 2); /* the images are there already */
    }
    pleach_snapshot_release(live[2]); /* what only it saw stays for now: images go in the order of their age */
    for (size_t i = 0; i < LIVE; i++) {
        if (i == 2) continue;
        const pleach_map_stats before = stats_of(map);
        assert_int_equal(before.held_back_bytes, i == 1 ? 2 * layer : layer);
        pleach_snapshot_release(live[i]);
        const pleach_map_stats after = stats_of(map);
        assert_int_equal(before.old_image_bytes - after.old_image_bytes, before.held_back_bytes);
        assert_int_equal(after.reclaimed_bytes - before.reclaimed_bytes, before.held_back_bytes);
    }
    assert_int_equal(stats_of(map).reclaimed_bytes, LIVE * layer);
    close_versioned(map);
}

/* ---- threads ---- */

enum { PAIRS = 64, APART = 1000 };

typedef struct race {
    pleach_map *map;
    unsigned bits;
    atomic_size_t snapshots;
} race;

/* Writer i of W writes number n to the left keys of its pairs, then to the right keys, which are in other leaves: no
 * instant shows a right key ahead of its left key, or more than one behind. Between them it inserts and erases keys of
 * its own, so that leaves split meanwhile. */
static void write_pairs(agent *a)
{
    race *race = a->shared;
    size_t writers = a->count / 2 ? a->count / 2 : 1, rounds = scaled(3000);
    for (uint64_t n = 2; n < rounds && !stopped(a); n++) {
        size_t pair = a->index + writers * (size_t)rng_below(&a->r, PAIRS / writers);
        uint64_t last = 0;
        int found = 0;
        EXPECT_OK(a, pleach_map_find_one(race->map, 10 * pair, &found, &last));
        EXPECT(a, found);
        EXPECT_OK(a, pleach_map_put_one(race->map, 10 * pair, last + 1, NULL, NULL));
        EXPECT_OK(a, pleach_map_put_one(race->map, APART + 10 * pair, last + 1, NULL, NULL));
        uint64_t filler = 10 * pair + 1 + rng_below(&a->r, 9);
        if (rng_percent(&a->r, 50))
            EXPECT_OK(a, pleach_map_put_one(race->map, filler, 1, NULL, NULL));
        else
            EXPECT_OK(a, pleach_map_erase_one(race->map, filler, NULL, NULL));
        count_checked(4);
    }
}

static void look_at_pairs(agent *a, pleach_snapshot *snapshot)
{
    race *race = a->shared;
    uint64_t keys[2 * PAIRS], values[2 * PAIRS] = {0};
    uint8_t found[2 * PAIRS] = {0};
    for (size_t i = 0; i < PAIRS; i++) {
        set_word(race->bits, keys, i, 10 * i);
        set_word(race->bits, keys, PAIRS + i, APART + 10 * i);
    }
    EXPECT_OK(a, pleach_snapshot_find(snapshot, 2 * PAIRS, keys, values, found, PLEACH_SYNC));
    for (size_t i = 0; i < PAIRS; i++) {
        uint64_t left = get_word(race->bits, values, i), right = get_word(race->bits, values, PAIRS + i);
        EXPECT(a, found[i] && found[PAIRS + i] && (left == right || left == right + 1));
    }
    uint64_t first = 0, second = 0;
    EXPECT_OK(a, pleach_snapshot_size(snapshot, &first));
    EXPECT_OK(a, pleach_snapshot_size(snapshot, &second));
    EXPECT(a, first == second && first >= 2 * PAIRS);
    count_checked(2 * PAIRS + 2);
}

static void take_and_look(agent *a)
{
    race *race = a->shared;
    size_t rounds = scaled(400);
    pleach_snapshot *older = NULL;
    for (size_t i = 0; i < rounds && !stopped(a); i++) {
        pleach_snapshot *snapshot = NULL;
        EXPECT_OK(a, pleach_snapshot_take(race->map, &snapshot, PLEACH_SYNC));
        look_at_pairs(a, snapshot);
        if (older) look_at_pairs(a, older);
        if (rng_percent(&a->r, 30)) {
            pleach_snapshot_release(older);
            older = snapshot;
        } else {
            pleach_snapshot_release(snapshot);
        }
        atomic_fetch_add(&race->snapshots, 1);
    }
    pleach_snapshot_release(older);
}

static void write_or_look(agent *a) { a->index < a->count / 2 ? write_pairs(a) : take_and_look(a); }

static void snapshots_show_one_instant_beside_writers(const setting *where)
{
    race race = {open_versioned(where, 0), where->key_bits, 0};
    for (size_t i = 0; i < PAIRS; i++) {
        assert_ok(pleach_map_put_one(race.map, 10 * i, 1, NULL, NULL));
        assert_ok(pleach_map_put_one(race.map, APART + 10 * i, 1, NULL, NULL));
    }
    run_agents(calling_threads(), write_or_look, &race);
    assert_true(atomic_load(&race.snapshots) > 0);
    close_versioned(race.map);
}

/* ---- limits and errors ---- */

/* A small pool: with a snapshot live also replacing and erasing need memory. Nothing acknowledged is lost. */
static void a_full_pool_refuses_and_stays_right(const setting *where)
{
    rng r = rng_for(test_seed(), 3);
    size_t node = where->key_bits == 32 ? 128 : 256, refused = 0;
    pleach_map *map = open_versioned(where, 24 * node);
    uint64_t values[200] = {0};
    pleach_snapshot *live[4] = {NULL};
    for (size_t i = 0; i < 60; i++) {
        values[i] = i + 1;
        assert_ok(pleach_map_put_one(map, key_of(i), values[i], NULL, NULL));
    }
    for (size_t round = 0; round < 300; round++) {
        if (round % 10 == 0) {
            pleach_snapshot **oldest = &live[round / 10 % COUNT_OF(live)];
            pleach_snapshot_release(*oldest);
            assert_ok(pleach_snapshot_take(map, oldest, PLEACH_SYNC));
        }
        size_t i = (size_t)rng_below(&r, 200);
        pleach_outcome outcome = PLEACH_NOT_APPLIED;
        bool erase = rng_percent(&r, 40);
        pleach_status status = erase ? pleach_map_erase_one(map, key_of(i), &outcome, NULL)
                                     : pleach_map_put_one(map, key_of(i), round + 1000, &outcome, NULL);
        assert_int_equal(status, outcome == PLEACH_NOT_APPLIED ? PLEACH_E_FULL : PLEACH_OK);
        refused += outcome == PLEACH_NOT_APPLIED;
        if (outcome != PLEACH_NOT_APPLIED) values[i] = erase ? 0 : round + 1000;
        if (round % 50 == 0) assert_valid_map(map);
    }
    assert_true(refused > 0);
    for (size_t i = 0; i < COUNT_OF(live); i++) pleach_snapshot_release(live[i]);
    for (size_t i = 0; i < 200; i++) {
        int found = 0;
        uint64_t value = 0;
        assert_ok(pleach_map_find_one(map, key_of(i), &found, &value));
        assert_int_equal(found, values[i] != 0);
        if (found) assert_int_equal(value, values[i]);
    }
    count_checked(500);
    close_versioned(map);
}

static void whole_map_calls_wait_for_release(const setting *where)
{
    pleach_map *map = open_versioned(where, 0);
    pleach_snapshot *snapshot = NULL;
    uint64_t one = 0, size = 9;
    size_t n = 9;
    set_word(where->key_bits, &one, 0, 1);
    assert_ok(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
    assert_int_equal(pleach_map_load(map, 1, &one, &one, 0), PLEACH_E_BUSY);
    assert_ok(pleach_map_put_one(map, 5, 50, NULL, NULL));
    assert_int_equal(pleach_map_clear(map), PLEACH_E_BUSY);
    assert_int_equal(pleach_map_compact(map, 0), PLEACH_E_BUSY);
    assert_ok(pleach_snapshot_size(snapshot, &size));
    assert_int_equal(size, 0);
    assert_ok(pleach_map_export(map, 0, NULL, NULL, &n));
    assert_int_equal(n, 1);
    pleach_snapshot_release(snapshot);
    assert_ok(pleach_map_compact(map, 0));
    assert_ok(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
    assert_ok(pleach_snapshot_size(snapshot, &size));
    assert_int_equal(size, 1);
    pleach_snapshot_release(snapshot);
    assert_ok(pleach_map_clear(map));
    close_versioned(map);
}

static void bad_arguments_are_refused(const setting *where)
{
    pleach_map_config config = config_for(where);
    pleach_map *plain = NULL, *map = open_versioned(where, 0);
    pleach_snapshot *snapshot = (pleach_snapshot *)&config;
    uint64_t word = 0, offsets[2];
    size_t n;
    config.versioned = 2;
    assert_int_equal(pleach_map_create(&plain, &config), PLEACH_E_ARGUMENT);
    config.versioned = 0;
    assert_ok(pleach_map_create(&plain, &config));
    assert_int_equal(pleach_snapshot_take(plain, &snapshot, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    assert_null(snapshot);
    assert_int_equal(pleach_snapshot_take(NULL, &snapshot, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_take(map, NULL, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    pleach_snapshot_release(NULL);
    base_fail_nth_allocation(1);
    assert_int_equal(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC), PLEACH_E_MEMORY);
    base_fail_nth_allocation(0);
    assert_ok(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
    assert_int_equal(pleach_snapshot_find(NULL, 1, &word, NULL, NULL, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_find(snapshot, 1, NULL, NULL, NULL, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_range_count(snapshot, 1, &word, &word, NULL, PLEACH_SYNC), PLEACH_E_ARGUMENT);
    assert_ok(pleach_snapshot_range_count(snapshot, 0, NULL, NULL, NULL, PLEACH_SYNC));
    assert_int_equal(pleach_snapshot_range(NULL, 1, &word, &word, 0, 0, NULL, NULL, offsets, &n), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_range(snapshot, 1, &word, &word, 0, 0, NULL, NULL, NULL, &n), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_size(NULL, &word), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_size(snapshot, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_export(NULL, 0, NULL, NULL, &n), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_snapshot_export(snapshot, 0, NULL, NULL, NULL), PLEACH_E_ARGUMENT);
    pleach_snapshot_release(snapshot);
    pleach_map_destroy(plain);
    close_versioned(map);
    count_checked(16);
}

static void any_number_may_be_live(const setting *where)
{
    enum { MANY = 10000 };
    pleach_map *map = open_versioned(where, 0);
    pleach_snapshot **all = calloc(MANY, sizeof all[0]);
    assert_non_null(all);
    for (size_t i = 0; i < MANY; i++) assert_ok(pleach_snapshot_take(map, &all[i], PLEACH_SYNC));
    pleach_map_stats stats = stats_of(map);
    assert_int_equal(stats.snapshots, MANY);
    for (size_t i = 0; i < MANY; i++) pleach_snapshot_release(all[(i * 7919) % MANY]);
    /* When the list of snapshots cannot grow, one is refused. */
    size_t live = 0;
    pleach_status status = PLEACH_OK;
    while (status == PLEACH_OK && live < MANY) {
        base_fail_nth_allocation(2); /* the handle is the first */
        status = pleach_snapshot_take(map, &all[live], PLEACH_SYNC);
        base_fail_nth_allocation(0);
        live += status == PLEACH_OK;
    }
    assert_true(status == PLEACH_E_MEMORY || live == MANY); /* the list keeps the size it once had */
    for (size_t i = 0; i < live; i++) pleach_snapshot_release(all[i]);
    free(all);
    close_versioned(map);
    count_checked(2 * MANY);
}

static void streams_belong_to_gpu_maps(const setting *where)
{
    pleach_map *map = open_versioned(where, 0);
    pleach_snapshot *snapshot = NULL;
    uint64_t key = 1;
    pleach_stream stream = &key; /* anything but PLEACH_SYNC */
    if (where->device == PLEACH_CPU) {
        assert_int_equal(pleach_snapshot_take(map, &snapshot, stream), PLEACH_E_STREAM);
        assert_null(snapshot);
        assert_ok(pleach_snapshot_take(map, &snapshot, PLEACH_SYNC));
        assert_int_equal(pleach_snapshot_find(snapshot, 1, &key, NULL, NULL, stream), PLEACH_E_STREAM);
        pleach_snapshot_release(snapshot);
    }
    close_versioned(map);
}

int main(int argc, char **argv)
{
    tests_of_trees();
        static const test_case cases[] = {
        CASE(many_snapshots_live_at_once),
        CASE(updates_keep_what_is_needed_and_no_more),
        CASE(what_is_held_back_goes_with_the_oldest),
        CASE(snapshots_show_one_instant_beside_writers),
        CASE(a_full_pool_refuses_and_stays_right),
        CASE(whole_map_calls_wait_for_release),
        CASE(bad_arguments_are_refused),
        CASE(any_number_may_be_live),
        CASE(streams_belong_to_gpu_maps),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
