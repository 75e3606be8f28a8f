/* test_map_long_cuda.c - long counts and ranges on streams, where no call waits for another: more of them than are
 * noted, short ones between them, and beside updates on another stream. The map holds the even keys below 2 * KEYS; a
 * value is its key. */
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/wide.h"

#define assert_cuda(call) assert_int_equal((call), cudaSuccess)

enum { KEYS = 100000, LIMIT = 3000 };

static size_t word_bytes(const wide *w)
{
    return w->key_bits / 8;
}

static void *managed(size_t bytes)
{
    void *memory = NULL;
    assert_cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal));
    return memory;
}

/* Queries and their results, in memory that host and GPU share: nothing is staged. */
typedef struct queries {
    size_t n;
    void *lo, *hi, *keys, *values; /* LIMIT pairs each */
    uint64_t *counts;
    uint32_t *found;
} queries;

static queries queries_new(const wide *w, size_t n)
{
    queries q = {n, managed(n * word_bytes(w)), managed(n * word_bytes(w)), managed(n * LIMIT * word_bytes(w)),
                 managed(n * LIMIT * word_bytes(w)), managed(n * sizeof *q.counts), managed(n * sizeof *q.found)};
    return q;
}

static void queries_free(queries *q)
{
    void *all[] = {q->lo, q->hi, q->keys, q->values, q->counts, q->found};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        assert_cuda(cudaFree(all[i]));
}

static wide open_filled(const setting *where)
{
    wide w = wide_open(where);
    FREED void *keys = must_alloc(KEYS, word_bytes(&w));
    for (size_t i = 0; i < KEYS; i++)
        set_word(w.key_bits, keys, i, 2 * (i * 7919 % KEYS));
    assert_ok(pleach_map_put(w.map, KEYS, keys, keys, NULL, NULL, PLEACH_SYNC));
    return w;
}

/* Every `one_in`-th query is long; of the others some are empty. */
static void draw(const wide *w, queries *q, size_t one_in, rng *r)
{
    for (size_t i = 0; i < q->n; i++) {
        uint64_t lo = rng_below(r, 2 * KEYS), width = i % one_in ? rng_below(r, 50) : KEYS / 2 + rng_below(r, 2 * KEYS);
        set_word(w->key_bits, q->lo, i, lo);
        set_word(w->key_bits, q->hi, i, i % 13 == 5 ? lo - (lo > 0) : lo + width);
    }
}

static uint64_t expected_count(const wide *w, const queries *q, size_t i)
{
    uint64_t lo = get_word(w->key_bits, q->lo, i), hi = get_word(w->key_bits, q->hi, i);
    uint64_t first = (lo + 1) / 2, end = hi / 2 + 1 < KEYS ? hi / 2 + 1 : KEYS;
    return lo <= hi && first < end ? end - first : 0;
}

static void assert_counts(const wide *w, const queries *q)
{
    for (size_t i = 0; i < q->n; i++)
        assert_int_equal(q->counts[i], expected_count(w, q, i));
    count_checked(q->n);
}

static void assert_pairs(const wide *w, const queries *q)
{
    for (size_t i = 0; i < q->n; i++) {
        uint64_t expected = expected_count(w, q, i), first = (get_word(w->key_bits, q->lo, i) + 1) / 2;
        if (expected > LIMIT) expected = LIMIT;
        assert_int_equal(q->found[i], expected);
        for (size_t k = 0; k < expected; k++) {
            assert_int_equal(get_word(w->key_bits, q->keys, i * LIMIT + k), 2 * (first + k));
            assert_int_equal(get_word(w->key_bits, q->values, i * LIMIT + k), 2 * (first + k));
        }
    }
    count_checked(q->n);
}

/* Both calls are on the stream before either has run. */
static void run_on(const wide *w, queries *q, cudaStream_t stream)
{
    memset(q->counts, 0xee, q->n * sizeof *q->counts);
    memset(q->found, 0xee, q->n * sizeof *q->found);
    assert_ok(pleach_map_range_count(w->map, q->n, q->lo, q->hi, q->counts, stream));
    assert_ok(pleach_map_range_limit(w->map, q->n, q->lo, q->hi, LIMIT, q->keys, q->values, q->found, stream));
    if (stream != PLEACH_SYNC) assert_cuda(cudaStreamSynchronize(stream));
    assert_counts(w, q);
    assert_pairs(w, q);
}

static void check_queries(const setting *where, size_t n, size_t one_in)
{
    rng r = rng_for(test_seed(), n);
    AT_END(wide_close) wide w = open_filled(where);
    queries q = queries_new(&w, n);
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (size_t round = 0; round < 3; round++) {
        draw(&w, &q, one_in, &r);
        run_on(&w, &q, stream);
        run_on(&w, &q, PLEACH_SYNC);
    }
    assert_cuda(cudaStreamDestroy(stream));
    queries_free(&q);
}

static void one_long_query_on_a_stream(const setting *where)
{
    check_queries(where, 1, 1);
}

static void long_and_short_queries_on_a_stream(const setting *where)
{
    check_queries(where, 1000, 37);
}

/* Those that find no room in the notes are read to their ends. */
static void more_long_queries_than_are_noted(const setting *where)
{
    check_queries(where, 5000, 1);
}

/* ---- beside updates ---- */

/* Odd keys come and go; the even ones are there, each once and in order, whatever else is. */
static void assert_even_keys(const wide *w, const queries *q)
{
    for (size_t i = 0; i < q->n; i++) {
        uint64_t next = (get_word(w->key_bits, q->lo, i) + 1) / 2 * 2, before = 0;
        size_t evens = 0, expected = (size_t)expected_count(w, q, i);
        assert_true(q->counts[i] >= expected && q->counts[i] <= 2 * expected + 2);
        for (size_t k = 0; k < q->found[i]; k++) {
            uint64_t key = get_word(w->key_bits, q->keys, i * LIMIT + k);
            assert_true(k == 0 || key > before);
            assert_int_equal(get_word(w->key_bits, q->values, i * LIMIT + k), key);
            before = key;
            if (key % 2 != 0) continue;
            assert_int_equal(key, next);
            next += 2;
            evens++;
        }
        assert_true(q->found[i] == LIMIT || evens == expected);
    }
    count_checked(2 * q->n);
}

static void long_queries_beside_updates_on_another_stream(const setting *where)
{
    enum { QUERIES = 40, UPDATES = 4096 };
    rng r = rng_for(test_seed(), 5);
    AT_END(wide_close) wide w = open_filled(where);
    queries q = queries_new(&w, QUERIES);
    void *odd = managed(UPDATES * word_bytes(&w));
    cudaStream_t asking, changing;
    assert_cuda(cudaStreamCreateWithFlags(&asking, cudaStreamNonBlocking));
    assert_cuda(cudaStreamCreateWithFlags(&changing, cudaStreamNonBlocking));
    for (size_t round = 0; round < 1 + scaled(20); round++) {
        draw(&w, &q, 3, &r);
        for (size_t i = 0; i < UPDATES; i++)
            set_word(w.key_bits, odd, i, 2 * rng_below(&r, KEYS) + 1);
        for (size_t turn = 0; turn < 8; turn++) {
            assert_ok(pleach_map_put(w.map, UPDATES, odd, odd, NULL, NULL, changing));
            assert_ok(pleach_map_erase(w.map, UPDATES, odd, NULL, NULL, changing));
        }
        assert_ok(pleach_map_range_count(w.map, QUERIES, q.lo, q.hi, q.counts, asking));
        assert_ok(pleach_map_range_limit(w.map, QUERIES, q.lo, q.hi, LIMIT, q.keys, q.values, q.found, asking));
        assert_cuda(cudaStreamSynchronize(asking));
        assert_cuda(cudaStreamSynchronize(changing));
        assert_even_keys(&w, &q);
    }
    assert_cuda(cudaStreamDestroy(asking));
    assert_cuda(cudaStreamDestroy(changing));
    assert_cuda(cudaFree(odd));
    queries_free(&q);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(one_long_query_on_a_stream),
        CASE(long_and_short_queries_on_a_stream),
        CASE(more_long_queries_than_are_noted),
        CASE(long_queries_beside_updates_on_another_stream),
    };
    return run_cases(argc, argv, PLEACH_CUDA, cases, COUNT_OF(cases));
}
