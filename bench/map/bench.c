/* bench.c - pleach-bench NAME...: options, and the loop over all benchmarks of maps. */
#include "bench/harness/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "tools/common/cli.h"
#include "tools/common/machine.h"
#include "tools/common/memory_limit.h"

static const char command[] = "pleach-bench";

static const char help[] =
    "usage: pleach-bench [OPTION...] [NAME...]\n"
    "\n"
    "Measures the named benchmarks, or all. Rates are in millions of operations per second: the median of the\n"
    "repeats and their spread, (highest - lowest) / median. Each is also given as a share of what the memory allows,\n"
    "as measured at the start of the same run (random lines read and changed, bytes copied, pairs sorted), with the\n"
    "name of the limit that binds. On the GPU data lies in GPU memory and transfers are not counted. All results\n"
    "are checked, outside the clock.\n"
    "\n";

static const char options_help[] = /* apart: compilers may refuse longer texts */
    "  --list                 the names, and what they measure\n"
    "  --keys N               keys in the map (default: see --list)\n"
    "  --ops N, --batch N     operations in one call (default: see --list)\n"
    "  --bits 32|64|128|both  width of keys and values (default both: 32 and 64); 128 on the CPU, in arrays\n"
    "  --dist NAME            uniform: scrambled keys in shuffled order (default)\n"
    "                         sorted: the same keys in ascending order\n"
    "                         zipf, zipf1: the same keys, popular ones more often (exponent 0.99, 1)\n"
    "                         self: the same keys, 80% of the queries for 20% of them, and so on within these\n"
    "                         gauss: the same keys, those around the middle one (deviation 0.5% of its rank)\n"
    "                         dense: keys 0..N-1 in shuffled order\n"
    "  --updates P[,P...]     apply, single-mixed, mixed-range, mixed-erase, mixed-all: shares of updates in percent,\n"
    "                         such as 25 or 0.01\n"
    "  --kinds NAME[,...]     apply: what these are. update: other values of keys of the map, insert: new keys\n"
    "                         (default both); change: new keys beside those of the map, and erases, by halves\n"
    "  --length N[,N...]      keys in a range on average, for range-limit, range-packed, range-count, mixed-range,\n"
    "                         mixed-length, mixed-all; with apply, queries are such ranges, updates other values\n"
    "  --key-file FILE        keys of 64 bits from a file, asked for as --dist says: their number, then they\n"
    "                         in ascending order, as words with the lowest byte first; plain, gzip or xz\n"
    "  --max-memory N         bytes to take at most for that file (default: half of the machine's memory)\n"
    "  --threads N[,N...]     CPU: threads of the map, and that make single calls (default: one per CPU online)\n"
    "  --device cpu|cuda|all  where (default all: the CPU, and the GPU if there is one)\n"
    "  --repeat R             1 to 101 (default 5)\n"
    "  --versioned            maps that can have snapshots, with none live; \"cpu/v\", \"cuda/v\" in the table\n"
    "  --snapshot             the same, and updates run beside a live snapshot of the map before them: what they\n"
    "                         change is copied first; \"cpu/s\", \"cuda/s\" in the table\n"
    "  --structure NAME       map (default), a tree; or skiplist, without snapshots and batches: in the table\n"
    "                         \"cpu/s16\", \"cuda/s32\" and the like, by the slots of its chunks\n"
    "  --chunk 16|32          slots of a skiplist's chunk (default 16)\n"
    "  --team N               lanes that search a chunk of a skiplist on a GPU: 1, 2, 4, 8, 16, 32 (default: the\n"
    "                         library's)\n"
    "  --raise P              chance that a new chunk of a skiplist is entered above, above 0 and up to 1 (default 1)\n"
    "  --engine NAME          updates by array calls: auto (default), calls (on a stream), batches; docs/batch.md\n"
    "  --no-reserve           do not have node memory ready before inserting: its growth is measured as well\n"
    "  --quick                smaller sizes, 3 repeats\n"
    "  --json FILE            write the results, with every repeat, as JSON in the shape of Google Benchmark's;\n"
    "                         - is standard output\n"
    "  --csv FILE             write the results as CSV; - is standard output\n"
    "\n"
    "Counts may be given as 5000, 64M (millions), 16Mi (2^20s) or 2^20.\n"
    "\n"
    "'pleach-bench gfsl' has options of its own: inserts, deletes and contains mixed, on skiplists beside the map\n"
    "and a lock-free skiplist; 'pleach-bench gfsl --help'. So has 'pleach-bench ycsb': the core workloads of YCSB, on\n"
    "all structures and on those of others; 'pleach-bench baselines': a sorted array, a log-structured merge\n"
    "tree and a tree with coupled latches, beside the map; 'pleach-bench graph'; and 'pleach-bench ablations'.\n"
    "'pleach-bench paper' runs the experiments of the papers that pleach follows, with what they report. Beside the\n"
    "source, 'bench/compare.py BEFORE.json AFTER.json' tells what got faster or slower, and 'bench/report.py\n"
    "RESULTS.json' makes a page of results.\n";

enum { MOST_COUNT_POWER = 31 };

enum { BITS_32, BITS_64, BITS_128, BITS_BOTH };
enum { NO_CHOICE = 100 };

static const char *const bits_names[] = {"32", "64", "128", "both", NULL};
static const char *const structure_names[] = {"map", "skiplist", NULL}; /* as pleach_structure */
static const char *const chunk_names[] = {"16", "32", NULL};
static const char *const team_names[] = {"1", "2", "4", "8", "16", "32", NULL}; /* powers of two */
static const char *const engine_names[] = {"auto", "calls", "batches", NULL}; /* as pleach_engine */
static const char *const dist_names[] = {"uniform", "sorted", "zipf", "dense", "zipf1", "self", "gauss", NULL};

struct request {
    struct bench_options options;
    enum tool_where device;
    size_t bits, dist, engine, structure;
    size_t chunk, team; /* their names' indices; beyond these: the default */
    uint64_t repeats; /* 0: the default */
    uint64_t threads[BENCH_MOST_THREAD_COUNTS];
    size_t thread_counts;
    struct bench_files files;
    const char *key_path;
    char dist_name[24];
    bool wanted[BENCH_CASES];
    bool any_wanted, list, help, no_reserve;
};

static void want_case(struct cli *cli, struct request *request, const char *name)
{
    for (size_t i = 0; i < BENCH_CASES; i++) {
        if (strcmp(bench_cases[i].name, name) != 0) continue;
        request->wanted[i] = request->any_wanted = true;
        return;
    }
    cli_fail(cli, "there is no benchmark '%s'; 'pleach-bench --list' names them", name);
}

static bool take_flag(struct cli *cli, struct request *request)
{
    struct bench_options *options = &request->options;
    return cli_set_flag(cli, "--help", &request->help) || cli_set_flag(cli, "--list", &request->list) ||
           cli_set_flag(cli, "--quick", &options->quick) || cli_set_flag(cli, "--no-reserve", &request->no_reserve) ||
           cli_set_flag(cli, "--versioned", &options->versioned) || cli_set_flag(cli, "--snapshot", &options->snapshot);
}

static bool take_structure(struct cli *cli, struct request *request)
{
    return cli_take_choice(cli, "--structure", structure_names, &request->structure) ||
           cli_take_choice(cli, "--chunk", chunk_names, &request->chunk) ||
           cli_take_choice(cli, "--team", team_names, &request->team) ||
           cli_take_real(cli, "--raise", 1, &request->options.raise);
}

/* What a skiplist has not, and what only a skiplist has. */
static void check_structure(struct cli *cli, struct request *request)
{
    struct bench_options *options = &request->options;
    options->structure = (pleach_structure)request->structure;
    const bool shaped = request->chunk < NO_CHOICE || request->team < NO_CHOICE || options->raise != 0;
    if (options->structure != PLEACH_SKIPLIST) {
        if (shaped) cli_fail(cli, "--chunk, --team and --raise are for --structure skiplist");
        return;
    }
    if (options->versioned || options->engine == PLEACH_ENGINE_BATCHES)
        cli_fail(cli, "skiplists have no snapshots and no batches");
    if (request->bits == BITS_128) cli_fail(cli, "skiplists have keys of 32 and of 64 bits");
    options->chunk = request->chunk == 1 ? 32 : 16;
    options->team = request->team < NO_CHOICE ? 1u << request->team : 0;
}

/* A file has keys of one width, and its own places for them. */
static void check_key_file(struct cli *cli, struct request *request)
{
    const char *order = dist_names[request->dist];
    const bool plain = request->options.dist == DIST_UNIFORM;
    snprintf(request->dist_name, sizeof request->dist_name, "%s", order);
    if (request->key_path == NULL) return;
    if (request->bits != BITS_64 && request->bits != BITS_BOTH) cli_fail(cli, "--key-file has keys of 64 bits");
    if (request->options.dist == DIST_DENSE) cli_fail(cli, "--key-file and --dist dense are two kinds of keys");
    snprintf(request->dist_name, sizeof request->dist_name, "file%s%s", plain ? "" : "-", plain ? "" : order);
    request->bits = BITS_64;
}

static void read_request(struct cli *cli, struct request *request)
{
    const uint64_t most = (uint64_t)1 << MOST_COUNT_POWER;
    *request = (struct request){.device = TOOL_ANYWHERE, .bits = BITS_BOTH, .thread_counts = 1, .chunk = NO_CHOICE,
                                .team = NO_CHOICE};
    request->threads[0] = cli_online_cpus();
    while (cli_more(cli)) {
        const char *text = NULL;
        if (take_flag(cli, request) || take_structure(cli, request) || bench_take_list(cli, &request->options) ||
            cli_take_numbers(cli, "--threads", 1, 1024, request->threads, BENCH_MOST_THREAD_COUNTS,
                             &request->thread_counts) ||
            cli_take_number(cli, "--keys", 16, most, &request->options.keys) ||
            cli_take_number(cli, "--ops", 1, most, &request->options.ops) ||
            cli_take_number(cli, "--batch", 1, most, &request->options.ops) ||
            cli_take_number(cli, "--repeat", 1, BENCH_MOST_REPEATS, &request->repeats) ||
            cli_take_choice(cli, "--bits", bits_names, &request->bits) ||
            cli_take_choice(cli, "--dist", dist_names, &request->dist) ||
            cli_take_choice(cli, "--engine", engine_names, &request->engine) ||
            tool_device_take(cli, &request->device, true) ||
            cli_take_text(cli, "--key-file", &request->key_path) || memory_limit_take(cli) ||
            bench_files_take(cli, &request->files))
            continue;
        if (cli_take_word(cli, &text))
            want_case(cli, request, text);
        else
            cli_reject_option(cli);
    }
    enum { BYTES_PER_KEY = 64, BYTES_PER_OPERATION = 64 }; /* a 64-bit map and its arrays, generously */
    bench_check_memory(cli, "keys and operations",
                       request->options.keys * BYTES_PER_KEY + request->options.ops * BYTES_PER_OPERATION);
    if (request->bits == BITS_128 && request->device == TOOL_ON_CUDA) cli_fail(cli, "--bits 128 is for the CPU only");
    if (request->bits == BITS_128) request->device = TOOL_ON_CPU;
    request->options.repeats = request->repeats > 0 ? (size_t)request->repeats : request->options.quick ? 3 : 5;
    request->options.dist = (enum bench_dist)request->dist;
    request->options.engine = (pleach_engine)request->engine;
    request->options.reserve = !request->no_reserve;
    request->options.versioned |= request->options.snapshot;
    check_structure(cli, request);
    check_key_file(cli, request);
}

/* Whether a benchmark can be run as things are; says why not if it was asked for by name. */
static bool applies(const struct bench *bench, const struct request *request, const struct bench_case *which)
{
    const int device = bench->device->kind == PLEACH_CUDA ? CASE_CUDA : CASE_CPU;
    if ((which->flags & device) == 0) return false;
    /* Reading lines has nothing to do with the width of keys. */
    if (which->run == bench_limits && bench->bits == 64 && request->bits == BITS_BOTH) return false;
    if (which->run == bench_index && request->key_path != NULL) {
        if (request->any_wanted) cli_complain(command, "%s makes its own keys: left out with --key-file", which->name);
        return false;
    }
    if ((which->flags & CASE_NARROW) != 0 && bench->bits == 128) {
        if (request->any_wanted) cli_complain(command, "%s is left out with --bits 128", which->name);
        return false;
    }
    if ((which->flags & CASE_TREE) != 0 && request->options.structure == PLEACH_SKIPLIST) {
        if (request->any_wanted) cli_complain(command, "%s is left out with --structure skiplist", which->name);
        return false;
    }
    if ((which->flags & CASE_DISTINCT) == 0 || !bench_dist_repeats(request->options.dist)) return true;
    if (request->any_wanted) cli_complain(command, "%s needs every key once: left out with this --dist", which->name);
    return false;
}

static void run_cases(struct bench *bench, const struct request *request)
{
    for (size_t i = 0; i < BENCH_CASES; i++) {
        const struct bench_case *which = &bench_cases[i];
        if ((!request->any_wanted || request->wanted[i]) && applies(bench, request, which)) which->run(bench, which);
    }
}

static bool bench_width(const struct request *request, struct bench *bench, unsigned bits)
{
    bench->bits = bits;
    run_cases(bench, request);
    bench_close(bench);
    return !bench->failed;
}

/* One device with one number of threads; 0 on a GPU. */
static bool bench_device(const struct request *request, struct bench_report *report,
                         const struct tool_device *device, unsigned threads)
{
    struct bench bench = {.options = &request->options,
                          .device = device,
                          .dist_name = request->dist_name,
                          .threads = threads,
                          .report = report};
    bench.crew = crew_create(threads > 0 ? threads : cli_online_cpus());
    if (bench.crew == NULL) {
        cli_complain(command, "cannot start %u threads", threads);
        return false;
    }
    const bool quick = request->options.quick;
    bench.limits = device->kind == PLEACH_CPU ? bench_limits_cpu(bench.crew, quick) : bench_limits_cuda(quick);
    bool good = true;
    const bool both = request->bits == BITS_BOTH;
    if (both || request->bits == BITS_32) good = bench_width(request, &bench, 32) && good;
    if (both || request->bits == BITS_64) good = bench_width(request, &bench, 64) && good;
    if (request->bits == BITS_128) good = bench_width(request, &bench, 128) && good;
    crew_destroy(bench.crew);
    return good;
}

/* `device` is the GPU, unless there is none or it is not wanted. */
static int run_bench(const struct request *request, const struct tool_device *device)
{
    struct bench_report *report = bench_report_open(&request->files, command);
    bool good = true;
    if (report == NULL) return EXIT_USAGE;
    if (request->key_path != NULL) bench_report_name_keys(report, request->key_path);
    if (request->device != TOOL_ON_CUDA)
        for (size_t i = 0; i < request->thread_counts; i++)
            good = bench_device(request, report, tool_device_host(), (unsigned)request->threads[i]) && good;
    if (device->kind == PLEACH_CUDA) good = bench_device(request, report, device, 0) && good;
    return bench_report_finish(report, good);
}

int command_bench_map(int argc, char **argv)
{
    struct cli cli;
    struct request request;
    cli_start(&cli, command, argc, argv);
    read_request(&cli, &request);
    if (cli.status != EXIT_GOOD) return cli.status;
    if (request.help) printf("%s%s", help, options_help);
    if (!request.help && request.list) bench_print_list();
    if (request.help || request.list) return EXIT_GOOD;
    const struct tool_device *device = tool_device_choose(command, request.device);
    if (device == NULL || !bench_key_file_read(&request.options.key_file, request.key_path, command)) return EXIT_USAGE;
    const int status = run_bench(&request, device);
    bench_key_file_drop(&request.options.key_file);
    return status;
}
