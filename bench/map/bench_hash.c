/* bench_hash.c - the slab hash, map and set: put sized ahead and growing from empty, find, erase of half; and what of
 * these the ordered map has, beside it, with the same keys in the same order. */
#include <stdio.h>
#include <stdlib.h>

#include <pleach/hash.h>

#include "bench/harness/bench.h"

struct hashed {
    struct batch batch; /* first: bench_measure hands it to the functions below */
    pleach_hash *hash;
    bool set, filled;
};

static bool is_set(const struct batch *batch) { return ((const struct hashed *)batch)->set; }

/* ---- the table as it must be before a repeat ---- */

static bool open_table(struct batch *batch, uint64_t reserve_keys)
{
    struct hashed *const h = (struct hashed *)batch;
    const pleach_hash_config config = {.device = batch->bench->device->kind, .key_bits = batch->bench->bits,
                                       .set = h->set, .threads = batch->bench->threads, .reserve_keys = reserve_keys,
                                       .fixed_seed = 1};
    pleach_hash_destroy(h->hash);
    h->filled = false;
    const pleach_status status = pleach_hash_create(&h->hash, &config);
    return status == PLEACH_OK || bench_complain(batch->bench, "hash", "creating it", status);
}

static bool prepare_growing(struct batch *batch) { return open_table(batch, 0); }
static bool prepare_sized(struct batch *batch) { return open_table(batch, batch->bench->keys.n); }

/* All keys, by rank. */
static bool fill_table(struct batch *batch)
{
    struct hashed *const h = (struct hashed *)batch;
    const struct bench *const bench = batch->bench;
    if (h->filled) return true;
    if (!prepare_sized(batch)) return false;
    const pleach_status status = pleach_hash_put(h->hash, bench->keys.n, bench->load_keys,
                                                 h->set ? NULL : bench->load_values, NULL, NULL, PLEACH_SYNC);
    h->filled = status == PLEACH_OK;
    return h->filled || bench_complain(batch->bench, "hash", "filling it", status);
}

static bool prepare_erase(struct batch *batch)
{
    ((struct hashed *)batch)->filled = false; /* the repeat before has erased half of it */
    return fill_table(batch);
}

/* ---- calls ---- */

static pleach_status call_put(void *context, pleach_stream stream)
{
    struct hashed *const h = context;
    return pleach_hash_put(h->hash, h->batch.n, h->batch.a, h->set ? NULL : h->batch.b, h->batch.bytes, NULL, stream);
}

/* The same in parts: what a table costs that did not know what was to come. */
static pleach_status call_put_parts(void *context, pleach_stream stream)
{
    enum { PART = 1 << 20 };
    struct hashed *const h = context;
    const size_t bytes = h->batch.bench->bits / 8;
    pleach_status status = PLEACH_OK;
    for (size_t at = 0; at < h->batch.n && status == PLEACH_OK; at += PART) {
        const size_t n = h->batch.n - at < PART ? h->batch.n - at : PART;
        const char *const keys = h->batch.a, *const values = h->batch.b;
        status = pleach_hash_put(h->hash, n, keys + at * bytes, h->set ? NULL : values + at * bytes,
                                 h->batch.bytes + at, NULL, stream);
    }
    return status;
}

static pleach_status call_find(void *context, pleach_stream stream)
{
    struct hashed *const h = context;
    return pleach_hash_find(h->hash, h->batch.n, h->batch.a, h->set ? NULL : h->batch.out_a, h->batch.bytes, stream);
}

static pleach_status call_erase(void *context, pleach_stream stream)
{
    struct hashed *const h = context;
    return pleach_hash_erase(h->hash, h->batch.n, h->batch.a, h->batch.bytes, NULL, stream);
}

/* ---- checks ---- */

static bool has_size(const struct batch *batch, size_t expected)
{
    uint64_t size = 0;
    return pleach_hash_size(((const struct hashed *)batch)->hash, &size) == PLEACH_OK && size == expected;
}

static bool right_found(const struct batch *batch, size_t i)
{
    return is_set(batch) ? batch->host_bytes[i] == 1 : batch_right_found(batch, i);
}

static bool all_answer(struct batch *batch, bool (*right)(const struct batch *batch, size_t i))
{
    return batch_spoil(batch) && call_find(batch, PLEACH_SYNC) == PLEACH_OK && batch_fetch(batch) &&
           batch_count_wrong(batch, batch->n, right) == 0;
}

static bool right_after_put(struct batch *batch) { return has_size(batch, batch->n) && all_answer(batch, right_found); }

static bool right_after_erase(struct batch *batch)
{
    return has_size(batch, batch->bench->keys.n - batch->n) && all_answer(batch, batch_right_missing);
}

/* ---- rows ---- */

/* What a table of these keys is like; not a rate. */
static void say_shape(struct hashed *h, const char *kind)
{
    pleach_hash_stats stats;
    char line[160];
    if (!fill_table(&h->batch) || pleach_hash_get_stats(h->hash, &stats) != PLEACH_OK) return;
    snprintf(line, sizeof line, "%s, sized ahead: %.2f of the slots taken, %.1f bytes a key, longest chain %llu", kind,
             stats.utilisation, (double)stats.slab_bytes / (double)stats.keys, (unsigned long long)stats.longest_chain);
    bench_report_say(h->batch.bench->report, line);
}

struct row {
    const char *what;
    size_t ops;
    void (*make)(struct batch *batch, size_t i);
    bool (*prepare)(struct batch *batch);
    tool_call *call;
    bool (*right)(const struct batch *batch, size_t i);
    bool (*right_after)(struct batch *batch);
};

static void measure_row(struct bench *bench, bool set, const struct row *row)
{
    struct hashed h = {.set = set};
    char name[BENCH_NAME_BYTES];
    if (!batch_create(&h.batch, bench, row->ops, BATCH_B | BATCH_OUT_A, row->ops)) return;
    snprintf(name, sizeof name, "hash/%s/%s", set ? "set" : "map", row->what);
    const struct bench_work work = {.name = name, .ops = row->ops, .prepare = row->prepare, .call = row->call,
                                    .elements = row->ops, .right = row->right, .right_after = row->right_after};
    const bool ready = row->prepare != NULL || fill_table(&h.batch);
    if (ready && batch_fill(&h.batch, row->make)) bench_measure(&h.batch, &work);
    if (!bench->failed && row->prepare == prepare_sized) say_shape(&h, name);
    pleach_hash_destroy(h.hash);
    batch_destroy(&h.batch);
}

static void measure_kind(struct bench *bench, bool set)
{
    const size_t n = bench->keys.n;
    const struct row rows[] = {
        {"put-sized", n, batch_make_present, prepare_sized, call_put, batch_right_inserted, right_after_put},
        {"put-growing", n, batch_make_present, prepare_growing, call_put, batch_right_inserted, right_after_put},
        {"put-growing-parts", n, batch_make_present, prepare_growing, call_put_parts, batch_right_inserted,
         right_after_put},
        {"find", n, batch_make_present, NULL, call_find, right_found, NULL},
        {"find-miss", n, batch_make_absent, NULL, call_find, batch_right_missing, NULL},
        {"erase-half", n / 2, batch_make_present, prepare_erase, call_erase, batch_right_erased, right_after_erase},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !bench->failed; i++) measure_row(bench, set, &rows[i]);
}

/* The ordered map's own benchmarks, with these keys. */
static void measure_beside(struct bench *bench, const struct bench_case *which)
{
    const struct {
        const char *name;
        size_t ops;
        bench_run_case *run;
    } rows[] = {{"map/put", 0, bench_insert_empty},
                {"map/find", bench->keys.n, bench_find},
                {"map/find-miss", bench->keys.n, bench_find_miss},
                {"map/erase-half", bench->keys.n / 2, bench_erase}};
    const struct bench_options *const asked = bench->options;
    struct bench_options options = *asked;
    struct bench_case same = *which;
    options.keys = bench->keys.n;
    bench->options = &options;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !bench->failed; i++) {
        options.ops = rows[i].ops;
        same.name = rows[i].name;
        rows[i].run(bench, &same);
    }
    bench->options = asked;
}

static void measure_keys(struct bench *bench, const struct bench_case *which, size_t n)
{
    if (!bench_use_keys(bench, n)) return;
    measure_kind(bench, false);
    if (!bench->failed) measure_kind(bench, true);
    if (!bench->failed) measure_beside(bench, which);
}

/* Numbers of keys at which a table that was sized ahead has about 0.6 of its slots taken: all kinds have 7, 14 or 28
 * slots a bucket, and powers of two of buckets. Or as many as are asked for. */
void bench_hash(struct bench *bench, const struct bench_case *which)
{
    enum { STEP = 8, STEPS = 3 };
    size_t keys = bench_key_count(bench, &which->sizes);
    if (bench->options->keys > 0) {
        measure_keys(bench, which, keys);
        return;
    }
    for (size_t i = 1; i < STEPS; i++) keys /= STEP;
    for (size_t i = 0; i < STEPS && !bench->failed; i++, keys *= STEP) measure_keys(bench, which, keys);
}
