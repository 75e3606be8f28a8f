/* rival_judy.c - JudyL of Debian's libjudy-dev: a trie of 256-way nodes that are compressed by what they hold. */
#include <stdlib.h>

#include <Judy.h>

#include "rival.h"

struct judy {
    Pvoid_t array;
};

static void *judy_create(const struct rival_needs *needs)
{
    (void)needs;
    return calloc(1, sizeof(struct judy));
}

static void judy_destroy(void *store)
{
    struct judy *j = store;
    JudyLFreeArray(&j->array, PJE0);
    free(j);
}

static bool judy_get(void *store, unsigned thread, uint64_t key, uint64_t *value)
{
    const struct judy *j = store;
    const Word_t *at = (const Word_t *)JudyLGet(j->array, (Word_t)key, PJE0);
    (void)thread;
    if (at == NULL) return false;
    *value = *at;
    return true;
}

static bool judy_put(void *store, unsigned thread, uint64_t key, uint64_t value)
{
    struct judy *j = store;
    PPvoid_t at = JudyLIns(&j->array, (Word_t)key, PJE0);
    (void)thread;
    if (at == NULL || at == PPJERR) return false;
    *(Word_t *)at = (Word_t)value;
    return true;
}

static size_t judy_scan(void *store, unsigned thread, uint64_t from, size_t n, uint64_t *keys, uint64_t *values)
{
    const struct judy *j = store;
    Word_t key = (Word_t)from;
    size_t count = 0;
    (void)thread;
    for (PPvoid_t at = JudyLFirst(j->array, &key, PJE0); at != NULL && count < n; count++) {
        keys[count] = key;
        values[count] = *(const Word_t *)at;
        at = JudyLNext(j->array, &key, PJE0);
    }
    return count;
}

static uint64_t judy_count(void *store) { return JudyLCount(((struct judy *)store)->array, 0, ~(Word_t)0, PJE0); }

static uint64_t judy_bytes(void *store) { return JudyLMemUsed(((struct judy *)store)->array); }

const struct rival rival_judy = {
    .name = "judy", .kind = RIVAL_PEER, .create = judy_create, .destroy = judy_destroy, .get = judy_get,
    .put = judy_put, .insert = judy_put, .scan = judy_scan, .count = judy_count, .bytes = judy_bytes,
};
