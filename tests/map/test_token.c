/* test_token.c - a key that moves. One thread moves a token: it puts it at a new place, and then erases it at the old
 * one, so at every instant there are one or two of them; or one batch does both, and there is always exactly one. Other
 * threads look for it, with every query that could see it, over leaves that were filled and emptied before. To see no
 * token is a wrong result, whatever the schedule. */
#include <stdio.h>
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/interrupts.h"

enum { FIRST = 1000, PLACES = 4000, ROOM = 8 };

typedef struct table {
    const setting *where;
    pleach_map *map;
    bool by_batch;  /* a move is one batch: one token at every instant */
    bool upwards;   /* the token moves to larger keys only */
    bool versioned; /* ranges show one instant */
    bool batches;
    size_t moves;
    uint64_t place;   /* the mover's */
    uint64_t highest; /* no token is above */
    atomic_int over;
    atomic_size_t looks;
} table;

/* As wide as the map's keys; `words` of them. */
static void set_key(const table *t, void *array, size_t i, uint64_t key)
{
    if (t->where->key_bits == 32)
        ((uint32_t *)array)[i] = (uint32_t)key;
    else
        ((uint64_t *)array)[i] = key;
}

static uint64_t get_key(const table *t, const void *array, size_t i)
{
    return t->where->key_bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

/* ---- the mover ---- */

static bool move_by_batch(const table *t, uint64_t from, uint64_t to)
{
    uint64_t keys[2], values[2];
    uint8_t kinds[2] = {PLEACH_OP_PUT, PLEACH_OP_ERASE}, flags[2] = {0};
    set_key(t, keys, 0, to), set_key(t, keys, 1, from);
    set_key(t, values, 0, to), set_key(t, values, 1, from);
    pleach_batch batch = {.n = 2, .kinds = kinds, .keys = keys, .values = values, .flags = flags};
    return pleach_map_apply(t->map, &batch) == PLEACH_OK && flags[0] == PLEACH_INSERTED && flags[1] == PLEACH_ERASED;
}

static bool move_token(const table *t, uint64_t from, uint64_t to)
{
    pleach_outcome put = PLEACH_NOT_APPLIED, erased = PLEACH_NOT_APPLIED;
    uint64_t value = 0;
    if (t->by_batch) return move_by_batch(t, from, to);
    return pleach_map_put_one(t->map, to, to, &put, NULL) == PLEACH_OK && put == PLEACH_INSERTED &&
           pleach_map_erase_one(t->map, from, &erased, &value) == PLEACH_OK && erased == PLEACH_ERASED && value == from;
}

static void move(agent *a)
{
    table *t = a->shared;
    for (size_t i = 0; i < t->moves && !stopped(a); i++) {
        const uint64_t from = t->place;
        uint64_t to = t->upwards ? from + 1 + rng_below(&a->r, 9) : FIRST + rng_below(&a->r, PLACES);
        if (to == from) to = from == FIRST ? from + 1 : from - 1;
        EXPECT(a, move_token(t, from, to));
        t->place = to;
    }
    atomic_store(&t->over, 1);
}

/* ---- those who look ---- */

static bool is_token(const table *t, uint64_t key, uint64_t value)
{
    return key >= FIRST && key <= t->highest && value == key;
}

static bool sees_neighbour(const table *t, unsigned which)
{
    int found = 0;
    uint64_t key = 0, value = 0;
    pleach_status status = which == 0   ? pleach_map_succ_one(t->map, FIRST - 1, &found, &key, &value)
                           : which == 1 ? pleach_map_pred_one(t->map, t->highest + 1, &found, &key, &value)
                           : which == 2 ? pleach_map_min(t->map, &found, &key, &value)
                                        : pleach_map_max(t->map, &found, &key, &value);
    return status == PLEACH_OK && found && is_token(t, key, value);
}

/* Walks that are not of one instant may meet a token that moves up as often as it moves. */
static bool right_number(const table *t, uint64_t n)
{
    if (n < 1) return false;
    return !t->versioned || n <= (t->by_batch ? 1 : 2);
}

/* Whether a range must see a token. At one instant there always is one. Otherwise a walk from left to right meets a
 * token that moves up; but a map with several threads may read a long range in parts, in any order. */
static bool range_meets_token(const table *t) { return t->versioned || (t->upwards && t->where->threads == 1); }

static bool sees_in_range(const table *t, unsigned which)
{
    uint64_t lo[1], hi[1], keys[ROOM], values[ROOM], count = 0, offsets[2];
    uint32_t limited = 0;
    size_t total = 0;
    set_key(t, lo, 0, FIRST), set_key(t, hi, 0, t->highest);
    if (which == 0)
        return pleach_map_range_count(t->map, 1, lo, hi, &count, PLEACH_SYNC) == PLEACH_OK && right_number(t, count);
    pleach_status status =
        which == 1 ? pleach_map_range_limit(t->map, 1, lo, hi, 1, keys, values, &limited, PLEACH_SYNC)
                   : pleach_map_range(t->map, 1, lo, hi, ROOM, ROOM, keys, values, offsets, &total);
    const size_t n = which == 1 ? limited : total;
    return status == PLEACH_OK && right_number(t, n) && is_token(t, get_key(t, keys, 0), get_key(t, values, 0));
}

/* One batch has both ends of the same instant. */
static bool sees_in_batch(const table *t)
{
    uint64_t keys[3], bounds[3], out_keys[3], out_values[3], counts[3];
    uint8_t kinds[3] = {PLEACH_OP_SUCC, PLEACH_OP_PRED, PLEACH_OP_COUNT}, flags[3] = {0};
    set_key(t, keys, 0, FIRST - 1), set_key(t, keys, 1, t->highest + 1), set_key(t, keys, 2, FIRST);
    for (size_t i = 0; i < 3; i++) set_key(t, bounds, i, t->highest);
    pleach_batch batch = {.n = 3, .kinds = kinds, .keys = keys, .values = bounds, .flags = flags,
                          .out_keys = out_keys, .out_values = out_values, .counts = counts};
    if (pleach_map_apply(t->map, &batch) != PLEACH_OK || !flags[0] || !flags[1]) return false;
    const uint64_t low = get_key(t, out_keys, 0), high = get_key(t, out_keys, 1);
    return is_token(t, low, get_key(t, out_values, 0)) && is_token(t, high, get_key(t, out_values, 1)) &&
           counts[2] == 1 + (low != high) && !(t->by_batch && low != high);
}

static bool sees_in_snapshot(const table *t)
{
    pleach_snapshot *snapshot = NULL;
    uint64_t key[1], lo[1], hi[1], out[1], count = 0, size = 0;
    uint8_t found = 0;
    if (pleach_snapshot_take(t->map, &snapshot, PLEACH_SYNC) != PLEACH_OK) return false;
    set_key(t, key, 0, FIRST - 1), set_key(t, lo, 0, FIRST), set_key(t, hi, 0, t->highest);
    bool good = pleach_snapshot_succ(snapshot, 1, key, out, NULL, &found, PLEACH_SYNC) == PLEACH_OK && found &&
                pleach_snapshot_range_count(snapshot, 1, lo, hi, &count, PLEACH_SYNC) == PLEACH_OK &&
                pleach_snapshot_size(snapshot, &size) == PLEACH_OK;
    pleach_snapshot_release(snapshot);
    return good && right_number(t, count) && size == count && is_token(t, get_key(t, out, 0), get_key(t, out, 0));
}

static void look(agent *a)
{
    table *t = a->shared;
    interrupts stops = interrupts_begin(test_seed() + a->index, 300);
    size_t looks = 0;
    while (!atomic_load(&t->over) && !a->failed && !stopped(a)) {
        const unsigned which = (unsigned)rng_below(&a->r, 32);
        bool good = true;
        if (which < 20)
            good = sees_neighbour(t, which % 4);
        else if (which < 29)
            good = !range_meets_token(t) || sees_in_range(t, which % 3);
        else if (which == 29)
            good = !t->versioned || sees_in_snapshot(t);
        else if (which == 30)
            good = !t->batches || sees_in_batch(t);
        if (!good) agent_fail(a, __FILE__, (int)which, "a token was not seen, or too many of them");
        looks++;
    }
    interrupts_end(&stops);
    atomic_fetch_add(&t->looks, looks);
}

static void take_part(agent *a)
{
    if (a->index == 0) {
        table *t = a->shared;
        interrupts stops = interrupts_begin(test_seed(), 300);
        move(a);
        atomic_store(&t->over, 1);
        interrupts_end(&stops);
    } else
        look(a);
}

/* ---- the cases ---- */

/* Leaves that had keys once. */
static void fill_and_empty(const table *t)
{
    for (uint64_t key = FIRST; key < FIRST + PLACES; key++) assert_ok(pleach_map_put_one(t->map, key, key, NULL, NULL));
    for (uint64_t key = FIRST; key < FIRST + PLACES; key++) assert_ok(pleach_map_erase_one(t->map, key, NULL, NULL));
}

static void token_in(const setting *where, pleach_structure structure, bool versioned, bool by_batch, bool upwards)
{
    table t = {.where = where, .by_batch = by_batch, .upwards = upwards, .versioned = versioned,
               .batches = structure != PLEACH_SKIPLIST, .place = FIRST,
               .moves = scaled_single_calls(where, by_batch ? 4000 : 60000)};
    t.highest = upwards ? FIRST + 10 * t.moves : FIRST + PLACES;
    assert_ok(pleach_map_create(&t.map, &(pleach_map_config){.device = where->device, .key_bits = where->key_bits,
                                                             .threads = where->threads, .structure = structure,
                                                             .versioned = versioned}));
    fill_and_empty(&t);
    assert_ok(pleach_map_put_one(t.map, t.place, t.place, NULL, NULL));
    run_agents(3, take_part, &t);
    assert_ok(pleach_map_validate(t.map, NULL, 0));
    count_checked(t.looks + t.moves);
    pleach_map_destroy(t.map);
}

static void moves_in_a_tree(const setting *where) { token_in(where, PLEACH_BLINK, false, false, false); }
static void moves_up_in_a_tree(const setting *where) { token_in(where, PLEACH_BLINK, false, false, true); }
static void moves_by_batches(const setting *where) { token_in(where, PLEACH_BLINK, false, true, false); }
static void moves_in_a_skiplist(const setting *where) { token_in(where, PLEACH_SKIPLIST, false, false, false); }
static void moves_up_in_a_skiplist(const setting *where) { token_in(where, PLEACH_SKIPLIST, false, false, true); }
static void moves_among_versions(const setting *where) { token_in(where, PLEACH_BLINK, true, false, false); }
static void moves_by_batches_among_versions(const setting *where) { token_in(where, PLEACH_BLINK, true, true, false); }

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(moves_in_a_tree),        CASE(moves_up_in_a_tree),   CASE(moves_by_batches),
        CASE(moves_in_a_skiplist),    CASE(moves_up_in_a_skiplist), CASE(moves_among_versions),
        CASE(moves_by_batches_among_versions),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
