/* sim.c - pleach sim: the structures under the simulator. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "commands.h"
#include "verify/sim/campaign.h"

static const char help[] =
    "usage: pleach sim [OPTION...]\n"
    "\n"
    "Runs the structures' own source on a simulated machine: many virtual threads, a scheduler that may switch at\n"
    "every access to shared memory, and a memory as weak as that of CPUs and GPUs. Checks after each schedule that\n"
    "the structure is valid, and that all answers could have come from one that does one operation after the other.\n"
    "docs/verification.md says what this shows and what it cannot.\n"
    "\n"
    "  --structure NAME     map, versioned, skiplist, hash, graph, pool, gate, epoch, team, or all (default)\n"
    "  --variant NAME       one machine and key width, such as cuda32, plain64, x86_32 (default: all in turn)\n"
    "  --strategy NAME      random, pct, delay, exhaustive, or all (default: the first three in turn)\n"
    "  --seed S             default 1\n"
    "  --schedules N        default 20000; exhaustive: the most for one tiny case, 0 for all there are\n"
    "  --preemptions N      exhaustive: at most so many in a schedule (default 2)\n"
    "  --weakness N         exhaustive: at most so many early loads and late stores (default 1)\n"
    "  --jobs N             threads of this machine (default: one per CPU)\n"
    "  --trace N            steps of each agent to print with a finding (default 12, at most 64)\n"
    "  --replay ID          repeat one schedule, and print its last steps\n"
    "\n"
    "The last line says how many schedules, operations and choice points there were. Exit status 1: something was\n"
    "found; it is printed, with the ID that repeats it.\n";

static void show_progress(uint64_t schedules)
{
    static time_t last;
    time_t now = time(NULL);
    if (last == 0) last = now;
    if (now == last) return;
    last = now;
    fprintf(stderr, "\r%" PRIu64 " schedules", schedules);
}

static int replay(const char *id, unsigned trace)
{
    switch (sim_replay(id, trace, stdout)) {
    case SIM_REPLAY_GOOD: puts("this schedule is good"); return EXIT_GOOD;
    case SIM_REPLAY_FINDING: return EXIT_WRONG;
    case SIM_REPLAY_BAD_NAME:
        cli_complain("pleach sim", "'%s' is not the name of a schedule, such as map:cuda32:pct:0123456789abcdef", id);
        return EXIT_USAGE;
    case SIM_REPLAY_NO_MEMORY: break;
    }
    cli_complain("pleach sim", "not enough memory");
    return EXIT_USAGE;
}

static int run(const sim_plan *plan)
{
    sim_totals totals;
    if (!sim_campaign(plan, &totals, stdout)) {
        cli_complain("pleach sim", "not enough memory, or no threads to be had");
        return EXIT_USAGE;
    }
    if (plan->progress) fputc('\r', stderr);
    if (totals.findings) printf("found after %" PRIu64 " schedules\n", totals.found_after);
    if (plan->strategy == SIM_EXHAUSTIVE)
        printf("%" PRIu64 " tiny cases, %" PRIu64 " of them gone through to the end\n", totals.cases, totals.complete);
    if (totals.checked.undecided)
        printf("%" PRIu64 " histories overlap too much to be decided\n", totals.checked.undecided);
    printf("sim: %" PRIu64 " schedules, %" PRIu64 " operations, %" PRIu64 " choice points, %" PRIu64
           " histories checked, %" PRIu64 " findings\n",
           totals.schedules, totals.operations, totals.points, totals.checked.histories, totals.findings);
    return totals.findings ? EXIT_WRONG : EXIT_GOOD;
}

/* NAME to a number, with "all" for any. */
static void take_structure(struct cli *cli, const char *name, sim_plan *plan)
{
    plan->structure = sim_structure_named(name);
    if (plan->structure != SIM_ANY || (name[0] == 'a' && name[1] == 'l' && name[2] == 'l' && name[3] == 0)) return;
    cli_fail(cli, "there is no structure '%s' to simulate", name);
}

static void check_variant(struct cli *cli, const sim_plan *plan)
{
    if (!plan->variant) return;
    if (plan->structure == SIM_ANY)
        cli_fail(cli, "--variant needs a --structure");
    else if (!sim_has_variant(sim_structures[plan->structure], plan->variant))
        cli_fail(cli, "structure %s has no variant '%s'", sim_structures[plan->structure]->name, plan->variant);
}

int command_sim(int argc, char **argv)
{
    static const char *const strategies[] = {"random", "pct", "delay", "exhaustive", "all", NULL};
    struct cli cli;
    sim_plan plan = {.structure = SIM_ANY, .strategy = SIM_ANY, .seed = 1, .schedules = 20000,
                     .jobs = cli_online_cpus(), .preemptions = 2, .weakness = 1, .trace_events = 12};
    uint64_t jobs = plan.jobs, preemptions = plan.preemptions, weakness = plan.weakness, trace = plan.trace_events;
    size_t strategy = SIM_STRATEGIES;
    const char *structure = NULL, *id = NULL;
    cli_start(&cli, "pleach sim", argc, argv);
    cli.help = help;
    while (cli_more(&cli)) {
        if (cli_take_text(&cli, "--structure", &structure)) {
            if (structure) take_structure(&cli, structure, &plan);
        } else if (!cli_take_text(&cli, "--variant", &plan.variant) &&
                   !cli_take_choice(&cli, "--strategy", strategies, &strategy) &&
                   !cli_take_number(&cli, "--seed", 0, UINT64_MAX, &plan.seed) &&
                   !cli_take_number(&cli, "--schedules", 0, UINT64_MAX, &plan.schedules) &&
                   !cli_take_number(&cli, "--preemptions", 0, 20, &preemptions) &&
                   !cli_take_number(&cli, "--weakness", 0, 20, &weakness) &&
                   !cli_take_number(&cli, "--jobs", 1, 1024, &jobs) &&
                   !cli_take_number(&cli, "--trace", 0, 64, &trace) && !cli_take_text(&cli, "--replay", &id)) {
            cli_reject_option(&cli);
        }
    }
    if (cli.status == EXIT_GOOD) check_variant(&cli, &plan);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    plan.strategy = strategy < SIM_STRATEGIES ? (int)strategy : SIM_ANY;
    plan.jobs = (unsigned)jobs;
    plan.preemptions = (unsigned)preemptions;
    plan.weakness = (unsigned)weakness;
    plan.trace_events = (unsigned)trace;
    if (isatty(STDERR_FILENO)) plan.progress = show_progress;
    return id ? replay(id, plan.trace_events) : run(&plan);
}
