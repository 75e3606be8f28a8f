/* ablations.c - pleach-bench ablations: options, and the loop over them. */
#include "ablations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "tools/common/cli.h"

static const char command[] = "pleach-bench ablations";

static const struct ablation {
    const char *name;
    void (*run)(struct ablations *a);
    bool gpu;
    const char *what;
} list[] = {
    {"latch", ablation_latch, true, "a latched node: from the root or the parent again, spin, back off (Awad, 3.3.5)"},
    {"splits", ablation_splits, true, "full nodes on the way down, against from the leaf upwards (Awad, 3.3.4)"},
    {"loads", ablation_loads, true, "fences after reading, and loads past L1, against none (Awad, 3.4.2)"},
    {"reclaim", ablation_reclaim, true, "epochs entered by launches, blocks, tiles; finds, 20% updates (Awad, 4.4.4)"},
    {"eirene", ablation_eirene, true, "finds one by one; sorted, equal ones once; and neighbours together (Eirene)"},
    {"palm-leaves", ablation_palm_leaves, false, "leaves appended to, or kept in order; batches of 8,192 (PALM, B.2)"},
    {"palm-parents", ablation_palm_parents, false, "parent pointers, or the way of each operation kept (PALM, B.1)"},
};
enum { ABLATIONS = sizeof list / sizeof list[0] };

static const char help[] =
    "usage: pleach-bench ablations [OPTION...] [NAME...]\n"
    "\n"
    "What choices in the designs of the papers are worth, on this machine: small trees of 32-bit keys that differ in\n"
    "one choice only. They are no part of the library. Rates are in millions of operations per second, the median of\n"
    "the repeats, fewer where one takes seconds; all results are checked, outside the clock.\n"
    "\n"
    "  --device cpu|cuda        where (default: on the GPU if there is one)\n"
    "  --threads N              CPU: threads (default 2)\n"
    "  --repeat N               repeats, 1 to 101 (default 3)\n"
    "  --quick                  small sizes, some seconds\n"
    "  --json FILE, --csv FILE  write the results; - is standard output\n"
    "\n"
    "Names, all if none is given:\n";

bool ablations_complain(struct ablations *a, const char *what, const char *why)
{
    cli_complain(command, "%s: %s", what, why);
    a->failed = true;
    return false;
}

void ablations_start_row(const struct ablations *a, struct bench_row *row, const char *dist, size_t keys, size_t ops)
{
    *row = (struct bench_row){.device = a->device->name, .dist = dist, .bits = 32,
                              .threads = ablations_on_gpu(a) ? 0 : a->threads, .keys = keys, .batch = ops};
}

static bool run_once(struct ablations *a, const char *name, const struct ablation_verbs *verbs, void *stage,
                     double *seconds)
{
    if (!verbs->restore(stage)) return ablations_complain(a, name, "cannot copy to the device");
    const pleach_status status = a->device->time(verbs->call, stage, seconds);
    const char *wrong = status == PLEACH_OK ? verbs->check(stage) : pleach_status_name(status);
    return wrong == NULL || ablations_complain(a, name, wrong);
}

bool ablations_repeat(struct ablations *a, struct bench_row *row, const struct ablation_verbs *verbs, void *stage)
{
    const double limit = a->quick ? 0.1 : 1;
    double seconds, spent = 0;
    bool counts = !ablations_on_gpu(a);
    while (row->repeats < a->repeats && (spent < limit || row->repeats == 0)) {
        if (!run_once(a, row->name, verbs, stage, &seconds)) return false;
        spent += seconds;
        if (counts || spent >= limit) row->rates[row->repeats++] = (double)row->batch / seconds / 1e6;
        counts = true;
    }
    return true;
}

/* ---- trees ---- */

bool ablations_make_tree(const struct ablations *a, struct ablation_tree *t, struct bench_memory *memory, size_t first,
                         uint32_t step, size_t inserts)
{
    uint32_t *sorted = malloc((first + 1) * sizeof sorted[0]);
    if (sorted == NULL || !abl_tree_create(&t->image, abl_nodes_for(first, inserts))) {
        free(sorted);
        return false;
    }
    for (size_t i = 0; i < first; i++) sorted[i] = (uint32_t)i * step;
    abl_tree_build(&t->image, sorted, first);
    free(sorted);
    t->tree.capacity = inserts > 0 ? t->image.capacity : t->image.shared[ABL_TAKEN];
    t->tree.words = bench_memory_lines(memory, a->device, t->tree.capacity * ABL_WORDS * sizeof(uint64_t));
    t->tree.shared = bench_memory_lines(memory, a->device, ABL_SHARED_WORDS * sizeof(uint64_t));
    return !memory->lacking;
}

size_t ablations_tree_bytes(const struct ablation_tree *t)
{
    return (size_t)t->image.shared[ABL_TAKEN] * ABL_WORDS * sizeof(uint64_t);
}

bool ablations_restore_tree(const struct ablations *a, const struct ablation_tree *t)
{
    return a->device->copy_in(t->tree.words, t->image.words, ablations_tree_bytes(t)) &&
           a->device->copy_in(t->tree.shared, t->image.shared, ABL_SHARED_WORDS * sizeof(uint64_t));
}

/* ---- the command ---- */

struct wish {
    enum tool_where device;
    uint64_t threads, repeats;
    bool quick, help, wanted[ABLATIONS];
    struct bench_files files;
};

static void take_name(struct cli *cli, struct wish *wish, const char *name)
{
    bool known = false;
    for (size_t i = 0; i < ABLATIONS; i++) {
        if (strcmp(name, list[i].name) != 0) continue;
        wish->wanted[i] = known = true;
    }
    if (!known) cli_fail(cli, "there is no ablation '%s'; --help names them", name);
}

static void read_wish(struct cli *cli, struct wish *wish)
{
    const char *text = NULL;
    bool named = false;
    *wish = (struct wish){.device = TOOL_ANYWHERE, .threads = 2, .repeats = 3};
    while (cli_more(cli)) {
        if (cli_set_flag(cli, "--help", &wish->help) || cli_set_flag(cli, "--quick", &wish->quick) ||
            tool_device_take(cli, &wish->device, false) ||
            cli_take_number(cli, "--threads", 1, 256, &wish->threads) ||
            cli_take_number(cli, "--repeat", 1, BENCH_MOST_REPEATS, &wish->repeats) ||
            bench_files_take(cli, &wish->files))
            continue;
        else if (cli_take_word(cli, &text)) {
            take_name(cli, wish, text);
            named = true;
        } else
            cli_reject_option(cli);
    }
    for (size_t i = 0; i < ABLATIONS; i++) wish->wanted[i] |= !named;
}

static bool run_wanted(const struct wish *wish, const struct tool_device *device, struct bench_report *report)
{
    struct ablations a = {.device = device, .report = report, .repeats = (size_t)wish->repeats, .quick = wish->quick};
    a.threads = (unsigned)wish->threads;
    a.crew = crew_create(ablations_on_gpu(&a) ? cli_online_cpus() : a.threads);
    if (a.crew == NULL) return ablations_complain(&a, "threads", "cannot start them");
    for (size_t i = 0; i < ABLATIONS; i++) {
        if (!wish->wanted[i]) continue;
        bench_report_say(report, list[i].what);
        if (list[i].gpu || !ablations_on_gpu(&a))
            list[i].run(&a);
        else
            bench_report_say(report, "on CPUs only");
    }
    crew_destroy(a.crew);
    return !a.failed;
}

static int run(const struct wish *wish, const struct tool_device *device)
{
    struct bench_report *report = bench_report_open(&wish->files, command);
    return report != NULL ? bench_report_finish(report, run_wanted(wish, device, report)) : EXIT_USAGE;
}

static int print_help(void)
{
    fputs(help, stdout);
    for (size_t i = 0; i < ABLATIONS; i++) printf("  %-13s %s\n", list[i].name, list[i].what);
    return cli_finish_output(command, EXIT_GOOD);
}

int command_bench_ablations(int argc, char **argv)
{
    struct cli cli;
    struct wish wish;
    cli_start(&cli, command, argc, argv);
    read_wish(&cli, &wish);
    if (cli.status != EXIT_GOOD) return cli.status;
    if (wish.help) return print_help();
    const struct tool_device *device = tool_device_choose(command, wish.device);
    return device != NULL ? run(&wish, device) : EXIT_USAGE;
}
