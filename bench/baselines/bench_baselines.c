/* bench_baselines.c - pleach-bench baselines: options, and the loop over measurements and stores. */
#include "bench_baselines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "tools/common/cli.h"

static const char command[] = "pleach-bench baselines";

static const char help[] =
    "usage: pleach-bench baselines [OPTION...] [NAME...]\n"
    "\n"
    "Measures the structures that M. Awad's dissertation compares its B-tree with, beside pleach's map. A NAME is a\n"
    "measurement or a store; without one of a kind, all of that kind.\n"
    "\n"
    "  grow       from nothing to all keys, in batches of 2^16 to 2^22: the mean rate (table 3.3)\n"
    "  insert     one batch of 2^16 to 2^22 into a store that has all keys; of merge-tree one that meets a free\n"
    "             level, its best case: grow has the mean\n"
    "  find, range, succ   as many queries as there are keys; ranges of 8 and of 32 (figure 3.2)\n"
    "  erase      10% and 50% of the keys (figure 3.4)\n"
    "  crossing   from how many keys on inserting a batch into the map beats building it anew (figure 3.3)\n"
    "\n"
    "  map          pleach's map by array calls\n"
    "  map-batches  pleach's map, updates as batches\n"
    "  sorted       baseline: a sorted array; a batch is sorted and merged into a new one\n"
    "  rebuild      baseline: the same, all sorted anew for each batch\n"
    "  merge-tree   baseline: a log-structured merge tree; its smallest run is a batch (queries: 2^20, CPU 2^16)\n"
    "  coupled      baseline: a B+ tree with coupled latches. It is slow, and gets fewer keys: see the rows\n"
    "\n"
    "  --device cpu|cuda   where (default: cuda if there is a GPU, else cpu)\n"
    "  --bits 32|64        of keys and values (default 32)\n"
    "  --keys N            in the store (default: each measurement's own)\n"
    "  --repeat R          how often each is measured (default 3)\n"
    "  --threads N         on the CPU (default: all)\n"
    "  --quick             fewer keys\n"
    "  --json FILE, --csv FILE   write the results\n"
    "\n"
    "Rates are in millions per second. All results are checked, outside the clock.\n"
    "Exit status: 0, 1 if an answer was wrong or memory was lacking, 2 if the command could not be carried out.\n";

static const char *const task_names[TASKS] = {"grow", "insert", "find", "range", "succ", "erase", "crossing"};

static const struct contest_store contest_stores[CONTEST_STORES] = {
    {.name = "map", .verbs = &contest_map_verbs, .engine = PLEACH_ENGINE_CALLS, .is_map = true},
    {.name = "map-batches", .verbs = &contest_map_verbs, .engine = PLEACH_ENGINE_BATCHES, .is_map = true},
    {.name = "sorted", .verbs = &baseline_sorted},
    {.name = "rebuild", .verbs = &baseline_rebuild},
    {.name = "merge-tree", .verbs = &baseline_merge_tree},
    {.name = "coupled", .verbs = &baseline_coupled, .cpu_most = 500000, .gpu_most = 1 << 16},
};

struct request {
    struct bench_options options;
    enum tool_where device;
    size_t bits;
    uint64_t repeats, threads;
    bool tasks[TASKS], stores[CONTEST_STORES], any_task, any_store;
    struct bench_files files;
};

static void take_name(struct cli *cli, struct request *request, const char *name)
{
    bool known = false;
    for (size_t i = 0; i < TASKS; i++)
        if (strcmp(name, task_names[i]) == 0) known = request->any_task = request->tasks[i] = true;
    for (size_t i = 0; i < CONTEST_STORES; i++)
        if (strcmp(name, contest_stores[i].name) == 0) known = request->any_store = request->stores[i] = true;
    if (!known) cli_fail(cli, "there is no measurement and no store '%s'; --help names them", name);
}

static void read_request(struct cli *cli, struct request *request)
{
    static const char *const widths[] = {"32", "64", NULL};
    *request = (struct request){.device = TOOL_ANYWHERE, .repeats = 3, .threads = cli_online_cpus()};
    while (cli_more(cli)) {
        const char *word = NULL;
        if (cli_set_flag(cli, "--quick", &request->options.quick) ||
            tool_device_take(cli, &request->device, false) ||
            cli_take_choice(cli, "--bits", widths, &request->bits) ||
            cli_take_number(cli, "--keys", 16, (uint64_t)1 << 30, &request->options.keys) ||
            cli_take_number(cli, "--repeat", 1, BENCH_MOST_REPEATS, &request->repeats) ||
            cli_take_number(cli, "--threads", 1, 1024, &request->threads) ||
            bench_files_take(cli, &request->files))
            continue;
        else if (cli_take_word(cli, &word))
            take_name(cli, request, word);
        else
            cli_reject_option(cli);
    }
    for (size_t i = 0; i < TASKS; i++) request->tasks[i] |= !request->any_task;
    for (size_t i = 0; i < CONTEST_STORES; i++) request->stores[i] |= !request->any_store;
    request->options.repeats = (size_t)request->repeats;
    request->options.dist = DIST_UNIFORM;
    request->options.reserve = true;
}

/* ---- measuring ---- */

static void run_task(struct contest *c, const bool *tasks, enum contest_task task)
{
    switch (task) {
    case TASK_GROW: contest_grow(c); break;
    case TASK_INSERT: contest_insert(c); break;
    case TASK_ERASE: contest_erase(c); break;
    case TASK_CROSSING:
        if (c->kind->is_map) contest_crossing(c);
        break;
    case TASK_FIND:
    case TASK_RANGE:
    case TASK_SUCC: contest_queries(c, tasks); break;
    case TASKS: break;
    }
}

/* Queries are one task, so that a store is filled once for them. */
static bool is_wanted(const bool *tasks, enum contest_task task)
{
    if (task == TASK_RANGE || task == TASK_SUCC) return false;
    return task == TASK_FIND ? tasks[TASK_FIND] || tasks[TASK_RANGE] || tasks[TASK_SUCC] : tasks[task];
}

static void use_store(struct contest *c, const struct tool_device *device, const struct contest_store *store)
{
    static const struct bench_limits none;
    c->kind = store;
    c->bench.limits = store->is_map ? c->limits : none; /* a baseline's needs are others */
    c->named.name = bench_report_keep(c->bench.report, "%s/%s", device->name, store->name);
}

static void run_all(struct contest *c, const struct request *request, const struct tool_device *device)
{
    for (int task = 0; task < TASKS; task++) {
        if (!is_wanted(request->tasks, (enum contest_task)task)) continue;
        for (size_t i = 0; i < CONTEST_STORES; i++) {
            if (!request->stores[i]) continue;
            use_store(c, device, &contest_stores[i]);
            run_task(c, request->tasks, (enum contest_task)task);
        }
    }
}

static bool open_machine(struct contest *c)
{
    if (c->bench.device->kind == PLEACH_CPU) {
        baseline_machine_cpu(&c->machine, c->bench.crew);
        return true;
    }
    const pleach_status status = baseline_machine_cuda(&c->machine);
    return status == PLEACH_OK || bench_complain(&c->bench, "baselines", "memory of the GPU", status);
}

static bool measure(const struct request *request, const struct tool_device *device, struct bench_report *report)
{
    const bool on_cpu = device->kind == PLEACH_CPU;
    struct contest c = {.named = *device};
    c.bench = (struct bench){.options = &request->options, .device = &c.named, .dist_name = "uniform",
                             .bits = request->bits == 0 ? 32 : 64, .threads = on_cpu ? (unsigned)request->threads : 0,
                             .report = report};
    c.bench.crew = crew_create(on_cpu ? (unsigned)request->threads : cli_online_cpus());
    if (c.bench.crew == NULL) {
        cli_complain(command, "cannot start threads");
        return false;
    }
    const bool quick = request->options.quick;
    c.limits = on_cpu ? bench_limits_cpu(c.bench.crew, quick) : bench_limits_cuda(quick);
    if (open_machine(&c)) run_all(&c, request, device);
    contest_drop_keys(&c);
    bench_close(&c.bench);
    baseline_machine_close(&c.machine);
    crew_destroy(c.bench.crew);
    return !c.bench.failed;
}

static int run(const struct request *request, const struct tool_device *device)
{
    struct bench_report *report = bench_report_open(&request->files, command);
    return report != NULL ? bench_report_finish(report, measure(request, device, report)) : EXIT_USAGE;
}

int command_bench_baselines(int argc, char **argv)
{
    struct cli cli;
    struct request request;
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    read_request(&cli, &request);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    const struct tool_device *device = tool_device_choose(command, request.device);
    return device != NULL ? run(&request, device) : EXIT_USAGE;
}
