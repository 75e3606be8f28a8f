/* verify/sim/graph_variant.c - the operations of graphs, with values and without, compiled for the simulator. */
#include "graph_sim.h"
#include "slab_sim.h"

#include "../../src/graph/graph_vertex.h"
#define PLEACH_KEY_BITS 32

static slab_table *vertex_of(const graph_place *g, uint32_t id) { return graph_vertex(g, id); }

#define SLAB_VALUES 1
#include "graph_variant_kind.h"
#undef SLAB_VALUES
#define SLAB_VALUES 0
#include "graph_variant_kind.h"
