/* verify/sim/schedule.c - who goes next. An agent is asked at every access that it is about to make; one that pauses
 * because a latch is held lets the others go first under every strategy. */
#include "machine.h"

const char *const sim_strategy_names[SIM_STRATEGIES + 1] = {"random", "pct", "delay", "exhaustive", NULL};

void schedule_begin(sim_machine *m)
{
    static const unsigned switch_chances[] = {256, 128, 48, 16, 6};
    m->switch_chance = switch_chances[choose_draw(m, 5)];
    m->lowest_priority = 0;
    m->changes_left = (unsigned)choose_draw(m, 5);
    m->next_change = 1 + choose_draw(m, m->expected_points);
    m->marked_kind = (uint8_t)choose_draw(m, POINT_PAUSE);
    const uint32_t marked_after = (uint32_t)choose_draw(m, 1 + m->expected_points / 16);
    if (m->hold_agent == NO_AGENT) m->marked_after = marked_after;
    m->turn_left = 0;
    for (unsigned i = 0; i < m->agent_count; i++) m->agents[i].priority = (int64_t)(machine_random(m) >> 16);
}

static bool may_run(const sim_machine *m, unsigned agent) { return m->agents[agent].held_until <= m->points; }

/* ---- strategies: the index of the next agent; `me` is live unless it is done ---- */

static unsigned next_random(sim_machine *m, point_kind kind, bool leaving)
{
    if (!leaving && kind != POINT_PAUSE && !choose_chance(m, m->switch_chance)) return m->me->index;
    unsigned at = (unsigned)choose_draw(m, m->live_count);
    if (kind == POINT_PAUSE && m->live[at] == m->me->index) at = (at + 1) % m->live_count;
    return m->live[at];
}

static unsigned highest_priority(const sim_machine *m)
{
    unsigned best = m->live[0];
    for (unsigned i = 1; i < m->live_count; i++)
        if (m->agents[m->live[i]].priority > m->agents[best].priority) best = m->live[i];
    return best;
}

static unsigned next_pct(sim_machine *m, point_kind kind, bool leaving)
{
    if (!leaving && kind != POINT_PAUSE) {
        if (m->changes_left == 0 || m->points < m->next_change) return m->me->index;
        m->changes_left--;
        m->next_change = m->points + 1 + choose_draw(m, m->expected_points);
    }
    if (!leaving) m->me->priority = --m->lowest_priority;
    return highest_priority(m);
}

/* The first live agent after `me` in the order of their numbers that is not held back. */
static unsigned next_in_turn(const sim_machine *m)
{
    unsigned best = MAX_AGENTS, wrapped = MAX_AGENTS;
    for (unsigned i = 0; i < m->live_count; i++) {
        unsigned agent = m->live[i];
        if (!may_run(m, agent)) continue;
        if (agent > m->me->index && agent < best) best = agent;
        if (agent < wrapped) wrapped = agent;
    }
    if (best < MAX_AGENTS) return best;
    return wrapped < MAX_AGENTS ? wrapped : m->live[0]; /* all are held: the first of them need not be any longer */
}

/* The calling agent's last access is one of those after which an agent is held back. */
static bool is_marked(const sim_machine *m)
{
    if (m->hold_agent == NO_AGENT) return m->me->last_kind == m->marked_kind;
    return m->me->index == m->hold_agent && m->me->last_word == m->hold_word && m->me->last_kind < POINT_BEGIN;
}

static bool is_store(unsigned kind)
{
    return kind == POINT_STORE || kind == POINT_STORE_RELEASE || kind == POINT_ADD || kind == POINT_SWAP;
}

/* The stores are done for which sim_hold's agent waits: it goes on at once. */
static bool ends_hold(sim_machine *m)
{
    if (m->hold_agent == NO_AGENT || m->agents[m->hold_agent].done || may_run(m, m->hold_agent)) return false;
    if (m->me->last_word != m->hold_until || !is_store(m->me->last_kind) || --m->hold_stores > 0) return false;
    m->agents[m->hold_agent].held_until = 0;
    return true;
}

static unsigned next_delay(sim_machine *m, point_kind kind, bool leaving)
{
    bool held = false;
    if (!leaving && ends_hold(m)) return m->hold_agent;
    if (!leaving && is_marked(m) && m->marked_after-- == 0) {
        m->hold_pending = false;
        m->me->held_until = m->points + 50 + choose_draw(m, 8 * m->expected_points);
        held = true;
    }
    if (m->hold_pending && !m->agents[m->hold_agent].done && kind != POINT_PAUSE) return m->hold_agent;
    if (!leaving && !held && kind != POINT_PAUSE && m->turn_left > 0) {
        m->turn_left--;
        return m->me->index;
    }
    m->turn_left = (unsigned)choose_draw(m, 2) ? 0 : (unsigned)choose_draw(m, 40);
    return next_in_turn(m);
}

static unsigned next_exhaustive(sim_machine *m, point_kind kind, bool leaving)
{
    unsigned others[MAX_AGENTS], count = 0;
    bool stays = !leaving && kind != POINT_PAUSE;
    if (stays) others[count++] = m->me->index;
    for (unsigned i = 0; i < m->live_count; i++)
        if (m->live[i] != m->me->index) others[count++] = m->live[i];
    if (count == 0) return m->me->index;
    return others[choose_option(m, count, stays ? COST_PREEMPTION : COST_NONE)];
}

static unsigned next_agent(sim_machine *m, point_kind kind, bool leaving)
{
    if (m->hold_agent != NO_AGENT) return next_delay(m, kind, leaving);
    switch (m->strategy) {
    case SIM_PCT: return next_pct(m, kind, leaving);
    case SIM_DELAY: return next_delay(m, kind, leaving);
    case SIM_EXHAUSTIVE: return next_exhaustive(m, kind, leaving);
    default: return next_random(m, kind, leaving);
    }
}

static bool is_live(const sim_machine *m, unsigned agent)
{
    return agent < m->agent_count && !m->agents[agent].done;
}

/* Who goes on while the soloist stands between two operations. */
static unsigned next_of_others(const sim_machine *m)
{
    if (m->solo_displaced != m->soloist && is_live(m, m->solo_displaced)) return m->solo_displaced;
    unsigned at = m->live[0] == m->soloist && m->live_count > 1;
    return m->live[at];
}

static unsigned next_beside_soloist(sim_machine *m, point_kind kind)
{
    if (m->me->index != m->soloist) {
        m->solo_displaced = next_agent(m, kind, false);
        bool now = is_live(m, m->soloist) && choose_chance(m, m->solo_chance);
        return now ? m->soloist : m->solo_displaced;
    }
    if (m->solo_inside && m->points - m->solo_since > m->solo_budget)
        sim_fail("agent %u's operation has not ended within %u accesses while the others stood still", m->soloist,
                 m->solo_budget);
    return !m->solo_inside && (kind == POINT_BEGIN || kind == POINT_PAUSE) ? next_of_others(m) : m->soloist;
}

/* From when it is let into its operation to the end of that. */
static void note_soloist(sim_machine *m, point_kind kind)
{
    if (m->me->index != m->soloist || (kind != POINT_BEGIN && kind != POINT_END)) return;
    m->solo_inside = kind == POINT_BEGIN;
    m->solo_since = m->points;
}

static void jump_to(sim_machine *m, unsigned next)
{
    sim_agent *me = m->me;
    if (next == me->index) return;
    m->me = &m->agents[next];
    fiber_jump(&me->fiber, &m->me->fiber);
}

void schedule_point(sim_machine *m, point_kind kind, uint32_t word)
{
    sim_agent *me = m->me;
    m->points++;
    if (m->points - m->progress_at > m->budget)
        sim_fail("no operation has ended within %llu accesses", (unsigned long long)m->budget);
    memory_maybe_drain_one(m);
    unsigned next = m->soloist == NO_AGENT ? next_agent(m, kind, false) : next_beside_soloist(m, kind);
    me->last_kind = (uint8_t)kind;
    me->last_word = word;
    jump_to(m, next);
    if (m->soloist != NO_AGENT) note_soloist(m, kind);
}

void schedule_leave(sim_machine *m)
{
    sim_agent *me = m->me;
    me->done = true;
    unsigned at = 0;
    while (m->live[at] != me->index) at++;
    m->live[at] = m->live[--m->live_count];
    if (m->live_count == 0) fiber_leave(&me->fiber, &m->main);
    m->points++;
    m->me = &m->agents[next_agent(m, POINT_END, true)];
    fiber_leave(&me->fiber, &m->me->fiber);
}
