/* bench_measure.c - what every benchmark does: have a map in the right state, time a call, check it, report it. */
#define _DEFAULT_SOURCE 1
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "tools/common/cli.h"

enum { QUICK_CPU_KEYS = 1000000, QUICK_CPU_OPS = 1 << 18, QUICK_GPU_KEYS = 4000000, QUICK_GPU_OPS = 1 << 20 };

bool bench_complain(struct bench *bench, const char *name, const char *what, pleach_status status)
{
    const char *cuda = bench->device->kind == PLEACH_CUDA ? pleach_cuda_error() : "";
    cli_complain("pleach-bench", "%s on %s, %u-bit: %s: %s%s%s", name, bench->device->name, bench->bits, what,
                 pleach_strerror(status), cuda[0] != '\0' ? ": " : "", cuda);
    bench->failed = true;
    return false;
}

static size_t choose_size(uint64_t asked, size_t own, bool quick, size_t quick_most)
{
    if (asked > 0) return (size_t)asked;
    return quick && own > quick_most ? quick_most : own;
}

size_t bench_key_count(const struct bench *bench, const struct bench_sizes *sizes)
{
    const bool gpu = bench->device->kind == PLEACH_CUDA;
    const size_t asked = (size_t)bench->options->keys, in_file = bench->options->key_file.count;
    if (in_file > 0) return asked > 0 && asked < in_file ? asked : in_file;
    return choose_size(bench->options->keys, gpu ? sizes->gpu_keys : sizes->cpu_keys, bench->options->quick,
                       gpu ? QUICK_GPU_KEYS : QUICK_CPU_KEYS);
}

size_t bench_op_count(const struct bench *bench, const struct bench_sizes *sizes)
{
    const bool gpu = bench->device->kind == PLEACH_CUDA;
    return choose_size(bench->options->ops, gpu ? sizes->gpu_ops : sizes->cpu_ops, bench->options->quick,
                       gpu ? QUICK_GPU_OPS : QUICK_CPU_OPS);
}

void bench_check_memory(struct cli *cli, const char *what, uint64_t bytes)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    const uint64_t have = (uint64_t)pages * (uint64_t)page_bytes;
    if (pages > 0 && page_bytes > 0 && bytes > have)
        cli_fail(cli, "so many %s need about %" PRIu64 " GiB, and this machine has %" PRIu64, what, bytes >> 30,
                 have >> 30);
}

/* ---- maps ---- */

static void drop_keys(struct bench *bench)
{
    bench_keys_destroy(&bench->keys);
    bench->device->release(bench->load_keys);
    bench->device->release(bench->load_values);
    bench->load_keys = bench->load_values = NULL;
    bench->map_loaded = false;
}

struct value_slice {
    const struct bench_keys *keys;
    void *values;
};

static void make_values(void *context, size_t begin, size_t end)
{
    const struct value_slice *slice = context;
    const unsigned bits = slice->keys->bits;
    for (size_t i = begin; i < end; i++)
        bench_set_word(slice->values, bits, i, bench_value(bits, bench_key(slice->keys, i)));
}

/* Puts the pairs of a load where the device can read them. */
static bool send_load_pairs(struct bench *bench)
{
    const size_t bytes = bench->keys.n * word_bytes(bench->bits);
    struct value_slice slice = {&bench->keys, malloc(bytes)};
    bench->load_keys = bench->device->allocate(bytes);
    bench->load_values = bench->device->allocate(bytes);
    bool sent = slice.values != NULL && bench->load_keys != NULL && bench->load_values != NULL;
    if (sent) {
        crew_share(bench->crew, bench->keys.n, make_values, &slice);
        sent = bench->device->copy_in(bench->load_keys, bench->keys.sorted, bytes) &&
               bench->device->copy_in(bench->load_values, slice.values, bytes);
    }
    free(slice.values);
    return sent;
}

bool bench_use_keys(struct bench *bench, size_t n)
{
    if (bench->keys.sorted != NULL && bench->keys.n == n) return true;
    drop_keys(bench);
    const struct bench_options *options = bench->options;
    if (bench_keys_create(&bench->keys, bench->bits, n, options->dist, &options->key_file) && send_load_pairs(bench))
        return true;
    drop_keys(bench);
    return bench_complain(bench, "keys", "generating them", PLEACH_E_MEMORY);
}

bool bench_open_map(struct bench *bench, unsigned threads)
{
    if (bench->map != NULL && bench->map_threads == threads) return true;
    const pleach_map_config config = {.device = bench->device->kind, .key_bits = bench->bits, .threads = threads,
                                      .versioned = bench->options->versioned, .engine = bench->options->engine,
                                      .structure = bench->options->structure, .chunk = bench->options->chunk,
                                      .team = bench->options->team, .raise = bench->options->raise};
    pleach_map_destroy(bench->map);
    bench->map_loaded = false;
    bench->map_threads = threads;
    const pleach_status status = pleach_map_create(&bench->map, &config);
    return status == PLEACH_OK || bench_complain(bench, "map", "creating it", status);
}

bool bench_empty_map(struct bench *bench, size_t reserve_keys)
{
    if (!bench_open_map(bench, bench->threads)) return false;
    bench->map_loaded = false;
    pleach_status status = pleach_map_clear(bench->map);
    if (status == PLEACH_OK && bench->options->reserve) status = pleach_map_reserve(bench->map, reserve_keys);
    return status == PLEACH_OK || bench_complain(bench, "map", "clearing it", status);
}

bool bench_load_map(struct bench *bench)
{
    bench->map_loaded = false;
    pleach_status status = pleach_map_clear(bench->map);
    if (status == PLEACH_OK)
        status = pleach_map_load(bench->map, bench->keys.n, bench->load_keys, bench->load_values, 0);
    bench->map_loaded = status == PLEACH_OK;
    return bench->map_loaded || bench_complain(bench, "map", "loading it", status);
}

bool bench_have_map(struct bench *bench, size_t n)
{
    if (!bench_use_keys(bench, n) || !bench_open_map(bench, bench->threads)) return false;
    return bench->map_loaded || bench_load_map(bench);
}

void bench_close(struct bench *bench)
{
    drop_keys(bench);
    pleach_map_destroy(bench->map);
    bench->map = NULL;
}

/* ---- measuring ---- */

void bench_start_row(const struct bench *bench, struct bench_row *row, const char *name, size_t batch)
{
    *row = (struct bench_row){.device = bench->device->name, .dist = bench->dist_name, .bits = bench->bits,
                              .threads = bench->threads, .keys = bench->keys.n, .batch = batch};
    snprintf(row->name, sizeof row->name, "%s", name);
    const bool wide_chunks = bench->options->chunk == 32;
    if (bench->options->structure == PLEACH_SKIPLIST && bench->device->kind == PLEACH_CUDA)
        row->device = wide_chunks ? "cuda/s32" : "cuda/s16";
    else if (bench->options->structure == PLEACH_SKIPLIST)
        row->device = wide_chunks ? "cpu/s32" : "cpu/s16";
    else if (bench->options->snapshot)
        row->device = bench->device->kind == PLEACH_CUDA ? "cuda/s" : "cpu/s";
    else if (bench->options->versioned)
        row->device = bench->device->kind == PLEACH_CUDA ? "cuda/v" : "cpu/v";
}

/* The limits are those of all threads together: fewer have none to be compared with. */
void bench_add_row(const struct bench *bench, struct bench_row *row)
{
    const bool gpu = bench->device->kind == PLEACH_CUDA;
    const struct bench_place place = {gpu, bench->bits, !gpu && bench_is_alone(row->name), (double)row->keys};
    const struct bench_need need = bench_need_by_name(place, row->name, bench->options->dist == DIST_SORTED);
    if (row->threads == bench->threads) bench_row_bind(row, &bench->limits, &need);
    bench_report_add(bench->report, row);
}

static bool check_repeat(struct batch *batch, const struct bench_work *work)
{
    if (!batch_fetch(batch)) return false;
    const size_t wrong = work->right != NULL ? batch_count_wrong(batch, work->elements, work->right) : 0;
    if (wrong == 0 && (work->right_after == NULL || work->right_after(batch))) return true;
    cli_complain("pleach-bench", "%s on %s, %u-bit: WRONG: %zu of %zu results, or the map as a whole", work->name,
                 batch->bench->device->name, batch->bench->bits, wrong, work->elements);
    batch->bench->failed = true;
    return false;
}

/* The timed call, beside a live snapshot if one is asked for. */
static pleach_status call_beside_snapshot(struct batch *batch, const struct bench_work *work, double *seconds)
{
    pleach_snapshot *snapshot = NULL;
    if (work->changes_map && batch->bench->options->snapshot) {
        const pleach_status status = pleach_snapshot_take(batch->bench->map, &snapshot, PLEACH_SYNC);
        if (status != PLEACH_OK) return status;
    }
    const pleach_status status = batch->bench->device->time(work->call, batch, seconds);
    pleach_snapshot_release(snapshot);
    return status;
}

bool bench_repeat(struct bench_row *row, size_t repeats, bool warm, bench_once *once, void *context)
{
    double unused;
    if (warm && !once(context, &unused)) return false;
    for (; row->repeats < repeats; row->repeats++)
        if (!once(context, &row->rates[row->repeats])) return false;
    return true;
}

struct repeating {
    struct batch *batch;
    const struct bench_work *work;
};

static bool repeat_once(void *context, double *rate)
{
    const struct repeating *r = context;
    struct batch *batch = r->batch;
    const struct bench_work *work = r->work;
    double seconds = 0;
    if (work->prepare != NULL && !work->prepare(batch)) return false;
    if (!batch_spoil(batch)) return false;
    if (work->changes_map) batch->bench->map_loaded = false;
    const pleach_status status = call_beside_snapshot(batch, work, &seconds);
    if (status != PLEACH_OK) return bench_complain(batch->bench, work->name, "the timed call", status);
    *rate = (double)work->ops / seconds / 1e6;
    return check_repeat(batch, work);
}

void bench_measure(struct batch *batch, const struct bench_work *work)
{
    const struct bench *bench = batch->bench;
    struct bench_row row;
    bench_start_row(bench, &row, work->name, batch->n);
    /* On the CPU a map that is made anew has no warm caches to measure. */
    const bool warm = work->prepare == NULL || bench->device->kind == PLEACH_CUDA;
    if (bench_repeat(&row, bench->options->repeats, warm, repeat_once, &(struct repeating){batch, work}))
        bench_add_row(bench, &row);
}

void bench_run(struct bench *bench, const struct bench_arguments *arguments, struct bench_work work)
{
    struct batch batch;
    if (!batch_create(&batch, bench, arguments->n, arguments->parts, arguments->results)) return;
    batch.limit = arguments->limit;
    work.ops = arguments->n;
    work.elements = work.right != NULL ? arguments->n : 0;
    const bool made = arguments->make == NULL || batch_fill(&batch, arguments->make);
    if (made && (!arguments->ascending || batch_sort(&batch))) bench_measure(&batch, &work);
    batch_destroy(&batch);
}
