/* bench_points.c - loading, finding, exporting. */
#include "bench/harness/bench.h"

/* ---- load, export ---- */

static bool prepare_load(struct batch *batch) { return bench_empty_map(batch->bench, batch->bench->keys.n); }

static pleach_status call_load(void *context, pleach_stream stream)
{
    const struct bench *bench = ((struct batch *)context)->bench;
    (void)stream; /* load is synchronous */
    return pleach_map_load(bench->map, bench->keys.n, bench->load_keys, bench->load_values, 0);
}

static pleach_status call_export(void *context, pleach_stream stream)
{
    struct batch *batch = context;
    (void)stream; /* so is export */
    return pleach_map_export(batch->bench->map, batch->results, batch->out_a, batch->out_b, &batch->total);
}

static bool right_pair(const struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    const uint64_t key = bench_key(&batch->bench->keys, i);
    return bench_word(batch->host_out_a, bits, i) == key &&
           bench_word(batch->host_out_b, bits, i) == bench_value(bits, key);
}

/* The map must hold the keys, all of them and no others. */
static bool right_map(struct batch *batch)
{
    if (call_export(batch, PLEACH_SYNC) != PLEACH_OK || batch->total != batch->bench->keys.n) return false;
    return batch_fetch(batch) && batch_count_wrong(batch, batch->total, right_pair) == 0;
}

void bench_load(struct bench *bench, const struct bench_case *which)
{
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    const size_t n = bench->keys.n;
    bench_run(bench, &(struct bench_arguments){.n = n, .parts = BATCH_OUT_A | BATCH_OUT_B, .results = n},
              (struct bench_work){.name = which->name, .changes_map = true, .prepare = prepare_load, .call = call_load,
                                  .right_after = right_map});
}

static bool right_total(struct batch *batch) { return batch->total == batch->bench->keys.n; }

void bench_export(struct bench *bench, const struct bench_case *which)
{
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    const size_t n = bench->keys.n;
    bench_run(bench, &(struct bench_arguments){.n = n, .parts = BATCH_OUT_A | BATCH_OUT_B, .results = n},
              (struct bench_work){.name = which->name, .call = call_export, .right = right_pair,
                                  .right_after = right_total});
}

/* ---- find ---- */

static void find_all(struct bench *bench, const struct bench_case *which, void (*make)(struct batch *batch, size_t i),
                     bool (*right)(const struct batch *batch, size_t i), bool ascending)
{
    const size_t n = bench_op_count(bench, &which->sizes);
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    bench_run(bench, &(struct bench_arguments){n, BATCH_OUT_A, n, 0, make, ascending},
              (struct bench_work){.name = which->name, .call = batch_call_find, .right = right});
}

void bench_find(struct bench *bench, const struct bench_case *which)
{
    find_all(bench, which, batch_make_present, batch_right_found, false);
}

/* Keys outside the map come in no order of their own: put them in ascending order where that is asked for. */
void bench_find_miss(struct bench *bench, const struct bench_case *which)
{
    find_all(bench, which, batch_make_absent, batch_right_missing, bench->options->dist == DIST_SORTED);
}
