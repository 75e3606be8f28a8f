/* verify/sim/machine.c - one schedule from beginning to end. */
#include "machine.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Thread_local sim_machine *sim_now_running;

static bool create_parts(sim_machine *m)
{
    m->memory = aligned_alloc(64, MAX_WORDS * sizeof m->memory[0]);
    m->cell_of = calloc(MAX_WORDS, sizeof m->cell_of[0]);
    m->cells = calloc(MAX_CELLS, sizeof m->cells[0]);
    m->seen = calloc((size_t)MAX_CELLS * MAX_AGENTS, sizeof m->seen[0]);
    m->agents = calloc(MAX_AGENTS, sizeof m->agents[0]);
    if (!m->memory || !m->cell_of || !m->cells || !m->seen || !m->agents) return false;
    memset(m->memory, 0, MAX_WORDS * sizeof m->memory[0]);
    for (unsigned i = 0; i < MULTIPROCESSORS; i++)
        if (!(m->l1[i] = calloc(MAX_WORDS / SECTOR_WORDS, sizeof(sector)))) return false;
    for (unsigned i = 0; i < MAX_AGENTS; i++) {
        m->agents[i].index = i;
        if (!fiber_create(&m->agents[i].fiber, STACK_BYTES)) return false;
    }
    return true;
}

sim_machine *machine_create(void)
{
    sim_machine *m = calloc(1, sizeof *m);
    if (m && create_parts(m)) return m;
    machine_destroy(m);
    return NULL;
}

void machine_destroy(sim_machine *m)
{
    if (!m) return;
    for (unsigned i = 0; m->agents && i < MAX_AGENTS; i++) fiber_destroy(&m->agents[i].fiber);
    for (unsigned i = 0; i < MULTIPROCESSORS; i++) free(m->l1[i]);
    free(m->agents);
    free(m->seen);
    free(m->cells);
    free(m->cell_of);
    free(m->memory);
    free(m);
}

void sim_fail(const char *format, ...)
{
    sim_machine *m = sim_now_running;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->failure, sizeof m->failure, format, arguments);
    va_end(arguments);
    if (m->running) promise_await(m);
    if (m->running) fiber_leave(&m->me->fiber, &m->main);
    fprintf(stderr, "simulator: %s\n", m->failure);
    abort();
}

void sim_expect(uint64_t accesses) { sim_now_running->expected_points = accesses; }
void sim_multiprocessors(unsigned count) { sim_now_running->multiprocessors = count; }
bool sim_alone(void) { return sim_now_running->live_count == 1; }
unsigned sim_who(void) { return sim_now_running->me->index; }

void sim_solo(unsigned agent, unsigned budget, unsigned of_256)
{
    sim_machine *m = sim_now_running;
    m->soloist = agent;
    m->solo_budget = budget;
    m->solo_chance = of_256;
}

void sim_hold(unsigned agent, const uint64_t *word, unsigned times, const uint64_t *until, unsigned stores)
{
    sim_machine *m = sim_now_running;
    m->hold_agent = agent;
    m->hold_word = (uint32_t)(word - m->memory);
    m->marked_after = times - 1;
    m->hold_until = (uint32_t)(until - m->memory);
    m->hold_stores = stores;
    m->hold_pending = true;
}

void sim_without_fences(void) { sim_now_running->without_fences = true; }

uint64_t sim_operation_begin(void)
{
    sim_machine *m = sim_now_running;
    schedule_point(m, POINT_BEGIN, 0);
    if (!m->without_fences) promise_order(m);
    if (!m->without_fences) m->me->floor = m->now;
    trace_access(m, POINT_BEGIN, 0, 0, 0);
    return m->points;
}

uint64_t sim_operation_end(unsigned operations)
{
    sim_machine *m = sim_now_running;
    if (!m->without_fences) promise_order(m);
    if (!m->without_fences) memory_drain(m);
    schedule_point(m, POINT_END, 0);
    m->operations += operations;
    m->progress_at = m->points;
    m->me->waiting = false;
    trace_access(m, POINT_END, 0, 0, 0);
    return m->points;
}

uint64_t sim_stamp(void) { return sim_now_running->points; }
void sim_progress(void) { sim_now_running->progress_at = sim_now_running->points; }

void sim_look(bool looking)
{
    if (looking) promise_order(sim_now_running);
    if (looking) memory_drain(sim_now_running);
    sim_now_running->running = !looking;
}

static void agent_entry(void)
{
    sim_machine *m = sim_now_running;
    m->structure->agent(m->me->index);
    promise_order(m);
    memory_drain(m);
    schedule_leave(m);
}

static void agent_begin(sim_machine *m, unsigned index)
{
    sim_agent *a = &m->agents[index];
    a->multiprocessor = index % m->multiprocessors;
    a->done = false;
    a->waiting = a->allocating = false;
    a->floor = a->latest = m->now;
    a->sequential = 0;
    a->buffered = a->fences = a->compiler_fences = 0;
    memset(a->told, 0, m->nodes * sizeof a->told[0]);
    memset(a->followed, 0, m->nodes * sizeof a->followed[0]);
    a->held_until = 0;
    a->accesses = 0;
    promise_forget(a);
    a->last_kind = POINT_BEGIN;
    a->events = 0;
    fiber_aim(&a->fiber, agent_entry);
    m->live[index] = (uint16_t)index;
}

/* How weak the memory is in this schedule. Often it is not at all, so that all the variety is in the interleaving. */
static void draw_weakness(sim_machine *m)
{
    static const unsigned chances[] = {0, 0, 4, 12, 48, 128};
    m->early_loads = chances[choose_draw(m, 6)];
    m->late_stores = chances[choose_draw(m, 6)];
    m->drains = chances[2 + choose_draw(m, 4)]; /* never 0: a store is performed some day, whatever its agent does */
}

bool machine_run(sim_machine *m, const sim_structure *structure, unsigned variant, int tiny, sim_checked *checked)
{
    sim_now_running = m;
    m->structure = structure;
    m->running = m->without_fences = false;
    m->failure[0] = m->failure_later[0] = 0;
    m->points = m->progress_at = 0;
    m->expected_points = 0;
    m->multiprocessors = MULTIPROCESSORS;
    m->soloist = m->solo_displaced = m->hold_agent = NO_AGENT;
    m->hold_pending = false;
    m->solo_inside = false;
    memory_reset(m);
    if (m->exhaustive) choices_restart(m->exhaustive);
    m->agent_count = m->live_count = structure->prepare(variant, tiny);
    m->budget = 60000 + 2000 * (uint64_t)m->agent_count;
    if (m->expected_points == 0) m->expected_points = 100 * (uint64_t)m->agent_count;
    for (unsigned i = 0; i < m->agent_count; i++) agent_begin(m, i);
    draw_weakness(m);
    schedule_begin(m);
    m->running = true;
    m->me = &m->agents[m->exhaustive ? 0 : choose_draw(m, m->agent_count)];
    fiber_jump(&m->main, &m->me->fiber);
    m->running = false;
    if (m->late == LATE_BROKEN) return true;
    if (m->failure[0]) return m->late == LATE_MADE; /* the promise might never have been kept */
    return structure->judge(m->failure, sizeof m->failure, checked);
}
