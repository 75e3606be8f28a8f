#include "model.h"

#include <string.h>

#include "fuzz.h"

size_t model_rank(const model *m, uint64_t key)
{
    size_t begin = 0, end = m->n;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (m->pairs[middle].key < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

model_pair *model_find(const model *m, uint64_t key)
{
    size_t at = model_rank(m, key);
    return at < m->n && m->pairs[at].key == key ? &m->pairs[at] : NULL;
}

void model_set(model *m, uint64_t key, uint64_t value)
{
    size_t at = model_rank(m, key);
    if (at == m->n || m->pairs[at].key != key) {
        if (m->n == m->capacity) {
            m->capacity = 2 * m->capacity + 16;
            m->pairs = realloc(m->pairs, m->capacity * sizeof *m->pairs);
            CHECK(m->pairs != NULL, "no memory for %zu pairs", m->capacity);
        }
        memmove(m->pairs + at + 1, m->pairs + at, (m->n - at) * sizeof *m->pairs);
        m->n++;
    }
    m->pairs[at] = (model_pair){key, value};
}

void model_remove(model *m, uint64_t key)
{
    model_pair *pair = model_find(m, key);
    if (pair == NULL) return;
    m->n--;
    memmove(pair, pair + 1, (size_t)(m->pairs + m->n - pair) * sizeof *pair);
}

void model_clear(model *m) { m->n = 0; }

void model_free(model *m)
{
    free(m->pairs);
    *m = (model){0};
}

const model_pair *model_above(const model *m, uint64_t key)
{
    size_t at = model_rank(m, key);
    if (at < m->n && m->pairs[at].key == key) at++;
    return at < m->n ? &m->pairs[at] : NULL;
}

const model_pair *model_below(const model *m, uint64_t key)
{
    size_t at = model_rank(m, key);
    return at > 0 ? &m->pairs[at - 1] : NULL;
}

size_t model_range(const model *m, uint64_t lo, uint64_t hi, uint64_t limit, size_t *first)
{
    *first = model_rank(m, lo);
    size_t found = 0;
    while (*first + found < m->n && m->pairs[*first + found].key <= hi && (limit == 0 || found < limit)) found++;
    return found;
}
