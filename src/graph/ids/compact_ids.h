/* graph/ids/compact_ids.h - vertices known by their places among those that are there, for graphs whose ids are few and large:
 * arrays by id would take memory, and time, by the largest of them. */
#ifndef PLEACH_GRAPH_PLACES_H
#define PLEACH_GRAPH_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether places are worth looking up. `rows` is one more than the largest id that is there. */
bool places_worthwhile(uint64_t rows, uint64_t vertices);

/* Where `id` is among n ids that ascend; it is one of them. */
uint32_t place_of_id(const uint32_t *ids, uint64_t n, uint32_t id);

#endif
