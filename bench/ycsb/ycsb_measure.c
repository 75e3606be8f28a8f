/* ycsb_measure.c - a store of pleach-bench ycsb, from its creation to its rows. */
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "ycsb.h"
#include "tools/common/cli.h"

const char *ycsb_kind_prefix(const struct rival *rival)
{
    return rival->kind == RIVAL_PEER ? "peer-" : rival->kind == RIVAL_BASELINE ? "base-" : "";
}

/* ---- the store at first ---- */

/* What malloc has given out; 0 where it does not tell. */
static uint64_t malloc_bytes(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
    const struct mallinfo2 info = mallinfo2();
    return (uint64_t)info.uordblks + (uint64_t)info.hblkhd;
#else
    return 0;
#endif
}

struct filling {
    struct ycsb *y;
    atomic_size_t failed;
};

static void insert_part(void *context, unsigned thread)
{
    struct filling *filling = context;
    const struct ycsb *y = filling->y;
    const unsigned threads = y->rival->concurrent ? y->threads : 1;
    if (thread >= threads) return;
    const size_t end = ycsb_client_begin(y->first, threads, thread + 1);
    for (size_t i = ycsb_client_begin(y->first, threads, thread); i < end; i++)
        if (!y->rival->insert(y->store, thread, y->first_keys[i], y->first_values[i]))
            atomic_fetch_add(&filling->failed, 1);
}

static bool write_first(const struct ycsb *y, pleach_operation op)
{
    const struct arrays x = {.keys = y->device_keys, .values = y->device_values};
    return target_array(y->store, op, y->first, &x, 0, PLEACH_SYNC) == PLEACH_OK;
}

/* The first records one by one, in an order that is not that of their keys, as YCSB loads them; by one transaction, one
 * merge or one array call where single inserts would take too long. */
static bool fill(struct ycsb *y)
{
    struct filling filling = {.y = y};
    if (y->rival->load != NULL) return y->rival->load(y->store, y->first, y->first_keys, y->first_values);
    if (y->device->kind == PLEACH_CUDA)
        return write_first(y, PLEACH_OP_ADD);
    crew_run(y->crew, insert_part, &filling);
    return filling.failed == 0;
}

static void close_store(struct ycsb *y)
{
    if (y->store != NULL) y->rival->destroy(y->store);
    y->store = NULL;
    y->fresh = false;
}

static bool open_store(struct ycsb *y)
{
    const struct ycsb_settings settings = {y->device->kind, (pleach_engine)y->options->engine, y->options->reserve};
    const struct rival_needs needs = {
        .threads = y->threads > 0 ? y->threads : 1, .keys = y->first + y->ops.inserts, .settings = &settings};
    const uint64_t before = malloc_bytes();
    y->store = y->rival->create(&needs);
    if (y->store == NULL) return ycsb_complain(y, "creating it", PLEACH_E_MEMORY);
    if (!fill(y) || y->rival->count(y->store) != y->first) return ycsb_complain(y, "the first records", PLEACH_E_FULL);
    y->bytes = y->rival->bytes != NULL ? y->rival->bytes(y->store) : before > 0 ? malloc_bytes() - before : 0;
    y->fresh = true;
    return true;
}

/* ---- the store again as it was ---- */

/* Updates leave the structure as it is, so their values alone are put back. */
static bool put_back(struct ycsb *y)
{
    const struct ycsb_ops *ops = &y->ops;
    if (y->device->kind == PLEACH_CUDA)
        return write_first(y, PLEACH_OP_PUT);
    for (size_t i = 0; i < ops->n; i++)
        if (ycsb_writes(ops->kinds[i]) && !y->rival->put(y->store, 0, ops->keys[i], ycsb_value(ops->keys[i], 0)))
            return false;
    return true;
}

static bool restore(struct ycsb *y)
{
    if (y->fresh) return true;
    if (y->ops.inserts > 0 || y->store == NULL) {
        close_store(y);
        return open_store(y);
    }
    y->fresh = put_back(y);
    return y->fresh || ycsb_complain(y, "putting values back", PLEACH_E_FULL);
}

/* ---- rows ---- */

static bool repeat_once(struct ycsb *y, const struct ycsb_way *way, bool last, double *rate)
{
    double seconds = 1;
    if (!restore(y)) return false;
    ycsb_spoil_answers(y);
    y->fresh = y->ops.inserts == 0 && y->workload->share[YCSB_UPDATE] + y->workload->share[YCSB_RMW] == 0;
    if (!way->run(y, way->context, &seconds)) return false;
    *rate = (double)y->ops.n / seconds / 1e6;
    return ycsb_judge(y, way->order, last);
}

/* A repeat of its own, because looking at the clock so often takes time too. */
static bool sample_once(struct ycsb *y, const struct ycsb_way *way, struct bench_row *row)
{
    if (way->sample == NULL || y->options->no_latency) return true;
    if (!restore(y)) return false;
    ycsb_spoil_answers(y);
    y->fresh = false;
    return way->sample(y, row) && ycsb_judge(y, way->order, false);
}

static double counter(const struct bench_row *row, const char *name)
{
    for (size_t i = 0; i < row->counter_count; i++)
        if (strcmp(row->counters[i].name, name) == 0) return row->counters[i].value;
    return 0;
}

static void say_counters(struct ycsb *y, const struct bench_row *row)
{
    char line[160];
    size_t used = 0;
    const double bytes = counter(row, "bytes_per_key");
    line[0] = '\0';
    if (counter(row, "latency_samples") > 0)
        used = (size_t)snprintf(line, sizeof line, "ns a call: p50 %.0f, p99 %.0f, p99.9 %.0f",
                                counter(row, "latency_p50_ns"), counter(row, "latency_p99_ns"),
                                counter(row, "latency_p999_ns"));
    if (bytes > 0 && !y->told_bytes)
        snprintf(line + used, sizeof line - used, "%s%.1f bytes a key at first", used > 0 ? "; " : "", bytes);
    y->told_bytes = true;
    if (line[0] != '\0') bench_report_say(y->report, line);
}

static void start_row(const struct ycsb *y, const struct ycsb_way *way, struct bench_row *row)
{
    *row = (struct bench_row){.dist = ycsb_dist_names[y->workload->dist], .bits = 64, .threads = y->threads,
                              .keys = y->first, .batch = way->batch};
    snprintf(row->name, sizeof row->name, "%s", y->workload->name);
    row->device = bench_report_keep(y->report, "%s/%s%s%s", y->device->name, ycsb_kind_prefix(y->rival),
                                    y->rival->name, way->form);
    if (y->options->key_file.keys != NULL) row->dist = bench_report_keep(y->report, "file-%s", row->dist);
    if (y->lock != NULL) bench_row_count(row, "locked", 1);
    if (y->bytes > 0) bench_row_count(row, "bytes_per_key", (double)y->bytes / (double)y->first);
}

/* An index is ordered or hashed; what others do inside is theirs, and they are measured by the same. */
static void bind_row(const struct ycsb *y, const struct ycsb_way *way, struct bench_row *row)
{
    const bool gpu = y->device->kind == PLEACH_CUDA;
    const struct bench_place place = {gpu, 64, !gpu && way->form[0] == '\0', 0};
    const bool hashed = y->rival->scan == NULL;
    const double *share = y->workload->share, scans = share[YCSB_SCAN];
    const double changes = share[YCSB_UPDATE] + share[YCSB_INSERT] + share[YCSB_RMW];
    struct bench_need need = {{0}};
    bench_need_add(&need, changes, hashed ? bench_need_hash_change(place) : bench_need_change(place));
    bench_need_add(&need, scans, bench_need_range(place, (y->workload->least_scan + y->workload->most_scan) / 2.0));
    bench_need_add(&need, 1 - changes - scans, hashed ? bench_need_hash_find(place) : bench_need_find(place));
    bench_row_bind(row, &y->limits, &need);
}

void ycsb_measure_way(struct ycsb *y, const struct ycsb_way *way)
{
    const size_t repeats = (size_t)y->options->repeats;
    struct bench_row row;
    double unused;
    y->form = way->form;
    if (!restore(y)) return;
    start_row(y, way, &row);
    /* One time for nothing, to have caches warm and code loaded; on the CPU not where the store must be made anew. */
    if ((y->ops.inserts == 0 || y->device->kind == PLEACH_CUDA) && !repeat_once(y, way, false, &unused)) return;
    for (; row.repeats < repeats; row.repeats++)
        if (!repeat_once(y, way, row.repeats + 1 == repeats, &row.rates[row.repeats])) return;
    if (!sample_once(y, way, &row)) return;
    bind_row(y, way, &row);
    bench_report_add(y->report, &row);
    say_counters(y, &row);
}

/* ---- a store ---- */

void ycsb_measure_store(struct ycsb *y, const struct rival *rival)
{
    pthread_rwlock_t lock;
    char line[120];
    y->rival = rival;
    y->form = "";
    y->told_bytes = false;
    if (y->ops.scans > 0 && rival->scan == NULL) {
        snprintf(line, sizeof line, "%s has no order, so no scans: left out of %s", rival->name, y->workload->name);
        bench_report_say(y->report, line);
        return;
    }
    pthread_rwlock_init(&lock, NULL);
    y->lock = !rival->concurrent && y->threads > 1 ? &lock : NULL;
    if (rival->insert == NULL) {
        ycsb_measure_merging(y);
    } else {
        if (y->device->kind == PLEACH_CPU) ycsb_measure_calls(y);
        if (rival->kind == RIVAL_OWN && !y->options->single) {
            ycsb_measure_groups(y);
            ycsb_measure_apply(y);
        }
    }
    close_store(y);
    pthread_rwlock_destroy(&lock);
    y->lock = NULL;
    y->rival = NULL;
}
