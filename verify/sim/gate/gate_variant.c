/* verify/sim/gate/gate_variant.c - the gate's own source, and agents that go in and out.
 *
 * Each shared agent stores to words of its own while inside, and so do those that may be beside a batch; an exclusive
 * agent must find there all that was stored by those whom it keeps out, though with the weakest loads. It stores to one
 * more word, where each agent that comes after it, exclusive or shared, must find that. Who is inside,
 * and who waits since when, is kept beside the simulated memory, where nothing is weak: whoever waited when an
 * exclusive agent asked must have been let in before it, but for shared agents that wait for the first time.
 */
static void note_waiting(void);
#define SIM_GATE_WAITS note_waiting

#include "gate_sim.h"

#include "../../../src/sync/gate.c"

enum { MOST_AGENTS = 12, EACH = 3, OF_EXCLUSIVE = MOST_AGENTS * EACH, WORDS = OF_EXCLUSIVE + 1 };

static const char *const variant_names[] = {"cpu", NULL};

typedef enum wish { SHARED, BESIDE, EXCLUSIVE, VIEW } wish;

typedef struct world {
    gate *gate;
    uint64_t *words; /* EACH for each agent, and one that exclusive agents store to */
    unsigned agents, rounds, slots, owners;
    uint8_t exclusive_percent, view_percent;
    unsigned shared_inside, beside_inside, exclusive_inside, batch_inside, views, views_closed;
    uint64_t stored[MOST_AGENTS], stored_alone;
    bool beside[MOST_AGENTS]; /* the agent is one of those that may be beside a batch */
    unsigned clock;           /* counts who asks, and who begins to wait */
    struct {
        wish wish;
        unsigned waits_since; /* by the clock; 0: it does not, or may be overtaken */
        unsigned sleeps;
    } asking[MOST_AGENTS];
    bool tiny;
} world;

static _Thread_local world w;

/* From both ends of the slots in turns, so that the first and the last one are used. The first agents own theirs, if
 * any do; the others share the same slots. */
unsigned sim_gate_thread_number(void)
{
    const unsigned me = sim_who(), number = me < w.owners ? me : me % w.slots;
    const unsigned slot = number % 2 ? GATE_SLOTS - 1 - number / 2 : number / 2;
    return me < w.owners ? slot : GATE_SLOTS + slot;
}

/* Without membarrier no agent owns a slot, and nothing happens here. */
void sim_gate_barrier(void)
{
    if (w.owners > 0) sim_barrier();
}

static unsigned prepare(unsigned variant, int tiny)
{
    (void)variant;
    w = (world){.gate = sim_reserve(sizeof(gate)), .tiny = tiny >= 0};
    w.words = sim_reserve(WORDS * sizeof *w.words);
    w.agents = w.tiny ? 2 : 2 + (unsigned)sim_draw(MOST_AGENTS - 1);
    w.rounds = w.tiny ? 1 : 1 + (unsigned)sim_draw(4);
    w.slots = 1 + (w.tiny ? 1 : (unsigned)sim_draw(4));
    w.owners = w.tiny ? (unsigned)tiny : sim_draw(4) ? (unsigned)sim_draw(w.agents + 1) : 0;
    w.exclusive_percent = (uint8_t)(20 + sim_draw(50));
    w.view_percent = sim_draw(3) ? 0 : 20;
    for (unsigned i = 0; i < w.agents && !w.tiny; i++) w.beside[i] = sim_draw(3) == 0;
    gate_init(w.gate);
    return w.agents;
}

static unsigned begin_asking(unsigned me, wish wish)
{
    w.asking[me].wish = wish;
    return ++w.clock;
}

/* A shared call may be sent to look again after its first wait; the second one is the last. */
static void note_waiting(void)
{
    const unsigned me = sim_who(), sleeps = ++w.asking[me].sleeps;
    const bool shared = w.asking[me].wish != EXCLUSIVE;
    if (shared && sleeps > 2) sim_fail("agent %u waits at the gate for the third time", me);
    if (shared && sleeps == 1) return;
    unsigned *since = &w.asking[me].waits_since;
    if (*since == 0) *since = ++w.clock; /* later looks are the same waiting */
}

static void end_asking(unsigned me) { w.asking[me].waits_since = w.asking[me].sleeps = 0; }

static void look_at_exclusive(unsigned me)
{
    if (sim_load(&w.words[OF_EXCLUSIVE], __ATOMIC_RELAXED, SIM_gpu) != w.stored_alone)
        sim_fail("agent %u is inside and does not see what the last exclusive agent stored", me);
}

static void store_to_own(unsigned me)
{
    w.stored[me]++;
    for (unsigned i = 0; i < EACH; i++) sim_store(&w.words[me * EACH + i], w.stored[me], __ATOMIC_RELAXED);
}

static void go_shared(unsigned me)
{
    begin_asking(me, SHARED);
    gate_enter(w.gate);
    end_asking(me);
    if (w.exclusive_inside || w.batch_inside) sim_fail("agent %u is let in beside an exclusive one", me);
    w.shared_inside++;
    look_at_exclusive(me);
    store_to_own(me);
    w.shared_inside--;
    gate_leave(w.gate);
}

static void go_beside(unsigned me)
{
    begin_asking(me, BESIDE);
    gate_enter_snapshot(w.gate);
    end_asking(me);
    if (w.exclusive_inside) sim_fail("agent %u is let in beside an exclusive one", me);
    w.beside_inside++;
    store_to_own(me);
    w.beside_inside--;
    gate_leave_snapshot(w.gate);
}

static void look_at_all(unsigned me, bool batch)
{
    for (unsigned i = 0; i < w.agents * EACH; i++)
        if (!(batch && w.beside[i / EACH]) &&
            sim_load(&w.words[i], __ATOMIC_RELAXED, SIM_gpu) != w.stored[i / EACH])
            sim_fail("agent %u is alone inside and does not see what agent %u stored", me, i / EACH);
}

/* Some may be through, and not have come to say so: those beside a batch, which does not wait for them, and exclusive
 * agents that were refused for a view. */
static bool may_be_through(unsigned who, bool beside_batch)
{
    wish wish = w.asking[who].wish;
    return (wish == BESIDE && beside_batch) || (wish == EXCLUSIVE && w.view_percent > 0);
}

static void look_who_waits(unsigned me, unsigned asked, bool batch)
{
    for (unsigned i = 0; i < w.agents; i++) {
        unsigned since = w.asking[i].waits_since;
        if (since != 0 && since < asked && !may_be_through(i, batch))
            sim_fail("agent %u is let in before agent %u, which waited when it asked", me, i);
    }
}

static void go_exclusive(unsigned me)
{
    const bool batch = !w.tiny && sim_draw(2);
    unsigned *inside = batch ? &w.batch_inside : &w.exclusive_inside;
    const unsigned asked = begin_asking(me, EXCLUSIVE), views_closed = w.views_closed;
    const bool in = batch ? gate_enter_batch(w.gate) : gate_enter_exclusive(w.gate);
    end_asking(me);
    if (!in) {
        if (w.views == 0 && w.views_closed == views_closed) sim_fail("agent %u is refused though no view is open", me);
        return;
    }
    if (w.shared_inside || w.exclusive_inside || w.batch_inside || (!batch && w.beside_inside))
        sim_fail("agent %u is let in alone, and is not", me);
    look_who_waits(me, asked, batch);
    ++*inside;
    look_at_all(me, batch);
    look_at_exclusive(me);
    sim_store(&w.words[OF_EXCLUSIVE], ++w.stored_alone, __ATOMIC_RELAXED);
    if (w.shared_inside || (!batch && w.beside_inside))
        sim_fail("somebody came in beside agent %u, which is exclusive", me);
    --*inside;
    gate_leave_exclusive(w.gate);
}

static void go_with_view(unsigned me)
{
    w.views++; /* early and late, so that a refusal is never without reason */
    begin_asking(me, VIEW);
    gate_view_open(w.gate);
    end_asking(me);
    if (w.exclusive_inside || w.batch_inside) sim_fail("agent %u opens a view beside an exclusive agent", me);
    if (!gate_view_close(w.gate)) sim_fail("agent %u cannot close its view", me);
    w.views--;
    w.views_closed++;
}

static void agent(unsigned me)
{
    for (unsigned i = 0; i < w.rounds; i++) {
        sim_operation_begin();
        if (w.tiny ? me == 1 : sim_draw(100) < w.exclusive_percent)
            go_exclusive(me);
        else if (!w.tiny && sim_draw(100) < w.view_percent)
            go_with_view(me);
        else if (w.beside[me])
            go_beside(me);
        else
            go_shared(me);
        sim_operation_end(1);
    }
}

static bool judge(char *why, size_t size, sim_checked *checked)
{
    (void)checked; /* answers are judged as they come */
    for (unsigned i = 0; i < GATE_SLOTS; i++) {
        const gate_slot *slot = &w.gate->slot[i];
        if (slot->inside == 0 && slot->beside == 0 && slot->more_inside == 0 && slot->more_beside == 0) continue;
        snprintf(why, size, "slot %u still counts somebody", i);
        return false;
    }
    const gate *g = w.gate;
    if (!g->closed && !g->watched && !g->lock && !g->waiting && g->views == 0) return true;
    snprintf(why, size, "the gate stays closed, or watched");
    return false;
}

static void describe(uint32_t word, uint64_t value, char *text, size_t size)
{
    size_t offset = word * 8u;
    unsigned long long v = value;
    if (offset == offsetof(gate, closed))
        snprintf(text, size, "closed = %llu", v);
    else if (offset == offsetof(gate, watched))
        snprintf(text, size, "watched = %llu", v);
    else if (offset == offsetof(gate, opened))
        snprintf(text, size, "opened = %llu", v);
    else if (offset == offsetof(gate, emptied))
        snprintf(text, size, "emptied = %llu", v);
    else if (offset == offsetof(gate, lock))
        snprintf(text, size, "lock = %llu", v);
    else if (offset == offsetof(gate, views))
        snprintf(text, size, "views = %llu", v);
    else if (offset < sizeof(gate))
        snprintf(text, size, "slot %zu = %llu", (offset - offsetof(gate, slot)) / GATE_LINE, v);
    else
        snprintf(text, size, "word of agent %zu = %llu", (offset - sizeof(gate)) / 8 / EACH, v);
}

static bool is_latched(uint32_t word, uint64_t value)
{
    size_t offset = word * 8u;
    return (offset == offsetof(gate, lock) || offset == offsetof(gate, closed)) && value != 0;
}

extern const sim_structure sim_gate;
const sim_structure sim_gate = {"gate", variant_names, 2, prepare, agent, judge, NULL, describe, is_latched,
                                NULL};
