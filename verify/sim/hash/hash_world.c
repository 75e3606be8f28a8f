/* verify/sim/hash/hash_world.c - hash tables under the simulator: one table, or several that share a pool, as those of
 * a graph's vertices do.
 *
 * Slabs have few slots here, and keys are chosen by their hashes, so that buckets overflow and tables grow with a few
 * keys. Tables are made ready by somebody who is alone; slabs in the free lists have a past. */
#include <string.h>

#include "hash_world.h"

#include "../../../src/hash/slabhash_seed.h"

_Thread_local hash_world hash_now;

static const hash_variant *const variants[] = {
    &sim_hash_map32_cuda,  &sim_hash_map64_cuda,  &sim_hash_set32_cuda,  &sim_hash_set64_cuda,
    &sim_hash_map32_plain, &sim_hash_map64_plain, &sim_hash_set32_plain, &sim_hash_set64_plain};
static const char *const variant_names[] = {"cuda32",  "cuda64",  "cuda32_set",  "cuda64_set",
                                            "plain32", "plain64", "plain32_set", "plain64_set", NULL};

enum { NEVER_GROWS = 1 << 30 }; /* load_of_keys */
enum { FIRST_KEY = 0x10000, FIRST_VALUE = 100000, FIRST_VERSION = 4000 }; /* none looks like a slab's id */

uint64_t hash_fresh_value(void) { return hash_now.kind->values ? FIRST_VALUE + hash_now.next_value++ : 0; }

unsigned hash_slots(void) { return hash_now.kind->slots; }

/* ---- laying out ---- */

static void begin(unsigned tables, uint32_t load_of_keys)
{
    hash_world *w = &hash_now;
    pool_state *pool = sim_reserve(sizeof *pool);
    w->place = (slab_ref){.runs = {.pool = pool, .node_bytes = SLAB_BYTES}, .load_of_keys = load_of_keys};
    w->place.seed = slabhash_seed_of(0); /* for tiny cases; others draw one */
    w->place.runs.runs = sim_reserve(sizeof *w->place.runs.runs);
    w->tables = tables;
    w->table = sim_reserve(HASH_TABLES * sizeof w->table[0]);
    w->place.runs.nodes = sim_reserve(HASH_SLABS * SLAB_BYTES);
    sim_nodes(w->place.runs.nodes, SLAB_BYTES, HASH_SLABS);
    pool->next = HASH_FIRST_ID;
    pool->capacity = HASH_SLABS;
}

static bool is_known(uint64_t key)
{
    for (unsigned i = 0; i < hash_now.universe; i++)
        if (hash_now.keys[i] == key) return true;
    return false;
}

/* One more key; its hash ends in these bits. */
static void add_key(uint64_t from, uint32_t bits, uint32_t which)
{
    hash_world *w = &hash_now;
    uint64_t key = FIRST_KEY + from;
    while (is_known(key) || ((w->kind->hash(&w->place, key) ^ bits) & which)) key++;
    w->keys[w->universe++] = key;
}

/* Most of them in one bucket until there are so many buckets, the others anywhere. No key is reserved. */
void hash_draw_keys(unsigned count)
{
    hash_world *w = &hash_now;
    uint32_t which = ((uint32_t)1 << sim_draw(4)) - 1, bits = (uint32_t)sim_draw(8);
    unsigned strays = (unsigned)sim_draw(3);
    w->place.seed = slabhash_seed_of(sim_draw(1u << 30));
    w->universe = 0;
    if (sim_draw(8) == 0) w->keys[w->universe++] = 0;
    if (sim_draw(8) == 0) w->keys[w->universe++] = w->kind->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    while (w->universe < count) add_key(sim_draw(1u << 28), bits, sim_draw(4) < strays ? 0 : which);
}

void hash_do_exclusive(const slab_ref *place, unsigned table, uint8_t kind, unsigned number)
{
    hash_world *w = &hash_now;
    history_op op = {.kind = kind, .value = hash_fresh_value()};
    if (!w->stuck && !w->kind->alone(place, &w->table[table], w->keys[number], &op)) w->stuck = true;
}

/* Keys from..to-1 into the table that there is, without growth. */
void hash_fill(unsigned table, unsigned from, unsigned to)
{
    hash_world *w = &hash_now;
    slab_ref place = w->place;
    hash_counts counts;
    uint64_t seen[HASH_SLABS / 64] = {0}, *load = &w->table[table].load;
    char why[100];
    place.load_of_keys = NEVER_GROWS;
    for (unsigned number = from; number < to && number < w->universe; number++)
        hash_do_exclusive(&place, table, HISTORY_PUT, number);
    if (w->stuck) return;
    if (!w->place.load_of_keys) *load = *load >> 32 << 32;
    w->kind->ops->check(&place, &w->table[table], seen, &counts, why, sizeof why);
    if (!w->place.load_of_keys) *load += counts.overflow_slabs;
}

/* Somebody has been at work here. */
void hash_work_on(unsigned table, unsigned times, unsigned puts_percent)
{
    for (; times > 0; times--)
        hash_do_exclusive(&hash_now.place, table, sim_draw_chance(puts_percent) ? HISTORY_PUT : HISTORY_ERASE,
                 (unsigned)sim_draw(hash_now.universe));
}

/* Slabs in the free lists, whose keys are those of the tables. */
void hash_recycle(unsigned most)
{
    hash_world *w = &hash_now;
    for (unsigned i = (unsigned)sim_draw(most + 1); i > 0; i--) {
        slab_ref place = w->place;
        place.runs.stripe = (uint32_t)sim_draw(w->stripes);
        w->kind->recycle(&place, sim_draw(2) ? 0 : (unsigned)sim_draw(4), FIRST_VERSION + sim_draw(9), w->keys,
                         w->universe);
    }
}

void hash_settle(void)
{
    hash_now.initial_count = hash_now.stuck ? 0 : hash_find_all(hash_now.initial);
}

/* A pool with room for a few slabs only. */
static void limit_pool(void)
{
    hash_now.may_refuse = true;
    hash_now.place.runs.pool->capacity = hash_now.place.runs.pool->next + sim_draw(8);
}

/* ---- tiny cases ---- */

/* Two agents, a few operations each; what the exhaustive strategy goes through. One bucket, with so many full slabs. An
 * operation's number is that of a slab: it is about the first key there; from 8 on they are keys that are not there.
 * p puts, a adds, e erases, f finds; E erases all keys of a slab. */
static const struct {
    unsigned slabs;
    const char *part[2];
} tiny_cases[] = {
    {0, {"p8", "p9 f8"}},    /* both begin the table */
    {0, {"a8", "a8 f8"}},
    {1, {"p8", "p8 f8"}},    /* an overflow slab, and one key twice */
    {1, {"p8 e8", "f8 f0"}}, /* it comes and goes */
    {2, {"p8", "f1 f0"}},    /* growth, and keys that move */
    {2, {"p8", "p9"}},
    {2, {"p8", "e1 f1"}},
    {2, {"p8 f8", "a1 f8"}},
    {3, {"E1", "f2 f1"}},    /* a slab leaves the middle of a chain */
    {3, {"E2 p8", "f2"}},    /* and is used again at once */
    {3, {"E1", "E2 f0"}},
};

static uint8_t kind_of_letter(char letter)
{
    static const char letters[] = "paef";
    return (uint8_t)(strchr(letters, letter) - letters);
}

static void plan_tiny(unsigned a, const char *part)
{
    hash_begin_agent(a);
    for (; *part; part++) {
        if (*part == ' ' || (*part >= '0' && *part <= '9')) continue;
        unsigned slab = (unsigned)(part[1] - '0'), built = hash_now.universe - 2;
        unsigned number = slab < 8 ? slab * hash_slots() : built + slab - 8;
        if (*part != 'E') hash_plan_op(a, kind_of_letter(*part), 0, number);
        for (unsigned i = 0; *part == 'E' && i < hash_slots(); i++) hash_plan_op(a, HISTORY_ERASE, 0, number + i);
    }
}

static void tiny(unsigned which)
{
    unsigned keys = tiny_cases[which].slabs * hash_slots();
    begin(1, 0);
    hash_now.universe = 0;
    while (hash_now.universe < keys + 2) add_key(0, hash_now.universe & 1, 3); /* two buckets of four */
    hash_fill(0, 0, keys);
    hash_settle();
    for (unsigned a = 0; a < 2; a++) plan_tiny(a, tiny_cases[which].part[a]);
}

/* ---- one schedule ---- */

static unsigned prepare(unsigned variant, int tiny_case)
{
    hash_world *w = &hash_now;
    w->kind = variants[variant];
    w->may_refuse = w->stuck = w->solo = false;
    w->ghosts = w->walks = 0;
    w->next_value = w->passed_from = w->passed_to = 0;
    w->stripes = 1;
    if (tiny_case >= 0) {
        tiny((unsigned)tiny_case);
        return w->agents;
    }
    bool graph = sim_draw(2);
    begin(graph ? 2 + (unsigned)sim_draw(HASH_TABLES - 1) : 1, graph ? 256u + (uint32_t)sim_draw(1024) : 0);
    w->stripes = 1 + (unsigned)sim_draw(2);
    sim_multiprocessors(1 + (unsigned)sim_draw(4));
    hash_draw_scenario();
    if (sim_draw(4) == 0) limit_pool();
    unsigned ops = w->first_op[w->agents - w->solo];
    sim_expect(80 * (uint64_t)ops);
    return w->agents + w->ghosts;
}

static void haunt(void)
{
    enum { TIMES = 12 };
    hash_world *w = &hash_now;
    uint32_t slabs = w->ghosts_end - HASH_FIRST_ID;
    for (unsigned i = 0; i < TIMES && !sim_alone(); i++) {
        sim_operation_begin();
        w->kind->haunt(&w->place, &w->table[0], HASH_FIRST_ID + (uint32_t)sim_draw(slabs));
        sim_operation_end(0);
    }
}

/* The history's keys, ascending, instead of the table's. */
static void name_pairs(uint64_t first, history_pair *pairs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned number = 0, at = i;
        while (number < hash_now.universe && hash_now.keys[number] != pairs[i].key) number++;
        if (number == hash_now.universe) sim_fail("a walk sees a key that nobody has put");
        history_pair named = {first + number, pairs[i].value};
        for (; at > 0 && pairs[at - 1].key > named.key; at--) pairs[at] = pairs[at - 1];
        pairs[at] = named;
    }
}

static void walk(const slab_ref *place, history_op *op)
{
    history_pair *pairs = &hash_now.pairs[op->pairs];
    hash_now.kind->walk(place, &hash_now.table[op->key / HASH_TABLE_STEP], op, pairs, hash_now.universe);
    name_pairs(op->key, pairs, op->pair_count);
}

static void agent(unsigned index)
{
    hash_world *w = &hash_now;
    if (index >= w->agents) {
        haunt();
        return;
    }
    bool solo = w->solo && index + 1 == w->agents;
    slab_ref place = w->place;
    place.runs.stripe = index % w->stripes;
    for (unsigned i = w->first_op[index]; i < w->first_op[index + 1]; i++) {
        if (solo && sim_alone()) {
            w->first_op[index + 1] = i;
            return;
        }
        history_op *op = &w->ops[i];
        if (op->kind == HISTORY_RANGE)
            walk(&place, op);
        else
            w->kind->run(&place, &w->table[op->key / HASH_TABLE_STEP], w->keys[op->key % HASH_TABLE_STEP], op);
    }
}

const sim_structure sim_hash = {"hash", variant_names, sizeof tiny_cases / sizeof tiny_cases[0], prepare, agent,
                                hash_judge, hash_explain, hash_describe, hash_is_latched, hash_forget};
