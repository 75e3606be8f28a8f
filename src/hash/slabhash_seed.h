/* hash/slabhash_seed.h - the seed of a structure's hash function. Host only. */
#ifndef PLEACH_SLABHASH_SEED_H
#define PLEACH_SLABHASH_SEED_H

#include "../base/entropy.h"
#include "slabhash_format.h"

static inline slab_seed slabhash_seed_of(uint64_t number)
{
    uint64_t by = entropy_next(&number), plus = entropy_next(&number);
    return (slab_seed){by, plus, entropy_next(&number)};
}

/* Returns the seed that the options of the same names select. */
static inline slab_seed slabhash_seed(uint32_t seed, unsigned fixed_seed)
{
    return slabhash_seed_of(seed || fixed_seed ? seed : base_entropy());
}

#endif
