/* ycsb_options.c - the options of pleach-bench ycsb. */
#include <stdio.h>
#include <string.h>

#include "ycsb.h"
#include "tools/common/memory_limit.h"
#include "tools/common/cli.h"
#include "bench/third_party/rivals.h"

static const char help[] =
    "usage: pleach-bench ycsb [OPTION...] [A|B|C|D|E|F...]\n"
    "\n"
    "The core workloads of YCSB (Yahoo! Cloud Serving Benchmark), or those named, on records of a 64-bit key and a\n"
    "64-bit value:\n"
    "\n"
    "  A  50% reads, 50% updates, zipfian        D  95% reads of the latest, 5% inserts\n"
    "  B  95% reads, 5% updates, zipfian         E  95% scans of 1 to 100 records, 5% inserts, zipfian\n"
    "  C  reads, zipfian                         F  50% reads, 50% read-modify-writes, zipfian\n"
    "\n"
    "On the CPU each is measured by single calls from threads; \"cpu/map[]\" are array calls, one for each kind of\n"
    "operation in a group, and \"cpu/map-apply\" is a batch of all kinds, as if in their order. On a GPU there are\n"
    "the latter two, on data in its memory. In groups, what a read-modify-write writes is known beforehand.\n"
    "\n"
    "Rates are in millions of operations a second, the median of the repeats. Operations are made before the clock\n"
    "starts, records are as at first before each repeat, and all answers are checked after it has stopped. A repeat\n"
    "of its own tells how long single calls take, the look at the clock included; bytes a key are those in use.\n"
    "\n"
    "  --keys N                 records at first (default 1M; GPU 16M; of a file nine tenths of its keys)\n"
    "  --ops N                  operations (default 1M; GPU 16M; with a file no more than records)\n"
    "  --batch N                operations of a group (default 2^14; GPU 2^20)\n"
    "  --dist NAME              whose records are asked for, instead of the workload's own way: uniform; zipfian:\n"
    "                           exponent 0.99 among 10^10 items, scattered over the records as YCSB does; latest\n"
    "  --key-file FILE          keys of the records from a file, in shuffled order: those at first, and then those\n"
    "                           that are inserted; a file as 'pleach-bench --help' tells\n"
    "  --max-memory N           bytes to take at most for that file (default: half of the machine's memory)\n"
    "  --workload FILE          another workload, from a file of YCSB's properties (readproportion=0.95 and so on)\n"
    "  --structure NAME[,...]   map, skiplist, hash (default all); a hash table has no order, so no E\n"
    "  --rivals[=NAME,...]      other stores in the same run, on the CPU: all of this build, or those named\n"
    "  --list-rivals            which there are, and which Debian package each needs\n"
    "  --threads N[,N...]       CPU: threads of the structure, and that make single calls (default: one per CPU)\n"
    "  --device cpu|cuda|all    where (default all: the CPU, and the GPU if there is one)\n"
    "  --engine NAME            updates by array calls: auto (default), calls (on a stream), batches; docs/batch.md\n"
    "  --single                 single calls only\n"
    "  --no-latency             not how long calls take\n"
    "  --reserve                memory for all records before the clock starts; else its growth is measured as well\n"
    "  --repeat R               1 to 101 (default 5)\n"
    "  --seed N                 of the operations\n"
    "  --quick                  fewer operations (CPU 2^18; GPU 4M records, 2^20 operations), 3 repeats\n"
    "  --json FILE, --csv FILE  write the results; - is standard output\n"
    "\n"
    "Rows of others are marked: \"peer-\" is another project's, \"base-\" a baseline for comparison. They work on the\n"
    "same records, with the same operations and threads, through the same loop, and are checked alike.\n"
    "\n"
    "Counts may be given as 5000, 64M (millions), 16Mi (2^20s) or 2^20.\n";

const char *const ycsb_dist_names[] = {"uniform", "zipfian", "latest", NULL};
static const char *const engine_names[] = {"auto", "calls", "batches", NULL}; /* as pleach_engine */
static const char *const structure_names[] = {"map", "skiplist", "hash", NULL};

/* In the order of enum ycsb_kind: read, update, insert, scan, read-modify-write. */
static const struct ycsb_workload standard[] = {
    {.name = "ycsb-A", .share = {0.5, 0.5, 0, 0, 0}, .dist = YCSB_ZIPFIAN, .least_scan = 1, .most_scan = 100},
    {.name = "ycsb-B", .share = {0.95, 0.05, 0, 0, 0}, .dist = YCSB_ZIPFIAN, .least_scan = 1, .most_scan = 100},
    {.name = "ycsb-C", .share = {1, 0, 0, 0, 0}, .dist = YCSB_ZIPFIAN, .least_scan = 1, .most_scan = 100},
    {.name = "ycsb-D", .share = {0.95, 0, 0.05, 0, 0}, .dist = YCSB_LATEST, .least_scan = 1, .most_scan = 100},
    {.name = "ycsb-E", .share = {0, 0, 0.05, 0.95, 0}, .dist = YCSB_ZIPFIAN, .least_scan = 1, .most_scan = 100},
    {.name = "ycsb-F", .share = {0.5, 0, 0, 0, 0.5}, .dist = YCSB_ZIPFIAN, .least_scan = 1, .most_scan = 100},
};
enum { STANDARD = sizeof standard / sizeof standard[0] };

static void add_workload(struct cli *cli, struct ycsb_options *options, const struct ycsb_workload *workload)
{
    for (size_t i = 0; i < options->workload_count; i++)
        if (strcmp(options->workloads[i].name, workload->name) == 0) return;
    if (options->workload_count == YCSB_MOST_WORKLOADS)
        cli_fail(cli, "at most %d workloads at a time", YCSB_MOST_WORKLOADS);
    else
        options->workloads[options->workload_count++] = *workload;
}

static void take_letter(struct cli *cli, struct ycsb_options *options, const char *word)
{
    const char letter = word[0] >= 'a' && word[0] <= 'f' ? (char)(word[0] - 'a' + 'A') : word[0];
    if (letter < 'A' || letter > 'F' || word[1] != '\0')
        cli_fail(cli, "workloads are A, B, C, D, E and F, not '%s'; --workload reads one from a file", word);
    else
        add_workload(cli, options, &standard[letter - 'A']);
}

static void take_file(struct cli *cli, struct ycsb_options *options, const char *path)
{
    struct ycsb_workload workload;
    char why[512];
    if (ycsb_read_workload(&workload, path, why, sizeof why))
        add_workload(cli, options, &workload);
    else
        cli_fail(cli, "%s", why);
}

/* ---- lists ---- */

static void take_rival(struct cli *cli, void *context, const char *word)
{
    struct ycsb_options *options = context;
    for (size_t i = 0; i < rival_count; i++) {
        if (strcmp(rival_list[i].name, word) != 0) continue;
        if (rival_list[i].rival == NULL)
            cli_fail(cli, "this build has no '%s': Debian's %s was not there", word, rival_list[i].package);
        options->rivals[i] = true;
        return;
    }
    cli_fail(cli, "there is no rival '%s'; 'pleach-bench ycsb --list-rivals' names them", word);
}

static void take_all_rivals(struct ycsb_options *options)
{
    for (size_t i = 0; i < rival_count; i++) options->rivals[i] = rival_list[i].rival != NULL;
}

static bool take_list(struct cli *cli, struct ycsb_options *options)
{
    const char *text = NULL;
    if (cli_take_flag(cli, "--rivals"))
        take_all_rivals(options);
    else if (cli_take_text(cli, "--rivals", &text))
        cli_each_word(cli, text, take_rival, options);
    else if (!cli_take_text(cli, "--workload", &text))
        return false;
    else if (text != NULL)
        take_file(cli, options, text);
    return true;
}

/* ---- the rest ---- */

static bool take_flag(struct cli *cli, struct ycsb_options *options)
{
    return cli_set_flag(cli, "--list-rivals", &options->list_rivals) || cli_set_flag(cli, "--quick", &options->quick) ||
           cli_set_flag(cli, "--single", &options->single) || cli_set_flag(cli, "--reserve", &options->reserve) ||
           cli_set_flag(cli, "--no-latency", &options->no_latency);
}

static bool take_value(struct cli *cli, struct ycsb_options *options)
{
    const uint64_t most = (uint64_t)1 << 31;
    return cli_take_numbers(cli, "--threads", 1, 1024, options->threads, BENCH_MOST_THREAD_COUNTS,
                            &options->thread_counts) ||
           cli_take_names(cli, "--structure", structure_names, options->structures) ||
           cli_take_number(cli, "--keys", 16, most, &options->keys) ||
           cli_take_number(cli, "--ops", 1, most, &options->ops) ||
           cli_take_number(cli, "--batch", 1, (uint64_t)1 << 29, &options->batch) ||
           cli_take_number(cli, "--repeat", 1, BENCH_MOST_REPEATS, &options->repeats) ||
           cli_take_number(cli, "--seed", 0, UINT64_MAX, &options->seed) ||
           cli_take_choice(cli, "--dist", ycsb_dist_names, &options->dist) ||
           cli_take_choice(cli, "--engine", engine_names, &options->engine) ||
           tool_device_take(cli, &options->device, true) ||
           cli_take_text(cli, "--key-file", &options->key_path) || memory_limit_take(cli) ||
           bench_files_take(cli, &options->files);
}

static void complete(struct ycsb_options *options)
{
    const bool any = options->structures[0] || options->structures[1] || options->structures[2];
    if (!any) options->structures[0] = options->structures[1] = options->structures[2] = true;
    if (options->thread_counts == 0) options->threads[options->thread_counts++] = cli_online_cpus();
    if (options->repeats == 0) options->repeats = options->quick ? 3 : 5;
    for (size_t i = 0; options->workload_count == 0 && i < STANDARD; i++) options->workloads[i] = standard[i];
    if (options->workload_count == 0) options->workload_count = STANDARD;
    for (size_t i = 0; options->dist < YCSB_DISTS && i < options->workload_count; i++)
        options->workloads[i].dist = (enum ycsb_dist)options->dist;
}

bool ycsb_read_options(struct ycsb_options *options, int argc, char **argv, int *status)
{
    struct cli cli;
    const char *word = NULL;
    cli_start(&cli, "pleach-bench ycsb", argc, argv);
    cli.help = help;
    *options = (struct ycsb_options){.device = TOOL_ANYWHERE, .dist = YCSB_DISTS};
    while (cli_more(&cli)) {
        if (take_flag(&cli, options) || take_value(&cli, options) || take_list(&cli, options)) continue;
        if (cli_take_word(&cli, &word))
            take_letter(&cli, options, word);
        else
            cli_reject_option(&cli);
    }
    enum { BYTES_PER_KEY = 200, BYTES_PER_OPERATION = 150 }; /* with the most generous rival, and all arrays */
    bench_check_memory(&cli, "records and operations",
                       options->keys * BYTES_PER_KEY + options->ops * BYTES_PER_OPERATION);
    *status = cli_result(&cli);
    if (cli.status != EXIT_GOOD) return false;
    complete(options);
    if (options->list_rivals) rivals_print();
    return !options->list_rivals;
}
