/* stress.c - pleach stress: concurrent work in rounds, all results checked. */
#define _DEFAULT_SOURCE 1
#include "stress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/commands.h"
#include "tools/common/cli.h"
#include "tools/common/clock.h"

static const char help[] =
    "usage: pleach stress [OPTION...]\n"
    "\n"
    "Works on maps from several threads, or from several streams of a GPU, in rounds with different keys, sizes and\n"
    "mixtures of operations, and checks the results. The last line has the counts. Stops at the first wrong result,\n"
    "or if no call returns any more, and prints the command that repeats the round.\n"
    "\n"
    "  --minutes M, --seconds S  how long; fractions are allowed (default 1 minute, or --rounds or --operations)\n"
    "  --rounds N                at most N rounds\n"
    "  --operations N            stop after N operations\n"
    "  --scenario NAME           one of these (default: all in turn):\n"
    "                              mixed      each thread updates keys of its own, between those of other threads;\n"
    "                                         every result is known\n"
    "                              conserved  all threads contend for a few keys; the reported outcomes must balance\n"
    "                              sorted     ascending keys into an empty map\n"
    "                              whole      load, clear, compact, export, stats and validate during other calls\n"
    "                              batches    long random batches, compared with one operation after the other\n"
    "  --versioned               versioned maps: snapshots are taken, queried and released between the calls\n"
    "  --structure NAME          map (default), a tree; skiplist, with both chunk sizes and several promotion\n"
    "                            probabilities, without versions and batches; hash, a hash table, without versions,\n"
    "                            sorted and batches\n"
    "  --device cpu|cuda         where (default cpu)\n"
    "  --bits 32|64              key width (default: both alternately)\n"
    "  --threads N               threads that call the map, 2 to 64 (default: one per CPU, at least 4)\n"
    "  --streams N               on a GPU: streams that the threads share, 1 to 64 (default 4)\n"
    "  --keys N                  most keys of a map (default: by scenario; of sorted 2^20, on a GPU 2^25)\n"
    "  --batch N                 most operations of a batch (default 2^20, on a GPU 2^24)\n"
    "  --seed N                  seed of all choices (default: from the clock; it is printed)\n"
    "  --round N                 start with round N; do only this round, unless a number or a time is given\n"
    "  --hang-timeout S          report a hang after S seconds without a returning call (default 120)\n"
    "\n"
    "Exit status: 0 all results are right, 1 a result is wrong or a call hangs, 2 the command could not run.\n";

static const struct scenario *const scenarios[SCENARIOS] = {&scenario_mixed, &scenario_conserved, &scenario_sorted,
                                                            &scenario_whole, &scenario_batches};
static const char *const scenario_names[] = {"mixed", "conserved", "sorted", "whole", "batches", "all", NULL};
static const char *const device_names[] = {"cpu", "cuda", NULL};
static const char *const bits_names[] = {"32", "64", NULL};
static const char *const structure_names[] = {"map", "skiplist", "hash", NULL}; /* enum target_structure */
enum { ON_GPU = 1, BOTH_BITS = 2 };                                              /* of these */
enum { MOST_TIME = 1000000000 };

/* ---- options ---- */

static bool has_scenario(size_t structure, size_t scenario)
{
    return scenarios[scenario]->structures >> structure & 1;
}

static unsigned default_threads(void)
{
    const unsigned cpus = cli_online_cpus();
    return cpus < 4 ? 4 : cpus < MAX_CLIENTS ? cpus : MAX_CLIENTS;
}

static void read_words(struct cli *cli, struct stress_options *o)
{
    while (cli_more(cli)) {
        if (!cli_set_flag(cli, "--versioned", &o->versioned) &&
            !cli_take_choice(cli, "--device", device_names, &o->device) &&
            !cli_take_choice(cli, "--bits", bits_names, &o->bits) &&
            !cli_take_choice(cli, "--scenario", scenario_names, &o->scenario) &&
            !cli_take_choice(cli, "--structure", structure_names, &o->structure) &&
            !cli_take_number(cli, "--threads", 2, MAX_CLIENTS, &o->threads) &&
            !cli_take_number(cli, "--streams", 1, MAX_STREAMS, &o->streams) &&
            !cli_take_number(cli, "--keys", 1 << 10, 1 << 28, &o->keys) &&
            !cli_take_number(cli, "--batch", 1 << 10, 1 << 28, &o->batch) &&
            !cli_take_number(cli, "--operations", 1, UINT64_MAX, &o->operations) &&
            !cli_take_number(cli, "--rounds", 1, UINT32_MAX, &o->rounds) &&
            !cli_take_number(cli, "--round", 0, UINT32_MAX, &o->first_round) &&
            !cli_take_number(cli, "--seed", 0, UINT64_MAX, &o->seed) &&
            !cli_take_real(cli, "--minutes", MOST_TIME, &o->minutes) &&
            !cli_take_real(cli, "--seconds", MOST_TIME, &o->seconds) &&
            !cli_take_real(cli, "--hang-timeout", MOST_TIME, &o->hang_timeout))
            cli_fail(cli, "unknown word '%s'", cli->argv[cli->at]);
    }
    if (cli->status != EXIT_GOOD) return;
    if (o->versioned && o->structure != TARGET_TREE)
        cli_fail(cli, "--versioned needs --structure map");
    else if (o->scenario < SCENARIOS && !has_scenario(o->structure, o->scenario))
        cli_fail(cli, "--structure %s has no scenario %s", structure_names[o->structure], scenario_names[o->scenario]);
}

/* Without any limit a minute is the limit. */
static bool read_options(struct cli *cli, struct stress_options *o)
{
    *o = (struct stress_options){.command = cli->command, .bits = BOTH_BITS, .scenario = SCENARIOS, .streams = 4,
                                 .threads = default_threads(), .first_round = UINT64_MAX, .hang_timeout = 120};
    o->seed = mix64((uint64_t)(clock_seconds() * 1e9) ^ (uint64_t)getpid()) >> 24;
    read_words(cli, o);
    if (cli->status != EXIT_GOOD) return false;
    if (o->device != ON_GPU) o->streams = 1;
    if (o->threads < o->streams) o->threads = o->streams;
    o->seconds += 60 * o->minutes;
    if (o->rounds == 0 && o->first_round != UINT64_MAX && o->seconds == 0 && o->operations == 0) o->rounds = 1;
    if (o->seconds == 0) o->seconds = o->rounds > 0 || o->operations > 0 ? INFINITY : 60;
    if (o->rounds == 0) o->rounds = UINT64_MAX;
    if (o->operations == 0) o->operations = UINT64_MAX;
    if (o->first_round == UINT64_MAX) o->first_round = 0;
    return true;
}

int stress_read_line(const char *command, char *line, struct stress_options *options)
{
    struct cli cli;
    char *words[64];
    int count = 0;
    for (char *word = strtok(line, " "); word != NULL && count < 64; word = strtok(NULL, " ")) words[count++] = word;
    cli_start(&cli, command, count, words);
    const bool good = read_options(&cli, options);
    options->quiet = true;
    return good ? EXIT_GOOD : EXIT_USAGE;
}

/* ---- rounds ---- */

/* The scenarios that the structure has take turns; each one's rounds alternate between key widths. */
static const struct scenario *scenario_of(const struct stress_options *options, uint64_t round, unsigned *bits)
{
    const struct scenario *of_structure[SCENARIOS];
    size_t count = 0;
    for (size_t i = 0; i < SCENARIOS; i++)
        if (has_scenario(options->structure, i)) of_structure[count++] = scenarios[i];
    const bool all = options->scenario == SCENARIOS;
    *bits = 32u << (options->bits < BOTH_BITS ? options->bits : (all ? round / count : round) % 2);
    return all ? of_structure[round % count] : scenarios[options->scenario];
}

const char *stress_scenario_name(const struct stress_options *options, uint64_t round)
{
    unsigned bits;
    return scenario_of(options, round, &bits)->name;
}

/* A hash table makes most calls one by one on a GPU too, so its amounts are those of a CPU. */
static bool large_amounts(const struct stress *s) { return s->on_gpu && s->options.structure != TARGET_HASH; }

static size_t round_cells(struct stress *s)
{
    size_t cells = s->options.keys > 0 ? s->options.keys : s->scenario->cells[large_amounts(s)];
    if (s->scenario == &scenario_conserved) cells = s->scenario->cells[0];
    if (s->scenario == &scenario_batches && s->options.keys == 0 && s->options.batch > 0)
        cells = size_min(cells, 2 * s->options.batch); /* so that emptying them takes a batch or two */
    return cells >> mix_below(&s->random, s->scenario->halvings + 1);
}

static void run_round(struct stress *s)
{
    s->scenario = scenario_of(&s->options, s->round, &s->bits);
    s->seed = mix64(mix64(s->options.seed) + s->round);
    s->random = (struct mix_random){s->seed};
    atomic_store(&s->shown_round, s->round);
    if (round_open(s, round_cells(s))) {
        s->turn.order = (enum cell_order)mix_below(&s->random, CELL_ORDERS);
        s->turn.most = s->scenario->most[large_amounts(s)];
        if (!s->scenario->prepare(s)) stress_wrong(s, 0, "out of memory");
        for (size_t turn = 0; turn < s->scenario->turns[large_amounts(s)] && !stress_is_wrong(s); turn++) {
            s->scenario->run_turn(s, turn);
            if (!stress_goes_on(s)) break;
        }
        if (!stress_is_wrong(s) && s->scenario->check != NULL) s->scenario->check(s);
    }
    if (s->scenario->end != NULL) s->scenario->end(s);
    round_close(s);
    atomic_fetch_add(&s->rounds_done, 1);
}

static void run_rounds(struct stress *s)
{
    const uint64_t first = s->options.first_round;
    for (s->round = first; s->round - first < s->options.rounds; s->round++) {
        run_round(s);
        if (!stress_goes_on(s)) break;
    }
    for (size_t i = 0; i < SCENARIOS; i++)
        if (scenarios[i]->report != NULL) scenarios[i]->report(s);
}

/* ---- results ---- */

void stress_print_repeat(const struct stress_options *options, uint64_t round)
{
    unsigned bits;
    const struct scenario *scenario = scenario_of(options, round, &bits);
    char streams[32] = "", keys[40] = "", batch[40] = "";
    if (options->device == ON_GPU) snprintf(streams, sizeof streams, " --streams %" PRIu64, options->streams);
    if (options->keys > 0) snprintf(keys, sizeof keys, " --keys %" PRIu64, options->keys);
    if (options->batch > 0) snprintf(batch, sizeof batch, " --batch %" PRIu64, options->batch);
    cli_complain(options->command,
                 "to repeat the round: pleach stress --structure %s%s --device %s --threads %" PRIu64
                 "%s%s%s --scenario %s --bits %u --seed %" PRIu64 " --round %" PRIu64,
                 structure_names[options->structure], options->versioned ? " --versioned" : "",
                 device_names[options->device], options->threads, streams, keys, batch, scenario->name, bits,
                 options->seed, round);
}

static void add_totals(const struct stress *s, struct stress_totals *totals)
{
    const struct stress_totals sum = stress_sum(s);
    for (unsigned i = 0; i < s->client_count; i++)
        if (s->clients[i].wrong > 0) cli_complain(s->options.command, "WRONG: %s", s->clients[i].first_wrong);
    if (sum.wrong > 0) stress_print_repeat(&s->options, atomic_load(&s->shown_round));
    totals->operations += sum.operations;
    totals->checked += sum.checked;
    totals->rounds += sum.rounds;
    totals->wrong += sum.wrong;
    totals->seconds += sum.seconds;
}

int stress_run(const struct stress_options *options, struct stress_totals *totals)
{
    struct stress s = {.options = *options, .client_count = (unsigned)options->threads};
    int status = EXIT_USAGE;
    s.device = tool_device_choose(options->command, (enum tool_where)options->device);
    if (s.device == NULL) return status;
    s.on_gpu = options->device == ON_GPU;
    s.crew = crew_create(s.client_count);
    s.begin = clock_seconds();
    atomic_store(&s.shown_round, options->first_round);
    if (s.crew != NULL && clients_create(&s) && watchdog_start(&s)) {
        run_rounds(&s);
        watchdog_stop(&s);
        add_totals(&s, totals);
        status = stress_is_wrong(&s) ? EXIT_WRONG : EXIT_GOOD;
    } else {
        cli_complain(options->command, "out of memory or threads");
    }
    crew_destroy(s.crew);
    clients_destroy(&s);
    return status;
}

int command_stress(int argc, char **argv)
{
    struct cli cli;
    struct stress_options options;
    struct stress_totals totals = {0};
    cli_start(&cli, "pleach stress", argc, argv);
    cli.help = help;
    if (!read_options(&cli, &options)) return cli_result(&cli);
    printf("pleach %s, stress on %s, simd %s, %" PRIu64 " threads, ", pleach_version(),
           device_names[options.device], pleach_simd(), options.threads);
    if (options.device == ON_GPU) printf("%" PRIu64 " streams, ", options.streams);
    printf("seed %" PRIu64 "\n", options.seed);
    fflush(stdout);
    const int status = stress_run(&options, &totals);
    if (status == EXIT_USAGE) return status;
    printf("%.1f s, %.2f million operations per second\n", totals.seconds,
           (double)totals.operations / totals.seconds / 1e6);
    printf("stress: %" PRIu64 " operations, %" PRIu64 " results checked, %" PRIu64 " rounds, %" PRIu64 " wrong\n",
           totals.operations, totals.checked, totals.rounds, totals.wrong);
    return status;
}
