/* demo.c - pleach demo: a mixed concurrent workload, every answer of which is checked. */
#define _DEFAULT_SOURCE 1
#include "demo.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/common/clock.h"
#include "tools/commands.h"
#include "tools/common/machine.h"
#include "tools/common/words.h"

static const char command[] = "pleach demo";

enum { LEAST_THREADS = 4, MOST_THREADS = 64 };

static const char help[] =
    "usage: pleach demo [OPTION...]\n"
    "\n"
    "Loads maps with 32-bit and with 64-bit keys, works on them from several threads at once by single calls and by\n"
    "array calls (put, add, erase, find, contains, succ, pred, count, range), compares every answer with that of a\n"
    "simple table, and shows the rates. On the GPU too where there is one. Takes less than a minute on two cores.\n"
    "\n"
    "  --device cpu|cuda|all  where (default all)\n"
    "  --threads N            threads that call the map at once, 2 to 64 (default: one per CPU, at least 4)\n"
    "  --blocks N             size of the maps: about 32 keys per block; a power of two, 2^8 to 2^20 (default 2^15)\n"
    "  --seed N               other operations (default 1)\n"
    "\n"
    "Exit status: 0 all answers are right, 1 one is wrong, 2 the demo could not be run.\n";

enum { ON_CPU, ON_CUDA, ON_ALL };
static const char *const device_names[] = {"cpu", "cuda", "all", NULL};

struct options {
    size_t device;
    uint64_t threads, blocks, seed;
    bool help;
};

/* How much each phase does. A single call on a GPU map is a kernel launch, so there are fewer. */
struct amounts {
    size_t single_ops, single_rounds; /* per thread and round */
    size_t array_ops, array_rounds;
};

static const struct amounts cpu_amounts = {100000, 10, 16384, 100};
static const struct amounts gpu_amounts = {2000, 2, 65536, 40};

struct totals {
    uint64_t checked, mistakes;
};

static void read_options(struct cli *cli, struct options *options)
{
    const unsigned cpus = cli_online_cpus();
    *options = (struct options){.device = ON_ALL, .blocks = 1u << 15, .seed = 1};
    options->threads = cpus < LEAST_THREADS ? LEAST_THREADS : cpus > MOST_THREADS ? MOST_THREADS : cpus;
    while (cli_more(cli)) {
        if (cli_take_flag(cli, "--help"))
            options->help = true;
        else if (!cli_take_choice(cli, "--device", device_names, &options->device) &&
                 !cli_take_number(cli, "--threads", 2, MOST_THREADS, &options->threads) &&
                 !cli_take_number(cli, "--blocks", 1u << 8, 1u << 20, &options->blocks) &&
                 !cli_take_number(cli, "--seed", 0, UINT64_MAX, &options->seed))
            cli_fail(cli, "unknown word '%s'", cli->argv[cli->at]);
    }
    if (cli->status == EXIT_GOOD && (options->blocks & (options->blocks - 1)) != 0)
        cli_fail(cli, "--blocks takes a power of two");
}

/* ---- showing ---- */

static const char *device_name(const struct demo *demo) { return demo->device == PLEACH_CUDA ? "cuda" : "cpu"; }

/* On a terminal one line that changes, elsewhere a line per phase. */
static void show_progress(const struct demo *demo, const char *phase, size_t round, size_t rounds)
{
    fflush(stdout); /* in a log, what came before comes before */
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s %u-bit: %s, %zu of %zu", device_name(demo), demo->bits, phase, round + 1, rounds);
    else if (round == 0)
        fprintf(stderr, "%s %u-bit: %s\n", device_name(demo), demo->bits, phase);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

static void print_rate(const struct demo *demo, const char *phase, unsigned threads, uint64_t ops, double seconds)
{
    end_progress();
    printf("%-6s %4u  %-36s %7u %12" PRIu64 " %9.3f %9.2f\n", device_name(demo), demo->bits, phase, threads, ops,
           seconds, (double)ops / seconds / 1e6);
    fflush(stdout);
}

static void print_heading(void)
{
    printf("%-6s %4s  %-36s %7s %12s %9s %9s\n", "device", "bits", "phase", "callers", "operations", "seconds",
           "M/s");
}

static void report_failure(const struct demo *demo, const char *what, const char *why)
{
    end_progress();
    cli_complain(command, "%s %u-bit: %s: %s", device_name(demo), demo->bits, what, why);
}

/* ---- phases; those that answer a number found so many mistakes themselves, the others leave it to the hands ---- */

/* Chooses the first keys: the first and last of every block, and about half of the others. */
static size_t choose_pairs(struct demo *demo, void *keys, void *values)
{
    const struct mix_order order = mix_order_make(demo->oracle.cells, demo->seed);
    struct mix_random random = {mix64(demo->seed)};
    size_t n = 0;
    for (size_t i = 0; i < demo->oracle.cells; i++) {
        const size_t cell = mix_order_at(&order, i);
        const bool fence = cell % ORACLE_BLOCK == 0 || cell % ORACLE_BLOCK == ORACLE_BLOCK - 1;
        const uint64_t value = mix_next(&random) & word_max(demo->bits);
        uint64_t unused;
        if (!fence && (value & 64) != 0) continue;
        oracle_put(&demo->oracle, cell, value, &unused);
        word_set(keys, demo->bits, n, oracle_key(&demo->oracle, cell));
        word_set(values, demo->bits, n, value);
        n++;
    }
    return n;
}

static uint64_t load_phase(struct demo *demo, void *keys, void *values)
{
    show_progress(demo, "loading", 0, 1);
    const size_t n = choose_pairs(demo, keys, values);
    const double start = clock_seconds();
    const pleach_status status = pleach_map_load(demo->map, n, keys, values, 0);
    if (status != PLEACH_OK) {
        report_failure(demo, "load", pleach_strerror(status));
        return 1;
    }
    print_rate(demo, "load of shuffled pairs", 1, n, clock_seconds() - start);
    return 0;
}

static void single_phase(struct demo *demo, const struct amounts *amounts)
{
    double seconds = 0;
    for (size_t round = 0; round < amounts->single_rounds; round++) {
        show_progress(demo, "single calls from several threads", round, amounts->single_rounds);
        demo_choose_single(demo, amounts->single_ops);
        const double start = clock_seconds();
        crew_run(demo->crew, demo_do_single, demo);
        seconds += clock_seconds() - start;
        crew_run(demo->crew, demo_check, demo);
    }
    print_rate(demo, "single calls, all kinds at once", demo->threads,
               (uint64_t)demo->threads * amounts->single_ops * amounts->single_rounds, seconds);
}

static void array_phase(struct demo *demo, const struct amounts *amounts)
{
    double seconds = 0;
    uint64_t ops = 0;
    for (demo->round = 0; demo->round < amounts->array_rounds; demo->round++) {
        show_progress(demo, "array calls from several threads", demo->round, amounts->array_rounds);
        demo_choose_array(demo, amounts->array_ops);
        const double start = clock_seconds();
        crew_run(demo->crew, demo_do_array, demo);
        seconds += clock_seconds() - start;
        crew_run(demo->crew, demo_unpack_array, demo);
        crew_run(demo->crew, demo_check, demo);
        for (unsigned i = 0; i < demo->threads; i++) ops += demo->hands[i].count;
    }
    print_rate(demo, "array calls, all kinds at once", demo->threads, ops, seconds);
}

/* The whole map against the whole table. */
static uint64_t export_phase(struct demo *demo, void *keys, void *values)
{
    size_t n = 0, at = 0;
    uint64_t size = 0, mistakes = 0;
    show_progress(demo, "comparing all pairs", 0, 1);
    const double start = clock_seconds();
    const pleach_status status = pleach_map_export(demo->map, demo->oracle.cells, keys, values, &n);
    const double seconds = clock_seconds() - start;
    if (status != PLEACH_OK || pleach_map_size(demo->map, &size) != PLEACH_OK) {
        report_failure(demo, "export or size", pleach_strerror(status));
        return 1;
    }
    if (n != oracle_size(&demo->oracle) || size != n) {
        report_failure(demo, "export", "wrong number of keys");
        return 1;
    }
    for (size_t cell = 0; cell < demo->oracle.cells; cell++) {
        if (!demo->oracle.present[cell]) continue;
        mistakes += word_get(keys, demo->bits, at) != oracle_key(&demo->oracle, cell) ||
                    word_get(values, demo->bits, at) != demo->oracle.values[cell];
        at++;
    }
    if (mistakes > 0) report_failure(demo, "export", "pairs differ");
    print_rate(demo, "export, pairs in order", 1, n, seconds);
    demo->hands[0].checked += n;
    return mistakes;
}

static uint64_t validate_phase(struct demo *demo)
{
    char message[256] = "";
    show_progress(demo, "validating", 0, 1);
    const pleach_status status = pleach_map_validate(demo->map, message, sizeof message);
    if (status == PLEACH_OK) return 0;
    report_failure(demo, "validate", message[0] != '\0' ? message : pleach_strerror(status));
    return 1;
}

/* ---- the whole ---- */

static uint64_t run_phases(struct demo *demo, const struct amounts *amounts, void *keys, void *values)
{
    uint64_t mistakes = load_phase(demo, keys, values);
    if (mistakes > 0) return mistakes;
    single_phase(demo, amounts);
    array_phase(demo, amounts);
    mistakes += export_phase(demo, keys, values);
    return mistakes + validate_phase(demo);
}

static void add_up(struct demo *demo, struct totals *totals)
{
    for (unsigned i = 0; i < demo->threads; i++) {
        const struct demo_hand *hand = &demo->hands[i];
        if (hand->mistakes > 0) report_failure(demo, "wrong answer", hand->first_mistake);
        totals->checked += hand->checked;
        totals->mistakes += hand->mistakes;
    }
}

static bool create_parts(struct demo *demo, size_t blocks)
{
    demo->crew = crew_create(demo->threads);
    return demo->crew != NULL && oracle_create(&demo->oracle, demo->bits, blocks) && demo_hands_create(demo);
}

static int demo_map(struct demo *demo, size_t blocks, struct totals *totals)
{
    const struct amounts *amounts = demo->device == PLEACH_CUDA ? &gpu_amounts : &cpu_amounts;
    demo->hand_ops = amounts->array_ops > amounts->single_ops ? amounts->array_ops : amounts->single_ops;
    void *keys = malloc(blocks * ORACLE_BLOCK * sizeof(uint64_t));
    void *values = malloc(blocks * ORACLE_BLOCK * sizeof(uint64_t));
    const pleach_map_config config = {.device = demo->device, .key_bits = demo->bits};
    const pleach_status status = pleach_map_create(&demo->map, &config);
    int result = EXIT_USAGE;
    if (status != PLEACH_OK) {
        report_failure(demo, "cannot create the map", pleach_strerror(status));
    } else if (keys == NULL || values == NULL || !create_parts(demo, blocks)) {
        report_failure(demo, "cannot begin", "out of memory or threads");
    } else {
        totals->mistakes += run_phases(demo, amounts, keys, values);
        add_up(demo, totals);
        end_progress();
        result = EXIT_GOOD;
    }
    pleach_map_destroy(demo->map);
    demo_hands_destroy(demo);
    oracle_destroy(&demo->oracle);
    crew_destroy(demo->crew);
    free(keys);
    free(values);
    return result;
}

static int demo_device(const struct options *options, pleach_device device, struct totals *totals)
{
    int result = EXIT_GOOD;
    for (unsigned bits = 32; bits <= 64 && result == EXIT_GOOD; bits += 32) {
        struct demo demo = {
            .device = device, .bits = bits, .threads = (unsigned)options->threads, .seed = options->seed};
        result = demo_map(&demo, options->blocks, totals);
    }
    return result;
}

static int run_demo(const struct options *options)
{
    char gpu[512];
    struct totals totals = {0};
    int result = EXIT_GOOD;
    const bool has_gpu = pleach_gpu_info(0, gpu, sizeof gpu) == PLEACH_OK;
    machine_gpu(gpu, sizeof gpu);
    if (options->device == ON_CUDA && !has_gpu) {
        cli_complain(command, "--device cuda: %s", gpu);
        return EXIT_USAGE;
    }
    printf("pleach %s, simd %s, gpu: %s\n\n", pleach_version(), pleach_simd(), gpu);
    print_heading();
    if (options->device != ON_CUDA) result = demo_device(options, PLEACH_CPU, &totals);
    if (result == EXIT_GOOD && options->device != ON_CPU && has_gpu)
        result = demo_device(options, PLEACH_CUDA, &totals);
    if (result != EXIT_GOOD) return result;
    printf("\n%" PRIu64 " answers checked, ", totals.checked);
    if (totals.mistakes == 0)
        printf("all are right.\n");
    else
        printf("%" PRIu64 " ARE WRONG.\n", totals.mistakes);
    return totals.mistakes == 0 ? EXIT_GOOD : EXIT_WRONG;
}

int command_demo(int argc, char **argv)
{
    struct cli cli;
    struct options options;
    cli_start(&cli, command, argc, argv);
    read_options(&cli, &options);
    if (cli.status != EXIT_GOOD) return cli.status;
    if (options.help) {
        fputs(help, stdout);
        return EXIT_GOOD;
    }
    return run_demo(&options);
}
