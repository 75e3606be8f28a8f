/* bench_long.c - long queries as users make them: one call from host arrays to host arrays, timed by the clock. Rates
 * are keys, or pairs, per second; the counter us_per_call is how long one call takes. */
#define _DEFAULT_SOURCE /* clock_gettime */
#include <stdio.h>
#include <string.h>

#include <pleach/file.h>

#include "bench/harness/bench.h"
#include "tools/common/clock.h"

/* A benchmark's arrays, in host memory on either device. */
struct long_query {
    struct bench *bench;
    const struct bench_case *which;
    size_t n, room; /* queries; pairs */
    void *low, *high, *keys, *values;
    uint64_t *counts; /* n + 1 */
    struct bench_memory memory;
    pleach_snapshot *snapshot;
    size_t found, turn;
    char path[64];
};

static bool create(struct long_query *q, struct bench *bench, const struct bench_case *which, size_t n, size_t room)
{
    const size_t bytes = word_bytes(bench->bits);
    *q = (struct long_query){.bench = bench, .which = which, .n = n, .room = room};
    q->low = bench_memory_zeros(&q->memory, n * bytes);
    q->high = bench_memory_host(&q->memory, n * bytes);
    q->counts = bench_memory_zeros(&q->memory, (n + 1) * sizeof q->counts[0]);
    q->keys = bench_memory_zeros(&q->memory, (room + 1) * bytes);
    q->values = bench_memory_zeros(&q->memory, (room + 1) * bytes);
    if (q->memory.lacking) return bench_complain(bench, which->name, "memory", PLEACH_E_MEMORY);
    memset(q->high, 0xff, n * bytes); /* everything */
    return true;
}

static void destroy(struct long_query *q)
{
    pleach_snapshot_release(q->snapshot);
    bench_memory_release(&q->memory);
}

/* Query i is the keys from this rank on, so many. */
static void set_interval(struct long_query *q, size_t i, size_t rank, size_t length)
{
    const struct bench_keys *keys = &q->bench->keys;
    bench_set_word(q->low, keys->bits, i, bench_key(keys, rank));
    bench_set_word(q->high, keys->bits, i, bench_key(keys, rank + length - 1));
}

/* Another place of the map in every call. */
static size_t next_rank(struct long_query *q, size_t length)
{
    return (size_t)(mix64(q->turn++) % (q->bench->keys.n - length + 1));
}

static bool right_pairs(const struct long_query *q, size_t rank, size_t count)
{
    const struct bench_keys *keys = &q->bench->keys;
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = bench_key(keys, rank + i);
        if (bench_word(q->keys, keys->bits, i) != key ||
            bench_word(q->values, keys->bits, i) != bench_value(keys->bits, key))
            return false;
    }
    return true;
}

/* Makes and checks one call; *seconds is what it took. WRONG is PLEACH_E_CORRUPT. */
typedef pleach_status long_call(struct long_query *q, double *seconds);

static void measure(struct long_query *q, const char *name, size_t calls, size_t pairs, long_call *call)
{
    struct bench *bench = q->bench;
    struct bench_row row;
    double each[BENCH_MOST_REPEATS];
    bench_start_row(bench, &row, name, pairs);
    for (size_t repeat = 0; repeat <= bench->options->repeats; repeat++) {
        double all = 0;
        for (size_t i = 0; i < calls; i++) {
            double seconds = 0;
            const pleach_status status = call(q, &seconds);
            if (status != PLEACH_OK) {
                bench_complain(bench, name, status == PLEACH_E_CORRUPT ? "WRONG results" : "the timed call", status);
                return;
            }
            all += seconds;
        }
        if (repeat == 0) continue; /* for nothing: caches become warm */
        each[row.repeats] = 1e6 * all / (double)calls;
        row.rates[row.repeats++] = (double)(calls * pairs) / all / 1e6;
    }
    bench_row_count(&row, "us_per_call", bench_median(each, row.repeats));
    bench_report_add(bench->report, &row); /* the limits are of many short operations */
}

/* ---- counts ---- */

static pleach_status count(struct long_query *q, double *seconds)
{
    const double begin = clock_seconds();
    const pleach_status status = pleach_map_range_count(q->bench->map, q->n, q->low, q->high, q->counts, PLEACH_SYNC);
    *seconds = clock_seconds() - begin;
    if (status != PLEACH_OK) return status;
    for (size_t i = 0; i < q->n; i++)
        if (q->counts[i] != (q->n > 1 && i != q->found ? q->room : q->bench->keys.n)) return PLEACH_E_CORRUPT;
    return PLEACH_OK;
}

void bench_long_count(struct bench *bench, const struct bench_case *which)
{
    struct long_query q;
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    if (create(&q, bench, which, 1, 0)) measure(&q, which->name, 1, bench->keys.n, count);
    destroy(&q);
}

/* Short counts, and among them, in the middle, one over everything; `found` is its place, or none. */
void bench_long_mixed(struct bench *bench, const struct bench_case *which)
{
    enum { LENGTH = 8 };
    struct long_query q, one;
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    const size_t n = bench_op_count(bench, &which->sizes);
    if (create(&q, bench, which, n, LENGTH)) {
        for (size_t i = 0; i < n; i++) set_interval(&q, i, next_rank(&q, LENGTH), LENGTH);
        q.found = SIZE_MAX;
        measure(&q, "long-mixed/short", 1, n * LENGTH, count);
        memset((char *)q.low + n / 2 * word_bytes(bench->bits), 0, word_bytes(bench->bits));
        memset((char *)q.high + n / 2 * word_bytes(bench->bits), 0xff, word_bytes(bench->bits));
        q.found = n / 2;
        if (!bench->failed) measure(&q, "long-mixed/both", 1, (n - 1) * LENGTH + bench->keys.n, count);
    }
    destroy(&q);
    if (bench->failed) return;
    if (create(&one, bench, which, 1, 0)) measure(&one, "long-mixed/long", 1, bench->keys.n, count);
    destroy(&one);
}

/* ---- pairs ---- */

static pleach_status range(struct long_query *q, double *seconds)
{
    const size_t rank = next_rank(q, q->room);
    size_t total = 0;
    set_interval(q, 0, rank, q->room);
    const double begin = clock_seconds();
    const pleach_status status =
        pleach_map_range(q->bench->map, 1, q->low, q->high, 0, q->room, q->keys, q->values, q->counts, &total);
    *seconds = clock_seconds() - begin;
    if (status != PLEACH_OK) return status;
    return total == q->room && right_pairs(q, rank, total) ? PLEACH_OK : PLEACH_E_CORRUPT;
}

static void bench_one_range(struct bench *bench, const struct bench_case *which, size_t length, size_t calls)
{
    struct long_query q;
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    if (length > bench->keys.n) length = bench->keys.n;
    if (create(&q, bench, which, 1, length)) measure(&q, which->name, calls, length, range);
    destroy(&q);
}

void bench_long_range(struct bench *bench, const struct bench_case *which)
{
    bench_one_range(bench, which, bench_op_count(bench, &which->sizes), 20);
}

void bench_range_one(struct bench *bench, const struct bench_case *which)
{
    bench_one_range(bench, which, bench_op_count(bench, &which->sizes), 1000);
}

/* ---- everything ---- */

static pleach_status export_all(struct long_query *q, double *seconds)
{
    const double begin = clock_seconds();
    size_t n = 0;
    const pleach_status status = q->snapshot
                                     ? pleach_snapshot_export(q->snapshot, q->room, q->keys, q->values, &n)
                                     : pleach_map_export(q->bench->map, q->room, q->keys, q->values, &n);
    *seconds = clock_seconds() - begin;
    if (status != PLEACH_OK) return status;
    return n == q->bench->keys.n && right_pairs(q, 0, n) ? PLEACH_OK : PLEACH_E_CORRUPT;
}

static bool take(struct long_query *q)
{
    const pleach_status status = pleach_snapshot_take(q->bench->map, &q->snapshot, PLEACH_SYNC);
    return status == PLEACH_OK || bench_complain(q->bench, q->which->name, "taking a snapshot", status);
}

/* Of a snapshot, where there are some. */
void bench_long_export(struct bench *bench, const struct bench_case *which)
{
    struct long_query q;
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    const size_t n = bench->keys.n;
    if (create(&q, bench, which, 1, n) && (!bench->options->versioned || take(&q)))
        measure(&q, which->name, 1, n, export_all);
    destroy(&q);
}

static pleach_status save(struct long_query *q, double *seconds)
{
    const double begin = clock_seconds();
    const pleach_status status = pleach_snapshot_save(q->snapshot, q->path);
    *seconds = clock_seconds() - begin;
    if (status != PLEACH_OK) return status;
    FILE *file = fopen(q->path, "rb");
    const bool whole = file && fseek(file, 0, SEEK_END) == 0 &&
                       (size_t)ftell(file) > 2 * word_bytes(q->bench->bits) * q->bench->keys.n;
    if (file) fclose(file);
    remove(q->path);
    return whole ? PLEACH_OK : PLEACH_E_CORRUPT;
}

/* Of maps with versions; others have nothing to save. */
void bench_long_save(struct bench *bench, const struct bench_case *which)
{
    struct long_query q;
    if (!bench->options->versioned) return;
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    if (create(&q, bench, which, 1, 0) && take(&q)) {
        snprintf(q.path, sizeof q.path, "pleach-bench-%u-%u.tmp", bench->bits, bench->threads);
        measure(&q, which->name, 1, bench->keys.n, save);
    }
    destroy(&q);
}
