/* graph/triangles/triangles.h - triangles of an undirected graph that is given as rows, whoever keeps it: all, or those that have
 * a marked edge. */
#ifndef PLEACH_GRAPH_TRIANGLES_H
#define PLEACH_GRAPH_TRIANGLES_H

#include <stdint.h>

#include "../../../include/pleach/status.h"
#include "../../sync/workers.h"

/* The neighbours of vertex i are targets[offsets[i]] .. targets[offsets[i + 1] - 1], in any order, each once; each edge
 * is in the rows of both its ends, and no vertex in its own. */
typedef struct triangle_rows {
    uint64_t n;
    const uint64_t *offsets; /* n + 1 */
    const uint32_t *targets;
    const uint64_t *marked; /* by row: where in targets its marked neighbours begin, which are its last ones. An edge
                             * is marked in both rows or in none. NULL: all are */
} triangle_rows;

/* The triangles with a marked edge. by_vertex may be NULL, else it has n elements or more, and is added to. MEMORY:
 * then it holds nothing of use. */
pleach_status triangles_count(workers *all, unsigned threads, const triangle_rows *rows, uint64_t *by_vertex,
                              uint64_t *total);

#endif
