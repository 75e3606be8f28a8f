/* pool/pool_runs.h - runs of 2^log nodes with neighbouring ids, from the same pool as single nodes.
 *
 * Fresh ones come off the pool's end. Returned ones are kept in one list per length; who finds the list of its length
 * empty takes a longer run, and puts back the halves that it does not need. Neighbours are not joined again: that is
 * for somebody who is alone, and rebuilds.
 *
 * A returned run's link is in the second word of its first node, and every other word is left as it was: for structures
 * whose readers may still look at nodes that were given back, and find out by the first word.
 *
 * WHO MAY RUN TOGETHER   everything here, also with pool_take_fresh. Not with pool_take and pool_give: these have lists
 *                        of their own, and write the first word.
 * INVARIANTS, ORDERS, PROGRESS   as in pool.h.
 */
#ifndef PLEACH_POOL_RUNS_H
#define PLEACH_POOL_RUNS_H

#include "pool.h"

enum { POOL_RUN_LOGS = 31, POOL_SINGLE_STRIPES = 32 };

typedef struct pool_run_list {
    uint64_t head; /* tag << 32 | id, id 0: empty */
    uint64_t reserved[7];
} pool_run_list;

/* Zeros to begin with. */
typedef struct pool_runs {
    pool_run_list single[POOL_SINGLE_STRIPES]; /* runs of one node, which are the most, by agent */
    pool_run_list longer[POOL_RUN_LOGS];       /* by log; the first is not used */
} pool_runs;

/* How runs are reached. */
typedef struct pool_runs_place {
    pool_state *pool;
    pool_runs *runs;
    void *nodes;
    uint32_t node_bytes;
    uint32_t stripe; /* the agent's */
} pool_runs_place;

PORT_FN uint64_t *pool_run_link(pool_runs_place p, uint32_t id)
{
    return (uint64_t *)pool_address(p.nodes, id, p.node_bytes) + 1;
}

PORT_FN uint64_t *pool_run_head(pool_runs_place p, unsigned log)
{
    return log ? &p.runs->longer[log].head : &p.runs->single[p.stripe % POOL_SINGLE_STRIPES].head;
}

PORT_FN void pool_give_run(pool_runs_place p, unsigned log, uint32_t id)
{
    uint64_t *head = pool_run_head(p, log), *link = pool_run_link(p, id);
    for (;;) {
        uint64_t old = port_load(head);
        port_store(link, old & UINT32_MAX);
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | id)) return;
    }
}

PORT_FN uint32_t pool_take_run_from(pool_runs_place p, uint64_t *head)
{
    if (!(uint32_t)port_load(head)) return 0; /* a cheap look first */
    for (;;) {
        uint64_t old = port_load_acquire(head);
        uint32_t id = (uint32_t)old;
        if (id == 0) return 0;
        uint64_t next = port_load(pool_run_link(p, id));
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | (uint32_t)next)) return id;
    }
}

/* Off the end. The addition could be by many at once, so the end may pass the capacity by far: the look before it keeps
 * that to as many as race for the last run. */
PORT_FN uint32_t pool_take_fresh_run(pool_runs_place p, unsigned log)
{
    uint64_t count = (uint64_t)1 << log, capacity = port_load(&p.pool->capacity);
    if (port_load(&p.pool->next) + count > capacity) return 0;
    uint64_t id = port_fetch_add(&p.pool->next, count);
    return id + count <= capacity ? (uint32_t)id : 0;
}

/* From a longer run that was returned: the first part of it; the others go to their lists. */
PORT_COLD uint32_t pool_split_run(pool_runs_place p, unsigned log)
{
    for (unsigned longer = log + 1; longer < POOL_RUN_LOGS; longer++) {
        uint32_t id = pool_take_run_from(p, pool_run_head(p, longer));
        if (!id) continue;
        while (longer-- > log) pool_give_run(p, longer, id + ((uint32_t)1 << longer));
        return id;
    }
    return 0;
}

/* Single nodes of the other stripes. */
PORT_COLD uint32_t pool_take_others(pool_runs_place p)
{
    for (unsigned i = 1; i < POOL_SINGLE_STRIPES; i++) {
        pool_runs_place other = p;
        other.stripe = p.stripe + i;
        uint32_t id = pool_take_run_from(p, pool_run_head(other, 0));
        if (id) return id;
    }
    return 0;
}

/* The first node's id, or 0 if there is no such run. What it was before can be read from it: a node that was never
 * taken is all zeros. */
PORT_FN uint32_t pool_take_run(pool_runs_place p, unsigned log)
{
    uint32_t id = pool_take_run_from(p, pool_run_head(p, log));
    if (!id) id = pool_split_run(p, log);
    if (!id) id = pool_take_fresh_run(p, log);
    if (!id && log == 0) id = pool_take_others(p);
    return id;
}

#endif
