/* graph/graph_cpu.h - a graph in host memory: declarations shared by the files of this folder. */
#ifndef PLEACH_GRAPH_CPU_H
#define PLEACH_GRAPH_CPU_H

#include "graph_vertex.h"
#include "triangles/triangle_change.h"
#include "../pool/pool_host.h"
#include "graph_run.h"
#include "../sync/workers.h"

typedef struct cpu_graph {
    unsigned threads;
    bool directed, values, sparse;
    slab_seed seed;
    uint32_t load; /* keys per 1,024 slots */
    uint64_t max_bytes;
    graph_state *state;
    pool_host slabs;     /* also holds the segments of vertices */
    pool_host directory;
    uint64_t lowest_free; /* no smaller id is free; used with exclusive access only */
    workers *workers;
    const graph_run_ops *ops;
} cpu_graph;

/* Returns how the calling thread reaches the graph. */
graph_ref graph_place_of(const cpu_graph *graph);

/* Walks over all vertices go by segments, and skip segments that were never allocated, because ids may be few and
 * large. Returns false for such a segment. Otherwise its vertices have the numbers *first .. *end - 1 (graph_table,
 * graph_id). */
bool graph_segment(const graph_ref *place, uint64_t number, uint64_t *first, uint64_t *end);

void graph_count_changes(const cpu_graph *graph, const graph_result *result);

/* graph_cpu_rows.c: lists of neighbours. */
pleach_status graph_cpu_neighbours(void *exec, size_t n, const uint32_t *vertices, size_t capacity,
                                   uint32_t *neighbours, uint32_t *values, uint64_t *offsets, size_t *total);
pleach_status graph_cpu_export_rows(void *exec, graph_rows *rows);
pleach_status graph_cpu_export_edges(void *exec, size_t capacity, uint32_t *from, uint32_t *to, uint32_t *values,
                                     uint64_t *edges);
pleach_status graph_cpu_list_vertices(void *exec, size_t capacity, uint32_t *ids, uint64_t *count);

/* graph_cpu_vertices.c */
pleach_status graph_cpu_build(void *exec, size_t n, const uint32_t *from, const uint32_t *to, const uint32_t *values);
pleach_status graph_cpu_new_vertices(void *exec, size_t n, uint32_t *vertices);
pleach_status graph_cpu_erase_vertices(void *exec, size_t n, const uint32_t *vertices, uint8_t *outcomes);

/* graph_cpu_check.c */
pleach_status graph_cpu_stats(void *exec, pleach_graph_stats *stats);
pleach_status graph_cpu_validate(void *exec, char *message, size_t message_size);

/* graph_cpu_triangles.c */
pleach_status graph_cpu_triangles(void *exec, size_t capacity, uint64_t *by_vertex, uint64_t *total);
/* Counts the triangles that have an edge of the change, per vertex and in total, in time proportional to the size of
 * the graph. Returns false if there is no memory; nothing was done then. */
bool graph_cpu_triangles_of(cpu_graph *graph, triangle_change *change);

/* graph_cpu_triangle_method.c: returns whether that is less work than the wedges at each edge. */
bool graph_cpu_rows_are_less_work(const cpu_graph *graph, const triangle_change *change);

/* graph_cpu_triangle_change.c */
pleach_status graph_cpu_run_counting(void *exec, const graph_request *request, size_t capacity, uint64_t *by_vertex,
                                     uint64_t *change);

pleach_status graph_cpu_run(void *exec, const graph_request *request, pleach_stream stream);
pleach_status graph_cpu_clear(void *exec);

#endif
