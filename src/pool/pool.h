/* pool/pool.h - the slab allocator: nodes of one size, named by 31-bit ids, in one stretch of address space.
 *
 * LAYOUT
 *
 * The address space for the largest pool is reserved when the pool is made and memory is put behind it as it grows, so
 * a node never moves and an id becomes an address by one multiplication: pool_address, the only place that does so.
 * Fresh memory is all zeros, so a node that nobody ever took has header 0. Id 0 is never handed out.
 *
 *     ids   0 | 1 .......... next-1 | next ........... capacity-1 | capacity ...... limit
 *           - | taken at least once | memory there, never taken   | only address space
 *
 * Returned nodes go to one of POOL_STRIPES free lists, chosen by the agent, and are taken from there first. A list's
 * head is (tag, id) in one word; the tag grows with every change, so that a compare-and-swap cannot mistake a list that
 * changed and changed back (ABA) for one that did not. A returned node's first word names the next one.
 *
 * Nodes that were given back by somebody who was alone in the map are in the stock, an array of ids. Agents take from
 * its front; who is alone takes from its back, and puts there. So many can be taken at once, each by its number.
 *
 *     stock   ........ | stock_next ......... stock_end - 1 |
 *              taken   |           in stock                 |
 *
 * INVARIANTS
 *   P1  An id is in at most one place: taken, or in one free list, or in the stock, or not yet handed out.
 *   P2  Every id below min(next, capacity) has memory behind it.
 *   P3  next only grows while agents are about. It may pass capacity when agents race for the last node; then the ids
 *       between are skipped if the pool grows later. (Handing them back by subtracting could hand out one id twice.)
 *
 * WHO MAY RUN TOGETHER   pool_alloc, pool_free and growing the capacity, all with each other. Resetting runs alone.
 * MEMORY ORDERS          pool_free's compare-and-swap releases the node's next word, pool_alloc's acquires it. That a
 *                        node is not returned while somebody may still read it is the caller's business.
 *                        The stock's ids and its end are stored by somebody who is alone: the gate, or a kernel's end,
 *                        is between these stores and an agent's loads. Agents share its next element by an addition.
 * PROGRESS               lock-free: a failed compare-and-swap means that another agent's succeeded.
 */
#ifndef PLEACH_POOL_H
#define PLEACH_POOL_H

#include <stddef.h>

#include "../port/port.h"

enum { POOL_STRIPES = 32 };

typedef struct pool_state {
    uint64_t next;     /* ids below were handed out at least once */
    uint64_t reserved0[7];
    uint64_t capacity; /* ids below have memory; only grows while agents are about */
    uint64_t reserved1[7];
    uint64_t stock_next; /* may pass stock_end, as next may pass capacity */
    uint64_t reserved2[7];
    uint64_t stock_end;  /* changes only while somebody is alone */
    uint64_t stock;      /* the array's address; uint32_t, as many as the pool may have nodes. 0: there is none */
    uint64_t reserved3[6];
    struct {
        uint64_t head; /* tag << 32 | id, id 0: empty */
        uint64_t reserved[7];
    } free[POOL_STRIPES];
} pool_state;

/* Where a node id becomes an address. */
PORT_FN void *pool_address(void *nodes, uint32_t id, size_t node_bytes)
{
    return port_depends_on((char *)nodes + id * node_bytes, id);
}

/* Nodes from `id` to `last`, each of which names the next one, at once. */
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
        /* Another agent may take and write the node meanwhile; then the tag has moved on and the swap fails. */
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

/* A node that was never taken; the last `spare` of these are left alone. */
PORT_FN uint32_t pool_alloc_fresh(pool_state *pool, uint64_t spare)
{
    uint64_t capacity = port_load(&pool->capacity);
    if (port_load(&pool->next) + spare >= capacity) return 0;
    uint64_t id = port_fetch_add(&pool->next, 1);
    return id < capacity ? (uint32_t)id : 0;
}

/* A node that was returned, from the list of `stripe` or, if that is empty, the next one that is not. */
PORT_FN uint32_t pool_alloc_any(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe)
{
    for (unsigned i = 0; i < POOL_STRIPES; i++) {
        if (!(uint32_t)port_load(&pool->free[(stripe + i) % POOL_STRIPES].head)) continue;
        uint32_t id = pool_alloc_returned(pool, nodes, node_bytes, stripe + i);
        if (id) return id;
    }
    return 0;
}

/* A node's id, or 0 if there is none. */
PORT_FN uint32_t pool_alloc(pool_state *pool, void *nodes, size_t node_bytes, unsigned stripe, uint64_t spare)
{
    /* A cheap look first: the acquire that taking needs empties a GPU's L1. */
    if ((uint32_t)port_load(&pool->free[stripe % POOL_STRIPES].head)) {
        uint32_t id = pool_alloc_returned(pool, nodes, node_bytes, stripe);
        if (id) return id;
    }
    uint32_t id = pool_alloc_stock(pool);
    if (!id) id = pool_alloc_fresh(pool, spare);
    return id ? id : pool_alloc_any(pool, nodes, node_bytes, stripe);
}

#endif
