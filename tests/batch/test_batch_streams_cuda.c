/* test_batch_streams_cuda.c - batches on a GPU map whose CUDA calls fail in the middle: when the call returns, no stream
 * may still be at work on the map, on the caller's arrays or on scratch memory.
 *
 * The linker sends the library's calls of three functions here (--wrap, cmake/tests.cmake). The reads of a batch are on
 * streams of their own, and the main stream waits for them by an event; a failure of any of these calls leaves it
 * without. And what goes right when none of them fails: reads and updates of one batch at the same time. */
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/wide.h"

enum { MOST_STREAMS = 64 };

static struct {
    size_t calls, failing;             /* made so far, and the one that fails; 0: none */
    cudaStream_t stream[MOST_STREAMS]; /* those that were given something to wait for, */
    bool quiet[MOST_STREAMS];          /* and those that were waited for since */
    size_t streams;
} cuda;

cudaError_t __real_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __real_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __real_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);

static bool fails(void) { return ++cuda.calls == cuda.failing; }

static void note(cudaStream_t stream, bool quiet)
{
    size_t i = 0;
    while (i < cuda.streams && cuda.stream[i] != stream) i++;
    if (i == MOST_STREAMS || (i == cuda.streams && quiet)) return;
    if (i == cuda.streams) cuda.stream[cuda.streams++] = stream;
    cuda.quiet[i] = quiet;
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return fails() ? cudaErrorInvalidValue : __real_cudaEventRecord(event, stream);
}

cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    if (fails()) return cudaErrorInvalidValue;
    note(stream, false);
    return __real_cudaStreamWaitEvent(stream, event, flags);
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    note(stream, true);
    return __real_cudaStreamSynchronize(stream);
}

static pleach_status apply_failing(const wide *w, pleach_batch *batch, size_t failing)
{
    cuda.calls = cuda.streams = 0;
    cuda.failing = failing;
    pleach_status status = pleach_map_apply(w->map, batch);
    cuda.failing = 0;
    return status;
}

static void assert_all_quiet(size_t failing)
{
    for (size_t i = 0; i < cuda.streams; i++) {
        if (!cuda.quiet[i]) fail_msg("CUDA call %zu failed, and a stream was not waited for", failing);
        assert_int_equal(cudaStreamQuery(cuda.stream[i]), cudaSuccess);
    }
}

/* Finds, and a few puts: the finds are read on streams of their own, before the host has looked if `reads` (the last
 * batch was one of reads), or after. */
static void fail_every_call(const setting *where, size_t n, unsigned puts_of_ten)
{
    AT_END(wide_close) wide w = wide_open(where);
    rng r = rng_for(test_seed(), n + puts_of_ten);
    FREED uint8_t *kinds = must_alloc(n, 1), *flags = must_alloc(n, 1);
    FREED char *keys = must_alloc(n, 8), *values = must_alloc(n, 8);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = rng_below(&r, 4 * n);
        kinds[i] = rng_below(&r, 10) < puts_of_ten ? PLEACH_OP_PUT : PLEACH_OP_FIND;
        set_word(w.key_bits, keys, i, key);
    }
    pleach_batch batch = {.n = n, .kinds = kinds, .keys = keys, .values = keys, .flags = flags, .out_values = values};
    for (unsigned round = 0; round < 2; round++) assert_ok(apply_failing(&w, &batch, 0));
    size_t failing = 1;
    for (;; failing++) {
        pleach_status status = apply_failing(&w, &batch, failing);
        count_checked(n);
        if (status == PLEACH_OK) break;
        assert_int_equal(status, PLEACH_E_CUDA);
        assert_all_quiet(failing);
    }
    assert_true(failing > 4);
    assert_ok(apply_failing(&w, &batch, 0));
}

/* Key k has the value k. Finds ask for even keys, which have been there from the beginning; a put brings an odd one. */
typedef struct mixed {
    wide w;
    size_t n, odd;
    uint8_t *kinds, *flags;
    void *keys, *values;
} mixed;

static void choose(mixed *m, rng *r, unsigned puts_of_ten)
{
    for (size_t i = 0; i < m->n; i++) {
        bool put = rng_below(r, 10) < puts_of_ten;
        m->kinds[i] = put ? PLEACH_OP_PUT : PLEACH_OP_FIND;
        set_word(m->w.key_bits, m->keys, i, put ? 2 * m->odd++ + 1 : 2 * rng_below(r, m->n));
    }
    memset(m->flags, UNTOUCHED, m->n);
    memset(m->values, UNTOUCHED, m->n * m->w.key_bits / 8);
}

static uint64_t word_of(const wide *w, const void *array, size_t i)
{
    return w->key_bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

static void assert_answers(const mixed *m)
{
    for (size_t i = 0; i < m->n; i++) {
        bool put = m->kinds[i] == PLEACH_OP_PUT;
        assert_int_equal(m->flags[i], put ? PLEACH_INSERTED : 1);
        if (!put) assert_int_equal(word_of(&m->w, m->values, i), word_of(&m->w, m->keys, i));
    }
    count_checked(m->n);
}

/* Reads of a batch are over before it changes the map, and before their results go back; and none begins before it is
 * known which operations are reads. Pinned arrays are copied when the copy's turn comes. */
static void reads_beside_updates_are_right(const setting *where)
{
    enum { ROUNDS = 6 };
    mixed m = {.w = wide_open(where), .n = shrunk(1 << 16, 1 << 12)};
    rng r = rng_for(test_seed(), 3);
    void *pinned;
    const size_t array = m.n * sizeof(uint64_t);
    assert_int_equal(cudaMallocHost(&pinned, 2 * array + 2 * m.n), cudaSuccess);
    m.keys = pinned;
    m.values = (char *)pinned + array;
    m.kinds = (uint8_t *)pinned + 2 * array;
    m.flags = m.kinds + m.n;
    for (size_t i = 0; i < m.n; i++) set_word(m.w.key_bits, m.keys, i, 2 * i);
    assert_ok(pleach_map_put(m.w.map, m.n, m.keys, m.keys, NULL, NULL, PLEACH_SYNC));
    for (size_t round = 0; round < ROUNDS; round++) {
        choose(&m, &r, round % 3 ? 3 : 0);
        pleach_batch batch = {.n = m.n, .kinds = m.kinds, .keys = m.keys, .values = m.keys, .flags = m.flags,
                              .out_values = m.values};
        assert_ok(pleach_map_apply(m.w.map, &batch));
        assert_answers(&m);
    }
    cudaFreeHost(pinned);
    wide_close(&m.w);
}

static void reads_begin_at_once(const setting *where) { fail_every_call(where, shrunk(1 << 16, 1 << 10), 1); }
static void reads_begin_when_the_host_has_looked(const setting *where)
{
    fail_every_call(where, shrunk(1 << 16, 1 << 10), 8);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {CASE_OF_TREES(reads_begin_at_once),
                                      CASE_OF_TREES(reads_begin_when_the_host_has_looked),
                                      CASE_OF_TREES(reads_beside_updates_are_right)};
    tests_of_trees();
    return run_cases(argc, argv, PLEACH_CUDA, cases, COUNT_OF(cases));
}
