/* bench.h - what all benchmarks have in common, and the benchmarks of maps.
 *
 *   bench_lists.c     options that are lists
 *   bench_keys.c      which keys a map holds and in which order they are asked for
 *   bench_key_file.c  keys of a file
 *   bench_words.h     arrays of keys and values of all widths
 *   bench_sort.c      sorting them
 *   bench_memory.c    arrays that are freed together
 *   bench_batch.c     the arguments and results of a call, and the checks
 *   bench_measure.c   maps, timing and reporting: what every benchmark does
 *   bench_report.c    table, JSON, CSV
 *
 *   map/bench.c           options, and the loop over devices, widths, thread counts and benchmarks
 *   map/bench_cases.c     the list of benchmarks, with their sizes
 *   map/bench_points.c    load, find, export
 *   map/bench_beside.c    find beside a writer
 *   map/bench_updates.c   insert, erase
 *   map/bench_ordered.c   range, succ, pred
 *   map/bench_long.c      long queries, as users call them
 *   map/bench_apply.c     batches
 *   map/bench_batches.c   batches of many sizes beside array calls
 *   map/bench_single.c    single calls
 *   map/bench_queue.c     single operations through a queue
 *   map/bench_index.c     the multi-value index
 *   map/bench_hash.c      the slab hash, beside the map
 *   map/bench_mixed*      updates and queries at the same time, in one kernel or by single calls: bench_mixed_map.h
 *
 * Where the data lies and how a call is timed is in tools/common/tool_device.h, how fast the machine's memory is and
 * what that allows in limits/limit.h.
 *
 * A benchmark generates its arguments before the clock starts, brings the map to the same state before every repeat,
 * and checks the results of every repeat after the clock has stopped.
 */
#ifndef PLEACH_BENCH_HARNESS_H
#define PLEACH_BENCH_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pleach/batch.h>
#include <pleach/snapshot.h>

#include "tools/common/tool_device.h"
#include "bench/limits/limit.h"
#include "bench_memory.h"
#include "bench_words.h"
#include "tools/common/crew.h"
#include "tools/common/mix.h"

enum { BENCH_MOST_REPEATS = 101, BENCH_MOST_THREAD_COUNTS = 8, BENCH_NAME_BYTES = 40, BENCH_MOST_COUNTERS = 8,
       BENCH_MOST_NUMBERS = 16, BENCH_MOST_LENGTH = 4096 };

/* ---- bench_keys.c ---- */

enum bench_dist {
    DIST_UNIFORM, /* scrambled keys over the whole range, asked for in shuffled order */
    DIST_SORTED,  /* the same keys, asked for in ascending order */
    DIST_ZIPF,    /* the same keys, some asked for much more often */
    DIST_DENSE,   /* keys 0 .. N-1, asked for in shuffled order */
    DIST_ZIPF1,   /* as zipf, exponent 1 */
    DIST_SELF,    /* self-similar: 80% ask for 20% of the keys, and so on within these */
    DIST_GAUSS    /* around the middle key, standard deviation 0.5% of its rank */
};

enum { BENCH_LEAST_KEYS = 16, BENCH_MOST_KEYS = 1 << 30 };

/* Keys of a file, ascending; NULL: there is none. */
struct bench_key_file {
    uint64_t *keys;
    size_t count;
};

/* Reads nothing if the path is NULL. Returns false after an error message. */
bool bench_key_file_read(struct bench_key_file *file, const char *path, const char *command);
void bench_key_file_drop(struct bench_key_file *file);

/* Keys of a map, by rank: sorted[0] is the smallest. */
struct bench_keys {
    unsigned bits;
    size_t n;
    enum bench_dist dist;
    bool of_file;
    uint64_t hole; /* of a file's keys: the top of the widest hole between them, which has more than 2^33 words */
    void *sorted;
    struct mix_order order; /* the shuffled order of the ranks */
};

/* Are some keys asked for more than once? */
static inline bool bench_dist_repeats(enum bench_dist dist) { return dist == DIST_ZIPF || dist >= DIST_ZIPF1; }

/* With a file, of 64-bit keys: n of them, evenly spread, and it has as many. */
bool bench_keys_create(struct bench_keys *keys, unsigned bits, size_t n, enum bench_dist dist,
                       const struct bench_key_file *file);
void bench_keys_destroy(struct bench_keys *keys);

/* The rank that query i of `queries` asks for. */
size_t bench_keys_rank(const struct bench_keys *keys, size_t i, size_t queries);

/* A rank below n by Zipf's law with exponent s: 0 is the most popular. */
size_t bench_zipf_rank(double s, size_t n, struct mix_random *random);

/* The i-th of the keys that are not in the map; all are different. */
uint64_t bench_keys_absent(const struct bench_keys *keys, size_t i);

/* The value that belongs to a key. */
uint64_t bench_value(unsigned bits, uint64_t key);

static inline uint64_t bench_key(const struct bench_keys *keys, size_t rank)
{
    return bench_word(keys->sorted, keys->bits, rank);
}

/* The end of an interval that begins at a key and holds `length` keys on average. */
uint64_t bench_keys_interval(const struct bench_keys *keys, size_t rank, size_t length);

/* ---- bench_sort.c ---- */

/* Ascending; false when memory is lacking. */
bool bench_sort(void *words, unsigned bits, size_t n);

/* By their bits from `low` on; those that are equal in them stay in their order. */
bool bench_sort_from(void *words, unsigned bits, size_t n, unsigned low);

/* ---- bench_report.c ---- */

/* What a benchmark tells beside its rates. */
struct bench_counter {
    const char *name;
    double value;
};

struct bench_row {
    char name[BENCH_NAME_BYTES];
    const char *device, *dist;
    unsigned bits, threads; /* 0 where it does not apply */
    size_t keys, batch;
    size_t repeats;
    double rates[BENCH_MOST_REPEATS]; /* millions per second */
    double median, spread;            /* spread: (highest - lowest) / median */
    const char *limit;                /* what holds it back, by its name; NULL: not known */
    double limit_rate;                /* that it allows, in millions per second */
    struct bench_counter counters[BENCH_MOST_COUNTERS];
    size_t counter_count;
};

struct bench_report;

/* Computes median and spread, prints the row, and keeps it. */
void bench_report_add(struct bench_report *report, struct bench_row *row);

/* Says by what an operation with that need is held back. */
void bench_row_bind(struct bench_row *row, const struct bench_limits *limits, const struct bench_need *need);

/* A text made for a row's fields, for as long as the report lives. */
const char *bench_report_keep(struct bench_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Left out when there is no more room. */
void bench_row_count(struct bench_row *row, const char *name, double value);

/* A line among the rows, which is in no file. */
void bench_report_say(struct bench_report *report, const char *line);

/* Says of which file the keys are; its name is in the JSON's context. */
void bench_report_name_keys(struct bench_report *report, const char *path);

/* Returns the number as text, or "-" unless it is above 0. */
const char *bench_or_dash(char *text, size_t size, const char *format, double number);

/* Sorts them, in ascending order, and answers their median. */
double bench_median(double *rates, size_t n);

/* Where results go; NULL: nowhere, "-": standard output. */
struct bench_files { const char *json, *csv; };

/* Reads --json and --csv. Returns whether the current word was one of them. */
struct cli;
bool bench_files_take(struct cli *cli, struct bench_files *files);

/* Returns NULL after an error message. A file that cannot be written is reported here, before minutes of measuring. The
 * table goes to standard output, or to standard error if results go to standard output. */
struct bench_report *bench_report_open(const struct bench_files *files, const char *command);

/* Writes all rows and destroys the report. The exit status, where `good` is whether all answers were right. */
int bench_report_finish(struct bench_report *report, bool good);

/* Reports a usage error if the machine has fewer bytes of memory: the kernel would kill the process. */
void bench_check_memory(struct cli *cli, const char *what, uint64_t bytes);

/* ---- bench_lists.c ---- */

/* Shares in percent, or lengths. */
struct bench_numbers {
    size_t count; /* 0: each benchmark's own */
    double at[BENCH_MOST_NUMBERS];
};

/* What the updates of a batch are: other values of keys of the map, new keys, or new keys and erases by halves. */
enum bench_updates { UPDATES_VALUES, UPDATES_INSERTS, UPDATES_CHANGES, UPDATES_KINDS };

static inline const struct bench_numbers *bench_asked_or(const struct bench_numbers *asked,
                                                         const struct bench_numbers *own)
{
    return asked->count > 0 ? asked : own;
}

struct bench_options;

/* Whether the current word was an option that is a list. */
bool bench_take_list(struct cli *cli, struct bench_options *options);

/* ---- bench_measure.c ---- */

struct bench_options {
    uint64_t keys, ops; /* 0: each benchmark's own */
    struct bench_numbers shares, lengths; /* of updates; of ranges */
    bool updates[UPDATES_KINDS]; /* none: values and inserts */
    enum bench_dist dist;
    size_t repeats;
    bool quick, reserve;
    bool versioned; /* maps that can have snapshots */
    pleach_structure structure;
    unsigned chunk, team; /* of skiplists, as in pleach_map_config */
    double raise;
    pleach_engine engine;
    struct bench_key_file key_file;
    bool snapshot;  /* updates run beside a live snapshot of the map as it was before them */
};

struct bench {
    const struct bench_options *options;
    const struct tool_device *device;
    const char *dist_name;
    unsigned bits;
    unsigned threads;  /* CPU: of the map, and that make single calls; 0 on a GPU */
    struct crew *crew; /* generates and checks; on the CPU it has `threads` threads */
    struct bench_report *report;
    struct bench_limits limits; /* of the device, with `threads` threads */
    bool failed;

    struct bench_keys keys;
    void *load_keys, *load_values; /* the pairs in ascending order, on the device */
    pleach_map *map;
    unsigned map_threads;
    bool map_loaded; /* holds exactly the keys */
};

/* Sizes of a benchmark; ops is the batch. */
struct bench_sizes {
    size_t cpu_keys, cpu_ops, gpu_keys, gpu_ops;
};

size_t bench_key_count(const struct bench *bench, const struct bench_sizes *sizes);
size_t bench_op_count(const struct bench *bench, const struct bench_sizes *sizes);

/* Each returns false after an error message. */
bool bench_use_keys(struct bench *bench, size_t n);
bool bench_open_map(struct bench *bench, unsigned threads);
bool bench_empty_map(struct bench *bench, size_t reserve_keys);
bool bench_load_map(struct bench *bench);
void bench_close(struct bench *bench);
bool bench_complain(struct bench *bench, const char *name, const char *what, pleach_status status);

/* A map that holds n keys; loaded again only if something has changed it. */
bool bench_have_map(struct bench *bench, size_t n);

/* ---- bench_batch.c ---- */

/* The arguments and results of one array call. */
enum batch_parts { BATCH_B = 1, BATCH_OUT_A = 2, BATCH_OUT_B = 4, BATCH_COUNTS = 8 };

struct batch {
    struct bench *bench;
    size_t n, results;
    void *host_a, *host_b, *host_out_a, *host_out_b;
    void *a, *b, *out_a, *out_b; /* the same on the device */
    uint8_t *host_bytes, *bytes;
    uint64_t *host_counts, *counts; /* n + 1 */
    uint32_t limit;
    size_t total; /* pairs found by a packed range */
    struct bench_memory memory; /* of these arrays, and of others that a benchmark adds */
};

/* `results` is the room in out_a and out_b. Returns false after an error message. */
bool batch_create(struct batch *batch, struct bench *bench, size_t n, int parts, size_t results);
void batch_destroy(struct batch *batch);

/* To be called after a benchmark has added arrays to the memory. If memory was lacking, frees all arrays and returns
 * false after an error message. */
bool batch_has_memory(struct batch *batch, const char *name);

/* Makes all arguments by calling make(batch, i) for each i, and sends them to the device. */
bool batch_fill(struct batch *batch, void (*make)(struct batch *batch, size_t i));
bool batch_fetch(struct batch *batch);

/* A batch of finds with the same keys, so that the map has the memory that batches work with. */
bool batch_warm_map(struct batch *batch);

/* Prints the stages of a batch in one line that begins with `what`, if `ranges` also the time of its ranges. */
void bench_say_stages(const struct bench *bench, const char *what, const pleach_batch_times *times, bool ranges);

/* Fills the results with what no benchmark expects. */
bool batch_spoil(struct batch *batch);
size_t batch_count_wrong(struct batch *batch, size_t n, bool (*right)(const struct batch *batch, size_t i));

/* The rank of the key that query i asks for. */
static inline size_t batch_rank(const struct batch *batch, size_t i)
{
    return bench_keys_rank(&batch->bench->keys, i, batch->n);
}

/* Arguments for batch_fill. With BATCH_B, each key comes with its value. */
void batch_make_present(struct batch *batch, size_t i);   /* keys of the map, in the order of the distribution */
void batch_make_ascending(struct batch *batch, size_t i); /* keys of the map, by rank */
void batch_make_absent(struct batch *batch, size_t i);    /* keys not in the map */

/* Puts the keys in ascending order. */
bool batch_sort(struct batch *batch);

/* bench_ordered.c. Intervals that begin at keys of the map, in the order of the distribution, and hold `limit / 2` keys
 * on average; with BATCH_B. And whether `count` pairs from `at` on in the results are those that query i has found. */
void batch_make_interval(struct batch *batch, size_t i);
size_t batch_pairs_in_interval(const struct batch *batch, size_t i);
bool batch_right_pairs(const struct batch *batch, size_t i, size_t at, size_t count, uint64_t most_change);

/* Checks of ranges with a limit, and of successors. */
bool batch_right_limited(const struct batch *batch, size_t i);
bool batch_right_succ(const struct batch *batch, size_t i);

/* A call and checks that several benchmarks use. */
pleach_status batch_call_find(void *context, pleach_stream stream);
bool batch_right_found(const struct batch *batch, size_t i);
bool batch_right_missing(const struct batch *batch, size_t i);
bool batch_right_inserted(const struct batch *batch, size_t i);
bool batch_right_erased(const struct batch *batch, size_t i);

/* ---- bench_measure.c, timing ---- */

struct bench_work {
    const char *name;
    size_t ops; /* counted for the rate */
    bool changes_map;
    bool (*prepare)(struct batch *batch); /* before every repeat; may be NULL */
    tool_call *call;                     /* gets the batch */
    size_t elements;                      /* results to check one by one with `right` */
    bool (*right)(const struct batch *batch, size_t i);
    bool (*right_after)(struct batch *batch); /* a check of the map as a whole; may be NULL */
};

void bench_measure(struct batch *batch, const struct bench_work *work);

/* The arguments of n operations on the map: parts, and the room for results, are those of batch_create. */
struct bench_arguments {
    size_t n;
    int parts;
    size_t results;
    uint32_t limit;
    void (*make)(struct batch *batch, size_t i); /* NULL: there are none */
    bool ascending;                              /* they are sorted before */
};

/* Makes the arguments, measures work on them as one batch, and counts each as an operation. */
void bench_run(struct bench *bench, const struct bench_arguments *arguments, struct bench_work work);

/* Fills in the rates of a row, one from each call of `once`. If `warm`, the first call does not count: it warms caches
 * and loads code. Returns false if a call has failed. */
typedef bool bench_once(void *context, double *rate);
bool bench_repeat(struct bench_row *row, size_t repeats, bool warm, bench_once *once, void *context);

/* A row is started, gets its rates, and is added to the report. */
void bench_start_row(const struct bench *bench, struct bench_row *row, const char *name, size_t batch);
void bench_add_row(const struct bench *bench, struct bench_row *row);

/* ---- the benchmarks ---- */

enum case_flags {
    CASE_CPU = 1,
    CASE_CUDA = 2,
    CASE_DISTINCT = 4, /* needs every key once: not for zipf */
    CASE_NARROW = 8,   /* for keys of at most 64 bits, as calls for one key and the index take */
    CASE_TREE = 16     /* needs batches or calls from kernels, which skiplists have not */
};

struct bench_case;
typedef void bench_run_case(struct bench *bench, const struct bench_case *which);

struct bench_case {
    const char *name;
    struct bench_sizes sizes;
    int flags;
    bench_run_case *run;
    const char *summary;
};

enum { BENCH_CASES = 35 };
extern const struct bench_case bench_cases[BENCH_CASES];

void bench_print_list(void);

bench_run_case bench_load, bench_find, bench_find_miss, bench_export, bench_find_mixed, bench_insert_empty,
    bench_insert_batch, bench_insert_sorted, bench_erase, bench_erase_sorted, bench_range_limit, bench_range_packed,
    bench_range_count, bench_long_count, bench_long_range, bench_long_export, bench_long_save, bench_long_mixed,
    bench_range_one, bench_succ, bench_pred, bench_single_find, bench_single_put, bench_single_mixed, bench_batches,
    bench_apply, bench_queue, bench_index, bench_hash, bench_limits, bench_mixed_range, bench_mixed_length,
    bench_mixed_memory, bench_mixed_erase, bench_mixed_all;

#endif
