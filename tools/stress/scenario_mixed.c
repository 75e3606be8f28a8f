/* scenario_mixed.c - each client updates keys of its own, which share leaves with those of other clients. */
#include "stress.h"

/* put, add, erase, find, contains, succ, pred, count, range, range_limit */
static const uint8_t moods[][OPS] = {
    {20, 10, 20, 25, 5, 5, 5, 3, 3, 4}, /* some of all */
    {40, 25, 3, 15, 3, 4, 4, 2, 2, 2},  /* growing */
    {10, 5, 50, 15, 4, 4, 4, 2, 2, 4},  /* erasing */
    {8, 4, 8, 40, 10, 8, 8, 4, 4, 6},   /* reading */
};
enum { GROWING = 1, MOODS = sizeof moods / sizeof moods[0] };

/* Hash tables have no order. They begin empty, so that they grow while clients work. */
static const uint8_t hash_moods[MOODS][OPS] = {{30, 15, 20, 30, 5}, {40, 35, 8, 15, 2}, {15, 10, 50, 20, 5},
                                               {12, 8, 10, 55, 15}};

static bool prepare(struct stress *s)
{
    const size_t mood = mix_below(&s->random, MOODS);
    const bool hash = s->target.hash != NULL;
    s->turn.percent = hash ? hash_moods[mood] : moods[mood];
    s->turn.foreign_finds = s->turn.probes = true;
    if (mood != GROWING && !hash) contents_fill(s);
    return true;
}

/* The oracle is that of before the turn until the checks: what the snapshot contains must be the same. */
static void run_turn(struct stress *s, size_t turn)
{
    (void)turn;
    snapshot_before_take(s);
    clients_turn(s, clients_make_calls);
    if (snapshot_before_export(s, s->keys.cells)) contents_compare_pairs(s, "a snapshot");
    clients_check(s);
}

const struct scenario scenario_mixed = {
    .name = "mixed",
    .structures = 1 << TARGET_TREE | 1 << TARGET_SKIPLIST | 1 << TARGET_HASH,
    .cells = {1 << 16, 1 << 24},
    .halvings = 8,
    .turns = {40, 20},
    .most = {1 << 12, 1 << 20},
    .prepare = prepare,
    .run_turn = run_turn,
    .check = contents_check,
};
