/* verify/sim/skiplist/skiplist_scenarios.c - what skiplist a schedule begins with, and what each agent does. */
#include "skiplist_world.h"

/* What operations a scenario has, in percent; the rest are finds. */
typedef struct mix {
    unsigned put, add, erase, seek, range;
} mix;

/* ---- planning ---- */

static uint8_t draw_kind(mix mix)
{
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < mix.put) return HISTORY_PUT;
    if ((draw -= mix.put) < mix.add) return HISTORY_ADD;
    if ((draw -= mix.add) < mix.erase) return HISTORY_ERASE;
    if ((draw -= mix.erase) < mix.seek) return sim_draw(2) ? HISTORY_CEIL : HISTORY_FLOOR;
    if ((draw -= mix.seek) < mix.range) return HISTORY_RANGE;
    return HISTORY_FIND;
}

void skiplist_plan_op(history_op *op, unsigned agent, uint8_t kind, uint64_t key)
{
    skiplist_world *w = &skiplist_now;
    *op = (history_op){.agent = agent, .kind = kind, .key = key, .value = skiplist_fresh_value(),
                       .pairs = (uint32_t)(op - w->ops) * MAP_RANGE_ROOM};
    if (kind != HISTORY_RANGE) return;
    unsigned high = w->from + (unsigned)sim_draw(w->universe - w->from); /* within the limit of a range, or beyond */
    op->high = skiplist_key(high) < key ? key : skiplist_key(high);
}

/* A key of the window that was there at the beginning, if there is one: erasing such keys makes chunks small. */
static uint64_t draw_present(void)
{
    skiplist_world *w = &skiplist_now;
    uint64_t least = skiplist_key(w->from), most = skiplist_key(w->from + w->width - 1);
    for (size_t i = 0, at = w->initial_count ? sim_draw(w->initial_count) : 0; i < w->initial_count; i++, at++) {
        uint64_t key = w->initial[at % w->initial_count].key;
        if (key >= least && key <= most) return key;
    }
    return skiplist_key(w->from + (unsigned)sim_draw(w->width));
}

/* A key for an operation of agent `a`, one of `agents`. */
static uint64_t draw_key(unsigned a, unsigned agents, uint8_t kind)
{
    skiplist_world *w = &skiplist_now;
    unsigned number = w->from + (unsigned)sim_draw(w->width);
    if (!w->owned) return kind != HISTORY_PUT && sim_draw(4) ? draw_present() : skiplist_key(number);
    number += a - number % agents; /* wraps around below zero at most for a moment */
    return skiplist_key(number % w->universe % agents == a ? number % w->universe : a);
}

/* Divides the operations of agent `a`, up to `end`, into stays. Agents are planned one after the other. */
static void plan_stays(unsigned a, unsigned end)
{
    skiplist_world *w = &skiplist_now;
    unsigned stays = w->first_stay[a];
    for (unsigned at = w->first_op[a]; at < end;) {
        skiplist_stay *stay = &w->stays[stays++];
        *stay = (skiplist_stay){.ops = 1 + (unsigned)sim_draw(w->longest_stay), .as_one = sim_draw_chance(w->as_one),
                                .parts = sim_draw(4) == 0};
        if (stay->ops > end - at) stay->ops = end - at;
        at += stay->ops;
    }
    w->first_op[a + 1] = end;
    w->first_stay[a + 1] = stays;
}

static void begin_plan(unsigned agents)
{
    skiplist_world *w = &skiplist_now;
    w->agents = agents;
    w->first_op[0] = w->first_stay[0] = 0;
    w->as_one = 20 * (unsigned)sim_draw(6);
    w->longest_stay = 1 + (unsigned)sim_draw(sim_draw(2) ? 2 : 6);
}

static void plan_ops(unsigned agents, unsigned each, mix mix)
{
    begin_plan(agents);
    for (unsigned a = 0, count = 0; a < agents; a++) {
        uint8_t kind = draw_kind(mix);
        for (unsigned i = 0; i < each && count < SKIPLIST_OPS; i++, count++) {
            if (!skiplist_now.arrays) kind = draw_kind(mix); /* one kind in an array call; else any */
            skiplist_plan_op(&skiplist_now.ops[count], a, kind, draw_key(a, agents, kind));
        }
        plan_stays(a, count);
    }
}

static const mix even_mix = {25, 10, 30, 0, 5}, erase_mix = {10, 5, 60, 0, 5}, insert_mix = {45, 15, 10, 0, 5},
                 seek_mix = {15, 5, 35, 30, 5}, owned_mix = {30, 10, 30, 0, 0};

static mix draw_mix(void)
{
    if (skiplist_now.owned) return owned_mix;
    switch (sim_draw(5)) {
    case 0: return insert_mix;
    case 1: return seek_mix;
    case 2: return even_mix;
    default: return erase_mix;
    }
}

static unsigned few_agents(void) { return 2 + (unsigned)sim_draw(sim_draw(4) ? 3 : 6); }

/* ---- shapes: what skiplist the agents find ---- */

static void draw_window(unsigned least)
{
    skiplist_world *w = &skiplist_now;
    w->width = least + (unsigned)sim_draw(sim_draw(2) ? 6 : w->universe - least + 1);
    if (w->width > w->universe) w->width = w->universe;
    w->from = (unsigned)sim_draw(w->universe - w->width + 1);
}

/* All within a chunk or two. */
static void hot(void)
{
    skiplist_now.universe = 24;
    skiplist_build((unsigned)sim_draw(3), 1 + (unsigned)sim_draw(2), (unsigned)sim_draw(11), 1);
    draw_window(2);
}

/* Chunks with a few pairs each, on every level: every erase merges. */
static void thin(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned per_chunk = 1 + (unsigned)sim_draw(w->capacity / 3), chunks = 2 + (unsigned)sim_draw(10);
    w->universe = 2 * per_chunk * chunks + 2;
    skiplist_build(1, 2, per_chunk * chunks, (double)per_chunk / w->capacity);
    draw_window(2);
}

/* Erases pairs of a chunk that was built full, until `pairs` are left. */
static void empty_chunk(unsigned chunk, unsigned pairs)
{
    skiplist_world *w = &skiplist_now;
    unsigned skip = (unsigned)sim_draw(w->capacity);
    for (unsigned i = pairs; i < w->capacity; i++)
        skiplist_do_exclusive(HISTORY_ERASE, 1 + 2 * (chunk * w->capacity + (skip + i) % w->capacity));
}

/* Bottom chunks next to each other that are full, nearly small, or small. */
static void uneven(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned chunks = 2 + (unsigned)sim_draw(5), few = w->capacity / 3;
    w->universe = 2 * w->capacity * chunks + 2;
    skiplist_build(1, 2, w->capacity * chunks, 1);
    for (unsigned c = 0; c < chunks; c++) {
        unsigned draw = (unsigned)sim_draw(10);
        if (draw >= 4) empty_chunk(c, draw < 9 ? few + (unsigned)sim_draw(2) : (unsigned)sim_draw(few + 1));
    }
    draw_window(4);
}

/* Every chunk up to the highest one is full, or nearly, so that one insert adds a level at which searches begin. */
static void full(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned chunks = w->capacity > 14 ? 3 : w->capacity, keys = w->capacity * chunks;
    w->universe = 2 * keys + 4;
    skiplist_build(1, 2, keys, 1);
    for (unsigned i = (unsigned)sim_draw(3); i > 0; i--)
        skiplist_do_exclusive(HISTORY_ERASE, 1 + (unsigned)sim_draw(w->universe - 1));
    w->width = sim_draw(2) ? w->universe : 30;
    w->from = (unsigned)sim_draw(w->universe - w->width + 1);
}

/* Two levels with a pair or two more than they need, so that levels appear and disappear. */
static void short_levels(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned per_chunk = 1 + (unsigned)sim_draw(3), chunks = 2 + (unsigned)sim_draw(3);
    w->universe = 2 * per_chunk * chunks + 2;
    skiplist_build(1, 2, per_chunk * chunks, (double)per_chunk / w->capacity);
    w->from = 0;
    w->width = w->universe;
}

/* Exclusive updates within the window. */
static void work_on(unsigned times)
{
    skiplist_world *w = &skiplist_now;
    for (unsigned i = 0; i < times; i++)
        skiplist_do_exclusive(sim_draw(2) ? HISTORY_PUT : HISTORY_ERASE, w->from + (unsigned)sim_draw(w->width));
}

static void draw_shape(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < 15)
        hot();
    else if (draw < 45)
        thin();
    else if (draw < 75)
        uneven();
    else if (draw < 85)
        full();
    else
        short_levels();
    if (sim_draw(3) == 0) work_on((unsigned)sim_draw(sim_draw(3) ? 20 : 60));
    if (sim_draw(2) && !w->stuck) w->list->return_all(w->place);
    skiplist_settle();
}

/* ---- scenarios ---- */

/* Some agents merge and split in short stays, so that chunks are soon reused; others stay inside for long and read. */
static void churn(void)
{
    unsigned agents = 2 + (unsigned)sim_draw(3), count = 0;
    mix looks = sim_draw(2) ? (mix){0, 0, 0, 30, 20} : (mix){0, 0, 0, 0, 10};
    begin_plan(agents);
    for (unsigned a = 0; a < agents; a++) {
        bool looking = a > 0 && sim_draw(2);
        unsigned phases = looking ? 1 : 2 + (unsigned)sim_draw(4), phase = (unsigned)sim_draw(3);
        for (; phases > 0; phases--, phase++) {
            mix mix = looking ? looks : phase % 3 == 0 ? (struct mix){5, 0, 85, 0, 0} : (struct mix){75, 10, 0, 0, 0};
            unsigned ops = looking ? 4 + (unsigned)sim_draw(8) : 2 + (unsigned)sim_draw(4);
            for (unsigned i = 0; i < ops && count < SKIPLIST_OPS; i++, count++) {
                bool passes = !looking && sim_draw(3) == 0; /* comes in and goes out, for the clock */
                uint8_t kind = passes ? HISTORY_FIND : draw_kind(mix);
                skiplist_plan_op(&skiplist_now.ops[count], a, kind, draw_key(a, agents, kind));
            }
        }
        skiplist_now.longest_stay = looking ? 12 : 1 + (unsigned)sim_draw(2);
        plan_stays(a, count);
    }
}

static void set_window(unsigned first_chunk, unsigned chunks)
{
    skiplist_world *w = &skiplist_now;
    w->from = 1 + 2 * w->capacity * first_chunk;
    w->width = 2 * w->capacity * chunks;
}

/* Neighbouring chunks that are one erase from being small, and chunks that are full. Writers merge, enter and leave
 * until the chunks that they retired are free, and then split, while other agents are at these chunks. */
static void recycle(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned thin = 2 + (unsigned)sim_draw(3), full = 1 + (unsigned)sim_draw(2), chunks = thin + full, count = 0;
    unsigned first_thin = sim_draw(2) ? full : 0, first_full = first_thin ? 0 : thin;
    unsigned agents = 2 + (unsigned)sim_draw(4), writers = 1 + (unsigned)sim_draw(agents > 2 ? 2 : 1);
    w->universe = 2 * w->capacity * chunks + 2;
    skiplist_build(1, 2, w->capacity * chunks, 1);
    for (unsigned c = 0; c < thin; c++) empty_chunk(first_thin + c, w->capacity / 3);
    skiplist_settle();
    begin_plan(agents);
    mix looks = sim_draw(3) ? (mix){0, 0, 0, 0, 10} : sim_draw(2) ? (mix){0, 0, 0, 70, 10} : (mix){10, 5, 10, 20, 10};
    for (unsigned a = 0; a < agents; a++) {
        bool writes = a < writers;
        unsigned rounds = writes ? 1 + (unsigned)sim_draw(2) : 1, passes = sim_draw(4) ? 3 : (unsigned)sim_draw(8);
        for (; rounds > 0; rounds--) {
            unsigned ops = writes ? 3 + passes + (unsigned)sim_draw(2) : 3 + (unsigned)sim_draw(9);
            for (unsigned i = 0; i < ops; i++, count++) {
                bool merges = writes && i == 0, in_thin = writes ? i <= passes : sim_draw(4) > 0;
                uint8_t kind = !writes ? draw_kind(looks)
                               : merges ? HISTORY_ERASE : i <= passes ? HISTORY_FIND : HISTORY_PUT;
                set_window(in_thin ? first_thin : first_full, in_thin ? thin - merges : full);
                skiplist_plan_op(&w->ops[count], a, kind, merges ? draw_present() : draw_key(a, agents, kind));
            }
        }
        w->longest_stay = writes || sim_draw(3) == 0 ? 1 + (sim_draw(4) == 0) : 12;
        plan_stays(a, count);
    }
}

/* Agent 0 splits a chunk; the others change keys of that chunk and look them up at once. */
static void plan_split(unsigned agents, unsigned first)
{
    skiplist_world *w = &skiplist_now;
    unsigned count = 0;
    begin_plan(agents);
    w->as_one = 0;
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = 1 + (unsigned)sim_draw(3), number = first + 1 + 2 * (unsigned)sim_draw(w->capacity);
        for (unsigned i = 0; i < ops; i++, count++) {
            bool puts = a == 0 || (i % 2 == 0 && sim_draw(4) == 0);
            uint8_t kind = puts ? HISTORY_PUT : i % 2 ? HISTORY_FIND : HISTORY_ERASE;
            if (a > 0 && sim_draw(4) == 0) kind = HISTORY_FIND;
            if (a == 0) number = first + 2 + 2 * (unsigned)sim_draw(w->capacity - 1); /* one that is not there */
            skiplist_plan_op(&w->ops[count], a, kind, skiplist_key(number));
        }
        w->longest_stay = 4;
        plan_stays(a, count);
    }
}

/* Puts the pairs of a full chunk in another order, so that a split moves some to where others were. */
static void shuffle(unsigned chunk, unsigned times)
{
    for (; times > 0; times--) {
        unsigned number = 1 + 2 * (chunk * skiplist_now.capacity + (unsigned)sim_draw(skiplist_now.capacity));
        skiplist_do_exclusive(HISTORY_ERASE, number);
        skiplist_do_exclusive(HISTORY_PUT, number);
    }
}

/* Few keys of full chunks, so that agents meet at the pairs that a split moves. */
static void splitting(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned chunks = 1 + (unsigned)sim_draw(3), agents = 2 + (unsigned)sim_draw(3);
    w->universe = 2 * w->capacity * chunks + 2;
    skiplist_build(1, 2, w->capacity * chunks, 1);
    unsigned chunk = (unsigned)sim_draw(chunks);
    shuffle(chunk, (unsigned)sim_draw(w->capacity));
    skiplist_settle();
    if (sim_draw(3)) {
        plan_split(agents, 2 * chunk * w->capacity);
        return;
    }
    w->width = 3 + (unsigned)sim_draw(8);
    w->from = (unsigned)sim_draw(w->universe - w->width + 1);
    plan_ops(agents, 1 + (unsigned)sim_draw(3), (mix){35, 5, 30, 0, 0});
}

/* A chunk that is about to merge with the next one, which has about as many pairs as a merge allows, while other agents
 * insert into both. */
static void swelling(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned agents = 2 + (unsigned)sim_draw(4), few = w->capacity / 3, much = w->capacity * 3 / 4, count = 0;
    w->universe = 4 * w->capacity + 2;
    skiplist_build(1, 2, 2 * w->capacity, 1);
    empty_chunk(0, few);
    empty_chunk(1, much - few + 1 - (unsigned)sim_draw(2));
    skiplist_settle();
    begin_plan(agents);
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = a == 0 ? 1 + (unsigned)sim_draw(2) : 2 + (unsigned)sim_draw(6);
        set_window(a == 0 ? 0 : (unsigned)sim_draw(2), 1);
        for (unsigned i = 0; i < ops; i++, count++) {
            uint8_t kind = a == 0 ? HISTORY_ERASE : sim_draw(5) ? HISTORY_PUT : HISTORY_FIND;
            skiplist_plan_op(&w->ops[count], a, kind, a == 0 ? draw_present() : draw_key(a, agents, kind));
        }
        plan_stays(a, count);
    }
}

/* Three chunks above the bottom, with a few pairs each: an erase lowers a chunk, and then one of these. If the ring has
 * no room for both, the latter is raised again. */
static void tottering(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned per_chunk = 2 + (unsigned)sim_draw(w->capacity / 3 - 1);
    unsigned chunks = 2 * per_chunk + 1 + (unsigned)sim_draw(per_chunk);
    w->universe = 2 * per_chunk * chunks + 2;
    if (sim_draw(3)) w->place.versions.epoch.ring = 1;
    skiplist_build(1, 2, per_chunk * chunks, (double)per_chunk / w->capacity);
    skiplist_settle();
    if (sim_draw(4) == 0) {
        draw_window(per_chunk * chunks);
        plan_ops(2 + (unsigned)sim_draw(2), 1 + (unsigned)sim_draw(3), (mix){10, 0, 80, 0, 0});
        return;
    }
    unsigned agents = 2 + (sim_draw(4) == 0), next = sim_draw(2) ? per_chunk : 1;
    unsigned first = next == 1 ? (unsigned)sim_draw(per_chunk) : 0;
    begin_plan(agents);
    for (unsigned a = 0; a < agents; a++) { /* of chunks under two upper ones, or next to each other */
        skiplist_plan_op(&w->ops[a], a, HISTORY_ERASE, skiplist_key(1 + 2 * per_chunk * (first + next * a)));
        plan_stays(a, a + 1);
    }
}

/* Chunks with one pair each, which is erased, while another agent looks for the next key down. */
static void hollow(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned keys = 4 + (unsigned)sim_draw(6), agents = 2 + (unsigned)sim_draw(2), count = 0;
    w->universe = 2 * keys + 2;
    skiplist_build(1, 2, keys, 1.0 / w->capacity);
    skiplist_settle();
    begin_plan(agents);
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = 1 + (unsigned)sim_draw(3), at = (unsigned)sim_draw(keys - 2);
        bool looks = a == 1 || (a > 1 && sim_draw(2));
        for (unsigned i = 0; i < ops; i++, count++)
            skiplist_plan_op(&w->ops[count], a, looks ? HISTORY_FLOOR : HISTORY_ERASE,
                             skiplist_key(looks ? 4 + 2 * (unsigned)sim_draw(keys - 2) : 1 + 2 * (at + i % 2)));
        plan_stays(a, count);
    }
}

/* Agents 0 and 2 share an L1, and agent 1 does not. Agent 0 is inside, and has read nothing yet, when agent 1 unlinks a
 * chunk. Then agent 2 enters, and may find in L1 what agent 0 loads late and old: the way to that chunk. A range does
 * nothing that empties L1. */
static void haunted(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned thin = 2 + (unsigned)sim_draw(2), at = (unsigned)sim_draw(thin - 1), count = 0;
    unsigned told = (unsigned)sim_draw(sim_draw(2) ? 1 : 4), passes = told + 3 + (unsigned)sim_draw(2);
    sim_multiprocessors(2);
    w->universe = 2 * w->capacity * thin + 2;
    skiplist_build(1, 2, w->capacity * thin, 1);
    for (unsigned c = 0; c < thin; c++) empty_chunk(c, w->capacity / 3);
    skiplist_settle();
    begin_plan(3);
    w->as_one = 100;
    w->longest_stay = 1;
    for (unsigned a = 0; a < 3; a++) {
        set_window(a == 1 ? at : at + 1, 1);
        for (unsigned i = 0; i < (a == 1 ? passes : 1 + a / 2); i++, count++)
            skiplist_plan_op(&w->ops[count], a, a == 1 && i == 0 ? HISTORY_ERASE : HISTORY_RANGE, draw_present());
        if (a == 2) w->longest_stay = 4;
        plan_stays(a, count);
    }
    skiplist_stay *first = &w->stays[0], *second = &w->stays[w->first_stay[1]], *third = &w->stays[w->first_stay[2]];
    first->makes_in = 1;
    first->works_at = 3;
    first->makes_out = 4;
    second->begins_at = 1;
    second[told].makes_out = 2;
    second[told + 1].begins_at = 4;
    second[passes - 1].makes_in = 5;
    third->begins_at = 2;
    third->makes_in = 3;
    third->works_at = sim_draw(3) ? 5 : 0;
}

/* Agent 0 erases and puts a few keys of one chunk in turns, and the others look for these keys, mostly. */
static void flicker(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned agents = 2 + (unsigned)sim_draw(3), count = 0;
    w->universe = 24;
    skiplist_build(1, 1 + (unsigned)sim_draw(2), 2 + (unsigned)sim_draw(8), 1);
    skiplist_settle();
    w->width = 1 + (unsigned)sim_draw(3);
    w->from = 1 + (unsigned)sim_draw(w->initial_count);
    begin_plan(agents);
    w->as_one = 0;
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = 2 + (unsigned)sim_draw(6);
        uint64_t key = skiplist_key(w->from + (unsigned)sim_draw(w->width));
        for (unsigned i = 0; i < ops; i++, count++) {
            uint8_t kind = a > 0 && sim_draw(8) ? HISTORY_FIND : i % 2 ? HISTORY_PUT : HISTORY_ERASE;
            skiplist_plan_op(&w->ops[count], a, kind, key);
        }
        w->longest_stay = 12;
        plan_stays(a, count);
    }
}

/* All agents at the end of the map, with ascending keys, or at its beginning, with descending ones. */
static void ascending(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned agents = few_agents(), each = 3 + (unsigned)sim_draw(6), keys = w->capacity * (unsigned)sim_draw(4);
    bool down = sim_draw(3) == 0;
    if (agents * each > 60) each = 60 / agents;
    w->universe = keys + agents * each + 1;
    w->width = w->universe;
    w->from = 0;
    skiplist_build(down ? agents * each : 0, 1, keys, 1);
    skiplist_settle();
    begin_plan(agents);
    for (unsigned a = 0, count = 0; a < agents; a++) {
        for (unsigned i = 0; i < each; i++, count++) {
            unsigned nth = i * agents + a;
            skiplist_plan_op(&w->ops[count], a, !w->arrays && sim_draw(8) == 0 ? HISTORY_FIND : HISTORY_PUT,
                             skiplist_key(down ? agents * each - 1 - nth : keys + nth));
        }
        plan_stays(a, count);
    }
}

/* Two or three chunks above the bottom, and all keys go, the lowest first: most chunks that get empty have a neighbour
 * which another agent is merging, or are the first in their upper chunk until that is merged. */
static void ebbing(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned per_chunk = 2 + (unsigned)sim_draw(2), chunks = 2 * per_chunk + 1 + (unsigned)sim_draw(per_chunk);
    unsigned agents = 2 + (unsigned)sim_draw(3), keys = per_chunk * chunks, count = 0; /* 14 keys each in an array */
    w->ebbs = true;
    w->place.versions.epoch.ring = SKIPLIST_EPOCH_RING;
    w->universe = 2 * keys + 2;
    skiplist_build(1, 2, keys, (double)per_chunk / w->capacity);
    skiplist_settle();
    begin_plan(agents);
    w->longest_stay = 1;
    for (unsigned a = 0; a < agents; a++) {
        for (unsigned i = a; i < keys; i += agents, count++)
            skiplist_plan_op(&w->ops[count], a, HISTORY_ERASE, skiplist_key(1 + 2 * i));
        plan_stays(a, count);
    }
}

static void crowd(void)
{
    skiplist_now.universe = 80;
    skiplist_build(1, 2, (unsigned)sim_draw(36), 0.3 + 0.1 * (double)sim_draw(8));
    draw_window(2);
    skiplist_settle();
    unsigned agents = 12 + (unsigned)sim_draw(SKIPLIST_AGENTS - 12 + 1);
    plan_ops(agents, 1 + (unsigned)sim_draw(3), sim_draw(2) ? erase_mix : even_mix);
}

/* Writers, and one agent that makes finds wherever the writers stand: find and contains never wait. */
static void solo(void)
{
    enum { LOOKS = 260, BUDGET = 4000 };
    skiplist_world *w = &skiplist_now;
    unsigned writers = sim_draw(2) ? 1 : 1 + (unsigned)sim_draw(3), count;
    plan_ops(writers, 1 + (unsigned)sim_draw(4), sim_draw(2) ? erase_mix : insert_mix);
    count = w->first_op[writers];
    w->solo = true;
    w->agents = writers + 1;
    w->longest_stay = 20;
    for (unsigned i = 0; i < LOOKS && count < SKIPLIST_OPS; i++, count++) {
        uint8_t like = sim_draw(2) ? HISTORY_PUT : HISTORY_FIND; /* of any key, or of one that was there */
        skiplist_plan_op(&w->ops[count], writers, HISTORY_FIND, draw_key(writers, w->agents, like));
    }
    plan_stays(writers, count);
    sim_solo(writers, BUDGET, sim_draw(3) ? 256 : 64);
}

/* Any operations of a shape. */
static void anything(void)
{
    skiplist_world *w = &skiplist_now;
    w->arrays = w->list->run_array && sim_draw(4) == 0;
    w->owned = !w->arrays && sim_draw(8) == 0;
    if (w->owned) sim_without_fences();
    draw_shape();
    plan_ops(few_agents(), 1 + (unsigned)sim_draw(5), draw_mix());
}

void skiplist_draw_scenario(void)
{
    skiplist_world *w = &skiplist_now;
    unsigned draw = (unsigned)sim_draw(100);
    if (draw < 22) {
        recycle();
    } else if (draw < 36) {
        splitting();
    } else if (draw < 41) {
        swelling();
    } else if (draw < 57) {
        tottering();
    } else if (draw < 64) {
        flicker();
    } else if (draw < 67) {
        hollow();
    } else if (draw < 70) {
        haunted();
    } else if (draw < 76) {
        draw_shape();
        churn();
    } else if (draw < 79) {
        w->arrays = w->list->run_array && sim_draw(4) == 0;
        ascending();
    } else if (draw < 80) {
        crowd();
    } else if (draw < 83 && w->list->lock_free) {
        draw_shape();
        solo();
    } else if (draw < 86) {
        w->arrays = w->list->run_array && sim_draw(2);
        ebbing();
    } else {
        anything();
    }
}
