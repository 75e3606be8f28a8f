/* graph/graph_run.c - operations of graphs on CPU threads. Compiled once per kind of graph: edges with values, or
 * without (cmake/kinds.cmake). */
#include "graph_vertex.h"
#include "graph_run.h"
#include "graph_run_kind.h"

const graph_run_ops SLAB_EXPORT(graph_run) = {SLAB_SLOTS,  run_elements, list_targets, visit_targets, erase_half,
                                              open_vertex, drop_vertex,  graph_find,   slab_check};
