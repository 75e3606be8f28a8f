/* demo.c - pleach demo: a second of each kind of work that pleach stress does, with a table of the rates. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <stdio.h>

#include "stress.h"
#include "tools/commands.h"
#include "tools/common/cli.h"
#include "tools/common/machine.h"

static const char help[] =
    "usage: pleach demo [OPTION...]\n"
    "\n"
    "Works on maps and hash tables with 32-bit and 64-bit keys from several threads at once, compares every result\n"
    "with that of a simple table, and prints the rates. Also uses the GPU, if there is one. Takes less than a minute.\n"
    "'pleach stress' does the same for longer, with more options.\n"
    "\n"
    "  --device cpu|cuda|all  where (default all)\n"
    "  --threads N            threads that call the map, 2 to 64 (default: one per CPU, at least 4)\n"
    "  --seed N               seed of all choices (default 1)\n"
    "\n"
    "Exit status: 0 all results are right, 1 a result is wrong, 2 the demo could not run.\n";

static const char *const device_names[] = {"cpu", "cuda", "all", NULL};
enum { ON_CPU, ON_CUDA, ON_ALL };

/* What is done, and the words of pleach stress for it. */
static const struct step {
    const char *text, *words;
} steps[] = {
    {"tree: all operations", "--scenario mixed"},
    {"tree: all threads on the same keys", "--scenario conserved"},
    {"tree: ascending keys", "--scenario sorted"},
    {"tree: compact, clear and load as well", "--scenario whole"},
    {"tree: long batches of all operations", "--scenario batches --batch 2^18"},
    {"versioned tree: snapshots as well", "--scenario mixed --versioned"},
    {"skiplist: all operations", "--scenario mixed --structure skiplist"},
    {"hash table: all operations", "--scenario mixed --structure hash"},
};

/* Both key widths. Sums are updated. */
static int run_step(const struct step *step, size_t device, const char *common, struct stress_totals *sum)
{
    const struct stress_totals before = *sum;
    for (unsigned bits = 32; bits <= 64; bits += 32) {
        struct stress_options options;
        char words[256];
        snprintf(words, sizeof words, "%s --device %s --bits %u --seconds 0.6 %s%s", step->words, device_names[device],
                 bits, common, device == ON_CUDA ? " --keys 2^18" : "");
        const int status = stress_read_line("pleach demo", words, &options);
        if (status != EXIT_GOOD || stress_run(&options, sum) == EXIT_USAGE) return EXIT_USAGE;
    }
    const uint64_t operations = sum->operations - before.operations;
    printf("%-6s  %-38s %14" PRIu64 " %8.2f  %s\n", device_names[device], step->text, operations,
           (double)operations / (sum->seconds - before.seconds) / 1e6, sum->wrong == before.wrong ? "right" : "WRONG");
    fflush(stdout);
    return EXIT_GOOD;
}

int command_demo(int argc, char **argv)
{
    struct cli cli;
    struct stress_totals sum = {0};
    size_t where = ON_ALL;
    uint64_t seed = 1, threads = 0;
    char gpu[512], common[64];
    cli_start(&cli, "pleach demo", argc, argv);
    cli.help = help;
    while (cli_more(&cli))
        if (!cli_take_choice(&cli, "--device", device_names, &where) &&
            !cli_take_number(&cli, "--threads", 2, MAX_CLIENTS, &threads) &&
            !cli_take_number(&cli, "--seed", 0, UINT64_MAX, &seed))
            cli_fail(&cli, "unknown word '%s'", cli.argv[cli.at]);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    int at = snprintf(common, sizeof common, "--seed %" PRIu64, seed);
    if (threads > 0) snprintf(common + at, sizeof common - (size_t)at, " --threads %" PRIu64, threads);
    const bool has_gpu = pleach_gpu_info(0, gpu, sizeof gpu) == PLEACH_OK;
    machine_gpu(gpu, sizeof gpu);
    printf("pleach %s, simd %s, gpu: %s\n\n", pleach_version(), pleach_simd(), gpu);
    printf("%-6s  %-38s %14s %8s  %s\n", "device", "work, with keys of 32 and of 64 bits", "operations", "M/s",
           "results");
    for (size_t device = ON_CPU; device <= ON_CUDA; device++) {
        const bool wanted = where == device || (where == ON_ALL && (device == ON_CPU || has_gpu));
        for (size_t i = 0; wanted && i < sizeof steps / sizeof steps[0]; i++)
            if (run_step(&steps[i], device, common, &sum) != EXIT_GOOD) return EXIT_USAGE;
    }
    printf("\n%" PRIu64 " results checked in %.0f s, ", sum.checked, sum.seconds);
    if (sum.wrong > 0) printf("%" PRIu64 " ARE WRONG.\n", sum.wrong);
    if (sum.wrong == 0) printf("all are right.\n");
    return sum.wrong == 0 ? EXIT_GOOD : EXIT_WRONG;
}
