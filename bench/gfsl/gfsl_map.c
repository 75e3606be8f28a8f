/* gfsl_map.c - skiplists and B-link trees under the operations of gfsl.h: from kernels or single calls, and
 * by array calls. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfsl.h"
#include "tools/common/cli.h"

static bool map_open(struct gfsl *g, bool *there)
{
    const bool skiplist = g->subject->structure == GFSL_SKIPLIST;
    pleach_map_config config = {.device = g->device->kind, .key_bits = g->bits, .engine = PLEACH_ENGINE_CALLS};
    if (g->device->kind == PLEACH_CPU) config.threads = (unsigned)g->options->threads;
    if (skiplist) {
        config.structure = PLEACH_SKIPLIST;
        config.chunk = g->subject->chunk;
        config.team = (unsigned)g->options->team;
        config.raise = g->options->raise;
    }
    const pleach_status status = pleach_map_create(&g->map, &config);
    *there = status == PLEACH_OK;
    g->work.stay = skiplist ? (uint32_t)g->options->stay : 1;
    return status == PLEACH_OK || (skiplist && status == PLEACH_E_ARGUMENT) || gfsl_complain(g, "creating it", status);
}

static void close_view(struct gfsl *g)
{
    if (g->view_open && g->subject->structure == GFSL_SKIPLIST)
        pleach_skiplist_view_close(g->map, &g->skiplist_view);
    else if (g->view_open)
        pleach_map_view_close(g->map, &g->map_view);
    g->view_open = false;
}

static void map_close(struct gfsl *g)
{
    close_view(g);
    pleach_map_destroy(g->map);
    g->map = NULL;
}

static pleach_status open_view(struct gfsl *g)
{
    if (g->device->kind == PLEACH_CPU || g->subject->array) return PLEACH_OK;
    const pleach_status status = g->subject->structure == GFSL_SKIPLIST
                                     ? pleach_skiplist_view_open(g->map, &g->skiplist_view)
                                     : pleach_map_view_open(g->map, &g->map_view);
    g->view_open = status == PLEACH_OK;
    return status;
}

/* Memory for all keys that there can be at once, and as much again, because nodes are not full; and some for what has
 * been taken out and may still be looked at. Kernels cannot get any. */
static uint64_t keys_to_reserve(const struct gfsl *g)
{
    enum { IN_PASSING = 1000000 };
    const size_t inserts = g->inserts < g->range ? g->inserts : g->range;
    return 2 * (uint64_t)(g->first + inserts) + IN_PASSING;
}

static bool map_restore(struct gfsl *g)
{
    const char *what = "clearing it";
    pleach_status status = pleach_map_clear(g->map);
    if (status == PLEACH_OK) {
        what = "reserving memory";
        status = pleach_map_reserve(g->map, keys_to_reserve(g));
    }
    if (status == PLEACH_OK && g->first > 0) {
        what = "the first keys";
        status = g->options->load
                     ? pleach_map_load(g->map, g->first, g->device_order, g->device_order, 0)
                     : pleach_map_add(g->map, g->first, g->device_order, g->device_order, NULL, NULL, PLEACH_SYNC);
    }
    if (status == PLEACH_OK) {
        what = "opening a view";
        status = open_view(g);
    }
    return status == PLEACH_OK || gfsl_complain(g, what, status);
}

/* ---- the timed calls ---- */

static uint8_t call_one(pleach_map *map, uint8_t kind, uint64_t key)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    int found = 0;
    switch ((enum gfsl_kind)kind) {
    case GFSL_CONTAINS:
        if (pleach_map_contains_one(map, key, &found) != PLEACH_OK) return GFSL_NOT_APPLIED;
        return found ? GFSL_YES : GFSL_NO;
    case GFSL_INSERT:
        (void)pleach_map_add_one(map, key, key, &outcome, NULL); /* the outcome says it */
        return gfsl_answer_of(outcome);
    case GFSL_DELETE:
        (void)pleach_map_erase_one(map, key, &outcome, NULL);
        return gfsl_answer_of(outcome);
    }
    return GFSL_NOT_APPLIED;
}

static void call_slice(void *context, size_t begin, size_t end)
{
    const struct gfsl *g = context;
    const struct gfsl_work *w = &g->work;
    for (size_t i = begin; i < end; i++)
        w->answers[i] = call_one(g->map, w->kinds[i], word_get(w->keys, g->bits, i));
}

/* Every operation is of the same kind. */
static pleach_status call_array(const struct gfsl *g, pleach_stream stream)
{
    const struct gfsl_work *w = &g->work;
    if (g->mix->inserts > 0) return pleach_map_add(g->map, w->n, w->keys, w->keys, w->answers, NULL, stream);
    if (g->mix->deletes > 0) return pleach_map_erase(g->map, w->n, w->keys, w->answers, NULL, stream);
    return pleach_map_contains(g->map, w->n, w->keys, w->answers, stream);
}

static pleach_status map_call(void *context, pleach_stream stream)
{
    struct gfsl *g = context;
    if (g->subject->array) return call_array(g, stream);
    if (g->device->kind == PLEACH_CPU) {
        crew_share(g->crew, g->n, call_slice, g);
        return PLEACH_OK;
    }
    if (g->subject->structure == GFSL_MAP) return gfsl_run_map(g->map_view, &g->work, stream);
    return g->subject->chunk == 16 ? gfsl_run_chunk16(g->skiplist_view, &g->work, stream)
                                   : gfsl_run_chunk32(g->skiplist_view, &g->work, stream);
}

/* ---- what has come of it ---- */

static bool validate(struct gfsl *g)
{
    char message[256];
    const pleach_status status = pleach_map_validate(g->map, message, sizeof message);
    if (status == PLEACH_OK) return true;
    return gfsl_complain(g, status == PLEACH_E_CORRUPT ? message : "validating it", status);
}

/* Keys in ascending order, each of the range. */
static bool note_exported(struct gfsl *g, const void *keys, size_t n)
{
    memset(g->final, 0, g->range);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = word_get(keys, g->bits, i);
        if (key >= g->range || (i > 0 && key <= word_get(keys, g->bits, i - 1)))
            return gfsl_complain(g, "keys out of order", PLEACH_E_CORRUPT);
        g->final[key] = 1;
    }
    return true;
}

/* Nodes that are in use, and those that wait to be used again. */
static void print_stats(struct gfsl *g)
{
    pleach_map_stats stats;
    if (pleach_map_get_stats(g->map, &stats) != PLEACH_OK || stats.node_bytes == 0) return;
    printf("  %.1f MB in nodes, %.1f%% more held (%" PRIu64 " zombies), %.2f full, %.1f MB reclaimed, "
           "%" PRIu64 " restarts\n",
           (double)stats.node_bytes / 1e6, 100 * (double)stats.free_bytes / (double)stats.node_bytes, stats.zombies,
           stats.fill, (double)stats.reclaimed_bytes / 1e6, stats.restarts);
}

static bool map_collect(struct gfsl *g, bool last)
{
    size_t n = 0;
    close_view(g);
    if (last && g->options->stats) print_stats(g);
    if (last && !validate(g)) return false;
    void *keys = malloc(g->range * word_bytes(g->bits));
    if (keys == NULL) return gfsl_complain(g, "exporting it", PLEACH_E_MEMORY);
    pleach_status status = pleach_map_export(g->map, g->range, keys, NULL, &n);
    if (status == PLEACH_OK) status = pleach_map_size(g->map, &g->final_size);
    const bool good = status == PLEACH_OK ? note_exported(g, keys, n) : gfsl_complain(g, "exporting it", status);
    free(keys);
    return good;
}

const struct gfsl_verbs gfsl_map_verbs = {.open = map_open, .restore = map_restore, .call = map_call,
                                          .collect = map_collect, .close = map_close};
