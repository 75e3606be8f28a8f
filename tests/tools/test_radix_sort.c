/* test_radix_sort.c - the sort of the commands against the C library's: words of both widths, with values and without,
 * by ranges of bits, by one thread and by crews. That equal words stay in order shows by their values. */
#include <stdlib.h>
#include <string.h>

#include "testkit/buffers.h"
#include "testkit/harness.h"
#include "testkit/random.h"
#include "testkit/units.h"
#include "tools/common/crew.h"
#include "tools/common/radix_sort.h"
#include "tools/common/words.h"
#include "tools/edges/edge_sort.h"

enum { MOST = 500, MOST_THREADS = 5 };

struct element { uint64_t by, word, place; };

static int compare_elements(const void *one, const void *other)
{
    const struct element *a = one, *b = other;
    if (a->by != b->by) return (a->by > b->by) - (a->by < b->by);
    return (a->place > b->place) - (a->place < b->place);
}

struct arrays {
    uint64_t words[MOST], values[MOST], sorted[MOST], sorted_values[MOST], spare[MOST], spare_values[MOST];
};

/* Where the result goes: elsewhere, or over what is sorted. */
static void check_sort(struct radix_sort s, struct arrays *a, bool paired, bool in_place)
{
    static struct element want[MOST];
    const unsigned high = s.high > 0 ? s.high : s.bits;
    for (size_t i = 0; i < s.n; i++) {
        const uint64_t word = word_get(a->words, s.bits, i);
        want[i] = (struct element){(high < 64 ? word & (((uint64_t)1 << high) - 1) : word) >> s.low, word, i};
        word_set(a->values, s.bits, i, i);
    }
    qsort(want, s.n, sizeof want[0], compare_elements);
    s.words = a->words;
    s.sorted = in_place ? a->words : a->sorted;
    s.spare = a->spare;
    if (paired) {
        s.values = a->values;
        s.sorted_values = in_place ? a->values : a->sorted_values;
        s.spare_values = a->spare_values;
    }
    radix_sort(&s);
    for (size_t i = 0; i < s.n; i++) {
        assert_true(word_get(s.sorted, s.bits, i) == want[i].word);
        if (paired) assert_true(word_get(s.sorted_values, s.bits, i) == want[i].place);
    }
}

static void test_all_forms(void)
{
    static struct arrays a;
    static size_t counts[MOST_THREADS * RADIX_DIGITS];
    for (unsigned threads = 0; threads <= MOST_THREADS; threads++) {
        struct crew *const crew = threads > 0 ? crew_create(threads) : NULL;
        for (size_t round = 0; round < scaled(500); round++) {
            rng random = rng_for(test_seed(), 1000 * threads + round);
            struct radix_sort s = {.bits = 32u << rng_below(&random, 2), .n = rng_below(&random, MOST + 1),
                                   .crew = crew, .counts = counts};
            s.low = 8 * (unsigned)rng_below(&random, s.bits / 8);
            const unsigned bytes = 1 + (unsigned)rng_below(&random, (s.bits - s.low) / 8);
            s.high = rng_percent(&random, 50) ? 0 : s.low + 8 * bytes;
            const uint64_t mask = rng_next(&random) | rng_next(&random) >> rng_below(&random, 64); /* bytes alike */
            for (size_t i = 0; i < s.n; i++) word_set(a.words, s.bits, i, rng_next(&random) & mask);
            check_sort(s, &a, rng_percent(&random, 50), rng_percent(&random, 50));
        }
        crew_destroy(crew);
    }
}

static int compare_words(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

/* As edges use it, also few words; the ids are the lower halves. */
static void test_edges_and_ids(void)
{
    for (size_t round = 0; round < scaled(2000); round++) {
        rng random = rng_for(test_seed(), 10000 + round);
        uint64_t words[MOST], want[MOST], scratch[MOST], ids_wanted[MOST];
        uint32_t ids[MOST], id_scratch[MOST];
        const size_t count = rng_below(&random, MOST + 1);
        const uint64_t mask = rng_next(&random) | rng_next(&random) >> rng_below(&random, 64); /* some bytes alike */
        for (size_t i = 0; i < count; i++) {
            words[i] = want[i] = rng_next(&random) & mask;
            ids[i] = (uint32_t)words[i];
            ids_wanted[i] = ids[i];
        }
        qsort(want, count, sizeof want[0], compare_words);
        qsort(ids_wanted, count, sizeof ids_wanted[0], compare_words);
        edge_sort_words(words, scratch, count);
        edge_sort_ids(ids, id_scratch, count);
        for (size_t i = 0; i < count; i++) assert_true(words[i] == want[i] && ids[i] == ids_wanted[i]);
    }
}

int main(int argc, char **argv)
{
    unit_case cases[] = {UNIT_NAMED("all forms", test_all_forms), UNIT_NAMED("edges and ids", test_edges_and_ids)};
    return run_units("test_radix_sort", argc, argv, cases, sizeof cases / sizeof cases[0]);
}
