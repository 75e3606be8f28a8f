#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "wide.h"

number random_number(rng *r)
{
    number high = rng_next(r);
    return NUMBER(high, rng_next(r));
}

static number key_of(universe which, size_t n, rng *r)
{
    static const number edges[] = {0, (number)1 << 31, (number)1 << 32, (number)1 << 63, (number)1 << 64,
                                   (number)1 << 96, (number)1 << 127, NUMBER_MAX};
    const uint64_t fixed = 0x123456789abcdef0u;
    switch (which) {
    case ONLY_LOW_DIFFERS: return NUMBER(fixed, rng_next(r));
    case ONLY_HIGH_DIFFERS: return NUMBER(rng_next(r), fixed);
    case ROUND_THE_EDGES: /* modulo 2^128 */
        return edges[rng_below(r, 8)] + (number)rng_below(r, n / 4 + 1) - n / 8;
    case SMALL_HALVES: return NUMBER(rng_below(r, 1 + n / 64), rng_below(r, 128));
    default: return random_number(r);
    }
}

static int compare(const void *a, const void *b)
{
    number left, right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

model *model_create(universe which, size_t n, rng *r)
{
    model *m = must_alloc(1, sizeof *m);
    m->keys = must_alloc(n + 2, sizeof *m->keys);
    for (size_t i = 0; i < n; i++) m->keys[i] = key_of(which, n, r);
    m->keys[n] = 0;
    m->keys[n + 1] = NUMBER_MAX;
    qsort(m->keys, n + 2, sizeof *m->keys, compare);
    m->rows = m->size = 0;
    for (size_t i = 0; i < n + 2; i++)
        if (i == 0 || m->keys[i] != m->keys[m->rows - 1]) m->keys[m->rows++] = m->keys[i];
    m->values = must_alloc(m->rows, sizeof *m->values);
    m->present = must_alloc(m->rows, 1);
    memset(m->present, 0, m->rows);
    return m;
}

void model_destroy(model *m)
{
    free(m->keys);
    free(m->values);
    free(m->present);
    free(m);
}

/* The first row with this key or a larger one. */
static size_t row_from(const model *m, number key)
{
    size_t low = 0, high = m->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_there(const model *m, size_t row, number key)
{
    return row < m->rows && m->keys[row] == key && m->present[row];
}

pleach_outcome model_update(model *m, pleach_operation kind, number key, number value, number *old)
{
    size_t row = row_from(m, key);
    bool there = is_there(m, row, key);
    if (kind == PLEACH_OP_ERASE && !there) return PLEACH_ABSENT;
    if (there) *old = m->values[row];
    if (kind == PLEACH_OP_ADD && there) return PLEACH_EXISTS;
    m->present[row] = kind != PLEACH_OP_ERASE;
    m->values[row] = value;
    m->size += (size_t)m->present[row] - there;
    return kind == PLEACH_OP_ERASE ? PLEACH_ERASED : there ? PLEACH_REPLACED : PLEACH_INSERTED;
}

bool model_find(const model *m, number key, number *value)
{
    size_t row = row_from(m, key);
    if (!is_there(m, row, key)) return false;
    *value = m->values[row];
    return true;
}

bool model_succ(const model *m, number key, number *out_key, number *out_value)
{
    for (size_t row = row_from(m, key); row < m->rows; row++) {
        if (!m->present[row] || m->keys[row] == key) continue;
        *out_key = m->keys[row];
        *out_value = m->values[row];
        return true;
    }
    return false;
}

bool model_pred(const model *m, number key, number *out_key, number *out_value)
{
    for (size_t row = row_from(m, key); row-- > 0;) {
        if (!m->present[row]) continue;
        *out_key = m->keys[row];
        *out_value = m->values[row];
        return true;
    }
    return false;
}

size_t model_range(const model *m, number lo, number hi, size_t limit, number *out_keys, number *out_values)
{
    size_t found = 0;
    for (size_t row = row_from(m, lo); row < m->rows && m->keys[row] <= hi && (!limit || found < limit); row++) {
        if (!m->present[row]) continue;
        if (out_keys) out_keys[found] = m->keys[row];
        if (out_values) out_values[found] = m->values[row];
        found++;
    }
    return found;
}

pleach_map *model_map_open(const setting *where, uint64_t max_bytes)
{
    const char *versioned = getenv("PLEACH_TEST_VERSIONED");
    pleach_map_config config = {.key_bits = where->key_bits, .threads = where->threads, .max_bytes = max_bytes,
                                .versioned = versioned && versioned[0] == '1'};
    pleach_map *map = NULL;
    assert_ok(pleach_map_create(&map, &config));
    assert_int_equal(pleach_map_key_bits(map), 128);
    return map;
}

void model_map_close(pleach_map *map)
{
    assert_valid_map(map);
    pleach_map_destroy(map);
}
