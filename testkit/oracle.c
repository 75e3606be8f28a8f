#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* memrchr */
#endif
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

#include "buffers.h"

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t drop_repetitions(size_t n, uint64_t *sorted)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || sorted[kept - 1] != sorted[i])
            sorted[kept++] = sorted[i];
    return kept;
}

oracle *oracle_create(size_t n, const uint64_t *keys)
{
    oracle *o = must_alloc(1, sizeof *o);
    o->keys = must_alloc(n, sizeof *o->keys);
    if (n) {
        memcpy(o->keys, keys, n * sizeof *keys);
        qsort(o->keys, n, sizeof *keys, compare_keys);
    }
    o->rows = drop_repetitions(n, o->keys);
    o->values = must_alloc(n, sizeof *o->values);
    o->present = must_alloc(n, sizeof *o->present);
    return o;
}

void oracle_destroy(oracle *o)
{
    if (!o)
        return;
    free(o->keys);
    free(o->values);
    free(o->present);
    free(o);
}

/* The first row whose key is not below `key`; o->rows if there is none. */
static size_t row_at_or_above(const oracle *o, uint64_t key)
{
    size_t low = 0, high = o->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (o->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool row_is(const oracle *o, size_t row, uint64_t key)
{
    return row < o->rows && o->keys[row] == key;
}

static size_t row_of(const oracle *o, uint64_t key)
{
    size_t row = row_at_or_above(o, key);
    if (!row_is(o, row, key))
        abort(); /* the test put a key that it had not announced */
    return row;
}

static bool answer(const oracle *o, size_t row, uint64_t *out_key, uint64_t *out_value)
{
    if (out_key)
        *out_key = o->keys[row];
    if (out_value)
        *out_value = o->values[row];
    return true;
}

pleach_outcome oracle_put(oracle *o, uint64_t key, uint64_t value, uint64_t *old)
{
    size_t row = row_of(o, key);
    bool was_present = o->present[row];
    if (was_present)
        *old = o->values[row];
    o->values[row] = value;
    o->present[row] = 1;
    o->size += !was_present;
    return was_present ? PLEACH_REPLACED : PLEACH_INSERTED;
}

pleach_outcome oracle_add(oracle *o, uint64_t key, uint64_t value, uint64_t *old)
{
    size_t row = row_of(o, key);
    if (!o->present[row])
        return oracle_put(o, key, value, old);
    *old = o->values[row];
    return PLEACH_EXISTS;
}

pleach_outcome oracle_erase(oracle *o, uint64_t key, uint64_t *old)
{
    size_t row = row_at_or_above(o, key);
    if (!row_is(o, row, key) || !o->present[row])
        return PLEACH_ABSENT;
    *old = o->values[row];
    o->present[row] = 0;
    o->size--;
    return PLEACH_ERASED;
}

void oracle_clear(oracle *o)
{
    for (size_t row = 0; row < o->rows; row++)
        o->present[row] = 0;
    o->size = 0;
}

bool oracle_find(const oracle *o, uint64_t key, uint64_t *value)
{
    size_t row = row_at_or_above(o, key);
    if (!row_is(o, row, key) || !o->present[row])
        return false;
    return answer(o, row, NULL, value);
}

/* The first present row from `row` on. */
static bool first_from(const oracle *o, size_t row, uint64_t *out_key, uint64_t *out_value)
{
    const uint8_t *first = memchr(o->present + row, 1, o->rows - row);
    return first && answer(o, (size_t)(first - o->present), out_key, out_value);
}

/* The last present row before `row`. */
static bool last_before(const oracle *o, size_t row, uint64_t *out_key, uint64_t *out_value)
{
    const uint8_t *last = memrchr(o->present, 1, row);
    return last && answer(o, (size_t)(last - o->present), out_key, out_value);
}

bool oracle_succ(const oracle *o, uint64_t key, uint64_t *out_key, uint64_t *out_value)
{
    size_t row = row_at_or_above(o, key);
    return first_from(o, row_is(o, row, key) ? row + 1 : row, out_key, out_value);
}

bool oracle_pred(const oracle *o, uint64_t key, uint64_t *out_key, uint64_t *out_value)
{
    return last_before(o, row_at_or_above(o, key), out_key, out_value);
}

bool oracle_min(const oracle *o, uint64_t *out_key, uint64_t *out_value)
{
    return first_from(o, 0, out_key, out_value);
}

bool oracle_max(const oracle *o, uint64_t *out_key, uint64_t *out_value)
{
    return last_before(o, o->rows, out_key, out_value);
}

size_t oracle_range(const oracle *o, uint64_t lo, uint64_t hi, size_t limit, uint64_t *out_keys,
                    uint64_t *out_values)
{
    size_t found = 0;
    for (size_t row = row_at_or_above(o, lo); row < o->rows && o->keys[row] <= hi; row++) {
        if (!o->present[row])
            continue;
        answer(o, row, out_keys ? &out_keys[found] : NULL, out_values ? &out_values[found] : NULL);
        if (++found == limit)
            break;
    }
    return found;
}

void oracle_answer(oracle *o, pleach_operation operation, uint64_t key, uint64_t value, pleach_answer *a)
{
    switch (operation) {
    case PLEACH_OP_PUT: a->flag = (uint8_t)oracle_put(o, key, value, &a->value); break;
    case PLEACH_OP_ADD: a->flag = (uint8_t)oracle_add(o, key, value, &a->value); break;
    case PLEACH_OP_ERASE: a->flag = (uint8_t)oracle_erase(o, key, &a->value); break;
    case PLEACH_OP_FIND: a->flag = oracle_find(o, key, &a->value); break;
    case PLEACH_OP_CONTAINS: a->flag = oracle_find(o, key, NULL); break;
    case PLEACH_OP_SUCC: a->flag = oracle_succ(o, key, &a->key, &a->value); break;
    case PLEACH_OP_PRED: a->flag = oracle_pred(o, key, &a->key, &a->value); break;
    case PLEACH_OP_COUNT: a->count = oracle_range(o, key, value, 0, NULL, NULL); break;
    case PLEACH_OP_RANGE: abort(); /* it gives pairs */
    }
}

bool same_answer(const pleach_answer *a, const pleach_answer *b)
{
    return a->status == b->status && a->flag == b->flag && a->key == b->key && a->value == b->value &&
           a->count == b->count;
}
