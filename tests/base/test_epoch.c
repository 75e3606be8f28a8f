/* test_epoch.c - the epoch module: slots, rings, pins and scans by themselves, and a few cells whose nodes are
 * replaced, retired and used again by threads while others look at them. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "epoch/epoch_participant.h"
#include "epoch/epoch_pins.h"
#include "pool/pool.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

enum { NODE_BYTES = 64, NODE_WORDS = NODE_BYTES / 8, MOST_CELLS = 16, LINKED = 1000000 };

/* Of a retired node that is in no ring. */
typedef struct aside {
    uint64_t until, next;
} aside;

/* Everything that agents share. owner[id]: 0, LINKED, or the holder's index plus one; its accesses are relaxed, so that
 * ThreadSanitizer sees only the order that the module makes. */
typedef struct stage {
    epoch e;
    pool_state pool;
    char *nodes;
    aside *aside; /* by id */
    uint64_t spilled;
    uint64_t cell[MOST_CELLS];
    uint64_t number; /* what the last node was filled with */
    unsigned cells;
    uint64_t ids;    /* there are nodes 1 .. ids-1 */
    atomic_uint *owner;
    size_t rounds;
    atomic_size_t written, spills;
    atomic_bool stalls; /* somebody stays inside */
} stage;

static uint64_t *words_of(stage *s, uint32_t id)
{
    return pool_address(s->nodes, id, NODE_BYTES);
}

static void fill(stage *s, uint32_t id)
{
    uint64_t number = port_fetch_add(&s->number, 1) + 1;
    for (size_t i = 0; i < NODE_WORDS; i++)
        port_store(&words_of(s, id)[i], number);
}

static uint64_t *new_table(uint64_t room)
{
    return must_alloc(room, EPOCH_PIN_WORDS * sizeof(uint64_t));
}

/* The first nodes are in the cells. */
static stage *open_stage(uint32_t slots, uint32_t ring, unsigned cells, unsigned nodes, size_t rounds)
{
    stage *s = must_alloc(1, sizeof *s);
    s->e = (epoch){.state = must_alloc(1, sizeof(epoch_state)), .slots = slots, .ring = ring};
    s->e.announce = must_alloc((size_t)slots * PORT_LINE_WORDS, sizeof(uint64_t));
    s->e.home = must_alloc(slots, sizeof(epoch_home));
    s->e.rings = must_alloc((size_t)slots * ring, sizeof(epoch_retired));
    epoch_begin(s->e.state);
    s->e.state->pin_table = (uint64_t)(uintptr_t)new_table(1);
    s->e.state->pin_room = 1;
    s->ids = 1 + nodes;
    s->nodes = must_alloc(s->ids, NODE_BYTES);
    s->aside = must_alloc(s->ids, sizeof(aside));
    s->owner = must_alloc(s->ids, sizeof *s->owner);
    s->cells = cells;
    s->rounds = rounds;
    s->pool.next = 1;
    s->pool.capacity = s->ids;
    for (unsigned i = 0; i < cells; i++) {
        s->cell[i] = pool_alloc(&s->pool, s->nodes, NODE_BYTES, 0, 0);
        atomic_store(&s->owner[s->cell[i]], LINKED);
        fill(s, (uint32_t)s->cell[i]);
    }
    return s;
}

static void close_stage(stage *s)
{
    free((void *)(uintptr_t)s->e.state->pin_table);
    free(s->e.state);
    free(s->e.announce);
    free(s->e.home);
    free(s->e.rings);
    free(s->nodes);
    free(s->aside);
    free(s->owner);
    free(s);
}

/* ---- one thread ------------------------------------------------------------------------------------------------ */

static void scan_all(stage *s, bool ticking)
{
    epoch_participant a;
    epoch_participant_begin(&a, 1);
    epoch_scan(s->e, &a, s->e.slots, ticking);
}

/* Whether an agent asks for a stamp from `from` to below `to`: exactly, where stamps are announced. */
static void who_asks_is_known(void)
{
    enum { SLOTS = 3, MOST = 10 };
    stage *s = open_stage(SLOTS + 1, 1, 1, 1, 0); /* memory for one more than there are, which looks as if it asked */
    epoch e = s->e;
    e.slots = SLOTS;
    e.dated = true;
    port_store(&e.state->claimed, SLOTS);
    port_store(&e.state->clock, MOST);
    port_store(&e.state->floor, 1);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        for (uint64_t stamp = 1; stamp < MOST; stamp++) {
            for (uint32_t i = 0; i < SLOTS; i++) port_store(epoch_slot(e, i), i == 0 ? EPOCH_OUT : EPOCH_FREE);
            port_store(epoch_slot(e, SLOTS), EPOCH_EXACT | (EPOCH_IN + 1));
            port_store(epoch_slot(e, slot), EPOCH_EXACT | (EPOCH_IN + stamp));
            for (uint64_t to = 2; to <= MOST; to++)
                for (uint64_t from = 1; from < to; from++)
                    assert_int_equal(epoch_asks(e, from, to, SLOTS), from <= stamp && stamp < to);
            assert_false(epoch_asks(e, 0, 1, SLOTS)); /* below the floor */
            assert_true(epoch_asks(e, 1, 2, SLOTS - 1)); /* too many to look at */
            port_store(epoch_slot(e, slot), EPOCH_IN + stamp); /* not announced yet: it gets a higher limit */
            assert_false(epoch_asks(e, 1, MOST, SLOTS));
            assert_int_equal(epoch_stamp(port_load(epoch_slot(e, slot))), MOST);
        }
    }
    close_stage(s);
}

static void slots_are_claimed_once(void)
{
    enum { SLOTS = 5 };
    stage *s = open_stage(SLOTS, 1, 1, 1, 0);
    epoch_participant a[SLOTS + 1];
    bool taken[SLOTS] = {false};
    for (unsigned i = 0; i <= SLOTS; i++) {
        epoch_participant_begin(&a[i], 1);
        assert_int_equal(epoch_register(s->e, &a[i], 3), i < SLOTS);
        if (i == SLOTS)
            continue;
        assert_in_range(a[i].slot, 0, SLOTS - 1);
        assert_false(taken[a[i].slot]);
        taken[a[i].slot] = true;
    }
    assert_int_equal(s->e.state->claimed, SLOTS);
    uint32_t slot = a[2].slot;
    epoch_unregister(s->e, &a[2]);
    assert_true(epoch_register(s->e, &a[SLOTS], 0));
    assert_int_equal(a[SLOTS].slot, slot);
    close_stage(s);
}

/* Retires the ids from `from` on in one visit, and answers how many found no room. */
static uint32_t retire(stage *s, uint32_t from, uint32_t count, uint64_t until)
{
    epoch_participant a;
    epoch_participant_begin(&a, 1);
    assert_false(epoch_retire(&a, from)); /* it has no slot */
    assert_true(epoch_writer_begin(s->e, &a, 0));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(epoch_retire(&a, from + i), i < EPOCH_BAG);
    uint32_t left = epoch_writer_end(s->e, &a, until);
    for (uint32_t i = 0; i < left; i++)
        assert_int_equal(a.bag[i], from + i);
    return left;
}

/* Uses up to `most` ids of slot 0, and answers how many there were; they must be from, from + 1, ... */
static uint32_t reuse(stage *s, uint32_t from, uint32_t most)
{
    epoch_participant a;
    uint32_t count = 0;
    epoch_participant_begin(&a, 1);
    assert_true(epoch_writer_begin(s->e, &a, 0));
    for (uint32_t id; count < most && (id = epoch_reuse(&a)) != 0; count++)
        assert_int_equal(id, from + count);
    assert_int_equal(epoch_writer_end(s->e, &a, epoch_oldest(s->e.state) + 1), 0);
    return count;
}

static void the_retired_come_back_after_two_scans(void)
{
    stage *s = open_stage(3, 10, 1, 1, 0);
    assert_int_equal(retire(s, 100, 7, s->e.state->clock + 1), 0);
    assert_int_equal(reuse(s, 100, 10), 0);
    scan_all(s, true);
    assert_int_equal(reuse(s, 100, 10), 0);
    scan_all(s, true);
    assert_int_equal(reuse(s, 100, 3), 3);
    assert_int_equal(reuse(s, 103, 10), 4);
    assert_int_equal(reuse(s, 107, 10), 0);
    close_stage(s);
}

/* Entries before and after the wrap, with stamps of their own; what finds no room is the caller's. */
static void rings_wrap_and_overflow(void)
{
    enum { RING = 5 };
    stage *s = open_stage(1, RING, 1, 1, 0);
    uint32_t next = 100;
    for (unsigned round = 0; round < 3 * RING; round++) {
        uint64_t until = s->e.state->clock + 1;
        assert_int_equal(retire(s, next, 3, until), 0);
        assert_int_equal(retire(s, next + 3 - 2, 4, until), 2); /* its first two do not fit; they are there already */
        scan_all(s, true);
        scan_all(s, true);
        assert_int_equal(reuse(s, next, RING), RING);
        next += 100;
    }
    assert_int_equal(retire(s, next, EPOCH_BAG + 3, s->e.state->clock + 1), EPOCH_BAG - RING);
    close_stage(s);
}

static void who_is_inside_holds_back(void)
{
    stage *s = open_stage(4, 10, 1, 1, 0);
    epoch_participant reader;
    epoch_participant_begin(&reader, 1);
    assert_true(epoch_register(s->e, &reader, 2));
    assert_int_equal(epoch_enter(s->e, reader.slot), 0);
    assert_int_equal(retire(s, 100, 1, s->e.state->clock + 1), 0);
    for (unsigned i = 0; i < 5; i++)
        scan_all(s, true);
    assert_int_equal(s->e.state->clock, 1); /* it has not seen more */
    assert_int_equal(epoch_look(s->e), 0);
    assert_int_equal(reuse(s, 100, 10), 0);
    epoch_leave(s->e, reader.slot);
    assert_int_equal(epoch_look(s->e), 1);
    scan_all(s, true);
    assert_int_equal(reuse(s, 100, 10), 1);
    close_stage(s);
}

/* One slot at a time: the floor rises at the end only, and to what the first part saw. */
static void a_scan_in_parts(void)
{
    stage *s = open_stage(3, 10, 1, 1, 0);
    epoch_participant a[3], scanner;
    epoch_participant_begin(&scanner, 1);
    for (unsigned i = 0; i < 3; i++) {
        epoch_participant_begin(&a[i], 1);
        assert_true(epoch_register(s->e, &a[i], i));
    }
    assert_int_equal(epoch_advance(s->e), 0);
    assert_int_equal(epoch_enter(s->e, a[0].slot), 1);
    assert_int_equal(epoch_advance(s->e), 1);
    assert_int_equal(s->e.state->clock, 2);
    epoch_scan(s->e, &scanner, 1, false);
    epoch_leave(s->e, a[0].slot);
    epoch_scan(s->e, &scanner, 1, false);
    assert_int_equal(s->e.state->floor, 0);
    epoch_scan(s->e, &scanner, 1, false);
    assert_int_equal(s->e.state->floor, 1);
    epoch_scan(s->e, &scanner, 3, false);
    assert_int_equal(s->e.state->floor, 2);
    close_stage(s);
}

static void assert_pins(stage *s, uint64_t count, uint64_t oldest, uint64_t end)
{
    assert_int_equal(s->e.state->pins, count);
    assert_int_equal(s->e.state->pins_oldest, oldest);
    assert_int_equal(s->e.state->pins_end, end);
}

static void pins_have_bounds(void)
{
    stage *s = open_stage(1, 1, 1, 1, 0);
    epoch_state *e = s->e.state;
    uint64_t *larger = new_table(4), *small = new_table(2), *old = NULL;
    assert_int_equal(epoch_pin(e, 5), EPOCH_DONE);
    assert_int_equal(epoch_pin(e, 7), EPOCH_FULL);
    assert_pins(s, 1, 5, 6);
    assert_int_equal(epoch_pins_move(e, larger, 4, &old), EPOCH_DONE);
    assert_ptr_not_equal(old, larger);
    free(old);
    assert_int_equal(epoch_pins_move(e, small, 2, &old), EPOCH_DONE);
    assert_ptr_equal(old, small); /* not in use */
    free(old);
    assert_int_equal(epoch_pin(e, 7), EPOCH_DONE);
    assert_int_equal(epoch_pin(e, 5), EPOCH_DONE);
    assert_int_equal(epoch_pin(e, 9), EPOCH_DONE);
    assert_pins(s, 4, 5, 10);
    e->floor = 8;
    assert_int_equal(epoch_oldest(e), 5);
    assert_int_equal(epoch_unpin(e, 5), EPOCH_DONE);
    assert_pins(s, 3, 5, 10); /* there is another of this stamp */
    assert_int_equal(epoch_unpin(e, 9), EPOCH_DONE);
    assert_pins(s, 2, 5, 8);
    assert_int_equal(epoch_unpin(e, 5), EPOCH_DONE);
    assert_pins(s, 1, 7, 8);
    assert_int_equal(epoch_oldest(e), 7);
    assert_int_equal(epoch_unpin(e, 7), EPOCH_DONE);
    assert_pins(s, 0, UINT64_MAX, 0);
    assert_int_equal(epoch_oldest(e), 8);
    e->pin_latch = 1; /* somebody is at the table */
    assert_int_equal(epoch_pin(e, 8), EPOCH_BUSY);
    assert_int_equal(epoch_unpin(e, 8), EPOCH_BUSY);
    assert_int_equal(epoch_pins_move(e, larger, 100, &old), EPOCH_BUSY);
    close_stage(s);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

/* What is there must stay there. */
static void watch(agent *a, stage *s, uint32_t id, unsigned looks)
{
    EXPECT(a, id > 0 && id < s->ids);
    const uint64_t *node = words_of(s, id);
    uint64_t number = port_load(&node[0]);
    for (unsigned look = 0; look < looks; look++) {
        for (size_t i = 0; i < NODE_WORDS; i++)
            EXPECT(a, port_load(&node[i]) == number);
        if (look + 1 < looks)
            port_pause(rng_percent(&a->r, 5) ? 63 : 0);
    }
}

static uint64_t *draw_cell(agent *a, stage *s)
{
    return &s->cell[rng_below(&a->r, s->cells)];
}

static void spill(stage *s, uint32_t id, uint64_t until)
{
    port_store(&s->aside[id].until, until);
    for (;;) {
        uint64_t first = port_load(&s->spilled);
        port_store(&s->aside[id].next, first);
        if (port_compare_swap(&s->spilled, first, id))
            break;
    }
    atomic_fetch_add_explicit(&s->spills, 1, memory_order_relaxed);
}

static uint32_t unspill_all(stage *s)
{
    for (;;) {
        uint64_t first = port_load_acquire(&s->spilled);
        if (first == 0 || port_compare_swap(&s->spilled, first, 0))
            return (uint32_t)first;
    }
}

/* Gives back to the pool what was spilled and is free, by the floor or by a look of one's own. */
static void return_spilled(stage *s, bool looks)
{
    uint64_t oldest = epoch_oldest(s->e.state);
    if (looks) {
        uint64_t floor = epoch_look(s->e), pinned = port_load(&s->e.state->pins_oldest);
        port_validate_fence();
        oldest = floor < pinned ? floor : pinned;
    }
    for (uint32_t id = unspill_all(s), next; id != 0; id = next) {
        next = (uint32_t)port_load(&s->aside[id].next);
        uint64_t until = port_load(&s->aside[id].until);
        if (until <= oldest)
            pool_free(&s->pool, s->nodes, NODE_BYTES, id, id);
        else
            spill(s, id, until);
    }
}

static uint32_t take(agent *a, stage *s, epoch_participant *at)
{
    uint32_t id = epoch_reuse(at);
    if (id == 0)
        id = pool_alloc(&s->pool, s->nodes, NODE_BYTES, (unsigned)a->index, 0);
    if (id != 0)
        return id;
    return_spilled(s, rng_percent(&a->r, 50));
    return pool_alloc(&s->pool, s->nodes, NODE_BYTES, (unsigned)a->index, 0);
}

static unsigned change_owner(stage *s, uint32_t id, unsigned owner)
{
    return atomic_exchange_explicit(&s->owner[id], owner, memory_order_relaxed);
}

/* Replaces what is in a cell; *old is the caller's to retire. The swap is there for all to see before the clock is read
 * for its stamp. */
static void replace(agent *a, stage *s, uint32_t id, uint32_t *old)
{
    uint64_t *cell = draw_cell(a, s);
    EXPECT(a, change_owner(s, id, LINKED) == a->index + 1);
    do {
        *old = (uint32_t)port_load(cell);
        watch(a, s, *old, 1);
        if (a->failed)
            return;
    } while (!port_compare_swap(cell, *old, id));
    port_fence_after_latch();
    EXPECT(a, change_owner(s, *old, 0) == LINKED);
}

/* Up to a bag and a half of nodes in one visit. */
static void write_some(agent *a, stage *s, size_t most)
{
    epoch_participant at;
    epoch_participant_begin(&at, 1);
    for (unsigned attempt = 0; !epoch_writer_begin(s->e, &at, (uint32_t)a->index); attempt++)
        port_pause(attempt);
    for (size_t i = rng_below(&a->r, most); i < most; i++) {
        uint32_t id = take(a, s, &at), old = 0;
        if (id == 0)
            break;
        EXPECT(a, change_owner(s, id, (unsigned)a->index + 1) == 0);
        fill(s, id);
        epoch_enter(s->e, at.slot);
        replace(a, s, id, &old);
        if (a->failed)
            return;
        epoch_leave(s->e, at.slot);
        if (!epoch_retire(&at, old))
            spill(s, old, port_load(&s->e.state->clock) + 1);
        atomic_fetch_add_explicit(&s->written, 1, memory_order_relaxed);
    }
    uint64_t until = port_load(&s->e.state->clock) + 1;
    uint32_t left = epoch_writer_end(s->e, &at, until);
    for (uint32_t i = 0; i < left; i++)
        spill(s, at.bag[i], until);
}

static uint64_t join_and_enter(agent *a, stage *s, epoch_participant *at)
{
    epoch_participant_begin(at, 1);
    for (unsigned attempt = 0; !epoch_register(s->e, at, (uint32_t)a->index); attempt++)
        port_pause(attempt);
    return epoch_enter(s->e, at->slot);
}

static void leave_and_part(stage *s, epoch_participant *at)
{
    epoch_leave(s->e, at->slot);
    epoch_unregister(s->e, at);
}

static void read_some(agent *a, stage *s)
{
    epoch_participant at;
    uint64_t stamp = join_and_enter(a, s, &at);
    EXPECT(a, stamp >= port_load(&s->e.state->floor));
    for (unsigned i = 0; i < 4 && !a->failed; i++)
        watch(a, s, (uint32_t)port_load(draw_cell(a, s)), 3);
    leave_and_part(s, &at);
}

static void grow_pins(stage *s)
{
    uint64_t room = 2 * port_load(&s->e.state->pin_room), *table = new_table(room);
    FREED uint64_t *old = NULL;
    for (unsigned attempt = 0; epoch_pins_move(s->e.state, table, room, &old) == EPOCH_BUSY; attempt++)
        port_pause(attempt);
}

/* Comes upon one node while it is inside, and upon others when only the pin is left. */
static void read_pinned(agent *a, stage *s)
{
    epoch_participant at;
    epoch_answer answer;
    uint64_t stamp = join_and_enter(a, s, &at);
    uint32_t id = (uint32_t)port_load(draw_cell(a, s));
    for (unsigned attempt = 0; (answer = epoch_pin(s->e.state, stamp)) != EPOCH_DONE; attempt++) {
        if (answer == EPOCH_FULL)
            grow_pins(s);
        port_pause(attempt);
    }
    leave_and_part(s, &at);
    watch(a, s, id, 5);
    for (unsigned i = 0; i < 3 && !a->failed; i++)
        watch(a, s, (uint32_t)port_load(draw_cell(a, s)), 3);
    for (unsigned attempt = 0; epoch_unpin(s->e.state, stamp) == EPOCH_BUSY; attempt++)
        port_pause(attempt);
}

/* Neither goes back, and the floor, which is read first, is not above the clock. */
static void scan_some(agent *a, stage *s, uint64_t *last_floor, uint64_t *last_clock)
{
    epoch_participant at;
    epoch_participant_begin(&at, 1);
    epoch_scan(s->e, &at, 1 + rng_below(&a->r, 2 * s->e.slots), true);
    uint64_t floor = port_load(&s->e.state->floor);
    port_validate_fence();
    uint64_t clock = port_load(&s->e.state->clock);
    EXPECT(a, floor <= clock);
    EXPECT(a, floor >= *last_floor);
    EXPECT(a, clock >= *last_clock);
    *last_floor = floor;
    *last_clock = clock;
}

static void do_anything(agent *a)
{
    stage *s = a->shared;
    uint64_t floor = 0, clock = 0;
    for (size_t round = 0; round < s->rounds && !stopped(a); round++) {
        size_t draw = rng_below(&a->r, 100);
        if (draw < 45)
            write_some(a, s, rng_percent(&a->r, 10) ? EPOCH_BAG * 3 / 2 : 4);
        else if (draw < 60)
            read_some(a, s);
        else if (draw < 70)
            read_pinned(a, s);
        else
            scan_some(a, s, &floor, &clock);
    }
}

/* Nobody is there: two scans, and all that was retired is free. */
static void assert_nothing_is_lost(stage *s)
{
    assert_pins(s, 0, UINT64_MAX, 0);
    for (uint32_t slot = 0; slot < s->e.slots; slot++)
        assert_int_equal(*epoch_slot(s->e, slot), EPOCH_FREE);
    for (unsigned i = 0; i < 3; i++) /* and one that was begun before */
        scan_all(s, true);
    for (uint32_t i = 0; i < s->e.slots * (1 + s->e.ring / EPOCH_BAG); i++) {
        epoch_participant at;
        epoch_participant_begin(&at, 1);
        assert_true(epoch_writer_begin(s->e, &at, i % s->e.slots));
        for (uint32_t id; (id = epoch_reuse(&at)) != 0;)
            pool_free(&s->pool, s->nodes, NODE_BYTES, 0, id);
        assert_int_equal(epoch_writer_end(s->e, &at, s->e.state->clock + 1), 0);
    }
    return_spilled(s, false);
    assert_int_equal(s->spilled, 0);
    uint64_t free_nodes = 0;
    for (uint32_t id; (id = pool_alloc(&s->pool, s->nodes, NODE_BYTES, 0, 0)) != 0; free_nodes++)
        assert_int_equal(change_owner(s, id, 1), 0);
    assert_int_equal(free_nodes, s->ids - 1 - s->cells);
    for (unsigned i = 0; i < s->cells; i++)
        assert_int_equal(change_owner(s, (uint32_t)s->cell[i], 0), LINKED);
}

static void run_stage(agent_body *body, size_t threads, stage *s)
{
    run_agents(threads, body, s);
    assert_true(atomic_load(&s->written) > 0);
    assert_nothing_is_lost(s);
    count_checked(threads * s->rounds);
}

static void threads_with_slots_for_all(void)
{
    stage *s = open_stage(8, 256, 4, 600, scaled(100000));
    run_stage(do_anything, calling_threads(), s);
    close_stage(s);
}

static void more_threads_than_slots(void)
{
    stage *s = open_stage(2, 40, 2, 60, scaled(30000));
    run_stage(do_anything, calling_threads() + 3, s);
    close_stage(s);
    s = open_stage(1, 40, 2, 60, scaled(20000));
    run_stage(do_anything, calling_threads(), s);
    close_stage(s);
}

static void rings_that_are_too_small(void)
{
    stage *s = open_stage(4, 2, 3, 200, scaled(60000));
    run_stage(do_anything, calling_threads(), s);
    assert_true(atomic_load(&s->spills) > 0);
    close_stage(s);
}

/* Few nodes: each is used again as soon as it may be. */
static void nodes_in_short_supply(void)
{
    stage *s = open_stage(4, 3, 2, 5, scaled(100000));
    run_stage(do_anything, calling_threads(), s);
    close_stage(s);
}

/* The first agent stays inside until the others are done, and sees what it saw when it came; they go on meanwhile,
 * though without new nodes after a while. */
static void stay_inside(agent *a)
{
    stage *s = a->shared;
    if (a->index > 0) {
        while (!atomic_load(&s->stalls) && !stopped(a))
            sched_yield();
        do_anything(a);
        if (a->index == 1)
            atomic_store(&s->stalls, false);
        return;
    }
    epoch_participant at;
    uint64_t seen[MOST_CELLS], stamp = join_and_enter(a, s, &at);
    uint32_t id[MOST_CELLS];
    for (unsigned i = 0; i < s->cells; i++) {
        id[i] = (uint32_t)port_load(&s->cell[i]);
        seen[i] = port_load(words_of(s, id[i]));
    }
    atomic_store(&s->stalls, true);
    while (atomic_load(&s->stalls) && !stopped(a))
        sched_yield();
    for (unsigned i = 0; i < s->cells; i++)
        EXPECT(a, port_load(words_of(s, id[i])) == seen[i]);
    EXPECT(a, port_load(&s->e.state->floor) <= stamp);
    EXPECT(a, port_load(&s->e.state->clock) <= stamp + 1);
    leave_and_part(s, &at);
}

static void a_thread_that_stays_inside(void)
{
    stage *s = open_stage(4, 64, 4, 300, scaled(50000));
    run_stage(stay_inside, calling_threads() < 3 ? 3 : calling_threads(), s);
    close_stage(s);
}

/* An agent may ask more often than a counter has numbers: what it used is not handed out again. Then it ends, and begins
 * anew with nothing of what it had. */
static void empty_stocks_stay_empty(void)
{
    stage *s = open_stage(1, 4, 1, 1, 0);
    epoch_participant a;
    assert_int_equal(retire(s, 100, 2, s->e.state->clock), 0);
    scan_all(s, true);
    epoch_participant_begin(&a, 1);
    assert_true(epoch_writer_begin(s->e, &a, 0));
    assert_int_equal(epoch_reuse(&a), 100);
    assert_int_equal(epoch_reuse(&a), 101);
    a.used = UINT32_MAX;
    for (unsigned i = 0; i < 3; i++) assert_int_equal(epoch_reuse(&a), 0);
    assert_int_equal(epoch_writer_end(s->e, &a, s->e.state->clock + 1), 0);
    assert_int_equal(epoch_reuse(&a), 0);
    assert_true(epoch_writer_begin(s->e, &a, 0));
    assert_int_equal(epoch_reuse(&a), 0);
    assert_true(epoch_retire(&a, 200));
    assert_int_equal(epoch_writer_end(s->e, &a, s->e.state->clock + 1), 0);
    assert_int_equal(s->e.home[0].head, 2);
    assert_int_equal(s->e.home[0].tail, 3);
    close_stage(s);
}

/* ---- the runner ------------------------------------------------------------------------------------------------ */

static unit_case cases[] = {
    UNIT(who_asks_is_known),
    UNIT(slots_are_claimed_once),
    UNIT(the_retired_come_back_after_two_scans),
    UNIT(rings_wrap_and_overflow),
    UNIT(who_is_inside_holds_back),
    UNIT(a_scan_in_parts),
    UNIT(pins_have_bounds),
    UNIT(threads_with_slots_for_all),
    UNIT(more_threads_than_slots),
    UNIT(rings_that_are_too_small),
    UNIT(nodes_in_short_supply),
    UNIT(a_thread_that_stays_inside),
    UNIT(empty_stocks_stay_empty),
};

int main(int argc, char **argv)
{
    return run_units("test_epoch", argc, argv, cases, COUNT_OF(cases));
}
