/* verify/sim/hash_variant.c - the operations of hash tables, maps and sets, compiled for the simulator. */
#include "../../src/core/slabhash/slabhash_format.h"
#include "hash_sim.h"

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

enum { MOST_STEPS_ALONE = 1 << 12, MOST_WALKED = 64 };

/* As bucket_latch and help_step do. There is no root that names a slab which nobody has had. */
static void haunt(const slab_place *place, const slab_table *table, uint32_t id)
{
    uint64_t *word = &slab_at(place, id)->word[SLAB_HEADER], header = port_load(word);
    port_validate_fence();
    if (header < SLAB_VERSION) return;
    if ((header & (SLAB_LATCHED | SLAB_MOVED | SLAB_OTHER)) || !port_latch(word, header, header | SLAB_LATCHED)) return;
    (void)port_load(&table->root);
    port_store_release(word, header);
}

#define SLAB_VALUES 1
#include "hash_variant_kind.h"
#undef SLAB_VALUES
#define SLAB_VALUES 0
#include "hash_variant_kind.h"
