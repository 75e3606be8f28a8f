/* test_versions.c - internal functions of versioned maps, called by one thread: which old images are reused, what a
 * split copies between records, and in which order an agent stores its state and releases its slot. */
#include <stdlib.h>
#include <string.h>

#include "port/port.h"

/* Just before a release store to `released`, `seen` gets the value of the word `looked_at`. */
static const uint64_t *released, *looked_at;
static uint64_t seen;

static void watched_release(uint64_t *p, uint64_t v)
{
    if (p == released) seen = port_load(looked_at);
    port_store_release(p, v);
}
#define port_store_release watched_release

/* The third pause ends what the thread waits for: another one stores `ended_word`. */
static uint64_t *waited_for, ended_word;
static unsigned pauses;

static void counted_pause(unsigned attempt)
{
    (void)attempt;
    if (++pauses == 3) port_store(waited_for, ended_word);
}
#define port_pause counted_pause

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

#define PLEACH_KEY_BITS 32
#include "versioned/versioned.h"

enum { NODES = 20, SLOTS = 300, RING = 4, LEAF = 1, CLOCK = 100 };

typedef struct past {
    version_state state;
    version_record record[NODES];
    uint64_t announce[SLOTS * PORT_LINE_WORDS];
    epoch_home homes[SLOTS];
    epoch_retired rings[SLOTS * RING];
    uint64_t pins[8 * EPOCH_PIN_WORDS];
    blink_tree tree;
    versions versions;
    map_thread map;
} past;

static past *past_open(void)
{
    past *p = must_alloc(1, sizeof *p);
    epoch_begin(&p->state.epoch);
    p->state.epoch.clock = p->state.epoch.floor = CLOCK;
    p->state.epoch.pin_table = (uint64_t)(uintptr_t)p->pins;
    p->state.epoch.pin_room = 8;
    p->versions = (versions){.state = &p->state, .record = p->record, .stripes = 2,
                             .epoch = {.state = &p->state.epoch, .announce = p->announce, .home = p->homes,
                                       .rings = p->rings, .slots = SLOTS, .ring = RING}};
    p->tree.pool.next = p->tree.pool.capacity = NODES;
    p->map = (map_thread){.tree = &p->tree, .nodes = must_alloc(NODES, sizeof(map_node)), .versions = &p->versions};
    return p;
}

static void past_close(past *p)
{
    free(p->map.nodes);
    free(p);
}

/* The version chain of the leaf: images 2, 3, ..., each of which begins two clock steps before the newer one. */
static void make_row(past *p, unsigned images)
{
    p->record[LEAF] = (version_record){.since = CLOCK - 2, .older = LEAF + 1};
    for (unsigned i = 1; i <= images; i++)
        p->record[LEAF + i] = (version_record){.since = CLOCK - 2 - 2 * i, .until = CLOCK - 2 * i,
                                               .older = version_word(LEAF, i < images ? LEAF + i + 1 : 0)};
}

static void pin(past *p, uint64_t stamp) { assert_int_equal(epoch_pin(&p->state.epoch, stamp), EPOCH_DONE); }

/* A cut takes the newest image of the leaf that no snapshot needs. */
static void images_are_cut_out(void)
{
    enum { IMAGES = 6 };
    for (unsigned wanted = 1; wanted <= IMAGES; wanted++) {
        past *p = past_open();
        make_row(p, IMAGES);
        pin(p, 1);
        for (unsigned i = 1; i < wanted; i++) pin(p, p->record[LEAF + i].since);
        version_found found = {CLOCK, 0, LEAF + 1};
        assert_true(take_from_chain(p->map, LEAF, &found));
        assert_int_equal(found.id, LEAF + wanted);
        assert_true(p->record[LEAF + wanted].older & VERSION_LOCK);
        past_close(p);
    }
}

/* A cut takes no image that may belong to another leaf's chain, or that has been reused. */
static void images_of_others_are_left(void)
{
    for (unsigned what = 0; what < 4; what++) {
        past *p = past_open();
        make_row(p, 4);
        pin(p, 1);
        pin(p, p->record[LEAF + 1].since);
        if (what == 0) p->record[LEAF].until = p->record[LEAF + 2].until;
        if (what == 1) p->record[LEAF + 2].older = version_word(LEAF + 5, LEAF + 3);
        if (what == 2) p->record[LEAF + 2].until++;
        if (what == 3) p->record[LEAF + 1].older = version_word(LEAF, 0);
        version_found found = {CLOCK, 0, LEAF + 1};
        assert_false(take_from_chain(p->map, LEAF, &found));
        assert_int_equal(found.id, 0);
        past_close(p);
    }
}

static void splits_pass_the_row_on(void)
{
    past *p = past_open();
    make_row(p, 3);
    share_version_chain(p->map, LEAF, 9);
    assert_int_equal(p->record[9].since, CLOCK - 2);
    assert_int_equal(p->record[9].older, LEAF + 1);
    assert_int_equal(p->record[9].until, CLOCK - 2); /* neither leaf may cut the shared images */
    assert_int_equal(p->record[LEAF].until, CLOCK - 2);
    assert_int_equal(p->record[LEAF].older, LEAF + 1);
    past_close(p);
}

/* With more slots in use than version_needed looks at, and no node for a copy, can_update_in_place_slow looks at all
 * slots. */
static void all_slots_are_asked(void)
{
    past *p = past_open();
    const uint64_t since = CLOCK - 5;
    p->state.epoch.claimed = SLOTS;
    p->state.epoch.floor = since - 1;
    pin(p, since - 1);
    assert_true(version_needed(p->versions, since, CLOCK));
    assert_true(can_update_in_place_slow(p->map, since, CLOCK));
    assert_false(can_update_in_place_slow(p->map, since - 1, CLOCK));
    p->announce[(SLOTS - 1) * PORT_LINE_WORDS] = EPOCH_IN + CLOCK - 1;
    assert_false(can_update_in_place_slow(p->map, since, CLOCK));
    p->announce[(SLOTS - 1) * PORT_LINE_WORDS] = EPOCH_IN + CLOCK;
    assert_true(can_update_in_place_slow(p->map, since, CLOCK));
    past_close(p);
}

/* Free images of a ring go to the pool, and the ring's head is stored before the slot is released. */
static void rings_are_left_in_order(void)
{
    past *p = past_open();
    for (unsigned i = 0; i < 3; i++) {
        p->rings[i] = (epoch_retired){.until = CLOCK - 1 + i, .id = 5 + i};
        p->record[5 + i].until = CLOCK - 1 + i;
    }
    p->homes[0].tail = 3;
    released = p->announce;
    looked_at = &p->homes[0].head;
    return_ring(p->map, 0);
    assert_int_equal(seen, 2); /* the third is younger than the floor */
    assert_int_equal(p->announce[0], EPOCH_FREE);
    assert_int_equal(pool_alloc_any(&p->tree.pool, p->map.nodes, sizeof(map_node), 0), 6);
    assert_int_equal(pool_alloc_any(&p->tree.pool, p->map.nodes, sizeof(map_node), 0), 5);
    released = NULL;
    past_close(p);
}

/* A scan in parts: its position is stored before its latch is released. */
static void scans_are_left_in_order(void)
{
    enum { PART = 100 };
    past *p = past_open();
    epoch_participant a;
    epoch_participant_begin(&a, 1);
    p->state.epoch.claimed = SLOTS;
    p->state.epoch.floor = 1;
    released = &p->state.epoch.scan_latch;
    looked_at = &p->state.epoch.scan_next;
    for (unsigned at = PART; at <= SLOTS; at += PART) {
        assert_int_equal(p->state.epoch.floor, 1);
        epoch_scan(p->versions.epoch, &a, PART, false);
        assert_int_equal(seen, at % SLOTS);
    }
    assert_int_equal(p->state.epoch.floor, CLOCK);
    released = NULL;
    past_close(p);
}

/* Images are retired with the value of the clock. */
static void bags_go_to_the_ring(void)
{
    past *p = past_open();
    epoch_participant a;
    memset(&a, UNTOUCHED, sizeof a);
    p->state.epoch.floor = 1; /* as if a snapshot were live */
    version_writer_begin(&p->versions, &a, 1, 1);
    assert_true(a.slot != EPOCH_NONE);
    assert_int_equal(p->state.epoch.floor, CLOCK); /* a thread scans first */
    p->state.epoch.clock = CLOCK + 3;
    a.scan_least = 77;
    for (uint32_t id = 2; id < 5; id++) assert_true(epoch_retire(&a, id));
    const uint32_t slot = a.slot;
    version_writer_end(&p->versions, &a, 0);
    assert_int_equal(p->homes[slot].tail, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(p->rings[slot * RING + i].until, CLOCK + 3);
        assert_int_equal(p->rings[slot * RING + i].id, 2 + i);
    }
    past_close(p);
}

/* A bag takes as many ids as it has room for, and an empty stock has none. */
static void bags_have_an_end(void)
{
    static const uint32_t rooms[] = {0, 1, 5, EPOCH_BAG};
    for (unsigned i = 0; i < COUNT_OF(rooms); i++) {
        epoch_participant a;
        epoch_participant_begin(&a, 1);
        a.slot = 0;
        a.bag_room = rooms[i];
        assert_int_equal(epoch_reuse(&a), 0);
        for (uint32_t id = 1; id < EPOCH_BAG + 9; id++) assert_int_equal(epoch_retire(&a, id), id <= rooms[i]);
    }
}

/* Snapshots that last for one call: every `turn`-th scans, which raises the floor. */
static void some_snapshots_scan(void)
{
    enum { TURN = 4 };
    past *p = past_open();
    for (unsigned i = 0; i < 3 * TURN; i++) {
        epoch_participant a;
        const uint64_t floor = p->state.epoch.floor, at = version_snapshot_begin(&p->versions, &a, 1, 0);
        assert_int_equal(at, CLOCK + i);
        version_snapshot_end(&p->versions, &a, at, TURN, EPOCH_ALL);
        assert_int_equal(p->state.epoch.floor, at % TURN ? floor : at + 1);
    }
    past_close(p);
}

/* A snapshot that is older than what a leaf's version is from needs no copy of it, also if there is no node for one. */
static void older_snapshots_need_no_copy(void)
{
    past *p = past_open();
    const uint64_t since = CLOCK - 5;
    p->versions.epoch.dated = 1;
    p->state.epoch.claimed = 1;
    p->state.epoch.floor = since - 3;
    p->announce[0] = EPOCH_EXACT | (EPOCH_IN + since - 1);
    assert_true(can_update_in_place_slow(p->map, since, CLOCK));
    assert_false(can_update_in_place_slow(p->map, since - 1, CLOCK));
    past_close(p);
}

/* Free images of all lists and of all rings go to the pool. */
static void every_list_is_looked_through(void)
{
    for (unsigned where = 0; where < 5; where++) { /* two lists, three rings */
        past *p = past_open();
        p->record[7].until = CLOCK;
        p->state.epoch.claimed = 3;
        if (where < 2)
            version_push(p->versions, where, 7, 7);
        else
            p->rings[(where - 2) * RING] = (epoch_retired){.until = CLOCK, .id = 7}, p->homes[where - 2].tail = 1;
        return_all(p->map);
        assert_int_equal(pool_alloc_any(&p->tree.pool, p->map.nodes, sizeof(map_node), 0), 7);
        past_close(p);
    }
}

/* An image of a ring that was cut out of its chain and now holds a newer version is kept in a list. */
static void newer_images_of_a_ring_are_listed(void)
{
    past *p = past_open();
    p->rings[0] = (epoch_retired){.until = CLOCK - 1, .id = 7};
    p->homes[0].tail = 1;
    p->record[7].until = CLOCK + 1;
    return_ring(p->map, 0);
    assert_int_equal(p->homes[0].head, 1);
    assert_int_equal(p->state.kept[0].head, 7);
    assert_int_equal(p->state.kept[0].returned, (uint64_t)-1); /* it counted as returned when it was cut out */
    assert_int_equal(pool_alloc_any(&p->tree.pool, p->map.nodes, sizeof(map_node), 0), 0);
    past_close(p);
}

/* A snapshot for which there is no slot waits for one. */
static void snapshots_wait_for_a_slot(void)
{
    past *p = past_open();
    epoch_participant a;
    for (unsigned slot = 0; slot < SLOTS; slot++) p->announce[slot * PORT_LINE_WORDS] = EPOCH_OUT;
    pauses = 0;
    waited_for = &p->announce[5 * PORT_LINE_WORDS];
    ended_word = EPOCH_FREE;
    assert_int_equal(version_snapshot_begin(&p->versions, &a, 1, 0), CLOCK);
    assert_int_equal(a.slot, 5);
    assert_int_equal(pauses, 3);
    past_close(p);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(images_are_cut_out),
        UNIT(images_of_others_are_left),
        UNIT(splits_pass_the_row_on),
        UNIT(all_slots_are_asked),
        UNIT(rings_are_left_in_order),
        UNIT(scans_are_left_in_order),
        UNIT(bags_go_to_the_ring),
        UNIT(bags_have_an_end),
        UNIT(some_snapshots_scan),
        UNIT(older_snapshots_need_no_copy),
        UNIT(every_list_is_looked_through),
        UNIT(newer_images_of_a_ring_are_listed),
        UNIT(snapshots_wait_for_a_slot),
    };
    return run_units("test_versions", argc, argv, cases, COUNT_OF(cases));
}
