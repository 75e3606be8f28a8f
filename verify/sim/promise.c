/* verify/sim/promise.c - loads that are performed after stores behind them, as C11 and Arm allow where nothing orders
 * the two.
 *
 * The code under examination uses what a load gives at once, so a load cannot be put off. Instead the store is brought
 * forward: when the agent comes to the load, the store that it will make some accesses later is performed, others go
 * on, and only then is the load taken. Which store that is, is known from a first run of the same schedule, which is
 * the same up to this point. From then on the agent has promised the store, and must make it, with the same value and
 * before anything that orders it behind the load; if it does not, there is no such execution, and the second run is
 * abandoned without judgement. What goes wrong before the promise is kept is reported when it is kept (sim_fail_later),
 * or not at all.
 *
 * Without a dependency through an address: a load that gives a node's id stays before stores to that node. Dependencies
 * through branches and data are not known here; where the ports rely on one they say so (port_decided). A value out of
 * thin air cannot arise, because the first run has stored it without any promise. */
#include <stdio.h>
#include <string.h>

#include "machine.h"

void promise_forget(sim_agent *a) { a->recent_count = 0; }

void promise_order_of(sim_machine *m, sim_agent *other)
{
    promise_forget(other);
    if (m->late == LATE_MADE && other->index == m->promised.agent) promise_break(m);
}

/* Nothing passes this access of the agent. */
void promise_order(sim_machine *m)
{
    promise_order_of(m, m->me);
}

void promise_break(sim_machine *m)
{
    m->late = LATE_BROKEN;
    fiber_leave(&m->me->fiber, &m->main);
}

static void note(sim_agent *me, uint32_t word, bool load, uint32_t id)
{
    if (me->recent_count == RECENT) memmove(&me->recent[0], &me->recent[1], --me->recent_count * sizeof me->recent[0]);
    me->recent[me->recent_count++] = (recent_access){me->accesses, word, id, load};
}

/* Another random sequence than the schedule's, which must not change. */
static uint64_t draw_aside(sim_machine *m, uint64_t bound)
{
    sim_machine aside = {.random = m->promised.random};
    uint64_t drawn = choose_draw(&aside, bound);
    m->promised.random = aside.random;
    return drawn;
}

static bool in_node_of(const sim_machine *m, uint32_t word, uint32_t id)
{
    return word >= m->nodes_at && (word - m->nodes_at) / m->node_words == id;
}

/* A load that this store may pass: since the agent's last access to the store's own words. NULL: there is none. */
static const recent_access *passable(sim_machine *m, uint32_t word, uint32_t words)
{
    const sim_agent *me = m->me;
    unsigned first = me->recent_count, loads = 0;
    while (first > 0 && me->recent[first - 1].word - word >= words) first--;
    const uint32_t own = first > 0 ? me->recent[first - 1].access : 0; /* which may be of two words */
    const recent_access *chosen = NULL;
    for (unsigned i = first; i < me->recent_count; i++) {
        const recent_access *r = &me->recent[i];
        if (r->load && r->access != own && !in_node_of(m, word, r->id) && draw_aside(m, ++loads) == 0) chosen = r;
    }
    return chosen;
}

static void record_store(sim_machine *m, uint32_t word, uint32_t words, const uint64_t *value)
{
    const recent_access *r = passable(m, word, words);
    if (!r || draw_aside(m, ++m->promised.candidates) != 0) return;
    m->promised.agent = m->me->index;
    m->promised.access = r->access;
    m->promised.word = word;
    m->promised.words = words;
    memcpy(m->promised.value, value, words * sizeof value[0]);
}

/* The agent stands before the load: others get ahead, under every strategy. */
static void step_back(sim_machine *m, uint32_t word)
{
    sim_agent *me = m->me;
    me->priority = --m->lowest_priority;
    me->held_until = m->points + 20 + choose_draw(m, m->expected_points);
    for (uint64_t turns = 1 + choose_draw(m, (uint64_t)1 << choose_draw(m, 8)); turns > 0; turns--)
        schedule_point(m, POINT_PAUSE, word);
}

void promise_load(sim_machine *m, uint32_t word)
{
    sim_agent *me = m->me;
    if (m->late == LATE_OFF) return;
    me->accesses++;
    if (me->index == m->promised.agent && m->late == LATE_WAITING && me->accesses == m->promised.access) {
        m->late = LATE_MADE;
        memory_perform_early(m, m->promised.word, m->promised.words, m->promised.value);
        step_back(m, word);
    } else if (me->index == m->promised.agent && m->late == LATE_MADE && word - m->promised.word < m->promised.words) {
        promise_break(m); /* it would see its own store too early */
    }
}

/* A read-modify-write, or a swap that has failed: it keeps its place before stores to the same word. */
void promise_modified(sim_machine *m, uint32_t word)
{
    if (m->late == LATE_RECORDING) note(m->me, word, false, UINT32_MAX);
    if (m->late == LATE_MADE && m->me->index == m->promised.agent && word - m->promised.word < m->promised.words)
        promise_break(m);
}

/* What the load gave. */
void promise_loaded(sim_machine *m, uint32_t word, uint64_t value)
{
    if (m->late != LATE_RECORDING) return;
    uint32_t low = (uint32_t)value & 0x7fffffffu, high = (uint32_t)(value >> 32) & 0x7fffffffu;
    note(m->me, word, true, low && low < m->nodes ? low : high && high < m->nodes ? high : UINT32_MAX);
}

/* True: the store was made when it was promised. */
bool promise_store(sim_machine *m, uint32_t word, uint32_t words, const uint64_t *value)
{
    const sim_agent *me = m->me;
    if (m->late == LATE_RECORDING) {
        record_store(m, word, words, value);
        for (uint32_t i = 0; i < words; i++) note(m->me, word + i, false, 0);
    }
    if (m->late != LATE_MADE || me->index != m->promised.agent) return false;
    if (word >= m->promised.word + m->promised.words || m->promised.word >= word + words) return false;
    if (word != m->promised.word || words != m->promised.words ||
        memcmp(value, m->promised.value, words * sizeof value[0]) != 0)
        promise_break(m);
    m->late = LATE_KEPT;
    if (m->failure_later[0]) sim_fail("%s", m->failure_later);
    return true;
}

void sim_fail_later(const char *why)
{
    sim_machine *m = sim_now_running;
    if (m->late != LATE_MADE) sim_fail("%s", why);
    if (!m->failure_later[0]) snprintf(m->failure_later, sizeof m->failure_later, "%s", why);
}

/* An agent has failed in the sight of a store that another has promised: it stands still until the promise is kept, which
 * reports the failure. Returns if it was not the first one, or is the other agent's own. */
void promise_await(sim_machine *m)
{
    if (m->late != LATE_MADE || m->me->index == m->promised.agent || m->failure_later[0]) return;
    memcpy(m->failure_later, m->failure, sizeof m->failure);
    m->failure[0] = 0;
    for (;;) schedule_point(m, POINT_PAUSE, m->me->last_word); /* ends: the schedule, by the promise or its budget */
}

bool machine_run_late(sim_machine *m, const sim_structure *structure, unsigned variant, int tiny, sim_checked *checked)
{
    enum { TRIES = 2 };
    const uint64_t seed = m->random;
    m->promised.random = ~seed;
    bool good = true;
    for (unsigned i = 0; i < TRIES && good; i++) {
        m->random = seed;
        m->promised.candidates = 0;
        m->late = LATE_RECORDING;
        good = machine_run(m, structure, variant, tiny, checked);
        if (!good || m->promised.candidates == 0 || m->soloist != NO_AGENT) break;
        m->random = seed;
        m->late = LATE_WAITING;
        good = machine_run(m, structure, variant, tiny, checked);
    }
    m->late = LATE_OFF;
    return good;
}
