/* verify/sim/pool/pool_sim.h - the node pool under the simulator: what pool_variant.c, compiled with the port of a CPU
 * and of a GPU, offers to pool_world.c. */
#ifndef PLEACH_POOL_SIM_H
#define PLEACH_POOL_SIM_H

#include "../../../src/pool/pool.h"
#include "../sim.h"

enum { POOL_NODE_BYTES = 64, POOL_NODE_WORDS = POOL_NODE_BYTES / 8 };

typedef struct pool_variant {
    uint32_t (*take)(pool_state *pool, void *nodes, unsigned stripe);
    void (*give)(pool_state *pool, void *nodes, unsigned stripe, uint32_t id);
    void (*grow)(pool_state *pool, uint64_t by);
    /* Writes a number all over a node, and looks whether it is still there. */
    void (*mark)(void *nodes, uint32_t id, uint64_t number);
    bool (*is_marked)(void *nodes, uint32_t id, uint64_t number);
} pool_variant;

extern const pool_variant sim_pool_cuda, sim_pool_plain;

extern const sim_structure sim_pool;

#endif
