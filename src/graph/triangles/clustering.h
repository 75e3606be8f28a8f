/* graph/triangles/clustering.h - clustering coefficients of an undirected graph. */
#ifndef PLEACH_GRAPH_CLUSTERING_H
#define PLEACH_GRAPH_CLUSTERING_H

#include "../base/graph_backend.h"

/* As pleach_graph_clustering, with exclusive access. `average` may be NULL. */
pleach_status clustering_of(const graph_exec_ops *ops, void *exec, unsigned threads, size_t n, double *coefficients,
                            double *average);

#endif
