/* verify/sim/team/team_world.c - batches by a team of agents, between operations of others on the same map.
 *
 * Agent 0 makes the batches. Some agents help it, as the workers' threads do, and nothing else; others make ordinary
 * operations, as does agent 0. All pass the real gate, so a batch finds nobody in the map.
 *
 * While agent 0 is alone inside, before and after a batch, it looks at everything (sim_look). What a batch must answer,
 * and what it must leave in the map, comes from a sorted array, one operation after the other. What tree it must leave,
 * node by node, comes from the same batch carried out by one agent on a copy. A batch that is refused must leave every
 * node and the root as they were; it may put the pool's stock in order. Operations between batches are judged by the
 * linearizability checker, from what one batch has left to what the next one finds.
 *
 * Or the map has versions, and others take snapshots between batches, ask them, also beside batches, and release them.
 * What a snapshot must show is known: what the last batch before it has left.
 */
#include <string.h>

#include "../../../src/blink/blink_check.h"
#include "../../../src/versioned/versioned_check.h"
#include "../map/map_sim.h"
#include "../plain.h"
#include "team_sim.h"

enum { NODES = 224, MOST_KEYS = 480, MOST_HELPERS = 4, MOST_OTHERS = 4, MOST_AGENTS = 1 + MOST_HELPERS + MOST_OTHERS };
enum { MOST_BATCHES = 2, MOST_N = 48, MOST_EACH = 6, MOST_OPS = MOST_AGENTS * MOST_EACH, MOST_RANGE_PAIRS = 512 };
enum { ARENA = 3 << 16, TREE_BYTES = NODES * 256, SPOIL = 0xa5 };
enum { TINY_CASES = 2 };
enum { STRIPES = 3, SLOTS = 6, RING = 4, PINS = 16, QUESTIONS = 6, MORE_QUESTIONS = 30 }; /* of versions */

_Static_assert(1 + MOST_HELPERS <= (int)WATCHED_AGENTS, "the team's agents come first");

/* Under a sanitizer only memset and memcpy are seen: then who has written a byte is not known. */
#ifdef SIM_WATCHES
enum { ALL_IS_WATCHED = 1 };
#else
enum { ALL_IS_WATCHED = 0 };
#endif

static const struct {
    const map_variant *map, *versioned;
    const team_variant *team;
} variants[] = {{&sim_map_32_plain, &sim_versioned_32_plain, &sim_team_32_plain},
                {&sim_map_64_plain, &sim_versioned_64_plain, &sim_team_64_plain},
                {&sim_map_32_x86, &sim_versioned_32_x86, &sim_team_32_x86},
                {&sim_map_64_x86, &sim_versioned_64_x86, &sim_team_64_x86}};
static const char *const variant_names[] = {"plain32", "plain64", "x86_32", "x86_64", NULL};

typedef struct pairs {
    history_pair pair[MOST_KEYS];
    size_t count;
} pairs;

/* Operations and answers, as 64-bit words whatever the width of keys. */
typedef struct batch_plan {
    uint32_t n, limit;
    uint32_t boxes;
    bool one_kind; /* an array call: there is no array of kinds */
    size_t capacity;
    uint8_t kinds[MOST_N], flags[MOST_N];
    uint64_t keys[MOST_N], values[MOST_N];
    uint64_t out_keys[MOST_N], out_values[MOST_N], counts[MOST_N], offsets[MOST_N + 1];
    history_pair range[MOST_RANGE_PAIRS];
    uint64_t total;
} batch_plan;

/* A batch's memory: the job, the user's arrays, and scratch; and beside it the pool's stock. */
typedef struct arena {
    _Alignas(64) char bytes[ARENA];
    _Alignas(64) uint32_t stock[NODES];
    size_t used;
} arena;

typedef struct world {
    const map_variant *map;
    const team_variant *team;
    map_ref place;
    size_t node_bytes;
    unsigned universe, helpers, others, batches, most[MOST_BATCHES];
    unsigned each; /* ordinary operations of an agent */
    batch_plan plan[MOST_BATCHES];
    batch_tidings *tidings[MOST_BATCHES];
    pairs begin, found[MOST_BATCHES], left[MOST_BATCHES];
    uint64_t window[MOST_BATCHES][2]; /* from when to when it was alone */
    unsigned batches_done;
    bool batch_runs;
    unsigned op_count;
    history_op ops[MOST_OPS];
    history_pair op_pairs[MOST_OPS * MAP_RANGE_ROOM];
    history_op segment[MOST_OPS];
    uint64_t next_value;
    history history;
    bool bad_history;
    history_checker *checker;
} world;

static _Thread_local world w;
static _Thread_local arena shared, own;                        /* of the team's batch, and of the one on a copy */
static _Thread_local _Alignas(64) char tree_before[sizeof(blink_tree)], tree_copy[sizeof(blink_tree)];
static _Thread_local _Alignas(256) char nodes_before[TREE_BYTES], nodes_copy[TREE_BYTES];
static _Thread_local version_state state_copy;
static _Thread_local version_record records_copy[NODES];

enum { STATE_BYTES = offsetof(version_state, kept) + STRIPES * sizeof state_copy.kept[0] };

static uint64_t top(void) { return w.map->key_bits == 32 ? UINT32_MAX : UINT64_MAX; }

static uint64_t key_of(unsigned number)
{
    if (number == 0) return 0;
    if (number + 1 >= w.universe) return top();
    uint64_t key = 0x10000u + 16u * (uint64_t)number;
    return w.map->key_bits == 32 ? key : key << 28;
}

static uint64_t fresh_value(void) { return 1000 + w.next_value++; }

/* ---- laying out ---- */

/* Some nodes are in the stock; those before stock_next agents have taken, and they are in the tree. */
static void fill_stock(unsigned nodes, unsigned taken)
{
    pool_state *pool = &w.place.tree->pool;
    for (unsigned i = 0; i < nodes; i++) shared.stock[i] = i < taken ? 1 + i : (uint32_t)pool->next++;
    pool->stock_end = nodes;
    pool->stock_next = taken;
}

/* As in map_world.c. */
static void begin_versions(void)
{
    versions *v = &w.place.versions;
    *v = (versions){.stripes = STRIPES};
    if (!w.map->versioned) return;
    v->state = sim_reserve(STATE_BYTES);
    v->record = sim_reserve(NODES * sizeof v->record[0]);
    v->epoch = (epoch){.state = &v->state->epoch, .slots = SLOTS, .ring = RING};
    v->epoch.announce = sim_reserve(SLOTS * w.map->line_words * 8);
    v->epoch.home = sim_reserve(SLOTS * sizeof v->epoch.home[0]);
    v->epoch.rings = sim_reserve(SLOTS * RING * sizeof v->epoch.rings[0]);
    v->state->epoch.pin_table = (uint64_t)(uintptr_t)sim_reserve(PINS * EPOCH_PIN_WORDS * 8);
    v->state->epoch.pin_room = PINS;
    epoch_begin(&v->state->epoch);
}

static void build(unsigned stride, unsigned count, double fill)
{
    uint64_t keys[MOST_KEYS], values[MOST_KEYS];
    w.begin.count = count;
    for (unsigned i = 0; i < count; i++) {
        keys[i] = key_of(1 + i * stride);
        values[i] = fresh_value();
        w.begin.pair[i] = (history_pair){keys[i], values[i]};
    }
    build_plan plan;
    build_plan_make(&plan, count, fill);
    w.place.tree = sim_reserve(sizeof *w.place.tree);
    w.node_bytes = w.map->key_bits == 32 ? 128 : 256;
    w.place.nodes = sim_reserve(NODES * w.node_bytes);
    sim_nodes(w.place.nodes, w.node_bytes, NODES);
    w.place.tree->pool.capacity = NODES;
    w.place.tree->pool.next = 1 + plan.nodes;
    w.place.tree->pool.stock = (uint64_t)(uintptr_t)shared.stock;
    memset(shared.stock, 0, sizeof shared.stock);
    w.map->build(&plan, w.place.nodes, keys, values);
    w.place.tree->root = plan.root;
    w.place.tree->stripe[0].size = count;
    begin_versions();
}

typedef enum flavour { ANYTHING, UPDATES, MANY_INSERTS, MANY_ERASES, ONE_KEY, ASCENDING, COUNTS, FLAVOURS } flavour;

static void plan_batch(batch_plan *plan, uint32_t n, flavour flavour)
{
    enum { PUT = OP_PUT, ADD, ERASE, FIND, CONTAINS, SUCC, PRED, COUNT, RANGE };
    static const uint8_t kinds[FLAVOURS][8] = {[ANYTHING] = {PUT, ADD, ERASE, FIND, CONTAINS, SUCC, PRED, RANGE},
                                               [UPDATES] = {PUT, ADD, ERASE, FIND, CONTAINS, PUT, ERASE, PUT},
                                               [MANY_INSERTS] = {PUT, PUT, ADD, PUT, ERASE, FIND, PUT, RANGE},
                                               [MANY_ERASES] = {ERASE, ERASE, ERASE, ERASE, ERASE, ERASE, ERASE, PUT},
                                               [ONE_KEY] = {PUT, ADD, ERASE, FIND, CONTAINS, ERASE, PUT, COUNT},
                                               [ASCENDING] = {PUT, PUT, PUT, PUT, PUT, PUT, PUT, SUCC},
                                               [COUNTS] = {PUT, ERASE, COUNT, COUNT, FIND, COUNT, PUT, RANGE}};
    unsigned width = flavour == ONE_KEY ? 1 + (unsigned)sim_draw(3) : 2 + (unsigned)sim_draw(w.universe - 1);
    unsigned from = (unsigned)sim_draw(w.universe);
    *plan = (batch_plan){.n = n, .limit = (uint32_t)sim_draw(8), .boxes = 1 + (uint32_t)sim_draw(3)};
    uint8_t kind = (uint8_t)sim_draw(ERASE + 1);
    plan->one_kind = flavour != COUNTS && sim_draw(6) == 0;
    for (uint32_t i = 0; i < n; i++) {
        unsigned number = (from + (flavour == ASCENDING ? i : (unsigned)sim_draw(width))) % w.universe;
        plan->kinds[i] = plan->one_kind ? kind : kinds[flavour][sim_draw(8)];
        plan->keys[i] = key_of(number);
        plan->values[i] = fresh_value();
        if (plan->kinds[i] >= OP_COUNT) /* a range has at most 10 pairs */
            plan->values[i] = key_of(number + (unsigned)sim_draw(plan->kinds[i] == OP_RANGE ? 10 : w.universe));
    }
    plan->capacity = sim_draw(8) ? MOST_RANGE_PAIRS : sim_draw(4);
}

static void plan_op(unsigned agent)
{
    static const uint8_t kinds[] = {HISTORY_PUT, HISTORY_PUT, HISTORY_ADD, HISTORY_ERASE, HISTORY_ERASE, HISTORY_FIND,
                                    HISTORY_FIND, HISTORY_RANGE};
    history_op *op = &w.ops[w.op_count];
    unsigned number = (unsigned)sim_draw(w.universe);
    *op = (history_op){.agent = agent, .kind = kinds[sim_draw(8)], .key = key_of(number), .value = fresh_value(),
                       .pairs = w.op_count * MAP_RANGE_ROOM};
    if (op->kind == HISTORY_RANGE) op->high = key_of(number + (unsigned)sim_draw(10));
    w.op_count++;
}

static const char *name_of(size_t offset)
{
    return offset < sizeof(batch_job) ? "the job" : offset < ARENA ? "the batch's memory" : "the stock";
}

/* A few leaves; or many levels; or a tree that is full, so that one insert grows it by a level. */
static void lay_out(int tiny)
{
    unsigned keys = 14, stride = 1 + (unsigned)sim_draw(2);
    double fill = 1;
    if (tiny < 0 && sim_draw(4) == 0) {
        keys = 196 - (unsigned)sim_draw(20);
        stride = 2;
    } else if (tiny < 0) {
        keys = (unsigned)sim_draw(sim_draw(2) ? 20 : 120);
        if (sim_draw(2)) fill = 0.1 + 0.1 * (double)sim_draw(8);
        if (fill < 0.4) keys %= 40;
    }
    w.universe = keys * stride + 8 + (unsigned)sim_draw(40); /* at most 440 */
    build(stride, keys, fill);
    if (tiny < 0 && sim_draw(2)) fill_stock((unsigned)sim_draw(12), (unsigned)sim_draw(3));
    if (tiny < 0 && sim_draw(4) == 0) w.place.tree->pool.capacity = w.place.tree->pool.next + sim_draw(8);
}

static unsigned prepare(unsigned variant, int tiny)
{
    bool versioned = tiny < 0 && sim_draw(2);
    w.map = versioned ? variants[variant].versioned : variants[variant].map;
    w.team = variants[variant].team;
    w.next_value = 0;
    w.op_count = w.batches_done = 0;
    w.batch_runs = false;
    w.helpers = tiny >= 0 ? 1 : (unsigned)sim_draw(MOST_HELPERS + 1);
    w.others = tiny >= 0 ? 0 : (unsigned)sim_draw(sim_draw(2) ? 2 : MOST_OTHERS + 1);
    w.batches = tiny >= 0 ? 1 : 1 + (unsigned)sim_draw(MOST_BATCHES);
    w.each = tiny >= 0 || versioned ? 0 : (unsigned)sim_draw(MOST_EACH + 1);
    lay_out(tiny);
    for (unsigned b = 0; b < w.batches; b++) {
        uint32_t n = tiny >= 0 ? 3 : 1 + (uint32_t)sim_draw(sim_draw(3) ? 16 : MOST_N);
        plan_batch(&w.plan[b], n, tiny >= 0 ? (tiny ? ANYTHING : ASCENDING) : (flavour)sim_draw(FLAVOURS));
        w.tidings[b] = sim_reserve((1 + w.helpers) * sizeof *w.tidings[b]);
        w.most[b] = 1 + (unsigned)sim_draw(w.helpers + 2);
        if (tiny >= 0) w.most[b] = 2;
    }
    for (unsigned i = 0; i < (1 + w.others) * w.each; i++) {
        unsigned who = i % (1 + w.others);
        plan_op(who ? w.helpers + who : 0);
    }
    w.team->begin(1 + w.helpers);
    sim_watch(shared.bytes, sizeof shared.bytes + sizeof shared.stock, name_of);
    return 1 + w.helpers + w.others;
}

/* ---- one operation after the other ---- */

static size_t below(const pairs *map, uint64_t key)
{
    size_t at = 0;
    while (at < map->count && map->pair[at].key < key) at++;
    return at;
}

static void oracle_update(pairs *map, batch_plan *plan, uint32_t i, size_t at, bool present)
{
    if (present) plan->out_values[i] = map->pair[at].value;
    if (plan->kinds[i] == OP_ERASE) {
        plan->flags[i] = present ? PLEACH_ERASED : PLEACH_ABSENT;
        if (!present) return;
        memmove(&map->pair[at], &map->pair[at + 1], (--map->count - at) * sizeof map->pair[0]);
        return;
    }
    plan->flags[i] = !present ? PLEACH_INSERTED : plan->kinds[i] == OP_PUT ? PLEACH_REPLACED : PLEACH_EXISTS;
    if (present && plan->kinds[i] == OP_ADD) return;
    if (!present) memmove(&map->pair[at + 1], &map->pair[at], (map->count++ - at) * sizeof map->pair[0]);
    map->pair[at] = (history_pair){plan->keys[i], plan->values[i]};
}

static void oracle_neighbour(const pairs *map, batch_plan *plan, uint32_t i, size_t at, bool present)
{
    bool up = plan->kinds[i] == OP_SUCC;
    plan->flags[i] = up ? at + present < map->count : at > 0;
    if (!plan->flags[i]) return;
    plan->out_keys[i] = map->pair[up ? at + present : at - 1].key;
    plan->out_values[i] = map->pair[up ? at + present : at - 1].value;
}

static void oracle_range(const pairs *map, batch_plan *plan, uint32_t i, size_t at)
{
    bool range = plan->kinds[i] == OP_RANGE;
    uint64_t count = 0;
    for (; at < map->count && map->pair[at].key <= plan->values[i]; at++, count++) {
        if (!range) continue;
        if (plan->limit && count == plan->limit) break;
        if (plan->total + count < MOST_RANGE_PAIRS) plan->range[plan->total + count] = map->pair[at];
    }
    plan->counts[i] = count;
    if (range) plan->total += count;
}

/* What a batch must answer, into the plan, and what it makes of the map. */
static void oracle_apply(pairs *map, batch_plan *plan)
{
    uint64_t spoiled = 0xa5a5a5a5a5a5a5a5u;
    plan->total = 0;
    for (uint32_t i = 0; i < plan->n; i++) {
        size_t at = below(map, plan->keys[i]);
        bool present = at < map->count && map->pair[at].key == plan->keys[i];
        plan->flags[i] = SPOIL;
        plan->out_keys[i] = plan->out_values[i] = spoiled & top();
        plan->counts[i] = spoiled;
        plan->offsets[i] = plan->total;
        switch (plan->kinds[i]) {
        case OP_PUT:
        case OP_ADD:
        case OP_ERASE: oracle_update(map, plan, i, at, present); break;
        case OP_FIND:
        case OP_CONTAINS:
            plan->flags[i] = present;
            if (present && plan->kinds[i] == OP_FIND) plan->out_values[i] = map->pair[at].value;
            break;
        case OP_SUCC:
        case OP_PRED: oracle_neighbour(map, plan, i, at, present); break;
        default: oracle_range(map, plan, i, at); break;
        }
    }
    plan->offsets[plan->n] = plan->total;
}

/* ---- a batch ---- */

static void *carve(arena *a, size_t bytes)
{
    void *piece = a->bytes + a->used;
    a->used += (bytes + 63) / 64 * 64;
    if (a->used > sizeof a->bytes) sim_fail("a batch needs more memory than there is for it");
    return piece;
}

static size_t word_bytes(void) { return w.map->key_bits / 8; }

static uint64_t get(const void *words, size_t i)
{
    return w.map->key_bits == 32 ? ((const uint32_t *)words)[i] : ((const uint64_t *)words)[i];
}

static void *words_of(arena *a, const uint64_t *from, uint32_t n)
{
    void *to = carve(a, n * word_bytes());
    for (uint32_t i = 0; i < n; i++) {
        if (w.map->key_bits == 32)
            ((uint32_t *)to)[i] = (uint32_t)from[i];
        else
            ((uint64_t *)to)[i] = from[i];
    }
    return to;
}

/* All but the tidings, which are words of simulated memory where there is a team. */
static batch_job *make_job(arena *a, const batch_plan *plan, map_ref place, unsigned members)
{
    memset(a->bytes, SPOIL, sizeof a->bytes); /* nothing comes from schedules before */
    a->used = 0;
    batch_job *job = carve(a, sizeof *job);
    *job = (batch_job){.map = place, .used_ids = blink_used_ids(place.tree), .capacity = plan->capacity};
    job->keeps = w.map->versioned && place.versions.state->epoch.pins > 0;
    job->request = (batch_request){.n = plan->n, .limit = plan->limit, .kind = plan->kinds[0]};
    if (!plan->one_kind) job->request.kinds = memcpy(carve(a, plan->n), plan->kinds, plan->n);
    job->request.keys = words_of(a, plan->keys, plan->n);
    job->request.values = words_of(a, plan->values, plan->n);
    job->request.flags = carve(a, plan->n);
    job->request.out_keys = carve(a, plan->n * word_bytes());
    job->request.out_values = carve(a, plan->n * word_bytes());
    job->request.counts = carve(a, plan->n * sizeof(uint64_t));
    job->offsets = carve(a, (plan->n + 1) * sizeof(uint64_t));
    job->request.range_keys = carve(a, MOST_RANGE_PAIRS * word_bytes());
    job->request.range_values = carve(a, MOST_RANGE_PAIRS * word_bytes());
    job->parts = memset(carve(a, members * sizeof *job->parts), 0, members * sizeof *job->parts);
    job->boxes = plan->boxes;
    job->mail = carve(a, members * batch_result_row((size_t)members * job->boxes) * sizeof *job->mail);
    job->digits = carve(a, members * BATCH_RANGES * sizeof *job->digits);
    job->scratch = carve(a, w.team->scratch_bytes(plan->n, job->used_ids));
    return job;
}

/* NULL, or what differs. */
static const char *compare_answers(const batch_job *job, const batch_plan *plan)
{
    const batch_request *r = &job->request;
    if (job->total != plan->total) return "the number of pairs";
    for (uint32_t i = 0; i <= plan->n; i++) {
        if (job->offsets[i] != plan->offsets[i]) return "an offset";
        if (i == plan->n) break;
        if (r->flags[i] != plan->flags[i]) return "a flag";
        if (get(r->out_keys, i) != plan->out_keys[i]) return "a key";
        if (get(r->out_values, i) != plan->out_values[i]) return "a value";
        if (r->counts[i] != plan->counts[i]) return "a count";
    }
    for (uint64_t i = 0; i < plan->total; i++)
        if (get(r->range_keys, i) != plan->range[i].key || get(r->range_values, i) != plan->range[i].value)
            return "a pair of a range";
    return NULL;
}

static void export_to(pairs *to, map_ref place)
{
    to->count = w.map->export_pairs(place, to->pair, MOST_KEYS);
}

static bool same_pairs(const pairs *a, const pairs *b)
{
    return a->count == b->count && memcmp(a->pair, b->pair, a->count * sizeof a->pair[0]) == 0;
}

static uint64_t header_in(const char *node)
{
    uint64_t header;
    memcpy(&header, node + NODE_HEADER_SLOT * w.node_bytes / NODE_SLOTS, sizeof header);
    return header;
}

/* Of leaves and old images, slots that have no pair may hold anything; and so may a node that was used and is free. */
static bool same_node(uint32_t id, const char *nodes)
{
    const char *now = (const char *)w.place.nodes + id * w.node_bytes, *other = nodes + id * w.node_bytes;
    size_t slot_bytes = w.node_bytes / NODE_SLOTS, pairs_end = NODE_CAPACITY * slot_bytes, used = pairs_end;
    uint64_t header = header_in(now), other_header = header_in(other);
    if (header == 0 && id < w.place.tree->pool.next) return other_header == 0;
    bool leaf = header != 0 && (header_level(header) == 0 || header_level(header) == NODE_OLD_IMAGE);
    if (leaf) used = header_count(header) * slot_bytes;
    return memcmp(now + pairs_end, other + pairs_end, w.node_bytes - pairs_end) == 0 && memcmp(now, other, used) == 0;
}

static bool same_nodes(const char *nodes)
{
    uint32_t id = 0;
    while (id < NODES && same_node(id, nodes)) id++;
    return id == NODES;
}

/* But for the pool's free nodes. */
static bool same_tree(const void *tree)
{
    blink_tree other;
    memcpy(&other, tree, sizeof other);
    other.pool.stock = w.place.tree->pool.stock;
    other.pool.stock_next = w.place.tree->pool.stock_next;
    other.pool.stock_end = w.place.tree->pool.stock_end;
    memcpy(other.pool.free, w.place.tree->pool.free, sizeof other.pool.free);
    return memcmp(w.place.tree, &other, sizeof other) == 0;
}

/* Of the team and of one agent. */
static bool same_stock_as_alone(void)
{
    const pool_state *now = &w.place.tree->pool, *alone = &((const blink_tree *)tree_copy)->pool;
    return now->stock_next == alone->stock_next && now->stock_end == alone->stock_end &&
           memcmp(shared.stock, own.stock, now->stock_end * sizeof own.stock[0]) == 0;
}

static uint64_t header_of(uint32_t id) { return header_in((const char *)w.place.nodes + id * w.node_bytes); }

static bool is_free(uint32_t id, uint64_t used, bool there[NODES])
{
    if (id == 0 || id >= used || there[id] || header_of(id) != 0) return false;
    return there[id] = true;
}

/* Are exactly the free nodes in the stock, or in lists? */
static bool stock_is_right(void)
{
    const pool_state *pool = &w.place.tree->pool;
    bool there[NODES] = {false};
    uint64_t used = pool->next < pool->capacity ? pool->next : pool->capacity;
    for (uint64_t i = pool->stock_next; i < pool->stock_end; i++)
        if (!is_free(shared.stock[i], used, there)) return false;
    for (unsigned list = 0; list < POOL_STRIPES; list++)
        for (uint32_t id = (uint32_t)pool->free[list].head; id != 0;) {
            if (!is_free(id, used, there)) return false;
            memcpy(&id, (const char *)w.place.nodes + id * w.node_bytes, sizeof id);
        }
    for (uint32_t id = 1; id < used; id++)
        if (header_of(id) == 0 && !there[id]) return false;
    return true;
}

/* Alone inside, before the batch: what it must answer and leave. */
static void foresee(unsigned b, pleach_status *status)
{
    batch_plan *plan = &w.plan[b];
    memcpy(tree_before, w.place.tree, sizeof tree_before);
    memcpy(nodes_before, w.place.nodes, NODES * w.node_bytes);
    memcpy(tree_copy, tree_before, sizeof tree_copy);
    memcpy(nodes_copy, nodes_before, NODES * w.node_bytes);
    export_to(&w.found[b], w.place);
    w.left[b] = w.found[b];
    oracle_apply(&w.left[b], plan);
    memcpy(own.stock, shared.stock, sizeof own.stock);
    map_ref copy = {.tree = (blink_tree *)tree_copy, .nodes = nodes_copy};
    copy.tree->pool.stock = (uint64_t)(uintptr_t)own.stock;
    if (w.map->versioned) {
        copy.versions = w.place.versions;
        copy.versions.state = memcpy(&state_copy, w.place.versions.state, STATE_BYTES);
        copy.versions.record = memcpy(records_copy, w.place.versions.record, sizeof records_copy);
    }
    batch_job *job = make_job(&own, plan, copy, 1);
    job->tidings = memset(carve(&own, sizeof *job->tidings), 0, sizeof *job->tidings);
    w.team->run_alone(job);
    *status = job->status;
}

static bool valid_versions(char *why, size_t size)
{
    return !w.map->versioned || versioned_validate(w.map->key_bits, w.place.tree, w.place.nodes, w.place.versions,
                                                   w.map->line_words, why, size);
}

static bool same_versions(void)
{
    return !w.map->versioned || (memcmp(w.place.versions.state, &state_copy, STATE_BYTES) == 0 &&
                                 memcmp(w.place.versions.record, records_copy, sizeof records_copy) == 0);
}

/* Alone inside, after it: NULL, or what is wrong. */
static const char *look_after(unsigned b, const batch_job *job, pleach_status status)
{
    static _Thread_local char text[300];
    pairs now;
    if (job->status != status) return "a batch has not the status that it has when one agent carries it out";
    if (status != PLEACH_OK) {
        w.left[b] = w.found[b];
        bool same = same_tree(tree_before) && same_nodes(nodes_before) && stock_is_right();
        return same ? NULL : "a batch was refused, and the map is not as it was";
    }
    const char *wrong = compare_answers(job, &w.plan[b]);
    snprintf(text, sizeof text, "a batch answers %s that one operation after the other would not", wrong ? wrong : "");
    if (wrong) return text;
    if (!blink_validate(w.map->key_bits, w.place.tree, w.place.nodes, text, sizeof text)) return text;
    if (!valid_versions(text, sizeof text)) return text;
    export_to(&now, w.place);
    if (!same_pairs(&now, &w.left[b])) return "a batch leaves pairs that one operation after the other would not";
    if (!stock_is_right()) return "the stock and the free nodes are not the same";
    if (!same_stock_as_alone()) return "a batch leaves another stock than by one agent";
    if (!same_tree(tree_copy) || !same_nodes(nodes_copy)) return "a batch leaves another tree than by one agent";
    return same_versions() ? NULL : "a batch leaves other versions than by one agent";
}

static void run_batch(unsigned b)
{
    pleach_status status;
    sim_operation_begin();
    w.team->enter_exclusive();
    w.window[b][0] = sim_stamp();
    sim_look(true);
    foresee(b, &status);
    batch_job *job = make_job(&shared, &w.plan[b], w.place, 1 + w.helpers);
    job->tidings = w.tidings[b];
    size_t rest = (size_t)(shared.bytes + sizeof shared.bytes - (char *)job->mail);
    sim_watch_empty(job->mail, ALL_IS_WATCHED ? rest : 0);
    sim_look(false);
    w.batch_runs = true;
    w.team->run(job, w.most[b]);
    w.batch_runs = false;
    sim_look(true);
    const char *wrong = look_after(b, job, status);
    sim_look(false);
    if (wrong) sim_fail("%s", wrong);
    w.window[b][1] = sim_stamp();
    w.batches_done = b + 1;
    w.team->leave_alone();
    sim_operation_end(w.plan[b].n);
}

/* ---- agents ---- */

static void run_ops(unsigned agent, unsigned most)
{
    for (unsigned i = 0; i < w.op_count && most > 0; i++) {
        if (w.ops[i].agent != agent || w.ops[i].returned) continue;
        w.team->enter(agent);
        w.map->run(w.place, agent, &w.ops[i], &w.op_pairs[w.ops[i].pairs]);
        w.team->leave(agent);
        most--;
    }
}

static bool right_answer(const history_op *op, const history_pair *got, const pairs *shown)
{
    size_t at = below(shown, op->key), n = 0;
    bool present = at < shown->count && shown->pair[at].key == op->key;
    if (op->kind == HISTORY_RANGE_ATOMIC) {
        for (; n < MAP_RANGE_ROOM && at < shown->count && shown->pair[at].key <= op->high; at++, n++)
            if (n >= op->pair_count || memcmp(&got[n], &shown->pair[at], sizeof got[n]) != 0) return false;
        return n == op->pair_count;
    }
    bool found = op->kind == HISTORY_FIND ? present : op->kind == HISTORY_CEIL ? at < shown->count : at + present > 0;
    if (op->kind == HISTORY_FLOOR && !present) at--;
    if ((op->outcome == HISTORY_FOUND) != found) return false;
    return !found || (op->out_key == shown->pair[at].key && op->out_value == shown->pair[at].value);
}

/* Beside whatever is going on. */
static void ask(unsigned agent, uint64_t at, const pairs *shown)
{
    static const uint8_t kinds[] = {HISTORY_RANGE_ATOMIC, HISTORY_FIND, HISTORY_CEIL, HISTORY_FLOOR};
    history_pair got[MAP_RANGE_ROOM];
    unsigned number = (unsigned)sim_draw(w.universe);
    history_op op = {.agent = agent, .kind = kinds[sim_draw(4)], .key = key_of(number)};
    op.high = key_of(number + (unsigned)sim_draw(16));
    if (w.batch_runs && sim_draw(2)) { /* where the batch is */
        const batch_plan *plan = &w.plan[w.batches_done];
        op.key = plan->keys[sim_draw(plan->n)];
        op.high = top();
    }
    w.team->enter_beside(agent);
    w.map->ask(w.place, at, &op, got);
    w.team->leave_beside(agent);
    if (!right_answer(&op, got, shown)) sim_fail("a snapshot does not show what the batch before it has left");
}

static void look_back(unsigned agent)
{
    for (unsigned i = 0; i < MOST_BATCHES; i++) {
        w.team->enter(agent);
        const pairs *shown = w.batches_done ? &w.left[w.batches_done - 1] : &w.begin;
        uint64_t at = w.map->take(w.place, agent);
        w.team->leave(agent);
        uint64_t questions = 1 + sim_draw(QUESTIONS);
        for (unsigned n = 0; n < questions || (w.batch_runs && n < MORE_QUESTIONS); n++) ask(agent, at, shown);
        w.team->enter(agent);
        w.map->release(w.place, agent, at);
        w.team->leave(agent);
    }
}

static void agent(unsigned index)
{
    if (index > w.helpers && w.map->versioned) {
        look_back(index);
    } else if (index > w.helpers) {
        run_ops(index, MOST_OPS);
    } else if (index > 0) {
        w.team->help();
    } else {
        for (unsigned b = 0; b < w.batches; b++) {
            run_ops(0, w.each / (w.batches + 1));
            run_batch(b);
        }
        run_ops(0, MOST_OPS);
        w.team->end();
    }
}

/* ---- judging ---- */

/* The operations from one batch to the next one, by what the one has left and the other found. */
static bool judge_between(unsigned b, const pairs *initial, const pairs *final, char *why, size_t size,
                          sim_checked *checked)
{
    uint64_t from = b ? w.window[b - 1][1] : 0, to = b < w.batches ? w.window[b][0] : UINT64_MAX;
    size_t count = 0;
    for (unsigned i = 0; i < w.op_count; i++) {
        const history_op *op = &w.ops[i];
        if (op->returned <= from || op->invoked >= to) continue;
        w.segment[count++] = *op;
        if (op->invoked >= from && op->returned <= to) continue;
        snprintf(why, size, "an operation is in the map beside a batch");
        return false;
    }
    w.history = (history){.initial = initial->pair, .initial_count = initial->count, .ops = w.segment, .count = count,
                          .pairs = w.op_pairs, .final = final->pair, .final_count = final->count};
    history_verdict verdict = w.checker ? history_check(w.checker, &w.history) : HISTORY_UNDECIDED;
    checked->histories += verdict == HISTORY_GOOD;
    checked->undecided += verdict == HISTORY_UNDECIDED;
    w.bad_history = verdict == HISTORY_BAD;
    if (w.bad_history) snprintf(why, size, "the answers between batches are not those of a map");
    return !w.bad_history;
}

static bool judge(char *why, size_t size, sim_checked *checked)
{
    pairs last;
    w.bad_history = false;
    if (!w.checker) w.checker = history_checker_create();
    if (!blink_validate(w.map->key_bits, w.place.tree, w.place.nodes, why, size)) return false;
    if (!valid_versions(why, size)) return false;
    export_to(&last, w.place);
    for (unsigned b = 0; b <= w.batches; b++)
        if (!judge_between(b, b ? &w.left[b - 1] : &w.begin, b < w.batches ? &w.found[b] : &last, why, size, checked))
            return false;
    return true;
}

static void explain(FILE *out)
{
    if (w.bad_history) history_explain(w.checker, &w.history, out);
}

static void describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    size_t tree_words = (sizeof(blink_tree) + 63) / 64 * 8, node_words = w.node_bytes / 8;
    unsigned long long v = value;
    if (word < tree_words)
        snprintf(text, size, "tree + %zu = %llu", word * (size_t)8, v);
    else if (word < tree_words + NODES * node_words)
        snprintf(text, size, "node %zu word %zu = %llx", (word - tree_words) / node_words,
                 (word - tree_words) % node_words, v);
    else
        snprintf(text, size, "gate and workers + %zu = %llu", (word - tree_words - NODES * node_words) * 8, v);
}

/* Of latches in the tree only: who waits for a batch is seen from its trace. */
static bool is_latched(uint32_t word, uint64_t value)
{
    size_t tree_words = (sizeof(blink_tree) + 63) / 64 * 8, slot_words = w.node_bytes / 8 / NODE_SLOTS;
    if (word < tree_words || word >= tree_words + NODES * w.node_bytes / 8) return false;
    return (word - tree_words) / slot_words % NODE_SLOTS == NODE_HEADER_SLOT && (value & HEADER_LATCHED);
}

static void forget(void)
{
    history_checker_destroy(w.checker);
    w.checker = NULL;
    sim_watch_forget();
}

const sim_structure sim_team = {"team", variant_names, TINY_CASES, prepare, agent, judge, explain, describe,
                                is_latched, forget};
