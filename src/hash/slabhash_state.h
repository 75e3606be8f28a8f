/* hash/slabhash_state.h - a stand-alone hash table: one table with its own pool. */
#ifndef PLEACH_SLABHASH_STATE_H
#define PLEACH_SLABHASH_STATE_H

#include "slabhash_table.h"

enum { SLABHASH_STRIPES = 64, SLABHASH_LEAST_LOG = 0, SLABHASH_MOST_LOG = POOL_RUN_LOGS - 1 };

/* Initially all zeros, except that pool.next is 1 and pool.capacity is set. */
typedef struct slabhash_state {
    pool_state pool;
    pool_runs runs;
    slab_table table;
    uint64_t reserved[4];
    struct {
        uint64_t size;
        uint64_t reserved[7];
    } stripe[SLABHASH_STRIPES];
} slabhash_state;

static const double SLABHASH_RESERVE_LOAD = 0.6; /* of the slots, in a table with reserved space */

/* Returns the number of keys; exact if no update runs concurrently. */
static inline __attribute__((unused)) uint64_t slabhash_size(const slabhash_state *state)
{
    uint64_t size = 0;
    for (unsigned i = 0; i < SLABHASH_STRIPES; i++) size += __atomic_load_n(&state->stripe[i].size, __ATOMIC_RELAXED);
    return (int64_t)size < 0 ? 0 : size;
}

/* Slots per slab. */
static inline __attribute__((unused)) unsigned slabhash_slots(unsigned key_bits, bool values)
{
    return SLAB_PAYLOAD * 64 / key_bits / (values ? 2 : 1);
}

/* Returns the log of the smallest number of buckets in which `keys` keys take at most the fraction `load` of the slots,
 * or SLABHASH_MOST_LOG. */
static inline __attribute__((unused)) unsigned slabhash_log_for(uint64_t keys, unsigned slots, double load)
{
    unsigned log = 0;
    while (log < SLABHASH_MOST_LOG && (double)keys > load * (double)slots * (double)((uint64_t)1 << log)) log++;
    return log;
}

#ifndef __CUDACC__ /* the verbs are the GPU's there */
/* Returns the log of the number of buckets in a copy for `keys` keys, or if that is 0, in a compact copy. A table that
 * has grown by itself can be fuller than one with reserved space. Its compact copy has no more buckets than the table
 * has, or is growing to. Chains of a copy have no gaps, so it is not larger than the table, unless it grows while it is
 * filled. */
static inline __attribute__((unused)) unsigned slabhash_log_of_copy(const slabhash_state *state, uint64_t keys,
                                                                    unsigned slots)
{
    uint64_t size = slabhash_size(state), root = state->table.root, next = slab_target_of(state->table.next, root);
    unsigned most = keys ? SLABHASH_MOST_LOG : slab_root_log(next ? next : root);
    unsigned log = slabhash_log_for(keys > size ? keys : size, slots, SLABHASH_RESERVE_LOAD);
    return log < most ? log : most;
}
#endif

#endif
