/* bench_updates.c - inserting and erasing by array calls. */
#include "bench/harness/bench.h"

/* Whether array calls are never batches. */
static bool by_calls(const struct bench_options *options)
{
    return options->engine == PLEACH_ENGINE_CALLS || options->structure == PLEACH_SKIPLIST;
}

/* Only synchronous calls may become batches. */
static pleach_stream own_stream(const struct batch *batch, pleach_stream stream)
{
    return by_calls(batch->bench->options) ? stream : PLEACH_SYNC;
}

static pleach_status call_put(void *context, pleach_stream stream)
{
    struct batch *batch = context;
    return pleach_map_put(batch->bench->map, batch->n, batch->a, batch->b, batch->bytes, NULL,
                          own_stream(batch, stream));
}

static pleach_status call_erase(void *context, pleach_stream stream)
{
    struct batch *batch = context;
    return pleach_map_erase(batch->bench->map, batch->n, batch->a, batch->bytes, NULL, own_stream(batch, stream));
}

static bool has_size(const struct batch *batch, size_t expected)
{
    uint64_t size = 0;
    return pleach_map_size(batch->bench->map, &size) == PLEACH_OK && size == expected;
}

/* Asks the map for everything that was put into it. */
static bool all_are_found(struct batch *batch)
{
    if (!batch_spoil(batch)) return false;
    return batch_call_find(batch, PLEACH_SYNC) == PLEACH_OK && batch_fetch(batch) &&
           batch_count_wrong(batch, batch->n, batch_right_found) == 0;
}

static bool right_after_fill(struct batch *batch) { return has_size(batch, batch->n) && all_are_found(batch); }

static bool right_after_insert(struct batch *batch)
{
    return has_size(batch, batch->bench->keys.n + batch->n) && all_are_found(batch);
}

static bool right_after_erase(struct batch *batch)
{
    if (!has_size(batch, batch->bench->keys.n - batch->n)) return false;
    return batch_spoil(batch) &&
           pleach_map_contains(batch->bench->map, batch->n, batch->a, batch->bytes, PLEACH_SYNC) == PLEACH_OK &&
           batch_fetch(batch) && batch_count_wrong(batch, batch->n, batch_right_missing) == 0;
}

/* A map in use has scratch memory; it is not what is measured. With a snapshot there are no batches. */
static bool warm(struct batch *batch)
{
    const struct bench_options *options = batch->bench->options;
    return by_calls(options) || options->snapshot || batch_warm_map(batch);
}

static bool prepare_empty(struct batch *batch) { return bench_empty_map(batch->bench, batch->n) && warm(batch); }

static bool prepare_full(struct batch *batch)
{
    struct bench *bench = batch->bench;
    if (!bench_have_map(bench, bench->keys.n)) return false;
    if (!bench->options->reserve) return warm(batch);
    const size_t copies = bench->options->snapshot ? 8 * batch->n : 0; /* a leaf each at most, of 7 pairs or more */
    const pleach_status status = pleach_map_reserve(bench->map, bench->keys.n + batch->n + copies);
    if (status != PLEACH_OK) return bench_complain(bench, "map", "reserving memory", status);
    return warm(batch);
}

/* ---- insert ---- */

static void insert_all(struct bench *bench, const struct bench_case *which,
                       void (*make)(struct batch *batch, size_t i))
{
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    const size_t n = bench->keys.n;
    bench_run(bench, &(struct bench_arguments){n, BATCH_B | BATCH_OUT_A, n, 0, make, false},
              (struct bench_work){.name = which->name, .changes_map = true, .prepare = prepare_empty, .call = call_put,
                                  .right = batch_right_inserted, .right_after = right_after_fill});
}

void bench_insert_empty(struct bench *bench, const struct bench_case *which)
{
    insert_all(bench, which, batch_make_present);
}

void bench_insert_sorted(struct bench *bench, const struct bench_case *which)
{
    insert_all(bench, which, batch_make_ascending);
}

static void insert_batch_of(struct bench *bench, const struct bench_case *which, size_t n)
{
    const bool sorted = bench->options->dist == DIST_SORTED;
    bench_run(bench, &(struct bench_arguments){n, BATCH_B | BATCH_OUT_A, n, 0, batch_make_absent, sorted},
              (struct bench_work){.name = which->name, .changes_map = true, .prepare = prepare_full, .call = call_put,
                                  .right = batch_right_inserted, .right_after = right_after_insert});
}

void bench_insert_batch(struct bench *bench, const struct bench_case *which)
{
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    if (bench->options->ops > 0) {
        insert_batch_of(bench, which, (size_t)bench->options->ops);
        return;
    }
    const unsigned most = bench->options->quick ? 18 : 22;
    for (unsigned power = 16; power <= most; power += 2) insert_batch_of(bench, which, (size_t)1 << power);
}

/* ---- erase ---- */

/* A tenth of the keys, unless --ops says how many. */
static void erase_tenth(struct bench *bench, const struct bench_case *which, bool sorted)
{
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    const size_t tenth = bench->options->ops > 0 ? (size_t)bench->options->ops : bench->keys.n / 10;
    const size_t n = tenth < bench->keys.n ? tenth : bench->keys.n;
    if (n == 0) return;
    bench_run(bench, &(struct bench_arguments){n, 0, 0, 0, batch_make_present, sorted},
              (struct bench_work){.name = which->name, .changes_map = true, .prepare = prepare_full, .call = call_erase,
                                  .right = batch_right_erased, .right_after = right_after_erase});
}

void bench_erase(struct bench *bench, const struct bench_case *which) { erase_tenth(bench, which, false); }

void bench_erase_sorted(struct bench *bench, const struct bench_case *which) { erase_tenth(bench, which, true); }
