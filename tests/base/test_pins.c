/* test_pins.c - the table of pins: against an array that is searched from end to end, and what an operation costs among
 * many of them, counted in words that it loads. */
#include <stdlib.h>
#include <string.h>

#include "port/port.h"

static uint64_t loads;

static uint64_t load_counted(const uint64_t *p)
{
    loads++;
    return port_load(p);
}

#define port_load(p) load_counted(p)
#include "epoch/epoch_pins.h"
#undef port_load

#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"

enum { MANY = 80000, MOST_LOADS = 200 };

typedef struct table {
    epoch_state state;
    uint64_t *live; /* stamps, in any order */
    size_t count;
} table;

static void open_table(table *t, uint64_t room, size_t most)
{
    memset(t, 0, sizeof *t);
    epoch_begin(&t->state);
    t->state.pin_room = room;
    t->state.pin_table = (uint64_t)(uintptr_t)calloc(room, EPOCH_PIN_WORDS * sizeof(uint64_t));
    t->live = calloc(most, sizeof *t->live);
    assert_true(t->state.pin_table && t->live);
}

static void close_table(table *t)
{
    free((void *)(uintptr_t)t->state.pin_table);
    free(t->live);
}

static void set(table *t, uint64_t stamp)
{
    if (t->count == t->state.pin_room) {
        FREED uint64_t *old = NULL;
        uint64_t room = 2 * t->state.pin_room;
        assert_int_equal(epoch_pin(&t->state, stamp), EPOCH_FULL);
        uint64_t *larger = calloc(room, EPOCH_PIN_WORDS * sizeof *larger);
        assert_int_equal(epoch_pins_move(&t->state, larger, room, &old), EPOCH_DONE);
    }
    assert_int_equal(epoch_pin(&t->state, stamp), EPOCH_DONE);
    t->live[t->count++] = stamp;
}

static void let_go(table *t, size_t at)
{
    loads = 0;
    assert_int_equal(epoch_unpin(&t->state, t->live[at]), EPOCH_DONE);
    if (loads > MOST_LOADS) fail_msg("one of %zu pins was removed with %llu loads", t->count, (unsigned long long)loads);
    t->live[at] = t->live[--t->count];
}

static void assert_as_in_array(table *t, uint64_t from, uint64_t to)
{
    uint64_t oldest = UINT64_MAX, end = 0;
    bool pinned = false;
    for (size_t i = 0; i < t->count; i++) {
        if (t->live[i] < oldest) oldest = t->live[i];
        if (t->live[i] >= end) end = t->live[i] + 1;
        pinned |= from <= t->live[i] && t->live[i] < to;
    }
    loads = 0;
    assert_int_equal(epoch_pinned(&t->state, from, to), pinned);
    if (loads > MOST_LOADS) fail_msg("%llu loads to look at one interval", (unsigned long long)loads);
    assert_int_equal(t->state.pins, t->count);
    assert_int_equal(t->state.pins_oldest, oldest);
    assert_int_equal(t->state.pins_end, end);
    count_checked(1);
}

/* Stamps ascend, but for those of agents that were held up. */
static void any_order_is_as_in_an_array(void)
{
    enum { MOST = 400 };
    rng r = rng_for(test_seed(), 1);
    table t;
    uint64_t stamp = 10;
    open_table(&t, 1, MOST + 1);
    for (size_t i = 0, n = scaled(20000); i < n; i++) {
        unsigned more = i / 1000 % 2 ? 40 : 60; /* grows for a while, and then shrinks */
        stamp += rng_below(&r, 3);
        if (t.count < MOST && rng_percent(&r, more))
            set(&t, stamp - rng_below(&r, 10));
        else if (t.count > 0)
            let_go(&t, (size_t)rng_below(&r, t.count));
        uint64_t from = stamp - rng_below(&r, stamp < 600 ? stamp : 600);
        assert_as_in_array(&t, from, from + rng_below(&r, 20));
    }
    while (t.count > 0) let_go(&t, 0);
    assert_as_in_array(&t, 0, UINT64_MAX);
    close_table(&t);
}

static void one_of_many_goes_in_few_steps(void)
{
    rng r = rng_for(test_seed(), 2);
    table t;
    open_table(&t, 64, MANY);
    for (uint64_t i = 0; i < MANY; i++) set(&t, 3 * i);
    for (size_t i = 0; i < 100; i++) assert_as_in_array(&t, 3 * i + 1, 3 * i + 1 + rng_below(&r, 4));
    while (t.count > MANY / 2) let_go(&t, (size_t)rng_below(&r, t.count));
    for (size_t i = 0; i < 100; i++) {
        uint64_t from = rng_below(&r, 3 * MANY);
        assert_as_in_array(&t, from, from + rng_below(&r, 10));
    }
    while (t.count > 0) let_go(&t, (size_t)rng_below(&r, t.count));
    close_table(&t);
}

static unit_case cases[] = {
    UNIT(any_order_is_as_in_an_array),
    UNIT(one_of_many_goes_in_few_steps),
};

int main(int argc, char **argv)
{
    return run_units("test_pins", argc, argv, cases, COUNT_OF(cases));
}
