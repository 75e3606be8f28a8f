/* pool/pool_host.h - the memory behind a CPU map's pool: address space for the whole limit at once, which the operating
 * system fills with zeroed (and, where it can, huge) pages as nodes are first written. */
#ifndef PLEACH_POOL_HOST_H
#define PLEACH_POOL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pool_host {
    void *nodes;
    size_t bytes;
    bool by_machine; /* `bytes` is what the machine has, not a limit that the caller has set */
    void *mapping; /* what was mapped, to unmap it; nodes is aligned to a huge page within */
    size_t mapping_bytes;
} pool_host;

/* Room for `max_bytes`, or with 0 for as much as the machine has memory. */
bool pool_host_open(pool_host *pool, uint64_t max_bytes, size_t node_bytes);
void pool_host_close(pool_host *pool);

/* Gives the pages from `from_bytes` on back; they read as zeros afterwards. */
void pool_host_trim(pool_host *pool, size_t from_bytes);

/* Has the first `bytes` backed by memory now, not when they are written; false if the machine does not have it. */
bool pool_host_populate(pool_host *pool, size_t bytes);

#endif
