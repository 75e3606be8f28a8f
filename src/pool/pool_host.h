/* pool/pool_host.h - the memory behind a CPU structure's pool: address space for the whole limit at once, to which the
 * operating system maps zeroed pages as nodes are first written.
 *
 * HUGE PAGES
 *
 * A descent visits a node per level, each on another page: huge pages save most of the address translation. But one
 * node in a huge page occupies all of it. Pools are filled from the front, so the first 2 MiB, which are one huge page,
 * are in small pages, and huge pages follow. So a small structure occupies only what it uses. If a pool is about to be
 * filled beyond its front, pool_host_expect asks for huge pages from the start; if a call has done so, pool_host_grown
 * moves the front.
 * If there are thousands of pools, the later ones have huge pages only if they are expected to be large.
 *
 *     nodes       | front: small pages |  huge pages ...
 *     per node    |  front  |  huge pages ...               of the same nodes, so that both change at the same id
 *     small pages | small pages ...
 *
 * All of this is advice to the kernel, which may have no huge pages. */
#ifndef PLEACH_POOL_HOST_H
#define PLEACH_POOL_HOST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pool_host {
    void *nodes;
    size_t bytes;
    bool by_machine; /* `bytes` is the machine's memory, or a part of it, not a limit that the caller has set */
    bool huge;       /* has huge pages after the front */
    atomic_bool front_huge; /* the front has been asked to be in huge pages too */
    void *mapping; /* the whole mapping, for unmapping; the end of the front of `nodes` is aligned to a huge page */
    size_t mapping_bytes;
} pool_host;

/* Reserves address space for `max_bytes`, or with 0 for as much as the machine has memory; for less if there are
 * hundreds of such pools, or if the process may not have as many addresses. Returns false on failure. */
bool pool_host_open(pool_host *pool, uint64_t max_bytes, size_t node_bytes);

/* Reserves as much as another pool has, and no less, for a copy of it or as its successor. */
bool pool_host_open_like(pool_host *pool, const pool_host *other);

/* Reserves an array with an element of `bytes_each` for each of the nodes of another pool. */
bool pool_host_open_per_node(pool_host *pool, uint64_t nodes, size_t bytes_each, size_t node_bytes);

/* Reserves an array without huge pages: one that is not filled from the front, or that is read in order. */
bool pool_host_open_small_pages(pool_host *pool, size_t bytes);

void pool_host_close(pool_host *pool);

/* The first `bytes` will be in use soon. Not for an array with small pages only; nor is the next. */
void pool_host_expect(pool_host *pool, size_t bytes);

/* The first `bytes` are in use. If that is much more than the front, moves the front to huge pages. Other threads may use
 * the pool, and call this. */
void pool_host_grown(pool_host *pool, size_t bytes);

/* Frees the pages from `from_bytes` on; they read as zeros afterwards. If none but the front is left, it will be in
 * small pages again. */
void pool_host_trim(pool_host *pool, size_t from_bytes);

/* Backs the first `bytes` by memory now instead of when written. Returns false if the machine does not have it. */
bool pool_host_populate(pool_host *pool, size_t bytes);

#endif
