/* test_hash_history.c - threads work on one hash table with few keys, so that they collide, and write down what they
 * are told. Whether some order explains all of it is then judged by verify/history.
 *
 * Work goes in rounds on one table: all agents call, all wait, the first one exports the table and checks the history,
 * and the next round begins with what the table holds. Some rounds begin with an empty table, of one bucket, so that it
 * grows several times while they last. A set's values are all 0, so that of a set only presence is judged.
 */
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/hashes.h"
#include "testkit/recorder.h"
#include "testkit/rounds.h"

enum { MOST_IN_TABLE = 1024 };

/* What agents do. */
typedef struct habit {
    size_t agents, calls; /* of each agent in a round */
    size_t keys;
    bool of_one_bucket;
    unsigned arrays;    /* percent of the calls */
    unsigned erases;    /* percent of the updates */
    unsigned emptied;   /* percent of the rounds that begin with an empty table */
    uint64_t max_bytes; /* as in pleach_hash_config */
    size_t rounds;
} habit;

typedef struct scene {
    rounds all;
    hashed h;
    uint64_t *key;
    const habit *does;
    size_t grown;     /* rounds with more buckets at the end */
    uint64_t buckets; /* at the round's beginning */
} scene;

static uint64_t invoke(agent *a)
{
    loiter(&a->r);
    return recorder_now(((scene *)a->shared)->all.book);
}

/* ---- calls ---- */

static uint64_t some_key(agent *a)
{
    scene *s = a->shared;
    return s->key[rng_below(&a->r, s->does->keys)];
}

static bool is_fine(const scene *s, pleach_status status)
{
    return status == PLEACH_OK || (s->does->max_bytes && status == PLEACH_E_FULL);
}

static void update_one(agent *a, history_op op)
{
    scene *s = a->shared;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    pleach_status status;
    op.invoked = invoke(a);
    if (op.kind == HISTORY_PUT)
        status = pleach_hash_put_one(s->h.hash, op.key, op.value, &outcome, &op.out_value);
    else if (op.kind == HISTORY_ADD)
        status = pleach_hash_add_one(s->h.hash, op.key, op.value, &outcome, &op.out_value);
    else
        status = pleach_hash_erase_one(s->h.hash, op.key, &outcome, &op.out_value);
    op.returned = recorder_now(s->all.book);
    op.outcome = (uint8_t)outcome;
    EXPECT(a, is_fine(s, status));
    record(s->all.book, a->index, op);
    count_checked(1);
}

static void find_one(agent *a, history_op op)
{
    scene *s = a->shared;
    int found = -1;
    op.invoked = invoke(a);
    pleach_status status = pleach_hash_find_one(s->h.hash, op.key, &found, &op.out_value);
    op.returned = recorder_now(s->all.book);
    op.outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    EXPECT_OK(a, status);
    EXPECT(a, found == 0 || found == 1);
    record(s->all.book, a->index, op);
    count_checked(1);
}

static pleach_status make_array_call(const hashed *h, array_call *c)
{
    switch (c->kind) {
    case HISTORY_PUT: return hashed_put(h, c->n, c->keys, c->values, c->outcomes, c->told);
    case HISTORY_ADD: return hashed_add(h, c->n, c->keys, c->values, c->outcomes, c->told);
    case HISTORY_ERASE: return hashed_erase(h, c->n, c->keys, c->outcomes, c->told);
    default: return hashed_find(h, c->n, c->keys, c->told, c->outcomes);
    }
}

/* Keys may be equal. */
static void call_array(agent *a, size_t call)
{
    scene *s = a->shared;
    array_call c = {.kind = find_or_update(a, s->does->erases), .n = 1 + rng_below(&a->r, MOST_IN_ARRAY)};
    for (size_t i = 0; i < c.n; i++) {
        c.keys[i] = some_key(a);
        c.values[i] = kept_value(&s->h, round_value(a, call * MOST_IN_ARRAY + i));
    }
    uint64_t invoked = invoke(a);
    pleach_status status = make_array_call(&s->h, &c);
    uint64_t returned = recorder_now(s->all.book);
    EXPECT(a, is_fine(s, status));
    record_array(s->all.book, a->index, &c, invoked, returned);
}

static void call_something(agent *a, size_t call)
{
    scene *s = a->shared;
    if (rng_percent(&a->r, s->does->arrays)) {
        call_array(a, call);
        return;
    }
    history_op op = {.kind = (uint8_t)find_or_update(a, s->does->erases), .key = some_key(a),
                     .value = kept_value(&s->h, round_value(a, call))};
    if (op.kind == HISTORY_FIND)
        find_one(a, op);
    else
        update_one(a, op);
}

/* ---- rounds ---- */

static uint64_t buckets_of(const scene *s)
{
    pleach_hash_stats stats;
    return pleach_hash_get_stats(s->h.hash, &stats) == PLEACH_OK ? stats.buckets : 0;
}

static void write_contents(agent *a)
{
    scene *s = a->shared;
    uint64_t keys[MOST_IN_TABLE], values[MOST_IN_TABLE];
    size_t n = 0;
    s->grown += buckets_of(s) > s->buckets;
    EXPECT_OK(a, hashed_export(&s->h, MOST_IN_TABLE, keys, values, &n));
    record_final(s->all.book, n, keys, values);
}

static pleach_status empty_table(agent *a) { return pleach_hash_clear(((scene *)a->shared)->h.hash); }

static void begin_round(agent *a)
{
    scene *s = a->shared;
    s->buckets = buckets_of(s);
}

static void work(agent *a)
{
    scene *s = a->shared;
    for (size_t call = 0; call < s->does->calls && !stopped(a); call++) call_something(a, call);
}

static uint64_t *keys_for(const hashed *h, const habit *does)
{
    if (does->of_one_bucket) return colliding_keys(h, does->keys);
    uint64_t *keys = must_alloc(does->keys, sizeof *keys);
    for (size_t i = 0; i < does->keys; i++) keys[i] = i % 2 ? i : h->top - i;
    return keys;
}

static scene perform(const setting *where, bool set, const habit *does)
{
    pleach_hash_config config = hash_config_for(where, set);
    config.max_bytes = does->max_bytes;
    scene s = {.all = {.work = work, .contents = write_contents, .empty = empty_table, .begin = begin_round,
                       .emptied = does->emptied,
                       .count = scaled(where->device == PLEACH_CUDA ? does->rounds / 10 : does->rounds)},
               .h = hashed_open_as(&config), .does = does};
    s.key = keys_for(&s.h, does);
    s.buckets = buckets_of(&s);
    run_rounds(does->agents, &s.all);
    free(s.key);
    hashed_close(&s.h);
    return s;
}

/* ---- the cases ---- */

static void two_threads_on_two_keys(const setting *where, bool set)
{
    perform(where, set, &(habit){.agents = 2, .calls = 150, .keys = 2, .erases = 40, .rounds = 500});
}

static void four_threads_on_three_keys(const setting *where, bool set)
{
    perform(where, set, &(habit){.agents = 4, .calls = 80, .keys = 3, .erases = 40, .arrays = 5, .rounds = 500});
}

static void eight_threads_in_one_bucket(const setting *where, bool set)
{
    perform(where, set, &(habit){.agents = 8, .calls = 40, .keys = 12, .of_one_bucket = true, .erases = 45,
                                 .rounds = 250});
}

/* Slabs come and go at a chain's end and in its middle. */
static void chains_that_change(const setting *where, bool set)
{
    perform(where, set, &(habit){.agents = 4, .calls = 80, .keys = set ? 70 : 40, .of_one_bucket = true, .erases = 48,
                                 .arrays = 10, .rounds = 300});
}

static void growth_inside(const setting *where, bool set)
{
    scene s = perform(where, set, &(habit){.agents = 4, .calls = 100, .keys = set ? 400 : 200, .erases = 10,
                                           .arrays = 10, .emptied = 90, .rounds = 500});
    assert_true(s.grown > s.all.count / 2 || s.all.count < 10);
}

/* Few keys and much growth: a key moves several times while it is worked on. */
static void growth_by_strangers(const setting *where, bool set)
{
    scene s = perform(where, set, &(habit){.agents = 4, .calls = 60, .keys = set ? 120 : 60, .of_one_bucket = true,
                                           .erases = 20, .arrays = 10, .emptied = 80, .rounds = 400});
    assert_true(s.grown > 0 || s.all.count < 10);
}

static void a_full_table(const setting *where, bool set)
{
    scene s = perform(where, set, &(habit){.agents = 4, .calls = 80, .keys = 500, .erases = 20, .arrays = 20,
                                           .emptied = 10, .max_bytes = 1024, .rounds = 250});
    assert_true(s.all.refused > 0);
}

static void all_of_them_were_judged(const setting *where)
{
    (void)where;
    rounds_were_judged();
}

static const test_case cases[] = {
    IN_MAPS_AND_SETS(two_threads_on_two_keys),
    IN_MAPS_AND_SETS(four_threads_on_three_keys),
    IN_MAPS_AND_SETS(eight_threads_in_one_bucket),
    IN_MAPS_AND_SETS(chains_that_change),
    IN_MAPS_AND_SETS(growth_inside),
    IN_MAPS_AND_SETS(growth_by_strangers),
    IN_MAPS_AND_SETS(a_full_table),
    CASE(all_of_them_were_judged),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
