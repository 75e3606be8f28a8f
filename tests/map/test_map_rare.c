/* test_map_rare.c - what happens so rarely that it has to be arranged: a writer that comes between the two halves of a
 * range call, memory that runs out just then, and a pool that ends exactly where the tree would grow by a level.
 *
 * The CPU executor is compiled into this program, with a man in the middle between it and the tree: just before a range
 * is filled into its places he inserts or erases keys, as another thread might. */
#include <stdlib.h>
#include <string.h>

#include <base/memory.h>
#include <map/map_choose_isa.h>

#include "testkit/buffers.h"
#include "testkit/compare.h"
#include "testkit/harness.h"
#include "testkit/oracle.h"
#include "testkit/units.h"
#include "testkit/wide.h"

static const blink_run_ops *direct; /* the tree's own functions */
static blink_run_ops observed;

/* The writer: what he does when a range is about to be filled. */
static struct {
    unsigned rounds;     /* how many times more he comes */
    unsigned keys;       /* how many keys he inserts, or erases, each time */
    op_kind kind;
    unsigned bits;
    uint64_t next_key;
    long failing_allocation; /* set for the rest of the call; 0: none */
} writer;

static void write_between(map_ref place)
{
    for (unsigned i = 0; i < writer.keys; i++, writer.next_key++) {
        const uint32_t narrow[2] = {(uint32_t)writer.next_key, 1};
        const uint64_t full[2] = {writer.next_key, 1};
        const void *key = writer.bits == 32 ? (const void *)&narrow[0] : &full[0];
        const void *value = writer.bits == 32 ? (const void *)&narrow[1] : &full[1];
        request r = {.kind = writer.kind, .n = 1, .keys = key, .values = value};
        run_result result = {0, 0, NULL};
        direct->run(place, 0, &r, 0, 1, &result);
        place.tree->stripe[0].size += (uint64_t)result.size_change;
    }
    base_fail_nth_allocation(writer.failing_allocation);
}

static void run_observed(map_ref place, unsigned stripe, const request *r, size_t begin, size_t end,
                         run_result *result)
{
    if (r->kind == OP_RANGE && r->offsets && writer.rounds > 0) {
        writer.rounds--;
        write_between(place);
    }
    direct->run(place, stripe, r, begin, end, result);
}

static const blink_run_ops *choose_observed(unsigned key_bits, bool versioned)
{
    direct = blink_run_choose(key_bits, versioned);
    observed = *direct;
    observed.run = run_observed;
    return &observed;
}

#define blink_run_choose choose_observed
#include "map/map_cpu.c"
#undef blink_run_choose

/* ---- a writer between counting and filling --------------------------------------------------------------------- */

enum { LOADED = 40, QUERIES = 2, ROOM = 4000 };

typedef struct range_trial {
    wide w;
    uint64_t keys[ROOM], values[ROOM], offsets[QUERIES + 1];
    size_t total;
} range_trial;

/* Keys 0, 10, 20 ... The two intervals have all of them, and the writer's. */
static range_trial *begin_trial(const setting *where)
{
    range_trial *t = must_alloc(1, sizeof *t);
    t->w = wide_open(where);
    for (uint64_t i = 0; i < LOADED; i++)
        assert_ok(pleach_map_put_one(t->w.map, 10 * i, i, NULL, NULL));
    writer.bits = where->key_bits;
    writer.failing_allocation = 0;
    return t;
}

static void end_trial(range_trial *t)
{
    writer.rounds = 0;
    wide_close(&t->w);
    free(t);
}

static pleach_status call_range(range_trial *t, size_t capacity, bool with_keys, bool with_values)
{
    const uint64_t lo[QUERIES] = {0, 5}, hi[QUERIES] = {1000000, 1000000};
    return wide_range(&t->w, QUERIES, lo, hi, 0, capacity, with_keys ? t->keys : NULL, with_values ? t->values : NULL,
                      t->offsets, &t->total);
}

/* What one interval got: ascending keys, and every one of those that were there all the time. */
static void check_interval(const range_trial *t, size_t query, uint64_t lo, bool erased)
{
    uint64_t from = t->offsets[query], to = t->offsets[query + 1], steady = 0;
    for (uint64_t i = from; i < to; i++) {
        assert_true(t->keys[i] >= lo);
        assert_true(i == from || t->keys[i] > t->keys[i - 1]);
        steady += t->keys[i] % 10 == 0 && t->keys[i] < 10 * LOADED;
    }
    if (!erased)
        assert_int_equal(steady, lo == 0 ? LOADED : LOADED - 1);
}

static void check_answer(const range_trial *t, bool erased)
{
    assert_int_equal(t->offsets[0], 0);
    assert_int_equal(t->offsets[QUERIES], t->total);
    check_interval(t, 0, 0, erased);
    check_interval(t, 1, 5, erased);
}

/* He inserts every time, more than the room to spare at first: the call has to come round to it. */
static void range_outgrows_its_places(const void *setting_here)
{
    const setting *where = setting_here;
    static const struct {
        unsigned rounds, keys;
    } writers[] = {{1, 1}, {1, 3}, {2, 30}, {4, 100}, {3, 7}};
    for (size_t i = 0; i < COUNT_OF(writers); i++) {
        for (int outputs = 1; outputs <= 3; outputs++) {
            range_trial *t = begin_trial(where);
            writer.rounds = writers[i].rounds;
            writer.keys = writers[i].keys;
            writer.kind = OP_PUT;
            writer.next_key = 10 * LOADED + 1;
            assert_ok(call_range(t, ROOM, outputs & 1, outputs & 2));
            if (ranges_see_one_instant(where)) {
                assert_int_equal(writer.rounds, writers[i].rounds - 1); /* the call filled once */
                assert_int_equal(t->total, 2 * LOADED - 1);
            } else {
                assert_int_equal(writer.rounds, 0);
                assert_true(t->total > 2 * LOADED - 1);
            }
            if (outputs & 1)
                check_answer(t, false);
            end_trial(t);
        }
    }
}

/* He erases: the gaps are closed. */
static void range_shrinks_in_its_places(const void *where)
{
    range_trial *t = begin_trial(where);
    writer.rounds = 1;
    writer.keys = 100; /* keys 0 to 99, ten of them there */
    writer.kind = OP_ERASE;
    writer.next_key = 0;
    assert_ok(call_range(t, ROOM, true, true));
    assert_int_equal(writer.rounds, 0);
    assert_int_equal(t->total, ranges_see_one_instant(where) ? 2 * LOADED - 1 : 2 * (LOADED - 10));
    check_answer(t, true);
    end_trial(t);
}

/* There was room for what was counted, and is none for what was found. */
static void range_outgrows_the_callers_room(const void *where)
{
    range_trial *t = begin_trial(where);
    writer.rounds = 1;
    writer.keys = 5;
    writer.kind = OP_PUT;
    writer.next_key = 10 * LOADED + 1;
    const bool fits = ranges_see_one_instant(where);
    assert_int_equal(call_range(t, 2 * LOADED - 1, true, true), fits ? PLEACH_OK : PLEACH_E_SPACE);
    assert_int_equal(writer.rounds, 0);
    assert_int_equal(t->total, 2 * LOADED - 1 + (fits ? 0 : 2 * 5));
    assert_int_equal(t->offsets[QUERIES], t->total);
    end_trial(t);
}

/* The room to spare cannot be had: its places, then its keys, then its values. */
static void range_finds_no_memory_for_room_to_spare(const void *where)
{
    for (long n = 1; n <= 4; n++) {
        range_trial *t = begin_trial(where);
        writer.rounds = 1;
        writer.keys = 5;
        writer.kind = OP_PUT;
        writer.next_key = 10 * LOADED + 1;
        writer.failing_allocation = n;
        pleach_status status = call_range(t, ROOM, true, true);
        long asked = base_fail_nth_allocation(0);
        const bool fits = ranges_see_one_instant(where);
        assert_int_equal(writer.rounds, 0);
        assert_int_equal(status, n <= 3 && !fits ? PLEACH_E_MEMORY : PLEACH_OK);
        assert_int_equal(asked, fits ? 0 : n == 1 ? 1 : 3); /* without places nothing else is asked for */
        end_trial(t);
    }
}

/* ---- a pool that ends where the tree would grow ---------------------------------------------------------------- */

static void fill_to_the_last_node(const setting *where, uint64_t nodes, bool downwards, uint64_t *unposted)
{
    const size_t n = (size_t)nodes * 15;
    AT_END(wide_close) wide w = wide_open_limited(where, nodes * node_bytes_of(where->key_bits));
    FREED uint64_t *keys = must_alloc(n, sizeof *keys);
    for (size_t i = 0; i < n; i++)
        keys[i] = downwards ? w.top - i : i;
    AT_END(end_oracle) oracle *o = oracle_create(n, keys);
    size_t refused = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t old;
        pleach_status status = pleach_map_put_one(w.map, keys[i], i, NULL, NULL);
        assert_true(status == PLEACH_OK || status == PLEACH_E_FULL);
        refused += status == PLEACH_E_FULL;
        if (status == PLEACH_OK)
            oracle_put(o, keys[i], i, &old);
    }
    assert_true(refused > 0);
    assert_same(&w, o);
    pleach_map_stats stats;
    assert_ok(pleach_map_get_stats(w.map, &stats));
    *unposted += stats.unposted;
    if (pleach_map_compact(w.map, 1) == PLEACH_OK) { /* nothing is left that only a neighbour knows */
        assert_ok(pleach_map_get_stats(w.map, &stats));
        assert_int_equal(stats.unposted, 0);
    }
    assert_same_content(&w, o);
}

/* Every limit from the least to one beyond the first root that splits; at some of them the new node of the old root has
 * no parent, and is found through its neighbour. */
static void pool_ends_at_every_node(const void *setting_here)
{
    const setting *where = setting_here;
    uint64_t unposted = 0;
    for (uint64_t nodes = 8; nodes <= 24; nodes++) {
        fill_to_the_last_node(where, nodes, false, &unposted);
        fill_to_the_last_node(where, nodes, true, &unposted);
    }
    assert_true(unposted > 0); /* else this tests nothing */
}

#define IN_EVERY_SETTING(function)                                                                               \
    UNIT_WITH(#function " 32/t1", function, &settings[0]), UNIT_WITH(#function " 32/t3", function, &settings[1]), \
    UNIT_WITH(#function " 64/t1", function, &settings[2]), UNIT_WITH(#function " 64/t3", function, &settings[3])

int main(int argc, char **argv)
{
    tests_of_trees();
    static const setting settings[] = {
        {PLEACH_CPU, 32, 1}, {PLEACH_CPU, 32, 3}, {PLEACH_CPU, 64, 1}, {PLEACH_CPU, 64, 3}};
    unit_case cases[] = {
        IN_EVERY_SETTING(range_outgrows_its_places),
        IN_EVERY_SETTING(range_shrinks_in_its_places),
        IN_EVERY_SETTING(range_outgrows_the_callers_room),
        IN_EVERY_SETTING(range_finds_no_memory_for_room_to_spare),
        IN_EVERY_SETTING(pool_ends_at_every_node),
    };
    return run_units("test_map_rare", argc, argv, cases, COUNT_OF(cases));
}
