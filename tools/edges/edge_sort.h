/* edge_sort.h - sorting of numbers that stand for edges and vertices, in time proportional to their count. */
#ifndef PLEACH_TOOLS_EDGE_SORT_H
#define PLEACH_TOOLS_EDGE_SORT_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t edge_pack(uint32_t from, uint32_t to) { return (uint64_t)from << 32 | to; }

/* Sorts ascending. `scratch` has room for as many; what it holds afterwards means nothing. */
void edge_sort_words(uint64_t *words, uint64_t *scratch, size_t count);
void edge_sort_ids(uint32_t *ids, uint32_t *scratch, size_t count);

/* Of sorted numbers leaves each once; answers how many are left. */
size_t edge_unique_words(uint64_t *words, size_t count);
size_t edge_unique_ids(uint32_t *ids, size_t count);

#endif
