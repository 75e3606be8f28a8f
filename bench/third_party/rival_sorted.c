/* rival_sorted.c - the baseline that all ordered structures have to beat: two sorted arrays, keys and values. A find is
 * a binary search without branches; inserts come many at a time, are sorted by radix, and merged into new arrays. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "rival.h"
#include "tools/common/radix_sort.h"

struct sorted {
    size_t n;
    uint64_t *keys;
    _Atomic uint64_t *values; /* so that a get may meet a put */
};

static void *sorted_create(const struct rival_needs *needs)
{
    (void)needs;
    return calloc(1, sizeof(struct sorted));
}

static void sorted_destroy(void *store)
{
    struct sorted *s = store;
    free(s->keys);
    free((void *)s->values);
    free(s);
}

/* How many keys are below. */
static size_t lower_bound(const struct sorted *s, uint64_t key)
{
    const uint64_t *base = s->keys;
    size_t n = s->n;
    if (n == 0) return 0;
    while (n > 1) {
        const size_t half = n / 2;
        base = base[half - 1] < key ? base + half : base;
        n -= half;
    }
    return (size_t)(base - s->keys) + (*base < key);
}

static bool sorted_get(void *store, unsigned thread, uint64_t key, uint64_t *value)
{
    const struct sorted *s = store;
    const size_t at = lower_bound(s, key);
    (void)thread;
    if (at == s->n || s->keys[at] != key) return false;
    *value = atomic_load_explicit(&s->values[at], memory_order_relaxed);
    return true;
}

static bool sorted_put(void *store, unsigned thread, uint64_t key, uint64_t value)
{
    struct sorted *s = store;
    const size_t at = lower_bound(s, key);
    (void)thread;
    if (at == s->n || s->keys[at] != key) return false; /* new keys come by insert_many */
    atomic_store_explicit(&s->values[at], value, memory_order_relaxed);
    return true;
}

static size_t sorted_scan(void *store, unsigned thread, uint64_t from, size_t n, uint64_t *keys, uint64_t *values)
{
    const struct sorted *s = store;
    const size_t at = lower_bound(s, from), left = s->n - at, count = n < left ? n : left;
    (void)thread;
    memcpy(keys, s->keys + at, count * sizeof *keys);
    for (size_t i = 0; i < count; i++) values[i] = atomic_load_explicit(&s->values[at + i], memory_order_relaxed);
    return count;
}

/* ---- many inserts ---- */

/* The pairs of a store and n others, both in the order of their keys. */
static void merge(struct sorted *to, const struct sorted *from, const uint64_t *keys, const uint64_t *values, size_t n)
{
    size_t a = 0, b = 0, at = 0;
    for (; a < from->n || b < n; at++) {
        const bool old = b == n || (a < from->n && from->keys[a] < keys[b]);
        to->keys[at] = old ? from->keys[a] : keys[b];
        atomic_init(&to->values[at], old ? atomic_load_explicit(&from->values[a], memory_order_relaxed) : values[b]);
        a += old;
        b += !old;
    }
    to->n = at;
}

static bool sorted_insert_many(void *store, size_t n, const uint64_t *keys, const uint64_t *values)
{
    struct sorted *s = store, merged = {0};
    uint64_t *const pairs = malloc(4 * n * sizeof *pairs); /* keys, values, and the same as scratch */
    merged.keys = malloc((s->n + n) * sizeof *merged.keys);
    merged.values = malloc((s->n + n) * sizeof *merged.values);
    const bool room = pairs != NULL && merged.keys != NULL && merged.values != NULL;
    if (room) {
        radix_sort(&(struct radix_sort){.bits = 64, .n = n, .words = keys, .values = values, .sorted = pairs,
                                        .sorted_values = pairs + n, .spare = pairs + 2 * n,
                                        .spare_values = pairs + 3 * n});
        merge(&merged, s, pairs, pairs + n, n);
    }
    free(pairs);
    free(room ? s->keys : merged.keys);
    free(room ? (void *)s->values : (void *)merged.values);
    if (room) *s = merged;
    return room;
}

static uint64_t sorted_count(void *store) { return ((const struct sorted *)store)->n; }

static uint64_t sorted_bytes(void *store) { return sorted_count(store) * 2 * sizeof(uint64_t); }

const struct rival rival_sorted = {
    .name = "sorted", .kind = RIVAL_BASELINE, .concurrent = true, .create = sorted_create,
    .destroy = sorted_destroy, .load = sorted_insert_many, .get = sorted_get, .put = sorted_put,
    .insert_many = sorted_insert_many, .scan = sorted_scan, .count = sorted_count, .bytes = sorted_bytes,
};
