/* cpu/sort.h - (key, value) pairs in ascending order of keys, of equal keys only the last one. */
#ifndef PLEACH_CPU_SORT_H
#define PLEACH_CPU_SORT_H

#include <stdbool.h>
#include <stddef.h>

/* True if the n keys ascend strictly. */
bool sort_is_ascending(unsigned key_bits, const void *keys, size_t n);

/* Sorts copies of the arrays; *sorted_keys and *sorted_values are freed with base_free. Answers the number of distinct
 * keys, or SIZE_MAX if there is no memory. */
size_t sort_distinct(unsigned key_bits, const void *keys, const void *values, size_t n, void **sorted_keys,
                     void **sorted_values);

#endif
