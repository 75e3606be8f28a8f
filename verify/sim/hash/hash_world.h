/* verify/sim/hash/hash_world.h - a schedule's tables, keys and operations: between hash_world.c, which lays them out,
 * hash_scenarios.c and hash_judge.c. */
#ifndef PLEACH_HASH_WORLD_H
#define PLEACH_HASH_WORLD_H

#include "hash_sim.h"

enum {
    HASH_AGENTS = 24,
    HASH_TABLES = 4,
    HASH_KEYS = 40,
    HASH_OPS = 360,
    HASH_WALKS = 16,
    HASH_SLABS = 512,    /* ids below */
    HASH_FIRST_ID = 160, /* flags and slots of a header, and small counts, are no ids, nor taken for such */
    HASH_TABLE_STEP = 64 /* a key's number in a history is its number here + this * the table's */
};

typedef struct hash_world {
    const hash_variant *kind;
    slab_ref place;
    slab_table *table; /* an array */
    unsigned tables, agents, stripes;
    unsigned ghosts; /* so many agents more, who come late to slabs below ghosts_end */
    uint32_t ghosts_end;
    bool may_refuse; /* the pool is small */
    bool stuck;      /* before the agents began */
    bool solo;       /* the last agent makes finds beside those who stand still */
    uint64_t keys[HASH_KEYS];
    unsigned universe;
    uint64_t passed_from, passed_to; /* ids that the pool passed by while it was full */
    uint64_t next_value;
    history_pair initial[HASH_TABLES * HASH_KEYS], last[HASH_TABLES * HASH_KEYS];
    size_t initial_count;
    unsigned first_op[HASH_AGENTS + 1];
    history_op ops[HASH_OPS];
    history_pair pairs[HASH_WALKS * HASH_KEYS]; /* what walks have seen */
    unsigned walks;
    history history;
    bool bad_history; /* the last schedule's */
    history_checker *checker;
} hash_world;

extern _Thread_local hash_world hash_now;

uint64_t hash_fresh_value(void);
unsigned hash_slots(void);

/* ---- before agents run (hash_world.c) ---- */

/* So many keys. Most of them are in one bucket until there are so many buckets, the others anywhere. */
void hash_draw_keys(unsigned count);
/* By somebody who is alone, and does not help. */
void hash_do_exclusive(const slab_ref *place, unsigned table, uint8_t kind, unsigned number);
/* Keys from..to-1 into the table that there is, without growth. */
void hash_fill(unsigned table, unsigned from, unsigned to);
/* Somebody has been at work here. */
void hash_work_on(unsigned table, unsigned times, unsigned puts_percent);
/* Slabs in the free lists, whose keys are those of the tables. */
void hash_recycle(unsigned most);
/* What the agents find. */
void hash_settle(void);

/* ---- what agents do (hash_scenarios.c) ---- */

/* Agents are planned one after the other. */
void hash_begin_agent(unsigned agent);
void hash_plan_op(unsigned agent, uint8_t kind, unsigned table, unsigned number);
void hash_draw_scenario(void);

/* ---- afterwards (hash_judge.c) ---- */

/* The pairs of all tables, as finds by somebody who is alone see them; answers how many. */
size_t hash_find_all(history_pair *pairs);

bool hash_judge(char *why, size_t size, sim_checked *checked);
void hash_explain(FILE *out);
void hash_describe(uint32_t word, uint64_t value, char *text, size_t size);
bool hash_is_latched(uint32_t word, uint64_t value);
void hash_forget(void);

#endif
