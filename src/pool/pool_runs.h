/* pool/pool_runs.h - runs of 2^log nodes with neighbouring ids, from the same pool as single nodes.
 *
 * Fresh runs come from the end of the pool. Freed runs are kept in one list per length. A thread that finds the list of
 * its length empty takes a longer run and frees the halves that it does not need. Neighbouring runs are never merged;
 * only an exclusive rebuild does that. Single nodes have one list per stripe of threads. A thread searches the lists of
 * the other stripes before it takes anything fresh, if a node was freed since the last search in vain. Otherwise memory
 * would grow without bound if some threads only allocate and others only free.
 *
 * One word states which lists of longer runs may be non-empty. A thread that needs a node, and finds nothing to split
 * there, need not read all lists; on a GPU that would be one dependent load per list for each new slab. The word is
 * only a hint, and so is the word for single nodes. A list whose bit is set may be empty: a thread that finds it empty
 * clears the bit. A list whose bit is clear may still hold a run: thread A finds the list empty, thread B frees a run
 * and sees the bit still set, then A clears the bit. The run is skipped until another run of its length is freed or
 * fresh memory runs out. In the latter case all lists are searched, ignoring the hints, before an allocation fails.
 *
 * A thread that needs a single node and takes a longer run makes the rest of the run the row. The row is a range of ids
 * from which all threads allocate by a fetch-and-add, which never fails; the head of a list, in contrast, is a word
 * that thousands of GPU threads would compare-and-swap at once. There is one row at a time.
 *
 * The link of a freed run is in the second word of its first node, and every other word keeps its value. This serves
 * structures whose readers may still read freed nodes, and detect that by the first word.
 *
 * CONCURRENCY   All functions here may run concurrently, also with pool_alloc_fresh. They must not be mixed with
 *               pool_alloc and pool_free, which have lists of their own and write the first word.
 * INVARIANTS, MEMORY ORDERS, PROGRESS   as in pool.h.
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

/* Must be zeroed before use. */
typedef struct pool_runs {
    pool_run_list single[POOL_MOST_STRIPES];   /* runs of one node, which are most runs, by stripe */
    pool_run_list longer[POOL_RUN_LOGS];       /* by log; the first is unused */
    uint64_t singles_given;                    /* 1 if some list of single nodes may be non-empty */
    uint64_t longer_given;                     /* bit `log` is set if the list of these runs may be non-empty */
    uint64_t row; /* single nodes with neighbouring ids: end << 32 | next; empty unless next is below end */
    uint64_t reserved[5];
} pool_runs;

/* How a thread accesses runs. */
typedef struct pool_runs_place {
    pool_state *pool;
    pool_runs *runs;
    void *nodes;
    uint32_t node_bytes;
    uint32_t stripe; /* the thread's */
} pool_runs_place;

PORT_FN uint64_t *pool_run_link(pool_runs_place p, uint32_t id)
{
    return (uint64_t *)pool_address(p.nodes, id, p.node_bytes) + 1;
}

PORT_FN uint64_t *pool_run_head(pool_runs_place p, unsigned log)
{
    return log ? &p.runs->longer[log].head : &p.runs->single[p.stripe % POOL_SINGLE_STRIPES].head;
}

/* Sets the bit of a list that has received a run. A swap fails only if another thread changes some list's bit. */
PORT_FN void pool_note_longer(pool_runs_place p, unsigned log)
{
    uint64_t *given = &p.runs->longer_given, bit = (uint64_t)1 << log, old;
    do {
        old = port_load(given);
        if (old & bit) return;
    } while (!port_compare_swap(given, old, old | bit));
}

/* Clears the bit of a list that was found empty. If the swap fails, the bit stays until a thread finds this again. */
PORT_FN void pool_note_none(pool_runs_place p, unsigned log)
{
    uint64_t *given = &p.runs->longer_given, bit = (uint64_t)1 << log, old = port_load(given);
    if (old & bit) (void)port_compare_swap(given, old, old & ~bit);
}

/* Pushes nodes from `first` to `last`, each of which names the next one. A failed attempt is followed by a short wait:
 * otherwise thousands of GPU threads would keep each other from succeeding. */
PORT_FN void pool_push(pool_runs_place p, uint64_t *head, uint32_t first, uint32_t last)
{
    uint64_t *link = pool_run_link(p, last);
    for (unsigned attempt = 0;; port_pause(attempt++)) {
        uint64_t old = port_load(head);
        port_store(link, old & UINT32_MAX);
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | first)) return;
    }
}

/* Frees runs of one length whose first nodes, from `first` to `last`, name each other. */
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
    if (!(uint32_t)port_load(head)) return 0; /* check without acquire first */
    for (unsigned attempt = 0;; port_pause(attempt++)) {
        uint64_t old = port_load_acquire(head);
        uint32_t id = (uint32_t)old;
        if (id == 0) return 0;
        uint64_t next = port_load(pool_run_link(p, id));
        if (port_compare_swap(head, old, ((old >> 32) + 1) << 32 | (uint32_t)next)) return id;
    }
}

/* Allocates from the end of the pool by a fetch-and-add, which never fails. Concurrent threads may move the end past
 * the capacity; the thread whose run straddles the capacity frees the part that has memory, so no node is lost. */
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

/* Frees the nodes of a run after its first one to the thread's list, in one step. */
PORT_FN void pool_free_rest(pool_runs_place p, uint32_t id, unsigned log)
{
    uint32_t last = id + ((uint32_t)1 << log) - 1;
    if (log == 0) return;
    for (uint32_t at = id + 1; at < last; at++) port_store(pool_run_link(p, at), at + 1);
    pool_free_runs(p, 0, id + 1, last);
}

/* Allocates from the row; returns 0 if it is exhausted. Additions past the end are harmless: at most one per thread. */
PORT_FN uint32_t pool_alloc_from_row(pool_runs_place p)
{
    uint64_t row = port_load(&p.runs->row);
    if ((uint32_t)row >= row >> 32) return 0;
    row = port_fetch_add(&p.runs->row, 1);
    if ((uint32_t)row >= row >> 32) return 0;
    /* what earlier owners of the node did was complete before it became part of the row */
    port_validate_fence();
    return (uint32_t)row;
}

/* Makes these ids the row. Returns false if there is one already. PROGRESS: a swap fails because another thread has
 * installed a row, or because of an addition past the end of the last row, of which each thread makes at most one. */
PORT_FN bool pool_begin_row(pool_runs_place p, uint32_t first, uint64_t end)
{
    for (;;) {
        uint64_t row = port_load(&p.runs->row);
        if ((uint32_t)row < row >> 32) return false;
        if (port_compare_swap(&p.runs->row, row, end << 32 | first)) return true;
    }
}

/* Splits a freed run from one of the longer `lists` and returns its first part. The other parts go to their lists. If a
 * single node was requested, they become the row instead, or go to the thread's list. */
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

/* Allocates a node from the other stripes' lists. May miss one that is freed meanwhile, until another one is freed. */
PORT_COLD uint32_t pool_alloc_others(pool_runs_place p)
{
    enum { AT_ONCE = 8 }; /* so that a GPU waits for several loads at once */
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

/* Returns true if, according to the hints, no node is available. */
PORT_FN bool pool_seems_dry(pool_runs_place p)
{
    uint64_t row = port_load(&p.runs->row);
    return port_load(&p.pool->next) >= port_load(&p.pool->capacity) && (uint32_t)row >= row >> 32 &&
           !port_load(&p.runs->singles_given) && !port_load(&p.runs->longer_given);
}

/* Returns the id of the run's first node, or 0 if there is no such run. The node's words tell its previous use: a node
 * that was never allocated is all zeros. */
PORT_FN uint32_t pool_alloc_run(pool_runs_place p, unsigned log)
{
    uint32_t id = pool_alloc_run_from(p, pool_run_head(p, log));
    if (!id && log == 0) id = pool_alloc_from_row(p);
    if (!id && log == 0 && port_load(&p.runs->singles_given)) id = pool_alloc_others(p);
    uint64_t lists = id ? 0 : port_load(&p.runs->longer_given);
    if (lists >> log >> 1) id = pool_split_run(p, log, lists);
    if (!id) id = pool_alloc_fresh_run(p, log);
    /* Search what the hints missed. Longer runs first: a thread that splits one concurrently leaves a single node. */
    if (!id) id = pool_split_run(p, log, UINT64_MAX);
    if (!id && log == 0) id = pool_alloc_others(p);
    return id;
}

#endif
