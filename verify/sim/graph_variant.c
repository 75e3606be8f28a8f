/* verify/sim/graph_variant.c - the operations of graphs, with values and without, compiled for the simulator. */
#include "graph_sim.h"
#include "slab_sim.h"

#include "../../src/graph/graph_vertex.h"
#define PLEACH_KEY_BITS 32

static slab_table *vertex_of(const graph_place *g, uint32_t id) { return graph_vertex(g, id); }
static slab_table *table_of(const graph_place *g, uint32_t number) { return graph_table(g, number); }
static uint32_t id_of(const graph_place *g, uint32_t number) { return graph_id(g, number); }

static void come_and_go(const graph_place *g, const uint32_t *ids, unsigned count)
{
    for (unsigned i = 0; i < count; i++) (void)graph_vertex_made(g, ids[i]);
    while (count-- > 0) graph_forget(g, ids[count]); /* so that a number is not in the slot of its own name */
}

#define SLAB_VALUES 1
#include "graph_variant_kind.h"
#undef SLAB_VALUES
#define SLAB_VALUES 0
#include "graph_variant_kind.h"
