/* bench_single.c - single calls from all threads at once. */
#include <stdio.h>

#include "bench/harness/bench.h"

/* Answers stay in host_bytes and host_out_a, as those of an array call would; the device is the CPU. */

static void find_one(struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    int found = 0;
    uint64_t value = 0;
    if (pleach_map_find_one(batch->bench->map, bench_word(batch->a, bits, i), &found, &value) != PLEACH_OK) return;
    batch->bytes[i] = found ? 1 : 0;
    bench_set_word(batch->out_a, bits, i, value);
}

static void put_one(struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    uint64_t old = 0;
    if (pleach_map_put_one(batch->bench->map, bench_word(batch->a, bits, i), bench_word(batch->b, bits, i), &outcome,
                           &old) != PLEACH_OK)
        return;
    batch->bytes[i] = (uint8_t)outcome;
    bench_set_word(batch->out_a, bits, i, old);
}

/* Which operations of a mixed batch are puts; batch.limit is their share, in 10000ths. */
static bool is_put(const struct batch *batch, size_t i) { return mix64(i) % 10000 < batch->limit; }

static void find_slice(void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) find_one(context, i);
}

static void put_slice(void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) put_one(context, i);
}

static void mixed_slice(void *context, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (is_put(context, i))
            put_one(context, i);
        else
            find_one(context, i);
    }
}

static pleach_status call_slices(void *context, crew_slice *slice)
{
    struct batch *batch = context;
    crew_share(batch->bench->crew, batch->n, slice, batch);
    return PLEACH_OK;
}

static pleach_status call_find(void *context, pleach_stream stream)
{
    (void)stream;
    return call_slices(context, find_slice);
}

static pleach_status call_put(void *context, pleach_stream stream)
{
    (void)stream;
    return call_slices(context, put_slice);
}

static pleach_status call_mixed(void *context, pleach_stream stream)
{
    (void)stream;
    return call_slices(context, mixed_slice);
}

static bool right_value(const struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    return bench_word(batch->host_out_a, bits, i) == bench_word(batch->host_b, bits, i);
}

/* Puts of a mixed batch replace a value by itself, so the map stays as it is. */
static bool right_mixed(const struct batch *batch, size_t i)
{
    return batch->host_bytes[i] == (is_put(batch, i) ? PLEACH_REPLACED : 1) && right_value(batch, i);
}

static bool right_size_after_put(struct batch *batch)
{
    uint64_t size = 0;
    return pleach_map_size(batch->bench->map, &size) == PLEACH_OK && size == batch->bench->keys.n + batch->n;
}

static bool prepare_full(struct batch *batch) { return bench_have_map(batch->bench, batch->bench->keys.n); }

void bench_single_find(struct bench *bench, const struct bench_case *which)
{
    const size_t n = bench_op_count(bench, &which->sizes);
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    bench_run(bench, &(struct bench_arguments){n, BATCH_B | BATCH_OUT_A, n, 0, batch_make_present, false},
              (struct bench_work){.name = which->name, .call = call_find, .right = batch_right_found});
}

void bench_single_put(struct bench *bench, const struct bench_case *which)
{
    const size_t n = bench_op_count(bench, &which->sizes);
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    bench_run(bench, &(struct bench_arguments){n, BATCH_B | BATCH_OUT_A, n, 0, batch_make_absent, false},
              (struct bench_work){.name = which->name, .changes_map = true, .prepare = prepare_full, .call = call_put,
                                  .right = batch_right_inserted, .right_after = right_size_after_put});
}

static void single_mixed_of(struct bench *bench, const struct bench_case *which, double percent)
{
    char name[BENCH_NAME_BYTES];
    const size_t n = bench_op_count(bench, &which->sizes);
    const uint32_t limit = (uint32_t)(100 * percent + 0.5);
    snprintf(name, sizeof name, "%s/%g%%", which->name, percent);
    bench_run(bench, &(struct bench_arguments){n, BATCH_B | BATCH_OUT_A, n, limit, batch_make_present, false},
              (struct bench_work){.name = name, .call = call_mixed, .right = right_mixed});
}

void bench_single_mixed(struct bench *bench, const struct bench_case *which)
{
    static const struct bench_numbers own = {2, {5, 50}};
    const struct bench_numbers *shares = bench_asked_or(&bench->options->shares, &own);
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t i = 0; i < shares->count && !bench->failed; i++) single_mixed_of(bench, which, shares->at[i]);
}
