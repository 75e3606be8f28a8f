/* verify/sim/skiplist/skiplist_world.c - the skiplist under the simulator: how a schedule's skiplist is built, the tiny
 * cases, and what an agent does.
 *
 * A skiplist is built at once. Exclusive updates then change it, so that it has chunks of all states and fillings,
 * zombies in rings and chunks in free lists when the agents begin. */
#include <stdlib.h>
#include <string.h>

#include "skiplist_world.h"

#include "../../../src/skiplist/skiplist_plan.h"

enum { MOST_EXPECTED = 50 }; /* operations; an agent that is held back for longer would pass for one that hangs */
enum { FIRST_STAMP = 2000, FIRST_PLACE = 3000, FIRST_COUNT = 5000 }; /* none looks like the id of a chunk */

_Thread_local skiplist_world skiplist_now;
_Thread_local unsigned skiplist_stage;
_Thread_local bool skiplist_bag_was_full;

static const skiplist_variant *const variants[] = {
    &sim_skiplist_32_cuda, &sim_skiplist_64_cuda, &sim_skiplist_32_plain,    &sim_skiplist_64_plain,
    &sim_skiplist_32_x86,  &sim_skiplist_64_x86,  &sim_skiplist_wide_32_cuda};
static const char *const variant_names[] = {"cuda32", "cuda64", "plain32", "plain64", "x86_32", "x86_64", "cuda32_wide",
                                            NULL};

/* ---- keys: number 0 is the smallest key there is, the last one the largest, and none looks like a chunk's id ---- */

uint64_t skiplist_key(unsigned number)
{
    skiplist_world *w = &skiplist_now;
    if (number == 0) return 0;
    if (number + 1 == w->universe) return w->list->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    uint64_t key = 0x10000u + 16u * (uint64_t)number;
    return w->list->key_bits == 32 ? key : key << 28;
}

uint64_t skiplist_fresh_value(void) { return skiplist_now.first_value + skiplist_now.next_value++; }

/* ---- laying out ---- */

static void begin_epoch(unsigned slots, unsigned ring)
{
    epoch *e = &skiplist_now.place.versions.epoch;
    *e = (epoch){.state = sim_reserve(sizeof *e->state), .slots = slots, .ring = ring};
    e->announce = sim_reserve(SKIPLIST_EPOCH_SLOTS * SKIPLIST_LINE_WORDS * 8);
    e->home = sim_reserve(SKIPLIST_EPOCH_SLOTS * sizeof e->home[0]);
    e->rings = sim_reserve(SKIPLIST_EPOCH_SLOTS * SKIPLIST_EPOCH_RING * sizeof e->rings[0]);
    epoch_begin(e->state);
    e->state->clock = e->state->floor = FIRST_STAMP;
    for (unsigned i = 0; i < slots; i++) e->home[i].head = e->home[i].tail = FIRST_PLACE;
}

/* Counters that add up to `keys`, none of which looks like the id of a chunk. */
static void begin_counters(uint64_t keys)
{
    blink_tree *tree = skiplist_now.place.tree;
    for (unsigned i = 0; i < BLINK_STRIPES; i++) tree->stripe[i].size = FIRST_COUNT;
    tree->stripe[BLINK_STRIPES - 1].size -= (uint64_t)BLINK_STRIPES * FIRST_COUNT - keys;
    tree->restarts = tree->reclaimed = FIRST_COUNT;
}

uint64_t *skiplist_chunk_at(uint64_t id)
{
    return (uint64_t *)((char *)skiplist_now.place.nodes + id * skiplist_now.chunk_bytes);
}

unsigned skiplist_slot_words(void) { return skiplist_now.list->key_bits / 32; }

uint64_t *skiplist_header_at(uint64_t id)
{
    return &skiplist_chunk_at(id)[skiplist_slot_words() * (skiplist_now.list->slots - 1)];
}

/* Removes the pair of a chunk from the level above, unless it is the first one there, as if the chunk had not been
 * raised. */
static void make_low(const build_plan *plan, uint32_t level, uint64_t index)
{
    skiplist_world *w = &skiplist_now;
    if (index % plan->per_inner == 0) return;
    uint64_t above = index / plan->per_inner, words = skiplist_slot_words();
    uint32_t parent = above ? (uint32_t)(plan->first_id[level + 1] + above) : skiplist_head(level + 1);
    uint64_t *pairs = skiplist_chunk_at(parent), *header = skiplist_header_at(parent);
    uint64_t id = plan->first_id[level] + index;
    unsigned count = header_count(*header), at = 0;
    while (at < count && (uint32_t)(pairs[at * words + words - 1] >> (words == 1) * 32) != id) at++;
    bool last = above + 1 == plan->count[level + 1];
    memmove(&pairs[at * words], &pairs[(at + 1) * words], (count - 1 - at) * words * 8);
    for (unsigned i = count - 1; i < w->list->slots - 1; i++)
        memcpy(&pairs[i * words], &pairs[(last ? count - 2 : w->list->slots - 2) * words], words * 8);
    *header = header_first(chunk_bits(level + 1, chunk_state(*header)), count - 1);
    *skiplist_header_at(id) = header_with_state(*skiplist_header_at(id), CHUNK_LOW);
    if (above == 0 && last && count == 2 && level > 0) w->place.tree->root = skiplist_root(level);
}

/* Some chunks of the two lowest levels. */
static void make_some_low(const build_plan *plan)
{
    unsigned of = 2 + (unsigned)sim_draw(6);
    for (uint32_t level = 2; level-- > 0;)
        for (uint64_t index = plan->count[level]; index-- > 1;)
            if (sim_draw(of) == 0) make_low(plan, level, index);
}

void skiplist_build(unsigned first, unsigned stride, unsigned count, double fill)
{
    skiplist_world *w = &skiplist_now;
    uint64_t keys[SKIPLIST_KEYS], values[SKIPLIST_KEYS];
    for (unsigned i = 0; i < count; i++) {
        keys[i] = skiplist_key(first + i * stride);
        values[i] = skiplist_fresh_value();
    }
    build_plan plan;
    skiplist_plan_make(&plan, count, fill, w->list->slots);
    w->place.tree = sim_reserve(sizeof *w->place.tree);
    w->chunk_bytes = (size_t)w->list->slots * w->list->key_bits / 4;
    w->place.nodes = sim_reserve(SKIPLIST_CHUNKS * w->chunk_bytes);
    sim_nodes(w->place.nodes, w->chunk_bytes, SKIPLIST_CHUNKS);
    w->place.tree->pool.capacity = SKIPLIST_CHUNKS;
    w->place.tree->pool.next = 1 + plan.nodes;
    w->list->build(&plan, w->place.nodes, keys, values);
    w->place.tree->root = plan.root;
    begin_counters(count);
    if (w->some_low) make_some_low(&plan);
}

/* The probability of raising a chunk: 1 or 0.5. */
static void draw_raise(void) { skiplist_now.place.raise = sim_draw(3) ? (uint64_t)1 << 32 : (uint64_t)1 << 31; }

void skiplist_do_exclusive(uint8_t kind, unsigned number)
{
    skiplist_world *w = &skiplist_now;
    history_op op = {.kind = kind, .key = skiplist_key(number), .value = skiplist_fresh_value()};
    if (!w->stuck && !w->list->alone(w->place, (unsigned)sim_draw(w->place.versions.epoch.slots), &op)) w->stuck = true;
}

static int by_key(const void *a, const void *b)
{
    uint64_t left = ((const history_pair *)a)->key, right = ((const history_pair *)b)->key;
    return (left > right) - (left < right);
}

size_t skiplist_export(history_pair *pairs)
{
    size_t count = skiplist_now.list->export_pairs(skiplist_now.place, pairs, SKIPLIST_KEYS);
    if (count <= SKIPLIST_KEYS) qsort(pairs, count, sizeof pairs[0], by_key);
    return count;
}

void skiplist_settle(void)
{
    skiplist_world *w = &skiplist_now;
    w->initial_count = w->stuck ? 0 : skiplist_export(w->initial);
    if (w->initial_count > SKIPLIST_KEYS) w->stuck = true, w->initial_count = 0;
}

/* A pool with room for a few splits only. */
static void limit_pool(void)
{
    skiplist_world *w = &skiplist_now;
    w->may_refuse = true;
    w->place.tree->pool.capacity = w->place.tree->pool.next + sim_draw(4);
}

/* ---- tiny cases ---- */

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
    skiplist_world *w = &skiplist_now;
    unsigned count = w->first_op[a], stays = w->first_stay[a];
    w->stays[stays] = (skiplist_stay){0};
    for (; *part; part++) {
        if (*part == '|') w->stays[++stays] = (skiplist_stay){0};
        if (*part < 'a' || *part > 'z') continue;
        skiplist_plan_op(&w->ops[count++], a, kind_of_letter(*part), skiplist_key((unsigned)atoi(part + 1)));
        w->stays[stays].ops++;
    }
    w->first_op[a + 1] = count;
    w->first_stay[a + 1] = stays + 1;
}

static void tiny(unsigned number)
{
    skiplist_world *w = &skiplist_now;
    w->universe = 64;
    w->width = 1;
    w->from = w->universe - 2;
    w->place.raise = (uint64_t)1 << 32;
    begin_epoch(2, 2);
    skiplist_build(1, 2, tiny_cases[number].keys, (double)tiny_cases[number].per_chunk / 14);
    skiplist_settle();
    w->agents = 2;
    w->first_op[0] = w->first_stay[0] = 0;
    for (unsigned a = 0; a < 2; a++) plan_tiny(a, tiny_cases[number].part[a]);
}

/* ---- one schedule ---- */

static unsigned prepare(unsigned variant, int tiny_case)
{
    skiplist_world *w = &skiplist_now;
    w->list = variants[variant];
    w->capacity = w->list->slots - 2;
    w->arrays = w->owned = w->may_refuse = w->some_low = w->stuck = w->ebbs = w->solo = false;
    skiplist_stage = 0;
    skiplist_bag_was_full = false;
    w->next_value = 0;
    w->first_value = tiny_case < 0 && sim_draw(2) ? NODE_LINK + 1000u : 1000; /* may look like a link, to no chunk */
    if (tiny_case >= 0) {
        tiny((unsigned)tiny_case);
        return w->agents;
    }
    begin_epoch(2 + (unsigned)sim_draw(SKIPLIST_EPOCH_SLOTS - 1), 1 + (unsigned)sim_draw(SKIPLIST_EPOCH_RING));
    draw_raise();
    w->some_low = sim_draw(4) == 0;
    sim_multiprocessors(1 + (unsigned)sim_draw(4));
    skiplist_draw_scenario();
    if (sim_draw(6) == 0) limit_pool();
    unsigned ops = w->first_op[w->agents - w->solo];
    sim_expect(120 * (uint64_t)(ops < MOST_EXPECTED ? ops : MOST_EXPECTED));
    return w->agents;
}

static void agent(unsigned index)
{
    skiplist_world *w = &skiplist_now;
    unsigned from = w->first_op[index], ops = w->first_op[index + 1] - from;
    unsigned stay = w->first_stay[index], stays = w->first_stay[index + 1] - stay;
    if (w->solo && index + 1 == w->agents)
        w->first_op[w->agents] = from + w->list->visit_solo(w->place, index, w->longest_stay, &w->ops[from], ops);
    else if (w->arrays)
        w->list->run_array(w->place, index, &w->ops[from], ops, &w->pairs[from * MAP_RANGE_ROOM]);
    else
        w->list->visit(w->place, index, &w->stays[stay], stays, &w->ops[from], &w->pairs[from * MAP_RANGE_ROOM]);
}

const sim_structure sim_skiplist = {"skiplist", variant_names, sizeof tiny_cases / sizeof tiny_cases[0], prepare, agent,
                                    skiplist_judge, skiplist_explain, skiplist_describe, skiplist_is_latched,
                                    skiplist_forget};
