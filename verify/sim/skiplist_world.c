/* verify/sim/skiplist_world.c - scenarios for the skiplist, and the judgement of what came of them.
 *
 * A skiplist is built in one go, and then somebody who is alone works on it for a while, so that it has chunks of all
 * states and fillings, zombies in rings and chunks in free lists, when the agents begin. */
#include <stdlib.h>
#include <string.h>

#include "../../src/skiplist/skiplist_check.h"
#include "../../src/skiplist/skiplist_plan.h"
#include "epoch_sim.h"
#include "skiplist_sim.h"

enum { MOST_AGENTS = 40, MOST_KEYS = 420, MOST_OPS = 420, MOST_STAYS = MOST_OPS, NODES = 192 };
enum { MOST_EXPECTED = 50 }; /* operations; who is held back for longer than that would pass for one that hangs */
enum { MOST_SLOTS = 8, MOST_RING = 6, LINE_WORDS = 8 /* at least PORT_LINE_WORDS */ };
enum { FIRST_STAMP = 2000, FIRST_PLACE = 3000, FIRST_COUNT = 5000 }; /* none looks like the id of a chunk */

static const skiplist_variant *const variants[] = {
    &sim_skiplist_32_cuda, &sim_skiplist_64_cuda, &sim_skiplist_32_plain,    &sim_skiplist_64_plain,
    &sim_skiplist_32_x86,  &sim_skiplist_64_x86,  &sim_skiplist_wide_32_cuda};
static const char *const variant_names[] = {"cuda32", "cuda64", "plain32", "plain64", "x86_32", "x86_64", "cuda32_wide",
                                            NULL};

/* What operations a scenario has, in percent; the rest are finds. */
typedef struct mix {
    unsigned put, add, erase, seek, range;
} mix;

typedef struct world {
    const skiplist_variant *list;
    map_ref place;
    size_t chunk_bytes;
    unsigned capacity; /* pairs of a chunk */
    unsigned agents;
    bool arrays;     /* agents make array calls */
    bool owned;      /* each agent has keys of its own, next to the others' */
    bool may_refuse; /* the pool is small */
    bool some_low;   /* when the agents begin, not all chunks are raised */
    bool stuck;      /* before the agents began */
    bool ebbs;       /* agents only erase: each looks at what it leaves, so no empty chunk is left to nobody */
    bool solo;       /* the last agent makes finds beside those who stand still */
    unsigned as_one; /* percent of stays */
    unsigned longest_stay;
    history_pair initial[MOST_KEYS], last[MOST_KEYS];
    size_t initial_count;
    unsigned universe;    /* keys that operations choose from */
    unsigned from, width; /* the part of it that they do choose from */
    unsigned first_op[MOST_AGENTS + 1], first_stay[MOST_AGENTS + 1];
    history_op ops[MOST_OPS];
    skiplist_stay stays[MOST_STAYS];
    history_pair pairs[MOST_OPS * MAP_RANGE_ROOM];
    uint64_t next_value, first_value;
    history history;
    bool bad_history; /* the last schedule's */
    history_checker *checker;
} world;

static _Thread_local world w;
_Thread_local unsigned skiplist_stage;
_Thread_local bool skiplist_bag_was_full;

/* ---- keys: number 0 is the smallest key there is, the last one the largest, and none looks like a chunk's id ---- */

static uint64_t key_of(unsigned number)
{
    if (number == 0) return 0;
    if (number + 1 == w.universe) return w.list->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    uint64_t key = 0x10000u + 16u * (uint64_t)number;
    return w.list->key_bits == 32 ? key : key << 28;
}

static uint64_t fresh_value(void) { return w.first_value + w.next_value++; }

/* ---- laying out ---- */

static void begin_epoch(unsigned slots, unsigned ring)
{
    epoch *e = &w.place.versions.epoch;
    *e = (epoch){.state = sim_reserve(sizeof *e->state), .slots = slots, .ring = ring};
    e->announce = sim_reserve(MOST_SLOTS * LINE_WORDS * 8);
    e->home = sim_reserve(MOST_SLOTS * sizeof e->home[0]);
    e->rings = sim_reserve(MOST_SLOTS * MOST_RING * sizeof e->rings[0]);
    epoch_begin(e->state);
    e->state->clock = e->state->floor = FIRST_STAMP;
    for (unsigned i = 0; i < slots; i++) e->home[i].head = e->home[i].tail = FIRST_PLACE;
}

/* Counters that add up to `keys`, none of which looks like the id of a chunk. */
static void begin_counters(uint64_t keys)
{
    blink_tree *tree = w.place.tree;
    for (unsigned i = 0; i < BLINK_STRIPES; i++) tree->stripe[i].size = FIRST_COUNT;
    tree->stripe[BLINK_STRIPES - 1].size -= (uint64_t)BLINK_STRIPES * FIRST_COUNT - keys;
    tree->restarts = tree->reclaimed = FIRST_COUNT;
}

static uint64_t *chunk_at(uint64_t id) { return (uint64_t *)((char *)w.place.nodes + id * w.chunk_bytes); }

static unsigned slot_words(void) { return w.list->key_bits / 32; }

static uint64_t *header_at(uint64_t id) { return &chunk_at(id)[slot_words() * (w.list->slots - 1)]; }

/* The pair of a chunk that was built goes out of the level above, if it is not the first there: as if the chunk had not
 * been raised. */
static void make_low(const build_plan *plan, uint32_t level, uint64_t index)
{
    if (index % plan->per_inner == 0) return;
    uint64_t above = index / plan->per_inner, words = slot_words();
    uint32_t parent = above ? (uint32_t)(plan->first_id[level + 1] + above) : skiplist_head(level + 1);
    uint64_t *pairs = chunk_at(parent), *header = header_at(parent), id = plan->first_id[level] + index;
    unsigned count = header_count(*header), at = 0;
    while (at < count && (uint32_t)(pairs[at * words + words - 1] >> (words == 1) * 32) != id) at++;
    bool last = above + 1 == plan->count[level + 1];
    memmove(&pairs[at * words], &pairs[(at + 1) * words], (count - 1 - at) * words * 8);
    for (unsigned i = count - 1; i < w.list->slots - 1; i++)
        memcpy(&pairs[i * words], &pairs[(last ? count - 2 : w.list->slots - 2) * words], words * 8);
    *header = header_first(chunk_bits(level + 1, chunk_state(*header)), count - 1);
    *header_at(id) = header_with_state(*header_at(id), CHUNK_LOW);
    if (above == 0 && last && count == 2 && level > 0) w.place.tree->root = skiplist_root(level);
}

/* Some chunks of the two lowest levels. */
static void make_some_low(const build_plan *plan)
{
    unsigned of = 2 + (unsigned)sim_draw(6);
    for (uint32_t level = 2; level-- > 0;)
        for (uint64_t index = plan->count[level]; index-- > 1;)
            if (sim_draw(of) == 0) make_low(plan, level, index);
}

/* Every `stride`-th key from `first` on. */
static void build(unsigned first, unsigned stride, unsigned count, double fill)
{
    uint64_t keys[MOST_KEYS], values[MOST_KEYS];
    for (unsigned i = 0; i < count; i++) {
        keys[i] = key_of(first + i * stride);
        values[i] = fresh_value();
    }
    build_plan plan;
    skiplist_plan_make(&plan, count, fill, w.list->slots);
    w.place.tree = sim_reserve(sizeof *w.place.tree);
    w.chunk_bytes = (size_t)w.list->slots * w.list->key_bits / 4;
    w.place.nodes = sim_reserve(NODES * w.chunk_bytes);
    sim_nodes(w.place.nodes, w.chunk_bytes, NODES);
    w.place.tree->pool.capacity = NODES;
    w.place.tree->pool.next = 1 + plan.nodes;
    w.list->build(&plan, w.place.nodes, keys, values);
    w.place.tree->root = plan.root;
    begin_counters(count);
    if (w.some_low) make_some_low(&plan);
}

/* As a user says it: 1 or 0.5. */
static void draw_raise(void) { w.place.raise = sim_draw(3) ? (uint64_t)1 << 32 : (uint64_t)1 << 31; }

static void alone(uint8_t kind, unsigned number)
{
    history_op op = {.kind = kind, .key = key_of(number), .value = fresh_value()};
    if (!w.stuck && !w.list->alone(w.place, (unsigned)sim_draw(w.place.versions.epoch.slots), &op)) w.stuck = true;
}

static int by_key(const void *a, const void *b)
{
    uint64_t left = ((const history_pair *)a)->key, right = ((const history_pair *)b)->key;
    return (left > right) - (left < right);
}

static size_t export_pairs(history_pair *pairs)
{
    size_t count = w.list->export_pairs(w.place, pairs, MOST_KEYS);
    if (count <= MOST_KEYS) qsort(pairs, count, sizeof pairs[0], by_key);
    return count;
}

/* What the agents find. */
static void settle(void)
{
    w.initial_count = w.stuck ? 0 : export_pairs(w.initial);
    if (w.initial_count > MOST_KEYS) w.stuck = true, w.initial_count = 0;
}

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

static void plan_op(history_op *op, unsigned agent, uint8_t kind, uint64_t key)
{
    *op = (history_op){.agent = agent, .kind = kind, .key = key, .value = fresh_value(),
                       .pairs = (uint32_t)(op - w.ops) * MAP_RANGE_ROOM};
    if (kind != HISTORY_RANGE) return;
    unsigned high = w.from + (unsigned)sim_draw(w.universe - w.from); /* within the limit of a range, or beyond */
    op->high = key_of(high) < key ? key : key_of(high);
}

/* Mostly one that was there at the beginning: a chunk gets small by erasing what is there. */
static uint64_t draw_present(void)
{
    uint64_t least = key_of(w.from), most = key_of(w.from + w.width - 1);
    for (size_t i = 0, at = w.initial_count ? sim_draw(w.initial_count) : 0; i < w.initial_count; i++, at++) {
        uint64_t key = w.initial[at % w.initial_count].key;
        if (key >= least && key <= most) return key;
    }
    return key_of(w.from + (unsigned)sim_draw(w.width));
}

/* A key for an operation of agent `a` of so many. */
static uint64_t draw_key(unsigned a, unsigned agents, uint8_t kind)
{
    unsigned number = w.from + (unsigned)sim_draw(w.width);
    if (!w.owned) return kind != HISTORY_PUT && sim_draw(4) ? draw_present() : key_of(number);
    number += a - number % agents; /* wraps around below zero at most for a moment */
    return key_of(number % w.universe % agents == a ? number % w.universe : a);
}

/* Agent `a`, who comes after those that were planned before, makes the operations from its first to `end`. */
static void plan_stays(unsigned a, unsigned end)
{
    unsigned stays = w.first_stay[a];
    for (unsigned at = w.first_op[a]; at < end;) {
        skiplist_stay *stay = &w.stays[stays++];
        *stay = (skiplist_stay){.ops = 1 + (unsigned)sim_draw(w.longest_stay), .as_one = sim_draw_chance(w.as_one),
                                .parts = sim_draw(4) == 0};
        if (stay->ops > end - at) stay->ops = end - at;
        at += stay->ops;
    }
    w.first_op[a + 1] = end;
    w.first_stay[a + 1] = stays;
}

static void begin_plan(unsigned agents)
{
    w.agents = agents;
    w.first_op[0] = w.first_stay[0] = 0;
    w.as_one = 20 * (unsigned)sim_draw(6);
    w.longest_stay = 1 + (unsigned)sim_draw(sim_draw(2) ? 2 : 6);
}

static void plan_ops(unsigned agents, unsigned each, mix mix)
{
    begin_plan(agents);
    for (unsigned a = 0, count = 0; a < agents; a++) {
        uint8_t kind = draw_kind(mix);
        for (unsigned i = 0; i < each && count < MOST_OPS; i++, count++) {
            if (!w.arrays) kind = draw_kind(mix); /* one kind in an array call; else any */
            plan_op(&w.ops[count], a, kind, draw_key(a, agents, kind));
        }
        plan_stays(a, count);
    }
}

/* ---- scenarios ---- */

static const mix even_mix = {25, 10, 30, 0, 5}, erase_mix = {10, 5, 60, 0, 5}, insert_mix = {45, 15, 10, 0, 5},
                 seek_mix = {15, 5, 35, 30, 5}, owned_mix = {30, 10, 30, 0, 0};

static mix draw_mix(void)
{
    if (w.owned) return owned_mix;
    switch (sim_draw(5)) {
    case 0: return insert_mix;
    case 1: return seek_mix;
    case 2: return even_mix;
    default: return erase_mix;
    }
}

static unsigned few_agents(void) { return 2 + (unsigned)sim_draw(sim_draw(4) ? 3 : 6); }

static void draw_window(unsigned least)
{
    w.width = least + (unsigned)sim_draw(sim_draw(2) ? 6 : w.universe - least + 1);
    if (w.width > w.universe) w.width = w.universe;
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
}

/* All within a chunk or two. */
static void hot(void)
{
    w.universe = 24;
    build((unsigned)sim_draw(3), 1 + (unsigned)sim_draw(2), (unsigned)sim_draw(11), 1);
    draw_window(2);
}

/* Chunks with a few pairs each, on every level: whoever erases merges. */
static void thin(void)
{
    unsigned per_chunk = 1 + (unsigned)sim_draw(w.capacity / 3), chunks = 2 + (unsigned)sim_draw(10);
    w.universe = 2 * per_chunk * chunks + 2;
    build(1, 2, per_chunk * chunks, (double)per_chunk / w.capacity);
    draw_window(2);
}

/* Of a chunk that was built full, so many pairs stay. */
static void empty_chunk(unsigned chunk, unsigned pairs)
{
    unsigned skip = (unsigned)sim_draw(w.capacity);
    for (unsigned i = pairs; i < w.capacity; i++)
        alone(HISTORY_ERASE, 1 + 2 * (chunk * w.capacity + (skip + i) % w.capacity));
}

/* Bottom chunks next to each other that are full, nearly small, or small. */
static void uneven(void)
{
    unsigned chunks = 2 + (unsigned)sim_draw(5), few = w.capacity / 3;
    w.universe = 2 * w.capacity * chunks + 2;
    build(1, 2, w.capacity * chunks, 1);
    for (unsigned c = 0; c < chunks; c++) {
        unsigned draw = (unsigned)sim_draw(10);
        if (draw >= 4) empty_chunk(c, draw < 9 ? few + (unsigned)sim_draw(2) : (unsigned)sim_draw(few + 1));
    }
    draw_window(4);
}

/* Every chunk up to the highest one is full, or nearly: one insert gives searches another level to begin on. */
static void full(void)
{
    unsigned chunks = w.capacity > 14 ? 3 : w.capacity, keys = w.capacity * chunks;
    w.universe = 2 * keys + 4;
    build(1, 2, keys, 1);
    for (unsigned i = (unsigned)sim_draw(3); i > 0; i--) alone(HISTORY_ERASE, 1 + (unsigned)sim_draw(w.universe - 1));
    w.width = sim_draw(2) ? w.universe : 30;
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
}

/* Two levels with a pair or two more than it takes: they come and go. */
static void short_levels(void)
{
    unsigned per_chunk = 1 + (unsigned)sim_draw(3), chunks = 2 + (unsigned)sim_draw(3);
    w.universe = 2 * per_chunk * chunks + 2;
    build(1, 2, per_chunk * chunks, (double)per_chunk / w.capacity);
    w.from = 0;
    w.width = w.universe;
}

/* Somebody has been at work here. */
static void work_on(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        alone(sim_draw(2) ? HISTORY_PUT : HISTORY_ERASE, w.from + (unsigned)sim_draw(w.width));
}

static void draw_shape(void)
{
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
    if (sim_draw(2) && !w.stuck) w.list->return_all(w.place);
    settle();
}

/* Some take chunks out and put others in, in short stays, so that chunks soon become others; some stay inside for long,
 * and look around. */
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
            for (unsigned i = 0; i < ops && count < MOST_OPS; i++, count++) {
                bool passes = !looking && sim_draw(3) == 0; /* comes in and goes out, for the clock */
                uint8_t kind = passes ? HISTORY_FIND : draw_kind(mix);
                plan_op(&w.ops[count], a, kind, draw_key(a, agents, kind));
            }
        }
        w.longest_stay = looking ? 12 : 1 + (unsigned)sim_draw(2);
        plan_stays(a, count);
    }
}

static void set_window(unsigned first_chunk, unsigned chunks)
{
    w.from = 1 + 2 * w.capacity * first_chunk;
    w.width = 2 * w.capacity * chunks;
}

/* Some chunks are one erase from being small, and so is the next one, some are full. Writers merge, come in and go out
 * until what they have retired is free, and split; others stand among these chunks meanwhile. */
static void recycle(void)
{
    unsigned thin = 2 + (unsigned)sim_draw(3), full = 1 + (unsigned)sim_draw(2), chunks = thin + full, count = 0;
    unsigned first_thin = sim_draw(2) ? full : 0, first_full = first_thin ? 0 : thin;
    unsigned agents = 2 + (unsigned)sim_draw(4), writers = 1 + (unsigned)sim_draw(agents > 2 ? 2 : 1);
    w.universe = 2 * w.capacity * chunks + 2;
    build(1, 2, w.capacity * chunks, 1);
    for (unsigned c = 0; c < thin; c++) empty_chunk(first_thin + c, w.capacity / 3);
    settle();
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
                plan_op(&w.ops[count], a, kind, merges ? draw_present() : draw_key(a, agents, kind));
            }
        }
        w.longest_stay = writes || sim_draw(3) == 0 ? 1 + (sim_draw(4) == 0) : 12;
        plan_stays(a, count);
    }
}

/* One who splits, and others who change keys of that chunk and look for them at once. */
static void plan_split(unsigned agents, unsigned first)
{
    unsigned count = 0;
    begin_plan(agents);
    w.as_one = 0;
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = 1 + (unsigned)sim_draw(3), number = first + 1 + 2 * (unsigned)sim_draw(w.capacity);
        for (unsigned i = 0; i < ops; i++, count++) {
            bool puts = a == 0 || (i % 2 == 0 && sim_draw(4) == 0);
            uint8_t kind = puts ? HISTORY_PUT : i % 2 ? HISTORY_FIND : HISTORY_ERASE;
            if (a > 0 && sim_draw(4) == 0) kind = HISTORY_FIND;
            if (a == 0) number = first + 2 + 2 * (unsigned)sim_draw(w.capacity - 1); /* one that is not there */
            plan_op(&w.ops[count], a, kind, key_of(number));
        }
        w.longest_stay = 4;
        plan_stays(a, count);
    }
}

/* The pairs of a full chunk in another order: a split moves some to where others were. */
static void shuffle(unsigned chunk, unsigned times)
{
    for (; times > 0; times--) {
        unsigned number = 1 + 2 * (chunk * w.capacity + (unsigned)sim_draw(w.capacity));
        alone(HISTORY_ERASE, number);
        alone(HISTORY_PUT, number);
    }
}

/* Few keys of full chunks: they meet on what a split moves. */
static void splitting(void)
{
    unsigned chunks = 1 + (unsigned)sim_draw(3), agents = 2 + (unsigned)sim_draw(3);
    w.universe = 2 * w.capacity * chunks + 2;
    build(1, 2, w.capacity * chunks, 1);
    unsigned chunk = (unsigned)sim_draw(chunks);
    shuffle(chunk, (unsigned)sim_draw(w.capacity));
    settle();
    if (sim_draw(3)) {
        plan_split(agents, 2 * chunk * w.capacity);
        return;
    }
    w.width = 3 + (unsigned)sim_draw(8);
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
    plan_ops(agents, 1 + (unsigned)sim_draw(3), (mix){35, 5, 30, 0, 0});
}

/* A chunk that is about to take the next one in, which has as many pairs as is bearable, while others put more into
 * both. */
static void swelling(void)
{
    unsigned agents = 2 + (unsigned)sim_draw(4), few = w.capacity / 3, much = w.capacity * 3 / 4, count = 0;
    w.universe = 4 * w.capacity + 2;
    build(1, 2, 2 * w.capacity, 1);
    empty_chunk(0, few);
    empty_chunk(1, much - few + 1 - (unsigned)sim_draw(2));
    settle();
    begin_plan(agents);
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = a == 0 ? 1 + (unsigned)sim_draw(2) : 2 + (unsigned)sim_draw(6);
        set_window(a == 0 ? 0 : (unsigned)sim_draw(2), 1);
        for (unsigned i = 0; i < ops; i++, count++) {
            uint8_t kind = a == 0 ? HISTORY_ERASE : sim_draw(5) ? HISTORY_PUT : HISTORY_FIND;
            plan_op(&w.ops[count], a, kind, a == 0 ? draw_present() : draw_key(a, agents, kind));
        }
        plan_stays(a, count);
    }
}

/* Three chunks above the bottom, with a few pairs each: whoever erases lowers a chunk, and then one of these; if there
 * is no room in its bag for both, that is raised again. */
static void tottering(void)
{
    unsigned per_chunk = 2 + (unsigned)sim_draw(w.capacity / 3 - 1);
    unsigned chunks = 2 * per_chunk + 1 + (unsigned)sim_draw(per_chunk);
    w.universe = 2 * per_chunk * chunks + 2;
    if (sim_draw(3)) w.place.versions.epoch.ring = 1;
    build(1, 2, per_chunk * chunks, (double)per_chunk / w.capacity);
    settle();
    if (sim_draw(4) == 0) {
        draw_window(per_chunk * chunks);
        plan_ops(2 + (unsigned)sim_draw(2), 1 + (unsigned)sim_draw(3), (mix){10, 0, 80, 0, 0});
        return;
    }
    unsigned agents = 2 + (sim_draw(4) == 0), next = sim_draw(2) ? per_chunk : 1;
    unsigned first = next == 1 ? (unsigned)sim_draw(per_chunk) : 0;
    begin_plan(agents);
    for (unsigned a = 0; a < agents; a++) { /* of chunks under two upper ones, or next to each other */
        plan_op(&w.ops[a], a, HISTORY_ERASE, key_of(1 + 2 * per_chunk * (first + next * a)));
        plan_stays(a, a + 1);
    }
}

/* Chunks with one pair each, which is erased, and somebody who looks for the next key down. */
static void hollow(void)
{
    unsigned keys = 4 + (unsigned)sim_draw(6), agents = 2 + (unsigned)sim_draw(2), count = 0;
    w.universe = 2 * keys + 2;
    build(1, 2, keys, 1.0 / w.capacity);
    settle();
    begin_plan(agents);
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = 1 + (unsigned)sim_draw(3), at = (unsigned)sim_draw(keys - 2);
        bool looks = a == 1 || (a > 1 && sim_draw(2));
        for (unsigned i = 0; i < ops; i++, count++)
            plan_op(&w.ops[count], a, looks ? HISTORY_FLOOR : HISTORY_ERASE,
                    key_of(looks ? 4 + 2 * (unsigned)sim_draw(keys - 2) : 1 + 2 * (at + i % 2)));
        plan_stays(a, count);
    }
}

/* Two who share an L1, and one who does not. The first is inside, and has looked at nothing yet, when the other takes a
 * chunk out; then the second comes in, and may find in L1 what the first one loads late and old: the way to that chunk.
 * A range does nothing that empties L1. */
static void haunted(void)
{
    unsigned thin = 2 + (unsigned)sim_draw(2), at = (unsigned)sim_draw(thin - 1), count = 0;
    unsigned told = (unsigned)sim_draw(sim_draw(2) ? 1 : 4), passes = told + 3 + (unsigned)sim_draw(2);
    sim_multiprocessors(2);
    w.universe = 2 * w.capacity * thin + 2;
    build(1, 2, w.capacity * thin, 1);
    for (unsigned c = 0; c < thin; c++) empty_chunk(c, w.capacity / 3);
    settle();
    begin_plan(3);
    w.as_one = 100;
    w.longest_stay = 1;
    for (unsigned a = 0; a < 3; a++) {
        set_window(a == 1 ? at : at + 1, 1);
        for (unsigned i = 0; i < (a == 1 ? passes : 1 + a / 2); i++, count++)
            plan_op(&w.ops[count], a, a == 1 && i == 0 ? HISTORY_ERASE : HISTORY_RANGE, draw_present());
        if (a == 2) w.longest_stay = 4;
        plan_stays(a, count);
    }
    skiplist_stay *first = &w.stays[0], *second = &w.stays[w.first_stay[1]], *third = &w.stays[w.first_stay[2]];
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

/* One who erases and puts a few keys of one chunk in turns, and others who look for these, again and again. */
static void flicker(void)
{
    unsigned agents = 2 + (unsigned)sim_draw(3), count = 0;
    w.universe = 24;
    build(1, 1 + (unsigned)sim_draw(2), 2 + (unsigned)sim_draw(8), 1);
    settle();
    w.width = 1 + (unsigned)sim_draw(3);
    w.from = 1 + (unsigned)sim_draw(w.initial_count);
    begin_plan(agents);
    w.as_one = 0;
    for (unsigned a = 0; a < agents; a++) {
        unsigned ops = 2 + (unsigned)sim_draw(6);
        uint64_t key = key_of(w.from + (unsigned)sim_draw(w.width));
        for (unsigned i = 0; i < ops; i++, count++) {
            uint8_t kind = a > 0 && sim_draw(8) ? HISTORY_FIND : i % 2 ? HISTORY_PUT : HISTORY_ERASE;
            plan_op(&w.ops[count], a, kind, key);
        }
        w.longest_stay = 12;
        plan_stays(a, count);
    }
}

/* All agents at the end of the map, with ascending keys, or at its beginning, with descending ones. */
static void ascending(void)
{
    unsigned agents = few_agents(), each = 3 + (unsigned)sim_draw(6), keys = w.capacity * (unsigned)sim_draw(4);
    bool down = sim_draw(3) == 0;
    if (agents * each > 60) each = 60 / agents;
    w.universe = keys + agents * each + 1;
    w.width = w.universe;
    w.from = 0;
    build(down ? agents * each : 0, 1, keys, 1);
    settle();
    begin_plan(agents);
    for (unsigned a = 0, count = 0; a < agents; a++) {
        for (unsigned i = 0; i < each; i++, count++) {
            unsigned nth = i * agents + a;
            plan_op(&w.ops[count], a, !w.arrays && sim_draw(8) == 0 ? HISTORY_FIND : HISTORY_PUT,
                    key_of(down ? agents * each - 1 - nth : keys + nth));
        }
        plan_stays(a, count);
    }
}

/* Two or three chunks above the bottom, and all keys go, the lowest first: most chunks that get empty have a neighbour
 * which another agent is merging, or are the first in their upper chunk until that is merged. */
static void ebbing(void)
{
    unsigned per_chunk = 2 + (unsigned)sim_draw(2), chunks = 2 * per_chunk + 1 + (unsigned)sim_draw(per_chunk);
    unsigned agents = 2 + (unsigned)sim_draw(3), keys = per_chunk * chunks, count = 0; /* 14 keys each in an array */
    w.ebbs = true;
    w.place.versions.epoch.ring = MOST_RING;
    w.universe = 2 * keys + 2;
    build(1, 2, keys, (double)per_chunk / w.capacity);
    settle();
    begin_plan(agents);
    w.longest_stay = 1;
    for (unsigned a = 0; a < agents; a++) {
        for (unsigned i = a; i < keys; i += agents, count++)
            plan_op(&w.ops[count], a, HISTORY_ERASE, key_of(1 + 2 * i));
        plan_stays(a, count);
    }
}

static void crowd(void)
{
    w.universe = 80;
    build(1, 2, (unsigned)sim_draw(36), 0.3 + 0.1 * (double)sim_draw(8));
    draw_window(2);
    settle();
    unsigned agents = 12 + (unsigned)sim_draw(MOST_AGENTS - 12 + 1);
    plan_ops(agents, 1 + (unsigned)sim_draw(3), sim_draw(2) ? erase_mix : even_mix);
}

/* Writers, and one who looks for keys beside them, whatever they are at: find and contains wait for nobody. */
static void solo(void)
{
    enum { LOOKS = 260, BUDGET = 4000 };
    unsigned writers = sim_draw(2) ? 1 : 1 + (unsigned)sim_draw(3), count;
    plan_ops(writers, 1 + (unsigned)sim_draw(4), sim_draw(2) ? erase_mix : insert_mix);
    count = w.first_op[writers];
    w.solo = true;
    w.agents = writers + 1;
    w.longest_stay = 20;
    for (unsigned i = 0; i < LOOKS && count < MOST_OPS; i++, count++) {
        uint8_t like = sim_draw(2) ? HISTORY_PUT : HISTORY_FIND; /* of any key, or of one that was there */
        plan_op(&w.ops[count], writers, HISTORY_FIND, draw_key(writers, w.agents, like));
    }
    plan_stays(writers, count);
    sim_solo(writers, BUDGET, sim_draw(3) ? 256 : 64);
}

/* A pool with room for a few splits only. */
static void limit_pool(void)
{
    w.may_refuse = true;
    w.place.tree->pool.capacity = w.place.tree->pool.next + sim_draw(4);
}

/* Two agents, a few operations each; what the exhaustive strategy goes through. Every other key is there, 1, 3, 5 and
 * so on, so many in a chunk; p puts, a adds, e erases, f finds, c and l look for the next key up and down, r for all to
 * the end, and | begins another stay. */
static const struct {
    unsigned keys, per_chunk;
    const char *part[2];
} tiny_cases[] = {
    {6, 14, {"e1", "f11 f3"}},             /* the last pair takes the place of the first */
    {6, 14, {"p3", "f3 f3"}},              /* a new value */
    {6, 14, {"e11 p4", "f4 f4"}},          /* a slot that counts no more, and not yet again */
    {14, 14, {"p4", "f27"}},               /* a split, and a key that moves */
    {14, 14, {"p4", "f13"}},               /* a split, and a key that stays */
    {14, 14, {"p4", "e27 f27"}},           /* an erase through an unfinished split */
    {14, 14, {"e27 f27", "p4"}},
    {14, 14, {"p4", "p26"}},               /* two inserts into a full chunk */
    {14, 14, {"p4", "r13"}},               /* a split, and a range over it */
    {4, 2, {"e1", "f5"}},                  /* a merge, and a key that moves */
    {4, 2, {"e1", "f6"}},                  /* a merge, and a key that is not there */
    {4, 2, {"e1", "e5"}},                  /* a merge, and an erase in the chunk that goes */
    {4, 2, {"e1", "p6 f6"}},               /* a merge, and an insert there */
    {4, 2, {"e1", "c4"}},                  /* a merge, and the ways to its keys */
    {4, 2, {"e1", "l6"}},
    {4, 2, {"e1", "r3"}},
    {6, 2, {"e1", "e5"}},                  /* a chunk that is to be merged merges another */
    {12, 3, {"e7", "e13"}},
    {8, 2, {"e1", "f13"}},                 /* upper chunks are merged, searches begin one level lower */
    {8, 2, {"e1", "e9"}},
    {28, 14, {"p30", "e1"}},               /* a chunk is raised, and another one lowered */
    {4, 2, {"e1|f3|f3|f3|f3", "f5"}},      /* a chunk goes back to the pool beside a reader, or not yet */
    {4, 2, {"e1|f3|f3|f3|f3", "f3 f5"}},
};

static uint8_t kind_of_letter(char letter)
{
    static const char letters[] = "paefclr";
    return (uint8_t)(strchr(letters, letter) - letters);
}

static void plan_tiny(unsigned a, const char *part)
{
    unsigned count = w.first_op[a], stays = w.first_stay[a];
    w.stays[stays] = (skiplist_stay){0};
    for (; *part; part++) {
        if (*part == '|') w.stays[++stays] = (skiplist_stay){0};
        if (*part < 'a' || *part > 'z') continue;
        plan_op(&w.ops[count++], a, kind_of_letter(*part), key_of((unsigned)atoi(part + 1)));
        w.stays[stays].ops++;
    }
    w.first_op[a + 1] = count;
    w.first_stay[a + 1] = stays + 1;
}

static void tiny(unsigned number)
{
    w.universe = 64;
    w.width = 1;
    w.from = w.universe - 2;
    w.place.raise = (uint64_t)1 << 32;
    begin_epoch(2, 2);
    build(1, 2, tiny_cases[number].keys, (double)tiny_cases[number].per_chunk / 14);
    settle();
    w.agents = 2;
    w.first_op[0] = w.first_stay[0] = 0;
    for (unsigned a = 0; a < 2; a++) plan_tiny(a, tiny_cases[number].part[a]);
}

/* Any operations of a shape. */
static void anything(void)
{
    w.arrays = w.list->run_array && sim_draw(4) == 0;
    w.owned = !w.arrays && sim_draw(8) == 0;
    if (w.owned) sim_without_fences();
    draw_shape();
    plan_ops(few_agents(), 1 + (unsigned)sim_draw(5), draw_mix());
}

static void draw_scenario(void)
{
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
        w.arrays = w.list->run_array && sim_draw(4) == 0;
        ascending();
    } else if (draw < 80) {
        crowd();
    } else if (draw < 83 && w.list->lock_free) {
        draw_shape();
        solo();
    } else if (draw < 86) {
        w.arrays = w.list->run_array && sim_draw(2);
        ebbing();
    } else {
        anything();
    }
}

static unsigned prepare(unsigned variant, int tiny_case)
{
    w.list = variants[variant];
    w.capacity = w.list->slots - 2;
    w.arrays = w.owned = w.may_refuse = w.some_low = w.stuck = w.solo = false;
    skiplist_stage = 0;
    skiplist_bag_was_full = w.ebbs = false;
    w.next_value = 0;
    w.first_value = tiny_case < 0 && sim_draw(2) ? NODE_LINK + 1000u : 1000; /* may look like a link, to no chunk */
    if (tiny_case >= 0) {
        tiny((unsigned)tiny_case);
        return w.agents;
    }
    begin_epoch(2 + (unsigned)sim_draw(MOST_SLOTS - 1), 1 + (unsigned)sim_draw(MOST_RING));
    draw_raise();
    w.some_low = sim_draw(4) == 0;
    sim_multiprocessors(1 + (unsigned)sim_draw(4));
    draw_scenario();
    if (sim_draw(6) == 0) limit_pool();
    unsigned ops = w.first_op[w.agents - w.solo];
    sim_expect(120 * (uint64_t)(ops < MOST_EXPECTED ? ops : MOST_EXPECTED));
    return w.agents;
}

static void agent(unsigned index)
{
    unsigned from = w.first_op[index], ops = w.first_op[index + 1] - from;
    unsigned stay = w.first_stay[index], stays = w.first_stay[index + 1] - stay;
    if (w.solo && index + 1 == w.agents)
        w.first_op[w.agents] = from + w.list->visit_solo(w.place, index, w.longest_stay, &w.ops[from], ops);
    else if (w.arrays)
        w.list->run_array(w.place, index, &w.ops[from], ops, &w.pairs[from * MAP_RANGE_ROOM]);
    else
        w.list->visit(w.place, index, &w.stays[stay], stays, &w.ops[from], &w.pairs[from * MAP_RANGE_ROOM]);
}

/* ---- judging ---- */

/* S8: who is not live is a zombie in a ring, or free in a list, and nowhere else. */
static bool judge_places(char *why, size_t size, bool zombies_allowed)
{
    const blink_tree *tree = w.place.tree;
    const epoch *e = &w.place.versions.epoch;
    uint64_t used = blink_used_ids(tree), free_ids = 0;
    uint8_t in_rings[NODES] = {0}, in_lists[NODES] = {0};
    for (unsigned slot = 0; slot < e->slots; slot++)
        for (uint64_t at = e->home[slot].head; at < e->home[slot].tail; at++) {
            uint64_t id = e->rings[slot * e->ring + at % e->ring].id;
            if (id < NODES) in_rings[id]++;
        }
    for (unsigned list = 0; list < POOL_STRIPES; list++)
        for (uint64_t id = (uint32_t)tree->pool.free[list].head; id && id < NODES; id = (uint32_t)*chunk_at(id)) {
            if (in_lists[id]++) break; /* in a circle */
            free_ids++;
        }
    for (uint64_t id = 1; id < used; id++) {
        uint64_t header = *header_at(id);
        unsigned rings = header && chunk_state(header) == CHUNK_ZOMBIE, lists = header == 0;
        if (in_rings[id] == rings && in_lists[id] == lists && (zombies_allowed || !rings)) continue;
        snprintf(why, size, "S8: chunk %llu is %s, and %u times in a ring, %u times in a list", (unsigned long long)id,
                 lists ? "free" : rings ? "a zombie" : "live", in_rings[id], in_lists[id]);
        return false;
    }
    if (free_ids == tree->returned) return true;
    snprintf(why, size, "%llu chunks are in lists, and %llu are said to be", (unsigned long long)free_ids,
             (unsigned long long)tree->returned);
    return false;
}

/* The id in a pair or a link, and the next chunk of a level, or 0. */
static uint32_t id_in_slot(uint64_t chunk, unsigned slot)
{
    unsigned words = slot_words();
    return (uint32_t)(chunk_at(chunk)[slot * words + words - 1] >> (words == 1) * 32);
}

static uint64_t chunk_after(uint64_t chunk)
{
    uint32_t link = id_in_slot(chunk, w.list->slots - 2);
    return link & NODE_LINK ? link & ~NODE_LINK : 0;
}

/* An empty chunk can be merged unless it is a head or the first in its upper chunk, and somebody has seen to it. */
static bool judge_empty(char *why, size_t size)
{
    bool stays[NODES] = {false};
    for (uint64_t above = skiplist_head(1); above; above = chunk_after(above)) stays[id_in_slot(above, 0)] = true;
    for (uint64_t id = skiplist_head(0); id; id = chunk_after(id)) {
        if (stays[id] || header_count(*header_at(id)) > 0) continue;
        snprintf(why, size, "chunk %llu is empty, and nobody merges it", (unsigned long long)id);
        return false;
    }
    return true;
}

/* Who has left has left nothing behind. */
static bool judge_epoch(char *why, size_t size)
{
    const epoch *e = &w.place.versions.epoch;
    for (unsigned i = 0; i < e->slots; i++) {
        if (e->announce[i * w.list->line_words] == EPOCH_FREE) continue;
        snprintf(why, size, "slot %u is taken, and nobody is there", i);
        return false;
    }
    if (!e->state->scan_latch && e->state->floor <= e->state->clock) return true;
    snprintf(why, size, "E2: floor %llu, clock %llu, latch of the scan %llu", (unsigned long long)e->state->floor,
             (unsigned long long)e->state->clock, (unsigned long long)e->state->scan_latch);
    return false;
}

static bool refused_without_need(char *why, size_t size)
{
    for (unsigned i = 0; i < w.first_op[w.agents]; i++) {
        const history_op *op = &w.ops[i];
        if (op->kind > HISTORY_ERASE || op->outcome != HISTORY_NOT_APPLIED) continue;
        if (w.may_refuse && op->kind != HISTORY_ERASE) continue;
        snprintf(why, size, "an update was refused though the pool has room");
        return true;
    }
    return false;
}

static bool judge_shape(char *why, size_t size)
{
    return skiplist_validate(w.list->slots, w.list->key_bits, w.place.tree, w.place.nodes, why, size);
}

/* Valid before and after the last zombies are returned. */
static bool judge_structure(char *why, size_t size)
{
    if (!judge_shape(why, size) || !judge_epoch(why, size) || !judge_places(why, size, true)) return false;
    if (w.ebbs && !skiplist_bag_was_full && !judge_empty(why, size)) return false;
    w.list->return_all(w.place);
    return judge_shape(why, size) && judge_epoch(why, size) && judge_places(why, size, false);
}

static bool judge(char *why, size_t size, sim_checked *checked)
{
    w.bad_history = false;
    if (w.stuck) {
        snprintf(why, size, "an update does not end, or there are too many keys, and nobody else is there");
        return false;
    }
    if (!judge_structure(why, size) || refused_without_need(why, size)) return false;
    size_t last_count = export_pairs(w.last), missed = last_count;
    if (last_count <= MOST_KEYS) missed = w.list->missed(w.place, w.last, last_count);
    if (missed > 0) {
        snprintf(why, size, "a find misses %zu of the keys", missed);
        return false;
    }
    if (!w.checker) w.checker = history_checker_create();
    w.history = (history){.initial = w.initial, .initial_count = w.initial_count, .ops = w.ops,
                          .count = w.first_op[w.agents], .pairs = w.pairs, .final = w.last, .final_count = last_count};
    history_verdict verdict = w.checker ? history_check(w.checker, &w.history) : HISTORY_UNDECIDED;
    checked->histories += verdict == HISTORY_GOOD;
    checked->undecided += verdict == HISTORY_UNDECIDED;
    w.bad_history = verdict == HISTORY_BAD;
    if (w.bad_history) snprintf(why, size, "the answers are not those of a map");
    return !w.bad_history;
}

static void explain(FILE *out)
{
    if (w.bad_history) history_explain(w.checker, &w.history, out);
}

/* ---- names of words, for traces ---- */

/* Is the word one of these? Then `at` is its number there. */
static bool is_within(uint32_t word, const void *part, size_t bytes, size_t *at)
{
    size_t from = (size_t)((const uint64_t *)part - (const uint64_t *)w.place.versions.epoch.state);
    *at = word - from;
    return word >= from && *at < bytes / 8;
}

static void describe_tree(size_t offset, uint64_t value, char *text, size_t size)
{
    unsigned long long v = value;
    if (offset == offsetof(blink_tree, root))
        snprintf(text, size, "root = chunk %u, level %u", (unsigned)value, (unsigned)(value >> 32));
    else if (offset == offsetof(blink_tree, restarts))
        snprintf(text, size, "restarts = %llu", v);
    else if (offset == offsetof(blink_tree, returned))
        snprintf(text, size, "returned = %llu", v);
    else if (offset == offsetof(blink_tree, reclaimed))
        snprintf(text, size, "reclaimed = %llu", v);
    else if (offset == offsetof(blink_tree, pool.next))
        snprintf(text, size, "pool: next id = %llu", v);
    else if (offset == offsetof(blink_tree, pool.capacity))
        snprintf(text, size, "pool: capacity = %llu", v);
    else if (offset >= offsetof(blink_tree, stripe))
        snprintf(text, size, "size of stripe %zu = %lld", (offset - offsetof(blink_tree, stripe)) / 64, (long long)v);
    else
        snprintf(text, size, "pool: free list %zu = %llx", (offset - offsetof(blink_tree, pool.free)) / 64, v);
}

static void describe_chunk(size_t word, uint64_t value, char *text, size_t size)
{
    static const char *const states[] = {"low", "raising", "raised", "zombie"};
    unsigned words = slot_words(), chunk_words = words * w.list->slots;
    unsigned id = (unsigned)word / chunk_words, at = (unsigned)word % chunk_words, slot = at / words;
    unsigned long long v = value;
    if (slot + 1 == w.list->slots)
        snprintf(text, size, "chunk %u header = version %llu, level %u, %s, count %u%s", id, v >> 16,
                 chunk_level(value), states[chunk_state(value)], header_count(value),
                 value & HEADER_LATCHED ? ", latched" : "");
    else if (words == 1 && (value >> 32 & NODE_LINK))
        snprintf(text, size, "chunk %u slot %u = link (%u, chunk %u)", id, slot, (unsigned)value,
                 (unsigned)(value >> 32) & ~NODE_LINK);
    else if (words == 1)
        snprintf(text, size, "chunk %u slot %u = (%u, %u)", id, slot, (unsigned)value, (unsigned)(value >> 32));
    else if (at % 2 && (value & NODE_LINK))
        snprintf(text, size, "chunk %u slot %u = link to chunk %u", id, slot, (unsigned)value & ~NODE_LINK);
    else
        snprintf(text, size, "chunk %u slot %u %s = %llu", id, slot, at % 2 ? "value" : "key", v);
}

static void describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    const epoch *e = &w.place.versions.epoch;
    unsigned long long v = value;
    size_t at;
    if (is_within(word, e->state, sizeof *e->state, &at))
        snprintf(text, size, "%s = %llu", epoch_word_name(at * 8), v);
    else if (is_within(word, e->announce, MOST_SLOTS * LINE_WORDS * 8, &at))
        snprintf(text, size, "slot %zu = %s %llu", at / w.list->line_words,
                 value == EPOCH_FREE ? "free" : value == EPOCH_OUT ? "out" : "in", v < EPOCH_IN ? 0 : v - EPOCH_IN);
    else if (is_within(word, e->home, MOST_SLOTS * sizeof e->home[0], &at))
        snprintf(text, size, "%s of ring %zu = %llu", at % 4 ? "tail" : "head", at / 4, v);
    else if (is_within(word, e->rings, MOST_SLOTS * MOST_RING * sizeof e->rings[0], &at))
        snprintf(text, size, "ring %zu, entry %zu: %s = %llu", at / 2 / e->ring, at / 2 % e->ring,
                 at % 2 ? "id" : "until", v);
    else if (is_within(word, w.place.tree, sizeof *w.place.tree, &at))
        describe_tree(at * 8, value, text, size);
    else
        describe_chunk(word - (size_t)((uint64_t *)w.place.nodes - (uint64_t *)e->state), value, text, size);
}

static bool is_latched(uint32_t word, uint64_t value)
{
    size_t at;
    if (is_within(word, w.place.versions.epoch.state, sizeof(epoch_state), &at))
        return at * 8 == offsetof(epoch_state, scan_latch) && value != 0;
    if (!is_within(word, w.place.nodes, NODES * w.chunk_bytes, &at)) return false;
    return at / slot_words() % w.list->slots + 1 == w.list->slots && (value & HEADER_LATCHED);
}

static void forget(void)
{
    history_checker_destroy(w.checker);
    w.checker = NULL;
}

const sim_structure sim_skiplist = {"skiplist", variant_names, sizeof tiny_cases / sizeof tiny_cases[0], prepare, agent,
                                    judge, explain, describe, is_latched, forget};
