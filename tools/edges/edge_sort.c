/* edge_sort.c - radix sort, a byte at a time from the lowest. Bytes that are the same in all numbers cost no pass. */
#include "edge_sort.h"

#include <string.h>

enum { RADIX = 256, FEW = 48 };

/* Where each value of a byte begins in the sorted order; 0 if all numbers have the same one. */
static int begin_of_values(const size_t *counts, size_t total, size_t *begins)
{
    size_t sum = 0;
    for (int value = 0; value < RADIX; value++) {
        if (counts[value] == total) return 0;
        begins[value] = sum;
        sum += counts[value];
    }
    return 1;
}

void edge_sort_words(uint64_t *words, uint64_t *scratch, size_t count)
{
    size_t counts[8][RADIX] = {{0}}, begins[RADIX];
    uint64_t *source = words, *target = scratch;
    for (size_t i = 0; i < count; i++)
        for (int byte = 0; byte < 8; byte++) counts[byte][words[i] >> 8 * byte & 255]++;
    for (int byte = 0; byte < 8 && count > 1; byte++) {
        if (!begin_of_values(counts[byte], count, begins)) continue;
        for (size_t i = 0; i < count; i++) target[begins[source[i] >> 8 * byte & 255]++] = source[i];
        uint64_t *const sorted = target;
        target = source;
        source = sorted;
    }
    if (source != words) memcpy(words, source, count * sizeof words[0]);
}

static void insertion_sort(uint32_t *ids, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint32_t id = ids[i];
        size_t place = i;
        for (; place > 0 && ids[place - 1] > id; place--) ids[place] = ids[place - 1];
        ids[place] = id;
    }
}

void edge_sort_ids(uint32_t *ids, uint32_t *scratch, size_t count)
{
    if (count <= FEW) {
        insertion_sort(ids, count);
        return;
    }
    size_t counts[4][RADIX] = {{0}}, begins[RADIX];
    uint32_t *source = ids, *target = scratch;
    for (size_t i = 0; i < count; i++)
        for (int byte = 0; byte < 4; byte++) counts[byte][ids[i] >> 8 * byte & 255]++;
    for (int byte = 0; byte < 4; byte++) {
        if (!begin_of_values(counts[byte], count, begins)) continue;
        for (size_t i = 0; i < count; i++) target[begins[source[i] >> 8 * byte & 255]++] = source[i];
        uint32_t *const sorted = target;
        target = source;
        source = sorted;
    }
    if (source != ids) memcpy(ids, source, count * sizeof ids[0]);
}

size_t edge_unique_words(uint64_t *words, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || words[kept - 1] != words[i]) words[kept++] = words[i];
    return kept;
}

size_t edge_unique_ids(uint32_t *ids, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || ids[kept - 1] != ids[i]) ids[kept++] = ids[i];
    return kept;
}
