/* radix_sort.h - the radix sort of the commands: stable, a byte at a time from the lowest, of words with values beside
 * them or without, by one thread or by a crew. */
#ifndef PLEACH_TOOLS_RADIX_SORT_H
#define PLEACH_TOOLS_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct crew;

enum { RADIX_DIGITS = 256 };

/* Arrays of n elements each. What is sorted may lie where the result goes; the spare arrays are used in between. */
struct radix_sort {
    unsigned bits; /* 32 or 64: of a word and of a value */
    unsigned low;  /* words that are the same from this bit on stay in their order */
    unsigned high; /* up to this bit; 0: all. A multiple of 8 above low */
    size_t n;
    const void *words, *values; /* values: NULL, or they go with the words */
    void *sorted, *sorted_values;
    void *spare, *spare_values;
    struct crew *crew; /* NULL: by the calling thread alone */
    size_t *counts;    /* with a crew: RADIX_DIGITS for each of its threads */
};

void radix_sort(const struct radix_sort *s);

#endif
