/* replay.c - pleach replay: operations in, answers out, as if carried out one after the other. */
#define _DEFAULT_SOURCE 1
#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/cli.h"
#include "tools/commands.h"

static const char command[] = "pleach replay";

enum { DEFAULT_BATCH = 4096, MOST_BATCH = 1 << 20, MOST_THREADS = 256 };

static const char help[] =
    "usage: pleach replay [OPTION...] [FILE]\n"
    "\n"
    "Reads operations, one a line, from FILE or standard input, carries them out on an empty structure, and prints\n"
    "one result a line in the same order.\n"
    "\n"
    "  put K V           set K to V: 'new', or the old value\n"
    "  add K V           set K to V if K is absent: 'new' or 'exists'\n"
    "  del K             erase K: the old value, or '-'\n"
    "  get K             the value, or '-'\n"
    "  has K             1 or 0\n"
    "  range LO HI [N]   'n k:v k:v ...': the pairs from LO to HI inclusive, at most the first N\n"
    "  count LO HI       how many keys from LO to HI inclusive\n"
    "  succ K, pred K    'k:v', the nearest key above or below K, or '-'\n"
    "  min, max          'k:v', or '-' when empty\n"
    "  size              how many keys\n"
    "  validate          'ok', or what is wrong\n"
    "\n"
    "A hash table has no order: with --structure hash, range, count, succ, pred, min and max are errors.\n"
    "\n"
    "With --structure versioned also:\n"
    "  snap NAME         take a snapshot and call it NAME: 'ok'\n"
    "  drop NAME         release it: 'ok'\n"
    "  get@NAME K        and has, range, count, succ, pred, size: the same, of the snapshot\n"
    "  save FILE         write the map of this instant to FILE: 'ok'\n"
    "  load FILE         replace all that is in the map by what FILE has: 'ok'; not while a snapshot is live\n"
    "\n"
    "Numbers are unsigned decimals. Blank lines and lines that begin with # give no result. A line that cannot be\n"
    "carried out gives 'error: ...', and the rest goes on.\n"
    "\n"
    "  --structure NAME   what to carry them out on: map (default); versioned, a map with snapshots; skiplist, a map\n"
    "                     that is a skiplist, without snapshots and batches; hash, a hash table\n"
    "  --chunk 16|32      slots of a skiplist's chunk (default: the library's)\n"
    "  --keys 32|64       width of keys and values in bits (default 64); --bits is the same\n"
    "  --device cpu|cuda  where (default cpu)\n"
    "  --threads N        CPU: threads that work at once, 1 to 256 (default: one per CPU online)\n"
    "  --batch N          take N operations at a time, 1 to 1048576 (default 4096; 1 when reading from a terminal)\n"
    "  --engine NAME      batches: by pleach_map_apply; calls: by single calls from all threads at the same time;\n"
    "                     arrays: by array calls, one for each kind of operation; auto (default): with --batch above 1\n"
    "                     batches for a map, arrays for a skiplist or a hash table, else calls\n"
    "  --stats            tell on standard error how many operations ran side by side\n"
    "\n"
    "The output does not depend on device, threads, batch and engine. With calls and arrays, a batch is cut into runs of\n"
    "operations that commute. On a GPU, calls is the same as arrays.\n"
    "Results appear when their batch is full or the input ends: with --batch 1, after each line.\n"
    "\n"
    "Exit status: 0, 1 if a result was an error, 2 if the command could not be carried out.\n";

struct options {
    uint64_t threads, batch;
    size_t key_width, device, structure, chunk, engine; /* indices into the names below */
    bool stats;
    const char *file;
};

static const char *const width_names[] = {"32", "64", NULL};
static const char *const device_names[] = {"cpu", "cuda", NULL};
static const char *const structure_names[] = {"map", "versioned", "skiplist", "hash", NULL};
static const char *const chunk_names[] = {"16", "32", NULL};
static const char *const engine_names[] = {"auto", "batches", "calls", "arrays", NULL};

enum { MAP, VERSIONED, SKIPLIST, HASH };           /* structures */
enum { CHUNK_16, CHUNK_32, CHUNK_OF_LIBRARY };
enum { BY_BEST, BY_BATCHES, BY_CALLS, BY_ARRAYS }; /* engines */

static void read_options(struct cli *cli, struct options *options)
{
    *options = (struct options){.threads = cli_online_cpus(), .key_width = 1, .chunk = CHUNK_OF_LIBRARY};
    if (options->threads > MOST_THREADS) options->threads = MOST_THREADS;
    while (cli_more(cli)) {
        const char *word = NULL;
        if (cli_set_flag(cli, "--stats", &options->stats) ||
            cli_take_choice(cli, "--structure", structure_names, &options->structure) ||
            cli_take_choice(cli, "--keys", width_names, &options->key_width) ||
            cli_take_choice(cli, "--bits", width_names, &options->key_width) ||
            cli_take_choice(cli, "--device", device_names, &options->device) ||
            cli_take_choice(cli, "--chunk", chunk_names, &options->chunk) ||
            cli_take_choice(cli, "--engine", engine_names, &options->engine) ||
            cli_take_number(cli, "--threads", 1, MOST_THREADS, &options->threads) ||
            cli_take_number(cli, "--batch", 1, MOST_BATCH, &options->batch))
            continue;
        else if (!cli_take_word(cli, &word))
            cli_reject_option(cli);
        else if (options->file != NULL)
            cli_fail(cli, "one FILE at a time: '%s' or '%s'", options->file, word);
        else
            options->file = word;
    }
    if (options->structure == SKIPLIST && options->engine == BY_BATCHES) cli_fail(cli, "skiplists have no batches");
    if (options->structure == HASH && options->engine == BY_BATCHES) cli_fail(cli, "hash tables have no batches");
    if (options->structure != SKIPLIST && options->chunk != CHUNK_OF_LIBRARY)
        cli_fail(cli, "--chunk is for --structure skiplist");
}

static bool is_batchable(const struct op *op) { return op_is_in_batches(op->kind) || op->kind == OP_BAD; }

/* A run: operations that commute, or with batches any that can be in one. */
static void run_together(struct replay *replay, size_t begin, size_t end)
{
    const size_t ops = replay->by_batches ? end - begin : replay->plan.ops;
    for (unsigned i = 0; i < replay->threads; i++) replay->stores[i].pairs = 0;
    if (begin == end) return;
    if (replay->by_batches && is_batchable(&replay->ops[begin]))
        replay_run_batch(replay, begin, end);
    else if (replay->by_arrays)
        replay_run_arrays(replay, begin, end);
    else
        replay_run_single(replay, begin, end);
    for (size_t i = begin; i < end; i++) replay_print(replay, &replay->ops[i], &replay->answers[i]);
    replay->stats.runs += ops > 0;
    if (ops > replay->stats.longest) replay->stats.longest = ops;
    plan_start_run(&replay->plan);
}

/* Whether operation i can be in the run that began with `begin`. */
static bool joins_run(struct replay *replay, size_t begin, size_t i)
{
    if (!replay->by_batches) return plan_admit(&replay->plan, &replay->ops[i]);
    return i == begin || (is_batchable(&replay->ops[begin]) && is_batchable(&replay->ops[i]));
}

static void run_batch(struct replay *replay)
{
    size_t begin = 0;
    for (size_t i = 0; i < replay->count; i++) {
        if (joins_run(replay, begin, i)) continue;
        run_together(replay, begin, i);
        begin = i;
        joins_run(replay, begin, i); /* an empty run takes anything */
    }
    run_together(replay, begin, replay->count);
    for (size_t i = 0; i < replay->count; i++) replay_free_op(&replay->ops[i]);
    replay->stats.ops += replay->count;
    replay->stats.batches++;
    replay->count = 0;
}

/* Room for one more operation of the batch. */
static bool make_room(struct replay *replay)
{
    if (replay->count < replay->capacity) return true;
    const size_t capacity = replay->capacity > 0 ? 2 * replay->capacity : 64;
    struct op *ops = realloc(replay->ops, capacity * sizeof ops[0]);
    if (ops != NULL) replay->ops = ops;
    struct answer *answers = realloc(replay->answers, capacity * sizeof answers[0]);
    if (answers != NULL) replay->answers = answers;
    if (ops == NULL || answers == NULL) return false;
    replay->capacity = capacity;
    return true;
}

static void show_output(void *context) { text_out_flush(&((struct replay *)context)->out); }

/* Reads and carries out everything; the exit status. */
static int run_input(struct replay *replay)
{
    char line[TEXT_LINE_BYTES];
    size_t length;
    enum text_line got;
    while ((got = text_in_line(&replay->in, line, &length)) == TEXT_LINE || got == TEXT_LINE_LONG) {
        if (length == 0 || line[0] == '#') continue;
        if (!make_room(replay)) {
            cli_complain(command, "out of memory for a batch of %zu operations; choose a smaller --batch",
                         replay->batch);
            return EXIT_USAGE;
        }
        if (got == TEXT_LINE && replay->versioned)
            replay_parse_versioned(line, length, replay->key_bits, &replay->ops[replay->count++]);
        else if (got == TEXT_LINE)
            replay_parse(line, length, replay->key_bits, &replay->ops[replay->count++]);
        else
            replay_parse_long_line(&replay->ops[replay->count++]);
        if (replay->hashed) replay_refuse_ordered(&replay->ops[replay->count - 1]);
        if (replay->count == replay->batch) run_batch(replay);
        if (replay->out.error != 0) break;
    }
    const int read_error = got == TEXT_FAILED ? errno : 0;
    if (replay->count > 0) run_batch(replay);
    text_out_flush(&replay->out);
    if (replay->out.error != 0)
        cli_complain(command, "cannot write standard output: %s", strerror(replay->out.error));
    if (read_error != 0) cli_complain(command, "cannot read the input: %s", strerror(read_error));
    if (replay->out.error != 0 || read_error != 0) return EXIT_USAGE;
    return replay->stats.errors > 0 ? EXIT_WRONG : EXIT_GOOD;
}

static void print_stats(const struct replay *replay)
{
    const struct replay_stats *s = &replay->stats;
    const double ops = s->ops > 0 ? (double)s->ops : 1.0;
    fprintf(stderr, "%s: %" PRIu64 " operations in %" PRIu64 " batches and %" PRIu64 " runs, ", command, s->ops,
            s->batches, s->runs);
    fprintf(stderr, "longest %" PRIu64 ", mean %.1f\n", s->longest,
            s->runs > 0 ? (double)s->ops / (double)s->runs : 0.0);
    fprintf(stderr, "%s: %" PRIu64 " operations (%.1f%%) ran side by side, ", command, s->together,
            100.0 * (double)s->together / ops);
    if (replay->device == PLEACH_CUDA)
        fprintf(stderr, "in array calls on the GPU\n");
    else if (replay->by_arrays)
        fprintf(stderr, "in array calls that %u thread%s share\n", replay->threads, replay->threads == 1 ? "" : "s");
    else
        fprintf(stderr, "on %u thread%s\n", replay->threads, replay->threads == 1 ? "" : "s");
    fprintf(stderr, "%s: %" PRIu64 " errors\n", command, s->errors);
}

/* What replay_destroy undoes, also when it was done only in part. */
static bool create_parts(struct replay *replay)
{
    replay->crew = crew_create(replay->threads);
    replay->stores = calloc(replay->threads, sizeof replay->stores[0]);
    if (replay->crew == NULL || replay->stores == NULL) return false;
    for (unsigned i = 0; i < replay->threads; i++)
        if (!pair_store_create(&replay->stores[i])) return false;
    if (replay->by_arrays && !array_scratch_create(&replay->scratch)) return false;
    return plan_create(&replay->plan, replay->batch, replay->key_bits);
}

static void destroy_parts(struct replay *replay)
{
    replay_release_all(replay);
    target_destroy(&replay->target);
    plan_destroy(&replay->plan);
    array_scratch_destroy(&replay->scratch);
    for (unsigned i = 0; replay->stores != NULL && i < replay->threads; i++) pair_store_destroy(&replay->stores[i]);
    free(replay->stores);
    crew_destroy(replay->crew);
    free(replay->ops);
    free(replay->answers);
    free(replay);
}

static void apply_options(struct replay *replay, const struct options *options, int file)
{
    replay->device = options->device == 1 ? PLEACH_CUDA : PLEACH_CPU;
    replay->versioned = options->structure == VERSIONED;
    replay->skiplist = options->structure == SKIPLIST;
    replay->hashed = options->structure == HASH;
    replay->chunk = options->chunk == CHUNK_OF_LIBRARY ? 0 : options->chunk == CHUNK_32 ? 32 : 16;
    replay->key_bits = options->key_width == 0 ? 32 : 64;
    replay->threads = replay->device == PLEACH_CUDA ? 1 : (unsigned)options->threads;
    replay->batch = options->batch > 0 ? options->batch : isatty(file) ? 1 : DEFAULT_BATCH;
    const bool many = options->engine == BY_BEST && replay->batch > 1;
    replay->by_batches = options->engine == BY_BATCHES || (many && options->structure == MAP);
    replay->by_arrays = replay->device == PLEACH_CUDA || options->engine == BY_ARRAYS ||
                        (many && (replay->skiplist || replay->hashed));
}

/* Single calls come from threads of ours, and the structure needs none of its own. */
static pleach_status create_target(struct replay *replay)
{
    const unsigned threads = replay->by_batches || replay->by_arrays ? replay->threads : 1;
    const pleach_hash_config hash = {.device = replay->device, .key_bits = replay->key_bits, .threads = threads,
                                     .fixed_seed = 1};
    const pleach_map_config map = {.device = replay->device, .key_bits = replay->key_bits, .threads = threads,
                                   .versioned = replay->versioned, .chunk = replay->chunk,
                                   .structure = replay->skiplist ? PLEACH_SKIPLIST : PLEACH_BLINK};
    return replay->hashed ? pleach_hash_create(&replay->target.hash, &hash)
                          : pleach_map_create(&replay->target.map, &map);
}

static int replay_file(const struct options *options, int file)
{
    struct replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL) {
        cli_complain(command, "out of memory");
        return EXIT_USAGE;
    }
    apply_options(replay, options, file);
    text_in_start(&replay->in, file, show_output, replay);
    text_out_start(&replay->out, STDOUT_FILENO);
    const pleach_status status = create_target(replay);
    int result = EXIT_USAGE;
    if (status != PLEACH_OK)
        cli_complain(command, "cannot create the %s: %s", replay->hashed ? "hash table" : "map",
                     pleach_strerror(status));
    else if (!create_parts(replay))
        cli_complain(command, "out of memory, or too many threads");
    else
        result = run_input(replay);
    if (status == PLEACH_OK && options->stats) print_stats(replay);
    destroy_parts(replay);
    return result;
}

int command_replay(int argc, char **argv)
{
    struct cli cli;
    struct options options;
    cli_start(&cli, command, argc, argv);
    cli.help = help;
    read_options(&cli, &options);
    if (cli.status != EXIT_GOOD) return cli_result(&cli);
    if (options.file == NULL || strcmp(options.file, "-") == 0) return replay_file(&options, STDIN_FILENO);
    const int file = open(options.file, O_RDONLY);
    if (file < 0) {
        cli_complain(command, "cannot open %s: %s", options.file, strerror(errno));
        return EXIT_USAGE;
    }
    const int result = replay_file(&options, file);
    close(file);
    return result;
}
