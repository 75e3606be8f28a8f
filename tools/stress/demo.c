/* demo.c - pleach demo: a few seconds of each kind of work that pleach stress does, with a table of the rates. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "stress.h"
#include "tools/commands.h"
#include "tools/common/cli.h"
#include "tools/common/machine.h"

static const char help[] =
    "usage: pleach demo [OPTION...]\n"
    "\n"
    "Works on maps and hash tables with 32-bit and 64-bit keys from several threads at once, compares every result with\n"
    "that of a simple table, and prints the rates. Also uses the GPU, if there is one. Takes less than a minute.\n"
    "'pleach stress' does the same for longer, with more options.\n"
    "\n"
    "  --device cpu|cuda|all  where (default all)\n"
    "  --threads N            threads that call the map concurrently, 4 to 64 (default: one per CPU, at least 4)\n"
    "  --seed N               seed of all choices (default 1)\n"
    "\n"
    "Exit status: 0 all results are right, 1 a result is wrong, 2 the demo could not run.\n";

enum { ON_CPU, ON_CUDA, ON_ALL };
static const char *const device_names[] = {"cpu", "cuda", "all", NULL};

enum { STREAMS = 4, GPU_KEYS = 1 << 20, BATCH = 1 << 18 };
static const double step_seconds = 1.2;

static const struct step {
    const char *text;
    enum target_structure structure;
    size_t scenario; /* as in pleach stress */
    bool versioned;
} steps[] = {
    {"tree: all operations, own keys", TARGET_TREE, 0, false},
    {"tree: all threads on the same keys", TARGET_TREE, 1, false},
    {"tree: ascending keys", TARGET_TREE, 2, false},
    {"tree: compact, clear, load meanwhile", TARGET_TREE, 3, false},
    {"tree: long batches of all operations", TARGET_TREE, 4, false},
    {"versioned tree: snapshots meanwhile", TARGET_TREE, 0, true},
    {"skiplist: all operations, own keys", TARGET_SKIPLIST, 0, false},
    {"hash table: all operations, own keys", TARGET_HASH, 0, false},
};

struct demo_options {
    size_t device;
    uint64_t threads, seed;
    bool help;
};

static void read_options(struct cli *cli, struct demo_options *options)
{
    *options = (struct demo_options){.device = ON_ALL, .seed = 1};
    while (cli_more(cli)) {
        if (cli_take_flag(cli, "--help"))
            options->help = true;
        else if (!cli_take_choice(cli, "--device", device_names, &options->device) &&
                 !cli_take_number(cli, "--threads", STREAMS, MAX_CLIENTS, &options->threads) &&
                 !cli_take_number(cli, "--seed", 0, UINT64_MAX, &options->seed))
            cli_fail(cli, "unknown word '%s'", cli->argv[cli->at]);
    }
}

/* Both key widths share the time of a step. */
static int run_step(const struct demo_options *demo, pleach_device device, const struct step *step,
                    struct stress_totals *sum)
{
    const bool gpu = device == PLEACH_CUDA;
    struct stress_options options = {
        .command = "pleach demo", .device = device, .structure = step->structure, .scenario = step->scenario,
        .threads = demo->threads > 0 ? (unsigned)demo->threads : stress_default_threads(device, STREAMS),
        .streams = gpu ? STREAMS : 1, .seed = demo->seed, .rounds = UINT64_MAX, .operations = UINT64_MAX,
        .keys = gpu ? GPU_KEYS : 0, .batch = BATCH, .seconds = step_seconds / 2, .hang_timeout = 30,
        .versioned = step->versioned, .quiet = true};
    struct stress_totals widths[2] = {{0}, {0}};
    int status = EXIT_GOOD;
    for (unsigned i = 0; i < 2 && status == EXIT_GOOD; i++) {
        options.bits = 32 * (i + 1);
        status = stress_run(&options, &widths[i]);
    }
    const uint64_t operations = widths[0].operations + widths[1].operations;
    const double seconds = widths[0].seconds + widths[1].seconds;
    sum->operations += operations;
    sum->checked += widths[0].checked + widths[1].checked;
    sum->wrong += widths[0].wrong + widths[1].wrong;
    sum->seconds += seconds;
    if (status == EXIT_USAGE) return status;
    printf("%-6s  %-38s %14" PRIu64 " %8.2f  %s\n", device_names[gpu], step->text, operations,
           (double)operations / seconds / 1e6, status == EXIT_GOOD ? "right" : "WRONG");
    fflush(stdout);
    return EXIT_GOOD;
}

int command_demo(int argc, char **argv)
{
    struct cli cli;
    struct demo_options options;
    struct stress_totals sum = {0};
    char gpu[512];
    int status = EXIT_GOOD;
    cli_start(&cli, "pleach demo", argc, argv);
    read_options(&cli, &options);
    if (cli.status != EXIT_GOOD) return cli.status;
    if (options.help) {
        fputs(help, stdout);
        return EXIT_GOOD;
    }
    const bool has_gpu = pleach_gpu_info(0, gpu, sizeof gpu) == PLEACH_OK;
    machine_gpu(gpu, sizeof gpu);
    printf("pleach %s, simd %s, gpu: %s\n\n", pleach_version(), pleach_simd(), gpu);
    printf("%-6s  %-38s %14s %8s  %s\n", "device", "work, keys of 32 and of 64 bits", "operations", "M/s", "results");
    for (unsigned device = ON_CPU; device <= ON_CUDA; device++) {
        const bool wanted = options.device == device || (options.device == ON_ALL && (device == ON_CPU || has_gpu));
        for (size_t i = 0; wanted && status == EXIT_GOOD && i < sizeof steps / sizeof steps[0]; i++)
            status = run_step(&options, device == ON_CUDA ? PLEACH_CUDA : PLEACH_CPU, &steps[i], &sum);
    }
    if (status != EXIT_GOOD) return status;
    printf("\n%" PRIu64 " results checked in %.0f s, ", sum.checked, sum.seconds);
    if (sum.wrong == 0)
        printf("all are right.\n");
    else
        printf("%" PRIu64 " ARE WRONG.\n", sum.wrong);
    return sum.wrong == 0 ? EXIT_GOOD : EXIT_WRONG;
}
