/* test_map_threads.c - several threads at once on one map. Each case has a rule that tells right from wrong answers
 * without stopping the world: keys with one owner, counts and values that must add up, keys that nobody touches,
 * values that only grow. */
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

/* ---- keys with one owner ---------------------------------------------------------------------------------------
 * Agent i of T owns every T-th key, so that owners meet in every leaf. Nobody else updates its keys: whatever it is
 * told about them must be exactly what its own oracle says, and whatever it is told about others' keys must not
 * contradict that. */

typedef struct owned_keys {
    wide w;
    size_t keys_each;
    uint64_t distance; /* between neighbouring keys */
    size_t rounds;
} owned_keys;

typedef struct owner {
    agent *a;
    const owned_keys *shared;
    const wide *w;
    oracle *o;
} owner;

static owner owner_begin(agent *a)
{
    const owned_keys *shared = a->shared;
    FREED uint64_t *keys = must_alloc(shared->keys_each, sizeof *keys);
    for (size_t i = 0; i < shared->keys_each; i++)
        keys[i] = (i * a->count + a->index) * shared->distance;
    return (owner){a, shared, &shared->w, oracle_create(shared->keys_each, keys)};
}

static uint64_t own_key(owner *self)
{
    return self->o->keys[rng_below(&self->a->r, self->o->rows)];
}

static bool is_own(const owner *self, uint64_t key)
{
    return key % self->shared->distance == 0 && key / self->shared->distance % self->a->count == self->a->index;
}

/* A call that must answer exactly what the oracle does. */
static void owner_point(owner *self, pleach_operation operation, uint64_t key)
{
    uint64_t value = rng_next(&self->a->r) & self->w->top;
    pleach_answer got = {.value = 1}, expected = got;
    EXPECT_OK(self->a, map_answer(self->w->map, operation, key, value, &got));
    oracle_answer(self->o, operation, key, value, &expected);
    EXPECT(self->a, same_answer(&got, &expected));
}

static void owner_find(owner *self)
{
    uint64_t key = own_key(self);
    owner_point(self, PLEACH_OP_FIND, key);
    if (!self->a->failed)
        owner_point(self, PLEACH_OP_CONTAINS, key);
}

/* The result of succ is my next key or another owner's smaller one; if it is mine, it is there with my value. So is
 * that of pred. */
static void owner_neighbour(owner *self, bool up)
{
    uint64_t key = own_key(self), got = 0, value = 0, mine = 0, my_value = 0;
    int found = -1;
    bool have = (up ? oracle_succ : oracle_pred)(self->o, key, &mine, &my_value);
    EXPECT_OK(self->a,
              (up ? pleach_map_succ_one : pleach_map_pred_one)(self->w->map, key, &found, &got, &value));
    EXPECT(self->a, found == 1 || !have);
    if (!found)
        return;
    EXPECT(self->a, up ? got > key : got < key);
    EXPECT(self->a, !have || (up ? got <= mine : got >= mine));
    EXPECT(self->a, !is_own(self, got) || (have && got == mine && value == my_value));
}

static void owner_min_max(owner *self)
{
    uint64_t low = 0, high = 0, mine = 0;
    int found_min = -1, found_max = -1;
    EXPECT_OK(self->a, pleach_map_min(self->w->map, &found_min, &low, NULL));
    EXPECT_OK(self->a, pleach_map_max(self->w->map, &found_max, &high, NULL));
    if (oracle_min(self->o, &mine, NULL))
        EXPECT(self->a, found_min == 1 && low <= mine);
    if (oracle_max(self->o, &mine, NULL))
        EXPECT(self->a, found_max == 1 && high >= mine);
    EXPECT(self->a, !found_min || !is_own(self, low) || oracle_find(self->o, low, NULL));
    EXPECT(self->a, !found_max || !is_own(self, high) || oracle_find(self->o, high, NULL));
}

/* A range is ascending, inside its bounds, and my keys in it are exactly those that I know to be there. */
static void expect_range(owner *self, uint64_t lo, uint64_t hi, size_t n, const uint64_t *keys,
                         const uint64_t *values)
{
    uint64_t mine = 0, my_value = 0;
    bool have = lo ? oracle_succ(self->o, lo - 1, &mine, &my_value) : oracle_min(self->o, &mine, &my_value);
    for (size_t i = 0; i < n; i++) {
        EXPECT(self->a, keys[i] >= lo && keys[i] <= hi);
        EXPECT(self->a, i == 0 || keys[i] > keys[i - 1]);
        if (!is_own(self, keys[i]))
            continue;
        EXPECT(self->a, have && keys[i] == mine && values[i] == my_value);
        have = oracle_succ(self->o, mine, &mine, &my_value);
    }
    EXPECT(self->a, !have || mine > hi);
}

static void owner_range(owner *self)
{
    enum { SPAN = 24, ROOM = 4096 };
    uint64_t keys[ROOM], values[ROOM], offsets[2] = {9, 9}, lo = own_key(self), count = 0;
    uint64_t span = SPAN * self->shared->distance, hi = lo > self->w->top - span ? self->w->top : lo + span;
    size_t total = 0;
    EXPECT_OK(self->a, wide_range(self->w, 1, &lo, &hi, 0, ROOM, keys, values, offsets, &total));
    EXPECT(self->a, offsets[0] == 0 && offsets[1] == total && total <= SPAN + 1);
    expect_range(self, lo, hi, total, keys, values);
    EXPECT_OK(self->a, wide_range_count(self->w, 1, &lo, &hi, &count));
    EXPECT(self->a, count <= SPAN + 1 && count >= oracle_range(self->o, lo, hi, 0, NULL, NULL));
}

static void owner_single_call(owner *self)
{
    uint64_t dice = rng_below(&self->a->r, 100);
    if (dice < 40)
        owner_point(self, dice % 5 < 3 ? PLEACH_OP_PUT : PLEACH_OP_ADD, own_key(self));
    else if (dice < 65)
        owner_point(self, PLEACH_OP_ERASE, own_key(self));
    else if (dice < 82)
        owner_find(self);
    else if (dice < 94)
        owner_neighbour(self, dice < 88);
    else if (dice < 95)
        owner_min_max(self);
    else
        owner_range(self);
    count_checked(1);
}

/* One array call with distinct own keys. */
static void owner_array_update(owner *self)
{
    enum { N = 200 };
    uint64_t keys[N], values[N], olds[N] = {0}, expected_olds[N] = {0};
    uint8_t outcomes[N] = {0}, expected[N] = {0};
    size_t n = self->o->rows < N ? self->o->rows : N;
    size_t start = (size_t)rng_below(&self->a->r, self->o->rows - n + 1);
    for (size_t i = 0; i < n; i++) {
        keys[i] = self->o->keys[start + i];
        values[i] = rng_next(&self->a->r) & self->w->top;
    }
    switch (rng_below(&self->a->r, 3)) {
    case 0:
        EXPECT_OK(self->a, wide_put(self->w, n, keys, values, outcomes, olds));
        oracle_insert_all(self->o, oracle_put, n, keys, values, expected, expected_olds);
        break;
    case 1:
        EXPECT_OK(self->a, wide_add(self->w, n, keys, values, outcomes, olds));
        oracle_insert_all(self->o, oracle_add, n, keys, values, expected, expected_olds);
        break;
    default:
        EXPECT_OK(self->a, wide_erase(self->w, n, keys, outcomes, olds));
        oracle_erase_all(self->o, n, keys, expected, expected_olds);
    }
    EXPECT(self->a, !memcmp(outcomes, expected, n));
    EXPECT(self->a, !memcmp(olds, expected_olds, n * sizeof *olds));
}

static void owner_array_find(owner *self)
{
    enum { N = 200 };
    uint64_t keys[N], values[N] = {0}, expected_values[N] = {0};
    uint8_t found[N] = {0}, expected[N] = {0};
    for (size_t i = 0; i < N; i++) {
        keys[i] = own_key(self);
        expected[i] = oracle_find(self->o, keys[i], &expected_values[i]);
    }
    EXPECT_OK(self->a, wide_find(self->w, N, keys, values, found));
    EXPECT(self->a, !memcmp(found, expected, N));
    EXPECT(self->a, !memcmp(values, expected_values, sizeof values));
}

/* At the end, when all is quiet, every key of mine is as I left it. */
static void owner_end(owner *self)
{
    for (size_t row = 0; row < self->o->rows && !self->a->failed; row++) {
        uint64_t value = 0;
        int found = -1;
        EXPECT_OK(self->a, pleach_map_find_one(self->w->map, self->o->keys[row], &found, &value));
        EXPECT(self->a, found == self->o->present[row] && (!found || value == self->o->values[row]));
    }
}

static void owner_body_single(agent *a)
{
    owner self = owner_begin(a);
    for (size_t i = 0; i < self.shared->rounds && !stopped(a); i++)
        owner_single_call(&self);
    owner_end(&self);
    oracle_destroy(self.o);
}

static void owner_body_mixed(agent *a)
{
    owner self = owner_begin(a);
    for (size_t i = 0; i < self.shared->rounds && !stopped(a); i++) {
        uint64_t dice = rng_below(&a->r, 100);
        if (dice < 2)
            owner_array_update(&self);
        else if (dice < 3)
            owner_array_find(&self);
        else
            owner_single_call(&self);
    }
    owner_end(&self);
    oracle_destroy(self.o);
}

static void run_owners(const setting *where, size_t keys_each, bool whole_space, size_t rounds, agent_body *body)
{
    owned_keys shared = {wide_open(where), keys_each, 1, scaled_single_calls(where, rounds)};
    if (whole_space)
        shared.distance = shared.w.top / (keys_each * calling_threads());
    run_agents(calling_threads(), body, &shared);
    wide_close(&shared.w);
}

static void owners_of_few_keys_get_exact_answers(const setting *where)
{
    run_owners(where, 12, false, 80000, owner_body_single);
}

static void owners_of_many_keys_get_exact_answers(const setting *where)
{
    run_owners(where, 6000, true, 80000, owner_body_single);
}

static void owners_mix_array_and_single_calls(const setting *where)
{
    run_owners(where, 2000, false, 25000, owner_body_mixed);
}

/* ---- the same with exclusive calls in between -------------------------------------------------------------------
 * Agent 0 compacts, exports, validates and asks for statistics while the others work, and clears a second map. */

typedef struct kept_house {
    owned_keys owned; /* first, so that owners find it */
    wide other;
} kept_house;

static void export_is_ascending(agent *a, const wide *w)
{
    size_t capacity = 100000, n = 0;
    FREED uint64_t *keys = must_alloc(capacity, sizeof *keys);
    pleach_status status = wide_export(w, capacity, keys, NULL, &n);
    bool ascending = n <= capacity;
    for (size_t i = 1; i < n && ascending; i++)
        ascending = keys[i - 1] < keys[i];
    EXPECT_OK(a, status);
    EXPECT(a, ascending);
}

static void keep_house(agent *a)
{
    kept_house *house = a->shared;
    const wide *w = &house->owned.w;
    pleach_map_stats stats;
    uint64_t size = 0;
    EXPECT_OK(a, pleach_map_compact(w->map, (double)rng_below(&a->r, 11) / 10));
    EXPECT_OK(a, pleach_map_validate(w->map, NULL, 0));
    EXPECT_OK(a, pleach_map_get_stats(w->map, &stats));
    EXPECT(a, stats.keys <= house->owned.keys_each * a->count);
    EXPECT_OK(a, pleach_map_size(w->map, &size));
    EXPECT_OK(a, pleach_map_reserve(w->map, 1000));
    export_is_ascending(a, w);
    EXPECT_OK(a, pleach_map_put_one(house->other.map, 1, 2, NULL, NULL));
    EXPECT_OK(a, pleach_map_clear(house->other.map));
    EXPECT_OK(a, pleach_map_validate(house->other.map, NULL, 0));
    count_checked(9);
}

static void housekeeper_or_owner(agent *a)
{
    kept_house *house = a->shared;
    if (a->index > 0) {
        owner_body_mixed(a);
        return;
    }
    for (size_t i = 0; i < house->owned.rounds / 100 && !stopped(a); i++)
        keep_house(a);
}

static void exclusive_calls_beside_others(const setting *where)
{
    kept_house house = {{wide_open(where), 1000, 1, scaled_single_calls(where, 20000)}, wide_open(where)};
    run_agents(calling_threads(), housekeeper_or_owner, &house);
    wide_close(&house.owned.w);
    wide_close(&house.other);
}

/* ---- keys that everybody fights for ----------------------------------------------------------------------------
 * Every value that is put is unique and names its key. Per key, the values that went in are those that came out (as
 * old values of REPLACED and ERASED) and the one that is left; INSERTED minus ERASED is 1 if the key is left, else 0.
 */

enum { HOT_KEYS = 64 };

typedef struct account {
    long present;      /* INSERTED minus ERASED */
    uint64_t balance;  /* hashes of values in, minus hashes of values out */
} account;

typedef struct fight {
    wide w;
    size_t rounds;
    account accounts[64][HOT_KEYS]; /* by agent */
} fight;

/* Hot keys fill some leaves and lie at both ends of the key space. */
static uint64_t hot_key(const wide *w, size_t which)
{
    return which % 2 ? w->top - which / 2 : which / 2;
}

static bool value_names_key(uint64_t value, size_t which)
{
    return value % HOT_KEYS == which;
}

static void settle(agent *a, size_t which, pleach_outcome outcome, uint64_t value, uint64_t old)
{
    fight *f = a->shared;
    account *mine = &f->accounts[a->index][which];
    if (outcome == PLEACH_INSERTED || outcome == PLEACH_REPLACED)
        mine->balance += mix64(value);
    if (outcome == PLEACH_REPLACED || outcome == PLEACH_ERASED)
        mine->balance -= mix64(old);
    if (outcome != PLEACH_INSERTED && outcome != PLEACH_ABSENT)
        EXPECT(a, value_names_key(old, which));
    mine->present += (outcome == PLEACH_INSERTED) - (outcome == PLEACH_ERASED);
}

static void fight_once(agent *a, size_t round)
{
    fight *f = a->shared;
    size_t which = (size_t)rng_below(&a->r, HOT_KEYS);
    uint64_t key = hot_key(&f->w, which), old = UINT64_MAX;
    uint64_t value = ((uint64_t)round * a->count + a->index) * HOT_KEYS + which;
    uint64_t dice = rng_below(&a->r, 100);
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    if (dice < 30) {
        EXPECT_OK(a, pleach_map_put_one(f->w.map, key, value, &outcome, &old));
        EXPECT(a, outcome == PLEACH_INSERTED || outcome == PLEACH_REPLACED);
    } else if (dice < 55) {
        EXPECT_OK(a, pleach_map_add_one(f->w.map, key, value, &outcome, &old));
        EXPECT(a, outcome == PLEACH_INSERTED || outcome == PLEACH_EXISTS);
    } else {
        EXPECT_OK(a, pleach_map_erase_one(f->w.map, key, &outcome, &old));
        EXPECT(a, outcome == PLEACH_ERASED || outcome == PLEACH_ABSENT);
    }
    settle(a, which, outcome, value, old);
}

/* The same with a whole array of hot keys, each several times. */
static void fight_with_array(agent *a, size_t round, size_t rounds)
{
    enum { N = 2 * HOT_KEYS };
    fight *f = a->shared;
    uint64_t keys[N], values[N], olds[N];
    uint8_t outcomes[N] = {0};
    for (size_t i = 0; i < N; i++) {
        keys[i] = hot_key(&f->w, i % HOT_KEYS);
        values[i] = ((uint64_t)((rounds + round * 2 + i / HOT_KEYS) * a->count) + a->index) * HOT_KEYS + i % HOT_KEYS;
        olds[i] = 0;
    }
    switch (rng_below(&a->r, 3)) {
    case 0: EXPECT_OK(a, wide_put(&f->w, N, keys, values, outcomes, olds)); break;
    case 1: EXPECT_OK(a, wide_add(&f->w, N, keys, values, outcomes, olds)); break;
    default: EXPECT_OK(a, wide_erase(&f->w, N, keys, outcomes, olds));
    }
    for (size_t i = 0; i < N && !a->failed; i++)
        settle(a, i % HOT_KEYS, (pleach_outcome)outcomes[i], values[i], olds[i]);
}

static void fighter(agent *a)
{
    fight *f = a->shared;
    for (size_t round = 0; round < f->rounds && !stopped(a); round++)
        fight_once(a, round);
    count_checked(f->rounds);
}

static void fighter_with_arrays(agent *a)
{
    fight *f = a->shared;
    for (size_t round = 0; round < f->rounds && !stopped(a); round++)
        if (round % 16)
            fight_once(a, round);
        else
            fight_with_array(a, round, f->rounds);
    count_checked(f->rounds);
}

static void assert_accounts_balance(const fight *f, size_t agents)
{
    for (size_t which = 0; which < HOT_KEYS; which++) {
        account sum = {0, 0};
        uint64_t value = 0;
        int found = -1;
        for (size_t i = 0; i < agents; i++) {
            sum.present += f->accounts[i][which].present;
            sum.balance += f->accounts[i][which].balance;
        }
        assert_ok(pleach_map_find_one(f->w.map, hot_key(&f->w, which), &found, &value));
        assert_int_equal(sum.present, found);
        assert_int_equal(sum.balance, found ? mix64(value) : 0);
    }
}

static void run_fight(const setting *where, size_t rounds, agent_body *body)
{
    FREED fight *f = must_alloc(1, sizeof *f);
    f->w = wide_open(where);
    f->rounds = scaled_single_calls(where, rounds);
    run_agents(calling_threads(), body, f);
    assert_accounts_balance(f, calling_threads());
    wide_close(&f->w);
}

static void shared_keys_add_up(const setting *where)
{
    run_fight(where, 150000, fighter);
}

static void shared_keys_add_up_with_array_calls(const setting *where)
{
    run_fight(where, 40000, fighter_with_arrays);
}

/* ---- readers beside writers ------------------------------------------------------------------------------------
 * Position p of the key space is a stable key (p % 4 == 0: never touched), a counter (p % 4 == 2: one writer puts
 * growing values, never erased) or churn (added and erased all the time). Agents of even index write, the others
 * read. */

enum { POSITIONS = 8000 };

typedef struct beside {
    wide w;
    uint64_t distance;
    size_t rounds;
    atomic_size_t writers_left;
} beside;

static uint64_t key_at(const beside *b, size_t position)
{
    return position * b->distance;
}

static bool is_stable(size_t position)
{
    return position % 4 == 0;
}

static bool is_counter(size_t position)
{
    return position % 4 == 2;
}

static uint64_t stable_value(const beside *b, size_t position)
{
    return value_for(position, b->w.top, 7);
}

/* Counters are dealt out to the writers; each adds its round to the value, so that values only grow. */
static void write_once(agent *a, size_t round)
{
    beside *b = a->shared;
    size_t writers = (a->count + 1) / 2, writer = a->index / 2;
    size_t counter = (size_t)rng_below(&a->r, POSITIONS / 4 / writers) * writers + writer;
    size_t churn = 2 * (size_t)rng_below(&a->r, POSITIONS / 2) + 1;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    EXPECT_OK(a, pleach_map_put_one(b->w.map, key_at(b, 4 * counter + 2), round + 1, &outcome, NULL));
    EXPECT(a, outcome == PLEACH_REPLACED);
    if (round / POSITIONS % 2)
        EXPECT_OK(a, pleach_map_erase_one(b->w.map, key_at(b, churn), NULL, NULL));
    else
        EXPECT_OK(a, pleach_map_add_one(b->w.map, key_at(b, churn), round & b->w.top, NULL, NULL));
}

static void writer(agent *a)
{
    beside *b = a->shared;
    for (size_t round = 0; round < b->rounds && !stopped(a); round++)
        write_once(a, round);
    count_checked(2 * b->rounds);
    if (atomic_fetch_sub(&b->writers_left, 1) == 1)
        stop_all(a);
}

/* What one pair tells a reader: the value of a stable key, or of a counter, which is not less than last seen. */
static void expect_pair(agent *a, size_t position, uint64_t value, uint64_t *last_seen)
{
    const beside *b = a->shared;
    if (is_stable(position))
        EXPECT(a, value == stable_value(b, position));
    if (!is_counter(position))
        return;
    EXPECT(a, value >= last_seen[position]);
    last_seen[position] = value;
}

static void read_point(agent *a, size_t position, uint64_t *last_seen)
{
    beside *b = a->shared;
    uint64_t value = 0;
    int found = -1, contained = -1;
    EXPECT_OK(a, pleach_map_find_one(b->w.map, key_at(b, position), &found, &value));
    EXPECT(a, found == 1 || (!is_stable(position) && !is_counter(position)));
    if (found)
        expect_pair(a, position, value, last_seen);
    EXPECT_OK(a, pleach_map_contains_one(b->w.map, key_at(b, position) + 1, &contained));
    EXPECT(a, contained == 0); /* between the positions there is never a key */
}

/* The pairs are ascending, on positions only, and no stable key or counter from *next on is passed over. *next
 * becomes the position after the last pair. */
static void expect_run(agent *a, size_t n, const uint64_t *keys, const uint64_t *values, size_t *next,
                       uint64_t *last_seen)
{
    const beside *b = a->shared;
    for (size_t i = 0; i < n && !a->failed; i++) {
        size_t at = (size_t)(keys[i] / b->distance);
        EXPECT(a, keys[i] == key_at(b, at) && at >= *next && at < POSITIONS);
        for (; *next < at; ++*next)
            EXPECT(a, !is_stable(*next) && !is_counter(*next));
        expect_pair(a, at, values[i], last_seen);
        *next = at + 1;
    }
}

static void read_range_limit(agent *a, size_t position, uint64_t *last_seen)
{
    enum { LIMIT = 40 };
    beside *b = a->shared;
    uint64_t keys[LIMIT], values[LIMIT], lo = key_at(b, position), hi = b->w.top;
    uint32_t n = 0;
    size_t next = position;
    EXPECT_OK(a, wide_range_limit(&b->w, 1, &lo, &hi, LIMIT, keys, values, &n));
    expect_run(a, n, keys, values, &next, last_seen);
    EXPECT(a, n == LIMIT || next + 1 >= POSITIONS);
}

/* Several packed intervals at once: each must reach its last stable key or counter, however much churn comes and goes
 * while the call counts and writes. They do not overlap, because the queries of one call run in no certain order and
 * a counter seen by two of them might seem to go back. */
static void read_packed_ranges(agent *a, size_t position, uint64_t *last_seen)
{
    enum { QUERIES = 4, SPAN = 30, STEP = SPAN + 1, ROOM = QUERIES * STEP };
    beside *b = a->shared;
    uint64_t keys[ROOM], values[ROOM], offsets[QUERIES + 1], lo[QUERIES], hi[QUERIES];
    size_t first = position < POSITIONS - ROOM ? position : 0;
    for (size_t q = 0; q < QUERIES; q++) {
        lo[q] = key_at(b, first + STEP * q);
        hi[q] = key_at(b, first + STEP * q + SPAN);
    }
    EXPECT_OK(a, wide_range(&b->w, QUERIES, lo, hi, 0, ROOM, keys, values, offsets, NULL));
    for (size_t q = 0; q < QUERIES && !a->failed; q++) {
        size_t next = first + STEP * q, last = next + SPAN, from = (size_t)offsets[q];
        EXPECT(a, offsets[q] <= offsets[q + 1] && offsets[q + 1] <= ROOM);
        expect_run(a, (size_t)offsets[q + 1] - from, keys + from, values + from, &next, last_seen);
        EXPECT(a, next >= last / 2 * 2 + 1 && next <= last + 1);
    }
}

/* From a stable key or a counter, the next one is two positions on, with at most churn between. */
static void read_neighbours(agent *a, size_t position, uint64_t *last_seen)
{
    beside *b = a->shared;
    size_t even = position / 2 * 2;
    uint64_t key = 0, value = 0;
    int found = -1;
    EXPECT_OK(a, pleach_map_succ_one(b->w.map, key_at(b, even), &found, &key, &value));
    if (even + 2 < POSITIONS) {
        EXPECT(a, found == 1 && (key == key_at(b, even + 1) || key == key_at(b, even + 2)));
        expect_pair(a, (size_t)(key / b->distance), value, last_seen);
    }
    EXPECT_OK(a, pleach_map_pred_one(b->w.map, key_at(b, even), &found, &key, &value));
    EXPECT(a, found == (even > 0));
    if (found) {
        EXPECT(a, key == key_at(b, even - 1) || key == key_at(b, even - 2));
        expect_pair(a, (size_t)(key / b->distance), value, last_seen);
    }
}

static void read_count(agent *a, size_t position)
{
    beside *b = a->shared;
    size_t last = position + 100 < POSITIONS ? position + 100 : POSITIONS - 1;
    uint64_t lo = key_at(b, position), hi = key_at(b, last), count = 0;
    size_t always = last / 2 - (position + 1) / 2 + 1; /* even positions from position to last */
    EXPECT_OK(a, wide_range_count(&b->w, 1, &lo, &hi, &count));
    EXPECT(a, count >= always && count <= last - position + 1);
}

static void read_min_max(agent *a)
{
    beside *b = a->shared;
    uint64_t low = 1, high = 0;
    int found = -1;
    EXPECT_OK(a, pleach_map_min(b->w.map, &found, &low, NULL));
    EXPECT(a, found == 1 && low == 0);
    EXPECT_OK(a, pleach_map_max(b->w.map, &found, &high, NULL));
    EXPECT(a, found == 1 && high >= key_at(b, POSITIONS - 2) && high <= key_at(b, POSITIONS - 1));
}

static void reader(agent *a)
{
    FREED uint64_t *last_seen = must_alloc(POSITIONS, sizeof *last_seen);
    for (size_t round = 0; !stopped(a); round++) {
        size_t position = (size_t)rng_below(&a->r, POSITIONS);
        read_point(a, position, last_seen);
        read_neighbours(a, position, last_seen);
        if (round % 4 == 0)
            read_range_limit(a, position, last_seen);
        if (round % 4 == 2)
            read_packed_ranges(a, position, last_seen);
        if (round % 8 == 0)
            read_count(a, position);
        if (round % 64 == 0)
            read_min_max(a);
        count_checked(4);
    }
}

static void writer_or_reader(agent *a)
{
    if (a->index % 2)
        reader(a);
    else
        writer(a);
}

static void insert_stable_keys_and_counters(const beside *b)
{
    for (size_t p = 0; p < POSITIONS; p += 2) {
        uint64_t key = key_at(b, p), value = is_stable(p) ? stable_value(b, p) : 0;
        assert_ok(wide_put(&b->w, 1, &key, &value, NULL, NULL));
    }
}

static void readers_beside_writers(const setting *where)
{
    beside b = {.w = wide_open(where), .rounds = scaled_single_calls(where, 80000)};
    b.distance = b.w.top / POSITIONS;
    atomic_store(&b.writers_left, (calling_threads() + 1) / 2);
    insert_stable_keys_and_counters(&b);
    run_agents(calling_threads(), writer_or_reader, &b);
    wide_close(&b.w);
}

/* ---- sorted insertion ------------------------------------------------------------------------------------------
 * All agents always want the same leaf, the last one or the first one. */

typedef struct procession {
    wide w;
    size_t keys_each;
    bool descending;
} procession;

static uint64_t key_in_procession(const procession *p, size_t i)
{
    return p->descending ? p->w.top - i : i;
}

static void walk(agent *a)
{
    procession *p = a->shared;
    for (size_t i = 0; i < p->keys_each && !stopped(a); i++) {
        size_t place = i * a->count + a->index;
        uint64_t key = key_in_procession(p, place), value = 0;
        pleach_outcome outcome = PLEACH_NOT_APPLIED;
        int found = -1;
        EXPECT_OK(a, pleach_map_add_one(p->w.map, key, place, &outcome, NULL));
        EXPECT(a, outcome == PLEACH_INSERTED);
        EXPECT_OK(a, pleach_map_find_one(p->w.map, key, &found, &value));
        EXPECT(a, found == 1 && value == place);
    }
    count_checked(2 * p->keys_each);
}

static void assert_procession_complete(const procession *p, size_t n)
{
    FREED uint64_t *keys = must_alloc(n, sizeof *keys), *values = must_alloc(n, sizeof *values);
    size_t exported = 0;
    assert_ok(wide_export(&p->w, n, keys, values, &exported));
    assert_int_equal(exported, n);
    for (size_t i = 0; i < n; i++) {
        size_t place = p->descending ? n - 1 - i : i;
        assert_int_equal(keys[i], key_in_procession(p, place));
        assert_int_equal(values[i], place);
    }
}

static void sorted_insertion_from_all_threads(const setting *where)
{
    for (int descending = 0; descending < 2; descending++) {
        procession p = {wide_open(where), scaled_single_calls(where, 25000), descending};
        run_agents(calling_threads(), walk, &p);
        assert_procession_complete(&p, p.keys_each * calling_threads());
        wide_close(&p.w);
    }
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(owners_of_few_keys_get_exact_answers),
        CASE(owners_of_many_keys_get_exact_answers),
        CASE(owners_mix_array_and_single_calls),
        CASE(exclusive_calls_beside_others),
        CASE(shared_keys_add_up),
        CASE(shared_keys_add_up_with_array_calls),
        CASE(readers_beside_writers),
        CASE(sorted_insertion_from_all_threads),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
