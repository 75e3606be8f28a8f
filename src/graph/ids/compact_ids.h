/* graph/ids/compact_ids.h - positions of vertices among those that exist, for graphs whose ids are few and large:
 * arrays by id would take memory, and time, proportional to the largest id. */
#ifndef PLEACH_GRAPH_PLACES_H
#define PLEACH_GRAPH_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether positions are worth the lookups. `rows` is one more than the largest existing id. */
bool places_worthwhile(uint64_t rows, uint64_t vertices);

/* Returns the position of `id` among n ascending ids. It must be one of them. */
uint32_t place_of_id(const uint32_t *ids, uint64_t n, uint32_t id);

#endif
