#include "campaign.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "epoch/epoch_sim.h"
#include "graph/graph_sim.h"
#include "hash/hash_sim.h"
#include "machine.h"
#include "map/map_sim.h"
#include "pool/pool_sim.h"
#include "skiplist/skiplist_sim.h"
#include "team/team_sim.h"

extern const sim_structure sim_gate;
const sim_structure *const sim_structures[] = {&sim_map,  &sim_versioned, &sim_skiplist, &sim_hash, &sim_graph,
                                               &sim_pool, &sim_gate,      &sim_epoch,    &sim_team, NULL};

enum { SCHEDULES_PER_REPORT = 4096, DRAWN_STRATEGIES = SIM_EXHAUSTIVE };

/* What one schedule is; its id says the same in text. */
typedef struct schedule {
    const sim_structure *structure;
    unsigned variant;
    sim_strategy strategy;
    uint64_t seed; /* drawn strategies */
    int tiny;      /* exhaustive: the case, and its decisions in the machine's list */
} schedule;

typedef struct campaign {
    const sim_plan *plan;
    sim_totals *totals;
    FILE *out;
    pthread_mutex_t lock; /* of totals and out */
    atomic_bool over;
    atomic_bool no_memory;
} campaign;

typedef struct worker {
    campaign *campaign;
    unsigned index;
    sim_machine *machine;
    pthread_t thread;
    bool started;
} worker;

int sim_structure_named(const char *name)
{
    for (int i = 0; sim_structures[i]; i++)
        if (strcmp(sim_structures[i]->name, name) == 0) return i;
    return SIM_ANY;
}

static unsigned count_variants(const sim_structure *s)
{
    unsigned count = 0;
    while (s->variants[count]) count++;
    return count;
}

static int variant_named(const sim_structure *s, const char *name)
{
    for (int i = 0; s->variants[i]; i++)
        if (strcmp(s->variants[i], name) == 0) return i;
    return SIM_ANY;
}

bool sim_has_variant(const sim_structure *structure, const char *variant)
{
    return variant_named(structure, variant) != SIM_ANY;
}

/* ---- ids: "map:cuda32:pct:00c0ffee00c0ffee", or "map:cuda32:exhaustive:3:2.1:17=1,40=1" ---- */

static void print_id(const schedule *s, const choices *c, FILE *out)
{
    fprintf(out, "%s:%s:%s:", s->structure->name, s->structure->variants[s->variant], sim_strategy_names[s->strategy]);
    if (s->strategy != SIM_EXHAUSTIVE) {
        fprintf(out, "%016" PRIx64, s->seed);
        return;
    }
    fprintf(out, "%d:%u.%u:", s->tiny, c->most_preemptions, c->most_weakness);
    const char *comma = "";
    for (unsigned i = 0; i < c->length; i++) {
        if (c->at[i].taken == 0) continue;
        fprintf(out, "%s%u=%u", comma, i, c->at[i].taken);
        comma = ",";
    }
}

/* Puts "17=1,40=1" into the list. */
static bool parse_choices(const char *text, choices *c)
{
    while (*text) {
        unsigned at, taken;
        int used = 0;
        if (sscanf(text, "%u=%u%n", &at, &taken, &used) != 2 || at >= MAX_CHOICES || at < c->length || taken > 255)
            return false;
        for (; c->length < at; c->length++) c->at[c->length].taken = 0;
        c->at[c->length++].taken = (uint8_t)taken;
        text += used;
        if (*text == ',') text++;
    }
    return true;
}

static bool parse_id(const char *id, schedule *s, choices *c)
{
    char structure[32], variant[32], strategy[32];
    int rest = 0;
    if (sscanf(id, "%31[^:]:%31[^:]:%31[^:]:%n", structure, variant, strategy, &rest) != 3 || rest == 0) return false;
    int which = sim_structure_named(structure);
    if (which == SIM_ANY) return false;
    s->structure = sim_structures[which];
    int of = variant_named(s->structure, variant);
    if (of == SIM_ANY) return false;
    s->variant = (unsigned)of;
    int strategy_at = 0;
    while (sim_strategy_names[strategy_at] && strcmp(sim_strategy_names[strategy_at], strategy) != 0) strategy_at++;
    if (!sim_strategy_names[strategy_at]) return false;
    s->strategy = (sim_strategy)strategy_at;
    s->tiny = SIM_ANY;
    id += rest;
    int used = 0;
    if (s->strategy != SIM_EXHAUSTIVE) return sscanf(id, "%16" SCNx64 "%n", &s->seed, &used) == 1 && id[used] == 0;
    *c = (choices){0};
    if (sscanf(id, "%d:%u.%u:%n", &s->tiny, &c->most_preemptions, &c->most_weakness, &used) != 3 || used == 0)
        return false;
    return s->tiny >= 0 && (unsigned)s->tiny < s->structure->tiny_cases && parse_choices(id + used, c);
}

/* ---- one schedule ---- */

static void forget_all(void)
{
    for (int i = 0; sim_structures[i]; i++)
        if (sim_structures[i]->forget) sim_structures[i]->forget();
}

static bool run_schedule(sim_machine *m, const schedule *s, choices *c, sim_checked *checked)
{
    m->strategy = s->strategy;
    m->random = s->seed;
    m->exhaustive = s->strategy == SIM_EXHAUSTIVE ? c : NULL;
    /* One schedule in eight, and half of those of epochs, which have fences for nothing else; by the seed, so that a name
     * says it. */
    unsigned one_in = s->structure == &sim_epoch ? 2 : 8;
    bool late = s->strategy != SIM_EXHAUSTIVE && s->seed % one_in == 0;
    return (late ? machine_run_late : machine_run)(m, s->structure, s->variant, s->tiny, checked);
}

static void print_finding(sim_machine *m, const schedule *s, const choices *c, unsigned events, FILE *out)
{
    fprintf(out, "finding: %s\n", m->failure);
    bool unfinished = m->live_count > 0;
    if (unfinished) trace_print_waits(m, out);
    if (!unfinished && s->structure->explain) s->structure->explain(out);
    if (events) trace_print(m, events, out);
    fprintf(out, "repeat it with: pleach sim --replay ");
    print_id(s, c, out);
    fputc('\n', out);
}

sim_replayed sim_replay(const char *id, unsigned trace_events, FILE *out)
{
    sim_replayed answer = SIM_REPLAY_NO_MEMORY;
    sim_machine *m = machine_create();
    choices *c = malloc(sizeof *c);
    schedule s = {0}; /* tiny cases have no seed of their own */
    sim_checked checked = {0};
    if (!m || !c) {
        answer = SIM_REPLAY_NO_MEMORY;
    } else if (!parse_id(id, &s, c)) {
        answer = SIM_REPLAY_BAD_NAME;
    } else if (run_schedule(m, &s, c, &checked)) {
        answer = SIM_REPLAY_GOOD;
        trace_print(m, trace_events, out);
    } else {
        answer = SIM_REPLAY_FINDING;
        print_finding(m, &s, c, trace_events, out);
    }
    free(c);
    machine_destroy(m);
    forget_all();
    return answer;
}

/* ---- many ---- */

/* Adds what the machine counted since the last time; true: go on. */
static bool account(worker *w, sim_totals *mine)
{
    campaign *c = w->campaign;
    pthread_mutex_lock(&c->lock);
    c->totals->schedules += mine->schedules;
    c->totals->operations += mine->operations;
    c->totals->points += mine->points;
    c->totals->checked.histories += mine->checked.histories;
    c->totals->checked.undecided += mine->checked.undecided;
    c->totals->cases += mine->cases;
    c->totals->complete += mine->complete;
    if (c->plan->progress) c->plan->progress(c->totals->schedules);
    pthread_mutex_unlock(&c->lock);
    *mine = (sim_totals){0};
    return !atomic_load(&c->over);
}

static void report_finding(worker *w, const schedule *s, const choices *choices, uint64_t after)
{
    campaign *c = w->campaign;
    pthread_mutex_lock(&c->lock);
    if (!atomic_exchange(&c->over, true)) {
        c->totals->findings = 1;
        c->totals->found_after = after;
        print_finding(w->machine, s, choices, c->plan->trace_events, c->out);
    }
    pthread_mutex_unlock(&c->lock);
}

/* Runs one schedule and counts it; false: a finding. */
static bool count_schedule(worker *w, const schedule *s, choices *choices, sim_totals *mine)
{
    sim_machine *m = w->machine;
    m->operations = 0;
    bool good = run_schedule(m, s, choices, &mine->checked);
    mine->schedules++;
    mine->operations += m->operations;
    mine->points += m->points;
    return good;
}

/* Structures, variants and strategies take turns. */
static schedule nth_schedule(const sim_plan *plan, uint64_t n)
{
    schedule s = {.tiny = SIM_ANY};
    sim_machine seeder = {.random = plan->seed ^ (n * 0xd1342543de82ef95u)};
    s.seed = machine_random(&seeder);
    unsigned structures = 0;
    while (sim_structures[structures]) structures++;
    s.structure = sim_structures[plan->structure == SIM_ANY ? (int)(n % structures) : plan->structure];
    if (plan->structure == SIM_ANY) n /= structures;
    unsigned variants = count_variants(s.structure);
    s.variant = plan->variant ? (unsigned)variant_named(s.structure, plan->variant) : (unsigned)(n % variants);
    if (!plan->variant) n /= variants;
    s.strategy = plan->strategy == SIM_ANY ? (sim_strategy)(n % DRAWN_STRATEGIES) : (sim_strategy)plan->strategy;
    return s;
}

static void run_drawn(worker *w)
{
    const sim_plan *plan = w->campaign->plan;
    sim_totals mine = {0};
    for (uint64_t n = w->index; n < plan->schedules; n += plan->jobs) {
        schedule s = nth_schedule(plan, n);
        if (!count_schedule(w, &s, NULL, &mine)) {
            report_finding(w, &s, NULL, n + 1);
            break;
        }
        if (mine.schedules % SCHEDULES_PER_REPORT == 0 && !account(w, &mine)) return;
    }
    account(w, &mine);
}

/* All schedules of one tiny case, or as many as the plan allows. */
static bool run_case(worker *w, const schedule *s, choices *c, sim_totals *mine)
{
    const sim_plan *plan = w->campaign->plan;
    *c = (choices){.most_preemptions = plan->preemptions, .most_weakness = plan->weakness};
    mine->cases++;
    for (uint64_t n = 1; plan->schedules == 0 || n <= plan->schedules; n++) {
        if (!count_schedule(w, s, c, mine)) {
            report_finding(w, s, c, n);
            return false;
        }
        if (!choices_next(c)) {
            mine->complete++;
            return true;
        }
        if (mine->schedules % SCHEDULES_PER_REPORT == 0 && !account(w, mine)) return false;
    }
    return true;
}

static void run_exhaustive(worker *w)
{
    const sim_plan *plan = w->campaign->plan;
    choices *c = malloc(sizeof *c);
    sim_totals mine = {0};
    if (!c) {
        atomic_store(&w->campaign->no_memory, true);
        return;
    }
    unsigned turn = 0;
    bool good = true;
    for (int i = 0; sim_structures[i] && good; i++) {
        schedule s = {.structure = sim_structures[i], .strategy = SIM_EXHAUSTIVE};
        if (plan->structure != SIM_ANY && plan->structure != i) continue;
        for (s.variant = 0; s.structure->variants[s.variant] && good; s.variant++) {
            if (plan->variant && strcmp(plan->variant, s.structure->variants[s.variant]) != 0) continue;
            for (s.tiny = 0; s.tiny < (int)s.structure->tiny_cases && good; s.tiny++)
                if (turn++ % plan->jobs == w->index) good = run_case(w, &s, c, &mine);
        }
    }
    account(w, &mine);
    free(c);
}

static void *worker_main(void *argument)
{
    worker *w = argument;
    w->machine = machine_create();
    if (!w->machine)
        atomic_store(&w->campaign->no_memory, true);
    else if (w->campaign->plan->strategy == SIM_EXHAUSTIVE)
        run_exhaustive(w);
    else
        run_drawn(w);
    machine_destroy(w->machine);
    forget_all();
    return NULL;
}

bool sim_campaign(const sim_plan *plan, sim_totals *totals, FILE *out)
{
    campaign c = {.plan = plan, .totals = totals, .out = out};
    *totals = (sim_totals){0};
    worker *workers = calloc(plan->jobs, sizeof workers[0]);
    if (!workers) return false;
    pthread_mutex_init(&c.lock, NULL);
    for (unsigned i = 0; i < plan->jobs; i++) {
        workers[i] = (worker){.campaign = &c, .index = i};
        workers[i].started = i > 0 && pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) == 0;
        if (i > 0 && !workers[i].started) atomic_store(&c.no_memory, true);
    }
    worker_main(&workers[0]);
    for (unsigned i = 1; i < plan->jobs; i++)
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&c.lock);
    free(workers);
    return !atomic_load(&c.no_memory);
}
