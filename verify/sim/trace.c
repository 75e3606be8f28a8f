/* verify/sim/trace.c - the last accesses of each agent, and who waits for whom. */
#include "machine.h"

enum { MOST_PRINTED = 12 }; /* agents */

static const char *const kind_names[POINT_KINDS] = {
    [POINT_LOAD] = "load",
    [POINT_LOAD_CACHED] = "load cached",
    [POINT_LOAD_ACQUIRE] = "load acquire",
    [POINT_STORE] = "store",
    [POINT_STORE_RELEASE] = "store release",
    [POINT_ADD] = "add",
    [POINT_SWAP] = "swap",
    [POINT_SWAP_FAILED] = "swap fails",
    [POINT_FENCE] = "fence",
    [POINT_DRAIN] = "store performed",
    [POINT_PAUSE] = "pause",
    [POINT_BEGIN] = "invoked",
    [POINT_END] = "responded",
    [POINT_PLAIN] = "plain access",
};

void trace_access(sim_machine *m, point_kind kind, uint32_t word, uint64_t value, uint32_t age)
{
    sim_agent *me = m->me;
    me->trace[me->events++ % TRACE_EVENTS] = (trace_event){m->points, value, word, age, (uint8_t)kind};
}

static void print_event(sim_machine *m, const trace_event *e, FILE *out)
{
    char text[160] = "";
    fprintf(out, "    %8llu  %-15s ", (unsigned long long)e->point, kind_names[e->kind]);
    if (e->kind < POINT_PAUSE && e->kind != POINT_FENCE) {
        m->structure->describe(e->word, e->value, text, sizeof text);
        fputs(text, out);
    }
    if (e->age) fprintf(out, "   (as it was %u stores ago)", e->age);
    fputc('\n', out);
}

static void print_agent(sim_machine *m, const sim_agent *a, unsigned events, FILE *out)
{
    uint64_t first = a->events > TRACE_EVENTS ? a->events - TRACE_EVENTS : 0;
    if (a->events - first > events) first = a->events - events;
    fprintf(out, "  agent %u, %s, its last %llu steps:\n", a->index, a->done ? "done" : "under way",
            (unsigned long long)(a->events - first));
    for (uint64_t i = first; i < a->events; i++) print_event(m, &a->trace[i % TRACE_EVENTS], out);
}

static uint64_t last_point(const sim_agent *a)
{
    return a->events ? a->trace[(a->events - 1) % TRACE_EVENTS].point : 0;
}

/* Among very many agents those that were active last. */
static bool is_worth_printing(const sim_machine *m, unsigned index)
{
    unsigned later = 0;
    for (unsigned i = 0; i < m->agent_count; i++) later += last_point(&m->agents[i]) > last_point(&m->agents[index]);
    return later < MOST_PRINTED;
}

void trace_print(sim_machine *m, unsigned events, FILE *out)
{
    for (unsigned i = 0; i < m->agent_count; i++)
        if (is_worth_printing(m, i)) print_agent(m, &m->agents[i], events, out);
    if (m->agent_count > MOST_PRINTED) fprintf(out, "  (%u agents more)\n", m->agent_count - MOST_PRINTED);
}

/* The last word that this agent has seen latched. */
static const trace_event *last_latch_seen(sim_machine *m, const sim_agent *a)
{
    for (uint64_t i = a->events; i > 0 && i + TRACE_EVENTS > a->events; i--) {
        const trace_event *e = &a->trace[(i - 1) % TRACE_EVENTS];
        bool loaded = e->kind <= POINT_LOAD_ACQUIRE || e->kind == POINT_SWAP_FAILED;
        if (loaded && m->structure->is_latched(e->word, e->value)) return e;
    }
    return NULL;
}

void trace_print_waits(sim_machine *m, FILE *out)
{
    for (unsigned i = 0; i < m->agent_count; i++) {
        const sim_agent *a = &m->agents[i];
        const trace_event *e = a->done || !a->waiting ? NULL : last_latch_seen(m, a);
        if (!e) continue;
        char text[160] = "";
        m->structure->describe(e->word, m->memory[e->word], text, sizeof text);
        fprintf(out, "  agent %u waits at %s", a->index, text);
        if (m->cell_of[e->word]) fprintf(out, ", last stored to by agent %u", m->cells[m->cell_of[e->word]].writer);
        fputc('\n', out);
    }
}
