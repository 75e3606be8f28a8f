/* graph/triangles/triangles.h - counts triangles of an undirected graph that is given as rows, independent of the
 * backend: all triangles, or those that have a marked edge. */
#ifndef PLEACH_GRAPH_TRIANGLES_H
#define PLEACH_GRAPH_TRIANGLES_H

#include <stdint.h>

#include "../../../include/pleach/status.h"
#include "../../sync/workers.h"

/* The neighbours of vertex i are targets[offsets[i]] .. targets[offsets[i + 1] - 1], in any order, each once. Each edge
 * is in the rows of both its endpoints, and no vertex is in its own row. */
typedef struct triangle_rows {
    uint64_t n;
    const uint64_t *offsets; /* n + 1 */
    const uint32_t *targets;
    const uint64_t *marked; /* by row: where its marked neighbours begin in targets; they are its last ones. An edge
                             * is marked in both rows or in none. NULL if all are */
} triangle_rows;

/* Counts the triangles that have a marked edge. by_vertex may be NULL; otherwise it has at least n elements, and is
 * added to. If this returns PLEACH_E_MEMORY, its contents are undefined. */
pleach_status triangles_count(workers *all, unsigned threads, const triangle_rows *rows, uint64_t *by_vertex,
                              uint64_t *total);

#endif
