/* ycsb_calls.c - single calls from all threads at once, each carrying out one client's operations; and how long
 * they take. */
#define _DEFAULT_SOURCE 1
#include <stdlib.h>

#include "ycsb.h"
#include "tools/common/clock.h"

/* ---- one operation ---- */

static bool get(const struct ycsb *y, unsigned thread, uint64_t key, uint64_t *value)
{
    if (y->lock != NULL) pthread_rwlock_rdlock(y->lock);
    const bool found = y->rival->get(y->store, thread, key, value);
    if (y->lock != NULL) pthread_rwlock_unlock(y->lock);
    return found;
}

static bool write_with(const struct ycsb *y, bool (*call)(void *, unsigned, uint64_t, uint64_t), unsigned thread,
                       uint64_t key, uint64_t value)
{
    if (y->lock != NULL) pthread_rwlock_wrlock(y->lock);
    const bool done = call(y->store, thread, key, value);
    if (y->lock != NULL) pthread_rwlock_unlock(y->lock);
    return done;
}

/* Where a thread's scans put their pairs. */
struct pairs {
    uint64_t *keys, *values;
};

static size_t scan(const struct ycsb *y, unsigned thread, size_t i, const struct pairs *pairs)
{
    if (y->lock != NULL) pthread_rwlock_rdlock(y->lock);
    const size_t n = y->rival->scan(y->store, thread, y->ops.keys[i], y->ops.lengths[i], pairs->keys, pairs->values);
    if (y->lock != NULL) pthread_rwlock_unlock(y->lock);
    y->values[i] = n > 0 ? pairs->keys[0] : 0;
    y->lasts[i] = n > 0 ? pairs->keys[n - 1] : 0;
    return n;
}

/* Reads, and writes a value made of what it has read; like YCSB's, not at one instant. */
static bool read_modify_write(const struct ycsb *y, unsigned thread, size_t i)
{
    const uint64_t key = y->ops.keys[i];
    uint64_t value = 0;
    if (!get(y, thread, key, &value)) return false;
    y->values[i] = value;
    return write_with(y, y->rival->put, thread, key, (value & ~(uint64_t)UINT32_MAX) | (uint64_t)(i + 1));
}

static void carry_out(const struct ycsb *y, unsigned thread, size_t i, const struct pairs *pairs)
{
    const uint64_t key = y->ops.keys[i];
    switch ((enum ycsb_kind)y->ops.kinds[i]) {
    case YCSB_READ: y->counts[i] = get(y, thread, key, &y->values[i]); break;
    case YCSB_UPDATE: y->counts[i] = write_with(y, y->rival->put, thread, key, y->ops.values[i]); break;
    case YCSB_INSERT:
        if (y->rival->insert == NULL) break; /* they came before, together */
        y->counts[i] = write_with(y, y->rival->insert, thread, key, y->ops.values[i]);
        break;
    case YCSB_SCAN: y->counts[i] = (uint16_t)scan(y, thread, i, pairs); break;
    case YCSB_RMW: y->counts[i] = read_modify_write(y, thread, i); break;
    case YCSB_KINDS: break;
    }
}

/* ---- all of them ---- */

/* A thread's memory. */
struct caller {
    struct pairs pairs;
    float *samples;
    size_t sampled;
};

/* Those of all operations, in their order. */
struct inserts {
    uint64_t *keys, *values;
    size_t done, count; /* before, and in, the group */
};

struct calling {
    struct ycsb *y;
    struct caller *callers;
    size_t begin, end; /* of the operations that are to be carried out */
    const struct inserts *inserts; /* NULL: one by one, among the others */
};

static void caller_range(const struct calling *calling, unsigned thread, size_t *begin, size_t *end)
{
    const struct ycsb *y = calling->y;
    const size_t n = calling->end - calling->begin;
    *begin = calling->begin + ycsb_client_begin(n, y->threads, thread);
    *end = calling->begin + ycsb_client_begin(n, y->threads, thread + 1);
}

static void call_part(void *context, unsigned thread)
{
    const struct calling *calling = context;
    const struct pairs pairs = calling->callers[thread].pairs;
    size_t i, end;
    caller_range(calling, thread, &i, &end);
    for (; i < end; i++) carry_out(calling->y, thread, i, &pairs);
}

static pleach_status call_all(void *context, pleach_stream stream)
{
    struct calling *calling = context;
    (void)stream;
    crew_run(calling->y->crew, call_part, calling);
    return PLEACH_OK;
}

static void free_callers(const struct ycsb *y, struct calling *calling)
{
    for (unsigned thread = 0; calling->callers != NULL && thread < y->threads; thread++) {
        free(calling->callers[thread].pairs.keys);
        free(calling->callers[thread].pairs.values);
        free(calling->callers[thread].samples);
    }
    free(calling->callers);
}

static bool make_callers(struct ycsb *y, struct calling *calling, size_t samples)
{
    const size_t bytes = (y->workload->most_scan + 8) * sizeof(uint64_t);
    bool made = true;
    *calling = (struct calling){.y = y, .end = y->ops.n};
    calling->callers = calloc(y->threads, sizeof *calling->callers);
    if (calling->callers == NULL) return ycsb_complain(y, "room for scans", PLEACH_E_MEMORY);
    for (unsigned thread = 0; thread < y->threads; thread++) {
        struct caller *caller = &calling->callers[thread];
        caller->pairs = (struct pairs){malloc(bytes), malloc(bytes)};
        caller->samples = malloc((samples + 1) * sizeof *caller->samples);
        made = made && caller->pairs.keys != NULL && caller->pairs.values != NULL && caller->samples != NULL;
    }
    if (made) return true;
    free_callers(y, calling);
    return ycsb_complain(y, "room for scans", PLEACH_E_MEMORY);
}

static bool run_calls(struct ycsb *y, void *context, double *seconds)
{
    struct calling calling;
    (void)context;
    if (!make_callers(y, &calling, 0)) return false;
    y->device->time(call_all, &calling, seconds);
    free_callers(y, &calling);
    return true;
}

/* ---- how long a call takes ---- */

enum { SAMPLE_EVERY = 8 }; /* on average: a fixed step could fall in with the structure's own rhythm */

static void sample_part(void *context, unsigned thread)
{
    const struct calling *calling = context;
    struct ycsb *y = calling->y;
    struct caller *caller = &calling->callers[thread];
    size_t i, end;
    caller_range(calling, thread, &i, &end);
    for (; i < end; i++) {
        if (mix64(i) % SAMPLE_EVERY == 0) {
            const double start = clock_seconds();
            carry_out(y, thread, i, &caller->pairs);
            caller->samples[caller->sampled++] = (float)(clock_seconds() - start);
        } else {
            carry_out(y, thread, i, &caller->pairs);
        }
        if (y->ops.kinds[i] == YCSB_SCAN)
            ycsb_see_pairs(y, i, y->counts[i], caller->pairs.keys, caller->pairs.values);
    }
}

static int compare_samples(const void *x, const void *y)
{
    const float a = *(const float *)x, b = *(const float *)y;
    return (a > b) - (a < b);
}

static double percentile(const float *samples, size_t n, double share)
{
    const size_t at = (size_t)(share * (double)n);
    return 1e9 * samples[at < n ? at : n - 1];
}

static bool gather_samples(struct ycsb *y, const struct calling *calling, struct bench_row *row)
{
    size_t n = 0;
    float *all = malloc((y->ops.n + 1) * sizeof *all);
    if (all == NULL) return ycsb_complain(y, "room for latencies", PLEACH_E_MEMORY);
    for (unsigned thread = 0; thread < y->threads; thread++)
        for (size_t k = 0; k < calling->callers[thread].sampled; k++) all[n++] = calling->callers[thread].samples[k];
    qsort(all, n, sizeof *all, compare_samples);
    if (n > 0) {
        bench_row_count(row, "latency_p50_ns", percentile(all, n, 0.5));
        bench_row_count(row, "latency_p99_ns", percentile(all, n, 0.99));
        bench_row_count(row, "latency_p999_ns", percentile(all, n, 0.999));
        bench_row_count(row, "latency_samples", (double)n);
    }
    free(all);
    return true;
}

static bool sample_calls(struct ycsb *y, struct bench_row *row)
{
    struct calling calling;
    if (!make_callers(y, &calling, y->ops.n / y->threads + 1)) return false;
    crew_run(y->crew, sample_part, &calling);
    const bool good = gather_samples(y, &calling, row);
    free_callers(y, &calling);
    return good;
}

void ycsb_measure_calls(struct ycsb *y)
{
    const struct ycsb_way way = {.form = "", .order = y->threads == 1 ? YCSB_IN_ORDER : YCSB_CLIENTS,
                                 .batch = y->ops.n, .run = run_calls, .sample = sample_calls};
    ycsb_measure_way(y, &way);
}

/* ---- inserts by the group, and the rest by calls ---- */

static bool gather_inserts(struct ycsb *y, struct inserts *inserts)
{
    size_t n = 0;
    inserts->keys = malloc((y->ops.inserts + 1) * sizeof *inserts->keys);
    inserts->values = malloc((y->ops.inserts + 1) * sizeof *inserts->values);
    if (inserts->keys == NULL || inserts->values == NULL) return ycsb_complain(y, "inserts", PLEACH_E_MEMORY);
    for (size_t i = 0; i < y->ops.n; i++) {
        if (y->ops.kinds[i] != YCSB_INSERT) continue;
        inserts->keys[n] = y->ops.keys[i];
        inserts->values[n++] = y->ops.values[i];
    }
    return true;
}

static pleach_status call_group(void *context, pleach_stream stream)
{
    struct calling *calling = context;
    const struct inserts *inserts = calling->inserts;
    const struct ycsb *y = calling->y;
    if (inserts->count > 0 && !y->rival->insert_many(y->store, inserts->count, inserts->keys + inserts->done,
                                                     inserts->values + inserts->done))
        return PLEACH_E_MEMORY;
    return call_all(calling, stream);
}

static bool run_merging(struct ycsb *y, void *context, double *seconds)
{
    struct inserts *inserts = context;
    struct calling calling;
    pleach_status status = PLEACH_OK;
    if (!make_callers(y, &calling, 0)) return false;
    calling.inserts = inserts;
    inserts->done = 0;
    *seconds = 0;
    for (calling.begin = 0; calling.begin < y->ops.n && status == PLEACH_OK; calling.begin = calling.end) {
        double took = 0;
        calling.end = calling.begin + y->group < y->ops.n ? calling.begin + y->group : y->ops.n;
        inserts->count = 0;
        for (size_t i = calling.begin; i < calling.end; i++) inserts->count += y->ops.kinds[i] == YCSB_INSERT;
        status = y->device->time(call_group, &calling, &took);
        *seconds += took;
        inserts->done += inserts->count;
        for (size_t i = calling.begin; i < calling.end; i++)
            if (y->ops.kinds[i] == YCSB_INSERT) y->counts[i] = 1; /* the number of keys in the end tells */
    }
    free_callers(y, &calling);
    return status == PLEACH_OK || ycsb_complain(y, "inserts", status);
}

void ycsb_measure_merging(struct ycsb *y)
{
    struct inserts inserts = {0};
    const struct ycsb_way way = {.form = "[]", .order = YCSB_GROUPS, .batch = y->group, .run = run_merging,
                                 .context = &inserts};
    if (gather_inserts(y, &inserts)) ycsb_measure_way(y, &way);
    free(inserts.keys);
    free(inserts.values);
}
