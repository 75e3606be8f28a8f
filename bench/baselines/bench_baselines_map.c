/* bench_baselines_map.c - pleach's map behind the verbs of the baselines. */
#include <stdlib.h>

#include "bench_baselines.h"

struct map_store {
    pleach_map *map;
    struct baseline_machine *machine;
    bool by_calls;
};

void *contest_map_create(const struct contest *c)
{
    const pleach_map_config config = {.device = c->bench.device->kind, .key_bits = c->bench.bits,
                                      .threads = c->bench.threads, .engine = c->kind->engine};
    struct map_store *s = calloc(1, sizeof *s);
    if (s == NULL) return NULL;
    s->machine = (struct baseline_machine *)&c->machine;
    s->by_calls = c->kind->engine == PLEACH_ENGINE_CALLS;
    if (pleach_map_create(&s->map, &config) == PLEACH_OK) return s;
    free(s);
    return NULL;
}

pleach_map *contest_map_of(void *store) { return ((struct map_store *)store)->map; }

static void map_destroy(void *store)
{
    struct map_store *s = store;
    if (s == NULL) return;
    pleach_map_destroy(s->map);
    free(s);
}

static pleach_stream stream_of(const struct map_store *s) { return (pleach_stream)s->machine->stream; }

/* Only synchronous calls may become batches. */
static pleach_stream update_stream(const struct map_store *s) { return s->by_calls ? stream_of(s) : PLEACH_SYNC; }

static pleach_status map_clear(void *store) { return pleach_map_clear(contest_map_of(store)); }

static pleach_status map_reserve(void *store, size_t keys, size_t batch)
{
    return pleach_map_reserve(contest_map_of(store), keys + batch);
}

pleach_status contest_map_load(void *store, size_t n, const void *keys, const void *values)
{
    return pleach_map_load(contest_map_of(store), n, keys, values, 0);
}

static pleach_status map_insert(void *store, size_t n, const void *keys, const void *values)
{
    struct map_store *s = store;
    return pleach_map_put(s->map, n, keys, values, NULL, NULL, update_stream(s));
}

static pleach_status map_erase(void *store, size_t n, const void *keys)
{
    struct map_store *s = store;
    return pleach_map_erase(s->map, n, keys, NULL, NULL, update_stream(s));
}

static pleach_status map_find(void *store, size_t n, const void *keys, void *values, uint8_t *found)
{
    struct map_store *s = store;
    return pleach_map_find(s->map, n, keys, values, found, stream_of(s));
}

static pleach_status map_range(void *store, size_t n, const void *lows, const void *highs, uint32_t limit,
                               void *out_keys, void *out_values, uint32_t *counts)
{
    struct map_store *s = store;
    return pleach_map_range_limit(s->map, n, lows, highs, limit, out_keys, out_values, counts, stream_of(s));
}

static pleach_status map_succ(void *store, size_t n, const void *keys, void *out_keys, void *out_values,
                              uint8_t *found)
{
    struct map_store *s = store;
    return pleach_map_succ(s->map, n, keys, out_keys, out_values, found, stream_of(s));
}

static pleach_status map_count(void *store, uint64_t *count) { return pleach_map_size(contest_map_of(store), count); }

const struct baseline_verbs contest_map_verbs = {
    .name = "map", .destroy = map_destroy, .clear = map_clear, .reserve = map_reserve, .insert = map_insert,
    .erase = map_erase, .find = map_find, .range = map_range, .succ = map_succ, .count = map_count,
};
