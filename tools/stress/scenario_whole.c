/* scenario_whole.c - exclusive calls on the whole structure, made by one client while the others go on. */
#include <inttypes.h>

#include "stress.h"
#include "tools/common/words.h"

enum { KEEPER = 0, CALLS_BETWEEN = 4 }; /* the client that makes them, and how often */

static const uint8_t all_ops[OPS] = {25, 10, 25, 15, 5, 5, 5, 3, 3, 4};
static const uint8_t hash_ops[OPS] = {30, 15, 30, 20, 5};
static const uint8_t only_finds[OPS] = {[PLEACH_OP_FIND] = 100};

static bool prepare(struct stress *s)
{
    s->turn.foreign_finds = true;
    if (s->target.hash == NULL || mix_below(&s->random, 2) == 0) contents_fill(s);
    return true;
}

/* ---- calls that leave the contents as they are ---- */

/* Pairs of owners, in order. Which pairs must be there is known only when all clients are done. */
static void check_export(struct stress *s, size_t n)
{
    uint64_t before = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = word_get(s->out_keys, s->bits, i), value = word_get(s->out_values, s->bits, i);
        if ((s->target.map != NULL && i > 0 && key <= before) || !is_pair_of_owner(s, key, value))
            stress_wrong(s, KEEPER, "export during other calls: pair %zu is %" PRIu64 ":%" PRIu64, i, key, value);
        before = key;
    }
    stress_count(&s->clients[KEEPER], n, n);
}

static void check_stats(struct stress *s, const pleach_map_stats *stats)
{
    if (stats->keys > s->keys.cells || stats->key_bits != s->bits || stats->unposted != 0 || stats->leaves == 0 ||
        stats->empty_leaves > stats->leaves || stats->height == 0)
        stress_wrong(s, KEEPER,
                     "stats during other calls: %" PRIu64 " keys, %u bits, %" PRIu64 " leaves, %" PRIu64
                     " empty, %" PRIu64 " unposted, height %u",
                     stats->keys, stats->key_bits, stats->leaves, stats->empty_leaves, stats->unposted, stats->height);
}

static void call_stats(struct stress *s)
{
    pleach_map_stats stats;
    pleach_hash_stats hash_stats;
    if (s->target.hash != NULL)
        STRESS_CALL(s, KEEPER, "stats", 0, pleach_hash_get_stats(s->target.hash, &hash_stats));
    else if (STRESS_CALL(s, KEEPER, "stats", 0, pleach_map_get_stats(s->target.map, &stats)))
        check_stats(s, &stats);
}

static void call_compact(struct stress *s)
{
    struct mix_random *random = &s->clients[KEEPER].random;
    const double fill = 0.4 + 0.1 * (double)mix_below(random, 7);
    if (s->target.hash != NULL && mix_below(random, 2) == 0)
        STRESS_CALL(s, KEEPER, "reserve", 0, pleach_hash_reserve(s->target.hash, mix_below(random, s->keys.cells)));
    else
        STRESS_CALL(s, KEEPER, "compact", 0, target_compact(&s->target, fill));
}

static void make_whole_call(struct stress *s)
{
    uint64_t size = 0;
    size_t n = 0;
    switch (mix_below(&s->clients[KEEPER].random, 5)) {
    case 0:
        if (STRESS_CALL(s, KEEPER, "export", 0,
                        target_export(&s->target, s->keys.cells, s->out_keys, s->out_values, &n)))
            check_export(s, n);
        break;
    case 1: call_stats(s); break;
    case 2:
        if (STRESS_CALL(s, KEEPER, "size", 0, target_size(&s->target, &size)) && size > s->keys.cells)
            stress_wrong(s, KEEPER, "size during other calls: %" PRIu64, size);
        break;
    case 3: call_compact(s); break;
    default: contents_validate(s); break;
    }
    stress_count(&s->clients[KEEPER], 1, 1);
}

static void call_with_keeper(void *context, unsigned index)
{
    struct stress *s = context;
    struct client *client = &s->clients[index];
    if (index != KEEPER) {
        clients_make_calls(s, index);
        return;
    }
    for (size_t i = 0; i < client->call_count; i++) {
        client_make_call(s, client, &client->calls[i]);
        if (i % CALLS_BETWEEN == 0) make_whole_call(s);
    }
    if (client_is_resident(s, client)) client_wait(s, client);
}

/* ---- clear and load: everything disappears or appears at one instant ---- */

static void call_with_flip(void *context, unsigned index)
{
    struct stress *s = context;
    struct client *client = &s->clients[index];
    for (size_t i = 0; i < client->call_count; i++) {
        if (index == KEEPER && i == client->call_count / 2) {
            if (s->turn.appears)
                contents_load(s, KEEPER);
            else
                STRESS_CALL(s, KEEPER, "clear", 0, target_clear(&s->target));
        }
        client_make_call(s, client, &client->calls[i]);
    }
    if (client_is_resident(s, client)) client_wait(s, client);
}

struct sight {
    size_t seen, hidden, impossible;
};

/* Which of the oracle's pairs one array of finds has found. */
static struct sight sight_of(const struct stress *s, const struct client *client, const struct call *call)
{
    struct sight sight = {0};
    const struct arrays x = call_arrays(call, client->here, s->bits);
    for (size_t i = 0; i < call->n; i++) {
        uint64_t value = 0;
        const bool present = oracle_find(&s->oracle, cell_of(&s->keys, word_get(x.keys, s->bits, i)), &value);
        if (x.flags[i] == 0)
            sight.hidden += present;
        else if (present && x.flags[i] == 1 && (s->target.set || word_get(x.out_values, s->bits, i) == value))
            sight.seen++;
        else
            sight.impossible++;
    }
    return sight;
}

/* Each call is entirely before or entirely after the clear or load, and no call before it follows one after it. */
static void check_flip(void *context, unsigned index)
{
    struct stress *s = context;
    struct client *client = &s->clients[index];
    const bool appears = s->turn.appears;
    bool flipped = false;
    for (size_t i = 0; i < client->call_count; i++) {
        if (!stress_ok(s, index, "find", client->calls[i].status)) return;
        const struct sight sight = sight_of(s, client, &client->calls[i]);
        const bool after = appears ? sight.seen > 0 : sight.hidden > 0;
        const bool before = appears ? sight.hidden > 0 : sight.seen > 0;
        const bool keeper_flips = index == KEEPER && i == client->call_count / 2;
        const bool too_early = index == KEEPER && i < client->call_count / 2 && after;
        if (sight.impossible > 0 || (after && before) || ((flipped || keeper_flips) && before) || too_early)
            stress_wrong(s, index, "client %u, find %zu during a %s: %zu keys found, %zu not, %zu results impossible",
                         index, i, appears ? "load" : "clear", sight.seen, sight.hidden, sight.impossible);
        flipped = flipped || after || keeper_flips;
        stress_count(client, client->calls[i].n, client->calls[i].n);
    }
}

/* A hash table is not loaded at one instant: it is filled again after the turn. */
static void flip(struct stress *s, bool appears)
{
    if (stress_is_wrong(s)) return;
    const bool loads_alone = appears && s->target.hash != NULL;
    s->turn.percent = only_finds;
    s->turn.appears = appears;
    if (appears) contents_gather(s);
    if (loads_alone) {
        contents_load(s, KEEPER);
        return;
    }
    clients_turn(s, call_with_flip);
    crew_run(s->crew, check_flip, s);
}

/* ---- the scenario ---- */

static void run_turn(struct stress *s, size_t turn)
{
    s->turn.arrays_only = true;
    s->turn.percent = s->target.hash != NULL ? hash_ops : all_ops;
    clients_turn(s, call_with_keeper);
    clients_check(s);
    if (!stress_is_wrong(s)) contents_check(s);
    if (turn % 2 == 0) return;
    flip(s, false);
    flip(s, true);
    if (!stress_is_wrong(s)) contents_compare(s);
}

const struct scenario scenario_whole = {
    .name = "whole",
    .structures = 1 << TARGET_TREE | 1 << TARGET_SKIPLIST | 1 << TARGET_HASH,
    .cells = {1 << 14, 1 << 20},
    .halvings = 6,
    .turns = {8, 6},
    .most = {1 << 12, 1 << 18},
    .prepare = prepare,
    .run_turn = run_turn,
};
