/* bench_sort.c - radix sort of words, a byte at a time from the lowest. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { DIGITS = 256 };

/* Where each digit's words begin after the pass; false if all words have the same digit: no pass is needed. */
static bool count_digits(const void *words, unsigned bits, size_t n, unsigned shift, size_t *begins)
{
    size_t counts[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) counts[(bench_word(words, bits, i) >> shift) % DIGITS]++;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        if (counts[digit] == n) return false;
        begins[digit] = sum;
        sum += counts[digit];
    }
    return true;
}

bool bench_sort(void *words, unsigned bits, size_t n) { return bench_sort_from(words, bits, n, 0); }

bool bench_sort_from(void *words, unsigned bits, size_t n, unsigned low)
{
    size_t begins[DIGITS];
    void *other = malloc(n * word_bytes(bits));
    void *from = words, *to = other;
    if (other == NULL) return false;
    for (unsigned shift = low; shift < bits && shift < 64; shift += 8) {
        if (!count_digits(from, bits, n, shift, begins)) continue;
        for (size_t i = 0; i < n; i++) {
            const uint64_t word = bench_word(from, bits, i);
            bench_set_word(to, bits, begins[(word >> shift) % DIGITS]++, word);
        }
        void *swap = from;
        from = to;
        to = swap;
    }
    if (from != words) memcpy(words, from, n * word_bytes(bits));
    free(other);
    return true;
}
