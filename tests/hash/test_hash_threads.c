/* test_hash_threads.c - several threads at once on one hash table. Each case has a rule that tells right from wrong
 * answers without stopping the world: counts that must add up, keys with one owner, keys that nobody touches, values
 * that tell whose they are or only grow. */
#include <pthread.h>
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/hashes.h"
#include "testkit/patterns.h"

/* ---- counts that add up ----
 * Everybody updates every key. At the end a key has been inserted once more than erased, or as often. A value tells the
 * key that it was put with. */

typedef struct crowd {
    hashed h;
    size_t keys, calls;
    uint64_t *key;
    atomic_int *balance; /* by key: inserts less erases */
    unsigned arrays;     /* percent of the updates */
    unsigned erases;
} crowd;

enum { MOST_KEYS = 0xffff, MOST_IN_CALL = 64 };

static uint64_t some_value(const crowd *c, rng *r, size_t which)
{
    return kept_value(&c->h, (uint64_t)which << 16 | (rng_next(r) & 0xffff));
}

static bool is_value_of(const crowd *c, size_t which, uint64_t value)
{
    return c->h.set ? value == 0 : value >> 16 == which;
}

static void count_outcome(agent *a, crowd *c, size_t which, pleach_outcome outcome, uint64_t old)
{
    bool had = outcome == PLEACH_REPLACED || outcome == PLEACH_EXISTS || outcome == PLEACH_ERASED;
    EXPECT(a, outcome >= PLEACH_INSERTED && outcome <= PLEACH_ABSENT);
    EXPECT(a, !had || is_value_of(c, which, old));
    int change = (outcome == PLEACH_INSERTED) - (outcome == PLEACH_ERASED);
    if (change) atomic_fetch_add_explicit(&c->balance[which], change, memory_order_relaxed);
}

static void crowd_update_one(agent *a, crowd *c)
{
    size_t which = (size_t)rng_below(&a->r, c->keys);
    uint64_t value = some_value(c, &a->r, which), old = 0;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    if (rng_percent(&a->r, c->erases))
        EXPECT_OK(a, pleach_hash_erase_one(c->h.hash, c->key[which], &outcome, &old));
    else if (rng_percent(&a->r, 50))
        EXPECT_OK(a, pleach_hash_put_one(c->h.hash, c->key[which], value, &outcome, &old));
    else
        EXPECT_OK(a, pleach_hash_add_one(c->h.hash, c->key[which], value, &outcome, &old));
    count_outcome(a, c, which, outcome, old);
    count_checked(1);
}

/* Equal keys may be among them. */
static void crowd_update_array(agent *a, crowd *c)
{
    size_t n = 1 + (size_t)rng_below(&a->r, MOST_IN_CALL), which[MOST_IN_CALL];
    uint64_t keys[MOST_IN_CALL], values[MOST_IN_CALL], olds[MOST_IN_CALL] = {0};
    uint8_t outcomes[MOST_IN_CALL];
    for (size_t i = 0; i < n; i++) {
        which[i] = (size_t)rng_below(&a->r, c->keys);
        keys[i] = c->key[which[i]];
        values[i] = some_value(c, &a->r, which[i]);
    }
    if (rng_percent(&a->r, c->erases))
        EXPECT_OK(a, hashed_erase(&c->h, n, keys, outcomes, olds));
    else
        EXPECT_OK(a, (rng_percent(&a->r, 50) ? hashed_put : hashed_add)(&c->h, n, keys, values, outcomes, olds));
    for (size_t i = 0; i < n && !a->failed; i++) count_outcome(a, c, which[i], (pleach_outcome)outcomes[i], olds[i]);
}

static void crowd_find(agent *a, const crowd *c)
{
    size_t which = (size_t)rng_below(&a->r, c->keys);
    uint64_t value = 0;
    int found = -1;
    EXPECT_OK(a, pleach_hash_find_one(c->h.hash, c->key[which], &found, &value));
    EXPECT(a, found == 0 || (found == 1 && is_value_of(c, which, value)));
    count_checked(1);
}

static void work_in_crowd(agent *a)
{
    crowd *c = a->shared;
    for (size_t i = 0; i < c->calls && !stopped(a); i++) {
        if (rng_percent(&a->r, 35))
            crowd_find(a, c);
        else if (rng_percent(&a->r, c->arrays))
            crowd_update_array(a, c);
        else
            crowd_update_one(a, c);
    }
}

static void assert_balanced(const crowd *c)
{
    uint64_t present = 0;
    FREED uint8_t *found = must_alloc(c->keys, 1);
    assert_ok(hashed_contains(&c->h, c->keys, c->key, found));
    for (size_t i = 0; i < c->keys; i++) {
        assert_int_equal(atomic_load(&c->balance[i]), found[i]);
        present += found[i];
    }
    assert_hash_size(c->h.hash, present);
}

static void run_crowd(const setting *where, bool set, size_t keys, bool of_one_bucket, crowd habits)
{
    crowd c = habits;
    rng r = rng_for(test_seed(), keys);
    c.h = hashed_open(where, set);
    c.keys = keys;
    c.key = of_one_bucket ? colliding_keys(&c.h, keys) : pattern_keys(RANDOM, keys, c.h.top, &r);
    c.balance = must_alloc(keys, sizeof *c.balance);
    run_agents(calling_threads(), work_in_crowd, &c);
    assert_balanced(&c);
    free(c.key), free(c.balance);
    hashed_close(&c.h);
}

static void many_threads_on_few_keys(const setting *where, bool set)
{
    run_crowd(where, set, 2, false, (crowd){.calls = scaled_single_calls(where, 40000), .arrays = 5, .erases = 50});
    run_crowd(where, set, 9, false, (crowd){.calls = scaled_single_calls(where, 40000), .arrays = 5, .erases = 40});
}

static void many_threads_on_many_keys(const setting *where, bool set)
{
    run_crowd(where, set, MOST_KEYS, false,
              (crowd){.calls = scaled_single_calls(where, 60000), .arrays = 10, .erases = 25});
}

/* Slabs come to the chain and leave it all the time. */
static void many_threads_in_one_bucket(const setting *where, bool set)
{
    run_crowd(where, set, 3 * 28, true, (crowd){.calls = scaled_single_calls(where, 30000), .arrays = 5, .erases = 50});
}

/* ---- keys with one owner, in a table that grows ----
 * An agent knows what its keys are, and asks for others', which must have their owners' values if they are there. */

typedef struct estate {
    hashed h;
    size_t each;
    bool with_whole_calls;
} estate;

static uint64_t key_of(const hashed *h, size_t owner, size_t i, size_t owners)
{
    return h->key_bits == 32 ? (uint32_t)(i * owners + owner) * 2654435761u : mix64(i * owners + owner);
}

static uint64_t value_of(const hashed *h, uint64_t key) { return kept_value(h, ~key & h->top); }

static void find_others(agent *a, const estate *e, size_t most)
{
    uint64_t key = key_of(&e->h, (size_t)rng_below(&a->r, a->count), (size_t)rng_below(&a->r, most), a->count);
    uint64_t value = 0;
    int found = -1;
    EXPECT_OK(a, pleach_hash_find_one(e->h.hash, key, &found, &value));
    EXPECT(a, found == 0 || value == value_of(&e->h, key));
}

static void find_own(agent *a, const estate *e, size_t i, bool expected)
{
    uint64_t key = key_of(&e->h, a->index, i, a->count), value = 0;
    int found = -1;
    EXPECT_OK(a, pleach_hash_find_one(e->h.hash, key, &found, &value));
    EXPECT(a, found == expected && (!found || value == value_of(&e->h, key)));
}

static void insert_own(agent *a, const estate *e)
{
    for (size_t i = 0; i < e->each && !stopped(a); i++) {
        uint64_t key = key_of(&e->h, a->index, i, a->count);
        pleach_outcome outcome = PLEACH_NOT_APPLIED;
        find_own(a, e, i, false);
        EXPECT_OK(a, pleach_hash_add_one(e->h.hash, key, ~key & e->h.top, &outcome, NULL));
        EXPECT(a, outcome == PLEACH_INSERTED);
        find_own(a, e, (size_t)rng_below(&a->r, i + 1), true);
        find_others(a, e, e->each);
    }
}

static void erase_own(agent *a, const estate *e)
{
    for (size_t i = 0; i < e->each && !stopped(a); i++) {
        uint64_t key = key_of(&e->h, a->index, i, a->count), old = 0;
        pleach_outcome outcome = PLEACH_NOT_APPLIED;
        EXPECT_OK(a, pleach_hash_erase_one(e->h.hash, key, &outcome, &old));
        EXPECT(a, outcome == PLEACH_ERASED && old == value_of(&e->h, key));
        find_own(a, e, (size_t)rng_below(&a->r, i + 1), false);
        find_others(a, e, e->each);
    }
}

/* The calls that want to be alone. */
static void disturb(agent *a, const estate *e)
{
    pleach_hash_stats stats;
    uint64_t size;
    size_t n;
    switch (rng_below(&a->r, 6)) {
    case 0: EXPECT_OK(a, pleach_hash_compact(e->h.hash)); break;
    case 1: EXPECT_OK(a, pleach_hash_reserve(e->h.hash, rng_below(&a->r, e->each))); break;
    case 2: EXPECT_OK(a, pleach_hash_validate(e->h.hash, NULL, 0)); break;
    case 3: EXPECT_OK(a, pleach_hash_get_stats(e->h.hash, &stats)); break;
    case 4: EXPECT_OK(a, pleach_hash_export(e->h.hash, 0, NULL, NULL, &n)); break;
    default: EXPECT_OK(a, pleach_hash_size(e->h.hash, &size)); EXPECT(a, size <= e->each * a->count);
    }
}

static void own_keys(agent *a)
{
    const estate *e = a->shared;
    if (e->with_whole_calls && a->index == 0) {
        while (!stopped(a)) disturb(a, e);
        return;
    }
    for (size_t round = 0; round < 2 && !stopped(a); round++) {
        insert_own(a, e);
        erase_own(a, e);
    }
    insert_own(a, e);
    count_checked(13 * e->each);
    if (e->with_whole_calls && a->index == 1) stop_all(a); /* the others have done as much */
}

static void growth_under_load(const setting *where, bool set)
{
    estate e = {.h = hashed_open(where, set), .each = where->device == PLEACH_CPU ? shrunk(30000, 3000) : 300};
    run_agents(calling_threads(), own_keys, &e);
    pleach_hash_stats stats = hashed_stats(&e.h);
    assert_int_equal(stats.keys, calling_threads() * e.each);
    assert_true(stats.buckets > 64);
    hashed_close(&e.h);
}

static void whole_calls_beside_others(const setting *where, bool set)
{
    estate e = {.h = hashed_open(where, set), .each = where->device == PLEACH_CPU ? shrunk(4000, 500) : 20,
                .with_whole_calls = true};
    run_agents(calling_threads() + 1, own_keys, &e);
    hashed_close(&e.h);
}

/* ---- keys that nobody touches, and values that only grow ----
 * Two kinds of keys in one bucket: some stay, the others come and go, so that slabs leave the chain around them. One of
 * those that stay is counted up, by its owner alone. */

typedef struct stays {
    hashed h;
    uint64_t *key;
    size_t all, staying, calls;
} stays;

static void come_and_go(agent *a, const stays *s)
{
    for (size_t i = 0; i < s->calls && !stopped(a); i++) {
        uint64_t key = s->key[s->staying + rng_below(&a->r, s->all - s->staying)];
        if (rng_percent(&a->r, 50))
            EXPECT_OK(a, pleach_hash_erase_one(s->h.hash, key, NULL, NULL));
        else
            EXPECT_OK(a, pleach_hash_put_one(s->h.hash, key, 0, NULL, NULL));
        if (i % 2000 == 1999 && a->index == 1) EXPECT_OK(a, pleach_hash_compact(s->h.hash));
    }
    if (a->index == 1) stop_all(a);
}

static void count_up(agent *a, const stays *s)
{
    for (uint64_t value = 1; !stopped(a); value++) {
        uint64_t old = 0;
        EXPECT_OK(a, pleach_hash_put_one(s->h.hash, s->key[0], value, NULL, &old));
        EXPECT(a, old == kept_value(&s->h, value - 1));
    }
}

static void look_on(agent *a, const stays *s)
{
    uint64_t last = 0, value = 0;
    for (size_t turn = 0; !stopped(a); turn++) {
        size_t which = turn % 2 ? (size_t)rng_below(&a->r, s->staying) : 0;
        int found = -1;
        EXPECT_OK(a, pleach_hash_find_one(s->h.hash, s->key[which], &found, &value));
        EXPECT(a, found == 1 && (which == 0 ? value >= last : value == kept_value(&s->h, which)));
        if (which == 0) last = value;
        count_checked(1);
    }
}

static void stay_or_go(agent *a)
{
    const stays *s = a->shared;
    if (a->index == 0)
        count_up(a, s);
    else if (a->index % 2)
        come_and_go(a, s);
    else
        look_on(a, s);
}

static void what_stays_is_found(const setting *where, bool set)
{
    stays s = {.h = hashed_open(where, set), .all = 200, .staying = 20, .calls = scaled_single_calls(where, 30000)};
    s.key = colliding_keys(&s.h, s.all);
    for (size_t i = 0; i < s.all; i++) { /* those that stay are spread over the chain */
        size_t which = i % 10 ? s.staying + i - i / 10 - 1 : i / 10;
        assert_ok(pleach_hash_put_one(s.h.hash, s.key[which], which, NULL, NULL));
    }
    run_agents(calling_threads() < 4 ? 4 : calling_threads(), stay_or_go, &s);
    free(s.key);
    hashed_close(&s.h);
}

/* ---- a slot that changes hands ----
 * One thread has two keys take turns in the only slot that is free, as fast as it can. Whoever reads that slot's key
 * and then its value, and not the header again, reads the value of the other. */

typedef struct swap {
    hashed h;
    size_t turns;
} swap;

static uint64_t value_at(uint64_t key, uint64_t turn) { return key << 24 | (turn & 0xffffff); }

static void take_turns(agent *a, const swap *s)
{
    for (uint64_t turn = 0; turn < s->turns && !stopped(a); turn++)
        for (uint64_t key = 1; key <= 2; key++) {
            EXPECT_OK(a, pleach_hash_put_one(s->h.hash, key, value_at(key, turn), NULL, NULL));
            EXPECT_OK(a, pleach_hash_erase_one(s->h.hash, key, NULL, NULL));
        }
    stop_all(a);
}

static void change_hands(agent *a)
{
    const swap *s = a->shared;
    if (a->index == 0) take_turns(a, s);
    uint64_t last[3] = {0}, count = 0;
    for (; !stopped(a); count++) {
        uint64_t key = 1 + count % 2, value = 0;
        int found = -1;
        EXPECT_OK(a, pleach_hash_find_one(s->h.hash, key, &found, &value));
        EXPECT(a, !found || (s->h.set ? value == 0 : value >> 24 == key && value >= last[key]));
        if (found) last[key] = value;
    }
    count_checked(count);
}

static void a_slot_changes_hands(const setting *where, bool set)
{
    swap s = {.h = hashed_open(where, set), .turns = scaled_single_calls(where, 150000)};
    run_agents(3, change_hands, &s);
    hashed_close(&s.h);
}

/* ---- one thread brings, another takes away ----
 * What one frees the other has to find: else each round takes new memory. */

typedef struct relay {
    hashed h;
    pthread_barrier_t barrier;
    size_t keys, rounds;
    uint64_t *key, bytes[2]; /* after the first rounds, and at the end */
} relay;

static void bring_or_take(agent *a)
{
    relay *t = a->shared;
    for (size_t round = 0; round < t->rounds; round++) {
        for (size_t i = 0; i < t->keys && a->index == 0; i++)
            EXPECT_OK(a, pleach_hash_put_one(t->h.hash, t->key[i], 1, NULL, NULL));
        pthread_barrier_wait(&t->barrier);
        for (size_t i = 0; i < t->keys && a->index == 1; i++)
            EXPECT_OK(a, pleach_hash_erase_one(t->h.hash, t->key[i], NULL, NULL));
        pthread_barrier_wait(&t->barrier);
        pleach_hash_stats stats;
        if (a->index == 0 && (round == 4 || round + 1 == t->rounds)) {
            EXPECT_OK(a, pleach_hash_get_stats(t->h.hash, &stats));
            t->bytes[round > 4] = stats.slab_bytes + stats.free_bytes;
        }
    }
    count_checked(t->rounds * t->keys);
}

static void one_brings_another_takes_away(const setting *where, bool set)
{
    relay t = {.h = hashed_open(where, set), .keys = 300, .rounds = 40};
    t.key = colliding_keys(&t.h, t.keys);
    assert_int_equal(pthread_barrier_init(&t.barrier, NULL, 2), 0);
    run_agents(2, bring_or_take, &t);
    pthread_barrier_destroy(&t.barrier);
    assert_true(t.bytes[1] <= t.bytes[0] + t.bytes[0] / 8);
    free(t.key);
    hashed_close(&t.h);
}

static const test_case cases[] = {
    IN_MAPS_AND_SETS(many_threads_on_few_keys),
    IN_MAPS_AND_SETS(many_threads_on_many_keys),
    IN_MAPS_AND_SETS(many_threads_in_one_bucket),
    IN_MAPS_AND_SETS(growth_under_load),
    IN_MAPS_AND_SETS(whole_calls_beside_others),
    IN_MAPS_AND_SETS(what_stays_is_found),
    IN_MAPS_AND_SETS(a_slot_changes_hands),
    IN_MAPS_AND_SETS(one_brings_another_takes_away),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
