/* test_map_cuda.c - what only a GPU map has: every kind of pointer, streams, and large batches. The cases that a GPU
 * map shares with a CPU map are in the other programs, run with --device cuda. */
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/patterns.h"
#include "testkit/random.h"
#include "testkit/wide.h"

#define assert_cuda(call) assert_int_equal((call), cudaSuccess)

/* ---- arrays of the map's width --------------------------------------------------------------------------------- */

static size_t word_bytes(const wide *w)
{
    return w->key_bits / 8;
}

/* ---- memory of every kind -------------------------------------------------------------------------------------- */

typedef enum memory_kind { PAGEABLE, PINNED, DEVICE, MANAGED, KINDS } memory_kind;

static void *allocate(memory_kind kind, size_t bytes)
{
    void *memory = NULL;
    switch (kind) {
    case PINNED: assert_cuda(cudaMallocHost(&memory, bytes)); break;
    case DEVICE: assert_cuda(cudaMalloc(&memory, bytes)); break;
    case MANAGED: assert_cuda(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal)); break;
    default: memory = must_alloc(bytes, 1);
    }
    return memory;
}

static void release(memory_kind kind, void *memory)
{
    if (kind == PINNED)
        assert_cuda(cudaFreeHost(memory));
    else if (kind == PAGEABLE)
        free(memory);
    else
        assert_cuda(cudaFree(memory));
}

static void copy(void *to, const void *from, size_t bytes)
{
    assert_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    /* A small copy from ordinary memory may still be on its way, and streams of the tests do not wait for it. */
    assert_cuda(cudaStreamSynchronize(cudaStreamLegacy));
}

/* ---- every combination of pointer kinds ------------------------------------------------------------------------
 * The map holds the keys 0, 10, 20 ... with value key + 1, before and after each call. */

enum { N = 300, MOST_ARGUMENTS = 5, ROOM = 3 * N + 1 };

typedef struct pointers {
    wide w;
    void *of_kind[MOST_ARGUMENTS][KINDS];
    void *argument[MOST_ARGUMENTS];   /* the ones chosen for this call */
    uint8_t host[ROOM * sizeof(uint64_t)];
} pointers;

static uint64_t held_key(size_t i)
{
    return 10 * i;
}

static void give(pointers *p, size_t argument, uint64_t first, uint64_t step)
{
    for (size_t i = 0; i < N; i++)
        set_word(p->w.key_bits, p->host, i, first + i * step);
    copy(p->argument[argument], p->host, N * word_bytes(&p->w));
}

/* Results are spoilt before the call, so that a result left over from the call before cannot pass for one. */
static void spoil(pointers *p, size_t argument)
{
    memset(p->host, UNTOUCHED, sizeof p->host);
    copy(p->argument[argument], p->host, sizeof p->host);
}

static void expect_words(pointers *p, size_t argument, size_t n, uint64_t first, uint64_t step)
{
    copy(p->host, p->argument[argument], sizeof p->host);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(get_word(p->w.key_bits, p->host, i), first + i * step);
}

static void expect_bytes(pointers *p, size_t argument, size_t n, uint8_t expected)
{
    copy(p->host, p->argument[argument], sizeof p->host);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(p->host[i], expected);
}

static void use_put(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 0, 10);
    give(p, 1, 1, 10);
    assert_ok(pleach_map_put(p->w.map, N, a[0], a[1], a[2], a[3], PLEACH_SYNC));
    expect_bytes(p, 2, N, PLEACH_REPLACED);
    expect_words(p, 3, N, 1, 10);
}

static void use_add(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 0, 10);
    give(p, 1, 5, 10);
    assert_ok(pleach_map_add(p->w.map, N, a[0], a[1], a[2], a[3], PLEACH_SYNC));
    expect_bytes(p, 2, N, PLEACH_EXISTS);
    expect_words(p, 3, N, 1, 10);
}

static void use_erase(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 0, 10);
    assert_ok(pleach_map_erase(p->w.map, N, a[0], a[1], a[2], PLEACH_SYNC));
    expect_bytes(p, 1, N, PLEACH_ERASED);
    expect_words(p, 2, N, 1, 10);
    give(p, 2, 1, 10);
    assert_ok(pleach_map_put(p->w.map, N, a[0], a[2], a[1], NULL, PLEACH_SYNC));
    expect_bytes(p, 1, N, PLEACH_INSERTED);
}

static void use_find(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 0, 10);
    assert_ok(pleach_map_find(p->w.map, N, a[0], a[1], a[2], PLEACH_SYNC));
    expect_words(p, 1, N, 1, 10);
    expect_bytes(p, 2, N, 1);
}

static void use_contains(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 5, 10);
    assert_ok(pleach_map_contains(p->w.map, N, a[0], a[1], PLEACH_SYNC));
    expect_bytes(p, 1, N, 0);
}

static void use_succ(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 0, 10);
    assert_ok(pleach_map_succ(p->w.map, N, a[0], a[1], a[2], a[3], PLEACH_SYNC));
    expect_words(p, 1, N - 1, 10, 10);
    expect_words(p, 2, N - 1, 11, 10);
    expect_bytes(p, 3, N - 1, 1);
}

static void use_pred(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 5, 10);
    assert_ok(pleach_map_pred(p->w.map, N, a[0], a[1], a[2], a[3], PLEACH_SYNC));
    expect_words(p, 1, N, 0, 10);
    expect_words(p, 2, N, 1, 10);
    expect_bytes(p, 3, N, 1);
}

static void use_range_count(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 0, 10);
    give(p, 1, 15, 10);
    assert_ok(pleach_map_range_count(p->w.map, N, a[0], a[1], a[2], PLEACH_SYNC));
    copy(p->host, a[2], sizeof p->host);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(((uint64_t *)(void *)p->host)[i], i + 1 < N ? 2 : 1);
}

static void use_range_limit(pointers *p)
{
    void **a = p->argument;
    give(p, 0, 0, 10);
    give(p, 1, 3000, 10);
    assert_ok(pleach_map_range_limit(p->w.map, N - 1, a[0], a[1], 2, a[2], a[3], a[4], PLEACH_SYNC));
    copy(p->host, a[2], sizeof p->host);
    for (size_t i = 0; i < 2 * (N - 1); i++)
        assert_int_equal(get_word(p->w.key_bits, p->host, i), held_key(i / 2 + i % 2));
    copy(p->host, a[3], sizeof p->host);
    for (size_t i = 0; i < 2 * (N - 1); i++)
        assert_int_equal(get_word(p->w.key_bits, p->host, i), held_key(i / 2 + i % 2) + 1);
    copy(p->host, a[4], sizeof p->host);
    for (size_t i = 0; i < N - 1; i++)
        assert_int_equal(((uint32_t *)(void *)p->host)[i], 2);
}

static void use_range(pointers *p)
{
    void **a = p->argument;
    size_t total = 0;
    give(p, 0, 0, 10);
    give(p, 1, 5, 10);
    assert_ok(pleach_map_range(p->w.map, N, a[0], a[1], 0, N, a[2], a[3], a[4], &total));
    assert_int_equal(total, N);
    expect_words(p, 2, N, 0, 10);
    expect_words(p, 3, N, 1, 10);
    copy(p->host, a[4], sizeof p->host);
    for (size_t i = 0; i <= N; i++)
        assert_int_equal(((uint64_t *)(void *)p->host)[i], i);
}

static void use_load_and_export(pointers *p)
{
    void **a = p->argument;
    size_t n = 0;
    give(p, 0, 0, 10);
    give(p, 1, 1, 10);
    assert_ok(pleach_map_clear(p->w.map));
    assert_ok(pleach_map_load(p->w.map, N, a[0], a[1], 0));
    assert_ok(pleach_map_export(p->w.map, N, a[2], a[3], &n));
    assert_int_equal(n, N);
    expect_words(p, 2, N, 0, 10);
    expect_words(p, 3, N, 1, 10);
}

static void use_every_combination(pointers *p, void (*use)(pointers *), size_t arguments)
{
    size_t combinations = (size_t)1 << (2 * arguments);
    for (size_t c = 0; c < combinations; c++) {
        for (size_t i = 0; i < arguments; i++) {
            p->argument[i] = p->of_kind[i][c >> (2 * i) & 3];
            spoil(p, i);
        }
        use(p);
        count_checked(N);
    }
}

static void every_kind_of_pointer_everywhere(const setting *where)
{
    static const struct {
        void (*use)(pointers *);
        size_t arguments;
    } uses[] = {{use_load_and_export, 4}, {use_put, 4},  {use_add, 4},         {use_erase, 3},       {use_find, 3},
                {use_contains, 2},        {use_succ, 4}, {use_pred, 4},        {use_range_count, 3}, {use_range, 5},
                {use_range_limit, 5}};
    FREED pointers *p = must_alloc(1, sizeof *p);
    p->w = wide_open(where);
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        for (memory_kind kind = 0; kind < KINDS; kind++)
            p->of_kind[i][kind] = allocate(kind, sizeof p->host);
    for (size_t u = 0; u < COUNT_OF(uses); u++)
        use_every_combination(p, uses[u].use, uses[u].arguments);
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        for (memory_kind kind = 0; kind < KINDS; kind++)
            release(kind, p->of_kind[i][kind]);
    wide_close(&p->w);
}

/* Pinned memory, which the host looks at without a call of CUDA's that would wait for the GPU. */
static void pinned_results_are_there_when_calls_return(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    size_t n = 0, array = N * word_bytes(&w);
    void *keys = allocate(PINNED, array), *outs = allocate(PINNED, array), *values = allocate(PINNED, array);
    uint8_t *found = allocate(PINNED, N);
    for (size_t i = 0; i < N; i++) set_word(w.key_bits, keys, i, held_key(i));
    assert_ok(pleach_map_put(w.map, N, keys, keys, NULL, NULL, PLEACH_SYNC));
    memset(outs, UNTOUCHED, array);
    memset(found, UNTOUCHED, N);
    assert_ok(pleach_map_find(w.map, N, keys, outs, found, PLEACH_SYNC));
    for (size_t i = 0; i < N; i++) assert_int_equal(found[i], 1);
    assert_memory_equal(outs, keys, array);
    memset(outs, UNTOUCHED, array);
    assert_ok(pleach_map_export(w.map, N, outs, values, &n));
    assert_int_equal(n, N);
    assert_memory_equal(outs, keys, array);
    assert_memory_equal(values, keys, array);
    count_checked(2 * N);
    release(PINNED, keys);
    release(PINNED, outs);
    release(PINNED, values);
    release(PINNED, found);
}

static void cpu_map_refuses_device_memory(const setting *where)
{
    const setting cpu = {PLEACH_CPU, where->key_bits, 2};
    AT_END(wide_close) wide w = wide_open(&cpu);
    uint64_t host[4] = {0};
    void *device = allocate(DEVICE, sizeof host);
    assert_int_equal(pleach_map_put(w.map, 1, device, host, NULL, NULL, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_put(w.map, 1, host, device, NULL, NULL, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_put(w.map, 1, host, host, device, NULL, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_put(w.map, 1, host, host, NULL, device, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_erase(w.map, 1, device, NULL, NULL, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_find(w.map, 1, host, device, NULL, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_succ(w.map, 1, host, device, NULL, NULL, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_range_count(w.map, 1, host, device, host, PLEACH_SYNC), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_range(w.map, 1, host, host, 0, 1, device, NULL, host + 1, NULL), PLEACH_E_POINTER);
    assert_int_equal(pleach_map_load(w.map, 1, device, host, 0), PLEACH_E_POINTER);
    release(DEVICE, device);
}

/* ---- streams --------------------------------------------------------------------------------------------------- */

/* Arrays of n elements in one kind of memory, with what a call writes. */
typedef struct batch {
    memory_kind kind;
    size_t n;
    void *keys, *values, *outs;
    uint8_t *bytes;
} batch;

static batch batch_new(const wide *w, memory_kind kind, size_t n)
{
    size_t bytes = n * word_bytes(w);
    return (batch){kind, n, allocate(kind, bytes), allocate(kind, bytes), allocate(kind, bytes), allocate(kind, n)};
}

static void batch_free(batch *b)
{
    release(b->kind, b->keys);
    release(b->kind, b->values);
    release(b->kind, b->outs);
    release(b->kind, b->bytes);
}

static void put_words(const wide *w, void *to, size_t n, const uint64_t *words)
{
    FREED uint8_t *narrow = must_alloc(n, word_bytes(w));
    for (size_t i = 0; i < n; i++)
        set_word(w->key_bits, narrow, i, words[i]);
    copy(to, narrow, n * word_bytes(w));
}

static void get_words(const wide *w, uint64_t *words, size_t n, const void *from)
{
    FREED uint8_t *narrow = must_alloc(n, word_bytes(w));
    copy(narrow, from, n * word_bytes(w));
    for (size_t i = 0; i < n; i++)
        words[i] = get_word(w->key_bits, narrow, i);
}

static void assert_all_bytes(size_t n, const uint8_t *from, uint8_t expected)
{
    FREED uint8_t *bytes = must_alloc(n, 1);
    copy(bytes, from, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(bytes[i], expected);
}

/* Nothing waits in between: the second call sees what the first one did because both are on one stream. */
static void chain_on_stream(const wide *w, cudaStream_t stream, memory_kind kind)
{
    enum { LENGTH = 5000 };
    rng r = rng_for(test_seed(), kind);
    FREED uint64_t *keys = pattern_keys(RANDOM, LENGTH, w->top, &r), *values = values_for(LENGTH, keys, w->top, 1);
    FREED uint64_t *found_values = must_alloc(LENGTH, sizeof *found_values);
    AT_END(batch_free) batch put = batch_new(w, kind, LENGTH), find = batch_new(w, kind, LENGTH);
    AT_END(batch_free) batch erase = batch_new(w, kind, LENGTH);
    AT_END(batch_free) batch gone = batch_new(w, kind, LENGTH);
    put_words(w, put.keys, LENGTH, keys);
    put_words(w, put.values, LENGTH, values);
    assert_ok(pleach_map_put(w->map, LENGTH, put.keys, put.values, put.bytes, NULL, stream));
    assert_ok(pleach_map_find(w->map, LENGTH, put.keys, find.outs, find.bytes, stream));
    assert_ok(pleach_map_erase(w->map, LENGTH, put.keys, erase.bytes, erase.outs, stream));
    assert_ok(pleach_map_contains(w->map, LENGTH, put.keys, gone.bytes, stream));
    assert_cuda(cudaStreamSynchronize(stream));
    assert_all_bytes(LENGTH, put.bytes, PLEACH_INSERTED);
    assert_all_bytes(LENGTH, find.bytes, 1);
    assert_all_bytes(LENGTH, erase.bytes, PLEACH_ERASED);
    assert_all_bytes(LENGTH, gone.bytes, 0);
    get_words(w, found_values, LENGTH, find.outs);
    assert_memory_equal(found_values, values, LENGTH * sizeof *values);
    get_words(w, found_values, LENGTH, erase.outs);
    assert_memory_equal(found_values, values, LENGTH * sizeof *values);
    count_checked(4 * LENGTH);
}

static void calls_on_a_stream_are_in_order(const setting *where)
{
    AT_END(wide_close) wide w = wide_open(where);
    cudaStream_t own;
    assert_cuda(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    const cudaStream_t streams[] = {own, cudaStreamLegacy, cudaStreamPerThread};
    for (size_t s = 0; s < COUNT_OF(streams); s++)
        for (memory_kind kind = 0; kind < KINDS; kind++)
            chain_on_stream(&w, streams[s], kind);
    assert_cuda(cudaStreamDestroy(own));
}

/* export waits for the stream's work by itself. */
static void exclusive_calls_wait_for_streams(const setting *where)
{
    enum { ROUNDS = 8 };
    const size_t length = shrunk(1 << 18, 1 << 12);
    AT_END(wide_close) wide w = wide_open(where);
    cudaStream_t stream;
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    AT_END(batch_free) batch b = batch_new(&w, DEVICE, length);
    FREED uint64_t *keys = must_alloc(length, sizeof *keys);
    for (size_t round = 0; round < ROUNDS; round++) {
        size_t n = 0;
        for (size_t i = 0; i < length; i++)
            keys[i] = i * ROUNDS + round;
        put_words(&w, b.keys, length, keys);
        assert_ok(pleach_map_put(w.map, length, b.keys, b.keys, NULL, NULL, stream));
        assert_int_equal(pleach_map_export(w.map, 1, b.outs, NULL, &n), PLEACH_E_SPACE);
        assert_int_equal(n, length * (round + 1));
        count_checked(length);
    }
    assert_ok(pleach_map_put(w.map, length, b.keys, b.keys, NULL, NULL, stream));
    assert_ok(pleach_map_clear(w.map));
    assert_cuda(cudaStreamSynchronize(stream));
    assert_cuda(cudaStreamDestroy(stream));
}

/* Memory that the map must get while calls are on a stream: none of them may be left without. */
static void map_grows_while_a_stream_inserts(const setting *where)
{
    enum { LENGTH = 1 << 20 };
    rng r = rng_for(test_seed(), 20);
    AT_END(wide_close) wide w = wide_open(where);
    cudaStream_t stream;
    FREED uint64_t *keys = pattern_keys(RANDOM, LENGTH, w.top, &r);
    AT_END(batch_free) batch b = batch_new(&w, DEVICE, LENGTH);
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    put_words(&w, b.keys, LENGTH, keys);
    for (size_t part = 0; part < 4; part++) {
        const uint8_t *from = (const uint8_t *)b.keys + part * (LENGTH / 4) * word_bytes(&w);
        assert_ok(pleach_map_put(w.map, LENGTH / 4, from, from, b.bytes + part * (LENGTH / 4), NULL, stream));
    }
    assert_cuda(cudaStreamSynchronize(stream));
    assert_all_bytes(LENGTH, b.bytes, PLEACH_INSERTED);
    assert_map_size(w.map, LENGTH);
    count_checked(LENGTH);
    assert_cuda(cudaStreamDestroy(stream));
}

/* On a stream a full pool cannot be answered, but it is in the outcomes. */
static void full_pool_shows_in_outcomes_on_a_stream(const setting *where)
{
    enum { LENGTH = 20000 };
    AT_END(wide_close) wide w = wide_open_limited(where, 100 * 256);
    cudaStream_t stream;
    uint8_t outcomes[LENGTH], found[LENGTH];
    FREED uint64_t *keys = must_alloc(LENGTH, sizeof *keys);
    size_t applied = 0;
    AT_END(batch_free) batch b = batch_new(&w, DEVICE, LENGTH);
    assert_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (size_t i = 0; i < LENGTH; i++)
        keys[i] = i;
    put_words(&w, b.keys, LENGTH, keys);
    assert_ok(pleach_map_put(w.map, LENGTH, b.keys, b.keys, b.bytes, NULL, stream));
    assert_cuda(cudaStreamSynchronize(stream));
    copy(outcomes, b.bytes, LENGTH);
    assert_ok(wide_contains(&w, LENGTH, keys, found));
    for (size_t i = 0; i < LENGTH; i++) {
        assert_true(outcomes[i] == PLEACH_INSERTED || outcomes[i] == PLEACH_NOT_APPLIED);
        assert_int_equal(found[i], outcomes[i] == PLEACH_INSERTED);
        applied += found[i];
    }
    assert_true(applied > 0 && applied < LENGTH);
    assert_cuda(cudaStreamDestroy(stream));
}

/* ---- several streams at once -----------------------------------------------------------------------------------
 * All streams update the same few keys. Values are unique; what went in came out or is left, as in
 * test_map_threads.c. */

enum { STREAMS = 6, HOT_KEYS = 512, STREAM_BATCH = 4096, STREAM_ROUNDS = 60 };

typedef struct account {
    long present;
    uint64_t balance;
} account;

typedef struct lane {
    cudaStream_t stream;
    batch b;
    uint64_t keys[STREAM_BATCH], values[STREAM_BATCH];
} lane;

static void lane_launch(const wide *w, lane *l, rng *r, uint64_t *next_value)
{
    for (size_t i = 0; i < STREAM_BATCH; i++) {
        l->keys[i] = rng_below(r, HOT_KEYS);
        l->values[i] = (*next_value)++;
    }
    put_words(w, l->b.keys, STREAM_BATCH, l->keys);
    put_words(w, l->b.values, STREAM_BATCH, l->values);
    switch (rng_below(r, 3)) {
    case 0:
        assert_ok(pleach_map_put(w->map, STREAM_BATCH, l->b.keys, l->b.values, l->b.bytes, l->b.outs, l->stream));
        break;
    case 1:
        assert_ok(pleach_map_add(w->map, STREAM_BATCH, l->b.keys, l->b.values, l->b.bytes, l->b.outs, l->stream));
        break;
    default:
        assert_ok(pleach_map_erase(w->map, STREAM_BATCH, l->b.keys, l->b.bytes, l->b.outs, l->stream));
    }
}

static void lane_settle(const wide *w, lane *l, account *accounts)
{
    uint64_t olds[STREAM_BATCH];
    uint8_t outcomes[STREAM_BATCH];
    assert_cuda(cudaStreamSynchronize(l->stream));
    get_words(w, olds, STREAM_BATCH, l->b.outs);
    copy(outcomes, l->b.bytes, STREAM_BATCH);
    for (size_t i = 0; i < STREAM_BATCH; i++) {
        account *of_key = &accounts[l->keys[i]];
        assert_int_not_equal(outcomes[i], PLEACH_NOT_APPLIED);
        if (outcomes[i] == PLEACH_INSERTED || outcomes[i] == PLEACH_REPLACED)
            of_key->balance += mix64(l->values[i]);
        if (outcomes[i] == PLEACH_REPLACED || outcomes[i] == PLEACH_ERASED)
            of_key->balance -= mix64(olds[i]);
        of_key->present += (outcomes[i] == PLEACH_INSERTED) - (outcomes[i] == PLEACH_ERASED);
    }
    count_checked(STREAM_BATCH);
}

static void assert_accounts_balance(const wide *w, const account *accounts)
{
    uint64_t keys[HOT_KEYS], values[HOT_KEYS] = {0};
    uint8_t found[HOT_KEYS] = {0};
    for (size_t i = 0; i < HOT_KEYS; i++)
        keys[i] = i;
    assert_ok(wide_find(w, HOT_KEYS, keys, values, found));
    for (size_t i = 0; i < HOT_KEYS; i++) {
        assert_int_equal(accounts[i].present, found[i]);
        assert_int_equal(accounts[i].balance, found[i] ? mix64(values[i]) : 0);
    }
}

static void several_streams_add_up(const setting *where)
{
    rng r = rng_for(test_seed(), 30);
    AT_END(wide_close) wide w = wide_open(where);
    FREED lane *lanes = must_alloc(STREAMS, sizeof *lanes);
    account accounts[HOT_KEYS] = {{0, 0}};
    uint64_t next_value = 1;
    for (size_t s = 0; s < STREAMS; s++) {
        assert_cuda(cudaStreamCreateWithFlags(&lanes[s].stream, cudaStreamNonBlocking));
        lanes[s].b = batch_new(&w, DEVICE, STREAM_BATCH);
    }
    for (size_t round = 0; round < scaled(STREAM_ROUNDS); round++) {
        for (size_t s = 0; s < STREAMS; s++)
            lane_launch(&w, &lanes[s], &r, &next_value);
        for (size_t s = 0; s < STREAMS; s++)
            lane_settle(&w, &lanes[s], accounts);
    }
    assert_accounts_balance(&w, accounts);
    for (size_t s = 0; s < STREAMS; s++) {
        batch_free(&lanes[s].b);
        assert_cuda(cudaStreamDestroy(lanes[s].stream));
    }
}

/* ---- several threads, each with a stream ----------------------------------------------------------------------- */

typedef struct crowd {
    wide w;
    size_t rounds;
} crowd;

typedef struct crowd_member {
    cudaStream_t stream;
    void *keys, *outs;
    uint8_t *bytes;
} crowd_member;

enum { CROWD_BATCH = 3000 };

/* Pinned memory, which host and device both read: nothing here may assert, because it runs in an agent. */
static bool member_begin(const wide *w, crowd_member *me)
{
    return cudaStreamCreateWithFlags(&me->stream, cudaStreamNonBlocking) == cudaSuccess &&
           cudaMallocHost(&me->keys, CROWD_BATCH * word_bytes(w)) == cudaSuccess &&
           cudaMallocHost(&me->outs, CROWD_BATCH * word_bytes(w)) == cudaSuccess &&
           cudaMallocHost((void **)&me->bytes, CROWD_BATCH) == cudaSuccess;
}

static void expect_all(agent *a, const crowd_member *me, uint8_t expected)
{
    EXPECT(a, cudaStreamSynchronize(me->stream) == cudaSuccess);
    for (size_t i = 0; i < CROWD_BATCH; i++)
        EXPECT(a, me->bytes[i] == expected);
}

/* My keys lie between everybody's; nobody else touches them. */
static void member_round(agent *a, crowd_member *me, size_t round)
{
    const crowd *c = a->shared;
    for (size_t i = 0; i < CROWD_BATCH; i++)
        set_word(c->w.key_bits, me->keys, i, (i * 3 + round % 3) * a->count + a->index);
    EXPECT_OK(a, pleach_map_put(c->w.map, CROWD_BATCH, me->keys, me->keys, me->bytes, NULL, me->stream));
    expect_all(a, me, PLEACH_INSERTED);
    EXPECT_OK(a, pleach_map_find(c->w.map, CROWD_BATCH, me->keys, me->outs, me->bytes, me->stream));
    expect_all(a, me, 1);
    EXPECT(a, !memcmp(me->keys, me->outs, CROWD_BATCH * word_bytes(&c->w)));
    EXPECT_OK(a, pleach_map_erase(c->w.map, CROWD_BATCH, me->keys, me->bytes, NULL, me->stream));
    expect_all(a, me, PLEACH_ERASED);
    count_checked(3 * CROWD_BATCH);
}

static void crowd_member_body(agent *a)
{
    const crowd *c = a->shared;
    crowd_member me;
    EXPECT(a, member_begin(&c->w, &me));
    for (size_t round = 0; round < c->rounds && !stopped(a); round++) {
        member_round(a, &me, round);
        if (a->index == 0 && round % 10 == 9)
            EXPECT_OK(a, pleach_map_compact(c->w.map, 0.5));
    }
    cudaFreeHost(me.keys);
    cudaFreeHost(me.outs);
    cudaFreeHost(me.bytes);
    cudaStreamDestroy(me.stream);
}

static void threads_with_a_stream_each(const setting *where)
{
    crowd c = {wide_open(where), scaled(60)};
    run_agents(calling_threads(), crowd_member_body, &c);
    assert_map_size(c.w.map, 0);
    wide_close(&c.w);
}

/* ---- large batches --------------------------------------------------------------------------------------------- */

static void large_batches(const setting *where)
{
    size_t n = scaled((size_t)1 << 22);
    rng r = rng_for(test_seed(), 40);
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = pattern_keys(RANDOM, n, w.top, &r), *found_values = must_alloc(n, sizeof *keys);
    FREED uint8_t *bytes = must_alloc(n, 1);
    AT_END(batch_free) batch b = batch_new(&w, DEVICE, n);
    put_words(&w, b.keys, n, keys);
    assert_ok(pleach_map_put(w.map, n, b.keys, b.keys, b.bytes, NULL, PLEACH_SYNC));
    assert_all_bytes(n, b.bytes, PLEACH_INSERTED);
    assert_ok(pleach_map_find(w.map, n, b.keys, b.outs, b.bytes, PLEACH_SYNC));
    assert_all_bytes(n, b.bytes, 1);
    get_words(&w, found_values, n, b.outs);
    assert_memory_equal(found_values, keys, n * sizeof *keys);
    assert_ok(pleach_map_erase(w.map, n / 2, b.keys, b.bytes, NULL, PLEACH_SYNC));
    assert_all_bytes(n / 2, b.bytes, PLEACH_ERASED);
    assert_ok(pleach_map_contains(w.map, n, b.keys, b.bytes, PLEACH_SYNC));
    copy(bytes, b.bytes, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(bytes[i], i >= n / 2);
    count_checked(4 * n);
}

/* All keys in flight belong to the last leaf. */
static void large_sorted_batch(const setting *where)
{
    size_t n = scaled((size_t)1 << 20);
    AT_END(wide_close) wide w = wide_open(where);
    FREED uint64_t *keys = must_alloc(n, sizeof *keys);
    AT_END(batch_free) batch b = batch_new(&w, DEVICE, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = i;
    put_words(&w, b.keys, n, keys);
    assert_ok(pleach_map_add(w.map, n, b.keys, b.keys, b.bytes, NULL, PLEACH_SYNC));
    assert_all_bytes(n, b.bytes, PLEACH_INSERTED);
    assert_map_size(w.map, n);
    count_checked(n);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(every_kind_of_pointer_everywhere),
        CASE(pinned_results_are_there_when_calls_return),
        CASE(cpu_map_refuses_device_memory),
        CASE(calls_on_a_stream_are_in_order),
        CASE(exclusive_calls_wait_for_streams),
        CASE(map_grows_while_a_stream_inserts),
        CASE(full_pool_shows_in_outcomes_on_a_stream),
        CASE(several_streams_add_up),
        CASE(threads_with_a_stream_each),
        CASE(large_batches),
        CASE(large_sorted_batch),
    };
    return run_cases(argc, argv, PLEACH_CUDA, cases, COUNT_OF(cases));
}
