/* test_map_history.c - threads work on one map with few keys, so that they collide, and write down what they are told.
 * Whether some order explains all of it is then judged by verify/history.
 *
 * Work goes in rounds on one map: all agents call, all wait, the first one exports the map and checks the history,
 * and the next round begins with what the map holds. Between calls agents loiter, some long enough to be stopped by the
 * operating system with others in the middle of something.
 *
 * Ranges of a map with versions are of one instant each, and so is all that a snapshot is asked: these are written down
 * with the stamps of the taking, however late the question comes.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/instant.h"
#include "testkit/random.h"
#include "testkit/recorder.h"
#include "testkit/rounds.h"
#include "testkit/wide.h"

enum { MOST_IN_MAP = 1024, MOST_AGENTS = 8, QUESTIONS = 3 };

/* What agents do. */
typedef struct habit {
    size_t agents, calls; /* of each agent in a round */
    size_t keys;
    uint64_t distance; /* between neighbouring keys */
    unsigned arrays, ranges, neighbours; /* percent of the calls */
    unsigned erases;     /* percent of the updates */
    unsigned emptied;    /* percent of the rounds that begin with an empty map: it grows, and leaves split, once more */
    uint64_t max_bytes;  /* as in pleach_map_config */
    size_t rounds, least; /* whatever the scale */
    size_t takers;       /* so many of the agents take snapshots, and nothing else; the map has versions */
} habit;

/* A snapshot, and what it holds by its own account. */
typedef struct taken {
    pleach_snapshot *snapshot; /* NULL: none */
    uint64_t invoked, returned;
    history_pair pairs[MOST_IN_MAP];
    size_t count;
} taken;

typedef struct scene {
    rounds all;
    wide w;
    const habit *does;
    taken *held[MOST_AGENTS]; /* what a taker has not released yet */
    bool versioned;
} scene;

static uint64_t invoke(agent *a)
{
    scene *s = a->shared;
    loiter(&a->r);
    uint64_t now = recorder_now(s->all.book);
    if (rng_percent(&a->r, 5))
        loiter(&a->r); /* a longer interval: less is known, but others fit inside */
    return now;
}

/* ---- calls and what is written down of them ---------------------------------------------------------------------- */

static uint64_t some_key(agent *a)
{
    scene *s = a->shared;
    return (1 + rng_below(&a->r, s->does->keys)) * s->does->distance;
}

/* A map with a limit may be full. */
static bool is_fine(const scene *s, pleach_status status)
{
    return status == PLEACH_OK || (s->does->max_bytes && status == PLEACH_E_FULL);
}

static void update_one(agent *a, history_op op)
{
    scene *s = a->shared;
    const pleach_operation operation = op.kind == HISTORY_PUT   ? PLEACH_OP_PUT
                                       : op.kind == HISTORY_ADD ? PLEACH_OP_ADD
                                                                : PLEACH_OP_ERASE;
    pleach_answer answer = {.value = op.out_value};
    op.invoked = invoke(a);
    pleach_status status = map_answer(s->w.map, operation, op.key, op.value, &answer);
    op.returned = recorder_now(s->all.book);
    op.outcome = answer.flag;
    op.out_value = answer.value;
    EXPECT(a, is_fine(s, status));
    record(s->all.book, a->index, op);
    count_checked(1);
}

/* A key that is only said to be there tells no value, so of contains the misses are written down. */
static void find_one(agent *a, history_op op)
{
    scene *s = a->shared;
    bool contains = rng_percent(&a->r, 10);
    int found = -1;
    op.invoked = invoke(a);
    pleach_status status = contains ? pleach_map_contains_one(s->w.map, op.key, &found)
                                    : pleach_map_find_one(s->w.map, op.key, &found, &op.out_value);
    op.returned = recorder_now(s->all.book);
    op.outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    EXPECT_OK(a, status);
    EXPECT(a, found == 0 || found == 1);
    if (!found || !contains)
        record(s->all.book, a->index, op);
    count_checked(1);
}

static void call_one(agent *a, size_t call)
{
    const habit *does = ((scene *)a->shared)->does;
    history_op op = {.kind = (uint8_t)find_or_update(a, does->erases), .key = some_key(a),
                     .value = round_value(a, call)};
    if (op.kind == HISTORY_FIND)
        find_one(a, op);
    else
        update_one(a, op);
}

static pleach_status make_array_call(const wide *w, array_call *c)
{
    switch (c->kind) {
    case HISTORY_PUT: return wide_put(w, c->n, c->keys, c->values, c->outcomes, c->told);
    case HISTORY_ADD: return wide_add(w, c->n, c->keys, c->values, c->outcomes, c->told);
    case HISTORY_ERASE: return wide_erase(w, c->n, c->keys, c->outcomes, c->told);
    default: return wide_find(w, c->n, c->keys, c->told, c->outcomes);
    }
}

/* Keys may be equal. */
static void call_array(agent *a, size_t call)
{
    scene *s = a->shared;
    array_call c = {.kind = find_or_update(a, s->does->erases), .n = 1 + rng_below(&a->r, MOST_IN_ARRAY)};
    for (size_t i = 0; i < c.n; i++) {
        c.keys[i] = some_key(a);
        c.values[i] = round_value(a, call * MOST_IN_ARRAY + i);
    }
    uint64_t invoked = invoke(a);
    pleach_status status = make_array_call(&s->w, &c);
    uint64_t returned = recorder_now(s->all.book);
    EXPECT(a, is_fine(s, status));
    record_array(s->all.book, a->index, &c, invoked, returned);
}

static void call_range(agent *a)
{
    scene *s = a->shared;
    uint64_t keys[MOST_IN_MAP], values[MOST_IN_MAP], offsets[2] = {0, 0};
    history_op op = {.kind = s->versioned ? HISTORY_RANGE_ATOMIC : HISTORY_RANGE, .key = some_key(a)};
    uint32_t limit = rng_percent(&a->r, 50) ? 1 + (uint32_t)rng_below(&a->r, s->does->keys) : 0, count = 0;
    bool to_the_end = rng_percent(&a->r, 20), packed = !limit || rng_percent(&a->r, 50);
    pleach_status status;
    op.high = to_the_end ? s->w.top : op.key + rng_below(&a->r, s->does->keys) * s->does->distance;
    op.invoked = invoke(a);
    if (packed)
        status = wide_range(&s->w, 1, &op.key, &op.high, limit, MOST_IN_MAP, keys, values, offsets, NULL);
    else
        status = wide_range_limit(&s->w, 1, &op.key, &op.high, limit, keys, values, &count);
    op.returned = recorder_now(s->all.book);
    EXPECT_OK(a, status);
    record_range(s->all.book, a->index, op, limit, packed ? (size_t)offsets[1] : count, keys, values);
}

/* Only of a map with versions: other counts are of no instant. */
static void call_count(agent *a)
{
    scene *s = a->shared;
    history_op op = {.kind = HISTORY_COUNT_ATOMIC, .key = some_key(a)};
    op.high = op.key + rng_below(&a->r, s->does->keys) * s->does->distance;
    op.invoked = invoke(a);
    pleach_status status = wide_range_count(&s->w, 1, &op.key, &op.high, &op.out_value);
    op.returned = recorder_now(s->all.book);
    EXPECT_OK(a, status);
    record(s->all.book, a->index, op);
}

/* succ is the ceiling of the next key, min that of the first one. */
static void call_neighbour(agent *a)
{
    scene *s = a->shared;
    uint64_t key = some_key(a);
    int found = -1;
    bool up = rng_percent(&a->r, 50), outermost = rng_percent(&a->r, 10);
    pleach_status status;
    history_op op = {.kind = up ? HISTORY_CEIL : HISTORY_FLOOR, .key = up ? key + 1 : key - 1};
    if (outermost)
        op.key = up ? 0 : s->w.top;
    op.invoked = invoke(a);
    if (outermost)
        status = (up ? pleach_map_min : pleach_map_max)(s->w.map, &found, &op.out_key, &op.out_value);
    else
        status = (up ? pleach_map_succ_one : pleach_map_pred_one)(s->w.map, key, &found, &op.out_key, &op.out_value);
    op.returned = recorder_now(s->all.book);
    op.outcome = found ? HISTORY_FOUND : HISTORY_NOT_FOUND;
    EXPECT_OK(a, status);
    EXPECT(a, found == 0 || found == 1);
    record(s->all.book, a->index, op);
    count_checked(1);
}

static void call_something(agent *a, size_t call)
{
    const habit *does = ((scene *)a->shared)->does;
    uint64_t dice = rng_below(&a->r, 100);
    if (dice < does->arrays)
        call_array(a, call);
    else if (dice < does->arrays + does->ranges)
        ((scene *)a->shared)->versioned && rng_percent(&a->r, 25) ? call_count(a) : call_range(a);
    else if (dice < does->arrays + does->ranges + does->neighbours)
        call_neighbour(a);
    else
        call_one(a, call);
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

/* One word of an array of the map's width. */
static uint64_t narrow(const wide *w, uint64_t word)
{
    uint32_t half = (uint32_t)word;
    if (w->key_bits == 32)
        memcpy(&word, &half, sizeof half);
    return word;
}

/* The pairs of an interval, as many as there is room for. */
static pleach_status read_pairs(const wide *w, pleach_snapshot *snapshot, history_op *op, uint32_t limit,
                                history_pair *pairs)
{
    uint64_t keys[MOST_IN_MAP], values[MOST_IN_MAP], offsets[2] = {0, 0};
    uint64_t low = narrow(w, op->key), high = narrow(w, op->high);
    pleach_status status =
        pleach_snapshot_range(snapshot, 1, &low, &high, limit, MOST_IN_MAP, keys, values, offsets, NULL);
    op->pair_count = (uint32_t)offsets[1];
    op->limited = limit && op->pair_count == limit;
    for (size_t i = 0; i < op->pair_count; i++)
        pairs[i] = (history_pair){get_word(w->key_bits, keys, i), get_word(w->key_bits, values, i)};
    return status;
}

static pleach_status read_point(const wide *w, pleach_snapshot *snapshot, history_op *op)
{
    uint64_t asked = op->kind == HISTORY_CEIL ? op->key - 1 : op->kind == HISTORY_FLOOR ? op->key + 1 : op->key;
    uint64_t key = narrow(w, asked), out_key = 0, value = 0;
    uint8_t found = 9;
    pleach_status status;
    if (op->kind == HISTORY_FIND)
        status = pleach_snapshot_find(snapshot, 1, &key, &value, &found, PLEACH_SYNC);
    else
        status = (op->kind == HISTORY_CEIL ? pleach_snapshot_succ : pleach_snapshot_pred)(
            snapshot, 1, &key, &out_key, &value, &found, PLEACH_SYNC);
    op->outcome = found == 1 ? HISTORY_FOUND : found == 0 ? HISTORY_NOT_FOUND : HISTORY_NOT_APPLIED;
    op->out_key = get_word(w->key_bits, &out_key, 0);
    op->out_value = get_word(w->key_bits, &value, 0);
    return status;
}

static void write_pairs(agent *a, history_op op, const history_pair *pairs)
{
    scene *s = a->shared;
    uint64_t keys[MOST_IN_MAP], values[MOST_IN_MAP];
    for (size_t i = 0; i < op.pair_count; i++) {
        keys[i] = pairs[i].key;
        values[i] = pairs[i].value;
    }
    record_range(s->all.book, a->index, op, op.limited ? op.pair_count : 0, op.pair_count, keys, values);
    count_checked(1);
}

/* Whatever it is asked, it answers by what it holds. */
static void ask_something(agent *a, const taken *t)
{
    static const history_kind kinds[] = {HISTORY_FIND, HISTORY_CEIL, HISTORY_FLOOR, HISTORY_RANGE_ATOMIC,
                                         HISTORY_COUNT_ATOMIC};
    scene *s = a->shared;
    history_pair pairs[MOST_IN_MAP];
    history_op op = {.invoked = t->invoked, .returned = t->returned, .key = some_key(a),
                     .kind = (uint8_t)kinds[rng_below(&a->r, COUNT_OF(kinds))]};
    op.high = op.key + rng_below(&a->r, s->does->keys) * s->does->distance;
    uint64_t low = narrow(&s->w, op.key), high = narrow(&s->w, op.high);
    loiter(&a->r);
    if (op.kind == HISTORY_COUNT_ATOMIC)
        EXPECT_OK(a, pleach_snapshot_range_count(t->snapshot, 1, &low, &high, &op.out_value, PLEACH_SYNC));
    else if (op.kind == HISTORY_RANGE_ATOMIC)
        EXPECT_OK(a, read_pairs(&s->w, t->snapshot, &op, rng_percent(&a->r, 50) ? 3 : 0, pairs));
    else
        EXPECT_OK(a, read_point(&s->w, t->snapshot, &op));
    EXPECT(a, instant_answers((instant){t->pairs, t->count}, &op, pairs));
    write_pairs(a, op, pairs);
}

/* All that it holds is asked first. */
static void take_snapshot(agent *a, taken *t)
{
    scene *s = a->shared;
    history_op op = {.kind = HISTORY_RANGE_ATOMIC, .high = s->w.top};
    op.invoked = t->invoked = invoke(a);
    EXPECT_OK(a, pleach_snapshot_take(s->w.map, &t->snapshot, PLEACH_SYNC));
    op.returned = t->returned = recorder_now(s->all.book);
    loiter(&a->r);
    EXPECT_OK(a, read_pairs(&s->w, t->snapshot, &op, 0, t->pairs));
    t->count = op.pair_count;
    write_pairs(a, op, t->pairs);
}

static void release_snapshot(taken *t)
{
    pleach_snapshot_release(t->snapshot);
    t->snapshot = NULL;
}

/* Some are kept for the next call, and asked once more there. */
static void call_snapshot(agent *a)
{
    scene *s = a->shared;
    taken *held = s->held[a->index], *fresh = &held[1];
    take_snapshot(a, fresh);
    for (size_t i = 0; i < QUESTIONS && !a->failed; i++)
        ask_something(a, fresh);
    if (held->snapshot && !a->failed)
        ask_something(a, held);
    if (!held->snapshot || rng_percent(&a->r, 30)) {
        release_snapshot(held);
        *held = *fresh;
        fresh->snapshot = NULL;
    }
    release_snapshot(fresh);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static void write_contents(agent *a)
{
    scene *s = a->shared;
    uint64_t keys[MOST_IN_MAP], values[MOST_IN_MAP];
    size_t n = 0;
    EXPECT_OK(a, wide_export(&s->w, MOST_IN_MAP, keys, values, &n));
    record_final(s->all.book, n, keys, values);
}

static pleach_status empty_map(agent *a) { return pleach_map_clear(((scene *)a->shared)->w.map); }

static void work(agent *a)
{
    scene *s = a->shared;
    const bool taker = a->index + s->does->takers >= a->count;
    for (size_t call = 0; call < s->does->calls && !stopped(a); call++)
        taker ? call_snapshot(a) : call_something(a, call);
    if (taker)
        release_snapshot(s->held[a->index]);
}

/* Returns how many updates were refused. */
static size_t perform(const setting *where, const habit *does)
{
    scene s = {.all = {.work = work, .contents = write_contents, .empty = empty_map, .emptied = does->emptied,
                       .count = scaled_single_calls(where, does->rounds)},
               .w = does->takers ? wide_open_versioned(where) : wide_open_limited(where, does->max_bytes),
               .versioned = does->takers || config_for(where).versioned, .does = does};
    if (s.all.count < does->least) s.all.count = does->least;
    for (size_t i = 0; i < does->agents; i++)
        s.held[i] = must_alloc(2, sizeof *s.held[i]); /* the one that is kept, and a fresh one */
    run_rounds(does->agents, &s.all);
    for (size_t i = 0; i < does->agents; i++)
        free(s.held[i]);
    wide_close(&s.w);
    return s.all.refused;
}

/* ---- two ranges, two inserts --------------------------------------------------------------------------------------
 * Two agents insert keys of their own, ascending and far from the other's, with other keys in between. Others look how
 * far each of the two has come. If one look shows more of the first than another look, and less of the second, then no
 * order of the inserts explains both. */

enum { INSERTS_EACH = 150, MOST_LOOKS = 400, BETWEEN = 200, FAR = 1 << 20, WRITERS = 2, LOOKERS = 3 };
enum { MOST_SEEN = BETWEEN + WRITERS * INSERTS_EACH };

typedef struct look {
    size_t come[WRITERS];
} look;

typedef struct parade {
    wide w;
    pthread_barrier_t barrier;
    atomic_uint writing;
    look looks[LOOKERS][MOST_LOOKS];
    size_t look_count[LOOKERS];
    size_t rounds, halfway; /* halfway: looks at which both had begun and neither had ended */
} parade;

static int compare_looks(const void *left, const void *right)
{
    const look *a = left, *b = right;
    if (a->come[0] != b->come[0])
        return a->come[0] < b->come[0] ? -1 : 1;
    return (a->come[1] > b->come[1]) - (a->come[1] < b->come[1]);
}

static bool have_one_order(look *looks, size_t count)
{
    qsort(looks, count, sizeof *looks, compare_looks);
    for (size_t i = 1; i < count; i++)
        if (looks[i].come[1] < looks[i - 1].come[1])
            return false;
    return true;
}

static void insert_own(agent *a)
{
    parade *p = a->shared;
    for (uint64_t i = 0; i < INSERTS_EACH; i++) {
        loiter(&a->r);
        EXPECT_OK(a, pleach_map_put_one(p->w.map, 2 * a->index * FAR + i, i, NULL, NULL));
        count_checked(1);
    }
}

/* Adds the keys that a range has reported. What is there of an agent's keys are its first ones. */
static void see(agent *a, const uint64_t *keys, uint64_t count, size_t *come)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t key = get_word(((parade *)a->shared)->w.key_bits, keys, i), who = key / FAR;
        EXPECT(a, who <= WRITERS && key % FAR == come[who]);
        come[who]++;
    }
}

/* Two ranges of one snapshot, with time between them. */
static void look_at_snapshot(agent *a, pleach_snapshot *snapshot, size_t *come)
{
    const wide *w = &((parade *)a->shared)->w;
    uint64_t keys[MOST_SEEN], offsets[2] = {0, 0};
    size_t first = rng_below(&a->r, 2);
    for (size_t i = 0; i < 2; i++) {
        bool upper = i != first;
        uint64_t low = narrow(w, upper ? 2 * FAR : 0), high = narrow(w, upper ? w->top : 2 * FAR - 1);
        EXPECT_OK(a, pleach_snapshot_range(snapshot, 1, &low, &high, 0, MOST_SEEN, keys, NULL, offsets, NULL));
        see(a, keys, offsets[1], come);
        loiter(&a->r);
    }
}

/* By a snapshot, or by a range of the map itself. */
static void look_once(agent *a, look *seen)
{
    parade *p = a->shared;
    uint64_t keys[MOST_SEEN], offsets[2] = {0, 0}, low = 0, high = narrow(&p->w, p->w.top);
    size_t come[WRITERS + 1] = {0};
    pleach_snapshot *snapshot = NULL;
    if (rng_percent(&a->r, 50)) {
        EXPECT_OK(a, pleach_snapshot_take(p->w.map, &snapshot, PLEACH_SYNC));
        look_at_snapshot(a, snapshot, come);
        pleach_snapshot_release(snapshot);
    } else {
        EXPECT_OK(a, pleach_map_range(p->w.map, 1, &low, &high, 0, MOST_SEEN, keys, NULL, offsets, NULL));
        see(a, keys, offsets[1], come);
    }
    EXPECT(a, come[1] == BETWEEN);
    *seen = (look){{come[0], come[2]}};
    count_checked(1);
}

static void look_on(agent *a)
{
    parade *p = a->shared;
    size_t who = a->index - WRITERS, *count = &p->look_count[who];
    look *looks = p->looks[who];
    for (*count = 0; *count < MOST_LOOKS && !a->failed && atomic_load(&p->writing) > 0; ++*count) {
        look *now = &looks[*count];
        look_once(a, now);
        if (*count > 0)
            EXPECT(a, now->come[0] >= now[-1].come[0] && now->come[1] >= now[-1].come[1]);
    }
}

static void judge_looks(agent *a)
{
    parade *p = a->shared;
    look all[LOOKERS * MOST_LOOKS];
    size_t count = 0;
    for (size_t i = 0; i < LOOKERS; i++)
        for (size_t j = 0; j < p->look_count[i]; j++)
            all[count++] = p->looks[i][j];
    for (size_t i = 0; i < count; i++)
        p->halfway += all[i].come[0] && all[i].come[1] && all[i].come[0] + all[i].come[1] < WRITERS * INSERTS_EACH;
    EXPECT(a, have_one_order(all, count));
}

/* Both stretches are empty again; what is between stays. */
static void erase_both(agent *a)
{
    parade *p = a->shared;
    uint64_t keys[WRITERS * INSERTS_EACH];
    for (uint64_t i = 0; i < COUNT_OF(keys); i++)
        keys[i] = i % WRITERS * 2 * FAR + i / WRITERS;
    EXPECT_OK(a, wide_erase(&p->w, COUNT_OF(keys), keys, NULL, NULL));
    atomic_store(&p->writing, WRITERS);
}

static void insert_or_look(agent *a)
{
    parade *p = a->shared;
    for (size_t round = 0; round < p->rounds; round++) {
        pthread_barrier_wait(&p->barrier);
        if (!stopped(a))
            a->index < WRITERS ? insert_own(a) : look_on(a);
        if (a->index < WRITERS)
            atomic_fetch_sub(&p->writing, 1);
        pthread_barrier_wait(&p->barrier);
        if (a->index == 0 && !stopped(a))
            judge_looks(a);
        if (a->index == 0 && !stopped(a))
            erase_both(a);
    }
}

static void fill_between(parade *p)
{
    uint64_t keys[BETWEEN];
    for (uint64_t i = 0; i < BETWEEN; i++)
        keys[i] = FAR + i;
    assert_ok(wide_put(&p->w, BETWEEN, keys, keys, NULL, NULL));
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static void work_by_habit(const setting *where, const void *does)
{
    perform(where, does);
}

static void a_full_map(const setting *where)
{
    const uint64_t nodes = leaf_slots() > 14 ? 8 : 16;
    habit does = {.agents = 4, .calls = 60, .keys = 400, .distance = 9, .erases = 20, .arrays = 10, .ranges = 5,
                  .emptied = 10, .max_bytes = node_memory(where, nodes), .rounds = 400, .least = 6};
    assert_true(perform(where, &does) > 0);
}

static void two_inserts_have_one_order_for_all(const setting *where)
{
    FREED parade *p = must_alloc(1, sizeof *p);
    p->w = wide_open_versioned(where);
    p->rounds = scaled_single_calls(where, 300);
    fill_between(p);
    atomic_init(&p->writing, WRITERS);
    assert_int_equal(pthread_barrier_init(&p->barrier, NULL, WRITERS + LOOKERS), 0);
    run_agents(WRITERS + LOOKERS, insert_or_look, p);
    pthread_barrier_destroy(&p->barrier);
    assert_true(p->halfway > 0 || p->rounds < 20);
    wide_close(&p->w);
}

/* What the case above looks for, by hand; test_history.c has the same for the checker of histories. */
static void looks_that_disagree_are_noticed(const setting *where)
{
    (void)where;
    look good[] = {{{2, 1}}, {{0, 0}}, {{2, 3}}, {{0, 1}}, {{2, 1}}}, bad[] = {{{1, 1}}, {{0, 0}}, {{1, 0}}, {{0, 1}}};
    assert_true(have_one_order(good, COUNT_OF(good)));
    assert_false(have_one_order(bad, COUNT_OF(bad)));
}

static void all_of_them_were_judged(const setting *where)
{
    (void)where;
    rounds_were_judged();
}

#define HABIT(title, ...) CASE_WITH(title, work_by_habit, &((const habit){__VA_ARGS__}))
#define HABIT_OF_TREES(title, ...)                                                                               \
    {.name = #title, .run_with = work_by_habit, .what = &((const habit){__VA_ARGS__}), .of_trees = true}

static const test_case cases[] = {
    HABIT(two_threads_on_two_keys,
          .agents = 2, .calls = 200, .keys = 2, .distance = 1, .erases = 40, .rounds = 1200),
    HABIT(four_threads_on_three_keys,
          .agents = 4, .calls = 100, .keys = 3, .distance = 1, .erases = 40, .rounds = 1200),
    HABIT(eight_threads_on_one_leaf,
          .agents = 8, .calls = 60, .keys = 12, .distance = 1, .erases = 45, .rounds = 800),
    HABIT(arrays_and_single_calls,
          .agents = 4, .calls = 40, .keys = 10, .distance = 5, .erases = 40, .arrays = 60, .rounds = 800),
    HABIT(leaves_that_split,
          .agents = 4, .calls = 80, .keys = 120, .distance = 1000, .erases = 15, .arrays = 20, .ranges = 10,
          .emptied = 50, .rounds = 500),
    HABIT(ranges_beside_updates,
          .agents = 4, .calls = 60, .keys = 40, .distance = 3, .erases = 50, .arrays = 5, .ranges = 30, .rounds = 800),
    /* Many keys at one instant are harder to judge, so these histories are shorter. */
    HABIT(neighbours_beside_updates,
          .agents = 3, .calls = 30, .keys = 16, .distance = 2, .erases = 55, .neighbours = 35, .rounds = 2000),
    HABIT(neighbours_across_emptied_leaves,
          .agents = 4, .calls = 20, .keys = 60, .distance = 7, .erases = 70, .neighbours = 40, .arrays = 10,
          .emptied = 2, .rounds = 1500),
    CASE(a_full_map),
    HABIT_OF_TREES(snapshots_of_few_keys,
                   .agents = 4, .takers = 2, .calls = 25, .keys = 6, .distance = 1, .erases = 45, .ranges = 10,
                   .rounds = 800),
    HABIT_OF_TREES(snapshots_beside_splits,
                   .agents = 4, .takers = 2, .calls = 25, .keys = 60, .distance = 1000, .erases = 15, .emptied = 50,
                   .rounds = 600),
    HABIT_OF_TREES(many_snapshots_beside_one_writer,
                   .agents = 4, .takers = 3, .calls = 25, .keys = 40, .distance = 3, .erases = 50, .rounds = 500),
    HABIT_OF_TREES(snapshots_beside_neighbours_and_arrays,
                   .agents = 4, .takers = 1, .calls = 20, .keys = 24, .distance = 5, .erases = 50, .neighbours = 20,
                   .ranges = 10, .arrays = 5, .emptied = 5, .rounds = 800),
    CASE_OF_TREES(two_inserts_have_one_order_for_all),
    CASE(looks_that_disagree_are_noticed),
    CASE(all_of_them_were_judged),
};

int main(int argc, char **argv)
{
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
