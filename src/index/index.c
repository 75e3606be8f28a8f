/* index/index.c - a multi-value index: pairs (key, id) as the keys of a map. Composes the pairs, calls the map's public
 * functions, and splits what they return. The ids of a key are the interval from (key, 0) to (key, largest id). */
#include "../../include/pleach/index.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "../base/device_pointer.h"
#include "../base/key128.h"
#include "../base/memory.h"

static const size_t MOST_ELEMENTS = (size_t)1 << 31, MOST_OPERATIONS = (size_t)1 << 30;
enum { LEAST_ROOM = 1024, FIRST_IDS_A_KEY = 4 };

struct pleach_index {
    pleach_map *map;
    bool wide; /* 64-bit keys and ids */
    atomic_size_t ids_a_key; /* ids per key that recent retrievals found: sizes the first attempt of the next one */
};

/* ---- life ---- */

pleach_status pleach_index_create(pleach_index **out, const pleach_index_config *config)
{
    if (!out) return PLEACH_E_ARGUMENT;
    *out = NULL;
    pleach_index_config given = {0};
    if (config) given = *config;
    if (given.key_bits == 0) given.key_bits = 64;
    if (given.key_bits != 32 && given.key_bits != 64) return PLEACH_E_ARGUMENT;
    pleach_index *index = base_alloc(1, sizeof *index);
    if (!index) return PLEACH_E_MEMORY;
    pleach_map_config of_map = {.device = given.device,
                                .key_bits = 2 * given.key_bits,
                                .threads = given.threads,
                                .gpu = given.gpu,
                                .max_bytes = given.max_bytes,
                                .reserve_keys = given.reserve_pairs,
                                .versioned = given.versioned};
    index->wide = given.key_bits == 64;
    atomic_init(&index->ids_a_key, FIRST_IDS_A_KEY);
    pleach_status status = pleach_map_create(&index->map, &of_map);
    if (status == PLEACH_OK)
        *out = index;
    else
        base_free(index);
    return status;
}

void pleach_index_destroy(pleach_index *index)
{
    if (!index) return;
    pleach_map_destroy(index->map);
    base_free(index);
}

pleach_map *pleach_index_map(pleach_index *index) { return index ? index->map : NULL; }

/* ---- pairs ---- */

static size_t pair_bytes(const pleach_index *index) { return index->wide ? sizeof(key128) : sizeof(uint64_t); }

/* Allocates n zeroed keys, or values, of the map's width. */
static void *get_pairs(const pleach_index *index, size_t n) { return base_alloc(n, pair_bytes(index)); }

/* pairs[i] = (keys[i], ids[i]); if ids is NULL, every id is `otherwise`. */
static void compose(const pleach_index *index, size_t n, const void *keys, const void *ids, uint64_t otherwise,
                    void *pairs)
{
    const uint32_t *narrow_keys = keys, *narrow_ids = ids;
    const uint64_t *wide_keys = keys, *wide_ids = ids;
    uint64_t *narrow = pairs;
    key128 *wide = pairs;
    if (index->wide)
        for (size_t i = 0; i < n; i++) wide[i] = (key128)wide_keys[i] << 64 | (ids ? wide_ids[i] : otherwise);
    else
        for (size_t i = 0; i < n; i++)
            narrow[i] = (uint64_t)narrow_keys[i] << 32 | (ids ? narrow_ids[i] : (uint32_t)otherwise);
}

static void take_ids(const pleach_index *index, size_t n, const void *pairs, void *ids)
{
    const uint64_t *narrow = pairs;
    const key128 *wide = pairs;
    if (index->wide)
        for (size_t i = 0; i < n; i++) ((uint64_t *)ids)[i] = (uint64_t)wide[i];
    else
        for (size_t i = 0; i < n; i++) ((uint32_t *)ids)[i] = (uint32_t)narrow[i];
}

/* ---- arrays of pairs ---- */

typedef enum pair_call { CALL_INSERT, CALL_ERASE, CALL_CONTAINS } pair_call;

static pleach_status call_map(pleach_index *index, pair_call call, size_t n, const void *pairs, const void *zeros,
                              uint8_t *flags)
{
    if (call == CALL_INSERT) return pleach_map_add(index->map, n, pairs, zeros, flags, NULL, PLEACH_SYNC);
    if (call == CALL_ERASE) return pleach_map_erase(index->map, n, pairs, flags, NULL, PLEACH_SYNC);
    return pleach_map_contains(index->map, n, pairs, flags, PLEACH_SYNC);
}

static pleach_status run_pairs(pleach_index *index, pair_call call, size_t n, const void *keys, const void *ids,
                               uint8_t *flags)
{
    if (!index) return PLEACH_E_ARGUMENT;
    if (n == 0) return PLEACH_OK;
    if (!keys || !ids || (call == CALL_CONTAINS && !flags)) return PLEACH_E_ARGUMENT;
    if (n > MOST_ELEMENTS) return PLEACH_E_SIZE;
    if (any_device_pointer((const void *[]){keys, ids, flags}, 3)) return PLEACH_E_POINTER;
    void *pairs = get_pairs(index, n), *zeros = call == CALL_INSERT ? get_pairs(index, n) : NULL;
    pleach_status status = PLEACH_E_MEMORY;
    if (pairs && (zeros || call != CALL_INSERT)) {
        compose(index, n, keys, ids, 0, pairs);
        status = call_map(index, call, n, pairs, zeros, flags);
    }
    base_free(pairs);
    base_free(zeros);
    return status;
}

pleach_status pleach_index_insert(pleach_index *index, size_t n, const void *keys, const void *ids, uint8_t *outcomes)
{
    return run_pairs(index, CALL_INSERT, n, keys, ids, outcomes);
}

pleach_status pleach_index_erase(pleach_index *index, size_t n, const void *keys, const void *ids, uint8_t *outcomes)
{
    return run_pairs(index, CALL_ERASE, n, keys, ids, outcomes);
}

pleach_status pleach_index_contains(pleach_index *index, size_t n, const void *keys, const void *ids, uint8_t *found)
{
    return run_pairs(index, CALL_CONTAINS, n, keys, ids, found);
}

/* ---- arrays of keys ---- */

/* The intervals of n keys; the caller frees both arrays, also on failure. */
typedef struct intervals {
    void *lo, *hi;
} intervals;

static pleach_status make_intervals(const pleach_index *index, size_t n, const void *keys, intervals *of)
{
    of->lo = get_pairs(index, n);
    of->hi = get_pairs(index, n);
    if (!of->lo || !of->hi) return PLEACH_E_MEMORY;
    compose(index, n, keys, NULL, 0, of->lo);
    compose(index, n, keys, NULL, UINT64_MAX, of->hi);
    return PLEACH_OK;
}

static void free_intervals(intervals *of)
{
    base_free(of->lo);
    base_free(of->hi);
}

pleach_status pleach_index_count(pleach_index *index, size_t n, const void *keys, uint64_t *counts)
{
    if (!index) return PLEACH_E_ARGUMENT;
    if (n == 0) return PLEACH_OK;
    if (!keys || !counts) return PLEACH_E_ARGUMENT;
    if (n > MOST_ELEMENTS) return PLEACH_E_SIZE;
    if (any_device_pointer((const void *[]){keys, counts}, 2)) return PLEACH_E_POINTER;
    intervals of;
    pleach_status status = make_intervals(index, n, keys, &of);
    if (status == PLEACH_OK) status = pleach_map_range_count(index->map, n, of.lo, of.hi, counts, PLEACH_SYNC);
    free_intervals(&of);
    return status;
}

/* Returns the initial capacity in pairs for n retrievals. Too small costs a second attempt, too large costs memory. */
static size_t first_room(pleach_index *index, size_t n, size_t capacity)
{
    size_t a_key = atomic_load_explicit(&index->ids_a_key, memory_order_relaxed);
    if (n > 0 && a_key > (capacity - capacity / 8) / n) return capacity;
    size_t guess = a_key * n + a_key * n / 8 + LEAST_ROOM;
    return guess < capacity ? guess : capacity;
}

static void learn_room(pleach_index *index, size_t n, size_t total)
{
    if (n > 0) atomic_store_explicit(&index->ids_a_key, total / n + 1, memory_order_relaxed);
}

/* Returns the capacity for the next attempt after one that was too small: it suffices unless there are still more pairs
 * by then. Progress: the capacity at least doubles, up to the caller's. */
static size_t more_room(size_t room, size_t total, size_t capacity)
{
    size_t wanted = total < 2 * room ? 2 * room : total + total / 8;
    return wanted < capacity ? wanted : capacity;
}

static pleach_status retrieve(pleach_index *index, size_t n, const intervals *of, uint32_t limit, size_t capacity,
                              void *ids, uint64_t *offsets, size_t *total)
{
    if (!ids) return pleach_map_range(index->map, n, of->lo, of->hi, limit, 0, NULL, NULL, offsets, total);
    pleach_status status = PLEACH_E_SPACE;
    for (size_t room = first_room(index, n, capacity);; room = more_room(room, *total, capacity)) {
        void *pairs = get_pairs(index, room);
        if (!pairs) return PLEACH_E_MEMORY;
        status = pleach_map_range(index->map, n, of->lo, of->hi, limit, room, pairs, NULL, offsets, total);
        learn_room(index, n, *total);
        if (status == PLEACH_OK) take_ids(index, *total, pairs, ids);
        base_free(pairs);
        if (status != PLEACH_E_SPACE || *total > capacity) return status;
    }
}

pleach_status pleach_index_retrieve(pleach_index *index, size_t n, const void *keys, uint32_t limit, size_t capacity,
                                    void *ids, uint64_t *offsets, size_t *total)
{
    size_t found = 0;
    if (!index || (n > 0 && (!keys || !offsets))) return PLEACH_E_ARGUMENT;
    if (n > MOST_ELEMENTS) return PLEACH_E_SIZE;
    if (any_device_pointer((const void *[]){keys, ids, offsets}, 3)) return PLEACH_E_POINTER;
    intervals of;
    pleach_status status = make_intervals(index, n, keys, &of);
    if (status == PLEACH_OK) status = retrieve(index, n, &of, limit, capacity, ids, offsets, &found);
    free_intervals(&of);
    if (total) *total = found;
    return status;
}

/* ---- batches ---- */

/* The corresponding operations of the map. */
static const uint8_t of_map[] = {[PLEACH_INDEX_INSERT] = PLEACH_OP_ADD,
                                 [PLEACH_INDEX_ERASE] = PLEACH_OP_ERASE,
                                 [PLEACH_INDEX_CONTAINS] = PLEACH_OP_CONTAINS,
                                 [PLEACH_INDEX_COUNT] = PLEACH_OP_COUNT,
                                 [PLEACH_INDEX_RETRIEVE] = PLEACH_OP_RANGE};

static pleach_status check_batch(const pleach_index *index, const pleach_index_batch *b)
{
    if (!index || !b) return PLEACH_E_ARGUMENT;
    if (b->n == 0) return PLEACH_OK;
    if (!b->kinds || !b->keys) return PLEACH_E_ARGUMENT;
    if (b->n > MOST_OPERATIONS) return PLEACH_E_SIZE;
    const void *pointers[] = {b->kinds, b->keys, b->ids, b->flags, b->counts, b->out_ids, b->offsets};
    return any_device_pointer(pointers, sizeof pointers / sizeof *pointers) ? PLEACH_E_POINTER : PLEACH_OK;
}

/* The arrays that the map is passed. */
typedef struct scratch {
    uint8_t *kinds;
    void *keys;   /* (key, id), or the low end of an interval */
    void *values; /* 0, or the high end */
    size_t retrievals;
} scratch;

static void compose_operation(const pleach_index *index, const pleach_index_batch *b, size_t i, scratch *s)
{
    bool interval = b->kinds[i] >= PLEACH_INDEX_COUNT;
    if (index->wide) {
        key128 key = (key128)((const uint64_t *)b->keys)[i] << 64;
        ((key128 *)s->keys)[i] = interval ? key : key | ((const uint64_t *)b->ids)[i];
        if (interval) ((key128 *)s->values)[i] = key | UINT64_MAX;
    } else {
        uint64_t key = (uint64_t)((const uint32_t *)b->keys)[i] << 32;
        ((uint64_t *)s->keys)[i] = interval ? key : key | ((const uint32_t *)b->ids)[i];
        if (interval) ((uint64_t *)s->values)[i] = key | UINT32_MAX;
    }
}

static pleach_status compose_batch(const pleach_index *index, const pleach_index_batch *b, scratch *s)
{
    for (size_t i = 0; i < b->n; i++) {
        if (b->kinds[i] > PLEACH_INDEX_RETRIEVE) return PLEACH_E_ARGUMENT;
        if (b->kinds[i] < PLEACH_INDEX_COUNT && !b->ids) return PLEACH_E_ARGUMENT;
        s->kinds[i] = of_map[b->kinds[i]];
        s->retrievals += b->kinds[i] == PLEACH_INDEX_RETRIEVE;
        compose_operation(index, b, i, s);
    }
    return PLEACH_OK;
}

/* A batch with too small a capacity has changed nothing, and is retried. */
static pleach_status apply_composed(pleach_index *index, pleach_index_batch *b, const scratch *s)
{
    pleach_batch batch = {.n = b->n, .kinds = s->kinds, .keys = s->keys, .values = s->values, .flags = b->flags,
                          .counts = b->counts, .limit = b->limit, .offsets = b->offsets};
    bool wanted = b->out_ids && b->offsets && s->retrievals;
    size_t room = wanted ? first_room(index, s->retrievals, b->capacity) : 0;
    for (;; room = more_room(room, b->total, b->capacity)) {
        void *pairs = wanted ? get_pairs(index, room) : NULL;
        if (wanted && !pairs) return PLEACH_E_MEMORY;
        batch.range_keys = pairs;
        batch.capacity = room;
        pleach_status status = pleach_map_apply(index->map, &batch);
        b->total = batch.total;
        if (wanted && (status == PLEACH_OK || status == PLEACH_E_SPACE)) learn_room(index, s->retrievals, b->total);
        if (status == PLEACH_OK && wanted) take_ids(index, b->total, pairs, b->out_ids);
        base_free(pairs);
        if (status != PLEACH_E_SPACE || b->total > b->capacity) return status;
    }
}

pleach_status pleach_index_apply(pleach_index *index, pleach_index_batch *batch)
{
    pleach_status status = check_batch(index, batch);
    if (status != PLEACH_OK) return status;
    batch->total = 0;
    if (batch->n == 0) return PLEACH_OK;
    scratch s = {base_alloc(batch->n, 1), get_pairs(index, batch->n), get_pairs(index, batch->n), 0};
    status = s.kinds && s.keys && s.values ? compose_batch(index, batch, &s) : PLEACH_E_MEMORY;
    if (status == PLEACH_OK) status = apply_composed(index, batch, &s);
    base_free(s.kinds);
    base_free(s.keys);
    base_free(s.values);
    return status;
}

/* ---- the whole index ---- */

pleach_status pleach_index_size(pleach_index *index, uint64_t *size)
{
    return index ? pleach_map_size(index->map, size) : PLEACH_E_ARGUMENT;
}

pleach_status pleach_index_validate(pleach_index *index, char *message, size_t message_size)
{
    return pleach_map_validate(index ? index->map : NULL, message, message_size);
}
