/* map_queries.c - every way of asking; results that are not to be written must stay as they were. */
#include <stdlib.h>

#include "../../tools/common/words.h"
#include "map_subject.h"

static void check_word(const subject *s, const void *words, size_t i, const uint64_t *expected, const char *what)
{
    if (!words) return;
    uint64_t got = get_word(s, words, i), wanted = expected ? *expected : untouched_word(s);
    CHECK(got == wanted, "%s[%zu] is %llu instead of %llu", what, i, (unsigned long long)got,
          (unsigned long long)wanted);
}

static void check_flag(const uint8_t *flags, size_t i, bool expected, const char *what)
{
    if (flags) CHECK(flags[i] == expected, "%s: found[%zu] is %u", what, i, flags[i]);
}

void query_find(subject *s)
{
    unsigned form = take_byte(&s->in);
    key_array a = take_keys(s, 512);
    void *values = maybe_words(s, a.n, !(form & 1));
    uint8_t *found = maybe_bytes(a.n, !(form & 2));
    succeeded(s, ASK(s, find, a.n, a.words, values, found, PLEACH_SYNC), "find");
    for (size_t i = 0; i < a.n; i++) {
        const model_pair *pair = model_find(&s->model, a.keys[i]);
        check_flag(found, i, pair != NULL, "find");
        check_word(s, values, i, pair ? &pair->value : NULL, "find: values");
    }
    free(values);
    free(found);
    free_keys(&a);
}

void query_contains(subject *s)
{
    key_array a = take_keys(s, 512);
    uint8_t *found = new_bytes(a.n);
    succeeded(s, pleach_map_contains(s->map, a.n, a.words, found, PLEACH_SYNC), "contains");
    for (size_t i = 0; i < a.n; i++) check_flag(found, i, model_find(&s->model, a.keys[i]) != NULL, "contains");
    free(found);
    free_keys(&a);
}

void query_neighbours(subject *s)
{
    unsigned form = take_byte(&s->in);
    key_array a = take_keys(s, 512);
    void *keys = maybe_words(s, a.n, !(form & 1)), *values = maybe_words(s, a.n, !(form & 2));
    uint8_t *found = maybe_bytes(a.n, !(form & 4));
    bool above = form & 8;
    succeeded(s, above ? ASK(s, succ, a.n, a.words, keys, values, found, PLEACH_SYNC)
                       : ASK(s, pred, a.n, a.words, keys, values, found, PLEACH_SYNC),
              "succ or pred");
    for (size_t i = 0; i < a.n; i++) {
        const model_pair *pair = above ? model_above(&s->model, a.keys[i]) : model_below(&s->model, a.keys[i]);
        check_flag(found, i, pair != NULL, "succ or pred");
        check_word(s, keys, i, pair ? &pair->key : NULL, "succ or pred: keys");
        check_word(s, values, i, pair ? &pair->value : NULL, "succ or pred: values");
    }
    free(keys);
    free(values);
    free(found);
    free_keys(&a);
}

/* ---- single calls ---- */

typedef enum single_query { ONE_FIND, ONE_CONTAINS, ONE_SUCC, ONE_PRED, ONE_MIN, ONE_MAX, SINGLE_QUERIES } single_query;

static const model_pair *expect_one(const subject *s, single_query which, uint64_t key)
{
    const model *m = &s->model;
    switch (which) {
    case ONE_SUCC: return model_above(m, key);
    case ONE_PRED: return model_below(m, key);
    case ONE_MIN: return m->n ? &m->pairs[0] : NULL;
    case ONE_MAX: return m->n ? &m->pairs[m->n - 1] : NULL;
    default: return model_find(m, key);
    }
}

static pleach_status ask_one(const subject *s, single_query which, uint64_t key, int *found, uint64_t *out_key,
                             uint64_t *out_value)
{
    switch (which) {
    case ONE_SUCC: return pleach_map_succ_one(s->map, key, found, out_key, out_value);
    case ONE_PRED: return pleach_map_pred_one(s->map, key, found, out_key, out_value);
    case ONE_MIN: return pleach_map_min(s->map, found, out_key, out_value);
    case ONE_MAX: return pleach_map_max(s->map, found, out_key, out_value);
    case ONE_CONTAINS: return pleach_map_contains_one(s->map, key, found);
    default: return pleach_map_find_one(s->map, key, found, out_value);
    }
}

void query_one(subject *s)
{
    unsigned form = take_byte(&s->in);
    single_query which = (single_query)(form / 8 % SINGLE_QUERIES);
    uint64_t key = which < ONE_MIN ? take_key(s) : 0, out_key = 77, out_value = 77;
    int found = -1;
    const model_pair *pair = expect_one(s, which, key);
    succeeded(s, ask_one(s, which, key, form & 1 ? NULL : &found, form & 2 ? NULL : &out_key,
                         form & 4 ? NULL : &out_value),
              "a single query");
    bool gives_key = which >= ONE_SUCC && !(form & 2), gives_value = which != ONE_CONTAINS && !(form & 4);
    if (!(form & 1)) CHECK(found == (pair != NULL), "found is %d", found);
    CHECK(out_key == (pair && gives_key ? pair->key : 77), "the key of a single query");
    CHECK(out_value == (pair && gives_value ? pair->value : 77), "the value of a single query");
}

/* ---- ranges ---- */

typedef struct intervals {
    key_array lo;
    uint64_t *hi;
    void *hi_words;
} intervals;

/* From each low end a distance up, which may be backwards, or to the end of the key space. */
static intervals take_intervals(subject *s, size_t most)
{
    intervals v = {.lo = take_keys(s, most)};
    v.hi = fuzz_alloc(v.lo.n * sizeof *v.hi);
    v.hi_words = new_words(s, v.lo.n);
    for (size_t i = 0; i < v.lo.n; i++) {
        unsigned distance = take_byte(&s->in);
        v.hi[i] = distance > 250 ? s->top : distance > 240 ? take_key(s) : (v.lo.keys[i] + distance) & s->top;
        word_set(v.hi_words, s->key_bits, i, v.hi[i]);
    }
    return v;
}

static void free_intervals(intervals *v)
{
    free(v->hi);
    free(v->hi_words);
    free_keys(&v->lo);
}

static size_t expect_range(const subject *s, const intervals *v, size_t i, uint64_t limit, size_t *first)
{
    return model_range(&s->model, v->lo.keys[i], v->hi[i], limit, first);
}

/* The pairs of one interval, at `place` of the outputs. */
static void check_pairs(const subject *s, const void *keys, const void *values, size_t place, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_word(s, keys, place + i, &s->model.pairs[first + i].key, "range: keys");
        check_word(s, values, place + i, &s->model.pairs[first + i].value, "range: values");
    }
}

void query_range_count(subject *s)
{
    intervals v = take_intervals(s, 300);
    uint64_t *counts = (uint64_t *)(void *)new_bytes(v.lo.n * sizeof *counts);
    succeeded(s, ASK(s, range_count, v.lo.n, v.lo.words, v.hi_words, counts, PLEACH_SYNC), "range_count");
    for (size_t i = 0; i < v.lo.n; i++) {
        size_t first;
        CHECK(counts[i] == expect_range(s, &v, i, 0, &first), "counts[%zu] is %llu", i, (unsigned long long)counts[i]);
    }
    free(counts);
    free_intervals(&v);
}

void query_range_limit(subject *s)
{
    unsigned form = take_byte(&s->in);
    uint32_t limit = 1 + form / 8;
    intervals v = take_intervals(s, 300);
    void *keys = maybe_words(s, v.lo.n * limit, !(form & 1)), *values = maybe_words(s, v.lo.n * limit, !(form & 2));
    uint32_t *counts = (uint32_t *)(void *)maybe_bytes(v.lo.n * sizeof *counts, !(form & 4));
    succeeded(s, ASK(s, range_limit, v.lo.n, v.lo.words, v.hi_words, limit, keys, values, counts, PLEACH_SYNC),
              "range_limit");
    for (size_t i = 0; i < v.lo.n; i++) {
        size_t first, n = expect_range(s, &v, i, limit, &first);
        if (counts) CHECK(counts[i] == n, "counts[%zu] is %u instead of %zu", i, (unsigned)counts[i], n);
        check_pairs(s, keys, values, i * limit, first, n);
        for (size_t unused = n; unused < limit; unused++) check_word(s, keys, i * limit + unused, NULL, "range: rest");
    }
    free(keys);
    free(values);
    free(counts);
    free_intervals(&v);
}

static void check_packed(const subject *s, const intervals *v, uint32_t limit, const void *keys, const void *values,
                         const uint64_t *offsets)
{
    for (size_t i = 0; i < v->lo.n; i++) {
        size_t first, n = expect_range(s, v, i, limit, &first);
        CHECK(offsets[i + 1] - offsets[i] == n, "interval %zu: %llu pairs instead of %zu", i,
              (unsigned long long)(offsets[i + 1] - offsets[i]), n);
        check_pairs(s, keys, values, (size_t)offsets[i], first, n);
    }
}

void query_range(subject *s)
{
    unsigned form = take_byte(&s->in);
    uint32_t limit = form / 16;
    intervals v = take_intervals(s, 40);
    size_t total = 0, expected = 0, first;
    for (size_t i = 0; i < v.lo.n; i++) expected += expect_range(s, &v, i, limit, &first);
    size_t room = form & 4 ? expected / 2 : expected + (form & 8);
    bool with_keys = !(form & 1), with_values = !(form & 2), small = room < expected && (with_keys || with_values);
    void *keys = maybe_words(s, room, with_keys), *values = maybe_words(s, room, with_values);
    uint64_t *offsets = fuzz_alloc((v.lo.n + 1) * sizeof *offsets);
    pleach_status status = ASK(s, range, v.lo.n, v.lo.words, v.hi_words, limit, room, keys, values, offsets, &total);
    if (small && status == PLEACH_E_SPACE) {
        check_packed(s, &v, limit, NULL, NULL, offsets);
    } else if (succeeded(s, status, "range")) {
        CHECK(!small, "%zu pairs do not fit where %zu have room", expected, room);
        check_packed(s, &v, limit, keys, values, offsets);
    }
    if (status != PLEACH_E_MEMORY) CHECK(total == expected && offsets[0] == 0, "total %zu, not %zu", total, expected);
    free(keys);
    free(values);
    free(offsets);
    free_intervals(&v);
}
