/* pool/pool_host.h - the memory behind a CPU map's pool: address space for the whole limit at once, to which the
 * operating system maps zeroed (and, where it can, huge) pages as nodes are first written. */
#ifndef PLEACH_POOL_HOST_H
#define PLEACH_POOL_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pool_host {
    void *nodes;
    size_t bytes;
    bool by_machine; /* `bytes` is the machine's memory, not a limit that the caller has set */
    void *mapping; /* the whole mapping, for unmapping; `nodes` is aligned to a huge page within it */
    size_t mapping_bytes;
} pool_host;

/* Reserves address space for `max_bytes`, or with 0 for as much as the machine has memory. Returns false on failure. */
bool pool_host_open(pool_host *pool, uint64_t max_bytes, size_t node_bytes);
void pool_host_close(pool_host *pool);

/* Frees the pages from `from_bytes` on; they read as zeros afterwards. */
void pool_host_trim(pool_host *pool, size_t from_bytes);

/* Backs the first `bytes` by memory now instead of when written. Returns false if the machine does not have it. */
bool pool_host_populate(pool_host *pool, size_t bytes);

#endif
