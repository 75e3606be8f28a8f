/* bench_mixed_threads.c - the operations of bench_mixed.h by single calls, from all threads of the crew at once. */
#include <stdatomic.h>

#include <pleach/batch.h>

#include "bench_mixed_map.h"

struct calls {
    pleach_map *map;
    unsigned bits;
    const struct mixed_work *work;
    const struct mixed_list *list;
    atomic_int status; /* of the first call that failed */
};

static void note(struct calls *calls, pleach_status status)
{
    int good = PLEACH_OK;
    if (status != PLEACH_OK) atomic_compare_exchange_strong(&calls->status, &good, (int)status);
}

static const void *key_at(const struct calls *calls, const void *words, size_t i)
{
    return (const char *)words + i * word_bytes(calls->bits);
}

static uint8_t put(struct calls *calls, uint64_t key, uint64_t value)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    note(calls, pleach_map_put_one(calls->map, key, value, &outcome, NULL));
    return (uint8_t)outcome;
}

static uint8_t erase(struct calls *calls, uint64_t key)
{
    pleach_outcome outcome = PLEACH_NOT_APPLIED;
    note(calls, pleach_map_erase_one(calls->map, key, &outcome, NULL));
    return (uint8_t)outcome;
}

static uint32_t find(struct calls *calls, uint64_t key, void *out_values, size_t at)
{
    int found = 0;
    uint64_t value = 0;
    note(calls, pleach_map_find_one(calls->map, key, &found, &value));
    if (found) bench_set_word(out_values, calls->bits, at, value);
    return found ? 1 : 0;
}

static uint32_t succ(struct calls *calls, uint64_t key, const struct mixed_list *w, size_t at)
{
    int found = 0;
    uint64_t above = 0, value = 0;
    note(calls, pleach_map_succ_one(calls->map, key, &found, &above, &value));
    if (!found) return 0;
    bench_set_word(w->out_keys, calls->bits, at, above);
    bench_set_word(w->out_values, calls->bits, at, value);
    return 1;
}

/* An array call of one query runs on the calling thread; a map with versions takes a snapshot for it. */
static uint32_t range(struct calls *calls, const void *lo, const void *hi, uint32_t limit, void *out_keys,
                      void *out_values)
{
    uint32_t count = 0;
    note(calls, pleach_map_range_limit(calls->map, 1, lo, hi, limit, out_keys, out_values, &count, PLEACH_SYNC));
    return count;
}

/* ---- updates of a kind beside queries of a kind ---- */

static void update_one(struct calls *calls, size_t i)
{
    const struct mixed_work *w = calls->work;
    const uint64_t key = bench_word(w->update_keys, calls->bits, i);
    w->outcomes[i] = w->erases ? erase(calls, key) : put(calls, key, bench_word(w->update_values, calls->bits, i));
}

static void query_one(struct calls *calls, size_t i)
{
    const struct mixed_work *w = calls->work;
    const size_t at = i * w->limit * word_bytes(calls->bits);
    w->counts[i] = w->hi == NULL ? find(calls, bench_word(w->lo, calls->bits, i), w->out_values, i)
                                 : range(calls, key_at(calls, w->lo, i), key_at(calls, w->hi, i), w->limit,
                                         (char *)w->out_keys + at, (char *)w->out_values + at);
}

static void work_slice(void *context, size_t begin, size_t end)
{
    struct calls *calls = context;
    const struct mixed_work *w = calls->work;
    uint64_t index;
    for (size_t i = begin; i < end; i++) {
        if (mixed_is_update(i, w->updates, w->updates + w->queries, &index))
            update_one(calls, index);
        else
            query_one(calls, index);
    }
}

/* ---- a list ---- */

static void list_query(struct calls *calls, size_t i)
{
    const struct mixed_list *w = calls->list;
    const uint64_t key = bench_word(w->keys, calls->bits, i);
    const size_t at = i * w->limit, bytes = at * word_bytes(calls->bits);
    if (w->kinds[i] == PLEACH_OP_FIND)
        w->counts[i] = find(calls, key, w->out_values, at);
    else if (w->kinds[i] == PLEACH_OP_SUCC)
        w->counts[i] = succ(calls, key, w, at);
    else
        w->counts[i] = range(calls, key_at(calls, w->keys, i), key_at(calls, w->values, i), w->limit,
                             (char *)w->out_keys + bytes, (char *)w->out_values + bytes);
}

static void list_slice(void *context, size_t begin, size_t end)
{
    struct calls *calls = context;
    const struct mixed_list *w = calls->list;
    for (size_t i = begin; i < end; i++) {
        const uint64_t key = bench_word(w->keys, calls->bits, i);
        if (w->kinds[i] == PLEACH_OP_PUT)
            w->outcomes[i] = put(calls, key, bench_word(w->values, calls->bits, i));
        else if (w->kinds[i] == PLEACH_OP_ERASE)
            w->outcomes[i] = erase(calls, key);
        else
            list_query(calls, i);
    }
}

pleach_status mixed_run_threads(const struct mixed_map *map, const struct mixed_work *work,
                                const struct mixed_list *list)
{
    struct bench *bench = map->bench;
    struct calls calls = {.map = bench->map, .bits = bench->bits, .work = work, .list = list, .status = PLEACH_OK};
    if (work != NULL)
        crew_share(bench->crew, work->updates + work->queries, work_slice, &calls);
    else
        crew_share(bench->crew, list->n, list_slice, &calls);
    return (pleach_status)atomic_load(&calls.status);
}
