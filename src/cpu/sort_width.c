/* cpu/sort_width.c - least-significant-digit radix sort. It is stable, so of equal keys the last one in the input is
 * also the last one in the output. Compiled once per key width. */
#include "../base/memory.h"
#include "../base/width.h"
#include "sort.h"

enum { DIGIT_BITS = 8, BUCKETS = 1 << DIGIT_BITS };

static bool is_ascending(const void *array, size_t n)
{
    const map_key *keys = array;
    for (size_t i = 1; i < n; i++)
        if (keys[i - 1] >= keys[i]) return false;
    return true;
}

static void radix_pass(const map_key *keys, const map_key *values, size_t n, unsigned shift, size_t *place,
                       map_key *to_keys, map_key *to_values)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = place[(unsigned)(keys[i] >> shift) & (BUCKETS - 1)]++;
        to_keys[at] = keys[i];
        to_values[at] = values[i];
    }
}

/* Turns bucket counts into first positions. Returns true if one bucket has all elements: the pass moves nothing. */
static bool places_of_counts(size_t *count, size_t n)
{
    size_t place = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        size_t here = count[b];
        if (here == n) return true;
        count[b] = place;
        place += here;
    }
    return false;
}

static size_t keep_last_of_equal(map_key *keys, map_key *values, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && keys[i + 1] == keys[i]) continue;
        keys[kept] = keys[i];
        values[kept++] = values[i];
    }
    return kept;
}

/* keys[0], values[0] hold the input; keys[1], values[1] have the same size. Returns the index that holds the result. */
static unsigned radix_sort(map_key *keys[2], map_key *values[2], size_t n)
{
    unsigned from = 0;
    for (unsigned shift = 0; shift < PLEACH_KEY_BITS; shift += DIGIT_BITS) {
        size_t count[BUCKETS] = {0};
        for (size_t i = 0; i < n; i++) count[(unsigned)(keys[from][i] >> shift) & (BUCKETS - 1)]++;
        if (places_of_counts(count, n)) continue;
        radix_pass(keys[from], values[from], n, shift, count, keys[!from], values[!from]);
        from = !from;
    }
    return from;
}

static size_t sort_copies(void *buffer[4], size_t n, void **sorted_keys, void **sorted_values)
{
    map_key *keys[2] = {buffer[0], buffer[1]}, *values[2] = {buffer[2], buffer[3]};
    unsigned result = radix_sort(keys, values, n);
    *sorted_keys = keys[result];
    *sorted_values = values[result];
    base_free(keys[!result]);
    base_free(values[!result]);
    return keep_last_of_equal(keys[result], values[result], n);
}

const key_sorter WIDTH_SYMBOL(key_sorter) = {is_ascending, sort_copies};
