/* verify/sim/pool/pool_world.c - agents take and return nodes. No node may be in two hands, or get lost. */
#include <string.h>

#include "pool_sim.h"

enum { MOST_NODES = 40, MOST_AGENTS = 24, MOST_HELD = 8, NOBODY = 255 };

static const pool_variant *const variants[] = {&sim_pool_cuda, &sim_pool_plain};
static const char *const variant_names[] = {"cuda", "plain", NULL};

typedef struct world {
    const pool_variant *pool;
    pool_state *state;
    void *nodes;
    unsigned agents, steps, stripes; /* of the free lists that agents use: few, so that they meet */
    bool grows;
    uint8_t owner[MOST_NODES];
} world;

static _Thread_local world w;

static const struct {
    unsigned nodes, steps, returned;
} tiny_cases[] = {{3, 1, 2}, {2, 2, 1}, {4, 2, 2}}; /* two agents; so many nodes in the free list at the start */

/* Puts the first ids into free list 0, as if they had been taken and returned. */
static void start_returned(unsigned count)
{
    for (unsigned id = 1; id <= count; id++) {
        *(uint64_t *)((char *)w.nodes + (size_t)id * POOL_NODE_BYTES) = id - 1;
        w.state->free[0].head = ((w.state->free[0].head >> 32) + 1) << 32 | id;
    }
    w.state->next = 1 + count;
}

static unsigned prepare(unsigned variant, int tiny)
{
    w.pool = variants[variant];
    memset(w.owner, NOBODY, sizeof w.owner);
    w.state = sim_reserve(sizeof *w.state);
    w.nodes = sim_reserve((size_t)MOST_NODES * POOL_NODE_BYTES);
    sim_nodes(w.nodes, POOL_NODE_BYTES, MOST_NODES);
    w.state->next = 1;
    if (tiny >= 0) {
        w.agents = 2;
        w.steps = tiny_cases[tiny].steps;
        w.stripes = 1;
        w.grows = false;
        w.state->capacity = 1 + tiny_cases[tiny].nodes;
        start_returned(tiny_cases[tiny].returned);
        return w.agents;
    }
    w.agents = 2 + (unsigned)sim_draw(sim_draw(8) ? 5 : MOST_AGENTS - 1);
    w.steps = 1 + (unsigned)sim_draw(10);
    w.stripes = 1 + (unsigned)sim_draw(3);
    w.grows = sim_draw(4) == 0;
    w.state->capacity = 2 + sim_draw(w.grows ? MOST_NODES / 2 : MOST_NODES - 2);
    start_returned((unsigned)sim_draw(w.state->capacity));
    return w.agents;
}

static void take_one(unsigned me, unsigned stripe, uint32_t *held, unsigned *count)
{
    sim_operation_begin();
    uint32_t id = w.pool->take(w.state, w.nodes, stripe);
    if (id != 0) {
        if (id >= MOST_NODES || id >= w.state->capacity) sim_fail("P2: id %u has no memory behind it", id);
        if (w.owner[id] != NOBODY)
            sim_fail("P1: id %u was given to agent %u, and agent %u has it", id, me, w.owner[id]);
        w.owner[id] = (uint8_t)me;
        w.pool->mark(w.nodes, id, 0x700000u + me);
        held[(*count)++] = id;
    }
    sim_operation_end(1);
}

static void give_one(unsigned me, unsigned stripe, uint32_t id)
{
    sim_operation_begin();
    if (!w.pool->is_marked(w.nodes, id, 0x700000u + me)) sim_fail("agent %u's node %u was written to", me, id);
    w.owner[id] = NOBODY;
    w.pool->give(w.state, w.nodes, stripe, id);
    sim_operation_end(1);
}

static void agent(unsigned me)
{
    uint32_t held[MOST_HELD];
    unsigned count = 0, stripe = me % w.stripes;
    if (w.grows && me == 0) {
        sim_operation_begin();
        w.pool->grow(w.state, MOST_NODES / 4);
        sim_operation_end(1);
    }
    for (unsigned i = 0; i < w.steps; i++) {
        if (count < MOST_HELD && (count == 0 || sim_draw(2)))
            take_one(me, stripe, held, &count);
        else
            give_one(me, stripe, held[--count]);
    }
    while (count > 0) give_one(me, stripe, held[--count]);
}

/* One agent by itself gets every free node before it is told that there is none, whatever list they are in. */
static bool nothing_is_refused(uint64_t expected, char *why, size_t size)
{
    uint64_t taken = 0;
    while (w.pool->take(w.state, w.nodes, w.stripes) != 0) taken++;
    if (taken == expected) return true;
    snprintf(why, size, "%llu nodes are free, %llu could be taken", (unsigned long long)expected,
             (unsigned long long)taken);
    return false;
}

/* Everybody has returned everything: each id that was ever handed out is in exactly one free list. */
static bool judge(char *why, size_t size, sim_checked *checked)
{
    bool listed[MOST_NODES] = {false};
    unsigned count = 0;
    uint64_t used = w.state->next < w.state->capacity ? w.state->next : w.state->capacity, skipped = 0;
    for (unsigned stripe = 0; stripe < POOL_STRIPES; stripe++) {
        for (uint64_t id = (uint32_t)w.state->free[stripe].head; id != 0; count++) {
            if (id >= used || listed[id]) {
                snprintf(why, size, "P1: id %llu is in a free list twice, or was never handed out",
                         (unsigned long long)id);
                return false;
            }
            listed[id] = true;
            id = *(uint64_t *)((char *)w.nodes + id * POOL_NODE_BYTES);
        }
    }
    /* P3: ids may be skipped if the pool has grown while agents raced for the last node. */
    if (w.grows) skipped = used - 1 - count <= w.agents * w.steps ? used - 1 - count : 0;
    (void)checked; /* answers are judged as they come */
    if (count + skipped == used - 1) return nothing_is_refused(count + w.state->capacity - used, why, size);
    snprintf(why, size, "P1: %llu ids were handed out, %u are in the free lists", (unsigned long long)used - 1, count);
    return false;
}

static void describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    size_t offset = word * 8u;
    unsigned long long v = value;
    if (offset == offsetof(pool_state, next))
        snprintf(text, size, "next id = %llu", v);
    else if (offset == offsetof(pool_state, capacity))
        snprintf(text, size, "capacity = %llu", v);
    else if (offset < sizeof(pool_state))
        snprintf(text, size, "free list %zu = node %u, tag %u", (offset - offsetof(pool_state, free)) / 64,
                 (unsigned)value, (unsigned)(value >> 32));
    else
        snprintf(text, size, "node %zu word %zu = %llx", (offset - sizeof(pool_state)) / POOL_NODE_BYTES,
                 offset / 8 % POOL_NODE_WORDS, v);
}

static bool is_latched(uint32_t word, uint64_t value)
{
    (void)word;
    (void)value;
    return false; /* the pool has no latches */
}

const sim_structure sim_pool = {"pool", variant_names, sizeof tiny_cases / sizeof tiny_cases[0], prepare, agent,
                                judge, NULL, describe, is_latched, NULL};
