/* verify/sim/hash/hash_scenarios.c - what tables a schedule of hash tables begins with, and who does what. */
#include "hash_world.h"

/* What operations a scenario has, in percent; the rest are finds. */
typedef struct mix {
    unsigned put, add, erase;
} mix;

static const mix even_mix = {25, 15, 30}, insert_mix = {55, 15, 10}, erase_mix = {15, 5, 50}, look_mix = {10, 5, 10};

/* ---- planning ---- */

void hash_plan_op(unsigned agent, uint8_t kind, unsigned table, unsigned number)
{
    hash_world *w = &hash_now;
    unsigned *end = &w->first_op[agent + 1];
    if (*end == HASH_OPS) return;
    w->ops[(*end)++] = (history_op){.agent = agent, .kind = kind, .key = table * HASH_TABLE_STEP + number,
                                    .value = hash_fresh_value()};
}

/* Agents are planned one after the other. */
void hash_begin_agent(unsigned agent)
{
    hash_now.agents = agent + 1;
    hash_now.first_op[agent + 1] = hash_now.first_op[agent];
}

/* All keys of a table, each at an instant of its own. */
static void plan_walk(unsigned agent, unsigned table)
{
    hash_world *w = &hash_now;
    if (w->walks == HASH_WALKS || w->first_op[agent + 1] == HASH_OPS) return;
    hash_plan_op(agent, HISTORY_RANGE, table, 0);
    history_op *op = &w->ops[w->first_op[agent + 1] - 1];
    op->high = op->key + HASH_TABLE_STEP - 1;
    op->pairs = HASH_KEYS * w->walks++;
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
    hash_begin_agent(agent);
    for (; ops > 0; ops--) {
        unsigned table = (unsigned)sim_draw(hash_now.tables);
        if (sim_draw(16) == 0) plan_walk(agent, table);
        hash_plan_op(agent, draw_kind(mix), table, draw_number());
    }
}

static void plan_any(unsigned agents, unsigned most_each)
{
    bool same = sim_draw(2);
    mix all = draw_mix();
    for (unsigned a = 0; a < agents; a++) plan_agent(a, 1 + (unsigned)sim_draw(most_each), same ? all : draw_mix());
}

static unsigned few_agents(void) { return 2 + (unsigned)sim_draw(sim_draw(4) ? 3 : 6); }

/* ---- scenarios ---- */

/* Tables without a first slab, and a pool with a past. */
static void beginning(void)
{
    hash_draw_keys(2 + (unsigned)sim_draw(6));
    hash_recycle(6);
    hash_settle();
    plan_any(few_agents(), 4);
}

/* Buckets with one to three slabs, all full, or nearly. */
static void brimming(void)
{
    unsigned keys = hash_slots() * (1 + (unsigned)sim_draw(3));
    hash_draw_keys(keys + 1 + (unsigned)sim_draw(6));
    hash_recycle(4);
    for (unsigned t = 0; t < hash_now.tables; t++) hash_fill(t, 0, keys - (unsigned)sim_draw(2));
    hash_settle();
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
    hash_draw_keys(4 * hash_slots() + 4 + (unsigned)sim_draw(16));
    hash_recycle(4);
    for (unsigned t = 0; t < w->tables; t++)
        for (unsigned i = 0; i < w->universe && !is_moving(t); i++)
            hash_do_exclusive(&w->place, t, HISTORY_PUT, i);
    if (sim_draw(2)) hash_work_on((unsigned)sim_draw(w->tables), (unsigned)sim_draw(4), 50);
    hash_settle();
    plan_any(few_agents(), 4);
}

/* The run that one table leaves is what others grow to, at once. */
static void relay(void)
{
    hash_world *w = &hash_now;
    unsigned keys = hash_slots() * 2, agents = 2 + (unsigned)sim_draw(2);
    w->stripes = 1;
    hash_draw_keys(6 * hash_slots() + 2);
    for (unsigned i = 0; i < w->universe && !is_moving(0); i++) hash_do_exclusive(&w->place, 0, HISTORY_PUT, i);
    for (unsigned t = 1; t < w->tables; t++) hash_fill(t, 0, keys);
    hash_settle();
    for (unsigned a = 0; a < agents; a++) {
        hash_begin_agent(a);
        for (unsigned i = 1 + (unsigned)sim_draw(2); i > 0; i--) hash_plan_op(a, HISTORY_PUT, 0, draw_number());
        for (unsigned i = 1 + (unsigned)sim_draw(3); i > 0; i--)
            hash_plan_op(a, sim_draw(3) ? HISTORY_PUT : HISTORY_FIND, 1 + i % (w->tables - 1),
                         (unsigned)sim_draw(w->universe));
    }
}

/* The first key that is in a bucket of the first table which has moved, or in one which has not. */
static unsigned number_in(bool moved)
{
    hash_world *w = &hash_now;
    unsigned number = 0;
    for (; number + 1 < w->universe; number++) {
        uint32_t id = slab_bucket(w->table[0].root, w->kind->hash(&w->place, w->keys[number]));
        if (((slab_at(&w->place, id)->word[SLAB_HEADER] & SLAB_MOVED) != 0) == moved) break;
    }
    return number;
}

/* An agent sets out to help a table that grows, and is held back when it has looked at the root. Another one ends that
 * growth, makes the run that is left a part of a second table, and begins the next growth of the first. */
static void overtaken(void)
{
    hash_world *w = &hash_now;
    unsigned keys = hash_slots() * 2, first = 0;
    w->stripes = 1;
    hash_draw_keys(6 * hash_slots() + 2);
    for (; first < w->universe && !is_moving(0); first++) hash_do_exclusive(&w->place, 0, HISTORY_PUT, first);
    for (unsigned t = 1; t < w->tables; t++) hash_fill(t, 0, keys);
    hash_settle();
    hash_begin_agent(0);
    hash_plan_op(0, HISTORY_PUT, 0, number_in(true));
    hash_begin_agent(1);
    hash_plan_op(1, number_in(false) < first ? HISTORY_ERASE : HISTORY_PUT, 0, number_in(false));
    hash_plan_op(1, HISTORY_PUT, 1, keys);
    for (unsigned i = 0; i < w->universe; i++) hash_plan_op(1, HISTORY_PUT, 0, i);
    hash_begin_agent(2);
    for (unsigned i = 1 + (unsigned)sim_draw(4); i > 0; i--)
        hash_plan_op(2, HISTORY_FIND, 1, (unsigned)sim_draw(w->universe));
    /* `next` is stored to when growth ends, when the next one is claimed, and when that begins. */
    sim_hold(0, &w->table[0].root, 5 + (unsigned)sim_draw(4), &w->table[0].next, 3);
}

/* Others make tables grow, more than once, and take and return slabs, while somebody comes with an old root. */
static void outpaced(void)
{
    hash_world *w = &hash_now;
    unsigned keys = hash_slots() * (1 + (unsigned)sim_draw(2)), agents = 2 + (unsigned)sim_draw(3);
    hash_draw_keys(6 * hash_slots() + 4);
    hash_recycle(4);
    for (unsigned t = 0; t < w->tables; t++)
        if (sim_draw(4)) hash_fill(t, 0, keys);
    hash_settle();
    for (unsigned a = 0; a < agents; a++) {
        if (a > 0 && sim_draw(3)) {
            plan_agent(a, 1 + (unsigned)sim_draw(2), draw_mix());
            continue;
        }
        unsigned table = (unsigned)sim_draw(w->tables), ops = 4 + (unsigned)sim_draw(12), number = keys;
        hash_begin_agent(a);
        for (; ops > 0; ops--) {
            hash_plan_op(a, sim_draw(8) ? HISTORY_PUT : HISTORY_ERASE, table, number % w->universe);
            number += 1 + (sim_draw(6) == 0);
            if (sim_draw(8) == 0) table = (unsigned)sim_draw(w->tables);
        }
    }
}

/* What one table leaves as it grows is the first slab of another, which two agents begin: one of them in vain. Others
 * come to that slab as to the first table's. */
static void inherited(void)
{
    unsigned keys = hash_slots() + (unsigned)sim_draw(hash_slots() + 1), heirs = hash_now.tables - 1;
    unsigned agents = 3 + (unsigned)sim_draw(2);
    hash_now.stripes = 1;
    hash_draw_keys(keys + 3);
    hash_fill(0, 0, keys);
    hash_settle();
    for (unsigned a = 0; a < agents; a++) {
        bool late = a > 1;
        hash_begin_agent(a);
        for (unsigned i = late; i < 2; i++)
            hash_plan_op(a, late && sim_draw(2) ? HISTORY_FIND : HISTORY_PUT, 0,
                    late ? (unsigned)sim_draw(keys) : keys + (unsigned)sim_draw(3));
        if (late) continue;
        for (unsigned i = 1 + (unsigned)sim_draw(3); i > 0; i--)
            hash_plan_op(a, sim_draw(4) ? HISTORY_ADD : HISTORY_ERASE, 1 + i % heirs, (unsigned)sim_draw(keys));
    }
}

/* A chain whose slabs come and go before the eyes of others: all keys of one slab are erased, and put again. */
static void flicker(void)
{
    hash_world *w = &hash_now;
    unsigned slabs = 2 + (unsigned)sim_draw(2), agents = 2 + (unsigned)sim_draw(3);
    hash_draw_keys(slabs * hash_slots() + 1);
    hash_recycle(3);
    for (unsigned t = 0; t < w->tables; t++) hash_fill(t, 0, slabs * hash_slots());
    hash_settle();
    for (unsigned a = 0; a < agents; a++) {
        unsigned table = (unsigned)sim_draw(w->tables), first = (unsigned)sim_draw(slabs) * hash_slots();
        unsigned looks = 2 + (unsigned)sim_draw(4);
        hash_begin_agent(a);
        if (a > 0 && sim_draw(4)) {
            for (; looks > 0; looks--) hash_plan_op(a, HISTORY_FIND, table, (unsigned)sim_draw(w->universe));
            continue;
        }
        for (unsigned i = 0; i < hash_slots(); i++) hash_plan_op(a, HISTORY_ERASE, table, first + i);
        table = (unsigned)sim_draw(w->tables);
        for (unsigned i = 0; i < hash_slots(); i++)
            hash_plan_op(a, HISTORY_PUT, table, (first + i + 1) % w->universe);
    }
}

/* A slot in the middle of a chain that still has the key which was erased there gets another one. */
static void vacancy(void)
{
    hash_world *w = &hash_now;
    unsigned slabs = 2 + (unsigned)sim_draw(2), agents = 2 + (unsigned)sim_draw(2), keys = slabs * hash_slots();
    unsigned erased = hash_slots() + (unsigned)sim_draw(keys - hash_slots());
    hash_draw_keys(keys + 2);
    for (unsigned t = 0; t < w->tables; t++) {
        hash_fill(t, 0, keys);
        hash_do_exclusive(&w->place, t, HISTORY_ERASE, erased);
    }
    hash_settle();
    for (unsigned a = 0; a < agents; a++) {
        hash_begin_agent(a);
        for (unsigned i = 1 + (unsigned)sim_draw(2); i > 0; i--) {
            bool puts = a == 0 || sim_draw(4) == 0;
            hash_plan_op(a, puts ? HISTORY_PUT : HISTORY_FIND, 0, puts ? keys + (unsigned)sim_draw(2) : erased);
        }
    }
}

static void crowd(void)
{
    hash_draw_keys(2 + (unsigned)sim_draw(12));
    for (unsigned t = 0; t < hash_now.tables; t++) hash_work_on(t, (unsigned)sim_draw(10), 70);
    hash_settle();
    plan_any(8 + (unsigned)sim_draw(HASH_AGENTS - 8 + 1), 3);
}

/* The last agent looks for keys beside the others, whatever they are at: a find waits for nobody. */
static void add_soloist(void)
{
    enum { LOOKS = 200, BUDGET = 4000 };
    hash_world *w = &hash_now;
    unsigned me = w->agents;
    if (me == HASH_AGENTS) return;
    hash_begin_agent(me);
    for (unsigned i = 0; i < LOOKS; i++) hash_plan_op(me, HISTORY_FIND, (unsigned)sim_draw(w->tables), draw_number());
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

void hash_draw_scenario(void)
{
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < 8 && hash_now.tables > 1)
        inherited();
    else if (draw < 15)
        beginning();
    else if (draw < 40)
        brimming();
    else if (draw < 46 && hash_now.tables > 1)
        relay();
    else if (draw < 60 && (draw < 57 || hash_now.tables == 1))
        moving();
    else if (draw < 60)
        overtaken();
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
