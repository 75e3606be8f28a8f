/* test_sim.c - the simulator itself: its memory shows every weakness that it should, and none that it should not; it
 * notices what must be noticed; and a schedule is repeated by its name.
 *
 * The first part is litmus tests: tiny programs of two to four agents whose results are collected over many schedules.
 * The set of results must be exactly the one that the model in verify/sim/sim.h allows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port/port_sim.h"
#include "testkit/harness.h"
#include "testkit/units.h"
#include "verify/sim/campaign.h"
#include "verify/sim/machine.h"
#include "verify/sim/plain.h"

enum { RELAXED = __ATOMIC_RELAXED, ACQUIRE = __ATOMIC_ACQUIRE, RELEASE = __ATOMIC_RELEASE, SEQ = __ATOMIC_SEQ_CST };
enum { LITMUS_SCHEDULES = 20000, LATE_SCHEDULES = 3000, FEW_SCHEDULES = 100, LITMUS_NODES = 4 };

static uint64_t *x, *y;  /* on cache lines of their own */
static uint64_t *nodes;  /* LITMUS_NODES of 64 bytes; x and y are outside */
static uint64_t r[4][2]; /* what agents read */
static uint64_t box[2];  /* plain memory, watched in some cases; the second word must be written first */
static bool watching;

/* ---- litmus tests ---- */

typedef struct litmus {
    unsigned agents;
    void (*body)(unsigned agent);
    unsigned (*result)(void);
    uint64_t allowed; /* bit n: result n */
    uint64_t late;    /* those of them that take a load after a later store (promise.c) */
} litmus;

static const litmus *running;
static uint64_t results;

static const char *name_of_box(size_t offset)
{
    (void)offset;
    return "the box";
}

static unsigned litmus_prepare(unsigned variant, int tiny)
{
    (void)variant;
    (void)tiny;
    x = sim_reserve(64);
    y = sim_reserve(64);
    nodes = sim_reserve((size_t)LITMUS_NODES * 64);
    sim_nodes(nodes, 64, LITMUS_NODES);
    memset(r, 0, sizeof r);
    if (watching) {
        sim_watch(box, sizeof box, name_of_box);
        sim_watch_empty(&box[1], sizeof box[1]);
    }
    return running->agents;
}

static void litmus_agent(unsigned index)
{
    sim_operation_begin();
    running->body(index);
    sim_operation_end(1);
}

static bool litmus_judge(char *why, size_t size, sim_checked *checked)
{
    (void)why;
    (void)size;
    checked->histories++;
    results |= (uint64_t)1 << running->result();
    return true;
}

static void litmus_describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    snprintf(text, size, "word %u = %llu", word, (unsigned long long)value);
}

static bool nothing_latched(uint32_t word, uint64_t value)
{
    (void)word;
    (void)value;
    return false;
}

static const char *const litmus_variants[] = {"any", NULL};
static const sim_structure litmus_structure = {"litmus",     litmus_variants, 1, litmus_prepare,  litmus_agent,
                                               litmus_judge, NULL,            litmus_describe, nothing_latched,
                                               NULL};

/* Sanitizers make each jump between agents very slow; a reduced run looks for forbidden results only. */
static bool in_full(void) { return shrunk(100, 1) == 100; }

static uint64_t results_of(const litmus *l, sim_strategy strategy, bool late)
{
    sim_machine *m = machine_create();
    size_t schedules = !in_full() ? FEW_SCHEDULES : late ? LATE_SCHEDULES : LITMUS_SCHEDULES;
    sim_checked checked = {0};
    assert_non_null(m);
    running = l;
    results = 0;
    m->strategy = strategy;
    for (size_t i = 0; i < schedules; i++) {
        m->random = 0x1234567u + i;
        assert_true((late ? machine_run_late : machine_run)(m, &litmus_structure, 0, -1, &checked));
    }
    machine_destroy(m);
    return results;
}

/* All schedules with few preemptions and weak accesses. */
static uint64_t all_results_of(const litmus *l, unsigned preemptions, unsigned weakness)
{
    sim_machine *m = machine_create();
    FREED choices *c = calloc(1, sizeof *c);
    sim_checked checked = {0};
    assert_non_null(m);
    assert_non_null(c);
    running = l;
    results = 0;
    m->strategy = SIM_EXHAUSTIVE;
    m->exhaustive = c;
    c->most_preemptions = preemptions;
    c->most_weakness = weakness;
    do
        assert_true(machine_run(m, &litmus_structure, 0, 0, &checked));
    while (choices_next(c));
    machine_destroy(m);
    return results;
}

static unsigned two_bits(void) { return (unsigned)(2 * r[1][0] + r[1][1]); }
static unsigned two_readers(void) { return (unsigned)(2 * r[0][0] + r[1][0]); }

/* Message passing: agent 0 stores x, then y; agent 1 loads y, then x. Result 2 is the new y with the old x. */
#define MESSAGE(name, between_stores, store_order, load_order, between_loads)                                    \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        if (agent == 0) {                                                                                        \
            sim_store(x, 1, RELAXED);                                                                            \
            between_stores;                                                                                      \
            sim_store(y, 1, store_order);                                                                        \
        } else {                                                                                                 \
            r[1][0] = sim_load(y, load_order, SIM_gpu);                                                          \
            between_loads;                                                                                       \
            r[1][1] = sim_load(x, RELAXED, SIM_gpu);                                                             \
        }                                                                                                        \
    }

MESSAGE(message_relaxed, (void)0, RELAXED, RELAXED, (void)0)
MESSAGE(message_released, (void)0, RELEASE, RELAXED, (void)0)
MESSAGE(message_acquired, (void)0, RELAXED, ACQUIRE, (void)0)
MESSAGE(message_both, (void)0, RELEASE, ACQUIRE, (void)0)
MESSAGE(message_fences, sim_fence(RELEASE, SIM_gpu), RELAXED, RELAXED, sim_fence(ACQUIRE, SIM_gpu))
MESSAGE(message_cta_fence, (void)0, RELEASE, RELAXED, sim_fence(__ATOMIC_ACQ_REL, SIM_cta))
MESSAGE(message_cta_release, sim_fence(RELEASE, SIM_cta), RELAXED, ACQUIRE, (void)0)
MESSAGE(message_branch, (void)0, RELEASE, RELAXED, sim_after_branch())

/* Store buffering: each stores to its own word and loads the other's. Result 0: neither sees the other. */
#define BUFFERING(name, store_order, load_order)                                                                 \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        sim_store(agent ? y : x, 1, store_order);                                                                \
        r[agent][0] = sim_load(agent ? x : y, load_order, SIM_gpu);                                              \
    }
BUFFERING(buffering_relaxed, RELAXED, RELAXED)
BUFFERING(buffering_acq_rel, RELEASE, ACQUIRE)
BUFFERING(buffering_seq_cst, SEQ, SEQ)

/* One agent's barrier is a fence of both between store and load, if the compiler keeps the other agent's store before its
 * load. */
#define BUFFERING_BARRIER(name, order)                                                                                  \
    static void name(unsigned agent)                                                                                    \
    {                                                                                                                   \
        sim_store(agent ? y : x, 1, RELAXED);                                                                           \
        sim_compiler_fence(order);                                                                                      \
        if (agent) sim_barrier();                                                                                       \
        r[agent][0] = sim_load(agent ? x : y, RELAXED, SIM_gpu);                                                        \
    }
BUFFERING_BARRIER(buffering_barrier, SEQ)
BUFFERING_BARRIER(buffering_barrier_acq_rel, __ATOMIC_ACQ_REL)

/* Before the store it is none. */
static void buffering_early_barrier(unsigned agent)
{
    if (agent) sim_barrier();
    sim_store(agent ? y : x, 1, RELAXED);
    sim_compiler_fence(SEQ);
    r[agent][0] = sim_load(agent ? x : y, RELAXED, SIM_gpu);
}

/* The same with an addition instead of the store, as a CPU makes it. */
#define ADDING(name, order)                                                                                      \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        sim_fetch_add(agent ? y : x, 1, order, false);                                                           \
        r[agent][0] = sim_load(agent ? x : y, order, SIM_gpu);                                                   \
    }
ADDING(adding_acquire, ACQUIRE)
ADDING(adding_acq_rel, __ATOMIC_ACQ_REL)
ADDING(adding_seq_cst, SEQ)

/* Sequentially consistent accesses are ordered with each other alone: one of the two is no fence. */
#define HALF(name, store, load)                                                                                  \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        store;                                                                                                   \
        r[agent][0] = sim_load(agent ? x : y, load, SIM_gpu);                                                    \
    }
HALF(half_store, sim_store(agent ? y : x, 1, SEQ), ACQUIRE)
HALF(half_add, sim_fetch_add(agent ? y : x, 1, SEQ, false), ACQUIRE)
HALF(half_load, sim_store(agent ? y : x, 1, RELEASE), SEQ)

/* One word never goes back. */
static void same_word(unsigned agent)
{
    if (agent == 0) {
        sim_store(x, 1, RELAXED);
        return;
    }
    r[1][0] = sim_load(x, RELAXED, SIM_gpu);
    r[1][1] = sim_load(x, RELAXED, SIM_gpu);
}

/* An agent sees its own store at once, and it lands in order. */
static void own_store(unsigned agent)
{
    if (agent != 1) return;
    sim_store(x, 0, RELAXED);
    sim_store(x, 1, RELAXED);
    r[1][0] = sim_load(x, RELAXED, SIM_gpu);
    sim_fence(RELEASE, SIM_gpu);
    r[1][1] = sim_load(x, RELAXED, SIM_gpu);
}

/* Each agent loads one word and then stores to the other: both loads may see the stores (result 3), if nothing orders
 * loads before later stores. */
#define LOAD_BUFFERING(name, load, between, store)                                                               \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        r[agent][0] = sim_load(agent ? x : y, load, SIM_gpu);                                                    \
        between;                                                                                                 \
        sim_store(agent ? y : x, 1, store);                                                                      \
    }
LOAD_BUFFERING(load_buffering, RELAXED, (void)0, RELAXED)
LOAD_BUFFERING(load_buffering_acquire, ACQUIRE, (void)0, RELAXED)
LOAD_BUFFERING(load_buffering_release, RELAXED, (void)0, RELEASE)
LOAD_BUFFERING(load_buffering_fence, RELAXED, sim_fence(ACQUIRE, SIM_gpu), RELAXED)
LOAD_BUFFERING(load_buffering_publish, RELAXED, sim_fence(RELEASE, SIM_gpu), RELAXED)
LOAD_BUFFERING(load_buffering_cta, RELAXED, sim_fence(__ATOMIC_ACQ_REL, SIM_cta), RELAXED)
LOAD_BUFFERING(load_buffering_branch, RELAXED, sim_after_branch(), RELAXED)

static void load_buffering_barrier(unsigned agent)
{
    r[agent][0] = sim_load(agent ? x : y, RELAXED, SIM_gpu);
    if (agent) sim_barrier();
    sim_store(agent ? y : x, 1, RELAXED);
}

/* What is stored is what was loaded, or depends on it: the load comes first, and no value comes out of thin air. */
static void load_buffering_data(unsigned agent)
{
    r[agent][0] = sim_load(agent ? x : y, RELAXED, SIM_gpu);
    sim_store(agent ? y : x, r[agent][0], RELAXED);
}

static void load_buffering_if(unsigned agent)
{
    r[agent][0] = sim_load(agent ? x : y, RELAXED, SIM_gpu);
    if (r[agent][0]) sim_store(agent ? y : x, 1, RELAXED);
}

/* One word: an agent does not see its own store before it makes it, nor what comes after that. */
static void load_own_word(unsigned agent)
{
    r[agent][0] = sim_load(x, RELAXED, SIM_gpu) > 0;
    sim_store(x, 1, RELAXED);
}

/* Two readers do not disagree on the order of two independent stores, if they order their loads. */
static void independent(unsigned agent)
{
    if (agent < 2) {
        sim_store(agent ? y : x, 1, RELAXED);
        return;
    }
    r[agent][0] = sim_load(agent == 2 ? x : y, ACQUIRE, SIM_gpu);
    r[agent][1] = sim_load(agent == 2 ? y : x, ACQUIRE, SIM_gpu);
}
static unsigned disagree(void) { return r[2][0] && !r[2][1] && r[3][0] && !r[3][1]; }

/* A flag that has had more values than are remembered still brings its message. */
static void long_past(unsigned agent)
{
    if (agent == 1) {
        r[1][0] = sim_load(y, ACQUIRE, SIM_gpu);
        r[1][1] = sim_load(x, RELAXED, SIM_gpu);
        return;
    }
    for (uint64_t i = 1; i <= 3 * PAST_VALUES; i++) {
        sim_store(x, i, RELAXED);
        sim_store(y, i, RELEASE);
    }
}
static unsigned message_is_older(void) { return r[1][1] < r[1][0]; }

static void adders(unsigned agent)
{
    (void)agent;
    sim_fetch_add(x, 1, RELAXED, false);
}
static unsigned sum_in_x(void) { return (unsigned)*x; }

/* A taken latch (x) and a store behind it (y): who sees the store must find the latch taken. Result 2: it does not. */
#define LATCHING(name, in_one_go, between)                                                                       \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        if (agent == 0) {                                                                                        \
            sim_compare_swap(x, 0, 1, ACQUIRE, in_one_go);                                                       \
            between;                                                                                             \
            sim_store(y, 1, RELAXED);                                                                            \
        } else {                                                                                                 \
            r[1][0] = sim_load(y, RELAXED, SIM_gpu);                                                             \
            sim_fence(ACQUIRE, SIM_gpu);                                                                         \
            r[1][1] = sim_load(x, RELAXED, SIM_gpu);                                                             \
        }                                                                                                        \
    }
LATCHING(latch_late, false, (void)0)
LATCHING(latch_published, false, sim_fence(RELEASE, SIM_gpu))
LATCHING(latch_at_once, true, (void)0)

static void whole_pair(unsigned agent)
{
    if (agent == 0)
        sim_store_two(x, 1, 1);
    else
        sim_load_two(x, &r[1][0], &r[1][1], SIM_gpu);
}

static void pair_in_halves(unsigned agent)
{
    if (agent == 0) {
        sim_store_two(x, 1, 1);
        return;
    }
    r[1][0] = sim_load(x, RELAXED, SIM_gpu);
    r[1][1] = sim_load(x + 1, RELAXED, SIM_gpu);
}

/* Node 1 is filled and then named in y; the reader goes where y leads. Result 2: it finds the node empty. */
#define FOLLOWING(name, follow)                                                                                  \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        uint64_t *node = nodes + 8;                                                                              \
        if (agent == 0) {                                                                                        \
            sim_store(node, 7, RELAXED);                                                                         \
            sim_fence(RELEASE, SIM_gpu);                                                                         \
            sim_store(y, 1, RELAXED);                                                                            \
            return;                                                                                              \
        }                                                                                                        \
        uint64_t id = sim_load(y, RELAXED, SIM_gpu);                                                             \
        if (id) follow;                                                                                          \
        r[1][0] = id;                                                                                            \
        r[1][1] = sim_load(node, RELAXED, SIM_gpu) == 7;                                                         \
    }
FOLLOWING(address_followed, sim_follow(node, (uint32_t)id))
FOLLOWING(address_known_before, (void)0)

/* L1: the reader has x cached, then sees y, which was stored after x. Result 2: x is still the old one. */
#define CACHING(name, load_order, between)                                                                       \
    static void name(unsigned agent)                                                                             \
    {                                                                                                            \
        if (agent == 0) {                                                                                        \
            sim_store(x, 1, RELAXED);                                                                            \
            sim_store(y, 1, RELEASE);                                                                            \
            return;                                                                                              \
        }                                                                                                        \
        (void)sim_load(x, RELAXED, SIM_cta);                                                                     \
        r[1][0] = sim_load(y, load_order, SIM_gpu);                                                              \
        between;                                                                                                 \
        r[1][1] = sim_load(x, RELAXED, SIM_cta);                                                                 \
    }
CACHING(cache_is_stale, RELAXED, sim_fence(__ATOMIC_ACQ_REL, SIM_cta))
CACHING(cache_is_dropped, ACQUIRE, (void)0)
CACHING(cache_is_forgotten, RELAXED, sim_fence(__ATOMIC_ACQ_REL, SIM_gpu))

enum { ALL = 0xf, NOT_2 = 0xb, NOT_0 = 0xe, NOT_3 = 0x7 };

typedef struct litmus_case {
    const char *name;
    litmus litmus;
} litmus_case;

#define LITMUS(body, result, allowed) {#body, {2, body, result, allowed, 0}}
static const litmus_case litmus_cases[] = {
    LITMUS(message_relaxed, two_bits, ALL),
    LITMUS(message_released, two_bits, ALL),
    LITMUS(message_acquired, two_bits, ALL),
    LITMUS(message_both, two_bits, NOT_2),
    LITMUS(message_fences, two_bits, NOT_2),
    LITMUS(message_cta_fence, two_bits, NOT_2),
    LITMUS(message_cta_release, two_bits, ALL),
    LITMUS(message_branch, two_bits, NOT_2),
    LITMUS(buffering_relaxed, two_readers, ALL),
    LITMUS(buffering_acq_rel, two_readers, ALL),
    LITMUS(buffering_seq_cst, two_readers, NOT_0),
    LITMUS(buffering_barrier, two_readers, NOT_0),
    LITMUS(buffering_barrier_acq_rel, two_readers, ALL),
    LITMUS(buffering_early_barrier, two_readers, ALL),
    LITMUS(adding_acquire, two_readers, ALL),
    LITMUS(adding_acq_rel, two_readers, ALL),
    LITMUS(adding_seq_cst, two_readers, NOT_0),
    LITMUS(half_store, two_readers, ALL),
    LITMUS(half_add, two_readers, ALL),
    LITMUS(half_load, two_readers, ALL),
    LITMUS(same_word, two_bits, NOT_2),
    LITMUS(own_store, two_bits, 0x8),
    {"load_buffering", {2, load_buffering, two_readers, ALL, 0x8}},
    LITMUS(load_buffering_acquire, two_readers, NOT_3),
    LITMUS(load_buffering_release, two_readers, NOT_3),
    LITMUS(load_buffering_fence, two_readers, NOT_3),
    LITMUS(load_buffering_publish, two_readers, NOT_3),
    LITMUS(load_buffering_cta, two_readers, NOT_3),
    LITMUS(load_buffering_branch, two_readers, NOT_3),
    LITMUS(load_buffering_barrier, two_readers, NOT_3),
    LITMUS(load_buffering_data, two_readers, 0x1),
    LITMUS(load_buffering_if, two_readers, 0x1),
    LITMUS(load_own_word, two_readers, NOT_3),
    {"independent", {4, independent, disagree, 0x1, 0}},
    LITMUS(long_past, message_is_older, 0x1),
    {"adders", {4, adders, sum_in_x, 0x10, 0}},
    LITMUS(latch_late, two_bits, ALL),
    LITMUS(latch_published, two_bits, NOT_2),
    LITMUS(latch_at_once, two_bits, NOT_2),
    LITMUS(whole_pair, two_bits, 0x9),
    LITMUS(pair_in_halves, two_bits, ALL),
    LITMUS(address_followed, two_bits, NOT_2),
    LITMUS(address_known_before, two_bits, ALL),
    LITMUS(cache_is_stale, two_bits, ALL),
    LITMUS(cache_is_dropped, two_bits, NOT_2),
    LITMUS(cache_is_forgotten, two_bits, NOT_2),
};

/* Each strategy shows nothing that is not allowed; random and exhaustive ones show all that is, and late loads only where
 * the schedule has them. */
static void litmus_test(const void *argument)
{
    const litmus *l = argument;
    uint64_t drawn = results_of(l, SIM_RANDOM, false), all = in_full() ? all_results_of(l, 2, 3) : all_results_of(l, 1, 0);
    uint64_t late = results_of(l, SIM_RANDOM, true), early = l->allowed & ~l->late;
    assert_int_equal((drawn | all) & ~early, 0);
    assert_int_equal(results_of(l, SIM_PCT, false) & ~early, 0);
    assert_int_equal(results_of(l, SIM_DELAY, false) & ~early, 0);
    assert_int_equal(late & ~l->allowed, 0);
    if (!in_full()) return;
    assert_int_equal(drawn, early);
    assert_int_equal(all, early);
    assert_int_equal((drawn | late), l->allowed);
}

/* ---- what it must notice ---- */

static void two_latches(unsigned agent)
{
    uint64_t *first = agent ? y : x, *second = agent ? x : y;
    while (sim_compare_swap(first, 0, 1, ACQUIRE, true) != 0) sim_pause();
    while (sim_compare_swap(second, 0, 1, ACQUIRE, true) != 0) sim_pause();
    sim_store(second, 0, RELEASE);
    sim_store(first, 0, RELEASE);
}

static void outside(unsigned agent)
{
    if (agent == 0) (void)sim_load((const uint64_t *)&running, RELAXED, SIM_gpu);
}

static void nowhere(unsigned agent)
{
    if (agent == 0) (void)sim_follow(nodes, LITMUS_NODES);
}

/* The first finding among many schedules; empty if there is none. */
static void find_failure(void (*body)(unsigned agent), char *failure)
{
    static litmus l;
    l = (litmus){2, body, sum_in_x, 0, 0};
    sim_machine *m = machine_create();
    sim_checked checked = {0};
    assert_non_null(m);
    running = &l;
    m->strategy = SIM_RANDOM;
    failure[0] = 0;
    for (unsigned i = 0; i < 1000 && failure[0] == 0; i++) {
        m->random = i;
        if (!machine_run(m, &litmus_structure, 0, -1, &checked)) strcpy(failure, m->failure);
    }
    /* The machine is as good as new afterwards. */
    l.body = adders;
    assert_true(machine_run(m, &litmus_structure, 0, -1, &checked));
    machine_destroy(m);
}

/* The id is in x until agent 0 gives the node back; agent 1 follows it. */
static void given_back(unsigned agent, bool too_soon)
{
    if (agent == 0) {
        sim_store(x, 3, RELAXED);
        if (!too_soon) return;
        sim_store(x, 0, RELAXED);
        sim_given(3);
        sim_store(y, 1, RELAXED);
    } else if (sim_load(x, RELAXED, SIM_gpu) == 3) {
        sim_load(sim_follow(nodes + 3 * 8, 3), RELAXED, SIM_gpu);
    }
}

static void given_too_soon(unsigned agent) { given_back(agent, true); }
static void never_given(unsigned agent) { given_back(agent, false); }

static void use_after_giving_is_found(void)
{
    char failure[FAILURE_SIZE];
    find_failure(given_too_soon, failure);
    assert_non_null(strstr(failure, "before it was given back"));
    find_failure(never_given, failure);
    assert_string_equal(failure, "");
}

/* Agent 1's operation ends by itself, or only when agent 0 goes on. */
static void waits_for_other(unsigned agent)
{
    if (agent == 0) {
        sim_solo(1, 100, 256);
        sim_store(x, 1, RELAXED);
        sim_store(x, 2, SEQ);
    } else {
        while (sim_load(x, RELAXED, SIM_gpu) == 1) sim_pause();
    }
}

static void waiting_solo_is_found(void)
{
    char failure[FAILURE_SIZE];
    find_failure(waits_for_other, failure);
    assert_non_null(strstr(failure, "while the others stood still"));
}

static void deadlock_is_found(void)
{
    char failure[FAILURE_SIZE];
    find_failure(two_latches, failure);
    assert_non_null(strstr(failure, "no operation has ended"));
}

static void wild_access_is_found(void)
{
    char failure[FAILURE_SIZE];
    find_failure(outside, failure);
    assert_non_null(strstr(failure, "not the structure's"));
    find_failure(nowhere, failure);
    assert_non_null(strstr(failure, "names no node"));
}

/* ---- plain accesses ---- */

static void write_box(void) { sim_plain_set(box, 1, sizeof box[0]); }

static void read_box(unsigned word)
{
    uint64_t value;
    sim_plain_copy(&value, &box[word], sizeof value);
}

/* Agent 0 writes, and says so; agent 1 reads if it was told. */
static void hand_over(unsigned agent, int store, int load)
{
    if (agent == 0) {
        write_box();
        sim_synced_store(x, 1, store);
    } else if (sim_synced_load(x, load) == 1) {
        read_box(0);
    }
}

static void handed_over(unsigned agent) { hand_over(agent, RELEASE, ACQUIRE); }
static void not_released(unsigned agent) { hand_over(agent, RELAXED, ACQUIRE); }
static void not_acquired(unsigned agent) { hand_over(agent, RELEASE, RELAXED); }

static void added_up(unsigned agent)
{
    if (agent == 0) write_box();
    uint64_t before = sim_synced_add(x, 1, agent ? ACQUIRE : RELEASE);
    if (agent == 1 && before == 1) read_box(0);
}

static void latched(unsigned agent)
{
    while (sim_synced_swap(x, 0, 1, ACQUIRE) != 0) sim_pause();
    if (agent)
        read_box(0);
    else
        write_box();
    sim_synced_store(x, 0, RELEASE);
}

static void written_after(unsigned agent)
{
    if (agent == 0) {
        sim_synced_store(x, 1, RELEASE);
        write_box();
    } else if (sim_synced_load(x, ACQUIRE) == 1) {
        read_box(0);
    }
}

static void both_mark(unsigned agent) { sim_mark(box, agent + 1); }

static void mark_and_read(unsigned agent)
{
    if (agent == 0)
        sim_mark(box, 1);
    else
        read_box(0);
}

static void both_read(unsigned agent)
{
    (void)agent;
    read_box(0);
}

static void read_before_written(unsigned agent)
{
    if (agent == 0) read_box(1);
}

static void plain_accesses_are_watched(void)
{
    static const struct {
        void (*body)(unsigned agent);
        const char *finding; /* NULL: none */
    } wanted[] = {
        {handed_over, NULL},
        {added_up, NULL},
        {latched, NULL},
        {both_mark, NULL},
        {both_read, NULL},
        {not_released, "with no meeting between"},
        {not_acquired, "with no meeting between"},
        {written_after, "with no meeting between"},
        {mark_and_read, "with no meeting between"},
        {read_before_written, "that nobody has written"},
    };
    char failure[FAILURE_SIZE];
    watching = true;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        find_failure(wanted[i].body, failure);
        if (wanted[i].finding)
            assert_non_null(strstr(failure, wanted[i].finding));
        else
            assert_string_equal(failure, "");
    }
    watching = false;
    sim_watch_forget();
}

/* ---- names ---- */

static void capture(const char *id, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    assert_non_null(out);
    assert_int_equal(sim_replay(id, 64, out), SIM_REPLAY_GOOD);
    fclose(out);
}

static void a_name_repeats_its_schedule(void)
{
    static const char *const names[] = {"map:cuda32:random:0123456789abcdef", "map:plain64:pct:00000000deadbeef",
                                        "map:x86_64:delay:0000000000000007", "pool:cuda:random:0000000000000abc",
                                        "gate:cpu:pct:00000000000000ff", "epoch:plain:delay:0000000000000123",
                                        "epoch:cuda:exhaustive:1:2.1:10=1,40=1",
                                        "skiplist:cuda32:random:0000000000000051",
                                        "skiplist:plain64:pct:0000000000000052",
                                        "skiplist:x86_32:delay:0000000000000053",
                                        "skiplist:cuda32_wide:random:0000000000000054",
                                        "skiplist:x86_64:exhaustive:9:2.1:10=1,40=1",
                                        "hash:cuda32:random:0000000000000061", "hash:plain64:pct:0000000000000062",
                                        "hash:plain32_set:delay:0000000000000063",
                                        "hash:cuda64_set:exhaustive:4:2.1:10=1,40=1",
                                        "graph:cuda:random:0000000000000071", "graph:plain:pct:0000000000000072",
                                        "graph:plain_values:delay:0000000000000073",
                                        "graph:cuda_values:exhaustive:8:2.1:10=1,40=1",
                                        "team:plain32:random:0000000000000042", "team:x86_64:pct:0000000000000043",
                                        "team:plain64:exhaustive:1:2.1:10=1,40=1",
                                        "map:cuda64:exhaustive:7:2.1:5=1,30=1"};
    static char first[1 << 18], second[1 << 18], other[1 << 18];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        memset(first, 0, sizeof first);
        memset(second, 0, sizeof second);
        capture(names[i], first, sizeof first);
        capture(names[i], second, sizeof second);
        assert_true(strlen(first) > 100);
        assert_string_equal(first, second);
    }
    capture("map:cuda64:exhaustive:7:2.1:5=1,31=1", other, sizeof other);
    assert_string_not_equal(first, other);
}

static void bad_names_are_refused(void)
{
    static const char *const names[] = {"", "map", "map:cuda32", "map:cuda32:random:", "map:cuda32:random:xyz",
                                        "map:cuda16:random:1", "tree:cuda32:random:1", "map:cuda32:wild:1",
                                        "map:cuda32:random:1 ", "map:cuda32:exhaustive:1",
                                        "map:cuda32:exhaustive:99:1.1:",
                                        "map:cuda32:exhaustive:-1:1.1:", "map:cuda32:exhaustive:1:1.1:5",
                                        "map:cuda32:exhaustive:1:1.1:5=1,4=1", "map:cuda32:exhaustive:1:1.1:999999=1"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(sim_replay(names[i], 0, stdout), SIM_REPLAY_BAD_NAME);
}

/* The same schedules whatever the number of jobs. */
static void jobs_do_not_matter(void)
{
    sim_plan plan = {.structure = SIM_ANY, .strategy = SIM_ANY, .seed = 5, .jobs = 1};
    plan.schedules = in_full() ? 600 : 60;
    sim_totals one, three;
    assert_true(sim_campaign(&plan, &one, stdout));
    plan.jobs = 3;
    assert_true(sim_campaign(&plan, &three, stdout));
    assert_int_equal(one.schedules, plan.schedules);
    assert_int_equal(three.schedules, plan.schedules);
    assert_int_equal(one.operations, three.operations);
    assert_int_equal(one.points, three.points);
    assert_int_equal(one.checked.histories, three.checked.histories);
    assert_int_equal(one.findings + three.findings, 0);
}

int main(int argc, char **argv)
{
    enum { LITMUS_CASES = sizeof litmus_cases / sizeof litmus_cases[0] };
    enum { OTHER_CASES = 8 };
    static unit_case cases[LITMUS_CASES + OTHER_CASES] = {
        UNIT(deadlock_is_found),
        UNIT(wild_access_is_found),
        UNIT(use_after_giving_is_found),
        UNIT(waiting_solo_is_found),
        UNIT(plain_accesses_are_watched),
        UNIT(a_name_repeats_its_schedule),
        UNIT(bad_names_are_refused),
        UNIT(jobs_do_not_matter),
    };
    for (size_t i = 0; i < LITMUS_CASES; i++)
        cases[OTHER_CASES + i] = (unit_case)UNIT_WITH(litmus_cases[i].name, litmus_test, &litmus_cases[i].litmus);
    return run_units("test_sim", argc, argv, cases, sizeof cases / sizeof cases[0]);
}
