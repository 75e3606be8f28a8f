/* test_brute_force.c - three threads make three calls each on a few keys, and are stopped at random; then all orders of
 * the calls that the clock allows are tried, until one explains every result. The model is an array, the search has no
 * cleverness, and nothing is shared with the checker of verify/history. Queries over all keys of a round, batches and
 * snapshots take part as single calls, where they promise to be. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/interrupts.h"

enum { AGENTS = 3, CALLS = 3, ALL = AGENTS * CALLS, KEYS = 5, STRIDE = 8, LATEST_STOP = 20000 /* ns */ };

typedef enum kind { PUT, ADD, ERASE, FIND, SUCC, PRED, COUNT, RANGE, SNAPSHOT, BATCH, KINDS } kind;

/* The keys of a round: places 0 .. KEYS-1 of a stretch of the map's keys, between two that stay. */
typedef struct contents { uint64_t value[KEYS]; } contents; /* 0: not there */

typedef struct call {
    kind kind;
    unsigned place, other;  /* of a batch: put at `place`, erase at `other`, and count */
    uint64_t value;         /* that is put */
    uint64_t begin, end;    /* by one clock for all */
    int result, second;     /* outcome, found, or number of keys; of a batch that of its erase */
    uint64_t got;           /* a value; of succ and pred the place + 1, 0: none in this round's keys */
    contents seen;          /* of a range */
} call;

typedef struct arena {
    const setting *where;
    pleach_map *map;
    pleach_hash *hash; /* instead of the map */
    unsigned kinds;    /* a bit each */
    size_t rounds;
    atomic_uint_fast64_t clock;
    atomic_bool failed; /* set before a meeting, looked at after it: by all alike */
    pthread_barrier_t meeting;
    atomic_size_t awake;
    contents start;
    call calls[ALL];
} arena;

static uint64_t key_of(size_t round, unsigned place) { return (round + 1) * STRIDE + place; }

/* ---- the model ---- */

static unsigned number_of_keys(const contents *c)
{
    unsigned n = 0;
    for (unsigned i = 0; i < KEYS; i++) n += c->value[i] != 0;
    return n;
}

static uint64_t neighbour(const contents *c, unsigned place, int step)
{
    for (int i = (int)place + step; i >= 0 && i < KEYS; i += step)
        if (c->value[i]) return (uint64_t)i + 1;
    return 0;
}

static int erase_from(contents *c, unsigned place)
{
    const bool there = c->value[place] != 0;
    c->value[place] = 0;
    return there ? PLEACH_ERASED : PLEACH_ABSENT;
}

/* Does the call have these results if it is made now? */
static bool explains(contents *c, const call *op)
{
    const uint64_t old = c->value[op->place];
    switch (op->kind) {
    case PUT:
        c->value[op->place] = op->value;
        return op->result == (old ? PLEACH_REPLACED : PLEACH_INSERTED) && (!old || op->got == old);
    case ADD:
        if (!old) c->value[op->place] = op->value;
        return op->result == (old ? PLEACH_EXISTS : PLEACH_INSERTED) && (!old || op->got == old);
    case ERASE: return op->result == erase_from(c, op->place) && (!old || op->got == old);
    case FIND: return op->result == (old != 0) && (!old || op->got == old);
    case SUCC: return op->got == neighbour(c, op->place, 1);
    case PRED: return op->got == neighbour(c, op->place, -1);
    case COUNT: return op->result == (int)number_of_keys(c);
    case RANGE:
    case SNAPSHOT: return memcmp(&op->seen, c, sizeof *c) == 0;
    case BATCH:
        c->value[op->place] = op->value;
        if (op->result != (old ? PLEACH_REPLACED : PLEACH_INSERTED)) return false;
        return op->second == erase_from(c, op->other) && op->got == number_of_keys(c);
    case KINDS: break;
    }
    return false;
}

/* Is there an order? `left` has a bit for each call that has not been made yet. */
static bool has_order(const contents *before, const call *calls, unsigned left)
{
    if (!left) return true;
    for (unsigned i = 0; i < ALL; i++) {
        bool may_be_next = left >> i & 1;
        for (unsigned j = 0; j < ALL && may_be_next; j++)
            may_be_next = !(left >> j & 1) || calls[j].end > calls[i].begin;
        if (!may_be_next) continue;
        contents after = *before;
        if (explains(&after, &calls[i]) && has_order(&after, calls, left & ~(1u << i))) return true;
    }
    return false;
}

/* ---- the calls ---- */

static bool note_seen(const arena *t, size_t round, call *op, size_t n, const uint64_t *keys, const uint64_t *values)
{
    const unsigned bits = t->where->key_bits;
    op->seen = (contents){{0}};
    for (size_t i = 0; i < n; i++) {
        const uint64_t place = get_word(bits, keys, i) - key_of(round, 0);
        if (place >= KEYS) return false;
        op->seen.value[place] = get_word(bits, values, i);
    }
    return true;
}

static bool make_range(const arena *t, size_t round, call *op)
{
    const unsigned bits = t->where->key_bits;
    uint64_t lo, hi, keys[KEYS], values[KEYS], offsets[2];
    size_t n = 0;
    set_word(bits, &lo, 0, key_of(round, 0)), set_word(bits, &hi, 0, key_of(round, KEYS - 1));
    pleach_status status = PLEACH_OK;
    if (op->kind == SNAPSHOT) {
        pleach_snapshot *snapshot = NULL;
        if (pleach_snapshot_take(t->map, &snapshot, PLEACH_SYNC) != PLEACH_OK) return false;
        status = pleach_snapshot_range(snapshot, 1, &lo, &hi, 0, KEYS, keys, values, offsets, &n);
        pleach_snapshot_release(snapshot);
    } else
        status = pleach_map_range(t->map, 1, &lo, &hi, 0, KEYS, keys, values, offsets, &n);
    return status == PLEACH_OK && note_seen(t, round, op, n, keys, values);
}

static bool make_batch(const arena *t, size_t round, call *op)
{
    const unsigned bits = t->where->key_bits;
    uint64_t keys[3], values[3], counts[3] = {0};
    uint8_t kinds[3] = {PLEACH_OP_PUT, PLEACH_OP_ERASE, PLEACH_OP_COUNT}, flags[3] = {0};
    set_word(bits, keys, 0, key_of(round, op->place)), set_word(bits, keys, 1, key_of(round, op->other));
    set_word(bits, keys, 2, key_of(round, 0));
    set_word(bits, values, 0, op->value), set_word(bits, values, 1, 0);
    set_word(bits, values, 2, key_of(round, KEYS - 1));
    pleach_batch batch = {.n = 3, .kinds = kinds, .keys = keys, .values = values, .flags = flags, .counts = counts};
    if (pleach_map_apply(t->map, &batch) != PLEACH_OK) return false;
    op->result = flags[0];
    op->second = flags[1];
    op->got = counts[2];
    return true;
}

static bool make_update(const arena *t, uint64_t key, call *op)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    pleach_status status;
    if (t->hash)
        status = op->kind == PUT   ? pleach_hash_put_one(t->hash, key, op->value, &outcome, &op->got)
                 : op->kind == ADD ? pleach_hash_add_one(t->hash, key, op->value, &outcome, &op->got)
                                   : pleach_hash_erase_one(t->hash, key, &outcome, &op->got);
    else
        status = op->kind == PUT   ? pleach_map_put_one(t->map, key, op->value, &outcome, &op->got)
                 : op->kind == ADD ? pleach_map_add_one(t->map, key, op->value, &outcome, &op->got)
                                   : pleach_map_erase_one(t->map, key, &outcome, &op->got);
    op->result = (int)outcome;
    return status == PLEACH_OK;
}

static bool make_neighbour(const arena *t, size_t round, call *op)
{
    int found = 0;
    uint64_t at = 0;
    const uint64_t key = key_of(round, op->place);
    if ((op->kind == SUCC ? pleach_map_succ_one : pleach_map_pred_one)(t->map, key, &found, &at, NULL) != PLEACH_OK)
        return false;
    if (!found) return false; /* there are keys around those of the round */
    op->got = at - key_of(round, 0) < KEYS ? at - key_of(round, 0) + 1 : 0;
    return true;
}

static bool make_count(const arena *t, size_t round, call *op)
{
    const unsigned bits = t->where->key_bits;
    uint64_t lo, hi, count = 0;
    set_word(bits, &lo, 0, key_of(round, 0)), set_word(bits, &hi, 0, key_of(round, KEYS - 1));
    if (pleach_map_range_count(t->map, 1, &lo, &hi, &count, PLEACH_SYNC) != PLEACH_OK) return false;
    op->result = (int)count;
    return true;
}

static bool make_call(const arena *t, size_t round, call *op)
{
    const uint64_t key = key_of(round, op->place);
    switch (op->kind) {
    case PUT:
    case ADD:
    case ERASE: return make_update(t, key, op);
    case FIND:
        return (t->hash ? pleach_hash_find_one(t->hash, key, &op->result, &op->got)
                        : pleach_map_find_one(t->map, key, &op->result, &op->got)) == PLEACH_OK;
    case SUCC:
    case PRED: return make_neighbour(t, round, op);
    case COUNT: return make_count(t, round, op);
    case RANGE:
    case SNAPSHOT: return make_range(t, round, op);
    case BATCH: return make_batch(t, round, op);
    case KINDS: break;
    }
    return false;
}

/* ---- rounds ---- */

static void fail_round(agent *a, arena *t, const char *why)
{
    agent_fail(a, __FILE__, __LINE__, why);
    atomic_store(&t->failed, true);
}

/* By one agent, while the others wait. The keys around the round's stay for ever. */
static bool begin_round(agent *a, arena *t, size_t round)
{
    t->start = (contents){{0}};
    for (unsigned place = 0; place < KEYS; place++) {
        if (rng_percent(&a->r, 50)) continue;
        call first = {.kind = PUT, .place = place, .value = 1 + place};
        t->start.value[place] = first.value;
        if (!make_call(t, round, &first)) return false;
    }
    if (t->hash) return true;
    return pleach_map_put_one(t->map, key_of(round, 0) - 1, 1, NULL, NULL) == PLEACH_OK &&
           pleach_map_put_one(t->map, key_of(round, KEYS), 1, NULL, NULL) == PLEACH_OK;
}

static void draw_call(agent *a, const arena *t, call *op, unsigned number)
{
    *op = (call){.place = (unsigned)rng_below(&a->r, KEYS), .other = (unsigned)rng_below(&a->r, KEYS),
                 .value = 100 + number};
    do
        op->kind = (kind)rng_below(&a->r, KINDS);
    while (!(t->kinds >> op->kind & 1));
    if (op->kind == BATCH && op->other == op->place) op->other = (op->place + 1) % KEYS;
}

/* Threads woken from the barrier wait for each other, for a moment: a call ends sooner than a thread wakes. */
static void start_together(arena *t, size_t round)
{
    atomic_fetch_add(&t->awake, 1);
    for (unsigned turns = 0; turns < 20000 && atomic_load(&t->awake) < (round + 1) * AGENTS; turns++) {
    }
}

static void play(agent *a)
{
    arena *t = a->shared;
    interrupts stops = interrupts_begin(test_seed() + a->index, 0);
    for (size_t round = 0; round < t->rounds && !atomic_load(&t->failed); round++) {
        if (a->index == 0 && !begin_round(a, t, round)) fail_round(a, t, "a round does not begin");
        pthread_barrier_wait(&t->meeting);
        start_together(t, round);
        if (rng_percent(&a->r, 60)) interrupts_once(&stops, 1 + rng_below(&a->r, LATEST_STOP));
        for (unsigned i = 0; i < CALLS; i++) {
            call *op = &t->calls[a->index * CALLS + i];
            draw_call(a, t, op, (unsigned)a->index * CALLS + i);
            op->begin = atomic_fetch_add(&t->clock, 1);
            if (!make_call(t, round, op)) fail_round(a, t, "a call fails");
            op->end = atomic_fetch_add(&t->clock, 1);
        }
        pthread_barrier_wait(&t->meeting);
        if (a->index == 0 && !has_order(&t->start, t->calls, (1u << ALL) - 1))
            fail_round(a, t, "no order of the calls explains what they returned");
        pthread_barrier_wait(&t->meeting);
    }
    interrupts_end(&stops);
}

static void play_on(arena *t)
{
    t->rounds = scaled_single_calls(t->where, 500);
    assert_int_equal(pthread_barrier_init(&t->meeting, NULL, AGENTS), 0);
    run_agents(AGENTS, play, t);
    pthread_barrier_destroy(&t->meeting);
    count_checked(t->rounds * ALL);
}

enum {
    POINTS = 1u << PUT | 1u << ADD | 1u << ERASE | 1u << FIND,
    NEIGHBOURS = 1u << SUCC | 1u << PRED,
    AT_ONE_INSTANT = 1u << COUNT | 1u << RANGE | 1u << SNAPSHOT
};

static void play_on_map(const setting *where, pleach_structure structure, unsigned versioned, unsigned kinds)
{
    arena t = {.where = where, .kinds = kinds};
    assert_ok(pleach_map_create(&t.map, &(pleach_map_config){.device = where->device, .key_bits = where->key_bits,
                                                             .threads = where->threads, .structure = structure,
                                                             .versioned = versioned}));
    play_on(&t);
    pleach_map_destroy(t.map);
}

static void on_a_tree(const setting *where) { play_on_map(where, PLEACH_BLINK, 0, POINTS | NEIGHBOURS | 1u << BATCH); }
static void on_a_skiplist(const setting *where) { play_on_map(where, PLEACH_SKIPLIST, 0, POINTS | NEIGHBOURS); }

static void on_a_versioned_tree(const setting *where)
{
    play_on_map(where, PLEACH_BLINK, 1, POINTS | NEIGHBOURS | AT_ONE_INSTANT | 1u << BATCH);
}

static void without_batches_on_a_tree(const setting *where)
{
    play_on_map(where, PLEACH_BLINK, 1, POINTS | NEIGHBOURS | AT_ONE_INSTANT);
}

static void on_a_hash_table(const setting *where)
{
    arena t = {.where = where, .kinds = POINTS};
    assert_ok(pleach_hash_create(&t.hash, &(pleach_hash_config){.device = where->device, .key_bits = where->key_bits,
                                                                .threads = where->threads}));
    play_on(&t);
    pleach_hash_destroy(t.hash);
}

/* The search itself: what must have an order, and what must not. */
static void the_search_is_right(const setting *where)
{
    (void)where;
    contents empty = {{0}};
    call calls[ALL];
    for (unsigned i = 0; i < ALL; i++)
        calls[i] = (call){.kind = FIND, .place = 4, .begin = 100 + 2 * i, .end = 101 + 2 * i};
    assert_true(has_order(&empty, calls, (1u << ALL) - 1));
    calls[0] = (call){.kind = PUT, .value = 7, .result = PLEACH_INSERTED, .begin = 1, .end = 4};
    calls[1] = (call){.kind = FIND, .result = 1, .got = 7, .begin = 2, .end = 3};
    assert_true(has_order(&empty, calls, (1u << ALL) - 1));
    calls[1] = (call){.kind = FIND, .result = 0, .begin = 5, .end = 6}; /* the put is over */
    assert_false(has_order(&empty, calls, (1u << ALL) - 1));
    calls[1] = (call){.kind = FIND, .result = 1, .got = 8, .begin = 2, .end = 3};
    assert_false(has_order(&empty, calls, (1u << ALL) - 1));
    calls[1] = (call){.kind = ERASE, .result = PLEACH_ERASED, .got = 7, .begin = 2, .end = 3};
    calls[2] = (call){.kind = COUNT, .result = 1, .begin = 7, .end = 8};
    assert_false(has_order(&empty, calls, (1u << ALL) - 1));
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(the_search_is_right), CASE(on_a_tree),       CASE(without_batches_on_a_tree),
        CASE(on_a_versioned_tree), CASE(on_a_skiplist),   CASE(on_a_hash_table),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
