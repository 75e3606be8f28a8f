/* hash/hash_run.h - operations of hash tables on CPU threads: one function table per kind of table. */
#ifndef PLEACH_HASH_RUN_H
#define PLEACH_HASH_RUN_H

#include "slabhash_state.h"
#include "hash_backend.h"

typedef struct hash_run_result {
    int64_t size_change;
    uint64_t not_applied;
} hash_run_result;

/* The shape of a table, counted with exclusive access. */
typedef struct hash_counts {
    uint64_t keys, buckets, overflow_slabs, longest_chain, moved_buckets;
} hash_counts;

typedef struct hash_run_ops {
    /* Runs elements begin .. end-1 of a request. */
    void (*run)(const slab_ref *place, slab_table *table, const hash_request *request, size_t begin, size_t end,
                hash_run_result *result);
    /* Puts the pairs of buckets begin .. end-1 into another table, which no other thread sees. Only calls of this
     * function may run concurrently. Returns false if memory is lacking. */
    bool (*copy)(const slab_ref *from, const slab_table *table, uint64_t begin, uint64_t end, const slab_ref *to,
                 slab_table *copy);
    /* Returns the number of pairs in buckets begin .. end-1. Writes them from element `at` on, to arrays that are not
     * NULL. Exclusive. */
    uint64_t (*list)(const slab_ref *place, const slab_table *table, uint64_t begin, uint64_t end, void *keys,
                     void *values, uint64_t at);
    /* Checks the invariants. Exclusive. `seen` has a bit for each slab of the pool. */
    bool (*check)(const slab_ref *place, const slab_table *table, uint64_t *seen, hash_counts *counts, char *message,
                  size_t message_size);
    /* Counts without checks. Exclusive. */
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
