/* verify/sim/hash/slab_sim.h - what variants of structures that are made of slab hashes share: the simulator is told
 * what it cannot see. Included before hash/. */
#ifndef PLEACH_SLAB_SIM_H
#define PLEACH_SLAB_SIM_H

#include "../../../src/hash/slabhash_format.h"
#include "../sim.h"

enum { MOST_STEPS_ALONE = 1 << 12 };

/* A bucket's address is made from its root, and so what is loaded from it is loaded after the root. The simulator knows
 * a run by its first slab, and must be told of the others. */
static uint32_t told_first(uint64_t root)
{
    sim_tell_run(slab_root_first(root), (uint64_t)1 << slab_root_log(root));
    return slab_root_first(root);
}

static uint32_t told_bucket(uint64_t root, uint32_t hash)
{
    (void)told_first(root);
    return slab_bucket(root, hash);
}

#define slab_root_first told_first
#define slab_bucket told_bucket

#ifdef PLEACH_NODE_ISA_cuda
#define VARIANT(name) name##_cuda
#else
#define VARIANT(name) name##_plain
#endif
#define VARIANT_NAME2(name) VARIANT(name)
#define VARIANT_NAME(name) VARIANT_NAME2(name)

#endif
