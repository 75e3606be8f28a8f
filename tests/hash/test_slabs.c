/* test_slabs.c - the parts of a hash table by themselves, one agent alone: runs of slabs from the pool and back, tables
 * that grow, are walked group by group, listed and given up. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "port/port.h"

/* After the next load of the watched word, and before its value is used, `meanwhile` runs: the changes of a concurrent
 * agent. */
static const uint64_t *watched;
static void (*meanwhile)(void *shared);
static void *meanwhile_of;

static uint64_t watched_load(const uint64_t *p)
{
    uint64_t value = port_load(p);
    if (p == watched) {
        watched = NULL;
        meanwhile(meanwhile_of);
    }
    return value;
}

/* A model of a GPU's cache for one word: cached loads return an old value until port_invalidate_cached is called. */
static const uint64_t *cached_word;
static uint64_t cached;
static unsigned forgotten;

static uint64_t load_of_cache(const uint64_t *p) { return p == cached_word ? cached : port_load(p); }

static void forget_cached(void)
{
    cached_word = NULL;
    forgotten++;
}
#define port_load watched_load
#define port_load_cached load_of_cache
#define port_invalidate_cached forget_cached

#include "hash/hash_run.h"
#include "pool/pool_runs_check.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"

#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 1
#include "hash/slabhash.h"
#include "hash/slabhash_blocking.h"
#include "hash/slabhash_state.h"
#include "hash/slabhash_count.h"
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
static void runs_come_and_go(void)
{
    for (uint64_t trial = 0; trial < 60; trial++) {
        rng r = rng_for(test_seed(), trial);
        slabs *s = slabs_open(20 + rng_below(&r, CAPACITY - 20));
        FREED held *h = must_alloc(1, sizeof *h);
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
        slabs_close(s);
    }
}

/* Takes single slabs off the pool's end and holds them. */
typedef struct other { slabs *s; held *h; unsigned count; } other;

static void take_fresh_ones(void *shared)
{
    other *o = shared;
    for (unsigned i = 0; i < o->count; i++) {
        uint32_t id = pool_alloc_fresh_run(o->s->place.runs, 0);
        if (!id) break;
        o->h->run[o->h->count].id = id;
        o->h->run[o->h->count++].log = 0;
    }
}

/* Concurrent agents move the pool's end after a run was seen to fit, so that it crosses the capacity: its slabs below
 * the capacity go to the free lists. */
static void runs_across_the_end(void)
{
    for (unsigned log = 0; log < 5; log++)
        for (unsigned fresh = 1 << log; fresh < 40; fresh++)
            for (unsigned before = 0; before <= fresh; before++) {
                slabs *s = slabs_open(1 + fresh);
                FREED held *h = must_alloc(1, sizeof *h);
                other o = {s, h, before};
                watched = &s->pool.next;
                meanwhile = take_fresh_ones;
                meanwhile_of = &o;
                uint32_t id = pool_alloc_fresh_run(s->place.runs, log);
                assert_int_equal(id != 0, before + (1u << log) <= fresh);
                if (id) h->run[h->count++].id = id, h->run[h->count - 1].log = log;
                assert_none_is_lost(s, h);
                slabs_close(s);
            }
}

/* A concurrent agent begins a row, with a run of 4, just before this one wants to. */
enum { ROW_LOG = 2 };

static void begin_another_row(void *shared)
{
    const pool_runs_place place = *(const pool_runs_place *)shared;
    uint32_t id = pool_alloc_run_from(place, pool_run_head(place, ROW_LOG));
    assert_true(pool_begin_row(place, id, id + (1u << ROW_LOG)));
}

static void rows_begun_by_two(void)
{
    for (unsigned log = 1; log <= POOL_ROW_LOG + 2; log++) {
        if (log == ROW_LOG) continue;
        slabs *s = slabs_open(1 + (1u << ROW_LOG) + (1u << log));
        FREED held *h = must_alloc(1, sizeof *h);
        assert_true(take_run(s, h, ROW_LOG) && take_run(s, h, log));
        while (h->count) give_run(s, h, 0);
        watched = &s->runs.longer_given;
        meanwhile = begin_another_row;
        meanwhile_of = &s->place.runs;
        assert_true(take_run(s, h, 0));
        assert_null(watched);
        assert_none_is_lost(s, h);
        while (take_run(s, h, 0)) {}
        assert_int_equal(h->count, pool_ids(&s->pool) - 1);
        assert_none_is_lost(s, h);
        slabs_close(s);
    }
}

/* A pool is dry when there is nothing fresh, no row, and nothing was given back. */
static void dry_is_what_has_nothing(void)
{
    slabs *s = slabs_open(40);
    FREED held *h = must_alloc(1, sizeof *h);
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
    slabs_close(s);
}

/* The words that say which free lists may have runs are hints: an agent may clear a bit just after another agent has
 * returned a run. All lists are searched before an allocation fails. */
static void hints_may_be_wrong(void)
{
    for (unsigned given = 0; given < 5; given++)
        for (unsigned wanted = 0; wanted <= given; wanted++) {
            slabs *s = slabs_open(1 + (1u << given));
            pool_free_run(s->place.runs, given, pool_alloc_run(s->place.runs, given));
            s->runs.longer_given = s->runs.singles_given = 0;
            assert_int_not_equal(pool_alloc_run(s->place.runs, wanted), 0);
            slabs_close(s);
        }
}

/* A returned run is split before fresh memory is used. */
static void returned_runs_before_fresh_ones(void)
{
    for (unsigned given = 0; given < 5; given++)
        for (unsigned wanted = 0; wanted <= given; wanted++) {
            slabs *s = slabs_open(CAPACITY);
            pool_free_run(s->place.runs, given, pool_alloc_run(s->place.runs, given));
            const uint64_t next = s->pool.next;
            for (unsigned i = 0; i < 1u << (given - wanted); i++) pool_alloc_run(s->place.runs, wanted);
            assert_int_equal(s->pool.next, next);
            slabs_close(s);
        }
}

/* An attempt to take from an empty row does not add to the word: 2^32 additions would carry into its other half. */
static void rows_stay_at_their_end(void)
{
    slabs *s = slabs_open(2);
    for (unsigned i = 0; i < 9; i++) pool_alloc_run(s->place.runs, 0);
    assert_int_equal(s->runs.row, 0);
    s->runs.row = (uint64_t)5 << 32 | 4;
    assert_int_equal(pool_alloc_from_row(s->place.runs), 4);
    for (unsigned i = 0; i < 9; i++) assert_int_equal(pool_alloc_from_row(s->place.runs), 0);
    assert_int_equal(s->runs.row, (uint64_t)5 << 32 | 5);
    slabs_close(s);
}

/* ---- tables ---- */

static void put(slabs *s, uint32_t key)
{
    slab_change c = {.kind = OP_PUT, .pair = {key, ~key}};
    update_blocking(&s->place, &s->table, &c);
    assert_int_equal(c.outcome, PLEACH_INSERTED);
}

/* Keys that the caller knows to be absent, by a change whose other fields are those of an earlier one. */
static void absent_keys_are_inserted(void)
{
    slabs *s = slabs_open(MANY);
    slab_change c;
    memset(&c, 0, sizeof c);
    for (uint32_t key = 0; key < KEYS; key++) {
        change_begin(&c, key % 2 ? OP_ADD : OP_PUT, key, ~key);
        c.known_absent = true;
        update_blocking(&s->place, &s->table, &c);
        assert_int_equal(c.outcome, PLEACH_INSERTED);
        c.slot = key % SLAB_PAYLOAD;
    }
    for (uint32_t key = 0; key < KEYS; key++) {
        uint32_t value = 0;
        assert_true(find_blocking(&s->place, &s->table, key, &value) && value == ~key);
    }
    slabs_close(s);
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

static void walks_see_every_key_once(void)
{
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

static void walks_write_no_more_than_there_is_room_for(void)
{
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

/* Also while some buckets have moved, and there are chains in both roots. The slabs are reused, so they have old links
 * of another table. */
static void pairs_are_all_there_is(void)
{
    slabs *s = slabs_open(MANY);
    assert_true(table_open(&s->place, &s->table, 3));
    s->table.next = SLAB_NEXT_CLAIMED; /* so that it does not grow */
    for (uint32_t key = 0; key < KEYS; key++) put(s, key);
    table_drop(&s->place, &s->table);
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
        hash_counts counts;
        slab_count(&s->place, &s->table, &counts);
        assert_int_equal(counts.keys, key + 1);
        assert_int_equal(counts.moved_buckets, slab_moved(s->table.load));
    }
    assert_true(growing);
    slabs_close(s);
}

/* A table has begun to grow and no bucket has moved: the new buckets, which have old links, are not looked at. */
static void unmoved_buckets_have_no_targets(void)
{
    enum { FEW = 5 };
    slabs *s = slabs_open(MANY);
    assert_true(table_open(&s->place, &s->table, 0));
    for (uint32_t key = 0; key < FEW; key++) put(s, key);
    slab_start_growth(&s->place, &s->table, 1);
    const uint32_t own = slab_root_first(s->table.root), next = slab_root_first(s->table.next);
    for (uint32_t id = next; id < next + 2; id++) slab_at(&s->place, id)->word[SLAB_LINK] = own;
    size_t all = 0;
    slab_pairs pairs = pairs_begin(&s->place, &s->table, 0);
    for (slab_slot pair; pairs_next(&pairs, &pair); all++) assert_true(all < FEW);
    assert_int_equal(all, FEW);
    slabs_close(s);
}

/* Lookups by an agent that has an old root in its cache: that of the empty table, or one from before a growth. */
static void old_roots_lead_on(void)
{
    slabs *s = slabs_open(MANY);
    uint64_t roots[KEYS + 1];
    for (uint32_t key = 0; key < KEYS; key++) {
        roots[key] = s->table.root;
        put(s, key);
    }
    roots[KEYS] = s->table.root;
    for (uint32_t i = 0; i <= KEYS; i += i ? 7 : 1) {
        cached_word = &s->table.root;
        cached = roots[i];
        assert_groups(s, 0, KEYS);
        for (uint32_t key = i % 16; key < KEYS + 100; key += 16) {
            uint32_t value = 0;
            bool found = false;
            unsigned tries = 0;
            cached_word = &s->table.root;
            cached = roots[i];
            while (slab_find(&s->place, &s->table, key, &found, &value) != SLAB_DONE) assert_true(++tries < 4);
            assert_int_equal(found, key < KEYS);
            if (found) assert_int_equal(value, ~key);
        }
    }
    cached_word = NULL;
    slabs_close(s);
}

/* Lookups with the current root do not discard the cache. */
static void known_roots_are_kept(void)
{
    slabs *s = slabs_open(MANY);
    for (uint32_t key = 0; key < KEYS; key++) put(s, key);
    forgotten = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        uint32_t value = 0;
        assert_true(find_blocking(&s->place, &s->table, key, &value));
    }
    assert_int_equal(forgotten, 0);
    slabs_close(s);
}

/* A table made for many keys has at most the largest number of buckets, and writes to no slab outside of its run. */
static void tables_begin_as_large_as_asked(void)
{
    assert_int_equal(slabhash_log_for(0, SLAB_PAYLOAD, 1), 0);
    assert_int_equal(slabhash_log_for(SLAB_PAYLOAD, SLAB_PAYLOAD, 1), 0);
    assert_int_equal(slabhash_log_for(SLAB_PAYLOAD + 1, SLAB_PAYLOAD, 1), 1);
    assert_int_equal(slabhash_log_for(UINT64_MAX, SLAB_PAYLOAD, 0.5), SLABHASH_MOST_LOG);
    for (unsigned log = 0; log < 5; log++) {
        slabs *s = slabs_open(MANY);
        assert_true(table_open(&s->place, &s->table, log));
        for (uint32_t id = 1; id < 1 + (2u << log); id++)
            assert_int_equal(slab_at(&s->place, id)->word[SLAB_HEADER] != 0, id <= 1u << log);
        slabs_close(s);
    }
}

/* Whoever comes late finds no slab of it that can be latched, or that has the version which it had seen. */
static void dropped_tables_leave_nothing(void)
{
    for (uint32_t keys = 0; keys < KEYS; keys += keys < 60 ? 1 : 37) {
        slabs *s = slabs_open(MANY);
        assert_true(table_open(&s->place, &s->table, keys % 3));
        for (uint32_t key = 0; key < keys; key++) put(s, key);
        const size_t words = MANY * SLAB_WORDS;
        FREED uint64_t *before = must_alloc(words, sizeof *before);
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
        slabs_close(s);
    }
}

/* Nobody asks the pool for a run that is longer than any. */
static void growth_has_an_end(void)
{
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

/* The rest of a single slab is nothing. */
static void singles_have_no_rest(void)
{
    slabs *s = slabs_open(9);
    held *h = must_alloc(1, sizeof *h);
    assert_true(take_run(s, h, 0));
    pool_free_rest(s->place.runs, h->run[0].id, 0);
    assert_none_is_lost(s, h);
    while (take_run(s, h, 0)) {}
    assert_none_is_lost(s, h);
    free(h);
    slabs_close(s);
}

/* An update whose key has no slot in the first slab loads none there: behind the last slab of the pool there may be no
 * memory. The outcome is that of an earlier attempt. */
static void no_slot_is_loaded_behind_a_slab(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
    slabs *s = slabs_open(3);
    void *nodes = s->place.runs.nodes;
    s->place.runs.nodes = pages + page - 3 * SLAB_BYTES;
    uint32_t id = pool_alloc_run(s->place.runs, 0);
    assert_true(table_open(&s->place, &s->table, 0)); /* with the last slab */
    pool_free_run(s->place.runs, 0, id);
    for (uint32_t key = 0; key <= SLAB_SLOTS; key++) put(s, key);
    for (uint32_t key = 0; key <= SLAB_SLOTS; key++) {
        slab_change c = {0};
        change_begin(&c, OP_ERASE, key, 0);
        c.outcome = PLEACH_ERASED;
        while (slab_update(&s->place, &s->table, &c) != SLAB_DONE) {}
        assert_int_equal(c.outcome, PLEACH_ERASED);
        assert_int_equal(c.old.value, ~key);
        put(s, key);
    }
    s->place.runs.nodes = nodes;
    slabs_close(s);
    munmap(pages, 2 * page);
}

/* A chain that is no longer the bucket's may be a ring: a lookup in it ends, and begins anew. The bucket changes after
 * the lookup has looked at it once more. */
static void change_slab(void *shared) { ((slab *)shared)->word[SLAB_HEADER] += SLAB_VERSION; }

static void lookups_leave_a_ring_of_slabs(void)
{
    slabs *s = slabs_open(MANY);
    assert_true(table_open(&s->place, &s->table, 0));
    s->table.next = SLAB_NEXT_CLAIMED; /* so that it does not grow */
    for (uint32_t key = 0; key < 3 * SLAB_SLOTS; key++) put(s, key);
    bucket_view look;
    assert_int_equal(look_begin(&s->place, &s->table, slab_hash(&s->place, KEYS), &look), SLAB_DONE);
    slab *first = slab_at(&s->place, slab_root_first(s->table.root)), *second = slab_at(&s->place, (uint32_t)look.link);
    second->word[SLAB_LINK] = look.link & UINT32_MAX;
    watched = &first->word[SLAB_HEADER];
    meanwhile = change_slab;
    meanwhile_of = first;
    bool found;
    slab_slot pair;
    uint64_t seen = 0;
    assert_int_equal(find_displaced(&s->place, &look, KEYS, &found, &pair, &seen), SLAB_AGAIN);
    assert_null(watched);
    slabs_close(s);
}

/* A table that should grow, and cannot have a longer run: its chain becomes longer, unless the pool gets more memory
 * soon and no other agent is about to begin the growth. */
static void chains_grow_where_tables_cannot(void)
{
    enum { FULL = 2 * SLAB_SLOTS };
    for (unsigned what = 0; what < 3; what++) {
        slabs *s = slabs_open(4);
        uint32_t before = pool_alloc_run(s->place.runs, 0);
        assert_true(table_open(&s->place, &s->table, 0));
        uint32_t behind = pool_alloc_run(s->place.runs, 0);
        pool_free_run(s->place.runs, 0, before); /* two single slabs, of which no run can be made */
        pool_free_run(s->place.runs, 0, behind);
        for (uint32_t key = 0; key < FULL; key++) put(s, key);
        s->place.hopeful = what > 0;
        s->table.next = what > 1 ? SLAB_NEXT_CLAIMED : 0;
        slab_change c = {0};
        change_begin(&c, OP_PUT, FULL, FULL);
        update_blocking(&s->place, &s->table, &c);
        assert_int_equal(c.outcome, what == 1 ? PLEACH_NOT_APPLIED : PLEACH_INSERTED);
        slabs_close(s);
    }
}

static void assert_found(const slabs *s, const uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t value = 0;
        assert_true(find_blocking(&s->place, &s->table, keys[i], &value));
        assert_int_equal(value, ~keys[i]);
    }
}

/* A slab gets no displaced bit while every key has a slot of its group. A key in another slab needs one, also if its
 * slot there is one of the group's. */
static void displaced_keys_are_marked(void)
{
    enum { MORE = 3 };
    slabs *s = slabs_open(MANY);
    uint32_t keys[SLAB_SLOTS + MORE * SLAB_GROUPS], next = 0;
    size_t n = 0;
    assert_true(table_open(&s->place, &s->table, 0));
    s->table.next = SLAB_NEXT_CLAIMED; /* so that it does not grow */
    for (unsigned more = 0; more < 1 + MORE; more++)
        for (unsigned group = 0; group < SLAB_GROUPS; group++)
            for (int left = more ? 1 : __builtin_popcount(group_slots(group)); left > 0; left--) {
                while (slab_group(slab_hash(&s->place, next)) != group) next++;
                put(s, keys[n++] = next++);
                assert_found(s, keys, n);
                const uint64_t link = slab_at(&s->place, slab_root_first(s->table.root))->word[SLAB_LINK];
                assert_int_equal(link != 0, more > 0);
            }
    assert_int_equal(n, COUNT_OF(keys));
    slabs_close(s);
}

/* A hole in the first slab of a chain is filled before one in a later slab, and nothing else is overwritten. */
static void holes_are_filled(void)
{
    enum { FULL = 3 * SLAB_SLOTS };
    slabs *s = slabs_open(MANY);
    uint32_t keys[FULL];
    assert_true(table_open(&s->place, &s->table, 0));
    s->table.next = SLAB_NEXT_CLAIMED;
    for (uint32_t key = 0; key < FULL; key++) put(s, keys[key] = key);
    for (uint32_t key = 0; key < FULL; key++) {
        slab_change c = {0};
        change_begin(&c, OP_ERASE, key, 0);
        update_blocking(&s->place, &s->table, &c);
        assert_int_equal(c.outcome, PLEACH_ERASED);
        put(s, key);
        assert_found(s, keys, FULL);
    }
    assert_int_equal(s->pool.next, 4); /* three slabs in all */
    slabs_close(s);
}

/* An update that is given up frees the slab that it would have needed; one that finds no slab at all is not applied. */
static void updates_without_memory(void)
{
    slabs *s = slabs_open(2);
    held *h = must_alloc(1, sizeof *h);
    slab_change c = {0};
    c.fresh = slab_take(&s->place);
    assert_int_equal(c.fresh, 1);
    change_abandon(&s->place, &c);
    assert_none_is_lost(s, h);
    assert_true(take_run(s, h, 0));
    change_begin(&c, OP_PUT, 5, 6);
    update_blocking(&s->place, &s->table, &c);
    assert_int_equal(c.outcome, PLEACH_NOT_APPLIED);
    assert_int_equal(s->table.root, 0);
    free(h);
    slabs_close(s);
}

/* An erase in an empty table, by a change that has found a slot before; the copy of a change has no slab of its own. */
static void changes_keep_nothing_of_earlier_ones(void)
{
    slabs *s = slabs_open(MANY);
    slab_change c = {0}, copy;
    memset(&copy, UNTOUCHED, sizeof copy);
    change_begin(&c, OP_ERASE, 5, 0);
    c.slot = 3;
    update_blocking(&s->place, &s->table, &c);
    assert_int_equal(c.outcome, PLEACH_ABSENT);
    change_copy(&copy, &c);
    assert_int_equal(copy.fresh, 0);
    slabs_close(s);
}

/* Another agent adds a key just after this one has loaded the number of keys, if it does. */
static void add_key(void *shared) { *(uint64_t *)shared += 1; }

static void keys_of_others_are_counted(void)
{
    slab_table table = {0};
    watched = &table.load;
    meanwhile = add_key;
    meanwhile_of = &table.load;
    count_key(&(slab_ref){.load_of_keys = 1}, &table, &(slab_change){.only = false}, 1);
    assert_int_equal(table.load, watched ? 1 : 2);
    watched = NULL;
}

/* Buckets to move are claimed in turn, each once, and none of a growth that is over. */
static void buckets_are_claimed_once(void)
{
    slabs *s = slabs_open(MANY);
    slab_help help = {0};
    assert_true(table_open(&s->place, &s->table, 3));
    assert_false(help_begin(&s->table, &help));
    slab_start_growth(&s->place, &s->table, 4);
    for (uint32_t bucket = 0; bucket < 8; bucket += SLAB_HELP) {
        assert_true(help_begin(&s->table, &help));
        assert_true(help.bucket == bucket && help.end == bucket + SLAB_HELP);
    }
    assert_false(help_begin(&s->table, &help));
    s->table.cursor = (uint64_t)slab_root_first(s->table.root) << 32;
    assert_false(help_begin(&s->table, &help));
    slabs_close(s);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(runs_come_and_go),
        UNIT(runs_across_the_end),
        UNIT(rows_begun_by_two),
        UNIT(dry_is_what_has_nothing),
        UNIT(hints_may_be_wrong),
        UNIT(returned_runs_before_fresh_ones),
        UNIT(rows_stay_at_their_end),
        UNIT(absent_keys_are_inserted),
        UNIT(walks_see_every_key_once),
        UNIT(walks_write_no_more_than_there_is_room_for),
        UNIT(pairs_are_all_there_is),
        UNIT(unmoved_buckets_have_no_targets),
        UNIT(old_roots_lead_on),
        UNIT(known_roots_are_kept),
        UNIT(tables_begin_as_large_as_asked),
        UNIT(dropped_tables_leave_nothing),
        UNIT(growth_has_an_end),
        UNIT(singles_have_no_rest),
        UNIT(no_slot_is_loaded_behind_a_slab),
        UNIT(lookups_leave_a_ring_of_slabs),
        UNIT(chains_grow_where_tables_cannot),
        UNIT(displaced_keys_are_marked),
        UNIT(holes_are_filled),
        UNIT(updates_without_memory),
        UNIT(changes_keep_nothing_of_earlier_ones),
        UNIT(keys_of_others_are_counted),
        UNIT(buckets_are_claimed_once),
    };
    return run_units("test_slabs", argc, argv, cases, COUNT_OF(cases));
}
