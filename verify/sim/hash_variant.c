/* verify/sim/hash_variant.c - the operations of hash tables, maps and sets, compiled for the simulator. */
#include "hash_sim.h"
#include "slab_sim.h"

enum { MOST_WALKED = 64 };

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
