/* bench_apply.c - batches: finds and updates in one array, as if one after the other. */
#include <stdio.h>
#include <stdlib.h>

#include <pleach/batch.h>

#include "bench.h"

enum { OTHER_VALUES = 255 }; /* that updates give a key beside its first one */

struct applied {
    struct batch batch; /* first: bench_measure hands it to the functions below */
    uint8_t *host_kinds, *kinds;
    unsigned share; /* percent of updates */
    bool inserts;   /* they put new keys; else they give keys of the map other values */
};

static bool is_update(const struct applied *a, size_t i) { return mix64(i) % 100 < a->share; }

static void make_operation(struct batch *batch, size_t i)
{
    const struct applied *a = (const struct applied *)batch;
    const struct bench_keys *keys = &batch->bench->keys;
    const unsigned bits = batch->bench->bits;
    const bool update = is_update(a, i);
    const uint64_t key = update && a->inserts ? bench_keys_absent(keys, i)
                                              : bench_key(keys, bench_keys_rank(keys, i, batch->n));
    bench_set_word(batch->host_a, bits, i, key);
    bench_set_word(batch->host_b, bits, i, bench_value(bits, key) ^ (a->inserts ? 0 : 1 + i % OTHER_VALUES));
    a->host_kinds[i] = update ? PLEACH_OP_PUT : PLEACH_OP_FIND;
}

static pleach_status call_apply(void *context, pleach_stream stream)
{
    const struct applied *a = context;
    pleach_batch batch = {.n = a->batch.n, .kinds = a->kinds, .keys = a->batch.a, .values = a->batch.b,
                          .flags = a->batch.bytes, .out_values = a->batch.out_a};
    (void)stream; /* it is synchronous */
    return pleach_map_apply(a->batch.bench->map, &batch);
}

/* The first value, or one that an update of the batch may have put before. */
static bool right_operation(const struct batch *batch, size_t i)
{
    const struct applied *a = (const struct applied *)batch;
    const unsigned bits = batch->bench->bits;
    const bool update = is_update(a, i);
    if (update && a->inserts) return batch->host_bytes[i] == PLEACH_INSERTED;
    if (batch->host_bytes[i] != (update ? PLEACH_REPLACED : 1)) return false;
    const uint64_t first = bench_value(bits, bench_word(batch->host_a, bits, i));
    const uint64_t other = bench_word(batch->host_out_a, bits, i) ^ first;
    return other <= (a->share > 0 && !a->inserts ? OTHER_VALUES : 0);
}

/* The map as it was, and what a map that has seen batches before has: memory to work with. */
static bool prepare_map(struct batch *batch)
{
    struct bench *bench = batch->bench;
    if (!bench_have_map(bench, bench->keys.n)) return false;
    pleach_status status = pleach_map_reserve(bench->map, bench->keys.n + batch->n);
    if (status != PLEACH_OK) return bench_complain(bench, "map", "reserving memory", status);
    return batch_warm_map(batch);
}

/* One batch more, for where its time goes; a GPU does not tell. */
static void print_times(struct applied *a)
{
    const struct bench *bench = a->batch.bench;
    pleach_batch_times times;
    pleach_batch batch = {.n = a->batch.n, .kinds = a->kinds, .keys = a->batch.a, .values = a->batch.b,
                          .flags = a->batch.bytes, .out_values = a->batch.out_a, .times = &times};
    if (bench->device->kind == PLEACH_CUDA || bench->failed || !prepare_map(&a->batch)) return;
    a->batch.bench->map_loaded = false;
    if (pleach_map_apply(bench->map, &batch) != PLEACH_OK) return;
    const double all = times.list + times.read + times.sort + times.search + times.query + times.modify;
    char line[120];
    snprintf(line, sizeof line, "of %.0f us: list %.0f%%, read %.0f%%, sort %.0f%%, search %.0f%%, modify %.0f%%",
             1e6 * all, 100 * times.list / all, 100 * times.read / all, 100 * times.sort / all,
             100 * times.search / all, 100 * times.modify / all);
    bench_report_say(bench->report, line);
}

static void measure_applied(struct applied *a, const char *kind)
{
    char name[BENCH_NAME_BYTES];
    snprintf(name, sizeof name, "apply/%s/%u%%", kind, a->share);
    const struct bench_work work = {.name = name,
                                    .ops = a->batch.n,
                                    .changes_map = a->share > 0,
                                    .prepare = prepare_map,
                                    .call = call_apply,
                                    .elements = a->batch.n,
                                    .right = right_operation};
    if (batch_fill(&a->batch, make_operation) && a->batch.bench->device->copy_in(a->kinds, a->host_kinds, a->batch.n))
        bench_measure(&a->batch, &work);
    print_times(a);
}

static void apply_share(struct bench *bench, size_t n, unsigned share, bool inserts)
{
    struct applied a = {.share = share, .inserts = inserts};
    if (!batch_create(&a.batch, bench, n, BATCH_B | BATCH_OUT_A, n)) return;
    a.host_kinds = malloc(n);
    a.kinds = bench->device->allocate(n);
    if (a.host_kinds != NULL && a.kinds != NULL)
        measure_applied(&a, share == 0 ? "find" : inserts ? "insert" : "update");
    else
        bench_complain(bench, "apply", "allocating it", PLEACH_E_MEMORY);
    free(a.host_kinds);
    bench->device->release(a.kinds);
    batch_destroy(&a.batch);
}

void bench_apply(struct bench *bench, const struct bench_case *which)
{
    static const unsigned shares[] = {5, 50, 100};
    const size_t n = bench_op_count(bench, &which->sizes);
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    apply_share(bench, n, 0, false);
    for (unsigned inserts = 0; inserts < 2; inserts++)
        for (size_t i = 0; i < sizeof shares / sizeof shares[0] && !bench->failed; i++)
            apply_share(bench, n, shares[i], inserts);
}
