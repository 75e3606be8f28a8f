/* test_skiplist_threads.c - skiplists of every shape under several threads: waves of updates by owners of neighbouring
 * keys, contests for the same keys, and queries concurrent with updates that split and merge chunks all the time. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/skiplists.h"
#include "testkit/wide.h"

/* ---- several threads ------------------------------------------------------------------------------------------- */

/* Each agent owns every count-th key of a small range, so that every chunk has keys of all of them; it knows what it is
 * told about its own. In a wave it inserts most of its keys and erases some, or the other way round. */
typedef struct shared_range {
    wide w;
    bool in_arrays;
    size_t wave, keys_each;
    uint64_t *values; /* of key i, where present[i] */
    uint8_t *present;
} shared_range;

static uint64_t owned_key(const agent *a, size_t i) { return i * a->count + a->index; }

static void ride_singly(agent *a, shared_range *s, rng *r, unsigned inserts)
{
    for (size_t step = 0; step < s->keys_each && !stopped(a); step++) {
        const uint64_t key = owned_key(a, (size_t)rng_below(r, s->keys_each)), value = rng_next(r) & s->w.top;
        const bool was = s->present[key];
        pleach_outcome outcome = PLEACH_NOT_APPLIED;
        uint64_t old = s->values[key];
        if (rng_percent(r, inserts)) {
            EXPECT_OK(a, pleach_map_put_one(s->w.map, key, value, &outcome, &old));
            EXPECT(a, outcome == (was ? PLEACH_REPLACED : PLEACH_INSERTED) && old == s->values[key]);
            s->present[key] = 1;
            s->values[key] = value;
        } else {
            EXPECT_OK(a, pleach_map_erase_one(s->w.map, key, &outcome, &old));
            EXPECT(a, outcome == (was ? PLEACH_ERASED : PLEACH_ABSENT) && old == s->values[key]);
            s->present[key] = 0;
        }
        int found = -1;
        uint64_t got = 0;
        EXPECT_OK(a, pleach_map_find_one(s->w.map, key, &found, &got));
        EXPECT(a, found == s->present[key] && (!found || got == s->values[key]));
    }
    count_checked(2 * s->keys_each);
}

/* A stretch of the agent's keys that begins anywhere. */
static void ride_in_arrays(agent *a, shared_range *s, rng *r, unsigned inserts)
{
    const size_t n = 1 + (size_t)rng_below(r, s->keys_each), first = (size_t)rng_below(r, s->keys_each - n + 1);
    FREED uint64_t *keys = must_alloc(n, sizeof *keys), *values = must_alloc(n, sizeof *values);
    FREED uint8_t *outcomes = untouched_bytes(n);
    const bool insert = rng_percent(r, inserts);
    for (size_t i = 0; i < n; i++)
        keys[i] = owned_key(a, first + i), values[i] = rng_next(r) & s->w.top;
    pleach_status status =
        insert ? wide_put(&s->w, n, keys, values, outcomes, NULL) : wide_erase(&s->w, n, keys, outcomes, NULL);
    if (status != PLEACH_OK)
        agent_fail(a, __FILE__, __LINE__, pleach_status_name(status));
    for (size_t i = 0; i < n && !stopped(a); i++) {
        const bool was = s->present[keys[i]];
        const pleach_outcome inserted = was ? PLEACH_REPLACED : PLEACH_INSERTED;
        const pleach_outcome erased = was ? PLEACH_ERASED : PLEACH_ABSENT;
        if (outcomes[i] != (insert ? inserted : erased))
            agent_fail(a, __FILE__, __LINE__, "an outcome");
        s->present[keys[i]] = insert;
        s->values[keys[i]] = insert ? values[i] : s->values[keys[i]];
    }
}

static void ride_wave(agent *a)
{
    shared_range *s = a->shared;
    rng r = rng_for(test_seed(), 100 + 64 * s->wave + a->index);
    const unsigned inserts = s->wave % 2 ? 15 : 85;
    if (!s->in_arrays)
        ride_singly(a, s, &r, inserts);
    for (size_t i = 0; i < 4 && s->in_arrays && !stopped(a); i++)
        ride_in_arrays(a, s, &r, inserts);
}

static void compare_shared(const shared_range *s, oracle *o)
{
    uint64_t ignored;
    oracle_clear(o);
    for (size_t key = 0; key < o->rows; key++)
        if (s->present[key])
            oracle_put(o, key, s->values[key], &ignored);
    assert_same_content(&s->w, o);
}

static void ride_waves(const setting *where, shape shape_here, bool in_arrays)
{
    const size_t agents = calling_threads(), waves = shrunk(20, 6);
    shared_range s = {.w = open_shape(where, shape_here), .in_arrays = in_arrays};
    s.keys_each = in_arrays ? shrunk(400, 200) : where->device == PLEACH_CUDA ? 40 : shrunk(2000, 300);
    const size_t range = agents * s.keys_each;
    FREED uint64_t *keys = must_alloc(range, sizeof *keys);
    for (size_t i = 0; i < range; i++)
        keys[i] = i;
    AT_END(end_oracle) oracle *o = oracle_create(range, keys);
    s.values = must_alloc(range, sizeof *s.values);
    s.present = must_alloc(range, 1);
    for (s.wave = 0; s.wave < waves; s.wave++) {
        run_agents(agents, ride_wave, &s);
        compare_shared(&s, o);
    }
    assert_same(&s.w, o);
    free(s.values);
    free(s.present);
    wide_close(&s.w);
}

static void single_waves_of(const setting *where, shape s) { ride_waves(where, s, false); }
static void array_rides_of(const setting *where, shape s) { ride_waves(where, s, true); }

/* All want the same few keys of one chunk. What they were told must add up to what is there. */
enum { WANTED = 4 };

typedef struct contest {
    wide w;
    size_t rounds, keys;
    atomic_llong inserted[WANTED];
    atomic_ullong sum[WANTED]; /* of the values that went in, less those that came out */
} contest;

static void contend(agent *a)
{
    contest *c = a->shared;
    for (size_t round = 0; round < c->rounds && !stopped(a); round++) {
        const uint64_t key = rng_below(&a->r, c->keys), dice = rng_below(&a->r, 3);
        const uint64_t value = rng_next(&a->r) & c->w.top;
        pleach_answer answer = {0};
        EXPECT_OK(a, map_answer(c->w.map, (pleach_operation)dice, key, value, &answer));
        const pleach_outcome outcome = (pleach_outcome)answer.flag;
        EXPECT(a, outcome != PLEACH_NOT_APPLIED);
        atomic_fetch_add(&c->inserted[key], (outcome == PLEACH_INSERTED) - (outcome == PLEACH_ERASED));
        if (outcome == PLEACH_INSERTED || outcome == PLEACH_REPLACED)
            atomic_fetch_add(&c->sum[key], value);
        if (outcome == PLEACH_REPLACED || outcome == PLEACH_ERASED)
            atomic_fetch_sub(&c->sum[key], answer.value);
    }
    count_checked(c->rounds);
}

static void contention_of(const setting *where, shape s)
{
    for (size_t keys = 1; keys <= WANTED; keys += WANTED - 1) {
        contest c = {.w = open_shape(where, s), .rounds = scaled_single_calls(where, 20000), .keys = keys};
        run_agents(calling_threads(), contend, &c);
        for (uint64_t key = 0; key < keys; key++) {
            int found = -1;
            uint64_t value = 0;
            assert_ok(pleach_map_find_one(c.w.map, key, &found, &value));
            assert_int_equal(atomic_load(&c.inserted[key]), found);
            assert_int_equal(atomic_load(&c.sum[key]), value);
        }
        wide_close(&c.w);
    }
}

/* One key, all the elements of an array. */
static void equal_keys_in_one_call(const setting *where)
{
    const size_t n = shrunk(20000, 2000);
    AT_END(wide_close) wide w = open_shape(where, shapes[0]);
    FREED uint64_t *keys = must_alloc(n, sizeof *keys), *values = must_alloc(n, sizeof *values);
    FREED uint8_t *outcomes = untouched_bytes(n);
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < n; i++)
            keys[i] = round == 0 ? 0 : round == 1 ? w.top : 77, values[i] = i;
        assert_ok(wide_put(&w, n, keys, values, outcomes, NULL));
        assert_int_equal(count_bytes(n, outcomes, PLEACH_INSERTED), 1);
        assert_int_equal(count_bytes(n, outcomes, PLEACH_REPLACED), n - 1);
        assert_ok(wide_add(&w, n, keys, values, outcomes, NULL));
        assert_int_equal(count_bytes(n, outcomes, PLEACH_EXISTS), n);
        assert_ok(wide_erase(&w, n, keys, outcomes, NULL));
        assert_int_equal(count_bytes(n, outcomes, PLEACH_ERASED), 1);
        assert_int_equal(count_bytes(n, outcomes, PLEACH_ABSENT), n - 1);
        assert_valid(&w);
    }
}

/* ---- queries beside updates ------------------------------------------------------------------------------------ */

/* Every third key stays, and those between come and go in waves, so that chunks split and merge all the time. Agents of
 * even number update, the others look for what stays. */
enum { STEADY_KEYS = 3000, APART = 3, LOOKED_UP = 500 };

typedef struct unrest {
    wide w;
    size_t rounds;
    atomic_size_t updaters;
} unrest;

static uint64_t steady_value(const wide *w, uint64_t key) { return value_for(key, w->top, 9); }

static void come_and_go(agent *a, unrest *u)
{
    enum { AT_ONCE = 300 };
    uint64_t keys[AT_ONCE];
    for (size_t round = 0; round < u->rounds && !stopped(a); round++) {
        const uint64_t first = rng_below(&a->r, STEADY_KEYS - AT_ONCE);
        for (size_t i = 0; i < AT_ONCE; i++)
            keys[i] = APART * (first + i) + 1 + a->index / 2 % 2;
        EXPECT_OK(a, wide_add(&u->w, AT_ONCE, keys, keys, NULL, NULL));
        EXPECT_OK(a, wide_erase(&u->w, AT_ONCE, keys, NULL, NULL));
    }
}

static void look_for_what_stays(agent *a, unrest *u)
{
    uint64_t keys[LOOKED_UP], values[LOOKED_UP];
    uint8_t found[LOOKED_UP];
    for (size_t i = 0; i < LOOKED_UP; i++)
        keys[i] = APART * rng_below(&a->r, STEADY_KEYS);
    EXPECT_OK(a, wide_find(&u->w, LOOKED_UP, keys, values, found));
    for (size_t i = 0; i < LOOKED_UP; i++)
        EXPECT(a, found[i] == 1 && values[i] == steady_value(&u->w, keys[i]));
    for (size_t i = 0; i < LOOKED_UP; i += 50) {
        int there = -1;
        uint64_t value = 0;
        EXPECT_OK(a, pleach_map_find_one(u->w.map, keys[i], &there, &value));
        EXPECT(a, there == 1 && value == steady_value(&u->w, keys[i]));
    }
}

/* The nearest keys on both sides are at most as far as the next that stays; and a range has all that stay. */
static void look_around(agent *a, unrest *u)
{
    enum { MOST = APART * 60 };
    const uint64_t key = APART * (1 + rng_below(&a->r, STEADY_KEYS - 62)), lo = key, hi = key + APART * 50;
    uint64_t above = 0, below = 0, keys[MOST], values[MOST], offsets[2], count = 0, next = lo;
    uint8_t found[2] = {9, 9};
    size_t total = 0;
    EXPECT_OK(a, wide_succ(&u->w, 1, &key, &above, NULL, &found[0]));
    EXPECT_OK(a, wide_pred(&u->w, 1, &key, &below, NULL, &found[1]));
    EXPECT(a, found[0] == 1 && above > key && above <= key + APART);
    EXPECT(a, found[1] == 1 && below < key && below >= key - APART);
    EXPECT_OK(a, wide_range(&u->w, 1, &lo, &hi, 0, MOST, keys, values, offsets, &total));
    for (size_t i = 0; i < total; i++) {
        EXPECT(a, i == 0 || keys[i] > keys[i - 1]);
        EXPECT(a, keys[i] <= next && values[i] == (keys[i] % APART ? keys[i] : steady_value(&u->w, keys[i])));
        next += keys[i] == next ? APART : 0;
    }
    EXPECT(a, next == hi + APART);
    EXPECT_OK(a, wide_range_count(&u->w, 1, &lo, &hi, &count));
    EXPECT(a, count >= 51 && count <= APART * 50 + 1);
}

static void update_or_look(agent *a)
{
    unrest *u = a->shared;
    if (a->index % 2 == 0) {
        come_and_go(a, u);
        atomic_fetch_sub(&u->updaters, 1);
        return;
    }
    while (atomic_load(&u->updaters) > 0 && !stopped(a)) {
        look_for_what_stays(a, u);
        look_around(a, u);
    }
}

static void unrest_of(const setting *where, shape s)
{
    const size_t agents = calling_threads();
    unrest u = {.w = open_shape(where, s), .rounds = shrunk(150, 20)};
    FREED uint64_t *keys = must_alloc(STEADY_KEYS, sizeof *keys), *values = must_alloc(STEADY_KEYS, sizeof *values);
    for (size_t i = 0; i < STEADY_KEYS; i++) {
        keys[i] = APART * i;
        values[i] = steady_value(&u.w, keys[i]);
    }
    AT_END(end_oracle) oracle *o = oracle_create(STEADY_KEYS, keys);
    put_both(&u.w, o, STEADY_KEYS, keys, values);
    atomic_init(&u.updaters, (agents + 1) / 2);
    run_agents(agents, update_or_look, &u);
    assert_same_content(&u.w, o);
    wide_close(&u.w);
}

/* Two stretches that nobody changes, the least keys and the largest ones, with churn between them: in these every
 * ordered query has one right answer. */
enum { QUIET = 400, GAP = 5 };

typedef struct neighbourhood {
    wide w;
    const oracle *o; /* of the quiet stretches */
    uint64_t begin, end; /* of the churn */
    size_t rounds;
    atomic_size_t updaters;
} neighbourhood;

static void churn_between(agent *a, neighbourhood *h)
{
    enum { AT_ONCE = 400 };
    uint64_t keys[AT_ONCE];
    for (size_t round = 0; round < h->rounds && !stopped(a); round++) {
        for (size_t i = 0; i < AT_ONCE; i++)
            keys[i] = h->begin + rng_below(&a->r, h->end - h->begin);
        if (rng_percent(&a->r, 50))
            EXPECT_OK(a, wide_put(&h->w, AT_ONCE, keys, keys, NULL, NULL));
        else
            EXPECT_OK(a, wide_erase(&h->w, AT_ONCE, keys, NULL, NULL));
    }
}

/* A key in or beside the stretch, from which the answers lie in it. */
static uint64_t quiet_key(agent *a, const neighbourhood *h, bool upper)
{
    const uint64_t offset = rng_below(&a->r, GAP * (QUIET - 1));
    return upper ? h->w.top - offset : offset;
}

static void ask_neighbours(agent *a, neighbourhood *h, bool upper)
{
    const uint64_t key = quiet_key(a, h, upper);
    uint64_t out_key = 1, out_value = 1, right_key = 1, right_value = 1;
    uint8_t found = 9;
    EXPECT_OK(a, wide_succ(&h->w, 1, &key, &out_key, &out_value, &found));
    EXPECT(a, found == oracle_succ(h->o, key, &right_key, &right_value));
    EXPECT(a, out_key == right_key && out_value == right_value);
    EXPECT_OK(a, wide_pred(&h->w, 1, &key, &out_key, &out_value, &found));
    EXPECT(a, found == oracle_pred(h->o, key, &right_key, &right_value));
    EXPECT(a, out_key == right_key && out_value == right_value);
    count_checked(2);
}

static void ask_ranges(agent *a, neighbourhood *h, bool upper)
{
    uint64_t lo = quiet_key(a, h, upper), hi = quiet_key(a, h, upper), offsets[2], count = 0;
    uint64_t keys[QUIET], values[QUIET], right_keys[QUIET], right_values[QUIET];
    const uint32_t limit = (uint32_t)rng_below(&a->r, 20);
    size_t total = 0, right = oracle_range(h->o, lo, hi, limit, right_keys, right_values);
    EXPECT_OK(a, wide_range(&h->w, 1, &lo, &hi, limit, QUIET, keys, values, offsets, &total));
    EXPECT(a, total == right && memcmp(keys, right_keys, total * sizeof *keys) == 0);
    EXPECT(a, memcmp(values, right_values, total * sizeof *values) == 0);
    EXPECT_OK(a, wide_range_count(&h->w, 1, &lo, &hi, &count));
    EXPECT(a, count == oracle_range(h->o, lo, hi, 0, NULL, NULL));
}

static void ask_ends(agent *a, neighbourhood *h)
{
    uint64_t key = 1, value = 1, right_key = 1, right_value = 1;
    int found = -1;
    EXPECT_OK(a, pleach_map_min(h->w.map, &found, &key, &value));
    EXPECT(a, found == 1 && oracle_min(h->o, &right_key, &right_value) && key == right_key && value == right_value);
    EXPECT_OK(a, pleach_map_max(h->w.map, &found, &key, &value));
    EXPECT(a, found == 1 && oracle_max(h->o, &right_key, &right_value) && key == right_key && value == right_value);
    count_checked(2);
}

static void churn_or_ask(agent *a)
{
    neighbourhood *h = a->shared;
    if (a->index % 2 == 0) {
        churn_between(a, h);
        atomic_fetch_sub(&h->updaters, 1);
        return;
    }
    while (atomic_load(&h->updaters) > 0 && !stopped(a)) {
        const bool upper = rng_percent(&a->r, 50);
        ask_neighbours(a, h, upper);
        ask_ranges(a, h, upper);
        ask_ends(a, h);
    }
}

static void neighbourhood_of(const setting *where, shape s)
{
    const size_t agents = calling_threads();
    neighbourhood h = {.w = open_shape(where, s), .rounds = shrunk(200, 30)};
    uint64_t keys[2 * QUIET];
    for (size_t i = 0; i < QUIET; i++) {
        keys[i] = GAP * i;
        keys[QUIET + i] = h.w.top - GAP * i;
    }
    oracle *o = oracle_create(2 * QUIET, keys);
    FREED uint64_t *values = values_for(2 * QUIET, keys, h.w.top, 5);
    put_both(&h.w, o, 2 * QUIET, keys, values);
    h.o = o;
    h.begin = GAP * QUIET;
    h.end = h.begin + 3000;
    atomic_init(&h.updaters, (agents + 1) / 2);
    run_agents(agents, churn_or_ask, &h);
    oracle_destroy(o);
    wide_close(&h.w);
}

/* Queries seldom have to look again: finds, with a fifth of updates beside them. */
enum { MIXED_AT_ONCE = 1000 };

typedef struct mixture {
    wide w;
    uint64_t range;
    size_t rounds;
    atomic_size_t finds;
} mixture;

static void mix(agent *a)
{
    mixture *m = a->shared;
    uint64_t keys[MIXED_AT_ONCE];
    for (size_t round = 0; round < m->rounds && !stopped(a); round++) {
        const uint64_t dice = rng_below(&a->r, 10);
        for (size_t i = 0; i < MIXED_AT_ONCE; i++)
            keys[i] = rng_below(&a->r, m->range);
        if (dice == 0)
            EXPECT_OK(a, wide_add(&m->w, MIXED_AT_ONCE, keys, keys, NULL, NULL));
        else if (dice == 1)
            EXPECT_OK(a, wide_erase(&m->w, MIXED_AT_ONCE, keys, NULL, NULL));
        else
            EXPECT_OK(a, wide_find(&m->w, MIXED_AT_ONCE, keys, NULL, NULL));
        atomic_fetch_add(&m->finds, dice > 1 ? MIXED_AT_ONCE : 0);
    }
}

static void restarts_of(const setting *where, shape s)
{
    mixture m = {.w = open_shape(where, s), .range = shrunk(50000, 10000), .rounds = scaled(200)};
    rng r = rng_for(test_seed(), 99);
    FREED uint64_t *keys = pattern_keys(SORTED, m.range, m.w.top, &r);
    shuffle(&r, m.range, keys);
    assert_ok(wide_put(&m.w, m.range / 2, keys, keys, NULL, NULL));
    const uint64_t before = stats_of(m.w.map).restarts;
    run_agents(calling_threads(), mix, &m);
    const double restarts = (double)(stats_of(m.w.map).restarts - before), finds = (double)atomic_load(&m.finds);
    print_message("%.0f restarts in %.0f finds: %.4f%%\n", restarts, finds, 100 * restarts / finds);
    /* A GPU's threads are as many as there are keys. */
    assert_true(restarts < finds * (where->device == PLEACH_CUDA ? 0.05 : 0.01));
    wide_close(&m.w);
}

static const test_case cases[] = {
    EVERY_SHAPE(waves_of_single_calls_from_threads, single_waves_of),
    EVERY_SHAPE(waves_of_array_calls_from_threads, array_rides_of),
    EVERY_SHAPE(all_want_the_same_keys, contention_of),
    CASE(equal_keys_in_one_call),
    EVERY_SHAPE(what_stays_is_always_found, unrest_of),
    EVERY_SHAPE(ordered_queries_beside_churn_elsewhere, neighbourhood_of),
    EVERY_SHAPE(queries_seldom_look_again, restarts_of),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
