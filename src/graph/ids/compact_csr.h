/* graph/ids/compact_csr.h - an undirected graph as rows by the places of its vertices (compact_ids.h), whoever keeps it: by what
 * it exports. Alone. */
#ifndef PLEACH_GRAPH_PLACE_ROWS_H
#define PLEACH_GRAPH_PLACE_ROWS_H

#include "../graph_backend.h"

/* The neighbours of the vertex at a place are at the places targets[offsets[place]] .. targets[offsets[place + 1] - 1],
 * in no order. */
typedef struct place_rows {
    uint64_t n;
    uint32_t *ids;     /* by place, ascending */
    uint64_t *offsets; /* n + 1 */
    uint32_t *targets;
} place_rows;

/* MEMORY, or what exports answer: then there is nothing to close. */
pleach_status place_rows_open(const graph_exec_ops *ops, void *exec, place_rows *rows);
void place_rows_close(place_rows *rows);

#endif
