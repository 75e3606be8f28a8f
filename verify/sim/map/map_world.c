/* verify/sim/map/map_world.c - scenarios for the ordered map, and the judgement of what came of them. */
#include <string.h>

#include "../../../src/blink/blink_check.h"
#include "../../../src/versioned/versioned_check.h"
#include "../epoch/epoch_sim.h"
#include "map_sim.h"

enum { MOST_AGENTS = 200, MOST_KEYS = 400, MOST_OPS = 400, MOST_PAIRS = MOST_OPS * MAP_RANGE_ROOM, NODES = 160 };
enum { STRIPES = 3, SLOTS = 4, VISITORS = 3, RING = 4, PINS = 256 /* a power of two, at least MOST_AGENTS */ };
enum { SIM_LINE_WORDS = 8 /* at least PORT_LINE_WORDS */ };

static const map_variant *const variants[] = {&sim_map_32_cuda, &sim_map_64_cuda, &sim_map_32_plain,
                                              &sim_map_64_plain, &sim_map_32_x86, &sim_map_64_x86};
static const map_variant *const versioned_variants[] = {&sim_versioned_32_cuda,  &sim_versioned_64_cuda,
                                                        &sim_versioned_32_plain, &sim_versioned_64_plain,
                                                        &sim_versioned_32_x86,   &sim_versioned_64_x86};
static const char *const variant_names[] = {"cuda32", "cuda64", "plain32", "plain64", "x86_32", "x86_64", NULL};

/* What operations a scenario has, in percent; the rest are finds. */
typedef struct mix {
    unsigned put, add, erase, seek, range;
} mix;

typedef struct world {
    const map_variant *map;
    map_ref place;
    size_t node_bytes;
    unsigned agents;
    bool arrays;      /* agents make array calls */
    bool owned;       /* each agent has keys of its own, next to the others' */
    bool may_refuse;  /* the pool is small */
    history_pair initial[MOST_KEYS], last[MOST_KEYS];
    size_t initial_count;
    unsigned universe; /* keys that operations choose from */
    unsigned from, width; /* the part of it that they do choose from */
    unsigned asks;        /* percent of operations that ask a snapshot */
    unsigned first_op[MOST_AGENTS + 1];
    history_op ops[MOST_OPS];
    bool asked[MOST_OPS]; /* of a snapshot */
    history_pair pairs[MOST_PAIRS];
    uint64_t unposted; /* at the start */
    uint64_t next_value, first_value;
    history history;
    bool bad_history; /* the last schedule's */
    history_checker *checker;
} world;

static _Thread_local world w;

/* ---- keys: number 0 is the smallest key there is, the last one the largest, and none looks like a node id ---- */

static uint64_t key_of(unsigned number)
{
    if (number == 0) return 0;
    if (number + 1 == w.universe) return w.map->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    uint64_t key = 0x10000u + 16u * (uint64_t)number;
    return w.map->key_bits == 32 ? key : key << 28;
}

/* Each value is written once, so that a read says whose it is; none looks like a node id. */
static uint64_t fresh_value(void) { return w.first_value + w.next_value++; }

/* ---- laying out ---- */

/* The first timestamp, no snapshot, and no image but the newest. Few slots, lists and places in rings, so that agents
 * meet there, and rings overflow. */
static void begin_versions(void)
{
    versions *v = &w.place.versions;
    v->stripes = STRIPES;
    v->state = sim_reserve(offsetof(version_state, kept) + STRIPES * sizeof v->state->kept[0]);
    v->record = sim_reserve(NODES * sizeof v->record[0]);
    v->epoch = (epoch){.state = &v->state->epoch, .slots = SLOTS, .visitors = sim_draw(2) ? VISITORS : 0, .ring = RING,
                        .dated = sim_draw(3) > 0};
    v->epoch.announce = sim_reserve((SLOTS + VISITORS) * SIM_LINE_WORDS * 8);
    v->epoch.home = sim_reserve(SLOTS * sizeof v->epoch.home[0]);
    v->epoch.rings = sim_reserve(SLOTS * RING * sizeof v->epoch.rings[0]);
    v->state->epoch.pin_table = (uint64_t)(uintptr_t)sim_reserve(PINS * EPOCH_PIN_WORDS * 8);
    v->state->epoch.pin_room = PINS;
    epoch_begin(&v->state->epoch);
}

/* A tree of every `stride`-th key from `first` on. */
static void build(unsigned first, unsigned stride, unsigned count, double fill)
{
    uint64_t keys[MOST_KEYS], values[MOST_KEYS];
    w.initial_count = count;
    for (unsigned i = 0; i < count; i++) {
        keys[i] = key_of(first + i * stride);
        values[i] = fresh_value();
        w.initial[i] = (history_pair){keys[i], values[i]};
    }
    build_plan plan;
    build_plan_make(&plan, count, fill);
    w.place.tree = sim_reserve(sizeof *w.place.tree);
    w.node_bytes = w.map->key_bits == 32 ? 128 : 256;
    w.place.nodes = sim_reserve(NODES * w.node_bytes);
    sim_nodes(w.place.nodes, w.node_bytes, NODES);
    w.place.tree->pool.capacity = NODES;
    w.place.tree->pool.next = 1 + plan.nodes;
    w.map->build(&plan, w.place.nodes, keys, values);
    w.place.tree->root = plan.root;
    w.place.tree->stripe[0].size = count;
    if (w.map->versioned) begin_versions();
}

static void store_pair(uint64_t *node, unsigned slot, uint64_t key, uint32_t child)
{
    if (w.map->key_bits == 32) {
        node[slot] = (uint64_t)child << 32 | key;
        return;
    }
    node[2 * slot] = key;
    node[2 * slot + 1] = child;
}

static uint64_t *root_node(void)
{
    return (uint64_t *)((char *)w.place.nodes + (uint32_t)w.place.tree->root * w.node_bytes);
}

/* An inner node with one child: what a split below leaves of a root, or of a tree that was taller than it need be. */
static void only_child(uint64_t *node, uint32_t level, uint32_t child)
{
    for (unsigned slot = 0; slot <= NODE_LINK_SLOT; slot++) store_pair(node, slot, 0, child);
    node[w.node_bytes / 8 / NODE_SLOTS * NODE_HEADER_SLOT] = header_first(level, 1);
}

/* Levels above the root, so that inner nodes split far below it. */
static void raise_root(unsigned levels)
{
    for (; levels > 0; levels--) {
        uint32_t child = (uint32_t)w.place.tree->root, level = (uint32_t)(w.place.tree->root >> 32) + 1;
        w.place.tree->root = (uint64_t)level << 32 | w.place.tree->pool.next++;
        only_child(root_node(), level, child);
    }
}

/* The root, on level 1, knows its first child only: separators that found no room in the pool, in a long row. */
static void unpost(unsigned children)
{
    only_child(root_node(), 1, 1);
    w.place.tree->unposted = w.unposted = children - 1;
}

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

static uint8_t draw_question(void)
{
    static const uint8_t kinds[] = {HISTORY_RANGE_ATOMIC, HISTORY_RANGE_ATOMIC, HISTORY_FIND, HISTORY_CEIL,
                                    HISTORY_FLOOR};
    return kinds[sim_draw(sizeof kinds)];
}

static void plan_op(history_op *op, unsigned agent, uint8_t kind, unsigned number)
{
    unsigned high = number + (unsigned)sim_draw(sim_draw(3) ? 10 : 60); /* within the limit of a range, or beyond */
    bool asked = w.map->versioned && sim_draw(100) < w.asks;
    if (asked) kind = draw_question();
    w.asked[op - w.ops] = asked || kind == HISTORY_RANGE_ATOMIC;
    *op = (history_op){.agent = agent, .kind = kind, .key = key_of(number), .value = fresh_value(),
                       .pairs = (uint32_t)(op - w.ops) * MAP_RANGE_ROOM};
    if (high >= w.universe) high = w.universe - 1;
    if (kind == HISTORY_RANGE || kind == HISTORY_RANGE_ATOMIC) op->high = key_of(high);
}

/* A key for agent `a` of so many. */
static unsigned draw_key(unsigned a, unsigned agents)
{
    unsigned number = w.from + (unsigned)sim_draw(w.width);
    if (!w.owned) return number;
    number += a - number % agents; /* wraps around below zero at most for a moment */
    return number % w.universe % agents == a ? number % w.universe : a;
}

static void plan_ops(unsigned agents, unsigned each, mix mix)
{
    unsigned count = 0;
    w.agents = agents;
    for (unsigned a = 0; a < agents; a++) {
        w.first_op[a] = count;
        uint8_t kind = draw_kind(mix);
        for (unsigned i = 0; i < each && count < MOST_OPS; i++) {
            /* One kind in an array call; else any. */
            plan_op(&w.ops[count++], a, w.arrays ? kind : draw_kind(mix), draw_key(a, agents));
        }
    }
    w.first_op[agents] = count;
}

/* ---- scenarios ---- */

static const mix even_mix = {25, 15, 25, 0, 5}, insert_mix = {45, 20, 5, 0, 5}, seek_mix = {20, 10, 30, 30, 0},
                 owned_mix = {30, 10, 25, 0, 0};

static mix draw_mix(void)
{
    if (w.owned) return owned_mix;
    switch (sim_draw(4)) {
    case 0: return insert_mix;
    case 1: return seek_mix;
    default: return even_mix;
    }
}

static unsigned few_agents(void) { return 2 + (unsigned)sim_draw(sim_draw(4) ? 3 : 9); }

/* All within a leaf or two. */
static void hot(void)
{
    w.universe = 24;
    w.width = 2 + (unsigned)sim_draw(10);
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
    build((unsigned)sim_draw(3), 1 + (unsigned)sim_draw(2), (unsigned)sim_draw(11), 1);
    plan_ops(few_agents(), 1 + (unsigned)sim_draw(6), draw_mix());
}

/* Two or three keys, updates and snapshots in turns. */
static void instants(void)
{
    w.universe = 24;
    w.width = 1 + (unsigned)sim_draw(3);
    w.from = 2 + (unsigned)sim_draw(8);
    w.asks = 30 + (unsigned)sim_draw(50);
    build(1, 1, 2 + (unsigned)sim_draw(12), 1);
    plan_ops(2 + (unsigned)sim_draw(3), 2 + (unsigned)sim_draw(5), (mix){40, 10, 30, 0, 0});
}

/* Full leaves, so that inserts split them. */
static void splits(void)
{
    unsigned leaves = 1 + (unsigned)sim_draw(3);
    w.universe = 30 * leaves;
    w.width = 4 + (unsigned)sim_draw(sim_draw(2) ? 4 : w.universe - 4); /* few keys: they meet on the part that moves */
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
    build(1, 2, 14 * leaves, 1);
    plan_ops(few_agents(), 1 + (unsigned)sim_draw(5), draw_mix());
}

/* Many levels, few pairs in a node. */
static void tall(void)
{
    unsigned keys = 8 + (unsigned)sim_draw(32);
    w.universe = 2 * keys + 2;
    w.width = 4 + (unsigned)sim_draw(w.universe - 4);
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
    build(1, 2, keys, 0.1 + 0.02 * (double)sim_draw(6));
    plan_ops(few_agents(), 1 + (unsigned)sim_draw(5), draw_mix());
}

/* Every node up to the root is full: one insert grows the tree. */
static void full_tree(void)
{
    w.universe = 2 * 196 + 4;
    w.width = sim_draw(2) ? w.universe : 40;
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
    build(1, 2, 196, 1);
    if (sim_draw(4) == 0) unpost(14);
    if (sim_draw(2)) raise_root(1 + (unsigned)sim_draw(2));
    plan_ops(few_agents(), 2 + (unsigned)sim_draw(3), sim_draw(3) ? insert_mix : even_mix);
}

/* All agents at the end of the map, with ascending keys: the input that hangs other trees. */
static void ascending(void)
{
    unsigned agents = few_agents(), each = 3 + (unsigned)sim_draw(6), keys = 14 * (unsigned)sim_draw(4);
    if (agents * each > 60) each = 60 / agents;
    w.universe = keys + agents * each + 1;
    w.width = 1;
    w.from = 0;
    build(0, 1, keys, 1);
    w.agents = agents;
    for (unsigned i = 0; i < agents * each; i++) {
        unsigned a = i / each;
        w.first_op[a] = a * each;
        bool find = !w.arrays && sim_draw(8) == 0;
        plan_op(&w.ops[i], a, find ? HISTORY_FIND : HISTORY_PUT, keys + i % each * agents + a);
    }
    w.first_op[agents] = agents * each;
}

static uint64_t *header_of(uint32_t id)
{
    return (uint64_t *)((char *)w.place.nodes + id * w.node_bytes) + w.node_bytes / 8 / NODE_SLOTS * NODE_HEADER_SLOT;
}

/* Takes all pairs out of a leaf; leaves of a new tree are nodes 1 to their number. */
static void empty_leaf(uint32_t leaf, size_t first, size_t count)
{
    *header_of(leaf) = header_first(0, 0);
    memmove(&w.initial[first], &w.initial[first + count], (w.initial_count - first - count) * sizeof w.initial[0]);
    w.initial_count -= count;
    w.place.tree->stripe[0].size -= count;
}

/* A key that moves over leaves that were emptied: it is put to another leaf before it is erased from the last one. So
 * there is always a key, and a seek that crosses three leaves or more must find one. */
static void token(void)
{
    enum { IN_LEAF = 2, STEPS = 4 };
    unsigned leaves = 4 + (unsigned)sim_draw(4), seekers = 1 + (unsigned)sim_draw(2), at = (unsigned)sim_draw(leaves);
    w.arrays = false; /* an agent's operations are of several kinds */
    w.universe = 4 * leaves + 2;
    build(1, 2, IN_LEAF * leaves, (double)IN_LEAF / NODE_CAPACITY);
    for (unsigned leaf = leaves; leaf-- > 0;)
        if (leaf != at) empty_leaf(leaf + 1, IN_LEAF * leaf, IN_LEAF);
    w.agents = 1 + seekers;
    w.first_op[0] = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < IN_LEAF - 1; i++) plan_op(&w.ops[count++], 0, HISTORY_ERASE, 4 * at + 3);
    for (unsigned step = 0, from = 4 * at + 1; step < STEPS; step++) {
        unsigned to = 4 * (unsigned)sim_draw(leaves) + 2;
        plan_op(&w.ops[count++], 0, HISTORY_PUT, to);
        if (to != from) plan_op(&w.ops[count++], 0, HISTORY_ERASE, from);
        from = to;
    }
    for (unsigned a = 1; a <= seekers; a++) {
        w.first_op[a] = count;
        for (unsigned i = 0; i < STEPS; i++) {
            bool up = sim_draw(2);
            plan_op(&w.ops[count++], a, up ? HISTORY_CEIL : HISTORY_FLOOR, up ? 0 : w.universe - 1);
        }
    }
    w.first_op[w.agents] = count;
}

/* A query at a snapshot is held back when it has looked at a full leaf. An update keeps the leaf's image, which takes
 * the last node, so that there is none for the split. */
static void refusal(void)
{
    w.arrays = w.owned = false;
    w.may_refuse = true;
    w.universe = 30;
    build(1, 2, NODE_CAPACITY, 1);
    w.place.tree->pool.capacity = w.place.tree->pool.next + 1;
    w.agents = 2;
    w.first_op[0] = 0;
    w.asks = 100;
    plan_op(&w.ops[0], 0, HISTORY_FIND, 1 + 2 * (unsigned)sim_draw(NODE_CAPACITY));
    w.first_op[1] = 1;
    w.asks = 0;
    plan_op(&w.ops[1], 1, HISTORY_PUT, 2 * (unsigned)sim_draw(NODE_CAPACITY));
    w.first_op[2] = 2;
    sim_hold(0, header_of(1), 1, header_of(1), 2); /* the latch, and its release */
}

static void crowd(void)
{
    w.universe = 80;
    w.width = 2 + (unsigned)sim_draw(w.universe - 2);
    w.from = (unsigned)sim_draw(w.universe - w.width + 1);
    build(1, 2, (unsigned)sim_draw(36), 1);
    unsigned agents = 32 + (unsigned)sim_draw(MOST_AGENTS - 32 + 1);
    plan_ops(agents, 1 + (unsigned)sim_draw(2), sim_draw(2) ? insert_mix : even_mix);
}

/* A pool with room for a few splits only. */
static void limit_pool(void)
{
    w.may_refuse = true;
    w.place.tree->pool.capacity = w.place.tree->pool.next + sim_draw(4);
}

/* Two agents, an operation or two each, on one leaf: what the exhaustive strategy goes through. */
static const struct {
    unsigned keys; /* in the one leaf at the start */
    struct {
        uint8_t kind;
        unsigned number;
    } op[2][2]; /* number 0: no operation */
} tiny_cases[] = {
    {3, {{{HISTORY_PUT, 4}}, {{HISTORY_FIND, 4}, {HISTORY_FIND, 4}}}},       /* insert, two finds */
    {3, {{{HISTORY_PUT, 3}}, {{HISTORY_FIND, 3}, {HISTORY_FIND, 3}}}},       /* replace, two finds */
    {3, {{{HISTORY_ERASE, 3}}, {{HISTORY_FIND, 3}, {HISTORY_FIND, 5}}}},     /* erase, find it and a key that moves */
    {3, {{{HISTORY_ADD, 4}}, {{HISTORY_ADD, 4}}}},                           /* one of them wins */
    {3, {{{HISTORY_ERASE, 3}}, {{HISTORY_ERASE, 3}}}},                       /* one of them wins */
    {3, {{{HISTORY_PUT, 4}}, {{HISTORY_ERASE, 3}}}},                         /* neither is lost */
    {14, {{{HISTORY_PUT, 4}}, {{HISTORY_FIND, 27}}}},                        /* a split, and a key that moves */
    {14, {{{HISTORY_PUT, 26}}, {{HISTORY_ERASE, 27}}}},                      /* a split, and an erase on the far side */
    {14, {{{HISTORY_PUT, 4}}, {{HISTORY_PUT, 26}}}},                         /* two inserts into a full leaf */
    {14, {{{HISTORY_ERASE, 27}}, {{HISTORY_CEIL, 26}}}},                     /* the last key, and the way to it */
    {14, {{{HISTORY_PUT, 4}}, {{HISTORY_ERASE, 27}, {HISTORY_FIND, 27}}}},   /* an erase through an unfinished split */
    {14, {{{HISTORY_PUT, 28}}, {{HISTORY_RANGE, 25}}}},                      /* a split, and a range over it */
    /* With versions only. */
    {3, {{{HISTORY_PUT, 4}, {HISTORY_PUT, 6}}, {{HISTORY_RANGE_ATOMIC, 1}}}}, /* sees both, the first, or none */
    {3, {{{HISTORY_ERASE, 3}}, {{HISTORY_RANGE_ATOMIC, 1}, {HISTORY_FIND, 3}}}},
    {14, {{{HISTORY_PUT, 4}}, {{HISTORY_RANGE_ATOMIC, 20}}}},                /* a split while it reads */
    {14, {{{HISTORY_PUT, 26}, {HISTORY_ERASE, 5}}, {{HISTORY_RANGE_ATOMIC, 1}}}},
    {3, {{{HISTORY_RANGE_ATOMIC, 1}, {HISTORY_PUT, 4}}, {{HISTORY_PUT, 6}, {HISTORY_RANGE_ATOMIC, 1}}}},
    {14, {{{HISTORY_PUT, 4}}, {{HISTORY_RANGE_ATOMIC, 1}}}},                 /* a copy finds room, the split does not */
};

enum { TINY_CASES = sizeof tiny_cases / sizeof tiny_cases[0], PLAIN_TINY_CASES = TINY_CASES - 6 };

static void tiny(unsigned number)
{
    w.universe = 40;
    w.width = 1;
    w.from = 0;
    build(1, 2, tiny_cases[number].keys, 1);
    if (number + 1 == TINY_CASES) {
        w.may_refuse = true;
        w.place.tree->pool.capacity = w.place.tree->pool.next + 1;
    }
    unsigned count = 0;
    w.agents = 2;
    for (unsigned a = 0; a < 2; a++) {
        w.first_op[a] = count;
        for (unsigned i = 0; i < 2 && tiny_cases[number].op[a][i].number; i++)
            plan_op(&w.ops[count++], a, tiny_cases[number].op[a][i].kind, tiny_cases[number].op[a][i].number);
    }
    w.first_op[2] = count;
}

static unsigned prepare_scenario(const map_variant *map, int tiny_case)
{
    w.map = map;
    w.arrays = w.owned = w.may_refuse = false;
    w.next_value = 0;
    w.first_value = tiny_case < 0 && sim_draw(2) ? NODE_LINK + 1000u : 1000; /* may look like a link, to no node */
    w.unposted = 0;
    w.asks = tiny_case >= 0 ? 0 : 10 + (unsigned)sim_draw(60);
    if (tiny_case >= 0) {
        tiny((unsigned)tiny_case);
        return w.agents;
    }
    w.arrays = w.map->run_array && sim_draw(4) == 0;
    w.owned = !w.arrays && sim_draw(8) == 0;
    if (w.owned) sim_without_fences();
    unsigned draw = (unsigned)sim_draw(w.owned ? 76 : 100);
    unsigned of_16 = w.map->versioned ? (unsigned)sim_draw(16) : 0;
    if (of_16 > 8)
        instants();
    else if (of_16 == 8 && !w.owned)
        refusal();
    else if (draw < 30)
        hot();
    else if (draw < 60)
        splits();
    else if (draw < 76)
        tall();
    else if (draw < 90)
        full_tree();
    else if (draw < 96)
        ascending();
    else if (draw < 99)
        token();
    else
        crowd();
    if (sim_draw(6) == 0) limit_pool();
    return w.agents;
}

static unsigned prepare(unsigned variant, int tiny_case) { return prepare_scenario(variants[variant], tiny_case); }

static unsigned prepare_versioned(unsigned variant, int tiny_case)
{
    return prepare_scenario(versioned_variants[variant], tiny_case);
}

static void agent(unsigned index)
{
    unsigned from = w.first_op[index], to = w.first_op[index + 1];
    if (w.arrays) {
        w.map->run_array(w.place, index, &w.ops[from], to - from, &w.pairs[from * MAP_RANGE_ROOM]);
        return;
    }
    for (unsigned i = from, next; i < to; i = next) {
        next = i + 1;
        if (!w.asked[i]) {
            w.map->run(w.place, index, &w.ops[i], &w.pairs[i * MAP_RANGE_ROOM]);
            continue;
        }
        while (next < to && w.asked[next]) next++; /* all of one snapshot */
        w.map->run_snapshot(w.place, index, &w.ops[i], next - i, &w.pairs[i * MAP_RANGE_ROOM]);
    }
}

/* ---- judging ---- */

static bool refused_without_need(char *why, size_t size)
{
    for (unsigned i = 0; i < w.first_op[w.agents]; i++) {
        const history_op *op = &w.ops[i];
        if (op->kind > HISTORY_ERASE || op->outcome != HISTORY_NOT_APPLIED) continue;
        bool may_need_room = op->kind != HISTORY_ERASE || w.map->versioned;
        if (w.may_refuse && may_need_room) continue;
        snprintf(why, size, "an update was refused though the pool has room");
        return true;
    }
    return false;
}

/* Nobody has a snapshot any more: all old images go back to the pool. */
static bool judge_versions(char *why, size_t size)
{
    const versions *v = &w.place.versions;
    blink_counts counts;
    if (!versioned_validate(w.map->key_bits, w.place.tree, w.place.nodes, *v, w.map->line_words, why, size))
        return false;
    w.map->return_all(w.place);
    blink_count_nodes(w.map->key_bits, w.place.tree, w.place.nodes, &counts);
    const epoch_state *e = &v->state->epoch;
    if (e->pins == 0 && e->pins_end == 0 && e->floor == e->clock && counts.images == 0) return true;
    snprintf(why, size, "%llu snapshots are live and %llu images kept, floor %llu, clock %llu, and nobody is there",
             (unsigned long long)e->pins, (unsigned long long)counts.images, (unsigned long long)e->floor,
             (unsigned long long)e->clock);
    return false;
}

static bool judge(char *why, size_t size, sim_checked *checked)
{
    w.bad_history = false;
    if (w.map->versioned && !judge_versions(why, size)) return false;
    if (!blink_validate(w.map->key_bits, w.place.tree, w.place.nodes, why, size)) return false;
    if (refused_without_need(why, size)) return false;
    if (!w.may_refuse && w.place.tree->unposted != w.unposted) {
        snprintf(why, size, "a separator was given up though the pool has room");
        return false;
    }
    size_t last_count = w.map->export_pairs(w.place, w.last, MOST_KEYS);
    if (last_count > MOST_KEYS) {
        snprintf(why, size, "more keys than were ever put");
        return false;
    }
    size_t detours = w.map->detours(w.place, w.last, last_count);
    if (w.place.tree->unposted == 0 && detours > 0) {
        snprintf(why, size, "I5: a find does not come straight to %zu of the keys", detours);
        return false;
    }
    if (!w.checker) w.checker = history_checker_create();
    w.history = (history){.initial = w.initial, .initial_count = w.initial_count, .ops = w.ops,
                          .count = w.first_op[w.agents], .pairs = w.pairs, .final = w.last, .final_count = last_count};
    history_verdict verdict = w.checker ? history_check(w.checker, &w.history) : HISTORY_UNDECIDED;
    if (verdict == HISTORY_GOOD) {
        checked->histories++;
        return true;
    }
    if (verdict == HISTORY_UNDECIDED) {
        checked->undecided++;
        return true;
    }
    w.bad_history = true;
    snprintf(why, size, "the answers are not those of a map");
    return false;
}

static void explain(FILE *out)
{
    if (w.bad_history) history_explain(w.checker, &w.history, out);
}

/* ---- names of words, for traces ---- */

static void describe_tree(size_t offset, uint64_t value, char *text, size_t size)
{
    unsigned long long v = value;
    if (offset == offsetof(blink_tree, root))
        snprintf(text, size, "root = node %u, level %u", (unsigned)value, (unsigned)(value >> 32));
    else if (offset == offsetof(blink_tree, root_latch))
        snprintf(text, size, "root latch = %llu", v);
    else if (offset == offsetof(blink_tree, pool.next))
        snprintf(text, size, "pool: next id = %llu", v);
    else if (offset == offsetof(blink_tree, pool.capacity))
        snprintf(text, size, "pool: capacity = %llu", v);
    else if (offset >= offsetof(blink_tree, stripe))
        snprintf(text, size, "size of stripe %zu = %lld", (offset - offsetof(blink_tree, stripe)) / 64, (long long)v);
    else if (offset >= offsetof(blink_tree, pool.free))
        snprintf(text, size, "pool: free list %zu = %llx", (offset - offsetof(blink_tree, pool.free)) / 64, v);
    else
        snprintf(text, size, "tree + %zu = %llu", offset, v);
}

static void describe_versions(size_t word, uint64_t value, char *text, size_t size)
{
    static const char *const members[] = {"since", "older", "until", "next"};
    const versions *v = &w.place.versions;
    const uint64_t *at = (const uint64_t *)v->state + word;
    size_t record = (size_t)(at - (const uint64_t *)v->record), slot = (size_t)(at - v->epoch.announce);
    /* An address is another one in every run; its distance in memory is not. */
    if (word * 8 == offsetof(epoch_state, pin_table)) value -= (uint64_t)(uintptr_t)v->state;
    unsigned long long number = value;
    if (word * 8 < sizeof(epoch_state))
        snprintf(text, size, "%s = %llu", epoch_word_name(word * 8), number);
    else if (at >= v->epoch.announce && slot < (size_t)(SLOTS + VISITORS) * w.map->line_words)
        snprintf(text, size, "slot %zu = %lld", slot / w.map->line_words, (long long)number - EPOCH_IN);
    else if (at >= (const uint64_t *)v->record && record < (size_t)NODES * 4)
        snprintf(text, size, "record of node %zu: %s = %llu", record / 4, members[record % 4], number);
    else
        snprintf(text, size, "versions + %zu = %llu", word * 8, number);
}

/* Of versions. A stopped agent that has one of these keeps others from taking snapshots. */
static bool is_versions_latch(size_t offset)
{
    return offset == offsetof(epoch_state, pin_latch) || offset == offsetof(epoch_state, scan_latch);
}

static bool is_latched(uint32_t word, uint64_t value)
{
    size_t tree_words = (sizeof(blink_tree) + 63) / 64 * 8, slot_words = w.node_bytes / 8 / NODE_SLOTS;
    if (word < tree_words) return word * 8 == offsetof(blink_tree, root_latch) && value != 0;
    if (word >= tree_words + NODES * w.node_bytes / 8)
        return is_versions_latch((word - tree_words - NODES * w.node_bytes / 8) * 8) && value != 0;
    return (word - tree_words) / slot_words % NODE_SLOTS == NODE_HEADER_SLOT && (value & HEADER_LATCHED);
}

static void describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    size_t tree_words = (sizeof(blink_tree) + 63) / 64 * 8;
    if (word < tree_words) {
        describe_tree(word * 8u, value, text, size);
        return;
    }
    unsigned node_words = (unsigned)(w.node_bytes / 8), slot_words = node_words / NODE_SLOTS;
    if (word >= tree_words + NODES * node_words) {
        describe_versions(word - tree_words - NODES * node_words, value, text, size);
        return;
    }
    unsigned id = (unsigned)(word - tree_words) / node_words, at = (unsigned)(word - tree_words) % node_words;
    unsigned slot = at / slot_words;
    unsigned long long v = value;
    if (slot == NODE_HEADER_SLOT)
        snprintf(text, size, "node %u header = version %llu, level %u, count %u%s", id, v >> 16, header_level(value),
                 header_count(value), value & HEADER_LATCHED ? ", latched" : "");
    else if (slot_words == 1 && (value >> 32 & NODE_LINK))
        snprintf(text, size, "node %u slot %u = link (%u, node %u)", id, slot, (unsigned)value,
                 (unsigned)(value >> 32) & ~NODE_LINK);
    else if (slot_words == 1)
        snprintf(text, size, "node %u slot %u = (%u, %u)", id, slot, (unsigned)value, (unsigned)(value >> 32));
    else if (at % 2 && (value & NODE_LINK))
        snprintf(text, size, "node %u slot %u = link to node %u", id, slot, (unsigned)value & ~NODE_LINK);
    else
        snprintf(text, size, "node %u slot %u %s = %llu", id, slot, at % 2 ? "value" : "key", v);
}

static void forget(void)
{
    history_checker_destroy(w.checker);
    w.checker = NULL;
}

const sim_structure sim_map = {"map", variant_names, PLAIN_TINY_CASES, prepare, agent, judge, explain, describe,
                               is_latched, forget};
const sim_structure sim_versioned = {"versioned", variant_names, TINY_CASES, prepare_versioned, agent, judge, explain,
                                     describe, is_latched, forget};
