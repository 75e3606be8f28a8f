/* hash/hash_run.h - operations of hash tables on CPU threads: one table of functions for each kind of table. */
#ifndef PLEACH_HASH_RUN_H
#define PLEACH_HASH_RUN_H

#include "slabhash_state.h"
#include "hash_backend.h"

typedef struct hash_run_result {
    int64_t size_change;
    uint64_t not_applied;
} hash_run_result;

/* A table's shape, counted by somebody who is alone. */
typedef struct hash_counts {
    uint64_t keys, buckets, overflow_slabs, longest_chain, moved_buckets;
} hash_counts;

typedef struct hash_run_ops {
    /* Elements begin .. end-1 of a request. */
    void (*run)(const slab_ref *place, slab_table *table, const hash_request *request, size_t begin, size_t end,
                hash_run_result *result);
    /* Puts the pairs of buckets begin .. end-1 into another table, which nobody else sees. Alone, but for others who do
     * the same. False: memory is lacking. */
    bool (*copy)(const slab_ref *from, const slab_table *table, uint64_t begin, uint64_t end, const slab_ref *to,
                 slab_table *copy);
    /* Counts the pairs of buckets begin .. end-1, and writes them, from element `at` on, where there is somewhere to.
     * Alone. */
    uint64_t (*list)(const slab_ref *place, const slab_table *table, uint64_t begin, uint64_t end, void *keys,
                     void *values, uint64_t at);
    /* Checks the invariants. Alone. `seen` has a bit for each slab of the pool. */
    bool (*check)(const slab_ref *place, const slab_table *table, uint64_t *seen, hash_counts *counts, char *message,
                  size_t message_size);
    /* Counts, and checks nothing. Alone. */
    void (*count)(const slab_ref *place, const slab_table *table, hash_counts *counts);
} hash_run_ops;

/* hash_run.c, compiled once per kind of table. */
extern const hash_run_ops hash_run_map32, hash_run_set32, hash_run_map64, hash_run_set64;

static inline const hash_run_ops *hash_run_choose(unsigned key_bits, bool values)
{
    if (key_bits == 32) return values ? &hash_run_map32 : &hash_run_set32;
    return values ? &hash_run_map64 : &hash_run_set64;
}

#endif
