/* ycsb.c - pleach-bench ycsb: the loop over devices, threads, workloads and stores. */
#include "ycsb.h"

#include <stdio.h>
#include <string.h>

#include "bench/commands.h"
#include "tools/common/cli.h"
#include "bench/third_party/rivals.h"

static const char command[] = "pleach-bench ycsb";

static void measure_workload(struct ycsb *y, const struct ycsb_workload *workload)
{
    static const struct rival *const own[] = {&ycsb_map, &ycsb_skiplist, &ycsb_hash};
    const struct ycsb_options *options = y->options;
    if (ycsb_use_workload(y, workload)) {
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
            if (options->structures[i]) ycsb_measure_store(y, own[i]);
        for (size_t i = 0; i < rival_count && y->device->kind == PLEACH_CPU; i++)
            if (options->rivals[i]) ycsb_measure_store(y, rival_list[i].rival);
    }
    ycsb_drop_workload(y);
}

enum { ORDER_SEED = 42 };

/* One device with one number of threads; 0 on a GPU. Answers an exit status. */
static int measure_device(const struct ycsb_options *options, struct bench_report *report,
                           const struct tool_device *device, unsigned threads)
{
    struct ycsb y = {.options = options, .device = device, .report = report, .threads = threads,
                     .clients = threads > 0 ? threads : 1};
    if (options->key_file.keys != NULL) y.order = mix_order_make(options->key_file.count, ORDER_SEED);
    y.crew = crew_create(threads > 0 ? threads : cli_online_cpus());
    if (y.crew == NULL) {
        cli_complain(command, "cannot start %u threads", threads);
        return EXIT_WRONG;
    }
    const bool quick = options->quick;
    y.limits = device->kind == PLEACH_CPU ? bench_limits_cpu(y.crew, quick) : bench_limits_cuda(quick);
    for (size_t i = 0; i < options->workload_count; i++) measure_workload(&y, &options->workloads[i]);
    crew_destroy(y.crew);
    return y.failed ? EXIT_WRONG : y.refused ? EXIT_USAGE : EXIT_GOOD;
}

/* A wrong answer is told before a workload that could not be carried out. */
static int worse(int one, int other)
{
    return one == EXIT_WRONG || other == EXIT_WRONG ? EXIT_WRONG : one != EXIT_GOOD ? one : other;
}

static void say_rivals(const struct ycsb_options *options, struct bench_report *report)
{
    char line[256];
    for (size_t i = 0; i < rival_count; i++) {
        const struct rival_entry *entry = &rival_list[i];
        if (!options->rivals[i]) continue;
        snprintf(line, sizeof line, "%s%s: %s%s", ycsb_kind_prefix(entry->rival), entry->name, entry->what,
                 entry->rival->concurrent ? "" : "; from two threads on a reader-writer lock around it");
        bench_report_say(report, line);
    }
}

/* `device` is the GPU, unless there is none or it is not wanted. */
static int run(const struct ycsb_options *options, const struct tool_device *device)
{
    struct bench_report *report = bench_report_open(&options->files, command);
    int status = EXIT_GOOD;
    if (report == NULL) return EXIT_USAGE;
    if (options->key_path != NULL) bench_report_name_keys(report, options->key_path);
    say_rivals(options, report);
    for (size_t i = 0; options->device != TOOL_ON_CUDA && i < options->thread_counts; i++)
        status = worse(status, measure_device(options, report, tool_device_host(), (unsigned)options->threads[i]));
    if (device->kind == PLEACH_CUDA) status = worse(status, measure_device(options, report, device, 0));
    return worse(status, bench_report_finish(report, true));
}

int command_bench_ycsb(int argc, char **argv)
{
    struct ycsb_options options;
    int status;
    if (!ycsb_read_options(&options, argc, argv, &status)) return status;
    const struct tool_device *device = tool_device_choose(command, options.device);
    if (device == NULL || !bench_key_file_read(&options.key_file, options.key_path, command)) return EXIT_USAGE;
    status = run(&options, device);
    bench_key_file_drop(&options.key_file);
    return status;
}
