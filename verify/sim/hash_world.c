/* verify/sim/hash_world.c - scenarios for hash tables: one table, or several that share a pool, as a graph's vertices do.
 *
 * Slabs have few slots here, and keys are chosen by their hashes, so that buckets overflow and tables grow with a few
 * keys. Tables are made ready by somebody who is alone; slabs in the free lists have a past. */
#include <stdlib.h>
#include <string.h>

#include "hash_world.h"

_Thread_local hash_world hash_now;

static const hash_variant *const variants[] = {
    &sim_hash_map32_cuda,  &sim_hash_map64_cuda,  &sim_hash_set32_cuda,  &sim_hash_set64_cuda,
    &sim_hash_map32_plain, &sim_hash_map64_plain, &sim_hash_set32_plain, &sim_hash_set64_plain};
static const char *const variant_names[] = {"cuda32",  "cuda64",  "cuda32_set",  "cuda64_set",
                                            "plain32", "plain64", "plain32_set", "plain64_set", NULL};

enum { NEVER_GROWS = 1 << 30 }; /* load_of_keys */
enum { FIRST_KEY = 0x10000, FIRST_VALUE = 100000, FIRST_VERSION = 4000 }; /* none looks like a slab's id */

/* What operations a scenario has, in percent; the rest are finds. */
typedef struct mix {
    unsigned put, add, erase;
} mix;

static const mix even_mix = {25, 15, 30}, insert_mix = {55, 15, 10}, erase_mix = {15, 5, 50}, look_mix = {10, 5, 10};

static uint64_t fresh_value(void) { return hash_now.kind->values ? FIRST_VALUE + hash_now.next_value++ : 0; }

/* ---- laying out ---- */

static void begin(unsigned tables, uint32_t load_of_keys)
{
    hash_world *w = &hash_now;
    pool_state *pool = sim_reserve(sizeof *pool);
    w->place = (slab_place){.runs = {.pool = pool, .node_bytes = SLAB_BYTES}, .load_of_keys = load_of_keys};
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
static void draw_keys(unsigned count)
{
    hash_world *w = &hash_now;
    uint32_t which = ((uint32_t)1 << sim_draw(4)) - 1, bits = (uint32_t)sim_draw(8);
    unsigned strays = (unsigned)sim_draw(3);
    w->place.seed = (uint32_t)sim_draw(1u << 30);
    w->universe = 0;
    if (sim_draw(8) == 0) w->keys[w->universe++] = 0;
    if (sim_draw(8) == 0) w->keys[w->universe++] = w->kind->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    while (w->universe < count) add_key(sim_draw(1u << 28), bits, sim_draw(4) < strays ? 0 : which);
}

static void do_alone(const slab_place *place, unsigned table, uint8_t kind, unsigned number)
{
    hash_world *w = &hash_now;
    history_op op = {.kind = kind, .value = fresh_value()};
    if (!w->stuck && !w->kind->alone(place, &w->table[table], w->keys[number], &op)) w->stuck = true;
}

/* Keys from..to-1 into the table that there is, without growth. */
static void fill(unsigned table, unsigned from, unsigned to)
{
    hash_world *w = &hash_now;
    slab_place place = w->place;
    hash_counts counts;
    uint64_t seen[HASH_SLABS / 64] = {0}, *load = &w->table[table].load;
    char why[100];
    place.load_of_keys = NEVER_GROWS;
    for (unsigned number = from; number < to && number < w->universe; number++)
        do_alone(&place, table, HISTORY_PUT, number);
    if (w->stuck) return;
    if (!w->place.load_of_keys) *load = *load >> 32 << 32;
    w->kind->ops->check(&place, &w->table[table], seen, &counts, why, sizeof why);
    if (!w->place.load_of_keys) *load += counts.overflow_slabs;
}

/* Somebody has been at work here. */
static void work_on(unsigned table, unsigned times, unsigned puts_percent)
{
    for (; times > 0; times--)
        do_alone(&hash_now.place, table, sim_draw_chance(puts_percent) ? HISTORY_PUT : HISTORY_ERASE,
                 (unsigned)sim_draw(hash_now.universe));
}

/* Slabs in the free lists, whose keys are those of the tables. */
static void recycle(unsigned most)
{
    hash_world *w = &hash_now;
    for (unsigned i = (unsigned)sim_draw(most + 1); i > 0; i--) {
        slab_place place = w->place;
        place.runs.stripe = (uint32_t)sim_draw(w->stripes);
        w->kind->recycle(&place, sim_draw(2) ? 0 : (unsigned)sim_draw(4), FIRST_VERSION + sim_draw(9), w->keys,
                         w->universe);
    }
}

static void settle(void)
{
    hash_now.initial_count = hash_now.stuck ? 0 : hash_find_all(hash_now.initial);
}

/* ---- planning ---- */

static void plan_op(unsigned agent, uint8_t kind, unsigned table, unsigned number)
{
    hash_world *w = &hash_now;
    unsigned *end = &w->first_op[agent + 1];
    if (*end == HASH_OPS) return;
    w->ops[(*end)++] = (history_op){.agent = agent, .kind = kind, .key = table * HASH_TABLE_STEP + number,
                                    .value = fresh_value()};
}

/* Agents are planned one after the other. */
static void begin_agent(unsigned agent)
{
    hash_now.agents = agent + 1;
    hash_now.first_op[agent + 1] = hash_now.first_op[agent];
}

static uint8_t draw_kind(mix mix)
{
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < mix.put) return HISTORY_PUT;
    if ((draw -= mix.put) < mix.add) return HISTORY_ADD;
    return draw - mix.add < mix.erase ? HISTORY_ERASE : HISTORY_FIND;
}

static mix draw_mix(void)
{
    switch (sim_draw(4)) {
    case 0: return insert_mix;
    case 1: return erase_mix;
    case 2: return look_mix;
    default: return even_mix;
    }
}

/* Some keys are asked for more often than others. */
static unsigned draw_number(void)
{
    return (unsigned)sim_draw(sim_draw(3) ? hash_now.universe : (hash_now.universe + 3) / 4);
}

static void plan_agent(unsigned agent, unsigned ops, mix mix)
{
    begin_agent(agent);
    for (; ops > 0; ops--) plan_op(agent, draw_kind(mix), (unsigned)sim_draw(hash_now.tables), draw_number());
}

static void plan_any(unsigned agents, unsigned most_each)
{
    bool same = sim_draw(2);
    mix all = draw_mix();
    for (unsigned a = 0; a < agents; a++) plan_agent(a, 1 + (unsigned)sim_draw(most_each), same ? all : draw_mix());
}

static unsigned few_agents(void) { return 2 + (unsigned)sim_draw(sim_draw(4) ? 3 : 6); }

/* ---- scenarios ---- */

static unsigned slots(void) { return hash_now.kind->slots; }

/* Tables without a first slab, and a pool with a past. */
static void beginning(void)
{
    draw_keys(2 + (unsigned)sim_draw(6));
    recycle(6);
    settle();
    plan_any(few_agents(), 4);
}

/* Buckets with one to three slabs, all full, or nearly. */
static void brimming(void)
{
    unsigned keys = slots() * (1 + (unsigned)sim_draw(3));
    draw_keys(keys + 1 + (unsigned)sim_draw(6));
    recycle(4);
    for (unsigned t = 0; t < hash_now.tables; t++) fill(t, 0, keys - (unsigned)sim_draw(2));
    settle();
    plan_any(few_agents(), 4);
}

static bool is_moving(unsigned table)
{
    const slab_table *t = &hash_now.table[table];
    return t->next > SLAB_NEXT_CLAIMED && slab_root_first(t->next) != slab_root_first(t->root);
}

/* Nobody helps whoever is alone, so tables stay halfway. */
static void moving(void)
{
    hash_world *w = &hash_now;
    draw_keys(4 * slots() + 4 + (unsigned)sim_draw(16));
    recycle(4);
    for (unsigned t = 0; t < w->tables; t++)
        for (unsigned i = 0; i < w->universe && !is_moving(t); i++)
            do_alone(&w->place, t, HISTORY_PUT, i);
    if (sim_draw(2)) work_on((unsigned)sim_draw(w->tables), (unsigned)sim_draw(4), 50);
    settle();
    plan_any(few_agents(), 4);
}

/* Others make tables grow, more than once, and take and return slabs, while somebody comes with an old root. */
static void outpaced(void)
{
    hash_world *w = &hash_now;
    unsigned keys = slots() * (1 + (unsigned)sim_draw(2)), agents = 2 + (unsigned)sim_draw(3);
    draw_keys(6 * slots() + 4);
    recycle(4);
    for (unsigned t = 0; t < w->tables; t++)
        if (sim_draw(4)) fill(t, 0, keys);
    settle();
    for (unsigned a = 0; a < agents; a++) {
        if (a > 0 && sim_draw(3)) {
            plan_agent(a, 1 + (unsigned)sim_draw(2), draw_mix());
            continue;
        }
        unsigned table = (unsigned)sim_draw(w->tables), ops = 4 + (unsigned)sim_draw(12), number = keys;
        begin_agent(a);
        for (; ops > 0; ops--) {
            plan_op(a, sim_draw(8) ? HISTORY_PUT : HISTORY_ERASE, table, number % w->universe);
            number += 1 + (sim_draw(6) == 0);
            if (sim_draw(8) == 0) table = (unsigned)sim_draw(w->tables);
        }
    }
}

/* What one table leaves as it grows is the first slab of another, which two agents begin: one of them in vain. Others
 * come to that slab as to the first table's. */
static void inherited(void)
{
    unsigned keys = slots() + (unsigned)sim_draw(slots() + 1), heirs = hash_now.tables - 1;
    unsigned agents = 3 + (unsigned)sim_draw(2);
    hash_now.stripes = 1;
    draw_keys(keys + 3);
    fill(0, 0, keys);
    settle();
    for (unsigned a = 0; a < agents; a++) {
        bool late = a > 1;
        begin_agent(a);
        for (unsigned i = late; i < 2; i++)
            plan_op(a, late && sim_draw(2) ? HISTORY_FIND : HISTORY_PUT, 0,
                    late ? (unsigned)sim_draw(keys) : keys + (unsigned)sim_draw(3));
        if (late) continue;
        for (unsigned i = 1 + (unsigned)sim_draw(3); i > 0; i--)
            plan_op(a, sim_draw(4) ? HISTORY_ADD : HISTORY_ERASE, 1 + i % heirs, (unsigned)sim_draw(keys));
    }
}

/* A chain whose slabs come and go before the eyes of others: all keys of one slab are erased, and put again. */
static void flicker(void)
{
    hash_world *w = &hash_now;
    unsigned slabs = 2 + (unsigned)sim_draw(2), agents = 2 + (unsigned)sim_draw(3);
    draw_keys(slabs * slots() + 1);
    recycle(3);
    for (unsigned t = 0; t < w->tables; t++) fill(t, 0, slabs * slots());
    settle();
    for (unsigned a = 0; a < agents; a++) {
        unsigned table = (unsigned)sim_draw(w->tables), slab = (unsigned)sim_draw(slabs), looks = 2 + (unsigned)sim_draw(4);
        begin_agent(a);
        if (a > 0 && sim_draw(4)) {
            for (; looks > 0; looks--) plan_op(a, HISTORY_FIND, table, (unsigned)sim_draw(w->universe));
            continue;
        }
        for (unsigned i = 0; i < slots(); i++) plan_op(a, HISTORY_ERASE, table, slab * slots() + i);
        table = (unsigned)sim_draw(w->tables);
        for (unsigned i = 0; i < slots(); i++) plan_op(a, HISTORY_PUT, table, (slab * slots() + i + 1) % w->universe);
    }
}

/* A slot in the middle of a chain that still has the key which was erased there gets another one. */
static void vacancy(void)
{
    hash_world *w = &hash_now;
    unsigned slabs = 2 + (unsigned)sim_draw(2), agents = 2 + (unsigned)sim_draw(2), keys = slabs * slots();
    unsigned erased = slots() + (unsigned)sim_draw(keys - slots());
    draw_keys(keys + 2);
    for (unsigned t = 0; t < w->tables; t++) {
        fill(t, 0, keys);
        do_alone(&w->place, t, HISTORY_ERASE, erased);
    }
    settle();
    for (unsigned a = 0; a < agents; a++) {
        begin_agent(a);
        for (unsigned i = 1 + (unsigned)sim_draw(2); i > 0; i--) {
            bool puts = a == 0 || sim_draw(4) == 0;
            plan_op(a, puts ? HISTORY_PUT : HISTORY_FIND, 0, puts ? keys + (unsigned)sim_draw(2) : erased);
        }
    }
}

static void crowd(void)
{
    draw_keys(2 + (unsigned)sim_draw(12));
    for (unsigned t = 0; t < hash_now.tables; t++) work_on(t, (unsigned)sim_draw(10), 70);
    settle();
    plan_any(8 + (unsigned)sim_draw(HASH_AGENTS - 8 + 1), 3);
}

/* The last agent looks for keys beside the others, whatever they are at: a find waits for nobody. */
static void add_soloist(void)
{
    enum { LOOKS = 200, BUDGET = 4000 };
    hash_world *w = &hash_now;
    unsigned me = w->agents;
    if (me == HASH_AGENTS) return;
    begin_agent(me);
    for (unsigned i = 0; i < LOOKS; i++) plan_op(me, HISTORY_FIND, (unsigned)sim_draw(w->tables), draw_number());
    w->solo = true;
    sim_solo(me, BUDGET, sim_draw(3) ? 256 : 64);
}

/* Agents that have had their roots since before, and come with them to any slab that has ever been used. */
static void add_ghosts(void)
{
    hash_now.ghosts = 1 + (unsigned)sim_draw(2);
    hash_now.ghosts_end = (uint32_t)hash_now.place.runs.pool->next;
    if (hash_now.ghosts_end == HASH_FIRST_ID) hash_now.ghosts = 0;
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

static void draw_scenario(void)
{
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < 8 && hash_now.tables > 1)
        inherited();
    else if (draw < 15)
        beginning();
    else if (draw < 40)
        brimming();
    else if (draw < 60)
        moving();
    else if (draw < 80)
        outpaced();
    else if (draw < 91)
        flicker();
    else if (draw < 98)
        vacancy();
    else
        crowd();
    if (sim_draw(12) == 0)
        add_soloist();
    else if (sim_draw(4) == 0)
        add_ghosts();
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
    begin_agent(a);
    for (; *part; part++) {
        if (*part == ' ' || (*part >= '0' && *part <= '9')) continue;
        unsigned slab = (unsigned)(part[1] - '0'), built = hash_now.universe - 2;
        unsigned number = slab < 8 ? slab * slots() : built + slab - 8;
        if (*part != 'E') plan_op(a, kind_of_letter(*part), 0, number);
        for (unsigned i = 0; *part == 'E' && i < slots(); i++) plan_op(a, HISTORY_ERASE, 0, number + i);
    }
}

static void tiny(unsigned which)
{
    unsigned keys = tiny_cases[which].slabs * slots();
    begin(1, 0);
    hash_now.universe = 0;
    while (hash_now.universe < keys + 2) add_key(0, hash_now.universe & 1, 3); /* two buckets of four */
    fill(0, 0, keys);
    settle();
    for (unsigned a = 0; a < 2; a++) plan_tiny(a, tiny_cases[which].part[a]);
}

/* ---- one schedule ---- */

static unsigned prepare(unsigned variant, int tiny_case)
{
    hash_world *w = &hash_now;
    w->kind = variants[variant];
    w->may_refuse = w->stuck = w->solo = false;
    w->ghosts = 0;
    w->next_value = w->lost_from = w->lost_to = 0;
    w->stripes = 1;
    if (tiny_case >= 0) {
        tiny((unsigned)tiny_case);
        return w->agents;
    }
    bool graph = sim_draw(2);
    begin(graph ? 2 + (unsigned)sim_draw(HASH_TABLES - 1) : 1, graph ? 256u + (uint32_t)sim_draw(1024) : 0);
    w->stripes = 1 + (unsigned)sim_draw(2);
    sim_multiprocessors(1 + (unsigned)sim_draw(4));
    draw_scenario();
    if (sim_draw(4) == 0) limit_pool();
    unsigned ops = w->first_op[w->agents - w->solo];
    sim_expect(80 * (uint64_t)ops);
    return w->agents + w->ghosts;
}

static void agent(unsigned index)
{
    hash_world *w = &hash_now;
    if (index >= w->agents) {
        haunt();
        return;
    }
    bool solo = w->solo && index + 1 == w->agents;
    slab_place place = w->place;
    place.runs.stripe = index % w->stripes;
    for (unsigned i = w->first_op[index]; i < w->first_op[index + 1]; i++) {
        if (solo && sim_alone()) {
            w->first_op[index + 1] = i;
            return;
        }
        history_op *op = &w->ops[i];
        w->kind->run(&place, &w->table[op->key / HASH_TABLE_STEP], w->keys[op->key % HASH_TABLE_STEP], op);
    }
}

const sim_structure sim_hash = {"hash", variant_names, sizeof tiny_cases / sizeof tiny_cases[0], prepare, agent,
                                hash_judge, hash_explain, hash_describe, hash_is_latched, hash_forget};
