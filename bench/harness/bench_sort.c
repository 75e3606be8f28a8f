/* bench_sort.c - sorting words of all widths. */
#include <stdlib.h>

#include "bench.h"
#include "tools/common/radix_sort.h"

bool bench_sort(void *words, unsigned bits, size_t n) { return bench_sort_from(words, bits, n, 0); }

bool bench_sort_from(void *words, unsigned bits, size_t n, unsigned low)
{
    const unsigned sorted_bits = bits == 128 ? 64 : bits; /* the lower half follows from the high one */
    uint64_t *const scratch = malloc((bits == 128 ? 2 : 1) * n * word_bytes(sorted_bits) + 1);
    if (scratch == NULL) return false;
    void *const sorted = bits == 128 ? scratch + n : words;
    for (size_t i = 0; bits == 128 && i < n; i++) scratch[n + i] = bench_word(words, bits, i);
    radix_sort(&(struct radix_sort){.bits = sorted_bits, .low = low, .n = n, .words = sorted, .sorted = sorted,
                                    .spare = scratch});
    for (size_t i = 0; bits == 128 && i < n; i++) bench_set_word(words, bits, i, scratch[n + i]);
    free(scratch);
    return true;
}
