/* ycsb_stores.c - pleach's structures as the stores of pleach-bench ycsb. */
#include <stdlib.h>

#include "ycsb.h"

static void *create_map(const struct rival_needs *needs, pleach_structure structure)
{
    const struct ycsb_settings *settings = needs->settings;
    const pleach_map_config config = {
        .device = settings->device,
        .threads = settings->device == PLEACH_CPU ? needs->threads : 0,
        .engine = structure == PLEACH_SKIPLIST ? PLEACH_ENGINE_AUTO : settings->engine,
        .structure = structure,
        .reserve_keys = settings->reserve ? needs->keys : 0,
    };
    struct target *own = calloc(1, sizeof *own);
    if (own != NULL && pleach_map_create(&own->map, &config) == PLEACH_OK) return own;
    free(own);
    return NULL;
}

static void *map_create(const struct rival_needs *needs) { return create_map(needs, PLEACH_BLINK); }
static void *skiplist_create(const struct rival_needs *needs) { return create_map(needs, PLEACH_SKIPLIST); }

static void *hash_create(const struct rival_needs *needs)
{
    const struct ycsb_settings *settings = needs->settings;
    const pleach_hash_config config = {
        .device = settings->device,
        .threads = settings->device == PLEACH_CPU ? needs->threads : 0,
        .reserve_keys = settings->reserve ? needs->keys : 0,
        .fixed_seed = 1,
    };
    struct target *own = calloc(1, sizeof *own);
    if (own != NULL && pleach_hash_create(&own->hash, &config) == PLEACH_OK) return own;
    free(own);
    return NULL;
}

static void own_destroy(void *store)
{
    target_destroy(store);
    free(store);
}

/* ---- single calls ---- */

static bool own_get(void *store, unsigned thread, uint64_t key, uint64_t *value)
{
    const struct target *own = store;
    int found = 0;
    (void)thread;
    const pleach_status status = own->map != NULL ? pleach_map_find_one(own->map, key, &found, value)
                                                  : pleach_hash_find_one(own->hash, key, &found, value);
    return status == PLEACH_OK && found;
}

static bool own_put(void *store, unsigned thread, uint64_t key, uint64_t value)
{
    const struct target *own = store;
    (void)thread;
    return (own->map != NULL ? pleach_map_put_one(own->map, key, value, NULL, NULL)
                             : pleach_hash_put_one(own->hash, key, value, NULL, NULL)) == PLEACH_OK;
}

static bool own_insert(void *store, unsigned thread, uint64_t key, uint64_t value)
{
    const struct target *own = store;
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    (void)thread;
    const pleach_status status = own->map != NULL ? pleach_map_add_one(own->map, key, value, &outcome, NULL)
                                                  : pleach_hash_add_one(own->hash, key, value, &outcome, NULL);
    return status == PLEACH_OK && outcome == PLEACH_INSERTED;
}

static size_t map_scan(void *store, unsigned thread, uint64_t from, size_t n, uint64_t *keys, uint64_t *values)
{
    const struct target *own = store;
    const uint64_t to = UINT64_MAX;
    uint32_t count = 0;
    (void)thread;
    const pleach_status status = pleach_map_range_limit(own->map, 1, &from, &to, (uint32_t)n, keys, values, &count,
                                                        PLEACH_SYNC);
    return status == PLEACH_OK ? count : 0;
}

/* ---- the whole ---- */

static uint64_t own_count(void *store)
{
    uint64_t size = 0;
    return target_size(store, &size) == PLEACH_OK ? size : 0;
}

static uint64_t own_bytes(void *store)
{
    const struct target *own = store;
    pleach_map_stats map = {0};
    pleach_hash_stats hash = {0};
    if (own->map != NULL) return pleach_map_get_stats(own->map, &map) == PLEACH_OK ? map.node_bytes : 0;
    return pleach_hash_get_stats(own->hash, &hash) == PLEACH_OK ? hash.slab_bytes : 0;
}

const struct rival ycsb_map = {
    .name = "map", .kind = RIVAL_OWN, .concurrent = true,
    .create = map_create, .destroy = own_destroy, .get = own_get, .put = own_put, .insert = own_insert,
    .scan = map_scan, .count = own_count, .bytes = own_bytes,
};

const struct rival ycsb_skiplist = {
    .name = "skiplist", .kind = RIVAL_OWN, .concurrent = true,
    .create = skiplist_create, .destroy = own_destroy, .get = own_get, .put = own_put, .insert = own_insert,
    .scan = map_scan, .count = own_count, .bytes = own_bytes,
};

const struct rival ycsb_hash = {
    .name = "hash", .kind = RIVAL_OWN, .concurrent = true,
    .create = hash_create, .destroy = own_destroy, .get = own_get, .put = own_put, .insert = own_insert,
    .count = own_count, .bytes = own_bytes,
};
