/* soak.c - pleach soak: mixed concurrent work without end, all answers checked. */
#define _DEFAULT_SOURCE 1
#include "soak.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/clock.h"
#include "tools/commands.h"
#include "tools/common/machine.h"

static const char command[] = "pleach soak";

static const char help[] =
    "usage: pleach soak [OPTION...]\n"
    "\n"
    "Works on maps from several threads, or from several streams of a GPU, round after round with other keys, sizes\n"
    "and mixtures of operations, and checks the answers. The last line says how much was done. Stops at a wrong\n"
    "answer, and says how to repeat its round; or when no call returns any more.\n"
    "\n"
    "  --minutes M, --seconds S  how long; fractions are allowed (default 1 minute, or --rounds or --operations)\n"
    "  --rounds N                at most so many rounds\n"
    "  --operations N            end when so many operations are done\n"
    "  --scenario NAME           one of these, not all in turn:\n"
    "                              mixed      each thread has its own keys between the others', and knows each answer\n"
    "                              conserved  all fight over a few keys; what they were told must add up\n"
    "                              sorted     ascending keys into an empty map\n"
    "                              whole      load, clear, compact, export, stats and validate beside other calls\n"
    "                              batches    long random batches, compared with one operation after the other\n"
    "  --versioned               maps with versions: snapshots are taken, asked and released beside the calls\n"
    "  --structure NAME          what the maps are: map (default), a tree; skiplist, of both sizes of chunks and with\n"
    "                            several chances to raise one, by the round, without versions and batches; hash, hash\n"
    "                            tables, which have one scenario of their own\n"
    "  --device cpu|cuda         where (default cpu)\n"
    "  --bits 32|64              width of keys (default: both in turn)\n"
    "  --threads N               threads that call the map, 2 to 64 (default: one per CPU, at least 4)\n"
    "  --streams N               on a GPU: streams that the threads share, 1 to 64 (default 4)\n"
    "  --keys N                  most keys of a map (default: by scenario; of sorted 2^20, on a GPU 2^25)\n"
    "  --batch N                 most operations of a batch (default 2^20, on a GPU 2^24)\n"
    "  --seed N                  other rounds (default: from the clock; it is printed)\n"
    "  --round N                 begin with this round; do only this one, unless a number or a time is given\n"
    "  --patience S              seconds without a returning call that are a hang (default 120)\n"
    "\n"
    "Exit status: 0 all answers are right, 1 one is wrong or a call hangs, 2 the soak could not be run.\n";

struct scenario {
    const char *name;
    void (*run)(struct soak *soak);
};

static const struct scenario of_hashes = {"hash", soak_hash}, scenarios[] = {
    {"mixed", soak_mixed},
    {"conserved", soak_conserved},
    {"sorted", soak_sorted},
    {"whole", soak_whole},
    {"batches", soak_batches}, /* the last: skiplists have all others */
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0], BATCHES = SCENARIOS - 1 };

static const char *const scenario_names[] = {"mixed", "conserved", "sorted", "whole", "batches", "all", NULL};
static const char *const device_names[] = {"cpu", "cuda", NULL};
static const char *const bits_names[] = {"32", "64", NULL};
static const char *const structure_names[] = {"map", "skiplist", "hash", NULL};
enum { SKIPLIST = 1, HASH = 2 }; /* of these */

/* ---- options ---- */

struct words {
    size_t device, bits, scenario, structure;
    uint64_t threads, streams, seed, round, rounds, operations, keys, batch;
    double minutes, seconds, patience;
    bool help, has_seed, has_round, versioned;
};

/* A number of seconds or minutes, with a fraction. */
static bool take_duration(struct cli *cli, const char *name, double *number)
{
    const char *text = NULL;
    char *end;
    if (!cli_take_text(cli, name, &text)) return false;
    if (text == NULL) return true;
    const double parsed = strtod(text, &end);
    if (end == text || *end != '\0' || !(parsed > 0 && parsed <= 1e9))
        cli_fail(cli, "%s takes a number above 0, not '%s'", name, text);
    else
        *number = parsed;
    return true;
}

static bool take_round(struct cli *cli, struct words *words)
{
    if (cli_take_number(cli, "--round", 0, UINT32_MAX, &words->round)) return words->has_round = true;
    if (cli_take_number(cli, "--seed", 0, UINT64_MAX, &words->seed)) return words->has_seed = true;
    return false;
}

static void read_words(struct cli *cli, struct words *words)
{
    *words = (struct words){.scenario = SCENARIOS, .bits = 2, .streams = 4, .patience = 120};
    while (cli_more(cli)) {
        if (cli_take_flag(cli, "--help"))
            words->help = true;
        else if (cli_take_flag(cli, "--versioned"))
            words->versioned = true;
        else if (!cli_take_choice(cli, "--device", device_names, &words->device) &&
                 !cli_take_choice(cli, "--bits", bits_names, &words->bits) &&
                 !cli_take_choice(cli, "--scenario", scenario_names, &words->scenario) &&
                 !cli_take_choice(cli, "--structure", structure_names, &words->structure) &&
                 !cli_take_number(cli, "--threads", 2, SOAK_MOST_HANDS, &words->threads) &&
                 !cli_take_number(cli, "--streams", 1, SOAK_MOST_STREAMS, &words->streams) &&
                 !cli_take_number(cli, "--keys", 1 << 10, 1 << 28, &words->keys) &&
                 !cli_take_number(cli, "--batch", 1 << 10, 1 << 28, &words->batch) &&
                 !cli_take_number(cli, "--operations", 1, UINT64_MAX, &words->operations) &&
                 !cli_take_number(cli, "--rounds", 1, UINT32_MAX, &words->rounds) && !take_round(cli, words) &&
                 !take_duration(cli, "--minutes", &words->minutes) &&
                 !take_duration(cli, "--seconds", &words->seconds) &&
                 !take_duration(cli, "--patience", &words->patience))
            cli_fail(cli, "unknown word '%s'", cli->argv[cli->at]);
    }
    if (words->structure == SKIPLIST && (words->versioned || words->scenario == BATCHES))
        cli_fail(cli, "skiplists have no versions and no batches");
    if (words->structure == HASH && (words->versioned || words->scenario != SCENARIOS))
        cli_fail(cli, "hash tables have no versions, and one scenario of their own");
}

static uint64_t clock_seed(void) { return mix64((uint64_t)(clock_seconds() * 1e9) ^ (uint64_t)getpid()) >> 24; }

static unsigned choose_threads(const struct words *words)
{
    const unsigned cpus = cli_online_cpus();
    unsigned threads = words->threads > 0 ? (unsigned)words->threads : cpus < 4 ? 4 : cpus;
    if (words->device == 1 && threads < words->streams) threads = (unsigned)words->streams;
    return threads < SOAK_MOST_HANDS ? threads : SOAK_MOST_HANDS;
}

static struct soak_options make_options(const struct words *words)
{
    const double seconds = words->minutes * 60 + words->seconds;
    const bool endless = seconds == 0 && words->operations == 0;
    const uint64_t rounds = words->rounds > 0 ? words->rounds : words->has_round && endless ? 1 : UINT64_MAX;
    return (struct soak_options){
        .device = words->device == 1 ? PLEACH_CUDA : PLEACH_CPU,
        .threads = choose_threads(words),
        .streams = words->device == 1 ? (unsigned)words->streams : 1,
        .bits = words->bits == 0 ? 32 : words->bits == 1 ? 64 : 0,
        .scenario = words->scenario,
        .seed = words->has_seed ? words->seed : clock_seed(),
        .first_round = words->round,
        .rounds = rounds,
        .operations = words->operations > 0 ? words->operations : UINT64_MAX,
        .keys = words->keys,
        .batch = words->batch,
        .seconds = seconds > 0 ? seconds : rounds != UINT64_MAX || words->operations > 0 ? INFINITY : 60,
        .patience = words->patience,
        .versioned = words->versioned,
        .skiplist = words->structure == SKIPLIST,
        .hashed = words->structure == HASH,
    };
}

/* ---- rounds ---- */

/* Of which the rounds take one after the other. */
static size_t scenario_count(const struct soak_options *options)
{
    return options->hashed ? 1 : options->skiplist ? BATCHES : SCENARIOS;
}

static const struct scenario *scenario_of(const struct soak_options *options, uint64_t round)
{
    if (options->hashed) return &of_hashes;
    return &scenarios[options->scenario == SCENARIOS ? round % scenario_count(options) : options->scenario];
}

static unsigned bits_of(const struct soak_options *options, uint64_t round)
{
    const uint64_t alternation = options->scenario == SCENARIOS ? round / scenario_count(options) : round;
    return options->bits > 0 ? options->bits : alternation % 2 == 0 ? 32 : 64;
}

const char *soak_scenario_name(const struct soak *soak, uint64_t round)
{
    return scenario_of(&soak->options, round)->name;
}

pleach_map_config soak_config(const struct soak *soak)
{
    static const double raises[] = {1, 1, 0.5, 0.1};
    pleach_map_config config = {.device = soak->options.device, .key_bits = soak->bits,
                                .versioned = soak->options.versioned};
    if (!soak->options.skiplist) return config;
    config.structure = PLEACH_SKIPLIST;
    config.chunk = soak->seed % 2 == 0 ? 16 : 32;
    config.raise = raises[soak->seed / 2 % (sizeof raises / sizeof raises[0])];
    return config;
}

static void run_round(struct soak *soak)
{
    const struct soak_options *options = &soak->options;
    soak->bits = bits_of(options, soak->round);
    soak->seed = mix64(mix64(options->seed) + soak->round);
    soak->random = (struct mix_random){soak->seed};
    atomic_store(&soak->shown_round, soak->round);
    scenario_of(options, soak->round)->run(soak);
    soak->rounds_done++;
}

static void run_rounds(struct soak *soak)
{
    const uint64_t first = soak->options.first_round;
    for (soak->round = first; soak->round - first < soak->options.rounds; soak->round++) {
        run_round(soak);
        if (soak_is_wrong(soak) || !soak_time_left(soak)) break;
    }
    soak_sorted_finish(soak);
    soak_batches_finish(soak);
}

/* ---- telling ---- */

void soak_tell_repeat(const struct soak *soak, uint64_t round)
{
    const struct soak_options *options = &soak->options;
    const char *device = device_names[options->device == PLEACH_CUDA];
    const char *kind = options->versioned  ? " --versioned"
                       : options->skiplist ? " --structure skiplist"
                       : options->hashed   ? " --structure hash"
                                           : "";
    char streams[32] = "", keys[40] = "", batch[40] = "";
    if (options->device == PLEACH_CUDA) snprintf(streams, sizeof streams, " --streams %u", options->streams);
    if (options->keys > 0) snprintf(keys, sizeof keys, " --keys %" PRIu64, options->keys);
    if (options->batch > 0) snprintf(batch, sizeof batch, " --batch %" PRIu64, options->batch);
    cli_complain(command,
                 "to repeat the round: pleach soak%s --device %s --threads %u%s%s%s --scenario %s --bits %u --seed "
                 "%" PRIu64 " --round %" PRIu64,
                 kind, device, options->threads, streams, keys, batch,
                 options->hashed ? "all" : soak_scenario_name(soak, round),
                 bits_of(options, round), options->seed, round);
}

static void report_wrong(const struct soak *soak)
{
    for (unsigned i = 0; i < soak->hand_count; i++)
        if (soak->hands[i].wrong > 0) cli_complain(command, "WRONG: %s", soak->hands[i].first_wrong);
    soak_tell_repeat(soak, atomic_load(&soak->shown_round));
}

static int report(const struct soak *soak)
{
    uint64_t wrong = 0;
    for (unsigned i = 0; i < soak->hand_count; i++) wrong += soak->hands[i].wrong;
    const double seconds = clock_seconds() - soak->begin;
    const uint64_t operations = soak_operations(soak);
    if (wrong > 0) report_wrong(soak);
    printf("%.1f s, %.2f million operations a second\n", seconds, (double)operations / seconds / 1e6);
    printf("soak: %" PRIu64 " operations, %" PRIu64 " answers checked, %" PRIu64 " rounds, %" PRIu64 " wrong\n",
           operations, soak_checked(soak), soak->rounds_done, wrong);
    return wrong == 0 ? EXIT_GOOD : EXIT_WRONG;
}

/* ---- the whole ---- */

static int run_soak(struct soak *soak)
{
    const struct soak_options *options = &soak->options;
    int result = EXIT_USAGE;
    printf("pleach %s, soak on %s, simd %s, %u threads, ", pleach_version(), soak->device->name, pleach_simd(),
           soak->hand_count);
    if (options->device == PLEACH_CUDA) printf("%u streams, ", options->streams);
    printf("seed %" PRIu64 "\n", options->seed);
    fflush(stdout);
    soak->crew = crew_create(soak->hand_count);
    soak->begin = clock_seconds();
    soak->deadline = soak->begin + options->seconds;
    atomic_store(&soak->shown_round, options->first_round);
    if (soak->crew != NULL && soak_hands_create(soak) && soak_watch_start(soak)) {
        run_rounds(soak);
        soak_watch_stop(soak);
        result = report(soak);
    } else {
        cli_complain(command, "out of memory or threads");
    }
    crew_destroy(soak->crew);
    soak_hands_destroy(soak);
    return result;
}

int command_soak(int argc, char **argv)
{
    struct cli cli;
    struct words words;
    char gpu[512];
    const char *why = gpu;
    cli_start(&cli, command, argc, argv);
    read_words(&cli, &words);
    if (cli.status != EXIT_GOOD) return cli.status;
    if (words.help) {
        fputs(help, stdout);
        return EXIT_GOOD;
    }
    struct soak soak = {.options = make_options(&words)};
    soak.hand_count = soak.options.threads;
    soak.device = tool_device_host();
    if (soak.options.device == PLEACH_CUDA) {
        const bool has_gpu = pleach_gpu_info(0, gpu, sizeof gpu) == PLEACH_OK;
        machine_gpu(gpu, sizeof gpu);
        soak.device = has_gpu ? tool_device_cuda(&why) : NULL;
    }
    if (soak.device != NULL) return run_soak(&soak);
    cli_complain(command, "--device cuda: %s", why);
    return EXIT_USAGE;
}
