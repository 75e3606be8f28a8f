/* graph/base/graph_backend.h - what a backend of graphs provides to the API layer. Arguments have been checked, and the
 * gate is held as noted. */
#ifndef PLEACH_GRAPH_EXEC_H
#define PLEACH_GRAPH_EXEC_H

#include <stdbool.h>

#include "../../../include/pleach/graph.h"
#include "../../../include/pleach/triangles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum graph_request_kind {
    GRAPH_INSERT_EDGES,
    GRAPH_ERASE_EDGES,
    GRAPH_FIND_EDGES,
    GRAPH_INSERT_VERTICES,
    GRAPH_FIND_VERTICES,
    GRAPH_DEGREES
} graph_request_kind;

/* One array call. Unused members are NULL or 0. */
typedef struct graph_request {
    graph_request_kind kind;
    size_t n;
    const uint32_t *from; /* or vertices */
    const uint32_t *to;
    const uint32_t *values;
    uint32_t *out_values; /* or degrees */
    uint8_t *flags;       /* outcomes, or whether found */
} graph_request;

/* Effects of some elements of a request. */
typedef struct graph_result {
    int64_t edges, vertices; /* increase of their numbers */
    uint64_t not_applied, no_vertex;
} graph_result;

/* The arrays of an export, and its sizes. */
typedef struct graph_rows {
    size_t row_capacity, entry_capacity;
    uint64_t *offsets;
    uint32_t *targets, *values;
    uint64_t rows, entries; /* results */
} graph_rows;

/* Snapshots of a whole graph. Gate: shared for take, none for the others. Exclusive calls check for live snapshots. */
typedef struct graph_snapshot_ops {
    pleach_status (*take)(void *exec, void **snapshot);
    void (*release)(void *exec, void *snapshot);
    void (*size)(void *exec, void *snapshot, uint64_t *vertices, uint64_t *edges);
    pleach_status (*run)(void *exec, void *snapshot, const graph_request *request); /* queries only */
    pleach_status (*neighbours)(void *exec, void *snapshot, size_t n, const uint32_t *vertices, size_t capacity,
                                uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total);
    pleach_status (*export_edges)(void *exec, void *snapshot, size_t capacity, uint32_t *from, uint32_t *to,
                                  uint32_t *values, uint64_t *edges);
    pleach_status (*triangles)(void *exec, void *snapshot, size_t capacity, uint64_t *by_vertex, uint64_t *total);
} graph_snapshot_ops;

typedef struct graph_exec_ops {
    bool host_only; /* arguments must be host memory, and streams are not supported */
    const graph_snapshot_ops *snapshots; /* NULL if not supported */
    pleach_status (*create)(void **exec, const pleach_graph_config *config);
    void (*destroy)(void *exec);
    void (*after_fork)(void *exec); /* CPU graphs only: called in the child */

    /* Gate: shared. */
    pleach_status (*run)(void *exec, const graph_request *request, pleach_stream stream);
    pleach_status (*neighbours)(void *exec, size_t n, const uint32_t *vertices, size_t capacity, uint32_t *neighbours,
                                uint32_t *values, uint64_t *offsets, size_t *total);
    pleach_status (*size)(void *exec, uint64_t *vertices, uint64_t *edges);
    pleach_status (*view)(void *exec, pleach_graph_view *view); /* NULL if not supported */
    void (*view_closed)(void *exec);                            /* once per view */

    /* Gate: exclusive. `quiesce` first waits for the work of calls that is still queued on streams. */
    pleach_status (*quiesce)(void *exec);
    pleach_status (*build)(void *exec, size_t n, const uint32_t *from, const uint32_t *to, const uint32_t *values);
    pleach_status (*new_vertices)(void *exec, size_t n, uint32_t *vertices);
    pleach_status (*erase_vertices)(void *exec, size_t n, const uint32_t *vertices, uint8_t *outcomes);
    pleach_status (*export_rows)(void *exec, graph_rows *rows);
    pleach_status (*export_edges)(void *exec, size_t capacity, uint32_t *from, uint32_t *to, uint32_t *values,
                                  uint64_t *edges);
    pleach_status (*list_vertices)(void *exec, size_t capacity, uint32_t *ids, uint64_t *count); /* existing ones */
    pleach_status (*clear)(void *exec);
    pleach_status (*stats)(void *exec, pleach_graph_stats *stats);
    pleach_status (*validate)(void *exec, char *message, size_t message_size);
    pleach_status (*triangles)(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total);
    /* Inserts or erases edges, and reports how many triangles were added or removed. */
    pleach_status (*run_counting)(void *exec, const graph_request *request, size_t capacity, uint64_t *by_vertex,
                                  uint64_t *change);
} graph_exec_ops;

extern const graph_exec_ops graph_exec_cpu;
extern const graph_exec_ops graph_exec_cuda; /* in builds with CUDA */
extern const graph_exec_ops graph_exec_ordered; /* on every device */

#ifdef __cplusplus
}
#endif
#endif
