/* radix_sort.c - each pass counts how often each value of a byte occurs, and then moves every word to its place. A byte
 * that is the same in all words costs no pass. One thread counts all bytes at once, since moving words does not change
 * how often a byte occurs; threads of a crew count anew for each pass, since each has other words then. */
#include "radix_sort.h"

#include <stdbool.h>
#include <string.h>

#include "crew.h"
#include "words.h"

enum { FEW = 48, MOST_BYTES = 8 };

struct pass {
    unsigned threads, shift;
    size_t n;
    const void *words, *values;
    void *to, *to_values;
    size_t *counts; /* of each thread; then where its words of each digit go */
};

struct part { size_t begin, end; };

static struct part part_of(const struct pass *p, unsigned thread)
{
    return (struct part){p->n * thread / p->threads, p->n * (thread + 1) / p->threads};
}

/* Always inlined, so that loops have the width, and whether there are values, as constants. */
#define INLINED static inline __attribute__((always_inline))

INLINED void count(const struct pass *p, unsigned thread, unsigned bits)
{
    const struct part part = part_of(p, thread);
    const void *const words = p->words;
    const unsigned shift = p->shift;
    size_t *const counts = p->counts + (size_t)thread * RADIX_DIGITS;
    memset(counts, 0, RADIX_DIGITS * sizeof counts[0]);
    for (size_t i = part.begin; i < part.end; i++) counts[word_get(words, bits, i) >> shift & 255]++;
}

INLINED void scatter(const struct pass *p, unsigned thread, unsigned bits, bool paired)
{
    const struct part part = part_of(p, thread);
    const struct pass pass = *p; /* writes to the arrays could change *p, as far as the compiler knows */
    size_t *const begins = pass.counts + (size_t)thread * RADIX_DIGITS;
    for (size_t i = part.begin; i < part.end; i++) {
        const uint64_t word = word_get(pass.words, bits, i);
        const size_t to = begins[word >> pass.shift & 255]++;
        word_set(pass.to, bits, to, word);
        if (paired) word_set(pass.to_values, bits, to, word_get(pass.values, bits, i));
    }
}

INLINED void count_bytes(const struct radix_sort *s, size_t (*counts)[RADIX_DIGITS], unsigned bits, unsigned bytes)
{
    for (size_t i = 0; i < s->n; i++) {
        const uint64_t word = word_get(s->words, bits, i);
        for (unsigned byte = 0; byte < bytes; byte++) counts[byte][word >> 8 * byte & 255]++;
    }
}

static void count_all(const struct radix_sort *s, size_t (*counts)[RADIX_DIGITS], unsigned high)
{
    if (s->bits == 32)
        count_bytes(s, counts, 32, 4);
    else if (high <= 32)
        count_bytes(s, counts, 64, 4);
    else
        count_bytes(s, counts, 64, 8);
}

static void count32(void *pass, unsigned thread) { count(pass, thread, 32); }
static void count64(void *pass, unsigned thread) { count(pass, thread, 64); }
static void scatter32(void *pass, unsigned thread) { scatter(pass, thread, 32, false); }
static void scatter64(void *pass, unsigned thread) { scatter(pass, thread, 64, false); }
static void scatter_pairs32(void *pass, unsigned thread) { scatter(pass, thread, 32, true); }
static void scatter_pairs64(void *pass, unsigned thread) { scatter(pass, thread, 64, true); }

/* From how many of each thread's digits to where they begin: smaller digits first, then earlier threads. False if all
 * words have the same digit: then no pass is needed. */
INLINED bool add_up(size_t *counts, unsigned threads, size_t n)
{
    const size_t all = (size_t)threads * RADIX_DIGITS;
    size_t sum = 0;
    for (size_t digit = 0; digit < RADIX_DIGITS; digit++) {
        const size_t before = sum;
        for (size_t at = digit; at < all; at += RADIX_DIGITS) {
            const size_t count = counts[at];
            counts[at] = sum;
            sum += count;
        }
        if (sum - before == n) return false;
    }
    return true;
}

/* Few words, where counting would take longer. */
static void insertion_sort(void *words, unsigned bits, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t word = word_get(words, bits, i);
        size_t place = i;
        for (; place > 0 && word_get(words, bits, place - 1) > word; place--)
            word_set(words, bits, place, word_get(words, bits, place - 1));
        word_set(words, bits, place, word);
    }
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes > 0) memcpy(to, from, bytes);
}

static void run(struct crew *crew, crew_part *part, struct pass *pass)
{
    if (crew != NULL)
        crew_run(crew, part, pass);
    else
        part(pass, 0);
}

void radix_sort(const struct radix_sort *s)
{
    const bool wide = s->bits == 64, paired = s->values != NULL;
    const size_t bytes = s->n * word_bytes(s->bits);
    const unsigned high = s->high > 0 ? s->high : s->bits;
    size_t all[MOST_BYTES][RADIX_DIGITS] = {{0}};
    struct pass pass = {.threads = s->crew != NULL ? crew_threads(s->crew) : 1, .n = s->n, .words = s->words,
                        .values = s->values, .counts = s->counts};
    crew_part *const move = paired ? wide ? scatter_pairs64 : scatter_pairs32 : wide ? scatter64 : scatter32;
    if (s->n <= FEW && !paired && s->low == 0 && high == s->bits) {
        copy(s->sorted, s->words, bytes);
        insertion_sort(s->sorted, s->bits, s->n);
        return;
    }
    if (s->crew == NULL) count_all(s, all, high);
    for (pass.shift = s->low; pass.shift < high; pass.shift += 8) {
        if (s->crew == NULL)
            pass.counts = all[pass.shift / 8];
        else
            run(s->crew, wide ? count64 : count32, &pass);
        const bool needed = s->crew == NULL ? add_up(pass.counts, 1, s->n) : add_up(pass.counts, pass.threads, s->n);
        if (!needed) continue;
        pass.to = pass.words == s->spare ? s->sorted : s->spare;
        pass.to_values = pass.words == s->spare ? s->sorted_values : s->spare_values;
        run(s->crew, move, &pass);
        pass.words = pass.to;
        pass.values = pass.to_values;
    }
    copy(s->sorted, pass.words, bytes);
    if (paired) copy(s->sorted_values, pass.values, bytes);
}
