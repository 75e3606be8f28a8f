/* api/graph_object.h - what stands behind a pleach_graph. */
#ifndef PLEACH_GRAPH_OBJECT_H
#define PLEACH_GRAPH_OBJECT_H

#include "../exec/graph_exec.h"
#include "../gate/gate.h"

struct pleach_graph {
    const graph_exec_ops *ops;
    void *exec;
    pleach_device device;
    bool directed, values;
    pleach_graph_config config; /* complete */
    gate gate;
};

pleach_status graph_check_request(const pleach_graph *graph, const graph_request *r, pleach_stream stream);
pleach_status graph_check_pointers(const pleach_graph *graph, const void *const *pointers, size_t n);

/* Alone in the graph; OK is followed by gate_leave_exclusive. */
pleach_status graph_enter_alone(pleach_graph *graph);

#endif
