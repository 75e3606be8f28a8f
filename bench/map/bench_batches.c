/* bench_batches.c - batches of many sizes beside array calls with the same operations, in turn: rates and response
 * times, where the time of a batch goes, and what a model of it says (docs/performance.md). */
#define _DEFAULT_SOURCE 1
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pleach/batch.h>

#include "bench/harness/bench.h"
#include "tools/common/clock.h"

/* What is measured in turn. New keys are erased again, but dense ones, which ascend. */
enum kind { FIND, UPDATE, INSERT, ERASE, KINDS };

static const char *const kind_names[KINDS] = {"find", "update", "insert", "erase"};
static const uint8_t operations[KINDS] = {PLEACH_OP_FIND, PLEACH_OP_PUT, PLEACH_OP_PUT, PLEACH_OP_ERASE};
static const uint8_t outcomes[KINDS] = {1, PLEACH_REPLACED, PLEACH_INSERTED, PLEACH_ERASED};

enum { LEAST_SIZE = 1 << 8, MOST_SIZE = 1 << 20, STEP = 4, OPERATIONS_A_ROW = 1 << 20 };
enum { MODEL_KEYS = 1 << 15, MODEL_BATCH = 1 << 13, LEAF_KEYS = 10, LINE_BYTES = 64, CACHE_BYTES = 1 << 25 };

struct batches {
    struct batch batch; /* a: keys of the map; first, for the functions of bench_batch.c */
    void *new_keys;
    uint8_t *kinds;
    uint64_t asked, made; /* keys so far: of the map, and new ones */
    pleach_batch_times times[KINDS]; /* of the quickest batch of each */
    struct bench_row row[2][KINDS]; /* batches, array calls */
};

/* Stages of a batch in the cache, seconds an operation, and levels of the tree there. */
struct model {
    double sort, search, modify;
    double levels;
};

static bool is_dense(const struct batches *b) { return b->batch.bench->options->dist == DIST_DENSE; }

static void make_keys(struct batches *b)
{
    const struct bench *bench = b->batch.bench;
    const unsigned bits = bench->bits;
    const size_t n = b->batch.n;
    for (size_t i = 0; i < n; i++) {
        const size_t query = bench->options->dist == DIST_SORTED ? i : b->asked + i;
        word_set(b->batch.a, bits, i, bench_key(&bench->keys, bench_keys_rank(&bench->keys, query, n)));
        word_set(b->new_keys, bits, i, bench_keys_absent(&bench->keys, b->made + i));
        word_set(b->batch.b, bits, i, mix64(i));
    }
    if (bench->options->dist == DIST_SORTED) bench_sort(b->new_keys, bits, n);
    b->asked += n;
}

static double all_stages(const pleach_batch_times *t) { return t->list + t->read + t->sort + t->search + t->modify; }

static pleach_status call_batch(struct batches *b, enum kind kind, const void *keys, bool timed)
{
    pleach_batch_times times, *quickest = &b->times[kind];
    pleach_batch batch = {.n = b->batch.n, .kinds = b->kinds, .keys = keys, .values = b->batch.b,
                          .flags = b->batch.bytes, .out_values = b->batch.out_a, .times = timed ? NULL : &times};
    const pleach_status status = pleach_map_apply(b->batch.bench->map, &batch);
    if (timed || status != PLEACH_OK) return status;
    if (all_stages(quickest) == 0 || all_stages(&times) < all_stages(quickest)) *quickest = times;
    return status;
}

static pleach_status call_array(struct batches *b, enum kind kind, const void *keys)
{
    struct batch *a = &b->batch;
    pleach_map *map = a->bench->map;
    if (kind == FIND) return pleach_map_find(map, a->n, keys, a->out_a, a->bytes, PLEACH_SYNC);
    if (kind == ERASE) return pleach_map_erase(map, a->n, keys, a->bytes, a->out_a, PLEACH_SYNC);
    return pleach_map_put(map, a->n, keys, a->b, a->bytes, a->out_a, PLEACH_SYNC);
}

/* Some distributions name a key twice; then an update is one all the same. */
static bool all_right(const struct batches *b, enum kind kind)
{
    for (size_t i = 0; i < b->batch.n; i++)
        if (b->batch.bytes[i] != outcomes[kind]) return false;
    return true;
}

/* One call of a kind; `array`: not a batch. Without a row it is a batch that tells its stages. */
static bool one_call(struct batches *b, enum kind kind, bool array, struct bench_row *row)
{
    struct bench *bench = b->batch.bench;
    const void *keys = kind < INSERT ? b->batch.a : b->new_keys;
    memset(b->kinds, operations[kind], b->batch.n);
    memset(b->batch.bytes, 0xff, b->batch.n);
    const double start = clock_seconds();
    const pleach_status status = array ? call_array(b, kind, keys) : call_batch(b, kind, keys, row != NULL);
    const double seconds = clock_seconds() - start;
    if (status != PLEACH_OK) return bench_complain(bench, "batches", kind_names[kind], status);
    if (!all_right(b, kind)) return bench_complain(bench, "batches", "WRONG results", PLEACH_OK);
    if (row != NULL) row->rates[row->repeats++] = (double)b->batch.n / seconds / 1e6;
    return true;
}

/* All kinds, once; array calls, batches, or batches that tell their stages. */
static bool one_round(struct batches *b, bool array, bool timed)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (kind == ERASE && is_dense(b)) continue;
        if (kind != ERASE) make_keys(b); /* others each time, which the caches do not hold yet */
        if (!one_call(b, kind, array, timed ? &b->row[array][kind] : NULL)) return false;
    }
    b->made += b->batch.n;
    return true;
}

static bool batches_open(struct batches *b, struct bench *bench, size_t n)
{
    *b = (struct batches){0};
    if (!batch_create(&b->batch, bench, n, BATCH_B | BATCH_OUT_A, n)) return false;
    b->new_keys = bench_memory_host(&b->batch.memory, n * word_bytes(bench->bits));
    b->kinds = bench_memory_host(&b->batch.memory, n);
    return batch_has_memory(&b->batch, "batches");
}

static void say_stages(const struct batches *b, enum kind kind)
{
    char what[BENCH_NAME_BYTES];
    snprintf(what, sizeof what, "%s, ", kind_names[kind]);
    if (all_stages(&b->times[kind]) > 0) bench_say_stages(b->batch.bench, what, &b->times[kind], false);
}

/* ---- the model ---- */

static double levels_of(double keys) { return 1 + ceil(log(keys / LEAF_KEYS) / log(LEAF_KEYS)); }

/* Levels that the last cache does not hold, and the lines of them that a batch reads: all of the nodes that n keys lie
 * in, each once, because keys come in order. */
static double levels_outside(const struct bench *bench, double n, double *lines)
{
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    const double node = bench->bits == 32 ? 128 : 256, room = cache > 0 ? (double)cache : CACHE_BYTES;
    double levels = 0, nodes = (double)bench->keys.n / LEAF_KEYS;
    *lines = 0;
    for (; nodes * node > room; nodes /= LEAF_KEYS, levels++)
        *lines += nodes * (1 - pow(1 - 1 / nodes, n)) * node / LINE_BYTES;
    return levels;
}

/* Appendix C of the PALM paper: what is in the cache costs instructions; what is not costs the time to fetch it, or the
 * instructions meanwhile, if these are more. */
static void say_model(const struct batches *b, const struct model *m)
{
    const struct bench *bench = b->batch.bench;
    const double n = (double)b->batch.n, us = 1e6 * n, level = m->search / m->levels;
    double lines;
    const double outside = levels_outside(bench, n, &lines);
    const double inside = us * level * (levels_of((double)bench->keys.n) - outside);
    const double instructions = us * (level * outside + m->modify), memory = lines / bench->limits.rate[BENCH_LINES];
    const double sum = us * m->sort + inside + (memory > instructions ? memory : instructions);
    char line[120];
    snprintf(line, sizeof line, "model: sort %.0f + levels %.0f + last levels, edits %.0f (memory %.0f) = %.0f us",
             us * m->sort, inside, instructions, memory, sum);
    bench_report_say(bench->report, line);
}

/* The constants: batches on a map that the caches hold. */
static bool measure_model(struct bench *bench, struct model *m)
{
    enum { ROUNDS = 64 };
    struct batches b;
    const size_t keys = bench->keys.n;
    bool done = bench_use_keys(bench, MODEL_KEYS) && bench_have_map(bench, MODEL_KEYS) &&
                batches_open(&b, bench, MODEL_BATCH);
    if (!done) return false;
    for (int i = 0; i < ROUNDS && done; i++) done = one_round(&b, false, false);
    const pleach_batch_times *t = &b.times[UPDATE];
    const double n = MODEL_BATCH;
    *m = (struct model){(t->list + t->sort) / n, t->search / n, t->modify / n, levels_of(MODEL_KEYS)};
    batch_destroy(&b.batch);
    bench->map_loaded = false;
    return done && bench_use_keys(bench, keys);
}

/* ---- the benchmark ---- */

static void measure_size(struct bench *bench, size_t n, const struct model *m)
{
    struct batches b;
    size_t rounds = OPERATIONS_A_ROW / n, least = bench->options->repeats;
    rounds = rounds < least ? least : rounds > BENCH_MOST_REPEATS ? BENCH_MOST_REPEATS : rounds;
    if (!bench_have_map(bench, bench->keys.n) || !batches_open(&b, bench, n)) return;
    pleach_status status = pleach_map_reserve(bench->map, bench->keys.n + n * (is_dense(&b) ? 3 * rounds + 3 : 1));
    bool done = status == PLEACH_OK || bench_complain(bench, "batches", "reserving memory", status);
    bench->map_loaded = false;
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (int array = 0; array < 2; array++) {
            char name[BENCH_NAME_BYTES];
            snprintf(name, sizeof name, "%s/%s", array ? "array" : "batch", kind_names[kind]);
            bench_start_row(bench, &b.row[array][kind], name, n);
        }
    done = done && one_round(&b, false, false);
    memset(b.times, 0, sizeof b.times);
    for (size_t i = 0; i < rounds && done; i++)
        done = one_round(&b, false, true) && one_round(&b, true, true) && one_round(&b, false, false);
    for (enum kind kind = 0; kind < KINDS && done; kind++) {
        for (int array = 0; array < 2; array++)
            if (b.row[array][kind].repeats > 0) bench_add_row(bench, &b.row[array][kind]);
        say_stages(&b, kind);
    }
    if (done && m->levels > 0) say_model(&b, m);
    batch_destroy(&b.batch);
}

void bench_batches(struct bench *bench, const struct bench_case *which)
{
    struct model model = {0};
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    if (bench->options->dist == DIST_UNIFORM && !bench->keys.of_file && !measure_model(bench, &model)) return;
    if (bench->options->ops > 0) {
        measure_size(bench, (size_t)bench->options->ops, &model);
        return;
    }
    for (size_t n = LEAST_SIZE; n <= MOST_SIZE && !bench->failed; n *= STEP) measure_size(bench, n, &model);
}
