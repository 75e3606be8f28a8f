/* test_pool.c - the slab allocator: which ids it hands out, and that nobody else has them. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port/port.h"

/* Just before the next addition to this word, concurrent threads have added to it as well. */
static _Thread_local const uint64_t *crowded;
static _Thread_local uint64_t crowd;

static uint64_t crowded_add(uint64_t *p, uint64_t v)
{
    if (p == crowded) port_fetch_add(p, crowd);
    return port_fetch_add(p, v);
}
#define port_fetch_add crowded_add

#include "base/memory.h"
#include "pool/pool.h"
#include "pool/pool_host.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

enum { NODE_BYTES = 128, NODE_WORDS = NODE_BYTES / sizeof(uint64_t) };

typedef struct test_pool {
    pool_state state;
    pool_host memory;
} test_pool;

/* Room for `limit` ids, of which those below `capacity` can be taken. */
static test_pool *open_pool_to_grow(uint64_t capacity, uint64_t limit)
{
    test_pool *p = must_alloc(1, sizeof *p);
    assert_true(pool_host_open(&p->memory, limit * NODE_BYTES, NODE_BYTES));
    p->state.next = 1;
    p->state.capacity = capacity;
    return p;
}

static test_pool *open_pool(uint64_t capacity)
{
    return open_pool_to_grow(capacity, capacity);
}

static void close_pool(test_pool *p)
{
    pool_host_close(&p->memory);
    assert_null(p->memory.mapping);
    free(p);
}

static uint64_t *words_of(test_pool *p, uint32_t id)
{
    return pool_address(p->memory.nodes, id, NODE_BYTES);
}

static uint32_t take(test_pool *p, unsigned stripe, uint64_t spare)
{
    return pool_alloc(&p->state, p->memory.nodes, NODE_BYTES, stripe, spare);
}

static void give(test_pool *p, unsigned stripe, uint32_t id)
{
    pool_free(&p->state, p->memory.nodes, NODE_BYTES, stripe, id);
}

/* ---- one thread ------------------------------------------------------------------------------------------------ */

/* What one caller holds. A list with a flag per id, so that an id that comes twice is seen at once. */
typedef struct holding {
    uint32_t *ids;
    bool *held;
    size_t count;
    uint64_t capacity;
} holding;

static holding hold_nothing(uint64_t capacity)
{
    return (holding){must_alloc(capacity, sizeof(uint32_t)), must_alloc(capacity, sizeof(bool)), 0, capacity};
}

static void drop(holding *h)
{
    free(h->ids);
    free(h->held);
}

static void hold(holding *h, uint32_t id)
{
    assert_int_not_equal(id, 0);
    assert_in_range(id, 1, h->capacity - 1);
    assert_false(h->held[id]);
    h->held[id] = true;
    h->ids[h->count++] = id;
}

/* Takes until the pool has no more, every time from the same stripe. */
static void take_all(test_pool *p, holding *h, unsigned stripe, uint64_t spare)
{
    for (;;) {
        uint32_t id = take(p, stripe, spare);
        if (id == 0)
            return;
        hold(h, id);
    }
}

/* Gives everything back; the id decides the stripe if there is no `stripe`. Scribbles over the nodes first: what a
 * node held is no business of the pool's. */
static void give_all(test_pool *p, holding *h, int stripe)
{
    for (size_t i = 0; i < h->count; i++) {
        memset(words_of(p, h->ids[i]), 0xff, NODE_BYTES);
        give(p, stripe < 0 ? h->ids[i] : (unsigned)stripe, h->ids[i]);
        h->held[h->ids[i]] = false;
    }
    h->count = 0;
}

static void assert_exhausted(test_pool *p)
{
    for (unsigned stripe = 0; stripe <= POOL_STRIPES; stripe++)
        assert_int_equal(take(p, stripe, 0), 0);
}

static void every_id_once_and_then_none(void)
{
    static const uint64_t capacities[] = {1, 2, 3, 33, 1000};
    for (size_t c = 0; c < COUNT_OF(capacities); c++) {
        test_pool *p = open_pool(capacities[c]);
        holding h = hold_nothing(capacities[c]);
        take_all(p, &h, (unsigned)c, 0);
        assert_int_equal(h.count, capacities[c] - 1);
        assert_exhausted(p);
        drop(&h);
        close_pool(p);
    }
}

static void assert_zeros(const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i])
            fail_msg("byte %zu of %zu is %u, not 0", i, n, bytes[i]);
}

/* A fresh node is all zeros, and no two nodes share a byte. */
static void nodes_have_memory_of_their_own(void)
{
    test_pool *p = open_pool(300);
    for (uint32_t n = 1; n < 300; n++) {
        uint32_t id = take(p, n, 0);
        assert_zeros((unsigned char *)words_of(p, id), NODE_BYTES);
        for (size_t i = 0; i < NODE_WORDS; i++)
            words_of(p, id)[i] = id;
    }
    for (uint32_t id = 1; id < 300; id++)
        for (size_t i = 0; i < NODE_WORDS; i++)
            assert_int_equal(words_of(p, id)[i], id);
    close_pool(p);
}

static void exhausted_pool_goes_on(void)
{
    enum { CAPACITY = 50, MORE = 20 };
    test_pool *p = open_pool_to_grow(CAPACITY, CAPACITY + MORE);
    holding h = hold_nothing(CAPACITY + MORE);
    take_all(p, &h, 0, 0);
    assert_exhausted(p);
    /* What is returned is there for all stripes, and once only. */
    for (unsigned stripe = 0; stripe < 2 * POOL_STRIPES; stripe++) {
        uint32_t id = 1 + stripe % (CAPACITY - 1);
        give(p, stripe, id);
        assert_int_equal(take(p, stripe * 7 + 3, 0), id);
        assert_exhausted(p);
    }
    /* One caller that was refused has not skipped an id. */
    port_store(&p->state.capacity, CAPACITY + MORE);
    take_all(p, &h, 5, 0);
    assert_int_equal(h.count, CAPACITY + MORE - 1);
    assert_exhausted(p);
    drop(&h);
    close_pool(p);
}

static void spare_nodes_are_left(void)
{
    enum { CAPACITY = 100 };
    static const uint64_t spares[] = {0, 1, 2, 17, CAPACITY - 2, CAPACITY - 1, CAPACITY, 10 * CAPACITY};
    for (size_t s = 0; s < COUNT_OF(spares); s++) {
        uint64_t left = spares[s] < CAPACITY - 1 ? spares[s] : CAPACITY - 1;
        test_pool *p = open_pool(CAPACITY);
        holding h = hold_nothing(CAPACITY);
        take_all(p, &h, 1, spares[s]);
        assert_int_equal(h.count, CAPACITY - 1 - left);
        assert_int_equal(take(p, 2, spares[s]), 0);
        take_all(p, &h, 3, 0);
        assert_int_equal(h.count, CAPACITY - 1);
        drop(&h);
        close_pool(p);
    }
}

/* With the spare nodes untouched, a returned one can be taken. */
static void returned_node_beside_spare_ones(void)
{
    test_pool *p = open_pool(100);
    holding h = hold_nothing(100);
    take_all(p, &h, 1, 30);
    for (unsigned stripe = 0; stripe < POOL_STRIPES; stripe++) {
        give(p, 9, h.ids[stripe]);
        assert_int_equal(take(p, stripe, 30), h.ids[stripe]);
        assert_int_equal(take(p, stripe, 30), 0);
    }
    drop(&h);
    close_pool(p);
}

static void returned_nodes_come_back_to_any_stripe(void)
{
    enum { CAPACITY = 200 };
    test_pool *p = open_pool(CAPACITY);
    holding h = hold_nothing(CAPACITY);
    for (int from = -1; from < POOL_STRIPES + 2; from++)
        for (unsigned to = 0; to < POOL_STRIPES + 2; to += 3) {
            take_all(p, &h, to, 0);
            assert_int_equal(h.count, CAPACITY - 1);
            give_all(p, &h, from);
        }
    assert_int_equal(p->state.next, CAPACITY); /* no id was skipped on the way */
    drop(&h);
    close_pool(p);
}

/* Own returned nodes before fresh ones: else a pool would grow for ever. */
static void returned_nodes_before_fresh_ones(void)
{
    test_pool *p = open_pool(1000);
    uint32_t first = take(p, 4, 0), second = take(p, 4, 0);
    give(p, 4, first);
    give(p, 4, second);
    assert_int_equal(take(p, 4, 0), second);
    assert_int_equal(take(p, 4 + POOL_STRIPES, 0), first);
    assert_int_equal(p->state.next, 3);
    close_pool(p);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

/* owner[id] is 0 or the holder's index plus one. All its accesses are relaxed, so that ThreadSanitizer sees only the
 * order that the pool itself makes between one holder of a node and the next. */
typedef struct contest {
    test_pool *pool;
    uint64_t limit;       /* of ids */
    atomic_uint *owner;
    unsigned stripes;     /* that the agents use */
    size_t rounds;
    atomic_bool grown;    /* to the limit */
    atomic_size_t taken;
} contest;

static void open_contest(contest *c, uint64_t capacity, uint64_t limit, unsigned stripes, size_t rounds)
{
    *c = (contest){.pool = open_pool_to_grow(capacity, limit), .limit = limit,
                   .owner = must_alloc(limit, sizeof *c->owner), .stripes = stripes, .rounds = rounds};
}

static void close_contest(contest *c)
{
    close_pool(c->pool);
    free(c->owner);
}

/* An agent's node: taken, and nobody else's. The node's second word is a plain one: its holder's alone. */
static void claim(agent *a, contest *c, uint32_t id)
{
    EXPECT(a, id < c->limit);
    unsigned before = atomic_exchange_explicit(&c->owner[id], (unsigned)a->index + 1, memory_order_relaxed);
    EXPECT(a, before == 0);
    words_of(c->pool, id)[1] = a->index;
    /* Whoever still looks at the node as the head of a list sees some other id there. */
    port_store(&words_of(c->pool, id)[0], 1 + rng_below(&a->r, c->limit - 1));
}

static void give_up(agent *a, contest *c, uint32_t id)
{
    EXPECT(a, words_of(c->pool, id)[1] == a->index);
    unsigned before = atomic_exchange_explicit(&c->owner[id], 0, memory_order_relaxed);
    EXPECT(a, before == a->index + 1);
    give(c->pool, (unsigned)rng_below(&a->r, c->stripes), id);
}

enum { MOST_HELD = 5 };

/* Takes and gives a few nodes at a time, in any order. */
static void take_and_give(agent *a)
{
    contest *c = a->shared;
    uint32_t mine[MOST_HELD];
    size_t held = 0;
    for (size_t round = 0; round < c->rounds && !stopped(a); round++) {
        if (held < MOST_HELD && rng_percent(&a->r, 55)) {
            uint32_t id = take(c->pool, (unsigned)rng_below(&a->r, c->stripes), 0);
            if (id == 0)
                continue;
            claim(a, c, id);
            mine[held++] = id;
        } else if (held) {
            size_t which = rng_below(&a->r, held);
            give_up(a, c, mine[which]);
            mine[which] = mine[--held];
        }
    }
    while (held && !stopped(a))
        give_up(a, c, mine[--held]);
}

/* Agents that meet at one list all the time: take two, give back the first, so that the list's head is often what it
 * was a moment ago, with another node behind it. */
static void change_and_change_back(agent *a)
{
    contest *c = a->shared;
    for (size_t round = 0; round < c->rounds && !stopped(a); round++) {
        uint32_t first = take(c->pool, 0, 0);
        if (first)
            claim(a, c, first);
        uint32_t second = take(c->pool, 0, 0);
        if (second)
            claim(a, c, second);
        if (first)
            give_up(a, c, first);
        if (second)
            give_up(a, c, second);
    }
}

/* Nothing is lost, nothing is there twice. */
static void assert_all_can_be_taken(contest *c)
{
    holding h = hold_nothing(c->limit);
    take_all(c->pool, &h, 0, 0);
    /* When agents race for the last fresh id, ids at and beyond the capacity are skipped, not ones below. */
    assert_int_equal(h.count, c->limit - 1);
    drop(&h);
}

static void run_contest(agent_body *body, size_t agents, uint64_t capacity, unsigned stripes, size_t rounds)
{
    contest c;
    open_contest(&c, capacity, capacity, stripes, rounds);
    run_agents(agents, body, &c);
    assert_all_can_be_taken(&c);
    close_contest(&c);
}

static void threads_at_one_list(void)
{
    run_contest(take_and_give, calling_threads(), 4, 1, scaled(1000000));
    run_contest(take_and_give, calling_threads(), 12, 1, scaled(500000));
}

static void threads_at_many_lists(void)
{
    run_contest(take_and_give, calling_threads(), 200, POOL_STRIPES, scaled(400000));
    run_contest(take_and_give, calling_threads(), 15, POOL_STRIPES, scaled(100000));
}

static void lists_that_change_back(void)
{
    run_contest(change_and_change_back, 2, 4, 1, scaled(500000));
    run_contest(change_and_change_back, 3, 5, 1, scaled(200000));
}

enum { GROWTH_STEPS = 1000, GROWTH = 16, LINGER = 300 };

/* The first agent raises the capacity a while after the others have used it up, by little, so that they race for the
 * last node often, and an id that they must not have yet is seen; the others keep what they take. */
static void take_while_growing(agent *a)
{
    contest *c = a->shared;
    if (a->index == 0) {
        for (uint64_t step = 1; step <= GROWTH_STEPS && !stopped(a); step++) {
            uint64_t capacity = port_load(&c->pool->state.capacity);
            while (port_load(&c->pool->state.next) < capacity && !stopped(a))
                sched_yield();
            for (unsigned i = 0; i < LINGER; i++)
                port_pause(0);
            port_store(&c->pool->state.capacity, capacity + GROWTH);
        }
        atomic_store(&c->grown, true);
        return;
    }
    unsigned refused = 0;
    while (!stopped(a)) {
        bool last = atomic_load(&c->grown); /* before the try that must then be refused */
        uint32_t id = take(c->pool, (unsigned)a->index, 0);
        if (id) {
            EXPECT(a, id < port_load(&c->pool->state.capacity));
            claim(a, c, id);
            atomic_fetch_add(&c->taken, 1);
        } else if (last) {
            return;
        } else if (++refused % 64 == 0) {
            sched_yield(); /* to the agent that raises the capacity */
        }
    }
}

/* An agent that sees one capacity goes beyond it once at most, and skips an id then. */
static void capacity_grows_while_threads_take(void)
{
    for (size_t round = 0; round < shrunk(5, 1); round++) {
        contest c;
        size_t takers = calling_threads();
        uint64_t limit = GROWTH + GROWTH_STEPS * GROWTH;
        open_contest(&c, GROWTH, limit, POOL_STRIPES, 0);
        run_agents(1 + takers, take_while_growing, &c);
        size_t taken = atomic_load(&c.taken), skipped = limit - 1 - taken;
        assert_true(taken <= limit - 1);
        assert_true(skipped <= takers * (GROWTH_STEPS + 1));
        assert_exhausted(c.pool);
        close_contest(&c);
    }
}

/* Each leaves `spare` nodes, and one at most may pass the others: between its look and its step. */
static void take_with_spare(agent *a)
{
    contest *c = a->shared;
    uint32_t id;
    while (!stopped(a) && (id = take(c->pool, (unsigned)a->index, 100)) != 0) {
        claim(a, c, id);
        atomic_fetch_add(&c->taken, 1);
    }
}

static void threads_leave_spare_nodes(void)
{
    for (size_t round = 0; round < shrunk(50, 5); round++) {
        contest c;
        open_contest(&c, 1000, 1000, POOL_STRIPES, 0);
        run_agents(calling_threads(), take_with_spare, &c);
        size_t taken = atomic_load(&c.taken);
        assert_true(taken >= 999 - 100);
        assert_true(taken < 999 - 100 + calling_threads());
        close_contest(&c);
    }
}

/* Threads that race for the last id of the stock, or for the last fresh one: who comes too late has none. */
static void late_threads_have_none(void)
{
    enum { CAPACITY = 9, STOCK = 3 };
    for (uint64_t before = 0; before < 2 * STOCK; before++) {
        uint32_t stock[2 * STOCK] = {1, 2, 3, 4, 5, 6}; /* of which three are in it */
        test_pool *p = open_pool(CAPACITY);
        p->state.stock = (uint64_t)(uintptr_t)stock;
        p->state.stock_end = STOCK;
        p->state.next = CAPACITY;
        crowded = &p->state.stock_next;
        crowd = before;
        assert_int_equal(pool_alloc_stock(&p->state), before < STOCK ? stock[before] : 0);
        p->state.next = CAPACITY - STOCK;
        crowded = &p->state.next;
        assert_int_equal(pool_alloc_fresh(&p->state, 0), before < STOCK ? CAPACITY - STOCK + before : 0);
        crowded = NULL;
        close_pool(p);
    }
}

/* ---- the runner ------------------------------------------------------------------------------------------------ */

static unit_case cases[] = {
    UNIT(every_id_once_and_then_none),
    UNIT(nodes_have_memory_of_their_own),
    UNIT(exhausted_pool_goes_on),
    UNIT(spare_nodes_are_left),
    UNIT(returned_node_beside_spare_ones),
    UNIT(returned_nodes_come_back_to_any_stripe),
    UNIT(returned_nodes_before_fresh_ones),
    UNIT(threads_at_one_list),
    UNIT(threads_at_many_lists),
    UNIT(lists_that_change_back),
    UNIT(capacity_grows_while_threads_take),
    UNIT(threads_leave_spare_nodes),
    UNIT(late_threads_have_none),
};

int main(int argc, char **argv)
{
    return run_units("test_pool", argc, argv, cases, COUNT_OF(cases));
}
