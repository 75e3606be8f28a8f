/* pool/pool.h - the slab allocator: nodes of one size, named by 31-bit ids, in one range of address space.
 *
 * LAYOUT
 *
 * Creating a pool reserves the address space of the largest pool; memory is mapped to it as the pool grows. So a node
 * never moves, and an id becomes an address by one multiplication: pool_address is the only place that does this. Fresh
 * memory is all zeros, so a node that was never allocated has header 0. Id 0 is never handed out.
 *
 *     ids   0 | 1 ............ next-1 | next ............. capacity-1 | capacity ....... limit
 *           - | allocated at least    | has memory, never            | address space only
 *             | once                  | allocated                    |
 *
 * A freed node goes to one of POOL_STRIPES free lists, chosen by the thread's stripe, and is reused before fresh nodes.
 * The head of a list is (tag, id) in one word. The tag grows with every change, so that a compare-and-swap cannot
 * mistake a list that changed and changed back (ABA) for one that did not. A free node's first word names the next.
 *
 * Nodes that were freed by an exclusive call are in the stock, an array of ids. Concurrent threads allocate from its
 * front; an exclusive call allocates from its back, and frees there. Many nodes can so be allocated at once, by index.
 *
 *     stock   .......... | stock_next ......... stock_end - 1 |
 *              allocated |              free                  |
 *
 * INVARIANTS
 *   P1  An id is in at most one place: allocated, or in one free list, or in the stock, or not yet handed out.
 *   P2  Every id below min(next, capacity) has memory.
 *   P3  next only grows while concurrent calls run. It may pass capacity when threads race for the last node; then the
 *       ids in between are skipped if the pool grows later. (Returning them by subtraction could hand out an id twice.)
 *
 * CONCURRENCY     pool_alloc, pool_free and growing the capacity may all run concurrently. Resetting is exclusive.
 * MEMORY ORDERS   pool_free's compare-and-swap releases the node's next word, pool_alloc's acquires it. The caller must
 *                 not free a node while any thread may still read it.
 *                 The stock's ids and its end are stored exclusively: the gate, or the end of a kernel, is between
 *                 these stores and the loads of concurrent threads. Threads share the next element by a fetch-and-add.
 * PROGRESS        lock-free: a failed compare-and-swap means that another thread's succeeded.
 */
#ifndef PLEACH_POOL_H
#define PLEACH_POOL_H

#include <stddef.h>

#include "../port/port.h"

enum { POOL_STRIPES = 32 };

typedef struct pool_state {
    uint64_t next;     /* ids below were handed out at least once */
    uint64_t reserved0[7];
    uint64_t capacity; /* ids below have memory; only grows while concurrent calls run */
    uint64_t reserved1[7];
    uint64_t stock_next; /* may pass stock_end, as next may pass capacity */
    uint64_t reserved2[7];
    uint64_t stock_end;  /* changes only in exclusive calls */
    /* address of the array: uint32_t, one per node that the pool may have; 0 if there is none */
    uint64_t stock;
    uint64_t reserved3[6];
    struct {
        uint64_t head; /* tag << 32 | id, id 0: empty */
        uint64_t reserved[7];
    } free[POOL_STRIPES];
} pool_state;

/* Translates a node id to an address. */
PORT_FN void *pool_address(void *nodes, uint32_t id, size_t node_bytes)
{
    return port_depends_on((char *)nodes + id * node_bytes, id);
}

/* Frees the nodes from `id` to `last`, each of which names the next one, in one step. */
PORT_FN void pool_free_list(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe, uint32_t id,
                           uint32_t last)
{
    uint64_t *head = &pool->free[stripe % POOL_STRIPES].head;
    uint64_t *next = (uint64_t *)pool_address(nodes, last, node_bytes);
    for (;;) {
        uint64_t old = port_load(head);
        port_store(next, old & UINT32_MAX);
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | id)) return;
    }
}

PORT_FN void pool_free(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe, uint32_t id)
{
    pool_free_list(pool, nodes, node_bytes, stripe, id, id);
}

PORT_FN uint32_t pool_alloc_returned(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe)
{
    uint64_t *head = &pool->free[stripe % POOL_STRIPES].head;
    for (;;) {
        uint64_t old = port_load_acquire(head);
        uint32_t id = (uint32_t)old;
        if (id == 0) return 0;
        /* Another thread may allocate and write the node concurrently; then the tag has moved on and the swap fails. */
        uint64_t next = port_load((uint64_t *)pool_address(nodes, id, node_bytes));
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | (uint32_t)next)) return id;
    }
}

PORT_FN uint32_t *pool_stock(const pool_state *pool) { return (uint32_t *)(uintptr_t)port_load(&pool->stock); }

PORT_FN uint32_t pool_alloc_stock(pool_state *pool)
{
    uint64_t end = port_load(&pool->stock_end);
    if (port_load(&pool->stock_next) >= end) return 0;
    uint64_t at = port_fetch_add(&pool->stock_next, 1);
    return at < end ? pool_stock(pool)[at] : 0;
}

/* Returns a node that was never allocated, or 0; the last `spare` of these are left. */
PORT_FN uint32_t pool_alloc_fresh(pool_state *pool, uint64_t spare)
{
    uint64_t capacity = port_load(&pool->capacity);
    if (port_load(&pool->next) + spare >= capacity) return 0;
    uint64_t id = port_fetch_add(&pool->next, 1);
    return id < capacity ? (uint32_t)id : 0;
}

/* Returns a freed node from the list of `stripe` or, if it is empty, of the next non-empty one; 0 if all are empty. */
PORT_FN uint32_t pool_alloc_any(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe)
{
    for (unsigned i = 0; i < POOL_STRIPES; i++) {
        if (!(uint32_t)port_load(&pool->free[(stripe + i) % POOL_STRIPES].head)) continue;
        uint32_t id = pool_alloc_returned(pool, nodes, node_bytes, stripe + i);
        if (id) return id;
    }
    return 0;
}

/* Returns a node's id, or 0 if there is none. */
PORT_FN uint32_t pool_alloc(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe, uint64_t spare)
{
    /* Check without acquire first: the acquire that an allocation needs invalidates a GPU's L1. */
    if ((uint32_t)port_load(&pool->free[stripe % POOL_STRIPES].head)) {
        uint32_t id = pool_alloc_returned(pool, nodes, node_bytes, stripe);
        if (id) return id;
    }
    uint32_t id = pool_alloc_stock(pool);
    if (!id) id = pool_alloc_fresh(pool, spare);
    return id ? id : pool_alloc_any(pool, nodes, node_bytes, stripe);
}

#endif
