/* test_slabs.c - the parts of a hash table by themselves, one agent alone: runs of slabs from the pool and back, tables
 * that grow, are walked group by group, listed and given up. */
#include <stdlib.h>
#include <string.h>

#include "pool/pool_runs_check.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"

#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#include "hash/slabhash.h"
#include "hash/slabhash_blocking.h"
#include "hash/slabhash_drop.h"
#include "hash/slabhash_pairs.h"
#include "hash/slabhash_walk.h"

typedef struct slabs {
    pool_state pool;
    pool_runs runs;
    slab_ref place;
    slab_table table;
} slabs;

static slabs *slabs_open(uint64_t capacity)
{
    slabs *s = must_alloc(1, sizeof *s);
    s->pool.next = 1;
    s->pool.capacity = capacity;
    s->place.runs = (pool_runs_place){&s->pool, &s->runs, must_alloc(capacity, SLAB_BYTES), SLAB_BYTES, 0};
    s->place.seed = (slab_seed){0x9e3779b97f4a7c15u, 12345, 678};
    return s;
}

static void slabs_close(slabs *s)
{
    free(s->place.runs.nodes);
    free(s);
}

/* ---- runs ---- */

enum { CAPACITY = 1500, MOST_HELD = CAPACITY, LOGS = 7, KEYS = 900, MANY = 4000 };

typedef struct held {
    struct { uint32_t id; unsigned log; } run[MOST_HELD];
    size_t count;
} held;

/* Whether each slab is held, or free, and in one place only. */
static void assert_none_is_lost(const slabs *s, const held *h)
{
    uint64_t seen[MANY / 64 + 1] = {0};
    char why[120] = "";
    for (size_t i = 0; i < h->count; i++)
        assert_true(pool_mark_run(&s->pool, seen, h->run[i].id, (uint64_t)1 << h->run[i].log));
    if (!pool_check_runs(s->place.runs, seen, why, sizeof why)) fail_msg("%s", why);
}

/* Whether a list has such a run, or a longer one. */
static bool is_listed(const slabs *s, unsigned log)
{
    bool some = log == 0 && (uint32_t)s->runs.row < s->runs.row >> 32;
    for (unsigned i = 0; i < POOL_SINGLE_STRIPES; i++) some |= log == 0 && (uint32_t)s->runs.single[i].head;
    for (unsigned longer = log > 0 ? log : 1; longer < POOL_RUN_LOGS; longer++)
        some |= (uint32_t)s->runs.longer[longer].head != 0;
    return some;
}

static bool take_run(slabs *s, held *h, unsigned log)
{
    uint32_t id = pool_alloc_run(s->place.runs, log);
    if (!id) {
        assert_false(is_listed(s, log));
        assert_true(s->pool.next + ((uint64_t)1 << log) > s->pool.capacity);
        return false;
    }
    h->run[h->count].id = id;
    h->run[h->count++].log = log;
    return true;
}

static void give_run(slabs *s, held *h, size_t i)
{
    pool_free_run(s->place.runs, h->run[i].log, h->run[i].id);
    h->run[i] = h->run[--h->count];
}

/* Nothing is lost, nobody gets what another has, and who is refused has been told the truth. */
static void runs_come_and_go(const void *unused)
{
    (void)unused;
    for (uint64_t trial = 0; trial < 60; trial++) {
        rng r = rng_for(test_seed(), trial);
        slabs *s = slabs_open(20 + rng_below(&r, CAPACITY - 20));
        held *h = must_alloc(1, sizeof *h);
        const unsigned logs = 1 + (unsigned)rng_below(&r, LOGS);
        for (size_t step = 0; step < 600; step++) {
            s->place.runs.stripe = (unsigned)rng_below(&r, 2 * POOL_SINGLE_STRIPES);
            bool more = rng_below(&r, 8) < (step / 100 % 2 ? 3 : 6);
            if (more && h->count < MOST_HELD)
                take_run(s, h, (unsigned)rng_below(&r, logs));
            else if (h->count > 0)
                give_run(s, h, rng_below(&r, h->count));
            if (step % 10 == 0) assert_none_is_lost(s, h);
        }
        while (take_run(s, h, 0)) {}
        assert_none_is_lost(s, h);
        size_t all = 0;
        for (size_t i = 0; i < h->count; i++) all += (size_t)1 << h->run[i].log;
        assert_int_equal(all, pool_ids(&s->pool) - 1);
        free(h);
        slabs_close(s);
    }
}

/* A pool is dry when there is nothing fresh, no row, and nothing was given back. */
static void dry_is_what_has_nothing(const void *unused)
{
    (void)unused;
    slabs *s = slabs_open(40);
    held *h = must_alloc(1, sizeof *h);
    assert_false(pool_seems_dry(s->place.runs));
    assert_true(take_run(s, h, 4)); /* the last to be taken here, 8 slabs, are a row then */
    while (take_run(s, h, 0)) {}
    assert_true(pool_seems_dry(s->place.runs));
    give_run(s, h, h->count - 1);
    assert_false(pool_seems_dry(s->place.runs));
    assert_true(take_run(s, h, 0));
    assert_false(take_run(s, h, 0));
    assert_true(pool_seems_dry(s->place.runs));
    give_run(s, h, 0);
    assert_false(pool_seems_dry(s->place.runs));
    assert_true(take_run(s, h, 0)); /* the rest of it becomes the row */
    assert_int_equal((s->runs.row >> 32) - (uint32_t)s->runs.row, 15);
    assert_false(take_run(s, h, 3)); /* finds out that there is no longer run */
    assert_int_equal(s->runs.longer_given, 0);
    assert_false(pool_seems_dry(s->place.runs));
    free(h);
    slabs_close(s);
}

/* ---- tables ---- */



static void put(slabs *s, uint32_t key)
{
    slab_change c = {.kind = OP_PUT, .pair = {key, ~key}};
    update_blocking(&s->place, &s->table, &c);
    assert_int_equal(c.outcome, PLEACH_INSERTED);
}

static uint64_t buckets_of(const slabs *s)
{
    return (uint64_t)1 << slab_root_log(s->table.root);
}

/* Every group of so many bits, walked with room for all; each key is in one, which its hash names. */
static void assert_groups(slabs *s, unsigned bits, size_t keys)
{
    static slab_slot slots[KEYS + 1];
    size_t all = 0;
    for (uint32_t group = 0; group < (uint32_t)1 << bits; group++) {
        slab_sink sink = {slots, 0, KEYS};
        walk_group(&s->place, &s->table, group, bits, &sink);
        for (uint64_t i = 0; i < sink.count; i++) {
            assert_true(slots[i].key < keys && slots[i].value == ~slots[i].key);
            assert_int_equal(slab_hash(&s->place, slots[i].key) & (((uint32_t)1 << bits) - 1), group);
            for (uint64_t j = 0; j < i; j++) assert_true(slots[j].key != slots[i].key);
        }
        all += sink.count;
    }
    assert_int_equal(all, keys);
}

static void walks_see_every_key_once(const void *unused)
{
    (void)unused;
    slabs *s = slabs_open(MANY);
    assert_groups(s, 0, 0); /* without memory */
    assert_true(table_open(&s->place, &s->table, 0));
    assert_groups(s, 0, 0);
    for (uint32_t key = 0; key < KEYS; key++) {
        put(s, key);
        if (key % 9 == 0)
            for (unsigned bits = 0; bits <= slab_root_log(s->table.root); bits++) assert_groups(s, bits, key + 1);
    }
    assert_true(buckets_of(s) > 16);
    slabs_close(s);
}

static void walks_write_no_more_than_there_is_room_for(const void *unused)
{
    (void)unused;
    slabs *s = slabs_open(MANY);
    assert_true(table_open(&s->place, &s->table, 0));
    for (uint32_t key = 0; key < KEYS; key++) put(s, key);
    for (uint64_t room = 0; room < 40; room++) {
        slab_slot slots[41];
        memset(slots, UNTOUCHED, sizeof slots);
        slab_sink sink = {slots, 0, room};
        walk_group(&s->place, &s->table, 0, 0, &sink);
        assert_int_equal(sink.count, KEYS);
        for (uint64_t i = 0; i < 41; i++) assert_int_equal(slots[i].key != UNTOUCHED_WORD(UINT32_MAX), i < room);
    }
    slabs_close(s);
}

/* Also while some buckets have moved, and there are chains in both roots. */
static void pairs_are_all_there_is(const void *unused)
{
    (void)unused;
    slabs *s = slabs_open(MANY);
    assert_true(table_open(&s->place, &s->table, 0));
    bool growing = false;
    for (uint32_t key = 0; key < KEYS; key++) {
        put(s, key);
        bool seen[KEYS] = {false};
        size_t all = 0;
        growing |= slab_moved(s->table.load) > 0 && slab_load(s->table.load) > 0;
        for (uint32_t bucket = 0; bucket < buckets_of(s); bucket++) {
            slab_pairs pairs = pairs_begin(&s->place, &s->table, bucket);
            for (slab_slot pair; pairs_next(&pairs, &pair); all++) {
                assert_true(pair.key <= key && pair.value == ~pair.key && !seen[pair.key]);
                seen[pair.key] = true;
            }
        }
        assert_int_equal(all, key + 1);
    }
    assert_true(growing);
    slabs_close(s);
}

/* Whoever comes late finds no slab of it that can be latched, or that has the version which it had seen. */
static void dropped_tables_leave_nothing(const void *unused)
{
    (void)unused;
    for (uint32_t keys = 0; keys < KEYS; keys += keys < 60 ? 1 : 37) {
        slabs *s = slabs_open(MANY);
        assert_true(table_open(&s->place, &s->table, keys % 3));
        for (uint32_t key = 0; key < keys; key++) put(s, key);
        const size_t words = MANY * SLAB_WORDS;
        uint64_t *before = must_alloc(words, sizeof *before);
        memcpy(before, s->place.runs.nodes, words * sizeof *before);
        table_drop(&s->place, &s->table);
        for (uint32_t id = 1; id < s->pool.next; id++) {
            uint64_t header = slab_at(&s->place, id)->word[SLAB_HEADER], had = before[id * SLAB_WORDS + SLAB_HEADER];
            if (header < SLAB_VERSION) continue; /* never used */
            assert_true((header & (SLAB_OTHER | SLAB_MOVED)) && !(header & SLAB_LATCHED));
            assert_true((had & (SLAB_OTHER | SLAB_MOVED)) || header >> SLAB_VERSION_SHIFT > had >> SLAB_VERSION_SHIFT);
        }
        assert_none_is_lost(s, &(held){.count = 0});
        assert_int_equal(slab_root_first(s->table.root), 0);
        assert_true(s->table.next == 0 && s->table.cursor == 0 && s->table.load == 0);
        free(before);
        slabs_close(s);
    }
}

/* Nobody asks the pool for a run that is longer than any. */
static void growth_has_an_end(const void *unused)
{
    (void)unused;
    slabs *s = slabs_open(64);
    assert_true(table_open(&s->place, &s->table, 0));
    pool_free_run(s->place.runs, 0, pool_alloc_run(s->place.runs, 0));
    for (unsigned log = 6; log < 32; log++) {
        const uint64_t next = s->pool.next;
        slab_start_growth(&s->place, &s->table, log);
        assert_int_equal(s->table.next, 0);
        assert_int_equal(s->pool.next, next);
    }
    slab_start_growth(&s->place, &s->table, 3);
    assert_int_equal(slab_root_log(s->table.next), 3);
    const uint64_t next = s->table.next;
    slab_start_growth(&s->place, &s->table, 4); /* it moves already */
    assert_int_equal(s->table.next, next);
    slabs_close(s);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(runs_come_and_go),
        UNIT(dry_is_what_has_nothing),
        UNIT(walks_see_every_key_once),
        UNIT(walks_write_no_more_than_there_is_room_for),
        UNIT(pairs_are_all_there_is),
        UNIT(dropped_tables_leave_nothing),
        UNIT(growth_has_an_end),
    };
    return run_units("test_slabs", argc, argv, cases, COUNT_OF(cases));
}
