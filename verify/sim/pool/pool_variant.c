/* verify/sim/pool/pool_variant.c - pool/pool.h compiled for the simulator: over a CPU's atomics or a GPU's PTX. */
#include "pool_sim.h"

#ifdef PLEACH_NODE_ISA_cuda
#define POOL_VARIANT sim_pool_cuda
#else
#define POOL_VARIANT sim_pool_plain
#endif

static uint32_t take(pool_state *pool, void *nodes, unsigned stripe)
{
    return pool_alloc(pool, nodes, POOL_NODE_BYTES, stripe, 0);
}

static void give(pool_state *pool, void *nodes, unsigned stripe, uint32_t id)
{
    pool_free(pool, nodes, POOL_NODE_BYTES, stripe, id);
}

static void grow(pool_state *pool, uint64_t by) { port_store(&pool->capacity, port_load(&pool->capacity) + by); }

/* As a structure does with a node that it has just taken: relaxed stores, all over it. */
static void mark(void *nodes, uint32_t id, uint64_t number)
{
    uint64_t *node = (uint64_t *)((char *)nodes + (size_t)id * POOL_NODE_BYTES);
    for (unsigned i = 0; i < POOL_NODE_WORDS; i++) port_store(&node[i], number);
}

static bool is_marked(void *nodes, uint32_t id, uint64_t number)
{
    const uint64_t *node = (const uint64_t *)((char *)nodes + (size_t)id * POOL_NODE_BYTES);
    for (unsigned i = 0; i < POOL_NODE_WORDS; i++)
        if (port_load(&node[i]) != number) return false;
    return true;
}

const pool_variant POOL_VARIANT = {take, give, grow, mark, is_marked};
