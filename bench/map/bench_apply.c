/* bench_apply.c - batches: queries and updates in one array, as if one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pleach/batch.h>

#include "bench/harness/bench.h"

enum { OTHER_VALUES = 255 }; /* that updates give a key beside its first one */

struct applied {
    struct batch batch; /* first: bench_measure hands it to the functions below; its limit is 0, or ranges are asked */
    uint8_t *host_kinds, *kinds;
    double share; /* percent of updates */
    enum bench_updates updates;
    uint8_t *expected; /* flags of changes; else NULL */
    size_t size_after; /* keys after changes */
};

static bool is_update(const struct applied *a, size_t i) { return (double)(mix64(i) >> 11) * 0x1p-53 < a->share / 100; }

/* Of changes every other one, by chance. */
static bool is_erase(size_t i) { return (mix64(i ^ 0x5555) & 1) != 0; }

/* ---- the operations ---- */

/* What a change inserts: a key in the middle of a key of the map and the next one, or that key itself where there is
 * nothing between them. Dense keys are followed by others. */
static uint64_t key_beside(const struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    if (keys->dist == DIST_DENSE) return bench_keys_absent(keys, i);
    const size_t rank = batch_rank(batch, i);
    const uint64_t key = bench_key(keys, rank);
    return key + ((rank + 1 < keys->n ? bench_key(keys, rank + 1) : word_max(keys->bits)) - key) / 2;
}

static uint64_t key_of(const struct applied *a, size_t i)
{
    const struct bench_keys *keys = &a->batch.bench->keys;
    const bool update = is_update(a, i);
    if (update && a->updates == UPDATES_INSERTS) return bench_keys_absent(keys, i);
    if (update && a->updates == UPDATES_CHANGES && !is_erase(i)) return key_beside(&a->batch, i);
    return bench_key(keys, batch_rank(&a->batch, i));
}

static void make_operation(struct batch *batch, size_t i)
{
    const struct applied *a = (const struct applied *)batch;
    const unsigned bits = batch->bench->bits;
    const bool update = is_update(a, i);
    if (!update && batch->limit > 0) {
        batch_make_interval(batch, i);
        a->host_kinds[i] = PLEACH_OP_RANGE;
        return;
    }
    const uint64_t key = key_of(a, i);
    const uint64_t change = a->updates == UPDATES_VALUES ? 1 + i % OTHER_VALUES : 0;
    bench_set_word(batch->host_a, bits, i, key);
    bench_set_word(batch->host_b, bits, i, bench_value(bits, key) ^ change);
    a->host_kinds[i] = !update                                         ? PLEACH_OP_FIND
                       : a->updates == UPDATES_CHANGES && is_erase(i) ? PLEACH_OP_ERASE
                                                                       : PLEACH_OP_PUT;
}

static pleach_batch batch_of(const struct applied *a)
{
    const struct batch *b = &a->batch;
    pleach_batch batch = {.n = b->n, .kinds = a->kinds, .keys = b->a, .values = b->b, .flags = b->bytes};
    if (b->limit == 0) {
        batch.out_values = b->out_a;
        return batch;
    }
    batch.limit = b->limit;
    batch.capacity = b->results;
    batch.range_keys = b->out_a;
    batch.range_values = b->out_b;
    batch.offsets = b->counts;
    return batch;
}

static pleach_status call_apply(void *context, pleach_stream stream)
{
    const struct applied *a = context;
    pleach_batch batch = batch_of(a);
    (void)stream; /* it is synchronous */
    return pleach_map_apply(a->batch.bench->map, &batch);
}

/* ---- changes: what each operation must answer, by the order of the array ---- */

enum { ERASED = 1, BESIDE = 2 }; /* what has become of a rank: its key is gone; the one beside it is there */

static uint8_t expect(const struct applied *a, size_t i, uint8_t *state)
{
    const struct batch *batch = &a->batch;
    const uint8_t kind = a->host_kinds[i], before = *state;
    const bool beside = kind == PLEACH_OP_PUT && bench_word(batch->host_a, batch->bench->bits, i) !=
                                                     bench_key(&batch->bench->keys, batch_rank(batch, i));
    if (kind == PLEACH_OP_FIND) return (before & ERASED) == 0;
    if (kind == PLEACH_OP_ERASE) {
        *state |= ERASED;
        return before & ERASED ? PLEACH_ABSENT : PLEACH_ERASED;
    }
    if (beside && batch->bench->keys.dist == DIST_DENSE) return PLEACH_INSERTED; /* each is another one */
    *state = (uint8_t)(beside ? before | BESIDE : before & ~ERASED);
    return (beside ? before & BESIDE : !(before & ERASED)) ? PLEACH_REPLACED : PLEACH_INSERTED;
}

static bool note_expected(struct applied *a)
{
    struct bench *bench = a->batch.bench;
    uint8_t *states = calloc(bench->keys.n, 1);
    a->size_after = bench->keys.n;
    if (states == NULL) return bench_complain(bench, "apply", "its answers", PLEACH_E_MEMORY);
    for (size_t i = 0; i < a->batch.n; i++) {
        a->expected[i] = expect(a, i, &states[batch_rank(&a->batch, i)]);
        if (a->host_kinds[i] != PLEACH_OP_FIND)
            a->size_after += (size_t)(a->expected[i] == PLEACH_INSERTED) - (a->expected[i] == PLEACH_ERASED);
    }
    free(states);
    return true;
}

static bool right_change(const struct batch *batch, size_t i)
{
    const struct applied *a = (const struct applied *)batch;
    const unsigned bits = batch->bench->bits;
    const uint8_t flag = batch->host_bytes[i];
    const bool has_value = a->host_kinds[i] == PLEACH_OP_FIND ? flag == 1
                                                              : flag == PLEACH_REPLACED || flag == PLEACH_ERASED;
    return flag == a->expected[i] && (!has_value || bench_word(batch->host_out_a, bits, i) ==
                                                        bench_value(bits, bench_word(batch->host_a, bits, i)));
}

static bool right_size(struct batch *batch)
{
    uint64_t size = 0;
    return pleach_map_size(batch->bench->map, &size) == PLEACH_OK &&
           size == ((const struct applied *)batch)->size_after;
}

/* ---- the others ---- */

/* The first value, or one that an update of the batch may have put before. */
static bool right_operation(const struct batch *batch, size_t i)
{
    const struct applied *a = (const struct applied *)batch;
    const unsigned bits = batch->bench->bits;
    const bool update = is_update(a, i);
    if (update && a->updates == UPDATES_INSERTS) return batch->host_bytes[i] == PLEACH_INSERTED;
    if (batch->host_bytes[i] != (update ? PLEACH_REPLACED : 1)) return false;
    const uint64_t first = bench_value(bits, bench_word(batch->host_a, bits, i));
    const uint64_t other = bench_word(batch->host_out_a, bits, i) ^ first;
    return other <= (a->share > 0 && a->updates == UPDATES_VALUES ? OTHER_VALUES : 0);
}

static bool right_range(const struct batch *batch, size_t i)
{
    const struct applied *a = (const struct applied *)batch;
    const uint64_t at = batch->host_counts[i], end = batch->host_counts[i + 1];
    if (a->host_kinds[i] == PLEACH_OP_PUT) return batch->host_bytes[i] == PLEACH_REPLACED && at == end;
    const size_t all = batch_pairs_in_interval(batch, i), expected = all < batch->limit ? all : batch->limit;
    return end - at == expected && end <= batch->results &&
           batch_right_pairs(batch, i, at, expected, a->share > 0 ? OTHER_VALUES : 0);
}

/* ---- measuring ---- */

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
    pleach_batch batch = batch_of(a);
    batch.times = &times;
    if (bench->device->kind == PLEACH_CUDA || bench->failed || !prepare_map(&a->batch)) return;
    a->batch.bench->map_loaded = false;
    if (pleach_map_apply(bench->map, &batch) != PLEACH_OK) return;
    bench_say_stages(bench, "", &times, a->batch.limit > 0);
}

static void measure_applied(struct applied *a, const char *name)
{
    const bool changes = a->expected != NULL;
    const struct bench_work work = {.name = name,
                                    .ops = a->batch.n,
                                    .changes_map = a->share > 0,
                                    .prepare = prepare_map,
                                    .call = call_apply,
                                    .elements = a->batch.n,
                                    .right = changes              ? right_change
                                             : a->batch.limit > 0 ? right_range
                                                                  : right_operation,
                                    .right_after = changes ? right_size : NULL};
    if (batch_fill(&a->batch, make_operation) && (!changes || note_expected(a)) &&
        a->batch.bench->device->copy_in(a->kinds, a->host_kinds, a->batch.n))
        bench_measure(&a->batch, &work);
    print_times(a);
}

/* `length`: of ranges, which are asked instead of finds; 0: finds. */
static void apply_share(struct bench *bench, size_t n, double share, enum bench_updates updates, uint32_t length)
{
    static const char *const names[UPDATES_KINDS] = {"update", "insert", "change"};
    struct applied a = {.share = share, .updates = updates};
    char name[BENCH_NAME_BYTES];
    const int parts = BATCH_B | BATCH_OUT_A | (length > 0 ? BATCH_OUT_B | BATCH_COUNTS : 0);
    if (!batch_create(&a.batch, bench, n, parts, length > 0 ? n * 2 * length : n)) return;
    a.batch.limit = 2 * length;
    a.host_kinds = bench_memory_host(&a.batch.memory, n);
    a.kinds = bench_memory_device(&a.batch.memory, bench->device, n);
    if (updates == UPDATES_CHANGES && share > 0) a.expected = bench_memory_host(&a.batch.memory, n);
    if (length > 0)
        snprintf(name, sizeof name, "apply/range/%u/%g%%", length, share);
    else
        snprintf(name, sizeof name, "apply/%s/%g%%", share > 0 ? names[updates] : "find", share);
    if (batch_has_memory(&a.batch, "apply")) measure_applied(&a, name);
    batch_destroy(&a.batch);
}

/* Without updates all kinds are the same. */
static void apply_shares(struct bench *bench, size_t n, const struct bench_numbers *shares, enum bench_updates updates,
                         uint32_t length, bool first)
{
    for (size_t i = 0; i < shares->count && !bench->failed; i++)
        if (shares->at[i] > 0 || first) apply_share(bench, n, shares->at[i], updates, length);
}

void bench_apply(struct bench *bench, const struct bench_case *which)
{
    static const struct bench_numbers own = {4, {0, 5, 50, 100}}, ranges_own = {1, {0}};
    static const bool own_updates[UPDATES_KINDS] = {true, true, false};
    const struct bench_options *options = bench->options;
    const bool *asked = options->updates, any = asked[0] || asked[1] || asked[2], *updates = any ? asked : own_updates;
    const size_t n = bench_op_count(bench, &which->sizes);
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t i = 0; i < options->lengths.count && !bench->failed; i++)
        apply_shares(bench, n, bench_asked_or(&options->shares, &ranges_own), UPDATES_VALUES,
                     (uint32_t)options->lengths.at[i], true);
    bool first = true;
    for (unsigned kind = 0; kind < UPDATES_KINDS && options->lengths.count == 0; kind++) {
        if (!updates[kind]) continue;
        apply_shares(bench, n, bench_asked_or(&options->shares, &own), (enum bench_updates)kind, 0, first);
        first = false;
    }
}
