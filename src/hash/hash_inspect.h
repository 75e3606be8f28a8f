/* hash/hash_inspect.h - statistics and checks of a quiescent hash table in host memory, or of a copy in host memory. */
#ifndef PLEACH_HASH_LOOK_H
#define PLEACH_HASH_LOOK_H

#include "hash_run.h"

typedef struct hash_inspection {
    const hash_run_ops *ops;
    unsigned slots;
    slab_ref place;
    const slabhash_state *state;
} hash_inspection;

void hash_inspect_stats(const hash_inspection *sight, pleach_hash_stats *stats);

/* Returns PLEACH_E_MEMORY if there was no memory for the check. */
pleach_status hash_inspect_validate(const hash_inspection *sight, char *message, size_t message_size);

#endif
