#include "compact_ids.h"

enum { SPARSE = 8 }; /* ids per existing vertex */

bool places_worthwhile(uint64_t rows, uint64_t vertices) { return rows / SPARSE > vertices; }

uint32_t place_of_id(const uint32_t *ids, uint64_t n, uint32_t id)
{
    uint64_t begin = 0, end = n;
    while (end - begin > 1) {
        uint64_t middle = begin + (end - begin) / 2;
        *(ids[middle] <= id ? &begin : &end) = middle;
    }
    return (uint32_t)begin;
}
