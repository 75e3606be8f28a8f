/* graph/ids/compact_csr.h - an undirected graph of any backend as rows by the positions of its vertices
 * (compact_ids.h), made from what it exports. Exclusive. */
#ifndef PLEACH_GRAPH_PLACE_ROWS_H
#define PLEACH_GRAPH_PLACE_ROWS_H

#include "../base/graph_backend.h"

/* The vertex at position i has its neighbours at the positions targets[offsets[i]] .. targets[offsets[i + 1] - 1], in
 * any order. */
typedef struct place_rows {
    uint64_t n;
    uint32_t *ids;     /* by position, ascending */
    uint64_t *offsets; /* n + 1 */
    uint32_t *targets;
} place_rows;

/* Returns PLEACH_E_MEMORY, or the status of an export; rows need not be closed then. */
pleach_status place_rows_open(const graph_exec_ops *ops, void *exec, place_rows *rows);
void place_rows_close(place_rows *rows);

#endif
