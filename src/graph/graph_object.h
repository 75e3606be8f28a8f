/* graph/graph_object.h - the object behind a pleach_graph. */
#ifndef PLEACH_GRAPH_OBJECT_H
#define PLEACH_GRAPH_OBJECT_H

#include <stdatomic.h>

#include "base/graph_backend.h"
#include "../sync/gate_fork.h"

struct pleach_graph {
    const graph_exec_ops *ops;
    void *exec;
    pleach_device device;
    bool directed, values;
    bool host_only; /* arguments must be host memory, and streams are not supported */
    pleach_graph_config config;   /* with defaults filled in */
    atomic_size_t live_snapshots; /* while there are any, `exec` is not replaced */
    gate gate;
    gate_fork fork;
};

pleach_status graph_check_request(const pleach_graph *graph, const graph_request *r, pleach_stream stream);
pleach_status graph_check_pointers(const pleach_graph *graph, const void *const *pointers, size_t n);

/* Checks the arguments of calls that list neighbours or edges. */
pleach_status graph_check_lists(const pleach_graph *graph, size_t n, const uint32_t *vertices,
                                const uint32_t *neighbours, const uint32_t *values, const uint64_t *offsets);
pleach_status graph_check_edges_out(const pleach_graph *graph, const uint32_t *from, const uint32_t *to,
                                    const uint32_t *values, const uint64_t *edges);

/* Enters exclusively. If it returns PLEACH_OK, the caller must call gate_leave_exclusive. */
pleach_status graph_enter_exclusive(pleach_graph *graph);

#endif
