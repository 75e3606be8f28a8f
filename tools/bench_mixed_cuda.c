/* bench_mixed_cuda.c - updates and queries of one map at the same time, in one kernel of the user's: the experiments of
 * M. A. Awad, Fully Concurrent GPU Data Structures, tables 4.1 and 4.2. Each is run on a map without versions, and on
 * one with versions, whose ranges are linearizable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_mixed.h"

enum { SHARES = 3 };
static const unsigned shares[SHARES] = {5, 50, 90}; /* percent of updates */

struct mixed {
    struct bench *bench;
    struct batch updates, queries;
    struct mixed_work work;
    bool versioned;
    pleach_map_view plain_view;
    pleach_versioned_view view;
};

static pleach_status call_mixed(void *context, pleach_stream stream)
{
    struct mixed *m = context;
    return m->versioned ? mixed_run_versioned(m->view, &m->work, stream)
                        : mixed_run_plain(m->plain_view, &m->work, stream);
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
    const uint64_t most = word_max(keys->bits), lo = bench_key(keys, rank_of_query(batch, i));
    const uint64_t width = most / keys->n * (batch->limit / 2 - 1);
    bench_set_word(batch->host_a, keys->bits, i, lo);
    bench_set_word(batch->host_b, keys->bits, i, most - lo < width ? most : lo + width);
}

/* ---- checks ---- */

static bool right_update(const struct batch *batch, size_t i)
{
    return batch->host_bytes[i] == (batch->host_b != NULL ? PLEACH_INSERTED : PLEACH_ERASED);
}

/* Every loaded key of the interval is there, in order; between them inserted ones may be. */
static bool right_range(const struct batch *batch, size_t i)
{
    const struct bench_keys *keys = &batch->bench->keys;
    const uint64_t hi = bench_word(batch->host_b, keys->bits, i);
    const size_t count = ((const uint32_t *)batch->host_counts)[i];
    size_t rank = rank_of_query(batch, i);
    uint64_t before = 0;
    for (size_t j = 0; j < count; j++) {
        const uint64_t key = bench_word(batch->host_out_a, keys->bits, i * batch->limit + j);
        if ((j > 0 && key <= before) || key > hi) return false;
        if (rank < keys->n && key > bench_key(keys, rank)) return false; /* a loaded key was left out */
        rank += rank < keys->n && key == bench_key(keys, rank);
        before = key;
    }
    return count == batch->limit || rank == keys->n || bench_key(keys, rank) > hi;
}

static bool right_find(const struct batch *batch, size_t i)
{
    const unsigned bits = batch->bench->bits;
    return ((const uint32_t *)batch->host_counts)[i] == 1 &&
           bench_word(batch->host_out_b, bits, i) == bench_value(bits, bench_word(batch->host_a, bits, i));
}

static bool check_mixed(struct mixed *m, const char *name)
{
    if (!batch_fetch(&m->updates) || !batch_fetch(&m->queries)) return false;
    const size_t wrong = batch_count_wrong(&m->updates, m->updates.n, right_update) +
                         batch_count_wrong(&m->queries, m->queries.n, m->work.hi != NULL ? right_range : right_find);
    return wrong == 0 || bench_complain(m->bench, name, "WRONG results", PLEACH_E_CORRUPT);
}

/* ---- measuring ---- */

/* A map with the keys, memory for every update to make a copy, and a view. */
static bool open_view(struct mixed *m, const char *name)
{
    struct bench *bench = m->bench;
    if (!bench_load_map(bench)) return false;
    pleach_status status = pleach_map_reserve(bench->map, 2 * bench->keys.n + 8 * m->updates.n);
    if (status == PLEACH_OK)
        status = m->versioned ? pleach_versioned_view_open(bench->map, &m->view)
                              : pleach_map_view_open(bench->map, &m->plain_view);
    bench->map_loaded = false;
    return status == PLEACH_OK || bench_complain(bench, name, "opening a view", status);
}

static bool repeat_mixed(struct mixed *m, const char *name, double *rate)
{
    double seconds = 1;
    if (!open_view(m, name) || !batch_spoil(&m->updates) || !batch_spoil(&m->queries)) return false;
    const pleach_status status = m->bench->device->time(call_mixed, m, &seconds);
    if (m->versioned)
        pleach_versioned_view_close(m->bench->map, &m->view);
    else
        pleach_map_view_close(m->bench->map, &m->plain_view);
    if (status != PLEACH_OK) return bench_complain(m->bench, name, "the timed kernel", status);
    *rate = (double)(m->updates.n + m->queries.n) / seconds / 1e6;
    return check_mixed(m, name);
}

static void measure_mixed(struct mixed *m, const char *name)
{
    struct bench_row row;
    double unused;
    bench_start_row(m->bench, &row, name, m->updates.n + m->queries.n);
    row.device = m->versioned ? "cuda/v" : "cuda";
    if (!repeat_mixed(m, name, &unused)) return; /* one time for nothing */
    for (; row.repeats < m->bench->options->repeats; row.repeats++)
        if (!repeat_mixed(m, name, &row.rates[row.repeats])) return;
    bench_add_row(m->bench, &row);
}

static bool create_mixed(struct mixed *m, size_t ops, unsigned share, uint32_t length, bool erases)
{
    const size_t updates = ops * share / 100, queries = ops - updates;
    const int range = BATCH_B | BATCH_OUT_A | BATCH_OUT_B | BATCH_COUNTS, find = BATCH_OUT_B | BATCH_COUNTS;
    const uint32_t limit = erases ? 1 : 2 * length;
    if (!batch_create(&m->updates, m->bench, updates, erases ? 0 : BATCH_B, 0)) return false;
    if (!batch_create(&m->queries, m->bench, queries, erases ? find : range, queries * limit)) {
        batch_destroy(&m->updates);
        return false;
    }
    m->queries.limit = limit;
    m->work = (struct mixed_work){.updates = updates, .queries = queries, .erases = erases, .limit = limit,
                                  .update_keys = m->updates.a, .update_values = m->updates.b,
                                  .outcomes = m->updates.bytes, .lo = m->queries.a, .hi = m->queries.b,
                                  .out_keys = m->queries.out_a, .out_values = m->queries.out_b,
                                  .counts = (uint32_t *)m->queries.counts};
    return true;
}

static void run_mixed(struct bench *bench, const char *name, size_t ops, unsigned share, uint32_t length, bool erases)
{
    struct mixed m = {.bench = bench, .versioned = bench->options->versioned};
    if (!create_mixed(&m, ops, share, length, erases)) return;
    if (batch_fill(&m.updates, erases ? make_erased : batch_make_absent) &&
        batch_fill(&m.queries, erases ? make_kept : make_interval))
        measure_mixed(&m, name);
    batch_destroy(&m.updates);
    batch_destroy(&m.queries);
}

/* On maps of both kinds: the map is made anew when the kind changes. */
static void run_both(struct bench *bench, const char *name, size_t ops, unsigned share, uint32_t length, bool erases)
{
    struct bench_options options = *bench->options;
    const struct bench_options *asked = bench->options;
    for (unsigned versioned = 0; versioned < 2; versioned++) {
        options.versioned = versioned;
        bench->options = &options;
        pleach_map_destroy(bench->map);
        bench->map = NULL;
        if (bench_open_map(bench, bench->threads)) run_mixed(bench, name, ops, share, length, erases);
    }
    pleach_map_destroy(bench->map);
    bench->map = NULL;
    bench->options = asked;
}

void bench_mixed_range(struct bench *bench, const struct bench_case *which)
{
    static const uint32_t lengths[] = {8, 32};
    char name[BENCH_NAME_BYTES];
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (size_t l = 0; l < 2; l++)
        for (unsigned s = 0; s < SHARES && !bench->failed; s++) {
            snprintf(name, sizeof name, "%s/%u/%u%%", which->name, lengths[l], shares[s]);
            run_both(bench, name, bench_op_count(bench, &which->sizes), shares[s], lengths[l], false);
        }
}

/* Half of the operations are inserts; ranges from short to long. */
void bench_mixed_length(struct bench *bench, const struct bench_case *which)
{
    char name[BENCH_NAME_BYTES];
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (uint32_t length = 4; length <= 256 && !bench->failed; length *= 2) {
        snprintf(name, sizeof name, "%s/%u", which->name, length);
        run_both(bench, name, bench_op_count(bench, &which->sizes), 50, length, false);
    }
}

void bench_mixed_erase(struct bench *bench, const struct bench_case *which)
{
    char name[BENCH_NAME_BYTES];
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    for (unsigned s = 0; s < SHARES && !bench->failed; s++) {
        size_t ops = bench_op_count(bench, &which->sizes);
        const size_t most = bench->keys.n / 2; /* keys that can be erased */
        if (ops * shares[s] / 100 > most) ops = most * 100 / shares[s];
        snprintf(name, sizeof name, "%s/%u%%", which->name, shares[s]);
        run_both(bench, name, ops, shares[s], 1, true);
    }
}

/* ---- memory: how much more a map needs because it was asked while it grew (figure 4.6) ---- */

enum { MEMORY_PARTS = 10, MEMORY_KERNELS = 20, MEMORY_LENGTH = 16 };

static double megabytes(uint64_t bytes) { return (double)bytes / 1e6; }

static bool get_stats(struct bench *bench, pleach_map_stats *stats)
{
    const pleach_status status = pleach_map_get_stats(bench->map, stats);
    return status == PLEACH_OK || bench_complain(bench, "mixed-memory", "statistics", status);
}

static uint64_t all_bytes(const pleach_map_stats *stats)
{
    return stats->node_bytes + stats->old_image_bytes + stats->free_bytes;
}

/* The work from one part of so many on, to before another. */
static struct mixed_work piece_of(const struct mixed *m, size_t from, size_t to, size_t parts)
{
    const size_t width = word_bytes(m->bench->bits), u = m->updates.n * from / parts, q = m->queries.n * from / parts;
    struct mixed_work work = m->work;
    work.updates = m->updates.n * to / parts - u;
    work.queries = m->queries.n * to / parts - q;
    work.update_keys = (const char *)work.update_keys + u * width;
    work.update_values = (const char *)work.update_values + u * width;
    work.outcomes += u;
    work.lo = (const char *)work.lo + q * width;
    work.hi = (const char *)work.hi + q * width;
    work.out_keys = (char *)work.out_keys + q * work.limit * width;
    work.out_values = (char *)work.out_values + q * work.limit * width;
    work.counts += q;
    return work;
}

static bool start_memory(struct mixed *m, pleach_map_stats *stats)
{
    if (!bench_load_map(m->bench) || !batch_spoil(&m->updates) || !batch_spoil(&m->queries)) return false;
    const pleach_status status = pleach_map_reserve(m->bench->map, 2 * m->bench->keys.n + 8 * m->updates.n);
    m->bench->map_loaded = false;
    if (status != PLEACH_OK) return bench_complain(m->bench, "mixed-memory", "reserving", status);
    return get_stats(m->bench, stats);
}

/* A map with the keys, then the work up to a part, in so many kernels of the same size; *stats is what came of it. */
static bool grow_to(struct mixed *m, size_t part, size_t parts, size_t kernels, pleach_map_stats *stats)
{
    struct bench *bench = m->bench;
    const struct mixed_work whole = m->work;
    pleach_map_stats before;
    double seconds;
    if (!start_memory(m, &before)) return false;
    pleach_status status = pleach_versioned_view_open(bench->map, &m->view);
    for (size_t k = 0; k < kernels && status == PLEACH_OK; k++) {
        m->work = piece_of(m, part * k, part * (k + 1), parts * kernels);
        status = bench->device->time(call_mixed, m, &seconds);
        m->work = whole;
    }
    pleach_versioned_view_close(bench->map, &m->view);
    if (status != PLEACH_OK) return bench_complain(bench, "mixed-memory", "the kernel", status);
    if (!get_stats(bench, stats)) return false;
    stats->reclaimed_bytes -= before.reclaimed_bytes;
    return part < parts || check_mixed(m, "mixed-memory");
}

/* The same keys put by an array call that nobody disturbs. */
static bool fill_in_place(struct mixed *m, pleach_map_stats *stats)
{
    if (!start_memory(m, stats)) return false;
    const pleach_status status =
        pleach_map_put(m->bench->map, m->updates.n, m->updates.a, m->updates.b, NULL, NULL, PLEACH_SYNC);
    if (status != PLEACH_OK) return bench_complain(m->bench, "mixed-memory", "filling in place", status);
    return get_stats(m->bench, stats);
}

static void print_memory(const char *what, const pleach_map_stats *stats, const pleach_map_stats *in_place)
{
    printf("  %-28s nodes %7.1f MB  taken and free %6.1f MB  reclaimed %7.1f MB", what, megabytes(stats->node_bytes),
           megabytes(stats->old_image_bytes + stats->free_bytes), megabytes(stats->reclaimed_bytes));
    if (in_place != NULL) printf("  %+.1f%%", 100 * ((double)all_bytes(stats) / (double)all_bytes(in_place) - 1));
    printf("\n");
}

static void measure_memory(struct mixed *m)
{
    char what[BENCH_NAME_BYTES];
    pleach_map_stats in_place, stats;
    if (!fill_in_place(m, &in_place)) return;
    printf("mixed-memory: %zu keys of %u bits, then %zu puts beside %zu ranges of %d; beside the nodes, a quarter of "
           "their bytes (32-bit; 64-bit: an eighth) in records\n",
           m->bench->keys.n, m->bench->bits, m->updates.n, m->queries.n, MEMORY_LENGTH);
    print_memory("all puts, nobody asking", &in_place, NULL);
    for (size_t part = 1; part <= MEMORY_PARTS; part++) {
        snprintf(what, sizeof what, "%3zu%%, one kernel", 100 * part / MEMORY_PARTS);
        if (!grow_to(m, part, MEMORY_PARTS, 1, &stats)) return;
        print_memory(what, &stats, part == MEMORY_PARTS ? &in_place : NULL);
    }
    if (!grow_to(m, 1, 1, MEMORY_KERNELS, &stats)) return;
    snprintf(what, sizeof what, "100%%, %d kernels", MEMORY_KERNELS);
    print_memory(what, &stats, &in_place);
}

void bench_mixed_memory(struct bench *bench, const struct bench_case *which)
{
    struct bench_options options = *bench->options;
    const struct bench_options *asked = bench->options;
    struct mixed m = {.bench = bench, .versioned = true};
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    options.versioned = true;
    bench->options = &options;
    pleach_map_destroy(bench->map);
    bench->map = NULL;
    if (bench_open_map(bench, bench->threads) &&
        create_mixed(&m, bench_op_count(bench, &which->sizes), 50, MEMORY_LENGTH, false)) {
        if (batch_fill(&m.updates, batch_make_absent) && batch_fill(&m.queries, make_interval)) measure_memory(&m);
        batch_destroy(&m.updates);
        batch_destroy(&m.queries);
    }
    pleach_map_destroy(bench->map);
    bench->map = NULL;
    bench->options = asked;
}
