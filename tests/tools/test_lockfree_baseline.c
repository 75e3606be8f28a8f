/* test_lockfree_baseline.c - the lock-free skiplist that pleach-bench gfsl measures against: a baseline that gives
 * wrong answers would be no baseline. */
#include <stdlib.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"
#include "bench/gfsl/lockfree_host.h"

/* A list that begins with the keys 0, STEP, 2 * STEP ... below `range`, and what happened to each key. */
typedef struct stage {
    unsigned bits;
    uint64_t range;
    size_t rounds;  /* operations of each agent */
    size_t agents;
    lockfree_room room;
    lockfree_list list;
    uint64_t *places; /* for the inserts, a share for each agent */
    atomic_int *net;  /* by key: 1 if it was there, plus inserts, minus erases */
} stage;

enum { STEP = 2 };

/* Keys of 64 bits take the whole range, those of 32 bits too: the last one is the largest there is. */
static uint64_t key_at(const stage *s, uint64_t i)
{
    const uint64_t most = s->bits == 32 ? UINT32_MAX : UINT64_MAX;
    return i + 1 == s->range ? most : i * (most / s->range);
}

static uint64_t value_at(uint64_t i) { return i ^ 0x5a; }

/* Nodes of the first keys lie in memory from the last to the first. */
static void build(stage *s, const uint64_t *places)
{
    lockfree_builder builder;
    lockfree_begin(&builder, s->list);
    for (uint64_t i = 0; i < s->range; i += STEP) {
        lockfree_append(&builder, key_at(s, i), value_at(i), places[i]);
        s->net[i] = 1;
    }
}

static stage *open_stage(unsigned bits, uint64_t range, size_t agents, size_t rounds)
{
    stage *s = must_alloc(1, sizeof *s);
    rng r = rng_for(test_seed(), bits);
    FREED uint64_t *first = must_alloc(range, sizeof first[0]);
    *s = (stage){.bits = bits, .range = range, .rounds = rounds, .agents = agents, .room = lockfree_new_room(bits)};
    s->places = must_alloc(agents * rounds, sizeof s->places[0]);
    s->net = must_alloc(range, sizeof s->net[0]);
    for (uint64_t i = range; i-- > 0;)
        if (i % STEP == 0) first[i] = lockfree_take(&s->room, lockfree_draw(rng_next(&r)));
    for (size_t i = 0; i < agents * rounds; i++) s->places[i] = lockfree_take(&s->room, lockfree_draw(rng_next(&r)));
    s->list = lockfree_list_at(must_alloc(1, lockfree_bytes(&s->room)), &s->room, bits);
    build(s, first);
    return s;
}

/* Every key is there as often as its inserts and erases say; and the list is in order. */
static void check_and_close(stage *s)
{
    assert_null(lockfree_check(s->list));
    uint64_t at = lockfree_after(s->list, s->list.words, 0);
    for (uint64_t i = 0; i < s->range; i++) {
        const uint64_t *node = at != 0 ? lockfree_node(s->list, at) : NULL;
        const bool there = node != NULL && lockfree_key(s->list, node) == key_at(s, i);
        assert_int_equal(s->net[i], there);
        assert_int_equal(lockfree_contains(s->list, key_at(s, i)), there);
        if (!there) continue;
        assert_int_equal(s->bits == 32 ? (uint32_t)node[0] : node[1], value_at(i));
        at = lockfree_after(s->list, lockfree_node(s->list, at), 0);
    }
    assert_int_equal(at, 0);
    free(s->list.words);
    free(s->places);
    free(s->net);
    free(s);
}

/* One operation on a key; *there is what an agent who is alone with it knows. */
static bool do_one(stage *s, rng *r, uint64_t i, uint64_t place, bool *there)
{
    const uint64_t key = key_at(s, i);
    const bool before = *there;
    switch (rng_below(r, 3)) {
    case 0:
        *there = true;
        if (!lockfree_add(s->list, key, value_at(i), place)) return before;
        atomic_fetch_add(&s->net[i], 1);
        return !before;
    case 1:
        *there = false;
        if (!lockfree_erase(s->list, key)) return !before;
        atomic_fetch_sub(&s->net[i], 1);
        return before;
    default:
        return lockfree_contains(s->list, key) == before;
    }
}

/* Every agent has keys of its own, between those of the others, and so knows every answer. */
static void keys_of_its_own(agent *a)
{
    stage *s = a->shared;
    FREED bool *there = must_alloc(s->range, sizeof there[0]);
    for (uint64_t i = 0; i < s->range; i += STEP) there[i] = true;
    for (size_t round = 0; round < s->rounds && !stopped(a); round++) {
        uint64_t i = rng_below(&a->r, s->range / a->count) * a->count + a->index;
        if (do_one(s, &a->r, i, s->places[a->index * s->rounds + round], &there[i])) continue;
        agent_fail(a, __FILE__, __LINE__, "the answer is that of a list of its own");
        break;
    }
}

/* All agents use all keys; only the sums are known. */
static void keys_of_all(agent *a)
{
    stage *s = a->shared;
    for (size_t round = 0; round < s->rounds && !stopped(a); round++) {
        bool unused = false;
        (void)do_one(s, &a->r, rng_below(&a->r, s->range), s->places[a->index * s->rounds + round], &unused);
    }
}

static void run_stage(agent_body *body, uint64_t range, size_t agents, size_t rounds)
{
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        stage *s = open_stage(bits, range, agents, rounds);
        run_agents(agents, body, s);
        check_and_close(s);
        count_checked(agents * rounds);
    }
}

static void one_thread_knows_every_answer(void)
{
    run_stage(keys_of_its_own, 1, 1, 100);
    run_stage(keys_of_its_own, 1000, 1, scaled(100000));
}

static void threads_with_keys_of_their_own(void)
{
    run_stage(keys_of_its_own, 40 * calling_threads(), calling_threads(), scaled(200000));
}

static void threads_with_the_same_keys(void)
{
    run_stage(keys_of_all, 8, calling_threads(), scaled(200000));
    run_stage(keys_of_all, 1000, calling_threads(), scaled(200000));
}

static unit_case cases[] = {
    UNIT(one_thread_knows_every_answer),
    UNIT(threads_with_keys_of_their_own),
    UNIT(threads_with_the_same_keys),
};

int main(int argc, char **argv)
{
    return run_units("test_lockfree_baseline", argc, argv, cases, COUNT_OF(cases));
}
