/* verify/sim/graph/graph_sim.h - graphs under the simulator: what graph_variant.c, compiled once per machine, offers to
 * graph_world.c, which does not know the machine. */
#ifndef PLEACH_GRAPH_SIM_H
#define PLEACH_GRAPH_SIM_H

#include "../../../src/graph/graph_run.h"
#include "../../history/history.h"
#include "../sim.h"

typedef enum graph_op_kind {
    GRAPH_OP_PUT, /* the first kinds are op_kind's */
    GRAPH_OP_ADD, /* nobody plans it */
    GRAPH_OP_ERASE,
    GRAPH_OP_FIND,
    GRAPH_OP_LIST,       /* the neighbours of `from` */
    GRAPH_OP_PUT_VERTEX, /* `from` */
    GRAPH_OP_FIND_VERTEX,
    GRAPH_OP_DEGREE /* of `from`: in `old` */
} graph_op_kind;

/* An operation, and what it answered. */
typedef struct graph_op {
    graph_op_kind kind;
    unsigned agent;
    uint32_t from, to, value;
    uint64_t invoked, returned;
    uint8_t outcome;                /* history_outcome */
    uint8_t new_from, new_to;       /* of the vertices, likewise; NOT_APPLIED: they were not put */
    uint32_t old;                   /* value, if the outcome says that there was one */
    uint32_t targets, target_count; /* GRAPH_OP_LIST: a place in the world's targets */
} graph_op;

/* For who is alone with the dictionary of a sparse graph. */
typedef struct sim_dictionary {
    const graph_run_ops *ops;
    bool (*finish)(const slab_ref *place, slab_table *table);
} sim_dictionary;

extern const sim_dictionary sim_dictionary_plain, sim_dictionary_cuda;

typedef struct graph_variant {
    bool values;
    unsigned segment_log; /* as the variant is compiled, which is not how graph_world.c is */
    slab_table *(*vertex)(const graph_ref *g, uint32_t id); /* NULL: its segment was never made, or no number taken */
    slab_table *(*table)(const graph_ref *g, uint32_t number);
    uint32_t (*id)(const graph_ref *g, uint32_t number);
    /* Of a sparse graph: these ids get numbers, and lose them again. */
    void (*come_and_go)(const graph_ref *g, const uint32_t *ids, unsigned count);
    const sim_dictionary *dictionary;
    uint32_t (*hash)(const slab_ref *place, uint32_t key);
    /* One operation, with its answer and stamps put into it. What a list sees goes to `targets`. */
    void (*run)(const graph_ref *g, graph_op *op, graph_target *targets, uint64_t room);
    /* An edge put or erased by somebody who is alone, without helping to move other buckets. False: it did not end. */
    bool (*alone)(const graph_ref *g, graph_op *op);
    void (*recycle)(const slab_ref *place, unsigned log, uint64_t version, const uint64_t *keys, unsigned count);
    bool (*finish)(const slab_ref *place, slab_table *table);
    const graph_run_ops *ops; /* for who is alone */
} graph_variant;

extern const graph_variant sim_graph_map32_plain, sim_graph_map32_cuda, sim_graph_set32_plain, sim_graph_set32_cuda;

extern const sim_structure sim_graph;

#endif
