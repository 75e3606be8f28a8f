/* test_lanes.c - participants of the epoch module with several lanes, as blocks of GPU threads are. The lanes are
 * threads of which one runs at a time. It passes the turn on where the lanes meet, and before it adds to a word that
 * they share, so each case runs in a fixed order: once in that of the lanes, and once in the opposite one. Where a
 * meeting is missing, a lane then reads too early or stores too late in one of the two. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "port/port.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

/* ---- lanes ----------------------------------------------------------------------------------------------------- */

enum { LANES = 5, LAST_ENTRY = 127 }; /* LAST_ENTRY: of stock and bag */
typedef enum lane_state { LANE_RUNS, LANE_MEETS, LANE_DONE } lane_state;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t begins[LANES]; /* a lane's turn */
    lane_state state[LANES];
    unsigned turn;
    bool descending, uneven; /* uneven: a lane has ended while others wait for it */
} group = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local unsigned this_lane;

/* The first lane in this state, after lane `from` in the order of turns; LANES: there is none. */
static unsigned next_in_state(lane_state state, unsigned from)
{
    for (unsigned i = 1; i <= LANES; i++) {
        unsigned lane = (from + (group.descending ? LANES - i : i)) % LANES;
        if (group.state[lane] == state) return lane;
    }
    return LANES;
}

/* Takes this lane's new state, passes the turn on, and waits for the next turn. */
static void pass_turn(lane_state state)
{
    pthread_mutex_lock(&group.lock);
    group.state[this_lane] = state;
    unsigned next = next_in_state(LANE_RUNS, this_lane);
    if (next == LANES) { /* all lanes that are not done have met */
        group.uneven |= next_in_state(LANE_DONE, 0) < LANES && next_in_state(LANE_MEETS, 0) < LANES;
        for (unsigned lane = 0; lane < LANES; lane++)
            if (group.state[lane] == LANE_MEETS) group.state[lane] = LANE_RUNS;
        next = next_in_state(LANE_RUNS, group.descending ? 0 : LANES - 1);
    }
    group.turn = next;
    if (next < LANES) pthread_cond_signal(&group.begins[next]);
    while (state != LANE_DONE && group.turn != this_lane)
        pthread_cond_wait(&group.begins[this_lane], &group.lock);
    pthread_mutex_unlock(&group.lock);
}

static uint32_t lane_number(uint32_t lanes) { return lanes == 1 ? 0 : this_lane; }

static void lanes_meet(uint32_t lanes)
{
    if (lanes > 1) pass_turn(LANE_MEETS);
}

/* Other lanes may add to the word between what this lane did last and its own addition. They do so before the last few
 * entries of an array; before all others the turn would only take time. */
static uint32_t lanes_add(uint32_t *p, uint32_t v)
{
    if (*p + 2 * LANES > LAST_ENTRY) pass_turn(LANE_RUNS);
    return port_lane_add(p, v);
}

/* Called before each store and each compare-and-swap of a shared word, with the value that it gets. */
static void (*about_to_store)(const uint64_t *p, uint64_t v);

static void watched_store(uint64_t *p, uint64_t v)
{
    if (about_to_store) about_to_store(p, v);
    port_store(p, v);
}

static bool watched_swap(uint64_t *p, uint64_t expected, uint64_t desired)
{
    if (about_to_store) about_to_store(p, desired);
    return port_compare_swap(p, expected, desired);
}

#define port_lane lane_number
#define port_group_sync lanes_meet
#define port_lane_add lanes_add
#define port_store watched_store
#define port_compare_swap watched_swap

#define PLEACH_KEY_BITS 32
#include "skiplist/skiplist_reclaim.h"
#include "version/version.h"
_Static_assert(EPOCH_BAG == LAST_ENTRY + 1, "where lanes_add passes the turn on");

typedef struct lane_work {
    agent_body *body;
    void *shared;
} lane_work;

static void run_lane(agent *a)
{
    lane_work *work = a->shared;
    this_lane = (unsigned)a->index;
    pthread_mutex_lock(&group.lock);
    while (group.turn != this_lane) pthread_cond_wait(&group.begins[this_lane], &group.lock);
    pthread_mutex_unlock(&group.lock);
    a->shared = work->shared;
    work->body(a);
    pass_turn(LANE_DONE);
}

static void run_lanes(agent_body *body, void *shared, bool descending)
{
    group.descending = descending;
    group.uneven = false;
    group.turn = descending ? LANES - 1 : 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        group.state[lane] = LANE_RUNS;
        pthread_cond_init(&group.begins[lane], NULL);
    }
    run_agents(LANES, run_lane, &(lane_work){body, shared});
    for (unsigned lane = 0; lane < LANES; lane++) pthread_cond_destroy(&group.begins[lane]);
    assert_false(group.uneven);
}

/* ---- what they share ------------------------------------------------------------------------------------------- */

enum {
    SLOTS = 9,
    OWN_SLOT = 3,
    MOST_RING = 2 * EPOCH_BAG + 20,
    HELD = 3, /* ids in the ring that are not free */
    IDS = 3 * EPOCH_BAG,
    NODE_BYTES = 128,
    NODE_WORDS = NODE_BYTES / 8,
    CLOCK = 100
};

typedef struct scene {
    version_state state;
    version_record record[IDS];
    uint64_t announce[SLOTS * PORT_LINE_WORDS];
    epoch_home homes[SLOTS];
    epoch_retired rings[SLOTS * MOST_RING];
    uint64_t pins[4 * EPOCH_PIN_WORDS];
    blink_tree tree;
    uint64_t nodes[IDS * NODE_WORDS];
    versions versions;
    epoch e;
    epoch_participant participant; /* of all lanes */
    unsigned stores[IDS];          /* to record[id].next */
    unsigned taken[IDS], retired, next;
    uint32_t expected;
    const char *wrong;             /* what about_to_store has found */
} scene;

static scene *now; /* the case's */

static scene *open_scene(uint32_t ring)
{
    scene *s = must_alloc(1, sizeof *s);
    epoch_begin(&s->state.epoch);
    s->state.epoch.clock = s->state.epoch.floor = CLOCK;
    s->state.epoch.pin_table = (uint64_t)(uintptr_t)s->pins;
    s->state.epoch.pin_room = 4;
    s->e = (epoch){.state = &s->state.epoch, .announce = s->announce, .home = s->homes, .rings = s->rings,
                   .slots = SLOTS, .ring = ring};
    s->versions = (versions){.state = &s->state, .record = s->record, .stripes = 2, .epoch = s->e};
    s->tree.pool.next = s->tree.pool.capacity = IDS;
    now = s;
    return s;
}

static void close_scene(scene *s)
{
    about_to_store = NULL;
    const char *wrong = s->wrong;
    free(s);
    if (wrong) fail_msg("%s", wrong);
}

static epoch_home *own_home(scene *s) { return &s->homes[OWN_SLOT]; }

static epoch_retired *own_entry(scene *s, uint64_t at) { return epoch_entry(s->e, OWN_SLOT, at); }

/* Runs the case in both orders of lanes, with memory of its own. */
static void in_both_orders(agent_body *body, uint32_t ring, void (*prepare)(scene *), void (*settle)(scene *))
{
    for (unsigned descending = 0; descending < 2; descending++) {
        scene *s = open_scene(ring);
        prepare(s);
        run_lanes(body, s, descending);
        about_to_store = NULL;
        if (settle) settle(s);
        close_scene(s);
    }
}

/* ---- words that all lanes are told ----------------------------------------------------------------------------- */

static void nothing_to_prepare(scene *s) { (void)s; }

/* Lane 0 overwrites the word as soon as it may. */
static void hear_numbers(agent *a)
{
    scene *s = a->shared;
    static uint32_t word;
    epoch_participant_begin(&s->participant, LANES);
    for (uint32_t i = 1; i < 10; i++) {
        if (a->index == 0) word = i;
        EXPECT(a, epoch_broadcast(&s->participant, &word) == i);
    }
}

static void all_lanes_hear_the_same(void)
{
    in_both_orders(hear_numbers, 1, nothing_to_prepare, NULL);
}

/* ---- slots and scans ------------------------------------------------------------------------------------------- */

static void come_and_go(agent *a)
{
    scene *s = a->shared;
    epoch_participant *p = &s->participant;
    for (unsigned round = 0; round < 3; round++) {
        epoch_participant_begin(p, LANES);
        EXPECT(a, epoch_register(s->e, p, OWN_SLOT));
        EXPECT(a, p->slot == OWN_SLOT);
        EXPECT(a, port_load(epoch_slot(s->e, p->slot)) == EPOCH_OUT);
        /* the slot is the lanes' until the last one has come here */
        epoch_unregister(s->e, p);
        EXPECT(a, p->slot == EPOCH_NONE);
        EXPECT(a, port_load(epoch_slot(s->e, OWN_SLOT)) == EPOCH_FREE);
    }
}

static void slots_are_left_by_all(void)
{
    in_both_orders(come_and_go, 1, nothing_to_prepare, NULL);
}

/* Each slot in turn has the least stamp. */
static void scan_for_the_least(agent *a)
{
    scene *s = a->shared;
    epoch_participant *p = &s->participant;
    epoch_participant_begin(p, LANES);
    for (uint32_t least = 0; least < SLOTS; least++) {
        if (a->index == 0)
            for (uint32_t slot = 0; slot < SLOTS; slot++)
                port_store(epoch_slot(s->e, slot), EPOCH_IN + CLOCK - (slot == least ? SLOTS - least : 0));
        lanes_meet(LANES);
        epoch_scan(s->e, p, EPOCH_ALL, false);
        EXPECT(a, port_load(&s->state.epoch.floor) == CLOCK - SLOTS + least);
        EXPECT(a, port_load(&s->state.epoch.scan_latch) == 0);
    }
    EXPECT(a, port_load(&s->state.epoch.clock) == CLOCK);
    lanes_meet(LANES);
    if (a->index == 0) s->state.epoch.scan_latch = 1; /* another participant scans */
    epoch_scan(s->e, p, EPOCH_ALL, false);
    EXPECT(a, p->won == 0);
}

static void all_slots_announced(scene *s)
{
    s->state.epoch.floor = 1;
    s->state.epoch.claimed = SLOTS;
}

static void lanes_share_a_scan(void)
{
    in_both_orders(scan_for_the_least, 1, all_slots_announced, NULL);
}

/* Snapshots of a call: all lanes have its timestamp, and it ends when the last lane has read. */
static void look_back(agent *a)
{
    scene *s = a->shared;
    epoch_participant *p = &s->participant;
    for (unsigned round = 0; round < 4; round++) {
        uint64_t at = version_snapshot_begin(&s->versions, p, LANES, OWN_SLOT);
        EXPECT(a, at == CLOCK + round);
        EXPECT(a, port_load(&s->state.epoch.clock) == CLOCK + round + 1);
        EXPECT(a, port_load(epoch_slot(s->e, OWN_SLOT)) == EPOCH_IN + at);
        version_snapshot_end(&s->versions, p, at, 2, EPOCH_ALL);
        EXPECT(a, port_load(epoch_slot(s->e, OWN_SLOT)) == EPOCH_FREE);
        EXPECT(a, port_load(&s->state.epoch.floor) == CLOCK + (round | 1)); /* every second one scans */
    }
}

static void lanes_share_a_snapshot(void)
{
    in_both_orders(look_back, 1, nothing_to_prepare, NULL);
}

/* ---- retiring and reusing -------------------------------------------------------------------------------------- */

/* Before the ring's end moves, every entry below it must be there. */
static void tail_covers_entries(const uint64_t *p, uint64_t v)
{
    if (p != &own_home(now)->tail) return;
    for (uint64_t at = own_home(now)->tail; at < v; at++)
        if (own_entry(now, at)->id == 0 || own_entry(now, at)->until == 0) now->wrong = "an entry comes after the tail";
}

/* A ring with `free` ids that are free, and some that are not. */
static void ids_in_the_ring(scene *s, uint32_t free)
{
    for (uint32_t i = 0; i < free + HELD; i++)
        *own_entry(s, i) = (epoch_retired){.until = i < free ? CLOCK : CLOCK + 1, .id = 1 + i};
    own_home(s)->tail = free + HELD;
    s->expected = free < EPOCH_BAG ? free : EPOCH_BAG;
    about_to_store = tail_covers_entries;
}

static void less_than_a_stock(scene *s) { ids_in_the_ring(s, EPOCH_BAG - 3); }
static void more_than_a_stock(scene *s) { ids_in_the_ring(s, EPOCH_BAG + 3); }

/* The lanes use up the stock and fill the bag; each goes on until it is told that there is no more. */
static void use_and_retire(agent *a)
{
    scene *s = a->shared;
    epoch_participant *p = &s->participant;
    if (a->index == 0) memset(p, UNTOUCHED, sizeof *p);
    lanes_meet(LANES);
    epoch_participant_begin(p, LANES);
    EXPECT(a, !epoch_retire(p, 1)); /* it has no slot */
    lanes_meet(LANES);
    EXPECT(a, epoch_writer_begin(s->e, p, OWN_SLOT));
    EXPECT(a, p->stocked == s->expected);
    for (uint32_t id = 1; id != 0;) {
        id = epoch_reuse(p);
        EXPECT(a, id <= s->expected);
        s->taken[id]++;
    }
    lanes_meet(LANES);
    for (uint32_t id = 1; id <= s->expected; id++) EXPECT(a, s->taken[id] == 1);
    EXPECT(a, s->taken[0] == LANES);
    lanes_meet(LANES);
    if (a->index == 0) /* the entries that the next ids get: a missing store leaves 0 */
        for (uint64_t i = 0; i < EPOCH_BAG; i++) *own_entry(s, own_home(s)->tail + i) = (epoch_retired){0, 0};
    for (bool kept = true; kept; s->retired += kept) kept = epoch_retire(p, 200 + s->next++);
    EXPECT(a, epoch_writer_end(s->e, p, CLOCK + 2) == 0);
    EXPECT(a, s->retired == EPOCH_BAG);
    EXPECT(a, p->slot == EPOCH_NONE);
}

static void bag_is_in_the_ring(scene *s)
{
    bool there[IDS] = {false};
    assert_int_equal(own_home(s)->head, s->expected);
    for (uint64_t at = own_home(s)->tail - EPOCH_BAG; at < own_home(s)->tail; at++) {
        epoch_retired *entry = own_entry(s, at);
        assert_int_equal(entry->until, CLOCK + 2);
        assert_in_range(entry->id, 200, 200 + EPOCH_BAG + LANES - 1);
        assert_false(there[entry->id]);
        there[entry->id] = true;
    }
}

static void lanes_share_stock_and_bag(void)
{
    in_both_orders(use_and_retire, MOST_RING, less_than_a_stock, bag_is_in_the_ring);
    in_both_orders(use_and_retire, MOST_RING, more_than_a_stock, bag_is_in_the_ring);
}

/* ---- versions for which the ring has no room ------------------------------------------------------------------- */

enum { STRIPE = 1, SMALL_RING = 4 };

/* The ids of a list of kept versions, from its first one; a list that is torn has another number. */
static unsigned kept_from(const scene *s, uint64_t id)
{
    unsigned count = 0;
    for (; id != 0 && id < IDS && count < IDS; id = s->record[id].next) count++;
    return count;
}

/* Before a list is pushed, every version in it must name the next one. */
static void lists_are_whole(const uint64_t *p, uint64_t v)
{
    if (p == &now->state.kept[STRIPE].head && v && kept_from(now, v) != now->expected)
        now->wrong = "a list is pushed before it is whole";
    for (uint32_t id = 1; id < IDS; id++)
        if (p == &now->record[id].next) now->stores[id]++;
}

static void keep_some(agent *a)
{
    scene *s = a->shared;
    epoch_participant *p = &s->participant;
    version_writer_begin(&s->versions, p, LANES, OWN_SLOT);
    EXPECT(a, p->slot == OWN_SLOT);
    while (epoch_retire(p, 1 + s->next++)) {}
    version_writer_end(&s->versions, p, STRIPE);
    EXPECT(a, p->slot == EPOCH_NONE);
    EXPECT(a, kept_from(s, port_load(&s->state.kept[STRIPE].head)) == s->expected);
}

/* As if a snapshot were live. */
static void ring_with_room(scene *s)
{
    s->state.epoch.floor = 1;
    s->expected = EPOCH_BAG - SMALL_RING;
    about_to_store = lists_are_whole;
}

static void ring_without_room(scene *s)
{
    ring_with_room(s);
    for (uint32_t i = 0; i < SMALL_RING; i++) *own_entry(s, i) = (epoch_retired){.until = CLOCK + 1, .id = IDS - 1 - i};
    own_home(s)->tail = SMALL_RING;
    s->expected = EPOCH_BAG;
}

/* Each link is stored once. */
static void links_are_stored_once(scene *s)
{
    unsigned stores = 0;
    for (uint32_t id = 1; id < IDS; id++) {
        assert_true(s->stores[id] <= 1);
        stores += s->stores[id];
    }
    assert_int_equal(stores, s->expected);
    const uint64_t until = s->expected == EPOCH_BAG ? CLOCK + 1 : CLOCK;
    for (uint64_t at = 0; at < SMALL_RING; at++) assert_int_equal(own_entry(s, at)->until, until);
}

static void versions_without_room_are_listed(void)
{
    in_both_orders(keep_some, SMALL_RING, ring_with_room, links_are_stored_once);
    in_both_orders(keep_some, SMALL_RING, ring_without_room, links_are_stored_once);
}

/* Without a snapshot there is nothing to keep, and no slot is claimed. */
static void keep_nothing(agent *a)
{
    scene *s = a->shared;
    epoch_participant *p = &s->participant;
    for (unsigned round = 0; round < 2; round++) {
        version_writer_begin(&s->versions, p, LANES, OWN_SLOT);
        EXPECT(a, p->slot == EPOCH_NONE);
        EXPECT(a, !epoch_retire(p, 1));
        version_writer_end(&s->versions, p, STRIPE); /* the participant may begin again at once */
    }
    EXPECT(a, port_load(&s->state.kept[STRIPE].head) == 0);
}

static void writers_without_a_slot(void)
{
    in_both_orders(keep_nothing, SMALL_RING, nothing_to_prepare, NULL);
}

/* ---- critical sections of skiplists ---------------------------------------------------------------------------- */

static unsigned freed_from(const scene *s, uint64_t id)
{
    unsigned count = 0;
    for (; id != 0 && id < IDS && count < IDS; count++) id = s->nodes[id * NODE_WORDS];
    return count;
}

/* Before chunks are freed as a list, each must name the next one. */
static void freed_lists_are_whole(const uint64_t *p, uint64_t v)
{
    tail_covers_entries(p, v);
    if (p == &now->tree.pool.free[OWN_SLOT].head && freed_from(now, (uint32_t)v) != now->expected + now->retired)
        now->wrong = "a list is freed before it is whole";
}

static void chunks_to_retire(scene *s)
{
    s->expected = 3 * LANES; /* chunks per section */
    memset(s->nodes, UNTOUCHED, sizeof s->nodes);
    about_to_store = freed_lists_are_whole;
}

/* Chunks that are retired in a section are freed when the clock has ticked twice; s->retired is what is free. */
static void enter_and_leave(agent *a)
{
    enum { SECTIONS = 5, EACH = 3 };
    scene *s = a->shared;
    epoch_participant *p = &s->participant;
    const skiplist_ref place = {&s->tree, s->nodes, s->e, NODE_BYTES};
    skiplist_register(&place, p, LANES, OWN_SLOT);
    for (unsigned round = 0; round < SECTIONS; round++) {
        skiplist_begin(&place, p);
        EXPECT(a, port_load(epoch_slot(s->e, OWN_SLOT)) == EPOCH_IN + CLOCK + round);
        EXPECT(a, p->bag_room == EPOCH_BAG);
        const unsigned returned = round < 3 ? 0 : (round - 2) * EACH * LANES;
        EXPECT(a, port_load(&s->tree.returned) == returned);
        if (a->index == 0) s->retired = returned;
        for (uint32_t i = 0; i < EACH; i++)
            EXPECT(a, epoch_retire(p, 1 + (round * EACH + i) * LANES + (uint32_t)a->index));
        skiplist_end(&place, p);
        EXPECT(a, port_load(epoch_slot(s->e, OWN_SLOT)) == EPOCH_OUT);
        EXPECT(a, port_load(&s->state.epoch.clock) == CLOCK + round + 1);
        EXPECT(a, own_entry(s, own_home(s)->tail - 1)->until == CLOCK + round + 2);
        EXPECT(a, own_entry(s, own_home(s)->tail - EACH * LANES)->until == CLOCK + round + 2);
    }
    skiplist_unregister(&place, p);
    EXPECT(a, p->slot == EPOCH_NONE);
}

static void chunks_are_freed_once(scene *s)
{
    assert_int_equal(freed_from(s, (uint32_t)s->tree.pool.free[OWN_SLOT].head), s->tree.returned);
    assert_int_equal(own_home(s)->head, s->tree.returned);
    assert_int_equal(own_home(s)->tail, 5 * s->expected);
}

static void lanes_share_a_section(void)
{
    in_both_orders(enter_and_leave, MOST_RING, chunks_to_retire, chunks_are_freed_once);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(all_lanes_hear_the_same),
        UNIT(slots_are_left_by_all),
        UNIT(lanes_share_a_scan),
        UNIT(lanes_share_a_snapshot),
        UNIT(lanes_share_stock_and_bag),
        UNIT(versions_without_room_are_listed),
        UNIT(writers_without_a_slot),
        UNIT(lanes_share_a_section),
    };
    return run_units("test_lanes", argc, argv, cases, COUNT_OF(cases));
}
