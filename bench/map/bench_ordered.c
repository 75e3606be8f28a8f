/* bench_ordered.c - ranges and neighbours. A query's rank is known, so the sorted keys tell the right answer. */
#include <stdio.h>

#include "bench/harness/bench.h"

void batch_make_interval(struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const size_t rank = batch_rank(batch, i);
    bench_set_word(batch->host_a, keys->bits, i, bench_key(keys, rank));
    bench_set_word(batch->host_b, keys->bits, i, bench_keys_interval(keys, rank, batch->limit / 2));
}

size_t batch_pairs_in_interval(const struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const uint64_t hi = bench_word(batch->host_b, keys->bits, i);
    const size_t first = batch_rank(batch, i);
    size_t rank = first;
    while (rank < keys->n && bench_key(keys, rank) <= hi) rank++;
    return rank - first;
}

/* The pairs from the query's rank on; their values may differ from the first ones in so many ways. */
bool batch_right_pairs(const struct batch *batch, size_t i, size_t at, size_t count, uint64_t most_change)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const size_t first = batch_rank(batch, i);
    for (size_t j = 0; j < count; j++) {
        const uint64_t key = bench_key(keys, first + j);
        if (bench_word(batch->host_out_a, keys->bits, at + j) != key ||
            (bench_word(batch->host_out_b, keys->bits, at + j) ^ bench_value(keys->bits, key)) > most_change)
            return false;
    }
    return true;
}

/* ---- range with a limit per query ---- */

static pleach_status call_range_limit(void *context, pleach_stream stream)
{
    struct batch *b = context;
    return pleach_map_range_limit(b->bench->map, b->n, b->a, b->b, b->limit, b->out_a, b->out_b,
                                  (uint32_t *)b->counts, stream);
}

bool batch_right_limited(const struct batch *batch, size_t i)
{
    const size_t all = batch_pairs_in_interval(batch, i);
    const size_t expected = all < batch->limit ? all : batch->limit;
    return ((const uint32_t *)batch->host_counts)[i] == expected &&
           batch_right_pairs(batch, i, i * batch->limit, expected, 0);
}

/* What is asked about intervals. */
struct ranges {
    struct bench_numbers lengths; /* expected pairs, unless others are asked for */
    bool pairs;                   /* or only how many */
    tool_call *call;
    bool (*right)(const struct batch *batch, size_t i);
};

/* Room for twice the expected number: the limit of each query, and plenty for the sum of all if they are packed. */
static void ranges_of(struct bench *bench, const struct bench_case *which, uint32_t expected,
                      const struct ranges *ranges)
{
    char name[BENCH_NAME_BYTES];
    const size_t n = bench_op_count(bench, &which->sizes);
    const int parts = BATCH_B | BATCH_COUNTS | (ranges->pairs ? BATCH_OUT_A | BATCH_OUT_B : 0);
    snprintf(name, sizeof name, "%s/%u", which->name, expected);
    bench_run(bench,
              &(struct bench_arguments){n, parts, ranges->pairs ? n * 2 * expected : 0, 2 * expected,
                                        batch_make_interval, false},
              (struct bench_work){.name = name, .call = ranges->call, .right = ranges->right});
}

static void bench_ranges(struct bench *bench, const struct bench_case *which, const struct ranges *ranges)
{
    const struct bench_numbers *lengths = bench_asked_or(&bench->options->lengths, &ranges->lengths);
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t i = 0; i < lengths->count && !bench->failed; i++)
        ranges_of(bench, which, (uint32_t)lengths->at[i], ranges);
}

void bench_range_limit(struct bench *bench, const struct bench_case *which)
{
    static const struct ranges limited = {{2, {8, 32}}, true, call_range_limit, batch_right_limited};
    bench_ranges(bench, which, &limited);
}

/* ---- range, all pairs packed ---- */

static pleach_status call_range(void *context, pleach_stream stream)
{
    struct batch *b = context;
    (void)stream; /* this call is synchronous */
    return pleach_map_range(b->bench->map, b->n, b->a, b->b, 0, b->results, b->out_a, b->out_b, b->counts, &b->total);
}

static bool right_packed(const struct batch *batch, size_t i)
{
    const size_t expected = batch_pairs_in_interval(batch, i);
    return batch->host_counts[i + 1] - batch->host_counts[i] == expected &&
           batch->host_counts[i + 1] <= batch->results &&
           batch_right_pairs(batch, i, batch->host_counts[i], expected, 0);
}

void bench_range_packed(struct bench *bench, const struct bench_case *which)
{
    static const struct ranges packed = {{2, {8, 32}}, true, call_range, right_packed};
    bench_ranges(bench, which, &packed);
}

/* ---- count ---- */

static pleach_status call_count(void *context, pleach_stream stream)
{
    struct batch *b = context;
    return pleach_map_range_count(b->bench->map, b->n, b->a, b->b, b->counts, stream);
}

static bool right_count(const struct batch *batch, size_t i)
{
    return batch->host_counts[i] == batch_pairs_in_interval(batch, i);
}

void bench_range_count(struct bench *bench, const struct bench_case *which)
{
    static const struct ranges counted = {{1, {32}}, false, call_count, right_count};
    bench_ranges(bench, which, &counted);
}

/* ---- neighbours ---- */

static pleach_status call_succ(void *context, pleach_stream stream)
{
    struct batch *b = context;
    return pleach_map_succ(b->bench->map, b->n, b->a, b->out_a, b->out_b, b->bytes, stream);
}

static pleach_status call_pred(void *context, pleach_stream stream)
{
    struct batch *b = context;
    return pleach_map_pred(b->bench->map, b->n, b->a, b->out_a, b->out_b, b->bytes, stream);
}

static bool right_neighbour(const struct batch *batch, size_t i, bool exists, size_t rank)
{
    const unsigned bits = batch->bench->bits;
    if (!exists) return batch->host_bytes[i] == 0;
    const uint64_t key = bench_key(&batch->bench->keys, rank);
    return batch->host_bytes[i] == 1 && bench_word(batch->host_out_a, bits, i) == key &&
           bench_word(batch->host_out_b, bits, i) == bench_value(bits, key);
}

bool batch_right_succ(const struct batch *batch, size_t i)
{
    const size_t rank = batch_rank(batch, i);
    return right_neighbour(batch, i, rank + 1 < batch->bench->keys.n, rank + 1);
}

static bool right_pred(const struct batch *batch, size_t i)
{
    const size_t rank = batch_rank(batch, i);
    return right_neighbour(batch, i, rank > 0, rank - 1);
}

static void neighbours(struct bench *bench, const struct bench_case *which, tool_call *call,
                       bool (*right)(const struct batch *batch, size_t i))
{
    const size_t n = bench_op_count(bench, &which->sizes);
    if (!bench_have_map(bench, bench_key_count(bench, &which->sizes))) return;
    bench_run(bench, &(struct bench_arguments){n, BATCH_OUT_A | BATCH_OUT_B, n, 0, batch_make_present, false},
              (struct bench_work){.name = which->name, .call = call, .right = right});
}

void bench_succ(struct bench *bench, const struct bench_case *which)
{
    neighbours(bench, which, call_succ, batch_right_succ);
}

void bench_pred(struct bench *bench, const struct bench_case *which)
{
    neighbours(bench, which, call_pred, right_pred);
}
