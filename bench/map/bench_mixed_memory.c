/* bench_mixed_memory.c - how much more memory a map needs because it was asked while it grew: figure 4.6 of M. A. Awad,
 * Fully Concurrent GPU Data Structures. Half puts, half ranges; rows are the state after each tenth of them, and what
 * was measured stands in their counters. */
#include <stdio.h>

#include "bench_mixed_map.h"

enum { MEMORY_PARTS = 10, MEMORY_RUNS = 20, MEMORY_LENGTH = 16 };

struct growth {
    struct mixed m;
    struct mixed_work piece;
    const char *name; /* of the benchmark */
    pleach_map_stats in_place, stats;
    double seconds;
};

static uint64_t all_bytes(const pleach_map_stats *stats)
{
    return stats->node_bytes + stats->old_image_bytes + stats->free_bytes;
}

static bool get_stats(struct growth *g, pleach_map_stats *stats)
{
    struct bench *bench = g->m.map->bench;
    const pleach_status status = pleach_map_get_stats(bench->map, stats);
    return status == PLEACH_OK || bench_complain(bench, g->name, "statistics", status);
}

/* ---- rows ---- */

static void add_row(struct growth *g, const char *what, size_t ops, bool compare)
{
    const struct bench *bench = g->m.map->bench;
    const pleach_map_stats *s = &g->stats;
    const double more = (double)all_bytes(s) / (double)all_bytes(&g->in_place) - 1;
    struct bench_row row;
    char name[BENCH_NAME_BYTES], line[120];
    snprintf(name, sizeof name, "%s/%s", g->name, what);
    bench_start_row(bench, &row, name, ops);
    row.rates[row.repeats++] = (double)ops / g->seconds / 1e6;
    bench_row_count(&row, "map_keys", (double)s->keys);
    bench_row_count(&row, "node_bytes", (double)s->node_bytes);
    bench_row_count(&row, "kept_bytes", (double)s->old_image_bytes);
    bench_row_count(&row, "free_bytes", (double)s->free_bytes);
    bench_row_count(&row, "reclaimed_bytes", (double)s->reclaimed_bytes);
    if (compare) bench_row_count(&row, "more_than_in_place", more);
    bench_add_row(bench, &row);
    const int used = snprintf(line, sizeof line, "nodes %.1f MB, taken and free %.1f MB, reclaimed %.1f MB",
                              1e-6 * (double)s->node_bytes, 1e-6 * (double)(s->old_image_bytes + s->free_bytes),
                              1e-6 * (double)s->reclaimed_bytes);
    if (compare && used > 0) snprintf(line + used, sizeof line - (size_t)used, "; %+.1f%%", 100 * more);
    bench_report_say(bench->report, line);
}

/* ---- growing ---- */

static bool start(struct growth *g, pleach_map_stats *stats)
{
    return mixed_fill(g->m.map, g->name, g->m.updates.n) && batch_spoil(&g->m.updates) && batch_spoil(&g->m.queries) &&
           get_stats(g, stats);
}

/* The work from one part of so many on, to before another. */
static struct mixed_work piece_of(const struct mixed *m, size_t from, size_t to, size_t parts)
{
    const size_t width = word_bytes(m->map->bench->bits);
    const size_t u = m->updates.n * from / parts, q = m->queries.n * from / parts;
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

static pleach_status call_piece(void *context, pleach_stream stream)
{
    const struct growth *g = context;
    return mixed_run(g->m.map, &g->piece, NULL, stream);
}

/* A map with the keys, then the work up to a part, in so many runs of the same size. */
static bool grow_to(struct growth *g, size_t part, size_t parts, size_t runs)
{
    struct bench *bench = g->m.map->bench;
    pleach_map_stats before;
    double seconds = 0;
    if (!start(g, &before)) return false;
    pleach_status status = mixed_open(g->m.map);
    if (status != PLEACH_OK) return bench_complain(bench, g->name, "opening a view", status);
    g->seconds = 0;
    for (size_t k = 0; k < runs && status == PLEACH_OK; k++) {
        g->piece = piece_of(&g->m, part * k, part * (k + 1), parts * runs);
        if (g->piece.updates + g->piece.queries == 0) continue;
        status = bench->device->time(call_piece, g, &seconds);
        g->seconds += seconds;
    }
    mixed_close(g->m.map);
    if (status != PLEACH_OK) return bench_complain(bench, g->name, "the operations", status);
    if (!get_stats(g, &g->stats)) return false;
    g->stats.reclaimed_bytes -= before.reclaimed_bytes;
    return mixed_check(&g->m, g->name, g->m.updates.n * part / parts, g->m.queries.n * part / parts);
}

static pleach_status call_put(void *context, pleach_stream stream)
{
    const struct growth *g = context;
    const struct batch *b = &g->m.updates;
    (void)stream; /* synchronous, so that it may be a batch */
    return pleach_map_put(b->bench->map, b->n, b->a, b->b, b->bytes, NULL, PLEACH_SYNC);
}

/* The same keys put by an array call that nobody disturbs. */
static bool fill_in_place(struct growth *g)
{
    struct bench *bench = g->m.map->bench;
    pleach_map_stats before;
    if (!start(g, &before)) return false;
    const pleach_status status = bench->device->time(call_put, g, &g->seconds);
    if (status != PLEACH_OK) return bench_complain(bench, g->name, "filling in place", status);
    if (!get_stats(g, &g->in_place)) return false;
    g->in_place.reclaimed_bytes -= before.reclaimed_bytes;
    g->stats = g->in_place;
    return mixed_check(&g->m, g->name, g->m.updates.n, 0);
}

static void measure_growth(struct growth *g)
{
    const size_t ops = g->m.updates.n + g->m.queries.n;
    const bool gpu = g->m.map->bench->device->kind == PLEACH_CUDA;
    char what[BENCH_NAME_BYTES];
    if (!fill_in_place(g)) return;
    bench_report_say(g->m.map->bench->report, "beside the nodes there are records, a quarter of their bytes (64-bit: "
                                              "an eighth); first row: all puts, nobody asking");
    add_row(g, "in-place", g->m.updates.n, false);
    for (size_t part = 1; part <= MEMORY_PARTS; part++) {
        if (!grow_to(g, part, MEMORY_PARTS, 1)) return;
        snprintf(what, sizeof what, "%zu%%", 100 * part / MEMORY_PARTS);
        add_row(g, what, ops * part / MEMORY_PARTS, part == MEMORY_PARTS);
    }
    if (!grow_to(g, 1, 1, MEMORY_RUNS)) return;
    snprintf(what, sizeof what, "%d-%s", MEMORY_RUNS, gpu ? "kernels" : "rounds");
    add_row(g, what, ops, true);
}

static void measure_plan(struct mixed_map *map, const void *context)
{
    const struct mixed_plan *plan = context;
    struct growth g = {.name = plan->name};
    if (!mixed_create(&g.m, map, plan)) return;
    measure_growth(&g);
    mixed_destroy(&g.m);
}

void bench_mixed_memory(struct bench *bench, const struct bench_case *which)
{
    const struct mixed_plan plan = {which->name, bench_op_count(bench, &which->sizes), 50, MEMORY_LENGTH, false};
    if (!bench_use_keys(bench, bench_key_count(bench, &which->sizes))) return;
    mixed_on_versioned(bench, measure_plan, &plan);
}
