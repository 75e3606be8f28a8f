/* gfsl_options.c - the options of pleach-bench gfsl. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfsl.h"
#include "tools/common/cli.h"

static const char help[] =
    "usage: pleach-bench gfsl [OPTION...]\n"
    "\n"
    "The experiments of the paper A GPU-Friendly Skiplist Algorithm (N. Moscovici, E. Petrank): inserts, deletes and\n"
    "contains of random keys from a range, in one array, each carried out by one thread, on\n"
    "\n"
    "  skiplist16, skiplist32   the skiplist of chunks with 16 or 32 slots\n"
    "  map                      the B-link tree\n"
    "  lockfree                 a plain lock-free skiplist, after Misra and Chaudhuri: a baseline of this benchmark\n"
    "\n"
    "from a kernel of its own on the GPU, by single calls from threads on the CPU. Where all operations are of one\n"
    "kind, also by array calls: skiplist32[], map[]. Rates are in millions of operations per second, the median of\n"
    "the repeats, each on a structure that has been made anew. All answers are checked, outside the clock.\n"
    "\n"
    "  --range N[,N...]       keys are 0 .. N-1 (default 10K,30K,100K,300K,1M,3M,10M,30M,100M; CPU 10K,100K,1M)\n"
    "  --mix NAME[,NAME...]   I-D-C: percent of inserts, deletes and contains, half of the keys there at first;\n"
    "                         contains, delete: all keys there; insert: none\n"
    "                         (default 1-1-98,5-5-90,10-10-80,20-20-60,contains,insert,delete)\n"
    "  --structure NAME[,...] skiplist, map, lockfree (default all)\n"
    "  --no-array             no array calls\n"
    "  --stats                after each row the memory that the structure holds, and restarts of queries\n"
    "  --ops N                operations (default 10M; CPU 1M)\n"
    "  --updates N            the same of insert and of delete (default: as many as the range has keys)\n"
    "  --distinct             operations on different keys; else keys are drawn one by one, and some come twice\n"
    "  --load                 bulk load of the first keys; else they are inserted in random order\n"
    "  --bits 32|64           width of keys and values (default 32)\n"
    "  --device cpu|cuda      where (default: on the GPU if there is one)\n"
    "  --threads N            CPU: threads (default 2)\n"
    "  --runs N, --repeat N   repeats, 1 to 101 (default 3)\n"
    "  --seed N               of keys, operations and heights\n"
    "  --json FILE, --csv FILE  write the results; - is standard output\n"
    "  --paper                the figures that the paper and the thesis give in numbers\n"
    "\n"
    "Skiplists:\n"
    "  --chunk N[,N]          slots of a chunk, 16 or 32 (default both)\n"
    "  --team N               lanes that search a chunk together in array calls (default: the library's)\n"
    "  --raise P              chance that a new chunk is entered above (default: the library's)\n"
    "  --stay N               operations of a thread between entering and leaving (default 1), in kernels\n"
    "\n"
    "Kernels:\n"
    "  --block N              threads of a block, a multiple of 32 up to 1024 (default 512)\n"
    "  --blocks-per-sm N      so many blocks per multiprocessor, which take turns (default: one for each turn)\n"
    "\n"
    "Counts may be given as 5000, 64M (millions), 16Mi (2^20s) or 2^20.\n";

static const char *const bits_names[] = {"32", "64", NULL};

static bool parse_mix(struct gfsl_mix *mix, const char *word)
{
    static const struct gfsl_mix singles[] = {{"contains", 0, 0, GFSL_ALL, true},
                                              {"delete", 0, 100, GFSL_ALL, true},
                                              {"insert", 100, 0, GFSL_EMPTY, true}};
    unsigned contains = 0;
    int end = 0;
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++) {
        if (strcmp(singles[i].name, word) != 0) continue;
        *mix = singles[i];
        return true;
    }
    *mix = (struct gfsl_mix){.fill = GFSL_HALF};
    if (strlen(word) >= sizeof mix->name || word[strspn(word, "0123456789-")] != '\0') return false;
    memcpy(mix->name, word, strlen(word));
    return sscanf(word, "%3u-%3u-%3u%n", &mix->inserts, &mix->deletes, &contains, &end) == 3 && word[end] == '\0' &&
           mix->inserts <= 100 && mix->deletes <= 100 && mix->inserts + mix->deletes + contains == 100;
}

static void take_mix(struct cli *cli, void *context, const char *word)
{
    struct gfsl_options *options = context;
    if (options->mix_count == GFSL_MOST_MIXES)
        cli_fail(cli, "--mix takes at most %d names", GFSL_MOST_MIXES);
    else if (!parse_mix(&options->mixes[options->mix_count], word))
        cli_fail(cli, "--mix takes contains, insert, delete, or percentages such as 10-10-80, not '%s'", word);
    else
        options->mix_count++;
}

static const char *const structure_names[] = {"skiplist", "map", "lockfree", NULL}; /* as enum gfsl_structure */
static const char *const chunk_names[] = {"16", "32", NULL};

struct wanted {
    bool structures[3], chunks[2];
};

static void add_subject(struct gfsl_options *options, enum gfsl_structure structure, unsigned chunk, bool array)
{
    struct gfsl_subject *subject = &options->subjects[options->subject_count++];
    *subject = (struct gfsl_subject){.structure = structure, .chunk = chunk, .array = array};
    if (chunk > 0)
        snprintf(subject->name, sizeof subject->name, "%s%u%s", structure_names[structure], chunk, array ? "[]" : "");
    else
        snprintf(subject->name, sizeof subject->name, "%s%s", structure_names[structure], array ? "[]" : "");
}

static void choose_subjects(struct gfsl_options *options, const struct wanted *wanted)
{
    const bool *const s = wanted->structures, *const c = wanted->chunks;
    const bool all = !s[GFSL_SKIPLIST] && !s[GFSL_MAP] && !s[GFSL_LOCKFREE], both = !c[0] && !c[1];
    for (int array = 0; array <= !options->no_array; array++) {
        if ((all || s[GFSL_SKIPLIST]) && (both || c[0])) add_subject(options, GFSL_SKIPLIST, 16, array);
        if ((all || s[GFSL_SKIPLIST]) && (both || c[1])) add_subject(options, GFSL_SKIPLIST, 32, array);
        if (all || s[GFSL_MAP]) add_subject(options, GFSL_MAP, 0, array);
        if ((all || s[GFSL_LOCKFREE]) && !array) add_subject(options, GFSL_LOCKFREE, 0, false);
    }
}

static bool take_flag(struct cli *cli, struct gfsl_options *options)
{
    return cli_set_flag(cli, "--paper", &options->paper) || cli_set_flag(cli, "--distinct", &options->distinct) ||
           cli_set_flag(cli, "--load", &options->load) || cli_set_flag(cli, "--no-array", &options->no_array) ||
           cli_set_flag(cli, "--stats", &options->stats);
}

static bool take_number(struct cli *cli, struct gfsl_options *options)
{
    const uint64_t most = (uint64_t)1 << 31;
    return cli_take_number(cli, "--ops", 1, most, &options->ops) ||
           cli_take_number(cli, "--updates", 1, most, &options->updates) ||
           cli_take_number(cli, "--runs", 1, BENCH_MOST_REPEATS, &options->repeats) ||
           cli_take_number(cli, "--repeat", 1, BENCH_MOST_REPEATS, &options->repeats) ||
           cli_take_number(cli, "--threads", 1, 1024, &options->threads) ||
           cli_take_number(cli, "--team", 1, 32, &options->team) ||
           cli_take_number(cli, "--stay", 1, 1 << 20, &options->stay) ||
           cli_take_number(cli, "--block", 32, 1024, &options->block) ||
           cli_take_number(cli, "--blocks-per-sm", 1, 64, &options->blocks_per_sm) ||
           cli_take_number(cli, "--seed", 0, UINT64_MAX, &options->seed);
}

static bool take_list(struct cli *cli, struct gfsl_options *options, struct wanted *wanted)
{
    const char *text = NULL;
    if (!cli_take_text(cli, "--mix", &text))
        return cli_take_numbers(cli, "--range", 2, (uint64_t)1 << 30, options->ranges, GFSL_MOST_RANGES,
                                &options->range_count) ||
               cli_take_names(cli, "--structure", structure_names, wanted->structures) ||
               cli_take_names(cli, "--chunk", chunk_names, wanted->chunks);
    cli_each_word(cli, text, take_mix, options);
    return true;
}

bool gfsl_read_options(struct gfsl_options *options, int argc, char **argv, int *status)
{
    struct cli cli;
    struct wanted wanted = {0};
    cli_start(&cli, "pleach-bench gfsl", argc, argv);
    cli.help = help;
    *options = (struct gfsl_options){.device = TOOL_ANYWHERE, .repeats = 3, .threads = 2,
                                     .block = GFSL_USUAL_BLOCK, .stay = GFSL_USUAL_STAY};
    while (cli_more(&cli))
        if (!take_flag(&cli, options) && !take_number(&cli, options) && !take_list(&cli, options, &wanted) &&
            !cli_take_real(&cli, "--raise", 1, &options->raise) &&
            !cli_take_choice(&cli, "--bits", bits_names, &options->bits) &&
            !tool_device_take(&cli, &options->device, false) && !bench_files_take(&cli, &options->files))
            cli_reject_option(&cli);
    if (options->block % 32 != 0) cli_fail(&cli, "--block takes a multiple of 32");
    if (options->mix_count == 0)
        cli_each_word(&cli, "1-1-98,5-5-90,10-10-80,20-20-60,contains,insert,delete", take_mix, options);
    choose_subjects(options, &wanted);
    *status = cli_result(&cli);
    return cli.status == EXIT_GOOD;
}

void gfsl_choose_ranges(struct gfsl_options *options, bool gpu)
{
    static const uint64_t ranges[] = {10000, 30000, 100000, 300000, 1000000, 3000000, 10000000, 30000000, 100000000};
    if (options->ops == 0) options->ops = gpu ? 10000000 : 1000000;
    if (options->range_count > 0) return;
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (gpu || (i % 2 == 0 && ranges[i] <= 1000000)) options->ranges[options->range_count++] = ranges[i];
}
