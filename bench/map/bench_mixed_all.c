/* bench_mixed_all.c - puts, erases, finds, ranges and successors in one list, each by a thread of one kernel, or by the
 * threads of the CPU: figure 3.5 of M. A. Awad, Fully Concurrent GPU Data Structures. Of the updates one half puts, one
 * erases; of the queries each kind is a third. Which operation is what is random; how many are is not. */
#include <stdio.h>

#include <pleach/batch.h>

#include "bench_mixed_map.h"

enum { KINDS = 5, ORDER_SEED = 50 };
static const uint8_t kinds[KINDS] = {PLEACH_OP_PUT, PLEACH_OP_ERASE, PLEACH_OP_FIND, PLEACH_OP_RANGE, PLEACH_OP_SUCC};

struct all {
    struct batch batch; /* first: the functions below get it */
    struct mixed_map *map;
    struct mixed_list list;
    struct mix_order order; /* of the operations */
    size_t ends[KINDS];     /* positions in it where each kind ends */
    uint8_t *host_kinds, *kinds;
    uint8_t *gone; /* by rank: the key is erased */
};

/* ---- the operations ---- */

static size_t count_of(const struct all *a, size_t kind) { return a->ends[kind] - (kind > 0 ? a->ends[kind - 1] : 0); }

static void share_out(struct all *a, double share)
{
    const size_t n = a->batch.n, updates = (size_t)((double)n * share / 100), queries = n - updates;
    const size_t counts[KINDS] = {updates - updates / 2, updates / 2, queries - queries / 3 - queries / 3, queries / 3,
                                  queries / 3};
    size_t end = 0;
    for (size_t kind = 0; kind < KINDS; kind++) a->ends[kind] = end += counts[kind];
}

/* Which of the kinds operation i is, and its number among its like. */
static size_t kind_of(const struct all *a, size_t i, size_t *number)
{
    const size_t position = (size_t)mix_order_at(&a->order, i);
    size_t kind = 0;
    while (position >= a->ends[kind]) kind++;
    *number = kind > 0 ? position - a->ends[kind - 1] : position;
    return kind;
}

/* Erases take the lower half of the shuffled order of keys, queries begin at keys of the upper half. */
static size_t rank_of(const struct all *a, size_t kind, size_t number)
{
    const struct bench_keys *keys = &a->batch.bench->keys;
    const size_t half = keys->n / 2;
    const size_t at = kinds[kind] == PLEACH_OP_ERASE ? number : half + number % (keys->n - half);
    return (size_t)mix_order_at(&keys->order, at);
}

static void make_operation(struct batch *batch, size_t i)
{
    struct all *a = (struct all *)batch;
    const struct bench_keys *keys = &batch->bench->keys;
    size_t number;
    const size_t kind = kind_of(a, i, &number);
    a->host_kinds[i] = kinds[kind];
    if (kinds[kind] == PLEACH_OP_PUT) {
        const uint64_t key = bench_keys_absent(keys, number);
        bench_set_word(batch->host_a, keys->bits, i, key);
        bench_set_word(batch->host_b, keys->bits, i, bench_value(keys->bits, key));
        return;
    }
    const size_t rank = rank_of(a, kind, number);
    bench_set_word(batch->host_a, keys->bits, i, bench_key(keys, rank));
    bench_set_word(batch->host_b, keys->bits, i, bench_keys_interval(keys, rank, batch->limit / 2));
    if (kinds[kind] == PLEACH_OP_ERASE) a->gone[rank] = 1;
}

static pleach_status call_list(void *context, pleach_stream stream)
{
    const struct all *a = context;
    return mixed_run(a->map, NULL, &a->list, stream);
}

/* ---- checks ---- */

/* The next key that stays, or one of those that come and go before it. */
static bool right_succ(const struct all *a, size_t i, size_t rank)
{
    const struct batch *batch = &a->batch;
    const struct bench_keys *keys = &batch->bench->keys;
    const size_t next = mixed_kept_from(keys, a->gone, rank + 1), at = i * batch->limit;
    const uint32_t found = ((const uint32_t *)batch->host_counts)[i];
    const uint64_t key = bench_word(batch->host_out_a, keys->bits, at);
    if (found == 0) return next == keys->n;
    return found == 1 && key > bench_key(keys, rank) && (next == keys->n || key <= bench_key(keys, next)) &&
           bench_word(batch->host_out_b, keys->bits, at) == bench_value(keys->bits, key);
}

static bool right_find(const struct batch *batch, size_t i, uint64_t key)
{
    const unsigned bits = batch->bench->bits;
    return ((const uint32_t *)batch->host_counts)[i] == 1 &&
           bench_word(batch->host_out_b, bits, i * batch->limit) == bench_value(bits, key);
}

static bool right_operation(const struct batch *batch, size_t i)
{
    const struct all *a = (const struct all *)batch;
    size_t number;
    const size_t kind = kind_of(a, i, &number);
    if (kinds[kind] == PLEACH_OP_PUT) return batch->host_bytes[i] == PLEACH_INSERTED;
    if (kinds[kind] == PLEACH_OP_ERASE) return batch->host_bytes[i] == PLEACH_ERASED;
    const size_t rank = rank_of(a, kind, number);
    if (kinds[kind] == PLEACH_OP_FIND) return right_find(batch, i, bench_key(&batch->bench->keys, rank));
    if (kinds[kind] == PLEACH_OP_SUCC) return right_succ(a, i, rank);
    return mixed_right_range(batch, i, rank, a->gone);
}

static bool check(void *context, const char *name)
{
    struct all *a = context;
    struct bench *bench = a->batch.bench;
    uint64_t size = 0;
    if (!batch_fetch(&a->batch)) return false;
    return (batch_count_wrong(&a->batch, a->batch.n, right_operation) == 0 &&
            pleach_map_size(bench->map, &size) == PLEACH_OK &&
            size == bench->keys.n + count_of(a, 0) - count_of(a, 1)) ||
           bench_complain(bench, name, "WRONG results", PLEACH_E_CORRUPT);
}

/* ---- measuring ---- */

static bool spoil(void *context) { return batch_spoil(context); }

/* The operations, where the device can read them. */
static bool make_list(struct all *a, const struct mixed_plan *plan)
{
    struct bench *bench = a->batch.bench;
    const struct batch *b = &a->batch;
    a->order = mix_order_make(plan->ops, ORDER_SEED);
    share_out(a, plan->share);
    a->host_kinds = bench_memory_host(&a->batch.memory, plan->ops);
    a->kinds = bench_memory_device(&a->batch.memory, bench->device, plan->ops);
    a->gone = bench_memory_zeros(&a->batch.memory, bench->keys.n);
    if (!batch_has_memory(&a->batch, plan->name)) return false;
    a->list = (struct mixed_list){.n = b->n, .kinds = a->kinds, .keys = b->a, .values = b->b, .outcomes = b->bytes,
                                  .limit = b->limit, .out_keys = b->out_a, .out_values = b->out_b,
                                  .counts = (uint32_t *)b->counts};
    return batch_fill(&a->batch, make_operation) &&
           (bench->device->copy_in(a->kinds, a->host_kinds, plan->ops) ||
            bench_complain(bench, plan->name, "copying its operations to the device", PLEACH_E_CUDA));
}

static void measure_plan(struct mixed_map *map, const void *context)
{
    const struct mixed_plan *plan = context;
    struct bench *bench = map->bench;
    struct all a = {.map = map};
    const int parts = BATCH_B | BATCH_OUT_A | BATCH_OUT_B | BATCH_COUNTS;
    if (!batch_create(&a.batch, bench, plan->ops, parts, plan->ops * 2 * plan->length)) return;
    a.batch.limit = 2 * plan->length;
    if (make_list(&a, plan))
        mixed_measure(map, plan->name, plan->ops, plan->ops, &(struct mixed_verbs){spoil, call_list, check, &a});
    batch_destroy(&a.batch);
}

void bench_mixed_all(struct bench *bench, const struct bench_case *which)
{
    static const struct bench_numbers own_shares = {3, {20, 60, 100}}, own_lengths = {1, {8}};
    const struct bench_numbers *lengths = bench_asked_or(&bench->options->lengths, &own_lengths);
    const struct bench_numbers *shares = bench_asked_or(&bench->options->shares, &own_shares);
    char name[BENCH_NAME_BYTES];
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t l = 0; l < lengths->count; l++)
        for (size_t s = 0; s < shares->count && !bench->failed; s++) {
            struct mixed_plan plan = {name, bench_op_count(bench, &which->sizes), shares->at[s],
                                      (uint32_t)lengths->at[l], false};
            const double most = (double)(bench->keys.n / 2) * 2; /* as many erases as keys that can be erased */
            if ((double)plan.ops * plan.share / 100 > most) plan.ops = (size_t)(most * 100 / plan.share);
            snprintf(name, sizeof name, "%s/%u/%g%%", which->name, plan.length, plan.share);
            mixed_on_both(bench, measure_plan, &plan);
        }
}
