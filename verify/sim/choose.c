/* verify/sim/choose.c - where decisions come from: drawn, or, for the exhaustive strategy, the next list of decisions.
 *
 * The exhaustive strategy is a depth-first search over lists. Option 0 of each decision is the ordinary one (go on, see
 * the newest value, store at once); any other costs a preemption or a weakness, and a list may spend only so many. */
#include "machine.h"

uint64_t choose_draw(sim_machine *m, uint64_t bound)
{
    return (machine_random(m) >> 32) * bound >> 32; /* bounds are small */
}

uint64_t sim_draw(uint64_t bound) { return choose_draw(sim_now_running, bound); }
bool sim_draw_chance(unsigned percent) { return sim_draw(100) < percent; }
bool sim_delays(void) { return sim_now_running->strategy == SIM_DELAY; }

static bool affordable(const choices *c, unsigned cost, unsigned preemptions, unsigned weakness)
{
    if (cost == COST_PREEMPTION) return preemptions < c->most_preemptions;
    if (cost == COST_WEAKNESS) return weakness < c->most_weakness;
    return true;
}

unsigned choose_option(sim_machine *m, unsigned options, choice_cost cost)
{
    choices *c = m->exhaustive;
    if (options < 2 || !affordable(c, cost, c->preemptions, c->weakness)) return 0;
    if (c->depth == MAX_CHOICES) sim_fail("a tiny case with more than %d decisions", MAX_CHOICES);
    unsigned at = c->depth++;
    if (at == c->length) {
        c->length++;
        c->at[at].taken = 0;
        c->at[at].options = (uint8_t)options;
        c->at[at].cost = (uint8_t)cost;
        c->at[at].preemptions = (uint8_t)c->preemptions;
        c->at[at].weakness = (uint8_t)c->weakness;
    }
    unsigned taken = c->at[at].taken;
    if (taken && cost == COST_PREEMPTION) c->preemptions++;
    if (taken && cost == COST_WEAKNESS) c->weakness++;
    return taken;
}

void choices_restart(choices *c)
{
    c->depth = 0;
    c->preemptions = 0;
    c->weakness = 0;
}

bool choices_next(choices *c)
{
    while (c->length > 0) {
        unsigned last = c->length - 1;
        if (c->at[last].taken + 1 < c->at[last].options) {
            c->at[last].taken++;
            return true;
        }
        c->length--;
    }
    return false;
}
