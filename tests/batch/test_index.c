/* test_index.c - the multi-value index against an oracle: a table with a row for each key and a column for each id. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"

/* ---- the oracle ---- */

typedef struct table {
    size_t keys, ids;
    uint64_t *key, *id; /* ascending, each once; 0 and the largest are among them */
    uint8_t *present;
    size_t *count; /* by key */
    size_t size;
} table;

static int compare(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static size_t make_numbers(rng *r, size_t n, uint64_t top, bool dense, uint64_t **out)
{
    uint64_t *numbers = must_alloc(n + 2, sizeof *numbers);
    for (size_t i = 0; i < n; i++) numbers[i] = dense ? i + 1 : rng_next(r) & top;
    numbers[n] = 0;
    numbers[n + 1] = top;
    qsort(numbers, n + 2, sizeof *numbers, compare);
    size_t kept = 0;
    for (size_t i = 0; i < n + 2; i++)
        if (i == 0 || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
    *out = numbers;
    return kept;
}

static table table_create(rng *r, size_t keys, size_t ids, uint64_t top, bool dense)
{
    table t = {0};
    t.keys = make_numbers(r, keys, top, dense, &t.key);
    t.ids = make_numbers(r, ids, top, dense, &t.id);
    t.present = must_alloc(t.keys * t.ids, 1);
    t.count = must_alloc(t.keys, sizeof *t.count);
    return t;
}

static void table_destroy(table *t)
{
    free(t->key);
    free(t->id);
    free(t->present);
    free(t->count);
}

/* Answers what was there before. */
static bool table_set(table *t, size_t key, size_t id, bool to)
{
    uint8_t *cell = &t->present[key * t->ids + id];
    bool before = *cell;
    t->count[key] += (size_t)to - before;
    t->size += (size_t)to - before;
    *cell = to;
    return before;
}

static pleach_outcome table_insert(table *t, size_t key, size_t id)
{
    return table_set(t, key, id, true) ? PLEACH_EXISTS : PLEACH_INSERTED;
}

static pleach_outcome table_erase(table *t, size_t key, size_t id)
{
    return table_set(t, key, id, false) ? PLEACH_ERASED : PLEACH_ABSENT;
}

/* To the end of a list; answers how many. */
static size_t table_retrieve(const table *t, size_t key, uint32_t limit, uint64_t *ids)
{
    size_t found = 0;
    if (!ids) return limit && t->count[key] > limit ? limit : t->count[key];
    for (size_t id = 0; id < t->ids && found < t->count[key] && (!limit || found < limit); id++)
        if (t->present[key * t->ids + id]) ids[found++] = t->id[id];
    return found;
}

/* ---- an index, and arrays in its width ---- */

typedef struct subject {
    pleach_index *index;
    unsigned bits;
    uint64_t top;
} subject;

/* There is no 64-bit index on a GPU. */
static bool there_is_none(const setting *where)
{
    pleach_index_config config = {.device = where->device, .key_bits = where->key_bits};
    pleach_index *index;
    if (where->device != PLEACH_CUDA || where->key_bits == 32) return false;
    assert_int_equal(pleach_index_create(&index, &config), PLEACH_E_ARGUMENT);
    assert_null(index);
    return true;
}

static subject open_limited(const setting *where, uint64_t max_bytes)
{
    const char *versioned = getenv("PLEACH_TEST_VERSIONED");
    pleach_index_config config = {.device = where->device, .key_bits = where->key_bits, .threads = where->threads,
                                  .max_bytes = max_bytes, .versioned = versioned && versioned[0] == '1'};
    subject s = {NULL, where->key_bits, where->key_bits == 32 ? UINT32_MAX : UINT64_MAX};
    assert_ok(pleach_index_create(&s.index, &config));
    return s;
}

static subject open_index(const setting *where) { return open_limited(where, 0); }

static void assert_valid_index(const subject *s)
{
    char message[256] = "";
    if (pleach_index_validate(s->index, message, sizeof message) != PLEACH_OK) fail_msg("validate: %s", message);
}

static void close_index(subject *s)
{
    assert_valid_index(s);
    pleach_index_destroy(s->index);
}

static void *array_for(const subject *s, size_t n) { return must_alloc(n + 1, s->bits / 8); }

static void assert_ids(const subject *s, size_t n, const void *got, const uint64_t *expected)
{
    for (size_t i = 0; i < n; i++)
        if (get_word(s->bits, got, i) != expected[i])
            fail_msg("id %zu is %llx, expected %llx", i, (unsigned long long)get_word(s->bits, got, i),
                     (unsigned long long)expected[i]);
}

/* All keys with all their ids. */
static void assert_same_content(const subject *s, const table *t)
{
    FREED void *keys = array_for(s, t->keys), *ids = array_for(s, t->size);
    FREED uint64_t *expected = must_alloc(t->size + 1, sizeof *expected), *counts = must_alloc(t->keys, sizeof *counts);
    FREED uint64_t *offsets = must_alloc(t->keys + 1, sizeof *offsets);
    uint64_t size;
    size_t total = 0, at = 0;
    for (size_t i = 0; i < t->keys; i++) set_word(s->bits, keys, i, t->key[i]);
    assert_valid_index(s);
    assert_ok(pleach_index_size(s->index, &size));
    assert_int_equal(size, t->size);
    assert_ok(pleach_index_count(s->index, t->keys, keys, counts));
    assert_ok(pleach_index_retrieve(s->index, t->keys, keys, 0, t->size, ids, offsets, &total));
    assert_int_equal(total, t->size);
    for (size_t i = 0; i < t->keys; i++) {
        assert_int_equal(counts[i], t->count[i]);
        assert_int_equal(offsets[i], at);
        at += table_retrieve(t, i, 0, expected + at);
    }
    assert_int_equal(offsets[t->keys], at);
    assert_ids(s, at, ids, expected);
    count_checked(2 * t->keys);
}

/* ---- batches ---- */

typedef struct plan {
    size_t n;
    unsigned inserts, erases, queries; /* weights */
    bool hot;                          /* half of it on one key */
    uint32_t limit;
} plan;

typedef struct trial {
    plan plan;
    uint8_t *kinds;
    size_t *key, *id; /* in the table */
    void *keys, *ids;
} trial;

enum { MOST_RETRIEVALS = 64 }; /* of a batch; their ids may be many */

static uint8_t random_kind(rng *r, const plan *p, size_t *retrievals)
{
    uint64_t at = rng_below(r, p->inserts + p->erases + p->queries);
    if (at < p->inserts) return PLEACH_INDEX_INSERT;
    if (at < p->inserts + p->erases) return PLEACH_INDEX_ERASE;
    uint8_t kind = (uint8_t)(PLEACH_INDEX_CONTAINS + rng_below(r, 3));
    if (kind == PLEACH_INDEX_RETRIEVE && ++*retrievals > MOST_RETRIEVALS) return PLEACH_INDEX_COUNT;
    return kind;
}

static trial make_trial(const subject *s, const table *t, rng *r, const plan *p)
{
    trial made = {.plan = *p, .kinds = must_alloc(p->n, 1), .key = must_alloc(p->n, sizeof *made.key),
                  .id = must_alloc(p->n, sizeof *made.id), .keys = array_for(s, p->n), .ids = array_for(s, p->n)};
    size_t retrievals = 0;
    for (size_t i = 0; i < p->n; i++) {
        made.kinds[i] = random_kind(r, p, &retrievals);
        made.key[i] = p->hot && rng_percent(r, 50) ? t->keys / 2 : (size_t)rng_below(r, t->keys);
        made.id[i] = (size_t)rng_below(r, t->ids);
        set_word(s->bits, made.keys, i, t->key[made.key[i]]);
        set_word(s->bits, made.ids, i, t->id[made.id[i]]);
    }
    return made;
}

static void free_trial(trial *t)
{
    free(t->kinds);
    free(t->key);
    free(t->id);
    free(t->keys);
    free(t->ids);
}

/* The oracle's answers, packed as the index packs them. */
typedef struct answers {
    uint8_t *flags;
    uint64_t *counts, *offsets, *ids;
    size_t total;
} answers;

static answers make_answers(size_t n, size_t capacity)
{
    return (answers){untouched_bytes(n), untouched_words(n, UINT64_MAX), untouched_words(n + 1, UINT64_MAX),
                     must_alloc(capacity + 1, sizeof(uint64_t)), 0};
}

static void free_answers(answers *a)
{
    free(a->flags);
    free(a->counts);
    free(a->offsets);
    free(a->ids);
}

static void table_apply(table *t, const trial *b, answers *a)
{
    for (size_t i = 0; i < b->plan.n; i++) {
        size_t key = b->key[i], id = b->id[i];
        a->offsets[i] = a->total;
        switch (b->kinds[i]) {
        case PLEACH_INDEX_INSERT: a->flags[i] = (uint8_t)table_insert(t, key, id); break;
        case PLEACH_INDEX_ERASE: a->flags[i] = (uint8_t)table_erase(t, key, id); break;
        case PLEACH_INDEX_CONTAINS: a->flags[i] = t->present[key * t->ids + id]; break;
        case PLEACH_INDEX_COUNT: a->counts[i] = t->count[key]; break;
        default:
            a->counts[i] = table_retrieve(t, key, b->plan.limit, a->ids + a->total);
            a->total += a->counts[i];
            break;
        }
    }
    a->offsets[b->plan.n] = a->total;
}

static pleach_status index_apply(const subject *s, const trial *b, size_t capacity, answers *a, void *ids)
{
    pleach_index_batch batch = {.n = b->plan.n, .kinds = b->kinds, .keys = b->keys, .ids = b->ids, .flags = a->flags,
                                .counts = a->counts, .limit = b->plan.limit, .capacity = capacity, .out_ids = ids,
                                .offsets = a->offsets};
    pleach_status status = pleach_index_apply(s->index, &batch);
    a->total = batch.total;
    return status;
}

static size_t room_for(const table *t, const plan *p)
{
    size_t retrievals = p->n < MOST_RETRIEVALS ? p->n : MOST_RETRIEVALS;
    return retrievals * (p->limit && p->limit < t->ids ? p->limit : t->ids);
}

static void batch_both(const subject *s, table *t, rng *r, const plan *p, bool whole)
{
    size_t capacity = room_for(t, p);
    trial b = make_trial(s, t, r, p);
    answers got = make_answers(p->n, 0), expected = make_answers(p->n, capacity);
    FREED void *ids = array_for(s, capacity);
    table_apply(t, &b, &expected);
    assert_ok(index_apply(s, &b, capacity, &got, ids));
    assert_int_equal(got.total, expected.total);
    assert_memory_equal(got.flags, expected.flags, p->n);
    assert_memory_equal(got.counts, expected.counts, p->n * sizeof *got.counts);
    assert_memory_equal(got.offsets, expected.offsets, (p->n + 1) * sizeof *got.offsets);
    assert_ids(s, got.total, ids, expected.ids);
    if (whole) assert_same_content(s, t);
    count_checked(p->n);
    free_answers(&got);
    free_answers(&expected);
    free_trial(&b);
}

static plan random_plan(rng *r, size_t most, bool growing)
{
    plan p = {.n = 1 + (size_t)rng_below(r, most), .inserts = 2 + (unsigned)rng_below(r, 5),
              .erases = 2 + (unsigned)rng_below(r, 5), .queries = (unsigned)rng_below(r, 6),
              .hot = rng_percent(r, 30), .limit = rng_percent(r, 50) ? 0 : 1 + (uint32_t)rng_below(r, 40)};
    *(growing ? &p.inserts : &p.erases) += 15;
    if (rng_percent(r, 20)) p.n = 1 + (size_t)rng_below(r, 20);
    return p;
}

static void random_batches(const setting *where, size_t keys, size_t ids, size_t most, size_t operations, bool dense)
{
    if (there_is_none(where)) return;
    rng r = rng_for(test_seed(), keys + where->threads);
    subject s = open_index(where);
    table t = table_create(&r, keys, ids, s.top, dense);
    for (size_t done = 0, batches = 0; done < operations; batches++) {
        plan p = random_plan(&r, most, batches % 8 < 5);
        batch_both(&s, &t, &r, &p, batches % 4 == 0);
        done += p.n;
    }
    assert_same_content(&s, &t);
    close_index(&s);
    table_destroy(&t);
}

static void small_batches(const setting *where) { random_batches(where, 20, 10, 40, scaled(10000), false); }
static void dense_batches(const setting *where) { random_batches(where, 100, 30, 2000, scaled(50000), true); }
static void large_batches(const setting *where) { random_batches(where, 300, 200, 50000, scaled(300000), false); }

/* Few keys with thousands of ids each. */
static void hot_keys(const setting *where) { random_batches(where, 3, 5000, 20000, scaled(150000), false); }

/* ---- arrays ---- */

typedef pleach_status pair_call(pleach_index *, size_t, const void *, const void *, uint8_t *);

/* Distinct pairs, so that the order does not matter. */
static void arrays_both(const subject *s, table *t, rng *r, size_t n, unsigned which)
{
    static pair_call *const calls[] = {pleach_index_insert, pleach_index_erase, pleach_index_contains};
    size_t cells = t->keys * t->ids, step = cells / n, at = (size_t)rng_below(r, cells);
    FREED void *keys = array_for(s, n), *ids = array_for(s, n);
    FREED uint8_t *got = untouched_bytes(n), *expected = untouched_bytes(n);
    for (size_t i = 0; i < n; i++, at = (at + step) % cells) {
        size_t key = at / t->ids, id = at % t->ids;
        set_word(s->bits, keys, i, t->key[key]);
        set_word(s->bits, ids, i, t->id[id]);
        if (which == 0) expected[i] = (uint8_t)table_insert(t, key, id);
        if (which == 1) expected[i] = (uint8_t)table_erase(t, key, id);
        if (which == 2) expected[i] = t->present[at];
    }
    assert_ok(calls[which](s->index, n, keys, ids, got));
    assert_memory_equal(got, expected, n);
    count_checked(n);
}

static void arrays_of_pairs(const setting *where)
{
    if (there_is_none(where)) return;
    rng r = rng_for(test_seed(), 40);
    subject s = open_index(where);
    table t = table_create(&r, 100, 100, s.top, false);
    for (size_t round = 0; round < scaled(100); round++) {
        size_t n = round % 10 ? 1 + (size_t)rng_below(&r, 3000) : t.keys * t.ids; /* all of them */
        arrays_both(&s, &t, &r, n, round % 3);
        if (round % 5 == 0) assert_same_content(&s, &t);
    }
    close_index(&s);
    table_destroy(&t);
}

static void emptied_and_filled_again(const setting *where)
{
    if (there_is_none(where)) return;
    rng r = rng_for(test_seed(), 41);
    subject s = open_index(where);
    table t = table_create(&r, 30, 400, s.top, false);
    for (unsigned round = 0; round < 3; round++) {
        arrays_both(&s, &t, &r, t.keys * t.ids, 0);
        assert_int_equal(t.size, t.keys * t.ids);
        assert_same_content(&s, &t);
        arrays_both(&s, &t, &r, t.keys * t.ids, 1);
        assert_int_equal(t.size, 0);
        assert_same_content(&s, &t);
        assert_ok(pleach_map_compact(pleach_index_map(s.index), 0));
    }
    close_index(&s);
    table_destroy(&t);
}

/* Limits, rooms that are too small, and those that are just enough. */
static void retrievals(const setting *where)
{
    if (there_is_none(where)) return;
    rng r = rng_for(test_seed(), 42);
    subject s = open_index(where);
    table t = table_create(&r, 5, 3000, s.top, false);
    arrays_both(&s, &t, &r, t.keys * t.ids / 2, 0);
    FREED void *keys = array_for(&s, t.keys), *ids = array_for(&s, t.size);
    FREED uint64_t *offsets = must_alloc(t.keys + 1, sizeof *offsets);
    FREED uint64_t *expected = must_alloc(t.size + 1, sizeof *expected);
    for (size_t i = 0; i < t.keys; i++) set_word(s.bits, keys, i, t.key[i]);
    static const uint32_t limits[] = {0, 1, 100, 1000000};
    for (size_t l = 0; l < COUNT_OF(limits); l++) {
        size_t all = 0, total = 0;
        for (size_t i = 0; i < t.keys; i++) all += table_retrieve(&t, i, limits[l], expected + all);
        assert_ok(pleach_index_retrieve(s.index, t.keys, keys, limits[l], 0, NULL, offsets, &total));
        assert_int_equal(total, all);
        assert_int_equal(pleach_index_retrieve(s.index, t.keys, keys, limits[l], all - 1, ids, offsets, &total),
                         PLEACH_E_SPACE);
        assert_int_equal(total, all);
        assert_int_equal(offsets[t.keys], all);
        assert_int_equal(pleach_index_retrieve(s.index, t.keys, keys, limits[l], 0, ids, offsets, NULL),
                         PLEACH_E_SPACE);
        assert_ok(pleach_index_retrieve(s.index, t.keys, keys, limits[l], all, ids, offsets, &total));
        assert_ids(&s, all, ids, expected);
        count_checked(3 * t.keys);
    }
    close_index(&s);
    table_destroy(&t);
}

/* ---- what fails ---- */

static void bad_arguments_are_refused(const setting *where)
{
    if (there_is_none(where)) return;
    subject s = open_index(where);
    pleach_index *none = s.index;
    pleach_index_config config = {.key_bits = 128};
    uint64_t words[4] = {1, 2, 3, 4}, offsets[5], size = 9;
    uint8_t flags[4], kinds[4] = {PLEACH_INDEX_INSERT, PLEACH_INDEX_COUNT, PLEACH_INDEX_RETRIEVE, PLEACH_INDEX_ERASE};
    const size_t many = ((size_t)1 << 31) + 1;
    assert_int_equal(pleach_index_create(NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_create(&none, &config), PLEACH_E_ARGUMENT);
    assert_null(none);
    config = (pleach_index_config){.threads = 5000};
    assert_int_equal(pleach_index_create(&none, &config), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_insert(NULL, 1, words, words, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_insert(s.index, 1, NULL, words, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_erase(s.index, 1, words, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_contains(s.index, 1, words, words, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_insert(s.index, many, words, words, NULL), PLEACH_E_SIZE);
    assert_int_equal(pleach_index_count(NULL, 1, words, words), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_count(s.index, 1, words, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_count(s.index, many, words, words), PLEACH_E_SIZE);
    assert_int_equal(pleach_index_retrieve(s.index, 1, words, 0, 0, NULL, NULL, NULL), PLEACH_E_ARGUMENT);
    assert_ok(pleach_index_retrieve(s.index, 0, NULL, 0, 0, NULL, NULL, NULL));
    assert_int_equal(pleach_index_retrieve(s.index, 1, NULL, 0, 0, NULL, offsets, NULL), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_retrieve(s.index, many, words, 0, 0, NULL, offsets, NULL), PLEACH_E_SIZE);
    assert_ok(pleach_index_insert(s.index, 0, NULL, NULL, NULL));
    assert_ok(pleach_index_count(s.index, 0, NULL, NULL));
    assert_int_equal(pleach_index_size(NULL, &size), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_validate(NULL, NULL, 0), PLEACH_E_ARGUMENT);
    assert_null(pleach_index_map(NULL));
    pleach_index_destroy(NULL);

    pleach_index_batch batch = {.n = 4, .kinds = kinds, .keys = words, .ids = words, .flags = flags}, copy = batch;
    assert_int_equal(pleach_index_apply(NULL, &batch), PLEACH_E_ARGUMENT);
    assert_int_equal(pleach_index_apply(s.index, NULL), PLEACH_E_ARGUMENT);
    copy.ids = NULL;
    assert_int_equal(pleach_index_apply(s.index, &copy), PLEACH_E_ARGUMENT);
    copy = batch, copy.keys = NULL;
    assert_int_equal(pleach_index_apply(s.index, &copy), PLEACH_E_ARGUMENT);
    copy = batch, copy.kinds = NULL;
    assert_int_equal(pleach_index_apply(s.index, &copy), PLEACH_E_ARGUMENT);
    copy = batch, copy.n = ((size_t)1 << 30) + 1;
    assert_int_equal(pleach_index_apply(s.index, &copy), PLEACH_E_SIZE);
    copy = batch, copy.n = 0;
    assert_ok(pleach_index_apply(s.index, &copy));
    kinds[3] = PLEACH_INDEX_RETRIEVE + 1;
    assert_int_equal(pleach_index_apply(s.index, &batch), PLEACH_E_ARGUMENT);
    assert_ok(pleach_index_size(s.index, &size));
    assert_int_equal(size, 0);
    copy = (pleach_index_batch){.n = 2, .kinds = kinds + 1, .keys = words}; /* no ids, no results */
    assert_ok(pleach_index_apply(s.index, &copy));
    kinds[3] = PLEACH_INDEX_ERASE;
    assert_ok(pleach_index_apply(s.index, &batch));
    assert_true(flags[0] == PLEACH_INSERTED && (flags[3] == PLEACH_ABSENT || s.bits == 32));
    close_index(&s);
}

static void ids_without_room_change_nothing(const setting *where)
{
    if (there_is_none(where)) return;
    rng r = rng_for(test_seed(), 43);
    subject s = open_index(where);
    table t = table_create(&r, 4, 2000, s.top, false);
    arrays_both(&s, &t, &r, t.keys * t.ids, 0);
    plan p = {.n = 500, .inserts = 1, .erases = 5, .queries = 5};
    trial b = make_trial(&s, &t, &r, &p);
    answers got = make_answers(p.n, 0);
    FREED void *ids = array_for(&s, room_for(&t, &p));
    assert_int_equal(index_apply(&s, &b, 1000, &got, ids), PLEACH_E_SPACE);
    size_t total = got.total;
    assert_true(total > 1000);
    assert_same_content(&s, &t);
    assert_int_equal(index_apply(&s, &b, total - 1, &got, ids), PLEACH_E_SPACE);
    assert_same_content(&s, &t);
    assert_ok(index_apply(&s, &b, total, &got, ids));
    assert_int_equal(got.total, total);
    free_answers(&got);
    free_trial(&b);
    close_index(&s);
    table_destroy(&t);
}

/* Every allocation of every call fails once. */
static void calls_without_memory_change_nothing(const setting *where)
{
    if (there_is_none(where)) return;
    rng r = rng_for(test_seed(), 44);
    subject s = open_index(where);
    table t = table_create(&r, 10, 500, s.top, false);
    arrays_both(&s, &t, &r, t.keys * t.ids / 3, 0);
    plan p = {.n = 3000, .inserts = 5, .erases = 5, .queries = 5};
    trial b = make_trial(&s, &t, &r, &p);
    answers got = make_answers(p.n, 0);
    size_t capacity = room_for(&t, &p) + t.size, total;
    FREED uint64_t *offsets = must_alloc(p.n + 1, sizeof *offsets);
    FREED void *ids = array_for(&s, capacity);
    for (unsigned call = 0; call < 4; call++) {
        pleach_status status = PLEACH_E_MEMORY;
        for (long nth = 1; status != PLEACH_OK; nth++) {
            base_fail_nth_allocation(nth);
            if (call == 0) status = pleach_index_count(s.index, p.n, b.keys, got.counts);
            if (call == 1)
                status = pleach_index_retrieve(s.index, 10, b.keys, 0, capacity, ids, offsets, &total);
            if (call == 2) status = index_apply(&s, &b, capacity, &got, ids);
            if (call == 3) status = pleach_index_erase(s.index, p.n, b.keys, b.ids, NULL);
            base_fail_nth_allocation(0);
            assert_true(status == PLEACH_OK || status == PLEACH_E_MEMORY || status == PLEACH_E_FULL);
            if (status != PLEACH_OK) assert_same_content(&s, &t);
            assert_true(nth < 200);
        }
        count_checked(p.n);
        if (call == 2) {
            answers expected = make_answers(p.n, capacity);
            table_apply(&t, &b, &expected);
            assert_same_content(&s, &t);
            free_answers(&expected);
        }
    }
    long held = base_held();
    pleach_index_config config = {.device = where->device, .key_bits = where->key_bits, .threads = where->threads};
    pleach_index *another = NULL;
    for (long nth = 1; !another; nth++) {
        base_fail_nth_allocation(nth);
        pleach_status status = pleach_index_create(&another, &config);
        base_fail_nth_allocation(0);
        assert_true(another ? status == PLEACH_OK : status != PLEACH_OK);
        if (!another && where->device == PLEACH_CPU) assert_int_equal(base_held(), held);
        assert_true(nth < 200);
    }
    pleach_index_destroy(another);
    free_answers(&got);
    free_trial(&b);
    close_index(&s);
    table_destroy(&t);
}

/* An index at its limit takes what fits, says what does not, and goes on. */
static void full_indexes_stay_whole(const setting *where)
{
    if (there_is_none(where)) return;
    bool gpu = where->device == PLEACH_CUDA;
    rng r = rng_for(test_seed(), 45);
    subject s = open_limited(where, gpu ? (uint64_t)2 << 20 : (uint64_t)256 << 10);
    table t = table_create(&r, gpu ? 300 : 100, 1000, s.top, false);
    size_t n = t.keys * t.ids;
    void *keys = array_for(&s, n), *ids = array_for(&s, n);
    FREED uint8_t *outcomes = untouched_bytes(n);
    uint8_t *kinds = must_alloc(n, 1);
    for (size_t i = 0; i < n; i++) {
        set_word(s.bits, keys, i, t.key[i / t.ids]);
        set_word(s.bits, ids, i, t.id[i % t.ids]);
        kinds[i] = PLEACH_INDEX_INSERT;
    }
    assert_ok(pleach_index_insert(s.index, n / 100, keys, ids, NULL));
    for (size_t i = 0; i < n / 100; i++) table_insert(&t, i / t.ids, i % t.ids);
    pleach_index_batch batch = {.n = n, .kinds = kinds, .keys = keys, .ids = ids, .flags = outcomes};
    assert_int_equal(pleach_index_apply(s.index, &batch), PLEACH_E_FULL);
    assert_same_content(&s, &t);
    assert_int_equal(pleach_index_insert(s.index, n, keys, ids, outcomes), PLEACH_E_FULL);
    for (size_t i = 0; i < n; i++)
        if (outcomes[i] != PLEACH_NOT_APPLIED)
            assert_int_equal(outcomes[i], table_insert(&t, i / t.ids, i % t.ids));
    assert_same_content(&s, &t);
    assert_ok(pleach_index_erase(s.index, n, keys, ids, NULL));
    uint64_t size = 1;
    assert_ok(pleach_index_size(s.index, &size));
    assert_int_equal(size, 0);
    count_checked(3 * n);
    free(keys);
    free(ids);
    free(kinds);
    close_index(&s);
    table_destroy(&t);
}

/* ---- many threads ---- */

enum { OWN_IDS = 64, SHARED_KEYS = 8 };

typedef struct shared {
    subject s;
    size_t rounds;
} shared;

/* All threads use the same keys, with ids of their own: nothing of one may be lost by another. */
static void mind_own_ids(agent *a)
{
    enum { N = 20 };
    shared *with = a->shared;
    const subject *s = &with->s;
    bool present[SHARED_KEYS][OWN_IDS] = {{false}};
    uint64_t keys[N], ids[N], count, offsets[2], found[OWN_IDS * 65];
    uint8_t flags[N];
    for (size_t round = 0; round < with->rounds && !stopped(a); round++) {
        uint64_t key = rng_below(&a->r, SHARED_KEYS), first = rng_below(&a->r, OWN_IDS);
        bool insert = rng_percent(&a->r, 60);
        for (size_t i = 0; i < N; i++) {
            set_word(s->bits, keys, i, key == 0 ? s->top : key);
            set_word(s->bits, ids, i, (first + i) % OWN_IDS * a->count + a->index);
        }
        pair_call *call = insert ? pleach_index_insert : pleach_index_erase;
        EXPECT_OK(a, call(s->index, N, keys, ids, flags));
        for (size_t i = 0; i < N; i++) {
            bool *had = &present[key][(first + i) % OWN_IDS];
            pleach_outcome expected = insert ? *had ? PLEACH_EXISTS : PLEACH_INSERTED
                                             : *had ? PLEACH_ERASED : PLEACH_ABSENT;
            EXPECT(a, flags[i] == expected);
            *had = insert;
        }
        EXPECT_OK(a, pleach_index_contains(s->index, N, keys, ids, flags));
        for (size_t i = 0; i < N; i++) EXPECT(a, flags[i] == insert);
        EXPECT_OK(a, pleach_index_count(s->index, 1, keys, &count));
        EXPECT(a, count <= OWN_IDS * a->count && (!insert || count >= N));
        size_t total = 0;
        EXPECT_OK(a, pleach_index_retrieve(s->index, 1, keys, 0, COUNT_OF(found), found, offsets, &total));
        EXPECT(a, offsets[0] == 0 && offsets[1] == total);
        size_t own = 0, mine = 0;
        for (size_t i = 0; i < OWN_IDS; i++) mine += present[key][i];
        for (size_t i = 0; i < total; i++) {
            uint64_t id = get_word(s->bits, found, i);
            EXPECT(a, i == 0 || id > get_word(s->bits, found, i - 1));
            if (id % a->count != a->index) continue;
            own++;
            EXPECT(a, present[key][id / a->count]);
        }
        EXPECT(a, own == mine); /* what nobody else updates is right */
        count_checked(2 * N + 2);
    }
}

static void threads_share_keys(const setting *where)
{
    if (there_is_none(where)) return;
    shared with = {open_index(where), scaled_single_calls(where, 3000)};
    run_agents(calling_threads(), mind_own_ids, &with);
    close_index(&with.s);
}

int main(int argc, char **argv)
{
    tests_of_trees();
    static const test_case cases[] = {
        CASE(small_batches),
        CASE(dense_batches),
        CASE(large_batches),
        CASE(hot_keys),
        CASE(arrays_of_pairs),
        CASE(emptied_and_filled_again),
        CASE(retrievals),
        CASE(bad_arguments_are_refused),
        CASE(ids_without_room_change_nothing),
        CASE(calls_without_memory_change_nothing),
        CASE(full_indexes_stay_whole),
        CASE(threads_share_keys),
    };
    return run_cases(argc, argv, PLEACH_CPU, cases, COUNT_OF(cases));
}
