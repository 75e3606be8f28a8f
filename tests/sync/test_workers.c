/* test_workers.c - what a CPU map stands on beside its tree and the gate: the worker threads, and the sorting of what is
 * loaded. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cpu/sort.h"
#include "sync/workers.h"
#include "sync/gate.h"
#include "testkit/agents.h"
#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/patterns.h"
#include "testkit/units.h"

/* ---- worker threads -------------------------------------------------------------------------------------------- */

/* One call's elements. The counts are plain: parts do not overlap, and all are done when the call returns. */
typedef struct errand {
    size_t n, grain;
    unsigned char *times;
    atomic_bool wrong; /* a part that is empty, or out of bounds, or neither small enough nor everything */
} errand;

static void count_elements(void *context, size_t begin, size_t end)
{
    errand *e = context;
    if (begin >= end || end > e->n || (end - begin > e->grain && end - begin != e->n)) {
        atomic_store(&e->wrong, true);
        return;
    }
    for (size_t i = begin; i < end; i++)
        e->times[i]++;
}

/* Answers rather than asserts: callable from any thread. */
static bool each_element_once(workers *w, size_t n, size_t grain)
{
    errand e = {n, grain, must_alloc(n, 1), false};
    workers_run(w, n, grain, count_elements, &e);
    bool right = !atomic_load(&e.wrong);
    for (size_t i = 0; i < n; i++)
        right &= e.times[i] == 1;
    free(e.times);
    return right;
}

static void every_element_once(void)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    static const size_t sizes[] = {0, 1, 2, 7, 63, 64, 65, 1000, 4097};
    static const size_t grains[] = {1, 2, 7, 64, 1000, 4096, 4097, 100000};
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        workers *w = workers_create(threads[t]);
        assert_non_null(w);
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (size_t g = 0; g < COUNT_OF(grains); g++)
                for (size_t round = 0; round < shrunk(5, 1); round++)
                    assert_true(each_element_once(w, sizes[s], grains[g]));
        workers_destroy(w);
    }
}

typedef struct office {
    workers *w;
    size_t rounds;
} office;

static void send_errands(agent *a)
{
    office *o = a->shared;
    for (size_t round = 0; round < o->rounds && !stopped(a); round++)
        EXPECT(a, each_element_once(o->w, rng_below(&a->r, 300), 1 + rng_below(&a->r, 50)));
}

static void callers_at_once(void)
{
    static const unsigned threads[] = {2, 3, 5};
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        office o = {workers_create(threads[t]), scaled(8000)};
        assert_non_null(o.w);
        run_agents(calling_threads(), send_errands, &o);
        workers_destroy(o.w);
    }
}

/* Parts that wait for each other: only several threads can finish them. */
typedef struct meeting {
    atomic_int present, over;
    int wanted;
    office *o;
} meeting;

static void attend(void *context, size_t begin, size_t end)
{
    meeting *m = context;
    atomic_fetch_add(&m->present, 1);
    if (end - begin != 1)
        return; /* one thread got everything and would wait for ever; that too few came is seen afterwards */
    while (atomic_load(&m->present) < m->wanted || !atomic_load(&m->over))
        sched_yield();
}

static void all_threads_work(void)
{
    for (unsigned threads = 2; threads <= 5; threads++) {
        workers *w = workers_create(threads);
        assert_non_null(w);
        meeting m = {.wanted = (int)threads, .over = 1};
        for (int round = 0; round < 20; round++) {
            atomic_store(&m.present, 0);
            workers_run(w, threads, 1, attend, &m);
            assert_int_equal(atomic_load(&m.present), threads);
        }
        workers_destroy(w);
    }
}

/* Agent 0 has the helpers, until agent 1 has got its own work done without them. */
/* Slots are few, and each that is owned makes exclusive calls execute a barrier: helpers leave them to callers. */
static void own_no_slot(void *context, team *all, unsigned member)
{
    (void)all;
    if (member > 0 && gate_thread_number() < GATE_SLOTS) atomic_store((atomic_bool *)context, true);
}

static void helpers_own_no_slot(void)
{
    atomic_bool owned = false;
    workers *w = workers_create(4);
    assert_non_null(w);
    workers_team(w, 4, own_no_slot, &owned);
    workers_destroy(w);
    assert_false(atomic_load(&owned));
}

static void call_beside_a_long_call(agent *a)
{
    meeting *m = a->shared;
    if (a->index == 0) {
        workers_run(m->o->w, (size_t)m->wanted, 1, attend, m);
        EXPECT(a, atomic_load(&m->present) == m->wanted);
        return;
    }
    wait_until(a, &m->present, m->wanted);
    bool right = each_element_once(m->o->w, 1000, 10) && each_element_once(m->o->w, 5, 10);
    atomic_store(&m->over, 1);
    EXPECT(a, right);
}

static void busy_helpers_hold_nobody_up(void)
{
    office o = {workers_create(3), 0};
    assert_non_null(o.w);
    for (size_t round = 0; round < shrunk(20, 5); round++) {
        meeting m = {.wanted = 3, .o = &o};
        run_agents(2, call_beside_a_long_call, &m);
        assert_true(each_element_once(o.w, 1000, 10));
    }
    workers_destroy(o.w);
}

static void workers_that_never_worked(void)
{
    for (unsigned threads = 1; threads <= 4; threads++) {
        workers *w = workers_create(threads);
        assert_non_null(w);
        workers_run(w, 0, 1, count_elements, NULL); /* no element, no call */
        workers_destroy(w);
    }
}

static void workers_without_memory(void)
{
    for (long failing = 1; failing <= 2; failing++) {
        base_fail_nth_allocation(failing);
        workers *w = workers_create(3);
        base_fail_nth_allocation(0);
        assert_null(w);
    }
}

/* ---- sorting --------------------------------------------------------------------------------------------------- */

/* An array of keys as the library wants it. */
static void *of_width(unsigned key_bits, size_t n, const uint64_t *words)
{
    void *array = must_alloc(n, key_bits / 8);
    for (size_t i = 0; i < n; i++) {
        if (key_bits == 32)
            ((uint32_t *)array)[i] = (uint32_t)words[i];
        else
            ((uint64_t *)array)[i] = words[i];
    }
    return array;
}

static uint64_t word_at(unsigned key_bits, const void *array, size_t i)
{
    return key_bits == 32 ? ((const uint32_t *)array)[i] : ((const uint64_t *)array)[i];
}

typedef struct reference {
    uint64_t key;
    size_t place; /* in the input */
} reference;

static int by_key_and_place(const void *a, const void *b)
{
    const reference *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static reference *sorted_reference(size_t n, const uint64_t *keys)
{
    reference *r = must_alloc(n, sizeof *r);
    for (size_t i = 0; i < n; i++)
        r[i] = (reference){keys[i], i};
    qsort(r, n, sizeof *r, by_key_and_place);
    return r;
}

static void check_sort(unsigned key_bits, size_t n, const uint64_t *keys)
{
    uint64_t top = key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    FREED uint64_t *values = must_alloc(n, sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = ~(uint64_t)i & top; /* says where it came from */
    FREED void *in_keys = of_width(key_bits, n, keys), *in_values = of_width(key_bits, n, values);
    void *out_keys = NULL, *out_values = NULL;
    size_t distinct = sort_distinct(key_bits, in_keys, in_values, n, &out_keys, &out_values);
    FREED reference *r = sorted_reference(n, keys);
    size_t expected = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && r[i + 1].key == r[i].key)
            continue; /* the last one wins */
        assert_true(expected < distinct);
        assert_int_equal(word_at(key_bits, out_keys, expected), r[i].key);
        assert_int_equal(word_at(key_bits, out_values, expected), values[r[i].place]);
        expected++;
    }
    assert_int_equal(distinct, expected);
    assert_true(sort_is_ascending(key_bits, out_keys, distinct));
    for (size_t i = 0; i < n; i++) { /* copies were sorted */
        assert_int_equal(word_at(key_bits, in_keys, i), keys[i]);
        assert_int_equal(word_at(key_bits, in_values, i), values[i]);
    }
    base_free(out_keys);
    base_free(out_values);
}

static const unsigned widths[] = {32, 64};

static uint64_t top_of(unsigned key_bits)
{
    return key_bits == 32 ? UINT32_MAX : UINT64_MAX;
}

static void sort_of_patterns(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 255, 256, 257, 5000};
    rng r = rng_for(test_seed(), 1);
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (pattern p = 0; p < PATTERNS; p++) {
                FREED uint64_t *keys = pattern_keys(p, sizes[s], top_of(widths[w]), &r);
                check_sort(widths[w], sizes[s], keys);
            }
}

static void sort_with_duplicates(void)
{
    enum { N = 3000 };
    static const uint64_t distinct[] = {1, 2, 3, 10, 255, 256, 1000};
    rng r = rng_for(test_seed(), 2);
    FREED uint64_t *keys = must_alloc(N, sizeof *keys);
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (size_t d = 0; d < COUNT_OF(distinct); d++) {
            for (size_t i = 0; i < N; i++)
                keys[i] = mix64(rng_below(&r, distinct[d])) & top_of(widths[w]);
            check_sort(widths[w], N, keys);
        }
}

static void sort_of_equal_and_extreme_keys(void)
{
    enum { N = 600 };
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        uint64_t top = top_of(widths[w]), keys[N];
        const uint64_t some[] = {0, top, 1, top - 1, top / 2, top / 2 + 1};
        for (size_t k = 0; k < COUNT_OF(some); k++) {
            for (size_t i = 0; i < N; i++)
                keys[i] = some[k];
            check_sort(widths[w], N, keys);
        }
        for (size_t i = 0; i < N; i++)
            keys[i] = some[i % COUNT_OF(some)];
        check_sort(widths[w], N, keys);
    }
}

/* Keys that differ in one byte only: the other passes of a radix sort have nothing to do and may be left out. */
static void sort_by_one_byte(void)
{
    enum { N = 700 };
    rng r = rng_for(test_seed(), 3);
    for (size_t w = 0; w < COUNT_OF(widths); w++)
        for (unsigned shift = 0; shift < widths[w]; shift += 8) {
            uint64_t keys[N], rest = rng_next(&r) & top_of(widths[w]) & ~((uint64_t)255 << shift);
            for (size_t i = 0; i < N; i++)
                keys[i] = rest | rng_below(&r, 256) << shift;
            check_sort(widths[w], N, keys);
        }
}

static void assert_ascending(unsigned key_bits, size_t n, const uint64_t *keys, bool expected)
{
    FREED void *array = of_width(key_bits, n, keys);
    assert_int_equal(sort_is_ascending(key_bits, array, n), expected);
}

static void ascending_means_strictly(void)
{
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        uint64_t top = top_of(widths[w]);
        const uint64_t rising[] = {0, 1, 2, top / 2, top / 2 + 1, top - 1, top};
        size_t n = COUNT_OF(rising);
        for (size_t length = 0; length <= n; length++)
            assert_ascending(widths[w], length, rising, true);
        for (size_t at = 1; at < n; at++) {
            uint64_t keys[COUNT_OF(rising)];
            memcpy(keys, rising, sizeof keys);
            keys[at] = keys[at - 1]; /* twice */
            assert_ascending(widths[w], n, keys, false);
            assert_ascending(widths[w], at, keys, true);
            keys[at] = rising[at - 1];
            keys[at - 1] = rising[at]; /* falling */
            assert_ascending(widths[w], n, keys, false);
        }
        assert_ascending(widths[w], 2, (const uint64_t[]){top, 0}, false);
    }
}

static void sort_without_memory(void)
{
    const uint64_t keys[] = {3, 1, 2};
    for (size_t w = 0; w < COUNT_OF(widths); w++) {
        FREED void *array = of_width(widths[w], COUNT_OF(keys), keys);
        void *out_keys, *out_values;
        for (long failing = 1; failing <= 4; failing++) {
            base_fail_nth_allocation(failing);
            size_t distinct = sort_distinct(widths[w], array, array, COUNT_OF(keys), &out_keys, &out_values);
            base_fail_nth_allocation(0);
            assert_true(distinct == SIZE_MAX);
        }
    }
}
/* ---- the runner ------------------------------------------------------------------------------------------------ */

static unit_case cases[] = {
    UNIT(every_element_once),
    UNIT(callers_at_once),
    UNIT(all_threads_work),
    UNIT(helpers_own_no_slot),
    UNIT(busy_helpers_hold_nobody_up),
    UNIT(workers_that_never_worked),
    UNIT(workers_without_memory),
    UNIT(sort_of_patterns),
    UNIT(sort_with_duplicates),
    UNIT(sort_of_equal_and_extreme_keys),
    UNIT(sort_by_one_byte),
    UNIT(ascending_means_strictly),
    UNIT(sort_without_memory),
};

int main(int argc, char **argv)
{
    return run_units("test_workers", argc, argv, cases, COUNT_OF(cases));
}
