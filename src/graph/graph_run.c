/* graph/graph_run.c - operations of graphs on CPU threads, with values and without. */
#include "graph_vertex.h"
#include "graph_run.h"

#define PLEACH_KEY_BITS 32
#define SLAB_VALUES 0
#include "graph_run_kind.h"

const graph_run_ops graph_run_set = {SLAB_SLOTS, run_set32,  list_set32, visit_set32,     erase_half_set32,
                                     open_set32, drop_set32, graph_find_set32, slab_check_set32};
#undef SLAB_VALUES
#define SLAB_VALUES 1
#include "graph_run_kind.h"

const graph_run_ops graph_run_map = {SLAB_SLOTS, run_map32,  list_map32, visit_map32,     erase_half_map32,
                                     open_map32, drop_map32, graph_find_map32, slab_check_map32};
