#include "edge_sort.h"

#include "tools/common/radix_sort.h"

void edge_sort_words(uint64_t *words, uint64_t *scratch, size_t count)
{
    radix_sort(&(struct radix_sort){.bits = 64, .n = count, .words = words, .sorted = words, .spare = scratch});
}

void edge_sort_ids(uint32_t *ids, uint32_t *scratch, size_t count)
{
    radix_sort(&(struct radix_sort){.bits = 32, .n = count, .words = ids, .sorted = ids, .spare = scratch});
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
