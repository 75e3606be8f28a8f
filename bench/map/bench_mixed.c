/* bench_mixed.c - updates and queries of one map at the same time, in one kernel of the user's or by threads of the
 * CPU: the experiments of M. A. Awad, Fully Concurrent GPU Data Structures, tables 4.1 and 4.2. Each is run on a map
 * without versions, and on one with versions, whose ranges are linearizable. */
#include <stdio.h>

#include "bench_mixed_map.h"

static const struct bench_numbers own_shares = {3, {5, 50, 90}}; /* percent of updates */

static pleach_status call_mixed(void *context, pleach_stream stream)
{
    const struct mixed *m = context;
    return mixed_run(m->map, &m->work, NULL, stream);
}

/* ---- arguments ---- */

/* A find of a key in the upper half of the shuffled order: erases take the lower half. */
static void make_kept(struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const size_t rank = (size_t)mix_order_at(&keys->order, keys->n / 2 + i % (keys->n - keys->n / 2));
    bench_set_word(batch->host_a, keys->bits, i, bench_key(keys, rank));
}

static void make_erased(struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    bench_set_word(batch->host_a, keys->bits, i, bench_key(keys, (size_t)mix_order_at(&keys->order, i)));
}

static size_t rank_of_query(const struct batch *batch, size_t i)
{
    return (size_t)mix_order_at(&batch->bench->keys.order, i % batch->bench->keys.n);
}

static void make_interval(struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const size_t rank = rank_of_query(batch, i);
    bench_set_word(batch->host_a, keys->bits, i, bench_key(keys, rank));
    bench_set_word(batch->host_b, keys->bits, i, bench_keys_interval(keys, rank, batch->limit / 2));
}

/* ---- checks ---- */

static bool right_update(const struct batch *batch, size_t i)
{
    return batch->host_bytes[i] == (batch->host_b != NULL ? PLEACH_INSERTED : PLEACH_ERASED);
}

size_t mixed_kept_from(const struct bench_keys *keys, const uint8_t *gone, size_t rank)
{
    while (gone != NULL && rank < keys->n && gone[rank]) rank++;
    return rank;
}

bool mixed_right_range(const struct batch *batch, size_t i, size_t rank, const uint8_t *gone)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const unsigned bits = keys->bits;
    const uint64_t lo = bench_word(batch->host_a, bits, i), hi = bench_word(batch->host_b, bits, i);
    const size_t count = ((const uint32_t *)batch->host_counts)[i];
    uint64_t before = 0;
    if (count > batch->limit) return false;
    rank = mixed_kept_from(keys, gone, rank);
    for (size_t j = 0; j < count; j++) {
        const uint64_t key = bench_word(batch->host_out_a, bits, i * batch->limit + j);
        if ((j == 0 ? key < lo : key <= before) || key > hi) return false;
        if (bench_word(batch->host_out_b, bits, i * batch->limit + j) != bench_value(bits, key)) return false;
        if (rank < keys->n && key > bench_key(keys, rank)) return false; /* a loaded key was left out */
        if (rank < keys->n && key == bench_key(keys, rank)) rank = mixed_kept_from(keys, gone, rank + 1);
        before = key;
    }
    return count == batch->limit || rank == keys->n || bench_key(keys, rank) > hi;
}

static bool right_range(const struct batch *batch, size_t i)
{
    return mixed_right_range(batch, i, rank_of_query(batch, i), NULL);
}

static bool right_find(const struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    return ((const uint32_t *)batch->host_counts)[i] == 1 &&
           bench_word(batch->host_out_b, bits, i) == bench_value(bits, bench_word(batch->host_a, bits, i));
}

static bool right_size(const struct mixed *m, size_t updates)
{
    const struct bench *bench = m->map->bench;
    uint64_t size = 0;
    return pleach_map_size(bench->map, &size) == PLEACH_OK &&
           size == (m->work.erases ? bench->keys.n - updates : bench->keys.n + updates);
}

bool mixed_check(struct mixed *m, const char *name, size_t updates, size_t queries)
{
    if (!batch_fetch(&m->updates) || !batch_fetch(&m->queries)) return false;
    const size_t wrong = batch_count_wrong(&m->updates, updates, right_update) +
                         batch_count_wrong(&m->queries, queries, m->work.hi != NULL ? right_range : right_find);
    return (wrong == 0 && right_size(m, updates)) ||
           bench_complain(m->map->bench, name, "WRONG results", PLEACH_E_CORRUPT);
}

/* ---- measuring ---- */

static bool spoil(void *context)
{
    struct mixed *m = context;
    return batch_spoil(&m->updates) && batch_spoil(&m->queries);
}

static bool check(void *context, const char *name)
{
    struct mixed *m = context;
    return mixed_check(m, name, m->updates.n, m->queries.n);
}

bool mixed_create(struct mixed *m, struct mixed_map *map, const struct mixed_plan *plan)
{
    const size_t updates = (size_t)((double)plan->ops * plan->share / 100), queries = plan->ops - updates;
    const int range = BATCH_B | BATCH_OUT_A | BATCH_OUT_B | BATCH_COUNTS, find = BATCH_OUT_B | BATCH_COUNTS;
    const uint32_t limit = plan->erases ? 1 : 2 * plan->length;
    m->map = map;
    if (!batch_create(&m->updates, map->bench, updates, plan->erases ? 0 : BATCH_B, 0)) return false;
    if (!batch_create(&m->queries, map->bench, queries, plan->erases ? find : range, queries * limit)) {
        batch_destroy(&m->updates);
        return false;
    }
    m->queries.limit = limit;
    m->work = (struct mixed_work){.updates = updates, .queries = queries, .erases = plan->erases, .limit = limit,
                                  .update_keys = m->updates.a, .update_values = m->updates.b,
                                  .outcomes = m->updates.bytes, .lo = m->queries.a, .hi = m->queries.b,
                                  .out_keys = m->queries.out_a, .out_values = m->queries.out_b,
                                  .counts = (uint32_t *)m->queries.counts};
    if (batch_fill(&m->updates, plan->erases ? make_erased : batch_make_absent) &&
        batch_fill(&m->queries, plan->erases ? make_kept : make_interval))
        return true;
    mixed_destroy(m);
    return false;
}

void mixed_destroy(struct mixed *m)
{
    batch_destroy(&m->updates);
    batch_destroy(&m->queries);
}

static void measure_plan(struct mixed_map *map, const void *context)
{
    const struct mixed_plan *plan = context;
    struct mixed m;
    if (!mixed_create(&m, map, plan)) return;
    mixed_measure(map, plan->name, m.updates.n, m.updates.n + m.queries.n,
                  &(struct mixed_verbs){spoil, call_mixed, check, &m});
    mixed_destroy(&m);
}

void bench_mixed_range(struct bench *bench, const struct bench_case *which)
{
    static const struct bench_numbers own_lengths = {2, {8, 32}};
    const struct bench_numbers *lengths = bench_asked_or(&bench->options->lengths, &own_lengths);
    const struct bench_numbers *shares = bench_asked_or(&bench->options->shares, &own_shares);
    char name[BENCH_NAME_BYTES];
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t l = 0; l < lengths->count; l++)
        for (size_t s = 0; s < shares->count && !bench->failed; s++) {
            const struct mixed_plan plan = {name, bench_op_count(bench, &which->sizes), shares->at[s],
                                            (uint32_t)lengths->at[l], false};
            snprintf(name, sizeof name, "%s/%u/%g%%", which->name, plan.length, plan.share);
            mixed_on_both(bench, measure_plan, &plan);
        }
}

/* Half of the operations are inserts; ranges from short to long. */
void bench_mixed_length(struct bench *bench, const struct bench_case *which)
{
    static const struct bench_numbers own = {7, {4, 8, 16, 32, 64, 128, 256}};
    const struct bench_numbers *lengths = bench_asked_or(&bench->options->lengths, &own);
    char name[BENCH_NAME_BYTES];
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t l = 0; l < lengths->count && !bench->failed; l++) {
        const struct mixed_plan plan = {name, bench_op_count(bench, &which->sizes), 50, (uint32_t)lengths->at[l],
                                        false};
        snprintf(name, sizeof name, "%s/%u", which->name, plan.length);
        mixed_on_both(bench, measure_plan, &plan);
    }
}

void bench_mixed_erase(struct bench *bench, const struct bench_case *which)
{
    const struct bench_numbers *shares = bench_asked_or(&bench->options->shares, &own_shares);
    char name[BENCH_NAME_BYTES];
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t s = 0; s < shares->count && !bench->failed; s++) {
        struct mixed_plan plan = {name, bench_op_count(bench, &which->sizes), shares->at[s], 1, true};
        const double most = (double)(bench->keys.n / 2); /* keys that can be erased */
        if ((double)plan.ops * plan.share / 100 > most) plan.ops = (size_t)(most * 100 / plan.share);
        snprintf(name, sizeof name, "%s/%g%%", which->name, plan.share);
        mixed_on_both(bench, measure_plan, &plan);
    }
}
