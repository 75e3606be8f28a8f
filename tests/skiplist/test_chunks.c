/* test_chunks.c - internal functions of the skiplist, called by one thread. Structural work on upper levels is run step
 * by step, and between two steps the test makes the changes that a concurrent thread could make. */
#include <stdlib.h>
#include <string.h>

#include "port/port.h"

/* After the next acquire load of the watched word, and before its value is used, `meanwhile` runs: the changes of a
 * concurrent thread. */
static const uint64_t *watched;
static void (*meanwhile)(void);

static uint64_t watched_acquire(const uint64_t *p)
{
    uint64_t value = port_load_acquire(p);
    if (p == watched) {
        watched = NULL;
        meanwhile();
    }
    return value;
}
#define port_load_acquire watched_acquire

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/units.h"

#define PLEACH_KEY_BITS 32
#include "skiplist/skiplist.h"
#include "skiplist/skiplist_plan.h"
#include "blink/blink_build.h"
#include "skiplist/skiplist_check.h"
#include "skiplist/skiplist_reclaim.h"

enum { KEYS = 90, PER_CHUNK = 3, STEP = 10, ROOM = 400, MOST_STEPS = 1000, THIRD = 3 };

typedef struct list {
    build_plan plan;
    blink_tree shared;
    uint32_t *keys;
    epoch_participant agent;
    map_thread map;
} list;

/* Three pairs per chunk, so that any two neighbours can be merged. Every chunk is raised. */
static list *list_build(void)
{
    list *l = must_alloc(1, sizeof *l);
    skiplist_plan_make(&l->plan, KEYS, (double)PER_CHUNK / NODE_CAPACITY, NODE_SLOTS);
    l->keys = must_alloc(KEYS, sizeof *l->keys);
    for (uint32_t i = 0; i < KEYS; i++) l->keys[i] = i * STEP;
    void *nodes = must_alloc(ROOM, sizeof(map_node));
    for (uint32_t level = 0; level < l->plan.levels; level++)
        for (uint64_t j = 0; j < l->plan.count[level]; j++)
            for (unsigned slot = 0; slot < NODE_SLOTS; slot++)
                build_slot(&l->plan, nodes, l->keys, l->keys, level, j, slot);
    l->shared.root = l->plan.root;
    l->shared.pool.next = 1 + l->plan.nodes;
    l->shared.pool.capacity = ROOM;
    l->shared.stripe[0].size = KEYS;
    epoch_participant_begin(&l->agent, 1);
    l->agent.slot = 0; /* an agent without a slot cannot retire chunks */
    l->map = (map_thread){.tree = &l->shared, .nodes = nodes, .agent = &l->agent, .raise = (uint64_t)1 << 32};
    return l;
}

static void list_free(list *l)
{
    free(l->map.nodes);
    free(l->keys);
    free(l);
}

static uint64_t *header_of(list *l, uint64_t chunk)
{
    return &node_at(l->map, build_id(&l->plan, 0, chunk))->word[HEADER_WORD];
}

static void assert_valid(list *l)
{
    char why[200] = "";
    if (!skiplist_validate(NODE_SLOTS, 32, &l->shared, l->map.nodes, why, sizeof why)) fail_msg("%s", why);
}

static void put(list *l, uint32_t key)
{
    update_op update;
    update_start(l->map, &update, OP_PUT, key, key);
    while (update_step(l->map, &update) == STEP_MOVED) {}
    assert_int_equal(update.outcome, PLEACH_INSERTED);
    l->shared.stripe[0].size++;
}

/* The structural work after an erase in chunk THIRD. All other fields keep a filling pattern. */
static restructure_op small_third(list *l)
{
    restructure_op t;
    memset(&t, UNTOUCHED, sizeof t);
    update_op update;
    update.separator = pair_of(0, NODE_NONE);
    update.cursor.low = update.cursor.target = THIRD * PER_CHUNK * STEP;
    update.cursor.node = build_id(&l->plan, 0, THIRD);
    restructure_start(l->map, &t, &update);
    return t;
}

/* Runs steps until the stage is reached or the work is done. Returns how many of them returned AGAIN. */
static unsigned steps_to(list *l, restructure_op *t, restructure_stage stage)
{
    unsigned again = 0;
    for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
        if (t->stage == stage) return again;
        level_step step = restructure_step(l->map, t);
        again += step == STEP_AGAIN;
        if (step != STEP_AGAIN && step != STEP_MOVED) return again;
    }
    fail_msg("no end after %d steps", MOST_STEPS);
    return again;
}

static const restructure_stage THE_END = (restructure_stage)99;

static void small_chunks_are_merged(void)
{
    list *l = list_build();
    assert_valid(l);
    restructure_op t = small_third(l);
    assert_int_equal(steps_to(l, &t, THE_END), 0);
    assert_int_equal(chunk_state(*header_of(l, THIRD + 1)), CHUNK_ZOMBIE);
    assert_int_equal(header_count(*header_of(l, THIRD)), 2 * PER_CHUNK);
    assert_valid(l);
    list_free(l);
}

/* Both neighbours are in use by other agents and stay so: the chunk remains small, and the agent does not wait. */
static void busy_neighbours_are_given_up(void)
{
    list *l = list_build();
    const uint64_t right = *header_of(l, THIRD + 1), own = *header_of(l, THIRD);
    *header_of(l, THIRD + 1) = right | HEADER_LATCHED;
    *header_of(l, THIRD) = header_with_state(own, CHUNK_RAISING);
    restructure_op t = small_third(l);
    assert_int_equal(steps_to(l, &t, RESTRUCTURE_LEFT), RESTRUCTURE_TRIES);
    assert_int_equal(steps_to(l, &t, THE_END), RESTRUCTURE_TRIES);
    *header_of(l, THIRD + 1) = right;
    *header_of(l, THIRD) = own;
    const uint64_t left = *header_of(l, THIRD - 1);
    *header_of(l, THIRD - 1) = left | HEADER_LATCHED;
    *header_of(l, THIRD + 1) = right | HEADER_LATCHED;
    t = small_third(l);
    assert_int_equal(steps_to(l, &t, RESTRUCTURE_LEFT), RESTRUCTURE_TRIES);
    assert_int_equal(steps_to(l, &t, THE_END), RESTRUCTURE_TRIES);
    *header_of(l, THIRD - 1) = left;
    *header_of(l, THIRD + 1) = right;
    assert_valid(l);
    list_free(l);
}

/* The left chunk fills up between the look and the merge: the right one returns to its state, raised or not. */
static void chunks_too_full_stay(void)
{
    for (unsigned state = CHUNK_LOW; state <= CHUNK_RAISED; state += CHUNK_RAISED - CHUNK_LOW) {
        list *l = list_build();
        if (state == CHUNK_LOW) {
            unsigned left;
            level_cursor above;
            cursor_start(l->map, &above, (THIRD + 1) * PER_CHUNK * STEP);
            while (above.level > 1) cursor_descend(l->map, &above);
            assert_int_equal(lower_here(l->map, &above, &left), STEP_DONE);
            *header_of(l, THIRD + 1) = header_with_state(*header_of(l, THIRD + 1), CHUNK_LOW);
        }
        assert_valid(l);
        restructure_op t = small_third(l);
        assert_int_equal(steps_to(l, &t, RESTRUCTURE_MERGE), 0);
        assert_int_equal(chunk_state(*header_of(l, THIRD + 1)), CHUNK_RAISING);
        for (uint32_t i = 1; i < CHUNK_MUCH - PER_CHUNK; i++) put(l, THIRD * PER_CHUNK * STEP + i);
        if (state == CHUNK_LOW) { /* the left neighbour is next */
            steps_to(l, &t, RESTRUCTURE_LEFT);
            assert_int_equal(t.stage, RESTRUCTURE_LEFT);
        }
        steps_to(l, &t, THE_END);
        assert_int_equal(chunk_state(*header_of(l, THIRD + 1)), state);
        assert_int_equal(header_count(*header_of(l, THIRD + 1)), PER_CHUNK);
        assert_valid(l);
        list_free(l);
    }
}

/* The last pair of chunk THIRD is erased, and an insert stores a pair in that slot but has not released the header. */
static list *changing;
enum { NEW_KEY = THIRD * PER_CHUNK * STEP + 1 };

static void erase_and_begin_to_insert(void)
{
    map_node *chunk = node_at(changing->map, build_id(&changing->plan, 0, THIRD));
    *header_of(changing, THIRD) = header_next(*header_of(changing, THIRD), PER_CHUNK - 1) | HEADER_LATCHED;
    pair_store(chunk, PER_CHUNK - 1, pair_of(NEW_KEY, NEW_KEY));
}

static void pairs_count_before_they_are_found(void)
{
    changing = list_build();
    watched = header_of(changing, THIRD);
    meanwhile = erase_and_begin_to_insert;
    chunk_view look;
    const map_node *chunk = node_at(changing->map, build_id(&changing->plan, 0, THIRD));
    assert_int_equal(chunk_look(chunk, NEW_KEY, &look, false), NODE_CHANGED);
    assert_null(watched);
    list_free(changing);
}

static void levels_end(void)
{
    map_thread map = {.raise = (uint64_t)1 << 32};
    for (unsigned level = 0; level < SKIPLIST_LEVELS; level++)
        for (uint32_t id = 1; id < 100; id++) {
            map.raise = (uint64_t)1 << 32;
            assert_int_equal(is_raised(map, id, id, level), level + 1 < SKIPLIST_LEVELS);
            map.raise = 0;
            assert_false(is_raised(map, id, id, level));
        }
}

/* An agent that leaves with retired chunks in its ring advances the clock, after its own slot has left. */
static void stays_end_before_the_scan(void)
{
    enum { SLOTS = 2, RING = 4 };
    list *l = list_build();
    epoch_state state = {0};
    epoch_begin(&state);
    uint64_t announce[SLOTS * PORT_LINE_WORDS] = {0};
    epoch_home homes[SLOTS] = {0};
    epoch_retired rings[SLOTS * RING] = {0};
    const skiplist_ref place = {&l->shared, l->map.nodes,
                                  {.state = &state, .announce = announce, .home = homes, .rings = rings,
                                   .slots = SLOTS, .ring = RING}, sizeof(map_node)};
    epoch_participant a;
    memset(&a, 0, sizeof a);
    skiplist_register(&place, &a, 1, 0);
    skiplist_begin(&place, &a);
    skiplist_end(&place, &a);
    assert_int_equal(state.clock, 0); /* no retired chunks, so no scan */
    uint32_t id = pool_alloc_fresh(&l->shared.pool, 0);
    skiplist_begin(&place, &a);
    assert_true(announce[0] >= EPOCH_IN);
    assert_true(epoch_retire(&a, id));
    skiplist_end(&place, &a);
    assert_int_equal(announce[0], EPOCH_OUT);
    assert_int_equal(state.clock, 1);
    skiplist_begin(&place, &a);
    skiplist_end(&place, &a);
    assert_int_equal(state.clock, 2);
    assert_int_equal(l->shared.returned, 0);
    skiplist_begin(&place, &a); /* the floor is one step behind the clock */
    skiplist_end(&place, &a);
    skiplist_begin(&place, &a);
    assert_int_equal(l->shared.returned, 1);
    skiplist_end(&place, &a);
    assert_int_equal(pool_alloc_any(&l->shared.pool, l->map.nodes, sizeof(map_node), 0), id);
    skiplist_unregister(&place, &a);
    list_free(l);
}

/* A result in the chunk that covers the key takes one look at it. */
static void near_results_take_one_walk(void)
{
    list *l = list_build();
    for (uint32_t i = 0; i < KEYS; i++)
        for (unsigned up = 0; up < 2; up++) {
            seek_op seek;
            memset(&seek, 0, sizeof seek);
            unsigned looks = 0;
            level_step step;
            seek_start(l->map, &seek, i * STEP, up);
            do {
                looks += seek.cursor.level == 0;
                step = seek_step(l->map, &seek);
            } while (step == STEP_MOVED);
            assert_int_equal(step, STEP_DONE);
            assert_true(seek.found && seek.answer.key == i * STEP);
            assert_int_equal(looks, 1);
        }
    list_free(l);
}

/* A full chunk of an upper level, with the given link, that is latched. */
static uint32_t full_chunk(list *l, map_pair link)
{
    uint32_t id = pool_alloc_fresh(&l->shared.pool, 0);
    map_node *node = node_at(l->map, id);
    for (unsigned i = 0; i < NODE_CAPACITY; i++) pair_store(node, i, pair_of((i + 1) * STEP, 1 + i));
    slots_pad(node, NODE_CAPACITY, link);
    node->word[HEADER_WORD] = header_first(chunk_bits(1, CHUNK_LOW), NODE_CAPACITY) | HEADER_LATCHED;
    return id;
}

/* A full chunk above the bottom level is split in half; only the last one of its level, if it gets a new last pair,
 * stays full. */
static void upper_chunks_are_split_in_half(void)
{
    for (unsigned at = 0; at <= NODE_CAPACITY; at++)
        for (unsigned last = 0; last < 2; last++) {
            list *l = list_build();
            l->map.raise = 0;
            uint32_t id = full_chunk(l, last ? pair_of(NODE_CAPACITY * STEP, NODE_CAPACITY) : link_to(1000, 7));
            map_node *node = node_at(l->map, id);
            const uint64_t header = header_load(node) & ~(uint64_t)HEADER_LATCHED;
            upper_split(l->map, id, header, at, pair_of(at * STEP + 5, 99));
            const map_node *right = node_at(l->map, (uint32_t)l->shared.pool.next - 1);
            const unsigned left = last && at == NODE_CAPACITY ? NODE_CAPACITY : NODE_CAPACITY / 2;
            assert_int_equal(header_count(header_load(node)), left);
            assert_int_equal(header_count(header_load(right)), NODE_CAPACITY + 1 - left);
            for (unsigned i = 0; i <= NODE_CAPACITY; i++) {
                const uint32_t expected = i == at ? at * STEP + 5 : (i < at ? i + 1 : i) * STEP;
                assert_int_equal((i < left ? pair_load(node, i) : pair_load(right, i - left)).key, expected);
            }
            list_free(l);
        }
}

/* A chunk is latched after an update has looked at it: the update does not go on to its right neighbour. */
static void latch_chunk(void) { *header_of(changing, THIRD) |= HEADER_LATCHED; }

static void updates_wait_for_splits(void)
{
    for (unsigned latched = 0; latched < 2; latched++) {
        changing = list_build();
        update_op update;
        update_start(changing->map, &update, OP_PUT, (THIRD + 1) * PER_CHUNK * STEP, 7);
        update.cursor.level = 0;
        update.cursor.node = build_id(&changing->plan, 0, THIRD);
        watched = latched ? header_of(changing, THIRD) : NULL;
        meanwhile = latch_chunk;
        assert_int_equal(update_step(changing->map, &update), latched ? STEP_AGAIN : STEP_MOVED);
        assert_null(watched);
        assert_int_equal(update.cursor.node, build_id(&changing->plan, 0, THIRD + !latched));
        list_free(changing);
    }
}

/* The link of a latched chunk means nothing: the work at its right neighbour tries again before it is given up. */
static void links_of_latched_chunks_are_not_followed(void)
{
    list *l = list_build();
    map_node *left = node_at(l->map, build_id(&l->plan, 0, THIRD - 1));
    const map_pair link = pair_load(left, NODE_LINK_SLOT);
    *header_of(l, THIRD - 1) |= HEADER_LATCHED;
    *header_of(l, THIRD + 1) |= HEADER_LATCHED;
    pair_store(left, NODE_LINK_SLOT, link_to(link.key, build_id(&l->plan, 0, THIRD + 2)));
    restructure_op t = small_third(l);
    assert_int_equal(steps_to(l, &t, RESTRUCTURE_LEFT), RESTRUCTURE_TRIES);
    assert_int_equal(steps_to(l, &t, THE_END), RESTRUCTURE_TRIES);
    pair_store(left, NODE_LINK_SLOT, link);
    *header_of(l, THIRD - 1) &= ~(uint64_t)HEADER_LATCHED;
    *header_of(l, THIRD + 1) &= ~(uint64_t)HEADER_LATCHED;
    assert_valid(l);
    list_free(l);
}

/* A lookup that needs no more of a latched chunk than one pair does not wait for it. */
static void lookups_pass_latched_chunks(void)
{
    list *l = list_build();
    const map_node *node = node_at(l->map, full_chunk(l, link_to(1000, 7)));
    map_pair pair;
    for (unsigned i = 0; i < NODE_CAPACITY; i++) {
        assert_int_equal(node_lookup(node, (i + 1) * STEP, &pair), NODE_FOUND);
        assert_int_equal(pair.value, 1 + i);
        assert_int_equal(node_lookup(node, i * STEP + 5, &pair), NODE_CHANGED);
    }
    assert_int_equal(node_lookup(node, 999, &pair), NODE_CHANGED);
    assert_int_equal(node_lookup(node, 1000, &pair), NODE_RIGHT);
    assert_int_equal(node_lookup(node, 1001, &pair), NODE_RIGHT);
    assert_int_equal(pair_node(pair), 7);
    list_free(l);
}

int main(int argc, char **argv)
{
    unit_case cases[] = {
        UNIT(small_chunks_are_merged),
        UNIT(busy_neighbours_are_given_up),
        UNIT(chunks_too_full_stay),
        UNIT(pairs_count_before_they_are_found),
        UNIT(levels_end),
        UNIT(stays_end_before_the_scan),
        UNIT(near_results_take_one_walk),
        UNIT(upper_chunks_are_split_in_half),
        UNIT(updates_wait_for_splits),
        UNIT(links_of_latched_chunks_are_not_followed),
        UNIT(lookups_pass_latched_chunks),
    };
    return run_units("test_chunks", argc, argv, cases, COUNT_OF(cases));
}
