/* verify/sim/skiplist/skiplist_world.h - a schedule's skiplist and operations: shared by skiplist_world.c, which builds
 * the skiplist, skiplist_scenarios.c and skiplist_judge.c. */
#ifndef PLEACH_SKIPLIST_WORLD_H
#define PLEACH_SKIPLIST_WORLD_H

#include "../epoch/epoch_sim.h"
#include "skiplist_sim.h"

enum {
    SKIPLIST_AGENTS = 40,
    SKIPLIST_KEYS = 420,
    SKIPLIST_OPS = 420,
    SKIPLIST_STAYS = SKIPLIST_OPS,
    SKIPLIST_CHUNKS = 192, /* ids below */
    SKIPLIST_EPOCH_SLOTS = 8,
    SKIPLIST_EPOCH_RING = 6,
    SKIPLIST_LINE_WORDS = 8 /* at least PORT_LINE_WORDS */
};

typedef struct skiplist_world {
    const skiplist_variant *list;
    map_ref place;
    size_t chunk_bytes;
    unsigned capacity; /* pairs of a chunk */
    unsigned agents;
    bool arrays;     /* agents make array calls */
    bool owned;      /* each agent has keys of its own, next to the others' */
    bool may_refuse; /* the pool is small */
    bool some_low;   /* when the agents begin, not all chunks are raised */
    bool stuck;      /* before the agents began */
    bool ebbs;       /* agents only erase: each looks at what it leaves, so no empty chunk is left */
    bool solo;       /* the last agent makes finds beside those who stand still */
    unsigned as_one; /* percent of stays */
    unsigned longest_stay;
    history_pair initial[SKIPLIST_KEYS], last[SKIPLIST_KEYS];
    size_t initial_count;
    unsigned universe;    /* keys that operations choose from */
    unsigned from, width; /* the part of it that they do choose from */
    unsigned first_op[SKIPLIST_AGENTS + 1], first_stay[SKIPLIST_AGENTS + 1];
    history_op ops[SKIPLIST_OPS];
    skiplist_stay stays[SKIPLIST_STAYS];
    history_pair pairs[SKIPLIST_OPS * MAP_RANGE_ROOM];
    uint64_t next_value, first_value;
    history history;
    bool bad_history; /* the last schedule's */
    history_checker *checker;
} skiplist_world;

extern _Thread_local skiplist_world skiplist_now;

/* ---- before agents run (skiplist_world.c) ---- */

/* The key of this number: 0 has the smallest key there is, and the universe's last number the largest. */
uint64_t skiplist_key(unsigned number);
/* Never the same twice in a schedule. */
uint64_t skiplist_fresh_value(void);
/* Builds a skiplist of `count` keys: every `stride`-th number from `first` on. */
void skiplist_build(unsigned first, unsigned stride, unsigned count, double fill);
/* An update while no agent runs. Sets `stuck` if it does not end. */
void skiplist_do_exclusive(uint8_t kind, unsigned number);
/* Records what the skiplist holds when the agents begin. */
void skiplist_settle(void);

/* The pairs that the skiplist has, in the order of their keys, if it has at most SKIPLIST_KEYS; returns how many it
 * has. */
size_t skiplist_export(history_pair *pairs);
unsigned skiplist_slot_words(void);
uint64_t *skiplist_chunk_at(uint64_t id);
uint64_t *skiplist_header_at(uint64_t id);

/* ---- what agents do (skiplist_scenarios.c) ---- */

/* Fills in an operation of the schedule's array `ops`. */
void skiplist_plan_op(history_op *op, unsigned agent, uint8_t kind, uint64_t key);
void skiplist_draw_scenario(void);

/* ---- afterwards (skiplist_judge.c) ---- */

bool skiplist_judge(char *why, size_t size, sim_checked *checked);
void skiplist_explain(FILE *out);
void skiplist_describe(uint32_t word, uint64_t value, char *text, size_t size);
bool skiplist_is_latched(uint32_t word, uint64_t value);
void skiplist_forget(void);

#endif
