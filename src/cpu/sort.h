/* cpu/sort.h - sorts (key, value) pairs by ascending key; of equal keys only the last pair is kept. */
#ifndef PLEACH_CPU_SORT_H
#define PLEACH_CPU_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true if the n keys ascend strictly. */
bool sort_is_ascending(unsigned key_bits, const void *keys, size_t n);

/* Sorts copies of the arrays; the caller frees *sorted_keys and *sorted_values with base_free. Returns the number of
 * distinct keys, or SIZE_MAX if there is no memory. */
size_t sort_distinct(unsigned key_bits, const void *keys, const void *values, size_t n, void **sorted_keys,
                     void **sorted_values);

/* The functions for one key width: sort_width.c is compiled once per width. */
typedef struct key_sorter {
    bool (*is_ascending)(const void *keys, size_t n);
    /* Keys are in buffer[0], values in buffer[2]; buffer[1] and buffer[3] are scratch of the same size. Two of the four
     * become the result; the function frees the other two. */
    size_t (*sort_copies)(void *buffer[4], size_t n, void **sorted_keys, void **sorted_values);
} key_sorter;

extern const key_sorter key_sorter_32, key_sorter_64, key_sorter_128;

#endif
