#include "bench_mixed_map.h"

static bool on_gpu(const struct mixed_map *map) { return map->bench->device->kind == PLEACH_CUDA; }

bool mixed_fill(struct mixed_map *map, const char *name, size_t updates)
{
    struct bench *bench = map->bench;
    if (!bench_load_map(bench)) return false;
    const pleach_status status = pleach_map_reserve(bench->map, 2 * bench->keys.n + 8 * updates);
    bench->map_loaded = false;
    return status == PLEACH_OK || bench_complain(bench, name, "reserving memory", status);
}

pleach_status mixed_open(struct mixed_map *map)
{
    if (!on_gpu(map)) return PLEACH_OK;
    return map->versioned ? pleach_versioned_view_open(map->bench->map, &map->view)
                          : pleach_map_view_open(map->bench->map, &map->plain_view);
}

void mixed_close(struct mixed_map *map)
{
    if (!on_gpu(map)) return;
    if (map->versioned)
        pleach_versioned_view_close(map->bench->map, &map->view);
    else
        pleach_map_view_close(map->bench->map, &map->plain_view);
}

pleach_status mixed_run(const struct mixed_map *map, const struct mixed_work *work, const struct mixed_list *list,
                        pleach_stream stream)
{
    if (!on_gpu(map)) return mixed_run_threads(map, work, list);
#ifdef PLEACH_TOOLS_CUDA
    if (work != NULL)
        return map->versioned ? mixed_run_versioned(map->view, work, stream)
                              : mixed_run_plain(map->plain_view, work, stream);
    return map->versioned ? mixed_list_versioned(map->view, list, stream)
                          : mixed_list_plain(map->plain_view, list, stream);
#else
    (void)stream;
    return PLEACH_E_NO_CUDA; /* not reached: such a build has no such device */
#endif
}

/* ---- measuring ---- */

struct repeating {
    struct mixed_map *map;
    const char *name;
    size_t updates, ops;
    const struct mixed_verbs *verbs;
};

static bool repeat_once(void *context, double *rate)
{
    const struct repeating *r = context;
    struct bench *bench = r->map->bench;
    double seconds = 1;
    if (!mixed_fill(r->map, r->name, r->updates) || !r->verbs->spoil(r->verbs->context)) return false;
    pleach_status status = mixed_open(r->map);
    if (status != PLEACH_OK) return bench_complain(bench, r->name, "opening a view", status);
    status = bench->device->time(r->verbs->call, r->verbs->context, &seconds);
    mixed_close(r->map);
    if (status != PLEACH_OK) return bench_complain(bench, r->name, "the timed operations", status);
    *rate = (double)r->ops / seconds / 1e6;
    return r->verbs->check(r->verbs->context, r->name);
}

void mixed_measure(struct mixed_map *map, const char *name, size_t updates, size_t ops, const struct mixed_verbs *verbs)
{
    const struct bench *bench = map->bench;
    struct bench_row row;
    struct repeating repeating = {map, name, updates, ops, verbs};
    bench_start_row(bench, &row, name, ops);
    /* On the CPU the map is loaded anew for each repeat, so nothing is warm. */
    if (bench_repeat(&row, bench->options->repeats, on_gpu(map), repeat_once, &repeating)) bench_add_row(bench, &row);
}

static void drop_map(struct bench *bench)
{
    pleach_map_destroy(bench->map);
    bench->map = NULL;
}

/* The map is made anew, because its kind changes. */
static void on_kind(struct bench *bench, bool versioned, void (*measure)(struct mixed_map *map, const void *context),
                    const void *context)
{
    const struct bench_options *asked = bench->options;
    struct bench_options options = *asked;
    struct mixed_map map = {.bench = bench, .versioned = versioned};
    options.versioned = versioned;
    options.snapshot = false; /* queries have their own */
    bench->options = &options;
    drop_map(bench);
    if (bench_open_map(bench, bench->threads)) measure(&map, context);
    drop_map(bench);
    bench->options = asked;
}

void mixed_on_both(struct bench *bench, void (*measure)(struct mixed_map *map, const void *context),
                   const void *context)
{
    on_kind(bench, false, measure, context);
    if (!bench->failed) on_kind(bench, true, measure, context);
}

void mixed_on_versioned(struct bench *bench, void (*measure)(struct mixed_map *map, const void *context),
                        const void *context)
{
    on_kind(bench, true, measure, context);
}
