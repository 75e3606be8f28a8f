/* hash/hash_inspect.h - a quiet hash table in host memory, or a copy of one, counted and checked. */
#ifndef PLEACH_HASH_LOOK_H
#define PLEACH_HASH_LOOK_H

#include "hash_run.h"

typedef struct hash_sight {
    const hash_run_ops *ops;
    unsigned slots;
    slab_place place;
    const slabhash_state *state;
} hash_sight;

void hash_look_stats(const hash_sight *sight, pleach_hash_stats *stats);

/* MEMORY: it could not be looked at. */
pleach_status hash_look_validate(const hash_sight *sight, char *message, size_t message_size);

#endif
