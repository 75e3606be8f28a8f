/* verify/sim/epoch/epoch_world.c - nodes that are taken out of a structure while others look at them, and used again
 * through the epoch module. Nobody may see a node change under its eyes, no node may be in two hands, or get lost. */
#include <stdarg.h>
#include <string.h>

#include "epoch_sim.h"

enum { MOST_AGENTS = 12, MOST_CELLS = 3, MOST_NODES = 12, MOST_SLOTS = 5, MOST_RING = 5, TABLES = 6 };
enum { JUDGE = MOST_AGENTS };
/* Neither stamps nor places in rings look like ids, and ids not like small counts: the simulator takes a load of an id
 * for the load that an address came from. */
enum { FIRST_ID = 16, IDS = FIRST_ID + MOST_NODES, FIRST_STAMP = 1000, FIRST_PLACE = 2000, FIRST_NUMBER = 0x700000 };
enum { MOST_LINE_WORDS = 8 /* at least PORT_LINE_WORDS */ };

static const epoch_variant *const variants[] = {&sim_epoch_cuda, &sim_epoch_plain};
static const char *const variant_names[] = {"cuda", "plain", NULL};

typedef enum whereabouts { NOWHERE, FREE, HELD, LINKED, RETIRED } whereabouts;

typedef struct world {
    const epoch_variant *epoch;
    epoch_ref place;
    unsigned agents, steps, cells, nodes;
    bool tiny;
    const char *part[3]; /* what agents do, who take the parts in turn */
    bool in_turn;        /* letter by letter; else any of the letters at a time */
    unsigned passes;       /* percent of readers that advance the clock */
    unsigned scan_slots;   /* of one part of a scan; 0: drawn */
    bool ticking;
    /* the ledger */
    whereabouts where[IDS];
    uint8_t holder[IDS];
    uint32_t free[MOST_NODES];
    unsigned free_count;
    uint64_t until[IDS];         /* of the retired; 0: not known yet */
    uint64_t numbers;
    uint32_t found[MOST_AGENTS]; /* by each agent, as bits: node FIRST_ID + n is bit n */
    uint64_t came[MOST_AGENTS];  /* the stamp with which each agent last entered */
    uint64_t stamp[MOST_AGENTS]; /* of who is inside; UINT64_MAX: outside */
    uint64_t last_floor, last_clock;
    uint64_t *table[TABLES];
    unsigned tables; /* handed out */
    bool judging;
    char check_report[200]; /* the first one while judging; empty: none */
} world;

static _Thread_local world w;

/* ---- the ledger ---- */

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void complain(const char *format, ...)
{
    char text[sizeof w.check_report];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!w.judging) sim_fail("%s", text);
    if (w.check_report[0] == 0) memcpy(w.check_report, text, sizeof text);
}

/* E1 and E2, at every entry in the ledger. */
static void check_times(void)
{
    uint64_t floor = w.place.epoch.state->floor, clock = w.place.epoch.state->clock;
    if (floor > clock || floor < w.last_floor || clock < w.last_clock)
        complain("E2: the floor went from %llu to %llu, the clock from %llu to %llu", (unsigned long long)w.last_floor,
                 (unsigned long long)floor, (unsigned long long)w.last_clock, (unsigned long long)clock);
    for (unsigned i = 0; i < w.agents; i++)
        if (w.stamp[i] < floor)
            complain("E1: the floor is %llu, and agent %u is inside since %llu", (unsigned long long)floor, i,
                     (unsigned long long)w.stamp[i]);
    w.last_floor = floor;
    w.last_clock = clock;
}

static void move(unsigned me, uint32_t id, whereabouts from, whereabouts to)
{
    static const char *const names[] = {"nowhere", "free", "in somebody's hands", "in a cell", "retired"};
    check_times();
    if (id < FIRST_ID || id >= IDS)
        complain("agent %u gets %u, which is no node", me, id);
    else if (w.where[id] != from || (from == HELD && w.holder[id] != me))
        complain("agent %u finds node %u %s, not %s", me, id, names[w.where[id]], names[from]);
    else
        w.where[id] = to, w.holder[id] = (uint8_t)me;
}

static void check_unseen(uint32_t id)
{
    for (unsigned i = 0; i < w.agents; i++)
        if (id >= FIRST_ID && (w.found[i] >> (id - FIRST_ID) & 1))
            complain("node %u can be used again, and agent %u may look at it", id, i);
}

/* Whoever enters at `until` or later does not come upon the node: what all of this rests on. */
static void check_came_before(unsigned me, uint32_t id)
{
    bool found = w.found[me] >> (id - FIRST_ID) & 1;
    if (found && w.where[id] == RETIRED && w.until[id] != 0 && w.until[id] <= w.came[me])
        complain("agent %u entered at %llu and comes upon node %u, which was retired with %llu", me,
                 (unsigned long long)w.came[me], id, (unsigned long long)w.until[id]);
}

void ledger_finds(unsigned me, uint32_t id)
{
    if (id < FIRST_ID || id >= IDS || (w.where[id] != LINKED && w.where[id] != RETIRED)) {
        complain("agent %u comes upon node %u, which can be used again", me, id);
        return;
    }
    w.found[me] |= 1u << (id - FIRST_ID);
    check_came_before(me, id);
}

void ledger_stamped(uint32_t id, uint64_t until)
{
    w.until[id] = until;
    for (unsigned i = 0; i < w.agents; i++) check_came_before(i, id);
}

void ledger_forgets(unsigned me) { w.found[me] = 0; }

uint32_t ledger_take(unsigned me)
{
    if (w.free_count == 0) return 0;
    uint32_t id = w.free[--w.free_count];
    move(me, id, FREE, HELD);
    return id;
}

uint64_t ledger_number(void) { return FIRST_NUMBER + w.numbers++; }

void ledger_reused(unsigned me, uint32_t id)
{
    check_unseen(id);
    move(me, id, RETIRED, HELD);
}

void ledger_links(unsigned me, uint32_t id) { move(me, id, HELD, LINKED); }
void ledger_keeps(unsigned me, uint32_t id) { move(me, id, LINKED, HELD); }
void ledger_unlinked(unsigned me, uint32_t old)
{
    move(me, old, LINKED, RETIRED);
    w.until[old] = 0;
}

/* From a ring, through somebody's hands, or from the list of those that found no room. */
void ledger_freed(unsigned me, uint32_t id)
{
    bool held = id < IDS && w.where[id] == HELD;
    check_unseen(id);
    move(me, id, held ? HELD : RETIRED, FREE);
    if (w.free_count == w.nodes)
        complain("more nodes are free than there are");
    else
        w.free[w.free_count++] = id;
}

void ledger_entered(unsigned me, uint64_t stamp)
{
    w.stamp[me] = w.came[me] = stamp;
    check_times();
}

void ledger_leaves(unsigned me)
{
    check_times();
    w.stamp[me] = UINT64_MAX;
}

/* Table n has room for 2^n pins, and the last one for those of all agents. */
uint64_t *ledger_table(void) { return w.tables < TABLES ? w.table[w.tables++] : NULL; }

uint64_t ledger_room(const uint64_t *table)
{
    unsigned at = 0;
    while (at < TABLES - 1 && w.table[at] != table) at++;
    return (uint64_t)1 << at;
}

/* ---- scenarios ---- */

/* Two agents: w writes, r reads, p reads with a pin, s scans, b takes back what was spilled. */
static const struct {
    unsigned slots, ring, nodes; /* one of the nodes is in the cell */
    const char *part[3]; /* the third is nobody's */
} tiny_cases[] = {
    {2, 2, 2, {"r", "wssw"}},  /* a node comes back under a reader's eyes, or not yet */
    {2, 2, 2, {"p", "wssw"}},  /* the same for a pin */
    {1, 2, 3, {"ww", "ww"}},   /* a slot and a ring in turns */
    {2, 1, 3, {"wssww", "b"}}, /* no room in the ring */
    {2, 2, 2, {"p", "p"}},     /* no room in the table of pins */
    {3, 2, 2, {"wsw", "sr"}},  /* two scan */
};

static void lay_out(unsigned slots, unsigned ring)
{
    epoch *e = &w.place.epoch;
    *e = (epoch){.state = sim_reserve(sizeof *e->state), .slots = slots, .ring = ring};
    e->announce = sim_reserve(MOST_SLOTS * MOST_LINE_WORDS * 8);
    e->home = sim_reserve(MOST_SLOTS * sizeof e->home[0]);
    e->rings = sim_reserve(MOST_SLOTS * MOST_RING * sizeof e->rings[0]);
    w.place.cells = sim_reserve(MOST_CELLS * 8);
    w.place.spilled = sim_reserve(8);
    w.place.aside = sim_reserve(IDS * sizeof w.place.aside[0]);
    for (unsigned i = 0; i < TABLES; i++) w.table[i] = sim_reserve(((size_t)EPOCH_PIN_WORDS << i) * 8);
    w.place.nodes = sim_reserve((size_t)IDS * EPOCH_NODE_BYTES);
    sim_nodes(w.place.nodes, EPOCH_NODE_BYTES, IDS);
    epoch_begin(e->state);
    e->state->clock = e->state->floor = w.last_clock = w.last_floor = FIRST_STAMP;
    for (unsigned i = 0; i < slots; i++) e->home[i].head = e->home[i].tail = FIRST_PLACE;
}

/* A node in each cell, and the others free. */
static void lay_out_nodes(void)
{
    for (unsigned i = 0; i < w.nodes; i++) {
        uint32_t id = FIRST_ID + i;
        w.where[id] = i < w.cells ? LINKED : FREE;
        if (i < w.cells) {
            w.place.cells[i] = id;
            w.epoch->fill(&w.place, id, ledger_number());
        } else {
            w.free[w.free_count++] = id;
        }
    }
}

static void begin_pins(unsigned table)
{
    w.tables = table + 1;
    w.place.epoch.state->pin_table = (uint64_t)(uintptr_t)w.table[table];
    w.place.epoch.state->pin_room = ledger_room(w.table[table]);
}

/* Anybody does anything; or some read, and the others see to it that nodes are used again as soon as they may be. */
static void draw_parts(void)
{
    static const char *const anything[] = {"wwwwwrrrppsssssb", "wwwrrsss", "wwwppsss", "wwwsssb"};
    static const char *const readers[] = {"r", "p", "p"}, *const writers[] = {"w", "ws", "wss"},
                      *const scanners[] = {"s", "sb", "b"};
    w.in_turn = sim_draw(3) > 0;
    w.part[0] = w.part[1] = w.part[2] = anything[sim_draw(sizeof anything / sizeof anything[0])];
    if (!w.in_turn) return;
    w.part[0] = readers[sim_draw(3)];
    w.part[2] = scanners[sim_draw(3)];
    bool scanned = w.agents > 2 && w.part[2][0] == 's'; /* by others than writers */
    w.part[1] = writers[scanned ? sim_draw(3) : 1 + sim_draw(2)];
}

static unsigned prepare(unsigned variant, int tiny)
{
    w = (world){.epoch = variants[variant], .ticking = true};
    memset(w.stamp, 0xff, sizeof w.stamp);
    if (tiny >= 0) {
        w.agents = 2;
        w.cells = 1;
        w.nodes = tiny_cases[tiny].nodes;
        memcpy(w.part, tiny_cases[tiny].part, sizeof w.part);
        w.tiny = true;
        lay_out(tiny_cases[tiny].slots, tiny_cases[tiny].ring);
        lay_out_nodes();
        begin_pins(0);
        return w.agents;
    }
    w.agents = 2 + (unsigned)sim_draw(sim_draw(4) ? 3 : MOST_AGENTS - 1);
    w.steps = 2 + (unsigned)sim_draw(12);
    w.cells = sim_draw(2) ? 1 : 1 + (unsigned)sim_draw(MOST_CELLS);
    w.nodes = w.cells + 1 + (unsigned)sim_draw(sim_draw(3) ? 2 : MOST_NODES - w.cells);
    w.scan_slots = sim_draw(2) ? MOST_SLOTS : 0;
    w.passes = sim_draw(2) ? 0 : (unsigned)sim_draw(100);
    w.ticking = w.passes == 0 || sim_draw(2);
    draw_parts();
    if (sim_draw(2)) sim_without_fences();
    lay_out(1 + (unsigned)sim_draw(MOST_SLOTS), 1 + (unsigned)sim_draw(MOST_RING));
    lay_out_nodes();
    begin_pins((unsigned)sim_draw(3));
    return w.agents;
}

static void do_visit(char what, const epoch_visit *v)
{
    switch (what) {
    case 'w': w.epoch->write(&w.place, v); break;
    case 'r': w.epoch->read(&w.place, v); break;
    case 'p': w.epoch->read_pinned(&w.place, v); break;
    case 's': w.epoch->scan(&w.place, v); break;
    default: w.epoch->take_back(&w.place, v); break;
    }
    check_times();
}

static void agent(unsigned me)
{
    const char *part = w.part[me % 3];
    epoch_visit v = {.me = me, .slots = MOST_SLOTS, .ticking = w.ticking};
    for (unsigned i = 0; w.tiny && part[i]; i++) {
        v.times = part[i] == 'w' ? 1 : 2;
        v.pauses = v.times - 1; /* to let the writer go on, without a preemption */
        do_visit(part[i], &v);
    }
    for (unsigned i = 0; i < w.steps; i++) {
        v.cell = (unsigned)sim_draw(w.cells);
        v.other_cell = (unsigned)sim_draw(w.cells);
        v.times = 1 + (unsigned)sim_draw(sim_draw(3) ? 2 : 5);
        v.pauses = sim_draw(3) ? 0 : (unsigned)sim_draw(4);
        v.slots = w.scan_slots ? w.scan_slots : 1 + (unsigned)sim_draw(MOST_SLOTS);
        v.passes = sim_draw_chance(w.passes);
        v.looks = sim_draw(2);
        do_visit(part[(w.in_turn ? i : sim_draw(256)) % strlen(part)], &v);
    }
}

/* ---- judging ---- */

/* Who has left has left nothing behind. */
static void check_quiet(void)
{
    const epoch_state *s = w.place.epoch.state;
    for (unsigned i = 0; i < w.place.epoch.slots; i++)
        if (w.place.epoch.announce[(size_t)i * w.epoch->line_words] != EPOCH_FREE) complain("slot %u is taken", i);
    if (s->scan_latch || s->pin_latch) complain("a latch is held, and nobody is there");
    if (s->pins || s->pins_end || s->pins_oldest != UINT64_MAX)
        complain("%llu pins from %llu to before %llu, and nobody is there", (unsigned long long)s->pins,
                 (unsigned long long)s->pins_oldest, (unsigned long long)s->pins_end);
}

/* Every node is in the one place where it should be: all that was retired has become free. */
static void check_nodes(void)
{
    unsigned linked = 0, free = 0;
    for (uint32_t id = FIRST_ID; id < FIRST_ID + w.nodes; id++) {
        linked += w.where[id] == LINKED;
        free += w.where[id] == FREE;
    }
    for (unsigned i = 0; i < w.cells; i++) {
        uint64_t id = w.place.cells[i];
        if (id >= IDS || w.where[id] != LINKED) complain("cell %u has node %llu", i, (unsigned long long)id);
    }
    if (linked != w.cells || free != w.nodes - w.cells)
        complain("%u nodes are in %u cells and %u free, of %u", linked, w.cells, free, w.nodes);
}

static bool judge(char *why, size_t size, sim_checked *checked)
{
    epoch_visit v = {.me = JUDGE, .times = 1};
    (void)checked; /* answers are judged as they come */
    w.judging = true;
    check_quiet();
    if (w.check_report[0] == 0) w.epoch->settle(&w.place, &v);
    check_times();
    check_nodes();
    snprintf(why, size, "%s", w.check_report);
    return w.check_report[0] == 0;
}

/* ---- names of words, for traces ---- */

const char *epoch_word_name(size_t offset)
{
    static const struct {
        size_t offset;
        const char *name;
    } known[] = {{offsetof(epoch_state, clock), "clock"},
                 {offsetof(epoch_state, floor), "floor"},
                 {offsetof(epoch_state, pins_end), "end of pins"},
                 {offsetof(epoch_state, pins_oldest), "oldest pin"},
                 {offsetof(epoch_state, claimed), "claimed"},
                 {offsetof(epoch_state, scan_latch), "latch of the scan"},
                 {offsetof(epoch_state, scan_next), "next slot of the scan"},
                 {offsetof(epoch_state, scan_clock), "clock of the scan"},
                 {offsetof(epoch_state, scan_least), "least of the scan"},
                 {offsetof(epoch_state, pin_latch), "latch of pins"},
                 {offsetof(epoch_state, pins), "pins"},
                 {offsetof(epoch_state, pin_room), "room for pins"},
                 {offsetof(epoch_state, pins_used), "entries for pins"},
                 {offsetof(epoch_state, pin_table), "table of pins"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].offset == offset) return known[i].name;
    return "reserved";
}

/* Is the word one of these? Then `at` is its number there. */
static bool is_within(uint32_t word, const void *part, size_t bytes, size_t *at)
{
    size_t from = (size_t)((const uint64_t *)part - (const uint64_t *)w.place.epoch.state);
    *at = word - from;
    return word >= from && *at < bytes / 8;
}

static void describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    /* An address is another one in every run; its distance in memory is not. */
    if (word * 8u == offsetof(epoch_state, pin_table)) value -= (uint64_t)(uintptr_t)w.place.epoch.state;
    const epoch *e = &w.place.epoch;
    unsigned long long v = value;
    size_t at;
    if (is_within(word, e->state, sizeof *e->state, &at))
        snprintf(text, size, "%s = %llu", epoch_word_name(at * 8), v);
    else if (is_within(word, e->announce, MOST_SLOTS * MOST_LINE_WORDS * 8, &at))
        snprintf(text, size, "slot %zu = %s %llu", at / w.epoch->line_words,
                 value == EPOCH_FREE ? "free" : value == EPOCH_OUT ? "out" : "in", v < EPOCH_IN ? 0 : v - EPOCH_IN);
    else if (is_within(word, e->home, MOST_SLOTS * sizeof e->home[0], &at))
        snprintf(text, size, "%s of ring %zu = %llu", at % 4 ? "tail" : "head", at / 4, v);
    else if (is_within(word, e->rings, MOST_SLOTS * MOST_RING * sizeof e->rings[0], &at))
        snprintf(text, size, "ring %zu, entry %zu: %s = %llu", at / 2 / e->ring, at / 2 % e->ring,
                 at % 2 ? "id" : "until", v);
    else if (is_within(word, w.place.cells, MOST_CELLS * 8, &at))
        snprintf(text, size, "cell %zu = node %llu", at, v);
    else if (is_within(word, w.place.spilled, 8, &at))
        snprintf(text, size, "first spilled = node %llu", v);
    else if (is_within(word, w.place.aside, IDS * sizeof w.place.aside[0], &at))
        snprintf(text, size, "node %zu, spilled: %s = %llu", at / 2, at % 2 ? "next" : "until", v);
    else if (is_within(word, w.place.nodes, (size_t)IDS * EPOCH_NODE_BYTES, &at))
        snprintf(text, size, "node %zu word %zu = %llx", at / EPOCH_NODE_WORDS, at % EPOCH_NODE_WORDS, v);
    else
        snprintf(text, size, "a table of pins, word %u = %llu", word, v);
}

static bool is_latched(uint32_t word, uint64_t value)
{
    size_t offset = word * 8u;
    return value != 0 && (offset == offsetof(epoch_state, scan_latch) || offset == offsetof(epoch_state, pin_latch));
}

const sim_structure sim_epoch = {"epoch", variant_names, sizeof tiny_cases / sizeof tiny_cases[0], prepare, agent,
                                 judge, NULL, describe, is_latched, NULL};
