/* pool/pool_runs.h - runs of 2^log nodes with neighbouring ids, from the same pool as single nodes.
 *
 * Fresh ones come off the pool's end. Returned ones are kept in one list per length; who finds the list of its length
 * empty takes a longer run, and puts back the halves that it does not need. Neighbours are not joined again: that is
 * for somebody who is alone, and rebuilds. Single nodes have a list for each stripe of agents; an agent looks through
 * the others' before it takes anything new, if somebody has given a node since that was last in vain. Else memory would
 * run away where some agents only take and others only give.
 *
 * Which lists of longer runs may have one is in one word, so that who wants a node, and has nothing to split, need not
 * look at them all: on a GPU that would be as many loads, one after the other, for each new slab. The word is no more
 * than a hint, as that of single nodes is. A list whose bit is set may be empty: who finds it so clears the bit. One
 * whose bit is clear may have a run: it was given after somebody had found the list empty, by an agent that saw the bit
 * still set, and then the bit was cleared. Such a run is passed by until another of its length is given, or there is no
 * fresh memory any more: then all lists are looked through, whatever the words say, before anybody is told that there
 * is no run.
 *
 * Who wants a single node and takes a longer run makes the rest of it the row, from which all take by an addition,
 * which never fails: a list is a word that thousands of GPU threads would swap at once. There is one row at a time.
 *
 * A returned run's link is in the second word of its first node, and every other word is left as it was: for structures
 * whose readers may still look at nodes that were given back, and find out by the first word.
 *
 * WHO MAY RUN TOGETHER   everything here, also with pool_alloc_fresh. Not with pool_alloc and pool_free: these have lists
 *                        of their own, and write the first word.
 * INVARIANTS, ORDERS, PROGRESS   as in pool.h.
 */
#ifndef PLEACH_POOL_RUNS_H
#define PLEACH_POOL_RUNS_H

#include "pool.h"

enum { POOL_RUN_LOGS = 31, POOL_MOST_STRIPES = 128 };
#ifdef PLEACH_SIM
enum { POOL_SINGLE_STRIPES = 32, POOL_ROW_LOG = 1 };
#else
enum { POOL_SINGLE_STRIPES = POOL_MOST_STRIPES, POOL_ROW_LOG = 6 };
#endif

typedef struct pool_run_list {
    uint64_t head; /* tag << 32 | id, id 0: empty */
    uint64_t reserved[7];
} pool_run_list;

/* Zeros to begin with. */
typedef struct pool_runs {
    pool_run_list single[POOL_MOST_STRIPES];   /* runs of one node, which are the most, by agent */
    pool_run_list longer[POOL_RUN_LOGS];       /* by log; the first is not used */
    uint64_t singles_given;                    /* 1: some list of single nodes may have one */
    uint64_t longer_given;                     /* bit `log`: the list of these runs may have one */
    uint64_t row; /* single nodes with neighbouring ids: end << 32 | next; none if next is not below the end */
    uint64_t reserved[5];
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

/* The list has got one. A swap that fails has been overtaken by one for another list, or by one that clears a bit. */
PORT_FN void pool_note_longer(pool_runs_place p, unsigned log)
{
    uint64_t *given = &p.runs->longer_given, bit = (uint64_t)1 << log, old;
    do {
        old = port_load(given);
        if (old & bit) return;
    } while (!port_compare_swap(given, old, old | bit));
}

/* The list was found empty. If the swap fails the bit stays, for the next one who finds that. */
PORT_FN void pool_note_none(pool_runs_place p, unsigned log)
{
    uint64_t *given = &p.runs->longer_given, bit = (uint64_t)1 << log, old = port_load(given);
    if (old & bit) (void)port_compare_swap(given, old, old & ~bit);
}

/* Pushes a list whose nodes from `first` to `last` name each other. Who fails waits a little: thousands of GPU threads
 * would else keep each other from ever succeeding. */
PORT_FN void pool_push(pool_runs_place p, uint64_t *head, uint32_t first, uint32_t last)
{
    uint64_t *link = pool_run_link(p, last);
    for (unsigned attempt = 0;; port_pause(attempt++)) {
        uint64_t old = port_load(head);
        port_store(link, old & UINT32_MAX);
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | first)) return;
    }
}

/* Runs of one length whose first nodes, from `first` to `last`, name each other. */
PORT_FN void pool_free_runs(pool_runs_place p, unsigned log, uint32_t first, uint32_t last)
{
    pool_push(p, pool_run_head(p, log), first, last);
    if (log)
        pool_note_longer(p, log);
    else if (!port_load(&p.runs->singles_given))
        port_store(&p.runs->singles_given, 1);
}

PORT_FN void pool_free_run(pool_runs_place p, unsigned log, uint32_t id) { pool_free_runs(p, log, id, id); }

PORT_FN uint32_t pool_alloc_run_from(pool_runs_place p, uint64_t *head)
{
    if (!(uint32_t)port_load(head)) return 0; /* a cheap look first */
    for (unsigned attempt = 0;; port_pause(attempt++)) {
        uint64_t old = port_load_acquire(head);
        uint32_t id = (uint32_t)old;
        if (id == 0) return 0;
        uint64_t next = port_load(pool_run_link(p, id));
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | (uint32_t)next)) return id;
    }
}

/* Off the end, by an addition, which never fails. Many at once may move the end past the capacity; the one whose run
 * has nodes on both sides of it puts those that have memory into the lists, so none is lost. */
PORT_FN uint32_t pool_alloc_fresh_run(pool_runs_place p, unsigned log)
{
    uint64_t count = (uint64_t)1 << log, capacity = port_load(&p.pool->capacity);
    if (port_load(&p.pool->next) + count > capacity) return 0;
    uint64_t id = port_fetch_add(&p.pool->next, count);
    if (id + count <= capacity) return (uint32_t)id;
    for (unsigned part = log; part-- > 0;) {
        if (id + ((uint64_t)1 << part) > capacity) continue;
        pool_free_run(p, part, (uint32_t)id);
        id += (uint64_t)1 << part;
    }
    return 0;
}

/* The nodes of a run after its first one, to the agent's list, at once. */
PORT_FN void pool_free_rest(pool_runs_place p, uint32_t id, unsigned log)
{
    uint32_t last = id + ((uint32_t)1 << log) - 1;
    if (log == 0) return;
    for (uint32_t at = id + 1; at < last; at++) port_store(pool_run_link(p, at), at + 1);
    pool_free_runs(p, 0, id + 1, last);
}

/* Off the row; 0: it is at its end. Additions past that are no harm, and are as many as there are agents. */
PORT_FN uint32_t pool_alloc_from_row(pool_runs_place p)
{
    uint64_t row = port_load(&p.runs->row);
    if ((uint32_t)row >= row >> 32) return 0;
    row = port_fetch_add(&p.runs->row, 1);
    if ((uint32_t)row >= row >> 32) return 0;
    port_validate_fence(); /* what the agents did who had the node before was over when it became part of the row */
    return (uint32_t)row;
}

/* Makes these the row. False: there is one. PROGRESS: a swap fails when another has brought one, or for an addition
 * past the end of the last row, of which each agent makes one at most. */
PORT_FN bool pool_begin_row(pool_runs_place p, uint32_t first, uint64_t end)
{
    for (;;) {
        uint64_t row = port_load(&p.runs->row);
        if ((uint32_t)row < row >> 32) return false;
        if (port_compare_swap(&p.runs->row, row, end << 32 | first)) return true;
    }
}

/* From a longer run that was returned, in one of these lists: the first part of it; the others go to their lists, or,
 * for who wants a single node, become the row, or go to the agent's list. */
PORT_COLD uint32_t pool_split_run(pool_runs_place p, unsigned log, uint64_t lists)
{
    for (unsigned longer = log + 1; longer < POOL_RUN_LOGS; longer++) {
        if (!(lists >> longer & 1)) continue;
        uint32_t id = pool_alloc_run_from(p, pool_run_head(p, longer));
        if (!id) {
            pool_note_none(p, longer);
            continue;
        }
        if (log == 0 && pool_begin_row(p, id + 1, id + ((uint64_t)1 << longer))) return id;
        unsigned part = log ? log : longer < POOL_ROW_LOG ? longer : POOL_ROW_LOG;
        while (longer-- > part) pool_free_run(p, longer, id + ((uint32_t)1 << longer));
        if (log == 0) pool_free_rest(p, id, part);
        return id;
    }
    return 0;
}

/* Single nodes of the other stripes. One that is given while this looks may be missed, until somebody gives another. */
PORT_COLD uint32_t pool_alloc_others(pool_runs_place p)
{
    enum { AT_ONCE = 8 }; /* so that a GPU waits for some loads together */
    for (unsigned i = 0; i < POOL_SINGLE_STRIPES; i += AT_ONCE) {
        uint64_t heads[AT_ONCE];
        pool_runs_place other = p;
        PORT_UNROLL for (unsigned k = 0; k < AT_ONCE; k++) {
            other.stripe = p.stripe + i + k;
            heads[k] = port_load(pool_run_head(other, 0));
        }
        PORT_UNROLL for (unsigned k = 0; k < AT_ONCE; k++) {
            other.stripe = p.stripe + i + k;
            uint32_t id = (uint32_t)heads[k] ? pool_alloc_run_from(p, pool_run_head(other, 0)) : 0;
            if (id) return id;
        }
    }
    port_store(&p.runs->singles_given, 0);
    return 0;
}

/* As far as hints tell, there is no node to be had. */
PORT_FN bool pool_seems_dry(pool_runs_place p)
{
    uint64_t row = port_load(&p.runs->row);
    return port_load(&p.pool->next) >= port_load(&p.pool->capacity) && (uint32_t)row >= row >> 32 &&
           !port_load(&p.runs->singles_given) && !port_load(&p.runs->longer_given);
}

/* The first node's id, or 0 if there is no such run. What it was before can be read from it: a node that was never
 * taken is all zeros. */
PORT_FN uint32_t pool_alloc_run(pool_runs_place p, unsigned log)
{
    uint32_t id = pool_alloc_run_from(p, pool_run_head(p, log));
    if (!id && log == 0) id = pool_alloc_from_row(p);
    if (!id && log == 0 && port_load(&p.runs->singles_given)) id = pool_alloc_others(p);
    uint64_t lists = id ? 0 : port_load(&p.runs->longer_given);
    if (lists >> log >> 1) id = pool_split_run(p, log, lists);
    if (!id) id = pool_alloc_fresh_run(p, log);
    /* What was missed. Longer runs first: who splits one meanwhile leaves a single node. */
    if (!id) id = pool_split_run(p, log, UINT64_MAX);
    if (!id && log == 0) id = pool_alloc_others(p);
    return id;
}

#endif
